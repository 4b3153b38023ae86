// Method time-stepping: of rigid contacts that are many. It is chosen by the simulation, not by a
// formula.
#ifndef HN_INTEGRATE_TIME_STEPPING_H
#define HN_INTEGRATE_TIME_STEPPING_H

#include "integrate/method.h"

extern const hn_method_type hn_time_stepping;

#endif
