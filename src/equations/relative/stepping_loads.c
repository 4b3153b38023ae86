// Applied forces in a step (relative/stepping.h): those on coordinates of the tree in one pass with
// their slopes. A force that reads inputs alone is evaluated again only if an input has changed. At
// the end of a step only the potential is needed; where all forces are of these kinds the rest waits
// until it is read.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "elements/force.h"
#include "elements/force_types.h"
#include "equations/relative/stepping.h"
#include "math/law.h"
#include "model/contact.h"

// ---- set-up -------------------------------------------------------------------------------------

// By inputs alone: no slopes, nor a potential.
static int reads_inputs_only(const hn_model *model, int f) {
  const hn_force_def *def = &model->forces[f];
  return !def->of_x && !def->of_v && !def->of_t && def->of_xvt &&
         hn_law_input_count(def->of_xvt) <= HN_STEP_INPUTS &&
         hn_law_reads_inputs_only(def->of_xvt, model->input_count);
}

// A rigid stop or friction without viscosity: constraints alone.
static int is_idle(const hn_force_def *def) {
  const hn_tension at_rest = hn_force_tension(def, 0, (hn_branch){0, 0}, 0, 1, 0);
  return hn_force_is_rigid(def) && at_rest.f == 0 && at_rest.f_md == 0;
}

hn_status hn_relative_make_step_loads(hn_arena *arena, hn_relative_stepper *self) {
  const hn_relative_set *set = self->set;
  const hn_model *model = set->base.model;
  const int forces = hn_model_force_count(model);
  self->sloped = HN_KEEP(arena, int, forces);
  self->given = HN_KEEP(arena, hn_step_given, forces);
  self->measured = HN_KEEP(arena, int, forces);
  self->stored0 = HN_KEEP(arena, double, set->forces.spring_count);
  self->memo = HN_WORK(arena, hn_step_memo, forces);
  if (arena->failed) return HN_ERROR_MEMORY;
  int springs = 0;
  for (int f = 0; f < forces; f++) {
    const hn_force_def *def = &model->forces[f];
    if (set->forces.node[f] < 0) {
      self->measured[self->measured_count++] = f;
    } else if (set->forces.is_spring[f]) { // in the same order as the set has them
      self->stored0[springs++] = hn_force_tension(def, 0, (hn_branch){0, 0}, 0, 0, 0).potential;
    } else if (reads_inputs_only(model, f)) {
      const hn_tree_node *node = &set->tree->nodes[set->forces.node[f]];
      const hn_measure *m = &set->base.elements->measures[set->base.elements->force_coordinate[f]];
      self->given[self->given_count++] =
          (hn_step_given){f, node->u, m->turn >= 0 ? 1 : node->linear};
    } else if (!is_idle(def)) {
      self->sloped[self->sloped_count++] = f;
    }
  }
  self->loads_wait = set->forces.measured == 0 && self->sloped_count == 0 &&
                     forces == model->force_count && set->base.elements->sensor_count == 0 &&
                     model->driver_count == 0 && !set->base.elements->force_off &&
                     !set->base.elements->row_off;
  return HN_OK;
}

// ---- in the middle ------------------------------------------------------------------------------

static void pull_springs(hn_relative_stepper *self, const hn_stepping_span *s, hn_snapshot *to) {
  const hn_relative_set *set = self->set;
  double *load = set->forces.load;
  for (int i = 0; i < set->forces.spring_count; i++) {
    const hn_tree_spring *spring = &set->forces.springs[i];
    const double share = spring->share, md = share * set->u[spring->u];
    double m = share * s->next_q[spring->q];
    if (spring->turn >= 0) m = hn_nearest_turn(m, s->branches->turns[spring->turn]);
    const double stored = spring->of_x[1] * m + spring->of_x[0];
    const double f = stored + (spring->of_v[1] * md + spring->of_v[0]);
    to->power -= (f - stored) * md;
    load[spring->u] -= share * f;
    self->damped[spring->u] += share * (f - stored);
    self->k[spring->u] += share * share * spring->of_x[1];
    self->d[spring->u] += share * share * spring->of_v[1];
  }
}

// The force at these inputs: that of the memo if they are its own.
static double given_force(hn_relative_stepper *self, int i, const hn_branch *branches, double t) {
  const hn_step_given *given = &self->given[i];
  hn_step_memo *memo = &self->memo[i];
  const hn_force_def *def = &self->set->base.model->forces[given->force];
  const hn_branch branch = branches[given->force];
  double inputs[HN_STEP_INPUTS], power = 0;
  int is_same = memo->is_there == 1 && memo->branch == branch.state;
  const int count = hn_law_inputs_at(def->of_xvt, t, inputs);
  for (int k = 0; k < count; k++) is_same &= inputs[k] == memo->input[k];
  if (is_same) return memo->value;
  for (int k = 0; k < count; k++) memo->input[k] = inputs[k];
  memo->value = hn_force_pull_in_step(def, branch, 0, 0, t, &power);
  memo->branch = branch.state;
  memo->is_there = 1;
  return memo->value;
}

static void pull_others(hn_relative_stepper *self, const hn_stepping_span *s, hn_snapshot *to) {
  const hn_relative_set *set = self->set;
  const double t = s->t + 0.5 * s->h;
  for (int i = 0; i < self->sloped_count; i++) {
    const int f = self->sloped[i];
    const hn_force_def *def = &set->base.model->forces[f];
    const hn_branch branch = s->branches->force[f];
    const hn_tree_measure m = hn_relative_measure(set, f, s->next_q, s->branches->turns);
    const double pull = hn_force_pull_in_step(def, branch, m.value, m.rate, t, &to->power);
    const hn_tension slope = hn_force_tension(def, 0, branch, m.value, m.rate, t);
    set->forces.load[m.speed] -= m.share * pull;
    self->damped[m.speed] += m.share * (pull - slope.stored);
    self->k[m.speed] += m.share * m.share * slope.f_m;
    self->d[m.speed] += m.share * m.share * slope.f_md;
  }
}

hn_status hn_relative_step_forces(hn_relative_stepper *self, const hn_stepping_span *s,
                                  hn_error *error) {
  const hn_relative_set *set = self->set;
  const hn_model *model = set->base.model;
  const size_t size = (size_t)set->base.nu * sizeof(double);
  const double t = s->t + 0.5 * s->h;
  hn_snapshot *to = s->next;
  memset(set->forces.load, 0, size);
  memset(self->damped, 0, size);
  memset(self->k, 0, size);
  memset(self->d, 0, size);
  to->power = 0;
  hn_relative_sense(set, s->next_q, to->frames, s->branches->turns);
  pull_springs(self, s, to);
  for (int i = 0; i < self->given_count; i++) {
    const hn_step_given *given = &self->given[i];
    const double pull = given->share * given_force(self, i, s->branches->force, t);
    set->forces.load[given->speed] -= pull;
    self->damped[given->speed] += pull;
    to->power -= pull * set->u[given->speed];
  }
  pull_others(self, s, to);
  if (set->forces.measured > 0)
    memset(to->wrench, 0, (size_t)model->body_count * sizeof *to->wrench);
  for (int i = 0; i < self->measured_count; i++) {
    const int f = self->measured[i];
    const hn_status status = hn_force_in_step(set->base.elements, f, to->frames, s->branches->turns,
                                              t, s->branches->force[f], to->wrench, &to->power);
    if (status != HN_OK) return hn_fail_force(model, f, status, t, error);
  }
  return HN_OK;
}

// ---- at the end ---------------------------------------------------------------------------------

static double potential_of(const hn_relative_stepper *self, const double *q, const double *turns,
                           const hn_snapshot *s) {
  const hn_relative_set *set = self->set;
  const hn_model *model = set->base.model;
  double sum = 0;
  for (int b = 1; b < model->body_count; b++)
    if (model->bodies[b].mass > 0)
      sum -= model->bodies[b].mass * vec3_dot(model->gravity, s->frames[b].r);
  for (int i = 0; i < set->forces.spring_count; i++) {
    const hn_tree_spring *spring = &set->forces.springs[i];
    double m = spring->share * q[spring->q];
    if (spring->of_x[0] == 0 && spring->of_x[1] == 0) continue;
    if (spring->turn >= 0) m = hn_nearest_turn(m, turns[spring->turn]);
    sum += self->stored0[i] + m * (spring->of_x[0] + 0.5 * spring->of_x[1] * m);
  }
  return sum;
}

// Nothing yet: what contacts add is added to zero, the forces when they are read.
static void let_wait(const hn_relative_stepper *self, hn_snapshot *s) {
  const hn_model *model = self->set->base.model;
  memset(s->wrench, 0, (size_t)model->body_count * sizeof *s->wrench);
  for (int f = 0; f < model->force_count; f++)
    s->forces[f] = (hn_force_value){.state = HN_BRANCH_FREE};
  s->is_partial = HN_SNAPSHOT_WITHOUT_FORCES;
}

hn_status hn_relative_end_forces(hn_relative_stepper *self, double t, const double *q,
                                 const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  s->is_partial = HN_SNAPSHOT_OF_STEP;
  if (!self->loads_wait) return hn_relative_apply_forces(self->set, t, q, branches, s, error);
  s->potential = potential_of(self, q, branches->turns, s);
  let_wait(self, s);
  return HN_OK;
}
