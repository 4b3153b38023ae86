// Keeping closed contacts closed (rigid.h): least change in the metric of M that keeps the joints.
#include <math.h>
#include <string.h>

#include "equations/rigid/rigid.h"
#include "linalg/rank.h"

enum { ITERATIONS = 8 };

// p of least norm with W p = right, for all active constraints. rank: pivots below it count as 0.
static void solve_all(hn_rigid *self, const double *right, double rank) {
  hn_friction_problem *f = &self->problem;
  memcpy(f->jacobian, f->w, (size_t)f->rows * (size_t)f->rows * sizeof(double));
  memcpy(f->right, right, (size_t)f->rows * sizeof(double));
  hn_least_norm(f->jacobian, f->rows, f->rows, rank, f->right, self->p, f->order, f->work, NULL);
}

static double fill_gaps(hn_rigid *self) {
  double most = 0;
  for (int r = 0; r < self->problem.rows; r++) {
    self->problem.q[r] = -self->row[r].value;
    most = fmax(most, fabs(self->row[r].value));
  }
  return most;
}

// Closes the gaps of all points that hold, as far as they can be; *left: the largest that stays.
static hn_status close_gaps(hn_equations *e, double t, double *q, const hn_branches *branches,
                            double tolerance, double rank, double *correction, double *left) {
  hn_rigid *self = hn_rigid_of(e);
  double before = HUGE_VAL;
  hn_status status = HN_OK;
  for (int k = 0; k < ITERATIONS && status == HN_OK; k++) {
    status = self->set->project_positions(e, t, q, branches, tolerance, correction);
    if (status != HN_OK) break;
    hn_rigid_frames(e, q, q); // velocities are not used
    status = hn_rigid_take(e, self->frames, branches->grips, HN_RIGID_HOLDING);
    if (status != HN_OK) break;
    *left = fill_gaps(self);
    if (*left <= 0.01 * tolerance || !(*left <= 0.5 * before)) break;
    before = *left;
    status = hn_rigid_factor(e, t, q, q, branches);
    if (status == HN_OK) status = hn_rigid_respond(e);
    if (status != HN_OK) break;
    solve_all(self, self->problem.q, rank);
    memset(self->moved, 0, (size_t)e->nu * sizeof(double));
    hn_rigid_add(e, self->p, self->moved);
    self->set->responses->move(e, self->moved, q);
  }
  return status;
}

// Dependent or nearly dependent points can be closed together only up to the differences between
// contact points: that residual remains.
hn_status hn_rigid_project_positions(hn_equations *e, double t, double *q,
                                     const hn_branches *branches, double tolerance,
                                     double *correction) {
  hn_rigid *self = hn_rigid_of(e);
  if (!branches->grips || branches->grips->closed == 0)
    return self->set->project_positions(e, t, q, branches, tolerance, correction);
  static const double ranks[] = {HN_RANK_SOLVED, HN_RANK_DEPENDENT_SQUARE};
  const double enough = fmax(tolerance, HN_RIGID_GAP);
  double left = HUGE_VAL;
  hn_status status = HN_OK;
  memcpy(self->spare, q, (size_t)e->nq * sizeof(double));
  for (int k = 0; k < 2 && status >= 0 && !(left <= enough); k++) {
    memcpy(q, self->spare, (size_t)e->nq * sizeof(double));
    left = HUGE_VAL;
    status = close_gaps(e, t, q, branches, tolerance, ranks[k], correction, &left);
  }
  for (int i = 0; i < e->nq; i++) correction[i] = q[i] - self->spare[i];
  if (status < 0) return status;
  return status == HN_OK && left <= enough ? HN_OK : HN_RETRY_CONVERGENCE;
}

// Velocities satisfy the joints; those at closed points follow.
static hn_status hold_points(hn_equations *e, double t, const double *q, double *qd,
                             const hn_branches *branches, double *correction) {
  hn_rigid *self = hn_rigid_of(e);
  if (!branches->grips || branches->grips->closed == 0) return HN_OK;
  hn_friction_problem *f = &self->problem;
  hn_rigid_frames(e, q, qd);
  if (hn_rigid_take(e, self->frames, branches->grips, HN_RIGID_CLOSED) != HN_OK ||
      hn_rigid_factor(e, t, q, qd, branches) != HN_OK || hn_rigid_respond(e) != HN_OK)
    return HN_RETRY_CONVERGENCE;
  for (int r = 0; r < f->rows; r++) f->q[r] = self->row[r].speed;
  for (int k = 0; k < f->parts; k++) // those that slide are free along their tangents
    if (f->part[k].law == HN_FRICTION_SLIDING)
      f->part[k].mu = 0;
    else if (f->part[k].law == HN_FRICTION_DRAGGED)
      f->part[k].limit = 0;
  hn_friction_solve_grips(f, self->grips, self->p, NULL);
  e->type->coordinates->speeds(e, q, qd, self->speeds);
  hn_rigid_add(e, self->p, self->speeds);
  memcpy(self->spare, qd, (size_t)e->nq * sizeof(double));
  e->type->coordinates->rates(e, q, self->speeds, qd);
  for (int i = 0; i < e->nq; i++) correction[i] += qd[i] - self->spare[i];
  return HN_OK;
}

hn_status hn_rigid_project_velocities(hn_equations *e, double t, const double *q, double *qd,
                                      const hn_branches *branches, double *correction) {
  const hn_equations_type *set = hn_rigid_of(e)->set;
  hn_status status = set->project_velocities(e, t, q, qd, branches, correction);
  return status == HN_OK ? hold_points(e, t, q, qd, branches, correction) : status;
}

hn_status hn_rigid_jump(hn_equations *e, double t, const double *q, double *qd,
                        const hn_branches *branches, double *correction) {
  const hn_equations_type *set = hn_rigid_of(e)->set;
  hn_status status = set->jump ? set->jump(e, t, q, qd, branches, correction)
                               : set->project_velocities(e, t, q, qd, branches, correction);
  return status == HN_OK ? hold_points(e, t, q, qd, branches, correction) : status;
}
