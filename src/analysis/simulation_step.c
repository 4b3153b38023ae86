// One accepted step: the code to read first.
//
//   changes at the start -> size -> attempt, error test -> first change -> take -> changes at the end
//
// A method makes the attempt (integrate/method.h). All that can happen at an instant or inside a step
// is a source of events (event_sources.h); the step loops over those that the model has.
#include <stdatomic.h>

#include "analysis/auto_stepping.h"
#include "analysis/collapse.h"
#include "analysis/event_sources.h"
#include "analysis/lock_up.h"
#include "analysis/step_looks.h"
#include "analysis/step_size.h"
#include "base/error.h"
#include "equations/levels.h"

enum { MAX_ATTEMPTS = 20 }; // of a step, once the run was asked to stop

// ---- the attempt --------------------------------------------------------------------------------

// A fixed step cannot be shortened: a slow iteration gets all allowed iterations. Across a change
// of branch it may not converge on the branches of its start, where a tyre that has left the road
// still pulls: then every function takes the branch of its argument.
static hn_status attempt_patiently(hn_simulation *s, double end, double *error_norm) {
  hn_branches *b = s->changing.by_state > 0 ? &s->loose.branches : &s->branches;
  s->loose.holds = s->changing.by_state > 0;
  for (int f = 0; s->loose.holds && f < s->elements->force_branches; f++)
    b->force[f] = (hn_branch){HN_BRANCH_FREE, HN_BRANCH_FREE};
  for (int d = 0; s->loose.holds && d < s->elements->driver_branches; d++)
    b->driver[d] = s->branches.driver[d];
  for (int k = 0; s->loose.holds && k < s->elements->turn_count; k++)
    b->turns[k] = s->branches.turns[k];
  b->grips = s->branches.grips;
  hn_step_looks_renew(s);
  s->method->is_patient = s->used.max_iterations > 0 ? 1 : 2;
  hn_status status = hn_method_attempt(s->method, end, b, &s->tolerance, error_norm, &s->error);
  s->method->is_patient = 0;
  return status;
}

// Stops once; a later call continues. Checking is cheap, clearing is not.
static hn_status stop_if_told(hn_simulation *s) {
  if (!atomic_load_explicit(&s->interrupted, memory_order_relaxed) ||
      !atomic_exchange_explicit(&s->interrupted, 0, memory_order_relaxed))
    return HN_OK;
  return hn_fail(&s->error, HN_ERROR_INTERRUPTED, NULL, NULL, NULL,
                 "stopped on request at t = %g s", s->method->t);
}

// Whether steps of one size are required that real time does not bound.
static int keeps_given_step(const hn_simulation *s) {
  return s->stepping.mode == HN_RUN_FIXED_STEP || s->stepping.mode == HN_RUN_TIME_STEPPING;
}

// Attempts until the error is within the tolerance, from size h on.
static hn_status attempt(hn_simulation *s, double h, double t_limit, double *error_norm) {
  double smallest = s->options.min_step > 0
                        ? s->options.min_step
                        : 1e-14 * (fabs(s->method->t) + fabs(s->method->step) + 1e-3);
  // a step that does not move time would be taken for ever
  const double t = s->method->t;
  if (!(t + h > t) && keeps_given_step(s))
    return hn_fail(&s->error, HN_ERROR_STEP_SIZE, NULL, NULL, "give a larger @step",
                   "a fixed step of %g s is lost in rounding at t = %g s", h, t);
  if (!(t + h > t)) h = smallest;
  // A started step is completed, so that a continued run makes the same steps; but with a limit.
  for (int attempts = 0;; attempts++) {
    if (attempts > MAX_ATTEMPTS && stop_if_told(s) != HN_OK) return HN_ERROR_INTERRUPTED;
    double end = hn_step_end(s, h, t_limit);
    hn_status status =
        hn_method_attempt(s->method, end, &s->branches, &s->tolerance, error_norm, &s->error);
    s->loose.holds = 0;
    if (status > 0 && keeps_given_step(s)) status = attempt_patiently(s, end, error_norm);
    if (status < 0) return status;
    if (status == HN_OK && (s->stepping.mode != HN_RUN_CONTROLLED || *error_norm <= 1))
      return HN_OK;
    s->certificate.steps_rejected++;
    h = end - s->method->t;
    // a slip that turns within it: there the step ends, and a shorter one finds where
    if (s->stepping.mode == HN_RUN_FIXED_STEP && status > 0 && h > smallest &&
        hn_holds_conditions(s->equations, &s->branches)) {
      h *= 0.5;
      continue;
    }
    if (s->stepping.mode != HN_RUN_CONTROLLED || h <= smallest)
      return hn_cannot_go_on(s, h, status == HN_OK ? HN_RETRY_ERROR : status);
    h = hn_step_size_after(s, h, status == HN_OK ? *error_norm : HUGE_VAL);
  }
}

// The attempt, by another method if `auto` so decides. *suggested: the size that was aimed at.
static hn_status attempt_by_choice(hn_simulation *s, double t_limit, double *suggested,
                                   double *error_norm) {
  hn_status status = attempt(s, *suggested, t_limit, error_norm);
  if (s->automatic.is_choosing && hn_auto_refuses(s, status)) {
    status = hn_auto_change(s);
    if (status == HN_OK) status = attempt(s, hn_step_size(s, t_limit), t_limit, error_norm);
  }
  if (status == HN_ERROR_STEP_SIZE && hn_auto_retreats(s)) {
    *suggested = hn_step_size(s, t_limit);
    status = attempt(s, *suggested, t_limit, error_norm);
  }
  // after refusals it is the size that was taken at last
  if (status == HN_OK && s->method->step < *suggested && s->control.after_rejection)
    *suggested = s->method->step;
  return status;
}

// ---- the step -----------------------------------------------------------------------------------

// Ends the attempted step at the first change, and attempts it again, shorter, until its interior is as
// it assumes.
static hn_status end_at_change(hn_simulation *s, double t_limit, double *suggested,
                               double *error_norm) {
  const double least = 1e-12 * (fabs(s->method->t) + 1e-3);
  for (;;) {
    hn_status status = hn_events_locate(s, error_norm);
    if (status != HN_OK) return status;
    const double theta = hn_events_hold_until(s);
    if (!(theta < 1) || s->stepping.mode != HN_RUN_CONTROLLED || !(theta * s->method->step > least))
      return HN_OK;
    *suggested = theta * s->method->step;
    s->certificate.steps_rejected++;
    status = attempt(s, *suggested, t_limit, error_norm);
    if (status != HN_OK) return status;
  }
}

static hn_status accept(hn_simulation *s, double suggested, double error_norm) {
  hn_status status = hn_events_take(s);
  if (status != HN_OK) return status;
  s->method->type->accept(s->method);
  hn_step_size_taken(s, suggested, error_norm);
  hn_note_step(s);
  hn_events_note(s);
  status = hn_events_apply(s);
  return status == HN_OK && s->stepping.mode == HN_RUN_CONTROLLED ? hn_watch_progress(s) : status;
}

// Tests before anything is changed or counted.
static hn_status check_ready(hn_simulation *s) {
  if (s->at_start.mass_ratio.light > 0 && !s->equations->type->traits.of_joints)
    return hn_fail_mass_ratio(s->model, &s->at_start.mass_ratio, &s->error);
  return stop_if_told(s);
}

// Changes at the start, and the size.
static hn_status prepare(hn_simulation *s, double t_limit, double *suggested) {
  hn_status status = HN_OK;
  if (*s->elements->is_held) status = hn_simulation_release_drivers(s);
  if (status == HN_OK) status = hn_events_start(s);
  if (status == HN_OK && s->automatic.choice.is_changing) status = hn_auto_change(s);
  if (status != HN_OK) return status;
  *suggested = hn_step_size(s, t_limit);
  if (s->stepping.mode != HN_RUN_CONTROLLED)
    hn_events_report_fixed(s, fmin(s->stepping.step, t_limit - s->method->t));
  return HN_OK;
}

static hn_status take_step(hn_simulation *s, double t_limit) {
  double error_norm = 0, suggested = 0;
  const long iterations = s->method->iterations;
  s->error.status = HN_OK;
  s->stepping.has_dense = 0;
  hn_step_looks_renew(s);
  hn_status status = check_ready(s);
  if (status == HN_OK) status = prepare(s, t_limit, &suggested);
  if (status == HN_OK) status = attempt_by_choice(s, t_limit, &suggested, &error_norm);
  if (status == HN_OK) status = end_at_change(s, t_limit, &suggested, &error_norm);
  // relative coordinates go far with such masses, but not always
  if (status == HN_ERROR_STEP_SIZE && s->at_start.mass_ratio.light > 0)
    status = hn_fail_mass_ratio(s->model, &s->at_start.mass_ratio, &s->error);
  if (status == HN_OK) {
    status = accept(s, suggested, error_norm);
    s->stepping.has_dense = 1;
    s->stepping.iterations = s->method->iterations - iterations;
    if (status == HN_OK && s->stepping.mode != HN_RUN_REAL_TIME) status = hn_watch_work(s, t_limit);
  }
  // projections cannot identify a component that does not answer
  if (status < 0 && s->error.status == HN_OK &&
      hn_nested_lost(s->equations, s->method->t, &s->error) != HN_OK)
    status = s->error.status;
  s->view.snapshot = s->method->now;
  s->view.branches = &s->branches;
  s->view.work = s->method->work;
  if (s->method->states > 0) hn_states_set(s->elements, s->method->z);
  return status;
}

hn_status hn_simulation_take_step(hn_simulation *s, double t_limit) {
  const double start = s->method->t;
  if (s->stepping.loses_scratch) {
    hn_arena_poison(&s->compiled);
    hn_arena_poison(&s->arena);
  }
  hn_status status = take_step(s, t_limit);
  if (status >= 0 || !s->contacts || !hn_stepping_takes_over(s)) return status;
  s->view.snapshot = s->method->now;
  return s->method->t > start ? HN_OK : take_step(s, t_limit);
}
