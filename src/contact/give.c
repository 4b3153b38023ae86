// Compliance of contacts within a time step (give.h).
#include "contact/give.h"

#include <math.h>

#include "math/elementary.h"

#define RESOLVED 0.5    // h^2 K / M and h D / M up to which theta is 1/2
#define LARGEST 0.9999  // impedance: the law keeps a compliance
#define SMALLEST 0.0001 // ...
#define NEAREST 1e-4    // midpoint of the impedance, from 0 and from 1
#define NOTHING 1e30    // give of a point without force

double hn_contact_impedance(const hn_contact_def *rule, double depth) {
  const double *d = rule->impedance, power = d[4];
  const double middle = fmin(fmax(d[3], NEAREST), 1 - NEAREST);
  const double x = d[2] > 0 ? fmin(fabs(depth) / d[2], 1) : 1;
  double y = x;
  if (power > 1 && x < 1)
    y = x <= middle ? middle * hn_pow(x / middle, power)
                    : 1 - (1 - middle) * hn_pow((1 - x) / (1 - middle), power);
  return fmin(fmax(d[0] + y * (d[1] - d[0]), SMALLEST), LARGEST);
}

static double theta_of(double z) { return z > 2 * RESOLVED ? 1 - RESOLVED / z : 0.5; }

hn_contact_give hn_contact_give_of(const hn_contact_def *rule, double h, double response,
                                   double inverse_mass, double gap, double before, int is_closing) {
  double k = 0, d = 0, m = 0;
  if (rule->time_constant > 0) {
    const double part = hn_contact_impedance(rule, fmin(gap, 0));
    const double wide = fmin(fmax(rule->impedance[1], SMALLEST), LARGEST);
    const double b = 2 / (wide * rule->time_constant), rate = 0.5 * b / rule->damping_ratio;
    m = inverse_mass > 0 ? part / ((1 - part) * inverse_mass) : 0;
    k = m * part * rate * rate;
    d = m * b;
  } else {
    k = 1 / rule->compliance;
    d = fmax(rule->damping, 0);
  }
  const double inertia = m + (response > 0 ? 1 / response : 0);
  if (!is_closing) d = m = 0;
  const double of_k = inertia > 0 ? theta_of(h * h * k / inertia) : 1;
  const double of_d = inertia > 0 ? theta_of(h * d / inertia) : 1;
  const double weight = m + of_d * h * d + 0.5 * of_k * h * h * k;
  const double start =
      -m * before + h * d * (1 - of_d) * before + h * k * (gap - 0.5 * h * (1 - of_k) * before);
  if (!(weight > 0)) return (hn_contact_give){.give = NOTHING}; // no inertia to be relative to
  return (hn_contact_give){1 / weight, start / weight};
}
