// The page of a linearization: modes, poles and Bode diagrams.
#include "base/arena.h"
#include "output/page.h"

enum { POINTS = 300 };

static hn_status add_diagram(hn_json_writer *json, const hn_linear *l, int input, int output) {
  double frequency[POINTS], gain[POINTS], phase[POINTS];
  hn_status status = hn_linear_bode(l, input, output, POINTS, frequency, gain, phase);
  if (status != HN_OK) return status;
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "input", l->inputs[input]);
  hn_json_string(json, "output", l->outputs[output]);
  hn_json_vector(json, "frequency", frequency, POINTS);
  hn_json_vector(json, "gain", gain, POINTS);
  hn_json_vector(json, "phase", phase, POINTS);
  hn_json_close(json, '}');
  return HN_OK;
}

static hn_status add_facts(hn_json_writer *json, const hn_linear *l,
                           const hn_simulation *simulation) {
  size_t needed = 0;
  hn_linear_json(l, simulation, NULL, 0, &needed);
  char *text = hn_allocate(NULL, needed);
  hn_status status = HN_ERROR_MEMORY;
  if (text) status = hn_linear_json(l, simulation, text, needed, NULL);
  if (status == HN_OK) hn_json_raw(json, "linearize", text);
  hn_release(NULL, text);
  return status;
}

hn_status hn_linear_page(const hn_pages *pages, const hn_page_head *head, const hn_linear *linear,
                         const hn_simulation *simulation, char **text, size_t *length) {
  const hn_linear *l = linear;
  hn_json_writer json = {0};
  int pairs = 0;
  *text = NULL;
  hn_page_begin(&json, "linearize", head);
  hn_status status = add_facts(&json, l, simulation);
  hn_json_open(&json, "bode", '[');
  for (int i = 0; l->a && i < l->input_count; i++)
    for (int o = 0; status == HN_OK && o < l->output_count && pairs < HN_LINEAR_PAIRS; o++, pairs++)
      status = add_diagram(&json, l, i, o);
  hn_json_close(&json, ']');
  if (status == HN_OK) return hn_page_end(&json, pages, NULL, text, length);
  hn_string_free(&json.text);
  return status;
}
