// A run as a whole: exact motions, dense output, restart, determinism, memory.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simulation.h"
#include "machines/machine.h"
#include "support/machines.h"

static hn_simulation *start(const hn_model *model, double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *simulation = NULL;
  hn_error error;
  options.tol = tol;
  check_ok(hn_simulation_create(model, &options, &simulation, &error));
  return simulation;
}

// Jacobi elliptic functions, 40-digit arithmetic (IFToMM A01): the values of the benchmark's page.
static void the_pendulum_follows_its_exact_solution(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *s = start(model, 1e-10);
  check_ok(hn_simulation_advance(s, 1));
  check_near(s->method->q[0], 0.986291751131875319, 1e-8);
  check_near(s->method->q[1], -0.165010853125541169, 1e-8);
  check_near(s->method->qd[0], 0.296905515916315822, 1e-7);
  check_ok(hn_simulation_advance(s, 10));
  check_near(s->method->q[0], -0.27508746257611686, 1e-7);
  check_near(s->method->q[1], -0.961419205099125064, 1e-7);
  check_at_most(hn_simulation_certificate(s).constraint_position, 1e-12);
  hn_simulation_free(s);
  hn_model_free(model);
}

// x(t) = e^(-d t) (cos w t + d/w sin w t) z0 with d = c/2, w = sqrt(k - d^2)
static double damped(double k, double c, double t) {
  double d = c / 2, w = sqrt(k - d * d);
  return exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
}

static void the_oscillator_is_exact_also_between_steps(void **state) {
  (void)state;
  hn_model *model = hn_make_oscillator(40, 0.6, 1);
  hn_simulation *s = start(model, 1e-8);
  double worst = 0;
  while (hn_simulation_time(s) < 5) {
    double from = hn_simulation_time(s);
    check_ok(hn_simulation_step(s, 5));
    double to = hn_simulation_time(s);
    for (int k = 1; k <= 7; k++) {
      double t = from + (to - from) * k / 7.0;
      check_ok(hn_simulation_look_at(s, k == 7 ? to : t));
      double error = fabs(s->view.snapshot->frames[1].r.z - damped(40, 0.6, k == 7 ? to : t));
      if (error > worst) worst = error;
    }
  }
  check_at_most(worst, 1e-7);
  check_at_most(hn_simulation_certificate(s).energy_relative, 2e-7);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void halving_a_fixed_step_gains_five_orders_of_two(void **state) {
  (void)state;
  hn_model *model = hn_make_oscillator(40, 0.6, 1);
  double error[3];
  for (int k = 0; k < 3; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    hn_simulation *s = NULL;
    options.step = 0.05 / (1 << k);
    check_ok(hn_simulation_create(model, &options, &s, NULL));
    check_ok(hn_simulation_advance(s, 1));
    error[k] = fabs(s->method->q[2] - damped(40, 0.6, 1));
    assert_int_equal(hn_simulation_certificate(s).steps_accepted, 20 << k);
    hn_simulation_free(s);
  }
  check_near(log2(error[0] / error[1]), 5, 0.4);
  check_near(log2(error[1] / error[2]), 5, 0.4);
  hn_model_free(model);
}

static void four_bars_pass_their_singular_positions_on_the_right_branch(void **state) {
  (void)state;
  int sizes[] = {1, 2, 5, 10};
  for (int k = 0; k < 4; k++) {
    hn_model *model = hn_make_four_bars(sizes[k]);
    hn_simulation *s = start(model, 1e-9);
    check_ok(hn_simulation_advance(s, 3));
    double phi = hn_four_bars_angle(sizes[k], 3);
    // the first crank's center is half way to its tip (sin phi, cos phi)
    check_near(s->method->q[0], 0.5 * sin(phi), 1e-6);
    check_near(s->method->q[1], 0.5 * cos(phi), 1e-6);
    check_at_most(hn_simulation_certificate(s).constraint_position, 1e-10);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

static void a_step_asks_for_no_memory(void **state) {
  (void)state;
  hn_model *model = hn_make_four_bars(3);
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  options.step = 1e-3;
  options.allocator = &allocator;
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  long before = memory.calls;
  for (int k = 0; k < 1000; k++) check_ok(hn_simulation_step(s, 1e9));
  assert_int_equal(memory.calls, before);
  hn_simulation_free(s);
  assert_int_equal(memory.living, 0);
  hn_model_free(model);
}

static void creation_survives_every_failing_allocation(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_status status = HN_ERROR_MEMORY;
  for (long fail = 1; status != HN_OK && fail < 1000; fail++) {
    hn_counting_memory memory = {.fail_at = fail};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    hn_simulation *s = NULL;
    hn_error error;
    options.allocator = &allocator;
    status = hn_simulation_create(model, &options, &s, &error);
    if (status != HN_OK) {
      assert_int_equal(status, HN_ERROR_MEMORY);
      assert_null(s);
    }
    hn_simulation_free(s);
    assert_int_equal(memory.living, 0);
  }
  assert_int_equal(status, HN_OK);
  hn_model_free(model);
}

static void the_same_run_gives_the_same_bits(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  unsigned long long hash[2];
  for (int k = 0; k < 2; k++) {
    hn_simulation *s = start(model, 1e-7);
    check_ok(hn_simulation_advance(s, 0.5));
    hash[k] = hn_simulation_state_hash(s);
    hn_simulation_free(s);
  }
  assert_true(hash[0] == hash[1]);
  hn_model_free(model);
}

static void looking_between_steps_changes_no_bit(void **state) {
  (void)state;
  hn_model *model = hn_make_four_bars(2);
  hn_simulation *a = start(model, 1e-7), *b = start(model, 1e-7);
  check_ok(hn_simulation_advance(a, 1.5));
  while (hn_simulation_time(b) < 1.5) {
    check_ok(hn_simulation_step(b, 1.5));
    double t = hn_simulation_time(b), h = hn_simulation_last_step(b);
    for (int k = 1; k < 4; k++) check_ok(hn_simulation_look_at(b, t - h * k / 4));
  }
  assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_model_free(model);
}

static void a_restored_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  hn_model *model = hn_make_four_bars(3);
  hn_simulation *a = start(model, 1e-7), *b = start(model, 1e-7);
  check_ok(hn_simulation_advance(a, 0.4));
  size_t size = hn_simulation_save_size(a);
  unsigned char *saved = malloc(size);
  check_ok(hn_simulation_save(a, saved, size));
  check_ok(hn_simulation_restore(b, saved, size));
  check_ok(hn_simulation_advance(a, 0.9));
  check_ok(hn_simulation_advance(b, 0.9));
  assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
  assert_int_equal(hn_simulation_certificate(a).steps_accepted,
                   hn_simulation_certificate(b).steps_accepted);
  saved[size / 2] ^= 1;
  check_status(hn_simulation_restore(b, saved, size), HN_ERROR_ARGUMENT);
  check_status(hn_simulation_restore(b, saved, size / 2), HN_ERROR_ARGUMENT);
  free(saved);
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_model_free(model);
}

static void a_state_of_another_model_is_refused(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank(), *other = hn_make_four_bars(2);
  hn_simulation *a = start(model, 1e-7), *b = start(other, 1e-7);
  size_t size = hn_simulation_save_size(a);
  unsigned char *saved = malloc(size);
  check_ok(hn_simulation_save(a, saved, size));
  check_status(hn_simulation_restore(b, saved, size), HN_ERROR_ARGUMENT);
  free(saved);
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_model_free(model);
  hn_model_free(other);
}

static void a_state_of_a_run_with_other_options_is_refused(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_simulation *a = start(model, 1e-7), *b = start(model, 1e-6);
  size_t size = hn_simulation_save_size(a);
  unsigned char *saved = malloc(size);
  check_ok(hn_simulation_save(a, saved, size));
  check_status(hn_simulation_restore(b, saved, size), HN_ERROR_ARGUMENT);
  free(saved);
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_model_free(model);
}

// A free body that spins evenly keeps its speed and its energy at any tolerance. After several
// turns of its crank: in Cartesian coordinates the state does not contain them.
static void a_driven_machine_can_be_set_back(void **state) {
  (void)state;
  static const char *const sets[] = {"cartesian", "relative"};
  machine made = machine_open("four-bar.yaml", NULL, 0);
  for (int k = 0; k < 2; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    hn_simulation *used = NULL, *fresh = NULL;
    hn_error error;
    options.coordinates = sets[k];
    check_ok(hn_simulation_create(made.model, &options, &used, &error));
    check_ok(hn_simulation_create(made.model, &options, &fresh, &error));
    check_ok(hn_simulation_advance(used, 2));
    check_ok(hn_simulation_set_state(used, 0, hn_simulation_positions(fresh),
                                     hn_simulation_velocities(fresh)));
    check_ok(hn_simulation_advance(used, 0.3));
    check_ok(hn_simulation_advance(fresh, 0.3));
    double a, b;
    check_ok(hn_simulation_value(used, "driver.motor.force", &a));
    check_ok(hn_simulation_value(fresh, "driver.motor.force", &b));
    check_near(a, b, 1e-9 * (1 + fabs(b)));
    check_ok(hn_simulation_value(used, "joint.A.angle", &a));
    check_ok(hn_simulation_value(fresh, "joint.A.angle", &b));
    check_near(a, b, 1e-9);
    hn_simulation_free(used);
    hn_simulation_free(fresh);
  }
  machine_close(&made);
}

static void an_even_spin_stays_even(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_body_def body = hn_default_body();
  check_ok(hn_model_create(NULL, &model));
  body.name = "rotor";
  body.angular_velocity = (hn_vec3){0, 0, 314};
  check_ok(hn_model_add_body(model, &body, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation *s = start(model, 1e-3);
  check_ok(hn_simulation_advance(s, 10));
  check_near(s->method->now->frames[1].w.z, 314, 1e-6);
  check_at_most(hn_simulation_certificate(s).energy_relative, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void an_interrupted_run_keeps_its_state(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *s = start(model, 1e-7);
  check_ok(hn_simulation_advance(s, 0.1));
  hn_simulation_interrupt(s);
  check_status(hn_simulation_advance(s, 1), HN_ERROR_INTERRUPTED);
  check_near(hn_simulation_time(s), 0.1, 0);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void what_is_not_built_is_refused_with_the_valid_words(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_error error;
  options.formula = "magic";
  check_status(hn_simulation_create(model, &options, &s, &error), HN_ERROR_UNSUPPORTED);
  check_names(error.hint, "dopri5");
  options.formula = "auto";
  options.tol = -1;
  check_status(hn_simulation_create(model, &options, &s, &error), HN_ERROR_ARGUMENT);
  hn_model_free(model);
}

// Doubles have 16 digits. A small tolerance is no harm where the other one allows more, or where the
// step is given.
static void a_tolerance_below_the_rounding_is_refused(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_error error;
  options.tol = 1e-30;
  check_status(hn_simulation_create(model, &options, &s, &error), HN_ERROR_ARGUMENT);
  check_names(error.message, "1e-30");
  assert_null(s);
  options.step = 0.01;
  check_ok(hn_simulation_create(model, &options, &s, &error));
  hn_simulation_free(s);
  options.step = options.tol = 0;
  options.atol = 1e-8;
  options.rtol = 1e-30;
  check_ok(hn_simulation_create(model, &options, &s, &error));
  check_ok(hn_simulation_advance(s, 0.1));
  hn_simulation_free(s);
  s = start(model, 1e-15);
  check_ok(hn_simulation_advance(s, 0.1));
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pendulum_follows_its_exact_solution),
      cmocka_unit_test(the_oscillator_is_exact_also_between_steps),
      cmocka_unit_test(halving_a_fixed_step_gains_five_orders_of_two),
      cmocka_unit_test(four_bars_pass_their_singular_positions_on_the_right_branch),
      cmocka_unit_test(a_step_asks_for_no_memory),
      cmocka_unit_test(creation_survives_every_failing_allocation),
      cmocka_unit_test(the_same_run_gives_the_same_bits),
      cmocka_unit_test(looking_between_steps_changes_no_bit),
      cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
      cmocka_unit_test(a_state_of_another_model_is_refused),
      cmocka_unit_test(a_state_of_a_run_with_other_options_is_refused),
      cmocka_unit_test(a_driven_machine_can_be_set_back),
      cmocka_unit_test(an_even_spin_stays_even),
      cmocka_unit_test(an_interrupted_run_keeps_its_state),
      cmocka_unit_test(a_tolerance_below_the_rounding_is_refused),
      cmocka_unit_test(what_is_not_built_is_refused_with_the_valid_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
