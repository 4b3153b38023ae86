// Inputs of a running model. Setting one costs nothing; the next step starts with accelerations
// that include it. A driver whose input jumps prescribes another velocity at once: as at a
// breakpoint of its function, the jump is a projection and its energy is work of the driver. In
// real time there is no projection: the step's end has the driver's velocity.
#include <math.h>
#include <string.h>

#include "analysis/event_sources.h"
#include "analysis/simulation_delays.h"
#include "base/error.h"
#include "holon/component.h"

static hn_status give(hn_simulation *s, int input, double value, double rate, double acceleration) {
  const hn_input_def *def = hn_model_input(s->model, input);
  if (!isfinite(value) || !isfinite(rate) || !isfinite(acceleration)) {
    char name[96];
    return hn_fail(&s->error, HN_ERROR_NOT_FINITE, NULL,
                   hn_text(name, sizeof name, "input '%s'", def->name), "give finite numbers",
                   "was set to %g (rate %g, acceleration %g) at t = %g s", value, rate,
                   acceleration, s->method->t);
  }
  hn_input_state *state = &s->inputs[input];
  double before[4];
  hn_input_at(state, s->method->t, before);
  // an unchanged input has no effect: a restored state continues with the same bits
  int is_filtered = state->pole > 0;
  int is_same = is_filtered ? value == state->target
                            : value == before[0] && rate == before[1] && acceleration == before[2];
  if (is_same) return HN_OK;
  hn_input_give(state, s->method->t, value, rate, acceleration);
  if (!is_filtered) s->given.is_new = 1; // a filter continues from its state
  return HN_OK;
}

// It is there, and nothing else gives it.
static hn_status check_input(hn_simulation *s, int input) {
  const hn_input_def *def = hn_model_input(s->model, input);
  char name[96];
  if (!def)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "use the index that hn_model_find_input returns", "there is no input %d", input);
  if (hn_model_input_law(s->model, input))
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, &def->source,
                   hn_text(name, sizeof name, "input '%s'", def->name),
                   "Give no value, or remove its formula from the component's `inputs:`.",
                   "was given a value, but a formula gives it");
  if (def->follows)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, &def->source,
                   hn_text(name, sizeof name, "input '%s'", def->name),
                   "Give no value, or remove `follows` from the model.",
                   "was given a value, but follows the output '%.80s'", def->follows);
  return HN_OK;
}

hn_status hn_simulation_set_input_motion(hn_simulation *s, int input, double value, double rate,
                                         double acceleration) {
  hn_status status = check_input(s, input);
  return status == HN_OK ? give(s, input, value, rate, acceleration) : status;
}

hn_status hn_simulation_swing_input(hn_simulation *s, int input, double amplitude, double w) {
  hn_status status = check_input(s, input);
  if (status != HN_OK) return status;
  if (s->inputs[input].pole > 0)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, "remove the filter",
                   "input %d has a filter, which would change the harmonic excitation", input);
  if (!isfinite(amplitude) || !(w > 0) || !isfinite(w))
    return hn_fail(&s->error, HN_ERROR_NOT_FINITE, NULL, NULL, "give finite numbers",
                   "the harmonic excitation of input %d is not finite (amplitude %g, %g rad/s)",
                   input, amplitude, w);
  hn_input_swing(&s->inputs[input], s->method->t, hn_simulation_input(s, input), amplitude, w);
  s->given.is_new = 1;
  return HN_OK;
}

hn_status hn_simulation_set_input(hn_simulation *s, int input, double value) {
  return hn_simulation_set_input_motion(s, input, value, 0, 0);
}

double hn_simulation_input(const hn_simulation *s, int input) {
  double d[4] = {NAN, NAN, NAN, NAN};
  if (input >= 0 && input < s->model->input_count) hn_input_at(&s->inputs[input], s->method->t, d);
  return d[0];
}

// ---- inputs that follow outputs -----------------------------------------------------------------

static int is_due(const hn_simulation *s, int k) {
  const double every = s->model->inputs[k].every, t = s->method->t;
  return s->model->inputs[k].follows && s->inputs[k].samples * every <= t + 1e-12 * (1 + fabs(t));
}

static double inputs_next_time(const hn_simulation *s) {
  double next = HUGE_VAL;
  for (int k = 0; k < s->model->input_count; k++)
    if (s->model->inputs[k].follows)
      next = fmin(next, s->inputs[k].samples * s->model->inputs[k].every);
  return next;
}

double hn_simulation_followed(hn_simulation *s, const char *output) {
  return hn_simulation_signal(s, hn_model_find(s->model, HN_NAME_OUTPUT, output, strlen(output)));
}

int hn_simulation_is_followed_due(const hn_simulation *s) {
  for (int k = 0; k < s->model->input_count; k++)
    if (is_due(s, k)) return 1;
  return 0;
}

void hn_simulation_read_followed(hn_simulation *s) {
  for (int k = 0; k < s->model->input_count; k++)
    if (is_due(s, k)) s->given.followed[k] = hn_simulation_followed(s, s->model->inputs[k].follows);
}

hn_status hn_simulation_give_followed(hn_simulation *s) {
  hn_status status = HN_OK;
  for (int k = 0; k < s->model->input_count && status == HN_OK; k++) {
    if (!is_due(s, k)) continue;
    const double every = s->model->inputs[k].every;
    status = give(s, k, s->given.followed[k], 0, 0);
    s->inputs[k].samples = floor(s->method->t / every * (1 + 1e-12) + 1e-9) + 1;
  }
  return status;
}

// Drivers of the model or inside sealed components, whose velocities an input may change.
static int has_drivers(const hn_model *model) {
  int count = model->driver_count;
  for (int p = 0; p < model->part_count; p++) count += model->parts[p].facts->has_drivers;
  return count > 0;
}

hn_status hn_simulation_take_inputs(hn_simulation *s) {
  hn_method *m = s->method;
  if (!s->given.is_new) return HN_OK;
  s->given.is_new = 0;
  hn_delays_jump(s);
  double before = m->now->kinetic;
  int moves = has_drivers(s->model) && s->stepping.mode != HN_RUN_REAL_TIME;
  // what the last step has found there no longer holds, but of time stepping: forces alone are others
  if (moves || !m->type->steps_over) m->step_end = -HUGE_VAL;
  hn_status status = hn_simulation_restart(s, moves);
  if (moves && status == HN_OK) m->work += m->now->kinetic - before;
  return status;
}

static int inputs_present(const hn_simulation *s) { return s->model->input_count > 0; }

const hn_event_source hn_inputs_source = {.name = "inputs",
                                          .is_present = inputs_present,
                                          .start = hn_simulation_take_inputs,
                                          .next_time = inputs_next_time};
