// Trees that move in a plane: forward and inverse dynamics in two dimensions (relative/plane.c). The
// results are those of the tree in space, up to rounding.
#ifndef HN_EQUATIONS_RELATIVE_PLANE_H
#define HN_EQUATIONS_RELATIVE_PLANE_H

#include "equations/relative/tree.h"
#include "math/vec2.h"

// Constant data: as hn_tree_node, seen along the plane's normal.
typedef struct hn_plane_node {
  hn_vec2 arm;          // in axes of the parent
  hn_vec2 turn;         // cosine and sine of the joint frame at q = 0 against the parent
  hn_vec2 along;        // slide: its direction, in axes of the parent
  hn_vec2 moment;       // mass times center of mass
  double mass, inertia; // about the node's origin
  double sign;          // of a hinge whose axis is the normal, or its opposite
  hn_link_kind kind;
  int parent, q, u;
  int is_leaf, is_last, has_body;
} hn_plane_node;

// Axes in which the plane is seen from a node (or ground): x and y across n, in the node's own axes.
typedef struct hn_plane_axes {
  hn_vec3 x, y, n;
  double height; // of the node's origin along the normal
} hn_plane_axes;

typedef struct hn_plane_motion {
  hn_vec2 r;     // cosine and sine of the node's axes
  hn_vec2 d;     // origin from the parent's
  hn_vec2 bias;  // acceleration of the origin at ud = 0
  hn_vec2 along; // of a slide
  hn_vec2 origin, velocity;
  double w;
} hn_plane_motion;

typedef struct hn_plane_wrench {
  double fx, fy, n;
} hn_plane_wrench;

typedef struct hn_plane_articulated {
  double i, bx, by, cxx, cxy, cyy;
  hn_plane_wrench p;
  double to_n, to_x, to_y;
  double force, inverse;
} hn_plane_articulated;

typedef struct hn_plane_change {
  double x, y, w;
} hn_plane_change;

typedef struct hn_plane {
  int count;      // nodes
  int has_places; // origins and velocities are asked for
  hn_plane_axes ground;
  hn_plane_axes *axes;       // (nodes)
  hn_plane_motion at_ground; // its bias is the acceleration of ground
  hn_plane_node *nodes;
  hn_plane_motion *motion;
  hn_plane_articulated *articulated;
  hn_plane_change *change; // of accelerations, against the bias
} hn_plane;

// *plane: null where the tree does not move in a plane.
hn_status hn_plane_create(hn_arena *arena, const hn_tree *tree, hn_plane **plane);
// Poses, velocities and bias accelerations; base: acceleration of ground.
// speeds null: at rest.
void hn_plane_move(hn_plane *plane, const double *q, const double *u, hn_vec3 base);
// M ud = tau + applied - bias at that motion. 0 when M is not positive definite. applied: wrenches
// about the nodes' origins (nodes); it and tau (nu) may be null.
int hn_plane_forward(const hn_plane *plane, const hn_tree_wrench *applied, const double *tau,
                     double *ud);
// tau = M ud + bias - applied at that motion. ud null: 0.
void hn_plane_inverse(const hn_plane *plane, const double *ud, const hn_tree_wrench *applied,
                      double *tau);
// The composite inertia matrix on the tree's pattern.
void hn_plane_mass(const hn_plane *plane, const hn_tree *tree, double *values);

// The vector in the plane of one in a node's own axes.
static inline hn_vec2 hn_plane_seen(const hn_plane_axes *a, hn_vec3 v) {
  return (hn_vec2){vec3_dot(a->x, v), vec3_dot(a->y, v)};
}
static inline hn_vec2 hn_plane_turned(hn_vec2 r, hn_vec2 v) {
  return (hn_vec2){r.x * v.x - r.y * v.y, r.y * v.x + r.x * v.y};
}

#endif
