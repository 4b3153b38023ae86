// The relative set at a state: motion, forces, constraints, then accelerations by the method that
// relative/solver.c has chosen,
//
//   b = S' (applied - bias) + load,   M ud + J' lambda = b,   J ud = tau
//
// and their report (relative/snapshot.c). Whole snapshots, and inside a step only the quantities of
// its formula.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/relative/relative.h"
#include "equations/tangent.h"

// Accelerations inside a step are refined to about 1e-12.
#define STAGE_SLACK 1e3

// ---- the present motion in space ----------------------------------------------------------------

static void inverse_in_space(hn_relative_set *self, const double *ud) {
  if (ud) hn_tree_accelerate(self->tree, self->motion, ud, self->acceleration, self->angular);
  hn_tree_inverse(self->tree, self->motion, ud ? self->acceleration : NULL, self->angular,
                  self->applied, self->force, self->b);
}

static int forward_in_space(hn_relative_set *self, const double *load) {
  return hn_tree_forward(self->tree, self->motion, self->applied, load, self->articulated,
                         self->acceleration, self->angular, self->x);
}

static void mass_in_space(hn_relative_set *self) {
  hn_tree_mass(self->tree, self->motion, self->composite, self->mass);
}

static void carry_in_space(hn_relative_set *self, const double *q, const hn_frame *frames) {
  hn_relative_carry_end(self, q, frames, HN_CUT_KEPT);
}

const hn_motion_kernels hn_motion_in_space = {.inverse = inverse_in_space,
                                              .forward = forward_in_space,
                                              .find_mass = mass_in_space,
                                              .find_sizes = hn_relative_find_sizes,
                                              .carry_end = carry_in_space};

// ---- right sides --------------------------------------------------------------------------------

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

// b = S' (applied - bias) + load, by inverse dynamics at ud = 0. load may be null.
static void right_side(hn_relative_set *self, const double *load) {
  self->present->inverse(self, NULL);
  for (int i = 0; i < self->base.nu; i++) self->b[i] = (load ? load[i] : 0) - self->b[i];
}

void hn_relative_right_side(hn_relative_set *self, const hn_snapshot *s) {
  self->present = &hn_motion_in_space;
  hn_relative_apply_to_nodes(self, s);
  right_side(self, NULL);
}

void hn_relative_balance(hn_relative_set *self, const hn_snapshot *s, const double *ud) {
  self->present = &hn_motion_in_space;
  hn_relative_apply_to_nodes(self, s);
  self->present->inverse(self, ud);
  for (int i = 0; i < self->base.nu; i++) self->b[i] = -self->b[i];
}

// ---- solution -----------------------------------------------------------------------------------

// Names the body of the speed whose equation is left unsatisfied most.
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
  return hn_fail_not_determined(body, most, t, error);
}

static void note_unsolved(hn_relative_set *self) {
  double most = 0;
  for (int k = 0; k < self->tree->count; k++) {
    const hn_tree_node *node = &self->tree->nodes[k];
    hn_note_unsolved(&self->base, node->body, hn_largest(&self->x[node->u], node->u_count), &most);
  }
}

// By the tree's own factors, or in linear time.
static hn_status solve_tree(hn_relative_set *self, const double *q, const double *load) {
  self->base.near_singular = 0;
  if (self->present->is_flat || self->solver == HN_TREE_ARTICULATED)
    return self->present->forward(self, load) ? HN_OK : HN_ERROR_NOT_FINITE;
  right_side(self, load);
  hn_status status = hn_relative_factor(self, q, HN_CUT_ALL, HN_RANK_STAYS);
  memcpy(self->x, self->b, (size_t)self->base.nu * sizeof(double));
  if (status == HN_OK) hn_tree_solve(self->tree, self->mass, self->x);
  return status;
}

// x and y from what is applied. load (may be null): further forces, in speeds. frames: null at a stage.
// HN_ERROR_NOT_FINITE is left for the caller to explain.
static hn_status solve(hn_relative_set *self, double t, const double *q, const double *load,
                       const hn_frame *frames, const hn_branches *branches, hn_error *error) {
  hn_status status = HN_OK;
  hn_saddle_report report = {.refinements = 0};
  if (self->solver == HN_TREE_SADDLE) {
    right_side(self, load);
    status = frames ? hn_relative_factor_end(self, q, frames, branches)
                    : hn_relative_factor(self, q, HN_CUT_KEPT, HN_RANK_STAYS);
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
  if (report.residual_x > 1e-4) return not_determined(self, t, error);
  if (report.is_stalled && frames) note_unsolved(self);
  return HN_OK;
}

// ---- everything of a state ----------------------------------------------------------------------

static void move_in_plane(hn_relative_set *self, const double *q, hn_vec3 base) {
  self->present = &hn_motion_in_plane;
  hn_plane_move(self->plane, q, self->u, base);
}

// A tree has no constraints to solve: the rest of the snapshot is computed when it is read.
static hn_status evaluate_tree(hn_relative_set *self, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  const hn_equations *e = &self->base;
  size_t rows = (size_t)e->elements->row_count * sizeof(double);
  hn_tree_move(self->tree, q, self->u, vec3_zero(), self->motion);
  hn_tree_frames(self->tree, NULL, self->motion, s->frames);
  hn_status status = hn_relative_apply_forces(self, t, q, branches, s, error);
  if (status != HN_OK) return status;
  hn_relative_apply_to_nodes(self, s);
  if (self->plane) move_in_plane(self, q, vec3_zero());
  status = solve(self, t, q, NULL, s->frames, branches, error);
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(&self->base, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  hn_relative_store_kinetic(self, s);
  hn_relative_store_rates(self, q, s);
  s->near_singular = self->base.near_singular;
  memcpy(s->q, q, (size_t)e->nq * sizeof(double));
  double *numbers[] = {s->phi, s->phi_rate, s->phi_acceleration, s->phi_time_rate, s->lambda};
  for (int k = 0; k < 5 && !s->rows_rest; k++) memset(numbers[k], 0, rows);
  s->rows_rest = 1;
  s->is_partial = HN_SNAPSHOT_OF_STEP;
  return HN_OK;
}

hn_status hn_relative_evaluate(hn_equations *e, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  hn_relative_set *self = (hn_relative_set *)e;
  e->evaluations++;
  s->t = t;
  self->present = &hn_motion_in_space;
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
  self->flat.is_alone = 0;
  if (e->defers_reactions && self->cut_count > 0 && hn_plane_holds_rows(self))
    move_in_plane(self, q, vec3_zero());
  status = solve(self, t, q, NULL, s->frames, branches, error);
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(&self->base, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  hn_tree_accelerate(self->tree, self->motion, self->x, self->acceleration, self->angular);
  hn_relative_store_accelerations(self, s);
  hn_relative_store_kinetic(self, s);
  hn_relative_store_rates(self, q, s);
  s->near_singular = self->base.near_singular;
  hn_relative_store_multipliers(self, s);
  int is_part = self->solver == HN_TREE_SADDLE && self->factored.set == HN_CUT_KEPT;
  s->is_partial = !e->defers_reactions ? HN_SNAPSHOT_WHOLE
                  : is_part            ? HN_SNAPSHOT_OF_STEP
                                       : HN_SNAPSHOT_WITHOUT_REACTIONS;
  if (s->is_partial == HN_SNAPSHOT_OF_STEP)
    memcpy(s->q, q, (size_t)e->nq * sizeof(double));
  else
    hn_tree_parameters(self->tree, q, s->frames);
  if (s->is_partial)
    hn_relative_store_cut_rows(self, s);
  else
    hn_relative_store_joints(self, branches, s);
  return HN_OK;
}

// ---- inside a step ------------------------------------------------------------------------------

void hn_relative_forget_applied(hn_relative_set *self) {
  if (self->has_applied)
    memset(self->applied, 0, (size_t)self->tree->count * sizeof *self->applied);
  self->has_applied = 0;
}

// Motion, forces and loop-closure constraints at a stage. If nothing reads frames they are not
// computed, and gravity is an acceleration of ground. is_read: frames are read by the caller, and
// bias accelerations are without gravity.
static hn_status move_stage(hn_relative_set *self, double t, const double *q, const double *qd,
                            const hn_branches *branches, int is_read, hn_snapshot *s,
                            hn_error *error) {
  hn_equations *e = &self->base;
  int is_tree = self->cut_count == 0;
  int is_flat = self->plane && (is_tree || hn_plane_holds_rows(self));
  int has_rows = !is_tree && !is_flat;
  int has_frames = has_rows || self->forces.measured > 0 || is_read;
  int has_weight = has_frames && (!is_tree || is_read);
  e->evaluations++;
  s->t = t;
  hn_relative_speeds(e, q, qd, self->u);
  hn_vec3 base = has_weight ? vec3_zero() : vec3_negate(e->model->gravity);
  self->present = &hn_motion_in_space;
  if (is_flat) move_in_plane(self, q, base);
  self->flat.is_alone = is_flat && !has_frames;
  if (!self->flat.is_alone) hn_tree_move(self->tree, q, self->u, base, self->motion);
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
    hn_relative_forget_applied(self);
  return HN_OK;
}

static hn_status evaluate_stage(hn_relative_set *self, double t, const double *q, const double *qd,
                                const hn_branches *branches, int is_read, hn_snapshot *s,
                                hn_error *error) {
  hn_equations *e = &self->base;
  hn_status status = move_stage(self, t, q, qd, branches, is_read, s, error);
  if (status == HN_OK) status = solve(self, t, q, self->forces.load, NULL, branches, error);
  self->factored.is_of_stage = 1;
  if (status == HN_ERROR_NOT_FINITE) return hn_fail_not_finite(e, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  hn_relative_store_rates(self, q, s);
  s->near_singular = self->base.near_singular;
  hn_relative_store_multipliers(self, s);
  return HN_OK;
}

// Without reactions and accelerations of bodies.
hn_status hn_relative_evaluate_stage(hn_equations *e, double t, const double *q, const double *qd,
                                     const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  return evaluate_stage((hn_relative_set *)e, t, q, qd, branches, 0, s, error);
}

hn_status hn_relative_evaluate_read_stage(hn_equations *e, double t, const double *q,
                                          const double *qd, const hn_branches *branches,
                                          hn_snapshot *s, hn_error *error) {
  return evaluate_stage((hn_relative_set *)e, t, q, qd, branches, 1, s, error);
}

hn_status hn_relative_residual(hn_relative_set *self, const hn_tangent_state *at, hn_snapshot *s,
                               hn_error *error) {
  hn_status status = move_stage(self, at->t, at->q, at->qd, at->branches, 0, s, error);
  if (status != HN_OK) return status;
  self->present->inverse(self, at->qdd);
  for (int i = 0; i < self->base.nq; i++) at->b[i] = self->forces.load[i] - self->b[i];
  return HN_OK;
}
