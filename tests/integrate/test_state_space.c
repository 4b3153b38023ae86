// Method state-space, and descriptor with independent coordinates: both give the same numbers; new
// choices of coordinates cost no accuracy; redundant loops and singular configurations; work of
// drivers; ends of a run.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simulation.h"
#include "machines/machine.h"
#include "support/machines.h"

static const char *const kinds[] = {"partition", "tangent-plane"};

static hn_simulation *start(const hn_model *model, const char *method, const char *formula,
                            const char *independent, double tol, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  options.method = method;
  options.formula = formula;
  options.independent = independent;
  options.tol = tol;
  options.step = step;
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  return s;
}

static double distance(const hn_simulation *a, const hn_simulation *b) {
  double most = 0;
  for (int i = 0; i < a->equations->nq; i++)
    most = fmax(most, fabs(a->method->q[i] - b->method->q[i]));
  return most;
}

static void descriptor_gives_the_same_numbers(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  const char *formulas[] = {"trapezoidal", "sdirk4-16", "sdirk4-15"};
  for (int f = 0; f < 3; f++)
    for (int k = 0; k < 2; k++) {
      hn_simulation *a = start(model, "state-space", formulas[f], kinds[k], 1e-7, 0.01);
      hn_simulation *b = start(model, "descriptor", formulas[f], kinds[k], 1e-7, 0.01);
      check_ok(hn_simulation_advance(a, 0.5));
      check_ok(hn_simulation_advance(b, 0.5));
      assert_true(a->method->selections > 1);
      check_at_most(distance(a, b), 1e-9);
      hn_simulation_free(a);
      hn_simulation_free(b);
    }
  hn_model_free(model);
}

// The crank turns more than once: coordinates are chosen again during the run without an effect on
// the solution.
static void choices_on_the_way_lose_nothing(void **state) {
  (void)state;
  machine made = machine_open("slider-crank.yaml", NULL, 1e-11);
  machine_advance(&made, 0.12);
  for (int k = 0; k < 2; k++) {
    hn_simulation *s = start(made.model, "state-space", "sdirk4-15", kinds[k], 1e-8, 0);
    check_ok(hn_simulation_advance(s, 0.12));
    hn_certificate c = hn_simulation_certificate(s);
    print_message("%s: %ld choices in %ld steps, error %.1e\n", kinds[k], c.selections,
                  c.steps_accepted, distance(s, made.simulation));
    assert_true(c.selections > 2);
    assert_true(5 * c.selections < c.steps_accepted);
    check_at_most(distance(s, made.simulation), 1e-7);
    check_at_most(c.constraint_position, 1e-10);
    hn_simulation_free(s);
  }
  machine_close(&made);
}

static void a_stiff_damper_is_passed_in_large_steps(void **state) {
  (void)state;
  double k = 1e8, c = 2e5;
  double fast = (-c - sqrt(c * c - 4 * k)) / 2, slow = (-c + sqrt(c * c - 4 * k)) / 2;
  hn_model *model = hn_make_oscillator(k, c, 0.1);
  double exact = 0.1 * (fast * exp(slow * 0.05) - slow * exp(fast * 0.05)) / (fast - slow);
  for (int i = 0; i < 2; i++) {
    hn_simulation *s = start(model, "state-space", "sdirk4-16", kinds[i], 1e-5, 0);
    check_ok(hn_simulation_advance(s, 0.05));
    check_near(s->method->q[2], exact, 1e-4);
    assert_true(hn_simulation_certificate(s).steps_accepted < 150);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

// A model without stiff forces seldom needs a new matrix: it is kept over steps, and a rejected
// step only rescales it.
static void the_matrix_is_kept_over_steps(void **state) {
  (void)state;
  machine made = machine_open("car-axis.yaml", NULL, 1e-3);
  hn_simulation *s = start(made.model, "state-space", "sdirk4-16", "partition", 1e-5, 0);
  check_ok(hn_simulation_advance(s, 1));
  hn_certificate c = hn_simulation_certificate(s);
  assert_true(c.steps_rejected > 0);
  assert_true(5 * s->method->jacobians < c.steps_accepted);
  hn_simulation_free(s);
  machine_close(&made);
}

// Four-bars in a row, redundant in space and singular twice a turn, and Bricard's mechanism.
static void redundant_loops_and_singular_positions_are_passed(void **state) {
  (void)state;
  const char *models[] = {"iftomm/a02.yaml", "iftomm/a04.yaml"};
  const char *methods[] = {"state-space", "descriptor"};
  for (int m = 0; m < 2; m++) {
    machine made = machine_open(models[m], NULL, 1e-10);
    machine_advance(&made, 3);
    for (int k = 0; k < 4; k++) {
      hn_simulation *s = start(made.model, methods[k % 2], "sdirk4-16", kinds[k / 2], 1e-7, 0);
      check_ok(hn_simulation_advance(s, 3));
      check_at_most(distance(s, made.simulation), 1e-3);
      check_at_most(hn_simulation_certificate(s).constraint_position, 1e-9);
      hn_simulation_free(s);
    }
    machine_close(&made);
  }
}

// The work of drivers is the gain of energy, by every implicit method, also without anything to
// integrate.
static void the_work_of_drivers_balances_the_energy(void **state) {
  (void)state;
  const char *models[] = {"car-axis.yaml", "four-bar.yaml", "examples/driver-point.yaml"};
  const char *methods[][2] = {{"state-space", "sdirk4-16"},
                              {"descriptor", "sdirk4-16"},
                              {"first-order", "sdirk4-15"},
                              {"first-order", "rosenbrock"}};
  for (int m = 0; m < 3; m++) {
    machine made = machine_open(models[m], NULL, 1e-3);
    for (int k = 0; k < 8; k++) {
      hn_simulation *s =
          start(made.model, methods[k / 2][0], methods[k / 2][1], kinds[k % 2], 1e-6, 0);
      check_ok(hn_simulation_advance(s, 0.5));
      hn_certificate c = hn_simulation_certificate(s);
      print_message("%s %s %s %s: %ld steps, balance %.1e\n", models[m], methods[k / 2][0],
                    methods[k / 2][1], kinds[k % 2], c.steps_accepted, c.energy_relative);
      check_at_most(c.energy_relative, 1e-4);
      hn_simulation_free(s);
    }
    machine_close(&made);
  }
}

static void a_restored_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  machine made = machine_open("slider-crank.yaml", NULL, 1e-3);
  for (int k = 0; k < 2; k++) {
    hn_simulation *a = start(made.model, "state-space", "sdirk4-16", kinds[k], 1e-6, 0);
    hn_simulation *b = start(made.model, "state-space", "sdirk4-16", kinds[k], 1e-6, 0);
    check_ok(hn_simulation_advance(a, 0.06));
    size_t size = hn_simulation_save_size(a);
    unsigned char *saved = malloc(size);
    check_ok(hn_simulation_save(a, saved, size));
    check_ok(hn_simulation_restore(b, saved, size));
    check_ok(hn_simulation_advance(a, 0.15));
    check_ok(hn_simulation_advance(b, 0.15));
    assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
    assert_int_equal(a->method->selections, b->method->selections);
    free(saved);
    hn_simulation_free(a);
    hn_simulation_free(b);
  }
  machine_close(&made);
}

static void a_step_asks_for_no_memory(void **state) {
  (void)state;
  machine made = machine_open("slider-crank.yaml", NULL, 1e-3);
  const char *methods[] = {"state-space", "descriptor"};
  for (int k = 0; k < 4; k++) {
    hn_counting_memory memory = {0};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    hn_simulation *s = NULL;
    options.tol = 1e-4;
    options.method = methods[k % 2];
    options.formula = "sdirk4-16";
    options.independent = kinds[k / 2];
    options.allocator = &allocator;
    check_ok(hn_simulation_create(made.model, &options, &s, NULL));
    long before = memory.calls;
    check_ok(hn_simulation_advance(s, 0.3));
    assert_int_equal(memory.calls, before);
    assert_true(hn_simulation_certificate(s).selections > 3);
    assert_true(hn_simulation_certificate(s).steps_rejected > 0);
    hn_simulation_free(s);
  }
  machine_close(&made);
}

// ---- ends ---------------------------------------------------------------------------------------

static hn_model *load_failing(const char *name) {
  char file[1024];
  hn_model *model = NULL;
  hn_load_options load = hn_default_load_options();
  snprintf(file, sizeof file, "%s/tests/data/failing/%s", HOLON_SOURCE_DIR, name);
  check_ok(hn_model_load(file, &load, &model, NULL));
  return model;
}

// Time, element and numbers are in the message; what was computed can be read.
static void check_end(const char *file, const char *method, const char *independent,
                      hn_status status, const char *element, const char *or_element,
                      double earliest, double latest) {
  hn_model *model = load_failing(file);
  hn_simulation *s = start(model, method, "auto", independent, 1e-5, 0);
  check_status(hn_simulation_advance(s, 1), status);
  const hn_error *error = hn_simulation_error(s);
  if (status == HN_ERROR_STEP_SIZE) check_names(error->message, "");
  if (strcmp(error->element, element) != 0) assert_string_equal(error->element, or_element);
  assert_true(error->line > 0);
  assert_true(hn_simulation_time(s) >= earliest && hn_simulation_time(s) <= latest);
  check_ok(hn_simulation_look_at(s, hn_simulation_time(s)));
  double value = NAN;
  check_ok(hn_simulation_value(s, "constraint.position", &value));
  check_at_most(value, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void a_dead_end_names_joint_time_and_condition(void **state) {
  (void)state;
  const char *const ways[][2] = {{"first-order", "none"},
                                 {"descriptor", "none"},
                                 {"descriptor", "partition"},
                                 {"state-space", "partition"},
                                 {"state-space", "tangent-plane"}};
  for (int k = 0; k < 5; k++) {
    // the rod whose reach ends has two pins, and the rows of both are as weak
    check_end("past-its-reach.yaml", ways[k][0], ways[k][1], HN_ERROR_STEP_SIZE,
              "joint 'crank_pin'", "joint 'slider_pin'", 0.4999, 0.50001);
    check_end("two-drivers.yaml", ways[k][0], ways[k][1], HN_ERROR_INCONSISTENT, "driver 'brake'",
              "driver 'brake'", 0, 0.01);
  }
}

// In joint coordinates of loops a tolerance would mean something else: a seventh more steps, and a
// larger error than in Cartesian ones.
static void a_tolerance_means_the_same_in_relative_coordinates(void **state) {
  (void)state;
  static const char *const sets[] = {"relative", "cartesian", "relative"};
  machine made = machine_open("negrut/hmmwv14-stiff.yaml", NULL, 1e-3);
  double height[3];
  long steps[3];
  for (int k = 0; k < 3; k++) { // the first is the reference
    hn_simulation_options options = hn_default_simulation_options();
    hn_simulation *s = NULL;
    options.coordinates = sets[k];
    options.method = k ? "state-space" : "first-order";
    options.formula = k ? "trapezoidal" : "sdirk4-15";
    options.tol = k ? 1e-3 : 1e-7;
    check_ok(hn_simulation_create(made.model, &options, &s, NULL));
    check_ok(hn_simulation_advance(s, 1));
    height[k] = hn_simulation_signal(s, hn_simulation_find_signal(s, "chassis.z"));
    steps[k] = hn_simulation_certificate(s).steps_accepted;
    hn_simulation_free(s);
  }
  assert_true(steps[2] <= steps[1] && 3 * steps[2] > 2 * steps[1]);
  check_near(height[1], height[0], 1e-4);
  check_near(height[2], height[0], 1e-4);
  machine_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptor_gives_the_same_numbers),
      cmocka_unit_test(choices_on_the_way_lose_nothing),
      cmocka_unit_test(a_stiff_damper_is_passed_in_large_steps),
      cmocka_unit_test(the_matrix_is_kept_over_steps),
      cmocka_unit_test(a_tolerance_means_the_same_in_relative_coordinates),
      cmocka_unit_test(redundant_loops_and_singular_positions_are_passed),
      cmocka_unit_test(the_work_of_drivers_balances_the_energy),
      cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
      cmocka_unit_test(a_step_asks_for_no_memory),
      cmocka_unit_test(a_dead_end_names_joint_time_and_condition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
