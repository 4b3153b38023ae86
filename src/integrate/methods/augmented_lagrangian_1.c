// Method augmented-lagrangian-1: the second derivative of the constraints in the iteration, positions
// and velocities projected after the step (Cardenal 1997, eqs. 5-7; Dopico 2004, eqs. 1-25;
// docs/methods.md). At each stage q = q_hat + g_q a, v = v_hat + g_v a
//
//   M a + Phi_q' lambda - Q = 0,   Phi_q a - tau = 0
//   [M + g_v C + g_q K + alpha Phi_q' Phi_q] da = Q - M a - Phi_q' (lambda + alpha (Phi_q a - tau))
//   lambda <- lambda + alpha (Phi_q (a + da) - tau)
//
// with the matrix of the step's begin, kept as long as the iteration is fast. The terms of Phi_q a - tau
// that change with q and v are left out of it (Dopico's Phidot_q): they are of the order of the step.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "integrate/augmented.h"

// A rate above SLOW has the matrix renewed for the next step, above POOR at once.
#define SLOW 0.15
#define POOR 0.5
#define LEAST_RATE 0.05
enum { POSITION_SWEEPS = 6 };

// The matrix at the iterate, or of the step's begin.
static hn_status renew(hn_augmented *self, double t, const double *q, const double *v,
                       const double *a, hn_error *error) {
  hn_tangent *tangent = self->tangent;
  const hn_branches *branches = &self->branches;
  tangent->in_speeds = tangent->blocks && !self->is_exact;
  hn_status status =
      tangent->in_speeds
          ? hn_tangent_linearize(tangent, t, q, v, a, self->begin_lambda, 1, branches, self->b,
                                 error)
          : hn_tangent_full(tangent, t, q, v, a, self->begin_lambda, branches, error);
  if (status != HN_OK) return status;
  hn_augmented_remember(self, HN_FULL, t, q, v, a);
  hn_augmented_factor(self);
  return HN_OK;
}

static hn_status correct(hn_augmented *self, double *norm, int *changed, hn_error *error) {
  hn_tangent *t = self->tangent;
  const hn_stages *s = self->stages;
  hn_status status =
      hn_augmented_evaluate(self, HN_BALANCE, s->t, self->q, self->v, self->a, changed, error);
  if (status != HN_OK) return status;
  hn_augmented_add_reactions(self);
  hn_augmented_defect(self, 1, t->tau, self->a);
  hn_penalty_matrix_solve(self->matrix, self->b, self->c, self->da, self->dl);
  hn_augmented_add_multipliers(self);
  for (int i = 0; i < s->n; i++) self->a[i] += self->da[i];
  *norm = hn_rms(s->n, self->da);
  return HN_OK;
}

static hn_status solve_stage(hn_augmented *self, int i, int is_careful, hn_error *error) {
  hn_method *m = &self->base;
  hn_stages *s = self->stages;
  double last = 0, rate = fmax(self->rate, LEAST_RATE);
  int is_poor = 0; // branches of forces that change without progress are not those of the matrix
  hn_stages_open(s, i);
  hn_stages_predict(s, i, self->a);
  for (int k = 0; k < self->max_iterations; k++) {
    double norm = 0;
    hn_augmented_state(self);
    int changed = 0;
    hn_status status = HN_OK;
    if (is_careful || is_poor) status = renew(self, s->t, self->q, self->v, self->a, error);
    if (status == HN_OK) status = correct(self, &norm, &changed, error);
    if (status != HN_OK) return status;
    changed &= k > 0;
    m->iterations++;
    if (!isfinite(norm)) return HN_RETRY_CONVERGENCE;
    if (k > 0 && !changed) {
      rate = last > 0 ? norm / last : 0;
      self->slowest = fmax(self->slowest, rate);
    }
    double left = rate < 0.9 ? rate / (1 - rate) * norm : 10 * norm;
    int is_stalled = k > 2 && rate > POOR && norm <= self->loose;
    hn_augmented_state(self);
    if (!changed && (is_stalled || fmin(left, norm) <= self->tolerance)) return HN_OK;
    is_poor = k > 0 && (changed ? norm / last : rate) > POOR;
    last = norm;
  }
  return HN_RETRY_CONVERGENCE;
}

static hn_status close_stage(hn_augmented *self, int i) {
  hn_equations *e = self->base.equations;
  double power = 0;
  hn_status status =
      e->type->power(e, self->stages->t, self->q, self->v, self->lambda, &self->branches, &power);
  hn_stages_close(self->stages, i, self->a, power);
  return status;
}

static hn_status solve_stages(hn_augmented *self, const hn_branches *branches, int is_careful,
                              hn_error *error) {
  hn_method *m = &self->base;
  const hn_stages *s = self->stages;
  hn_status status = HN_OK;
  hn_augmented_take_branches(self, branches);
  memcpy(self->lambda, self->begin_lambda, (size_t)self->tangent->rows * sizeof(double));
  self->slowest = 0;
  if (is_careful || self->matrix_g != s->g.v || self->rate > SLOW) {
    status = renew(self, m->t, m->q, m->qd, m->now->qdd, error);
    self->rate = 0.5;
  }
  for (int i = 0; i < s->formula->stages && status == HN_OK; i++) {
    status = solve_stage(self, i, is_careful, error);
    if (status == HN_RETRY_CONVERGENCE) status = hn_augmented_take_unconverged(self);
    if (status == HN_OK) status = close_stage(self, i);
  }
  if (status == HN_OK) self->rate = fmax(self->slowest, 0.5 * self->rate);
  return status;
}

static hn_status solve(hn_augmented *self, const hn_branches *branches, hn_error *error) {
  hn_status status = solve_stages(self, branches, 0, error);
  if (status <= 0) return status;
  self->base.newton_failures++;
  self->is_exact = 1;
  status = solve_stages(self, branches, 1, error);
  self->is_exact = 0;
  self->rate = 1;
  if (status > 0) self->base.newton_failures++;
  return status;
}

// The end onto Phi = 0 by W: D(3), for the correction. Then rates there.
static hn_status project_positions(hn_augmented *self, double t_end, const hn_tolerance *tolerance,
                                   hn_error *error) {
  hn_method *m = &self->base;
  hn_tangent *t = self->tangent;
  int by_mass = self->projector != self->matrix; // of each iterate
  for (int k = 0;; k++) {
    double most = 0;
    int count;
    const int *row = hn_penalty_matrix_rows(self->matrix, &count);
    hn_tangent_rows(t, t_end, m->next_q, &self->branches);
    for (int i = 0; i < count; i++) {
      most = fmax(most, fabs(t->phi[row[i]]));
      self->c[row[i]] = -t->phi[row[i]];
    }
    if (!isfinite(most)) return HN_RETRY_CONVERGENCE;
    if (most <= tolerance->projection || k == POSITION_SWEEPS)
      return most <= 1e4 * tolerance->projection ? HN_OK : HN_RETRY_CONVERGENCE;
    if (by_mass) {
      hn_status status = hn_augmented_factor_mass(self, t_end, m->next_q, m->next_qd, error);
      if (status != HN_OK) return status;
    }
    hn_penalty_matrix_solve(self->projector, NULL, self->c, self->da, NULL);
    for (int i = 0; i < t->n; i++) m->next_q[i] += self->da[i];
  }
}

// Of a formula whose accelerations at the end are those of the state there.
static hn_status settle_velocities(hn_augmented *self, double t_end, hn_error *error) {
  hn_method *m = &self->base;
  hn_status status = HN_OK;
  if (self->projector != self->matrix)
    status = hn_augmented_factor_mass(self, t_end, m->next_q, m->next_qd, error);
  if (status != HN_OK) return status;
  double least = 1e-13 * (1 + hn_rms(self->stages->n, m->next_qd));
  return hn_augmented_project_velocities(self, m->next_qd, least);
}

static hn_status end_step(hn_augmented *self, double t_end, const hn_tolerance *tolerance,
                          double *error_norm, hn_error *error) {
  hn_method *m = &self->base;
  hn_stages *s = self->stages;
  int is_exact = s->formula->kind == HN_IMPLICIT_SDIRK;
  size_t size = (size_t)s->n * sizeof(double);
  hn_stages_end(s, self->error, self->error + s->n);
  memcpy(m->next_q, s->q1, size);
  memcpy(m->next_qd, s->v1, size);
  s->t = t_end;
  self->shift = 0;
  hn_status status = self->is_left ? HN_OK : project_positions(self, t_end, tolerance, error);
  if (status == HN_OK && is_exact && !self->is_left)
    status = settle_velocities(self, t_end, error);
  else if (status == HN_OK && !is_exact)
    status = hn_augmented_settle(self, error);
  if (status == HN_OK) status = hn_augmented_describe(self, t_end, is_exact, error);
  if (status != HN_OK) return status;
  if (is_exact) {
    memcpy(self->next_a, m->next->qdd, size);
    if (!hn_augmented_measure_change(self)) return HN_RETRY_CONVERGENCE;
  }
  hn_augmented_finish(self, t_end, tolerance, error_norm);
  return HN_OK;
}

static hn_status make_step(hn_augmented *self, double t_end, const hn_branches *branches,
                           const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  hn_status status = solve(self, branches, error);
  return status == HN_OK ? end_step(self, t_end, tolerance, error_norm, error) : status;
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
  hn_status status = make_step(self, t_end, branches, tolerance, error_norm, error);
  int is_thrown = status == HN_OK && !self->is_bounded && hn_augmented_is_thrown(self);
  int is_final = status < 0 || (status > 0 && self->is_left);
  if (is_final) hn_augmented_forget_step(self);
  if (is_final || (status == HN_OK && (!is_thrown || self->is_left))) return status;
  hn_augmented_forget_step(self);
  hn_status passed = hn_augmented_pass(self, t_end, branches, tolerance, error_norm, error);
  if (passed <= 0 || status > 0) return passed;
  return make_step(self, t_end, branches, tolerance, error_norm, error); // there is nothing better
}

static hn_status create(hn_arena *arena, hn_equations *equations, const hn_method_choice *choice,
                        hn_method **method, hn_error *error) {
  hn_augmented *self = HN_TAKE(arena, hn_augmented, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base.type = &hn_augmented_lagrangian_1;
  self->index = 1;
  hn_status status = hn_augmented_create(arena, equations, choice, self, error);
  if (status == HN_OK) *method = &self->base;
  return status;
}

const hn_method_type hn_augmented_lagrangian_1 = {
    .name = "augmented-lagrangian-1",
    .create = create,
    .begin = hn_augmented_begin,
    .attempt = attempt,
    .interpolate = hn_augmented_interpolate,
    .accept = hn_augmented_accept,
    .keeps_step = 1,
    .remember = hn_augmented_remember_all,
};
