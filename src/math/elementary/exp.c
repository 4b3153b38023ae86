// The exponential function and the hyperbolic functions.
#include "math/elementary.h"

#include "math/elementary/exp_kernel.h"

double hn_exp_far(hn_pair x, int power) {
  if (isnan(x.high)) return x.high;
  if (x.high > 1000) return HUGE_VAL;
  if (x.high < -1000) return 0;
  // exp(x) = exp(x - k log 2) 2^k, k = 512 or -512 and the last factor in two: one rounding at most
  const int k = x.high > 0 ? 512 : -512;
  const hn_pair nearer = pair_sum(x.high - k * HN_LN2_1, x.low - k * HN_LN2_2);
  const hn_scaled e = hn_exp_parts(nearer);
  const double y = (e.scale + e.scale * e.rest) * power_of_two(power);
  return y * power_of_two(k);
}

double hn_exp(double x) {
  if (!(fabs(x) < 708)) return hn_exp_far((hn_pair){x, 0}, 0);
  const hn_scaled e = hn_exp_parts((hn_pair){x, 0});
  return e.scale + e.scale * e.rest;
}

// exp(x) - 1 of 1/8 <= x < 708 as a pair
static inline hn_pair growth(double x) {
  const hn_scaled e = hn_exp_parts((hn_pair){x, 0});
  return pair_sum_ordered(e.scale - 1, e.scale * e.rest);
}

// sinh(x)/x - 1 and tanh(x)/x - 1 over x^2, by w = x^2
static inline double sinh_tail(double w) {
  return 1.0 / 6 + w * (1.0 / 120 + w * (1.0 / 5040 + w * (1.0 / 362880 + w * (1.0 / 39916800))));
}
static inline double tanh_tail(double w) {
  return -1.0 / 3 +
         w * (2.0 / 15 + w * (-17.0 / 315 + w * (62.0 / 2835 + w * (-1382.0 / 155925 +
                                                                    w * (21844.0 / 6081075)))));
}

// With g = exp(x) - 1: sinh(x) = (g + g/(1 + g))/2, cosh(x) = (1 + g + 1/(1 + g))/2 and
// tanh(x/2) = g/(2 + g).
double hn_sinh(double x) {
  const double size = fabs(x);
  if (size < 0x1p-27 || isnan(x)) return x;
  if (size < 0.125) return x + x * (x * x) * sinh_tail(x * x);
  if (size > 22)
    return copysign(size < 708 ? 0.5 * hn_exp(size) : hn_exp_far((hn_pair){size, 0}, -1), x);
  const hn_pair g = growth(size), e = pair_sum_ordered(1, g.high);
  const double share = g.high / e.high, error = (g.low - share * (e.low + g.low)) / e.high;
  const hn_pair sum = pair_sum_ordered(g.high, share);
  return copysign(0.5 * (sum.high + (sum.low + (g.low + error))), x);
}

double hn_cosh(double x) {
  const double size = fabs(x);
  if (!(size <= 22)) return size < 708 ? 0.5 * hn_exp(size) : hn_exp_far((hn_pair){size, 0}, -1);
  const hn_pair g = growth(size), e = pair_sum_ordered(1, g.high);
  const hn_pair sum = pair_sum_ordered(e.high, 1 / e.high);
  return 0.5 * (sum.high + (sum.low + (e.low + g.low)));
}

double hn_tanh(double x) {
  const double size = fabs(x);
  if (size < 0x1p-27 || isnan(x)) return x;
  if (size < 0.0625) return x + x * (x * x) * tanh_tail(x * x);
  if (size > 22) return copysign(1, x);
  const hn_pair g = growth(2 * size), e = pair_sum(2, g.high);
  const double share = g.high / e.high;
  return copysign(share + (g.low - share * (e.low + g.low)) / e.high, x);
}
