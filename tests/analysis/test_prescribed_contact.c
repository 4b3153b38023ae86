// Contacts whose approach joints and drivers prescribe, so that no impulse resists it. A run with
// time stepping ends when the contact closes, and names it. The same motion above the ground
// continues.
#include <stdio.h>

#include "analysis/simulation.h"
#include "holon/load.h"
#include "support/check.h"
#include "support/machines.h"

// A ball of radius 0.1 m on a vertical slide, 0.05 m above the ground.
static hn_status press(const char *motion, hn_error *error, double *reached) {
  static const char model[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ball: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.15], shape: {sphere: "
      "0.1}}\n"
      "  ground: {shape: {plane: {}}}\n"
      "joints: {guide: {type: translational, bodies: [ground, ball], at: [0, 0, 0.15], axis: z}}\n"
      "drivers: {push: {joint: guide, motion: %s}}\n"
      "contacts: {floor: {bodies: [ball, ground], friction: 0.3}}\n";
  char text[1024];
  hn_model *made = NULL;
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.step = 1e-3;
  snprintf(text, sizeof text, model, motion);
  check_ok(hn_model_load_text(text, strlen(text), "press.yaml", NULL, &made, error));
  check_ok(hn_simulation_create(made, &options, &s, error));
  const hn_status status = hn_simulation_advance(s, 1);
  *error = *hn_simulation_error(s);
  *reached = hn_simulation_time(s);
  hn_simulation_free(s);
  hn_model_free(made);
  return status;
}

static void a_body_driven_into_the_ground_is_named(void **state) {
  (void)state;
  hn_error error = {0};
  double reached;
  assert_int_equal(press("-0.1*t", &error, &reached), HN_ERROR_INCONSISTENT);
  check_names(error.element, "'floor'");
  check_names(error.message, "m/s");
  check_near(reached, 0.5, 2e-3); // 0.05 m at 0.1 m/s
}

static void a_body_driven_above_the_ground_moves_on(void **state) {
  (void)state;
  hn_error error = {0};
  double reached;
  assert_int_equal(press("-0.049*t", &error, &reached), HN_OK);
  check_near(reached, 1, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_body_driven_into_the_ground_is_named),
      cmocka_unit_test(a_body_driven_above_the_ground_moves_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
