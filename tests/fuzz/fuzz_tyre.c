// Property files of tyres and tables of forces: reading ends in a tyre or in an error; a tyre
// answers any slip. The first byte chooses the format.
#include "target.h"

#include "holon/tyre.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[2] = {"x.tir", "x.csv"};
  if (size == 0) return 0;
  hn_tyre *tyre = NULL;
  hn_error error = {0};
  const char *text = (const char *)data + 1;
  hn_status status = hn_tyre_parse(text, size - 1, names[data[0] % 2], &tyre, &error);
  PROMISE_OUTCOME(status, tyre, error);
  if (!tyre) return 0;
  static const double slips[3] = {-1, 0, 0.1};
  for (int k = 0; k < 9; k++) {
    hn_tyre_slip slip = {slips[k % 3], 0.3 * slips[k / 3], 0.02 * k, 1000.0 * k, 4.0 - k, 1};
    hn_tyre_forces forces;
    double derivatives[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS];
    hn_tyre_evaluate(tyre, &slip, &forces, derivatives);
  }
  hn_tyre_rows *rows = NULL;
  status = hn_tyre_tabulate(tyre, text, size - 1, "x", HN_TYRE_SAE, &rows, &error);
  PROMISE_OUTCOME(status, rows, error);
  hn_tyre_rows_free(rows);
  hn_tyre_free(tyre);
  return 0;
}
