// Counts of a run after each step: constraints, energies, sizes of steps.
#include <math.h>

#include "analysis/bounds.h"
#include "analysis/overlap.h"
#include "analysis/simulation.h"

void hn_note_constraints(hn_simulation *s) {
  hn_certificate *c = &s->certificate;
  const hn_snapshot *now = s->method->now;
  int rows = now->rows_rest ? 0 : s->elements->row_count;
  for (int r = 0; r < rows; r++) {
    if (fabs(now->phi[r]) > c->constraint_position) c->constraint_position = fabs(now->phi[r]);
    if (fabs(now->phi_rate[r]) > c->constraint_velocity)
      c->constraint_velocity = fabs(now->phi_rate[r]);
    if (fabs(now->phi_acceleration[r]) > c->constraint_acceleration)
      c->constraint_acceleration = fabs(now->phi_acceleration[r]);
  }
  c->constraint_position = fmax(c->constraint_position, now->hidden_position);
  c->constraint_velocity = fmax(c->constraint_velocity, now->hidden_velocity);
  c->constraint_acceleration = fmax(c->constraint_acceleration, now->hidden_acceleration);
  for (int i = 0; i < s->equations->nq; i++)
    c->largest_acceleration = fmax(c->largest_acceleration, fabs(now->qdd[i]));
  hn_bounds_note_tilt(s);
  hn_bounds_note_depth(s);
}

static void note_energy(hn_simulation *s) {
  const hn_snapshot *now = s->method->now;
  double balance = now->kinetic + now->potential - s->method->work - s->energy.initial;
  double size = fabs(now->kinetic) + fabs(now->potential - s->energy.initial_potential) +
                fabs(s->method->work);
  if (fabs(balance) > s->certificate.energy_balance) s->certificate.energy_balance = fabs(balance);
  if (size > s->energy.largest) s->energy.largest = size;
  s->certificate.energy_relative =
      s->energy.largest > 0 ? s->certificate.energy_balance / s->energy.largest : 0;
  if (s->energy.parts.count > 0) hn_energy_parts_note(&s->energy.parts, s->model, now);
  if (s->model->touching.has_forces) hn_note_depths(s, now);
}

// Warns if constraints that were dependent at the start are not any more. If the model is at rest
// in such a configuration, rounding decides which of the possible motions it takes.
static void warn_singular_start(hn_simulation *s) {
  if (s->at_start.redundant < 0) return;
  const int rows = s->at_start.redundant - hn_simulation_redundant(s);
  if (rows <= 0) return;
  s->at_start.redundant = -1;
  hn_simulation_warn(s, "initial",
                     "is at rest in a singular configuration (%d dependent constraint%s); the "
                     "motion is not unique. Offset the start or give an initial velocity",
                     rows, rows == 1 ? "" : "s");
}

// Which of the methods of `auto` is in use.
static int method_in_use(const hn_simulation *s) {
  const struct hn_automatic *a = &s->automatic;
  return s->method == a->smooth_method     ? 1
         : s->method == a->implicit_method ? 2
         : s->method == a->stepping_method ? 3
                                           : 0;
}

static void note_method(hn_simulation *s) {
  const int k = method_in_use(s);
  if (s->automatic.used[k] == 0) s->automatic.first[k] = s->method->step_begin;
  s->automatic.used[k] += s->method->step;
}

void hn_methods_certify(const hn_simulation *s, hn_certificate *c) {
  const struct hn_automatic *a = &s->automatic;
  const hn_method *const methods[] = {a->explicit_method ? a->explicit_method : s->method,
                                      a->smooth_method, a->implicit_method, a->stepping_method};
  c->use_count = 0;
  for (int k = 0; k < HN_METHOD_USES; k++) {
    if (a->used[k] == 0 || !methods[k]) continue;
    int at = c->use_count++;
    for (; at > 0 && c->uses[at - 1].first > a->first[k]; at--) c->uses[at] = c->uses[at - 1];
    c->uses[at] = (hn_method_use){.method = methods[k]->type->name,
                                  .formula = methods[k]->formula,
                                  .first = a->first[k],
                                  .time = a->used[k]};
  }
}

void hn_note_step(hn_simulation *s) {
  hn_certificate *c = &s->certificate;
  const double h = s->method->step;
  c->steps_accepted++;
  c->steps_of_index_1 += s->method->index == 1;
  c->steps_past.substituted += s->method->is_substituted;
  c->steps_past.coasted += s->method->has_coasted;
  if (c->steps_between.smallest == 0 || h < c->steps_between.smallest)
    c->steps_between.smallest = h;
  if (h > c->steps_between.largest) c->steps_between.largest = h;
  note_method(s);
  hn_note_constraints(s);
  note_energy(s);
  hn_resolution_note(&s->resolution, s->method->q, s->method->now->qdd);
  if (s->automatic.is_choosing) hn_auto_note(s);
  warn_singular_start(s);
  hn_simulation_tell_unsolved(s);
}
