// Fallback from event-driven contact to time stepping if events accumulate (Zeno behavior): boxes
// that settle on each other, bodies that rattle in a wedge. If the choice is open, method
// time-stepping continues until the end of the run, with a warning.
#ifndef HN_ANALYSIS_AUTO_STEPPING_H
#define HN_ANALYSIS_AUTO_STEPPING_H

#include "analysis/simulation.h"

// Allocates, after the method; nothing if contacts are not event-driven or cannot be time-stepped.
hn_status hn_stepping_create(hn_simulation *simulation);
// The step it would take now: a fifth of the time in which the fastest body moves, or falls, by the
// thinnest two that can be in contact; at most HN_RIGID_STEP.
double hn_stepping_step(const hn_simulation *simulation);
// After a step that cannot be taken: 1 if contacts are time-stepped from here on.
int hn_stepping_takes_over(hn_simulation *simulation);
// The method in use is the one the choice says; as at the start of a run.
void hn_stepping_take_up(hn_simulation *simulation);
void hn_stepping_reset(hn_simulation *simulation);

// Fails if time stepping does not support the model: it has rolling, or coordinates without it.
hn_status hn_stepping_check(hn_simulation *simulation);
// Why the model needs time stepping, with the element: a soft contact or stop, or torsional friction;
// null: it does not.
const char *hn_stepping_reason(const hn_model *model, const hn_source **source, char *name,
                               size_t size);
hn_status hn_stepping_reject(hn_simulation *simulation, const char *reason, const hn_source *source,
                             const char *name);

#endif
