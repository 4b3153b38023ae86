// Inputs: `name: value` or `name: {value: ..., filter: ...}`. A value with a unit makes the input one
// of that dimension, as with parameters.
#include <string.h>

#include "base/error.h"
#include "formats/fields.h"
#include "formats/sealed/sealed.h"

hn_named_amount hn_input_amount(hn_entry *entry) {
  const hn_amount *value = entry->data;
  // not its value: a formula must make sense for others too
  hn_amount amount = {.value = 0.5, .kind = HN_AMOUNT_UNTYPED};
  if (value && value->kind == HN_AMOUNT_TYPED) {
    amount.kind = HN_AMOUNT_TYPED;
    amount.dimension = value->dimension;
  }
  return (hn_named_amount){amount, entry->name};
}

const char *hn_named_output(hn_fields *fields, const char *key) {
  const hn_context *context = fields->context;
  const hn_node *node = hn_field(fields, key);
  const char *name = node ? hn_field_text(fields, key) : NULL;
  if (!name) return NULL;
  const hn_entry *output = hn_output_find(context, name, strlen(name));
  if (output) return output->name;
  hn_source place = hn_node_source(node);
  const char *nearest = hn_entry_nearest(context, HN_ENTRY_OUTPUT, name);
  char hint[160] = "Use a name from `outputs:`.";
  if (nearest) hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
  hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, hint,
                 "refers to '%.80s' in '%s', which is not an output", name, key);
  return NULL;
}

static void add_input(hn_entry *entry) {
  const hn_context *context = &entry->context;
  hn_loader *loader = context->loader;
  const hn_node *value = entry->node;
  hn_input_def def = hn_default_input();
  hn_fields fields;
  hn_source place = hn_node_key_source(entry->node);
  if (value->kind == HN_NODE_MAP) {
    if (!hn_fields_open(context, value, hn_section_find("input", NULL), &fields)) return;
    value = hn_field(&fields, "value");
    def.filter = hn_field_number(&fields, "filter");
    def.follows = hn_named_output(&fields, "follows");
    if (def.follows && hn_field_given(&fields, "every"))
      def.every = hn_field_number(&fields, "every");
    hn_fields_close(&fields);
  }
  hn_amount *amount = hn_loader_take(loader, 1, sizeof *amount);
  if (!amount) return;
  if (value) *amount = hn_amount_of(context, value);
  if (value) def.value = hn_number_of(context, value, HN_ANYTHING, "value");
  entry->data = amount;
  def.name = entry->name;
  def.source = place;
  char unit[64];
  if (amount->kind == HN_AMOUNT_TYPED)
    def.unit = hn_loader_copy(loader, hn_dimension_text(amount->dimension, unit, sizeof unit));
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_input(loader->model, &def, &entry->id));
}

void hn_load_inputs(hn_loader *loader) {
  for (hn_entry *input = loader->first[HN_ENTRY_INPUT]; hn_loader_goes_on(loader, input);
       input = input->next) {
    if (input->owner && !input->sealed) continue; // a formula of the component's user
    hn_element_name old = hn_loader_begin(loader, "input", input->name);
    if (input->sealed)
      hn_sealed_load_input(input);
    else
      add_input(input);
    hn_loader_set_element(loader, &old);
  }
}
