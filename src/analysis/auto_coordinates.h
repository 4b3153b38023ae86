// Coordinates `auto`: which set suits the model; see auto_coordinates.c.
#ifndef HN_ANALYSIS_AUTO_COORDINATES_H
#define HN_ANALYSIS_AUTO_COORDINATES_H

#include "elements/elements.h"
#include "holon/simulation.h"

// The set for these options, and why, in a few words; null: out of memory.
const char *hn_auto_coordinates(const hn_elements *elements, const hn_simulation_options *options,
                                char *reason, size_t size);

#endif
