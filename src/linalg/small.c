// Inverses of small matrices: see small.h. Gauss and Jordan in place, column by column: with
// d = 1 / a_pk of the pivot row p of column k,
//
//   c = -d a_k (d at place p),   a_j += c a_pj (d a_pj at place p)   for all other columns j
//
// Rows stay where they are: in the end entry (p_k, j) is that of row k and column p_j of the inverse.
// `fours` is how many lanes of four a column has: a constant once a kernel is inlined.
#include "linalg/small.h"

#include <math.h>

#include "base/variants.h"

enum { LANES = 4, MOST = HN_SMALL / LANES };

// Of the rows left over the place of the one with the largest number in this column.
HN_INLINE int find_pivot(int count, const int *left, const double *column) {
  int best = 0;
  double most = fabs(column[left[0]]);
  for (int i = 1; i < count; i++) {
    const double size = fabs(column[left[i]]);
    if (!(size > most)) continue;
    most = size;
    best = i;
  }
  return best;
}

HN_INLINE void eliminate(int fours, int n, int p, int k, double *a) {
  const int stride = LANES * fours;
  double *column = &a[stride * k];
  const double d = 1 / column[p];
  hn_four c[MOST];
  HN_UNROLL for (int i = 0; i < fours; i++) c[i] = -d * HN_FOUR_OF(column + LANES * i);
  for (int j = 0; j < n; j++) {
    double *x = &a[stride * j];
    const double factor = x[p];
    if (j == k || factor == 0) continue; // many are, where rows of loops see few coordinates
    HN_UNROLL for (int i = 0; i < fours; i++) { HN_FOUR(x + LANES * i) += c[i] * factor; }
    x[p] = d * factor;
  }
  HN_UNROLL for (int i = 0; i < fours; i++) HN_FOUR(column + LANES * i) = c[i];
  column[p] = d;
}

// Returns 0 or the 1-based column of a zero pivot.
HN_INLINE int invert_by(int fours, int n, double *a, int *pivots) {
  const int stride = LANES * fours;
  int left[HN_SMALL];
  for (int i = 0; i < n; i++) left[i] = i;
  for (int k = 0; k < n; k++) {
    const int best = find_pivot(n - k, left, &a[stride * k]), p = left[best];
    if (!(fabs(a[stride * k + p]) > 0)) return k + 1;
    left[best] = left[n - k - 1];
    pivots[k] = p;
    eliminate(fours, n, p, k, a);
  }
  return 0;
}

HN_INLINE void invert(int wide, int n, double *a, int *pivots, int *singular) {
  (void)wide;
  switch (hn_small_stride(n) / LANES) {
  case 1: *singular = invert_by(1, n, a, pivots); break;
  case 2: *singular = invert_by(2, n, a, pivots); break;
  case 3: *singular = invert_by(3, n, a, pivots); break;
  case 4: *singular = invert_by(4, n, a, pivots); break;
  default: *singular = invert_by(MOST, n, a, pivots); break;
  }
}

HN_VARIANTS(invert, (int n, double *a, int *pivots, int *singular), (n, a, pivots, singular))

int hn_small_invert(int wide, int n, double *a, double *inverse, double *transposed) {
  const int stride = hn_small_stride(n);
  int pivots[HN_SMALL], singular = 0;
  if (n == 0) return 0;
  HN_PICK(wide, invert)(n, a, pivots, &singular);
  if (singular) return singular;
  for (int j = 0; j < n; j++) {
    const double *from = &a[stride * j];
    const int column = pivots[j];
    for (int k = 0; k < n; k++) inverse[stride * column + k] = from[pivots[k]];
    for (int k = 0; transposed && k < n; k++) transposed[stride * k + column] = from[pivots[k]];
  }
  return 0;
}

HN_INLINE void multiply_by(int fours, int n, const double *a, double *x) {
  hn_four sum[MOST];
  double out[HN_SMALL];
  HN_UNROLL for (int i = 0; i < fours; i++) sum[i] = (hn_four){0, 0, 0, 0};
  for (int j = 0; j < n; j++, a += LANES * fours) {
    const double factor = x[j];
    HN_UNROLL for (int i = 0; i < fours; i++) sum[i] += factor * HN_FOUR_OF(a + LANES * i);
  }
  HN_UNROLL for (int i = 0; i < fours; i++) HN_FOUR(out + LANES * i) = sum[i];
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
