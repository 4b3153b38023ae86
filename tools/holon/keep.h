// What a run leaves on the disk while it goes on: its store, its state from time to time, and what it
// was called with. And the lock of its folder.
#ifndef HN_CLI_KEEP_H
#define HN_CLI_KEEP_H

#include "session.h"

// One writer a folder: the lock is this process's until it ends, however it ends. Whose it is stands in
// run.lock. HN_ERROR_LIMIT where another run has it.
hn_status hn_cli_lock(const char *folder, hn_error *error);
void hn_cli_unlock(void);

// Of `--resume DIR`: the words the run was called with, in a list of its own; the folder it was called
// in is entered. folder: the same as an absolute path. Returns -1, or the exit code after a message.
int hn_cli_recall(const char *command, const char *folder, hn_cli_list *words, char **absolute);

// The store of a new run. Nothing of an earlier one stays.
hn_status hn_cli_keep_begin(hn_cli_session *session, hn_cli_recording *recording);
// The store of a run that goes on, from its last state: the simulation is there, and the recording has
// what was recorded up to it. *goes_on is 0 where no state was kept yet: then it is a new run.
hn_status hn_cli_keep_resume(hn_cli_session *session, hn_cli_recording *recording, int *goes_on);
// One more row stands in the recording; a step was made.
hn_status hn_cli_keep_row(hn_cli_recording *recording, hn_simulation *simulation, hn_error *error);
void hn_cli_keep_step(hn_cli_recording *recording, const hn_simulation *simulation);
// After the run: everything in the store. One that was stopped keeps its state.
hn_status hn_cli_keep_end(hn_cli_session *session, hn_cli_recording *recording,
                          const hn_cli_outcome *outcome);
// After its results are written: what is not needed any more goes.
void hn_cli_keep_clear(hn_cli_recording *recording, int with_store);
void hn_cli_keep_free(hn_cli_recording *recording);
int hn_cli_keep_is_lost(const hn_cli_recording *recording); // its store could not be written
long hn_cli_keep_rows(const hn_cli_recording *recording);   // recorded in all
// The call of the session into run.call of the folder (recall.c).
hn_status hn_cli_keep_call(const hn_cli_session *session, const char *folder, hn_error *error);

// A note about a store that has lost something, or whose run has not come to its end.
void hn_cli_note_store(const char *path, const hn_store_state *state);
// hn_results_read, and what a store has lost is told.
hn_status hn_cli_read_results(const char *path, hn_results **results, hn_error *error);

#endif
