// Bounds of tables. Of one variable they are laws. Of two, every patch that the intervals meet is
// enclosed: there the table is a polynomial in (s, r), the position inside the patch, with the Hermite
// weights of its corners,
//
//   f = sum_ab W_a(s) W_b(r) F_ab
//
// with bounds of each weight. They shrink with the intervals.
#include "math/bounds_table.h"

#include <math.h>

#include "math/expression_code.h"

static hn_bounds level(double value) {
  return (hn_bounds){hn_interval_at(value), hn_interval_at(0)};
}

static hn_bounds multiply(hn_bounds u, hn_bounds v) {
  int unused = 0;
  return hn_bounds_binary(HN_BINARY_MULTIPLY, u, v, &unused);
}

static hn_bounds add(hn_bounds u, hn_bounds v) {
  int unused = 0;
  return hn_bounds_binary(HN_BINARY_ADD, u, v, &unused);
}

static hn_bounds hull(hn_bounds u, hn_bounds v) {
  return (hn_bounds){{fmin(u.value.low, v.value.low), fmax(u.value.high, v.value.high)},
                     {fmin(u.slope.low, v.slope.low), fmax(u.slope.high, v.slope.high)}};
}

// One side of the grid: which interval, and the part of u in it; is_outside: beyond its ends.
typedef struct side {
  const double *x;
  int count, first, last;
  const hn_table_options *options;
} side;

static int interval_at(const double *x, int count, double at) {
  int low = 0, high = count - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (at >= x[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

static side side_of(const double *x, int count, const hn_table_options *options, hn_bounds u) {
  return (side){x, count, interval_at(x, count, u.value.low), interval_at(x, count, u.value.high),
                options};
}

// Bounds of the weights of f0, f0', f1, f1' for s in an interval of size h.
static void weights(const side *of, double h, hn_bounds s, hn_bounds w[4]) {
  double of_s[4][4];
  const int count = of->options->kind == HN_TABLE_LINEAR ? 2 : 4;
  hn_lookup_weights(of->options, h, of_s);
  for (int k = 0; k < 4; k++) w[k] = hn_polynomial_bounds(of_s[k], count, s);
}

// Beyond an end: continued with the tangent there, or constant: an affine function of s.
static void weights_beyond(const side *of, double h, double end, hn_bounds s, hn_bounds w[4]) {
  const hn_bounds at = level(end);
  const double u = end / h;
  const double slope[4] = {6 * u * (u - 1) / h, 1 + u * (3 * u - 4), 6 * u * (1 - u) / h,
                           u * (3 * u - 2)};
  const double straight[4] = {-1 / h, 0, 1 / h, 0};
  weights(of, h, at, w);
  if (of->options->outside == HN_TABLE_HOLD) return;
  const hn_bounds beyond = add(s, level(-end));
  for (int k = 0; k < 4; k++)
    w[k] = add(w[k], multiply(level(of->options->kind == HN_TABLE_LINEAR ? straight[k] : slope[k]),
                              beyond));
}

// Weights of interval i for the part of u in it: parts inside, before and beyond; how many there are.
static int parts_of(const side *of, int i, hn_bounds u, hn_bounds w[3][4]) {
  const double x0 = of->x[i], h = of->x[i + 1] - x0;
  int count = 0;
  hn_bounds s = u;
  s.value = (hn_interval){fmax(u.value.low - x0, 0), fmin(u.value.high - x0, h)};
  if (s.value.low <= s.value.high) weights(of, h, s, w[count++]);
  if (i == 0 && u.value.low < x0) {
    s.value = (hn_interval){u.value.low - x0, fmin(u.value.high - x0, 0)};
    weights_beyond(of, h, 0, s, w[count++]);
  }
  if (i == of->count - 2 && u.value.high > x0 + h) {
    s.value = (hn_interval){fmax(u.value.low - x0, h), u.value.high - x0};
    weights_beyond(of, h, h, s, w[count++]);
  }
  return count;
}

static hn_interval scaled_by(double factor, hn_interval u) {
  if (factor == 0) return (hn_interval){0, 0};
  const double a = factor * u.low, b = factor * u.high, noise = 1e-15 * (fabs(a) + fabs(b));
  return (hn_interval){fmin(a, b) - noise, fmax(a, b) + noise};
}

// f_0 w_0 + f_1 w_1 + f_2 w_2 + f_3 w_3
static hn_bounds weighted(const double f[4], const hn_bounds w[4]) {
  hn_bounds sum = {scaled_by(f[0], w[0].value), scaled_by(f[0], w[0].slope)};
  for (int k = 1; k < 4; k++)
    if (f[k] != 0)
      sum = add(sum, (hn_bounds){scaled_by(f[k], w[k].value), scaled_by(f[k], w[k].slope)});
  return sum;
}

static hn_bounds patch(const hn_lookup *table, int i, int j, const hn_bounds wx[4],
                       const hn_bounds wy[4]) {
  hn_bounds sum = level(0);
  for (int k = 0; k < 4; k++) { // values and slopes along y, at both ends
    const double *a = table->corner[(size_t)(j + k / 2) * (size_t)table->columns + (size_t)i];
    const double *b = a + 4;
    const int at = 2 * (k % 2); // f, f_x, f_y, f_xy
    const double f[4] = {a[at], a[at + 1], b[at], b[at + 1]};
    if (f[0] != 0 || f[1] != 0 || f[2] != 0 || f[3] != 0)
      sum = add(sum, multiply(weighted(f, wx), wy[k]));
  }
  return sum;
}

static hn_bounds map_bounds(const hn_lookup *table, hn_bounds u, hn_bounds v) {
  const side x = side_of(table->x, table->columns, &table->options, u);
  const side y = side_of(table->y, table->rows, &table->options, v);
  hn_bounds all = {{HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, -HUGE_VAL}}, wx[3][4], wy[3][4];
  for (int j = y.first; j <= y.last; j++) {
    const int parts_y = parts_of(&y, j, v, wy);
    for (int i = x.first; i <= x.last; i++) {
      const int parts_x = parts_of(&x, i, u, wx);
      for (int q = 0; q < parts_y; q++)
        for (int p = 0; p < parts_x; p++) all = hull(all, patch(table, i, j, wx[p], wy[q]));
    }
  }
  return all;
}

hn_bounds hn_lookup_bounds(const hn_lookup *table, hn_bounds u, hn_bounds v,
                           hn_branching *branching) {
  const int bends =
      hn_lookup_bends(table) && hn_lookup_piece(table, u.value.low, v.value.low) !=
                                    hn_lookup_piece(table, u.value.high, v.value.high);
  branching->switches += bends;
  branching->marked += bends;
  if (table->law) return hn_curve_bounds(table->law, u, NULL);
  if (!isfinite(hn_interval_width(u.value)) || !isfinite(hn_interval_width(v.value)))
    return (hn_bounds){{-HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, HUGE_VAL}};
  return map_bounds(table, u, v);
}
