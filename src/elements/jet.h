// Numbers with their derivatives in the motion of one body: small translations and rotations of its
// pose (global axes), velocity and angular velocity. And the same operations on plain numbers, so
// that one text (rolling_formulas.h) serves both.
#ifndef HN_ELEMENTS_JET_H
#define HN_ELEMENTS_JET_H

#include <math.h>

#include "base/variants.h"

enum { HN_JET = 12 };

typedef struct hn_jet {
  double v, d[HN_JET];
} hn_jet;

HN_INLINE hn_jet jet_const(double v) { return (hn_jet){.v = v}; }
HN_INLINE double jet_value(hn_jet x) { return x.v; }
HN_INLINE hn_jet jet_chain(hn_jet x, double f, double f_x) {
  hn_jet y;
  y.v = f;
  for (int k = 0; k < HN_JET; k++) y.d[k] = f_x * x.d[k];
  return y;
}
HN_INLINE hn_jet jet_chain2(hn_jet x, hn_jet y, double f, double f_x, double f_y) {
  hn_jet z;
  z.v = f;
  for (int k = 0; k < HN_JET; k++) z.d[k] = f_x * x.d[k] + f_y * y.d[k];
  return z;
}
HN_INLINE hn_jet jet_chain6(const hn_jet x[6], double f, const double f_x[6]) {
  hn_jet y;
  y.v = f;
  for (int k = 0; k < HN_JET; k++) {
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += f_x[i] * x[i].d[k];
    y.d[k] = sum;
  }
  return y;
}
HN_INLINE hn_jet jet_add(hn_jet x, hn_jet y) { return jet_chain2(x, y, x.v + y.v, 1, 1); }
HN_INLINE hn_jet jet_sub(hn_jet x, hn_jet y) { return jet_chain2(x, y, x.v - y.v, 1, -1); }
HN_INLINE hn_jet jet_mul(hn_jet x, hn_jet y) { return jet_chain2(x, y, x.v * y.v, y.v, x.v); }
HN_INLINE hn_jet jet_div(hn_jet x, hn_jet y) {
  return jet_chain2(x, y, x.v / y.v, 1 / y.v, -x.v / (y.v * y.v));
}

HN_INLINE double plain_const(double v) { return v; }
HN_INLINE double plain_value(double x) { return x; }
HN_INLINE double plain_chain(double x, double f, double f_x) {
  (void)x;
  (void)f_x;
  return f;
}
HN_INLINE double plain_chain2(double x, double y, double f, double f_x, double f_y) {
  (void)x;
  (void)y;
  (void)f_x;
  (void)f_y;
  return f;
}
HN_INLINE double plain_chain6(const double x[6], double f, const double f_x[6]) {
  (void)x;
  (void)f_x;
  return f;
}
HN_INLINE double plain_add(double x, double y) { return x + y; }
HN_INLINE double plain_sub(double x, double y) { return x - y; }
HN_INLINE double plain_mul(double x, double y) { return x * y; }
HN_INLINE double plain_div(double x, double y) { return x / y; }

#endif
