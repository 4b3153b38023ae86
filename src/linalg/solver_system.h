// The system that all solvers of our own share: its layout, scales, residuals, refinement. A solver
// adds one thing, a way to apply the inverse of
//
//   P = [ M + rho   J'       ]          K = P with rho = epsilon = 0
//       [ J        -epsilon  ]
//
// to a vector. Nothing is scaled: M and J are read where the caller has them. What is said about sizes
// (regularization, small pivots, residuals) is said in units of D and R, those of saddle_scale.c: D M D
// has a unit diagonal, R J D unit rows, to the next power of two. In these units rho is HN_SYSTEM_RHO
// where a body lacks inertia, else 0: the first application is then exact but for rounding and epsilon.
//
// x has 6 numbers a body, y has `pad` for each node in the node's place, the last of them possibly
// unused and zero. A node may also be a *kept body*: it has six numbers in y, which stay zero
// outside of the solver that wants them.
#ifndef HN_LINALG_SOLVER_SYSTEM_H
#define HN_LINALG_SOLVER_SYSTEM_H

#include "base/search.h"
#include "linalg/block.h"
#include "linalg/block_nodes.h"

// Bodies, rows or nodes that are worth a piece of their own for a thread.
#define HN_BODY_GRAIN 128
#define HN_SYSTEM_RHO 1e-8
#define HN_SYSTEM_EPSILON 1e-12
#define HN_SYSTEM_LEAST 1e-13 // of a pivot

// A node whose numbers may have to be copied: rows are left out, or do not follow each other in the
// blocks.
typedef struct hn_spare_node {
  int node;
  int at;                // first number of the copy in `own`
  int source;            // first of its blocks in `source`: panel by panel, row by row
  int row[HN_NODE_ROWS]; // of the problem
  int is_scattered;      // always copied
  int is_copied;         // now
} hn_spare_node;

// The largest numbers of a block of a residual, in units of D and R.
typedef struct hn_want {
  double residual;
  double bound;  // of the terms it is made of
  double excess; // of the residual over 1e-13 of its own terms
} hn_want;

typedef struct hn_node_copies {
  int spares;           // nodes with memory for a copy
  hn_spare_node *spare; // (spares)
  int *source;          // first numbers of blocks
  double *own;          // numbers of copied nodes
} hn_node_copies;

typedef struct hn_system_traits {
  int has_soft;      // some row is
  int has_released;  // some row is left out
  int is_plain;      // epsilon is 0 for all rows, and no body is light
  int is_in_parts;   // B is not assembled whole before its first node is eliminated
  int is_hard;       // soft rows are solved like the others: no small pivot is among them
  int expects_small; // active rows are known to depend on each other: is_hard need not be tried
  int is_light;      // some body lacks inertia: M^-1 is only as good as rho makes it
  int is_even;       // the smallest inertia is not small against the largest, in any position
  int has_kept;      // some node is a kept body
  int is_large;      // does not fit into a cache: memory is asked for before it is read
} hn_system_traits;

typedef struct hn_sweep { // of one solution
  // The first five vectors follow each other: what they say lives from the factorization to the end
  // of the solution.
  size_t room_size;                // numbers in all
  double *f, *z;                   // c and the solution y (y, z followed by work space of the
                                   // solver)
  double *residual_x, *residual_y; // (x; y followed by work space)
  double *bound_x, *bound_y;       // sizes of the terms of residuals; null as epsilon
  double *rest;                    // b - J' y of the last application of the inverse (x): own_rest,
  double *own_rest;                // or, to spare traffic, residual_x, where that is not b
  double *speed;                   // the largest of a body, in units of D (bodies)
  hn_want *extents;                // of pieces of bodies, then of nodes
  int *look_order;                 // nodes by the last of their bodies (nodes)
  double level[2];                 // the largest bound in x, in y
  int is_solved;                   // the last sweep leaves no residual: P is K
  int x_is_zero; // the vector given to the inverse has no x: terms that start with M^-1 x may be
                 // left out
  const double *ahead_b, *ahead_c; // right side that a factorization is to eliminate; null: none
  int is_ahead;                    // it did: z has it
} hn_sweep;

typedef struct hn_system {
  // ---- fixed
  int bodies, rows, nodes;
  int x_size, y_size;          // numbers of x, of y
  int *node_size, *node_pad;   // rows of a node; the next even number (nodes)
  int *y_at;                   // place of a node in y (nodes + 1)
  int *kept_body;              // body that a node represents, from 0, or -1 (nodes)
  int *row_y;                  // place of a row in y (rows)
  int *row_node;               // its node; null: hn_node_of_row searches it (rows)
  int *row_of;                 // row at a place of y, -1: none; null: first_row has it (y)
  int *first_row;              // first row of a node whose rows follow each other, else -1 (nodes)
  int *panel_start;            // panels of a node (nodes + 1)
  int *panel_body;             // from 0 (panels)
  int *body_start;             // panels of a body, by their nodes (bodies + 1)
  int *body_panel, *body_node; // a panel; its node (panels)
  hn_node_copies copies;
  unsigned char *soft, *released; // (rows)
  double soft_epsilon;
  double rho;
  double
      hard_epsilon; // where a body is light: of rows that are not soft, and of soft ones while is_hard
  hn_system_traits traits;
  int wide;            // which variant of the kernels (block.h)
  hn_threads *threads; // null: one

  // ---- by release
  int *panel_at;   // first number of a panel in the blocks, or ~ of it in `own` (panels)
  int *node_step;  // numbers from a row of its panels to the next (nodes)
  double *epsilon; // in units of R, 1 for released rows (y); null: 0 for all, for ever

  // ---- by factor
  const double *m, *blocks; // of the caller
  double *
      d; // unit of speeds (6 bodies); null where every body has its own and nothing else is wanted:
         // hn_units_of_body
  double
      *r; // unit of rows (y), of kept bodies their d; by hn_system_load where epsilon is not null
  double *rho_x;     // rho in plain units (6 bodies), null where no body is light
  double *epsilon_y; // epsilon in plain units (y), null as epsilon
  double *
      least; // pivots of the reduced matrix below this are rounding noise, in units of R; (y) where
             // a body is light, else HN_NODE_ROWS that are good for every node

  hn_sweep sweep; // by solve
} hn_system;

// The row at place `a` of a node, -1: none.
static inline int hn_row_at(const hn_system *s, int node, int a) {
  const int first = s->first_row[node];
  if (a >= s->node_size[node]) return -1;
  if (first >= 0) return first + a;
  return s->row_of ? s->row_of[s->y_at[node] + a] : -1;
}

// The node of a row: the last one that does not start after it.
static inline int hn_node_of_row(const hn_system *s, int row) {
  if (s->row_node) return s->row_node[row];
  return hn_first_from(s->y_at, 1, s->nodes, s->row_y[row] + 1) - 1;
}

// Units of a body with inertia, by the diagonal of M.
static inline void hn_units_of_body(const double *m, double unit[6]) {
  static const int diagonal[6] = {0, 1, 2, 3, 5, 8}; // in the 9 numbers of a body
  for (int i = 0; i < 6; i++) unit[i] = hn_unit_of(m[diagonal[i]]);
}

// Whether units of rows are found on the diagonal of B, which is there anyway, not from rows: if
// nothing is regularized. Next to kept bodies the diagonal lacks their contribution, and after
// elimination of earlier nodes it lacks theirs: the unit of a redundant row would be one over
// noise.
static inline int hn_units_by_diagonal(const hn_system *s) {
  return !s->epsilon || (s->traits.is_plain && !s->traits.has_kept && !s->traits.is_in_parts);
}

static inline const double *hn_panel(const hn_system *s, int panel) {
  const int at = s->panel_at[panel];
  return at >= 0 ? s->blocks + at : s->copies.own + ~at;
}

// Nodes in this order: entry k is node order[k] of `nodes`, or the kept body -1 - order[k]. Null:
// the order of the nodes. capacity: work space after the vectors given to the inverse.
hn_status hn_system_create(hn_arena *arena, const hn_solver_problem *problem, const hn_nodes *nodes,
                           const int *order, int order_length, int room, hn_system *system);
// The beginning of a solver on this system.
hn_solver hn_system_solver(hn_system *system, const hn_solver_type *type, double operations);
void hn_system_release(hn_system *system, const unsigned char *released);
void hn_system_regularize(hn_system *system, int is_hard); // sets epsilon
// Takes M and J, which stay the caller's, and finds the units of speeds; those of rows only where there
// is an epsilon, else they are left to the solver.
void hn_system_load(hn_system *system, const double *mass, const double *blocks);

// (x, y) = P^-1 (b, y), and system->sweep.rest = b - J' y. x may be b; b is null where x_is_zero.
// Solvers that find y first leave x and rest to `finish`, which is called for ranges of bodies that
// are checked while they are in the cache, and once with `close` after all of them; if it adds, x
// grows by the solution.
typedef struct hn_system_inverse {
  void (*apply)(void *solver, const double *b, double *x, double *y);
  void (*finish)(void *solver, const double *b, double *x, const double *y, int adds, int from,
                 int to);
  void (*close)(void *solver, double *y); // null together with finish
} hn_system_inverse;
hn_status hn_system_solve(hn_system *system, const hn_system_inverse *inverse, void *solver,
                          const double *b, const double *c, double *x, double *y,
                          hn_solver_report *report);
// Takes c as the right side of the rows.
void hn_system_load_rows(hn_system *system, const double *c);

#endif
