// The verdict on a run, as data for its report.
#include <stdio.h>

#include "holon/analysis.h"
#include "study/report.h"

hn_verdict hn_run_verdict(hn_simulation *simulation, const hn_run_outcome *outcome) {
  if (!outcome->is_kinematics) return hn_simulation_verdict(simulation, NULL);
  hn_certificate c = hn_simulation_certificate(simulation);
  c.constraint_position = outcome->constraint[0];
  c.constraint_velocity = outcome->constraint[1];
  c.constraint_acceleration = outcome->constraint[2];
  return hn_simulation_verdict(simulation, &c);
}

static void add_check(hn_json_writer *json, hn_grade grade, const char *subject, const char *value,
                      const char *words) {
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "grade", hn_grade_name(grade));
  hn_json_string(json, "subject", subject);
  hn_json_string(json, "value", value);
  hn_json_string(json, "text", words);
  hn_json_close(json, '}');
}

// Worth knowing, no fault of the run.
static void add_redundancy(hn_json_writer *json, const hn_report *r) {
  const hn_mobility *m = r->mobility;
  if (!m) return;
  hn_string words = {0};
  if (m->not_unique_count == 0) {
    hn_string_add(&words, "Every joint reaction is determined.");
  } else {
    hn_string_add(&words,
                  "The motion is determined; how these joints share their load is a choice: ");
    for (int i = 0; i < m->not_unique_count && i < 12; i++) {
      hn_string_add(&words, "%s%s", i > 0 ? ", " : "",
                    hn_redundant_name(r->model, &m->not_unique[i]));
    }
    if (m->not_unique_count > 12) hn_string_add(&words, " and %d more", m->not_unique_count - 12);
    hn_string_add(&words, ".");
  }
  int redundant = m->rows - m->rank;
  char value[48];
  snprintf(value, sizeof value, "%d redundant constraint%s", redundant, redundant == 1 ? "" : "s");
  add_check(json, m->not_unique_count > 0 ? HN_DOUBTFUL : HN_SOUND, "Reactions", value, words.data);
  hn_string_free(&words);
}

void hn_report_verdict(hn_json_writer *json, const hn_report *r, const hn_verdict *verdict) {
  char reason[512];
  hn_json_open(json, "verdict", '{');
  hn_json_string(json, "grade", hn_grade_name(verdict->grade));
  hn_json_open(json, "reasons", '[');
  for (int i = 0; hn_verdict_reason(verdict, i, reason, sizeof reason); i++)
    hn_json_string(json, NULL, reason);
  hn_json_close(json, ']');
  hn_json_open(json, "checks", '[');
  for (int i = 0; i < verdict->count; i++) {
    const hn_check *check = &verdict->checks[i];
    add_check(json, check->grade, check->subject, check->value, check->text);
  }
  add_redundancy(json, r);
  hn_json_close(json, ']');
  hn_json_close(json, '}');
}
