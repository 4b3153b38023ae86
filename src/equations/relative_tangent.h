// The tangent of the relative set inside. With speeds w = T qd, wd = T qdd, T = 1 or 2 E(p) a node,
//
//   F(q, qd, qdd, lambda) = T' G,   G = g(pose, w, wd) + Phi_pi' lambda
//   K = T' (G_pi T + g_w dT(qd) + g_wd dT(qdd)) + (T' G)_q at fixed G
//   C = T' g_w T,   M = T' g_wd T,   Phi_q = Phi_pi T
//
// where pi moves the pose along the speeds with the numbers w and wd held, and dT(x) = (T x)_q. Spatial
// vectors are in global axes about one point O a tree, which is held fixed: motions (v, w) with v that
// of the point of the body at O, wrenches (f, n) about O. For speed k with column S_k on node b, parent
// p:
//
//   Sd = Y_p x S,   psd = Y_b x S,   psdd = a_b x S + Y_b x psd   (hinge, slide, screw: with Y_p, a_p)
//
// and for every body i at or below k
//
//   dY_i/dpi = S x Y_i + psd          da_i/dpi = S x a_i + psd x Y_i + psdd
//   dY_i/dw  = S                      da_i/dw  = S x Y_i + Sd + psd
//
// These are derivatives along directions that keep |p| = 1 and p.pd = 0; methods use no others.
#ifndef HN_EQUATIONS_RELATIVE_TANGENT_H
#define HN_EQUATIONS_RELATIVE_TANGENT_H

#include "equations/relative.h"
#include "equations/tangent.h"

typedef struct hn_twist { // about O
  hn_vec3 v, w;
} hn_twist;

// Everything of one speed.
typedef struct hn_speed_column {
  hn_twist s, sd, psd, psdd;
  hn_twist heavy_psdd; // with the acceleration of ground that stands for gravity
  int node;
  int joint; // order along a path; equal for speeds of one joint (a free base is two)
} hn_speed_column;

typedef struct hn_node_rates {
  hn_twist y, a;
  hn_vec3 point; // O of its tree
} hn_node_rates;

// What T does to the Euler parameters of a node.
typedef struct hn_node_map {
  double w[3][4];
} hn_node_map;

// Two nodes coupled in K; where M and C have them too.
typedef struct hn_node_pair {
  int row, column; // nodes
  hn_sparse_place stiffness, damping, mass;
} hn_node_pair;

// How a body's centre of mass and axes move with one speed: pose, then velocity and acceleration against
// pi, then against w.
typedef struct hn_body_change {
  hn_vec3 r, turn;
  hn_vec3 v, w, a, wd;
  hn_vec3 v_w, w_w, a_w, wd_w;
} hn_body_change;

typedef struct hn_relative_tangent {
  hn_tangent base;
  hn_relative_set *set;
  int nu;
  int pair_count;
  hn_node_pair *pairs;

  double *mass_values;                   // on the tree's pattern
  hn_tree_composite *composite;          // (nodes)
  void *inertia;                         // of relative_tangent_inertia.c (nodes)
  double *m_u, *k_u, *c_u;               // in speeds (nu x nu)
  double *g_u, *t_u;                     // G, its share of time (nu)
  double *row_u, *row_v, *row_a, *row_w; // one row in speeds: Phi, A, P against pi, against w (nu)
  hn_node_map *maps;                     // T (nodes)
  hn_speed_column *columns;              // (nu)
  hn_node_rates *rates;                  // (nodes)
  double *ud;                            // T qdd (nu)
  int *list[2];                          // speeds of an element, by slot (nu)
  hn_body_change *change[2];             // how its bodies move with them (nu)
  hn_snapshot *snapshot;                 // forces and frames at the state
} hn_relative_tangent;

// relative_tangent_pattern.c
hn_status hn_relative_tangent_pattern(hn_arena *arena, hn_relative_tangent *self);
// Below which common node an element between two bodies does not see the tree: -1 (ground) when it also
// depends on where it is.
int hn_relative_top(const hn_tree *tree, int body1, int body2, int is_relative);
int hn_force_is_relative(const hn_force_def *force);

// relative_tangent_inertia.c: motions of nodes and speeds, then M, G_pi and g_w of inertia and gravity.
void hn_relative_tangent_move(hn_relative_tangent *self);
void hn_relative_tangent_inertia(hn_relative_tangent *self);
size_t hn_relative_tangent_inertia_size(void);
hn_twist hn_twist_cross(hn_twist a, hn_twist b);

// relative_tangent_elements.c
hn_status hn_relative_tangent_forces(hn_relative_tangent *self, double t, const double *q,
                                     const hn_branches *branches, hn_error *error);
// One cut row: its curvature times lambda into G_pi; row_v, row_a, row_w.
void hn_relative_tangent_row(hn_relative_tangent *self, int cut, double lambda,
                             const hn_branches *branches);

hn_status hn_relative_tangent_create(hn_arena *arena, hn_equations *equations,
                                     hn_tangent **tangent);

#endif
