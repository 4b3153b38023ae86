// States of laws in every method: the same motion, orders of convergence, stiff states, saved states
// with the same bits, equilibria.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/loading.h"
#include "holon/analysis.h"
#include "holon/simulation.h"

typedef struct combination {
  const char *method, *formula, *independent;
  double order; // of positions and states
} combination;

static const combination combinations[] = {
    {"first-order", "dopri5", "none", 5},
    {"first-order", "sdirk2", "none", 2},
    {"first-order", "sdirk4-15", "none", 4},
    {"first-order", "sdirk4-16", "partition", 4},
    {"first-order", "sdirk4-15", "tangent-plane", 4},
    {"first-order", "rosenbrock", "none", 3},
    {"first-order", "rosenbrock", "partition", 3},
    {"first-order", "rosenbrock", "tangent-plane", 3},
    {"descriptor", "trapezoidal", "none", 2},
    {"descriptor", "newmark", "none", 1},
    {"descriptor", "hht", "none", 2},
    {"descriptor", "generalized-alpha", "partition", 2},
    {"descriptor", "sdirk4-15", "none", 4},
    {"descriptor", "sdirk4-15", "tangent-plane", 4},
    {"state-space", "trapezoidal", "partition", 2},
    {"state-space", "hht", "tangent-plane", 2},
    {"state-space", "sdirk4-15", "partition", 4},
    {"augmented-lagrangian-3", "trapezoidal", "none", 2},
    {"augmented-lagrangian-3", "hht", "none", 2},
    {"augmented-lagrangian-1", "sdirk2", "none", 2},
    {"augmented-lagrangian-1", "trapezoidal", "none", 2},
    {"augmented-lagrangian-1", "generalized-alpha", "none", 2},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };
static const char *const sets[] = {"cartesian", "natural", "relative"};

// A pendulum on a cart that a motor pushes: its current follows both bodies, a filter the current,
// and the motor's force, a point force and a torque follow the states. Nothing of it is linear.
static const char machine[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  cart: {mass: 1.5, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "  rod: {mass: 0.4, center: [0, 0, -0.5], inertia: [0.03, 0.03, 0.001]}\n"
    "joints:\n"
    "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
    "  pin: {type: revolute, bodies: [cart, rod], at: [0, 0, 0], axis: y, initial: {angle: 0.6}}\n"
    "states:\n"
    "  current: {rate: '8*(1.5*sin(joint.pin.angle) + cos(2*t) - current - "
    "0.4*joint.rail.displacement_rate - 0.1*current^3)', initial: 0.3}\n"
    "  slow: {rate: '(state.current*body.rod.position.z - slow)/0.3 + "
    "0.2*joint.pin.angle_rate', initial: -0.2}\n"
    "forces:\n"
    "  motor: {type: joint-spring-damper, joint: rail, stiffness: 3, damping: 0.4, actuator: "
    "'4*state.current + state.slow^2'}\n"
    "  pull: {type: point-force, body: rod, at: [0, 0, -1], force: ['0.3*state.slow', 0, "
    "'0.2*state.current*state.slow']}\n"
    "  twist: {type: torque, joint: pin, torque: '0.5*state.slow - 0.1*joint.pin.angle_rate'}\n"
    "outputs: {x: joint.rail.displacement, angle: joint.pin.angle, current: state.current, slow: "
    "state.slow}\n";

static hn_simulation *start(const hn_model *model, const char *coordinates, const combination *c,
                            double tolerance, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = c->method;
  options.formula = c->formula;
  options.independent = c->independent;
  options.tol = tolerance;
  options.step = step;
  hn_simulation *s = NULL;
  hn_error error = {0};
  if (hn_simulation_create(model, &options, &s, &error))
    fail_msg("%s %s %s: %s", coordinates, c->method, c->formula, error.message);
  return s;
}

static void end_of(const hn_model *model, const char *coordinates, const combination *c,
                   double tolerance, double step, double end, double out[4]) {
  hn_simulation *s = start(model, coordinates, c, tolerance, step);
  if (hn_simulation_advance(s, end))
    fail_msg("%s %s %s: %s", coordinates, c->method, c->formula, hn_simulation_error(s)->message);
  for (int k = 0; k < 4; k++) out[k] = hn_simulation_signal(s, k);
  hn_simulation_free(s);
}

static double distance(const double a[4], const double b[4]) {
  double most = 0;
  for (int k = 0; k < 4; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

static void all_methods_converge_with_their_order(void **state) {
  (void)state;
  hn_model *model = load_text(machine);
  double reference[4];
  end_of(model, "relative", &combinations[0], 1e-12, 0, 0.8, reference);
  for (int set = 0; set < 3; set++)
    for (int k = 1; k < COMBINATIONS; k++) {
      const combination *c = &combinations[k];
      const double h = c->order > 3.5 ? 0.04 : 0.01;
      double coarse[4], fine[4];
      end_of(model, sets[set], c, 1e-9, h, 0.8, coarse);
      end_of(model, sets[set], c, 1e-9, h / 2, 0.8, fine);
      const double order = log2(distance(coarse, reference) / distance(fine, reference));
      if (!(order > c->order - 0.4) || !(distance(fine, reference) < (c->order < 2 ? 2e-2 : 2e-4)))
        fail_msg("%s %s %s %s: order %.2f, error %.2g", sets[set], c->method, c->formula,
                 c->independent, order, distance(fine, reference));
    }
  hn_model_free(model);
}

static void error_control_keeps_the_tolerance_in_states(void **state) {
  (void)state;
  static const combination few[] = {{"first-order", "sdirk4-15", "none", 4},
                                    {"first-order", "rosenbrock", "partition", 3},
                                    {"descriptor", "sdirk4-15", "none", 4},
                                    {"state-space", "sdirk4-15", "partition", 4},
                                    {"multi-index", "trapezoidal", "none", 2}};
  hn_model *model = load_text(machine);
  double reference[4], end[4];
  end_of(model, "relative", &combinations[0], 1e-12, 0, 0.8, reference);
  for (int k = 0; k < 5; k++) {
    const double tolerance = k < 4 ? 1e-7 : 1e-5;
    end_of(model, k < 4 ? "cartesian" : "natural", &few[k], tolerance, 0, 0.8, end);
    if (!(distance(end, reference) < 100 * tolerance))
      fail_msg("%s %s: error %.2g", few[k].method, few[k].formula, distance(end, reference));
  }
  hn_model_free(model);
}

// Rosenbrock formulas have their order with exact derivatives only. Laws of coordinates of joints: of a
// force that turns with its body, of a torque, of a spring on another joint.
static void laws_of_coordinates_have_exact_derivatives(void **state) {
  (void)state;
  static const combination rosenbrock = {"first-order", "rosenbrock", "none", 3};
  hn_model *model = load_text(
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  cart: {mass: 1.5, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "  rod: {mass: 0.4, center: [0, 0, -0.5], inertia: [0.03, 0.03, 0.01]}\n"
      "  tip: {mass: 0.3, center: [0, 0.2, -1], inertia: [0.02, 0.01, 0.02]}\n"
      "joints:\n"
      "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
      "  pin: {type: revolute, bodies: [cart, rod], at: [0, 0, 0], axis: y, initial: {angle: "
      "0.6}}\n"
      "  end: {type: revolute, bodies: [rod, tip], at: [0, 0, -1], axis: x}\n"
      "forces:\n"
      "  push: {type: point-force, body: tip, at: [0.1, 0.3, -1], following: true, force: "
      "['-8*joint.rail.displacement - joint.pin.angle_rate', '2*joint.pin.angle*joint.end.angle', "
      "'-3*joint.end.angle_rate']}\n"
      "  twist: {type: torque, body: rod, torque: [0, '-9*joint.pin.angle*joint.rail.displacement "
      "- "
      "joint.rail.displacement_rate', '4*joint.end.angle']}\n"
      "  spring: {type: joint-spring-damper, joint: rail, law: '20*x + 9*sin(joint.pin.angle) + "
      "joint.end.angle_rate'}\n"
      "outputs: {x: joint.rail.displacement, a: joint.pin.angle, b: joint.end.angle, v: "
      "joint.pin.angle_rate}\n");
  double reference[4], coarse[4], fine[4];
  end_of(model, "relative", &combinations[0], 1e-12, 0, 0.8, reference);
  for (int set = 0; set < 3; set++) {
    end_of(model, sets[set], &rosenbrock, 1e-9, 0.01, 0.8, coarse);
    end_of(model, sets[set], &rosenbrock, 1e-9, 0.005, 0.8, fine);
    const double order = log2(distance(coarse, reference) / distance(fine, reference));
    if (!(order > 2.6) || !(distance(fine, reference) < 2e-4))
      fail_msg("%s: order %.2f, error %.2g", sets[set], order, distance(fine, reference));
  }
  hn_model_free(model);
}

// A state of 1 us, and a stiff spring that acts through it: steps are those of the motion.
static void stiff_states_do_not_hold_the_step(void **state) {
  (void)state;
  static const combination few[] = {{"first-order", "sdirk4-15", "none", 4},
                                    {"first-order", "rosenbrock", "none", 3},
                                    {"descriptor", "sdirk4-15", "none", 4},
                                    {"state-space", "sdirk4-15", "partition", 4},
                                    {"auto", "auto", "auto", 4}};
  hn_model *model = load_text(
      "bodies:\n  cart: {mass: 2, inertia: [1, 1, 1]}\n"
      "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
      "states:\n  force: {rate: '1e6*(-200*(joint.rail.displacement - sin(2*t)) - "
      "40*joint.rail.displacement_rate - force)'}\n"
      "forces:\n  motor: {type: torque, joint: rail, torque: state.force}\n"
      "outputs: {x: joint.rail.displacement, f: state.force}\n");
  // x'' + 20 x' + 100 x = 100 sin 2t, but for 1e-5
  const double t = 3, a = 100 / (96.0 * 96 + 40 * 40), rest = 40 * a * exp(-10 * t);
  for (int k = 0; k < 5; k++) {
    hn_simulation *s = start(model, "relative", &few[k], 1e-6, 0);
    check_ok(hn_simulation_advance(s, t));
    check_near(hn_simulation_signal(s, 0), a * (96 * sin(2 * t) - 40 * cos(2 * t)) + rest, 2e-5);
    const hn_certificate c = hn_simulation_certificate(s);
    if (c.steps_accepted > (k < 4 ? 1500 : 3000))
      fail_msg("%s %s: %ld steps", few[k].method, few[k].formula, c.steps_accepted);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void a_saved_state_goes_on_with_the_same_bits_in_every_method(void **state) {
  (void)state;
  hn_model *model = load_text(machine);
  for (int set = 0; set < 3; set++)
    for (int k = 0; k < COMBINATIONS; k++) {
      const combination *c = &combinations[k];
      const double step = strncmp(c->method, "augmented", 9) == 0 ? 2e-3 : 0;
      hn_simulation *a = start(model, sets[set], c, 1e-4, step);
      hn_simulation *b = start(model, sets[set], c, 1e-4, step);
      check_ok(hn_simulation_advance(a, 0.1));
      size_t size = hn_simulation_save_size(a);
      void *buffer = malloc(size);
      assert_non_null(buffer);
      check_ok(hn_simulation_save(a, buffer, size));
      check_ok(hn_simulation_restore(b, buffer, size));
      free(buffer);
      check_ok(hn_simulation_advance(a, 0.2));
      check_ok(hn_simulation_advance(b, 0.2));
      for (int i = 0; i < 4; i++)
        if (hn_simulation_signal(a, i) != hn_simulation_signal(b, i))
          fail_msg("%s %s %s %s: %.17g is not %.17g", sets[set], c->method, c->formula,
                   c->independent, hn_simulation_signal(b, i), hn_simulation_signal(a, i));
      hn_simulation_free(a);
      hn_simulation_free(b);
    }
  hn_model_free(model);
}

// A hanging mass, lifted by a controller with an integral to its set point; a filter of its force.
static void states_rest_in_an_equilibrium(void **state) {
  (void)state;
  hn_model *model = load_text(
      "gravity: [0, 0, -10]\n"
      "bodies:\n  block: {mass: 2, inertia: [1, 1, 1]}\n"
      "joints:\n  guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: z}\n"
      "states:\n  sum: {rate: 0.3 - joint.guide.displacement}\n"
      "  seen: {rate: (joint.guide.displacement^2 - seen)/5}\n"
      "forces:\n  lift: {type: torque, joint: guide, torque: "
      "'50*(0.3 - joint.guide.displacement) - 5*joint.guide.displacement_rate + 8*state.sum'}\n");
  for (int set = 0; set < 3; set++) {
    static const combination any = {"auto", "auto", "auto", 0};
    hn_simulation *s = start(model, sets[set], &any, 1e-8, 0);
    check_ok(hn_simulation_equilibrium(s, NULL, NULL));
    check_near(hn_simulation_state(s, 0), 2.5, 1e-9);
    check_near(hn_simulation_state(s, 1), 0.09, 1e-9);
    check_ok(hn_simulation_advance(s, 0.5));
    check_near(hn_simulation_state(s, 0), 2.5, 1e-7);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void states_without_rest_are_named(void **state) {
  (void)state;
  hn_model *model = load_text(
      "bodies:\n  block: {mass: 2, inertia: [1, 1, 1]}\n"
      "joints:\n  guide: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: z}\n"
      "states:\n  clock: {rate: 1}\n"
      "forces:\n  hold: {type: joint-spring-damper, joint: guide, stiffness: 100}\n");
  static const combination any = {"auto", "auto", "auto", 0};
  hn_simulation *s = start(model, "relative", &any, 1e-6, 0);
  check_status(hn_simulation_equilibrium(s, NULL, NULL), HN_ERROR_CONVERGENCE);
  assert_string_equal(hn_simulation_error(s)->element, "state 'clock'");
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_methods_converge_with_their_order),
      cmocka_unit_test(error_control_keeps_the_tolerance_in_states),
      cmocka_unit_test(laws_of_coordinates_have_exact_derivatives),
      cmocka_unit_test(stiff_states_do_not_hold_the_step),
      cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits_in_every_method),
      cmocka_unit_test(states_rest_in_an_equilibrium),
      cmocka_unit_test(states_without_rest_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
