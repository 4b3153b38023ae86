// The scaled, regularized and refined saddle system of saddle.h. With D = diag(d), R = diag(r),
//
//   K = [ D M D   D J' R ]     P = K + diag(rho, -epsilon) = L D L'
//       [ R J D   0      ]
//
// scaled unknowns z = (x / d, y / r), right side f = (d b, r c). Refinement
//
//   w = P^-1 (f - K z),  z += w                     contracts by rho and by epsilon / (s^2 +
//   epsilon)
//
// for a singular value s of R J D; where that is slow (few directions, near singular positions) the
// step is orthogonalized against the images of the last ones and its length is fitted (generalized
// conjugate residuals). Multipliers of redundant rows: P (., v) = (0, epsilon y) gives v = -(the
// part of y in the null space of J'), which is taken out at the end. Not here: the order of
// elimination.
#include "linalg/saddle.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "linalg/fronts.h"
#include "linalg/ldl.h"
#include "linalg/saddle_order.h"

#define RHO 1e-8
#define EPSILON 1e-12
enum { SWEEPS = 8, DIRECTIONS = 3 };
// Multiply-adds and unknowns between which dense fronts are quicker than sparse columns.
enum { FRONTS_LEAST = 1000, FRONTS_MOST = 300 };

struct hn_saddle {
  int n, m, size;
  int *start, *index;      // upper triangle of K by columns: M, then the rows of J, diagonals last
  double *values;          // of K, scaled
  int *diagonal;           // where the diagonal entry of column i is (size)
  signed char *signs;      // of the pivots (size)
  double *scale;           // d, then r (size)
  unsigned char *released; // none for columns of M, then rows (size)
  double *epsilon;         // regularization of a row (m)
  unsigned char *soft;     // (m)
  const double *row_floor; // the caller's (m); null: none
  int is_soft;
  double rho;               // regularization of M
  double slack;             // residuals may be so many times the rounding level
  hn_ldl *whole;            // factors with all rows
  hn_ldl *part;             // without those last released; null until some are
  unsigned char *part_gone; // which those were (size)
  hn_ldl *ldl;              // the one in use
  hn_fronts *fronts;        // does the work of `whole` where that is quicker; else null
  int *above, *below;       // places of the values in them, and of their mirror images
  int has_null;             // some row was found dependent at the last factorization
  long factorizations;
  int replaced; // pivots of the last one

  // all of length size
  double *f, *z, *residual; // right side, solution, f - K z
  double *bound;            // sizes of the terms of each row
  double level[2];          // the largest of them in the rows of M, of J
  double *step, *trial, *trial_residual, *plain, *spare;
  double *direction[DIRECTIONS], *image[DIRECTIONS]; // the last steps and K times them
  double image_norm[DIRECTIONS];                     // squared
  int direction_count, direction_next;
};

// ---- set-up -------------------------------------------------------------------------------------

static int diagonals_are_last(const hn_saddle_pattern *p) {
  for (int j = 0; j < p->n; j++)
    if (p->m_column_start[j + 1] <= p->m_column_start[j] ||
        p->m_row_index[p->m_column_start[j + 1] - 1] != j)
      return 0;
  return 1;
}

static void make_pattern(hn_saddle *self, const hn_saddle_pattern *p) {
  int at = 0;
  for (int j = 0; j < p->n; j++) {
    self->start[j] = at;
    for (int k = p->m_column_start[j]; k < p->m_column_start[j + 1]; k++)
      self->index[at++] = p->m_row_index[k];
    self->diagonal[j] = at - 1;
    self->signs[j] = 1;
  }
  for (int r = 0; r < p->m; r++) {
    self->start[p->n + r] = at;
    for (int k = p->j_row_start[r]; k < p->j_row_start[r + 1]; k++)
      self->index[at++] = p->j_column_index[k];
    self->diagonal[p->n + r] = at;
    self->index[at++] = p->n + r;
    self->signs[p->n + r] = -1;
  }
  self->start[self->size] = at;
}

static hn_status order_and_factor(hn_arena *arena, hn_saddle *self, const hn_saddle_pattern *p) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  int *order = HN_TAKE(&scratch, int, self->size);
  hn_status status =
      order ? hn_saddle_order(&scratch, p, self->start, self->index, order) : HN_ERROR_MEMORY;
  if (status == HN_OK)
    status =
        hn_ldl_create_ordered(arena, self->size, self->start, self->index, order, &self->whole);
  hn_arena_release(&scratch);
  return status;
}

static hn_status make_fronts(hn_arena *arena, hn_saddle *self, const int *order) {
  if (self->size > FRONTS_MOST || hn_ldl_operations(self->whole) < FRONTS_LEAST) return HN_OK;
  hn_status status =
      hn_fronts_create(arena, self->size, self->start, self->index, order, &self->fronts);
  if (status != HN_OK || !self->fronts) return status;
  self->above = HN_TAKE(arena, int, self->start[self->size]);
  self->below = HN_TAKE(arena, int, self->start[self->size]);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < self->size; j++)
    for (int k = self->start[j]; k < self->start[j + 1]; k++) {
      self->above[k] = hn_fronts_place(self->fronts, self->index[k], j);
      self->below[k] = hn_fronts_place(self->fronts, j, self->index[k]);
    }
  return HN_OK;
}

hn_status hn_saddle_create(hn_arena *arena, const hn_saddle_pattern *p, hn_saddle **saddle) {
  return hn_saddle_create_ordered(arena, p, NULL, saddle);
}

hn_status hn_saddle_create_ordered(hn_arena *arena, const hn_saddle_pattern *p, const int *order,
                                   hn_saddle **saddle) {
  *saddle = NULL;
  if (!diagonals_are_last(p)) return HN_ERROR_ARGUMENT;
  hn_saddle *self = HN_TAKE(arena, hn_saddle, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->n = p->n;
  self->m = p->m;
  self->size = p->n + p->m;
  self->slack = 1;
  int entries = p->m_column_start[p->n] + p->j_row_start[p->m] + p->m;
  self->start = HN_TAKE(arena, int, self->size + 1);
  self->index = HN_TAKE(arena, int, entries);
  self->values = HN_TAKE(arena, double, entries);
  self->diagonal = HN_TAKE(arena, int, self->size);
  self->signs = HN_TAKE(arena, signed char, self->size);
  self->released = HN_TAKE(arena, unsigned char, self->size);
  self->epsilon = HN_TAKE(arena, double, p->m);
  self->soft = HN_TAKE(arena, unsigned char, p->m);
  double **vectors[] = {
      &self->scale, &self->f,     &self->z,     &self->residual, &self->bound,
      &self->step,  &self->trial, &self->plain, &self->spare,    &self->trial_residual};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(arena, double, self->size);
  for (int k = 0; k < DIRECTIONS; k++) {
    self->direction[k] = HN_TAKE(arena, double, self->size);
    self->image[k] = HN_TAKE(arena, double, self->size);
  }
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_saddle_soften(self, NULL, 0);
  self->rho = RHO;
  make_pattern(self, p);
  hn_status status = order ? hn_ldl_create_ordered(arena, self->size, self->start, self->index,
                                                   order, &self->whole)
                           : order_and_factor(arena, self, p);
  if (status != HN_OK) return status;
  self->ldl = self->whole;
  *saddle = self;
  return order ? make_fronts(arena, self, order) : HN_OK;
}

hn_status hn_saddle_make_releasable(hn_arena *arena, hn_saddle *self) {
  self->part_gone = HN_TAKE(arena, unsigned char, self->size);
  return arena->failed ? HN_ERROR_MEMORY : hn_ldl_create_part(arena, self->whole, &self->part);
}

void hn_saddle_release(hn_saddle *self, const unsigned char *released) {
  unsigned char *gone = self->released + self->n;
  int count = 0;
  for (int r = 0; r < self->m; r++) count += gone[r] = released && released[r];
  self->ldl = self->whole;
  if (count == 0 || !self->part) return;
  if (memcmp(self->part_gone, self->released, (size_t)self->size) != 0) {
    memcpy(self->part_gone, self->released, (size_t)self->size);
    hn_ldl_leave_out(self->part, self->whole, self->released);
  }
  self->ldl = self->part;
}

void hn_saddle_trust_mass(hn_saddle *self) { self->rho = 0; }

void hn_saddle_soften(hn_saddle *self, const unsigned char *soft, double epsilon) {
  self->is_soft = soft != NULL;
  for (int r = 0; r < self->m; r++) {
    self->soft[r] = soft && soft[r];
    self->epsilon[r] = self->soft[r] ? epsilon : EPSILON;
  }
}

void hn_saddle_set_slack(hn_saddle *self, double slack) { self->slack = slack; }

void hn_saddle_set_row_floor(hn_saddle *self, const double *floor) { self->row_floor = floor; }

// ---- scaling ------------------------------------------------------------------------------------

// The power of two next to x: scaling by it is exact. Read off the bits of a positive number that is
// neither very small nor very large.
static double power_of_two(double x) {
  const uint64_t whole = (uint64_t)0x7ff << 52, one = (uint64_t)1023 << 52;
  uint64_t bits, high;
  memcpy(&bits, &x, sizeof bits);
  high = bits >> 52;
  if (high > 0 && high < 2046) {
    uint64_t mantissa = (bits & ~whole) | one;
    double m;
    memcpy(&m, &mantissa, sizeof m);
    bits = (m > 2 * 0.70710678118654752 ? high + 1 : high) << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  int exponent;
  double fraction = frexp(x, &exponent);
  return ldexp(1, fraction > 0.70710678118654752 ? exponent : exponent - 1);
}

// Sum of (J d)^2 of row r over the columns that have a scale already (d > 0).
static double row_norm(const hn_saddle *self, int r, const double *j_values) {
  const int *columns = &self->index[self->start[self->n + r]];
  int count = self->diagonal[self->n + r] - self->start[self->n + r];
  double sum = 0;
  for (int k = 0; k < count; k++) {
    double entry = j_values[k] * self->scale[columns[k]];
    sum += entry * entry;
  }
  return sum;
}

// Columns with (almost) no mass of their own: rotations of point masses, the axis of a thin rod.
// They take the scale at which the rows that hold them see them as large as the other columns; one
// whose mass still counts there (within 1e6) keeps its own.
static void scale_light_columns(hn_saddle *self, const double *m_diagonal_of,
                                const double *j_values, double *wanted) {
  const double *j = j_values;
  for (int i = 0; i < self->n; i++) wanted[i] = 0;
  for (int r = 0; r < self->m; r++) {
    const int *columns = &self->index[self->start[self->n + r]];
    int count = self->diagonal[self->n + r] - self->start[self->n + r];
    double others = row_norm(self, r, j);
    for (int k = 0; k < count; k++) {
      if (self->scale[columns[k]] > 0) continue;
      double want = others > 0 ? j[k] * j[k] / others : j[k] * j[k];
      if (want > wanted[columns[k]]) wanted[columns[k]] = want;
    }
    j += count;
  }
  for (int i = 0; i < self->n; i++) {
    if (self->scale[i] > 0) continue;
    double by_rows = wanted[i] > 0 ? 1 / sqrt(wanted[i]) : 0;
    double by_mass = m_diagonal_of[i] > 0 ? 1 / sqrt(m_diagonal_of[i]) : 0;
    if (by_rows > 0 && (by_mass <= 0 || by_mass > 1e6 * by_rows))
      self->scale[i] = by_rows;
    else
      self->scale[i] = by_mass > 0 ? by_mass : 1;
  }
}

static void find_scales(hn_saddle *self, const double *m_values, const double *j_values) {
  double *diagonal = self->step, most = 0;
  int light = 0;
  for (int i = 0; i < self->n; i++) {
    diagonal[i] = m_values[self->diagonal[i]];
    if (diagonal[i] > most) most = diagonal[i];
  }
  for (int i = 0; i < self->n; i++) {
    int is_light = !(diagonal[i] > 1e-13 * most);
    light += is_light;
    self->scale[i] = is_light ? 0 : 1 / sqrt(diagonal[i]);
  }
  if (light > 0) scale_light_columns(self, diagonal, j_values, self->trial);
  for (int i = 0; i < self->n; i++) self->scale[i] = power_of_two(self->scale[i]);
  for (int r = 0; r < self->m; r++) {
    const double *row = j_values;
    j_values += self->diagonal[self->n + r] - self->start[self->n + r];
    self->scale[self->n + r] = 0;
    if (self->released[self->n + r]) continue;
    double norm = row_norm(self, r, row);
    if (self->row_floor && !(norm > self->row_floor[r])) norm = self->row_floor[r];
    self->scale[self->n + r] = norm > 0 ? power_of_two(1 / sqrt(norm)) : 1;
  }
}

// ---- factorization ------------------------------------------------------------------------------

static int has_fronts(const hn_saddle *self) { return self->fronts && self->ldl == self->whole; }

static void factor(hn_saddle *self) {
  if (!has_fronts(self)) {
    self->replaced = hn_ldl_factor(self->ldl, self->values, self->signs, 0.1 * EPSILON);
    return;
  }
  double *room = hn_fronts_begin(self->fronts);
  for (int k = 0; k < self->start[self->size]; k++)
    room[self->above[k]] = room[self->below[k]] = self->values[k];
  self->replaced = hn_fronts_factor(self->fronts, self->signs, 0.1 * EPSILON, 1);
}

static void solve(hn_saddle *self, double *x) {
  if (has_fronts(self))
    hn_fronts_solve(self->fronts, x);
  else
    hn_ldl_solve(self->ldl, x);
}

static double pivot_of(const hn_saddle *self, int i) {
  return has_fronts(self) ? hn_fronts_pivot(self->fronts, i) : hn_ldl_pivot(self->ldl, i);
}

hn_status hn_saddle_factor(hn_saddle *self, const double *m_values, const double *j_values) {
  find_scales(self, m_values, j_values);
  for (int j = 0; j < self->n; j++)
    for (int k = self->start[j]; k < self->start[j + 1]; k++)
      self->values[k] = m_values[k] * self->scale[j] * self->scale[self->index[k]];
  for (int r = self->n; r < self->size; r++) {
    int count = self->diagonal[r] - self->start[r];
    double *row = &self->values[self->start[r]];
    const int *column = &self->index[self->start[r]];
    if (self->released[r])
      memset(row, 0, (size_t)count * sizeof(double));
    else
      for (int k = 0; k < count; k++)
        row[k] = j_values[k] * self->scale[r] * self->scale[column[k]];
    j_values += count;
  }

  for (int j = 0; j < self->n; j++) self->values[self->diagonal[j]] += self->rho;
  for (int r = 0; r < self->m; r++)
    self->values[self->diagonal[self->n + r]] =
        self->released[self->n + r] ? -1 : -self->epsilon[r];
  factor(self);
  for (int j = 0; j < self->n; j++) // exact again, for residuals
    self->values[self->diagonal[j]] = m_values[self->diagonal[j]] * self->scale[j] * self->scale[j];
  for (int r = self->n; r < self->size; r++) self->values[self->diagonal[r]] = 0;

  self->has_null = 0;
  for (int r = self->n; r < self->size && !self->has_null; r++)
    self->has_null = !self->is_soft && -pivot_of(self, r) < 100 * self->epsilon[r - self->n];
  self->factorizations++;
  return HN_OK;
}

// ---- solution -----------------------------------------------------------------------------------

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
// so that light bodies beside heavy ones are right too.
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

// Which unknowns a sweep may change and which rows it looks at.
typedef enum scope { BOTH, MULTIPLIERS } scope;

// The residual at `trial` into trial_residual; for multipliers alone the rows of M count.
static double try_residual(hn_saddle *self, scope what) {
  find_residual(self, self->trial, self->trial_residual);
  if (what == MULTIPLIERS)
    memset(self->trial_residual + self->n, 0, (size_t)self->m * sizeof(double));
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
  self->direction_next = (at + 1) % DIRECTIONS;
  if (self->direction_count < DIRECTIONS) self->direction_count++;
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
  solve(self, self->step);
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
  solve(self, self->step);
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
    for (int i = n; i < size; i++) self->step[i] = EPSILON * self->z[i];
    solve(self, self->step);
    for (int i = n; i < size; i++) self->z[i] += self->step[i];
  }
  find_levels(self);
  memset(self->residual + n, 0, (size_t)self->m * sizeof(double));
  self->direction_count = self->direction_next = 0;
  for (int k = 0; k < SWEEPS && !is_exact(self, self->residual); k++)
    if (!refine(self, MULTIPLIERS)) break;
}

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
  solve(self, self->z);
  find_levels(self);
  self->direction_count = self->direction_next = 0;
  int sweeps = self->is_soft ? HN_SOFT_SWEEPS - 1 : SWEEPS;
  for (int more = !is_exact(self, self->residual); more && refinements < sweeps; refinements++)
    more = self->is_soft ? refine_softly(self) : refine(self, BOTH);
  if (self->has_null) {
    clean_multipliers(self);
    find_residual(self, self->z, self->residual);
  }
  if (report) fill_report(self, refinements, report);
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
  solve(self, self->z);
  for (int i = 0; i < size; i++) sum += fabs(self->z[i]);
  for (int i = 0; i < n; i++) x[i] = self->z[i] * self->scale[i];
  for (int i = n; i < size; i++) y[i - n] = self->z[i] * self->scale[i];
  return sum <= DBL_MAX ? HN_OK : HN_ERROR_NOT_FINITE;
}

int hn_saddle_small_pivots(const hn_saddle *self, double limit, unsigned char *is_small) {
  int count = 0;
  for (int r = 0; r < self->m; r++) {
    int small =
        !self->released[self->n + r] && self->soft[r] && -pivot_of(self, self->n + r) < limit;
    if (is_small) is_small[r] = small != 0;
    count += small;
  }
  return count;
}

double hn_saddle_row_pivot(const hn_saddle *self, int row) {
  return -pivot_of(self, self->n + row);
}

double hn_saddle_row_scale(const hn_saddle *self, int row) { return self->scale[self->n + row]; }
long hn_saddle_factorizations(const hn_saddle *self) { return self->factorizations; }
int hn_saddle_replaced(const hn_saddle *self) { return self->replaced; }
long hn_saddle_fill(const hn_saddle *self) { return hn_ldl_fill(self->whole); }
double hn_saddle_operations(const hn_saddle *self) { return hn_ldl_operations(self->whole); }
