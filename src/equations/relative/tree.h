// A model as trees of joints, the basis of relative coordinates. Parents come before children. A
// joint with several degrees of freedom is a chain of nodes, all but the last massless:
//
//   hinge 1 speed   a turn about z of its joint frame (revolute; last of cylindrical, planar, ...)
//   slide 1         along z
//   screw 1         both
//   ball  3         Euler parameters of the node against its joint frame; speeds in axes of the
//                   joint frame, which is fixed in the parent
//   free  6         from ground: position and Euler parameters, speeds in global axes
//   fixed 0
//
// Everything is in global axes with the node's own origin as reference point, so inertias are shifted
// but never turned as 6 x 6 matrices, and nothing is lost far from the world's origin. A wrench
// (f, n) and a motion (v, w) at a node: those at the parent's origin, d away, are n + d x f and
// v = v_p + w_p x d.
//
// Out of scope: constraints (relative/rows.c), the coordinate set itself (relative.c).
#ifndef HN_EQUATIONS_RELATIVE_TREE_H
#define HN_EQUATIONS_RELATIVE_TREE_H

#include "base/threads.h"
#include "elements/elements.h"
#include "elements/measure_motion.h"
#include "equations/spanning.h"
#include "model/joint_types.h"

// A symmetric 3 x 3.
typedef struct hn_sym3 {
  double xx, yy, zz, xy, xz, yz;
} hn_sym3;

// Data for frames only, stored separately from that of the recursions.
typedef struct hn_tree_end {
  hn_vec3 centre;         // center of mass in node axes
  hn_mat3 body_axes;      // of the body in node axes
  hn_quat turn_p, body_p; // turn and body axes as Euler parameters
} hn_tree_end;

// Constant data of a node.
typedef struct hn_tree_node {
  hn_mat3 turn;           // joint frame at q = 0 in axes of the parent's node
  hn_vec3 arm;            // joint point from the parent's origin, in its axes
  double mass;            // 0 for nodes inside a joint
  hn_vec3 moment;         // mass times center of mass, node axes
  hn_sym3 inertia;        // about the node's origin, node axes
  double angular, linear; // of the one speed: 1, 0 hinge; 0, 1 slide; 1, advance a radian screw
  hn_link_kind kind;
  int parent; // -1: ground
  int q, u;   // first coordinate and speed
  int q_count, u_count;
  int is_leaf; // nothing hangs on it
  int is_last; // no later node hangs on its parent
  int body;    // 0 inside a joint
  int joint;   // of the model; -1: none (free)
  int ball;    // number of a ball node among those
  hn_tree_end *end;
} hn_tree_node;

// Motion of a node. Bias accelerations are those with the derivatives of all speeds zero.
typedef struct hn_tree_motion {
  hn_mat3 r;                // node axes in global ones
  hn_vec3 w;                // of the node
  hn_vec3 bias, bias_w;     // acceleration of the origin, angular acceleration
  hn_vec3 d;                // origin from the parent's
  hn_vec3 axis;             // of the one speed, global
  hn_vec3 origin, velocity; // of the node
  hn_mat3 joint;            // ball: joint frame, whose axes its speeds are in
} hn_tree_motion;

// Of a node with what hangs on it, about its origin: mass, moment, inertia.
typedef struct hn_tree_composite {
  double mass;
  hn_vec3 moment;
  hn_sym3 inertia;
} hn_tree_composite;

// Articulated inertia [a b; b' c] (torque from angular, linear; force) and what the last pass needs.
typedef struct hn_tree_articulated {
  hn_sym3 a;
  hn_mat3 b;
  hn_sym3 c;
  hn_tree_wrench p;            // bias
  hn_vec3 to_torque, to_force; // [a b; b' c] S
  double force, inverse;       // u = tau - S' p, 1 / S' U
} hn_tree_articulated;

// An independent subtree (relative/limbs.c): nodes from .. to - 1.
typedef struct hn_tree_range {
  int from, to;
} hn_tree_range;
typedef struct hn_tree_join {
  int node, is_limb; // of the trunk, or the root of a subtree on it
} hn_tree_join;
typedef struct hn_tree_limbs {
  hn_threads *threads;
  int count;
  hn_tree_range *range;
  int trunk_count, *trunk; // nodes in no subtree, ascending
  int join_count;
  hn_tree_join *join;    // ascending
  unsigned char *is_bad; // of hn_tree_forward (count)
} hn_tree_limbs;

typedef struct hn_tree_plain {
  int q, u;
} hn_tree_plain;

typedef struct hn_tree {
  const hn_model *model;
  int count; // nodes
  int nq, nu;
  hn_tree_node *nodes;
  hn_tree_end *ends;      // (nodes)
  int *body_node;         // the node that carries a body (bodies + ground); ground: -1
  int *joint_node;        // last node of a joint in the tree, -1: cut (joint_count)
  signed char *body_sign; // continuity of Euler parameters (bodies + ground)
  int quaternions;        // nodes with Euler parameters
  int *quaternion_node;   // these, ascending (quaternions)
  int plain_count;        // coordinates whose rate is a speed
  hn_tree_plain *plain;   // these, ascending (plain_count)
  int depth;              // speeds on the longest way down
  int wide;               // recursions are those compiled for AVX2
  hn_tree_limbs *limbs;   // null: one thread does all

  // the composite inertia matrix in speeds, upper triangle by columns: the speeds above, then the
  // diagonal. Made only where it is used.
  int *mass_start, *mass_index;
} hn_tree;

// Where Euler parameters of a node begin, and the speeds that turn it.
static inline int hn_tree_turn_q(const hn_tree_node *node) {
  return node->q + (node->kind == HN_LINK_FREE ? 3 : 0);
}
static inline int hn_tree_turn_u(const hn_tree_node *node) {
  return node->u + (node->kind == HN_LINK_FREE ? 3 : 0);
}

// ---- making (relative/nodes.c) ------------------------------------------------------------------

hn_status hn_tree_create(hn_arena *arena, const hn_model *model, hn_hanging hanging,
                         hn_tree **tree);
// 1 where a body, though it lacks inertia about some axis, has inertia of its own against the one speed
// of its joint, in every position: articulated inertias are not below that, so their pivot is sound.
int hn_tree_resists(const hn_tree *tree, int body);
// The pattern of the composite inertia matrix.
hn_status hn_tree_make_mass_pattern(hn_arena *arena, hn_tree *tree);

// relative/limbs.c: creates independent subtrees if there are threads and sufficient work; tasks
// over them.
hn_status hn_tree_make_limbs(hn_arena *arena, hn_tree *tree, hn_threads *threads);
typedef void hn_tree_task(void *context, const hn_tree_range *limb);
void hn_tree_run_limbs(const hn_tree *tree, hn_tree_task *task, void *context);
// All nodes, those of the trunk first; one range if there are no subtrees.
void hn_tree_run_outwards(const hn_tree *tree, hn_tree_task *task, void *context);

// ---- motion (relative/motion.c) -----------------------------------------------------------------

// Poses, velocities and bias accelerations. speeds null: at rest. base: acceleration of ground, by
// which gravity can be put in.
void hn_tree_move(const hn_tree *tree, const double *q, const double *u, hn_vec3 base,
                  hn_tree_motion *motion);
// Velocities and bias accelerations alone: poses are there. The same for frames.
void hn_tree_move_on(const hn_tree *tree, const double *u, hn_vec3 base, hn_tree_motion *motion);
void hn_tree_frames_on(const hn_tree *tree, const hn_tree_motion *motion, hn_frame *frames);
// q null: without Euler parameters, which forces and rows in speeds do not read.
void hn_tree_frames(const hn_tree *tree, const double *q, const hn_tree_motion *motion,
                    hn_frame *frames);
// Motion without accelerations, and frames without Euler parameters, of some nodes, ascending, none of
// which hangs on others.
void hn_tree_move_ranges(const hn_tree *tree, const hn_tree_range *ranges, int count,
                         const double *q, const double *u, hn_tree_motion *motion,
                         hn_frame *frames);
// Euler parameters and their rates alone, of frames that have the rest.
void hn_tree_parameters(const hn_tree *tree, const double *q, hn_frame *frames);
// q and u of frames that satisfy the joints of the tree, and the signs of Euler parameters that they
// have against those that q gives (relative/motion.c).
void hn_tree_read_frames(const hn_tree *tree, const hn_frame *frames, double *q, double *u);
void hn_tree_remember_signs(const hn_tree *tree, const hn_frame *frames, const double *q);
// Changes of acceleration due to ud, added to the bias: acceleration of origins and angular ones.
void hn_tree_accelerate(const hn_tree *tree, const hn_tree_motion *motion, const double *ud,
                        hn_vec3 *acceleration, hn_vec3 *angular);

// ---- dynamics -----------------------------------------------------------------------------------

// relative/composite.c: applied (nodes, may be null) acts about the nodes' origins; force (nodes)
// receives what each joint carries; tau (nu) its share along the speeds. Accelerations null: at ud = 0.
void hn_tree_inverse(const hn_tree *tree, const hn_tree_motion *motion, const hn_vec3 *acceleration,
                     const hn_vec3 *angular, const hn_tree_wrench *applied, hn_tree_wrench *force,
                     double *tau);
// relative/composite.c: composite inertia matrix on the pattern.
void hn_tree_mass(const hn_tree *tree, const hn_tree_motion *motion, hn_tree_composite *composite,
                  double *values);
// The same with mass 1 and inertia `rotation` for every body.
void hn_tree_geometry(const hn_tree *tree, const hn_tree_motion *motion,
                      hn_tree_composite *composite, double rotation, double *values);
// values: M becomes its factors L' D L without fill; returns 0 where M is not positive definite.
int hn_tree_factor(const hn_tree *tree, double *values);
void hn_tree_solve(const hn_tree *tree, const double *values, double *x);
// relative/articulated.c: M ud = tau + applied - bias in linear time. 0 when not positive definite.
int hn_tree_forward(const hn_tree *tree, const hn_tree_motion *motion,
                    const hn_tree_wrench *applied, const double *tau, hn_tree_articulated *room,
                    hn_vec3 *change, hn_vec3 *change_w, double *ud);
// Multiplications of one solution by either way; counting stops above `limit`.
double hn_tree_composite_work(const hn_tree *tree, double limit);
double hn_tree_articulated_work(const hn_tree *tree);

#endif
