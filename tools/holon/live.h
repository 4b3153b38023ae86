// Models inside pages: what a live page needs to run one.
#ifndef HN_CLI_LIVE_H
#define HN_CLI_LIVE_H

#include "session.h"

// The model of the settings as JSON, LivePage of viewer/engine/protocol.ts: its text and every file
// that it reads, under paths relative to one folder; overlays, settings and options of the call.
// has_results: the page also shows a run. Returns -1, or the exit code after a message, which
// settings->quiet omits. The caller frees *json.
int hn_cli_live_model(const hn_cli_settings *settings, int has_results, hn_cli_text *json);
// "options": those that the call gave.
void hn_cli_live_options(hn_cli_json *json, const hn_simulation_options *options);

// ---- of a run (live_run.c) ------------------------------------------------------------------------

// Keeps in the folder of a run which model it was; reads it again: 1 if the model is still there.
hn_status hn_cli_live_keep(const hn_cli_settings *settings, const char *folder, hn_error *error);
int hn_cli_live_of_run(const char *folder, hn_cli_text *json);

#endif
