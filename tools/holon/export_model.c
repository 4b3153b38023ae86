// holon export MODEL: the model as it starts, as MJCF, URDF or SDF, and its losses.
#include "export_model.h"

#include "fates.h"

#include <stdio.h>
#include <string.h>

static const char *const format_words[] = {"mjcf", "urdf", "sdf"};

static void print_table(const hn_export *made, const char *path, hn_export_format format) {
  hn_cli_fates fates = {.made = made};
  printf("%s (%s)\n", path, format_words[format]);
  printf("  model elements: %d used, %d harmless, %d approximated, %d lost\n",
         hn_export_count(made, HN_IMPORT_USED), hn_export_count(made, HN_IMPORT_HARMLESS),
         hn_export_count(made, HN_IMPORT_APPROXIMATED), hn_export_count(made, HN_IMPORT_LOST));
  hn_cli_print_fates(&fates);
}

static void print_json(const hn_export *made, const char *path, hn_export_format format) {
  hn_cli_fates fates = {.made = made};
  hn_cli_json json = {0};
  hn_json_open(&json, NULL, '{');
  hn_json_string(&json, "format", format_words[format]);
  hn_json_string(&json, "file", path);
  hn_cli_json_fates(&json, &fates);
  hn_json_close(&json, '}');
  hn_cli_json_print(&json);
}

static int export_one(hn_cli_model_export *call, hn_cli_session *session, hn_export_format format) {
  const hn_cli_settings *s = &call->settings;
  const char *path = call->path[format];
  hn_export *made = NULL;
  hn_error error = {0};
  int code = -1;
  hn_status status = hn_export_make(session->simulation, format, NULL, &made, &error);
  if (status == HN_OK && s->strict)
    code = hn_cli_refuse_losses(&(hn_cli_fates){.made = made}, s->json,
                                "Leave --strict out, or remove them from the model.");
  if (status == HN_OK && code < 0)
    status = hn_file_write_bytes(path, hn_export_text(made), strlen(hn_export_text(made)), &error);
  if (status != HN_OK) code = hn_cli_report_failure(s->json, 0, &error);
  if (code < 0 && s->json)
    print_json(made, path, format);
  else if (code < 0 && !s->quiet)
    print_table(made, path, format);
  hn_export_free(made);
  return code;
}

static int is_wanted(const hn_cli_model_export *call) {
  return call->path[0] || call->path[1] || call->path[2];
}

int hn_cli_export_model(hn_cli_model_export *call) {
  hn_cli_session session = {0};
  if (call->fmu.out != NULL) {
    const int made = hn_cli_export_fmu(call);
    if (made != HN_CLI_DONE || !is_wanted(call)) return made;
  }
  int strict = call->settings.strict;
  call->settings.run.coordinates = "cartesian";
  call->settings.strict = 0; // that is of losses here
  int code = hn_cli_session_open(&session, &call->settings);
  call->settings.strict = strict;
  for (int k = 0; code < 0 && k < 3; k++)
    if (call->path[k]) code = export_one(call, &session, (hn_export_format)k);
  hn_cli_session_close(&session);
  return code < 0 ? HN_CLI_DONE : code;
}
