// Limits of states, which hold for those inside components of other processes too.
#ifndef HN_MODEL_STATE_H
#define HN_MODEL_STATE_H

#define HN_LEAST_PERIOD 1e-9 // s: a step ends at each sample
// Of one state: which of its rules hold is kept as bits of a number.
enum { HN_MOST_RULES = 30 };

#endif
