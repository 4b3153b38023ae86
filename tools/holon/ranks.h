// Processes started by mpirun that run one simulation together.
#ifndef HN_CLI_RANKS_H
#define HN_CLI_RANKS_H

#include "session.h"

#include "holon/component.h"

// *ranks is null for a single process that runs simulations. Returns -1, or the exit code after a
// message.
int hn_cli_ranks_begin(const char *command, const hn_ranks **ranks);
// Components that other processes of this start serve.
int hn_cli_served(const hn_component_channel **served);
// One of those that does not answer any more, or null; asks them all when asked to.
const char *hn_cli_served_lost(int ask);
// Answers the others until the last of them is done. Returns the exit code.
int hn_cli_ranks_serve(const char *command, const char *name, hn_component_server *server);
int hn_cli_ranks_are_lost(void); // one of the others has ended
void hn_cli_ranks_end(void);
// From record.c: the user, or mpirun, wants the run to end.
int hn_cli_is_interrupted(void);

#endif
