// holon kinematics: a machine whose drivers leave no freedom, over time. No forces are needed for
// the motion; reactions and drive forces come out.
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
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "override a parameter (again and again)",
       NULL},
      {"output-step", 0, HN_CLI_TIME, &s->output_step, "DT", "time between rows (T/500)", NULL},
      {"signals", 0, HN_CLI_LIST, &s->signals, "GLOB", "record only outputs and these", NULL},
      {"format", 0, HN_CLI_STRING, &s->format, "NAME", "of results:", choice_format},
      {"no-units", 0, HN_CLI_FLAG, &s->no_units, NULL, "no line of units in CSV", NULL},
      {"no-scene", 0, HN_CLI_FLAG, &s->no_scene, NULL, "no scene.json and motion.bin", NULL},
      {"strict", 0, HN_CLI_FLAG, &s->strict, NULL, "warnings are errors", NULL},
      {"quiet", 0, HN_CLI_FLAG, &s->quiet, NULL, "no summary, no progress, no warnings", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "JSON on stdout; files only with -o", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  return code;
}

static int follow_session(hn_cli_session *session) {
  const hn_cli_settings *settings = session->settings;
  const hn_simulation_defaults *defaults = hn_model_defaults(session->model);
  hn_cli_outcome outcome = {.end = settings->time > 0 ? settings->time : defaults->time,
                            .is_kinematics = 1};
  if (outcome.end <= 0) {
    hn_cli_fail(&session->error, HN_ERROR_ARGUMENT,
                "Give --time T, or `simulation: {time: T}` in the model.",
                "nothing says until when '%s' is to move", session->name);
    return hn_cli_report_failure(settings->json, 0, &session->error);
  }
  double step = settings->output_step > 0 ? settings->output_step : defaults->output_step;
  hn_cli_grid grid;
  if (hn_cli_make_grid(0, outcome.end, step, &grid, &session->error) != HN_OK) {
    return hn_cli_report_failure(settings->json, 0, &session->error);
  }
  hn_cli_recording recording = {0};
  int code = -1;
  if (!settings->json || settings->folder != NULL) {
    if (hn_cli_recording_create(session, &recording, 1) != HN_OK ||
        hn_cli_recording_film(session, &recording, &grid, 1) != HN_OK) {
      code = hn_cli_report_failure(settings->json, 0, &session->error);
    }
  }
  if (code < 0) hn_cli_recording_warn(session, &recording, &grid);
  if (code < 0) code = hn_cli_prepare_files(session);
  if (code < 0) {
    hn_cli_follow(session, &grid, &recording, &outcome);
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
  if (settings.coordinates == NULL)
    settings.coordinates = "cartesian"; // what is counted and solved there
  if (code < 0) code = hn_cli_session_open(&session, &settings);
  if (code < 0) code = follow_session(&session);
  hn_cli_session_close(&session);
  hn_cli_settings_free(&settings);
  return code;
}

const hn_cli_command hn_cli_kinematics_command = {
    .name = "kinematics",
    .arguments = "MODEL [options]",
    .summary = "motion, reactions and drive forces of a fully driven machine",
    .details = "The drivers must leave no degree of freedom; `holon check` counts them.\n"
               "No step is taken: results have no energy.work and no energy.balance, and there\n"
               "is no certificate.\n",
    .example = "  holon kinematics crank.yaml --time 2\n",
    .run = run,
};
