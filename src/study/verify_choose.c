// Which formulations verify runs. The rule: start with the cheapest; then, again and again, the one that
// shares least with all those taken (hn_formulation_distance to the nearest of them), less half a
// point (options->haste) for every factor of ten it costs more than the cheapest. What a run will cost
// is promised by its first steps. It is counted, not measured: the same call takes the same ones.
#include "study/verify_work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/error.h"
#include "math/elementary.h"

#define PROBE_STEPS 40     // of small models
#define PROBE_BODIES 800   // steps times bodies, of large ones
#define TIGHT 0.99e-5      // tolerances below this are for formulas of higher order
#define PROBE_SHARE 0.25   // of the budget, for all of them
#define PROBE_LONGEST 0.02 // ... for one of them
#define TOO_FAR 100        // times the cheapest

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
    // the steps of multi-index follow the energy, not the tolerance
    int is_energy = hn_method_steps_by_energy(f.method);
    if (is_energy && o->among_count == 0 && o->fixed == 0) continue;
    int is_fixed = (is_energy && o->fixed > 0) ||
                   hn_combination_keeps_step(f.coordinates, f.method, f.formula, f.independent);
    w->candidates[count++] =
        (hn_verify_candidate){.formulation = f, .cost = HUGE_VAL, .is_fixed = is_fixed};
  }
  return count;
}

// The first line of why it cannot run.
static void explain(const hn_trial *trial, char *text, size_t size) {
  const hn_error *e = &trial->error;
  hn_text(text, size, "%.80s%s%.200s", e->element, e->element[0] ? " " : "", e->message);
  text[strcspn(text, "\n")] = '\0';
}

typedef struct probe_steps {
  hn_verify_work *work;
  int left;
} probe_steps;

static int go_on(void *context, double time) {
  probe_steps *steps = context;
  (void)time;
  return --steps->left > 0 && hn_verify_tell(steps->work, NULL, 0);
}

static int count_steps(const hn_model *model) {
  int bodies = hn_model_body_count(model);
  int most = bodies > 0 ? PROBE_BODIES / bodies : PROBE_STEPS;
  return most > PROBE_STEPS ? PROBE_STEPS : most < 8 ? 8 : most;
}

// Of a whole run: what a step took times the number of steps, of the size they grew to.
static double promise(const hn_trial *trial, double time) {
  const hn_certificate *c = &trial->certificate;
  double steps = (double)c->steps_accepted;
  if (trial->status == HN_OK) return trial->work;
  if (!(trial->reached > 0) || steps < 1) return HUGE_VAL;
  double step = fmax(c->steps_between.largest, trial->reached / steps);
  return trial->work / steps * (time / step);
}

static void probe(hn_verify_work *w, hn_verify_candidate *c, double tol) {
  hn_trial trial;
  probe_steps steps = {w, count_steps(w->model)};
  hn_trial_plan plan = {.time = w->report->time,
                        .rows = 2,
                        .limit = PROBE_LONGEST * w->options->budget,
                        .memory = w->options->memory,
                        .go_on = go_on,
                        .context = &steps};
  hn_simulation_options options = hn_verify_run_options(w, &c->formulation, tol);
  hn_status status = hn_trial_run(w->model, &options, &plan, &trial);
  c->is_low_order = trial.is_low_order && tol < TIGHT;
  if (status == HN_OK || status == HN_ERROR_LIMIT || status == HN_ERROR_INTERRUPTED) {
    c->cost = promise(&trial, plan.time);
  } else {
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
    if (c->is_fixed) continue;
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
    hn_verify_refuse(w, subject, "not run: use a larger budget");
  }
  return HN_OK;
}

int hn_verify_next_candidate(hn_verify_work *w, const hn_formulation *taken, int taken_count) {
  double least = HUGE_VAL, best_score = -HUGE_VAL;
  int best = -1;
  for (int k = 0; k < w->candidate_count; k++) least = fmin(least, w->candidates[k].cost);
  for (int k = 0; k < w->candidate_count; k++) {
    const hn_verify_candidate *c = &w->candidates[k];
    if (c->is_taken || !(c->cost < HUGE_VAL)) continue;
    if (taken_count >= 2 && (c->cost > TOO_FAR * least || c->is_low_order)) continue; // not far
    int nearest = 9;
    for (int j = 0; j < taken_count; j++) {
      int distance = hn_formulation_distance(&c->formulation, &taken[j]);
      if (distance < nearest) nearest = distance;
    }
    if (c->is_low_order) nearest -= 9; // only if there is no other
    double score = nearest - w->options->haste * hn_log10(fmax(c->cost, 1) / fmax(least, 1));
    if (score > best_score) {
      best_score = score;
      best = k;
    }
  }
  return best;
}

static int is_preset(const hn_formulation *f) {
  const char *name;
  hn_preset p;
  for (int k = 0; (name = hn_list_presets(k)) != NULL; k++)
    if (hn_find_preset(name, &p) && strcmp(p.coordinates, f->coordinates) == 0 &&
        strcmp(p.method, f->method) == 0 && strcmp(p.formula, f->formula) == 0 &&
        strcmp(p.independent, f->independent) == 0)
      return 1;
  return 0;
}

int hn_verify_next_fixed(hn_verify_work *w) {
  double best_score = -HUGE_VAL;
  int best = -1;
  for (int k = 0; k < w->candidate_count; k++) {
    const hn_verify_candidate *c = &w->candidates[k];
    if (c->is_taken || !(c->is_fixed || (c->is_low_order && c->cost < HUGE_VAL))) continue;
    int nearest = 9;
    for (int j = 0; j < w->candidate_count; j++) {
      const hn_verify_candidate *other = &w->candidates[j];
      if (!other->is_taken) continue;
      int distance = hn_formulation_distance(&c->formulation, &other->formulation);
      if (distance < nearest) nearest = distance;
    }
    double score = nearest + (is_preset(&c->formulation) ? 2 : 0) + c->is_fixed;
    if (score > best_score) {
      best_score = score;
      best = k;
    }
  }
  return best;
}
