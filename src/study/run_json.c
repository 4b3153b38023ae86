// How a run ended, as JSON.
#include "base/arena.h"
#include "study/report.h"

static void add_final(hn_json_writer *json, const hn_report *r) {
  hn_json_open(json, "final", '{');
  for (int i = 0; i < hn_model_output_count(r->model); i++) {
    const char *name = hn_model_output_name(r->model, i);
    double value = 0;
    hn_simulation_value(r->simulation, name, &value);
    hn_json_number(json, name, value);
  }
  hn_json_close(json, '}');
}

hn_status hn_certificate_text(hn_simulation *simulation, char **text) {
  size_t needed = 0, size = 0;
  hn_status status = hn_certificate_json(simulation, NULL, 0, &needed);
  *text = NULL;
  // warnings that were reported in between make it longer
  for (int k = 0; k < 3 && (status == HN_OK || status == HN_ERROR_LIMIT) && size < needed; k++) {
    hn_release(NULL, *text);
    size = needed;
    *text = hn_allocate(NULL, size);
    if (!*text) return HN_ERROR_MEMORY;
    status = hn_certificate_json(simulation, *text, size, &needed);
  }
  if (status == HN_OK) return HN_OK;
  hn_release(NULL, *text);
  *text = NULL;
  return HN_ERROR_MEMORY;
}

static void add_proof(hn_json_writer *json, const hn_report *r) {
  if (!r->outcome->is_kinematics) {
    char *certificate = NULL;
    if (hn_certificate_text(r->simulation, &certificate) == HN_OK)
      hn_json_raw(json, "certificate", certificate);
    else
      json->text.is_lost = 1;
    hn_text_free(certificate);
    return;
  }
  hn_json_open(json, "constraint", '{');
  hn_json_number(json, "position", r->outcome->constraint[0]);
  hn_json_number(json, "velocity", r->outcome->constraint[1]);
  hn_json_number(json, "acceleration", r->outcome->constraint[2]);
  hn_json_close(json, '}');
}

hn_status hn_run_json(const hn_run_facts *facts, const hn_error *error, char **text) {
  hn_json_writer json = {0};
  const hn_report r = hn_report_of(facts);
  if (!error) error = &r.outcome->error;
  const int is_fine = error->status == HN_OK && r.outcome->status == HN_OK;
  hn_json_open(&json, NULL, '{');
  if (is_fine) {
    hn_certificate c = hn_simulation_certificate(r.simulation);
    hn_json_string(&json, "status", c.newton_unconverged_accepted > 0 ? "ok-bounded" : "ok");
    hn_json_number(&json, "time", r.outcome->time);
    add_final(&json, &r);
    hn_report_figures(&json, &r);
    hn_report_pace_json(&json, &r);
    add_proof(&json, &r);
  } else {
    hn_json_string(&json, "status", "failed");
    hn_json_number(&json, "time", r.outcome->time);
    hn_json_error(&json, "error", error);
    if (r.outcome->status == HN_OK) add_proof(&json, &r); // done, but not good enough
  }
  hn_json_close(&json, '}');
  return hn_string_hand_over(&json.text, text, NULL);
}
