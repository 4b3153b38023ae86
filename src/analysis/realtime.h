// A loop in real time inside: a simulation, its grid of times, its clock and its saved states.
#ifndef HN_ANALYSIS_REALTIME_H
#define HN_ANALYSIS_REALTIME_H

#include "analysis/simulation.h"
#include "holon/realtime.h"

// All numbers of the state of a model that runs in real time.
typedef struct hn_saved_state {
  int is_there;
  double t, work, last_step;
  double start; // of the grid of times
  long count;   // steps since then
  int redundant_count, has_new_input;
  double *q, *qd;           // (nq)
  double *turns;            // (turn_count)
  int *seen;                // (force_count)
  unsigned char *redundant; // (row_count)
  hn_input_state *inputs;   // (input_count)
  unsigned char *memory;    // of the method (memory_size)
  size_t memory_size;
  unsigned char *history; // of delays (history_size)
  size_t history_size;
} hn_saved_state;

struct hn_realtime {
  hn_arena arena;
  hn_realtime_options options;
  hn_simulation *simulation;
  double start, step; // steps end at start + k step
  long count;         // k of the last one
  hn_timing timing;
  double seconds;        // of all steps
  hn_saved_state *saved; // (saved_states, and one for the warm-up)
};

// realtime_save.c: allocates a state (HN_ERROR_MEMORY); fills it; restores it.
hn_status hn_realtime_take_room(hn_realtime *realtime, hn_saved_state *state);
hn_status hn_realtime_keep(hn_realtime *realtime, hn_saved_state *state);
hn_status hn_realtime_take_back(hn_realtime *realtime, const hn_saved_state *state);
// realtime_timing.c: one more step that ended at t.
void hn_realtime_note_time(hn_realtime *realtime, double seconds, double t);

#endif
