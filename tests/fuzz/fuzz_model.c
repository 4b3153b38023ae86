// Model files: whatever the bytes, loading ends in a model or in an error that names a line. `use:`
// finds the files of models/examples when it is run from the root of the project. Text that starts
// with a brace goes to the reader of JSON as well.
#include "target.h"

#include "holon/load.h"

static void load(const uint8_t *data, size_t size, const char *name) {
  hn_model *model = NULL;
  hn_error error = {0};
  hn_status status = hn_model_load_text((const char *)data, size, name, NULL, &model, &error);
  PROMISE_OUTCOME(status, model, error);
  PROMISE(status == HN_OK || error.line > 0);
  hn_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  load(data, size, "models/examples/fuzz.yaml");
  if (size > 0 && data[0] == '{') load(data, size, "models/examples/fuzz.json");
  return 0;
}
