// FMUs that run together: outputs of one are inputs of another. A single FMU is a system of one.
//
//   Model Exchange   the states of all are one differential equation, integrated with error control
//                    and located events (fmu_states.c); connections hold at every evaluation
//   Co-Simulation    between communication points an input is the parabola through its last two
//                    values and the one at the end, which the FMU gets as means of a few parts of the
//                    step. Where all can save their state, steps are repeated until the values at the
//                    end agree; else inputs are extrapolated (fmu_system.c)
//
// All units are of one kind. Inputs that are not connected hold from a communication point on.
#ifndef HN_COMPONENTS_FMU_SYSTEM_H
#define HN_COMPONENTS_FMU_SYSTEM_H

#include "components/fmu_unit.h"

// Model Exchange: what is integrated.
typedef struct hn_fmu_motion {
  int states, indicator_count;      // of all units
  double *asked;                    // states of the last evaluation
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

// The input `to` of a unit is the output `from` of another; both are single numbers.
typedef struct hn_fmu_connection {
  int from_unit, to_unit;
  hn_fmu_group from, to;
} hn_fmu_connection;

typedef struct hn_fmu_system {
  hn_arena arena;
  hn_fmu_unit *units;
  int count;
  hn_fmu_connection *connections;
  int connection_count;
  double *given;       // to the inputs, by connections
  double *last, *next; // at the last communication point and at the one before the next
  int has_last;        // ... was smooth
  double *values;      // workspace of requests
  hn_fmu_group *groups;
  int *saved; // numbers of saved states
  double time;
  int is_ended; // an FMU asks to end the run
  hn_fmu_motion motion;
} hn_fmu_system;

// Instantiates all; then values of units, hn_fmu_system_prepare, values, hn_fmu_system_start.
hn_status hn_fmu_system_open(hn_fmu_system *system, const hn_fmu_setup *const *setups, int count,
                             hn_error *error);
void hn_fmu_system_close(hn_fmu_system *system); // a zeroed one is fine
// Before the start; copied.
hn_status hn_fmu_system_connect(hn_fmu_system *system, const hn_fmu_connection *connections,
                                int count, hn_error *error);
hn_status hn_fmu_system_prepare(hn_fmu_system *system, double start, double stop, double tol,
                                hn_error *error);
hn_status hn_fmu_system_start(hn_fmu_system *system, hn_error *error);
// From the present to `time`; is_ended: it may stop before.
hn_status hn_fmu_system_step(hn_fmu_system *system, double time, hn_error *error);
// Inputs of a unit that are not connected, in a run, at a communication point.
hn_status hn_fmu_system_change(hn_fmu_system *system, int unit, const hn_fmu_group *groups,
                               int group_count, const double *values, hn_error *error);
// Gives outputs to the inputs that they are connected with, until nothing changes. *has_changed: an
// input has another value than before.
hn_status hn_fmu_system_transfer(hn_fmu_system *system, double time, int *has_changed,
                                 hn_error *error);

// Model Exchange (fmu_states.c).
hn_status hn_fmu_states_start(hn_fmu_system *system, hn_error *error);
hn_status hn_fmu_states_step(hn_fmu_system *system, double time, hn_error *error);
// Inputs change at the present time: an event.
hn_status hn_fmu_states_change(hn_fmu_system *system, int unit, const hn_fmu_group *groups,
                               int group_count, const double *values, hn_error *error);

#endif
