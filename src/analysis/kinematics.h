// Motion of a model whose drivers leave no degree of freedom, found without forces.
#ifndef HN_ANALYSIS_KINEMATICS_H
#define HN_ANALYSIS_KINEMATICS_H

#include "equations/equations.h"

// Matrices and vectors of one mechanism, made by the first solve: further times reuse them.
typedef struct hn_kinematics hn_kinematics;
void hn_kinematics_free(hn_kinematics *kinematics); // null is fine

// Positions and velocities at time t, starting from q at time t_now (consistent there); steps of time
// in between are as small as Newton's method asks for. The turns of branches follow. Accelerations and
// reactions come from the equations' `evaluate` at the result. HN_ERROR_MODEL if a degree of freedom is
// left (the message names it), HN_ERROR_CONVERGENCE when the position cannot be reached; then q, qd and
// turns are as on entry. *kinematics: null before the first call, to be freed by the caller.
hn_status hn_kinematics_solve(hn_kinematics **kinematics, hn_equations *equations,
                              const hn_allocator *allocator, double t_now, double t, double *q,
                              double *qd, hn_branches *branches, hn_error *error);

#endif
