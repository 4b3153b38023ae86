// L U of a sparse square matrix without symmetry, with partial pivoting, column by column from the
// left (Gilbert and Peierls: the pattern of a column is found by a search in L). Columns are given
// one after the other, and those that depend on the ones before are rejected: so the same code
// finds which rows of a matrix are independent. For analyses; memory grows with the fill. Not for
// steps: those have patterns that are known beforehand (factors.h).
#ifndef HN_LINALG_SPARSE_LU_H
#define HN_LINALG_SPARSE_LU_H

#include "base/arena.h"

typedef struct hn_sparse_lu hn_sparse_lu;

hn_status hn_sparse_lu_create(const hn_allocator *allocator, int n, hn_sparse_lu **lu);
void hn_sparse_lu_free(hn_sparse_lu *lu);  // null is fine
void hn_sparse_lu_clear(hn_sparse_lu *lu); // no column
// The next column: rows may come several times and add up. *is_taken: 0 where no more than `least`
// of its largest entry remains after elimination.
hn_status hn_sparse_lu_add(hn_sparse_lu *lu, const int *rows, const double *values, int count,
                           double least, int *is_taken);
int hn_sparse_lu_count(const hn_sparse_lu *lu); // columns taken
// With n columns: A x = b and A' x = b in place; unknowns (and b of A') in the order of the columns.
void hn_sparse_lu_solve(hn_sparse_lu *lu, double *x);
void hn_sparse_lu_solve_transposed(hn_sparse_lu *lu, double *x);

#endif
