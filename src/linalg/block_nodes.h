// Rows gathered into nodes: the blocks in which reduced matrices are made and eliminated.
#ifndef HN_LINALG_BLOCK_NODES_H
#define HN_LINALG_BLOCK_NODES_H

#include "linalg/solver.h"

enum { HN_NODE_ROWS = 6 };

// Rows on the same bodies are adjacent, at most HN_NODE_ROWS: a revolute joint is a node, with the
// driver of its angle; five rods between a wheel carrier and a chassis are a node. The rows of a
// group of the problem are separated only if there are too many or their bodies differ.
typedef struct hn_nodes {
  int count;
  int bodies;               // of the problem
  int *row_start;           // (count + 1)
  int *row;                 // of the problem, ascending in a node (rows)
  int *body_start;          // (count + 1)
  int *body;                // from 0, ascending in a node
  unsigned char *on_ground; // (count)
  int ground_is_known;      // else on_ground is 1 everywhere
} hn_nodes;

// HN_ERROR_ARGUMENT when a body is not one of the problem's, or a row names one twice.
hn_status hn_nodes_create(hn_arena *arena, const hn_solver_problem *problem, hn_nodes **nodes);

static inline int hn_node_size(const hn_nodes *nodes, int node) {
  return nodes->row_start[node + 1] - nodes->row_start[node];
}

#endif
