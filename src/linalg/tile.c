// L D L' by tiles, left-looking: a tile of L is finished in registers before it is written,
//
//   T_ij = A_ij - sum over k < j of L_ik D_k L_jk',   L_ij = T_ij L_jj^-T D_j^-1
//
// Tiles are stored by columns of 4 in columns of tiles; the unit lower inverse stands in place of the
// diagonal tiles, so that a solution has no chain of dependencies inside a tile. The matrix is filled
// up to whole tiles with the identity.
#include "linalg/tile.h"

#include <string.h>

#include "linalg/block.h"

enum { T = 4 }; // of a tile

typedef struct tile {
  double c[T][T]; // columns
} tile;

struct hn_tiles {
  int n, count; // tiles in a row
  tile *tiles;  // tile (i, j), i >= j, at column_of(j) + i - j
  tile *scaled; // L_jk D_k of the present row (count)
  double *d, *inverse; // pivots (T count)
  double *least;       // of them (T count)
  double *x;           // padded right side (T count)
  int wide;
};

static inline int column_of(int count, int j) { return j * count - j * (j - 1) / 2; }

hn_status hn_tiles_create(hn_arena *arena, int n, hn_tiles **tiles) {
  hn_tiles *self = HN_TAKE(arena, hn_tiles, 1);
  *tiles = NULL;
  if (!self) return HN_ERROR_MEMORY;
  int count = (n + T - 1) / T;
  self->n = n;
  self->count = count;
  self->tiles = HN_TAKE(arena, tile, (size_t)count * (size_t)(count + 1) / 2);
  self->scaled = HN_TAKE(arena, tile, count);
  self->d = HN_TAKE(arena, double, T * count);
  self->inverse = HN_TAKE(arena, double, T * count);
  self->least = HN_TAKE(arena, double, T * count);
  self->x = HN_TAKE(arena, double, T * count);
  self->wide = hn_block_wide();
  if (arena->failed) return HN_ERROR_MEMORY;
  *tiles = self;
  return HN_OK;
}

// ---- factorization ------------------------------------------------------------------------------

// Column 4j + q of the tiles of rows i is row 4j + q of the upper triangle: contiguous.
static void load(hn_tiles *self, const double *a, int stride) {
  const int count = self->count, n = self->n;
  for (int j = 0; j < count; j++)
    for (int i = j; i < count; i++) {
      tile *t = &self->tiles[column_of(count, j) + i - j];
      for (int q = 0; q < T; q++) {
        const int row = T * j + q, inside = row < n ? n - T * i : 0;
        const double *from = a + (size_t)(row < n ? row : 0) * (size_t)stride;
        for (int l = 0; l < T; l++)
          t->c[q][l] = l < inside ? from[T * i + l] : row == T * i + l ? 1 : 0;
      }
    }
}

// t -= L_ik (L_jk D_k)'
HN_INLINE void subtract(double t[T][T], const tile *l, const tile *u) {
  for (int q = 0; q < T; q++)
    for (int p = 0; p < T; p++)
      for (int r = 0; r < T; r++) t[p][r] -= l->c[q][r] * u->c[q][p];
}

HN_INLINE void load_tile(double t[T][T], const tile *from) {
  for (int p = 0; p < T; p++)
    for (int r = 0; r < T; r++) t[p][r] = from->c[p][r];
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
  d[0] = d0;
  d[1] = d1;
  d[2] = d2;
  d[3] = d3;
  inverse[0] = r0;
  inverse[1] = r1;
  inverse[2] = r2;
  inverse[3] = 1 / d3;
  const double i20 = -l20 + l21 * l10, i31 = -l31 + l32 * l21;
  const double i30 = -(l30 - l31 * l10 + l32 * i20);
  *t = (tile){{{1, -l10, i20, i30}, {0, 1, -l21, i31}, {0, 0, 1, -l32}, {0, 0, 0, 1}}};
}

HN_INLINE void factor(int wide, hn_tiles *self) {
  (void)wide;
  const int count = self->count;
  for (int j = 0; j < count; j++) {
    double *d = &self->d[T * j], *inverse = &self->inverse[T * j], t[T][T];
    tile *diagonal = &self->tiles[column_of(count, j)];
    load_tile(t, diagonal);
    for (int k = 0; k < j; k++) {
      const tile *l = &self->tiles[column_of(count, k) + j - k];
      for (int q = 0; q < T; q++)
        for (int r = 0; r < T; r++) self->scaled[k].c[q][r] = l->c[q][r] * self->d[T * k + q];
      subtract(t, l, &self->scaled[k]);
    }
    factor_tile(t, &self->least[T * j], d, inverse, diagonal);
    for (int i = j + 1; i < count; i++) {
      tile *out = diagonal + (i - j);
      load_tile(t, out);
      for (int k = 0; k < j; k++)
        subtract(t, &self->tiles[column_of(count, k) + i - k], &self->scaled[k]);
      for (int q = T - 1; q >= 0; q--) // columns times L_jj^-T
        for (int p = 0; p < q; p++)
          for (int r = 0; r < T; r++) t[q][r] += t[p][r] * diagonal->c[p][q];
      for (int q = 0; q < T; q++)
        for (int r = 0; r < T; r++) out->c[q][r] = t[q][r] * inverse[q];
    }
  }
}

HN_VARIANTS(factor, (hn_tiles * self), (self))

void hn_tiles_factor(hn_tiles *self, const double *a, int stride, const double *least) {
  load(self, a, stride);
  for (int i = 0; i < self->n; i++) self->least[i] = least ? least[i] : 0;
  HN_PICK(self->wide, factor)(self);
}

// ---- solution -----------------------------------------------------------------------------------

HN_INLINE void forward(const hn_tiles *self, double *x) {
  for (int j = 0; j < self->count; j++) {
    const tile *t = &self->tiles[column_of(self->count, j)];
    double y[T] = {0, 0, 0, 0};
    for (int q = 0; q < T; q++)
      for (int r = 0; r < T; r++) y[r] += t->c[q][r] * x[T * j + q];
    for (int r = 0; r < T; r++) x[T * j + r] = y[r];
    for (int i = j + 1; i < self->count; i++) {
      const tile *l = t + (i - j);
      double sum[T];
      for (int r = 0; r < T; r++) sum[r] = x[T * i + r];
      for (int q = 0; q < T; q++)
        for (int r = 0; r < T; r++) sum[r] -= l->c[q][r] * y[q];
      for (int r = 0; r < T; r++) x[T * i + r] = sum[r];
    }
  }
}

HN_INLINE void backward(const hn_tiles *self, double *x) {
  for (int j = self->count - 1; j >= 0; j--) {
    const tile *t = &self->tiles[column_of(self->count, j)];
    double part[T][T], y[T];
    memset(part, 0, sizeof part);
    for (int i = j + 1; i < self->count; i++)
      for (int q = 0; q < T; q++)
        for (int r = 0; r < T; r++) part[q][r] += t[i - j].c[q][r] * x[T * i + r];
    for (int q = 0; q < T; q++)
      y[q] = x[T * j + q] - ((part[q][0] + part[q][1]) + (part[q][2] + part[q][3]));
    for (int q = 0; q < T; q++) {
      double sum = y[q];
      for (int p = q + 1; p < T; p++) sum += t->c[q][p] * y[p];
      x[T * j + q] = sum;
    }
  }
}

HN_INLINE void solve(int wide, hn_tiles *self, double *x) {
  (void)wide;
  forward(self, x);
  for (int i = 0; i < T * self->count; i++) x[i] *= self->inverse[i];
  backward(self, x);
}

HN_VARIANTS(solve, (hn_tiles * self, double *x), (self, x))

void hn_tiles_solve(hn_tiles *self, double *b) {
  memcpy(self->x, b, (size_t)self->n * sizeof(double));
  for (int i = self->n; i < T * self->count; i++) self->x[i] = 0;
  HN_PICK(self->wide, solve)(self, self->x);
  memcpy(b, self->x, (size_t)self->n * sizeof(double));
}

double hn_tiles_pivot(const hn_tiles *self, int i) { return self->d[i]; }

double hn_tiles_operations(const hn_tiles *self) {
  double n = T * self->count;
  return n * (n + 1) * (n + 2) / 6;
}
