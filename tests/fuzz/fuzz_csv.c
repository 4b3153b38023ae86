// Tables of text: a whole table, or an error with a line.
#include "results_target.h"

#include "output/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  hn_results *results = NULL;
  hn_error error = {0};
  PROMISE(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  hn_status status = hn_results_parse_csv(text, size, "x.csv", &results, &error);
  PROMISE_OUTCOME(status, results, error);
  free(text); // nothing in the table points into it
  fuzz_look_at(results);
  return 0;
}
