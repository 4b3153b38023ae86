// The state of a simulation as one block of bytes. All copies are made here: states in files, those
// of real-time loops, and the states from which runs with other tolerances start.
//
// A run that reads a block continues as the one that wrote it, bit for bit. Methods keep matrices as
// the states they were made at, and make them again (integrate/memory.h).
#include <math.h>
#include <string.h>

#include "analysis/saved_state.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_delays.h"
#include "analysis/simulation_switches.h"
#include "base/error.h"
#include "equations/levels.h"
#include "integrate/time_stepping.h"

hn_block_sizes hn_block_sizes_of(const hn_simulation *s, int kinds, int at_most) {
  size_t (*const size)(const hn_state *, int, int) = at_most ? hn_state_largest : hn_state_size;
  const hn_state *state = &s->arena.state;
  return (hn_block_sizes){.common = size(state, kinds, 0),
                          .delays = size(state, kinds, hn_delays_part(s)),
                          .method =
                              kinds & HN_STATE_METHOD ? size(state, kinds, s->method->part) : 0,
                          .nested = hn_nested_save_size(s->equations)};
}

size_t hn_block_size(const hn_block_sizes *b) {
  return b->common + b->delays + b->method + b->nested;
}

hn_status hn_block_write(const hn_simulation *s, int kinds, unsigned char *to) {
  const hn_state *state = &s->arena.state;
  to = hn_state_write(state, kinds, 0, to);
  to = hn_state_write(state, kinds, hn_delays_part(s), to);
  if (kinds & HN_STATE_METHOD) to = hn_state_write(state, kinds, s->method->part, to);
  return hn_nested_save(s->equations, to);
}

// A part of these bytes, all of them.
static hn_status read_state_part(hn_simulation *s, int kinds, int part, const unsigned char *from,
                                 size_t size, int is_known) {
  const hn_state *state = &s->arena.state;
  int index = -1;
  if (hn_state_read(state, kinds, part, from, size) != from + size)
    return hn_refuse_saved(s, "the size of a part", -1);
  const hn_state_field *bad = is_known ? NULL : hn_state_check(state, kinds, part, &index);
  return bad ? hn_refuse_saved(s, bad->name, index) : HN_OK;
}

// The common part, and all that it decides about.
static hn_status read_common(hn_simulation *s, int kinds, const hn_block_sizes *b,
                             const unsigned char *from, int is_known) {
  hn_status status = read_state_part(s, kinds, 0, from, b->common, is_known);
  if (status == HN_OK && !is_known) status = hn_check_saved_state(s, kinds);
  if (status == HN_OK) status = hn_contacts_take_up(s);
  return status;
}

static hn_status read_delays(hn_simulation *s, const hn_block_sizes *b, const unsigned char *block,
                             int is_known) {
  const hn_status status = read_state_part(s, HN_STATE_MOTION, hn_delays_part(s), block + b->common,
                                           b->delays, is_known);
  return status == HN_OK && !is_known ? hn_delays_check(s) : status;
}

static hn_status read_nested(hn_simulation *s, const unsigned char *from) {
  const hn_status status = hn_nested_restore(s->equations, from);
  if (status == HN_OK) return HN_OK;
  return hn_fail(&s->error, status, NULL, NULL,
                 "check the functions of the component that save and restore",
                 "a component cannot restore its state: %s", hn_status_text(status));
}

static void read_again(hn_simulation *s, int kinds, const hn_block_sizes *b,
                       const unsigned char *block) {
  const hn_state *state = &s->arena.state;
  hn_state_read(state, kinds, 0, block, b->common);
  hn_state_read(state, kinds, s->method->part, block + b->common + b->delays, b->method);
}

// Matrices that are made again of what was kept may be singular: no run has left such numbers.
static hn_status resume_method(hn_simulation *s) {
  const hn_status status = s->method->type->resume ? s->method->type->resume(s->method) : HN_OK;
  if (status == HN_OK || status == HN_ERROR_MEMORY) return status;
  return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL,
                 "save it again with @save_state from the same model and the same version of Holon",
                 "the saved state is damaged: it has impossible numbers");
}

// Fields are read once more after the method has started at them, and after it has made again what it
// keeps: both count, and change them.
static hn_status read_method(hn_simulation *s, int kinds, const hn_block_sizes *b,
                             const unsigned char *block) {
  const hn_branches look = hn_branches_to_look(&s->branches); // rows stay as they were chosen
  if (s->method->states > 0) hn_states_set(s->elements, s->method->z);
  s->method->step_end = -HUGE_VAL; // nothing of the last step is known to it
  hn_status status = s->method->type->begin(s->method, &look, &s->error);
  read_again(s, kinds, b, block);
  if (status == HN_OK) status = resume_method(s);
  s->control = hn_step_control_begin(s->method->error_order);
  read_again(s, kinds, b, block);
  s->stepping.has_dense = 0; // there is no step to look back into
  s->view = (struct hn_view){s->method->now, &s->branches, s->method->work};
  return status;
}

hn_status hn_block_read(hn_simulation *s, int kinds, const hn_block_sizes *b,
                        const unsigned char *from, int is_known) {
  const unsigned char *method = from + b->common + b->delays;
  const int has_method = kinds & HN_STATE_METHOD;
  hn_status status = read_common(s, kinds, b, from, is_known);
  if (status == HN_OK) status = read_delays(s, b, from, is_known);
  if (status == HN_OK && has_method) status = hn_auto_take_up(s);
  if (status == HN_OK && has_method)
    status = read_state_part(s, kinds, s->method->part, method, b->method, is_known);
  if (status != HN_OK) return status;
  hn_switches_take_up(s);
  status = read_nested(s, method + b->method);
  return status == HN_OK && has_method ? read_method(s, kinds, b, from) : status;
}

// ---- into another simulation --------------------------------------------------------------------

static int is_alike(const hn_simulation *to, const hn_simulation *from) {
  return to->model == from->model && to->equations->nq == from->equations->nq &&
         to->method->states == from->method->states &&
         hn_state_layout(&to->arena.state, HN_STATE_MOTION, 0) ==
             hn_state_layout(&from->arena.state, HN_STATE_MOTION, 0);
}

hn_status hn_block_start(hn_simulation *s, const hn_block_sizes *sizes,
                         const unsigned char *block) {
  *s->elements->is_held = 0;
  hn_status status = hn_simulation_begin(s);
  if (status == HN_OK) hn_simulation_reset_record(s);
  // the start of a run has forgotten the histories
  return status == HN_OK ? read_delays(s, sizes, block, 1) : status;
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
  if (status == HN_OK) status = read_delays(to, &sizes, block, 1);
  if (status == HN_OK) hn_time_stepping_show(to->method, m);
  hn_release(to->options.allocator, block);
  return status;
}
