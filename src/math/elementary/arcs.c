// Arc functions: the angle of a point whose coordinates are pairs, by a table of 65 angles.
#include "math/elementary.h"

#include "math/elementary/pair.h"

// A multiple of pi/2, the first part a multiple of 2^-50, and whether the angle is added or subtracted.
typedef struct hn_side {
  double first, rest, sign;
} hn_side;

static const hn_side from_x = {0, 0, 1}, from_y = {HN_HALF_PI_FIRST, HN_HALF_PI_REST, -1};
static const hn_side past_y = {HN_HALF_PI_FIRST, HN_HALF_PI_REST, 1},
                     to_minus_x = {HN_PI_FIRST, HN_PI_REST, -1};

// atan(z)/z - 1 over z^2
static inline double tail(double w) { return -1.0 / 3 + w * (1.0 / 5 + w * (-1.0 / 7)); }
static inline double long_tail(double w) {
  return -1.0 / 3 +
         w * (1.0 / 5 + w * (-1.0 / 7 + w * (1.0 / 9 + w * (-1.0 / 11 + w * (1.0 / 13)))));
}

// side +- atan(n/d), 0 <= n/d < 1/16; here the rounding of the quotient counts.
static double small_angle(hn_pair n, hn_pair d, hn_side side) {
  const double z = n.high / d.high, w = z * z;
  const hn_pair back = pair_product(z, d.high);
  const double error = (((n.high - back.high) - back.low) + (n.low - z * d.low)) / d.high;
  const hn_pair sum = pair_sum_ordered(side.first, side.sign * z);
  return sum.high + (sum.low + (side.sign * (error + z * w * long_tail(w)) + side.rest));
}

// side +- atan(n/d), 0 <= n <= d: atan(n/d) = atan(c) + atan((n - c d)/(d + c n)) with c = k/64 close
// to n/d.
static double angle_of(hn_pair n, hn_pair d, hn_side side) {
  if (n.high * 16 < d.high) return small_angle(n, d, side);
  const double k = (n.high / d.high * 64 + HN_ROUND_SHIFT) - HN_ROUND_SHIFT, c = k * (1.0 / 64);
  const double d1 = cut_bits(d.high, 8); // c d1 is exact, and n - c d1
  const double up = ((n.high - c * d1) - c * (d.high - d1)) + (n.low - c * d.low);
  const double z = up / (d.high + c * n.high), w = z * z;
  const hn_pair base = hn_atan_table[(int)k];
  return (side.first + side.sign * base.high) +
         (side.sign * (z + (z * w * tail(w) + base.low)) + side.rest);
}

static inline hn_pair one_number(double x) { return (hn_pair){x, 0}; }

double hn_atan(double x) {
  const double size = fabs(x), w = x * x;
  if (!(size <= 1)) {
    if (isnan(x)) return x;
    if (size > 0x1p60) return copysign(HN_HALF_PI_HIGH, x);
    return copysign(angle_of(one_number(1), one_number(size), from_y), x);
  }
  if (size < 0x1p-4) return size < 0x1p-27 ? x : x + x * w * long_tail(w);
  const double k = (size * 64 + HN_ROUND_SHIFT) - HN_ROUND_SHIFT, c = k * (1.0 / 64);
  const double z = (size - c) / (1 + c * size);
  const hn_pair base = hn_atan_table[(int)k];
  return copysign(base.high + (z + (z * (z * z) * tail(z * z) + base.low)), x);
}

// The angle of a point in the upper half plane, x of any sign.
static double upper_angle(hn_pair y, hn_pair x) {
  const hn_pair size = x.high < 0 ? (hn_pair){-x.high, -x.low} : x;
  if (y.high <= size.high) return angle_of(y, size, x.high < 0 ? to_minus_x : from_x);
  return angle_of(size, y, x.high < 0 ? past_y : from_y);
}

// One is zero or infinite, or the quotient is so small that it equals its angle, or so large that the
// angle is pi/2.
static double far_angle(double y, double x) {
  if (isnan(x) || isnan(y)) return x + y;
  const int is_flat = y == 0 || (isinf(x) && !isinf(y));
  if (isinf(x) && isinf(y)) return x > 0 ? 0.5 * HN_HALF_PI_HIGH : 3 * (0.5 * HN_HALF_PI_HIGH);
  if (is_flat || y < fabs(x)) return signbit(x) ? 2 * HN_HALF_PI_HIGH : is_flat ? 0 : y / x;
  return HN_HALF_PI_HIGH;
}

static int exponent_of(double x) { return (int)(bits_of(x) >> 52 & 0x7ff) - 1023; }

double hn_atan2(double y, double x) {
  double up = fabs(y), scale = 1;
  const int ey = exponent_of(y), ex = exponent_of(x), apart = ey > ex ? ey - ex : ex - ey;
  if (apart > 60 || ex < -400 || ex > 400) {
    if (apart > 60 || up == 0 || x == 0 || !isfinite(x) || !isfinite(y))
      return copysign(far_angle(up, x), y);
    scale = ex < 0 ? 0x1p600 : 0x1p-600;
  }
  return copysign(upper_angle(one_number(scale * up), one_number(scale * x)), y);
}

// sqrt(1 - x^2) to twice the precision
static hn_pair other_side(double x) {
  const hn_pair square = pair_square(x), first = pair_sum_ordered(1, -square.high);
  const hn_pair rest = pair_sum_ordered(first.high, first.low - square.low);
  const double root = sqrt(rest.high);
  if (!(root > 0)) return one_number(root);
  const hn_pair back = pair_square(root);
  return pair_sum_ordered(root, (((rest.high - back.high) - back.low) + rest.low) / (2 * root));
}

double hn_asin(double x) {
  const double size = fabs(x);
  if (size < 0x1p-27 || isnan(x)) return x;
  if (size > 1) return NAN;
  return copysign(upper_angle(one_number(size), other_side(size)), x);
}

double hn_acos(double x) {
  if (isnan(x)) return x;
  if (fabs(x) > 1) return NAN;
  return upper_angle(other_side(x), one_number(x));
}
