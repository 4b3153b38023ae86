// Post-stabilization over the hierarchy of components. See nested.c for the equations.
#include <string.h>

#include "equations/cartesian/cartesian.h"
#include "equations/nested/private.h"

enum { SWEEPS = 10 };

// Rank: singular values that gaps of this size could have caused are released.
#define DRIFT_FACTOR 100
#define LEAST_TOLERANCE 1e-7
#define LARGEST_TOLERANCE 1e-2

void hn_nested_add_products(const hn_levels *levels, int first, int last, const double *x,
                            double *g) {
  const hn_cartesian_rows *rows = &levels->rows;
  for (int r = first; r < last; r++)
    for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++)
      for (int i = 0; i < 6 && rows->body[k] != HN_GROUND; i++)
        g[r - first] += rows->block[6 * k + i] * x[6 * (rows->body[k] - 1) + i];
}

static double tolerance_of(double gap) {
  return fmin(fmax(DRIFT_FACTOR * gap, LEAST_TOLERANCE), LARGEST_TOLERANCE);
}

hn_status hn_nested_project_positions(hn_equations *e, double t, double *q,
                                      const hn_branches *branches, double tolerance,
                                      double *correction) {
  hn_nested_data *self = hn_nested_of(e);
  memcpy(correction, q, (size_t)e->nq * sizeof(double));
  hn_cartesian_normalize(e, q);
  double gap = HUGE_VAL, before = HUGE_VAL;
  for (int k = 0; k < SWEEPS; k++) {
    e->type->coordinates->frames(e, q, q, self->base.frames); // velocities are not used
    hn_nested_evaluate_rows(e, t, self->base.frames, branches);
    double hidden = hn_nested_parts_gaps(self, t, q, q, branches, 0);
    gap = hn_largest(self->base.rows.value, self->base.row_count);
    if (!(hidden <= gap)) gap = hidden;
    if (gap <= HN_GAP_CLOSED * tolerance || !(gap <= HN_GAP_STAYS * before)) break;
    before = gap;
    hn_status status = hn_hierarchy_stabilize_factor(self->base.hierarchy, self->base.rows.block,
                                                     tolerance_of(gap));
    if (status == HN_OK)
      status = hn_hierarchy_stabilize(self->base.hierarchy, self->base.rows.value, self->base.x);
    if (status == HN_ERROR_INTERRUPTED) return status; // a process is lost
    if (status != HN_OK) break;
    hn_nested_parts_increments(self, 0, self->base.x);
    hn_cartesian_move(e, self->base.x, q);
  }
  for (int i = 0; i < e->nq; i++) correction[i] = q[i] - correction[i];
  return gap <= tolerance ? HN_OK : HN_RETRY_CONVERGENCE;
}

hn_status hn_nested_project_velocities(hn_equations *e, double t, const double *q, double *qd,
                                       const hn_branches *branches, double *correction) {
  hn_nested_data *self = hn_nested_of(e);
  e->type->coordinates->frames(e, q, qd, self->base.frames);
  hn_nested_evaluate_rows(e, t, self->base.frames, branches);
  hn_nested_parts_gaps(self, t, q, qd, branches, 1);
  memcpy(self->base.g, self->base.rows.rate, (size_t)self->base.row_count * sizeof(double));
  memset(self->base.b, 0, (size_t)e->nu * sizeof(double));
  hn_status status =
      hn_hierarchy_stabilize_factor(self->base.hierarchy, self->base.rows.block, LEAST_TOLERANCE);
  for (int sweep = 0; sweep < 2 && status == HN_OK; sweep++) {
    status = hn_hierarchy_stabilize(self->base.hierarchy, self->base.g, self->base.x);
    if (status != HN_OK) break;
    hn_nested_parts_increments(self, 1, self->base.x);
    for (int i = 0; i < e->nu; i++) self->base.b[i] += self->base.x[i];
    if (sweep == 0)
      hn_nested_add_products(&self->base, 0, self->base.row_count, self->base.x, self->base.g);
  }
  if (status == HN_ERROR_INTERRUPTED) return status;
  if (status != HN_OK) return HN_RETRY_CONVERGENCE;
  hn_cartesian_add_speeds(e, q, self->base.b, qd, correction);
  return HN_OK;
}

// Post-stabilization moves bodies alike, light ones as heavy ones: right for drift, not for an impact.
hn_status hn_nested_jump(hn_equations *e, double t, const double *q, double *qd,
                         const hn_branches *branches, double *correction) {
  hn_levels *d = &hn_nested_of(e)->base;
  hn_nested_take_rates(e, t, q, qd, branches, NULL);
  memset(correction, 0, (size_t)e->nu * sizeof(double)); // no loads
  hn_status status = hn_nested_impulses(e, q, correction, 1, d->x);
  if (status == HN_ERROR_INTERRUPTED) return status;
  if (status != HN_OK) return HN_RETRY_CONVERGENCE;
  hn_cartesian_add_speeds(e, q, d->x, qd, correction);
  return HN_OK;
}
