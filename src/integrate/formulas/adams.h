// Adams formulas of order 1 to 12 on any grid, in modified divided differences (Krogh; Shampine and
// Gordon, Computer Solution of Ordinary Differential Equations, 1975, chapter 5). With x_0 the newest
// time, x_1 the one before, ... and psi_i = x_0 - x_i, psi_0 = 0,
//
//   phi_1 = f(x_0),   phi_{i+1} = psi_1 ... psi_i f[x_0, ..., x_i]
//
// which on an even grid are the backward differences of f. A step of size h moves the grid on:
//
//   psi_i(new) = h + psi_{i-1},   phi*_i = beta_i phi_i,   beta_i = prod_{j<i} psi_j(new) / psi_j
//   predictor of order k    p  = y + h sum_{i<=k} g_i phi*_i
//   corrector of order k+1  y1 = p + h g_{k+1} d,      d = f(p) - sum_{i<=k} phi*_i
//   local error of order k  h (g_{k+1} - g_k) d
//
// after which f(y1) takes the place of f(p) in d and phi_{k+1}(new) = d, phi_i(new) = phi_{i+1}(new) +
// phi*_i. Nothing here knows of states or constraints: f are vectors.
#ifndef HN_INTEGRATE_FORMULAS_ADAMS_H
#define HN_INTEGRATE_FORMULAS_ADAMS_H

#include "base/arena.h"

#define HN_ADAMS_ORDER 12                         // the highest order of a predictor
#define HN_ADAMS_DIFFERENCES (HN_ADAMS_ORDER + 2) // the highest, and one to judge a higher order by

// Known values of f at and before the present time. Index 0 is equation 1.
typedef struct hn_adams_history {
  int n;                             // components
  int known;                         // number of differences set; 0: none yet
  double psi[HN_ADAMS_DIFFERENCES];  // psi_1, psi_2, ...
  double *phi[HN_ADAMS_DIFFERENCES]; // phi_1, phi_2, ... (n each)
} hn_adams_history;

// A step of order k (k <= known) from a history.
typedef struct hn_adams_step {
  int order;
  double h;
  double psi[HN_ADAMS_DIFFERENCES]; // of the new grid
  double beta[HN_ADAMS_DIFFERENCES];
  double g[HN_ADAMS_DIFFERENCES];
  // Factors that convert a difference of the new grid to one of an even grid of size h:
  // sigma_1 = 1, sigma_{i+1} = i h / psi_i(new) sigma_i.
  double sigma[HN_ADAMS_DIFFERENCES];
} hn_adams_step;

hn_status hn_adams_history_create(hn_arena *arena, int n, hn_adams_history *history);
// Only this one value of f.
void hn_adams_begin(hn_adams_history *history, const double *f);

hn_adams_step hn_adams_plan(const hn_adams_history *history, int order, double h);
// next->phi becomes what the differences of the new grid would be if d were 0, with phi*_{k+1} kept in
// the place of phi_{k+1}; p the predicted value (n).
void hn_adams_predict(const hn_adams_history *history, const hn_adams_step *step, const double *y,
                      double *p, hn_adams_history *next);
// d for this f (n).
void hn_adams_defect(const hn_adams_history *next, const double *f, double *d);
// Completes next with the final f.
void hn_adams_update(const hn_adams_history *history, const hn_adams_step *step, const double *f,
                     hn_adams_history *next);
// Integrals of the polynomial through the newest `count` values of f from the newest time to s after it
// (s < 0: before it): y(x_0 + s) = y(x_0) + sum weight_i phi_i.
void hn_adams_weights(const hn_adams_history *history, int count, double s, double *weight);
// g_{k+1} - g_k of an even grid is -hn_adams_constant(k).
double hn_adams_constant(int order);

#endif
