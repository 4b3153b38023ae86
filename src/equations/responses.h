// Services of a set of coordinates for constraints with conditions (conditions.h): contact points,
// stops, dry friction, rolling, knife edges, and joints that are switched on and off.
//
// Such a constraint is given on bodies: a row G of coefficients (n, m) of the velocities (v, w) of at
// most two of them. The set carries it to its speeds u, g = V' G' with (v, w) = V u, and solves with
// the factors of its accelerations:
//
//   [ M  J' ] [ x ]   [ g ]      response of the speeds, and of the multipliers of the model's own
//   [ J  0  ] [ y ] = [ 0 ]      constraints, so that joints and loops hold exactly
//
//   W = g' x,   d(G V u)/dt = g' ud + bias + rest,   bias = G (dV/dt) u
//
// The set knows nothing else about conditions: modes, friction and impacts are selected in rigid/.
// rest is what G changes by itself; who makes the row knows it.
#ifndef HN_EQUATIONS_RESPONSES_H
#define HN_EQUATIONS_RESPONSES_H

#include "equations/equations.h"

typedef struct hn_touch_row {
  int body[2];         // 0: ground
  double block[2][6];  // (n, m)
  double rest;         // of its acceleration
  double value, speed; // gap (of normals), velocity
} hn_touch_row;

typedef struct hn_response_type {
  // Takes memory after creation, and makes the set ready for the rest; null: nothing.
  hn_status (*prepare)(hn_arena *arena, hn_equations *equations);
  // As of the type, with what the functions below read: frames of the snapshot, factors.
  hn_status (*evaluate_stage)(hn_equations *equations, double t, const double *q, const double *qd,
                              const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
  // Factors of all constraints of the model at a state that need not satisfy them; frames: there.
  hn_status (*factor)(hn_equations *equations, double t, const double *q, const double *qd,
                      const hn_frame *frames, const hn_branches *branches);
  // Null: speeds are the velocities of bodies, 6 each, without ground.
  void (*in_speeds)(hn_equations *equations, const hn_touch_row *row, double *g);
  double (*bias)(const hn_equations *equations, const hn_touch_row *row); // null: 0
  // At the last state that was evaluated or factored. g: of in_speeds, or null; x (nu),
  // y (row_count): written.
  hn_status (*respond)(hn_equations *equations, const hn_touch_row *row, const double *g, double *x,
                       double *y);
  // Accelerations of coordinates and bodies and whatever else follows from ud and the multipliers
  // of a snapshot, after forces p (rows) along constraints were added to them. is_stage: of
  // evaluate_stage.
  void (*conclude)(hn_equations *equations, const double *q, const hn_branches *branches,
                   const hn_touch_row *row, const double *p, int rows, int is_stage,
                   hn_snapshot *snapshot);
  // J; null: of the bodies of the model. (Sealed components keep their masses.)
  double (*kinetic)(hn_equations *equations, double t, const double *q, const double *qd,
                    const hn_branches *branches);
  // q moved by x (nu), small.
  void (*move)(const hn_equations *equations, const double *x, double *q);
  // Constraints of the model have been switched on or off at the same position.
  void (*forget)(hn_equations *equations);
} hn_response_type;

#endif
