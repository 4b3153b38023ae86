// Sources of events, behind one interface: whatever ends a step, limits its size, or changes the model
// at an instant. A step (simulation_step.c) loops over the sources that the model has, in the order of
// HN_EVENT_SOURCES. A new kind of event is one file with its hn_event_source and one entry there.
//
// A step asks them in turn:
//
//   start            changes at the start of the step
//   next_time        where it must end; max_step: how far it may go
//   changed_within   after an attempt: where, on its dense output, a source changes first
//   locate           repeats the attempt so that it ends there
//   take, note       before and after the step is taken: what is kept and counted
//   apply            changes at the end of the step, until no source changes anything
//
// All functions but is_present are optional (null).
#ifndef HN_ANALYSIS_EVENT_SOURCES_H
#define HN_ANALYSIS_EVENT_SOURCES_H

#include "analysis/simulation.h"

typedef struct hn_event_source {
  const char *name; // for messages: "conditions of functions"
  // Constant as long as the mode of the run is.
  int (*is_present)(const hn_simulation *s);
  // Changes at the start of a step, which results at that time do not show yet.
  hn_status (*start)(hn_simulation *s);
  // The first time after the present that is known beforehand and where a step must end; HUGE_VAL: none.
  double (*next_time)(const hn_simulation *s);
  // The longest step from the present state that this source can follow, up to h, s; t_limit: where the
  // steps of the caller lead.
  double (*max_step)(hn_simulation *s, double h, double t_limit);
  int has_features; // max_step is short near a feature, before which a multistep formula starts again
  // Reports what a fixed step from the present state, of size h, cannot follow.
  void (*report_fixed)(hn_simulation *s, double h);
  // The fraction of the attempted step, on its dense output, at which this source changes first; above
  // 1: it does not. Steps that cannot be repeated are examined for reports only.
  double (*changed_within)(hn_simulation *s);
  // 1: it has changed at the end of the attempted step, of which nothing else counts: another program
  // integrates (exchange/exchange.h). `apply` at that end follows, or another attempt.
  int (*changed_at_end)(hn_simulation *s);
  // Repeats the attempted step to end at this fraction. Null: the step is attempted again up to there
  // with error control, and all sources are asked again.
  hn_status (*locate)(hn_simulation *s, double theta, double *error_norm);
  // The step ends at a change of a later source, before the change that this one has found.
  void (*forget)(hn_simulation *s);
  // The attempted step will be taken: keeps what values inside it need, and its past.
  hn_status (*take)(hn_simulation *s);
  // The step was taken: counts and records.
  void (*note)(hn_simulation *s);
  // Changes at the present state. *changed: 1 if accelerations may be others now. Asked again if another
  // source changed anything.
  hn_status (*apply)(hn_simulation *s, int *changed);
} hn_event_source;

// All sources. Their order decides ties: changes at one moment apply from the first to the last.
#define HN_EVENT_SOURCES(X)                                                                        \
  X(hn_inputs_source)        /* values given from outside, or that follow outputs */               \
  X(hn_samples_source)       /* of states, and their rules */                                      \
  X(hn_roads_source)         /* roads under wheels */                                              \
  X(hn_turns_source)         /* revolutions of bodies */                                           \
  X(hn_conditions_source)    /* a least number of samples of conditions */                         \
  X(hn_branches_source)      /* branches of forces and drivers */                                  \
  X(hn_free_branches_source) /* ... in real time */                                                \
  X(hn_guards_source)        /* conditions of functions, and rules */                              \
  X(hn_contacts_source)      /* rigid contacts, stops, dry friction */                             \
  X(hn_switches_source)      /* conditional elements */                                            \
  X(hn_functions_source)     /* features of functions inside steps */                              \
  X(hn_delays_source)        /* delayed signals */                                                 \
  X(hn_contact_dips_source)  /* compliant contacts between looks */                                \
  X(hn_opaque_source)        /* functions that cannot be examined */
#define HN_EVENT_SOURCE(source) extern const hn_event_source source;
HN_EVENT_SOURCES(HN_EVENT_SOURCE)
#undef HN_EVENT_SOURCE

// Finds the sources that the model has in the present mode, for all functions below: once the simulation
// is made, and whenever its mode changes.
void hn_events_find(hn_simulation *s);
hn_status hn_events_start(hn_simulation *s);
// The first time at which the next step must end; HUGE_VAL: none.
double hn_events_next_time(const hn_simulation *s);
// The longest step up to h that all sources follow, of those with features or without.
double hn_events_max_step(hn_simulation *s, int has_features, double h, double t_limit);
void hn_events_report_fixed(hn_simulation *s, double h);
// Ends the attempted step at the first change that a source locates.
hn_status hn_events_locate(hn_simulation *s, double *error_norm);
// The smallest fraction up to which the attempted step holds for sources that do not locate; above 1:
// all of it.
double hn_events_hold_until(hn_simulation *s);
// Sources that say whether they have changed at the end of the attempted step: how many the model has,
// and how many have. indicators (may be null): 1 of each, -1 of those that have.
int hn_events_count_seen(const hn_simulation *s);
int hn_events_see(hn_simulation *s, double *indicators);
hn_status hn_events_take(hn_simulation *s);
void hn_events_note(hn_simulation *s);
// Applies all changes at the present state and restarts the formula, until no source changes.
hn_status hn_events_apply(hn_simulation *s);

// For sources: attempts the step to `end`, or a quarter of it as often as its error is too large: the
// next step finds the change again. *is_shorter, which may be null: 1 if it was.
hn_status hn_events_attempt(hn_simulation *s, double end, double *error_norm, int *is_shorter);

#endif
