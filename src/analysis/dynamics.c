// The equations at the present state, for users: see holon/dynamics.h. Numbers come from the tangent of
// the simulation's own coordinates.
#include "holon/dynamics.h"

#include <string.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "equations/tangent.h"

static hn_status evaluate(hn_simulation *s, hn_want want) {
  if (!s->audited) {
    hn_status status = hn_tangent_create(&s->arena, s->equations, 0, &s->audited);
    if (status == HN_ERROR_UNSUPPORTED)
      return hn_fail(&s->error, status, NULL, NULL, "use @coordinates cartesian or relative",
                     "these equations have no matrices to show");
    if (status != HN_OK) return hn_fail(&s->error, status, NULL, NULL, NULL, "out of memory");
  }
  hn_branches branches = s->branches;
  branches.grips = NULL; // contacts are reactions, not forces
  const hn_tangent_state state = {.t = s->method->t,
                                  .q = s->method->q,
                                  .qd = s->method->qd,
                                  .branches = &branches,
                                  .space = HN_IN_Q};
  return hn_tangent_evaluate(s->audited, &state, want, &s->error);
}

static void spread(const hn_sparse *a, double *out) {
  memset(out, 0, (size_t)a->rows * (size_t)a->columns * sizeof(double));
  for (int i = 0; i < a->rows; i++)
    for (int k = a->start[i]; k < a->start[i + 1]; k++)
      out[(size_t)i * (size_t)a->columns + (size_t)a->index[k]] += a->value[k];
}

hn_status hn_simulation_mass_matrix(hn_simulation *s, double *matrix) {
  hn_status status = evaluate(s, HN_BASIC);
  if (status == HN_OK) spread(&s->audited->mass, matrix);
  return status;
}

hn_status hn_simulation_bias_forces(hn_simulation *s, double *bias) {
  hn_status status = evaluate(s, HN_BASIC);
  for (int i = 0; status == HN_OK && i < s->equations->nq; i++) bias[i] = -s->audited->q_force[i];
  return status;
}

hn_status hn_simulation_inverse_dynamics_at_inputs(hn_simulation *s, const double *qdd,
                                                   double *forces) {
  hn_status status = hn_simulation_bias_forces(s, forces);
  if (status == HN_OK) hn_sparse_add_product(&s->audited->mass, 1, qdd, forces);
  return status;
}

// Inputs are the forces that are asked for: those given so far would be taken off the answer.
hn_status hn_simulation_inverse_dynamics(hn_simulation *s, const double *qdd, double *forces) {
  const int count = s->model->input_count;
  if (count > 0 && !s->given.aside) s->given.aside = HN_TAKE(&s->arena, hn_input_state, count);
  hn_input_state *given = s->given.aside;
  if (count > 0 && !given)
    return hn_fail(&s->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for inputs");
  for (int k = 0; k < count; k++) {
    given[k] = s->inputs[k];
    s->inputs[k] = (hn_input_state){.time = s->method->t};
  }
  hn_status status = hn_simulation_inverse_dynamics_at_inputs(s, qdd, forces);
  for (int k = 0; k < count; k++) s->inputs[k] = given[k];
  return status;
}

hn_status hn_simulation_constraint_jacobian(hn_simulation *s, double *jacobian, int *count) {
  hn_status status = evaluate(s, HN_BASIC);
  if (status != HN_OK) return status;
  if (count) *count = s->audited->rows;
  if (jacobian) spread(&s->audited->phi_q, jacobian);
  return HN_OK;
}

hn_status hn_simulation_point_jacobian(hn_simulation *s, int body, hn_vec3 point, double *jacobian,
                                       double *rotation) {
  const hn_equations *e = s->equations;
  if (body < 0 || body >= s->model->body_count)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, NULL,
                   "there is no body %d; use an index from 0 to %d", body,
                   s->model->body_count - 1);
  double *unit = s->looking.qd;
  memset(unit, 0, (size_t)e->nq * sizeof(double));
  for (int i = 0; i < e->nq; i++) {
    unit[i] = 1;
    e->type->coordinates->frames(e, s->method->q, unit, s->looking.frames);
    unit[i] = 0;
    const hn_frame *f = &s->looking.frames[body];
    const hn_vec3 v = vec3_add(f->v, vec3_cross(f->w, mat3_apply(f->a, point)));
    const double linear[3] = {v.x, v.y, v.z}, angular[3] = {f->w.x, f->w.y, f->w.z};
    for (int k = 0; k < 3; k++) {
      if (jacobian) jacobian[(size_t)k * (size_t)e->nq + (size_t)i] = linear[k];
      if (rotation) rotation[(size_t)k * (size_t)e->nq + (size_t)i] = angular[k];
    }
  }
  return HN_OK;
}

// ---- bodies as one ------------------------------------------------------------------------------

static hn_mat3 global_inertia(const hn_body_def *body, const hn_frame *f) {
  const hn_mat3 own = mat3_symmetric(body->inertia);
  return mat3_multiply(f->a, mat3_multiply(own, mat3_transpose(f->a)));
}

static void add_body(const hn_simulation *s, int b, hn_composite *c, hn_mat3 *inertia) {
  const hn_body_def *body = &s->elements->model->bodies[b];
  const hn_frame *f = &s->view.snapshot->frames[b];
  const hn_vec3 arm = vec3_sub(f->r, c->center), moving = vec3_sub(f->v, c->velocity);
  const hn_mat3 own = global_inertia(body, f);
  const double square = vec3_dot(arm, arm), r[3] = {arm.x, arm.y, arm.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inertia->m[i][j] += own.m[i][j] + body->mass * ((i == j ? square : 0) - r[i] * r[j]);
  c->angular_momentum = vec3_add(c->angular_momentum, mat3_apply(own, f->w));
  c->angular_momentum = vec3_add_scaled(c->angular_momentum, body->mass, vec3_cross(arm, moving));
}

hn_status hn_simulation_composite(hn_simulation *s, const int *bodies, int count,
                                  hn_composite *out) {
  const int all = s->model->body_count - 1;
  hn_composite c = {.mass = 0};
  hn_mat3 inertia = {{{0}}};
  if (!bodies) count = all;
  for (int k = 0; k < count; k++) {
    const int b = bodies ? bodies[k] : k + 1;
    if (b < 1 || b > all)
      return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, NULL,
                     "there is no body %d; use an index from 1 to %d", b, all);
    const double mass = s->elements->model->bodies[b].mass;
    c.mass += mass;
    c.center = vec3_add_scaled(c.center, mass, s->view.snapshot->frames[b].r);
    c.momentum = vec3_add_scaled(c.momentum, mass, s->view.snapshot->frames[b].v);
  }
  if (c.mass > 0) {
    c.center = vec3_scale(1 / c.mass, c.center);
    c.velocity = vec3_scale(1 / c.mass, c.momentum);
  }
  for (int k = 0; k < count; k++) add_body(s, bodies ? bodies[k] : k + 1, &c, &inertia);
  c.center = vec3_add(c.center, s->elements->model->origin.at);
  const double packed[6] = {inertia.m[0][0], inertia.m[1][1], inertia.m[2][2],
                            inertia.m[0][1], inertia.m[0][2], inertia.m[1][2]};
  memcpy(c.inertia, packed, sizeof packed);
  *out = c;
  return HN_OK;
}
