// Method first-order with an explicit formula: the ODE y = (q, u, work), y' = (qd, ud, power), u the
// speeds (constant for a body that spins evenly, where qd is not), with accelerations from the augmented
// system. Constraints are kept by projecting positions and velocities after each step (independent
// `none`): least change in the metric of M, and the change counts in the error test. The last stage is
// evaluated at the projected state, so it is also the first stage of the next step and the dense output
// ends on the constraints.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/variants.h"
#include "integrate/projected_ode.h"
#include "integrate/step_control.h"
#include "linalg/vectors.h"

typedef struct first_order {
  hn_method base;
  hn_projected_ode ode;
  const hn_explicit_formula *formula;
  double *y0, *y1;          // start and end of the attempted step (n)
  double *k[HN_MAX_STAGES]; // slopes of the attempted or last taken step (n)
  double *first;            // slope at the present state (n)
  double *error;            // of the attempted step, until it is judged (n)
  double *inside;           // a state inside the step, in its place (n)
  double *before;           // argument of the last stage but one, also at the end (n)
  int wide;
} first_order;

static hn_status take_memory(hn_arena *arena, first_order *self) {
  hn_status status = hn_projected_ode_create(arena, &self->base, &self->ode);
  if (status != HN_OK) return status;
  int n = self->ode.n;
  double **vectors[] = {&self->y0, &self->y1, &self->error, &self->before};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_WORK(arena, double, n);
  self->first = HN_KEEP(arena, double, n);
  hn_state_owner(arena, "method", HN_STATE_METHOD);
  HN_STATE(arena, self->first, n, "slope at the start");
  for (int i = 0; i < HN_MAX_STAGES; i++) self->k[i] = HN_WORK(arena, double, n);
  self->inside = self->error;
  self->base.next_q = self->y1;
  self->wide = hn_is_wide();
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status first_order_create(hn_arena *arena, hn_equations *equations,
                                    const hn_method_choice *choice, hn_method **method,
                                    hn_error *error) {
  const hn_formula *row = choice->formula;
  if (!row->explicit_numbers || choice->independent != HN_INDEPENDENT_NONE)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "see `holon list` for the combinations",
                   "method first-order with formula '%s' and independent '%s' is not available",
                   row->name, hn_independent_name(choice->independent));
  first_order *self = HN_KEEP(arena, first_order, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base.type = &hn_first_order;
  self->base.equations = equations;
  self->base.formula = row->name;
  self->base.independent = "none";
  self->base.error_order = row->explicit_numbers->error_order;
  self->formula = row->explicit_numbers;
  if (take_memory(arena, self) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the integrator");
  *method = &self->base;
  return HN_OK;
}

static hn_status first_order_begin(hn_method *method, const hn_branches *branches,
                                   hn_error *error) {
  first_order *self = (first_order *)method;
  return hn_projected_ode_begin(&self->ode, branches, self->first, error);
}

// The argument of stage i into y1.
static void stage_argument(first_order *self, int i, double h) {
  const double *y0 = self->y0, *sum = self->inside;
  double *y1 = self->y1;
  hn_combine(self->wide, self->ode.n, i, self->formula->a[i], self->k, self->inside);
  for (int m = 0; m < self->ode.n; m++) y1[m] = y0[m] + h * sum[m];
}

static void embedded_error(first_order *self, double h) {
  double *error = self->error;
  hn_combine(self->wide, self->ode.n, self->formula->stages, self->formula->e, self->k, error);
  for (int m = 0; m < self->ode.n - 1; m++) error[m] = fabs(h * error[m]);
}

// Where the last two stages are at one time, their slopes differ by lambda times the difference of their
// arguments, mostly along the fastest component (Hairer and Wanner II, IV.2). Differences at rounding
// level say nothing.
static double stiffness(const first_order *self, double h, const hn_tolerance *tolerance) {
  if (self->formula->c[self->formula->stages - 2] < 1) return 0;
  const double *k1 = self->k[self->formula->stages - 1], *k0 = self->k[self->formula->stages - 2];
  double slopes = 0, arguments = 0;
  for (int m = 0; m < self->ode.n - 1; m++) {
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
  int last = f->stages - 1;
  double h = t_end - method->t;
  hn_projected_ode_load(&self->ode, self->y0);
  memcpy(self->k[0], self->first, (size_t)self->ode.n * sizeof(double));
  hn_status status = HN_OK;
  for (int i = 1; i < last && status == HN_OK; i++) {
    stage_argument(self, i, h);
    double t = f->c[i] < 1 ? method->t + f->c[i] * h : t_end;
    status =
        hn_projected_ode_inside(&self->ode, t, self->y1, branches, tolerance, self->k[i], error);
  }
  memcpy(self->before, self->y1, (size_t)self->ode.n * sizeof(double));
  if (status != HN_OK) return status;
  stage_argument(self, last, h);
  status =
      hn_projected_ode_end(&self->ode, t_end, self->y1, branches, tolerance, self->k[last], error);
  if (status != HN_OK) return status;
  embedded_error(self, h);
  hn_projected_ode_add_change(&self->ode, self->error);
  *error_norm = hn_error_norm(self->error, self->y0, self->y1, self->ode.n - 1, tolerance->absolute,
                              tolerance->relative);
  method->stiffness = stiffness(self, h, tolerance);
  return HN_OK;
}

// Hairer's form of the quartic: see formula.h.
static void first_order_interpolate(const hn_method *method, double theta, double *q, double *qd,
                                    double *work) {
  const first_order *self = (const first_order *)method;
  const hn_explicit_formula *f = self->formula;
  const double *y0 = self->y0, *y1 = self->y1, *k0 = self->k[0], *k1 = self->k[f->stages - 1];
  const double h = self->base.step, rest = 1 - theta;
  double *inside = self->inside;
  hn_combine(self->wide, self->ode.n, f->stages, f->d, self->k, inside);
  for (int m = 0; m < self->ode.n; m++) {
    double rise = y1[m] - y0[m], bend = h * k0[m] - rise, twist = rise - h * k1[m] - bend;
    double inner = twist + rest * h * inside[m];
    inside[m] = y0[m] + theta * (rise + rest * (bend + theta * inner));
  }
  hn_projected_ode_unload(&self->ode, self->inside, q, qd, work);
}

static void first_order_accept(hn_method *method) {
  first_order *self = (first_order *)method;
  hn_projected_ode_accept(&self->ode, self->y1);
  memcpy(self->first, self->k[self->formula->stages - 1], (size_t)self->ode.n * sizeof(double));
}

const hn_method_type hn_first_order = {
    .name = "first-order",
    .takes = HN_FORMULA_EXPLICIT,
    .independent = HN_INDEPENDENT_NONE,
    .is_direct = 1,
    .follows_conditions = 1,
    .takes_states = 1,
    .create = first_order_create,
    .begin = first_order_begin,
    .attempt = first_order_attempt,
    .interpolate = first_order_interpolate,
    .accept = first_order_accept,
};

// ---- for other methods --------------------------------------------------------------------------

hn_status hn_passing_create(hn_arena *arena, hn_equations *equations, hn_method **passing,
                            hn_error *error) {
  const hn_method_choice choice = {.formula = hn_formula_find(hn_dopri5.name),
                                   .independent = HN_INDEPENDENT_NONE};
  return first_order_create(arena, equations, &choice, passing, error);
}

void hn_passing_start(hn_method *passing, const hn_method *m) {
  const size_t size = (size_t)m->equations->nq * sizeof(double);
  passing->t = m->t;
  passing->work = m->work;
  memcpy(passing->q, m->q, size);
  memcpy(passing->qd, m->qd, size);
  for (int k = 0; k < m->states; k++) passing->z[k] = m->z[k];
}

double hn_passing_end(hn_method *passing, hn_method *m, double t_end) {
  const first_order *self = (const first_order *)passing;
  const size_t size = (size_t)m->equations->nq * sizeof(double);
  hn_snapshot *swap = m->next; // both were made for these equations
  m->next = passing->next;
  passing->next = swap;
  memcpy(m->next_q, passing->next_q, size);
  memcpy(m->next_qd, passing->next_qd, size);
  for (int k = 0; k < m->states; k++) m->next_z[k] = passing->next_z[k];
  hn_method_set_step(m, t_end);
  m->projections++;
  return self->y1[self->ode.n - 1];
}
