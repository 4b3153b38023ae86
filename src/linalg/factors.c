// Sparse L D U by tiles, right-looking: a finished column of tiles updates the columns of its rows.
// With V = U',
//
//   A_jj = L_jj D_j U_jj,   L_ij = A_ij U_jj^-1 D_j^-1,   V_ij = A_ji' L_jj^-T D_j^-1
//   A_ik -= L_ij (V_kj D_j)',   A_ki' -= V_ij (L_kj D_j)'      for rows i >= k of column j
//
// V and the second products are left out where A is symmetric. Diagonal tiles hold L_jj^-1 and
// U_jj^-T, which avoids long dependency chains in solutions. Out of scope: orders, which tiles
// there are (factors_pattern.c).
#include <math.h>
#include <string.h>

#include "linalg/block_lanes.h"
#include "linalg/factors_private.h"

#define NOISE 1e-15 // a pivot below this part of the terms it was summed from is rounding noise
enum { T = HN_TILE };

double *hn_factors_begin(hn_factors *self) {
  const size_t tiles = (size_t)self->start[self->count];
  double *numbers = &self->lower[0].c[0][0];
  memset(self->lower, 0, (self->upper == self->lower ? 1 : 2) * tiles * sizeof(hn_tile));
  for (int k = 0; k < T * self->count; k++)
    if (self->unknown[k] < 0) numbers[T * T * self->start[k / T] + (T + 1) * (k % T)] = 1;
  return numbers;
}

// ---- one tile -----------------------------------------------------------------------------------

// Pivots of the tile with this first place.
typedef struct pivots {
  const hn_factors *self;
  const hn_pivot_rule *rule;
  int first, used, replaced; // used: places behind these are empty
} pivots;

// The pivot at position q, or its replacement.
HN_INLINE double settle(pivots *p, int q, double d) {
  const hn_pivot_rule *rule = p->rule;
  const double begin = p->self->begin[p->first + q];
  const double noise = NOISE * (fabs(begin) + fabs(begin - d));
  const int i = p->self->unknown[p->first + q];
  if (i < 0) return 1;
  const double sign = rule->signs ? rule->signs[i] : 1;
  double least = noise > rule->tiny ? noise : rule->tiny;
  if (rule->least && rule->least[i] > least) least = rule->least[i];
  if ((rule->is_definite ? sign * d : fabs(d)) >= least) return d;
  p->replaced++; // also when d is not a number
  return sign * least;
}

// The inverse of a unit lower triangle by columns.
HN_INLINE void invert_triangle(double l[T][T], hn_tile *t) {
  const double i20 = l[1][2] * l[0][1] - l[0][2], i31 = l[2][3] * l[1][2] - l[1][3];
  const double i30 = -(l[0][3] - l[1][3] * l[0][1] + l[2][3] * i20);
  *t = (hn_tile){
      {{1, -l[0][1], i20, i30}, {0, 1, -l[1][2], i31}, {0, 0, 1, -l[2][3]}, {0, 0, 0, 1}}};
}

// L_jj^-1 and U_jj^-T of a diagonal tile, by columns; they are one where it is symmetric and has its
// lower triangle only.
HN_INLINE void factor_tile(pivots *p, double a[T][T], int is_symmetric, double *d, double *inverse,
                           hn_tile *lower, hn_tile *upper) {
  double l[T][T], v[T][T];
  HN_UNROLL for (int q = 0; q < T; q++) {
    if (q >= p->used) {
      d[q] = inverse[q] = 1;
      HN_UNROLL for (int s = q + 1; s < T; s++) l[q][s] = v[q][s] = 0;
      continue;
    }
    d[q] = settle(p, q, a[q][q]);
    inverse[q] = 1 / d[q];
    HN_UNROLL for (int s = q + 1; s < T; s++) {
      l[q][s] = a[q][s] * inverse[q];
      v[q][s] = is_symmetric ? l[q][s] : a[s][q] * inverse[q];
    }
    HN_UNROLL for (int c = q + 1; c < T; c++) {
      HN_UNROLL for (int r = is_symmetric ? c : q + 1; r < T; r++) a[c][r] -=
          l[q][r] * (is_symmetric ? a[q][c] : a[c][q]);
    }
  }
  invert_triangle(l, lower);
  if (!is_symmetric) invert_triangle(v, upper);
}

// t -= a b'
HN_INLINE void subtract(int wide, hn_lanes t[T], const hn_tile *a, const hn_tile *b) {
  HN_UNROLL for (int q = 0; q < T; q++) {
    hn_lanes column;
    lanes_load(wide, 4, &column, a->c[q]);
    HN_UNROLL for (int p = 0; p < T; p++) lanes_subtract(wide, 4, &t[p], b->c[q][p], &column);
  }
}

// Columns of a tile times a triangle and D_j^-1; `diagonal` is the transposed of the triangle.
HN_INLINE void divide_by_diagonal(int wide, hn_lanes t[T], const hn_tile *diagonal,
                                  const double *inverse) {
  HN_UNROLL for (int q = T - 1; q >= 0; q--) {
    HN_UNROLL for (int p = 0; p < q; p++) lanes_add(wide, 4, &t[q], diagonal->c[p][q], &t[p]);
    lanes_scale(wide, 4, &t[q], inverse[q], &t[q]);
  }
}

// ---- factorization ------------------------------------------------------------------------------

// Tiles below the diagonal one of column j, and what they are times D_j.
HN_INLINE void divide_column(int wide, hn_factors *self, int j, hn_tile *tiles,
                             const hn_tile *diagonal, hn_tile *scaled) {
  const double *d = &self->d[T * j], *inverse = &self->inverse[T * j];
  for (int i = self->start[j] + 1; i < self->start[j + 1]; i++, scaled++) {
    hn_lanes t[T], u;
    HN_UNROLL for (int q = 0; q < T; q++) lanes_load(wide, 4, &t[q], tiles[i].c[q]);
    divide_by_diagonal(wide, t, diagonal, inverse);
    HN_UNROLL for (int q = 0; q < T; q++) {
      lanes_store(wide, 4, &t[q], tiles[i].c[q]);
      lanes_scale(wide, 4, &u, d[q], &t[q]);
      lanes_store(wide, 4, &u, scaled->c[q]);
    }
  }
}

// Subtracts column j of one triangle from the columns of its rows, all of which exist; `skip`: not
// from diagonal tiles.
HN_INLINE void take_off(int wide, const hn_factors *self, int j, hn_tile *tiles,
                        const hn_tile *scaled, int skip) {
  const int begin = self->start[j] + 1, end = self->start[j + 1];
  for (int k = begin; k < end; k++, scaled++) {
    int to = self->start[self->row[k]];
    for (int i = k + skip; i < end; i++) {
      hn_lanes t[T];
      while (self->row[to] != self->row[i]) to++;
      HN_UNROLL for (int q = 0; q < T; q++) lanes_load(wide, 4, &t[q], tiles[to].c[q]);
      subtract(wide, t, &tiles[i], scaled);
      HN_UNROLL for (int q = 0; q < T; q++) lanes_store(wide, 4, &t[q], tiles[to].c[q]);
    }
  }
}

HN_INLINE void factor(int wide, hn_factors *self, const hn_pivot_rule *rule, int *replaced) {
  const int is_symmetric = self->upper == self->lower;
  for (int j = 0; j < self->count; j++) {
    hn_tile *lower = &self->lower[self->start[j]], *upper = &self->upper[self->start[j]];
    hn_tile numbers = *lower, *other = self->scaled + self->count;
    pivots p = {self, rule, T * j, T, 0};
    while (p.used > 0 && self->unknown[p.first + p.used - 1] < 0) p.used--;
    factor_tile(&p, numbers.c, is_symmetric, &self->d[T * j], &self->inverse[T * j], lower, upper);
    *replaced += p.replaced;
    if (is_symmetric) {
      divide_column(wide, self, j, self->lower, lower, self->scaled);
      take_off(wide, self, j, self->lower, self->scaled, 0);
      continue;
    }
    divide_column(wide, self, j, self->lower, upper, other);
    divide_column(wide, self, j, self->upper, lower, self->scaled);
    take_off(wide, self, j, self->lower, self->scaled, 0);
    take_off(wide, self, j, self->upper, other, 1);
  }
}

HN_VARIANTS(factor, (hn_factors * self, const hn_pivot_rule *rule, int *replaced),
            (self, rule, replaced))

int hn_factors_factor(hn_factors *self, const hn_pivot_rule *rule) {
  int replaced = 0;
  for (int k = 0; k < T * self->count; k++)
    self->begin[k] = self->lower[self->start[k / T]].c[k % T][k % T];
  HN_PICK(self->wide, factor)(self, rule, &replaced);
  return replaced;
}

int hn_factors_of(hn_factors *self, const double *upper, const double *lower,
                  const hn_pivot_rule *rule) {
  double *room = hn_factors_begin(self);
  for (int e = 0; self->mirrors && e < self->entries; e++) room[self->mirrors[e]] = lower[e];
  for (int e = 0; e < self->entries; e++) room[self->places[e]] = upper[e];
  return hn_factors_factor(self, rule);
}

// ---- solution -----------------------------------------------------------------------------------

// y -= the tile times x; is_first: y = that.
HN_INLINE void multiply(int wide, hn_lanes *y, const hn_tile *t, const double *x, int is_first) {
  hn_lanes column;
  HN_UNROLL for (int q = 0; q < T; q++) {
    lanes_load(wide, 4, &column, t->c[q]);
    if (!is_first)
      lanes_subtract(wide, 4, y, x[q], &column);
    else if (q == 0)
      lanes_scale(wide, 4, y, x[q], &column);
    else
      lanes_add(wide, 4, y, x[q], &column);
  }
}

// x = t' y for a unit lower triangle.
HN_INLINE void multiply_transposed(const hn_tile *t, const double y[T], double *x) {
  x[0] = y[0] + t->c[0][1] * y[1] + (t->c[0][2] * y[2] + t->c[0][3] * y[3]);
  x[1] = y[1] + (t->c[1][2] * y[2] + t->c[1][3] * y[3]);
  x[2] = y[2] + t->c[2][3] * y[3];
  x[3] = y[3];
}

HN_INLINE void solve(int wide, const hn_factors *self, double *x) {
  for (int j = 0; j < self->count; j++) {
    hn_lanes sum;
    multiply(wide, &sum, &self->lower[self->start[j]], &x[T * j], 1);
    lanes_store(wide, 4, &sum, &x[T * j]);
    for (int e = self->start[j] + 1; e < self->start[j + 1]; e++) {
      double *to = &x[T * self->row[e]];
      lanes_load(wide, 4, &sum, to);
      multiply(wide, &sum, &self->lower[e], &x[T * j], 0);
      lanes_store(wide, 4, &sum, to);
    }
  }
  for (int i = 0; i < T * self->count; i++) x[i] *= self->inverse[i];
  for (int j = self->count - 1; j >= 0; j--) {
    hn_lanes part[T] = {{{0}}, {{0}}, {{0}}, {{0}}}, column, other;
    double y[T];
    for (int e = self->start[j] + 1; e < self->start[j + 1]; e++) {
      lanes_load(wide, 4, &other, &x[T * self->row[e]]);
      HN_UNROLL for (int q = 0; q < T; q++) {
        lanes_load(wide, 4, &column, self->upper[e].c[q]);
        lanes_add_product(wide, 4, &part[q], &column, &other);
      }
    }
    HN_UNROLL for (int q = 0; q < T; q++) y[q] = x[T * j + q] - lanes_sum(wide, 4, &part[q]);
    multiply_transposed(&self->upper[self->start[j]], y, &x[T * j]);
  }
}

HN_VARIANTS(solve, (const hn_factors *self, double *x), (self, x))

void hn_factors_solve(hn_factors *self, const double *scale, double *b) {
  double *restrict x = self->x;
  const int *restrict at = self->at;
  memset(x, 0, (size_t)(T * self->count) * sizeof(double));
  for (int i = 0; i < self->n; i++) x[at[i]] = scale ? scale[i] * b[i] : b[i];
  if (self->left) x[self->unused] = 0;
  HN_PICK(self->wide, solve)(self, x);
  for (int i = 0; i < self->n; i++) b[i] = scale ? scale[i] * x[at[i]] : x[at[i]];
}

void hn_factors_solve_placed(hn_factors *self, double *x) { HN_PICK(self->wide, solve)(self, x); }

const int *hn_factors_unknowns(const hn_factors *self, int *place_count) {
  *place_count = T * self->count;
  return self->at;
}

const int *hn_factors_places(const hn_factors *self) { return self->places; }
double hn_factors_pivot(const hn_factors *self, int i) { return self->d[self->at[i]]; }
long hn_factors_fill(const hn_factors *self) { return self->fill; }
double hn_factors_operations(const hn_factors *self) { return self->operations; }
