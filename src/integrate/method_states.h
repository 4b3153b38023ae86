// States of laws and elements in methods (elements/states.h): common part of all methods. Methods
// keep z next to q and qd; formulas see it as velocities of their own (stages.h).
#ifndef HN_INTEGRATE_METHOD_STATES_H
#define HN_INTEGRATE_METHOD_STATES_H

#include "integrate/method.h"

// Memory of z, next_z and z_rate. Nothing where there are no states.
hn_status hn_method_take_states(hn_arena *arena, hn_method *method);
// z holds from here on.
void hn_method_hold_states(const hn_method *method);
// The rates at the present state. HN_RETRY where a force has no value.
hn_status hn_method_find_rates(hn_method *method, const hn_branches *branches);
// z of a stage of number g that passes through the present state: so matrices there see z as a stage
// does.
void hn_method_follow_states(hn_method *method, double g);
// The root mean square of errors in z over the tolerance; 0 without states.
double hn_method_state_error(const hn_method *method, const double *error,
                             const hn_tolerance *tolerance);

#endif
