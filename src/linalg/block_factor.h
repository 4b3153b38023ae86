// Numbers of the block factorization that topology.h lays out.
#ifndef HN_LINALG_BLOCK_FACTOR_H
#define HN_LINALG_BLOCK_FACTOR_H

#include "linalg/solver_system.h"
#include "linalg/topology.h"

// Everything works on the nodes at places list[from ... to) (null: from ... to): all of a subtree
// or of the top (topology.h).

// In place, in the order of elimination. Of a node's own block S = L D L' the strict lower triangle L
// and 1 / D remain, of its couplings O the solution X = S^-1 O. Pivots of joints are positive, those of
// kept bodies negative; smaller ones become system->least. group_end belongs to the list. work: 72
// most_neighbors numbers. lowest: becomes the smallest pivot of a joint, in units, if it is less.
void hn_block_factor(const hn_topology *topology, const hn_system *system, const int *list,
                     const int *group_end, int from, int to, double *values, double *work,
                     double *lowest);
// y, in the padded places of nodes: on entry c (of kept bodies b), then with t = rest of
// hn_body_reduction_begin the reduced right side J t - c is eliminated.
void hn_block_forward(const hn_topology *topology, const hn_system *system, const int *list,
                      int from, int to, const double *values, double *y);
void hn_block_backward(const hn_topology *topology, const hn_system *system, const int *list,
                       int from, int to, const double *values, double *y);

#endif
