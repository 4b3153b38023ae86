// Accelerations of the relative set at the present motion, by the way relative/solver.c has chosen:
//
//   b = S' (applied - bias) + load,   M ud + J' lambda = b,   J ud = tau
//
// Not here: the motion, forces and rows (relative/evaluate.c) and what is told of them
// (relative/snapshot.c).
#include <math.h>
#include <string.h>

#include "equations/relative/relative.h"

// Accelerations inside a step are refined to about 1e-12.
#define STAGE_SLACK 1e3

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

// By the tree's own factors, or in linear time.
static hn_status solve_tree(hn_relative_set *self, const double *q, const double *load) {
  self->base.near_singular = 0;
  if (self->present->is_flat || self->solver == HN_TREE_ARTICULATED)
    return self->present->forward(self, load) ? HN_OK : HN_ERROR_NOT_FINITE;
  right_side(self, load);
  hn_status status = hn_relative_factor(self, q, HN_CUT_ALL);
  memcpy(self->x, self->b, (size_t)self->base.nu * sizeof(double));
  if (status == HN_OK) hn_tree_solve(self->tree, self->mass, self->x);
  return status;
}

hn_status hn_relative_solve(hn_relative_set *self, double t, const double *q, const double *load,
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
