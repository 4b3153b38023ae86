// Holon: surfaces of roads by themselves: height and friction over x and y.
#ifndef HOLON_ROAD_H
#define HOLON_ROAD_H

#include "holon/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_road_surface hn_road_surface;

typedef struct hn_road_point {
  double z, z_x, z_y, z_xx, z_xy, z_yy; // height with its derivatives, m and rad
  double mu, mu_x, mu_y;                // factor to the friction of a tyre
} hn_road_point;

// z = height + slope_x x + slope_y y
HN_API hn_status hn_road_surface_plane(double height, double slope_x, double slope_y,
                                       hn_road_surface **surface, hn_error *error);
// A random road of a class of ISO 8608 ('A' .. 'H', G_d(n0) its mean value): 200 waves between
// 0.011 and 2.83 per meter. Tracks at a distance `track` are as alike as on an isotropic surface.
HN_API hn_status hn_road_surface_random(char road_class, unsigned long long seed, double track,
                                        hn_road_surface **surface, hn_error *error);
// Heights on a grid (ny rows of nx values, the first row at the least y), copied; bicubic between
// the points, constant beyond them.
HN_API hn_status hn_road_surface_grid(int nx, int ny, const double *heights, const double origin[2],
                                      const double spacing[2], hn_road_surface **surface,
                                      hn_error *error);
// An OpenCRG file as text (LRFI, LDFI) or binary (KRBI, KDBI); the line starts where the file says.
HN_API hn_status hn_road_surface_crg(const char *text, size_t size, const char *name,
                                     hn_road_surface **surface, hn_error *error);
HN_API void hn_road_surface_free(hn_road_surface *surface); // null is fine
HN_API void hn_road_surface_at(const hn_road_surface *surface, double x, double y,
                               hn_road_point *point);

// A rectangle (low x, high x; low y, high y; infinite ones are allowed) with a friction of its own,
// which it reaches over the width `ramp` across its edges.
typedef struct hn_friction_patch {
  double low[2], high[2];
  double mu, ramp;
} hn_friction_patch;

#ifdef __cplusplus
}
#endif

#endif
