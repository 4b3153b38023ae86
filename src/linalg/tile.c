// L D L' by tiles, left-looking: a tile of L is finished in registers before it is written,
//
//   T_ij = A_ij - sum over k < j of L_ik D_k L_jk',   L_ij = T_ij L_jj^-T D_j^-1
//
// Tiles are stored by columns of 4 in columns of tiles; the unit lower inverse stands in place of the
// diagonal tiles, so that a solution has no chain of dependencies inside a tile. The matrix is filled
// up to whole tiles with the identity.
#include "linalg/tile.h"

#include <string.h>

#include "linalg/tile_private.h"

struct hn_tiles {
  int n, count;        // tiles in a row
  tile *tiles;         // tile (i, j), i >= j, at column_of(j) + i - j
  tile *scaled;        // L_jk D_k of the present row (count)
  double *d, *inverse; // pivots (T count)
  double *least;       // of them (T count)
  double *none;        // zeros (T count)
  const double *limit; // one of the two
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
  self->d = HN_TAKE(arena, double, T *count);
  self->inverse = HN_TAKE(arena, double, T *count);
  self->least = HN_TAKE(arena, double, T *count);
  self->none = HN_TAKE(arena, double, T *count);
  self->x = HN_TAKE(arena, double, T *count);
  self->wide = hn_block_wide();
  if (arena->failed) return HN_ERROR_MEMORY;
  *tiles = self;
  return HN_OK;
}

// ---- factorization ------------------------------------------------------------------------------

// The tile of rows i and columns j of A: column 4j + q of the lower triangle is row 4j + q of the
// upper one, four numbers side by side. Where there is none, one of the identity.
HN_INLINE void load_tile(int wide, const double *a, size_t stride, int n, int i, int j,
                         hn_lanes t[T]) {
  static const double identity[T][T] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  HN_UNROLL for (int q = 0; q < T; q++) {
    const int row = T * j + q;
    lanes_load(wide, 4, &t[q], row < n ? a + (size_t)row * stride + T * i : identity[q]);
  }
}

// The same where only two rows are of the matrix: no waiting for the pivots of the others, which are 1.
HN_INLINE void factor_half_tile(double a[T][T], const double *least, double *d, double *inverse,
                                tile *t) {
  const double d0 = guard(a[0][0], least[0]), r0 = 1 / d0, l10 = a[0][1] * r0;
  const double d1 = guard(a[1][1] - l10 * a[0][1], least[1]);
  d[0] = d0;
  d[1] = d1;
  inverse[0] = r0;
  inverse[1] = 1 / d1;
  d[2] = d[3] = inverse[2] = inverse[3] = 1;
  *t = (tile){{{1, -l10, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

// The diagonal tile j; leaves L_jk D_k in `scaled` for the tiles below it.
HN_INLINE void factor_diagonal(int wide, hn_tiles *self, const double *a, size_t stride, int j) {
  const int count = self->count;
  hn_lanes t[T], column;
  double numbers[T][T];
  load_tile(wide, a, stride, self->n, j, j, t);
  for (int k = 0; k < j; k++) {
    const tile *l = &self->tiles[column_of(count, k) + j - k];
    HN_UNROLL for (int q = 0; q < T; q++) {
      lanes_load(wide, 4, &column, l->c[q]);
      lanes_scale(wide, 4, &column, self->d[T * k + q], &column);
      lanes_store(wide, 4, &column, self->scaled[k].c[q]);
    }
    subtract(wide, t, l, &self->scaled[k]);
  }
  HN_UNROLL for (int q = 0; q < T; q++) lanes_store(wide, 4, &t[q], numbers[q]);
  tile *diagonal = &self->tiles[column_of(count, j)];
  if (self->n - T * j <= 2)
    factor_half_tile(numbers, &self->limit[T * j], &self->d[T * j], &self->inverse[T * j],
                     diagonal);
  else
    factor_tile(numbers, &self->limit[T * j], &self->d[T * j], &self->inverse[T * j], diagonal);
}

HN_INLINE void factor(int wide, hn_tiles *self, const double *a, size_t stride) {
  const int count = self->count;
  for (int j = 0; j < count; j++) {
    const double *inverse = &self->inverse[T * j];
    tile *diagonal = &self->tiles[column_of(count, j)];
    factor_diagonal(wide, self, a, stride, j);
    for (int i = j + 1; i < count; i++) {
      hn_lanes t[T];
      load_tile(wide, a, stride, self->n, i, j, t);
      for (int k = 0; k < j; k++)
        subtract(wide, t, &self->tiles[column_of(count, k) + i - k], &self->scaled[k]);
      divide_by_diagonal(wide, t, diagonal, inverse);
      HN_UNROLL for (int q = 0; q < T; q++) lanes_store(wide, 4, &t[q], diagonal[i - j].c[q]);
    }
  }
}

HN_VARIANTS(factor, (hn_tiles * self, const double *a, size_t stride), (self, a, stride))

void hn_tiles_factor(hn_tiles *self, const double *a, int stride, const double *least) {
  if (least) memcpy(self->least, least, (size_t)self->n * sizeof(double));
  self->limit = least ? self->least : self->none;
  HN_PICK(self->wide, factor)(self, a, (size_t)stride);
}

// ---- solution -----------------------------------------------------------------------------------

HN_INLINE void forward(int wide, const hn_tiles *self, double *x) {
  for (int j = 0; j < self->count; j++) {
    const tile *t = &self->tiles[column_of(self->count, j)];
    hn_lanes sum;
    tile_times(wide, &sum, t, &x[T * j]);
    lanes_store(wide, 4, &sum, &x[T * j]);
    for (int i = j + 1; i < self->count; i++) {
      lanes_load(wide, 4, &sum, &x[T * i]);
      tile_subtract_times(wide, &sum, &t[i - j], &x[T * j]);
      lanes_store(wide, 4, &sum, &x[T * i]);
    }
  }
}

HN_INLINE void backward(int wide, const hn_tiles *self, double *x) {
  for (int j = self->count - 1; j >= 0; j--) {
    const tile *t = &self->tiles[column_of(self->count, j)];
    hn_lanes part[T] = {{{0}}, {{0}}, {{0}}, {{0}}}, column, other;
    double y[T];
    for (int i = j + 1; i < self->count; i++) {
      lanes_load(wide, 4, &other, &x[T * i]);
      HN_UNROLL for (int q = 0; q < T; q++) {
        lanes_load(wide, 4, &column, t[i - j].c[q]);
        lanes_add_product(wide, 4, &part[q], &column, &other);
      }
    }
    HN_UNROLL for (int q = 0; q < T; q++) y[q] = x[T * j + q] - lanes_sum(wide, 4, &part[q]);
    tile_back(t, y, &x[T * j]);
  }
}

HN_INLINE void solve(int wide, const hn_tiles *self, double *x) {
  forward(wide, self, x);
  for (int i = 0; i < T * self->count; i++) x[i] *= self->inverse[i];
  backward(wide, self, x);
}

HN_VARIANTS(solve, (const hn_tiles *self, double *x), (self, x))

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
