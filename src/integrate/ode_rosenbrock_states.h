// States of laws and elements in Rosenbrock formulas (ode_rosenbrock.c). Stages k of z go with the
// stages u of velocities, and x1 = h z + g u of positions, by the same numbers:
//
//   (1 - g r_z) k = g (r_y x1 + r_y' u) + w_k,      S u = w + ... + g f_z (1 - g r_z)^-1 w_k
//
// S with the derivatives that go through z (elements/states.h). Derivatives of rates, and of
// accelerations by z, are central differences along the vectors they are multiplied by: laws are
// straight in z, as a rule.
#ifndef HN_INTEGRATE_ODE_ROSENBROCK_STATES_H
#define HN_INTEGRATE_ODE_ROSENBROCK_STATES_H

#include "integrate/ode.h"

typedef struct hn_rosenbrock_states hn_rosenbrock_states;

// Null where the method has no states.
hn_status hn_rosenbrock_states_create(hn_arena *arena, hn_ode *ode,
                                      const hn_rosenbrock_formula *formula,
                                      hn_rosenbrock_states **states);
// At the start of a step, after hn_implicit_open_states.
hn_status hn_rosenbrock_states_begin(hn_rosenbrock_states *states, double h,
                                     const hn_branches *branches);
// z of stage i holds; then, after f was evaluated there, its rates are taken.
void hn_rosenbrock_states_open(hn_rosenbrock_states *states, int i);
void hn_rosenbrock_states_rate(hn_rosenbrock_states *states, double t);
// Adds the contribution of k to the right side w of u (ode->n).
hn_status hn_rosenbrock_states_push(hn_rosenbrock_states *states, int i,
                                    const hn_branches *branches, double *w, hn_error *error);
// k of stage i, from x1 and u.
hn_status hn_rosenbrock_states_close(hn_rosenbrock_states *states, int i, const double *x1,
                                     const double *u, const hn_branches *branches);
// z at the end, which holds, and its error over the tolerance.
double hn_rosenbrock_states_end(hn_rosenbrock_states *states, const hn_tolerance *tolerance);
// Rates at the end as it was evaluated last; then z at theta holds.
void hn_rosenbrock_states_note(hn_rosenbrock_states *states);
void hn_rosenbrock_states_look(const hn_rosenbrock_states *states, double theta);

#endif
