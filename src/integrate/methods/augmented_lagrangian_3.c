// Method augmented-lagrangian-3: Newton's method in positions (Cardenal 1997, eqs. 8-9; Dopico 2004;
// docs/methods.md). With q = q_hat + g_q a, v = v_hat + g_v a of a structural formula
//
//   M a + Phi_q' lambda - Q = 0,   Phi = 0     at the step's end
//   [M + g_v C + g_q K + g_q alpha Phi_q' Phi_q] da = Q - M a - Phi_q' (lambda + alpha Phi)
//   lambda <- lambda + alpha (Phi + g_q Phi_q da)
//
// always for the correction, with lambda of the last step to start from and in K. Velocities and
// accelerations are projected by the same factors (augmented.c).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "integrate/augmented.h"

// A rate above SLOW has all of the matrix renewed for the next step, above POOR at once.
#define SLOW 0.2
#define POOR 0.4
// At a rate above this only directions are left that the rows hardly hold: near a singular position.
#define STALLED 0.4
// What a rate seen in earlier steps may promise at most.
#define LEAST_RATE 0.02
// The rate with a new matrix, before any is seen.
#define FRESH_RATE 0.2

typedef enum refreshing { REFRESH_WHEN_SLOW, REFRESH_ALWAYS } refreshing;

// Residuals at the iterate, b = Q - M a - Phi_q' lambda and c = -Phi / g_q. The matrix is renewed there
// when asked for.
static hn_status residual(hn_augmented *self, hn_extent extent, int *changed, hn_error *error) {
  hn_tangent *t = self->tangent;
  const hn_stages *s = self->stages;
  hn_status status =
      hn_augmented_evaluate(self, extent, s->t, self->q, self->v, self->a, changed, error);
  if (status != HN_OK) return status;
  if (extent != HN_BALANCE) {
    hn_augmented_remember(self, extent, s->t, self->q, self->v, self->a);
    hn_augmented_factor(self);
  }
  hn_augmented_add_reactions(self);
  for (int r = 0; r < t->rows; r++) self->c[r] = -t->phi[r] / s->g.q;
  return HN_OK;
}

static double correct(hn_augmented *self) {
  hn_penalty_matrix_solve(self->matrix, self->b, self->c, self->da, self->dl);
  hn_augmented_add_multipliers(self);
  for (int i = 0; i < self->stages->n; i++) self->a[i] += self->da[i];
  return hn_rms(self->stages->n, self->da);
}

// A projection along M and rows of another position errs along the motion, by its size times how much
// they changed since: for less than the iteration may leave they are kept. K and C may be older, as
// long as the iteration is fast.
static hn_extent first_extent(const hn_augmented *self, refreshing kind) {
  if (kind == REFRESH_ALWAYS || !self->has_blocks || self->rate > SLOW) return HN_FULL;
  double g = self->stages->g.v;
  double shift = self->projector == self->matrix ? self->shift : 0; // made by this matrix
  int is_still = fmax(10 * self->rate, 4 * self->turn) * shift <= g * self->own;
  return self->matrix_g != g || !is_still ? HN_BASIC : HN_BALANCE;
}

// HN_RETRY_CONVERGENCE when the iterations are used up or grow; a, q, v are then the last iterate.
static hn_status iterate(hn_augmented *self, refreshing kind, hn_error *error) {
  hn_method *m = &self->base;
  double last = 0, rate = self->rate, slowest = 0;
  hn_extent extent = first_extent(self, kind);
  int is_renewed = 0; // for the last correction
  self->is_stalled = 0;
  hn_augmented_predict(self);
  memcpy(self->lambda, self->begin_lambda, (size_t)self->tangent->rows * sizeof(double));
  rate = extent == HN_FULL ? FRESH_RATE : fmax(rate, LEAST_RATE);
  if (extent == HN_BALANCE) rate = fmax(rate, fmin(self->turn, FRESH_RATE));
  for (int k = 0; k < self->max_iterations; k++) {
    hn_augmented_state(self);
    int changed = 0;
    hn_status status = residual(self, extent, &changed, error);
    if (status != HN_OK) return status;
    changed &= k > 0;
    double norm = correct(self);
    m->iterations++;
    if (!isfinite(norm)) return HN_RETRY_CONVERGENCE;
    if (k > 0 && !changed) {
      rate = last > 0 ? norm / last : 0;
      slowest = fmax(slowest, rate);
      if (rate > 2 && norm > self->tolerance && kind == REFRESH_WHEN_SLOW &&
          !self->accepts_unconverged)
        return HN_RETRY_CONVERGENCE;
    }
    double left = rate < 0.9 ? rate / (1 - rate) * norm : 10 * norm;
    int is_stalled = k > 2 && is_renewed && rate > STALLED && norm <= self->loose;
    int is_done = fmin(left, norm) <= self->tolerance;
    if (!changed && (is_stalled || is_done)) {
      self->is_stalled = !is_done;
      if (k > 0) self->rate = fmax(slowest, 0.5 * self->rate);
      hn_augmented_state(self);
      return HN_OK;
    }
    is_renewed = extent == HN_FULL;
    // forces that change their branches without progress are not on those of the matrix
    double ratio = changed ? norm / last : rate;
    extent = kind == REFRESH_ALWAYS || (k > 0 && ratio > POOR) ? HN_FULL : HN_BALANCE;
    last = norm;
  }
  hn_augmented_state(self);
  return HN_RETRY_CONVERGENCE;
}

// With the matrix as it serves; then with a new one at every iterate, in full.
static hn_status solve(hn_augmented *self, const hn_branches *branches, hn_error *error) {
  hn_augmented_take_branches(self, branches);
  hn_status status = iterate(self, REFRESH_WHEN_SLOW, error);
  if (status != HN_RETRY_CONVERGENCE) return status;
  self->base.newton_failures++;
  if (hn_augmented_take_unconverged(self) == HN_OK) return HN_OK;
  self->is_exact = 1;
  hn_augmented_take_branches(self, branches);
  status = iterate(self, REFRESH_ALWAYS, error);
  self->is_exact = 0;
  self->rate = 1;
  if (status > 0) self->base.newton_failures++;
  return status;
}

// The iteration and the projections of the end.
static hn_status make_step(hn_augmented *self, double t_end, const hn_branches *branches,
                           hn_error *error) {
  hn_method *m = &self->base;
  size_t size = (size_t)self->stages->n * sizeof(double);
  hn_status status = solve(self, branches, error);
  if (status != HN_OK) return status;
  memcpy(m->next_q, self->q, size);
  memcpy(m->next_qd, self->v, size);
  status = hn_augmented_settle(self, error);
  return status == HN_OK ? hn_augmented_describe(self, t_end, 0, error) : status;
}

static hn_status attempt(hn_method *m, double t_end, const hn_branches *branches,
                         const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  hn_augmented *self = (hn_augmented *)m;
  hn_stages *s = self->stages;
  self->is_taken = self->is_passing = 0;
  hn_stages_begin(s, m->t, t_end - m->t, m->q, m->qd, m->now->qdd, m->now->power);
  hn_stages_open(s, 0);
  hn_augmented_set_tolerance(self, tolerance);
  memcpy(self->begin_lambda, self->lambda, (size_t)self->tangent->rows * sizeof(double));
  hn_status status = make_step(self, t_end, branches, error);
  int is_doubtful = status > 0 || (status == HN_OK && hn_augmented_is_thrown(self));
  int is_odd = is_doubtful || (status == HN_OK && hn_augmented_is_shaken(self));
  if (is_odd && !self->is_left && hn_augmented_may_coast(self)) {
    status = hn_augmented_coast(self, error);
    is_doubtful = status > 0;
  }
  if (is_doubtful && !self->is_bounded && !self->is_left) {
    hn_augmented_forget_step(self);
    hn_status passed = hn_augmented_pass(self, t_end, branches, tolerance, error_norm, error);
    if (passed <= 0 || status > 0) return passed;
    status = make_step(self, t_end, branches, error); // there is nothing better
  }
  if (status != HN_OK) {
    hn_augmented_forget_step(self);
    return status;
  }
  hn_stages_close(s, 0, self->a, m->next->power);
  hn_augmented_finish(self, t_end, tolerance, error_norm);
  return HN_OK;
}

static hn_status create(hn_arena *arena, hn_equations *equations, const hn_method_choice *choice,
                        hn_method **method, hn_error *error) {
  hn_augmented *self = HN_TAKE(arena, hn_augmented, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base.type = &hn_augmented_lagrangian_3;
  self->index = 3;
  hn_status status = hn_augmented_create(arena, equations, choice, self, error);
  if (status == HN_OK) *method = &self->base;
  return status;
}

const hn_method_type hn_augmented_lagrangian_3 = {
    .name = "augmented-lagrangian-3",
    .create = create,
    .begin = hn_augmented_begin,
    .attempt = attempt,
    .interpolate = hn_augmented_interpolate,
    .accept = hn_augmented_accept,
    .keeps_step = 1,
    .remember = hn_augmented_remember_all,
};
