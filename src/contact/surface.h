// Surfaces for terrain: heights over a grid, and meshes by their triangles.
//
// A height field is cubic between its heights, with a normal that is continuous; contact is found
// by the nearest point. A mesh is flat between its edges and has contact on the outside only. Both
// are one mode: pieces are searched at every position.
#ifndef HN_CONTACT_SURFACE_H
#define HN_CONTACT_SURFACE_H

#include "contact/geometry.h"

// A box of the tree over the triangles.
typedef struct hn_surface_node {
  hn_vec3 low, high;
  int first, count; // leaf: triangles in `order`
  int left, right;  // -1: a leaf
} hn_surface_node;

typedef struct hn_surface {
  // heights
  int grid[2];
  double step[2];
  const double *heights;
  double top; // the highest of them
  // triangles
  const hn_mesh *mesh;
  hn_vec3 *normals; // of triangles
  int *order;
  hn_surface_node *nodes;
  int node_count;
} hn_surface;

hn_status hn_surface_of_heights(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                                hn_error *error);
hn_status hn_surface_of_mesh(hn_arena *arena, const hn_shape_def *def, hn_contact_shape *out,
                             hn_error *error);

// Where a point x (axes of the shape) faces the surface: the nearest place of it, the normal there,
// which leads out, and its principal curvatures along e and n x e.
typedef struct hn_surface_foot {
  hn_vec3 at, normal, e;
  double curvature[2];
  int is_corner[2]; // across an edge: the normal is free in this direction
  int feature, is_inside;
} hn_surface_foot;
hn_surface_foot hn_heights_foot(const hn_surface *surface, hn_vec3 x);
// The place next to (x, y) that lies furthest along n (unit, n.z > 0): its normal is n. 0: not
// found within two steps of the grid.
int hn_heights_summit(const hn_surface *surface, hn_vec3 n, double x, double y,
                      hn_surface_foot *foot);
double hn_heights_at(const hn_surface *surface, double x, double y);
// At most the capacity of them within reach, the nearest first; a point behind the surface by less
// than depth counts.
int hn_triangles_feet(const hn_surface *surface, hn_vec3 x, double reach, double depth,
                      hn_surface_foot *feet, int room);

// 1: x lies behind the nearest place of the mesh.
int hn_triangles_behind(const hn_surface *surface, hn_vec3 x);

// A place of a surface (the first of the meeting) against the other's form.
void hn_meeting_add_foot(hn_meeting *meeting, const hn_surface_foot *foot, const hn_form *other,
                         int feature);

#endif
