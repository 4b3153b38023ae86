// Sums over vectors: see vectors.h.
#include "linalg/vectors.h"

#define HN_BLOCK_PLAIN 0
#include "linalg/lane_vectors.h"

enum { LANES = 4 };

// Eight numbers at a time: a weight and an address are read once for all of them.
HN_INLINE void combine(int wide, int n, int count, const double *weight, double *const *x,
                       double *restrict out) {
  int i = 0;
  (void)wide;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    hn_quad a = quad_fill(0), b = quad_fill(0);
    for (int k = 0; k < count; k++) {
      const hn_quad w = quad_fill(weight[k]);
      a = quad_add(a, quad_multiply(w, quad_load(x[k] + i)));
      b = quad_add(b, quad_multiply(w, quad_load(x[k] + i + LANES)));
    }
    quad_store(a, out + i);
    quad_store(b, out + i + LANES);
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
  hn_quad sum = quad_fill(0);
  int i = 0;
  (void)wide;
  for (; i + LANES <= n; i += LANES) {
    const hn_quad a = quad_load(x + i);
    sum = quad_add(sum, quad_multiply(quad_load(weight + i), quad_multiply(a, a)));
  }
  double rest = 0;
  for (; i < n; i++) rest += weight[i] * (x[i] * x[i]);
  *out = ((quad_lane(sum, 0) + quad_lane(sum, 1)) + (quad_lane(sum, 2) + quad_lane(sum, 3))) + rest;
}

HN_VARIANTS(square, (int n, const double *weight, const double *x, double *out),
            (n, weight, x, out))

double hn_sum_of_squares(int wide, int n, const double *weight, const double *x) {
  double sum;
  HN_PICK(wide, square)(n, weight, x, &sum);
  return sum;
}
