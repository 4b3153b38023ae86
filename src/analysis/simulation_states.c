// States of laws in a simulation: where they begin, and samples, which change them at given times.
//
// Steps end where a sample is due. It is taken when the next step begins, from the state that is there,
// and the formula starts afresh; what is recorded at that time is what was before.
#include <math.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "elements/sensor.h"

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

// All that are due see the machine, and each other, as they were before.
hn_status hn_simulation_take_samples(hn_simulation *s) {
  hn_method *m = s->method;
  int any = 0;
  for (int k = 0; k < s->model->state_count; k++) any |= is_due(s, k);
  if (!any) return HN_OK;
  hn_states_set(s->elements, m->z);
  hn_elements_sense(s->elements, m->now->frames, s->branches.turns);
  for (int k = 0; k < s->model->state_count; k++) {
    if (!is_due(s, k)) continue;
    double every = s->model->states[k].every, value = hn_states_sample(s->elements, k, m->t);
    char name[96];
    if (!isfinite(value))
      return hn_fail(&s->error, HN_ERROR_NOT_FINITE, &s->model->states[k].source,
                     hn_text(name, sizeof name, "state '%s'", s->model->states[k].name),
                     "its formula must have a value there", "is sampled as %g at t = %g s", value,
                     m->t);
    m->z[k] = value;
    s->samples[k] = floor(m->t / every * (1 + 1e-12) + 1e-9) + 1;
  }
  m->step_end = -HUGE_VAL; // what the last step has found there no longer holds
  hn_status status = m->type->begin(m, &s->branches, &s->error);
  return status > 0 ? hn_cannot_go_on(s, 0, status) : status;
}

double hn_simulation_state(const hn_simulation *s, int state) {
  return state >= 0 && state < s->model->state_count ? s->method->z[state] : NAN;
}
