// Breakpoints of formulas: located, evaluated on one side, and located in a run.
#include <math.h>

#include "holon/holon.h"
#include "math/law_private.h"
#include "support/check.h"

static hn_law *law_of_t(const char *text) {
  const char *const t = "t";
  hn_law *law = NULL;
  check_ok(hn_law_expression(text, &t, 1, NULL, &law, NULL));
  return law;
}

static void check_kinks(const char *text, const double *expected, int count) {
  hn_law *law = law_of_t(text);
  if (hn_law_pieces(law) != count + 1)
    fail_msg("'%s' has %d kinks, not %d", text, hn_law_pieces(law) - 1, count);
  for (int k = 0; k < count; k++)
    check_near(hn_law_kink(law, k + 1), expected[k], 4e-16 * (fabs(expected[k]) + 1e-12));
  hn_law_free(law);
}
#define CHECK_KINKS(text, ...)                                                                     \
  check_kinks(text, (const double[]){__VA_ARGS__},                                                 \
              (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

static void smooth_formulas_have_no_kinks(void **state) {
  (void)state;
  check_kinks("33*t^2*exp(-t) + sin(2*pi*t)", NULL, 0);
  check_kinks("7", NULL, 0);
  check_kinks("step(t - 3)*0 + t", NULL, 0); // switches, and nothing comes of it
  check_kinks("t^2 if t < 1 else t*t", NULL, 0);
}

// Rows without end have their breakpoints near 0, on both sides: x + atan2(-0.482, x) is below -2 from
// -0.2641483... on.
static void rows_below_zero_are_listed_from_zero(void **state) {
  (void)state;
  hn_law *law = law_of_t("ceil(t + atan2(-0.482, t))");
  check_near(hn_law_evaluate(law, -1, -0.0541).value, -1, 0);
  check_near(hn_law_evaluate(law, -1, -30.5).value, -33, 0);
  const double kink = hn_law_kink(law, hn_law_piece(law, -0.1));
  check_near(kink + atan2(-0.482, kink), -2, 1e-15);
  hn_law_free(law);
}

static void affine_conditions_give_exact_kinks(void **state) {
  (void)state;
  CHECK_KINKS("100 if (t > 5 and t < 5.01) else 0", 5, 5.01);
  CHECK_KINKS("100*(step(t - 5) - step(t - 5.01))", 5, 5.01);
  CHECK_KINKS("abs(2*t - 3)", 1.5);
  CHECK_KINKS("sign(1 - t)", 1);
  CHECK_KINKS("min(t, 3 - t, 1)", 1, 2);
  CHECK_KINKS("0.1*max(0, t - 1)^3", 1);
  CHECK_KINKS("t^2 if not (t < 4) else 0", 4);
  CHECK_KINKS("1 if t == 5 else 0", 5);
  CHECK_KINKS("exp(-t) if t/7 >= 1e-6 else 2*t", 7e-6);
  CHECK_KINKS("1e3 if t > 1e9 and t < 1.001e9 else 0", 1e9, 1.001e9);
}

static void conditions_on_broken_lines_are_affine_piece_by_piece(void **state) {
  (void)state;
  CHECK_KINKS("max(0, 1 - abs(t - 5)/0.005)", 4.995, 5, 5.005);
  CHECK_KINKS("min(max(t - 1, 0), 2)", 1, 3);
  CHECK_KINKS("abs(abs(abs(t) - 4) - 1)", -5, -4, -3, 0, 3, 4, 5);
  CHECK_KINKS("1 if (t if t < 2 else 5 - t) > 1 else 0", 1, 4);
}

static void smooth_conditions_are_searched(void **state) {
  (void)state;
  CHECK_KINKS("1 if t^2 > 4 else 0", -2, 2);
  CHECK_KINKS("max(exp(t), 5)", log(5));
  CHECK_KINKS("1 if (t - 5)^2 < 2^-20 else 0", 5 - 0x1p-10, 5 + 0x1p-10); // between samples
  CHECK_KINKS("1 if t > 0 and log(t) < 1 else 0", 0, exp(1));
}

static void rows_without_end_are_complete_near_zero(void **state) {
  (void)state;
  const struct {
    const char *text;
    double first, spacing;
    int least;
  } rows[] = {{"floor(t)", 0, 1, 1000},
              {"ceil(2*t)", 0, 0.5, 1000},
              {"mod(t, 0.1)", 0, 0.1, 1000},
              {"1 if sin(2*pi*t) > 0 else 0", 0, 0.5, 1000},
              {"1 if sin(100*pi*t) > 0 else 0", 0, 0.01, 1000},
              {"abs(cos(pi*t))", 0.5, 1, 600}};
  for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
    hn_law *law = law_of_t(rows[i].text);
    assert_true(hn_law_pieces(law) <= HN_LAW_KINKS + 1);
    int from = hn_law_piece(law, -1e-9) + 1;
    if (hn_law_pieces(law) - from < rows[i].least)
      fail_msg("'%s' has only %d kinks above 0", rows[i].text, hn_law_pieces(law) - from);
    for (int k = 0; k < rows[i].least; k++)
      check_near(hn_law_kink(law, from + k), rows[i].first + k * rows[i].spacing,
                 1e-12 * (1 + k * rows[i].spacing));
    hn_law_free(law);
  }
}

// A train of pulses: breakpoints of the remainder and of the condition on it, alternating.
static void conditions_on_a_remainder_are_found_in_every_period(void **state) {
  (void)state;
  hn_law *law = law_of_t("5 if mod(t, 1) < 0.25 else 0");
  int from = hn_law_piece(law, -1e-9) + 1;
  assert_true(hn_law_pieces(law) - from > 800);
  for (int k = 0; k < 800; k++)
    check_near(hn_law_kink(law, from + k), k / 2 + (k % 2) * 0.25, 1e-12);
  hn_law_free(law);
}

// A single breakpoint is never dropped in favor of a periodic sequence.
static void a_fast_row_does_not_hide_a_late_pulse(void **state) {
  (void)state;
  const char *const texts[] = {"floor(1e6*t) + (100 if t > 5 and t < 5.01 else 0)",
                               "(1 if sin(1e5*t) > 0 else 0) + (100 if t > 5 and t < 5.01 else 0)",
                               "(100 if t > 5 and t < 5.01 else 0) + mod(t, 1e-3)"};
  for (int i = 0; i < 3; i++) {
    hn_law *law = law_of_t(texts[i]);
    int met = 0;
    for (int k = 1; k < hn_law_pieces(law); k++)
      met += hn_law_kink(law, k) == 5 || hn_law_kink(law, k) == 5.01;
    assert_int_equal(met, 2);
    hn_law_free(law);
  }
}

// ---- one-sided values ---------------------------------------------------------------------------

static void check_value(const hn_law *law, int piece, double x, double value, double d1, double d2,
                        double d3) {
  hn_law_value v = hn_law_evaluate(law, piece, x);
  check_near_many(((double[]){v.value, v.d1, v.d2, v.d3}), ((double[]){value, d1, d2, d3}), 4,
                  1e-12 * (1 + fabs(value) + fabs(d1) + fabs(d2)));
}

static void the_ends_of_a_piece_belong_to_it(void **state) {
  (void)state;
  hn_law *law = law_of_t("100 if (t > 5 and t < 5.01) else 0");
  check_value(law, 0, 5, 0, 0, 0, 0);
  check_value(law, 1, 5, 100, 0, 0, 0);
  check_value(law, 1, 5.01, 100, 0, 0, 0);
  check_value(law, 2, 5.01, 0, 0, 0, 0);
  check_value(law, -1, 5, 100, 0, 0, 0); // the piece that holds 5
  hn_law_free(law);
  law = law_of_t("1 if t == 5 else 0"); // a single point weighs nothing
  check_value(law, 0, 5, 0, 0, 0, 0);
  check_value(law, 1, 5, 0, 0, 0, 0);
  hn_law_free(law);
}

static void a_frozen_formula_goes_on_smoothly(void **state) {
  (void)state;
  hn_law *law = law_of_t("max(0, t - 1)^3");
  check_value(law, 0, 3, 0, 0, 0, 0);
  check_value(law, 1, 0, -1, 3, -6, 6);
  hn_law_free(law);
  law = law_of_t("t^3 if t < 2 else sin(t)");
  check_value(law, 0, 3, 27, 27, 18, 6);
  check_value(law, 1, 1, sin(1), cos(1), -sin(1), -cos(1));
  hn_law_free(law);
  law = law_of_t("mod(t, 2)*floor(t) + abs(t - 2.5) + ceil(t) + sign(t - 2.5)");
  int piece = hn_law_piece(law, 2.25); // t - 2, 2, 2.5 - t, 3, -1
  check_value(law, piece, 2, 0 + 0.5 + 3 - 1, 1, 0, 0);
  check_value(law, piece, 4, 4 - 1.5 + 3 - 1, 1, 0, 0);
  check_value(law, piece, 2.25, 0.5 + 0.25 + 3 - 1, 1, 0, 0);
  assert_true(isnan(hn_law_evaluate(law, piece, NAN).value));
  hn_law_free(law);
}

// Dry friction holds a mechanism at the jump itself, where the force is that of neither side.
static void jumps_over_speed_are_no_kinks(void **state) {
  (void)state;
  const char *const v = "v";
  hn_law *law;
  check_ok(hn_law_expression("2*sign(v) + abs(v - 1)", &v, 1, NULL, &law, NULL));
  assert_int_equal(hn_law_pieces(law), 2);
  check_near(hn_law_kink(law, 1), 1, 0);
  check_value(law, 0, 0, 1, -1, 0, 0);
  check_value(law, 0, 0.5, 2.5, -1, 0, 0);
  check_value(law, 0, -0.5, -0.5, -1, 0, 0);
  hn_law_free(law);
}

// Far away, where no breakpoints are listed, the formula still has its own values.
static void values_beyond_the_listed_kinks_are_right(void **state) {
  (void)state;
  hn_law *law = law_of_t("mod(t, 0.001)");
  for (int k = 0; k < 100; k++) {
    double x = 77.7 + 0.000123 * k, expected = fmod(x, 0.001);
    check_near(hn_law_evaluate(law, hn_law_piece(law, x), x).value, expected, 1e-15);
  }
  hn_law_free(law);
}

// ---- in a run -----------------------------------------------------------------------------------

static hn_model *free_body(void) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, (hn_vec3){0, 0, 0}));
  hn_body_def body = hn_default_body();
  body.name = "mass";
  body.mass = 1;
  for (int k = 0; k < 3; k++) body.inertia[k] = 1;
  check_ok(hn_model_add_body(model, &body, NULL));
  return model;
}

static hn_simulation *run(hn_model *model, double time) {
  check_ok(hn_model_finish(model));
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = 1e-6;
  hn_simulation *s = NULL;
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  check_ok(hn_simulation_advance(s, time));
  return s;
}

// 100 N for 0.01 s on 1 kg, in the middle of 10 s of rest.
static void a_short_pulse_is_not_lost(void **state) {
  (void)state;
  const char *const pulses[] = {
      "100 if (t > 5 and t < 5.01) else 0",    "100*(step(t - 5) - step(t - 5.01))",
      "100*min(step(t - 5), step(5.01 - t))",  "50*(sign(t - 5) - sign(t - 5.01))",
      "100*(abs(t - 5.005) < 0.005)",          "100 if floor(100*t) == 500 else 0",
      "max(0, 200*(1 - abs(t - 5.005)/0.005))"};
  for (int i = 0; i < 7; i++) {
    hn_model *model = free_body();
    hn_force_def push = hn_default_force(HN_FORCE_POINT_FORCE);
    push.name = "push";
    push.frame2 = hn_model_frame(model, 1, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
    push.component_law[0] = law_of_t(pulses[i]);
    check_ok(hn_model_add_force(model, &push, NULL));
    hn_simulation *s = run(model, 10);
    check_near(hn_simulation_velocities(s)[0], 1, 1e-9);
    check_near(hn_simulation_positions(s)[0], 10 - 5.005, 1e-9); // its middle is at 5.005 s
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

// At rest until 1 s, then 0.1 (t - 1)^3: the force is m xdd = 0.6 (t - 1).
static void a_driver_that_starts_late_is_followed(void **state) {
  (void)state;
  hn_model *model = free_body();
  hn_joint_def guide = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  guide.name = "guide";
  guide.frame1 = hn_model_frame(model, HN_GROUND, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
  guide.frame2 = hn_model_frame(model, 1, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
  int joint;
  check_ok(hn_model_add_joint(model, &guide, &joint));
  hn_driver_def driver = hn_default_driver(HN_DRIVER_JOINT);
  driver.name = "lift";
  driver.joint = joint;
  driver.coordinate = HN_COORDINATE_DISPLACEMENT;
  driver.law = law_of_t("0.1*max(0, t - 1)^3");
  check_ok(hn_model_add_driver(model, &driver, NULL));
  hn_simulation *s = run(model, 3);
  double z = 0.1 * 8, zd = 0.3 * 4, zdd = 0.6 * 2;
  check_near(fabs(hn_simulation_positions(s)[2]), z, 1e-12);
  check_near(fabs(hn_simulation_velocities(s)[2]), zd, 1e-12);
  check_near(fabs(hn_simulation_accelerations(s)[2]), zdd, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smooth_formulas_have_no_kinks),
      cmocka_unit_test(rows_below_zero_are_listed_from_zero),
      cmocka_unit_test(affine_conditions_give_exact_kinks),
      cmocka_unit_test(conditions_on_broken_lines_are_affine_piece_by_piece),
      cmocka_unit_test(smooth_conditions_are_searched),
      cmocka_unit_test(rows_without_end_are_complete_near_zero),
      cmocka_unit_test(conditions_on_a_remainder_are_found_in_every_period),
      cmocka_unit_test(a_fast_row_does_not_hide_a_late_pulse),
      cmocka_unit_test(the_ends_of_a_piece_belong_to_it),
      cmocka_unit_test(a_frozen_formula_goes_on_smoothly),
      cmocka_unit_test(jumps_over_speed_are_no_kinks),
      cmocka_unit_test(values_beyond_the_listed_kinks_are_right),
      cmocka_unit_test(a_short_pulse_is_not_lost),
      cmocka_unit_test(a_driver_that_starts_late_is_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
