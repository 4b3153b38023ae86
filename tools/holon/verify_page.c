// The page of `holon verify`: what verify.json tells, and the spread of every signal over time.
#include "page.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>

enum { most_plots = 24 };

static void add_spread(hn_cli_json *json, const hn_verify *v, int index) {
  const hn_verify_signal *signal = &v->signals[index];
  double *spread = hn_cli_allocate((size_t)v->rows + 1, sizeof *spread);
  for (int i = 0; i < v->rows; i++) {
    double value = v->spread[(size_t)i * (size_t)v->signal_count + (size_t)index];
    spread[i] = isinf(value) ? NAN : value;
  }
  hn_cli_json_series(json, signal->name, signal->unit, v->grid, spread, v->rows);
  free(spread);
}

void hn_cli_add_verify_page(hn_cli_text *text, const hn_cli_session *session, const hn_verify *v) {
  hn_cli_json json = {0}, facts = {0};
  int *order = hn_cli_order_signals(v);
  hn_cli_page_begin(&json, "verify", session);
  hn_cli_add_verify_json(&facts, session, v);
  hn_json_raw(&json, "verify", facts.text.data);
  hn_json_open(&json, "spread", '[');
  for (int k = 0; v->trial_count > 1 && k < v->signal_count && k < most_plots; k++)
    add_spread(&json, v, order[k]);
  hn_json_close(&json, ']');
  hn_cli_page_end(&json, NULL, text);
  hn_string_free(&facts.text);
  free(order);
}
