// Method state-space: the unknowns of a stage are independent accelerations vdd (SspTrap; Negrut 1998,
// eqs. 3.21-3.47 and 3.59-3.73, methods/state-space.md). At the state recovered from them
//
//   Psi(vdd) = P' (M qdd - Q) = 0
//
// where P' takes the multipliers out. Newton's method with Pi(g) = Mhat + g_v M1 + g_q M2 of the
// step's start (reduced_jacobian.h), kept over steps: a rejected step only rescales it.
#include <string.h>

#include "base/error.h"
#include "integrate/reduced_jacobian.h"
#include "integrate/stage_method.h"

typedef struct state_space {
  hn_stage_method stage;
  hn_reduced_jacobian *jacobian;
} state_space;

// ---- matrix -------------------------------------------------------------------------------------

static hn_status make(hn_stage_method *self, hn_error *error) {
  state_space *s = (state_space *)self;
  hn_method *m = &self->base;
  hn_implicit *implicit = &self->implicit;
  const hn_place *p = &implicit->place;
  const hn_tangent_state at = hn_place_state(p);
  hn_status status = hn_tangent_evaluate(implicit->tangent, &at, HN_FULL, error);
  if (status == HN_OK) status = hn_reduction_factor(self->reduction);
  if (status == HN_OK)
    status = hn_reduced_jacobian_renew(s->jacobian, p->qd, m->equations->threads);
  if (status != HN_OK) return status == HN_ERROR_SINGULAR ? HN_RETRY : status;
  implicit->g = (hn_step_numbers){0, 0};
  implicit->matrix_is_here = implicit->has_matrix = 1;
  m->jacobians++;
  return HN_OK;
}

static hn_status factor(hn_stage_method *self, hn_step_numbers g, int is_again) {
  (void)is_again;
  hn_status status = hn_reduced_jacobian_factor(((state_space *)self)->jacobian, g);
  self->implicit.g = status == HN_OK ? g : (hn_step_numbers){0, 0};
  return status == HN_OK ? HN_OK : HN_RETRY;
}

// ---- a stage ------------------------------------------------------------------------------------

static void solve(hn_stage_method *self, double *x) {
  hn_reduced_jacobian_solve(((state_space *)self)->jacobian, x);
}

static void filter(hn_stage_method *self, double *e_q, double *e_v) {
  const double *q = self->implicit.error, *v = q + self->stages->n;
  hn_reduction_restrict(self->reduction, q, e_q);
  hn_reduction_restrict(self->reduction, v, e_v);
  hn_reduced_jacobian_filter(((state_space *)self)->jacobian, e_q, e_v);
}

// ---- the method ---------------------------------------------------------------------------------

static const hn_stage_solver solver = {.make = make,
                                       .factor = factor,
                                       .solve = solve,
                                       .filter = filter,
                                       .depends_on_choice = 1,
                                       .renews_here = 1,
                                       .reads_blocks = 1};

static hn_status state_space_create(hn_arena *arena, hn_equations *equations,
                                    const hn_method_choice *choice, hn_method **method,
                                    hn_error *error) {
  hn_implicit_formula implicit;
  if (!hn_find_implicit_formula(choice, &implicit) || choice->independent == HN_INDEPENDENT_NONE)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "see `holon list` for the combinations",
                   "method state-space with formula '%s' and independent '%s' is not available",
                   choice->formula->name, hn_independent_name(choice->independent));
  state_space *self = HN_KEEP(arena, state_space, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->stage.base.type = &hn_state_space;
  self->stage.solver = &solver;
  hn_status status =
      hn_stage_method_create(arena, equations, &implicit, choice, &self->stage, error);
  if (status != HN_OK) return status;
  *method = &self->stage.base;
  if (!self->stage.reduction) return HN_OK;
  status = hn_reduced_jacobian_create(arena, self->stage.reduction, self->stage.implicit.tangent,
                                      &self->jacobian);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for %d degrees of freedom",
                   hn_reduction_most(self->stage.reduction));
  return HN_OK;
}

const hn_method_type hn_state_space = {
    .name = "state-space",
    .takes = HN_FORMULAS_OF_STAGES,
    .independent = HN_INDEPENDENT_REDUCED,
    .first = "sdirk4-16",
    .create = state_space_create,
    HN_STAGE_METHOD,
};
