// Accelerations over the hierarchy of components. See nested.c for the equations.
#include <string.h>

#include "base/error.h"
#include "elements/sensor.h"
#include "equations/cartesian/cartesian.h"
#include "equations/cartesian/problem.h"
#include "equations/nested/private.h"
#include "equations/responses.h"
#include "model/contact.h"

enum { CHUNK = 64, ROWS_FOR_THREADS = 1024 };

// ---- rows ---------------------------------------------------------------------------------------

static void evaluate_chunk(void *context, int index) {
  hn_nested_data *self = context;
  const hn_elements *elements = self->equations->elements;
  for (int r = CHUNK * index; r < elements->row_count && r < CHUNK * (index + 1); r++)
    hn_cartesian_evaluate_row(elements, &self->base.rows, r, self->task_time, self->task_frames,
                              self->branches);
}

void hn_nested_evaluate_rows(hn_equations *e, double t, const hn_frame *frames,
                             const hn_branches *branches) {
  hn_nested_data *self = hn_nested_of(e);
  self->task_time = t;
  self->task_frames = frames;
  self->branches = branches;
  int rows = e->elements->row_count;
  hn_threads_run(rows >= ROWS_FOR_THREADS ? self->threads : NULL, evaluate_chunk, self,
                 (rows + CHUNK - 1) / CHUNK);
}

// The matrices depend on q only: a factorization made at this very q is still the right one.
hn_status hn_nested_factor(hn_equations *e, const double *q, const hn_frame *frames,
                           hn_hierarchy_rows rows, hn_error *error) {
  hn_nested_data *self = hn_nested_of(e);
  const hn_model *model = e->model;
  size_t size = (size_t)e->nq * sizeof(double);
  if (self->base.is_factored && self->factored_rows == rows &&
      memcmp(q, self->factored_q, size) == 0)
    return HN_OK;
  self->base.is_factored = 0;
  hn_cartesian_mass(model, NULL, frames, self->mass);
  int light = 0;
  hn_status status = hn_hierarchy_factor(self->base.hierarchy, self->mass, self->base.rows.block,
                                         rows, self->base.left_out, &light);
  char name[96];
  if (status == HN_ERROR_SINGULAR && light > 0)
    return hn_fail(error, status, &model->bodies[light].source,
                   hn_text(name, sizeof name, "body '%s'", model->bodies[light].name),
                   "give it mass and inertia about every axis, or use another @method",
                   "has no mass or no inertia about an axis: method components needs both");
  if (status != HN_OK) return status;
  memcpy(self->factored_q, q, size);
  self->factored_rows = rows;
  self->base.is_factored = 1;
  if (rows != HN_HIERARCHY_KEPT)
    self->base.dependent = hn_hierarchy_dependent(self->base.hierarchy);
  e->redundant_count = 0;
  for (int r = 0; r < self->base.row_count; r++) e->redundant_count += self->base.left_out[r];
  // small pivots count in stages too: off the constraints these accelerations are worth nothing there
  e->near_singular = hn_hierarchy_near(self->base.hierarchy) > 0 ||
                     (rows != HN_HIERARCHY_KEPT && self->base.dependent > e->redundant_count);
  return HN_OK;
}

// ---- forces -------------------------------------------------------------------------------------

void hn_nested_body_load(hn_equations *e, int b, hn_snapshot *s) {
  const hn_model *model = e->model;
  hn_nested_data *self = hn_nested_of(e);
  const hn_frame *f = &s->frames[b];
  hn_vec3 weight = vec3_scale(model->bodies[b].mass, model->gravity);
  hn_vec3 turn = mat3_apply_transposed(f->a, f->w);
  hn_vec3 momentum = mat3_apply(f->a, mat3_apply(mat3_symmetric(model->bodies[b].inertia), turn));
  hn_vec3 torque = vec3_sub(s->wrench[b].torque, vec3_cross(f->w, momentum));
  s->wrench[b].force = vec3_add(s->wrench[b].force, weight);
  s->potential -= vec3_dot(weight, f->r);
  vec3_store(&self->base.b[6 * (b - 1)], s->wrench[b].force);
  vec3_store(&self->base.b[6 * (b - 1) + 3], torque);
  s->kinetic += 0.5 * (model->bodies[b].mass * vec3_dot(f->v, f->v) + vec3_dot(f->w, momentum));
}

// Bodies of a sealed component stand together: it loads all of them when the first is met.
void hn_nested_load_bodies(hn_equations *e, hn_snapshot *s) {
  hn_nested_data *self = hn_nested_of(e);
  int next = 0;
  for (int b = 1; b < e->model->body_count; b++) {
    if (next < self->part_count && self->parts[next].part->first_body == b) {
      hn_nested_part_loads(self, next, s);
      b += self->parts[next++].part->body_count - 1;
    } else {
      hn_nested_body_load(e, b, s);
    }
  }
}

// ---- results ------------------------------------------------------------------------------------

void hn_nested_store_accelerations(hn_equations *e, hn_snapshot *s) {
  hn_nested_data *self = hn_nested_of(e);
  for (int b = self->base.first_body; b < e->model->body_count; b++) {
    const double *x = &self->base.x[6 * (b - 1)];
    memcpy(&s->ud[6 * (b - 1)], x, 6 * sizeof(double));
    s->acceleration[b] = vec3_load(x);
    s->angular_acceleration[b] = vec3_load(x + 3);
    hn_cartesian_accelerate(&s->frames[b], x, &s->qdd[7 * (b - 1)]);
  }
}

void hn_nested_store_rows(hn_equations *e, hn_snapshot *s) {
  hn_nested_data *self = hn_nested_of(e);
  const hn_cartesian_rows *rows = &self->base.rows;
  for (int r = 0; r < self->base.row_count; r++) {
    double residual = -rows->tau[r];
    hn_nested_add_products(&self->base, r, r + 1, self->base.x, &residual);
    s->power += self->base.y[r] * rows->time_rate[r]; // drivers: lambda' Phi_t
    if (r >= e->elements->row_count) {
      s->hidden_position = fmax(s->hidden_position, fabs(rows->value[r]));
      s->hidden_velocity = fmax(s->hidden_velocity, fabs(rows->rate[r]));
      s->hidden_acceleration = fmax(s->hidden_acceleration, fabs(residual));
      continue;
    }
    s->phi[r] = rows->value[r];
    s->phi_rate[r] = rows->rate[r];
    s->phi_time_rate[r] = rows->time_rate[r];
    s->phi_acceleration[r] = residual;
    s->lambda[r] = self->base.y[r];
  }
}

// ---- all of it ----------------------------------------------------------------------------------

static void apply_load(const hn_nested_load *load, hn_wrench *wrench) {
  for (int r = 0; r < load->count; r++)
    for (int side = 0; side < 2; side++) {
      const double *block = load->row[r].block[side];
      hn_wrench *w = &wrench[load->row[r].body[side]];
      if (load->row[r].body[side] == HN_GROUND) continue;
      w->force = vec3_add_scaled(w->force, load->p[r], vec3_load(block));
      w->torque = vec3_add_scaled(w->torque, load->p[r], vec3_load(block + 3));
    }
}

// Forces of contacts come last in a model, so also after those inside sealed components: sums have the
// bits of the open model.
static hn_status apply_forces(hn_equations *e, double t, const double *q, const double *qd,
                              const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  const int count = e->model->force_count, first = hn_model_first_contact_force(e->model);
  hn_elements_sense(e->elements, s->frames, branches->turns);
  hn_status status = hn_apply_some_forces(e, 0, first, t, branches, s, error);
  if (status == HN_OK)
    status = hn_nested_parts_forces(hn_nested_of(e), t, q, qd, branches, s, error);
  return status == HN_OK ? hn_apply_some_forces(e, first, count, t, branches, s, error) : status;
}

static hn_status evaluate_with(hn_equations *e, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_hierarchy_rows rows, int refinements,
                               const hn_nested_load *load, hn_snapshot *s, hn_error *error) {
  hn_nested_data *self = hn_nested_of(e);
  e->evaluations++;
  s->t = t;
  s->potential = s->power = s->kinetic = 0;
  s->hidden_position = s->hidden_velocity = s->hidden_acceleration = 0;
  for (int b = 0; b < e->model->body_count; b++) s->wrench[b] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  if (load) apply_load(load, s->wrench);
  e->type->coordinates->frames(e, q, qd, s->frames);
  hn_nested_evaluate_rows(e, t, s->frames, branches);
  hn_status status = apply_forces(e, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  hn_nested_load_bodies(e, s);
  status = hn_nested_factor(e, q, s->frames, rows, error);
  if (status == HN_ERROR_SINGULAR && error->status == status) return status;
  if (status == HN_OK)
    status = hn_hierarchy_solve(self->base.hierarchy, self->base.b, self->base.rows.tau,
                                self->base.x, self->base.y, refinements);
  if (status != HN_OK && hn_nested_part_failed(self, status, t, error) != HN_OK)
    return error->status;
  if (status == HN_ERROR_INTERRUPTED)
    return hn_fail(error, status, NULL, NULL, "start the run again",
                   "another process of this run ended at t = %g s", t);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, "check forces and positions just before this time",
                   "accelerations are not finite at t = %g s", t);
  hn_nested_parts_finish(self, s);
  status = hn_nested_part_failed(self, HN_ERROR_NOT_FINITE, t, error);
  if (status != HN_OK) return status;
  for (int k = 0; k < self->part_count && rows != HN_HIERARCHY_KEPT; k++)
    e->near_singular |= self->parts[k].dependent > self->parts[k].left_out;
  s->near_singular = e->near_singular;
  hn_nested_store_accelerations(e, s);
  hn_nested_store_rows(e, s);
  memcpy(e->redundant, self->base.left_out, (size_t)e->elements->row_count);
  return HN_OK;
}

// A restored simulation brings its own choice of rows.
hn_status hn_nested_evaluate(hn_equations *e, double t, const double *q, const double *qd,
                             const hn_branches *branches, hn_snapshot *snapshot, hn_error *error) {
  hn_hierarchy_rows rows = branches->keeps_rows ? HN_HIERARCHY_ALL : HN_HIERARCHY_CHOOSE;
  memcpy(hn_nested_of(e)->base.left_out, e->redundant, (size_t)e->elements->row_count);
  return evaluate_with(e, t, q, qd, branches, rows, 2, NULL, snapshot, error);
}

hn_status hn_nested_evaluate_loaded(hn_equations *e, double t, const double *q, const double *qd,
                                    const hn_branches *branches, const hn_nested_load *load,
                                    hn_snapshot *snapshot, hn_error *error) {
  return evaluate_with(e, t, q, qd, branches, HN_HIERARCHY_ALL, 2, load, snapshot, error);
}

hn_status hn_nested_evaluate_stage(hn_equations *e, double t, const double *q, const double *qd,
                                   const hn_branches *branches, hn_snapshot *snapshot,
                                   hn_error *error) {
  return evaluate_with(e, t, q, qd, branches, HN_HIERARCHY_KEPT, 1, NULL, snapshot, error);
}
