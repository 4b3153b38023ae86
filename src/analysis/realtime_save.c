// The state of a loop, kept in memory of its own and taken back (simulation_copy.c). Unlike
// hn_simulation_save it holds what decides about steps alone: no history of events, no checksum, no
// counts.
#include "analysis/realtime.h"
#include "base/error.h"

hn_status hn_realtime_take_room(hn_realtime *r, hn_saved_state *state) {
  const hn_block_sizes most = hn_block_sizes_of(r->simulation, HN_STATE_STEPS, 1);
  state->block = HN_TAKE(&r->arena, unsigned char, hn_block_size(&most));
  return r->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status find_slot(hn_realtime *r, int slot, hn_saved_state **state) {
  hn_simulation *s = r->simulation;
  if (slot < 0 || slot >= r->options.saved_states)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, "set saved_states in the options",
                   "there is no slot %d for a state; there are %d", slot, r->options.saved_states);
  *state = &r->saved[slot];
  return HN_OK;
}

hn_status hn_realtime_keep(hn_realtime *r, hn_saved_state *state) {
  state->sizes = hn_block_sizes_of(r->simulation, HN_STATE_STEPS, 0);
  state->count = r->count;
  state->start = r->start;
  const hn_status status = hn_block_write(r->simulation, HN_STATE_STEPS, state->block);
  state->is_there = status == HN_OK;
  return status;
}

hn_status hn_realtime_save(hn_realtime *r, int slot) {
  hn_saved_state *state = NULL;
  hn_status status = find_slot(r, slot, &state);
  return status == HN_OK ? hn_realtime_keep(r, state) : status;
}

hn_status hn_realtime_take_back(hn_realtime *r, const hn_saved_state *state) {
  r->simulation->error.status = HN_OK;
  r->count = state->count;
  r->start = state->start;
  return hn_block_read(r->simulation, HN_STATE_STEPS, &state->sizes, state->block, 1);
}

hn_status hn_realtime_restore(hn_realtime *r, int slot) {
  hn_saved_state *state = NULL;
  hn_status status = find_slot(r, slot, &state);
  if (status != HN_OK) return status;
  if (!state->is_there)
    return hn_fail(&r->simulation->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "call hn_realtime_save first", "no state was saved in slot %d", slot);
  return hn_realtime_take_back(r, state);
}
