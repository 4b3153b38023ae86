// States of functions in a simulation: their initial values, samples, which change them at given
// times, and rules, which change them when conditions become true.
//
// Steps end where a sample is due. It is taken when the next step starts, from the present state,
// and the formula restarts; results at that time show the values before.
#include <math.h>

#include "analysis/event_sources.h"
#include "analysis/simulation_delays.h"
#include "analysis/simulation_guards.h"
#include "analysis/simulation_outside.h"
#include "base/error.h"
#include "elements/sensor.h"
#include "equations/levels.h"
#include "holon/component.h"
#include "holon/law.h"

enum { MOST_ROUNDS = 100 };

// States inside sealed components: how many, what the parts say of one, where they stand.
typedef struct hidden_states {
  int count;
  double *z, *samples, *room; // (count)
} hidden_states;

static hidden_states hidden_of(const hn_simulation *s) {
  const hn_flow *f = s->elements->flow;
  if (!f || f->hidden == 0) return (hidden_states){0};
  double *samples = s->samples + s->model->state_count;
  return (hidden_states){f->hidden, s->method->z + f->count - f->hidden, samples,
                         samples + f->hidden};
}

// Number k of them: its sampling period, and its initial value.
static double hidden_every(const hn_simulation *s, int k, double *initial) {
  int p = 0;
  for (; k >= s->model->parts[p].facts->state_count; p++)
    k -= s->model->parts[p].facts->state_count;
  *initial = s->model->parts[p].facts->state_initial[k];
  return s->model->parts[p].facts->state_every[k];
}

// The output of the model that state k inside follows; -1: none.
static int followed_inside(const hn_simulation *s, int k) {
  const hn_sealed_part *part = s->model->parts;
  for (; k >= part->facts->state_count; part++) k -= part->facts->state_count;
  const int output = part->facts->state_follows[k];
  return output >= 0 ? part->first_output + output : -1;
}

int hn_simulation_sampled(const hn_simulation *s) {
  return s->model->state_count + (s->elements->flow ? s->elements->flow->hidden : 0);
}

// How often state k of `samples` is.
static double every_of(const hn_simulation *s, int k) {
  double initial;
  return k < s->model->state_count ? s->model->states[k].every
                                   : hidden_every(s, k - s->model->state_count, &initial);
}

void hn_simulation_begin_states(hn_simulation *s) {
  for (int k = 0; k < s->method->states; k++) s->method->z[k] = 0;
  for (int k = 0; k < s->model->state_count; k++) {
    s->method->z[k] = s->model->states[k].initial;
    s->samples[k] = 0;
  }
  const hidden_states inside = hidden_of(s);
  for (int k = 0; k < inside.count; k++) {
    (void)hidden_every(s, k, &inside.z[k]);
    inside.samples[k] = 0;
  }
}

static int is_due(const hn_simulation *s, int k) {
  double every = every_of(s, k), t = s->method->t;
  return every > 0 && s->samples[k] * every <= t + 1e-12 * (1 + fabs(t));
}

double hn_simulation_next_sample(const hn_simulation *s) {
  double next = HUGE_VAL;
  for (int k = 0; k < hn_simulation_sampled(s); k++) {
    double every = every_of(s, k);
    if (every > 0) next = fmin(next, s->samples[k] * every);
  }
  return next;
}

static hn_status fail_value(hn_simulation *s, int k, double value) {
  char name[96];
  return hn_fail(&s->error, HN_ERROR_NOT_FINITE, &s->model->states[k].source,
                 hn_text(name, sizeof name, "state '%s'", s->model->states[k].name),
                 "check the formula for a division by zero or a value out of range",
                 "is set to %g at t = %g s", value, s->method->t);
}

static void sense(hn_simulation *s) {
  hn_states_set(s->elements, s->method->z);
  hn_elements_sense(s->elements, s->method->now->frames, s->branches.turns);
}

// Samples of this period there are at this time.
static double taken(double t, double every) { return floor(t / every * (1 + 1e-12) + 1e-9) + 1; }

// Of sealed components; with signals and states before any other change.
static hn_status take_hidden(hn_simulation *s) {
  hn_method *m = s->method;
  const hidden_states inside = hidden_of(s);
  const int first = s->model->state_count;
  double *values = inside.room;
  int any = 0;
  for (int k = 0; k < inside.count; k++) any |= is_due(s, first + k);
  if (!any) return HN_OK;
  const hn_hidden_elements *hidden = s->elements->hidden;
  hidden->samples(hidden->context, m->t, m->now->frames, s->branches.turns, values);
  for (int k = 0; k < inside.count; k++) {
    if (!is_due(s, first + k)) continue;
    const int output = followed_inside(s, k);
    if (output >= 0) values[k] = hn_simulation_signal(s, output);
    if (!isfinite(values[k])) return hn_nested_lost(s->equations, m->t, &s->error);
    inside.z[k] = values[k];
    inside.samples[k] = taken(m->t, every_of(s, first + k));
  }
  return HN_OK;
}

// Programs outside of the library, with signals and states before any other change.
static hn_status sample_outside(hn_simulation *s) {
  hn_status status = HN_OK;
  int last = 0; // outputs of one program follow each other
  for (int k = 0; k < s->model->state_count && status == HN_OK; k++) {
    const int outside = s->model->states[k].outside;
    if (outside == 0 || outside == last || !is_due(s, k)) continue;
    status = hn_simulation_sample_outside(s, outside - 1);
    last = outside;
  }
  return status;
}

static hn_status take_due(hn_simulation *s, int *any) {
  hn_method *m = s->method;
  for (int k = 0; k < hn_simulation_sampled(s); k++) *any |= is_due(s, k);
  *any |= hn_simulation_is_followed_due(s);
  if (!*any) return HN_OK;
  hn_status status = hn_simulation_look_at(s, m->t);
  if (status != HN_OK) return status;
  hn_simulation_read_followed(s);
  if (m->states > 0) sense(s);
  if (hidden_of(s).count > 0) {
    status = take_hidden(s);
    if (status != HN_OK) return status;
  }
  status = sample_outside(s);
  if (status != HN_OK) return status;
  for (int k = 0; k < s->model->state_count; k++) {
    if (!is_due(s, k)) continue;
    const char *output = s->model->states[k].follows;
    double every = s->model->states[k].every;
    double value = s->model->states[k].outside > 0 ? hn_simulation_outside_value(s, k)
                   : output                        ? hn_simulation_followed(s, output)
                                                   : hn_states_sample(s->elements, k, m->t);
    if (!isfinite(value)) return fail_value(s, k, value);
    m->z[k] = value;
    s->samples[k] = taken(m->t, every);
  }
  return hn_simulation_give_followed(s);
}

// Rules that became true since the last check, a bit each in `samples` of their state; for each
// state the first of them applies. Returns whether one did. Rules of the model, and those inside
// sealed components, read each other's previous values.
static int take_rules(hn_simulation *s, hn_status *status) {
  hn_method *m = s->method;
  int failed = -1, any = 0;
  const hidden_states inside = hidden_of(s);
  sense(s);
  if (inside.count > 0)
    any = s->elements->hidden->rules(s->elements->hidden->context, m->t, m->now->frames,
                                     s->branches.turns, inside.samples, inside.z);
  if (s->model->rules.count > 0)
    any |= hn_states_take_rules(s->elements, m->t, s->samples, m->z, &failed);
  if (failed >= 0) *status = fail_value(s, failed, m->z[failed]);
  return any;
}

// Repeats while changes by a rule make others true.
static hn_status take_all_rules(hn_simulation *s, int *any) {
  hn_status status = HN_OK;
  const int rules = s->model->rules.count + hn_guards_hidden_rules(s->model);
  for (int k = 0; rules > 0 && status == HN_OK; k++) {
    if (!take_rules(s, &status)) return status;
    *any = 1;
    if (k == MOST_ROUNDS)
      return hn_fail(&s->error, HN_ERROR_CONVERGENCE,
                     s->model->state_count > 0 ? &s->model->states[0].source : NULL, "states",
                     "give the conditions a hysteresis",
                     "switch each other endlessly by `when:` at t = %g s", s->method->t);
  }
  return status;
}

// All that are due read the previous values of the model, and of each other.
hn_status hn_simulation_take_samples(hn_simulation *s) {
  hn_method *m = s->method;
  int any = 0;
  hn_status kept = take_due(s, &any);
  const int has_sampled = any;
  if (s->delays) hn_delays_begin(s, &any);
  int has_ruled = 0;
  if (kept == HN_OK) kept = take_all_rules(s, &has_ruled);
  if (has_sampled || has_ruled || s->given.is_new) hn_delays_jump(s);
  if (kept != HN_OK || !(any || has_ruled)) return kept;
  if (s->given.is_new) return hn_simulation_take_inputs(s); // which restarts, too
  m->step_end = -HUGE_VAL; // what the last step has found there no longer holds
  return hn_simulation_restart(s, 0);
}

static int samples_present(const hn_simulation *s) {
  return s->model->input_count + hn_simulation_sampled(s) > 0;
}

const hn_event_source hn_samples_source = {.name = "samples",
                                           .is_present = samples_present,
                                           .start = hn_simulation_take_samples,
                                           .next_time = hn_simulation_next_sample};

double hn_simulation_state(const hn_simulation *s, int state) {
  return state >= 0 && state < s->model->state_count ? s->method->z[state] : NAN;
}
