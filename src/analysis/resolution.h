// The motion that a fixed step must resolve: the fastest of any coordinate that it advanced.
#ifndef HN_ANALYSIS_RESOLUTION_H
#define HN_ANALYSIS_RESOLUTION_H

#include "base/arena.h"

typedef struct hn_resolution {
  int count; // coordinates; 0: not watched
  int has_last;
  double *q, *qdd;        // of the last step's end
  double *square, *apart; // sums over the steps of (dq)^2 and (dqdd)^2
} hn_resolution;

hn_status hn_resolution_create(hn_arena *arena, int count, hn_resolution *resolution);
void hn_resolution_begin(hn_resolution *resolution);
void hn_resolution_note(hn_resolution *resolution, const double *q, const double *qdd);
// Circular frequency of the fastest coordinate, rad/s; 0: none moved.
double hn_resolution_frequency(const hn_resolution *resolution);

#endif
