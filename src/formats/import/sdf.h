// Common declarations of the SDF reader.
#ifndef HN_FORMATS_IMPORT_SDF_H
#define HN_FORMATS_IMPORT_SDF_H

#include "formats/import/machine.h"

// Links, frames, joints and models are all frames that others may be placed in.
typedef enum hn_sdf_state { HN_SDF_NEW, HN_SDF_BUSY, HN_SDF_DONE } hn_sdf_state;

typedef struct hn_sdf_scope hn_sdf_scope;
typedef struct hn_sdf_frame hn_sdf_frame;
struct hn_sdf_frame {
  const char *name;
  hn_xml *node;
  hn_sdf_scope *scope;  // in which its names are looked up
  hn_sdf_scope *inside; // of a model: its own
  const char *usual;    // the frame its pose is in where it does not say; null: the model's
  const char *attached; // of a frame: what it is fixed to; null: the model
  hn_link *link;        // of a link
  hn_sdf_state state;
  hn_pose pose; // in its model, when done
};

// A model, or the world.
struct hn_sdf_scope {
  hn_sdf_scope *parent;
  const char *prefix; // of names in it: "tool::"
  hn_xml *node;
  hn_name_table *frames;
  hn_sdf_frame *self; // null for the world
  int is_static;
};

typedef struct hn_sdf {
  hn_machine *machine;
  double version;
  int depth; // of frames that lead to frames
} hn_sdf;

// The text of a child, used from now on; null if missing.
const char *hn_sdf_text(hn_xml *node, const char *child);
double hn_sdf_number(hn_sdf *r, hn_xml *node, const char *child, double other);
hn_vec3 hn_sdf_vector(hn_sdf *r, hn_xml *node, const char *child, hn_vec3 other);
int hn_sdf_is(hn_xml *node, const char *child, int other); // true, 1
// <pose> of an element unmodified, and the frame it names (null: none).
hn_pose hn_sdf_pose(hn_sdf *r, hn_xml *node, const char **relative_to);

// sdf_frame.c
hn_sdf_frame *hn_sdf_add_frame(hn_sdf *r, hn_sdf_scope *scope, const char *name, hn_xml *node);
// A frame by its name as seen from a scope ("a::b" goes into models); null and a failure.
hn_sdf_frame *hn_sdf_find(hn_sdf *r, hn_sdf_scope *scope, const char *name, const hn_xml *node);
// Where a frame is, global.
hn_pose hn_sdf_where(hn_sdf *r, hn_sdf_frame *frame);
// Where a name is, as seen from a scope; null: the scope's own model.
hn_pose hn_sdf_place(hn_sdf *r, hn_sdf_scope *scope, const char *name, const hn_xml *node);
// The link a frame is fixed to; the ground for the world. Null on failure.
hn_link *hn_sdf_link_of(hn_sdf *r, hn_sdf_scope *scope, const char *name, const hn_xml *node);

void hn_sdf_expand(hn_sdf *r); // sdf_include.c: included models instead of their includes
void hn_sdf_link(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame);  // sdf_link.c
void hn_sdf_joint(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame); // sdf_joint.c
// When all joints are there: gearboxes, and coordinates that follow others.
void hn_sdf_gearbox(hn_sdf *r, hn_sdf_scope *scope, hn_xml *node, const char *name);

#endif
