// SDIRK for the ODE view: Newton's method on the increments of a stage (Negrut 1998, ch. 3.4 and 4.5;
// methods/state-space.md),
//
//   (I - g G) dz = h sum_{j<i} a_ij g_j + g g(w0 + z) - z
//
// The first half of z is kept consistent with the second half, y = y_hat + g^2 a, y' = y'_hat + g a
// (stages.h); then the iteration is one on accelerations,
//
//   S da = f(t, y, y') - a,   S = 1 - g f_y' - g^2 f_y
//
// The matrix is that of some step's start, kept while the iteration is fast; another step size only
// factors it again.
#include <limits.h>
#include <string.h>

#include "integrate/newton.h"
#include "integrate/ode_formula.h"
#include "integrate/stages.h"
#include "linalg/vectors.h"

// So many steps a matrix is kept that cannot be carried along. Iterations would converge for longer, but
// the filter of the error lets stiff components through that have turned away from it.
#define OLD 20

typedef struct sdirk {
  hn_ode_formula base;
  hn_stages *stages; // in full coordinates
  hn_newton newton;
  const hn_branches *branches; // of the stage that is iterated on
  int age;                     // of the matrix, in steps
  int has_multipliers;         // they are unknowns of the iteration too
  double *y_hat, *yd_hat;      // of the open stage (ode->n)
  double *y, *yd, *ydd, *da;   // iterate and its correction (ode->n)
  double *full;                // accelerations in full coordinates (nq)
  double *weight;              // of the square of a correction, by its effect on y and y' (ode->n)
} sdirk;

static void sdirk_begin(hn_ode_formula *formula) {
  sdirk *self = (sdirk *)formula;
  int limit = self->newton.limit;
  self->newton = hn_newton_begin(formula->ode->kappa);
  self->newton.limit = limit;
  self->newton.patience = HN_NEWTON_PATIENT;
}

static double correction_norm(const sdirk *self) {
  int n = self->base.ode->n;
  double sum = hn_sum_of_squares(self->stages->wide, n, self->weight, self->da);
  double norm = n > 0 ? sqrt(sum / (2 * n)) : 0;
  return isfinite(norm) ? norm : HUGE_VAL;
}

static hn_status find_correction(sdirk *self, const hn_branches *branches, hn_error *error) {
  hn_ode *ode = self->base.ode;
  double t = self->stages->t;
  if (ode->corrects)
    return ode->type->matrix->correct(ode, t, self->y, self->yd, self->ydd, branches, self->da,
                                      error);
  hn_status status = ode->type->evaluate(ode, t, self->y, self->yd, branches, self->da, error);
  if (status != HN_OK) return status;
  for (int i = 0; i < ode->n; i++) self->da[i] -= self->ydd[i];
  ode->type->matrix->solve(ode, self->da);
  return HN_OK;
}

static hn_status correct(void *of, double *norm, hn_error *error) {
  sdirk *self = of;
  hn_ode *ode = self->base.ode;
  double g = self->stages->g.v;
  for (int i = 0; i < ode->n; i++) {
    self->y[i] = self->y_hat[i] + g * g * self->ydd[i];
    self->yd[i] = self->yd_hat[i] + g * self->ydd[i];
  }
  hn_status status = find_correction(self, self->branches, error);
  if (status != HN_OK) return status;
  for (int i = 0; i < ode->n; i++) self->ydd[i] += self->da[i];
  *norm = correction_norm(self);
  return HN_OK;
}

// Where the iteration starts: the first stage at the linearly implicit Euler step, which needs no f
// and damps stiff accelerations, the others at combinations of the stages before.
static void predict(sdirk *self, int i) {
  hn_ode *ode = self->base.ode;
  if (i > 0) {
    hn_stages_predict(self->stages, i, self->full);
    ode->type->restrict_to(ode, self->full, self->ydd);
    return;
  }
  size_t size = (size_t)ode->n * sizeof(double);
  memcpy(self->yd, ode->yd, size);
  memcpy(self->ydd, ode->ydd, size);
  ode->type->matrix->filter(ode, self->yd, self->ydd);
}

// Power at the stage as found, not at the iterate before its last correction; multipliers that are
// not unknowns of the iteration are found again only if drivers do work.
static hn_status stage_power(sdirk *self, const hn_branches *branches, double *power,
                             hn_error *error) {
  hn_ode *ode = self->base.ode;
  hn_equations *e = ode->implicit->method->equations;
  const hn_stages *s = self->stages;
  for (int k = 0; k < e->nq; k++) {
    ode->q[k] = s->q_hat[k] + s->g.q * self->full[k];
    ode->qd[k] = s->v_hat[k] + s->g.v * self->full[k];
  }
  if (!ode->has_hidden_power && (!e->elements->has_motors || ode->corrects))
    return e->type->power(e, s->t, ode->q, ode->qd, ode->stage->lambda, branches, power);
  hn_status status = e->type->evaluate_stage(e, s->t, ode->q, ode->qd, branches, ode->stage, error);
  *power = ode->stage->power;
  return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
}

static hn_status solve_stage(sdirk *self, int i, const hn_branches *branches, hn_error *error) {
  hn_ode *ode = self->base.ode;
  hn_stages_open(self->stages, i);
  ode->type->restrict_to(ode, self->stages->q_hat, self->y_hat);
  ode->type->restrict_to(ode, self->stages->v_hat, self->yd_hat);
  predict(self, i);
  if (self->has_multipliers) {
    double weight[HN_MAX_STAGES + 1];
    hn_stages_extrapolate(self->stages, i, weight);
    ode->type->open_stage(ode, i, weight);
  }
  hn_newton_begin_stage(&self->newton);
  self->branches = branches;
  hn_status status = hn_newton_iterate(&self->newton, ode->implicit->method, correct, self, error);
  if (status != HN_OK) return status;
  if (self->has_multipliers) ode->type->close_stage(ode, i);
  ode->type->complete(ode, self->ydd, self->full);
  double power = 0;
  if (!hn_stages_is_end(self->stages, i)) status = stage_power(self, branches, &power, error);
  hn_stages_close(self->stages, i, self->full, power);
  return status;
}

static hn_status solve_stages(sdirk *self, double h, const hn_branches *branches, hn_error *error) {
  hn_ode *ode = self->base.ode;
  hn_method *m = ode->implicit->method;
  double g = hn_stages_numbers(self->stages->formula, h).v;
  if (ode->implicit->g.v != g) {
    hn_status status = ode->type->matrix->factor(ode, g, 0);
    if (status != HN_OK) return status;
    m->factorizations++;
    hn_newton_fresh(&self->newton);
  }
  hn_stages_begin(self->stages, m->t, h, m->q, m->qd, m->now->qdd, m->now->power);
  hn_status status = HN_OK;
  for (int i = 0; i < self->stages->formula->stages && status == HN_OK; i++)
    status = solve_stage(self, i, branches, error);
  return status;
}

static hn_status renew(sdirk *self, const hn_branches *branches, hn_error *error) {
  self->age = 0;
  hn_newton_fresh(&self->newton);
  return self->base.ode->type->matrix->renew(self->base.ode, branches, error);
}

// Residuals of iterations accumulate over the steps, of which a tight tolerance takes many: below
// 1e-5 the allowed fraction of the tolerance falls, down to 1e-4, but not into rounding.
static double find_kappa(const hn_ode *ode, const hn_tolerance *tolerance) {
  double tol = fmax(tolerance->absolute, tolerance->relative);
  double least = fmax(1e-4, 1e-13 / tol);
  return fmin(ode->kappa, fmax(least, ode->kappa * sqrt(1e5 * tol)));
}

// A correction da changes y by g^2 da and y' by g da.
static void find_weights(sdirk *self, double h, const hn_tolerance *tolerance) {
  const hn_ode *ode = self->base.ode;
  double g = hn_stages_numbers(self->stages->formula, h).v;
  for (int i = 0; i < ode->n; i++) {
    double x = g * g / (tolerance->absolute + tolerance->relative * fabs(ode->y[i]));
    double v = g / (tolerance->absolute + tolerance->relative * fabs(ode->yd[i]));
    self->weight[i] = x * x + v * v;
  }
}

// The matrix of the present state did not serve: perhaps bodies turn that do not take stiff directions
// with them, or the other way round.
static hn_status try_other_carry(sdirk *self, double h, const hn_branches *branches,
                                 hn_error *error) {
  hn_ode *ode = self->base.ode;
  hn_carry_kind before = ode->implicit->carry;
  ode->implicit->method->newton_failures++;
  ode->implicit->carry = before == HN_CARRY_TURNED ? HN_CARRY_STRAIGHT : HN_CARRY_TURNED;
  hn_newton_fresh(&self->newton);
  hn_status status = solve_stages(self, h, branches, error);
  if (status != HN_OK) ode->implicit->carry = before;
  return status;
}

// With the matrix there is; when the iteration fails, once more with that of the present state.
static hn_status sdirk_stages(hn_ode_formula *formula, double h, const hn_branches *branches,
                              const hn_tolerance *tolerance, hn_error *error) {
  sdirk *self = (sdirk *)formula;
  hn_implicit *implicit = formula->ode->implicit;
  hn_status status = HN_OK;
  find_weights(self, h, tolerance);
  self->newton.kappa = find_kappa(formula->ode, tolerance);
  const double g = hn_stages_numbers(self->stages->formula, h).v;
  status = hn_implicit_open_states(implicit, g, branches);
  if (status == HN_OK && !implicit->has_matrix) status = renew(self, branches, error);
  if (status == HN_OK) status = solve_stages(self, h, branches, error);
  if (status > 0 && !implicit->matrix_is_here) {
    implicit->method->newton_failures++;
    hn_implicit_open_states(implicit, g, branches);
    status = renew(self, branches, error);
    if (status == HN_OK) status = solve_stages(self, h, branches, error);
  }
  if (status > 0 && formula->ode->can_carry) status = try_other_carry(self, h, branches, error);
  if (status > 0) implicit->method->newton_failures++;
  if (status != HN_OK) return status;
  hn_ode *ode = formula->ode;
  hn_stages_end(self->stages, implicit->error, implicit->error + self->stages->n);
  formula->state_error = hn_stages_state_error(self->stages, tolerance);
  ode->type->restrict_to(ode, self->stages->q1, formula->y1);
  ode->type->restrict_to(ode, self->stages->v1, formula->yd1);
  ode->type->restrict_to(ode, implicit->error, formula->error1);
  ode->type->restrict_to(ode, implicit->error + self->stages->n, formula->error2);
  return HN_OK;
}

static hn_status sdirk_end(hn_ode_formula *formula, const hn_branches *branches, double *work,
                           hn_error *error) {
  sdirk *self = (sdirk *)formula;
  const hn_method *m = formula->ode->implicit->method;
  (void)branches;
  (void)error;
  hn_stages_correct(self->stages, m->next_q, m->next_qd);
  hn_stages_take_power(self->stages, m->next->power);
  *work = hn_stages_work(self->stages);
  return HN_OK;
}

static void sdirk_interpolate(const hn_ode_formula *formula, double theta, double *q, double *qd,
                              double *work) {
  const sdirk *self = (const sdirk *)formula;
  hn_ode *ode = formula->ode;
  hn_stages_interpolate(self->stages, theta, q, qd, work);
  ode->type->restrict_to(ode, q, self->y);
  ode->type->restrict_to(ode, qd, self->yd);
  ode->type->expand(ode, self->stages->t0 + theta * self->stages->h, self->y, self->yd, q, qd);
}

static void sdirk_accept(hn_ode_formula *formula) {
  sdirk *self = (sdirk *)formula;
  const hn_ode *ode = formula->ode;
  self->age = ode->implicit->has_matrix ? self->age + 1 : 0;
  if (self->newton.slowest > HN_NEWTON_SLOW || (!ode->can_carry && self->age >= OLD))
    ode->implicit->has_matrix = 0;
}

static const hn_ode_formula_type sdirk_type = {.begin = sdirk_begin,
                                               .stages = sdirk_stages,
                                               .end = sdirk_end,
                                               .interpolate = sdirk_interpolate,
                                               .accept = sdirk_accept};

hn_status hn_ode_sdirk_create(hn_arena *arena, hn_ode *ode, const hn_method_choice *choice,
                              hn_ode_formula **formula) {
  hn_implicit_formula found;
  if (!hn_find_implicit_formula(choice, &found) || found.kind != HN_IMPLICIT_SDIRK)
    return HN_ERROR_UNSUPPORTED;
  sdirk *self = HN_KEEP(arena, sdirk, 1);
  if (!self) return HN_ERROR_MEMORY;
  int nq = ode->implicit->method->equations->nq;
  ode->corrects = ode->can_correct;
  // multipliers are unknowns of the iteration then, but not in its norm; a tree has none, and its
  // iterations are cheap
  self->has_multipliers = ode->corrects && ode->implicit->tangent->rows > 0 &&
                          !ode->implicit->method->equations->has_residual;
  if (ode->corrects && ode->implicit->tangent->rows > 0) ode->kappa *= 0.1;
  self->base = (hn_ode_formula){.type = &sdirk_type,
                                .name = found.name,
                                .order = found.order,
                                .error_order = found.error_order};
  self->newton.limit = hn_newton_limit(choice->max_iterations);
  double **vectors[] = {&self->y_hat, &self->yd_hat, &self->y,    &self->yd,
                        &self->ydd,   &self->da,     &self->full, &self->weight};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_WORK(arena, double, nq);
  *formula = &self->base;
  hn_newton_declare(arena, &self->newton);
  hn_declare_integer(arena, &self->age, 0, INT_MAX / 2, "the age of the matrix");
  hn_status status =
      arena->failed ? HN_ERROR_MEMORY : hn_stages_create(arena, &found, nq, &self->stages);
  return status != HN_OK ? status
                         : hn_stages_take_states(arena, self->stages, ode->implicit->method);
}
