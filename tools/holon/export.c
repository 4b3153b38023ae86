// holon export: a run for other programs.
#include "folder.h"
#include "gltf.h"
#include "keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), size = strlen(ending);
  return length > size && strcmp(path + length - size, ending) == 0;
}

static int write_gltf(const hn_cli_folder *folder, const char *path, hn_error *error) {
  hn_cli_text text = {0};
  int frames = 0;
  hn_status status =
      hn_cli_add_gltf(&text, folder->scene, has_ending(path, ".glb"), &frames, error);
  if (status == HN_OK && frames < folder->scene->frames) {
    fprintf(stderr,
            "holon: warning: only %d of %d frames are written: then a pose is not a finite number "
            "or time stands still\n",
            frames, folder->scene->frames);
  }
  if (status == HN_OK) status = hn_cli_write_file(path, text.data, text.length, error);
  hn_cli_text_free(&text);
  if (status != HN_OK) {
    hn_cli_print_error(error);
    return HN_CLI_FAILED;
  }
  printf("%s\n", path);
  return HN_CLI_DONE;
}

// Returns the exit code; -1 with nothing else to do would be --gltf.
static int write_results(const hn_cli_command *command, const char *folder, const char *path) {
  static const struct {
    const char *ending;
    hn_results_format format;
  } kinds[] = {{".h5", HN_RESULTS_HDF5}, {".csv", HN_RESULTS_CSV}, {".npz", HN_RESULTS_NPZ}};
  int kind = 0;
  while (kind < 3 && !has_ending(path, kinds[kind].ending)) kind++;
  if (kind == 3)
    return hn_cli_wrong_call(command->name, "--results '%s' ends neither in .h5 nor .csv nor .npz",
                             path);
  hn_error error = {0};
  hn_results *rows = NULL;
  char *from = hn_cli_find_results(folder);
  hn_store_state state;
  const int is_stream = has_ending(from, ".store") && kinds[kind].format == HN_RESULTS_CSV;
  hn_status status = is_stream ? hn_store_export(from, path, HN_RESULTS_CSV, 1, &state, &error)
                               : hn_cli_read_results(from, &rows, &error);
  if (is_stream && status == HN_OK) hn_cli_note_store(from, &state);
  if (status == HN_OK && rows != NULL)
    status = hn_results_write(rows, path, kinds[kind].format, 1, &error);
  hn_results_free(rows);
  free(from);
  if (status != HN_OK) {
    hn_cli_print_error(&error);
    return HN_CLI_FAILED;
  }
  printf("%s\n", path);
  return HN_CLI_DONE;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  const char *gltf = NULL, *results = NULL;
  const hn_cli_option options[] = {
      {"gltf", 0, HN_CLI_STRING, &gltf, "FILE", "animated glTF 2.0, .gltf or .glb", NULL},
      {"results", 0, HN_CLI_STRING, &results, "FILE", "all rows as .h5, .csv or .npz", NULL},
      {0},
  };
  const char *path = NULL;
  int code = hn_cli_parse_one(command, options, argc, argv, &path);
  if (code < 0 && results != NULL) code = write_results(command, path, results);
  if (code < 0 && gltf == NULL) {
    code = hn_cli_wrong_call(command->name,
                             "export needs what to write: --gltf FILE or --results FILE");
  } else if (code < 0 && !has_ending(gltf, ".gltf") && !has_ending(gltf, ".glb")) {
    code = hn_cli_wrong_call(command->name, "--gltf '%s' ends neither in .gltf nor in .glb", gltf);
  }
  hn_cli_folder folder = {0};
  hn_error error = {0};
  if (code < 0 && hn_cli_folder_open(path, &folder, &error) != HN_OK) {
    hn_cli_print_error(&error);
    code = HN_CLI_WRONG;
  }
  if (code < 0) code = write_gltf(&folder, gltf, &error);
  hn_cli_folder_close(&folder);
  return code;
}

const hn_cli_command hn_cli_export_command = {
    .name = "export",
    .arguments = "DIR --gltf FILE",
    .summary = "write a run for other programs: animated glTF 2.0",
    .details =
        "A .gltf has its data inside, a .glb is binary and smaller. Bodies keep their names.\n",
    .example = "  holon export out/iltis --gltf iltis.glb\n",
    .run = run,
};
