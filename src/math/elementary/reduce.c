// Angles that are large or close to a multiple of pi/2.
#include "math/elementary/reduce.h"

enum { WORDS = 8 };

// In four parts: n times each of the first three is exact.
static hn_angle reduce_close(double x, double n, unsigned quarters) {
  const double first = x - n * HN_HALF_PI_1;
  const hn_pair second = pair_sum(first, -n * HN_HALF_PI_2);
  const hn_pair third = pair_sum(second.high, -n * HN_HALF_PI_31);
  const double low = (second.low + third.low) - n * HN_HALF_PI_32;
  return (hn_angle){pair_sum(third.high, low), quarters};
}

// 64 bits of a number in words of 32 from the lowest up, from bit `at` on
static uint64_t bits_from(const uint32_t *words, int at) {
  const int word = at / 32, shift = at % 32;
  const uint64_t low = words[word] | (uint64_t)words[word + 1] << 32;
  return shift ? low >> shift | (uint64_t)words[word + 2] << (64 - shift) : low;
}

// Adds factor times eight words of 2/pi, from `from` on, to a product whose lowest word is first.
static void add_multiple(uint64_t factor, int from, uint32_t *product) {
  uint64_t sum = 0;
  for (int k = 0; k < WORDS; k++) {
    sum = factor * hn_sincos_words[from + WORDS - 1 - k] + product[k] + (sum >> 32);
    product[k] = (uint32_t)sum;
  }
  product[WORDS] = (uint32_t)(sum >> 32);
}

// 2^-128 (high 2^64 + low) pi/2 with a sign
static hn_pair to_angle(uint64_t high, uint64_t low, double sign) {
  const hn_pair top =
      pair_sum_ordered((double)(high >> 32) * 0x1p-32, (double)(high & 0xffffffff) * 0x1p-64);
  const hn_pair next = pair_sum_ordered(top.low, (double)(low >> 32) * 0x1p-96);
  const double last = next.low + (double)(low & 0xffffffff) * 0x1p-128;
  const hn_pair sum = pair_sum_ordered(top.high, next.high);
  const hn_pair share = pair_sum_ordered(sum.high, sum.low + last);
  const hn_pair angle = pair_product(share.high, HN_HALF_PI_HIGH);
  const double rest = angle.low + (share.high * HN_HALF_PI_LOW + share.low * HN_HALF_PI_HIGH);
  return pair_sum_ordered(sign * angle.high, sign * rest);
}

// Only those bits of 2/pi are multiplied that decide about the last two before the point and about 128
// after it (Payne and Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18, 1983).
static hn_angle reduce_large(double x) {
  const uint64_t bits = bits_of(x);
  const int exponent = (int)(bits >> 52 & 0x7ff) - 1075; // |x| = mantissa 2^exponent
  const uint64_t mantissa = (bits & 0xfffffffffffff) | (uint64_t)1 << 52;
  const int from = exponent > 2 ? (exponent - 2) / 32 : 0;
  uint32_t product[WORDS + 3] = {0};
  add_multiple(mantissa & 0xffffffff, from, product);
  add_multiple(mantissa >> 32, from, product + 1);
  const int point = 32 * (from + WORDS) - exponent;
  unsigned quarters = (unsigned)bits_from(product, point) & 3;
  uint64_t high = bits_from(product, point - 64), low = bits_from(product, point - 128);
  double sign = x < 0 ? -1 : 1;
  if (high >> 63) { // to the nearest
    high = ~high + (low == 0);
    low = ~low + 1;
    quarters++;
    sign = -sign;
  }
  return (hn_angle){to_angle(high, low, sign), (x < 0 ? 0 - quarters : quarters) & 3};
}

hn_angle hn_sincos_reduce(double x) {
  if (!isfinite(x)) return (hn_angle){{isnan(x) ? x : NAN, 0}, 0};
  const double shifted = x * HN_TWO_OVER_PI + HN_ROUND_SHIFT, n = shifted - HN_ROUND_SHIFT;
  if (fabs(n) < 0x1p20) return reduce_close(x, n, (unsigned)bits_of(shifted) & 3);
  return reduce_large(x);
}
