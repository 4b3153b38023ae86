// Conditional elements (holon/switch.h).
#include "holon/switch.h"

#include "model/storage.h"

static hn_status check(hn_model *model, const hn_switch_def *def, const char **name) {
  const int counts[] = {model->joint_count, model->driver_count, model->force_count};
  *name = "";
  if ((unsigned)def->of > HN_SWITCH_FORCE || def->element < 0 || def->element >= counts[def->of])
    return hn_fail(&model->error, HN_ERROR_ARGUMENT, &def->source, NULL,
                   "Use the id that hn_model_add_... gave.",
                   "a condition (`when:`) refers to the unknown element %d", def->element);
  *name = def->of == HN_SWITCH_JOINT    ? model->joints[def->element].name
          : def->of == HN_SWITCH_DRIVER ? model->drivers[def->element].name
                                        : model->forces[def->element].name;
  if (def->when ? !def->starts && !def->ends : def->starts || def->ends) return HN_OK;
  return hn_fail(&model->error, HN_ERROR_MODEL, &def->source, *name,
                 "Give `when:` alone, or `starts:`, `ends:` or both.",
                 "has no condition for when it is active");
}

hn_status hn_model_add_switch(hn_model *model, const hn_switch_def *def) {
  const char *name;
  if (!model || !def) return HN_ERROR_ARGUMENT;
  if (model->finished)
    return hn_fail(&model->error, HN_ERROR_ARGUMENT, NULL, NULL, "Add it before hn_model_finish.",
                   "the model is finished");
  hn_status status = check(model, def, &name);
  if (status) return status;
  hn_switch_def own = *def;
  own.source.file = hn_arena_copy_string(&model->arena, def->source.file);
  own.when = hn_arena_copy_string(&model->arena, def->when);
  own.starts = hn_arena_copy_string(&model->arena, def->starts);
  own.ends = hn_arena_copy_string(&model->arena, def->ends);
  hn_switch_def *switches = hn_model_grow(model, model->switches, &model->storage->switch_room,
                                          model->switch_count, sizeof *switches);
  if (switches) model->switches = switches;
  if (!switches || model->arena.failed) return hn_model_out_of_memory(model, HN_NAME_JOINT, name);
  switches[model->switch_count++] = own;
  return HN_OK;
}

int hn_model_switch_count(const hn_model *model) { return model->switch_count; }
const hn_switch_def *hn_model_switch(const hn_model *model, int id) {
  return id >= 0 && id < model->switch_count ? &model->switches[id] : NULL;
}

int hn_model_is_conditional(const hn_model *model, hn_switch_of of, int element) {
  for (int k = 0; k < model->switch_count; k++)
    if (model->switches[k].of == of && model->switches[k].element == element) return 1;
  return 0;
}
