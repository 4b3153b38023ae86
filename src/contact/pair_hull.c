// A convex polyhedron with a sphere and with a capsule: the nearest of its faces, edges and corners.
#include <math.h>

#include "contact/hull.h"

// ---- questions ----------------------------------------------------------------------------------

int hn_hull_within_face(const hn_hull *h, int face, hn_vec3 x, double margin) {
  int count = hull_corner_count(h, face);
  for (int k = 0; k < count; k++) {
    hn_vec3 a = h->vertices[hull_corner(h, face, k)];
    hn_vec3 b = h->vertices[hull_corner(h, face, (k + 1) % count)];
    hn_vec3 in = vec3_cross(h->normals[face], vec3_unit(vec3_sub(b, a)));
    if (vec3_dot(in, vec3_sub(x, a)) < -margin) return 0;
  }
  return 1;
}

static int nearest_face(const hn_hull *h, hn_vec3 x, double *distance) {
  int best = 0;
  *distance = -HUGE_VAL;
  for (int f = 0; f < h->face_count; f++) {
    double above = vec3_dot(h->normals[f], x) - h->offsets[f];
    if (above > *distance) {
      *distance = above;
      best = f;
    }
  }
  return best;
}

int hn_hull_nearest(const hn_hull *h, hn_vec3 x, double *distance) {
  double least;
  int best = nearest_face(h, x, &least);
  if (least > 0 && !hn_hull_within_face(h, best, x, 0)) {
    least = HUGE_VAL;
    for (int f = 0; f < h->face_count; f++) {
      double above = vec3_dot(h->normals[f], x) - h->offsets[f];
      if (above > 0 && above < least && hn_hull_within_face(h, f, x, 0)) {
        least = above;
        best = f;
      }
    }
    for (int e = 0; e < h->edge_count; e++) {
      hn_vec3 a = h->vertices[h->edges[e][0]], b = h->vertices[h->edges[e][1]];
      hn_vec3 way = vec3_sub(b, a), to = vec3_sub(x, a);
      double part = vec3_dot(way, to) / vec3_dot(way, way);
      double far = vec3_norm(vec3_add_scaled(to, -part, way));
      if (part > 0 && part < 1 && far < least) {
        least = far;
        best = h->face_count + e;
      }
    }
    for (int v = 0; v < h->vertex_count; v++) {
      double far = vec3_norm(vec3_sub(x, h->vertices[v]));
      if (far < least) {
        least = far;
        best = h->face_count + h->edge_count + v;
      }
    }
  }
  if (distance) *distance = least;
  return best;
}

hn_form hn_hull_form(const hn_placed *p, int feature, hn_vec3 c, hn_vec3 *normal) {
  const hn_hull *h = p->shape->hull;
  if (feature < h->face_count) {
    *normal = placed_vector(p, h->normals[feature]);
    double above = vec3_dot(h->normals[feature], placed_local(p, c)) - h->offsets[feature];
    return form_plane(vec3_add_scaled(c, -above, *normal));
  }
  feature -= h->face_count;
  if (feature < h->edge_count) {
    const int *faces = h->edge_faces[feature];
    *normal = placed_vector(p, vec3_unit(vec3_add(h->normals[faces[0]], h->normals[faces[1]])));
    hn_vec3 a = placed_point(p, h->vertices[h->edges[feature][0]]);
    hn_vec3 b = placed_point(p, h->vertices[h->edges[feature][1]]);
    hn_vec3 e = vec3_unit(vec3_sub(b, a));
    return form_line(vec3_add_scaled(a, vec3_dot(e, vec3_sub(c, a)), e), e, 0);
  }
  hn_vec3 x = h->vertices[feature - h->edge_count];
  *normal = placed_vector(p, vec3_unit(x));
  return form_point(placed_point(p, x), 0);
}

// A point with a radius against one feature.
static void add_point(hn_meeting *m, int feature, hn_vec3 c, double radius, int number) {
  hn_vec3 normal;
  hn_form of_hull = hn_hull_form(&m->first, feature, c, &normal), point = form_point(c, radius);
  if (feature < m->first.shape->hull->face_count)
    hn_meeting_add(m, &of_hull, &point, normal, number, 1);
  else
    hn_meeting_add_near(m, &of_hull, &point, normal, number);
}

static int hull_point_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  (void)second;
  return hull_features(first->hull);
}

static int hull_point_mode(const hn_placed *first, const hn_placed *second) {
  return hn_hull_nearest(first->shape->hull, placed_local(first, second->at), NULL);
}

static void hull_point(hn_meeting *m, int mode) {
  add_point(m, mode, m->second.at, m->second.shape->radius, 0);
}
const hn_meeting_type hn_hull_point = {hull_point_modes, hull_point_mode, hull_point, 0};

// ---- a segment ----------------------------------------------------------------------------------

// Three points: both ends, each against the feature nearest to it, and where the middle of the segment
// crosses an edge or passes a corner. Mode: end, end, and the crossing (0: none, then edges and
// corners).
typedef struct crossing {
  int low, high, middle;
} crossing;

static int crossing_count(const hn_hull *h) { return 1 + h->edge_count + h->vertex_count; }

// Too many modes to be counted: one, in which the features are looked for each time.
static int is_large(const hn_hull *h) {
  double modes = (double)hull_features(h) * hull_features(h) * crossing_count(h);
  return modes > HN_CONTACT_MODES;
}

static int hull_segment_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  (void)second;
  const hn_hull *h = first->hull;
  return is_large(h) ? 1 : hull_features(h) * hull_features(h) * crossing_count(h);
}

#define BESIDE 1e-6 // of directions: tolerance against those that lead out

// Whether `out`, perpendicular to an edge, lies between the normals of its two faces.
static int leads_out(const hn_hull *h, int edge, hn_vec3 e, hn_vec3 out) {
  hn_vec3 n1 = h->normals[h->edge_faces[edge][0]], n2 = h->normals[h->edge_faces[edge][1]];
  double turn = vec3_dot(e, vec3_cross(n1, n2)) < 0 ? -1 : 1, margin = BESIDE * vec3_norm(out);
  return turn * vec3_dot(e, vec3_cross(n1, out)) >= -margin &&
         turn * vec3_dot(e, vec3_cross(out, n2)) >= -margin && vec3_dot(out, vec3_add(n1, n2)) > 0;
}

// Where a line through `at` along unit d passes an edge, outside; 0 when it does so beyond the ends of
// either.
static int passes_edge(const hn_hull *h, int edge, hn_vec3 at, hn_vec3 d, double half,
                       double *distance) {
  hn_vec3 a = h->vertices[h->edges[edge][0]], b = h->vertices[h->edges[edge][1]];
  hn_vec3 e = vec3_unit(vec3_sub(b, a)), both = vec3_cross(e, d), way = vec3_sub(at, a);
  double sine2 = vec3_dot(both, both), c = vec3_dot(e, d);
  if (sine2 < 1e-8) return 0;
  double w1 = vec3_dot(way, e), w2 = vec3_dot(way, d), across = vec3_dot(both, way);
  double z1 = (w1 - c * w2) / sine2, z2 = (c * w1 - w2) / sine2;
  *distance = fabs(across) / sqrt(sine2);
  return z1 > 0 && z1 < vec3_norm(vec3_sub(b, a)) && fabs(z2) < half &&
         leads_out(h, edge, e, vec3_scale(across, both));
}

// Whether `out` from a corner leads away from all edges that meet there.
static int leads_from(const hn_hull *h, int corner, hn_vec3 out) {
  for (int k = 0; k < h->edge_count; k++) {
    const int *ends = h->edges[k];
    if (ends[0] != corner && ends[1] != corner) continue;
    hn_vec3 e = vec3_sub(h->vertices[ends[ends[0] == corner]], h->vertices[corner]);
    if (vec3_dot(out, e) > BESIDE * vec3_norm(out) * vec3_norm(e)) return 0;
  }
  return 1;
}

static int nearest_crossing(const hn_hull *h, hn_vec3 at, hn_vec3 d, double half, double most) {
  int best = 0;
  for (int e = 0; e < h->edge_count; e++) {
    double far;
    if (!passes_edge(h, e, at, d, half, &far) || !(far < most)) continue;
    most = far;
    best = 1 + e;
  }
  for (int v = 0; v < h->vertex_count; v++) {
    hn_vec3 way = vec3_sub(h->vertices[v], at);
    double z = vec3_dot(way, d);
    hn_vec3 out = vec3_sub(vec3_scale(z, d), way);
    double far = vec3_norm(out);
    if (fabs(z) < half && far < most * (1 - 1e-9) && leads_from(h, v, out)) {
      most = far;
      best = 1 + h->edge_count + v;
    }
  }
  return best;
}

static crossing find_crossing(const hn_placed *first, const hn_placed *second) {
  const hn_hull *h = first->shape->hull;
  double half = second->shape->half, low, high;
  hn_vec3 at = placed_local(first, second->at);
  hn_vec3 d = mat3_apply_transposed(first->axes, mat3_column(second->axes, 2));
  crossing c;
  c.low = hn_hull_nearest(h, vec3_add_scaled(at, -half, d), &low);
  c.high = hn_hull_nearest(h, vec3_add_scaled(at, half, d), &high);
  c.middle = nearest_crossing(h, at, d, half, fmax(low, high) * (1 - 1e-9));
  return c;
}

static int hull_segment_mode(const hn_placed *first, const hn_placed *second) {
  const hn_hull *h = first->shape->hull;
  if (is_large(h)) return 0;
  crossing c = find_crossing(first, second);
  return (c.low * hull_features(h) + c.high) * crossing_count(h) + c.middle;
}

static void add_middle(hn_meeting *m, int which) {
  const hn_hull *h = m->first.shape->hull;
  hn_vec3 d = mat3_column(m->second.axes, 2), normal, at = m->second.at;
  double radius = m->second.shape->radius;
  if (which >= h->edge_count) { // a corner
    hn_form corner = hn_hull_form(&m->first, h->face_count + which, at, &normal);
    hn_vec3 c = vec3_add_scaled(at, vec3_dot(d, vec3_sub(corner.c, at)), d);
    hn_form line = form_line(c, d, radius);
    hn_meeting_add_near(m, &corner, &line, normal, 2);
    return;
  }
  hn_form edge = hn_hull_form(&m->first, h->face_count + which, at, &normal);
  hn_vec3 both = vec3_cross(edge.e, d), way = vec3_sub(at, edge.c);
  double sine2 = fmax(vec3_dot(both, both), 1e-30), c = vec3_dot(edge.e, d);
  double w1 = vec3_dot(way, edge.e), w2 = vec3_dot(way, d);
  edge.c = vec3_add_scaled(edge.c, (w1 - c * w2) / sine2, edge.e);
  hn_form line = form_line(vec3_add_scaled(at, (c * w1 - w2) / sine2, d), d, radius);
  hn_vec3 n = vec3_unit(both);
  if (vec3_dot(n, normal) < 0) n = vec3_negate(n);
  hn_meeting_add(m, &edge, &line, n, 2, 1);
}

static void hull_segment(hn_meeting *m, int mode) {
  const hn_hull *h = m->first.shape->hull;
  int ways = crossing_count(h), features = hull_features(h);
  crossing c = {mode / ways / features, mode / ways % features, mode % ways};
  if (is_large(h)) c = find_crossing(&m->first, &m->second);
  const hn_contact_shape *s = m->second.shape;
  add_point(m, c.low, placed_point(&m->second, vec3(0, 0, -s->half)), s->radius, 0);
  add_point(m, c.high, placed_point(&m->second, vec3(0, 0, s->half)), s->radius, 1);
  if (c.middle > 0) add_middle(m, c.middle - 1);
}
const hn_meeting_type hn_hull_segment = {hull_segment_modes, hull_segment_mode, hull_segment, 0};
