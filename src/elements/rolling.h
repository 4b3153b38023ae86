// Signals of a rolling tyre at a state.
#ifndef HN_ELEMENTS_ROLLING_H
#define HN_ELEMENTS_ROLLING_H

#include "elements/elements.h"

enum { HN_ROLLING_QUANTITIES = 13 };

// slip, angle, camber, fx, fy, fz, mx, my, mz, contact point x, y, z, friction; 0 without contact.
void hn_rolling_quantities(const hn_elements *elements, int force, const hn_frame *frames,
                           const double *turns, double t, double out[HN_ROLLING_QUANTITIES]);

// The angular velocity with which the wheel of this force rolls without slip where its center moves with
// `velocity`, on the road or, in the air, by its unloaded radius.
hn_vec3 hn_rolling_spin(const hn_elements *elements, int force, const hn_frame *frames, double t,
                        hn_vec3 velocity);

#endif
