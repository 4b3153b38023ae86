// The waist between implicit formulas and methods: a stage. A formula hands the method one affine
// relation between the unknown accelerations and the state,
//
//   q = q_hat + g^2 a,   v = v_hat + g a,   at time t
//
// and takes the accelerations found; no method sees a tableau, no formula a constraint. (For all
// formulas here the factor of a in q is the square of that in v.)
#ifndef HN_INTEGRATE_STAGES_H
#define HN_INTEGRATE_STAGES_H

#include "base/arena.h"
#include "integrate/formula.h"

typedef enum hn_implicit_kind { HN_IMPLICIT_TRAPEZOIDAL, HN_IMPLICIT_SDIRK } hn_implicit_kind;

typedef struct hn_implicit_formula {
  const char *name;
  hn_implicit_kind kind;
  int stages, order, error_order;
  const hn_sdirk_formula *sdirk; // of that kind
} hn_implicit_formula;

// By name, or null.
const hn_implicit_formula *hn_find_implicit_formula(const char *name);

// g of a step of size h.
double hn_stages_number(const hn_implicit_formula *formula, double h);

typedef struct hn_stages {
  const hn_implicit_formula *formula;
  int n; // coordinates
  // the step, as given to hn_stages_begin
  double t0, h;
  double *q0, *v0, *a0; // state at its begin (n)
  // the open stage
  double t, g;
  double *q_hat, *v_hat; // (n)
  // stages found so far
  double *v[HN_MAX_STAGES], *a[HN_MAX_STAGES]; // (n)
  double power[HN_MAX_STAGES];                 // of what is not in the potential, at the stages
  double power0;                               // and at the begin
  // the end
  double *q1, *v1;       // before projection (n)
  double *end_q, *end_v; // after it (n)
} hn_stages;

hn_status hn_stages_create(hn_arena *arena, const hn_implicit_formula *formula, int n,
                           hn_stages **stages);
void hn_stages_begin(hn_stages *stages, double t0, double h, const double *q0, const double *v0,
                     const double *a0, double power0);
// What a (n) is likely to be at stage i, from what is known.
void hn_stages_predict(const hn_stages *stages, int i, double *a);
// Weights with which values at the step's begin (weight[0]) and at stages 0 .. i - 1 (weight[1 ..])
// extrapolate to stage i: quadratic through the nearest nodes. For what is not integrated.
void hn_stages_extrapolate(const hn_stages *stages, int i, double weight[HN_MAX_STAGES + 1]);
void hn_stages_open(hn_stages *stages, int i);
void hn_stages_close(hn_stages *stages, int i, const double *a, double power);
// The velocities of closed stage i, where they were recovered from constraints: the same in independent
// coordinates, better in the others.
void hn_stages_recovered(hn_stages *stages, int i, const double *v);
// After the last stage: q1, v1, and the error estimates (n each).
void hn_stages_end(hn_stages *stages, double *error_q, double *error_v);
double hn_stages_work(const hn_stages *stages); // done over the step
// What projection made of the end; dense output ends there.
void hn_stages_correct(hn_stages *stages, const double *q, const double *v);
void hn_stages_interpolate(const hn_stages *stages, double theta, double *q, double *v,
                           double *work);

#endif
