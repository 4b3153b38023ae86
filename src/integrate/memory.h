// Data that methods keep from step to step are declared as fields of the state (base/state.h), so that a
// restored run continues with the same bits and saving has no effect.
//
// Matrices are not kept but the states at which they were made (hn_place): `resume` of a method makes
// them again there, from the same numbers by the same operations.
#ifndef HN_INTEGRATE_MEMORY_H
#define HN_INTEGRATE_MEMORY_H

#include "equations/tangent.h"
#include "integrate/method.h"
#include "math/input.h"

// Fields of a method, of this kind: numbers, finite or not; counts; flags.
void hn_declare_flags(hn_arena *arena, int *const flags[], int count, const char *name);
void hn_declare_numbers(hn_arena *arena, double *const numbers[], int count, const char *name);
void hn_declare_integer(hn_arena *arena, int *number, int lower, int upper, const char *name);
void hn_declare_force_branches(hn_arena *arena, hn_branch *branches, int count);
void hn_declare_branches(hn_arena *arena, const hn_elements *elements, const hn_branches *branches);

// The state something was evaluated at: with it, and nothing else, it is evaluated again.
typedef struct hn_place {
  double t;
  double *q, *qd, *qdd; // (nq)
  double *lambda;       // (rows)
  hn_branches branches;
  unsigned char *redundant; // rows the equations left out then (redundant_size)
  int redundant_count;
  hn_input_state *inputs; // (input_count)
  int states;             // of laws and elements, as they followed there (elements/states.h)
  double flow_t, flow_g, *hat;
  int delays;
  double *late; // what delayed states were, with derivatives (4 delays)
  int rows;
} hn_place;

// With its fields of the state.
hn_status hn_place_create(hn_arena *arena, const hn_equations *equations, int rows,
                          hn_place *place);
// qdd and lambda may be null: they do not matter there.
void hn_place_keep(hn_place *place, const hn_equations *equations, double t, const double *q,
                   const double *qd, const double *qdd, const double *lambda,
                   const hn_branches *branches);
// Rows left out and inputs as they were there; the second call in a row takes that back.
void hn_place_visit(hn_place *place, hn_equations *equations);

static inline hn_tangent_state hn_place_state(const hn_place *place) {
  return (hn_tangent_state){.t = place->t,
                            .q = place->q,
                            .qd = place->qd,
                            .qdd = place->qdd,
                            .lambda = place->lambda,
                            .branches = &place->branches};
}

void hn_branches_copy(const hn_elements *elements, const hn_branches *from, hn_branches *to);

// Fields of every method, after its creation: motion, counts, the snapshot of the present.
void hn_method_declare(hn_arena *arena, hn_method *method);

#endif
