// The quality grade of a run, as data for its report.
#include <stdio.h>

#include "base/arena.h"
#include "holon/analysis.h"
#include "holon/verify.h"
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

int hn_report_shared_outputs(const hn_report *r, hn_string *names) {
  int count = hn_model_output_count(r->model), found = 0;
  if (!r->mobility || r->mobility->not_unique_count == 0) return 0;
  hn_verify_note *notes = hn_allocate(NULL, ((size_t)count + 1) * sizeof *notes);
  int *signals = hn_allocate(NULL, ((size_t)count + 1) * sizeof *signals);
  for (int i = 0; signals && i < count; i++)
    signals[i] = hn_simulation_find_signal(r->simulation, hn_model_output_name(r->model, i));
  if (notes && signals && hn_simulation_free_signals(r->simulation, signals, count, notes) == HN_OK)
    for (int i = 0; i < count; i++)
      if (notes[i].is_shared)
        hn_string_add(names, "%s%s", found++ > 0 ? ", " : "", notes[i].subject);
  hn_release(NULL, notes);
  hn_release(NULL, signals);
  return found;
}

// Indeterminate reactions, joint by joint.
static void add_shared(hn_string *words, const hn_report *r) {
  const hn_mobility *m = r->mobility;
  hn_string_add(words, "Statically indeterminate:  ");
  for (int i = 0; i < m->not_unique_count && i < 12; i++) {
    const hn_redundant_joint *entry = &m->not_unique[i];
    char text[64];
    const char *what = hn_reaction_components_text(entry->here, text, (int)sizeof text);
    hn_string_add(words, "%s%s%s%s%s", i > 0 ? ", " : "", hn_redundant_name(r->model, entry),
                  what[0] ? " (" : "", what, what[0] ? ")" : "");
  }
  if (m->not_unique_count > 12) hn_string_add(words, " and %d more", m->not_unique_count - 12);
  hn_string_add(words, ". The motion and all other reactions are determined.");
}

// Worth knowing, no fault of the run unless outputs depend on it.
static void add_redundancy(hn_json_writer *json, const hn_report *r) {
  const hn_mobility *m = r->mobility;
  if (!m) return;
  hn_string words = {0}, outputs = {0};
  int shared = hn_report_shared_outputs(r, &outputs);
  if (m->not_unique_count == 0)
    hn_string_add(&words, "Every joint reaction is determined.");
  else
    add_shared(&words, r);
  if (shared > 0)
    hn_string_add(&words, " Output%s that depend%s on them: %s.", shared == 1 ? "" : "s",
                  shared == 1 ? "s" : "", outputs.data);
  int redundant = m->rows - m->rank;
  char value[48];
  snprintf(value, sizeof value, "%d redundant constraint%s", redundant, redundant == 1 ? "" : "s");
  add_check(json, shared > 0 ? HN_DOUBTFUL : HN_SOUND, "Reactions", value, words.data);
  hn_string_free(&words);
  hn_string_free(&outputs);
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
