// States: `z: {rate: (u - z)/T, initial: 0}`, sampled, `d: {value: ..., every: 1 ms}`, or changed by
// events, `on: {when: [[u > high, 1], [u < low, 0]]}`. Names are there before laws are read; how
// states change is read when everything else is there.
#include <stdlib.h>

#include "base/error.h"
#include "formats/law.h"
#include "model/state.h"

// Written by load_fmu.c: the number of the program from 1, and which of its outputs.
static void add_fmu_state(hn_entry *entry, hn_state_def *def) {
  hn_loader *loader = entry->context.loader;
  const char *numbers = hn_node_get(entry->node, "fmu")->text;
  char *end = NULL;
  hn_amount *amount = hn_loader_take(loader, 1, sizeof *amount);
  if (!amount) return;
  def->outside = (int)strtol(numbers, &end, 10);
  def->outside_output = (int)strtol(end, NULL, 10);
  def->every = hn_number_of(&entry->context, hn_node_get(entry->node, "every"), HN_TIME, "every");
  entry->data = amount;
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_state(loader->model, def, &entry->id));
}

static void add_state(hn_entry *entry) {
  const hn_context *context = &entry->context;
  hn_loader *loader = context->loader;
  hn_state_def def = {.name = entry->name, .source = hn_node_key_source(entry->node)};
  hn_fields fields;
  if (hn_node_get(entry->node, "fmu")) {
    add_fmu_state(entry, &def);
    return;
  }
  if (!hn_fields_open(context, entry->node, hn_section_find("state", NULL), &fields)) return;
  const hn_node *initial = hn_field(&fields, "initial"), *rate = hn_field(&fields, "rate");
  const hn_node *value = hn_field(&fields, "value"), *when = hn_field(&fields, "when");
  hn_amount *amount = hn_loader_take(loader, 1, sizeof *amount);
  if (!amount) return;
  if (initial) {
    *amount = hn_amount_of(context, initial);
    def.initial = hn_number_of(context, initial, HN_ANYTHING, "initial");
  }
  def.every = hn_field_number(&fields, "every");
  def.follows = hn_named_output(&fields, "follows");
  (void)hn_field(&fields, "delay");
  static const char *const of_delay[] = {"of", "order"}; // read with the laws
  for (int k = 0; k < 2; k++) (void)hn_field(&fields, of_delay[k]);
  const int follows = def.follows != NULL;
  if ((rate != NULL) + (value != NULL) + (when != NULL) + follows != 1 ||
      (value != NULL || follows) != (def.every > 0))
    hn_loader_fail(loader, HN_ERROR_MODEL, &def.source,
                   "Give one of: `rate:`; `value:` or `follows:` with `every:`; `when:`.",
                   "has no rate, value, output to follow or event");
  hn_fields_close(&fields);
  char unit[64];
  if (amount->kind == HN_AMOUNT_TYPED)
    def.unit = hn_loader_copy(loader, hn_dimension_text(amount->dimension, unit, sizeof unit));
  entry->data = amount;
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_state(loader->model, &def, &entry->id));
}

static hn_law *read_law(hn_entry *entry, const hn_node *node) {
  hn_law_wanted wanted = {"t", HN_TIME, HN_TIME, HN_ANYTHING, 1, 0};
  hn_law_draft draft = hn_law_read(&entry->context, node, &wanted);
  return hn_law_draft_make(entry->context.loader, &draft);
}

static void add_rules(hn_entry *entry, const hn_node *when) {
  hn_loader *loader = entry->context.loader;
  int count = 0;
  for (const hn_node *rule = when->kind == HN_NODE_LIST ? when->first : NULL;
       rule && hn_loader_ok(loader); rule = rule->next) {
    if (rule->kind != HN_NODE_LIST || rule->count != 2 || ++count > HN_MOST_RULES) break;
    hn_law *condition = read_law(entry, rule->first), *value = read_law(entry, rule->first->next);
    if (hn_loader_ok(loader))
      hn_loader_added(loader, hn_model_add_state_rule(loader->model, entry->id, condition, value));
  }
  hn_source source = hn_node_source(when);
  if (hn_loader_ok(loader) && (count == 0 || count != when->count))
    hn_loader_fail(loader, HN_ERROR_MODEL, &source,
                   "Give a list of conditions and values: [[u > high, 1], [u < low, 0]].",
                   "has a `when:` that is not a list of up to %d pairs", HN_MOST_RULES);
}

// Written by blocks.c: the law is that of the approximation, and the states behind it are its others.
static void add_delay(hn_entry *entry) {
  hn_loader *loader = entry->context.loader;
  const hn_context *context = &entry->context;
  const double delay = hn_number_of(context, hn_node_get(entry->node, "delay"), HN_TIME, "delay");
  const double order = hn_number_of(context, hn_node_get(entry->node, "order"), HN_NUMBER, "order");
  hn_law *delayed = read_law(entry, hn_node_get(entry->node, "of"));
  if (hn_loader_ok(loader))
    hn_loader_added(loader,
                    hn_model_delay_state(loader->model, entry->id, delay, (int)order, delayed));
}

static void add_law(hn_entry *entry) {
  hn_loader *loader = entry->context.loader;
  const hn_node *when = hn_node_get(entry->node, "when");
  if (when) {
    add_rules(entry, when);
    return;
  }
  if (hn_node_get(entry->node, "follows") || hn_node_get(entry->node, "fmu")) return;
  const hn_node *rate = hn_node_get(entry->node, "rate"),
                *value = hn_node_get(entry->node, "value");
  hn_law *law = read_law(entry, rate ? rate : value);
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_set_state_law(loader->model, entry->id, law));
  if (hn_loader_ok(loader) && hn_node_get(entry->node, "delay")) add_delay(entry);
}

static void for_each(hn_loader *loader, void (*use)(hn_entry *)) {
  for (hn_entry *state = loader->first[HN_ENTRY_STATE]; hn_loader_goes_on(loader, state);
       state = state->next) {
    if (hn_loader_spoilt(loader, state)) continue; // its law has nowhere to go
    hn_element_name old = hn_loader_begin(loader, "state", state->name);
    use(state);
    hn_loader_set_element(loader, &old);
  }
}

void hn_load_states(hn_loader *loader) { for_each(loader, add_state); }
void hn_load_state_laws(hn_loader *loader) { for_each(loader, add_law); }
