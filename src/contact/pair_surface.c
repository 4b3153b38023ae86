// A height field or a mesh on ground with a ball, the ends of a capsule, the corners of a polyhedron.
#include <math.h>

#include "contact/surface.h"

static int one_mode(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? 1 : 0;
}
static int first_mode(const hn_placed *first, const hn_placed *second) {
  return first && second ? 0 : HN_CONTACT_APART;
}

void hn_meeting_add_foot(hn_meeting *m, const hn_surface_foot *foot, const hn_form *other,
                         int feature) {
  const hn_placed *f = &m->first;
  hn_form of_surface = {.c = placed_point(f, foot->at), .e = placed_vector(f, foot->e)};
  for (int k = 0; k < 2; k++) {
    of_surface.a[k] = foot->is_corner[k] ? 1 : foot->curvature[k];
    of_surface.b[k] = foot->is_corner[k] ? 0 : 1;
  }
  hn_meeting_add(m, &of_surface, other, placed_vector(f, foot->normal), feature, foot->is_inside);
}

static void add_foot(hn_meeting *m, const hn_surface_foot *foot, hn_vec3 c, double radius,
                     int feature) {
  hn_form point = form_point(c, radius);
  hn_meeting_add_foot(m, foot, &point, feature);
}

// Capacity: points of the surface for one point.
static void add_point(hn_meeting *m, hn_vec3 c, double radius, double depth, int number, int room) {
  const hn_surface *s = m->first.shape->surface;
  hn_vec3 x = placed_local(&m->first, c);
  hn_surface_foot feet[4];
  if (m->first.shape->kind == HN_KIND_HEIGHTS) {
    feet[0] = hn_heights_foot(s, x);
    add_foot(m, &feet[0], c, radius, number);
    return;
  }
  int count = hn_triangles_feet(s, x, 2 * radius + 0.2 * depth, depth, feet, room);
  for (int k = 0; k < count; k++)
    add_foot(m, &feet[k], c, radius, number + 2000 * (feet[k].feature % 1000000));
}

static void surface_point(hn_meeting *m, int mode) {
  (void)mode;
  double radius = m->second.shape->radius;
  add_point(m, m->second.at, radius, 0.5 * radius, 0, 4);
}
const hn_meeting_type hn_surface_point = {one_mode, first_mode, surface_point, 1};

static void surface_segment(hn_meeting *m, int mode) {
  (void)mode;
  const hn_contact_shape *s = m->second.shape;
  for (int k = 0; k < 2; k++)
    add_point(m, placed_point(&m->second, vec3(0, 0, k ? s->half : -s->half)), s->radius,
              0.5 * s->radius, k, 3);
}
const hn_meeting_type hn_surface_segment = {one_mode, first_mode, surface_segment, 1};

// A height field has always the same points.
const hn_meeting_type hn_heights_point = {one_mode, first_mode, surface_point, 0};

// The eight corners that lie furthest down along the surface's z.
static void surface_hull(hn_meeting *m, int mode) {
  (void)mode;
  const hn_hull *h = m->second.shape->hull;
  double depth = 0.25 * m->second.shape->bound, last = -HUGE_VAL;
  int last_corner = -1;
  for (int k = 0; k < HN_CONTACT_POINTS && k < h->vertex_count; k++) {
    int best = -1;
    double low = HUGE_VAL;
    for (int v = 0; v < h->vertex_count; v++) {
      double z = placed_local(&m->first, placed_point(&m->second, h->vertices[v])).z;
      if ((z > last || (z >= last && v > last_corner)) && z < low) {
        low = z;
        best = v;
      }
    }
    if (best < 0) break;
    last = low;
    last_corner = best;
    add_point(m, placed_point(&m->second, h->vertices[best]), 0, depth, best, 1);
  }
}
const hn_meeting_type hn_surface_hull = {one_mode, first_mode, surface_hull, 1};
