// Rows over groups of columns: the common part and the dense kind; see gram.h. The sparse kind is in
// gram_sparse.c.
//
// QR is modified Gram-Schmidt with pivoting: only R is needed, Q = W1' R1^-1 never is, and R is as good
// as Householder's.
#include <math.h>
#include <string.h>

#include "linalg/gram_private.h"
#include "linalg/rank.h"

static int count_entries(const hn_gram_pattern *p, int row) {
  int count = 0;
  for (int s = p->segment_start[row]; s < p->segment_start[row + 1]; s++) {
    int group = p->segment_group[s];
    count += p->group_columns[group + 1] - p->group_columns[group];
  }
  return count;
}

static hn_status create_dense(hn_arena *arena, hn_gram *g) {
  int m = g->rows, n = g->columns;
  g->a = HN_KEEP(arena, double, m *n);
  g->r = HN_KEEP(arena, double, m *m);
  g->rest = HN_KEEP(arena, double, 3 * m + n);
  g->row_of = HN_KEEP(arena, int, m);
  g->order = HN_KEEP(arena, int, m);
  g->second = HN_KEEP(arena, double, m *m);
  g->beta = HN_KEEP(arena, double, m);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_gram_create(hn_arena *arena, const hn_gram_pattern *pattern, hn_gram **gram) {
  hn_gram *g = HN_KEEP(arena, hn_gram, 1);
  if (!g) return HN_ERROR_MEMORY;
  int m = pattern->rows, segments = pattern->segment_start[m];
  *g = (hn_gram){.pattern = *pattern, .rows = m};
  g->columns = pattern->group_columns[pattern->groups];
  g->segment_at = HN_TAKE(arena, int, segments + 1);
  g->work = HN_KEEP(arena, double, m);
  g->used = HN_KEEP(arena, unsigned char, m);
  if (arena->failed) return HN_ERROR_MEMORY;
  int at = 0;
  for (int s = 0; s < segments; s++) {
    int group = pattern->segment_group[s];
    g->segment_at[s] = at;
    at += pattern->group_columns[group + 1] - pattern->group_columns[group];
  }
  g->segment_at[segments] = at;
  g->w = HN_KEEP(arena, double, at);
  *gram = g;
  if (arena->failed) return HN_ERROR_MEMORY;
  g->is_dense = m <= HN_GRAM_DENSE_ROWS;
  return g->is_dense ? create_dense(arena, g) : hn_gram_sparse_create(arena, g);
}

int hn_gram_segment(const hn_gram *g, int segment) { return g->segment_at[segment]; }
double *hn_gram_values(hn_gram *g) { return g->w; }
int hn_gram_is_dense(const hn_gram *g) { return g->is_dense; }

void hn_gram_add_transposed(const hn_gram *g, double scale, const double *t, double *x) {
  const hn_gram_pattern *p = &g->pattern;
  for (int r = 0; r < g->rows; r++) {
    double factor = scale * t[r];
    if (factor == 0) continue;
    for (int s = p->segment_start[r]; s < p->segment_start[r + 1]; s++) {
      const double *w = &g->w[g->segment_at[s]];
      double *xs = &x[p->group_columns[p->segment_group[s]]];
      int size = g->segment_at[s + 1] - g->segment_at[s];
      for (int i = 0; i < size; i++) xs[i] += factor * w[i];
    }
  }
}

double hn_gram_density(const hn_gram *g) {
  const hn_gram_pattern *p = &g->pattern;
  if (g->rows == 0 || g->columns == 0) return 0;
  long entries = 0;
  for (int r = 0; r < g->rows; r++) entries += count_entries(p, r);
  return (double)entries / ((double)g->rows * (double)g->columns);
}

// ---- dense --------------------------------------------------------------------------------------

static double dot(const double *x, const double *y, int n) {
  double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  int i = 0;
  for (; i + 3 < n; i += 4) {
    sum0 += x[i] * y[i];
    sum1 += x[i + 1] * y[i + 1];
    sum2 += x[i + 2] * y[i + 2];
    sum3 += x[i + 3] * y[i + 3];
  }
  for (; i < n; i++) sum0 += x[i] * y[i];
  return (sum0 + sum1) + (sum2 + sum3);
}

// The active rows as columns of length n, one after the other.
static int fill_columns(hn_gram *g, const unsigned char *active) {
  const hn_gram_pattern *p = &g->pattern;
  int n = g->columns, count = 0;
  for (int r = 0; r < g->rows; r++) {
    if (active && !active[r]) continue;
    double *column = &g->a[(size_t)count * (size_t)n];
    memset(column, 0, (size_t)n * sizeof(double));
    for (int s = p->segment_start[r]; s < p->segment_start[r + 1]; s++) {
      int size = g->segment_at[s + 1] - g->segment_at[s];
      memcpy(&column[p->group_columns[p->segment_group[s]]], &g->w[g->segment_at[s]],
             (size_t)size * sizeof(double));
    }
    g->row_of[count++] = r;
  }
  return count;
}

// R by rows of m: r[k * m + j], j in the order of the pivots.
static int find_rank(hn_gram *g, int count, double tolerance) {
  int n = g->columns, m = g->rows;
  int rank = hn_rank_qr(g->a, n, count, tolerance, NULL, g->order, g->rest);
  for (int k = 0; k < rank; k++)
    for (int j = k; j < count; j++) g->r[k * m + j] = g->a[(size_t)j * (size_t)n + (size_t)k];
  for (int k = 0; k < count; k++) g->order[k] = g->row_of[g->order[k]];
  return rank;
}

// Householder's QR of C = [R1 R2]' (count x rank, by columns), for least squares over dependent rows.
static void second_qr(hn_gram *g) {
  int m = g->rows, count = g->count, rank = g->rank;
  for (int j = 0; j < rank; j++)
    for (int i = 0; i < count; i++) g->second[j * m + i] = i >= j ? g->r[j * m + i] : 0;
  for (int k = 0; k < rank; k++) {
    double *x = &g->second[k * m + k];
    double length = sqrt(dot(x, x, count - k)), head = x[0] > 0 ? -length : length;
    g->beta[k] = head; // the diagonal; the reflector v, scaled to v.v = 2, stays in the column
    x[0] -= head;
    double size = sqrt(0.5 * dot(x, x, count - k));
    for (int i = 0; i < count - k; i++) x[i] = size > 0 ? x[i] / size : 0;
    for (int j = k + 1; j < rank; j++) {
      double *y = &g->second[j * m + k], sum = dot(x, y, count - k);
      for (int i = 0; i < count - k; i++) y[i] -= sum * x[i];
    }
  }
}

static int factor_dense(hn_gram *g, const unsigned char *active, double tolerance, int complete,
                        unsigned char *dependent) {
  g->count = fill_columns(g, active);
  g->rank = find_rank(g, g->count, tolerance);
  for (int k = g->rank; dependent && k < g->count; k++) dependent[g->order[k]] = 1;
  g->is_complete = complete && g->rank < g->count;
  if (g->is_complete) second_qr(g);
  return g->rank;
}

// y <- R1^-T y, y <- R1^-1 y
static void solve_upper_transposed(const hn_gram *g, double *y) {
  int m = g->rows;
  for (int k = 0; k < g->rank; k++) {
    y[k] /= g->r[k * m + k];
    for (int j = k + 1; j < g->rank; j++) y[j] -= g->r[k * m + j] * y[k];
  }
}

static void solve_upper(const hn_gram *g, double *y) {
  int m = g->rows;
  for (int k = g->rank - 1; k >= 0; k--) {
    double sum = y[k];
    for (int j = k + 1; j < g->rank; j++) sum -= g->r[k * m + j] * y[j];
    y[k] = sum / g->r[k * m + k];
  }
}

static void scatter(const hn_gram *g, const double *y, double *b) {
  memset(b, 0, (size_t)g->rows * sizeof(double));
  for (int k = 0; k < g->rank; k++) b[g->order[k]] = y[k];
}

static void solve_dense(hn_gram *g, double *b) {
  double *y = g->work;
  for (int k = 0; k < g->rank; k++) y[k] = b[g->order[k]];
  solve_upper_transposed(g, y);
  solve_upper(g, y);
  scatter(g, y, b);
}

static void least_dense(hn_gram *g, double *b) {
  if (!g->is_complete) {
    solve_dense(g, b);
    return;
  }
  int m = g->rows, count = g->count;
  double *y = g->work;
  for (int k = 0; k < count; k++) y[k] = b[g->order[k]];
  for (int k = 0; k < g->rank; k++) {
    const double *v = &g->second[k * m + k];
    double sum = dot(v, y + k, count - k);
    for (int i = 0; i < count - k; i++) y[k + i] -= sum * v[i];
  }
  for (int k = g->rank - 1; k >= 0; k--) {
    double sum = y[k];
    for (int j = k + 1; j < g->rank; j++) sum -= g->second[j * m + k] * y[j];
    y[k] = sum / g->beta[k];
  }
  solve_upper(g, y);
  scatter(g, y, b);
}

// ---- both kinds ---------------------------------------------------------------------------------

int hn_gram_factor(hn_gram *g, const unsigned char *active, double tolerance, int complete,
                   unsigned char *dependent) {
  if (dependent) memset(dependent, 0, (size_t)g->rows);
  if (g->is_dense) return factor_dense(g, active, tolerance, complete, dependent);
  return hn_gram_sparse_factor(g, active, tolerance, complete, dependent);
}

int hn_gram_small(const hn_gram *g, double tolerance) {
  int small = 0;
  for (int k = 0; g->is_dense && k < g->rank; k++) small += fabs(g->r[k * g->rows + k]) < tolerance;
  return g->is_dense ? small : hn_gram_sparse_small(g, tolerance);
}

void hn_gram_solve(hn_gram *g, double *b) {
  if (g->is_dense)
    solve_dense(g, b);
  else
    hn_gram_sparse_solve(g, b);
}

void hn_gram_least(hn_gram *g, double *b) {
  if (g->is_dense)
    least_dense(g, b);
  else
    hn_gram_sparse_least(g, b);
}

int hn_semidefinite_root(double *a, int n, const double *floor, double *l, int width, int *order,
                         double *rest) {
  int rank = 0;
  for (int i = 0; i < n; i++) {
    order[i] = i;
    rest[i] = a[i * n + i];
  }
  memset(l, 0, (size_t)n * (size_t)width * sizeof(double));
  for (int k = 0; k < n; k++) {
    int best = -1;
    double most = 0;
    for (int i = k; i < n; i++) {
      double share = rest[order[i]] / floor[order[i]];
      if (floor[order[i]] > 0 && share > 1 && share > most) {
        most = share;
        best = i;
      }
    }
    if (best < 0) break;
    int p = order[best];
    order[best] = order[k];
    order[k] = p;
    double pivot = sqrt(rest[p]);
    l[p * width + k] = pivot;
    for (int i = k + 1; i < n; i++) {
      int row = order[i];
      double sum = a[row * n + p];
      for (int j = 0; j < k; j++) sum -= l[row * width + j] * l[p * width + j];
      l[row * width + k] = sum / pivot;
      rest[row] -= l[row * width + k] * l[row * width + k];
    }
    rank++;
  }
  return rank;
}
