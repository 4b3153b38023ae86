// Steps of derivatives by differences.
#ifndef HN_INTEGRATE_DIFFERENCES_H
#define HN_INTEGRATE_DIFFERENCES_H

#include <math.h>

static inline double hn_shifted(double x, double shift) {
  volatile double to = x + shift * (1 + fabs(x)); // a number, so that the difference is exact
  return to;
}

#endif
