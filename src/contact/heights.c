// Height fields: cubic convolution through the heights (slopes from the neighbors), continuous with its
// first derivatives; the nearest point by Newton's method.
#include <math.h>

#include "base/error.h"
#include "contact/surface.h"
#include "math/elementary.h"

hn_status hn_surface_of_heights(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                                hn_error *error) {
  hn_surface *s = HN_TAKE(arena, hn_surface, 1);
  if (!s) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for contacts");
  for (int k = 0; k < 2; k++) {
    s->grid[k] = def->grid[k];
    s->step[k] = def->grid_step[k];
    if (!(s->step[k] > 0))
      return hn_fail(error, HN_ERROR_MODEL, &def->source, "a shape (heights)",
                     "Give a length greater than zero.", "has the step %g m", s->step[k]);
  }
  s->heights = def->heights;
  double most = 0;
  s->top = -HUGE_VAL;
  for (int k = 0; k < s->grid[0] * s->grid[1]; k++) {
    most = fmax(most, fabs(s->heights[k]));
    s->top = fmax(s->top, s->heights[k]);
  }
  out->kind = HN_KIND_HEIGHTS;
  out->surface = s;
  out->bound =
      hn_hypot(hn_hypot(0.5 * s->step[0] * (s->grid[0] - 1), 0.5 * s->step[1] * (s->grid[1] - 1)),
               1.5 * most);
  return HN_OK;
}

// Weights of the four neighbors at t in 0 .. 1, with two derivatives.
static void weights(double t, double w[3][4]) {
  double t2 = t * t, t3 = t2 * t;
  const double v[3][4] = {
      {0.5 * (-t3 + 2 * t2 - t), 0.5 * (3 * t3 - 5 * t2 + 2), 0.5 * (-3 * t3 + 4 * t2 + t),
       0.5 * (t3 - t2)},
      {0.5 * (-3 * t2 + 4 * t - 1), 0.5 * (9 * t2 - 10 * t), 0.5 * (-9 * t2 + 8 * t + 1),
       0.5 * (3 * t2 - 2 * t)},
      {0.5 * (-6 * t + 4), 0.5 * (18 * t - 10), 0.5 * (-18 * t + 8), 0.5 * (6 * t - 2)}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) w[i][k] = v[i][k];
}

typedef struct height {
  double z, x, y, xx, xy, yy;
} height;

// Beyond the border the heights are extrapolated linearly.
static double height_at(const hn_surface *s, int i, int j) {
  int n = s->grid[0], m = s->grid[1];
  int i0 = i < 0 ? 0 : i >= n ? n - 1 : i, j0 = j < 0 ? 0 : j >= m ? m - 1 : j;
  int i1 = i < 0 ? 1 : i >= n ? n - 2 : i0, j1 = j < 0 ? 1 : j >= m ? m - 2 : j0;
  double z = s->heights[j0 * n + i0];
  if (i1 != i0) z += (z - s->heights[j0 * n + i1]);
  if (j1 != j0) z += (s->heights[j0 * n + i0] - s->heights[j1 * n + i0]);
  return z;
}

static height height_of(const hn_surface *s, double x, double y, int *is_inside) {
  double at[2] = {x / s->step[0] + 0.5 * (s->grid[0] - 1), y / s->step[1] + 0.5 * (s->grid[1] - 1)};
  int cell[2];
  double w[2][3][4];
  *is_inside = 1;
  for (int k = 0; k < 2; k++) {
    *is_inside = *is_inside && at[k] >= 0 && at[k] <= s->grid[k] - 1;
    double c = floor(fmin(fmax(at[k], 0), s->grid[k] - 1.0));
    cell[k] = c >= s->grid[k] - 1 ? s->grid[k] - 2 : (int)c;
    weights(fmin(fmax(at[k] - cell[k], -0.5), 1.5), w[k]);
  }
  height h = {0, 0, 0, 0, 0, 0};
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) {
      double z = height_at(s, cell[0] + i - 1, cell[1] + j - 1);
      h.z += z * w[0][0][i] * w[1][0][j];
      h.x += z * w[0][1][i] * w[1][0][j];
      h.y += z * w[0][0][i] * w[1][1][j];
      h.xx += z * w[0][2][i] * w[1][0][j];
      h.xy += z * w[0][1][i] * w[1][1][j];
      h.yy += z * w[0][0][i] * w[1][2][j];
    }
  double a = s->step[0], b = s->step[1];
  return (height){h.z, h.x / a, h.y / b, h.xx / (a * a), h.xy / (a * b), h.yy / (b * b)};
}

// Principal directions and curvatures, > 0 where the surface bulges out.
static void bend_of(const height *h, hn_surface_foot *foot) {
  hn_vec3 n = foot->normal, rx = vec3(1, 0, h->x), ry = vec3(0, 1, h->y);
  double a = vec3_norm(rx);
  hn_vec3 t1 = vec3_scale(1 / a, rx), t2 = vec3_cross(n, t1);
  double b = vec3_dot(ry, t1), c = vec3_dot(ry, t2), up = n.z;
  // K = -M^-T L M^-1, M = [a b; 0 c], L the second derivatives along the normal
  double p = 1 / a, q = -b / (a * c), r = 1 / c;
  double k11 = -up * p * p * h->xx, k12 = -up * p * (q * h->xx + r * h->xy);
  double k22 = -up * (q * q * h->xx + 2 * q * r * h->xy + r * r * h->yy);
  double angle = 0.5 * hn_atan2(2 * k12, k11 - k22), mean = 0.5 * (k11 + k22);
  double half = hn_hypot(0.5 * (k11 - k22), k12);
  foot->e = vec3_add(vec3_scale(hn_cos(angle), t1), vec3_scale(hn_sin(angle), t2));
  foot->curvature[0] = mean + half;
  foot->curvature[1] = mean - half;
}

hn_surface_foot hn_heights_foot(const hn_surface *s, hn_vec3 point) {
  double x = point.x, y = point.y;
  hn_surface_foot foot = {.feature = 0};
  height h = height_of(s, x, y, &foot.is_inside);
  for (int k = 0; k < 50; k++) {
    double up = h.z - point.z;
    double fx = x - point.x + up * h.x, fy = y - point.y + up * h.y;
    double xx = 1 + h.x * h.x + up * h.xx, xy = h.x * h.y + up * h.xy;
    double yy = 1 + h.y * h.y + up * h.yy, inner = xx * yy - xy * xy;
    if (!(xx > 0.05) || !(inner > 0.05)) { // not near a minimum: without the curvature
      xx = 1 + h.x * h.x;
      xy = h.x * h.y;
      yy = 1 + h.y * h.y;
      inner = xx * yy - xy * xy;
    }
    double dx = -(yy * fx - xy * fy) / inner, dy = -(xx * fy - xy * fx) / inner;
    double most = fmax(fabs(dx) / s->step[0], fabs(dy) / s->step[1]),
           part = most > 1 ? 1 / most : 1;
    x += part * dx;
    y += part * dy;
    h = height_of(s, x, y, &foot.is_inside);
    if (most < 1e-14) break;
  }
  foot.at = vec3(x, y, h.z);
  foot.normal = vec3_unit(vec3(-h.x, -h.y, 1));
  bend_of(&h, &foot);
  return foot;
}

double hn_heights_at(const hn_surface *s, double x, double y) {
  int is_inside;
  return height_of(s, x, y, &is_inside).z;
}

int hn_heights_summit(const hn_surface *s, hn_vec3 n, double x, double y, hn_surface_foot *foot) {
  const double start[2] = {x, y};
  hn_surface_foot f = {.feature = 0};
  height h = height_of(s, x, y, &f.is_inside);
  for (int k = 0; k < 50; k++) {
    double fx = n.x + n.z * h.x, fy = n.y + n.z * h.y;
    double inner = n.z * (h.xx * h.yy - h.xy * h.xy);
    // uphill where it is no summit yet
    int is_summit = h.xx < 0 && inner > 0;
    double dx = is_summit ? -(h.yy * fx - h.xy * fy) / inner : s->step[0] * fx,
           dy = is_summit ? -(h.xx * fy - h.xy * fx) / inner : s->step[1] * fy;
    double most = fmax(fabs(dx) / s->step[0], fabs(dy) / s->step[1]);
    double part = most > 0.3 ? 0.3 / most : 1;
    x += part * dx;
    y += part * dy;
    h = height_of(s, x, y, &f.is_inside);
    if (fabs(x - start[0]) > 2 * s->step[0] || fabs(y - start[1]) > 2 * s->step[1]) return 0;
    if (most < 1e-13) break;
  }
  f.at = vec3(x, y, h.z);
  f.normal = vec3_unit(vec3(-h.x, -h.y, 1));
  bend_of(&h, &f);
  *foot = f;
  return f.is_inside && f.curvature[1] > 0 && vec3_norm(vec3_sub(f.normal, n)) < 1e-9;
}
