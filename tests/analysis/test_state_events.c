// States that change at events, conditions of laws that are located, and blocks: against exact times
// and answers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/loading.h"
#include "holon/simulation.h"
#include "math/lookup.h"
#include "model/model.h"

#define CART                                                                                       \
  "bodies:\n  cart: {mass: 2, inertia: [1, 1, 1]}\n"                                               \
  "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"

static const char *const methods[][3] = {
    {"first-order", "dopri5", "relative"},    {"first-order", "adams", "cartesian"},
    {"first-order", "sdirk4-15", "natural"},  {"first-order", "rosenbrock", "relative"},
    {"descriptor", "sdirk4-15", "cartesian"}, {"state-space", "sdirk4-15", "natural"}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static hn_simulation *start(const hn_model *model, int method, double tolerance) {
  hn_simulation_options options = hn_default_simulation_options();
  options.method = methods[method][0];
  options.formula = methods[method][1];
  options.coordinates = methods[method][2];
  options.tol = tolerance;
  hn_simulation *s = NULL;
  hn_error error = {0};
  if (hn_simulation_create(model, &options, &s, &error)) fail_msg("%s", error.message);
  return s;
}

// A relay pushes with 2 N until x = 1, then with -2 N until x = -1: x'' = +-1. From rest at 0 it
// passes 1 at sqrt 2 with speed sqrt 2, turns at x = 2, and comes to -1 after sqrt 2 + sqrt 6 more
// with speed -sqrt 6.
static void a_relay_switches_where_it_says(void **state) {
  (void)state;
  hn_model *model = load_text(
      CART "states:\n  push: {initial: 1, when: [['joint.rail.displacement > 1', -1], "
           "['joint.rail.displacement < -1', 1]]}\n"
           "  count: {when: [['state.push < 0', count + 1], ['state.push > 0', count + 10]]}\n"
           "forces:\n  relay: {type: torque, joint: rail, torque: 2*state.push}\n"
           "outputs: {x: joint.rail.displacement, v: joint.rail.displacement_rate}\n");
  const double back = 2 * sqrt(2) + sqrt(6);
  for (int k = 0; k < METHODS; k++) {
    hn_simulation *s = start(model, k, 1e-9);
    check_ok(hn_simulation_advance(s, 1.3));
    check_near(hn_simulation_state(s, 0), 1, 0);
    check_ok(hn_simulation_advance(s, 1.5));
    check_near(hn_simulation_state(s, 0), -1, 0);
    check_ok(hn_simulation_advance(s, back + 1));
    check_near(hn_simulation_state(s, 0), 1, 0);
    check_near(hn_simulation_state(s, 1), 21, 0); // at the start the relay is on
    check_near(hn_simulation_signal(s, 0), -1 - sqrt(6) + 0.5, 1e-7);
    check_near(hn_simulation_signal(s, 1), 1 - sqrt(6), 1e-7);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

// Nothing moves, so that nothing else keeps steps short: sin 20 t passes 0.9 upward 32 times in 10 s.
static void conditions_that_hold_shortly_are_not_stepped_over(void **state) {
  (void)state;
  hn_model *model = load_text(CART "states:\n  count: {when: [['sin(20*time) > 0.9', count + 1]]}\n"
                                   "simulation: {time: 10}\n");
  for (int k = 0; k < METHODS; k++) {
    hn_simulation *s = start(model, k, 1e-4);
    check_ok(hn_simulation_advance(s, 10));
    check_near(hn_simulation_state(s, 0), 32, 0);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

// x' is continuous where a limit becomes active: u = limit(t^2, 0, 1) is 1 from t = 1 on, z' = u.
static void limits_of_signals_are_located(void **state) {
  (void)state;
  hn_model *model = load_text(CART "states:\n  clock: {rate: 1}\n"
                                   "  z: {rate: 'limit(state.clock^2, 0, 1)'}\n");
  for (int k = 0; k < METHODS; k++) {
    hn_simulation *s = start(model, k, 1e-6);
    check_ok(hn_simulation_advance(s, 2.5));
    check_near(hn_simulation_state(s, 1), 1.0 / 3 + 1.5, 1e-6);
    hn_event event;
    assert_true(hn_simulation_events(s, &event, 1) >= 1);
    check_near(event.time, 1, 1e-9);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void states_that_change_each_other_without_end_are_told(void **state) {
  (void)state;
  hn_model *model =
      load_text(CART "states:\n  a: {when: [['state.b > 0', 0], ['state.b < 1', 1]]}\n"
                     "  b: {when: [['state.a > 0', 1], ['state.a < 1', 0]]}\n");
  hn_simulation *s = start(model, 0, 1e-6);
  check_status(hn_simulation_advance(s, 1), HN_ERROR_CONVERGENCE);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void a_saved_state_knows_which_rules_held(void **state) {
  (void)state;
  hn_model *model =
      load_text(CART "states:\n  push: {initial: 1, when: [['joint.rail.displacement > 0.1', -1], "
                     "['joint.rail.displacement < -0.1', 1]]}\n"
                     "forces:\n  relay: {type: torque, joint: rail, torque: "
                     "'8*state.push - limit(joint.rail.displacement_rate, -0.3, 0.3)'}\n");
  hn_simulation *a = start(model, 0, 1e-7), *b = start(model, 0, 1e-7);
  check_ok(hn_simulation_advance(a, 0.7));
  size_t size = hn_simulation_save_size(a);
  void *buffer = malloc(size);
  assert_non_null(buffer);
  check_ok(hn_simulation_save(a, buffer, size));
  check_ok(hn_simulation_restore(b, buffer, size));
  free(buffer);
  check_ok(hn_simulation_advance(a, 2));
  check_ok(hn_simulation_advance(b, 2));
  check_near(hn_simulation_state(b, 0), hn_simulation_state(a, 0), 0);
  for (int k = 0; k < hn_simulation_signal_count(a); k++)
    if (strncmp(hn_simulation_signal_name(a, k), "joint.", 6) == 0)
      check_near(hn_simulation_signal(b, k), hn_simulation_signal(a, k), 0);
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_model_free(model);
}

// Answers of linear blocks to sin 3t long after their start: gain and phase at s = 3i.
// A step is tried with one input, discarded by restoring a state, and made again to the same time
// with an input under which a condition becomes true within it.
static void a_discarded_step_leaves_nothing(void **state) {
  (void)state;
  static const char *const texts[] = {
      "inputs: {u: {value: 10 m}}\n" CART
      "states: {hit: {initial: 0, when: [[joint.rail.displacement > u, 1]]}}\n"
      "forces: {f: {type: joint-spring-damper, joint: rail, law: '50 N*state.hit - 1 N'}}\n",
      "inputs: {u: {value: 10 m}}\n" CART "forces: {f: {type: joint-spring-damper, joint: rail,"
      " law: 'max(0 N, 5e3 N/m*(joint.rail.displacement - u)) - 1 N'}}\n"};
  for (int k = 0; k < 2; k++)
    for (int method = 0; method < METHODS; method++) {
      hn_model *model = load_text(texts[k]);
      hn_simulation *used = start(model, method, 1e-6), *fresh = start(model, method, 1e-6);
      check_ok(hn_simulation_advance(used, 0.5));
      const double x =
          hn_simulation_signal(used, hn_simulation_find_signal(used, "joint.rail.displacement"));
      const size_t size = hn_simulation_save_size(used);
      unsigned char *saved = malloc(size);
      assert_non_null(saved);
      check_ok(hn_simulation_save(used, saved, size));
      check_ok(hn_simulation_step(used, 0.51));
      hn_simulation *both[2] = {used, fresh};
      for (int i = 0; i < 2; i++) {
        check_ok(hn_simulation_restore(both[i], saved, size));
        check_ok(hn_simulation_set_input(both[i], 0, x + 1e-4));
        check_ok(hn_simulation_step(both[i], 0.51));
        check_ok(hn_simulation_advance(both[i], 0.6));
      }
      assert_true(hn_simulation_state_hash(used) == hn_simulation_state_hash(fresh));
      hn_simulation_free(used);
      hn_simulation_free(fresh);
      hn_model_free(model);
      free(saved);
    }
}

static void blocks_have_the_frequency_response_of_what_they_are(void **state) {
  (void)state;
  hn_model *model = load_text(
      CART "states:\n"
           "  soft: {filter: 20 ms, of: sin(3*t)}\n"
           "  softer: {filter: 0.1 s, order: 2, of: sin(3*t)}\n"
           "  late: {delay: 0.2 s, of: sin(3*t)}\n"
           "  way: {transfer: {numerator: [2, 3], denominator: [1, 4, 5]}, of: sin(3*t)}\n"
           "outputs: {a: state.soft, b: state.softer, c: state.late, d: state.way}\n");
  const double t = 9;
  hn_simulation *s = start(model, 0, 1e-9);
  check_ok(hn_simulation_advance(s, t));
  check_near(hn_simulation_signal(s, 0), sin(3 * t - atan(0.06)) / hypot(1, 0.06), 1e-8);
  const double re = 1 - 0.09, im = 2 * sqrt(0.5) * 0.3;
  check_near(hn_simulation_signal(s, 1), sin(3 * t - atan2(im, re)) / hypot(re, im), 1e-8);
  check_near(hn_simulation_signal(s, 2), sin(3 * (t - 0.2)), 1e-7); // Pade of degrees 3 and 4
  const double gain = hypot(3, 6) / hypot(5 - 9, 12), phase = atan2(6, 3) - atan2(12, -4);
  check_near(hn_simulation_signal(s, 3), gain * sin(3 * t + phase), 1e-8);
  hn_simulation_free(s);
  hn_model_free(model);
}

// 2 x'' = y, y = 40 e + 20 int e + 12 e' within +-15: it arrives, and the integral does not wind up.
static void a_pid_within_limits_arrives(void **state) {
  (void)state;
  hn_model *model = load_text(
      CART
      "parameters: {most: 15 N}\n"
      "states:\n  servo: {pid: {kp: 40, ki: 20, kd: 12, filter: 5 ms, low: -most, high: most}, "
      "of: 1 - joint.rail.displacement}\n"
      "  near: {hysteresis: [0.9, 0.95], of: joint.rail.displacement}\n"
      "forces:\n  motor: {type: torque, joint: rail, torque: servo}\n"
      "outputs: {x: joint.rail.displacement}\n");
  hn_simulation *s = start(model, 2, 1e-7);
  double most = 0, push = 0;
  for (double t = 0.01; t < 15; t += 0.01) {
    check_ok(hn_simulation_advance(s, t));
    most = fmax(most, hn_simulation_signal(s, 1));
    push = fmax(push, fabs(hn_simulation_signal(s, 0)));
  }
  assert_true(push <= 15);
  assert_true(most < 1.2);
  check_near(hn_simulation_signal(s, 1), 1, 1e-3);
  check_near(hn_simulation_state(s, hn_model_find_state(model, "near")), 1, 0);
  hn_simulation_free(s);
  hn_model_free(model);
}

// Tables that go up to 1 and back, of time and of a signal: z and w have the integral of 1 - |t - 1|
// and so on, and the cart the speed of z. What does not end steps at the bends misses 1e-10 by far.
static void bends_of_tables_and_rates_are_located(void **state) {
  (void)state;
  hn_model *model = load_text(
      CART
      "tables:\n  up: {table: [[0, 0], [1, 1], [2, 0]], interpolation: linear, periodic: true}\n"
      "  flat: {x: [0, 1], y: [0, 1], values: [0, 1, 0, 1], interpolation: linear, outside: hold}\n"
      "states:\n  clock: {rate: 1}\n  z: {rate: up(t)}\n  w: {rate: up(clock)}\n"
      "  b: {rate: 'flat(clock, 0.5)'}\n  a: {rate: 'max(0, t - 0.7)'}\n"
      "forces:\n  push: {type: torque, joint: rail, torque: 2*up(clock)}\n"
      "outputs: {v: joint.rail.displacement_rate}\n");
  const double t = 3.3, up = 1 + 1 - 0.5 * (4 - t) * (4 - t);
  for (int k = 0; k < METHODS; k++) {
    hn_simulation *s = start(model, k, 1e-7);
    check_ok(hn_simulation_advance(s, t));
    // Rosenbrock's formula takes differences by time at the start of a step, across the breakpoint
    const double near = k == 3 ? 1e-6 : 1e-10;
    check_near(hn_simulation_state(s, 1), up, near);
    check_near(hn_simulation_state(s, 2), up, near);
    check_near(hn_simulation_state(s, 3), 0.5 + (t - 1), near);
    check_near(hn_simulation_state(s, 4), 0.5 * 2.6 * 2.6, near);
    check_near(hn_simulation_signal(s, 0), up, near);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

// Smooth tables are cubics between their points: where steps end there, formulas of order 4 and more
// integrate them exactly, whatever the tolerance. By Gauss's formula, which is exact up to degree 5.
static void points_of_smooth_tables_are_located(void **state) {
  (void)state;
  hn_model *model = load_text(
      CART
      "tables:\n"
      "  s: {table: [[0, 0], [0.4, 1], [1.1, 0.2], [1.5, 2], [3, 0]], interpolation: spline}\n"
      "  m: {table: [[0, 0], [0.4, 1], [1.1, 0.2], [1.5, 2], [3, 0]], interpolation: monotone}\n"
      "  a: {table: [[0, 0], [0.4, 1], [1.1, 0.2], [1.5, 2], [2, 1], [3, 0]], interpolation: "
      "akima}\n"
      "states:\n  clock: {rate: 1}\n  y0: {rate: s(clock)}\n  y1: {rate: m(clock)}\n"
      "  y2: {rate: a(clock)}\n");
  static const double points[] = {0, 0.4, 1.1, 1.5, 2, 2.7};
  for (int k = 0; k < METHODS; k++) {
    // Adams' formulas start with order 1; Rosenbrock's take differences at the start of a step
    if (k == 1 || k == 3) continue;
    hn_simulation *s = start(model, k, 1e-5);
    check_ok(hn_simulation_advance(s, 2.7));
    for (int table = 0; table < 3; table++) {
      double sum = 0;
      for (int i = 0; i < 5; i++) {
        const double half = 0.5 * (points[i + 1] - points[i]), middle = points[i] + half;
        const double out = half * sqrt(0.6);
        const hn_lookup *of = model->lookups.item[table];
        sum += half / 9 *
               (5 * hn_lookup_value(of, middle - out, 0) + 8 * hn_lookup_value(of, middle, 0) +
                5 * hn_lookup_value(of, middle + out, 0));
      }
      check_near(hn_simulation_state(s, 1 + table), sum, 1e-10);
    }
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

// A clock by a rule, in a model that does not say how long it runs: at 0.02 s and every 0.05 s from
// there, though steps could be as long as the run.
static void a_rule_on_a_clock_is_not_stepped_over(void **state) {
  (void)state;
  hn_model *model =
      load_text(CART "states:\n  n: {when: [['mod(t - 0.02, 0.05) < 0.025 and t > 0.01', "
                     "n + 1]]}\n");
  hn_simulation *s = start(model, 0, 1e-6);
  check_ok(hn_simulation_advance(s, 0.5));
  check_near(hn_simulation_state(s, 0), 10, 0);
  hn_simulation_free(s);
  hn_model_free(model);
}

// Gains of 0 are ignored, with limits too: 2 x'' = 8 (t - x) from rest, x = t - sin(2 t)/2.
static void gains_of_a_pid_may_be_zero(void **state) {
  static const char *const gains[] = {
      "kp: 8, ki: 0, kd: 0, filter: 5 ms, low: -90, high: 90",
      "kp: 8, ki: none, low: -90, high: 90",
  };
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[2048];
    double x;
    snprintf(text, sizeof text,
             CART "parameters: {none: 0}\n"
                  "states:\n  y: {pid: {%s}, of: 1*t - joint.rail.displacement}\n"
                  "forces:\n  push: {type: torque, joint: rail, torque: y}\n"
                  "outputs: {x: joint.rail.displacement}\n",
             gains[k]);
    hn_model *model = load_text(text);
    hn_simulation *s = start(model, 0, 1e-9);
    check_ok(hn_simulation_advance(s, 1.3));
    check_ok(hn_simulation_value(s, "x", &x));
    check_near(x, 1.3 - 0.5 * sin(2.6), 1e-7);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

// The input of a block may be a formula of t, though its output has no t of its own: with e = t - x
// and kp alone the law is kp (t - x), x'' = 8 (t - x)/2 from rest: x = t - sin(2 t)/2. The same by
// a transfer function with direct feedthrough only.
static void blocks_take_formulas_of_time(void **state) {
  (void)state;
  hn_model *model =
      load_text(CART "states:\n  y: {pid: {kp: 8}, of: 1*t - joint.rail.displacement}\n"
                     "  z: {transfer: {numerator: [8, 8], denominator: [1, 1]}, of: 1*t - "
                     "joint.rail.displacement}\n"
                     "forces:\n  push: {type: torque, joint: rail, torque: (z + y)/2}\n"
                     "outputs: {x: joint.rail.displacement, late: 2*t}\n");
  for (int k = 0; k < METHODS; k++) {
    hn_simulation *s = start(model, k, 1e-9);
    double x, late;
    check_ok(hn_simulation_advance(s, 1.3));
    check_ok(hn_simulation_value(s, "x", &x));
    check_ok(hn_simulation_value(s, "late", &late));
    check_near(x, 1.3 - 0.5 * sin(2.6), 1e-7);
    check_near(late, 2.6, 1e-15);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

// (s + 3)/(s + 1) of a step of 2: 6 - 4 exp(-t); with a second pole and zero, (s^2 + 5 s + 6)/ (s^2
// + 3 s + 2) = (s + 3)/(s + 1), the same, and at rest it keeps its initial value.
static void transfer_functions_pass_a_part_at_once(void **state) {
  (void)state;
  hn_model *model = load_text(
      CART "states:\n  y: {transfer: {numerator: [1, 3], denominator: [1, 1]}, of: 2}\n"
           "  z: {transfer: {numerator: [0, 2, 10, 12], denominator: [2, 6, 4]}, of: 2}\n"
           "  r: {transfer: {numerator: [2, 10, 12], denominator: [2, 6, 4]}, of: 2, initial: 6}\n"
           "forces:\n  push: {type: torque, joint: rail, torque: 2*state.y}\n"
           "outputs: {v: joint.rail.displacement_rate, also: state.z}\n");
  for (int k = 0; k < METHODS; k++) {
    hn_simulation *s = start(model, k, 1e-8);
    double y, z, r, v;
    check_ok(hn_simulation_value(s, "y", &y));
    check_near(y, 2, 0);
    check_ok(hn_simulation_advance(s, 1.3));
    check_ok(hn_simulation_value(s, "y", &y));
    check_ok(hn_simulation_value(s, "also", &z));
    check_ok(hn_simulation_value(s, "r", &r));
    check_ok(hn_simulation_value(s, "v", &v));
    check_near(y, 6 - 4 * exp(-1.3), 1e-6);
    check_near(z, 6 - 4 * exp(-1.3), 1e-6);
    check_near(r, 6, 1e-12);
    check_near(v, 6 * 1.3 - 4 * (1 - exp(-1.3)), 1e-6);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void blocks_that_make_no_sense_are_refused(void **state) {
  (void)state;
  refuse_text(CART "states:\n  y: {filter: 1 s}\n", 6, "'y' `of:`");
  refuse_text(CART "states:\n  y: {pid: {kd: 1}, of: time}\n", 6, "filter");
  refuse_text(CART "states:\n  y: {pid: {kp: 1, low: 0}, of: time}\n", 6, "'y'");
  refuse_text(CART "states:\n  y: {transfer: {numerator: [1, 2, 3], denominator: [1, 2]}, of: t}\n",
              6, "'y'");
  refuse_text(CART "states:\n  y: {delay: 1 s, of: t, order: 40}\n", 6, "'y'");
  refuse_text(CART "states:\n  y: {hysteresis: 3, of: t}\n", 6, "'y'");
  refuse_text(CART "states:\n  y: {when: [[1, 2, 3]]}\n", 6, "'y' `when:`");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_relay_switches_where_it_says),
      cmocka_unit_test(conditions_that_hold_shortly_are_not_stepped_over),
      cmocka_unit_test(limits_of_signals_are_located),
      cmocka_unit_test(states_that_change_each_other_without_end_are_told),
      cmocka_unit_test(a_saved_state_knows_which_rules_held),
      cmocka_unit_test(a_discarded_step_leaves_nothing),
      cmocka_unit_test(blocks_have_the_frequency_response_of_what_they_are),
      cmocka_unit_test(a_pid_within_limits_arrives),
      cmocka_unit_test(gains_of_a_pid_may_be_zero),
      cmocka_unit_test(a_rule_on_a_clock_is_not_stepped_over),
      cmocka_unit_test(bends_of_tables_and_rates_are_located),
      cmocka_unit_test(points_of_smooth_tables_are_located),
      cmocka_unit_test(blocks_take_formulas_of_time),
      cmocka_unit_test(transfer_functions_pass_a_part_at_once),
      cmocka_unit_test(blocks_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
