// The size of a step: as the method or the controller suggests, within the limits of the user, of `auto`
// and of all sources of events, so that it ends where it must.
#ifndef HN_ANALYSIS_STEP_SIZE_H
#define HN_ANALYSIS_STEP_SIZE_H

#include "analysis/simulation.h"

// Of the next step, s; t_limit: where the steps of the caller lead. The method may be another one then.
double hn_step_size(hn_simulation *s, double t_limit);
// The same after a rejected attempt of size h.
double hn_step_size_after(hn_simulation *s, double h, double error_norm);
// The end of a step of about size h: at t_limit, at a time that a source knows, or where h leads.
double hn_step_end(const hn_simulation *s, double h, double t_limit);
// A step was taken, for which this size had been suggested: chooses that of the next one.
void hn_step_size_taken(hn_simulation *s, double suggested, double error_norm);

#endif
