// Two runs estimate an error well if errors are proportional to the tolerance. They are not where
// something amplifies them (an ignition, a light body near the limit of stability, an unstable
// passage): both runs may then be off by almost the same, and their difference is a fraction of it.
// Differences far below the limit of the grade need no more than that. Near the limit, a third run with
// a 64th of the tolerance decides. It starts from the beginning when the first row needs it, so that
// other runs pay nothing.
#include "study/confirm.h"

#include <math.h>
#include <string.h>

#include "analysis/simulation.h"

#define FINER (1.0 / 64)    // of the tolerance
#define COARSEST (1.0 / 16) // ... or this where rounding limits it
#define LEAST_TOLERANCE 1e-13
#define SLOWER 8.0 // work of the third run against the first, and then it is given up

// 0: none.
static double factor_of(const hn_simulation *first) {
  const double tolerance = fmin(first->options.atol, first->options.rtol);
  if (first->stepping.mode != HN_RUN_CONTROLLED || first->method->type->steps_over) return 0;
  const double factor = fmax(FINER, LEAST_TOLERANCE / tolerance);
  return factor <= COARSEST ? factor : 0;
}

hn_status hn_confirm_create(hn_arena *arena, const hn_simulation *first,
                            const hn_simulation *second, const hn_run_plan *plan, int count,
                            double end, hn_confirm *c, hn_error *error) {
  *c = (hn_confirm){.run = {.factor = factor_of(first), .most = SLOWER, .end = end}};
  if (!(c->run.factor > 0)) return HN_OK;
  const int inputs = first->model->input_count;
  c->is_on = 1;
  c->run.reader = (hn_table_reader){.plan = plan, .has_resumed = plan->is_resumed};
  c->run.reader.next = HN_TAKE(arena, int, plan->table_count + 1);
  c->values = HN_TAKE(arena, double, count);
  c->inputs = HN_TAKE(arena, hn_input_state, inputs);
  if (hn_history_create(arena, 1, &c->longest) != HN_OK || arena->failed) return HN_ERROR_MEMORY;
  memcpy(c->inputs, first->inputs, (size_t)inputs * sizeof *c->inputs);
  if (hn_refined_is_fresh(first, second)) return HN_OK;
  return hn_refined_create(&c->run, first, first, c->inputs, error);
}

void hn_confirm_note_step(hn_confirm *c, const hn_simulation *first) {
  if (c->has_begun) hn_first_steps_note(&c->run.steps, first);
}

void hn_confirm_note_row(hn_confirm *c, double time, double longest) {
  if (c->is_on && !c->has_begun) hn_history_add(&c->longest, time, &longest);
}

static void begin(hn_confirm *c, const hn_simulation *first) {
  hn_error error = {0};
  c->has_begun = 1;
  if (!c->run.simulation && hn_refined_create(&c->run, first, NULL, c->inputs, &error) != HN_OK)
    hn_refined_end(&c->run, "the finer run cannot be created");
  for (int k = 0; k < c->longest.count && !c->run.has_ended; k++)
    hn_refined_advance(&c->run, first, c->longest.time[k], c->longest.value[k]);
}

const double *hn_confirm_look(hn_confirm *c, const hn_simulation *first,
                              const hn_compared *compared, double time, double longest) {
  if (!c->is_on || c->run.has_ended) return NULL;
  if (!c->has_begun) begin(c, first);
  if (!hn_refined_advance(&c->run, first, time, longest)) return NULL;
  c->is_split = hn_refined_is_split(&c->run, first, time);
  hn_simulation_signals(c->run.simulation, compared->signal, compared->count, c->values);
  return c->values;
}
