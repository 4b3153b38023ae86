// Constraints with conditions (rigid.h): set-up and accelerations.
#include "equations/rigid/rigid.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/held_inertia.h"
#include "model/contact.h"

#define ENOUGH 1e-12 // of laws of friction, relative
#define NEAR 1e-8    // ... what solutions leave at most
enum { ROUNDS = 8 };
enum { SLOW_STEPS = 20 }; // a slip that would end within so many steps
#define CONTRADICTS 1e-6  // of accelerations: points that cannot stick together
// A point with less acceleration, relative to that without contacts, counts as sticking.
#define HELD 1e-12

hn_status hn_grips_create(hn_arena *arena, const hn_equations *e, struct hn_grips **grips) {
  const hn_rigid *self = hn_rigid_of(e);
  struct hn_grips *g = HN_KEEP(arena, struct hn_grips, 1);
  if (!g) return HN_ERROR_MEMORY;
  g->mode = HN_KEEP(arena, int, self->base.contacts->pair_count);
  g->grip = HN_KEEP(arena, hn_grip, self->base.point_count);
  g->direction = HN_KEEP(arena, hn_vec3, self->base.point_count);
  g->feature = HN_KEEP(arena, int, self->base.point_count);
  g->soft = HN_KEEP(arena, unsigned char, self->base.point_count);
  g->straight = HN_KEEP(arena, unsigned char, self->base.point_count);
  for (int k = 0; g->feature && k < self->base.point_count; k++) g->feature[k] = -1;
  *grips = g;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_grips_copy(const hn_equations *e, const struct hn_grips *from, struct hn_grips *to) {
  const hn_rigid *self = hn_rigid_of(e);
  const size_t points = (size_t)self->base.point_count;
  to->closed = from->closed;
  memcpy(to->mode, from->mode, (size_t)self->base.contacts->pair_count * sizeof *to->mode);
  memcpy(to->grip, from->grip, points * sizeof *to->grip);
  memcpy(to->direction, from->direction, points * sizeof *to->direction);
  memcpy(to->feature, from->feature, points * sizeof *to->feature);
  memcpy(to->soft, from->soft, points);
  memcpy(to->straight, from->straight, points);
}

hn_status hn_grips_settle_slow(hn_equations *e, double t, const double *q, const double *qd,
                               const hn_branches *branches, double h, struct hn_grips *to) {
  hn_rigid *self = hn_rigid_of(e);
  hn_error local;
  hn_grips_copy(e, branches->grips, to);
  to->turns = branches->grips->turns;
  hn_status status = e->type->evaluate_stage(e, t, q, qd, branches, self->snapshot, &local);
  for (int k = 0; k < self->count && status == HN_OK; k++) {
    const hn_friction_part *part = &self->problem.part[k];
    const double *u = &self->problem.u[part->row], speed = vec3_norm(self->motion[k].slip);
    if (part->law != HN_FRICTION_SLIDING) continue;
    if (speed > SLOW_STEPS * h * sqrt(u[1] * u[1] + u[2] * u[2])) continue;
    hn_vec3 *d = &to->direction[self->point[k]];
    const double sign = vec3_dot(self->motion[k].slip, *d) < 0 ? -1 : 1;
    if (speed > HN_RIGID_SLIP) *d = vec3_scale(sign / speed, self->motion[k].slip);
    to->straight[self->point[k]] = 1;
  }
  return status;
}

static hn_status take_memory(hn_arena *arena, hn_equations *e, hn_rigid *self) {
  const int most = self->base.most, nu = e->nu;
  const size_t rows = 3 * (size_t)most;
  self->point = HN_KEEP(arena, int, most);
  self->geometry = HN_KEEP(arena, hn_contact_point, most);
  self->motion = HN_KEEP(arena, hn_contact_motion, most);
  self->tangent = (hn_vec3(*)[2])(void *)HN_KEEP(arena, hn_vec3, 2 * most);
  self->grips = HN_KEEP(arena, hn_grip, most);
  self->spread = HN_KEEP(arena, double, most);
  self->soft = HN_KEEP(arena, unsigned char, most);
  self->is_moved = HN_KEEP(arena, unsigned char, most);
  self->row = HN_KEEP(arena, hn_touch_row, rows);
  if (self->set->responses && self->set->responses->in_speeds)
    self->g = HN_KEEP(arena, double, rows *(size_t)nu);
  self->bias = HN_KEEP(arena, double, rows);
  self->x = HN_KEEP(arena, double, rows *(size_t)nu);
  self->y = HN_KEEP(arena, double, rows *(size_t)e->elements->row_count);
  self->p = HN_KEEP(arena, double, rows);
  self->other = HN_KEEP(arena, double, rows);
  self->leaving = HN_KEEP(arena, int, most);
  self->leaving_row = HN_KEEP(arena, hn_touch_row, most);
  self->spare = HN_KEEP(arena, double, e->nq);
  self->correction = HN_KEEP(arena, double, e->nq);
  self->speeds = HN_KEEP(arena, double, nu);
  self->moved = HN_KEEP(arena, double, nu);
  self->frames = HN_KEEP(arena, hn_frame, e->model->body_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_friction_create(arena, (int)rows, most, &self->problem);
  if (status == HN_OK) status = hn_held_inertia(arena, e->model, &self->held);
  if (status == HN_OK) status = hn_snapshot_create(arena, e, &self->snapshot);
  if (status == HN_OK && !self->base.is_many) status = hn_grips_create(arena, e, &self->room);
  return status;
}

// Limit of pairs of shapes for event-driven contact. Piles are time-stepped sooner, except with
// conditions that time stepping does not support (knife edges, stops, rolling).
static int few_pairs(const hn_elements *elements, int extras) {
  int is_heap = elements->row_count == 0 && extras == 0;
  for (int k = 0; k < elements->model->contact_count; k++)
    if (elements->model->contacts[k].law == HN_CONTACT_ROLLING) is_heap = 0;
  return is_heap ? HN_RIGID_FEW_FREE : HN_RIGID_FEW;
}

// ---- accelerations ------------------------------------------------------------------------------

// How much the laws are broken at a part: it pulls, or it sticks beyond its cone.
static double excess_of(const hn_rigid *self, int k, const double *p) {
  const hn_friction_part *part = &self->problem.part[k];
  const double *pk = p + part->row;
  double excess = -pk[0];
  if (hn_friction_is_held(part->law) || part->law == HN_FRICTION_DRAGGED) return -HUGE_VAL;
  if (part->law == HN_FRICTION_LIMITED)
    return self->grips[k] == HN_GRIP_STICK ? fabs(pk[0]) - part->limit : -HUGE_VAL;
  if (part->law == HN_FRICTION_CONE && self->grips[k] == HN_GRIP_STICK)
    excess = fmax(excess, sqrt(pk[1] * pk[1] + pk[2] * pk[2]) - part->mu * pk[0]);
  return excess;
}

static double worst_excess(const hn_rigid *self, const double *p) {
  double worst = -HUGE_VAL;
  for (int k = 0; k < self->count; k++) worst = fmax(worst, excess_of(self, k, p));
  return worst;
}

// Number of constraints that the contact mode of a part activates.
static int held_rows(const hn_rigid *self, int k) {
  const hn_friction_law law = self->problem.part[k].law;
  if (law == HN_FRICTION_DRAGGED || self->grips[k] == HN_GRIP_OPEN) return 0;
  return self->grips[k] == HN_GRIP_SLIDE ? 1 : hn_friction_rows(law);
}

// The largest acceleration that is left where there should be none.
static double find_left(const hn_rigid *self) {
  const hn_friction_problem *f = &self->problem;
  double most = 0;
  for (int k = 0; k < f->parts; k++)
    for (int i = 0; i < held_rows(self, k); i++) most = fmax(most, fabs(f->u[f->part[k].row + i]));
  return most;
}

// Forces that satisfy all laws, if they hold all points.
static void find_by_laws(hn_rigid *self, double *p) {
  hn_friction_problem *f = &self->problem;
  hn_friction_report report;
  double *other = self->other;
  memcpy(other, p, (size_t)f->rows * sizeof(double));
  hn_friction_solve(f, ENOUGH, other, &report);
  if (!report.is_solved) return;
  const double limit = HELD * hn_largest(f->q, f->rows);
  for (int k = 0; k < f->parts; k++) {
    const int rows = held_rows(self, k);
    for (int i = 0; i < rows; i++)
      if (fabs(f->u[f->part[k].row + i]) > limit)
        return; // not sticking: they separate or slide
                // indeed
  }
  memcpy(p, other, (size_t)f->rows * sizeof(double));
}

// Where points depend on each other there are many forces that hold them all. Those of least norm
// may pull, or stick beyond their cones, while others do not. Tangents of points that carry more,
// and that have used less of it, are made to carry more.
static void weigh(hn_rigid *self, const double *p) {
  hn_friction_problem *f = &self->problem;
  double sum = 0, used = 0;
  int sticking = 0;
  for (int k = 0; k < f->parts; k++)
    if (!hn_friction_is_held(f->part[k].law) && !hn_friction_is_dry(f->part[k].law))
      sum += fmax(0, p[f->part[k].row]);
  if (!(sum > 0)) return; // nothing is carried
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < f->parts; k++) {
      const hn_friction_part *part = &f->part[k];
      if (part->law != HN_FRICTION_CONE || self->grips[k] != HN_GRIP_STICK) continue;
      const double *pk = p + part->row, load = fmax(pk[0], 1e-3 * sum / f->parts) * part->mu;
      const double share = fmax(sqrt(pk[1] * pk[1] + pk[2] * pk[2]) / load, 1e-3);
      double *weight = &f->weight[part->row];
      if (pass == 0) {
        used += share;
        sticking++;
      } else {
        const double before = weight[1] == 1 ? 1 : self->spread[k];
        self->spread[k] = weight[1] == 1 ? 1 : before * sqrt(used / sticking / share);
        weight[1] = weight[2] = self->spread[k] * load * f->parts / sum;
      }
    }
}

// left: residual accelerations with the forces p. Masses that differ widely hide constraints from
// the solver: a distribution with a larger residual is rejected.
static void share_load(hn_rigid *self, double left, double *p) {
  hn_friction_problem *f = &self->problem;
  const double size = hn_largest(p, f->rows), held = left + HELD * hn_largest(f->q, f->rows);
  const size_t bytes = (size_t)f->rows * sizeof(double);
  double best = worst_excess(self, p), *other = self->other;
  if (!(best > 1e-13 * size) || self->count < 2) return;
  memcpy(other, p, bytes);
  for (int k = 0; k < ROUNDS && best > 1e-13 * size; k++) {
    weigh(self, other);
    hn_friction_solve_grips(f, self->grips, other, NULL);
    const double excess = worst_excess(self, other);
    if (!(excess < best) || !(find_left(self) <= held)) continue;
    best = excess;
    memcpy(p, other, bytes);
  }
  for (int r = 0; r < f->rows; r++) f->weight[r] = 1;
  if (best > 1e-13 * size) find_by_laws(self, p);
}

// Of a stop or of friction its force has the value: positive against growing coordinates. forces: of
// the model; null: not asked for.
static void store_extra(const hn_rigid *self, int k, const struct hn_extra *extra, double p,
                        hn_force_value *forces, hn_touch *touch) {
  const int r = self->problem.part[k].row;
  touch->force = vec3_zero();
  if (extra->kind == HN_EXTRA_FRICTION) touch->loss = -p * self->row[r].speed;
  if (extra->force < 0 || !forces) return;
  hn_force_value *value = &forces[extra->force];
  value->value += extra->kind == HN_EXTRA_STOP ? -extra->sign * p : -p;
  value->dissipated += touch->loss;
}

// contradicts: the contact modes are not compatible any more, as those of a block that is lifted
// off the floor. unsolved: of soft points.
static void store_values(hn_equations *e, hn_snapshot *s, const double *p, int contradicts,
                         double unsolved, int is_stage) {
  hn_rigid *self = hn_rigid_of(e);
  for (int k = 0; k < self->count; k++) {
    hn_touch *touch = &s->touch[self->point[k]];
    const double limit = 1e-13 * fabs(hn_largest(p, self->problem.rows));
    double excess = excess_of(self, k, p);
    if (contradicts && excess > -HUGE_VAL)
      excess = fmax(excess, 1e-3 * hn_largest(p, self->problem.rows));
    const struct hn_extra *extra = hn_extra_of(&self->base, self->point[k]);
    *touch = (hn_touch){.normal = p[self->problem.part[k].row],
                        .force = extra ? vec3_zero() : hn_rigid_force(self, k, p),
                        .excess = excess <= limit ? fmin(excess, 0) : excess,
                        .unsolved = self->soft[k] ? unsolved : 0,
                        .grip = (int)self->grips[k]};
    if (extra)
      store_extra(self, k, extra, p[self->problem.part[k].row], is_stage ? NULL : s->forces, touch);
    else
      touch->loss = -vec3_dot(touch->force, self->motion[k].slip);
    s->power -= touch->loss;
  }
}

// Adds the response to p to a snapshot that has been evaluated without contacts.
static void add_forces(hn_equations *e, const double *q, const hn_branches *branches, int is_stage,
                       const double *p, hn_snapshot *s) {
  const hn_rigid *self = hn_rigid_of(e);
  const hn_cartesian_rows *rows = e->rows;
  const int count = e->elements->row_count;
  hn_rigid_add(e, p, s->ud);
  for (int r = 0; r < self->problem.rows; r++) {
    const double *y = &self->y[(size_t)r * (size_t)count];
    for (int i = 0; i < count; i++) s->lambda[i] += p[r] * y[i];
    for (int i = e->elements->driver_row[0]; i < count; i++)
      s->power += p[r] * y[i] * rows->time_rate[i];
  }
  self->set->responses->conclude(e, q, branches, self->row, p, self->problem.rows, is_stage, s);
}

// Friction of soft points; 0: no such points. If their laws have no solution the forces of the
// contact modes stay; *unsolved: relative residual of the laws then.
static int soften(hn_rigid *self, double *unsolved) {
  hn_friction_problem *f = &self->problem;
  hn_friction_report report;
  int count = 0;
  *unsolved = 0;
  for (int k = 0; k < self->count; k++) {
    hn_friction_part *part = &f->part[k];
    if (!self->soft[k] || part->law != HN_FRICTION_SLIDING) continue;
    part->law = HN_FRICTION_CONE;
    for (int i = 0; i < 2; i++)
      f->q[part->row + 1 + i] +=
          vec3_dot(self->motion[k].slip, self->tangent[k][i]) / HN_RIGID_SOFT;
    count++;
  }
  if (count == 0) return 0;
  memcpy(self->other, self->p, (size_t)f->rows * sizeof(double));
  hn_friction_solve(f, ENOUGH, self->other, &report);
  if (report.is_solved || report.residual <= NEAR * report.scale)
    memcpy(self->p, self->other, (size_t)f->rows * sizeof(double));
  else
    *unsolved = report.scale > 0 ? report.residual / report.scale : 1;
  return count;
}

static int are_closed(const hn_branches *branches) {
  return branches->grips && branches->grips->closed > 0;
}

static hn_status add_contacts(hn_equations *e, const double *q, const hn_branches *branches,
                              int is_stage, hn_snapshot *s, hn_error *error) {
  hn_rigid *self = hn_rigid_of(e);
  const struct hn_grips *grips = branches->grips;
  if (s->touch) memset(s->touch, 0, (size_t)e->touch_points * sizeof *s->touch);
  if (!are_closed(branches)) return HN_OK;
  hn_status status = hn_rigid_take(e, s->frames, grips, HN_RIGID_CLOSED);
  if (status == HN_ERROR_LIMIT)
    return hn_fail(error, status, NULL, NULL, "set @step to use time stepping",
                   "more than %d contact points are closed at t = %g s", self->base.most, s->t);
  if (status == HN_OK) status = hn_rigid_respond(e);
  if (status != HN_OK) return status;
  hn_rigid_accelerations(e, s->ud);
  hn_friction_solve_grips(&self->problem, self->grips, self->p, NULL);
  const double left = find_left(self);
  const int contradicts = left > CONTRADICTS * hn_largest(self->problem.q, self->problem.rows);
  double unsolved;
  if (!soften(self, &unsolved) && !contradicts) share_load(self, left, self->p);
  add_forces(e, q, branches, is_stage, self->p, s);
  store_values(e, s, self->p, contradicts, unsolved, is_stage);
  return HN_OK;
}

static hn_status rigid_evaluate(hn_equations *e, double t, const double *q, const double *qd,
                                const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  hn_status status = hn_rigid_of(e)->set->evaluate(e, t, q, qd, branches, s, error);
  return status == HN_OK ? add_contacts(e, q, branches, 0, s, error) : status;
}

static hn_status rigid_evaluate_stage(hn_equations *e, double t, const double *q, const double *qd,
                                      const hn_branches *branches, hn_snapshot *s,
                                      hn_error *error) {
  const hn_equations_type *set = hn_rigid_of(e)->set;
  hn_status status = are_closed(branches)
                         ? set->responses->evaluate_stage(e, t, q, qd, branches, s, error)
                         : set->evaluate_stage(e, t, q, qd, branches, s, error);
  return status == HN_OK ? add_contacts(e, q, branches, 1, s, error) : status;
}

// ---- set-up -------------------------------------------------------------------------------------

// Extends the equations of a set by conditional constraints.
static hn_equations_type extend(const hn_equations_type *set) {
  hn_equations_type type = *set;
  type.evaluate = rigid_evaluate;
  type.evaluate_stage = rigid_evaluate_stage;
  type.project_positions = hn_rigid_project_positions;
  type.project_velocities = hn_rigid_project_velocities;
  type.jump = hn_rigid_jump;
  type.project = NULL;
  type.holds_conditions = hn_rigid_holds;
  type.power = hn_rigid_power;
  if (set->tangent_create) type.tangent_create = hn_rigid_tangent_create;
  return type;
}

hn_status hn_rigid_create(hn_arena *arena, const hn_equations_type *set,
                          const hn_elements *elements, const hn_equations_options *options,
                          hn_equations **equations, hn_error *error) {
  hn_contacts *none = HN_TAKE(arena, hn_contacts, 1);
  if (!none) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  *none = (hn_contacts){.model = elements->model, .pairs_listed = 1};
  const hn_contacts *contacts = elements->contacts ? elements->contacts : none;
  hn_status status = set->create(arena, elements, options, equations, error);
  if (status != HN_OK) return status;
  hn_rigid *self = HN_KEEP(arena, hn_rigid, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->set = set;
  self->type = extend(set);
  self->base.contacts = contacts;
  self->base.point_count = contacts->pair_count * HN_CONTACT_POINTS;
  self->base.first_extra = self->base.point_count;
  self->base.extra = HN_TAKE(arena, struct hn_extra, hn_extras_list(elements, NULL) + 1);
  if (!self->base.extra) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  const int extras = hn_extras_list(elements, self->base.extra);
  const int is_many = !contacts->pairs_listed || contacts->pair_count > few_pairs(elements, extras);
  self->base.point_count += extras;
  const int room = HN_RIGID_MOST + extras;
  self->base.most = self->base.point_count < room ? self->base.point_count : room;
  if (is_many) self->base.most = elements->row_count > 0 ? HN_RIGID_MOST : 0;
  self->base.is_many = is_many;
  self->base.rule = HN_TAKE(arena, const hn_contact_def *, contacts->pair_count);
  if (!self->base.rule) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int p = 0; p < contacts->pair_count; p++) {
    const hn_contact_def *rule = &elements->model->contacts[contacts->pairs[p].rule];
    self->base.rule[p] = hn_contact_is_rigid(rule) ? rule : NULL;
  }
  (*equations)->extension = self;
  (*equations)->type = &self->type;
  (*equations)->touch_points = is_many || self->base.point_count == 0
                                   ? 1
                                   : self->base.point_count; // of one, nothing is asked
  if (set->responses && set->responses->prepare)
    status = set->responses->prepare(arena, *equations);
  if (status == HN_OK) status = take_memory(arena, *equations, self);
  if (status != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the contacts");
  return HN_OK;
}
