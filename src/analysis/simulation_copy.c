// The state of a simulation as one block of bytes. All copies are made here: states in files, those
// of real-time loops, and the states from which runs with other tolerances start.
//
// A run that reads a block continues as the one that wrote it, bit for bit. Methods keep matrices as
// the states they were made at, and make them again (integrate/memory.h).
#include <string.h>

#include "analysis/saved_state.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_delays.h"
#include "analysis/simulation_switches.h"
#include "base/error.h"
#include "equations/levels.h"
#include "integrate/memory.h"

hn_block_sizes hn_block_sizes_of(const hn_simulation *s, int kinds, int at_most) {
  const int has_method = kinds & HN_STATE_METHOD;
  return (hn_block_sizes){
      .common = hn_state_size(&s->arena.state, kinds, 0),
      .method = has_method ? hn_state_size(&s->arena.state, kinds, s->method->part) : 0,
      .nested = hn_nested_save_size(s->equations),
      .delays = hn_delays_save_size(s, at_most),
      .memory = has_method ? hn_method_memory_size(s->method) : 0};
}

size_t hn_block_size(const hn_block_sizes *b) {
  return b->common + b->method + b->nested + b->delays + b->memory;
}

hn_status hn_block_write(const hn_simulation *s, int kinds, unsigned char *to) {
  const int has_method = kinds & HN_STATE_METHOD;
  to = hn_state_write(&s->arena.state, kinds, 0, to);
  if (has_method) to = hn_state_write(&s->arena.state, kinds, s->method->part, to);
  const hn_status status = hn_nested_save(s->equations, to);
  to = hn_delays_save(s, to + hn_nested_save_size(s->equations));
  if (has_method) hn_method_save(s->method, to);
  return status;
}

static const unsigned char *read_fields(hn_simulation *s, int kinds, int part,
                                        const unsigned char *from, int is_known,
                                        hn_status *status) {
  int index;
  from = hn_state_read(&s->arena.state, kinds, part, from);
  const hn_state_field *bad =
      is_known ? NULL : hn_state_check(&s->arena.state, kinds, part, &index);
  if (bad) *status = hn_refuse_saved(s, bad->name, index);
  return from;
}

// The common part, and all that it decides about.
static hn_status read_common(hn_simulation *s, int kinds, const unsigned char *from, int is_known) {
  hn_status status = HN_OK;
  read_fields(s, kinds, 0, from, is_known, &status);
  if (status == HN_OK && !is_known) status = hn_check_saved_state(s, kinds);
  if (status == HN_OK) status = hn_contacts_take_up(s);
  return status;
}

static hn_status read_nested(hn_simulation *s, const unsigned char *from) {
  const hn_status status = hn_nested_restore(s->equations, from);
  if (status == HN_OK) return HN_OK;
  return hn_fail(&s->error, status, NULL, NULL,
                 "check the functions of the component that save and restore",
                 "a component cannot restore its state: %s", hn_status_text(status));
}

// Fields are read once more after the method has started at them: starting counts, and may change
// which constraints are left out.
static hn_status read_method(hn_simulation *s, int kinds, const hn_block_sizes *b,
                             const unsigned char *common, const unsigned char *memory) {
  if (s->method->states > 0) hn_states_set(s->elements, s->method->z);
  hn_status status = hn_method_restore(s->method, &s->branches, memory, b->memory, &s->error);
  s->control = hn_step_control_begin(s->method->error_order);
  hn_state_read(&s->arena.state, kinds, 0, common);
  hn_state_read(&s->arena.state, kinds, s->method->part, common + b->common);
  s->stepping.has_dense = 0; // there is no step to look back into
  s->view = (struct hn_view){s->method->now, &s->branches, s->method->work};
  return status;
}

hn_status hn_block_read(hn_simulation *s, int kinds, const hn_block_sizes *b,
                        const unsigned char *from, int is_known) {
  const unsigned char *method = from + b->common, *nested = method + b->method,
                      *delays = nested + b->nested, *memory = delays + b->delays;
  const int has_method = kinds & HN_STATE_METHOD;
  hn_status status = read_common(s, kinds, from, is_known);
  if (status == HN_OK && has_method) status = hn_auto_take_up(s);
  if (status != HN_OK) return status;
  if (has_method && hn_state_size(&s->arena.state, kinds, s->method->part) != b->method)
    return hn_refuse_saved(s, "the method in use", -1);
  if (has_method) read_fields(s, kinds, s->method->part, method, is_known, &status);
  if (status == HN_OK) hn_switches_take_up(s);
  if (status == HN_OK) status = read_nested(s, nested);
  if (status == HN_OK) status = hn_delays_restore(s, delays, b->delays);
  return status == HN_OK && has_method ? read_method(s, kinds, b, from, memory) : status;
}

// ---- into another simulation --------------------------------------------------------------------

static int is_alike(const hn_simulation *to, const hn_simulation *from) {
  return to->model == from->model && to->equations->nq == from->equations->nq &&
         to->method->states == from->method->states &&
         hn_state_layout(&to->arena.state, HN_STATE_MOTION, 0) ==
             hn_state_layout(&from->arena.state, HN_STATE_MOTION, 0);
}

// The start of a run has forgotten the histories.
static hn_status restore_delays(hn_simulation *s, const hn_block_sizes *b,
                                const unsigned char *block) {
  return hn_delays_restore(s, block + hn_block_size(b) - b->delays - b->memory, b->delays);
}

hn_status hn_block_start(hn_simulation *s, const hn_block_sizes *sizes,
                         const unsigned char *block) {
  *s->elements->is_held = 0;
  hn_status status = hn_simulation_begin(s);
  if (status == HN_OK) hn_simulation_reset_record(s);
  return status == HN_OK ? restore_delays(s, sizes, block) : status;
}

hn_status hn_simulation_copy_state(hn_simulation *to, const hn_simulation *from, const double *qd) {
  if (!is_alike(to, from)) return HN_ERROR_ARGUMENT;
  const hn_block_sizes sizes = hn_block_sizes_of(from, HN_STATE_MOTION, 0);
  const size_t size = hn_block_size(&sizes);
  unsigned char *block = hn_allocate(to->options.allocator, size + 1);
  if (!block) return HN_ERROR_MEMORY;
  const hn_method *m = from->method;
  hn_status status = hn_block_write(from, HN_STATE_MOTION, block);
  if (status == HN_OK) status = hn_block_read(to, HN_STATE_MOTION, &sizes, block, 1);
  to->given.is_new = from->model->input_count > 0;
  if (m->states > 0) memcpy(to->method->z, m->z, (size_t)m->states * sizeof(double));
  if (status == HN_OK) status = hn_simulation_set_state(to, m->t, m->q, qd ? qd : m->qd);
  if (status == HN_OK) status = restore_delays(to, &sizes, block);
  hn_release(to->options.allocator, block);
  return status;
}
