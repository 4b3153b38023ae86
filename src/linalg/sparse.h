// Sparse matrices by rows with a pattern fixed at set-up: products, and adding small dense blocks
// at places found once. Out of scope: factorizations (factors.h, saddle.h).
#ifndef HN_LINALG_SPARSE_H
#define HN_LINALG_SPARSE_H

#include "base/arena.h"

typedef struct hn_sparse {
  int rows, columns;
  const int *start; // entries of row i: start[i] .. start[i + 1] - 1 (rows + 1)
  const int *index; // their columns, ascending in each row (start[rows])
  double *value;    // (start[rows])
} hn_sparse;

// Where a dense block lives: entry (i, j) of the block is value[at + i * stride + j].
typedef struct hn_sparse_place {
  int at; // -1: nowhere
  int stride;
} hn_sparse_place;

// The pattern is copied, the values are zero. HN_ERROR_ARGUMENT when columns are out of range or do
// not ascend in a row.
hn_status hn_sparse_create(hn_arena *arena, int rows, int columns, const int *start,
                           const int *index, hn_sparse *matrix);
// Values of its own on the pattern of another matrix, which must live as long.
hn_status hn_sparse_create_alike(hn_arena *arena, const hn_sparse *pattern, hn_sparse *matrix);

// ---- places -------------------------------------------------------------------------------------

int hn_sparse_find(const hn_sparse *matrix, int row, int column); // of value, or -1
// The place of the dense block rows x columns whose first entry is (row, column); at is -1 unless
// all its rows are there and equally far apart, as is the case if all of them have one pattern.
hn_sparse_place hn_sparse_find_block(const hn_sparse *matrix, int row, int column, int rows,
                                     int columns);
// map[k]: where in `outer` entry k of `inner` stands. HN_ERROR_ARGUMENT when one is missing.
hn_status hn_sparse_embed(const hn_sparse *inner, const hn_sparse *outer, int *map);

// ---- numbers ------------------------------------------------------------------------------------

void hn_sparse_zero(hn_sparse *matrix);
// y += scale A x,   y += scale A' x
void hn_sparse_add_product(const hn_sparse *a, double scale, const double *x, double *y);
void hn_sparse_add_transposed_product(const hn_sparse *a, double scale, const double *x, double *y);

#endif
