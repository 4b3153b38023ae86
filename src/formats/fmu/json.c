// An FMU as JSON: facts, platforms, variables, findings.
#include "base/json_writer.h"
#include "formats/fmu/file.h"

static void write_kinds(hn_json_writer *json, const char *name, int bits) {
  hn_json_open(json, name, '[');
  for (int k = 0; k < HN_FMU_KINDS; k++)
    if (bits & (1 << k)) hn_json_string(json, NULL, hn_fmu_kind_names[k]);
  hn_json_close(json, ']');
}

static void write_facts(hn_json_writer *json, const hn_fmu_file *fmu) {
  const hn_fmu_facts *f = &fmu->facts;
  hn_json_string(json, "fmi_version", f->version_text);
  hn_json_string(json, "model_name", f->model_name);
  hn_json_string(json, "description", f->description);
  hn_json_string(json, "generator", f->generator);
  hn_json_string(json, "token", f->token);
  write_kinds(json, "kinds", f->kinds);
  write_kinds(json, "saves_state", f->can_save);
  write_kinds(json, "serializes_state", f->can_serialize);
  write_kinds(json, "directional_derivatives", f->has_directional_derivatives);
  write_kinds(json, "adjoint_derivatives", f->has_adjoint_derivatives);
  hn_json_boolean(json, "variable_steps", f->has_variable_steps);
  hn_json_boolean(json, "event_mode", f->has_event_mode);
  hn_json_integer(json, "states", f->state_count);
  hn_json_integer(json, "event_indicators", f->indicator_count);
  hn_json_number(json, "start_time", f->start);
  hn_json_number(json, "stop_time", f->stop);
  hn_json_number(json, "tolerance", f->tolerance);
  hn_json_number(json, "step_size", f->step);
  hn_json_open(json, "platforms", '[');
  for (int k = 0; hn_fmu_platform(fmu, k); k++) hn_json_string(json, NULL, hn_fmu_platform(fmu, k));
  hn_json_close(json, ']');
}

static void write_variable(hn_json_writer *json, const hn_fmu_file *fmu, const hn_fmu_variable *v) {
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "name", v->name);
  hn_json_integer(json, "reference", (long)v->reference);
  hn_json_string(json, "type", v->type);
  hn_json_string(json, "causality", v->causality);
  hn_json_string(json, "variability", v->variability);
  hn_json_string(json, "initial", v->initial);
  hn_json_string(json, "start", v->start);
  hn_json_string(json, "unit", v->unit);
  hn_json_string(json, "description", v->description);
  hn_json_integer(json, "count", v->count);
  if (v->derivative_of >= 0)
    hn_json_string(json, "derivative_of", fmu->entries[v->derivative_of].facts.name);
  hn_json_close(json, '}');
}

static void write_finding(hn_json_writer *json, const hn_fmu_finding *finding) {
  static const char *const severities[] = {"note", "warning", "error"};
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "severity", severities[finding->severity]);
  hn_json_string(json, "file", finding->file);
  hn_json_integer(json, "line", finding->line);
  hn_json_string(json, "message", finding->message);
  hn_json_close(json, '}');
}

hn_status hn_fmu_json(const hn_fmu_file *fmu, char **text, size_t *length) {
  hn_json_writer json = {0};
  hn_json_open(&json, NULL, '{');
  write_facts(&json, fmu);
  hn_json_open(&json, "variables", '[');
  for (int k = 0; hn_fmu_variable_of(fmu, k); k++)
    write_variable(&json, fmu, hn_fmu_variable_of(fmu, k));
  hn_json_close(&json, ']');
  hn_json_integer(&json, "errors", fmu->facts.error_count);
  hn_json_integer(&json, "warnings", fmu->facts.warning_count);
  hn_json_open(&json, "findings", '[');
  for (int k = 0; hn_fmu_finding_of(fmu, k); k++) write_finding(&json, hn_fmu_finding_of(fmu, k));
  hn_json_close(&json, ']');
  hn_json_close(&json, '}');
  return hn_string_hand_over(&json.text, text, length);
}
