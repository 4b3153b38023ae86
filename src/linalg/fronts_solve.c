// Solutions by fronts, four pivots at a time. With the diagonal block L_kk U_kk of four of them, the
// columns of L below and the rows of U right of it are kept as
//
//   L_ik L_kk^-1     (U_kk)^-1 U_kj     (L_kk U_kk)^-1
//
// so that nothing waits for one number after the other:
//
//   z_i -= (L_ik L_kk^-1) z_k,     x_k = (L_kk U_kk)^-1 z_k - (U_kk^-1 U_kj) x_j
//
// A panel is what belongs to four pivots: sixteen numbers for each four rows or columns, first those of
// the same front, then the others.
#include <string.h>

#include "linalg/fronts_private.h"
#include "linalg/lane_vectors.h"

enum { LANES = HN_FRONT_LANES, SQUARE = LANES * LANES };

// ---- set-up -------------------------------------------------------------------------------------

hn_status hn_fronts_make_panels(hn_arena *arena, hn_fronts *self) {
  int slots = 0, far = 0, down = 0, back = 0, most = 0;
  for (int s = 0; s < self->count; s++) {
    front *f = &self->fronts[s];
    f->fours = hn_whole_lanes(f->pivots) / LANES;
    f->far_fours = hn_whole_lanes(f->size - f->pivots) / LANES;
    f->slot = slots;
    f->far = far;
    f->down = down;
    f->back = back;
    slots += f->fours * LANES;
    far += f->far_fours * LANES;
    down += (f->fours * (f->fours - 1) / 2 + f->fours * f->far_fours) * SQUARE;
    back += (f->fours * (f->fours + 1) / 2 + f->fours * f->far_fours) * SQUARE;
    if (f->far_fours > most) most = f->far_fours;
  }
  self->slots = slots;
  self->slot = HN_TAKE(arena, int, self->n);
  self->far_slot = HN_TAKE(arena, int, far);
  self->down = HN_TAKE(arena, double, down);
  self->back = HN_TAKE(arena, double, back);
  self->z = HN_TAKE(arena, double, slots + 1);
  self->y = HN_TAKE(arena, double, most *LANES);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int s = 0; s < self->count; s++) {
    const front *f = &self->fronts[s];
    for (int i = 0; i < f->pivots; i++) self->slot[self->index[f->first + i]] = f->slot + i;
  }
  for (int s = 0; s < self->count; s++) {
    const front *f = &self->fronts[s];
    for (int i = 0; i < f->far_fours * LANES; i++) {
      int at = f->pivots + i;
      self->far_slot[f->far + i] = at < f->size ? self->slot[self->index[f->first + at]] : slots;
    }
  }
  return HN_OK;
}

// ---- panels -------------------------------------------------------------------------------------

// Four pivots among themselves; those that are not there have nothing.
typedef struct corner {
  double l[LANES][LANES], u[LANES][LANES], inverse[LANES];
} corner;

HN_INLINE void find_corner(const hn_fronts *self, const front *f, int k, int rows, corner *c) {
  const double *l = &self->l[f->factors + k * (f->stride + 1)];
  const double *u = &self->u[f->factors + k * (f->stride + 1)];
  const int *index = &self->index[f->first + k];
  HN_UNROLL for (int q = 0; q < LANES; q++) {
    c->inverse[q] = q < rows ? self->inverse[index[q]] : 0;
    HN_UNROLL for (int i = q + 1; i < LANES; i++) {
      c->l[i][q] = i < rows ? l[q * f->stride + i] : 0;
      c->u[q][i] = i < rows ? u[q * f->stride + i] : 0;
    }
  }
}

// `rows` rows of `count` numbers, the rest zero. What is read behind a row is of the next one, or of
// what every array has at its end.
HN_INLINE void load_square(const double *p, int stride, int rows, int count, hn_quad x[LANES]) {
  HN_UNROLL for (int q = 0; q < LANES; q++) x[q] =
      q < rows ? quad_load(p + q * stride) : quad_fill(0);
  if (count >= LANES) return;
  const hn_quad mask = quad_of(1, count > 1, count > 2, 0);
  HN_UNROLL for (int q = 0; q < LANES; q++) x[q] = quad_multiply(mask, x[q]);
}

HN_INLINE void store_square(const hn_quad x[LANES], double *p) {
  HN_UNROLL for (int q = 0; q < LANES; q++) quad_store(x[q], p + LANES * q);
}

// x -= a y
HN_INLINE void take_off(hn_quad *x, double a, hn_quad y) {
  *x = quad_subtract(*x, quad_multiply(quad_fill(a), y));
}

// x = U_kk^-1 x
HN_INLINE void divide_by_u(const corner *c, hn_quad x[LANES]) {
  HN_UNROLL for (int q = LANES - 1; q >= 0; q--) {
    HN_UNROLL for (int j = q + 1; j < LANES; j++) take_off(&x[q], c->u[q][j], x[j]);
    x[q] = quad_multiply(quad_fill(c->inverse[q]), x[q]);
  }
}

// Columns x of L become those of L L_kk^-1.
HN_INLINE void divide_by_l(const corner *c, hn_quad x[LANES]) {
  HN_UNROLL for (int q = LANES - 1; q >= 0; q--) {
    HN_UNROLL for (int j = q + 1; j < LANES; j++) take_off(&x[q], c->l[j][q], x[j]);
  }
}

HN_INLINE void invert_corner(const corner *c, hn_quad x[LANES]) {
  x[0] = quad_of(1, 0, 0, 0);
  x[1] = quad_of(-c->l[1][0], 1, 0, 0);
  x[2] = quad_of(0, 0, 1, 0);
  x[3] = quad_of(0, 0, 0, 1);
  HN_UNROLL for (int q = 2; q < LANES; q++) {
    HN_UNROLL for (int j = 0; j < q; j++) take_off(&x[q], c->l[q][j], x[j]);
  }
  divide_by_u(c, x);
}

HN_INLINE void fill_front(const hn_fronts *self, const front *f) {
  double *down = &self->down[f->down], *back = &self->back[f->back];
  for (int k = 0; k < f->pivots; k += LANES) {
    const double *l = &self->l[f->factors + k * f->stride];
    const double *u = &self->u[f->factors + k * f->stride];
    const int rows = f->pivots - k < LANES ? f->pivots - k : LANES;
    hn_quad x[LANES];
    corner c;
    find_corner(self, f, k, rows, &c);
    invert_corner(&c, x);
    store_square(x, back);
    back += SQUARE;
    for (int at = k + rows; at < f->size;) {
      const int end = at < f->pivots ? f->pivots : f->size;
      load_square(u + at, f->stride, rows, end - at, x);
      divide_by_u(&c, x);
      store_square(x, back);
      load_square(l + at, f->stride, rows, end - at, x);
      divide_by_l(&c, x);
      store_square(x, down);
      back += SQUARE;
      down += SQUARE;
      at = at + LANES < end ? at + LANES : end;
    }
  }
}

HN_INLINE void fill(int wide, hn_fronts *self) {
  (void)wide;
  for (int s = 0; s < self->count; s++) fill_front(self, &self->fronts[s]);
}

HN_VARIANTS(fill, (hn_fronts * self), (self))

void hn_fronts_fill_panels(hn_fronts *self) { HN_PICK(self->wide, fill)(self); }

// ---- solutions ----------------------------------------------------------------------------------

// Four columns times four numbers.
HN_INLINE hn_quad combine(const double *panel, const hn_quad c[LANES]) {
  const hn_quad a = quad_add(quad_multiply(c[0], quad_load(panel)),
                             quad_multiply(c[1], quad_load(panel + LANES)));
  const hn_quad b = quad_add(quad_multiply(c[2], quad_load(panel + 2 * LANES)),
                             quad_multiply(c[3], quad_load(panel + 3 * LANES)));
  return quad_add(a, b);
}

HN_INLINE void forward(hn_fronts *self, const front *f) {
  const double *panel = &self->down[f->down];
  const int *far = &self->far_slot[f->far];
  double *z = &self->z[f->slot], *y = self->y;
  for (int j = 0; j < f->far_fours; j++) quad_store(quad_fill(0), y + LANES * j);
  for (int k = 0; k < f->fours; k++) {
    hn_quad c[LANES];
    HN_UNROLL for (int q = 0; q < LANES; q++) c[q] = quad_fill(z[LANES * k + q]);
    for (int j = k + 1; j < f->fours; j++, panel += SQUARE)
      quad_store(quad_subtract(quad_load(z + LANES * j), combine(panel, c)), z + LANES * j);
    for (int j = 0; j < f->far_fours; j++, panel += SQUARE)
      quad_store(quad_add(quad_load(y + LANES * j), combine(panel, c)), y + LANES * j);
  }
  for (int i = 0; i < f->size - f->pivots; i++) self->z[far[i]] -= y[i];
}

// Rows times four numbers, off the sums.
HN_INLINE void take_rows_off(const double *panel, hn_quad x, hn_quad sum[LANES]) {
  HN_UNROLL for (int q = 0; q < LANES; q++) sum[q] =
      quad_subtract(sum[q], quad_multiply(quad_load(panel + LANES * q), x));
}

HN_INLINE void backward(hn_fronts *self, const front *f) {
  const int *far = &self->far_slot[f->far];
  double *z = &self->z[f->slot], *y = self->y;
  const double *all = self->z, *end = &self->back[f->back];
  end += (f->fours * (f->fours + 1) / 2 + f->fours * f->far_fours) * SQUARE;
  for (int j = 0; j < f->far_fours; j++, far += LANES)
    quad_store(quad_of(all[far[0]], all[far[1]], all[far[2]], all[far[3]]), y + LANES * j);
  for (int k = f->fours - 1; k >= 0; k--) {
    hn_quad sum[LANES], x = quad_load(z + LANES * k);
    end -= (f->fours - k + f->far_fours) * SQUARE;
    const double *panel = end;
    HN_UNROLL for (int q = 0; q < LANES; q++) sum[q] =
        quad_multiply(quad_load(panel + LANES * q), x);
    panel += SQUARE;
    for (int j = k + 1; j < f->fours; j++, panel += SQUARE)
      take_rows_off(panel, quad_load(z + LANES * j), sum);
    for (int j = 0; j < f->far_fours; j++, panel += SQUARE)
      take_rows_off(panel, quad_load(y + LANES * j), sum);
    quad_transpose(sum);
    quad_store(quad_add(quad_add(sum[0], sum[1]), quad_add(sum[2], sum[3])), z + LANES * k);
  }
}

HN_INLINE void solve(int wide, hn_fronts *self, const double *scale, double *restrict x) {
  double *restrict z = self->z;
  const int *restrict slot = self->slot;
  const int n = self->n;
  (void)wide;
  memset(z, 0, (size_t)self->slots * sizeof(double));
  if (scale)
    for (int i = 0; i < n; i++) z[slot[i]] = scale[i] * x[i];
  else
    for (int i = 0; i < n; i++) z[slot[i]] = x[i];
  for (int s = 0; s < self->count; s++) forward(self, &self->fronts[s]);
  for (int s = self->count - 1; s >= 0; s--) backward(self, &self->fronts[s]);
  if (scale)
    for (int i = 0; i < n; i++) x[i] = scale[i] * z[slot[i]];
  else
    for (int i = 0; i < n; i++) x[i] = z[slot[i]];
}

HN_VARIANTS(solve, (hn_fronts * self, const double *scale, double *x), (self, scale, x))

void hn_fronts_solve(hn_fronts *self, const double *scale, double *x) {
  HN_PICK(self->wide, solve)(self, scale, x);
}
