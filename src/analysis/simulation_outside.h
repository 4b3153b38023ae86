// Programs outside of the library in a simulation (model/outside.h): one instance each.
#ifndef HN_ANALYSIS_SIMULATION_OUTSIDE_H
#define HN_ANALYSIS_SIMULATION_OUTSIDE_H

#include "analysis/simulation.h"

hn_status hn_simulation_create_outside(hn_simulation *s); // memory alone
void hn_simulation_free_outside(hn_simulation *s);
void hn_simulation_warn_outside(hn_simulation *s); // of errors that no estimate contains
// Samples program k at the present time; its inputs are signals of the last look.
hn_status hn_simulation_sample_outside(hn_simulation *s, int k);
// The value of a state that a program gives, of its last sample.
double hn_simulation_outside_value(const hn_simulation *s, int state);

#endif
