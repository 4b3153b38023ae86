// Method time-stepping in a set of coordinates (integrate/methods/time_stepping.c): what the set does in
// a step of length h whose contacts and impacts act together,
//
//   q_m = q + h/2 u,   M (u+ - u) + J' Lambda = h F(q_m, u) + G' p,   J u+ = -Phi_t,   q+ = q_m + h/2 u+
//
// Contact points are on bodies: the set carries their directions G to its own speeds, with M, J and G
// at q_m. The calls of a step come in the order of the type; what one leaves for the next is scratch.
#ifndef HN_EQUATIONS_STEPPING_H
#define HN_EQUATIONS_STEPPING_H

#include "contact/rows.h"
#include "contact/sweeps.h"
#include "equations/responses.h"

struct hn_extra;

// Constant after creation, and scratch.
typedef struct hn_stepper hn_stepper;

// From the present state to the end of the step.
typedef struct hn_stepping_span {
  double t, h, t_end; // start, length, end
  const hn_branches *branches;
  const double *q, *qd;     // at the start (nq)
  double *next_q, *next_qd; // in the middle, then at the end (nq)
  hn_snapshot *next;        // frames and forces of the middle, then everything of the end
  const hn_snapshot *now;   // at the start
  double projection;        // |Phi| that counts as zero
} hn_stepping_span;

// A constraint with a condition in the middle of a step: a block of the dense problem.
typedef struct hn_stepping_condition {
  hn_touch_row row[3]; // on bodies; of one row: the first
  int speed;           // of the set, which alone the row moves, and how much; -1: rows on bodies
  double share;
  double gap;  // of unilateral ones
  int is_soft; // gives way: its depth is part of the law
} hn_stepping_condition;

// A stop, friction or knife edge on one speed of the set.
typedef struct hn_stepping_extra {
  int speed;                 // -1: on bodies
  double share;              // how much the speed moves it
  double gap;                // of stops
  double before, free_speed; // its own speed at the start and without the impulses
} hn_stepping_extra;

typedef struct hn_stepping_type {
  // The stepper says how many conditions it takes in a dense problem.
  hn_status (*create)(hn_arena *arena, hn_equations *equations, hn_stepper **stepper);
  // As of the set, without contacts.
  hn_status (*evaluate)(hn_equations *equations, double t, const double *q, const double *qd,
                        const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
  // At the end of a step: forces of a partial snapshot again, with other branches. Null: evaluate.
  hn_status (*refresh)(hn_stepper *stepper, double t, const double *q, const double *qd,
                       const hn_branches *branches, hn_snapshot *snapshot, hn_error *error);
  // q_m, with frames and forces there; velocities of the bodies at the start.
  hn_status (*begin)(hn_stepper *stepper, const hn_stepping_span *span, hn_sweep_body *bodies,
                     hn_error *error);
  // Velocities without contacts.
  hn_status (*fall)(hn_stepper *stepper, const hn_stepping_span *span, hn_sweep_body *bodies,
                    hn_error *error);
  // Stops, friction and knife edges that are on one speed, at the present speeds; the others have
  // speed -1. Null: all go by rows on bodies.
  void (*extras)(hn_stepper *stepper, const hn_stepping_span *span, hn_stepping_extra *extras);
  // Velocities were changed by impulses between bodies that no joint joins (are_bodies). Null: they
  // are the stepper's own.
  void (*take)(hn_stepper *stepper, const hn_sweep_body *bodies);
  // Responses of conditions: w of the problem, or its rows, whose count and blocks are there.
  hn_status (*respond)(hn_stepper *stepper, const hn_stepping_span *span,
                       const hn_stepping_condition *conditions, const hn_sweep_body *bodies,
                       hn_delassus *problem);
  // Velocities with the impulses of the problem.
  hn_status (*push)(hn_stepper *stepper, const hn_stepping_span *span, const hn_delassus *problem,
                    hn_sweep_body *bodies);
  // Takes the impulses back: velocities as after `fall`. Null: it cannot, all near points take part.
  void (*restore)(hn_stepper *stepper, hn_sweep_body *bodies);
  // Moves bodies that overlap apart, next_q with them, by this part of their depth. Returns the
  // work of the forces on the way. problem: null without responses.
  double (*part)(hn_stepper *stepper, const hn_stepping_span *span, const hn_sweep_body *bodies,
                 hn_sweep_point *points, int count, const hn_stepping_condition *conditions,
                 hn_delassus *problem, double share);
  double parting; // part of the depth that `part` is asked for in a step
  // The end of the step: next_q, next_qd and everything of the snapshot but contact points.
  hn_status (*end)(hn_stepper *stepper, const hn_stepping_span *span, hn_sweep_body *bodies,
                   hn_error *error);
} hn_stepping_type;

// Of a body at constant speeds of the set: acceleration of its center of mass, angular one; angular
// velocity.
typedef struct hn_body_drift {
  hn_vec3 a, b, w;
} hn_body_drift;

struct hn_stepper {
  const hn_stepping_type *type;
  hn_equations *equations;
  int most;       // conditions of a dense problem
  int row_size;   // numbers of the velocities that rows of more conditions go by
  int are_free;   // 1: no joint, bodies move independently
  int are_bodies; // 1: no joint, but joint speeds: contacts beyond a dense problem are between bodies
  hn_body_drift *drift; // after `fall` (bodies + ground); null: not known
  double *slope;      // expected accelerations of speeds, of the last step (nu); null: not used
  double *next_slope; // the same of the step that `end` has ended (nu)
  double slope_step;  // length of the last step; 0: none led to the present state
  double *impulse; // of joints and drivers in this step, by rows (row_count)
  double work;     // of forces beyond their power in the middle, where they are implicit
};

#endif
