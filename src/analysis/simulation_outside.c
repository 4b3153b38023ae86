// Programs outside of the library in a simulation: started at the first sample, asked at each.
#include "analysis/simulation_outside.h"

#include "base/error.h"
#include "model/outside.h"

hn_status hn_simulation_create_outside(hn_simulation *s) {
  const hn_model *model = s->model;
  const int count = model->outside.count;
  int inputs = 0, outputs = 0;
  for (int k = 0; k < count; k++) {
    const hn_outside_def *def = &model->outside.item[k];
    inputs = def->input_count > inputs ? def->input_count : inputs;
    outputs += def->output_count;
  }
  s->outside.instance = HN_KEEP(&s->arena, void *, count);
  s->outside.first = HN_TAKE(&s->arena, int, count);
  s->outside.inputs = HN_KEEP(&s->arena, double, inputs);
  s->outside.values = HN_KEEP(&s->arena, double, outputs);
  if (s->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 1; k < count; k++)
    s->outside.first[k] = s->outside.first[k - 1] + model->outside.item[k - 1].output_count;
  return HN_OK;
}

void hn_simulation_free_outside(hn_simulation *s) {
  if (!s->outside.instance) return;
  for (int k = 0; k < s->model->outside.count; k++)
    if (s->outside.instance[k]) s->model->outside.item[k].type->free(s->outside.instance[k]);
}

static double period_of(const hn_model *model, int program) {
  for (int k = 0; k < model->state_count; k++)
    if (model->states[k].outside == program + 1) return model->states[k].every;
  return 0;
}

void hn_simulation_warn_outside(hn_simulation *s) {
  for (int k = 0; k < s->model->outside.count; k++) {
    char name[96];
    hn_simulation_warn(
        s, hn_text(name, sizeof name, "FMU '%.80s'", s->model->outside.item[k].name),
        "exchanges values every %g s: the error of this, proportional to the period, is in no "
        "estimate. Compare with half the period.",
        period_of(s->model, k));
  }
}

hn_status hn_simulation_sample_outside(hn_simulation *s, int k) {
  const hn_outside_def *def = &s->model->outside.item[k];
  hn_status status = HN_OK;
  if (!s->outside.instance[k])
    status = def->type->create(def->plan, &s->outside.instance[k], &s->error);
  if (status != HN_OK) return status;
  for (int i = 0; i < def->input_count; i++)
    s->outside.inputs[i] = hn_simulation_followed(s, def->inputs[i]);
  return def->type->sample(s->outside.instance[k], s->method->t, s->outside.inputs,
                           s->outside.values + s->outside.first[k], &s->error);
}

double hn_simulation_outside_value(const hn_simulation *s, int state) {
  const hn_state_def *def = &s->model->states[state];
  return s->outside.values[s->outside.first[def->outside - 1] + def->outside_output];
}
