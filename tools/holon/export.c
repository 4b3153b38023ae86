// holon export: a run, or a model, for other programs.
#include "export_model.h"
#include "pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), size = strlen(ending);
  return length > size && strcmp(path + length - size, ending) == 0;
}

static int write_gltf(const hn_run_files *folder, const char *path, hn_error *error) {
  int frames = 0;
  hn_status status = hn_scene_write_gltf(folder->scene, path, &frames, error);
  if (status == HN_OK && frames < folder->scene->frames) {
    fprintf(stderr,
            "holon: warning: only %d of %d frames are written: the next pose is not finite, or "
            "time does not increase. Rerun with a smaller --tol\n",
            frames, folder->scene->frames);
  }
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
    return hn_cli_wrong_call(command->name, "--results '%s': unknown format. Use .h5, .csv or .npz",
                             path);
  hn_error error = {0};
  hn_results *rows = NULL;
  char *from = hn_results_path(folder);
  if (from == NULL) hn_cli_out_of_memory();
  hn_store_state state;
  const int is_stream = has_ending(from, ".store");
  char *note = NULL;
  hn_status status = is_stream ? hn_store_export(from, path, kinds[kind].format, 1, &state, &error)
                               : hn_cli_read_results(from, &rows, &error);
  if (is_stream && status == HN_OK) note = hn_store_note(from, &state);
  hn_cli_print_notes(note);
  hn_text_free(note);
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

// A run in a folder as glTF, or its rows.
static int export_run(const hn_cli_command *command, const char *path, const char *gltf,
                      const char *results) {
  int code = results != NULL ? write_results(command, path, results) : -1;
  if (gltf == NULL) return code;
  if (code > 0) return code;
  if (!has_ending(gltf, ".gltf") && !has_ending(gltf, ".glb"))
    return hn_cli_wrong_call(command->name, "--gltf '%s': unknown format. Use .gltf or .glb", gltf);
  hn_run_files folder = {0};
  hn_error error = {0};
  if (hn_cli_read_run(path, &folder, &error) != HN_OK) {
    hn_cli_print_error(&error);
    code = HN_CLI_WRONG;
  } else {
    code = write_gltf(&folder, gltf, &error);
  }
  hn_run_files_free(&folder);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  const char *gltf = NULL, *results = NULL;
  hn_cli_model_export call = {0};
  hn_cli_settings *s = &call.settings;
  const hn_cli_option options[] = {
      {"gltf", 0, HN_CLI_STRING, &gltf, "FILE", "write a run as animated glTF 2.0, .gltf or .glb",
       NULL},
      {"results", 0, HN_CLI_STRING, &results, "FILE",
       "write all samples of a run as .h5, .csv or .npz", NULL},
      {"mjcf", 0, HN_CLI_STRING, &call.path[HN_EXPORT_MJCF], "FILE",
       "write a model as MJCF (MuJoCo)", NULL},
      {"urdf", 0, HN_CLI_STRING, &call.path[HN_EXPORT_URDF], "FILE", "write a model as URDF", NULL},
      {"sdf", 0, HN_CLI_STRING, &call.path[HN_EXPORT_SDF], "FILE", "write a model as SDF", NULL},
      {"fmu", 0, HN_CLI_STRING, &call.fmu.out, "FILE", "write a model as an FMU", NULL},
      {"fmi", 0, HN_CLI_COUNT, &call.fmu.version, "N", "version of FMI, 2 or 3 (3)", NULL},
      {"kind", 0, HN_CLI_STRING, &call.fmu.kind, "NAME",
       "with --fmu: cs (Co-Simulation), me (Model Exchange) or both (cs)", NULL},
      {"signals", 0, HN_CLI_LIST, &s->signals, "GLOB",
       "with --fmu: signals that become outputs too (repeatable)", NULL},
      {"runtime", 0, HN_CLI_STRING, &call.fmu.runtime, "FILE", "with --fmu: holon-fmu.so (found)",
       NULL},
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "override a parameter (repeatable)", NULL},
      {"input", 0, HN_CLI_LIST, &s->inputs, "NAME=VALUE", "value of an input", NULL},
      HN_CLI_MODEL_OPTIONS(*s),
      {"strict", 0, HN_CLI_FLAG, &s->strict, NULL, "exit with an error if anything is lost", NULL},
      {"quiet", 0, HN_CLI_FLAG, &s->quiet, NULL, "no report", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "print the report as JSON", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  int is_model = call.path[0] || call.path[1] || call.path[2] || call.fmu.out;
  if (code < 0 && is_model && (gltf || results))
    code = hn_cli_wrong_call(command->name, "--gltf and --results need a run; --mjcf, --urdf, "
                                            "--sdf and --fmu need a model. Call export twice");
  if (code < 0 && !is_model && gltf == NULL && results == NULL)
    code = hn_cli_wrong_call(command->name,
                             "nothing to export. Add --gltf FILE or --results FILE (for a run), "
                             "--mjcf FILE, --urdf FILE, --sdf FILE or --fmu FILE (for a model)");
  if (code < 0)
    code = is_model ? hn_cli_export_model(&call) : export_run(command, s->path, gltf, results);
  hn_cli_settings_free(s);
  return code;
}

const hn_cli_command hn_cli_export_command = {
    .name = "export",
    .arguments = "DIR|MODEL [options]",
    .summary = "write a run as animated glTF 2.0, a model as FMU, MJCF, URDF or SDF",
    .details =
        "For a run (DIR): --gltf, --results. A .gltf file embeds its data, a .glb file is binary\n"
        "and smaller. Bodies keep their names.\n"
        "For a model file, or one that `holon import` reads: --mjcf, --urdf, --sdf, in its "
        "initial\n"
        "state. The report lists what the format cannot express.\n"
        "--fmu: the model with the library inside, for other simulation programs.\n",
    .example = "  holon export out/iltis --gltf iltis.glb\n"
               "  holon export four-bar.yaml --mjcf four-bar.xml\n"
               "  holon export car.yaml --fmu car.fmu --fmi 2\n",
    .run = run,
};
