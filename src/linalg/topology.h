// Elimination of a model: which bodies are kept as unknowns, in which order joints and kept bodies
// go, and where every block of the factor lies. Found once for a model.
//
// The unknowns are the multipliers y of the joints and the speeds x_h of kept bodies; all other bodies
// are eliminated beforehand, each by itself:
//
//   [ B + epsilon   -J_h     ] [ y   ]        B = sum over eliminated bodies of J M^-1 J'
//   [ -J_h'         -M_h     ] [ x_h ]        (Negrut 1998, eqs. 3.108-3.122)
//
// Without kept bodies this is the reduced matrix of the thesis. A body with many joints makes all
// of them neighbors of each other, and the work grows with the cube of their number; kept, it is
// one more node, and the work is linear. It may be kept where joints hang below it
// (topology_cut.h): those are as independent with the body fixed as without, so no pivot suffers.
// The other joints of the body wait until it is eliminated.
#ifndef HN_LINALG_TOPOLOGY_H
#define HN_LINALG_TOPOLOGY_H

#include "linalg/block_nodes.h"
#include "linalg/joint_order.h"

// Nodes are worked on in windows of so many places: what belongs to them is made, used and left while it
// is in the cache.
enum { HN_WINDOW = 512 };
// So many at most are eliminated by height.
enum { HN_FEW_NODES = 64 };
static inline int hn_window(int place) { return place / HN_WINDOW; }

typedef struct hn_topology {
  int nodes;          // joints and kept bodies, in the order of their elimination
  int *order;         // node of hn_nodes, or -1 - body (nodes)
  int *place_of_body; // of a kept body, or -1 (bodies)
  int *size, *pad;    // rows of a node; the next even number (nodes)
  // Blocks are stored by rows as long as the pad of their columns' node: the own block of a node
  // (nodes), then those against its neighbors.
  int *at;
  int *neighbor_start; // (nodes + 1)
  int *neighbor;       // places, ascending
  int *block;          // first number of the block against a neighbor
  // Eliminating a node subtracts a product from the block of each two of its neighbors i <= j.
  int *pair_start; // (nodes + 1)
  int *target;     // first numbers of those blocks
  int *group_end; // nodes from k up to this one are not coupled to each other, four at most, of one
                  // window (nodes)
  int *reach;     // the last place that nodes of a window or earlier ones are coupled to (windows)
  // Subtrees (topology_limbs.h) come first, the nodes above them from place `top` on. The
  // contributions of a subtree to blocks and right sides above it go to an accumulation buffer of
  // its own and are added, subtree by subtree, before the top is eliminated: the same bits for any
  // number of threads. Without subtrees top is 0.
  int limbs, top;
  int *limb;                              // of a node, -1 above them (nodes)
  int *limb_start, *limb_node;            // places of a subtree, ascending (subtrees + 1, top)
  int *limb_group_end;                    // as group_end, for limb_node (top)
  int lumps, *lump_start;                 // buffers of a subtree (subtrees + 1)
  int *lump_from, *lump_to, *lump_size;   // numbers in the values (buffers)
  int *push_at;                           // position in y of the contribution to a neighbor, as
                                          // `neighbor`
  int spares, *spare_start;               // of a subtree (subtrees + 1)
  int *spare_from, *spare_to, *spare_pad; // numbers in y (spares)
  int spare;                              // numbers behind y in all
  int values;                             // numbers in all blocks, buffers at the end
  int numbers;                            // without buffers
  int most_neighbors;                     // of a node
  double operations;                      // multiply-adds of assembly and factorization
  int kept;                               // bodies
} hn_topology;

// The best order found, by counted work. HN_ERROR_LIMIT when every one of them fills too much.
hn_status hn_topology_create(hn_arena *arena, const hn_nodes *nodes, hn_topology *topology);
// Its work alone, without making it; negative when it cannot be done.
double hn_topology_work(hn_arena *scratch, const hn_nodes *nodes, int *chosen_nodes);

// The block of the rows of the node at `place` against `other`, itself or one of its neighbors.
int hn_topology_block(const hn_topology *topology, int place, int other);
// The same for contributions of a subtree to it: in its buffer if `place` is above the subtree.
// Subtree -1: the top.
int hn_topology_block_of(const hn_topology *topology, int limb, int place, int other);

#endif
