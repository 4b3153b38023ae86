// holon statics: the equilibrium near the reference configuration; positions, forces, reactions
// there.
#include "session.h"

#include <stdio.h>

static int solve(hn_cli_session *session) {
  hn_statics_options options = hn_default_statics_options();
  hn_statics_report report = {0};
  hn_status status = hn_simulation_equilibrium(session->simulation, &options, &report);
  if (status != HN_OK) {
    return hn_cli_report_failure(session->settings->json, 0,
                                 hn_simulation_error(session->simulation));
  }
  const hn_mobility *mobility = session->has_mobility ? &session->mobility : NULL;
  char *text = NULL;
  const int as_json = session->settings->json;
  status = as_json ? hn_statics_json(session->simulation, mobility, &report, &text)
                   : hn_statics_text(session->simulation, mobility, &report, &text);
  if (status != HN_OK) hn_cli_out_of_memory();
  if (!as_json) hn_cli_print_warnings(session->model, session->simulation, 100);
  printf("%s%s%s%s", as_json ? "" : session->name, as_json ? "" : ": ", text, as_json ? "\n" : "");
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
      {"strict", 0, HN_CLI_FLAG, &settings.strict, NULL, "treat warnings as errors", NULL},
      {"json", 0, HN_CLI_FLAG, &settings.json, NULL, "print JSON", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &settings.path);
  if (settings.run.coordinates == NULL)
    settings.run.coordinates = "cartesian"; // what is counted and solved there
  if (code < 0) code = hn_cli_session_open(&session, &settings);
  if (code < 0) code = solve(&session);
  hn_cli_session_close(&session);
  hn_cli_settings_free(&settings);
  return code;
}

const hn_cli_command hn_cli_statics_command = {
    .name = "statics",
    .arguments = "MODEL [options]",
    .summary = "find the equilibrium: positions, forces, reactions and outputs at rest",
    .details = "Starts from the reference configuration of the model, with drivers at t = "
               "0.\nDirections without restoring force keep their position and are listed.\n",
    .example = "  holon statics suspension.yaml\n",
    .run = run,
};
