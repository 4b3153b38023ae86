// Method augmented-lagrangian-1: the second derivative of the constraints in the iteration, positions
// and velocities projected after the step (Cardenal 1997, eqs. 5-7; Dopico 2004, eqs. 1-25;
// explanation/methods.md). At each stage q = q_hat + g_q a, v = v_hat + g_v a
//
//   M a + Phi_q' lambda - Q = 0,   Phi_q a - tau = 0
//   [M + g_v C + g_q K + alpha Phi_q' Phi_q] da = Q - M a - Phi_q' (lambda + alpha (Phi_q a - tau))
//   lambda <- lambda + alpha (Phi_q (a + da) - tau)
//
// with the matrix of the step's start, kept as long as the iteration is fast. The terms of Phi_q a
// - tau that change with q and v are left out of it (Dopico's Phidot_q): they are of the order of
// the step.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "integrate/augmented.h"
#include "model/options.h"

enum { POSITION_SWEEPS = 6 };

// The end onto Phi = 0 by W: D(3), for the correction. Then rates there.
static hn_status project_positions(hn_augmented *self, double t_end, const hn_tolerance *tolerance,
                                   hn_error *error) {
  hn_method *m = &self->base;
  hn_tangent *t = self->tangent;
  int by_mass = self->w.projector != self->w.matrix; // of each iterate
  for (int k = 0;; k++) {
    double most = 0;
    int count;
    const int *row = hn_kkt_rows(self->w.matrix, &count);
    const hn_tangent_state at = {
        .t = t_end, .q = m->next_q, .branches = &self->branches, .space = HN_IN_SPEEDS};
    hn_tangent_evaluate(t, &at, HN_ROWS, error);
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
    hn_kkt_solve(self->w.projector, NULL, self->c, self->da, NULL);
    for (int i = 0; i < t->n; i++) m->next_q[i] += self->da[i];
  }
}

// Of a formula whose accelerations at the end are those of the state there.
static hn_status settle_velocities(hn_augmented *self, double t_end, hn_error *error) {
  hn_method *m = &self->base;
  hn_status status = HN_OK;
  if (self->w.projector != self->w.matrix)
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
  self->moved.v = 0;
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
  hn_status status = hn_augmented_solve(self, branches, error);
  return status == HN_OK ? end_step(self, t_end, tolerance, error_norm, error) : status;
}

static hn_status attempt(hn_method *m, double t_end, const hn_branches *branches,
                         const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  hn_augmented *self = (hn_augmented *)m;
  hn_status status = hn_augmented_open(self, t_end, branches, tolerance);
  if (status != HN_OK) return status;
  status = make_step(self, t_end, branches, tolerance, error_norm, error);
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
  return hn_augmented_create(arena, equations, choice, &hn_augmented_lagrangian_1, 1, method,
                             error);
}

const hn_method_type hn_augmented_lagrangian_1 = {
    .name = "augmented-lagrangian-1",
    .takes = HN_FORMULA_TRAPEZOIDAL | HN_FORMULA_STRUCTURAL | HN_FORMULA_SDIRK_BETWEEN,
    .first = "sdirk2",
    .create = create,
    .attempt = attempt,
    HN_AUGMENTED_METHOD,
};
