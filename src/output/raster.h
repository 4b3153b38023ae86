// Triangles into pixels, with a depth for each: parallel projection, smooth normals, one light with a
// shadow map.
#ifndef HN_OUTPUT_RASTER_H
#define HN_OUTPUT_RASTER_H

#include "math/vec.h"

// Where one looks from: x to the right and y upwards in the picture, z towards the eye.
typedef struct hn_camera {
  hn_vec3 right, up, eye;
  hn_vec3 middle; // the point in focus
  double scale;   // samples a meter
  int width, height;
} hn_camera;

typedef struct hn_corner {
  hn_vec3 at, normal; // global
} hn_corner;

typedef struct hn_paint {
  double color[3]; // 0 to 1
  double opacity;
} hn_paint;

// A plane across gravity with lines of a grid, which takes shadows.
typedef struct hn_ground {
  double height;    // against gravity
  double cell;      // of the grid
  double reach;     // it fades out at this distance
  hn_vec3 middle;   // from here
  hn_vec3 sides[2]; // its directions
  int samples;      // of a pixel, along each side
} hn_ground;

typedef struct hn_raster {
  hn_camera camera, light; // of the shadow map
  float *depth;            // (width * height), towards the eye
  float *shadow;           // the same for the light, or null
  unsigned char *color;    // (3 * width * height)
  hn_vec3 above;           // against gravity
  hn_vec3 half;            // between light and eye: where things shine
  double background[3];
  double bias; // of the shadow map, m
} hn_raster;

void hn_raster_clear(hn_raster *r);
// Depths alone, of all that is opaque; then colors, of what is in front.
void hn_raster_cover(hn_raster *r, const hn_corner corner[3]);
void hn_raster_shade(hn_raster *r, const hn_corner corner[3], const hn_paint *paint);
// How dark the background is at a place of the picture, in samples: 1 is light.
double hn_raster_ground(const hn_raster *r, const hn_ground *ground, double x, double y);
void hn_raster_cast(hn_raster *r, const hn_corner corner[3]); // into the shadow map

#endif
