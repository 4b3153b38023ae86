// The model as an ODE in all its coordinates: see ode.h.
//
// f(q, v) are the accelerations of evaluate_stage, off the constraints too. S x = r is the stage
// matrix's N(g) [x; mu] = [M r; Phi_q r], and for f_t the right side is [Q_t; tau_t]. The derivatives
// are exact for the f that is evaluated: bodies are seen with Euler parameters of unit length, and rows
// left out of stages are left out of the multipliers too.
#include "integrate/ode.h"

#include <string.h>

#include "base/error.h"
#include "integrate/formula.h"
#include "linalg/block.h"
#include "linalg/vectors.h"

typedef struct full_ode {
  hn_ode base;
  int wide;                         // hn_is_wide()
  double *q_t;                      // Q_t where the matrix is (nq)
  double *tau_t;                    // (rows)
  double *mu;                       // (rows)
  double *c;                        // tau - Phi_q a of an iterate (rows)
  double *known[HN_MAX_STAGES + 1]; // multipliers at the start and at the stages found (rows)
} full_ode;

static hn_method *method_of(const hn_ode *ode) { return ode->implicit->method; }

hn_status hn_ode_take_memory(hn_arena *arena, hn_ode *ode, hn_implicit *implicit) {
  int nq = implicit->method->equations->nq;
  ode->implicit = implicit;
  double **vectors[] = {&ode->y, &ode->yd, &ode->ydd, &ode->q, &ode->qd};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_WORK(arena, double, nq);
  if (arena->failed) return HN_ERROR_MEMORY;
  return hn_snapshot_create(arena, implicit->method->equations, &ode->stage);
}

hn_status hn_ode_whole_begin(hn_ode *ode, const hn_branches *branches, hn_error *error) {
  const hn_method *m = method_of(ode);
  size_t size = (size_t)ode->n * sizeof(double);
  (void)branches;
  (void)error;
  memcpy(ode->y, m->q, size);
  memcpy(ode->yd, m->qd, size);
  memcpy(ode->ydd, m->now->qdd, size);
  return HN_OK;
}

// Multipliers as stages have them: without the rows left out there.
static hn_status stage_multipliers(hn_ode *ode, const hn_branches *branches, hn_error *error) {
  hn_implicit *implicit = ode->implicit;
  hn_method *m = implicit->method;
  hn_equations *e = m->equations;
  hn_status status = hn_implicit_multipliers(implicit, branches, error);
  if (status != HN_OK || e->redundant_count == 0) return status;
  status = e->type->evaluate_stage(e, m->t, m->q, m->qd, branches, ode->stage, error);
  if (status != HN_OK) return status;
  memcpy(implicit->lambda, ode->stage->lambda, (size_t)e->elements->row_count * sizeof(double));
  implicit->tangent->type->normalization_multipliers(implicit->tangent, implicit->lambda);
  return HN_OK;
}

static hn_status full_make(hn_ode *ode, hn_error *error) {
  full_ode *self = (full_ode *)ode;
  hn_implicit *implicit = ode->implicit;
  hn_tangent *t = implicit->tangent;
  const hn_method *m = implicit->method;
  const hn_place *p = &implicit->place;
  hn_status status = hn_implicit_make(implicit, error);
  if (status != HN_OK) return status;
  if (!ode->corrects) hn_stage_matrix_see_unit_parameters(implicit->matrix, p->q, p->qd);
  memcpy(self->q_t, t->q_t, (size_t)t->n * sizeof(double));
  memcpy(self->tau_t, t->tau_t, (size_t)t->rows * sizeof(double));
  for (int r = t->rows - m->equations->normalizations; r < t->rows; r++) self->tau_t[r] = 0;
  return HN_OK;
}

static hn_status full_renew(hn_ode *ode, const hn_branches *branches, hn_error *error) {
  hn_status status = stage_multipliers(ode, branches, error);
  if (status != HN_OK) return status;
  hn_implicit_take_place(ode->implicit, branches);
  return full_make(ode, error);
}

static hn_status full_factor(hn_ode *ode, double g, int is_again) {
  const unsigned char *left_out =
      is_again ? ode->implicit->left_out : method_of(ode)->equations->redundant;
  return hn_implicit_factor(ode->implicit, hn_first_order_numbers(g), left_out);
}

// The matrix of an earlier step is carried along with the bodies; that of this one is unchanged.
static void filter_at(hn_ode *ode, const double *q, double *r1, double *r2) {
  if (ode->implicit->matrix_is_here)
    hn_stage_matrix_filter(ode->implicit->matrix, r1, r2);
  else
    hn_implicit_filter(ode->implicit, q, r1, r2);
}

static void full_filter(hn_ode *ode, double *r1, double *r2) {
  filter_at(ode, method_of(ode)->q, r1, r2);
}

// Carried to the stage in any case: within a step too bodies turn by more than the rest changes.
static void full_solve(hn_ode *ode, double *r) {
  hn_implicit_solve_accelerations(ode->implicit, ode->q, r);
}

static void full_time_part(hn_ode *ode, double *x) {
  full_ode *self = (full_ode *)ode;
  hn_stage_matrix_solve(ode->implicit->matrix, self->q_t, self->tau_t, x, self->mu, 2);
}

hn_status hn_ode_whole_evaluate(hn_ode *ode, double t, const double *y, const double *yd,
                                const hn_branches *branches, double *f, hn_error *error) {
  hn_equations *e = method_of(ode)->equations;
  size_t size = (size_t)ode->n * sizeof(double);
  memcpy(ode->q, y, size);
  memcpy(ode->qd, yd, size);
  hn_status status = e->type->evaluate_stage(e, t, y, yd, branches, ode->stage, error);
  memcpy(f, ode->stage->qdd, size);
  return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
}

// With multipliers as unknowns of the iteration nothing is solved for accelerations:
//
//   N [da; dlambda] = [Q - M a - Phi_q' lambda; tau - Phi_q a]
//
// has the same limit, and da is S (f - a) up to what Phi_q has changed since N was made.
static hn_status full_correct(hn_ode *ode, double t, const double *y, const double *yd,
                              const double *ydd, const hn_branches *branches, double *correction,
                              hn_error *error) {
  full_ode *self = (full_ode *)ode;
  hn_implicit *implicit = ode->implicit;
  hn_tangent *tangent = implicit->tangent;
  const hn_tangent_state at = {.t = t,
                               .q = y,
                               .qd = yd,
                               .qdd = ydd,
                               .lambda = implicit->lambda,
                               .branches = branches,
                               .b = correction,
                               .c = self->c};
  hn_status status = hn_tangent_evaluate(tangent, &at, HN_BALANCE, error);
  if (status != HN_OK) return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
  hn_stage_matrix_solve(implicit->matrix, correction, self->c, correction, self->mu, 0);
  for (int r = 0; r < tangent->rows; r++) implicit->lambda[r] += self->mu[r];
  return HN_OK;
}

static void full_open_stage(hn_ode *ode, int i, const double *weight) {
  full_ode *self = (full_ode *)ode;
  hn_implicit *implicit = ode->implicit;
  int rows = implicit->tangent->rows, elements = rows - method_of(ode)->equations->normalizations;
  if (i == 0)
    memcpy(self->known[0], method_of(ode)->now->lambda, (size_t)elements * sizeof(double));
  hn_combine(self->wide, rows, i + 1, weight, self->known, implicit->lambda);
}

static void full_close_stage(hn_ode *ode, int i) {
  full_ode *self = (full_ode *)ode;
  memcpy(self->known[i + 1], ode->implicit->lambda,
         (size_t)ode->implicit->tangent->rows * sizeof(double));
  memcpy(ode->stage->lambda, ode->implicit->lambda,
         (size_t)method_of(ode)->equations->elements->row_count * sizeof(double));
}

void hn_ode_whole_complete(hn_ode *ode, const double *ydd, double *qdd) {
  memcpy(qdd, ydd, (size_t)ode->n * sizeof(double));
}

hn_status hn_ode_whole_finish(hn_ode *ode, double t_end, const double *y, const double *yd,
                              const hn_branches *branches, const hn_tolerance *tolerance,
                              hn_error *error) {
  return hn_implicit_finish(ode->implicit, t_end, y, yd, branches, tolerance, error);
}

double hn_ode_whole_norm(hn_ode *ode, const double *error1, const double *error2,
                         const hn_tolerance *tolerance) {
  size_t size = (size_t)ode->n * sizeof(double);
  memcpy(ode->implicit->error, error1, size);
  memcpy(ode->implicit->error + ode->n, error2, size);
  return hn_implicit_error_norm(ode->implicit, tolerance);
}

static double full_error_norm(hn_ode *ode, double *error1, double *error2,
                              const hn_tolerance *tolerance) {
  double raw =
      ode->counts_raw ? ode->raw_share * hn_ode_whole_norm(ode, error1, error2, tolerance) : 0;
  filter_at(ode, method_of(ode)->next_q, error1, error2);
  double norm = hn_ode_whole_norm(ode, error1, error2, tolerance);
  return raw > norm ? raw : norm;
}

void hn_ode_whole_restrict(const hn_ode *ode, const double *q, double *y) {
  memcpy(y, q, (size_t)ode->n * sizeof(double));
}

void hn_ode_whole_expand(hn_ode *ode, double t, const double *y, const double *yd, double *q,
                         double *qd) {
  (void)t;
  memmove(q, y, (size_t)ode->n * sizeof(double));
  memmove(qd, yd, (size_t)ode->n * sizeof(double));
}

static const hn_ode_matrix full_matrix = {.renew = full_renew,
                                          .make = full_make,
                                          .factor = full_factor,
                                          .filter = full_filter,
                                          .solve = full_solve,
                                          .time_part = full_time_part,
                                          .correct = full_correct};

static const hn_ode_type full_type = {.matrix = &full_matrix,
                                      .begin = hn_ode_whole_begin,
                                      .evaluate = hn_ode_whole_evaluate,
                                      .open_stage = full_open_stage,
                                      .close_stage = full_close_stage,
                                      .complete = hn_ode_whole_complete,
                                      .finish = hn_ode_whole_finish,
                                      .error_norm = full_error_norm,
                                      .restrict_to = hn_ode_whole_restrict,
                                      .expand = hn_ode_whole_expand};

static hn_status create_full(hn_arena *arena, hn_implicit *implicit, hn_ode **ode) {
  full_ode *self = HN_KEEP(arena, full_ode, 1);
  if (!self) return HN_ERROR_MEMORY;
  hn_status status = hn_ode_take_memory(arena, &self->base, implicit);
  if (status != HN_OK) return status;
  self->base.type = &full_type;
  self->wide = hn_is_wide();
  self->base.name = "none";
  self->base.can_carry = !implicit->tangent->type->carries_roughly;
  self->base.can_correct =
      implicit->method->equations->has_residual || implicit->tangent->type->is_quick;
  self->base.kappa = 1e-2;
  self->base.raw_share = 1.0 / 3;
  self->base.n = implicit->method->equations->nq;
  self->q_t = HN_KEEP(arena, double, self->base.n); // these go with the matrix, which stays
  self->tau_t = HN_KEEP(arena, double, implicit->tangent->rows);
  self->mu = HN_WORK(arena, double, implicit->tangent->rows);
  self->c = HN_WORK(arena, double, implicit->tangent->rows);
  for (int i = 0; i <= HN_MAX_STAGES; i++)
    self->known[i] = HN_KEEP(arena, double, implicit->tangent->rows);
  *ode = &self->base;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_ode_create(hn_arena *arena, hn_implicit *implicit, unsigned independent, hn_ode **ode,
                        hn_error *error) {
  hn_status status = HN_ERROR_UNSUPPORTED;
  if (!implicit->tangent)
    status = hn_ode_create_differences(arena, implicit, ode);
  else if (independent == HN_INDEPENDENT_NONE)
    status = create_full(arena, implicit, ode);
  else
    status = hn_ode_create_reduced(arena, implicit, independent, ode);
  if (status == HN_OK) return status;
  if (status == HN_ERROR_MEMORY)
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for method first-order");
  if (!implicit->tangent && status == HN_ERROR_UNSUPPORTED)
    return hn_fail(error, status, NULL, NULL,
                   "use @formula dopri5, or the model files of the components",
                   "implicit formulas support components of up to 150 bodies; this one has %d",
                   implicit->method->equations->model->body_count - 1);
  return hn_fail(error, status, NULL, NULL, "see `holon list` for the combinations",
                 "method first-order with independent '%s' is not available",
                 hn_independent_name(independent));
}
