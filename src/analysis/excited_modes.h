// Fast oscillations that the present state has, by a Krylov space of its accelerations and one of their
// rates; see excited_modes.c.
#ifndef HN_ANALYSIS_EXCITED_MODES_H
#define HN_ANALYSIS_EXCITED_MODES_H

#include "base/arena.h"
#include "holon/simulation.h"

enum { HN_KRYLOV = 6, HN_EXCITED_MODES = 6 };

typedef struct hn_fast_mode {
  double frequency; // rad/s
  double damping;   // fraction of critical
  double size;      // amplitude along x: m or rad
  double *x;        // shape as speeds, the largest is 1, towards the motion (nu)
} hn_fast_mode;

typedef struct hn_fast_excited {
  int count;
  hn_fast_mode mode[HN_EXCITED_MODES]; // the stiffest amplitudes first: frequency^2 size
  double *basis[HN_KRYLOV + 1];        // workspace (nu)
  double *u, *base, *jerk, *moved;     // speeds and accelerations of the state; workspace (nu)
  double *z, *z_rate;                  // workspace (states)
} hn_fast_excited;

// For models with nu speeds and so many states. The arena reports failure.
void hn_fast_excited_create(hn_arena *arena, int nu, int states, hn_fast_excited *excited);
// Oscillations faster than `slowest` (rad/s) and less than critically damped. The state does not change.
void hn_fast_excited_find(hn_simulation *simulation, double slowest, hn_fast_excited *excited);

#endif
