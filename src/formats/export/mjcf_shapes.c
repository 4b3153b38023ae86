// Appearance of bodies in MJCF: geoms without contact, sites for markers.
#include <string.h>

#include "formats/export/export.h"

static int mesh_number(const hn_plan *plan, const hn_mesh *mesh) {
  for (int k = 0; k < plan->model->touching.mesh_count; k++)
    if (plan->model->touching.meshes[k] == mesh) return k;
  return -1;
}

static int is_writable(const hn_mesh *mesh) {
  return mesh && mesh->vertex_count >= 4 && mesh->triangle_count >= 4;
}

static void write_extrusion(hn_plan *plan, hn_writer *w, int s) {
  const hn_shape_def *shape = &plan->model->shapes[s];
  double *points = HN_TAKE(plan->arena, double, 6 * shape->profile_count + 1);
  if (!points) return;
  for (int k = 0; k < 2 * shape->profile_count; k++) {
    points[3 * k] = shape->profile[2 * (k / 2)];
    points[3 * k + 1] = shape->profile[2 * (k / 2) + 1];
    points[3 * k + 2] = (k % 2 - 0.5) * shape->length;
  }
  hn_writer_begin(w, "mesh");
  hn_writer_string(w, "name", hn_plan_text(plan, "extrusion%d", s + 1));
  hn_writer_numbers(w, "vertex", points, 6 * shape->profile_count);
  hn_writer_end(w, "mesh");
}

void hn_mjcf_write_meshes(hn_plan *plan, hn_writer *w) {
  const hn_model *m = plan->model;
  hn_writer_begin(w, "asset");
  for (int k = 0; k < m->touching.mesh_count; k++) {
    const hn_mesh *mesh = m->touching.meshes[k];
    if (!is_writable(mesh)) continue;
    hn_writer_begin(w, "mesh");
    hn_writer_string(w, "name", hn_plan_text(plan, "mesh%d", k + 1));
    hn_writer_string(w, "inertia", "shell");
    hn_writer_numbers(w, "vertex", mesh->vertices, 3 * mesh->vertex_count);
    hn_writer_integers(w, "face", mesh->triangles, 3 * mesh->triangle_count);
    hn_writer_end(w, "mesh");
  }
  for (int s = 0; s < m->shape_count; s++)
    if (m->shapes[s].type == HN_SHAPE_EXTRUSION) write_extrusion(plan, w, s);
  hn_writer_end(w, "asset");
}

static void write_round(hn_writer *w, const char *type, const hn_shape_def *shape) {
  const double size[2] = {shape->radius, 0.5 * shape->length};
  hn_writer_string(w, "type", type);
  hn_writer_numbers(w, "size", size, 2);
}

static void write_size(hn_plan *plan, hn_writer *w, int s) {
  const hn_shape_def *shape = &plan->model->shapes[s];
  if (shape->touch == HN_TOUCH_ELLIPSOID) {
    hn_writer_string(w, "type", "ellipsoid");
    hn_writer_vector(w, "size", shape->size);
    return;
  }
  switch (shape->type) {
  case HN_SHAPE_BOX:
    hn_writer_string(w, "type", "box");
    hn_writer_vector(w, "size", vec3_scale(0.5, shape->size));
    return;
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_WHEEL: write_round(w, "cylinder", shape); return;
  case HN_SHAPE_CAPSULE:
  case HN_SHAPE_LINK: write_round(w, "capsule", shape); return;
  case HN_SHAPE_SPHERE:
    hn_writer_string(w, "type", "sphere");
    hn_writer_number(w, "size", shape->radius);
    return;
  case HN_SHAPE_EXTRUSION:
    hn_writer_string(w, "type", "mesh");
    hn_writer_string(w, "mesh", hn_plan_text(plan, "extrusion%d", s + 1));
    return;
  case HN_SHAPE_MESH:
    hn_writer_string(w, "type", "mesh");
    hn_writer_string(w, "mesh", hn_plan_text(plan, "mesh%d", mesh_number(plan, shape->mesh) + 1));
    return;
  case HN_SHAPE_TYPES: return;
  }
}

static void write_shape(hn_plan *plan, hn_writer *w, const hn_place *place, int s) {
  const hn_shape_def *shape = &plan->model->shapes[s];
  if (shape->type == HN_SHAPE_MESH && !is_writable(shape->mesh)) {
    hn_plan_tell(plan, HN_PART_SHAPE, s, HN_IMPORT_LOST,
                 "a MuJoCo mesh needs at least four vertices");
    return;
  }
  hn_pose pose = hn_plan_frame(plan, &shape->frame), inverse = hn_pose_inverse(&place->frame);
  pose = hn_pose_multiply(&inverse, &pose);
  hn_writer_begin(w, "geom");
  write_size(plan, w, s);
  hn_writer_vector(w, "pos", pose.p);
  hn_writer_turn(w, "quat", pose.r);
  if (shape->color >= 0) {
    const double rgba[4] = {(shape->color >> 16 & 255) / 255.0, (shape->color >> 8 & 255) / 255.0,
                            (shape->color & 255) / 255.0, 1};
    hn_writer_numbers(w, "rgba", rgba, 4);
  }
  hn_writer_end(w, "geom");
  if (shape->type == HN_SHAPE_EXTRUSION)
    hn_plan_tell(plan, HN_PART_SHAPE, s, HN_IMPORT_APPROXIMATED, "replaced by its convex hull");
  else
    hn_plan_tell(plan, HN_PART_SHAPE, s, HN_IMPORT_USED, "");
}

static void write_marker(hn_plan *plan, hn_writer *w, const hn_place *place, int k) {
  const hn_marker_def *marker = &plan->model->markers.item[k];
  hn_pose pose = hn_plan_frame(plan, &marker->frame), inverse = hn_pose_inverse(&place->frame);
  pose = hn_pose_multiply(&inverse, &pose);
  hn_writer_begin(w, "site");
  hn_writer_string(w, "name", marker->name);
  hn_writer_vector(w, "pos", pose.p);
  hn_writer_turn(w, "quat", pose.r);
  hn_writer_end(w, "site");
  hn_plan_tell(plan, HN_PART_MARKER, k, HN_IMPORT_USED, "");
}

void hn_mjcf_write_looks(hn_plan *plan, hn_writer *w, const hn_place *place) {
  const hn_model *m = plan->model;
  for (int s = 0; s < m->shape_count; s++)
    if (m->shapes[s].frame.body == place->body) write_shape(plan, w, place, s);
  for (int k = 0; k < m->markers.count; k++)
    if (m->markers.item[k].frame.body == place->body) write_marker(plan, w, place, k);
}
