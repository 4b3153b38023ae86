// Conditions of laws that read signals, a source of events: see simulation_guards.c.
#ifndef HN_ANALYSIS_SIMULATION_GUARDS_H
#define HN_ANALYSIS_SIMULATION_GUARDS_H

#include "analysis/simulation.h"
#include "elements/guards.h"

typedef struct hn_guards hn_guards;

// s->guards, null where no law has a condition.
hn_status hn_guards_create(hn_simulation *simulation);
// 1: a condition of this function alternates endlessly and is no longer watched.
struct hn_step_law;
int hn_guards_released(const hn_simulation *simulation, const struct hn_step_law *along);
// How many rules of states there are inside sealed components.
int hn_guards_hidden_rules(const hn_model *model);

#endif
