// Solutions by fronts, four pivots at a time, from the panels of fronts_factor.c:
//
//   w_k = L_kk^-1 z_k,  z_i -= L_ik w_k,     x_k = U_kk^-1 (w_k - U_kj x_j)
#include <string.h>

#include "linalg/fronts_private.h"
#include "linalg/lane_vectors.h"

enum { LANES = HN_FRONT_LANES, SQUARE = LANES * LANES };

// Four columns times four numbers.
HN_INLINE hn_quad combine(const double *panel, const hn_quad c[LANES]) {
  const hn_quad a = quad_add(quad_multiply(c[0], quad_load(panel)),
                             quad_multiply(c[1], quad_load(panel + LANES)));
  const hn_quad b = quad_add(quad_multiply(c[2], quad_load(panel + 2 * LANES)),
                             quad_multiply(c[3], quad_load(panel + 3 * LANES)));
  return quad_add(a, b);
}

// z = panel z, the four in columns.
HN_INLINE void multiply_four(const double *panel, double *z, hn_quad c[LANES]) {
  HN_UNROLL for (int q = 0; q < LANES; q++) c[q] = quad_fill(z[q]);
  quad_store(combine(panel, c), z);
}

HN_INLINE void forward(hn_fronts *self, const front *f) {
  const double *panel = &self->down[f->down];
  const int *far = &self->far_slot[f->far];
  double *z = &self->z[f->slot], *y = self->y;
  for (int j = 0; j < f->far_fours; j++) quad_store(quad_fill(0), y + LANES * j);
  for (int k = 0; k < f->fours; k++) {
    hn_quad c[LANES];
    multiply_four(panel, z + LANES * k, c);
    panel += SQUARE;
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
    hn_quad sum[LANES], c[LANES];
    end -= (f->fours - k + f->far_fours) * SQUARE;
    const double *panel = end + SQUARE;
    HN_UNROLL for (int q = 0; q < LANES; q++) sum[q] = quad_fill(0);
    for (int j = k + 1; j < f->fours; j++, panel += SQUARE)
      take_rows_off(panel, quad_load(z + LANES * j), sum);
    for (int j = 0; j < f->far_fours; j++, panel += SQUARE)
      take_rows_off(panel, quad_load(y + LANES * j), sum);
    quad_transpose(sum);
    const hn_quad all_off = quad_add(quad_add(sum[0], sum[1]), quad_add(sum[2], sum[3]));
    quad_store(quad_add(quad_load(z + LANES * k), all_off), z + LANES * k);
    multiply_four(end, z + LANES * k, c);
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
