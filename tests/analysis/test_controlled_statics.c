// Equilibria of machines that a controller holds: its force acts on one body by where another is, so
// that the stiffness is not symmetric. A pole on a cart is upright over x = 0 in its only equilibrium
// near. Whether it stays there speeds decide, which stiffness does not see: with the sign of their gains
// turned the sum of the eigenvalues is positive.
#include <math.h>

#include "formats/loading.h"
#include "holon/analysis.h"
#include "holon/simulation.h"

#define MACHINE(speeds)                                                                            \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies:\n  cart: {mass: 1, center: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                   \
  "  pole: {mass: 0.2, center: [0, 0, 0.4], inertia: [0.011, 0.011, 0.0001]}\n"                    \
  "joints:\n"                                                                                      \
  "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x, initial: "        \
  "{displacement: 0.2}}\n"                                                                         \
  "  pivot: {type: revolute, bodies: [cart, pole], at: [0, 0, 0], axis: y, initial: {angle: 8 "    \
  "deg}}\n"                                                                                        \
  "forces:\n  motor: {type: point-force, body: cart, at: [0, 0, 0], force: "                       \
  "['28*joint.pivot.angle + 3*joint.rail.displacement + " speeds "', 0, 0]}\n"

static hn_statics_report rest(const char *text) {
  hn_model *model = load_text(text);
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_statics_report report;
  double angle, x;
  if (hn_simulation_create(model, NULL, &s, &error)) fail_msg("%s", error.message);
  check_ok(hn_simulation_equilibrium(s, NULL, &report));
  check_ok(hn_simulation_value(s, "joint.pivot.angle", &angle));
  check_ok(hn_simulation_value(s, "joint.rail.displacement", &x));
  check_near(angle, 0, 1e-10);
  check_near(x, 0, 1e-10);
  hn_simulation_free(s);
  hn_model_free(model);
  return report;
}

static void a_controller_finds_its_equilibrium(void **state) {
  (void)state;
  const hn_statics_report report =
      rest(MACHINE("5.5*joint.pivot.angle_rate + 4*joint.rail.displacement_rate"));
  assert_true(report.stable);
}

static void speeds_decide_whether_it_is_stable(void **state) {
  (void)state;
  assert_false(
      rest(MACHINE("(-5.5)*joint.pivot.angle_rate - 4*joint.rail.displacement_rate")).stable);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_controller_finds_its_equilibrium),
      cmocka_unit_test(speeds_decide_whether_it_is_stable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
