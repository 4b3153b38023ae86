// Contacts that are followed one by one change without end now and then: boxes that come to lie on each
// other in a row, bodies that rattle in a wedge. Where the choice is open, method time-stepping goes on
// from there until the end of the run, and that is told.
#ifndef HN_ANALYSIS_AUTO_STEPPING_H
#define HN_ANALYSIS_AUTO_STEPPING_H

#include "analysis/simulation.h"

// Memory, after the method; nothing where contacts are not followed, or cannot be stepped over.
hn_status hn_stepping_create(hn_simulation *simulation);
// The step it would take now: a fifth of the time in which the fastest body moves, or falls, by the
// thinnest two that can touch; at most HN_RIGID_STEP.
double hn_stepping_step(const hn_simulation *simulation);
// Laws of contacts that stepping over them does not have are told.
void hn_stepping_tell_laws(hn_simulation *simulation);
// After a step that cannot be taken: 1 when contacts are stepped over from here on.
int hn_stepping_takes_over(hn_simulation *simulation);
// The method in use is the one the choice says; as at the start of a run.
void hn_stepping_take_up(hn_simulation *simulation);
void hn_stepping_reset(hn_simulation *simulation);

#endif
