// Rows over groups of columns, the sparse kind: L D L' of W W' on a pattern fixed at set-up. See gram.h.
//
// A row that depends on others has a pivot of rounding size. It is found in a first factorization and
// left out of a second: its row and column become those of the unit matrix.
#include "linalg/gram_private.h"
#include "linalg/order.h"
#include "linalg/rank.h"

// Beyond, the memory for least squares would be larger than the level.
enum { MANY_ROWS = 5000 };

// Rows by groups: the transpose of the segments.
static hn_status rows_of_groups(hn_arena *arena, const hn_gram_pattern *p, int **start,
                                int **list) {
  int segments = p->segment_start[p->rows];
  *start = HN_TAKE(arena, int, p->groups + 2);
  *list = HN_TAKE(arena, int, segments);
  if (arena->failed) return HN_ERROR_MEMORY;
  int *at = *start + 1;
  for (int s = 0; s < segments; s++) at[p->segment_group[s] + 1]++;
  for (int k = 0; k < p->groups; k++) at[k + 1] += at[k];
  for (int r = 0; r < p->rows; r++)
    for (int s = p->segment_start[r]; s < p->segment_start[r + 1]; s++)
      (*list)[at[p->segment_group[s]]++] = r;
  return HN_OK;
}

// Columns of the upper triangle: rows <= column that share a group with it; index null: only counted.
static int fill_pattern(const hn_gram_pattern *p, const int *start, const int *list, int *mark,
                        int *column_start, int *index) {
  int count = 0;
  for (int r = 0; r < p->rows; r++) mark[r] = -1;
  for (int r = 0; r < p->rows; r++) {
    if (index) column_start[r] = count;
    for (int s = p->segment_start[r]; s < p->segment_start[r + 1]; s++) {
      int group = p->segment_group[s];
      for (int k = start[group]; k < start[group + 1]; k++) {
        int other = list[k];
        if (other > r || mark[other] == r) continue;
        mark[other] = r;
        if (index) index[count] = other;
        count++;
      }
    }
    if (mark[r] == r) continue; // a row without columns still has its diagonal
    mark[r] = r;
    if (index) index[count] = r;
    count++;
  }
  if (index) column_start[p->rows] = count;
  return count;
}

hn_status hn_gram_sparse_create(hn_arena *arena, hn_gram *g) {
  int *start = NULL, *list = NULL, *mark = HN_TAKE(arena, int, g->rows);
  if (!mark || rows_of_groups(arena, &g->pattern, &start, &list) != HN_OK) return HN_ERROR_MEMORY;
  int count = fill_pattern(&g->pattern, start, list, mark, NULL, NULL);
  g->column_start = HN_TAKE(arena, int, g->rows + 1);
  g->row_index = HN_TAKE(arena, int, count);
  g->value = HN_KEEP(arena, double, count);
  if (arena->failed) return HN_ERROR_MEMORY;
  g->spare_room = g->rows <= MANY_ROWS ? HN_GRAM_SPARE : 0;
  g->spare = HN_KEEP(arena, int, g->spare_room);
  g->share = HN_KEEP(arena, double, g->spare_room * g->rows);
  g->excess = HN_KEEP(arena, double, g->spare_room * g->spare_room);
  g->pivots = HN_KEEP(arena, int, g->spare_room);
  g->gap = HN_KEEP(arena, double, g->spare_room);
  if (arena->failed) return HN_ERROR_MEMORY;
  fill_pattern(&g->pattern, start, list, mark, g->column_start, g->row_index);
  // In natural elimination order: pivots show which rows depend on those before them.
  int *order = HN_TAKE(arena, int, g->rows);
  if (!order) return HN_ERROR_MEMORY;
  hn_status status = hn_order_matrix(arena, g->rows, g->column_start, g->row_index, order);
  if (status != HN_OK) return status;
  return hn_factors_create(arena, g->rows, g->column_start, g->row_index, order, 1, &g->factors);
}

// w_r . w_s over the groups they share; both lists of groups ascend.
static double product(const hn_gram *g, int r, int s) {
  const hn_gram_pattern *p = &g->pattern;
  int i = p->segment_start[r], j = p->segment_start[s];
  double sum = 0;
  while (i < p->segment_start[r + 1] && j < p->segment_start[s + 1]) {
    int difference = p->segment_group[i] - p->segment_group[j];
    if (difference == 0) {
      const double *x = &g->w[g->segment_at[i]], *y = &g->w[g->segment_at[j]];
      int size = g->segment_at[i + 1] - g->segment_at[i];
      for (int k = 0; k < size; k++) sum += x[k] * y[k];
    }
    i += difference <= 0;
    j += difference >= 0;
  }
  return sum;
}

static void fill_values(hn_gram *g) {
  for (int c = 0; c < g->rows; c++)
    for (int k = g->column_start[c]; k < g->column_start[c + 1]; k++) {
      int r = g->row_index[k];
      if (g->used[c] && g->used[r])
        g->value[k] = product(g, r, c);
      else
        g->value[k] = r == c;
    }
}

// Pivots are squares; nothing below rounding can be distinguished.
static double least_pivot(double tolerance) {
  double least = tolerance * tolerance;
  return least > 1e-11 ? least : 1e-11;
}

// ---- least squares ------------------------------------------------------------------------------

static double *share_of(const hn_gram *g, int k) { return &g->share[(size_t)k * (size_t)g->rows]; }

// Factors of 1 + T T', which is never singular.
static void factor_excess(hn_gram *g) {
  int n = g->spare_count;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      const double *x = share_of(g, i), *y = share_of(g, j);
      double sum = i == j;
      for (int r = 0; r < g->rows; r++) sum += x[r] * y[r];
      g->excess[i * n + j] = g->excess[j * n + i] = sum;
    }
  hn_dense_lu(g->excess, n, g->pivots);
}

// T: what each row left out is made of.
static void find_shares(hn_gram *g) {
  for (int k = 0; k < g->spare_count; k++) {
    double *t = share_of(g, k);
    for (int r = 0; r < g->rows; r++) t[r] = g->used[r] ? product(g, r, g->spare[k]) : 0;
    hn_gram_sparse_solve(g, t);
  }
  factor_excess(g);
}

void hn_gram_sparse_least(hn_gram *g, double *b) {
  int n = g->spare_count;
  double *x = g->gap;
  for (int i = 0; i < n; i++) {
    const double *t = share_of(g, i);
    x[i] = b[g->spare[i]];
    for (int r = 0; r < g->rows; r++)
      if (g->used[r]) x[i] -= t[r] * b[r];
  }
  hn_dense_lu_solve(g->excess, n, g->pivots, x);
  for (int i = 0; i < n; i++) {
    const double *t = share_of(g, i);
    for (int r = 0; r < g->rows; r++) b[r] += x[i] * t[r];
  }
  hn_gram_sparse_solve(g, b);
}

// ---- factors ------------------------------------------------------------------------------------

int hn_gram_sparse_factor(hn_gram *g, const unsigned char *active, double tolerance, int complete,
                          unsigned char *dependent) {
  double least = least_pivot(tolerance);
  int count = 0, small = 0;
  const hn_pivot_rule rule = {.tiny = 1e-2 * least, .is_definite = 1};
  g->spare_count = 0;
  for (int r = 0; r < g->rows; r++) {
    g->used[r] = active ? active[r] != 0 : 1;
    count += g->used[r];
  }
  fill_values(g);
  hn_factors_of(g->factors, g->value, NULL, &rule);
  for (int r = 0; r < g->rows; r++)
    if (g->used[r] && !(hn_factors_pivot(g->factors, r) > least)) {
      g->used[r] = 0;
      if (dependent) dependent[r] = 1;
      if (small < g->spare_room) g->spare[small] = r;
      small++;
    }
  if (small > 0) {
    fill_values(g);
    hn_factors_of(g->factors, g->value, NULL, &rule);
  }
  if (complete && small <= g->spare_room) {
    g->spare_count = small;
    find_shares(g);
  }
  g->rank = count - small;
  return g->rank;
}

int hn_gram_sparse_small(const hn_gram *g, double tolerance) {
  int small = 0;
  for (int r = 0; r < g->rows; r++)
    small += g->used[r] && hn_factors_pivot(g->factors, r) < tolerance * tolerance;
  return small;
}

void hn_gram_sparse_solve(hn_gram *g, double *b) {
  for (int r = 0; r < g->rows; r++)
    if (!g->used[r]) b[r] = 0;
  hn_factors_solve(g->factors, NULL, b);
  for (int r = 0; r < g->rows; r++)
    if (!g->used[r]) b[r] = 0;
}
