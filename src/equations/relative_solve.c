// Accelerations of the relative set. Trees without rows are solved by their own factors or in linear
// time, whichever counts less; with cut rows, or where a joint may turn a body about an axis without
// inertia, by the regularized and refined system of linalg/saddle.h, on the same terms as in Cartesian
// coordinates.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "elements/loops.h"
#include "equations/loop_rank.h"
#include "equations/relative.h"
#include "equations/relative_sym3.h"
#include "equations/tangent.h"

// Instead of HN_LOOP_EPSILON far from singular positions: the first solution is exact.
#define FAR_EPSILON 0
// Accelerations inside a step are refined to about 1e-12.
#define STAGE_SLACK 1e3

// ---- set-up -------------------------------------------------------------------------------------

int hn_relative_has_inertia(const hn_relative_set *self) {
  const hn_model *model = self->base.model;
  for (int b = 1; b < model->body_count; b++) {
    int is_full = model->bodies[b].mass > 0 && !hn_body_is_light(&model->bodies[b]);
    if (!is_full && !hn_tree_resists(self->tree, b)) return 0;
  }
  return 1;
}

static hn_tree_solver choose_solver(const hn_relative_set *self) {
  if (self->cut_count > 0 || !hn_relative_has_inertia(self)) return HN_TREE_SADDLE;
  double articulated = hn_tree_articulated_work(self->tree);
  return hn_tree_composite_work(self->tree, articulated) < articulated ? HN_TREE_COMPOSITE
                                                                       : HN_TREE_ARTICULATED;
}

// Leaves first: no fill in M. A row follows when all nodes it moves are gone, before the ancestor they
// share, of whose speeds it does not depend: loops stay apart, and the pivot of a row is what is left
// of it.
static hn_status elimination_order(hn_arena *arena, const hn_relative_set *self, int *order) {
  const hn_tree *tree = self->tree;
  // rows by the node above their walk, -1 first: a list each
  int *first = HN_TAKE(arena, int, tree->count + 1), *next = HN_TAKE(arena, int, self->cut_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k <= tree->count; k++) first[k] = -1;
  for (int c = self->cut_count - 1; c >= 0; c--) {
    int steps = self->walk_start[c + 1] - self->walk_start[c];
    int above = steps > 0 ? tree->nodes[self->walk[self->walk_start[c]].node].parent : -1;
    next[c] = first[above + 1];
    first[above + 1] = c;
  }
  int at = 0;
  for (int k = tree->count - 1; k >= -1; k--) {
    for (int c = first[k + 1]; c >= 0; c = next[c]) order[at++] = self->base.nu + c;
    for (int i = k < 0 ? 0 : tree->nodes[k].u_count; i > 0; i--)
      order[at++] = tree->nodes[k].u + i - 1;
  }
  return HN_OK;
}

static hn_status make_saddle(hn_arena *arena, hn_relative_set *self) {
  const hn_elements *elements = self->base.elements;
  hn_equations *e = &self->base;
  hn_saddle_pattern pattern = {.n = e->nu,
                               .rows_wait = 1,
                               .m = self->cut_count,
                               .m_column_start = self->tree->mass_start,
                               .m_row_index = self->tree->mass_index,
                               .j_row_start = self->j_start,
                               .j_column_index = self->j_index};
  int *order = HN_TAKE(arena, int, e->nu + self->cut_count);
  if (!order || elimination_order(arena, self, order) != HN_OK) return HN_ERROR_MEMORY;
  hn_status status = hn_saddle_create_ordered(arena, &pattern, order, &e->saddle);
  unsigned char *in_loop = HN_TAKE(arena, unsigned char, elements->row_count);
  if (status != HN_OK || !in_loop) return HN_ERROR_MEMORY;
  status = hn_find_loop_rows(&arena->allocator, elements, in_loop);
  int loops = 0;
  for (int c = 0; c < self->cut_count; c++) {
    self->in_loop[c] = in_loop[self->cut_row[c]];
    loops += self->in_loop[c];
  }
  hn_saddle_soften(e->saddle, self->in_loop, HN_LOOP_EPSILON);
  hn_saddle_set_row_floor(e->saddle, self->size_by_mass);
  if (loops > 0 && status == HN_OK) status = hn_saddle_make_releasable(arena, e->saddle);
  if (hn_relative_has_inertia(self)) hn_saddle_trust_mass(e->saddle);
  self->rotation = hn_geometric_rotation(e->model);
  hn_rank_begin(e, elements->row_count, loops);
  if (status != HN_OK || loops == 0) return status;
  self->geometry_mass = HN_TAKE(arena, double, self->tree->mass_start[e->nu]);
  self->has_loops = 1;
  status = hn_relative_make_rank(arena, self);
  if (status != HN_OK || self->rank_matrix) return status;
  status = hn_saddle_create_ordered(arena, &pattern, order, &self->geometry);
  if (status == HN_OK) {
    hn_saddle_soften(self->geometry, self->in_loop, HN_RANK_EPSILON);
    hn_saddle_set_row_floor(self->geometry, self->size_by_length);
  }
  return arena->failed ? HN_ERROR_MEMORY : status;
}

// Machines in a plane, by its kernels: trees, and loops of which all rows are in the plane or constant.
static hn_status make_plane(hn_arena *arena, hn_relative_set *self) {
  if (self->solver == HN_TREE_SADDLE && self->cut_count == 0) return HN_OK;
  hn_status status = hn_plane_create(arena, self->tree, &self->plane);
  if (status != HN_OK || !self->plane || self->cut_count == 0) return status;
  status = hn_plane_make_cuts(arena, self);
  if (!self->plane_cuts) self->plane = NULL;
  return status;
}

hn_status hn_relative_make_solver(hn_arena *arena, hn_relative_set *self) {
  self->solver = choose_solver(self);
  self->base.has_residual = self->solver != HN_TREE_SADDLE && self->tree->quaternions == 0;
  if (make_plane(arena, self) != HN_OK) return HN_ERROR_MEMORY;
  if (self->solver == HN_TREE_ARTICULATED) {
    int room = self->tree->count + 2 * self->tree->quaternions;
    self->articulated = HN_TAKE(arena, hn_tree_articulated, room);
    return arena->failed ? HN_ERROR_MEMORY : HN_OK;
  }
  hn_status status = hn_tree_make_mass_pattern(arena, self->tree);
  if (status != HN_OK) return status;
  self->mass = HN_TAKE(arena, double, self->tree->mass_start[self->base.nu]);
  self->composite = HN_TAKE(arena, hn_tree_composite, self->tree->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  return self->solver == HN_TREE_SADDLE ? make_saddle(arena, self) : HN_OK;
}

// ---- factorization ------------------------------------------------------------------------------

static void release(hn_relative_set *self, hn_saddle *saddle, hn_cut_set set) {
  for (int c = 0; c < self->cut_count; c++)
    self->released[c] = self->base.redundant[self->cut_row[c]];
  hn_saddle_release(saddle, set == HN_CUT_KEPT ? self->released : NULL);
}

// Rank in loops at the rows as factored (loop_rank.h).
static void judge_rank(hn_relative_set *self, const double *q, hn_cut_set set) {
  hn_equations *e = &self->base;
  int near, dependent = 0;
  if (self->in_plane && self->is_only_plane)
    hn_tree_move(self->tree, q, NULL, vec3_zero(), self->motion);
  hn_tree_geometry(self->tree, self->motion, self->composite, self->rotation, self->geometry_mass);
  if (self->rank_matrix) {
    const unsigned char *left_out = set == HN_CUT_KEPT ? self->released : NULL;
    near = hn_relative_find_rank(self, left_out, HN_REDUNDANT_PIVOT, HN_NEAR_PIVOT, self->small);
  } else {
    release(self, self->geometry, set);
    hn_saddle_factor(self->geometry, self->geometry_mass, self->j_values);
    hn_saddle_small_pivots(self->geometry, HN_REDUNDANT_PIVOT, self->small);
    near = hn_saddle_small_pivots(self->geometry, HN_NEAR_PIVOT, NULL);
  }
  for (int c = 0; c < self->cut_count; c++) dependent += self->small[c];
  int holds_all = set == HN_CUT_ALL;
  if (holds_all && !e->keep_redundant && hn_rank_choose(e, dependent))
    for (int c = 0; c < self->cut_count; c++) e->redundant[self->cut_row[c]] = self->small[c];
  hn_rank_note(e, holds_all, near);
}

// What the rows weigh on bodies: in joint speeds redundant rows are rounding errors of these.
static void find_sizes(hn_relative_set *self, hn_cut_set set) {
  const hn_cartesian_rows *rows = self->base.rows;
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    if (set == HN_CUT_KEPT && self->released[c]) continue;
    self->size_by_mass[c] = self->size_by_length[c] = 0;
    for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++) {
      const hn_body_def *body = &self->base.model->bodies[rows->body[k]];
      hn_vec3 n = vec3_load(&rows->block[6 * k]), m = vec3_load(&rows->block[6 * k + 3]);
      double force = vec3_dot(n, n), torque = vec3_dot(m, m);
      double inertia = (body->inertia[0] + body->inertia[1] + body->inertia[2]) / 3;
      if (body->mass > 0) self->size_by_mass[c] += force / body->mass;
      if (inertia > 0) self->size_by_mass[c] += torque / inertia;
      self->size_by_length[c] += force + torque / self->rotation;
    }
  }
}

// Rows of loops are exact at first; where a small pivot tells that a singular position is near, the same
// again with rows that let go there. What a factorization does depends on nothing before it.
static hn_status factor_saddle(hn_relative_set *self, const double *q, hn_cut_set set) {
  hn_equations *e = &self->base;
  int usual = set == HN_CUT_ALL ? e->redundant_count : 0, small = 0;
  self->is_plain = 0;
  for (int pass = usual > 0 || !self->has_loops; pass < 2; pass++) {
    hn_saddle_soften(e->saddle, self->in_loop, pass == 0 ? FAR_EPSILON : HN_LOOP_EPSILON);
    hn_status status = hn_saddle_factor(e->saddle, self->mass, self->j_values);
    if (status != HN_OK || !self->has_loops) return status;
    small = hn_saddle_small_pivots(e->saddle, HN_NEAR_PIVOT, NULL);
    if (small == 0) {
      self->is_plain = pass == 0;
      break;
    }
  }
  int may_choose = self->is_held && !e->keep_redundant;
  if (usual > e->elements->row_count || hn_rank_is_unusual(e, set == HN_CUT_ALL, small, may_choose))
    judge_rank(self, q, set);
  return HN_OK;
}

hn_status hn_relative_factor(hn_relative_set *self, const double *q, hn_cut_set set) {
  hn_equations *e = &self->base;
  size_t size = (size_t)e->nq * sizeof(double);
  if (self->is_factored && self->factored_set == set && memcmp(q, self->factored_q, size) == 0) {
    e->near_singular = self->factored_near_singular;
    return HN_OK;
  }
  self->is_factored = self->is_of_stage = self->is_of_end = self->is_loose = 0;
  e->near_singular = 0;
  if (self->in_plane)
    hn_plane_mass(self->plane, self->tree, self->mass);
  else
    hn_tree_mass(self->tree, self->motion, self->composite, self->mass);
  if (self->solver == HN_TREE_COMPOSITE) {
    e->factorizations++;
    if (!hn_tree_factor(self->tree, self->mass)) return HN_ERROR_NOT_FINITE;
  } else {
    release(self, e->saddle, set);
    if (self->in_plane)
      hn_plane_find_sizes(self);
    else
      find_sizes(self, set);
    hn_status status = factor_saddle(self, q, set);
    if (status != HN_OK) return status;
  }
  memcpy(self->factored_q, q, size);
  self->factored_near_singular = e->near_singular;
  self->factored_set = set;
  self->is_factored = 1;
  self->has_factored_rows = !self->in_plane;
  return HN_OK;
}

hn_status hn_relative_factor_all(hn_relative_set *self, const double *q) {
  self->is_held = 1;
  hn_status status = hn_relative_factor(self, q, HN_CUT_ALL);
  self->is_held = 0;
  return status;
}

// J is what it was where only velocities have changed since it was factored.
static void carry_end(hn_relative_set *self, const double *q, const hn_frame *frames,
                      hn_cut_set set) {
  int is_here = self->is_factored && self->has_factored_rows && self->factored_set == set &&
                memcmp(q, self->factored_q, (size_t)self->base.nq * sizeof(double)) == 0;
  if (is_here)
    hn_relative_carry_tau(self, frames);
  else
    hn_relative_carry_cuts(self, frames, set);
}

// With rows left out, those kept are enough as long as the others hold with them.
hn_status hn_relative_factor_end(hn_relative_set *self, const double *q, const hn_frame *frames) {
  const hn_equations *e = &self->base;
  int is_chosen = e->redundant_count > 0 && e->redundant_count <= e->elements->row_count;
  size_t size = (size_t)e->nq * sizeof(double);
  int is_loose = (self->is_loose && memcmp(q, self->factored_q, size) == 0) ||
                 hn_relative_has_loose_rows(self, NULL, frames);
  if (e->defers_reactions && is_chosen && !is_loose) {
    if (self->in_plane)
      hn_plane_carry_cuts(self);
    else
      carry_end(self, q, frames, HN_CUT_KEPT);
    hn_status status = hn_relative_factor(self, q, HN_CUT_KEPT);
    if (status != HN_OK || !e->near_singular) return status;
  }
  self->in_plane = 0;
  carry_end(self, q, frames, HN_CUT_ALL);
  return hn_relative_factor_all(self, q);
}

// ---- accelerations ------------------------------------------------------------------------------

// Forces on bodies as wrenches about the nodes' origins.
void hn_relative_apply_to_nodes(hn_relative_set *self, const hn_snapshot *s) {
  self->has_applied = 1;
  for (int k = 0; k < self->tree->count; k++) {
    int body = self->tree->nodes[k].body;
    hn_wrench w = s->wrench[body];
    if (body == 0) {
      self->applied[k] = (hn_tree_wrench){vec3_zero(), vec3_zero()};
      continue;
    }
    hn_vec3 arm = vec3_sub(s->frames[body].r, self->motion[k].origin);
    self->applied[k] = (hn_tree_wrench){w.force, vec3_add(w.torque, vec3_cross(arm, w.force))};
  }
}

static void forget_applied(hn_relative_set *self) {
  if (self->has_applied)
    memset(self->applied, 0, (size_t)self->tree->count * sizeof *self->applied);
  self->has_applied = 0;
}

// b = S' (applied - bias) + load, by inverse dynamics at ud = 0. load may be null.
static void right_side(hn_relative_set *self, const double *load) {
  if (self->in_plane)
    hn_plane_inverse(self->plane, NULL, self->has_applied ? self->applied : NULL, self->b);
  else
    hn_tree_bias(self->tree, self->motion, self->applied, self->force, self->b);
  for (int i = 0; i < self->base.nu; i++) self->b[i] = (load ? load[i] : 0) - self->b[i];
}

void hn_relative_right_side(hn_relative_set *self, const hn_snapshot *s) {
  self->in_plane = 0;
  hn_relative_apply_to_nodes(self, s);
  right_side(self, NULL);
}

void hn_relative_balance(hn_relative_set *self, const hn_snapshot *s, const double *ud) {
  self->in_plane = 0;
  hn_relative_apply_to_nodes(self, s);
  hn_tree_accelerate(self->tree, self->motion, ud, self->acceleration, self->angular);
  hn_tree_inverse(self->tree, self->motion, self->acceleration, self->angular, self->applied,
                  self->force, self->b);
  for (int i = 0; i < self->base.nu; i++) self->b[i] = -self->b[i];
}

// A torque about an axis without inertia that no joint holds: names the body.
static hn_status not_determined(hn_relative_set *self, double t, hn_error *error) {
  const hn_tree *tree = self->tree;
  double *rest = self->b, most = 0;
  int worst = 0;
  for (int c = 0; c < self->cut_count; c++)
    for (int k = self->j_start[c]; k < self->j_start[c + 1]; k++)
      rest[self->j_index[k]] -= self->j_values[k] * self->y[c];
  for (int j = 0; j < tree->nu; j++)
    for (int k = tree->mass_start[j]; k < tree->mass_start[j + 1]; k++) {
      int i = tree->mass_index[k];
      rest[i] -= self->mass[k] * self->x[j];
      if (i != j) rest[j] -= self->mass[k] * self->x[i];
    }
  for (int k = 0; k < tree->count; k++)
    for (int i = 0; i < tree->nodes[k].u_count; i++)
      if (fabs(rest[tree->nodes[k].u + i]) > most) {
        most = fabs(rest[tree->nodes[k].u + i]);
        worst = k;
      }
  while (tree->nodes[worst].body == 0) worst++;
  const hn_body_def *body = &self->base.model->bodies[tree->nodes[worst].body];
  char name[96];
  return hn_fail(error, HN_ERROR_SINGULAR, &body->source,
                 hn_text(name, sizeof name, "body '%s'", body->name),
                 "give it inertia about every axis that can turn, or a joint that holds it",
                 "is turned by %.3g N m about an axis without inertia at t = %g s", most, t);
}

// By the tree's own factors, or in linear time.
static hn_status solve_tree(hn_relative_set *self, const double *q, const double *load) {
  self->base.near_singular = 0;
  if (self->in_plane)
    return hn_plane_forward(self->plane, self->has_applied ? self->applied : NULL, load, self->x)
               ? HN_OK
               : HN_ERROR_NOT_FINITE;
  if (self->solver == HN_TREE_ARTICULATED)
    return hn_tree_forward(self->tree, self->motion, self->applied, load, self->articulated,
                           self->acceleration, self->angular, self->x)
               ? HN_OK
               : HN_ERROR_NOT_FINITE;
  right_side(self, load);
  hn_status status = hn_relative_factor(self, q, HN_CUT_ALL);
  memcpy(self->x, self->b, (size_t)self->base.nu * sizeof(double));
  if (status == HN_OK) hn_tree_solve(self->tree, self->mass, self->x);
  return status;
}

// load (may be null): further forces, in speeds. frames: null at a stage.
static hn_status solve(hn_relative_set *self, double t, const double *q, const double *load,
                       const hn_frame *frames, hn_error *error) {
  hn_status status = HN_OK;
  hn_saddle_report report = {.refinements = 0};
  if (self->solver == HN_TREE_SADDLE) {
    right_side(self, load);
    status =
        frames ? hn_relative_factor_end(self, q, frames) : hn_relative_factor(self, q, HN_CUT_KEPT);
    hn_saddle_set_slack(self->base.saddle, frames ? 1 : STAGE_SLACK);
    if (status == HN_OK)
      status = hn_saddle_solve(self->base.saddle, self->b, self->tau, self->x, self->y, &report);
    hn_saddle_set_slack(self->base.saddle, 1);
  } else {
    status = solve_tree(self, q, load);
  }
  double sum = 0;
  for (int i = 0; i < self->base.nu; i++) sum += fabs(self->x[i]);
  if (status != HN_OK || !isfinite(sum)) return HN_ERROR_NOT_FINITE;
  return report.residual_x > 1e-4 ? not_determined(self, t, error) : HN_OK;
}

// ---- the snapshot -------------------------------------------------------------------------------

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

static void store_kinetic(const hn_relative_set *self, hn_snapshot *s) {
  const hn_model *model = self->base.model;
  s->kinetic = 0;
  for (int b = 1; b < model->body_count; b++) {
    const hn_frame *f = &s->frames[b];
    hn_vec3 w = mat3_apply_transposed(f->a, f->w);
    hn_vec3 momentum = mat3_apply(mat3_symmetric(model->bodies[b].inertia), w);
    s->kinetic += 0.5 * (model->bodies[b].mass * vec3_dot(f->v, f->v) + vec3_dot(w, momentum));
  }
}

static void store_rates(hn_relative_set *self, const double *q, hn_snapshot *s) {
  const hn_tree *tree = self->tree;
  memcpy(s->ud, self->x, (size_t)tree->nu * sizeof(double));
  if (tree->quaternions == 0) {
    memcpy(s->qdd, self->x, (size_t)tree->nu * sizeof(double));
    return;
  }
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    int at = node->q, from = node->u;
    for (int i = 0; node->kind == HN_NODE_FREE && i < 3; i++) s->qdd[at++] = self->x[from++];
    if (node->q_count == node->u_count) {
      if (node->u_count == 1) s->qdd[at] = self->x[from];
      continue;
    }
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

// Rows of tree joints hold by construction: they count as zero where nobody looks.
static void store_cut_rows(const hn_relative_set *self, hn_snapshot *s) {
  for (int r = 0; r < self->base.elements->row_count; r++) {
    s->phi[r] = s->phi_rate[r] = s->phi_time_rate[r] = s->phi_acceleration[r] = 0;
    if (self->row_cut[r] >= 0)
      store_row(self, r, s);
    else
      s->lambda[r] = 0;
  }
}

// All rows, and what the tree's joints carry; changes `applied`.
static void store_joints(hn_relative_set *self, const hn_branches *branches, hn_snapshot *s) {
  hn_equations *e = &self->base;
  for (int j = 0; j < e->model->joint_count; j++)
    if (self->tree->joint_node[j] >= 0)
      hn_cartesian_evaluate_joint(e->elements, e->rows, j, s->t, s->frames, branches);
  hn_relative_apply_cuts(self, s->frames, self->y);
  hn_relative_reactions(self, s->frames, s->lambda);
  for (int c = 0; c < self->cut_count; c++) s->lambda[self->cut_row[c]] = self->y[c];
  for (int r = 0; r < e->elements->row_count; r++) store_row(self, r, s);
}

static void store_multipliers(const hn_relative_set *self, hn_snapshot *s) {
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    s->lambda[r] = self->y[c];
    s->power += self->y[c] * self->base.rows->time_rate[r]; // drivers: lambda' Phi_t
  }
}

// A tree has no rows to be solved for: the rest of the snapshot is left for whoever looks at it.
static hn_status evaluate_tree(hn_relative_set *self, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  const hn_equations *e = &self->base;
  size_t rows = (size_t)e->elements->row_count * sizeof(double);
  hn_tree_move(self->tree, q, self->u, vec3_zero(), self->motion);
  hn_tree_frames(self->tree, NULL, self->motion, s->frames);
  hn_status status = hn_relative_apply_forces(self, t, q, branches, s, error);
  if (status != HN_OK) return status;
  hn_relative_apply_to_nodes(self, s);
  self->in_plane = self->plane != NULL;
  if (self->in_plane) hn_plane_move(self->plane, q, self->u, vec3_zero());
  status = solve(self, t, q, NULL, s->frames, error);
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(&self->base, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  store_kinetic(self, s);
  store_rates(self, q, s);
  memcpy(s->q, q, (size_t)e->nq * sizeof(double));
  double *numbers[] = {s->phi, s->phi_rate, s->phi_acceleration, s->phi_time_rate, s->lambda};
  for (int k = 0; k < 5 && !s->rows_rest; k++) memset(numbers[k], 0, rows);
  s->rows_rest = 1;
  s->is_partial = HN_SNAPSHOT_OF_STEP;
  return HN_OK;
}

hn_status hn_relative_evaluate(hn_relative_set *self, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  hn_equations *e = &self->base;
  e->evaluations++;
  s->t = t;
  self->in_plane = 0;
  hn_relative_speeds(e, q, qd, self->u);
  if (self->cut_count == 0 && e->defers_reactions)
    return evaluate_tree(self, t, q, qd, branches, s, error);
  s->rows_rest = 0;
  hn_tree_move(self->tree, q, self->u, vec3_zero(), self->motion);
  hn_tree_frames(self->tree, NULL, self->motion, s->frames);
  hn_relative_evaluate_joints(self, t, s->frames, branches);
  hn_status status = hn_relative_apply_forces(self, t, q, branches, s, error);
  if (status != HN_OK) return status;
  hn_relative_apply_to_nodes(self, s);
  self->in_plane = e->defers_reactions && self->cut_count > 0 && hn_plane_holds_rows(self);
  self->is_only_plane = 0;
  if (self->in_plane) hn_plane_move(self->plane, q, self->u, vec3_zero());
  status = solve(self, t, q, NULL, s->frames, error);
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(&self->base, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  hn_tree_accelerate(self->tree, self->motion, self->x, self->acceleration, self->angular);
  hn_relative_store_accelerations(self, s);
  store_kinetic(self, s);
  store_rates(self, q, s);
  store_multipliers(self, s);
  int is_part = self->solver == HN_TREE_SADDLE && self->factored_set == HN_CUT_KEPT;
  s->is_partial = !e->defers_reactions ? HN_SNAPSHOT_WHOLE
                  : is_part            ? HN_SNAPSHOT_OF_STEP
                                       : HN_SNAPSHOT_WITHOUT_REACTIONS;
  if (s->is_partial == HN_SNAPSHOT_OF_STEP)
    memcpy(s->q, q, (size_t)e->nq * sizeof(double));
  else
    hn_tree_parameters(self->tree, q, s->frames);
  if (s->is_partial)
    store_cut_rows(self, s);
  else
    store_joints(self, branches, s);
  return HN_OK;
}

// x = derivatives of the speeds of these accelerations: wd = 2 E(p) pdd.
static void read_accelerations(hn_relative_set *self, const double *q, const double *qdd) {
  const hn_tree *tree = self->tree;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    int at = node->q, to = node->u;
    int plain = node->kind == HN_NODE_FREE ? 3 : node->u_count == 1;
    for (int i = 0; i < plain; i++) self->x[to++] = qdd[at++];
    if (node->q_count == node->u_count) continue;
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
  store_kinetic(self, s);
  memcpy(s->ud, self->x, (size_t)e->nu * sizeof(double));
  memcpy(s->qdd, qdd, (size_t)e->nq * sizeof(double));
  memcpy(s->q, q, (size_t)e->nq * sizeof(double));
  conclude_rows(self, lambda, s);
  s->is_partial = HN_SNAPSHOT_OF_STEP;
}

// Multipliers of least norm that go with the accelerations, J' y = S' (applied - bias) - M ud: the
// system of accelerations with that as right side, which leaves none.
static void find_multipliers(hn_relative_set *self, const hn_snapshot *s) {
  hn_equations *e = &self->base;
  if (self->cut_count == 0) return;
  hn_relative_balance(self, s, s->ud);
  int kept = e->keep_redundant, near = e->near_singular;
  e->keep_redundant = 1; // looking changes nothing for the steps to come
  memset(self->gap, 0, (size_t)self->cut_count * sizeof(double));
  if (hn_relative_factor(self, self->spare_q, HN_CUT_ALL) == HN_OK)
    hn_saddle_solve(e->saddle, self->b, self->gap, self->x, self->y, NULL);
  e->keep_redundant = kept;
  e->near_singular = near;
}

void hn_relative_complete(hn_equations *equations, const hn_branches *branches, hn_snapshot *s) {
  hn_relative_set *self = (hn_relative_set *)equations;
  int is_of_step = s->is_partial == HN_SNAPSHOT_OF_STEP;
  self->in_plane = 0;
  s->rows_rest = 0;
  hn_tree_read_frames(self->tree, s->frames, self->spare_q, self->u);
  if (is_of_step) memcpy(self->spare_q, s->q, (size_t)equations->nq * sizeof(double));
  hn_tree_move(self->tree, self->spare_q, self->u, vec3_zero(), self->motion);
  if (is_of_step) hn_tree_frames(self->tree, s->q, self->motion, s->frames);
  hn_relative_evaluate_cuts(self, s->t, s->frames, branches);
  hn_relative_apply_to_nodes(self, s);
  hn_tree_accelerate(self->tree, self->motion, s->ud, self->acceleration, self->angular);
  for (int c = 0; c < self->cut_count; c++) self->y[c] = s->lambda[self->cut_row[c]];
  if (is_of_step) hn_relative_store_accelerations(self, s);
  if (is_of_step) find_multipliers(self, s);
  store_joints(self, branches, s);
}

// Motion, forces and cut rows at a stage. Where nothing reads frames there are none, and gravity is an
// acceleration of ground.
static hn_status move_stage(hn_relative_set *self, double t, const double *q, const double *qd,
                            const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  hn_equations *e = &self->base;
  int is_tree = self->cut_count == 0;
  self->in_plane = self->plane && (is_tree || hn_plane_holds_rows(self));
  int has_rows = !is_tree && !self->in_plane, has_frames = has_rows || self->measured_forces > 0;
  int has_weight = has_frames && !is_tree;
  e->evaluations++;
  s->t = t;
  hn_relative_speeds(e, q, qd, self->u);
  hn_vec3 base = has_weight ? vec3_zero() : vec3_negate(e->model->gravity);
  if (self->in_plane) hn_plane_move(self->plane, q, self->u, base);
  self->is_only_plane = self->in_plane && !has_frames;
  if (!self->is_only_plane) hn_tree_move(self->tree, q, self->u, base, self->motion);
  if (has_frames) hn_tree_frames(self->tree, NULL, self->motion, s->frames);
  if (has_rows) {
    hn_relative_evaluate_joints(self, t, s->frames, branches);
    hn_relative_carry_cuts(self, s->frames, HN_CUT_KEPT);
  } else if (!is_tree) {
    hn_plane_carry_cuts(self);
  }
  hn_status status = hn_relative_stage_forces(self, t, q, has_weight, branches, s, error);
  if (status != HN_OK) return status;
  if (has_frames)
    hn_relative_apply_to_nodes(self, s);
  else
    forget_applied(self);
  return HN_OK;
}

// Nobody asks for reactions or for accelerations of bodies.
hn_status hn_relative_evaluate_stage(hn_relative_set *self, double t, const double *q,
                                     const double *qd, const hn_branches *branches, hn_snapshot *s,
                                     hn_error *error) {
  hn_status status = move_stage(self, t, q, qd, branches, s, error);
  if (status == HN_OK) status = solve(self, t, q, self->load, NULL, error);
  self->is_of_stage = 1;
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(&self->base, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  store_rates(self, q, s);
  store_multipliers(self, s);
  return HN_OK;
}

// Inverse dynamics: no inertia matrix. Every coordinate is a speed's.
hn_status hn_relative_residual(hn_equations *equations, double t, const double *q, const double *qd,
                               const double *qdd, const hn_branches *branches, hn_snapshot *s,
                               double *out, hn_error *error) {
  hn_relative_set *self = (hn_relative_set *)equations;
  hn_status status = move_stage(self, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  if (self->in_plane) {
    hn_plane_inverse(self->plane, qdd, self->has_applied ? self->applied : NULL, self->b);
  } else {
    hn_tree_accelerate(self->tree, self->motion, qdd, self->acceleration, self->angular);
    hn_tree_inverse(self->tree, self->motion, self->acceleration, self->angular, self->applied,
                    self->force, self->b);
  }
  for (int i = 0; i < equations->nq; i++) out[i] = self->load[i] - self->b[i];
  return HN_OK;
}
