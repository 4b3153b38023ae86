// Conditions in functions that read signals, and of rules of states: numbers of the active
// branches. analysis/simulation_guards.c locates their changes.
#ifndef HN_ELEMENTS_GUARDS_H
#define HN_ELEMENTS_GUARDS_H

#include "elements/elements.h"

typedef struct hn_guard {
  const hn_law *law;
  int force; // whose measure the law reads; -1: it is a law of t
  int which; // of x, v, t, of all three
  int is_rule;
  int is_rate; // of a state, of t alone: its pieces count too, which those of forces do elsewhere
} hn_guard;

typedef struct hn_guard_list {
  int count;
  hn_guard *item;
} hn_guard_list;

// Of elements of a simulation; the list may be empty.
hn_status hn_guard_list_create(hn_arena *arena, const hn_elements *elements, hn_guard_list *list);
// At frames whose signals are sensed. Of a rule: 1 where its condition holds, else 0.
int hn_guard_code(const hn_elements *elements, const hn_guard *guard, const hn_frame *frames,
                  const double *turns, double t);
// A condition at the signals sensed last.
int hn_rule_holds(const hn_law *when, double t);

#endif
