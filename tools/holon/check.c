// holon check: read a model, count, assemble, and report degrees of freedom, loops and redundancy.
#include "patience.h"
#include "pipes.h"
#include "ranks.h"
#include "session.h"

#include <stdio.h>

static int check_session(hn_cli_session *session) {
  const hn_cli_settings *settings = session->settings;
  if (!session->has_mobility) {
    return hn_cli_report_failure(settings->json, 0, hn_simulation_error(session->simulation));
  }
  const char *note = session->mobility.note;
  if (settings->strict && note[0] != '\0') {
    hn_cli_fail(&session->error, HN_ERROR_LIMIT,
                "Fix it, or leave --strict out: then this is a warning.", "%s", note);
    return hn_cli_report_failure(settings->json, 0, &session->error);
  }
  char *text = NULL;
  if (settings->json) {
    if (hn_mobility_json(session->simulation, &session->mobility, &text) != HN_OK)
      hn_cli_out_of_memory();
    puts(text);
    hn_text_free(text);
    return HN_CLI_DONE;
  }
  hn_cli_print_warnings(session->model, session->simulation, 100);
  if (note[0] != '\0') fprintf(stderr, "warning: %s\n", note);
  if (hn_mobility_text(session->simulation, &session->mobility, &text) != HN_OK)
    hn_cli_out_of_memory();
  printf("%s\n%s", session->name, text);
  hn_text_free(text);
  return HN_CLI_DONE;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  hn_cli_session session = {0};
  hn_cli_settings settings = {0};
  const hn_cli_option options[] = {
      {"set", 0, HN_CLI_LIST, &settings.set, "NAME=VALUE", "override a parameter (repeatable)",
       NULL},
      HN_CLI_MODEL_OPTIONS(settings),
      hn_cli_row(&settings.run, "coordinates", NULL),
      {"allow-compiled", 0, HN_CLI_FLAG, &settings.allow_compiled, NULL,
       "load sealed components (compiled code: only from sources you trust)", NULL},
      {"served", 0, HN_CLI_LIST, &settings.served, "NAME=COMMAND",
       "compute component NAME in the program COMMAND (repeatable)", NULL},
      {"patience", 0, HN_CLI_TIME, &settings.patience, "T",
       "timeout of programs started by --served (60 s)", NULL},
      {"strict", 0, HN_CLI_FLAG, &settings.strict, NULL, "treat warnings as errors", NULL},
      {"json", 0, HN_CLI_FLAG, &settings.json, NULL, "print JSON", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &settings.path);
  const hn_ranks *ranks = NULL; // only with other processes, for remote components
  if (code < 0) code = hn_cli_ranks_begin(command->name, &ranks);
  hn_cli_patience_set(settings.patience);
  if (code < 0) code = hn_cli_pipes_begin(command->name, &settings.served);
  if (settings.run.coordinates == NULL)
    settings.run.coordinates = "cartesian"; // what is counted and solved there
  if (code < 0) code = hn_cli_session_open(&session, &settings);
  if (code < 0) code = check_session(&session);
  hn_cli_session_close(&session);
  hn_cli_pipes_end();
  hn_cli_ranks_end();
  hn_cli_settings_free(&settings);
  return code;
}

const hn_cli_command hn_cli_check_command = {
    .name = "check",
    .arguments = "MODEL [options]",
    .summary = "assemble the model; count degrees of freedom, loops, redundant joints",
    .details = "",
    .example = "  holon check four-bar.yaml\n"
               "  holon check four-bar.yaml --json\n",
    .run = run,
};
