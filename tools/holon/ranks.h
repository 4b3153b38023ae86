// Processes started by mpirun that run one simulation together.
#ifndef HN_CLI_RANKS_H
#define HN_CLI_RANKS_H

#include "session.h"

// *ranks is null for a single process. Returns -1, or the exit code after a message.
int hn_cli_ranks_begin(const char *command, const hn_ranks **ranks);
int hn_cli_ranks_are_lost(void); // one of the others has ended
void hn_cli_ranks_end(void);
// From record.c: the user, or mpirun, wants the run to end.
int hn_cli_is_interrupted(void);

#endif
