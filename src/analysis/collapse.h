// Cause of a step size that collapses: see collapse.c.
#ifndef HN_ANALYSIS_COLLAPSE_H
#define HN_ANALYSIS_COLLAPSE_H

#include "holon/simulation.h"

#define HN_USUAL_MAX_STEPS 10000000L // steps of a call towards one end, unless @max_steps says more

// A step of size h did not succeed. Not HN_OK: the state, force or body that changes too fast there, or
// is no number, as the error of the simulation. HN_OK: none stands out.
hn_status hn_fail_collapse(hn_simulation *simulation, double h);
// After a step towards t_limit: fails where max_steps are taken, or would be with steps like the last.
hn_status hn_watch_work(hn_simulation *simulation, double t_limit);

#endif
