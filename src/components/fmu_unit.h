// A running FMU of either version and kind: values, steps to a time, saved states.
//
// Co-Simulation: fmi?DoStep. Model Exchange: its states are integrated here (fmu_states.c) with error
// control and located events. Both go from one communication point to the next; inputs hold from the
// point on.
#ifndef HN_COMPONENTS_FMU_UNIT_H
#define HN_COMPONENTS_FMU_UNIT_H

#include "components/fmu_link.h"

// Model Exchange: what is integrated.
typedef struct hn_fmu_motion {
  double next_event;                // HUGE_VAL: none is known
  double h;                         // of the next step, s; 0: not known
  double tol;                       // relative, and absolute by the nominal value of each state
  double *x, *nominal, *indicators; // present
  double *stage, *trial, *dense, *rates; // workspace: states, 7 rates of each
  double *trial_indicators;
  double changed_at; // of the attempted step: where a stage first sees another sign; 2: none
  long steps, events;
  // the choice of the formula, and the matrix of the implicit one
  int is_stiff;
  int count, against;     // steps that speak for the other formula; since then, steps that do not
  double speed;           // of the attempted step: h times the fastest rate
  int has_jacobian;       // at the present state, or near it
  double contraction;     // of the last iterations
  double *jacobian;       // by columns
  double *matrix, *delta; // factors of 1 - h gamma J; workspace
  int *pivots;
} hn_fmu_motion;

typedef struct hn_fmu_unit {
  hn_fmu_link link;
  hn_arena arena;
  const hn_fmu_setup *setup;
  double time;
  int is_ended; // the FMU asks to end the run
  hn_fmu_motion motion;
} hn_fmu_unit;

// Instantiates it; then values, hn_fmu_unit_prepare, values, hn_fmu_unit_start.
hn_status hn_fmu_unit_open(hn_fmu_unit *unit, const hn_fmu_setup *setup, hn_error *error);
void hn_fmu_unit_close(hn_fmu_unit *unit); // a zeroed one is fine

typedef struct hn_fmu_group {
  hn_fmu_type type;
  unsigned reference;
  int count;
} hn_fmu_group;
// Numbers of groups, one group after the other; whole numbers and truths are rounded.
hn_status hn_fmu_unit_set(hn_fmu_unit *unit, const hn_fmu_group *groups, int group_count,
                          const double *values, hn_error *error);
// The same in a run, at a communication point.
hn_status hn_fmu_unit_change(hn_fmu_unit *unit, const hn_fmu_group *groups, int group_count,
                             const double *values, hn_error *error);
hn_status hn_fmu_unit_set_text(hn_fmu_unit *unit, unsigned reference, const char *text,
                               hn_error *error);
hn_status hn_fmu_unit_get(hn_fmu_unit *unit, const hn_fmu_group *groups, int group_count,
                          double *values, hn_error *error);

// Enters initialization. stop: HUGE_VAL: none; tol: 0: that of the FMU.
hn_status hn_fmu_unit_prepare(hn_fmu_unit *unit, double start, double stop, double tol,
                              hn_error *error);
hn_status hn_fmu_unit_start(hn_fmu_unit *unit, hn_error *error);
// From the present to `time`; is_ended: it may stop before.
hn_status hn_fmu_unit_step(hn_fmu_unit *unit, double time, hn_error *error);

// Model Exchange (fmu_states.c).
hn_status hn_fmu_states_start(hn_fmu_unit *unit, hn_error *error);
hn_status hn_fmu_states_step(hn_fmu_unit *unit, double time, hn_error *error);
// Inputs change at the present time: an event.
hn_status hn_fmu_states_change(hn_fmu_unit *unit, const hn_fmu_group *groups, int group_count,
                               const double *values, hn_error *error);

#endif
