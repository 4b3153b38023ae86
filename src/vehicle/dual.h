// Numbers that carry their derivatives in the six inputs of a tyre: forward differentiation,
// exact to rounding. One text serves as value and derivative, so that the two cannot disagree.
#ifndef HN_VEHICLE_DUAL_H
#define HN_VEHICLE_DUAL_H

#include <math.h>

enum { HN_DUALS = 6 };

typedef struct hn_dual {
  double v, d[HN_DUALS];
} hn_dual;

static inline hn_dual dual(double v) { return (hn_dual){.v = v}; }

static inline hn_dual dual_input(double v, int index) {
  hn_dual x = {.v = v};
  x.d[index] = 1;
  return x;
}

// A function with value f and slope f_x at x.
static inline hn_dual dual_chain(hn_dual x, double f, double f_x) {
  hn_dual y = {.v = f};
  for (int k = 0; k < HN_DUALS; k++) y.d[k] = f_x * x.d[k];
  return y;
}

// The same of two.
static inline hn_dual dual_chain2(hn_dual x, hn_dual y, double f, double f_x, double f_y) {
  hn_dual z = {.v = f};
  for (int k = 0; k < HN_DUALS; k++) z.d[k] = f_x * x.d[k] + f_y * y.d[k];
  return z;
}

static inline hn_dual dual_add(hn_dual x, hn_dual y) { return dual_chain2(x, y, x.v + y.v, 1, 1); }
static inline hn_dual dual_sub(hn_dual x, hn_dual y) { return dual_chain2(x, y, x.v - y.v, 1, -1); }
static inline hn_dual dual_mul(hn_dual x, hn_dual y) {
  return dual_chain2(x, y, x.v * y.v, y.v, x.v);
}
static inline hn_dual dual_div(hn_dual x, hn_dual y) {
  return dual_chain2(x, y, x.v / y.v, 1 / y.v, -x.v / (y.v * y.v));
}
static inline hn_dual dual_scale(double a, hn_dual x) { return dual_chain(x, a * x.v, a); }
static inline hn_dual dual_shift(hn_dual x, double a) { return dual_chain(x, x.v + a, 1); }
static inline hn_dual dual_square(hn_dual x) { return dual_chain(x, x.v * x.v, 2 * x.v); }
static inline hn_dual dual_line(double a, double b, hn_dual x) { // a + b x
  return dual_chain(x, a + b * x.v, b);
}
static inline hn_dual dual_quadratic(double a, double b, double c, hn_dual x) { // a + b x + c x^2
  return dual_chain(x, a + b * x.v + c * x.v * x.v, b + 2 * c * x.v);
}
static inline hn_dual dual_sin(hn_dual x) { return dual_chain(x, sin(x.v), cos(x.v)); }
static inline hn_dual dual_cos(hn_dual x) { return dual_chain(x, cos(x.v), -sin(x.v)); }
static inline hn_dual dual_tan(hn_dual x) {
  double t = tan(x.v);
  return dual_chain(x, t, 1 + t * t);
}
static inline hn_dual dual_atan(hn_dual x) { return dual_chain(x, atan(x.v), 1 / (1 + x.v * x.v)); }
static inline hn_dual dual_exp(hn_dual x) {
  double e = exp(x.v);
  return dual_chain(x, e, e);
}
// The corner at 0 gets slope 0, the mean of both sides: a wheel that stands upright.
static inline hn_dual dual_abs(hn_dual x) {
  return dual_chain(x, fabs(x.v), x.v > 1e-12 ? 1 : x.v < -1e-12 ? -1 : 0);
}
// The corner at 0, where it has no slope, gets slope 0.
static inline hn_dual dual_sqrt(hn_dual x) {
  double r = sqrt(x.v);
  return dual_chain(x, r, r > 0 ? 0.5 / r : 0);
}
static inline hn_dual dual_hypot(hn_dual x, hn_dual y) {
  double r = sqrt(x.v * x.v + y.v * y.v);
  return r > 0 ? dual_chain2(x, y, r, x.v / r, y.v / r) : dual(0);
}
static inline hn_dual dual_at_most(hn_dual x, double limit) {
  return x.v > limit ? dual(limit) : x;
}
static inline hn_dual dual_within(hn_dual x, double low, double high) {
  return x.v < low ? dual(low) : dual_at_most(x, high);
}
// cos(atan(x))
static inline hn_dual dual_cos_atan(hn_dual x) {
  double c = 1 / sqrt(1 + x.v * x.v);
  return dual_chain(x, c, -x.v * c * c * c);
}

#endif
