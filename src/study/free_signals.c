// Signals on which formulations need not agree: reactions of joints that say the same thing twice,
// spins that meet no inertia, and signals of the method rather than of the model. Outputs are free
// if their inputs are.
#include "holon/verify.h"

#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "signals/signals_table.h"

enum { FIRST_ROTATION = 9 }; // of a body's quantities: angular velocity and what follows

static const hn_redundant_joint *find_listed(const hn_mobility *mobility, int id, int is_driver) {
  for (int k = 0; k < mobility->not_unique_count; k++) {
    const hn_redundant_joint *entry = &mobility->not_unique[k];
    if (entry->id == id && !entry->is_driver == !is_driver) return entry;
  }
  return NULL;
}

static int is_weightless(const hn_mobility *mobility, int body) {
  for (int k = 0; k < mobility->weightless_count; k++)
    if (mobility->weightless[k] == body) return 1;
  return 0;
}

// The first reason stays. '@' is replaced by the name.
static void say(hn_verify_note *note, const char *text, const char *name) {
  if (note->reason[0]) return;
  size_t before = strcspn(text, "@");
  const char *after = text[before] ? text + before + 1 : "";
  hn_text(note->reason, sizeof note->reason, "%.*s%.120s%s", (int)before, text, name, after);
}

static void judge(const hn_simulation *s, const hn_mobility *mobility, int signal,
                  hn_verify_note *note);

static void judge_output(const hn_simulation *s, const hn_mobility *mobility, int output,
                         hn_verify_note *note) {
  const hn_signal_output *out = &s->signals->outputs[output];
  if (!out->expression && out->alias >= 0) {
    judge(s, mobility, out->alias, note);
    return;
  }
  for (int k = 0; k < out->used_count; k++)
    if (out->used[k] >= 0) judge(s, mobility, out->used[k], note);
}

static void judge_joint(const hn_simulation *s, const hn_mobility *mobility, hn_signal_place place,
                        hn_verify_note *note) {
  const hn_joint_def *joint = &s->model->joints[place.element];
  hn_coordinate c = (hn_coordinate)(place.quantity / 3);
  if (c != HN_COORDINATE_ANGLE && c != HN_COORDINATE_ANGLE2) return;
  int bodies[2] = {joint->frame1.body, joint->frame2.body};
  for (int k = 0; k < 2; k++)
    if (is_weightless(mobility, bodies[k]))
      say(note, "nothing determines the spin of body '@', which has no inertia about it",
          s->model->bodies[bodies[k]].name);
}

// Of a joint that shares its load only some components are open.
static void judge_reaction(const hn_simulation *s, const hn_mobility *mobility,
                           hn_signal_place place, hn_verify_note *note) {
  const hn_redundant_joint *entry = find_listed(mobility, place.element, 0);
  if (!entry) return;
  int is_local = place.kind == HN_SIGNAL_REACTION_LOCAL;
  if (!(is_local ? entry->local : entry->global)[place.quantity]) return;
  note->is_shared = 1;
  say(note, "statically indeterminate: joint '@' shares this reaction component with other joints",
      s->model->joints[place.element].name);
}

static void judge_driver(const hn_simulation *s, const hn_mobility *mobility, int driver,
                         hn_verify_note *note) {
  if (!find_listed(mobility, driver, 1)) return;
  note->is_shared = 1;
  say(note, "statically indeterminate: driver '@' shares its force with joints or other drivers",
      s->model->drivers[driver].name);
}

static void judge(const hn_simulation *s, const hn_mobility *mobility, int signal,
                  hn_verify_note *note) {
  hn_signal_place place = hn_signal_locate(s->signals, signal);
  switch (place.kind) {
  case HN_SIGNAL_OUTPUT: judge_output(s, mobility, place.element, note); break;
  case HN_SIGNAL_BODY_LOCAL:
  case HN_SIGNAL_BODY:
    if ((place.kind == HN_SIGNAL_BODY_LOCAL || place.quantity >= FIRST_ROTATION) &&
        is_weightless(mobility, place.element))
      say(note, "nothing determines the spin of body '@', which has no inertia about it",
          s->model->bodies[place.element].name);
    break;
  case HN_SIGNAL_JOINT: judge_joint(s, mobility, place, note); break;
  case HN_SIGNAL_REACTION:
  case HN_SIGNAL_REACTION_LOCAL: judge_reaction(s, mobility, place, note); break;
  case HN_SIGNAL_DRIVER: judge_driver(s, mobility, place.element, note); break;
  case HN_SIGNAL_ENERGY:
    if (strcmp(hn_signals_name(s->signals, signal), "energy.balance") == 0)
      say(note, "an error of the method, not a property of the model", "");
    break;
  case HN_SIGNAL_CONSTRAINT:
  case HN_SIGNAL_STEP: say(note, "belongs to the method, not to the model", ""); break;
  case HN_SIGNAL_MARKER:
  case HN_SIGNAL_FORCE:
  case HN_SIGNAL_FORCE_VECTOR:
  case HN_SIGNAL_CONTACT:
  case HN_SIGNAL_TYRE:
  case HN_SIGNAL_INPUT:
  case HN_SIGNAL_STATE:
  case HN_SIGNAL_NONE: break;
  }
}

hn_status hn_simulation_free_signals(hn_simulation *s, const int *signals, int count,
                                     hn_verify_note *notes) {
  hn_mobility mobility = {0};
  hn_status status = hn_simulation_mobility(s, &mobility);
  if (status != HN_OK) return status;
  for (int k = 0; k < count; k++) {
    const char *name = hn_simulation_signal_name(s, signals[k]);
    notes[k].reason[0] = '\0';
    notes[k].is_shared = 0;
    hn_text(notes[k].subject, sizeof notes[k].subject, "%s", name ? name : "");
    judge(s, &mobility, signals[k], &notes[k]);
  }
  hn_mobility_free(&mobility);
  return HN_OK;
}
