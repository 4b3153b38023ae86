// One contact, smoothed (smooth.h). The derivative of P_eps has the eigenvectors (1, -t), (1, t) and
// (0, t'), t along x_T and t' across; its eigenvalues are between 0 and 1. With D = P' / (1 - P')
// Newton's equation is d a + rho D d b = -(1 - P')^-1 F.
#include "contact/smooth.h"

#include <math.h>
#include <string.h>

#define STIFFEST 1e-9 // least 1 - P': compliance of closed contacts within an iteration
#define ROUND 0.1     // |u_T| is smooth below this fraction of b

typedef struct spectrum {
  double t[2];            // direction of x_T
  double value[3];        // g of both eigenvalues
  double slope[3], co[3]; // P' and 1 - P' on the three vectors
} spectrum;

static double positive_part(double x, double eps) {
  const double root = sqrt(x * x + 4 * eps * eps);
  return x > 0 ? 0.5 * (x + root) : 2 * eps * eps / (root - x);
}

static void make_spectrum(const double x[3], double eps, spectrum *s) {
  const double size = sqrt(x[1] * x[1] + x[2] * x[2]);
  const double low = x[0] - size, high = x[0] + size;
  s->t[0] = size > 0 ? x[1] / size : 1;
  s->t[1] = size > 0 ? x[2] / size : 0;
  for (int i = 0; i < 2; i++) {
    const double at = i == 0 ? low : high, root = sqrt(at * at + 4 * eps * eps);
    s->value[i] = positive_part(at, eps);
    s->slope[i] = s->value[i] / root;
    s->co[i] = positive_part(-at, eps) / root;
  }
  const int is_double = !(size > 1e-8 * (fabs(x[0]) + eps));
  s->slope[2] = is_double ? s->slope[1] : (s->value[1] - s->value[0]) / (2 * size);
  s->co[2] =
      is_double ? s->co[1] : (positive_part(-low, eps) - positive_part(-high, eps)) / (2 * size);
}

typedef struct scaled {
  double a[3], x[3];
  double along[2]; // d |u_T| / d u_T
} scaled;

static void scale(double mu, double rho, double eps, const double p[3], const double u[3],
                  double given, scaled *s) {
  const double little = ROUND * eps * eps / (eps + fabs(p[0])) / rho; // as small as b on the path
  const double size = sqrt(u[1] * u[1] + u[2] * u[2] + little * little);
  const int is_given = given >= 0;
  const double slip = is_given ? given : size;
  s->a[0] = p[0];
  s->x[0] = p[0] - rho * (u[0] + mu * slip);
  for (int i = 0; i < 2; i++) {
    s->a[1 + i] = mu > 0 ? p[1 + i] / mu : 0;
    s->x[1 + i] = s->a[1 + i] - rho * mu * u[1 + i];
    s->along[i] = is_given ? 0 : u[1 + i] / size;
  }
}

static void rest_of(double mu, const scaled *c, const spectrum *s, double f[3]) {
  const double mean = 0.5 * (s->value[0] + s->value[1]), half = 0.5 * (s->value[1] - s->value[0]);
  f[0] = c->a[0] - mean;
  for (int i = 0; i < 2; i++) f[1 + i] = mu > 0 ? c->a[1 + i] - half * s->t[i] : 0;
}

void hn_smooth_rest(double mu, double rho, double eps, const double p[3], const double u[3],
                    double slip, double rest[3]) {
  scaled c;
  spectrum s;
  scale(mu, rho, eps, p, u, slip, &c);
  make_spectrum(c.x, eps, &s);
  rest_of(mu, &c, &s, rest);
}

double hn_smooth_size(const hn_smooth_cone *cone, const double rest[3]) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double along = 0;
    for (int i = 0; i < 3; i++) along += cone->e[k][i] * rest[i];
    sum += along * along * cone->weight[k];
  }
  return sqrt(sum);
}

// The matrix with these values on the vectors (1, -t), (1, t), (0, t').
static void spread(const double value[3], const double t[2], double m[3][3]) {
  const double mean = 0.5 * (value[0] + value[1]), half = 0.5 * (value[1] - value[0]);
  m[0][0] = mean;
  m[0][1] = m[1][0] = half * t[0];
  m[0][2] = m[2][0] = half * t[1];
  m[1][1] = value[2] + (mean - value[2]) * t[0] * t[0];
  m[2][2] = value[2] + (mean - value[2]) * t[1] * t[1];
  m[1][2] = m[2][1] = (mean - value[2]) * t[0] * t[1];
}

void hn_smooth_cone_of(double mu, double rho, double eps, const double p[3], const double u[3],
                       double slip, hn_smooth_cone *out) {
  scaled c;
  spectrum s;
  double ratio[3], inverse[3], d[3][3], g[3][3], *f = out->rest;
  scale(mu, rho, eps, p, u, slip, &c);
  make_spectrum(c.x, eps, &s);
  rest_of(mu, &c, &s, f);
  const double root = sqrt(0.5);
  const double e[3][3] = {{root, -root * s.t[0], -root * s.t[1]},
                          {root, root * s.t[0], root * s.t[1]},
                          {0, -s.t[1], s.t[0]}};
  memcpy(out->e, e, sizeof e);
  for (int k = 0; k < 3; k++) {
    inverse[k] = 1 / fmax(s.co[k], STIFFEST);
    ratio[k] = rho * s.slope[k] * inverse[k];
    out->weight[k] = inverse[k] / fmax(s.slope[k], STIFFEST);
  }
  spread(ratio, s.t, d);
  spread(inverse, s.t, g);
  // back to p and u: d p = A^-1 d a, d b = C d u
  for (int i = 0; i < 3; i++) {
    const double to_p = i == 0 ? 1 : mu;
    out->push[i] = -to_p * (g[i][0] * f[0] + g[i][1] * f[1] + g[i][2] * f[2]);
    out->s[i][0] = to_p * d[i][0];
    out->s[i][1] = to_p * mu * (d[i][1] + d[i][0] * c.along[0]);
    out->s[i][2] = to_p * mu * (d[i][2] + d[i][0] * c.along[1]);
  }
}
