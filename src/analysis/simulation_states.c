// States of laws in a simulation: where they begin, samples, which change them at given times, and
// rules, which change them where conditions come true.
//
// Steps end where a sample is due. It is taken when the next step begins, from the state that is there,
// and the formula starts afresh; what is recorded at that time is what was before.
#include <math.h>

#include "analysis/simulation_delays.h"
#include "analysis/simulation_guards.h"
#include "base/error.h"
#include "elements/sensor.h"
#include "holon/law.h"

enum { MOST_ROUNDS = 100 };

void hn_simulation_begin_states(hn_simulation *s) {
  for (int k = 0; k < s->method->states; k++) s->method->z[k] = 0;
  for (int k = 0; k < s->model->state_count; k++) {
    s->method->z[k] = s->model->states[k].initial;
    s->samples[k] = 0;
  }
}

static int is_due(const hn_simulation *s, int k) {
  double every = s->model->states[k].every, t = s->method->t;
  return every > 0 && s->samples[k] * every <= t + 1e-12 * (1 + fabs(t));
}

double hn_simulation_next_sample(const hn_simulation *s) {
  double next = HUGE_VAL;
  for (int k = 0; k < s->model->state_count; k++) {
    double every = s->model->states[k].every;
    if (every > 0) next = fmin(next, s->samples[k] * every);
  }
  return next;
}

static hn_status fail_value(hn_simulation *s, int k, double value) {
  char name[96];
  return hn_fail(&s->error, HN_ERROR_NOT_FINITE, &s->model->states[k].source,
                 hn_text(name, sizeof name, "state '%s'", s->model->states[k].name),
                 "its formula must have a value there", "is set to %g at t = %g s", value,
                 s->method->t);
}

static void sense(hn_simulation *s) {
  hn_states_set(s->elements, s->method->z);
  hn_elements_sense(s->elements, s->method->now->frames, s->branches.turns);
}

static hn_status take_due(hn_simulation *s, int *any) {
  hn_method *m = s->method;
  for (int k = 0; k < s->model->state_count; k++) *any |= is_due(s, k);
  *any |= hn_simulation_is_followed_due(s);
  if (!*any) return HN_OK;
  hn_status status = hn_simulation_look_at(s, m->t);
  if (status != HN_OK) return status;
  hn_simulation_read_followed(s);
  if (m->states > 0) sense(s);
  for (int k = 0; k < s->model->state_count; k++) {
    if (!is_due(s, k)) continue;
    const char *output = s->model->states[k].follows;
    double every = s->model->states[k].every, value = output
                                                          ? hn_simulation_followed(s, output)
                                                          : hn_states_sample(s->elements, k, m->t);
    if (!isfinite(value)) return fail_value(s, k, value);
    m->z[k] = value;
    s->samples[k] = floor(m->t / every * (1 + 1e-12) + 1e-9) + 1;
  }
  return hn_simulation_give_followed(s);
}

// Rules that came true since they were looked at last, a bit each in `samples` of their state; of each
// state the first of them counts. Returns whether one did.
static int take_rules(hn_simulation *s, hn_status *status) {
  hn_method *m = s->method;
  int any = 0;
  sense(s);
  for (int k = 0; k < s->model->state_count && *status == HN_OK; k++) {
    long before = (long)s->samples[k], now = 0, bit = 1;
    double value = NAN;
    int is_set = 0;
    if (s->model->states[k].law || s->model->states[k].follows) continue;
    for (int r = 0; r < s->model->rules.count; r++) {
      if (s->elements->model->rules.item[r].state != k) continue;
      const int holds = hn_rule_holds(s->elements->model->rules.item[r].when, m->t);
      if (holds && !(before & bit) && !is_set) {
        value = hn_law_evaluate(s->elements->model->rules.item[r].value, -1, m->t).value;
        is_set = 1;
      }
      now |= holds ? bit : 0;
      bit *= 2;
    }
    s->samples[k] = (double)now;
    if (!is_set) continue;
    if (!isfinite(value)) *status = fail_value(s, k, value);
    any |= value != m->z[k];
    m->z[k] = value;
  }
  return any;
}

// What one rule changes may let others come true.
static hn_status take_all_rules(hn_simulation *s, int *any) {
  hn_status status = HN_OK;
  for (int k = 0; s->model->rules.count > 0 && status == HN_OK; k++) {
    if (!take_rules(s, &status)) return status;
    *any = 1;
    if (k == MOST_ROUNDS)
      return hn_fail(&s->error, HN_ERROR_CONVERGENCE, &s->model->states[0].source, "states",
                     "give the conditions a distance from each other, as a hysteresis has",
                     "change each other by `when:` without end at t = %g s", s->method->t);
  }
  return status;
}

// All that are due see the machine, and each other, as they were before.
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
  if (s->given.is_new) return hn_simulation_take_inputs(s); // which begins, too
  m->step_end = -HUGE_VAL; // what the last step has found there no longer holds
  hn_status status = m->type->begin(m, &s->branches, &s->error);
  return status > 0 ? hn_cannot_go_on(s, 0, status) : status;
}

double hn_simulation_state(const hn_simulation *s, int state) {
  return state >= 0 && state < s->model->state_count ? s->method->z[state] : NAN;
}
