// Near misses: functions that bend or jump where both runs pass within their error.
#ifndef HN_STUDY_GRAZES_H
#define HN_STUDY_GRAZES_H

#include "analysis/simulation.h"

typedef struct hn_graze hn_graze;

typedef struct hn_grazes {
  int count; // of functions that bend or jump
  hn_graze *item;
  double speed, moment; // changes of velocity by near misses: sum; sum of change times its time
} hn_grazes;

// None where the run has a fixed step, or no such functions.
hn_status hn_grazes_create(hn_arena *arena, const hn_simulation *s, hn_grazes *grazes);
// Both runs are at the same time: errors of the arguments. bar: factor of their difference.
void hn_grazes_note_errors(hn_grazes *grazes, hn_simulation *first, hn_simulation *second,
                           double bar);
// The first run has accepted a step.
void hn_grazes_note_step(hn_grazes *grazes, hn_simulation *first);
// Warns of the near miss with the largest effect if all of them may change velocities (m/s, rad/s), or
// positions at the end of the run, by more than `limit`.
void hn_grazes_conclude(hn_grazes *grazes, hn_simulation *first, double limit);

#endif
