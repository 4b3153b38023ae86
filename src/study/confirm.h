// A third, much finer run, which confirms or corrects the difference of two where it is near a limit.
#ifndef HN_STUDY_CONFIRM_H
#define HN_STUDY_CONFIRM_H

#include "study/compared.h"
#include "study/history.h"
#include "study/refined.h"

typedef struct hn_confirm {
  hn_refined run; // its simulation is made when it is needed, or at once if the start is another
  int is_on, has_begun;
  hn_input_state *inputs; // of the first run at its start (of the model)
  hn_history longest;     // step of the first run, s, until the third starts
  double *values;         // (compared)
  int is_split;           // at the time of the values one run is past an event, the other is not
} hn_confirm;

// Nothing where no tolerance controls the steps, or is so small that a finer one is only rounding.
// second: a refined run at the same start. count: of signals.
hn_status hn_confirm_create(hn_arena *arena, const hn_simulation *first,
                            const hn_simulation *second, const hn_run_plan *plan, int count,
                            double end, hn_confirm *confirm, hn_error *error);
// A step of the first run.
void hn_confirm_note_step(hn_confirm *confirm, const hn_simulation *first);
// A row: the longest step (s) of the first run since the row before.
void hn_confirm_note_row(hn_confirm *confirm, double time, double longest);
// The values of the third run at the time of a row, after the last one; null: not available.
const double *hn_confirm_look(hn_confirm *confirm, const hn_simulation *first,
                              const hn_compared *compared, double time, double longest);

#endif
