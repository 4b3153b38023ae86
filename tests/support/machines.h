// Small models built in code, for tests of the engine without files.
#ifndef HN_TESTS_SUPPORT_MACHINES_H
#define HN_TESTS_SUPPORT_MACHINES_H

#include "holon/model.h"

// A point mass of 1 kg on a massless arm of 1 m, pinned at the origin, released level at x = -1;
// gravity 9.81 along -y (IFToMM A01). Body 1, joint 0 "pin".
hn_model *hn_make_pendulum(void);

// N parallelogram four-bars side by side (IFToMM A02): thin rods of 1 m and 1 kg, cranks upright, tips
// moving at 1 m/s along x. Redundant in space, singular twice a turn. Body 1 is the first crank.
hn_model *hn_make_four_bars(int n);
// Their angle from upright: phi'' = G sin(phi), phi(0) = 0, phi'(0) = 1, by a classical Runge-Kutta
// formula with tiny steps.
double hn_four_bars_angle(int n, double time);

// One free rigid body with distinct moments of inertia (1, 2, 3), spinning at w, no forces.
hn_model *hn_make_free_body(hn_vec3 angular_velocity);

// A mass of 1 kg guided along z over a spring of stiffness k with its free end at z = 0.
hn_model *hn_make_oscillator(double stiffness, double damping, double z0);

// An uneven slider-crank in a tilted plane, with gravity, all joints in space (redundant rows).
hn_model *hn_make_slider_crank(void);

#endif
