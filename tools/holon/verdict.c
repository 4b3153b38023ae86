// The verdict of the library in words: a table for the report, one line for the terminal.
#include "report.h"

#include <stdio.h>
#include <string.h>

const char *hn_cli_grade_class(hn_grade grade) {
  switch (grade) {
  case HN_SOUND: return "good";
  case HN_SENSITIVE:
  case HN_DOUBTFUL: return "note";
  case HN_UNSOUND: break;
  }
  return "bad";
}

hn_verdict hn_cli_judge(const hn_cli_session *session, const hn_cli_outcome *outcome) {
  if (!outcome->is_kinematics) return hn_simulation_verdict(session->simulation, NULL);
  hn_certificate c = hn_simulation_certificate(session->simulation);
  c.constraint_position = outcome->constraint[0];
  c.constraint_velocity = outcome->constraint[1];
  c.constraint_acceleration = outcome->constraint[2];
  return hn_simulation_verdict(session->simulation, &c);
}

static void add_row(hn_cli_text *text, hn_grade grade, const char *subject, const char *value,
                    const char *words) {
  hn_cli_add(text, "<tr><td><span class=\"dot %s\"></span></td><th>%s</th><td class=\"num\">",
             hn_cli_grade_class(grade), subject);
  hn_cli_add_xml(text, value);
  hn_cli_add(text, "</td><td>");
  hn_cli_add_xml(text, words);
  hn_cli_add(text, "</td></tr>\n");
}

// Worth knowing, no fault of the run.
static void add_redundancy(hn_cli_text *text, const hn_cli_session *session) {
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
  snprintf(value, sizeof value, "%d redundant row%s", redundant, redundant == 1 ? "" : "s");
  add_row(text, m->not_unique_count > 0 ? HN_DOUBTFUL : HN_SOUND, "Reactions", value, words.data);
  hn_cli_text_free(&words);
}

void hn_cli_add_verdict_table(hn_cli_text *text, const hn_cli_session *session,
                              const hn_verdict *verdict) {
  hn_cli_add(text, "<table class=\"verdicts\">\n");
  for (int i = 0; i < verdict->count; i++) {
    const hn_check *check = &verdict->checks[i];
    add_row(text, check->grade, check->subject, check->value, check->text);
  }
  add_redundancy(text, session);
  hn_cli_add(text, "</table>\n");
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
