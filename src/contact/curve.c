// Curves: made of points, and asked for their nearest and furthest points.
#include "contact/curve.h"

#include <math.h>

#include "base/error.h"
#include "math/elementary.h"

static hn_vec2 to_right(hn_vec2 a) { return (hn_vec2){a.y, -a.x}; }
static hn_vec2 to_left(hn_vec2 a) { return (hn_vec2){-a.y, a.x}; }

// ---- making -------------------------------------------------------------------------------------

void hn_piece_line(hn_curve_piece *p, hn_vec2 from, hn_vec2 to) {
  *p = (hn_curve_piece){.kind = HN_PIECE_LINE, .from = from, .to = to};
  hn_vec2 chord = vec2_sub(to, from);
  p->start_way = p->end_way = vec2_unit(chord);
  p->middle = vec2_add_scaled(from, 0.5, chord);
  p->reach = 0.5 * vec2_norm(chord);
}

// bulge: the tangent of a quarter of the arc's angle, > 0 to the left.
static void make_arc(hn_curve_piece *p, double bulge) {
  hn_vec2 chord = vec2_sub(p->to, p->from);
  double length = vec2_norm(chord), half = 2 * hn_atan(fabs(bulge)); // half of the angle
  p->kind = HN_PIECE_ARC;
  p->turn = bulge > 0 ? 1 : -1;
  p->sweep = 2 * half;
  p->radius = 0.5 * length / hn_sin(half);
  hn_vec2 side = to_left(vec2_unit(chord)); // to the center, for small arcs to the left
  hn_vec2 middle = vec2_add_scaled(p->from, 0.5, chord);
  p->center = vec2_add_scaled(middle, p->turn * p->radius * hn_cos(half), side);
  hn_vec2 out = vec2_sub(p->from, p->center);
  p->angle = hn_atan2(out.y, out.x);
  hn_vec2 start = to_left(vec2_unit(out)), end = to_left(vec2_unit(vec2_sub(p->to, p->center)));
  p->start_way = (hn_vec2){p->turn * start.x, p->turn * start.y};
  p->end_way = (hn_vec2){p->turn * end.x, p->turn * end.y};
  double halfway = p->angle + p->turn * half;
  p->middle = vec2_add_scaled(p->center, p->radius, (hn_vec2){hn_cos(halfway), hn_sin(halfway)});
  p->reach = p->sweep < HN_PI ? 2 * p->radius * hn_sin(0.5 * half) : 2 * p->radius;
}

// Second derivatives of a cubic spline through values at the given parameters' steps h; closed: period.
// Solved by as many sweeps as it takes: the matrix is strongly diagonal.
static void spline_bends(int count, int is_closed, const double *h, const double *y, int stride,
                         double *bend) {
  int pieces = is_closed ? count : count - 1;
  for (int k = 0; k < count; k++) bend[k] = 0;
  for (int sweep = 0; sweep < 200; sweep++)
    for (int k = is_closed ? 0 : 1; k < (is_closed ? count : count - 1); k++) {
      int before = (k + count - 1) % count, after = (k + 1) % count;
      double h0 = h[(k + pieces - 1) % pieces], h1 = h[k % pieces];
      double slope0 = (y[k * stride] - y[before * stride]) / h0;
      double slope1 = (y[after * stride] - y[k * stride]) / h1;
      bend[k] = (6 * (slope1 - slope0) - h0 * bend[before] - h1 * bend[after]) / (2 * (h0 + h1));
    }
}

static void cubic_of(double h, double y0, double y1, double b0, double b1, double c[4]) {
  c[0] = y0;
  c[1] = (y1 - y0) / h - h * (2 * b0 + b1) / 6;
  c[2] = b0 / 2;
  c[3] = (b1 - b0) / (6 * h);
}

static hn_curve_point cubic_at(const hn_curve_piece *p, double s) {
  hn_vec2 d1 = {p->x[1] + s * (2 * p->x[2] + 3 * s * p->x[3]),
                p->y[1] + s * (2 * p->y[2] + 3 * s * p->y[3])};
  hn_vec2 d2 = {2 * p->x[2] + 6 * s * p->x[3], 2 * p->y[2] + 6 * s * p->y[3]};
  double speed = vec2_norm(d1);
  hn_curve_point q = {0};
  q.at.x = p->x[0] + s * (p->x[1] + s * (p->x[2] + s * p->x[3]));
  q.at.y = p->y[0] + s * (p->y[1] + s * (p->y[2] + s * p->y[3]));
  q.way = vec2_unit(d1);
  q.normal = to_right(q.way);
  q.curvature = speed > 0 ? vec2_cross(d1, d2) / (speed * speed * speed) : 0;
  return q;
}

// The circle about a cubic's middle holds the control points of its Bezier form, and so the piece.
static void bound_cubic(hn_curve_piece *p) {
  double h = p->length;
  const hn_vec2 control[4] = {p->from,
                              {p->x[0] + h * p->x[1] / 3, p->y[0] + h * p->y[1] / 3},
                              {p->x[0] + h * (2 * p->x[1] + h * p->x[2]) / 3,
                               p->y[0] + h * (2 * p->y[1] + h * p->y[2]) / 3},
                              p->to};
  p->middle = cubic_at(p, 0.5 * h).at;
  p->reach = 0;
  for (int k = 0; k < 4; k++) p->reach = fmax(p->reach, vec2_norm(vec2_sub(control[k], p->middle)));
}

static hn_status make_spline(hn_arena *arena, hn_curve *c, const double *points, int count) {
  double *h = HN_TAKE(arena, double, count), *bend = HN_TAKE(arena, double, 2 * (size_t)count);
  if (!h || !bend) return HN_ERROR_MEMORY;
  for (int k = 0; k < c->count; k++) h[k] = vec2_norm(vec2_sub(c->pieces[k].to, c->pieces[k].from));
  spline_bends(count, c->is_closed, h, points, 3, bend);
  spline_bends(count, c->is_closed, h, points + 1, 3, bend + count);
  for (int k = 0; k < c->count; k++) {
    hn_curve_piece *p = &c->pieces[k];
    int next = (k + 1) % count;
    p->kind = HN_PIECE_CUBIC;
    p->length = h[k];
    cubic_of(h[k], p->from.x, p->to.x, bend[k], bend[next], p->x);
    cubic_of(h[k], p->from.y, p->to.y, bend[count + k], bend[count + next], p->y);
    p->start_way = cubic_at(p, 0).way;
    p->end_way = cubic_at(p, p->length).way;
    bound_cubic(p);
  }
  return HN_OK;
}

// Twice the area to the left, with that of the arcs' segments.
static double area_of(const double *points, int count) {
  double area = 0;
  for (int k = 0; k < count; k++) {
    const double *a = &points[3 * k], *b = &points[3 * ((k + 1) % count)];
    double chord = hn_hypot(b[0] - a[0], b[1] - a[1]), angle = 4 * hn_atan(a[2]);
    area += a[0] * b[1] - b[0] * a[1];
    if (angle != 0) {
      double radius = 0.5 * chord / hn_sin(0.5 * angle);
      area += radius * radius * (angle - hn_sin(angle));
    }
  }
  return area;
}

// The same points the other way round.
static double *reversed(hn_arena *arena, const double *points, int count, int is_closed) {
  double *out = HN_TAKE(arena, double, 3 * (size_t)count);
  for (int k = 0; out && k < count; k++) {
    int from = count - 1 - k, bulge = is_closed ? (from + count - 1) % count : from - 1;
    out[3 * k] = points[3 * from];
    out[3 * k + 1] = points[3 * from + 1];
    out[3 * k + 2] = bulge >= 0 ? -points[3 * bulge + 2] : 0;
  }
  return out;
}

void hn_curve_corners(hn_curve *c) {
  for (int k = 0; k < c->count; k++) {
    hn_curve_piece *p = &c->pieces[k], *next = &c->pieces[(k + 1) % c->count];
    if (k + 1 == c->count && !c->is_closed) break;
    p->has_corner = vec2_cross(p->end_way, next->start_way) > 1e-6;
  }
}

hn_status hn_curve_make(hn_arena *arena, const hn_shape_def *def, hn_curve **curve,
                        const char **why) {
  int count = def->curve_count;
  const double *points = def->curve;
  hn_curve *c = HN_TAKE(arena, hn_curve, 1);
  *why = "does not fit into memory";
  *curve = c;
  if (!c) return HN_ERROR_MEMORY;
  c->is_closed = def->curve_is_closed;
  c->count = c->is_closed ? count : count - 1;
  c->pieces = HN_TAKE(arena, hn_curve_piece, c->count);
  int is_left = c->is_closed ? area_of(points, count) > 0 : 1;
  if (is_left == (def->curve_is_hollow != 0)) points = reversed(arena, points, count, c->is_closed);
  if (!points || !c->pieces) return HN_ERROR_MEMORY;
  for (int k = 0; k < c->count; k++) {
    hn_curve_piece *p = &c->pieces[k];
    const double *a = &points[3 * k], *b = &points[3 * ((k + 1) % count)];
    p->from = (hn_vec2){a[0], a[1]};
    p->to = (hn_vec2){b[0], b[1]};
    *why = "has two equal points one after the other";
    if (!(vec2_norm(vec2_sub(p->to, p->from)) > 1e-12)) return HN_ERROR_MODEL;
    if (def->curve_is_spline) continue;
    if (a[2] != 0)
      make_arc(p, a[2]);
    else
      hn_piece_line(p, p->from, p->to);
  }
  *why = "needs three points for a spline";
  if (def->curve_is_spline && count < 3) return HN_ERROR_MODEL;
  hn_status status = def->curve_is_spline ? make_spline(arena, c, points, count) : HN_OK;
  hn_curve_corners(c);
  return status;
}

hn_status hn_curve_of_shape(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                            hn_error *error) {
  hn_curve *curve;
  const char *why;
  hn_status status = hn_curve_make(arena, def, &curve, &why);
  if (status)
    return hn_fail(error, status, &def->source, "a shape (curve)", "Correct its points.", "%s",
                   why);
  out->kind = HN_KIND_CURVE;
  out->curve = curve;
  out->half = 0.5 * def->length;
  out->bound = 0;
  for (int k = 0; k < curve->count; k++) {
    const hn_curve_piece *p = &curve->pieces[k];
    double bulge = p->kind == HN_PIECE_ARC ? p->radius : p->length;
    out->bound = fmax(out->bound, vec2_norm(p->from) + (p->kind == HN_PIECE_LINE ? 0 : bulge));
    out->bound = fmax(out->bound, vec2_norm(p->to));
  }
  out->bound = hn_hypot(out->bound, out->half);
  return HN_OK;
}

// ---- asking -------------------------------------------------------------------------------------

#define MARGIN 1e-12 // of lengths and directions: so far beyond its ends a piece still counts

static hn_curve_point corner_of(const hn_curve *c, int k, hn_vec2 normal) {
  hn_curve_point q = {.at = c->pieces[k].to, .normal = normal, .is_corner = 1};
  q.way = to_left(normal);
  return q;
}

// Whether a direction lies between the normals on either side of the corner.
static int in_corner(const hn_curve *c, int k, hn_vec2 d) {
  const hn_curve_piece *p = &c->pieces[k], *next = &c->pieces[(k + 1) % c->count];
  return p->has_corner && vec2_dot(d, p->end_way) >= -MARGIN &&
         vec2_dot(d, next->start_way) <= MARGIN;
}

static int arc_holds(const hn_curve_piece *p, hn_vec2 out) {
  double along = p->turn * (hn_atan2(out.y, out.x) - p->angle);
  along -= 2 * HN_PI * floor(along / (2 * HN_PI));
  return along <= p->sweep + MARGIN || along > 2 * HN_PI - MARGIN;
}

static hn_curve_point arc_at(const hn_curve_piece *p, hn_vec2 out) {
  hn_curve_point q = {.at = vec2_add_scaled(p->center, p->radius, out),
                      .normal = (hn_vec2){p->turn * out.x, p->turn * out.y},
                      .curvature = p->turn / p->radius};
  q.way = to_left(q.normal);
  return q;
}

// Newton's method for f(s) = 0 within a little more than the piece.
static double cubic_foot(const hn_curve_piece *p, hn_vec2 x, double s) {
  for (int k = 0; k < 30; k++) {
    hn_vec2 r = {p->x[0] + s * (p->x[1] + s * (p->x[2] + s * p->x[3])) - x.x,
                 p->y[0] + s * (p->y[1] + s * (p->y[2] + s * p->y[3])) - x.y};
    hn_vec2 d1 = {p->x[1] + s * (2 * p->x[2] + 3 * s * p->x[3]),
                  p->y[1] + s * (2 * p->y[2] + 3 * s * p->y[3])};
    hn_vec2 d2 = {2 * p->x[2] + 6 * s * p->x[3], 2 * p->y[2] + 6 * s * p->y[3]};
    double f = vec2_dot(r, d1), df = vec2_dot(d1, d1) + vec2_dot(r, d2);
    if (!(df > 1e-3 * vec2_dot(d1, d1))) df = vec2_dot(d1, d1); // not towards a maximum
    double next = fmin(fmax(s - f / df, -0.5 * p->length), 1.5 * p->length);
    if (fabs(next - s) <= 1e-15 * p->length) return next;
    s = next;
  }
  return s;
}

static hn_curve_point cubic_nearest(const hn_curve_piece *p, hn_vec2 x, int *within) {
  double best = HUGE_VAL, start = 0;
  for (int k = 0; k <= 4; k++) {
    double s = 0.25 * k * p->length, far = vec2_norm(vec2_sub(cubic_at(p, s).at, x));
    if (far < best) {
      best = far;
      start = s;
    }
  }
  double s = cubic_foot(p, x, start);
  *within = s >= -MARGIN * p->length && s <= (1 + MARGIN) * p->length;
  return cubic_at(p, s);
}

hn_curve_point hn_curve_nearest(const hn_curve *c, int feature, hn_vec2 x, int *within) {
  const hn_curve_piece *p = &c->pieces[feature / 2];
  if (feature % 2) {
    hn_vec2 d = vec2_unit(vec2_sub(x, p->to));
    *within = in_corner(c, feature / 2, d);
    return corner_of(c, feature / 2, d);
  }
  if (p->kind == HN_PIECE_CUBIC) return cubic_nearest(p, x, within);
  if (p->kind == HN_PIECE_ARC) {
    hn_vec2 out = vec2_unit(vec2_sub(x, p->center));
    *within = arc_holds(p, out);
    return arc_at(p, out);
  }
  double s = vec2_dot(p->start_way, vec2_sub(x, p->from));
  double length = vec2_norm(vec2_sub(p->to, p->from));
  *within = s >= -MARGIN * length && s <= (1 + MARGIN) * length;
  return (hn_curve_point){.at = vec2_add_scaled(p->from, s, p->start_way),
                          .normal = to_right(p->start_way),
                          .way = p->start_way};
}

// Where the tangent of a cubic is perpendicular to d: a quadratic equation; the root further along d.
static hn_curve_point cubic_furthest(const hn_curve_piece *p, hn_vec2 d, int *within) {
  double a = 3 * (p->x[3] * d.x + p->y[3] * d.y), b = 2 * (p->x[2] * d.x + p->y[2] * d.y),
         c = p->x[1] * d.x + p->y[1] * d.y;
  double root[2] = {HUGE_VAL, HUGE_VAL}, middle = 0.5 * p->length;
  double inner = b * b - 4 * a * c;
  if (fabs(a) * p->length < 1e-9 * fabs(b)) {
    root[0] = b != 0 ? -c / b : HUGE_VAL;
  } else if (inner >= 0) {
    double q = -0.5 * (b + (b < 0 ? -1 : 1) * sqrt(inner));
    root[0] = q / a;
    root[1] = q != 0 ? c / q : HUGE_VAL;
  }
  double s = fabs(root[0] - middle) < fabs(root[1] - middle) ? root[0] : root[1];
  *within = s >= -MARGIN * p->length && s <= (1 + MARGIN) * p->length;
  if (!(fabs(s - middle) <= p->length)) s = middle;
  hn_curve_point point = cubic_at(p, s);
  *within = *within && vec2_dot(point.normal, d) > 0;
  return point;
}

hn_curve_point hn_curve_furthest(const hn_curve *c, int feature, hn_vec2 d, int *within) {
  const hn_curve_piece *p = &c->pieces[feature / 2];
  if (feature % 2) {
    *within = in_corner(c, feature / 2, d);
    return corner_of(c, feature / 2, d);
  }
  if (p->kind == HN_PIECE_CUBIC) return cubic_furthest(p, d, within);
  if (p->kind == HN_PIECE_ARC) {
    hn_vec2 out = (hn_vec2){p->turn * d.x, p->turn * d.y};
    *within = p->turn > 0 && arc_holds(p, out);
    return arc_at(p, out);
  }
  *within = 0; // its ends are further
  return (hn_curve_point){.at = p->from, .normal = to_right(p->start_way), .way = p->start_way};
}

double hn_piece_length(const hn_curve_piece *p) {
  if (p->kind == HN_PIECE_CUBIC) return p->length;
  return p->kind == HN_PIECE_ARC ? p->radius * p->sweep : 2 * p->reach;
}

hn_curve_point hn_piece_at(const hn_curve_piece *p, double s, double *speed) {
  *speed = 1;
  if (p->kind == HN_PIECE_CUBIC) {
    *speed = vec2_norm((hn_vec2){p->x[1] + s * (2 * p->x[2] + 3 * s * p->x[3]),
                                 p->y[1] + s * (2 * p->y[2] + 3 * s * p->y[3])});
    return cubic_at(p, s);
  }
  if (p->kind == HN_PIECE_ARC) {
    double angle = p->angle + p->turn * s / p->radius;
    return arc_at(p, (hn_vec2){hn_cos(angle), hn_sin(angle)});
  }
  return (hn_curve_point){.at = vec2_add_scaled(p->from, s, p->start_way),
                          .normal = to_right(p->start_way),
                          .way = p->start_way};
}

double hn_curve_outside(const hn_curve *c, hn_vec2 x) {
  double nearest = HUGE_VAL;
  for (int f = 0; f < 2 * c->count; f++) {
    int counts;
    hn_curve_point q = hn_curve_nearest(c, f, x, &counts);
    double out = vec2_dot(vec2_sub(x, q.at), q.normal);
    if (counts && fabs(out) < fabs(nearest)) nearest = out;
  }
  return nearest;
}

int hn_curve_sample(const hn_curve *c, int each, double *points, int room) {
  int count = 0;
  for (int k = 0; k < c->count; k++) {
    const hn_curve_piece *p = &c->pieces[k];
    int steps = p->kind == HN_PIECE_LINE ? 1 : p->kind == HN_PIECE_ARC ? 4 * each : each;
    for (int i = 0; i < steps && count < room; i++) {
      double part = (double)i / steps;
      hn_vec2 at = p->from;
      if (p->kind == HN_PIECE_CUBIC) at = cubic_at(p, part * p->length).at;
      if (p->kind == HN_PIECE_ARC) {
        double angle = p->angle + p->turn * part * p->sweep;
        at = vec2_add_scaled(p->center, p->radius, (hn_vec2){hn_cos(angle), hn_sin(angle)});
      }
      points[2 * count] = at.x;
      points[2 * count++ + 1] = at.y;
    }
  }
  if (!c->is_closed && count < room) {
    points[2 * count] = c->pieces[c->count - 1].to.x;
    points[2 * count++ + 1] = c->pieces[c->count - 1].to.y;
  }
  return count;
}
