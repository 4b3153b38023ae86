// Numbers that carry their derivatives in HN_DUALS inputs (the file that includes this says how many):
// forward differentiation, exact to rounding. And the same operations on plain numbers. One text
// (tyre_formulas.h, rolling_formulas.h) serves both, so that value and derivative cannot disagree, and
// has the same bits in both.
#ifndef HN_MATH_DUAL_H
#define HN_MATH_DUAL_H

#include <math.h>

#include "base/variants.h"
#include "math/elementary.h"

typedef struct hn_dual {
  double v, d[HN_DUALS];
} hn_dual;

HN_INLINE hn_dual dual_const(double v) { return (hn_dual){.v = v}; }
HN_INLINE double dual_value(hn_dual x) { return x.v; }

HN_INLINE hn_dual dual_input(double v, int index) {
  hn_dual x = {.v = v};
  x.d[index] = 1;
  return x;
}

// A function with value f and slope f_x at x.
HN_INLINE hn_dual dual_chain(hn_dual x, double f, double f_x) {
  hn_dual y;
  y.v = f;
  for (int k = 0; k < HN_DUALS; k++) y.d[k] = f_x * x.d[k];
  return y;
}

// The same of two, and of six.
HN_INLINE hn_dual dual_chain2(hn_dual x, hn_dual y, double f, double f_x, double f_y) {
  hn_dual z;
  z.v = f;
  for (int k = 0; k < HN_DUALS; k++) z.d[k] = f_x * x.d[k] + f_y * y.d[k];
  return z;
}
HN_INLINE hn_dual dual_chain6(const hn_dual x[6], double f, const double f_x[6]) {
  hn_dual y;
  y.v = f;
  for (int k = 0; k < HN_DUALS; k++) {
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += f_x[i] * x[i].d[k];
    y.d[k] = sum;
  }
  return y;
}

HN_INLINE hn_dual dual_add(hn_dual x, hn_dual y) { return dual_chain2(x, y, x.v + y.v, 1, 1); }
HN_INLINE hn_dual dual_sub(hn_dual x, hn_dual y) { return dual_chain2(x, y, x.v - y.v, 1, -1); }
HN_INLINE hn_dual dual_mul(hn_dual x, hn_dual y) { return dual_chain2(x, y, x.v * y.v, y.v, x.v); }
HN_INLINE hn_dual dual_div(hn_dual x, hn_dual y) {
  return dual_chain2(x, y, x.v / y.v, 1 / y.v, -x.v / (y.v * y.v));
}
HN_INLINE hn_dual dual_scale(double a, hn_dual x) { return dual_chain(x, a * x.v, a); }
HN_INLINE hn_dual dual_shift(hn_dual x, double a) { return dual_chain(x, x.v + a, 1); }
HN_INLINE hn_dual dual_square(hn_dual x) { return dual_chain(x, x.v * x.v, 2 * x.v); }
HN_INLINE hn_dual dual_line(double a, double b, hn_dual x) { // a + b x
  return dual_chain(x, a + b * x.v, b);
}
HN_INLINE hn_dual dual_quadratic(double a, double b, double c, hn_dual x) { // a + b x + c x^2
  return dual_chain(x, a + b * x.v + c * x.v * x.v, b + 2 * c * x.v);
}
HN_INLINE hn_dual dual_sin(hn_dual x) {
  double sine, cosine;
  hn_sincos(x.v, &sine, &cosine);
  return dual_chain(x, sine, cosine);
}
HN_INLINE hn_dual dual_cos(hn_dual x) {
  double sine, cosine;
  hn_sincos(x.v, &sine, &cosine);
  return dual_chain(x, cosine, -sine);
}
HN_INLINE hn_dual dual_tan(hn_dual x) {
  double t = hn_tan(x.v);
  return dual_chain(x, t, 1 + t * t);
}
HN_INLINE hn_dual dual_atan(hn_dual x) { return dual_chain(x, hn_atan(x.v), 1 / (1 + x.v * x.v)); }
HN_INLINE hn_dual dual_exp(hn_dual x) {
  double e = hn_exp(x.v);
  return dual_chain(x, e, e);
}
// The corner at 0 gets slope 0, the mean of both sides: a wheel that stands upright.
HN_INLINE hn_dual dual_abs(hn_dual x) {
  return dual_chain(x, fabs(x.v), x.v > 1e-12 ? 1 : x.v < -1e-12 ? -1 : 0);
}
// The corner at 0, where it has no slope, gets slope 0.
HN_INLINE hn_dual dual_sqrt(hn_dual x) {
  double r = sqrt(x.v);
  return dual_chain(x, r, r > 0 ? 0.5 / r : 0);
}
HN_INLINE hn_dual dual_hypot(hn_dual x, hn_dual y) {
  double r = sqrt(x.v * x.v + y.v * y.v);
  return r > 0 ? dual_chain2(x, y, r, x.v / r, y.v / r) : dual_const(0);
}
HN_INLINE hn_dual dual_at_most(hn_dual x, double limit) {
  return x.v > limit ? dual_const(limit) : x;
}
HN_INLINE hn_dual dual_within(hn_dual x, double low, double high) {
  return x.v < low ? dual_const(low) : dual_at_most(x, high);
}
// cos(atan(x))
HN_INLINE hn_dual dual_cos_atan(hn_dual x) {
  double c = 1 / sqrt(1 + x.v * x.v);
  return dual_chain(x, c, -x.v * c * c * c);
}

// ---- plain numbers ------------------------------------------------------------------------------

HN_INLINE double plain_const(double v) { return v; }
HN_INLINE double plain_value(double x) { return x; }
HN_INLINE double plain_input(double v, int index) {
  (void)index;
  return v;
}
HN_INLINE double plain_chain(double x, double f, double f_x) {
  (void)x;
  (void)f_x;
  return f;
}
HN_INLINE double plain_chain2(double x, double y, double f, double f_x, double f_y) {
  (void)y;
  (void)f_y;
  return plain_chain(x, f, f_x);
}
HN_INLINE double plain_chain6(const double x[6], double f, const double f_x[6]) {
  return plain_chain(x[0], f, f_x[0]);
}
HN_INLINE double plain_add(double x, double y) { return x + y; }
HN_INLINE double plain_sub(double x, double y) { return x - y; }
HN_INLINE double plain_mul(double x, double y) { return x * y; }
HN_INLINE double plain_div(double x, double y) { return x / y; }
HN_INLINE double plain_scale(double a, double x) { return a * x; }
HN_INLINE double plain_shift(double x, double a) { return x + a; }
HN_INLINE double plain_square(double x) { return x * x; }
HN_INLINE double plain_line(double a, double b, double x) { return a + b * x; }
HN_INLINE double plain_quadratic(double a, double b, double c, double x) {
  return a + b * x + c * x * x;
}
HN_INLINE double plain_sin(double x) { return hn_sin(x); }
HN_INLINE double plain_cos(double x) { return hn_cos(x); }
HN_INLINE double plain_tan(double x) { return hn_tan(x); }
HN_INLINE double plain_atan(double x) { return hn_atan(x); }
HN_INLINE double plain_exp(double x) { return hn_exp(x); }
HN_INLINE double plain_abs(double x) { return fabs(x); }
HN_INLINE double plain_sqrt(double x) { return sqrt(x); }
HN_INLINE double plain_hypot(double x, double y) { return sqrt(x * x + y * y); }
HN_INLINE double plain_at_most(double x, double limit) { return x > limit ? limit : x; }
HN_INLINE double plain_within(double x, double low, double high) {
  return x < low ? low : plain_at_most(x, high);
}
HN_INLINE double plain_cos_atan(double x) { return 1 / sqrt(1 + x * x); }

#endif
