// Constraints with conditions over a tree of components (equations/responses.h). Speeds are the
// velocities of bodies. A response is one solution over all levels, with impulses as loads: a sealed
// component takes those on its border bodies, as for velocities at the start (component.h, impulses).
//
// A sealed component publishes outputs of its accelerations and keeps its reactions, so forces of
// conditions enter once more as loads when a state is evaluated completely.
#include <string.h>

#include "equations/cartesian/cartesian.h"
#include "equations/cartesian/problem.h"
#include "equations/nested/private.h"
#include "equations/responses.h"

enum { REFINEMENTS = 2 };

static hn_status nested_prepare(hn_arena *arena, hn_equations *e) {
  hn_nested_data *self = hn_nested_of(e);
  self->qd = HN_KEEP(arena, double, e->nq);
  return self->qd ? hn_snapshot_create(arena, e, &self->snapshot) : HN_ERROR_MEMORY;
}

static hn_status nested_stage(hn_equations *e, double t, const double *q, const double *qd,
                              const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  hn_status status = hn_nested_evaluate_stage(e, t, q, qd, branches, s, error);
  memcpy(e->rows->time_rate, hn_nested_of(e)->base.rows.time_rate, // of drivers, which do work
         (size_t)e->elements->row_count * sizeof(double));
  return status;
}

// Gives each sealed component its part of the impulses b.
static void give_impulses(hn_nested_data *self) {
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const hn_component_facts *facts = p->part->facts;
    for (int b = 0; b < facts->border_count; b++)
      memcpy(&p->border_force[6 * b],
             &self->base.b[6 * (p->part->first_body - 1 + facts->border[b])], 6 * sizeof(double));
    hn_nested_part_note(p, p->part->api->impulses(p->run, p->border_force, 0));
  }
}

static hn_status nested_factor(hn_equations *e, double t, const double *q, const double *qd,
                               const hn_frame *frames, const hn_branches *branches) {
  hn_nested_data *self = hn_nested_of(e);
  hn_error unused = {.status = HN_OK};
  hn_nested_evaluate_rows(e, t, frames, branches);
  hn_nested_parts_gaps(self, t, q, qd, branches, 1);
  memset(self->base.b, 0, (size_t)e->nu * sizeof(double));
  give_impulses(self); // from now on the components use the frames of the gaps
  return hn_nested_factor(e, q, frames, HN_HIERARCHY_ALL, &unused);
}

static hn_status nested_respond(hn_equations *e, const hn_touch_row *row, const double *g,
                                double *x, double *y) {
  hn_nested_data *self = hn_nested_of(e);
  (void)g;
  memset(self->base.b, 0, (size_t)e->nu * sizeof(double));
  memset(self->base.g, 0, (size_t)self->base.row_count * sizeof(double));
  for (int side = 0; side < 2; side++)
    for (int i = 0; row->body[side] != HN_GROUND && i < 6; i++)
      self->base.b[6 * (row->body[side] - 1) + i] += row->block[side][i];
  give_impulses(self);
  hn_status status = hn_hierarchy_solve(self->base.hierarchy, self->base.b, self->base.g, x,
                                        self->base.y, REFINEMENTS);
  if (status != HN_OK) return status;
  hn_nested_parts_increments(self, 0, x);
  memcpy(y, self->base.y, (size_t)e->elements->row_count * sizeof(double));
  return HN_OK;
}

static double nested_kinetic(hn_equations *e, double t, const double *q, const double *qd,
                             const hn_branches *branches) {
  hn_nested_data *self = hn_nested_of(e);
  hn_snapshot *s = self->snapshot;
  hn_error unused = {.status = HN_OK};
  for (int b = 0; b < e->model->body_count; b++) s->wrench[b] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  s->kinetic = s->potential = s->power = 0;
  e->type->coordinates->frames(e, q, qd, s->frames);
  hn_nested_evaluate_rows(e, t, s->frames, branches);
  if (hn_nested_parts_forces(self, t, q, qd, branches, s, &unused) != HN_OK) return 0;
  hn_nested_load_bodies(e, s);
  return s->kinetic;
}

static void accelerate(hn_equations *e, hn_snapshot *s) {
  for (int b = 1; b < e->model->body_count; b++) {
    const double *x = &s->ud[6 * (b - 1)];
    hn_cartesian_accelerate(&s->frames[b], x, &s->qdd[7 * (b - 1)]);
    s->acceleration[b] = vec3_load(x);
    s->angular_acceleration[b] = vec3_load(x + 3);
  }
}

static void nested_conclude(hn_equations *e, const double *q, const hn_branches *branches,
                            const hn_touch_row *row, const double *p, int rows, int is_stage,
                            hn_snapshot *s) {
  hn_nested_data *self = hn_nested_of(e);
  const hn_nested_load load = {.row = row, .p = p, .count = rows};
  hn_error unused = {.status = HN_OK};
  for (int b = 1; b < e->model->body_count; b++) {
    vec3_store(&self->qd[7 * (b - 1)], s->frames[b].v);
    quat_store(&self->qd[7 * (b - 1) + 3], s->frames[b].pd);
  }
  if (is_stage || hn_nested_evaluate_loaded(e, s->t, q, self->qd, branches, &load, s, &unused))
    accelerate(e, s);
}

static void nested_forget(hn_equations *e) {
  hn_nested_data *self = hn_nested_of(e);
  self->base.is_factored = 0;
  memset(self->base.left_out, 1, (size_t)e->elements->row_count); // none chosen yet
  memcpy(e->redundant, self->base.left_out, (size_t)e->elements->row_count);
}

const hn_response_type hn_nested_responses = {
    .prepare = nested_prepare,
    .evaluate_stage = nested_stage,
    .factor = nested_factor,
    .respond = nested_respond,
    .conclude = nested_conclude,
    .kinetic = nested_kinetic,
    .move = hn_cartesian_move,
    .forget = nested_forget,
};
