// The tangent of the relative set inside. With speeds w = T qd, wd = T qdd, T = 1 or 2 E(p) a node,
//
//   F(q, qd, qdd, lambda) = T' G,   G = g(pose, w, wd) + Phi_pi' lambda
//   K = T' (G_pi T + g_w dT(qd) + g_wd dT(qdd)) + (T' G)_q at fixed G
//   C = T' g_w T,   M = T' g_wd T,   Phi_q = Phi_pi T
//
// where pi moves the pose along the speeds with the numbers w and wd fixed, and dT(x) = (T x)_q.
// Spatial vectors are in global axes about one fixed point O per tree: motions (v, w) with v that of
// the point of the body at O, wrenches (f, n) about O. For speed k with column S_k on node b, parent p:
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

#include "elements/force_types.h"
#include "equations/relative/relative.h"
#include "equations/tangent.h"

// Everything of one speed.
typedef struct hn_speed_column {
  hn_twist s, sd, psd, psdd;
  hn_twist both;       // sd + psd
  hn_twist heavy_psdd; // with the acceleration of ground that represents gravity
  int node;
  int joint; // order along a path; equal for speeds of one joint (a free base is two)
} hn_speed_column;

typedef struct hn_node_rates {
  hn_twist y, a;
  hn_vec3 point; // O of its tree
} hn_node_rates;

// The map T for the Euler parameters of a node.
typedef struct hn_node_map {
  double w[3][4];
} hn_node_map;

// Two nodes coupled in K; positions of their blocks in M and C, and of all three in speeds.
typedef struct hn_node_pair {
  int row, column; // nodes
  hn_sparse_place speeds;
  hn_sparse_place stiffness, damping, mass;
} hn_node_pair;

// A node at or above another one, and where both meet in the matrices in speeds.
typedef struct hn_path_step {
  int node;
  hn_sparse_place up, down; // with the upper node as row, as column
} hn_path_step;

// How a body's center of mass and axes move with one speed: pose, then velocity against pi, then against
// w.
typedef struct hn_body_change {
  hn_vec3 r, turn;
  hn_vec3 v, w;
  hn_vec3 v_w, w_w;
} hn_body_change;

// ---- elements between two bodies ----------------------------------------------------------------

// A speed between the two bodies and the common ancestor of a couple.
typedef struct hn_couple_column {
  int speed;
  int side; // 1: above the second body, -1: above the first
} hn_couple_column;

// All elements between two bodies at once. They give a wrench E about O on the second body and -E on
// the first that depends on their relative pose and motion only: dE = h S + d psd along a speed S
// of the second body, the first one fixed.
typedef struct hn_couple {
  int body[2];
  int before;       // the couple before it with the same second body; -1: none
  int first, count; // of couple_columns
  int *place;       // of each row and column among them, in the matrices in speeds (count x count)
  int is_used, has_rate;
  hn_tree_wrench e;
  hn_tree_wrench rate; // of deep trees, with ground: what E is short of against time
  double h[6][6], d[6][6];
} hn_couple;

typedef struct hn_couple_table {
  int count;
  hn_couple *couple;
  hn_couple_column *column;
  int *of_force; // -1: it goes by lists of speeds (force_count)
  int *of_row;   // of each measure of a loop-closure constraint (cut_count x HN_ROW_MEASURES) first
                 // form of a force, likewise of a loop-closure constraint; of deep trees also the
                 // couple with ground of a force by lists
  int *force_form, *row_form;
  hn_measure_form *forms;
} hn_couple_table;

// Where M, C and K in speeds have numbers.
typedef struct hn_speed_grid {
  int pair_count;
  hn_node_pair *pairs;              // by rows, columns ascending
  int turn_pair_count, *turn_pairs; // whose column has Euler parameters, by columns
  int *start, *column;              // K by rows, as pairs stand (nu + 1; entries)
  int *path_start;                  // (nodes + 1)
  hn_path_step *path; // of each node: itself, then up to the root; only those with speeds
} hn_speed_grid;

typedef struct hn_relative_tangent {
  hn_tangent base;
  hn_relative_set *set;
  int nu;
  hn_speed_grid grid;

  double *mass_values;                   // on the tree's pattern
  hn_tree_composite *composite;          // (nodes)
  void *inertia;                         // of relative/tangent_inertia.c (nodes)
  double *m_u, *k_u, *c_u;               // in speeds (entries)
  double *g_u, *t_u;                     // G, its derivative by time (nu)
  double *row_u, *row_v, *row_a, *row_w; // one row in speeds: Phi, A, P against pi, against w (nu)
  int plain_count, *plain_q, *plain_u;   // coordinates that are speeds themselves
  int turn_count, *turns;                // nodes with Euler parameters
  // For stage matrices: rows against w and pi in the order of J.
  double *row_rate, *row_bend;
  hn_node_map *maps;                    // T (nodes)
  hn_node_map *rate_maps, *second_maps; // dT(qd), dT(qdd) (nodes)
  hn_speed_column *columns;             // (nu)
  hn_node_rates *rates;                 // (nodes)
  double *ud;                           // T qdd (nu)
  int *point_node;                      // the node whose origin is O (nodes)
  hn_spatial_body *bodies;              // (bodies + ground)
  hn_couple_table couples;
  int *list[2];              // speeds of an element, by slot (nu)
  hn_body_change *change[2]; // how its bodies move with them (nu)
  hn_snapshot *snapshot;     // forces and frames at the state
  const double *reference;   // turns of angles there
  int has_signals;           // the last force with a law of signals did without couplings
  // Of a law of signals: f_pi and f_w along speeds, 0 between uses (nu), and the least and the last
  // speed among them.
  struct {
    double *by_pose, *by_speed;
    int first, last;
  } sensed;
  int has_load; // forces on coordinates are in the set's load, not in its wrenches
} hn_relative_tangent;

// T of one node is [1 0; 0 W]: so many coordinates are speeds themselves, then W = 2 E(p) where it has
// Euler parameters. dT(x) is [0 0; 0 -2 E(x_p)].
static inline int hn_node_plain(const hn_tree_node *node) {
  return node->kind == HN_LINK_FREE ? 3 : node->u_count == 1;
}
static inline int hn_node_has_parameters(const hn_tree_node *node) {
  return node->q_count > node->u_count;
}

// relative/tangent_pattern.c
hn_status hn_relative_tangent_pattern(hn_arena *arena, hn_relative_tangent *self);
// Position of (i, j) in the matrices in speeds.
int hn_relative_place(const hn_relative_tangent *self, int i, int j);
// Below which common node an element between two bodies does not see the tree: -1 (ground) when it also
// depends on where it is.
int hn_relative_top(const hn_tree *tree, int body1, int body2, int is_relative);

// out (4) += x (3) times a map
HN_INLINE void hn_add_mapped(const double *x, const hn_node_map *map, double *out) {
  for (int j = 0; j < 4; j++)
    out[j] += x[0] * map->w[0][j] + x[1] * map->w[1][j] + x[2] * map->w[2][j];
}

// relative/tangent_speeds.c: T, dT(qd) and dT(qdd) of all nodes.
void hn_relative_find_maps(hn_relative_tangent *self, const double *q);
void hn_relative_find_rate_maps(hn_relative_tangent *self, const double *qd, const double *qdd);
// u = T x, x = T' u
void hn_relative_to_speeds(const hn_relative_tangent *self, const double *x, double *u);
void hn_relative_to_coordinates(const hn_relative_tangent *self, const double *u, double *x);
// x = T^+ u, with p.x = c of the normalizations.
void hn_relative_correction_of_speeds(const hn_tangent *tangent, const double *u, const double *c,
                                      double *x);

hn_status hn_relative_tangent_blocks(hn_arena *arena, hn_relative_tangent *self);
// K in speeds, with what T adds to it.
void hn_relative_tangent_finish_blocks(hn_relative_tangent *self);
// dT(qd) T^+ and dT(qdd) T^+ of a node.
void hn_relative_turn_rates(const hn_relative_tangent *self, int node, double rate[3][3],
                            double second[3][3]);

// relative/tangent_speeds.c: K, C and M in q; M alone.
void hn_relative_tangent_store_matrices(hn_relative_tangent *self);
void hn_relative_tangent_store_mass(hn_relative_tangent *self);

// relative/tangent_elements.c: loop-closure constraints at the present motion; in_speeds: without J T.
void hn_relative_tangent_store_rows(hn_relative_tangent *self, double t,
                                    const hn_branches *branches, int in_speeds);
// qd null: only what belongs to positions. qdd null: no derivatives.
void hn_relative_tangent_store_normalizations(hn_relative_tangent *self, const double *q,
                                              const double *qd, const double *qdd);
// Derivatives of the loop-closure constraints (row_rate, row_bend; A and P in q), with their
// curvature times lambda, which is indexed by constraints of the elements.
void hn_relative_tangent_rows_in_speeds(hn_relative_tangent *self, const double *lambda);
void hn_relative_tangent_rows_in_q(hn_relative_tangent *self, const double *q,
                                   const double *lambda);

// relative/tangent_inertia.c: motions of nodes and speeds, then M, G_pi and g_w of inertia and gravity.
void hn_relative_tangent_move(hn_relative_tangent *self);
void hn_relative_tangent_inertia(hn_relative_tangent *self);
size_t hn_relative_tangent_inertia_size(void);
// Of deep trees: what the body of a node asks for, against (a, b, c) of relative/chain.c.
void hn_relative_own_wrench(const hn_relative_tangent *self, int node, double u[6][18],
                            hn_tree_wrench *force);

// relative/tangent_couples.c
// What acts between bodies; then, with the pattern, where it goes.
hn_status hn_relative_tangent_couples(hn_arena *arena, hn_relative_tangent *self);
hn_status hn_relative_tangent_place_couples(hn_arena *arena, hn_relative_tangent *self);
// 1: relative/chain.c is quicker than matrices, and elements join bodies with ground or along a joint.
int hn_relative_tangent_is_deep(const hn_relative_tangent *self);
void hn_couples_begin(hn_relative_tangent *self);
// The two bodies of a couple; `room`: memory for ground, whose position depends on O.
void hn_couple_bodies(const hn_relative_tangent *self, const hn_couple *couple,
                      hn_spatial_body *room, const hn_spatial_body *out[2]);
// G, G_pi and g_w of all couples.
void hn_couples_finish(hn_relative_tangent *self);

// relative/tangent_elements.c: forces at a stage, without derivatives: wrenches into the snapshot, what
// acts on coordinates into the set's load.
hn_status hn_relative_tangent_pull(hn_relative_tangent *self, double t, const double *q,
                                   const hn_branches *branches, hn_error *error);

// relative/tangent_signals.c: 1 when this is a coupling whose force reads coordinates of the tree alone,
// and nothing is left of it to be added.
int hn_relative_tangent_signals(hn_relative_tangent *self, int coupling, double t, const double *q,
                                const double *turns);

// relative/tangent_elements.c
hn_status hn_relative_tangent_forces(hn_relative_tangent *self, double t, const double *q,
                                     const hn_branches *branches, hn_error *error);
// Adds the curvature of one loop-closure constraint times lambda to its couple.
void hn_relative_tangent_curvature(hn_relative_tangent *self, int cut, double lambda);

// in_speeds: matrices in q are not asked for.
hn_status hn_relative_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                     hn_tangent **tangent);
// Of Cartesian coordinates: a tree in which every body hangs free, and all rows are cut.
hn_status hn_cartesian_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                      hn_tangent **tangent);

#endif
