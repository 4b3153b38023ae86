// Sine and cosine of four angles side by side, with the bits of hn_sincos.
#ifndef HN_MATH_ELEMENTARY_SINE_LANES_H
#define HN_MATH_ELEMENTARY_SINE_LANES_H

#include "base/variants.h"
#include "math/elementary.h"
#include "math/elementary/pair.h"

typedef long long hn_four_bits __attribute__((vector_size(32), aligned(8)));

// a where the mask is set, else b.
HN_INLINE hn_four hn_select_four(hn_four_bits mask, hn_four a, hn_four b) {
  return (hn_four)((mask & (hn_four_bits)a) | (~mask & (hn_four_bits)b));
}

HN_INLINE hn_four hn_magnitude_four(hn_four x) {
  return (hn_four)((hn_four_bits)x & 0x7fffffffffffffffLL);
}

HN_INLINE hn_four hn_sine_four(hn_four high, hn_four low) {
  const hn_four w = high * high;
  const hn_four p =
      HN_SINE_1 +
      w * (HN_SINE_2 + w * (HN_SINE_3 + w * (HN_SINE_4 + w * (HN_SINE_5 + w * HN_SINE_6))));
  return high + (high * w * p + low * (1 - 0.5 * w));
}

HN_INLINE hn_four hn_cosine_four(hn_four high, hn_four low) {
  const hn_four w = high * high, half = 0.5 * w, first = 1 - half;
  const hn_four p =
      HN_COSINE_1 +
      w * (HN_COSINE_2 +
           w * (HN_COSINE_3 + w * (HN_COSINE_4 + w * (HN_COSINE_5 + w * HN_COSINE_6))));
  return first + (((1 - first) - half) + (w * w * p - high * low));
}

// As reduce_angle of all four; angles that it leaves to others are taken one after the other.
HN_INLINE void hn_sincos_four(const double *angles, double *sines, double *cosines) {
  const hn_four x = HN_FOUR_OF(angles), size = hn_magnitude_four(x);
  const hn_four shifted = x * HN_TWO_OVER_PI + HN_ROUND_SHIFT;
  const hn_four_bits is_small = (hn_four_bits)(size <= 0.78539816339744830962);
  const hn_four n = (hn_four)(~is_small & (hn_four_bits)(shifted - HN_ROUND_SHIFT));
  const hn_four first = x - n * HN_HALF_PI_1, second = n * HN_HALF_PI_2, rest = first - second;
  const hn_four_bits is_plain =
      is_small | ((hn_four_bits)(hn_magnitude_four(rest) > 0x1p-12) &
                  (hn_four_bits)(hn_magnitude_four(n) < 0x1p20));
  if (!(is_plain[0] & is_plain[1] & is_plain[2] & is_plain[3])) {
    for (int l = 0; l < 4; l++) hn_sincos(angles[l], &sines[l], &cosines[l]);
    return;
  }
  const hn_four part = ((first - rest) - second) - n * HN_HALF_PI_3;
  const hn_four high = rest + part, low = part - (high - rest);
  const hn_four_bits quarters = ~is_small & (hn_four_bits)shifted, odd = -(quarters & 1);
  const hn_four tiny = (hn_four)(hn_four_bits)(size < 0x1p-27);
  const hn_four s = hn_select_four((hn_four_bits)tiny, x, hn_sine_four(high, low));
  const hn_four c = hn_cosine_four(high, low);
  HN_FOUR(sines) =
      (hn_four)((hn_four_bits)hn_select_four(odd, c, s) ^ ((quarters & 2) << 62));
  HN_FOUR(cosines) =
      (hn_four)((hn_four_bits)hn_select_four(odd, s, c) ^ (((quarters + 1) & 2) << 62));
}

#endif
