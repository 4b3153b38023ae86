// Delays of a run: states that are what signals were. See simulation_delays.c.
#ifndef HN_ANALYSIS_SIMULATION_DELAYS_H
#define HN_ANALYSIS_SIMULATION_DELAYS_H

#include "analysis/simulation.h"

typedef struct hn_delays hn_delays;

// s->delays, null where the model has none.
hn_status hn_delays_create(hn_simulation *simulation);
// Fills the history before the start with the present values of delayed states.
void hn_delays_start(hn_simulation *simulation);
// Approximations by states of laws instead, at rest with what is there, and back.
void hn_delays_approximate(hn_simulation *simulation, int is_on);
// A step starts: from here on delayed states are read from the history. *any: formulas restart.
void hn_delays_begin(hn_simulation *simulation, int *any);
// A value has jumped at the start of the step.
void hn_delays_jump(hn_simulation *simulation);

// The part of the state that histories are (base/state.h), -1: none; impossible ones are rejected.
int hn_delays_part(const hn_simulation *simulation);
hn_status hn_delays_check(hn_simulation *simulation);

#endif
