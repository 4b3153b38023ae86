// Unevaluated sums of two numbers, high + low with |low| at most half a unit in the last place of high
// (Dekker, A floating-point technique for extending the available precision, Numer. Math. 18, 1971),
// and the bits of a number.
#ifndef HN_MATH_ELEMENTARY_PAIR_H
#define HN_MATH_ELEMENTARY_PAIR_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/elementary/tables.h"

// Every operation rounds to double. With the excess precision of the x87 bits depend on the compiler.
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "Compile for arithmetic in double precision (on 32-bit x86: -msse2 -mfpmath=sse)."
#endif
#ifdef __FAST_MATH__
#error "Compile without -ffast-math."
#endif

static inline uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// 2^n of a normal number, -1022 <= n <= 1023
static inline double power_of_two(int n) { return double_of((uint64_t)(1023 + n) << 52); }

// Adding it to |x| < 2^51 rounds to an integer, which its last bits have.
#define HN_ROUND_SHIFT 6755399441055744.0 // 1.5 * 2^52

// x + y exactly, |x| >= |y| or x = 0
static inline hn_pair pair_sum_ordered(double x, double y) {
  const double sum = x + y;
  return (hn_pair){sum, y - (sum - x)};
}

// x + y exactly
static inline hn_pair pair_sum(double x, double y) {
  const double sum = x + y, part = sum - x;
  return (hn_pair){sum, (x - (sum - part)) + (y - part)};
}

// The first 53 - n bits of x
static inline double cut_bits(double x, int n) {
  return double_of(bits_of(x) & ~(((uint64_t)1 << n) - 1));
}

// x y to 105 bits at least
static inline hn_pair pair_product(double x, double y) {
  const double xy = x * y, x1 = cut_bits(x, 27), y1 = cut_bits(y, 27), x2 = x - x1, y2 = y - y1;
  return (hn_pair){xy, ((x1 * y1 - xy) + (x1 * y2 + x2 * y1)) + x2 * y2};
}

// x^2 to 105 bits at least
static inline hn_pair pair_square(double x) {
  const double xx = x * x, x1 = cut_bits(x, 27), x2 = x - x1;
  return (hn_pair){xx, ((x1 * x1 - xx) + 2 * x1 * x2) + x2 * x2};
}

#endif
