// The files of a model, each read once: the model file as a tree with its overlays, and whatever it
// names (components, tables, roads, tyres, meshes) when a build first asks for it. A sweep builds
// one model per case from them.
//
// Builds of several threads may share them: files are added to a list without locks and never
// change.
#ifndef HN_FORMATS_MODEL_FILES_H
#define HN_FORMATS_MODEL_FILES_H

#include <stdatomic.h>

#include "base/arena.h"
#include "formats/tree.h"
#include "holon/load.h"
#include "holon/shape.h"

typedef struct hn_kept_file hn_kept_file;

// A mesh of a sealed component or of an imported file, as text of an OBJ file.
typedef struct hn_kept_mesh hn_kept_mesh;
struct hn_kept_mesh {
  const char *path;
  const char *text;
  size_t size;
  hn_kept_mesh *next;
};

struct hn_model_files {
  hn_arena arena;                 // of the model file
  const hn_load_options *options; // of the caller, or the default ones
  const char *path;               // of the model file
  size_t size;                    // of its text
  hn_node *root;
  hn_kept_mesh *meshes;          // of an imported file
  const char *note;              // about an imported file; null: none
  const char *keyframe_note;     // the same about its start
  _Atomic(hn_kept_file *) files; // the others, newest first
};

// Empty, for files that are added by the functions below; released also when nothing was added.
void hn_model_files_init(hn_model_files *files, const hn_load_options *options);
void hn_model_files_release(hn_model_files *files);

// The bytes of a file, terminated, or its tree. used_at (may be null) is where it was named.
hn_status hn_model_files_text(hn_model_files *files, const char *path, const hn_source *used_at,
                              const char **text, size_t *size, hn_error *error);
hn_status hn_model_files_tree(hn_model_files *files, const char *path, const hn_source *used_at,
                              const hn_node **root, hn_error *error);
// The bytes of a file that is not on the disk (part of a sealed component); they must stay.
hn_status hn_model_files_add_text(hn_model_files *files, const char *path, const char *text,
                                  size_t size, hn_error *error);
int hn_model_files_has_text(const hn_model_files *files, const char *path);
// A mesh; is_mirrored: z reversed. Not null: `text` is used instead of the file.
typedef struct hn_mesh_wanted {
  const char *path;
  double scale;
  int is_mirrored;
  const hn_kept_mesh *text;
} hn_mesh_wanted;
hn_status hn_model_files_mesh(hn_model_files *files, const hn_mesh_wanted *wanted,
                              const hn_mesh **mesh, hn_error *error);
// A file that builds have read, in the order of hn_model_files_path. root: of trees; text: of other
// texts; both null: a mesh on the disk.
typedef struct hn_model_file {
  const char *path;
  const hn_node *root;
  const char *text;
  size_t size;
} hn_model_file;
int hn_model_files_file(const hn_model_files *files, int index, hn_model_file *file);
// Bytes of all files but meshes.
double hn_model_files_size(const hn_model_files *files);
// The path of a mesh that was read; null past the last.
const char *hn_model_files_mesh_path(const hn_model_files *files, int index);

#endif
