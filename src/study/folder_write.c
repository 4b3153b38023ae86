// Files of a run's folder at its end.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "output/page.h"
#include "study/folder_private.h"

static hn_status no_memory(hn_error *error) {
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the files of a run");
}

static hn_status write_text(const hn_folder *f, const char *name, const char *text, size_t size,
                            hn_error *error) {
  hn_status moved = hn_folder_check(f, error);
  if (moved != HN_OK) return moved;
  char *path = hn_folder_file(f, name);
  hn_status status = path ? hn_file_write_bytes(path, text, size, error) : no_memory(error);
  hn_release(NULL, path);
  return status;
}

// ---- rows ---------------------------------------------------------------------------------------

static hn_results_format format_of(const hn_folder *f) {
  const char *name = hn_folder_results_name(f);
  if (strcmp(name, "results.csv") == 0) return HN_RESULTS_CSV;
  return strcmp(name, "results.npz") == 0 ? HN_RESULTS_NPZ : HN_RESULTS_HDF5;
}

static int is_store(const hn_folder *f) { return f->options.format == HN_FOLDER_STORE; }

static hn_status write_results(const hn_folder *f, const hn_results *results, hn_error *error) {
  char *path = hn_folder_file(f, hn_folder_results_name(f));
  hn_status status =
      path ? hn_results_write(results, path, format_of(f), !f->options.without_units, error)
           : no_memory(error);
  hn_release(NULL, path);
  return status;
}

// A store of rows that were kept in memory.
static hn_status write_store(const hn_folder *f, const hn_run_outcome *outcome, hn_error *error) {
  const hn_recording *kept = &f->kept;
  const hn_scene *scene = kept->scene;
  char *path = hn_folder_file(f, "results.store");
  hn_store *store = NULL;
  hn_status status =
      path ? hn_store_create(path, kept->all, kept->shown, &store, error) : no_memory(error);
  if (status == HN_OK)
    status =
        hn_store_write(store, HN_STORE_ROWS, kept->all, 0, hn_results_row_count(kept->all), error);
  if (status == HN_OK)
    status = hn_store_write(store, HN_STORE_SHOWN, kept->shown, 0,
                            hn_results_row_count(kept->shown), error);
  if (status == HN_OK && scene)
    status = hn_store_write_frames(store, scene->motion, scene->frames, scene->stride, error);
  if (status == HN_OK && outcome->status == HN_OK) status = hn_store_write_end(store, error);
  if (status == HN_OK) status = hn_store_sync(store, error);
  hn_error last = {0};
  hn_status closed = hn_store_close(store, &last);
  if (status == HN_OK && closed != HN_OK) *error = last;
  hn_release(NULL, path);
  return status == HN_OK ? closed : status;
}

// The export has to have every row of the run, before the store may go.
static hn_status check_export(const hn_store_state *state, long rows, const hn_run_outcome *outcome,
                              const char *store, hn_error *error) {
  if (state->cut == 0 && state->rows == rows && (state->is_done || outcome->status != HN_OK))
    return HN_OK;
  return hn_fail(error, HN_ERROR_FILE, NULL, NULL, NULL,
                 "only %ld of %ld samples can be read from '%s'; the rest is damaged. Run the "
                 "model again to get all",
                 state->rows, rows, store);
}

// The rows are in the store, whatever becomes of their export.
static hn_status export_rows(const hn_folder *f, const hn_run_outcome *outcome, hn_error *error) {
  if (is_store(f)) return HN_OK;
  char *store = hn_folder_file(f, "results.store"),
       *path = hn_folder_file(f, hn_folder_results_name(f));
  hn_store_state state;
  hn_status status = store && path ? hn_store_export(store, path, format_of(f),
                                                     !f->options.without_units, &state, error)
                                   : no_memory(error);
  if (status == HN_OK) {
    status = check_export(&state, f->rows, outcome, store, error);
    if (status != HN_OK) remove(path); // not under the name of whole results
  }
  if (status != HN_OK && store)
    snprintf(
        error->hint, sizeof error->hint,
        "The samples are in %.200s. Free disk space, then run: holon export %.150s @results FILE",
        store, f->options.path);
  hn_release(NULL, store);
  hn_release(NULL, path);
  return status;
}

// All results, or when these do not fit on the disk, at least those that the report shows.
static hn_status write_results_that_fit(const hn_folder *f, const hn_run_outcome *outcome,
                                        hn_error *error) {
  hn_error ignored = {0};
  hn_status status = HN_ERROR_FILE;
  if (f->is_kept) // all that is left of them
    hn_fail(error, status, NULL, NULL, "Free disk space and run the model again.",
            "some samples of the results are missing");
  else if (is_store(f))
    status = write_store(f, outcome, error);
  else
    status = write_results(f, f->kept.all, error);
  if (is_store(f)) return status; // what it has is worth more
  if (status != HN_OK && write_results(f, f->kept.shown, &ignored) == HN_OK)
    snprintf(error->hint, sizeof error->hint, "%s",
             "Only outputs, energy, constraints and steps are written. Free disk space, write "
             "elsewhere with -o, or record less with @signals.");
  return status;
}

// Of a run that lost a process this one is ended a second later too: what is not written by then
// is lost. The rows are on the disk already (results.store), so they come last, and many signals,
// which take long to write, stay there.
static hn_status write_rows(const hn_folder *f, const hn_run_outcome *outcome, hn_error *error) {
  hn_status moved = hn_folder_check(f, error);
  if (moved != HN_OK) return moved;
  if (!f->is_kept || f->error.status != HN_OK) return write_results_that_fit(f, outcome, error);
  if (f->is_shared && outcome->status == HN_ERROR_INTERRUPTED &&
      hn_results_signal_count(f->kept.all) > HN_FOLDER_MANY_SIGNALS)
    return HN_OK;
  return export_rows(f, outcome, error);
}

// ---- everything else ----------------------------------------------------------------------------

static hn_status write_certificate(const hn_folder *f, hn_error *error) {
  char *certificate = NULL;
  hn_string indented = {0};
  if (hn_certificate_text(f->simulation, &certificate) != HN_OK) return no_memory(error);
  hn_string_indented(&indented, certificate);
  hn_string_text(&indented, "\n");
  hn_status status = indented.is_lost
                         ? no_memory(error)
                         : write_text(f, "certificate.json", indented.data, indented.length, error);
  hn_string_free(&indented);
  hn_text_free(certificate);
  return status;
}

static hn_status finish_scene(hn_scene *scene, const hn_run_outcome *outcome, hn_error *error) {
  const hn_error *why = &outcome->error;
  const int is_fine = outcome->status == HN_OK;
  char reason[sizeof why->element + sizeof why->message + 2];
  snprintf(reason, sizeof reason, "%s%s%s", why->element, why->element[0] != '\0' ? " " : "",
           why->message);
  hn_status status = hn_scene_finish(scene,
                                     is_fine                                   ? "ok"
                                     : outcome->status == HN_ERROR_INTERRUPTED ? "interrupted"
                                                                               : "failed",
                                     is_fine ? "" : reason);
  if (status == HN_OK) return HN_OK;
  return hn_fail(error, status, NULL, NULL, "Use @no_scene.", "no memory for a scene");
}

// The same with fewer frames, for a report that stays small enough to be sent. The last one is kept.
// *thin is a view on the scene with a motion of its own.
static hn_status thin_scene(const hn_scene *scene, hn_scene *thin, float **motion) {
  enum { MOST_BYTES = 1 << 20 };
  const size_t stride = (size_t)scene->stride, frames = (size_t)scene->frames;
  const size_t each = 1 + 4 * stride * frames / MOST_BYTES;
  size_t count = 0;
  *motion = hn_allocate(NULL, (frames / each + 2) * stride * sizeof **motion);
  if (!*motion) return HN_ERROR_MEMORY;
  for (size_t k = 0; k < frames; k += k + each < frames || k + 1 == frames ? each : frames - 1 - k)
    memcpy(*motion + count++ * stride, scene->motion + k * stride, stride * sizeof **motion);
  *thin = *scene;
  thin->motion = *motion;
  thin->frames = (int)count;
  thin->rate /= (double)each;
  return HN_OK;
}

static hn_status make_page(const hn_folder *f, const hn_run_outcome *outcome,
                           const hn_pacing *pacing, char **page, size_t *size) {
  const hn_folder_options *o = &f->options;
  const hn_run_facts facts = {.simulation = f->simulation,
                              .outcome = outcome,
                              .shown = f->kept.shown,
                              .scene = f->kept.scene,
                              .mobility = o->mobility       ? o->mobility
                                          : f->has_mobility ? &f->mobility
                                                            : NULL,
                              .pacing = pacing,
                              .name = o->name,
                              .path = o->model_path,
                              .call = o->call};
  hn_scene thin;
  hn_run_files film = {0};
  float *motion = NULL;
  hn_status status = HN_OK;
  if (f->kept.scene) {
    status = thin_scene(f->kept.scene, &thin, &motion);
    if (status == HN_OK) status = hn_run_files_of(&thin, &film);
  }
  if (status == HN_OK)
    status = hn_run_page(&facts, o->pages, f->kept.scene ? &film : NULL, page, size);
  hn_run_files_free(&film);
  hn_release(NULL, motion);
  return status;
}

static hn_status write_report(const hn_folder *f, const hn_run_outcome *outcome,
                              const hn_pacing *pacing, hn_error *error) {
  char *page = NULL;
  size_t size = 0;
  if (!f->options.pages) return HN_OK;
  hn_status status = make_page(f, outcome, pacing, &page, &size);
  if (status != HN_OK)
    hn_fail(error, status, NULL, NULL, NULL, "out of memory for the report");
  else
    status = write_text(f, "report.html", page, size, error);
  hn_text_free(page);
  return status;
}

static void keep_first(hn_status *status, hn_error *first, hn_status next, const hn_error *error) {
  if (*status != HN_OK || next == HN_OK) return;
  *status = next;
  *first = *error;
}

static hn_status write_scene(const hn_folder *f, const hn_run_outcome *outcome, hn_error *error) {
  hn_status status = hn_folder_check(f, error);
  if (status == HN_OK && f->kept.scene) status = finish_scene(f->kept.scene, outcome, error);
  if (status == HN_OK && f->kept.scene)
    return hn_scene_write(f->kept.scene, f->options.path, error);
  // those of an earlier run would be taken for its own
  hn_folder_remove(f, "scene.json");
  hn_folder_remove(f, "motion.bin");
  return status;
}

// Every file is tried; the first failure is reported. Small, important files come first: when the
// disk is nearly full, the certificate still fits.
hn_status hn_folder_write(hn_folder *f, const hn_run_outcome *outcome, const hn_pacing *pacing,
                          hn_error *error) {
  hn_error next = {0};
  hn_status status = HN_OK;
  if (outcome->is_kinematics)
    hn_folder_remove(f, "certificate.json");
  else
    status = write_certificate(f, error);
  const int is_last = f->is_shared && outcome->status == HN_ERROR_INTERRUPTED;
  if (!is_last) keep_first(&status, error, write_rows(f, outcome, &next), &next);
  keep_first(&status, error, write_scene(f, outcome, &next), &next);
  keep_first(&status, error, write_report(f, outcome, pacing, &next), &next);
  if (is_last) keep_first(&status, error, write_rows(f, outcome, &next), &next);
  return status;
}
