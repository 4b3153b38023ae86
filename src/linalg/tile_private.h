// Kernels on tiles of 4 x 4, shared by dense (tile.c) and sparse (tile_sparse.c) factorizations.
#ifndef HN_LINALG_TILE_PRIVATE_H
#define HN_LINALG_TILE_PRIVATE_H

#include "linalg/block_lanes.h"

enum { T = 4 }; // of a tile

typedef struct tile {
  double c[T][T]; // columns
} tile;

// t -= L_ik (L_jk D_k)'
HN_INLINE void subtract(int wide, hn_lanes t[T], const tile *l, const tile *u) {
  HN_UNROLL for (int q = 0; q < T; q++) {
    hn_lanes column;
    lanes_load(wide, 4, &column, l->c[q]);
    HN_UNROLL for (int p = 0; p < T; p++) lanes_subtract(wide, 4, &t[p], u->c[q][p], &column);
  }
}

HN_INLINE double guard(double d, double least) { return d > least ? d : least; }

// L D L' of a diagonal tile; the inverse of L in its place.
HN_INLINE void factor_tile(double a[T][T], const double *least, double *d, double *inverse,
                           tile *t) {
  const double d0 = guard(a[0][0], least[0]), r0 = 1 / d0;
  const double l10 = a[0][1] * r0, l20 = a[0][2] * r0, l30 = a[0][3] * r0;
  const double d1 = guard(a[1][1] - l10 * a[0][1], least[1]), r1 = 1 / d1;
  const double a21 = a[1][2] - l20 * a[0][1], a31 = a[1][3] - l30 * a[0][1];
  const double l21 = a21 * r1, l31 = a31 * r1;
  const double d2 = guard(a[2][2] - l20 * a[0][2] - l21 * a21, least[2]), r2 = 1 / d2;
  const double a32 = a[2][3] - l30 * a[0][2] - l31 * a21, l32 = a32 * r2;
  const double d3 = guard(a[3][3] - l30 * a[0][3] - l31 * a31 - l32 * a32, least[3]);
  const double i20 = -l20 + l21 * l10, i31 = -l31 + l32 * l21;
  const double i30 = -(l30 - l31 * l10 + l32 * i20);
  d[0] = d0;
  d[1] = d1;
  d[2] = d2;
  d[3] = d3;
  inverse[0] = r0;
  inverse[1] = r1;
  inverse[2] = r2;
  inverse[3] = 1 / d3;
  *t = (tile){{{1, -l10, i20, i30}, {0, 1, -l21, i31}, {0, 0, 1, -l32}, {0, 0, 0, 1}}};
}

// Columns of a tile below a diagonal one, times L_jj^-T D_j^-1: `diagonal` is the inverse of L_jj.
HN_INLINE void divide_by_diagonal(int wide, hn_lanes t[T], const tile *diagonal,
                                  const double *inverse) {
  HN_UNROLL for (int q = T - 1; q >= 0; q--) {
    HN_UNROLL for (int p = 0; p < q; p++) lanes_add(wide, 4, &t[q], diagonal->c[p][q], &t[p]);
    lanes_scale(wide, 4, &t[q], inverse[q], &t[q]);
  }
}

// y = the tile times x, and y -= that.
HN_INLINE void tile_times(int wide, hn_lanes *y, const tile *t, const double *x) {
  hn_lanes column;
  lanes_load(wide, 4, &column, t->c[0]);
  lanes_scale(wide, 4, y, x[0], &column);
  HN_UNROLL for (int q = 1; q < T; q++) {
    lanes_load(wide, 4, &column, t->c[q]);
    lanes_add(wide, 4, y, x[q], &column);
  }
}
HN_INLINE void tile_subtract_times(int wide, hn_lanes *y, const tile *t, const double *x) {
  hn_lanes column;
  HN_UNROLL for (int q = 0; q < T; q++) {
    lanes_load(wide, 4, &column, t->c[q]);
    lanes_subtract(wide, 4, y, x[q], &column);
  }
}

// x = L^-T y for the inverse of L in a diagonal tile.
HN_INLINE void tile_back(const tile *t, const double y[T], double *x) {
  x[0] = y[0] + t->c[0][1] * y[1] + (t->c[0][2] * y[2] + t->c[0][3] * y[3]);
  x[1] = y[1] + (t->c[1][2] * y[2] + t->c[1][3] * y[3]);
  x[2] = y[2] + t->c[2][3] * y[3];
  x[3] = y[3];
}

#endif
