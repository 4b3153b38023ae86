// A model far from the origin moves like the same model at the origin.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/analysis.h"
#include "holon/load.h"
#include "holon/results.h"
#include "support/check.h"

static const char *const SETS[] = {"cartesian", "relative", "natural"};

// A pendulum with a second rod on a distance joint, a spring and a driver to ground.
static hn_simulation *make(double x, double z, const char *coordinates, double tol,
                           hn_model **model) {
  char text[2048];
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *simulation = NULL;
  snprintf(text, sizeof text,
           "parameters: {X: %.17g, Z: %.17g}\n"
           "gravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  one: {mass: 1, center: [X + 0.5, 0, Z], inertia: [0.001, 0.0833, 0.0833]}\n"
           "  two: {mass: 1, center: [X + 1.5, 0, Z], inertia: [0.001, 0.0833, 0.0833],\n"
           "        markers: {tip: [X + 2, 0, Z]}}\n"
           "  ram: {mass: 2, center: [X, 1, Z], inertia: [0.1, 0.1, 0.1]}\n"
           "joints:\n"
           "  p: {type: revolute, bodies: [ground, one], at: [X, 0, Z], axis: y}\n"
           "  q: {type: distance, bodies: [one, two], points: [[X + 1, 0, Z], [X + 1.25, 0, Z]]}\n"
           "  s: {type: translational, bodies: [ground, ram], at: [X, 1, Z], axis: z}\n"
           "forces:\n"
           "  k: {type: spring-damper, bodies: [ground, two], points: [[X + 2, 0, Z + 1], [X + 2, "
           "0, Z]],\n"
           "      stiffness: 20, free_length: 1}\n"
           "drivers: {d: {joint: s, motion: 0.1*sin(3*t)}}\n",
           x, z);
  options.coordinates = coordinates;
  options.tol = tol;
  check_ok(hn_model_load_text(text, strlen(text), "text.yaml", NULL, model, NULL));
  check_ok(hn_simulation_create(*model, &options, &simulation, NULL));
  return simulation;
}

static double value(hn_simulation *simulation, const char *signal) {
  double number = NAN;
  check_ok(hn_simulation_value(simulation, signal, &number));
  return number;
}

// Points that are drawn at X have their rounding, 2e-9 m at 1e7 m.
static void ten_thousand_kilometres_change_nothing(void **state) {
  (void)state;
  const double tolerances[] = {1e-6, 1e-8};
  for (size_t k = 0; k < sizeof SETS / sizeof SETS[0]; k++)
    for (int i = 0; i < 2; i++) {
      hn_model *here, *there;
      hn_simulation *a = make(0, 0, SETS[k], tolerances[i], &here);
      hn_simulation *b = make(1e7, -4e6, SETS[k], tolerances[i], &there);
      check_near(value(b, "body.one.position.x"), 1e7 + 0.5, 4e-9);
      check_near(value(b, "marker.two.tip.position.z"), -4e6, 1e-9);
      check_near(value(b, "energy.potential"), -4 * 9.81 * 4e6, 1e-6 * 4 * 9.81);
      check_ok(hn_simulation_advance(a, 1));
      check_ok(hn_simulation_advance(b, 1));
      check_near(value(b, "joint.p.angle"), value(a, "joint.p.angle"), 200 * tolerances[i] + 1e-7);
      check_near(value(b, "body.two.position.x") - 1e7, value(a, "body.two.position.x"),
                 200 * tolerances[i] + 1e-7);
      check_near(value(b, "body.ram.position.z") + 4e6, 0.1 * sin(3), 1e-8);
      check_near(value(b, "joint.p.reaction.force.z"), value(a, "joint.p.reaction.force.z"),
                 2e4 * tolerances[i] + 1e-5);
      hn_body_motion motion;
      check_ok(hn_simulation_body_motion(b, 1, &motion));
      check_near(motion.position.x, value(b, "body.one.position.x"), 0);
      long steps = hn_simulation_certificate(b).steps_accepted;
      assert_true(steps < 2 * hn_simulation_certificate(a).steps_accepted);
      hn_simulation_free(a);
      hn_simulation_free(b);
      hn_model_free(here);
      hn_model_free(there);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_thousand_kilometres_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
