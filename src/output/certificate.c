// The certificate of a run as JSON: what was run, by which method, how many steps it took, how
// accurate constraints and energy are. Keys are a contract (README, certificate.json); hashes are
// strings, because 64 bits do not fit the numbers of JSON readers; what is not a finite number is
// null.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/text.h"
#include "holon/analysis.h"
#include "holon/contact.h"
#include "holon/realtime.h"
#include "holon/results.h"
#include "holon/run.h"
#include "holon/switch.h"
#include "model/options.h"

typedef struct writer {
  hn_string text;
  hn_status status;
} writer;

static void put_text(writer *w, const char *text) { hn_string_text(&w->text, text); }

static void put_string(writer *w, const char *text) { hn_string_json(&w->text, text); }

static void put_number(writer *w, double value) {
  char text[HN_NUMBER_TEXT];
  put_text(w, isfinite(value) ? hn_number_text(text, value) : "null");
}

static void put_count(writer *w, long value) { hn_string_add(&w->text, "%ld", value); }

static void put_hash(writer *w, unsigned long long hash) {
  hn_string_add(&w->text, "\"%016llx\"", hash);
}

static void put_key(writer *w, const char *key) {
  put_string(w, key);
  put_text(w, ": ");
}

static void string_field(writer *w, const char *key, const char *value) {
  put_key(w, key);
  put_string(w, value);
  put_text(w, ", ");
}
static void count_field(writer *w, const char *key, long value, const char *behind) {
  put_key(w, key);
  put_count(w, value);
  put_text(w, behind);
}
static void number_field(writer *w, const char *key, double value, const char *behind) {
  put_key(w, key);
  put_number(w, value);
  put_text(w, behind);
}

// ---- parts --------------------------------------------------------------------------------------

static void put_model(writer *w, const hn_model *model) {
  put_text(w, "{\"model\": {");
  string_field(w, "name", hn_model_name(model));
  put_text(w, "\"hash\": ");
  put_hash(w, hn_model_hash(model));
  put_text(w, "}, \"holon\": {\"version\": ");
  put_string(w, hn_version());
  put_text(w, "}, ");
}

// The reasons of a sound run are remarks.
static void put_verdict(writer *w, hn_simulation *simulation, const hn_certificate *c) {
  hn_verdict verdict = hn_simulation_verdict(simulation, c);
  char reason[512];
  if (w->status == HN_OK && verdict.status == HN_ERROR_MEMORY) w->status = verdict.status;
  put_text(w, "\"verdict\": {");
  string_field(w, "grade", hn_grade_name(verdict.grade));
  put_text(w, "\"reasons\": [");
  for (int k = 0; hn_verdict_reason(&verdict, k, reason, sizeof reason); k++) {
    put_text(w, k ? ", " : "");
    put_string(w, reason);
  }
  put_text(w, "]}, ");
}

// Estimated errors of the outputs; without any, those of positions and joint coordinates.
static void put_bars(writer *w, const hn_accuracy *a) {
  enum { MOST = 1000 };
  put_text(w, "\"outputs\": {");
  for (int k = 0, count = 0; k < a->signal_count && count < MOST; k++) {
    const hn_accuracy_signal *signal = &a->signals[k];
    if (!signal->is_judged) continue;
    put_text(w, count++ ? ", " : "");
    put_key(w, signal->name);
    put_text(w, "{");
    number_field(w, "absolute", signal->absolute, ", ");
    number_field(w, "relative", signal->relative, "}");
  }
  put_text(w, "}");
}

static void put_accuracy(writer *w, const hn_simulation *simulation) {
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  put_key(w, "accuracy");
  if (!a) {
    put_text(w, "null, ");
    return;
  }
  put_text(w, "{");
  string_field(w, "how", a->how);
  number_field(w, "worst", a->is_estimated ? a->worst : NAN, ", ");
  number_field(w, "until", a->is_estimated ? a->until : NAN, ", ");
  if (a->is_estimated) {
    string_field(w, "worst_signal", a->worst_signal);
    number_field(w, "motion", a->motion, ", ");
    string_field(w, "motion_signal", a->motion_signal);
    number_field(w, "motion_absolute", a->motion_absolute, ", ");
    string_field(w, "motion_unit", a->motion_unit);
    number_field(w, "of_range", a->of_range, ", ");
    string_field(w, "range_signal", a->range_signal);
    if (a->filtered > 0) {
      number_field(w, "filtered", a->filtered, ", ");
      string_field(w, "filtered_force", a->filtered_force);
    }
    number_field(w, "promise", a->promise, ", ");
    number_field(w, "travel", a->travel, ", ");
    number_field(w, "of_travel", a->of_travel, ", ");
    put_text(w, a->is_sensitive ? "\"sensitive\": true, " : "\"sensitive\": false, ");
    number_field(w, "reached", a->reached, ", ");
    number_field(w, "cpu_seconds", a->cpu_seconds, ", ");
    if (a->events_compared > 0) {
      count_field(w, "events_compared", a->events_compared, ", ");
      number_field(w, "event_time", a->event_time, ", ");
    }
  }
  put_bars(w, a);
  put_text(w, "}, ");
}

// A size that is 0 while unused.
static void size_field(writer *w, const char *key, double value, const char *behind) {
  number_field(w, key, value > 0 ? value : NAN, behind);
}

static void put_option(writer *w, const hn_option_row *row, const hn_simulation_options *o) {
  const int is_said = hn_option_is_said(row, o);
  if (row->option.kind != HN_OPTION_WORD) {
    number_field(w, row->option.name, is_said ? hn_option_number(row, o) : NAN, "");
    return;
  }
  put_key(w, row->option.name);
  if (is_said)
    put_string(w, hn_option_text(row, o));
  else
    put_text(w, "null");
}

static void put_options(writer *w, const hn_simulation_options *o, const hn_certificate *c) {
  put_text(w, "\"options\": {");
  const hn_option_row *row;
  const char *between = "";
  for (int k = 0; (row = hn_option_row_at(k)); k++) {
    if (!(row->option.places & HN_OPTION_AT_BITS) || !(row->option.places & HN_OPTION_AT_COMMAND))
      continue;
    put_text(w, between);
    between = ", ";
    put_option(w, row, o);
  }
  put_text(w, "}, \"initial\": {");
  number_field(w, "position_change", c->initial_change.position, ", ");
  number_field(w, "velocity_change", c->initial_change.velocity, "}, ");
}

static void put_quality(writer *w, const hn_certificate *c) {
  put_text(w, "\"steps\": {");
  count_field(w, "accepted", c->steps_accepted, ", ");
  if (hn_method_steps_by_energy(c->method)) count_field(w, "of_index_1", c->steps_of_index_1, ", ");
  count_field(w, "substituted", c->steps_past.substituted, ", ");
  count_field(w, "coasted", c->steps_past.coasted, ", ");
  count_field(w, "rejected", c->steps_rejected, "}, \"constraint\": {");
  number_field(w, "position", c->constraint_position, ", ");
  number_field(w, "velocity", c->constraint_velocity, ", ");
  number_field(w, "acceleration", c->constraint_acceleration, "}, \"energy\": {");
  number_field(w, "balance", c->energy_balance, ", ");
  number_field(w, "relative", c->energy_relative, "}, \"newton\": {");
  count_field(w, "iterations", c->newton_iterations, ", ");
  count_field(w, "failures", c->newton_failures, ", ");
  count_field(w, "unconverged_accepted", c->newton_unconverged_accepted, ", ");
  number_field(w, "unconverged_residual", c->newton_unconverged_residual, "}, ");
  count_field(w, "evaluations", c->evaluations, ", ");
  count_field(w, "factorizations", c->factorizations, ", ");
  count_field(w, "selections", c->selections, ", ");
}

// Of rigid contacts, in models that have contacts.
static void put_contacts(writer *w, const hn_simulation *simulation) {
  const hn_certificate c = hn_simulation_certificate(simulation);
  if (hn_model_contact_count(hn_simulation_model(simulation)) == 0) return;
  put_text(w, "\"contact\": {");
  count_field(w, "impacts", c.impacts, ", ");
  count_field(w, "grip_changes", c.grip_changes, ", ");
  count_field(w, "unresolved", c.contacts_unresolved, ", ");
  count_field(w, "fallbacks", c.contacts_fallbacks, ", ");
  number_field(w, "penetration", c.penetration, ", ");
  number_field(w, "residual", c.contact_residual, ", ");
  number_field(w, "impact_loss", c.impact_loss, ", ");
  number_field(w, "friction_loss", c.friction_loss, "}, ");
}

// Which joint, driver or force came or went.
static void put_switched(writer *w, const hn_model *model, int number) {
  static const char *const words[] = {"joint", "driver", "switched_force"};
  const hn_switch_def *def = hn_model_switch(model, number - 1);
  if (!def) return;
  put_key(w, words[def->of]);
  put_string(w, def->of == HN_SWITCH_JOINT    ? hn_model_joint_name(model, def->element)
                : def->of == HN_SWITCH_DRIVER ? hn_model_driver_name(model, def->element)
                                              : hn_model_force_name(model, def->element));
  put_text(w, ", ");
}

// The latest events, oldest first.
static void put_events(writer *w, const hn_simulation *simulation) {
  enum { MOST = 1000 };
  hn_event events[MOST];
  int there = hn_simulation_events(simulation, events, MOST);
  int count = there < MOST ? there : MOST;
  count_field(w, "event_count", hn_simulation_certificate(simulation).events, ", ");
  put_text(w, "\"events\": [");
  for (int k = 0; k < count; k++) {
    const char *name = hn_model_force_name(hn_simulation_model(simulation), events[k].force);
    put_text(w, k ? ", {" : "{");
    number_field(w, "time", events[k].time, ", ");
    put_key(w, "force");
    if (name)
      put_string(w, name);
    else
      put_text(w, "null");
    put_text(w, ", ");
    if (events[k].contact > 0) {
      put_key(w, "contact");
      put_string(w, hn_model_contact(hn_simulation_model(simulation), events[k].contact - 1)->name);
      put_text(w, ", ");
    }
    if (events[k].switched > 0)
      put_switched(w, hn_simulation_model(simulation), events[k].switched);
    count_field(w, "from", events[k].from, ", ");
    count_field(w, "to", events[k].to, "}");
  }
  put_text(w, "], ");
}

// Components of reactions that joints share in an undetermined way, by the names of their signals.
static void put_shared(writer *w, const hn_model *model, const hn_mobility *mobility) {
  int count = 0;
  put_key(w, "reactions_not_unique");
  put_text(w, "[");
  for (int k = 0; k < mobility->not_unique_count; k++) {
    const hn_redundant_joint *entry = &mobility->not_unique[k];
    for (int i = 0; i < 6 && !entry->is_driver; i++) {
      char name[192];
      if (!entry->global[i]) continue;
      snprintf(name, sizeof name, "joint.%.150s.reaction.%s", hn_redundant_name(model, entry),
               hn_reaction_component(i));
      put_text(w, count++ ? ", " : "");
      put_string(w, name);
    }
  }
  put_text(w, "], ");
}

// Joints and drivers whose constraint equations could be left out, at the present position; null if
// unknown.
static void put_redundant(writer *w, hn_simulation *simulation) {
  const hn_model *model = hn_simulation_model(simulation);
  hn_mobility mobility;
  put_key(w, "redundant");
  hn_status status = hn_simulation_mobility(simulation, &mobility);
  if (status != HN_OK) {
    // one text that is whole or none: what memory lacked now may be there when it is asked again
    if (status == HN_ERROR_MEMORY) w->status = status;
    put_text(w, "null, ");
    return;
  }
  put_text(w, "[");
  for (int k = 0; k < mobility.redundant_count; k++) {
    const hn_redundant_joint *joint = &mobility.redundant[k];
    put_text(w, k ? ", {" : "{");
    string_field(w, "joint",
                 joint->is_driver ? hn_model_driver_name(model, joint->id)
                                  : hn_model_joint_name(model, joint->id));
    count_field(w, "rows", joint->row_count, "}");
  }
  put_text(w, "], ");
  put_shared(w, model, &mobility);
  hn_mobility_free(&mobility);
}

static void put_warning(writer *w, const hn_warning *warning, int first) {
  put_text(w, first ? "{" : ", {");
  string_field(w, "element", warning->element);
  put_key(w, "message");
  put_string(w, warning->message);
  put_text(w, "}");
}

// Warnings, or with are_notes what is worth knowing only.
static void put_warnings(writer *w, const hn_simulation *simulation, int are_notes) {
  const hn_model *model = hn_simulation_model(simulation);
  int of_model = hn_model_warning_count(model), of_run = hn_simulation_warning_count(simulation);
  int count = 0;
  put_text(w, are_notes ? "\"notes\": [" : "\"warnings\": [");
  for (int k = 0; k < of_model + of_run; k++) {
    const hn_warning *warning =
        k < of_model ? hn_model_warning(model, k) : hn_simulation_warning(simulation, k - of_model);
    if (warning->is_note == are_notes) put_warning(w, warning, count++ == 0);
  }
  put_text(w, "], ");
}

// Bounds of a run in real time, and the duration of its steps.
static void put_realtime(writer *w, const hn_simulation *simulation) {
  const hn_realtime *loop = hn_simulation_realtime(simulation);
  if (!loop) return;
  const hn_realtime_options *o = hn_realtime_options_used(loop);
  const hn_simulation_options *used = hn_simulation_options_used(simulation);
  hn_timing t = hn_realtime_timing(loop);
  put_text(w, "\"realtime\": {");
  number_field(w, "step", hn_simulation_fixed_step(simulation), ", ");
  count_field(w, "max_iterations", used->max_iterations, ", ");
  string_field(w, "at_bound", o->at_bound == HN_BOUND_ACCEPT ? "accept" : "stop");
  string_field(w, "events", "counted at the ends of steps, not located");
  count_field(w, "timed_steps", t.steps, ", ");
  size_field(w, "deadline", t.deadline, ", ");
  count_field(w, "overruns", t.overruns, ", \"seconds\": {");
  size_field(w, "mean", t.mean, ", ");
  size_field(w, "half", t.half, ", ");
  size_field(w, "p99", t.p99, ", ");
  size_field(w, "p99.99", t.p9999, ", ");
  size_field(w, "worst", t.worst, ", ");
  size_field(w, "worst_at", t.worst_at, "}, \"histogram\": [");
  for (int k = 0, first = 1; k < HN_TIMING_BINS; k++) {
    if (t.bins[k] == 0) continue;
    put_text(w, first ? "{" : ", {");
    number_field(w, "from", k > 0 ? hn_timing_edge(k) : 0, ", ");
    number_field(w, "to", k < HN_TIMING_BINS - 1 ? hn_timing_edge(k + 1) : NAN, ", ");
    count_field(w, "steps", t.bins[k], "}");
    first = 0;
  }
  put_text(w, "]}, ");
}

static void put_uses(writer *w, const hn_certificate *c) {
  put_key(w, "methods");
  put_text(w, "[");
  for (int k = 0; k < c->use_count; k++) {
    put_text(w, k > 0 ? ", {" : "{");
    string_field(w, "method", c->uses[k].method);
    string_field(w, "formula", c->uses[k].formula);
    number_field(w, "first", c->uses[k].first, ", ");
    number_field(w, "time", c->uses[k].time, "}");
  }
  put_text(w, "], ");
}

hn_status hn_certificate_json(hn_simulation *simulation, char *text, size_t size, size_t *needed) {
  writer w = {{0}, HN_OK};
  hn_certificate c = hn_simulation_certificate(simulation);
  put_model(&w, hn_simulation_model(simulation));
  put_verdict(&w, simulation, &c);
  put_accuracy(&w, simulation);
  number_field(&w, "time", hn_simulation_time(simulation), ", ");
  string_field(&w, "coordinates", c.coordinates);
  string_field(&w, "method", c.method);
  string_field(&w, "formula", c.formula);
  string_field(&w, "independent", c.independent);
  put_uses(&w, &c);
  string_field(&w, "linear_solver", c.linear_solver);
  if (c.preset)
    string_field(&w, "preset", c.preset);
  else
    put_text(&w, "\"preset\": null, ");
  string_field(&w, "choice", c.choice);
  put_options(&w, hn_simulation_options_used(simulation), &c);
  put_quality(&w, &c);
  put_realtime(&w, simulation);
  put_contacts(&w, simulation);
  put_events(&w, simulation);
  count_field(&w, "ignored", c.ignored, ", ");
  put_redundant(&w, simulation);
  put_warnings(&w, simulation, 0);
  put_warnings(&w, simulation, 1);
  number_field(&w, "cpu_seconds", c.cpu_seconds, ", ");
  number_field(&w, "realtime_factor", hn_simulation_time(simulation) / c.cpu_seconds, ", ");
  put_text(&w, "\"state_hash\": ");
  put_hash(&w, hn_simulation_state_hash(simulation));
  put_text(&w, "}");
  hn_status status = hn_string_give(&w.text, text, size, needed);
  hn_string_free(&w.text);
  if (text == NULL && status == HN_ERROR_LIMIT) status = HN_OK; // it was only asked for
  return w.status != HN_OK ? w.status : status;
}
