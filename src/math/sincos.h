// Sine and cosine of one angle together, of our own: the same bits whatever libm is there. Reduction
// by pi/2 in three parts (Cody and Waite), then the classical minimax polynomials on [-pi/4, pi/4];
// within 1.5 units in the last place for |x| < 1e5, beyond that libm reduces.
#ifndef HN_MATH_SINCOS_H
#define HN_MATH_SINCOS_H

#include <math.h>

static inline void hn_sincos(double x, double *sine, double *cosine) {
  if (!(fabs(x) < 1e5)) {
    *sine = sin(x);
    *cosine = cos(x);
    return;
  }
  const double shift = 6755399441055744.0; // 1.5 * 2^52: adding it rounds to an integer
  double n = (x * 0.63661977236758134308 + shift) - shift;
  double r = x - n * 1.57079632673412561417e+00;
  r -= n * 6.07710050630396597660e-11;
  r -= n * 2.02226624879595063154e-21;
  double w = r * r;
  double s = 2.75573137070700676789e-06 +
             w * (-2.50507602534068634195e-08 + w * 1.58969099521155010221e-10);
  s = r + r * w *
              (-1.66666666666666324348e-01 +
               w * (8.33333333332248946124e-03 + w * (-1.98412698298579493134e-04 + w * s)));
  double c = 2.48015872894767294178e-05 +
             w * (-2.75573143513906633035e-07 +
                  w * (2.08757232129817482790e-09 - w * 1.13596475577881948265e-11));
  c = 1 - 0.5 * w +
      w * w * (4.16666666666666019037e-02 + w * (-1.38888888888741095749e-03 + w * c));
  int quarter = (int)n & 3;
  double odd_s = quarter & 1 ? c : s, odd_c = quarter & 1 ? s : c;
  *sine = quarter & 2 ? -odd_s : odd_s;
  *cosine = (quarter + 1) & 2 ? -odd_c : odd_c;
}

#endif
