// The integration Jacobian in independent coordinates, as dense blocks (Negrut 1998, eqs. 3.38-3.45 and
// Appendix A; methods/state-space.md). For the state-space ODE vdd = f(t, v, vd) at a consistent state:
//
//   Mhat = P' M P,   Mhat f_v = -M2,   Mhat f_vd = -M1,   f_t
//   Pi(g) = Mhat + g_v M1 + g_q M2
//
// Pi is the Newton matrix of a state-space stage (stages.h) and, times Mhat^-1, with g_v = g, g_q = g^2,
// the matrix of the first-order form after elimination: (I - g G)(x1, x2) = (r1, r2) is
// Pi x1 = Mhat (r1 + g r2) + g M1 r1, Pi x2 = Mhat r2 - g M2 r1. Blocks are kept, so that other
// numbers only factor again.
//
// Columns are independent of each other: they are computed on threads, with the same bits for any
// number of them.
#ifndef HN_INTEGRATE_REDUCED_JACOBIAN_H
#define HN_INTEGRATE_REDUCED_JACOBIAN_H

#include "base/threads.h"
#include "integrate/formula.h"
#include "integrate/reduction.h"

typedef struct hn_reduced_jacobian hn_reduced_jacobian;

hn_status hn_reduced_jacobian_create(hn_arena *arena, hn_reduction *reduction, hn_tangent *tangent,
                                     hn_reduced_jacobian **jacobian);
// From the full tangent (hn_tangent_full) and E (hn_reduction_factor) of one and the same consistent
// state, whose qd the caller gives once more. threads may be null.
hn_status hn_reduced_jacobian_renew(hn_reduced_jacobian *jacobian, const double *qd,
                                    hn_threads *threads);
hn_status hn_reduced_jacobian_factor(hn_reduced_jacobian *jacobian, hn_step_numbers g); // Pi(g)
void hn_reduced_jacobian_solve(const hn_reduced_jacobian *jacobian, double *x); // Pi^-1 x in place
void hn_reduced_jacobian_filter(hn_reduced_jacobian *jacobian, double *r1, double *r2); // in place
// y = Mhat x, M1 x or M2 x
typedef enum hn_reduced_block {
  HN_REDUCED_MASS,
  HN_REDUCED_DAMPING,
  HN_REDUCED_STIFFNESS
} hn_reduced_block;
void hn_reduced_jacobian_multiply(const hn_reduced_jacobian *jacobian, hn_reduced_block block,
                                  const double *x, double *y);
// Column j of a block becomes Mhat x, Mhat f_t Mhat x: of accelerations that the tangent does not know.
void hn_reduced_jacobian_set_column(hn_reduced_jacobian *jacobian, hn_reduced_block block, int j,
                                    const double *x);
void hn_reduced_jacobian_set_f_t(hn_reduced_jacobian *jacobian, const double *x);
const double *hn_reduced_jacobian_f_t(const hn_reduced_jacobian *jacobian); // Mhat f_t (size)

#endif
