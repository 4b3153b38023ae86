// Programs outside of the library: see outside.h.
#include "model/outside.h"

#include "model/storage.h"

hn_status hn_model_add_outside(hn_model *model, const hn_outside_def *def, int *id) {
  hn_outside_def *items = hn_model_grow(model, model->outside.item, &model->storage->outside_room,
                                        model->outside.count, sizeof *items);
  const char **inputs = HN_TAKE(&model->arena, const char *, def->input_count);
  if (!items || !inputs) {
    def->type->release(def->plan);
    return hn_model_out_of_memory(model, HN_NAME_STATE, def->name);
  }
  model->outside.item = items;
  hn_outside_def *own = &items[model->outside.count];
  *own = *def;
  own->name = hn_arena_copy_string(&model->arena, def->name);
  own->digest = hn_arena_copy_string(&model->arena, def->digest);
  own->source.file = hn_arena_copy_string(&model->arena, def->source.file);
  for (int k = 0; k < def->input_count; k++)
    inputs[k] = hn_arena_copy_string(&model->arena, def->inputs[k]);
  own->inputs = inputs;
  *id = model->outside.count++;
  return model->arena.failed ? hn_model_out_of_memory(model, HN_NAME_STATE, def->name) : HN_OK;
}

void hn_model_free_outside(hn_model *model) {
  for (int k = 0; k < model->outside.count; k++)
    model->outside.item[k].type->release(model->outside.item[k].plan);
  model->outside.count = 0;
}
