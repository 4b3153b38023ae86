// Forces of a time-stepped step with contacts (time_stepping.c): impulses over the length of the
// step, stored where signals read them. They are means over the step.
#ifndef HN_INTEGRATE_STEPPING_FORCES_H
#define HN_INTEGRATE_STEPPING_FORCES_H

#include "contact/sweeps.h"
#include "equations/equations.h"

typedef struct hn_stepping_forces {
  int pairs; // listed pairs of shapes that have signals; 0: none
  int *pair; // of these, in the order of their shapes (pairs)
  // entries that are not zero in the snapshot that has these contact states
  struct hn_stepping_written {
    const hn_touch *of;
    int count, *entry; // (pairs x HN_CONTACT_POINTS)
  } written[2];
} hn_stepping_forces;

hn_status hn_stepping_forces_create(hn_arena *arena, const hn_equations *equations,
                                    hn_stepping_forces *forces);
// Into the snapshot at the end of a step of length h.
void hn_stepping_forces_store(hn_stepping_forces *forces, const hn_equations *equations,
                              const hn_sweep_point *points, int count, double h,
                              hn_snapshot *snapshot);
// Adds them to the wrenches of bodies, from which reactions in joints follow when they are read.
void hn_stepping_forces_apply(const hn_sweep_point *points, int count, double h,
                              hn_snapshot *snapshot);
// Of drivers, from the start of the step to its end: impulse of rows (row_count).
double hn_stepping_forces_work(const hn_equations *equations, const double *impulse,
                               const hn_snapshot *begin, const hn_snapshot *end);

#endif
