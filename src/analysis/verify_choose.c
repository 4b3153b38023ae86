// Which formulations verify runs. The rule: start with the fastest; then, again and again, the one that
// shares least with all those taken (hn_formulation_distance to the nearest of them), less half a
// point (options->haste) for every factor of ten it is slower than the fastest. What a run will cost is
// promised by its
// first steps.
#include "analysis/verify_work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define PROBE_SECONDS 0.01
#define TIGHT 0.99e-5    // tolerances below this are for formulas of higher order
#define PROBE_SHARE 0.25 // of the budget, for all of them

static int collect(hn_verify_work *w) {
  const hn_verify_options *o = w->options;
  hn_formulation f;
  int count = 0;
  for (int k = 0; count < HN_VERIFY_CANDIDATES; k++) {
    if (o->among_count > 0) {
      if (k == o->among_count) break;
      f = o->among[k];
    } else if (!hn_list_formulation(k, &f)) {
      break;
    }
    w->candidates[count++] = (hn_verify_candidate){.formulation = f};
  }
  return count;
}

// The first line of why it cannot run.
static void explain(const hn_trial *trial, char *text, size_t size) {
  const hn_error *e = &trial->error;
  hn_text(text, size, "%.80s%s%.200s", e->element, e->element[0] ? " " : "", e->message);
  text[strcspn(text, "\n")] = '\0';
}

static void probe(hn_verify_work *w, hn_verify_candidate *c, double tol) {
  hn_trial trial;
  hn_trial_plan plan = {
      .time = w->report->time, .rows = 2, .limit = PROBE_SECONDS, .memory = w->options->memory};
  hn_simulation_options options = hn_verify_run_options(w, &c->formulation, tol);
  hn_status status = hn_trial_run(w->model, &options, &plan, &trial);
  double used = trial.certificate.cpu_seconds;
  c->seconds = HUGE_VAL;
  c->is_low_order = trial.is_low_order && tol < TIGHT;
  if (status == HN_OK) c->seconds = used;
  if (status == HN_ERROR_LIMIT && trial.reached > 0) c->seconds = used * plan.time / trial.reached;
  if (status != HN_OK && status != HN_ERROR_LIMIT) {
    char name[128], reason[320];
    explain(&trial, reason, sizeof reason);
    hn_verify_refuse(w, hn_formulation_text(&c->formulation, name, sizeof name), reason);
  }
  hn_trial_free(&trial, w->report->allocator);
}

hn_status hn_verify_probe(hn_verify_work *w, double tol) {
  size_t room = HN_VERIFY_CANDIDATES * sizeof *w->candidates;
  w->candidates = hn_allocate(w->report->allocator, room);
  if (!w->candidates)
    return hn_fail(w->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for verify");
  w->candidate_count = collect(w);
  int left_out = 0;
  for (int k = 0; k < w->candidate_count; k++) {
    // a stride that meets all parts of the list early, should the time not do for all
    int stride = 7, i = w->candidate_count % stride ? k * stride % w->candidate_count : k;
    hn_verify_candidate *c = &w->candidates[i];
    c->seconds = HUGE_VAL;
    if (hn_verify_spent(w) > PROBE_SHARE * w->options->budget) {
      left_out++;
      continue;
    }
    if (!hn_verify_tell(w, "first steps of every formulation", 0.2 * k / w->candidate_count))
      return HN_OK;
    probe(w, c, tol);
  }
  char subject[64];
  if (left_out > 0) {
    snprintf(subject, sizeof subject, "%d formulations", left_out);
    hn_verify_refuse(w, subject, "not tried: the budget is too short");
  }
  return HN_OK;
}

int hn_verify_next_candidate(hn_verify_work *w, const hn_formulation *taken, int taken_count,
                             double share) {
  double fastest = HUGE_VAL, best_score = -HUGE_VAL;
  int best = -1;
  for (int k = 0; k < w->candidate_count; k++) fastest = fmin(fastest, w->candidates[k].seconds);
  for (int k = 0; k < w->candidate_count; k++) {
    const hn_verify_candidate *c = &w->candidates[k];
    if (c->is_taken || !(c->seconds < HUGE_VAL)) continue;
    if (taken_count >= 2 && (c->seconds > 3 * share || c->is_low_order)) continue; // not far
    int nearest = 9;
    for (int j = 0; j < taken_count; j++) {
      int distance = hn_formulation_distance(&c->formulation, &taken[j]);
      if (distance < nearest) nearest = distance;
    }
    if (c->is_low_order) nearest -= 9; // only where there is nobody else
    double score =
        nearest - w->options->haste * log10(fmax(c->seconds, 1e-4) / fmax(fastest, 1e-4));
    if (score > best_score) {
      best_score = score;
      best = k;
    }
  }
  return best;
}
