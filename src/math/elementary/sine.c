// Sine, cosine and tangent: polynomials on [-pi/4, pi/4] after reduction.
#include "math/elementary.h"

#include "math/elementary/reduce.h"

static const double quarter_pi = 0.78539816339744830962, tiny = 0x1p-27;

static inline double sine(hn_pair x) {
  const double w = x.high * x.high;
  const double p =
      HN_SINE_1 +
      w * (HN_SINE_2 + w * (HN_SINE_3 + w * (HN_SINE_4 + w * (HN_SINE_5 + w * HN_SINE_6))));
  return x.high + (x.high * w * p + x.low * (1 - 0.5 * w));
}

static inline double cosine(hn_pair x) {
  const double w = x.high * x.high, half = 0.5 * w, first = 1 - half;
  const double p =
      HN_COSINE_1 +
      w * (HN_COSINE_2 +
           w * (HN_COSINE_3 + w * (HN_COSINE_4 + w * (HN_COSINE_5 + w * HN_COSINE_6))));
  return first + (((1 - first) - half) + (w * w * p - x.high * x.low));
}

double hn_sin(double x) {
  if (fabs(x) <= quarter_pi) return fabs(x) < tiny ? x : sine((hn_pair){x, 0});
  const hn_angle angle = reduce_angle(x);
  const double y = angle.quarters & 1 ? cosine(angle.rest) : sine(angle.rest);
  return angle.quarters & 2 ? -y : y;
}

double hn_cos(double x) {
  if (fabs(x) <= quarter_pi) return cosine((hn_pair){x, 0});
  const hn_angle angle = reduce_angle(x);
  const double y = angle.quarters & 1 ? sine(angle.rest) : cosine(angle.rest);
  return (angle.quarters + 1) & 2 ? -y : y;
}

void hn_sincos(double x, double *s, double *c) {
  if (fabs(x) <= quarter_pi) {
    *s = fabs(x) < tiny ? x : sine((hn_pair){x, 0});
    *c = cosine((hn_pair){x, 0});
    return;
  }
  const hn_angle angle = reduce_angle(x);
  const double y = sine(angle.rest), z = cosine(angle.rest);
  const double odd = angle.quarters & 1 ? z : y, even = angle.quarters & 1 ? y : z;
  *s = angle.quarters & 2 ? -odd : odd;
  *c = (angle.quarters + 1) & 2 ? -even : even;
}

// sine / cosine, or -cosine / sine, of both as pairs; the quotient's own rounding is corrected.
static double tangent(hn_pair x, int is_odd) {
  const double w = x.high * x.high, half = 0.5 * w;
  const double s =
      HN_SINE_1 +
      w * (HN_SINE_2 + w * (HN_SINE_3 + w * (HN_SINE_4 + w * (HN_SINE_5 + w * HN_SINE_6))));
  const double c =
      HN_COSINE_1 +
      w * (HN_COSINE_2 +
           w * (HN_COSINE_3 + w * (HN_COSINE_4 + w * (HN_COSINE_5 + w * HN_COSINE_6))));
  const hn_pair first = pair_sum_ordered(1, -half);
  const hn_pair up = pair_sum_ordered(x.high, x.high * w * s + x.low * (1 - half));
  const hn_pair down = pair_sum_ordered(first.high, first.low + (w * w * c - x.high * x.low));
  const hn_pair n = is_odd ? (hn_pair){-down.high, -down.low} : up, d = is_odd ? up : down;
  const double quotient = n.high / d.high;
  const hn_pair back = pair_product(quotient, d.high);
  return quotient + (((n.high - back.high) - back.low) + (n.low - quotient * d.low)) / d.high;
}

double hn_tan(double x) {
  if (fabs(x) <= quarter_pi) return fabs(x) < tiny ? x : tangent((hn_pair){x, 0}, 0);
  const hn_angle angle = reduce_angle(x);
  return tangent(angle.rest, angle.quarters & 1);
}
