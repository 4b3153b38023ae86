// Fields of the state that decide about the motion, by name, to be read and set: those of numbers.
// Inputs have functions of their own, directions of slip follow from velocities, and histories of
// delays are in saved states only.
#include <math.h>
#include <string.h>

#include "analysis/saved_state.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_switches.h"
#include "base/error.h"

static int is_open(const hn_simulation *s, const hn_state_field *f) {
  return f->kind == HN_STATE_MOTION && f->type != HN_STATE_OTHER && f->count > 0 &&
         (f->part == 0 || f->part == s->method->part);
}

// Null: no field has this number.
static const hn_state_field *field_at(const hn_simulation *s, int index) {
  const hn_state *state = &s->arena.state;
  for (int k = 0; k < state->count && index >= 0; k++)
    if (is_open(s, &state->fields[k]) && index-- == 0) return &state->fields[k];
  return NULL;
}

int hn_simulation_field_count(const hn_simulation *s) {
  int count = 0;
  for (int k = 0; k < s->arena.state.count; k++) count += is_open(s, &s->arena.state.fields[k]);
  return count;
}

hn_field_info hn_simulation_field(const hn_simulation *s, int index) {
  const hn_state_field *f = field_at(s, index);
  if (!f) return (hn_field_info){0};
  return (hn_field_info){.name = f->name,
                         .count = (int)f->count,
                         .lower = f->lower,
                         .upper = f->upper,
                         .is_integer = f->type != HN_STATE_DOUBLE};
}

hn_status hn_simulation_read_field(const hn_simulation *s, int index, double *values) {
  const hn_state_field *f = field_at(s, index);
  if (!f) return HN_ERROR_ARGUMENT;
  for (size_t i = 0; i < f->count; i++) values[i] = hn_state_number(f, i);
  return HN_OK;
}

static hn_status check_values(hn_simulation *s, const hn_state_field *f, const double *values) {
  for (size_t i = 0; i < f->count; i++) {
    const int is_whole = f->type == HN_STATE_DOUBLE ||
                         (values[i] == floor(values[i]) && fabs(values[i]) < 2147483648.0);
    if (values[i] >= f->lower && values[i] <= f->upper && is_whole) continue;
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "give a number that hn_simulation_field allows", "%s %zu cannot be %g", f->name,
                   i, values[i]);
  }
  return HN_OK;
}

// Computes the data that follow from the fields, then starts a run there, which may move it (impacts).
static hn_status take_up(hn_simulation *s, const hn_block_sizes *sizes, const unsigned char *block,
                         int *has_started) {
  hn_status status = hn_check_saved_state(s, HN_STATE_MOTION);
  if (status == HN_OK) status = hn_contacts_take_up(s);
  if (status != HN_OK) return status;
  *has_started = 1;
  hn_switches_take_up(s);
  return hn_block_start(s, sizes, block);
}

hn_status hn_simulation_set_field(hn_simulation *s, int index, const double *values) {
  const hn_state_field *f = field_at(s, index);
  if (!f)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, "use hn_simulation_field_count",
                   "there is no field %d of the state", index);
  hn_status status = check_values(s, f, values);
  if (status != HN_OK) return status;
  const hn_state *state = &s->arena.state;
  const hn_block_sizes sizes = hn_block_sizes_of(s, HN_STATE_MOTION, 0);
  const size_t own = hn_state_size(state, HN_STATE_MOTION, s->method->part);
  unsigned char *before = hn_allocate(s->options.allocator, hn_block_size(&sizes) + own);
  if (!before)
    return hn_fail(&s->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a state");
  int has_started = 0;
  unsigned char *of_method = before + hn_block_size(&sizes);
  status = hn_block_write(s, HN_STATE_MOTION, before);
  hn_state_write(state, HN_STATE_MOTION, s->method->part, of_method);
  for (size_t i = 0; i < f->count; i++) hn_state_set_number(f, i, values[i]);
  if (status == HN_OK) status = take_up(s, &sizes, before, &has_started);
  if (status != HN_OK) {
    const hn_error error = s->error;
    hn_state_read(state, HN_STATE_MOTION, s->method->part, of_method, own);
    if (hn_block_read(s, HN_STATE_MOTION, &sizes, before, 1) == HN_OK && has_started)
      hn_block_start(s, &sizes, before);
    s->error = error;
  }
  hn_release(s->options.allocator, before);
  return status;
}
