// Method descriptor: the unknowns of a stage are accelerations and multipliers (InflTrap, InflSDIRK;
// Negrut 1998, eqs. 3.74-3.83, methods/descriptor.md),
//
//   M a + Phi_q' lambda - Q = 0,   Phi_q a - tau = 0
//
// solved by Newton's method with the sparse stage matrix of the step's start, which is kept over steps
// and renewed when the iteration becomes slow. With independent `none` the stage is in all coordinates,
// q = q_hat + g_q a,  v = v_hat + g_v a. With independent coordinates the state is recovered from
// them, a satisfies the second equation and lambda = Z' (Q - M a) part of the first at every iterate;
// the residual is V P' (Q - M a). The matrix is that of all coordinates still: it differs from the exact
// one by what a changes in dependent directions, which is of the order g times the rates of turning.
//
// Method descriptor-form is the thesis' iteration itself: (a, lambda) are the unknowns with independent
// coordinates too, and the state is recovered from V' a. His matrix has K Hhat and C Hhat, Hhat = P V':
// what a correction changes in dependent directions, Z c with c = tau - Phi_q a, moves no coordinate
// (V' Z = 0). So it is made first and enters by M alone; the rest has c = 0, and there N represents
// his matrix as said above. With Z c in N's right side bushings would answer to it, by g_q K Z c: on the
// stiff HMMWV14 at 1e-2 172 iterations of 644 fail then instead of 20 of 192.
//
// A new choice renews the matrix: a coordinate that is independent now may have hardly moved where the
// matrix was made (e0 of a body that has not turned yet), which would hide residuals and errors alike.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "integrate/stage_method.h"
#include "linalg/vectors.h"

// ---- matrix -------------------------------------------------------------------------------------

static hn_status make(hn_stage_method *self, hn_error *error) {
  return hn_implicit_make(&self->implicit, error);
}

static hn_status factor(hn_stage_method *self, hn_step_numbers g, int is_again) {
  const unsigned char *left_out = is_again          ? self->implicit.left_out
                                  : self->reduction ? hn_reduction_left_out(self->reduction)
                                                    : self->base.equations->redundant;
  return hn_implicit_factor(&self->implicit, g, left_out);
}

// ---- a stage ------------------------------------------------------------------------------------

// Minus the residuals at the iterate.
static hn_status residual(hn_stage_method *self, const hn_branches *branches, hn_error *error) {
  hn_tangent *t = self->implicit.tangent;
  const hn_stages *s = self->stages;
  hn_stage_method_state(self);
  const hn_tangent_state at = {.t = s->t,
                               .q = self->q,
                               .qd = self->v,
                               .qdd = self->a,
                               .lambda = self->implicit.lambda,
                               .branches = branches,
                               .b = self->b,
                               .c = self->c};
  return hn_tangent_evaluate(t, &at, HN_BALANCE, error);
}

// The correction's effect on q and v against the tolerance: of the whole vector, since norms of
// independent coordinates alone alternate.
static double correction_norm(const hn_stage_method *self) {
  int n = self->stages->n;
  double sum = hn_sum_of_squares(self->stages->wide, n, self->weight, self->da);
  double norm = n > 0 ? sqrt(sum / (2 * n)) : 0;
  return isfinite(norm) ? norm : HUGE_VAL;
}

static hn_status correct(hn_stage_method *self, const hn_branches *branches, double *norm,
                         hn_error *error) {
  hn_status status = residual(self, branches, error);
  if (status != HN_OK) return status;
  hn_stage_matrix_solve(self->implicit.matrix, self->b, self->c, self->da, self->dl, 0);
  for (int r = 0; r < self->implicit.tangent->rows; r++) self->implicit.lambda[r] += self->dl[r];
  for (int i = 0; i < self->stages->n; i++) self->a[i] += self->da[i];
  *norm = correction_norm(self);
  return HN_OK;
}

// ---- with independent coordinates ---------------------------------------------------------------

static void solve(hn_stage_method *self, double *x) {
  double *b = self->implicit.change; // written again at the end of the step
  hn_reduction_spread(self->reduction, x, b);
  memset(self->c, 0, (size_t)self->implicit.tangent->rows * sizeof(double));
  hn_stage_matrix_solve(self->implicit.matrix, b, self->c, self->da, self->dl, 0);
  hn_reduction_restrict(self->reduction, self->da, x);
}

static void filter(hn_stage_method *self, double *e_q, double *e_v) {
  double *q = self->implicit.error, *v = q + self->stages->n;
  hn_stage_matrix_filter(self->implicit.matrix, q, v);
  hn_reduction_restrict(self->reduction, q, e_q);
  hn_reduction_restrict(self->reduction, v, e_v);
}

// One correction of (a, lambda): T 3.76 at the state recovered from V' a.
static hn_status correct_form(hn_stage_method *self, const hn_branches *branches, double *norm,
                              hn_error *error) {
  hn_tangent *t = self->implicit.tangent;
  const hn_stages *s = self->stages;
  double *lambda = self->implicit.lambda;
  hn_status status = hn_stage_reduced_recover(self, branches, self->recovery);
  if (status == HN_OK) status = hn_stage_reduced_balance(self, branches, error); // a + Z c
  if (status != HN_OK) return status;
  // initial lambda: an error there would enter a later one than the iteration checks
  if (self->newton.iteration == 0) hn_reduction_multipliers(self->reduction, self->b, lambda);
  hn_sparse_add_transposed_product(&t->phi_q, -1, lambda, self->b);
  memset(self->c, 0, (size_t)t->rows * sizeof(double));
  hn_stage_matrix_solve(self->implicit.matrix, self->b, self->c, self->da, self->dl, 0);
  for (int r = 0; r < t->rows; r++) lambda[r] += self->dl[r];
  for (int i = 0; i < s->n; i++) {
    self->a[i] += self->da[i];
    self->q[i] += s->g.q * self->da[i];
    self->v[i] += s->g.v * self->da[i];
  }
  hn_reduction_restrict(self->reduction, self->a, self->w);
  // what is integrated must have converged too: a few coordinates hardly show among all of them
  hn_reduction_restrict(self->reduction, self->da, self->w_after);
  double now = fmax(correction_norm(self), hn_stage_reduced_norm(self, self->w_after));
  // lambda is not in it and comes back every second time: good and bad rates take turns
  *norm = self->newton.iteration == 0 ? now : fmax(now, sqrt(now * self->correction));
  self->correction = now;
  return HN_OK;
}

// ---- the methods ---------------------------------------------------------------------------------

const hn_stage_solver hn_descriptor_solver = {.make = make,
                                              .factor = factor,
                                              .correct = correct,
                                              .solve = solve,
                                              .filter = filter,
                                              .depends_on_choice = 1};

static const hn_stage_solver form_solver = {.make = make,
                                            .factor = factor,
                                            .correct = correct_form,
                                            .filter = filter,
                                            .depends_on_choice = 1,
                                            .has_all_unknowns = 1};

static hn_status create(hn_arena *arena, hn_equations *equations, const hn_method_choice *choice,
                        const hn_method_type *type, const hn_stage_solver *own, hn_method **method,
                        hn_error *error) {
  hn_implicit_formula implicit;
  if (!hn_find_implicit_formula(choice, &implicit))
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "see `holon list` for the combinations",
                   "method %s with formula '%s' is not available", type->name,
                   choice->formula->name);
  hn_stage_method *self = HN_KEEP(arena, hn_stage_method, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base.type = type;
  self->solver = own;
  hn_status status = hn_stage_method_create(arena, equations, &implicit, choice, self, error);
  if (status == HN_OK) *method = &self->base;
  return status;
}

static hn_status descriptor_create(hn_arena *arena, hn_equations *equations,
                                   const hn_method_choice *choice, hn_method **method,
                                   hn_error *error) {
  return create(arena, equations, choice, &hn_descriptor, &hn_descriptor_solver, method, error);
}

static hn_status form_create(hn_arena *arena, hn_equations *equations,
                             const hn_method_choice *choice, hn_method **method, hn_error *error) {
  return create(arena, equations, choice, &hn_descriptor_form, &form_solver, method, error);
}

const hn_method_type hn_descriptor = {
    .name = "descriptor",
    .takes = HN_FORMULAS_OF_STAGES,
    .independent = HN_INDEPENDENT_NONE | HN_INDEPENDENT_REDUCED,
    .first = "sdirk4-16",
    .create = descriptor_create,
    HN_STAGE_METHOD,
};

const hn_method_type hn_descriptor_form = {
    .name = "descriptor-form",
    .takes = HN_FORMULA_TRAPEZOIDAL | HN_FORMULA_SDIRK,
    .independent = HN_INDEPENDENT_PARTITION,
    .equations = &hn_cartesian,
    .create = form_create,
    HN_STAGE_METHOD,
};
