// States of a Model Exchange FMU between two communication points: steps with error control
// (fmu_attempt.c) and events. Where an event indicator changes its sign the step ends: bisection on
// the dense output, then the step is repeated up to there.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "components/fmu_attempt.h"

enum { MAX_EVENTS = 10000, MAX_STEPS = 200000 }; // in one communication step

// Rates at a time and state; indicators too.
hn_status hn_fmu_evaluate_states(hn_fmu_unit *unit, double time, const double *x, double *rates,
                                 double *indicators, hn_error *error) {
  hn_fmu_link *link = &unit->link;
  hn_fmu_request(link, HN_FMU_EVALUATE);
  hn_wire_numbers(&link->request, &time, 1);
  hn_wire_numbers(&link->request, x, unit->setup->states);
  link->time = time;
  hn_status status = hn_fmu_ask(link, error);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&link->answer, rates, unit->setup->states);
  hn_wire_get_numbers(&link->answer, indicators, unit->setup->indicators);
  return hn_fmu_answered(link, error);
}

// ---- events -------------------------------------------------------------------------------------

// Discrete states until none is new; then the continuous ones, which may have jumped.
static hn_status update_states(hn_fmu_unit *unit, hn_error *error) {
  hn_fmu_motion *m = &unit->motion;
  hn_fmu_request(&unit->link, HN_FMU_UPDATE);
  hn_status status = hn_fmu_ask(&unit->link, error);
  if (status != HN_OK) return status;
  hn_wire *a = &unit->link.answer;
  const int flags = hn_wire_get_int(a);
  hn_wire_get_numbers(a, &m->next_event, 1);
  hn_wire_get_numbers(a, m->x, unit->setup->states);
  hn_wire_get_numbers(a, m->nominal, unit->setup->states);
  if (flags & HN_FMU_ENDS) unit->is_ended = 1;
  status = hn_fmu_answered(&unit->link, error);
  if (status != HN_OK) return status;
  m->has_jacobian = 0;
  for (int k = 0; k < unit->setup->states; k++)
    if (!(m->nominal[k] > 0) || isinf(m->nominal[k])) m->nominal[k] = 1;
  return hn_fmu_evaluate_states(unit, unit->time, m->x, m->rates, m->indicators, error);
}

static hn_status enter_event(hn_fmu_unit *unit, hn_error *error) {
  unit->motion.events++;
  hn_fmu_request(&unit->link, HN_FMU_EVENT);
  hn_status status = hn_fmu_ask(&unit->link, error);
  return status == HN_OK ? update_states(unit, error) : status;
}

// Of a step that was taken. *is_event: the FMU wants one.
static hn_status complete_states(hn_fmu_unit *unit, int *is_event, hn_error *error) {
  if (!unit->setup->completes_steps) return HN_OK;
  hn_fmu_request(&unit->link, HN_FMU_COMPLETE);
  hn_status status = hn_fmu_ask(&unit->link, error);
  if (status != HN_OK) return status;
  const int flags = hn_wire_get_int(&unit->link.answer);
  if (flags & HN_FMU_WANTS_EVENT) *is_event = 1;
  if (flags & HN_FMU_ENDS) unit->is_ended = 1;
  return hn_fmu_answered(&unit->link, error);
}

int hn_fmu_has_changed(const hn_fmu_unit *unit, const double *before, const double *after) {
  for (int k = 0; k < unit->setup->indicators; k++)
    if ((before[k] > 0) != (after[k] > 0)) return 1;
  return 0;
}

// ---- one step -----------------------------------------------------------------------------------

// The fraction up to which indicators change, by bisection; above 1: they do not. A stage may have
// seen a change that is undone at the end of the step.
static hn_status locate(hn_fmu_unit *unit, double h, double *theta, hn_error *error) {
  hn_fmu_motion *m = &unit->motion;
  const int at_end = hn_fmu_has_changed(unit, m->indicators, m->trial_indicators);
  double low = 0, high = 1;
  hn_status status = HN_OK;
  *theta = 2;
  if (m->changed_at < 1) {
    high = m->changed_at;
    hn_fmu_interpolate(unit, h, high);
    status = hn_fmu_evaluate_states(unit, unit->time + high * h, m->stage, m->stage,
                                    m->trial_indicators, error);
    if (status == HN_OK && !hn_fmu_has_changed(unit, m->indicators, m->trial_indicators)) {
      if (!at_end) return status;
      low = high;
      high = 1;
    }
  }
  while (status == HN_OK && (high - low) * h > 4e-16 * (fabs(unit->time) + h)) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    hn_fmu_interpolate(unit, h, middle);
    status = hn_fmu_evaluate_states(unit, unit->time + middle * h, m->stage, m->stage,
                                    m->trial_indicators, error);
    if (hn_fmu_has_changed(unit, m->indicators, m->trial_indicators))
      high = middle;
    else
      low = middle;
  }
  *theta = high;
  return status;
}

static void accept_states(hn_fmu_unit *unit, double time) {
  hn_fmu_motion *m = &unit->motion;
  const size_t n = (size_t)unit->setup->states;
  memcpy(m->x, m->trial, n * sizeof(double));
  memcpy(m->rates, m->rates + 6 * n, n * sizeof(double));
  unit->time = time;
  m->steps++;
}

// Ends the attempt at the event: the state there is that of the repeated step if its indicators have
// changed too, else that of the dense output.
static hn_status end_at_event(hn_fmu_unit *unit, double h, double *end, int *is_event,
                              hn_error *error) {
  hn_fmu_motion *m = &unit->motion;
  const int n = unit->setup->states;
  double theta, norm;
  hn_status status = locate(unit, h, &theta, error);
  if (status != HN_OK) return status;
  *is_event = theta <= 1;
  if (theta >= 1)
    return hn_fmu_evaluate_states(unit, *end, m->trial, m->rates + 6 * n, m->trial_indicators,
                                  error);
  hn_fmu_interpolate(unit, h, theta);
  *end = unit->time + theta * h;
  memcpy(m->dense, m->stage, (size_t)n * sizeof(double));
  status = hn_fmu_attempt(unit, theta * h, &norm, error);
  const int has_passed = norm <= 1 && hn_fmu_has_changed(unit, m->indicators, m->trial_indicators);
  if (status == HN_OK && !has_passed) {
    memcpy(m->trial, m->dense, (size_t)n * sizeof(double));
    status =
        hn_fmu_evaluate_states(unit, *end, m->trial, m->rates + 6 * n, m->trial_indicators, error);
  }
  return status;
}

// ---- steps --------------------------------------------------------------------------------------

hn_status hn_fmu_states_start(hn_fmu_unit *unit, hn_error *error) {
  unit->motion.h = 0;
  unit->motion.is_stiff = 0;
  return update_states(unit, error);
}

hn_status hn_fmu_states_change(hn_fmu_unit *unit, const hn_fmu_group *groups, int group_count,
                               const double *values, hn_error *error) {
  hn_fmu_request(&unit->link, HN_FMU_EVENT);
  hn_status status = hn_fmu_ask(&unit->link, error);
  if (status == HN_OK) status = hn_fmu_unit_set(unit, groups, group_count, values, error);
  return status == HN_OK ? update_states(unit, error) : status;
}

static hn_status fail_step(const hn_fmu_unit *unit, double h, hn_error *error) {
  char name[128];
  return hn_fail(error, HN_ERROR_STEP_SIZE, NULL,
                 hn_text(name, sizeof name, "FMU '%.100s'", unit->setup->name),
                 "Use a larger tolerance, or its Co-Simulation.",
                 "needs a step below %.3g s at t = %.9g s", h, unit->time);
}

// One step that is accepted, to `end` at most, and the events at its end.
static hn_status take_states_step(hn_fmu_unit *unit, double end, hn_error *error) {
  hn_fmu_motion *m = &unit->motion;
  const double least = 1e-14 * (1 + fabs(unit->time));
  int is_event = 0;
  for (;;) {
    double norm, to = end, h = m->h > 0 ? m->h : 1e-3 * (end - unit->time);
    if (h >= end - unit->time) h = end - unit->time;
    hn_status status = hn_fmu_attempt(unit, h, &norm, error);
    if (status != HN_OK && status != HN_RETRY) return status;
    const double factor = hn_fmu_step_factor(unit, norm);
    if (status == HN_RETRY || !(norm <= 1)) { // it cannot be evaluated there, or is too coarse
      m->h = h * (status == HN_OK && factor > 0.2 ? factor : 0.2);
      if (m->h < least) return status == HN_RETRY ? HN_ERROR_FILE : fail_step(unit, m->h, error);
      continue;
    }
    m->h = h * fmin(factor, 5);
    to = h < end - unit->time ? unit->time + h : end;
    if (m->changed_at <= 1) {
      status = end_at_event(unit, h, &to, &is_event, error);
      if (status != HN_OK) return status;
    }
    hn_fmu_choose_formula(unit);
    accept_states(unit, to);
    memcpy(m->indicators, m->trial_indicators, (size_t)unit->setup->indicators * sizeof(double));
    status = complete_states(unit, &is_event, error);
    if (status == HN_OK && is_event && !unit->is_ended) status = enter_event(unit, error);
    return status;
  }
}

hn_status hn_fmu_states_step(hn_fmu_unit *unit, double time, hn_error *error) {
  hn_fmu_motion *m = &unit->motion;
  const long first = m->events, first_step = m->steps;
  hn_status status = HN_OK;
  char name[128];
  while (status == HN_OK && !unit->is_ended) {
    const double round = 1e-14 * (1 + fabs(unit->time));
    if (m->next_event <= unit->time + round) {
      if (m->events - first > MAX_EVENTS) break;
      status = enter_event(unit, error);
    } else if (unit->time >= time - round) {
      break;
    } else {
      status = take_states_step(unit, fmin(time, m->next_event), error);
    }
    if (m->events - first > MAX_EVENTS || m->steps - first_step > MAX_STEPS) break;
  }
  if (status == HN_OK && m->steps - first_step > MAX_STEPS)
    return hn_fail(error, HN_ERROR_LIMIT, NULL,
                   hn_text(name, sizeof name, "FMU '%.100s'", unit->setup->name),
                   "Use its Co-Simulation, or a larger tolerance.",
                   "needs more than %d steps for one communication step at t = %.9g s",
                   (int)MAX_STEPS, unit->time);
  if (status == HN_OK && m->events - first > MAX_EVENTS)
    return hn_fail(error, HN_ERROR_LIMIT, NULL,
                   hn_text(name, sizeof name, "FMU '%.100s'", unit->setup->name), "Ask its maker.",
                   "has more than %d events in one step at t = %.9g s", (int)MAX_EVENTS,
                   unit->time);
  if (status == HN_OK && !unit->is_ended) unit->time = time;
  if (status == HN_RETRY) return error->status = HN_ERROR_FILE;
  return status;
}
