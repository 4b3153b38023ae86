// Interface of linear solvers. Every one of them solves the augmented system of bodies in speeds,
//
//   [ M  J' ] [ x ]   [ b ]
//   [ J  0  ] [ y ] = [ c ]      M = diag(m 1, I) a body,  J: blocks of 6 numbers for each body of a row
//
// scaled and regularized as saddle.h says, and refined on the residual of this system by the same
// rule: all give the same x, drop the same directions of soft rows, and count the same small pivots
// wherever the rank is clear.
//
//   const hn_solver_type *type;
//   hn_solver_choose(scratch, &problem, "auto", &type, &error);
//   hn_solver_create(arena, type, &problem, &solver, &error);
//   each time:  hn_solver_factor(solver, mass, blocks);  hn_solver_solve(solver, b, c, x, y, NULL);
#ifndef HN_LINALG_SOLVER_H
#define HN_LINALG_SOLVER_H

#include "base/arena.h"
#include "base/threads.h"
#include "linalg/saddle.h"

typedef struct hn_solver hn_solver;
typedef struct hn_solver_type hn_solver_type;
typedef hn_saddle_report hn_solver_report;

// The constant part of a problem. Only copies are kept.
typedef struct hn_solver_problem {
  int bodies; // ground not counted
  int rows;
  const int *row_start; // blocks of a row (rows + 1)
  const int *body;      // body of each block, from 1 (0, ground, has no blocks)
  int joints;           // groups of rows that stand together: joints, drivers
  const int *joint_row; // first row of a group (joints + 1)
  // 1 where a row of the group measures against ground, whatever its bodies are (joints). Null: not
  // known, and solvers that could use it do without.
  const unsigned char *on_ground;
  // Rows to be released at singular configurations, by this regularization (saddle.h); null: none.
  // Redundant rows have to be soft or released.
  const unsigned char *soft; // (rows)
  double soft_epsilon;
  const double *mass;  // as for hn_solver_factor, in any position: which bodies lack inertia. Null:
                       // not known, none
  hn_threads *threads; // null: one; kept, and bits do not depend on their number
} hn_solver_problem;

struct hn_solver_type {
  const char *name;
  int is_whole; // factors the whole matrix, not the reduced one: sound where that is not
  // Microseconds one factor and one solve will take, by counted work and measured weights; negative
  // if memory or time would not suffice. Counting may stop once it exceeds `enough`.
  double (*estimate)(hn_arena *scratch, const hn_solver_problem *problem, double enough);
  hn_status (*create)(hn_arena *arena, const hn_solver_problem *problem, hn_solver **solver);
  hn_status (*factor)(hn_solver *solver, const double *mass, const double *blocks);
  hn_status (*solve)(hn_solver *solver, const double *b, const double *c, double *x, double *y,
                     hn_solver_report *report);
  double (*pivot)(const hn_solver *solver, int row); // at the last factorization
  // 1 if an active soft row has a pivot that is not above this; null: found by `pivot`.
  int (*has_small)(const hn_solver *solver, double limit);
  // Null for solvers of solver_system.h, which have them in common.
  void (*release)(hn_solver *solver, const unsigned char *released);
  double (*row_scale)(const hn_solver *solver, int row);
};

// First member of each implementation.
struct hn_solver {
  const hn_solver_type *type;
  int rows;
  struct hn_system *system;      // of solver_system.h, or null
  const unsigned char *soft;     // (rows)
  const unsigned char *released; // (rows)
  long factorizations;
  double operations; // multiply-adds of one factorization, assembly included
};

extern const hn_solver_type hn_solver_topology;  // reduced matrix, joint by joint
extern const hn_solver_type hn_solver_augmented; // sparse L D L' of the whole matrix

// All solvers, null at the end.
const hn_solver_type *const *hn_solver_types(void);

// The solver of this name, or with "auto" (or null) the one with the least estimate. A name that is not
// known or cannot do this problem is an error that says why and what can.
hn_status hn_solver_choose(hn_arena *scratch, const hn_solver_problem *problem, const char *name,
                           const hn_solver_type **type, hn_error *error);
// The first body (from 1) without full inertia, or 0.
int hn_solver_light_body(const hn_solver_problem *problem);
// 1 when masses and moments of inertia of all bodies together, about any axis, are known to be within
// twelve orders of magnitude.
int hn_solver_is_even(const hn_solver_problem *problem);

hn_status hn_solver_create(hn_arena *arena, const hn_solver_type *type,
                           const hn_solver_problem *problem, hn_solver **solver, hn_error *error);
// Away from singular configurations soft rows are solved like the others; where one of them has a
// small pivot the matrix is factored once more, regularized.
// mass: 9 a body, the upper triangle of M by columns (3 masses; xx, xy, yy, xz, yz, zz of the
// inertia in global axes); blocks: 6 for each block of the rows. Both must not change until the
// last solution: they are read there too.
hn_status hn_solver_factor(hn_solver *solver, const double *mass, const double *blocks);
// The same, for a known right side of the next solution: solvers that can eliminate it during
// factorization. b and c must still be the same then; both may be null.
hn_status hn_solver_factor_for(hn_solver *solver, const double *mass, const double *blocks,
                               const double *b, const double *c);
// b, x: 6 a body, apart from each other; c, y: rows. As hn_saddle_solve. report may be null.
hn_status hn_solver_solve(hn_solver *solver, const double *b, const double *c, double *x, double *y,
                          hn_solver_report *report);
// Rows with released[k] != 0 are left out of all later factorizations (null: none); their y is 0.
// Where the problem says which rows are soft, only those may be.
void hn_solver_release(hn_solver *solver, const unsigned char *released);
// 1: the active rows are known to depend on each other (redundant ones are among them). It saves
// the attempt to do without regularization, which small pivots would end.
void hn_solver_expect_small(hn_solver *solver, int is_expected);
// How many soft rows that are not released had a pivot below the limit at the last factorization,
// in scaled units; is_small (rows, may be null) marks them. Their number is that of the dependent
// rows; which of them are marked depends on the order of elimination, so on the solver.
int hn_solver_small_pivots(const hn_solver *solver, double limit, unsigned char *is_small);
// 1 / sqrt(J_k M^-1 J_k') to the next power of two: turns a residual of row k into scaled units.
double hn_solver_row_scale(const hn_solver *solver, int row);
// Memory of `size` bytes that a solver needs only from the start of a factorization to the end of a
// solution: at other times the caller may use it. Null if there is less.
void *hn_solver_room(const hn_solver *solver, size_t size);

#endif
