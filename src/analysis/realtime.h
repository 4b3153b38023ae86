// A loop in real time inside: a simulation, its grid of times, its clock and its saved states.
#ifndef HN_ANALYSIS_REALTIME_H
#define HN_ANALYSIS_REALTIME_H

#include "analysis/saved_state.h"
#include "analysis/simulation.h"
#include "holon/realtime.h"

typedef struct hn_saved_state {
  int is_there;
  double start; // of the grid of times
  long count;   // steps since then
  hn_block_sizes sizes;
  unsigned char *block; // what decides about steps (saved_state.h)
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
