// Models inside pages: what a live page needs to run one.
#ifndef HN_CLI_LIVE_H
#define HN_CLI_LIVE_H

#include "session.h"

// The model of the settings as JSON, LivePage of viewer/engine/protocol.ts: its text and every file
// that it reads, under paths relative to one folder; overlays, settings and options of the call.
// Returns -1, or the exit code after a message. The caller frees *json.
int hn_cli_live_model(const hn_cli_settings *settings, hn_cli_text *json);

#endif
