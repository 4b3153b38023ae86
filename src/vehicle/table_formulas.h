// A tyre by measured points on a full grid of kappa, alpha, gamma and fz: linear in each of them
// between the points, constant beyond. mu is the similarity of curves: forces times mu at slips
// over mu.

// The cell of x on an axis and how far x is in it (0 .. 1), with its slope.
typedef struct N(grid_place) {
  int cell;
  NUMBER part;
} N(grid_place);

static N(grid_place) N(grid_locate)(int count, const double *axis, NUMBER x) {
  if (count < 2) return (N(grid_place)){0, N(const)(0)};
  x = N(within)(x, axis[0], axis[count - 1]);
  int low = 0, high = count - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (axis[middle] <= N(value)(x))
      low = middle;
    else
      high = middle;
  }
  double step = axis[high] - axis[low];
  return (N(grid_place)){low, N(line)(-axis[low] / step, 1 / step, x)};
}

// Corner k of the cell: bit j chooses the upper end of axis j. Its weight, and its N(grid_place) among
// the values.
static NUMBER N(grid_corner)(const hn_tyre_grid *g, const N(grid_place) at[4], int k,
                             size_t *index) {
  NUMBER weight = N(const)(1);
  *index = 0;
  for (int j = 0; j < 4; j++) {
    int upper = (k >> j) & 1, cell = at[j].cell + upper;
    if (cell > g->count[j] - 1) cell = g->count[j] - 1; // an axis of one point
    weight = N(mul)(weight, upper ? at[j].part : N(line)(1, -1, at[j].part));
    *index = *index * (size_t)g->count[j] + (size_t)cell;
  }
  return weight;
}

static N(outputs) N(table)(const hn_tyre *t, const N(inputs) * in) {
  const hn_tyre_grid *g = &t->grid;
  NUMBER mu = N(value)(in->mu) > 0 ? in->mu : N(const)(1e-9);
  const NUMBER at[4] = {N(div)(in->kappa, mu), N(div)(in->alpha, mu), in->gamma, in->fz};
  N(grid_place) places[4];
  for (int j = 0; j < 4; j++) places[j] = N(grid_locate)(g->count[j], g->axis[j], at[j]);
  N(outputs) out = {0};
  NUMBER *sums[HN_TYRE_OUTPUTS] = {&out.fx, &out.fy, &out.mx, &out.my, &out.mz};
  for (int k = 0; k < 16; k++) {
    size_t index;
    NUMBER weight = N(grid_corner)(g, places, k, &index);
    for (int i = 0; i < HN_TYRE_OUTPUTS; i++)
      if (g->values[i]) *sums[i] = N(add)(*sums[i], N(scale)(g->values[i][index], weight));
  }
  NUMBER turn = N(rolling_sign)(in->vx, HN_P(t, VXLOW));
  for (int i = 0; i < HN_TYRE_OUTPUTS; i++)
    if (i != 3) *sums[i] = N(mul)(*sums[i], mu);
  out.my = N(mul)(out.my, turn);
  out.mz = N(mul)(out.mz, turn);
  return out;
}
