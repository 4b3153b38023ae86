// Redundant constraints of rounded numbers: a pin of two points, one of which is a little off, closes
// as well as it can, with a warning that names the residual. Larger errors are rejected.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/holon.h"
#include "holon/load.h"
#include "support/check.h"

static const char bars[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  crank: {mass: 1, center: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01]}\n"
    "  coupler: {mass: 1, center: [0.5, 0, 1], inertia: [0.01, 0.1, 0.1]}\n"
    "  rocker: {mass: 1, center: [1, 0, 0.5], inertia: [0.1, 0.1, 0.01]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
    "  b: {type: revolute, bodies: [crank, coupler], at: [0, 0, 1], axis: y}\n"
    "  d: {type: revolute, bodies: [ground, rocker], at: [1, 0, 0], axis: y,\n"
    "      initial: {angle_rate: 1}}\n"
    "  left: {type: spherical, bodies: [coupler, rocker], at: [1, -0.1, 1]}\n"
    "  right: {type: spherical, bodies: [coupler, rocker],\n"
    "          points: [[1, 0.1, 1], [%.17g, 0.1, 1]]}\n";

static hn_status make(double off, hn_model **model, hn_simulation **simulation, hn_error *error) {
  char text[2048];
  snprintf(text, sizeof text, bars, 1 + off);
  check_ok(hn_model_load_text(text, strlen(text), "text.yaml", NULL, model, error));
  hn_simulation_options options = hn_default_simulation_options();
  options.step = 1e-3;
  return hn_simulation_create(*model, &options, simulation, error);
}

static int is_warned(const hn_simulation *simulation) {
  int found = 0;
  for (int k = 0; k < hn_simulation_warning_count(simulation); k++)
    found |= strstr(hn_simulation_warning(simulation, k)->message, "contradict each other by") != 0;
  return found;
}

static void small_contradictions_are_warned_about(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  check_ok(make(3e-9, &model, &simulation, &error));
  assert_true(is_warned(simulation));
  check_ok(hn_simulation_advance(simulation, 1));
  double angle = 0, exact = 0;
  check_ok(hn_simulation_value(simulation, "joint.d.angle", &angle));
  hn_simulation_free(simulation);
  hn_model_free(model);
  check_ok(make(0, &model, &simulation, &error));
  assert_false(is_warned(simulation));
  check_ok(hn_simulation_advance(simulation, 1));
  check_ok(hn_simulation_value(simulation, "joint.d.angle", &exact));
  check_near(angle, exact, 1e-6);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void large_ones_are_rejected(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  assert_int_equal(make(1e-5, &model, &simulation, &error), HN_ERROR_ASSEMBLY);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_contradictions_are_warned_about),
      cmocka_unit_test(large_ones_are_rejected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
