// Independent coordinates: which combinations v = V' q of the coordinates a method integrates, and how
// the others follow from the constraints.
//
//   partition       V picks coordinates: those left after Gaussian elimination with full pivoting of
//                   Phi_q, inside each biconnected part of the joint graph   (Negrut 1998, ch. 3.1)
//   tangent-plane   V = Q2 of Phi_q' = [Q1 Q2] [R1; 0], part by part           (his Appendix B)
//
// Both are one thing to methods: with E = [Phi_q; V'] (rows that depend on others left out), which is
// square and regular,
//
//   E^-1 = [Z P]:   Phi_q P = 0,  V' P = 1,  Phi_q Z = 1,  V' Z = 0
//   positions       E dq  = [-Phi; v - V' q]        by Newton's method
//   velocities      E qd  = [-Phi_t; vd]
//   accelerations   E qdd = [tau; vdd]
//
// P are the columns [H; 1] of the thesis, Z those of Phi_u^-1. V stays until hn_reduction_select is
// called again; formulas keep their memory in the full q, qd, qdd, so nothing is lost then.
#ifndef HN_INTEGRATE_REDUCTION_H
#define HN_INTEGRATE_REDUCTION_H

#include "equations/tangent.h"
#include "integrate/memory.h"

typedef struct hn_reduction hn_reduction;

// kind: one of HN_INDEPENDENT_REDUCED (method.h). The tangent is shared with the caller; functions that
// evaluate say so. All memory is taken here.
hn_status hn_reduction_create(hn_arena *arena, hn_equations *equations, hn_tangent *tangent,
                              unsigned kind, hn_reduction **reduction);

// Chooses V at this consistent state and factors E there. Evaluates the tangent (basic). HN_RETRY
// or HN_ERROR_SINGULAR if there is no choice (see find_weakness).
hn_status hn_reduction_select(hn_reduction *reduction, double t, const double *q, const double *qd,
                              const hn_branches *branches, hn_error *error);
int hn_reduction_size(const hn_reduction *reduction); // degrees of freedom, of the last choice
int hn_reduction_most(const hn_reduction *reduction); // never more: what memory is taken for
// Whether the condition of E (an estimate, at its last factorization) or the size of P has grown past
// 1.25 times that at the last choice: then choose again between steps.
int hn_reduction_is_worn(hn_reduction *reduction);
// That estimate, the largest of the parts; HUGE_VAL where a part of many bodies has none.
double hn_reduction_condition(hn_reduction *reduction);
// At any state: the row of the elements (or -1) nearest to depending on others, redundant ones
// apart, and how near, 0 to 1. For messages: choose again afterwards.
double hn_reduction_find_weakness(hn_reduction *reduction, double t, const double *q,
                                  const hn_branches *branches, int *row);
// 1 for rows left out because they depend on others (rows of the tangent).
const unsigned char *hn_reduction_left_out(const hn_reduction *reduction);

// The last choice with what it was made from, and where E was factored last, are fields of the state
// (memory.h). After they were read: that choice, made again, where there is one; and E.
hn_status hn_reduction_select_again(hn_reduction *reduction);
hn_status hn_reduction_factor_again(hn_reduction *reduction);

// v = V' x (n -> size) and x = V v.
void hn_reduction_restrict(const hn_reduction *reduction, const double *x, double *v);
void hn_reduction_spread(const hn_reduction *reduction, const double *v, double *x);

// E from the present Phi_q of the tangent.
hn_status hn_reduction_factor(hn_reduction *reduction);
// q with V' q = v and |Phi| <= tolerance, starting from q; E as last factored is renewed only when
// the iteration is slow. Evaluates the tangent (basic). HN_RETRY_CONVERGENCE if there is no
// solution nearby.
hn_status hn_reduction_positions(hn_reduction *reduction, double t, double *q, const double *v,
                                 const hn_branches *branches, double tolerance);
// With E as last factored and the present Phi_t, tau of the tangent:
void hn_reduction_velocities(hn_reduction *reduction, const double *vd, double *qd);
void hn_reduction_accelerations(hn_reduction *reduction, const double *vdd, double *qdd);
void hn_reduction_image(hn_reduction *reduction, const double *v, double *x);   // x = P v
void hn_reduction_project(hn_reduction *reduction, const double *f, double *w); // w = P' f
void hn_reduction_multipliers(hn_reduction *reduction, const double *f,
                              double *y); // y = Z' f (rows)

// The same for several threads at once, each with its own work space of hn_reduction_work numbers:
// E x = [c; w] and E' [y; z] = f. c, w, y, z may be null: zero, or not wanted.
int hn_reduction_work(const hn_reduction *reduction);
int hn_reduction_is_serial(const hn_reduction *reduction); // 1: not for several threads after all
void hn_reduction_solve(const hn_reduction *reduction, const double *c, const double *w, double *x,
                        double *work);
void hn_reduction_solve_transposed(const hn_reduction *reduction, const double *f, double *y,
                                   double *z, double *work);

#endif
