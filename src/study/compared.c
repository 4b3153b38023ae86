// Which signals two runs are compared by. Signals that belong to the method (steps, violations of
// constraints, the energy balance) have no error; undetermined signals are reported, not judged.
#include "study/compared.h"

#include <string.h>

#include "analysis/simulation.h"
#include "base/glob.h"
#include "model/contact.h"
#include "signals/signals_table.h"

#define MOST_OTHERS 5000 // recorded signals compared besides positions and velocities
#define MOST_FREE 2000   // judged signals that are asked whether anything determines them

static int is_of_method(const hn_simulation *s, int index) {
  hn_signal_place place = hn_signal_locate(s->signals, index);
  if (place.kind == HN_SIGNAL_CONSTRAINT || place.kind == HN_SIGNAL_STEP) return 1;
  return place.kind == HN_SIGNAL_ENERGY &&
         strcmp(hn_signals_name(s->signals, index), "energy.balance") == 0;
}

static int is_recorded(const hn_run_plan *plan, const char *name) {
  for (int k = 0; k < plan->signal_count; k++)
    if (hn_glob_match(plan->signals[k], name)) return 1;
  return plan->signal_count == 0;
}

// Impacts are possible: velocities and energies jump there.
static int has_impacts(const hn_simulation *s) {
  const hn_source *source = NULL;
  const char *remedy;
  char text[192];
  return hn_model_rigid_element(s->model, &source, &remedy, text, sizeof text) != NULL;
}

// Outputs made of positions, velocities and energies do not jump where a force does. They may use
// signals that are not listed, which have no mark.
static int jumps(const hn_simulation *s, const unsigned char *use, int index) {
  hn_signal_place place = hn_signal_locate(s->signals, index);
  if (index >= hn_signals_count(s->signals))
    return place.kind != HN_SIGNAL_BODY_LOCAL || place.quantity >= HN_BODY_LOCAL_ACCELERATION ||
           has_impacts(s);
  if (use[index] & HN_COMPARED_MOTION) return (use[index] & HN_COMPARED_RATE) && has_impacts(s);
  if (place.kind != HN_SIGNAL_OUTPUT) return place.kind != HN_SIGNAL_ENERGY || has_impacts(s);
  const hn_signal_output *out = &s->signals->outputs[place.element];
  if (!out->expression) return out->alias >= 0 && jumps(s, use, out->alias);
  for (int k = 0; k < out->used_count; k++)
    if (out->used[k] >= 0 && jumps(s, use, out->used[k])) return 1;
  return 0;
}

// Marks the use of each signal of the simulation.
static hn_status mark(hn_arena *arena, const hn_simulation *s, unsigned char **marks) {
  int all = hn_simulation_signal_count(s);
  int *indices = HN_TAKE(arena, int, all);
  unsigned char *use = HN_TAKE(arena, unsigned char, all);
  if (arena->failed) return HN_ERROR_MEMORY;
  int what = s->model->outputs.count > 0 ? HN_COMPARE_OUTPUTS : HN_COMPARE_POSITIONS;
  int count = hn_simulation_compared_signals(s, what, indices);
  for (int k = 0; k < count; k++)
    use[indices[k]] |= HN_COMPARED_JUDGED | HN_COMPARED_GRADED |
                       (what == HN_COMPARE_OUTPUTS ? HN_COMPARED_OUTPUT : 0);
  count = hn_simulation_compared_signals(s, HN_COMPARE_POSITIONS, indices);
  for (int k = 0; k < count; k++) use[indices[k]] |= HN_COMPARED_MOTION | HN_COMPARED_GRADED;
  count = hn_simulation_compared_signals(s, HN_COMPARE_VELOCITIES, indices);
  for (int k = 0; k < count; k++)
    use[indices[k]] |= HN_COMPARED_MOTION | HN_COMPARED_RATE | HN_COMPARED_GRADED;
  for (int i = 0; i < all; i++) {
    const hn_signal_place place = hn_signal_locate(s->signals, i);
    if (place.kind == HN_SIGNAL_STATE) use[i] |= HN_COMPARED_GRADED;
    if (place.kind == HN_SIGNAL_BODY && place.quantity == HN_BODY_QUATERNION &&
        use[i] & HN_COMPARED_MOTION)
      use[i] |= HN_COMPARED_ROTATION;
    if (!jumps(s, use, i)) use[i] |= HN_COMPARED_SMOOTH;
  }
  *marks = use;
  return HN_OK;
}

// Whether a signal belongs to a pass: 1 what is judged, 2 what else is graded, 3 what is recorded.
static int is_of_pass(const hn_simulation *s, const hn_run_plan *plan, int use, int index,
                      int pass) {
  const int is_judged = (use & HN_COMPARED_JUDGED) != 0;
  const int is_graded = (use & HN_COMPARED_GRADED) != 0;
  if (is_of_method(s, index)) return 0;
  if (pass == 1) return is_judged;
  if (pass == 2) return is_graded && !is_judged;
  return !is_judged && !is_graded && is_recorded(plan, hn_signals_name(s->signals, index));
}

// Three of four Euler parameters: the grade takes the angle of all from the first.
static int is_rest_of_rotation(const hn_simulation *s, int index) {
  const hn_signal_place place = hn_signal_locate(s->signals, index);
  return place.kind == HN_SIGNAL_BODY && place.quantity > HN_BODY_QUATERNION &&
         place.quantity < HN_BODY_ROLL;
}

static double mass_of(const hn_model *model) {
  double mass = 0;
  for (int b = 1; b < model->body_count; b++) mass += model->bodies[b].mass;
  return mass;
}

static double scale_of(hn_promise p) { return p.factor * p.floor; }

int hn_compared_is_energy(const hn_simulation *s, int index) {
  const char *unit = hn_simulation_signal_unit(s, index);
  const size_t length = unit ? strlen(unit) : 0;
  return length > 0 && unit[length - 1] == 'J';
}

// A force or acceleration that is an output counts in itself, not only by what it moves.
static hn_promise promise_of(const hn_simulation *s, int index, int use, double mass) {
  const char *unit = hn_simulation_signal_unit(s, index);
  const hn_promise p = hn_promise_of(unit, mass);
  if (!(use & HN_COMPARED_OUTPUT) || p.factor <= HN_ACCURACY_RATE ||
      hn_compared_is_energy(s, index))
    return p;
  const hn_promise of_output = {.factor = HN_ACCURACY_OUTPUT,
                                .floor = hn_promise_of(unit, 1).floor};
  return scale_of(of_output) < scale_of(p) ? of_output : p;
}

static int collect(const hn_simulation *s, const hn_run_plan *plan, const unsigned char *marks,
                   int pass, hn_compared *c) {
  int found = 0, all = hn_simulation_signal_count(s);
  const double mass = mass_of(s->model);
  for (int i = 0; i < all; i++) {
    if (!is_of_pass(s, plan, marks[i], i, pass)) continue;
    if (c) {
      c->same[c->count] = hn_simulation_signal_same(s, i);
      c->use[c->count] = marks[i];
      if (is_rest_of_rotation(s, i)) c->use[c->count] &= (unsigned char)~HN_COMPARED_GRADED;
      c->promise[c->count] = promise_of(s, i, marks[i], mass);
      c->unit_scale[c->count] = scale_of(hn_promise_of(hn_simulation_signal_unit(s, i), mass));
      c->signal[c->count++] = i;
    }
    found++;
  }
  return found;
}

// Leaves out undetermined signals, and outputs that depend on the method's own numbers.
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
  unsigned char *marks = NULL;
  int count[4] = {0};
  hn_status status = mark(arena, s, &marks);
  if (status != HN_OK) return status;
  for (int pass = 1; pass <= 3; pass++) count[pass] = collect(s, plan, marks, pass, NULL);
  int passes = count[3] <= MOST_OTHERS ? 3 : 2;
  int all = count[1] + count[2] + (passes == 3 ? count[3] : 0);
  c->signal = HN_TAKE(arena, int, all);
  c->same = HN_TAKE(arena, hn_signal_same, all);
  c->use = HN_TAKE(arena, unsigned char, all);
  c->promise = HN_TAKE(arena, hn_promise, all);
  c->unit_scale = HN_TAKE(arena, double, all);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int pass = 1; pass <= passes; pass++) collect(s, plan, marks, pass, c);
  c->outputs = count[1];
  return leave_free(arena, s, count[1] + count[2], c);
}
