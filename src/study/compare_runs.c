// The runs of a comparison: every formulation at every tolerance and step within limits.
//
// Levels are run from loose to tight, at each level the fastest formulations of the level before first:
// so the limit, a multiple of the best time at the level, is found early, and what the budget leaves out
// is what would have been slow.
#include "study/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

static const double least_limit = 0.05; // s of CPU that every run may take
static const double worth_repeating = 0.02;
// Of a quick comparison: a run may take so many times the best, and to be tried at the next level it
// may have taken so many times the best at the last.
static const double quick_limit = 4, quick_next = 2.5;
static const double usual_limit = 30;

typedef struct runner {
  hn_comparing *c;
  const char **signals;
  double *pace[2]; // CPU seconds at the last level it ran on: tolerances, steps (formulations)
  int *no_tol, *no_step;       // 1: this kind of run is rejected (formulations)
  double *order;               // pairs of formulation and pace
  double run_began, run_limit; // clock() of the present run, s; limit of CPU
} runner;

static double cpu_now(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int is_time_left(const runner *r) { return hn_compare_goes_on(r->c); }

// A run that will not make its limit need not use it up.
static int keep_going(void *context, double time) {
  const runner *r = context;
  double spent = cpu_now() - r->run_began, done = time / r->c->report.time;
  int is_slow = done > 0 && spent > 0.1 * r->run_limit && spent / done > 1.5 * r->run_limit;
  return !is_slow && is_time_left(r);
}

static void explain(hn_compare_point *p, const hn_error *e) {
  hn_text(p->reason, sizeof p->reason, "%.80s%s%.150s", e->element, e->element[0] ? " " : "",
          e->message);
  p->reason[strcspn(p->reason, "\n")] = '\0';
}

// is_timed: only for the time, nothing is recorded.
static hn_status run_once(runner *r, hn_compare_point *p, double limit, int is_timed) {
  hn_comparing *c = r->c;
  const hn_verify *v = c->report.reference;
  const hn_formulation *f = &c->report.formulations[p->formulation];
  // the grid of the reference: the same rows up to the end that both have
  int rows = v->rows;
  while (rows > 2 && v->grid[rows - 1] > c->report.time) rows--;
  hn_trial_plan plan = {.time = v->grid[rows - 1],
                        .rows = is_timed ? 2 : rows,
                        .signals = r->signals,
                        .signal_count = is_timed ? 0 : v->signal_count,
                        .limit = limit,
                        .memory = 1e9,
                        .go_on = keep_going,
                        .context = r};
  hn_simulation_options o = hn_default_simulation_options();
  o.coordinates = f->coordinates;
  o.method = f->method;
  o.formula = f->formula;
  o.independent = f->independent;
  o.tol = p->tol;
  o.step = p->step;
  o.allocator = c->allocator;
  hn_trial trial;
  r->run_began = cpu_now();
  r->run_limit = limit;
  p->status = hn_trial_run(c->model, &o, &plan, &trial);
  p->seconds = trial.certificate.cpu_seconds;
  p->longest = trial.longest_step_seconds;
  p->steps = trial.certificate.steps_accepted;
  if (strcmp(f->coordinates, "auto") == 0 && trial.rows > 0)
    hn_text(p->used, sizeof p->used, "%s/%s/%s", trial.certificate.coordinates,
            trial.certificate.method, trial.certificate.formula);
  if (!is_timed) // errors below that of the reference are unknown
    p->error = p->status == HN_OK
                   ? fmax(hn_compare_error(c, &trial, &p->signal), c->report.uncertainty)
                   : HUGE_VAL;
  if (p->status != HN_OK) explain(p, &trial.error);
  if (p->status == HN_ERROR_INTERRUPTED && is_time_left(r)) {
    p->status = HN_ERROR_LIMIT; // it will not make it
    if (trial.reached > 0) p->seconds *= c->report.time / trial.reached;
  }
  hn_trial_free(&trial, o.allocator);
  return p->status;
}

// Short runs are repeated: the least time counts.
static void run_point(runner *r, hn_compare_point *p, double limit) {
  hn_status status = run_once(r, p, limit, 0);
  for (int k = 0; k < 2 && status == HN_OK && p->seconds < worth_repeating; k++) {
    double seconds = p->seconds, longest = p->longest;
    status = run_once(r, p, limit, 1);
    p->seconds = fmin(seconds, p->seconds);
    p->longest = fmin(longest, p->longest);
  }
  if (p->status == HN_OK && !(p->error < HUGE_VAL)) {
    p->status = HN_ERROR_NOT_FINITE;
    hn_text(p->reason, sizeof p->reason, "diverged");
  }
}

static int compare_pace(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

// Formulations, the fastest of the level before first: pairs of number and pace.
static const double *order_formulations(const runner *r, int is_step) {
  int count = r->c->report.formulation_count;
  double *order = r->order;
  for (int k = 0; k < count; k++) {
    order[2 * k] = k;
    order[2 * k + 1] = r->pace[is_step][k];
  }
  qsort(order, (size_t)count, 2 * sizeof *order, compare_pace);
  return order;
}

// At the first level those come last that differ from another one only in independent coordinates.
static void set_first_paces(runner *r) {
  for (int k = 0; k < r->c->report.formulation_count; k++)
    r->pace[0][k] = r->pace[1][k] =
        strcmp(r->c->report.formulations[k].coordinates, "auto") == 0
            ? -1 // the first
            : k + (hn_compare_is_variant(r->c->report.formulations, k) ? 1000 : 0);
}

// Consequences of the outcome for later levels.
static void learn(runner *r, const hn_compare_point *p, int is_step) {
  int f = p->formulation;
  r->pace[is_step][f] = p->seconds;
  if (p->status == HN_ERROR_UNSUPPORTED) (is_step ? r->no_step : r->no_tol)[f] = 1;
  if (p->status == HN_ERROR_MEMORY) r->no_step[f] = r->no_tol[f] = 1;
  // one that was stopped, far behind, stays so when it gets harder
  if (p->status == HN_ERROR_LIMIT && !is_step) r->no_tol[f] = 1;
  if (p->status == HN_ERROR_LIMIT && is_step) r->no_step[f] = 1;
}

// Formulations that were slow at this level are not tried at harder ones.
static void drop_slow(runner *r, int is_step, double tol, double step, double limit) {
  const hn_comparing *c = r->c;
  for (int k = 0; k < c->report.point_count; k++) {
    const hn_compare_point *p = &c->points[k];
    if (p->tol != tol || p->step != step || p->status != HN_OK || p->seconds <= limit) continue;
    (is_step ? r->no_step : r->no_tol)[p->formulation] = 1;
  }
}

static void run_level(runner *r, double tol, double step, double share, double part) {
  hn_comparing *c = r->c;
  int is_step = step > 0;
  const double *order = order_formulations(r, is_step);
  double best = HUGE_VAL;
  double most = c->report.is_quick ? quick_limit : usual_limit;
  for (int k = 0; k < c->report.formulation_count; k++) {
    int f = (int)order[2 * k];
    if (is_step ? r->no_step[f] : r->no_tol[f]) continue;
    hn_compare_point *p = &c->points[c->report.point_count++];
    *p = (hn_compare_point){.formulation = f, .tol = tol, .step = step, .error = HUGE_VAL};
    char name[160], text[240];
    hn_formulation_text(&c->report.formulations[f], name, sizeof name);
    hn_text(text, sizeof text, "%s %s %g", name, is_step ? "step" : "tol", is_step ? step : tol);
    if (c->options->progress)
      c->options->progress(c->options->context, text,
                           share + part * k / c->report.formulation_count);
    if (!is_time_left(r)) {
      c->report.is_over = 1;
      p->status = HN_ERROR_INTERRUPTED;
      hn_text(p->reason, sizeof p->reason, "not run: budget used up");
      continue;
    }
    double limit = best < HUGE_VAL ? fmax(least_limit, most * best) : 0.1 * c->report.budget;
    run_point(r, p, limit);
    if (p->status == HN_OK) best = fmin(best, p->seconds);
    if (p->status == HN_ERROR_LIMIT && best < HUGE_VAL)
      hn_text(p->reason, sizeof p->reason,
              "stopped: needs about %.2g s, the fastest %.2g s; tighter levels not tried",
              p->seconds, best);
    learn(r, p, is_step);
  }
  if (c->report.is_quick && best < HUGE_VAL) drop_slow(r, is_step, tol, step, quick_next * best);
}

hn_status hn_compare_run(hn_comparing *c) {
  const hn_verify *v = c->report.reference;
  const int count = c->report.formulation_count;
  const int levels = c->report.tol_count + c->report.step_count;
  runner r = {.c = c,
              .pace = {HN_TAKE(&c->arena, double, count), HN_TAKE(&c->arena, double, count)},
              .no_tol = HN_TAKE(&c->arena, int, count),
              .no_step = HN_TAKE(&c->arena, int, count),
              .order = HN_TAKE(&c->arena, double, 2 * count),
              .signals = HN_TAKE(&c->arena, const char *, v->signal_count)};
  c->points = HN_TAKE(&c->arena, hn_compare_point, count * levels + 1);
  if (c->arena.failed) return HN_ERROR_MEMORY;
  c->report.points = c->points;
  for (int k = 0; k < v->signal_count; k++) r.signals[k] = v->signals[k].name;
  set_first_paces(&r);
  const double part = 0.8 / levels;
  for (int k = 0; k < c->report.tol_count; k++)
    run_level(&r, c->report.tols[k], 0, 0.2 + part * k, part);
  // who was fast there will be fast here
  memcpy(r.pace[1], r.pace[0], (size_t)count * sizeof **r.pace);
  for (int k = 0; k < c->report.step_count; k++)
    run_level(&r, 0, c->report.steps[k], 0.2 + part * (c->report.tol_count + k), part);
  return HN_OK;
}
