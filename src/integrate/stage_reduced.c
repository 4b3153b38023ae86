// Stages in independent coordinates: see stage_method.h. Newton's method for
//
//   Psi(vdd) = P' (M a - Q) = 0
//
// with a fixed matrix converges linearly, in few directions slowly: those in which the model has
// rotated since the matrix was made. Broyden's update (as in Kelley 1995, ch. 7) of the corrections
// made in this stage sees these directions,
//
//   z = correction by the matrix;   z += s_(j+1) (s_j' z) / (s_j' s_j),  j < k;
//   s_(k+1) = z / (1 - s_k' z / (s_k' s_k))
//
// in the norm of the error test.
#include <math.h>
#include <string.h>

#include "integrate/stage_method.h"
#include "integrate/step_control.h"

void hn_stage_reduced_open(hn_stage_method *self) {
  hn_reduction_restrict(self->reduction, self->a, self->w);
  hn_reduction_restrict(self->reduction, self->stages->q_hat, self->w_q);
  hn_reduction_restrict(self->reduction, self->stages->v_hat, self->w_v);
}

void hn_stage_reduced_open_end(hn_stage_method *self, double t_end) {
  hn_stages *s = self->stages;
  s->t = t_end;
  memcpy(self->q, s->q1, (size_t)s->n * sizeof(double));
  hn_reduction_restrict(self->reduction, s->q1, self->w_q);
  hn_reduction_restrict(self->reduction, s->v1, self->w_v);
  memset(self->w, 0, (size_t)hn_reduction_size(self->reduction) * sizeof(double));
}

hn_status hn_stage_reduced_recover(hn_stage_method *self, const hn_branches *branches,
                                   double tolerance) {
  hn_reduction *e = self->reduction;
  const hn_stages *s = self->stages;
  double *target = self->w_after;
  int size = hn_reduction_size(e);
  for (int i = 0; i < size; i++) target[i] = self->w_q[i] + s->g.q * self->w[i];
  hn_status status = hn_reduction_positions(e, s->t, self->q, target, branches, tolerance);
  if (status == HN_OK && hn_reduction_factor(e) != HN_OK) status = HN_RETRY_CONVERGENCE;
  if (status != HN_OK) return status;
  for (int i = 0; i < size; i++) target[i] = self->w_v[i] + s->g.v * self->w[i];
  hn_reduction_velocities(e, target, self->v);
  return HN_OK;
}

// From what holds at (q, v) to Q - M a.
static hn_status find_balance(hn_stage_method *self, double t, hn_want has,
                              const hn_branches *branches, hn_error *error) {
  hn_tangent *tangent = self->implicit.tangent;
  hn_tangent_state at = {.t = t,
                         .q = self->q,
                         .qd = self->v,
                         .qdd = self->a,
                         .branches = branches,
                         .has = has,
                         .b = self->b};
  hn_status status = hn_tangent_evaluate(tangent, &at, HN_MOTION, error);
  if (status != HN_OK) return status;
  hn_reduction_accelerations(self->reduction, self->w, self->a);
  at.has = HN_MOTION;
  return hn_tangent_evaluate(tangent, &at, HN_BALANCE, error);
}

hn_status hn_stage_reduced_balance(hn_stage_method *self, const hn_branches *branches,
                                   hn_error *error) {
  return find_balance(self, self->stages->t, HN_ROWS, branches, error);
}

// At the iterate w.
static hn_status balance_at(hn_stage_method *self, const hn_branches *branches, hn_error *error) {
  hn_status status = hn_stage_reduced_recover(self, branches, self->recovery);
  return status == HN_OK ? hn_stage_reduced_balance(self, branches, error) : status;
}

// ---- the iteration ------------------------------------------------------------------------------

// Of two corrections, by their effect on v and vd.
static double inner_product(const hn_stage_method *self, const double *x, const double *y) {
  hn_step_numbers g = self->stages->g;
  double sum = 0;
  int size = hn_reduction_size(self->reduction);
  const double *scale = self->w_scale;
  for (int i = 0; i < size; i++) {
    double p = g.q / scale[i], r = g.v / scale[size + i];
    sum += (p * p + r * r) * x[i] * y[i];
  }
  return sum;
}

double hn_stage_reduced_norm(const hn_stage_method *self, const double *x) {
  int size = hn_reduction_size(self->reduction);
  double norm = size > 0 ? sqrt(inner_product(self, x, x) / (2 * size)) : 0;
  return isfinite(norm) ? norm : HUGE_VAL;
}

// Turns the correction by the matrix into the next one of the quasi-Newton iteration.
static void update(hn_stage_method *self, double *z) {
  int size = hn_reduction_size(self->reduction), k = self->past_count;
  for (int j = 0; j < k; j++) {
    const double *s = self->past[j], *after = self->past[j + 1];
    double length = inner_product(self, s, s);
    if (!(length > 0)) return;
    double part = inner_product(self, s, z) / length;
    if (j < k - 1) {
      for (int i = 0; i < size; i++) z[i] += part * after[i];
    } else if (fabs(part) < 0.7) { // else the matrix is of no use, and the iteration will say so
      for (int i = 0; i < size; i++) z[i] /= 1 - part;
    }
  }
}

// The matrix at the present iterate, recovered and with a balance b. Updates from corrections by
// the last one are dropped.
static hn_status renew_here(hn_stage_method *self, const hn_branches *branches, hn_error *error) {
  hn_reduction_multipliers(self->reduction, self->b, self->implicit.lambda);
  self->wants_matrix = self->past_count = 0;
  hn_place_keep(&self->implicit.place, self->base.equations, self->stages->t, self->q, self->v,
                self->a, self->implicit.lambda, branches);
  hn_status status = self->solver->make(self, error);
  if (status == HN_OK) status = self->solver->factor(self, self->stages->g, 0);
  self->base.factorizations++;
  self->implicit.matrix_is_here = 0;
  return status;
}

hn_status hn_stage_reduced_correct(hn_stage_method *self, const hn_branches *branches, double *norm,
                                   hn_error *error) {
  int size = hn_reduction_size(self->reduction);
  hn_step_numbers g = self->stages->g;
  hn_status status = balance_at(self, branches, error);
  if (status != HN_OK) return status;
  if (self->wants_matrix) status = renew_here(self, branches, error);
  if (status != HN_OK) return status;
  double *s = self->past[self->past_count];
  hn_reduction_project(self->reduction, self->b, s);
  self->solver->solve(self, s);
  update(self, s);
  self->past_count++;
  hn_reduction_image(self->reduction, s, self->da);
  for (int i = 0; i < size; i++) self->w[i] += s[i];
  for (int i = 0; i < self->stages->n; i++) {
    self->a[i] += self->da[i];
    self->q[i] += g.q * self->da[i];
    self->v[i] += g.v * self->da[i];
  }
  *norm = hn_stage_reduced_norm(self, s);
  return HN_OK;
}

hn_status hn_stage_reduced_multipliers(hn_stage_method *self, const hn_branches *branches,
                                       hn_error *error) {
  if (!self->base.equations->elements->has_motors) return HN_OK;
  hn_status status = balance_at(self, branches, error);
  if (status != HN_OK) return status;
  hn_reduction_multipliers(self->reduction, self->b, self->implicit.lambda);
  return HN_OK;
}

hn_status hn_stage_reduced_conclude(hn_stage_method *self, double t_end,
                                    const hn_branches *branches, hn_error *error) {
  hn_method *m = &self->base;
  hn_tangent *t = self->implicit.tangent;
  size_t size = (size_t)self->stages->n * sizeof(double);
  hn_status status = find_balance(self, t_end, HN_NOTHING, branches, error);
  if (status != HN_OK) return status;
  hn_reduction_multipliers(self->reduction, self->b, self->implicit.lambda);
  for (int i = 0; i < self->stages->n; i++)
    if (!isfinite(self->a[i])) return HN_RETRY;
  memcpy(m->next_q, self->q, size);
  memcpy(m->next_qd, self->v, size);
  t->type->conclude(t, m->next_q, self->a, self->implicit.lambda, &m->next);
  self->stages->power[0] = m->next->power;
  hn_method_set_step(m, t_end);
  return HN_OK;
}

double hn_stage_reduced_gap(const hn_stage_method *self) {
  const hn_tangent *t = self->implicit.tangent;
  double most = 0;
  for (int r = 0; r < t->rows; r++)
    if (fabs(t->phi[r]) > most || isnan(t->phi[r])) most = fabs(t->phi[r]);
  return most;
}

// ---- norms --------------------------------------------------------------------------------------

void hn_stage_reduced_scale(hn_stage_method *self, const hn_tolerance *tolerance) {
  const hn_method *m = &self->base;
  int size = hn_reduction_size(self->reduction);
  for (int half = 0; half < 2; half++) {
    hn_reduction_restrict(self->reduction, half ? m->qd : m->q, self->w_before);
    for (int i = 0; i < size; i++)
      self->w_scale[half * size + i] =
          tolerance->absolute + tolerance->relative * fabs(self->w_before[i]);
  }
}

// Drivers leave nothing to integrate: then the steps resolve the motion itself, for the work of
// drivers and for dense output.
static double driven_error(const hn_stage_method *self, const hn_tolerance *tolerance) {
  const hn_method *m = &self->base;
  int n = self->stages->n;
  const double *e = self->implicit.error;
  double q = hn_error_norm(e, m->q, m->next_q, n, tolerance->absolute, tolerance->relative);
  double v = hn_error_norm(e + n, m->qd, m->next_qd, n, tolerance->absolute, tolerance->relative);
  return sqrt((q * q + v * v) / 2);
}

// If joint coordinates do not measure an error well, bodies do (relative/error.c).
static double error_on_bodies(hn_stage_method *self, const double *e_q, const double *e_v,
                              const hn_tolerance *tolerance) {
  const hn_method *m = &self->base;
  hn_equations *e = m->equations;
  double *error = self->implicit.error;
  hn_reduction_image(self->reduction, e_q, error);
  hn_reduction_image(self->reduction, e_v, error + e->nq);
  return e->type->coordinates->error_norm(e, m->now, m->next, m->next_q, error, NULL,
                                          tolerance->absolute, tolerance->relative);
}

double hn_stage_reduced_error(hn_stage_method *self, const hn_tolerance *tolerance) {
  const hn_method *m = &self->base;
  int size = hn_reduction_size(self->reduction);
  if (size == 0) return driven_error(self, tolerance);
  double sum = 0, *e_q = self->past[0], *e_v = self->past[1];
  self->solver->filter(self, e_q, e_v);
  if (m->equations->measures_errors) return error_on_bodies(self, e_q, e_v, tolerance);
  for (int half = 0; half < 2; half++) {
    const double *e = half ? e_v : e_q;
    hn_reduction_restrict(self->reduction, half ? m->qd : m->q, self->w_before);
    hn_reduction_restrict(self->reduction, half ? m->next_qd : m->next_q, self->w_after);
    for (int i = 0; i < size; i++) {
      double x = fabs(self->w_before[i]), y = fabs(self->w_after[i]);
      double scaled = e[i] / (tolerance->absolute + tolerance->relative * (x > y ? x : y));
      sum += scaled * scaled;
    }
  }
  double norm = sqrt(sum / (2 * size));
  return isfinite(norm) ? norm : HUGE_VAL;
}
