// Comparing formulations: levels, a reference made on the spot, the front, the recommendations. Runs are
// in compare_runs.c.
#include "study/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/registry.h"
#include "base/error.h"

static const double rounding = 1e-14; // no reference is better

double hn_compare_clock(void) {
  struct timespec now = {0};
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int hn_compare_goes_on(const hn_comparing *c) {
  const hn_compare_options *o = c->options;
  if (o->progress && !o->progress(o->context, NULL, 0)) return 0;
  return hn_compare_clock() - c->report.began < c->report.budget;
}

// ---- formulations and levels --------------------------------------------------------------------

int hn_compare_is_variant(const hn_formulation *list, int k) {
  const hn_formulation *f = &list[k], *before = f - 1;
  return k > 0 && strcmp(f->coordinates, before->coordinates) == 0 &&
         strcmp(f->method, before->method) == 0 && strcmp(f->formula, before->formula) == 0;
}

// Drops those that differ from the one before only in independent coordinates; returns how many stay.
static int leave_variants_out(hn_formulation *list, int count) {
  int left = 0;
  for (int k = 0; k < count; k++) {
    // compared with the last one kept, which has the same three words
    list[left] = list[k];
    if (!hn_compare_is_variant(list, left)) left++;
  }
  return left;
}

// Every one that is built, with capacity for one more; null without memory.
static hn_formulation *list_all(hn_comparing *c, int *count) {
  hn_formulation f;
  *count = 0;
  while (hn_list_formulation(*count, &f)) ++*count;
  hn_formulation *list = HN_TAKE(&c->arena, hn_formulation, *count + 1);
  for (int k = 0; list && k < *count; k++) hn_list_formulation(k, &list[k]);
  return list;
}

static hn_status choose_formulations(hn_comparing *c) {
  const hn_compare_options *o = c->options;
  int count = o->among_count;
  hn_formulation *list =
      count > 0 ? HN_TAKE(&c->arena, hn_formulation, count + 1) : list_all(c, &count);
  if (!list) return HN_ERROR_MEMORY;
  if (o->among_count > 0) memcpy(list, o->among, (size_t)count * sizeof *list);
  if (o->among_count == 0 && o->is_quick) count = leave_variants_out(list, count);
  list[count++] = (hn_formulation){"auto", "auto", "auto", "auto"};
  c->report.formulations = list;
  c->report.formulation_count = count;
  return HN_OK;
}

static int compare_falling(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

// A list of the caller's, the largest first.
static const double *sort_levels(hn_comparing *c, const double *levels, int count) {
  double *own = HN_TAKE(&c->arena, double, count + 1);
  if (own && count > 0) {
    memcpy(own, levels, (size_t)count * sizeof *own);
    qsort(own, (size_t)count, sizeof *own, compare_falling);
  }
  return own;
}

// Default levels. Steps suit the model's time; each can be typed again exactly.
static void choose_levels(hn_comparing *c, double time) {
  static const double tols[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  static const double quick_tols[] = {1e-3, 1e-5, 1e-7};
  static const double parts[] = {1, 0.5, 0.2, 0.1, 0.05}, quick_parts[] = {0.5, 0.1, 0.05};
  static const double accuracies[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
  const hn_compare_options *o = c->options;
  const double *asked = o->tol_count > 0 ? o->tols : o->is_quick ? quick_tols : tols;
  c->report.tol_count = o->tol_count > 0 ? o->tol_count : o->is_quick ? 3 : 6;
  c->report.tols = sort_levels(c, asked, c->report.tol_count);
  double steps[5] = {0};
  const int chosen = o->tol_count > 0 ? 0 : o->is_quick ? 3 : 5;
  for (int k = 0; k < chosen; k++) {
    char text[32];
    hn_text(text, sizeof text, "%.2g",
            fmin(1e-2, time / 50) * (o->is_quick ? quick_parts : parts)[k]);
    steps[k] = strtod(text, NULL);
  }
  c->report.step_count = o->step_count > 0 ? o->step_count : chosen;
  c->report.steps = sort_levels(c, o->step_count > 0 ? o->steps : steps, c->report.step_count);
  c->accuracy_count = o->is_quick ? 4 : 6;
  memcpy(c->accuracies, accuracies, sizeof accuracies);
  if (o->tol_count > 0 && c->report.tols) { // what was asked for is what is wanted
    c->accuracy_count = o->tol_count < HN_COMPARE_ACCURACIES ? o->tol_count : HN_COMPARE_ACCURACIES;
    memcpy(c->accuracies, c->report.tols, (size_t)c->accuracy_count * sizeof(double));
  }
}

// ---- reference ----------------------------------------------------------------------------------

static int show_reference(void *context, const char *what, double share) {
  const hn_comparing *c = context;
  const hn_compare_options *o = c->options;
  char text[200];
  if (hn_compare_clock() > c->report.began + 0.45 * c->report.budget) return 0;
  if (!o->progress) return 1;
  if (!what) return o->progress(o->context, NULL, 0);
  return o->progress(o->context, hn_text(text, sizeof text, "reference: %s", what), 0.2 * share);
}

// Other coordinates and another formula: little code is shared.
static int is_independent(const hn_formulation *a, const hn_formulation *b) {
  return strcmp(a->formula, b->formula) != 0 && hn_formulation_distance(a, b) >= 6;
}

// The pair that agrees best among those that got to the end and share little code; without any, the
// best of all. Over the whole time they have to agree to a tenth of the loosest accuracy that is
// asked for: how well they do is reported, and counts against every run.
static void choose_pair(hn_comparing *c) {
  const hn_verify *v = c->report.reference;
  double most = c->report.time < v->time ? HUGE_VAL : fmax(0.1 * c->accuracies[0] / v->tol, 1);
  c->report.trial = c->report.partner = -1;
  for (int pass = 0; pass < 2 && c->report.trial < 0; pass++) {
    double best = most;
    for (int k = 0; k < v->pair_count; k++) {
      const hn_verify_pair *p = &v->pairs[k];
      if (p->until < c->report.time || !(p->ratio < best)) continue;
      if (pass == 0 &&
          !is_independent(&v->trials[p->first].formulation, &v->trials[p->second].formulation))
        continue;
      best = p->ratio;
      c->report.trial = p->first;
      c->report.partner = p->second;
    }
  }
}

static double value_of(const hn_trial *trial, int row, int signal) {
  return trial->values[(size_t)row * (size_t)trial->signals + (size_t)signal];
}

// The largest error of a trial against the reference, over the rows until the end.
double hn_compare_error(const hn_comparing *c, const hn_trial *trial, int *signal) {
  const hn_verify *v = c->report.reference;
  const hn_trial *exact = &v->trials[c->report.trial];
  double worst = 0;
  int rows = trial->rows < exact->rows ? trial->rows : exact->rows;
  for (int row = 0; row < rows && v->grid[row] <= c->report.time; row++) {
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

static void set_scale(hn_comparing *c) {
  const hn_verify *v = c->report.reference;
  const hn_trial *exact = &v->trials[c->report.trial];
  c->scale = HN_TAKE(&c->arena, double, v->signal_count);
  for (int k = 0; c->scale && k < v->signal_count; k++) {
    double most = 0;
    for (int row = 0; row < exact->rows; row++) most = fmax(most, fabs(value_of(exact, row, k)));
    c->scale[k] = 1 + most;
  }
}

// Whose steps follow the energy and not the tolerance is no reference; returns how many stay.
static int leave_energy_out(hn_formulation *list, int count) {
  int left = 0;
  for (int k = 0; k < count; k++)
    if (!hn_method_steps_by_energy(list[k].method)) list[left++] = list[k];
  return left;
}

// Recommended runs are judged at the instants that a run will show.
static int rows_of_a_run(const hn_comparing *c) {
  const hn_simulation_defaults *defaults = hn_model_defaults(c->model);
  const double time = c->options->time > 0 ? c->options->time : defaults->time;
  const double intervals = defaults->output_step > 0 ? round(time / defaults->output_step) : 500;
  return 1 + (int)fmin(fmax(intervals, 100), 4000);
}

static hn_verify_options reference_options(hn_comparing *c) {
  const hn_compare_options *asked = c->options;
  hn_verify_options o = hn_default_verify_options();
  o.tol = c->report.tols[c->report.tol_count - 1];
  if (asked->is_quick) o.tol *= 10; // the reference is run at a hundredth of the smallest
  o.time = asked->time;
  o.budget = 0.25 * c->report.budget;
  o.most = 4;
  o.fixed = 0; // a reference has error control
  o.haste = 2; // two that differ will do, and soon
  o.rows = rows_of_a_run(c);
  o.signals = asked->signals;
  o.signal_count = asked->signal_count;
  o.without_audit = 1;
  o.progress = show_reference;
  o.context = c;
  o.allocator = c->allocator;
  // two that agree to the end suffice; without them the time of predictability is determined as
  // well
  o.single_pass = 1;
  return o;
}

static hn_status find_reference(hn_comparing *c, hn_verify_options *o, hn_error *error) {
  hn_verify_free(c->report.reference);
  c->report.reference = NULL;
  hn_status status = hn_verify_model(c->model, o, &c->report.reference, error);
  if (status != HN_OK) return status;
  c->report.time = o->single_pass ? c->report.reference->time : c->report.reference->until;
  choose_pair(c);
  return HN_OK;
}

static hn_status make_reference(hn_comparing *c, hn_error *error) {
  int count = 0, signal;
  hn_formulation *all = list_all(c, &count);
  if (!all) return HN_ERROR_MEMORY;
  hn_verify_options o = reference_options(c);
  o.among_count = leave_energy_out(all, leave_variants_out(all, count));
  o.among = all;
  hn_status status = find_reference(c, &o, error);
  if (status == HN_OK && c->report.trial < 0) {
    o.single_pass = 0;
    status = find_reference(c, &o, error);
  }
  if (status != HN_OK) return status;
  const hn_verify *v = c->report.reference;
  if (c->report.trial < 0 || !(c->report.time > 0))
    return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL,
                   "Use `holon verify` to find out why, a larger @budget or a shorter @time.",
                   "no reference solution: %s", v->reason);
  set_scale(c);
  if (!c->scale) return HN_ERROR_MEMORY;
  c->report.uncertainty =
      fmax(hn_compare_error(c, &v->trials[c->report.partner], &signal), rounding);
  return HN_OK;
}

// ---- judgement ----------------------------------------------------------------------------------

static void find_front(hn_comparing *c) {
  for (int k = 0; k < c->report.point_count; k++) {
    hn_compare_point *p = &c->points[k];
    p->is_front = p->status == HN_OK;
    for (int i = 0; i < c->report.point_count && p->is_front; i++) {
      const hn_compare_point *other = &c->points[i];
      if (i == k || other->status != HN_OK) continue;
      int is_better = other->error <= p->error && other->seconds <= p->seconds;
      int is_same = other->error == p->error && other->seconds == p->seconds;
      if (is_better && (!is_same || i < k)) p->is_front = 0;
    }
  }
}

static int is_auto(const hn_comparing *c, const hn_compare_point *p) {
  return strcmp(c->report.formulations[p->formulation].coordinates, "auto") == 0;
}

// A fixed step keeps up with the clock when all of it, and its longest step, do. `auto` takes something
// else in real time than it took here.
static int is_realtime(const hn_comparing *c, const hn_compare_point *p) {
  return !is_auto(c, p) && p->step > 0 && p->seconds < 0.8 * c->report.time && p->longest < p->step;
}

// The longest step is measured once: an interruption of the computer may make one of them look
// long. So the larger step wins, and among equal ones the least time.
static int is_better_step(const hn_compare_point *p, const hn_compare_point *than) {
  if (p->step != than->step) return p->step > than->step;
  return p->seconds < than->seconds;
}

static hn_status judge(hn_comparing *c) {
  find_front(c);
  hn_recommendation *list = HN_TAKE(&c->arena, hn_recommendation, c->accuracy_count + 1);
  if (!list) return HN_ERROR_MEMORY;
  c->report.recommendations = list;
  c->report.realtime = -1;
  for (int k = 0; k < c->report.point_count; k++) {
    const hn_compare_point *p = &c->points[k];
    if (p->status != HN_OK || !is_realtime(c, p)) continue;
    if (c->report.realtime < 0 || p->error < c->points[c->report.realtime].error)
      c->report.realtime = k;
  }
  c->report.recommendation_count = c->accuracy_count;
  for (int t = 0; t < c->accuracy_count; t++) {
    hn_recommendation *r = &list[t];
    *r = (hn_recommendation){.accuracy = c->accuracies[t], .point = -1, .realtime = -1};
    for (int k = 0; k < c->report.point_count; k++) {
      const hn_compare_point *p = &c->points[k];
      // the reference itself is only so good
      if (p->status != HN_OK || !(p->error + c->report.uncertainty <= r->accuracy)) continue;
      if (c->report.is_limited && is_auto(c, p)) continue; // what it took may lie outside of them
      if (r->point < 0 || p->seconds < c->points[r->point].seconds) r->point = k;
      if (!is_realtime(c, p)) continue;
      if (r->realtime < 0 || is_better_step(p, &c->points[r->realtime])) r->realtime = k;
    }
  }
  return HN_OK;
}

// ---- the whole ----------------------------------------------------------------------------------

static hn_status make(hn_comparing *c, hn_error *error) {
  const double time = c->options->time > 0 ? c->options->time : hn_model_defaults(c->model)->time;
  c->report.is_quick = c->options->is_quick;
  c->report.is_limited = c->options->among_count > 0;
  c->report.budget = c->options->budget > 0 ? c->options->budget : c->options->is_quick ? 100 : 300;
  c->report.realtime = -1;
  c->report.began = hn_compare_clock();
  hn_status status = choose_formulations(c);
  choose_levels(c, time);
  if (c->arena.failed) status = HN_ERROR_MEMORY;
  if (status == HN_OK) status = make_reference(c, error);
  if (status == HN_OK) status = hn_compare_run(c);
  if (status == HN_OK) status = judge(c);
  c->report.ended = hn_compare_clock();
  return status;
}

hn_status hn_compare_model(const hn_model *model, const hn_compare_options *options,
                           hn_comparison **comparison, hn_error *error) {
  static const hn_compare_options none = {0};
  hn_error local = {.status = HN_OK};
  if (!error) error = &local;
  if (!options) options = &none;
  *comparison = NULL;
  error->status = HN_OK;
  hn_comparing *c = hn_allocate(options->allocator, sizeof *c);
  if (!c) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memset(c, 0, sizeof *c);
  hn_arena_init(&c->arena, options->allocator);
  c->allocator = options->allocator;
  c->model = model;
  c->options = options;
  hn_status status = make(c, error);
  c->options = NULL;
  if (status == HN_OK) {
    *comparison = &c->report;
    return HN_OK;
  }
  if (error->status == HN_OK)
    hn_fail(error, status, NULL, NULL, NULL, "%s", hn_status_text(status));
  hn_comparison_free(&c->report);
  return status;
}

void hn_comparison_free(hn_comparison *comparison) {
  if (!comparison) return;
  hn_comparing *c = (hn_comparing *)comparison;
  const hn_allocator *allocator = c->allocator;
  hn_verify_free(comparison->reference);
  hn_arena_release(&c->arena);
  hn_release(allocator, c);
}
