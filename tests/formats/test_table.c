// Tables that formulas call: against splines along their lines, polynomials they are exact for, and
// differences; inputs of components that follow formulas; rejected input.
#include "formats/loading.h"

#include <math.h>

#include "math/lookup.h"
#include "model/model.h"

#define WHEEL                                                                                      \
  "bodies:\n  wheel: {mass: 1, inertia: [1, 1, 1]}\n"                                              \
  "joints:\n  pin: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0], axis: z}\n"

static const hn_lookup *table_of(hn_model *model, int k) { return model->lookups.item[k]; }

static hn_model *load_tables(const char *tables) {
  char text[2000];
  snprintf(text, sizeof text, WHEEL "tables:\n%s", tables);
  return load_text(text);
}

static void a_map_is_the_product_of_splines(void **state) {
  (void)state;
  hn_model *model = load_tables("  f: {x: [0, 1, 3, 4], y: [-1, 0, 2], values: [1, 4, 2, 7, 0, 3, "
                                "5, 1, 2, 2, 8, 6]}\n"
                                "  low: {table: [[0, 1], [1, 4], [3, 2], [4, 7]]}\n"
                                "  side: {table: [[-1, 4], [0, 3], [2, 2]]}\n");
  const hn_lookup *f = table_of(model, 0), *low = table_of(model, 1), *side = table_of(model, 2);
  assert_int_equal(f->arguments, 2);
  assert_int_equal(low->arguments, 1);
  for (double at = -1; at < 6; at += 0.13) {
    check_near(hn_lookup_value(f, at, -1), hn_lookup_value(low, at, 0), 1e-12);
    check_near(hn_lookup_value(f, 1, at - 2), hn_lookup_value(side, at - 2, 0), 1e-12);
  }
  // continuous with two derivatives where patches meet
  hn_partials a, b;
  const double e = 1e-9;
  for (double y = -2; y < 3; y += 0.31) {
    hn_lookup_partials(f, 3 - e, y, &a);
    hn_lookup_partials(f, 3 + e, y, &b);
    check_near(a.x, b.x, 1e-6);
    check_near(a.xx, b.xx, 1e-6);
    check_near(a.xy, b.xy, 1e-6);
    check_near(a.yy, b.yy, 1e-6);
  }
  hn_model_free(model);
}

static void check_differences(const hn_lookup *f, double x, double y) {
  const double h = 1e-5;
  hn_partials at, right, left, up, down;
  hn_lookup_partials(f, x, y, &at);
  const double vr = hn_lookup_partials(f, x + h, y, &right),
               vl = hn_lookup_partials(f, x - h, y, &left);
  const double vu = hn_lookup_partials(f, x, y + h, &up),
               vd = hn_lookup_partials(f, x, y - h, &down);
  check_near(at.x, (vr - vl) / (2 * h), 1e-7);
  check_near(at.y, (vu - vd) / (2 * h), 1e-7);
  check_near(at.xx, (right.x - left.x) / (2 * h), 1e-7);
  check_near(at.xy, (right.y - left.y) / (2 * h), 1e-7);
  check_near(at.yy, (up.y - down.y) / (2 * h), 1e-7);
  check_near(at.xxx, (right.xx - left.xx) / (2 * h), 1e-6);
  check_near(at.xxy, (up.xx - down.xx) / (2 * h), 1e-6);
  check_near(at.xyy, (right.yy - left.yy) / (2 * h), 1e-6);
  check_near(at.yyy, (up.yy - down.yy) / (2 * h), 1e-6);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  static const char *const kinds[] = {"spline", "linear", "monotone", "akima"};
  for (int k = 0; k < 4; k++)
    for (int hold = 0; hold < 2; hold++) {
      char text[400];
      snprintf(
          text, sizeof text,
          "  f: {x: [0, 1, 3, 4], y: [-1, 0, 2], values: [1, 4, 2, 7, 0, 3, 5, 1, 2, 2, 8, 6], "
          "interpolation: %s, outside: %s}\n",
          kinds[k], hold ? "hold" : "tangent");
      hn_model *model = load_tables(text);
      const double places[][2] = {{0.3, 0.7}, {2.1, -0.4}, {-0.8, 0.6}, {5.3, 2.9}, {3.3, -1.7}};
      for (int i = 0; i < 5; i++) check_differences(table_of(model, 0), places[i][0], places[i][1]);
      if (hold) {
        check_near(hn_lookup_value(table_of(model, 0), 9, 9), 6, 1e-14);
        check_near(hn_lookup_value(table_of(model, 0), -9, -9), 1, 1e-14);
      }
      hn_model_free(model);
    }
}

// x y is what every kind of table gives exactly, also beyond its ends.
static void products_are_met_exactly(void **state) {
  (void)state;
  static const char *const kinds[] = {"spline", "linear", "monotone", "akima"};
  for (int k = 0; k < 4; k++) {
    char text[300];
    snprintf(text, sizeof text,
             "  f: {x: [0, 1, 3], y: [-1, 2], values: [0, -1, -3, 0, 2, 6], interpolation: %s}\n",
             kinds[k]);
    hn_model *model = load_tables(text);
    for (double x = -1; x < 5; x += 0.37)
      for (double y = -3; y < 4; y += 0.41)
        check_near(hn_lookup_value(table_of(model, 0), x, y), x * y, 1e-12);
    hn_model_free(model);
  }
}

static void laws_call_tables(void **state) {
  (void)state;
  hn_model *model =
      load_text(WHEEL "tables:\n"
                      "  f: {x: [0, 1, 3], y: [-1, 2], values: [0, -1, -3, 0, 2, 6]}\n"
                      "  g: {table: [[0 rpm, 0], [60 rpm, 1]]}\n"
                      "forces:\n"
                      "  a: {type: joint-spring-damper, joint: pin, law: 'f(x, 2*v) + g(t)'}\n"
                      "outputs: {o: 'f(joint.pin.angle, 2)'}\n");
  const double at[3] = {0.7, 0.4, 3};
  double gradient[3];
  const double value = hn_law_evaluate_many(model->forces[0].of_xvt, at, gradient);
  const double turn = 2 * acos(-1.0); // 60 rpm
  check_near(value, 0.7 * 0.8 + 3 / turn, 1e-12);
  check_near(gradient[0], 0.8, 1e-12);
  check_near(gradient[1], 1.4, 1e-12);
  check_near(gradient[2], 1 / turn, 1e-12);
  hn_model_free(model);
}

static void maps_come_from_files(void **state) {
  (void)state;
  hn_model *model = load_tables("  f: {map: map.csv}\n");
  check_near(hn_lookup_value(table_of(model, 0), 3, 2), 6, 1e-14);
  check_near(hn_lookup_value(table_of(model, 0), 1, -1), -1, 1e-14);
  hn_model_free(model);
}

static void refuse(const char *table, const char *part) {
  char text[1000];
  snprintf(text, sizeof text, WHEEL "tables:\n  f: %s\n", table);
  refuse_text(text, 6, part);
}

static void what_is_wrong_is_told(void **state) {
  (void)state;
  refuse("{x: [0, 1], y: [0, 1], values: [1, 2, 3]}", "3 2");
  refuse("{x: [1, 0], y: [0, 1], values: [1, 2, 3, 4]}", "'f'");
  refuse("{x: [0, 1]}", "'f'");
  refuse("{interpolation: linear}", "'f' `table:`");
  refuse("{x: [0, 1], y: [0, 1], values: [1, 2, 3, 4], periodic: true}", "'f'");
  refuse_text(WHEEL "tables:\n  f: {table: [[0, 1], [1, 2]]}\n"
                    "forces:\n  a: {type: joint-spring-damper, joint: pin, force: 'f(x, 1)'}\n",
              8, "1 2");
  refuse_text(WHEEL "forces:\n  a: {type: joint-spring-damper, joint: pin, force: 'f(x)'}\n", 6,
              "'f'");
}

// ---- components ---------------------------------------------------------------------------------

static void inputs_of_components_follow_formulas(void **state) {
  (void)state;
  hn_model *model =
      load_text(WHEEL "components:\n"
                      "  m: {use: fed.yaml, bodies: {wheel: wheel}, inputs: {u: 2*wanted}}\n"
                      "outputs: {wanted: 1 - m.turn}\n");
  assert_int_equal(hn_model_input_count(model), 0);
  assert_int_equal(hn_model_state_count(model), 1);
  hn_model_free(model);
  refuse_text(WHEEL "components:\n"
                    "  m: {use: fed.yaml, bodies: {wheel: wheel}, inputs: {w: 1}}\n",
              6, "'w'");
  refuse_text(WHEEL "components:\n"
                    "  m: {use: fed.yaml, bodies: {wheel: wheel}, inputs: {u: m.twice}}\n",
              6, "'m.push' 'twice'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_map_is_the_product_of_splines),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(products_are_met_exactly),
      cmocka_unit_test(laws_call_tables),
      cmocka_unit_test(maps_come_from_files),
      cmocka_unit_test(what_is_wrong_is_told),
      cmocka_unit_test(inputs_of_components_follow_formulas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
