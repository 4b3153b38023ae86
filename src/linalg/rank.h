// Rank, judged in one way everywhere. Rows have unit length in a geometric metric: 1 for
// translations, a squared length for rotations (the metric of M would take a light body between
// heavy ones for dependent). The remainder of a row after projection on others, as a length or as
// its square (as pivots are), is judged by three limits:
//
//   HN_RANK_ROUNDING    nothing but rounding: at exact positions of an analysis
//   HN_RANK_DEPENDENT   the row depends on others, at positions as a run has them
//   HN_RANK_NEAR        a singular configuration is near
//
// and if a matrix of any rank is only used for a solution, without a decision, by
//
//   HN_RANK_SOLVED      what rounding leaves of it
//
// Large systems are judged by the pivots of their factors (saddle.h, solver.h, gram.h), small ones by
// the QR with column pivoting below. Further small dense matrices, column-major: null spaces, symmetric
// eigenvalues, LU.
#ifndef HN_LINALG_RANK_H
#define HN_LINALG_RANK_H

#include "base/arena.h"
#include "base/threads.h"

#define HN_RANK_SOLVED 1e-11
#define HN_RANK_ROUNDING 1e-8
#define HN_RANK_DEPENDENT 3.1622776601683795e-4
#define HN_RANK_DEPENDENT_SQUARE (HN_RANK_DEPENDENT * HN_RANK_DEPENDENT)
#define HN_RANK_NEAR 3.1622776601683795e-2
#define HN_RANK_NEAR_SQUARE (HN_RANK_NEAR * HN_RANK_NEAR)

// A (rows x columns, overwritten) P = Q R by Householder reflections. order (columns) receives P:
// order[k] is the original column at place k; R is in the upper triangle. The rank is the number of
// steps until no remaining column is longer than tolerance * the longest column of A. preference
// (columns, may be null): of columns whose remaining norms agree within a factor 2 the one with the
// largest preference is taken, so that those left out are the ones a reader expects. Work space of
// 3 * columns + rows doubles.
int hn_rank_qr(double *a, int rows, int columns, double tolerance, const int *preference,
               int *order, double *work);
// Of all x (columns) that bring A x nearest to b the shortest; a and b (rows) are overwritten. Columns
// whose rest is not above tolerance times the longest count as dependent. Returns the rank. rest (may
// be null): |A x - b|. Work space as above.
int hn_least_norm(double *a, int rows, int columns, double tolerance, double *b, double *x,
                  int *order, double *work, double *rest);
// Gaussian elimination of A (rows x columns, overwritten) with full pivoting. names (columns) change
// places with their columns, so that those of pivots come first. Returns how many there are before
// nothing is left.
int hn_full_pivots(double *a, int rows, int columns, int *names);
// After hn_rank_qr: N (columns x (columns - rank), in original column numbers), a basis of the null
// space of A: N(:,k) has 1 at order[rank + k] and -R11^-1 R12(:,k) at the pivots.
void hn_rank_null_space(const double *qr, int rows, int columns, int rank, const int *order,
                        double *null_space);
// Makes the columns of A (rows x columns, independent) orthonormal, in their order.
void hn_orthonormalize(double *a, int rows, int columns);

// Symmetric eigenvalues (ascending) and orthonormal vectors (columns of a, overwritten):
// Householder tridiagonal form and implicit QL. work: n. Returns 0, or 1 when a value did not
// converge.
int hn_eigen_symmetric(double *a, int n, double *values, double *work);
// In-place LU with partial pivoting; returns 0 or the 1-based column of a zero pivot.
int hn_dense_lu(double *a, int n, int *pivots);
// The same on threads, with the same bits.
int hn_dense_lu_shared(double *a, int n, int *pivots, hn_threads *threads);
void hn_dense_lu_solve(const double *a, int n, const int *pivots, double *x);
void hn_dense_lu_solve_transposed(const double *a, int n, const int *pivots, double *x);
// A x = b of few unknowns (A overwritten, b becomes x) in their order, of which `takes` lets some go:
// it sees pivot and right side of row k as those before have left them; 0: x[k] = 0 and no equation,
// below 0: given up. Returns 0, or -1 when given up.
typedef int hn_takes_row(void *context, int k, double pivot, double rest);
int hn_solve_in_order(double *a, int n, double *b, unsigned char *is_dropped, hn_takes_row *takes,
                      void *context);

#endif
