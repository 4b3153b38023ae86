// Reduction of an angle by multiples of pi/2.
#ifndef HN_MATH_ELEMENTARY_REDUCE_H
#define HN_MATH_ELEMENTARY_REDUCE_H

#include "math/elementary/pair.h"

// x = quarters pi/2 + rest, |rest| <= pi/4 and a little, to 2^-64 of it; quarters modulo 4. Of infinity
// and NaN the rest is NaN.
typedef struct hn_angle {
  hn_pair rest;
  unsigned quarters;
} hn_angle;

hn_angle hn_sincos_reduce(double x); // |x| beyond 2^20 pi/2, or close to a multiple of pi/2

// In three parts (Cody and Waite, Software Manual for the Elementary Functions, 1980). The first product
// and the first difference are exact.
static inline hn_angle reduce_angle(double x) {
  const double shifted = x * HN_TWO_OVER_PI + HN_ROUND_SHIFT, n = shifted - HN_ROUND_SHIFT;
  const double first = x - n * HN_HALF_PI_1, second = n * HN_HALF_PI_2;
  const double rest = first - second;
  if (!(fabs(rest) > 0x1p-12 && fabs(n) < 0x1p20)) return hn_sincos_reduce(x);
  const double low = ((first - rest) - second) - n * HN_HALF_PI_3;
  return (hn_angle){pair_sum_ordered(rest, low), (unsigned)bits_of(shifted) & 3};
}

#endif
