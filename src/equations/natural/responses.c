// Constraints with conditions in natural coordinates (equations/responses.h). A force f and a torque n
// on a body, as those of a row, give its nodes
//
//   g_k = c_r f + n x h_k,   h_k = sum c_i a_i / 2      (as loads: natural/forces.c)
//
// The velocities of a body are linear in those of the nodes, and so are its accelerations,
//
//   w' = sum a_i x a_i'' / 2   since   sum a_i' x a_i' = 0
//
// which leaves no bias. Inside steps responses come from the factors of natural coordinates; whole
// states are evaluated by Cartesian equations, and so are their responses, which the nodes follow.
#include <string.h>

#include "equations/cartesian/cartesian.h"
#include "equations/loop_rank.h"
#include "equations/natural/natural.h"
#include "equations/responses.h"

static hn_status natural_prepare(hn_arena *arena, hn_equations *e) {
  hn_natural_set *self = (hn_natural_set *)e;
  self->touched.x = HN_KEEP(arena, double, self->cartesian->nu);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void move_bodies(hn_natural_set *self, const double *q, const double *qd) {
  for (int b = 1; b < self->base.model->body_count; b++)
    self->motion[b] = hn_natural_move_body(self, b, q, qd);
}

void hn_natural_touch_whole(hn_natural_set *self, const double *q, const double *qd) {
  if (!self->touched.x) return;
  move_bodies(self, q, qd);
  self->touched.by_bodies = 1;
}

static hn_status touched_stage(hn_equations *e, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  hn_natural_set *self = (hn_natural_set *)e;
  hn_status status = hn_natural.evaluate_stage(e, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  move_bodies(self, q, qd);
  e->type->coordinates->frames(e, q, qd, s->frames);
  for (int r = 0; r < self->element_rows; r++) { // power of what drives
    const hn_row *row = &e->elements->rows[self->element_row[r]];
    if (row->law)
      e->rows->time_rate[self->element_row[r]] =
          -hn_row_law(e->elements, row, t, branches->driver[row->driver]).d1;
  }
  self->touched.by_bodies = 0;
  return HN_OK;
}

static hn_status natural_factor(hn_equations *e, double t, const double *q, const double *qd,
                                const hn_frame *frames, const hn_branches *branches) {
  hn_natural_set *self = (hn_natural_set *)e;
  (void)frames;
  move_bodies(self, q, qd);
  hn_natural_evaluate_rows(self, t, q, qd, branches);
  self->touched.by_bodies = 0;
  return hn_natural_factor(self, q, branches, HN_NATURAL_ALL);
}

static void natural_in_speeds(hn_equations *e, const hn_touch_row *row, double *g) {
  const hn_natural_set *self = (const hn_natural_set *)e;
  memset(g, 0, (size_t)e->nu * sizeof(double));
  for (int side = 0; side < 2; side++) {
    if (row->body[side] == HN_GROUND) continue;
    const hn_wrench w = {vec3_load(row->block[side]), vec3_load(row->block[side] + 3)};
    hn_natural_spread(self, row->body[side], &w, g);
  }
}

// Velocities of the nodes from those of bodies.
static void follow_bodies(const hn_natural_set *self, const double *u, double *x) {
  for (int n = 0; n < self->nodes->node_count; n++) {
    const hn_natural_node *node = &self->nodes->nodes[n];
    const hn_vec3 *axes = &self->motion[node->body].x[1];
    const double *body = &u[6 * (node->body - 1)];
    hn_vec3 arm = vec3_zero();
    for (int i = 0; i < 3; i++) arm = vec3_add_scaled(arm, vec3_get(node->s, i), axes[i]);
    const hn_vec3 turn = vec3_cross(vec3_load(body + 3), arm);
    vec3_store(&x[3 * n], node->is_point ? vec3_add(vec3_load(body), turn) : turn);
  }
}

static hn_status natural_respond(hn_equations *e, const hn_touch_row *row, const double *g,
                                 double *x, double *y) {
  hn_natural_set *self = (hn_natural_set *)e;
  if (self->touched.by_bodies) {
    hn_status status =
        hn_cartesian_responses.respond(self->cartesian, row, NULL, self->touched.x, y);
    if (status == HN_OK) follow_bodies(self, self->touched.x, x);
    return status;
  }
  memset(y, 0, (size_t)e->elements->row_count * sizeof(double));
  memset(self->c, 0, (size_t)self->rows * sizeof(double));
  hn_status status = hn_saddle_solve(e->saddle, g, self->c, x, self->y, NULL);
  for (int r = 0; r < self->element_rows; r++) y[self->element_row[r]] = self->y[r];
  return status;
}

static void natural_conclude(hn_equations *e, const double *q, const hn_branches *branches,
                             const hn_touch_row *row, const double *p, int rows, int is_stage,
                             hn_snapshot *s) {
  const hn_natural_set *self = (const hn_natural_set *)e;
  (void)q;
  (void)branches;
  (void)row;
  (void)p;
  (void)rows;
  memcpy(s->qdd, s->ud, (size_t)e->nq * sizeof(double));
  for (int b = 1; b < e->model->body_count && !is_stage; b++) {
    const hn_natural_body *body = &self->nodes->bodies[b];
    hn_vec3 a = vec3_zero(), edge[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int k = body->start; k < body->start + body->count; k++) {
      const hn_natural_term *term = &self->nodes->terms[k];
      const hn_vec3 node = vec3_load(&s->ud[3 * term->node]);
      a = vec3_add_scaled(a, term->c[0], node);
      for (int i = 0; i < 3; i++) edge[i] = vec3_add_scaled(edge[i], term->c[1 + i], node);
    }
    s->acceleration[b] = a;
    s->angular_acceleration[b] = vec3_zero();
    for (int i = 0; i < 3; i++)
      s->angular_acceleration[b] = vec3_add_scaled(s->angular_acceleration[b], 0.5,
                                                   vec3_cross(self->motion[b].x[1 + i], edge[i]));
  }
}

static void natural_move(const hn_equations *e, const double *x, double *q) {
  for (int i = 0; i < e->nq; i++) q[i] += x[i];
}

static void natural_forget(hn_equations *e) {
  hn_natural_set *self = (hn_natural_set *)e;
  self->factored.is_there = self->factored.is_judged = 0;
  if (self->geometry) hn_rank_begin(e, self->rows, 1);
  hn_cartesian_forget(self->cartesian);
}

const hn_response_type hn_natural_responses = {
    .prepare = natural_prepare,
    .evaluate_stage = touched_stage,
    .factor = natural_factor,
    .in_speeds = natural_in_speeds,
    .respond = natural_respond,
    .conclude = natural_conclude,
    .move = natural_move,
    .forget = natural_forget,
};
