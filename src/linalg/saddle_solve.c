// Solutions of the system of saddle_private.h, from its factors. Refinement
//
//   w = P^-1 (f - K z),  z += w          contracts by rho and by epsilon / (s^2 + epsilon)
//
// for a singular value s of R J D; where that is slow (few directions, near singular
// configurations) the step is orthogonalized against the images of the last ones and its length is
// fitted (generalized conjugate residuals). Multipliers of redundant rows: P (., v) = (0, epsilon
// y) gives v = -(the part of y in the null space of J'), which is taken out at the end.
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/saddle_private.h"

enum { SWEEPS = 8, SWEEPS_ON = 24 };
// So many times the rounding level are more than errors of numbers.
#define FAR_ABOVE 50

// ---- residuals ----------------------------------------------------------------------------------

// r = f - K z
static void find_residual(const hn_saddle *self, const double *z, double *restrict r) {
  memcpy(r, self->f, (size_t)self->size * sizeof(double));
  for (int j = 0; j < self->size; j++) {
    if (self->released[j]) continue; // all zero
    const double zj = z[j];
    double sum = r[j];
    for (int k = self->start[j]; k < self->diagonal[j]; k++) {
      const int i = self->index[k];
      sum -= self->values[k] * z[i];
      r[i] -= self->values[k] * zj;
    }
    r[j] = sum - self->values[self->diagonal[j]] * zj;
  }
}

// The residual at z with the sizes of the terms of each row, and the largest of the rows of M and of
// the rows of J: residuals of the two are judged apart, because multipliers may be large (near singular
// positions) where accelerations are not.
static void find_levels(hn_saddle *self) {
  double *restrict bound = self->bound, *restrict r = self->residual;
  const double *z = self->z, *f = self->f;
  const size_t size = (size_t)self->size;
  memcpy(r, f, size * sizeof(double));
  for (size_t j = 0; j < size; j++) bound[j] = fabs(f[j]);
  for (int j = 0; j < self->size; j++) {
    if (self->released[j]) continue;
    const double zj = z[j], own = self->values[self->diagonal[j]] * zj;
    double sum = r[j], terms = bound[j];
    for (int k = self->start[j]; k < self->diagonal[j]; k++) {
      const int i = self->index[k];
      const double by_row = self->values[k] * z[i], by_column = self->values[k] * zj;
      sum -= by_row;
      terms += fabs(by_row);
      r[i] -= by_column;
      bound[i] += fabs(by_column);
    }
    r[j] = sum - own;
    bound[j] = terms + fabs(own);
  }
  self->level[0] = self->level[1] = 0;
  for (int i = 0; i < self->size; i++)
    if (bound[i] > self->level[i >= self->n]) self->level[i >= self->n] = bound[i];
  for (int k = 0; k < 2; k++) // nothing there: any number will do
    if (!(self->level[k] > 1e-150)) self->level[k] = 1;
}

// Rounding level: against the largest term of its block, and (looser) against each row's own terms,
// so that light bodies next to heavy ones are accurate too.
static int is_exact(const hn_saddle *self, const double *residual) {
  for (int i = 0; i < self->size; i++) {
    double r = fabs(residual[i]), most = self->level[i >= self->n];
    if (!(r <= self->slack * 2e-15 * most &&
          r <= self->slack * (1e-13 * self->bound[i] + 1e-17 * most)))
      return 0;
  }
  return 1;
}

// Inner product of residuals, each block against its level.
static double product(const hn_saddle *self, const double *a, const double *b) {
  double x = 0, y = 0;
  for (int i = 0; i < self->n; i++) x += a[i] * b[i];
  for (int i = self->n; i < self->size; i++) y += a[i] * b[i];
  return x / (self->level[0] * self->level[0]) + y / (self->level[1] * self->level[1]);
}

static void swap(double **a, double **b) {
  double *keep = *a;
  *a = *b;
  *b = keep;
}

// ---- refinement ---------------------------------------------------------------------------------

// Unknowns that an iteration may change and rows that it checks.
typedef enum scope { BOTH, MULTIPLIERS, UNFILTERED } scope;

// Whether the filter of soft rows is at work in row i of K: what it leaves is meant to stay.
static int is_filtered(const hn_saddle *self, int i) {
  return i >= self->n && self->soft[i - self->n] && self->epsilon[i - self->n] > 0;
}

static void mask_filtered(const hn_saddle *self, double *residual) {
  for (int i = self->n; i < self->size; i++)
    if (is_filtered(self, i)) residual[i] = 0;
}

// The residual at `trial` into trial_residual; for multipliers alone the rows of M count.
static double try_residual(hn_saddle *self, scope what) {
  find_residual(self, self->trial, self->trial_residual);
  if (what == MULTIPLIERS)
    memset(self->trial_residual + self->n, 0, (size_t)self->m * sizeof(double));
  else if (what == UNFILTERED)
    mask_filtered(self, self->trial_residual);
  return product(self, self->trial_residual, self->trial_residual);
}

// The step made orthogonal (in its image) to the last ones, with the length that leaves the
// smallest residual. 0 when its image is so small that following it would amplify errors by more
// than 1e4.
static int fit_step(hn_saddle *self, double residual_norm) {
  int size = self->size, at = self->direction_next;
  double *restrict step = self->step, *restrict image = self->spare;
  for (int k = 0; k < self->direction_count; k++) {
    double part = product(self, image, self->image[k]) / self->image_norm[k];
    for (int i = 0; i < size; i++) {
      image[i] -= part * self->image[k][i];
      step[i] -= part * self->direction[k][i];
    }
  }
  double norm = product(self, image, image);
  if (!(norm > 1e-8 * residual_norm)) return 0;
  double length = product(self, self->residual, image) / norm;
  for (int i = 0; i < size; i++) self->trial[i] = self->z[i] + length * step[i];
  self->direction_next = (at + 1) % HN_SADDLE_DIRECTIONS;
  if (self->direction_count < HN_SADDLE_DIRECTIONS) self->direction_count++;
  swap(&self->direction[at], &self->step);
  swap(&self->image[at], &self->spare);
  self->image_norm[at] = norm;
  return 1;
}

// One sweep: the plain step, or where that falls by less than 1e4 the fitted one if it is better.
// 0 when there is nothing more to gain.
static int refine(hn_saddle *self, scope what) {
  int size = self->size;
  memcpy(self->step, self->residual, (size_t)size * sizeof(double));
  hn_factors_solve(self->factors, NULL, self->step);
  if (what == MULTIPLIERS) memset(self->step, 0, (size_t)self->n * sizeof(double));
  for (int i = 0; i < size; i++) self->trial[i] = self->z[i] + self->step[i];
  double before = product(self, self->residual, self->residual);
  double after = try_residual(self, what);
  int more = !is_exact(self, self->trial_residual);
  if (more && after > 1e-8 * before) {
    for (int i = 0; i < size; i++) self->spare[i] = self->residual[i] - self->trial_residual[i];
    memcpy(self->plain, self->trial, (size_t)size * sizeof(double));
    if (fit_step(self, before)) {
      double fitted = try_residual(self, what);
      if (!(fitted < after)) {
        swap(&self->trial, &self->plain);
        try_residual(self, what);
      } else {
        after = fitted;
      }
    }
    more = after <= 0.9 * before && !is_exact(self, self->trial_residual);
  }
  if (!(after <= before)) return 0;
  swap(&self->z, &self->trial);
  swap(&self->residual, &self->trial_residual);
  return more;
}

// One sweep of plain refinement: the filter of soft rows must stay what hn_saddle_soften says.
static int refine_softly(hn_saddle *self) {
  memcpy(self->step, self->residual, (size_t)self->size * sizeof(double));
  hn_factors_solve(self->factors, NULL, self->step);
  for (int i = 0; i < self->size; i++) self->z[i] += self->step[i];
  find_residual(self, self->z, self->residual);
  return !is_exact(self, self->residual);
}

// Multipliers of least norm: y loses its part in the null space of J', then what that did to weak
// but not null directions is repaired by steps that stay in the range of J.
static void clean_multipliers(hn_saddle *self) {
  int n = self->n, size = self->size;
  for (int pass = 0; pass < 2; pass++) { // the small pivots are known to few digits
    memset(self->step, 0, (size_t)n * sizeof(double));
    for (int i = n; i < size; i++) self->step[i] = HN_SADDLE_EPSILON * self->z[i];
    hn_factors_solve(self->factors, NULL, self->step);
    for (int i = n; i < size; i++) self->z[i] += self->step[i];
  }
  find_levels(self);
  memset(self->residual + n, 0, (size_t)self->m * sizeof(double));
  self->direction_count = self->direction_next = 0;
  for (int k = 0; k < SWEEPS && !is_exact(self, self->residual); k++)
    if (!refine(self, MULTIPLIERS)) break;
}

// Directions with inertia small against rho, as in a chain of hinges near gimbal lock, fall too
// slowly for plain sweeps: the residual of rows without filter is reduced by fitted ones. The
// filter does not change: such steps move soft rows by epsilon times a force as small as that
// residual. Returns how many there were.
static int refine_on(hn_saddle *self) {
  const double slack = self->slack;
  int sweeps = 0;
  find_levels(self);
  mask_filtered(self, self->residual);
  self->direction_count = self->direction_next = 0;
  self->slack = 1; // a residual small against the largest term is not small in such a direction
  for (int more = 1; more && sweeps < SWEEPS_ON; sweeps++) more = refine(self, UNFILTERED);
  self->slack = slack;
  find_levels(self);
  return sweeps;
}

// Whether the residual of rows without filter exceeds rounding noise.
static int is_left(const hn_saddle *self) {
  for (int i = 0; i < self->size; i++)
    if (!is_filtered(self, i) &&
        !(fabs(self->residual[i]) <= FAR_ABOVE * 2e-15 * self->level[i >= self->n]))
      return 1;
  return 0;
}

// The same of soft sweeps, by the slack if that is larger; light bodies next to heavy ones are
// checked separately down to the rounding level of all. Without rho no direction is slow.
static int is_slow(const hn_saddle *self) {
  const double slack = self->slack > FAR_ABOVE ? self->slack : FAR_ABOVE;
  if (!self->is_soft || !(self->rho > 0)) return 0;
  for (int i = 0; i < self->size; i++) {
    const double r = fabs(self->residual[i]), most = self->level[i >= self->n];
    if (!(r <= 2e-15 * most) && !is_filtered(self, i) &&
        !(r <= slack * 2e-15 * most && r <= slack * (1e-13 * self->bound[i] + 1e-17 * most)))
      return 1;
  }
  return 0;
}

// ---- solutions ----------------------------------------------------------------------------------

static void fill_report(const hn_saddle *self, int refinements, hn_saddle_report *report) {
  double most = 0;
  *report = (hn_saddle_report){.refinements = refinements, .worst_row = -1};
  for (int i = 0; i < self->n; i++) {
    if (self->bound[i] > most) most = self->bound[i];
    if (fabs(self->residual[i]) > report->residual_x) report->residual_x = fabs(self->residual[i]);
  }
  if (most > 0) report->residual_x /= most;
  for (int r = 0; r < self->m; r++) {
    double residual = fabs(self->residual[self->n + r]);
    if (report->worst_row >= 0 && residual <= report->residual_y) continue;
    report->residual_y = residual;
    report->worst_row = r;
  }
}

hn_status hn_saddle_solve(hn_saddle *self, const double *b, const double *c, double *x, double *y,
                          hn_saddle_report *report) {
  int n = self->n, size = self->size, refinements = 0;
  for (int i = 0; i < n; i++) self->f[i] = b[i] * self->scale[i];
  for (int i = n; i < size; i++) self->f[i] = c[i - n] * self->scale[i];
  memcpy(self->z, self->f, (size_t)size * sizeof(double));
  hn_factors_solve(self->factors, NULL, self->z);
  find_levels(self);
  self->direction_count = self->direction_next = 0;
  int sweeps = self->is_soft ? HN_SOFT_SWEEPS - 1 : SWEEPS;
  for (int more = !is_exact(self, self->residual); more && refinements < sweeps; refinements++)
    more = self->is_soft ? refine_softly(self) : refine(self, BOTH);
  const int goes_on = is_slow(self);
  if (goes_on) refinements += refine_on(self);
  if (self->has_null) {
    clean_multipliers(self);
    find_residual(self, self->z, self->residual);
  }
  if (report) {
    fill_report(self, refinements, report);
    report->is_stalled = goes_on && is_left(self);
  }
  double sum = 0;
  for (int i = 0; i < size; i++) sum += fabs(self->z[i]) + fabs(self->residual[i]);
  for (int i = 0; i < n; i++) x[i] = self->z[i] * self->scale[i];
  for (int i = n; i < size; i++) y[i - n] = self->z[i] * self->scale[i];
  return sum <= DBL_MAX ? HN_OK : HN_ERROR_NOT_FINITE;
}

hn_status hn_saddle_solve_once(hn_saddle *self, const double *b, const double *c, double *x,
                               double *y) {
  int n = self->n, size = self->size;
  double sum = 0;
  for (int i = 0; i < n; i++) self->z[i] = b[i] * self->scale[i];
  for (int i = n; i < size; i++) self->z[i] = c[i - n] * self->scale[i];
  hn_factors_solve(self->factors, NULL, self->z);
  for (int i = 0; i < size; i++) sum += fabs(self->z[i]);
  for (int i = 0; i < n; i++) x[i] = self->z[i] * self->scale[i];
  for (int i = n; i < size; i++) y[i - n] = self->z[i] * self->scale[i];
  return sum <= DBL_MAX ? HN_OK : HN_ERROR_NOT_FINITE;
}
