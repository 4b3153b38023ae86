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

// In saved states: bytes (maximum, or actual), written, read; impossible values are rejected.
size_t hn_delays_save_size(const hn_simulation *simulation, int at_most);
unsigned char *hn_delays_save(const hn_simulation *simulation, unsigned char *at);
hn_status hn_delays_restore(hn_simulation *simulation, const unsigned char *at, size_t size);

#endif
