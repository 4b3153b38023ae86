// A convex polyhedron with a cylinder, round.
//
// The direction in which they are furthest apart (or least deep) is one of: the normal of a face; the
// axis of the cylinder; from its axis to a corner or edge; across an edge and a rim; from a corner
// to a rim.
//
// Modes: faces (the cylinder leans, or its end at -z, or at +z, lies on the face), ends, corners
// and edges against the side, edges and corners against the two rims; then those of the cylinder's
// prism, for penetration so deep that none of these applies.
#include <math.h>

#include "contact/hull.h"
#include "math/elementary.h"

#define STANDS 1e-5 // sine of the angle between axis and normal
#define LIES 1e-3   // ... of that between axis and face
#define OTHERS 1e-3 // of the size: corners so much further from an end do not count
#define MARGIN 1e-9 // of the size, about faces
#define GRAZES 1e-2 // sine: an edge that crosses a rim at a lesser angle does not count
#define SAME 1e-6   // of the size: points nearer than this are one
enum { LEANS, STANDS_LOW, STANDS_HIGH, POSTURES };

typedef struct drum {
  const hn_placed *hull, *cylinder;
  const hn_hull *h;
  hn_vec3 c, axis; // in the axes of the hull
  double radius, half, size;
} drum;

static drum drum_of(const hn_placed *hull, const hn_placed *cylinder) {
  const hn_contact_shape *s = cylinder->shape;
  return (drum){hull,
                cylinder,
                hull->shape->hull,
                placed_local(hull, cylinder->at),
                mat3_apply_transposed(hull->axes, mat3_column(cylinder->axes, 2)),
                s->radius,
                s->half,
                fmin(hull->shape->bound, s->bound)};
}

// ---- modes ----------------------------------------------------------------------------------------

typedef enum part_kind {
  FACE,
  END,
  CORNER,
  EDGE,
  RIM,
  TIP,
  PRISM
} part_kind; // tip: corner and rim
typedef struct part {
  part_kind kind;
  int index, posture; // rim: posture 0 at -z, 1 at +z
  double apart;
} part;

static int first_of(const hn_hull *h, part_kind kind) {
  int first = 0;
  if (kind > FACE) first += POSTURES * h->face_count;
  if (kind > END) first += 2;
  if (kind > CORNER) first += h->vertex_count;
  if (kind > EDGE) first += h->edge_count;
  if (kind > RIM) first += 2 * h->edge_count;
  if (kind > TIP) first += 2 * h->vertex_count;
  return first;
}

static int each_of(part_kind kind) {
  return kind == FACE ? POSTURES : kind == RIM || kind == TIP ? 2 : 1;
}

static int mode_of(const hn_hull *h, const part *p) {
  const int each = each_of(p->kind);
  return first_of(h, p->kind) + each * p->index + (each > 1 ? p->posture : 0);
}

static part part_of(const hn_hull *h, int mode) {
  part p = {.kind = PRISM};
  while (p.kind > FACE && mode < first_of(h, p.kind)) p.kind--;
  const int each = each_of(p.kind);
  p.index = (mode - first_of(h, p.kind)) / each;
  p.posture = (mode - first_of(h, p.kind)) % each;
  return p;
}

// ---- how far apart --------------------------------------------------------------------------------

// The least of n . x over the cylinder.
static double lowest(const drum *d, hn_vec3 n) {
  double along = vec3_dot(n, d->axis);
  return vec3_dot(n, d->c) - d->half * fabs(along) - d->radius * vec3_norm(vec3_cross(n, d->axis));
}

static double highest_of_hull(const hn_hull *h, hn_vec3 n) {
  double most = -HUGE_VAL;
  for (int k = 0; k < h->vertex_count; k++) {
    const double along = vec3_dot(n, h->vertices[k]);
    if (along > most) most = along;
  }
  return most;
}

static int posture_on(const drum *d, hn_vec3 n) {
  if (vec3_norm(vec3_cross(n, d->axis)) > STANDS) return LEANS;
  return vec3_dot(n, d->axis) > 0 ? STANDS_LOW : STANDS_HIGH;
}

static part best_face(const drum *d) {
  part best = {.apart = -HUGE_VAL};
  for (int f = 0; f < d->h->face_count; f++) {
    double apart = lowest(d, d->h->normals[f]) - d->h->offsets[f];
    if (apart > best.apart) best = (part){FACE, f, posture_on(d, d->h->normals[f]), apart};
  }
  return best;
}

static part best_end(const drum *d) {
  hn_vec3 back = vec3_negate(d->axis);
  double low = vec3_dot(d->axis, d->c) - d->half - highest_of_hull(d->h, d->axis);
  double high = vec3_dot(back, d->c) - d->half - highest_of_hull(d->h, back);
  return low > high ? (part){END, 0, 0, low} : (part){END, 1, 0, high};
}

// The corner or edge nearest to the axis, seen along it; apart -HUGE_VAL where the axis goes through.
static part best_side(const drum *d) {
  const hn_hull *h = d->h;
  part best = {.kind = CORNER, .apart = HUGE_VAL};
  hn_vec3 way = vec3_zero();
  for (int k = 0; k < h->vertex_count + h->edge_count; k++) {
    int e = k - h->vertex_count;
    hn_vec3 a = vec3_sub(h->vertices[e < 0 ? k : h->edges[e][0]], d->c), at;
    a = vec3_add_scaled(a, -vec3_dot(a, d->axis), d->axis);
    at = a;
    if (e >= 0) {
      hn_vec3 b = vec3_sub(h->vertices[h->edges[e][1]], d->c);
      b = vec3_sub(vec3_add_scaled(b, -vec3_dot(b, d->axis), d->axis), a);
      double length2 = vec3_dot(b, b), z = length2 > 0 ? -vec3_dot(a, b) / length2 : 0;
      if (!(length2 > 1e-16 * d->size * d->size) || z <= 0 || z >= 1) continue;
      at = vec3_add_scaled(a, z, b);
    }
    double far = vec3_norm(at);
    if (!(far < best.apart * (1 - 1e-12))) continue;
    best = (part){e < 0 ? CORNER : EDGE, e < 0 ? k : e, 0, far};
    way = at;
  }
  hn_vec3 n = vec3_unit(vec3_negate(way)); // from the hull to the axis
  double all = vec3_dot(n, d->c) - highest_of_hull(h, n);
  best.apart = best.apart > 0 && all > (1 - 1e-9) * best.apart ? best.apart - d->radius : -HUGE_VAL;
  return best;
}

// ---- rims -----------------------------------------------------------------------------------------

typedef struct rim_place {
  hn_vec3 on_edge, on_rim, along, normal; // axes of the hull; along the rim
  double part, sine;                      // of the edge; of the normal against the axis
} rim_place;

// A vector without its part along the axis.
static hn_vec3 across_axis(const drum *d, hn_vec3 x) {
  return vec3_add_scaled(x, -vec3_dot(x, d->axis), d->axis);
}

static hn_vec3 mean_normal(const hn_hull *h, int edge) {
  return vec3_add(h->normals[h->edge_faces[edge][0]], h->normals[h->edge_faces[edge][1]]);
}

// Where a rim and an edge are nearest: Newton's method along the rim from u, a unit vector off the axis.
static int rim_from(const drum *d, int edge, int is_high, hn_vec3 u, rim_place *out) {
  const hn_hull *h = d->h;
  hn_vec3 a = h->vertices[h->edges[edge][0]], b = h->vertices[h->edges[edge][1]];
  double length = vec3_norm(vec3_sub(b, a)), angle = 0, step = 1;
  hn_vec3 e = vec3_scale(1 / length, vec3_sub(b, a));
  hn_vec3 middle = vec3_add_scaled(d->c, is_high ? d->half : -d->half, d->axis);
  hn_vec3 w = vec3_cross(d->axis, u), foot = a, x = middle, way = w;
  for (int k = 0; k < 30 && fabs(step) > 1e-15; k++) {
    hn_vec3 out_of = vec3_add(vec3_scale(hn_cos(angle), u), vec3_scale(hn_sin(angle), w));
    way = vec3_cross(d->axis, out_of);
    x = vec3_add_scaled(middle, d->radius, out_of);
    foot = vec3_add_scaled(a, vec3_dot(e, vec3_sub(x, a)), e);
    hn_vec3 between = vec3_sub(x, foot);
    double slope = vec3_dot(between, way), side = vec3_dot(way, e);
    double bend = d->radius * (1 - side * side) - vec3_dot(between, out_of);
    if (!(bend > 1e-3 * d->radius)) bend = d->radius;
    step = fmin(fmax(-slope / bend, -0.3), 0.3);
    angle += step;
  }
  hn_vec3 both = vec3_cross(e, way);
  if (!(vec3_norm(both) > 1e-4) || fabs(step) > 1e-9) return 0;
  hn_vec3 normal = vec3_unit(both);
  if (vec3_dot(normal, mean_normal(h, edge)) < 0) normal = vec3_negate(normal);
  hn_vec3 radial = vec3_scale(1 / d->radius, vec3_sub(x, middle));
  *out = (rim_place){
      foot, x, way, normal, vec3_dot(e, vec3_sub(x, a)) / length, -vec3_dot(normal, radial)};
  return 1;
}

static double apart_along(const drum *d, hn_vec3 n) {
  return lowest(d, n) - highest_of_hull(d->h, n);
}

// The one of several that is furthest apart; returns how far, -HUGE_VAL: none found.
static double rim_and_edge(const drum *d, int edge, int is_high, rim_place *out) {
  double most = -HUGE_VAL;
  hn_vec3 u = across_axis(d, mean_normal(d->h, edge));
  if (!(vec3_norm(u) > STANDS)) return most;
  u = vec3_unit(vec3_negate(u)); // furthest into the edge
  for (int k = 0; k < 4; k++, u = vec3_cross(d->axis, u)) {
    rim_place r;
    if (!rim_from(d, edge, is_high, u, &r) || r.sine < -STANDS) continue;
    double apart = apart_along(d, r.normal);
    if (!(apart > most)) continue;
    most = apart;
    *out = r;
  }
  return most;
}

// ---- bounds -------------------------------------------------------------------------------------
//
// Along n the two are at most n . (y - v) apart, for any points y of the cylinder and v of the hull. A
// few such ways show that most rims and tips are not further apart than `floor`, what is known already.

typedef struct bounds {
  double floor; // -HUGE_VAL: none
  hn_vec3 way[3];
} bounds;

// The points that face each other along n.
static hn_vec3 way_along(const drum *d, hn_vec3 n) {
  int corner = 0;
  for (int k = 1; k < d->h->vertex_count; k++)
    if (vec3_dot(n, d->h->vertices[k]) > vec3_dot(n, d->h->vertices[corner])) corner = k;
  const hn_vec3 out = across_axis(d, n);
  const double sine = vec3_norm(out), along = vec3_dot(n, d->axis) < 0 ? d->half : -d->half;
  hn_vec3 y = vec3_add_scaled(d->c, along, d->axis);
  if (sine > STANDS) y = vec3_add_scaled(y, -d->radius / sine, out);
  return vec3_sub(y, d->h->vertices[corner]);
}

static bounds bounds_of(const drum *d, const part *face, const part *end, double side) {
  bounds b = {fmax(fmax(face->apart, end->apart), side) - MARGIN * d->size, {{0, 0, 0}}};
  hn_vec3 middle = vec3_zero();
  for (int k = 0; k < d->h->vertex_count; k++) middle = vec3_add(middle, d->h->vertices[k]);
  middle = vec3_scale(1.0 / d->h->vertex_count, middle);
  b.way[0] = way_along(d, d->h->normals[face->index]);
  b.way[1] = way_along(d, end->index == 0 ? d->axis : vec3_negate(d->axis));
  b.way[2] = way_along(d, vec3_unit(vec3_sub(d->c, middle)));
  return b;
}

// Normals of an edge and a rim are perpendicular to the edge, on the side of its faces.
static int edge_can_count(const drum *d, const bounds *b, int edge) {
  const hn_hull *h = d->h;
  const hn_vec3 e = vec3_unit(vec3_sub(h->vertices[h->edges[edge][1]], h->vertices[h->edges[edge][0]]));
  const hn_vec3 m = mean_normal(h, edge), level = vec3_cross(e, vec3_unit(m));
  for (int k = 0; k < 3 && b->floor > 0; k++) {
    const hn_vec3 way = vec3_add_scaled(b->way[k], -vec3_dot(b->way[k], e), e);
    const double most = vec3_dot(way, m) >= 0 ? vec3_norm(way) : fabs(vec3_dot(way, level));
    if (most < b->floor) return 0;
  }
  return 1;
}

static int normal_can_count(const bounds *b, hn_vec3 n) {
  for (int k = 0; k < 3; k++)
    if (vec3_dot(n, b->way[k]) < b->floor) return 0;
  return 1;
}

static part best_rim(const drum *d, const bounds *b) {
  part best = {.kind = RIM, .apart = -HUGE_VAL};
  for (int k = 0; k < 2 * d->h->edge_count; k++) {
    if (!edge_can_count(d, b, k / 2)) continue;
    rim_place r;
    double apart = rim_and_edge(d, k / 2, k % 2, &r);
    if (apart > best.apart && r.part >= 0 && r.part <= 1) best = (part){RIM, k / 2, k % 2, apart};
  }
  return best;
}

// Where an edge that lies flat on an end crosses its rim; returns how often.
static int rim_crossings(const drum *d, int edge, int is_high, rim_place list[2]) {
  hn_vec3 a = d->h->vertices[d->h->edges[edge][0]], b = d->h->vertices[d->h->edges[edge][1]];
  hn_vec3 e = across_axis(d, vec3_sub(b, a)), foot = across_axis(d, vec3_sub(a, d->c));
  if (!(vec3_norm(e) > STANDS * d->size)) return 0;
  e = vec3_unit(e);
  foot = vec3_add_scaled(foot, -vec3_dot(foot, e), e);
  double half2 = d->radius * d->radius - vec3_dot(foot, foot);
  if (!(half2 > GRAZES * GRAZES * d->radius * d->radius)) return 0;
  int count = 0;
  for (int k = 0; k < 2; k++) {
    hn_vec3 from = vec3_unit(vec3_add_scaled(foot, k ? sqrt(half2) : -sqrt(half2), e));
    rim_place *r = &list[count];
    if (rim_from(d, edge, is_high, from, r) && fabs(r->sine) < LIES && r->part >= 0 && r->part <= 1)
      count++;
  }
  return count;
}

// The place of a rim nearest to a corner.
static rim_place rim_and_corner(const drum *d, int corner, int is_high) {
  hn_vec3 x = d->h->vertices[corner];
  hn_vec3 middle = vec3_add_scaled(d->c, is_high ? d->half : -d->half, d->axis);
  hn_vec3 out = vec3_sub(x, middle);
  out = vec3_unit(vec3_add_scaled(out, -vec3_dot(out, d->axis), d->axis));
  hn_vec3 at = vec3_add_scaled(middle, d->radius, out), n = vec3_unit(vec3_sub(at, x));
  return (rim_place){x, at, vec3_cross(d->axis, out), n, 0, -vec3_dot(n, out)};
}

static part best_tip(const drum *d, const bounds *b) {
  part best = {.kind = TIP, .apart = -HUGE_VAL};
  for (int k = 0; k < 2 * d->h->vertex_count; k++) {
    rim_place r = rim_and_corner(d, k / 2, k % 2);
    if (!normal_can_count(b, r.normal)) continue;
    double apart = apart_along(d, r.normal);
    if (apart > best.apart && vec3_norm(vec3_sub(r.on_rim, r.on_edge)) > 1e-9 * d->size)
      best = (part){TIP, k / 2, k % 2, apart};
  }
  return best;
}

// ---- points ---------------------------------------------------------------------------------------

static hn_vec3 to_global(const drum *d, hn_vec3 x) { return placed_point(d->hull, x); }

static void add_to_face(hn_meeting *m, const drum *d, int face, const hn_form *form, int feature) {
  hn_vec3 x = placed_local(d->hull, form->c), n;
  if (!hn_hull_within_face(d->h, face, x, MARGIN * d->size)) return;
  hn_form plane = hn_hull_form(d->hull, face, form->c, &n);
  hn_meeting_add(m, &plane, form, n, feature, 1);
}

// The line of the side over a face, where it crosses the border.
static void add_line_ends(hn_meeting *m, const drum *d, int face, int feature) {
  hn_vec3 n = d->h->normals[face];
  int count = hull_corner_count(d->h, face);
  for (int k = 0; k < count; k++) {
    hn_vec3 a = d->h->vertices[hull_corner(d->h, face, k)],
            b = d->h->vertices[hull_corner(d->h, face, (k + 1) % count)];
    double length = vec3_norm(vec3_sub(b, a));
    hn_vec3 e = vec3_scale(1 / length, vec3_sub(b, a)), both = vec3_cross(e, d->axis);
    hn_vec3 way = vec3_sub(d->c, a);
    double sine2 = vec3_dot(both, both), c = vec3_dot(e, d->axis);
    if (sine2 < 1e-6) continue;
    double w1 = vec3_dot(way, e), w2 = vec3_dot(way, d->axis);
    double z1 = (w1 - c * w2) / sine2, z2 = (c * w1 - w2) / sine2;
    if (z1 < 0 || z1 > length || fabs(z2) >= d->half) continue;
    hn_form edge = form_line(to_global(d, vec3_add_scaled(a, z1, e)), placed_vector(d->hull, e), 0);
    hn_form side = form_line(placed_point(d->cylinder, vec3(0, 0, z2)),
                             mat3_column(d->cylinder->axes, 2), d->radius);
    hn_vec3 out = vec3_unit(both);
    if (vec3_dot(out, n) < 0) out = vec3_negate(out);
    hn_meeting_add(m, &edge, &side, placed_vector(d->hull, out), feature + k, 1);
  }
}

static void add_lowest(hn_meeting *m, const drum *d, int face, int end) {
  hn_vec3 n = placed_vector(d->hull, d->h->normals[face]), axis = mat3_column(d->cylinder->axes, 2);
  hn_vec3 across = vec3_sub(vec3_scale(vec3_dot(n, axis), axis), n);
  double sine = vec3_norm(across);
  hn_vec3 out = sine > 0 ? vec3_scale(1 / sine, across) : mat3_column(d->cylinder->axes, 0);
  hn_vec3 c = placed_point(d->cylinder, vec3(0, 0, end ? d->half : -d->half));
  hn_form rim = {
      vec3_add_scaled(c, d->radius, out), vec3_cross(axis, out), {sine / d->radius, 1}, {1, 0}, 0};
  add_to_face(m, d, face, &rim, end);
}

// ---- points between a flat end and what lies under it ----------------------------------------------

enum { ROOM = 64, CORNERS = 1024, RIMS = 65536, TIPS = 131072 }; // features of the last three

// Arguments of hn_meeting_add.
typedef struct support {
  hn_form of_hull, of_cylinder;
  hn_vec3 normal;
  int feature;
} support;

// Before what counts most is chosen; the first count more than the last.
typedef struct supports {
  int count;
  support list[ROOM];
} supports;

// The later of the two that are nearest to each other; *apart: how near.
static int one_too_many(const supports *s, double *apart) {
  int which = s->count - 1;
  *apart = HUGE_VAL;
  for (int i = 1; i < s->count; i++)
    for (int j = 0; j < i; j++) {
      double far = vec3_norm(vec3_sub(s->list[i].of_cylinder.c, s->list[j].of_cylinder.c));
      if (!(far < *apart * (1 - 1e-9))) continue; // by rounding no other
      *apart = far;
      which = i;
    }
  return which;
}

static void leave_out(supports *s, int which) {
  s->count--;
  for (int k = which; k < s->count; k++) s->list[k] = s->list[k + 1];
}

static void support_by(supports *s, const support *more) {
  double apart;
  if (s->count == ROOM) leave_out(s, one_too_many(s, &apart));
  s->list[s->count++] = *more;
}

static void add_supports(hn_meeting *m, const drum *d, supports *s) {
  double apart;
  for (;;) {
    int which = one_too_many(s, &apart);
    if (s->count <= HN_CONTACT_POINTS && apart > SAME * d->size) break;
    leave_out(s, which);
  }
  for (int k = 0; k < s->count; k++) {
    const support *p = &s->list[k];
    hn_meeting_add(m, &p->of_hull, &p->of_cylinder, p->normal, p->feature, 1);
  }
}

// A corner that lies under an end.
static void support_by_corner(supports *s, const drum *d, int corner, int end) {
  hn_vec3 axis = mat3_column(d->cylinder->axes, 2);
  hn_form point = form_point(to_global(d, d->h->vertices[corner]), 0);
  hn_vec3 x = placed_local(d->cylinder, point.c);
  if (hn_hypot(x.x, x.y) > d->radius) return;
  hn_form flat = form_plane(placed_point(d->cylinder, vec3(x.x, x.y, end ? d->half : -d->half)));
  support_by(s, &(support){point, flat, end ? vec3_negate(axis) : axis, CORNERS + corner});
}

static support on_rim(const drum *d, const rim_place *r, const hn_form *of_hull, int feature) {
  hn_form rim = {to_global(d, r->on_rim),
                 placed_vector(d->hull, r->along),
                 {r->sine / d->radius, 1},
                 {1, 0},
                 0};
  return (support){*of_hull, rim, placed_vector(d->hull, r->normal), feature};
}

static void support_by_rim(supports *s, const drum *d, int edge, int end, const rim_place *r) {
  hn_vec3 a = d->h->vertices[d->h->edges[edge][0]], b = d->h->vertices[d->h->edges[edge][1]];
  hn_vec3 e = vec3_unit(vec3_sub(b, a));
  int side = vec3_dot(e, across_axis(d, vec3_sub(r->on_rim, d->c))) > 0; // of two crossings
  hn_form line = form_line(to_global(d, r->on_edge), placed_vector(d->hull, e), 0);
  support more = on_rim(d, r, &line, RIMS + 4 * edge + 2 * end + side);
  support_by(s, &more);
}

static void support_by_crossings(supports *s, const drum *d, int edge, int end) {
  rim_place list[2];
  int count = rim_crossings(d, edge, end, list);
  for (int k = 0; k < count; k++) support_by_rim(s, d, edge, end, &list[k]);
}

// A place of a rim that stays on it, where it lies over a face.
static void support_by_place(supports *s, const drum *d, int face, int end, int k) {
  double angle = 2 * HN_PI * k / HN_CONTACT_POINTS;
  hn_vec3 own =
              vec3(d->radius * hn_cos(angle), d->radius * hn_sin(angle), end ? d->half : -d->half),
          n;
  hn_form point = form_point(placed_point(d->cylinder, own), 0);
  if (!hn_hull_within_face(d->h, face, placed_local(d->hull, point.c), MARGIN * d->size)) return;
  hn_form plane = hn_hull_form(d->hull, face, point.c, &n);
  support_by(s, &(support){plane, point, n, 2 + k});
}

// An end on a face: the corners of what they have in common, with the arcs of the rim as polygons.
static void standing_points(hn_meeting *m, const drum *d, int face, int end) {
  const hn_hull *h = d->h;
  supports s = {.count = 0};
  for (int k = 0; k < hull_corner_count(h, face); k++)
    support_by_corner(&s, d, hull_corner(h, face, k), end);
  for (int e = 0; e < h->edge_count; e++)
    if (h->edge_faces[e][0] == face || h->edge_faces[e][1] == face)
      support_by_crossings(&s, d, e, end);
  for (int k = 0; k < HN_CONTACT_POINTS; k++) support_by_place(&s, d, face, end, k);
  add_supports(m, d, &s);
}

// Corners and edges that lie under an end.
static void end_points(hn_meeting *m, const drum *d, int end) {
  const hn_hull *h = d->h;
  hn_vec3 n = end == 0 ? d->axis : vec3_negate(d->axis);
  double reach = highest_of_hull(h, n) - OTHERS * d->size;
  supports s = {.count = 0};
  for (int k = 0; k < h->vertex_count; k++)
    if (vec3_dot(n, h->vertices[k]) >= reach) support_by_corner(&s, d, k, end);
  for (int e = 0; e < h->edge_count; e++)
    if (vec3_dot(n, h->vertices[h->edges[e][0]]) >= reach &&
        vec3_dot(n, h->vertices[h->edges[e][1]]) >= reach)
      support_by_crossings(&s, d, e, end);
  add_supports(m, d, &s);
}

static void rim_points(hn_meeting *m, const drum *d, const part *p) {
  rim_place r;
  if (!(rim_and_edge(d, p->index, p->posture, &r) > -HUGE_VAL)) return;
  supports s = {.count = 0};
  support_by_rim(&s, d, p->index, p->posture, &r);
  support_by_crossings(&s, d, p->index, p->posture);
  add_supports(m, d, &s);
}

static void tip_points(hn_meeting *m, const drum *d, const part *p) {
  rim_place r = rim_and_corner(d, p->index, p->posture);
  hn_form corner = form_point(to_global(d, r.on_edge), 0);
  support s = on_rim(d, &r, &corner, TIPS + 2 * p->index + p->posture);
  hn_meeting_add(m, &s.of_hull, &s.of_cylinder, s.normal, s.feature, 1);
}

// ---- points of all ---------------------------------------------------------------------------------

static void face_points(hn_meeting *m, const drum *d, const part *p) {
  enum { LINE = 32 }; // features after those of the rims
  if (p->posture != LEANS) {
    standing_points(m, d, p->index, p->posture == STANDS_HIGH);
    return;
  }
  for (int end = 0; end < 2; end++) add_lowest(m, d, p->index, end);
  if (fabs(vec3_dot(d->axis, d->h->normals[p->index])) < LIES) add_line_ends(m, d, p->index, LINE);
}

static void add_side(hn_meeting *m, const drum *d, const hn_form *of_hull, double z, int feature) {
  if (fabs(z) > d->half) return;
  hn_form side = form_line(placed_point(d->cylinder, vec3(0, 0, z)),
                           mat3_column(d->cylinder->axes, 2), d->radius);
  hn_meeting_add_near(m, of_hull, &side, mat3_column(d->cylinder->axes, 0), feature);
}

static void edge_points(hn_meeting *m, const drum *d, int edge) {
  enum { EDGES = 16384 };
  const hn_hull *h = d->h;
  hn_vec3 a = h->vertices[h->edges[edge][0]], b = h->vertices[h->edges[edge][1]];
  hn_vec3 e = vec3_unit(vec3_sub(b, a)), both = vec3_cross(e, d->axis), way = vec3_sub(d->c, a);
  double sine2 = vec3_dot(both, both), c = vec3_dot(e, d->axis);
  if (sine2 < 1e-12) return; // parallel: its corners count
  double w1 = vec3_dot(way, e), w2 = vec3_dot(way, d->axis);
  hn_form line = form_line(to_global(d, vec3_add_scaled(a, (w1 - c * w2) / sine2, e)),
                           placed_vector(d->hull, e), 0);
  add_side(m, d, &line, (c * w1 - w2) / sine2, EDGES + edge);
}

// A corner, and the other end of an edge along the axis where it is as near.
static void corner_points(hn_meeting *m, const drum *d, int corner) {
  const hn_hull *h = d->h;
  for (int k = 0; k < h->vertex_count; k++) {
    hn_vec3 way = vec3_sub(h->vertices[k], h->vertices[corner]);
    if (k != corner && vec3_norm(vec3_cross(way, d->axis)) > STANDS * d->size) continue;
    hn_form point = form_point(to_global(d, h->vertices[k]), 0);
    add_side(m, d, &point, placed_local(d->cylinder, point.c).z, CORNERS + k);
  }
}

static void points_of(hn_meeting *m, const drum *d, const part *p) {
  switch (p->kind) {
  case FACE: face_points(m, d, p); return;
  case END: end_points(m, d, p->index); return;
  case CORNER: corner_points(m, d, p->index); return;
  case EDGE: edge_points(m, d, p->index); return;
  case RIM: rim_points(m, d, p); return;
  case TIP: tip_points(m, d, p); return;
  case PRISM: hn_hull_hull.points(m, p->index); return;
  }
}

// ---- the meeting ----------------------------------------------------------------------------------

static int drum_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first_of(first->hull, PRISM) + hn_hull_hull.modes(first, second);
}

// The direction in which they are furthest apart that has a point; faces before ends before what is
// round before rims.
static part find_part(const hn_placed *first, const hn_placed *second) {
  enum { KINDS = 5 };
  drum d = drum_of(first, second);
  part list[KINDS] = {best_face(&d), best_end(&d), best_side(&d)};
  bounds b = bounds_of(&d, &list[0], &list[1], list[2].apart);
  list[3] = best_rim(&d, &b);
  list[4] = best_tip(&d, &b);
  static const hn_frame still = {.p = {1, 0, 0, 0}};
  for (int round = 0; round < KINDS; round++) {
    int best = 0;
    for (int k = 1; k < KINDS; k++)
      if (list[k].apart > list[best].apart + (k < 3 ? 1e-9 : 1e-6) * d.size) best = k;
    if (!(list[best].apart > -HUGE_VAL)) break;
    hn_contact_point points[HN_CONTACT_POINTS];
    hn_meeting m = {*first, *second, &still, &still, 0, 0, points};
    points_of(&m, &d, &list[best]);
    if (m.count > 0) return list[best];
    list[best].apart = -HUGE_VAL;
    if (!(b.floor > -HUGE_VAL)) continue;
    b.floor = -HUGE_VAL; // the others count: all of them
    if (best != 3) list[3] = best_rim(&d, &b);
    if (best != 4) list[4] = best_tip(&d, &b);
  }
  return (part){PRISM, hn_hull_hull.mode(first, second), 0, 0};
}

static int drum_mode(const hn_placed *first, const hn_placed *second) {
  part p = find_part(first, second);
  return mode_of(first->shape->hull, &p);
}

static void drum_points(hn_meeting *m, int mode) {
  drum d = drum_of(&m->first, &m->second);
  part p = part_of(d.h, mode);
  points_of(m, &d, &p);
}
const hn_meeting_type hn_hull_cylinder = {drum_modes, drum_mode, drum_points, 1};
