// Method `auto`: a run starts with dopri5 and changes to an implicit formula when stability, not
// accuracy, holds its steps, or to adams where a tight tolerance and a smooth motion let that go
// farther; see auto_method.c.
#ifndef HN_ANALYSIS_AUTO_METHOD_H
#define HN_ANALYSIS_AUTO_METHOD_H

#include "holon/simulation.h"

typedef enum hn_auto_state {
  HN_AUTO_EXPLICIT, // dopri5, watching for stiffness and for a smooth motion
  HN_AUTO_SMOOTH,   // adams
  HN_AUTO_TRIAL,    // implicit, to be compared with the steps before
  HN_AUTO_IMPLICIT, // for the rest of the run
  HN_AUTO_STEPPED   // contacts are time-stepped for the rest of the run (auto_stepping.h)
} hn_auto_state;

// Numbers only: they are saved with the state of a run.
typedef struct hn_auto_choice {
  hn_auto_state state;
  int is_changing;      // the method of another state takes over before the next step
  hn_auto_state next;   // ... of this one
  int stiff, calm;      // steps limited by stability, and steps in a row that were not
  long wait;            // explicit steps before stiffness is looked for again
  long next_wait;       // ... after the next trial in vain
  long trial_steps;     // taken
  double trial_time;    // when half of them were
  double explicit_step; // that stability allowed; of HN_AUTO_STEPPED: the step
  int smooth;           // steps in a row without events
  int rough;            // ... of which near the border of stability
  double smooth_begin;  // when they began
  double smooth_step;   // of dopri5 before the change to adams: their mean
  long refused;         // steps, when the present twenty of adams began
  long smooth_wait;     // explicit steps before adams may be tried again
  long next_smooth_wait;
  long events;        // at the last look
  double stable_step; // at which the fastest oscillation does not grow in dopri5; 0: not known
  long steps_then;    // accepted when that was found ...
  long events_then;   // ... and events
  int held;           // steps in a row that it limited; a step far below the one that accuracy
                      // allows counts more
  int is_strict;      // no explicit step beyond it: an implicit one was in vain
} hn_auto_choice;

// Called after the parts of the simulation exist: allocates the other methods if the options leave
// the choice open and the model is not large. For a large model the implicit one is allocated at
// the change; if that fails, it stays explicit.
hn_status hn_auto_create(hn_simulation *simulation);
void hn_auto_reset(hn_simulation *simulation); // as at the start of a run
// The method in use is the one this choice says: after a saved choice has been read.
hn_status hn_auto_take_up(hn_simulation *simulation);
hn_status hn_auto_change(hn_simulation *simulation); // before a step: the change decided on, if any
void hn_auto_note(hn_simulation *simulation);        // after a step of size last_step
// No explicit step of h may let an oscillation grow that is not resolved: h, or what is stable.
double hn_auto_limit(hn_simulation *simulation, double h);
// After an attempt of a fixed step: 1 when the implicit method is to take it instead, by
// hn_auto_change.
int hn_auto_refuses(hn_simulation *simulation, hn_status status);
// After a step that cannot be taken: 1 when the explicit method is to try it.
int hn_auto_retreats(hn_simulation *simulation);

#endif
