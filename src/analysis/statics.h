// Static equilibrium near a given position.
#ifndef HN_ANALYSIS_STATICS_H
#define HN_ANALYSIS_STATICS_H

#include "equations/equations.h"
#include "holon/analysis.h"

// q satisfies Phi(q, t) = 0 on entry; on success it is the equilibrium with velocities zero and the
// branches are those that hold there. On failure q is as on entry. options null: defaults. report
// and error may be null.
hn_status hn_statics_solve(hn_equations *equations, const hn_allocator *allocator, double t,
                           double *q, hn_branches *branches, const hn_statics_options *options,
                           hn_statics_report *report, hn_error *error);

#endif
