// Taylor models of tables of two variables. Within one patch the table is
//
//   f = sum_ij c_ij s^i r^j,  i, j <= 3
//
// with (s, r) the position from its first corner.
#include "math/taylor_table.h"

#include <math.h>

enum { COUNT = 4 };

// The interval that holds all of u, from -1 if none does. Beyond an end that holds its value u
// becomes that end.
static int interval_of(const double *x, int count, const hn_table_options *options, hn_taylor *u) {
  double from, to;
  hn_law_taylor_range(u, &from, &to);
  if (options->outside == HN_TABLE_HOLD && to <= x[0]) *u = hn_law_taylor_constant(x[0]);
  if (options->outside == HN_TABLE_HOLD && from >= x[count - 1])
    *u = hn_law_taylor_constant(x[count - 1]);
  hn_law_taylor_range(u, &from, &to);
  int low = 0, high = count - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (from >= x[middle])
      low = middle;
    else
      high = middle;
  }
  if (!(from >= x[low] && to <= x[low + 1])) return -1;
  u->c[0] -= x[low];
  return low;
}

// c_ij from the corners: their values and slopes (lookup.h) times the weights of both sides.
static void find_coefficients(const hn_lookup *table, int i, int j, double c[COUNT][COUNT]) {
  double wx[COUNT][COUNT], wy[COUNT][COUNT];
  hn_lookup_weights(&table->options, table->x[i + 1] - table->x[i], wx);
  hn_lookup_weights(&table->options, table->y[j + 1] - table->y[j], wy);
  for (int b = 0; b < 2; b++)
    for (int a = 0; a < 2; a++) {
      const double *f = table->corner[(size_t)(j + b) * (size_t)table->columns + (size_t)(i + a)];
      for (int n = 0; n < COUNT; n++) {
        const double value = wx[2 * a][n] * f[0] + wx[2 * a + 1][n] * f[1],
                     slope = wx[2 * a][n] * f[2] + wx[2 * a + 1][n] * f[3];
        for (int m = 0; m < COUNT; m++) c[n][m] += wy[2 * b][m] * value + wy[2 * b + 1][m] * slope;
      }
    }
}

int hn_lookup_taylor(const hn_lookup *table, hn_taylor *u, const hn_taylor *v) {
  hn_taylor s = *u, r = *v, f = hn_law_taylor_constant(0);
  const int i = interval_of(table->x, table->columns, &table->options, &s),
            j = interval_of(table->y, table->rows, &table->options, &r);
  if (i < 0 || j < 0) return 0;
  double c[COUNT][COUNT] = {{0}};
  find_coefficients(table, i, j, c);
  for (int n = COUNT - 1; n >= 0; n--) {
    const hn_taylor row = hn_law_taylor_polynomial(c[n], COUNT, &r);
    f = hn_law_taylor_multiply(&f, &s);
    hn_law_taylor_binary(HN_BINARY_ADD, &f, &row);
  }
  *u = f;
  return 1;
}
