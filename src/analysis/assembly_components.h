// Assembly of a model level by level, for method components: bodies that are assembled in the
// reference configuration stay, and sealed components take part without being opened.
#ifndef HN_ANALYSIS_ASSEMBLY_COMPONENTS_H
#define HN_ANALYSIS_ASSEMBLY_COMPONENTS_H

#include "equations/equations.h"

// As hn_assemble (assembly.h) on equations of levels.h. HN_RETRY with q and qd as on entry where the
// general assembly does better and can be used: open models that are drawn apart, or with positions or
// velocities given to single bodies.
hn_status hn_assemble_components(hn_equations *equations, const hn_allocator *allocator, double t,
                                 double *q, double *qd, hn_branches *branches, hn_error *error);

#endif
