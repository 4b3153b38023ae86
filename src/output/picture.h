// Common declarations of pictures: triangles of a scene at an instant, to be drawn.
#ifndef HN_OUTPUT_PICTURE_H
#define HN_OUTPUT_PICTURE_H

#include "holon/picture.h"
#include "math/pose.h"
#include "output/raster.h"

typedef struct hn_triangle {
  hn_corner corner[3];
  int paint; // of the list of paints
} hn_triangle;

// Triangles of one instant. A failed allocation is remembered.
typedef struct hn_triangles {
  hn_triangle *all;
  size_t count, room;
  int has_failed;
} hn_triangles;

void hn_triangles_add(hn_triangles *t, const hn_corner corner[3], int paint);
void hn_triangles_add_surface(hn_triangles *t, const hn_surface *surface, const hn_pose *pose,
                              int paint);

// A coil, a cylinder with its rod, or both, between two points. size: of the model. paints: of the
// coil, of the barrel, of the rod.
void hn_draw_strut(hn_triangles *t, const char *look, hn_vec3 from, hn_vec3 to, double size,
                   double rest, const int paints[3]);
// A sleeve about an axis, for bushings.
void hn_draw_sleeve(hn_triangles *t, hn_vec3 at, hn_vec3 axis, double size, int paint);

#endif
