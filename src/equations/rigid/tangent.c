// Conditional constraints for implicit methods (rigid.h). What is closed, sticks or slides acts by
// forces that depend on the state alone,
//
//   M a + Phi_q' lambda = Q + T' G' p(t, q, v),   p: W p + G ud + bias = 0 in rows that hold
//
// so every method that reads derivatives of the equations follows them: the tangent of the set adds
// these forces to Q and to residuals. Its matrices are those without p, which only slows iterations
// down where stiff forces act against a contact (g_q K against M); Rosenbrock formulas, which do not
// iterate, differentiate accelerations (integrate/reduced_contacts.h). Drift is removed at the ends of
// steps, where states are projected onto the closed conditions.
#include <string.h>

#include "equations/rigid/rigid.h"
#include "equations/tangent.h"

static int are_closed(const hn_branches *branches) {
  return branches->grips && branches->grips->closed > 0;
}

int hn_rigid_holds(const hn_branches *branches) { return are_closed(branches); }

// Forces p at this state, into self->p with the rows in self->row; and in speeds and coordinates.
static hn_status find_forces(hn_equations *e, double t, const double *q, const double *qd,
                             const hn_branches *branches, hn_error *error) {
  hn_rigid *self = hn_rigid_of(e);
  hn_error local;
  hn_status status =
      e->type->evaluate_stage(e, t, q, qd, branches, self->snapshot, error ? error : &local);
  if (status != HN_OK) return status;
  memset(self->force, 0, (size_t)e->nu * sizeof(double));
  for (int r = 0; r < self->problem.rows; r++) hn_rigid_load(e, r, self->p[r], self->force);
  return HN_OK;
}

// T' f: rates are T^+ f, and T^+ = T' / 4 for Euler parameters.
static void to_coordinates(const hn_tangent *tangent, const double *q) {
  const hn_equations *e = tangent->equations;
  hn_rigid *self = hn_rigid_of(e);
  e->type->coordinates->rates(e, q, self->force, self->force_q);
  for (int i = 0; i < e->nq; i++)
    if (tangent->columns[i] == HN_COLUMN_PARAMETER ||
        tangent->columns[i] == HN_COLUMN_PARAMETER_NEXT)
      self->force_q[i] *= 4;
}

static hn_status touched_evaluate(hn_tangent *tangent, const hn_tangent_state *state, hn_want want,
                                  hn_error *error) {
  hn_equations *e = (hn_equations *)tangent->equations;
  hn_rigid *self = hn_rigid_of(e);
  if (want < HN_BALANCE || !state->qd || !are_closed(state->branches))
    return self->tangent_of_set->evaluate(tangent, state, want, error);
  hn_status status = find_forces(e, state->t, state->q, state->qd, state->branches, error);
  if (status != HN_OK) return status;
  hn_tangent_state at = *state;
  at.has = HN_NOTHING; // the set has been elsewhere meanwhile
  status = self->tangent_of_set->evaluate(tangent, &at, want, error);
  if (status != HN_OK) return status;
  if (state->space != HN_IN_Q) {
    for (int i = 0; state->b && i < e->nu; i++) state->b[i] += self->force[i];
    return HN_OK;
  }
  to_coordinates(tangent, state->q);
  for (int i = 0; state->b && i < e->nq; i++) state->b[i] += self->force_q[i];
  for (int i = 0; want >= HN_BASIC && i < e->nq; i++) tangent->q_force[i] += self->force_q[i];
  return HN_OK;
}

hn_status hn_rigid_tangent_create(hn_arena *arena, hn_equations *e, int in_speeds,
                                  hn_tangent **tangent) {
  hn_rigid *self = hn_rigid_of(e);
  hn_status status = self->set->tangent_create(arena, e, in_speeds, tangent);
  if (status != HN_OK) return status;
  self->tangent_of_set = (*tangent)->type;
  hn_tangent_type *type = HN_TAKE(arena, hn_tangent_type, 1);
  self->force = HN_KEEP(arena, double, e->nu);
  self->force_q = HN_KEEP(arena, double, e->nq);
  if (arena->failed) return HN_ERROR_MEMORY;
  *type = *self->tangent_of_set;
  type->evaluate = touched_evaluate;
  type->conclude = NULL; // contact forces belong to whole snapshots
  (*tangent)->type = type;
  return HN_OK;
}

hn_status hn_rigid_power(hn_equations *e, double t, const double *q, const double *qd,
                         const double *lambda, const hn_branches *branches, double *power) {
  hn_rigid *self = hn_rigid_of(e);
  hn_status status = HN_OK;
  double lost = 0;
  if (are_closed(branches)) {
    status = find_forces(e, t, q, qd, branches, NULL);
    for (int r = 0; status == HN_OK && r < self->problem.rows; r++)
      lost += self->p[r] * self->row[r].speed;
  }
  if (status != HN_OK) return status;
  status = self->set->power(e, t, q, qd, lambda, branches, power);
  *power += lost;
  return status;
}
