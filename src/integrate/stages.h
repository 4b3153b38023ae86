// The waist between implicit formulas and methods: a stage. A formula hands the method one affine
// relation between the unknown accelerations and the state,
//
//   q = q_hat + g_q a,   v = v_hat + g_v a,   at time t
//
// and takes the accelerations found; no method sees a tableau, no formula a constraint. Structural
// formulas (formula.h) remember accelerations from step to step, in full coordinates.
#ifndef HN_INTEGRATE_STAGES_H
#define HN_INTEGRATE_STAGES_H

#include "base/arena.h"
#include "integrate/method.h"

typedef enum hn_implicit_kind {
  HN_IMPLICIT_TRAPEZOIDAL,
  HN_IMPLICIT_SDIRK,
  HN_IMPLICIT_STRUCTURAL
} hn_implicit_kind;

typedef struct hn_implicit_formula {
  const char *name;
  hn_implicit_kind kind;
  int stages, order, error_order;
  hn_sdirk_formula sdirk;           // of that kind
  hn_structural_formula structural; // of that kind
} hn_implicit_formula;

// The formula of this name with these parameters: 1, or 0 if unknown.
int hn_find_implicit_formula(const hn_method_choice *choice, hn_implicit_formula *formula);

// g_q and g_v of a step of size h.
hn_step_numbers hn_stages_numbers(const hn_implicit_formula *formula, double h);

typedef struct hn_stages {
  const hn_implicit_formula *formula;
  int n;    // coordinates
  int wide; // hn_is_wide()
  // the step, as given to hn_stages_begin
  double t0, h;
  double *q0, *v0, *a0; // state at its start (n)
  // the open stage
  double t;
  hn_step_numbers g;
  double *q_hat, *v_hat; // (n)
  // stages found so far
  double *v[HN_MAX_STAGES], *a[HN_MAX_STAGES]; // (n)
  double *rise[HN_MAX_STAGES];                 // v - v0 (n)
  double power[HN_MAX_STAGES];                 // of what is not in the potential, at the stages
  double power0;                               // and at the start
  // the end
  double *q1, *v1;       // before projection (n)
  double *sum_q, *sum_v; // work (n)
  double *end_q, *end_v; // after it (n)
  // of structural formulas: the auxiliary acceleration and the acceleration before, since the last
  // restart; of the step as begun and as found (n)
  int has_past;
  double past_h;
  double *w, *past_a, *w0, *w1;
  // States z of the method, if it has any: the same stages once more, with z as their velocities and its
  // rates as accelerations; their positions are never read.
  struct hn_stages *states;
  hn_method *method;                 // null without states
  double *nothing, *found, *error_z; // zeros, rates found, work space (n of states)
} hn_stages;

hn_status hn_stages_create(hn_arena *arena, const hn_implicit_formula *formula, int n,
                           hn_stages **stages);
// The states of the method, where it has any, are integrated too: steps start with its z and end
// with next_z. hn_method_find_rates comes before hn_stages_begin, and an evaluation of forces at
// the stage as found before hn_stages_close.
hn_status hn_stages_take_states(hn_arena *arena, hn_stages *stages, hn_method *method);
// After hn_stages_end: the error of states over the tolerance.
double hn_stages_state_error(const hn_stages *stages, const hn_tolerance *tolerance);
// Their end, where it was not found by these stages.
void hn_stages_correct_states(hn_stages *stages);
// The steps to come know nothing of those before: w = a.
void hn_stages_restart(hn_stages *stages);
void hn_stages_begin(hn_stages *stages, double t0, double h, const double *q0, const double *v0,
                     const double *a0, double power0);
// Predicts a (n) at stage i from known values.
void hn_stages_predict(const hn_stages *stages, int i, double *a);
// Weights with which values at the step's start (weight[0]) and at stages 0 .. i - 1 (weight[1 ..])
// extrapolate to stage i: quadratic through the nearest nodes. For quantities that are not
// integrated.
void hn_stages_extrapolate(const hn_stages *stages, int i, double weight[HN_MAX_STAGES + 1]);
void hn_stages_open(hn_stages *stages, int i);
void hn_stages_close(hn_stages *stages, int i, const double *a, double power);
// The velocities of closed stage i, where they were recovered from constraints: the same in independent
// coordinates, better in the others.
void hn_stages_recovered(hn_stages *stages, int i, const double *v);
// After the last stage: q1, v1, and the error estimates (n each).
void hn_stages_end(hn_stages *stages, double *error_q, double *error_v);
// 1 where the end is not the last stage.
int hn_stages_end_between(const hn_stages *stages);
// 1 where stage i is the end and there are no states: its power is that of the end after
// hn_stages_end, given by hn_stages_take_power, which does nothing elsewhere.
int hn_stages_is_end(const hn_stages *stages, int i);
void hn_stages_take_power(hn_stages *stages, double power);
double hn_stages_work(const hn_stages *stages); // done over the step
// Sets the projected end; dense output ends there.
void hn_stages_correct(hn_stages *stages, const double *q, const double *v);
void hn_stages_interpolate(const hn_stages *stages, double theta, double *q, double *v,
                           double *work);
// The step is taken: the next one starts where it ended.
void hn_stages_accept(hn_stages *stages);

#endif
