// Formulations with fixed steps in the vote of verify. Nothing controls their error, so it is
// estimated from two steps: with h and h/2 the results differ by d, and the finer one is off by d
// or less, by d/3 with a formula of second order. Twice d, the largest so far, is the estimated
// error. Where forces change their branch a fixed step does not end at the event, and the estimate
// is larger. Steps are halved until the estimate is useful, or the time is up: then it is too
// coarse to be used.
#include <math.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/error.h"
#include "math/elementary.h"
#include "study/verify_work.h"

#define BAR 2.0          // times the difference of two steps
#define BAR_EVENTS 10.0  // ... of a model with events, where errors depend on where steps fall
#define FINE 0.5         // an estimate below this fraction of the limit needs no smaller step
#define COARSE 10.0      // an estimate beyond this multiple of the limit is useless
#define END_OF_FIXED 0.8 // of the budget
#define AS_LONG 2.0      // times what all before them took, and a second at least
enum { FIRST_STEPS = 1000, MOST_HALVINGS = 8, FIXED_AMONG = 6 };

// multi-index has no step to be given; its tolerance takes the place.
static int has_step(const hn_formulation *f) { return !hn_method_steps_by_energy(f->method); }

static hn_status run_level(hn_verify_work *w, const hn_formulation *f, int level, double limit,
                           hn_trial *trial) {
  const hn_verify *r = w->report;
  hn_simulation_options options = hn_verify_run_options(w, f, r->tol * hn_pow(0.1, level));
  if (has_step(f)) options.step = r->time / FIRST_STEPS * hn_pow(0.5, level);
  return hn_verify_run(w, &options, limit, trial);
}

static int has_events(const hn_verify *r) {
  for (int k = 0; k < r->trial_count; k++)
    if (r->trials[k].event_count > 0) return 1;
  return 0;
}

// The bar of `fine` by what it differs from `coarse`.
static hn_status set_bar(const hn_verify_work *w, const hn_trial *coarse, hn_trial *fine) {
  const hn_verify *r = w->report;
  int count = r->signal_count, rows = coarse->rows < fine->rows ? coarse->rows : fine->rows;
  fine->bar = hn_allocate(r->allocator, ((size_t)r->rows * (size_t)count + 1) * sizeof(double));
  if (!fine->bar) return HN_ERROR_MEMORY;
  fine->rows = rows; // beyond that its error is unknown
  fine->coarseness = 0;
  int events = has_events(r);
  for (int i = 0; i < rows * count; i++) {
    int k = i % count;
    double gap = hn_signal_gap(r->signals[k].same, coarse->values[i], fine->values[i]);
    double own = isnan(gap) ? HUGE_VAL : (events ? BAR_EVENTS : BAR) * gap;
    if (events && coarse->bar) own = fmax(own, 0.5 * coarse->bar[i]); // it may be small by chance
    fine->bar[i] = fmax(own, i < count ? 0 : fine->bar[i - count]);
    fine->coarseness = fmax(fine->coarseness, fine->bar[i] / w->allowed[k]);
  }
  return HN_OK;
}

// Halves the step until the estimate is small enough. The trial is the last one with an estimate;
// without one its error says why.
static void converge(hn_verify_work *w, const hn_formulation *f, double limit, hn_trial *trial) {
  const hn_allocator *allocator = w->report->allocator;
  hn_trial coarse = {0};
  int is_there = 0; // a coarser one
  double end = hn_verify_spent(w) + limit, took = 0;
  for (int level = 0; level < MOST_HALVINGS; level++) {
    double left = end - hn_verify_spent(w);
    if (level > 1 && (left <= 0 || 2 * took > left)) break;
    hn_trial fine;
    hn_status status = run_level(w, f, level, fmax(left, 0.2), &fine);
    took = fine.certificate.cpu_seconds;
    int is_cut = status == HN_ERROR_LIMIT || status == HN_ERROR_INTERRUPTED;
    if (is_there && is_cut && coarse.bar) { // the one before is whole
      hn_trial_free(&fine, allocator);
      break;
    }
    if (is_there && set_bar(w, &coarse, &fine) != HN_OK)
      status = fine.status = hn_fail(&fine.error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                                     "out of memory for an error estimate");
    if (level > 0) hn_trial_free(&coarse, allocator);
    coarse = fine;
    is_there = fine.rows > 1;
    if (is_cut || status == HN_ERROR_UNSUPPORTED || status == HN_ERROR_ARGUMENT ||
        status == HN_ERROR_MEMORY)
      break;
    if (fine.bar && status == HN_OK && fine.coarseness <= FINE) break;
  }
  *trial = coarse;
}

static void refuse_coarse(hn_verify_work *w, const hn_trial *trial) {
  char name[128], reason[320];
  hn_text(reason, sizeof reason,
          "too coarse to compare: %s its estimated error is %.2g times the permitted difference%s",
          trial->step > 0 ? "with the steps that fit the budget" : "at these tolerances",
          trial->coarseness, trial->status == HN_OK ? "" : ", and it ended early");
  hn_verify_refuse(w, hn_formulation_text(&trial->formulation, name, sizeof name), reason);
}

// Enough to try each: `among` names those that are wanted.
static int count_wanted(const hn_verify_work *w) {
  int there = 0;
  for (int k = 0; k < w->candidate_count; k++) there += w->candidates[k].is_fixed;
  if (w->options->among_count > 0) return there < FIXED_AMONG ? there : FIXED_AMONG;
  return w->options->fixed;
}

void hn_verify_run_fixed(hn_verify_work *w) {
  hn_verify *r = w->report;
  int wanted = count_wanted(w), kept = 0;
  double spent = hn_verify_spent(w);
  double end = fmin(END_OF_FIXED * w->options->budget, spent + fmax(AS_LONG * spent, 1));
  for (int tries = 0; kept < wanted && tries < wanted + 2 && r->trial_count < HN_VERIFY_MOST;
       tries++) {
    int next = hn_verify_next_fixed(w);
    double share = (end - hn_verify_spent(w)) / (wanted - kept);
    if (next < 0 || share <= 0) return;
    hn_verify_candidate *c = &w->candidates[next];
    char name[128], text[160];
    c->is_taken = 1;
    hn_text(text, sizeof text, "%s, fixed steps",
            hn_formulation_text(&c->formulation, name, sizeof name));
    if (!hn_verify_tell(w, text, 0.6)) return;
    hn_trial *trial = &r->trials[r->trial_count];
    converge(w, &c->formulation, share, trial);
    if (trial->bar && trial->status != HN_ERROR_MEMORY && trial->rows > 1 &&
        trial->coarseness <= COARSE) {
      r->trial_count++;
      kept++;
      continue;
    }
    int is_coarse = trial->bar || trial->status == HN_OK || trial->status == HN_ERROR_LIMIT;
    if (is_coarse && trial->status != HN_ERROR_MEMORY)
      refuse_coarse(w, trial);
    else
      hn_verify_refuse_trial(w, trial);
    hn_trial_free(trial, r->allocator);
  }
}

void hn_verify_run_halved(hn_verify_work *w, const hn_trial *before, double limit,
                          hn_trial *trial) {
  hn_simulation_options options =
      hn_verify_run_options(w, &before->formulation, before->tol > 0 ? 0.1 * before->tol : 1e-6);
  if (before->step > 0) options.step = 0.5 * before->step;
  hn_verify_run(w, &options, limit, trial);
  if (set_bar(w, before, trial) != HN_OK) trial->rows = 0;
}
