// The integration Jacobian in independent coordinates (reduced_jacobian.h) where contacts are closed.
//
// Forces p of closed conditions follow from the state, W p + G a + bias = 0, and are no force of the
// tangent. With them
//
//   f_y = (1 - X W^-1 G) f0_y + ...,   X = K^-1 G'
//
// and terms of curved surfaces and of friction, whose direction turns with the slip. All of them are
// in the accelerations that stages evaluate, so M1 = -Mhat f_y' and M2 = -Mhat f_y are differences of
// these, two evaluations a column, only while something is closed. A Rosenbrock formula needs them for
// its order. Formulas that iterate do without.
#include "integrate/reduced_contacts.h"

#include <string.h>

#include "equations/conditions.h"
#include "integrate/differences.h"

#define RECOVERED 1e-12 // |Phi| that counts as zero
// Central differences: the directions of slow slips bend much.
#define SHIFT 1e-6
#define SHIFT_RATE 1e-5

struct hn_reduced_contacts {
  hn_equations *equations;
  hn_reduction *reduction;
  hn_tangent *tangent;
  hn_snapshot *stage;
  hn_branches branches;     // those of the place, with modes of their own
  double t;                 // of the state (y, yd)
  double *q, *qd;           // (nq)
  double *y, *yd, *f0, *df; // (independent coordinates)
};

hn_status hn_reduced_contacts_create(hn_arena *arena, hn_equations *equations,
                                     hn_reduction *reduction, hn_tangent *tangent,
                                     hn_reduced_contacts **contacts) {
  hn_reduced_contacts *self = HN_KEEP(arena, hn_reduced_contacts, 1);
  const int most = hn_reduction_most(reduction);
  if (!self) return HN_ERROR_MEMORY;
  self->equations = equations;
  self->reduction = reduction;
  self->tangent = tangent;
  self->q = HN_WORK(arena, double, equations->nq);
  self->qd = HN_WORK(arena, double, equations->nq);
  double **vectors[] = {&self->y, &self->yd, &self->f0, &self->df};
  for (int k = 0; k < 4; k++) *vectors[k] = HN_WORK(arena, double, most);
  *contacts = self;
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_grips_create(arena, equations, &self->branches.grips);
  return status == HN_OK ? hn_snapshot_create(arena, equations, &self->stage) : status;
}

// f = V' qdd of the state (t, y, yd), which is recovered from the constraints.
static hn_status accelerations(hn_reduced_contacts *self, const hn_place *place, double *f,
                               hn_error *error) {
  hn_equations *e = self->equations;
  hn_error local;
  memcpy(self->q, place->q, (size_t)e->nq * sizeof(double));
  hn_status status = hn_reduction_positions(self->reduction, self->t, self->q, self->y,
                                            &self->branches, RECOVERED);
  if (status == HN_OK) status = hn_reduction_factor(self->reduction);
  if (status != HN_OK) return status;
  hn_reduction_velocities(self->reduction, self->yd, self->qd);
  status = e->type->evaluate_stage(e, self->t, self->q, self->qd, &self->branches, self->stage,
                                   error ? error : &local);
  hn_reduction_restrict(self->reduction, self->stage->qdd, f);
  return status;
}

// df = d f / d x by central differences, x being the time or a number of y or yd.
static hn_status differentiate_accelerations(hn_reduced_contacts *self, const hn_place *place,
                                             double *x, double step, hn_error *error) {
  const double before = *x, above = hn_shifted(before, step), below = hn_shifted(before, -step);
  *x = above;
  hn_status status = accelerations(self, place, self->df, error);
  *x = below;
  if (status == HN_OK) status = accelerations(self, place, self->f0, error);
  *x = before;
  for (int i = 0; i < hn_reduction_size(self->reduction); i++)
    self->df[i] = (self->df[i] - self->f0[i]) / (above - below);
  return status;
}

static hn_status add_block(hn_reduced_contacts *self, hn_reduced_jacobian *jacobian,
                           const hn_place *place, hn_reduced_block block, hn_error *error) {
  const int n = hn_reduction_size(self->reduction), is_rate = block == HN_REDUCED_DAMPING;
  hn_status status = HN_OK;
  for (int j = 0; j < n && status == HN_OK; j++) {
    double *x = is_rate ? &self->yd[j] : &self->y[j];
    status = differentiate_accelerations(self, place, x, is_rate ? SHIFT_RATE : SHIFT, error);
    for (int i = 0; i < n; i++) self->df[i] *= -1;
    hn_reduced_jacobian_set_column(jacobian, block, j, self->df);
  }
  return status;
}

hn_status hn_reduced_contacts_add(hn_reduced_contacts *self, hn_reduced_jacobian *jacobian,
                                  const hn_place *place, double h, hn_error *error) {
  struct hn_grips *const grips = self->branches.grips;
  if (!hn_holds_conditions(self->equations, &place->branches) || place->states > 0) return HN_OK;
  hn_status status = hn_grips_settle_slow(self->equations, place->t, place->q, place->qd,
                                          &place->branches, h, grips);
  self->branches = place->branches;
  self->branches.grips = grips;
  self->t = place->t;
  hn_reduction_restrict(self->reduction, place->q, self->y);
  hn_reduction_restrict(self->reduction, place->qd, self->yd);
  if (status == HN_OK) status = add_block(self, jacobian, place, HN_REDUCED_STIFFNESS, error);
  if (status == HN_OK) status = add_block(self, jacobian, place, HN_REDUCED_DAMPING, error);
  if (status == HN_OK) status = differentiate_accelerations(self, place, &self->t, SHIFT, error);
  if (status != HN_OK) return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
  hn_reduced_jacobian_set_f_t(jacobian, self->df);
  const hn_tangent_state at = {.t = place->t, .q = place->q, .branches = &place->branches};
  status = hn_tangent_evaluate(self->tangent, &at, HN_ROWS, error);
  return status == HN_OK ? hn_reduction_factor(self->reduction) : status;
}
