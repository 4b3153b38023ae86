// Hierarchical models: the augmented system of bodies in speeds,
//
//   [ M  J' ] [ x ]   [ b ]
//   [ J  0  ] [ y ] = [ c ]      M = diag(m 1, I) a body,  J: blocks of 6 numbers for each body of a row
//
// solved level by level over a tree of subsystems (Vlasenko and Kasper 2007). A row belongs to the
// smallest subsystem that contains its bodies. Bodies of a subsystem with rows above it are its
// interface; seen from above it is only
//
//   border accelerations = D tau + r,      tau: forces on the border bodies                    (5-16)
//
// Upward, with L L' = D of own bodies (M^-1) and of subsystems below (pivoted Cholesky), A = L' G':
//
//   A' A (K b) = (-G D P', c - G r),   D <- P D P' + P D G' K,   r <- P r + P D G' b         (32-45)
//
// downward multipliers lambda = K tau + b and the forces tau of the subsystems. The top level refines
// on the residual of the whole system. y = -lambda.
//
// Post-stabilization (54-85) runs over the same tree with U instead of L: increments dx of all
// bodies with J dx = -g, each level by the complete orthogonal decomposition of H = G U.
//
// Out of scope: definition of rows and forces (equations/nested/nested.c), the rows of one level
// (gram.h).
#ifndef HN_LINALG_HIERARCHY_H
#define HN_LINALG_HIERARCHY_H

#include "base/arena.h"
#include "base/threads.h"
#include "holon/ranks.h"

typedef struct hn_hierarchy hn_hierarchy;

// An opaque subsystem of which only the interface is known: its passes are run by callbacks. All
// arrays of the interface are in the order of `border` of the problem. A status other than HN_OK
// ends the pass.
typedef struct hn_sealed_subsystem {
  void *context; // null: the subsystem is open
  // L of D = L L' at the present position (6 border x width by rows), *rank columns; rows: an
  // hn_hierarchy_rows.
  hn_status (*factor)(void *context, int rows, double *root, int width, int *rank);
  // r (6 border) of the current loads (first) or of their residual (again).
  hn_status (*forward)(void *context, int again, double *r);
  // Forces on the border: the solution inside, replaced (first) or corrected (again).
  // x: border accelerations so far.
  hn_status (*backward)(void *context, int again, const double *tau, double *x);
  // Computes the residual of the loads; tau: the sum of forces that rows above exert on the
  // interface.
  hn_status (*residual)(void *context, const double *tau);
  // U (6 border x 6 border, by rows) and, of the current constraint violations, c (6 border)
  hn_status (*stabilize_factor)(void *context, double tolerance, double *u);
  hn_status (*stabilize_forward)(void *context, double *c);
  hn_status (*stabilize_backward)(void *context, const double *z,
                                  double *x); // x: border increments
} hn_sealed_subsystem;

typedef struct hn_hierarchy_problem {
  int bodies; // ground not counted
  int rows;
  const int *row_start; // blocks of a row (rows + 1)
  const int *body;      // body of each block, from 1
  int nodes;            // subsystems; 0 is the whole
  const int *parent;    // (nodes), parent[k] < k; of 0 not read
  const int *body_node; // subsystem of a body (bodies + 1); -1: not part of it, its blocks not read
  const int *row_node;  // subsystem of a row (rows); -1: not part of it
  const int *row_order; // order of rows within their levels (rows); null: by number
  // bodies that something outside the whole connects (bodies + 1); null: none
  const unsigned char *connected;
  const hn_sealed_subsystem
      *sealed;           // (nodes); null: all are open. A sealed one has no open ones in it
  hn_threads *threads;   // null: none
  const hn_ranks *ranks; // processes that share the subtrees; null: one
} hn_hierarchy_problem;

// Nothing of the problem is kept but threads and sealed subsystems. HN_ERROR_ARGUMENT when a tree is
// none.
hn_status hn_hierarchy_create(hn_arena *arena, const hn_hierarchy_problem *problem,
                              hn_hierarchy **hierarchy);

// Which rows a factorization holds. At a position that satisfies the rows: all but those that depend on
// others; CHOOSE also remembers these in left_out, level by level, where they are fewer than those
// remembered before (all, at first). At a position that is a little off, where dependent rows contradict
// each other: all but those in left_out.
typedef enum hn_hierarchy_rows {
  HN_HIERARCHY_ALL,
  HN_HIERARCHY_CHOOSE,
  HN_HIERARCHY_KEPT
} hn_hierarchy_rows;

// mass: 9 a body (3 masses; xx, xy, yy, xz, yz, zz of the inertia in global axes); blocks: 6 for
// each block of the rows. Both are read again by later calls and must stay. left_out: (rows).
// HN_ERROR_SINGULAR when a body lacks inertia (*body is its index, may be null).
hn_status hn_hierarchy_factor(hn_hierarchy *hierarchy, const double *mass, const double *blocks,
                              hn_hierarchy_rows rows, unsigned char *left_out, int *body);
// x (6 bodies), y (rows; 0 for rows left out), refined so many times.
hn_status hn_hierarchy_solve(hn_hierarchy *hierarchy, const double *b, const double *c, double *x,
                             double *y, int refinements);
// dx (6 bodies) with J dx = -g in the sense above; singular values below the tolerance are dropped.
hn_status hn_hierarchy_stabilize_factor(hn_hierarchy *hierarchy, const double *blocks,
                                        double tolerance);
hn_status hn_hierarchy_stabilize(hn_hierarchy *hierarchy, const double *g, double *dx);

// ---- the passes singly, for a whole that is itself a sealed subsystem ---------------------------

const int *hn_hierarchy_border(const hn_hierarchy *hierarchy, int *count); // bodies of the whole
const double *hn_hierarchy_root(const hn_hierarchy *hierarchy,
                                int *rank); // L of the whole, 6 border wide
hn_status hn_hierarchy_forward(hn_hierarchy *hierarchy, const double *b, const double *c,
                               double *r);
// x and y (rows) are replaced (add 0) or added to (add 1); tau may be null without border.
hn_status hn_hierarchy_backward(hn_hierarchy *hierarchy, const double *b, const double *tau,
                                int add, double *x, double *y);
// b_left = b - M x - J' y, with tau added on border bodies (null: none), and c_left = c - J x.
hn_status hn_hierarchy_residual(hn_hierarchy *hierarchy, const double *b, const double *c,
                                const double *tau, const double *x, const double *y, double *b_left,
                                double *c_left);
void hn_hierarchy_stabilize_root(const hn_hierarchy *hierarchy, double *u);
hn_status hn_hierarchy_stabilize_forward(hn_hierarchy *hierarchy, const double *g, double *c);
hn_status hn_hierarchy_stabilize_backward(hn_hierarchy *hierarchy, const double *z, double *dx);

// ---- what there is ------------------------------------------------------------------------------

typedef struct hn_level_report {
  int parent, depth;
  int own_bodies, rows, border_bodies;
  int dependent; // rows left out at the last factorization of a consistent position
  int d_size;    // of D
  int is_sealed, is_dense;
  double a_density; // fraction of A = L' G' that is not zero by its pattern
  double h_density; // ... of H = G U
} hn_level_report;
int hn_hierarchy_levels(const hn_hierarchy *hierarchy);
hn_level_report hn_hierarchy_level(const hn_hierarchy *hierarchy, int node);
// Rows of open levels that depend on others at the last consistent position.
int hn_hierarchy_dependent(const hn_hierarchy *hierarchy);
// Number of active rows at the last factorization that nearly depend on others.
int hn_hierarchy_near(const hn_hierarchy *hierarchy);
long hn_hierarchy_factorizations(const hn_hierarchy *hierarchy);

#endif
