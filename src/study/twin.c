// Distinguishes chaotic models from too large steps, for time-stepped contacts.
//
// A pile of bodies amplifies every difference of two runs: a sphere that lands a micrometer off
// goes elsewhere. A second run with half the step then ends in another pile, as it does if steps
// are too large. A run with the same steps from velocities perturbed by EPSILON distinguishes the
// two: in a model that only adds up errors, positions then differ by EPSILON times the time. MANY
// times that is growth of the model itself.
//
// Positions of such a pile are useless after a while, its energy is not: if the two runs of
// different steps differ in energy, the steps are too large, chaotic or not.
#include "study/twin.h"

#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "math/elementary.h"

#define EPSILON 1e-6 // m/s, rad/s; contact conditions are solved to some 1e-8 of these in a step
#define MANY 1e3
#define ROUNDING 1e-9 // of the energy: a range below it is zero

// Velocities a little off, by numbers without order.
static hn_status begin_beside(hn_simulation *twin, const hn_simulation *first, double *qd) {
  for (int i = 0; i < first->equations->nq; i++)
    qd[i] = first->method->qd[i] + EPSILON * hn_sin(12.9898 * (i + 1));
  return hn_simulation_copy_state(twin, first, qd);
}

static void end(hn_twin_run *t) {
  hn_simulation_free(t->simulation);
  t->simulation = NULL;
}

hn_status hn_twin_begin(hn_arena *arena, const hn_simulation *first, const hn_run_plan *plan,
                        int compared, hn_twin_run *t, hn_error *error) {
  *t = (hn_twin_run){.start = first->method->t};
  if (!first->method->type->steps_over) return HN_OK;
  t->reader = (hn_table_reader){.plan = plan, .has_resumed = plan->is_resumed};
  t->reader.next = HN_TAKE(arena, int, plan->table_count + 1);
  t->values = HN_TAKE(arena, double, compared);
  double *qd = HN_TAKE(arena, double, first->equations->nq);
  if (arena->failed) return HN_ERROR_MEMORY;
  const hn_simulation_options options = hn_simulation_options_alike(first);
  hn_status status = hn_simulation_create(first->model, &options, &t->simulation, error);
  if (status == HN_OK) status = begin_beside(t->simulation, first, qd);
  if (status != HN_OK) end(t);
  return status;
}

static hn_status step_to(hn_twin_run *t, double time, double end_of_run) {
  hn_status status = HN_OK;
  while (status == HN_OK && t->simulation->method->t < time) {
    if (t->reader.plan->table_count > 0) status = hn_tables_give(&t->reader, t->simulation);
    const double limit = fmin(end_of_run, hn_tables_next(&t->reader));
    if (status == HN_OK) status = hn_simulation_step(t->simulation, limit);
  }
  return status == HN_OK ? hn_simulation_look_at(t->simulation, time) : status;
}

void hn_twin_compare(hn_twin_run *t, hn_simulation *first, const hn_compared *compared,
                     const double *values, double time, double end_of_run) {
  if (!t->simulation || !first->method->type->steps_over) return;
  if (step_to(t, time, end_of_run) != HN_OK) {
    end(t);
    return;
  }
  hn_simulation_signals(t->simulation, compared->signal, compared->count, t->values);
  double most = 0;
  for (int k = 0; k < compared->count; k++) {
    if (!(compared->use[k] & HN_COMPARED_MOTION) || (compared->use[k] & HN_COMPARED_RATE)) continue;
    const double d = hn_signal_gap(compared->same[k], values[k], t->values[k]);
    if (d > most) most = d;
  }
  if (!(most > MANY * EPSILON * (1 + time - t->start))) return;
  t->part = (time - t->start) / hn_log(most / EPSILON);
  end(t); // nothing more to learn
}

void hn_twin_energies(hn_twin_run *t, hn_simulation *first, hn_simulation *second) {
  double energy[2] = {0, 0}, value;
  hn_simulation *const both[2] = {first, second};
  if (!first->method->type->steps_over) return;
  for (int k = 0; k < 2; k++) {
    if (hn_simulation_value(both[k], "energy.kinetic", &value) == HN_OK) energy[k] += value;
    if (hn_simulation_value(both[k], "energy.potential", &value) == HN_OK) energy[k] += value;
  }
  t->apart += fabs(energy[0] - energy[1]);
  t->least = t->rows > 0 ? fmin(t->least, energy[0]) : energy[0];
  t->most = t->rows > 0 ? fmax(t->most, energy[0]) : energy[0];
  t->rows++;
}

double hn_twin_energy_apart(const hn_twin_run *t) {
  const double rounding = ROUNDING * fmax(fabs(t->most), fabs(t->least));
  const double range = fmax(t->most - t->least, rounding);
  return t->rows > 0 && range > 0 ? t->apart / ((double)t->rows * range) : 0;
}

int hn_twin_is_sensitive(const hn_twin_run *t) {
  return t->part > 0 && hn_twin_energy_apart(t) <= HN_ACCURACY_PROMISE_STEP;
}
