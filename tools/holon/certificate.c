// The certificate of a run as JSON: what was solved, by what, and how well.
#include "session.h"

#include <stdio.h>
#include <stdlib.h>

// FNV-1a over the running program: tells builds apart, 0 where the system does not show it.
static unsigned long long build_hash(void) {
  FILE *file = fopen("/proc/self/exe", "rb");
  if (file == NULL) return 0;
  unsigned long long hash = 14695981039346656037ULL;
  unsigned char block[65536];
  size_t count;
  while ((count = fread(block, 1, sizeof block, file)) > 0) {
    for (size_t i = 0; i < count; i++) hash = (hash ^ block[i]) * 1099511628211ULL;
  }
  fclose(file);
  return hash;
}

static void add_identity(hn_cli_json *json, const hn_cli_session *session) {
  hn_cli_json_open(json, "model", '{');
  hn_cli_json_string(json, "name", session->name);
  hn_cli_json_string(json, "file", session->settings->path);
  hn_cli_json_hash(json, "hash", hn_model_hash(session->model));
  hn_cli_json_close(json, '}');
  hn_cli_json_open(json, "holon", '{');
  hn_cli_json_string(json, "version", hn_version());
  hn_cli_json_hash(json, "build", build_hash());
  hn_cli_json_close(json, '}');
}

static void add_quality(hn_cli_json *json, const hn_certificate *certificate) {
  hn_cli_json_open(json, "steps", '{');
  hn_cli_json_integer(json, "accepted", certificate->steps_accepted);
  hn_cli_json_integer(json, "rejected", certificate->steps_rejected);
  hn_cli_json_number(json, "smallest", certificate->smallest_step);
  hn_cli_json_number(json, "largest", certificate->largest_step);
  hn_cli_json_close(json, '}');
  hn_cli_json_open(json, "constraint", '{');
  hn_cli_json_number(json, "position", certificate->constraint_position);
  hn_cli_json_number(json, "velocity", certificate->constraint_velocity);
  hn_cli_json_number(json, "acceleration", certificate->constraint_acceleration);
  hn_cli_json_close(json, '}');
  hn_cli_json_open(json, "energy", '{');
  hn_cli_json_number(json, "balance", certificate->energy_balance);
  hn_cli_json_number(json, "relative", certificate->energy_relative);
  hn_cli_json_close(json, '}');
  hn_cli_json_open(json, "initial", '{');
  hn_cli_json_number(json, "position_change", certificate->initial_position_change);
  hn_cli_json_number(json, "velocity_change", certificate->initial_velocity_change);
  hn_cli_json_close(json, '}');
  hn_cli_json_open(json, "newton", '{');
  hn_cli_json_integer(json, "iterations", certificate->newton_iterations);
  hn_cli_json_integer(json, "failures", certificate->newton_failures);
  hn_cli_json_integer(json, "unconverged_accepted", certificate->newton_unconverged_accepted);
  hn_cli_json_close(json, '}');
  hn_cli_json_integer(json, "evaluations", certificate->evaluations);
  hn_cli_json_integer(json, "factorizations", certificate->factorizations);
  hn_cli_json_integer(json, "projections", certificate->projections);
}

static void add_events(hn_cli_json *json, const hn_cli_session *session) {
  int count = hn_simulation_events(session->simulation, NULL, 0);
  hn_event *events = hn_cli_allocate((size_t)count, sizeof *events);
  int there = hn_simulation_events(session->simulation, events, count);
  if (there < count) count = there;
  hn_cli_json_open(json, "events", '[');
  for (int i = 0; i < count; i++) {
    int has_force = events[i].force >= 0;
    hn_cli_json_open(json, NULL, '{');
    hn_cli_json_number(json, "time", events[i].time);
    hn_cli_json_string(json, "force",
                       has_force ? hn_model_force_name(session->model, events[i].force) : "");
    hn_cli_json_integer(json, "from", events[i].from);
    hn_cli_json_integer(json, "to", events[i].to);
    hn_cli_json_close(json, '}');
  }
  hn_cli_json_close(json, ']');
  free(events);
}

static void add_warning(hn_cli_json *json, const hn_warning *warning) {
  hn_cli_json_open(json, NULL, '{');
  hn_cli_json_string(json, "element", warning->element);
  hn_cli_json_string(json, "message", warning->message);
  hn_cli_json_close(json, '}');
}

static void add_lists(hn_cli_json *json, const hn_cli_session *session) {
  hn_cli_json_open(json, "redundant", '[');
  for (int i = 0; session->has_mobility && i < session->mobility.redundant_count; i++) {
    const hn_redundant_joint *joint = &session->mobility.redundant[i];
    hn_cli_json_open(json, NULL, '{');
    hn_cli_json_string(json, "joint", hn_cli_redundant_name(session->model, joint));
    hn_cli_json_integer(json, "rows", joint->row_count);
    hn_cli_json_close(json, '}');
  }
  hn_cli_json_close(json, ']');
  hn_cli_json_open(json, "warnings", '[');
  for (int i = 0; i < hn_model_warning_count(session->model); i++) {
    add_warning(json, hn_model_warning(session->model, i));
  }
  for (int i = 0; i < hn_simulation_warning_count(session->simulation); i++) {
    add_warning(json, hn_simulation_warning(session->simulation, i));
  }
  hn_cli_json_close(json, ']');
}

void hn_cli_add_certificate(hn_cli_json *json, const char *key, const hn_cli_session *session,
                            const hn_cli_outcome *outcome) {
  hn_certificate certificate = hn_simulation_certificate(session->simulation);
  hn_cli_json_open(json, key, '{');
  hn_cli_json_string(json, "status", outcome->status == HN_OK ? "ok" : "failed");
  hn_cli_json_number(json, "time", outcome->time);
  add_identity(json, session);
  hn_cli_json_string(json, "coordinates", certificate.coordinates);
  hn_cli_json_string(json, "method", certificate.method);
  hn_cli_json_string(json, "formula", certificate.formula);
  hn_cli_json_string(json, "independent", certificate.independent);
  hn_cli_json_string(json, "linear_solver", certificate.linear_solver);
  add_quality(json, &certificate);
  add_events(json, session);
  hn_cli_json_integer(json, "event_count", certificate.events);
  hn_cli_json_integer(json, "ignored", certificate.ignored);
  add_lists(json, session);
  hn_cli_json_number(json, "cpu_seconds", certificate.cpu_seconds);
  // a run that went on from a kept state counts the time and the work before it too
  hn_cli_json_number(json, "realtime_factor",
                     certificate.cpu_seconds > 0 ? outcome->time / certificate.cpu_seconds : 0);
  hn_cli_json_hash(json, "state_hash", hn_simulation_state_hash(session->simulation));
  hn_cli_json_close(json, '}');
}
