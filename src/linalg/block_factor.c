// Block L D L' without square roots, right-looking: with S the block of a node, O its couplings to
// later nodes,
//
//   S = L D L',  Z = L^-1 O,  Y = D^-1 Z,  X = L^-T Y,   targets -= Z' Y
//
// X replaces O: then a solution needs matrix-vector products only, S^-1 r outside of the chain of
// dependencies, r_n -= X' r forward and y = S^-1 r - X y_n backward.
#include "linalg/block_factor.h"

#include <math.h>

#include "linalg/block.h"

#define LEAST 1e-13 // a tenth of the least regularization

// ---- factorization ------------------------------------------------------------------------------

// L (unit, strictly lower) and 1 / D of the block in the first columns of the panel.
HN_INLINE void factor_block(int size, int is_body, double *panel, int stride, double l[6][6],
                            double *inverse) {
  HN_UNROLL for (int i = 0; i < size; i++)
    HN_UNROLL for (int j = 0; j <= i; j++) l[i][j] = panel[i * stride + j];
  HN_UNROLL for (int k = 0; k < size; k++) {
    double d = l[k][k];
    if (!(is_body ? d < -LEAST : d > LEAST)) d = is_body ? -LEAST : LEAST;
    inverse[k] = 1 / d;
    HN_UNROLL for (int i = size - 1; i > k; i--) {
      const double factor = l[i][k] * inverse[k];
      HN_UNROLL for (int j = k + 1; j <= i; j++) l[i][j] -= factor * l[j][k];
      l[i][k] = factor;
    }
  }
  HN_UNROLL for (int i = 0; i < size; i++) {
    panel[i * stride + i] = inverse[i];
    HN_UNROLL for (int j = 0; j < i; j++) panel[i * stride + j] = l[i][j];
  }
}

// `lanes` columns of O: Z and Y aside, X in their place.
HN_INLINE void solve_columns(int wide, int size, int lanes, double l[6][6], const double *inverse,
                             double *panel, int stride, double *z, double *y, int width) {
  hn_lanes row[6];
  HN_UNROLL for (int i = 0; i < size; i++) lanes_load(wide, lanes, &row[i], panel + i * stride);
  HN_UNROLL for (int k = 0; k < size; k++)
    HN_UNROLL for (int i = k + 1; i < size; i++)
      lanes_subtract(wide, lanes, &row[i], l[i][k], &row[k]);
  HN_UNROLL for (int i = 0; i < size; i++) {
    lanes_store(wide, lanes, &row[i], z + i * width);
    lanes_scale(wide, lanes, &row[i], inverse[i], &row[i]);
    lanes_store(wide, lanes, &row[i], y + i * width);
  }
  HN_UNROLL for (int k = size - 1; k > 0; k--)
    HN_UNROLL for (int i = 0; i < k; i++)
      lanes_subtract(wide, lanes, &row[i], l[k][i], &row[k]);
  HN_UNROLL for (int i = 0; i < size; i++) lanes_store(wide, lanes, &row[i], panel + i * stride);
}

// target (rows x lanes) -= Z' Y
HN_INLINE void subtract_product(int wide, int size, int lanes, int rows, const double *z,
                                const double *y, int width, double *target, int stride) {
  hn_lanes row[6];
  HN_UNROLL for (int k = 0; k < size; k++) lanes_load(wide, lanes, &row[k], y + k * width);
  for (int a = 0; a < rows; a++, target += stride) {
    hn_lanes sum;
    lanes_load(wide, lanes, &sum, target);
    HN_UNROLL for (int k = 0; k < size; k++)
      lanes_subtract(wide, lanes, &sum, z[k * width + a], &row[k]);
    lanes_store(wide, lanes, &sum, target);
  }
}

HN_INLINE void eliminate(int wide, int size, const hn_topology *t, int k, int is_body,
                         double *values, double *work) {
  const int stride = t->stride[k], pad = HN_PAD(size), width = stride - pad;
  double *panel = values + t->at[k], *z = work, *y = work + 6 * width, l[6][6], inverse[6];
  factor_block(size, is_body, panel, stride, l, inverse);
  int c = 0;
  for (; c + 4 <= width; c += 4)
    solve_columns(wide, size, 4, l, inverse, panel + pad + c, stride, z + c, y + c, width);
  if (c < width)
    solve_columns(wide, size, 2, l, inverse, panel + pad + c, stride, z + c, y + c, width);
  for (int r = t->run_start[k]; r < t->run_start[k + 1]; r++) {
    const hn_run *run = &t->runs[r];
    const double *zr = z + run->row_column - pad, *yr = y + run->source - pad;
    double *target = values + run->target;
    for (c = 0; c + 4 <= run->width; c += 4)
      subtract_product(wide, size, 4, run->rows, zr, yr + c, width, target + c, run->stride);
    if (c < run->width)
      subtract_product(wide, size, 2, run->rows, zr, yr + c, width, target + c, run->stride);
  }
}

HN_INLINE void factor(int wide, const hn_topology *t, double *values, double *work) {
  for (int k = 0; k < t->nodes; k++) {
    if (t->order[k] < 0) eliminate(wide, 6, t, k, 1, values, work);
    else HN_BY_SIZE(wide, t->size[k], eliminate, t, k, 0, values, work)
  }
}

HN_VARIANTS(factor, (const hn_topology *t, double *values, double *work), (t, values, work))

void hn_block_factor(const hn_topology *t, double *values, double *work, int wide) {
  HN_PICK(wide, factor)(t, values, work);
}

// ---- solution -----------------------------------------------------------------------------------

// y_n -= X' y for a neighbour n.
HN_INLINE void push(int wide, int pad, int size, const double *x, int stride, const double *part,
                    double *other) {
  hn_lanes sum, row;
  lanes_load(wide, pad, &sum, other);
  HN_UNROLL for (int i = 0; i < size; i++) {
    lanes_load(wide, pad, &row, x + i * stride);
    lanes_subtract(wide, pad, &sum, part[i], &row);
  }
  lanes_store(wide, pad, &sum, other);
}

// To all neighbours, then y = S^-1 y.
HN_INLINE void forward(int wide, int size, const hn_topology *t, int k, const double *values,
                       const int *y_at, double *y) {
  const int stride = t->stride[k];
  const double *panel = values + t->at[k];
  double *own = y + y_at[k], part[6];
  HN_UNROLL for (int i = 0; i < size; i++) part[i] = own[i];
  for (int e = t->neighbor_start[k]; e < t->neighbor_start[k + 1]; e++) {
    const int n = t->neighbor[e];
    HN_BY_PAD(wide, t->pad[n], push, size, panel + t->column[e], stride, part, y + y_at[n])
  }
  HN_UNROLL for (int j = 0; j < size; j++)
    HN_UNROLL for (int i = j + 1; i < size; i++) part[i] -= panel[i * stride + j] * part[j];
  HN_UNROLL for (int i = 0; i < size; i++) part[i] *= panel[i * stride + i];
  HN_UNROLL for (int j = size - 1; j > 0; j--)
    HN_UNROLL for (int i = 0; i < j; i++) part[i] -= panel[j * stride + i] * part[j];
  HN_UNROLL for (int i = 0; i < size; i++) own[i] = part[i];
}

// part -= X y_n
HN_INLINE void pull(int wide, int pad, int size, const double *x, int stride, const double *other,
                    double *part) {
  hn_lanes from, row;
  lanes_load(wide, pad, &from, other);
  HN_UNROLL for (int i = 0; i < size; i++) {
    lanes_load(wide, pad, &row, x + i * stride);
    lanes_multiply(wide, pad, &row, &row, &from);
    part[i] -= lanes_sum(pad, &row);
  }
}

HN_INLINE void backward(int wide, int size, const hn_topology *t, int k, const double *values,
                        const int *y_at, double *y) {
  const int stride = t->stride[k];
  const double *panel = values + t->at[k];
  double *own = y + y_at[k], part[6];
  HN_UNROLL for (int i = 0; i < size; i++) part[i] = own[i];
  for (int e = t->neighbor_start[k]; e < t->neighbor_start[k + 1]; e++) {
    const int n = t->neighbor[e];
    HN_BY_PAD(wide, t->pad[n], pull, size, panel + t->column[e], stride, y + y_at[n], part)
  }
  HN_UNROLL for (int i = 0; i < size; i++) own[i] = part[i];
}

HN_INLINE void solve(int wide, const hn_topology *t, const double *values, const int *y_at,
                     double *y) {
  for (int k = 0; k < t->nodes; k++)
    HN_BY_SIZE(wide, t->size[k], forward, t, k, values, y_at, y)
  for (int k = t->nodes - 1; k >= 0; k--)
    HN_BY_SIZE(wide, t->size[k], backward, t, k, values, y_at, y)
}

HN_VARIANTS(solve, (const hn_topology *t, const double *values, const int *y_at, double *y),
            (t, values, y_at, y))

void hn_block_solve(const hn_topology *t, const double *values, const int *y_at, double *y,
                    int wide) {
  HN_PICK(wide, solve)(t, values, y_at, y);
}
