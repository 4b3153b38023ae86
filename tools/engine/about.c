// Constant data of a model as JSON: scene, parameters, inputs, signals, warnings.
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "private.h"

hn_status holon_make_scene(holon_engine *e) {
  const double now = hn_simulation_time(e->simulation);
  return hn_scene_create(e->simulation, now + 1, 60, &e->scene, &e->error);
}

static void describe_scene(holon_engine *e, hn_json_writer *json) {
  const double far = 100;
  size_t size = 0;
  char *text = NULL;
  const hn_vec3 low = {e->poses[7] - far, e->poses[8], 0},
                high = {e->poses[7] + far, e->poses[8], 0};
  hn_scene_reach(e->scene, low, high);
  if (hn_scene_finish(e->scene, "ok", "") == HN_OK) hn_scene_json(e->scene, NULL, 0, &size);
  if (size > 0) text = malloc(size + 1);
  if (text && hn_scene_json(e->scene, text, size, NULL) == HN_OK) hn_json_raw(json, "scene", text);
  free(text);
}

static void describe_quantity(hn_json_writer *json, const char *name, const char *unit,
                              double value) {
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "name", name);
  hn_json_string(json, "unit", unit ? unit : "");
  hn_json_number(json, "value", value);
  hn_json_close(json, '}');
}

static void describe_quantities(holon_engine *e, hn_json_writer *json) {
  hn_parameter_number number;
  hn_json_open(json, "parameters", '[');
  for (int k = 0; hn_model_files_parameter(e->files, k, &number); k++) {
    for (int s = 0; s < e->number_count; s++)
      if (strcmp(e->numbers[s].name, number.name) == 0) number.value = e->numbers[s].value;
    describe_quantity(json, number.name, number.unit, number.value);
  }
  hn_json_close(json, ']');
  hn_json_open(json, "inputs", '[');
  for (int k = 0; k < hn_model_input_count(e->model); k++) {
    const hn_input_def *def = hn_model_input(e->model, k);
    describe_quantity(json, def->name, def->unit, def->value);
  }
  hn_json_close(json, ']');
}

static void describe_signals(holon_engine *e, hn_json_writer *json) {
  const int outputs = hn_model_output_count(e->model);
  hn_json_open(json, "signals", '[');
  for (int k = 0; k < hn_simulation_signal_count(e->simulation); k++) {
    const char *name = hn_simulation_signal_name(e->simulation, k);
    if (strncmp(name, "force.pull.", 11) == 0) continue;
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "name", name);
    hn_json_string(json, "unit", hn_simulation_signal_unit(e->simulation, k));
    hn_json_boolean(json, "is_output", k < outputs);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static void describe_warnings(holon_engine *e, hn_json_writer *json) {
  char text[1024];
  hn_json_open(json, "warnings", '[');
  for (int k = 0; k < hn_model_warning_count(e->model); k++)
    hn_json_string(json, NULL,
                   hn_warning_text(e->model, hn_model_warning(e->model, k), text, sizeof text));
  hn_json_close(json, ']');
}

hn_status holon_describe(holon_engine *e) {
  hn_json_writer json = {0};
  const hn_simulation_options *used = hn_simulation_options_used(e->simulation);
  const hn_certificate c = hn_simulation_certificate(e->simulation);
  hn_json_open(&json, NULL, '{');
  describe_scene(e, &json);
  hn_json_string(&json, "name", hn_model_name(e->model));
  hn_json_number(&json, "step", used->step > 0 ? used->step : 0);
  hn_json_string(&json, "coordinates", c.coordinates);
  hn_json_string(&json, "method", c.method);
  hn_json_string(&json, "formula", c.formula);
  hn_json_integer(&json, "pulls", e->pulls ? hn_model_body_count(e->model) : 0);
  describe_quantities(e, &json);
  describe_signals(e, &json);
  describe_warnings(e, &json);
  hn_json_close(&json, '}');
  hn_string_free(&e->about);
  e->about = json.text;
  return e->about.is_lost ? HN_ERROR_MEMORY : HN_OK;
}
