// Orthonormal basis of rows (row_basis.h), and the test of a small matrix.
#include "linalg/row_basis.h"

#include <math.h>
#include <string.h>

#include "linalg/rank.h"

#define ROUNDING 1e-12 // of the largest diagonal: a pivot that counts as 0
#define COUPLED 1e-6   // ... a number next to such a pivot that makes the matrix indefinite

hn_status hn_row_basis_create(hn_arena *arena, int rows, int n, hn_row_basis *basis) {
  *basis = (hn_row_basis){.rows = rows,
                          .n = n,
                          .vectors = HN_WORK(arena, double, (size_t)rows *(size_t)n),
                          .triangle = HN_WORK(arena, double, (size_t)rows *(size_t)rows),
                          .is_kept = HN_WORK(arena, unsigned char, rows)};
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static const double *coefficients(const hn_row_basis *b, int row) {
  return &b->triangle[(size_t)row * (size_t)b->rows];
}

double hn_row_basis_dot(const hn_row_basis *b, int row, const double *z) {
  return dot(hn_row_basis_vector(b, row), z, b->n);
}

void hn_row_basis_add_scaled(const hn_row_basis *b, int row, double x, double *z) {
  const double *e = hn_row_basis_vector(b, row);
  for (int i = 0; i < b->n; i++) z[i] += x * e[i];
}

void hn_row_basis_add(hn_row_basis *b, int row, int is_there) {
  double *e = hn_row_basis_vector(b, row), *t = &b->triangle[(size_t)row * (size_t)b->rows];
  const double size = sqrt(dot(e, e, b->n));
  memset(t, 0, (size_t)b->rows * sizeof *t);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < row; k++) {
      if (!b->is_kept[k]) continue;
      const double part = hn_row_basis_dot(b, k, e);
      t[k] += part;
      hn_row_basis_add_scaled(b, k, -part, e);
    }
  t[row] = sqrt(dot(e, e, b->n));
  b->is_kept[row] = is_there && t[row] > HN_RANK_ROUNDING * size;
  if (!b->is_kept[row]) return;
  for (int i = 0; i < b->n; i++) e[i] /= t[row];
}

double hn_row_basis_component(const hn_row_basis *b, int row, double right, const double *y) {
  const double *t = coefficients(b, row);
  for (int k = 0; k < row; k++)
    if (b->is_kept[k]) right -= t[k] * y[k];
  return right / t[row];
}

void hn_row_basis_solve_transposed(const hn_row_basis *b, double *y) {
  for (int row = b->rows - 1; row >= 0; row--) {
    const double *t = coefficients(b, row);
    if (!b->is_kept[row]) {
      y[row] = 0;
      continue;
    }
    y[row] /= t[row];
    for (int k = 0; k < row; k++) y[k] -= t[k] * y[row];
  }
}

int hn_is_semidefinite(int n, double *a, int stride) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i * stride + i]));
  for (int k = 0; k < n; k++) {
    const double *row = &a[k * stride];
    if (row[k] < -ROUNDING * most) return 0;
    for (int i = k + 1; i < n; i++) {
      double *other = &a[i * stride];
      if (row[k] <= ROUNDING * most) {
        if (fabs(other[k]) > COUPLED * most) return 0;
        continue;
      }
      const double part = other[k] / row[k];
      for (int j = k + 1; j < n; j++) other[j] -= part * row[j];
    }
  }
  return 1;
}
