// Parts shared by augmented Lagrangian methods: see augmented.h.
#include "integrate/augmented.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "integrate/method_states.h"

// Iterations may leave this fraction of the formula's own error, and of the tolerance.
#define SHARE 0.05
// The same of the second difference where accelerations of successive steps have nothing to do with
// each other.
#define ROUGH 0.01
#define OF_TOLERANCE 0.1
// Fraction of accelerations below which their rounding errors do not accumulate.
#define NOISE 1e-7
// Square of the share by which a trend may have changed to be followed.
#define SMOOTH 0.1
// Share by which steps of one size differ: they are differences of times.
#define SAME_STEP 1e-6
enum { ITERATIONS = 12 };

// Four sums, which need not wait for each other.
double hn_rms(int n, const double *x) {
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += x[i + k] * x[i + k];
  for (; i < n; i++) sum[0] += x[i] * x[i];
  return n > 0 ? sqrt(((sum[0] + sum[1]) + (sum[2] + sum[3])) / n) : 0;
}

// ---- set-up -------------------------------------------------------------------------------------

static hn_status take_memory(hn_arena *arena, hn_augmented *self) {
  hn_method *m = &self->base;
  const hn_model *model = m->equations->model;
  int n = m->equations->nq, rows = self->tangent->rows;
  double **by_coordinate[] = {
      &m->q,        &m->qd, &m->next_q, &m->next_qd, &self->a, &self->trend.last, &self->trend.past,
      &self->next_a};
  for (size_t k = 0; k < sizeof by_coordinate / sizeof by_coordinate[0]; k++)
    *by_coordinate[k] = HN_KEEP(arena, double, n);
  double **scratch[] = {&self->q, &self->v, &self->b, &self->da};
  for (size_t k = 0; k < sizeof scratch / sizeof scratch[0]; k++)
    *scratch[k] = HN_WORK(arena, double, n);
  double **by_row[] = {&self->lambda, &self->begin_lambda};
  for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; k++)
    *by_row[k] = HN_KEEP(arena, double, rows);
  self->c = HN_WORK(arena, double, rows);
  self->dl = HN_WORK(arena, double, rows);
  self->error = HN_WORK(arena, double, 2 * n);
  self->switches.frames = HN_KEEP(arena, hn_frame, model->body_count);
  self->switches.force = HN_TAKE(arena, int, model->force_count);
  self->switches.before = HN_KEEP(arena, int, model->force_count);
  self->switches.given = HN_KEEP(arena, hn_branch, model->force_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int f = 0; f < model->force_count; f++)
    if (hn_force_switches(&model->forces[f])) self->switches.force[self->switches.count++] = f;
  hn_status status = hn_branches_create(arena, m->equations->elements, &self->branches);
  if (status == HN_OK) status = hn_snapshot_create(arena, m->equations, &m->now);
  if (status == HN_OK) status = hn_snapshot_create(arena, m->equations, &m->next);
  return status;
}

hn_status hn_augmented_create(hn_arena *arena, hn_equations *equations,
                              const hn_method_choice *choice, const hn_method_type *type, int index,
                              hn_method **method, hn_error *error) {
  hn_augmented *self = HN_KEEP(arena, hn_augmented, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  hn_method *m = &self->base;
  m->type = type;
  self->index = index;
  if (!hn_find_implicit_formula(choice, &self->formula))
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "see `holon list` for the combinations",
                   "method %s with formula '%s' is not available", m->type->name,
                   choice->formula->name);
  m->equations = equations;
  m->formula = self->formula.name;
  m->independent = hn_independent_name(choice->independent);
  m->error_order = self->formula.error_order;
  self->penalty = choice->penalty;
  self->max_iterations = choice->max_iterations > 0 ? choice->max_iterations : ITERATIONS;
  self->accepts_unconverged = choice->accepts_unconverged;
  self->is_bounded = choice->is_bounded;
  hn_status status = hn_tangent_create(arena, equations, 1, &self->tangent);
  if (status == HN_OK) status = hn_kkt_create(arena, self->tangent, &self->w.matrix);
  self->w.projector = self->w.matrix;
  self->is_left = choice->projection == HN_PROJECTION_NONE;
  if (status == HN_OK && choice->projection == HN_PROJECTION_MASS)
    status = hn_kkt_create(arena, self->tangent, &self->w.projector);
  if (status == HN_OK)
    status = hn_stages_create(arena, &self->formula, equations->nq, &self->stages);
  if (status == HN_OK) status = hn_method_take_states(arena, m);
  if (status == HN_OK) status = hn_stages_take_states(arena, self->stages, m);
  if (status == HN_OK) status = take_memory(arena, self);
  if (status == HN_OK) status = hn_augmented_create_memory(arena, self);
  if (status == HN_OK) status = hn_passing_create(arena, equations, &self->passing, error);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for the integrator");
  *method = m;
  return HN_OK;
}

// ---- branches -----------------------------------------------------------------------------------

void hn_augmented_take_branches(hn_augmented *self, const hn_branches *given) {
  const hn_elements *elements = self->base.equations->elements;
  const size_t forces = (size_t)elements->model->force_count;
  hn_branches_copy(elements, given, &self->branches);
  memcpy(self->switches.given, given->force, forces * sizeof(hn_branch));
  self->branches.grips = given->grips;
}

// Branches that hold at these frames; 1: some changed.
static int classify(hn_augmented *self, double t, const hn_frame *frames) {
  const hn_elements *elements = self->base.equations->elements;
  int changed = 0;
  for (int k = 0; k < self->switches.count; k++) {
    int f = self->switches.force[k];
    hn_branch now = hn_force_branch(elements, f, frames, self->branches.turns, t);
    changed |= now.state != self->branches.force[f].state;
    self->branches.force[f].state = now.state;
  }
  return changed;
}

int hn_augmented_classify(hn_augmented *self, double t, const double *q, const double *v) {
  const hn_equations *e = self->base.equations;
  if (self->switches.count == 0) return 0;
  e->type->coordinates->frames(e, q, v, self->switches.frames);
  return classify(self, t, self->switches.frames);
}

hn_status hn_augmented_evaluate_frozen(hn_augmented *self, hn_want extent, double t,
                                       const double *q, const double *v, const double *a,
                                       hn_error *error) {
  if (extent == HN_FULL) {
    self->w.has_blocks = 1;
    self->base.jacobians++;
  }
  const hn_tangent_state at = {.t = t,
                               .q = q,
                               .qd = v,
                               .qdd = a,
                               .lambda = self->begin_lambda,
                               .branches = &self->branches,
                               .space = HN_IN_SPEEDS,
                               .b = self->b};
  return hn_tangent_evaluate(self->tangent, &at, extent, error);
}

// Branches on which forces were evaluated that were free to choose; 1: some changed.
static int take_chosen(hn_augmented *self) {
  int changed = 0;
  for (int k = 0; k < self->switches.count; k++) {
    int f = self->switches.force[k], now = self->tangent->forces[f].state;
    changed |= now != self->switches.before[k];
    self->branches.force[f].state = now;
  }
  return changed;
}

// If the tangent has values of forces, these determine their branches as well.
hn_status hn_augmented_evaluate(hn_augmented *self, hn_want extent, double t, const double *q,
                                const double *v, const double *a, int *changed, hn_error *error) {
  int chooses = self->tangent->forces && changed, classified = 0;
  if (!self->tangent->forces) classified = hn_augmented_classify(self, t, q, v);
  for (int k = 0; chooses && k < self->switches.count; k++) {
    hn_branch *branch = &self->branches.force[self->switches.force[k]];
    self->switches.before[k] = branch->state;
    branch->state = HN_BRANCH_FREE;
  }
  hn_status status = hn_augmented_evaluate_frozen(self, extent, t, q, v, a, error);
  if (changed) *changed = chooses ? take_chosen(self) : classified;
  return status;
}

// The forces of the present snapshot were made on these branches.
static int same_branches(const hn_augmented *self, const hn_branches *given) {
  const hn_model *model = self->base.equations->model;
  for (int f = 0; f < model->force_count; f++)
    if (given->force[f].state != self->branches.force[f].state ||
        given->force[f].time != self->branches.force[f].time)
      return 0;
  for (int d = 0; d < model->driver_count; d++)
    if (given->driver[d] != self->branches.driver[d]) return 0;
  return 1;
}

// ---- start --------------------------------------------------------------------------------------

int hn_augmented_is_at_end(const hn_augmented *self) {
  const hn_method *m = &self->base;
  size_t size = (size_t)m->equations->nq * sizeof(double);
  return self->is_taken && memcmp(m->q, self->stages->end_q, size) == 0 &&
         memcmp(m->qd, self->stages->end_v, size) == 0;
}

// Branches have changed since the step began.
static int has_switched(const hn_augmented *self, const hn_branches *branches) {
  int changed = 0;
  for (int k = 0; k < self->switches.count; k++) {
    int f = self->switches.force[k];
    changed |= branches->force[f].state != self->switches.given[f].state;
  }
  return changed;
}

// Rows that follow from others are still the same.
static int has_same_rows(const hn_augmented *self) {
  const hn_equations *e = self->base.equations;
  return memcmp(self->rows.left_out, e->redundant, (size_t)e->elements->row_count) == 0;
}

// Where nothing changed since the step ended but branches, which the step has found, all is known.
// Where not even they did, a new start is meant: inputs have jumped, accelerations are others, and the
// matrix is as good as it was.
hn_status hn_augmented_begin(hn_method *m, const hn_branches *branches, hn_error *error) {
  hn_augmented *self = (hn_augmented *)m;
  hn_equations *e = m->equations;
  hn_tangent *t = self->tangent;
  int is_end = hn_augmented_is_at_end(self), switched = has_switched(self, branches);
  int known = is_end && switched && m->t == m->step_end && same_branches(self, branches) &&
              !branches->grips;
  memcpy(self->switches.given, branches->force, (size_t)e->model->force_count * sizeof(hn_branch));
  if (known) return HN_OK;
  hn_augmented_take_branches(self, branches);
  self->trend.count = 0;
  self->is_taken = 0;
  hn_stages_restart(self->stages);
  hn_method_hold_states(m);
  hn_status status = e->type->evaluate(e, m->t, m->q, m->qd, branches, m->now, error);
  int stays = is_end && !switched && has_same_rows(self);
  const hn_tangent_state at = {.t = m->t, .q = m->q, .qd = m->qd, .branches = branches};
  if (status == HN_OK && !(stays && t->type->has_idle_normalizations))
    status = hn_tangent_evaluate(t, &at, HN_BASIC, error);
  if (status != HN_OK) return status;
  memcpy(self->lambda, m->now->lambda, (size_t)e->elements->row_count * sizeof(double));
  t->type->normalization_multipliers(t, self->lambda);
  hn_augmented_choose_rows(self);
  if (stays) return HN_OK;
  self->w.g = 0;
  self->w.has_blocks = 0;
  self->rate = 1;
  self->moved.v = self->moved.a = self->moved.usual_v = self->moved.usual_a = 0;
  return HN_OK;
}

// ---- a stage ------------------------------------------------------------------------------------

// q and v of the open stage at accelerations a.
static void set_state(hn_augmented *self) {
  const hn_stages *s = self->stages;
  for (int i = 0; i < s->n; i++) {
    self->q[i] = s->q_hat[i] + s->g.q * self->a[i];
    self->v[i] = s->v_hat[i] + s->g.v * self->a[i];
  }
}

// Tolerance of a correction of a. The trapezoidal rule has an error of h^2/12 of its second
// derivative in a, which follows from the last two steps. If it vanishes, rounding is the bound.
static void set_tolerance(hn_augmented *self, const hn_tolerance *tolerance) {
  const hn_method *m = &self->base;
  const hn_stages *s = self->stages;
  int n = s->n;
  double h = s->h, g_q = s->g.q, sum = 0, slope = 0, size_q = 0, size_a = 0, size_v = 0;
  for (int i = 0; self->trend.count > 1 && i < n; i++) {
    double second = h * (self->trend.last[i] - self->trend.past[i]),
           first = h * self->trend.last[i];
    sum += second * second;
    slope += first * first;
  }
  for (int i = 0; i < n; i++) {
    size_q += m->q[i] * m->q[i];
    size_v += m->qd[i] * m->qd[i];
    size_a += m->now->qdd[i] * m->now->qdd[i];
  }
  self->trend.is_rough = sum > slope;
  self->trend.is_smooth = sum < SMOOTH * slope;
  size_q = n > 0 ? sqrt(size_q / n) : 0;
  size_v = n > 0 ? sqrt(size_v / n) : 0;
  size_a = n > 0 ? sqrt(size_a / n) : 0;
  self->trend.turn = size_a > 0 ? h * size_a / (size_v + h * size_a) : 0;
  double bend = n > 0 ? sqrt(sum / n) : 0;
  double own = (self->trend.is_rough ? ROUGH : SHARE / 12) * bend;
  self->trend.bend = self->trend.count > 1 && !self->trend.is_rough ? bend : HUGE_VAL;
  double most = OF_TOLERANCE * (tolerance->absolute + tolerance->relative * size_q) / g_q;
  double least = fmax(1e-15 * (1 + size_q) / g_q, 1e-12 * (1 + size_a));
  self->bound.own = fmin(own, most);
  self->bound.least = fmax(self->bound.own, least);
  self->bound.is_noisy =
      self->trend.count > 1 && least > self->bound.own && least > NOISE * (1 + size_a);
  // what rounding may be where the iteration stalls
  self->bound.loose = fmax(fmax(1e-3 * most, 1e-12 * (1 + size_q) / g_q), self->bound.least);
  self->bound.whole = most / OF_TOLERANCE;
}

hn_status hn_augmented_open(hn_augmented *self, double t_end, const hn_branches *branches,
                            const hn_tolerance *tolerance) {
  hn_method *m = &self->base;
  hn_stages *s = self->stages;
  self->is_taken = m->is_substituted = m->has_coasted = 0;
  hn_status status = m->states > 0 ? hn_method_find_rates(m, branches) : HN_OK;
  if (status != HN_OK) return status;
  hn_stages_begin(s, m->t, t_end - m->t, m->q, m->qd, m->now->qdd, m->now->power);
  hn_stages_open(s, 0);
  if (m->states > 0 && !hn_augmented_is_of_step(self)) self->w.has_blocks = 0; // states move with g
  set_tolerance(self, tolerance);
  self->projection = tolerance->projection;
  memcpy(self->begin_lambda, self->lambda, (size_t)self->tangent->rows * sizeof(double));
  return HN_OK;
}

int hn_augmented_is_of_step(const hn_augmented *self) {
  double g = self->stages->g.v;
  return fabs(self->w.g - g) <= SAME_STEP * g;
}

// Predicts a: linear through the last two accelerations if that worked in the steps before.
static void predict(hn_augmented *self) {
  const hn_stages *s = self->stages;
  hn_stages_predict(s, 0, self->a);
  if (!self->trend.is_smooth) return;
  for (int i = 0; i < s->n; i++) self->a[i] = s->a0[i] + s->h * self->trend.last[i];
}

hn_status hn_augmented_factor(hn_augmented *self) {
  const hn_stages *s = self->stages;
  const hn_kkt_numbers numbers = {.g_q = s->g.q,
                                  .g_v = s->g.v,
                                  .weight =
                                      self->index == 3 ? s->g.q * self->penalty : self->penalty,
                                  .softness = s->h * s->h / (HN_PENALTY_SCALE * s->g.q),
                                  .is_sharp = self->index == 3};
  hn_status status = hn_kkt_factor(self->w.matrix, &numbers, self->w.is_exact);
  self->w.g = s->g.v;
  self->w.h = s->h;
  self->w.holds_exact = self->w.is_exact;
  self->base.factorizations++;
  return status;
}

// After the last iteration of a stage: HN_OK when what is there is taken, and counted.
static hn_status take_unconverged(hn_augmented *self) {
  hn_method *m = &self->base;
  double norm = hn_rms(self->stages->n, self->da) / self->bound.whole;
  if (!self->accepts_unconverged || !isfinite(norm)) return HN_RETRY_CONVERGENCE;
  m->unconverged++;
  m->unconverged_residual = fmax(m->unconverged_residual, norm);
  return HN_OK;
}

// ---- the end ------------------------------------------------------------------------------------

// The end onto conditional constraints, which the matrix does not have.
static hn_status project_conditions(hn_augmented *self, double t_end) {
  hn_method *m = &self->base;
  hn_equations *e = m->equations;
  if (self->is_left || !hn_holds_conditions(e, &self->branches)) return HN_OK;
  hn_projected_state end = {.t = t_end,
                            .q = m->next_q,
                            .qd = m->next_qd,
                            .tolerance = self->projection,
                            .change = {self->da, self->da}};
  return hn_equations_project(e, &end, &self->branches);
}

hn_status hn_augmented_describe(hn_augmented *self, double t_end, int is_exact, hn_error *error) {
  hn_method *m = &self->base;
  hn_equations *e = m->equations;
  hn_tangent *t = self->tangent;
  hn_status projected = project_conditions(self, t_end);
  if (projected != HN_OK) return projected;
  if (t->type->conclude && !is_exact) {
    t->type->conclude(t, m->next_q, self->next_a, self->lambda, &m->next);
    return HN_OK;
  }
  if (is_exact) hn_augmented_classify(self, t_end, m->next_q, m->next_qd);
  hn_status status =
      e->type->evaluate(e, t_end, m->next_q, m->next_qd, &self->branches, m->next, error);
  if (!is_exact) memcpy(m->next->qdd, self->next_a, (size_t)e->nq * sizeof(double));
  return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
}

static double error_norm_of(const hn_augmented *self, const hn_tolerance *tolerance) {
  const hn_method *m = &self->base;
  int n = m->equations->nq;
  double sum = 0;
  for (int i = 0; i < 2 * n; i++) {
    double size = fabs(i < n ? m->next_q[i] : m->next_qd[i - n]);
    double x = self->error[i] / (tolerance->absolute + tolerance->relative * size);
    sum += x * x;
  }
  double norm = n > 0 ? sqrt(sum / (2 * n)) : 0;
  return isfinite(norm) ? norm : HUGE_VAL;
}

void hn_augmented_finish(hn_augmented *self, double t_end, const hn_tolerance *tolerance,
                         double *error_norm) {
  hn_method *m = &self->base;
  hn_stages *s = self->stages;
  hn_stages_end(s, self->error, self->error + s->n);
  hn_stages_correct(s, m->next_q, m->next_qd);
  self->end_work = m->work + hn_stages_work(s);
  hn_method_set_step(m, t_end);
  *error_norm = fmax(error_norm_of(self, tolerance), hn_stages_state_error(s, tolerance));
}

void hn_augmented_interpolate(const hn_method *method, double theta, double *q, double *qd,
                              double *work) {
  const hn_augmented *self = (const hn_augmented *)method;
  double before = self->begin_work, done = self->end_work - before;
  hn_stages_interpolate(self->stages, theta, q, qd, work);
  if (work && self->base.is_substituted)
    *work = before + theta * done;
  else if (work)
    *work += self->end_work - hn_stages_work(self->stages);
}

void hn_augmented_accept(hn_method *m) {
  hn_augmented *self = (hn_augmented *)m;
  double *swap_trend = self->trend.past;
  self->trend.past = self->trend.last;
  self->trend.last = swap_trend;
  for (int i = 0; i < m->equations->nq; i++)
    self->trend.last[i] = (m->next->qdd[i] - m->now->qdd[i]) / m->step;
  if (self->trend.count < 2) self->trend.count++;
  self->moved.usual_v = self->moved.v;
  self->moved.usual_a = self->moved.a;
  hn_method_move_on(m, m->next_q, self->end_work);
  hn_stages_accept(self->stages);
  if (self->base.is_substituted) { // the formula has not seen this step
    hn_stages_restart(self->stages);
    self->trend.count = 0;
  }
  self->is_taken = 1;
}

// ---- the iteration ------------------------------------------------------------------------------

// The iteration of augmented Lagrangian methods (augmented.h): stages solved by Newton's method
// (newton.h), with the matrix as it serves, and where that does not converge with a new one, exact, at
// every iterate.

// Lower limit of a rate taken from earlier steps, and the rate of a new matrix before any is known;
// the same of index 1, whose matrix neglects the change of Phi_q a - tau.
#define LEAST_RATE 0.02
#define FRESH_RATE 0.2
#define LEAST_RATE_1 0.05
#define FRESH_RATE_1 0.5
// A larger rate, with a matrix that can still be renewed, is no convergence.
#define DIVERGED 2

// The tangent has just been evaluated there for the matrix.
static void remember_place(hn_augmented *self, hn_want extent, double t, const double *q,
                           const double *v, const double *a) {
  self->w.place_count = extent == HN_FULL ? 1 : 2;
  hn_place_keep(&self->w.place[self->w.place_count - 1], self->base.equations, t, q, v, a,
                self->begin_lambda, &self->branches);
}

// The matrix at the iterate is renewed there, where asked for.
static hn_status evaluate(hn_augmented *self, hn_want extent, int *changed, hn_error *error) {
  const hn_stages *s = self->stages;
  hn_status status =
      hn_augmented_evaluate(self, extent, s->t, self->q, self->v, self->a, changed, error);
  if (status != HN_OK || extent == HN_BALANCE) return status;
  remember_place(self, extent, s->t, self->q, self->v, self->a);
  return hn_augmented_factor(self);
}

// b = Q - M a - Phi_q' lambda; c = -Phi / g_q, or tau - Phi_q a.
static hn_status correct(void *of, double *norm, hn_error *error) {
  hn_augmented *self = of;
  hn_newton *newton = &self->newton;
  const hn_tangent *t = self->tangent;
  const hn_stages *s = self->stages;
  newton->is_renewed = self->extent == HN_FULL;
  if (newton->iteration > 0)
    self->extent = self->w.is_exact || newton->pace > HN_NEWTON_POOR ? HN_FULL : HN_BALANCE;
  set_state(self);
  hn_status status = evaluate(self, self->extent, &newton->has_changed, error);
  if (status != HN_OK) return status;
  hn_augmented_add_reactions(self);
  if (self->index == 1) hn_augmented_defect(self, 1, t->tau, self->a);
  for (int r = 0; self->index == 3 && r < t->rows; r++) self->c[r] = -t->phi[r] / s->g.q;
  hn_kkt_solve(self->w.matrix, self->b, self->c, self->da, self->dl);
  hn_augmented_add_multipliers(self);
  for (int i = 0; i < s->n; i++) self->a[i] += self->da[i];
  *norm = hn_rms(s->n, self->da);
  return HN_OK;
}

// A projection along M and rows of another position errs along the motion, by its size times how much
// they changed since: for less than the iteration may leave they are kept. K and C may be older, as
// long as the iteration is fast.
static hn_want first_extent(const hn_augmented *self) {
  if (self->w.is_exact) return HN_FULL;
  if (self->index == 1) return HN_BALANCE;
  // where steps are so short that rounding ends the iteration, a matrix that is too old leaves the same
  // error in every step
  int is_left = self->bound.is_noisy && self->rate * self->bound.least > self->bound.own;
  if (!self->w.has_blocks || self->rate > HN_NEWTON_SLOW || is_left) return HN_FULL;
  double g = self->stages->g.v;
  double shift = self->w.projector == self->w.matrix ? self->moved.v : 0; // made by this matrix
  int is_still = fmax(10 * self->rate, 4 * self->trend.turn) * shift <= g * self->bound.own;
  return !hn_augmented_is_of_step(self) || !is_still ? HN_BASIC : HN_BALANCE;
}

static double first_rate(const hn_augmented *self) {
  if (self->index == 1) return fmax(self->rate, LEAST_RATE_1);
  if (self->extent == HN_FULL) return FRESH_RATE;
  double rate = fmax(self->rate, LEAST_RATE);
  return self->extent == HN_BALANCE ? fmax(rate, fmin(self->trend.turn, FRESH_RATE)) : rate;
}

// HN_RETRY_CONVERGENCE when the iterations are used up or grow; a, q, v are then the last iterate.
static hn_status solve_stage(hn_augmented *self, int i, hn_error *error) {
  hn_newton *newton = &self->newton;
  hn_stages_open(self->stages, i);
  if (self->index == 1)
    hn_stages_predict(self->stages, i, self->a);
  else
    predict(self);
  self->extent = first_extent(self);
  hn_newton_begin_steady(newton, first_rate(self));
  if (self->index == 3 && self->extent == HN_FULL) self->rate = 0; // it was that of another matrix
  newton->kappa = self->bound.least;
  int is_kept = self->index == 3 && self->extent != HN_FULL; // its matrix errs in every step alike
  newton->rest = self->bound.is_noisy && is_kept ? self->bound.own : newton->kappa;
  newton->loose = self->bound.loose;
  newton->limit = self->max_iterations;
  newton->most =
      self->index == 1 || self->w.is_exact || self->accepts_unconverged ? HUGE_VAL : DIVERGED;
  hn_status status = hn_newton_iterate(newton, &self->base, correct, self, error);
  self->is_stalled = newton->is_stalled;
  set_state(self);
  return status == HN_RETRY_CONVERGENCE ? take_unconverged(self) : status;
}

// Of index 1 the matrix is that of the step's start.
static hn_status renew_at_begin(hn_augmented *self, hn_error *error) {
  const hn_method *m = &self->base;
  const double *a = m->now->qdd;
  if (hn_augmented_is_of_step(self) && !(self->rate > HN_NEWTON_SLOW) && !self->w.is_exact)
    return HN_OK;
  hn_method_follow_states(&self->base, self->stages->g.v);
  hn_status status = hn_augmented_evaluate_frozen(self, HN_FULL, m->t, m->q, m->qd, a, error);
  if (status != HN_OK) return status;
  remember_place(self, HN_FULL, m->t, m->q, m->qd, a);
  self->rate = FRESH_RATE_1;
  return hn_augmented_factor(self);
}

// Of index 3 the one stage is the end of the step: its power is known when that is described.
static hn_status close_stage(hn_augmented *self, int i) {
  hn_equations *e = self->base.equations;
  double power = 0;
  if (self->index == 3) return HN_OK;
  hn_status status =
      e->type->power(e, self->stages->t, self->q, self->v, self->lambda, &self->branches, &power);
  hn_stages_close(self->stages, i, self->a, power);
  return status;
}

static hn_status solve_stages(hn_augmented *self, const hn_branches *branches, hn_error *error) {
  hn_status status = HN_OK;
  hn_augmented_take_branches(self, branches);
  memcpy(self->lambda, self->begin_lambda, (size_t)self->tangent->rows * sizeof(double));
  self->newton.slowest = 0;
  if (self->index == 1) status = renew_at_begin(self, error);
  for (int i = 0; i < self->stages->formula->stages && status == HN_OK; i++) {
    status = solve_stage(self, i, error);
    if (status == HN_OK) status = close_stage(self, i);
  }
  if (status != HN_OK) return status;
  if (self->index == 1 || self->newton.iteration > 1)
    self->rate = fmax(self->newton.slowest, 0.5 * self->rate);
  else if (self->rate == 0)
    self->rate = FRESH_RATE;
  return HN_OK;
}

hn_status hn_augmented_solve(hn_augmented *self, const hn_branches *branches, hn_error *error) {
  hn_status status = solve_stages(self, branches, error);
  if (status != HN_RETRY_CONVERGENCE) return status;
  self->base.newton_failures++;
  self->w.is_exact = 1;
  status = solve_stages(self, branches, error);
  self->w.is_exact = 0;
  self->rate = 1;
  if (status > 0) self->base.newton_failures++;
  return status;
}
