// Constraints with conditions of one step, dense: the Delassus matrix W in blocks of a constraint.
//
//   u = W p + q      W symmetric, positive semidefinite; p impulses, u velocities after the step
//
//   CONE        contact point (normal, tangent, tangent): Coulomb's law between p and u (cone.h)
//   SPIN        torsion and rolling of a contact (about normal, tangent, tangent), u angular: against
//               u, with |p_0| <= torsion p_N and |(p_1, p_2)| <= rolling p_N of its point's block
//   UNILATERAL  0 <= u, 0 <= p, u p = 0: contact without friction, joint limit, stop
//   BOX         lower <= p <= upper; u = 0 within, u >= 0 at the lower and u <= 0 at the upper
//               bound: dry friction, motor limits
//   BILATERAL   u = 0
//
// Solver: from the given start Newton's method on the equations of Alart and Curnier over the
// constraints that act, with a proximal term in its matrix: first full steps, then with a line search
// and block Gauss-Seidel, which also comes first where constraints are few. If constraints depend on
// each other so that this stalls, an interior-point method from the middle of all cones
// (delassus_interior.c), which Newton's method leaves where it converges. All iterations are bounded.
// The residual is reported.
//
// Cost: blocks^2 for an iteration of Gauss-Seidel, (3 acting blocks)^3 / 3 for one of Newton, (3
// blocks)^3 / 3 for one of the interior-point method.
#ifndef HN_CONTACT_DELASSUS_H
#define HN_CONTACT_DELASSUS_H

#include "base/arena.h"

typedef enum hn_delassus_law {
  HN_DELASSUS_CONE,
  HN_DELASSUS_UNILATERAL,
  HN_DELASSUS_BOX,
  HN_DELASSUS_BILATERAL,
  HN_DELASSUS_SPIN
} hn_delassus_law;

typedef struct hn_delassus_block {
  hn_delassus_law law;
  double mu;           // CONE
  double lower, upper; // BOX
  int normal;          // SPIN: block of its normal impulse
  double torsion, rolling;
} hn_delassus_block;

static inline int hn_delassus_size(hn_delassus_law law) {
  return law == HN_DELASSUS_CONE || law == HN_DELASSUS_SPIN ? 3 : 1;
}

// Lanes of four: three numbers of a block, and one that is zero.
typedef double hn_delassus_vector[4];

typedef struct hn_delassus {
  int capacity; // blocks
  int count;
  hn_delassus_block *block;
  double *w; // 3 columns of 4 for each pair of blocks (hn_delassus_at)
  struct hn_contact_rows
      *rows;                 // instead of w and of this solver, if they are many (rows.h); or null
  hn_delassus_vector *q, *p; // p: start in, solution out
  hn_delassus_vector *u;     // out
  // scratch of the solver
  double *rho, *slip_rho, *inverse; // 1 / mean response, 1 / largest along the surface, 3 x 3
  hn_delassus_vector *start, *target, *best, *kept;
  hn_delassus_vector *inner, *dual, *dual_step; // of the interior-point method
  int *first, *state;                           // row of a block in Newton's matrix, and its case
  int spins;                                    // blocks of that kind
  double *matrix, *x;
  int wide;
} hn_delassus;

typedef struct hn_delassus_report {
  double residual; // largest |p - proj_K(p - rho u~)|, rho = 1 / mean response of the block
  int sweeps, newtons;
  int inside;    // steps of the interior-point method; 0: Newton's method was sufficient
  int is_solved; // residual <= tolerance
} hn_delassus_report;

hn_status hn_delassus_create(hn_arena *arena, int capacity, hn_delassus *problem);

// Response of block i to an impulse of block j, for the present count: three columns of four. The
// number at 4 c + r is the velocity of row r for component c. Rows and columns that blocks do not
// have are zero.
static inline double *hn_delassus_at(const hn_delassus *d, int i, int j) {
  return d->w + ((size_t)i * (size_t)d->count + (size_t)j) * 12;
}

// Of the residual, impulses: full Newton steps continue to `aim` as long as they converge well, whatever
// costs more only to the tolerance.
void hn_delassus_solve(hn_delassus *problem, double aim, double tolerance,
                       hn_delassus_report *report);

// Largest residual at p; writes u.
double hn_delassus_residual(hn_delassus *problem);

#endif
