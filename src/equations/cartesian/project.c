// Projections in Cartesian coordinates (cartesian.h): the smallest changes in the metric of M,
//
//   [ M  J' ] [ dx ]   [ 0           ]      r += dr,  p <- (p + E' dpi / 2) / |.|  until phi vanishes;
//   [ J  0  ] [ y  ] = [ -phi, -rate ]      v += dv,  w += dw                      once
#include <math.h>
#include <string.h>

#include "equations/cartesian/cartesian.h"
#include "equations/cartesian/problem.h"

void hn_cartesian_normalize(const hn_equations *equations, double *q) {
  for (int b = 1; b < equations->model->body_count; b++)
    quat_store(&q[7 * (b - 1) + 3], quat_unit(quat_load(&q[7 * (b - 1) + 3])));
}

void hn_cartesian_move(const hn_equations *equations, const double *x, double *q) {
  for (int b = 1; b < equations->model->body_count; b++) {
    double *qb = &q[7 * (b - 1)];
    const double *xb = &x[6 * (b - 1)];
    hn_quat p = quat_load(qb + 3);
    hn_quat dp = quat_scale(0.5, euler_e_transposed(p, vec3_load(xb + 3)));
    for (int i = 0; i < 3; i++) qb[i] += xb[i];
    quat_store(qb + 3, quat_unit(quat_add(p, dp)));
  }
}

void hn_cartesian_add_speeds(const hn_equations *equations, const double *q, const double *x,
                             double *qd, double *correction) {
  memcpy(correction, qd, (size_t)equations->nq * sizeof(double));
  for (int b = 0; b < equations->model->body_count - 1; b++) {
    hn_frame f;
    hn_cartesian_frame(&q[7 * b], &qd[7 * b], &f);
    for (int i = 0; i < 3; i++) qd[7 * b + i] += x[6 * b + i];
    hn_vec3 w = vec3_add(f.w, vec3_load(&x[6 * b + 3]));
    quat_store(&qd[7 * b + 3], quat_scale(0.5, euler_e_transposed(f.p, w)));
  }
  for (int i = 0; i < equations->nq; i++) correction[i] = qd[i] - correction[i];
}

// Reuses the arrays of constraints, no longer needed, for solutions of projections.
static void use_room(hn_cartesian_set *self) {
  self->x = self->step;
  self->y = self->rows->value;
}

enum { POSITION_ITERATIONS = 10 };

// Newton's method down to rounding level: near a singular configuration the residual of Phi is divided
// by a small number, so a little less is much better. Regularized constraints need not converge.
hn_status hn_cartesian_project_positions(hn_equations *equations, double t, double *q,
                                         const hn_branches *branches, double tolerance,
                                         double *correction) {
  hn_cartesian_set *self = (hn_cartesian_set *)equations;
  int rows = equations->elements->row_count;
  use_room(self);
  memcpy(correction, q, (size_t)equations->nq * sizeof(double));
  memset(self->b, 0, (size_t)equations->nu * sizeof(double));
  hn_cartesian_normalize(equations, q);
  double gap = HUGE_VAL, before = HUGE_VAL;
  hn_solver_report report;
  for (int k = 0; k < POSITION_ITERATIONS; k++) {
    hn_cartesian_frames(equations, q, q, self->frames); // velocities are not used
    hn_cartesian_evaluate_rows(&self->base, t, self->frames, branches);
    gap = hn_largest(self->rows->value, rows);
    if (gap <= HN_GAP_CLOSED * tolerance || !(gap <= HN_GAP_STAYS * before)) break;
    before = gap;
    for (int r = 0; r < rows; r++) self->rows->tau[r] = -self->rows->value[r]; // in its place
    hn_cartesian_mass(equations->model, self->held, self->frames, self->m_values);
    if (hn_cartesian_factor(self, q, HN_ROWS_ALL) != HN_OK) break;
    if (hn_cartesian_solve(self, &report) != HN_OK) break;
    hn_cartesian_move(equations, self->x, q);
  }
  for (int i = 0; i < equations->nq; i++) correction[i] = q[i] - correction[i];
  return gap <= tolerance ? HN_OK : HN_RETRY_CONVERGENCE;
}

hn_status hn_cartesian_project_velocities(hn_equations *equations, double t, const double *q,
                                          double *qd, const hn_branches *branches,
                                          double *correction) {
  return hn_cartesian_push(equations, t, q, qd, NULL, branches, correction);
}

hn_status hn_cartesian_push(hn_equations *equations, double t, const double *q, double *qd,
                            const double *impulse, const hn_branches *branches,
                            double *correction) {
  hn_cartesian_set *self = (hn_cartesian_set *)equations;
  int rows = equations->elements->row_count;
  hn_solver_report report;
  use_room(self);
  for (int i = 0; i < equations->nu; i++) self->b[i] = impulse ? impulse[i] : 0;
  hn_cartesian_frames(equations, q, qd, self->frames);
  hn_cartesian_evaluate_rows(&self->base, t, self->frames, branches);
  for (int r = 0; r < rows; r++) self->rows->tau[r] = -self->rows->rate[r]; // in its place
  hn_cartesian_mass(equations->model, self->held, self->frames, self->m_values);
  hn_status status = hn_cartesian_factor(self, q, HN_ROWS_ALL);
  if (status == HN_OK) status = hn_cartesian_solve(self, &report);
  if (status != HN_OK) return HN_RETRY_CONVERGENCE;
  hn_cartesian_add_speeds(equations, q, self->x, qd, correction);
  return HN_OK;
}
