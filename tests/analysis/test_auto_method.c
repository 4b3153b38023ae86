// Method auto: stiff models end up with an implicit method, others keep the explicit one and pay
// nothing; a run that is saved while it changes continues bit for bit.
#include "machines/machine.h"

#include "analysis/simulation.h"
#include "support/machines.h"

static hn_simulation *start(const hn_model *model, const char *method, double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_error error;
  options.method = method;
  options.tol = tol;
  if (hn_simulation_create(model, &options, &s, &error)) machine_stop(method, &error);
  return s;
}

static void advance(hn_simulation *s, double time) {
  if (hn_simulation_advance(s, time)) machine_stop("advance", hn_simulation_error(s));
}

static hn_certificate run(const char *path, const char *method, double tol, double time,
                          unsigned long long *hash) {
  machine made = machine_open(path, NULL, tol);
  hn_simulation *s = start(made.model, method, tol);
  advance(s, time);
  hn_certificate c = hn_simulation_certificate(s);
  print_message("%s %s: %s %s, %ld steps, %ld evaluations, %ld iterations; %s\n", path, method,
                c.method, c.formula, c.steps_accepted, c.evaluations, c.newton_iterations,
                c.choice);
  if (hash) *hash = hn_simulation_state_hash(s);
  hn_simulation_free(s);
  machine_close(&made);
  return c;
}

static void stiff_machines_end_with_an_implicit_method(void **state) {
  (void)state;
  static const struct {
    const char *path;
    double time;
    long steps;
  } rows[] = {{"negrut/double-pendulum.yaml", 2, 250}, {"negrut/hmmwv14-stiff.yaml", 4, 400}};
  for (int k = 0; k < 2; k++)
    for (double tol = 1e-2; tol > 0.9e-4; tol /= 100) {
      hn_certificate c = run(rows[k].path, "auto", tol, rows[k].time, NULL);
      assert_string_equal(c.method, "descriptor");
      assert_string_equal(c.formula, "sdirk4-16");
      assert_true(c.choice[0] != '\0');
      assert_true(c.steps_accepted < rows[k].steps);
    }
}

// Each method in the order of its first step, with the time that its steps covered.
static void the_certificate_names_every_method(void **state) {
  (void)state;
  hn_certificate c = run("negrut/double-pendulum.yaml", "auto", 1e-4, 2, NULL);
  double sum = 0;
  assert_int_equal(c.use_count, 2);
  assert_string_equal(c.uses[0].formula, "dopri5");
  assert_string_equal(c.uses[1].formula, "sdirk4-16");
  assert_string_equal(c.uses[1].method, c.method);
  for (int k = 0; k < c.use_count; k++) sum += c.uses[k].time;
  check_near(c.uses[0].first, 0, 0);
  assert_true(c.uses[1].first > 0 && c.uses[1].first <= c.uses[0].time);
  check_near(sum, 2, 1e-12);
  c = run("negrut/double-pendulum.yaml", "descriptor", 1e-4, 0.1, NULL);
  assert_int_equal(c.use_count, 1);
  check_near(c.uses[0].time, 0.1, 1e-13);
}

// The flyball governor's springs are stiff enough to hold explicit steps.
static void a_governor_is_cheaper_implicit(void **state) {
  (void)state;
  hn_certificate a = run("iftomm/a05.yaml", "auto", 1e-4, 2, NULL);
  hn_certificate b = run("iftomm/a05.yaml", "first-order", 1e-4, 2, NULL);
  assert_string_equal(a.method, "descriptor");
  assert_true(a.steps_accepted < b.steps_accepted / 4);
}

// The tyre saturates within the stages: h lambda stays below 0.1 at the border of stability. The
// speed is exact, of rolling resistance and drag.
static void a_coasting_wheel_ends_with_an_implicit_method(void **state) {
  (void)state;
  machine made = machine_open("vehicles/references/coast-down.yaml", NULL, 1e-4);
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error;
  double v;
  options.tol = 1e-4;
  if (hn_simulation_create(made.model, &options, &s, &error)) machine_stop("coasting", &error);
  advance(s, 158.69964673732056);
  const hn_certificate c = hn_simulation_certificate(s);
  assert_string_equal(c.formula, "sdirk4-16");
  check_at_most((double)c.steps_accepted, 10000);
  check_ok(hn_simulation_value(s, "v", &v));
  check_near(v, 2.0184803864277034, 1e-4);
  hn_simulation_free(s);
  machine_close(&made);
}

// Struts and tyres of the car hold explicit steps only now and then; implicit ones are twice as large,
// which pays where every stage has to close loops.
static void a_car_in_relative_coordinates_is_cheaper_implicit(void **state) {
  (void)state;
  machine made = machine_open("vlasenko/car.yaml", NULL, 1e-4);
  hn_certificate c[2];
  for (int k = 0; k < 2; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    hn_simulation *s = NULL;
    hn_error error;
    options.coordinates = "relative";
    options.method = k ? "first-order" : "auto";
    options.tol = 1e-4;
    if (hn_simulation_create(made.model, &options, &s, &error)) machine_stop("car", &error);
    advance(s, 8);
    c[k] = hn_simulation_certificate(s);
    hn_simulation_free(s);
  }
  assert_string_equal(c[0].formula, "sdirk4-16");
  assert_string_equal(c[1].formula, "dopri5");
  assert_true(2 * c[0].steps_accepted < c[1].steps_accepted);
  machine_close(&made);
}

static void machines_that_are_not_stiff_pay_nothing(void **state) {
  (void)state;
  static const struct {
    const char *path;
    double time;
  } rows[] = {{"iftomm/a01.yaml", 10},    {"iftomm/a02.yaml", 5},      {"iftomm/a03.yaml", 0.05},
              {"andrews-ivp.yaml", 0.03}, {"negrut/chain.yaml", 0.5},  {"gyroscope.yaml", 1},
              {"slider-crank.yaml", 0.5}, {"double-wishbone.yaml", 1}, {"car-axis.yaml", 3}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
    for (double tol = 1e-3; tol > 0.9e-6; tol /= 100) {
      unsigned long long chosen, given;
      hn_certificate a = run(rows[k].path, "auto", tol, rows[k].time, &chosen);
      hn_certificate b = run(rows[k].path, "first-order", tol, rows[k].time, &given);
      assert_string_equal(a.formula, "dopri5");
      assert_true(a.choice[0] != '\0');
      assert_string_equal(b.choice, "");
      assert_int_equal(a.evaluations, b.evaluations);
      assert_true(chosen == given);
    }
}

// At tight tolerances smooth motions need half the evaluations with adams.
static void smooth_machines_take_adams_at_tight_tolerances(void **state) {
  (void)state;
  static const struct {
    const char *path;
    double time;
  } rows[] = {{"iftomm/a01.yaml", 10}, {"iftomm/a04.yaml", 10},
              {"gyroscope.yaml", 2},   {"car-axis.yaml", 3},
              {"four-bar.yaml", 2},    {"components/powertrain.yaml", 0.1}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    hn_certificate a = run(rows[k].path, "auto", 1e-9, rows[k].time, NULL);
    hn_certificate b = run(rows[k].path, "first-order", 1e-9, rows[k].time, NULL);
    assert_string_equal(a.formula, "adams");
    assert_string_equal(b.formula, "dopri5");
    check_names(a.choice, "adams");
    assert_true(10 * a.evaluations < 7 * b.evaluations);
  }
}

// Its first steps are small and smooth; what follows is stiff.
static void a_smooth_begin_does_not_hide_stiffness(void **state) {
  (void)state;
  for (double tol = 1e-7; tol > 0.9e-9; tol /= 10) {
    hn_certificate c = run("negrut/double-pendulum.yaml", "auto", tol, 2, NULL);
    assert_string_equal(c.formula, "sdirk4-16");
    assert_true(c.steps_accepted < 5000);
  }
}

// An event makes adams restart with small steps: one within its first thirty makes it wait.
static void events_send_back_to_dopri5(void **state) {
  (void)state;
  hn_certificate a = run("iltis/iltis.yaml", "auto", 1e-8, 8, NULL);
  hn_certificate b = run("iltis/iltis.yaml", "first-order", 1e-8, 8, NULL);
  assert_true(a.events > 100);
  assert_true((double)a.evaluations < 1.1 * (double)b.evaluations);
}

// The Iltis is damped enough to hold a step now and then: whatever is tried must not cost much.
static void the_iltis_costs_no_more_than_two_percent(void **state) {
  (void)state;
  hn_certificate a = run("iltis/iltis.yaml", "auto", 1e-5, 4, NULL);
  hn_certificate b = run("iltis/iltis.yaml", "first-order", 1e-5, 4, NULL);
  assert_true((double)a.evaluations <= 1.02 * (double)b.evaluations);
}

// Another run that continues from the state of this one.
static hn_simulation *twin(hn_simulation *a, const hn_model *model, double tol) {
  size_t size = hn_simulation_save_size(a);
  unsigned char *saved = malloc(size);
  hn_simulation *b = start(model, "auto", tol);
  check_ok(hn_simulation_save(a, saved, size));
  check_ok(hn_simulation_restore(b, saved, size));
  free(saved);
  return b;
}

static void step_alike(hn_simulation *a, hn_simulation *b) {
  check_ok(hn_simulation_step(a, 2));
  check_ok(hn_simulation_step(b, 2));
  assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
}

// Saved before the change, between two steps of the trial, and after it.
static void a_run_saved_while_it_changes_goes_on_bit_for_bit(void **state) {
  (void)state;
  machine made = machine_open("negrut/double-pendulum.yaml", NULL, 0);
  hn_simulation *a = start(made.model, "auto", 1e-4);
  hn_auto_state seen[3] = {HN_AUTO_EXPLICIT, HN_AUTO_TRIAL, HN_AUTO_IMPLICIT};
  int changing = 0;
  for (int k = 0; k < 3; k++) {
    while (a->automatic.choice.state != seen[k] || (k == 0 && !a->automatic.choice.is_changing))
      check_ok(hn_simulation_step(a, 2));
    changing += a->automatic.choice.is_changing;
    hn_simulation *b = twin(a, made.model, 1e-4);
    for (int i = 0; i < 40; i++) {
      step_alike(a, b);
      if (k < 2 && a->automatic.choice.state == seen[k + 1]) break;
    }
    hn_certificate from = hn_simulation_certificate(a), to = hn_simulation_certificate(b);
    assert_string_equal(from.choice, to.choice);
    assert_string_equal(from.method, to.method);
    assert_int_equal(from.use_count, to.use_count);
    for (int i = 0; i < from.use_count; i++) check_near(from.uses[i].time, to.uses[i].time, 0);
    assert_int_equal(from.evaluations, to.evaluations);
    hn_simulation_free(b);
  }
  assert_int_equal(changing, 1);
  hn_simulation_free(a);
  machine_close(&made);
}

// Adams keeps its differences: they are saved with the state, which is restored into dopri5.
static void a_smooth_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  machine made = machine_open("gyroscope.yaml", NULL, 0);
  hn_simulation *a = start(made.model, "auto", 1e-8);
  size_t size = hn_simulation_save_size(a);
  while (a->automatic.choice.state != HN_AUTO_SMOOTH) check_ok(hn_simulation_step(a, 2));
  for (int k = 0; k < 45; k++) check_ok(hn_simulation_step(a, 2));
  assert_int_equal(hn_simulation_save_size(a), size);
  hn_simulation *b = twin(a, made.model, 1e-8);
  assert_int_equal(b->automatic.choice.state, HN_AUTO_SMOOTH);
  for (int k = 0; k < 100; k++) step_alike(a, b);
  hn_simulation_free(a);
  hn_simulation_free(b);
  machine_close(&made);
}

// Looking back into the last explicit step after the change has been decided.
static void the_step_before_the_change_can_be_looked_into(void **state) {
  (void)state;
  machine made = machine_open("negrut/double-pendulum.yaml", NULL, 0);
  hn_simulation *a = start(made.model, "auto", 1e-4), *b = start(made.model, "auto", 1e-4);
  while (!a->automatic.choice.is_changing) check_ok(hn_simulation_step(a, 2));
  check_ok(hn_simulation_look_at(a, a->method->t - 0.5 * a->stepping.last));
  while (!b->automatic.choice.is_changing) check_ok(hn_simulation_step(b, 2));
  for (int i = 0; i < 30; i++) {
    check_ok(hn_simulation_step(a, 2));
    check_ok(hn_simulation_step(b, 2));
  }
  assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
  hn_simulation_free(a);
  hn_simulation_free(b);
  machine_close(&made);
}

static void a_new_state_starts_explicit_again(void **state) {
  (void)state;
  machine made = machine_open("negrut/double-pendulum.yaml", NULL, 0);
  hn_simulation *a = start(made.model, "auto", 1e-4), *b = start(made.model, "auto", 1e-4);
  double q[14], qd[14];
  memcpy(q, a->method->q, sizeof q);
  memcpy(qd, a->method->qd, sizeof qd);
  advance(a, 0.5);
  assert_int_equal(a->automatic.choice.state, HN_AUTO_IMPLICIT);
  check_ok(hn_simulation_set_state(a, 0, q, qd));
  check_ok(hn_simulation_set_state(b, 0, q, qd));
  assert_true(a->method->type == &hn_first_order);
  assert_string_equal(hn_simulation_certificate(a).choice, hn_simulation_certificate(b).choice);
  advance(a, 0.5);
  advance(b, 0.5);
  assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
  hn_simulation_free(a);
  hn_simulation_free(b);
  machine_close(&made);
}

// If the implicit method fails, the explicit one continues from the same state, and does not ask
// for the other soon.
static void after_a_retreat_the_explicit_method_goes_on(void **state) {
  (void)state;
  machine made = machine_open("negrut/double-pendulum.yaml", NULL, 0);
  hn_simulation *a = start(made.model, "auto", 1e-4), *b = start(made.model, "first-order", 1e-4);
  assert_false(hn_auto_retreats(a)); // there is nowhere to go
  while (a->automatic.choice.state != HN_AUTO_TRIAL) check_ok(hn_simulation_step(a, 2));
  for (int i = 0; i < 5; i++) check_ok(hn_simulation_step(a, 2));
  double time = hn_simulation_time(a);
  assert_true(hn_auto_retreats(a));
  assert_true(a->method->type == &hn_first_order && hn_simulation_time(a) == time);
  for (int i = 0; i < 500; i++) check_ok(hn_simulation_step(a, 2));
  assert_int_equal(a->automatic.choice.state, HN_AUTO_EXPLICIT);
  advance(b, hn_simulation_time(a));
  check_near_many(a->method->q, b->method->q, 14, 1e-3);
  hn_simulation_free(a);
  hn_simulation_free(b);
  machine_close(&made);
}

static void a_change_asks_for_no_memory(void **state) {
  (void)state;
  machine made = machine_open("negrut/double-pendulum.yaml", NULL, 0);
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  options.tol = 1e-4;
  options.allocator = &allocator;
  check_ok(hn_simulation_create(made.model, &options, &s, NULL));
  long before = memory.calls;
  advance(s, 0.5);
  assert_int_equal(s->automatic.choice.state, HN_AUTO_IMPLICIT);
  assert_int_equal(memory.calls, before);
  hn_simulation_free(s);
  machine_close(&made);
}

static void a_method_that_is_given_stays(void **state) {
  (void)state;
  machine made = machine_open("negrut/double-pendulum.yaml", NULL, 0);
  hn_simulation *s = start(made.model, "first-order", 1e-3);
  assert_null(s->automatic.implicit_method);
  int held = 0;
  while (hn_simulation_time(s) < 0.01) {
    check_ok(hn_simulation_step(s, 2));
    held += s->method->stiffness > 3.25;
  }
  assert_true(held > 100);
  assert_string_equal(hn_simulation_certificate(s).formula, "dopri5");
  hn_simulation_free(s);
  machine_close(&made);
}

// Steps a hundred times what explicit formulas bear: none of them is taken explicitly. Reference:
// closed form, two independent codes (docs/reference/verification.md).
static void a_fixed_step_beyond_stability_is_taken_by_the_implicit_method(void **state) {
  (void)state;
  hn_simulation_options options = hn_default_simulation_options();
  options.step = 0.005;
  options.coordinates = "auto";
  machine made = machine_open_by("negrut/double-pendulum.yaml", NULL, &options);
  machine_advance(&made, 2);
  hn_certificate c = hn_simulation_certificate(made.simulation);
  assert_string_equal(c.formula, "sdirk4-16");
  assert_int_equal(c.steps_accepted, 400);
  check_near(machine_value(&made, "theta1"), 4.60188053208, 1e-4);
  machine_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stiff_machines_end_with_an_implicit_method),
      cmocka_unit_test(the_certificate_names_every_method),
      cmocka_unit_test(a_governor_is_cheaper_implicit),
      cmocka_unit_test(a_coasting_wheel_ends_with_an_implicit_method),
      cmocka_unit_test(a_car_in_relative_coordinates_is_cheaper_implicit),
      cmocka_unit_test(machines_that_are_not_stiff_pay_nothing),
      cmocka_unit_test(smooth_machines_take_adams_at_tight_tolerances),
      cmocka_unit_test(a_smooth_begin_does_not_hide_stiffness),
      cmocka_unit_test(events_send_back_to_dopri5),
      cmocka_unit_test(a_smooth_run_goes_on_bit_for_bit),
      cmocka_unit_test(the_iltis_costs_no_more_than_two_percent),
      cmocka_unit_test(a_run_saved_while_it_changes_goes_on_bit_for_bit),
      cmocka_unit_test(the_step_before_the_change_can_be_looked_into),
      cmocka_unit_test(a_new_state_starts_explicit_again),
      cmocka_unit_test(after_a_retreat_the_explicit_method_goes_on),
      cmocka_unit_test(a_change_asks_for_no_memory),
      cmocka_unit_test(a_method_that_is_given_stays),
      cmocka_unit_test(a_fixed_step_beyond_stability_is_taken_by_the_implicit_method),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
