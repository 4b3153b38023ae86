// Friction of contacts with a force law, per newton of normal force: smooth, or with bristles.
//
// With slip v, s = |v| and mu(s) = mu + (mu_s - mu) exp(-(s/v_s)^2):
//
//   smooth    tau = mu(s) tanh(s/v_t) v / s
//   bristles  z' = v - b z,  b = s0 s/mu(s),  tau = s0 z + s1 z' + s2 v          (LuGre)
//
// z lies in the tangent plane and turns with body 1 of the pair. With states that follow (states.h),
// z - g z' = hat: z = (P hat + g v)/(1 + g b), P the projection onto the tangent plane.
#ifndef HN_ELEMENTS_CONTACT_RUB_H
#define HN_ELEMENTS_CONTACT_RUB_H

#include "holon/contact.h"
#include "math/frame.h"

typedef struct hn_rub {
  hn_vec3 value; // tau
  hn_vec3 slip;  // v
  // smooth
  double phi, phi_s; // tau = phi v; phi'(s)/s
  // bristles
  int has_bristles;
  double g, b, b_s; // b'(s)/s, 0 at rest
  hn_vec3 hat, z;   // hat: global axes
  double stiffness, damping, viscous;
} hn_rub;

static inline int hn_contact_has_bristles(const hn_contact_def *rule) {
  return rule->bristle_stiffness > 0 && rule->friction > 0;
}

// hat: of the bristle, global axes, m; not read without bristles.
hn_rub hn_rub_of(const hn_contact_def *rule, hn_vec3 slip, hn_vec3 normal, double g, hn_vec3 hat);
// z' of it.
hn_vec3 hn_rub_bristle_rate(const hn_rub *rub);
// How tau changes with the normal, the slip and hat.
hn_vec3 hn_rub_change(const hn_rub *rub, hn_vec3 normal, hn_vec3 d_normal, hn_vec3 d_slip,
                      hn_vec3 d_hat);

#endif
