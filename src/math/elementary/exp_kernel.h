// exp(x) = 2^(n/128) exp(r): a table times a polynomial (Tang, Table-driven implementation of the
// exponential function in IEEE floating-point arithmetic, ACM TOMS 15, 1989).
#ifndef HN_MATH_ELEMENTARY_EXP_KERNEL_H
#define HN_MATH_ELEMENTARY_EXP_KERNEL_H

#include "math/elementary/pair.h"

// exp(x.high + x.low) = scale (1 + rest); |x.high| < 708
typedef struct hn_scaled {
  double scale, rest;
} hn_scaled;

static inline hn_scaled hn_exp_parts(hn_pair x) {
  const double shifted = x.high * HN_EXP_ROWS_OVER_LN2 + HN_ROUND_SHIFT,
               n = shifted - HN_ROUND_SHIFT;
  const double r = (x.high - n * HN_LN2_ROW_1) - n * HN_LN2_ROW_2 + x.low, w = r * r;
  const double p = w * (1.0 / 2 + r * (1.0 / 6)) + w * w * (1.0 / 24 + r * (1.0 / 120));
  const uint64_t bits = bits_of(shifted), row = bits & 127;
  const hn_pair base = hn_exp_table[row];
  // n = 128 m + row: m is added to the exponent
  return (hn_scaled){double_of(bits_of(base.high) + ((bits - row) << 45)), base.low + (r + p)};
}

// exp(x.high + x.low) 2^power beyond that range, and of NaN; |power| < 64
double hn_exp_far(hn_pair x, int power);

#endif
