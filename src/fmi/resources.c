// The folder `resources` of an FMU: holon.txt, and in `model/` every file of the model, as far from
// each other as on the disk. Trees are written as JSON, which the minimal library reads under any
// name.
//
// holon.txt, a line each:
//   holon VERSION
//   token TOKEN               that of modelDescription.xml
//   model PATH                the model file, from here
//   set NAME=VALUE            what export set
//   ROLE NAME[<tab>UNIT]      variables by value reference: time, parameter, input, output, local
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "fmi/fmu.h"
#include "formats/text_file.h"

static hn_status no_memory(hn_error *error) {
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the FMU");
}

// ---- where files go -----------------------------------------------------------------------------

// Bytes of the folder that all files are in.
static size_t common_folder(const hn_fmu *fmu) {
  const char *first = fmu->path, *path;
  const char *text;
  size_t size, length = strlen(first);
  while (length > 0 && first[length - 1] != '/') length--;
  for (int k = 0; (path = hn_model_files_path(fmu->files, k, &text, &size)) != NULL; k++) {
    size_t same = 0;
    while (same < length && path[same] == first[same]) same++;
    while (same > 0 && first[same - 1] != '/') same--;
    length = same;
  }
  return length;
}

// The model file is JSON whatever it was: with this ending no reader of another format takes it.
static const char *model_name(const hn_fmu *fmu, hn_arena *arena, size_t folder) {
  const char *name = fmu->path + folder, *slash = strrchr(name, '/');
  const char *dot = strrchr(slash ? slash : name, '.');
  const size_t length = dot ? (size_t)(dot - name) : strlen(name);
  char *result = HN_TAKE(arena, char, length + 16);
  return result ? hn_text(result, length + 16, "model/%.*s.json", (int)length, name) : NULL;
}

static hn_status check_path(const char *name, const char *path, hn_error *error) {
  if (strncmp(name, "../", 3) != 0 && !strstr(name, "/../") && !hn_path_is_absolute(name))
    return HN_OK;
  return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                 "Run export where all files of the model are below the same folder.",
                 "'%.200s' is outside of the folder of the other files", path);
}

// ---- holon.txt ----------------------------------------------------------------------------------

static void list_variables(const hn_fmu *fmu, hn_string *out) {
  static const char *const roles[] = {"time",  "parameter", "input",      "output",
                                      "local", "state",     "derivative", "indicator"};
  for (int k = 0; k < fmu->variable_count; k++) {
    const hn_fmu_exported *v = &fmu->variables[k];
    hn_string_add(out, "%s %s", roles[v->role], v->name);
    if (v->role == HN_FMU_ROLE_PARAMETER) hn_string_add(out, "\t%s", v->unit);
    hn_string_text(out, "\n");
  }
}

// The token is a checksum of everything that an importer could mix up.
hn_status hn_fmu_list_resources(hn_fmu *fmu, hn_error *error) {
  hn_string list = {.data = NULL};
  const char *name = model_name(fmu, &fmu->arena, common_folder(fmu));
  if (!name) return no_memory(error);
  hn_string_add(&list, "model %s\n", name);
  for (int k = 0; fmu->load && k < fmu->load->setting_count; k++)
    hn_string_add(&list, "set %s\n", fmu->load->settings[k]);
  list_variables(fmu, &list);
  hn_string_add(&fmu->resources, "FMI %d, kinds %d, model %llx\n", fmu->options->version,
                fmu->options->kinds, hn_model_hash(fmu->model));
  hn_string_text(&fmu->resources, list.data);
  if (list.is_lost || fmu->resources.is_lost) {
    hn_string_free(&list);
    return no_memory(error);
  }
  hn_sha256(fmu->resources.data, fmu->resources.length, fmu->token);
  hn_string_free(&fmu->resources);
  hn_string_add(&fmu->resources, "holon %s\ntoken %s\n%s", hn_version(), fmu->token, list.data);
  hn_string_free(&list);
  return fmu->resources.is_lost ? no_memory(error) : HN_OK;
}

// ---- files --------------------------------------------------------------------------------------

static hn_status add_text(hn_zip *zip, hn_arena *arena, const char *name, const char *text,
                          size_t size, hn_error *error) {
  const size_t room = strlen(name) + 16;
  char *path = HN_TAKE(arena, char, room);
  if (!path || !text) return no_memory(error);
  const hn_zip_bytes piece = {text, size};
  hn_zip_add(zip, hn_text(path, room, "resources/%s", name), &piece, 1);
  return HN_OK;
}

static hn_status add_file(const hn_fmu *fmu, hn_zip *zip, hn_arena *arena, int index, size_t folder,
                          hn_error *error) {
  hn_model_file file;
  hn_model_files_file(fmu->files, index, &file);
  const size_t room = strlen(file.path) + 16;
  char *name = HN_TAKE(arena, char, room);
  if (!name) return no_memory(error);
  hn_text(name, room, "model/%s", file.path + folder);
  hn_status status = check_path(name, file.path, error);
  if (status != HN_OK) return status;
  const char *text = file.root ? hn_tree_json(arena, file.root) : file.text;
  if (text) return add_text(zip, arena, name, text, file.root ? strlen(text) : file.size, error);
  char *bytes = NULL; // of a mesh
  size_t size = 0;
  status = hn_file_read(file.path, &bytes, &size, error);
  if (status == HN_OK) status = add_text(zip, arena, name, bytes, size, error);
  hn_release(NULL, bytes);
  return status;
}

static hn_status add_files(const hn_fmu *fmu, hn_zip *zip, hn_arena *arena, hn_error *error) {
  const size_t folder = common_folder(fmu);
  const char *text, *tree = hn_tree_json(arena, fmu->files->root);
  size_t size;
  const char *name = model_name(fmu, arena, folder);
  if (!tree || !name) return no_memory(error);
  hn_status status = add_text(zip, arena, name, tree, strlen(tree), error);
  for (int k = 0; status == HN_OK && hn_model_files_path(fmu->files, k, &text, &size); k++)
    status = add_file(fmu, zip, arena, k, folder, error);
  return status;
}

hn_status hn_fmu_add_resources(const hn_fmu *fmu, hn_zip *zip, hn_error *error) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_status status =
      add_text(zip, &arena, "holon.txt", fmu->resources.data, fmu->resources.length, error);
  if (status == HN_OK) status = add_files(fmu, zip, &arena, error);
  hn_arena_release(&arena);
  return status;
}
