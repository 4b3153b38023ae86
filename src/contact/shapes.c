// Shapes of the model in the form contact needs.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contact/curve.h"
#include "contact/surface.h"
#include "math/elementary.h"

#define THIN 1e-3    // of the radius: thickness of a disk whose prism is used
#define CORNERS 2000 // of a convex mesh; of more the outermost count

static hn_status fail(hn_error *error, const hn_shape_def *def, const char *hint,
                      const char *what) {
  char element[64];
  hn_text(element, sizeof element, "a shape (%s)", hn_shape_type_name(def->type));
  return hn_fail(error, HN_ERROR_MODEL, &def->source, element, hint, "%s", what);
}

static hn_status hull_of(hn_arena *arena, const hn_shape_def *def, const hn_vec3 *points, int count,
                         hn_contact_shape *out, hn_error *error) {
  hn_hull *hull = NULL;
  out->kind = HN_KIND_HULL;
  hn_status status = hn_hull_make(arena, points, count, &hull);
  if (status == HN_ERROR_MODEL)
    return fail(error, def, "Give a solid shape.", "cannot collide: its corners lie in one plane");
  if (status)
    return hn_fail(error, status, NULL, NULL, "Free memory.",
                   "the contacts do not fit into memory");
  out->hull = hull;
  out->bound = 0;
  for (int k = 0; k < hull->vertex_count; k++)
    out->bound = fmax(out->bound, vec3_norm(hull->vertices[k]));
  return HN_OK;
}

static hn_status box(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                     hn_error *error) {
  hn_vec3 corners[8];
  for (int k = 0; k < 8; k++)
    corners[k] = vec3((k & 1 ? 0.5 : -0.5) * def->size.x, (k & 2 ? 0.5 : -0.5) * def->size.y,
                      (k & 4 ? 0.5 : -0.5) * def->size.z);
  return hull_of(arena, def, corners, 8, out, error);
}

static hn_status cylinder(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                          hn_error *error) {
  hn_vec3 corners[2 * HN_CONTACT_PRISM];
  const double length = fmax(def->length, THIN * def->radius); // of a disk
  for (int k = 0; k < HN_CONTACT_PRISM; k++) {
    double angle = 2 * HN_PI * k / HN_CONTACT_PRISM;
    for (int end = 0; end < 2; end++)
      corners[2 * k + end] = vec3(def->radius * hn_cos(angle), def->radius * hn_sin(angle),
                                  (end ? 0.5 : -0.5) * length);
  }
  hn_status status = hull_of(arena, def, corners, 2 * HN_CONTACT_PRISM, out, error);
  out->kind = HN_KIND_CYLINDER;
  out->radius = def->radius;
  out->half = 0.5 * def->length;
  return status;
}

// Adds the middles of neighbors on the unit sphere; returns how many points there are then.
static int add_middles(hn_vec3 *points, int count, double neighbors) {
  int next = count;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      if (vec3_norm(vec3_sub(points[i], points[j])) < neighbors)
        points[next++] = vec3_unit(vec3_add(points[i], points[j]));
  return next;
}

// An icosahedron on the unit sphere whose edges are halved: 42, 162, 642 corners.
static int fine_icosahedron(hn_vec3 *points, int halvings) {
  static const double edges[] = {1.1, 0.65, 0.34};
  const double golden = 0.5 * (1 + sqrt(5));
  int count = 12;
  for (int k = 0; k < 12; k++) {
    const double one = k & 1 ? 1 : -1, other = (k & 2 ? 1 : -1) * golden;
    points[k] = vec3_unit(k < 4   ? vec3(0, one, other)
                          : k < 8 ? vec3(one, other, 0)
                                  : vec3(other, 0, one));
  }
  for (int k = 0; k < halvings; k++) count = add_middles(points, count, edges[k]);
  return count;
}

// Its polyhedron: an icosahedron whose edges are halved twice, stretched.
static hn_status ellipsoid(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                           hn_error *error) {
  hn_vec3 points[162];
  const int count = fine_icosahedron(points, 2);
  for (int k = 0; k < count; k++)
    points[k] =
        vec3(def->size.x * points[k].x, def->size.y * points[k].y, def->size.z * points[k].z);
  hn_status status = hull_of(arena, def, points, count, out, error);
  out->kind = HN_KIND_ELLIPSOID;
  out->half_axes = def->size;
  out->bound = fmax(def->size.x, fmax(def->size.y, def->size.z));
  return status;
}

// The polygon, drawn out; it must be convex.
static hn_status extrusion(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                           hn_error *error) {
  int count = def->profile_count;
  hn_vec3 *corners = HN_TAKE(arena, hn_vec3, 2 * (size_t)count);
  if (!corners)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Free memory.",
                   "the contacts do not fit into memory");
  for (int k = 0; k < 2 * count; k++)
    corners[k] = vec3(def->profile[2 * (k / 2)], def->profile[2 * (k / 2) + 1],
                      (k % 2 ? 0.5 : -0.5) * def->length);
  hn_status status = hull_of(arena, def, corners, 2 * count, out, error);
  if (!status && out->hull->vertex_count < 2 * count)
    return fail(error, def, "Divide it into convex shapes, or use a curve of these points.",
                "cannot collide: its profile is not convex");
  return status;
}

// Of many corners those that are furthest in the directions of a finely divided icosahedron.
static int furthest_corners(const hn_mesh *m, hn_vec3 *points) {
  hn_vec3 directions[642];
  int used[642], count = 0;
  const int many = fine_icosahedron(directions, 3);
  for (int d = 0; d < many; d++) {
    int best = 0, is_new = 1;
    double most = -HUGE_VAL;
    for (int k = 0; k < m->vertex_count; k++) {
      const double far = vec3_dot(directions[d], vec3_load(&m->vertices[3 * k]));
      if (far > most) {
        most = far;
        best = k;
      }
    }
    for (int k = 0; k < count; k++) is_new &= used[k] != best;
    if (!is_new) continue;
    points[count] = vec3_load(&m->vertices[3 * best]);
    used[count++] = best;
  }
  return count;
}

static hn_status mesh(hn_arena *arena, const hn_model *model, const hn_shape_def *def,
                      hn_contact_shape *out, hn_error *error) {
  const hn_mesh *m = def->mesh;
  (void)model;
  if (def->frame.body == HN_GROUND) return hn_surface_of_mesh(arena, def, out, error);
  int count = m->vertex_count;
  hn_vec3 *points = HN_TAKE(arena, hn_vec3, count < CORNERS ? CORNERS : count);
  if (!points)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Free memory.",
                   "the contacts do not fit into memory");
  if (count > CORNERS)
    count = furthest_corners(m, points);
  else
    for (int k = 0; k < count; k++) points[k] = vec3_load(&m->vertices[3 * k]);
  return hull_of(arena, def, points, count, out, error);
}

hn_status hn_contact_shape_make(hn_arena *arena, const hn_model *model, int shape,
                                hn_contact_shape *out, hn_error *error) {
  const hn_shape_def *def = &model->shapes[shape];
  *out = (hn_contact_shape){.shape = shape,
                            .body = def->frame.body,
                            .at = def->frame.position,
                            .axes = quat_matrix(def->frame.orientation),
                            .bound = HUGE_VAL};
  switch (def->touch) {
  case HN_TOUCH_PLANE:
    out->kind = HN_KIND_PLANE;
    out->at = vec3_add_scaled(out->at, 0.5 * def->size.z, mat3_column(out->axes, 2));
    return HN_OK;
  case HN_TOUCH_CURVE: return hn_curve_of_shape(arena, def, out, error);
  case HN_TOUCH_HEIGHTS: return hn_surface_of_heights(arena, def, out, error);
  case HN_TOUCH_ELLIPSOID: return ellipsoid(arena, def, out, error);
  case HN_TOUCH_SOLID: break;
  }
  switch (def->type) {
  case HN_SHAPE_SPHERE:
    out->kind = HN_KIND_POINT;
    out->bound = out->radius = def->radius;
    return HN_OK;
  case HN_SHAPE_CAPSULE:
  case HN_SHAPE_LINK:
    out->kind = HN_KIND_SEGMENT;
    out->radius = def->radius;
    out->half = 0.5 * def->length;
    out->bound = out->radius + out->half;
    return HN_OK;
  case HN_SHAPE_CYLINDER:
  case HN_SHAPE_WHEEL: return cylinder(arena, def, out, error);
  case HN_SHAPE_BOX: return box(arena, def, out, error);
  case HN_SHAPE_EXTRUSION: return extrusion(arena, def, out, error);
  case HN_SHAPE_MESH: return mesh(arena, model, def, out, error);
  case HN_SHAPE_TYPES: break;
  }
  return fail(error, def, "Use another shape.", "cannot touch");
}
