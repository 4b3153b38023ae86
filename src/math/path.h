// A number along a step: a polynomial of degree 4 in the fraction theta of the step, through its values
// at five equidistant nodes. Of a state that follows a smooth dense output it is exact to fifth order.
#ifndef HN_MATH_PATH_H
#define HN_MATH_PATH_H

#include "math/bounds.h"
#include "math/taylor.h"

enum { HN_PATH_NODES = 5 };

typedef struct hn_path {
  double c[HN_PATH_NODES];
} hn_path;

static inline double hn_path_node(int k) { return (double)k / (HN_PATH_NODES - 1); }

// Through values at the nodes; node k lies at k * stride.
hn_path hn_path_through(const double *values, int stride);
// The cubic with values a and b and derivatives by theta at both ends.
hn_path hn_path_hermite(double a, double a_slope, double b, double b_slope);
hn_path hn_path_derivative(const hn_path *path);
hn_path hn_path_line(double a, double b);
static inline double hn_path_at(const hn_path *path, double theta) {
  const double *c = path->c;
  return c[0] + theta * (c[1] + theta * (c[2] + theta * (c[3] + theta * c[4])));
}
// Bounds of such a cubic and of its slope by its control points, which are widened by `slack` times
// their distance from the ends where they lie outside of these.
hn_bounds hn_path_hull(double a, double a_slope, double b, double b_slope, double slack);
// Over part of the step; the slope is by theta.
hn_bounds hn_path_bounds(const hn_path *path, double from, double to);
// Over the part from middle - half to middle + half.
hn_taylor hn_path_taylor(const hn_path *path, double middle, double half);

#endif
