// A third run where two do not suffice. The flame a' = a^2 - a^3 has an exact solution: with
// g(a) = 1/a + ln(1/a - 1), g(a) = g(a0) - t. Errors before its ignition are amplified by 1/a0^2, so
// that a run with a quarter of the tolerance is hardly more accurate.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/load.h"
#include "holon/run.h"
#include "support/check.h"

typedef struct result {
  hn_model *model;
  hn_simulation *simulation;
  hn_recording recording;
  double error, bar; // of output a
} result;

static void create(result *r, const char *text, double tol) {
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  if (hn_model_load_text(text, strlen(text), "flame.yaml", NULL, &r->model, &error) != HN_OK)
    fail_msg("%s %s", error.element, error.message);
  check_ok(hn_simulation_create(r->model, &options, &r->simulation, &error));
}

static void run(result *r, const hn_run_plan *plan) {
  hn_error error = {0};
  hn_run_outcome outcome;
  check_ok(hn_recording_create(r->simulation, plan, 0, &r->recording, &error));
  const hn_run_sink sink = hn_recording_sink(&r->recording);
  check_ok(hn_run(r->simulation, plan, &sink, &outcome));
  const hn_accuracy *a = hn_simulation_accuracy(r->simulation);
  assert_true(a->is_estimated);
  r->bar = -1;
  for (int k = 0; k < a->signal_count; k++)
    if (strcmp(a->signals[k].name, "a") == 0) r->bar = a->signals[k].absolute;
  assert_true(r->bar >= 0);
}

static void release(result *r) {
  hn_recording_free(&r->recording);
  hn_simulation_free(r->simulation);
  hn_model_free(r->model);
}

static const double *column(const result *r, const char *name) {
  return hn_results_column(r->recording.all, hn_results_find(r->recording.all, name));
}

static int has_third(const result *r) {
  return strstr(hn_simulation_accuracy(r->simulation)->how, "third") != NULL;
}

static const char *flame(double start, double end, char text[400]) {
  snprintf(text, 400,
           "bodies: {m: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
           "joints: {g: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x}}\n"
           "states: {a: {rate: 'a^2 - a^3', initial: %.17g}}\n"
           "outputs: {a: state.a}\nsimulation: {time: %.17g}\n",
           start, end);
  return text;
}

static double g(double a) { return 1 / a + log(1 / a - 1); }

// g falls from infinity to minus infinity.
static double exact_flame(double start, double t) {
  double low = start, high = 1;
  for (int k = 0; k < 200 && low < high; k++) {
    const double middle = 0.5 * (low + high);
    if (middle < 1 && g(middle) > g(start) - t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void compare_flame(result *r, double start) {
  const double *t = hn_results_time(r->recording.all), *a = column(r, "a");
  r->error = 0;
  for (int k = 0; k < hn_results_row_count(r->recording.all); k++)
    r->error = fmax(r->error, fabs(a[k] - exact_flame(start, t[k])));
}

static void an_amplified_error_is_covered(void **state) {
  (void)state;
  static const double starts[] = {0.00312927138, 0.00354182226, 0.002, 0.01};
  static const double tolerances[] = {1e-4, 1e-5, 1e-6, 1e-7};
  for (int s = 0; s < 4; s++)
    for (int k = 0; k < 4; k++) {
      char text[400];
      result r = {0};
      create(&r, flame(starts[s], 2 / starts[s], text), tolerances[k]);
      run(&r, &(hn_run_plan){.accuracy = HN_ACCURACY_ON});
      compare_flame(&r, starts[s]);
      const hn_grade grade = hn_simulation_verdict(r.simulation, NULL).grade;
      if (grade == HN_SOUND) check_at_most(r.error, 75 * tolerances[k] * 2);
      check_at_most(r.error, has_third(&r) ? r.bar : 2 * r.bar);
      check_at_most(r.bar, 1e-9 + 30 * r.error);
      release(&r);
    }
}

// The second part of a run starts from its state, not from the model's start: so does the third run.
static void a_third_run_starts_where_the_first_one_does(void **state) {
  (void)state;
  const double start = 0.00312927138;
  char text[400];
  result r = {0};
  hn_run_outcome outcome;
  create(&r, flame(start, 639, text), 1e-6);
  check_ok(hn_run(r.simulation, &(hn_run_plan){.time = 100, .accuracy = HN_ACCURACY_OFF}, NULL,
                  &outcome));
  run(&r, &(hn_run_plan){.time = 639, .accuracy = HN_ACCURACY_ON});
  compare_flame(&r, start);
  assert_true(has_third(&r));
  check_at_most(r.error, 3 * r.bar); // the estimate is of the second part
  check_at_most(r.bar, 30 * r.error);
  release(&r);
}

// A flame with an input c that a table changes: the third run reads the table, too.
static const char driven[] =
    "inputs: {c: {}}\n"
    "bodies: {m: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
    "joints: {g: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x}}\n"
    "states: {a: {rate: 'a^2 - a^3 + c', initial: 0.00312927138}}\n"
    "outputs: {a: state.a}\nsimulation: {time: 639}\n";

static void write_table(const char *path) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("time,c\n0,0\n100,1e-6\n200,-1e-6\n300,0\n", file);
  assert_int_equal(fclose(file), 0);
}

static double driven_rate(double t, double a) {
  const double c = t < 100 ? t / 100 : t < 200 ? 3 - t / 50 : t < 300 ? t / 100 - 3 : 0;
  return a * a * (1 - a) + 1e-6 * c;
}

// From t to `end` in steps of 0.005 s by the classical Runge-Kutta formula.
static double driven_at(double *t, double a, double end) {
  const int steps = (int)ceil((end - *t) / 0.005);
  const double h = (end - *t) / (steps > 0 ? steps : 1);
  for (int k = 0; k < steps; k++, *t += h) {
    const double k1 = driven_rate(*t, a), k2 = driven_rate(*t + h / 2, a + h / 2 * k1);
    const double k3 = driven_rate(*t + h / 2, a + h / 2 * k2), k4 = driven_rate(*t + h, a + h * k3);
    a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  *t = end;
  return a;
}

static void a_third_run_reads_the_tables_of_inputs(void **state) {
  (void)state;
  const char *path = "confirm_input.csv";
  const char *const words[] = {path};
  result r = {0};
  hn_inputs *inputs = NULL;
  hn_error error = {0};
  write_table(path);
  create(&r, driven, 1e-6);
  check_ok(hn_inputs_create(r.model, words, 1, &inputs, &error));
  hn_run_plan plan = {.accuracy = HN_ACCURACY_ON};
  plan.table_count = hn_inputs_tables(inputs, &plan.tables);
  check_ok(hn_inputs_give(inputs, r.simulation));
  run(&r, &plan);
  const double *t = hn_results_time(r.recording.all), *a = column(&r, "a");
  double from = 0, exact = a[0];
  for (int k = 0; k < hn_results_row_count(r.recording.all); k++) {
    exact = driven_at(&from, exact, t[k]);
    r.error = fmax(r.error, fabs(a[k] - exact));
  }
  assert_true(has_third(&r));
  check_at_most(r.error, r.bar);
  check_at_most(r.bar, 5 * r.error);
  hn_inputs_free(inputs);
  release(&r);
  remove(path);
}

static void an_estimate_far_below_the_limit_needs_no_third_run(void **state) {
  (void)state;
  char text[400];
  result r = {0};
  create(&r, flame(0.5, 2, text), 1e-6);
  run(&r, &(hn_run_plan){.accuracy = HN_ACCURACY_ON});
  compare_flame(&r, 0.5);
  assert_false(has_third(&r));
  check_at_most(r.error, r.bar);
  release(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_amplified_error_is_covered),
      cmocka_unit_test(a_third_run_starts_where_the_first_one_does),
      cmocka_unit_test(a_third_run_reads_the_tables_of_inputs),
      cmocka_unit_test(an_estimate_far_below_the_limit_needs_no_third_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
