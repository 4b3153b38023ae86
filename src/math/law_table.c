// Laws through points: natural cubic splines and straight lines, both continued by their end
// tangents.
//
// Spline, on x_i to x_(i+1) with h_i = x_(i+1) - x_i and s = x - x_i:
//
//   f = y_i + b_i s + c_i s^2 + d_i s^3
//   h_(i-1) c_(i-1) + 2 (h_(i-1) + h_i) c_i + h_i c_(i+1) = 3 (m_i - m_(i-1)),  c_0 = c_(n-1) = 0
//   m_i = (y_(i+1) - y_i) / h_i,  b_i = m_i - h_i (2 c_i + c_(i+1)) / 3,  d_i = (c_(i+1) - c_i) / 3
//   h_i
//
// The second derivative is 0 at both ends, so the straight continuation is twice continuously
// differentiable as well: no breakpoint anywhere. The system is diagonally dominant and
// tridiagonal: elimination without pivoting is stable.
//
// Out of scope: evaluation and integration constants, which are those of all segments
// (law_integral.c).
#include <limits.h>
#include <math.h>

#include "base/error.h"
#include "math/law_private.h"

hn_status hn_table_check(const double *x, const double *y, int count, hn_error *error) {
  if (count < 2 || !x || !y)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "give at least two points [x, y]",
                   "the table has %d points", count);
  if (count == INT_MAX)
    return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL, "use fewer points", "the table has %d points",
                   count);
  for (int i = 0; i < count; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i]))
      return hn_fail(error, HN_ERROR_NOT_FINITE, NULL, NULL, "give finite numbers",
                     "point %d of a table is [%g, %g]", i + 1, x[i], y[i]);
    if (i > 0 && !(x[i] > x[i - 1]))
      return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                     "sort the points by x and keep one of each x",
                     "point %d of a table has x = %.17g, which is not above x = %.17g of point %d",
                     i + 1, x[i], x[i - 1], i);
  }
  return HN_OK;
}

static double slope(const double *x, const double *y, int i) {
  return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

// Points so close, or values so large, that differences are no numbers any more.
static hn_status check_finite(const hn_law *law, const double *x, const double *y,
                              hn_error *error) {
  for (int k = 0; k < law->segments; k++)
    for (int i = 0; i < law->count; i++) {
      if (isfinite(law->coefficients[(size_t)k * (size_t)law->count + (size_t)i])) continue;
      int point = k < 1 ? 0 : k - 1;
      return hn_fail(
          error, HN_ERROR_NOT_FINITE, NULL, NULL, "use smaller values or wider point spacing",
          "a table is too steep near its point %d, [%.17g, %g]", point + 1, x[point], y[point]);
    }
  return HN_OK;
}

// Segment i is the line from point i; the ends are extrapolated.
static void fill_lines(hn_law *law, const double *x, const double *y, int count) {
  for (int i = 0; i + 1 < count; i++) {
    law->origins[i] = x[i];
    law->coefficients[2 * (size_t)i] = y[i];
    law->coefficients[2 * (size_t)i + 1] = slope(x, y, i);
    if (i > 0) law->breaks[i - 1] = x[i];
  }
  law->pieces = law->segments;
}

// Segment i + 1 starts at point i; segment 0 and the last are the tangents at the ends.
void hn_table_fill_spline(hn_law *law, const double *x, const double *y, int count) {
  double(*rows)[4] = (double(*)[4])(law->coefficients + 4); // rows[i]: y, b, c, d from point i
  int last = count - 1;

  // c by elimination, downwards with the upper diagonal kept in d, and back
  for (int i = 1; i < last; i++) {
    double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
    double pivot = 2 * (h0 + h1) - h0 * rows[i - 1][3];
    rows[i][3] = h1 / pivot;
    rows[i][2] = (3 * (slope(x, y, i) - slope(x, y, i - 1)) - h0 * rows[i - 1][2]) / pivot;
  }
  for (int i = last - 1; i > 0; i--) rows[i][2] -= rows[i][3] * rows[i + 1][2];

  for (int i = 0; i < last; i++) {
    double h = x[i + 1] - x[i], c0 = rows[i][2], c1 = rows[i + 1][2];
    rows[i][0] = y[i];
    rows[i][1] = slope(x, y, i) - h * (2 * c0 + c1) / 3;
    rows[i][3] = (c1 - c0) / (3 * h);
    law->breaks[i] = law->origins[i + 1] = x[i];
  }
  rows[last][0] = y[last];
  rows[last][1] = slope(x, y, last - 1) + (x[last] - x[last - 1]) * rows[last - 1][2] / 3;
  law->breaks[last] = law->origins[count] = x[last];

  law->origins[0] = x[0];
  law->coefficients[0] = y[0];
  law->coefficients[1] = rows[0][1];
}

hn_status hn_table_finish(hn_law *made, const double *x, const double *y, hn_law **law,
                          hn_error *error) {
  hn_status status = check_finite(made, x, y, error);
  if (status == HN_OK) status = hn_law_connect_segments(made, error);
  if (status != HN_OK) {
    hn_law_free(made);
    return status;
  }
  *law = made;
  return HN_OK;
}

hn_status hn_law_table(const double *x, const double *y, int count, hn_table_kind kind,
                       const hn_allocator *allocator, hn_law **law, hn_error *error) {
  *law = NULL;
  hn_law *made = NULL;
  hn_status status = hn_table_check(x, y, count, error);
  if (status != HN_OK) return status;
  if (kind != HN_TABLE_LINEAR && kind != HN_TABLE_SPLINE)
    return hn_law_curve(x, y, count, &(hn_table_options){.kind = kind}, allocator, law, error);
  int is_linear = kind == HN_TABLE_LINEAR;
  status = hn_law_allocate_segments(is_linear ? count - 1 : count + 1, is_linear ? 2 : 4,
                                    HN_LAW_TABLE, allocator, &made, error);
  if (status != HN_OK) return status;
  if (is_linear)
    fill_lines(made, x, y, count);
  else
    hn_table_fill_spline(made, x, y, count);
  return hn_table_finish(made, x, y, law, error);
}
