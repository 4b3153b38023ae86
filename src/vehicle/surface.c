// Surfaces of roads, and friction patches on them: w goes from 0 to 1 across an edge of a patch,
// mu = (1 - w) mu + w mu of the patch.
#include "vehicle/surface.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

hn_road_surface *hn_road_surface_new(hn_road_surface_kind kind) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_road_surface *surface = HN_TAKE(&arena, hn_road_surface, 1);
  if (!surface) {
    hn_arena_release(&arena);
    return NULL;
  }
  surface->arena = arena;
  surface->kind = kind;
  return surface;
}

void hn_road_surface_free(hn_road_surface *surface) {
  if (!surface) return;
  hn_arena arena = surface->arena; // which holds the surface itself
  hn_arena_release(&arena);
}

hn_status hn_road_surface_plane(double height, double slope_x, double slope_y,
                                hn_road_surface **surface, hn_error *error) {
  *surface = hn_road_surface_new(HN_ROAD_SURFACE_PLANE);
  if (!*surface) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  (*surface)->height = height;
  (*surface)->slope[0] = slope_x;
  (*surface)->slope[1] = slope_y;
  return HN_OK;
}

int hn_road_surface_is_plane(const hn_road_surface *surface) {
  return surface->kind == HN_ROAD_SURFACE_PLANE;
}

void hn_road_surface_at(const hn_road_surface *s, double x, double y, hn_road_point *at) {
  memset(at, 0, sizeof *at);
  at->mu = 1;
  switch (s->kind) {
  case HN_ROAD_SURFACE_PLANE:
    at->z = s->height + s->slope[0] * x + s->slope[1] * y;
    at->z_x = s->slope[0];
    at->z_y = s->slope[1];
    break;
  case HN_ROAD_SURFACE_GRID: hn_grid_at(&s->grid, x, y, at); break;
  case HN_ROAD_SURFACE_RANDOM: hn_waves_at(s->waves, s->wave_count, x, y, at); break;
  case HN_ROAD_SURFACE_CRG: hn_crg_at(&s->crg, x, y, at); break;
  }
}

// 0 to 1 over a width about s = 0, with its slope: 3 u^2 - 2 u^3.
static double rise(double s, double width, double *slope) {
  *slope = 0;
  if (width <= 0) return s >= 0;
  double u = s / width + 0.5;
  if (u <= 0) return 0;
  if (u >= 1) return 1;
  *slope = 6 * u * (1 - u) / width;
  return u * u * (3 - 2 * u);
}

// The weight of an interval at x: rises at its low end, falls at its high one.
static double inside(double low, double high, double ramp, double x, double *slope) {
  double up, down, a = rise(x - low, ramp, &up), b = rise(high - x, ramp, &down);
  if (isinf(low)) a = 1, up = 0;
  if (isinf(high)) b = 1, down = 0;
  *slope = up * b - a * down;
  return a * b;
}

void hn_road_surface_add_patch(const hn_friction_patch *p, double x, double y, hn_road_point *at) {
  double d_x, d_y;
  double in_x = inside(p->low[0], p->high[0], p->ramp, x, &d_x);
  double in_y = inside(p->low[1], p->high[1], p->ramp, y, &d_y);
  double w = in_x * in_y, step = p->mu - at->mu;
  at->mu_x = (1 - w) * at->mu_x + step * d_x * in_y;
  at->mu_y = (1 - w) * at->mu_y + step * in_x * d_y;
  at->mu += w * step;
}

static void stir(unsigned long long *h, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t k = 0; k < size; k++) *h = (*h ^ bytes[k]) * 1099511628211ULL;
}

unsigned long long hn_road_surface_hash(const hn_road_surface *s) {
  const double numbers[] = {(double)s->kind,   s->height,          s->slope[0],
                            s->slope[1],       s->grid.nx,         s->grid.origin[0],
                            s->grid.origin[1], s->grid.spacing[0], s->grid.ny,
                            s->crg.start,      s->grid.spacing[1], s->crg.step};
  unsigned long long h = 14695981039346656037ULL;
  stir(&h, numbers, sizeof numbers);
  stir(&h, s->grid.z, (size_t)s->grid.nx * (size_t)s->grid.ny * sizeof(double));
  stir(&h, s->waves, (size_t)s->wave_count * sizeof *s->waves);
  size_t n = (size_t)s->crg.stations, m = (size_t)s->crg.sections;
  const double *lines[] = {s->crg.x, s->crg.y, s->crg.z_line, s->crg.bank};
  for (int k = 0; k < 4; k++) stir(&h, lines[k], n * sizeof(double));
  stir(&h, s->crg.v, m * sizeof(double));
  stir(&h, s->crg.z, n * m * sizeof(double));
  return h;
}
