// A plane (z <= 0 of its shape is solid) with everything: corners, ends and rims against it.
#include <math.h>

#include "contact/geometry.h"
#include "math/elementary.h"

static int one_mode(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? 1 : 0;
}
static int first_mode(const hn_placed *first, const hn_placed *second) {
  return first && second ? 0 : HN_CONTACT_APART;
}

// A point with a radius that stands above the plane.
static void add_point(hn_meeting *m, hn_vec3 c, double radius, int feature) {
  hn_vec3 n = mat3_column(m->first.axes, 2);
  double height = vec3_dot(n, vec3_sub(c, m->first.at));
  hn_form plane = form_plane(vec3_add_scaled(c, -height, n)), point = form_point(c, radius);
  hn_meeting_add(m, &plane, &point, n, feature, 1);
}

static void plane_point(hn_meeting *m, int mode) {
  (void)mode;
  add_point(m, m->second.at, m->second.shape->radius, 0);
}
const hn_meeting_type hn_plane_point = {one_mode, first_mode, plane_point, 0};

static void plane_segment(hn_meeting *m, int mode) {
  (void)mode;
  const hn_contact_shape *s = m->second.shape;
  for (int k = 0; k < 2; k++)
    add_point(m, placed_point(&m->second, vec3(0, 0, k ? s->half : -s->half)), s->radius, k);
}
const hn_meeting_type hn_plane_segment = {one_mode, first_mode, plane_segment, 0};

// ---- polyhedra ----------------------------------------------------------------------------------

// Up to eight corners all count. Of more, those of the face that looks most against the plane among the
// faces at the lowest corner; a face with more than eight corners lends its lowest and seven others.
static int most_corners(const hn_hull *h) {
  int most = 1;
  for (int f = 0; f < h->face_count; f++)
    if (h->start[f + 1] - h->start[f] > most) most = h->start[f + 1] - h->start[f];
  return most;
}

static int hull_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  (void)first;
  const hn_hull *h = second->hull;
  return h->vertex_count <= HN_CONTACT_POINTS ? 1 : h->face_count * most_corners(h);
}

static int lowest_corner(const hn_hull *h, hn_vec3 n) {
  int best = 0;
  double least = HUGE_VAL;
  for (int k = 0; k < h->vertex_count; k++) {
    double height = vec3_dot(n, h->vertices[k]);
    if (height < least) {
      least = height;
      best = k;
    }
  }
  return best;
}

static int hull_mode(const hn_placed *first, const hn_placed *second) {
  const hn_hull *h = second->shape->hull;
  if (h->vertex_count <= HN_CONTACT_POINTS) return 0;
  hn_vec3 n = mat3_apply_transposed(second->axes, mat3_column(first->axes, 2));
  int low = lowest_corner(h, n), face = 0, place = 0;
  double least = HUGE_VAL;
  for (int f = 0; f < h->face_count; f++) {
    double facing = vec3_dot(n, h->normals[f]);
    for (int k = h->start[f]; facing < least && k < h->start[f + 1]; k++)
      if (h->corners[k] == low) {
        least = facing;
        face = f;
        place = k - h->start[f];
      }
  }
  if (h->start[face + 1] - h->start[face] <= HN_CONTACT_POINTS) place = 0;
  return face * most_corners(h) + place;
}

static void plane_hull(hn_meeting *m, int mode) {
  const hn_hull *h = m->second.shape->hull;
  if (h->vertex_count <= HN_CONTACT_POINTS) {
    for (int k = 0; k < h->vertex_count; k++)
      add_point(m, placed_point(&m->second, h->vertices[k]), 0, k);
    return;
  }
  int most = most_corners(h), face = mode / most, place = mode % most;
  int count = h->start[face + 1] - h->start[face];
  int taken = count < HN_CONTACT_POINTS ? count : HN_CONTACT_POINTS;
  for (int k = 0; k < taken; k++) {
    int at = (place + k * count / taken) % count, corner = h->corners[h->start[face] + at];
    add_point(m, placed_point(&m->second, h->vertices[corner]), 0, corner);
  }
}
const hn_meeting_type hn_plane_hull = {hull_modes, hull_mode, plane_hull, 0};

// ---- cylinders ----------------------------------------------------------------------------------

// The lowest points of both rims (mode 0); when the cylinder stands, eight points of the rim below (mode
// 1: the end at -z, mode 2: the one at +z).
#define STANDS 1e-5 // sine of the angle between axis and normal

static int cylinder_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? 3 : 0;
}

static int cylinder_mode(const hn_placed *first, const hn_placed *second) {
  hn_vec3 n = mat3_column(first->axes, 2), axis = mat3_column(second->axes, 2);
  if (vec3_norm(vec3_cross(n, axis)) > STANDS) return 0;
  return vec3_dot(n, axis) > 0 ? 1 : 2;
}

static void add_rim(hn_meeting *m, double z, int feature) {
  const hn_contact_shape *s = m->second.shape;
  hn_vec3 n = mat3_column(m->first.axes, 2), axis = mat3_column(m->second.axes, 2);
  hn_vec3 across = vec3_sub(vec3_scale(vec3_dot(n, axis), axis), n); // down, within the end
  double sine = vec3_norm(across);
  hn_vec3 out = sine > 0 ? vec3_scale(1 / sine, across) : mat3_column(m->second.axes, 0);
  hn_vec3 c = vec3_add_scaled(placed_point(&m->second, vec3(0, 0, z)), s->radius, out);
  double height = vec3_dot(n, vec3_sub(c, m->first.at));
  hn_form plane = form_plane(vec3_add_scaled(c, -height, n));
  // Along the rim the outward normal, -n, turns by its part along `out` over the radius.
  hn_form rim = {c, vec3_cross(axis, out), {sine / s->radius, 1}, {1, 0}, 0};
  hn_meeting_add(m, &plane, &rim, n, feature, 1);
}

static void plane_cylinder(hn_meeting *m, int mode) {
  const hn_contact_shape *s = m->second.shape;
  if (mode == 0) {
    add_rim(m, -s->half, 0);
    if (s->half > 0) add_rim(m, s->half, 1);
    return;
  }
  for (int k = 0; k < HN_CONTACT_POINTS; k++) {
    double angle = 2 * HN_PI * k / HN_CONTACT_POINTS;
    hn_vec3 x =
        vec3(s->radius * hn_cos(angle), s->radius * hn_sin(angle), mode == 1 ? -s->half : s->half);
    add_point(m, placed_point(&m->second, x), 0, 2 + k + (mode == 1 ? 0 : HN_CONTACT_POINTS));
  }
}
const hn_meeting_type hn_plane_cylinder = {cylinder_modes, cylinder_mode, plane_cylinder, 0};
