// Method descriptor: the unknowns of a stage are accelerations and multipliers (InflTrap, InflSDIRK;
// Negrut 1998, eqs. 3.74-3.83, methods.md M5),
//
//   M a + Phi_q' lambda - Q = 0,   Phi_q a - tau = 0   at  q = q_hat + g^2 a,  v = v_hat + g a
//
// solved by Newton's method with the stage matrix of the step's begin, which is kept over steps and
// renewed when the iteration becomes slow. With independent `none` stages are in all coordinates and
// the end of the step is projected onto the constraints; the change counts in the error test.
//
// Near a singular position stages off the constraints would ask for accelerations without bound; there
// the step is made by dopri5 (method first-order), whose stages are projected.
#include <string.h>

#include "base/error.h"
#include "integrate/method.h"
#include "integrate/newton.h"
#include "integrate/stage_matrix.h"
#include "integrate/stages.h"
#include "integrate/step_control.h"

typedef struct descriptor {
  hn_method base;
  hn_tangent *tangent;
  hn_stage_matrix *matrix;
  hn_stages *stages;
  hn_newton newton;
  int matrix_is_here;  // the blocks are those of the present state
  int has_matrix;      // there are blocks at all
  double *lambda;      // of the iteration (rows of the tangent)
  double *known[HN_MAX_STAGES + 1]; // of the present state and of the stages found (rows)
  double *a;           // iterate (n)
  double *q, *v;       // its state (n)
  double *b, *c;       // minus the residuals (n, rows)
  double *da, *dl;     // corrections (n, rows)
  double *scale;       // of q, then of v, in the error norm (2 n)
  double *error;       // (2 n)
  double *change;      // by the projection (2 n)
  double next_work;
  hn_method *passing;  // takes steps near singular positions
  int is_near_singular; // the present state
  int is_passing;      // the attempted or last taken step is one of them
} descriptor;

// ---- set-up -------------------------------------------------------------------------------------

static hn_status take_memory(hn_arena *arena, descriptor *self,
                             const hn_implicit_formula *formula) {
  int n = self->base.equations->nq;
  hn_status status = hn_tangent_create(arena, self->base.equations, &self->tangent);
  if (status == HN_OK) status = hn_stage_matrix_create(arena, self->tangent, &self->matrix);
  if (status == HN_OK) status = hn_stages_create(arena, formula, n, &self->stages);
  if (status == HN_OK) status = hn_snapshot_create(arena, self->base.equations, &self->base.now);
  if (status == HN_OK) status = hn_snapshot_create(arena, self->base.equations, &self->base.next);
  if (status != HN_OK) return status;
  int rows = self->tangent->rows;
  double **vectors[] = {&self->a,  &self->q,         &self->v,          &self->b,
                        &self->da, &self->base.q,    &self->base.qd,    &self->base.next_q,
                        &self->base.next_qd};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(arena, double, n);
  self->lambda = HN_TAKE(arena, double, rows);
  for (int i = 0; i <= formula->stages; i++) self->known[i] = HN_TAKE(arena, double, rows);
  self->c = HN_TAKE(arena, double, rows);
  self->dl = HN_TAKE(arena, double, rows);
  self->scale = HN_TAKE(arena, double, 2 * n);
  self->error = HN_TAKE(arena, double, 2 * n);
  self->change = HN_TAKE(arena, double, 2 * n);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status descriptor_create(hn_arena *arena, hn_equations *equations, const char *formula,
                                   const char *independent, hn_method **method, hn_error *error) {
  const hn_implicit_formula *implicit = hn_find_implicit_formula(formula);
  if (!implicit || strcmp(independent, "none") != 0)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "holon list shows what combines",
                   "method descriptor with formula '%s' and independent '%s' is not built",
                   formula, independent);
  descriptor *self = HN_TAKE(arena, descriptor, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base.type = &hn_descriptor;
  self->base.equations = equations;
  self->base.formula = implicit->name;
  self->base.independent = "none";
  self->base.error_order = implicit->error_order;
  self->newton = hn_newton_begin(1e-4);
  if (take_memory(arena, self, implicit) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the integrator");
  *method = &self->base;
  return hn_first_order.create(arena, equations, "dopri5", "none", &self->passing, error);
}

// ---- the matrix ---------------------------------------------------------------------------------

// Multipliers of the elements come with the snapshot, those of the normalizations follow.
static hn_status complete_multipliers(descriptor *self, const hn_branches *branches,
                                      hn_error *error) {
  hn_method *m = &self->base;
  hn_tangent *t = self->tangent;
  int elements = t->rows - m->equations->normalizations;
  hn_status status = hn_tangent_basic(t, m->t, m->q, m->qd, branches, error);
  if (status != HN_OK) return status;
  memcpy(self->lambda, m->now->lambda, (size_t)elements * sizeof(double));
  hn_tangent_normalization_multipliers(t, self->lambda);
  return HN_OK;
}

static hn_status renew_matrix(descriptor *self, const hn_branches *branches, hn_error *error) {
  hn_method *m = &self->base;
  hn_status status = hn_tangent_full(self->tangent, m->t, m->q, m->qd, m->now->qdd, self->lambda,
                                     branches, error);
  if (status != HN_OK) return status;
  hn_stage_matrix_keep(self->matrix);
  hn_newton_fresh(&self->newton);
  self->matrix_is_here = self->has_matrix = 1;
  m->jacobians++;
  return HN_OK;
}

static hn_status descriptor_begin(hn_method *method, const hn_branches *branches,
                                  hn_error *error) {
  descriptor *self = (descriptor *)method;
  hn_equations *equations = method->equations;
  hn_status status = equations->type->evaluate(equations, method->t, method->q, method->qd,
                                               branches, method->now, error);
  self->has_matrix = self->matrix_is_here = 0; // another branch is another matrix
  self->is_near_singular = equations->near_singular;
  return status;
}

// ---- a stage ------------------------------------------------------------------------------------

static void state_of(const descriptor *self) {
  const hn_stages *s = self->stages;
  for (int i = 0; i < s->n; i++) {
    self->q[i] = s->q_hat[i] + s->g * s->g * self->a[i];
    self->v[i] = s->v_hat[i] + s->g * self->a[i];
  }
}

// Minus the residuals at the iterate.
static hn_status residual(descriptor *self, const hn_branches *branches, hn_error *error) {
  hn_tangent *t = self->tangent;
  state_of(self);
  hn_status status = hn_tangent_basic(t, self->stages->t, self->q, self->v, branches, error);
  if (status != HN_OK) return status;
  memcpy(self->b, t->q_force, (size_t)t->n * sizeof(double));
  memcpy(self->c, t->tau, (size_t)t->rows * sizeof(double));
  hn_sparse_add_product(&t->mass, -1, self->a, self->b);
  hn_sparse_add_transposed_product(&t->phi_q, -1, self->lambda, self->b);
  hn_sparse_add_product(&t->phi_q, -1, self->a, self->c);
  return HN_OK;
}

// The correction's effect on q and v against the tolerance.
static double correction_norm(const descriptor *self) {
  double g = self->stages->g, sum = 0;
  int n = self->stages->n;
  for (int i = 0; i < n; i++) {
    double x = g * g * self->da[i] / self->scale[i], y = g * self->da[i] / self->scale[n + i];
    sum += x * x + y * y;
  }
  double norm = sqrt(sum / (2 * n));
  return isfinite(norm) ? norm : HUGE_VAL;
}

static void predict(descriptor *self, int i) {
  double weight[HN_MAX_STAGES + 1];
  hn_stages_predict(self->stages, i, self->a);
  hn_stages_extrapolate(self->stages, i, weight);
  for (int r = 0; r < self->tangent->rows; r++) {
    double sum = 0;
    for (int k = 0; k <= i; k++) sum += weight[k] * self->known[k][r];
    self->lambda[r] = sum;
  }
}

static hn_status solve_stage(descriptor *self, int i, const hn_branches *branches,
                             hn_error *error) {
  hn_method *m = &self->base;
  hn_stages_open(self->stages, i);
  predict(self, i);
  hn_newton_begin_stage(&self->newton);
  hn_status status = HN_RETRY;
  while (status == HN_RETRY) {
    status = residual(self, branches, error);
    if (status != HN_OK) return status;
    hn_stage_matrix_solve(self->matrix, self->b, self->c, self->da, self->dl, 0);
    for (int k = 0; k < self->stages->n; k++) self->a[k] += self->da[k];
    for (int r = 0; r < self->tangent->rows; r++) self->lambda[r] += self->dl[r];
    m->iterations++;
    status = hn_newton_judge(&self->newton, correction_norm(self));
  }
  if (status != HN_OK) return status;
  double power = 0;
  state_of(self);
  status = m->equations->type->power(m->equations, self->stages->t, self->q, self->v,
                                     self->lambda, branches, &power);
  hn_stages_close(self->stages, i, self->a, power);
  memcpy(self->known[i + 1], self->lambda, (size_t)self->tangent->rows * sizeof(double));
  return status;
}

// ---- a step -------------------------------------------------------------------------------------

static void find_scale(descriptor *self, const hn_tolerance *tolerance) {
  const hn_method *m = &self->base;
  int n = m->equations->nq;
  for (int i = 0; i < n; i++) {
    self->scale[i] = tolerance->absolute + tolerance->relative * fabs(m->q[i]);
    self->scale[n + i] = tolerance->absolute + tolerance->relative * fabs(m->qd[i]);
  }
}

static double step_number(const descriptor *self, double h) {
  const hn_implicit_formula *f = self->stages->formula;
  return f->kind == HN_IMPLICIT_TRAPEZOIDAL ? h / 2 : f->sdirk->gamma * h;
}

static hn_status solve_stages(descriptor *self, double h, const hn_branches *branches,
                              hn_error *error) {
  hn_method *m = &self->base;
  double g = step_number(self, h);
  if (hn_stage_matrix_g(self->matrix) != g) {
    hn_stage_matrix_factor(self->matrix, g, m->equations->redundant);
    hn_newton_fresh(&self->newton);
  }
  hn_status status = complete_multipliers(self, branches, error);
  memcpy(self->known[0], self->lambda, (size_t)self->tangent->rows * sizeof(double));
  hn_stages_begin(self->stages, m->t, h, m->q, m->qd, m->now->qdd, m->now->power);
  for (int i = 0; i < self->stages->formula->stages && status == HN_OK; i++)
    status = solve_stage(self, i, branches, error);
  return status;
}

// Onto the constraints, with accelerations there.
static hn_status finish(descriptor *self, double t_end, const hn_branches *branches,
                        const hn_tolerance *tolerance, hn_error *error) {
  hn_method *m = &self->base;
  hn_equations *e = m->equations;
  int n = e->nq;
  memcpy(m->next_q, self->stages->q1, (size_t)n * sizeof(double));
  memcpy(m->next_qd, self->stages->v1, (size_t)n * sizeof(double));
  m->projections++;
  hn_status status = e->type->project_positions(e, t_end, m->next_q, branches,
                                                tolerance->projection, self->change);
  if (status == HN_OK)
    status = e->type->project_velocities(e, t_end, m->next_q, m->next_qd, branches,
                                         self->change + n);
  if (status == HN_OK)
    status = e->type->evaluate(e, t_end, m->next_q, m->next_qd, branches, m->next, error);
  if (status != HN_OK) return status;
  hn_stages_correct(self->stages, m->next_q, m->next_qd);
  return HN_OK;
}

static double error_of_step(descriptor *self, const hn_tolerance *tolerance) {
  hn_method *m = &self->base;
  int n = m->equations->nq;
  hn_stage_matrix_filter(self->matrix, self->error, self->error + n);
  double sum = 0;
  for (int i = 0; i < 2 * n; i++) {
    double before = i < n ? m->q[i] : m->qd[i - n], after = i < n ? m->next_q[i] : m->next_qd[i - n];
    double size = fabs(before) > fabs(after) ? fabs(before) : fabs(after);
    double e = fabs(self->error[i]);
    if (!m->equations->near_singular) e += fabs(self->change[i]);
    e /= tolerance->absolute + tolerance->relative * size;
    sum += e * e;
  }
  double norm = sqrt(sum / (2 * n));
  return isfinite(norm) ? norm : HUGE_VAL;
}

// ---- past a singular position -------------------------------------------------------------------

static hn_status pass(descriptor *self, double t_end, const hn_branches *branches,
                      const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  hn_method *m = &self->base, *p = self->passing;
  size_t size = (size_t)m->equations->nq * sizeof(double);
  p->t = m->t;
  p->work = m->work;
  memcpy(p->q, m->q, size);
  memcpy(p->qd, m->qd, size);
  hn_status status = p->type->begin(p, branches, error);
  if (status == HN_OK)
    status = p->type->attempt(p, t_end, branches, tolerance, error_norm, error);
  if (status != HN_OK) return status;
  m->projections++;
  memcpy(m->next_q, p->next_q, size);
  memcpy(m->next_qd, p->next_qd, size);
  hn_snapshot *swap = m->next; // both were made for these equations
  m->next = p->next;
  p->next = swap;
  m->step = p->step;
  m->step_end = t_end;
  return HN_OK;
}

static hn_status descriptor_attempt(hn_method *method, double t_end, const hn_branches *branches,
                                    const hn_tolerance *tolerance, double *error_norm,
                                    hn_error *error) {
  descriptor *self = (descriptor *)method;
  double h = t_end - method->t;
  int n = method->equations->nq;
  hn_status status = HN_OK;
  self->is_passing = self->is_near_singular;
  if (self->is_passing) return pass(self, t_end, branches, tolerance, error_norm, error);
  find_scale(self, tolerance);
  if (!self->has_matrix) {
    status = complete_multipliers(self, branches, error);
    if (status == HN_OK) status = renew_matrix(self, branches, error);
    if (status != HN_OK) return status;
  }
  status = solve_stages(self, h, branches, error);
  if (status == HN_RETRY_CONVERGENCE && !self->matrix_is_here) {
    method->newton_failures++;
    status = complete_multipliers(self, branches, error);
    if (status == HN_OK) status = renew_matrix(self, branches, error);
    if (status == HN_OK) status = solve_stages(self, h, branches, error);
  }
  if (status != HN_OK) {
    method->newton_failures += status > 0;
    return status;
  }
  hn_stages_end(self->stages, self->error, self->error + n);
  self->next_work = method->work + hn_stages_work(self->stages);
  status = finish(self, t_end, branches, tolerance, error);
  if (status != HN_OK) return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
  *error_norm = error_of_step(self, tolerance);
  method->step = h;
  method->step_end = t_end;
  return HN_OK;
}

static void descriptor_interpolate(const hn_method *method, double theta, double *q, double *qd,
                                   double *work) {
  const descriptor *self = (const descriptor *)method;
  if (self->is_passing) {
    self->passing->type->interpolate(self->passing, theta, q, qd, work);
    return;
  }
  hn_stages_interpolate(self->stages, theta, q, qd, work);
  if (work) *work += self->next_work - hn_stages_work(self->stages);
}

static void descriptor_accept(hn_method *method) {
  descriptor *self = (descriptor *)method;
  int n = method->equations->nq;
  method->t = method->step_end;
  method->work = self->is_passing ? hn_first_order_end_work(self->passing) : self->next_work;
  memcpy(method->q, method->next_q, (size_t)n * sizeof(double));
  memcpy(method->qd, method->next_qd, (size_t)n * sizeof(double));
  hn_snapshot *swap = method->now;
  method->now = method->next;
  method->next = swap;
  self->matrix_is_here = 0;
  self->is_near_singular = method->equations->near_singular;
  if (self->newton.slowest > 0.2) self->has_matrix = 0; // slow: renew it for the next step
}

const hn_method_type hn_descriptor = {
    .name = "descriptor",
    .create = descriptor_create,
    .begin = descriptor_begin,
    .attempt = descriptor_attempt,
    .interpolate = descriptor_interpolate,
    .accept = descriptor_accept,
};
