// Bounds of tables that formulas call (lookup.h): see bounds.h.
#ifndef HN_MATH_BOUNDS_TABLE_H
#define HN_MATH_BOUNDS_TABLE_H

#include "math/bounds.h"
#include "math/lookup.h"

// Of a table at (u, v); adds to the branching.
hn_bounds hn_lookup_bounds(const hn_lookup *table, hn_bounds u, hn_bounds v,
                           hn_branching *branching);

#endif
