// A curve with another curve, with a box or hull, with a capsule: planar profiles in the plane of
// the first.
//
// Contact along a line across the plane of a curve is represented by one point of that line. Two
// curves: the first is a ruled surface along z of its shape, the second the curve itself. A box,
// prism or hull is represented by the face that lies in the curve's plane, drawn out across it;
// against it the curve is the curve itself. A capsule is its axis with a radius, wherever it
// points; along z it is a roller.
#include <math.h>

#include "contact/facing.h"
#include "contact/hull.h"
#include "math/elementary.h"

#define SIDES 64 // of a face at most

// The planar profiles of a pair in the plane of the first.
typedef struct outlines {
  const hn_placed *placed[2];
  hn_outline first, second;
  int face;       // hull: of which
  hn_curve drawn; // hull, capsule: its sides
  hn_curve_piece pieces[SIDES];
} outlines;

// ---- making them ----------------------------------------------------------------------------------

// Where planes tilt, the rotation (or the rotation with a reflection) nearest to the projection:
// places keep their lengths, and belong to points of the second at its true pose.
static void see_curve(outlines *o) {
  const hn_placed *first = o->placed[0], *second = o->placed[1];
  const hn_vec3 x = mat3_apply_transposed(first->axes, mat3_column(second->axes, 0));
  const hn_vec3 y = mat3_apply_transposed(first->axes, mat3_column(second->axes, 1));
  const double side = x.x * y.y - x.y * y.x < 0 ? -1 : 1;
  const double angle = hn_atan2(x.y - side * y.x, x.x + side * y.y);
  o->second.curve = second->shape->curve;
  double sine, cosine;
  hn_sincos(angle, &sine, &cosine);
  o->second.across[0][0] = cosine;
  o->second.across[1][0] = sine;
  o->second.across[0][1] = -side * sine;
  o->second.across[1][1] = side * cosine;
}

// The face that looks most along z of the curve.
static int face_along(const hn_placed *curve, const hn_placed *hull) {
  const hn_hull *h = hull->shape->hull;
  hn_vec3 z = mat3_apply_transposed(hull->axes, mat3_column(curve->axes, 2));
  int best = 0;
  for (int f = 1; f < h->face_count; f++)
    if (vec3_dot(z, h->normals[f]) > vec3_dot(z, h->normals[best]) + 1e-9) best = f;
  return best;
}

// Where the edge from a corner, across the face, goes through the curve's plane; about the hull's
// middle.
static hn_vec2 edge_in_plane(const outlines *o, int k) {
  const hn_placed *first = o->placed[0], *second = o->placed[1];
  const hn_hull *h = second->shape->hull;
  hn_vec3 z = mat3_column(first->axes, 2), along = placed_vector(second, h->normals[o->face]);
  hn_vec3 x = placed_vector(second, h->vertices[hull_corner(h, o->face, k)]);
  double up = vec3_dot(z, vec3_add(x, vec3_sub(second->at, first->at)));
  x = vec3_add_scaled(x, -up / fmax(vec3_dot(z, along), 0.1), along);
  hn_vec3 y = mat3_apply_transposed(first->axes, x);
  return (hn_vec2){y.x, y.y};
}

static void see_hull(outlines *o) {
  o->face = face_along(o->placed[0], o->placed[1]);
  int sides = hull_corner_count(o->placed[1]->shape->hull, o->face);
  if (sides > SIDES) sides = SIDES; // rejected when contacts are made
  for (int k = 0; k < sides; k++)
    hn_piece_line(&o->pieces[k], edge_in_plane(o, k), edge_in_plane(o, (k + 1) % sides));
  o->drawn = (hn_curve){sides, o->pieces, 1};
  hn_curve_corners(&o->drawn);
  o->second.curve = &o->drawn;
}

// The axis of a capsule there and back, with both ends as corners.
static void see_segment(outlines *o) {
  const hn_contact_shape *s = o->placed[1]->shape;
  hn_vec3 half = vec3_scale(s->half, mat3_column(o->placed[1]->axes, 2));
  half = mat3_apply_transposed(o->placed[0]->axes, half);
  hn_vec2 low = {-half.x, -half.y}, high = {half.x, half.y};
  hn_piece_line(&o->pieces[0], low, high);
  hn_piece_line(&o->pieces[1], high, low);
  o->pieces[0].has_corner = o->pieces[1].has_corner = 1;
  hn_vec2 way = o->pieces[0].start_way; // along z it is undefined, and any direction will
                                        // do
  o->pieces[1].start_way = o->pieces[1].end_way = (hn_vec2){-way.x, -way.y};
  o->drawn = (hn_curve){2, o->pieces, 1};
  o->second.curve = &o->drawn;
  o->second.radius = s->radius;
}

static void see(outlines *o, const hn_placed *first, const hn_placed *second) {
  o->placed[0] = first;
  o->placed[1] = second;
  hn_vec3 at = placed_local(first, second->at);
  o->first = (hn_outline){first->shape->curve, {{1, 0}, {0, 1}}, {0, 0}, first->shape->bound, 0};
  o->second = (hn_outline){NULL, {{1, 0}, {0, 1}}, {at.x, at.y}, second->shape->bound, 0};
  if (second->shape->kind == HN_KIND_CURVE)
    see_curve(o);
  else if (second->shape->kind == HN_KIND_SEGMENT)
    see_segment(o);
  else
    see_hull(o);
}

// ---- points ---------------------------------------------------------------------------------------

// A curve drawn out along its z, or the curve itself; q in the plane of the first.
static hn_form form_of(const hn_placed *p, const hn_curve_point *q, hn_vec3 c, int is_ruled) {
  hn_form form = {.c = c, .e = placed_vector(p, vec3(q->way.x, q->way.y, 0))};
  form.a[0] = q->is_corner ? 1 : q->curvature;
  form.b[0] = q->is_corner ? 0 : 1;
  form.a[1] = is_ruled ? 0 : 1;
  form.b[1] = is_ruled ? 1 : 0;
  return form;
}

// A point of the first's plane, raised along z of its shape.
static hn_vec3 raised(const hn_meeting *m, hn_vec2 x, double z) {
  return placed_point(&m->first, vec3(x.x, x.y, z));
}

// The place of the second in its own axes; of a segment, how far along its axis.
static hn_vec2 own_place(const outlines *o, const hn_facing *f) {
  const hn_outline *second = &o->second;
  double x = f->second.at.x - second->at.x, y = f->second.at.y - second->at.y;
  return (hn_vec2){second->across[0][0] * x + second->across[1][0] * y,
                   second->across[0][1] * x + second->across[1][1] * y};
}

static hn_form form_of_segment(const outlines *o, const hn_facing *f) {
  const hn_contact_shape *s = o->placed[1]->shape;
  hn_vec2 x = own_place(o, f), half = o->pieces[0].to;
  double length2 = half.x * half.x + half.y * half.y;
  double part = length2 > 1e-12 * s->half * s->half ? (x.x * half.x + x.y * half.y) / length2 : 0;
  hn_vec3 d = mat3_column(o->placed[1]->axes, 2);
  hn_vec3 c = vec3_add_scaled(o->placed[1]->at, part * s->half, d);
  return f->second.is_corner ? form_point(c, s->radius) : form_line(c, d, s->radius);
}

static void add_facing(hn_meeting *m, const outlines *o, const hn_facing *f) {
  const hn_placed *first = &m->first;
  hn_vec3 n = placed_vector(first, vec3(f->first.normal.x, f->first.normal.y, 0));
  int feature = f->feature[0] * 2 * o->second.curve->count + f->feature[1];
  hn_form form1, form2;
  if (m->second.shape->kind == HN_KIND_HULL) {
    hn_vec3 along = placed_vector(&m->second, m->second.shape->hull->normals[o->face]);
    form1 = form_of(first, &f->first, raised(m, f->first.at, 0), 0);
    form2 = form_of(first, &f->second, raised(m, f->second.at, 0), 1);
    n = vec3_unit(vec3_add_scaled(n, -vec3_dot(n, along), along)); // across the sides of the prism
    form2.c = vec3_add_scaled(form2.c, vec3_dot(along, vec3_sub(form1.c, form2.c)), along);
  } else {
    hn_vec2 own = own_place(o, f);
    form2 = m->second.shape->kind == HN_KIND_SEGMENT
                ? form_of_segment(o, f)
                : form_of(first, &f->second, placed_point(&m->second, vec3(own.x, own.y, 0)), 0);
    form1 = form_of(first, &f->first, raised(m, f->first.at, placed_local(first, form2.c).z), 1);
  }
  hn_meeting_add(m, &form1, &form2, n, feature, 1);
}

// ---- modes ----------------------------------------------------------------------------------------

// Mode 0: no places face each other. Then the nearest two places (a feature of each planar
// profile), or the nearest alone where another would make too many modes; if even that does,
// several places share a mode, which means the nearest. Places that a mode names stay on their
// pieces; others are searched each time.
#define SINGLE (HN_CONTACT_MODES - 1)
#define BESIDE 0.02 // of the smaller planar profile: places within this are named

static double places_of(int features1, int features2) { return (double)features1 * features2; }

static int names_two(double places) { return 1 + places + places * places <= HN_CONTACT_MODES; }

static int modes_for(double places) {
  if (names_two(places)) return (int)(1 + places + places * places);
  return 1 + (int)fmin(places, SINGLE);
}

// A hull may show any of its faces.
static int features_of(const hn_contact_shape *s) {
  int most = 2;
  if (s->kind == HN_KIND_CURVE) return 2 * s->curve->count;
  for (int f = 0; s->kind == HN_KIND_HULL && f < s->hull->face_count; f++)
    if (hull_corner_count(s->hull, f) > most) most = hull_corner_count(s->hull, f);
  return 2 * most;
}

static int outlines_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return modes_for(places_of(features_of(first), features_of(second)));
}

static int outlines_mode(const hn_placed *first, const hn_placed *second) {
  int features2 = features_of(second->shape);
  double places = places_of(features_of(first->shape), features2);
  outlines o;
  hn_facing list[2];
  see(&o, first, second);
  int count = hn_facing_find(&o.first, &o.second, list, 2);
  if (count == 0 || list[0].is_crossing) return 0;
  long place = (long)list[0].feature[0] * features2 + list[0].feature[1];
  double beside = list[0].gap + BESIDE * fmin(first->shape->bound, second->shape->bound);
  if (count == 1 || !names_two(places) || list[1].gap > beside) return 1 + (int)(place % SINGLE);
  long other = (long)list[1].feature[0] * features2 + list[1].feature[1];
  long low = place < other ? place : other, high = place < other ? other : place;
  return (int)(1 + places + (double)low * places + (double)high);
}

static double far(const hn_facing *f) {
  return hn_hypot(f->first.at.x - f->second.at.x, f->first.at.y - f->second.at.y);
}

static hn_facing_found place_at(const outlines *o, long place, int features2, hn_facing *out) {
  return hn_facing_of(&o->first, &o->second, (int)(place / features2), (int)(place % features2),
                      out);
}

// The nearest of the places that share a mode, of those that face each other; returns how many, 0 or 1.
static int nearest_of(const outlines *o, long place, double places, int features2, hn_facing *out) {
  int count = 0;
  for (; (double)place < places; place += SINGLE) {
    hn_facing f;
    if (place_at(o, place, features2, &f) != HN_FACING_WITHIN) continue;
    if (count == 0 || far(&f) < far(out)) *out = f;
    count = 1;
  }
  return count;
}

// The places that a mode names; returns how many. A hull may show a face that has not as many sides.
static int named_by(const outlines *o, int mode, hn_facing list[2]) {
  int features2 = features_of(o->placed[1]->shape), count = 0;
  double places = places_of(features_of(o->placed[0]->shape), features2);
  if (mode == 0) return 0;
  if (mode - 1.0 + SINGLE < places) return nearest_of(o, mode - 1, places, features2, list);
  if (!names_two(places) || mode <= places)
    return place_at(o, mode - 1, features2, list) != HN_FACING_NONE;
  int rest = mode - 1 - (int)places, all = (int)places;
  count += place_at(o, rest / all, features2, &list[count]) != HN_FACING_NONE;
  count += place_at(o, rest % all, features2, &list[count]) != HN_FACING_NONE;
  return count;
}

// Whether a curve continues from one piece to the other without a corner.
static int goes_on(const hn_curve *c, int from, int to) {
  if (from == to) return 1;
  if (from % 2 || to % 2) return 0;
  int low = from / 2, high = to / 2;
  if ((low + 1) % c->count != high) {
    low = to / 2;
    high = from / 2;
    if ((low + 1) % c->count != high) return 0;
  }
  hn_vec2 end = c->pieces[low].end_way, start = c->pieces[high].start_way;
  return fabs(end.x * start.y - end.y * start.x) < 1e-6;
}

// A named place that has moved beyond the end of its piece is not a second place.
static int is_listed(const outlines *o, const hn_facing *list, int count, const hn_facing *f,
                     double apart) {
  for (int k = 0; k < count; k++)
    if ((goes_on(o->first.curve, list[k].feature[0], f->feature[0]) &&
         goes_on(o->second.curve, list[k].feature[1], f->feature[1])) ||
        hn_hypot(list[k].first.at.x - f->first.at.x, list[k].first.at.y - f->first.at.y) +
                hn_hypot(list[k].second.at.x - f->second.at.x,
                         list[k].second.at.y - f->second.at.y) <
            apart)
      return 1;
  return 0;
}

static void outlines_points(hn_meeting *m, int mode) {
  double apart = 1e-7 * fmin(m->first.shape->bound, m->second.shape->bound);
  outlines o;
  hn_facing list[HN_CONTACT_POINTS], found[HN_CONTACT_POINTS];
  see(&o, &m->first, &m->second);
  int named = named_by(&o, mode, list), all = named;
  int count = hn_facing_find(&o.first, &o.second, found, HN_CONTACT_POINTS);
  for (int k = 0; k < count && all < HN_CONTACT_POINTS; k++)
    if (!is_listed(&o, list, named, &found[k], apart)) list[all++] = found[k];
  for (int k = 0; k < all; k++) add_facing(m, &o, &list[k]);
}
const hn_meeting_type hn_outlines = {outlines_modes, outlines_mode, outlines_points, 1};

// ---- planes that tilt -----------------------------------------------------------------------------

// The direction of the second that is to lie along z of the first, a curve; 0: any will do.
static int direction_across(const hn_placed *first, const hn_placed *second, hn_vec3 *across) {
  const hn_contact_kind kind = second->shape->kind;
  if (kind == HN_KIND_HULL)
    *across = placed_vector(second, second->shape->hull->normals[face_along(first, second)]);
  else if (kind == HN_KIND_CURVE || kind == HN_KIND_CYLINDER)
    *across = mat3_column(second->axes, 2);
  else
    return 0;
  return 1;
}

// The second is seen in the plane of the first with its own lengths, of which some are shorter by
// the cosine; a roller is assumed to have contact at its middle, but has it at one of its ends.
double hn_outline_tilt(const hn_placed *first, const hn_placed *second, double *error) {
  const hn_contact_shape *s = second->shape;
  const int is_roller = s->kind == HN_KIND_CYLINDER;
  hn_vec3 across;
  *error = 0;
  if (!direction_across(first, second, &across)) return 0;
  const double sine = fmin(vec3_norm(vec3_cross(mat3_column(first->axes, 2), across)), 1);
  *error = (is_roller ? s->radius : s->bound) * sine * sine / (1 + sqrt(1 - sine * sine));
  if (is_roller) *error += s->half * sine;
  return sine;
}

#define ALIGNED 1e-3 // sine of the angle in the reference configuration

const char *hn_outline_refusal(const hn_placed *first, const hn_placed *second) {
  const hn_contact_shape *s = second->shape;
  double error;
  if (first->shape->kind != HN_KIND_CURVE) return NULL;
  if (!(hn_outline_tilt(first, second, &error) < ALIGNED))
    return s->kind == HN_KIND_CURVE ? "a curve whose plane is not parallel"
           : s->kind == HN_KIND_CYLINDER
               ? "a cylinder whose axis is not normal to the plane of the curve"
               : "a box or hull without a face parallel to the plane of the curve";
  if (s->kind == HN_KIND_HULL && hull_corner_count(s->hull, face_along(first, second)) > SIDES)
    return "a hull whose face in the plane of the curve has more than 64 corners";
  return NULL;
}
