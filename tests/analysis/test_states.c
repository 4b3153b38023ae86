// States of laws: first-order equations with known answers, samples, controllers, saved states. In
// all methods: test_states_methods.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/loading.h"
#include "holon/simulation.h"

#define CART                                                                                       \
  "bodies:\n  cart: {mass: 2, inertia: [1, 1, 1]}\n"                                               \
  "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x, "        \
  "initial: {displacement: 0.5}}\n"

static hn_simulation *start(const hn_model *model, const char *coordinates, const char *method,
                            const char *formula) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = method;
  options.formula = formula;
  options.tol = 1e-9;
  hn_simulation *s = NULL;
  hn_error error = {0};
  if (hn_simulation_create(model, &options, &s, &error)) fail_msg("%s", error.message);
  return s;
}

// y' = (sin 3 t - y)/0.2 has the answer (sin 3t - 0.6 cos 3t + 0.6 exp(-5t))/1.36.
static double low_pass(double t) {
  return (sin(3 * t) - 0.6 * cos(3 * t) + 0.6 * exp(-5 * t)) / 1.36;
}

static void a_filter_has_its_answer_at_all_times(void **state) {
  (void)state;
  hn_model *model = load_text(CART "states:\n  y: {rate: (sin(3*t) - y)/0.2}\n"
                                   "outputs: {y: state.y}\n");
  static const char *const sets[] = {"cartesian", "natural", "relative"};
  for (int c = 0; c < 3; c++)
    for (int f = 0; f < 2; f++) {
      hn_simulation *s = start(model, sets[c], "first-order", f ? "adams" : "dopri5");
      for (double t = 0.13; t < 2; t += 0.31) {
        check_ok(hn_simulation_advance(s, t));
        check_near(hn_simulation_signal(s, 0), low_pass(t), 1e-7);
        check_near(hn_simulation_state(s, 0), low_pass(t), 1e-7);
      }
      check_ok(hn_simulation_step(s, 3)); // and inside a step
      double end = hn_simulation_time(s), inside = end - 0.4 * hn_simulation_last_step(s);
      check_ok(hn_simulation_look_at(s, inside));
      check_near(hn_simulation_signal(s, 0), low_pass(inside), 1e-7);
      check_ok(hn_simulation_look_at(s, end));
      check_near(hn_simulation_signal(s, 0), low_pass(end), 1e-7);
      hn_simulation_free(s);
    }
  hn_model_free(model);
}

// x'' = -11 x - 6 x' - 6 i with i' = x has the poles -1, -2 and -3: with x = 0.5, x' = 0, i = 0 at first
// x = a e^-t + b e^-2t + c e^-3t, and i is its antiderivative without a constant.
static void feedback_through_a_state_has_the_poles_it_says(void **state) {
  (void)state;
  hn_model *model = load_text(
      CART "states:\n  i: {rate: joint.rail.displacement}\n"
           "forces:\n  pid: {type: torque, joint: rail, torque: '-2*(11*joint.rail.displacement "
           "+ 6*joint.rail.displacement_rate + 6*state.i)'}\n"
           "outputs: {x: joint.rail.displacement}\n");
  hn_simulation *s = start(model, "relative", "auto", "auto");
  const double a = -1.25, b = 4.0, c = -2.25;
  for (double t = 0.4; t < 3; t += 0.5) {
    check_ok(hn_simulation_advance(s, t));
    check_near(hn_simulation_signal(s, 0), a * exp(-t) + b * exp(-2 * t) + c * exp(-3 * t), 1e-7);
    check_near(hn_simulation_state(s, 0), -a * exp(-t) - b / 2 * exp(-2 * t) - c / 3 * exp(-3 * t),
               1e-7);
  }
  hn_simulation_free(s);
  hn_model_free(model);
}

static void samples_are_taken_at_their_times(void **state) {
  (void)state;
  hn_model *model = load_text(CART "states:\n  clock: {value: clock + 1, every: 0.1}\n"
                                   "  seen: {value: time, every: 0.25}\n"
                                   "outputs: {clock: state.clock, seen: state.seen}\n");
  hn_simulation *s = start(model, "relative", "auto", "auto");
  check_ok(hn_simulation_advance(s, 0.999));
  check_near(hn_simulation_signal(s, 0), 10, 0); // at 0, 0.1, ..., 0.9
  check_near(hn_simulation_signal(s, 1), 0.75, 1e-12);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void a_saved_state_goes_on_with_the_same_bits(void **state) {
  (void)state;
  hn_model *model = load_text(
      CART "states:\n  i: {rate: joint.rail.displacement}\n"
           "  hold: {value: joint.rail.displacement_rate, every: 30 ms}\n"
           "forces:\n  pid: {type: torque, joint: rail, torque: '-30*joint.rail.displacement "
           "- 5*state.hold - 9*state.i'}\n");
  hn_simulation *a = start(model, "relative", "auto", "auto");
  hn_simulation *b = start(model, "relative", "auto", "auto");
  check_ok(hn_simulation_advance(a, 0.4));
  size_t size = hn_simulation_save_size(a);
  void *buffer = malloc(size);
  assert_non_null(buffer);
  check_ok(hn_simulation_save(a, buffer, size));
  check_ok(hn_simulation_restore(b, buffer, size));
  free(buffer);
  check_ok(hn_simulation_advance(a, 1));
  check_ok(hn_simulation_advance(b, 1));
  for (int k = 0; k < 2; k++) check_near(hn_simulation_state(b, k), hn_simulation_state(a, k), 0);
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_model_free(model);
}

static void states_that_make_no_sense_are_refused(void **state) {
  (void)state;
  refuse_text(CART "states:\n  y: {initial: 1}\n", 6, "'y' `rate:`");
  refuse_text(CART "states:\n  y: {value: 1}\n", 6, "'y' `rate:`");
  refuse_text(CART "states:\n  y: {rate: 1, value: 2, every: 1}\n", 6, "'y' `rate:`");
  refuse_text(CART "states:\n  y: {rate: -state.x}\n", 6, "'x'");
  refuse_text(CART "states:\n  y: {rate: joint.rail.displacement_acceleration}\n", 6, "'y' 'rate'");
  refuse_text(CART "states:\n  y: {value: 1, every: -1 s}\n", 6, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_filter_has_its_answer_at_all_times),
      cmocka_unit_test(feedback_through_a_state_has_the_poles_it_says),
      cmocka_unit_test(samples_are_taken_at_their_times),
      cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits),
      cmocka_unit_test(states_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
