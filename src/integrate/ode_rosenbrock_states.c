// States in Rosenbrock formulas: see ode_rosenbrock_states.h.
#include "integrate/ode_rosenbrock_states.h"

#include <math.h>
#include <string.h>

#include "integrate/method_states.h"
#include "linalg/rank.h"

#define STEP 1e-5 // of a difference, of the size of what is moved

struct hn_rosenbrock_states {
  hn_ode *ode;
  hn_method *method;
  const hn_rosenbrock_formula *formula;
  int n;
  double h, g;
  double *k[HN_MAX_STAGES];       // (n)
  double *rate, *by_time;         // of the stage; r_t (n)
  double *push;                   // (1 - g r_z)^-1 w_k (n)
  double *z, *above, *below;      // (n)
  double *begin, *begin_rate;     // of the step (n)
  double *end, *end_rate;         // (n)
  double *error;                  // (n)
  double *matrix;                 // factors of 1 - g r_z (n x n)
  int *pivots;                    // (n)
  double *y, *yd, *f[2], *q, *qd; // (nq)
};

hn_status hn_rosenbrock_states_create(hn_arena *arena, hn_ode *ode,
                                      const hn_rosenbrock_formula *formula,
                                      hn_rosenbrock_states **states) {
  hn_method *m = ode->implicit->method;
  const int n = m->states, nq = m->equations->nq;
  *states = NULL;
  if (n == 0) return HN_OK;
  hn_rosenbrock_states *s = HN_KEEP(arena, hn_rosenbrock_states, 1);
  if (!s) return HN_ERROR_MEMORY;
  s->ode = ode;
  s->method = m;
  s->formula = formula;
  s->n = n;
  for (int i = 0; i < formula->stages; i++) s->k[i] = HN_WORK(arena, double, n);
  double **by_state[] = {&s->rate,  &s->by_time,    &s->push, &s->z,        &s->above, &s->below,
                         &s->begin, &s->begin_rate, &s->end,  &s->end_rate, &s->error};
  for (size_t k = 0; k < sizeof by_state / sizeof by_state[0]; k++)
    *by_state[k] = HN_WORK(arena, double, n);
  double **by_coordinate[] = {&s->y, &s->yd, &s->f[0], &s->f[1], &s->q, &s->qd};
  for (size_t k = 0; k < sizeof by_coordinate / sizeof by_coordinate[0]; k++)
    *by_coordinate[k] = HN_WORK(arena, double, nq);
  s->matrix = HN_KEEP(arena, double, n *n);
  s->pivots = HN_KEEP(arena, int, n);
  *states = s;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// Rates at q, qd with the states that hold.
static hn_status rates_at(hn_rosenbrock_states *s, double t, const double *q, const double *qd,
                          const hn_branches *branches, double *rates) {
  hn_method *m = s->method;
  hn_equations *e = m->equations;
  e->type->coordinates->frames(e, q, qd, m->z_frames);
  hn_status status = hn_states_look(e->elements, t, m->z_frames, branches->turns, branches->force);
  hn_states_rates(e->elements, t, rates);
  return status == HN_OK ? HN_OK : HN_RETRY;
}

// Distance of the two points of a difference from its center, along a direction of largest
// component `most`.
static double step_along(double most, double size) { return STEP * (1 + size) / most; }

// 1 - g r_z by differences, a column a state.
static hn_status matrix_by_differences(hn_rosenbrock_states *s, const hn_branches *branches) {
  hn_method *m = s->method;
  const size_t size = (size_t)s->n * sizeof(double);
  hn_status status = HN_OK;
  for (int k = 0; k < s->n && status == HN_OK; k++) {
    const double step = STEP * (1 + fabs(m->z[k]));
    for (int side = 0; side < 2 && status == HN_OK; side++) {
      memcpy(s->z, m->z, size);
      s->z[k] += side == 0 ? step : -step;
      hn_states_set(m->equations->elements, s->z);
      status = rates_at(s, m->t, m->q, m->qd, branches, side == 0 ? s->above : s->below);
    }
    for (int i = 0; i < s->n; i++)
      s->matrix[k * s->n + i] = (i == k ? 1 : 0) - s->g * (s->above[i] - s->below[i]) / (2 * step);
  }
  return status;
}

hn_status hn_rosenbrock_states_begin(hn_rosenbrock_states *s, double h,
                                     const hn_branches *branches) {
  hn_method *m = s->method;
  const hn_elements *elements = m->equations->elements;
  const size_t size = (size_t)s->n * sizeof(double);
  s->h = h;
  s->g = s->formula->e * h;
  memcpy(s->begin, m->z, size);
  memcpy(s->begin_rate, m->z_rate, size);
  hn_states_set(elements, m->z);
  hn_status status = rates_at(s, m->t, m->q, m->qd, branches, s->above);
  if (status == HN_OK && !hn_states_matrix(elements, m->t, s->g, s->matrix))
    status = matrix_by_differences(s, branches);
  if (status == HN_OK && hn_dense_lu(s->matrix, s->n, s->pivots) != 0) status = HN_RETRY;
  hn_states_set(elements, m->z);
  const double apart = STEP * h;
  if (status == HN_OK) status = rates_at(s, m->t + apart, m->q, m->qd, branches, s->above);
  if (status == HN_OK) status = rates_at(s, m->t - apart, m->q, m->qd, branches, s->below);
  for (int i = 0; i < s->n; i++) s->by_time[i] = (s->above[i] - s->below[i]) / (2 * apart);
  memcpy(s->rate, m->z_rate, size);
  return status;
}

// x = base + sum weight_j k_j
static void combine(const hn_rosenbrock_states *s, const double *base, const double *weight,
                    int count, double *x) {
  for (int i = 0; i < s->n; i++) {
    double sum = base ? base[i] : 0;
    for (int j = 0; j < count; j++) sum += weight[j] * s->k[j][i];
    x[i] = sum;
  }
}

void hn_rosenbrock_states_open(hn_rosenbrock_states *s, int i) {
  combine(s, s->begin, s->formula->w[i], i, s->z);
  hn_states_set(s->method->equations->elements, s->z);
}

void hn_rosenbrock_states_rate(hn_rosenbrock_states *s, double t) {
  hn_states_rates(s->method->equations->elements, t, s->rate);
}

hn_status hn_rosenbrock_states_push(hn_rosenbrock_states *s, int i, const hn_branches *branches,
                                    double *w, hn_error *error) {
  const hn_rosenbrock_formula *f = s->formula;
  hn_ode *ode = s->ode;
  const hn_elements *elements = s->method->equations->elements;
  combine(s, NULL, f->c[i], i, s->push);
  for (int k = 0; k < s->n; k++)
    s->push[k] = f->e * s->push[k] + s->h * f->e * s->rate[k] +
                 s->h * s->h * f->e * f->e_i[i] * s->by_time[k];
  hn_dense_lu_solve(s->matrix, s->n, s->pivots, s->push);
  const double most = hn_largest(s->push, s->n);
  if (most == 0) return HN_OK;
  const double step = step_along(most, hn_largest(s->begin, s->n));
  hn_status status = HN_OK;
  for (int side = 0; side < 2 && status == HN_OK; side++) {
    const double by = side == 0 ? step : -step;
    for (int k = 0; k < s->n; k++) s->z[k] = s->begin[k] + by * s->push[k];
    hn_states_set(elements, s->z);
    memcpy(ode->q, s->method->q, (size_t)s->method->equations->nq * sizeof(double));
    status = ode->type->evaluate(ode, s->method->t, ode->y, ode->yd, branches, s->f[side], error);
  }
  for (int m = 0; m < ode->n && status == HN_OK; m++)
    w[m] += s->g * (s->f[0][m] - s->f[1][m]) / (2 * step);
  return status;
}

hn_status hn_rosenbrock_states_close(hn_rosenbrock_states *s, int i, const double *x1,
                                     const double *u, const hn_branches *branches) {
  hn_ode *ode = s->ode;
  hn_method *m = s->method;
  const size_t size = (size_t)m->equations->nq * sizeof(double);
  const double most = fmax(hn_largest(x1, ode->n), hn_largest(u, ode->n));
  double *k = s->k[i];
  memcpy(k, s->push, (size_t)s->n * sizeof(double));
  if (most == 0) return HN_OK;
  const double step = step_along(most, 0);
  hn_status status = HN_OK;
  hn_states_set(m->equations->elements, s->begin);
  for (int side = 0; side < 2 && status == HN_OK; side++) {
    const double by = side == 0 ? step : -step;
    for (int j = 0; j < ode->n; j++) {
      s->y[j] = ode->y[j] + by * x1[j];
      s->yd[j] = ode->yd[j] + by * u[j];
    }
    memcpy(s->q, m->q, size);
    ode->type->expand(ode, m->t, s->y, s->yd, s->q, s->qd);
    status = rates_at(s, m->t, s->q, s->qd, branches, side == 0 ? s->above : s->below);
  }
  for (int j = 0; j < s->n; j++) s->z[j] = s->g * (s->above[j] - s->below[j]) / (2 * step);
  hn_dense_lu_solve(s->matrix, s->n, s->pivots, s->z);
  for (int j = 0; j < s->n; j++) k[j] += s->z[j];
  return status;
}

double hn_rosenbrock_states_end(hn_rosenbrock_states *s, const hn_tolerance *tolerance) {
  const hn_rosenbrock_formula *f = s->formula;
  hn_method *m = s->method;
  combine(s, s->begin, f->s, f->stages, s->end);
  combine(s, NULL, f->error_s, f->stages, s->error);
  memcpy(m->next_z, s->end, (size_t)s->n * sizeof(double));
  hn_states_set(m->equations->elements, s->end);
  hn_dense_lu_solve(s->matrix, s->n, s->pivots, s->error);
  return hn_method_state_error(m, s->error, tolerance);
}

void hn_rosenbrock_states_note(hn_rosenbrock_states *s) {
  hn_states_rates(s->method->equations->elements, s->method->step_end, s->end_rate);
}

// Cubic through both ends with their rates.
void hn_rosenbrock_states_look(const hn_rosenbrock_states *s, double theta) {
  for (int k = 0; k < s->n; k++)
    s->z[k] = hn_cubic(theta, s->h, s->begin[k], s->begin_rate[k], s->end[k], s->end_rate[k]);
  hn_states_set(s->method->equations->elements, s->z);
}
