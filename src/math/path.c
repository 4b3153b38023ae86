#include "math/path.h"

#include <math.h>

hn_path hn_path_through(const double *values, int stride) {
  double f[HN_PATH_NODES];
  for (int k = 0; k < HN_PATH_NODES; k++) f[k] = values[k * stride];
  // forward differences, then powers of x = 4 theta
  const double d1 = f[1] - f[0], d2 = f[2] - 2 * f[1] + f[0],
               d3 = f[3] - 3 * f[2] + 3 * f[1] - f[0];
  const double d4 = f[4] - 4 * f[3] + 6 * f[2] - 4 * f[1] + f[0];
  return (hn_path){{f[0], 4 * (d1 - d2 / 2 + d3 / 3 - d4 / 4),
                    16 * (d2 / 2 - d3 / 2 + 11 * d4 / 24), 64 * (d3 / 6 - d4 / 4),
                    256 * (d4 / 24)}};
}

hn_path hn_path_hermite(double a, double a_slope, double b, double b_slope) {
  return (hn_path){
      {a, a_slope, 3 * (b - a) - 2 * a_slope - b_slope, 2 * (a - b) + a_slope + b_slope, 0}};
}

hn_bounds hn_path_hull(double a, double a_slope, double b, double b_slope, double slack) {
  const double x1 = a + a_slope / 3, x2 = b - b_slope / 3, middle = 3 * (b - a) - a_slope - b_slope;
  const double wider = slack * (fabs(x1 - a) + fabs(x2 - b));
  const double low = fmin(x1, x2) - wider * (x1 < a || x2 < b),
               high = fmax(x1, x2) + wider * (x1 > a || x2 > b);
  return (hn_bounds){{fmin(fmin(a, b), low), fmax(fmax(a, b), high)},
                     {fmin(fmin(a_slope, b_slope), middle), fmax(fmax(a_slope, b_slope), middle)}};
}

hn_path hn_path_derivative(const hn_path *p) {
  return (hn_path){{p->c[1], 2 * p->c[2], 3 * p->c[3], 4 * p->c[4], 0}};
}

hn_path hn_path_line(double a, double b) { return (hn_path){{a, b - a, 0, 0, 0}}; }

hn_bounds hn_path_bounds(const hn_path *path, double from, double to) {
  int count = HN_PATH_NODES;
  while (count > 2 && path->c[count - 1] == 0) count--;
  return hn_polynomial_bounds(path->c, count, (hn_bounds){{from, to}, {1, 1}});
}

hn_taylor hn_path_taylor(const hn_path *path, double middle, double half) {
  double c[HN_PATH_NODES], power = half;
  int count = HN_PATH_NODES;
  while (count > 1 && path->c[count - 1] == 0) count--;
  hn_taylor f = {.is_constant = count == 1};
  for (int k = 0; k < HN_PATH_NODES; k++) c[k] = path->c[k];
  for (int k = 0; k < count - 1; k++)
    for (int i = count - 2; i >= k; i--) c[i] += middle * c[i + 1]; // Taylor shift by Horner
  f.c[0] = c[0];
  for (int k = 1; k < count; k++, power *= half) f.c[k] = c[k] * power;
  f.error = 1e-15 * (fabs(f.c[0]) + hn_law_taylor_radius(&f));
  if (count == 1) f.error = 0;
  return f;
}
