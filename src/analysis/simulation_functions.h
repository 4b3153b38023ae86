// Functions inside a step (an event source): see simulation_functions.c.
#ifndef HN_ANALYSIS_SIMULATION_FUNCTIONS_H
#define HN_ANALYSIS_SIMULATION_FUNCTIONS_H

#include "analysis/simulation.h"

typedef struct hn_functions hn_functions;

// s->functions, null where no function of the model can hide a feature between the looks of a step.
hn_status hn_functions_create(hn_simulation *s);
// The first function of which the run may have missed a feature, written to text; null: none.
const char *hn_functions_unresolved(const hn_simulation *s, char text[96]);
// Change of velocity along a force by the force and its duration, without constraints: the sum of
// 1/m + r^2/I over its bodies.
double hn_force_compliance(const hn_model *model, int force);
// The same of one body, in any direction at a point in its axes; 0 of the ground.
double hn_force_compliance_at(const hn_model *model, int body, hn_vec3 point);

#endif
