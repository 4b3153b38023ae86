// Inverses of small matrices: see small.h. Gauss and Jordan in place, column by column: with d = 1 / a_kk
// of the pivot row,
//
//   c = -d a_k (d at place k),   a_j += c a_kj (d a_kj at place k)   for all other columns j
//
// and rows that were exchanged become columns of the inverse in reverse order.
#include "linalg/small.h"

#include <math.h>
#include <string.h>

#include "linalg/lane_vectors.h"

enum { LANES = 4 };

// Of the rows from k on, the one with the largest number in column k.
HN_INLINE int find_pivot(int n, int k, const double *column) {
  int best = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(column[i]) > fabs(column[best])) best = i;
  return best;
}

HN_INLINE void swap(double *x, double *y) {
  double keep = *x;
  *x = *y;
  *y = keep;
}

HN_INLINE void swap_columns(double *x, double *y) {
  HN_UNROLL for (int i = 0; i < HN_SMALL; i += LANES) {
    const hn_quad keep = quad_load(x + i);
    quad_store(quad_load(y + i), x + i);
    quad_store(keep, y + i);
  }
}

// One pivot, in columns of `rows` numbers.
HN_INLINE void eliminate(int rows, int n, int k, double *a) {
  double *column = &a[HN_SMALL * k];
  const double d = 1 / column[k];
  hn_quad c[HN_SMALL / LANES];
  for (int i = 0; i < rows / LANES; i++)
    c[i] = quad_multiply(quad_fill(-d), quad_load(column + LANES * i));
  for (int j = 0; j < n; j++) {
    double *x = &a[HN_SMALL * j];
    const double factor = x[k];
    if (j == k) continue;
    for (int i = 0; i < rows / LANES; i++)
      quad_store(quad_add(quad_load(x + LANES * i), quad_multiply(c[i], quad_fill(factor))),
                 x + LANES * i);
    x[k] = d * factor;
  }
  for (int i = 0; i < rows / LANES; i++) quad_store(c[i], column + LANES * i);
  column[k] = d;
}

HN_INLINE void invert(int wide, int n, double *a, double *transposed, int *singular) {
  int pivots[HN_SMALL];
  (void)wide;
  *singular = 0;
  for (int k = 0; k < n; k++) {
    const int best = pivots[k] = find_pivot(n, k, &a[HN_SMALL * k]);
    if (!(fabs(a[HN_SMALL * k + best]) > 0)) {
      *singular = k + 1;
      return;
    }
    for (int j = 0; best != k && j < n; j++) swap(&a[HN_SMALL * j + k], &a[HN_SMALL * j + best]);
    if (n <= LANES)
      eliminate(LANES, n, k, a);
    else
      eliminate(HN_SMALL, n, k, a);
  }
  for (int k = n - 1; k >= 0; k--)
    if (pivots[k] != k) swap_columns(&a[HN_SMALL * k], &a[HN_SMALL * pivots[k]]);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) transposed[HN_SMALL * i + j] = a[HN_SMALL * j + i];
}

HN_VARIANTS(invert, (int n, double *a, double *transposed, int *singular),
            (n, a, transposed, singular))

int hn_small_invert(int wide, int n, double *a, double *transposed) {
  int singular;
  HN_PICK(wide, invert)(n, a, transposed, &singular);
  return singular;
}

HN_INLINE void multiply(int wide, int n, const double *a, double *x) {
  double out[HN_SMALL];
  (void)wide;
  if (n <= LANES) {
    hn_quad sum = quad_fill(0);
    for (int j = 0; j < n; j++)
      sum = quad_add(sum, quad_multiply(quad_fill(x[j]), quad_load(&a[HN_SMALL * j])));
    quad_store(sum, out);
  } else {
    hn_quad sum = quad_fill(0), rest = quad_fill(0);
    for (int j = 0; j < n; j++) {
      const hn_quad factor = quad_fill(x[j]);
      sum = quad_add(sum, quad_multiply(factor, quad_load(&a[HN_SMALL * j])));
      rest = quad_add(rest, quad_multiply(factor, quad_load(&a[HN_SMALL * j + LANES])));
    }
    quad_store(sum, out);
    quad_store(rest, out + LANES);
  }
  for (int i = 0; i < n; i++) x[i] = out[i];
}

HN_VARIANTS(multiply, (int n, const double *a, double *x), (n, a, x))

void hn_small_multiply(int wide, int n, const double *a, double *x) {
  HN_PICK(wide, multiply)(n, a, x);
}
