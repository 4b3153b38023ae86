// The verdict of the library: data for the report, one line for the terminal.
#include "report.h"

#include <stdio.h>
#include <string.h>

hn_verdict hn_cli_judge(const hn_cli_session *session, const hn_cli_outcome *outcome) {
  if (!outcome->is_kinematics) return hn_simulation_verdict(session->simulation, NULL);
  hn_certificate c = hn_simulation_certificate(session->simulation);
  c.constraint_position = outcome->constraint[0];
  c.constraint_velocity = outcome->constraint[1];
  c.constraint_acceleration = outcome->constraint[2];
  return hn_simulation_verdict(session->simulation, &c);
}

static void add_check(hn_cli_json *json, hn_grade grade, const char *subject, const char *value,
                      const char *words) {
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "grade", hn_grade_name(grade));
  hn_json_string(json, "subject", subject);
  hn_json_string(json, "value", value);
  hn_json_string(json, "text", words);
  hn_json_close(json, '}');
}

// Worth knowing, no fault of the run.
static void add_redundancy(hn_cli_json *json, const hn_cli_session *session) {
  if (!session->has_mobility) return;
  const hn_mobility *m = &session->mobility;
  hn_cli_text words = {0};
  if (m->not_unique_count == 0) {
    hn_cli_add(&words, "Every joint reaction is determined.");
  } else {
    hn_cli_add(&words, "The motion is determined; how these joints share their load is a choice: ");
    for (int i = 0; i < m->not_unique_count && i < 12; i++) {
      hn_cli_add(&words, "%s%s", i > 0 ? ", " : "",
                 hn_cli_redundant_name(session->model, &m->not_unique[i]));
    }
    if (m->not_unique_count > 12) hn_cli_add(&words, " and %d more", m->not_unique_count - 12);
    hn_cli_add(&words, ".");
  }
  int redundant = m->rows - m->rank;
  char value[48];
  snprintf(value, sizeof value, "%d redundant constraint%s", redundant, redundant == 1 ? "" : "s");
  add_check(json, m->not_unique_count > 0 ? HN_DOUBTFUL : HN_SOUND, "Reactions", value, words.data);
  hn_string_free(&words);
}

void hn_cli_json_verdict(hn_cli_json *json, const hn_cli_session *session,
                         const hn_verdict *verdict) {
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
  add_redundancy(json, session);
  hn_json_close(json, ']');
  hn_json_close(json, '}');
}

void hn_cli_add_verdict_line(hn_cli_text *text, const hn_verdict *verdict) {
  char reason[512];
  int count = 0;
  while (hn_verdict_reason(verdict, count, reason, sizeof reason)) count++;
  hn_cli_add(text, "%s", hn_grade_name(verdict->grade));
  for (int k = 0; k < verdict->count; k++)
    if (strcmp(verdict->checks[k].value, "not estimated") == 0)
      hn_cli_add(text, ", accuracy not estimated");
  if (count == 0) return;
  hn_verdict_reason(verdict, 0, reason, sizeof reason);
  hn_cli_add(text, ": %s", reason);
  if (count > 1) hn_cli_add(text, " (and %d more in the report)", count - 1);
}
