// Method first-order with an implicit formula: the model as the ODE y'' = f(t, y, y') (ode.h) in
// all coordinates or in independent ones, stepped by SDIRK (ForSDIRK) or Rosenbrock (ForRosen;
// Negrut 1998, ch. 3.4). Common parts of both: memory, the order of a step, its error test, steps
// past singular configurations. Out of scope: the matrices (ode.c), the formulas (ode_sdirk.c,
// ode_rosenbrock.c).
#include <string.h>

#include "base/error.h"
#include "integrate/ode_formula.h"

// |Phi| that counts as zero at stages in independent coordinates: stiff forces multiply the
// residual.
#define RECOVERY 1e-12

// After this many steps in a row past a singular configuration that stability limited, the formula
// makes the step: a stiff model that stays near one would be stepped explicitly all the time.
enum { HELD_STEPS = 10 };
#define BORDER 3.0 // of h |lambda| there

typedef struct first_order_implicit {
  hn_method base;
  hn_implicit implicit;
  hn_ode *ode;
  hn_ode_formula *formula;
  int held;          // consecutive steps past a singular configuration limited by stability
  double begin_work; // at the start of the attempted or last taken step
} first_order_implicit;

static hn_status create(hn_arena *arena, hn_equations *equations, const hn_method_choice *choice,
                        hn_method **method, hn_error *error) {
  first_order_implicit *self = HN_KEEP(arena, first_order_implicit, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  hn_method *m = &self->base;
  m->type = &hn_first_order_implicit;
  m->equations = equations;
  self->implicit.reads_blocks = choice->independent != HN_INDEPENDENT_NONE;
  hn_status status = hn_implicit_create(arena, m, &self->implicit, error);
  const hn_tangent *tangent = self->implicit.tangent;
  const unsigned independent =
      tangent && tangent->is_deep ? HN_INDEPENDENT_NONE : choice->independent;
  if (status == HN_OK)
    status = hn_ode_create(arena, &self->implicit, independent, &self->ode, error);
  if (status != HN_OK) return status;
  status = hn_ode_formula_create(arena, self->ode, choice, &self->formula);
  if (status == HN_ERROR_UNSUPPORTED)
    return hn_fail(error, status, NULL, NULL, "see `holon list` for the combinations",
                   "method first-order with formula '%s' is not available", choice->formula->name);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for the integrator");
  m->formula = self->formula->name;
  m->independent = self->ode->name;
  m->error_order = self->formula->error_order;
  hn_declare_integer(arena, &self->ode->is_fresh, 0, 1, "the flag of a start");
  hn_declare_integer(arena, &self->held, 0, HELD_STEPS, "the number of substituted steps");
  *method = m;
  return HN_OK;
}

static hn_status begin(hn_method *method, const hn_branches *branches, hn_error *error) {
  first_order_implicit *self = (first_order_implicit *)method;
  self->ode->is_fresh = 1;
  self->held = 0;
  self->formula->type->begin(self->formula);
  return hn_implicit_begin(&self->implicit, branches, error);
}

// Where the position is nearly singular, or has no independent coordinates.
static hn_status pass(first_order_implicit *self, double t_end, const hn_branches *branches,
                      const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  self->base.is_substituted = 1;
  self->ode->is_fresh = 1;
  return hn_implicit_pass(&self->implicit, t_end, branches, tolerance, error_norm, error);
}

static hn_status attempt_stages(first_order_implicit *self, double t_end,
                                const hn_branches *branches, const hn_tolerance *tolerance,
                                double *error_norm, hn_error *error) {
  hn_method *method = &self->base;
  hn_ode_formula *formula = self->formula;
  hn_ode *ode = self->ode;
  hn_status status = formula->type->stages(formula, t_end - method->t, branches, tolerance, error);
  if (status == HN_OK)
    status = ode->type->finish(ode, t_end, formula->y1, formula->yd1, branches, tolerance, error);
  double work = 0;
  if (status == HN_OK) status = formula->type->end(formula, branches, &work, error);
  if (status != HN_OK) return status;
  self->begin_work = method->work;
  self->implicit.end_work = method->work + work;
  *error_norm = ode->type->error_norm(ode, formula->error1, formula->error2, tolerance);
  if (formula->state_error > *error_norm) *error_norm = formula->state_error;
  return HN_OK;
}

static hn_status attempt(hn_method *method, double t_end, const hn_branches *branches,
                         const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  first_order_implicit *self = (first_order_implicit *)method;
  hn_implicit *implicit = &self->implicit;
  hn_ode *ode = self->ode;
  implicit->method->is_substituted = 0;
  // a part that may be stiff inside is left to an explicit formula only where nothing else is left
  if (implicit->is_near_singular && self->held < HELD_STEPS && !ode->has_hidden_power)
    return pass(self, t_end, branches, tolerance, error_norm, error);
  hn_error local = {.status = HN_OK};
  ode->projection = RECOVERY;
  hn_status status = ode->type->begin(ode, branches, &local);
  if (status == HN_ERROR_SINGULAR) return pass(self, t_end, branches, tolerance, error_norm, error);
  if (status != HN_OK) {
    *error = local;
    return status;
  }
  status = attempt_stages(self, t_end, branches, tolerance, error_norm, error);
  if (status <= 0 || !implicit->is_near_singular) return status;
  self->held = 0;
  return pass(self, t_end, branches, tolerance, error_norm, error);
}

static void interpolate(const hn_method *method, double theta, double *q, double *qd,
                        double *work) {
  const first_order_implicit *self = (const first_order_implicit *)method;
  const hn_implicit *implicit = &self->implicit;
  if (implicit->method->is_substituted) {
    implicit->passing->type->interpolate(implicit->passing, theta, q, qd, work);
    return;
  }
  self->formula->type->interpolate(self->formula, theta, q, qd, work);
  if (work) *work += self->begin_work;
}

static void accept(hn_method *method) {
  first_order_implicit *self = (first_order_implicit *)method;
  if (self->base.is_substituted)
    self->held = self->implicit.passing->stiffness <= BORDER ? 0
                 : self->held < HELD_STEPS                   ? self->held + 1
                                                             : HELD_STEPS;
  hn_implicit_accept(&self->implicit);
  if (!self->implicit.is_near_singular) self->held = 0;
  self->formula->type->accept(self->formula);
}

// The coordinates, then the matrix that was made in them.
static hn_status first_order_implicit_resume(hn_method *method) {
  first_order_implicit *self = (first_order_implicit *)method;
  hn_implicit *implicit = &self->implicit;
  hn_ode *ode = self->ode;
  const hn_step_numbers g = implicit->g;
  hn_status status = ode->type->resume ? ode->type->resume(ode) : HN_OK;
  // else the next step drops the matrix
  const int is_chosen = !ode->type->resume || !ode->is_fresh;
  if (status != HN_OK || !implicit->has_matrix || !is_chosen) return status;
  hn_place_visit(&implicit->place, method->equations);
  status = ode->type->matrix->make(ode, NULL);
  hn_place_visit(&implicit->place, method->equations);
  return status == HN_OK && g.v != 0 ? ode->type->matrix->factor(ode, g.v, 1) : status;
}

const hn_method_type hn_first_order_implicit = {
    .name = "first-order",
    .takes = HN_FORMULA_SDIRK | HN_FORMULA_SDIRK_BETWEEN | HN_FORMULA_ROSENBROCK,
    .independent = HN_INDEPENDENT_NONE | HN_INDEPENDENT_REDUCED,
    .first = "sdirk4-15",
    .takes_states = 1,
    .follows_conditions = 1,
    .create = create,
    .begin = begin,
    .attempt = attempt,
    .interpolate = interpolate,
    .accept = accept,
    .resume = first_order_implicit_resume,
};
