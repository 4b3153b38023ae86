// One contact with the exact law (sharp.h). Along e = x_T / |x_T| a sliding contact has p_T = mu
// p_N; across it, with share = mu x_N / |x_T|, (1 - share) d p + share rho d u = -p.
#include "contact/sharp.h"

#include <math.h>
#include <string.h>

static void slide(double mu, double rho, double give, const double p[3], const double x[3],
                  hn_smooth_cone *out) {
  const double size = sqrt(x[1] * x[1] + x[2] * x[2]), share = mu * x[0] / size;
  const double e[2] = {x[1] / size, x[2] / size}, t[2] = {-e[1], e[0]};
  const double rest = fmax(1 - share, give);
  const double along = mu * (p[0] + out->push[0]) - (e[0] * p[1] + e[1] * p[2]);
  const double across = -(t[0] * p[1] + t[1] * p[2]) / rest;
  for (int i = 0; i < 2; i++) {
    out->push[1 + i] = along * e[i] + across * t[i];
    out->s[1 + i][0] = mu * out->s[0][0] * e[i];
    for (int j = 0; j < 2; j++) out->s[1 + i][1 + j] = share * rho / rest * t[i] * t[j];
  }
}

void hn_sharp_cone_of(double mu, double rho, double give, const double p[3], const double u[3],
                      hn_smooth_cone *out) {
  const double stiff = rho / give;
  double x[3];
  for (int i = 0; i < 3; i++) {
    x[i] = p[i] - rho * u[i];
    out->push[i] = -p[i];
  }
  memset(out->s, 0, sizeof out->s);
  if (!(x[0] > 0)) return;
  const int sticks = mu > 0 && sqrt(x[1] * x[1] + x[2] * x[2]) <= mu * x[0];
  for (int i = 0; i < (sticks ? 3 : 1); i++) {
    out->s[i][i] = stiff;
    out->push[i] = -stiff * u[i];
  }
  if (!sticks && mu > 0) slide(mu, rho, give, p, x, out);
}

double hn_sharp_rest(double mu, double rho, const double p[3], const double u[3]) {
  const double x[3] = {p[0] - rho * u[0], p[1] - rho * u[1], p[2] - rho * u[2]};
  const double normal = fmax(0, x[0]), size = sqrt(x[1] * x[1] + x[2] * x[2]);
  const double scale = size > mu * normal ? mu * normal / size : 1;
  const double rest[3] = {p[0] - normal, p[1] - scale * x[1], p[2] - scale * x[2]};
  return rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2];
}
