// The way of a tendon: load_way.c.
#ifndef HN_FORMATS_LOAD_WAY_H
#define HN_FORMATS_LOAD_WAY_H

#include "formats/fields.h"

// Reads `way:` into the force, whose array lasts as long as the loader; returns its length in the
// reference configuration (m).
double hn_build_way(hn_fields *fields, hn_force_def *def);

#endif
