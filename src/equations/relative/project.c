// Projection onto the loop-closure constraints with least change in the metric of M: positions by
// Newton's method, velocities in one step. Trees without loops only normalize their Euler parameters.
//
// At the end of a step (hn_relative_project) positions take the matrix of its start, of its last
// stage if that has one, or of the end of a longer attempt: the same metric and constraints up to
// the motion in the step, so the violation falls by that factor at each correction; the one
// remaining factorization, on the constraints, serves velocities and accelerations.
#include <math.h>
#include <string.h>

#include "equations/relative/relative.h"

enum { POSITION_ITERATIONS = 10, OLD_ITERATIONS = 6 };
#define SLACK 1e2
// A gap that does not fall by this factor wants a matrix of its own.
#define OLD_RATE 0.2

static int parameters_at(const hn_tree_node *node) {
  return node->q + (node->kind == HN_LINK_FREE ? 3 : 0);
}

static void normalize_all(const hn_tree *tree, double *q) {
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->q_count == node->u_count) continue;
    double *p = &q[parameters_at(node)];
    quat_store(p, quat_unit(quat_load(p)));
  }
}

// q += x, p <- (p + E' x / 2) / |.|
void hn_relative_displace(const hn_equations *equations, const double *x, double *q) {
  const hn_tree *tree = ((const hn_relative_set *)equations)->tree;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    int at = node->q, from = node->u;
    int plain = node->kind == HN_LINK_FREE ? 3 : node->u_count == 1;
    for (int i = 0; i < plain; i++) q[at++] += x[from++];
    if (node->q_count == node->u_count) continue;
    hn_quat p = quat_load(&q[at]);
    hn_quat dp = quat_scale(0.5, euler_e_transposed(p, vec3_load(&x[from])));
    quat_store(&q[at], quat_unit(quat_add(p, dp)));
  }
}

// A correction need not be refined to rounding: it is small itself.
static hn_status find_correction(hn_relative_set *self) {
  hn_saddle *saddle = self->base.saddle;
  if (self->factored.is_plain)
    return hn_saddle_solve_once(saddle, self->b, self->gap, self->x, self->y);
  hn_saddle_set_slack(saddle, SLACK);
  hn_status status = hn_saddle_solve(saddle, self->b, self->gap, self->x, self->y, NULL);
  hn_saddle_set_slack(saddle, 1);
  return status;
}

// Motion at q and speeds u (null: at rest), frames and rows of cut joints; the largest gap.
static double gaps(hn_relative_set *self, double t, const double *q, const double *u,
                   const hn_branches *branches) {
  hn_tree_move(self->tree, q, u, vec3_zero(), self->motion);
  hn_tree_frames(self->tree, NULL, self->motion, self->frames);
  hn_relative_evaluate_joints(self, t, self->frames, branches);
  for (int c = 0; c < self->cut_count; c++)
    self->gap[c] = -self->base.rows->value[self->cut_row[c]];
  return hn_largest(self->gap, self->cut_count);
}

// In the plane, as long as it converges quickly and no singular configuration is near; returns the
// remaining violation.
static double close_in_plane(hn_relative_set *self, double *q, double tolerance) {
  double before = HUGE_VAL;
  for (int k = 0; k < POSITION_ITERATIONS && hn_plane_holds_rows(self); k++) {
    self->present = &hn_motion_in_plane;
    self->flat.is_alone = 1;
    hn_plane_move(self->plane, q, NULL, vec3_zero());
    double gap = hn_plane_gaps(self, 0);
    if (gap <= HN_GAP_CLOSED * tolerance) return gap;
    if (self->base.near_singular || !(gap <= HN_GAP_STAYS * before)) break;
    before = gap;
    hn_plane_carry_cuts(self);
    if (hn_relative_factor(self, q, HN_CUT_KEPT, HN_RANK_STAYS) != HN_OK ||
        find_correction(self) != HN_OK)
      break;
    hn_relative_displace(&self->base, self->x, q);
  }
  return HUGE_VAL;
}

hn_status hn_relative_project_positions(hn_equations *equations, double t, double *q,
                                        const hn_branches *branches, double tolerance,
                                        double *correction) {
  hn_relative_set *self = (hn_relative_set *)equations;
  memcpy(correction, q, (size_t)equations->nq * sizeof(double));
  normalize_all(self->tree, q);
  double gap = self->cut_count > 0 ? HUGE_VAL : 0, before = HUGE_VAL;
  equations->near_singular = 0;
  if (self->cut_count > 0) memset(self->b, 0, (size_t)equations->nu * sizeof(double));
  const hn_rank_choice choice = branches->keeps_rows ? HN_RANK_STAYS : HN_RANK_MAY_FALL;
  hn_cut_set set = HN_CUT_KEPT; // the others follow from them, except in singular configurations
  if (self->flat.cuts) gap = close_in_plane(self, q, tolerance);
  for (int k = 0; gap > tolerance && self->cut_count > 0 && k < POSITION_ITERATIONS; k++) {
    self->present = &hn_motion_in_space;
    gap = gaps(self, t, q, NULL, branches);
    if (gap <= HN_GAP_CLOSED * tolerance || (set == HN_CUT_ALL && !(gap <= HN_GAP_STAYS * before)))
      break;
    if (equations->near_singular || !(gap <= HN_GAP_STAYS * before)) set = HN_CUT_ALL;
    before = gap;
    hn_relative_carry_cuts(self, self->frames, set);
    if (hn_relative_factor(self, q, set, choice) != HN_OK) break;
    if (find_correction(self) != HN_OK) break;
    hn_relative_displace(&self->base, self->x, q);
  }
  for (int i = 0; i < equations->nq; i++) correction[i] = q[i] - correction[i];
  return gap <= tolerance ? HN_OK : HN_RETRY_CONVERGENCE;
}

// The same for velocities u; 0 if the plane is not sufficient.
static int correct_in_plane(hn_relative_set *self, const double *q) {
  if (!hn_plane_holds_rows(self)) return 0;
  self->present = &hn_motion_in_plane;
  self->flat.is_alone = 1;
  memset(self->b, 0, (size_t)self->base.nu * sizeof(double));
  hn_plane_move(self->plane, q, self->u, vec3_zero());
  hn_plane_gaps(self, 1);
  hn_plane_carry_cuts(self);
  if (hn_relative_factor(self, q, HN_CUT_KEPT, HN_RANK_STAYS) != HN_OK || self->base.near_singular)
    return 0;
  if (find_correction(self) != HN_OK) return 0;
  for (int i = 0; i < self->base.nu; i++) self->u[i] += self->x[i];
  return !hn_plane_has_loose_rows(self, q);
}

// Corrects u by the rates of constraints just evaluated in space. Constraints left out follow from
// those kept, unless they only appeared dependent in a singular configuration: then all are used.
static hn_status correct_rates(hn_relative_set *self, const double *q,
                               const hn_branches *branches) {
  const hn_equations *e = &self->base;
  int is_chosen = e->redundant_count > 0 && e->redundant_count <= e->elements->row_count;
  int is_part = e->defers_reactions && is_chosen;
  for (int c = 0; c < self->cut_count; c++) self->gap[c] = -e->rows->rate[self->cut_row[c]];
  hn_relative_carry_cuts(self, self->frames, HN_CUT_ALL);
  hn_status status = HN_OK;
  if (is_part) {
    status = hn_relative_factor(self, q, HN_CUT_KEPT, HN_RANK_STAYS);
    if (status == HN_OK && !e->near_singular) status = find_correction(self);
    is_part = !e->near_singular && !hn_relative_has_loose_rows(self, self->x, self->frames);
  }
  if (status == HN_OK && !is_part) {
    status = hn_relative_factor_all(self, q, branches);
    self->factored.is_loose = status == HN_OK && is_chosen && !e->near_singular;
    if (status == HN_OK) status = find_correction(self);
  }
  if (status != HN_OK) return HN_RETRY_CONVERGENCE;
  for (int i = 0; i < e->nu; i++) self->u[i] += self->x[i];
  return HN_OK;
}

hn_status hn_relative_project_velocities(hn_equations *equations, double t, const double *q,
                                         double *qd, const hn_branches *branches,
                                         double *correction) {
  hn_relative_set *self = (hn_relative_set *)equations;
  memcpy(correction, qd, (size_t)equations->nq * sizeof(double));
  hn_relative_speeds(equations, q, qd, self->u);
  if (self->cut_count > 0 && !correct_in_plane(self, q)) {
    self->present = &hn_motion_in_space;
    memset(self->b, 0, (size_t)equations->nu * sizeof(double));
    gaps(self, t, q, self->u, branches);
    if (correct_rates(self, q, branches) != HN_OK) return HN_RETRY_CONVERGENCE;
  }
  hn_relative_rates(equations, q, self->u, qd);
  for (int i = 0; i < equations->nq; i++) correction[i] = qd[i] - correction[i];
  return HN_OK;
}

// ---- the end of a step --------------------------------------------------------------------------

// 1 if there is a matrix for corrections: of the last attempt's end, of a stage, or that of the
// start, made again if another state was evaluated since. Redundant constraints are left out of it.
// Loops in a plane have quicker ones.
static int has_old_matrix(hn_relative_set *self, double t, const double *begin,
                          const hn_branches *branches) {
  const hn_equations *e = &self->base;
  int is_chosen = e->redundant_count <= e->elements->row_count;
  if (self->solver != HN_TREE_SADDLE || self->flat.cuts || !is_chosen) return 0;
  hn_cut_set set = e->redundant_count > 0 ? HN_CUT_KEPT : HN_CUT_ALL;
  int is_here = memcmp(begin, self->factored.q, (size_t)e->nq * sizeof(double)) == 0;
  int is_set = e->redundant_count == 0 || self->factored.set == set;
  if (self->factored.is_there && is_set &&
      (self->factored.is_of_stage || self->factored.is_of_end || is_here))
    return self->factored.is_plain && !self->factored.near_singular;
  gaps(self, t, begin, NULL, branches);
  hn_relative_carry_cuts(self, self->frames, set);
  return hn_relative_factor(self, begin, set, HN_RANK_STAYS) == HN_OK && self->factored.is_plain &&
         !e->near_singular;
}

// Positions with the old matrix; 0 when the gap does not fall quickly, with q as it was before.
static int close_gaps(hn_relative_set *self, double t, double *q, const double *qd,
                      const hn_branches *branches, double tolerance) {
  double before = HUGE_VAL;
  memset(self->b, 0, (size_t)self->base.nu * sizeof(double));
  memcpy(self->spare_q, q, (size_t)self->base.nq * sizeof(double));
  for (int k = 0; k < OLD_ITERATIONS; k++) {
    hn_relative_speeds(&self->base, q, qd, self->u);
    double gap = gaps(self, t, q, self->u, branches);
    if (gap <= HN_GAP_CLOSED * tolerance) return 1;
    if (!(gap <= OLD_RATE * before)) {
      if (gap <= tolerance && before < HUGE_VAL) return 1; // rounding
      break;
    }
    before = gap;
    if (hn_saddle_solve_once(self->base.saddle, self->b, self->gap, self->x, self->y) != HN_OK)
      break;
    hn_relative_displace(&self->base, self->x, q);
  }
  memcpy(q, self->spare_q, (size_t)self->base.nq * sizeof(double));
  return 0;
}

// Velocities from what the last gap was computed with.
static hn_status close_rates(hn_relative_set *self, const double *q, double *qd,
                             const hn_branches *branches) {
  if (correct_rates(self, q, branches) != HN_OK) return HN_RETRY_CONVERGENCE;
  self->factored.is_of_end = 1;
  hn_relative_rates(&self->base, q, self->u, qd);
  return HN_OK;
}

hn_status hn_relative_project(hn_equations *equations, double t, const double *begin, double *q,
                              double *qd, const hn_branches *branches, double tolerance,
                              double *change) {
  hn_relative_set *self = (hn_relative_set *)equations;
  int nq = equations->nq;
  if (self->cut_count > 0 && has_old_matrix(self, t, begin, branches)) {
    memcpy(change, q, (size_t)nq * sizeof(double));
    memcpy(change + nq, qd, (size_t)nq * sizeof(double));
    normalize_all(self->tree, q);
    if (close_gaps(self, t, q, qd, branches, tolerance)) {
      hn_status status = close_rates(self, q, qd, branches);
      for (int i = 0; i < nq; i++) {
        change[i] = q[i] - change[i];
        change[nq + i] = qd[i] - change[nq + i];
      }
      return status;
    }
    memcpy(q, change, (size_t)nq * sizeof(double));
  }
  hn_status status = hn_relative_project_positions(equations, t, q, branches, tolerance, change);
  if (status != HN_OK) return status;
  return hn_relative_project_velocities(equations, t, q, qd, branches, change + nq);
}
