// One contact with Coulomb friction: the cone K = { |p_T| <= mu p_N } of its impulse p = (p_N,
// p_T), and the problem
//
//   u = W p + q,   K contains p,   K* contains u~ = u + (mu |u_T|, 0, 0),   p . u~ = 0
//
// with W symmetric positive definite. u is a relative velocity (or acceleration) in the same axes:
// normal first, positive when the bodies move apart. The term mu |u_T| (De Saxce) makes Coulomb's
// law out of a complementarity of cones: the bodies stick, slide against p_T, or part.
#ifndef HN_CONTACT_CONE_H
#define HN_CONTACT_CONE_H

// The nearest point of K. mu >= 0.
void hn_cone_project(double mu, const double x[3], double out[3]);

// |p - proj_K(p - rho u~)|: 0 exactly at a solution, for any rho > 0.
double hn_cone_residual(double mu, double rho, const double p[3], const double u[3]);

typedef enum hn_grip {
  HN_GRIP_OPEN,  // p = 0
  HN_GRIP_STICK, // u = 0
  HN_GRIP_SLIDE  // u_N = 0, p_T = -mu p_N u_T / |u_T|
} hn_grip;

// The exact solution for one contact, w (3 x 3, symmetric). p: out. slowness: where the last
// solution slid, |u_T| / |p_T| of it, a start for the search; written. w not positive definite: as
// far as it goes.
hn_grip hn_cone_solve(double w[3][3], const double q[3], double mu, double *slowness, double p[3]);

#endif
