// Limits of states, which hold for those inside components of other processes too.
#ifndef HN_MODEL_STATE_H
#define HN_MODEL_STATE_H

#include "holon/model.h"

#define HN_LEAST_PERIOD 1e-9 // s: a step ends at each sample
// Of one state: which of its rules hold is kept as bits of a number.
enum { HN_MOST_RULES = 30 };

// How many derivatives later than what it is made of a signal bends. Positions follow from forces by two
// integrations, speeds and states by one; jumps 1: velocities may jump.
double hn_model_signal_rise(const hn_model *model, const hn_law *law, int jumps);

#endif
