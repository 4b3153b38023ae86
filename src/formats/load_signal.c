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
  if (!is_signal) return HN_RETRY; // no name of a signal: reported like any other
  if (loader->is_sealing)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, place, NULL, "Give the component as a model file.",
                   "'%.*s' is a signal, which a sealed component cannot use in a law",
                   (int)(length < 80 ? length : 80), name);
  hn_status status = hn_signal_find(context, name, length, place, found, error);
  if (status != HN_OK) return status;
  const char *input = input_of(loader, found->spelling);
  if (input) {
    found->spelling = input;
    return loader->status;
  }
  int sensor;
  hn_error why = {0};
  status = hn_model_add_sensor(loader->model, found->spelling, &sensor, &why);
  // as x, v and t of a law: checked in sums, free in products
  if (found->amount.kind == HN_AMOUNT_TYPED) found->amount.kind = HN_AMOUNT_VARIABLE;
  found->amount.value = 0.5;
  if (status == HN_OK) return HN_OK;
  return hn_fail(error, status, place, NULL, why.hint, "%s", why.message);
}
