// The store of a run and its state, while it goes on.
//
// Rows go to the disk in blocks: when a block is full, or a step comes and the last block is a second
// old. A block is written and handed to the disk (fdatasync). The state is written whole, beside
// the last one, which it then replaces; it tells how long the store was, so that one who goes on cuts
// off what came later and makes it again.
#include "keep.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FORM "holon checkpoint 1"
#define BLOCK_BYTES (1 << 20)
#define FLUSH 1.0       // s
#define FLUSH_RANKS 0.2 // s, of several processes: one that is lost ends all within a second
#define INTERVAL 60.0   // s between states
#define SHOWN_ROWS 40000

struct hn_cli_keep {
  char *folder;
  hn_store *store;
  int is_quiet;
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

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static char *path_of(const hn_cli_keep *keep, const char *name) {
  return hn_cli_join(keep->folder, name);
}

static void remove_file(const hn_cli_keep *keep, const char *name) {
  char *path = path_of(keep, name);
  remove(path);
  free(path);
}

// ---- rows ---------------------------------------------------------------------------------------

// What is new goes to the disk: so many rows of the block, of those shown and of frames in all.
static hn_status flush_up_to(hn_cli_recording *recording, int rows, int shown, int frames,
                             hn_error *error) {
  hn_cli_keep *keep = recording->keep;
  hn_recording *kept = &recording->kept;
  unsigned long long before = hn_store_size(keep->store);
  hn_status status = hn_store_write(keep->store, HN_STORE_ROWS, kept->all, keep->block_written,
                                    rows - keep->block_written, error);
  if (status == HN_OK)
    status = hn_store_write(keep->store, HN_STORE_SHOWN, kept->shown, keep->shown,
                            shown - keep->shown, error);
  if (status == HN_OK && kept->scene != NULL)
    status = hn_store_write_frames(
        keep->store, kept->scene->motion + (size_t)keep->frames * (size_t)kept->scene->stride,
        frames - keep->frames, kept->scene->stride, error);
  if (status == HN_OK && hn_store_size(keep->store) > before)
    status = hn_store_sync(keep->store, error);
  keep->block_written = rows;
  keep->shown = shown;
  keep->frames = frames;
  keep->flushed = clock_now();
  return status;
}

static int frames_of(const hn_cli_recording *recording) {
  return recording->kept.scene != NULL ? recording->kept.scene->frames : 0;
}

// The first failure is told at once, and by hn_cli_keep_end.
static hn_status flush(hn_cli_recording *recording, int frames) {
  hn_cli_keep *keep = recording->keep;
  hn_results *all = recording->kept.all;
  hn_status status = flush_up_to(recording, hn_results_row_count(all),
                                 hn_results_row_count(recording->kept.shown), frames, &keep->error);
  hn_results_clear(all);
  keep->block_written = 0;
  if (status != HN_OK && !keep->is_quiet)
    fprintf(stderr,
            "holon: warning: %s: %s; from here on only outputs, energy, constraints and "
            "steps are kept\n",
            keep->error.file, keep->error.message);
  return status;
}

// A report of so many rows shows every second of them.
static void thin_shown(hn_cli_recording *recording) {
  hn_cli_keep *keep = recording->keep;
  if (keep->shown < hn_results_row_count(recording->kept.shown) || keep->shown <= SHOWN_ROWS)
    return;
  hn_results_thin(recording->kept.shown);
  keep->shown = hn_results_row_count(recording->kept.shown);
  keep->each *= 2;
}

// A full block makes room for the next row. That one is not in it: a run that is stopped hands out its
// last state off the grid, as a frame and a row, and the state to go on from stands before them.
static void make_room(hn_cli_recording *recording) {
  hn_cli_keep *keep = recording->keep;
  if (hn_results_row_count(recording->kept.all) < keep->block) return;
  flush(recording, keep->sure_frames);
  thin_shown(recording);
  keep->sure_rows = 0;
  keep->sure_shown = keep->shown;
}

hn_status hn_cli_keep_row(hn_cli_recording *recording, hn_simulation *simulation, hn_error *error) {
  hn_cli_keep *keep = recording->keep;
  // a disk that is full ends the store, not the run: what the report shows is still to be had
  if (keep->error.status == HN_OK) make_room(recording);
  const int is_lost = keep->error.status != HN_OK;
  hn_status status = is_lost ? HN_OK : hn_results_record(recording->kept.all, simulation);
  if (status == HN_OK && keep->skipped++ % keep->each == 0)
    status = hn_results_record(recording->kept.shown, simulation);
  if (status != HN_OK)
    return hn_cli_fail(error, status, "Record less: --signals GLOB, or a larger --output-step.",
                       "a row of results cannot be kept: %s", hn_status_text(status));
  keep->rows++;
  return HN_OK;
}

// ---- states -------------------------------------------------------------------------------------

// Where a component does not tell its state any more, the one that was kept last stays.
static hn_status save(hn_cli_keep *keep, const hn_simulation *simulation, unsigned long long size,
                      hn_error *error) {
  size_t state = hn_simulation_save_size(simulation);
  char *data = hn_cli_allocate(state + 160, 1);
  int head = snprintf(data, 160, FORM " store %llu rows %ld each %ld state %zu\n", size, keep->rows,
                      keep->each, state);
  hn_status status = HN_OK;
  if (hn_simulation_save(simulation, data + head, state) == HN_OK) {
    char *path = path_of(keep, "checkpoint.state");
    status = hn_cli_write_file(path, data, (size_t)head + state, error);
    free(path);
  }
  free(data);
  keep->saved = clock_now();
  return status;
}

void hn_cli_keep_step(hn_cli_recording *recording, const hn_simulation *simulation) {
  hn_cli_keep *keep = recording->keep;
  if (keep->error.status != HN_OK) return;
  keep->sure_rows = hn_results_row_count(recording->kept.all);
  keep->sure_shown = hn_results_row_count(recording->kept.shown);
  keep->sure_frames = frames_of(recording);
  keep->sure = keep->rows;
  keep->sure_time = hn_simulation_time(simulation);
  double now = clock_now();
  // at the end there is nothing to go on with: results are about to be written
  int is_due = keep->interval > 0 && now - keep->saved >= keep->interval &&
               hn_simulation_time(simulation) < recording->progress.end;
  if (!is_due && now - keep->flushed < keep->flush) return;
  hn_status status = flush(recording, frames_of(recording));
  thin_shown(recording);
  keep->sure_rows = 0;
  keep->sure_shown = keep->shown;
  if (status == HN_OK && is_due)
    save(keep, simulation, hn_store_size(keep->store), &keep->state_error);
}

// ---- begin --------------------------------------------------------------------------------------

// Files that a killed run was writing: this one has the lock, so they are nobody's.
static void remove_parts(const char *folder) {
  DIR *list = opendir(folder);
  if (list == NULL) return;
  for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
    size_t length = strlen(entry->d_name);
    if (length < 6 || strcmp(entry->d_name + length - 5, ".part") != 0) continue;
    const char *dot = entry->d_name + length - 5;
    while (dot > entry->d_name && isdigit((unsigned char)dot[-1])) dot--;
    if (dot == entry->d_name + length - 5 || dot == entry->d_name || dot[-1] != '.') continue;
    char *path = hn_cli_join(folder, entry->d_name);
    remove(path);
    free(path);
  }
  closedir(list);
}

static hn_cli_keep *new_keep(const hn_cli_session *session, const hn_cli_recording *recording) {
  const hn_cli_settings *settings = session->settings;
  hn_cli_keep *keep = hn_cli_allocate(1, sizeof *keep);
  int columns = hn_results_signal_count(recording->kept.all) + 1;
  int rows = BLOCK_BYTES / (int)sizeof(double) / columns;
  double now = clock_now();
  *keep = (hn_cli_keep){.folder = hn_cli_run_folder(session),
                        .is_quiet = settings->quiet || settings->json,
                        .flush = settings->ranks != NULL ? FLUSH_RANKS : FLUSH,
                        .interval = settings->checkpoint > 0 ? settings->checkpoint : INTERVAL,
                        .flushed = now,
                        .saved = now,
                        .block = rows < 1      ? 1
                                 : rows > 4096 ? 4096
                                               : rows,
                        .each = 1};
  // all processes would have to save together; a served component is asked by messages
  if (settings->no_checkpoint || settings->ranks != NULL) keep->interval = 0;
  remove_parts(keep->folder);
  return keep;
}

static hn_status reserve_rows(const hn_cli_recording *recording, hn_error *error) {
  hn_status status = hn_results_reserve(recording->kept.all, recording->keep->block);
  if (status == HN_OK) return HN_OK;
  return hn_cli_fail(error, status, "Record less: --signals GLOB.",
                     "out of memory for the rows of a block");
}

hn_status hn_cli_keep_begin(hn_cli_session *session, hn_cli_recording *recording) {
  hn_cli_keep *keep = recording->keep = new_keep(session, recording);
  remove_file(keep, "checkpoint.state");
  hn_status status = hn_cli_keep_call(session, keep->folder, &session->error);
  char *path = path_of(keep, "results.store");
  if (status == HN_OK) status = reserve_rows(recording, &session->error);
  if (status == HN_OK)
    status = hn_store_create(path, recording->kept.all, recording->kept.shown, &keep->store,
                             &session->error);
  free(path);
  return status;
}

// A state is there: only a run that never had one begins again.
static int has_checkpoint(const hn_cli_keep *keep) {
  struct stat info;
  char *path = path_of(keep, "checkpoint.state");
  int is_there = lstat(path, &info) == 0 || errno != ENOENT;
  free(path);
  return is_there;
}

// The state of the last checkpoint.
static hn_status read_checkpoint(const hn_cli_keep *keep, char **data, const char **state,
                                 size_t *size, unsigned long long *store, long *rows, long *each,
                                 hn_error *error) {
  char *path = path_of(keep, "checkpoint.state");
  size_t length = 0, promised = 0;
  int head = 0;
  hn_status status = hn_file_read(path, data, &length, error);
  if (status == HN_OK && (sscanf(*data, FORM " store %llu rows %ld each %ld state %zu%n", store,
                                 rows, each, &promised, &head) != 4 ||
                          head <= 0 || (*data)[head] != '\n' || *rows < 0 || *each < 1 ||
                          promised != length - (size_t)head - 1))
    status = hn_cli_fail(error, HN_ERROR_FILE,
                         "The rows so far are in results.store. Without checkpoint.state the run "
                         "begins again.",
                         "'%s' is damaged, or of another version of holon", path);
  free(path);
  if (status != HN_OK) return status;
  *state = *data + head + 1;
  *size = promised;
  return HN_OK;
}

static hn_status go_on(hn_cli_session *session, hn_cli_recording *recording) {
  hn_cli_keep *keep = recording->keep;
  char *data = NULL, *path = path_of(keep, "results.store");
  const char *state = NULL;
  size_t size = 0;
  unsigned long long store = 0;
  hn_status status = read_checkpoint(keep, &data, &state, &size, &store, &keep->rows, &keep->each,
                                     &session->error);
  if (status == HN_OK) {
    status = hn_simulation_restore(session->simulation, state, size);
    if (status != HN_OK) session->error = *hn_simulation_error(session->simulation);
  }
  if (status == HN_OK) status = reserve_rows(recording, &session->error);
  if (status == HN_OK)
    status = hn_store_load(path, store, recording->kept.all, recording->kept.shown,
                           recording->kept.scene, &session->error);
  if (status == HN_OK) status = hn_store_open(path, store, &keep->store, &session->error);
  keep->skipped = keep->sure = keep->rows;
  keep->sure_time = hn_simulation_time(session->simulation);
  keep->shown = hn_results_row_count(recording->kept.shown);
  keep->frames = keep->sure_frames = frames_of(recording);
  keep->sure_shown = keep->shown;
  free(data);
  free(path);
  return status;
}

hn_status hn_cli_keep_resume(hn_cli_session *session, hn_cli_recording *recording, int *goes_on) {
  hn_cli_keep *keep = recording->keep = new_keep(session, recording);
  *goes_on = has_checkpoint(keep);
  if (*goes_on) return go_on(session, recording);
  hn_cli_keep_free(recording);
  return hn_cli_keep_begin(session, recording);
}

// ---- end ----------------------------------------------------------------------------------------

hn_status hn_cli_keep_end(hn_cli_session *session, hn_cli_recording *recording,
                          const hn_cli_outcome *outcome) {
  hn_cli_keep *keep = recording->keep;
  hn_error error = keep->error;
  hn_status status = error.status;
  if (status != HN_OK) session->error = error;
  if (status != HN_OK) return status;
  int is_stopped = outcome->status == HN_ERROR_INTERRUPTED && session->settings->ranks == NULL;
  // before the first step there is nothing to go on from, nor from a step whose rows are not all there
  int has_state = keep->sure > 0 && keep->sure_time == hn_simulation_time(session->simulation);
  if (status == HN_OK && is_stopped && has_state && !session->settings->no_checkpoint) {
    status = flush_up_to(recording, keep->sure_rows, keep->sure_shown, keep->sure_frames, &error);
    long all = keep->rows;
    keep->rows = keep->sure;
    if (status == HN_OK)
      status = save(keep, session->simulation, hn_store_size(keep->store), &error);
    keep->rows = all;
  }
  if (status == HN_OK) {
    status = flush(recording, frames_of(recording));
    if (status != HN_OK) error = keep->error;
  }
  if (status == HN_OK && outcome->status == HN_OK) status = hn_store_write_end(keep->store, &error);
  if (status == HN_OK) status = hn_store_sync(keep->store, &error);
  hn_error last = {0};
  hn_status closed = hn_store_close(keep->store, &last);
  keep->store = NULL;
  if (status == HN_OK && closed != HN_OK) {
    status = closed;
    error = last;
  }
  if (status == HN_OK && keep->state_error.status != HN_OK) {
    error = keep->state_error;
    status = error.status;
  }
  if (status != HN_OK) session->error = error;
  return status;
}

int hn_cli_keep_is_lost(const hn_cli_recording *recording) {
  return recording->keep->error.status != HN_OK;
}

long hn_cli_keep_rows(const hn_cli_recording *recording) { return recording->keep->rows; }

void hn_cli_keep_clear(hn_cli_recording *recording, int with_store) {
  remove_file(recording->keep, "checkpoint.state");
  remove_file(recording->keep, "run.call");
  if (with_store) remove_file(recording->keep, "results.store");
}

void hn_cli_keep_free(hn_cli_recording *recording) {
  hn_cli_keep *keep = recording->keep;
  if (keep == NULL) return;
  hn_store_close(keep->store, NULL);
  free(keep->folder);
  free(keep);
  recording->keep = NULL;
}

// ---- reading ------------------------------------------------------------------------------------

void hn_cli_note_store(const char *path, const hn_store_state *state) {
  if (state->is_done && state->cut == 0) return;
  if (state->is_done)
    fprintf(stderr, "holon: note: %s: %ld rows up to t = %g s", path, state->rows, state->last);
  else
    fprintf(stderr,
            "holon: note: %s is of a run that has not come to its end: %ld rows up to t = %g s",
            path, state->rows, state->last);
  if (state->cut > 0)
    fprintf(stderr, "; %llu bytes behind the last whole block are left out", state->cut);
  fprintf(stderr, "\n");
}

hn_status hn_cli_read_results(const char *path, hn_results **results, hn_error *error) {
  size_t length = strlen(path);
  if (length < 6 || strcmp(path + length - 6, ".store") != 0)
    return hn_results_read(path, results, error);
  hn_store_state state;
  hn_status status = hn_store_read(path, HN_STORE_ROWS, results, &state, error);
  if (status == HN_OK) hn_cli_note_store(path, &state);
  return status;
}
