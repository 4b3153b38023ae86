// Validation of a state that was read: impossible values are rejected before any of them is used.
//
// Ranges are those that a run can produce; within them a modified state is another state of the
// same model, and harmless. Numbers have theirs where they are declared (base/state.h).
//
// Out of scope: data of sealed components and methods, which check them themselves.
#include "analysis/saved_state.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "holon/component.h"
#include "model/state.h"

#define MOST_SAMPLES 9007199254740992.0 // 2^53: the next number is known

hn_status hn_refuse_saved(hn_simulation *s, const char *what, int index) {
  char place[32] = "";
  if (index >= 0) hn_text(place, sizeof place, " %d", index);
  return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL,
                 "save it again with @save_state from the same model and the same version of Holon",
                 "the saved state is damaged: %s%s is out of range", what, place);
}

// The method of a choice must be there, or be one that can be made.
static int is_choice(const hn_simulation *s, hn_auto_state state) {
  switch (state) {
  case HN_AUTO_EXPLICIT: return 1;
  case HN_AUTO_SMOOTH: return s->automatic.is_choosing && s->automatic.smooth_method != NULL;
  case HN_AUTO_TRIAL:
  case HN_AUTO_IMPLICIT: return s->automatic.is_choosing;
  case HN_AUTO_STEPPED: return s->automatic.stepping_method != NULL;
  }
  return 0;
}

// A text that ends, without control characters.
static int is_text(const char *text, size_t size) {
  size_t length = 0;
  while (length < size && text[length]) {
    const unsigned char c = (unsigned char)text[length];
    if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f) return 0;
    length++;
  }
  return length < size;
}

static hn_status check_texts(hn_simulation *s) {
  if (!is_text(s->certificate.choice, sizeof s->certificate.choice))
    return hn_refuse_saved(s, "the reason for the method", -1);
  for (int k = 0; k < HN_RUN_WARNINGS; k++) {
    const hn_warning *w = &s->told.warnings[k];
    if (!is_text(w->element, sizeof w->element) || !is_text(w->message, sizeof w->message))
      return hn_refuse_saved(s, "warning", k);
  }
  return HN_OK;
}

static hn_status check_choice(hn_simulation *s) {
  const hn_auto_choice *a = &s->automatic.choice;
  if (!is_choice(s, a->state) || !is_choice(s, a->next))
    return hn_refuse_saved(s, "the method in use", -1);
  if (a->state == HN_AUTO_STEPPED && !(a->explicit_step > 0))
    return hn_refuse_saved(s, "a step of the method", -1);
  return HN_OK;
}

static hn_status check_branches(hn_simulation *s) {
  const hn_elements *e = s->elements;
  const int is_real_time = s->stepping.mode == HN_RUN_REAL_TIME;
  for (int f = 0; f < e->force_branches; f++) {
    hn_branch branch = s->branches.force[f];
    if (is_real_time && branch.state == HN_BRANCH_FREE) branch.state = 0;
    if (is_real_time && branch.time == HN_BRANCH_FREE) branch.time = 0;
    if (!hn_force_has_branch(e, f, branch)) return hn_refuse_saved(s, "the branch of force", f);
    const struct hn_last_change *last = &s->last_change[f];
    if (last->rapid < 0 || last->rapid > HN_EVENT_CHATTER || !(last->time < HUGE_VAL) ||
        last->from < -1)
      return hn_refuse_saved(s, "the last change of force", f);
  }
  for (int d = 0; d < e->driver_branches; d++) {
    const int branch = s->branches.driver[d];
    if (is_real_time && branch == HN_BRANCH_FREE) continue;
    if (!hn_driver_has_branch(e, d, branch)) return hn_refuse_saved(s, "the branch of driver", d);
  }
  return HN_OK;
}

// The pole of a filter is the model's own. Inputs have no history here: it would be an address.
static hn_status check_inputs(hn_simulation *s) {
  for (int k = 0; k < s->model->input_count; k++) {
    const hn_input_state *i = &s->inputs[k];
    const double own = hn_model_input_start(s->model, k).pole;
    const int is_swinging = own == 0 && i->pole < 0;
    const double sum =
        i->time + i->value + i->rate + i->acceleration + i->target + i->samples + i->pole;
    if (!isfinite(sum) || !(i->pole == own || is_swinging) || i->history != NULL)
      return hn_refuse_saved(s, "input", k);
  }
  return HN_OK;
}

static hn_status check_events(hn_simulation *s) {
  for (int k = 0; k < HN_EVENT_HISTORY && k < s->certificate.events; k++) {
    const hn_event *event = &s->events[k];
    if (!isfinite(event->time) || event->force < -1 ||
        event->force >= s->elements->force_branches || event->contact < 0 ||
        event->contact > s->model->contact_count || event->switched < 0 ||
        event->switched > s->model->switch_count)
      return hn_refuse_saved(s, "event", k);
  }
  return HN_OK;
}

// When a state was sampled last; of one with rules, which were true: a bit each.
static double most_samples(const hn_simulation *s, int k) {
  const hn_model *model = s->model;
  const double bits = (1L << HN_MOST_RULES) - 1;
  if (k < model->state_count)
    return model->states[k].law || model->states[k].every > 0 ? MOST_SAMPLES : bits;
  k -= model->state_count;
  const hn_sealed_part *part = model->parts;
  for (; k >= part->facts->state_count; part++) k -= part->facts->state_count;
  return part->facts->state_every[k] >= 0 ? MOST_SAMPLES : bits;
}

static hn_status check_samples(hn_simulation *s) {
  for (int k = 0; k < hn_simulation_sampled(s); k++)
    if (s->samples[k] > most_samples(s, k)) return hn_refuse_saved(s, "the samples of state", k);
  return HN_OK;
}

hn_status hn_check_saved_state(hn_simulation *s, int kinds) {
  const int is_whole = kinds & HN_STATE_RECORD;
  hn_status status = check_samples(s);
  if (status == HN_OK) status = check_inputs(s);
  if (status == HN_OK) status = check_branches(s);
  if (status == HN_OK) status = check_choice(s);
  if (status == HN_OK && is_whole) status = check_texts(s);
  if (status == HN_OK && is_whole) status = check_events(s);
  return status;
}
