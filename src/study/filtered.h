// A fast oscillation that the start excites and that steps of an implicit formula are too long for: the
// results have its mean, not the oscillation.
#ifndef HN_STUDY_FILTERED_H
#define HN_STUDY_FILTERED_H

#include "base/arena.h"
#include "study/compared.h"

typedef struct hn_filtered {
  double frequency, damping; // rad/s, fraction of critical; 0: no such mode
  double *amplitude;         // of each compared signal (compared.count)
  int force;                 // the one that it changes most; -1: none
} hn_filtered;

// At the present state of the simulation, which is given back as it was.
hn_status hn_filtered_find(hn_arena *arena, hn_simulation *simulation, const hn_compared *compared,
                           hn_filtered *filtered);

#endif
