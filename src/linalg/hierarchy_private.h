// The inside of hierarchy.h: levels and the passes over them.
#ifndef HN_LINALG_HIERARCHY_PRIVATE_H
#define HN_LINALG_HIERARCHY_PRIVATE_H

#include "linalg/gram.h"
#include "linalg/hierarchy.h"
#include "linalg/rank.h"

// Pivots of D below this fraction of those of the free body are rounding.
#define HN_ROOT_TOLERANCE 1e-12

// A slot is a body as a level sees it: its own bodies first, then the borders of the levels below. A
// group is an own body or a level below: what is coupled by one block of D.
// What is exchanged between processes.
typedef enum hn_rank_pass {
  HN_RANK_FACTOR,
  HN_RANK_FORWARD,
  HN_RANK_BACKWARD,
  HN_RANK_STABILIZE_FACTOR,
  HN_RANK_STABILIZE_FORWARD,
  HN_RANK_STABILIZE_BACKWARD,
  HN_RANK_PASSES
} hn_rank_pass;

typedef struct hn_level_border { // what a level is from above
  double *free_floor;            // of pivots of D (6 border_count)
  double *d;                     // D, before its small pivots are dropped (6 border_count squared)
  double *root;                  // L (6 border_count squared, by rows)
  int rank;                      // columns of L
  int *order;                    // work space of the root (6 border_count)
  double *rest;
} hn_level_border;

typedef struct hn_level_sweep { // of one solution
  double *r;                    // (6 border_count)
  double *slot_r;               // r of all slots (6 slot_count)
  double *lambda;               // b, then multipliers of scaled rows (row_count)
  double *tau;                  // forces on the border (6 border_count)
  double *slot_tau;             // forces on slots (6 slot_count)
  double *slot_x;               // accelerations of the slots of levels below (6 slot_count)
  double *work;                 // (6 slot_count)
} hn_level_sweep;

typedef struct hn_level_stabilization {
  hn_gram *h;
  double *h_scale; // (row_count)
  double *bz;      // B + P1b (6 border_count x 6 slot_count)
  double *u;       // U of the border (6 border_count squared, by rows)
  double *step;    // d (6 slot_count)
  double *slot_c;  // c of all slots (6 slot_count)
  double *c;       // of the border (6 border_count)
  double *z;       // increments asked for at the border (6 border_count)
  double *slot_z;  // increments z' of all slots (6 slot_count)
  double *t;       // (row_count)
} hn_level_stabilization;

typedef struct hn_tree_level {
  int owner; // process; -1: all
  int node, parent, depth;
  int child_count, own_count, slot_count, group_count, border_count, row_count;
  int *child;                         // nodes (child_count)
  int *slot_body;                     // (slot_count)
  int *group_slot;                    // first slot of a group (group_count + 1)
  int *group_column;                  // 6 times that
  int *border_slot;                   // (border_count)
  int *border_body;                   // (border_count)
  int *border_group;                  // (border_count)
  int *row;                           // numbers of the whole (row_count)
  int *segment_start, *segment_group; // pattern of A and H
  int *block_start, *block_slot, *block_at, *block_segment; // blocks of the rows
  hn_sealed_subsystem sealed;

  // accelerations
  hn_gram *a;
  double *own_root;         // L of M^-1 of own bodies (36 each)
  double *own_inverse;      // M^-1: 1/m, then xx xy yy xz yz zz of the inverse inertia (7 each)
  double *scale;            // of the rows (row_count)
  unsigned char *kept;      // rows that take part when the position is off (row_count)
  unsigned char *dependent; // at the last consistent position (row_count)
  int dependent_count;
  int near_count; // active rows with small pivots: a singular configuration is near
  double *bk, *k; // -G D P' in scaled rows, K (row_count x 6 border_count, by columns)
  hn_level_border border;
  hn_level_sweep sweep;
  hn_level_stabilization stabilize;
  hn_status status; // of the current pass
  int light_body;   // a body without inertia
} hn_tree_level;

struct hn_hierarchy {
  int bodies, rows, nodes, depths;
  hn_tree_level *levels;       // (nodes)
  int *depth_start, *by_depth; // nodes by depth (depths + 1, nodes)
  int *row_start, *body;       // copies
  int *row_node, *body_node;
  hn_threads *threads;
  int *mine;                   // levels of a depth that this process runs (nodes)
  const double *mass, *blocks; // of the last factorization
  const double *stabilize_blocks;
  hn_hierarchy_rows rows_held;
  double tolerance;
  unsigned char *left_out; // the caller's (rows)
  long factorizations;
  // of the current pass
  const double *b, *c;
  double *x, *y;
  int add, again;
  const double *g;
  double *dx;
  double *b_left, *c_left; // residuals of the refinement
  double *tau_all;         // forces of rows above on border bodies (6 bodies)
  // processes: null for one
  const hn_ranks *ranks;
  int *rank_start[HN_RANK_PASSES]; // stretches of the buffer (size + 1)
  double *rank_buffer;
};

// One level; see hierarchy.h for the formulas.
void hn_level_factor(hn_hierarchy *h, hn_tree_level *level);
void hn_level_forward(hn_hierarchy *h, hn_tree_level *level);
void hn_level_backward(hn_hierarchy *h, hn_tree_level *level);
void hn_level_stabilize_factor(hn_hierarchy *h, hn_tree_level *level);
void hn_level_stabilize_forward(hn_hierarchy *h, hn_tree_level *level);
void hn_level_stabilize_backward(hn_hierarchy *h, hn_tree_level *level);

// Sets up the tree; the numbers are in the files of the passes.
hn_status hn_hierarchy_make_tree(hn_arena *arena, const hn_hierarchy_problem *problem,
                                 hn_hierarchy *h);
// hierarchy_ranks.c
hn_status hn_hierarchy_make_ranks(hn_arena *arena, hn_hierarchy *h);
int hn_hierarchy_is_mine(const hn_hierarchy *h, const hn_tree_level *level);
// After own levels are done with this status: what others have, and the first status that is not HN_OK.
hn_status hn_hierarchy_exchange(hn_hierarchy *h, hn_rank_pass pass, hn_status own);

#endif
