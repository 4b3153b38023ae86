// Meshes inside: memory, whether one is a closed solid, and its integrals.
#ifndef HN_MODEL_MESH_H
#define HN_MODEL_MESH_H

#include "holon/shape.h"

// A mesh in one block for vertex_count vertices and the given number of triangles, to be filled
// through the two pointers and freed with hn_mesh_free. Null when out of memory (or without
// vertices).
hn_mesh *hn_mesh_new(const hn_allocator *allocator, const char *name, int vertex_count,
                     int triangle_count, double **vertices, int **triangles);

// Of the volume inside: V, the integral of x, and of x x' (xx yy zz xy xz yz), about the origin.
typedef struct hn_volume_integrals {
  double volume;
  hn_vec3 first;
  double second[6];
} hn_volume_integrals;

// Closed, every edge run through once in each direction, and not inside out.
hn_status hn_mesh_check_solid(const hn_mesh *mesh, hn_error *error);
hn_volume_integrals hn_mesh_integrate(const hn_mesh *mesh);

// Whether two edges of a polygon (x y of each corner) meet elsewhere than in a common corner; the
// first such pair.
int hn_polygon_crosses_itself(const double *corners, int count, int edges[2]);
double hn_polygon_area(const double *corners, int count); // > 0: counterclockwise
#define HN_PROFILE_CORNERS 2000                           // of an extrusion, at most

#endif
