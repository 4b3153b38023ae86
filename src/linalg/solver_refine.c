// Solution by refinement, the same for every solver: with z = (x / d, y / r), f = (d b, r c)
//
//   z = P^-1 f,   then   z += P^-1 (f - K z)   until the residual is at rounding level,
//
// HN_SOFT_SWEEPS applications of P^-1 at most, so that a direction of singular value s keeps the share
// (epsilon / (s^2 + epsilon))^HN_SOFT_SWEEPS of its residual (saddle.h).
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/block.h"
#include "linalg/solver_system.h"

// ---- residual -----------------------------------------------------------------------------------

// residual = f - M x, and in bound the sizes of the terms.
HN_INLINE void body_residuals(const hn_system *s, int with_bounds) {
  for (int b = 0; b < s->bodies; b++) {
    const double *m = &s->m[9 * b], *f = &s->f[6 * b], *z = &s->z[6 * b];
    double *r = &s->residual[6 * b], *bound = &s->bound[6 * b];
    const double w0 = m[3] * z[3], w1 = m[4] * z[4], w2 = m[6] * z[5];
    const double w3 = m[4] * z[3], w4 = m[5] * z[4], w5 = m[7] * z[5];
    const double w6 = m[6] * z[3], w7 = m[7] * z[4], w8 = m[8] * z[5];
    for (int i = 0; i < 3; i++) r[i] = f[i] - m[i] * z[i];
    r[3] = f[3] - (w0 + w1 + w2);
    r[4] = f[4] - (w3 + w4 + w5);
    r[5] = f[5] - (w6 + w7 + w8);
    if (!with_bounds) continue;
    for (int i = 0; i < 3; i++) bound[i] = fabs(f[i]) + fabs(m[i] * z[i]);
    bound[3] = fabs(f[3]) + (fabs(w0) + fabs(w1) + fabs(w2));
    bound[4] = fabs(f[4]) + (fabs(w3) + fabs(w4) + fabs(w5));
    bound[5] = fabs(f[5]) + (fabs(w6) + fabs(w7) + fabs(w8));
  }
}

// sum -= J x of one panel, and the sizes of the terms into bound.
HN_INLINE void panel_rows(int wide, int pad, const double *jt, const double *x, int with_bounds,
                          hn_lanes *sum, hn_lanes *bound) {
  hn_lanes row;
  HN_UNROLL for (int c = 0; c < 6; c++) {
    lanes_load(wide, pad, &row, jt + c * pad);
    lanes_subtract(wide, pad, sum, x[c], &row);
    if (with_bounds) lanes_add_size(wide, pad, bound, x[c], &row);
  }
}

// rest -= J' y of one panel.
HN_INLINE void panel_columns(int wide, int pad, const double *jt, const hn_lanes *y,
                             int with_bounds, double *rest, double *bound) {
  hn_lanes row;
  HN_UNROLL for (int c = 0; c < 6; c++) {
    lanes_load(wide, pad, &row, jt + c * pad);
    lanes_multiply(wide, pad, &row, &row, y);
    rest[c] -= lanes_sum(pad, &row);
    if (!with_bounds) continue;
    lanes_size(wide, pad, &row);
    bound[c] += lanes_sum(pad, &row);
  }
}

// The panels of node k: residual_y = f - J x, residual_x -= J' y.
HN_INLINE void node_residual(int wide, int pad, const hn_system *s, int k, int with_bounds) {
  const int at = s->x_size + s->y_at[k];
  hn_lanes y, sum, bound;
  lanes_load(wide, pad, &y, &s->z[at]);
  lanes_load(wide, pad, &sum, &s->f[at]);
  bound = sum;
  if (with_bounds) lanes_size(wide, pad, &bound);
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    const double *jt = &s->jt[s->panel_at[p]];
    const int b = 6 * s->panel_body[p];
    panel_rows(wide, pad, jt, &s->z[b], with_bounds, &sum, &bound);
    panel_columns(wide, pad, jt, &y, with_bounds, &s->residual[b], &s->bound[b]);
  }
  lanes_store(wide, pad, &sum, &s->residual[at]);
  if (with_bounds) lanes_store(wide, pad, &bound, &s->bound[at]);
}

HN_INLINE void find_residual(int wide, const hn_system *s) {
  body_residuals(s, 0);
  for (int k = 0; k < s->nodes; k++) HN_BY_PAD(wide, s->node_pad[k], node_residual, s, k, 0)
}

HN_INLINE void find_residual_and_bounds(int wide, const hn_system *s) {
  body_residuals(s, 1);
  for (int k = 0; k < s->nodes; k++) HN_BY_PAD(wide, s->node_pad[k], node_residual, s, k, 1)
}

HN_VARIANTS(find_residual, (const hn_system *s), (s))
HN_VARIANTS(find_residual_and_bounds, (const hn_system *s), (s))

// ---- products -----------------------------------------------------------------------------------

HN_INLINE void node_add_rows(int wide, int pad, const hn_system *s, int k, const double *x,
                             double *y) {
  hn_lanes sum, row;
  lanes_load(wide, pad, &sum, y + s->y_at[k]);
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    const double *jt = &s->jt[s->panel_at[p]], *xb = &x[6 * s->panel_body[p]];
    HN_UNROLL for (int c = 0; c < 6; c++) {
      lanes_load(wide, pad, &row, jt + c * pad);
      lanes_add(wide, pad, &sum, xb[c], &row);
    }
  }
  lanes_store(wide, pad, &sum, y + s->y_at[k]);
}

HN_INLINE void add_rows(int wide, const hn_system *s, const double *x, double *y) {
  for (int k = 0; k < s->nodes; k++) HN_BY_PAD(wide, s->node_pad[k], node_add_rows, s, k, x, y)
}

HN_INLINE void node_subtract_columns(int wide, int pad, const hn_system *s, int k,
                                     const double *y, double *x) {
  hn_lanes from;
  lanes_load(wide, pad, &from, y + s->y_at[k]);
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++)
    panel_columns(wide, pad, &s->jt[s->panel_at[p]], &from, 0, &x[6 * s->panel_body[p]], NULL);
}

HN_INLINE void subtract_columns(int wide, const hn_system *s, const double *y, double *x) {
  for (int k = 0; k < s->nodes; k++)
    HN_BY_PAD(wide, s->node_pad[k], node_subtract_columns, s, k, y, x)
}

HN_VARIANTS(add_rows, (const hn_system *s, const double *x, double *y), (s, x, y))
HN_VARIANTS(subtract_columns, (const hn_system *s, const double *y, double *x), (s, y, x))

void hn_system_add_rows(const hn_system *s, const double *x, double *y) {
  HN_PICK(s->wide, add_rows)(s, x, y);
}

void hn_system_subtract_columns(const hn_system *s, const double *y, double *x) {
  HN_PICK(s->wide, subtract_columns)(s, y, x);
}

// ---- refinement ---------------------------------------------------------------------------------

static double largest(const double *x, int count) {
  double most[4] = {DBL_MIN, DBL_MIN, DBL_MIN, DBL_MIN};
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int l = 0; l < 4; l++) most[l] = x[i + l] > most[l] ? x[i + l] : most[l];
  for (; i < count; i++) most[0] = x[i] > most[0] ? x[i] : most[0];
  for (int l = 1; l < 4; l++) most[0] = most[l] > most[0] ? most[l] : most[0];
  return most[0];
}

static int all_within(const double *residual, const double *bound, int count, double most) {
  int outside = 0;
  for (int i = 0; i < count; i++) {
    const double r = fabs(residual[i]);
    outside |= !(r <= 2e-15 * most) | !(r <= 1e-13 * bound[i] + 1e-17 * most);
  }
  return !outside;
}

// Rounding level, as in saddle.c: against the largest term of its block, and (looser) against each
// row's own terms, so that light bodies beside heavy ones are right too.
static int is_exact(const hn_system *s) {
  return all_within(s->residual, s->bound, s->x_size, s->level[0]) &&
         all_within(s->residual + s->x_size, s->bound + s->x_size, s->size - s->x_size,
                    s->level[1]);
}

static void load_right_side(hn_system *s, const double *b, const double *c) {
  for (int i = 0; i < s->x_size; i++) s->f[i] = b[i] * s->d[i];
  for (int r = 0; r < s->rows; r++) s->f[s->x_size + s->row_y[r]] = c[r] * s->r[s->row_y[r]];
}

static void fill_report(const hn_system *s, int refinements, hn_solver_report *report) {
  *report = (hn_solver_report){.refinements = refinements, .worst_row = -1};
  for (int i = 0; i < s->x_size; i++)
    if (fabs(s->residual[i]) > report->residual_x) report->residual_x = fabs(s->residual[i]);
  report->residual_x /= s->level[0];
  for (int r = 0; r < s->rows; r++) {
    double residual = fabs(s->residual[s->x_size + s->row_y[r]]);
    if (report->worst_row >= 0 && residual <= report->residual_y) continue;
    report->residual_y = residual;
    report->worst_row = r;
  }
}

hn_status hn_system_solve(hn_system *s, hn_system_inverse *inverse, void *solver, const double *b,
                          const double *c, double *x, double *y, hn_solver_report *report) {
  const size_t bytes = (size_t)s->size * sizeof(double);
  int refinements = 0;
  load_right_side(s, b, c);
  memcpy(s->z, s->f, bytes);
  inverse(solver, s->z);
  HN_PICK(s->wide, find_residual_and_bounds)(s);
  s->level[0] = largest(s->bound, s->x_size);
  s->level[1] = largest(s->bound + s->x_size, s->size - s->x_size);
  for (; refinements < HN_SOFT_SWEEPS - 1 && !is_exact(s); refinements++) {
    memcpy(s->step, s->residual, bytes);
    inverse(solver, s->step);
    for (int i = 0; i < s->size; i++) s->z[i] += s->step[i];
    HN_PICK(s->wide, find_residual)(s);
  }
  if (report) fill_report(s, refinements, report);
  double sum = 0;
  for (int i = 0; i < s->size; i++) sum += fabs(s->z[i]) + fabs(s->residual[i]);
  for (int i = 0; i < s->x_size; i++) x[i] = s->z[i] * s->d[i];
  for (int r = 0; r < s->rows; r++) y[r] = s->z[s->x_size + s->row_y[r]] * s->r[s->row_y[r]];
  return sum <= DBL_MAX ? HN_OK : HN_ERROR_NOT_FINITE;
}
