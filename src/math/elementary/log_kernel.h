// Logarithm as a pair, to about 2^-66 of it: a table of log c and the series of log(x/c), where x/c - 1
// is exact because 1/c has ten bits (after Tang, Table-driven implementation of the logarithm function
// in IEEE floating-point arithmetic, ACM TOMS 16, 1990).
#ifndef HN_MATH_ELEMENTARY_LOG_KERNEL_H
#define HN_MATH_ELEMENTARY_LOG_KERNEL_H

#include "math/elementary/pair.h"

// x > 0 and finite
static inline hn_pair hn_log_pair(double x) {
  const int is_subnormal = x < DBL_MIN;
  const uint64_t bits = bits_of(is_subnormal ? x * 0x1p52 : x), above = bits - HN_LOG_START;
  // x = z 2^k, 0.7057 <= z < 1.4115
  const double k =
      (double)((int)((above + ((uint64_t)1024 << 52)) >> 52) - 1024 - 52 * is_subnormal);
  const hn_log_row row = hn_log_table[above >> 45 & 127];
  const double z = double_of(bits - (above & ((uint64_t)0xfff << 52))), z1 = cut_bits(z, 10);
  const hn_pair r = pair_sum_ordered(z1 * row.inverse - 1, (z - z1) * row.inverse);
  // k log 2 + log c + r - r^2/2 + r^3 (1/3 - r/4 + ...); the first sum is exact
  const hn_pair first = pair_sum_ordered(k * HN_LN2_1 + row.high, r.high),
                square = pair_square(r.high);
  const hn_pair second = pair_sum_ordered(first.high, -0.5 * square.high);
  const double w = square.high, h = r.high;
  const double p =
      (1.0 / 3 - h * (1.0 / 4)) +
      w * ((1.0 / 5 - h * (1.0 / 6)) + w * ((1.0 / 7 - h * (1.0 / 8)) + w * (1.0 / 9)));
  const double low = (k * HN_LN2_2 + row.low) + (r.low - (0.5 * square.low + h * r.low)) +
                     (first.low + second.low);
  return pair_sum_ordered(second.high, low + h * w * p);
}

#endif
