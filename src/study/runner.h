// A run inside: where its grid, its tables and its sink stand.
#ifndef HN_STUDY_RUNNER_H
#define HN_STUDY_RUNNER_H

#include "study/input_tables.h"

struct hn_runner {
  const hn_allocator *allocator;
  hn_simulation *simulation;
  hn_run_plan plan;
  hn_run_sink sink;
  hn_grid grid;
  hn_table_reader reader;
  long next, rows;              // row of the grid that is next, and how many were handed out
  double start;                 // time
  double last_row, last_frame;  // times handed out last; -HUGE_VAL: none
  struct hn_companion *compare; // the second run; null: none
  double estimate_seconds;      // of the clock, spent on it
  hn_error error;
};

#endif
