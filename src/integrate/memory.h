// Serialization of a method's history between steps, so that a restored run continues with the same
// bits and saving has no effect.
//
// Each owner has one function that passes all its history, in one order, to an hn_memory, which
// measures, writes or reads. Matrices are not passed but the states at which they were made
// (hn_place): a reader makes them again there, from the same numbers by the same operations.
#ifndef HN_INTEGRATE_MEMORY_H
#define HN_INTEGRATE_MEMORY_H

#include "equations/tangent.h"
#include "integrate/method.h"
#include "math/input.h"

typedef enum hn_memory_way { HN_MEMORY_MEASURE, HN_MEMORY_WRITE, HN_MEMORY_READ } hn_memory_way;

struct hn_memory {
  hn_memory_way way;
  unsigned char *to;         // when writing
  const unsigned char *from; // when reading
  size_t size;               // passed so far
  size_t room;               // of what is written or read
  int failed;                // beyond the capacity, or an invalid number
};

void hn_memory_pass(hn_memory *memory, void *data, size_t size);
void hn_memory_numbers(hn_memory *memory, double *numbers, int count);
// Fails when it reads a number that is not in least ... most.
void hn_memory_integer(hn_memory *memory, int *number, int least, int most);
void hn_memory_flag(hn_memory *memory, int *flag);
void hn_memory_branches(hn_memory *memory, const hn_elements *elements, hn_branches *branches);

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

hn_status hn_place_create(hn_arena *arena, const hn_equations *equations, int rows,
                          hn_place *place);
// qdd and lambda may be null: they do not matter there.
void hn_place_keep(hn_place *place, const hn_equations *equations, double t, const double *q,
                   const double *qd, const double *qdd, const double *lambda,
                   const hn_branches *branches);
void hn_place_pass(hn_memory *memory, const hn_equations *equations, hn_place *place);
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

// A method's history with its present accelerations. Saving changes nothing. To restore: the declared
// fields are restored before, and the method starts at them; they are restored again afterwards,
// since starting counts and may change them.
void hn_method_declare(hn_arena *arena, hn_method *method); // fields of the state, after creation
size_t hn_method_memory_size(const hn_method *method);
void hn_method_save(const hn_method *method, void *buffer);
hn_status hn_method_restore(hn_method *method, const hn_branches *branches, const void *buffer,
                            size_t size, hn_error *error);

#endif
