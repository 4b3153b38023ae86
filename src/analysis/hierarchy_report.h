// Report of the levels of a model.
#ifndef HN_ANALYSIS_HIERARCHY_REPORT_H
#define HN_ANALYSIS_HIERARCHY_REPORT_H

#include "analysis/simulation.h"

// Mobility of a model with sealed components: its rank is the sum over all levels.
hn_status hn_mobility_of_levels(hn_simulation *simulation, hn_mobility *mobility);

#endif
