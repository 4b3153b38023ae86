// Bodies that are very light next to others: right in trees, rejected by name in loops.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/analysis.h"
#include "holon/load.h"
#include "holon/results.h"
#include "support/check.h"

static const char *const SETS[] = {"cartesian", "relative", "natural"};

static const char TREE[] =
    "parameters: {ml: %.17g}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  one: {mass: 1, center: [0.5, 0, 0], inertia: [0.001, 1/12, 1/12]}\n"
    "  two: {mass: ml, center: [1.5, 0, 0], inertia: [ml*0.001, ml/12, ml/12]}\n"
    "joints:\n"
    "  p: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: y}\n"
    "  q: {type: revolute, bodies: [one, two], at: [1, 0, 0], axis: y}\n";

static const char SINGLE[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {one: {mass: 1, center: [0.5, 0, 0], inertia: [0.001, 1/12, 1/12]}}\n"
    "joints: {p: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: y}}\n";

static const char LOOP[] =
    "parameters: {ml: %.17g}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  crank: {mass: 1, center: [0, 0, 0.5], inertia: [0.08, 0.08, 0.01]}\n"
    "  rod: {mass: ml, center: [1, 0, 1.25], inertia: [ml/100, ml/3, ml/3]}\n"
    "  rocker: {mass: 1, center: [2, 0, 0.75], inertia: [0.2, 0.2, 0.01]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y, initial: {angle_rate: "
    "1}}\n"
    "  b: {type: revolute, bodies: [crank, rod], at: [0, 0, 1], axis: y}\n"
    "  c: {type: spherical, bodies: [rod, rocker], at: [2, 0, 1.5]}\n"
    "  d: {type: revolute, bodies: [ground, rocker], at: [2, 0, 0], axis: y}\n";

// `yaml` has one place for the mass, or none.
static hn_status run(const char *yaml, double mass, const char *coordinates, double *angle,
                     hn_error *error) {
  char text[2048];
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.tol = 1e-8;
  snprintf(text, sizeof text, yaml, mass);
  check_ok(hn_model_load_text(text, strlen(text), "text.yaml", NULL, &model, NULL));
  hn_status status = hn_simulation_create(model, &options, &s, error);
  if (status == HN_OK) {
    status = hn_simulation_advance(s, 0.4);
    if (status != HN_OK) *error = *hn_simulation_error(s);
    const char *signal = yaml == LOOP ? "joint.a.angle" : "joint.p.angle";
    check_ok(hn_simulation_value(s, signal, angle));
    hn_simulation_free(s);
  }
  hn_model_free(model);
  return status;
}

static void trees_carry_any_ratio(void **state) {
  (void)state;
  hn_error error;
  double alone = 0, angle = 0;
  check_ok(run(SINGLE, 0, "relative", &alone, &error));
  for (int k = 0; k < 3; k++) {
    // what weighs nothing changes nothing
    check_ok(run(TREE, k == 2 ? 1e-8 : 1e-12, SETS[k], &angle, &error));
    check_near(angle, alone, 2e-7);
  }
  assert_int_equal(run(TREE, 1e-12, "natural", &angle, &error), HN_ERROR_MODEL);
  check_names(error.element, "'two'");
  check_names(error.hint, "relative");
}

static void loops_name_a_body_that_is_too_light(void **state) {
  (void)state;
  hn_error error;
  double light = 0, lighter = 0, angle = 0;
  for (int k = 0; k < 3; k++) {
    check_ok(run(LOOP, 1e-5, SETS[k], &light, &error));
    check_ok(run(LOOP, 1e-6, SETS[k], &lighter, &error));
    check_near(light, lighter, 1e-4); // both nearly that of a rod massless
    const double wrong[] = {1e-8, 1e-12, 1e7, 1e12};
    for (int i = 0; i < 4 && k != 1; i++) {
      assert_int_equal(run(LOOP, wrong[i], SETS[k], &angle, &error), HN_ERROR_MODEL);
      check_names(error.element, wrong[i] < 1 ? "'rod'" : "'crank'");
      check_names(error.message, wrong[i] < 1 ? "'crank'" : "'rod'");
    }
  }
}

// Relative coordinates keep the digits of light bodies: below some mass the motion is that of none.
static void relative_coordinates_carry_light_bodies_in_loops(void **state) {
  (void)state;
  hn_error error;
  double light = 0, angle = 0, heavy = 0;
  check_ok(run(LOOP, 1e-6, "relative", &light, &error));
  check_ok(run(LOOP, 1e6, "relative", &heavy, &error));
  const double ratio[] = {1e-8, 1e-12, 1e7, 1e12};
  for (int i = 0; i < 4; i++) {
    check_ok(run(LOOP, ratio[i], "relative", &angle, &error));
    check_near(angle, ratio[i] < 1 ? light : heavy, 1e-4);
  }
}

// Of several bodies that are too light, the one with the least ratio is named, in any order.
static void the_worst_ratio_is_named(void **state) {
  (void)state;
  static const double masses[][4] = {
      {1, 1e-10, 1, 1e-12}, {1e-12, 1, 1e-10, 1}, {1e-10, 1, 1e-12, 1}, {1, 1e-12, 1, 1e-10}};
  static const char *const names[] = {"'a'", "'b'", "'c'", "'d'"};
  for (int k = 0; k < 4; k++) {
    char text[1024];
    int worst = 0;
    size_t used = (size_t)snprintf(text, sizeof text, "bodies:\n");
    for (int b = 0; b < 4; b++) {
      used += (size_t)snprintf(text + used, sizeof text - used,
                               "  %c: {mass: %g, center: [%g, 0, 0], inertia: [%g, %g, %g]}\n",
                               'a' + b, masses[k][b], b + 0.5, masses[k][b] / 12, masses[k][b] / 12,
                               masses[k][b] / 12);
      if (masses[k][b] < masses[k][worst]) worst = b;
    }
    snprintf(text + used, sizeof text - used,
             "joints:\n"
             "  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}\n"
             "  q: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: y}\n"
             "  r: {type: revolute, bodies: [b, c], at: [2, 0, 0], axis: y}\n"
             "  s: {type: revolute, bodies: [c, d], at: [3, 0, 0], axis: y}\n");
    double angle;
    hn_error error;
    check_status(run(text, 0, "natural", &angle, &error), HN_ERROR_MODEL);
    check_names(error.element, names[worst]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_carry_any_ratio),
      cmocka_unit_test(loops_name_a_body_that_is_too_light),
      cmocka_unit_test(the_worst_ratio_is_named),
      cmocka_unit_test(relative_coordinates_carry_light_bodies_in_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
