// Accelerations in Cartesian coordinates (cartesian.h) at a state, with everything of a snapshot, or
// only what a stage is asked for; the power alone.
#include <string.h>

#include "base/error.h"
#include "equations/cartesian/cartesian.h"
#include "equations/cartesian/problem.h"
#include "linalg/block_lanes.h"

static void right_side(hn_cartesian_set *self, hn_snapshot *s, int from, int to) {
  const hn_model *model = self->base.model;
  for (int b = from; b < to; b++) {
    const hn_frame *f = &s->frames[b];
    const double *m = &self->m_values[9 * (b - 1)];
    hn_vec3 momentum = {m[3] * f->w.x + m[4] * f->w.y + m[6] * f->w.z,
                        m[4] * f->w.x + m[5] * f->w.y + m[7] * f->w.z,
                        m[6] * f->w.x + m[7] * f->w.y + m[8] * f->w.z};
    hn_vec3 torque = vec3_sub(s->wrench[b].torque, vec3_cross(f->w, momentum));
    vec3_store(&self->b[6 * (b - 1)], s->wrench[b].force);
    vec3_store(&self->b[6 * (b - 1) + 3], torque);
    s->kinetic += 0.5 * (model->bodies[b].mass * vec3_dot(f->v, f->v) + vec3_dot(f->w, momentum));
  }
}

// Results of a stage: accelerations of coordinates, multipliers, power.
static void store_stage(hn_cartesian_set *self, hn_snapshot *s) {
  const hn_elements *elements = self->base.elements;
  for (int b = 0; b < self->base.model->body_count - 1; b++)
    hn_cartesian_accelerate(&s->frames[b + 1], &self->x[6 * b], &s->qdd[7 * b]);
  for (int r = elements->driver_row[0]; r < elements->row_count; r++)
    s->power += self->y[r] * self->rows->time_rate[r]; // drivers: lambda' Phi_t
}

// J x - tau of all rows.
HN_INLINE void find_remainders(int wide, const hn_cartesian_rows *rows, int count, const double *x,
                               double *out) {
  for (int r = 0, k = 0; r < count; r++) {
    hn_lanes sum = {{0, 0, 0, 0, 0, 0}}, block, part;
    for (; k < rows->row_start[r + 1]; k++) {
      lanes_load(wide, 6, &block, &rows->block[6 * k]);
      lanes_load(wide, 6, &part, &x[6 * (rows->body[k] - 1)]);
      lanes_add_product(wide, 6, &sum, &block, &part);
    }
    out[r] = lanes_sum(wide, 6, &sum) - rows->tau[r];
  }
}

HN_VARIANTS(find_remainders,
            (const hn_cartesian_rows *rows, int count, const double *x, double *out),
            (rows, count, x, out))

// The rest of a snapshot.
static void store_rest(hn_cartesian_set *self, hn_snapshot *s) {
  const hn_cartesian_rows *rows = self->rows;
  const hn_elements *elements = self->base.elements;
  const size_t size = (size_t)elements->row_count * sizeof(double);
  for (int b = 1; b < elements->model->body_count; b++) {
    s->acceleration[b] = vec3_load(&self->x[6 * (b - 1)]);
    s->angular_acceleration[b] = vec3_load(&self->x[6 * (b - 1) + 3]);
  }
  HN_PICK(self->wide, find_remainders)(rows, elements->row_count, self->x, s->phi_acceleration);
  memcpy(s->phi, rows->value, size);
  memcpy(s->phi_rate, rows->rate, size);
  memcpy(s->phi_time_rate, rows->time_rate, size);
}

// Frames, masses, weights and rows: bodies and the joints between them go together, while they are in
// the cache. Right sides too, unless forces are still to come.
static hn_status describe(hn_cartesian_set *self, double t, const double *q, const double *qd,
                          const hn_branches *branches, hn_row_set rows, hn_snapshot *s,
                          hn_error *error) {
  enum { TOGETHER = 64 };
  hn_equations *e = &self->base;
  const int bodies = e->model->body_count,
            is_free = e->model->force_count == 0 && e->elements->sensor_count == 0;
  hn_frame_of_ground(&s->frames[0]);
  s->wrench[0] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  s->potential = s->power = s->kinetic = 0;
  for (int from = 1, to, joint = 0; from <= bodies; from = to) {
    to = from + TOGETHER < bodies ? from + TOGETHER : bodies;
    for (int b = from; b < to; b++) {
      hn_cartesian_frame(&q[7 * (b - 1)], &qd[7 * (b - 1)], &s->frames[b]);
      hn_cartesian_mass_of(e->model, self->held, b, &s->frames[b], &self->m_values[9 * (b - 1)]);
    }
    hn_apply_weights(e, s, from, to);
    if (is_free) right_side(self, s, from, to);
    joint = hn_cartesian_evaluate_ready(e, t, s->frames, branches, rows == HN_ROWS_KEPT, joint, to);
    if (to == bodies) break;
  }
  if (is_free) return HN_OK;
  hn_status status = hn_apply_elements(e, t, branches, s, error);
  if (status == HN_OK) right_side(self, s, 1, bodies);
  return status;
}

static void note_unsolved(hn_cartesian_set *self) {
  double most = 0;
  for (int b = 1; b < self->base.model->body_count; b++)
    hn_note_unsolved(&self->base, b, hn_largest(&self->x[6 * (b - 1)], 6), &most);
}

static hn_status evaluate_with(hn_cartesian_set *self, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_row_set rows, hn_snapshot *snapshot,
                               hn_error *error) {
  hn_equations *equations = &self->base;
  equations->evaluations++;
  snapshot->t = t;
  hn_status status = describe(self, t, q, qd, branches, rows, snapshot, error);
  if (status != HN_OK) return status;
  self->x = snapshot->ud; // the solution goes where it belongs
  self->y = snapshot->lambda;
  status = hn_cartesian_factor(self, q, rows);
  if (status == HN_OK && rows == HN_ROWS_ALL && !branches->keeps_rows)
    hn_cartesian_judge_rank(self, rows, 1);
  hn_solver_report report = {.refinements = 0};
  if (status == HN_OK) status = hn_cartesian_solve(self, &report);
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(equations, t, q, qd, branches, snapshot, error);
  if (status != HN_OK) return hn_fail_unsolved(status, t, error);
  if (report.residual_x > 1e-4) return hn_cartesian_not_determined(self, t, error);
  store_stage(self, snapshot);
  snapshot->near_singular = equations->near_singular;
  if (rows == HN_ROWS_KEPT) return HN_OK;
  store_rest(self, snapshot);
  if (report.is_stalled) note_unsolved(self);
  return hn_cartesian_check_rows(self, snapshot, error);
}

hn_status hn_cartesian_evaluate(hn_equations *equations, double t, const double *q,
                                const double *qd, const hn_branches *branches,
                                hn_snapshot *snapshot, hn_error *error) {
  return evaluate_with((hn_cartesian_set *)equations, t, q, qd, branches, HN_ROWS_ALL, snapshot,
                       error);
}

hn_status hn_cartesian_evaluate_stage(hn_equations *equations, double t, const double *q,
                                      const double *qd, const hn_branches *branches,
                                      hn_snapshot *snapshot, hn_error *error) {
  return evaluate_with((hn_cartesian_set *)equations, t, q, qd, branches, HN_ROWS_KEPT, snapshot,
                       error);
}

hn_status hn_cartesian_power(hn_equations *equations, double t, const double *q, const double *qd,
                             const double *lambda, const hn_branches *branches, double *power) {
  hn_cartesian_set *self = (hn_cartesian_set *)equations;
  hn_cartesian_frames(equations, q, qd, self->frames);
  return hn_power_at(equations, t, self->frames, lambda, branches, self->wrench, power);
}
