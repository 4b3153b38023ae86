// Rank-revealing QR with column pivoting of small dense matrices, for redundancy and mobility.
#ifndef HN_LINALG_RANK_H
#define HN_LINALG_RANK_H

#include "base/arena.h"

// A (rows x columns, column-major, overwritten) P = Q R. order (columns) receives P: order[k] is
// the original column at place k. The rank is the number of |R(k,k)| > tolerance * |R(0,0)|.
// preference (columns, may be null): of columns whose remaining norms agree within a factor 2 the one
// with the larger preference is taken, so that the rows left out are the ones a reader expects.
// Work space of 3 * columns + rows doubles.
int hn_rank_qr(double *a, int rows, int columns, double tolerance, const int *preference,
               int *order, double *work);
// After hn_rank_qr: N (columns x (columns - rank), column-major, in original column numbers), a basis of the null
// space of A: N(:,k) has 1 at order[rank + k] and -R11^-1 R12(:,k) at the pivots.
void hn_rank_null_space(const double *qr, int rows, int columns, int rank, const int *order,
                        double *null_space);

// Symmetric eigenvalues (ascending) and vectors (columns of a, overwritten), Jacobi; n small.
void hn_eigen_symmetric(double *a, int n, double *values, double *work); // work: n
// In-place dense LU with partial pivoting; returns 0 or the 1-based column of a zero pivot.
int hn_dense_lu(double *a, int n, int *pivots);
void hn_dense_lu_solve(const double *a, int n, const int *pivots, double *x);

#endif
