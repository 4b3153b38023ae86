// Common declarations of the files of friction.h.
#ifndef HN_CONTACT_FRICTION_PRIVATE_H
#define HN_CONTACT_FRICTION_PRIVATE_H

#include "contact/friction.h"

// rho of a part: one over its largest response.
double hn_friction_step(const hn_friction_problem *problem, const hn_friction_part *part);
// d u_N / d p_N of a part that slides: negative in the paradox of Painleve.
double hn_friction_slope(const hn_friction_problem *problem, const hn_friction_part *part);
// Newton's method from p on, as long as the residual falls; *residual is that of the p returned,
// whose velocities are in problem->u. Returns the number of iterations.
int hn_friction_newton(hn_friction_problem *problem, double enough, double *p, double *residual);
// The path through the inside (friction_interior.c), for problems whose *residual stays above enough:
// p and *residual are those of the best that is met, or as they were. scale: of forces.
void hn_friction_interior(hn_friction_problem *problem, double scale, double enough, double *p,
                          double *residual);

#endif
