// Spheres and capsules among themselves: points and segments with a radius.
#include <math.h>

#include "contact/geometry.h"
#include "math/elementary.h"

static int one_mode(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? 1 : 0;
}
static int first_mode(const hn_placed *first, const hn_placed *second) {
  return first && second ? 0 : HN_CONTACT_APART;
}

static void point_point(hn_meeting *m, int mode) {
  (void)mode;
  hn_form a = form_point(m->first.at, m->first.shape->radius),
          b = form_point(m->second.at, m->second.shape->radius);
  hn_meeting_add_near(m, &a, &b, vec3(0, 0, 1), 0);
}
const hn_meeting_type hn_point_point = {one_mode, first_mode, point_point, 0};

// ---- a segment and a point ------------------------------------------------------------------------

enum { END_LOW, END_HIGH, MIDDLE, PARTS }; // of a segment

static int part_of(double z, double half) {
  return z <= -half ? END_LOW : z >= half ? END_HIGH : MIDDLE;
}

static hn_vec3 end_of(const hn_placed *p, int part) {
  return placed_point(p, vec3(0, 0, part == END_LOW ? -p->shape->half : p->shape->half));
}

static int segment_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? PARTS : 0;
}

static int segment_point_mode(const hn_placed *first, const hn_placed *second) {
  return part_of(placed_local(first, second->at).z, first->shape->half);
}

// The form of a segment's part nearest to x.
static hn_form segment_form(const hn_placed *p, int part, hn_vec3 x) {
  if (part != MIDDLE) return form_point(end_of(p, part), p->shape->radius);
  hn_vec3 c = placed_point(p, vec3(0, 0, placed_local(p, x).z));
  return form_line(c, mat3_column(p->axes, 2), p->shape->radius);
}

static void segment_point(hn_meeting *m, int mode) {
  hn_form a = segment_form(&m->first, mode, m->second.at),
          b = form_point(m->second.at, m->second.shape->radius);
  hn_meeting_add_near(m, &a, &b, mat3_column(m->first.axes, 0), 0);
}
const hn_meeting_type hn_segment_point = {segment_modes, segment_point_mode, segment_point, 0};

// ---- two segments -------------------------------------------------------------------------------

// Modes: part of the first + PARTS * part of the second. Two middles that are parallel have no nearest
// point: then mode TWO + (end of the overlap on either side) has two points, ends against lines.
enum { PAIRS = PARTS * PARTS, OVERLAPS = 16 };
#define PARALLEL 1e-4 // sine of the angle

static int segments_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? PAIRS + OVERLAPS : 0;
}

static double clamp(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }

// Which ends bound the overlap of two parallel segments: 2 bits a side, segment and end; -1: no overlap.
static int overlap(const hn_placed *first, const hn_placed *second) {
  double turn = vec3_dot(mat3_column(first->axes, 2), mat3_column(second->axes, 2)) > 0 ? 1 : -1;
  double z = placed_local(first, second->at).z, h1 = first->shape->half, h2 = second->shape->half;
  double low = fmax(-h1, z - h2), high = fmin(h1, z + h2);
  if (!(high - low > 1e-3 * fmin(h1, h2))) return -1;
  int low_code = z - h2 > -h1 ? 2 + (turn > 0 ? 0 : 1) : 0; // the second's end, or the first's
  int high_code = z + h2 < h1 ? 2 + (turn > 0 ? 1 : 0) : 1;
  return low_code + 4 * high_code;
}

static int segments_mode(const hn_placed *first, const hn_placed *second) {
  hn_vec3 d1 = mat3_column(first->axes, 2), d2 = mat3_column(second->axes, 2);
  double h1 = first->shape->half, h2 = second->shape->half;
  double c = vec3_dot(d1, d2), sine2 = vec3_dot(vec3_cross(d1, d2), vec3_cross(d1, d2));
  hn_vec3 way = vec3_sub(second->at, first->at);
  double w1 = vec3_dot(way, d1), w2 = vec3_dot(way, d2);
  if (sine2 < PARALLEL * PARALLEL) {
    int code = overlap(first, second);
    if (code >= 0) return PAIRS + code;
  }
  double z1 = sine2 > 1e-20 ? clamp((w1 - c * w2) / sine2, h1) : 0;
  double z2 = clamp(c * z1 - w2, h2);
  z1 = clamp(c * z2 + w1, h1);
  z2 = clamp(c * z1 - w2, h2);
  return part_of(z1, h1) + PARTS * part_of(z2, h2);
}

// The middles of two lines that are not parallel.
static void cross_lines(hn_meeting *m) {
  hn_vec3 d1 = mat3_column(m->first.axes, 2), d2 = mat3_column(m->second.axes, 2);
  hn_vec3 way = vec3_sub(m->second.at, m->first.at), both = vec3_cross(d1, d2);
  double sine2 = fmax(vec3_dot(both, both), 1e-30), c = vec3_dot(d1, d2);
  double w1 = vec3_dot(way, d1), w2 = vec3_dot(way, d2);
  double z1 = (w1 - c * w2) / sine2, z2 = (c * w1 - w2) / sine2;
  hn_vec3 c1 = vec3_add_scaled(m->first.at, z1, d1), c2 = vec3_add_scaled(m->second.at, z2, d2);
  hn_vec3 n = vec3_unit(both);
  if (vec3_dot(n, vec3_sub(c2, c1)) < 0) n = vec3_negate(n);
  hn_form a = form_line(c1, d1, m->first.shape->radius),
          b = form_line(c2, d2, m->second.shape->radius);
  hn_meeting_add(m, &a, &b, n, 0, 1);
}

static void end_and_line(hn_meeting *m, int code, int feature) {
  int of_second = code >= 2, part = code % 2 ? END_HIGH : END_LOW;
  hn_vec3 x = of_second ? end_of(&m->second, part) : end_of(&m->first, part);
  hn_form a =
      of_second ? segment_form(&m->first, MIDDLE, x) : form_point(x, m->first.shape->radius);
  hn_form b =
      of_second ? form_point(x, m->second.shape->radius) : segment_form(&m->second, MIDDLE, x);
  hn_meeting_add_near(m, &a, &b, mat3_column(m->first.axes, 0), feature);
}

static void segment_segment(hn_meeting *m, int mode) {
  if (mode >= PAIRS) {
    end_and_line(m, (mode - PAIRS) % 4, 1);
    end_and_line(m, (mode - PAIRS) / 4, 2);
    return;
  }
  int part1 = mode % PARTS, part2 = mode / PARTS;
  if (part1 == MIDDLE && part2 == MIDDLE) {
    cross_lines(m);
    return;
  }
  hn_vec3 x1 = part1 == MIDDLE ? end_of(&m->second, part2) : end_of(&m->first, part1);
  hn_vec3 x2 = part2 == MIDDLE ? x1 : end_of(&m->second, part2);
  hn_form a = segment_form(&m->first, part1, x2), b = segment_form(&m->second, part2, x1);
  hn_meeting_add_near(m, &a, &b, mat3_column(m->first.axes, 0), 0);
}
const hn_meeting_type hn_segment_segment = {segments_modes, segments_mode, segment_segment, 0};

// ---- a cylinder and a point -----------------------------------------------------------------------

// Its side, the two rims, the two flat ends.
enum { SIDE, RIM_LOW, RIM_HIGH, FLAT_LOW, FLAT_HIGH, CYLINDER_PARTS };

static int cylinder_modes(const hn_contact_shape *first, const hn_contact_shape *second) {
  return first && second ? CYLINDER_PARTS : 0;
}

static int cylinder_point_mode(const hn_placed *first, const hn_placed *second) {
  hn_vec3 x = placed_local(first, second->at);
  double r = hn_hypot(x.x, x.y), radius = first->shape->radius, half = first->shape->half;
  if (fabs(x.z) <= half && r <= radius) // inside: the nearest way out
    return radius - r < half - fabs(x.z) ? SIDE : x.z > 0 ? FLAT_HIGH : FLAT_LOW;
  if (fabs(x.z) <= half) return SIDE;
  if (r <= radius) return x.z > 0 ? FLAT_HIGH : FLAT_LOW;
  return x.z > 0 ? RIM_HIGH : RIM_LOW;
}

static void add_rim(hn_meeting *m, const hn_form *point, double z) {
  hn_vec3 x = placed_local(&m->first, point->c);
  double radius = m->first.shape->radius, r = hn_hypot(x.x, x.y);
  hn_vec3 out = r > 0 ? vec3(x.x / r, x.y / r, 0) : vec3(1, 0, 0);
  hn_vec3 c = placed_point(&m->first, vec3(radius * out.x, radius * out.y, z));
  hn_vec3 radial = placed_vector(&m->first, out), axis = mat3_column(m->first.axes, 2);
  hn_vec3 n = vec3_unit(vec3_sub(point->c, c));
  if (!(vec3_dot(n, n) > 0)) n = radial;
  hn_form rim = {c, vec3_cross(axis, radial), {vec3_dot(n, radial) / radius, 1}, {1, 0}, 0};
  hn_meeting_add(m, &rim, point, n, 0, 1);
}

static void cylinder_point(hn_meeting *m, int mode) {
  hn_vec3 axis = mat3_column(m->first.axes, 2);
  hn_form point = form_point(m->second.at, m->second.shape->radius);
  double z = placed_local(&m->first, point.c).z, half = m->first.shape->half;
  if (mode == RIM_LOW || mode == RIM_HIGH) {
    add_rim(m, &point, mode == RIM_LOW ? -half : half);
  } else if (mode == SIDE) {
    hn_form side = form_line(placed_point(&m->first, vec3(0, 0, z)), axis, m->first.shape->radius);
    hn_meeting_add_near(m, &side, &point, mat3_column(m->first.axes, 0), 0);
  } else {
    hn_vec3 n = mode == FLAT_HIGH ? axis : vec3_negate(axis);
    double up = mode == FLAT_HIGH ? z - half : z + half;
    hn_form flat = form_plane(vec3_add_scaled(point.c, -up, axis));
    hn_meeting_add(m, &flat, &point, n, 0, 1);
  }
}
const hn_meeting_type hn_cylinder_point = {cylinder_modes, cylinder_point_mode, cylinder_point, 0};
