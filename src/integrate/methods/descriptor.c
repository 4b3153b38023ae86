// Method descriptor: the unknowns of a stage are accelerations and multipliers (InflTrap, InflSDIRK;
// Negrut 1998, eqs. 3.74-3.83, methods.md M5),
//
//   M a + Phi_q' lambda - Q = 0,   Phi_q a - tau = 0   at  q = q_hat + g^2 a,  v = v_hat + g a
//
// solved by Newton's method with the stage matrix of the step's begin, which is kept over steps and
// renewed when the iteration becomes slow. With independent `none` stages are in all coordinates and
// the end of the step is projected onto the constraints; the change counts in the error test.
#include <string.h>

#include "base/error.h"
#include "integrate/implicit.h"
#include "integrate/newton.h"
#include "integrate/stages.h"

// What of the tolerance the iteration may leave: the weights of SDIRK4 multiply it by up to 30.
#define KAPPA 1e-4
// A rate of convergence above this has the matrix renewed for the next step.
#define SLOW 0.2

typedef struct descriptor {
  hn_method base;
  hn_implicit implicit;
  hn_stages *stages;
  hn_newton newton;
  double *known[HN_MAX_STAGES + 1]; // multipliers at the begin and at the stages found (rows)
  double *a;                        // iterate (n)
  double *q, *v;                    // its state (n)
  double *b, *c;                    // minus the residuals (n, rows)
  double *da, *dl;                  // corrections (n, rows)
  double *scale;                    // of q, then of v, in the error norm (2 n)
} descriptor;

// ---- set-up -------------------------------------------------------------------------------------

static hn_status take_memory(hn_arena *arena, descriptor *self,
                             const hn_implicit_formula *formula) {
  int n = self->base.equations->nq, rows = self->implicit.tangent->rows;
  hn_status status = hn_stages_create(arena, formula, n, &self->stages);
  if (status != HN_OK) return status;
  double **vectors[] = {&self->a, &self->q, &self->v, &self->b, &self->da};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(arena, double, n);
  for (int i = 0; i <= formula->stages; i++) self->known[i] = HN_TAKE(arena, double, rows);
  self->c = HN_TAKE(arena, double, rows);
  self->dl = HN_TAKE(arena, double, rows);
  self->scale = HN_TAKE(arena, double, 2 * n);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status descriptor_create(hn_arena *arena, hn_equations *equations, const char *formula,
                                   const char *independent, hn_method **method, hn_error *error) {
  const hn_implicit_formula *implicit = hn_find_implicit_formula(formula);
  if (!implicit || strcmp(independent, "none") != 0)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "holon list shows what combines",
                   "method descriptor with formula '%s' and independent '%s' is not built", formula,
                   independent);
  descriptor *self = HN_TAKE(arena, descriptor, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base.type = &hn_descriptor;
  self->base.equations = equations;
  self->base.formula = implicit->name;
  self->base.independent = "none";
  self->base.error_order = implicit->error_order;
  self->newton = hn_newton_begin(KAPPA);
  hn_status status = hn_implicit_create(arena, &self->base, &self->implicit, error);
  if (status != HN_OK) return status;
  if (take_memory(arena, self, implicit) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the integrator");
  *method = &self->base;
  return HN_OK;
}

static hn_status descriptor_begin(hn_method *method, const hn_branches *branches, hn_error *error) {
  descriptor *self = (descriptor *)method;
  self->newton = hn_newton_begin(KAPPA);
  return hn_implicit_begin(&self->implicit, branches, error);
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
  hn_tangent *t = self->implicit.tangent;
  state_of(self);
  hn_status status = hn_tangent_basic(t, self->stages->t, self->q, self->v, branches, error);
  if (status != HN_OK) return status;
  memcpy(self->b, t->q_force, (size_t)t->n * sizeof(double));
  memcpy(self->c, t->tau, (size_t)t->rows * sizeof(double));
  hn_sparse_add_product(&t->mass, -1, self->a, self->b);
  hn_sparse_add_transposed_product(&t->phi_q, -1, self->implicit.lambda, self->b);
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
  double norm = n > 0 ? sqrt(sum / (2 * n)) : 0;
  return isfinite(norm) ? norm : HUGE_VAL;
}

static void predict(descriptor *self, int i) {
  double weight[HN_MAX_STAGES + 1];
  hn_stages_predict(self->stages, i, self->a);
  hn_stages_extrapolate(self->stages, i, weight);
  for (int r = 0; r < self->implicit.tangent->rows; r++) {
    double sum = 0;
    for (int k = 0; k <= i; k++) sum += weight[k] * self->known[k][r];
    self->implicit.lambda[r] = sum;
  }
}

static hn_status solve_stage(descriptor *self, int i, const hn_branches *branches,
                             hn_error *error) {
  hn_method *m = &self->base;
  hn_equations *e = m->equations;
  double *lambda = self->implicit.lambda;
  int rows = self->implicit.tangent->rows;
  hn_stages_open(self->stages, i);
  predict(self, i);
  hn_newton_begin_stage(&self->newton);
  hn_status status = HN_RETRY;
  while (status == HN_RETRY) {
    status = residual(self, branches, error);
    if (status != HN_OK) return status;
    hn_stage_matrix_solve(self->implicit.matrix, self->b, self->c, self->da, self->dl, 0);
    for (int k = 0; k < self->stages->n; k++) self->a[k] += self->da[k];
    for (int r = 0; r < rows; r++) lambda[r] += self->dl[r];
    m->iterations++;
    status = hn_newton_judge(&self->newton, correction_norm(self));
  }
  if (status != HN_OK) return status;
  double power = 0;
  state_of(self);
  status = e->type->power(e, self->stages->t, self->q, self->v, lambda, branches, &power);
  hn_stages_close(self->stages, i, self->a, power);
  memcpy(self->known[i + 1], lambda, (size_t)rows * sizeof(double));
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

static hn_status solve_stages(descriptor *self, double h, const hn_branches *branches,
                              hn_error *error) {
  hn_method *m = &self->base;
  hn_implicit *implicit = &self->implicit;
  double g = hn_stages_number(self->stages->formula, h);
  if (hn_stage_matrix_g(implicit->matrix) != g) {
    hn_stage_matrix_factor(implicit->matrix, g, m->equations->redundant);
    m->factorizations++;
    hn_newton_fresh(&self->newton);
  }
  hn_status status = hn_implicit_multipliers(implicit, branches, error);
  memcpy(self->known[0], implicit->lambda, (size_t)implicit->tangent->rows * sizeof(double));
  hn_stages_begin(self->stages, m->t, h, m->q, m->qd, m->now->qdd, m->now->power);
  for (int i = 0; i < self->stages->formula->stages && status == HN_OK; i++)
    status = solve_stage(self, i, branches, error);
  return status;
}

static hn_status renew(descriptor *self, const hn_branches *branches, hn_error *error) {
  hn_newton_fresh(&self->newton);
  hn_status status = hn_implicit_multipliers(&self->implicit, branches, error);
  return status == HN_OK ? hn_implicit_renew(&self->implicit, branches, error) : status;
}

// With the matrix there is; when the iteration fails, once more with that of the present state.
static hn_status iterate(descriptor *self, double h, const hn_branches *branches, hn_error *error) {
  hn_status status = HN_OK;
  if (!self->implicit.has_matrix) status = renew(self, branches, error);
  if (status == HN_OK) status = solve_stages(self, h, branches, error);
  if (status == HN_RETRY_CONVERGENCE && !self->implicit.matrix_is_here) {
    self->base.newton_failures++;
    status = renew(self, branches, error);
    if (status == HN_OK) status = solve_stages(self, h, branches, error);
  }
  if (status > 0) self->base.newton_failures++;
  return status;
}

static hn_status descriptor_attempt(hn_method *method, double t_end, const hn_branches *branches,
                                    const hn_tolerance *tolerance, double *error_norm,
                                    hn_error *error) {
  descriptor *self = (descriptor *)method;
  hn_implicit *implicit = &self->implicit;
  hn_stages *stages = self->stages;
  implicit->is_passing = implicit->is_near_singular;
  if (implicit->is_passing)
    return hn_implicit_pass(implicit, t_end, branches, tolerance, error_norm, error);
  find_scale(self, tolerance);
  hn_status status = iterate(self, t_end - method->t, branches, error);
  if (status != HN_OK) return status;
  hn_stages_end(stages, implicit->error, implicit->error + stages->n);
  implicit->end_work = method->work + hn_stages_work(stages);
  status = hn_implicit_finish(implicit, t_end, stages->q1, stages->v1, branches, tolerance, error);
  if (status != HN_OK) return status;
  hn_stages_correct(stages, method->next_q, method->next_qd);
  *error_norm = hn_implicit_error(implicit, tolerance);
  return HN_OK;
}

static void descriptor_interpolate(const hn_method *method, double theta, double *q, double *qd,
                                   double *work) {
  const descriptor *self = (const descriptor *)method;
  const hn_implicit *implicit = &self->implicit;
  if (implicit->is_passing) {
    implicit->passing->type->interpolate(implicit->passing, theta, q, qd, work);
    return;
  }
  hn_stages_interpolate(self->stages, theta, q, qd, work);
  if (work) *work += implicit->end_work - hn_stages_work(self->stages);
}

static void descriptor_accept(hn_method *method) {
  descriptor *self = (descriptor *)method;
  hn_implicit_accept(&self->implicit);
  if (self->newton.slowest > SLOW) self->implicit.has_matrix = 0;
}

const hn_method_type hn_descriptor = {
    .name = "descriptor",
    .create = descriptor_create,
    .begin = descriptor_begin,
    .attempt = descriptor_attempt,
    .interpolate = descriptor_interpolate,
    .accept = descriptor_accept,
};
