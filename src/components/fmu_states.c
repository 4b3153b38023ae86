// States of a Model Exchange FMU between two communication points: steps with error control
// (fmu_attempt.c) and events. Where an event indicator changes its sign the step ends: bisection on
// the dense output, then the step is repeated up to there.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "components/fmu_attempt.h"

enum { MAX_EVENTS = 10000, MAX_STEPS = 200000 }; // in one communication step

// Rates at a time and state; indicators too. Units that read outputs of others are asked again until
// what they are given rests.
static hn_status evaluate_unit(hn_fmu_system *system, int k, double time, const double *x,
                               double *rates, double *indicators, hn_error *error) {
  hn_fmu_unit *unit = &system->units[k];
  hn_fmu_link *link = &unit->link;
  const int first = unit->first_state, first_indicator = unit->first_indicator;
  hn_fmu_request(link, HN_FMU_EVALUATE);
  hn_wire_numbers(&link->request, &time, 1);
  hn_wire_numbers(&link->request, x + first, unit->setup->states);
  link->time = time;
  hn_status status = hn_fmu_ask(link, error);
  if (status != HN_OK) return status;
  hn_wire_get_numbers(&link->answer, rates + first, unit->setup->states);
  hn_wire_get_numbers(&link->answer, indicators + first_indicator, unit->setup->indicators);
  return hn_fmu_answered(link, error);
}

hn_status hn_fmu_evaluate_states(hn_fmu_system *system, double time, const double *x, double *rates,
                                 double *indicators, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  hn_status status = HN_OK;
  if (x != m->asked) memcpy(m->asked, x, (size_t)m->states * sizeof(double)); // may be rates, too
  for (int k = 0; k < system->count && status == HN_OK; k++)
    status = evaluate_unit(system, k, time, m->asked, rates, indicators, error);
  if (system->connection_count == 0 || status != HN_OK) return status;
  int has_changed = 0;
  status = hn_fmu_system_transfer(system, time, &has_changed, error);
  for (int k = 0; k < system->count && status == HN_OK && has_changed; k++)
    status = evaluate_unit(system, k, time, m->asked, rates, indicators, error);
  return status;
}

// ---- events -------------------------------------------------------------------------------------

// Discrete states until none is new; then the continuous ones, which may have jumped.
static hn_status update_unit(hn_fmu_system *system, hn_fmu_unit *unit, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  double next = HUGE_VAL;
  hn_fmu_request(&unit->link, HN_FMU_UPDATE);
  hn_status status = hn_fmu_ask(&unit->link, error);
  if (status != HN_OK) return status;
  hn_wire *a = &unit->link.answer;
  const int flags = hn_wire_get_int(a);
  hn_wire_get_numbers(a, &next, 1);
  hn_wire_get_numbers(a, m->x + unit->first_state, unit->setup->states);
  hn_wire_get_numbers(a, m->nominal + unit->first_state, unit->setup->states);
  if (flags & HN_FMU_ENDS) system->is_ended = 1;
  if (!(next >= m->next_event)) m->next_event = next;
  return hn_fmu_answered(&unit->link, error);
}

static hn_status update_states(hn_fmu_system *system, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  hn_status status = HN_OK;
  m->next_event = HUGE_VAL;
  for (int k = 0; k < system->count && status == HN_OK; k++)
    status = update_unit(system, &system->units[k], error);
  if (status != HN_OK) return status;
  m->has_jacobian = 0;
  for (int k = 0; k < m->states; k++)
    if (!(m->nominal[k] > 0) || isinf(m->nominal[k])) m->nominal[k] = 1;
  return hn_fmu_evaluate_states(system, system->time, m->x, m->rates, m->indicators, error);
}

static hn_status ask_all(hn_fmu_system *system, hn_fmu_operation operation, hn_error *error) {
  hn_status status = HN_OK;
  for (int k = 0; k < system->count && status == HN_OK; k++) {
    hn_fmu_request(&system->units[k].link, operation);
    status = hn_fmu_ask(&system->units[k].link, error);
  }
  return status;
}

static hn_status enter_event(hn_fmu_system *system, hn_error *error) {
  system->motion.events++;
  hn_status status = ask_all(system, HN_FMU_EVENT, error);
  return status == HN_OK ? update_states(system, error) : status;
}

// Of a step that was taken. *is_event: an FMU wants one.
static hn_status complete_states(hn_fmu_system *system, int *is_event, hn_error *error) {
  hn_status status = HN_OK;
  for (int k = 0; k < system->count && status == HN_OK; k++) {
    hn_fmu_unit *unit = &system->units[k];
    if (!unit->setup->completes_steps) continue;
    hn_fmu_request(&unit->link, HN_FMU_COMPLETE);
    status = hn_fmu_ask(&unit->link, error);
    if (status != HN_OK) return status;
    const int flags = hn_wire_get_int(&unit->link.answer);
    if (flags & HN_FMU_WANTS_EVENT) *is_event = 1;
    if (flags & HN_FMU_ENDS) system->is_ended = 1;
    status = hn_fmu_answered(&unit->link, error);
  }
  return status;
}

int hn_fmu_has_changed(const hn_fmu_system *system, const double *before, const double *after) {
  for (int k = 0; k < system->motion.indicator_count; k++)
    if ((before[k] > 0) != (after[k] > 0)) return 1;
  return 0;
}

// ---- one step -----------------------------------------------------------------------------------

// The fraction up to which indicators change, by bisection; above 1: they do not. A stage may have
// seen a change that is undone at the end of the step.
static hn_status locate(hn_fmu_system *system, double h, double *theta, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  const int at_end = hn_fmu_has_changed(system, m->indicators, m->trial_indicators);
  double low = 0, high = 1;
  hn_status status = HN_OK;
  *theta = 2;
  if (m->changed_at < 1) {
    high = m->changed_at;
    hn_fmu_interpolate(system, h, high);
    status = hn_fmu_evaluate_states(system, system->time + high * h, m->stage, m->stage,
                                    m->trial_indicators, error);
    if (status == HN_OK && !hn_fmu_has_changed(system, m->indicators, m->trial_indicators)) {
      if (!at_end) return status;
      low = high;
      high = 1;
    }
  }
  while (status == HN_OK && (high - low) * h > 4e-16 * (fabs(system->time) + h)) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    hn_fmu_interpolate(system, h, middle);
    status = hn_fmu_evaluate_states(system, system->time + middle * h, m->stage, m->stage,
                                    m->trial_indicators, error);
    if (hn_fmu_has_changed(system, m->indicators, m->trial_indicators))
      high = middle;
    else
      low = middle;
  }
  *theta = high;
  return status;
}

static void accept_states(hn_fmu_system *system, double time) {
  hn_fmu_motion *m = &system->motion;
  const size_t n = (size_t)m->states;
  memcpy(m->x, m->trial, n * sizeof(double));
  memcpy(m->rates, m->rates + 6 * n, n * sizeof(double));
  system->time = time;
  m->steps++;
}

// Ends the attempt at the event: the state there is that of the repeated step if its indicators have
// changed too, else that of the dense output.
static hn_status end_at_event(hn_fmu_system *system, double h, double *end, int *is_event,
                              hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  const int n = system->motion.states;
  double theta, norm;
  hn_status status = locate(system, h, &theta, error);
  if (status != HN_OK) return status;
  *is_event = theta <= 1;
  if (theta >= 1)
    return hn_fmu_evaluate_states(system, *end, m->trial, m->rates + 6 * n, m->trial_indicators,
                                  error);
  hn_fmu_interpolate(system, h, theta);
  *end = system->time + theta * h;
  memcpy(m->dense, m->stage, (size_t)n * sizeof(double));
  status = hn_fmu_attempt(system, theta * h, &norm, error);
  const int has_passed =
      norm <= 1 && hn_fmu_has_changed(system, m->indicators, m->trial_indicators);
  if (status == HN_OK && !has_passed) {
    memcpy(m->trial, m->dense, (size_t)n * sizeof(double));
    status = hn_fmu_evaluate_states(system, *end, m->trial, m->rates + 6 * n, m->trial_indicators,
                                    error);
  }
  return status;
}

// ---- steps --------------------------------------------------------------------------------------

hn_status hn_fmu_states_start(hn_fmu_system *system, hn_error *error) {
  system->motion.h = 0;
  system->motion.is_stiff = 0;
  return update_states(system, error);
}

hn_status hn_fmu_states_change(hn_fmu_system *system, int k, const hn_fmu_group *groups,
                               int group_count, const double *values, hn_error *error) {
  hn_status status = ask_all(system, HN_FMU_EVENT, error);
  if (status == HN_OK)
    status = hn_fmu_unit_set(&system->units[k], groups, group_count, values, error);
  return status == HN_OK ? update_states(system, error) : status;
}

static hn_status fail_step(const hn_fmu_system *system, double h, hn_error *error) {
  char name[128];
  return hn_fail(error, HN_ERROR_STEP_SIZE, NULL,
                 hn_text(name, sizeof name, "FMU '%.100s'", system->units[0].setup->name),
                 "Use a larger tolerance, or its Co-Simulation.",
                 "needs a step below %.3g s at t = %.9g s", h, system->time);
}

// One step that is accepted, to `end` at most, and the events at its end.
static hn_status take_states_step(hn_fmu_system *system, double end, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  const double least = 1e-14 * (1 + fabs(system->time));
  int is_event = 0;
  for (;;) {
    double norm, to = end, h = m->h > 0 ? m->h : 1e-3 * (end - system->time);
    if (h >= end - system->time) h = end - system->time;
    hn_status status = hn_fmu_attempt(system, h, &norm, error);
    if (status != HN_OK && status != HN_RETRY) return status;
    const double factor = hn_fmu_step_factor(system, norm);
    if (status == HN_RETRY || !(norm <= 1)) { // it cannot be evaluated there, or is too coarse
      m->h = h * (status == HN_OK && factor > 0.2 ? factor : 0.2);
      if (m->h < least) return status == HN_RETRY ? HN_ERROR_FILE : fail_step(system, m->h, error);
      continue;
    }
    m->h = h * fmin(factor, 5);
    to = h < end - system->time ? system->time + h : end;
    if (m->changed_at <= 1) {
      status = end_at_event(system, h, &to, &is_event, error);
      if (status != HN_OK) return status;
    }
    hn_fmu_choose_formula(system);
    accept_states(system, to);
    memcpy(m->indicators, m->trial_indicators,
           (size_t)system->motion.indicator_count * sizeof(double));
    status = complete_states(system, &is_event, error);
    if (status == HN_OK && is_event && !system->is_ended) status = enter_event(system, error);
    return status;
  }
}

hn_status hn_fmu_states_step(hn_fmu_system *system, double time, hn_error *error) {
  hn_fmu_motion *m = &system->motion;
  const long first = m->events, first_step = m->steps;
  hn_status status = HN_OK;
  char name[128];
  while (status == HN_OK && !system->is_ended) {
    const double round = 1e-14 * (1 + fabs(system->time));
    if (m->next_event <= system->time + round) {
      if (m->events - first > MAX_EVENTS) break;
      status = enter_event(system, error);
    } else if (system->time >= time - round) {
      break;
    } else {
      status = take_states_step(system, fmin(time, m->next_event), error);
    }
    if (m->events - first > MAX_EVENTS || m->steps - first_step > MAX_STEPS) break;
  }
  if (status == HN_OK && m->steps - first_step > MAX_STEPS)
    return hn_fail(error, HN_ERROR_LIMIT, NULL,
                   hn_text(name, sizeof name, "FMU '%.100s'", system->units[0].setup->name),
                   "Use its Co-Simulation, or a larger tolerance.",
                   "needs more than %d steps for one communication step at t = %.9g s",
                   (int)MAX_STEPS, system->time);
  if (status == HN_OK && m->events - first > MAX_EVENTS)
    return hn_fail(error, HN_ERROR_LIMIT, NULL,
                   hn_text(name, sizeof name, "FMU '%.100s'", system->units[0].setup->name),
                   "Ask its maker.", "has more than %d events in one step at t = %.9g s",
                   (int)MAX_EVENTS, system->time);
  if (status == HN_OK && !system->is_ended) system->time = time;
  if (status == HN_RETRY) return error->status = HN_ERROR_FILE;
  return status;
}
