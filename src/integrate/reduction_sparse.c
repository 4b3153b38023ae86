// A part of many bodies (a long row of loops): dense factors would cost the cube of its size. With the
// augmented matrix in the metric G = diag(1, (2 l)^2), l the mean arm,
//
//   [ G      Phi_q' ] [ x ]   [ b ]     b = V e_k, c = 0:  x = T V e_k,  T symmetric onto the null space
//   [ Phi_q  0      ] [ y ] = [ c ]     b = 0:  x = Phi_q^+ c
//
// sparse and without pivoting (linalg/saddle.h), the columns of the inverse of E are
//
//   P = T V (V' T V)^-1,   Z = (1 - P V') Phi_q^+,   P' f,   Z' f = y of b = f - V P' f
//
// Rows left out are those the equations found redundant. V is chosen from T times a few arbitrary
// vectors, which span the null space: an orthonormal basis of it (tangent plane), or the coordinates in
// which it is seen best, by QR with column pivoting of its transpose (partition).
#include <math.h>
#include <string.h>

#include "integrate/reduction_private.h"
#include "linalg/rank.h"
#include "linalg/saddle.h"

// ---- set-up -------------------------------------------------------------------------------------

static hn_status make_saddle(hn_arena *arena, hn_reduction *self, hn_reduction_part *part, int p) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  int n = part->n, entries = 0, at = 0;
  for (int i = 0; i < n; i++) self->place[part->home[i]] = i;
  for (int k = 0; k < part->rows; k++)
    entries += phi_q->start[part->row[k] + 1] - phi_q->start[part->row[k]];
  int *m_start = HN_TAKE(arena, int, n + 1), *m_index = HN_TAKE(arena, int, n);
  int *j_start = HN_TAKE(arena, int, part->rows + 1), *j_index = HN_TAKE(arena, int, entries);
  part->source = HN_TAKE(arena, int, entries);
  part->metric = HN_TAKE(arena, double, n);
  part->values = HN_KEEP(arena, double, entries);
  part->released = HN_KEEP(arena, unsigned char, part->rows);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int i = 0; i <= n; i++) m_start[i] = i;
  for (int i = 0; i < n; i++) {
    double scale = hn_reduction_column_scale(self, part->home[i]);
    m_index[i] = i;
    part->metric[i] = 1 / (scale * scale);
  }
  for (int k = 0; k < part->rows; k++) {
    j_start[k] = at;
    for (int e = phi_q->start[part->row[k]]; e < phi_q->start[part->row[k] + 1]; e++) {
      if (self->part_of_column[phi_q->index[e]] != p) {
        part->has_entry = 1;
        continue;
      }
      j_index[at] = self->place[phi_q->index[e]];
      part->source[at++] = e;
    }
  }
  j_start[part->rows] = at;
  part->entries = at;
  hn_saddle_pattern pattern = {.n = n,
                               .m = part->rows,
                               .m_column_start = m_start,
                               .m_row_index = m_index,
                               .j_row_start = j_start,
                               .j_column_index = j_index,
                               .rows_wait = 1};
  return hn_saddle_create(arena, &pattern, &part->saddle);
}

hn_status hn_reduction_sparse_create(hn_arena *arena, hn_reduction *self) {
  for (int p = 0; p < self->part_count; p++) {
    hn_reduction_part *part = &self->parts[p];
    if (part->n < HN_REDUCTION_MANY) continue;
    hn_status status = make_saddle(arena, self, part, p);
    if (status != HN_OK) return status;
    part->most = self->most < part->n ? self->most : part->n;
    size_t n = (size_t)part->n, most = (size_t)part->most;
    part->image = HN_KEEP(arena, double, n *most);
    part->basis = HN_KEEP(arena, double, n *most);
    part->gram = HN_KEEP(arena, double, most *most);
    part->pivots = HN_KEEP(arena, int, part->most);
    part->b = HN_KEEP(arena, double, n);
    part->c = HN_KEEP(arena, double, part->rows);
    part->x = HN_KEEP(arena, double, n);
    part->y = HN_KEEP(arena, double, part->rows);
    self->is_serial = 1;
  }
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// ---- numbers ------------------------------------------------------------------------------------

static hn_status factor_saddle(hn_reduction *self, hn_reduction_part *part) {
  for (int k = 0; k < part->entries; k++)
    part->values[k] = self->tangent->phi_q.value[part->source[k]];
  hn_saddle_release(part->saddle, part->released);
  return hn_saddle_factor(part->saddle, part->metric, part->values);
}

// x = V e_k
static void column_of_v(const hn_reduction *self, const hn_reduction_part *part, int k, double *x) {
  size_t n = (size_t)part->n;
  if (self->is_tangent_plane) {
    memcpy(x, &part->basis[(size_t)k * n], n * sizeof(double));
  } else {
    memset(x, 0, n * sizeof(double));
    x[self->place[part->column[part->rank + k]]] = 1;
  }
}

// v = V' x
static void restrict_local(const hn_reduction *self, const hn_reduction_part *part, const double *x,
                           double *v) {
  for (int k = 0; k < part->n - part->rank; k++) {
    if (!self->is_tangent_plane) {
      v[k] = x[self->place[part->column[part->rank + k]]];
      continue;
    }
    const double *basis = &part->basis[(size_t)k * (size_t)part->n];
    v[k] = 0;
    for (int i = 0; i < part->n; i++) v[k] += basis[i] * x[i];
  }
}

// P from T V, and the condition of V' T V in the metric.
static hn_status find_image(hn_reduction *self, hn_reduction_part *part) {
  int n = part->n, size = n - part->rank;
  memset(part->c, 0, (size_t)part->rows * sizeof(double));
  for (int k = 0; k < size; k++) {
    double *column = &part->image[(size_t)k * (size_t)n];
    column_of_v(self, part, k, part->b);
    if (hn_saddle_solve(part->saddle, part->b, part->c, column, part->y, NULL) != HN_OK)
      return HN_ERROR_SINGULAR;
    restrict_local(self, part, column, &part->gram[(size_t)k * (size_t)size]);
  }
  if (hn_dense_lu(part->gram, size, part->pivots) != 0) return HN_ERROR_SINGULAR;
  // P' = (V' T V)^-1 (T V)', row by row: V' T V is symmetric
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < size; k++) part->b[k] = part->image[(size_t)k * (size_t)n + (size_t)i];
    hn_dense_lu_solve(part->gram, size, part->pivots, part->b);
    for (int k = 0; k < size; k++) {
      part->image[(size_t)k * (size_t)n + (size_t)i] = part->b[k];
      sum += fabs(part->b[k]) / hn_reduction_column_scale(self, part->home[i]);
    }
    if (sum > most) most = sum;
  }
  part->condition = part->gain = most;
  return isfinite(most) ? HN_OK : HN_ERROR_SINGULAR;
}

hn_status hn_reduction_sparse_factor(hn_reduction *self, hn_reduction_part *part) {
  hn_status status = factor_saddle(self, part);
  return status == HN_OK ? find_image(self, part) : HN_ERROR_SINGULAR;
}

// ---- the choice ---------------------------------------------------------------------------------

static void keep_rows(hn_reduction *self, hn_reduction_part *part) {
  const hn_equations *e = self->equations;
  part->rank = 0;
  for (int k = 0; k < part->rows; k++) {
    int row = part->row[k];
    part->released[k] = e->redundant[row];
    self->left_out[row] = part->released[k];
    if (!part->released[k]) part->kept[part->rank++] = row;
  }
}

// An orthonormal basis of the null space, from the image of numbers without a pattern.
static hn_status find_basis(hn_reduction_part *part) {
  int n = part->n, size = n - part->rank;
  unsigned long long state = 88172645463325252u;
  memset(part->c, 0, (size_t)part->rows * sizeof(double));
  for (int k = 0; k < size; k++) {
    double *column = &part->basis[(size_t)k * (size_t)n];
    for (int i = 0; i < n; i++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      part->b[i] = (double)(state >> 11) * 0x1p-52 - 1;
    }
    if (hn_saddle_solve(part->saddle, part->b, part->c, column, part->y, NULL) != HN_OK)
      return HN_ERROR_SINGULAR;
  }
  hn_orthonormalize(part->basis, n, size);
  return HN_OK;
}

// Independent are the coordinates in which the null space is seen best.
static hn_status choose_columns(hn_reduction *self, hn_reduction_part *part) {
  int n = part->n, size = n - part->rank;
  double *a = part->image; // size x n, by columns
  for (int i = 0; i < n; i++)
    for (int k = 0; k < size; k++)
      a[(size_t)i * (size_t)size + (size_t)k] = part->basis[(size_t)k * (size_t)n + (size_t)i];
  if (hn_rank_qr(a, size, n, HN_RANK_ROUNDING, NULL, self->order, self->work_rank) < size)
    return HN_ERROR_SINGULAR;
  memset(self->preference, 0, (size_t)n * sizeof(int));
  for (int k = 0; k < size; k++) self->preference[self->order[k]] = 1;
  int dependent = 0, free_one = part->rank;
  for (int i = 0; i < n; i++)
    part->column[self->preference[i] ? free_one++ : dependent++] = part->home[i];
  return HN_OK;
}

hn_status hn_reduction_sparse_choose(hn_reduction *self, hn_reduction_part *part) {
  for (int i = 0; i < part->n; i++) {
    part->column[i] = part->home[i];
    self->place[part->home[i]] = i;
  }
  keep_rows(self, part);
  if (part->n - part->rank > part->most) return HN_ERROR_SINGULAR;
  hn_status status = factor_saddle(self, part);
  if (status == HN_OK) status = find_basis(part);
  if (status == HN_OK && !self->is_tangent_plane) status = choose_columns(self, part);
  part->size = 0; // there is no dense factor
  return status;
}

// A pivot is the squared distance of a row from those eliminated before it, in scaled rows.
void hn_reduction_sparse_weakest(hn_reduction *self, hn_reduction_part *part) {
  keep_rows(self, part);
  if (factor_saddle(self, part) != HN_OK) return;
  for (int k = 0; k < part->rows; k++) {
    double rest = sqrt(hn_saddle_row_pivot(part->saddle, k));
    if (part->released[k] || part->row[k] >= self->equations->elements->row_count) continue;
    if (!(rest < self->weakest_rest)) continue;
    self->weakest_rest = rest;
    self->weakest = part->row[k];
  }
}

// ---- solutions ----------------------------------------------------------------------------------

// Subtracts from c the products of rows with columns of other parts: 0 if nothing is left to solve.
static int find_right_side(const hn_reduction *self, const hn_reduction_part *part, const double *c,
                           const double *x) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  int number = self->part_of_column[part->home[0]], has_any = 0;
  for (int k = 0; k < part->rows; k++) {
    int row = part->row[k];
    double sum = c && !part->released[k] ? c[row] : 0;
    for (int e = phi_q->start[row]; !part->released[k] && e < phi_q->start[row + 1]; e++)
      if (self->part_of_column[phi_q->index[e]] != number)
        sum -= self->phi_q[e] * x[phi_q->index[e]];
    part->c[k] = sum;
    has_any |= sum != 0;
  }
  return has_any;
}

void hn_reduction_sparse_solve(const hn_reduction *self, const hn_reduction_part *part,
                               const double *c, const double *w, double *x, double *work) {
  int n = part->n, size = n - part->rank;
  memset(part->x, 0, (size_t)n * sizeof(double));
  if (find_right_side(self, part, c, x)) {
    memset(part->b, 0, (size_t)n * sizeof(double));
    hn_saddle_solve(part->saddle, part->b, part->c, part->x, part->y, NULL);
  }
  restrict_local(self, part, part->x, work);
  for (int k = 0; k < size; k++) {
    const double *image = &part->image[(size_t)k * (size_t)n];
    double y = (w ? w[part->first + k] : 0) - work[k];
    for (int i = 0; i < n; i++) part->x[i] += image[i] * y;
  }
  for (int i = 0; i < n; i++) x[part->home[i]] = part->x[i];
}

void hn_reduction_sparse_solve_transposed(const hn_reduction *self, const hn_reduction_part *part,
                                          double *rest, double *y, double *z, double *work) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  int n = part->n, size = n - part->rank, number = self->part_of_column[part->home[0]];
  for (int i = 0; i < n; i++) part->b[i] = rest[part->home[i]];
  for (int k = 0; k < size; k++) {
    const double *image = &part->image[(size_t)k * (size_t)n];
    work[k] = 0;
    for (int i = 0; i < n; i++) work[k] += image[i] * part->b[i];
    if (z) z[part->first + k] = work[k];
  }
  if (!y && !part->has_entry) return;
  for (int k = 0; k < size; k++) {
    column_of_v(self, part, k, part->x);
    for (int i = 0; i < n; i++) part->b[i] -= part->x[i] * work[k];
  }
  memset(part->c, 0, (size_t)part->rows * sizeof(double));
  hn_saddle_solve(part->saddle, part->b, part->c, part->x, part->y, NULL);
  for (int k = 0; k < part->rows; k++) {
    int row = part->row[k];
    if (part->released[k]) continue;
    if (y) y[row] = part->y[k];
    for (int e = phi_q->start[row]; e < phi_q->start[row + 1]; e++)
      if (self->part_of_column[phi_q->index[e]] != number)
        rest[phi_q->index[e]] -= self->phi_q[e] * part->y[k];
  }
}
