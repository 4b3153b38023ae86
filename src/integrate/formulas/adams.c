// Adams formulas: see adams.h.
#include "integrate/formulas/adams.h"

#include <math.h>
#include <string.h>

#include "integrate/formula.h"

hn_status hn_adams_history_create(hn_arena *arena, int n, hn_adams_history *history) {
  *history = (hn_adams_history){.n = n};
  for (int i = 0; i < HN_ADAMS_DIFFERENCES; i++) history->phi[i] = HN_KEEP(arena, double, n);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_adams_begin(hn_adams_history *history, const double *f) {
  size_t size = (size_t)history->n * sizeof(double);
  history->known = 1;
  memset(history->psi, 0, sizeof history->psi);
  memcpy(history->phi[0], f, size);
  for (int i = 1; i < HN_ADAMS_DIFFERENCES; i++) memset(history->phi[i], 0, size);
}

// Integrals over the last argument of products of `count` linear factors, each from the one before:
//   c_1 = 1,  c_{i+1}(x) = c_i(x) (x + a_i) / b_i   with x from 0 to s, ratio = (s + a) / b,
//   share = s / b;  g_i = (1 / s) integral of c_i.
// With g_{i,q} = (q - 1)! / s^q times the q-fold integral of c_i, integration by parts gives
//   g_{1,q} = 1 / q,   g_{i+1,q} = ratio_i g_{i,q} - share_i g_{i,q+1}.
static void integrate_products(int count, const double *ratio, const double *share, double *g) {
  double column[HN_ADAMS_DIFFERENCES] = {0};
  for (int q = 0; q < count; q++) column[q] = 1.0 / (q + 1);
  g[0] = column[0];
  for (int i = 1; i < count; i++) {
    for (int q = 0; q < count - i; q++)
      column[q] = ratio[i - 1] * column[q] - share[i - 1] * column[q + 1];
    g[i] = column[0];
  }
}

hn_adams_step hn_adams_plan(const hn_adams_history *history, int order, double h) {
  hn_adams_step step = {.order = order, .h = h};
  double ratio[HN_ADAMS_DIFFERENCES], share[HN_ADAMS_DIFFERENCES];
  step.beta[0] = step.sigma[0] = 1;
  for (int i = 0; i < HN_ADAMS_DIFFERENCES; i++) {
    step.psi[i] = i == 0 ? h : h + history->psi[i - 1];
    ratio[i] = 1;
    share[i] = h / step.psi[i];
  }
  for (int i = 1; i < HN_ADAMS_DIFFERENCES; i++) {
    // an unset difference is zero
    step.beta[i] =
        i < history->known ? step.beta[i - 1] * (step.psi[i - 1] / history->psi[i - 1]) : 0;
    step.sigma[i] = i * share[i - 1] * step.sigma[i - 1];
  }
  integrate_products(order + 1, ratio, share, step.g);
  return step;
}

void hn_adams_predict(const hn_adams_history *history, const hn_adams_step *step, const double *y,
                      double *p, hn_adams_history *next) {
  int n = history->n, k = step->order;
  double *restrict sum = p, h = step->h;
  for (int i = k; i >= 0; i--) { // the highest ones stand alone
    const double *restrict from = history->phi[i], *restrict above = next->phi[i + 1];
    double *restrict to = next->phi[i], beta = step->beta[i], g = step->g[i];
    if (i == k) {
      for (int m = 0; m < n; m++) to[m] = beta * from[m];
    } else if (i == k - 1) {
      for (int m = 0; m < n; m++) to[m] = beta * from[m];
      for (int m = 0; m < n; m++) sum[m] = g * to[m];
    } else {
      for (int m = 0; m < n; m++) {
        double star = beta * from[m];
        sum[m] += g * star;
        to[m] = above[m] + star;
      }
    }
  }
  for (int m = 0; m < n; m++) sum[m] = y[m] + h * sum[m];
}

void hn_adams_defect(const hn_adams_history *next, const double *f, double *d) {
  for (int m = 0; m < next->n; m++) d[m] = f[m] - next->phi[0][m];
}

void hn_adams_update(const hn_adams_history *history, const hn_adams_step *step, const double *f,
                     hn_adams_history *next) {
  int n = next->n, k = step->order;
  double *restrict d = next->phi[k], *restrict first = next->phi[0];
  double *restrict highest = next->phi[k + 1];
  for (int m = 0; m < n; m++) {
    double defect = f[m] - first[m];
    highest[m] = defect - d[m];
    d[m] = defect;
  }
  for (int i = 0; i < k; i++) {
    double *restrict phi = next->phi[i];
    for (int m = 0; m < n; m++) phi[m] += d[m];
  }
  memcpy(next->psi, step->psi, sizeof next->psi);
  int known = history->known + 1;
  next->known = known < k + 2 ? known : k + 2;
}

void hn_adams_weights(const hn_adams_history *history, int count, double s, double *weight) {
  double ratio[HN_ADAMS_DIFFERENCES] = {0}, share[HN_ADAMS_DIFFERENCES] = {0};
  for (int i = 0; i < count - 1; i++) {
    ratio[i] = (i == 0 ? s : s + history->psi[i - 1]) / history->psi[i];
    share[i] = s / history->psi[i];
  }
  integrate_products(count, ratio, share, weight);
  for (int i = 0; i < count; i++) weight[i] *= s;
}

// sum_{j<=m} gamma_j / (m + 1 - j) = 0 for m > 0 with gamma_0 = 1: the coefficients of the Adams-Moulton
// formulas, of which g_{k+1} - g_k is gamma_k.
double hn_adams_constant(int order) {
  double gamma[HN_ADAMS_DIFFERENCES + 1];
  gamma[0] = 1;
  for (int m = 1; m <= order; m++) {
    gamma[m] = 0;
    for (int j = 0; j < m; j++) gamma[m] -= gamma[j] / (m + 1 - j);
  }
  return fabs(gamma[order]);
}

const hn_formula hn_formulas_in_adams[] = {
    {.name = "adams", .kind = HN_FORMULA_MULTISTEP, .place = 20}, {0}};
