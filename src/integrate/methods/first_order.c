// Method first-order with an explicit formula: the ODE y = (q, u, work), y' = (qd, ud, power), u the
// speeds (constant for a body that spins evenly, where qd is not), with accelerations from the augmented
// system. Constraints are kept by projecting positions and velocities after each step (independent
// `none`): least change in the metric of M, and the change counts in the error test. The last stage is
// evaluated at the projected state, so it is also the first stage of the next step and the dense output
// ends on the constraints.
#include <string.h>

#include "base/error.h"
#include "integrate/method.h"
#include "integrate/step_control.h"

typedef struct first_order {
  hn_method base;
  const hn_explicit_formula *formula;
  int n;                    // nq + nu + 1: q, u, work
  double *y0, *y1;          // begin and end of the attempted step (n)
  double *k[HN_MAX_STAGES]; // slopes of the attempted or last taken step (n)
  double *first;            // slope at the present state (n)
  double *rates;            // qd of the stage at hand (nq)
  double *spare;            // speeds before a projection (nu)
  double *error;            // (n)
  double *change;           // by projections, of q and u (nq + nu)
  double *correction;       // of qd (nq)
  double *before;           // argument of the last stage but one, also at the end (n)
  hn_snapshot *stage;
} first_order;

static hn_status take_memory(hn_arena *arena, first_order *self) {
  int nq = self->base.equations->nq;
  int nu = self->base.equations->nu;
  self->n = nq + nu + 1;
  self->y0 = HN_TAKE(arena, double, self->n);
  self->y1 = HN_TAKE(arena, double, self->n);
  self->first = HN_TAKE(arena, double, self->n);
  self->before = HN_TAKE(arena, double, self->n);
  self->rates = HN_TAKE(arena, double, nq);
  self->spare = HN_TAKE(arena, double, nu);
  self->correction = HN_TAKE(arena, double, nq);
  self->error = HN_TAKE(arena, double, self->n);
  self->change = HN_TAKE(arena, double, nq + nu);
  for (int i = 0; i < HN_MAX_STAGES; i++) self->k[i] = HN_TAKE(arena, double, self->n);
  self->base.q = HN_TAKE(arena, double, nq);
  self->base.qd = HN_TAKE(arena, double, nq);
  if (arena->failed) return HN_ERROR_MEMORY;
  self->base.next_q = self->y1;
  self->base.next_qd = HN_TAKE(arena, double, nq);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_snapshot_create(arena, self->base.equations, &self->base.now);
  if (status == HN_OK) status = hn_snapshot_create(arena, self->base.equations, &self->base.next);
  if (status == HN_OK) status = hn_snapshot_create(arena, self->base.equations, &self->stage);
  return status;
}

static hn_status first_order_create(hn_arena *arena, hn_equations *equations, const char *formula,
                                    const char *independent, hn_method **method, hn_error *error) {
  if (strcmp(formula, hn_dopri5.name) != 0 || strcmp(independent, "none") != 0)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "holon list shows what combines",
                   "method first-order with formula '%s' and independent '%s' is not built",
                   formula, independent);
  first_order *self = HN_TAKE(arena, first_order, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base.type = &hn_first_order;
  self->base.equations = equations;
  self->base.formula = hn_dopri5.name;
  self->base.independent = "none";
  self->base.error_order = hn_dopri5.error_order;
  self->formula = &hn_dopri5;
  if (take_memory(arena, self) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the integrator");
  *method = &self->base;
  return HN_OK;
}

// Brings y onto the constraints; the changes of q and u go to `change`, the new qd to `rates`.
static hn_status project(first_order *self, double t, double *y, const hn_branches *branches,
                         double tolerance) {
  hn_equations *e = self->base.equations;
  double *u = y + e->nq;
  self->base.projections++;
  hn_status status = e->type->project_positions(e, t, y, branches, tolerance, self->change);
  if (status != HN_OK) return status;
  e->type->rates(e, y, u, self->rates);
  status = e->type->project_velocities(e, t, y, self->rates, branches, self->correction);
  if (status != HN_OK) return status;
  memcpy(self->spare, u, (size_t)e->nu * sizeof(double));
  e->type->speeds(e, y, self->rates, u);
  for (int i = 0; i < e->nu; i++) self->change[e->nq + i] = u[i] - self->spare[i];
  return HN_OK;
}

// y' from an evaluated snapshot and the qd it was evaluated with.
static void slope(const first_order *self, const double *qd, const hn_snapshot *s, double *k) {
  const hn_equations *e = self->base.equations;
  memcpy(k, qd, (size_t)e->nq * sizeof(double));
  memcpy(k + e->nq, s->ud, (size_t)e->nu * sizeof(double));
  k[self->n - 1] = s->power;
}

// The state as one vector: u always comes from qd, so that a restarted run sees the same bits.
static void load_state(const first_order *self, double *y) {
  const hn_equations *e = self->base.equations;
  memcpy(y, self->base.q, (size_t)e->nq * sizeof(double));
  e->type->speeds(e, self->base.q, self->base.qd, y + e->nq);
  y[self->n - 1] = self->base.work;
}

static hn_status first_order_begin(hn_method *method, const hn_branches *branches,
                                   hn_error *error) {
  first_order *self = (first_order *)method;
  hn_equations *e = method->equations;
  hn_status status =
      e->type->evaluate(e, method->t, method->q, method->qd, branches, method->now, error);
  if (status == HN_OK) slope(self, method->qd, method->now, self->first);
  return status;
}

// The argument of stage i into y1.
static void stage_argument(first_order *self, int i, double h) {
  const double *a = self->formula->a[i];
  for (int m = 0; m < self->n; m++) {
    double sum = 0;
    for (int j = 0; j < i; j++) sum += a[j] * self->k[j][m];
    self->y1[m] = self->y0[m] + h * sum;
  }
}

// A stage inside the step. Stages leave the constraints a little; near a singular position that
// little is divided by a small number, so there the stage is brought back first.
static hn_status evaluate_stage(first_order *self, double t, const hn_branches *branches,
                                const hn_tolerance *tolerance, double *k, hn_error *error) {
  hn_equations *e = self->base.equations;
  double *y = self->y1, *qd = self->rates;
  e->type->rates(e, y, y + e->nq, qd);
  hn_status status = e->type->evaluate_stage(e, t, y, qd, branches, self->stage, error);
  if (status == HN_OK && e->near_singular) {
    status = project(self, t, y, branches, tolerance->projection);
    if (status == HN_OK) status = e->type->evaluate(e, t, y, qd, branches, self->stage, error);
  }
  if (status == HN_OK) slope(self, qd, self->stage, k);
  return status;
}

// What the projection changed counts as error, but for a singular position, where the rows that are
// let go are found again at random.
static void add_correction(first_order *self) {
  if (self->base.equations->near_singular) return;
  for (int m = 0; m < self->n - 1; m++) self->error[m] += fabs(self->change[m]);
}

static void embedded_error(first_order *self, double h) {
  const hn_explicit_formula *f = self->formula;
  for (int m = 0; m < self->n - 1; m++) {
    double sum = 0;
    for (int i = 0; i < f->stages; i++) sum += f->e[i] * self->k[i][m];
    self->error[m] = fabs(h * sum);
  }
}

// The last two stages are at one time: their slopes differ by lambda times the difference of their
// arguments, mostly along the fastest component (Hairer and Wanner II, IV.2). Differences at rounding
// level say nothing.
static double stiffness(const first_order *self, double h, const hn_tolerance *tolerance) {
  const double *k1 = self->k[self->formula->stages - 1], *k0 = self->k[self->formula->stages - 2];
  double slopes = 0, arguments = 0;
  for (int m = 0; m < self->n - 1; m++) {
    double size = fabs(self->y0[m]) > fabs(self->y1[m]) ? fabs(self->y0[m]) : fabs(self->y1[m]);
    double scale = tolerance->absolute + tolerance->relative * size;
    double x = (k1[m] - k0[m]) / scale, y = (self->y1[m] - self->before[m]) / scale;
    double rounding = 1e-13 * (1 + size) / scale;
    slopes += x * x;
    arguments += y * y + rounding * rounding;
  }
  return arguments > 0 ? h * sqrt(slopes / arguments) : 0;
}

static hn_status first_order_attempt(hn_method *method, double t_end, const hn_branches *branches,
                                     const hn_tolerance *tolerance, double *error_norm,
                                     hn_error *error) {
  first_order *self = (first_order *)method;
  const hn_explicit_formula *f = self->formula;
  hn_equations *e = method->equations;
  int last = f->stages - 1;
  double h = t_end - method->t;
  load_state(self, self->y0);
  memcpy(self->k[0], self->first, (size_t)self->n * sizeof(double));
  hn_status status = HN_OK;
  for (int i = 1; i < last && status == HN_OK; i++) {
    stage_argument(self, i, h);
    double t = f->c[i] < 1 ? method->t + f->c[i] * h : t_end;
    status = evaluate_stage(self, t, branches, tolerance, self->k[i], error);
  }
  memcpy(self->before, self->y1, (size_t)self->n * sizeof(double));
  if (status != HN_OK) return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
  stage_argument(self, last, h);
  status = project(self, t_end, self->y1, branches, tolerance->projection);
  if (status != HN_OK) return status;
  memcpy(method->next_qd, self->rates, (size_t)e->nq * sizeof(double));
  status = e->type->evaluate(e, t_end, self->y1, method->next_qd, branches, method->next, error);
  if (status != HN_OK) return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
  slope(self, method->next_qd, method->next, self->k[last]);
  embedded_error(self, h);
  add_correction(self);
  *error_norm = hn_error_norm(self->error, self->y0, self->y1, self->n - 1, tolerance->absolute,
                              tolerance->relative);
  method->stiffness = stiffness(self, h, tolerance);
  method->step = h;
  method->step_begin = method->t;
  method->step_end = t_end;
  return HN_OK;
}

// Hairer's form of the quartic: see formula.h.
static double quartic(const first_order *self, int m, double theta) {
  const hn_explicit_formula *f = self->formula;
  double h = self->base.step, rest = 1 - theta, inner = 0;
  double rise = self->y1[m] - self->y0[m];
  double bend = h * self->k[0][m] - rise;
  double twist = rise - h * self->k[f->stages - 1][m] - bend;
  for (int i = 0; i < f->stages; i++) inner += f->d[i] * self->k[i][m];
  return self->y0[m] + theta * (rise + rest * (bend + theta * (twist + rest * h * inner)));
}

static void first_order_interpolate(const hn_method *method, double theta, double *q, double *qd,
                                    double *work) {
  const first_order *self = (const first_order *)method;
  const hn_equations *e = method->equations;
  double *u = self->spare;
  for (int m = 0; m < e->nq; m++) q[m] = quartic(self, m, theta);
  for (int m = 0; m < e->nu; m++) u[m] = quartic(self, e->nq + m, theta);
  e->type->rates(e, q, u, qd);
  if (work) *work = quartic(self, self->n - 1, theta);
}

static void first_order_accept(hn_method *method) {
  first_order *self = (first_order *)method;
  size_t size = (size_t)method->equations->nq * sizeof(double);
  method->t = method->step_end;
  memcpy(method->q, self->y1, size);
  memcpy(method->qd, method->next_qd, size);
  method->work = self->y1[self->n - 1];
  memcpy(self->first, self->k[self->formula->stages - 1], (size_t)self->n * sizeof(double));
  hn_snapshot *swap = method->now;
  method->now = method->next;
  method->next = swap;
}

double hn_first_order_end_work(const hn_method *method) {
  const first_order *self = (const first_order *)method;
  return self->y1[self->n - 1];
}

const hn_method_type hn_first_order = {
    .name = "first-order",
    .create = first_order_create,
    .begin = first_order_begin,
    .attempt = first_order_attempt,
    .interpolate = first_order_interpolate,
    .accept = first_order_accept,
};
