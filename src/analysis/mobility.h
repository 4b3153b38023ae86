// Mobility: rank and redundancy of the constraint rows, per biconnected part of the joint graph.
#ifndef HN_ANALYSIS_MOBILITY_H
#define HN_ANALYSIS_MOBILITY_H

#include "equations/equations.h"
#include "holon/analysis.h"

// Fills *mobility at (t, q); free it with hn_mobility_free. Scratch memory from the allocator
// (null: malloc). On failure *mobility is empty.
hn_status hn_mobility_compute(hn_equations *equations, const hn_allocator *allocator, double t,
                              const double *q, const hn_branches *branches, hn_mobility *mobility,
                              hn_error *error);

#endif
