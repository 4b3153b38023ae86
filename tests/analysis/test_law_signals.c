// Laws of signals: a force that reads signals has its value in every set of coordinates, with
// explicit and implicit formulas; signals that it cannot read are reported.
#include <math.h>
#include <string.h>

#include "formats/loading.h"
#include "holon/linear.h"
#include "holon/simulation.h"

// Two carts on rails, the second tied to the first by a law of signals alone: the same machine with a
// spring-damper between them has the same motion.
#define CART_BODIES                                                                                \
  "bodies:\n  a: {mass: 2, inertia: [1, 1, 1]}\n"                                                  \
  "  b: {mass: 1, inertia: [1, 1, 1], center: [1, 0, 0]}\n"                                        \
  "joints:\n  ra: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: x, "             \
  "initial: {displacement_rate: 1}}\n"                                                             \
  "  rb: {type: translational, bodies: [ground, b], at: [1, 0, 0], axis: x}\n"
#define CARTS CART_BODIES "outputs: {xa: joint.ra.displacement, xb: joint.rb.displacement}\n"

static const char *const by_signals = CARTS
    "forces:\n"
    "  on_a: {type: point-force, body: a, at: [0, 0, 0], force: ['40*(joint.rb.displacement - "
    "joint.ra.displacement) + 0.5*(body.b.velocity.x - body.a.velocity.x)', 0, 0]}\n"
    "  on_b: {type: joint-spring-damper, joint: rb, law: '40*(x - joint.ra.displacement) + "
    "0.5*(v - joint.ra.displacement_rate)'}\n";
static const char *const by_spring =
    CARTS "forces:\n  tie: {type: spring-damper, bodies: [a, b], points: [[0, 0, 0], [1, 0, 0]], "
          "stiffness: 40, free_length: 1, damping: 0.5}\n";

static void run(const char *text, const char *coordinates, const char *method, const char *formula,
                double out[2]) {
  hn_model *model = load_text(text);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = method;
  options.formula = formula;
  options.tol = 1e-9;
  hn_simulation *s;
  hn_error error = {0};
  if (hn_simulation_create(model, &options, &s, &error)) fail_msg("%s", error.message);
  check_ok(hn_simulation_advance(s, 2));
  for (int k = 0; k < 2; k++) out[k] = hn_simulation_signal(s, k);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void a_law_of_signals_is_the_spring_it_says(void **state) {
  (void)state;
  static const char *const sets[] = {"cartesian", "natural", "relative"};
  static const char *const ways[][2] = {
      {"first-order", "dopri5"}, {"first-order", "sdirk4-15"}, {"descriptor", "sdirk4-16"}};
  double expected[2], got[2];
  run(by_spring, "cartesian", "first-order", "dopri5", expected);
  for (int c = 0; c < 3; c++)
    for (int w = 0; w < 3; w++) {
      run(by_signals, sets[c], ways[w][0], ways[w][1], got);
      check_near_many(got, expected, 2, 1e-6);
    }
}

static void what_laws_cannot_read_is_told(void **state) {
  (void)state;
  refuse_text(CARTS
              "forces:\n  f: {type: torque, body: a, torque: [0, 0, body.b.acceleration.x]}\n",
              9, "'f'");
  refuse_text(CARTS "forces:\n  f: {type: torque, body: a, torque: [0, 0, joint.rb.angle]}\n", 9,
              "'angle'");
  refuse_text(CARTS "forces:\n  f: {type: torque, body: a, torque: [0, 0, joint.rc.angle]}\n", 9,
              "'f'");
  refuse_text(CARTS "drivers:\n  d: {joint: rb, motion: joint.ra.displacement}\n", 9, "'d'");
  refuse_text(CARTS "forces:\n  f: {type: joint-spring-damper, joint: rb, force: "
                    "joint.ra.displacement + body.a.velocity.x}\n",
              9, "'f'");
}

static void outputs_stand_for_their_formulas(void **state) {
  (void)state;
  hn_model *model =
      load_text(CART_BODIES "outputs:\n  gap: joint.rb.displacement - joint.ra.displacement\n"
                            "  pull: 40*gap\n"
                            "forces:\n  f: {type: torque, joint: rb, torque: -pull - v0}\n"
                            "parameters: {v0: 1 N}\n");
  hn_model_free(model);
  refuse_text(CART_BODIES "outputs:\n  p: 2*r\n  r: p + 1\n"
                          "forces:\n  f: {type: torque, joint: rb, torque: p}\n",
              9, "'f'");
}

static void couplings_are_not_seen(void **state) {
  (void)state;
  hn_model *model = load_text(by_signals);
  assert_int_equal(hn_model_force_count(model), 2);
  assert_true(model->force_count > 2);
  hn_model_free(model);
}

// Three laws that read twelve bodies each: a coupling with every one of them.
static void a_force_may_read_many_bodies(void **state) {
  (void)state;
  enum { EACH = 12, READ = 3 * EACH };
  char text[16384], *at = text;
  at += sprintf(at, "bodies:\n");
  for (int k = 0; k <= READ; k++)
    at += sprintf(at, "  b%d: {mass: 1, inertia: [1, 1, 1], center: [%d, 0, 0]}\n", k, k);
  at += sprintf(at, "forces:\n  f:\n    type: point-force\n    body: b0\n    at: [0, 0, 0]\n"
                    "    force:\n");
  for (int l = 0; l < 3; l++) {
    at += sprintf(at, "      - '1 N/m*(");
    for (int k = 1; k <= EACH; k++)
      at += sprintf(at, "%sbody.b%d.position.x", k > 1 ? " + " : "", EACH * l + k);
    at += sprintf(at, ")'\n");
  }
  hn_model *model = load_text(text);
  assert_int_equal(model->sensing.couplings, READ);
  hn_model_free(model);
}

// A branching tree, a free body and a rail, whose forces see every kind of signal, some through a state.
static const char *const every_kind =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  base: {mass: 3, center: [0.2, 0, 0], inertia: [0.1, 0.12, 0.2]}\n"
    "  arm: {mass: 2, center: [0.5, 0.1, 0.3], inertia: [0.02, 0.05, 0.05], markers: {tip: [0.9, "
    "0.1, 0.3]}}\n"
    "  leg: {mass: 1.5, center: [0.2, 0.4, -0.3], inertia: [0.02, 0.04, 0.04], markers: {toe: "
    "[0.2, "
    "0.5, -0.6]}}\n"
    "  free: {mass: 1, center: [1, 1, 0], inertia: [0.02, 0.04, 0.05], initial: {velocity: [0.1, "
    "0.2, 0], angular_velocity: [0.3, 0.5, -0.4]}}\n"
    "  slider: {mass: 1, center: [0, 1, 0], inertia: [0.02, 0.04, 0.05]}\n"
    "joints:\n"
    "  turn: {type: revolute, bodies: [ground, base], at: [0, 0, 0], axis: [0, 0.3, 1], initial: "
    "{angle_rate: 1}}\n"
    "  shoulder: {type: universal, bodies: [base, arm], at: [0.3, 0, 0.1], axes: [[0, 1, 0], [0, "
    "0, "
    "1]], initial: {angle2_rate: 0.7}}\n"
    "  hip: {type: revolute, bodies: [base, leg], at: [0.2, 0.2, -0.1], axis: [1, 0.2, 0], "
    "initial: "
    "{angle_rate: -2}}\n"
    "  rail: {type: cylindrical, bodies: [ground, slider], at: [0, 1, 0], axis: x}\n"
    "states:\n"
    "  lag: {rate: '(marker.leg.toe.velocity.z - lag)/0.05', initial: 0}\n"
    "forces:\n"
    "  s0: {type: spring-damper, bodies: [free, arm], points: [[1, 1, 0.1], [0.9, 0.1, 0.3]], "
    "stiffness: 20, damping: 1, law: 'x*v + 5*body.base.local_angular_velocity.x + "
    "3*joint.rail.displacement*joint.turn.angle_rate'}\n"
    "  s1: {type: spring-damper, bodies: [arm, leg], points: [[0.8, 0.1, 0.3], [0.2, 0.5, -0.5]], "
    "stiffness: 50, law: '30*body.free.position.x*force.s0.deflection - "
    "4*marker.leg.toe.velocity.y*body.arm.yaw'}\n"
    "  j: {type: joint-spring-damper, joint: hip, law: '5*x + v*(1 + body.arm.position.z^2) - "
    "3*body.leg.pitch + 2*body.free.angular_velocity.y*marker.arm.tip.position.x + state.lag'}\n"
    "  p: {type: point-force, body: arm, at: [0.9, 0.1, 0.3], following: true, force: "
    "['-3*marker.arm.tip.velocity.x*force.s0.rate', '2*body.free.roll', "
    "'-body.slider.velocity.x*joint.rail.angle_rate - 4*state.lag']}\n"
    "  t: {type: torque, body: slider, torque: "
    "['-0.5*body.leg.angular_velocity.x*body.free.velocity.z', '0', '0']}\n"
    "  d: {type: joint-spring-damper, joint: rail, coordinate: displacement, stiffness: 5, law: "
    "'2*body.free.local_angular_velocity.z + x*body.arm.velocity.y'}\n";

// Sums of the first powers of the eigenvalues, which no choice of coordinates changes.
static void sum_powers(const char *coordinates, double sums[4]) {
  hn_error error = {0};
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_linear *linear = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  check_ok(hn_model_load_text(every_kind, strlen(every_kind), "test.yaml", NULL, &model, &error));
  check_ok(hn_simulation_create(model, &options, &simulation, &error));
  check_ok(hn_simulation_linearize(simulation, NULL, &linear, &error));
  assert_int_equal(linear->eigenvalue_count, 25);
  for (int p = 0; p < 4; p++) sums[p] = 0;
  for (int k = 0; k < linear->eigenvalue_count; k++) {
    const double re = linear->eigenvalues[k].real, im = linear->eigenvalues[k].imaginary;
    const double square = re * re - im * im, both = 2 * re * im;
    sums[0] += re;
    sums[1] += square;
    sums[2] += re * square - im * both;
    sums[3] += square * square - both * both;
  }
  hn_linear_free(linear);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// Derivatives go other ways in each set: along paths of the tree, by couplings of bodies, by nodes.
static void derivatives_by_signals_are_those_of_every_set(void **state) {
  static const char *const sets[] = {"relative", "cartesian", "natural"};
  (void)state;
  double sums[3][4];
  for (int c = 0; c < 3; c++) sum_powers(sets[c], sums[c]);
  for (int c = 1; c < 3; c++)
    for (int p = 0; p < 4; p++)
      check_near(sums[c][p], sums[0][p], 1e-9 * fmax(1, fabs(sums[0][p])));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_of_signals_is_the_spring_it_says),
      cmocka_unit_test(what_laws_cannot_read_is_told),
      cmocka_unit_test(outputs_stand_for_their_formulas),
      cmocka_unit_test(couplings_are_not_seen),
      cmocka_unit_test(a_force_may_read_many_bodies),
      cmocka_unit_test(derivatives_by_signals_are_those_of_every_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
