// Common part of the explicit formulas of method first-order: the ODE y = (q, u, work), y' = (qd,
// ud, power) with accelerations from the augmented system, and the projection of a state onto the
// constraints.
#ifndef HN_INTEGRATE_PROJECTED_ODE_H
#define HN_INTEGRATE_PROJECTED_ODE_H

#include "integrate/method.h"

typedef struct hn_projected_ode {
  hn_method *method;
  int n;              // nq + nu + states + 1: q, u, z, work
  int nz;             // states
  double *rates;      // qd of the state evaluated last (nq)
  double *change;     // by the last projection, of q and u (nq + nu)
  double *spare;      // speeds before a projection (nu)
  double *correction; // of qd (nq)
} hn_projected_ode;

// Memory of the method's base too, but for next_q, which is the caller's end state.
hn_status hn_projected_ode_create(hn_arena *arena, hn_method *method, hn_projected_ode *ode);
// The present state as one vector: u always comes from qd, so that a restarted run sees the same bits.
void hn_projected_ode_load(const hn_projected_ode *ode, double *y);
// q and qd of a state, work too unless null.
void hn_projected_ode_unload(const hn_projected_ode *ode, const double *y, double *q, double *qd,
                             double *work);
// Evaluates the present state (method->now); its slope into k.
hn_status hn_projected_ode_begin(hn_projected_ode *ode, const hn_branches *branches, double *k,
                                 hn_error *error);
// The slope at a state inside a step. Such states leave the constraints a little; near a singular
// position that little is divided by a small number, so there y is brought back first.
hn_status hn_projected_ode_inside(hn_projected_ode *ode, double t, double *y,
                                  const hn_branches *branches, const hn_tolerance *tolerance,
                                  double *k, hn_error *error);
// Projects the end y of a step and evaluates it: method->next, next_qd; its slope into k.
hn_status hn_projected_ode_end(hn_projected_ode *ode, double t, double *y,
                               const hn_branches *branches, const hn_tolerance *tolerance,
                               double *k, hn_error *error);
// Adds the change by that projection to the error (n - 1), except at a singular configuration,
// where the released rows vary at random.
void hn_projected_ode_add_change(const hn_projected_ode *ode, double *error);
// The end y of the attempted step becomes the present state.
void hn_projected_ode_accept(hn_projected_ode *ode, double *y);

#endif
