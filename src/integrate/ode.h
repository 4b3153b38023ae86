// A model as an ordinary differential equation y'' = f(t, y, y'), for formulas that solve with (I -
// g G), G = [0 1; f_y f_y']: SDIRK in first-order form and Rosenbrock (Negrut 1998, eqs.
// 3.84-3.105; methods/state-space.md). Two kinds:
//
//   full      y = q: all coordinates; (I - g G) by the stage matrix; the end of a step is projected
//             onto the constraints, and what that changes counts in the error test
//   reduced   y = V' q: independent coordinates (reduction.h); every state is on the constraints
//
// Where equations have no derivatives (components) the first kind takes differences.
//
// What a formula keeps from step to step it keeps in full coordinates.
#ifndef HN_INTEGRATE_ODE_H
#define HN_INTEGRATE_ODE_H

#include "integrate/implicit.h"

typedef struct hn_ode hn_ode;

// Matrix for solutions: f_y, f_y' and f_t of some state, factored for a step.
typedef struct hn_ode_matrix {
  // Those of the present state, which becomes the matrix' place; those of that place.
  hn_status (*renew)(hn_ode *ode, const hn_branches *branches, hn_error *error);
  hn_status (*make)(hn_ode *ode, hn_error *error);
  // implicit.g says for which g last. is_again: with the rows left out of the last time.
  hn_status (*factor)(hn_ode *ode, double g, int is_again);
  // (I - g G) (x1, x2) = (r1, r2), in place.
  void (*filter)(hn_ode *ode, double *r1, double *r2);
  // S x = r in place, S = 1 - g f_y' - g^2 f_y; of an iteration: not refined.
  void (*solve)(hn_ode *ode, double *r);
  void (*time_part)(hn_ode *ode, double *x); // S x = f_t
  // Where corrects is 1: the correction of accelerations ydd, as evaluate and solve would give it.
  hn_status (*correct)(hn_ode *ode, double t, const double *y, const double *yd, const double *ydd,
                       const hn_branches *branches, double *correction, hn_error *error);
} hn_ode_matrix;

typedef struct hn_ode_type {
  const hn_ode_matrix *matrix;
  // At the present state, before a step: coordinates, their number, y, yd, ydd.
  hn_status (*begin)(hn_ode *ode, const hn_branches *branches, hn_error *error);
  // Chosen coordinates, whose fields of the state were read, are chosen again. Null: no choice.
  hn_status (*resume)(hn_ode *ode);
  // f at a stage; its state in full coordinates and its snapshot stay in q, qd, stage.
  hn_status (*evaluate)(hn_ode *ode, double t, const double *y, const double *yd,
                        const hn_branches *branches, double *f, hn_error *error);
  // Where corrects is 1: multipliers of stage i start as these weights of those at the step's start
  // and at the stages before it (stages.h); those found are kept. Null: no multipliers.
  void (*open_stage)(hn_ode *ode, int i, const double *weight);
  void (*close_stage)(hn_ode *ode, int i);
  // Full accelerations at the stage last evaluated that have these independent ones.
  void (*complete)(hn_ode *ode, const double *ydd, double *qdd);
  // From the end (y, yd) of a step to method->next. error1, error2 are estimates, which are filtered.
  hn_status (*finish)(hn_ode *ode, double t_end, const double *y, const double *yd,
                      const hn_branches *branches, const hn_tolerance *tolerance, hn_error *error);
  double (*error_norm)(hn_ode *ode, double *error1, double *error2, const hn_tolerance *tolerance);
  void (*restrict_to)(const hn_ode *ode, const double *q, double *y); // y of full coordinates
  // Full state of (y, yd) inside the step: q comes near it on entry. For looking only.
  void (*expand)(hn_ode *ode, double t, const double *y, const double *yd, double *q, double *qd);
} hn_ode_type;

struct hn_ode {
  const hn_ode_type *type;
  const char *name; // of the independent coordinates
  hn_implicit *implicit;
  int can_correct;      // there is `correct` ...
  int corrects;         // ... and the formula calls it
  int can_carry;        // the matrix, along with the bodies
  int has_hidden_power; // work is done inside components: power comes with the stage alone
  double contact_step; // step of a formula that needs derivatives of contact forces; 0: it does not
  int is_fresh;        // a new start: nothing chosen at earlier states holds
  int counts_raw;      // the formula's estimate counts before it is filtered too ...
  double raw_share;    // ... by this factor: stiff components that do not add up over steps
  double kappa;        // what of the tolerance an iteration may leave
  double projection;   // |Phi| that counts as zero
  int n;               // of y
  double *y, *yd, *ydd; // present state (n)
  double *q, *qd;       // of the stage last evaluated (nq)
  hn_snapshot *stage;
};

// independent: "none", "partition" or "tangent-plane".
hn_status hn_ode_create(hn_arena *arena, hn_implicit *implicit, unsigned independent, hn_ode **ode,
                        hn_error *error);
hn_status hn_ode_create_reduced(hn_arena *arena, hn_implicit *implicit, unsigned independent,
                                hn_ode **ode);
// HN_ERROR_UNSUPPORTED for too many coordinates.
hn_status hn_ode_create_differences(hn_arena *arena, hn_implicit *implicit, hn_ode **ode);
// For sets whose y are all coordinates: `start`, evaluate, complete, finish, restrict_to and expand
// of the type, and the norm of an estimate.
hn_status hn_ode_whole_begin(hn_ode *ode, const hn_branches *branches, hn_error *error);
hn_status hn_ode_whole_evaluate(hn_ode *ode, double t, const double *y, const double *yd,
                                const hn_branches *branches, double *f, hn_error *error);
void hn_ode_whole_complete(hn_ode *ode, const double *ydd, double *qdd);
hn_status hn_ode_whole_finish(hn_ode *ode, double t_end, const double *y, const double *yd,
                              const hn_branches *branches, const hn_tolerance *tolerance,
                              hn_error *error);
void hn_ode_whole_restrict(const hn_ode *ode, const double *q, double *y);
void hn_ode_whole_expand(hn_ode *ode, double t, const double *y, const double *yd, double *q,
                         double *qd);
double hn_ode_whole_norm(hn_ode *ode, const double *error1, const double *error2,
                         const hn_tolerance *tolerance);
// Memory of the struct above for at most nq coordinates.
hn_status hn_ode_take_memory(hn_arena *arena, hn_ode *ode, hn_implicit *implicit);

#endif
