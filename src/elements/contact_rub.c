// Friction of contacts with a force law: see contact_rub.h.
#include "elements/contact_rub.h"

#include <math.h>

#include "math/elementary.h"
#include "model/contact.h"

// mu(s) and mu'(s)/s.
static double coefficient(const hn_contact_def *c, double s, double *mu_s) {
  double y = s / c->stribeck;
  double extra = (hn_contact_static_friction(c) - c->friction) * hn_exp(-y * y);
  *mu_s = -2 * extra / (c->stribeck * c->stribeck);
  return c->friction + extra;
}

// phi(s) and phi'(s)/s; both are finite at rest.
static void smooth(const hn_contact_def *c, double s, hn_rub *rub) {
  double v = c->transition, x = s / v, mu_s, mu = coefficient(c, s, &mu_s);
  double ratio, ratio_d; // tanh(x)/x, and its derivative over x
  if (x < 0.02) {
    double q = x * x;
    ratio = 1 - q / 3 + 2 * q * q / 15;
    ratio_d = -2.0 / 3 + 8 * q / 15;
  } else {
    double t = hn_tanh(x);
    ratio = t / x;
    ratio_d = ((1 - t * t) / x - t / (x * x)) / x;
  }
  rub->phi = mu * ratio / v;
  rub->phi_s = mu * ratio_d / (v * v * v) + mu_s * ratio / v;
  rub->value = vec3_scale(rub->phi, rub->slip);
}

static hn_vec3 in_plane(hn_vec3 normal, hn_vec3 x) {
  return vec3_add_scaled(x, -vec3_dot(normal, x), normal);
}

static double damping_of(const hn_contact_def *c) {
  return c->bristle_damping >= 0 ? c->bristle_damping : 2 * sqrt(c->bristle_stiffness / 9.81);
}

static void bristles(const hn_contact_def *c, double s, hn_vec3 normal, hn_rub *rub) {
  double mu_s, mu = coefficient(c, s, &mu_s);
  rub->has_bristles = 1;
  rub->stiffness = c->bristle_stiffness;
  rub->damping = damping_of(c);
  rub->viscous = c->viscous_friction;
  rub->b = rub->stiffness * s / mu;
  rub->b_s = s > 0 ? rub->stiffness * (mu / s - s * mu_s) / (mu * mu) : 0;
  hn_vec3 y = vec3_add_scaled(in_plane(normal, rub->hat), rub->g, rub->slip);
  rub->z = vec3_scale(1 / (1 + rub->g * rub->b), y);
  hn_vec3 sum = vec3_scale(rub->stiffness, rub->z);
  sum = vec3_add_scaled(sum, rub->damping, hn_rub_bristle_rate(rub));
  rub->value = vec3_add_scaled(sum, rub->viscous, rub->slip);
}

hn_rub hn_rub_of(const hn_contact_def *rule, hn_vec3 slip, hn_vec3 normal, double g, hn_vec3 hat) {
  hn_rub rub = {.slip = slip, .g = g, .hat = hat};
  double s = vec3_norm(slip);
  if (hn_contact_has_bristles(rule))
    bristles(rule, s, normal, &rub);
  else if (rule->friction > 0 || hn_contact_static_friction(rule) > 0)
    smooth(rule, s, &rub);
  return rub;
}

hn_vec3 hn_rub_bristle_rate(const hn_rub *rub) {
  return vec3_add_scaled(rub->slip, -rub->b, rub->z);
}

hn_vec3 hn_rub_change(const hn_rub *rub, hn_vec3 normal, hn_vec3 d_normal, hn_vec3 d_slip,
                      hn_vec3 d_hat) {
  double along = vec3_dot(rub->slip, d_slip);
  if (!rub->has_bristles)
    return vec3_add_scaled(vec3_scale(rub->phi, d_slip), rub->phi_s * along, rub->slip);
  double d_b = rub->b_s * along;
  hn_vec3 d_y = vec3_add_scaled(in_plane(normal, d_hat), -vec3_dot(normal, rub->hat), d_normal);
  d_y = vec3_add_scaled(d_y, -vec3_dot(d_normal, rub->hat), normal);
  d_y = vec3_add_scaled(d_y, rub->g, d_slip);
  hn_vec3 d_z = vec3_scale(1 / (1 + rub->g * rub->b), vec3_add_scaled(d_y, -rub->g * d_b, rub->z));
  hn_vec3 d_rate = vec3_add_scaled(vec3_add_scaled(d_slip, -rub->b, d_z), -d_b, rub->z);
  hn_vec3 d_sum = vec3_add_scaled(vec3_scale(rub->stiffness, d_z), rub->damping, d_rate);
  return vec3_add_scaled(d_sum, rub->viscous, d_slip);
}
