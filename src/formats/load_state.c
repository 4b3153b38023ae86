// States: `z: {rate: (u - z)/T, initial: 0}`, or sampled, `d: {value: ..., every: 1 ms}`. Names are
// there before laws are read; how states change is read when everything else is there.
#include "base/error.h"
#include "formats/law.h"

static void add_state(hn_entry *entry) {
  const hn_context *context = &entry->context;
  hn_loader *loader = context->loader;
  hn_state_def def = {.name = entry->name, .source = hn_node_key_source(entry->node)};
  hn_fields fields;
  if (loader->is_sealing)
    hn_loader_fail(loader, HN_ERROR_UNSUPPORTED, &def.source, "Give the component as a model file.",
                   "stands in a sealed component, which cannot have states of laws");
  if (!hn_fields_open(context, entry->node, hn_section_find("state", NULL), &fields)) return;
  const hn_node *initial = hn_field(&fields, "initial"), *rate = hn_field(&fields, "rate");
  const hn_node *value = hn_field(&fields, "value");
  hn_amount *amount = hn_loader_take(loader, 1, sizeof *amount);
  if (!amount) return;
  if (initial) {
    *amount = hn_amount_of(context, initial);
    def.initial = hn_number_of(context, initial, HN_ANYTHING, "initial");
  }
  def.every = hn_field_number(&fields, "every");
  if (!rate == !value || (value != NULL) != (def.every > 0))
    hn_loader_fail(loader, HN_ERROR_MODEL, &def.source,
                   "Give `rate:` alone, or `value:` together with `every:`.",
                   "does not say how it changes");
  hn_fields_close(&fields);
  char unit[64];
  if (amount->kind == HN_AMOUNT_TYPED)
    def.unit = hn_loader_copy(loader, hn_dimension_text(amount->dimension, unit, sizeof unit));
  entry->data = amount;
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_state(loader->model, &def, &entry->id));
}

static void add_law(hn_entry *entry) {
  hn_loader *loader = entry->context.loader;
  const hn_node *rate = hn_node_get(entry->node, "rate"),
                *value = hn_node_get(entry->node, "value");
  hn_law_wanted wanted = {"t", HN_TIME, HN_TIME, HN_ANYTHING, 1, 0};
  hn_law_draft draft = hn_law_read(&entry->context, rate ? rate : value, &wanted);
  hn_law *law = hn_law_draft_make(loader, &draft);
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_set_state_law(loader->model, entry->id, law));
}

static void for_each(hn_loader *loader, void (*use)(hn_entry *)) {
  for (hn_entry *state = loader->first[HN_ENTRY_STATE]; state && hn_loader_ok(loader);
       state = state->next) {
    hn_element_name old = hn_loader_begin(loader, "state", state->name);
    use(state);
    hn_loader_set_element(loader, &old);
  }
}

void hn_load_states(hn_loader *loader) { for_each(loader, add_state); }
void hn_load_state_laws(hn_loader *loader) { for_each(loader, add_law); }
