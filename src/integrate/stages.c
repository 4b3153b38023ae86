// Stages of the implicit formulas in second-order form: trapezoidal rule, SDIRK, structural formulas.
//
//   trapezoidal   q_hat = q0 + h v0 + h^2/4 a0,  v_hat = v0 + h/2 a0,  g = h/2        T(4.1, 4.2)
//                 error: difference to backward Euler, order 1
//   SDIRK         v_hat = v0 + h sum_{j<i} a_ij a_j,  g = gamma h
//                 q_hat = q0 + h sum_{j<i} a_ij v_j + g v_hat                          T(3.60-3.62)
//                 (the same as h^2 sum mu_ij a_j with mu = A A)
//   structural    w_hat = (af a0 - am w0)/(1 - am),  k = (1 - af)/(1 - am)
//                 q_hat = q0 + h v0 + h^2 ((1/2 - beta) w0 + beta w_hat),  g_q = beta h^2 k
//                 v_hat = v0 + h ((1 - gamma) w0 + gamma w_hat),           g_v = gamma h k
//
// Structural formulas. Along a smooth motion w_n is a at t_n + (am - af) h, to the second order: w0
// - a0 is scaled with h when the step changes, or the order would be lost where it does. Error:
// difference to the integrals of the quadratic p through a at the last start, at this start and at
// the end,
//
//   e_v = v1 - v0 - h (a0 + a1)/2 + h^3 p''/12,
//   e_q = q1 - q0 - h v0 - h^2 a0/2 - h^2 (a1 - a0)/6 + h^4 p''/24
//
// which differ from those of a itself by h^4 and h^5: e is the whole leading part of the local error,
// whatever the numbers of the formula are and however the steps change. Without a past, a is taken to
// have rested before: a bound of order h^2.
#include "integrate/stages.h"

#include <string.h>

#include "elements/sensor.h"
#include "integrate/memory.h"
#include "integrate/method_states.h"
#include "linalg/block.h"
#include "linalg/vectors.h"

// A step longer than so many of the last ones learns nothing from them.
#define LONGER 10

int hn_find_implicit_formula(const hn_method_choice *choice, hn_implicit_formula *formula) {
  const hn_formula *row = choice->formula;
  if (!row || !hn_formula_iterates(row)) return 0;
  *formula = (hn_implicit_formula){.name = row->name};
  if (row->sdirk || row->sdirk_family) {
    formula->kind = HN_IMPLICIT_SDIRK;
    formula->sdirk = row->sdirk ? *row->sdirk : row->sdirk_family(choice->parameter);
    formula->stages = formula->sdirk.stages;
    formula->order = formula->sdirk.order;
    formula->error_order = formula->sdirk.error_order;
  } else if (row->structural) {
    formula->kind = HN_IMPLICIT_STRUCTURAL;
    formula->structural = row->structural(choice->parameter);
    formula->stages = 1;
    formula->order = formula->error_order = formula->structural.order;
  } else {
    formula->kind = HN_IMPLICIT_TRAPEZOIDAL;
    formula->stages = 1;
    formula->order = 2;
    formula->error_order = 1;
  }
  return 1;
}

hn_step_numbers hn_stages_numbers(const hn_implicit_formula *formula, double h) {
  if (formula->kind == HN_IMPLICIT_TRAPEZOIDAL) return hn_first_order_numbers(h / 2);
  if (formula->kind == HN_IMPLICIT_SDIRK) return hn_first_order_numbers(formula->sdirk.gamma * h);
  const hn_structural_formula *f = &formula->structural;
  double share = (1 - f->alpha_f) / (1 - f->alpha_m);
  return (hn_step_numbers){.q = f->beta * h * h * share, .v = f->gamma * h * share};
}

// Lost by a restart.
static void declare_past(hn_arena *arena, hn_stages *s) {
  hn_declare_integer(arena, &s->has_past, 0, 1, "the flag of a last step");
  HN_STATE(arena, &s->past_h, 1, "the last step");
  HN_STATE(arena, s->w, s->n, "the auxiliary acceleration");
  HN_STATE(arena, s->past_a, s->n, "the last acceleration");
}

hn_status hn_stages_create(hn_arena *arena, const hn_implicit_formula *formula, int n,
                           hn_stages **stages) {
  hn_stages *s = HN_KEEP(arena, hn_stages, 1);
  if (!s) return HN_ERROR_MEMORY;
  hn_implicit_formula *own = HN_TAKE(arena, hn_implicit_formula, 1);
  if (!own) return HN_ERROR_MEMORY;
  *own = *formula;
  s->formula = own;
  s->n = n;
  s->wide = hn_is_wide();
  double **vectors[] = {&s->q0, &s->v0, &s->a0, &s->q_hat, &s->v_hat, &s->q1,
                        &s->v1, &s->w0, &s->w1, &s->sum_q, &s->sum_v};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_WORK(arena, double, n);
  s->end_q = HN_KEEP(arena, double, n);
  s->end_v = HN_KEEP(arena, double, n);
  s->w = HN_KEEP(arena, double, n);
  s->past_a = HN_KEEP(arena, double, n);
  for (int i = 0; i < formula->stages; i++) {
    s->v[i] = HN_WORK(arena, double, n);
    s->a[i] = HN_WORK(arena, double, n);
    s->rise[i] = HN_WORK(arena, double, n);
  }
  if (formula->kind == HN_IMPLICIT_STRUCTURAL) declare_past(arena, s);
  *stages = s;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_stages_take_states(hn_arena *arena, hn_stages *s, hn_method *method) {
  const int states = method->states;
  if (states == 0) return HN_OK;
  s->method = method;
  s->nothing = HN_TAKE(arena, double, states);
  s->found = HN_WORK(arena, double, states);
  s->error_z = HN_WORK(arena, double, 2 * states);
  return arena->failed ? HN_ERROR_MEMORY : hn_stages_create(arena, s->formula, states, &s->states);
}

void hn_stages_restart(hn_stages *s) {
  s->has_past = 0;
  if (s->states) s->states->has_past = 0;
}

// Whether a step of this size takes over what the last one left.
static int has_past(const hn_stages *s) { return s->has_past && s->h <= LONGER * s->past_h; }

static void begin_structural(hn_stages *s) {
  double ratio = has_past(s) ? s->h / s->past_h : 0;
  for (int m = 0; m < s->n; m++)
    s->w0[m] = ratio == 1  ? s->w[m]
               : ratio > 0 ? s->a0[m] + ratio * (s->w[m] - s->a0[m])
                           : s->a0[m];
}

void hn_stages_begin(hn_stages *s, double t0, double h, const double *q0, const double *v0,
                     const double *a0, double power0) {
  size_t size = (size_t)s->n * sizeof(double);
  s->t0 = t0;
  s->h = h;
  s->power0 = power0;
  memcpy(s->q0, q0, size);
  memcpy(s->v0, v0, size);
  memcpy(s->a0, a0, size);
  if (s->formula->kind == HN_IMPLICIT_STRUCTURAL) begin_structural(s);
  if (s->states) hn_stages_begin(s->states, t0, h, s->nothing, s->method->z, s->method->z_rate, 0);
}

// Starting increments z_i = sum start_ij z_j of the velocities, turned into an acceleration.
void hn_stages_predict(const hn_stages *s, int i, double *a) {
  if (i == 0 || s->formula->kind != HN_IMPLICIT_SDIRK) {
    memcpy(a, s->a0, (size_t)s->n * sizeof(double));
    return;
  }
  const hn_sdirk_formula *f = &s->formula->sdirk;
  double g = f->gamma * s->h, h = s->h, *restrict z = s->sum_v, *restrict base = s->sum_q;
  hn_combine(s->wide, s->n, i, f->start[i], s->rise, z);
  hn_combine(s->wide, s->n, i, f->a[i], s->a, base);
  for (int m = 0; m < s->n; m++) a[m] = (z[m] - h * base[m]) / g;
}

void hn_stages_extrapolate(const hn_stages *s, int i, double weight[HN_MAX_STAGES + 1]) {
  double node[HN_MAX_STAGES + 1] = {0}, to = 1;
  int chosen[3], count = 0;
  for (int k = 0; k <= i; k++) weight[k] = 0;
  if (s->formula->kind == HN_IMPLICIT_SDIRK) {
    to = s->formula->sdirk.c[i];
    for (int k = 0; k < i; k++) node[k + 1] = s->formula->sdirk.c[k];
  }
  while (count < 3 && count <= i) { // the nearest node not yet chosen
    int best = -1;
    for (int k = 0; k <= i; k++) {
      int known = 0;
      for (int m = 0; m < count; m++) known |= chosen[m] == k;
      double distance = node[k] > to ? node[k] - to : to - node[k];
      double least = best < 0 ? 0 : node[best] > to ? node[best] - to : to - node[best];
      if (!known && (best < 0 || distance < least)) best = k;
    }
    chosen[count++] = best;
  }
  for (int m = 0; m < count; m++) {
    double product = 1;
    for (int l = 0; l < count; l++)
      if (l != m) product *= (to - node[chosen[l]]) / (node[chosen[m]] - node[chosen[l]]);
    weight[chosen[m]] = product;
  }
}

static void open_trapezoidal(hn_stages *s) {
  double h = s->h;
  for (int m = 0; m < s->n; m++) {
    s->q_hat[m] = s->q0[m] + h * s->v0[m] + h * h / 4 * s->a0[m];
    s->v_hat[m] = s->v0[m] + h / 2 * s->a0[m];
  }
}

static void open_structural(hn_stages *s) {
  const hn_structural_formula *f = &s->formula->structural;
  double h = s->h, share = 1 / (1 - f->alpha_m);
  for (int m = 0; m < s->n; m++) {
    double w_hat = share * (f->alpha_f * s->a0[m] - f->alpha_m * s->w0[m]);
    s->q_hat[m] = s->q0[m] + h * s->v0[m] + h * h * ((0.5 - f->beta) * s->w0[m] + f->beta * w_hat);
    s->v_hat[m] = s->v0[m] + h * ((1 - f->gamma) * s->w0[m] + f->gamma * w_hat);
  }
}

static void open_sdirk(hn_stages *s, int i) {
  const hn_sdirk_formula *f = &s->formula->sdirk;
  const double h = s->h, g = s->g.v, *q0 = s->q0, *v0 = s->v0;
  double *restrict q_hat = s->q_hat, *restrict v_hat = s->v_hat;
  hn_combine(s->wide, s->n, i, f->a[i], s->v, q_hat);
  hn_combine(s->wide, s->n, i, f->a[i], s->a, v_hat);
  for (int m = 0; m < s->n; m++) {
    v_hat[m] = v0[m] + h * v_hat[m];
    q_hat[m] = q0[m] + h * q_hat[m] + g * v_hat[m];
  }
}

static void open(hn_stages *s, int i) {
  s->g = hn_stages_numbers(s->formula, s->h);
  switch (s->formula->kind) {
  case HN_IMPLICIT_TRAPEZOIDAL:
    s->t = s->t0 + s->h;
    open_trapezoidal(s);
    return;
  case HN_IMPLICIT_STRUCTURAL:
    s->t = s->t0 + s->h;
    open_structural(s);
    return;
  case HN_IMPLICIT_SDIRK:
    s->t = s->t0 + s->formula->sdirk.c[i] * s->h;
    open_sdirk(s, i);
    return;
  }
}

void hn_stages_open(hn_stages *s, int i) {
  open(s, i);
  if (!s->states) return;
  open(s->states, i);
  hn_states_follow(s->method->equations->elements, s->t, s->g.v, s->states->v_hat);
}

void hn_stages_close(hn_stages *s, int i, const double *a, double power) {
  if (s->states) {
    hn_states_rates(s->method->equations->elements, s->t, s->found);
    hn_stages_close(s->states, i, s->found, 0);
  }
  const hn_step_numbers g = s->g;
  const double *q_hat = s->q_hat, *v_hat = s->v_hat, *v0 = s->v0;
  double *restrict v = s->v[i], *restrict rise = s->rise[i];
  double *restrict q1 = s->q1, *restrict v1 = s->v1; // of the last stage when all are closed
  s->power[i] = power;
  memcpy(s->a[i], a, (size_t)s->n * sizeof(double));
  for (int m = 0; m < s->n; m++) {
    v[m] = v1[m] = v_hat[m] + g.v * a[m];
    rise[m] = v[m] - v0[m];
    q1[m] = q_hat[m] + g.q * a[m];
  }
  if (s->formula->kind != HN_IMPLICIT_STRUCTURAL) return;
  const hn_structural_formula *f = &s->formula->structural;
  for (int m = 0; m < s->n; m++)
    s->w1[m] = ((1 - f->alpha_f) * a[m] + f->alpha_f * s->a0[m] - f->alpha_m * s->w0[m]) /
               (1 - f->alpha_m);
}

void hn_stages_recovered(hn_stages *s, int i, const double *v) {
  memcpy(s->v[i], v, (size_t)s->n * sizeof(double));
  for (int m = 0; m < s->n; m++) s->rise[i][m] = v[m] - s->v0[m];
}

static void end_trapezoidal(const hn_stages *s, double *error_q, double *error_v) {
  for (int m = 0; m < s->n; m++) {
    error_q[m] = s->q0[m] + s->h * s->v1[m] - s->q1[m];
    error_v[m] = s->v0[m] + s->h * s->a[0][m] - s->v1[m];
  }
}

static void end_structural(const hn_stages *s, double *error_q, double *error_v) {
  double h = s->h, before = has_past(s) ? s->past_h : h;
  for (int m = 0; m < s->n; m++) {
    double a0 = s->a0[m], rise = s->a[0][m] - a0;
    double past_rise = has_past(s) ? a0 - s->past_a[m] : 0;
    double bend = 2 * (rise / h - past_rise / before) / (h + before); // p''
    error_v[m] = s->v1[m] - s->v0[m] - h * (a0 + rise / 2) + h * h * h * bend / 12;
    error_q[m] = s->q1[m] - s->q0[m] - h * s->v0[m] - h * h * (a0 / 2 + rise / 6) +
                 h * h * h * h * bend / 24;
  }
}

static void end_sdirk(hn_stages *s, double *error_q, double *error_v) {
  const hn_sdirk_formula *f = &s->formula->sdirk;
  const double h = s->h;
  double weight[HN_MAX_STAGES + 1] = {h * f->e0}, *v[HN_MAX_STAGES + 1] = {s->v0};
  double *a[HN_MAX_STAGES + 1] = {s->a0};
  for (int i = 0; i < f->stages; i++) {
    weight[i + 1] = h * f->e[i];
    v[i + 1] = s->v[i];
    a[i + 1] = s->a[i];
  }
  hn_combine(s->wide, s->n, f->stages + 1, weight, v, error_q);
  hn_combine(s->wide, s->n, f->stages + 1, weight, a, error_v);
  if (!f->ends_between) return;
  hn_combine(s->wide, s->n, f->stages, f->b, s->v, s->q1);
  hn_combine(s->wide, s->n, f->stages, f->b, s->a, s->v1);
  for (int m = 0; m < s->n; m++) {
    s->q1[m] = s->q0[m] + h * s->q1[m];
    s->v1[m] = s->v0[m] + h * s->v1[m];
  }
}

void hn_stages_end(hn_stages *s, double *error_q, double *error_v) {
  switch (s->formula->kind) {
  case HN_IMPLICIT_TRAPEZOIDAL: end_trapezoidal(s, error_q, error_v); break;
  case HN_IMPLICIT_STRUCTURAL: end_structural(s, error_q, error_v); break;
  case HN_IMPLICIT_SDIRK: end_sdirk(s, error_q, error_v); break;
  }
  hn_stages_correct(s, s->q1, s->v1);
  if (!s->states) return;
  const hn_elements *elements = s->method->equations->elements;
  const size_t size = (size_t)s->states->n * sizeof(double);
  hn_stages_end(s->states, s->error_z + s->states->n, s->error_z);
  hn_states_filter(elements, s->error_z);
  memcpy(s->method->next_z, s->states->v1, size);
  hn_states_set(elements, s->method->next_z);
}

double hn_stages_state_error(const hn_stages *s, const hn_tolerance *tolerance) {
  return s->states ? hn_method_state_error(s->method, s->error_z, tolerance) : 0;
}

// Linear from the start to the end.
void hn_stages_correct_states(hn_stages *s) {
  if (!s->states) return;
  const hn_method *m = s->method;
  for (int k = 0; k < m->states; k++) s->found[k] = s->h / 2 * (m->z[k] + m->next_z[k]);
  hn_stages_correct(s->states, s->found, m->next_z);
}

int hn_stages_end_between(const hn_stages *s) {
  return s->formula->kind == HN_IMPLICIT_SDIRK && s->formula->sdirk.ends_between;
}

int hn_stages_is_end(const hn_stages *s, int i) {
  return i == s->formula->stages - 1 && !hn_stages_end_between(s) && !s->states;
}

void hn_stages_take_power(hn_stages *s, double power) {
  const int last = s->formula->stages - 1;
  if (hn_stages_is_end(s, last)) s->power[last] = power;
}

void hn_stages_correct(hn_stages *s, const double *q, const double *v) {
  memcpy(s->end_q, q, (size_t)s->n * sizeof(double));
  memcpy(s->end_v, v, (size_t)s->n * sizeof(double));
}

double hn_stages_work(const hn_stages *s) {
  if (s->formula->kind != HN_IMPLICIT_SDIRK) return s->h / 2 * (s->power0 + s->power[0]);
  const hn_sdirk_formula *f = &s->formula->sdirk;
  const double *b = f->ends_between ? f->b : f->a[f->stages - 1];
  double sum = 0;
  for (int i = 0; i < f->stages; i++) sum += b[i] * s->power[i];
  return s->h * sum;
}

// The slope of the cubic: of the same order as the trapezoidal rule, and without the accelerations of
// the ends, in which stiff forces ring on under that rule.
static double slope(double theta, double h, double y0, double d0, double y1, double d1) {
  double rise = (y1 - y0) / h, rest = 1 - theta;
  return 6 * theta * rest * rise + rest * (1 - 3 * theta) * d0 + theta * (3 * theta - 2) * d1;
}

// Work up to theta: the integral of the line through the power at both ends; or, where stages are
// two between them, of the quadratic through the start and both, which ends in their sum with order
// 3 and is brought there by a line with order 2.
static double work_until(const hn_stages *s, double theta) {
  double p0 = s->power0, p1 = s->power[0];
  if (s->formula->kind != HN_IMPLICIT_SDIRK)
    return s->h * (theta * p0 + theta * theta / 2 * (p1 - p0));
  double c1 = s->formula->sdirk.c[0], c2 = s->formula->sdirk.c[1];
  if (c1 == c2 || c2 == 0) return theta * hn_stages_work(s);
  double d1 = (p1 - p0) / c1, bend = ((s->power[1] - p0) / c2 - d1) / (c2 - c1), rest = 0;
  if (s->formula->order < 3)
    rest = hn_stages_work(s) - s->h * (p0 + d1 / 2 + bend * (1.0 / 3 - c1 / 2));
  return theta * rest + s->h * theta * (p0 + theta * (d1 / 2 + bend * (theta / 3 - c1 / 2)));
}

static void interpolate(const hn_stages *s, double theta, double *q, double *v, double *work) {
  double h = s->h;
  if (s->formula->kind != HN_IMPLICIT_SDIRK || s->formula->sdirk.ends_between) {
    for (int m = 0; m < s->n; m++) {
      q[m] = hn_cubic(theta, h, s->q0[m], s->v0[m], s->end_q[m], s->end_v[m]);
      v[m] = slope(theta, h, s->q0[m], s->v0[m], s->end_q[m], s->end_v[m]);
    }
    if (work) *work = work_until(s, theta);
    return;
  }
  const hn_sdirk_formula *f = &s->formula->sdirk;
  double b[HN_MAX_STAGES], sum = 0;
  for (int i = 0; i < f->stages; i++) {
    const double *d = f->dense[i];
    b[i] = theta * (d[0] + theta * (d[1] + theta * (d[2] + theta * d[3])));
    sum += b[i] * s->power[i];
  }
  if (work) *work = h * sum;
  double *restrict to_q = q, *restrict to_v = v;
  const double *q0 = s->q0, *v0 = s->v0, *q1 = s->q1, *v1 = s->v1;
  const double *end_q = s->end_q, *end_v = s->end_v;
  hn_combine(s->wide, s->n, f->stages, b, s->v, q);
  hn_combine(s->wide, s->n, f->stages, b, s->a, v);
  for (int m = 0; m < s->n; m++) {
    to_q[m] = q0[m] + h * to_q[m] + theta * (end_q[m] - q1[m]);
    to_v[m] = v0[m] + h * to_v[m] + theta * (end_v[m] - v1[m]);
  }
}

void hn_stages_interpolate(const hn_stages *s, double theta, double *q, double *v, double *work) {
  interpolate(s, theta, q, v, work);
  if (!s->states) return;
  interpolate(s->states, theta, s->error_z, s->found, NULL);
  hn_states_set(s->method->equations->elements, s->found); // for readers of the states
}

// ---- memory -------------------------------------------------------------------------------------

void hn_stages_accept(hn_stages *s) {
  if (s->states) hn_stages_accept(s->states);
  if (s->formula->kind != HN_IMPLICIT_STRUCTURAL) return;
  size_t size = (size_t)s->n * sizeof(double);
  s->has_past = 1;
  s->past_h = s->h;
  memcpy(s->w, s->w1, size);
  memcpy(s->past_a, s->a0, size);
}
