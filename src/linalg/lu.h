// Sparse L D U of a matrix with a symmetric pattern, in an order fixed at set-up and without
// pivoting: for matrices that are quasi-definite up to an unsymmetric part, as the stage matrices of
// implicit formulas are (mass plus step times damping plus step squared times stiffness, bordered by
// constraints). Accuracy is the caller's: refine on the residual. No allocation after creation.
#ifndef HN_LINALG_LU_H
#define HN_LINALG_LU_H

#include "linalg/ldl.h"

typedef struct hn_lu hn_lu;

// Pattern as hn_ldl: the upper triangle with the diagonal, by columns. order may be null.
hn_status hn_lu_create(hn_arena *arena, int n, const int *column_start, const int *row_index,
                       const int *order, hn_lu **lu);
// upper[k] is A(i, j) and lower[k] is A(j, i) for entry k of the pattern at row i, column j; on the
// diagonal upper counts. Pivots as in hn_ldl_factor.
int hn_lu_factor(hn_lu *lu, const double *upper, const double *lower, const signed char *signs,
                 double tiny);
void hn_lu_solve(hn_lu *lu, double *x); // A x = b, in place

#endif
