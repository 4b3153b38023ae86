// The reduced matrix B = J (M + rho)^-1 J' + epsilon in scaled units, body by body, and the way from the
// whole system to the reduced one and back (Negrut 1998, eqs. 3.108-3.111, 3.121-3.122).
#ifndef HN_LINALG_BLOCK_REDUCE_H
#define HN_LINALG_BLOCK_REDUCE_H

#include "linalg/solver_system.h"

typedef struct hn_block_reduction {
  const hn_system *system;
  int *
      body_start; // panels of a body, by the places of their nodes; none of a kept body (bodies + 1)
  int *panel, *node;
  int *pair_start; // of a body, in target (bodies + 1)
  int *target;     // first number of the block of panels i and j >= i, row by row of i
  int *own;        // first number of a node's own block (nodes)
  int stride;      // from a row of a block to the next; 0: the pad of its columns' node
  double *
      inverse; // L D L' of D M D + rho: 3 inverse masses, l10, l20, l21, 3 inverse pivots (9 bodies)
  int kept;    // bodies that are not eliminated
  int *kept_body; // (kept)
  int batches;    // of four alike bodies
  int *batch;     // (4 batches)
  int *used;      // how many of the four count (batches)
  double *w, *v;  // panels of one batch: rows of six speeds, four lanes each
  double *waste;  // where idle lanes write
} hn_block_reduction;

// Where the block of two nodes lies: the first number of the rows of node i against node j, i <= j.
typedef int hn_block_place(const void *layout, int i, int j);
hn_status hn_block_reduction_create(hn_arena *arena, const hn_system *system, hn_block_place *place,
                                    const void *layout, int stride, hn_block_reduction *reduction);
// Factors the bodies and writes B (the blocks i <= j of nodes) into `values`, which are zero on entry.
// Rows of blocks are as long as the padded size of j: what lies behind is added zeros.
void hn_block_reduction_assemble(hn_block_reduction *reduction, double *values);
// w = (b, c) becomes (b, J (M + rho)^-1 b - c).
void hn_block_reduction_begin(hn_block_reduction *reduction, double *w);
// w = (b, y) becomes (x, y), x = (M + rho)^-1 (b - J' y).
void hn_block_reduction_end(hn_block_reduction *reduction, double *w);

#endif
