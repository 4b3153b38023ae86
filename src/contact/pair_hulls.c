// Two convex polyhedra: the direction in which they are furthest apart (or least deep) is the
// normal of a face of either, or perpendicular to an edge of each.
//
// Modes: [face of the first, facing face of the second], the same the other way round, [edge,
// edge]. A mode of faces has as points the corners of each face that lie over the other, and the
// crossings of their borders: the corners of the common polygon. They appear and vanish within the
// mode.
#include <math.h>

#include "contact/hull.h"

#define FACES_FIRST 1e-3 // of the size: so much deeper must an edge be before it counts
#define WITNESSES 6      // corners for bounds, next to the one that decides
#define EDGES_AT_ONCE 96 // edges of the first hull that are compared together
#define BOUND_MARGIN 1e-9 // rounding of bounds, of lengths

typedef struct axis_found {
  double separation;
  int index1, index2; // edges; or face and -1
} axis_found;

// The second hull seen from the first: corners and normals in the first's axes.
typedef struct seen {
  const hn_hull *h1, *h2;
  const hn_placed *p1, *p2;
} seen;

static hn_vec3 into_first(const seen *s, hn_vec3 x) {
  return placed_local(s->p1, placed_point(s->p2, x));
}
static hn_vec3 turn_into_first(const seen *s, hn_vec3 x) {
  return mat3_apply_transposed(s->p1->axes, placed_vector(s->p2, x));
}
static hn_vec3 turn_into_second(const seen *s, hn_vec3 x) {
  return mat3_apply_transposed(s->p2->axes, placed_vector(s->p1, x));
}

// The corner of a hull that lies lowest along n.
static int lowest_corner(const hn_hull *h, hn_vec3 n, double *least) {
  int corner = 0;
  *least = HUGE_VAL;
  for (int k = 0; k < h->vertex_count; k++) {
    const double along = vec3_dot(n, h->vertices[k]);
    if (along >= *least) continue;
    *least = along;
    corner = k;
  }
  return corner;
}

// ---- bounds -------------------------------------------------------------------------------------
//
// Along n the hulls are at most n . (x2 - x1) apart, for any points x1 and x2 of theirs. A few corners
// of the other hull show that most faces and edges cannot be the ones in question.

typedef struct witnesses {
  hn_vec3 x[WITNESSES + 1]; // corners of the second hull in the first's axes
  int count;
} witnesses;

static witnesses spread_witnesses(const seen *s) {
  witnesses w = {.count = s->h2->vertex_count < WITNESSES ? s->h2->vertex_count : WITNESSES};
  for (int k = 0; k < w.count; k++)
    w.x[k] = into_first(s, s->h2->vertices[(long)k * s->h2->vertex_count / w.count]);
  return w;
}

// How far a face can be from the second hull; not exact once it is below `enough`.
static double face_bound(const hn_hull *h, int f, const witnesses *w, double enough) {
  double least = HUGE_VAL;
  for (int k = w->count; k-- > 0 && least >= enough;) {
    const double along = vec3_dot(h->normals[f], w->x[k]) - h->offsets[f];
    if (along < least) least = along;
  }
  return least;
}

static double separation_at(const seen *s, int f, int *corner) {
  const hn_vec3 n = s->h1->normals[f];
  double least;
  *corner = lowest_corner(s->h2, turn_into_second(s, n), &least);
  return vec3_dot(n, into_first(s, vec3_zero())) + least - s->h1->offsets[f];
}

// *w: gets the corner that decides.
static axis_found best_face(const seen *s, witnesses *w) {
  axis_found best = {-HUGE_VAL, 0, -1};
  int guess = 0, corner;
  double most = -HUGE_VAL;
  *w = spread_witnesses(s);
  for (int f = 0; f < s->h1->face_count; f++) {
    const double bound = face_bound(s->h1, f, w, most);
    if (bound <= most) continue;
    most = bound;
    guess = f;
  }
  const double enough = separation_at(s, guess, &corner) - BOUND_MARGIN * s->p1->shape->bound;
  w->x[w->count++] = into_first(s, s->h2->vertices[corner]);
  for (int f = 0; f < s->h1->face_count; f++) {
    if (face_bound(s->h1, f, w, enough) < enough) continue;
    const double separation = separation_at(s, f, &corner);
    if (separation > best.separation) best = (axis_found){separation, f, -1};
  }
  return best;
}

// The largest n . way of the unit vectors n on the arc from a to b.
static double highest_on_arc(hn_vec3 a, hn_vec3 b, hn_vec3 way) {
  const double m = vec3_dot(a, way), k = vec3_dot(b, way), c = vec3_dot(a, b);
  if (!(k > c * m && m > c * k) || 1 - c * c < 1e-12) return m > k ? m : k;
  return sqrt((m * m + k * k - 2 * c * m * k) / (1 - c * c));
}

// Whether an edge of a hull can be one along whose perpendiculars the hulls are further apart than
// `floor`. Those lie on the arc between the normals next to it.
static int can_separate(const hn_hull *h, int edge, const witnesses *w, double floor) {
  const hn_vec3 a = h->normals[h->edge_faces[edge][0]], b = h->normals[h->edge_faces[edge][1]];
  for (int k = w->count; k-- > 0;) {
    const hn_vec3 way = vec3_sub(w->x[k], h->vertices[h->edges[edge][0]]);
    if (highest_on_arc(a, b, way) < floor) return 0;
  }
  return 1;
}

// Whether the arcs between the normals adjacent to two edges cross, so that the edges make a face
// of the difference of the two bodies.
static int arcs_cross(hn_vec3 a, hn_vec3 b, hn_vec3 c, hn_vec3 d, hn_vec3 along1, hn_vec3 along2) {
  double cba = vec3_dot(c, along1), dba = vec3_dot(d, along1);
  double adc = vec3_dot(a, along2), bdc = vec3_dot(b, along2);
  return cba * dba < 0 && adc * bdc < 0 && cba * bdc > 0;
}

// An edge of the first hull, with what does not depend on the second's.
typedef struct edge_seen {
  hn_vec3 p, e, a, b, along;
  int index;
} edge_seen;

static edge_seen see_edge(const hn_hull *h, int edge) {
  const hn_vec3 p = h->vertices[h->edges[edge][0]];
  const hn_vec3 a = h->normals[h->edge_faces[edge][0]], b = h->normals[h->edge_faces[edge][1]];
  return (edge_seen){p, vec3_sub(h->vertices[h->edges[edge][1]], p), a, b, vec3_cross(b, a), edge};
}

// The second's edges against some of the first's; of equal ones the first pair counts.
static void compare_edges(const seen *s, const witnesses *second, double floor,
                          const edge_seen *some, int count, axis_found *best) {
  const hn_hull *h2 = s->h2;
  for (int j = 0; j < h2->edge_count; j++) {
    if (!can_separate(h2, j, second, floor)) continue;
    hn_vec3 q = into_first(s, h2->vertices[h2->edges[j][0]]);
    hn_vec3 e2 = vec3_sub(into_first(s, h2->vertices[h2->edges[j][1]]), q);
    hn_vec3 c = vec3_negate(turn_into_first(s, h2->normals[h2->edge_faces[j][0]]));
    hn_vec3 d = vec3_negate(turn_into_first(s, h2->normals[h2->edge_faces[j][1]]));
    hn_vec3 along2 = vec3_cross(d, c);
    for (int k = 0; k < count; k++) {
      const edge_seen *at = &some[k];
      if (!arcs_cross(at->a, at->b, c, d, at->along, along2)) continue;
      hn_vec3 n = vec3_cross(at->e, e2);
      double length = vec3_norm(n);
      if (length < 1e-6 * vec3_norm(at->e) * vec3_norm(e2)) continue;
      n = vec3_scale((vec3_dot(n, vec3_add(at->a, at->b)) < 0 ? -1 : 1) / length, n);
      double separation = vec3_dot(n, vec3_sub(q, at->p));
      const int is_before = separation == best->separation && j < best->index2;
      if (separation > best->separation || is_before)
        *best = (axis_found){separation, at->index, j};
    }
  }
}

// The edges furthest apart, if that is more than `floor`; index1 < 0: none are.
static axis_found best_edges(const seen *s, const witnesses *first, const witnesses *second,
                             double floor) {
  axis_found best = {-HUGE_VAL, -1, -1};
  edge_seen some[EDGES_AT_ONCE];
  const double bound = floor - BOUND_MARGIN * s->p1->shape->bound;
  int count = 0;
  for (int i = 0; i < s->h1->edge_count; i++) {
    if (can_separate(s->h1, i, first, bound)) some[count++] = see_edge(s->h1, i);
    if (count == 0 || (count < EDGES_AT_ONCE && i + 1 < s->h1->edge_count)) continue;
    compare_edges(s, second, bound, some, count, &best);
    count = 0;
  }
  if (!(best.separation > floor)) best.index1 = -1;
  return best;
}

// The face of a hull that looks most along -n among those at the corner that lies furthest there.
static int facing(const hn_hull *h, hn_vec3 n) {
  int best = 0;
  double least = HUGE_VAL, low;
  const int corner = lowest_corner(h, n, &low);
  for (int f = 0; f < h->face_count; f++) {
    const double along = vec3_dot(n, h->normals[f]);
    for (int k = h->start[f]; along < least - 1e-9 && k < h->start[f + 1]; k++)
      if (h->corners[k] == corner) {
        least = along;
        best = f;
      }
  }
  return best;
}

static int modes_of(const hn_hull *h1, const hn_hull *h2) {
  double count = 2.0 * h1->face_count * h2->face_count + (double)h1->edge_count * h2->edge_count;
  return count > HN_CONTACT_MODES ? 1 : (int)count;
}

static int hulls_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return modes_of(first->hull, second->hull);
}

// The mode as it would be numbered without a limit.
static long find_mode(const hn_placed *first, const hn_placed *second) {
  const hn_hull *h1 = first->shape->hull, *h2 = second->shape->hull;
  seen s = {h1, h2, first, second}, back = {h2, h1, second, first};
  witnesses w1, w2;
  axis_found face1 = best_face(&s, &w1), face2 = best_face(&back, &w2);
  double size = fmin(first->shape->bound, second->shape->bound);
  double face = fmax(face1.separation, face2.separation);
  axis_found edges = best_edges(&s, &w1, &w2, face + FACES_FIRST * size);
  long faces = (long)h1->face_count * h2->face_count;
  if (edges.index1 >= 0)
    return 2 * faces + (long)edges.index1 * h2->edge_count + edges.index2;
  if (face2.separation > face1.separation + 1e-6 * size) {
    int other = facing(h1, turn_into_first(&s, h2->normals[face2.index1]));
    return faces + (long)other * h2->face_count + face2.index1;
  }
  int other = facing(h2, turn_into_second(&s, h1->normals[face1.index1]));
  return (long)face1.index1 * h2->face_count + other;
}

static int hulls_mode(const hn_placed *first, const hn_placed *second) {
  if (modes_of(first->shape->hull, second->shape->hull) == 1) return 0;
  return (int)find_mode(first, second);
}

// ---- points -------------------------------------------------------------------------------------

// Corners of the face of `of` that lie over a face of `on`; is_first: `on` is body 1's.
static void add_corners(hn_meeting *m, const hn_placed *of, int face, const hn_placed *on,
                        int on_face, int is_first, int number) {
  const hn_hull *h = of->shape->hull;
  double margin = 1e-9 * on->shape->bound;
  for (int k = 0; k < hull_corner_count(h, face); k++) {
    int corner = hull_corner(h, face, k);
    hn_vec3 c = placed_point(of, h->vertices[corner]), normal;
    if (!hn_hull_within_face(on->shape->hull, on_face, placed_local(on, c), margin)) continue;
    hn_form plane = hn_hull_form(on, on_face, c, &normal), point = form_point(c, 0);
    if (is_first)
      hn_meeting_add(m, &plane, &point, normal, number + corner, 1);
    else
      hn_meeting_add(m, &point, &plane, vec3_negate(normal), number + corner, 1);
  }
}

// Two lines; *part1, *part2: how far along their edges they meet, 0 to 1. 0 when they are parallel.
static int cross_edges(hn_meeting *m, hn_vec3 a1, hn_vec3 b1, hn_vec3 a2, hn_vec3 b2, hn_vec3 out,
                       int only_within, int number) {
  hn_vec3 e1 = vec3_sub(b1, a1), e2 = vec3_sub(b2, a2), way = vec3_sub(a2, a1);
  double l1 = vec3_norm(e1), l2 = vec3_norm(e2);
  e1 = vec3_scale(1 / l1, e1);
  e2 = vec3_scale(1 / l2, e2);
  hn_vec3 both = vec3_cross(e1, e2);
  double sine2 = vec3_dot(both, both), c = vec3_dot(e1, e2);
  if (sine2 < (only_within ? 1e-6 : 1e-20)) return 0;
  double w1 = vec3_dot(way, e1), w2 = vec3_dot(way, e2);
  double z1 = (w1 - c * w2) / sine2, z2 = (c * w1 - w2) / sine2;
  const double edge = 1e-7; // corners upon a border are there already
  if (only_within &&
      (z1 < edge * l1 || z1 > (1 - edge) * l1 || z2 < edge * l2 || z2 > (1 - edge) * l2))
    return 0;
  hn_vec3 n = vec3_unit(both);
  if (vec3_dot(n, out) < 0) n = vec3_negate(n);
  if (only_within && vec3_dot(n, out) < 0.7) return 0;
  hn_form f1 = form_line(vec3_add_scaled(a1, z1, e1), e1, 0);
  hn_form f2 = form_line(vec3_add_scaled(a2, z2, e2), e2, 0);
  hn_meeting_add(m, &f1, &f2, n, number, 1);
  return 1;
}

static void face_edge(const hn_placed *p, int face, int k, hn_vec3 *a, hn_vec3 *b) {
  const hn_hull *h = p->shape->hull;
  int count = hull_corner_count(h, face);
  *a = placed_point(p, h->vertices[hull_corner(h, face, k)]);
  *b = placed_point(p, h->vertices[hull_corner(h, face, (k + 1) % count)]);
}

static void add_crossings(hn_meeting *m, int face1, int face2, hn_vec3 out, int number) {
  const hn_hull *h1 = m->first.shape->hull, *h2 = m->second.shape->hull;
  for (int i = 0; i < hull_corner_count(h1, face1); i++)
    for (int j = 0; j < hull_corner_count(h2, face2); j++) {
      hn_vec3 a1, b1, a2, b2;
      face_edge(&m->first, face1, i, &a1, &b1);
      face_edge(&m->second, face2, j, &a2, &b2);
      int edges =
          number + (h1->start[face1] + i) * h2->start[h2->face_count] + h2->start[face2] + j;
      cross_edges(m, a1, b1, a2, b2, out, 1, edges);
    }
}

static void edge_mode(hn_meeting *m, int i, int j) {
  const hn_hull *h1 = m->first.shape->hull, *h2 = m->second.shape->hull;
  hn_vec3 out = placed_vector(
      &m->first, vec3_add(h1->normals[h1->edge_faces[i][0]], h1->normals[h1->edge_faces[i][1]]));
  cross_edges(m, placed_point(&m->first, h1->vertices[h1->edges[i][0]]),
              placed_point(&m->first, h1->vertices[h1->edges[i][1]]),
              placed_point(&m->second, h2->vertices[h2->edges[j][0]]),
              placed_point(&m->second, h2->vertices[h2->edges[j][1]]), out, 0, -2);
}

// Edges count from FACES_FIRST on; before that only if no point of the faces lies over the other.
static void edges_instead(hn_meeting *m) {
  const hn_hull *h1 = m->first.shape->hull, *h2 = m->second.shape->hull;
  const seen s = {h1, h2, &m->first, &m->second}, back = {h2, h1, &m->second, &m->first};
  witnesses w1, w2;
  const double face1 = best_face(&s, &w1).separation, face2 = best_face(&back, &w2).separation;
  const axis_found edges = best_edges(&s, &w1, &w2, fmax(face1, face2));
  if (edges.index1 >= 0) edge_mode(m, edges.index1, edges.index2);
}

static void hull_hull(hn_meeting *m, int mode) {
  const hn_hull *h1 = m->first.shape->hull, *h2 = m->second.shape->hull;
  long which = modes_of(h1, h2) == 1 ? find_mode(&m->first, &m->second) : mode;
  long faces = (long)h1->face_count * h2->face_count;
  if (which >= 2 * faces) {
    which -= 2 * faces;
    edge_mode(m, (int)(which / h2->edge_count), (int)(which % h2->edge_count));
    return;
  }
  int of_second = which >= faces;
  int face1 = (int)(which % faces / h2->face_count), face2 = (int)(which % faces % h2->face_count);
  hn_vec3 out = of_second ? vec3_negate(placed_vector(&m->second, h2->normals[face2]))
                          : placed_vector(&m->first, h1->normals[face1]);
  add_corners(m, &m->second, face2, &m->first, face1, 1, 0);
  add_corners(m, &m->first, face1, &m->second, face2, 0, h2->vertex_count);
  add_crossings(m, face1, face2, out, h1->vertex_count + h2->vertex_count);
  double least = HUGE_VAL;
  for (int k = 0; k < m->count; k++) least = fmin(least, m->points[k].gap);
  if (least > FACES_FIRST * fmin(m->first.shape->bound, m->second.shape->bound)) edges_instead(m);
}
const hn_meeting_type hn_hull_hull = {hulls_modes, hulls_mode, hull_hull, 1};
