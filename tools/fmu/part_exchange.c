// Model Exchange of a part. See part.h and src/analysis/exchange/exchange.h.
#include <math.h>
#include <string.h>

#include "part_private.h"

hn_status part_make_exchange(part *p, hn_simulation *simulation) {
  hn_status status = hn_exchange_create(simulation, &p->exchange, &p->error);
  if (status != HN_OK) return status;
  if (hn_exchange_count(p->exchange) == p->state_count &&
      hn_exchange_indicator_count(p->exchange) == p->indicator_count)
    return HN_OK;
  p->exchange = NULL;
  return part_fail(p, HN_ERROR_ARGUMENT, NULL, "Export the model again with these parameters.",
                   "the model has other states with these parameters");
}

hn_status part_exchange_ready(part *p) {
  if (!p->is_changed) return HN_OK;
  hn_status status = HN_OK;
  for (int k = 0; k < p->variable_count && status == HN_OK; k++) {
    const part_variable *v = &p->variables[k];
    if (v->role == PART_INPUT) status = hn_simulation_set_input(p->simulation, v->index, v->value);
  }
  p->is_changed = 0;
  hn_exchange_inputs(p->exchange);
  return part_failed(p, status);
}

hn_status part_exchange_look(part *p) {
  hn_status status = part_exchange_ready(p);
  return status == HN_OK ? part_failed(p, hn_exchange_look(p->exchange)) : status;
}

static hn_status check_exchange(part *p, size_t count, int wanted) {
  if (!p->is_exchange || !p->exchange)
    return part_fail(p, HN_ERROR_ARGUMENT, NULL,
                     "Instantiate it for Model Exchange, and initialize it.",
                     "a function of Model Exchange outside of its modes");
  if (p->stage == PART_FAILED)
    return part_fail(p, HN_ERROR_ARGUMENT, NULL, "Restore a state, or reset the FMU.",
                     "a call after one that failed");
  if (count == (size_t)wanted) return part_exchange_ready(p);
  return part_fail(p, HN_ERROR_ARGUMENT, NULL, "Take their number from modelDescription.xml.",
                   "a function is called with a wrong number of states or indicators");
}

hn_status part_set_time(part *p, double time) {
  hn_status status = check_exchange(p, 0, 0);
  if (status == HN_OK && !isfinite(time))
    return part_fail(p, HN_ERROR_ARGUMENT, NULL, "Set a finite number.", "time is not finite");
  if (status == HN_OK) hn_exchange_set_time(p->exchange, time);
  return status;
}

hn_status part_set_states(part *p, const double *x, size_t count) {
  hn_status status = check_exchange(p, count, p->state_count);
  if (status == HN_OK) hn_exchange_set(p->exchange, x);
  return status;
}

hn_status part_get_states(part *p, double *x, size_t count) {
  hn_status status = check_exchange(p, count, p->state_count);
  if (status == HN_OK) hn_exchange_get(p->exchange, x);
  return status;
}

hn_status part_get_rates(part *p, double *rates, size_t count) {
  hn_status status = check_exchange(p, count, p->state_count);
  return status == HN_OK ? part_failed(p, hn_exchange_rates(p->exchange, rates)) : status;
}

hn_status part_get_nominals(part *p, double *nominals, size_t count) {
  hn_status status = check_exchange(p, count, p->state_count);
  for (size_t k = 0; k < count && status == HN_OK; k++) nominals[k] = 1;
  return status;
}

hn_status part_get_indicators(part *p, double *indicators, size_t count) {
  hn_status status = check_exchange(p, count, p->indicator_count);
  return status == HN_OK ? part_failed(p, hn_exchange_indicators(p->exchange, indicators)) : status;
}

hn_status part_complete(part *p, int *is_event) {
  hn_status status = check_exchange(p, 0, 0);
  return status == HN_OK ? part_failed(p, hn_exchange_complete(p->exchange, is_event)) : status;
}

hn_status part_enter_events(part *p) {
  hn_status status = check_exchange(p, 0, 0);
  if (status == HN_OK) status = part_failed(p, hn_exchange_enter(p->exchange));
  if (status == HN_OK) p->stage = PART_EVENT;
  return status;
}

hn_status part_update(part *p, part_events *events) {
  hn_status status = check_exchange(p, 0, 0);
  if (status == HN_OK && p->stage != PART_EVENT)
    return part_fail(p, HN_ERROR_ARGUMENT, NULL, "Enter event mode first.",
                     "discrete states are updated in event mode");
  if (status != HN_OK) return status;
  status = part_failed(p, hn_exchange_update(p->exchange, &events->is_new, &events->next));
  if (status != HN_OK) p->stage = PART_FAILED;
  return status;
}

hn_status part_continue(part *p) {
  hn_status status = check_exchange(p, 0, 0);
  if (status == HN_OK) p->stage = PART_RUNNING;
  return status;
}

// ---- values -------------------------------------------------------------------------------------

// Co-Simulation has other coordinates: its motion is copied.
static hn_status show_motion(part *p) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_status status = HN_OK;
  if (!p->shown) {
    hn_exchange_options(p->model, &options);
    status = hn_simulation_create(p->model, &options, &p->shown, &p->error);
    if (status == HN_OK) status = part_make_exchange(p, p->shown);
  }
  if (status != HN_OK) return status;
  status = hn_exchange_show(p->exchange, p->simulation);
  if (status != HN_OK) p->error = *hn_simulation_error(p->shown);
  return status;
}

// The error of the simulation that has the exchange.
static hn_status shown_failed(part *p, hn_status status) {
  if (status == HN_OK || !p->shown) return part_failed(p, status);
  p->error = *hn_simulation_error(p->shown);
  return status;
}

hn_status part_exchange_value(part *p, const part_variable *v, double *value) {
  double *rates = p->room, *indicators = rates + 2 * p->state_count, *x = rates + p->state_count;
  hn_status status = p->is_exchange ? part_exchange_ready(p) : show_motion(p);
  if (status != HN_OK) return status;
  if (v->role == PART_STATE) hn_exchange_get(p->exchange, x);
  if (v->role == PART_RATE) status = hn_exchange_rates(p->exchange, rates);
  if (v->role == PART_INDICATOR) status = hn_exchange_indicators(p->exchange, indicators);
  if (status != HN_OK) return shown_failed(p, status);
  *value = v->role == PART_STATE  ? x[v->index]
           : v->role == PART_RATE ? rates[v->index]
                                  : indicators[v->index];
  return HN_OK;
}
