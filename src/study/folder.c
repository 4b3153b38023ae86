// A run in a folder: made, locked, and after the run written and cleared up.
#include "study/folder_private.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "holon/store.h"
#include "platform/clock.h"
#include "platform/files.h"

enum { BLOCK_BYTES = 1 << 20 };
#define FLUSH 0.5        // s: with the step under way, a kill costs less than a second
#define FLUSH_SHARED 0.2 // s, of several processes: one that is lost ends all within a second
#define INTERVAL 60.0    // s between states

char *hn_folder_file(const hn_folder *f, const char *name) {
  return hn_file_join(f->options.path, name);
}

hn_status hn_folder_check(const hn_folder *f, hn_error *error) {
  if (hn_lock_is_in_place(f->lock)) return HN_OK;
  return hn_fail(error, HN_ERROR_FILE, NULL, NULL,
                 f->is_kept ? "Its samples are in results.store of the folder that was moved."
                            : "Run again; leave the folder in place.",
                 "'%s' (or its run.lock) was moved, deleted or replaced during the run",
                 f->options.path);
}

void hn_folder_remove(const hn_folder *f, const char *name) {
  if (!hn_lock_is_in_place(f->lock)) return;
  char *path = hn_folder_file(f, name);
  if (path) remove(path);
  hn_release(NULL, path);
}

const char *hn_folder_results_name(const hn_folder *f) {
  switch (f->options.format) {
  case HN_FOLDER_HDF5: return "results.h5";
  case HN_FOLDER_CSV: return "results.csv";
  case HN_FOLDER_NPZ: return "results.npz";
  case HN_FOLDER_STORE: return "results.store";
  case HN_FOLDER_USUAL: break;
  }
  return hn_results_format_is_built(HN_RESULTS_HDF5) ? "results.h5" : "results.npz";
}

// ---- open ---------------------------------------------------------------------------------------

// Before the run, so that none is lost for a file that cannot be.
static hn_status prepare(hn_folder *f, hn_error *error) {
  const char *path = f->options.path;
  hn_status status = hn_make_folders(path, error);
  if (status == HN_OK) status = hn_try_folder(path, error);
  if (status == HN_OK) status = hn_lock_take(path, &f->lock, error);
  if (status != HN_OK) return status;
  char *results = hn_folder_file(f, hn_folder_results_name(f));
  if (!results) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  status = hn_try_file(results, error);
  hn_release(NULL, results);
  return status;
}

static void set_up(hn_folder *f, const hn_grid *grid) {
  const hn_folder_options *o = &f->options;
  int columns = hn_results_signal_count(f->kept.all) + 1;
  int rows = BLOCK_BYTES / (int)sizeof(double) / columns;
  f->end = grid->end;
  f->is_shared = hn_simulation_options_used(f->simulation)->ranks != NULL;
  f->is_kept = !o->in_memory && !o->is_kinematics;
  f->flush = f->is_shared ? FLUSH_SHARED : FLUSH;
  f->interval = o->checkpoint > 0 ? o->checkpoint : INTERVAL;
  // all processes would have to save together; a remote component is asked by messages
  if (o->checkpoint < 0 || f->is_shared) f->interval = 0;
  f->flushed = f->saved = hn_clock();
  f->block = rows < 1 ? 1 : rows > 4096 ? 4096 : rows;
  f->each = 1;
}

// Warns before the run: it may take hours, and the disk may not have the capacity.
static void warn_of_size(const hn_folder *f, const hn_grid *grid) {
  const int signals = hn_results_signal_count(f->kept.all);
  const double bytes = (double)grid->count * (signals + 1.0) * sizeof(double);
  hn_error told;
  if (bytes < 1e9 || !f->options.warn) return;
  hn_fail(&told, HN_ERROR_LIMIT, NULL, NULL,
          "Record fewer samples with @output_step DT or fewer signals with @signals GLOB",
          "results will need %.1f GB: %ld samples of %d signals", 1e-9 * bytes, grid->count,
          signals);
  f->options.warn(f->options.context, &told);
}

hn_status hn_folder_open(const hn_folder_options *options, hn_simulation *simulation,
                         const hn_run_plan *plan, hn_folder **folder, hn_error *error) {
  hn_grid grid;
  *folder = NULL;
  if (!options->path || options->path[0] == '\0')
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "Give options.path.",
                   "the folder of a run has no name");
  hn_status status = hn_run_grid(simulation, plan, &grid, error);
  if (status != HN_OK) return status;
  hn_folder *f = hn_allocate(NULL, sizeof *f);
  if (!f) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  *f = (hn_folder){.options = *options, .simulation = simulation};
  status = hn_recording_create(simulation, plan, options->is_kinematics, &f->kept, error);
  if (status == HN_OK) {
    set_up(f, &grid);
    warn_of_size(f, &grid);
    if (!options->mobility)
      f->has_mobility = hn_simulation_mobility(simulation, &f->mobility) == HN_OK;
    status = prepare(f, error);
  }
  if (status != HN_OK) {
    hn_folder_free(f);
    return status;
  }
  *folder = f;
  return HN_OK;
}

hn_status hn_folder_begin(hn_folder *f, hn_error *error) {
  if (!f->is_kept) return HN_OK;
  return f->options.resume ? hn_folder_store_resume(f, error) : hn_folder_store_begin(f, error);
}

int hn_folder_goes_on(const hn_folder *f) { return f->goes_on; }
hn_recording *hn_folder_recording(hn_folder *f) { return &f->kept; }

long hn_folder_rows(const hn_folder *f) {
  return f->is_kept ? f->rows : hn_results_row_count(f->kept.all);
}

void hn_folder_free(hn_folder *f) {
  if (!f) return;
  hn_store_close(f->store, NULL);
  hn_lock_release(f->lock);
  hn_recording_free(&f->kept);
  if (f->has_mobility) hn_mobility_free(&f->mobility);
  hn_release(NULL, f);
}

// ---- run ----------------------------------------------------------------------------------------

static hn_status take_row(void *context, hn_simulation *simulation, hn_error *error) {
  hn_folder *f = context;
  if (f->is_kept) return hn_folder_store_row(f, simulation, error);
  hn_run_sink kept = hn_recording_sink(&f->kept);
  return kept.row(kept.context, simulation, error);
}

static hn_status take_frame(void *context, hn_simulation *simulation, hn_error *error) {
  hn_folder *f = context;
  hn_run_sink kept = hn_recording_sink(&f->kept);
  return kept.frame(kept.context, simulation, error);
}

static double next_frame(void *context) {
  const hn_folder *f = context;
  return hn_scene_next(f->kept.scene);
}

static void take_step(void *context, const hn_simulation *simulation) {
  hn_folder *f = context;
  if (f->is_kept) hn_folder_store_step(f, simulation);
}

hn_run_sink hn_folder_sink(hn_folder *f) {
  hn_run_sink sink = {.row = take_row, .progress = take_step, .context = f};
  if (f->kept.scene) {
    sink.frame = take_frame;
    sink.next_frame = next_frame;
  }
  return sink;
}

// ---- end ----------------------------------------------------------------------------------------

// Removes files after writing. A run that was stopped, or whose disk was full, keeps those needed
// to resume it; others keep only their results. Runs of several processes cannot be resumed.
static void clear_up(const hn_folder *f, const hn_run_outcome *outcome) {
  int is_stopped = outcome->status == HN_ERROR_INTERRUPTED || outcome->status == HN_ERROR_FILE;
  int many = hn_results_signal_count(f->kept.all) > HN_FOLDER_MANY_SIGNALS;
  if (is_stopped && (!f->is_shared || many)) return;
  hn_folder_remove(f, "checkpoint.state");
  hn_folder_remove(f, "run.call");
  if (f->options.format != HN_FOLDER_STORE) hn_folder_remove(f, "results.store");
}

hn_status hn_folder_finish(hn_folder *f, const hn_run_outcome *outcome, const hn_pacing *pacing,
                           hn_error *error) {
  hn_error lost = {0}, others = {0};
  hn_status status = f->is_kept ? hn_folder_store_end(f, outcome, &lost) : HN_OK;
  if (hn_folder_rows(f) == 0) {
    if (status != HN_OK) *error = lost;
    return status;
  }
  hn_status written = hn_folder_write(f, outcome, pacing, &others);
  if (status != HN_OK) {
    if (others.hint[0] != '\0') memcpy(lost.hint, others.hint, sizeof lost.hint);
    *error = lost;
    return status;
  }
  if (written != HN_OK)
    *error = others;
  else if (f->is_kept)
    clear_up(f, outcome);
  return written;
}

hn_status hn_run_in_folder(hn_simulation *simulation, const hn_run_plan *plan,
                           const hn_folder_options *options, hn_run_outcome *outcome) {
  hn_folder *f = NULL;
  hn_run_plan own = *plan;
  hn_error error = {0};
  *outcome = (hn_run_outcome){.start = hn_simulation_time(simulation)};
  outcome->time = outcome->start;
  hn_status status = hn_folder_open(options, simulation, plan, &f, &error);
  if (status == HN_OK) status = hn_folder_begin(f, &error);
  if (status == HN_OK) {
    hn_run_sink sink = hn_folder_sink(f);
    own.goes_on = f->goes_on;
    own.is_resumed |= f->goes_on;
    if (options->is_kinematics)
      hn_run_kinematics(simulation, &own, &sink, outcome);
    else
      hn_run(simulation, &own, &sink, outcome);
    status = hn_folder_finish(f, outcome, NULL, &error);
  }
  hn_folder_free(f);
  if (status != HN_OK && outcome->status == HN_OK) {
    outcome->status = status;
    outcome->error = error;
  }
  return outcome->status;
}
