// Functions that cannot be examined inside a step (an event source): user forces in C, Python or
// other programs, sealed components.
#ifndef HN_ANALYSIS_SIMULATION_OPAQUE_H
#define HN_ANALYSIS_SIMULATION_OPAQUE_H

#include "analysis/simulation.h"

// How many there are, and the name of each, for messages: "force 'push'". Writes to text.
int hn_opaque_count(const hn_model *model);
void hn_opaque_tell(hn_simulation *s); // notes, once
const char *hn_opaque_name(const hn_model *model, int index, char *text, size_t size);

#endif
