// holon kinematics: a model whose drivers prescribe all degrees of freedom, over time. Forces do
// not affect the motion; reactions and drive forces are results.
#include "session.h"

#include <stdio.h>

static const char *choice_format(int index) {
  static const char *const words[] = {"hdf5", "csv", "npz", NULL};
  return words[index];
}

static int read_settings(const hn_cli_command *command, int argc, char **argv, hn_cli_settings *s) {
  const hn_cli_option options[] = {
      {"output", 'o', HN_CLI_STRING, &s->folder, "DIR", "write into DIR (out/NAME)", NULL},
      {"time", 0, HN_CLI_TIME, &s->time, "T", "until T seconds", NULL},
      {"input", 0, HN_CLI_LIST, &s->inputs, "NAME=VALUE",
       "value of an input, in SI; or a table FILE.csv over time, along a spline", NULL},
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "override a parameter (repeatable)", NULL},
      HN_CLI_MODEL_OPTIONS(*s),
      {"output-step", 0, HN_CLI_TIME, &s->output_step, "DT", "time between samples (T/500)", NULL},
      {"signals", 0, HN_CLI_LIST, &s->signals, "GLOB", "record outputs and matching signals only",
       NULL},
      {"format", 0, HN_CLI_STRING, &s->format, "NAME", "of results:", choice_format},
      {"no-units", 0, HN_CLI_FLAG, &s->no_units, NULL, "no units line in CSV", NULL},
      {"no-scene", 0, HN_CLI_FLAG, &s->no_scene, NULL,
       "do not write scene.json and motion.bin (no animation)", NULL},
      {"strict", 0, HN_CLI_FLAG, &s->strict, NULL, "treat warnings as errors", NULL},
      {"quiet", 0, HN_CLI_FLAG, &s->quiet, NULL, "no summary, no progress, no warnings", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "print JSON; write files only with -o", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  return code;
}

static int follow_session(hn_cli_session *session) {
  const hn_cli_settings *settings = session->settings;
  hn_run_outcome outcome = {0};
  hn_run_plan plan = hn_cli_plan(session);
  hn_grid grid;
  if (hn_run_grid(session->simulation, &plan, &grid, &session->error) != HN_OK)
    return hn_cli_report_failure(settings->json, 0, &session->error);
  hn_cli_recording recording = {0};
  int code = hn_cli_open_folder(session, &recording, 1);
  if (code < 0) {
    hn_cli_simulate(session, &recording, 1, &outcome);
    code = hn_cli_finish(session, &recording, &outcome);
  }
  hn_cli_recording_free(&recording);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  hn_cli_session session = {0};
  hn_cli_settings settings = {0};
  hn_cli_session_call(&session, argc, argv);
  int code = read_settings(command, argc, argv, &settings);
  if (settings.run.coordinates == NULL)
    settings.run.coordinates = "cartesian"; // what is counted and solved there
  if (code < 0) code = hn_cli_session_open(&session, &settings);
  if (code < 0) code = follow_session(&session);
  hn_cli_session_close(&session);
  hn_cli_settings_free(&settings);
  return code;
}

const hn_cli_command hn_cli_kinematics_command = {
    .name = "kinematics",
    .arguments = "MODEL [options]",
    .summary = "motion, reactions and drive forces of a fully driven mechanism",
    .details =
        "The drivers must leave no degree of freedom; `holon check` counts them.\n"
        "Nothing is integrated: results have no energy.work and no energy.balance, and there\n"
        "is no certificate.\n",
    .example = "  holon kinematics crank.yaml --time 2\n",
    .run = run,
};
