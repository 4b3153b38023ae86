// Components that programs of the user's own choice serve: `--served NAME.hnc=COMMAND`.
#ifndef HN_CLI_PIPES_H
#define HN_CLI_PIPES_H

#include "cli.h"

#include "holon/component.h"

// Starts each command, with which messages go over its standard input and output. Returns -1, or the
// exit code after a message.
int hn_cli_pipes_begin(const char *command, const hn_cli_list *served);
int hn_cli_pipes(const hn_component_channel **served);
void hn_cli_pipes_end(void);

// The other end: answers what comes on the standard input until it ends, or nothing has come for `idle`
// seconds, or a request that has begun stops coming. Returns the exit code.
int hn_cli_pipes_serve(hn_component_server *server, double idle);

#endif
