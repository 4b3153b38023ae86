// An orthonormal basis E of rows that are added one after the other, by Gram and Schmidt, each twice
// against rounding:
//
//   A = T E,   T lower triangular
//
// Rows of which those before leave no more than HN_RANK_ROUNDING of their length depend on them: they
// are not in the basis, and parts along them are 0.
#ifndef HN_LINALG_ROW_BASIS_H
#define HN_LINALG_ROW_BASIS_H

#include "base/arena.h"

typedef struct hn_row_basis {
  int rows, n;            // rows at most, columns
  double *vectors;        // E (rows x n)
  double *triangle;       // T (rows x rows)
  unsigned char *is_kept; // rows in the basis (rows)
} hn_row_basis;

hn_status hn_row_basis_create(hn_arena *arena, int rows, int n, hn_row_basis *basis);
static inline double *hn_row_basis_vector(const hn_row_basis *basis, int row) {
  return &basis->vectors[(size_t)row * (size_t)basis->n];
}
// Adds the row that is at its place among the vectors; those before it have been added. is_there: 0
// where it is rounding, which does not count.
void hn_row_basis_add(hn_row_basis *basis, int row, int is_there);
// x . (row of E), and z += x (row of E)
double hn_row_basis_dot(const hn_row_basis *basis, int row, const double *z);
void hn_row_basis_add_scaled(const hn_row_basis *basis, int row, double x, double *z);
// Component `row` of the solution y of T y = b, those before it given.
double hn_row_basis_component(const hn_row_basis *basis, int row, double b, const double *y);
// y (rows): T' y = what it was; 0 where rows are not in the basis.
void hn_row_basis_solve_transposed(const hn_row_basis *basis, double *y);

// 1: a symmetric matrix (n x n, spoiled; rows `stride` apart) has no negative eigenvalue but rounding:
// no pivot of its L D L' is negative.
int hn_is_semidefinite(int n, double *a, int stride);

#endif
