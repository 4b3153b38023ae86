// Methods whose steps are made of implicit stages (stages.h): common part of state-space and
// descriptor.
//
// Steps: choose independent coordinates when they are stale; matrix, kept while it is useful;
// stages, each solved by Newton's method; the end on the constraints; its filtered error. Without
// independent coordinates (`none`) stages are in all coordinates and the end is projected. With
// them a stage's unknown is vdd = V' a: its state is recovered from the constraints (reduction.h),
//
//   V' q = V' q_hat + g_q vdd,   V' qd = V' v_hat + g_v vdd,   a: Phi_q a = tau,  V' a = vdd
//
// and the end needs no projection. Unknowns may be all of a and lambda even so (descriptor-form):
// then vdd = V' a, and the second equation holds in the end alone. Formulas keep their history in
// all coordinates either way.
#ifndef HN_INTEGRATE_STAGE_METHOD_H
#define HN_INTEGRATE_STAGE_METHOD_H

#include "integrate/implicit.h"
#include "integrate/newton.h"
#include "integrate/reduction.h"
#include "integrate/stages.h"

typedef struct hn_stage_method hn_stage_method;

// Functions of one such method.
typedef struct hn_stage_solver {
  // Blocks of the matrix at implicit.place.
  hn_status (*make)(hn_stage_method *self, hn_error *error);
  // implicit.g says for which numbers last. is_again: with the rows of last time.
  hn_status (*factor)(hn_stage_method *self, hn_step_numbers g, int is_again);
  // Without independent coordinates, or where all of a and lambda are unknowns: one correction of the
  // open stage, *norm against the tolerance.
  hn_status (*correct)(hn_stage_method *self, const hn_branches *branches, double *norm,
                       hn_error *error);
  // With them: x = P' (Q - M a) becomes the correction of vdd.
  void (*solve)(hn_stage_method *self, double *x);
  // implicit.error (of q, then of v, in all coordinates) through (I - g G)^-1 to independent ones.
  void (*filter)(hn_stage_method *self, double *e_q, double *e_v);
  int reads_blocks;      // make reads those of the tangent in q
  int depends_on_choice; // the matrix belongs to one choice of independent coordinates
  int renews_here;       // with them: it may be one of a stage's iterate, not of a step's start
  int has_all_unknowns;  // a and lambda, with independent coordinates too
} hn_stage_solver;
extern const hn_stage_solver hn_descriptor_solver; // of method descriptor

struct hn_stage_method {
  hn_method base;
  hn_implicit implicit;
  const hn_stage_solver *solver;
  hn_stages *stages;
  hn_newton newton;
  const hn_branches *branches; // of the stage that is iterated on
  int age;                     // of the matrix, in steps
  double correction;           // norm of the last one, where lambda is an unknown next to w
  double *a;                   // iterate (n)
  double *q, *v;               // its state (n)
  double *b, *c;               // minus the residuals (n, rows)
  double *da, *dl;             // corrections (n, rows)

  // without independent coordinates
  double *known[HN_MAX_STAGES + 1]; // multipliers at the start and at the stages found (rows)
  double *weight;                   // of the square of a correction in its norm (n)
  int has_end_multipliers;          // those of the last stage are the next step's first guess

  // with them
  hn_reduction *reduction;    // null: none
  int has_choice;             // of independent coordinates, not stale
  double projection;          // |Phi| that counts as zero
  double recovery;            // and while a stage is iterated on
  int concludes;              // real time: the last stage's accelerations are those of the end ...
  int is_sound;               // ... where E is well conditioned, as at the end of the last step
  double *trend;              // slopes of accelerations, of the last step and the one before (2 n)
  int trends;                 // how many are known
  double *w;                  // iterate vdd (size)
  double *w_q, *w_v;          // V' q and V' qd of the stage without vdd (size)
  double *w_scale;            // of v, then of vd, in the error norm (2 size)
  double **past;              // corrections made in this stage by one matrix (limit + 2, size)
  int past_count;             // how many
  int wants_matrix;           // the next correction is made by one of its own iterate
  double *w_before, *w_after; // work (size)
};

// Memory of all this, for a formula found. reduction: by choice->independent.
hn_status hn_stage_method_create(hn_arena *arena, hn_equations *equations,
                                 const hn_implicit_formula *formula, const hn_method_choice *choice,
                                 hn_stage_method *self, hn_error *error);

// The functions of a method (method.h).
hn_status hn_stage_method_begin(hn_method *method, const hn_branches *branches, hn_error *error);
hn_status hn_stage_method_attempt(hn_method *method, double t_end, const hn_branches *branches,
                                  const hn_tolerance *tolerance, double *error_norm,
                                  hn_error *error);
void hn_stage_method_interpolate(const hn_method *method, double theta, double *q, double *qd,
                                 double *work);
void hn_stage_method_accept(hn_method *method);
hn_status hn_stage_method_resume(hn_method *method);
#define HN_STAGE_METHOD                                                                            \
  .takes_states = 1, .follows_conditions = 1, .begin = hn_stage_method_begin,                      \
  .attempt = hn_stage_method_attempt, .interpolate = hn_stage_method_interpolate,                  \
  .accept = hn_stage_method_accept, .resume = hn_stage_method_resume
// q and v of the open stage at accelerations a.
void hn_stage_method_state(const hn_stage_method *self);

// ---- with independent coordinates (stage_reduced.c) ---------------------------------------------

// V' of what the open stage knows, and where recovery starts.
void hn_stage_reduced_open(hn_stage_method *self);
// Where the end is not a stage: the end as the stage to be recovered.
void hn_stage_reduced_open_end(hn_stage_method *self, double t_end);
// One correction of the open stage, *norm of it against the tolerance.
hn_status hn_stage_reduced_correct(hn_stage_method *self, const hn_branches *branches, double *norm,
                                   hn_error *error);
// Of a correction of vdd, by its effect on V' q and V' qd.
double hn_stage_reduced_norm(const hn_stage_method *self, const double *x);
// Where drivers do work: implicit.lambda = Z' (Q - M a) of the stage as found.
hn_status hn_stage_reduced_multipliers(hn_stage_method *self, const hn_branches *branches,
                                       hn_error *error);
// q, v and the rows' part of the tangent of the iterate w, E factored there.
hn_status hn_stage_reduced_recover(hn_stage_method *self, const hn_branches *branches,
                                   double tolerance);
// After that: a that goes with w, and b = Q - M a.
hn_status hn_stage_reduced_balance(hn_stage_method *self, const hn_branches *branches,
                                   hn_error *error);
// The recovered state becomes the end of the step, with the accelerations of the stage and the
// multipliers that go with them: no system is solved.
hn_status hn_stage_reduced_conclude(hn_stage_method *self, double t_end,
                                    const hn_branches *branches, hn_error *error);
// Largest |Phi| of the recovered state, rows that were left out among them.
double hn_stage_reduced_gap(const hn_stage_method *self);
void hn_stage_reduced_scale(hn_stage_method *self, const hn_tolerance *tolerance);
double hn_stage_reduced_error(hn_stage_method *self, const hn_tolerance *tolerance);

#endif
