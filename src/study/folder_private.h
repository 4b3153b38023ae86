// Common declarations of the files of a run's folder (holon/folder.h).
#ifndef HN_STUDY_FOLDER_PRIVATE_H
#define HN_STUDY_FOLDER_PRIVATE_H

#include "holon/folder.h"
#include "holon/store.h"
#include "platform/lock.h"

// Of a run that lost a process: so many signals take longer to export than there is time.
enum { HN_FOLDER_MANY_SIGNALS = 20000 };

struct hn_folder {
  hn_folder_options options;
  hn_simulation *simulation;
  hn_recording kept;
  hn_lock *lock;
  hn_mobility mobility; // where the options have none
  int has_mobility;
  int is_shared; // the run is one of several processes
  int goes_on;
  int is_kept; // rows go to the store below while the run is in progress; else they stay in memory
  double end;  // of the run
  hn_store *store;
  double flush, interval; // s; interval 0: no states
  double flushed, saved;  // clock, s
  int block;              // rows
  int shown;              // rows of `shown` in the store
  int frames;             // in the store
  long rows;              // recorded in all
  long each, skipped;     // of so many rows one is shown
  int block_written;      // rows of the block in the store
  // up to the last step, without what a run that is stopped hands out of its end: rows of the block, of
  // those shown, frames, and rows in all
  int sure_rows, sure_shown, sure_frames;
  long sure;
  double sure_time;     // of the simulation, s: a state of another time does not belong to them
  hn_error error;       // the first failure of the store
  hn_error state_error; // and of a state
};

// A file of the folder; to be freed by hn_release(NULL, ...), null without memory.
char *hn_folder_file(const hn_folder *folder, const char *name);
// HN_ERROR_FILE if the folder was moved or replaced since it was opened: nothing is written there then.
hn_status hn_folder_check(const hn_folder *folder, hn_error *error);
void hn_folder_remove(const hn_folder *folder, const char *name);
const char *hn_folder_results_name(const hn_folder *folder); // "results.h5"

// ---- folder_store.c: while the run is in progress -------------------------------------------------

hn_status hn_folder_store_begin(hn_folder *folder, hn_error *error);
hn_status hn_folder_store_resume(hn_folder *folder, hn_error *error);
hn_status hn_folder_store_row(hn_folder *folder, hn_simulation *simulation, hn_error *error);
void hn_folder_store_step(hn_folder *folder, const hn_simulation *simulation);
// After the run: everything in the store. One that was stopped keeps its state.
hn_status hn_folder_store_end(hn_folder *folder, const hn_run_outcome *outcome, hn_error *error);

// ---- folder_write.c: after it -------------------------------------------------------------------

// results.*, certificate.json, scene, motion and report.
hn_status hn_folder_write(hn_folder *folder, const hn_run_outcome *outcome, const hn_pacing *pacing,
                          hn_error *error);

#endif
