// Forces in natural coordinates, on the constraints and off them. A tension f on a measure m(q) gives
// -f m_q; weight is constant. Loads (point forces, torques, tyres, the user's) see frames: a force f and
// a torque n on a body give its node k
//
//   Q_k = c_r f + n x h_k,   h_k = sum c_i a_i / 2
//
// with the unmodified axes a_i of the nodes, while elements see them made orthonormal by one step
// of Newton's method for the polar factor.
#include <string.h>

#include "base/error.h"
#include "elements/force.h"
#include "elements/sensor.h"
#include "equations/natural/natural.h"

// ---- frames -------------------------------------------------------------------------------------

hn_natural_motion hn_natural_move_body(const hn_natural_set *self, int b, const double *q,
                                       const double *qd) {
  const hn_natural_body *body = &self->nodes->bodies[b];
  hn_natural_motion m;
  for (int i = 0; i < 4; i++) {
    m.x[i] = body->constant[i];
    m.v[i] = vec3_zero();
  }
  for (int k = body->start; k < body->start + body->count; k++) {
    const hn_natural_term *term = &self->nodes->terms[k];
    hn_vec3 node = vec3_load(&q[3 * term->node]), rate = vec3_load(&qd[3 * term->node]);
    for (int i = 0; i < 4; i++) {
      m.x[i] = vec3_add_scaled(m.x[i], term->c[i], node);
      m.v[i] = vec3_add_scaled(m.v[i], term->c[i], rate);
    }
  }
  return m;
}

// A (3 - A'A) / 2
static hn_mat3 orthonormal(hn_mat3 a) {
  hn_mat3 s = mat3_multiply(mat3_transpose(a), a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) s.m[i][j] = (i == j ? 1.5 : 0) - 0.5 * s.m[i][j];
  return mat3_multiply(a, s);
}

hn_frame hn_natural_frame(const hn_natural_motion *m) {
  hn_vec3 w = vec3_zero();
  for (int i = 1; i < 4; i++) w = vec3_add_scaled(w, 0.5, vec3_cross(m->x[i], m->v[i]));
  hn_quat p = quat_from_matrix(orthonormal(mat3_from_columns(m->x[1], m->x[2], m->x[3])));
  return (hn_frame){.r = m->x[0],
                    .v = m->v[0],
                    .w = w,
                    .p = p,
                    .a = quat_matrix(p),
                    .pd = quat_scale(0.5, euler_e_transposed(p, w))};
}

void hn_natural_move_loaded(hn_natural_set *self, const double *q, const double *qd) {
  for (int k = 0; k < self->loaded.count; k++) {
    int b = self->loaded.body[k];
    self->motion[b] = hn_natural_move_body(self, b, q, qd);
    self->frames[b] = hn_natural_frame(&self->motion[b]);
  }
}

// ---- set-up -------------------------------------------------------------------------------------

int hn_natural_force_forms(const hn_elements *elements, int force, int *first) {
  *first = elements->force_coordinate[force];
  if (*first >= 0) return 1;
  *first = elements->force_measure[force];
  return elements->force_measure[force + 1] - *first;
}

static void add_loaded(hn_natural_set *self, int body) {
  for (int k = 0; k < self->loaded.count; k++)
    if (self->loaded.body[k] == body) return;
  if (body != HN_GROUND) self->loaded.body[self->loaded.count++] = body;
}

hn_status hn_natural_forces_create(hn_arena *arena, hn_natural_set *self) {
  const hn_model *model = self->base.model;
  const hn_natural_nodes *nodes = self->nodes;
  self->motion = HN_KEEP(arena, hn_natural_motion, model->body_count);
  self->loaded.body = HN_TAKE(arena, int, model->body_count);
  self->weight = HN_TAKE(arena, double, self->base.nq);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    int first;
    if (hn_natural_force_forms(self->base.elements, f, &first) > 0) continue;
    if (hn_force_acts_between(def->type) == HN_ENDS_FRAMES) add_loaded(self, def->frame1.body);
    add_loaded(self, def->frame2.body);
  }
  for (int k = 0; k < self->base.elements->sensor_count; k++)
    for (int i = 0, body; (body = hn_sensor_body(&self->base.elements->sensors[k], i)) >= 0; i++)
      add_loaded(self, body);
  for (int b = 1; b < model->body_count; b++)
    for (int k = 0; k < nodes->bodies[b].count; k++) {
      const hn_natural_term *term = &nodes->terms[nodes->bodies[b].start + k];
      double *to = &self->weight[3 * term->node];
      vec3_store(
          to, vec3_add_scaled(vec3_load(to), model->bodies[b].mass * term->c[0], model->gravity));
    }
  hn_frame_of_ground(&self->frames[HN_GROUND]);
  return HN_OK;
}

// ---- numbers ------------------------------------------------------------------------------------

static void add_measured(hn_natural_set *self, int force, int first, int count, double t,
                         const double *q, const double *qd, const hn_branches *branches,
                         double *q_force, hn_force_value *value) {
  const hn_force_def *def = &self->base.model->forces[force];
  double held = hn_force_held(self->base.elements, force, branches->turns);
  for (int k = 0; k < count; k++) {
    const hn_natural_form *form = &self->forms->forms[first + k];
    const hn_natural_jet *jet = &self->jet;
    hn_natural_evaluate(self->forms, first + k, q, qd, NULL, branches->turns, &self->jet);
    double f =
        hn_force_pull(def, k, branches->force[force], jet->value - held, jet->rate, t, value);
    for (int i = 0; i < form->count; i++) {
      double *to = &q_force[3 * self->forms->node[form->start + i]];
      to[0] -= f * jet->gradient[i].x;
      to[1] -= f * jet->gradient[i].y;
      to[2] -= f * jet->gradient[i].z;
    }
  }
}

void hn_natural_spread(const hn_natural_set *self, int b, const hn_wrench *w, double *q_force) {
  const hn_natural_body *body = &self->nodes->bodies[b];
  hn_vec3 turned[3];
  for (int i = 0; i < 3; i++)
    turned[i] = vec3_scale(0.5, vec3_cross(w->torque, self->motion[b].x[1 + i]));
  for (int k = body->start; k < body->start + body->count; k++) {
    const hn_natural_term *term = &self->nodes->terms[k];
    double *to = &q_force[3 * term->node];
    hn_vec3 sum = vec3_add_scaled(vec3_load(to), term->c[0], w->force);
    for (int i = 0; i < 3; i++) sum = vec3_add_scaled(sum, term->c[1 + i], turned[i]);
    vec3_store(to, sum);
  }
}

hn_status hn_natural_forces(hn_natural_set *self, double t, const double *q, const double *qd,
                            const hn_branches *branches, double *q_force, double *power,
                            hn_error *error) {
  const hn_model *model = self->base.model;
  const hn_elements *elements = self->base.elements;
  memcpy(q_force, self->weight, (size_t)self->base.nq * sizeof(double));
  *power = 0;
  hn_natural_move_loaded(self, q, qd);
  hn_elements_sense(elements, self->frames, branches->turns);
  for (int k = 0; k < self->loaded.count; k++) self->wrench[self->loaded.body[k]] = (hn_wrench){0};
  for (int f = 0; f < model->force_count; f++) {
    int first, count = hn_natural_force_forms(elements, f, &first);
    if (count > 0) {
      if (elements->force_off && elements->force_off[f]) continue;
      hn_force_value value = {.value = 0};
      add_measured(self, f, first, count, t, q, qd, branches, q_force, &value);
      *power += value.power;
      continue;
    }
    hn_status status = hn_force_in_step(elements, f, self->frames, branches->turns, t,
                                        branches->force[f], self->wrench, power);
    if (status != HN_OK) return hn_fail_force(model, f, status, t, error);
  }
  for (int k = 0; k < self->loaded.count; k++) {
    const int b = self->loaded.body[k];
    hn_natural_spread(self, b, &self->wrench[b], q_force);
  }
  return HN_OK;
}
