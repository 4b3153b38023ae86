// Constraints with conditions in Cartesian coordinates (equations/responses.h): speeds are the
// velocities of bodies, so rows need no carrying.
#include <string.h>

#include "equations/cartesian/cartesian.h"
#include "equations/cartesian/problem.h"
#include "equations/responses.h"

static hn_status cartesian_factor(hn_equations *e, double t, const double *q, const double *qd,
                                  const hn_frame *frames, const hn_branches *branches) {
  hn_cartesian_set *self = (hn_cartesian_set *)e;
  hn_solver_report report;
  (void)qd;
  hn_cartesian_evaluate_rows(e, t, frames, branches);
  memset(self->b, 0, (size_t)e->nu * sizeof(double));
  memset(self->rows->tau, 0, (size_t)e->elements->row_count * sizeof(double));
  hn_cartesian_mass(e->model, self->held, frames, self->m_values);
  self->x = self->step; // a first solution goes with the factors
  self->y = self->rows->value;
  hn_status status = hn_cartesian_factor(self, q, HN_ROWS_ALL);
  return status == HN_OK ? hn_cartesian_solve(self, &report) : status;
}

static hn_status cartesian_respond(hn_equations *e, const hn_touch_row *row, const double *g,
                                   double *x, double *y) {
  hn_cartesian_set *self = (hn_cartesian_set *)e;
  hn_solver_report report;
  (void)g;
  memset(self->rows->tau, 0, (size_t)e->elements->row_count * sizeof(double));
  memset(self->b, 0, (size_t)e->nu * sizeof(double));
  for (int side = 0; side < 2; side++)
    for (int i = 0; row->body[side] != HN_GROUND && i < 6; i++)
      self->b[6 * (row->body[side] - 1) + i] += row->block[side][i];
  double *x_before = self->x, *y_before = self->y;
  self->x = x;
  self->y = y;
  hn_status status = hn_cartesian_solve(self, &report);
  self->x = x_before;
  self->y = y_before;
  return status;
}

static void cartesian_conclude(hn_equations *e, const double *q, const hn_branches *branches,
                               const hn_touch_row *row, const double *p, int rows, int is_stage,
                               hn_snapshot *s) {
  (void)q;
  (void)branches;
  (void)row;
  (void)p;
  (void)rows;
  (void)is_stage;
  for (int b = 1; b < e->model->body_count; b++) {
    const double *x = &s->ud[6 * (b - 1)];
    hn_cartesian_accelerate(&s->frames[b], x, &s->qdd[7 * (b - 1)]);
    s->acceleration[b] = vec3_load(x);
    s->angular_acceleration[b] = vec3_load(x + 3);
  }
}

const hn_response_type hn_cartesian_responses = {
    .evaluate_stage = hn_cartesian_evaluate_stage,
    .factor = cartesian_factor,
    .respond = cartesian_respond,
    .conclude = cartesian_conclude,
    .move = hn_cartesian_move,
    .forget = hn_cartesian_forget,
};
