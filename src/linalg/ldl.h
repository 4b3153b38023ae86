// Sparse L D L' of a symmetric quasi-definite matrix with a pattern fixed at set-up: ordering and
// symbolic work once, numbers often, no pivoting, no allocation after creation.
#ifndef HN_LINALG_LDL_H
#define HN_LINALG_LDL_H

#include "base/arena.h"

typedef struct hn_ldl hn_ldl;

// The upper triangle with the diagonal, by columns: entries of column j are rows
// row_index[column_start[j] .. column_start[j + 1] - 1], rows <= j, any order, no duplicates, every
// diagonal entry present. Fill-reducing ordering (AMD; own minimum degree in the minimal build).
hn_status hn_ldl_create(hn_arena *arena, int n, const int *column_start, const int *row_index,
                        hn_ldl **ldl);
// The same with an elimination order of the caller's: order[k] is eliminated at place k.
hn_status hn_ldl_create_ordered(hn_arena *arena, int n, const int *column_start,
                                const int *row_index, const int *order, hn_ldl **ldl);
// A second factorization of the same matrix without some of its unknowns: rows and columns i with
// gone[i] != 0 take no part, but for their diagonal entry. Memory is that of the whole, taken once; the
// pattern is found at each call of leave_out, which must come before the first numbers.
hn_status hn_ldl_create_part(hn_arena *arena, const hn_ldl *whole, hn_ldl **part);
void hn_ldl_leave_out(hn_ldl *part, const hn_ldl *whole, const unsigned char *gone);
// Multiply-adds of a factorization in this order, without making it; < 0 when out of memory.
double hn_ldl_count(hn_arena *scratch, int n, const int *column_start, const int *row_index,
                    const int *order);

// Numbers in the order of the pattern. signs: the expected sign of each pivot, +1 or -1; a pivot d
// with sign * d < least becomes sign * least, where least is the larger of tiny and of the rounding
// noise of the terms d was summed from. Returns how many were replaced.
int hn_ldl_factor(hn_ldl *ldl, const double *values, const signed char *signs, double tiny);
void hn_ldl_solve(hn_ldl *ldl, double *x); // in place, one right side
// The pivot at which unknown i was eliminated.
double hn_ldl_pivot(const hn_ldl *ldl, int i);
long hn_ldl_fill(const hn_ldl *ldl);         // entries of L
double hn_ldl_operations(const hn_ldl *ldl); // multiply-adds of one factorization

#endif
