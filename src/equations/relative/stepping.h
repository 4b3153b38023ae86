// Method time-stepping in relative coordinates, inside (equations/stepping.h):
//
//   A (u+ - u) = h (S' F(q_m, u) - bias - (h theta_k - h/2) K u) + G' p,   J u+ = -Phi_t
//   A = M + h theta_d D + h^2/2 theta_k K
//
// M is the composite inertia; K and D are the exact derivatives of forces on single coordinates of
// the tree (springs, dampers, servos, limits with stiffness), a diagonal. theta is 1/2, of second
// order, where a step resolves the force, and rises towards 1, which damps it, where it does not.
//
// A = L' diag L along the tree (relative/composite.c). A row G enters as y = L^-T G' over the speeds
// above its bodies; W_ij = y_i' diag^-1 y_j over those that both have. Loops are rows, too: they are
// made orthonormal first and taken out of all others, so they hold exactly, and dependent ones drop
// out. A rotor on a coordinate (`armature:`) moves with it and adds to its diagonal alone.
#ifndef HN_EQUATIONS_RELATIVE_STEPPING_H
#define HN_EQUATIONS_RELATIVE_STEPPING_H

#include "contact/rows.h"
#include "equations/relative/relative.h"
#include "equations/stepping.h"
#include "linalg/row_basis.h"

// A wheel on ground whose one speed is `ratio` times another.
typedef struct hn_tree_rotor {
  int q, u, of_q, of_u;
  double ratio;
  int node;
  int is_plain; // its body's axes and center are the node's
} hn_tree_rotor;

// A row of A: its numbers from `at` on, those of speeds above, then the diagonal.
typedef struct hn_step_row {
  int at, above;
  int free;         // 6: the first are those of a free body, whose origin is the reference point; 0
  const int *index; // speeds
} hn_step_row;

// A force between two bodies on one path of the tree.
#define HN_STEPPING_PATH 12
typedef struct hn_stepping_couple {
  int force, count;
  int lower, side; // the body below, and which of the force it is
  int speed[HN_STEPPING_PATH];
} hn_stepping_couple;

// A force on a coordinate by inputs alone, and its value at the last ones.
enum { HN_STEP_INPUTS = 4 };
typedef struct hn_step_given {
  int force, speed;
  double share;
} hn_step_given;
typedef struct hn_step_memo {
  int is_there, branch;
  double value, input[HN_STEP_INPUTS];
} hn_step_memo;

// A stop or friction on one coordinate; u -1: it goes by rows on bodies.
typedef struct hn_step_extra {
  int q, u, turn, force;
  double share, sign, end;
} hn_step_extra;

// Inertia, with a number to spare in each vector: about a point by columns, moment, mass.
typedef struct hn_step_inertia {
  double columns[3][4], moment[4];
  double mass;
} hn_step_inertia;

// Of a node about its reference point, so, too: inertia of its body, motion, acceleration without those
// of speeds, wrench.
typedef struct hn_step_lanes {
  hn_step_inertia inertia;
  double v[4], w[4], a[4], b[4], f[4], n[4];
} hn_step_lanes;

typedef struct hn_relative_stepper {
  hn_stepper base;
  hn_relative_set *set;
  int rotor_count;
  hn_tree_rotor *rotors;
  int loop_count, *loops; // loop-closure constraints that are not of rotors
  // forces (stepping_loads.c): on coordinates with slopes, beyond straight springs; by inputs alone; by
  // frames
  int sloped_count, *sloped, given_count, measured_count, *measured;
  hn_step_given *given;
  hn_step_memo *memo; // (given_count)
  double *stored0;    // potential of straight springs at 0 (spring_count of the set)
  int extra_count;
  hn_step_extra *extra; // stops and friction, as the rigid contacts number them
  int loads_wait;       // 1: at the end of a step nothing but the potential is found
  int couple_count;
  hn_stepping_couple *couples;
  // nodes and speeds that are not of rotors, ascending, and their ranges (stepping_inertia.c)
  int moving_count, *moving, turning_count, *turning, range_count;
  hn_tree_range *range;
  int moves_all;     // 1: rotors move in the middle of a step, too, as forces read their frames
  hn_step_row *rows; // (nu)
  const hn_frame *frames; // of the middle of the present step
  // numbers of a step
  double *u0, *u;              // speeds at the start and now (nu)
  double *free_u, *free_taken; // without impulses of conditions (nu), (loop_count)
  double *force;               // S' F - bias at q_m (nu)
  double *k, *d;               // stiffness, damping of coordinates (nu)
  double *damped;              // forces on them outside the potential, tensions (nu)
  double *added;               // ... to the diagonal of M (nu)
  int mass_size;
  double *mass;               // A, then its factors, by rows (mass_size)
  double *root;               // diag^-1/2 (nu)
  double *bias;               // forces of inertia, less those on bodies (nu)
  hn_vec3 *reference;         // (nodes)
  hn_step_lanes *lanes;       // of nodes (nodes)
  hn_step_inertia *of_node;   // in axes of nodes, about their origins (nodes)
  hn_step_inertia *composite; // of nodes with what hangs on them (nodes)
  double *x, *z;              // (nu)
  struct hn_speed_axis *axis; // of speeds (nu)
  double *y;                  // diag^-1/2 L^-T G' of conditions, four lanes (most x nu x 4)
  int *list, *listed;         // speeds of each, ascending (most x nu), their number (most)
  const int **along;          // where these are (most)
  unsigned char *is_chain;    // they are one way to the root (most)
  unsigned char *is_rotor;    // (nu)
  hn_mat3 *inverse;           // of inertias, body axes; null: joints join bodies (bodies + ground)
  hn_sweep_body *parting;     // displacements of bodies that overlap; null, too (bodies + ground)
  hn_row_basis basis;         // of loops (loop_count x nu)
  double *taken, *parts;      // impulses along the basis, components along it (loop_count)
  double *coupling;           // of conditions along the basis, four lanes (most x loop_count x 4)
} hn_relative_stepper;

// Motion of a speed: linear and angular at the reference point of its tree.
typedef struct hn_speed_axis {
  hn_vec3 v, w, origin;
} hn_speed_axis;

static inline double *hn_step_diagonal(const hn_relative_stepper *self, int speed) {
  return &self->mass[self->rows[speed].at + self->rows[speed].above];
}

// relative/stepping_inertia.c
hn_status hn_relative_make_step_rows(hn_arena *arena, hn_relative_stepper *self);
// Axes of speeds and M at the present motion.
void hn_relative_step_mass(hn_relative_stepper *self);
void hn_relative_move_rotors(hn_relative_stepper *self, const double *q, const double *u,
                             hn_frame *frames);
// L and 1 / D of A. 0: it is not positive definite.
int hn_relative_step_factor(hn_relative_stepper *self);
// Forces that inertia and weight need at speeds u, less those applied to nodes. After the axes.
void hn_relative_step_bias(hn_relative_stepper *self, const double *u, double *bias);
// Drift of bodies at the speeds of the last call of hn_relative_step_bias.
void hn_relative_step_drift(hn_relative_stepper *self);
// Velocities of bodies in the middle of the step with speeds u, but of rotors.
void hn_relative_step_velocities(hn_relative_stepper *self, const double *u, hn_sweep_body *bodies);
// relative/stepping_loads.c
hn_status hn_relative_make_step_loads(hn_arena *arena, hn_relative_stepper *self);
// In the middle of the step: loads on speeds, with slopes, and wrenches of those that go by frames.
hn_status hn_relative_step_forces(hn_relative_stepper *self, const hn_stepping_span *span,
                                  hn_error *error);
// At a state whose motion and frames are there: forces, or the potential alone.
hn_status hn_relative_end_forces(hn_relative_stepper *self, double t, const double *q,
                                 const hn_branches *branches, hn_snapshot *snapshot,
                                 hn_error *error);
// relative/stepping_slopes.c
hn_status hn_relative_make_slopes(hn_arena *arena, hn_relative_stepper *self);
// z = h force, with what K adds; K and D in mass.
void hn_relative_add_slopes(hn_relative_stepper *self, const hn_stepping_span *span);
// Speeds without inertia and forces with slopes, which rows of loops tie to others with inertia: a small
// part of that, so that A has factors. J is that of q_m.
void hn_relative_lend_inertia(hn_relative_stepper *self);
// Names the body of the first pivot that is not positive.
hn_status hn_relative_fail_pivot(const hn_relative_stepper *self, const hn_stepping_span *span,
                                 hn_error *error);
// Work of forces on coordinates at the mean speed beyond their power at q_m and the start: part of them
// is implicit.
double hn_relative_implicit_work(const hn_relative_stepper *self, double h);
// relative/stepping_rows.c
hn_status hn_relative_make_stepping_rows(hn_arena *arena, hn_relative_stepper *self);
// z (right side of A x = z) becomes diag^-1/2 L^-T z, changed so that x satisfies the loops at q_m,
// whose J is there.
void hn_relative_hold_loops(hn_relative_stepper *self, double *z);
// Takes the part of z that loops bear out of it; z has ascended.
void hn_relative_bear_by_loops(hn_relative_stepper *self, double *z);
// The same for a further force, which loops bear as well as they can.
void hn_relative_ascend_free(hn_relative_stepper *self, double *z);
// x = L^-1 diag^-1/2 z, with rotors.
void hn_relative_descend(const hn_relative_stepper *self, const double *z, double *x);
hn_status hn_relative_stepping_respond(hn_stepper *stepper, const hn_stepping_span *span,
                                       const hn_stepping_condition *conditions,
                                       const hn_sweep_body *bodies, hn_delassus *d);
// y of one condition in place k, before loops are taken out, and this.
void hn_relative_carry_condition(hn_relative_stepper *self, const hn_stepping_span *span, int k,
                                 const hn_stepping_condition *condition, int rows);
void hn_relative_take_loops_out(hn_relative_stepper *self, int k);
// z = sum y p, and what loops carry of it.
void hn_relative_gather(hn_relative_stepper *self, const hn_delassus *d, double *z);
// Coordinates and speeds of the end onto the loops by the basis of q_m; the motion is that of the end
// then. 0: that does not converge.
int hn_relative_close_loops(hn_relative_stepper *self, const hn_stepping_span *span);
// Impulses of loop rows, into stepper->impulse.
void hn_relative_loop_impulses(hn_relative_stepper *self);

// relative/stepping_many.c: conditions that are too many for a dense problem (contact/rows.h).
void hn_relative_respond_rows(hn_relative_stepper *self, const hn_stepping_span *span,
                              const hn_stepping_condition *conditions, hn_contact_rows *rows);
void hn_relative_gather_rows(hn_relative_stepper *self, const hn_contact_rows *rows, double *z);
// 1: bodies move independently, each by its own six joint speeds.
int hn_relative_are_bodies(const hn_relative_stepper *self);
// Inverses of inertias, at the frames of the middle of the step.
void hn_relative_store_inertias(const hn_relative_stepper *self, hn_sweep_body *bodies);
// Velocities or displacements of bodies to joint speeds.
void hn_relative_load_bodies(const hn_relative_stepper *self, const hn_sweep_body *bodies,
                             double *u);

extern const hn_stepping_type hn_relative_stepping;

#endif
