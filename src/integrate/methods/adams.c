// Method first-order with formula adams: the ODE of projected_ode.h by Adams formulas of variable
// order and step (formulas/adams.h). A step is predict, evaluate, correct, project, evaluate: the
// second evaluation is at a state on the constraints, and its f alone goes into the differences.
// The error is known after the first evaluation, so that a rejected step costs one. Differences are
// those of the full y = (q, u, work), so only an event makes the formula restart at order 1.
//
// Order and step are chosen together from the differences (Shampine and Gordon 1975, chapter 7), so
// this method proposes its steps itself. The dense output is the integral of the polynomial through the
// newest values of f, led to both ends of the step.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "integrate/formulas/adams.h"
#include "integrate/memory.h"
#include "integrate/projected_ode.h"
#include "math/elementary.h"

// Aim at this fraction of the tolerance. At high orders that costs a tenth more steps; hardly any
// is rejected then, and errors are about those of dopri5 at the same tolerance, but for the energy
// of long oscillations, of which high orders lose more.
#define TARGET 0.02
// Steps are not changed for less growth than this: an even grid has the smaller errors.
#define WORTHWHILE 1.2
#define LARGEST_GROWTH 2
// ... while the order rises from 1: errors fall faster than the estimate of the last order
// predicts.
#define STARTING_GROWTH 4
// ... after a step that was cut short: more would magnify the noise of differences over short times.
#define COMING_BACK 64
// After this many rejections in a row the history is useless.
#define PATIENCE 3

// State carried from step to step besides the differences.
typedef struct control {
  int order;       // of the next attempt
  int is_starting; // since the start the order has risen with each step
  int refused;     // attempts in a row
  double proposed; // size of the next attempt; 0: not known yet
  double wanted;   // the size to come back to after steps that something else cut short
} control;

typedef struct adams {
  hn_method base;
  hn_projected_ode ode;
  control control;
  hn_adams_history room[2];
  hn_adams_history *history;       // at the present state
  hn_adams_history *next;          // at the end of the attempted or last taken step
  hn_adams_step step;              // that step
  double *y0, *y1;                 // its ends (n)
  double *f;                       // slope at the state evaluated last (n)
  double *defect;                  // of that slope (n)
  double *error;                   // (n)
  double *weight;                  // of the error norm: one over the scales (n - 1)
  double *gap;                     // from y0 to the start of the dense output (n)
  int *has_gap;                    // it is that of the attempted step: computed on first use
  double *inside;                  // a state inside the step (n)
  double even[HN_ADAMS_ORDER + 2]; // error norms on an even grid by order: k - 2 to k + 1
  double constant[HN_ADAMS_ORDER + 2];
} adams;

static hn_status take_memory(hn_arena *arena, adams *self) {
  hn_status status = hn_projected_ode_create(arena, &self->base, &self->ode);
  if (status != HN_OK) return status;
  int n = self->ode.n;
  double **vectors[] = {&self->y0,    &self->y1,     &self->f,   &self->defect,
                        &self->error, &self->weight, &self->gap, &self->inside};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_WORK(arena, double, n);
  self->has_gap = HN_KEEP(arena, int, 1);
  for (int k = 0; k < 2 && status == HN_OK; k++)
    status = hn_adams_history_create(arena, n, &self->room[k]);
  return arena->failed ? HN_ERROR_MEMORY : status;
}

static void declare_adams(hn_arena *arena, adams *self) {
  control *c = &self->control;
  double *const numbers[] = {&c->proposed, &c->wanted};
  hn_adams_history *const *present = &self->history, *h = self->history;
  hn_declare_integer(arena, &c->order, 1, HN_ADAMS_ORDER, "the order");
  hn_declare_integer(arena, &c->is_starting, 0, 1, "the flag of a start");
  hn_declare_integer(arena, &c->refused, 0, INT_MAX / 2, "the number of rejections");
  hn_declare_numbers(arena, numbers, 2, "a step of the method");
  HN_STATE_OF(arena, present, &h->known, 1, "the number of differences");
  hn_state_within(arena, 1, HN_ADAMS_DIFFERENCES);
  HN_STATE_OF(arena, present, h->psi, HN_ADAMS_DIFFERENCES, "a time between steps");
  for (int i = 0; i < HN_ADAMS_DIFFERENCES; i++)
    HN_STATE_BEHIND(arena, present, &h->phi[i], h->n, "difference");
}

static hn_status adams_create(hn_arena *arena, hn_equations *equations,
                              const hn_method_choice *choice, hn_method **method, hn_error *error) {
  const hn_formula *row = choice->formula;
  if (row->kind != HN_FORMULA_MULTISTEP || choice->independent != HN_INDEPENDENT_NONE)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "see `holon list` for the combinations",
                   "method first-order with formula '%s' and independent '%s' is not available",
                   row->name, hn_independent_name(choice->independent));
  adams *self = HN_KEEP(arena, adams, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base.type = &hn_adams;
  self->base.equations = equations;
  self->base.formula = row->name;
  self->base.independent = "none";
  self->base.error_order = 1;
  if (take_memory(arena, self) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the integrator");
  self->base.next_q = self->y1;
  self->history = &self->room[0];
  self->next = &self->room[1];
  declare_adams(arena, self);
  for (int k = 0; k <= HN_ADAMS_ORDER + 1; k++) self->constant[k] = hn_adams_constant(k);
  *method = &self->base;
  return HN_OK;
}

static hn_adams_history *other_room(adams *self, const hn_adams_history *than) {
  return than == &self->room[0] ? &self->room[1] : &self->room[0];
}

static hn_status adams_begin(hn_method *method, const hn_branches *branches, hn_error *error) {
  adams *self = (adams *)method;
  // the last step may still be looked back into
  self->history = other_room(self, self->next);
  self->control = (control){.order = 1, .is_starting = 1};
  hn_status status = hn_projected_ode_begin(&self->ode, branches, self->f, error);
  if (status == HN_OK) hn_adams_begin(self->history, self->f);
  return status;
}

// ---- errors, orders and steps -------------------------------------------------------------------

static void find_weights(adams *self, const hn_tolerance *tolerance) {
  const double *restrict y0 = self->y0, *restrict y1 = self->y1;
  double *restrict weight = self->weight, absolute = tolerance->absolute,
                   relative = tolerance->relative;
  for (int m = 0; m < self->ode.n - 1; m++) {
    double size = fabs(y0[m]) > fabs(y1[m]) ? fabs(y0[m]) : fabs(y1[m]);
    weight[m] = 1 / (absolute + relative * size);
  }
}

// Of a + b, b may be null.
static double norm(const adams *self, const double *a, const double *b) {
  int n = self->ode.n - 1;
  const double *weight = self->weight;
  double sum = 0;
  for (int m = 0; m < n; m++) {
    double x = (b ? a[m] + b[m] : a[m]) * weight[m];
    sum += x * x;
  }
  double root = n > 0 ? sqrt(sum / n) : 0;
  return isfinite(root) ? root : HUGE_VAL;
}

// A step with which order 1 should be within the tolerance: y'' is taken for y' over the time in which
// the state would change by itself.
static double starting_step(const adams *self, const double *y, const hn_tolerance *tolerance) {
  const double *f = self->history->phi[0];
  int n = self->ode.n - 1;
  double size = 0, speed = 0;
  for (int m = 0; m < n; m++) {
    double scale = tolerance->absolute + tolerance->relative * fabs(y[m]);
    size += (y[m] / scale) * (y[m] / scale);
    speed += (f[m] / scale) * (f[m] / scale);
  }
  size = n > 0 ? sqrt(size / n) : 0;
  speed = n > 0 ? sqrt(speed / n) : 0;
  double h = speed > 0 ? 0.5 * sqrt(size > 1 ? size : 1) / speed : 1e-4;
  return h < 1e-2 ? h : 1e-2;
}

static double factor_for(double error, int order) {
  return error > 0 ? hn_pow(TARGET / error, 1.0 / (order + 1)) : HUGE_VAL;
}

// Errors do not fall with the order any more: one less serves as well.
static int is_order_too_high(const adams *self) {
  const double *e = self->even;
  int k = self->step.order;
  if (k == 2) return e[1] <= 0.5 * e[2];
  return k > 2 && e[k - 1] <= e[k] && e[k - 2] <= e[k];
}

static int chosen_order(const adams *self) {
  const double *e = self->even;
  int k = self->step.order;
  // differences over a step cut short are small, or noise: they say little about full steps
  if (!self->control.is_starting && self->step.h < 0.5 * self->control.wanted) return k;
  if (is_order_too_high(self)) return k - 1;
  if (k == HN_ADAMS_ORDER) return k;
  if (self->control.is_starting) return k + 1;
  if (self->next->known < k + 2) return k;
  if (k == 1) return e[2] < 0.5 * e[1] ? 2 : 1;
  if (e[k - 1] <= e[k] && e[k - 1] <= e[k + 1]) return k - 1;
  return e[k + 1] < e[k] ? k + 1 : k;
}

// Order and size after a step that was taken.
static void choose_next(adams *self) {
  control *c = &self->control;
  int k = self->step.order, order = chosen_order(self);
  double h = self->step.h, factor;
  if (c->is_starting && order > k) {
    factor = factor_for(self->even[k], k);
    if (factor > STARTING_GROWTH) factor = STARTING_GROWTH;
  } else {
    c->is_starting = 0;
    factor = factor_for(self->even[order], order);
    if (factor > LARGEST_GROWTH) factor = LARGEST_GROWTH;
    if (factor < WORTHWHILE && factor >= 1) factor = 1;
    if (factor < 1) factor = factor < 0.5 ? 0.5 : factor > 0.9 ? 0.9 : factor;
  }
  if (factor < 1 || factor * h > c->wanted) c->wanted = factor * h;
  c->proposed = c->wanted < COMING_BACK * h ? c->wanted : COMING_BACK * h;
  c->order = order;
  c->refused = 0;
}

// Order and size after an attempt that is not good enough; error HUGE_VAL: nothing is known of it.
static hn_status refuse(adams *self, double error, const hn_tolerance *tolerance,
                        hn_status status) {
  control *c = &self->control;
  double h = self->step.h, factor = 0.25;
  int k = self->step.order;
  if (error < HUGE_VAL) {
    if (is_order_too_high(self)) c->order = k - 1;
    factor = factor_for(self->even[c->order], c->order);
    double least = self->history->known == 1 ? 0.01 : 0.25;
    factor = factor > 0.5 ? 0.5 : factor < least ? least : factor;
  }
  c->proposed = factor * h;
  if (self->history->known > 1) c->is_starting = 0;
  if (++c->refused >= PATIENCE && self->history->known > 1) {
    self->history->known = 1;
    c->order = c->is_starting = 1;
    double begin = starting_step(self, self->y0, tolerance);
    if (begin < c->proposed) c->proposed = begin;
  }
  c->wanted = c->proposed;
  return status;
}

static double adams_propose(hn_method *method, const hn_tolerance *tolerance) {
  adams *self = (adams *)method;
  if (self->control.proposed > 0) return self->control.proposed;
  hn_projected_ode_load(&self->ode, self->inside);
  self->control.proposed = self->control.wanted = starting_step(self, self->inside, tolerance);
  return self->control.proposed;
}

// ---- a step -------------------------------------------------------------------------------------

// From the predicted slope: the defect, the corrected y1, the errors of this order and those below.
static double correct(adams *self, const hn_tolerance *tolerance) {
  const hn_adams_step *step = &self->step;
  int k = step->order, n = self->ode.n;
  double h = step->h, share = h * (step->g[k] - step->g[k - 1]);
  hn_adams_defect(self->next, self->f, self->defect);
  const double *restrict defect = self->defect;
  double *restrict y1 = self->y1, *restrict error = self->error, reach = h * step->g[k];
  for (int m = 0; m < n; m++) y1[m] += reach * defect[m];
  for (int m = 0; m < n; m++) error[m] = fabs(share * defect[m]);
  find_weights(self, tolerance);
  self->even[k] = h * self->constant[k] * step->sigma[k] * norm(self, self->defect, NULL);
  for (int j = k - 1; j >= 1 && j >= k - 2; j--)
    self->even[j] =
        h * self->constant[j] * step->sigma[j] * norm(self, self->next->phi[j], self->defect);
  return norm(self, self->error, NULL);
}

// Difference of the dense output's start from y0: the local error, and the change by the
// projection.
static void find_gap(const adams *self) {
  double weight[HN_ADAMS_DIFFERENCES];
  int count = self->step.order + 1;
  *self->has_gap = 1;
  hn_adams_weights(self->next, count, -self->step.h, weight);
  for (int m = 0; m < self->ode.n; m++) {
    double sum = self->y1[m];
    for (int i = 0; i < count; i++) sum += weight[i] * self->next->phi[i][m];
    self->gap[m] = self->y0[m] - sum;
  }
}

static hn_status adams_attempt(hn_method *method, double t_end, const hn_branches *branches,
                               const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  adams *self = (adams *)method;
  int k = self->control.order;
  self->next = other_room(self, self->history);
  self->step = hn_adams_plan(self->history, k, t_end - method->t);
  hn_projected_ode_load(&self->ode, self->y0);
  hn_adams_predict(self->history, &self->step, self->y0, self->y1, self->next);
  hn_status status =
      hn_projected_ode_inside(&self->ode, t_end, self->y1, branches, tolerance, self->f, error);
  if (status < 0) return status;
  if (status > 0) return refuse(self, HUGE_VAL, tolerance, status);
  *error_norm = correct(self, tolerance);
  if (*error_norm > 1) return refuse(self, *error_norm, tolerance, HN_RETRY_ERROR);
  status = hn_projected_ode_end(&self->ode, t_end, self->y1, branches, tolerance, self->f, error);
  if (status < 0) return status;
  if (status > 0) return refuse(self, HUGE_VAL, tolerance, status);
  hn_projected_ode_add_change(&self->ode, self->error);
  *error_norm = norm(self, self->error, NULL);
  hn_adams_update(self->history, &self->step, self->f, self->next);
  self->even[k + 1] = self->step.h * self->constant[k + 1] * self->step.sigma[k + 1] *
                      norm(self, self->next->phi[k + 1], NULL);
  *self->has_gap = 0;
  return *error_norm > 1 ? refuse(self, HUGE_VAL, tolerance, HN_OK) : HN_OK;
}

static void adams_interpolate(const hn_method *method, double theta, double *q, double *qd,
                              double *work) {
  const adams *self = (const adams *)method;
  double weight[HN_ADAMS_DIFFERENCES];
  int count = self->step.order + 1;
  if (!*self->has_gap) find_gap(self);
  // 1 at the start and 0 at the end, flat at both: slopes there stay those of the model
  double blend = (1 - theta) * (1 - theta) * (1 + 2 * theta);
  hn_adams_weights(self->next, count, (theta - 1) * self->step.h, weight);
  for (int m = 0; m < self->ode.n; m++) {
    double sum = self->y1[m] + blend * self->gap[m];
    for (int i = 0; i < count; i++) sum += weight[i] * self->next->phi[i][m];
    self->inside[m] = sum;
  }
  hn_projected_ode_unload(&self->ode, self->inside, q, qd, work);
}

static void adams_accept(hn_method *method) {
  adams *self = (adams *)method;
  hn_projected_ode_accept(&self->ode, self->y1);
  self->history = self->next;
  choose_next(self);
}

// ---- the state ----------------------------------------------------------------------------------

static hn_status adams_resume(hn_method *method) {
  const adams *self = (const adams *)method;
  return self->history->known >= self->control.order ? HN_OK : HN_ERROR_ARGUMENT;
}

const hn_method_type hn_adams = {
    .name = "first-order",
    .takes = HN_FORMULA_MULTISTEP,
    .independent = HN_INDEPENDENT_NONE,
    .is_direct = 1,
    .follows_conditions = 1,
    .takes_states = 1,
    .create = adams_create,
    .begin = adams_begin,
    .attempt = adams_attempt,
    .interpolate = adams_interpolate,
    .accept = adams_accept,
    .propose = adams_propose,
    .resume = adams_resume,
};
