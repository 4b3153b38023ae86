// Frictional contact of several contacts at once, dense: for the impacts and accelerations of few
// contacts.
//
//   u = W p + q      W symmetric, positive semidefinite: responses of the model with its joints
//
// Each part k has its rows (normal, tangent, tangent; or one) and its law:
//
//   CONE      Coulomb's law between p and u (cone.h)
//   SLIDING   u_T is a velocity that is not zero: p_T = -mu p_N direction, normal as NORMAL
//   NORMAL    one row, without friction: 0 <= u_N, p_N >= 0, p_N u_N = 0
//   LIMITED   one row: u = 0 and |p| <= limit, or |p| = limit against u (dry friction with a given load)
//   DRAGGED   one row: u is a velocity that is not zero: p = limit, with its sign
//   HELD      one row: u = 0 whatever p; STUCK: three of them (rolling without slip)
//
// A part of CONE or NORMAL may have a normal impulse that is given: then p_N >= given instead of 0,
// which is the return of an impact by Poisson's law; friction is bounded by mu p_N as ever.
//
// Solved by projected Gauss-Seidel with exact local solutions, then Newton's method on the
// equations of Alart and Curnier, in least norm where rows depend on each other; if both stall, by
// an interior-point path (friction_interior.c). The residual is reported, never hidden.
#ifndef HN_CONTACT_FRICTION_H
#define HN_CONTACT_FRICTION_H

#include "base/arena.h"
#include "contact/cone.h"

typedef enum hn_friction_law {
  HN_FRICTION_CONE,
  HN_FRICTION_SLIDING,
  HN_FRICTION_NORMAL,
  HN_FRICTION_LIMITED,
  HN_FRICTION_DRAGGED,
  HN_FRICTION_HELD,
  HN_FRICTION_STUCK
} hn_friction_law;

// 1: it holds with any force.
static inline int hn_friction_is_held(hn_friction_law law) {
  return law == HN_FRICTION_HELD || law == HN_FRICTION_STUCK;
}

// 1: dry friction with a given load.
static inline int hn_friction_is_dry(hn_friction_law law) {
  return law == HN_FRICTION_LIMITED || law == HN_FRICTION_DRAGGED;
}

typedef struct hn_friction_part {
  hn_friction_law law;
  int row;             // first
  double mu;           // CONE, SLIDING
  double direction[2]; // SLIDING: unit vector of u_T
  double limit;        // LIMITED, DRAGGED
  double given;        // CONE, NORMAL: the least normal impulse
} hn_friction_part;

static inline int hn_friction_rows(hn_friction_law law) {
  return law == HN_FRICTION_CONE || law == HN_FRICTION_SLIDING || law == HN_FRICTION_STUCK ? 3 : 1;
}

typedef struct hn_friction_problem {
  int rows, parts;
  double *w; // (rows x rows)
  double *q; // (rows)
  hn_friction_part *part;
  // work arrays of the solver
  double *u, *jacobian, *right, *step, *trial, *trial_u, *work; // (rows), jacobian (rows x rows)
  double *inner, *dual, *dual_step, *sharp;                     // (rows)
  double *slowness;                                             // (parts)
  double
      acceptable; // a residual that is enough where sweeps alone do not come nearer soon; 0: none is
  double *weight; // of forces where modes are given: the larger, the more a row carries (rows)
  int *order;
  int most_rows, most_parts;
} hn_friction_problem;

typedef struct hn_friction_report {
  double residual; // largest |p - proj_K(p - rho u~)| over the parts, rho = 1 / W_kk, in units of p
  double scale;    // largest |p| of a solution without friction: what the residual is compared with
  int sweeps, newtons;
  int is_solved; // residual <= tolerance * scale
  int paradoxes; // SLIDING parts whose normal force pushes the bodies together: none or two solutions
} hn_friction_report;

hn_status hn_friction_create(hn_arena *arena, int most_rows, int most_parts,
                             hn_friction_problem *problem);

// p: a start in, the solution out; problem->u: W p + q. tolerance: of the residual, relative.
void hn_friction_solve(hn_friction_problem *problem, double tolerance, double *p,
                       hn_friction_report *report);

// A start in the middle of all solutions that need no forces of points against each other, where rows
// depend on each other: laws alone then leave open how points share their load, and with it which way
// bodies turn that slide. p = 0 where they do not, in paradoxes and in problems of many rows.
void hn_friction_center(hn_friction_problem *problem, double tolerance, double *p);

// The solution with the modes of all parts given (OPEN, STICK, SLIDE): the linear equations of these
// modes, in least norm of p / weight; a part that slides out of rest has the direction that p has
// at the start. rest: what the equations that should hold leave, in units of u.
void hn_friction_solve_grips(hn_friction_problem *problem, const hn_grip *grips, double *p,
                             double *rest);

// u = W p + q.
void hn_friction_velocities(const hn_friction_problem *problem, const double *p, double *u);
// Largest residual of the parts at (p, u); *worst (may be null): which.
double hn_friction_residual(const hn_friction_problem *problem, const double *p, const double *u,
                            int *worst);
// The mode of a part at a solution.
hn_grip hn_friction_grip(const hn_friction_problem *problem, const double *p, const double *u,
                         int part);

#endif
