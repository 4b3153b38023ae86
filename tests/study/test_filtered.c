// Forces of stiff springs whose oscillation a run does not resolve: no such run is sound while it is
// wrong. References in closed form.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/load.h"
#include "holon/run.h"
#include "holon/verify.h"
#include "linalg/rank.h"
#include "math/vec.h"
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
  double m1, m2, soft, hard, x0, time, row, damping;
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
           "         stiffness: %.17g, free_length: 1, damping: %.17g}\n"
           "outputs: {x: joint.g1.displacement, f: force.hard.value}\n"
           "simulation: {time: %.17g, output_step: %.17g}\n",
           p->m1, p->m2, p->x0, p->x0, p->soft, p->hard, p->damping, p->time, p->row);
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
  const pair p = {2.8, 1, 1.1, 4.8e7, 0.65, 10, 0.1, 0};
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
  const pair p = {0.36, 3.4, 1.4, 1.35e11, 0.33, 2, 2, 0};
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

// ---- excited later ------------------------------------------------------------------------------

// The pair at rest at zero, with a load on the second mass. In mode k both move as (1, r), and the
// coordinate q of the mode has q'' + s q = r load / mass.
typedef struct pair_mode {
  double s, r, d, mass;
} pair_mode;

static void pair_modes(const pair *p, pair_mode modes[2]) {
  const double a = p->m1 * p->m2, b = p->soft * p->m2 + p->hard * (p->m1 + p->m2);
  const double large = (b + sqrt(b * b - 4 * a * p->soft * p->hard)) / (2 * a);
  const double s[2] = {p->soft * p->hard / (a * large), large};
  for (int k = 0; k < 2; k++) {
    const double d = s[k] * p->m2 / (p->hard - s[k] * p->m2);
    modes[k] = (pair_mode){s[k], 1 + d, d, p->m1 + p->m2 * (1 + d) * (1 + d)};
  }
}

static graded_run run_loaded(const pair *p, const char *load, double tol) {
  char text[2000];
  pair_text(p, text, sizeof text);
  char *outputs = strstr(text, "outputs:");
  char rest[400];
  snprintf(rest, sizeof rest, "%s", outputs);
  snprintf(outputs, sizeof text - (size_t)(outputs - text),
           "  load: {type: point-force, body: two, force: [\"%s\", 0, 0]}\n%s", load, rest);
  return run(text, "sdirk4-16", tol);
}

// Error of the force magnitude, where after(p, time since the load) is its exact value.
static double loaded_error(const graded_run *r, const pair *p, double from,
                           double (*after)(const pair *p, double t)) {
  const double *t = hn_results_time(r->recording.all);
  const double *f = hn_results_column(r->recording.all, hn_results_find(r->recording.all, "f"));
  double error = 0;
  for (int k = 0; k < hn_results_row_count(r->recording.all); k++) {
    if (t[k] < from) continue;
    const double exact = after(p, t[k]);
    error = fmax(error, fmin(fabs(f[k] - exact), fabs(f[k] + exact)));
  }
  return error;
}

static void check_lost(graded_run *r, double error, double least, const char *what) {
  char reason[512], rest[96];
  const hn_accuracy_signal *f = estimate_of(r, "f");
  const hn_accuracy *a = hn_simulation_accuracy(r->simulation);
  hn_verdict_reason(&r->verdict, 0, reason, sizeof reason);
  print_message("%s: error %.2g N, estimate %.2g (%s); %ld steps; %s\n", what, error, f->absolute,
                hn_grade_name(r->verdict.grade),
                hn_simulation_certificate(r->simulation).steps_accepted, reason);
  assert_true(error > least); // steps do filter it
  check_at_most(error, f->absolute);
  check_at_most(f->absolute, 6 * error);
  assert_true(r->verdict.grade >= HN_DOUBTFUL);
  assert_true(a->filtered > 0);
  assert_string_equal(a->filtered_force, "hard");
  snprintf(rest, sizeof rest, "in force '%s'", a->filtered_force);
  assert_non_null(strstr(reason, rest));
  free_run(r);
}

#define LOADED_AT 3.14159 // s

// A constant load of 1 N from LOADED_AT on: q = r load / (mass s) (1 - cos w t).
static double after_step(const pair *p, double t) {
  pair_mode m[2];
  double f = 0;
  pair_modes(p, m);
  for (int k = 0; k < 2 && t > LOADED_AT; k++)
    f += p->hard * m[k].d * m[k].r / (m[k].mass * m[k].s) *
         (1 - cos(sqrt(m[k].s) * (t - LOADED_AT)));
  return f;
}

static void an_oscillation_that_a_load_excites_later_is_not_sound(void **state) {
  (void)state;
  const pair p = {2, 1, 1, 1e8, 0, 10, 0.05, 0};
  char load[64];
  snprintf(load, sizeof load, "1 if t > %.17g else 0", LOADED_AT);
  graded_run r = run_loaded(&p, load, 1e-4);
  check_lost(&r, loaded_error(&r, &p, 0, after_step), 0.2, "step load");
}

// A load 25 exp(-(t/width)^2) about LOADED_AT has an impulse I = 25 sqrt(pi) width, and leaves
// q = r I / (mass w) exp(-(w width)^2 / 4) sin(w t).
static double width;
static double after_pulse(const pair *p, double t) {
  pair_mode m[2];
  double f = 0;
  pair_modes(p, m);
  for (int k = 0; k < 2; k++) {
    const double w = sqrt(m[k].s), impulse = 25 * sqrt(HN_PI) * width;
    f += p->hard * m[k].d * m[k].r * impulse / (m[k].mass * w) *
         exp(-0.25 * w * w * width * width) * sin(w * (t - LOADED_AT));
  }
  return f;
}

static void an_oscillation_that_a_short_load_excites_is_not_sound(void **state) {
  (void)state;
  const pair p = {2, 1, 1, 1e8, 0, 10, 0.05, 0};
  width = 1e-4; // w width = 1.2
  char load[96];
  snprintf(load, sizeof load, "25*exp(-((t - %.17g)/%.17g)^2)", LOADED_AT, width);
  graded_run r = run_loaded(&p, load, 1e-4);
  check_lost(&r, loaded_error(&r, &p, LOADED_AT + 0.01, after_pulse), 1, "short load");
}

// A spring of 1e10 N/m that takes hold of 1 kg at 1e-6 m/s: 0.1 N, by 1e-11 m.
static void a_spring_that_takes_hold_of_a_moving_mass_is_not_sound(void **state) {
  (void)state;
  static const char text[] =
      "bodies: {m: {mass: 1, inertia: [1, 1, 1]}, n: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  g: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x,\n"
      "      initial: {displacement_rate: 1e-6}}\n"
      "  o: {type: translational, bodies: [ground, n], at: [0, 0, 0], axis: x,\n"
      "      initial: {displacement: 1}}\n"
      "forces:\n"
      "  hard: {type: joint-spring-damper, joint: g, law: \"1e10*(x - 2e-6) if t > 2 else 0*x\"}\n"
      "  other: {type: joint-spring-damper, joint: o, stiffness: 4}\n"
      "outputs: {f: force.hard.value}\n"
      "simulation: {time: 10, output_step: 0.05}\n";
  graded_run r = run(text, "sdirk4-16", 1e-4);
  const double *t = hn_results_time(r.recording.all);
  const double *f = hn_results_column(r.recording.all, hn_results_find(r.recording.all, "f"));
  double error = 0;
  for (int k = 0; k < hn_results_row_count(r.recording.all); k++) {
    const double exact = t[k] > 2 ? 0.1 * sin(1e5 * (t[k] - 2)) : 0;
    error = fmax(error, fmin(fabs(f[k] - exact), fabs(f[k] + exact)));
  }
  check_lost(&r, error, 0.05, "moving mass");
}

// A load on a spring of 1e10 N/m follows the position cos(2 t) of another mass, sampled every second:
// x k = F - sum dF cos(w (t - t_k)) with the steps dF of the samples.
static void an_input_that_follows_an_output_excites_too(void **state) {
  (void)state;
  static const char text[] =
      "bodies: {m: {mass: 1, inertia: [1, 1, 1]}, n: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  g: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x}\n"
      "  o: {type: translational, bodies: [ground, n], at: [0, 0, 0], axis: x,\n"
      "      initial: {displacement: 1}}\n"
      "inputs: {held: {follows: y, every: 1}}\n"
      "forces:\n"
      "  hard: {type: joint-spring-damper, joint: g, stiffness: 1e10}\n"
      "  other: {type: joint-spring-damper, joint: o, stiffness: 4}\n"
      "  load: {type: point-force, body: m, force: [\"held\", 0, 0]}\n"
      "outputs: {f: force.hard.value, y: joint.o.displacement}\n"
      "simulation: {time: 10, output_step: 0.0503}\n";
  graded_run r = run(text, "sdirk4-16", 1e-4);
  const double *t = hn_results_time(r.recording.all);
  const double *f = hn_results_column(r.recording.all, hn_results_find(r.recording.all, "f"));
  double error = 0;
  for (int k = 0; k < hn_results_row_count(r.recording.all); k++) {
    double load = 0, oscillation = 0;
    for (int i = 0; i <= t[k]; i++) {
      oscillation += (cos(2.0 * i) - load) * cos(1e5 * (t[k] - i));
      load = cos(2.0 * i);
    }
    const double exact = load - oscillation;
    error = fmax(error, fmin(fabs(f[k] - exact), fabs(f[k] + exact)));
  }
  check_lost(&r, error, 1, "followed output");
}

// Nothing that is fast moves: the load acts on another mass, or grows slowly.
static void what_excites_nothing_stays_sound(void **state) {
  (void)state;
  static const char text[] =
      "bodies: {one: {mass: 2}, two: {mass: 1, center: [1, 0, 0]}, n: {mass: 1}}\n"
      "joints:\n"
      "  g1: {type: translational, bodies: [ground, one], at: [0, 0, 0], axis: x}\n"
      "  g2: {type: translational, bodies: [ground, two], at: [1, 0, 0], axis: x}\n"
      "  g: {type: translational, bodies: [ground, n], at: [0, 0, 0], axis: x}\n"
      "forces:\n"
      "  soft: {type: joint-spring-damper, joint: g1, stiffness: 1}\n"
      "  hard: {type: spring-damper, bodies: [one, two], points: [[0, 0, 0], [1, 0, 0]],\n"
      "         stiffness: 1e8, free_length: 1}\n"
      "  slow: {type: point-force, body: two, force: [\"step5(t, 1, 0, 4, 1)\", 0, 0]}\n"
      "  jump: {type: point-force, body: n, force: [\"1 if t > 3.1 else -1\", 0, 0]}\n"
      "outputs: {f: force.hard.value}\n"
      "simulation: {time: 10, output_step: 0.05}\n";
  graded_run r = run(text, "sdirk4-16", 1e-4);
  print_message("nothing: estimate %.2g, %s\n", estimate_of(&r, "f")->absolute,
                hn_grade_name(r.verdict.grade));
  assert_int_equal(r.verdict.grade, HN_SOUND);
  assert_true(hn_simulation_accuracy(r.simulation)->filtered == 0);
  free_run(&r);
}

// Six masses between springs, sampled at every step: a search costs more than the step. After a while
// most are left out, and `how` reports it.
static void searches_beyond_their_work_are_reported(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [1, 0, 0]\n"
      "bodies:\n"
      "  m0: {mass: 1, inertia: [1, 1, 1]}\n"
      "  m1: {mass: 1, inertia: [1, 1, 1]}\n"
      "  m2: {mass: 1, inertia: [1, 1, 1]}\n"
      "  m3: {mass: 1, inertia: [1, 1, 1]}\n"
      "  m4: {mass: 1, inertia: [1, 1, 1]}\n"
      "  m5: {mass: 1, inertia: [1, 1, 1]}\n"
      "joints:\n"
      "  g0: {type: translational, bodies: [ground, m0], at: [0, 0, 0], axis: x}\n"
      "  g1: {type: translational, bodies: [m0, m1], at: [0, 0, 0], axis: x}\n"
      "  g2: {type: translational, bodies: [m1, m2], at: [0, 0, 0], axis: x}\n"
      "  g3: {type: translational, bodies: [m2, m3], at: [0, 0, 0], axis: x}\n"
      "  g4: {type: translational, bodies: [m3, m4], at: [0, 0, 0], axis: x}\n"
      "  g5: {type: translational, bodies: [m4, m5], at: [0, 0, 0], axis: x}\n"
      "forces:\n"
      "  f0: {type: joint-spring-damper, joint: g0, stiffness: 100}\n"
      "  f1: {type: joint-spring-damper, joint: g1, stiffness: 100}\n"
      "  f2: {type: joint-spring-damper, joint: g2, stiffness: 100}\n"
      "  f3: {type: joint-spring-damper, joint: g3, stiffness: 100}\n"
      "  f4: {type: joint-spring-damper, joint: g4, stiffness: 100}\n"
      "  f5: {type: joint-spring-damper, joint: g5, stiffness: 100}\n"
      "states: {held: {value: joint.g5.displacement, every: 5 ms}}\n"
      "outputs: {x: joint.g5.displacement}\n"
      "simulation: {time: 5, output_step: 0.05}\n";
  graded_run r = run(text, "sdirk4-16", 1e-4);
  assert_non_null(strstr(hn_simulation_accuracy(r.simulation)->how, "left out"));
  free_run(&r);
}

// Three masses of 1 kg on springs of 1, 1e10 and 1e6 N/m, started at x = 1: K x = s x.
static void all_fast_modes_count(void **state) {
  (void)state;
  static const char text[] =
      "bodies: {a: {mass: 1}, b: {mass: 1, center: [1, 0, 0]}, c: {mass: 1, center: [2, 0, 0]}}\n"
      "joints:\n"
      "  a: {type: translational, bodies: [ground, a], axis: x, at: [0, 0, 0],\n"
      "      initial: {displacement: 1}}\n"
      "  b: {type: translational, bodies: [ground, b], axis: x, at: [1, 0, 0],\n"
      "      initial: {displacement: 1}}\n"
      "  c: {type: translational, bodies: [ground, c], axis: x, at: [2, 0, 0],\n"
      "      initial: {displacement: 1}}\n"
      "forces:\n"
      "  soft: {type: joint-spring-damper, joint: a, stiffness: 1}\n"
      "  f: {type: spring-damper, bodies: [a, b], points: [[0, 0, 0], [1, 0, 0]],\n"
      "      stiffness: 1e10, free_length: 1}\n"
      "  g: {type: spring-damper, bodies: [b, c], points: [[1, 0, 0], [2, 0, 0]],\n"
      "      stiffness: 1e6, free_length: 1}\n"
      "outputs: {f: force.f.value, g: force.g.value}\n"
      "simulation: {time: 10, output_step: 0.05}\n";
  static const double hard[2] = {1e10, 1e6};
  double k[9] = {1 + 1e10, -1e10, 0, -1e10, 1e10 + 1e6, -1e6, 0, -1e6, 1e6}, s[3], work[64];
  assert_int_equal(hn_eigen_symmetric(k, 3, s, work), 0);
  graded_run r = run(text, NULL, 1e-4);
  const double *t = hn_results_time(r.recording.all);
  for (int i = 0; i < 2; i++) {
    const char *name = i == 0 ? "f" : "g";
    const double *f = hn_results_column(r.recording.all, hn_results_find(r.recording.all, name));
    double error = 0;
    for (int row = 0; row < hn_results_row_count(r.recording.all); row++) {
      double exact = 0;
      for (int m = 0; m < 3; m++) {
        const double *x = &k[3 * m];
        exact +=
            hard[i] * (x[i + 1] - x[i]) * (x[0] + x[1] + x[2]) * cos(sqrt(fmax(s[m], 0)) * t[row]);
      }
      error = fmax(error, fmin(fabs(f[row] - exact), fabs(f[row] + exact)));
    }
    print_message("%s: error %.2g N, estimate %.2g; %s\n", name, error,
                  estimate_of(&r, name)->absolute, hn_grade_name(r.verdict.grade));
    assert_true(error > 0.2);
    check_at_most(error, estimate_of(&r, name)->absolute);
  }
  assert_true(r.verdict.grade >= HN_DOUBTFUL);
  free_run(&r);
}

// Every formulation filters the oscillation at its tolerance, so their agreement shows nothing.
static void formulations_that_filter_the_same_do_not_agree(void **state) {
  (void)state;
  static const hn_formulation among[] = {{"relative", "first-order", "rosenbrock", "none"},
                                         {"natural", "descriptor", "sdirk4-16", "none"},
                                         {"cartesian", "descriptor", "sdirk4-15", "none"}};
  static const double hard[2] = {2.2e9, 40}; // N/m: filtered, resolved
  for (int k = 0; k < 2; k++) {
    const pair p = {2.6, 2.6, 2.2, hard[k], 0.45, 2, 0.02, 47};
    char text[1500];
    hn_model *model = NULL;
    hn_error error = {0};
    pair_text(&p, text, sizeof text);
    check_ok(hn_model_load_text(text, strlen(text), "pair.yaml", NULL, &model, &error));
    hn_verify_options options = hn_default_verify_options();
    options.among = among;
    options.among_count = 3;
    options.fixed = 0;
    hn_verify *v = NULL;
    check_ok(hn_verify_model(model, &options, &v, &error));
    print_message("%s: %s\n", hn_verify_verdict_name(v->verdict), v->reason);
    assert_int_equal(v->verdict, k == 0 ? HN_VERIFY_UNDECIDED : HN_VERIFY_AGREE);
    if (k == 0) assert_non_null(strstr(v->reason, "force 'hard'"));
    hn_verify_free(v);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_force_off_by_its_whole_range_is_not_sound),
      cmocka_unit_test(an_estimate_that_broke_off_is_not_sound),
      cmocka_unit_test(an_oscillation_that_a_load_excites_later_is_not_sound),
      cmocka_unit_test(an_oscillation_that_a_short_load_excites_is_not_sound),
      cmocka_unit_test(a_spring_that_takes_hold_of_a_moving_mass_is_not_sound),
      cmocka_unit_test(an_input_that_follows_an_output_excites_too),
      cmocka_unit_test(what_excites_nothing_stays_sound),
      cmocka_unit_test(searches_beyond_their_work_are_reported),
      cmocka_unit_test(all_fast_modes_count),
      cmocka_unit_test(formulations_that_filter_the_same_do_not_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
