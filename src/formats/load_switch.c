// `when:`, `starts:` and `ends:` of joints, drivers and forces: conditions on which they are
// active. Read after everything that they may name.
#include "holon/switch.h"

#include <string.h>

#include "base/error.h"
#include "formats/fields.h"
#include "formats/geometry.h"
#include "model/model.h"

static const char *read_condition(hn_entry *entry, const char *key, int *is_given) {
  static const hn_formula signals = {NULL, 0, hn_signal_find, 0};
  hn_loader *loader = entry->context.loader;
  const hn_node *node = entry->node->kind == HN_NODE_MAP ? hn_node_get(entry->node, key) : NULL;
  hn_amount amount;
  int uses_variables;
  if (!node || !hn_loader_ok(loader)) return NULL;
  *is_given = 1;
  if (hn_formula_of(&entry->context, node, &signals, &amount, &uses_variables)) return NULL;
  return hn_loader_copy(loader, loader->scratch);
}

static void add_switch(hn_entry *entry, hn_switch_of of, hn_name_kind kind) {
  hn_loader *loader = entry->context.loader;
  hn_switch_def def = {.of = of, .source = hn_node_key_source(entry->node)};
  int is_given = 0;
  def.when = read_condition(entry, "when", &is_given);
  def.starts = read_condition(entry, "starts", &is_given);
  def.ends = read_condition(entry, "ends", &is_given);
  if (!is_given || !hn_loader_ok(loader)) return;
  if (loader->is_sealing) {
    hn_loader_fail(loader, HN_ERROR_UNSUPPORTED, &def.source,
                   "Move it to the model that uses the component, between interface bodies; or use "
                   "the model file.",
                   "is in a sealed component, which does not support conditions");
    return;
  }
  def.element = hn_model_find(loader->model, kind, entry->name, strlen(entry->name));
  if (def.element >= 0) hn_loader_added(loader, hn_model_add_switch(loader->model, &def));
}

void hn_load_switches(hn_loader *loader) {
  static const struct {
    hn_entry_kind entries;
    hn_switch_of of;
    hn_name_kind kind;
    const char *word;
  } kinds[] = {{HN_ENTRY_JOINT, HN_SWITCH_JOINT, HN_NAME_JOINT, "joint"},
               {HN_ENTRY_DRIVER, HN_SWITCH_DRIVER, HN_NAME_DRIVER, "driver"},
               {HN_ENTRY_FORCE, HN_SWITCH_FORCE, HN_NAME_FORCE, "force"}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (hn_entry *entry = loader->first[kinds[k].entries]; hn_loader_goes_on(loader, entry);
         entry = entry->next) {
      hn_element_name old = hn_loader_begin(loader, kinds[k].word, entry->name);
      add_switch(entry, kinds[k].of, kinds[k].kind);
      hn_loader_set_element(loader, &old);
    }
}
