// Common parts of the augmented Lagrangian methods: the penalty matrix, kept while useful; the
// iteration's branches; projections that use its factors; the end of a step.
//
// Steps have the given size and do not stop at breakpoints of functions: within an iteration each
// force is on the branch of the last iterate, so a tyre that lifts off does so within the step.
#ifndef HN_INTEGRATE_AUGMENTED_H
#define HN_INTEGRATE_AUGMENTED_H

#include "integrate/kkt.h"
#include "integrate/memory.h"
#include "integrate/newton.h"
#include "integrate/stages.h"

// D = g_q alpha = m / softness: alpha is about this many effective masses over the step squared. Less
// than 1e4 is not safe at 1 ms; more costs digits of the condensed matrix.
#define HN_PENALTY_SCALE 1e8

typedef struct hn_augmented_matrix {
  hn_kkt *matrix;
  hn_kkt *projector; // it projects: the same, or one of M alone
  double g;          // g_v it was factored for; 0: not factored
  double h;          // and the step
  hn_place place[2]; // of its K and C; of its M and rows, where these are younger
  int place_count;
  int holds_exact; // it is not the symmetric part
  int has_blocks;  // K and C of an earlier position
  int is_exact;    // the symmetric part did not serve
} hn_augmented_matrix;

// Constraints that follow from others are left out where the set says which.
typedef struct hn_augmented_rows {
  int are_kept;            // they turned out not to follow
  int are_left;            // some are left out at present:
  unsigned char *left_out; // ... these (row_count)
} hn_augmented_rows;

// Forces whose branch follows the state within an iteration.
typedef struct hn_augmented_switches {
  hn_branch *given; // branches that the step was begun with (force_count)
  int count;
  int *force;       // which (count)
  int *before;      // their branches before an evaluation (count)
  hn_frame *frames; // of an iterate (bodies + ground)
} hn_augmented_switches;

// rms of what the last projection changed; the same of the last step that was taken.
typedef struct hn_augmented_moved {
  double v, a;
  double usual_v, usual_a;
} hn_augmented_moved;

// How accelerations went on over the last steps.
typedef struct hn_augmented_trend {
  double *last, *past;     // their changes over the last two steps, a unit of time (n)
  int count;               // how many of them are known
  int is_rough, is_smooth; // they change more than they are; so little that they are followed
  double turn;             // share by which velocities change in a step; so do rows
  double bend;             // rms of their change over a step; HUGE_VAL: not smooth, or unknown
} hn_augmented_trend;

// rms of a correction of a that counts as converged.
typedef struct hn_augmented_bound {
  double least; // the bound
  double own;   // the same without regard to rounding
  double loose; // the same, where it does not go below that any more
  double whole; // the same that the whole tolerance of the run would be
  int is_noisy; // rounding is the bound; corrections below it would accumulate
} hn_augmented_bound;

typedef struct hn_augmented {
  hn_method base;
  hn_tangent *tangent;
  hn_implicit_formula formula;
  hn_stages *stages;
  int index;      // 3: Phi = 0 in the iteration, 1: its second derivative
  double penalty; // 0: by step and effective mass
  int max_iterations, accepts_unconverged;

  hn_augmented_matrix w;
  int is_left;       // ends of steps are not projected
  double projection; // |Phi| that counts as zero
  double rate;       // of convergence in the last step
  hn_newton newton;  // in this one
  hn_want extent;    // of its last evaluation
  hn_augmented_moved moved;
  hn_augmented_rows rows;
  hn_branches branches; // of the iteration
  hn_augmented_switches switches;

  // iterate
  double *a, *q, *v;             // (n)
  double *next_a;                // accelerations at the end (n)
  double *lambda, *begin_lambda; // multipliers, warm from step to step (rows)
  double *b, *c, *da, *dl;       // residuals and corrections (n, rows, n, rows)
  hn_augmented_trend trend;
  hn_augmented_bound bound;
  double *error; // estimate of q, then of v (2 n)
  double end_work, begin_work;
  hn_method *passing; // takes steps past singular configurations
  int is_bounded;     // it may make one step only: real time
  int is_taken;       // the present state is the end of the last step, if it is still the same
  int is_stalled;     // the iteration went no further before it was done
} hn_augmented;

hn_status hn_augmented_create(hn_arena *arena, hn_equations *equations,
                              const hn_method_choice *choice, const hn_method_type *type, int index,
                              hn_method **method, hn_error *error);
hn_status hn_augmented_begin(hn_method *method, const hn_branches *branches, hn_error *error);
void hn_augmented_interpolate(const hn_method *method, double theta, double *q, double *qd,
                              double *work);
void hn_augmented_accept(hn_method *method);
hn_status hn_augmented_resume(hn_method *method);

// The row of such a method, but for its name, its formulas, `create` and `attempt`.
#define HN_AUGMENTED_METHOD                                                                        \
  .options = HN_OF_AUGMENTED, .independent = HN_INDEPENDENT_NONE, .takes_states = 1,               \
  .keeps_step = 1, .follows_conditions = 1, .begin = hn_augmented_begin,                           \
  .interpolate = hn_augmented_interpolate, .accept = hn_augmented_accept,                          \
  .resume = hn_augmented_resume

hn_status hn_augmented_create_memory(hn_arena *arena, hn_augmented *self);

// Branches as given at the start of a step, without those of the state.
void hn_augmented_take_branches(hn_augmented *self, const hn_branches *given);
// Those that hold at this state; 1: some changed.
int hn_augmented_classify(hn_augmented *self, double t, const double *q, const double *v);
// The tangent at (t, q, v, a) on the branches that hold there, b = Q - M a. *changed: they were others.
// changed null: on those of the last evaluation, which was next to it.
hn_status hn_augmented_evaluate(hn_augmented *self, hn_want extent, double t, const double *q,
                                const double *v, const double *a, int *changed, hn_error *error);
// The same on the branches there are, whatever holds there.
hn_status hn_augmented_evaluate_frozen(hn_augmented *self, hn_want extent, double t,
                                       const double *q, const double *v, const double *a,
                                       hn_error *error);
// Which rows take part, after an evaluation of accelerations; and as rows.left_out says.
void hn_augmented_choose_rows(hn_augmented *self);
void hn_augmented_leave_rows(hn_augmented *self);
// b -= Phi_q' lambda with the tangent's rows.
void hn_augmented_add_reactions(hn_augmented *self);
// c = sign of - Phi_q x (rows); returns the largest of them.
double hn_augmented_defect(hn_augmented *self, double sign, const double *of, const double *x);
void hn_augmented_add_multipliers(hn_augmented *self); // lambda += dl
// The present state is the end of the last step, as hn_augmented_accept left it.
int hn_augmented_is_at_end(const hn_augmented *self);
// A step to t_end, with its first stage.
hn_status hn_augmented_open(hn_augmented *self, double t_end, const hn_branches *branches,
                            const hn_tolerance *tolerance);
// All stages of the step, by Newton's method (augmented.c).
hn_status hn_augmented_solve(hn_augmented *self, const hn_branches *branches, hn_error *error);
// W was factored for a step of the present size.
int hn_augmented_is_of_step(const hn_augmented *self);
// W of the iterate, from a tangent evaluated in full there.
hn_status hn_augmented_factor(hn_augmented *self);
// moved.a, from a and next_a; 0 where it is not finite.
int hn_augmented_measure_change(hn_augmented *self);
// next_qd onto Phi_q v + Phi_t = 0, then next_a and lambda from the equations there, starting from a.
hn_status hn_augmented_settle(hn_augmented *self, hn_error *error);
// The same where accelerations of the state itself are asked for: velocities alone, down to rates below
// `least` or for a few sweeps. HN_RETRY_CONVERGENCE where they leave far more.
hn_status hn_augmented_project_velocities(hn_augmented *self, double *v, double least);
// Mass-orthogonal projections: the projector of a position.
hn_status hn_augmented_factor_mass(hn_augmented *self, double t, const double *q, const double *v,
                                   hn_error *error);
// The snapshot of the end at (next_q, next_qd), from next_a where the coordinates offer that; is_exact:
// from accelerations of the state itself.
hn_status hn_augmented_describe(hn_augmented *self, double t_end, int is_exact, hn_error *error);
// Dense output, work and error of the step, all of whose stages are closed.
void hn_augmented_finish(hn_augmented *self, double t_end, const hn_tolerance *tolerance,
                         double *error_norm);

// After the projections of an end: 1 if they changed velocities or accelerations so much that these
// are useless, as they do at a singular configuration.
int hn_augmented_is_thrown(const hn_augmented *self);
// Multipliers are those of the step's start again; there is no matrix.
void hn_augmented_forget_step(hn_augmented *self);
// The same where they changed them far more than in steps before, which were smooth, and where the
// iteration stalled.
int hn_augmented_is_shaken(const hn_augmented *self);
// Computes the end by extrapolating accelerations: 0 if they were not smooth, or forces and
// constraints are not satisfied. It is in q and v; the end that was found stays.
int hn_augmented_may_coast(hn_augmented *self);
// Takes that end. Its status is the step's: the other one is gone.
hn_status hn_augmented_coast(hn_augmented *self, hn_error *error);
// Another way to make the step, where the method's own found no end: see augmented_pass.c.
hn_status hn_augmented_pass(hn_augmented *self, double t_end, const hn_branches *branches,
                            const hn_tolerance *tolerance, double *error_norm, hn_error *error);

double hn_rms(int n, const double *x);

#endif
