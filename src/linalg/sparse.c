// Sparse matrices by rows: see sparse.h.
#include "linalg/sparse.h"

#include <string.h>

#include "base/search.h"

static int is_pattern(int rows, int columns, const int *start, const int *index) {
  if (rows < 0 || columns < 0 || start[0] != 0) return 0;
  for (int i = 0; i < rows; i++) {
    if (start[i + 1] < start[i]) return 0;
    for (int k = start[i]; k < start[i + 1]; k++) {
      if (index[k] < 0 || index[k] >= columns) return 0;
      if (k > start[i] && index[k] <= index[k - 1]) return 0;
    }
  }
  return 1;
}

hn_status hn_sparse_create(hn_arena *arena, int rows, int columns, const int *start,
                           const int *index, hn_sparse *matrix) {
  if (!is_pattern(rows, columns, start, index)) return HN_ERROR_ARGUMENT;
  size_t entries = (size_t)start[rows];
  matrix->rows = rows;
  matrix->columns = columns;
  matrix->start = hn_arena_copy(arena, start, (size_t)rows + 1, sizeof(int));
  matrix->index = hn_arena_copy(arena, index, entries, sizeof(int));
  matrix->value = HN_KEEP(arena, double, entries);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_sparse_create_alike(hn_arena *arena, const hn_sparse *pattern, hn_sparse *matrix) {
  *matrix = *pattern;
  matrix->value = HN_KEEP(arena, double, pattern->start[pattern->rows]);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

int hn_sparse_find(const hn_sparse *matrix, int row, int column) {
  if (row < 0 || row >= matrix->rows) return -1;
  const int end = matrix->start[row + 1];
  const int at = hn_first_from(matrix->index, matrix->start[row], end, column);
  return at < end && matrix->index[at] == column ? at : -1;
}

hn_sparse_place hn_sparse_find_block(const hn_sparse *matrix, int row, int column, int rows,
                                     int columns) {
  static const hn_sparse_place nowhere = {-1, 0};
  hn_sparse_place place = {hn_sparse_find(matrix, row, column), 0};
  for (int i = 0; i < rows; i++) {
    int first = hn_sparse_find(matrix, row + i, column);
    // columns ascend: the last one in its place means that all between are
    if (first < 0 || hn_sparse_find(matrix, row + i, column + columns - 1) != first + columns - 1)
      return nowhere;
    if (i == 1) place.stride = first - place.at;
    if (first != place.at + i * place.stride) return nowhere;
  }
  return place;
}

hn_status hn_sparse_embed(const hn_sparse *inner, const hn_sparse *outer, int *map) {
  for (int i = 0; i < inner->rows; i++)
    for (int k = inner->start[i]; k < inner->start[i + 1]; k++) {
      map[k] = hn_sparse_find(outer, i, inner->index[k]);
      if (map[k] < 0) return HN_ERROR_ARGUMENT;
    }
  return HN_OK;
}

void hn_sparse_zero(hn_sparse *matrix) {
  memset(matrix->value, 0, (size_t)matrix->start[matrix->rows] * sizeof(double));
}

void hn_sparse_add_product(const hn_sparse *a, double scale, const double *x, double *y) {
  if (a->start[0] == a->start[a->rows]) return; // empty
  for (int i = 0; i < a->rows; i++) {
    double sum = 0;
    for (int k = a->start[i]; k < a->start[i + 1]; k++) sum += a->value[k] * x[a->index[k]];
    y[i] += scale * sum;
  }
}

void hn_sparse_add_transposed_product(const hn_sparse *a, double scale, const double *x,
                                      double *y) {
  for (int i = 0; i < a->rows; i++) {
    double factor = scale * x[i];
    for (int k = a->start[i]; k < a->start[i + 1]; k++) y[a->index[k]] += factor * a->value[k];
  }
}
