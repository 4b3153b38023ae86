// A table of forces as a tyre: the rows must be all combinations of the values of kappa, alpha,
// gamma and fz that occur, in any order; a column that is absent has the one value 0 (fz: the
// forces hold for every load).
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "vehicle/columns.h"
#include "vehicle/tir.h"

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The different values of a column, ascending.
static hn_status take_axis(hn_tyre *t, const hn_columns *c, int column, int j, hn_error *error) {
  double *values = HN_TAKE(&t->arena, double, c->rows > 0 ? c->rows : 1);
  if (!values) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  int count = 1;
  if (column >= 0) {
    for (long row = 0; row < c->rows; row++) values[row] = c->values[row * c->count + column];
    qsort(values, (size_t)c->rows, sizeof(double), compare);
    for (long row = 1; row < c->rows; row++)
      if (values[row] != values[count - 1]) values[count++] = values[row];
  }
  t->grid.axis[j] = values;
  t->grid.count[j] = count;
  return HN_OK;
}

static int place_on(const hn_tyre_grid *g, int j, double x) {
  int low = 0, high = g->count[j] - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (g->axis[j][middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Every row into its place; each place must be met once.
static hn_status fill(hn_tyre *t, const hn_columns *c, const int of_axis[4], const int of_value[5],
                      const char *file, hn_error *error) {
  hn_source at = {file, 0, 0};
  hn_tyre_grid *g = &t->grid;
  double *values[HN_TYRE_OUTPUTS] = {NULL};
  for (int i = 0; i < HN_TYRE_OUTPUTS; i++)
    if (of_value[i] >= 0) g->values[i] = values[i] = HN_TAKE(&t->arena, double, c->rows);
  char *met = HN_TAKE(&t->arena, char, c->rows);
  if (t->arena.failed) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (long row = 0; row < c->rows; row++) {
    const double *x = &c->values[row * c->count];
    size_t index = 0;
    for (int j = 0; j < 4; j++)
      index = index * (size_t)g->count[j] +
              (size_t)(of_axis[j] < 0 ? 0 : place_on(g, j, x[of_axis[j]]));
    if (met[index])
      return hn_fail(error, HN_ERROR_MODEL, &at, NULL, "Remove one of the duplicate points.",
                     "the tyre table has a duplicate point (table row %ld)", row + 1);
    met[index] = 1;
    for (int i = 0; i < HN_TYRE_OUTPUTS; i++)
      if (values[i]) values[i][index] = x[of_value[i]];
  }
  return HN_OK;
}

hn_status hn_tyre_grid_read(hn_tyre *t, const char *text, size_t size, const char *file,
                            hn_error *error) {
  static const char *const axes[4] = {"kappa", "alpha", "gamma", "fz"};
  static const char *const outputs[HN_TYRE_OUTPUTS] = {"fx", "fy", "mx", "my", "mz"};
  hn_source at = {file, 0, 0};
  hn_columns c;
  int of_axis[4], of_value[HN_TYRE_OUTPUTS], values = 0;
  hn_status status = hn_columns_read(&t->arena, text, size, file, 1, &c, error);
  if (status != HN_OK) return status;
  for (int j = 0; j < 4; j++) of_axis[j] = hn_columns_find(&c, axes[j]);
  for (int i = 0; i < HN_TYRE_OUTPUTS; i++)
    values += (of_value[i] = hn_columns_find(&c, outputs[i])) >= 0;
  if (values == 0 || c.rows == 0)
    return hn_fail(error, HN_ERROR_MODEL, &at, NULL,
                   "Name the columns kappa, alpha, gamma, fz and fx, fy, mx, my, mz.",
                   "the tyre table has no forces");
  double points = 1;
  for (int j = 0; j < 4; j++) {
    status = take_axis(t, &c, of_axis[j], j, error);
    if (status != HN_OK) return status;
    points *= t->grid.count[j];
  }
  if (points != (double)c.rows)
    return hn_fail(error, HN_ERROR_MODEL, &at, NULL,
                   "Give every combination of the values of its input columns.",
                   "the tyre table is not a full grid (%ld entries, %g grid points)", c.rows,
                   points);
  t->model = HN_TYRE_TABLE;
  return fill(t, &c, of_axis, of_value, file, error);
}
