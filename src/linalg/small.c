// Inverses of small matrices: see small.h. Gauss and Jordan in place, column by column: with d = 1 / a_kk
// of the pivot row,
//
//   c = -d a_k (d at place k),   a_j += c a_kj (d a_kj at place k)   for all other columns j
//
// and rows that were exchanged become columns of the inverse in reverse order. `fours` is how many lanes
// of four a column has: a constant once a kernel is inlined.
#include "linalg/small.h"

#include <math.h>

#include "linalg/lane_vectors.h"

enum { LANES = 4, MOST = HN_SMALL / LANES };

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

HN_INLINE void eliminate(int fours, int n, int k, double *a) {
  const int stride = LANES * fours;
  double *column = &a[stride * k];
  const double d = 1 / column[k];
  hn_quad c[MOST];
  HN_UNROLL for (int i = 0; i < fours; i++) c[i] =
      quad_multiply(quad_fill(-d), quad_load(column + LANES * i));
  for (int j = 0; j < n; j++) {
    double *x = &a[stride * j];
    const double factor = x[k];
    const hn_quad factors = quad_fill(factor);
    if (j == k || factor == 0) continue; // many are, where rows of loops see few coordinates
    HN_UNROLL for (int i = 0; i < fours; i++) {
      const hn_quad change = quad_multiply(c[i], factors);
      quad_store(quad_add(quad_load(x + LANES * i), change), x + LANES * i);
    }
    x[k] = d * factor;
  }
  HN_UNROLL for (int i = 0; i < fours; i++) quad_store(c[i], column + LANES * i);
  column[k] = d;
}

// Returns 0 or the column of a zero pivot.
HN_INLINE int invert_by(int fours, int n, double *a) {
  const int stride = LANES * fours;
  int pivots[HN_SMALL];
  for (int k = 0; k < n; k++) {
    const int best = pivots[k] = find_pivot(n, k, &a[stride * k]);
    if (!(fabs(a[stride * k + best]) > 0)) return k + 1;
    for (int j = 0; best != k && j < n; j++) swap(&a[stride * j + k], &a[stride * j + best]);
    eliminate(fours, n, k, a);
  }
  for (int k = n - 1; k >= 0; k--)
    for (int i = 0; pivots[k] != k && i < n; i++)
      swap(&a[stride * k + i], &a[stride * pivots[k] + i]);
  return 0;
}

HN_INLINE void invert(int wide, int n, double *a, int *singular) {
  (void)wide;
  switch (hn_small_stride(n) / LANES) {
  case 1: *singular = invert_by(1, n, a); break;
  case 2: *singular = invert_by(2, n, a); break;
  case 3: *singular = invert_by(3, n, a); break;
  case 4: *singular = invert_by(4, n, a); break;
  default: *singular = invert_by(MOST, n, a); break;
  }
}

HN_VARIANTS(invert, (int n, double *a, int *singular), (n, a, singular))

int hn_small_invert(int wide, int n, double *a, double *transposed) {
  const int stride = hn_small_stride(n);
  int singular = 0;
  if (n == 0) return 0;
  HN_PICK(wide, invert)(n, a, &singular);
  for (int j = 0; transposed && j < n; j++)
    for (int i = 0; i < n; i++) transposed[stride * i + j] = a[stride * j + i];
  return singular;
}

HN_INLINE void multiply_by(int fours, int n, const double *a, double *x) {
  hn_quad sum[MOST];
  double out[HN_SMALL];
  HN_UNROLL for (int i = 0; i < fours; i++) sum[i] = quad_fill(0);
  for (int j = 0; j < n; j++, a += LANES * fours) {
    const hn_quad factor = quad_fill(x[j]);
    HN_UNROLL for (int i = 0; i < fours; i++) sum[i] =
        quad_add(sum[i], quad_multiply(factor, quad_load(a + LANES * i)));
  }
  HN_UNROLL for (int i = 0; i < fours; i++) quad_store(sum[i], out + LANES * i);
  for (int i = 0; i < n; i++) x[i] = out[i];
}

HN_INLINE void multiply(int wide, int n, const double *a, double *x) {
  (void)wide;
  switch (hn_small_stride(n) / LANES) {
  case 0: break;
  case 1: multiply_by(1, n, a, x); break;
  case 2: multiply_by(2, n, a, x); break;
  case 3: multiply_by(3, n, a, x); break;
  case 4: multiply_by(4, n, a, x); break;
  default: multiply_by(MOST, n, a, x); break;
  }
}

HN_VARIANTS(multiply, (int n, const double *a, double *x), (n, a, x))

void hn_small_multiply(int wide, int n, const double *a, double *x) {
  HN_PICK(wide, multiply)(n, a, x);
}
