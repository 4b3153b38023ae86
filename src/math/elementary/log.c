// Logarithms, powers and the cube root.
#include "math/elementary.h"

#include "math/elementary/exp_kernel.h"
#include "math/elementary/log_kernel.h"

// log of what is not above 0, or is infinite
static double special(double x) { return x == 0 ? -HUGE_VAL : x < 0 ? NAN : x; }

double hn_log(double x) {
  if (!(x > 0 && x <= DBL_MAX)) return special(x);
  return hn_log_pair(x).high;
}

static double log_of_base(double x, hn_pair inverse) {
  if (!(x > 0 && x <= DBL_MAX)) return special(x);
  const hn_pair y = hn_log_pair(x), product = pair_product(y.high, inverse.high);
  return product.high + (product.low + (y.high * inverse.low + y.low * inverse.high));
}

double hn_log2(double x) {
  return log_of_base(x, (hn_pair){HN_INVERSE_LN2_HIGH, HN_INVERSE_LN2_LOW});
}
double hn_log10(double x) {
  return log_of_base(x, (hn_pair){HN_INVERSE_LN10_HIGH, HN_INVERSE_LN10_LOW});
}

// x^y of x > 0, both finite
static double power(double x, double y) {
  if (fabs(y) > 0x1p64) y = copysign(0x1p64, y); // infinite or zero unless x = 1
  const hn_pair l = hn_log_pair(x), product = pair_product(y, l.high);
  const hn_pair exponent = {product.high, product.low + y * l.low};
  if (!(fabs(exponent.high) < 708)) return hn_exp_far(exponent, 0);
  const hn_scaled e = hn_exp_parts(exponent);
  return e.scale + e.scale * e.rest;
}

// 0, 1 or 2: y is no integer, an odd one, an even one
static int parity(double y) {
  if (y != floor(y)) return 0;
  return fmod(y, 2) != 0 ? 1 : 2;
}

// x is negative, zero, infinite or NaN, or y is infinite or NaN.
static double special_power(double x, double y) {
  if (isnan(x) || isnan(y)) return x + y;
  const double size = fabs(x);
  if (isinf(y)) return size == 1 ? 1 : (size > 1) == (y > 0) ? HUGE_VAL : 0;
  const int kind = parity(y);
  if (x < 0 && kind == 0 && isfinite(x)) return NAN;
  const double value =
      size == 0 || isinf(size) ? ((size == 0) == (y < 0) ? HUGE_VAL : 0) : power(size, y);
  return signbit(x) && kind == 1 ? -value : value;
}

double hn_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (!(x > 0 && x <= DBL_MAX && isfinite(y))) return special_power(x, y);
  return power(x, y);
}

double hn_exp2(double x) { return hn_pow(2, x); }

double hn_cbrt(double x) {
  const double size = fabs(x);
  if (!(size > 0 && size <= DBL_MAX)) return x;
  const hn_pair l = hn_log_pair(size);
  const double third = l.high / 3, rest = ((l.high - 2 * third) - third + l.low) / 3;
  const hn_scaled e = hn_exp_parts((hn_pair){third, rest});
  return copysign(e.scale + e.scale * e.rest, x);
}
