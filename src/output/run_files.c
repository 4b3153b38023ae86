// The folder that a run left, as it is read: scene, motion, certificate, results.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "holon/store.h"
#include "output/page.h"
#include "platform/files.h"

static hn_status no_memory(hn_error *error) {
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
}

// ---- results ------------------------------------------------------------------------------------

char *hn_results_path(const char *source) {
  // results.store is what a run writes while it is in progress
  static const char *const names[] = {"results.h5", "results.csv", "results.store", "results.npy"};
  if (!hn_is_folder(source)) {
    hn_string copy = {0};
    char *text = NULL;
    hn_string_text(&copy, source);
    hn_string_hand_over(&copy, &text, NULL);
    return text;
  }
  char *newest = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char *path = hn_file_join(source, names[i]);
    if (!path) {
      hn_release(NULL, newest);
      return NULL;
    }
    if (hn_is_newer(path, newest)) {
      hn_release(NULL, newest);
      newest = path;
    } else {
      hn_release(NULL, path);
    }
  }
  if (newest) return newest;
  char *other = hn_file_join(source, "results.npz");
  if (!other || hn_is_there(other)) return other;
  hn_release(NULL, other);
  return hn_file_join(source, names[0]);
}

char *hn_store_note(const char *path, const hn_store_state *state) {
  hn_string text = {0};
  char *note = NULL;
  if (state->is_done && state->cut == 0) return NULL;
  if (state->is_done)
    hn_string_add(&text, "note: %s: %ld samples up to t = %g s", path, state->rows, state->last);
  else
    hn_string_add(&text, "note: the run of %s is incomplete: %ld samples up to t = %g s", path,
                  state->rows, state->last);
  if (state->cut > 0)
    hn_string_add(&text, "; %llu bytes after the last complete block are ignored", state->cut);
  hn_string_text(&text, "\n");
  hn_string_hand_over(&text, &note, NULL);
  return note;
}

hn_status hn_results_open(const char *path, hn_results **results, char **note, hn_error *error) {
  size_t length = strlen(path);
  *note = NULL;
  if (length < 6 || strcmp(path + length - 6, ".store") != 0)
    return hn_results_read(path, results, error);
  hn_store_state state;
  hn_status status = hn_store_read(path, HN_STORE_ROWS, results, &state, error);
  if (status == HN_OK) *note = hn_store_note(path, &state);
  return status;
}

// ---- folder -------------------------------------------------------------------------------------

static hn_status no_scene(const char *folder, hn_error *error) {
  char hint[512];
  if (!hn_is_there(folder))
    return hn_fail(error, HN_ERROR_FILE, NULL, NULL,
                   "Give the folder that `holon run -o DIR` wrote.",
                   "the folder '%s' does not exist", folder);
  if (!hn_is_folder(folder))
    return hn_fail(error, HN_ERROR_FILE, NULL, NULL, "Give the folder, not a file in it.",
                   "'%s' is not a folder", folder);
  char *call = hn_file_join(folder, "run.call");
  int is_stopped = call && hn_is_there(call);
  hn_release(NULL, call);
  if (is_stopped) {
    snprintf(
        hint, sizeof hint,
        "Plot or export its samples, or finish it to get the animation: holon run @resume %.300s",
        folder);
    return hn_fail(error, HN_ERROR_FILE, NULL, NULL, hint,
                   "the run in '%s' was stopped early and has no animation", folder);
  }
  return hn_fail(error, HN_ERROR_FILE, NULL, NULL,
                 "Run the model again: holon run MODEL -o DIR (without @no_scene).",
                 "'%s' has no scene.json: written without one, or by an older version", folder);
}

static hn_status read_motion(const char *folder, hn_run_files *files, hn_error *error) {
  char *path = hn_file_join(folder, "motion.bin");
  hn_status status =
      path ? hn_file_read(path, &files->motion, &files->motion_size, error) : no_memory(error);
  hn_release(NULL, path);
  return status;
}

static void note(hn_string *notes, const char *lost, const hn_error *error) {
  char text[2600];
  hn_error_format(error, text, sizeof text);
  text[strcspn(text, "\n")] = '\0';
  hn_string_add(notes, "warning: there %s: %s\n", lost, text);
}

// Files that may be missing, silently. Unreadable ones are reported.
static void read_extras(const char *folder, hn_run_files *files, hn_string *notes) {
  hn_error error = {0};
  char *path = hn_file_join(folder, "certificate.json"), *results = hn_results_path(folder);
  char *lost = NULL;
  notes->is_lost |= !path || !results;
  if (path && hn_is_there(path) &&
      hn_file_read_text(path, &files->certificate, &files->certificate_size, &error) != HN_OK)
    note(notes, "is no verdict", &error);
  if (results && hn_is_there(results)) {
    if (hn_results_open(results, &files->results, &lost, &error) != HN_OK)
      note(notes, "are no plots", &error);
    hn_string_text(notes, lost);
  }
  hn_text_free(lost);
  hn_text_free(results);
  hn_release(NULL, path);
}

// How many frames the scene says there are, whatever the motion has.
static void note_motion(const char *folder, const hn_run_files *files, hn_string *notes) {
  const char *at = strstr(files->scene_text, "\"frames\":");
  int promised = at ? atoi(at + 9) : 0;
  if (files->scene->frames < promised)
    hn_string_add(
        notes,
        "warning: %s/motion.bin is cut off: %d of %d frames are shown. Run the model again\n",
        folder, files->scene->frames, promised);
}

hn_status hn_run_files_read(const char *folder, hn_run_files *files, hn_error *error) {
  *files = (hn_run_files){0};
  char *name = hn_file_join(folder, "scene.json");
  hn_string notes = {0};
  if (!name) return no_memory(error);
  hn_status status = hn_is_there(name) ? HN_OK : no_scene(folder, error);
  if (status == HN_OK)
    status = hn_file_read_text(name, &files->scene_text, &files->scene_size, error);
  if (status == HN_OK) status = read_motion(folder, files, error);
  if (status == HN_OK)
    status =
        hn_scene_read(files->scene_text, files->scene_size, (const unsigned char *)files->motion,
                      files->motion_size, name, &files->scene, error);
  hn_release(NULL, name);
  if (status == HN_OK) {
    note_motion(folder, files, &notes);
    read_extras(folder, files, &notes);
    if (notes.length > 0 || notes.is_lost)
      status = hn_string_hand_over(&notes, &files->notes, NULL);
    if (status != HN_OK) no_memory(error);
  }
  hn_string_free(&notes);
  if (status != HN_OK) hn_run_files_free(files);
  return status;
}

hn_status hn_run_files_of(hn_scene *scene, hn_run_files *files) {
  size_t needed = 0;
  *files = (hn_run_files){0};
  hn_scene_json(scene, NULL, 0, &needed);
  files->motion_size = 4 * (size_t)scene->frames * (size_t)scene->stride;
  files->motion = hn_allocate(NULL, files->motion_size + 1);
  files->scene_text = hn_allocate(NULL, needed);
  if (!files->motion || !files->scene_text ||
      hn_scene_json(scene, files->scene_text, needed, NULL) != HN_OK) {
    hn_run_files_free(files);
    return HN_ERROR_MEMORY;
  }
  files->scene_size = needed - 1;
  hn_scene_motion_bytes(scene, (unsigned char *)files->motion);
  return HN_OK;
}

void hn_run_files_free(hn_run_files *files) {
  hn_scene_free(files->scene);
  hn_results_free(files->results);
  hn_release(NULL, files->scene_text);
  hn_release(NULL, files->motion);
  hn_release(NULL, files->certificate);
  hn_text_free(files->notes);
  *files = (hn_run_files){0};
}
