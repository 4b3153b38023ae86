// The files of a model, each read once. See model_files.h.
#include "formats/model_files.h"

#include <string.h>

#include "base/error.h"
#include "formats/import/import.h"
#include "formats/mesh.h"
#include "formats/text_file.h"

typedef enum kept_as { KEPT_TEXT, KEPT_TREE, KEPT_MESH } kept_as;

struct hn_kept_file {
  kept_as as;
  const char *path;
  hn_arena arena; // of all of it, but the mesh
  const char *text;
  size_t size;
  const hn_node *root;
  double scale;
  int is_mirrored;
  hn_mesh *mesh;
  hn_kept_file *next;
};

static const hn_load_options default_options = {.size = sizeof(hn_load_options)};

void hn_model_files_init(hn_model_files *files, const hn_load_options *options) {
  *files = (hn_model_files){.options = options ? options : &default_options};
  hn_arena_init(&files->arena, files->options->allocator);
  atomic_init(&files->files, NULL);
}

static void drop(hn_kept_file *file) {
  hn_arena arena = file->arena; // which the file is in
  hn_mesh_free(file->mesh);
  hn_arena_release(&arena);
}

void hn_model_files_release(hn_model_files *files) {
  for (hn_kept_file *f = atomic_load(&files->files), *next; f; f = next) {
    next = f->next;
    drop(f);
  }
  hn_arena_release(&files->arena);
}

// ---- the list -----------------------------------------------------------------------------------

static int is_same(const hn_kept_file *a, const hn_kept_file *b) {
  return a->as == b->as && !(a->scale < b->scale) && !(a->scale > b->scale) &&
         a->is_mirrored == b->is_mirrored && strcmp(a->path, b->path) == 0;
}

static hn_kept_file *find(const hn_model_files *files, const hn_kept_file *wanted) {
  hn_kept_file *f = atomic_load(&files->files);
  while (f && !is_same(f, wanted)) f = f->next;
  return f;
}

// A copy of `wanted` with an arena of its own, to be filled; null: out of memory.
static hn_kept_file *make(const hn_model_files *files, const hn_kept_file *wanted) {
  hn_arena arena;
  hn_arena_init(&arena, files->options->allocator);
  hn_kept_file *file = hn_arena_copy(&arena, wanted, 1, sizeof *wanted);
  const char *path = hn_arena_copy_string(&arena, wanted->path);
  if (!file || !path) {
    hn_arena_release(&arena);
    return NULL;
  }
  file->path = path;
  file->arena = arena;
  return file;
}

// Another thread may have read the same file meanwhile: all get the one that came first.
static hn_kept_file *publish(hn_model_files *files, hn_kept_file *file) {
  file->next = atomic_load(&files->files);
  do {
    hn_kept_file *first = find(files, file);
    if (first) {
      drop(file);
      return first;
    }
  } while (!atomic_compare_exchange_weak(&files->files, &file->next, file));
  return file;
}

// ---- reading ------------------------------------------------------------------------------------

static hn_status read_text(hn_kept_file *file, const hn_source *used_at, hn_error *error) {
  char *text;
  hn_status status =
      hn_text_file_read(&file->arena, file->path, used_at, &text, &file->size, error);
  file->text = text;
  return status;
}

static hn_status read_tree(hn_kept_file *file, const hn_source *used_at, hn_error *error) {
  hn_node *root = NULL;
  hn_status status = read_text(file, used_at, error);
  if (!status)
    status = hn_tree_parse(&file->arena, file->text, file->size, file->path, &root, error);
  file->root = root;
  return status;
}

// The file `wanted`, read if it is new.
static hn_status need(hn_model_files *files, const hn_kept_file *wanted, const hn_source *used_at,
                      const hn_kept_file **found, hn_error *error) {
  hn_kept_file *file = find(files, wanted);
  if (!file) {
    file = make(files, wanted);
    if (!file)
      return hn_fail(error, HN_ERROR_MEMORY, used_at, NULL, "Close other programs.",
                     "'%.200s' does not fit into memory", wanted->path);
    hn_status status =
        wanted->as == KEPT_TEXT ? read_text(file, used_at, error) : read_tree(file, used_at, error);
    if (status) {
      drop(file);
      return status;
    }
    file = publish(files, file);
  }
  *found = file;
  return HN_OK;
}

hn_status hn_model_files_text(hn_model_files *files, const char *path, const hn_source *used_at,
                              const char **text, size_t *size, hn_error *error) {
  const hn_kept_file wanted = {.as = KEPT_TEXT, .path = path}, *found;
  hn_status status = need(files, &wanted, used_at, &found, error);
  if (!status) {
    *text = found->text;
    *size = found->size;
  }
  return status;
}

hn_status hn_model_files_add_text(hn_model_files *files, const char *path, const char *text,
                                  size_t size, hn_error *error) {
  const hn_kept_file key = {.as = KEPT_TEXT, .path = path, .text = text, .size = size};
  hn_kept_file *file = make(files, &key);
  if (!file)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "'%.200s' does not fit into memory", path);
  publish(files, file);
  return HN_OK;
}

int hn_model_files_has_text(const hn_model_files *files, const char *path) {
  const hn_kept_file key = {.as = KEPT_TEXT, .path = path};
  return find(files, &key) != NULL;
}

hn_status hn_model_files_tree(hn_model_files *files, const char *path, const hn_source *used_at,
                              const hn_node **root, hn_error *error) {
  const hn_kept_file wanted = {.as = KEPT_TREE, .path = path}, *found;
  hn_status status = need(files, &wanted, used_at, &found, error);
  if (!status) *root = found->root;
  return status;
}

// ---- meshes -------------------------------------------------------------------------------------

// A copy with z reversed, and the corners of triangles with it.
static hn_status mirrored_copy(const hn_model_files *files, const hn_mesh *mesh, hn_mesh **copy,
                               hn_error *error) {
  double *vertices;
  int *triangles;
  *copy = hn_mesh_new(files->options->allocator, mesh->name, mesh->vertex_count,
                      mesh->triangle_count, &vertices, &triangles);
  if (!*copy)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "does not fit into memory");
  memcpy(vertices, mesh->vertices, 3 * (size_t)mesh->vertex_count * sizeof *vertices);
  for (int k = 0; k < mesh->vertex_count; k++) vertices[3 * k + 2] = -vertices[3 * k + 2];
  for (int k = 0; k < mesh->triangle_count; k++) {
    triangles[3 * k] = mesh->triangles[3 * k];
    triangles[3 * k + 1] = mesh->triangles[3 * k + 2];
    triangles[3 * k + 2] = mesh->triangles[3 * k + 1];
  }
  return HN_OK;
}

static hn_status read_mesh(hn_model_files *files, const hn_mesh_wanted *wanted, hn_mesh **mesh,
                           hn_error *error) {
  const hn_allocator *allocator = files->options->allocator;
  const hn_kept_mesh *text = wanted->text;
  if (wanted->is_mirrored) {
    hn_mesh_wanted plain = *wanted;
    const hn_mesh *found;
    plain.is_mirrored = 0;
    hn_status status = hn_model_files_mesh(files, &plain, &found, error);
    return status ? status : mirrored_copy(files, found, mesh, error);
  }
  if (!text) return hn_mesh_read(wanted->path, wanted->scale, allocator, mesh, error);
  return hn_mesh_parse((const unsigned char *)text->text, text->size, "mesh.obj", wanted->scale,
                       allocator, mesh, error);
}

hn_status hn_model_files_mesh(hn_model_files *files, const hn_mesh_wanted *wanted,
                              const hn_mesh **mesh, hn_error *error) {
  const hn_kept_file key = {.as = KEPT_MESH,
                            .path = wanted->path,
                            .scale = wanted->scale,
                            .is_mirrored = wanted->is_mirrored};
  hn_kept_file *file = find(files, &key);
  *mesh = NULL;
  if (!file) {
    file = make(files, &key);
    if (!file)
      return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                     "does not fit into memory");
    hn_status status = read_mesh(files, wanted, &file->mesh, error);
    if (status) {
      drop(file);
      return status;
    }
    file = publish(files, file);
  }
  *mesh = file->mesh;
  return HN_OK;
}

double hn_model_files_size(const hn_model_files *files) {
  double size = (double)files->size;
  for (const hn_kept_file *f = atomic_load(&files->files); f; f = f->next) size += (double)f->size;
  return size;
}

const char *hn_model_files_mesh_path(const hn_model_files *files, int index) {
  for (const hn_kept_file *f = atomic_load(&files->files); f; f = f->next)
    if (f->as == KEPT_MESH && index-- == 0) return f->path;
  return NULL;
}

int hn_model_files_file(const hn_model_files *files, int index, hn_model_file *file) {
  for (const hn_kept_file *f = atomic_load(&files->files); f; f = f->next) {
    if (index-- > 0) continue;
    *file = (hn_model_file){f->path, f->root, f->as == KEPT_MESH ? NULL : f->text, f->size};
    return 1;
  }
  return 0;
}

const char *hn_model_files_path(const hn_model_files *files, int index, const char **text,
                                size_t *size) {
  hn_model_file file;
  if (!hn_model_files_file(files, index, &file)) return NULL;
  *text = file.text;
  *size = file.size;
  return file.path;
}

// ---- the model file -----------------------------------------------------------------------------

// Triangles that are no file: shapes find them by their paths.
static hn_status keep_meshes(hn_model_files *files, const hn_machine_mesh *mesh, hn_error *error) {
  for (; mesh; mesh = mesh->next) {
    hn_kept_mesh *kept = HN_TAKE(&files->arena, hn_kept_mesh, 1);
    if (!kept)
      return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                     "the meshes of '%.200s' do not fit into memory", files->path);
    *kept = (hn_kept_mesh){mesh->path, mesh->text, strlen(mesh->text), files->meshes};
    files->meshes = kept;
  }
  return HN_OK;
}

// The tree of a model file, or of a model in another format; overlays laid over it.
static hn_status read_model(hn_model_files *files, const char *text, size_t size, hn_error *error) {
  const hn_load_options *options = files->options;
  hn_status status = HN_OK;
  char *read = NULL;
  if (!text) status = hn_text_file_read(&files->arena, files->path, NULL, &read, &size, error);
  if (status) return status;
  if (!text) text = read;
  files->size = size;
  if (hn_import_knows(files->path)) {
    hn_import_options import = hn_default_import_options();
    hn_machine machine;
    import.packages = options->packages;
    import.package_count = options->package_count;
    import.keyframe = options->keyframe;
    status = hn_import_tree(&files->arena, text, size, files->path, &import, &machine, &files->root,
                            error);
    if (!status) status = keep_meshes(files, machine.meshes, error);
    if (!status) files->note = hn_machine_silent_text(&machine);
    if (!status && machine.unused_keyframe)
      files->keyframe_note = hn_machine_text(
          &machine, "'%.60s' of the file is not used: the load option `keyframe` starts there",
          machine.unused_keyframe);
  } else {
    status = hn_tree_parse(&files->arena, text, size, files->path, &files->root, error);
  }
  for (int k = 0; !status && k < options->overlay_count; k++)
    status = hn_overlay_apply(&files->arena, files->root, options->overlays[k], error);
  return status;
}

hn_status hn_model_files_read(const char *path, const char *text, size_t size,
                              const hn_load_options *options, hn_model_files **result,
                              hn_error *error) {
  *result = NULL;
  hn_model_files *files = hn_allocate(options ? options->allocator : NULL, sizeof *files);
  if (!files)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "'%.200s' does not fit into memory", path);
  hn_model_files_init(files, options);
  files->path = hn_arena_copy_string(&files->arena, path);
  hn_status status = files->path ? read_model(files, text, size, error)
                                 : hn_fail(error, HN_ERROR_MEMORY, NULL, NULL,
                                           "Close other programs.", "out of memory for a path");
  if (status)
    hn_model_files_free(files);
  else
    *result = files;
  return status;
}

void hn_model_files_free(hn_model_files *files) {
  if (!files) return;
  const hn_allocator *allocator = files->options->allocator;
  hn_model_files_release(files);
  hn_release(allocator, files);
}
