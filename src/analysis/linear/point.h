// The model around one state, in independent variations.
//
// The equations are those of bodies (Cartesian, tangent.h), whatever coordinates the simulation runs
// in. States are quantities a reader knows: coordinates of joints, then positions and rotations of
// bodies, as many as there are degrees of freedom, chosen so that E is regular:
//
//   E = [Phi_q; S],   S the gradients of the chosen quantities eta        (redundant rows left out)
//   E dq            = [0; deta]
//   E dqd + E' dq   = [0; detad]                  E', E'' along the motion: (Phi_q qd)_q and so on
//   E dqdd + 2 E' dqd + E'' dq = [0; detadd]
//
// so that dq = P deta, dqd = P detad + X deta, dqdd = P detadd + 2 X detad + Y deta. With the full
// derivatives of M qdd + Phi_q' lambda = Q that gives, exactly,
//
//   Mhat detadd + Chat detad + Khat deta = 0
//   Mhat = P' M P,  Chat = P' (2 M X + C P),  Khat = P' (M Y + C X + K P)
//
// A rotation is no coordinate: dtheta is the small rotation in global axes against the motion of the
// state, dtheta = 2 E(p) dp, so the equations of a spinning rotor stay constant in time.
#ifndef HN_ANALYSIS_LINEAR_POINT_H
#define HN_ANALYSIS_LINEAR_POINT_H

#include "analysis/simulation.h"
#include "equations/tangent.h"
#include "linalg/sparse_lu.h"

typedef enum hn_quantity_kind {
  HN_QUANTITY_JOINT,    // a coordinate of a joint
  HN_QUANTITY_POSITION, // of a center of mass, global axes
  HN_QUANTITY_ROTATION  // about global axes
} hn_quantity_kind;

typedef struct hn_quantity_of {
  hn_quantity_kind kind;
  int element; // joint, body
  int part;    // hn_coordinate; axis
} hn_quantity_of;

// A quantity along the motion, in q = (r, p) of two bodies.
#define HN_LOCAL 14
typedef struct hn_gradient {
  int body[2];          // HN_GROUND: none
  double s[HN_LOCAL];   // S
  double sd[HN_LOCAL];  // S', where velocities are given
  double sdd[HN_LOCAL]; // S'', where accelerations are given
  double value, rate;
  double quadratic; // second derivative at qdd = 0
} hn_gradient;

typedef struct hn_linear_point {
  hn_arena *arena;
  hn_simulation *simulation;
  const hn_elements *elements;
  hn_equations *equations; // Cartesian
  hn_tangent *tangent;
  const hn_branches *branches;
  double t;
  int is_undriven;          // rows of drivers are left out
  int is_steady;            // quantities have no rates
  int n;                    // coordinates
  int row_count;            // independent rows ...
  int *row;                 // ... of the tangent (n)
  int held_count;           // massless directions, which stay
  double *held;             // (held_count x n)
  int freedoms;             // f
  int rates;                // of them that have a rate of their own: all but where it rolls
  hn_quantity_of *quantity; // (f)
  hn_frame *frames;         // (bodies + ground)
  double *q, *qd, *qdd;     // (n)
  double *lambda;           // (rows of the tangent)
  double *eta, *eta_rate, *eta_second; // (f)
  double *e;                           // factors of E (n x n, column-major); null: lu
  int *pivots;                         // (n)
  double *p;                           // P (n x f, column-major); null where lu
  hn_sparse_lu *lu;                    // of E', columns in their own order; null: e
  int *column;                         // row of E that each column of lu is (n)
  double *room, *spare;                // (n); spare is of hn_linear_solve
} hn_linear_point;

// At the present state of the simulation, which is brought onto the constraints as exactly as numbers
// allow. Everything lives in the arena. Fails where accelerations are not determined.
// is_steady: with quantities at rest, whatever their rates are.
hn_status hn_linear_point_create(hn_arena *arena, hn_simulation *simulation, int is_steady,
                                 hn_linear_point *point, hn_error *error);
// The same without the constraints of drivers: position and rates are unmodified, the tangent
// contains M, Q and Phi_q; there are no accelerations and no multipliers.
hn_status hn_linear_point_create_undriven(hn_arena *arena, hn_simulation *simulation,
                                          hn_linear_point *point, hn_error *error);
// The same without dense matrices: E is factored sparsely, there is no P. Release with free.
hn_status hn_linear_point_create_sparse(hn_arena *arena, hn_simulation *simulation, int is_steady,
                                        hn_linear_point *point, hn_error *error);
void hn_linear_point_free(hn_linear_point *point); // what is not memory of the arena
// out (n) += scale E' x (order 1) or E'' x (order 2); gradients of the quantities at qdd.
void hn_linear_add_rates(const hn_linear_point *point, const hn_gradient *gradients, int order,
                         double scale, const double *x, double *out);
// Parts of what creates a point: the tangent there; onto the constraints; rates.
hn_status hn_linear_evaluate(hn_linear_point *point, hn_want want, hn_error *error);
hn_status hn_linear_prepare(hn_linear_point *point, hn_error *error);
hn_status hn_linear_close_gaps(hn_linear_point *point, hn_error *error);
void hn_linear_keep_rates(hn_linear_point *point);
// kinks.c: takes functions with a breakpoint at the point on one side, the same for all their
// operations.
hn_status hn_linear_take_sides(hn_linear_point *point);
// Gradients of a quantity at the point's frames; qdd null: s, sd and quadratic alone.
void hn_linear_gradient(const hn_linear_point *point, hn_quantity_of quantity, const double *qdd,
                        hn_gradient *out);
// "joint.pin.angle"; derivative 1: "joint.pin.angle_rate".
void hn_linear_name(const hn_linear_point *point, int state, int derivative, char *text,
                    size_t size);
const char *hn_linear_unit(const hn_linear_point *point, int state, int derivative);
// E x = b in place; E' x = b in place.
void hn_linear_solve(const hn_linear_point *point, double *b);
void hn_linear_solve_transposed(const hn_linear_point *point, double *b);

// select.c: selects independent constraints, massless directions and quantities, from the tangent's
// constraints. tolerance: of rank.
hn_status hn_linear_select(hn_linear_point *point, double tolerance, hn_error *error);
// Quantities alone, of free directions (n x `freedoms`): rolling.c.
hn_status hn_linear_choose(hn_linear_point *point, const double *directions, int freedoms,
                           hn_error *error);
hn_status hn_linear_factor_sparse(hn_linear_point *point);
// E at the tangent's last evaluation and the frames; HN_ERROR_SINGULAR.
hn_status hn_linear_factor(hn_linear_point *point);

#endif
