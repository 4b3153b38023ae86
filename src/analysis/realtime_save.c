// The state of a loop, kept in memory of its own and taken back. Unlike hn_simulation_save it holds the
// state alone: no history of events, no checksum, no counts.
//
// What a method keeps from step to step is kept with it (integrate/memory.h): saving changes
// nothing, and both runs continue with the same bits.
#include <string.h>

#include "analysis/realtime.h"
#include "analysis/simulation_delays.h"
#include "base/error.h"
#include "integrate/memory.h"

// Redundant rows, with those that coordinates keep behind them.
static int row_count(const hn_simulation *s) { return s->equations->redundant_size; }

hn_status hn_realtime_take_room(hn_realtime *r, hn_saved_state *state) {
  const hn_simulation *s = r->simulation;
  hn_arena *arena = &r->arena;
  // with states of laws behind them, and how many samples were taken of each
  state->q =
      HN_TAKE(arena, double, s->equations->nq + s->method->states + hn_simulation_sampled(s));
  state->qd = HN_TAKE(arena, double, s->equations->nq);
  state->turns = HN_TAKE(arena, double, s->elements->turn_count);
  state->seen = HN_TAKE(arena, int, s->model->force_count);
  state->redundant = HN_TAKE(arena, unsigned char, row_count(s));
  state->inputs = HN_TAKE(arena, hn_input_state, s->model->input_count);
  state->memory_size = hn_method_memory_size(s->method);
  state->memory = HN_TAKE(arena, unsigned char, state->memory_size);
  state->history = HN_TAKE(arena, unsigned char, hn_delays_save_size(s, 1));
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status find_slot(hn_realtime *r, int slot, hn_saved_state **state) {
  hn_simulation *s = r->simulation;
  if (slot < 0 || slot >= r->options.saved_states)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, "set saved_states in the options",
                   "there is no slot %d for a state; there are %d", slot, r->options.saved_states);
  *state = &r->saved[slot];
  return HN_OK;
}

#define COPY(to, from, count) memcpy(to, from, (size_t)(count) * sizeof *(to))

hn_status hn_realtime_keep(hn_realtime *r, hn_saved_state *state) {
  hn_simulation *s = r->simulation;
  hn_method *m = s->method;
  hn_method_save(m, state->memory);
  state->t = m->t;
  state->work = m->work;
  state->last_step = s->stepping.last;
  state->count = r->count;
  state->start = r->start;
  state->redundant_count = s->equations->redundant_count;
  state->has_new_input = s->given.is_new;
  COPY(state->q, m->q, s->equations->nq);
  double *states = state->q + s->equations->nq;
  for (int k = 0; k < m->states; k++) states[k] = m->z[k];
  for (int k = 0; k < hn_simulation_sampled(s); k++) states[m->states + k] = s->samples[k];
  COPY(state->qd, m->qd, s->equations->nq);
  COPY(state->turns, s->branches.turns, s->elements->turn_count);
  COPY(state->seen, s->realtime.seen, s->model->force_count);
  COPY(state->redundant, s->equations->redundant, row_count(s));
  COPY(state->inputs, s->inputs, s->model->input_count);
  state->history_size = hn_delays_save_size(s, 0);
  (void)hn_delays_save(s, state->history);
  state->is_there = 1;
  return HN_OK;
}

hn_status hn_realtime_save(hn_realtime *r, int slot) {
  hn_saved_state *state = NULL;
  hn_status status = find_slot(r, slot, &state);
  return status == HN_OK ? hn_realtime_keep(r, state) : status;
}

hn_status hn_realtime_take_back(hn_realtime *r, const hn_saved_state *state) {
  hn_simulation *s = r->simulation;
  hn_method *m = s->method;
  m->t = state->t;
  m->work = state->work;
  s->stepping.last = state->last_step;
  r->count = state->count;
  r->start = state->start;
  s->equations->redundant_count = state->redundant_count;
  s->given.is_new = state->has_new_input;
  COPY(m->q, state->q, s->equations->nq);
  const double *states = state->q + s->equations->nq;
  for (int k = 0; k < m->states; k++) m->z[k] = states[k];
  for (int k = 0; k < hn_simulation_sampled(s); k++) s->samples[k] = states[m->states + k];
  COPY(m->qd, state->qd, s->equations->nq);
  COPY(s->branches.turns, state->turns, s->elements->turn_count);
  COPY(s->realtime.seen, state->seen, s->model->force_count);
  COPY(s->equations->redundant, state->redundant, row_count(s));
  COPY(s->inputs, state->inputs, s->model->input_count);
  s->error.status = HN_OK;
  hn_status status = hn_delays_restore(s, state->history, state->history_size);
  if (status == HN_OK)
    status = hn_method_restore(m, &s->branches, state->memory, state->memory_size, &s->error);
  s->stepping.has_dense = 0;
  s->view.snapshot = m->now;
  s->view.branches = &s->branches;
  s->view.work = m->work;
  return status;
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
