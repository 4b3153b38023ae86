// holon run: simulate a model over time.
#include "patience.h"
#include "pipes.h"
#include "ranks.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *choice_format(int index) {
  static const char *const words[] = {"hdf5", "csv", "npz", "store", NULL};
  return words[index];
}

static const char *choice_pace(int index) {
  static const char *const words[] = {"clock", "none", NULL};
  return words[index];
}

static const char *choice_accuracy(int index) {
  static const char *const words[] = {"auto", "on", "off", NULL};
  return words[index];
}

static const char *choice_bound(int index) {
  static const char *const words[] = {"accept", "stop", NULL};
  return words[index];
}

static int read_settings(const hn_cli_command *command, int argc, char **argv, hn_cli_settings *s) {
  const hn_cli_option options[] = {
      {"output", 'o', HN_CLI_STRING, &s->folder, "DIR", "write into DIR (out/NAME)", NULL},
      {"time", 0, HN_CLI_TIME, &s->time, "T", "simulate until T (s; or '20 ms', '2 min')", NULL},
      hn_cli_rows(&s->run),
      {"accuracy", 0, HN_CLI_STRING, &s->accuracy, "NAME",
       "estimate errors from a refined run; auto: not for long runs:", choice_accuracy},
      {"realtime", 0, HN_CLI_FLAG, &s->realtime, NULL,
       "real time: one fixed step per clock period (--step, 1 ms), bounded computing time", NULL},
      {"pace", 0, HN_CLI_STRING, &s->pace, "NAME",
       "with --realtime: wait for the clock, or run as fast as possible:", choice_pace},
      {"at-bound", 0, HN_CLI_STRING, &s->at_bound, "NAME",
       "with --realtime, at the iteration limit: accept the step or stop:", choice_bound},
      {"input", 0, HN_CLI_LIST, &s->inputs, "NAME=VALUE",
       "value of an input, in SI; or a table FILE.csv over time", NULL},
      {"pulls", 0, HN_CLI_STRING, &s->pulls, "FILE",
       "repeat the pulls of a live run, from the table it saved", NULL},
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "override a parameter (repeatable)", NULL},
      HN_CLI_MODEL_OPTIONS(*s),
      {"output-step", 0, HN_CLI_TIME, &s->output_step, "DT", "time between samples (T/500)", NULL},
      {"signals", 0, HN_CLI_LIST, &s->signals, "GLOB", "record outputs and matching signals only",
       NULL},
      {"format", 0, HN_CLI_STRING, &s->format, "NAME", "of results:", choice_format},
      {"no-units", 0, HN_CLI_FLAG, &s->no_units, NULL, "no units line in CSV", NULL},
      {"no-scene", 0, HN_CLI_FLAG, &s->no_scene, NULL,
       "do not write scene.json and motion.bin (no animation)", NULL},
      {"save-state", 0, HN_CLI_STRING, &s->save_state, "FILE", "write the final state", NULL},
      {"from", 0, HN_CLI_STRING, &s->from, "FILE", "continue from a saved state, bit for bit",
       NULL},
      {"resume", 0, HN_CLI_STRING, &s->resume, "DIR",
       "continue the stopped or killed run in DIR; takes no MODEL", NULL},
      {"checkpoint", 0, HN_CLI_TIME, &s->checkpoint, "T",
       "write a checkpoint every T of wall-clock time, for --resume (60 s)", NULL},
      {"no-checkpoint", 0, HN_CLI_FLAG, &s->no_checkpoint, NULL, "write no checkpoints", NULL},
      {"allow-compiled", 0, HN_CLI_FLAG, &s->allow_compiled, NULL,
       "load sealed components (compiled code: only from sources you trust)", NULL},
      {"served", 0, HN_CLI_LIST, &s->served, "NAME=COMMAND",
       "compute component NAME in the program COMMAND (repeatable)", NULL},
      {"patience", 0, HN_CLI_TIME, &s->patience, "T",
       "timeout of programs started by --served (60 s)", NULL},
      {"strict", 0, HN_CLI_FLAG, &s->strict, NULL,
       "treat warnings as errors; exit with 1 if the run is unsound", NULL},
      {"quiet", 0, HN_CLI_FLAG, &s->quiet, NULL, "no summary, no progress, no warnings", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "print JSON; write files only with -o", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  if (code >= 0) return code;
  if (s->realtime && s->pulls != NULL)
    return hn_cli_wrong_call(command->name, "--pulls excludes --realtime");
  // in real time a tolerance says what has converged
  if (!s->realtime && (s->pace != NULL || s->at_bound != NULL)) {
    return hn_cli_wrong_call(command->name, "--%s requires --realtime",
                             s->pace != NULL ? "pace" : "at-bound");
  }
  if (!s->realtime && s->run.step > 0 && (s->run.tol > 0 || s->run.atol > 0 || s->run.rtol > 0)) {
    return hn_cli_wrong_call(
        command->name, "--step (fixed step) excludes --tol (error control). Give one of them");
  }
  return -1;
}

static hn_status restore(hn_cli_session *session) {
  const char *path = session->settings->from;
  if (path == NULL) return HN_OK;
  char *data = NULL;
  size_t size = 0;
  hn_status status = hn_file_read_given(path, &data, &size, &session->error);
  if (status != HN_OK) return status;
  status = hn_simulation_restore(session->simulation, data, size);
  free(data);
  if (status != HN_OK) {
    session->error = *hn_simulation_error(session->simulation);
    if (session->error.file[0] == '\0') {
      snprintf(session->error.file, sizeof session->error.file, "%s", path);
    }
  }
  if (status != HN_OK) return status;
  status = hn_inputs_resume(session->inputs, session->simulation);
  if (status != HN_OK) session->error = *hn_simulation_error(session->simulation);
  return status;
}

static const double most_steps = 1e15; // time would not move any more

// Start and end. Returns -1, or the exit code after a message.
static int check_plan(hn_cli_session *session) {
  const hn_cli_settings *settings = session->settings;
  hn_error *error = &session->error;
  if (restore(session) != HN_OK) {
    hn_cli_report_failure(settings->json, 0, error);
    return HN_CLI_WRONG;
  }
  hn_run_plan plan = hn_cli_plan(session);
  hn_grid grid;
  const double start = hn_simulation_time(session->simulation);
  if (hn_run_grid(session->simulation, &plan, &grid, error) != HN_OK)
    return hn_cli_report_failure(settings->json, start, error);
  const double fixed = hn_simulation_fixed_step(session->simulation);
  const double span = grid.end - start;
  if (fixed > 0 && span / fixed > most_steps) {
    hn_cli_fail(error, HN_ERROR_ARGUMENT, "Give a larger --step or a shorter --time.",
                "steps of %g s for %g s exceed the limit of %g steps", fixed, span, most_steps);
    return hn_cli_report_failure(settings->json, start, error);
  }
  if (settings->realtime && fixed > (1 + 1e-9) * span) {
    hn_cli_fail(error, HN_ERROR_ARGUMENT, "Give a smaller --step or a longer --time.",
                "a period of %g s is longer than the %g s to simulate", fixed, span);
    hn_cli_report_failure(settings->json, start, error);
    return HN_CLI_WRONG;
  }
  return -1;
}

// Makes the calls that hn_cli_finish makes, for a process that writes nothing.
static int follow_finish(hn_cli_session *session, const hn_run_outcome *outcome) {
  size_t size = hn_simulation_save_size(session->simulation);
  void *buffer = session->settings->save_state != NULL ? malloc(size) : NULL;
  if (buffer != NULL) hn_simulation_save(session->simulation, buffer, size);
  free(buffer);
  return outcome->status == HN_OK ? HN_CLI_DONE : HN_CLI_FAILED;
}

// A run whose other processes are gone: which one, where that is known.
static void explain_loss(hn_cli_session *session, hn_run_outcome *outcome) {
  outcome->status = HN_ERROR_INTERRUPTED;
  const char *served = hn_cli_served_lost(1);
  if (session->error.status == HN_ERROR_INTERRUPTED && session->error.element[0] != '\0') return;
  if (served != NULL) {
    hn_cli_fail(&session->error, HN_ERROR_INTERRUPTED,
                "Results up to there are written. Check that process and rerun.",
                "the server of %s exited at t = %g s", served, outcome->time);
    return;
  }
  hn_cli_fail(&session->error, HN_ERROR_INTERRUPTED,
              "Results up to there are written. Check that process and rerun.",
              "another process of this run exited at t = %g s", outcome->time);
}

static int run_session(hn_cli_session *session) {
  const hn_cli_settings *settings = session->settings;
  hn_run_outcome outcome = {0};
  hn_cli_recording recording = {0};
  int code = check_plan(session);
  if (code < 0) code = hn_cli_open_folder(session, &recording, 0);
  if (code < 0) {
    hn_cli_simulate(session, &recording, 0, &outcome);
    if (settings->ranks != NULL &&
        (hn_cli_ranks_are_lost() || outcome.status == HN_ERROR_INTERRUPTED))
      explain_loss(session, &outcome);
    code = settings->is_silent ? follow_finish(session, &outcome)
                               : hn_cli_finish(session, &recording, &outcome);
  }
  hn_cli_recording_free(&recording);
  return code;
}

// Of several processes the first one talks and writes; the others make the same calls, so that all stay
// together.
static void be_silent(hn_cli_settings *settings) {
  settings->is_silent = settings->quiet = 1;
  if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
    return;
}

// Rows that are kept already cannot take another grid, nor the state another machine.
static int check_beside_resume(int argc, char **argv) {
  static const char *const fixed[] = {"--output-step", "--set", "--with", "--signals"};
  for (int i = 1; i < argc; i++)
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++) {
      size_t length = strlen(fixed[k]);
      if (strncmp(argv[i], fixed[k], length) != 0) continue;
      if (argv[i][length] != '\0' && argv[i][length] != '=') continue;
      hn_error error = {0};
      hn_cli_fail(
          &error, HN_ERROR_ARGUMENT, "Leave the option out, or start again without --resume.",
          "%s cannot be combined with --resume: a resumed run keeps its settings", fixed[k]);
      hn_cli_print_error(&error);
      return HN_CLI_WRONG;
    }
  return -1;
}

// Where the call says --resume DIR: the words of the run in DIR, and behind them those of the call.
// Returns -1, or the exit code after a message.
static int recall(int argc, char **argv, hn_cli_list *words, char **folder) {
  const char *said = NULL;
  for (int i = 1; i < argc && said == NULL; i++) {
    if (strcmp(argv[i], "--resume") == 0 && i + 1 < argc) said = argv[i + 1];
    if (strncmp(argv[i], "--resume=", 9) == 0) said = argv[i] + 9;
  }
  if (said == NULL) return -1;
  hn_cli_list beside = {0};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--resume") == 0)
      i++;
    else if (strncmp(argv[i], "--resume=", 9) != 0)
      hn_cli_list_add(&beside, argv[i]);
  }
  int code = check_beside_resume(argc, argv);
  if (code < 0) code = hn_cli_recall(said, &beside, words, folder);
  hn_cli_list_free(&beside);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  hn_cli_session session = {0};
  hn_cli_settings settings = {0};
  hn_cli_list words = {0};
  char *folder = NULL;
  int code = recall(argc, argv, &words, &folder);
  if (folder != NULL) {
    argc = words.count;
    hn_cli_list_add(&words, NULL);
    argv = (char **)words.items;
  }
  if (code < 0) {
    hn_cli_session_call(&session, argc, argv);
    code = read_settings(command, argc, argv, &settings);
  }
  if (folder != NULL) settings.folder = settings.resume = folder;
  if (code < 0) code = hn_cli_ranks_begin(command->name, &settings.ranks);
  hn_cli_patience_set(settings.patience);
  if (code < 0) code = hn_cli_pipes_begin(command->name, &settings.served);
  if (code < 0 && settings.ranks != NULL && settings.ranks->rank > 0) be_silent(&settings);
  if (code < 0) code = hn_cli_session_open(&session, &settings);
  if (code < 0) code = run_session(&session);
  hn_cli_session_close(&session); // remote components are stopped
  hn_cli_pipes_end();
  hn_cli_ranks_end();
  hn_cli_settings_free(&settings);
  for (int i = 0; i < words.count; i++) free((void *)words.items[i]);
  hn_cli_list_free(&words);
  free(folder);
  return code;
}

const hn_cli_command hn_cli_run_command = {
    .name = "run",
    .arguments = "MODEL [options]",
    .summary = "simulate; write results, a report with plots and a certificate",
    .details =
        "Options override `simulation:` in the model. Press Ctrl-C once to stop the run and\n"
        "write the results so far.\n",
    .example = "  holon run four-bar.yaml --time 10 --tol 1e-6 -o out/four-bar\n"
               "  holon run four-bar.yaml --set N=40 --json\n"
               "  holon run iltis.yaml --realtime --step '1 ms' --max-iterations 4\n"
               "  holon run --resume out/four-bar\n",
    .run = run,
};
