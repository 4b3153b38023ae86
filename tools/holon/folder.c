// Reading the folder of a run: scene, motion, certificate, results.
#include "folder.h"

#include "keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

static int is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

char *hn_cli_find_results(const char *source) {
  // results.store is what a run writes while it goes on
  static const char *const names[] = {"results.h5", "results.csv", "results.store", "results.npy",
                                      NULL};
  struct stat info;
  if (!is_folder(source)) return hn_cli_copy(source);
  char *newest = NULL;
  struct timespec latest = {0};
  for (int i = 0; names[i] != NULL; i++) {
    char *path = hn_cli_join(source, names[i]);
    int is_newer =
        stat(path, &info) == 0 &&
        (newest == NULL || info.st_mtim.tv_sec > latest.tv_sec ||
         (info.st_mtim.tv_sec == latest.tv_sec && info.st_mtim.tv_nsec > latest.tv_nsec));
    if (is_newer) {
      free(newest);
      newest = path;
      latest = info.st_mtim;
    } else {
      free(path);
    }
  }
  if (newest != NULL) return newest;
  char *other = hn_cli_join(source, "results.npz");
  if (exists(other)) return other;
  free(other);
  return hn_cli_join(source, names[0]);
}

static hn_status no_scene(const char *path, hn_error *error) {
  if (!exists(path)) {
    return hn_cli_fail(error, HN_ERROR_FILE, "Give the folder that `holon run -o DIR` wrote.",
                       "there is no folder '%s'", path);
  }
  if (!is_folder(path)) {
    return hn_cli_fail(error, HN_ERROR_FILE, "Give the folder, not a file in it.",
                       "'%s' is not a folder", path);
  }
  char *call = hn_cli_join(path, "run.call");
  int is_stopped = exists(call);
  free(call);
  if (is_stopped) {
    char hint[512];
    snprintf(hint, sizeof hint,
             "Its rows can be plotted and exported. The animation is written at the end: holon run "
             "--resume %.300s",
             path);
    return hn_cli_fail(error, HN_ERROR_FILE, hint, "the run in '%s' was stopped before its end",
                       path);
  }
  return hn_cli_fail(
      error, HN_ERROR_FILE, "Run the model again: holon run MODEL -o DIR (without --no-scene).",
      "'%s' has no scene.json: it was written without one, or by an older version", path);
}

static hn_status read_part(const char *folder, const char *name, char **data, size_t *size,
                           hn_error *error) {
  char *path = hn_cli_join(folder, name);
  hn_status status = hn_file_read(path, data, size, error);
  free(path);
  return status;
}

static void warn_about(const char *lost, const hn_error *error) {
  char text[2600];
  hn_error_format(error, text, sizeof text);
  text[strcspn(text, "\n")] = '\0';
  fprintf(stderr, "holon: warning: there %s: %s\n", lost, hn_cli_tame(text));
}

// What may be missing, silently. What is there but cannot be read is told.
static void read_extras(hn_cli_folder *folder) {
  hn_error error = {0};
  char *certificate = hn_cli_join(folder->path, "certificate.json");
  if (exists(certificate) && read_part(folder->path, "certificate.json", &folder->certificate,
                                       &folder->certificate_size, &error) != HN_OK) {
    folder->certificate = NULL;
    warn_about("is no verdict", &error);
  }
  char *path = hn_cli_find_results(folder->path);
  if (exists(path) && hn_cli_read_results(path, &folder->results, &error) != HN_OK)
    warn_about("are no plots", &error);
  free(path);
  free(certificate);
}

static void warn_about_motion(const hn_cli_folder *folder, int promised) {
  if (folder->scene->frames >= promised) return;
  fprintf(stderr, "holon: warning: %s/motion.bin is cut off: %d of %d frames are there and shown\n",
          folder->path, folder->scene->frames, promised);
}

// How many frames the scene says there are, whatever the motion has.
static int promised_frames(const char *scene) {
  const char *at = strstr(scene, "\"frames\":");
  return at != NULL ? atoi(at + 9) : 0;
}

hn_status hn_cli_folder_open(const char *path, hn_cli_folder *folder, hn_error *error) {
  *folder = (hn_cli_folder){.path = path};
  char *name = hn_cli_join(path, "scene.json");
  hn_status status = exists(name) ? HN_OK : no_scene(path, error);
  if (status == HN_OK) {
    status = hn_file_read(name, &folder->scene_text, &folder->scene_size, error);
  }
  if (status == HN_OK) {
    status = read_part(path, "motion.bin", &folder->motion, &folder->motion_size, error);
  }
  if (status == HN_OK) {
    status =
        hn_scene_read(folder->scene_text, folder->scene_size, (const unsigned char *)folder->motion,
                      folder->motion_size, name, &folder->scene, error);
  }
  free(name);
  if (status != HN_OK) {
    hn_cli_folder_close(folder);
    return status;
  }
  warn_about_motion(folder, promised_frames(folder->scene_text));
  read_extras(folder);
  return HN_OK;
}

void hn_cli_folder_close(hn_cli_folder *folder) {
  hn_scene_free(folder->scene);
  hn_results_free(folder->results);
  free(folder->scene_text);
  free(folder->motion);
  free(folder->certificate);
  *folder = (hn_cli_folder){0};
}
