// Exact Coulomb's law of one contact, for the last iterations of Newton's method on many contacts
// (many.h): the equations of Alart and Curnier. With x = p - rho u
//
//   open (x_N <= 0)              p = 0
//   closed                       u_N = 0
//   stick (|x_T| <= mu x_N)      u_T = 0
//   slide                        p_T = mu x_N x_T / |x_T|
//
// They need no start near a path, and where the path of the smoothed laws turns back they usually
// converge.
#ifndef HN_CONTACT_SHARP_H
#define HN_CONTACT_SHARP_H

#include "contact/smooth.h"

// Newton's equation d p + S d u = push of this contact into out. Closed contacts are slightly
// compliant, by `give` / rho of the change of its impulse: indeterminate impulses change little
// then.
void hn_sharp_cone_of(double mu, double rho, double give, const double p[3], const double u[3],
                      hn_smooth_cone *out);
// The square of what the equations leave.
double hn_sharp_rest(double mu, double rho, const double p[3], const double u[3]);

#endif
