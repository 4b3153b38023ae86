// QR with column pivoting (Golub 1965): step k takes the column with the longest rest below row k,
// reflects it onto the k-th axis, and shortens the rests of the others by what row k took. The
// rests are updated, not recomputed, until cancellation would spoil them. Everything runs down
// columns. Eigenvalues are in eigen.c.
#include "linalg/rank.h"

#include <math.h>
#include <string.h>

#include "linalg/share.h"

static double norm(const double *x, int n) {
  double most = 0, sum = 0;
  for (int i = 0; i < n; i++)
    if (fabs(x[i]) > most) most = fabs(x[i]);
  if (!(most > 0)) return most;
  for (int i = 0; i < n; i++) sum += (x[i] / most) * (x[i] / most);
  return most * sqrt(sum);
}

static void swap_columns(double *a, int rows, int i, int j) {
  double *x = &a[(size_t)i * (size_t)rows], *y = &a[(size_t)j * (size_t)rows];
  for (int k = 0; k < rows; k++) {
    double keep = x[k];
    x[k] = y[k];
    y[k] = keep;
  }
}

// The longest rest; of those at least half as long the most preferred, then the first.
static int choose_column(const double *rest, int from, int columns, const int *preference,
                         const int *order, double *longest) {
  int best = from;
  for (int j = from + 1; j < columns; j++)
    if (rest[j] > rest[best]) best = j;
  *longest = rest[best];
  if (!preference) return best;
  for (int j = from; j < columns; j++)
    if (rest[j] >= 0.5 * *longest && preference[order[j]] > preference[order[best]]) best = j;
  return best;
}

// Reflects x (n) onto its first axis: x becomes (beta, 0); v (n) receives the unit reflector.
static double reflector(double *x, int n, double length, double *v) {
  double beta = x[0] > 0 ? -length : length;
  memcpy(v, x, (size_t)n * sizeof(double));
  v[0] -= beta;
  double scale = norm(v, n);
  for (int i = 0; i < n; i++) v[i] = scale > 0 ? v[i] / scale : 0;
  x[0] = beta;
  for (int i = 1; i < n; i++) x[i] = 0;
  return beta;
}

static void reflect(const double *v, int n, double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += v[i] * x[i];
  sum *= 2;
  for (int i = 0; i < n; i++) x[i] -= sum * v[i];
}

// b (rows, may be null) becomes Q' b.
static int factor(double *a, int rows, int columns, double tolerance, const int *preference,
                  int *order, double *work, double *b) {
  double *rest = work, *exact = work + columns, *v = work + 2 * columns;
  double first = 0, longest;
  for (int j = 0; j < columns; j++) {
    order[j] = j;
    rest[j] = exact[j] = norm(&a[(size_t)j * (size_t)rows], rows);
    if (rest[j] > first) first = rest[j];
  }
  int steps = rows < columns ? rows : columns, k = 0;
  for (; k < steps; k++) {
    int best = choose_column(rest, k, columns, preference, order, &longest);
    if (!(longest > tolerance * first)) break;
    if (best != k) {
      swap_columns(a, rows, k, best);
      int keep = order[k];
      order[k] = order[best];
      order[best] = keep;
      rest[best] = rest[k];
      exact[best] = exact[k];
    }
    double *column = &a[(size_t)k * (size_t)rows + (size_t)k];
    reflector(column, rows - k, norm(column, rows - k), v);
    if (b) reflect(v, rows - k, b + k);
    for (int j = k + 1; j < columns; j++) {
      double *other = &a[(size_t)j * (size_t)rows + (size_t)k];
      reflect(v, rows - k, other);
      if (!(rest[j] > 0)) continue;
      double ratio = other[0] / rest[j], left = 1 - ratio * ratio;
      double kept = rest[j] / exact[j];
      if (left > 0 && left * kept * kept > 1e-7)
        rest[j] *= sqrt(left);
      else
        rest[j] = exact[j] = norm(other + 1, rows - k - 1);
    }
  }
  return k;
}

int hn_rank_qr(double *a, int rows, int columns, double tolerance, const int *preference,
               int *order, double *work) {
  return factor(a, rows, columns, tolerance, preference, order, work, NULL);
}

// Reflections from the right make [R S] of dependent columns lower triangular; what they leave is the
// shortest solution. Row k is that without what stands between the diagonal and S: (k, k), (k, rank..).
// The first number of each reflection goes to heads.
static void reflect_rows(double *a, int rows, int columns, int rank, double *heads) {
  for (int k = rank - 1; k >= 0; k--) {
    double *first = &a[(size_t)k * (size_t)rows], *rest = &a[(size_t)rank * (size_t)rows];
    double most = fabs(first[k]), sum = 0;
    for (int j = 0; j < columns - rank; j++)
      most = fmax(most, fabs(rest[(size_t)j * (size_t)rows + (size_t)k]));
    for (int j = 0; j < columns - rank; j++) {
      double x = rest[(size_t)j * (size_t)rows + (size_t)k] / most;
      sum += x * x;
    }
    double length = most * sqrt(sum + first[k] / most * (first[k] / most));
    double diagonal = first[k] < 0 ? length : -length;
    heads[k] = first[k] - diagonal;
    first[k] = diagonal;
    for (int i = 0; i < k; i++) {
      double dot = heads[k] * first[i];
      for (int j = 0; j < columns - rank; j++) {
        const double *x = &rest[(size_t)j * (size_t)rows];
        dot += x[k] * x[i];
      }
      dot /= -diagonal * heads[k];
      first[i] -= dot * heads[k];
      for (int j = 0; j < columns - rank; j++) {
        double *x = &rest[(size_t)j * (size_t)rows];
        x[i] -= dot * x[k];
      }
    }
  }
}

// y from the triangle by those reflections.
static void reflect_back(const double *a, int rows, int columns, int rank, const double *heads,
                         double *y) {
  for (int k = 0; k < rank; k++) {
    double dot = heads[k] * y[k];
    for (int j = rank; j < columns; j++) dot += a[(size_t)j * (size_t)rows + (size_t)k] * y[j];
    dot /= -a[(size_t)k * (size_t)rows + (size_t)k] * heads[k];
    y[k] -= dot * heads[k];
    for (int j = rank; j < columns; j++) y[j] -= dot * a[(size_t)j * (size_t)rows + (size_t)k];
  }
}

int hn_least_norm(double *a, int rows, int columns, double tolerance, double *b, double *x,
                  int *order, double *work, double *rest) {
  double *y = work, *heads = work + columns;
  const int rank = factor(a, rows, columns, tolerance, NULL, order, work, b);
  if (rest) *rest = norm(b + rank, rows - rank);
  if (rank < columns) reflect_rows(a, rows, columns, rank, heads);
  for (int k = rank - 1; k >= 0; k--) {
    double value = b[k];
    for (int j = k + 1; j < rank; j++) value -= a[(size_t)j * (size_t)rows + (size_t)k] * y[j];
    y[k] = value / a[(size_t)k * (size_t)rows + (size_t)k];
  }
  for (int j = rank; j < columns; j++) y[j] = 0;
  if (rank < columns) reflect_back(a, rows, columns, rank, heads, y);
  for (int k = 0; k < columns; k++) x[order[k]] = y[k];
  return rank;
}

void hn_rank_null_space(const double *qr, int rows, int columns, int rank, const int *order,
                        double *null_space) {
  memset(null_space, 0, (size_t)columns * (size_t)(columns - rank) * sizeof(double));
  for (int k = 0; k < columns - rank; k++) {
    const double *right = &qr[(size_t)(rank + k) * (size_t)rows];
    double *out = &null_space[(size_t)k * (size_t)columns];
    out[order[rank + k]] = 1;
    for (int i = 0; i < rank; i++) out[order[i]] = -right[i];
    for (int i = rank - 1; i >= 0; i--) {
      const double *column = &qr[(size_t)i * (size_t)rows];
      double x = out[order[i]] /= column[i];
      for (int l = 0; l < i; l++) out[order[l]] -= x * column[l];
    }
  }
}

void hn_orthonormalize(double *a, int rows, int columns) {
  for (int j = 0; j < columns; j++) {
    double *x = &a[(size_t)j * (size_t)rows];
    for (int pass = 0; pass < 2; pass++) // once is not enough for nearly dependent columns
      for (int i = 0; i < j; i++) {
        const double *y = &a[(size_t)i * (size_t)rows];
        double part = 0;
        for (int l = 0; l < rows; l++) part += x[l] * y[l];
        for (int l = 0; l < rows; l++) x[l] -= part * y[l];
      }
    double length = norm(x, rows);
    for (int l = 0; l < rows && length > 0; l++) x[l] /= length;
  }
}

// ---- full pivoting ------------------------------------------------------------------------------

// Largest entry at or after (k, k).
static double find_pivot(const double *a, int rows, int columns, int k, int *row, int *column) {
  double most = -1;
  for (int j = k; j < columns; j++)
    for (int i = k; i < rows; i++) {
      double x = fabs(a[(size_t)j * (size_t)rows + (size_t)i]);
      if (!(x > most)) continue;
      most = x;
      *row = i;
      *column = j;
    }
  return most;
}

static void swap_rows(double *a, int rows, int columns, int i, int j) {
  for (int k = 0; i != j && k < columns; k++) {
    double *x = &a[(size_t)k * (size_t)rows], keep = x[i];
    x[i] = x[j];
    x[j] = keep;
  }
}

int hn_full_pivots(double *a, int rows, int columns, int *names) {
  int steps = rows < columns ? rows : columns;
  for (int k = 0; k < steps; k++) {
    int row = k, column = k;
    if (!(find_pivot(a, rows, columns, k, &row, &column) > 0)) return k;
    swap_rows(a, rows, columns, k, row);
    if (column != k) swap_columns(a, rows, k, column);
    int keep = names[k];
    names[k] = names[column];
    names[column] = keep;
    const double *pivot = &a[(size_t)k * (size_t)rows];
    for (int j = k + 1; j < columns; j++) {
      double *x = &a[(size_t)j * (size_t)rows], share = x[k] / pivot[k];
      if (share == 0) continue;
      for (int i = k + 1; i < rows; i++) x[i] -= pivot[i] * share;
    }
  }
  return steps;
}

// ---- LU -----------------------------------------------------------------------------------------

// y -= factor x
static void subtract(int n, double factor, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] -= factor * x[i];
}

// In four sums, so that they can be added side by side.
static double dot(int n, const double *x, const double *y) {
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += x[i + k] * y[i + k];
  for (; i < n; i++) sum[0] += x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Columns wait for the pivots of a panel and take them at once, in order: each number sees the same
// operations as with one pivot after the other, for any number of threads.
enum { PANEL = 32, COLUMN_GRAIN = 8, LEAST_SHARED = 96 };

typedef struct panel {
  double *a;
  int n, from, to; // pivots
  const int *pivots;
} panel;

// The pivots from .. to - 1 of the panel on column j.
static void eliminate(const panel *p, int j, int to) {
  const size_t n = (size_t)p->n;
  double *x = &p->a[(size_t)j * n];
  for (int k = p->from; k < to; k++) { // as rows of the columns of the panel have
    double keep = x[p->pivots[k]];
    x[p->pivots[k]] = x[k];
    x[k] = keep;
  }
  for (int k = p->from; k < to; k++) {
    const double *column = &p->a[(size_t)k * n];
    if (x[k] != 0 && fabs(column[k]) > 0) subtract(p->n - k - 1, x[k], column + k + 1, x + k + 1);
  }
}

static void eliminate_columns(void *context, int from, int to) {
  const panel *p = context;
  for (int j = p->to + from; j < p->to + to; j++) eliminate(p, j, p->to);
}

// Its columns one after the other; the first without a pivot, from 1 on, or 0.
static int factor_panel(panel *p, int *pivots) {
  int n = p->n, singular = 0;
  for (int k = p->from; k < p->to; k++) {
    double *column = &p->a[(size_t)k * (size_t)n];
    eliminate(p, k, k);
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(column[i]) > fabs(column[best])) best = i;
    pivots[k] = best;
    if (!(fabs(column[best]) > 0)) {
      pivots[k] = k;
      if (!singular) singular = k + 1;
      continue;
    }
    double keep = column[k];
    column[k] = column[best];
    column[best] = keep;
    for (int i = k + 1; i < n; i++) column[i] /= column[k];
    // rows change places in the columns before, too
    for (int j = p->from; best != k && j < k; j++) {
      double *x = &p->a[(size_t)j * (size_t)n];
      keep = x[k];
      x[k] = x[best];
      x[best] = keep;
    }
  }
  return singular;
}

static void swap_rows_before(const panel *p) {
  for (int j = 0; j < p->from; j++) {
    double *x = &p->a[(size_t)j * (size_t)p->n];
    for (int k = p->from; k < p->to; k++) {
      double keep = x[k];
      x[k] = x[p->pivots[k]];
      x[p->pivots[k]] = keep;
    }
  }
}

int hn_dense_lu_shared(double *a, int n, int *pivots, hn_threads *threads) {
  int singular = 0;
  for (int from = 0; from < n; from += PANEL) {
    panel p = {a, n, from, from + PANEL < n ? from + PANEL : n, pivots};
    int found = factor_panel(&p, pivots);
    if (!singular) singular = found;
    swap_rows_before(&p);
    hn_share(n - p.to >= LEAST_SHARED ? threads : NULL, eliminate_columns, &p, n - p.to,
             COLUMN_GRAIN);
  }
  return singular;
}

int hn_dense_lu(double *a, int n, int *pivots) { return hn_dense_lu_shared(a, n, pivots, NULL); }

// By reciprocals of the pivots: these divisions do not wait for each other, those of x would.
void hn_dense_lu_solve(const double *a, int n, const int *pivots, double *x) {
  for (int k = 0; k < n; k++) {
    double keep = x[pivots[k]];
    x[pivots[k]] = x[k];
    x[k] = keep;
  }
  for (int k = 0; k < n; k++)
    if (x[k] != 0) subtract(n - k - 1, x[k], &a[(size_t)k * (size_t)n + (size_t)k + 1], x + k + 1);
  for (int k = n - 1; k >= 0; k--) {
    const double *column = &a[(size_t)k * (size_t)n];
    double inverse = 1 / column[k];
    if (x[k] == 0) continue;
    x[k] *= inverse;
    subtract(k, x[k], column, x);
  }
}

void hn_dense_lu_solve_transposed(const double *a, int n, const int *pivots, double *x) {
  for (int k = 0; k < n; k++) {
    const double *column = &a[(size_t)k * (size_t)n];
    x[k] = (x[k] - dot(k, column, x)) * (1 / column[k]);
  }
  for (int k = n - 1; k >= 0; k--)
    x[k] -= dot(n - k - 1, &a[(size_t)k * (size_t)n + (size_t)k + 1], x + k + 1);
  for (int k = n - 1; k >= 0; k--) {
    double keep = x[pivots[k]];
    x[pivots[k]] = x[k];
    x[k] = keep;
  }
}

int hn_solve_in_order(double *a, int n, double *b, unsigned char *is_dropped, hn_takes_row *takes,
                      void *context) {
  for (int k = 0; k < n; k++) {
    double *column = &a[k * n], pivot = column[k];
    int taken = takes(context, k, pivot, b[k]);
    if (taken < 0) return -1;
    is_dropped[k] = !taken;
    for (int i = k + 1; taken && i < n; i++) {
      double factor = column[i] / pivot;
      column[i] = factor;
      for (int l = k + 1; l < n; l++) a[l * n + i] -= factor * a[l * n + k];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int l = k + 1; l < n && !is_dropped[k]; l++) b[k] -= a[l * n + k] * b[l];
    b[k] = is_dropped[k] ? 0 : b[k] / a[k * n + k];
  }
  return 0;
}
