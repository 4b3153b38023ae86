// Contacts that give way within a time step (law `soft`). For the gap g, positive when apart, and its
// rate u the force is that of spring, damper and an inertia m that the law adds:
//
//   p = -h (K g^ + D u^) - m (u+ - u),   0 <= p,
//   g^ = g_m + (theta - 1/2) h u + theta h (u+ - u)/2,   u^ = u + theta (u+ - u)
//
// at the end of the step of a stiff law (theta = 1), as implicit Euler's, which is stable for every
// step; in its middle (theta = 1/2, second order) if the step resolves the law. Solved for u+ it is
// the condition of a rigid contact with a term on the diagonal of the Delassus matrix:
//
//   0 <= u+ + give p + shift,   give = 1 / (m + theta h D + theta h^2 K / 2)
//
// By compliance: K = 1/compliance, D = damping, m = 0. By a time constant T with the damping ratio z,
// relative to the inertia M of the two bodies with their joints, as in MuJoCo (solref, solimp):
//
//   m = M d/(1 - d),   K = m k,   D = m b,   b = 2/(d_w T),   k = d/(d_w T z)^2
//
// d is the impedance at the depth, d_w that at its width; 1/M the sum of the bodies' inverse masses.
#ifndef HN_CONTACT_GIVE_H
#define HN_CONTACT_GIVE_H

#include "holon/contact.h"

typedef struct hn_contact_give {
  double give, shift; // 1/kg, m/s
} hn_contact_give;

// Impedance at a depth (m): fraction of the force, below 1.
double hn_contact_impedance(const hn_contact_def *rule, double depth);
// rule: soft. h: step; response: w, of the point to its own normal impulse (1/kg); gap: in the middle
// of the step, with the velocity at its start; before: rate at the start; inverse_mass: 1/M.
// is_closing: 0, the gap stays open unless others push: only what overlaps then is resisted.
hn_contact_give hn_contact_give_of(const hn_contact_def *rule, double h, double response,
                                   double inverse_mass, double gap, double before, int is_closing);

#endif
