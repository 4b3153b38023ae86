// Forces of stiff springs whose oscillation a run does not resolve: no such run is sound while it is
// wrong. References in closed form.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/load.h"
#include "holon/run.h"
#include "support/check.h"

typedef struct graded_run {
  hn_model *model;
  hn_simulation *simulation;
  hn_recording recording;
  hn_verdict verdict;
} graded_run;

static graded_run run(const char *text, const char *formula, double tol) {
  graded_run r = {0};
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  if (formula) options.formula = formula;
  if (hn_model_load_text(text, strlen(text), "graded.yaml", NULL, &r.model, &error) != HN_OK)
    fail_msg("%s %s", error.element, error.message);
  check_ok(hn_simulation_create(r.model, &options, &r.simulation, &error));
  const hn_run_plan plan = {0};
  check_ok(hn_recording_create(r.simulation, &plan, 0, &r.recording, &error));
  const hn_run_sink sink = hn_recording_sink(&r.recording);
  hn_run_outcome outcome;
  check_ok(hn_run(r.simulation, &plan, &sink, &outcome));
  r.verdict = hn_simulation_verdict(r.simulation, NULL);
  return r;
}

static void free_run(graded_run *r) {
  hn_recording_free(&r->recording);
  hn_simulation_free(r->simulation);
  hn_model_free(r->model);
}

static const hn_accuracy_signal *estimate_of(const graded_run *r, const char *name) {
  const hn_accuracy *a = hn_simulation_accuracy(r->simulation);
  for (int k = 0; k < a->signal_count; k++)
    if (strcmp(a->signals[k].name, name) == 0) return &a->signals[k];
  fail_msg("no estimate of %s", name);
  return NULL;
}

// ---- two masses with a stiff spring between them, started at x0 ---------------------------------

typedef struct pair {
  double m1, m2, soft, hard, x0, time, row;
} pair;

static const char *pair_text(const pair *p, char *text, size_t size) {
  snprintf(text, size,
           "bodies: {one: {mass: %.17g}, two: {mass: %.17g, center: [1, 0, 0]}}\n"
           "joints:\n"
           "  g1: {type: translational, bodies: [ground, one], at: [0, 0, 0], axis: x,\n"
           "       initial: {displacement: %.17g}}\n"
           "  g2: {type: translational, bodies: [ground, two], at: [1, 0, 0], axis: x,\n"
           "       initial: {displacement: %.17g}}\n"
           "forces:\n"
           "  soft: {type: joint-spring-damper, joint: g1, stiffness: %.17g}\n"
           "  hard: {type: spring-damper, bodies: [one, two], points: [[0, 0, 0], [1, 0, 0]],\n"
           "         stiffness: %.17g, free_length: 1}\n"
           "outputs: {x: joint.g1.displacement, f: force.hard.value}\n"
           "simulation: {time: %.17g, output_step: %.17g}\n",
           p->m1, p->m2, p->x0, p->x0, p->soft, p->hard, p->time, p->row);
  return text;
}

// With x of the first mass and d = y - x: (soft - s (m1 + m2)) x = s m2 d and s m2 x = (hard - s m2) d
// in the mode of frequency sqrt(s). The force is hard A (cos w1 t - cos w2 t), because d(0) = 0.
static double pair_force(const pair *p, double t) {
  const double a = p->m1 * p->m2, b = p->soft * p->m2 + p->hard * (p->m1 + p->m2);
  const double large = (b + sqrt(b * b - 4 * a * p->soft * p->hard)) / (2 * a);
  const double s[2] = {p->soft * p->hard / (a * large), large};
  const double d[2] = {s[0] * p->m2 / (p->hard - s[0] * p->m2),
                       s[1] * p->m2 / (p->hard - s[1] * p->m2)};
  const double amplitude = p->hard * p->x0 * d[0] * d[1] / (d[1] - d[0]);
  return amplitude * (cos(sqrt(s[0]) * t) - cos(sqrt(s[1]) * t));
}

// Largest error of the magnitude of the force, and its largest value.
static double force_error(const graded_run *r, const pair *p, double *largest) {
  const double *t = hn_results_time(r->recording.all);
  const double *f = hn_results_column(r->recording.all, hn_results_find(r->recording.all, "f"));
  double error = 0;
  *largest = 0;
  for (int k = 0; k < hn_results_row_count(r->recording.all); k++) {
    const double exact = pair_force(p, t[k]);
    error = fmax(error, fmin(fabs(f[k] - exact), fabs(f[k] + exact)));
    *largest = fmax(*largest, fabs(exact));
  }
  return error;
}

// The force is all oscillation; the allowance of a force in N is larger than it.
static void a_force_off_by_its_whole_range_is_not_sound(void **state) {
  (void)state;
  static const char *const formulas[] = {"sdirk4-16", "trapezoidal", "rosenbrock"};
  const pair p = {2.8, 1, 1.1, 4.8e7, 0.65, 10, 0.1};
  char text[1500];
  for (int k = 0; k < 3; k++) {
    graded_run r = run(pair_text(&p, text, sizeof text), formulas[k], 1e-4);
    double largest;
    const double error = force_error(&r, &p, &largest), bar = estimate_of(&r, "f")->absolute;
    print_message("%s: force %.2g N, error %.2g, estimate %.2g, %s\n", formulas[k], largest, error,
                  bar, hn_grade_name(r.verdict.grade));
    check_at_most(error, bar);
    assert_true(error > 0.1 * largest);
    assert_true(r.verdict.grade >= HN_DOUBTFUL);
    free_run(&r);
  }
}

// The refined run gives up before the second row: nothing is known of the error.
static void an_estimate_that_broke_off_is_not_sound(void **state) {
  (void)state;
  const pair p = {0.36, 3.4, 1.4, 1.35e11, 0.33, 2, 2};
  char text[1500], reason[512];
  graded_run r = run(pair_text(&p, text, sizeof text), "trapezoidal", 1e-6);
  const hn_accuracy *a = hn_simulation_accuracy(r.simulation);
  assert_false(a->is_estimated);
  assert_true(a->has_failed);
  assert_int_equal(a->signal_count, 0);
  assert_int_equal(r.verdict.grade, HN_DOUBTFUL);
  assert_true(hn_verdict_reason(&r.verdict, 0, reason, sizeof reason));
  assert_non_null(strstr(reason, "the refined run took more than"));
  free_run(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_force_off_by_its_whole_range_is_not_sound),
      cmocka_unit_test(an_estimate_that_broke_off_is_not_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
