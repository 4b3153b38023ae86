// Warnings as sentences, with the place of what they are about.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/model.h"

hn_source hn_model_source(const hn_model *model, const char *element) {
  static const hn_source nowhere = {NULL, 0, 0};
  const char *quote = strchr(element, '\''), *end = quote ? strchr(quote + 1, '\'') : NULL;
  if (!end || quote == element) return nowhere;
  const size_t word = (size_t)(quote - element) - 1;
  for (int kind = 0; kind < HN_NAME_KINDS; kind++) {
    const char *name = hn_name_kind_word((hn_name_kind)kind);
    if (strlen(name) != word || strncmp(element, name, word) != 0) continue;
    int id = hn_model_find(model, (hn_name_kind)kind, quote + 1, (size_t)(end - quote - 1));
    if (id < 0) return nowhere;
    switch (kind) {
    case HN_NAME_BODY: return model->bodies[id].source;
    case HN_NAME_JOINT: return model->joints[id].source;
    case HN_NAME_DRIVER: return model->drivers[id].source;
    case HN_NAME_FORCE: return model->forces[id].source;
    case HN_NAME_CONTACT: return model->contacts[id].source;
    case HN_NAME_STATE: return model->states[id].source;
    default: return nowhere;
    }
  }
  return nowhere;
}

const char *hn_warning_text(const hn_model *model, const hn_warning *warning, char *text,
                            size_t size) {
  const hn_source place = hn_model_source(model, warning->element);
  char where[320] = "";
  if (place.file && place.line > 0)
    hn_text(where, sizeof where, "%.280s:%d:%d: ", place.file, place.line, place.column);
  return hn_text(text, size, "%s%s: %s%s%s", where, warning->is_note ? "note" : "warning",
                 warning->element, warning->element[0] ? " " : "", warning->message);
}
