// Method `auto`: a run starts with the explicit formula and changes to an implicit one when stability,
// not accuracy, holds its steps; see auto_method.c.
#ifndef HN_ANALYSIS_AUTO_METHOD_H
#define HN_ANALYSIS_AUTO_METHOD_H

#include "holon/simulation.h"

typedef enum hn_auto_state {
  HN_AUTO_EXPLICIT, // watching for stiffness
  HN_AUTO_TRIAL,    // implicit, to be compared with the steps before
  HN_AUTO_IMPLICIT  // for the rest of the run
} hn_auto_state;

// Numbers only: they are saved with the state of a run.
typedef struct hn_auto_choice {
  hn_auto_state state;
  int is_changing;      // the other method takes over before the next step
  int stiff, calm;      // steps held by stability, and steps in a row that were not
  long wait;            // explicit steps before stiffness is looked for again
  long next_wait;       // ... after the next trial in vain
  int trial_steps;      // taken
  double trial_time;    // when half of them were
  double explicit_step; // that stability allowed
} hn_auto_choice;

// After the parts of the simulation are there: takes memory for the implicit method if the options leave
// the choice open and the machine is not large; then it is taken at the change, if there is one. A large
// machine for which it cannot be had stays explicit.
hn_status hn_auto_create(hn_simulation *simulation);
void hn_auto_reset(hn_simulation *simulation); // as at the start of a run
// The method in use is the one this choice says: after a saved choice has been read.
hn_status hn_auto_take_up(hn_simulation *simulation);
hn_status hn_auto_change(hn_simulation *simulation); // before a step: the change decided on, if any
void hn_auto_note(hn_simulation *simulation);        // after a step of size last_step
// After an attempt of a fixed step: 1 when the implicit method is to take it instead, by
// hn_auto_change.
int hn_auto_refuses(hn_simulation *simulation, hn_status status);
// After a step that cannot be taken: 1 when the explicit method is to try it.
int hn_auto_retreats(hn_simulation *simulation);

#endif
