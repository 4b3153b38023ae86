// How long a run waits for those who serve a part of it, and who was silent for longer.
#ifndef HN_CLI_PATIENCE_H
#define HN_CLI_PATIENCE_H

#include "cli.h"

void hn_cli_patience_set(double seconds); // 0: the default
double hn_cli_patience(void);             // s without a single byte
void hn_cli_patience_lost(const char *name);
// A component that did not answer in time is distinguished from one whose process has ended.
void hn_cli_patience_explain(hn_error *error);

#endif
