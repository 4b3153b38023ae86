// A refined run: the same model from the same start with a smaller tolerance or step, in parallel with a
// first run, which never waits for, reads or is changed by it.
#ifndef HN_STUDY_REFINED_H
#define HN_STUDY_REFINED_H

#include "study/first_steps.h"
#include "study/input_tables.h"

typedef struct hn_refined {
  hn_simulation *simulation; // null: none
  hn_table_reader reader;    // its `next` belongs to the caller
  double factor;             // of the tolerance or step of the first run
  double most;               // times the work of the first run, and it is given up
  double budget;             // of work together with the first run; HUGE_VAL: none
  double end;                // of the run, s
  hn_first_steps steps;
  int apart;     // rows in a row with different numbers of events
  int has_ended; // it goes no further
  char why[400]; // ... because
} hn_refined;

// With the options of `first` times r->factor (given, as is r->reader). start: whose state it takes;
// null: a new simulation's with these inputs (of the model, in order).
hn_status hn_refined_create(hn_refined *r, const hn_simulation *first, const hn_simulation *start,
                            const hn_input_state *inputs, hn_error *error);
void hn_refined_free(hn_refined *r);
// 1: both are where a new simulation is.
int hn_refined_is_fresh(const hn_simulation *first, const hn_simulation *second);

// How much shorter its steps are than those of the first run where the tolerance decides.
double hn_refined_shorter(const hn_refined *r);
// Steps until `time` is inside the last step, and moves the dense output there. longest: the first run's
// longest step nearby, s. 0: not there; r->has_ended, or the first run was interrupted.
int hn_refined_advance(hn_refined *r, const hn_simulation *first, double time, double longest);
void hn_refined_end(hn_refined *r, const char *why);

// Once a row: one run is before an event, the other after it, so jumps cannot be compared.
int hn_refined_is_split(hn_refined *r, const hn_simulation *first, double time);
// An event at this very time: the row may be of either side.
int hn_refined_is_at_event(const hn_simulation *s, double time);

#endif
