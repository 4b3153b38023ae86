// Solids of URDF (as attributes) and SDF (as elements).
#include "formats/export/solids.h"

hn_pose hn_plan_seen_from(const hn_pose *from, const hn_pose *pose) {
  hn_pose back = hn_pose_inverse(from);
  return hn_pose_multiply(&back, pose);
}

int hn_write_has_solid(hn_plan *plan, const hn_place *place, int s, hn_pose *pose) {
  const hn_shape_def *shape = &plan->model->shapes[s];
  if (shape->type == HN_SHAPE_MESH || shape->type == HN_SHAPE_EXTRUSION) {
    hn_plan_tell(plan, HN_PART_SHAPE, s, HN_IMPORT_LOST,
                 "triangles need a separate mesh file, which is not written");
    return 0;
  }
  *pose = hn_plan_frame(plan, &shape->frame);
  *pose = hn_plan_seen_from(&place->frame, pose);
  return 1;
}

static void write_size(hn_writer *w, const char *name, double value, int in_elements) {
  if (in_elements)
    hn_writer_value(w, name, value);
  else
    hn_writer_number(w, name, value);
}

int hn_write_geometry(hn_writer *w, const hn_shape_def *shape, int in_elements) {
  int is_capsule = shape->type == HN_SHAPE_CAPSULE || shape->type == HN_SHAPE_LINK;
  const char *tag = shape->type == HN_SHAPE_BOX      ? "box"
                    : shape->type == HN_SHAPE_SPHERE ? "sphere"
                    : is_capsule && in_elements      ? "capsule"
                                                     : "cylinder";
  hn_writer_begin(w, "geometry");
  hn_writer_begin(w, tag);
  if (shape->type != HN_SHAPE_BOX) write_size(w, "radius", shape->radius, in_elements);
  if (shape->type == HN_SHAPE_BOX && in_elements)
    hn_writer_three(w, "size", shape->size);
  else if (shape->type == HN_SHAPE_BOX)
    hn_writer_vector(w, "size", shape->size);
  else if (shape->type != HN_SHAPE_SPHERE)
    write_size(w, "length", shape->length, in_elements);
  hn_writer_end(w, tag);
  hn_writer_end(w, "geometry");
  return is_capsule && !in_elements;
}
