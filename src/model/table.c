// Tables of a model, which formulas call by their names.
#include "base/error.h"
#include "math/lookup.h"
#include "model/storage.h"

hn_status hn_model_add_table(hn_model *model, const hn_table_def *def) {
  if (!model || !def) return HN_ERROR_ARGUMENT;
  hn_table_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_TABLE, &own.name, &own.source);
  if (status != HN_OK) return status;
  hn_subject subject = {model, HN_NAME_TABLE, own.name, &own.source};
  hn_lookup *made = NULL;
  hn_error why = {0};
  status = hn_lookup_create(&model->arena, &own, &made, &why);
  if (status == HN_ERROR_MEMORY) return hn_model_out_of_memory(model, HN_NAME_TABLE, own.name);
  if (status != HN_OK)
    return hn_subject_fail(&subject, why.hint, "cannot be made: %s", why.message);
  if (!hn_model_own_law(model, made->law)) return HN_ERROR_MEMORY;
  const hn_lookup **tables = hn_model_grow(model, model->lookups.item, &model->storage->table_room,
                                           model->lookups.count, sizeof *tables);
  if (!tables) return hn_model_out_of_memory(model, HN_NAME_TABLE, own.name);
  model->lookups.item = tables;
  hn_names_insert(&model->storage->names, HN_NAME_TABLE, own.name, model->lookups.count);
  tables[model->lookups.count++] = made;
  return HN_OK;
}
