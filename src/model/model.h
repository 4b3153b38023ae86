// The model inside: what hn_model_add_* stored. Written until finished, then only read.
#ifndef HN_MODEL_MODEL_H
#define HN_MODEL_MODEL_H

#include "base/arena.h"
#include "holon/model.h"
#include "holon/shape.h"

// Definitions are kept as given, with names, arrays and sources copied into the arena. Orientations
// are normalized. bodies[0] is ground; the other arrays count from 0.
struct hn_model {
  hn_arena arena;
  hn_error error;
  int finished;
  const char *name;
  const char *title; // null: none
  hn_vec3 gravity;

  int body_count; // with ground: bodies[0 .. body_count - 1]
  int joint_count, driver_count, force_count, road_count, marker_count, component_count,
      output_count, warning_count;
  hn_body_def *bodies;
  hn_joint_def *joints;
  hn_driver_def *drivers;
  hn_force_def *forces;
  hn_road_def *roads;
  hn_law **road_laws; // polyline (linear table), table (spline); null for the others (road_count)
  hn_marker_def *markers;
  hn_component_def *components; // [0] is the model itself
  hn_output_def *outputs;
  hn_warning *warnings;
  int shape_count, mesh_count;
  hn_shape_def *shapes;
  const hn_mesh **meshes; // of the shapes, each once
  hn_simulation_defaults defaults;

  // private to model.c: room in the arrays above, the table of names, every law to be freed
  struct hn_model_storage *storage;
};

// A name belongs to a kind; the same word may name a body and a joint, because every reference and
// every signal says which kind it means.
#define HN_NAME_KIND_LIST(X)                                                                       \
  X(HN_NAME_BODY, "body")                                                                          \
  X(HN_NAME_MARKER, "marker")                                                                      \
  X(HN_NAME_JOINT, "joint")                                                                        \
  X(HN_NAME_DRIVER, "driver")                                                                      \
  X(HN_NAME_ROAD, "road")                                                                          \
  X(HN_NAME_FORCE, "force")                                                                        \
  X(HN_NAME_COMPONENT, "component")                                                                \
  X(HN_NAME_OUTPUT, "output")                                                                      \
  X(HN_NAME_FILE, "file")

typedef enum hn_name_kind {
#define HN_NAME_KIND_ENUM(code, word) code,
  HN_NAME_KIND_LIST(HN_NAME_KIND_ENUM)
#undef HN_NAME_KIND_ENUM
      HN_NAME_KINDS
} hn_name_kind;
const char *hn_name_kind_word(hn_name_kind kind);
// The id of the element of this kind whose name is the first `length` characters of text, or -1.
int hn_model_find(const hn_model *model, hn_name_kind kind, const char *text, size_t length);

#endif
