// States of a model: numbers of its own that follow first-order equations, z' = rate(z, signals, t), or
// that are set at samples, z = value(z, signals, t) every so often. Every state is a signal that laws
// can read (model/sensor.h).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/law.h"
#include "model/state.h"
#include "model/storage.h"

static hn_status check_state(hn_model *model, const hn_state_def *def) {
  hn_subject subject = {model, HN_NAME_STATE, def->name, &def->source};
  if (!isfinite(def->initial))
    return hn_subject_fail(&subject, "Give a finite number.",
                           "starts with %g; the value must be finite", def->initial);
  if (!(def->every == 0 || (def->every >= HN_LEAST_PERIOD && def->every < HUGE_VAL)))
    return hn_subject_fail(&subject, "Give the time between two samples, for instance 1 ms.",
                           "is sampled every %g s; the interval must be finite and at least %g s",
                           def->every, HN_LEAST_PERIOD);
  return HN_OK;
}

hn_status hn_model_add_state(hn_model *model, const hn_state_def *def, int *id) {
  if (!model || !def) return HN_ERROR_ARGUMENT;
  hn_state_def own = *def;
  if (!hn_model_own_law(model, own.law)) return HN_ERROR_MEMORY;
  hn_status status = hn_model_begin(model, HN_NAME_STATE, &own.name, &own.source);
  if (status == HN_OK) status = check_state(model, &own);
  if (status != HN_OK) return status;
  own.unit = hn_arena_copy_string(&model->arena, def->unit);
  own.follows = hn_arena_copy_string(&model->arena, def->follows);
  hn_state_def *states = hn_model_grow(model, model->states, &model->storage->state_room,
                                       model->state_count, sizeof *states);
  if (!states || model->arena.failed) return hn_model_out_of_memory(model, HN_NAME_STATE, own.name);
  model->states = states;
  states[model->state_count] = own;
  hn_names_insert(&model->storage->names, HN_NAME_STATE, own.name, model->state_count);
  int state = model->state_count++;
  if (id) *id = state;
  char signal[600];
  hn_text(signal, sizeof signal, "state.%s", own.name);
  return hn_model_add_sensor(model, signal, &states[state].sensor, &model->error);
}

hn_status hn_model_set_state_law(hn_model *model, int id, hn_law *law) {
  if (!hn_model_own_law(model, law)) return HN_ERROR_MEMORY;
  if (model->finished || id < 0 || id >= model->state_count) return HN_ERROR_ARGUMENT;
  model->states[id].law = law;
  return HN_OK;
}

static int rules_of(const hn_model *model, int state) {
  int count = 0;
  for (int k = 0; k < model->rules.count; k++) count += model->rules.item[k].state == state;
  return count;
}

hn_status hn_model_add_state_rule(hn_model *model, int state, hn_law *when, hn_law *value) {
  if (!hn_model_own_law(model, when) || !hn_model_own_law(model, value)) return HN_ERROR_MEMORY;
  if (model->finished || state < 0 || state >= model->state_count || !when || !value)
    return HN_ERROR_ARGUMENT;
  const hn_state_def *def = &model->states[state];
  if (rules_of(model, state) == HN_MOST_RULES)
    return hn_subject_fail(&(hn_subject){model, HN_NAME_STATE, def->name, &def->source},
                           "Move some conditions to separate states.",
                           "has more than %d conditions", HN_MOST_RULES);
  struct hn_state_rule *rules = hn_model_grow(model, model->rules.item, &model->storage->rule_room,
                                              model->rules.count, sizeof *rules);
  if (!rules) return hn_model_out_of_memory(model, HN_NAME_STATE, model->states[state].name);
  model->rules.item = rules;
  rules[model->rules.count++] = (struct hn_state_rule){state, when, value};
  return HN_OK;
}

hn_status hn_model_delay_state(hn_model *model, int id, double delay, int order, hn_law *delayed) {
  if (!hn_model_own_law(model, delayed)) return HN_ERROR_MEMORY;
  if (model->finished || id < 0 || order < 1 || id + order > model->state_count || !delayed)
    return HN_ERROR_ARGUMENT;
  hn_state_def *state = &model->states[id];
  hn_subject subject = {model, HN_NAME_STATE, state->name, &state->source};
  if (!(delay >= HN_LEAST_PERIOD && delay < HUGE_VAL))
    return hn_subject_fail(&subject, "Give a time above zero, for instance 10 ms.",
                           "is delayed by %g s; the delay must be finite and at least %g s", delay,
                           HN_LEAST_PERIOD);
  state->delay = delay;
  state->delayed = delayed;
  for (int k = 1; k < order; k++) state[k].helps = id + 1;
  return HN_OK;
}

int hn_model_state_count(const hn_model *model) { return model->state_count; }
const hn_state_def *hn_model_state(const hn_model *model, int id) {
  return id >= 0 && id < model->state_count ? &model->states[id] : NULL;
}
int hn_model_find_state(const hn_model *model, const char *name) {
  return name ? hn_model_find(model, HN_NAME_STATE, name, strlen(name)) : -1;
}

hn_status hn_model_check_followed(const hn_subject *subject, const char *output) {
  if (!output || hn_model_find(subject->model, HN_NAME_OUTPUT, output, strlen(output)) >= 0)
    return HN_OK;
  return hn_subject_fail(subject, "Name an output of the model.",
                         "follows the unknown output '%.80s'", output);
}

hn_status hn_model_check_states(hn_model *model) {
  for (int k = 0; k < model->state_count; k++) {
    const hn_state_def *def = &model->states[k];
    hn_subject subject = {model, HN_NAME_STATE, def->name, &def->source};
    if ((def->law != NULL) + (rules_of(model, k) > 0) + (def->follows != NULL) +
                (def->outside > 0) !=
            1 ||
        (def->follows && !(def->every > 0)))
      return hn_subject_fail(&subject,
                             "Give `rate:`, `value:` or `follows:` and `every:`, or `when:`.",
                             "has neither a derivative nor an update");
    hn_status status = hn_model_check_followed(&subject, def->follows);
    if (status != HN_OK) return status;
  }
  return HN_OK;
}

double hn_model_signal_rise(const hn_model *model, const hn_law *law, int jumps) {
  double least = 2;
  for (int k = 0; k < model->input_count; k++)
    if (hn_law_uses_input(law, k)) return 0;
  for (int k = 0; k < model->sensing.count; k++) {
    const hn_sensor_def *sensor = &model->sensing.item[k];
    if (!hn_law_uses_input(law, model->input_count + k) || sensor->kind == HN_SENSOR_TIME) continue;
    if (sensor->kind == HN_SENSOR_STATE) {
      const hn_state_def *state = &model->states[sensor->element];
      least = fmin(least, state->delay > 0 || state->every > 0 || !state->law ? 0 : 1);
    } else {
      least = fmin(least, (sensor->is_rate ? 1 : 2) - jumps);
    }
  }
  return least;
}
