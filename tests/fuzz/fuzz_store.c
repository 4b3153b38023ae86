// Stores of runs, in memory: what is whole in them, or an error.
#include "results_target.h"

#include "holon/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (int table = HN_STORE_ROWS; table <= HN_STORE_SHOWN; table++) {
    hn_results *results = NULL;
    hn_store_state state;
    hn_error error = {0};
    hn_status status =
        hn_store_parse(data, size, "x.store", (hn_store_table)table, &results, &state, &error);
    PROMISE_OUTCOME(status, results, error);
    if (results) PROMISE(state.size <= size && state.size + state.cut == size);
    fuzz_look_at(results);
  }
  return 0;
}
