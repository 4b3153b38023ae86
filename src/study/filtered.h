// Fast oscillations that are excited at the start or later (events, samples, short loads) and that steps
// of an implicit formula are too long for: the results have their middle, not the oscillation.
#ifndef HN_STUDY_FILTERED_H
#define HN_STUDY_FILTERED_H

#include "analysis/excited_modes.h"
#include "base/arena.h"
#include "study/compared.h"

enum { HN_FILTERED_MODES = 6 };

typedef struct hn_filtered_mode {
  double frequency, decay; // rad/s, 1/s
  double time;             // of the amplitudes
  int force;               // the one that it changes most; -1: none
  double *amplitude;       // of each compared signal (compared.count)
} hn_filtered_mode;

typedef struct hn_filtered_set {
  int count;
  hn_filtered_mode mode[HN_FILTERED_MODES];
} hn_filtered_set;

typedef struct hn_filtered {
  int is_on;
  const hn_compared *compared;
  hn_fast_excited excited;
  hn_simulation *probe; // where states of the first run are examined; null: not made yet
  double slowest;       // rad/s: no step of the run filters what is slower
  hn_filtered_set excited_last, lost; // in the state; no longer in it
  double *values[3], *forces[3];      // (compared.count), (force_count)
  double *sum;                        // of amplitudes (compared.count)
  double *q, *qd, *moved, *speeds;    // (nq), (nu)
  long evaluations;                   // for examining later states
  long events;                        // of the first run when it was examined
  double step;                        // of the first run then
  double largest_step, least_step;    // since then
  long left_out;                      // searches beyond the work for them ...
  double left_out_from;               // ... the first of them, s
  struct hn_filtered_worst {
    double effect;    // amplitude of a graded signal over its scale
    double frequency; // rad/s
    int force;
  } worst; // of the lost ones at rows; effect 0: none
} hn_filtered;

// For a run of that length (s).
hn_status hn_filtered_create(hn_arena *arena, const hn_simulation *first,
                             const hn_compared *compared, double length, hn_filtered *filtered);
void hn_filtered_free(hn_filtered *filtered);
// At the start, in a simulation that is there; it is given back as it was.
hn_status hn_filtered_start(hn_filtered *filtered, hn_simulation *at_start);
// The same in a copy of it.
void hn_filtered_examine(hn_filtered *filtered, const hn_simulation *at_start);
// The first run has accepted a step.
void hn_filtered_note_step(hn_filtered *filtered, const hn_simulation *first);
// Amplitudes at a time of a row that results lack, of each compared signal; null: none are lost.
const double *hn_filtered_note_row(hn_filtered *filtered, double time);

#endif
