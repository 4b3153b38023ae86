// Coulomb's law of one contact, smoothed: the projection onto the cone of second order is replaced by
// one that is smooth everywhere. With
//
//   a = (p_N, p_T / mu),   b = (u_N + mu |u_T|, mu u_T)
//
// the law is a = P(a - rho b), P the projection onto |a_T| <= a_N. P_eps has
// (x + sqrt(x^2 + 4 eps^2)) / 2 instead of max(x, 0) on both eigenvalues; its solutions are the
// points a o b = eps^2 / rho of a path that ends, with eps -> 0, in the middle of all solutions,
// and can be followed from anywhere.
#ifndef HN_CONTACT_SMOOTH_H
#define HN_CONTACT_SMOOTH_H

typedef struct hn_smooth_cone {
  double rest[3]; // F = a - P_eps(a - rho b)
  // Newton's equation of the contact: d p + S d u = push
  double s[3][3], push[3];
  double e[3][3], weight[3]; // vectors and lengths by which F is measured: see hn_smooth_size
} hn_smooth_cone;

// slip: |u_T| in b as it was before, a given number; < 0: that of u.
void hn_smooth_cone_of(double mu, double rho, double eps, const double p[3], const double u[3],
                       double slip, hn_smooth_cone *out);
// How far from the path a contact with this F is, in units of eps: F in the metric that the smoothed
// projection has at the cone. Far from the border of its cone a contact is near the path only if F is
// much less than eps.
double hn_smooth_size(const hn_smooth_cone *cone, const double rest[3]);
// F alone.
void hn_smooth_rest(double mu, double rho, double eps, const double p[3], const double u[3],
                    double slip, double rest[3]);

#endif
