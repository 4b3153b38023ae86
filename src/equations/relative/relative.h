// The relative set inside: joint coordinates along spanning trees, loops closed by constraints of
// the cut joints.
//
//   [ M  J' ] [ ud     ]   [ S' (applied - bias) ]
//   [ J  0  ] [ lambda ] = [ tau                 ]
//
//   M composite inertia, J loop-closure constraints in joint speeds
//
// Constraints of joints in the tree are never solved for: they hold by construction, and their
// multipliers follow from the joint forces.
#ifndef HN_EQUATIONS_RELATIVE_H
#define HN_EQUATIONS_RELATIVE_H

#include "equations/equations.h"
#include "equations/loop_rank.h"
#include "equations/relative/plane.h"

// One node on the path of a loop-closure constraint: children after parents.
typedef struct hn_walk_step {
  int node;
  int up;    // place of its parent in the same walk; -1: above the common ancestor
  int entry; // its first place in J
} hn_walk_step;

typedef enum hn_tree_solver {
  HN_TREE_SADDLE,
  HN_TREE_COMPOSITE,
  HN_TREE_ARTICULATED
} hn_tree_solver;
typedef enum hn_cut_set { HN_CUT_ALL, HN_CUT_KEPT } hn_cut_set;

// Loop-closure constraints as paths through the tree.
typedef struct hn_cut_walks {
  int *start; // (cut_count + 1)
  hn_walk_step *steps;
  int *body_place; // for each body of each loop-closure constraint: its index in the walk, -1: none
  int *body_start; // (cut_count + 1)
} hn_cut_walks;

// Those evaluated together, those on coordinates of the tree alone (relative/cuts.c), and the
// others individually.
typedef struct hn_cut_lanes {
  struct hn_cut_group *groups;
  int group_count, wide;
  struct hn_straight_cut *straight;
  int straight_count;
  int *single, single_count;
} hn_cut_lanes;

// Data of the rank decision (each cut_count).
typedef struct hn_cut_judgement {
  int has_loops;
  unsigned char *released, *small, *in_loop;
  double *by_mass, *by_length; // squares of the rows as rows on bodies
} hn_cut_judgement;

// A model that moves in a plane.
typedef struct hn_flat_motion {
  struct hn_plane_cut *cuts; // (cut_count); null without a plane
  int is_alone;              // the present motion is there in the plane and not in space
} hn_flat_motion;

// Operations on the present motion, in space (relative/evaluate.c) or in the plane of the model
// (relative/plane_cuts.c).
struct hn_relative_set;
typedef struct hn_motion_kernels {
  int is_flat;
  // b: the wrenches that ud (null: zero) needs in addition to the applied ones.
  void (*inverse)(struct hn_relative_set *self, const double *ud);
  // x in linear time, where there are no rows; 0: M is not positive definite. load may be null.
  int (*forward)(struct hn_relative_set *self, const double *load);
  void (*find_mass)(struct hn_relative_set *self);
  void (*find_sizes)(struct hn_relative_set *self, hn_cut_set set); // what rank is judged by
  // J and tau of the rows kept, at the end of a step.
  void (*carry_end)(struct hn_relative_set *self, const double *q, const hn_frame *frames);
} hn_motion_kernels;
extern const hn_motion_kernels hn_motion_in_space, hn_motion_in_plane;

// An angle of the measures: its reference, the coordinate that it is; -1: it goes by frames.
typedef struct hn_tree_turn {
  int measure, turn, q;
} hn_tree_turn;

typedef struct hn_tree_forces {
  int *node;                // whose coordinate a force reads; -1: it goes by frames (force_count)
  int measured;             // those that go by frames
  struct hn_tree_turn *turns; // angles that have a reference, ascending (measure_count)
  int turn_count;
  unsigned char *is_spring; // a force is one of these (force_count)
  struct hn_tree_spring *springs; // straight laws of forces on coordinates
  int spring_count;
  double *load;  // at stages: of the others, in speeds (nu)
  double *added; // values that a method adds to forces (force_count)
  // Signals of laws: whose coordinate one is; -1: it goes by frames (sensor_count)
  int *sensor_node;
  unsigned char *is_given; // it has such a node (sensor_count)
} hn_tree_forces;

// The state to which the factors belong.
typedef struct hn_tree_factored {
  double *q;
  hn_cut_set set;
  int near_singular; // near_singular of it; that of the set is of whatever came last
  int is_there;
  int is_loose;    // made of all rows, as one left out did not hold with the others
  int is_plain;    // without regularization: the first solution is exact
  int has_rows;    // J is what the factors were made of
  int is_of_stage; // made at a stage of the step that is being attempted
  int is_of_end;   // made at the end of the last attempt
} hn_tree_factored;

typedef struct hn_relative_set {
  hn_equations base;
  hn_tree *tree;
  hn_tree_solver solver;
  hn_plane *plane; // in which all moves; null: in none
  hn_flat_motion flat;
  const hn_motion_kernels *present; // of the present motion
  hn_tree_forces forces;

  // loop-closure constraints
  int cut_count;
  int *cut_row, *row_cut; // element constraint of a cut; back, -1: a tree joint's in which
                          // speeds, and nu + loop-closure constraints, are eliminated, in every
                          // matrix (nu + cut_count)
  int *order;
  hn_cut_walks walks;
  hn_cut_lanes lanes;
  hn_cut_judgement judged;
  int *j_start, *j_index; // J by rows
  double *j_values;
  double *tau, *gap; // right side; -phi or -rate in projections (cut_count)

  // numbers at the last state
  hn_tree_motion *motion; // (nodes)
  hn_tree_composite *composite;
  hn_tree_articulated *articulated; // with two more a ball node
  hn_tree_wrench *applied, *force;  // (nodes)
  int has_applied;                  // 0: all of `applied` are zero
  hn_vec3 *acceleration, *angular;  // (nodes)
  double *mass, *geometry_mass;     // on the tree's pattern
  double *b, *x, *u;                // (nu)
  double *y;                        // (cut_count)
  double *spare_q;                  // (nq)
  double *zero;                     // of responses (cut_count)
  hn_frame *frames;                 // of projections (bodies + ground)
  hn_wrench *wrench;                // (bodies + ground)

  struct {                 // for models of up to HN_RANK_ROWS loop-closure constraints
    double *rows;          // (cut_count x nu)
    double *matrix, *root; // (cut_count x cut_count)
    double *floor, *rest;  // (cut_count)
    int *order;            // (cut_count)
  } rank;

  // factorization
  hn_saddle *geometry; // for the rank of very many loop-closure constraints; else null
  double rotation;     // of the geometric metric
  hn_tree_factored factored;
} hn_relative_set;

// relative/rows.c
hn_status hn_relative_make_rows(hn_arena *arena, hn_relative_set *self);
// J, tau and values of loop-closure constraints at these frames and the present motion.
void hn_relative_evaluate_cuts(hn_relative_set *self, double t, const hn_frame *frames,
                               const hn_branches *branches);
// Its two halves: values, rates and blocks on bodies; then J and tau. Rows left out of stages keep
// their numbers unless all are asked for.
void hn_relative_evaluate_joints(hn_relative_set *self, double t, const hn_frame *frames,
                                 const hn_branches *branches);
void hn_relative_carry_cuts(hn_relative_set *self, const hn_frame *frames, hn_cut_set set);
// relative/cuts.c: both halves for all loop-closure constraints inside a step, in lanes, without
// blocks on bodies. At the present motion, of q and u.
hn_status hn_relative_make_cuts(hn_arena *arena, hn_relative_set *self);
void hn_relative_move_cuts(hn_relative_set *self, double t, const double *q, const hn_frame *frames,
                           const hn_branches *branches);
// Constraint k of those on coordinates of the tree alone, if it has two of them and no driver:
// sum factor u = 0. 0: it is another.
typedef struct hn_straight_pair {
  int cut, q[2], u[2];
  double factor[2];
} hn_straight_pair;
int hn_relative_straight_pair(const hn_relative_set *self, int k, hn_straight_pair *out);
struct hn_cut_group;
void hn_relative_move_group(hn_relative_set *self, const struct hn_cut_group *group); // lanes.c
// One row alone.
void hn_relative_evaluate_cut(hn_relative_set *self, int cut, double t, const hn_frame *frames,
                              const hn_branches *branches);
// tau alone, of all rows: J is there.
void hn_relative_carry_tau(hn_relative_set *self, const hn_frame *frames);
// applied -= J' lambda, on nodes
void hn_relative_apply_cuts(hn_relative_set *self, const hn_frame *frames, const double *lambda);

// relative/plane_cuts.c: the same for models in a plane, at the motion of `plane`, without
// redundant constraints.
typedef struct hn_plane_cut hn_plane_cut;
hn_status hn_plane_make_cuts(hn_arena *arena, hn_relative_set *self);
int hn_plane_holds_rows(const hn_relative_set *self); // 1: no other rows are solved for at stages
void hn_plane_carry_cuts(hn_relative_set *self);      // J and tau
double hn_plane_gaps(hn_relative_set *self, int is_rate); // gap: -phi or -rate; the largest
// 1 when a row in the plane that is left out does not hold with the present speeds (u).
int hn_plane_has_loose_rows(hn_relative_set *self, const double *q);

// relative/forces.c: a force's measure that is a coordinate of the tree.
typedef struct hn_tree_measure {
  int speed, is_angle;
  double share; // d measure / d q
  double value, rate;
} hn_tree_measure;
// A spring-damper with straight laws: pulls by f = (of_x[0] + of_x[1] m) + (of_v[0] + of_v[1] md).
typedef struct hn_tree_spring {
  int q, u;
  int turn; // of an angle; -1: a displacement
  double share;
  double of_x[2], of_v[2];
} hn_tree_spring;
hn_status hn_relative_make_forces(hn_arena *arena, hn_relative_set *self);
// The node that has this coordinate of a joint; -1: none.
int hn_relative_coordinate_node(const hn_relative_set *self, int joint, hn_coordinate coordinate);
// Gives the laws of signals their values at q, the present speeds and these frames, which only signals
// that are not coordinates of the tree read.
void hn_relative_sense(const hn_relative_set *self, const double *q, const hn_frame *frames,
                       const double *turns);
// At the present speeds (u) and these q.
hn_tree_measure hn_relative_measure(const hn_relative_set *self, int force, const double *q,
                                    const double *turns);
// Wrenches, force values, potential and power of a snapshot whose frames are there.
hn_status hn_relative_apply_forces(hn_relative_set *self, double t, const double *q,
                                   const hn_branches *branches, hn_snapshot *snapshot,
                                   hn_error *error);
// Inside a step: only wrenches, load and power.
hn_status hn_relative_stage_forces(hn_relative_set *self, double t, const double *q, int has_weight,
                                   const hn_branches *branches, hn_snapshot *snapshot,
                                   hn_error *error);

void hn_relative_update_turns(const hn_equations *equations, const double *q,
                              const hn_frame *frames, double *turns);
// Writes over `wrench`.
hn_status hn_relative_power(hn_equations *equations, double t, const double *q, const double *qd,
                            const double *lambda, const hn_branches *branches, double *power);

// relative/factor.c: from the geometric mass, which it factors. How many rows are left with less than
// near_pivot; is_small (cut_count) those with less than small_pivot. left_out may be null.
#define HN_RANK_ROWS 40
hn_status hn_relative_make_rank(hn_arena *arena, hn_relative_set *self);
int hn_relative_find_rank(hn_relative_set *self, const unsigned char *left_out, double small_pivot,
                          double near_pivot, unsigned char *is_small);
// 1 if a constraint left out is violated: its rate, as evaluated and changed by speeds x (may be
// null), is above this fraction of its bodies' velocities. That happens to constraints that
// appeared dependent in a singular configuration once the model leaves it.
#define HN_LOOSE_RATE 1e-12
int hn_relative_has_loose_rows(const hn_relative_set *self, const double *x,
                               const hn_frame *frames);

// relative/solver.c
hn_status hn_relative_make_solver(hn_arena *arena, hn_relative_set *self);
// 1: every body resists, about every axis or against the one speed of its joint.
int hn_relative_has_inertia(const hn_relative_set *self);

// relative/factor.c: what rank is judged by; J and tau at the end of a step; factors.
void hn_relative_find_sizes(hn_relative_set *self, hn_cut_set set);
void hn_relative_carry_end(hn_relative_set *self, const double *q, const hn_frame *frames,
                           hn_cut_set set);
hn_status hn_relative_factor(hn_relative_set *self, const double *q, hn_cut_set set,
                             hn_rank_choice choice);
// All constraints, at a state that satisfies them.
hn_status hn_relative_factor_all(hn_relative_set *self, const double *q,
                                 const hn_branches *branches);
// At the end of a step, from joints evaluated there: loop-closure constraints and their factors,
// without redundant constraints if these are satisfied, their multipliers may wait and no singular
// configuration is near.
hn_status hn_relative_factor_end(hn_relative_set *self, const double *q, const hn_frame *frames,
                                 const hn_branches *branches);

// relative/evaluate.c: forces of a snapshot as wrenches on nodes.
void hn_relative_apply_to_nodes(hn_relative_set *self, const hn_snapshot *snapshot);
// b from the forces of a snapshot, at the present motion.
void hn_relative_right_side(hn_relative_set *self, const hn_snapshot *snapshot);
// The same less M ud.
void hn_relative_balance(hn_relative_set *self, const hn_snapshot *snapshot, const double *ud);

// relative/snapshot.c: parts of a snapshot from the present motion, x and y. Accelerations of bodies are
// those of nodes.
void hn_relative_store_accelerations(const hn_relative_set *self, hn_snapshot *snapshot);
void hn_relative_store_kinetic(const hn_relative_set *self, hn_snapshot *snapshot);
void hn_relative_store_rates(hn_relative_set *self, const double *q, hn_snapshot *snapshot);
void hn_relative_store_multipliers(const hn_relative_set *self, hn_snapshot *snapshot);
// Constraints of tree joints hold by construction: they are zero unless read.
void hn_relative_store_cut_rows(const hn_relative_set *self, hn_snapshot *snapshot);
// All rows, and what the tree's joints carry; changes `applied`.
void hn_relative_store_joints(hn_relative_set *self, const hn_branches *branches,
                              hn_snapshot *snapshot);
// The rest of a snapshot whose frames and forces are those of the present motion, from nearly
// consistent accelerations and multipliers; parts that may remain unread are left for
// hn_relative_complete.
void hn_relative_conclude(hn_relative_set *self, const double *q, const double *qdd,
                          const double *lambda, hn_snapshot *snapshot);
// Reactions and rows of a partial snapshot, from its frames, ud, wrenches and multipliers.
void hn_relative_complete(hn_equations *equations, const hn_branches *branches,
                          hn_snapshot *snapshot);

// relative/evaluate.c
hn_status hn_relative_evaluate(hn_equations *equations, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
// ud, qdd, multipliers of loop-closure constraints and power alone, without the constraints left
// out of stages.
hn_status hn_relative_evaluate_stage(hn_equations *equations, double t, const double *q,
                                     const double *qd, const hn_branches *branches,
                                     hn_snapshot *snapshot, hn_error *error);
// The same with frames of all bodies.
hn_status hn_relative_evaluate_read_stage(hn_equations *equations, double t, const double *q,
                                          const double *qd, const hn_branches *branches,
                                          hn_snapshot *snapshot, hn_error *error);
// No wrenches are applied to nodes.
void hn_relative_forget_applied(hn_relative_set *self);
// Q - M qdd into at->b where has_residual is 1, by inverse dynamics: no inertia matrix, and every
// coordinate is a speed.
struct hn_tangent_state;
hn_status hn_relative_residual(hn_relative_set *self, const struct hn_tangent_state *at,
                               hn_snapshot *snapshot, hn_error *error);

// relative/snapshot.c: multipliers of the rows of tree joints, from what the joints carry.
void hn_relative_reactions(hn_relative_set *self, const hn_frame *frames, double *lambda);

// relative.c: a set of bodies that all hang free, with every joint cut and without a solver; q is that
// of Cartesian coordinates.
hn_status hn_relative_create_free(hn_arena *arena, const hn_elements *elements,
                                  hn_relative_set **set);
void hn_relative_speeds(const hn_equations *equations, const double *q, const double *qd,
                        double *u);
void hn_relative_rates(const hn_equations *equations, const double *q, const double *u, double *qd);

// relative/error.c: writes over accelerations of nodes.
double hn_relative_error_norm(hn_equations *equations, const hn_snapshot *now,
                              const hn_snapshot *next, const double *q, const double *error,
                              const double *change, double absolute, double relative);

// relative/project.c
// q + x, x (nu) small.
void hn_relative_displace(const hn_equations *equations, const double *x, double *q);
hn_status hn_relative_project_positions(hn_equations *equations, double t, double *q,
                                        const hn_branches *branches, double tolerance,
                                        double *correction);
hn_status hn_relative_project_velocities(hn_equations *equations, double t, const double *q,
                                         double *qd, const hn_branches *branches,
                                         double *correction);
hn_status hn_relative_project(hn_equations *equations, double t, const double *begin, double *q,
                              double *qd, const hn_branches *branches, double tolerance,
                              double *change);

// relative/responses.c
extern const struct hn_response_type hn_relative_responses;

#endif
