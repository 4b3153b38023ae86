// Inputs of a model: named values that laws use and that are given from outside while it runs.
//
// A model is never written once it is finished, so a simulation makes itself a view of it: the same
// model, but with laws that read the simulation's own inputs.
#include <math.h>
#include <string.h>

#include "math/law.h"
#include "model/storage.h"

#define USUAL_EVERY 0.01 // s, between two values of an output that is followed

hn_input_def hn_default_input(void) { return (hn_input_def){.name = NULL}; }

static hn_status check_input(hn_model *model, const hn_input_def *def) {
  char element[128];
  hn_text(element, sizeof element, "input '%s'", def->name);
  if (!isfinite(def->value))
    return hn_fail(&model->error, HN_ERROR_MODEL, &def->source, element, "Give a finite number.",
                   "has the value %g", def->value);
  if (!(def->filter >= 0 && def->filter < HUGE_VAL))
    return hn_fail(&model->error, HN_ERROR_MODEL, &def->source, element,
                   "Give its time constant in s, or 0 for no filter.",
                   "has the filter %g s; it must be zero or more", def->filter);
  if (!(def->every >= 0 && def->every < HUGE_VAL))
    return hn_fail(&model->error, HN_ERROR_MODEL, &def->source, element,
                   "Give the time between two values, for instance 10 ms.",
                   "samples an output every %g s; the interval must be above zero", def->every);
  return HN_OK;
}

hn_status hn_model_add_input(hn_model *model, const hn_input_def *def, int *id) {
  if (!model || !def) return HN_ERROR_ARGUMENT;
  hn_input_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_INPUT, &own.name, &own.source);
  if (status == HN_OK) status = check_input(model, &own);
  if (status != HN_OK) return status;
  if (model->sensing.count > 0) // laws know signals by their places behind the inputs
    return hn_fail(&model->error, HN_ERROR_MODEL, &own.source, own.name,
                   "Add inputs before functions that read signals.",
                   "is added after functions that read signals");
  own.unit = hn_arena_copy_string(&model->arena, def->unit);
  own.follows = hn_arena_copy_string(&model->arena, def->follows);
  if (own.follows && own.every == 0) own.every = USUAL_EVERY;
  hn_input_def *inputs = hn_model_grow(model, model->inputs, &model->storage->input_room,
                                       model->input_count, sizeof *inputs);
  if (!inputs || model->arena.failed) return hn_model_out_of_memory(model, HN_NAME_INPUT, own.name);
  model->inputs = inputs;
  inputs[model->input_count] = own;
  hn_names_insert(&model->storage->names, HN_NAME_INPUT, own.name, model->input_count);
  if (id) *id = model->input_count;
  model->input_count++;
  return HN_OK;
}

int hn_model_input_count(const hn_model *model) { return model->input_count; }
const hn_input_def *hn_model_input(const hn_model *model, int id) {
  return id >= 0 && id < model->input_count ? &model->inputs[id] : NULL;
}
hn_status hn_model_set_input_law(hn_model *model, int id, hn_law *law) {
  if (!hn_model_own_law(model, law)) return HN_ERROR_MEMORY;
  if (model->finished || id < 0 || id >= model->input_count) return HN_ERROR_ARGUMENT;
  if (!model->input_law) model->input_law = HN_TAKE(&model->arena, hn_law *, model->input_count);
  if (!model->input_law) return HN_ERROR_MEMORY;
  model->input_law[id] = law;
  return HN_OK;
}

int hn_model_find_input(const hn_model *model, const char *name) {
  return name ? hn_model_find(model, HN_NAME_INPUT, name, strlen(name)) : -1;
}

hn_status hn_model_check_inputs(hn_model *model) {
  for (int k = 0; k < model->input_count; k++) {
    const hn_input_def *def = &model->inputs[k];
    hn_subject subject = {model, HN_NAME_INPUT, def->name, &def->source};
    hn_status status = hn_model_check_followed(&subject, def->follows);
    if (status != HN_OK) return status;
  }
  return HN_OK;
}

int hn_model_input_unfiltered_driver(const hn_model *model, int id) {
  const hn_input_def *input = hn_model_input(model, id);
  if (!input || input->filter > 0) return -1;
  for (int d = 0; d < model->driver_count; d++)
    if (model->drivers[d].law && hn_law_uses_input(model->drivers[d].law, id)) return d;
  return -1;
}

hn_status hn_model_law(const hn_model *model, const char *text, const char *const *variables,
                       int count, const hn_allocator *allocator, hn_law **law, hn_error *error) {
  int inputs = model->input_count + model->sensing.count;
  hn_formula_names beside = {.tables = model->lookups.item, .table_count = model->lookups.count};
  if (inputs == 0) return hn_law_formula(text, variables, count, &beside, allocator, law, error);
  *law = NULL;
  hn_arena scratch;
  hn_arena_init(&scratch, allocator);
  const char **names = HN_TAKE(&scratch, const char *, inputs);
  double *values = HN_TAKE(&scratch, double, inputs);
  hn_status status = HN_ERROR_MEMORY;
  if (scratch.failed) {
    hn_fail(error, status, NULL, NULL, "Free memory.", "out of memory for the names of %d inputs",
            inputs);
  } else {
    for (int k = 0; k < inputs; k++) {
      int is_sensor = k >= model->input_count;
      names[k] =
          is_sensor ? model->sensing.item[k - model->input_count].name : model->inputs[k].name;
      values[k] = is_sensor ? 0 : model->inputs[k].value;
    }
    beside.inputs = names;
    beside.values = values;
    beside.input_count = inputs;
    status = hn_law_formula(text, variables, count, &beside, allocator, law, error);
  }
  hn_arena_release(&scratch);
  return status;
}

// ---- as one simulation sees it ------------------------------------------------------------------

static void bind(hn_arena *arena, hn_law **law, const hn_input_state *states) {
  if (*law && hn_law_input_count(*law) > 0) *law = hn_law_bind(arena, *law, states);
}

hn_input_state hn_model_input_start(const hn_model *model, int id) {
  const hn_input_def *def = &model->inputs[id];
  return (hn_input_state){
      .value = def->value, .target = def->value, .pole = def->filter > 0 ? 1 / def->filter : 0};
}

hn_status hn_model_bind_inputs(hn_arena *arena, const hn_model *model, hn_input_state *states,
                               const hn_model **bound) {
  *bound = model;
  if (model->input_count + model->sensing.count == 0) return HN_OK;
  hn_model *view = HN_TAKE(arena, hn_model, 1);
  hn_force_def *forces = HN_TAKE(arena, hn_force_def, model->force_count);
  hn_driver_def *drivers = HN_TAKE(arena, hn_driver_def, model->driver_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  *view = *model;
  for (int f = 0; f < model->force_count; f++) {
    hn_force_def *force = &forces[f];
    *force = model->forces[f];
    hn_law **laws[] = {&force->of_x,
                       &force->of_v,
                       &force->of_t,
                       &force->of_xvt,
                       &force->component_law[0],
                       &force->component_law[1],
                       &force->component_law[2]};
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++) bind(arena, laws[k], states);
  }
  for (int d = 0; d < model->driver_count; d++) {
    drivers[d] = model->drivers[d];
    bind(arena, &drivers[d].law, states);
  }
  if (model->input_law) {
    view->input_law =
        hn_arena_copy(arena, model->input_law, (size_t)model->input_count, sizeof *view->input_law);
    for (int k = 0; !arena->failed && k < model->input_count; k++)
      bind(arena, &view->input_law[k], states);
  }
  view->states =
      hn_arena_copy(arena, model->states, (size_t)model->state_count, sizeof *view->states);
  for (int k = 0; !arena->failed && k < model->state_count; k++) {
    bind(arena, &view->states[k].law, states);
    bind(arena, &view->states[k].delayed, states);
  }
  view->rules.item =
      hn_arena_copy(arena, model->rules.item, (size_t)model->rules.count, sizeof *view->rules.item);
  for (int k = 0; !arena->failed && k < model->rules.count; k++) {
    bind(arena, &view->rules.item[k].when, states);
    bind(arena, &view->rules.item[k].value, states);
  }
  view->forces = forces;
  view->drivers = drivers;
  view->sensing.values = states;
  *bound = view;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}
