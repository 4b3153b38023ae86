// Sources of events and limits of steps, behind one interface. take_step (simulation_step.c) loops over
// those that the model has. A new one is a file and a row in event_sources.c.
//
// Branches of forces, conditions, contacts and switches are still called individually there.
#ifndef HN_ANALYSIS_EVENT_SOURCES_H
#define HN_ANALYSIS_EVENT_SOURCES_H

#include "analysis/simulation.h"

typedef struct hn_event_source {
  int (*is_present)(const hn_simulation *s);
  // The longest step from the present state that this source can follow, up to h. Null: any.
  double (*max_step)(hn_simulation *s, double h);
  // The fraction of the attempted step, on its dense output, up to which this source is as the step
  // assumes; above 1: all of it. The step is repeated to end there. Null: it is always.
  double (*unchanged_until)(hn_simulation *s);
  // Reports what a fixed step from the present state, of size h, cannot follow. Null: nothing.
  void (*report_fixed)(hn_simulation *s, double h);
} hn_event_source;

// Compliant contacts that close and open again, or open and close again (simulation_dips.c).
extern const hn_event_source hn_contact_dips_source;

// The longest step up to h that all sources follow.
double hn_event_max_step(hn_simulation *s, double h);
// The smallest fraction up to which the attempted step holds; above 1: all of it.
double hn_event_unchanged_until(hn_simulation *s);
void hn_event_report_fixed(hn_simulation *s, double h);

#endif
