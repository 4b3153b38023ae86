// Which signals two runs are compared by. Signals that belong to the method (steps, violations of
// constraints, the energy balance) have no error; signals that nothing determines are told, not judged.
#include "study/compared.h"

#include <string.h>

#include "analysis/simulation.h"
#include "holon/verify.h"
#include "results/glob.h"
#include "results/signals_table.h"

#define MOST_OTHERS 5000 // recorded signals that are compared beside positions and velocities
#define MOST_FREE 2000   // judged signals that are asked whether anything determines them

enum { BODY_POSITION = 3, BODY_VELOCITY = 6, BODY_SPIN = 9, BODY_SPIN_END = 12 };

// Position, velocity, and angular velocity, in the order of a body's quantities.
static int is_motion(hn_signal_place place) {
  return place.kind == HN_SIGNAL_BODY &&
         (place.quantity < BODY_VELOCITY ||
          (place.quantity >= BODY_SPIN && place.quantity < BODY_SPIN_END));
}

static int is_of_method(const hn_simulation *s, hn_signal_place place, int index) {
  if (place.kind == HN_SIGNAL_CONSTRAINT || place.kind == HN_SIGNAL_STEP) return 1;
  return place.kind == HN_SIGNAL_ENERGY &&
         strcmp(hn_signals_name(s->signals, index), "energy.balance") == 0;
}

// What verify compares of a machine without outputs.
static int is_coordinate(hn_signal_place place) {
  if (place.kind == HN_SIGNAL_BODY) return place.quantity < BODY_POSITION;
  return place.kind == HN_SIGNAL_JOINT && place.quantity % 3 == 0;
}

static int is_recorded(const hn_run_plan *plan, const char *name) {
  for (int k = 0; k < plan->signal_count; k++)
    if (hn_glob_match(plan->signals[k], name)) return 1;
  return plan->signal_count == 0;
}

static int jumps(const hn_simulation *s, hn_signal_place place) {
  if (place.kind == HN_SIGNAL_JOINT) return place.quantity % 3 == 2;
  if (place.kind != HN_SIGNAL_OUTPUT) return !is_motion(place) && place.kind != HN_SIGNAL_ENERGY;
  const hn_signal_output *out = &s->signals->outputs[place.element];
  if (!out->expression)
    return out->alias >= 0 && jumps(s, hn_signal_locate(s->signals, out->alias));
  for (int k = 0; k < out->used_count; k++)
    if (out->used[k] >= 0 && jumps(s, hn_signal_locate(s->signals, out->used[k]))) return 1;
  return 0;
}

// Whether a signal belongs to a pass, and as what: 1 outputs or coordinates, 2 motion, 3 the rest.
static int use_in_pass(hn_simulation *s, const hn_run_plan *plan, int index, int pass, int *use) {
  hn_signal_place place = hn_signal_locate(s->signals, index);
  int has_outputs = s->model->output_count > 0;
  int is_first = has_outputs ? place.kind == HN_SIGNAL_OUTPUT : is_coordinate(place);
  int moves = is_motion(place);
  *use = (is_first ? HN_COMPARED_JUDGED : 0) | (moves ? HN_COMPARED_MOTION : 0) |
         (jumps(s, place) ? 0 : HN_COMPARED_SMOOTH);
  if (is_of_method(s, place, index)) return 0;
  if (pass == 1) return is_first;
  if (pass == 2) return moves && !is_first;
  return !is_first && !moves && is_recorded(plan, hn_signals_name(s->signals, index));
}

static int collect(hn_simulation *s, const hn_run_plan *plan, int pass, hn_compared *c) {
  int found = 0, all = hn_simulation_signal_count(s);
  for (int i = 0; i < all; i++) {
    int use;
    if (!use_in_pass(s, plan, i, pass, &use)) continue;
    if (c) {
      c->signal[c->count] = i;
      c->use[c->count++] = (unsigned char)use;
    }
    found++;
  }
  return found;
}

// What nothing determines may differ, and so may outputs that are made of the method's own numbers.
static hn_status leave_free(hn_arena *arena, hn_simulation *s, int count, hn_compared *c) {
  if (count > MOST_FREE || count == 0) return HN_OK;
  hn_verify_note *notes = HN_TAKE(arena, hn_verify_note, count);
  if (!notes) return HN_ERROR_MEMORY;
  if (hn_simulation_free_signals(s, c->signal, count, notes) != HN_OK) return HN_OK;
  for (int k = 0; k < count; k++)
    if (notes[k].reason[0]) c->use[k] &= HN_COMPARED_SMOOTH;
  return HN_OK;
}

hn_status hn_compared_choose(hn_arena *arena, hn_simulation *s, const hn_run_plan *plan,
                             hn_compared *c) {
  *c = (hn_compared){0};
  int count[4] = {0};
  for (int pass = 1; pass <= 3; pass++) count[pass] = collect(s, plan, pass, NULL);
  int passes = count[3] <= MOST_OTHERS ? 3 : 2;
  int all = count[1] + count[2] + (passes == 3 ? count[3] : 0);
  c->signal = HN_TAKE(arena, int, all);
  c->use = HN_TAKE(arena, unsigned char, all);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int pass = 1; pass <= passes; pass++) collect(s, plan, pass, c);
  c->outputs = count[1];
  return leave_free(arena, s, count[1] + count[2], c);
}
