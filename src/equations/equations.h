// Seam 1: equations. Every coordinate set presents the same second-order constrained system
//
//   M(q) qdd + Phi_q' lambda = Q(q, qd, t),   Phi(q, t) = 0
//
// with qd the plain time derivative of q. Linear algebra lives in speeds (linear and angular
// velocities, joint rates): positive definite, no normalization rows; q, qd, qdd are their image.
#ifndef HN_EQUATIONS_EQUATIONS_H
#define HN_EQUATIONS_EQUATIONS_H

#include "base/threads.h"
#include "elements/elements.h"
#include "holon/analysis.h"
#include "linalg/saddle.h"
#include "linalg/solver.h"

typedef struct hn_equations hn_equations;
struct hn_tangent;
struct hn_response_type;
struct hn_stepping_type;

// Newton's method for positions, in every set: a violation below this fraction of the tolerance is
// closed; one above this fraction of the previous has stagnated; above that, the matrix is renewed.
#define HN_GAP_CLOSED 0.01
#define HN_GAP_STAYS 0.5
#define HN_GAP_SLOW 0.02

// How the equations are solved.
typedef struct hn_equations_options {
  const char *linear_solver;    // "auto" or null: by counted work
  hn_threads *threads;          // null: one; must live as long as the equations
  const struct hn_ranks *ranks; // processes, of method components; null: one
} hn_equations_options;

// Everything known at one instant, filled by `evaluate`. Body arrays count ground as 0.
// Parts that `evaluate` may leave for later if they are not read.
typedef enum hn_snapshot_part {
  HN_SNAPSHOT_WHOLE,
  HN_SNAPSHOT_WITHOUT_REACTIONS, // of tree joints, and their rows
  HN_SNAPSHOT_OF_STEP, // nor Euler parameters, accelerations of bodies, multipliers of least norm
  HN_SNAPSHOT_WITHOUT_FORCES // nor applied forces: wrenches and values of forces are what the method
                             // adds to them
} hn_snapshot_part;

// A rigid contact point at a moment (conditions.h).
typedef struct hn_touch {
  double normal; // force, N
  hn_vec3 force; // on body 2, global
  double excess; // of the laws, N: it pulls by so much, or sticks beyond its cone; <= 0: they hold
  double loss;   // W, of sliding
  double unsolved; // residual of its law, relative, if slow slip has no solution; 0: it has one
  int grip;        // hn_grip
} hn_touch;

typedef struct hn_snapshot {
  double t;
  hn_frame *frames;              // poses and velocities (bodies + ground)
  hn_vec3 *acceleration;         // of centers of mass, without gravity removed (bodies + ground)
  hn_vec3 *angular_acceleration; // (bodies + ground)
  hn_wrench *wrench;             // applied forces, gravity among them (bodies + ground)
  hn_force_value *forces;        // (force_count)
  double *lambda;                // multipliers, by rows of the elements (row_count)
  double *phi, *phi_rate, *phi_acceleration; // constraint values and their derivatives (row_count)
  double *phi_time_rate;                     // Phi_t (row_count)
  double kinetic, potential;                 // J; potential: gravity and springs
  double power; // of forces outside the potential and of drivers (-lambda' Phi_t sign
                // included): d(T + V)/dt = power
  double *ud;   // derivative of the speeds (nu)
  double hidden_position, hidden_velocity, hidden_acceleration; // largest inside sealed components
  double *hidden_outputs;                                       // what these publish
  hn_touch *touch;                                              // (touch_points; null: none)
  double *qdd;                                                  // (nq)
  double *q;                   // where OF_STEP or less (nq; null for sets without `complete`)
  hn_snapshot_part is_partial; // parts left for hn_snapshot_complete
  int rows_rest;               // 1: all rows hold by construction, and the numbers of rows are 0
  int near_singular; // more small pivots than constraints left out: accelerations are only as good as
                     // the position is consistent
} hn_snapshot;

// Data frozen within a step.
typedef struct hn_branches {
  hn_branch *force;       // (force_branches)
  int *driver;            // time branch (driver_branches)
  double *turns;          // reference angles (turn_count)
  struct hn_grips *grips; // of rigid contacts (conditions.h); null: none
  int keeps_rows; // 1: constraints that depend on others stay as chosen (hn_branches_to_look)
} hn_branches;

// For evaluations and projections that change nothing for steps to come.
static inline hn_branches hn_branches_to_look(const hn_branches *branches) {
  hn_branches look = *branches;
  look.keeps_rows = 1;
  return look;
}

// Conversion between the coordinates q of a set and the frames of bodies, for methods and analyses.
typedef struct hn_coordinates {
  // q, qd -> frames of all bodies (ground included), and back.
  void (*frames)(const hn_equations *equations, const double *q, const double *qd,
                 hn_frame *frames);
  // The same without Euler parameters, which measures and branches of forces do not read; null: frames.
  void (*motions)(const hn_equations *equations, const double *q, const double *qd,
                  hn_frame *frames);
  // q, qd of frames that satisfy the joints: as given, after assembly, equilibrium, kinematics.
  void (*from_frames)(const hn_equations *equations, const hn_frame *frames, double *q, double *qd);
  // The speeds (nu) of qd, and qd of speeds. Speeds of a body that spins evenly are constant, its qd
  // are not: explicit formulas integrate speeds.
  void (*speeds)(const hn_equations *equations, const double *q, const double *qd, double *u);
  void (*rates)(const hn_equations *equations, const double *q, const double *u, double *qd);
  // After a step, at its (q, frames): as hn_elements_update_turns, with angles that are coordinates read
  // off q, and with `orientation`; null: the turns alone.
  void (*update_turns)(const hn_equations *equations, const double *q, const hn_frame *frames,
                       double *turns);
  // The norm of an error of q, then of qd (2 nq), and of what projections changed (null: nothing)
  // against absolute and relative tolerances, on bodies, where measures_errors is 1; q: of the end.
  double (*error_norm)(hn_equations *equations, const hn_snapshot *now, const hn_snapshot *next,
                       const double *q, const double *error, const double *change, double absolute,
                       double relative);
} hn_coordinates;

// Properties of a set of coordinates. Other modules test these, never which set it is.
typedef struct hn_equations_traits {
  int holds_gaps;    // any pose of the bodies is a q: joints may be open, as in the reference
                     // configuration
  int of_joints;     // q are coordinates of joints along a tree: matrices small, light bodies borne
  int shares_points; // bodies of a joint share what they have in common: their masses meet there
  int is_hierarchical; // solved level by level; parts may be hidden, or in other processes
} hn_equations_traits;

typedef struct hn_equations_type {
  const char *name;
  hn_equations_traits traits;
  const hn_coordinates *coordinates;
  int has_solvers; // one may be chosen by name
  // Size and fixed patterns; options null: none are given.
  hn_status (*create)(hn_arena *arena, const hn_elements *elements,
                      const hn_equations_options *options, hn_equations **equations,
                      hn_error *error);
  void (*release)(hn_equations *equations); // of what is not memory of the arena; null: nothing
  // Accelerations and multipliers and everything else of the snapshot at a state (t, q, qd) that
  // satisfies the constraints.
  hn_status (*evaluate)(hn_equations *equations, double t, const double *q, const double *qd,
                        const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
  // Computes parts that `evaluate` left out of a snapshot because of defers_reactions; null: nothing.
  void (*complete)(hn_equations *equations, const hn_branches *branches, hn_snapshot *snapshot);
  // As evaluate, at a stage inside a step whose q and qd need not satisfy the constraints exactly:
  // ud, qdd, multipliers and power; the rest only where the set needs it.
  hn_status (*evaluate_stage)(hn_equations *equations, double t, const double *q, const double *qd,
                              const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
  // The snapshot's `power` alone, for given multipliers (row_count).
  hn_status (*power)(hn_equations *equations, double t, const double *q, const double *qd,
                     const double *lambda, const hn_branches *branches, double *power);
  // Least change of q (in the metric of M) onto Phi = 0, and of qd onto Phi_q qd + Phi_t = 0;
  // rank-truncated. correction (nq) receives what was added. HN_RETRY_CONVERGENCE when it does not
  // converge.
  hn_status (*project_positions)(hn_equations *equations, double t, double *q,
                                 const hn_branches *branches, double tolerance, double *correction);
  hn_status (*project_velocities)(hn_equations *equations, double t, const double *q, double *qd,
                                  const hn_branches *branches, double *correction);
  // As project_velocities where velocities jump: by impulses of the constraints, however far it is.
  // Null: project_velocities does so.
  hn_status (*jump)(hn_equations *equations, double t, const double *q, double *qd,
                    const hn_branches *branches, double *correction);
  // Both at once for the end of a step that started on the constraints in `begin`; change (2 nq).
  // Null: one after the other.
  hn_status (*project)(hn_equations *equations, double t, const double *begin, double *q,
                       double *qd, const hn_branches *branches, double tolerance, double *change);
  // The equations in q with derivatives (tangent.h); null: not available.
  hn_status (*tangent_create)(hn_arena *arena, hn_equations *equations, int in_speeds,
                              struct hn_tangent **tangent);
  // 1: conditional constraints act with these branches, onto which the projections lead, too; null: the
  // equations have none.
  int (*holds_conditions)(const hn_branches *branches);
  // Of method time-stepping (stepping.h); null: not available.
  const struct hn_stepping_type *stepping;
  // Of constraints with conditions (responses.h); null: not available.
  const struct hn_response_type *responses;
} hn_equations_type;

struct hn_equations {
  const hn_equations_type *type;
  const hn_model *model;
  const hn_elements *elements;
  int nq;                         // coordinates
  int nu;                         // speeds
  int solved_rows;                // rows that are solved for, normalizations with them; 0: all
  int normalizations;             // rows that only keep bodies rigid: unit Euler parameters, nodes
  int touch_points;               // that rigid contacts can have
  long evaluations;               // of accelerations
  long factorizations;            // of mass matrices outside the solver
  hn_solver *solver;              // of the augmented system of bodies; null in other coordinates
  hn_saddle *saddle;              // the augmented system in those; null if not used
  hn_threads *threads;            // null: one
  struct hn_cartesian_rows *rows; // of the elements, on bodies

  // Rank in loops, read off the pivots. Rows that depend on others at a consistent state are left out
  // of stages, which are a little off the constraints, where dependent rows contradict each other.
  unsigned char *redundant; // (row_count + normalizations)
  int redundant_count;
  int redundant_size;            // bytes from there on that are state
  const hn_equations *on_bodies; // Cartesian ones that this set keeps for reactions; null: none
  int has_residual;              // the model is an ODE in q without constraints or normalizations
  int is_deep;                   // a tree without loops, so deep that its matrices are dense
  int measures_errors;           // 1: error_norm measures an error; 0: it is measured in q
  int defers_reactions;          // 1: evaluate leaves reactions that no step needs to `complete`
  int near_singular;             // of the last factorization: see hn_snapshot
  // The first body without full inertia whose accelerations remained unsolved; 0: none, -1: already
  // reported.
  int unsolved_body;
  void *extension;          // of a set that builds on another
  struct hn_levels *levels; // of a model over its components (levels.h); null: none
  // Euler parameters of the last accepted state, whose sign q does not determine (bodies + ground):
  // those of frames are continuous with them, and a saved state keeps them; null: q determines it.
  hn_quat *orientation;
};

static inline int hn_holds_conditions(const hn_equations *equations, const hn_branches *branches) {
  return equations->type->holds_conditions && equations->type->holds_conditions(branches);
}

extern const hn_coordinates hn_cartesian_coordinates;
// All sets in the order of lists: a new one is its folder and its row here.
#define HN_COORDINATE_SETS(X)                                                                      \
  X(hn_cartesian)                                                                                  \
  X(hn_natural)                                                                                    \
  X(hn_relative)
#define HN_COORDINATE_SET(type) extern const hn_equations_type type;
HN_COORDINATE_SETS(HN_COORDINATE_SET)
#undef HN_COORDINATE_SET
extern const hn_equations_type hn_nested; // Cartesian, level by level

// Fields of the state of a run.
void hn_equations_declare(hn_arena *arena, hn_equations *equations);
// q and qd of the reference configuration and given starts. room (bodies + ground): workspace.
void hn_equations_initial(const hn_equations *equations, hn_frame *room, double *q, double *qd);
// Releases the resources of a set other than memory; null is fine.
void hn_equations_release(hn_equations *equations);

hn_status hn_snapshot_create(hn_arena *arena, const hn_equations *equations,
                             hn_snapshot **snapshot);
// Makes a partial snapshot whole; does nothing to others.
void hn_snapshot_complete(hn_equations *equations, const hn_branches *branches,
                          hn_snapshot *snapshot);
hn_status hn_branches_create(hn_arena *arena, const hn_elements *elements, hn_branches *branches);
// A state near the constraints that is brought onto them: positions, then velocities there.
typedef struct hn_projected_state {
  double t;
  double *q, *qd; // (nq)
  const double
      *begin;      // positions of a step that started on the constraints: a set that can does both
                   // at once, with one array for both changes; null: it does not
  const double *u; // speeds of which qd is made where q has come to (nu); null: qd as given
  double tolerance;
  int keeps_q;       // 1: positions stay as given
  int is_forgiving;  // 1: of positions that do not converge, velocities are projected as well
  double *change[2]; // what was added to q and to qd; may be the same workspace (nq)
  int is_open;       // written: 1: positions did not converge
} hn_projected_state;
hn_status hn_equations_project(hn_equations *equations, hn_projected_state *state,
                               const hn_branches *branches);
// ... and everything there.
hn_status hn_equations_settle(hn_equations *equations, hn_projected_state *state,
                              const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
// The same without effect on steps to come.
hn_status hn_equations_look(hn_equations *equations, hn_projected_state *state,
                            const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
// An impact: velocities jump onto constraints that have changed. correction (nq): what was added.
hn_status hn_equations_jump(hn_equations *equations, double t, const double *q, double *qd,
                            const hn_branches *branches, double *correction);
// Poses of the reference configuration with the given velocities (bodies + ground).
void hn_given_frames(const hn_model *model, hn_frame *frames);
// Gravity alone: wrenches of the bodies from, ..., to; returns their part of the potential.
void hn_apply_weights(const hn_equations *equations, hn_snapshot *snapshot, int from, int to);
// All other forces, on top of that.
hn_status hn_apply_elements(const hn_equations *equations, double t, const hn_branches *branches,
                            hn_snapshot *snapshot, hn_error *error);
// Those from `from` to before `to`, of signals that are sensed already (hn_elements_sense).
hn_status hn_apply_some_forces(const hn_equations *equations, int from, int to, double t,
                               const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
// Says what made accelerations not finite: the first such force, else body, else neither. Frames and
// forces of the snapshot are written over. Returns HN_ERROR_NOT_FINITE.
hn_status hn_fail_not_finite(hn_equations *equations, double t, const double *q, const double *qd,
                             const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
// A force whose numbers cannot be computed, by its number. Returns status.
hn_status hn_fail_force(const hn_model *model, int force, hn_status status, double t,
                        hn_error *error);
// Accelerations that a set of equations could not solve for. Returns status.
hn_status hn_fail_unsolved(hn_status status, double t, hn_error *error);
// Accelerations are not determined: a torque about an axis without inertia that no joint holds.
hn_status hn_fail_not_determined(const hn_body_def *body, double torque, double t, hn_error *error);
// For sets whose system stayed unsolved: how large an acceleration of a body is. Of those that lack
// inertia the one with the largest is kept as unsolved_body; most: 0 at first.
void hn_note_unsolved(hn_equations *equations, int body, double size, double *most);
// Gravity and all forces at the snapshot's frames: wrenches, values, potential and power.
hn_status hn_apply_forces(const hn_equations *equations, double t, const hn_branches *branches,
                          hn_snapshot *snapshot, hn_error *error);
// The power of drivers, -lambda' Phi_t, is added.
void hn_take_driver_power(const hn_elements *elements, double t, const double *lambda,
                          const hn_branches *branches, double *power);
// The power of forces outside the potential and of drivers; room (bodies + ground): workspace.
hn_status hn_power_at(const hn_equations *equations, double t, const hn_frame *frames,
                      const double *lambda, const hn_branches *branches, hn_wrench *room,
                      double *power);
// Branches that hold at this state (turns stay).
void hn_branches_classify(const hn_elements *elements, const hn_frame *frames, double t,
                          hn_branches *branches);

// ---- the relative set ---------------------------------------------------------------------------
// Its tree (bodies without ground) and the joints that have loop-closure constraints (capacity: all
// joints). Returns the number of these constraints. depth: scratch (bodies).
int hn_relative_describe(const hn_equations *equations, hn_tree_entry *tree, int *depth, int *cut,
                         int *cut_count);

// ---- the Cartesian set, for analyses that work on its rows whatever coordinates run -------------
// Row-wise Jacobian in speeds: 6 numbers (n, m) for each body of each row, rows of the elements.
typedef struct hn_cartesian_rows {
  int *row_start;                         // (row_count + 1), in bodies
  int *body;                              // body of each block
  double *block;                          // 6 a block
  double *value, *rate, *tau, *time_rate; // (row_count)
  struct hn_joint_shape *shapes;          // joints whose rows are evaluated together (joint_count)
  unsigned char *fours; // 1: this joint and the next three go at once (joint_count)
  int streams;          // blocks of those are written past the caches
} hn_cartesian_rows;
hn_status hn_cartesian_rows_create(hn_arena *arena, const hn_elements *elements,
                                   hn_cartesian_rows **rows);
void hn_cartesian_evaluate_row(const hn_elements *elements, hn_cartesian_rows *rows, int row,
                               double t, const hn_frame *frames, const hn_branches *branches);
void hn_cartesian_evaluate_joint(const hn_elements *elements, hn_cartesian_rows *rows, int joint,
                                 double t, const hn_frame *frames, const hn_branches *branches);
// Joints from `joint` on whose bodies all come before `bodies` (body_count: all, and the drivers), in
// their order as far as that goes. Returns the first that was not evaluated. is_stage: values and rates
// are not asked for.
int hn_cartesian_evaluate_ready(hn_equations *equations, double t, const hn_frame *frames,
                                const hn_branches *branches, int is_stage, int joint, int bodies);
const hn_cartesian_rows *hn_cartesian_evaluate_rows(hn_equations *equations, double t,
                                                    const hn_frame *frames,
                                                    const hn_branches *branches);
// The reaction of a joint on its second body: force, and torque about the joint point (the origin
// of frame 2), global axes.
hn_wrench hn_joint_reaction(const hn_elements *elements, int joint, const hn_snapshot *snapshot,
                            const hn_branches *branches);

#endif
