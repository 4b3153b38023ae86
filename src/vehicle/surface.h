// Surfaces of roads inside.
#ifndef HN_VEHICLE_SURFACE_H
#define HN_VEHICLE_SURFACE_H

#include "base/arena.h"
#include "holon/road.h"

typedef enum hn_road_surface_kind {
  HN_ROAD_SURFACE_PLANE,
  HN_ROAD_SURFACE_GRID,
  HN_ROAD_SURFACE_RANDOM,
  HN_ROAD_SURFACE_CRG
} hn_road_surface_kind;

// z = sum a (cos(k x + phase) cos(w y) + cos(k x + other) sin(w y))
typedef struct hn_road_wave {
  double a, k, phase, other, w;
} hn_road_wave;

typedef struct hn_height_grid {
  int nx, ny;
  double origin[2], spacing[2];
  const double *z; // (ny x nx)
} hn_height_grid;

// Stations along a reference line at equal distances, heights across them at given v.
typedef struct hn_crg {
  int stations, sections;
  double start, step;                  // of u
  double longest;                      // distance of two stations
  const double *x, *y, *z_line, *bank; // (stations)
  const double *v;                     // (sections), ascending
  const double *z;                     // (stations x sections)
} hn_crg;

struct hn_road_surface {
  hn_arena arena; // of everything, the surface itself too
  hn_road_surface_kind kind;
  double height, slope[2];
  hn_height_grid grid;
  hn_road_wave *waves;
  int wave_count;
  hn_crg crg;
};

// One of this kind without anything; null when out of memory.
hn_road_surface *hn_road_surface_new(hn_road_surface_kind kind);

int hn_road_surface_is_plane(const hn_road_surface *surface);
// Lays the friction of a patch over what is there.
void hn_road_surface_add_patch(const hn_friction_patch *patch, double x, double y,
                               hn_road_point *at);
void hn_grid_at(const hn_height_grid *grid, double x, double y, hn_road_point *at);
void hn_waves_at(const hn_road_wave *waves, int count, double x, double y, hn_road_point *at);
void hn_crg_at(const hn_crg *crg, double x, double y, hn_road_point *at);
// Where (x, y) lies along and across the line.
void hn_crg_locate(const hn_crg *crg, double x, double y, double *u, double *v);
// A hash that identifies the surface.
unsigned long long hn_road_surface_hash(const hn_road_surface *surface);

#endif
