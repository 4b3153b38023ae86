// Forces at rest and how they change with the poses: what statics needs.
#ifndef HN_ANALYSIS_STIFFNESS_H
#define HN_ANALYSIS_STIFFNESS_H

#include "equations/equations.h"

// Forces on all bodies (6 a body without ground: force, torque about the center of mass), gravity
// among them, at frames without velocities. *potential (J) and *largest (N, or N m: the largest
// single force) may be null.
hn_status hn_forces_at_rest(const hn_elements *elements, double t, const hn_frame *frames,
                            const hn_branches *branches, hn_wrench *scratch, double *forces,
                            double *potential, double *largest);
// K = -(dF/dx - d(J' lambda)/dx) for small motions x (translation, rotation vector), in blocks of
// bodies (from 1); a pair may come several times, and its blocks add up. User forces without
// derivatives are differentiated numerically; fails where a user's force does.
typedef void hn_take_block(void *context, int row_body, int column_body, double block[6][6]);
hn_status hn_stiffness_blocks(const hn_elements *elements, double t, const hn_frame *frames,
                              const hn_branches *branches, const double *lambda,
                              hn_take_block *take, void *context);
// reduced (k x k, column-major) = Z' K Z, Z (6 bodies x k, column-major): the stiffness along the
// columns of Z. scratch: 6 bodies x k.
hn_status hn_reduced_stiffness(const hn_elements *elements, double t, const hn_frame *frames,
                               const hn_branches *branches, const double *lambda, const double *z,
                               int k, double *scratch, double *reduced);

#endif
