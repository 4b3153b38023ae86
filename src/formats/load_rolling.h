// Handling tyres, and surfaces they roll on.
#ifndef HN_FORMATS_LOAD_ROLLING_H
#define HN_FORMATS_LOAD_ROLLING_H

#include "formats/fields.h"

// Reads the property file and the keys next to it; returns the spin axis in the reference
// configuration. The tyre is the caller's until the model has it.
hn_vec3 hn_build_rolling_tyre(hn_fields *fields, hn_force_def *def);

// The surface of a road that is one, the caller's until the model has it; null after a failure.
hn_road_surface *hn_build_surface(hn_fields *fields);
// Friction of any road.
void hn_build_friction(hn_fields *fields, hn_road_def *def);

#endif
