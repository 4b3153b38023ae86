// Holon: models from URDF, SDF, MJCF and STEP files, with a report of the import status of every
// tag.
//
//   hn_import *import = NULL;
//   hn_import_file("robot.urdf", NULL, &import, &error);
//   const char *text = hn_import_yaml(import);          // the model as a file
//   hn_import_count(import, HN_IMPORT_LOST);            // what was not understood
//   hn_import_free(import);
//
// hn_model_load reads the same files directly.
#ifndef HOLON_IMPORT_H
#define HOLON_IMPORT_H

#include "holon/load.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_import hn_import;

// Import status of tags and attributes. Each of the file has exactly one of the four.
typedef enum hn_import_fate {
  HN_IMPORT_USED,
  HN_IMPORT_HARMLESS,     // without effect on the motion
  HN_IMPORT_APPROXIMATED, // and how
  HN_IMPORT_LOST,
  HN_IMPORT_FATES
} hn_import_fate;

typedef struct hn_import_item {
  const char *file;
  int line, column;
  const char *what; // "joint 'knee' <limit> effort = 30"
  const char *kind; // "joint/limit@effort": the same for all of a kind
  const char *why;  // empty for what is used
  int is_inside;    // part of a lost element, which is an item of its own
} hn_import_item;

typedef struct hn_import_facts {
  const char *format; // "urdf", "sdf", "mjcf", "step"
  const char *name;   // of the model
  int bodies, joints; // as the file has them, without the world
  double mass;        // of all bodies
  int tags;           // elements and attributes of the file, and of those it includes
} hn_import_facts;

typedef struct hn_import_options {
  size_t size; // of this struct; 0: the first version
  const hn_allocator *allocator;
  const char *const *packages; // "NAME=FOLDER": where package://NAME/ is
  int package_count;
  const char
      *output;     // path of the model to be written, for relative paths of meshes; null: next to
                   // the imported file
  int merge_fixed; // 1: links on fixed joints become part of the link that carries them
  const char *const *overlays; // model files that change the result (hn_load_options)
  int overlay_count;
  const char *keyframe; // of MJCF: start there; null: reference configuration
  double density;       // of STEP: of all parts, kg/m^3; 0: 7850. Parameter `density` of the model
  int depth; // of STEP: assemblies so many levels below the top are one body; 0: every part is one
} hn_import_options;
HN_API hn_import_options hn_default_import_options(void);

// On failure *import is null and *error has file, line and column. options may be null.
HN_API hn_status hn_import_file(const char *path, const hn_import_options *options,
                                hn_import **import, hn_error *error);
// The same from text; `name` represents the file in messages, and files next to it are found from
// there.
HN_API hn_status hn_import_text(const char *text, size_t size, const char *name,
                                const hn_import_options *options, hn_import **import,
                                hn_error *error);
HN_API void hn_import_free(hn_import *import); // null is fine

HN_API hn_import_facts hn_import_facts_of(const hn_import *import);
HN_API int hn_import_count(const hn_import *import, hn_import_fate fate);
// index from 0, in the order of the file; a zeroed one past the end.
HN_API hn_import_item hn_import_item_at(const hn_import *import, hn_import_fate fate, int index);
// The model as YAML with comments, and as JSON; both live as long as the import.
HN_API const char *hn_import_yaml(const hn_import *import);
HN_API const char *hn_import_json(const hn_import *import);
// Whether the name of a file is one that is imported: .urdf, .sdf, .world, .mjcf, .xml, .stp, .step.
HN_API int hn_import_knows(const char *path);

// Meshes that belong to the model and are not files yet (STEP): to be written to `path` before a model
// file that names them is used; models loaded directly need no files. A zeroed one past the end.
typedef struct hn_import_mesh {
  const char *path, *text; // OBJ
} hn_import_mesh;
HN_API hn_import_mesh hn_import_mesh_at(const hn_import *import, int index);

// Joints that geometry suggests (STEP): shafts in holes, faces in contact, balls in sockets. They
// are not part of the model. A zeroed one past the end.
typedef struct hn_import_proposal {
  const char *name, *type, *bodies[2];
  const char *why; // "hole of radius 5.5 mm in 'bracket', cylinder of radius 5 mm of 'rod'"
} hn_import_proposal;
HN_API hn_import_proposal hn_import_proposal_at(const hn_import *import, int index);
// All proposals as an overlay, to be chosen from; "" without any. Lives as long as the import.
HN_API const char *hn_import_proposals(const hn_import *import);

#ifdef __cplusplus
}
#endif

#endif
