// Factors of fronts, four pivots at a time, with rows in lanes of four,
//
//   u_k = row k right of the pivot,   L(i, k) = F(i, k) / d_k,   F(i, :) -= L(i, k) u_k
//
// so that a row below is read and written once for four. What is left of a front after its pivots is
// added to the front above. For solutions each four pivots leave panels: with L_kk U_kk among
// themselves,
//
//   L_kk^-1, L_ik     U_kk^-1, U_kj
//
// so that nothing waits there for one number after the other: sixteen numbers for each four rows or
// columns, first those of the four themselves, then of the same front, then the others. The two
// inverses are not multiplied: after a small pivot their product would err by rounding over the pivot.
#include <math.h>
#include <string.h>

#include "linalg/fronts_private.h"
#include "linalg/lane_vectors.h"

#define NOISE 1e-15
enum { LANES = HN_FRONT_LANES, SQUARE = LANES * LANES };

double *hn_fronts_begin(hn_fronts *self) {
  memset(self->room, 0, (size_t)self->room_size * sizeof(double));
  return self->room;
}

// The rest of a front into the one above.
static void add_up(hn_fronts *self, const front *f, const double *a) {
  const front *above = &self->fronts[f->parent];
  const int *up = &self->up[f->first];
  double *to = &self->room[above->room];
  for (int i = f->pivots; i < f->size; i++) {
    double *restrict row = &to[up[i] * above->stride];
    const double *restrict from = &a[i * f->stride];
    for (int j = f->pivots; j < f->size; j++) row[up[j]] += from[j];
  }
}

// What a pivot that is too small becomes.
typedef struct limits {
  const signed char *signs;
  double tiny;
  int is_definite;
} limits;

// A pivot, or what stands for it.
static double settle(hn_fronts *self, int unknown, double d, const limits *limit) {
  const double begin = self->begin[unknown], noise = NOISE * (fabs(begin) + fabs(begin - d));
  const double least = noise > limit->tiny ? noise : limit->tiny;
  if ((limit->is_definite ? limit->signs[unknown] * d : fabs(d)) >= least) return d;
  self->replaced++; // also when d is not a number
  return limit->signs[unknown] * least;
}

// ---- four pivots --------------------------------------------------------------------------------

// Among themselves; those that are not there have nothing.
typedef struct corner {
  double l[LANES][LANES], u[LANES][LANES], inverse[LANES];
} corner;

// x -= a y
HN_INLINE void take_off(hn_quad *x, double a, hn_quad y) {
  *x = quad_subtract(*x, quad_multiply(quad_fill(a), y));
}

// `pivots` rows of a from k on, in columns from k on.
HN_INLINE void find_corner(int pivots, hn_fronts *self, const front *f, double *a, int k,
                           const limits *limit, corner *c) {
  const int stride = f->stride, *index = &self->index[f->first + k];
  HN_UNROLL for (int q = 0; q < LANES; q++) {
    const double *row = &a[(k + q) * stride];
    c->inverse[q] = 0;
    HN_UNROLL for (int s = q + 1; s < LANES; s++) c->l[s][q] = c->u[q][s] = 0;
    if (q >= pivots) continue;
    self->inverse[index[q]] = c->inverse[q] = 1 / settle(self, index[q], row[k + q], limit);
    HN_UNROLL for (int s = q + 1; s < pivots; s++) {
      double *other = &a[(k + s) * stride];
      const double l = other[k + q] * c->inverse[q];
      c->l[s][q] = l;
      c->u[q][s] = row[k + s];
      for (int j = k; j < stride; j += LANES) {
        hn_quad x = quad_load(other + j);
        take_off(&x, l, quad_load(row + j));
        quad_store(x, other + j);
      }
    }
  }
}

// x = U_kk^-1 x
HN_INLINE void divide_by_u(const corner *c, hn_quad x[LANES]) {
  HN_UNROLL for (int q = LANES - 1; q >= 0; q--) {
    HN_UNROLL for (int j = q + 1; j < LANES; j++) take_off(&x[q], c->u[q][j], x[j]);
    x[q] = quad_multiply(quad_fill(c->inverse[q]), x[q]);
  }
}

// Columns x become those of x U_kk^-1.
HN_INLINE void divide_rows_by_u(const corner *c, hn_quad x[LANES]) {
  HN_UNROLL for (int q = 0; q < LANES; q++) {
    HN_UNROLL for (int j = 0; j < q; j++) take_off(&x[q], c->u[j][q], x[j]);
    x[q] = quad_multiply(quad_fill(c->inverse[q]), x[q]);
  }
}

// x = 1
HN_INLINE void begin_inverse(hn_quad x[LANES]) {
  x[0] = quad_of(1, 0, 0, 0);
  x[1] = quad_of(0, 1, 0, 0);
  x[2] = quad_of(0, 0, 1, 0);
  x[3] = quad_of(0, 0, 0, 1);
}

HN_INLINE void store_square(const hn_quad x[LANES], double *p) {
  HN_UNROLL for (int q = 0; q < LANES; q++) quad_store(x[q], p + LANES * q);
}

// L_kk^-1 and U_kk^-1, column by column.
HN_INLINE void invert_corner(const corner *c, double *down, double *back) {
  hn_quad x[LANES];
  begin_inverse(x);
  HN_UNROLL for (int q = 1; q < LANES; q++) {
    HN_UNROLL for (int j = 0; j < q; j++) take_off(&x[q], c->l[q][j], x[j]);
  }
  quad_transpose(x);
  store_square(x, down);
  begin_inverse(x);
  divide_by_u(c, x);
  quad_transpose(x);
  store_square(x, back);
}

// Numbers from `count` on become zero.
HN_INLINE void cut_off(int count, hn_quad x[LANES]) {
  if (count >= LANES) return;
  const hn_quad mask = quad_of(1, count > 1, count > 2, 0);
  HN_UNROLL for (int q = 0; q < LANES; q++) x[q] = quad_multiply(mask, x[q]);
}

// The panel of `count` columns from `at` on. What is read behind the last one is the next row's.
HN_INLINE void copy_columns(int pivots, const front *f, const double *a, int k, int at, int count,
                            double *back) {
  const double *from = &a[k * f->stride + at];
  hn_quad x[LANES];
  HN_UNROLL for (int q = 0; q < LANES; q++) x[q] =
      q < pivots ? quad_load(from + q * f->stride) : quad_fill(0);
  cut_off(count, x);
  store_square(x, back);
}

// `count` rows from `at` on, with their panel: the last one fills up the four.
HN_INLINE void eliminate_rows(int pivots, const front *f, double *a, int k, int at, int count,
                              const corner *c, double *down) {
  const int stride = f->stride, begin = pivots == LANES ? k + LANES : k;
  const double *u = &a[k * stride];
  double *row = &a[at * stride], l[SQUARE];
  hn_quad x[LANES];
  HN_UNROLL for (int i = 0; i < LANES; i++) x[i] =
      quad_load(row + (i < count ? i : count - 1) * stride + k);
  quad_transpose(x);
  HN_UNROLL for (int q = pivots; q < LANES; q++) x[q] = quad_fill(0);
  divide_rows_by_u(c, x);
  store_square(x, l);
  cut_off(count, x);
  store_square(x, down);
  for (int i = 0; i < count; i++, row += stride) {
    hn_quad factor[LANES];
    HN_UNROLL for (int q = 0; q < pivots; q++) factor[q] = quad_fill(l[LANES * q + i]);
    for (int j = begin; j < stride; j += LANES) {
      hn_quad sum = quad_load(row + j);
      HN_UNROLL for (int q = 0; q < pivots; q++) sum =
          quad_subtract(sum, quad_multiply(factor[q], quad_load(u + q * stride + j)));
      quad_store(sum, row + j);
    }
  }
}

// Pivots k ... k + pivots - 1 of a front, k a multiple of LANES: first among themselves, then all of
// them off the rows below.
HN_INLINE void eliminate(int pivots, hn_fronts *self, const front *f, double *a, int k,
                         const limits *limit, double **down, double **back) {
  corner c;
  find_corner(pivots, self, f, a, k, limit, &c);
  invert_corner(&c, *down, *back);
  *down += SQUARE;
  *back += SQUARE;
  for (int at = k + pivots; at < f->size;) {
    const int end = at < f->pivots ? f->pivots : f->size;
    const int count = end - at < LANES ? end - at : LANES;
    copy_columns(pivots, f, a, k, at, count, *back);
    eliminate_rows(pivots, f, a, k, at, count, &c, *down);
    *back += SQUARE;
    *down += SQUARE;
    at += count;
  }
}

// ---- all of them --------------------------------------------------------------------------------

HN_INLINE void factor(int wide, hn_fronts *self, const limits *limit) {
  (void)wide;
  for (int s = 0; s < self->count; s++) {
    const front *f = &self->fronts[s];
    double *a = &self->room[f->room], *down = &self->down[f->down], *back = &self->back[f->back];
    int k = 0;
    for (int i = 0; i < f->pivots; i++)
      self->begin[self->index[f->first + i]] = a[i * f->stride + i];
    for (; k + LANES <= f->pivots; k += LANES) eliminate(LANES, self, f, a, k, limit, &down, &back);
    switch (f->pivots - k) {
    case 1: eliminate(1, self, f, a, k, limit, &down, &back); break;
    case 2: eliminate(2, self, f, a, k, limit, &down, &back); break;
    case 3: eliminate(3, self, f, a, k, limit, &down, &back); break;
    default: break;
    }
    if (f->parent >= 0) add_up(self, f, a);
  }
}

HN_VARIANTS(factor, (hn_fronts * self, const limits *limit), (self, limit))

int hn_fronts_factor(hn_fronts *self, const signed char *signs, double tiny, int is_definite) {
  const limits limit = {signs, tiny, is_definite};
  self->replaced = 0;
  HN_PICK(self->wide, factor)(self, &limit);
  return self->replaced;
}

double hn_fronts_pivot(const hn_fronts *self, int i) { return 1 / self->inverse[i]; }
