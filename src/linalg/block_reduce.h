// The reduced matrix B = J (M + rho)^-1 J' + epsilon, body by body, and the way from the
// whole system to the reduced one and back (Negrut 1998, eqs. 3.108-3.111, 3.121-3.122).
#ifndef HN_LINALG_BLOCK_REDUCE_H
#define HN_LINALG_BLOCK_REDUCE_H

#include "linalg/solver_system.h"
#include "linalg/topology.h"

typedef struct hn_body_reduction {
  const hn_system *system;
  unsigned char *is_kept; // bodies that are not eliminated (bodies)
  int *pair_start;        // of a body, in target (bodies + 1)
  int *target;            // first number of the block of panels i and j >= i, row by row of i
  int *diagonal;          // of B at a place of y, pads as the row before them (y)
  double
      *inverse; // L D L' of M + rho: 3 inverse masses, l10, l20, l21, 3 inverse pivots (9 bodies)
  // Bodies in parts that can be assembled at the same time: subtrees (topology.h), then the rest.
  int parts;
  int *batch_start;    // of a part (parts + 1)
  int *batch;          // four alike bodies each (4 batches)
  int *used;           // how many of the four count (batches)
  int *window;         // of their first nodes, ascending in a part (batches)
  int *next;           // batch of a part (parts)
  int most_panels;     // of a body
  double *room;        // panels of one batch and waste, for each part
  size_t room_of_part; // numbers
  const double *b;     // rest = (M + rho)^-1 b is made on the way; null: not
} hn_body_reduction;

// Blocks lie where the topology has them. A body belongs to the subtree of its first node.
hn_status hn_body_reduction_create(hn_arena *arena, const hn_system *system,
                                   const hn_topology *topology, hn_body_reduction *reduction);
// Factors the bodies of a part that come next and adds their part of B (the blocks i <= j of nodes)
// to `values`: those whose first nodes are of this window or earlier. The window's nodes are
// complete then. Rows of blocks are as long as the padded size of j: the padding is zero.
void hn_body_reduction_assemble(hn_body_reduction *reduction, int part, int window, double *values);
void hn_body_reduction_restart(hn_body_reduction *reduction); // before each factorization
// Adds epsilon to the diagonals of the nodes list[from ... to) (null: from ... to), once they are
// complete; finds the units of rows there where there is no epsilon.
void hn_body_reduction_regularize(hn_body_reduction *reduction, const int *list, int from, int to,
                                  double *values);
// rest = (M + rho)^-1 b of bodies from ... to, 0 of kept ones: with it the reduced right side is
// J rest - c.
void hn_body_reduction_begin(const hn_body_reduction *reduction, const double *b, int from, int to);
// x = (M + rho)^-1 (b - J' y), added to x if so, and rest = b - J' y of bodies from ... to; b null: 0,
// x may be b.
void hn_body_reduction_end(const hn_body_reduction *reduction, const double *b, double *x,
                           const double *y, int adds, int from, int to);

#endif
