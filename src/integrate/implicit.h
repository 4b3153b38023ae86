// Common parts of implicit methods: the exact matrix of the step's start, kept while useful; the end
// of a step on the constraints; its filtered error; steps past singular configurations.
#ifndef HN_INTEGRATE_IMPLICIT_H
#define HN_INTEGRATE_IMPLICIT_H

#include "integrate/memory.h"
#include "integrate/method.h"
#include "integrate/newton.h"
#include "integrate/stage_matrix.h"

typedef struct hn_implicit {
  hn_method *method;
  hn_tangent *tangent;     // null, as is the matrix, where the equations have none (components)
  hn_stage_matrix *matrix; // null where the method reads blocks
  int rows;                // of the tangent
  // The method reads derivatives of the tangent in q; set before creation, 0 afterwards where there are
  // none: of deep trees, whose coordinates are independent all of them.
  int reads_blocks;
  double *matrix_q;        // the position they belong to (n)
  hn_carry_kind carry;     // how vectors get there from other positions
  double *lambda;          // at the present state, then of an iteration (rows of the tangent)
  double *error;           // estimate of q, then of v (2 n)
  double *change;          // by the projection (2 n)
  int has_matrix;          // there are blocks at all
  int matrix_is_here;      // and they are those of the present state
  hn_place place;          // where they were evaluated
  hn_step_numbers g;       // they were factored for last; 0: not yet
  unsigned char *left_out; // rows left out then (rows of the tangent)
  int is_near_singular;    // the present state
  hn_method *passing;      // takes steps near singular configurations
  double end_work;         // at the end of the attempted step
  double states_g;         // with states: the matrix is that of stages of this number
} hn_implicit;

// Memory of the method's base (q, qd, snapshots) too, and fields of the state: all that is kept from
// step to step but the matrix itself. `resume` of the method makes it again, where has_matrix says so,
// inside hn_place_visit.
hn_status hn_implicit_create(hn_arena *arena, hn_method *method, hn_implicit *implicit,
                             hn_error *error);
// After a change of state or branches from outside: accelerations at the present state.
hn_status hn_implicit_begin(hn_implicit *implicit, const hn_branches *branches, hn_error *error);
// lambda of the present state, for elements and normalizations.
hn_status hn_implicit_multipliers(hn_implicit *implicit, const hn_branches *branches,
                                  hn_error *error);
// Before a step of this g_v: how states change with the motion in its stages, which is in the matrix
// too.
hn_status hn_implicit_open_states(hn_implicit *implicit, double g, const hn_branches *branches);
// The present state becomes the place of the matrix. Needs lambda there.
void hn_implicit_take_place(hn_implicit *implicit, const hn_branches *branches);
// Blocks of that place.
hn_status hn_implicit_make(hn_implicit *implicit, hn_error *error);
// Their factors. left_out: rows of the tangent.
hn_status hn_implicit_factor(hn_implicit *implicit, hn_step_numbers g,
                             const unsigned char *left_out);
// Solutions with the stage matrix carried along to position q, where bodies have turned since it was
// made: S x = r and (I - g G) (x1, x2) = (r1, r2), in place (stage_matrix.h).
void hn_implicit_solve_accelerations(hn_implicit *implicit, const double *q, double *r);
void hn_implicit_filter(hn_implicit *implicit, const double *q, double *r1, double *r2);
// From a raw end (q, v) of the step onto the constraints, with accelerations there.
hn_status hn_implicit_finish(hn_implicit *implicit, double t_end, const double *q, const double *v,
                             const hn_branches *branches, const hn_tolerance *tolerance,
                             hn_error *error);
// The same for an end that is on the constraints already, but for conditional ones.
hn_status hn_implicit_finish_at(hn_implicit *implicit, double t_end, const double *q,
                                const double *v, const hn_branches *branches,
                                const hn_tolerance *tolerance, hn_error *error);
// The norm of implicit->error with what the projection changed; and after filtering by (I - g G)^-1.
double hn_implicit_error_norm(const hn_implicit *implicit, const hn_tolerance *tolerance);
double hn_implicit_error(hn_implicit *implicit, const hn_tolerance *tolerance);
// The step by dopri5, whose stages are projected: where the position is nearly singular.
hn_status hn_implicit_pass(hn_implicit *implicit, double t_end, const hn_branches *branches,
                           const hn_tolerance *tolerance, double *error_norm, hn_error *error);
void hn_implicit_accept(hn_implicit *implicit);

#endif
