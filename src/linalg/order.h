// Elimination orders that keep symmetric factorizations sparse.
#ifndef HN_LINALG_ORDER_H
#define HN_LINALG_ORDER_H

#include "base/arena.h"

// A symmetric graph: the neighbors of node i are neighbor[start[i] .. start[i + 1] - 1], both
// ways, no loops, no duplicates. weight: unknowns of a node (null: 1 each).
typedef struct hn_graph {
  int n;
  const int *start, *neighbor, *weight;
} hn_graph;

// Nodes that must come late: node i waits until `count[i]` eliminations have released it; the
// elimination of k releases list[start[k] .. start[k + 1] - 1] once each.
typedef struct hn_order_waits {
  const int *count, *start, *list;
} hn_order_waits;

// Approximate minimum degree on the quotient graph (Amestoy, Davis and Duff 1996), ties by number:
// order[k] is the node eliminated at place k. waits may be null. Memory from scratch.
hn_status hn_order_minimum_degree(hn_arena *scratch, const hn_graph *graph,
                                  const hn_order_waits *waits, int *order);
// The same for the unknowns of a matrix given as hn_factors_create takes it.
hn_status hn_order_matrix(hn_arena *scratch, int n, const int *column_start, const int *row_index,
                          int *order);
// The same where unknowns from first_late on come after all those before it that they are coupled with:
// constraints after the coordinates they depend on, which leaves no pivot to chance.
hn_status hn_order_matrix_late(hn_arena *scratch, int n, const int *column_start,
                               const int *row_index, int first_late, int *order);

#endif
