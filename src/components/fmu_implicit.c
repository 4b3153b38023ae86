// The implicit formula for stiff states of an FMU: stages by Newton's method with a matrix of
// differences, kept while the iterations contract. See fmu_attempt.h.
//
//   z_i = x + h sum_{j<i} a_ij g_j + h gamma f(z_i),   g_i = f(z_i) as it follows from the stage
#include <math.h>
#include <string.h>

#include "components/fmu_attempt.h"
#include "integrate/formula.h"
#include "linalg/rank.h"

enum { ITERATIONS = 10 };
#define LEFT 0.01      // of the tolerance, that an iteration may leave
#define SLOW 0.1       // contraction from which on the matrix is made again
#define ROUNDING 1e-16 // of differences

// Columns by differences at the present state; workspace: stage and delta.
static hn_status make_jacobian(hn_fmu_system *system, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  const int n = system->motion.states;
  hn_status status = HN_OK;
  memcpy(m->stage, m->x, (size_t)n * sizeof(double));
  for (int j = 0; j < n && status == HN_OK; j++) {
    const double change = sqrt(ROUNDING * fmax(1e-5 * m->nominal[j], fabs(m->x[j])));
    m->stage[j] = m->x[j] + change;
    const double moved = m->stage[j] - m->x[j];
    status = hn_fmu_evaluate_states(system, system->time, m->stage, m->delta, m->trial_indicators,
                                    error);
    for (int i = 0; i < n; i++)
      m->jacobian[(size_t)j * (size_t)n + (size_t)i] = (m->delta[i] - m->rates[i]) / moved;
    m->stage[j] = m->x[j];
  }
  m->has_jacobian = status == HN_OK;
  m->contraction = 0;
  return status;
}

// Factors 1 - h gamma J, and notes how fast J is. 1: it is singular.
static int factor_matrix(hn_fmu_system *system, double h) {
  hn_fmu_motion *m = &system->motion;
  const size_t n = (size_t)system->motion.states;
  const double g = h * hn_sdirk4_16.gamma;
  m->speed = 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
      const double entry = m->jacobian[j * n + i];
      m->matrix[j * n + i] = (i == j) - g * entry;
      sum += fabs(h * entry) * m->nominal[j] / m->nominal[i];
    }
    m->speed = fmax(m->speed, sum);
  }
  return hn_dense_lu(m->matrix, (int)n, m->pivots) != 0;
}

// The state of a stage, from the guess in `z`; base: what it has without its own
// slope. *converged: 0: the step is too large, or the matrix too old.
static hn_status find_one_stage(hn_fmu_system *system, double time, double g, const double *base,
                                double *z, int *converged, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  const int n = system->motion.states;
  double before = 0;
  *converged = 0;
  for (int k = 0; k < ITERATIONS; k++) {
    hn_status status =
        hn_fmu_evaluate_states(system, time, z, m->delta, m->trial_indicators, error);
    if (status != HN_OK) return status;
    for (int i = 0; i < n; i++) m->delta[i] = base[i] + g * m->delta[i] - z[i];
    hn_dense_lu_solve(m->matrix, n, m->pivots, m->delta);
    for (int i = 0; i < n; i++) z[i] += m->delta[i];
    const double norm = hn_fmu_error_norm(system, m->delta);
    const double ratio = k > 0 && before > 0 ? norm / before : m->contraction;
    if (k > 0) m->contraction = fmax(m->contraction, ratio);
    if (!(norm < HUGE_VAL) || (k > 0 && ratio >= 1 && norm > LEFT)) return HN_OK;
    *converged = norm == 0 || (k > 0 && norm * ratio / (1 - fmin(ratio, 0.99)) <= LEFT);
    if (*converged) return HN_OK;
    before = norm;
  }
  return HN_OK;
}

static hn_status find_all_stages(hn_fmu_system *system, double h, int *converged, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  const hn_sdirk_formula *f = &hn_sdirk4_16;
  const int n = system->motion.states;
  const double g = h * f->gamma;
  double *base = m->delta + n, *slopes = m->rates + n;
  hn_status status = HN_OK;
  *converged = 1;
  for (int i = 0; i < f->stages && *converged && status == HN_OK; i++) {
    for (int k = 0; k < n; k++) {
      double sum = 0, start = 0;
      for (int j = 0; j < i; j++) sum += f->a[i][j] * slopes[j * n + k];
      for (int j = 0; j < i; j++) { // z_j - x
        double way = f->gamma * slopes[j * n + k];
        for (int l = 0; l < j; l++) way += f->a[j][l] * slopes[l * n + k];
        start += f->start[i][j] * way;
      }
      base[k] = m->x[k] + h * sum;
      m->trial[k] = m->x[k] + h * start;
    }
    status =
        find_one_stage(system, system->time + f->c[i] * h, g, base, m->trial, converged, error);
    for (int k = 0; k < n; k++) slopes[i * n + k] = (m->trial[k] - base[k]) / g;
  }
  return status;
}

// The estimate, filtered by the matrix: stiff components are not overestimated.
static double error_of(hn_fmu_system *system, double h) {
  hn_fmu_motion *m = &system->motion;
  const hn_sdirk_formula *f = &hn_sdirk4_16;
  const int n = system->motion.states;
  for (int k = 0; k < n; k++) {
    double sum = f->e0 * m->rates[k];
    for (int i = 0; i < f->stages; i++) sum += f->e[i] * m->rates[(1 + i) * n + k];
    m->delta[k] = h * sum;
  }
  hn_dense_lu_solve(m->matrix, n, m->pivots, m->delta);
  return hn_fmu_error_norm(system, m->delta);
}

hn_status hn_fmu_attempt_implicit(hn_fmu_system *system, double h, double *norm, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  const int n = system->motion.states;
  int converged = 0;
  for (int is_new = 0; !converged && !is_new;) {
    hn_status status = HN_OK;
    is_new = !m->has_jacobian || m->contraction > SLOW;
    if (is_new) status = make_jacobian(system, error);
    if (status != HN_OK) return status;
    if (factor_matrix(system, h) == 0) status = find_all_stages(system, h, &converged, error);
    if (status != HN_OK) return status;
    if (!converged) m->contraction = 1; // the matrix is made again
  }
  *norm = converged ? error_of(system, h) : HUGE_VAL;
  if (!converged || !(*norm <= 1)) return HN_OK;
  const hn_status status = hn_fmu_evaluate_states(system, system->time + h, m->trial,
                                                  m->rates + 6 * n, m->trial_indicators, error);
  if (status == HN_OK && hn_fmu_has_changed(system, m->indicators, m->trial_indicators))
    m->changed_at = 1;
  return status;
}

void hn_fmu_interpolate_implicit(hn_fmu_system *system, double h, double theta) {
  hn_fmu_motion *m = &system->motion;
  const hn_sdirk_formula *f = &hn_sdirk4_16;
  const int n = system->motion.states;
  double weight[HN_MAX_STAGES];
  for (int i = 0; i < f->stages; i++) {
    weight[i] = 0;
    for (int k = 3; k >= 0; k--) weight[i] = (weight[i] + f->dense[i][k]) * theta;
  }
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int i = 0; i < f->stages; i++) sum += weight[i] * m->rates[(1 + i) * n + k];
    m->stage[k] = m->x[k] + h * sum;
  }
}
