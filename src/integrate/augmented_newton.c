// The iteration of augmented Lagrangian methods (augmented.h): stages solved by Newton's method
// (newton.h), with the matrix as it serves, and where that does not converge with a new one, exact, at
// every iterate.
#include <math.h>
#include <string.h>

#include "integrate/augmented.h"
#include "integrate/method_states.h"

// What a rate seen in earlier steps may promise at most, and the rate with a new matrix before any is
// seen; the same of index 1, whose matrix leaves out how Phi_q a - tau changes.
#define LEAST_RATE 0.02
#define FRESH_RATE 0.2
#define LEAST_RATE_1 0.05
#define FRESH_RATE_1 0.5
// A larger rate, with a matrix that can still be renewed, is no convergence.
#define DIVERGED 2

// The matrix at the iterate is renewed there, where asked for.
static hn_status evaluate(hn_augmented *self, hn_want extent, int *changed, hn_error *error) {
  const hn_stages *s = self->stages;
  hn_status status =
      hn_augmented_evaluate(self, extent, s->t, self->q, self->v, self->a, changed, error);
  if (status != HN_OK || extent == HN_BALANCE) return status;
  hn_augmented_remember(self, extent, s->t, self->q, self->v, self->a);
  return hn_augmented_factor(self);
}

// b = Q - M a - Phi_q' lambda; c = -Phi / g_q, or tau - Phi_q a.
static hn_status correct(void *of, double *norm, hn_error *error) {
  hn_augmented *self = of;
  hn_newton *newton = &self->newton;
  const hn_tangent *t = self->tangent;
  const hn_stages *s = self->stages;
  newton->is_renewed = self->extent == HN_FULL;
  if (newton->iteration > 0)
    self->extent = self->w.is_exact || newton->pace > HN_NEWTON_POOR ? HN_FULL : HN_BALANCE;
  hn_augmented_state(self);
  hn_status status = evaluate(self, self->extent, &newton->has_changed, error);
  if (status != HN_OK) return status;
  hn_augmented_add_reactions(self);
  if (self->index == 1) hn_augmented_defect(self, 1, t->tau, self->a);
  for (int r = 0; self->index == 3 && r < t->rows; r++) self->c[r] = -t->phi[r] / s->g.q;
  hn_kkt_solve(self->w.matrix, self->b, self->c, self->da, self->dl);
  hn_augmented_add_multipliers(self);
  for (int i = 0; i < s->n; i++) self->a[i] += self->da[i];
  *norm = hn_rms(s->n, self->da);
  return HN_OK;
}

// A projection along M and rows of another position errs along the motion, by its size times how much
// they changed since: for less than the iteration may leave they are kept. K and C may be older, as
// long as the iteration is fast.
static hn_want first_extent(const hn_augmented *self) {
  if (self->w.is_exact) return HN_FULL;
  if (self->index == 1) return HN_BALANCE;
  // where steps are so short that rounding ends the iteration, an old matrix leaves the same error in
  // every step
  if (!self->w.has_blocks || self->rate > HN_NEWTON_SLOW || self->bound.is_noisy) return HN_FULL;
  double g = self->stages->g.v;
  double shift = self->w.projector == self->w.matrix ? self->moved.v : 0; // made by this matrix
  int is_still = fmax(10 * self->rate, 4 * self->trend.turn) * shift <= g * self->bound.own;
  return self->w.g != g || !is_still ? HN_BASIC : HN_BALANCE;
}

static double first_rate(const hn_augmented *self) {
  if (self->index == 1) return fmax(self->rate, LEAST_RATE_1);
  if (self->extent == HN_FULL) return FRESH_RATE;
  double rate = fmax(self->rate, LEAST_RATE);
  return self->extent == HN_BALANCE ? fmax(rate, fmin(self->trend.turn, FRESH_RATE)) : rate;
}

// HN_RETRY_CONVERGENCE when the iterations are used up or grow; a, q, v are then the last iterate.
static hn_status solve_stage(hn_augmented *self, int i, hn_error *error) {
  hn_newton *newton = &self->newton;
  hn_stages_open(self->stages, i);
  if (self->index == 1)
    hn_stages_predict(self->stages, i, self->a);
  else
    hn_augmented_predict(self);
  self->extent = first_extent(self);
  hn_newton_begin_steady(newton, first_rate(self));
  newton->kappa = self->bound.least;
  newton->loose = self->bound.loose;
  newton->limit = self->max_iterations;
  newton->most =
      self->index == 1 || self->w.is_exact || self->accepts_unconverged ? HUGE_VAL : DIVERGED;
  hn_status status = hn_newton_iterate(newton, &self->base, correct, self, error);
  self->is_stalled = newton->is_stalled;
  hn_augmented_state(self);
  return status == HN_RETRY_CONVERGENCE ? hn_augmented_take_unconverged(self) : status;
}

// Of index 1 the matrix is that of the step's begin.
static hn_status renew_at_begin(hn_augmented *self, hn_error *error) {
  const hn_method *m = &self->base;
  const double *a = m->now->qdd;
  if (self->w.g == self->stages->g.v && !(self->rate > HN_NEWTON_SLOW) && !self->w.is_exact)
    return HN_OK;
  hn_method_follow_states(&self->base, self->stages->g.v);
  hn_status status = hn_augmented_evaluate_frozen(self, HN_FULL, m->t, m->q, m->qd, a, error);
  if (status != HN_OK) return status;
  hn_augmented_remember(self, HN_FULL, m->t, m->q, m->qd, a);
  self->rate = FRESH_RATE_1;
  return hn_augmented_factor(self);
}

// Of index 3 the one stage is the end of the step: its power is known when that is described.
static hn_status close_stage(hn_augmented *self, int i) {
  hn_equations *e = self->base.equations;
  double power = 0;
  if (self->index == 3) return HN_OK;
  hn_status status =
      e->type->power(e, self->stages->t, self->q, self->v, self->lambda, &self->branches, &power);
  hn_stages_close(self->stages, i, self->a, power);
  return status;
}

static hn_status solve_stages(hn_augmented *self, const hn_branches *branches, hn_error *error) {
  hn_status status = HN_OK;
  hn_augmented_take_branches(self, branches);
  memcpy(self->lambda, self->begin_lambda, (size_t)self->tangent->rows * sizeof(double));
  self->newton.slowest = 0;
  if (self->index == 1) status = renew_at_begin(self, error);
  for (int i = 0; i < self->stages->formula->stages && status == HN_OK; i++) {
    status = solve_stage(self, i, error);
    if (status == HN_OK) status = close_stage(self, i);
  }
  if (status == HN_OK && (self->index == 1 || self->newton.iteration > 1))
    self->rate = fmax(self->newton.slowest, 0.5 * self->rate);
  return status;
}

hn_status hn_augmented_solve(hn_augmented *self, const hn_branches *branches, hn_error *error) {
  hn_status status = solve_stages(self, branches, error);
  if (status != HN_RETRY_CONVERGENCE) return status;
  self->base.newton_failures++;
  self->w.is_exact = 1;
  status = solve_stages(self, branches, error);
  self->w.is_exact = 0;
  self->rate = 1;
  if (status > 0) self->base.newton_failures++;
  return status;
}
