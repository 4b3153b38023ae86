#include "math/resolve.h"

#include <math.h>

#include "math/taylor.h"

#define PLAIN_BOUNDS 50
#define SMOOTH 1.5 // of half the second difference: the highest difference is below it
#define HIDDEN 4.0 // errors of a model: distance from the polynomial through the looks

static double value_at(const hn_resolve *r, double theta) {
  double values[HN_LAW_VARIABLES];
  const int count = hn_law_variable_count(r->law);
  for (int k = 0; k < count; k++) values[k] = hn_path_at(&r->path[k], theta);
  return hn_law_value_of(r->law, values);
}

static hn_bounds bounds_over(hn_resolve *r, double a, double b) {
  hn_bounds variables[HN_LAW_VARIABLES];
  double center[HN_LAW_VARIABLES];
  const int count = hn_law_variable_count(r->law);
  for (int k = 0; k < count; k++) {
    variables[k] = hn_path_bounds(&r->path[k], a, b);
    center[k] = hn_path_at(&r->path[k], 0.5 * (a + b));
  }
  // The mean value form costs more. Of one variable it is narrower only where that one appears
  // several times, which shows by many bisections.
  r->bounds++;
  if (count == 1 && r->bounds < PLAIN_BOUNDS) return hn_law_bounds(r->law, variables, NULL);
  return hn_law_bounds_about(r->law, variables, center, 0.5 * (b - a));
}

// Over the fractions from a to b.
static int model_over(const hn_resolve *r, double a, double b, hn_taylor *f) {
  hn_taylor variables[HN_LAW_VARIABLES];
  const int count = hn_law_variable_count(r->law);
  for (int k = 0; k < count; k++)
    variables[k] = hn_path_taylor(&r->path[k], 0.5 * (a + b), 0.5 * (b - a));
  return hn_law_taylor(r->law, variables, f);
}

// The largest distance from the chord that a model allows over part of it, `width` of the whole.
static double model_distance(const hn_taylor *f, double width) {
  const double bend = 2 * fabs(f->c[2]) + 6 * fabs(f->c[3]) + 12 * fabs(f->c[4]);
  return 0.5 * width * width * bend + 2 * f->error;
}

typedef struct look {
  double theta, value;
} look;

// The largest distance from the chord that bounds allow: by the range of values, or by that of slopes
// (between slopes l and h it is at most (h - l) width / 4).
static double max_distance(hn_resolve *r, look a, look b) {
  const hn_bounds f = bounds_over(r, a.theta, b.theta);
  const double above = f.value.high - fmin(a.value, b.value),
               below = fmax(a.value, b.value) - f.value.low;
  const double by_slope = 0.25 * (b.theta - a.theta) * (f.slope.high - f.slope.low);
  const double by_value = fmax(above, below);
  return by_slope < by_value ? by_slope : by_value;
}

static double allowed(const hn_resolve *r, double curvature, double noise, double width,
                      int level) {
  const double effect = r->per_value ? r->threshold : r->threshold / (width * r->duration);
  return fmax(ldexp(2 * curvature, -level), effect) + noise;
}

typedef struct scale {
  double curvature, noise;
} scale;

static int is_shown(hn_resolve *r, const scale *of, look a, look b, int level) {
  const double width = b.theta - a.theta,
               limit = allowed(r, of->curvature, of->noise, width, level);
  hn_taylor f;
  if (model_over(r, a.theta, b.theta, &f) && model_distance(&f, 1) <= limit) return 1;
  if (!(max_distance(r, a, b) > limit)) return 1;
  if (r->bounds > HN_RESOLVE_MAX_BOUNDS || width < 1e-13) {
    r->is_exhausted = 1;
    return 1;
  }
  const double theta = a.theta + 0.5 * width;
  const look middle = {theta, value_at(r, theta)};
  if (fabs(middle.value - 0.5 * (a.value + b.value)) > limit) {
    r->theta = a.theta;
    r->width = width;
    return 0;
  }
  return is_shown(r, of, a, middle, level + 1) && is_shown(r, of, middle, b, level + 1);
}

// Half the largest second difference of the looks, and rounding of their values.
static scale differences(const double *value, int count) {
  scale of = {0, 0};
  for (int k = 0; k < count; k++) {
    of.noise = fmax(of.noise, 1e-13 * fabs(value[k]));
    if (k < 2) continue;
    of.curvature = fmax(of.curvature, 0.5 * fabs(value[k] - 2 * value[k - 1] + value[k - 2]));
  }
  return of;
}

// The same of a function of which nothing is known. Where the highest difference is larger, the looks
// themselves do not follow a smooth one.
static scale scale_of(const double *value, int count) {
  const double *f = value;
  const double highest =
      count == 4 ? f[3] - 3 * f[2] + 3 * f[1] - f[0] : f[4] - 4 * f[3] + 6 * f[2] - 4 * f[1] + f[0];
  scale of = differences(value, count);
  if (fabs(highest) > SMOOTH * of.curvature) of.curvature = 0;
  return of;
}

// Ends of this step and of adjacent ones: all that a formula of one stage sees.
static void outside_looks(const hn_resolve *r, double value[4]) {
  const double at[4] = {-1, r->margin, 1 - r->margin, 2};
  for (int k = 0; k < 4; k++) value[k] = value_at(r, at[k]);
}

// ---- at once ------------------------------------------------------------------------------------

// Values of the model at the nodes.
static void looks_of(const hn_taylor *f, double value[HN_PATH_NODES]) {
  const double *c = f->c;
  const double even = c[0] + c[2] + c[4], odd = c[1] + c[3];
  const double even_half = c[0] + 0.25 * c[2] + 0.0625 * c[4], odd_half = 0.5 * c[1] + 0.125 * c[3];
  value[0] = even - odd;
  value[1] = even_half - odd_half;
  value[2] = c[0];
  value[3] = even_half + odd_half;
  value[4] = even + odd;
}

int hn_resolve_at_once(const hn_resolve *r) {
  hn_taylor f;
  double value[HN_PATH_NODES];
  if (r->model)
    f = *r->model;
  else if (!model_over(r, r->margin, 1 - r->margin, &f))
    return 0;
  if (r->is_sparse) {
    outside_looks(r, value);
    const scale of = scale_of(value, 4);
    return model_distance(&f, 1) <= allowed(r, of.curvature, of.noise, 1, 0);
  }
  // five looks show all of the polynomial: what they may hide is the error
  looks_of(&f, value);
  const scale of = differences(value, HN_PATH_NODES);
  return HIDDEN * f.error <= allowed(r, fmax(0, of.curvature - 2 * f.error), of.noise, 0.5, -1);
}

// ---- by bisection -------------------------------------------------------------------------------

static int resolve_sparse(hn_resolve *r, double begin, double end) {
  double value[4];
  outside_looks(r, value);
  const scale of = scale_of(value, 4);
  return is_shown(r, &of, (look){begin, value[1]}, (look){end, value[2]}, 0);
}

int hn_resolve_step(hn_resolve *r) {
  const double begin = r->margin, end = 1 - r->margin;
  r->bounds = r->is_exhausted = 0;
  if (hn_resolve_at_once(r)) return 1;
  if (r->is_sparse) return resolve_sparse(r, begin, end);
  double value[HN_PATH_NODES];
  look at[HN_PATH_NODES];
  for (int k = 0; k < HN_PATH_NODES; k++) {
    const double theta = k == 0 ? begin : k == HN_PATH_NODES - 1 ? end : hn_path_node(k);
    at[k] = (look){theta, value[k] = value_at(r, theta)};
  }
  const scale of = scale_of(value, HN_PATH_NODES);
  return is_shown(r, &of, at[0], at[2], -1) && is_shown(r, &of, at[2], at[4], -1);
}
