// The relative set at a state: motion, forces, rows, then accelerations and what is told of them. Whole
// snapshots, and inside a step only what its formula asks for.
#include <string.h>

#include "base/error.h"
#include "equations/relative/relative.h"
#include "equations/tangent.h"

// ---- everything of a state ----------------------------------------------------------------------

static void move_in_plane(hn_relative_set *self, const double *q, hn_vec3 base) {
  self->present = &hn_motion_in_plane;
  hn_plane_move(self->plane, q, self->u, base);
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
  if (self->plane) move_in_plane(self, q, vec3_zero());
  status = hn_relative_solve(self, t, q, NULL, s->frames, error);
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(&self->base, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  hn_relative_store_kinetic(self, s);
  hn_relative_store_rates(self, q, s);
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
  status = hn_relative_solve(self, t, q, NULL, s->frames, error);
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(&self->base, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  hn_tree_accelerate(self->tree, self->motion, self->x, self->acceleration, self->angular);
  hn_relative_store_accelerations(self, s);
  hn_relative_store_kinetic(self, s);
  hn_relative_store_rates(self, q, s);
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

static void forget_applied(hn_relative_set *self) {
  if (self->has_applied)
    memset(self->applied, 0, (size_t)self->tree->count * sizeof *self->applied);
  self->has_applied = 0;
}

// Motion, forces and cut rows at a stage. Where nothing reads frames there are none, and gravity is an
// acceleration of ground.
static hn_status move_stage(hn_relative_set *self, double t, const double *q, const double *qd,
                            const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  hn_equations *e = &self->base;
  int is_tree = self->cut_count == 0;
  int is_flat = self->plane && (is_tree || hn_plane_holds_rows(self));
  int has_rows = !is_tree && !is_flat, has_frames = has_rows || self->forces.measured > 0;
  int has_weight = has_frames && !is_tree;
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
    forget_applied(self);
  return HN_OK;
}

// Nobody asks for reactions or for accelerations of bodies.
hn_status hn_relative_evaluate_stage(hn_relative_set *self, double t, const double *q,
                                     const double *qd, const hn_branches *branches, hn_snapshot *s,
                                     hn_error *error) {
  hn_status status = move_stage(self, t, q, qd, branches, s, error);
  if (status == HN_OK) status = hn_relative_solve(self, t, q, self->forces.load, NULL, error);
  self->factored.is_of_stage = 1;
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(&self->base, t, q, qd, branches, s, error);
  if (status != HN_OK) return status;
  hn_relative_store_rates(self, q, s);
  hn_relative_store_multipliers(self, s);
  return HN_OK;
}

hn_status hn_relative_residual(hn_relative_set *self, const hn_tangent_state *at, hn_snapshot *s,
                               hn_error *error) {
  hn_status status = move_stage(self, at->t, at->q, at->qd, at->branches, s, error);
  if (status != HN_OK) return status;
  self->present->inverse(self, at->qdd);
  for (int i = 0; i < self->base.nq; i++) at->b[i] = self->forces.load[i] - self->b[i];
  return HN_OK;
}
