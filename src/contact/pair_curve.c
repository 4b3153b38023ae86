// A curve with a ball or roller, and with a plane.
//
// Against a point with a radius the curve is a ruled surface along z of its shape: the point's own
// place along z counts. Against a plane, which would meet a ruled surface along a line, it is the
// curve itself. One or two points: the nearest feature, and the next one that is apart from it (a
// pin in a slot, a roller in a notch). Mode: first feature + features * (1 + second feature).
#include <math.h>

#include "contact/curve.h"
#include "math/elementary.h"

typedef struct found {
  int feature;
  double gap;
  hn_vec2 at;
} found;

static int features_of(const hn_curve *c) { return 2 * c->count; }

static int curve_modes(const hn_curve *c) {
  double modes = (double)features_of(c) * (1.0 + features_of(c));
  return modes > HN_CONTACT_MODES ? 1 : (int)modes;
}

// Keeps the two nearest that are no neighbors at the same place, the lower number first.
static void keep(found best[2], found new, double apart) {
  for (int k = 0; k < 2; k++)
    if (best[k].feature >= 0 &&
        hn_hypot(best[k].at.x - new.at.x, best[k].at.y - new.at.y) < apart) {
      if (new.gap < best[k].gap) best[k] = new;
      return;
    }
  int worse = best[0].feature < 0 ? 0 : best[1].feature < 0 ? 1 : best[0].gap > best[1].gap ? 0 : 1;
  if (best[worse].feature < 0 || new.gap < best[worse].gap) best[worse] = new;
}

static long encode(const hn_curve *c, const found best[2]) {
  int a = best[0].feature, b = best[1].feature;
  if (a < 0 && b < 0) return 0;
  if (a < 0 || b < 0) return a < 0 ? b : a;
  long features = features_of(c);
  return a < b ? a + features * (1 + (long)b) : b + features * (1 + (long)a);
}

static void decode(const hn_curve *c, long mode, int feature[2]) {
  int features = features_of(c);
  feature[0] = (int)(mode % features);
  feature[1] = (int)(mode / features) - 1;
}

// ---- a point ------------------------------------------------------------------------------------

// How far outside a point is of a feature; 0 in *counts when it faces another one.
static found look_at(const hn_curve *c, int feature, hn_vec2 p, int *counts) {
  hn_curve_point q = hn_curve_nearest(c, feature, p, counts);
  if (feature % 2 && !c->pieces[feature / 2].has_corner) *counts = 0;
  double out = (p.x - q.at.x) * q.normal.x + (p.y - q.at.y) * q.normal.y;
  return (found){feature, out, q.at};
}

// The nearest feature says whether the point is outside or inside. From outside those count that are
// seen from their front; from inside the nearest alone.
static long find_nearest(const hn_placed *first, const hn_placed *second) {
  const hn_curve *c = first->shape->curve;
  hn_vec3 x = placed_local(first, second->at);
  hn_vec2 p = {x.x, x.y};
  double radius = second->shape->radius, reach = radius > 0 ? radius : 0.1 * first->shape->bound;
  const found none = {-1, HUGE_VAL, {0, 0}};
  found best[2] = {none, none}, nearest = none;
  int counts;
  for (int f = 0; f < features_of(c); f++) {
    found here = look_at(c, f, p, &counts);
    if (counts && fabs(here.gap) < fabs(nearest.gap)) nearest = here;
  }
  if (nearest.feature < 0) return 0;
  best[0] = nearest;
  for (int f = 0; nearest.gap >= 0 && f < features_of(c); f++) {
    found here = look_at(c, f, p, &counts);
    if (counts && here.gap >= 0 && here.gap < 2 * reach) keep(best, here, 0.05 * reach);
  }
  return encode(c, best);
}

static int point_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return second ? curve_modes(first->curve) : 0;
}
static int point_mode(const hn_placed *first, const hn_placed *second) {
  return curve_modes(first->shape->curve) == 1 ? 0 : (int)find_nearest(first, second);
}

static void add_point(hn_meeting *m, int feature) {
  const hn_placed *f = &m->first;
  hn_vec3 x = placed_local(f, m->second.at);
  int within;
  hn_curve_point q = hn_curve_nearest(f->shape->curve, feature, (hn_vec2){x.x, x.y}, &within);
  hn_form of_curve = {.c = placed_point(f, vec3(q.at.x, q.at.y, x.z))};
  hn_vec3 n = placed_vector(f, vec3(q.normal.x, q.normal.y, 0));
  of_curve.e = placed_vector(f, vec3(q.way.x, q.way.y, 0));
  of_curve.a[0] = q.is_corner ? 1 : q.curvature;
  of_curve.b[0] = q.is_corner ? 0 : 1;
  of_curve.b[1] = 1;
  hn_form point = form_point(m->second.at, m->second.shape->radius);
  hn_meeting_add(m, &of_curve, &point, n, feature, 1);
}

static void curve_point(hn_meeting *m, int mode) {
  int feature[2];
  const hn_curve *c = m->first.shape->curve;
  decode(c, curve_modes(c) == 1 ? find_nearest(&m->first, &m->second) : mode, feature);
  add_point(m, feature[0]);
  if (feature[1] >= 0) add_point(m, feature[1]);
}
const hn_meeting_type hn_curve_point_meeting = {point_modes, point_mode, curve_point, 0};

// ---- a plane ------------------------------------------------------------------------------------

// The direction against the plane's normal in the curve's plane.
static hn_vec2 down_of(const hn_placed *plane, const hn_placed *curve) {
  hn_vec3 n = mat3_apply_transposed(curve->axes, mat3_column(plane->axes, 2));
  double length = hn_hypot(n.x, n.y);
  if (!(length > 1e-9)) return (hn_vec2){1, 0};
  return (hn_vec2){-n.x / length, -n.y / length};
}

static long find_furthest(const hn_placed *plane, const hn_placed *curve) {
  const hn_curve *c = curve->shape->curve;
  hn_vec2 d = down_of(plane, curve);
  found best[2] = {{-1, HUGE_VAL, {0, 0}}, {-1, HUGE_VAL, {0, 0}}};
  for (int f = 0; f < features_of(c); f++) {
    int within;
    hn_curve_point q = hn_curve_furthest(c, f, d, &within);
    if (within && (f % 2 == 0 || c->pieces[f / 2].has_corner))
      keep(best, (found){f, -(q.at.x * d.x + q.at.y * d.y), q.at}, 0.02 * curve->shape->bound);
  }
  return encode(c, best);
}

static int plane_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first ? curve_modes(second->curve) : 0;
}
static int plane_mode(const hn_placed *first, const hn_placed *second) {
  return curve_modes(second->shape->curve) == 1 ? 0 : (int)find_furthest(first, second);
}

static void add_furthest(hn_meeting *m, int feature) {
  const hn_placed *s = &m->second;
  hn_vec3 n = mat3_column(m->first.axes, 2);
  int within;
  hn_curve_point q = hn_curve_furthest(s->shape->curve, feature, down_of(&m->first, s), &within);
  hn_vec3 c = placed_point(s, vec3(q.at.x, q.at.y, 0));
  double height = vec3_dot(n, vec3_sub(c, m->first.at));
  hn_form plane = form_plane(vec3_add_scaled(c, -height, n)), of_curve = form_point(c, 0);
  if (!q.is_corner) {
    hn_vec3 out = placed_vector(s, vec3(q.normal.x, q.normal.y, 0));
    of_curve.e = placed_vector(s, vec3(q.way.x, q.way.y, 0));
    of_curve.a[0] = -q.curvature * vec3_dot(out, n);
    of_curve.b[0] = 1;
  }
  hn_meeting_add(m, &plane, &of_curve, n, feature, 1);
}

static void plane_curve(hn_meeting *m, int mode) {
  int feature[2];
  const hn_curve *c = m->second.shape->curve;
  decode(c, curve_modes(c) == 1 ? find_furthest(&m->first, &m->second) : mode, feature);
  add_furthest(m, feature[0]);
  if (feature[1] >= 0) add_furthest(m, feature[1]);
}
const hn_meeting_type hn_plane_curve = {plane_modes, plane_mode, plane_curve, 0};
