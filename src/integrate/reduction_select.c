// The choice in one part. First which rows: those a QR with column pivoting of Phi_q' takes, in rows of
// unit length and with rotations made comparable with translations; the rest depends on them. Then V:
//
//   partition       Gaussian elimination with full pivoting of those rows; columns that are no pivots
//                   are independent. Positions are preferred as dependent ones: they follow angles
//                   through bounded functions.
//   tangent plane   an orthonormal basis of the null space of those rows (Q2 up to a rotation)
#include <math.h>

#include "integrate/reduction_private.h"
#include "linalg/rank.h"

// By how much columns of Euler parameters count less in the choice of dependent coordinates.
#define ROTATION_SHARE 0.5

// Columns in their own order again: a choice depends on the state alone, not on choices before it.
static void fill_numbers(hn_reduction_part *part, int *place) {
  for (int i = 0; i < part->n; i++) {
    part->column[i] = part->home[i];
    place[part->column[i]] = i;
  }
}

// Row `row` of Phi_q in the part's own columns, scaled by `scale` or not, into x with a stride.
static double scatter_row(const hn_reduction *self, const hn_reduction_part *part, int row,
                          int is_scaled, double *x, int stride) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  int number = self->part_of_column[part->column[0]];
  double sum = 0;
  for (int i = 0; i < part->n; i++) x[(size_t)i * (size_t)stride] = 0;
  for (int e = phi_q->start[row]; e < phi_q->start[row + 1]; e++) {
    int column = phi_q->index[e];
    if (self->part_of_column[column] != number) continue;
    double value =
        is_scaled ? phi_q->value[e] * hn_reduction_column_scale(self, column) : phi_q->value[e];
    x[(size_t)self->place[column] * (size_t)stride] = value;
    sum += value * value;
  }
  return sqrt(sum);
}

static void scale_row(double *x, int n, int stride, double factor) {
  for (int i = 0; i < n; i++) x[(size_t)i * (size_t)stride] *= factor;
}

// ---- rows ---------------------------------------------------------------------------------------

// Rows the equations left out are the last choice here too, normalizations the first.
static int preference_of(const hn_reduction *self, int row) {
  const hn_equations *e = self->equations;
  if (e->redundant[row]) return 0;
  return row >= e->elements->row_count ? 2 : 1;
}

static hn_status choose_rows(hn_reduction *self, hn_reduction_part *part) {
  int n = part->n, elements = self->equations->elements->row_count;
  double longest = 0;
  for (int k = 0; k < part->rows; k++) {
    double *x = &self->matrix[(size_t)k * (size_t)n];
    self->rest[k] = scatter_row(self, part, part->row[k], 1, x, 1);
    if (self->rest[k] > longest && part->row[k] < elements) longest = self->rest[k];
    self->preference[k] = preference_of(self, part->row[k]);
  }
  // a row of rounding errors only, which redundant rows become in joint coordinates, is not
  // normalized
  for (int k = 0; k < part->rows; k++)
    if (self->rest[k] > HN_RANK_DEPENDENT * longest || part->row[k] >= elements)
      scale_row(&self->matrix[(size_t)k * (size_t)n], n, 1, 1 / self->rest[k]);
    else
      scale_row(&self->matrix[(size_t)k * (size_t)n], n, 1, 0);
  int rank = hn_rank_qr(self->matrix, n, part->rows, HN_RANK_DEPENDENT, self->preference,
                        self->order, self->work_rank);
  // the last row taken, or the first that was rejected though it was once independent
  int is_singular = rank < part->best_rank;
  int last = is_singular ? rank : rank - 1;
  if (last >= 0) {
    int row = part->row[self->order[last]];
    double rest = is_singular ? 0 : fabs(self->matrix[(size_t)last * (size_t)n + (size_t)last]);
    if (rest < self->weakest_rest) {
      self->weakest_rest = rest;
      self->weakest = row < elements ? row : -1;
    }
  }
  if (is_singular) return HN_ERROR_SINGULAR;
  part->rank = part->best_rank = rank;
  for (int k = 0; k < part->rows; k++) self->left_out[part->row[k]] = 1;
  for (int k = 0; k < rank; k++) self->left_out[part->row[self->order[k]]] = 0;
  int kept = 0;
  for (int k = 0; k < part->rows; k++)
    if (!self->left_out[part->row[k]]) part->kept[kept++] = part->row[k];
  return HN_OK;
}

// The rows that are not redundant by the equations' judgement, down to the last.
void hn_reduction_find_weakest(hn_reduction *self, hn_reduction_part *part) {
  int n = part->n, count = 0, elements = self->equations->elements->row_count;
  if (part->saddle) {
    hn_reduction_sparse_weakest(self, part);
    return;
  }
  if (part->n == 0) return;
  double longest = 0;
  fill_numbers(part, self->place);
  for (int k = 0; k < part->rows; k++) {
    int row = part->row[k];
    if (preference_of(self, row) == 0) continue;
    double *x = &self->matrix[(size_t)count * (size_t)n];
    double length = scatter_row(self, part, row, 1, x, 1);
    self->rest[count] = length;
    if (length > longest && row < elements) longest = length;
    self->preference[count] = row >= elements;
    part->kept[count++] = row;
  }
  for (int k = 0; k < count; k++) {
    double size = self->rest[k] > HN_RANK_DEPENDENT * longest || part->kept[k] >= elements
                      ? self->rest[k]
                      : longest;
    if (size > 0) scale_row(&self->matrix[(size_t)k * (size_t)n], n, 1, 1 / size);
  }
  int rank = hn_rank_qr(self->matrix, n, count, 0, self->preference, self->order, self->work_rank);
  for (int k = 0; k < count; k++) {
    double rest = k < rank ? fabs(self->matrix[(size_t)k * (size_t)n + (size_t)k]) : 0;
    int row = part->kept[self->order[k]];
    if (row >= elements || !(rest < self->weakest_rest)) continue;
    self->weakest_rest = rest;
    self->weakest = row;
  }
}

// ---- partition ----------------------------------------------------------------------------------

static void swap_ints(int *x, int i, int j) {
  int keep = x[i];
  x[i] = x[j];
  x[j] = keep;
}

// Elimination with full pivoting; dependent columns come first in part->column.
static hn_status choose_partition(hn_reduction *self, hn_reduction_part *part) {
  int n = part->n, rank = part->rank;
  double *a = self->matrix;
  for (int k = 0; k < rank; k++) {
    double length = scatter_row(self, part, part->kept[k], 1, &a[k], rank);
    scale_row(&a[k], n, rank, 1 / length);
  }
  for (int j = 0; j < n; j++)
    if (self->tangent->columns[part->column[j]] != HN_COLUMN_LENGTH)
      scale_row(&a[(size_t)j * (size_t)rank], rank, 1, ROTATION_SHARE);
  if (hn_full_pivots(a, rank, n, part->column) < rank) return HN_ERROR_SINGULAR;
  // independent ones in ascending order, so that the same choice has the same numbers
  for (int i = rank + 1; i < n; i++)
    for (int j = i; j > rank && part->column[j] < part->column[j - 1]; j--)
      swap_ints(part->column, j, j - 1);
  part->size = rank;
  for (int i = 0; i < n; i++) self->place[part->column[i]] = i < rank ? i : -1;
  return HN_OK;
}

// ---- tangent plane ------------------------------------------------------------------------------

static void choose_tangent_plane(hn_reduction *self, hn_reduction_part *part) {
  int n = part->n, rank = part->rank;
  for (int k = 0; k < rank; k++) {
    double length = scatter_row(self, part, part->kept[k], 0, &self->matrix[k], rank);
    scale_row(&self->matrix[k], n, rank, 1 / length);
  }
  int found = hn_rank_qr(self->matrix, rank, n, 0, NULL, self->order, self->work_rank);
  hn_rank_null_space(self->matrix, rank, n, found, self->order, part->basis);
  hn_orthonormalize(part->basis, n, n - rank);
  part->size = n;
}

hn_status hn_reduction_choose(hn_reduction *self, hn_reduction_part *part) {
  if (part->saddle) return hn_reduction_sparse_choose(self, part);
  part->size = part->rank = 0;
  if (part->n == 0)
    return HN_OK; // bodies that are others by another name: rows are left out from the start
  fill_numbers(part, self->place);
  hn_status status = choose_rows(self, part);
  if (status != HN_OK) return status;
  for (int k = 0; k < part->rank; k++) {
    double length = scatter_row(self, part, part->kept[k], 1, self->x, 1);
    part->row_scale[k] = length > 0 ? 1 / length : 1;
  }
  if (!self->is_tangent_plane) return choose_partition(self, part);
  choose_tangent_plane(self, part);
  return HN_OK;
}
