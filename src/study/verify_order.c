// A witness for wrong derivatives. Iterations converge to the right result with wrong ones, only
// slower, and error control hides what a Rosenbrock formula loses: its order. So it is run with
// fixed steps h and h/2 over a short stretch; its errors against a tight run of another formulation
// show its order.
#include <math.h>
#include <string.h>

#include "integrate/formula.h"
#include "math/elementary.h"
#include "study/verify_work.h"

enum { STEPS = 24 };

static const hn_formulation *find_formula(const hn_verify_work *w, const char *formula) {
  for (int k = 0; k < w->candidate_count; k++) {
    const hn_verify_candidate *c = &w->candidates[k];
    if (strcmp(c->formulation.formula, formula) == 0 && c->cost < HUGE_VAL) return &c->formulation;
  }
  return NULL;
}

// The trial that asks for no derivatives and took the fewest steps; -1: none.
static int find_explicit(const hn_verify *r) {
  int best = -1;
  for (int k = 0; k < r->trial_count; k++) {
    const hn_trial *t = &r->trials[k];
    if (t->certificate.newton_iterations > 0 || t->certificate.steps_accepted == 0) continue;
    const hn_formula *formula = hn_formula_find(t->formulation.formula);
    if (!formula || formula->kind == HN_FORMULA_ROSENBROCK) continue; // null: time stepping
    if (best < 0 || t->certificate.steps_accepted < r->trials[best].certificate.steps_accepted)
      best = k;
  }
  return best;
}

static hn_status run(const hn_verify_work *w, const hn_formulation *f, double tol, double step,
                     double end, hn_trial *trial) {
  hn_trial_plan plan = {.time = end,
                        .rows = STEPS / 2 + 1,
                        .signals = w->signals,
                        .signal_count = w->report->signal_count,
                        .limit = 2};
  hn_simulation_options options = hn_verify_run_options(w, f, tol);
  options.step = step;
  return hn_trial_run(w->model, &options, &plan, trial);
}

static double difference(const hn_verify_work *w, const hn_trial *a, const hn_trial *b) {
  double worst = 0;
  int count = w->report->signal_count;
  for (int i = 0; i < a->rows * count && i < b->rows * count; i++)
    worst =
        fmax(worst, hn_signal_gap(w->report->signals[i % count].same, a->values[i], b->values[i]) /
                        w->allowed[i % count]);
  return worst;
}

void hn_verify_find_witness(hn_verify_work *w) {
  hn_verify *r = w->report;
  const hn_formulation *suspect = find_formula(w, "rosenbrock");
  int k = find_explicit(r);
  if (!suspect || k < 0) return;
  const hn_trial *sound = &r->trials[k];
  double h = sound->reached / (double)sound->certificate.steps_accepted;
  double end = fmin(STEPS * h, r->time), tight = fmin(r->run_tol, 1e-10);
  hn_trial exact, coarse, fine;
  hn_status first = run(w, &sound->formulation, tight, 0, end, &exact);
  hn_status second = run(w, suspect, tight, h, end, &coarse);
  hn_status third = run(w, suspect, tight, h / 2, end, &fine);
  if (first == HN_OK && second == HN_OK && third == HN_OK) {
    double e1 = difference(w, &coarse, &exact), e2 = difference(w, &fine, &exact);
    r->witness = *suspect;
    r->witness_against = sound->formulation;
    r->witness_order = e1 > 0 && e2 > 0 ? hn_log2(e1 / e2) : 0;
  }
  hn_trial_free(&exact, r->allocator);
  hn_trial_free(&coarse, r->allocator);
  hn_trial_free(&fine, r->allocator);
}
