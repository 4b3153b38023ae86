// verify: the same model by formulations that share as little code as possible. Their spread is the
// estimated error.
//
//   choose signals -> first steps of all -> runs at tol / 1000 -> compare
//   beyond tol? -> the same runs at a hundredth of that tolerance -> does the difference shrink?
//     it does:     the model is sensitive (chaotic, or close to it); they agree until ...
//     ... but all pairs that separate have one formulation, and the others agree: that one is off
//     it does not: they disagree, and the odd one is named
//
// In addition, the derivatives of every element and of every set of coordinates are compared with
// differences at states of the motion: an iteration with wrong ones may still converge, slowly.
#include <math.h>
#include <string.h>
#include <time.h>

#include "analysis/registry.h"
#include "base/error.h"
#include "study/verify_work.h"

#define TIGHTER 1e-3      // than what is allowed, of the runs
#define MUCH_TIGHTER 1e-2 // of the second runs
#define FINEST 1e-12

hn_verify_options hn_default_verify_options(void) {
  return (hn_verify_options){.size = sizeof(hn_verify_options),
                             .tol = 1e-4,
                             .budget = 60,
                             .most = 5,
                             .fixed = 3,
                             .haste = 0.5,
                             .rows = 501,
                             .memory = 1e9};
}

// Completes given options. In a zeroed struct (size 0), 0 leaves a member undecided.
static hn_verify_options read_options(const hn_verify_options *options) {
  const hn_verify_options open = hn_default_verify_options();
  if (!options) return open;
  hn_verify_options o = *options;
  if (o.size > 0) return o;
  if (o.tol == 0) o.tol = open.tol;
  if (o.budget == 0) o.budget = open.budget;
  if (o.most == 0) o.most = open.most;
  if (o.fixed == 0) o.fixed = open.fixed;
  if (o.haste == 0) o.haste = open.haste;
  if (o.rows == 0) o.rows = open.rows;
  if (o.memory == 0) o.memory = open.memory;
  return o;
}

// ---- small parts --------------------------------------------------------------------------------

static double clock_now(void) { return (double)clock() / CLOCKS_PER_SEC; }

double hn_verify_spent(const hn_verify_work *w) { return clock_now() - w->begin; }

int hn_verify_tell(hn_verify_work *w, const char *what, double share) {
  const hn_verify_options *o = w->options;
  if (!w->interrupted && o->progress && !o->progress(o->context, what, share)) w->interrupted = 1;
  return !w->interrupted;
}

hn_simulation_options hn_verify_run_options(const hn_verify_work *w, const hn_formulation *f,
                                            double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = f->coordinates;
  options.method = f->method;
  options.formula = f->formula;
  options.independent = f->independent;
  options.tol = tol;
  options.allocator = w->report->allocator;
  return options;
}

void hn_verify_refuse(hn_verify_work *w, const char *subject, const char *reason) {
  hn_verify *r = w->report;
  if (r->refused_count >= HN_VERIFY_CANDIDATES) return;
  hn_verify_note *note = &r->refused[r->refused_count++];
  hn_text(note->subject, sizeof note->subject, "%s", subject);
  hn_text(note->reason, sizeof note->reason, "%s", reason);
}

static int go_on(void *context, double time) {
  hn_verify_work *w = context;
  (void)time;
  return hn_verify_tell(w, NULL, 0);
}

// ---- runs ---------------------------------------------------------------------------------------

hn_status hn_verify_run(hn_verify_work *w, const hn_simulation_options *options, double limit,
                        hn_trial *trial) {
  hn_verify *r = w->report;
  hn_trial_plan plan = {.time = r->time,
                        .rows = r->rows,
                        .signals = w->signals,
                        .signal_count = r->signal_count,
                        .limit = limit,
                        .memory = w->options->memory,
                        .go_on = go_on,
                        .context = w};
  return hn_trial_run(w->model, options, &plan, trial);
}

static hn_status run(hn_verify_work *w, const hn_formulation *f, double tol, double limit,
                     hn_trial *trial) {
  hn_simulation_options options = hn_verify_run_options(w, f, tol);
  return hn_verify_run(w, &options, limit, trial);
}

void hn_verify_refuse_trial(hn_verify_work *w, const hn_trial *trial) {
  char name[128], reason[320];
  const hn_error *e = &trial->error;
  hn_text(reason, sizeof reason, "%.80s%s%.220s", e->element, e->element[0] ? " " : "", e->message);
  reason[strcspn(reason, "\n")] = '\0';
  hn_verify_refuse(w, hn_formulation_text(&trial->formulation, name, sizeof name), reason);
}

// The first runs. One that ends early counts as far as it came, and another is added.
static void run_first(hn_verify_work *w) {
  hn_verify *r = w->report;
  int whole = 0, most = w->options->most < HN_VERIFY_MOST ? w->options->most : HN_VERIFY_MOST;
  hn_formulation taken[HN_VERIFY_MOST + 8];
  double end = 0.6 * w->options->budget;
  for (int tries = 0;
       whole < most && tries < most + 3 && r->trial_count < HN_VERIFY_MOST_CONTROLLED; tries++) {
    double share = (end - hn_verify_spent(w)) / (most - whole);
    int next = hn_verify_next_candidate(w, taken, tries);
    if (next < 0 || (share <= 0 && whole >= 2)) break;
    hn_verify_candidate *c = &w->candidates[next];
    char name[128];
    c->is_taken = 1;
    taken[tries] = c->formulation;
    hn_formulation_text(&c->formulation, name, sizeof name);
    if (!hn_verify_tell(w, name, 0.2 + 0.4 * whole / most)) return;
    hn_trial *trial = &r->trials[r->trial_count];
    hn_status status = run(w, &c->formulation, r->run_tol, fmax(share, 0.5), trial);
    whole += status == HN_OK;
    if (trial->rows > 1) {
      r->trial_count++;
      continue;
    }
    hn_verify_refuse_trial(w, trial);
    hn_trial_free(trial, r->allocator);
  }
}

// ---- second runs --------------------------------------------------------------------------------

static void judge_pair(const hn_verify_work *w, const hn_trial *first_runs, hn_verify_pair *pair) {
  hn_verify_pair before =
      hn_verify_compare_pair(w, first_runs, pair->first, pair->second, w->report->time);
  double end = fmin(before.since, fmin(before.until, pair->until));
  double coarse = hn_verify_compare_pair(w, first_runs, pair->first, pair->second, end).ratio;
  double fine = hn_verify_compare_pair(w, w->report->trials, pair->first, pair->second, end).ratio;
  pair->shrink = fine > 0 ? coarse / fine : HUGE_VAL;
  // what was fine at the coarse tolerance and is not at the fine one does not shrink either
  if (pair->since == HUGE_VAL && pair->until < before.since && before.since < HUGE_VAL)
    pair->open = before.since;
  pair->is_real =
      pair->since < HUGE_VAL && (before.since == HUGE_VAL || pair->shrink < HN_VERIFY_SHRINKS);
}

static void run_second(hn_verify_work *w) {
  hn_verify *r = w->report;
  hn_trial first_runs[HN_VERIFY_MOST];
  int count = r->trial_count;
  double finer = fmax(r->run_tol * MUCH_TIGHTER, FINEST), end = w->options->budget;
  memcpy(first_runs, r->trials, sizeof first_runs);
  for (int k = 0; k < count; k++) {
    double share = fmax((end - hn_verify_spent(w)) / (count - k), 0.5);
    char name[160], text[128];
    hn_formulation_text(&first_runs[k].formulation, text, sizeof text);
    hn_text(name, sizeof name, "%s, tighter", text);
    if (!hn_verify_tell(w, name, 0.6 + 0.3 * k / count)) {
      r->trials[k] =
          (hn_trial){.formulation = first_runs[k].formulation, .signals = r->signal_count};
      continue;
    }
    if (first_runs[k].bar)
      hn_verify_run_halved(w, &first_runs[k], share, &r->trials[k]);
    else
      run(w, &first_runs[k].formulation, finer, share, &r->trials[k]); // reported by its status
  }
  r->run_tol = finer;
  w->is_second = 1;
  hn_verify_allow_rounding(w, first_runs);
  hn_verify_fill_pairs(w);
  for (int k = 0; k < r->pair_count; k++) judge_pair(w, first_runs, &r->pairs[k]);
  for (int k = 0; k < count; k++) hn_trial_free(&first_runs[k], r->allocator);
}

// One that parts from the others, which agree, and less so at the tighter tolerance, may only be the
// coarser one at the same tolerance: it is run once more, tighter still, before it is called off.
static void run_third(hn_verify_work *w) {
  hn_verify *r = w->report;
  double reaches, finest = fmax(r->run_tol * MUCH_TIGHTER, FINEST);
  int suspect = hn_verify_find_suspect(w, &reaches);
  for (int k = 0; k < r->pair_count; k++)
    if (r->pairs[k].is_real) return;
  if (suspect < 0 || reaches < r->time || r->trials[suspect].bar || finest > 0.5 * r->run_tol)
    return;
  hn_formulation f = r->trials[suspect].formulation;
  hn_trial finer;
  double left = fmax(w->options->budget - hn_verify_spent(w), 0.5);
  if (!hn_verify_tell(w, "rerun of the outlier", 0.9)) return;
  if (run(w, &f, finest, left, &finer) != HN_OK) {
    hn_trial_free(&finer, r->allocator);
    return;
  }
  hn_trial_free(&r->trials[suspect], r->allocator);
  r->trials[suspect] = finer;
  hn_verify_fill_pairs(w);
}

// ---- derivatives --------------------------------------------------------------------------------

#define AUDIT "derivatives against finite differences"

static void keep_findings(hn_verify *r, const hn_audit_finding *found, int count) {
  for (int k = 0; k < count; k++) {
    int at = 0;
    while (at < r->finding_count &&
           (strcmp(r->findings[at].element, found[k].element) != 0 ||
            strcmp(r->findings[at].what, found[k].what) != 0 ||
            strcmp(r->findings[at].coordinates, found[k].coordinates) != 0))
      at++;
    if (at == HN_VERIFY_CANDIDATES) return;
    if (at == r->finding_count || found[k].error > r->findings[at].error)
      r->findings[at] = found[k];
    if (at == r->finding_count) r->finding_count++;
  }
}

// States of the motion in one set of coordinates, as far as the time does.
static void audit_set(hn_verify_work *w, const hn_formulation *f, double limit) {
  static const double places[] = {0, 0.137, 0.391, 0.618, 0.93};
  enum { FOUND = 32 };
  hn_audit_finding found[FOUND];
  hn_verify *r = w->report;
  hn_simulation *s = NULL;
  hn_error error;
  hn_simulation_options options = hn_verify_run_options(w, f, fmax(r->run_tol, 1e-5));
  if (hn_simulation_create(w->model, &options, &s, &error) != HN_OK) {
    hn_verify_refuse(w, AUDIT, error.message);
    return;
  }
  double begin = clock_now();
  for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
    double end = places[k] * r->time;
    hn_status status = HN_OK;
    while (status == HN_OK && hn_simulation_time(s) < end && clock_now() - begin < limit)
      status = hn_simulation_step(s, end);
    long checked = 0;
    if (status != HN_OK) break;
    int count = hn_simulation_audit(s, found, FOUND, &checked);
    if (count < 0) hn_verify_refuse(w, AUDIT, "out of memory");
    keep_findings(r, found, count);
    r->derivatives += checked;
    if (clock_now() - begin >= limit) break;
  }
  hn_simulation_free(s);
}

static void audit(hn_verify_work *w) {
  const char *coordinates;
  double limit = 0.05 * w->options->budget;
  for (int c = 0; (coordinates = hn_list_coordinates(c)) != NULL; c++) {
    const hn_verify_candidate *cheapest = NULL;
    for (int k = 0; k < w->candidate_count; k++) {
      const hn_verify_candidate *one = &w->candidates[k];
      if (strcmp(one->formulation.coordinates, coordinates) != 0 || !(one->cost < HUGE_VAL) ||
          hn_method_named(one->formulation.method)->equations) // of its own, without derivatives
        continue;
      if (!cheapest || one->cost < cheapest->cost) cheapest = one;
    }
    if (!cheapest || !hn_verify_tell(w, AUDIT, 0.9 + 0.03 * c)) continue;
    audit_set(w, &cheapest->formulation, limit);
  }
}

// ---- all of it ----------------------------------------------------------------------------------

static hn_status take_memory(hn_verify_work *w) {
  hn_verify *r = w->report;
  size_t rows = (size_t)r->rows, signals = (size_t)r->signal_count;
  r->grid = hn_allocate(r->allocator, rows * sizeof(double));
  r->spread = hn_allocate(r->allocator, rows * signals * sizeof(double));
  r->trials = hn_allocate(r->allocator, HN_VERIFY_MOST * sizeof *r->trials);
  r->pairs = hn_allocate(r->allocator, HN_VERIFY_MOST * HN_VERIFY_MOST * sizeof *r->pairs);
  r->odd = hn_allocate(r->allocator, HN_VERIFY_MOST * sizeof *r->odd);
  r->refused = hn_allocate(r->allocator, HN_VERIFY_CANDIDATES * sizeof *r->refused);
  r->findings = hn_allocate(r->allocator, HN_VERIFY_CANDIDATES * sizeof *r->findings);
  if (r->trials) memset(r->trials, 0, HN_VERIFY_MOST * sizeof *r->trials);
  if (!r->grid || !r->spread || !r->trials || !r->pairs || !r->odd || !r->refused || !r->findings)
    return hn_fail(w->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for verify");
  hn_trial_plan plan = {.time = r->time, .rows = r->rows};
  for (int row = 0; row < r->rows; row++) r->grid[row] = hn_trial_grid_time(&plan, row);
  return HN_OK;
}

static hn_status verify(hn_verify_work *w) {
  hn_verify *r = w->report;
  hn_status status = hn_verify_choose_signals(w);
  if (status == HN_OK) status = take_memory(w);
  if (status == HN_OK) status = hn_verify_probe(w, r->run_tol);
  if (status != HN_OK) return status;
  run_first(w);
  hn_verify_set_allowed(w);
  if (!w->interrupted) hn_verify_run_fixed(w);
  if (r->trial_count > 0 && r->trials[0].bar) hn_verify_set_allowed(w); // there are no others
  hn_verify_fill_pairs(w);
  int is_beyond = 0;
  for (int k = 0; k < r->pair_count; k++) is_beyond |= r->pairs[k].since < HUGE_VAL;
  if (is_beyond && !w->interrupted && !w->options->single_pass) run_second(w);
  if (w->is_second && !w->interrupted) run_third(w);
  if (!w->options->without_audit && !w->interrupted) audit(w);
  if (r->finding_count > 0) hn_verify_find_witness(w);
  hn_verify_fill_spread(w);
  hn_verify_judge(w);
  r->cpu_seconds = hn_verify_spent(w);
  return HN_OK;
}

static hn_status check_options(const hn_verify_options *o, double time, hn_error *error) {
  if (!(time > 0))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "give @time T, or `simulation: {time: T}` in the model", "no end time given");
  if (!(o->tol > 0) || !(o->budget > 0) || o->rows < 2 || o->most < 2)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, NULL,
                   "verify needs a tolerance and a budget above 0, two rows and two formulations");
  return HN_OK;
}

hn_status hn_verify_model(const hn_model *model, const hn_verify_options *asked, hn_verify **report,
                          hn_error *error) {
  const hn_verify_options read = read_options(asked), *options = &read;
  hn_error local;
  if (!error) error = &local;
  *report = NULL;
  double time = options->time > 0 ? options->time : hn_model_defaults(model)->time;
  hn_status status = check_options(options, time, error);
  if (status != HN_OK) return status;
  hn_verify *r = hn_allocate(options->allocator, sizeof *r);
  if (!r) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for verify");
  *r = (hn_verify){.allocator = options->allocator,
                   .tol = options->tol,
                   .time = time,
                   .rows = options->rows,
                   .run_tol = fmax(options->tol * TIGHTER, 100 * FINEST)};
  hn_verify_work w = {.model = model, .options = options, .report = r, .error = error};
  w.begin = clock_now();
  status = verify(&w);
  hn_release(r->allocator, w.signals);
  hn_release(r->allocator, w.allowed);
  hn_release(r->allocator, w.noise);
  hn_release(r->allocator, w.candidates);
  if (status != HN_OK) {
    hn_verify_free(r);
    return status;
  }
  *report = r;
  return HN_OK;
}

void hn_verify_free(hn_verify *r) {
  if (!r) return;
  const hn_allocator *allocator = r->allocator;
  for (int k = 0; r->trials && k < HN_VERIFY_MOST; k++) hn_trial_free(&r->trials[k], allocator);
  hn_release(allocator, r->grid);
  hn_release(allocator, r->spread);
  hn_release(allocator, r->trials);
  hn_release(allocator, r->pairs);
  hn_release(allocator, r->odd);
  hn_release(allocator, r->refused);
  hn_release(allocator, r->findings);
  hn_release(allocator, r->signals);
  hn_release(allocator, r->free_signals);
  hn_release(allocator, r);
}
