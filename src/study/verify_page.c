// The page of a verification: its JSON, and the spread of every signal over time.
#include <math.h>

#include "base/arena.h"
#include "output/page.h"

enum { MOST_PLOTS = 24 };

static void add_spread(hn_json_writer *json, const hn_verify *v, int index, double *spread) {
  const hn_verify_signal *signal = &v->signals[index];
  for (int i = 0; i < v->rows; i++) {
    double value = v->spread[(size_t)i * (size_t)v->signal_count + (size_t)index];
    spread[i] = isinf(value) ? NAN : value;
  }
  hn_json_series(json, signal->name, signal->unit, v->grid, spread, v->rows);
}

static hn_status add_facts(hn_json_writer *json, const hn_verify *v, const char *name) {
  size_t needed = 0;
  hn_verify_json(v, name, NULL, 0, &needed);
  char *text = hn_allocate(NULL, needed);
  hn_status status =
      text ? hn_verify_json(v, name, text, needed, NULL) : (hn_status)HN_ERROR_MEMORY;
  if (status == HN_OK) hn_json_raw(json, "verify", text);
  hn_release(NULL, text);
  return status;
}

hn_status hn_verify_page(const hn_pages *pages, const hn_page_head *head, const hn_verify *verify,
                         char **text, size_t *length) {
  const hn_verify *v = verify;
  hn_json_writer json = {0};
  int *order = hn_allocate(NULL, ((size_t)v->signal_count + 1) * sizeof *order);
  double *spread = hn_allocate(NULL, ((size_t)v->rows + 1) * sizeof *spread);
  const char *name = head->name ? head->name : head->model ? hn_model_name(head->model) : "";
  *text = NULL;
  hn_status status = order && spread ? HN_OK : HN_ERROR_MEMORY;
  hn_page_begin(&json, "verify", head);
  if (status == HN_OK) status = add_facts(&json, v, name);
  if (status == HN_OK) {
    hn_verify_order_signals(v, order);
    hn_json_open(&json, "spread", '[');
    for (int k = 0; v->trial_count > 1 && k < v->signal_count && k < MOST_PLOTS; k++)
      add_spread(&json, v, order[k], spread);
    hn_json_close(&json, ']');
    status = hn_page_end(&json, pages, NULL, text, length);
  }
  hn_string_free(&json.text);
  hn_release(NULL, order);
  hn_release(NULL, spread);
  return status;
}
