// How a machine is eliminated: which bodies are kept as unknowns, in which order joints and kept bodies
// go, and where every block of the factor lies. Found once for a model.
//
// The unknowns are the multipliers y of the joints and the speeds x_h of kept bodies; all other bodies
// are eliminated beforehand, each by itself:
//
//   [ B + epsilon   -J_h     ] [ y   ]        B = sum over eliminated bodies of J M^-1 J'
//   [ -J_h'         -M_h     ] [ x_h ]        (Negrut 1998, eqs. 3.108-3.122)
//
// Without kept bodies this is the reduced matrix of the thesis. A body with many joints makes all of
// them neighbours of each other, and the work grows with the cube of their number; kept, it is one
// more node, and the work is linear. It may be kept where joints hang below it (topology_cut.h):
// those are as independent with the body held fast as they are without, so no pivot suffers. The other
// joints of the body wait until it is eliminated.
#ifndef HN_LINALG_TOPOLOGY_H
#define HN_LINALG_TOPOLOGY_H

#include "linalg/block_nodes.h"
#include "linalg/joint_order.h"

// Eliminating a node subtracts products of its panel from the panels of its neighbours: rows
// `row_column` .. + rows of the transposed panel times columns source .. + width of the panel.
typedef struct hn_run {
  int row_column, rows;
  int source, width;
  int target, stride; // first number and row length where it is subtracted
} hn_run;

typedef struct hn_topology {
  int nodes;   // joints and kept bodies, in the order of their elimination
  int *order;  // node of hn_nodes, or -1 - body (nodes)
  int *place_of_body; // of a kept body, or -1 (bodies)
  int *size, *pad;    // (nodes)
  // A panel has `size` rows of `stride` numbers: the node's own block (pad columns), then those of its
  // neighbours. (nodes)
  int *at, *stride;
  int *neighbor_start; // (nodes + 1)
  int *neighbor;       // places, ascending
  int *column;         // where a neighbour begins in the panel
  int *run_start;      // (nodes + 1)
  hn_run *runs;
  int values;       // numbers in all panels
  int widest;       // panel without the own block
  double operations; // multiply-adds of assembly and factorization
  hn_joint_ordering ordering; // which one was taken
  int kept;                   // bodies
} hn_topology;

// The best order found, by counted work. HN_ERROR_LIMIT when every one of them fills too much.
hn_status hn_topology_create(hn_arena *arena, const hn_nodes *nodes, hn_topology *topology);
// Its work alone, without making it; negative when it cannot be done.
double hn_topology_work(hn_arena *scratch, const hn_nodes *nodes, int *chosen_nodes);

// Column of `neighbor` in the panel of the node at this place.
int hn_topology_column(const hn_topology *topology, int place, int neighbor);

#endif
