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
  for (int i = 0; i < size; i++)
    for (int j = 0; j <= i; j++) l[i][j] = panel[i * stride + j];
  for (int k = 0; k < size; k++) {
    double d = l[k][k];
    if (!(is_body ? d < -LEAST : d > LEAST)) d = is_body ? -LEAST : LEAST;
    inverse[k] = 1 / d;
    for (int i = k + 1; i < size; i++) {
      const double factor = l[i][k] * inverse[k];
      for (int j = k + 1; j <= i; j++) l[i][j] -= factor * l[j][k];
    }
    for (int i = k + 1; i < size; i++) l[i][k] *= inverse[k];
  }
  for (int i = 0; i < size; i++) {
    panel[i * stride + i] = inverse[i];
    for (int j = 0; j < i; j++) panel[i * stride + j] = l[i][j];
  }
}

// `lanes` columns of O: Z and Y aside, X in their place.
HN_INLINE void solve_columns(int size, int lanes, double l[6][6], const double *inverse,
                             double *panel, int stride, double *z, double *y, int width) {
  double column[6][4];
  for (int i = 0; i < size; i++)
    for (int c = 0; c < lanes; c++) column[i][c] = panel[i * stride + c];
  for (int i = 1; i < size; i++)
    for (int k = 0; k < i; k++)
      for (int c = 0; c < lanes; c++) column[i][c] -= l[i][k] * column[k][c];
  for (int i = 0; i < size; i++)
    for (int c = 0; c < lanes; c++) {
      z[i * width + c] = column[i][c];
      column[i][c] *= inverse[i];
      y[i * width + c] = column[i][c];
    }
  for (int i = size - 2; i >= 0; i--)
    for (int k = i + 1; k < size; k++)
      for (int c = 0; c < lanes; c++) column[i][c] -= l[k][i] * column[k][c];
  for (int i = 0; i < size; i++)
    for (int c = 0; c < lanes; c++) panel[i * stride + c] = column[i][c];
}

// target (rows x lanes) -= Z' Y
HN_INLINE void subtract_product(int size, int lanes, int rows, const double *z, const double *y,
                                int width, double *target, int stride) {
  double column[6][4];
  for (int k = 0; k < size; k++)
    for (int c = 0; c < lanes; c++) column[k][c] = y[k * width + c];
  for (int a = 0; a < rows; a++, target += stride) {
    double sum[4];
    for (int c = 0; c < lanes; c++) sum[c] = target[c];
    for (int k = 0; k < size; k++)
      for (int c = 0; c < lanes; c++) sum[c] -= z[k * width + a] * column[k][c];
    for (int c = 0; c < lanes; c++) target[c] = sum[c];
  }
}

HN_INLINE void eliminate(int size, const hn_topology *t, int k, int is_body, double *values,
                         double *work) {
  const int stride = t->stride[k], pad = HN_PAD(size), width = stride - pad;
  double *panel = values + t->at[k], *z = work, *y = work + 6 * width, l[6][6], inverse[6];
  factor_block(size, is_body, panel, stride, l, inverse);
  int c = 0;
  for (; c + 4 <= width; c += 4)
    solve_columns(size, 4, l, inverse, panel + pad + c, stride, z + c, y + c, width);
  if (c < width) solve_columns(size, 2, l, inverse, panel + pad + c, stride, z + c, y + c, width);
  for (int r = t->run_start[k]; r < t->run_start[k + 1]; r++) {
    const hn_run *run = &t->runs[r];
    const double *zr = z + run->row_column - pad, *yr = y + run->source - pad;
    double *target = values + run->target;
    for (c = 0; c + 4 <= run->width; c += 4)
      subtract_product(size, 4, run->rows, zr, yr + c, width, target + c, run->stride);
    if (c < run->width)
      subtract_product(size, 2, run->rows, zr, yr + c, width, target + c, run->stride);
  }
}

HN_INLINE void factor(const hn_topology *t, double *values, double *work) {
  for (int k = 0; k < t->nodes; k++) {
    if (t->order[k] < 0) eliminate(6, t, k, 1, values, work);
    else HN_BY_SIZE(t->size[k], eliminate, t, k, 0, values, work)
  }
}

HN_VARIANTS(factor, (const hn_topology *t, double *values, double *work), (t, values, work))

void hn_block_factor(const hn_topology *t, double *values, double *work, int wide) {
  HN_PICK(wide, factor)(t, values, work);
}

// ---- solution -----------------------------------------------------------------------------------

// y_n -= X' y of all neighbours n; then y = S^-1 y.
HN_INLINE void forward(int size, const hn_topology *t, int k, const double *values,
                       const int *y_at, double *y) {
  const int stride = t->stride[k];
  const double *panel = values + t->at[k];
  double *own = y + y_at[k], part[6];
  for (int i = 0; i < size; i++) part[i] = own[i];
  for (int e = t->neighbor_start[k]; e < t->neighbor_start[k + 1]; e++) {
    const double *x = panel + t->column[e];
    const int pad = t->pad[t->neighbor[e]];
    double *other = y + y_at[t->neighbor[e]];
    for (int c = 0; c < pad; c += 2) {
      double sum[2] = {other[c], other[c + 1]};
      for (int i = 0; i < size; i++) {
        sum[0] -= x[i * stride + c] * part[i];
        sum[1] -= x[i * stride + c + 1] * part[i];
      }
      other[c] = sum[0];
      other[c + 1] = sum[1];
    }
  }
  for (int i = 1; i < size; i++)
    for (int j = 0; j < i; j++) part[i] -= panel[i * stride + j] * part[j];
  for (int i = 0; i < size; i++) part[i] *= panel[i * stride + i];
  for (int i = size - 2; i >= 0; i--)
    for (int j = i + 1; j < size; j++) part[i] -= panel[j * stride + i] * part[j];
  for (int i = 0; i < size; i++) own[i] = part[i];
}

// y -= X y_n
HN_INLINE void backward(int size, const hn_topology *t, int k, const double *values,
                        const int *y_at, double *y) {
  const int stride = t->stride[k];
  const double *panel = values + t->at[k];
  double *own = y + y_at[k], part[6];
  for (int i = 0; i < size; i++) part[i] = own[i];
  for (int e = t->neighbor_start[k]; e < t->neighbor_start[k + 1]; e++) {
    const double *x = panel + t->column[e], *other = y + y_at[t->neighbor[e]];
    const int count = t->size[t->neighbor[e]];
    for (int c = 0; c < count; c++)
      for (int i = 0; i < size; i++) part[i] -= x[i * stride + c] * other[c];
  }
  for (int i = 0; i < size; i++) own[i] = part[i];
}

HN_INLINE void solve(const hn_topology *t, const double *values, const int *y_at, double *y) {
  for (int k = 0; k < t->nodes; k++)
    HN_BY_SIZE(t->size[k], forward, t, k, values, y_at, y)
  for (int k = t->nodes - 1; k >= 0; k--)
    HN_BY_SIZE(t->size[k], backward, t, k, values, y_at, y)
}

HN_VARIANTS(solve, (const hn_topology *t, const double *values, const int *y_at, double *y),
            (t, values, y_at, y))

void hn_block_solve(const hn_topology *t, const double *values, const int *y_at, double *y,
                    int wide) {
  HN_PICK(wide, solve)(t, values, y_at, y);
}
