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

#include "equations/relative/relative.h"
#include "equations/stepping.h"
#include "linalg/row_basis.h"

// A wheel on ground whose one speed is `ratio` times another.
typedef struct hn_tree_rotor {
  int q, u, of_q, of_u;
  double ratio;
  int cut;
} hn_tree_rotor;

// A force between two bodies on one path of the tree.
#define HN_STEPPING_PATH 12
typedef struct hn_stepping_couple {
  int force, count;
  int lower, side; // the body below, and which of the force it is
  int speed[HN_STEPPING_PATH];
} hn_stepping_couple;

typedef struct hn_relative_stepper {
  hn_stepper base;
  hn_relative_set *set;
  int rotor_count;
  hn_tree_rotor *rotors;
  int loop_count, *loops;    // loop-closure constraints that are not of rotors
  int sloped_count, *sloped; // forces on coordinates with slopes, beyond straight springs
  int couple_count;
  hn_stepping_couple *couples;
  const hn_frame *frames; // of the middle of the present step
  // numbers of a step
  double *u0, *u;              // speeds at the start and now (nu)
  double *free_u, *free_taken; // without impulses of conditions (nu), (loop_count)
  double *force;               // S' F - bias at q_m (nu)
  double *k, *d;               // stiffness, damping of coordinates (nu)
  double *damped;              // forces on them outside the potential, tensions (nu)
  double *added;               // ... to the diagonal of M (nu)
  double *mass;                // factors of A, on the tree's pattern
  double *root;                // diag^-1/2 (nu)
  double *x, *z;               // (nu)
  struct hn_speed_axis *axis;  // of speeds (nu)
  double *y;                   // diag^-1/2 L^-T G' of conditions, four lanes (most x nu x 4)
  int *list, *listed;          // speeds of each, ascending (most x nu), their number (most)
  hn_row_basis basis;          // of loops (loop_count x nu)
  double *taken, *parts;       // impulses along the basis, components along it (loop_count)
  double *coupling;            // of conditions along the basis, four lanes (most x loop_count x 4)
  hn_vec3 *v, *w;              // of nodes (nodes)
} hn_relative_stepper;

// Motion of a speed: linear and angular at the origin of its node.
typedef struct hn_speed_axis {
  hn_vec3 v, w, origin;
} hn_speed_axis;

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
// After the factors: axes of the speeds.
void hn_relative_find_axes(hn_relative_stepper *self);
// z (right side of A x = z) becomes diag^-1/2 L^-T z, changed so that x satisfies the loops at q_m,
// whose J is there.
void hn_relative_hold_loops(hn_relative_stepper *self, double *z);
// The same for a further force, which loops bear as well as they can.
void hn_relative_ascend_free(hn_relative_stepper *self, double *z);
// x = L^-1 diag^-1/2 z, with rotors.
void hn_relative_descend(const hn_relative_stepper *self, const double *z, double *x);
hn_status hn_relative_stepping_respond(hn_stepper *stepper, const hn_stepping_span *span,
                                       const hn_stepping_condition *conditions, hn_delassus *d);
// z = sum y p, and what loops carry of it.
void hn_relative_gather(hn_relative_stepper *self, const hn_delassus *d, double *z);
// Coordinates and speeds of the end onto the loops by the basis of q_m; the motion is that of the end
// then. 0: that does not converge.
int hn_relative_close_loops(hn_relative_stepper *self, const hn_stepping_span *span);
// Impulses of loop rows, into stepper->impulse.
void hn_relative_loop_impulses(hn_relative_stepper *self);

extern const hn_stepping_type hn_relative_stepping;

#endif
