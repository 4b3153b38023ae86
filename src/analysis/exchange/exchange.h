// A model as an ordinary differential equation x' = f(t, x, inputs) that another program integrates
// (Model Exchange of FMI). It uses a simulation whose method makes no steps:
//
//   hn_exchange_start     what happens at the start; again hn_exchange_update after each event
//   hn_exchange_set       a trial time and state, as often as the integrator likes, back in time too
//   hn_exchange_rates     ... f there; signals of the simulation are those of the trial
//   hn_exchange_indicators  ... negative where a source of events has changed
//   hn_exchange_complete  the trial is the end of a step: it becomes the present state
//   hn_exchange_enter     ... and an event is handled there
//
// States, in this order:
//
//   positions    coordinates of joints of the tree and of free bodies; four Euler parameters of an
//                orientation, normalized inside; of loops, independent coordinates
//   velocities   their rates; of an orientation the angular velocity in axes of the body
//   z            of functions and elements, but sampled ones (elements/states.h)
//
// Dependent coordinates of loops are solved for from the present state on, so that f is a function of
// the trial and the present alone. Which coordinates of loops are independent is chosen in events:
// states then have other values. Closed contacts are constraints too: f is that of the nearest state
// that satisfies them.
#ifndef HN_ANALYSIS_EXCHANGE_H
#define HN_ANALYSIS_EXCHANGE_H

#include "holon/simulation.h"

typedef struct hn_exchange hn_exchange;

enum { HN_EXCHANGE_NAME = 256 };

// Options of a simulation that can be exchanged: completes what the caller has set.
void hn_exchange_options(const hn_model *model, hn_simulation_options *options);
// Of a simulation at its start; its arena holds the memory. HN_ERROR_UNSUPPORTED names what has no
// continuous states: delays, conditional constraints, time-stepped contacts.
hn_status hn_exchange_create(hn_simulation *simulation, hn_exchange **exchange, hn_error *error);

int hn_exchange_count(const hn_exchange *exchange);
int hn_exchange_indicator_count(const hn_exchange *exchange);
// A name that no other state has, without a prefix; is_rate: 1 for velocities.
const char *hn_exchange_name(const hn_exchange *exchange, int state, char text[HN_EXCHANGE_NAME]);
const char *hn_exchange_unit(const hn_exchange *exchange, int state); // "": none
const char *hn_exchange_rate_unit(const hn_exchange *exchange, int state);

// Errors are those of the simulation (hn_simulation_error). Above 0, or HN_ERROR_NOT_FINITE: the trial
// cannot be evaluated, a nearer one can.
double hn_exchange_time(const hn_exchange *exchange); // of the trial
void hn_exchange_get(const hn_exchange *exchange, double *x);
void hn_exchange_set_time(hn_exchange *exchange, double time);
void hn_exchange_set(hn_exchange *exchange, const double *x);
// Inputs of the simulation have changed.
void hn_exchange_inputs(hn_exchange *exchange);
// Signals of the simulation are those of the trial.
hn_status hn_exchange_look(hn_exchange *exchange);
hn_status hn_exchange_rates(hn_exchange *exchange, double *rates);
hn_status hn_exchange_indicators(hn_exchange *exchange, double *indicators);
// *is_event: an event has to be handled there.
hn_status hn_exchange_complete(hn_exchange *exchange, int *is_event);
hn_status hn_exchange_enter(hn_exchange *exchange);
// Handles everything that happens at the present time. *is_new: states have other values now;
// *next: the time of the next event, HUGE_VAL: none is known.
hn_status hn_exchange_update(hn_exchange *exchange, int *is_new, double *next);

// States and rates of another simulation of the model, at the moment that its signals are of.
hn_status hn_exchange_show(hn_exchange *exchange, hn_simulation *other);

// The trial, which a saved state of the simulation does not have, in numbers. After both were restored
// the exchange has the same bits. count: of states.
size_t hn_exchange_save_size(int count);
void hn_exchange_save(hn_exchange *exchange, double *to); // before the simulation is saved
hn_status hn_exchange_restore(hn_exchange *exchange, const double *from); // after it was restored

#endif
