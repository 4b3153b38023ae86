// The length of a plane vector without overflow of its square.
#include "math/elementary.h"

#include "math/elementary/pair.h"

double hn_hypot(double x, double y) {
  const double square = x * x + y * y;
  if (square > 0x1p-900 && square < 0x1p1000) return sqrt(square);
  if (isinf(x) || isinf(y)) return HUGE_VAL;
  const double up = square > 1 ? 0x1p-600 : 0x1p600;
  x *= up;
  y *= up;
  return sqrt(x * x + y * y) / up;
}
