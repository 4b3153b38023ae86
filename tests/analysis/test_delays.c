// Delays in runs, against solutions by the method of steps: with the past 1,
//
//   x' = -x(t - 1)            x = sum (-1)^k (t - (k - 1))^k / k!               where t > k - 1
//   c'' = -w^2 c(t - T)       c = sum (-w^2)^k (t - (k - 1) T)^2k / (2k)!
//
// in every method, by error control and by fixed steps that do not divide the delays; of signals that
// jump; saved and restored; in linearizations.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/loading.h"
#include "holon/analysis.h"
#include "holon/linear.h"
#include "holon/simulation.h"

#define CART                                                                                       \
  "bodies:\n  cart: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"               \
  "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"

static const char *const exact_model =
    CART "states:\n  x: {rate: -late, initial: 1}\n"
         "  late: {delay: 1, of: state.x, initial: 1}\n"
         "  back: {delay: 0.7, of: joint.rail.displacement, initial: 1}\n"
         "forces:\n  push: {type: torque, joint: rail, torque: -4*state.back}\n"
         "outputs: {c: joint.rail.displacement, x: state.x, late: state.late}\n";

static double exact(double t, double delay, double factor, int power) {
  double sum = 1, term = 1;
  for (int k = 1; t - (k - 1) * delay > 0; k++) {
    term = 1;
    for (int i = 1; i <= power * k; i++) term *= (t - (k - 1) * delay) / i;
    sum += pow(factor, k) * term;
  }
  return sum;
}
static double exact_x(double t) { return exact(t, 1, -1, 1); }
static double exact_c(double t) { return exact(t, 0.7, -4, 2); }

typedef struct way {
  const char *method, *formula, *coordinates;
  double tol, step, error; // error: of x, and a hundredth of that of c
} way;

static hn_simulation *start(const hn_model *model, const way *w) {
  hn_simulation_options options = hn_default_simulation_options();
  options.method = w->method;
  options.formula = w->formula;
  options.coordinates = w->coordinates;
  if (w->tol > 0) options.tol = w->tol;
  options.step = w->step;
  hn_simulation *s = NULL;
  hn_error error = {0};
  if (hn_simulation_create(model, &options, &s, &error)) fail_msg("%s", error.message);
  return s;
}

static void every_method_follows_the_method_of_steps(void **state) {
  (void)state;
  static const way ways[] = {
      {"first-order", "dopri5", "relative", 1e-9, 0, 1e-8},
      {"first-order", "adams", "cartesian", 1e-9, 0, 1e-9},
      {"first-order", "sdirk4-15", "natural", 1e-9, 0, 1e-9},
      {"first-order", "rosenbrock", "relative", 1e-9, 0, 1e-9},
      {"descriptor", "sdirk4-15", "cartesian", 1e-9, 0, 1e-9},
      {"descriptor", "trapezoidal", "relative", 1e-6, 0, 1e-6},
      {"state-space", "sdirk4-16", "natural", 1e-8, 0, 1e-8},
      {"augmented-lagrangian-3", "trapezoidal", "natural", 1e-9, 1.3e-3, 1e-6},
      {"augmented-lagrangian-1", "trapezoidal", "natural", 1e-9, 1.3e-3, 1e-6},
      {"multi-index", "trapezoidal", "natural", 1e-8, 0, 1e-6},
      {"first-order", "dopri5", "relative", 0, 0.03, 1e-10},
      {"first-order", "sdirk4-15", "relative", 1e-10, 0.03, 1e-8},
      {"first-order", "rosenbrock", "relative", 0, 0.03, 1e-8},
      {"first-order", "dopri5", "relative", 0, 5, 1e-3}, // cut at the delays
  };
  hn_model *model = load_text(exact_model);
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    hn_simulation *s = start(model, &ways[k]);
    for (double t = 0.35; t < 5; t += 0.31) {
      check_ok(hn_simulation_advance(s, t));
      check_near(hn_simulation_signal(s, 1), exact_x(t), ways[k].error);
      check_near(hn_simulation_signal(s, 0), exact_c(t), 100 * ways[k].error);
      check_near(hn_simulation_signal(s, 2), t < 1 ? 1 : exact_x(t - 1), ways[k].error);
    }
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

// Steps of 0.05 and 0.025 that the breaking points cut: formulas of order 4 and 5 keep it.
static void formulas_keep_their_order(void **state) {
  (void)state;
  static const struct {
    const char *formula;
    double order;
  } formulas[] = {{"sdirk4-15", 4}, {"rosenbrock", 4}, {"dopri5", 5}};
  hn_model *model = load_text(exact_model);
  for (int k = 0; k < 3; k++) {
    double error[2];
    for (int i = 0; i < 2; i++) {
      const way w = {"first-order", formulas[k].formula, "relative", 1e-12, i == 0 ? 0.1 : 0.05, 0};
      hn_simulation *s = start(model, &w);
      check_ok(hn_simulation_advance(s, 5));
      error[i] = fabs(hn_simulation_signal(s, 0) - exact_c(5));
      hn_simulation_free(s);
    }
    assert_true(log2(error[0] / error[1]) > formulas[k].order - 0.4);
  }
  hn_model_free(model);
}

// d counts samples every 0.3 s; it arrives 0.5 s later, and its integral knows when.
static void what_jumps_arrives_as_it_was(void **state) {
  (void)state;
  hn_model *model = load_text(CART "states:\n  d: {value: d + 1, every: 0.3}\n"
                                   "  late: {delay: 0.5, of: state.d, initial: 2}\n"
                                   "  twice: {delay: 0.25, of: 2*late, initial: 9}\n"
                                   "  sum: {rate: late}\n  other: {rate: twice}\n"
                                   "  on: {when: [['late > 2.5', 1]]}\n");
  static const way ways[] = {{"first-order", "dopri5", "relative", 1e-6, 0, 0},
                             {"first-order", "rosenbrock", "cartesian", 1e-6, 0, 0},
                             {"first-order", "adams", "natural", 1e-6, 0, 0},
                             {"descriptor", "sdirk4-15", "cartesian", 1e-6, 0, 0},
                             {"first-order", "dopri5", "relative", 0, 0.07, 0}};
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    hn_simulation *s = start(model, &ways[k]);
    const int late = hn_simulation_find_signal(s, "state.late"),
              sum = hn_simulation_find_signal(s, "state.sum"),
              other = hn_simulation_find_signal(s, "state.other"),
              on = hn_simulation_find_signal(s, "state.on");
    // late: 2 to 0.5, then 1 to 0.8, 2 to 1.1, 3 to 1.4, 4 to 1.7
    check_ok(hn_simulation_advance(s, 1.05));
    check_near(hn_simulation_signal(s, late), 2, 0);
    check_near(hn_simulation_signal(s, on), 0, 0);
    check_ok(hn_simulation_advance(s, 1.5));
    check_near(hn_simulation_signal(s, late), 4, 0);
    check_near(hn_simulation_signal(s, on), 1, 0);
    check_near(hn_simulation_signal(s, sum), 2 * 0.5 + 0.3 * (1 + 2 + 3) + 0.1 * 4, 1e-12);
    // twice: 9 to 0.25, 4 to 0.75, 2 to 1.05, 4 to 1.35, 6
    check_near(hn_simulation_signal(s, other), 9 * 0.25 + 4 * 0.5 + 0.3 * (2 + 4) + 0.15 * 6,
               1e-12);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void a_restored_run_has_the_same_bits(void **state) {
  (void)state;
  hn_model *model =
      load_text(CART "states:\n  back: {delay: 0.3, of: joint.rail.displacement, initial: 1}\n"
                     "  slow: {filter: 10 ms, of: back^3}\n"
                     "forces:\n  push: {type: torque, joint: rail, torque: "
                     "'-9*joint.rail.displacement - 2*back^3 - abs(slow)'}\n");
  static const way ways[] = {{"first-order", "dopri5", "relative", 1e-7, 0, 0},
                             {"first-order", "adams", "natural", 1e-7, 0, 0},
                             {"first-order", "rosenbrock", "relative", 1e-7, 0, 0},
                             {"state-space", "sdirk4-15", "natural", 1e-7, 0, 0},
                             {"descriptor", "sdirk4-15", "cartesian", 1e-7, 0, 0},
                             {"augmented-lagrangian-3", "trapezoidal", "natural", 1e-7, 1e-3, 0}};
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    hn_simulation *a = start(model, &ways[k]), *b = start(model, &ways[k]);
    check_ok(hn_simulation_advance(a, 1.234));
    const size_t size = hn_simulation_save_size(a);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    check_ok(hn_simulation_save(a, buffer, size));
    check_ok(hn_simulation_restore(b, buffer, size));
    free(buffer);
    check_ok(hn_simulation_advance(a, 3));
    check_ok(hn_simulation_advance(b, 3));
    assert_int_equal(hn_simulation_state_hash(a), hn_simulation_state_hash(b));
    check_near(hn_simulation_state(b, 0), hn_simulation_state(a, 0), 0);
    hn_simulation_free(a);
    hn_simulation_free(b);
  }
  hn_model_free(model);
}

// x' = -x(t - 1): the rightmost of s = -exp(-s) is -0.31813150520476 +- 1.33723570143069 i. In an
// equilibrium the delay is what it delays.
static void linearizations_and_equilibria_take_the_approximation(void **state) {
  (void)state;
  hn_model *model = load_text(CART "states:\n  x: {rate: 1 - late, initial: 5}\n"
                                   "  late: {delay: 1, of: state.x, order: 6}\n"
                                   "forces:\n  hold: {type: torque, joint: rail, torque: "
                                   "'state.x - joint.rail.displacement'}\n");
  const way w = {"first-order", "dopri5", "relative", 1e-9, 0, 0};
  hn_simulation *s = start(model, &w);
  check_ok(hn_simulation_equilibrium(s, NULL, NULL));
  check_near(hn_simulation_state(s, 0), 1, 1e-9);
  check_near(hn_simulation_state(s, 1), 1, 1e-9);
  hn_linear *l = NULL;
  hn_error error = {0};
  check_ok(hn_simulation_linearize(s, NULL, &l, &error));
  int found = 0;
  for (int k = 0; k < l->eigenvalue_count; k++)
    found += fabs(l->eigenvalues[k].real + 0.31813150520476) < 1e-6 &&
             fabs(fabs(l->eigenvalues[k].imaginary) - 1.33723570143069) < 1e-6;
  assert_int_equal(found, 2);
  hn_linear_free(l);
  check_ok(hn_simulation_advance(s, 3)); // at rest it stays
  check_near(hn_simulation_state(s, 1), 1, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void delays_that_cannot_be_are_refused(void **state) {
  (void)state;
  refuse_text(CART "states:\n  y: {delay: 0, of: t}\n", 6, "0");
  refuse_text(CART "states:\n  y: {delay: -1 s, of: t}\n", 6, "-1");
  refuse_text(CART "states:\n  y: {delay: joint.rail.displacement, of: t}\n", 6, "'delay'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_follows_the_method_of_steps),
      cmocka_unit_test(formulas_keep_their_order),
      cmocka_unit_test(what_jumps_arrives_as_it_was),
      cmocka_unit_test(a_restored_run_has_the_same_bits),
      cmocka_unit_test(linearizations_and_equilibria_take_the_approximation),
      cmocka_unit_test(delays_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
