// The state of a model that runs, as bytes: that of the simulation, and of the frame its inputs and its
// pull. Of the same model only.
#include <string.h>

#include "base/error.h"
#include "private.h"

typedef struct frame_state {
  double start, end;
  hn_pull now, next, wanted;
  int has_rested;
} frame_state;

static size_t input_size(const holon_engine *e) {
  return (size_t)hn_model_input_count(e->model) * sizeof(double);
}

HOLON_EXPORT(state_size) int holon_state_size(const holon_engine *e) {
  return (int)(sizeof(frame_state) + 3 * input_size(e) + hn_simulation_save_size(e->simulation));
}

static hn_status fail(holon_engine *e) {
  e->error = *hn_simulation_error(e->simulation);
  e->more_count = 0;
  return e->error.status;
}

HOLON_EXPORT(save) int holon_save(holon_engine *e, void *state, int size) {
  const size_t inputs = input_size(e);
  const double *lists[] = {e->input, e->input_next, e->input_wanted};
  frame_state frame;
  memset(&frame, 0, sizeof frame); // no bytes without a meaning
  frame.start = e->frame_start;
  frame.end = e->frame_end;
  frame.now = e->now;
  frame.next = e->next;
  frame.wanted = e->wanted;
  frame.has_rested = e->has_rested;
  unsigned char *to = state, *end = to + size;
  memcpy(to, &frame, sizeof frame);
  to += sizeof frame;
  for (int k = 0; k < 3; k++, to += inputs) memcpy(to, lists[k], inputs);
  return hn_simulation_save(e->simulation, to, (size_t)(end - to)) == HN_OK ? HN_OK : fail(e);
}

static hn_status foreign(holon_engine *e, int size) {
  return hn_fail(&e->error, HN_ERROR_ARGUMENT, NULL, NULL, "Restore what this model saved.",
                 "the state of %d bytes is not one of this model", size);
}

HOLON_EXPORT(restore) int holon_restore(holon_engine *e, const void *state, int size) {
  const size_t inputs = input_size(e);
  double *lists[] = {e->input, e->input_next, e->input_wanted};
  const unsigned char *from = state, *end = from + size;
  frame_state frame;
  e->more_count = 0;
  if (size < (int)(sizeof frame + 3 * inputs)) return foreign(e, size);
  memcpy(&frame, from, sizeof frame);
  const hn_pull *pulls[] = {&frame.now, &frame.next, &frame.wanted};
  for (int k = 0; k < 3; k++)
    if (pulls[k]->body < 0 || pulls[k]->body > hn_model_body_count(e->model))
      return foreign(e, size);
  from += sizeof frame;
  const unsigned char *simulation = from + 3 * inputs;
  // what forces read while accelerations are computed
  if (e->pulls) hn_pulls_move(e->pulls, &frame.now, &frame.next, frame.start, frame.end);
  if (hn_simulation_restore(e->simulation, simulation, (size_t)(end - simulation)) != HN_OK) {
    if (e->pulls) hn_pulls_move(e->pulls, &e->now, &e->next, e->frame_start, e->frame_end);
    return fail(e);
  }
  for (int k = 0; k < 3; k++, from += inputs) memcpy(lists[k], from, inputs);
  e->frame_start = frame.start;
  e->frame_end = frame.end;
  e->now = frame.now;
  e->next = frame.next;
  e->wanted = frame.wanted;
  e->has_rested = frame.has_rested;
  hn_simulation_look_at(e->simulation, hn_simulation_time(e->simulation));
  holon_read_all(e);
  return HN_OK;
}
