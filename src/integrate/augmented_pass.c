// Steps that augmented Lagrangians cannot make themselves (augmented.h): next to a singular
// configuration accelerations, and multipliers of rows that nearly depend on others, have no bound,
// and an iteration that starts off the constraints may find none. There index 3 follows the
// accelerations of the steps before, where they were smooth and lead to a state in balance. Else
// the step is made by dopri5, whose stages are projected onto the constraints, in as many parts as
// its error estimate requires.
#include <math.h>
#include <string.h>

#include "integrate/augmented.h"
#include "integrate/step_control.h"

// Parts of a step, accepted and rejected; one if the work of a step is bounded.
enum { MOST_ATTEMPTS = 100 };
// Fraction of the tolerance, at first: the error must be small against that of the steps around.
#define SHARE 0.01
// Positions that are singular within rounding cannot be brought nearer than so many times what counts
// as zero: the same as index 1 lets pass.
#define LEFT 1e4
// Shares of velocities and accelerations that projections do not change where they serve; and the share
// of the tolerance of positions that such changes have to make up in a step.
#define THROWN_SPEED 0.1
#define THROWN_ACCELERATION 0.3
#define SEEN 0.1
// A projection that changes so many times what is usual is not one of a smooth motion.
#define SHAKEN 5

// Where the position is nearly singular the step before may have left rates of constraints that would
// count as errors of this one.
static hn_status begin_on_constraints(hn_augmented *self, hn_tolerance *tolerance,
                                      hn_error *error) {
  hn_method *p = self->passing;
  hn_equations *e = p->equations;
  const hn_branches *b = &self->branches;
  hn_projected_state at = {.t = p->t,
                           .q = p->q,
                           .qd = p->qd,
                           .tolerance = tolerance->projection,
                           .change = {self->da, self->da}};
  hn_status status = hn_equations_project(e, &at, b);
  if (at.is_open) {
    memcpy(p->q, self->base.q, (size_t)e->nq * sizeof(double));
    tolerance->projection *= LEFT;
    at.keeps_q = 1;
    status = hn_equations_project(e, &at, b);
  }
  return status < 0 ? status : p->type->begin(p, b, error);
}

int hn_augmented_is_thrown(const hn_augmented *self) {
  const hn_stages *s = self->stages;
  double seen = SEEN * self->bound.whole; // what moves positions by less does not count
  if (self->moved.v <= seen * s->g.v && self->moved.a <= seen) return 0;
  double a = hn_rms(s->n, self->a) + hn_rms(s->n, s->a0);
  double v = hn_rms(s->n, s->v0) + s->h * a;
  int is_far = self->moved.v > THROWN_SPEED * v && self->moved.v > seen * s->g.v;
  return is_far || (self->moved.a > THROWN_ACCELERATION * a && self->moved.a > seen);
}

void hn_augmented_forget_step(hn_augmented *self) {
  memcpy(self->lambda, self->begin_lambda, (size_t)self->tangent->rows * sizeof(double));
  self->w.g = 0;
  self->w.has_blocks = 0;
}

// ---- coasting -----------------------------------------------------------------------------------

int hn_augmented_is_shaken(const hn_augmented *self) {
  double bend = self->trend.bend;
  return self->is_stalled || self->moved.a > SHAKEN * (self->moved.usual_a + bend) ||
         self->moved.v > SHAKEN * (self->moved.usual_v + self->stages->g.v * bend);
}

// The state at the end when accelerations continue along the parabola through the last three.
static void follow_accelerations(const hn_augmented *self, double *q, double *v, double *a) {
  const hn_stages *s = self->stages;
  double h = s->h;
  for (int i = 0; i < s->n; i++) {
    double slope = h * self->trend.last[i], bend = slope - h * self->trend.past[i];
    a[i] = s->a0[i] + slope + bend;
    v[i] = s->v0[i] + h * (s->a0[i] + slope / 2 + 5 * bend / 12);
    q[i] = s->q0[i] + h * (s->v0[i] + h * (s->a0[i] / 2 + slope / 6 + bend / 8));
  }
}

// Residuals b and c there, and Newton's correction: 1 where it is as small as in the steps before, and
// no force has changed its branch.
static int is_balanced(hn_augmented *self, const double *a) {
  hn_method *m = &self->base;
  const hn_stages *s = self->stages;
  hn_tangent *t = self->tangent;
  int changed = 0;
  hn_status status =
      hn_augmented_evaluate(self, HN_BALANCE, s->t, self->q, self->v, a, &changed, NULL);
  if (status != HN_OK || changed) { // branches are those of the end that was found again
    hn_augmented_classify(self, s->t, m->next_q, m->next_qd);
    return 0;
  }
  hn_kkt_add_reactions(self->w.matrix, self->begin_lambda, self->b);
  for (int r = 0; r < t->rows; r++) self->c[r] = -t->phi[r] / s->g.q;
  hn_kkt_solve(self->w.matrix, self->b, self->c, self->da, self->dl);
  return hn_rms(s->n, self->da) <= self->trend.bend + self->moved.usual_a;
}

// The result of the step stays until this is known to be better: accelerations wait in `error`.
int hn_augmented_may_coast(hn_augmented *self) {
  if (!(self->trend.bend <= SEEN * self->bound.whole) || !hn_augmented_is_of_step(self)) return 0;
  follow_accelerations(self, self->q, self->v, self->error);
  return is_balanced(self, self->error);
}

// Neither velocities nor accelerations are projected: next to a singular configuration that would
// divide the error of positions by their distance to it, and by its square. Multipliers have no
// bound there: they stay.
hn_status hn_augmented_coast(hn_augmented *self, hn_error *error) {
  hn_method *m = &self->base;
  const hn_stages *s = self->stages;
  const double *a = self->error;
  size_t size = (size_t)s->n * sizeof(double);
  hn_kkt_solve(self->w.matrix, NULL, self->c, self->da, NULL);
  for (int i = 0; i < s->n; i++) m->next_q[i] = self->q[i] + s->g.q * self->da[i];
  memcpy(m->next_qd, self->v, size);
  memcpy(self->a, a, size);
  memcpy(self->next_a, a, size);
  memcpy(self->lambda, self->begin_lambda, (size_t)self->tangent->rows * sizeof(double));
  self->rate = 1;
  m->has_coasted = 1;
  self->moved.v = self->moved.usual_v;
  self->moved.a = self->moved.usual_a;
  return hn_augmented_describe(self, s->t, 0, error);
}

// ---- parts ---------------------------------------------------------------------------------------

// To t_end by parts whose errors are within the tolerance. The last one is attempted, not accepted.
static hn_status make_parts(hn_augmented *self, double t_end, const hn_tolerance *within, int most,
                            double *error_norm, hn_error *error) {
  hn_method *p = self->passing;
  hn_step_control control = hn_step_control_begin(p->error_order);
  double h = t_end - p->t;
  for (int k = 0; k < most; k++) {
    double rest = t_end - p->t, end = h < 0.99 * rest ? p->t + h : t_end;
    hn_status status = p->type->attempt(p, end, &self->branches, within, error_norm, error);
    if (status < 0) return status;
    if (status > 0 || !(*error_norm <= 1)) {
      h = (end - p->t) * hn_step_control_rejected(&control, status > 0 ? HUGE_VAL : *error_norm);
      continue;
    }
    if (end == t_end) return HN_OK;
    h = (end - p->t) * hn_step_control_accepted(&control, *error_norm);
    p->type->accept(p);
  }
  return HN_RETRY_CONVERGENCE;
}

// Multipliers of the end, those that only these coordinates have among them.
static hn_status take_multipliers(hn_augmented *self, double t_end, hn_error *error) {
  hn_method *m = &self->base;
  hn_tangent *t = self->tangent;
  const hn_tangent_state at = {
      .t = t_end, .q = m->next_q, .qd = m->next_qd, .branches = &self->branches};
  hn_status status = hn_tangent_evaluate(t, &at, HN_BASIC, error);
  memcpy(self->lambda, m->next->lambda, (size_t)m->equations->elements->row_count * sizeof(double));
  t->type->normalization_multipliers(t, self->lambda);
  hn_augmented_choose_rows(self);
  return status;
}

// From the present state, with this fraction of the tolerance.
static hn_status try_with(hn_augmented *self, const hn_tolerance *tolerance, double share,
                          double *error_norm, double t_end, hn_error *error) {
  hn_tolerance within = *tolerance;
  within.absolute *= share;
  within.relative *= share;
  hn_passing_start(self->passing, &self->base);
  hn_status status = begin_on_constraints(self, &within, error);
  if (status != HN_OK) return status;
  return make_parts(self, t_end, &within, self->is_bounded ? 1 : MOST_ATTEMPTS, error_norm, error);
}

hn_status hn_augmented_pass(hn_augmented *self, double t_end, const hn_branches *branches,
                            const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  hn_method *m = &self->base;
  hn_augmented_take_branches(self, branches);
  for (int k = 0; k < self->switches.count; k++) // each force is what it is wherever it is asked
    self->branches.force[self->switches.force[k]].state = HN_BRANCH_FREE;
  hn_status status = HN_RETRY_CONVERGENCE;
  if (!self->is_bounded) status = try_with(self, tolerance, SHARE, error_norm, t_end, error);
  if (status > 0) status = try_with(self, tolerance, 1, error_norm, t_end, error);
  if (status != HN_OK) return status;
  self->end_work = hn_passing_end(self->passing, m, t_end);
  hn_augmented_classify(self, t_end, m->next_q, m->next_qd);
  status = take_multipliers(self, t_end, error);
  if (status != HN_OK) return status;
  hn_stages_correct(self->stages, m->next_q, m->next_qd);
  hn_stages_correct_states(self->stages);
  self->begin_work = m->work;
  self->w.g = 0;
  m->is_substituted = 1;
  m->has_coasted = 0;
  return HN_OK;
}
