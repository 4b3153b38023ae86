// An ellipsoid x' E^-2 x = 1, E = diag(half axes), with a plane, a sphere, a capsule, a polyhedron and
// another ellipsoid.
//
// The point with the outward normal n is E^2 n / h, h = |E n|. Along principal directions, where the
// normal turns by 1, the point moves by the radii of curvature: eigenvalues of
// (E^2 - E^2 n n' E^2 / h^2) / h across n. The point nearest to x solves
//
//   c_i = a_i^2 x_i / (a_i^2 + t),   sum (c_i / a_i)^2 = 1,   t > -min a_i^2
//
// by Newton's method from a t that is too small, from where it never overshoots (D. Eberly, Distance
// from a point to an ellipsoid). The signed distance from an ellipsoid is convex: so along a line its
// derivative, the normal along the line, has one zero.
#include <math.h>

#include "contact/hull.h"
#include "math/elementary.h"

enum { ROUNDS = 100 };
#define SMALL 1e-15
#define SURE 1e-4 // smaller steps of Newton's method need no check: the distance is flat there

// A point of the surface and its outward normal, in the axes of the ellipsoid.
typedef struct surface_point {
  hn_vec3 x, n;
} surface_point;

static hn_vec3 squares_of(const hn_placed *p) {
  const hn_vec3 a = p->shape->half_axes;
  return vec3(a.x * a.x, a.y * a.y, a.z * a.z);
}

static hn_vec3 multiply_axes(hn_vec3 a, hn_vec3 b) { return vec3(a.x * b.x, a.y * b.y, a.z * b.z); }

static double longest_axis(hn_vec3 a) { return fmax(a.x, fmax(a.y, a.z)); }

// Furthest along n, a unit vector in its axes.
static surface_point support_point(const hn_placed *p, hn_vec3 n) {
  const hn_vec3 squares = multiply_axes(squares_of(p), n);
  return (surface_point){vec3_scale(1 / sqrt(vec3_dot(n, squares)), squares), n};
}

static surface_point with_normal(const hn_placed *p, hn_vec3 x) {
  const hn_vec3 s = squares_of(p);
  return (surface_point){x, vec3_unit(vec3(x.x / s.x, x.y / s.y, x.z / s.z))};
}

// sum (a_i x_i / (a_i^2 + t))^2 and its derivative; directions without a part of x do not count.
static double sum_at(hn_vec3 a, hn_vec3 x, double t, double *slope) {
  double sum = 0;
  *slope = 0;
  for (int k = 0; k < 3; k++) {
    const double axis = vec3_get(a, k), part = axis * vec3_get(x, k), below = axis * axis + t;
    if (part == 0 || !(below > 0)) continue;
    const double ratio = part / below;
    sum += ratio * ratio;
    *slope -= 2 * ratio * ratio / below;
  }
  return sum;
}

// Nearest to x, in its axes, which may be inside.
static surface_point nearest(const hn_placed *p, hn_vec3 x) {
  const hn_vec3 a = p->shape->half_axes;
  int thin = a.x <= a.y ? (a.x <= a.z ? 0 : 2) : (a.y <= a.z ? 1 : 2);
  const double least = vec3_get(a, thin);
  double t = least * (fabs(vec3_get(x, thin)) - least), slope, c[3];
  for (int k = 0; k < ROUNDS; k++) {
    const double over = sum_at(a, x, t, &slope) - 1;
    if (!(over > 0) || !(slope < 0)) break;
    const double step = -over / slope;
    t += step;
    if (step < SMALL * (least * least + fabs(t))) break;
  }
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double axis = vec3_get(a, k), below = axis * axis + t, part = vec3_get(x, k);
    c[k] = part == 0 || !(below > 0) ? 0 : axis * axis * part / below;
    sum += c[k] / axis * (c[k] / axis);
  }
  if (sum < 1 && c[thin] == 0) c[thin] = least * sqrt(1 - sum); // x on the plane in the middle
  return with_normal(p, vec3(c[0], c[1], c[2]));
}

// Where the surface is nearest to a line through x along unit d (in its axes), between two positions
// along it; *z becomes the position.
static surface_point nearest_to_line(const hn_placed *p, hn_vec3 x, hn_vec3 d, double low,
                                     double high, double *z) {
  surface_point s = nearest(p, vec3_add_scaled(x, low, d));
  double f_low = vec3_dot(s.n, d), f_high;
  *z = low;
  if (f_low >= 0) return s;
  s = nearest(p, vec3_add_scaled(x, high, d));
  f_high = vec3_dot(s.n, d);
  *z = high;
  if (f_high <= 0) return s;
  int side = 0;
  for (int k = 0; k < ROUNDS && high - low > SMALL * (fabs(low) + fabs(high)); k++) {
    *z = k % 8 == 7 ? 0.5 * (low + high) : low - f_low * (high - low) / (f_high - f_low);
    s = nearest(p, vec3_add_scaled(x, *z, d));
    const double f = vec3_dot(s.n, d);
    if (fabs(f) < SMALL) break;
    if (f < 0) {
      low = *z;
      f_low = f;
      if (side == -1) f_high *= 0.5;
      side = -1;
    } else {
      high = *z;
      f_high = f;
      if (side == 1) f_low *= 0.5;
      side = 1;
    }
  }
  return s;
}

// ---- forms --------------------------------------------------------------------------------------

// (E^2 - E^2 n n' E^2 / h^2) / h between two directions.
static double radius_between(hn_vec3 squares, hn_vec3 n, hn_vec3 a, hn_vec3 b) {
  const double h2 = vec3_dot(n, multiply_axes(squares, n));
  return (vec3_dot(a, multiply_axes(squares, b)) -
          vec3_dot(a, multiply_axes(squares, n)) * vec3_dot(b, multiply_axes(squares, n)) / h2) /
         sqrt(h2);
}

static hn_form form_of(const hn_placed *p, surface_point s) {
  const hn_vec3 squares = squares_of(p);
  hn_vec3 t[2];
  hn_contact_tangents(s.n, t);
  const double xx = radius_between(squares, s.n, t[0], t[0]);
  const double yy = radius_between(squares, s.n, t[1], t[1]);
  const double xy = radius_between(squares, s.n, t[0], t[1]);
  const double half = 0.5 * (xx - yy), middle = 0.5 * (xx + yy), root = sqrt(half * half + xy * xy);
  hn_vec3 e = half >= 0 ? vec3_add(vec3_scale(half + root, t[0]), vec3_scale(xy, t[1]))
                        : vec3_add(vec3_scale(xy, t[0]), vec3_scale(root - half, t[1]));
  e = root > SMALL * middle ? vec3_unit(e) : t[0];
  return (hn_form){
      placed_point(p, s.x), placed_vector(p, e), {1, 1}, {middle + root, middle - root}, 0};
}

// The ellipsoid is one of the two; its point s meets the form of the other.
static void add(hn_meeting *m, const hn_placed *p, surface_point s, const hn_form *other,
                int feature) {
  const hn_form own = form_of(p, s);
  const hn_vec3 n = placed_vector(p, s.n);
  if (p == &m->first)
    hn_meeting_add(m, &own, other, n, feature, 1);
  else
    hn_meeting_add(m, other, &own, vec3_negate(n), feature, 1);
}

static int one_mode(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? 1 : 0;
}
static int first_mode(const hn_placed *first, const hn_placed *second) {
  return first && second ? 0 : HN_CONTACT_APART;
}

// ---- planes, spheres, capsules ------------------------------------------------------------------

// The point that is lowest above a plane of this normal, global, through `at`.
static void add_lowest(hn_meeting *m, hn_vec3 normal, hn_vec3 at, int feature) {
  const hn_placed *p = &m->second;
  const surface_point s = support_point(p, mat3_apply_transposed(p->axes, vec3_negate(normal)));
  const hn_vec3 x = placed_point(p, s.x);
  const hn_form plane = form_plane(vec3_add_scaled(x, -vec3_dot(normal, vec3_sub(x, at)), normal));
  add(m, p, s, &plane, feature);
}

static void plane_ellipsoid(hn_meeting *m, int mode) {
  (void)mode;
  add_lowest(m, mat3_column(m->first.axes, 2), m->first.at, 0);
}
const hn_meeting_type hn_plane_ellipsoid = {one_mode, first_mode, plane_ellipsoid, 0};

static void ellipsoid_point(hn_meeting *m, int mode) {
  (void)mode;
  const hn_form point = form_point(m->second.at, m->second.shape->radius);
  add(m, &m->first, nearest(&m->first, placed_local(&m->first, m->second.at)), &point, 0);
}
const hn_meeting_type hn_ellipsoid_point = {one_mode, first_mode, ellipsoid_point, 0};

enum { END_LOW, END_HIGH, MIDDLE, PARTS }; // of a capsule

static int segment_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? PARTS : 0;
}

static surface_point nearest_to_segment(const hn_placed *first, const hn_placed *second,
                                        double half, double *z) {
  const hn_vec3 x = placed_local(first, second->at);
  const hn_vec3 d = mat3_apply_transposed(first->axes, mat3_column(second->axes, 2));
  return nearest_to_line(first, x, d, -half, half, z);
}

static int segment_mode(const hn_placed *first, const hn_placed *second) {
  const double half = second->shape->half;
  double z;
  nearest_to_segment(first, second, half, &z);
  return z <= -half ? END_LOW : z >= half ? END_HIGH : MIDDLE;
}

static void ellipsoid_segment(hn_meeting *m, int mode) {
  const hn_contact_shape *bar = m->second.shape;
  if (mode == MIDDLE) { // of an infinite line
    double z;
    const double reach = bar->half + longest_axis(m->first.shape->half_axes);
    const surface_point s = nearest_to_segment(&m->first, &m->second, reach, &z);
    const hn_form line = form_line(placed_point(&m->second, vec3(0, 0, z)),
                                   mat3_column(m->second.axes, 2), bar->radius);
    add(m, &m->first, s, &line, 0);
    return;
  }
  const hn_vec3 x = placed_point(&m->second, vec3(0, 0, mode == END_LOW ? -bar->half : bar->half));
  const hn_form point = form_point(x, bar->radius);
  add(m, &m->first, nearest(&m->first, placed_local(&m->first, x)), &point, 0);
}
const hn_meeting_type hn_ellipsoid_segment = {segment_modes, segment_mode, ellipsoid_segment, 0};

// ---- polyhedra ----------------------------------------------------------------------------------

// The point of the ellipsoid that is nearest to an unlimited plane, line or point: a feature of the
// hull. The second form is that of the hull there.
static surface_point nearest_to_feature(const hn_placed *hull, const hn_placed *p, int feature,
                                        hn_form *form) {
  hn_vec3 normal;
  const int faces = hull->shape->hull->face_count, edges = hull->shape->hull->edge_count;
  *form = hn_hull_form(hull, feature, p->at, &normal);
  surface_point s;
  if (feature < faces) {
    s = support_point(p, mat3_apply_transposed(p->axes, vec3_negate(normal)));
    *form = hn_hull_form(hull, feature, placed_point(p, s.x), &normal);
  } else if (feature < faces + edges) { // form->c: nearest to the middle
    const double reach = 1.01 * longest_axis(p->shape->half_axes);
    double z;
    s = nearest_to_line(p, placed_local(p, form->c), mat3_apply_transposed(p->axes, form->e),
                        -reach, reach, &z);
    form->c = vec3_add_scaled(form->c, z, form->e);
  } else {
    s = nearest(p, placed_local(p, form->c));
  }
  return s;
}

static int hull_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  (void)second;
  return hull_features(first->hull);
}

// The face from whose plane the ellipsoid is furthest, or least deep.
static int best_face(const hn_placed *first, const hn_placed *second, double *separation) {
  const hn_hull *h = first->shape->hull;
  const hn_vec3 at = placed_local(first, second->at);
  int best = 0;
  *separation = -HUGE_VAL;
  for (int f = 0; f < h->face_count; f++) {
    const hn_vec3 n = mat3_apply_transposed(second->axes, placed_vector(first, h->normals[f]));
    const double own = vec3_dot(h->normals[f], at) - h->offsets[f] -
                       sqrt(vec3_dot(n, multiply_axes(squares_of(second), n)));
    if (!(own > *separation)) continue;
    *separation = own;
    best = f;
  }
  return best;
}

// Whether no corner of the hull is beyond a point of it, both in its axes.
static int supports(const hn_contact_shape *hull, hn_vec3 direction, hn_vec3 point) {
  for (int k = 0; k < hull->hull->vertex_count; k++)
    if (vec3_dot(direction, vec3_sub(hull->hull->vertices[k], point)) > 1e-9 * hull->bound)
      return 0;
  return 1;
}

// Where both overlap: the direction in which they are least deep, that of the feature or of a face.
static int least_deep(const hn_placed *first, const hn_placed *second, int feature) {
  double depth;
  hn_form form;
  const int face = best_face(first, second, &depth);
  const surface_point s = nearest_to_feature(first, second, feature, &form);
  const hn_vec3 n = placed_vector(second, s.n), out = vec3_negate(n);
  const double gap = vec3_dot(n, vec3_sub(form.c, placed_point(second, s.x)));
  if (gap >= 0) return feature;
  return gap >= depth && supports(first->shape, mat3_apply_transposed(first->axes, out),
                                  placed_local(first, form.c))
             ? feature
             : face;
}

// From the feature nearest to the middle to the one nearest to the point found for it, and so on.
static int hull_mode(const hn_placed *first, const hn_placed *second) {
  const hn_hull *h = first->shape->hull;
  int feature = hn_hull_nearest(h, placed_local(first, second->at), NULL), best = feature;
  double least = HUGE_VAL;
  for (int k = 0; k < ROUNDS; k++) {
    hn_form form;
    const surface_point s = nearest_to_feature(first, second, feature, &form);
    double distance;
    const int next = hn_hull_nearest(h, placed_local(first, placed_point(second, s.x)), &distance);
    if (!(distance < least)) break;
    best = feature;
    if (distance <= 0 || next == feature) break;
    least = distance;
    best = feature = next;
  }
  return least_deep(first, second, best);
}

static void hull_ellipsoid(hn_meeting *m, int mode) {
  hn_form form;
  const surface_point s = nearest_to_feature(&m->first, &m->second, mode, &form);
  add(m, &m->second, s, &form, 0);
}
const hn_meeting_type hn_hull_ellipsoid = {hull_modes, hull_mode, hull_ellipsoid, 0};

// ---- two ellipsoids -----------------------------------------------------------------------------

typedef struct separation {
  surface_point s1, s2;
  hn_vec3 way; // from one to the other, global
  double distance;
} separation;

// Along a unit vector, from the first to the second.
static separation along(const hn_meeting *m, hn_vec3 n) {
  separation s = {
      .s1 = support_point(&m->first, mat3_apply_transposed(m->first.axes, n)),
      .s2 = support_point(&m->second, mat3_apply_transposed(m->second.axes, vec3_negate(n)))};
  s.way = vec3_sub(placed_point(&m->second, s.s2.x), placed_point(&m->first, s.s1.x));
  s.distance = vec3_dot(n, s.way);
  return s;
}

static double radius_sum(const hn_meeting *m, const separation *s, hn_vec3 a, hn_vec3 b) {
  const hn_mat3 one = m->first.axes, two = m->second.axes;
  return radius_between(squares_of(&m->first), s->s1.n, mat3_apply_transposed(one, a),
                        mat3_apply_transposed(one, b)) +
         radius_between(squares_of(&m->second), s->s2.n, mat3_apply_transposed(two, a),
                        mat3_apply_transposed(two, b));
}

// The direction of largest separation, by Newton's method: its gradient across n is that of `way`, its
// second derivative -(R + distance), R the radii of both.
static void ellipsoid_ellipsoid(hn_meeting *m, int mode) {
  (void)mode;
  hn_vec3 n = vec3_unit(vec3_sub(m->second.at, m->first.at)), t[2];
  if (!(vec3_dot(n, n) > 0)) n = vec3(0, 0, 1);
  separation s = along(m, n);
  double last = HUGE_VAL;
  for (int k = 0; k < ROUNDS; k++) {
    hn_contact_tangents(n, t);
    const double gx = vec3_dot(t[0], s.way), gy = vec3_dot(t[1], s.way);
    double xx = radius_sum(m, &s, t[0], t[0]), yy = radius_sum(m, &s, t[1], t[1]);
    const double xy = radius_sum(m, &s, t[0], t[1]);
    const double mean = 0.5 * (xx + yy), root = hn_hypot(0.5 * (xx - yy), xy);
    const double more = fmax(s.distance, -0.5 * (mean - root)); // deep: stays a maximum
    xx += more;
    yy += more;
    const double det = xx * yy - xy * xy;
    hn_vec3 step = vec3_add(vec3_scale((yy * gx - xy * gy) / det, t[0]),
                            vec3_scale((xx * gy - xy * gx) / det, t[1]));
    const double size = vec3_norm(step);
    if (!(size > 4 * SMALL) || (size < SURE && size > 0.5 * last)) break; // rounding is left
    last = size;
    hn_vec3 to = vec3_unit(vec3_add(n, step));
    separation next = along(m, to);
    for (int half = 0; half < 30 && size >= SURE && !(next.distance > s.distance); half++) {
      step = vec3_scale(0.5, step);
      to = vec3_unit(vec3_add(n, step));
      next = along(m, to);
    }
    n = to;
    s = next;
  }
  const hn_form other = form_of(&m->second, s.s2);
  add(m, &m->first, s.s1, &other, 0);
}
const hn_meeting_type hn_ellipsoid_ellipsoid = {one_mode, first_mode, ellipsoid_ellipsoid, 0};
