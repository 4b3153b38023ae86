// Output of the process that reads HDF5: a malicious file may control that process, so its output
// is not trusted.
#include "results_target.h"

#include "output/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *exact = malloc(size ? size : 1);
  hn_results *results = NULL;
  hn_error error = {0};
  PROMISE(exact != NULL);
  memcpy(exact, data, size);
  hn_status status = hn_results_parse_table(exact, size, "x.h5", &results, &error);
  PROMISE_OUTCOME(status, results, error);
  free(exact);
  fuzz_look_at(results);
  return 0;
}
