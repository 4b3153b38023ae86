// Files that a file names: meshes, includes. Nothing outside its folder is opened, but in packages that
// the user has given a folder for; nothing is fetched.
#include <stdio.h>
#include <string.h>

#include "base/plain_file.h"
#include "formats/import/machine.h"
#include "formats/text_file.h"
#include "holon/shape.h"

static const char *ending_of(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot ? dot : "";
}

static int is_mesh(const char *path) {
  static const char *const known[] = {".stl", ".STL", ".obj",  ".OBJ",
                                      ".dae", ".DAE", ".gltf", ".glb"};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strcmp(ending_of(path), known[k]) == 0) return 1;
  return 0;
}

static int leads_out(const char *path) {
  int depth = 0;
  while (*path) {
    size_t n = strcspn(path, "/\\");
    if (n == 2 && path[0] == '.' && path[1] == '.') {
      if (--depth < 0) return 1;
    } else if (n > 0 && !(n == 1 && path[0] == '.')) {
      depth++;
    }
    path += n;
    if (*path) path++;
  }
  return 0;
}

// The folder of a package, as given by --package NAME=FOLDER.
static const char *package_folder(const hn_machine *machine, const char *name, size_t length) {
  for (int k = 0; k < machine->options->package_count; k++) {
    const char *given = machine->options->packages[k];
    if (strncmp(given, name, length) == 0 && given[length] == '=') return given + length + 1;
  }
  return NULL;
}

static const char *in_package(hn_machine *machine, const char *rest, const char **why) {
  size_t n = strcspn(rest, "/");
  const char *folder = package_folder(machine, rest, n);
  if (!folder) {
    *why = hn_machine_text(machine, "the folder of package '%.*s' is not known: set @package",
                           (int)n, rest);
    return NULL;
  }
  if (leads_out(rest + n)) {
    *why = "the path leads out of its package";
    return NULL;
  }
  return hn_machine_text(machine, "%s%s", folder, rest + n);
}

// Whether it is a plain file: opening a pipe would wait for its writer.
static int exists(const char *path) {
  FILE *file = hn_not_a_plain_file(path) ? NULL : fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

// ---- from one file to another -------------------------------------------------------------------

static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

const char *hn_import_seen_from(hn_machine *machine, const char *file, const char *path) {
  size_t common = 0, folder = folder_length(file), ups = 0;
  if (hn_path_is_absolute(path) != hn_path_is_absolute(file) || strstr(file, "..")) {
    if (hn_path_is_absolute(path) || folder == 0) return path;
  }
  for (size_t k = 0; k < folder && file[k] == path[k]; k++)
    if (file[k] == '/') common = k + 1;
  if (strstr(file + common, "../")) return path;
  for (size_t k = common; k < folder; k++) ups += file[k] == '/';
  char *text = HN_MACHINE_TAKE(machine, char, 3 * ups + strlen(path + common) + 1);
  if (!text) return path;
  for (size_t k = 0; k < ups; k++) memcpy(text + 3 * k, "../", 3);
  strcpy(text + 3 * ups, path + common);
  return text;
}

// The path of a mesh that can be read, or null: then it is not drawn. Each file is tried once.
static const char *readable(hn_machine *machine, const char *path, const char **why) {
  const char *known = hn_table_find(machine->mesh_files, path);
  if (!known) {
    hn_mesh *mesh = NULL;
    hn_error error = {0};
    hn_status status = hn_mesh_read(path, 1, &machine->arena->allocator, &mesh, &error);
    hn_mesh_free(mesh);
    if (status == HN_ERROR_MEMORY) {
      machine->arena->failed = 1;
      return NULL;
    }
    known = status == HN_OK ? ""
                            : hn_machine_text(machine, "for display only, and omitted: '%s' %s",
                                              path, error.message);
    hn_table_add(machine, machine->mesh_files, path, hn_arena_copy_string(machine->arena, known));
  }
  if (!*known) return path;
  *why = known;
  return NULL;
}

const char *hn_import_path(hn_machine *machine, const hn_xml *node, const char *name,
                           const char **why) {
  const char *path = NULL;
  if (strncmp(name, "package://", 10) == 0) {
    path = in_package(machine, name + 10, why);
  } else if (strncmp(name, "model://", 8) == 0) {
    path = in_package(machine, name + 8, why);
    if (!path && !leads_out(name + 8)) path = hn_path_join(machine->arena, node->file, name + 8);
  } else if (strstr(name, "://") || hn_path_is_absolute(name) || leads_out(name)) {
    *why = "the path leads out of the folder of the file";
  } else {
    path = hn_path_join(machine->arena, node->file, name);
  }
  return path;
}

const char *hn_import_find(hn_machine *machine, const hn_xml *node, const char *name,
                           const char **why) {
  if (!name || !*name) {
    *why = "for display only; no file is named";
    return NULL;
  }
  const char *path = hn_import_path(machine, node, name, why);
  if (!path) {
    *why = hn_machine_text(machine, "for display only; %s", *why);
    return NULL;
  }
  if (!is_mesh(path)) {
    *why = hn_machine_text(
        machine, "for display only; meshes are read from STL, OBJ, DAE and glTF, not '%s'",
        ending_of(path));
    return NULL;
  }
  if (exists(path)) return readable(machine, path, why);
  *why = hn_machine_text(machine, "for display only; the file '%s' does not exist", path);
  return NULL;
}
