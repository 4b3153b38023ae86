// The parts of `holon verify`.
#ifndef HN_CLI_VERIFY_H
#define HN_CLI_VERIFY_H

#include "among.h"

void hn_cli_add_verify_json(hn_cli_json *json, const hn_cli_session *session, const hn_verify *v);
void hn_cli_print_verify(const hn_cli_session *session, const hn_verify *v);
// Signals by how much of what is allowed their spread takes, the worst first; (signal_count), to be
// freed.
int *hn_cli_order_signals(const hn_verify *v);
const char *hn_cli_trial_name(const hn_verify *v, int trial, char *text, size_t size);

#endif
