// Sums over vectors: see vectors.h.
#include "linalg/vectors.h"

#include "base/variants.h"

enum { LANES = 4 };

// Eight numbers at a time: a weight and an address are read once for all of them.
HN_INLINE void combine(int wide, int n, int count, const double *weight, double *const *x,
                       double *restrict out) {
  int i = 0;
  (void)wide;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    hn_four a = {0, 0, 0, 0}, b = a;
    for (int k = 0; k < count; k++) {
      a += weight[k] * HN_FOUR_OF(x[k] + i);
      b += weight[k] * HN_FOUR_OF(x[k] + i + LANES);
    }
    HN_FOUR(out + i) = a;
    HN_FOUR(out + i + LANES) = b;
  }
  for (; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += weight[k] * x[k][i];
    out[i] = sum;
  }
}

HN_VARIANTS(combine,
            (int n, int count, const double *weight, double *const *x, double *restrict out),
            (n, count, weight, x, out))

void hn_combine(int wide, int n, int count, const double *weight, double *const *x, double *out) {
  HN_PICK(wide, combine)(n, count, weight, x, out);
}

HN_INLINE void square(int wide, int n, const double *weight, const double *x, double *out) {
  hn_four sum = {0, 0, 0, 0};
  int i = 0;
  (void)wide;
  for (; i + LANES <= n; i += LANES) {
    const hn_four a = HN_FOUR_OF(x + i);
    sum += HN_FOUR_OF(weight + i) * (a * a);
  }
  double rest = 0;
  for (; i < n; i++) rest += weight[i] * (x[i] * x[i]);
  *out = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

HN_VARIANTS(square, (int n, const double *weight, const double *x, double *out),
            (n, weight, x, out))

double hn_sum_of_squares(int wide, int n, const double *weight, const double *x) {
  double sum;
  HN_PICK(wide, square)(n, weight, x, &sum);
  return sum;
}
