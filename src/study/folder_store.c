// The store of a run and its state, while it is in progress.
//
// Rows go to the disk in blocks: when a block is full, or a step comes and the last block is a
// second old. A block is written and handed to the disk (fdatasync). The state is written whole,
// next to the last one, which it then replaces; it contains the length of the store, so that a
// resumed run cuts off and repeats what came later.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "platform/clock.h"
#include "platform/files.h"
#include "study/folder_private.h"

#define FORM "holon checkpoint 1"
#define SHOWN_ROWS 40000

static hn_status no_memory(hn_error *error) {
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the folder of a run");
}

// ---- rows ---------------------------------------------------------------------------------------

// Writes new data to the disk: up to so many rows of the block, of those shown and of frames.
static hn_status flush_up_to(hn_folder *f, int rows, int shown, int frames, hn_error *error) {
  hn_recording *kept = &f->kept;
  unsigned long long before = hn_store_size(f->store);
  hn_status status = hn_store_write(f->store, HN_STORE_ROWS, kept->all, f->block_written,
                                    rows - f->block_written, error);
  if (status == HN_OK)
    status =
        hn_store_write(f->store, HN_STORE_SHOWN, kept->shown, f->shown, shown - f->shown, error);
  if (status == HN_OK && kept->scene != NULL)
    status = hn_store_write_frames(
        f->store, kept->scene->motion + (size_t)f->frames * (size_t)kept->scene->stride,
        frames - f->frames, kept->scene->stride, error);
  if (status == HN_OK && hn_store_size(f->store) > before) status = hn_store_sync(f->store, error);
  f->block_written = rows;
  f->shown = shown;
  f->frames = frames;
  f->flushed = hn_clock();
  return status;
}

static int frames_of(const hn_folder *f) {
  return f->kept.scene != NULL ? f->kept.scene->frames : 0;
}

// The first failure is reported at once, and by hn_folder_store_end.
static hn_status flush(hn_folder *f, int frames) {
  hn_results *all = f->kept.all;
  hn_status status = flush_up_to(f, hn_results_row_count(all), hn_results_row_count(f->kept.shown),
                                 frames, &f->error);
  hn_results_clear(all);
  f->block_written = 0;
  if (status != HN_OK && f->options.warn) {
    hn_error told = f->error;
    hn_fail(&told, status, NULL, NULL, NULL,
            "%.250s: %.1000s; from now on, only outputs, energy, constraints and steps are "
            "recorded. Free disk space",
            f->error.file, f->error.message);
    f->options.warn(f->options.context, &told);
  }
  return status;
}

// A report of so many rows shows every second of them.
static void thin_shown(hn_folder *f) {
  if (f->shown < hn_results_row_count(f->kept.shown) || f->shown <= SHOWN_ROWS) return;
  hn_results_thin(f->kept.shown);
  f->shown = hn_results_row_count(f->kept.shown);
  f->each *= 2;
}

// Writes a full block before the next row. That row is not in it: a stopped run hands out its last
// state off the grid, as a frame and a row, and the state to resume from precedes them.
static void make_room(hn_folder *f) {
  if (hn_results_row_count(f->kept.all) < f->block) return;
  flush(f, f->sure_frames);
  thin_shown(f);
  f->sure_rows = 0;
  f->sure_shown = f->shown;
}

hn_status hn_folder_store_row(hn_folder *f, hn_simulation *simulation, hn_error *error) {
  // a disk that is full ends the store, not the run: what the report shows is still to be had
  if (f->error.status == HN_OK) make_room(f);
  const int is_lost = f->error.status != HN_OK;
  hn_status status = is_lost ? HN_OK : hn_results_record(f->kept.all, simulation);
  if (status == HN_OK && f->skipped++ % f->each == 0)
    status = hn_results_record(f->kept.shown, simulation);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL,
                   "Record less: @signals GLOB, or a larger @output_step.",
                   "a sample of the results cannot be stored: %s", hn_status_text(status));
  f->rows++;
  return HN_OK;
}

// ---- states -------------------------------------------------------------------------------------

// If a component does not provide its state any more, the last saved one stays.
static hn_status save(hn_folder *f, const hn_simulation *simulation, unsigned long long size,
                      hn_error *error) {
  size_t state = hn_simulation_save_size(simulation);
  char *data = hn_allocate(NULL, state + 160), *path = hn_folder_file(f, "checkpoint.state");
  f->saved = hn_clock();
  if (!data || !path) {
    hn_release(NULL, data);
    hn_release(NULL, path);
    return no_memory(error);
  }
  int head = snprintf(data, 160, FORM " store %llu rows %ld each %ld state %zu\n", size, f->rows,
                      f->each, state);
  hn_status status = hn_folder_check(f, error);
  if (status == HN_OK && hn_simulation_save(simulation, data + head, state) == HN_OK)
    status = hn_file_write_bytes(path, data, (size_t)head + state, error);
  hn_release(NULL, path);
  hn_release(NULL, data);
  f->saved = hn_clock();
  return status;
}

void hn_folder_store_step(hn_folder *f, const hn_simulation *simulation) {
  if (f->error.status != HN_OK) return;
  f->sure_rows = hn_results_row_count(f->kept.all);
  f->sure_shown = hn_results_row_count(f->kept.shown);
  f->sure_frames = frames_of(f);
  f->sure = f->rows;
  f->sure_time = hn_simulation_time(simulation);
  double now = hn_clock();
  // at the end there is nothing to resume: results are about to be written
  int is_due =
      f->interval > 0 && now - f->saved >= f->interval && hn_simulation_time(simulation) < f->end;
  if (!is_due && now - f->flushed < f->flush) return;
  hn_status status = flush(f, frames_of(f));
  thin_shown(f);
  f->sure_rows = 0;
  f->sure_shown = f->shown;
  if (status == HN_OK && is_due) save(f, simulation, hn_store_size(f->store), &f->state_error);
}

// ---- start --------------------------------------------------------------------------------------

// Partial files of a killed run: this run has the lock, so they are unused.
static void remove_part(void *context, const char *name) {
  const hn_folder *f = context;
  size_t length = strlen(name);
  if (length < 6 || strcmp(name + length - 5, ".part") != 0) return;
  const char *dot = name + length - 5;
  while (dot > name && isdigit((unsigned char)dot[-1])) dot--;
  if (dot == name + length - 5 || dot == name || dot[-1] != '.') return;
  hn_folder_remove(f, name);
}

static hn_status reserve_rows(const hn_folder *f, hn_error *error) {
  hn_status status = hn_results_reserve(f->kept.all, f->block);
  if (status == HN_OK) return HN_OK;
  return hn_fail(error, status, NULL, NULL, "Record less: @signals GLOB.",
                 "out of memory for a block of samples");
}

hn_status hn_folder_store_begin(hn_folder *f, hn_error *error) {
  hn_list_folder(f->options.path, remove_part, f);
  hn_folder_remove(f, "checkpoint.state");
  char *call = hn_folder_file(f, "run.call"), *path = hn_folder_file(f, "results.store");
  hn_status status = call && path ? HN_OK : no_memory(error);
  if (status == HN_OK && f->options.note)
    status = hn_file_write_bytes(call, f->options.note, f->options.note_size, error);
  if (status == HN_OK) status = reserve_rows(f, error);
  if (status == HN_OK) status = hn_store_create(path, f->kept.all, f->kept.shown, &f->store, error);
  hn_release(NULL, call);
  hn_release(NULL, path);
  return status;
}

// The state of the last checkpoint.
static hn_status read_checkpoint(const hn_folder *f, char **data, const char **state, size_t *size,
                                 unsigned long long *store, long *rows, long *each,
                                 hn_error *error) {
  char *path = hn_folder_file(f, "checkpoint.state");
  size_t length = 0, promised = 0;
  int head = 0;
  hn_status status = path ? hn_file_read(path, data, &length, error) : no_memory(error);
  if (status == HN_OK && (sscanf(*data, FORM " store %llu rows %ld each %ld state %zu%n", store,
                                 rows, each, &promised, &head) != 4 ||
                          head <= 0 || (*data)[head] != '\n' || *rows < 0 || *each < 1 ||
                          promised != length - (size_t)head - 1))
    status =
        hn_fail(error, HN_ERROR_FILE, NULL, NULL,
                "Delete checkpoint.state to restart the run; samples so far are in results.store.",
                "'%s' is damaged, or from another version of Holon", path);
  hn_release(NULL, path);
  if (status != HN_OK) return status;
  *state = *data + head + 1;
  *size = promised;
  return HN_OK;
}

static hn_status go_on(hn_folder *f, hn_error *error) {
  char *data = NULL, *path = hn_folder_file(f, "results.store");
  const char *state = NULL;
  size_t size = 0;
  unsigned long long store = 0;
  hn_status status = path ? HN_OK : no_memory(error);
  if (status == HN_OK)
    status = read_checkpoint(f, &data, &state, &size, &store, &f->rows, &f->each, error);
  if (status == HN_OK) {
    status = hn_simulation_restore(f->simulation, state, size);
    if (status != HN_OK) *error = *hn_simulation_error(f->simulation);
  }
  if (status == HN_OK) status = reserve_rows(f, error);
  if (status == HN_OK)
    status = hn_store_load(path, store, f->kept.all, f->kept.shown, f->kept.scene, error);
  if (status == HN_OK) status = hn_store_open(path, store, &f->store, error);
  f->skipped = f->sure = f->rows;
  f->sure_time = hn_simulation_time(f->simulation);
  f->shown = f->sure_shown = hn_results_row_count(f->kept.shown);
  f->frames = f->sure_frames = frames_of(f);
  hn_release(NULL, data);
  hn_release(NULL, path);
  return status;
}

// Resumes from the state; a run that never had one starts again.
hn_status hn_folder_store_resume(hn_folder *f, hn_error *error) {
  char *path = hn_folder_file(f, "checkpoint.state");
  if (!path) return no_memory(error);
  f->goes_on = hn_is_there(path);
  hn_release(NULL, path);
  if (!f->goes_on) return hn_folder_store_begin(f, error);
  hn_list_folder(f->options.path, remove_part, f);
  return go_on(f, error);
}

// ---- end ----------------------------------------------------------------------------------------

// Saves the state from which a stopped run continues. Before the first step there is nothing to
// save, nor after a step whose rows are incomplete.
static hn_status keep_state(hn_folder *f, hn_error *error) {
  int has_state = f->sure > 0 && f->sure_time == hn_simulation_time(f->simulation);
  if (!has_state || f->is_shared || f->options.checkpoint < 0) return HN_OK;
  hn_status status = flush_up_to(f, f->sure_rows, f->sure_shown, f->sure_frames, error);
  const long all = f->rows;
  f->rows = f->sure;
  if (status == HN_OK) status = save(f, f->simulation, hn_store_size(f->store), error);
  f->rows = all;
  return status;
}

hn_status hn_folder_store_end(hn_folder *f, const hn_run_outcome *outcome, hn_error *error) {
  hn_status status = f->error.status;
  *error = f->error;
  if (status != HN_OK) return status;
  if (outcome->status == HN_ERROR_INTERRUPTED) status = keep_state(f, error);
  if (status == HN_OK) {
    status = flush(f, frames_of(f));
    if (status != HN_OK) *error = f->error;
  }
  if (status == HN_OK && outcome->status == HN_OK) status = hn_store_write_end(f->store, error);
  if (status == HN_OK) status = hn_store_sync(f->store, error);
  hn_error last = {0};
  hn_status closed = hn_store_close(f->store, &last);
  f->store = NULL;
  if (status == HN_OK && closed != HN_OK) {
    status = closed;
    *error = last;
  }
  if (status == HN_OK && f->state_error.status != HN_OK) {
    *error = f->state_error;
    status = error->status;
  }
  return status;
}
