// The order in which the nodes of a joint graph are eliminated, and what it costs.
#ifndef HN_LINALG_JOINT_ORDER_H
#define HN_LINALG_JOINT_ORDER_H

#include "linalg/order.h"

// graph: nodes with weights (rows). order[k] is the node eliminated at place k. waits may be null.
hn_status hn_joint_order(hn_arena *scratch, const hn_graph *graph, const hn_order_waits *waits,
                         int *order);

// Structure of elimination in an order: the later nodes each one is coupled to, as places,
// ascending.
typedef struct hn_structure {
  int n;
  int *size;      // weight of the node at a place (n)
  int **neighbor; // (n)
  int *neighbors; // their number (n)
  long entries;   // in all
  double work;    // multiply-adds of the block factorization
} hn_structure;

// HN_ERROR_LIMIT when there are more than most_entries.
hn_status hn_structure_create(hn_arena *arena, const hn_graph *graph, const int *order,
                              long most_entries, hn_structure *structure);

#endif
