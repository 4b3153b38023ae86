// Signals in laws: found as in outputs, then read by a sensor of the model.
#include <string.h>

#include "base/error.h"
#include "formats/loader.h"
#include "model/sensor.h"

// "input.pedal.value" is the input itself.
static const char *input_of(hn_loader *loader, const char *signal) {
  size_t length = strlen(signal);
  if (strncmp(signal, "input.", 6) != 0 || length < 13) return NULL;
  char *name = hn_loader_take(loader, length, 1);
  if (name) memcpy(name, signal + 6, length - 6 - 6); // without .value
  return name;
}

// ---- outputs in laws ----------------------------------------------------------------------------

// The names of outputs, and of inputs of components, that are being read.
static void tell_circle(const hn_loader *loader, const hn_entry *again, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int kind = 0; kind < 2; kind++)
    for (const hn_entry *e = loader->first[kind ? HN_ENTRY_INPUT : HN_ENTRY_OUTPUT]; e;
         e = e->next) {
      const hn_entry *read = kind ? e->owner : e;
      if (read && read->state == HN_ENTRY_BUSY && used + 1 < size)
        used += strlen(hn_text(text + used, size - used, "%s%s", used ? ", " : "", e->name));
    }
  if (!used) hn_text(text, size, "%s", again->name);
}

hn_status hn_signal_inline(hn_entry *output, const hn_formula *formula, const hn_source *place,
                           hn_named_amount *found, hn_error *error) {
  hn_loader *loader = output->context.loader;
  const hn_node *node = output->node;
  if (node->kind == HN_NODE_MAP) node = hn_node_get(node, "value");
  if (hn_loader_spoilt(loader, output)) return loader->status;
  if (output->state == HN_ENTRY_BUSY) {
    char circle[200];
    tell_circle(loader, output, circle, sizeof circle);
    return hn_fail(error, HN_ERROR_MODEL, place, NULL,
                   "Replace one of them by a state with a rate.",
                   "the outputs %s depend on each other (algebraic loop)", circle);
  }
  const hn_formula signals = {NULL, 0, formula->find, formula->takes_inputs};
  char *scratch = loader->scratch;
  hn_amount amount;
  int uses_variables;
  loader->scratch = hn_loader_take(loader, HN_SCRATCH, 1);
  if (!node || !loader->scratch) {
    loader->scratch = scratch;
    return HN_RETRY;
  }
  hn_entry_state before = output->state;
  output->state = HN_ENTRY_BUSY;
  hn_status status = hn_formula_of(&output->context, node, &signals, &amount, &uses_variables);
  output->state = before;
  size_t size = strlen(loader->scratch) + 3;
  char *text = hn_loader_take(loader, size, 1);
  if (text) found->spelling = hn_text(text, size, "(%s)", loader->scratch);
  loader->scratch = scratch;
  found->amount = amount;
  found->amount.direct = 0;
  if (found->amount.kind == HN_AMOUNT_TYPED) found->amount.kind = HN_AMOUNT_VARIABLE;
  return status ? status : loader->status;
}

// Of the same file; with a dot in its name of the whole model, too: an output of a component.
static hn_entry *find_output(const hn_context *context, const char *name, size_t length) {
  hn_loader *loader = context->loader;
  hn_entry *own = hn_entry_find(loader, HN_ENTRY_OUTPUT, context->scope->prefix, name, length);
  if (own || !memchr(name, '.', length)) return own;
  return hn_entry_find(loader, HN_ENTRY_OUTPUT, "", name, length);
}

static const hn_formula sensed = {NULL, 0, hn_signal_sense, 1};

// ---- signals ------------------------------------------------------------------------------------

hn_status hn_signal_sense(const hn_context *context, const char *name, size_t length,
                          const hn_source *place, hn_named_amount *found, hn_error *error) {
  hn_loader *loader = context->loader;
  int is_signal = memchr(name, '.', length) || (length == 4 && memcmp(name, "time", 4) == 0);
  char state[HN_FULL_NAME_LENGTH + 16];
  if (!is_signal && length < HN_FULL_NAME_LENGTH &&
      hn_entry_find(loader, HN_ENTRY_STATE, context->scope->prefix, name, length)) {
    hn_text(state, sizeof state, "state.%.*s", (int)length, name); // a state by its own name
    name = state;
    length = strlen(state);
    is_signal = 1;
  }
  hn_entry *output = find_output(context, name, length);
  if (!output) output = hn_signal_block(context, name, length);
  if (!output) output = hn_signal_bound(context, name, length);
  if (output) return hn_signal_inline(output, &sensed, place, found, error);
  const int is_time = length == 1 && name[0] == 't';
  if (!is_signal && !is_time) return HN_RETRY; // no name of a signal: reported like any other
  hn_status status = hn_signal_find(context, name, length, place, found, error);
  if (status != HN_OK) return status;
  const char *input = input_of(loader, found->spelling);
  if (input) {
    found->spelling = input;
    return loader->status;
  }
  if (hn_sealed_output_find(context, found->spelling))
    return hn_fail(
        error, HN_ERROR_UNSUPPORTED, place, NULL,
        "Read its interface bodies instead (body.NAME.BODY.position.z), or use its model file.",
        "'%.80s' is an output of a sealed component, which only outputs can read", found->spelling);
  int sensor;
  hn_error why = {0};
  status = hn_model_add_sensor(loader->model, found->spelling, &sensor, &why);
  // as x, v and t of a law: checked in sums, free in products
  if (found->amount.kind == HN_AMOUNT_TYPED) found->amount.kind = HN_AMOUNT_VARIABLE;
  found->amount.value = 0.5;
  if (status == HN_OK) return HN_OK;
  return hn_fail(error, status, place, NULL, why.hint, "%s", why.message);
}
