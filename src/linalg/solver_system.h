// The scaled system that all solvers of our own share: scaling, residuals, refinement. A solver adds
// one thing, a way to apply the inverse of
//
//   P = [ D M D + rho   D J' R  ]          K = P with rho = epsilon = 0
//       [ R J D        -epsilon ]
//
// to a vector. D, R and epsilon are those of saddle.c. rho is HN_SYSTEM_RHO where a body lacks inertia,
// else 0: the first application is then exact but for rounding and epsilon.
//
// Vectors (x, y) are scaled and padded: x has 6 numbers a body, y has `pad` for each node in the
// node's place, the last of them possibly unused and zero. A node may also be a *kept body*: it has
// six numbers in y, which stay zero outside of the solver that wants them.
#ifndef HN_LINALG_SOLVER_SYSTEM_H
#define HN_LINALG_SOLVER_SYSTEM_H

#include "linalg/block_nodes.h"

// Bodies, rows or nodes that are worth a piece of their own for a thread.
#define HN_BODY_GRAIN 128
#define HN_SYSTEM_RHO 1e-8
#define HN_SYSTEM_EPSILON 1e-12
#define HN_SYSTEM_LEAST 1e-13 // of a pivot

typedef struct hn_system {
  // ---- fixed
  int bodies, rows, nodes, size;  // size: length of a vector, x and padded y
  int x_size;                     // 6 bodies: where y begins
  int *node_size, *node_pad;      // rows of a node; the next even number (nodes)
  int *y_at;                      // place of a node in y (nodes + 1)
  int *kept_body;                 // body a node stands for, from 0, or -1 (nodes)
  int *row_start;                 // rows of nodes so far (nodes + 1)
  int *row_y, *row_node;          // place of a row in y; its node (rows)
  int *panel_start;               // panels of a node (nodes + 1)
  int *panel_body;                // from 0 (panels)
  int *panel_at;                  // its numbers in j: 6 for each row of the node (panels)
  int *body_start;                // panels of a body, by their nodes (bodies + 1)
  int *body_panel, *body_node;    // first number of a panel in j; its node (panels)
  int *block_start, *block_body;  // blocks of rows, as in the problem (rows + 1, blocks), from 0
  int *block_at;                  // first number of a block in j (blocks)
  unsigned char *soft, *released; // (rows)
  double soft_epsilon;
  double rho;
  double hard_epsilon; // of rows that are not soft, and of soft ones while is_hard
  int has_soft;        // some row is
  int has_released;    // some row is left out
  int is_plain;        // epsilon is 0 for all rows, and no body is light
  int is_hard;         // soft rows are solved like the others: no small pivot is among them
  int expects_small;   // rows held are known to depend on each other: is_hard need not be tried
  int is_light;        // some body lacks inertia: M^-1 is only as good as rho makes it
  int wide;            // which variant of the kernels (block.h)
  hn_threads *threads; // null: one

  // ---- by factor
  double *d;       // scale of speeds (6 bodies)
  double *r;       // scale of rows (y)
  double *epsilon; // regularization, 1 for released rows (y)
  double *least; // pivots of the reduced matrix below this are rounding noise; (y) where a body is
                 // light, else HN_NODE_ROWS that are good for every node
  double *m;     // D M D (9 bodies)
  double *j;     // R J D by panels

  // ---- by solve
  double *f, *z, *residual, *bound; // (size; z and residual with room behind it for the solver)
  double *rest;                     // b - J' y of the last application of the inverse (x)
  double level[2];                  // the largest bound in x, in y
  int is_solved;                    // the last sweep leaves no residual: P is K
  int x_is_zero; // the vector given to the inverse has no x: what begins with M^-1 x may be left out
} hn_system;

// Nodes in this order: entry k is node order[k] of `nodes`, or the kept body -1 - order[k]. Null: the
// nodes as they are. room: numbers behind the vectors given to the inverse.
hn_status hn_system_create(hn_arena *arena, const hn_solver_problem *problem, const hn_nodes *nodes,
                           const int *order, int order_length, int room, hn_system *system);
// The beginning of a solver on this system.
hn_solver hn_system_solver(hn_system *system, const hn_solver_type *type, double operations);
void hn_system_release(hn_system *system, const unsigned char *released);
void hn_system_regularize(hn_system *system, int is_hard); // sets epsilon
// Copies and scales.
void hn_system_load(hn_system *system, const double *mass, const double *blocks);

// Overwrites w = (b, c) by P^-1 w = (x, y), and system->rest by b - J' y.
typedef void hn_system_inverse(void *solver, double *w);
hn_status hn_system_solve(hn_system *system, hn_system_inverse *inverse, void *solver,
                          const double *b, const double *c, double *x, double *y,
                          hn_solver_report *report);

// y = J x - y and x -= J' y over all panels, in scaled vectors.
void hn_system_reduce(const hn_system *system, const double *x, double *y);
void hn_system_subtract(const hn_system *system, const double *y, double *x);

#endif
