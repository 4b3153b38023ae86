// Rows and projections of augmented Lagrangian methods (augmented.h).
#include <math.h>
#include <string.h>

#include "integrate/augmented.h"

// Rates of constraints, a unit of speed: as small as numbers allow; what the last iterate may leave;
// what changes the forces so that they are evaluated again.
#define ROUNDING 1e-13
#define SMALL_RATE 1e-9
#define LARGE_RATE 1e-5
// More than this is no projected velocity: sweeps did not converge, and the step is rejected.
#define LEFT_RATE 1e-2
// A row that was left out stays below this.
#define OPEN_ROW 1e-6
enum { SWEEPS = 4 };

// ---- rows ---------------------------------------------------------------------------------------

void hn_augmented_leave_rows(hn_augmented *self) {
  const unsigned char *left_out = self->rows.are_left ? self->rows.left_out : NULL;
  self->tangent->leaves_redundant = self->rows.are_left;
  hn_kkt_choose_rows(self->w.matrix, left_out);
  if (self->w.projector != self->w.matrix) hn_kkt_choose_rows(self->w.projector, left_out);
}

// Excludes rows that follow from others: in joint coordinates of planar loops three rows of five.
// If such a row is violated nevertheless, all rows return. With index 1 they must not take part in
// any set: stages are a little off the constraints, where such rows contradict the others by as
// much.
void hn_augmented_choose_rows(hn_augmented *self) {
  const hn_equations *e = self->base.equations;
  int leaves = !self->rows.are_kept && e->redundant_count > 0 &&
               e->redundant_count <= e->elements->row_count;
  self->rows.are_left = leaves;
  memcpy(self->rows.left_out, e->redundant, (size_t)e->elements->row_count);
  hn_augmented_leave_rows(self);
  // nothing would change the forces of rows left out, which the state at the end would still count
  for (int r = 0; leaves && r < e->elements->row_count; r++)
    if (e->redundant[r]) self->lambda[r] = 0;
}

static void watch_rows(hn_augmented *self) {
  const hn_equations *e = self->base.equations;
  if (!self->tangent->leaves_redundant) return;
  for (int r = 0; r < e->elements->row_count; r++)
    if (e->redundant[r] && fabs(self->tangent->phi[r]) > OPEN_ROW) self->rows.are_kept = 1;
  if (!self->rows.are_kept) return;
  hn_augmented_choose_rows(self);
  self->w.g = 0;
}

void hn_augmented_add_reactions(hn_augmented *self) {
  hn_kkt_add_reactions(self->w.matrix, self->lambda, self->b);
}

double hn_augmented_defect(hn_augmented *self, double sign, const double *of, const double *x) {
  return hn_kkt_defect(self->w.matrix, sign, of, x, self->c);
}

void hn_augmented_add_multipliers(hn_augmented *self) {
  int count;
  const int *row = hn_kkt_rows(self->w.matrix, &count);
  for (int k = 0; k < count; k++) self->lambda[row[k]] += self->dl[row[k]];
}

// ---- projections ----------------------------------------------------------------------------

// defect: of v, as hn_augmented_defect has just found it. 1: `least` is reached.
static int project_velocities(hn_augmented *self, double *v, double defect, double least,
                              int sweeps) {
  hn_tangent *t = self->tangent;
  for (int k = 0; k < sweeps; k++) {
    if (k > 0) defect = hn_augmented_defect(self, -1, t->phi_t, v);
    if (defect <= least) return 1;
    hn_kkt_solve(self->w.projector, NULL, self->c, self->da, NULL);
    for (int i = 0; i < t->n; i++) v[i] += self->da[i];
    self->moved.v += hn_rms(t->n, self->da);
  }
  return 0;
}

static hn_status settle_velocities(hn_augmented *self, double *v, double defect, double least) {
  if (project_velocities(self, v, defect, least, SWEEPS)) return HN_OK;
  hn_method *m = &self->base;
  double left = hn_augmented_defect(self, -1, self->tangent->phi_t, v);
  if (left <= LEFT_RATE * (1 + hn_rms(self->stages->n, v))) return HN_OK;
  if (!self->accepts_unconverged || !isfinite(left)) return HN_RETRY_CONVERGENCE;
  m->unconverged++;
  m->unconverged_residual =
      fmax(m->unconverged_residual, left / (self->bound.whole * self->stages->g.v));
  return HN_OK;
}

hn_status hn_augmented_project_velocities(hn_augmented *self, double *v, double least) {
  double defect = hn_augmented_defect(self, -1, self->tangent->phi_t, v);
  return settle_velocities(self, v, defect, least);
}

// From a onwards, with b = Q - M a and rows at the projected velocities,
//
//   A da + Phi_q' dlambda = b - Phi_q' lambda,   Phi_q (a + da) = tau
//
// where A, instead of M, prevents residuals of the iteration from ringing in stiff forces. The rows
// of W are those of an earlier position: their error is corrected by a second solution.
static void settle_accelerations(hn_augmented *self) {
  const hn_tangent *t = self->tangent;
  const double *b = self->b;
  double size = 1 + hn_rms(t->n, self->a);
  memcpy(self->next_a, self->a, (size_t)t->n * sizeof(double));
  hn_augmented_add_reactions(self);
  for (int k = 0; k < 2; k++, b = NULL) {
    double most = hn_augmented_defect(self, 1, t->tau, self->next_a);
    if (k > 0 && most <= SMALL_RATE * size) return;
    hn_kkt_solve(self->w.matrix, b, self->c, self->da, self->dl);
    for (int i = 0; i < t->n; i++) self->next_a[i] += self->da[i];
    hn_augmented_add_multipliers(self);
  }
}

static hn_status settle_by_tangent(hn_augmented *self, hn_error *error) {
  hn_method *m = &self->base;
  double speed = 1 + hn_rms(self->stages->n, m->next_qd);
  double defect = hn_augmented_defect(self, -1, self->tangent->phi_t, m->next_qd);
  project_velocities(self, m->next_qd, defect, ROUNDING * speed, 1);
  hn_status status = hn_augmented_evaluate(self, HN_BALANCE, self->stages->t, m->next_q, m->next_qd,
                                           self->a, NULL, error);
  if (status != HN_OK) return status;
  defect = hn_augmented_defect(self, -1, self->tangent->phi_t, m->next_qd);
  if (!(defect <= LARGE_RATE * speed)) {
    project_velocities(self, m->next_qd, defect, ROUNDING * speed, SWEEPS);
    status = hn_augmented_evaluate(self, HN_BALANCE, self->stages->t, m->next_q, m->next_qd,
                                   self->a, NULL, error);
    if (status != HN_OK) return status;
    defect = hn_augmented_defect(self, -1, self->tangent->phi_t, m->next_qd);
  }
  status = settle_velocities(self, m->next_qd, defect, SMALL_RATE * speed);
  if (status != HN_OK) return status;
  settle_accelerations(self);
  return HN_OK;
}

// ---- by M ---------------------------------------------------------------------------------------

// Mass-orthogonal projections (Bayo and Ledesma 1996; Cardenal 1997): those above with M where these
// have the formula's A = M + g_v C + g_q K, so that
//
//   M (v - v*) and M (a - a*) are combinations of rows of Phi_q,   M of the end itself
//
// and neither step nor stiffness says where a state goes. One factorization more a step.
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
static void settle_accelerations_by_mass(hn_augmented *self) {
  const hn_tangent *t = self->tangent;
  double least = ROUNDING * (1 + hn_rms(t->n, self->a));
  for (int i = 0; i < t->n; i++) self->next_a[i] = self->a[i];
  for (int k = 0; k < SWEEPS && hn_augmented_defect(self, 1, t->tau, self->next_a) > least; k++) {
    hn_kkt_solve(self->w.projector, NULL, self->c, self->da, self->dl);
    for (int i = 0; i < t->n; i++) self->next_a[i] += self->da[i];
    hn_augmented_add_multipliers(self);
  }
}

static hn_status settle_by_mass(hn_augmented *self, hn_error *error) {
  hn_method *m = &self->base;
  double t = self->stages->t, speed = 1 + hn_rms(self->stages->n, m->next_qd);
  hn_status status = hn_augmented_factor_mass(self, t, m->next_q, m->next_qd, error);
  if (status == HN_OK) status = hn_augmented_project_velocities(self, m->next_qd, ROUNDING * speed);
  if (status == HN_OK)
    status =
        hn_augmented_evaluate(self, HN_BALANCE, t, m->next_q, m->next_qd, self->a, NULL, error);
  if (status == HN_OK) settle_accelerations_by_mass(self);
  return status;
}

// ---- the end ------------------------------------------------------------------------------------

int hn_augmented_measure_change(hn_augmented *self) {
  double sum = 0;
  for (int i = 0; i < self->stages->n; i++) {
    double x = self->next_a[i] - self->a[i];
    sum += x * x;
  }
  self->moved.a = sqrt(sum / fmax(1, self->stages->n));
  return isfinite(self->moved.a);
}

// Projections switched off: velocities and accelerations are the formula's.
static hn_status leave(hn_augmented *self, hn_error *error) {
  const hn_method *m = &self->base;
  memcpy(self->next_a, self->a, (size_t)self->stages->n * sizeof(double));
  return hn_augmented_evaluate(self, HN_BALANCE, self->stages->t, m->next_q, m->next_qd, self->a,
                               NULL, error);
}

hn_status hn_augmented_settle(hn_augmented *self, hn_error *error) {
  self->moved.v = self->moved.a = 0;
  if (self->is_left) return leave(self, error);
  hn_status status = self->w.projector == self->w.matrix ? settle_by_tangent(self, error)
                                                         : settle_by_mass(self, error);
  if (status != HN_OK) return status;
  if (!hn_augmented_measure_change(self)) return HN_RETRY_CONVERGENCE;
  watch_rows(self);
  self->base.projections++;
  return HN_OK;
}
