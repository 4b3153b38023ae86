// Copies the present state of one simulation of a model into another with the same coordinates, which
// may have other tolerances: time, positions, velocities, states, samples, inputs, angle references,
// switches, contacts, conditions, delay histories and states inside sealed components. The step
// controller and what the method carries from step to step start fresh.
#include <string.h>

#include "analysis/simulation.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_delays.h"
#include "analysis/simulation_guards.h"
#include "equations/nested/nested.h"

static void copy(double *to, const double *from, int count) {
  if (count > 0) memcpy(to, from, (size_t)count * sizeof(double));
}

static int is_alike(const hn_simulation *to, const hn_simulation *from) {
  return to->model == from->model && to->equations->nq == from->equations->nq &&
         to->method->states == from->method->states;
}

// Copies all that selects the active equations, before accelerations are computed.
static hn_status copy_conditions(hn_simulation *to, const hn_simulation *from,
                                 unsigned char *buffer) {
  const unsigned char *contacts = buffer, *guards = buffer;
  hn_contacts_save(from, buffer);
  hn_status status = hn_contacts_restore(to, &contacts);
  hn_guards_save(from, buffer);
  if (status == HN_OK) status = hn_guards_restore(to, &guards);
  if (status == HN_OK) status = hn_nested_save(from->equations, buffer);
  if (status == HN_OK) status = hn_nested_restore(to->equations, buffer);
  return status;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

hn_status hn_simulation_copy_state(hn_simulation *to, const hn_simulation *from, const double *qd) {
  if (!is_alike(to, from)) return HN_ERROR_ARGUMENT;
  const size_t history = hn_delays_save_size(from, 0);
  const size_t size = larger(larger(hn_contacts_save_size(from), hn_guards_save_size(from)),
                             larger(hn_nested_save_size(from->equations), history));
  unsigned char *buffer = hn_allocate(to->options.allocator, size + 1);
  if (!buffer) return HN_ERROR_MEMORY;
  for (int k = 0; k < from->model->input_count; k++) to->inputs[k] = from->inputs[k];
  to->given.is_new = from->model->input_count > 0;
  copy(to->method->z, from->method->z, from->method->states);
  copy(to->samples, from->samples, hn_simulation_sampled(from));
  copy(to->branches.turns, from->branches.turns, from->elements->turn_count);
  hn_status status = copy_conditions(to, from, buffer);
  if (status == HN_OK)
    status =
        hn_simulation_set_state(to, from->method->t, from->method->q, qd ? qd : from->method->qd);
  hn_delays_save(from, buffer);
  if (status == HN_OK) status = hn_delays_restore(to, buffer, history);
  hn_release(to->options.allocator, buffer);
  return status;
}
