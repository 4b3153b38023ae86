// The sealed text and the loader that reads it, for the files that make and place sealed components.
//
// The text is a list of files: a line "kind path size", then so many bytes, and so on; the first is the
// component itself, the others what it uses. Kinds: a model, a mesh (OBJ), data.
#ifndef HN_FORMATS_SEALED_TEXT_H
#define HN_FORMATS_SEALED_TEXT_H

#include "formats/geometry.h"
#include "formats/sealed/sealed.h"

#define HN_SEALED_MODEL 'm'
#define HN_SEALED_MESH 'o'
#define HN_SEALED_DATA 'd'
#define HN_SEALED_NAME "c" // of the component in its own model

typedef struct hn_sealed_loading {
  hn_loader loader;
  hn_load_options options;
  hn_model_files files; // on the disk; none for a component that is made already
  const char *path;     // of the component's own file
  const hn_node *root;
  hn_node nothing;
  hn_scope outside, scope;
  int external_count;
  hn_entry *externals; // (external_count)
} hn_sealed_loading;

// A loader whose files are those of the sealed text; _end is needed also when it fails.
hn_status hn_sealed_loading_begin(hn_sealed_loading *loading, const hn_sealed_file *file,
                                  hn_error *error);
// ... whose files are on the disk.
hn_status hn_sealed_loading_open(hn_sealed_loading *loading, const char *path, hn_error *error);
void hn_sealed_loading_end(hn_sealed_loading *loading);
// The model of the component alone; setup->externals null: bodies of its user are at the origin.
hn_status hn_sealed_model(hn_sealed_loading *loading, const hn_component_setup *setup);

// mesh.c: includes meshes of bodies of this file, and those read already; and takes one of a sealed
// text.
hn_status hn_sealed_keep_meshes(hn_loader *loader, const hn_loaded_file *file, hn_error *error);
hn_status hn_sealed_take_mesh(hn_loader *loader, const char *path, const char *text, size_t size);
// data.c: reads data files that are named below this node of `file`.
hn_status hn_sealed_keep_data(hn_loader *loader, const char *file, const hn_node *node,
                              hn_error *error);

// 1 when the component shows this body.
int hn_sealed_is_border(const hn_sealed_loading *loading, const hn_entry *body);

hn_component_body hn_sealed_drawn(const hn_body_record *record);
hn_component_setup hn_sealed_setup(const hn_placement *placement);

#endif
