// Stages of the implicit formulas: trapezoidal rule and SDIRK, in second-order form.
//
//   trapezoidal   q_hat = q0 + h v0 + h^2/4 a0,  v_hat = v0 + h/2 a0,  g = h/2        T(4.1, 4.2)
//                 error: difference to backward Euler, order 1
//   SDIRK         v_hat = v0 + h sum_{j<i} a_ij a_j,  g = gamma h
//                 q_hat = q0 + h sum_{j<i} a_ij v_j + g v_hat                          T(3.60-3.62)
//                 (the same as h^2 sum mu_ij a_j with mu = A A)
#include "integrate/stages.h"

#include <string.h>

static const hn_implicit_formula formulas[] = {
    {"trapezoidal", HN_IMPLICIT_TRAPEZOIDAL, 1, 2, 1, 0},
    {"sdirk4-16", HN_IMPLICIT_SDIRK, 5, 4, 3, &hn_sdirk4_16},
    {"sdirk4-15", HN_IMPLICIT_SDIRK, 5, 4, 3, &hn_sdirk4_15},
};

const hn_implicit_formula *hn_find_implicit_formula(const char *name) {
  for (size_t k = 0; k < sizeof formulas / sizeof formulas[0]; k++)
    if (strcmp(formulas[k].name, name) == 0) return &formulas[k];
  return NULL;
}

double hn_stages_number(const hn_implicit_formula *formula, double h) {
  return formula->kind == HN_IMPLICIT_TRAPEZOIDAL ? h / 2 : formula->sdirk->gamma * h;
}

hn_status hn_stages_create(hn_arena *arena, const hn_implicit_formula *formula, int n,
                           hn_stages **stages) {
  hn_stages *s = HN_TAKE(arena, hn_stages, 1);
  if (!s) return HN_ERROR_MEMORY;
  s->formula = formula;
  s->n = n;
  double **vectors[] = {&s->q0, &s->v0, &s->a0,    &s->q_hat, &s->v_hat,
                        &s->q1, &s->v1, &s->end_q, &s->end_v};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(arena, double, n);
  for (int i = 0; i < formula->stages; i++) {
    s->v[i] = HN_TAKE(arena, double, n);
    s->a[i] = HN_TAKE(arena, double, n);
  }
  *stages = s;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
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
}

// Starting increments z_i = sum start_ij z_j of the velocities, turned into an acceleration.
void hn_stages_predict(const hn_stages *s, int i, double *a) {
  if (i == 0 || s->formula->kind == HN_IMPLICIT_TRAPEZOIDAL) {
    memcpy(a, s->a0, (size_t)s->n * sizeof(double));
    return;
  }
  const hn_sdirk_formula *f = s->formula->sdirk;
  double g = f->gamma * s->h;
  for (int m = 0; m < s->n; m++) {
    double z = 0, base = 0;
    for (int j = 0; j < i; j++) {
      z += f->start[i][j] * (s->v[j][m] - s->v0[m]);
      base += f->a[i][j] * s->a[j][m];
    }
    a[m] = (z - s->h * base) / g;
  }
}

void hn_stages_extrapolate(const hn_stages *s, int i, double weight[HN_MAX_STAGES + 1]) {
  double node[HN_MAX_STAGES + 1] = {0}, to = 1;
  int chosen[3], count = 0;
  for (int k = 0; k <= i; k++) weight[k] = 0;
  if (s->formula->kind == HN_IMPLICIT_SDIRK) {
    to = s->formula->sdirk->c[i];
    for (int k = 0; k < i; k++) node[k + 1] = s->formula->sdirk->c[k];
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
  s->t = s->t0 + h;
  s->g = h / 2;
  for (int m = 0; m < s->n; m++) {
    s->q_hat[m] = s->q0[m] + h * s->v0[m] + h * h / 4 * s->a0[m];
    s->v_hat[m] = s->v0[m] + h / 2 * s->a0[m];
  }
}

void hn_stages_open(hn_stages *s, int i) {
  if (s->formula->kind == HN_IMPLICIT_TRAPEZOIDAL) {
    open_trapezoidal(s);
    return;
  }
  const hn_sdirk_formula *f = s->formula->sdirk;
  s->t = s->t0 + f->c[i] * s->h;
  s->g = f->gamma * s->h;
  for (int m = 0; m < s->n; m++) {
    double sum_v = 0, sum_a = 0;
    for (int j = 0; j < i; j++) {
      sum_v += f->a[i][j] * s->v[j][m];
      sum_a += f->a[i][j] * s->a[j][m];
    }
    s->v_hat[m] = s->v0[m] + s->h * sum_a;
    s->q_hat[m] = s->q0[m] + s->h * sum_v + s->g * s->v_hat[m];
  }
}

void hn_stages_close(hn_stages *s, int i, const double *a, double power) {
  s->power[i] = power;
  for (int m = 0; m < s->n; m++) {
    s->a[i][m] = a[m];
    s->v[i][m] = s->v_hat[m] + s->g * a[m];
    s->q1[m] = s->q_hat[m] + s->g * s->g * a[m]; // of the last stage when all are closed
    s->v1[m] = s->v[i][m];
  }
}

void hn_stages_recovered(hn_stages *s, int i, const double *v) {
  memcpy(s->v[i], v, (size_t)s->n * sizeof(double));
}

void hn_stages_end(hn_stages *s, double *error_q, double *error_v) {
  double h = s->h;
  for (int m = 0; m < s->n; m++) {
    double eq = 0, ev = 0;
    if (s->formula->kind == HN_IMPLICIT_TRAPEZOIDAL) {
      eq = s->q0[m] + h * s->v1[m] - s->q1[m];
      ev = s->v0[m] + h * s->a[0][m] - s->v1[m];
    } else {
      const hn_sdirk_formula *f = s->formula->sdirk;
      for (int i = 0; i < f->stages; i++) {
        eq += h * f->e[i] * s->v[i][m];
        ev += h * f->e[i] * s->a[i][m];
      }
    }
    error_q[m] = eq;
    error_v[m] = ev;
  }
  hn_stages_correct(s, s->q1, s->v1);
}

void hn_stages_correct(hn_stages *s, const double *q, const double *v) {
  memcpy(s->end_q, q, (size_t)s->n * sizeof(double));
  memcpy(s->end_v, v, (size_t)s->n * sizeof(double));
}

double hn_stages_work(const hn_stages *s) {
  if (s->formula->kind == HN_IMPLICIT_TRAPEZOIDAL) return s->h / 2 * (s->power0 + s->power[0]);
  const hn_sdirk_formula *f = s->formula->sdirk;
  double sum = 0;
  for (int i = 0; i < f->stages; i++) sum += f->a[f->stages - 1][i] * s->power[i];
  return s->h * sum;
}

// Cubic through both ends with their slopes.
static double cubic(double theta, double h, double y0, double d0, double y1, double d1) {
  double rise = y1 - y0, rest = 1 - theta;
  return y0 + theta * rise + theta * rest * (rest * (h * d0 - rise) - theta * (h * d1 - rise));
}

// Its slope: of the same order as the trapezoidal rule, and without the accelerations of the ends, in
// which stiff forces ring on under that rule.
static double slope(double theta, double h, double y0, double d0, double y1, double d1) {
  double rise = (y1 - y0) / h, rest = 1 - theta;
  return 6 * theta * rest * rise + rest * (1 - 3 * theta) * d0 + theta * (3 * theta - 2) * d1;
}

void hn_stages_interpolate(const hn_stages *s, double theta, double *q, double *v, double *work) {
  double h = s->h;
  if (s->formula->kind == HN_IMPLICIT_TRAPEZOIDAL) {
    for (int m = 0; m < s->n; m++) {
      q[m] = cubic(theta, h, s->q0[m], s->v0[m], s->end_q[m], s->end_v[m]);
      v[m] = slope(theta, h, s->q0[m], s->v0[m], s->end_q[m], s->end_v[m]);
    }
    if (work) *work = h * (theta * s->power0 + theta * theta / 2 * (s->power[0] - s->power0));
    return;
  }
  const hn_sdirk_formula *f = s->formula->sdirk;
  double b[HN_MAX_STAGES], sum = 0;
  for (int i = 0; i < f->stages; i++) {
    const double *d = f->dense[i];
    b[i] = theta * (d[0] + theta * (d[1] + theta * (d[2] + theta * d[3])));
    sum += b[i] * s->power[i];
  }
  if (work) *work = h * sum;
  for (int m = 0; m < s->n; m++) {
    double sum_v = 0, sum_a = 0;
    for (int i = 0; i < f->stages; i++) {
      sum_v += b[i] * s->v[i][m];
      sum_a += b[i] * s->a[i][m];
    }
    q[m] = s->q0[m] + h * sum_v + theta * (s->end_q[m] - s->q1[m]);
    v[m] = s->v0[m] + h * sum_a + theta * (s->end_v[m] - s->v1[m]);
  }
}
