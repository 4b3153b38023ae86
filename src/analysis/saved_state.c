// Validation of saved states from files: impossible values are rejected before any of them is used.
//
// Ranges are those that a run can produce; within them a modified state is another state of the
// same model, and harmless.
//
// Out of scope: data of sealed components and methods, which check them themselves.
#include "analysis/saved_state.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "holon/component.h"
#include "model/state.h"

// Counts continue from the restored ones and must not overflow.
#define MOST_COUNT (LONG_MAX / 4)
#define MOST_SAMPLES 9007199254740992.0 // 2^53: the next number is known

hn_status hn_refuse_saved(hn_simulation *s, const char *what, int index) {
  char place[32] = "";
  if (index >= 0) hn_text(place, sizeof place, " %d", index);
  return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL,
                 "save it again with @save_state from the same model and the same version of Holon",
                 "the saved state is damaged: %s%s is out of range", what, place);
}

int hn_is_saved_streak(int rapid, double last, int most) {
  return rapid >= 0 && rapid <= most && !isnan(last) && last < HUGE_VAL;
}

// ---- the record ---------------------------------------------------------------------------------

static hn_status check_numbers(hn_simulation *s, const hn_saved_record *r) {
  const hn_certificate *c = &r->certificate;
  const struct {
    const char *what;
    double value, least;
  } numbers[] = {
      {"the time", r->t, -HUGE_VAL},
      {"the work", r->work, -HUGE_VAL},
      {"the last step", r->last_step, 0},
      {"the next step", r->next_step, 0},
      {"the last error", r->last_error, 0},
      {"the energy at the start", r->initial_energy, -HUGE_VAL},
      {"the potential at the start", r->initial_potential, -HUGE_VAL},
      {"the largest energy", r->largest_energy, 0},
      {"a residual", r->unconverged_residual, 0},
      {"a constraint", c->constraint_position, 0},
      {"a constraint", c->constraint_velocity, 0},
      {"a constraint", c->constraint_acceleration, 0},
      {"the energy balance", c->energy_balance, 0},
      {"the energy balance", c->energy_relative, 0},
      {"a change by assembly", c->initial_change.position, 0},
      {"a change by assembly", c->initial_change.velocity, 0},
      {"the smallest step", c->steps_between.smallest, 0},
      {"the largest step", c->steps_between.largest, 0},
      {"the CPU time", c->cpu_seconds, 0},
      {"a residual", c->newton_unconverged_residual, 0},
      {"the energy balance", c->energy_part.relative, 0},
      {"the fastest motion", c->fastest_motion, 0},
      {"the depth of contacts", c->penetration, 0},
      {"the residual of contacts", c->contact_residual, 0},
      {"the loss in impacts", c->impact_loss, -HUGE_VAL},
      {"the loss by friction", c->friction_loss, -HUGE_VAL},
      {"a time of the method", r->choice.trial_time, -HUGE_VAL},
      {"a time of the method", r->choice.smooth_begin, -HUGE_VAL},
      {"a step of the method", r->choice.explicit_step, 0},
      {"a step of the method", r->choice.smooth_step, 0},
      {"a step of the method", r->choice.stable_step, 0},
      {"the time of a tilt", r->tilted.begin, -HUGE_VAL},
      {"the error by a tilt", r->tilted.error, 0},
      {"the time at the start", r->progress.start, -HUGE_VAL},
      {"the time of the last look", r->progress.time, -HUGE_VAL},
  };
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
    if (!isfinite(numbers[k].value) || numbers[k].value < numbers[k].least)
      return hn_refuse_saved(s, numbers[k].what, -1);
  if (r->choice.state == HN_AUTO_STEPPED && !(r->choice.explicit_step > 0))
    return hn_refuse_saved(s, "a step of the method", -1);
  return HN_OK;
}

static hn_status check_counts(hn_simulation *s, const hn_saved_record *r) {
  const hn_certificate *c = &r->certificate;
  const hn_auto_choice *a = &r->choice;
  const long counts[] = {c->steps_accepted,
                         c->steps_rejected,
                         c->steps_of_index_1,
                         c->steps_past.substituted,
                         c->steps_past.coasted,
                         c->evaluations,
                         c->factorizations,
                         c->newton_iterations,
                         c->newton_failures,
                         c->newton_unconverged_accepted,
                         c->projections,
                         c->selections,
                         c->events,
                         c->impacts,
                         c->grip_changes,
                         c->contacts_unresolved,
                         c->energy_part.body,
                         c->redundant,
                         c->ignored,
                         r->evaluations,
                         r->looks,
                         r->projections,
                         r->jacobians,
                         r->iterations,
                         r->newton_failures,
                         r->method_factorizations,
                         r->step_iterations,
                         r->selections,
                         r->unconverged,
                         a->wait,
                         a->next_wait,
                         a->trial_steps,
                         a->refused,
                         a->smooth_wait,
                         a->next_smooth_wait,
                         a->events,
                         a->steps_then,
                         a->events_then,
                         r->progress.attempts,
                         r->progress.refused};
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
    if (counts[k] < 0 || counts[k] > MOST_COUNT) return hn_refuse_saved(s, "count", (int)k);
  const int small[] = {a->stiff, a->calm, a->smooth, a->rough, a->held, r->progress.creeping};
  for (size_t k = 0; k < sizeof small / sizeof small[0]; k++)
    if (small[k] < 0 || small[k] > INT_MAX / 2)
      return hn_refuse_saved(s, "a count of the method", (int)k);
  const int flags[] = {a->is_changing, r->has_new_input, r->after_rejection, r->is_held,
                       r->has_resolution};
  for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++)
    if (flags[k] != 0 && flags[k] != 1) return hn_refuse_saved(s, "flag", (int)k);
  if (r->redundant_count < 0 || r->redundant_count > s->equations->redundant_size + 1)
    return hn_refuse_saved(s, "the number of redundant constraints", -1);
  if (r->rest_redundant < -1 || r->rest_redundant > s->equations->redundant_size + 1)
    return hn_refuse_saved(s, "the number of redundant constraints at rest", -1);
  if (r->progress.redundant < 0 || r->progress.redundant > s->equations->redundant_size + 1)
    return hn_refuse_saved(s, "the number of redundant constraints at the start", -1);
  if (r->warning_count < 0 || r->warning_count > HN_RUN_WARNINGS)
    return hn_refuse_saved(s, "the number of warnings", -1);
  if (r->tilted.warning < 0 || r->tilted.warning >= HN_RUN_WARNINGS)
    return hn_refuse_saved(s, "the warning of a tilt", -1);
  const struct hn_blind_step blind[2] = {r->blind_force, r->blind_turn};
  for (int k = 0; k < 2; k++)
    if (!(blind[k].limit >= 0) || blind[k].warning < 0 || blind[k].warning >= HN_RUN_WARNINGS)
      return hn_refuse_saved(s, "the warning of a step", k);
  return HN_OK;
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

static hn_status check_record(hn_simulation *s, const hn_saved_record *r) {
  hn_status status = check_numbers(s, r);
  if (status == HN_OK) status = check_counts(s, r);
  if (status != HN_OK) return status;
  // enums are read as numbers: a forged one may be none of its values
  int states[2];
  memcpy(&states[0], &r->choice.state, sizeof states[0]);
  memcpy(&states[1], &r->choice.next, sizeof states[1]);
  for (int k = 0; k < 2; k++)
    if (states[k] < HN_AUTO_EXPLICIT || states[k] > HN_AUTO_STEPPED ||
        !is_choice(s, (hn_auto_state)states[k]))
      return hn_refuse_saved(s, "the method in use", -1);
  if (!is_text(r->certificate.choice, sizeof r->certificate.choice))
    return hn_refuse_saved(s, "the reason for the method", -1);
  return HN_OK;
}

// ---- arrays -------------------------------------------------------------------------------------

// The arrays are unaligned in a file: items are copied out before they are read.
static const unsigned char *take(const unsigned char *at, void *item, size_t size) {
  memcpy(item, at, size);
  return at + size;
}

static hn_status check_finite(hn_simulation *s, const unsigned char **at, int count,
                              const char *what) {
  for (int k = 0; k < count; k++) {
    double value;
    *at = take(*at, &value, sizeof value);
    if (!isfinite(value)) return hn_refuse_saved(s, what, k);
  }
  return HN_OK;
}

// Sums of squares, and largest sizes.
static hn_status check_sums(hn_simulation *s, const unsigned char **at, int count,
                            const char *what) {
  for (int k = 0; k < count; k++) {
    double value;
    *at = take(*at, &value, sizeof value);
    if (!isfinite(value) || value < 0) return hn_refuse_saved(s, what, k);
  }
  return HN_OK;
}

static hn_status check_parts(hn_simulation *s, const unsigned char **at) {
  for (int k = 0; k < s->energy.parts.count; k++) {
    hn_saved_part p;
    *at = take(*at, &p, sizeof p);
    const double sum = p.start + p.potential + p.energy + p.size;
    if (!isfinite(sum) || !(p.largest >= 0) || !isfinite(p.largest) || !(p.balance >= 0) ||
        !isfinite(p.balance) || p.does_work < 0 || p.does_work > 1)
      return hn_refuse_saved(s, "the energy of part", k);
  }
  return HN_OK;
}

static hn_status check_branches(hn_simulation *s, const unsigned char **at) {
  const hn_elements *e = s->elements;
  for (int f = 0; f < e->force_branches; f++) {
    hn_branch branch;
    *at = take(*at, &branch, sizeof branch);
    const int is_free = s->stepping.mode == HN_RUN_REAL_TIME && branch.state == HN_BRANCH_FREE;
    if (is_free) branch.state = 0;
    if (s->stepping.mode == HN_RUN_REAL_TIME && branch.time == HN_BRANCH_FREE) branch.time = 0;
    if (!hn_force_has_branch(e, f, branch)) return hn_refuse_saved(s, "the branch of force", f);
  }
  for (int d = 0; d < e->driver_branches; d++) {
    int branch;
    *at = take(*at, &branch, sizeof branch);
    if (s->stepping.mode == HN_RUN_REAL_TIME && branch == HN_BRANCH_FREE) continue;
    if (!hn_driver_has_branch(e, d, branch)) return hn_refuse_saved(s, "the branch of driver", d);
  }
  return HN_OK;
}

static hn_status check_changes(hn_simulation *s, const unsigned char **at) {
  for (int f = 0; f < s->elements->force_branches; f++) {
    struct hn_last_change last;
    *at = take(*at, &last, sizeof last);
    if (!hn_is_saved_streak(last.rapid, last.time, HN_EVENT_CHATTER) || last.from < -1)
      return hn_refuse_saved(s, "the last change of force", f);
  }
  return HN_OK;
}

static hn_status check_inputs(hn_simulation *s, const unsigned char **at) {
  for (int k = 0; k < s->model->input_count; k++) {
    hn_input_state input;
    *at = take(*at, &input, sizeof input);
    const double sum =
        input.time + input.value + input.rate + input.acceleration + input.target + input.samples;
    // the pole is the model's own
    if (!isfinite(sum) || input.pole != s->inputs[k].pole || input.history != NULL)
      return hn_refuse_saved(s, "input", k);
  }
  return HN_OK;
}

// They are printed and written: texts that end, without what a terminal obeys.
static hn_status check_warnings(hn_simulation *s, const unsigned char **at) {
  for (int k = 0; k < HN_RUN_WARNINGS; k++) {
    hn_warning warning;
    *at = take(*at, &warning, sizeof warning);
    if (!is_text(warning.element, sizeof warning.element) ||
        !is_text(warning.message, sizeof warning.message))
      return hn_refuse_saved(s, "warning", k);
  }
  return HN_OK;
}

static hn_status check_events(hn_simulation *s, long count, const unsigned char **at) {
  for (int k = 0; k < HN_EVENT_HISTORY; k++) {
    hn_event event;
    *at = take(*at, &event, sizeof event);
    if (k >= count) continue;
    if (!isfinite(event.time) || event.force < -1 || event.force >= s->elements->force_branches ||
        event.contact < 0 || event.contact > s->model->contact_count || event.switched < 0 ||
        event.switched > s->model->switch_count)
      return hn_refuse_saved(s, "event", k);
  }
  return HN_OK;
}

// When a state was sampled last; of one with rules, which were true: a bit each.
static double most_samples(const hn_simulation *s, int k) {
  const hn_model *model = s->model;
  const double bits = (1L << HN_MOST_RULES) - 1;
  if (k < model->state_count)
    return model->states[k].law || model->states[k].follows ? MOST_SAMPLES : bits;
  k -= model->state_count;
  const hn_sealed_part *part = model->parts;
  for (; k >= part->facts->state_count; part++) k -= part->facts->state_count;
  return part->facts->state_every[k] >= 0 ? MOST_SAMPLES : bits;
}

static hn_status check_samples(hn_simulation *s, const unsigned char **at) {
  for (int k = 0; k < hn_simulation_sampled(s); k++) {
    double value;
    *at = take(*at, &value, sizeof value);
    if (!(value >= 0) || value > most_samples(s, k))
      return hn_refuse_saved(s, "the samples of state", k);
  }
  return HN_OK;
}

hn_status hn_check_saved_state(hn_simulation *s, const hn_saved_record *r,
                               const unsigned char *at) {
  hn_status status = check_record(s, r);
  if (status == HN_OK) status = check_finite(s, &at, s->equations->nq, "position");
  if (status == HN_OK) status = check_finite(s, &at, s->equations->nq, "velocity");
  if (status == HN_OK) status = check_finite(s, &at, s->equations->nq, "position at the start");
  if (status == HN_OK) status = check_finite(s, &at, s->method->states, "state");
  if (status == HN_OK) status = check_samples(s, &at);
  if (status == HN_OK) status = check_parts(s, &at);
  const int watched = s->resolution.count;
  if (status == HN_OK) status = check_finite(s, &at, 2 * watched, "the end of the last step");
  if (status == HN_OK) status = check_sums(s, &at, 2 * watched, "a sum over steps");
  if (status == HN_OK) status = check_branches(s, &at);
  if (status == HN_OK) status = check_finite(s, &at, s->elements->turn_count, "the turns of angle");
  for (int k = 0; k < s->equations->redundant_size && status == HN_OK; k++)
    if (*at++ > 1) status = hn_refuse_saved(s, "the mark of constraint", k);
  if (status == HN_OK) status = check_changes(s, &at);
  for (int f = 0; f < s->model->force_count && status == HN_OK; f++) {
    int seen;
    at = take(at, &seen, sizeof seen);
    if (seen < HN_BRANCH_FREE) status = hn_refuse_saved(s, "the branch seen of force", f);
  }
  if (status == HN_OK) status = check_inputs(s, &at);
  for (int k = 0; k < s->model->outputs.count && status == HN_OK; k++)
    if (*at++ > 1) status = hn_refuse_saved(s, "the mark of output", k);
  if (status == HN_OK) status = check_warnings(s, &at);
  if (status == HN_OK) status = check_events(s, r->certificate.events, &at);
  const int orientations = s->equations->orientation ? 4 * s->model->body_count : 0;
  return status == HN_OK ? check_finite(s, &at, orientations, "orientation") : status;
}
