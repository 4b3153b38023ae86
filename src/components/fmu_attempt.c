// The explicit formula, and the choice between both: see fmu_attempt.h.
//
// Stiffness is seen as in DOPRI5 (Hairer, Wanner, Solving ODEs II, section IV.2): the last two stages
// are at the same time, so that the quotient of their rates and states estimates the fastest rate.
// Where the error allows steps at the limit of stability again and again, the implicit formula is
// cheaper; where its steps are far below that limit again and again, the explicit one.
#include "components/fmu_attempt.h"

#include <math.h>
#include <string.h>

#include "integrate/formula.h"
#include "math/elementary.h"

enum { STIFF_STEPS = 15, CALM_STEPS = 20, OTHER_STEPS = 6 };
#define STABLE 3.25 // h times the fastest rate at the limit of stability
#define CALM 1.0

double hn_fmu_error_norm(const hn_fmu_system *system, const double *error) {
  const hn_fmu_motion *m = &system->motion;
  double norm = 0;
  for (int k = 0; k < system->motion.states; k++) {
    const double size = fmax(fabs(m->x[k]), fabs(m->trial[k]));
    const double part = fabs(error[k]) / (m->tol * (m->nominal[k] + size));
    norm = part > norm || isnan(part) ? part : norm;
  }
  return norm;
}

// The quotient of changes of rates and states, in the norm of the error.
static double speed_of(const hn_fmu_system *system, double h) {
  const hn_fmu_motion *m = &system->motion;
  const int n = system->motion.states, last = hn_dopri5.stages - 1;
  double *rise = m->delta, *way = m->delta + n;
  for (int k = 0; k < n; k++) {
    rise[k] = h * (m->rates[last * n + k] - m->rates[(last - 1) * n + k]);
    way[k] = m->trial[k] - m->stage[k];
  }
  const double moved = hn_fmu_error_norm(system, way);
  return moved > 0 ? hn_fmu_error_norm(system, rise) / moved : 0;
}

static hn_status attempt_explicit(hn_fmu_system *system, double h, double *norm, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  const hn_explicit_formula *f = &hn_dopri5;
  const int n = system->motion.states;
  hn_status status = HN_OK;
  for (int s = 1; s < f->stages && status == HN_OK; s++) {
    double *x = s == f->stages - 1 ? m->trial : m->stage;
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int i = 0; i < s; i++) sum += f->a[s][i] * m->rates[i * n + k];
      x[k] = m->x[k] + h * sum;
    }
    status = hn_fmu_evaluate_states(system, system->time + f->c[s] * h, x, m->rates + s * n,
                                    m->trial_indicators, error);
    if (m->changed_at > 1 && hn_fmu_has_changed(system, m->indicators, m->trial_indicators))
      m->changed_at = f->c[s];
  }
  if (status != HN_OK) return status;
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int s = 0; s < f->stages; s++) sum += f->e[s] * m->rates[s * n + k];
    m->delta[k] = h * sum;
  }
  *norm = hn_fmu_error_norm(system, m->delta);
  m->speed = speed_of(system, h);
  return HN_OK;
}

hn_status hn_fmu_attempt(hn_fmu_system *system, double h, double *norm, hn_error *error) {
  system->motion.changed_at = 2;
  *norm = HUGE_VAL;
  return system->motion.is_stiff ? hn_fmu_attempt_implicit(system, h, norm, error)
                                 : attempt_explicit(system, h, norm, error);
}

static void interpolate_explicit(hn_fmu_system *system, double h, double theta) {
  hn_fmu_motion *m = &system->motion;
  const hn_explicit_formula *f = &hn_dopri5;
  const int n = system->motion.states, last = (f->stages - 1) * n;
  const double bump = theta * theta * (1 - theta) * (1 - theta);
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int s = 0; s < f->stages; s++) sum += f->d[s] * m->rates[s * n + k];
    m->stage[k] =
        hn_cubic(theta, h, m->x[k], m->rates[k], m->trial[k], m->rates[last + k]) + bump * h * sum;
  }
}

void hn_fmu_interpolate(hn_fmu_system *system, double h, double theta) {
  if (system->motion.is_stiff)
    hn_fmu_interpolate_implicit(system, h, theta);
  else
    interpolate_explicit(system, h, theta);
}

double hn_fmu_step_factor(const hn_fmu_system *system, double norm) {
  const int order = system->motion.is_stiff ? hn_sdirk4_16.error_order : hn_dopri5.error_order;
  return norm > 0 ? 0.9 * hn_pow(norm, -1.0 / (order + 1)) : 5;
}

void hn_fmu_choose_formula(hn_fmu_system *system) {
  hn_fmu_motion *m = &system->motion;
  if (!m->jacobian) return; // too many states for an implicit formula
  const int speaks = m->is_stiff ? m->speed < CALM : m->speed > STABLE;
  m->count = speaks ? m->count + 1 : m->count;
  m->against = speaks ? 0 : m->against + 1;
  if (m->against >= OTHER_STEPS) m->count = 0;
  if (m->count < (m->is_stiff ? CALM_STEPS : STIFF_STEPS)) return;
  m->is_stiff = !m->is_stiff;
  m->count = m->against = m->has_jacobian = 0;
}
