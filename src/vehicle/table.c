// A tyre by measured points on a full grid of kappa, alpha, gamma and fz: linear in each of them
// between the points, constant beyond. mu is the similarity of curves: forces times mu at slips
// over mu.
#include "vehicle/tyre.h"

// The cell of x on an axis and how far x is in it (0 .. 1), with its slope.
typedef struct place {
  int cell;
  hn_dual part;
} place;

static place locate(int count, const double *axis, hn_dual x) {
  if (count < 2) return (place){0, dual(0)};
  x = dual_within(x, axis[0], axis[count - 1]);
  int low = 0, high = count - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (axis[middle] <= x.v)
      low = middle;
    else
      high = middle;
  }
  double step = axis[high] - axis[low];
  return (place){low, dual_line(-axis[low] / step, 1 / step, x)};
}

// Corner k of the cell: bit j chooses the upper end of axis j. Its weight, and its place among
// the values.
static hn_dual corner(const hn_tyre_grid *g, const place at[4], int k, size_t *index) {
  hn_dual weight = dual(1);
  *index = 0;
  for (int j = 0; j < 4; j++) {
    int upper = (k >> j) & 1, cell = at[j].cell + upper;
    if (cell > g->count[j] - 1) cell = g->count[j] - 1; // an axis of one point
    weight = dual_mul(weight, upper ? at[j].part : dual_line(1, -1, at[j].part));
    *index = *index * (size_t)g->count[j] + (size_t)cell;
  }
  return weight;
}

hn_tyre_outputs hn_tyre_table(const hn_tyre *t, const hn_tyre_inputs *in) {
  const hn_tyre_grid *g = &t->grid;
  hn_dual mu = in->mu.v > 0 ? in->mu : dual(1e-9);
  const hn_dual at[4] = {dual_div(in->kappa, mu), dual_div(in->alpha, mu), in->gamma, in->fz};
  place places[4];
  for (int j = 0; j < 4; j++) places[j] = locate(g->count[j], g->axis[j], at[j]);
  hn_tyre_outputs out = {0};
  hn_dual *sums[HN_TYRE_OUTPUTS] = {&out.fx, &out.fy, &out.mx, &out.my, &out.mz};
  for (int k = 0; k < 16; k++) {
    size_t index;
    hn_dual weight = corner(g, places, k, &index);
    for (int i = 0; i < HN_TYRE_OUTPUTS; i++)
      if (g->values[i]) *sums[i] = dual_add(*sums[i], dual_scale(g->values[i][index], weight));
  }
  hn_dual turn = rolling_sign(in->vx, HN_P(t, VXLOW));
  for (int i = 0; i < HN_TYRE_OUTPUTS; i++)
    if (i != 3) *sums[i] = dual_mul(*sums[i], mu);
  out.my = dual_mul(out.my, turn);
  out.mz = dual_mul(out.mz, turn);
  return out;
}
