// The equations with their derivatives: what the matrices of implicit methods are made of.
//
//   M(q) qdd + Phi_q' lambda = Q(q, qd, t),   Phi(q, t) = 0   =>   Phi_q qdd = tau(q, qd, t)
//
// Relative set: q = joint coordinates; rows of Phi keep the numbers of the elements' rows, but those of
// joints in the tree are empty (they hold by construction) and their multipliers are not used. After
// them there is a constraint for each four Euler parameters, (p.p - 1)/2 = 0. Poses are those of p/|p|:
// bodies stay rigid whatever p is, nothing pushes along p, and the multipliers of these rows are zero.
// Derivatives hold along directions that keep |p| = 1 and p.pd = 0 (relative/tangent.h).
//
// Cartesian set: the same with a tree in which every body hangs free and all joints are cut.
//
// Natural set: q = nodes; M constant; rows of joints that sharing covers are empty, normalizations are
// the rows of rigidity. Multipliers are those of these rows, not of other coordinates
// (natural/tangent.h).
#ifndef HN_EQUATIONS_TANGENT_H
#define HN_EQUATIONS_TANGENT_H

#include "equations/equations.h"
#include "linalg/sparse.h"

// Kind of a column of q.
typedef enum hn_column {
  HN_COLUMN_LENGTH,
  HN_COLUMN_ANGLE,
  HN_COLUMN_PARAMETER, // the first of four Euler parameters
  HN_COLUMN_PARAMETER_NEXT
} hn_column;

typedef struct hn_tangent_type hn_tangent_type;

// Level of an evaluation, each including all before it.
typedef enum hn_want {
  HN_NOTHING,
  HN_GAPS,    // Phi and Phi_t: of positions alone
  HN_ROWS,    // Phi_q and Phi_tt
  HN_MOTION,  // with velocities: rates of Phi and tau, with which accelerations can be found
  HN_BALANCE, // with accelerations: b = Q - M qdd. M and Q hold after HN_BASIC alone
  HN_BASIC,   // M, and Q in q
  HN_FULL     // derivatives
} hn_want;

// In which coordinates b, M and derivatives are: mass, phi_q, stiffness and so on, or blocks. Of phi_q
// only lengths hold after an evaluation in speeds. In joint speeds, for stage matrices alone: M, C
// and K against speeds with T fixed, and the derivatives of constraints.
typedef enum hn_space { HN_IN_Q, HN_IN_SPEEDS, HN_IN_JOINT_SPEEDS } hn_space;

// Where: qd, qdd and lambda null where nothing depends on them.
typedef struct hn_tangent_state {
  double t;
  const double *q, *qd, *qdd;
  const double *lambda; // of the elements, then of the normalizations (rows)
  const hn_branches *branches;
  hn_space space;
  hn_want has; // this was asked for last, at this position or state, and still holds
  double *b;   // for HN_BALANCE, and all above it in speeds
  // Not null, for HN_BALANCE in q: the residuals of both equations, tau - Phi_q qdd (rows), and in
  // b Q - M qdd - Phi_q' lambda; nothing else holds afterwards.
  double *c;
} hn_tangent_state;

// The blocks in speeds u = T qd, of which there are fewer than coordinates where these are Euler
// parameters, and which need no rows for their lengths: M, C, K and Phi_q of a correction dq = T^+ du.
// The part for unit length is added: p c / (p . p).
typedef struct hn_speed_blocks {
  int n;                              // speeds
  const int *start, *index;           // upper triangle by columns, the diagonal last
  const int *here, *there;            // positions of entries (i, j) and (j, i) in the blocks
  double *mass, *damping, *stiffness; // M is symmetric
  int rows;                           // of Phi, without lengths
  const int *row;                     // which (rows)
  const int *row_start, *row_index;   // (rows + 1); the pattern has all pairs of speeds of a row
  const double *row_value;
  int lengths; // of Euler parameters: the last so many rows of the tangent
  // For stage matrices (integrate/stage_turns.h): M is definite, and there is what follows.
  int serve_stages;
  const int *line_start, *line_index; // the whole pattern by rows, as M, C and K stand (n + 1)
  const double *row_rate, *row_bend;  // rows against velocities and pose, in joint speeds
  const int *order;                   // of elimination, each row after its speeds (n + rows)
} hn_speed_blocks;

typedef struct hn_tangent {
  const hn_tangent_type *type;
  const hn_equations *equations;
  int n;                   // coordinates
  int rows;                // of Phi: elements, then normalizations
  unsigned char *columns;  // hn_column of each (n)
  int *column_body;        // body each column is of (n); null: seven a body, or not of bodies
  int *normalization_body; // and each normalization; null: one a body
  // Of the last evaluation in speeds, on branches that hold where they were HN_BRANCH_FREE; null: not to
  // be had.
  const hn_force_value *forces;
  int leaves_redundant; // set by a method: of rows in equations->redundant only phi need be made
  int is_deep;          // of a deep tree: no M, K and C, neither in q nor as blocks (chain.h)

  // HN_BASIC and before
  hn_sparse mass;   // M (n x n)
  hn_sparse phi_q;  // (rows x n)
  double *phi;      // (rows)
  double *phi_rate; // Phi_q qd + Phi_t (rows)
  double *phi_t;    // (rows); Phi_tq = 0 for every element
  double *phi_tt;   // (rows)
  double *tau;      // (rows)
  double *q_force;  // Q (n)

  // HN_FULL
  hn_sparse stiffness; // K = (M qdd + Phi_q' lambda - Q)_q (n x n), symmetric pattern
  hn_sparse damping;   // C = -Q_qd (n x n), symmetric pattern
  hn_sparse phi_v;     // A = (Phi_q qd)_q on the pattern of phi_q; tau_qd = -2 A
  hn_sparse phi_dd;    // P = (Phi_q qdd - tau)_q on the pattern of phi_q
  double *tau_t;       // (rows)
  double *q_t;         // (n)

  // Weights of rows that a matrix may add to its first block, squared, where M alone is singular; 0: not
  // needed. K holds their outer products. Null: normalizations, by the size of M there, and rows on
  // bodies with an axis without inertia (rows).
  double *squares;

  hn_speed_blocks blocks;

  // M and C stand inside the pattern of K: entry k of M is at mass_in_stiffness[k] of K
  int *mass_in_stiffness, *damping_in_stiffness;
} hn_tangent;

// All memory and all patterns. HN_ERROR_UNSUPPORTED for coordinates without derivatives. in_speeds: for
// those who read no matrix in q: deep trees then have none, nor blocks (is_deep).
hn_status hn_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                            hn_tangent **tangent);
// For sets: the arrays by rows and coordinates that every tangent has. The arena records failure.
void hn_tangent_take_memory(hn_arena *arena, hn_tangent *tangent);
// On frozen branches; error may be null. Fails only where a force of the user's does, with its status,
// and never below HN_MOTION; the numbers are then of no use. Blocks that are not asked for stay.
hn_status hn_tangent_evaluate(hn_tangent *tangent, const hn_tangent_state *state, hn_want want,
                              hn_error *error);
// Turns the derivatives of a full evaluation at (q, qd), a consistent state, into those of what
// evaluate_stage computes, which sees p / |p|: see tangent_unit.c.
void hn_tangent_see_unit_parameters(hn_tangent *tangent, const double *q, const double *qd);
// How a vector at one position becomes the one that stands alike at another.
typedef enum hn_carry_kind {
  HN_CARRY_TURNED,  // each body's part keeps its direction in the body
  HN_CARRY_STRAIGHT // linear and angular parts keep their directions in space
} hn_carry_kind;
// For sets: `carry` of Euler parameters, with the linear part that turns with them (may be null).
// Stiff directions mostly turn with the bodies; for a body that spins in bearings (a wheel) its linear
// part is better left alone, and only the rotational part follows.
void hn_carry_turn(const double *from, const double *to, hn_carry_kind kind, double *linear,
                   double *angular);
// For sets: the pattern of blocks whose rows are known, from that of K, by rows in speeds: with all
// pairs of speeds of a row. `none`: where the blocks have a zero.
hn_status hn_speed_blocks_pattern(hn_arena *arena, const hn_sparse *stiffness, int none,
                                  hn_speed_blocks *blocks);

// 1 for a body with an axis without inertia (a point mass, a thin rod).
int hn_body_is_light(const hn_body_def *body);

// For sets: b and c of a state at which M, Q, Phi_q and tau were evaluated.
void hn_tangent_find_balance(const hn_tangent *tangent, const hn_tangent_state *state);

// One a set of coordinates.
struct hn_tangent_type {
  hn_status (*evaluate)(hn_tangent *tangent, const hn_tangent_state *state, hn_want want,
                        hn_error *error);
  // At the last evaluation: T x; the correction of q for one in speeds that changes normalizations by c
  // (rows).
  void (*speeds_of)(const hn_tangent *tangent, const double *x, double *out);
  void (*correction_of_speeds)(const hn_tangent *tangent, const double *u, const double *c,
                               double *x);
  // x (n), a vector at position `from`, becomes the one that stands alike at `to`.
  void (*carry)(const hn_tangent *tangent, const double *from, const double *to, hn_carry_kind kind,
                double *x);
  // Completes multipliers of the elements by those of the normalizations, from Q, Phi_q and tau of the
  // last evaluation: mu above, since p . M_pp = 0. Natural coordinates recompute all of them, as
  // for a stage. lambda (constraints).
  void (*normalization_multipliers)(const hn_tangent *tangent, double *lambda);
  // The snapshot of the state (q, ...) of the last balance, in exchange for *snapshot, with
  // accelerations qdd and multipliers (of the elements) that go nearly with them; the rest is for
  // hn_snapshot_complete. Null: evaluate serves.
  void (*conclude)(hn_tangent *tangent, const double *q, const double *qdd, const double *lambda,
                   hn_snapshot **snapshot);
  int is_quick; // full evaluations cost no more than they save in iterations; residuals need no matrix
  int has_idle_normalizations; // their multipliers are 0: nothing need be evaluated for them
  int has_dear_multipliers;    // those of normalizations take a linear system
  int carries_roughly;         // bodies share coordinates: a matrix carried along wears out
};

#endif
