// Numbers of the block factorization that topology.h lays out.
#ifndef HN_LINALG_BLOCK_FACTOR_H
#define HN_LINALG_BLOCK_FACTOR_H

#include "linalg/topology.h"

// In place, in the order of elimination. Of a node's own block S = L D L' the strict lower triangle L
// and 1 / D remain, of its couplings O the solution X = S^-1 O. Pivots of joints are positive, those of
// kept bodies negative; smaller ones become `least`: numbers for each node in its padded place y_at
// (null: the same six for all). work: 72 most_neighbors numbers.
void hn_block_factor(const hn_topology *topology, double *values, const double *least,
                     const int *y_at, double *work, int wide);
// y, in the padded places y_at of nodes, becomes the solution.
void hn_block_solve(const hn_topology *topology, const double *values, const int *y_at, double *y,
                    int wide);

#endif
