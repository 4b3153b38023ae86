// The fastest oscillation of a model, excited or not, and the explicit step that it limits; see
// fast_modes.c.
#ifndef HN_ANALYSIS_FAST_MODES_H
#define HN_ANALYSIS_FAST_MODES_H

#include "holon/simulation.h"

// Allocates the estimate. The arena records failure.
void hn_fast_modes_create(hn_simulation *simulation);
// The largest step (s) at which dopri5 does not let the fastest oscillation at the present state grow;
// HUGE_VAL where none is found. It depends on that state alone; steps do not depend on the look.
double hn_stable_step(hn_simulation *simulation);

#endif
