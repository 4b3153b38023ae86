// Assembly: from the reference configuration and given starts to positions and velocities that
// satisfy every joint and driver at time t.
#ifndef HN_ANALYSIS_ASSEMBLY_H
#define HN_ANALYSIS_ASSEMBLY_H

#include "equations/equations.h"

typedef struct hn_assembly_report {
  int iterations;              // of positions
  double position_change;      // what a body was moved at most, m or rad
  double velocity_change;      // what a given velocity was changed at most, m/s or rad/s
  hn_warning warning;          // about positions; message empty: nothing to say
  hn_warning body_warning;     // a given position or orientation of a body could not hold
  hn_warning velocity_warning; // about velocities
  hn_warning contradiction_warning; // redundant constraints contradict each other a little
  double contradiction;             // by so much, m or rad; 0: they do not
  hn_warning gap_warning;      // a joint was drawn open
  hn_warning inertia_warning;  // a rotation has no inertia and no joint to hold it
  hn_warning stay_note;        // a joint without `initial` had to move with those that have one
  hn_warning stay_rate_note;   // the same of rates
} hn_assembly_report;

// On entry q, qd are those of equations->type->initial and branches any; on success q, qd satisfy
// Phi = 0 and Phi_q qd + Phi_t = 0, turns are those the joints' `initial:` values ask for, and the
// branches are classified. Given positions and velocities of bodies hold exactly where they can,
// and bodies without follow those with; else they change as little as possible (velocities in the
// metric of the masses) with a warning; fixed ones not at all. On failure (HN_ERROR_ASSEMBLY, or
// HN_ERROR_INCONSISTENT when fixed velocities cannot all hold) q and qd are as on entry and *error
// names the joint. Scratch memory comes from the allocator (null: malloc) and is given back. report
// and error may be null.
hn_status hn_assemble(hn_equations *equations, const hn_allocator *allocator, double t, double *q,
                      double *qd, hn_branches *branches, hn_assembly_report *report,
                      hn_error *error);

// Velocities alone, at q: what drivers ask for, everything else at rest where the joints allow it;
// starts of joints and bodies do not count. On failure qd is as on entry.
hn_status hn_assemble_driven(hn_equations *equations, const hn_allocator *allocator, double t,
                             const double *q, double *qd, hn_branches *branches);

#endif
