// Functions shared by the files of a part.
#ifndef HOLON_FMU_PART_PRIVATE_H
#define HOLON_FMU_PART_PRIVATE_H

#include "analysis/exchange/exchange.h"
#include "part.h"

// Writes p->error and returns status. element and hint may be null.
hn_status part_fail(part *p, hn_status status, const char *element, const char *hint,
                    const char *message);
// A simulation that has the present parameters and inputs. part.c
hn_status part_ready(part *p);
hn_status part_give_inputs(part *p);
// The same, with the values of signals at the communication point. part_step.c
hn_status part_settle(part *p);
// From a step that ended behind the communication point back to the point itself.
hn_status part_go_back(part *p);
// 1: the last step ended behind the communication point.
int part_is_ahead(const part *p);
// Keeps the state at the start of the next step.
hn_status part_keep_start(part *p);
void part_drop_simulation(part *p);
// J seed of Model Exchange. part_exchange.c
hn_status part_exchange_derivative(part *p, const part_unknowns *of, const double *seed,
                                   double *result);
// The exchange of this simulation, which must have the states of the description. part_exchange.c
hn_status part_make_exchange(part *p, hn_simulation *simulation);
// Of the exchange: inputs are those of the variables. part_exchange.c
hn_status part_exchange_ready(part *p);
hn_status part_exchange_look(part *p); // ... and signals are those of the trial
// The value of a state, derivative or indicator.
hn_status part_exchange_value(part *p, const part_variable *variable, double *value);
// The status, with the error of the simulation.
hn_status part_failed(part *p, hn_status status);

#endif
