// Method augmented-lagrangian-3: Newton's method in positions (Cardenal 1997, eqs. 8-9; Dopico 2004;
// explanation/methods.md). With q = q_hat + g_q a, v = v_hat + g_v a of a structural formula
//
//   M a + Phi_q' lambda - Q = 0,   Phi = 0     at the step's end
//   [M + g_v C + g_q K + g_q alpha Phi_q' Phi_q] da = Q - M a - Phi_q' (lambda + alpha Phi)
//   lambda <- lambda + alpha (Phi + g_q Phi_q da)
//
// always for the correction, with lambda of the last step to start from and in K. Velocities and
// accelerations are projected by the same factors (augmented.c).
#include <string.h>

#include "base/error.h"
#include "integrate/augmented.h"
#include "model/options.h"

// The iteration and the projections of the end.
static hn_status make_step(hn_augmented *self, double t_end, const hn_branches *branches,
                           hn_error *error) {
  hn_method *m = &self->base;
  size_t size = (size_t)self->stages->n * sizeof(double);
  hn_status status = hn_augmented_solve(self, branches, error);
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
  hn_status status = hn_augmented_open(self, t_end, branches, tolerance);
  if (status != HN_OK) return status;
  status = make_step(self, t_end, branches, error);
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
  return hn_augmented_create(arena, equations, choice, &hn_augmented_lagrangian_3, 3, method,
                             error);
}

const hn_method_type hn_augmented_lagrangian_3 = {
    .name = "augmented-lagrangian-3",
    .takes = HN_FORMULA_TRAPEZOIDAL | HN_FORMULA_STRUCTURAL,
    .create = create,
    .attempt = attempt,
    HN_AUGMENTED_METHOD,
};
