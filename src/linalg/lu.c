// Up-looking L D U on the pattern of an L D L' (ldl.c). At place k, with the rows and columns before:
//
//   for i in the pattern of k, ascending:   u(rows of column i so far) -= L(., i) u_i      column k of U
//                                           l(rows of column i so far) -= U(i, .) l_i      row k of L
//                                           L(k, i) = l_i / d_i,  U(i, k) = u_i,  d_k -= L(k, i) u_i
//
// L is kept by columns, U by rows scaled with 1/d (unit diagonals), both on the one pattern.
#include "linalg/lu.h"

#include <math.h>
#include <string.h>

#include "linalg/ldl_private.h"

#define NOISE 1e-15

struct hn_lu {
  hn_ldl *pattern;          // its l holds L by columns
  double *u;                // U by rows, unit diagonal
  double *row;              // work: row k, zero between places (n)
  unsigned char *is_turned; // the permuted upper entry is the caller's lower one (entries)
};

hn_status hn_lu_create(hn_arena *arena, int n, const int *column_start, const int *row_index,
                       const int *order, hn_lu **lu) {
  hn_lu *self = HN_TAKE(arena, hn_lu, 1);
  if (!self) return HN_ERROR_MEMORY;
  hn_status status =
      hn_ldl_create_ordered(arena, n, column_start, row_index, order, &self->pattern);
  if (status != HN_OK) return status;
  const hn_ldl *p = self->pattern;
  self->u = HN_TAKE(arena, double, p->l_start[n]);
  self->row = HN_TAKE(arena, double, n);
  self->is_turned = HN_TAKE(arena, unsigned char, column_start[n]);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < n; j++)
    for (int k = column_start[j]; k < column_start[j + 1]; k++)
      self->is_turned[k] = p->inverse[row_index[k]] > p->inverse[j];
  *lu = self;
  return HN_OK;
}

int hn_lu_factor(hn_lu *self, const double *upper, const double *lower, const signed char *signs,
                 double tiny) {
  hn_ldl *s = self->pattern;
  double *restrict column = s->y, *restrict row = self->row;
  double *restrict l = s->l, *restrict u = self->u;
  int replaced = 0;
  memcpy(s->filled, s->l_start, (size_t)s->n * sizeof(int));
  for (int k = 0; k < s->n; k++) {
    for (int p = s->column_start[k]; p < s->column_start[k + 1]; p++) {
      const int from = s->source[p], turned = self->is_turned[from];
      column[s->row[p]] = turned ? lower[from] : upper[from];
      row[s->row[p]] = turned ? upper[from] : lower[from];
    }
    double d = upper[s->diagonal[k]], terms = fabs(d);
    for (int q = s->pattern_start[k]; q < s->pattern_start[k + 1]; q++) {
      const int i = s->pattern[q], end = s->filled[i]++;
      const double ui = column[i], li = row[i];
      column[i] = row[i] = 0;
      for (int p = s->l_start[i]; p < end; p++) {
        column[s->l_row[p]] -= l[p] * ui;
        row[s->l_row[p]] -= u[p] * li;
      }
      l[end] = li * s->inverse_d[i];
      u[end] = ui * s->inverse_d[i];
      d -= l[end] * ui;
      terms += fabs(l[end] * ui);
    }
    const double sign = signs[s->order[k]], noise = NOISE * terms;
    const double least = noise > tiny ? noise : tiny;
    if (!(fabs(d) >= least)) { // also when d is not a number
      d = sign * least;
      replaced++;
    }
    s->d[k] = d;
    s->inverse_d[k] = 1 / d;
  }
  return replaced;
}

// L: unit lower triangle by columns; U: unit upper triangle by rows, on the same pattern.
void hn_lu_solve(hn_lu *self, double *b) {
  hn_ldl *s = self->pattern;
  const double *restrict lower = s->l, *restrict upper = self->u;
  const int n = s->n;
  double *restrict x = s->x;
  for (int k = 0; k < n; k++) x[k] = b[s->order[k]];
  for (int k = 0; k < n; k++) {
    const double xk = x[k];
    for (int p = s->l_start[k]; p < s->l_start[k + 1]; p++) x[s->l_row[p]] -= lower[p] * xk;
  }
  for (int k = n - 1; k >= 0; k--) {
    double xk = x[k] * s->inverse_d[k];
    for (int p = s->l_start[k]; p < s->l_start[k + 1]; p++) xk -= upper[p] * x[s->l_row[p]];
    x[k] = xk;
  }
  for (int k = 0; k < n; k++) b[s->order[k]] = x[k];
}
