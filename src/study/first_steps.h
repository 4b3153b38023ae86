// Where something else than the tolerance made steps of a first run short: there a refined run takes
// shorter ones, too.
#ifndef HN_STUDY_FIRST_STEPS_H
#define HN_STUDY_FIRST_STEPS_H

#include "analysis/simulation.h"

enum { HN_FIRST_STEPS = 256 }; // kept; later ones are merged

typedef struct hn_first_steps { // those that the refined run has not passed, a ring
  double end[HN_FIRST_STEPS], size[HN_FIRST_STEPS];
  long from, to;
} hn_first_steps;

// The first run has accepted a step.
void hn_first_steps_note(hn_first_steps *steps, const hn_simulation *first);
// Upper limit (s) of the next step of a run at `time`, whose steps are to be `factor` times those of the
// first run; HUGE_VAL: none.
double hn_first_steps_limit(hn_first_steps *steps, double time, double factor);

#endif
