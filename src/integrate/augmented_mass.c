// Mass-orthogonal projections of augmented Lagrangian methods (Bayo and Ledesma 1996; Cardenal 1997):
// those of augmented_rows.c with M where these have the formula's A = M + g_v C + g_q K, so that
//
//   M (v - v*) and M (a - a*) are combinations of rows of Phi_q,   M of the end itself
//
// and neither step nor stiffness says where a state goes. One factorization more a step.
#include "integrate/augmented.h"

// Rates and accelerations of constraints, a unit of speed and acceleration.
#define ROUNDING 1e-13
enum { SWEEPS = 4 };

hn_status hn_augmented_factor_mass(hn_augmented *self, double t, const double *q, const double *v,
                                   hn_error *error) {
  const hn_stages *s = self->stages;
  const hn_kkt_numbers numbers = {.weight = self->penalty,
                                  .softness = s->h * s->h / (HN_PENALTY_SCALE * s->g.q),
                                  .is_sharp = self->index == 3};
  hn_status status = hn_augmented_evaluate(self, HN_BASIC, t, q, v, self->a, NULL, error);
  if (status != HN_OK) return status;
  self->base.factorizations++;
  return hn_kkt_factor(self->w.projector, &numbers, 0);
}

// da and dlambda by which accelerations and multipliers of the iteration go onto Phi_q a = tau.
static void settle_accelerations(hn_augmented *self) {
  const hn_tangent *t = self->tangent;
  double least = ROUNDING * (1 + hn_rms(t->n, self->a));
  for (int i = 0; i < t->n; i++) self->next_a[i] = self->a[i];
  for (int k = 0; k < SWEEPS && hn_augmented_defect(self, 1, t->tau, self->next_a) > least; k++) {
    hn_kkt_solve(self->w.projector, NULL, self->c, self->da, self->dl);
    for (int i = 0; i < t->n; i++) self->next_a[i] += self->da[i];
    hn_augmented_add_multipliers(self);
  }
}

hn_status hn_augmented_settle_by_mass(hn_augmented *self, hn_error *error) {
  hn_method *m = &self->base;
  double t = self->stages->t, speed = 1 + hn_rms(self->stages->n, m->next_qd);
  hn_status status = hn_augmented_factor_mass(self, t, m->next_q, m->next_qd, error);
  if (status == HN_OK) status = hn_augmented_project_velocities(self, m->next_qd, ROUNDING * speed);
  if (status == HN_OK)
    status =
        hn_augmented_evaluate(self, HN_BALANCE, t, m->next_q, m->next_qd, self->a, NULL, error);
  if (status == HN_OK) settle_accelerations(self);
  return status;
}
