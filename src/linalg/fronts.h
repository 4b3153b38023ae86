// L U of a sparse matrix with a symmetric pattern in small dense fronts, in an order fixed at set-up and
// without pivoting: for matrices of some ten to some hundred unknowns that fall into parts with few
// neighbours, as the corners of a vehicle and its chassis do. There a sparse factorization spends most
// of its time on indices. Accuracy is the caller's. No allocation after creation.
#ifndef HN_LINALG_FRONTS_H
#define HN_LINALG_FRONTS_H

#include "base/arena.h"

typedef struct hn_fronts hn_fronts;

// Pattern as hn_ldl: the upper triangle with the diagonal, by columns; order[k] is eliminated at place
// k, or at one that gives the same fill. *fronts is null where fronts would take much more room than
// the factors.
hn_status hn_fronts_create(hn_arena *arena, int n, const int *column_start, const int *row_index,
                           const int *order, hn_fronts **fronts);
// Where entry (i, j) of the matrix is in what hn_fronts_begin returns; -1: nowhere.
int hn_fronts_place(const hn_fronts *fronts, int i, int j);
// All entries zero: the caller writes those it has.
double *hn_fronts_begin(hn_fronts *fronts);
// signs: of each pivot, +1 or -1. A pivot whose size (is_definite: in the direction of its sign) is
// below `tiny` or below the rounding noise of what it is the rest of becomes sign times that. Returns
// how many were replaced.
int hn_fronts_factor(hn_fronts *fronts, const signed char *signs, double tiny, int is_definite);
double hn_fronts_pivot(const hn_fronts *fronts, int i); // at which unknown i was eliminated
// x = S A^-1 S x, S = diag(scale); null: all ones.
void hn_fronts_solve(hn_fronts *fronts, const double *scale, double *x);
int hn_fronts_count(const hn_fronts *fronts); // for tests: which patterns become how many

#endif
