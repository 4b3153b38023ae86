// The one factorization of sparse matrices with a symmetric pattern: A = L D U, L and U' unit lower
// triangles, U = L' where A is symmetric. Order and pattern are fixed at set-up, numbers come
// often, there is no pivoting and no allocation after creation. For matrices of mechanisms, whose
// unknowns come in small groups that are coupled alike: they are put into tiles of 4 x 4, so that
// indirect addressing is rare. Accuracy is the caller's: matrices are definite, quasi-definite, or
// that up to an unsymmetric part, and solutions are refined where that is not enough.
#ifndef HN_LINALG_FACTORS_H
#define HN_LINALG_FACTORS_H

#include "base/arena.h"

typedef struct hn_factors hn_factors;

// Treatment of small pivots. A pivot d is judged by sign * d if is_definite, else by |d|. If that
// is not above the rounding noise of the terms d was summed from, `tiny`, and `least` of its
// unknown, it is replaced by the largest of them with this sign.
typedef struct hn_pivot_rule {
  const signed char *signs; // +1 or -1 of each pivot (n); null: +1
  const double *least;      // (n); null: 0
  double tiny;
  int is_definite;
} hn_pivot_rule;

// The upper triangle with the diagonal, by columns: entries of column j are rows
// row_index[column_start[j] .. column_start[j + 1] - 1], rows <= j, any order, no duplicates, every
// diagonal entry present. order[k] is eliminated at place k, or at one that gives the same fill; null:
// any order will do, and one of minimum degree is taken.
hn_status hn_factors_create(hn_arena *arena, int n, const int *column_start, const int *row_index,
                            const int *order, int is_symmetric, hn_factors **factors);

// A second factorization of the same symmetric matrix, given again, without some of its unknowns:
// rows and columns i with gone[i] != 0 take no part, and solutions are 0 there. Memory is taken
// once; the set is given before the first numbers, and may be given again at any time. leave_out
// returns 0 without capacity: the part cannot be used then.
hn_status hn_factors_create_part(hn_arena *arena, const hn_factors *whole, const int *column_start,
                                 const int *row_index, hn_factors **part);
int hn_factors_leave_out(hn_factors *part, const unsigned char *gone, const int *column_start,
                         const int *row_index);

// Zeroed array for the numbers, which may be added up there. Each factorization starts with this.
double *hn_factors_begin(hn_factors *factors);
// Where A(i, j) goes; of symmetric matrices (j, i) is the same place. -1: not in the pattern.
int hn_factors_place(const hn_factors *factors, int i, int j);
// The same for all entries of the caller's pattern.
const int *hn_factors_places(const hn_factors *factors);
// Factors the numbers in that array. Returns how many pivots were replaced.
int hn_factors_factor(hn_factors *factors, const hn_pivot_rule *rule);
// All of it with numbers in the order of the pattern: upper[k] is A(i, j) and lower[k] is A(j, i) of
// entry k at row i, column j; on the diagonal upper counts. lower is not read where A is symmetric.
int hn_factors_of(hn_factors *factors, const double *upper, const double *lower,
                  const hn_pivot_rule *rule);
// x = S A^-1 S x, S = diag(scale); null: all ones.
void hn_factors_solve(hn_factors *factors, const double *scale, double *x);
// A x = b for x by places, whole tiles: unknown i at unknowns[i], zero at padding.
void hn_factors_solve_placed(hn_factors *factors, double *x);
const int *hn_factors_unknowns(const hn_factors *factors, int *place_count);

// The pivot at which unknown i was eliminated.
double hn_factors_pivot(const hn_factors *factors, int i);
// Counts for a scalar factorization: entries of L, and multiply-adds of one triangle.
long hn_factors_fill(const hn_factors *factors);
double hn_factors_operations(const hn_factors *factors);
// The same before they are made; < 0 when out of memory.
double hn_factors_count(hn_arena *scratch, int n, const int *column_start, const int *row_index,
                        const int *order);

#endif
