// Method descriptor: order on models that are not stiff, size of steps on one that is.
#include <math.h>
#include <stdlib.h>

#include "analysis/simulation.h"
#include "holon/load.h"
#include "support/check.h"
#include "support/machines.h"

static hn_simulation *start(const hn_model *model, const char *formula, double tol, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_error error;
  options.method = "descriptor";
  options.formula = formula;
  options.tol = tol;
  options.step = step;
  check_ok(hn_simulation_create(model, &options, &s, &error));
  return s;
}

// Halving the step gains the order, less 0.2; the reference is dopri5 at 1e-12. Smaller steps than these
// would show how far the iteration goes, not the formula.
static void check_order(const hn_model *model, const char *formula, double step, double order) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  double reference[7], error[2];
  options.tol = 1e-12;
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  check_ok(hn_simulation_advance(s, 0.24));
  for (int i = 0; i < 7; i++) reference[i] = s->method->q[i];
  hn_simulation_free(s);
  for (int k = 0; k < 2; k++) {
    s = start(model, formula, 1e-12, step / (1 << k));
    check_ok(hn_simulation_advance(s, 0.24));
    error[k] = 0;
    for (int i = 0; i < 7; i++) {
      double e = fabs(s->method->q[i] - reference[i]);
      if (e > error[k]) error[k] = e;
    }
    hn_simulation_free(s);
  }
  print_message("%s: errors %.2e %.2e\n", formula, error[0], error[1]);
  assert_true(log2(error[0] / error[1]) > order - 0.2);
}

static void each_formula_has_its_order_on_a_loop(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  check_order(model, "trapezoidal", 0.004, 2);
  check_order(model, "sdirk4-16", 0.016, 4);
  check_order(model, "sdirk4-15", 0.016, 4);
  hn_model_free(model);
}

// k = 1e8, c = 2e5: the mass creeps back with rate k/c = 500/s after a transient of rate 2e5/s that an
// explicit formula must resolve with steps of about 1.6e-5 s.
static void a_stiff_damper_is_passed_in_large_steps(void **state) {
  (void)state;
  double k = 1e8, c = 2e5;
  double fast = (-c - sqrt(c * c - 4 * k)) / 2, slow = (-c + sqrt(c * c - 4 * k)) / 2;
  hn_model *model = hn_make_oscillator(k, c, 0.1);
  const char *formulas[] = {"sdirk4-16", "sdirk4-15"};
  for (int f = 0; f < 2; f++) {
    hn_simulation *s = start(model, formulas[f], 1e-5, 0);
    check_ok(hn_simulation_advance(s, 0.05));
    double exact = 0.1 * (fast * exp(slow * 0.05) - slow * exp(fast * 0.05)) / (fast - slow);
    check_near(s->method->q[2], exact, 1e-4);
    assert_true(hn_simulation_certificate(s).steps_accepted < 150);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void redundant_loops_and_singular_positions_are_passed(void **state) {
  (void)state;
  hn_model *model = hn_make_four_bars(2);
  hn_simulation *a = start(model, "sdirk4-16", 1e-7, 0);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *b = NULL;
  options.tol = 1e-11;
  check_ok(hn_simulation_create(model, &options, &b, NULL));
  check_ok(hn_simulation_advance(a, 2));
  check_ok(hn_simulation_advance(b, 2));
  for (int i = 0; i < 7; i++) check_near(a->method->q[i], b->method->q[i], 1e-4);
  check_at_most(hn_simulation_certificate(a).constraint_position, 1e-9);
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_model_free(model);
}

// A four-bar released from rest: the crank turns so far that other Euler parameters become independent.
// In joint coordinates by dopri5 its angles are known.
static const char four_bar[] =
    "name: four-bar\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 0.4, center: [0, 0.05, 0], inertia: [4e-4, 1e-4, 4e-4]}\n"
    "  coupler: {mass: 1.2, center: [0.165, 0.16, 0], inertia: [0.002, 0.015, 0.016]}\n"
    "  rocker: {mass: 0.9, center: [0.365, 0.11, 0], inertia: [0.005, 0.0002, 0.005]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: z}\n"
    "  B: {type: revolute, bodies: [crank, coupler], at: [0, 0.1, 0], axis: z}\n"
    "  C: {type: revolute, bodies: [coupler, rocker], at: [0.33, 0.22, 0], axis: z}\n"
    "  D: {type: revolute, bodies: [ground, rocker], at: [0.4, 0, 0], axis: z}\n";

static void find_angles(const hn_model *model, const hn_simulation_options *options,
                        double angle[2]) {
  hn_simulation *s = NULL;
  check_ok(hn_simulation_create(model, options, &s, NULL));
  check_ok(hn_simulation_advance(s, 2));
  check_ok(hn_simulation_value(s, "joint.A.angle", &angle[0]));
  check_ok(hn_simulation_value(s, "joint.D.angle", &angle[1]));
  hn_simulation_free(s);
}

static void a_change_of_independent_coordinates_keeps_the_motion(void **state) {
  (void)state;
  const char *formulas[] = {"sdirk4-16", "sdirk4-15"};
  const char *kinds[] = {"partition", "tangent-plane"};
  hn_load_options load = hn_default_load_options();
  hn_model *model = NULL;
  check_ok(hn_model_load_text(four_bar, sizeof four_bar - 1, "four-bar", &load, &model, NULL));
  hn_simulation_options options = hn_default_simulation_options();
  double known[2], angle[2];
  options.coordinates = "relative";
  options.method = "first-order";
  options.formula = "dopri5";
  options.tol = 1e-8;
  find_angles(model, &options, known);
  options.coordinates = "cartesian";
  options.method = "descriptor";
  for (int k = 0; k < 8; k++) {
    options.formula = formulas[k & 1];
    options.independent = kinds[k >> 1 & 1];
    options.tol = k < 4 ? 1e-4 : 1e-6;
    find_angles(model, &options, angle);
    print_message("%s %s %g: %.6f %.6f\n", options.formula, options.independent, options.tol,
                  angle[0] - known[0], angle[1] - known[1]);
    for (int i = 0; i < 2; i++) check_near(angle[i], known[i], 100 * options.tol);
  }
  hn_model_free(model);
}

static void a_restored_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_simulation *a = start(model, "sdirk4-16", 1e-6, 0), *b = start(model, "sdirk4-16", 1e-6, 0);
  check_ok(hn_simulation_advance(a, 0.3));
  size_t size = hn_simulation_save_size(a);
  unsigned char *saved = malloc(size);
  check_ok(hn_simulation_save(a, saved, size));
  check_ok(hn_simulation_restore(b, saved, size));
  check_ok(hn_simulation_advance(a, 0.6));
  check_ok(hn_simulation_advance(b, 0.6));
  assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
  free(saved);
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_model_free(model);
}

// On a machine that is not stiff the iteration must not be what limits the step.
static void few_steps_are_rejected_on_a_smooth_machine(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *s = start(model, "sdirk4-16", 1e-6, 0);
  check_ok(hn_simulation_advance(s, 2));
  hn_certificate c = hn_simulation_certificate(s);
  assert_true(c.newton_iterations > 0);
  assert_true(10 * c.steps_rejected < c.steps_accepted);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void a_step_asks_for_no_memory(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  options.step = 1e-3;
  options.method = "descriptor";
  options.formula = "sdirk4-16";
  options.allocator = &allocator;
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  long before = memory.calls;
  for (int k = 0; k < 1000; k++) check_ok(hn_simulation_step(s, 1e9));
  assert_int_equal(memory.calls, before);
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_formula_has_its_order_on_a_loop),
      cmocka_unit_test(a_stiff_damper_is_passed_in_large_steps),
      cmocka_unit_test(redundant_loops_and_singular_positions_are_passed),
      cmocka_unit_test(a_change_of_independent_coordinates_keeps_the_motion),
      cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
      cmocka_unit_test(few_steps_are_rejected_on_a_smooth_machine),
      cmocka_unit_test(a_step_asks_for_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
