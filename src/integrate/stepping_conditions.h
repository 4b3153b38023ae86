// Constraints with conditions of a time-stepped step on a model with joints: contact points, rigid
// stops, dry friction of joints and knife edges, solved together (contact/delassus.h).
//
//   stops          0 <= u+ + shift, 0 <= p, p (u+ + shift) = 0; shift: gap / h, or of restitution
//   dry friction   |p| <= h limit against u+; at rest the limit of sticking, else that of sliding
//   knife edges    u+ = 0
#ifndef HN_INTEGRATE_STEPPING_CONDITIONS_H
#define HN_INTEGRATE_STEPPING_CONDITIONS_H

#include "contact/friction.h"
#include "contact/rows.h"
#include "equations/stepping.h"
#include "integrate/method.h"

typedef struct hn_stepping_conditions {
  hn_stepper *stepper;
  hn_delassus dense;    // of stepper->most conditions at most
  hn_contact_rows rows; // of more, made when they are first needed
  hn_delassus *problem; // which of them it is in this step; null: neither
  int capacity, are_rows_small;
  hn_stepping_condition *condition; // (capacity)
  double *before;                   // normal speed at the start (capacity)
  double *shift;                    // added to the normal speed (capacity)
  int points, count;                // those of points come first
  int *of_point;                    // point of a condition (capacity)
  int *is_forced;                   // a stop that impulses elsewhere drive through (extra_count)
  int extra_count;
  hn_stepping_extra *read; // (extra_count)
  int *extra;              // of conditions that follow the points (capacity)
  double *give;            // added to a velocity per impulse (capacity)
  int extras, spins;       // of the conditions; spins come last
  double *impulse;         // of extras in the last step (extra_count)
  int *rests;              // 1: a joint with friction was at rest after it (extra_count)
  int is_bounded;          // in real time
  int is_poisson;          // some contact returns impulses
  int has_stalled;         // Newton's method, in this step
  hn_friction_problem few; // of returned impulses
  double work;             // that stops, friction and edges did in the step
} hn_stepping_conditions;

// is_bounded: in real time, where memory does not grow.
hn_status hn_stepping_conditions_create(hn_arena *arena, hn_stepper *stepper, int is_bounded,
                                        hn_stepping_conditions *conditions);
// The next step starts without impulses of the last one.
void hn_stepping_conditions_forget(hn_stepping_conditions *conditions);
// Lists for this many contact points.
hn_status hn_stepping_conditions_reserve(hn_arena *arena, int points,
                                         hn_stepping_conditions *conditions);
// Rows that the last solution, which returned HN_RETRY, lacked. HN_RETRY: none.
hn_status hn_stepping_conditions_extend(hn_arena *arena, hn_stepping_conditions *conditions);
// Solves all of them: impulses of the points, velocities of bodies. HN_ERROR_LIMIT: too many in
// real time.
// tolerance: of the residual, relative to the larger of `scale` (N s) and of the largest impulse that
// stops an approach alone.
hn_status hn_stepping_conditions_solve(hn_stepping_conditions *conditions,
                                       const hn_stepping_span *span, hn_sweep_point *points,
                                       int count, double touching, double scale, double tolerance,
                                       hn_sweep_body *bodies, hn_contact_record *record,
                                       hn_error *error);
// Forces of stops and friction into the snapshot at the end.
void hn_stepping_conditions_store(const hn_stepping_conditions *conditions, double h,
                                  hn_snapshot *snapshot);
// Bias of a normal velocity after the step: its gap may close, or it bounces.
double hn_stepping_shift(double restitution, double gap, double before, double fallen, double h,
                         double touching);

#endif
