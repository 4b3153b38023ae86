// Forces at rest and how they change with the poses: what statics needs.
#ifndef HN_ANALYSIS_STIFFNESS_H
#define HN_ANALYSIS_STIFFNESS_H

#include "equations/equations.h"

// Forces on all bodies (6 a body without ground: force, torque about the centre of mass), gravity
// among them, at frames without velocities. *potential (J) and *largest (N, or N m: the largest
// single force) may be null.
hn_status hn_forces_at_rest(const hn_elements *elements, double t, const hn_frame *frames,
                            const hn_branches *branches, hn_wrench *scratch, double *forces,
                            double *potential, double *largest);
// reduced (k x k, column-major) = -Z' (dF/dx - d(J' lambda)/dx) Z for small motions x (translation,
// rotation vector), Z (6 bodies x k, column-major): the stiffness along the columns of Z. scratch:
// 6 bodies x k. User forces without derivatives are differentiated numerically; fails where a
// user's force does.
hn_status hn_reduced_stiffness(const hn_elements *elements, double t, const hn_frame *frames,
                               const hn_branches *branches, const double *lambda, const double *z,
                               int k, double *scratch, double *reduced);

#endif
