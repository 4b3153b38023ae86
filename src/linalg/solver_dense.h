// The reduced matrix of a problem as one dense matrix, for the solvers that factor it so.
#ifndef HN_LINALG_SOLVER_DENSE_H
#define HN_LINALG_SOLVER_DENSE_H

#include "linalg/block_reduce.h"

typedef struct hn_dense_system {
  hn_system system;
  hn_body_reduction reduction;
  int n, stride;     // rows; numbers from one to the next
  int *first;        // row of a node's first row (nodes)
  double *b;         // by rows, the upper triangle is valid (n x stride and a little more)
  double *y;         // rows without padding (n)
  double operations; // multiply-adds of the assembly
} hn_dense_system;

hn_status hn_dense_system_create(hn_arena *arena, const hn_solver_problem *problem,
                                 hn_dense_system *dense);
void hn_dense_system_assemble(hn_dense_system *dense, const double *mass, const double *blocks);
// The reduced right side of (b, y) into dense->y, and from the multipliers there the whole solution
// (hn_system_inverse).
void hn_dense_system_begin(hn_dense_system *dense, const double *b, double *y);
void hn_dense_system_end(hn_dense_system *dense, const double *b, double *x, double *y);
// Where a row of the problem is in y.
int hn_dense_system_place(const hn_dense_system *dense, int row);

#endif
