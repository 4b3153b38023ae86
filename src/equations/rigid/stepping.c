// Method time-stepping in Cartesian coordinates (equations/stepping.h). Bodies without joints move
// independently; joints hold exactly, in the velocities through the model's own factors, in the
// positions by projection.
//
// The impulses of rows are sums: of the projection of velocities in the middle of the step, of
// reactions of joints to contacts, and of the projection at its end. Over h they are the mean
// reactions.
#include "equations/stepping.h"

#include <math.h>
#include <string.h>

#include "equations/cartesian/cartesian.h"
#include "equations/rigid/rigid.h"

typedef struct cartesian_stepping {
  hn_stepper base;
  hn_mat3 *inverse;       // of inertias, body axes (bodies + ground)
  hn_sweep_body *parting; // displacements of bodies that overlap (bodies + ground)
  hn_vec3 *v0, *w0;       // velocities at the start (bodies + ground)
  double *correction;     // (nq)
  double *force_impulse;  // of forces in a step, where joints hold bodies (nu)
  // of conditions by rows:
  unsigned char *is_joined;       // bodies that joints or drivers hold (bodies + ground)
  double *response, *multipliers; // of three rows (3 x nu), (row_count)
} cartesian_stepping;

static hn_status cartesian_create(hn_arena *arena, hn_equations *e, hn_stepper **stepper) {
  const int bodies = e->model->body_count;
  const hn_conditions *conditions = hn_conditions_of(e);
  cartesian_stepping *self = HN_KEEP(arena, cartesian_stepping, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->base = (hn_stepper){.equations = e,
                            .type = e->type->stepping,
                            .most = conditions->most,
                            .row_size = e->nu,
                            .are_free = e->elements->row_count == 0};
  self->inverse = HN_TAKE(arena, hn_mat3, bodies);
  self->parting = HN_KEEP(arena, hn_sweep_body, bodies);
  self->v0 = HN_KEEP(arena, hn_vec3, bodies);
  self->w0 = HN_KEEP(arena, hn_vec3, bodies);
  self->correction = HN_KEEP(arena, double, e->nq);
  self->force_impulse = HN_KEEP(arena, double, e->nu);
  self->base.impulse = HN_KEEP(arena, double, e->elements->row_count);
  self->is_joined = HN_TAKE(arena, unsigned char, bodies);
  self->response = HN_WORK(arena, double, 3 * (size_t)e->nu);
  self->multipliers = HN_WORK(arena, double, e->elements->row_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int r = 0; r < e->elements->row_count; r++)
    for (int k = 0; k < e->elements->rows[r].body_count; k++)
      self->is_joined[e->elements->rows[r].body[k]] = 1;
  for (int b = 1; b < bodies; b++)
    self->inverse[b] = mat3_invert_symmetric(e->model->bodies[b].inertia);
  *stepper = &self->base;
  return HN_OK;
}

// ---- motion -------------------------------------------------------------------------------------

static hn_quat turn_by(hn_quat p, hn_vec3 turn) {
  const double angle = vec3_norm(turn);
  return angle > 0 ? quat_unit(quat_multiply(quat_from_axis_angle(turn, angle), p)) : p;
}

// q moved by h times the velocities of frames or bodies.
static void move(const hn_equations *e, double h, const hn_sweep_body *bodies, const double *from,
                 double *q) {
  for (int b = 1; b < e->model->body_count; b++) {
    const double *f = &from[7 * (b - 1)];
    double *to = &q[7 * (b - 1)];
    vec3_store(to, vec3_add_scaled(vec3_load(f), h, bodies[b].v));
    quat_store(to + 3, turn_by(quat_load(f + 3), vec3_scale(h, bodies[b].w)));
  }
}

static void store_rates(const hn_equations *e, const double *q, const hn_sweep_body *bodies,
                        double *qd) {
  for (int b = 1; b < e->model->body_count; b++) {
    double *to = &qd[7 * (b - 1)];
    const hn_quat p = quat_load(&q[7 * (b - 1) + 3]);
    vec3_store(to, bodies[b].v);
    quat_store(to + 3, quat_scale(0.5, euler_e_transposed(p, bodies[b].w)));
  }
}

static void load_rates(const hn_equations *e, const double *q, const double *qd,
                       hn_sweep_body *bodies) {
  for (int b = 1; b < e->model->body_count; b++) {
    hn_frame f;
    hn_cartesian_frame(&q[7 * (b - 1)], &qd[7 * (b - 1)], &f);
    bodies[b].v = f.v;
    bodies[b].w = f.w;
  }
}

static hn_status cartesian_begin(hn_stepper *stepper, const hn_stepping_span *s,
                                 hn_sweep_body *bodies, hn_error *error) {
  cartesian_stepping *self = (cartesian_stepping *)stepper;
  const hn_equations *e = stepper->equations;
  load_rates(e, s->q, s->qd, bodies);
  for (int b = 1; b < e->model->body_count; b++) {
    self->v0[b] = bodies[b].v;
    self->w0[b] = bodies[b].w;
  }
  move(e, 0.5 * s->h, bodies, s->q, s->next_q);
  store_rates(e, s->next_q, bodies, s->next_qd);
  hn_cartesian_frames(e, s->next_q, s->next_qd, s->next->frames);
  return hn_apply_forces(e, s->t + 0.5 * s->h, s->branches, s->next, error);
}

static hn_status hold_joints(cartesian_stepping *self, const hn_stepping_span *s,
                             hn_sweep_body *bodies, const double *impulse) {
  hn_equations *e = self->base.equations;
  if (e->elements->row_count == 0) return HN_OK;
  store_rates(e, s->next_q, bodies, s->next_qd);
  hn_status status =
      hn_cartesian_push(e, s->t_end, s->next_q, s->next_qd, impulse, s->branches, self->correction);
  if (status != HN_OK) return status;
  const double *y = ((const hn_cartesian_set *)e)->y;
  for (int r = 0; r < e->elements->row_count; r++) self->base.impulse[r] += y[r];
  load_rates(e, s->next_q, s->next_qd, bodies);
  return HN_OK;
}

// Velocities after a step of forces alone, or with joints their impulses. Drivers: with their speed at
// the end, so that the bodies they carry follow them.
static hn_status cartesian_fall(hn_stepper *stepper, const hn_stepping_span *s,
                                hn_sweep_body *bodies, hn_error *error) {
  cartesian_stepping *self = (cartesian_stepping *)stepper;
  const hn_model *model = stepper->equations->model;
  const double h = s->h;
  for (int b = 1; b < model->body_count; b++) {
    hn_sweep_body *body = &bodies[b];
    const hn_wrench *wrench = &s->next->wrench[b];
    const hn_mat3 a = s->next->frames[b].a;
    const hn_mat3 half = mat3_multiply(a, self->inverse[b]);
    body->inertia_inverse = mat3_multiply(half, mat3_transpose(a));
    const hn_vec3 w = mat3_apply_transposed(a, body->w);
    const hn_vec3 spin = mat3_apply(a, mat3_apply(mat3_symmetric(model->bodies[b].inertia), w));
    const hn_vec3 torque = vec3_sub(wrench->torque, vec3_cross(body->w, spin));
    if (!stepper->are_free) {
      vec3_store(&self->force_impulse[6 * (b - 1)], vec3_scale(h, wrench->force));
      vec3_store(&self->force_impulse[6 * (b - 1) + 3], vec3_scale(h, torque));
      continue;
    }
    body->v = vec3_add_scaled(body->v, h * body->mass_inverse, wrench->force);
    body->w = vec3_add_scaled(body->w, h, mat3_apply(body->inertia_inverse, torque));
  }
  memset(stepper->impulse, 0, (size_t)stepper->equations->elements->row_count * sizeof(double));
  const hn_status status = hold_joints(self, s, bodies, self->force_impulse);
  return status == HN_OK ? HN_OK : hn_fail_unsolved(status, s->t, error);
}

// ---- contacts -----------------------------------------------------------------------------------

// An entry of the rows of a condition on body b.
static void put_row(const hn_touch_row *row, int count, int side, int i, hn_contact_rows *rows) {
  double value[4] = {0, 0, 0, 0};
  for (int r = 0; r < count; r++) value[r] = row[r].block[side][i];
  hn_contact_rows_put(rows, 6 * (row[0].body[side] - 1) + i, value);
}

// Of a body that no joint holds: M^-1 G'.
static void put_free(const hn_sweep_body *body, const hn_touch_row *row, int count, int side,
                     hn_contact_rows *rows) {
  double value[6][4];
  memset(value, 0, sizeof value);
  for (int r = 0; r < count; r++) {
    const double *g = row[r].block[side];
    const hn_vec3 w = mat3_apply(body->inertia_inverse, vec3_load(g + 3));
    for (int i = 0; i < 3; i++) value[i][r] = body->mass_inverse * g[i];
    value[3][r] = w.x;
    value[4][r] = w.y;
    value[5][r] = w.z;
  }
  for (int i = 0; i < 6; i++) hn_contact_rows_put(rows, 6 * (row[0].body[side] - 1) + i, value[i]);
}

// Responses through joints: all speeds that are not zero.
static hn_status put_joined(cartesian_stepping *self, const hn_touch_row *row, int count,
                            hn_contact_rows *rows) {
  hn_equations *e = self->base.equations;
  const hn_response_type *responses = hn_rigid_of(e)->set->responses;
  const size_t nu = (size_t)e->nu;
  hn_status status = HN_OK;
  for (int r = 0; r < count && status == HN_OK; r++)
    status =
        responses->respond(e, &row[r], NULL, &self->response[(size_t)r * nu], self->multipliers);
  for (size_t i = 0; i < nu && status == HN_OK; i++) {
    double value[4] = {0, 0, 0, 0};
    int is_zero = 1;
    for (int r = 0; r < count; r++) {
      value[r] = self->response[(size_t)r * nu + i];
      is_zero &= value[r] == 0;
    }
    if (!is_zero) hn_contact_rows_put(rows, (int)i, value);
  }
  return status;
}

static hn_status respond_rows(cartesian_stepping *self, const hn_stepping_span *s,
                              const hn_stepping_condition *conditions, const hn_sweep_body *bodies,
                              hn_contact_rows *rows) {
  hn_equations *e = self->base.equations;
  const hn_delassus *d = &rows->problem;
  hn_status status = HN_OK;
  if (!self->base.are_free)
    status = hn_rigid_factor(e, s->t + 0.5 * s->h, s->next_q, s->next_qd, s->branches);
  for (int k = 0; k < d->count && status == HN_OK; k++) {
    const hn_touch_row *row = conditions[k].row;
    const int count = hn_delassus_size(d->block[k].law), *body = row[0].body;
    const int first = body[0] > body[1]; // indices ascend
    const int is_joined = self->is_joined[body[0]] || self->is_joined[body[1]];
    rows->row[k] = hn_contact_rows_open(rows);
    for (int n = 0; n < 2; n++)
      for (int i = 0; i < 6 && body[first ^ n] != HN_GROUND; i++)
        put_row(row, count, first ^ n, i, rows);
    hn_contact_rows_close(rows, &rows->row[k]);
    rows->response[k] = hn_contact_rows_open(rows);
    for (int n = 0; n < 2 && !is_joined; n++)
      if (body[first ^ n] != HN_GROUND)
        put_free(&bodies[body[first ^ n]], row, count, first ^ n, rows);
    if (is_joined) status = put_joined(self, row, count, rows);
    hn_contact_rows_close(rows, &rows->response[k]);
  }
  return status;
}

static hn_status cartesian_respond(hn_stepper *stepper, const hn_stepping_span *s,
                                   const hn_stepping_condition *conditions,
                                   const hn_sweep_body *bodies, hn_delassus *d) {
  hn_equations *e = stepper->equations;
  if (d->rows) return respond_rows((cartesian_stepping *)stepper, s, conditions, bodies, d->rows);
  hn_rigid *rigid = hn_rigid_of(e);
  hn_friction_problem *f = &rigid->problem;
  hn_status status = hn_rigid_factor(e, s->t + 0.5 * s->h, s->next_q, s->next_qd, s->branches);
  f->rows = 0;
  rigid->count = f->parts = d->count;
  for (int k = 0; k < d->count; k++) {
    f->part[k].row = f->rows;
    for (int i = 0; i < hn_delassus_size(d->block[k].law); i++)
      rigid->row[f->rows++] = conditions[k].row[i];
  }
  if (status == HN_OK) status = hn_rigid_respond(e);
  if (status != HN_OK) return status;
  for (int i = 0; i < d->count; i++)
    for (int j = 0; j < d->count; j++) {
      double *w = hn_delassus_at(d, i, j);
      memset(w, 0, 12 * sizeof *w);
      for (int c = 0; c < hn_delassus_size(d->block[j].law); c++)
        for (int r = 0; r < hn_delassus_size(d->block[i].law); r++)
          w[4 * c + r] =
              f->w[(size_t)(f->part[j].row + c) * (size_t)f->rows + (size_t)(f->part[i].row + r)];
    }
  return HN_OK;
}

static hn_status push_rows(cartesian_stepping *self, const hn_stepping_span *s,
                           const hn_contact_rows *rows, hn_sweep_body *bodies) {
  const hn_equations *e = self->base.equations;
  const hn_delassus *d = &rows->problem;
  double *impulse = self->force_impulse;
  memset(impulse, 0, (size_t)e->nu * sizeof *impulse);
  for (int k = 0; k < d->count; k++)
    for (size_t i = rows->row[k].at; i < rows->row[k].at + (size_t)rows->row[k].count; i++)
      for (int r = 0; r < 3; r++) impulse[rows->index[i]] += rows->value[i][r] * d->p[k][r];
  if (!self->base.are_free) return hold_joints(self, s, bodies, impulse);
  for (int b = 1; b < e->model->body_count; b++) {
    const double *p = &impulse[6 * (b - 1)];
    hn_sweep_body *body = &bodies[b];
    body->v = vec3_add_scaled(body->v, body->mass_inverse, vec3_load(p));
    body->w = vec3_add(body->w, mat3_apply(body->inertia_inverse, vec3_load(p + 3)));
  }
  return HN_OK;
}

// Joints respond to the impulses of conditions, too.
static hn_status cartesian_push(hn_stepper *stepper, const hn_stepping_span *s,
                                const hn_delassus *d, hn_sweep_body *bodies) {
  const hn_equations *e = stepper->equations;
  if (d->rows) return push_rows((cartesian_stepping *)stepper, s, d->rows, bodies);
  hn_rigid *rigid = hn_rigid_of(e);
  const int rows = e->elements->row_count;
  memset(rigid->moved, 0, (size_t)e->nu * sizeof(double));
  for (int k = 0; k < d->count; k++)
    memcpy(&rigid->p[rigid->problem.part[k].row], d->p[k],
           (size_t)hn_delassus_size(d->block[k].law) * sizeof(double));
  hn_rigid_add(e, rigid->p, rigid->moved);
  for (int k = 0; k < rigid->problem.rows; k++)
    for (int r = 0; r < rows; r++)
      stepper->impulse[r] += rigid->p[k] * rigid->y[(size_t)k * (size_t)rows + (size_t)r];
  for (int b = 1; b < e->model->body_count; b++) {
    bodies[b].v = vec3_add(bodies[b].v, vec3_load(&rigid->moved[6 * (b - 1)]));
    bodies[b].w = vec3_add(bodies[b].w, vec3_load(&rigid->moved[6 * (b - 1) + 3]));
  }
  return HN_OK;
}

static double cartesian_part(hn_stepper *stepper, const hn_stepping_span *s,
                             const hn_sweep_body *bodies, hn_sweep_point *points, int count,
                             const hn_stepping_condition *conditions, hn_delassus *problem,
                             double share) {
  (void)conditions;
  (void)problem;
  cartesian_stepping *self = (cartesian_stepping *)stepper;
  const hn_equations *e = stepper->equations;
  double work = 0;
  for (int b = 0; b < e->model->body_count; b++) {
    self->parting[b] = bodies[b];
    self->parting[b].v = self->parting[b].w = vec3_zero();
  }
  hn_sweep_part(self->parting, points, count, share);
  for (int b = 1; b < e->model->body_count; b++)
    work += vec3_dot(s->next->wrench[b].force, self->parting[b].v) +
            vec3_dot(s->next->wrench[b].torque, self->parting[b].w);
  move(e, 1, self->parting, s->next_q, s->next_q);
  return work;
}

// ---- the end ------------------------------------------------------------------------------------

static double kinetic_of(const hn_body_def *body, const hn_frame *f) {
  const hn_vec3 w = mat3_apply_transposed(f->a, f->w);
  const hn_vec3 momentum = mat3_apply(mat3_symmetric(body->inertia), w);
  return 0.5 * (body->mass * vec3_dot(f->v, f->v) + vec3_dot(w, momentum));
}

// Everything of a snapshot but accelerations.
static hn_status describe(hn_equations *e, const hn_stepping_span *step, hn_error *error) {
  hn_snapshot *s = step->next;
  const double t = step->t_end;
  hn_cartesian_frames(e, step->next_q, step->next_qd, s->frames);
  s->t = t;
  hn_status status = hn_apply_forces(e, t, step->branches, s, error);
  s->kinetic = 0;
  for (int b = 1; b < e->model->body_count; b++)
    s->kinetic += kinetic_of(&e->model->bodies[b], &s->frames[b]);
  if (e->elements->row_count == 0 || status != HN_OK) return status;
  const hn_cartesian_rows *rows = hn_cartesian_evaluate_rows(e, t, s->frames, step->branches);
  const size_t size = (size_t)e->elements->row_count * sizeof(double);
  memcpy(s->phi, rows->value, size);
  memcpy(s->phi_rate, rows->rate, size);
  memcpy(s->phi_time_rate, rows->time_rate, size);
  return HN_OK;
}

// Accelerations of the step: what the velocities have changed by.
static void store_accelerations(const cartesian_stepping *self, double h, hn_snapshot *s) {
  const hn_equations *e = self->base.equations;
  for (int b = 1; b < e->model->body_count; b++) {
    const hn_frame *f = &s->frames[b];
    const hn_vec3 a = vec3_scale(1 / h, vec3_sub(f->v, self->v0[b]));
    const hn_vec3 alpha = vec3_scale(1 / h, vec3_sub(f->w, self->w0[b]));
    s->acceleration[b] = a;
    s->angular_acceleration[b] = alpha;
    vec3_store(&s->ud[6 * (b - 1)], a);
    vec3_store(&s->ud[6 * (b - 1) + 3], alpha);
    hn_quat pdd = quat_scale(0.5, euler_e_transposed(f->p, alpha));
    pdd = quat_add(pdd, quat_scale(-0.25 * vec3_dot(f->w, f->w), f->p));
    vec3_store(&s->qdd[7 * (b - 1)], a);
    quat_store(&s->qdd[7 * (b - 1) + 3], pdd);
  }
}

static hn_status cartesian_end(hn_stepper *stepper, const hn_stepping_span *s,
                               hn_sweep_body *bodies, hn_error *error) {
  cartesian_stepping *self = (cartesian_stepping *)stepper;
  hn_equations *e = stepper->equations;
  move(e, 0.5 * s->h, bodies, s->next_q, s->next_q);
  store_rates(e, s->next_q, bodies, s->next_qd);
  hn_status status = HN_OK;
  if (e->elements->row_count > 0)
    status = hn_cartesian_project_positions(e, s->t_end, s->next_q, s->branches, s->projection,
                                            self->correction);
  if (status == HN_OK) status = hold_joints(self, s, bodies, NULL);
  if (status < 0) return hn_fail_unsolved(status, s->t_end, error);
  if (status == HN_OK) status = describe(e, s, error);
  if (status != HN_OK) return status;
  store_accelerations(self, s->h, s->next);
  for (int r = 0; r < e->elements->row_count; r++) s->next->lambda[r] = stepper->impulse[r] / s->h;
  return HN_OK;
}

const hn_stepping_type hn_rigid_stepping = {
    .create = cartesian_create,
    .evaluate = hn_cartesian_evaluate,
    .begin = cartesian_begin,
    .fall = cartesian_fall,
    .respond = cartesian_respond,
    .push = cartesian_push,
    .part = cartesian_part,
    .parting = 0.1, // heaps are parted by few sweeps
    .end = cartesian_end,
};
