// Up-looking L D L': row k of L solves  L(0:k, 0:k) D y = A(0:k, k)  with the rows before it, so
// that every column of L is appended to from top to bottom:
//
//   for i in the pattern of row k, ascending:   y(rows of column i so far) -= L(., i) y_i
//                                               L(k, i) = y_i / d_i,  d_k -= L(k, i) y_i
//
// The patterns of all rows are found once from the elimination tree; then numbers only. Not here:
// orderings (order.c), pivoting, and any judgement about the accuracy (saddle_solve.c refines).
#include "linalg/ldl_private.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "linalg/order.h"

#define NOISE 1e-15 // a pivot below this part of the terms it was summed from is rounding noise

// ---- symbolic -----------------------------------------------------------------------------------

// The caller's pattern with rows and columns renumbered, upper triangle without the diagonal.
typedef struct permuted {
  int *start, *row, *source, *diagonal;
} permuted;

static int permute(hn_arena *arena, int n, const int *column_start, const int *row_index,
                   const int *inverse, permuted *out) {
  out->start = HN_TAKE(arena, int, n + 2);
  out->row = HN_TAKE(arena, int, column_start[n]);
  out->source = HN_TAKE(arena, int, column_start[n]);
  out->diagonal = HN_TAKE(arena, int, n);
  if (arena->failed) return 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < n; j++)
      for (int k = column_start[j]; k < column_start[j + 1]; k++) {
        int a = inverse[row_index[k]], b = inverse[j];
        int column = a > b ? a : b, row = a > b ? b : a;
        if (row == column)
          out->diagonal[column] = k;
        else if (pass == 0)
          out->start[column + 2]++;
        else {
          out->row[out->start[column + 1]] = row;
          out->source[out->start[column + 1]++] = k;
        }
      }
    for (int j = 0; pass == 0 && j < n; j++) out->start[j + 2] += out->start[j + 1];
  }
  return 1;
}

// Row k of L has an entry in every column on the paths of the elimination tree from the entries of
// A(:, k) up to k. Counts entries of columns; with `next` also writes the rows of each column.
static void walk(int n, const permuted *a, int *parent, int *flag, int *count, int *l_row,
                 int *next) {
  for (int k = 0; k < n; k++) {
    flag[k] = k + 1;
    if (!next) parent[k] = -1;
    for (int p = a->start[k]; p < a->start[k + 1]; p++)
      for (int i = a->row[p]; flag[i] != k + 1; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        if (next)
          l_row[next[i]++] = k;
        else
          count[i]++;
        flag[i] = k + 1;
      }
  }
}

static double count_operations(int n, const int *count) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += 0.5 * (double)count[k] * ((double)count[k] + 3);
  return sum;
}

static void invert(int n, const int *order, int *inverse) {
  for (int k = 0; k < n; k++) inverse[order[k]] = k;
}

double hn_ldl_count(hn_arena *scratch, int n, const int *column_start, const int *row_index,
                    const int *order) {
  int *inverse = HN_TAKE(scratch, int, n), *parent = HN_TAKE(scratch, int, n);
  int *flag = HN_TAKE(scratch, int, n), *count = HN_TAKE(scratch, int, n);
  permuted a;
  if (scratch->failed) return -1;
  invert(n, order, inverse);
  if (!permute(scratch, n, column_start, row_index, inverse, &a)) return -1;
  walk(n, &a, parent, flag, count, NULL, NULL);
  return count_operations(n, count);
}

// Rows of columns are known; the columns of rows follow by transposition, ascending by themselves.
static void transpose_pattern(hn_ldl *self) {
  int n = self->n, *next = self->filled;
  for (int p = 0; p < self->l_start[n]; p++) self->pattern_start[self->l_row[p] + 1]++;
  for (int k = 0; k < n; k++) {
    self->pattern_start[k + 1] += self->pattern_start[k];
    next[k] = self->pattern_start[k];
  }
  for (int i = 0; i < n; i++)
    for (int p = self->l_start[i]; p < self->l_start[i + 1]; p++)
      self->pattern[next[self->l_row[p]]++] = i;
}

static hn_status symbolic(hn_arena *arena, hn_arena *scratch, hn_ldl *self, const permuted *a) {
  int n = self->n;
  int *parent = HN_TAKE(scratch, int, n), *flag = HN_TAKE(scratch, int, n);
  int *count = HN_TAKE(scratch, int, n);
  self->l_start = HN_TAKE(arena, int, n + 1);
  self->pattern_start = HN_TAKE(arena, int, n + 1);
  self->filled = HN_TAKE(arena, int, n);
  if (scratch->failed || arena->failed) return HN_ERROR_MEMORY;
  walk(n, a, parent, flag, count, NULL, NULL);
  for (int k = 0; k < n; k++) {
    if (count[k] > INT_MAX - self->l_start[k]) return HN_ERROR_MEMORY;
    self->l_start[k + 1] = self->l_start[k] + count[k];
    self->filled[k] = self->l_start[k];
  }
  self->operations = count_operations(n, count);
  self->l_row = HN_TAKE(arena, int, self->l_start[n]);
  self->pattern = HN_TAKE(arena, int, self->l_start[n]);
  self->l = HN_TAKE(arena, double, self->l_start[n]);
  if (arena->failed) return HN_ERROR_MEMORY;
  memset(flag, 0, (size_t)n * sizeof(int));
  walk(n, a, parent, flag, NULL, self->l_row, self->filled);
  transpose_pattern(self);
  return HN_OK;
}

static hn_status create(hn_arena *arena, hn_arena *scratch, int n, const int *column_start,
                        const int *row_index, const int *order, hn_ldl **ldl) {
  hn_ldl *self = HN_TAKE(arena, hn_ldl, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->n = n;
  self->order = HN_TAKE(arena, int, n);
  self->inverse = HN_TAKE(arena, int, n);
  self->d = HN_TAKE(arena, double, n);
  self->inverse_d = HN_TAKE(arena, double, n);
  self->y = HN_TAKE(arena, double, n);
  self->x = HN_TAKE(arena, double, n);
  if (arena->failed) return HN_ERROR_MEMORY;
  if (order) {
    memcpy(self->order, order, (size_t)n * sizeof(int));
  } else {
    hn_status status = hn_order_matrix(scratch, n, column_start, row_index, self->order);
    if (status != HN_OK) return status;
  }
  invert(n, self->order, self->inverse);
  permuted a;
  if (!permute(arena, n, column_start, row_index, self->inverse, &a)) return HN_ERROR_MEMORY;
  self->column_start = a.start;
  self->row = a.row;
  self->source = a.source;
  self->diagonal = a.diagonal;
  *ldl = self;
  return symbolic(arena, scratch, self, &a);
}

hn_status hn_ldl_create_ordered(hn_arena *arena, int n, const int *column_start,
                                const int *row_index, const int *order, hn_ldl **ldl) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = create(arena, &scratch, n, column_start, row_index, order, ldl);
  hn_arena_release(&scratch);
  if (status != HN_OK) *ldl = NULL;
  return status;
}

hn_status hn_ldl_create(hn_arena *arena, int n, const int *column_start, const int *row_index,
                        hn_ldl **ldl) {
  return hn_ldl_create_ordered(arena, n, column_start, row_index, NULL, ldl);
}

// ---- without some unknowns ----------------------------------------------------------------------

hn_status hn_ldl_create_part(hn_arena *arena, const hn_ldl *whole, hn_ldl **part) {
  hn_ldl *self = HN_TAKE(arena, hn_ldl, 1);
  if (!self) return HN_ERROR_MEMORY;
  int n = whole->n, entries = whole->column_start[n], fill = whole->l_start[n];
  *self = *whole; // order, diagonal and the rest that any part has
  self->column_start = HN_TAKE(arena, int, n + 1);
  self->row = HN_TAKE(arena, int, entries);
  self->source = HN_TAKE(arena, int, entries);
  self->l_start = HN_TAKE(arena, int, n + 1);
  self->pattern_start = HN_TAKE(arena, int, n + 1);
  self->filled = HN_TAKE(arena, int, n);
  self->parent = HN_TAKE(arena, int, n);
  self->flag = HN_TAKE(arena, int, n);
  self->count = HN_TAKE(arena, int, n);
  self->l_row = HN_TAKE(arena, int, fill);
  self->pattern = HN_TAKE(arena, int, fill);
  self->l = HN_TAKE(arena, double, fill);
  self->d = HN_TAKE(arena, double, n);
  self->inverse_d = HN_TAKE(arena, double, n);
  self->y = HN_TAKE(arena, double, n);
  self->x = HN_TAKE(arena, double, n);
  *part = self;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// A part of a pattern, eliminated in the same order, fills no entry the whole does not fill.
void hn_ldl_leave_out(hn_ldl *self, const hn_ldl *whole, const unsigned char *gone) {
  int n = self->n, at = 0;
  size_t size = (size_t)n * sizeof(int);
  for (int k = 0; k < n; k++) {
    self->column_start[k] = at;
    int is_gone = gone[self->order[k]];
    for (int p = whole->column_start[k]; p < whole->column_start[k + 1]; p++) {
      if (is_gone || gone[self->order[whole->row[p]]]) continue;
      self->row[at] = whole->row[p];
      self->source[at++] = whole->source[p];
    }
  }
  self->column_start[n] = at;
  permuted a = {.start = self->column_start, .row = self->row};
  memset(self->flag, 0, size);
  memset(self->count, 0, size);
  walk(n, &a, self->parent, self->flag, self->count, NULL, NULL);
  for (int k = 0; k < n; k++) {
    self->l_start[k + 1] = self->l_start[k] + self->count[k];
    self->filled[k] = self->l_start[k];
  }
  self->operations = count_operations(n, self->count);
  memset(self->flag, 0, size);
  walk(n, &a, self->parent, self->flag, NULL, self->l_row, self->filled);
  memset(self->pattern_start, 0, size + sizeof(int));
  transpose_pattern(self);
}

// ---- numbers ------------------------------------------------------------------------------------

int hn_ldl_factor(hn_ldl *self, const double *values, const signed char *signs, double tiny) {
  const int n = self->n;
  double *restrict y = self->y, *restrict l = self->l;
  int replaced = 0;
  memcpy(self->filled, self->l_start, (size_t)n * sizeof(int));
  for (int k = 0; k < n; k++) {
    for (int p = self->column_start[k]; p < self->column_start[k + 1]; p++)
      y[self->row[p]] = values[self->source[p]];
    double d = values[self->diagonal[k]], terms = fabs(d);
    for (int q = self->pattern_start[k]; q < self->pattern_start[k + 1]; q++) {
      const int i = self->pattern[q], end = self->filled[i]++;
      const double yi = y[i];
      y[i] = 0;
      for (int p = self->l_start[i]; p < end; p++) y[self->l_row[p]] -= l[p] * yi;
      const double lki = yi * self->inverse_d[i];
      d -= lki * yi;
      terms += fabs(lki * yi);
      l[end] = lki;
    }
    const double sign = signs[self->order[k]], noise = NOISE * terms;
    const double least = noise > tiny ? noise : tiny;
    if (!(sign * d >= least)) { // also when d is not a number
      d = sign * least;
      replaced++;
    }
    self->d[k] = d;
    self->inverse_d[k] = 1 / d;
  }
  return replaced;
}

void hn_ldl_solve(hn_ldl *self, double *b) {
  const int n = self->n;
  double *restrict x = self->x;
  const double *restrict l = self->l;
  for (int k = 0; k < n; k++) x[k] = b[self->order[k]];
  for (int k = 0; k < n; k++) {
    const double xk = x[k];
    for (int p = self->l_start[k]; p < self->l_start[k + 1]; p++) x[self->l_row[p]] -= l[p] * xk;
  }
  for (int k = n - 1; k >= 0; k--) {
    double xk = x[k] * self->inverse_d[k];
    for (int p = self->l_start[k]; p < self->l_start[k + 1]; p++) xk -= l[p] * x[self->l_row[p]];
    x[k] = xk;
  }
  for (int k = 0; k < n; k++) b[self->order[k]] = x[k];
}

double hn_ldl_pivot(const hn_ldl *self, int i) { return self->d[self->inverse[i]]; }
long hn_ldl_fill(const hn_ldl *self) { return self->l_start[self->n]; }
double hn_ldl_operations(const hn_ldl *self) { return self->operations; }
