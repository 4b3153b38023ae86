// Steps made of implicit stages: see stage_method.h.
#include "integrate/stage_method.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vectors.h"
#include "math/elementary.h"

// Fraction of the tolerance for the residual of the iteration: the weights of SDIRK4 multiply it by
// up to 30.
#define KAPPA 1e-4
// The same in real time where a step is one stage: no estimate of errors has to be kept clean.
#define KAPPA_BOUNDED 1e-2
// Of that, in |Phi|, while a stage is iterated on.
#define RECOVERED 1
// Condition of E from which on accelerations of a step's end are solved for again.
#define SOUND 1e3
// Square of the share by which a slope of accelerations may have changed to be followed.
#define SMOOTH 0.1
// So many steps a matrix is kept that is quickly made. Iterations would converge for longer, but the
// filter of the error lets stiff components through that have turned away from it. Steps of one stage
// are short, and making a matrix costs as much as eight iterations: there it serves on until some
// coordinate has turned by so many radians.
#define OLD 3
#define OLD_UNTURNED 8
#define TURNED 0.1

static int has_all_unknowns(const hn_stage_method *self) {
  return !self->reduction || self->solver->has_all_unknowns;
}

// ---- set-up -------------------------------------------------------------------------------------

static hn_status take_memory(hn_arena *arena, hn_stage_method *self,
                             const hn_implicit_formula *formula) {
  int n = self->base.equations->nq, rows = self->implicit.tangent->rows;
  hn_status status = hn_stages_create(arena, formula, n, &self->stages);
  if (status == HN_OK) status = hn_stages_take_states(arena, self->stages, &self->base);
  if (status != HN_OK) return status;
  double **vectors[] = {&self->a, &self->q, &self->v, &self->b, &self->da};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_WORK(arena, double, n);
  self->c = HN_WORK(arena, double, rows);
  self->dl = HN_WORK(arena, double, rows);
  if (self->reduction) {
    int most = hn_reduction_most(self->reduction);
    double **reduced[] = {&self->w, &self->w_q, &self->w_v, &self->w_before, &self->w_after};
    for (size_t k = 0; k < sizeof reduced / sizeof reduced[0]; k++)
      *reduced[k] = HN_WORK(arena, double, most);
    int corrections = self->newton.limit + 2; // the error test uses two
    self->past = HN_TAKE(arena, double *, corrections);
    for (int k = 0; self->past && k < corrections; k++)
      self->past[k] = HN_WORK(arena, double, most);
    self->w_scale = HN_KEEP(arena, double, 2 * most);
    if (self->concludes) self->trend = HN_KEEP(arena, double, 2 * n);
  }
  for (int i = 0; !self->reduction && i <= formula->stages; i++)
    self->known[i] = HN_KEEP(arena, double, rows);
  if (has_all_unknowns(self)) self->weight = HN_KEEP(arena, double, n);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void declare_stage_method(hn_arena *arena, hn_stage_method *self) {
  int *const flags[] = {&self->has_end_multipliers, &self->has_choice, &self->is_sound};
  const int rows = self->implicit.tangent->rows;
  hn_newton_declare(arena, &self->newton);
  hn_declare_flags(arena, flags, 3, "a flag of stages");
  hn_declare_integer(arena, &self->age, 0, INT_MAX / 2, "the age of the matrix");
  hn_declare_integer(arena, &self->trends, 0, self->trend ? 2 : 0, "the number of trends");
  if (self->known[0]) HN_STATE(arena, self->known[0], rows, "multiplier at the start");
  if (self->trend) HN_STATE(arena, self->trend, 2 * self->stages->n, "a trend");
}

hn_status hn_stage_method_create(hn_arena *arena, hn_equations *equations,
                                 const hn_implicit_formula *formula, const hn_method_choice *choice,
                                 hn_stage_method *self, hn_error *error) {
  const unsigned independent = choice->independent;
  self->base.equations = equations;
  self->base.formula = formula->name;
  self->base.independent = hn_independent_name(independent);
  self->base.error_order = formula->error_order;
  self->concludes = choice->is_bounded && formula->stages == 1;
  self->newton = hn_newton_begin(self->concludes ? KAPPA_BOUNDED : KAPPA);
  self->newton.limit = hn_newton_limit(choice->max_iterations);
  self->implicit.reads_blocks = self->solver->reads_blocks;
  hn_status status = hn_implicit_create(arena, &self->base, &self->implicit, error);
  if (status != HN_OK) return status;
  if (self->implicit.tangent->is_deep) { // nothing to choose, and no matrix to choose by
    self->base.independent = "none";
    self->solver = &hn_descriptor_solver;
  } else if (independent != HN_INDEPENDENT_NONE)
    status = hn_reduction_create(arena, equations, self->implicit.tangent, independent,
                                 &self->reduction);
  self->concludes &= self->reduction && self->implicit.tangent->type->conclude;
  if (status == HN_OK) status = take_memory(arena, self, formula);
  if (status == HN_OK) declare_stage_method(arena, self);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for the integrator");
  return HN_OK;
}

hn_status hn_stage_method_begin(hn_method *method, const hn_branches *branches, hn_error *error) {
  hn_stage_method *self = (hn_stage_method *)method;
  int limit = self->newton.limit;
  double kappa = self->newton.kappa;
  self->newton = hn_newton_begin(kappa);
  self->newton.limit = limit;
  self->newton.patience = has_all_unknowns(self) ? HN_NEWTON_PATIENT : 0;
  self->has_choice = self->has_end_multipliers = self->is_sound = self->trends = 0;
  hn_stages_restart(self->stages);
  return hn_implicit_begin(&self->implicit, branches, error);
}

// ---- a stage ------------------------------------------------------------------------------------

void hn_stage_method_state(const hn_stage_method *self) {
  const hn_stages *s = self->stages;
  for (int i = 0; i < s->n; i++) {
    self->q[i] = s->q_hat[i] + s->g.q * self->a[i];
    self->v[i] = s->v_hat[i] + s->g.v * self->a[i];
  }
}

// On a line through the last two accelerations where the lines before went on like that.
static void follow_trend(hn_stage_method *self) {
  const hn_stages *s = self->stages;
  const double *now = self->trend, *before = now + s->n;
  double change = 0, size = 0;
  for (int i = 0; i < s->n; i++) {
    change += (now[i] - before[i]) * (now[i] - before[i]);
    size += now[i] * now[i];
  }
  if (!(change < SMOOTH * size)) return;
  for (int i = 0; i < s->n; i++) self->a[i] += s->h * now[i];
}

static void keep_trend(hn_stage_method *self) {
  const hn_method *m = &self->base;
  int n = self->stages->n;
  memcpy(self->trend + n, self->trend, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) self->trend[i] = (m->next->qdd[i] - m->now->qdd[i]) / m->step;
  if (self->trends < 2) self->trends++;
}

static void predict(hn_stage_method *self, int i) {
  double weight[HN_MAX_STAGES + 1];
  hn_stages_predict(self->stages, i, self->a);
  if (self->trends > 1) follow_trend(self);
  hn_stage_method_state(self);
  if (self->reduction) {
    hn_stage_reduced_open(self);
    return;
  }
  hn_stages_extrapolate(self->stages, i, weight);
  hn_combine(self->stages->wide, self->implicit.tangent->rows, i + 1, weight, self->known,
             self->implicit.lambda);
}

static int is_concluding(const hn_stage_method *self) { return self->concludes && self->is_sound; }

// If a step cannot be shortened, an iteration continues that is slow, or will exceed its bound:
// with the matrix of its own iterate, since a force that has changed its branch within the step is
// not in that of the start.
static int needs_matrix(const hn_stage_method *self) {
  const hn_method *m = &self->base;
  if (!self->reduction || !self->solver->renews_here) return 0;
  if (!m->accepts_unconverged && !m->is_patient) return 0;
  const hn_newton *n = &self->newton;
  if (n->iteration < 2) return 0;
  return n->theta > HN_NEWTON_POOR || n->last * hn_pow(n->theta, n->limit - n->iteration) > 1;
}

static hn_status correct(void *of, double *norm, hn_error *error) {
  hn_stage_method *self = of;
  self->wants_matrix = needs_matrix(self);
  return has_all_unknowns(self) ? self->solver->correct(self, self->branches, norm, error)
                                : hn_stage_reduced_correct(self, self->branches, norm, error);
}

static hn_status solve_stage(hn_stage_method *self, int i, const hn_branches *branches,
                             hn_error *error) {
  hn_method *m = &self->base;
  hn_equations *e = m->equations;
  double power = 0;
  hn_stages_open(self->stages, i);
  predict(self, i);
  hn_newton_begin_stage(&self->newton);
  self->past_count = 0;
  self->branches = branches;
  hn_status status = hn_newton_iterate(&self->newton, m, correct, self, error);
  if (status != HN_OK) return status;
  const double *lambda = self->implicit.lambda;
  if (!has_all_unknowns(self))
    status = hn_stage_reduced_multipliers(self, branches, error);
  else if (!self->reduction)
    hn_stage_method_state(self);
  if (status != HN_OK) return status;
  if (!is_concluding(self) && !hn_stages_is_end(self->stages, i))
    status = e->type->power(e, self->stages->t, self->q, self->v, lambda, branches, &power);
  hn_stages_close(self->stages, i, self->a, power);
  if (self->reduction)
    hn_stages_recovered(self->stages, i, self->v);
  else
    memcpy(self->known[i + 1], lambda, (size_t)self->implicit.tangent->rows * sizeof(double));
  return status;
}

// ---- a step -------------------------------------------------------------------------------------

// A correction da changes q by g_q da and v by g_v da.
static void find_scale(hn_stage_method *self, double h, const hn_tolerance *tolerance) {
  const hn_method *m = &self->base;
  int n = m->equations->nq;
  if (self->reduction) hn_stage_reduced_scale(self, tolerance);
  if (!has_all_unknowns(self)) return;
  hn_step_numbers g = hn_stages_numbers(self->stages->formula, h);
  for (int i = 0; i < n; i++) {
    double x = g.q / (tolerance->absolute + tolerance->relative * fabs(m->q[i]));
    double v = g.v / (tolerance->absolute + tolerance->relative * fabs(m->qd[i]));
    self->weight[i] = x * x + v * v;
  }
}

static hn_status solve_stages(hn_stage_method *self, double h, const hn_branches *branches,
                              hn_error *error) {
  hn_method *m = &self->base;
  hn_implicit *implicit = &self->implicit;
  hn_step_numbers g = hn_stages_numbers(self->stages->formula, h);
  hn_status status = HN_OK;
  // steps of a grid differ by rounding
  if (!(fabs(implicit->g.v - g.v) <= 1e-9 * g.v)) {
    status = self->solver->factor(self, g, 0);
    m->factorizations++;
    hn_newton_fresh(&self->newton);
  }
  if (status == HN_OK && !self->reduction && !self->has_end_multipliers) {
    status = hn_implicit_multipliers(implicit, branches, error);
    memcpy(self->known[0], implicit->lambda, (size_t)implicit->tangent->rows * sizeof(double));
  }
  hn_stages_begin(self->stages, m->t, h, m->q, m->qd, m->now->qdd, m->now->power);
  for (int i = 0; i < self->stages->formula->stages && status == HN_OK; i++)
    status = solve_stage(self, i, branches, error);
  return status;
}

static hn_status renew(hn_stage_method *self, const hn_branches *branches, hn_error *error) {
  self->age = 0;
  hn_newton_fresh(&self->newton);
  hn_status status = hn_implicit_multipliers(&self->implicit, branches, error);
  if (status != HN_OK) return status;
  hn_implicit_take_place(&self->implicit, branches);
  return self->solver->make(self, error);
}

// With the matrix there is; when the iteration fails, once more with that of the present state.
static hn_status iterate(hn_stage_method *self, double h, const hn_branches *branches,
                         hn_error *error) {
  const double g = hn_stages_numbers(self->stages->formula, h).v;
  hn_status status = hn_implicit_open_states(&self->implicit, g, branches);
  if (status == HN_OK && !self->implicit.has_matrix) status = renew(self, branches, error);
  if (status == HN_OK) status = solve_stages(self, h, branches, error);
  if (status == HN_RETRY_CONVERGENCE && !self->implicit.matrix_is_here) {
    self->base.newton_failures++;
    hn_implicit_open_states(&self->implicit, g, branches);
    status = renew(self, branches, error);
    if (status == HN_OK) status = solve_stages(self, h, branches, error);
  }
  if (status > 0) self->base.newton_failures++;
  return status;
}

// Independent coordinates at the present state. Without any (HN_ERROR_SINGULAR) the step is one
// past a singular configuration.
static hn_status choose(hn_stage_method *self, const hn_branches *branches) {
  hn_method *m = &self->base;
  if (!self->reduction || self->has_choice) return HN_OK;
  hn_status status = hn_reduction_select(self->reduction, m->t, m->q, m->qd, branches, NULL);
  if (status != HN_OK) return status;
  m->selections++;
  self->has_choice = 1;
  hn_newton_fresh(&self->newton); // rates were those of other coordinates
  if (self->solver->depends_on_choice) self->implicit.has_matrix = 0;
  return HN_OK;
}

// The last stage is the end, or the end takes its place: recovered once more, it is on the constraints.
static hn_status finish(hn_stage_method *self, double t_end, const hn_branches *branches,
                        const hn_tolerance *tolerance, hn_error *error) {
  hn_stages *stages = self->stages;
  if (!self->reduction)
    return hn_implicit_finish(&self->implicit, t_end, stages->q1, stages->v1, branches, tolerance,
                              error);
  if (hn_stages_end_between(stages)) hn_stage_reduced_open_end(self, t_end);
  hn_status status = hn_stage_reduced_recover(self, branches, self->projection);
  if (status != HN_OK) return status;
  // rows left out follow from the others, or contradict them
  if (!(hn_stage_reduced_gap(self) <= tolerance->projection))
    return hn_implicit_finish(&self->implicit, t_end, self->q, self->v, branches, tolerance, error);
  if (is_concluding(self)) return hn_stage_reduced_conclude(self, t_end, branches, error);
  return hn_implicit_finish_at(&self->implicit, t_end, self->q, self->v, branches, tolerance,
                               error);
}

hn_status hn_stage_method_attempt(hn_method *method, double t_end, const hn_branches *branches,
                                  const hn_tolerance *tolerance, double *error_norm,
                                  hn_error *error) {
  hn_stage_method *self = (hn_stage_method *)method;
  hn_implicit *implicit = &self->implicit;
  hn_stages *stages = self->stages;
  implicit->method->is_substituted = implicit->is_near_singular || choose(self, branches) != HN_OK;
  if (implicit->method->is_substituted)
    return hn_implicit_pass(implicit, t_end, branches, tolerance, error_norm, error);
  self->projection = self->recovery = tolerance->projection;
  if (self->concludes)
    self->recovery = fmax(self->recovery, RECOVERED * self->newton.kappa * tolerance->absolute);
  find_scale(self, t_end - method->t, tolerance);
  hn_status status = iterate(self, t_end - method->t, branches, error);
  if (status != HN_OK) return status;
  hn_stages_end(stages, implicit->error, implicit->error + stages->n);
  status = finish(self, t_end, branches, tolerance, error);
  if (status != HN_OK) return status;
  hn_stages_take_power(stages, method->next->power);
  implicit->end_work = method->work + hn_stages_work(stages);
  hn_stages_correct(stages, method->next_q, method->next_qd);
  *error_norm = 0;
  if (is_concluding(self)) return HN_OK; // not used
  *error_norm = self->reduction ? hn_stage_reduced_error(self, tolerance)
                                : hn_implicit_error(implicit, tolerance);
  *error_norm = fmax(*error_norm, hn_stages_state_error(stages, tolerance));
  return HN_OK;
}

void hn_stage_method_interpolate(const hn_method *method, double theta, double *q, double *qd,
                                 double *work) {
  const hn_stage_method *self = (const hn_stage_method *)method;
  const hn_implicit *implicit = &self->implicit;
  if (implicit->method->is_substituted) {
    implicit->passing->type->interpolate(implicit->passing, theta, q, qd, work);
    return;
  }
  hn_stages_interpolate(self->stages, theta, q, qd, work);
  if (work) *work += implicit->end_work - hn_stages_work(self->stages);
}

// Formulas end in a stage at the end of the step: if multipliers at the start are expensive, those
// of that stage are extrapolated.
static void keep_end_multipliers(hn_stage_method *self) {
  const hn_tangent *t = self->implicit.tangent;
  int last = self->stages->formula->stages;
  self->has_end_multipliers = t->type->has_dear_multipliers && !self->base.is_substituted;
  if (self->has_end_multipliers)
    memcpy(self->known[0], self->known[last], (size_t)t->rows * sizeof(double));
}

// Since the matrix was made.
static int has_turned(const hn_stage_method *self) {
  const hn_tangent *t = self->implicit.tangent;
  const double *before = self->implicit.matrix_q, *now = self->base.q;
  for (int i = 0; i < t->n; i++) {
    if (t->columns[i] == HN_COLUMN_LENGTH) continue;
    double turn = (t->columns[i] == HN_COLUMN_ANGLE ? 1 : 2) * fabs(now[i] - before[i]);
    if (!(turn <= TURNED)) return 1;
  }
  return 0;
}

static int is_old(hn_stage_method *self) {
  self->age++;
  if (self->age < OLD) return 0;
  return self->stages->formula->stages > 1 || self->age >= OLD_UNTURNED || has_turned(self);
}

void hn_stage_method_accept(hn_method *method) {
  hn_stage_method *self = (hn_stage_method *)method;
  if (self->concludes) keep_trend(self);
  hn_implicit_accept(&self->implicit);
  if (self->base.is_substituted)
    hn_stages_restart(self->stages);
  else
    hn_stages_accept(self->stages);
  if (self->newton.slowest > HN_NEWTON_SLOW) self->implicit.has_matrix = 0;
  if (!self->reduction) {
    if (self->implicit.tangent->type->is_quick && is_old(self)) self->implicit.has_matrix = 0;
    keep_end_multipliers(self);
    return;
  }
  // E was last factored at the end of the step
  if (self->base.is_substituted || hn_reduction_is_worn(self->reduction)) self->has_choice = 0;
  self->is_sound = !self->base.is_substituted && hn_reduction_condition(self->reduction) <= SOUND;
}

// ---- memory -------------------------------------------------------------------------------------

// The choice, then the matrix that was made with it, then E where it was factored last. If the
// choice was stale the next step drops the matrix.
static hn_status make_again(hn_stage_method *self) {
  hn_implicit *implicit = &self->implicit;
  hn_equations *equations = self->base.equations;
  const hn_step_numbers g = implicit->g;
  hn_status status = HN_OK;
  if (self->has_choice) status = hn_reduction_select_again(self->reduction);
  if (status == HN_OK && implicit->has_matrix && (self->has_choice || !self->reduction)) {
    hn_place_visit(&implicit->place, equations);
    status = self->solver->make(self, NULL);
    hn_place_visit(&implicit->place, equations);
    if (status == HN_OK && g.v != 0) status = self->solver->factor(self, g, 1);
  }
  if (status == HN_OK && self->has_choice) status = hn_reduction_factor_again(self->reduction);
  return status;
}

hn_status hn_stage_method_resume(hn_method *method) {
  hn_stage_method *self = (hn_stage_method *)method;
  if (!self->reduction && self->has_choice) return HN_ERROR_ARGUMENT; // from a file
  return make_again(self);
}
