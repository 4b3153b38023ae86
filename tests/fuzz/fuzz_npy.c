// Files that grow while a run continues (.npy): what is whole in them, or an error.
#include "results_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[128];
  hn_results *results = NULL;
  hn_error error = {0};
  if (!path[0]) fuzz_path(path, "x.npy");
  fuzz_write(path, data, size);
  hn_status status = hn_results_read(path, &results, &error);
  remove(path);
  PROMISE_OUTCOME(status, results, error);
  fuzz_look_at(results);
  return 0;
}
