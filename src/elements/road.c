// Road profiles and closest points.
//
// The closest point of a smooth profile y(s) to (xi, z) is a foot s with
//   (s - xi) + (y - z) y' = 0;
// there n = (-y', 1)/sqrt(1 + y'^2) is the gradient of the distance rho, and with the curvature
// c = -y''/(1 + y'^2)^(3/2) (positive over a crest) its Hessian is c/(1 + rho c) t t'. A straight
// part has c = 0; an arc or a point of radius a (0) has c = 1/a, Hessian 1/(rho + a). Time is not
// here: the caller passes xi = x - speed t.
#include "elements/road.h"

#include <math.h>

#include "math/elementary.h"
#include "math/vec.h"
#include "vehicle/surface.h"

// ---- breakpoints --------------------------------------------------------------------------------

// A cosine bump is cut where its curvature changes sign, so that one part never has two closest
// points a wheel could jump between.
static const double bump_breaks[4] = {0, 0.25, 0.75, 1};

static int has_breakpoints(const hn_road_def *def) {
  switch (def->kind) {
  case HN_ROAD_POLYLINE:
  case HN_ROAD_TABLE:
  case HN_ROAD_COSINE_BUMP: return 1;
  case HN_ROAD_FLAT:
  case HN_ROAD_SURFACE:
  case HN_ROAD_HALF_CYLINDER: return 0;
  }
  return 0;
}

// n, the number of parts between breakpoints 0 .. n.
static int part_count(const hn_road_def *def) {
  return def->kind == HN_ROAD_COSINE_BUMP ? 3 : def->count - 1;
}

static double breakpoint(const hn_road_def *def, int k) {
  return def->kind == HN_ROAD_COSINE_BUMP ? def->start + bump_breaks[k] * def->length : def->x[k];
}

static double break_height(const hn_road_def *def, int k) {
  if (def->kind != HN_ROAD_COSINE_BUMP) return def->z[k];
  return 0.5 * def->height * (1 - hn_cos(2 * HN_PI * bump_breaks[k]));
}

// The part that holds xi: 0 before the first breakpoint, n + 1 from the last on.
static int part_at(const hn_road_def *def, double xi) {
  int low = -1, high = part_count(def) + 1; // breakpoint low <= xi < breakpoint high
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (breakpoint(def, middle) <= xi)
      low = middle;
    else
      high = middle;
  }
  return high;
}

// ---- height -------------------------------------------------------------------------------------

static hn_road_height level(double z) { return (hn_road_height){z, 0, 0}; }

static hn_road_height straight(const hn_road_def *def, int part, double xi) {
  double dx = def->x[part] - def->x[part - 1], dz = def->z[part] - def->z[part - 1];
  double slope = dz / dx;
  return (hn_road_height){def->z[part - 1] + slope * (xi - def->x[part - 1]), slope, 0};
}

static hn_road_height bump(const hn_road_def *def, double xi) {
  double k = 2 * HN_PI / def->length, phase = k * (xi - def->start), a = 0.5 * def->height;
  return (hn_road_height){a * (1 - hn_cos(phase)), a * k * hn_sin(phase),
                          a * k * k * hn_cos(phase)};
}

// The arc z = sqrt(a^2 - u^2) - e of radius a = radius + envelope about a center e below the level.
// It is upright at |u| = a; just before that the tangent takes over, to have a continuation.
static hn_road_height arc(const hn_road_def *def, double xi) {
  double e = def->envelope, a = def->radius + e, u = xi - def->start;
  double limit = a * (1 - 1e-6), inside = fmin(fmax(u, -limit), limit);
  double root = sqrt(a * a - inside * inside), slope = -inside / root;
  double d2 = inside == u ? -a * a / (root * root * root) : 0;
  return (hn_road_height){root - e + slope * (u - inside), slope, d2};
}

// |u| up to which the arc stands above the level.
static double arc_half_width(const hn_road_def *def) {
  return sqrt(def->radius * (def->radius + 2 * def->envelope));
}

// part: the one that contains xi, 0 without parts.
static int feature_below(const hn_road *road, int part, double xi) {
  const hn_road_def *def = road->def;
  if (def->kind == HN_ROAD_HALF_CYLINDER) return fabs(xi - def->start) < arc_half_width(def);
  if (!has_breakpoints(def)) return 0;
  int is_inside = part > 0 && part <= part_count(def);
  return is_inside && def->kind != HN_ROAD_POLYLINE ? 1 : part;
}

int hn_road_features(const hn_road *road) {
  if (!has_breakpoints(road->def)) return 2;
  return 2 * part_count(road->def) + 3; // level before and after, parts, points
}

int hn_road_feature_below(const hn_road *road, double xi) {
  return feature_below(road, has_breakpoints(road->def) ? part_at(road->def, xi) : 0, xi);
}

int hn_road_is_plane(const hn_road *road) {
  const hn_road_def *def = road->def;
  return def->kind == HN_ROAD_FLAT ||
         (def->kind == HN_ROAD_SURFACE && hn_road_surface_is_plane(def->surface));
}

// A cut of a surface along y = 0, for drawings.
static hn_road_height along_surface(const hn_road_def *def, double xi) {
  hn_road_point p;
  hn_road_surface_at(def->surface, xi, 0, &p);
  return (hn_road_height){p.z, p.z_x, p.z_xx};
}

void hn_road_sample(const hn_road *road, int feature, double xi, double y, hn_road_point *out) {
  const hn_road_def *def = road->def;
  if (def->kind == HN_ROAD_SURFACE) {
    hn_road_surface_at(def->surface, xi, y, out);
    out->mu *= def->friction;
    out->mu_x *= def->friction;
    out->mu_y *= def->friction;
  } else {
    hn_road_height h = hn_road_profile(road, feature, xi);
    *out = (hn_road_point){.z = h.z, .z_x = h.d1, .z_xx = h.d2, .mu = def->friction};
  }
  for (int k = 0; k < def->patch_count; k++)
    hn_road_surface_add_patch(&def->patches[k], xi, y, out);
}

hn_road_height hn_road_profile(const hn_road *road, int feature, double xi) {
  const hn_road_def *def = road->def;
  if (def->kind == HN_ROAD_FLAT) return level(def->height);
  if (def->kind == HN_ROAD_SURFACE) return along_surface(def, xi);
  if (def->kind == HN_ROAD_HALF_CYLINDER) return feature ? arc(def, xi) : level(0);
  int parts = part_count(def);
  if (feature <= 0) return level(break_height(def, 0));
  if (feature > parts) return level(break_height(def, parts));
  if (def->kind == HN_ROAD_POLYLINE) return straight(def, feature, xi);
  if (def->kind == HN_ROAD_COSINE_BUMP) return bump(def, xi);
  hn_law_value value = hn_law_evaluate(road->law, -1, xi);
  return (hn_road_height){value.value, value.d1, value.d2};
}

static double outside(double low, double high, double xi) {
  return xi < low ? low - xi : xi > high ? xi - high : 0;
}

double hn_road_clearance(const hn_road *road, double xi) {
  const hn_road_def *def = road->def;
  if (def->kind == HN_ROAD_FLAT) return HUGE_VAL;
  if (def->kind == HN_ROAD_SURFACE) return hn_road_surface_is_plane(def->surface) ? HUGE_VAL : 0;
  if (def->kind == HN_ROAD_HALF_CYLINDER) {
    double half = arc_half_width(def);
    return outside(def->start - half, def->start + half, xi);
  }
  int parts = part_count(def);
  if (def->kind != HN_ROAD_POLYLINE) return outside(breakpoint(def, 0), breakpoint(def, parts), xi);
  int part = part_at(def, xi); // between corners part - 1 and part
  double before = part > 0 ? xi - breakpoint(def, part - 1) : HUGE_VAL;
  double after = part <= parts ? breakpoint(def, part) - xi : HUGE_VAL;
  return fmin(before, after);
}

// ---- distance -----------------------------------------------------------------------------------

static hn_road_gap gap_from_foot(double foot, hn_road_height y, double xi, double z) {
  if (y.d1 == 0 && y.d2 == 0) return (hn_road_gap){z - y.z, 0, 1, 0}; // level
  double length = sqrt(1 + y.d1 * y.d1), nx = -y.d1 / length, nz = 1 / length;
  double distance = nx * (xi - foot) + nz * (z - y.z);
  if (y.d2 == 0) return (hn_road_gap){distance, nx, nz, 0};
  double curvature = -y.d2 / (length * length * length), focus = 1 + distance * curvature;
  if (fabs(focus) < 1e-9) focus = copysign(1e-9, focus); // the center of curvature itself
  return (hn_road_gap){distance, nx, nz, curvature / focus};
}

// From the circle of this radius (0: a point) about (x0, z0).
static hn_road_gap gap_from_circle(double x0, double z0, double radius, double xi, double z) {
  double dx = xi - x0, dz = z - z0, r = sqrt(dx * dx + dz * dz);
  if (r < 1e-12) return (hn_road_gap){-radius, 0, 1, 0}; // no direction is special: up
  return (hn_road_gap){r - radius, dx / r, dz / r, 1 / r};
}

static double half_square(hn_road_height y, double s, double xi, double z) {
  return 0.5 * ((s - xi) * (s - xi) + (y.z - z) * (y.z - z));
}

enum { SAMPLES = 16, ITERATIONS = 60 };

// The best of even samples of the part between low and high, as far as it can hold the closest
// point: its point nearest in x bounds the distance.
static double sample_foot(const hn_road *road, int feature, double low, double high, double xi,
                          double z) {
  double close = fmin(fmax(xi, low), high);
  double within = sqrt(2 * half_square(hn_road_profile(road, feature, close), close, xi, z));
  double first = fmax(xi - within, low), last = fmin(xi + within, high);
  double best = close, least = HUGE_VAL;
  for (int k = 0; k <= SAMPLES; k++) {
    double s = first + (last - first) * k / SAMPLES;
    double value = half_square(hn_road_profile(road, feature, s), s, xi, z);
    if (value < least) {
      least = value;
      best = s;
    }
  }
  return best;
}

// Newton's method for the closest point; if the distance is not convex, the Gauss-Newton step, which is
// always downhill. Steps are bounded by half a part, so that the iteration stays near its start.
static double refine_foot(const hn_road *road, int feature, double foot, double longest, double xi,
                          double z) {
  double scale = fabs(foot) + longest, last = HUGE_VAL;
  for (int k = 0; k < ITERATIONS; k++) {
    hn_road_height y = hn_road_profile(road, feature, foot);
    double residual = (foot - xi) + (y.z - z) * y.d1, gauss = 1 + y.d1 * y.d1;
    double slope = gauss + (y.z - z) * y.d2;
    double step = -residual / (slope > 0.05 * gauss ? slope : gauss);
    step = fmin(fmax(step, -longest), longest);
    foot += step;
    double size = fabs(step);
    if (size <= 1e-16 * scale || (size <= 1e-11 * scale && size >= last)) break; // rounding
    last = size;
  }
  return foot;
}

static double find_foot(const hn_road *road, int feature, double xi, double z) {
  double low = breakpoint(road->def, feature - 1), high = breakpoint(road->def, feature);
  double start = sample_foot(road, feature, low, high, xi, z);
  return refine_foot(road, feature, start, 0.5 * (high - low), xi, z);
}

hn_road_gap hn_road_distance(const hn_road *road, int feature, double xi, double z) {
  const hn_road_def *def = road->def;
  if (def->kind == HN_ROAD_HALF_CYLINDER && feature == 1)
    return gap_from_circle(def->start, -def->envelope, def->radius + def->envelope, xi, z);
  if (has_breakpoints(def)) {
    int parts = part_count(def), point = feature - parts - 2;
    if (point > parts)
      point = parts; // branches come from files and from afar: none is read outside
    if (point >= 0)
      return gap_from_circle(breakpoint(def, point), break_height(def, point), 0, xi, z);
    if (def->kind != HN_ROAD_POLYLINE && feature > 0 && feature <= parts) {
      double foot = find_foot(road, feature, xi, z);
      return gap_from_foot(foot, hn_road_profile(road, feature, foot), xi, z);
    }
  }
  // straight: any point of it serves as the closest point
  return gap_from_foot(xi, hn_road_profile(road, feature, xi), xi, z);
}

// ---- the closest feature ------------------------------------------------------------------------

typedef struct nearest {
  int feature;
  double distance;
} nearest;

static void consider(nearest *best, int feature, double distance) {
  if (distance < best->distance) *best = (nearest){feature, distance};
}

// Whether the closest point of a straight part lies on it.
static int foot_is_on_straight(const hn_road_def *def, int part, double xi, double z) {
  double x0 = def->x[part - 1], z0 = def->z[part - 1];
  double dx = def->x[part] - x0, dz = def->z[part] - z0;
  double along = (xi - x0) * dx + (z - z0) * dz;
  return along >= 0 && along <= dx * dx + dz * dz;
}

// A closest point beyond the ends belongs to the neighbor: the end replaces it with a small
// handicap, so that the neighbor wins if both find it and no point is lost if neither does.
static void consider_curve(nearest *best, const hn_road *road, int part, double xi, double z) {
  double low = breakpoint(road->def, part - 1), high = breakpoint(road->def, part);
  double foot = find_foot(road, part, xi, z), on = fmin(fmax(foot, low), high);
  double distance = sqrt(2 * half_square(hn_road_profile(road, part, on), on, xi, z));
  consider(best, part, foot == on ? distance : distance * (1 + 1e-9));
}

static void consider_part(nearest *best, const hn_road *road, int part, double xi, double z) {
  const hn_road_def *def = road->def;
  int parts = part_count(def);
  if (part == 0) {
    if (xi <= breakpoint(def, 0)) consider(best, part, z - break_height(def, 0));
  } else if (part > parts) {
    if (xi >= breakpoint(def, parts)) consider(best, part, z - break_height(def, parts));
  } else if (def->kind != HN_ROAD_POLYLINE) {
    consider_curve(best, road, part, xi, z);
  } else if (foot_is_on_straight(def, part, xi, z)) {
    consider(best, part, fabs(hn_road_distance(road, part, xi, z).distance));
  }
}

// Points are features of a polyline (all of them) and of a table (its two ends).
static int is_point(const hn_road_def *def, int k) {
  return def->kind == HN_ROAD_POLYLINE ||
         (def->kind == HN_ROAD_TABLE && (k == 0 || k == part_count(def)));
}

// at: the part that holds xi.
static int nearest_of_parts(const hn_road *road, int at, double xi, double z, double height,
                            double reach) {
  const hn_road_def *def = road->def;
  double within = height < reach ? height : reach; // the road below is no farther than height
  int parts = part_count(def), from = at, to = at;
  while (from > 0 && breakpoint(def, from - 1) > xi - within) from--;
  while (to <= parts && breakpoint(def, to) <= xi + within) to++;
  // the closest point of a straight part is less than height away, on it, and no farther than the
  // point below
  if (from == to && def->kind == HN_ROAD_POLYLINE && height <= reach) return at;
  nearest best = {-1, HUGE_VAL};
  for (int k = from; k <= to; k++) consider_part(&best, road, k, xi, z);
  for (int k = from; k < to; k++)
    if (is_point(def, k))
      consider(&best, parts + 2 + k, hn_road_distance(road, parts + 2 + k, xi, z).distance);
  return best.distance <= reach ? best.feature : -1;
}

static int nearest_of_cylinder(const hn_road *road, double xi, double z, double reach) {
  double to_arc = hn_road_distance(road, 1, xi, z).distance;
  int is_over_arc = fabs(xi - road->def->start) < arc_half_width(road->def);
  int feature = is_over_arc || to_arc < z;
  return (feature ? to_arc : z) <= reach ? feature : -1;
}

int hn_road_feature_near(const hn_road *road, double xi, double z, double reach) {
  const hn_road_def *def = road->def;
  int at = has_breakpoints(def) ? part_at(def, xi) : 0, below = feature_below(road, at, xi);
  double height = z - hn_road_profile(road, below, xi).z;
  if (def->kind == HN_ROAD_HALF_CYLINDER)
    return height <= 0 ? below : nearest_of_cylinder(road, xi, z, reach);
  if (!has_breakpoints(def)) return height <= reach ? 0 : -1;
  // a center under the road is pushed out through the part above it
  return height <= 0 ? at : nearest_of_parts(road, at, xi, z, height, reach);
}
