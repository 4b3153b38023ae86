// Height fields: bicubic between the points (Catmull and Rom), so that the normal is continuous;
// beyond the ends the last points are repeated. In one direction with f in 0 .. 1 between p1 and
// p2,
//
//   p = ((c3 f + c2) f + c1) f + p1,  c1 = (p2 - p0)/2,  c2 = p0 - 5/2 p1 + 2 p2 - p3/2,
//   c3 = (p3 - p0)/2 + 3/2 (p1 - p2)
#include <math.h>

#include "base/error.h"
#include "vehicle/surface.h"

// Weights of the four points, and their first and second derivatives in f.
static void weights(double f, double w[3][4]) {
  double g = f * f, h = g * f;
  w[0][0] = -0.5 * f + g - 0.5 * h;
  w[0][1] = 1 - 2.5 * g + 1.5 * h;
  w[0][2] = 0.5 * f + 2 * g - 1.5 * h;
  w[0][3] = -0.5 * g + 0.5 * h;
  w[1][0] = -0.5 + 2 * f - 1.5 * g;
  w[1][1] = -5 * f + 4.5 * g;
  w[1][2] = 0.5 + 4 * f - 4.5 * g;
  w[1][3] = -f + 1.5 * g;
  w[2][0] = 2 - 3 * f;
  w[2][1] = -5 + 9 * f;
  w[2][2] = 4 - 9 * f;
  w[2][3] = -1 + 3 * f;
}

// The first of the four points around x (it may lie outside), and the weights there.
static int place(double x, double origin, double spacing, int count, double w[3][4]) {
  double s = (x - origin) / spacing, last = count - 1;
  if (!(s > 0 && s < last)) { // level beyond the ends
    int at = s > 0 ? count - 1 : 0;
    for (int d = 0; d < 3; d++)
      for (int k = 0; k < 4; k++) w[d][k] = d == 0 && k == 1;
    return at - 1;
  }
  int cell = (int)floor(s);
  if (cell > count - 2) cell = count - 2;
  weights(s - cell, w);
  for (int k = 0; k < 4; k++) {
    w[1][k] /= spacing;
    w[2][k] /= spacing * spacing;
  }
  return cell - 1;
}

static int held(int k, int count) { return k < 0 ? 0 : k >= count ? count - 1 : k; }

void hn_grid_at(const hn_height_grid *g, double x, double y, hn_road_point *at) {
  double wx[3][4], wy[3][4], sums[3][3] = {{0}};
  int i0 = place(x, g->origin[0], g->spacing[0], g->nx, wx);
  int j0 = place(y, g->origin[1], g->spacing[1], g->ny, wy);
  for (int j = 0; j < 4; j++) {
    const double *row = &g->z[(size_t)held(j0 + j, g->ny) * (size_t)g->nx];
    double along[3] = {0};
    for (int i = 0; i < 4; i++) {
      double z = row[held(i0 + i, g->nx)];
      for (int d = 0; d < 3; d++) along[d] += wx[d][i] * z;
    }
    for (int d = 0; d < 3; d++)
      for (int e = 0; d + e < 3; e++) sums[d][e] += wy[e][j] * along[d];
  }
  at->z = sums[0][0];
  at->z_x = sums[1][0];
  at->z_y = sums[0][1];
  at->z_xx = sums[2][0];
  at->z_xy = sums[1][1];
  at->z_yy = sums[0][2];
}

#define FARTHEST                                                                                   \
  1e6 // m, of heights and between points: beyond it nothing of a road is left in 16 digits

static int is_spacing(double spacing) { return spacing >= 1e-6 && spacing <= FARTHEST; }

hn_status hn_road_surface_grid(int nx, int ny, const double *heights, const double origin[2],
                               const double spacing[2], hn_road_surface **surface,
                               hn_error *error) {
  *surface = NULL;
  if (nx < 1 || ny < 1 || !is_spacing(spacing[0]) || !is_spacing(spacing[1]))
    return hn_fail(error, HN_ERROR_MODEL, NULL, NULL,
                   "Give at least one point and a spacing between 1e-6 m and 1e6 m.",
                   "the height field has %d x %d points at a spacing of %g m and %g m", nx, ny,
                   spacing[0], spacing[1]);
  for (size_t k = 0; k < (size_t)nx * (size_t)ny; k++)
    if (!(fabs(heights[k]) <= FARTHEST))
      return hn_fail(error, HN_ERROR_MODEL, NULL, NULL, "Give heights in m.",
                     "point %zu of the height field is at %g m, beyond 1e6 m", k + 1, heights[k]);
  hn_road_surface *s = hn_road_surface_new(HN_ROAD_SURFACE_GRID);
  if (!s) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  s->grid = (hn_height_grid){nx, ny, {origin[0], origin[1]}, {spacing[0], spacing[1]}, NULL};
  s->grid.z = hn_arena_copy(&s->arena, heights, (size_t)nx * (size_t)ny, sizeof(double));
  if (!s->grid.z) {
    hn_road_surface_free(s);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a height field");
  }
  *surface = s;
  return HN_OK;
}
