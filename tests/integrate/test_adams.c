// Method first-order with formula adams on models: as exact as dopri5 with fewer evaluations,
// across singular configurations and events, restarted, interpolated, without allocation.
#include "analysis/simulation.h"
#include "machines/machine.h"
#include "support/machines.h"

static hn_simulation *start(const hn_model *model, const char *formula, double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *simulation = NULL;
  hn_error error;
  options.tol = tol;
  options.method = "first-order";
  options.formula = formula;
  check_ok(hn_simulation_create(model, &options, &simulation, &error));
  return simulation;
}

static long evaluations(const hn_simulation *s) { return hn_simulation_certificate(s).evaluations; }

// Jacobi elliptic functions, 40-digit arithmetic (IFToMM A01).
static void the_pendulum_follows_its_exact_solution(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *s = start(model, "adams", 1e-10);
  check_ok(hn_simulation_advance(s, 1));
  check_near(s->method->q[0], 0.986291751131875319, 1e-8);
  check_near(s->method->q[1], -0.165010853125541169, 1e-8);
  check_ok(hn_simulation_advance(s, 10));
  check_near(s->method->q[0], -0.27508746257611686, 1e-7);
  check_near(s->method->q[1], -0.961419205099125064, 1e-7);
  check_at_most(hn_simulation_certificate(s).constraint_position, 1e-12);
  check_at_most(hn_simulation_certificate(s).energy_relative, 1e-8);
  hn_simulation_free(s);
  hn_model_free(model);
}

// ---- against dopri5 -----------------------------------------------------------------------------

// An output against a series of tests/data, the largest error over the run; without one against a value
// at the end (the reduced equations of the double pendulum by extrapolation, 24 digits).
typedef struct trial {
  const char *model;
  double time;
  const char *output, *file, *column;
  double expected;
} trial;

static const trial trials[] = {
    {"andrews-ivp.yaml", 0.03, "beta", "andrews_ivp_0.03s.csv", "beta", 0},
    {"iftomm/a03.yaml", 0.05, "beta", "a03_andrews_0.05s.csv", "beta", 0},
    {"cardenal/double-pendulum.yaml", 5, "tip.y", NULL, NULL, -0.73956793254679585},
    {"iftomm/a01.yaml", 10, "x", "a01_pendulum_10s_exact.csv", "x", 0},
    {"iftomm/a02.yaml", 10, "B0.x", "a02_nfourbar_N2_10s_exact.csv", "B0x", 0},
    {"iftomm/a04.yaml", 10, "P.x", "a04_bricard_box_10s.csv", "P3x", 0},
};

static double error_over_run(const trial *t, machine *made) {
  if (!t->file) {
    machine_advance(made, t->time);
    return fabs(machine_value(made, t->output) - t->expected);
  }
  series data = series_read(t->file);
  int column = series_find(&data, t->column);
  double worst = 0;
  for (int row = 0; row < data.rows && series_at(&data, row, 0) <= t->time; row++) {
    machine_look(made, series_at(&data, row, 0), t->time);
    double error = fabs(machine_value(made, t->output) - series_at(&data, row, column));
    if (!(error <= worst)) worst = error;
  }
  series_free(&data);
  return worst;
}

static double run_trial(const trial *t, const char *formula, double tol, long *cost) {
  char path[1024];
  machine made = {0};
  snprintf(path, sizeof path, "%s/models/%s", HOLON_SOURCE_DIR, t->model);
  check_ok(hn_model_load(path, NULL, &made.model, NULL));
  made.simulation = start(made.model, formula, tol);
  double error = error_over_run(t, &made);
  *cost = evaluations(made.simulation);
  machine_close(&made);
  return error;
}

static void a_tight_tolerance_costs_less_than_by_dopri5(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof trials / sizeof trials[0]; k++) {
    long cost = 0, other = 0;
    double error = run_trial(&trials[k], "adams", 1e-8, &cost);
    double reference = run_trial(&trials[k], "dopri5", 1e-8, &other);
    print_message("%-32s evaluations %ld (dopri5 %ld), error %.1e (%.1e)\n", trials[k].model, cost,
                  other, error, reference);
    assert_true(10 * cost < 7 * other);
    check_at_most(error, 10 * reference);
  }
}

// Of a fixed order 5 a hundredth of the tolerance costs 2.5 times the steps.
static void the_order_grows_with_the_accuracy_asked_for(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof trials / sizeof trials[0]; k++) {
    long coarse = 0, fine = 0;
    run_trial(&trials[k], "adams", 1e-8, &coarse);
    double error = run_trial(&trials[k], "adams", 1e-10, &fine);
    assert_true(fine < 2 * coarse);
    check_at_most(error, 1e-6);
  }
}

// ---- dense output -------------------------------------------------------------------------------

// x(t) = e^(-d t) (cos w t + d/w sin w t) z0 with d = c/2, w = sqrt(k - d^2)
static double damped(double k, double c, double t) {
  double d = c / 2, w = sqrt(k - d * d);
  return exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
}

static void the_oscillator_is_exact_also_between_steps(void **state) {
  (void)state;
  hn_model *model = hn_make_oscillator(40, 0.6, 1);
  hn_simulation *s = start(model, "adams", 1e-8);
  double worst = 0;
  while (hn_simulation_time(s) < 5) {
    double from = hn_simulation_time(s);
    check_ok(hn_simulation_step(s, 5));
    double to = hn_simulation_time(s);
    for (int k = 1; k <= 7; k++) {
      double t = k == 7 ? to : from + (to - from) * k / 7.0;
      check_ok(hn_simulation_look_at(s, t));
      double error = fabs(s->view.snapshot->frames[1].r.z - damped(40, 0.6, t));
      if (error > worst) worst = error;
    }
  }
  check_at_most(worst, 1e-7);
  check_at_most(hn_simulation_certificate(s).energy_relative, 2e-7);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void the_dense_output_meets_both_ends_of_the_step(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_simulation *s = start(model, "adams", 1e-5);
  int nq = s->equations->nq;
  double *from = malloc((size_t)nq * sizeof(double)), *q = malloc((size_t)nq * sizeof(double)),
         *qd = malloc((size_t)nq * sizeof(double)), work, before;
  for (int k = 0; k < 60; k++) {
    memcpy(from, s->method->q, (size_t)nq * sizeof(double));
    before = s->method->work;
    check_ok(hn_simulation_step(s, 10));
    s->method->type->interpolate(s->method, 0, q, qd, &work);
    check_near_many(q, from, nq, 1e-14);
    check_near(work, before, 1e-12);
    s->method->type->interpolate(s->method, 1, q, qd, &work);
    check_near_many(q, s->method->q, nq, 0);
    check_near(work, s->method->work, 0);
  }
  free(from), free(q), free(qd);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void looking_between_steps_changes_no_bit(void **state) {
  (void)state;
  hn_model *model = hn_make_four_bars(2);
  hn_simulation *a = start(model, "adams", 1e-7), *b = start(model, "adams", 1e-7);
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

// A restart at each of them would cost some twenty steps at low order.
static void times_to_stop_at_do_not_begin_the_formula_again(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *a = start(model, "adams", 1e-8), *b = start(model, "adams", 1e-8);
  check_ok(hn_simulation_advance(a, 10));
  for (int k = 1; k <= 100; k++) check_ok(hn_simulation_advance(b, 0.1 * k));
  assert_true(10 * evaluations(b) < 16 * evaluations(a));
  // slivers between them cost more, but spoil nothing
  hn_simulation *c = start(model, "adams", 1e-8);
  for (int k = 1; k <= 100; k++) {
    check_ok(hn_simulation_advance(c, 0.1 * k - 1e-7));
    check_ok(hn_simulation_advance(c, 0.1 * k));
  }
  check_near(c->method->q[0], -0.27508746257611686, 1e-5);
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_simulation_free(c);
  hn_model_free(model);
}

// ---- restart ------------------------------------------------------------------------------------

static void a_restored_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  hn_model *model = hn_make_four_bars(3);
  double times[] = {0, 1e-4, 0.4};
  for (int k = 0; k < 3; k++) {
    hn_simulation *a = start(model, "adams", 1e-7), *b = start(model, "adams", 1e-7),
                  *unsaved = start(model, "adams", 1e-7);
    check_ok(hn_simulation_advance(a, times[k]));
    check_ok(hn_simulation_advance(unsaved, times[k]));
    size_t size = hn_simulation_save_size(a);
    unsigned char *saved = malloc(size);
    check_ok(hn_simulation_advance(b, 0.2)); // has a past of its own
    check_ok(hn_simulation_save(a, saved, size));
    check_ok(hn_simulation_restore(b, saved, size));
    hn_simulation *const all[] = {a, b, unsaved};
    for (int i = 0; i < 3; i++) { // a step cut short: the size to come back to was saved too
      check_ok(hn_simulation_advance(all[i], times[k] + 1e-6));
      check_ok(hn_simulation_advance(all[i], 0.9));
    }
    assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
    assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(unsaved));
    assert_int_equal(evaluations(a), evaluations(b));
    saved[size - 5] ^= 1;
    check_status(hn_simulation_restore(b, saved, size), HN_ERROR_ARGUMENT);
    free(saved);
    hn_simulation_free(a);
    hn_simulation_free(b);
    hn_simulation_free(unsaved);
  }
  hn_model_free(model);
}

// ---- events and singular configurations ---------------------------------------------------------

// A mass of 1 kg on a vertical guide, gravity -10, dropped from z = 1.25 on a stop of stiffness k.
static hn_model *dropped_mass(double k) {
  hn_model *model = NULL;
  hn_body_def body = hn_default_body();
  hn_joint_def joint = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  hn_force_def stop = hn_default_force(HN_FORCE_JOINT_STOP);
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, (hn_vec3){0, 0, -10}));
  body.name = "mass";
  body.position = (hn_vec3){0, 0, 1.25};
  check_ok(hn_model_add_body(model, &body, NULL));
  joint.name = "guide";
  joint.frame1 = hn_model_frame(model, HN_GROUND, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
  joint.frame2 = hn_model_frame(model, 1, (hn_vec3){0, 0, 1.25}, (hn_vec3){0, 0, 1});
  stop.name = "stop";
  check_ok(hn_model_add_joint(model, &joint, &stop.joint));
  stop.coordinate = HN_COORDINATE_DISPLACEMENT;
  stop.lower = 0;
  stop.upper = HUGE_VAL;
  stop.stiffness[0] = k;
  check_ok(hn_model_add_force(model, &stop, NULL));
  check_ok(hn_model_finish(model));
  return model;
}

// Free fall takes 0.5 s and ends at -5 m/s. On the spring, z = -10/k + A cos(w t + p) with w = sqrt(k);
// it leaves after pi/w + 2 atan(10/(5 w))/w, with +5 m/s, and flies 1 s.
static void a_mass_bounces_on_a_stop_as_the_formula_says(void **state) {
  (void)state;
  double k = 1e5, w = sqrt(k), contact = HN_PI / w + 2 * atan(10 / (5 * w)) / w;
  hn_model *model = dropped_mass(k);
  hn_simulation *s = start(model, "adams", 1e-9);
  check_ok(hn_simulation_advance(s, 3.2));
  hn_event events[8];
  assert_int_equal(hn_simulation_events(s, events, 8), 6);
  for (int bounce = 0; bounce < 3; bounce++) {
    double lands = 0.5 + bounce * (1 + contact);
    check_near(events[2 * bounce].time, lands, 1e-7);
    check_near(events[2 * bounce + 1].time, lands + contact, 1e-7);
  }
  double since = 3.2 - (0.5 + 2 * (1 + contact) + contact);
  check_near(s->method->q[2], 5 * since - 5 * since * since, 1e-6);
  check_at_most(hn_simulation_certificate(s).energy_balance, 1e-6);
  hn_simulation_free(s);
  hn_model_free(model);
}

// The step that ended at the event can be looked back into although the formula has begun again.
static void an_event_does_not_spoil_the_step_before_it(void **state) {
  (void)state;
  hn_model *model = dropped_mass(1e3);
  hn_simulation *s = start(model, "adams", 1e-9);
  while (hn_simulation_certificate(s).events == 0) check_ok(hn_simulation_step(s, 1));
  double t = hn_simulation_time(s), h = hn_simulation_last_step(s);
  for (int k = 1; k < 4; k++) {
    double time = t - h * k / 4;
    check_ok(hn_simulation_look_at(s, time));
    check_near(s->view.snapshot->frames[1].r.z, 1.25 - 5 * time * time, 1e-8);
  }
  hn_simulation_free(s);
  hn_model_free(model);
}

static void four_bars_pass_their_singular_positions_on_the_right_branch(void **state) {
  (void)state;
  int sizes[] = {1, 2, 5, 40};
  for (int k = 0; k < 4; k++) {
    hn_model *model = hn_make_four_bars(sizes[k]);
    hn_simulation *s = start(model, "adams", 1e-9);
    check_ok(hn_simulation_advance(s, 3));
    double phi = hn_four_bars_angle(sizes[k], 3);
    check_near(s->method->q[0], 0.5 * sin(phi), 1e-6);
    check_near(s->method->q[1], 0.5 * cos(phi), 1e-6);
    check_at_most(hn_simulation_certificate(s).constraint_position, 1e-10);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

// ---- promises -----------------------------------------------------------------------------------

static void a_step_asks_for_no_memory(void **state) {
  (void)state;
  hn_model *model = hn_make_four_bars(3);
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  options.tol = 1e-7;
  options.formula = "adams";
  options.allocator = &allocator;
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  long before = memory.calls;
  for (int k = 0; k < 500; k++) check_ok(hn_simulation_step(s, 1e9));
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
    options.formula = "adams";
    status = hn_simulation_create(model, &options, &s, &error);
    if (status != HN_OK) assert_int_equal(status, HN_ERROR_MEMORY);
    hn_simulation_free(s);
    assert_int_equal(memory.living, 0);
  }
  assert_int_equal(status, HN_OK);
  hn_model_free(model);
}

static void a_fixed_step_is_refused_with_the_way_out(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_error error;
  options.formula = "adams";
  options.step = 1e-3;
  check_status(hn_simulation_create(model, &options, &s, &error), HN_ERROR_UNSUPPORTED);
  check_names(error.message, "adams");
  check_names(error.hint, "@tol");
  hn_model_free(model);
}

static void a_first_step_and_a_largest_step_are_kept(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  options.formula = "adams";
  options.tol = 1e-6;
  options.first_step = 1e-5;
  options.max_step = 2e-3;
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  check_ok(hn_simulation_step(s, 1));
  check_near(hn_simulation_time(s), 1e-5, 0);
  check_ok(hn_simulation_advance(s, 0.1));
  check_near(hn_simulation_certificate(s).steps_between.largest, 2e-3, 1e-15);
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pendulum_follows_its_exact_solution),
      cmocka_unit_test(a_tight_tolerance_costs_less_than_by_dopri5),
      cmocka_unit_test(the_order_grows_with_the_accuracy_asked_for),
      cmocka_unit_test(the_oscillator_is_exact_also_between_steps),
      cmocka_unit_test(the_dense_output_meets_both_ends_of_the_step),
      cmocka_unit_test(looking_between_steps_changes_no_bit),
      cmocka_unit_test(times_to_stop_at_do_not_begin_the_formula_again),
      cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
      cmocka_unit_test(a_mass_bounces_on_a_stop_as_the_formula_says),
      cmocka_unit_test(an_event_does_not_spoil_the_step_before_it),
      cmocka_unit_test(four_bars_pass_their_singular_positions_on_the_right_branch),
      cmocka_unit_test(a_step_asks_for_no_memory),
      cmocka_unit_test(creation_survives_every_failing_allocation),
      cmocka_unit_test(a_fixed_step_is_refused_with_the_way_out),
      cmocka_unit_test(a_first_step_and_a_largest_step_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
