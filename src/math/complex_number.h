// Magnitude and quotient of complex numbers with the same bits everywhere: those of the C library and of
// the compiler's run-time library differ.
#ifndef HN_MATH_COMPLEX_NUMBER_H
#define HN_MATH_COMPLEX_NUMBER_H

#include <complex.h>
#include <math.h>

#include "math/elementary.h"

static inline double complex_magnitude(double complex z) { return hn_hypot(creal(z), cimag(z)); }

// x/y by the quotient of the parts of y, which does not overflow (Smith, Algorithm 116, CACM 5, 1962).
static inline double complex complex_quotient(double complex x, double complex y) {
  const double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
  if (fabs(c) >= fabs(d)) {
    const double r = d / c, size = c + d * r;
    return (a + b * r) / size + I * ((b - a * r) / size);
  }
  const double r = c / d, size = c * r + d;
  return (a * r + b) / size + I * ((b * r - a) / size);
}

#endif
