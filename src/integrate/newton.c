// Newton control: see newton.h.
#include "integrate/newton.h"

#include <float.h>
#include <math.h>

#include "integrate/memory.h"
#include "math/elementary.h"

hn_newton hn_newton_begin(double kappa) {
  return (hn_newton){
      .kappa = kappa, .eta = 1, .is_raised = 1, .start = 1, .limit = HN_NEWTON_ITERATIONS};
}

int hn_newton_limit(int max_iterations) {
  if (max_iterations <= 0) return HN_NEWTON_ITERATIONS;
  return max_iterations < HN_NEWTON_MOST ? max_iterations : HN_NEWTON_MOST;
}

void hn_newton_fresh(hn_newton *newton) {
  newton->slowest = 0;
  newton->eta = newton->start = 1;
  newton->is_raised = 1;
}

// A quasi-Newton iteration is fast at its end, not at its start.
static double raised(hn_newton *newton) {
  if (!newton->is_raised) newton->eta = hn_pow(newton->eta, 0.8);
  newton->is_raised = 1;
  return newton->eta;
}

void hn_newton_begin_stage(hn_newton *newton) {
  newton->iteration = newton->has_grown = 0;
  double eta = newton->start > 0 ? newton->start : raised(newton);
  newton->eta = eta > DBL_EPSILON ? eta : DBL_EPSILON;
  newton->is_raised = 0;
  newton->start = 0;
}

// eta norm <= kappa. Of eta <= 1 the power is between eta and 1: mostly it need not be known.
static int is_converged(hn_newton *newton, double norm) {
  if (!newton->is_raised && newton->eta <= 1) {
    if (norm <= newton->kappa) return 1;
    if (newton->eta * norm > newton->kappa) return 0;
  }
  return raised(newton) * norm <= newton->kappa;
}

// Rate of convergence: if multipliers are unknowns but not in the norm, their error returns every
// second iteration, and good and bad rates alternate.
static double pace_of(const hn_newton *newton, int k, double norm) {
  if (k < 2 || !(newton->before > 0)) return newton->theta;
  return fmin(newton->theta, sqrt(norm / newton->before));
}

// ---- steps that are not shortened ---------------------------------------------------------------

void hn_newton_begin_steady(hn_newton *newton, double rate) {
  newton->is_steady = 1;
  newton->iteration = newton->has_changed = newton->is_renewed = newton->is_stalled = 0;
  newton->theta = rate;
  newton->pace = newton->last = 0;
}

static hn_status judge_steady(hn_newton *newton, double norm) {
  int k = newton->iteration++, has_changed = k > 0 && newton->has_changed;
  if (k > 0 && !has_changed) {
    newton->theta = newton->last > 0 ? norm / newton->last : 0;
    newton->slowest = fmax(newton->slowest, newton->theta);
    if (newton->theta > newton->most && norm > newton->kappa) return HN_RETRY_CONVERGENCE;
  }
  double rate = newton->theta, left = rate < 0.9 ? rate / (1 - rate) * norm : 10 * norm;
  // only weakly constrained directions remain: near a singular configuration
  int is_stalled = k > 2 && newton->is_renewed && rate > HN_NEWTON_POOR && norm <= newton->loose;
  int is_done = left <= newton->rest || norm <= newton->kappa;
  // forces that change their branches without progress are not on those of the matrix
  newton->pace = k == 0 ? 0 : has_changed ? norm / newton->last : rate;
  newton->last = norm;
  newton->is_stalled = is_stalled && !is_done;
  if (!has_changed && (is_stalled || is_done)) return HN_OK;
  return newton->iteration < newton->limit ? HN_RETRY : HN_RETRY_CONVERGENCE;
}

// ---- the iteration ------------------------------------------------------------------------------

hn_status hn_newton_judge(hn_newton *newton, double norm) {
  if (!(norm < HUGE_VAL)) return HN_RETRY_CONVERGENCE;
  if (newton->is_steady) return judge_steady(newton, norm);
  int k = newton->iteration++;
  if (k > 0) {
    newton->theta = newton->last > 0 ? norm / newton->last : 0;
    if (newton->theta > newton->slowest) newton->slowest = newton->theta;
    double pace = pace_of(newton, k, norm);
    newton->before = newton->last;
    if (newton->theta >= 1) {
      newton->start = 1;
      if (norm <= 1e-3 * newton->kappa) return HN_OK; // as far as rounding lets it
      // multipliers are unknowns too but not in the norm: their first correction may show a step late
      newton->last = norm;
      newton->has_grown = 1;
      int goes_on = (k == 1 && newton->theta < 4) || (pace < 0.5 && k < newton->limit - 1);
      return goes_on ? HN_RETRY : HN_RETRY_CONVERGENCE;
    }
    newton->eta = newton->theta / (1 - newton->theta);
    newton->is_raised = 1;
    double start = newton->eta < 1 ? newton->eta : 1;
    if (start > newton->start) newton->start = start;
    // the first rate says little, nor the next where the first was bad: multipliers are not in the norm
    if (k > (newton->has_grown ? 2 : 1) && newton->eta * norm > newton->kappa) {
      int left = newton->limit - 1 - k;
      double expected = hn_pow(pace, left) / (1 - pace) * norm;
      if (expected > newton->kappa) return HN_RETRY_CONVERGENCE;
    }
  }
  newton->last = norm;
  if (is_converged(newton, norm)) return HN_OK;
  return newton->iteration < newton->limit ? HN_RETRY : HN_RETRY_CONVERGENCE;
}

// Continues without convergence, or accepts the result.
static hn_status bear(hn_newton *newton, hn_method *m, double norm, hn_status status) {
  newton->last = norm;
  int limit = m->is_patient > 1 && newton->patience > 0 ? newton->patience : newton->limit;
  if (newton->iteration < limit) return HN_RETRY;
  if (!m->accepts_unconverged) return status;
  m->unconverged++;
  if (norm > m->unconverged_residual) m->unconverged_residual = norm;
  return HN_OK;
}

hn_status hn_newton_iterate(hn_newton *newton, hn_method *m, hn_newton_correction correct, void *of,
                            hn_error *error) {
  int is_borne = !newton->is_steady && (m->accepts_unconverged || m->is_patient);
  for (;;) {
    double norm = 0;
    hn_status status = correct(of, &norm, error);
    if (status != HN_OK) return status;
    m->iterations++;
    status = hn_newton_judge(newton, norm);
    if (is_borne && status != HN_OK && norm < HUGE_VAL) status = bear(newton, m, norm, status);
    if (status != HN_RETRY) return status;
  }
}

// Between stages: the initial state of the next one. Limits are those of the options.
void hn_newton_declare(hn_arena *arena, hn_newton *newton) {
  double *const numbers[] = {&newton->kappa, &newton->eta,     &newton->start, &newton->theta,
                             &newton->last,  &newton->slowest, &newton->before};
  hn_declare_numbers(arena, numbers, sizeof numbers / sizeof *numbers, "a rate of convergence");
  hn_declare_integer(arena, &newton->is_raised, 0, 1, "the flag of a rate");
}
