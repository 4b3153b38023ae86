// Solutions of the system of bodies by other means: dense, in extended precision, no block structure.
#ifndef HN_TESTS_LINALG_JOINT_REFERENCE_H
#define HN_TESTS_LINALG_JOINT_REFERENCE_H

#include "linalg/joint_machines.h"

// [M J'; J 0] of a model, n x n by rows, n = 6 bodies + rows.
static JM_UNUSED void jr_matrix(const joint_machine *m, long double *k) {
  static const int place[3][3] = {{3, 4, 6}, {4, 5, 7}, {6, 7, 8}};
  size_t x = 6 * (size_t)m->bodies, n = x + (size_t)m->rows;
  memset(k, 0, n * n * sizeof *k);
  for (size_t b = 0; b < (size_t)m->bodies; b++)
    for (size_t i = 0; i < 3; i++) {
      k[(6 * b + i) * n + 6 * b + i] = m->mass[9 * b + i];
      for (size_t j = 0; j < 3; j++)
        k[(6 * b + 3 + i) * n + 6 * b + 3 + j] = m->mass[9 * b + (size_t)place[i][j]];
    }
  for (int r = 0; r < m->rows; r++)
    for (int e = 6 * m->row_start[r]; e < 6 * m->row_start[r + 1]; e++) {
      size_t row = x + (size_t)r, column = (size_t)(6 * (m->body[e / 6] - 1) + e % 6);
      k[row * n + column] = k[column * n + row] = m->block[e];
    }
}

// a x = b by elimination with complete pivoting; the remainder is taken as zero when pivots fall
// below `tiny`. a and b are overwritten, the solution is in b. Returns the rank.
static JM_UNUSED size_t jr_eliminate(size_t n, long double *a, long double *b, long double tiny) {
  size_t *column = malloc(n * sizeof *column), rank = n;
  long double *x = calloc(n, sizeof *x);
  if (!column || !x) abort();
  for (size_t j = 0; j < n; j++) column[j] = j;
  for (size_t k = 0; k < n; k++) {
    size_t row = k, best = k;
    for (size_t i = k; i < n; i++)
      for (size_t j = k; j < n; j++)
        if (fabsl(a[i * n + j]) > fabsl(a[row * n + best])) {
          row = i;
          best = j;
        }
    if (fabsl(a[row * n + best]) <= tiny) {
      rank = k;
      break;
    }
    for (size_t j = 0; j < n; j++) {
      long double keep = a[k * n + j];
      a[k * n + j] = a[row * n + j];
      a[row * n + j] = keep;
    }
    long double keep = b[k];
    b[k] = b[row];
    b[row] = keep;
    for (size_t i = 0; i < n; i++) {
      keep = a[i * n + k];
      a[i * n + k] = a[i * n + best];
      a[i * n + best] = keep;
    }
    size_t swap = column[k];
    column[k] = column[best];
    column[best] = swap;
    for (size_t i = k + 1; i < n; i++) {
      long double factor = a[i * n + k] / a[k * n + k];
      for (size_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (size_t k = rank; k-- > 0;) {
    long double sum = b[k];
    for (size_t j = k + 1; j < rank; j++) sum -= a[k * n + j] * x[column[j]];
    x[column[k]] = sum / a[k * n + k];
  }
  memcpy(b, x, n * sizeof *b);
  free(column);
  free(x);
  return rank;
}

// x of [M J'; J 0] (x, y) = (b, c), whatever the rank of J. Returns the number of dependent rows.
static JM_UNUSED int jr_solve(const joint_machine *m, const double *b, const double *c, double *x) {
  size_t x_size = 6 * (size_t)m->bodies, n = x_size + (size_t)m->rows;
  long double *k = malloc(n * n * sizeof *k + 1), *f = malloc(n * sizeof *f + 1), most = 0;
  if (!k || !f) abort();
  jr_matrix(m, k);
  for (size_t i = 0; i < n; i++) f[i] = i < x_size ? b[i] : c[i - x_size];
  for (size_t i = 0; i < n * n; i++) most = fmaxl(most, fabsl(k[i]));
  size_t rank = jr_eliminate(n, k, f, 1e-14L * most);
  for (size_t i = 0; i < x_size; i++) x[i] = (double)f[i];
  free(k);
  free(f);
  return (int)(n - rank);
}

// max |a - b| / max |b|
static JM_UNUSED double jr_difference(const double *a, const double *b, int count) {
  double worst = 0, most = 0;
  for (int i = 0; i < count; i++) {
    double d = fabs(a[i] - b[i]);
    if (!(d <= worst)) worst = d;
    most = fmax(most, fabs(b[i]));
  }
  return most > 0 ? worst / most : worst;
}

#endif
