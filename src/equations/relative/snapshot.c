// Snapshot of the relative set's accelerations: those of bodies and coordinates, constraints,
// multipliers and reactions, at once or, after steps, when they are read. From speeds u and ud of a
// node with Euler parameters p, of unit length,
//
//   pdd = E' wd / 2 - (w.w / 4) p,    wd = 2 E pdd
#include <string.h>

#include "equations/relative/relative.h"
#include "linalg/rank.h"

void hn_relative_store_accelerations(const hn_relative_set *self, hn_snapshot *s) {
  const hn_tree *tree = self->tree;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->body == 0) continue;
    const hn_tree_motion *m = &self->motion[k];
    hn_vec3 arm = vec3_sub(s->frames[node->body].r, m->origin), wd = self->angular[k];
    s->angular_acceleration[node->body] = wd;
    s->acceleration[node->body] =
        vec3_add(self->acceleration[k],
                 vec3_add(vec3_cross(wd, arm), vec3_cross(m->w, vec3_cross(m->w, arm))));
  }
}

void hn_relative_store_kinetic(const hn_relative_set *self, hn_snapshot *s) {
  const hn_model *model = self->base.model;
  s->kinetic = 0;
  for (int b = 1; b < model->body_count; b++) {
    const hn_frame *f = &s->frames[b];
    const hn_body_def *body = &model->bodies[b];
    const double *i = body->inertia; // xx yy zz xy xz yz
    const hn_vec3 w = mat3_apply_transposed(f->a, f->w);
    const hn_vec3 momentum = {i[0] * w.x + i[3] * w.y + i[4] * w.z,
                              i[3] * w.x + i[1] * w.y + i[5] * w.z,
                              i[4] * w.x + i[5] * w.y + i[2] * w.z};
    s->kinetic += 0.5 * (body->mass * vec3_dot(f->v, f->v) + vec3_dot(w, momentum));
  }
}

void hn_relative_store_rates(hn_relative_set *self, const double *q, hn_snapshot *s) {
  const hn_tree *tree = self->tree;
  memcpy(s->ud, self->x, (size_t)tree->nu * sizeof(double));
  if (tree->quaternions == 0) {
    memcpy(s->qdd, self->x, (size_t)tree->nu * sizeof(double));
    return;
  }
  for (int i = 0; i < tree->plain_count; i++) s->qdd[tree->plain[i].q] = self->x[tree->plain[i].u];
  for (int k = 0; k < tree->quaternions; k++) {
    const hn_tree_node *node = &tree->nodes[tree->quaternion_node[k]];
    const int at = hn_tree_turn_q(node), from = hn_tree_turn_u(node);
    hn_quat p = quat_unit(quat_load(&q[at]));
    hn_vec3 w = vec3_load(&self->u[from]);
    hn_quat pdd = quat_scale(0.5, euler_e_transposed(p, vec3_load(&self->x[from])));
    quat_store(&s->qdd[at], quat_add(pdd, quat_scale(-0.25 * vec3_dot(w, w), p)));
  }
}

static void store_row(const hn_relative_set *self, int r, hn_snapshot *s) {
  const hn_cartesian_rows *rows = self->base.rows;
  double residual = -rows->tau[r];
  for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++) {
    const double *block = &rows->block[6 * k];
    residual += vec3_dot(vec3_load(block), s->acceleration[rows->body[k]]) +
                vec3_dot(vec3_load(block + 3), s->angular_acceleration[rows->body[k]]);
  }
  s->phi[r] = rows->value[r];
  s->phi_rate[r] = rows->rate[r];
  s->phi_time_rate[r] = rows->time_rate[r];
  s->phi_acceleration[r] = residual;
}

void hn_relative_store_cut_rows(const hn_relative_set *self, hn_snapshot *s) {
  for (int r = 0; r < self->base.elements->row_count; r++) {
    s->phi[r] = s->phi_rate[r] = s->phi_time_rate[r] = s->phi_acceleration[r] = 0;
    if (self->row_cut[r] >= 0)
      store_row(self, r, s);
    else
      s->lambda[r] = 0;
  }
}

void hn_relative_store_joints(hn_relative_set *self, const hn_branches *branches, hn_snapshot *s) {
  hn_equations *e = &self->base;
  for (int j = 0; j < e->model->joint_count; j++)
    if (self->tree->joint_node[j] >= 0)
      hn_cartesian_evaluate_joint(e->elements, e->rows, j, s->t, s->frames, branches);
  hn_relative_apply_cuts(self, s->frames, self->y);
  hn_relative_reactions(self, s->frames, s->lambda);
  for (int c = 0; c < self->cut_count; c++) s->lambda[self->cut_row[c]] = self->y[c];
  for (int r = 0; r < e->elements->row_count; r++) store_row(self, r, s);
}

void hn_relative_store_multipliers(const hn_relative_set *self, hn_snapshot *s) {
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    s->lambda[r] = self->y[c];
    s->power += self->y[c] * self->base.rows->time_rate[r]; // drivers: lambda' Phi_t
  }
}

// ---- a snapshot concluded, completed ------------------------------------------------------------

// x = derivatives of the speeds of these accelerations: wd = 2 E(p) pdd.
static void read_accelerations(hn_relative_set *self, const double *q, const double *qdd) {
  const hn_tree *tree = self->tree;
  for (int i = 0; i < tree->plain_count; i++) self->x[tree->plain[i].u] = qdd[tree->plain[i].q];
  for (int k = 0; k < tree->quaternions; k++) {
    const hn_tree_node *node = &tree->nodes[tree->quaternion_node[k]];
    const int at = hn_tree_turn_q(node), to = hn_tree_turn_u(node);
    hn_quat p = quat_load(&q[at]);
    vec3_store(&self->x[to], vec3_scale(2 / quat_dot(p, p), euler_e_apply(p, quat_load(&qdd[at]))));
  }
}

// Rows of cut joints from the system's own numbers, and their part of the power.
static void conclude_rows(hn_relative_set *self, const double *lambda, hn_snapshot *s) {
  s->rows_rest = 0;
  const hn_cartesian_rows *rows = self->base.rows;
  for (int r = 0; r < self->base.elements->row_count; r++)
    s->phi[r] = s->phi_rate[r] = s->phi_time_rate[r] = s->phi_acceleration[r] = s->lambda[r] = 0;
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    double residual = -self->tau[c];
    for (int k = self->j_start[c]; k < self->j_start[c + 1]; k++)
      residual += self->j_values[k] * self->x[self->j_index[k]];
    if (self->base.redundant[r]) residual = 0; // they follow from the others
    s->phi[r] = rows->value[r];
    s->phi_rate[r] = rows->rate[r];
    s->phi_time_rate[r] = rows->time_rate[r];
    s->phi_acceleration[r] = residual;
    s->lambda[r] = lambda[r];
    s->power += lambda[r] * rows->time_rate[r]; // drivers: lambda' Phi_t
  }
}

void hn_relative_conclude(hn_relative_set *self, const double *q, const double *qdd,
                          const double *lambda, hn_snapshot *s) {
  hn_equations *e = &self->base;
  read_accelerations(self, q, qdd);
  hn_relative_store_kinetic(self, s);
  memcpy(s->ud, self->x, (size_t)e->nu * sizeof(double));
  memcpy(s->qdd, qdd, (size_t)e->nq * sizeof(double));
  memcpy(s->q, q, (size_t)e->nq * sizeof(double));
  conclude_rows(self, lambda, s);
  s->is_partial = HN_SNAPSHOT_OF_STEP;
  s->near_singular = e->near_singular;
}

// Multipliers of least norm that go with the accelerations, J' y = S' (applied - bias) - M ud: the
// system of accelerations with that as right side, which leaves none.
static void find_multipliers(hn_relative_set *self, const hn_snapshot *s) {
  hn_equations *e = &self->base;
  if (self->cut_count == 0) return;
  hn_relative_balance(self, s, s->ud);
  memset(self->gap, 0, (size_t)self->cut_count * sizeof(double));
  if (hn_relative_factor(self, self->spare_q, HN_CUT_ALL, HN_RANK_STAYS) == HN_OK)
    hn_saddle_solve(e->saddle, self->b, self->gap, self->x, self->y, NULL);
}

// Applied forces in addition to what is there. They are on coordinates of the tree: none can fail.
static void add_forces(hn_relative_set *self, const hn_branches *branches, hn_snapshot *s) {
  const hn_model *model = self->base.model;
  const double potential = s->potential;
  hn_error error;
  for (int b = 0; b < model->body_count; b++) self->wrench[b] = s->wrench[b];
  for (int f = 0; f < model->force_count; f++) self->forces.added[f] = s->forces[f].value;
  (void)hn_relative_apply_forces(self, s->t, s->q, branches, s, &error);
  s->potential = potential;
  for (int b = 0; b < model->body_count; b++) {
    s->wrench[b].force = vec3_add(s->wrench[b].force, self->wrench[b].force);
    s->wrench[b].torque = vec3_add(s->wrench[b].torque, self->wrench[b].torque);
  }
  for (int f = 0; f < model->force_count; f++) s->forces[f].value += self->forces.added[f];
}

void hn_relative_complete(hn_equations *equations, const hn_branches *branches, hn_snapshot *s) {
  hn_relative_set *self = (hn_relative_set *)equations;
  int is_of_step = s->is_partial >= HN_SNAPSHOT_OF_STEP;
  self->present = &hn_motion_in_space;
  s->rows_rest = 0;
  hn_tree_read_frames(self->tree, s->frames, self->spare_q, self->u);
  if (is_of_step) memcpy(self->spare_q, s->q, (size_t)equations->nq * sizeof(double));
  hn_tree_move(self->tree, self->spare_q, self->u, vec3_zero(), self->motion);
  if (is_of_step) hn_tree_frames(self->tree, s->q, self->motion, s->frames);
  if (s->is_partial == HN_SNAPSHOT_WITHOUT_FORCES) add_forces(self, branches, s);
  hn_relative_evaluate_cuts(self, s->t, s->frames, branches);
  hn_relative_apply_to_nodes(self, s);
  hn_tree_accelerate(self->tree, self->motion, s->ud, self->acceleration, self->angular);
  for (int c = 0; c < self->cut_count; c++) self->y[c] = s->lambda[self->cut_row[c]];
  if (is_of_step) hn_relative_store_accelerations(self, s);
  if (is_of_step) find_multipliers(self, s);
  hn_relative_store_joints(self, branches, s);
}

// ---- reactions ----------------------------------------------------------------------------------

// Multipliers of the rows of tree joints. Inverse dynamics at the accelerations found gives the wrench
// F that a joint carries to its child; the rows' gradients g there satisfy
//
//   sum lambda_r g_r = -F
//
// six equations for at most six multipliers, consistent because F has no part along the joint's
// speeds.

// Gradient of a row on this body, about the node's origin.
static void gradient_at(const hn_relative_set *self, int row, int body, hn_vec3 arm,
                        double out[6]) {
  const hn_cartesian_rows *rows = self->base.rows;
  for (int i = 0; i < 6; i++) out[i] = 0;
  for (int k = rows->row_start[row]; k < rows->row_start[row + 1]; k++) {
    if (rows->body[k] != body) continue;
    hn_vec3 f = vec3_load(&rows->block[6 * k]);
    vec3_store(out, f);
    vec3_store(out + 3, vec3_add(vec3_load(&rows->block[6 * k + 3]), vec3_cross(arm, f)));
  }
}

void hn_relative_reactions(hn_relative_set *self, const hn_frame *frames, double *lambda) {
  const hn_tree *tree = self->tree;
  hn_tree_inverse(tree, self->motion, self->acceleration, self->angular, self->applied, self->force,
                  self->b);
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->body == 0 || node->joint < 0) continue;
    int first = self->base.elements->joint_row[node->joint];
    int count = hn_joint_tree_rows(self->base.model->joints[node->joint].type);
    hn_vec3 arm = vec3_sub(frames[node->body].r, self->motion[k].origin);
    double a[6][6], b[6], work[24];
    int order[6];
    for (int r = 0; r < count; r++) gradient_at(self, first + r, node->body, arm, a[r]);
    vec3_store(b, vec3_negate(self->force[k].f));
    vec3_store(b + 3, vec3_negate(self->force[k].n));
    hn_least_norm(a[0], 6, count, HN_RANK_ROUNDING, b, lambda + first, order, work, NULL);
  }
}
