// Method time-stepping: of rigid contacts that are many. It is chosen by the simulation, not by a
// formula.
#ifndef HN_INTEGRATE_TIME_STEPPING_H
#define HN_INTEGRATE_TIME_STEPPING_H

#include "contact/sweeps.h"
#include "integrate/method.h"

extern const hn_method_type hn_time_stepping;

// The residual that steps are solved to, of the weight of a body in a step, where it is not 1e-6.
void hn_time_stepping_ask(hn_method *method, double residual);
// Contact forces at the present of `method` become those of the last step of `from`, which may be the
// same: signals read them, steps do not. Nothing where one of them is of another type.
void hn_time_stepping_show(hn_method *method, const hn_method *from);
// The points that took part in the last step, with their impulses; how many.
int hn_time_stepping_points(const hn_method *method, const hn_sweep_point **points);

#endif
