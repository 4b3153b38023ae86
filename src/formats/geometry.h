// Points, directions, orientations and frames, in the reference configuration, in the world.
//
// Every frame in which coordinates are written (a file's, a body's) is an hn_placement: what is
// written as x is at P S x + p in the world, P a rotation and S a mirroring along the axes.
#ifndef HN_FORMATS_GEOMETRY_H
#define HN_FORMATS_GEOMETRY_H

#include "formats/loader.h"
#include "holon/shape.h"

// A body in the reference configuration. Its axes are P of its frame, right-handed also in a
// mirrored component.
typedef struct hn_body_record {
  hn_placement frame;
  hn_vec3 center; // of mass, world
  int is_open;    // the frame is known, but the center is still being worked out from shapes
  int has_mass;   // mass and inertia come from shapes
  double mass, inertia[6];
  struct hn_shape_record *shapes; // read so far, load_shape.c
  int shape_count;
} hn_body_record;

// Three right-handed axes somewhere in the world. Of a marker in a mirrored component x and y are
// the images of what was written, z is the reverse of the image.
typedef struct hn_drawn_frame {
  hn_vec3 origin;
  hn_mat3 axes;
} hn_drawn_frame;

// ---- placements ---------------------------------------------------------------------------------

hn_placement hn_placement_none(void);
// The placement in the world of what is placed within `outer`.
hn_placement hn_placement_within(const hn_placement *outer, const hn_placement *inner);
hn_vec3 hn_placement_point(const hn_placement *placement, hn_vec3 x);    // P S x + p
hn_vec3 hn_placement_back(const hn_placement *placement, hn_vec3 world); // its inverse
hn_vec3 hn_placement_vector(const hn_placement *placement, hn_vec3 d);   // P S d
double hn_placement_parity(const hn_placement *placement); // -1: left and right are exchanged

// ---- values of keys -----------------------------------------------------------------------------

// Three numbers of the given meaning, as written.
hn_vec3 hn_vector_of(const hn_context *context, const hn_node *node, hn_meaning meaning);
// A point in the world. Lists are in `frame` (null: the file's), names are wherever they are.
hn_vec3 hn_point_of(const hn_context *context, const hn_node *node, const hn_placement *frame);
// The point of an entry under `points:`, in the world.
hn_vec3 hn_point_entry(hn_entry *entry);
// A direction of unit length in the world, mirrored like an arrow (not like an axis of rotation).
// Lists and letters are in `frame` (null: the file's).
hn_vec3 hn_direction_of(const hn_context *context, const hn_node *node, const hn_placement *frame);
// How something is turned against `frame` (null: the file's), as written there.
hn_mat3 hn_orientation_of(const hn_context *context, const hn_node *node,
                          const hn_placement *frame);

// ---- bodies and frames --------------------------------------------------------------------------

// The frame in which the body's own entries are written. Null on failure.
const hn_body_record *hn_body_written(hn_entry *body);
// The body an entry represents: itself, or that of the component's user.
hn_entry *hn_body_real(hn_entry *body);
// The body of this name, usable from here; null on failure.
hn_entry *hn_body_need(const hn_context *context, const char *name, const hn_node *node);
// The marker BODY.MARKER of this name; null on failure.
hn_entry *hn_marker_need(const hn_context *context, const char *name, const hn_node *node);
const hn_drawn_frame *hn_marker_of(hn_entry *marker); // null on failure
hn_entry *hn_marker_body(hn_entry *marker);           // the body it is on
// Whether the scope of the context may use a body (or its markers): border. Reports when not.
int hn_border_allows(const hn_context *context, const hn_entry *body, const hn_node *node);

// ---- shapes -------------------------------------------------------------------------------------

// Whether mass, center and inertia of the body come from its shapes.
int hn_shapes_have_mass(const hn_entry *body);
// Reads `shape:` or `shapes:` of a body into its record. 0 on failure.
int hn_shapes_read(hn_entry *body, hn_body_record *record);
// Sums up mass, center and inertia of shapes that were read.
void hn_shapes_weigh(hn_entry *body, hn_body_record *record);
// Adds them to the model, on a body that is there already.
void hn_shapes_add(hn_entry *body, const hn_body_record *record);

// z along axis, x along the part of reference perpendicular to it (null: any perpendicular).
hn_drawn_frame hn_drawn_frame_make(const hn_context *context, const hn_node *node, hn_vec3 origin,
                                   hn_vec3 axis, const hn_vec3 *reference);
// The frame fixed on a body that is at `frame` in the reference configuration.
hn_frame_on_body hn_frame_on(hn_entry *body, const hn_drawn_frame *frame);

#endif
