// The runs of `holon compare`: a reference made on the spot, every formulation at every tolerance and
// step within limits, the front, the recommendations.
//
// Levels are run from loose to tight, at each level the fastest formulations of the level before first:
// so the limit, a multiple of the best time at the level, is found early, and what the budget leaves out
// is what would have been slow.
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ranks.h"

static const double least_limit = 0.05; // s of CPU that every run may take
static const double worth_repeating = 0.02;
// Of a quick comparison: a run may take so many times the best, and to be tried at the next level it
// may have taken so many times the best at the last.
static const double quick_limit = 4, quick_next = 2.5;
static const double usual_limit = 30;
static const double rounding = 1e-14; // no reference is better

// ---- reference ----------------------------------------------------------------------------------

typedef struct talk {
  hn_cli_progress *line;
  double end; // clock
} talk;

static int show_reference(void *context, const char *what, double share) {
  talk *t = context;
  char text[200];
  if (hn_cli_clock() > t->end || hn_cli_is_interrupted()) return 0;
  if (what == NULL) return 1;
  snprintf(text, sizeof text, "reference: %s", what);
  return hn_cli_progress_show(t->line, text, 0.2 * share);
}

// Other coordinates and another formula: little code is shared.
static int is_independent(const hn_formulation *a, const hn_formulation *b) {
  return strcmp(a->formula, b->formula) != 0 && hn_formulation_distance(a, b) >= 6;
}

// The pair that agrees best among those that got to the end and share little; without any, the best of
// all. Over the whole time they have to agree to a tenth of the loosest accuracy that is asked for:
// how well they do is told, and counts against every run.
static void choose_pair(hn_cli_comparison *c) {
  const hn_verify *v = c->reference;
  double most = c->time < v->time ? HUGE_VAL : fmax(0.1 * c->accuracies[0] / v->tol, 1);
  c->trial = c->partner = -1;
  for (int pass = 0; pass < 2 && c->trial < 0; pass++) {
    double best = most;
    for (int k = 0; k < v->pair_count; k++) {
      const hn_verify_pair *p = &v->pairs[k];
      if (p->until < c->time || !(p->ratio < best)) continue;
      if (pass == 0 &&
          !is_independent(&v->trials[p->first].formulation, &v->trials[p->second].formulation))
        continue;
      best = p->ratio;
      c->trial = p->first;
      c->partner = p->second;
    }
  }
}

static double value_of(const hn_trial *trial, int row, int signal) {
  return trial->values[(size_t)row * (size_t)trial->signals + (size_t)signal];
}

// The largest error of a trial against the reference, over the rows until the end.
static double error_of(const hn_cli_comparison *c, const hn_trial *trial, int *signal) {
  const hn_verify *v = c->reference;
  const hn_trial *exact = &v->trials[c->trial];
  double worst = 0;
  int rows = trial->rows < exact->rows ? trial->rows : exact->rows;
  for (int row = 0; row < rows && v->grid[row] <= c->time; row++) {
    for (int k = 0; k < v->signal_count; k++) {
      double error =
          hn_signal_gap(v->signals[k].same, value_of(trial, row, k), value_of(exact, row, k)) /
          c->scale[k];
      if (error > worst || isnan(error)) {
        worst = isnan(error) ? HUGE_VAL : error;
        *signal = k;
      }
    }
  }
  return worst;
}

static void set_scale(hn_cli_comparison *c) {
  const hn_verify *v = c->reference;
  const hn_trial *exact = &v->trials[c->trial];
  c->scale = hn_cli_allocate((size_t)v->signal_count, sizeof *c->scale);
  for (int k = 0; k < v->signal_count; k++) {
    double most = 0;
    for (int row = 0; row < exact->rows; row++) most = fmax(most, fabs(value_of(exact, row, k)));
    c->scale[k] = 1 + most;
  }
}

// Whose steps follow the energy and not the tolerance is no reference; returns how many stay.
static int leave_energy_out(hn_formulation *list, int count) {
  int left = 0;
  for (int k = 0; k < count; k++)
    if (strcmp(list[k].method, "multi-index") != 0) list[left++] = list[k];
  return left;
}

// What is recommended is promised at the instants a run of it will show.
static int rows_of_a_run(const hn_cli_session *session) {
  const hn_simulation_defaults *defaults = hn_model_defaults(session->model);
  double time = session->settings->time > 0 ? session->settings->time : defaults->time;
  double intervals = defaults->output_step > 0 ? round(time / defaults->output_step) : 500;
  return 1 + (int)fmin(fmax(intervals, 100), 4000);
}

int hn_cli_compare_reference(hn_cli_session *session, hn_cli_comparison *c, hn_cli_progress *line) {
  const hn_cli_settings *settings = session->settings;
  hn_verify_options o = hn_default_verify_options();
  talk t = {.line = line, .end = c->began + 0.45 * c->budget};
  o.tol = c->tols[0];
  for (int k = 1; k < c->tol_count; k++) o.tol = fmin(o.tol, c->tols[k]);
  if (c->is_quick) o.tol *= 10; // the reference is run at a hundredth of the smallest
  o.time = settings->time;
  o.budget = 0.25 * c->budget;
  o.most = 4;
  o.fixed = 0; // a reference has error control
  o.haste = 2; // two that differ will do, and soon
  o.rows = rows_of_a_run(session);
  o.signals = settings->signals.items;
  o.signal_count = settings->signals.count;
  o.without_audit = 1;
  o.progress = show_reference;
  o.context = &t;
  hn_formulation *all = NULL;
  hn_cli_list none = {0};
  int count = hn_cli_among("compare", &none, 0, &all);
  o.among_count = leave_energy_out(all, hn_cli_leave_variants_out(all, count));
  o.among = all;
  // two that agree to the end will do; only without them it is asked how far the machine can be known
  o.single_pass = 1;
  hn_status status = hn_verify_model(session->model, &o, &c->reference, &session->error);
  if (status == HN_OK) {
    c->time = c->reference->time;
    choose_pair(c);
  }
  if (status == HN_OK && c->trial < 0) {
    hn_verify_free(c->reference);
    o.single_pass = 0;
    status = hn_verify_model(session->model, &o, &c->reference, &session->error);
    if (status == HN_OK) {
      c->time = c->reference->until;
      choose_pair(c);
    }
  }
  free(all);
  if (status != HN_OK) return hn_cli_report_failure(settings->json, 0, &session->error);
  const hn_verify *v = c->reference;
  if (c->trial < 0 || !(c->time > 0)) {
    hn_cli_fail(&session->error, HN_ERROR_LIMIT,
                "`holon verify` tells more; a larger --budget or a shorter --time may help.",
                "there is no reference: %s", v->reason);
    return hn_cli_report_failure(settings->json, 0, &session->error);
  }
  set_scale(c);
  int signal;
  c->uncertainty = fmax(error_of(c, &v->trials[c->partner], &signal), rounding);
  return -1;
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct runner {
  hn_cli_session *session;
  hn_cli_comparison *c;
  hn_cli_progress *line;
  const char **signals;
  double *pace[2]; // CPU seconds at the last level it ran on: tolerances, steps (formulations)
  int *no_tol, *no_step;       // 1: this kind of run is refused (formulations)
  double run_began, run_limit; // clock() of the present run, s; limit of CPU
} runner;

static double cpu_now(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int is_time_left(const runner *r) {
  return !hn_cli_is_interrupted() && hn_cli_clock() - r->c->began < r->c->budget;
}

// A run that will not make its limit need not use it up.
static int keep_going(void *context, double time) {
  const runner *r = context;
  double spent = cpu_now() - r->run_began, done = time / r->c->time;
  int is_slow = done > 0 && spent > 0.1 * r->run_limit && spent / done > 1.5 * r->run_limit;
  return !is_slow && is_time_left(r);
}

static void explain(hn_cli_point *p, const hn_error *e) {
  snprintf(p->reason, sizeof p->reason, "%.80s%s%.150s", e->element, e->element[0] ? " " : "",
           e->message);
  p->reason[strcspn(p->reason, "\n")] = '\0';
}

// is_timed: only for the time, nothing is recorded.
static hn_status run_once(runner *r, hn_cli_point *p, double limit, int is_timed) {
  hn_cli_comparison *c = r->c;
  const hn_verify *v = c->reference;
  const hn_formulation *f = &c->formulations[p->formulation];
  // the grid of the reference: the same rows up to the end that both have
  int rows = v->rows;
  while (rows > 2 && v->grid[rows - 1] > c->time) rows--;
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
  hn_trial trial;
  r->run_began = cpu_now();
  r->run_limit = limit;
  p->status = hn_trial_run(r->session->model, &o, &plan, &trial);
  p->seconds = trial.certificate.cpu_seconds;
  p->longest = trial.longest_step_seconds;
  p->steps = trial.certificate.steps_accepted;
  if (strcmp(f->coordinates, "auto") == 0 && trial.rows > 0)
    snprintf(p->used, sizeof p->used, "%s/%s/%s", trial.certificate.coordinates,
             trial.certificate.method, trial.certificate.formula);
  if (!is_timed) // nobody is seen to be better than the reference
    p->error =
        p->status == HN_OK ? fmax(error_of(c, &trial, &p->signal), c->uncertainty) : HUGE_VAL;
  if (p->status != HN_OK) explain(p, &trial.error);
  if (p->status == HN_ERROR_INTERRUPTED && is_time_left(r)) {
    p->status = HN_ERROR_LIMIT; // it will not make it
    if (trial.reached > 0) p->seconds *= c->time / trial.reached;
  }
  hn_trial_free(&trial, NULL);
  return p->status;
}

// Short runs are repeated: the least time counts.
static void run_point(runner *r, hn_cli_point *p, double limit) {
  hn_status status = run_once(r, p, limit, 0);
  for (int k = 0; k < 2 && status == HN_OK && p->seconds < worth_repeating; k++) {
    double seconds = p->seconds, longest = p->longest;
    status = run_once(r, p, limit, 1);
    p->seconds = fmin(seconds, p->seconds);
    p->longest = fmin(longest, p->longest);
  }
  if (p->status == HN_OK && !(p->error < HUGE_VAL)) {
    p->status = HN_ERROR_NOT_FINITE;
    snprintf(p->reason, sizeof p->reason, "went to infinity");
  }
}

static int compare_pace(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

// Formulations, the fastest of the level before first: pairs of number and pace.
static double *order_formulations(const runner *r, int is_step) {
  int count = r->c->formulation_count;
  double *order = hn_cli_allocate((size_t)count, 2 * sizeof *order);
  for (int k = 0; k < count; k++) {
    order[2 * k] = k;
    order[2 * k + 1] = r->pace[is_step][k];
  }
  qsort(order, (size_t)count, 2 * sizeof *order, compare_pace);
  return order;
}

static int is_variant(const hn_formulation *list, int k) {
  const hn_formulation *f = &list[k], *before = f - 1;
  return k > 0 && strcmp(f->coordinates, before->coordinates) == 0 &&
         strcmp(f->method, before->method) == 0 && strcmp(f->formula, before->formula) == 0;
}

int hn_cli_leave_variants_out(hn_formulation *list, int count) {
  int left = 0;
  for (int k = 0; k < count; k++) {
    // compared with the last one kept, which has the same three words
    list[left] = list[k];
    if (!is_variant(list, left)) left++;
  }
  return left;
}

// At the first level those come last that differ from another one only in independent coordinates.
static void set_first_paces(runner *r) {
  for (int k = 0; k < r->c->formulation_count; k++)
    r->pace[0][k] = r->pace[1][k] = strcmp(r->c->formulations[k].coordinates, "auto") == 0
                                        ? -1 // the first
                                        : k + (is_variant(r->c->formulations, k) ? 1000 : 0);
}

// What the outcome means for later levels.
static void learn(runner *r, const hn_cli_point *p, int is_step) {
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
  const hn_cli_comparison *c = r->c;
  for (int k = 0; k < c->point_count; k++) {
    const hn_cli_point *p = &c->points[k];
    if (p->tol != tol || p->step != step || p->status != HN_OK || p->seconds <= limit) continue;
    (is_step ? r->no_step : r->no_tol)[p->formulation] = 1;
  }
}

static void run_level(runner *r, double tol, double step, double share, double part) {
  hn_cli_comparison *c = r->c;
  int is_step = step > 0;
  double *order = order_formulations(r, is_step), best = HUGE_VAL;
  double most = c->is_quick ? quick_limit : usual_limit;
  for (int k = 0; k < c->formulation_count; k++) {
    int f = (int)order[2 * k];
    if (is_step ? r->no_step[f] : r->no_tol[f]) continue;
    hn_cli_point *p = &c->points[c->point_count++];
    *p = (hn_cli_point){.formulation = f, .tol = tol, .step = step, .error = HUGE_VAL};
    char name[160], text[240];
    hn_formulation_text(&c->formulations[f], name, sizeof name);
    snprintf(text, sizeof text, "%s %s %g", name, is_step ? "--step" : "--tol",
             is_step ? step : tol);
    hn_cli_progress_show(r->line, text, share + part * k / c->formulation_count);
    if (!is_time_left(r)) {
      c->is_over = 1;
      p->status = HN_ERROR_INTERRUPTED;
      snprintf(p->reason, sizeof p->reason, "not run: the budget was used up");
      continue;
    }
    double limit = best < HUGE_VAL ? fmax(least_limit, most * best) : 0.1 * c->budget;
    run_point(r, p, limit);
    if (p->status == HN_OK) best = fmin(best, p->seconds);
    if (p->status == HN_ERROR_LIMIT && best < HUGE_VAL)
      snprintf(p->reason, sizeof p->reason,
               "stopped: about %.2g s, the fastest takes %.2g s; not "
               "tried at harder levels",
               p->seconds, best);
    learn(r, p, is_step);
  }
  if (c->is_quick && best < HUGE_VAL) drop_slow(r, is_step, tol, step, quick_next * best);
  free(order);
}

void hn_cli_compare_run(hn_cli_session *session, hn_cli_comparison *c, hn_cli_progress *line) {
  const hn_verify *v = c->reference;
  size_t count = (size_t)c->formulation_count;
  int levels = c->tol_count + c->step_count;
  runner r = {.session = session, .c = c, .line = line};
  r.pace[0] = hn_cli_allocate(count, sizeof **r.pace);
  r.pace[1] = hn_cli_allocate(count, sizeof **r.pace);
  r.no_tol = hn_cli_allocate(count, sizeof *r.no_tol);
  r.no_step = hn_cli_allocate(count, sizeof *r.no_step);
  r.signals = hn_cli_allocate((size_t)v->signal_count, sizeof *r.signals);
  for (int k = 0; k < v->signal_count; k++) r.signals[k] = v->signals[k].name;
  c->points = hn_cli_allocate(count * (size_t)levels + 1, sizeof *c->points);
  set_first_paces(&r);
  double part = 0.8 / levels;
  for (int k = 0; k < c->tol_count; k++) run_level(&r, c->tols[k], 0, 0.2 + part * k, part);
  // who was fast there will be fast here
  memcpy(r.pace[1], r.pace[0], count * sizeof **r.pace);
  for (int k = 0; k < c->step_count; k++)
    run_level(&r, 0, c->steps[k], 0.2 + part * (c->tol_count + k), part);
  free(r.pace[0]);
  free(r.pace[1]);
  free(r.no_tol);
  free(r.no_step);
  free(r.signals);
}

// ---- judgement ----------------------------------------------------------------------------------

int *hn_cli_order_points(const hn_cli_comparison *c, int only_front, int *count) {
  int *order = hn_cli_allocate((size_t)c->point_count + 1, sizeof *order);
  *count = 0;
  for (int k = 0; k < c->point_count; k++) {
    const hn_cli_point *p = &c->points[k];
    if (p->status != HN_OK || (only_front && !p->is_front)) continue;
    int at = (*count)++;
    for (; at > 0 && c->points[order[at - 1]].error > p->error; at--) order[at] = order[at - 1];
    order[at] = k;
  }
  return order;
}

static void find_front(hn_cli_comparison *c) {
  for (int k = 0; k < c->point_count; k++) {
    hn_cli_point *p = &c->points[k];
    p->is_front = p->status == HN_OK;
    for (int i = 0; i < c->point_count && p->is_front; i++) {
      const hn_cli_point *other = &c->points[i];
      if (i == k || other->status != HN_OK) continue;
      int is_better = other->error <= p->error && other->seconds <= p->seconds;
      int is_same = other->error == p->error && other->seconds == p->seconds;
      if (is_better && (!is_same || i < k)) p->is_front = 0;
    }
  }
}

static int is_auto(const hn_cli_comparison *c, const hn_cli_point *p) {
  return strcmp(c->formulations[p->formulation].coordinates, "auto") == 0;
}

// A fixed step keeps up with the clock when all of it, and its longest step, do. `auto` takes something
// else in real time than it took here.
static int is_realtime(const hn_cli_comparison *c, const hn_cli_point *p) {
  return !is_auto(c, p) && p->step > 0 && p->seconds < 0.8 * c->time && p->longest < p->step;
}

// The longest step is measured once: an interruption of the machine may make one of them look long. So
// the larger step wins, and among equal ones the least time.
static int is_better_step(const hn_cli_point *p, const hn_cli_point *than) {
  if (p->step != than->step) return p->step > than->step;
  return p->seconds < than->seconds;
}

void hn_cli_compare_judge(hn_cli_comparison *c) {
  find_front(c);
  c->recommendations = hn_cli_allocate((size_t)c->accuracy_count + 1, sizeof *c->recommendations);
  c->realtime = -1;
  for (int k = 0; k < c->point_count; k++) {
    const hn_cli_point *p = &c->points[k];
    if (p->status != HN_OK || !is_realtime(c, p)) continue;
    if (c->realtime < 0 || p->error < c->points[c->realtime].error) c->realtime = k;
  }
  c->recommendation_count = c->accuracy_count;
  for (int t = 0; t < c->accuracy_count; t++) {
    hn_cli_recommendation *r = &c->recommendations[t];
    *r = (hn_cli_recommendation){.accuracy = c->accuracies[t], .point = -1, .realtime = -1};
    for (int k = 0; k < c->point_count; k++) {
      const hn_cli_point *p = &c->points[k];
      // the reference itself is only so good
      if (p->status != HN_OK || !(p->error + c->uncertainty <= r->accuracy)) continue;
      if (c->is_limited && is_auto(c, p)) continue; // what it took may lie outside of --among
      if (r->point < 0 || p->seconds < c->points[r->point].seconds) r->point = k;
      if (!is_realtime(c, p)) continue;
      if (r->realtime < 0 || is_better_step(p, &c->points[r->realtime])) r->realtime = k;
    }
  }
}
