// A table of results that was read: everything in it can be asked for.
#ifndef HN_TESTS_FUZZ_RESULTS_TARGET_H
#define HN_TESTS_FUZZ_RESULTS_TARGET_H

#include "target.h"

#include "holon/results.h"

static inline void fuzz_look_at(hn_results *results) {
  if (!results) return;
  int signals = hn_results_signal_count(results), rows = hn_results_row_count(results);
  volatile double sum = 0;
  (void)sum;
  volatile size_t length = 0;
  (void)length;
  for (int k = 0; k < signals; k++) {
    const char *name = hn_results_signal_name(results, k);
    const double *column = hn_results_column(results, k);
    length += strlen(name) + strlen(hn_results_signal_unit(results, k));
    for (int row = 0; row < rows; row++) sum += column[row];
    PROMISE(hn_results_find(results, name) >= 0);
  }
  const double *time = hn_results_time(results);
  for (int row = 0; row < rows; row++) sum += time[row];
  hn_results_free(results);
}

#endif
