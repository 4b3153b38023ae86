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
    if (status != HN_OK) { // the next call tries again, and fails again
      hn_simulation_free(p->shown);
      p->shown = NULL;
    }
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

// ---- derivatives ----------------------------------------------------------------------------------

// Differences of sixth order along the seed, as of linearizations (src/analysis/linear/ports.c):
// branches are those of the present, so that everything is smooth.
#define PROBE 5e-4 // of the largest change, against the size of what changes
enum { POINTS = 6 };

static const part_variable *variable_of(part *p, uint32_t reference, int is_known) {
  const part_variable *v =
      reference < (uint32_t)p->variable_count ? &p->variables[reference] : NULL;
  const int fits =
      v && (is_known ? v->role == PART_INPUT || v->role == PART_STATE
                     : v->role == PART_OUTPUT || v->role == PART_LOCAL || v->role == PART_RATE);
  if (fits) return v;
  part_fail(p, HN_ERROR_ARGUMENT, v ? v->name : NULL,
            "Ask for derivatives of outputs and derivatives against inputs and states.",
            "has no derivative");
  return NULL;
}

// States x + way dx; inputs with their own changes.
static hn_status go_along(part *p, const part_unknowns *of, const double *seed, const double *x,
                          double way) {
  double *there = p->room;
  hn_status status = HN_OK;
  memcpy(there, x, (size_t)p->state_count * sizeof *there);
  for (size_t k = 0; k < of->known_count && status == HN_OK; k++) {
    const part_variable *v = &p->variables[of->knowns[k]];
    if (v->role == PART_STATE)
      there[v->index] += way * seed[k];
    else
      status = hn_simulation_set_input(p->simulation, v->index, v->value + way * seed[k]);
  }
  hn_exchange_set(p->exchange, there);
  hn_exchange_inputs(p->exchange);
  return status;
}

static hn_status add_values(part *p, const part_unknowns *of, double weight, double *result) {
  double *rates = p->room;
  hn_status status = hn_exchange_rates(p->exchange, rates);
  for (size_t k = 0; k < of->unknown_count && status == HN_OK; k++) {
    const part_variable *v = &p->variables[of->unknowns[k]];
    result[k] += weight * (v->role == PART_RATE ? rates[v->index]
                                                : hn_simulation_signal(p->simulation, v->index));
  }
  return status;
}

// The step of the differences; 0: the seed is zero.
static double probe_of(const part *p, const part_unknowns *of, const double *seed,
                       const double *x) {
  double most = 0;
  for (size_t k = 0; k < of->known_count; k++) {
    const part_variable *v = &p->variables[of->knowns[k]];
    const double size = fabs(v->role == PART_STATE ? x[v->index] : v->value);
    most = fmax(most, fabs(seed[k]) / (1 + size));
  }
  return most > 0 ? PROBE / most : 0;
}

hn_status part_exchange_derivative(part *p, const part_unknowns *of, const double *seed,
                                   double *result) {
  static const double offsets[POINTS] = {-3, -2, -1, 1, 2, 3};
  static const double weights[POINTS] = {-1.0 / 60, 3.0 / 20,  -3.0 / 4,
                                         3.0 / 4,   -3.0 / 20, 1.0 / 60};
  hn_status status = check_exchange(p, 0, 0);
  for (size_t k = 0; k < of->unknown_count + of->known_count && status == HN_OK; k++) {
    const int is_known = k >= of->unknown_count;
    if (!variable_of(p, is_known ? of->knowns[k - of->unknown_count] : of->unknowns[k], is_known))
      status = HN_ERROR_ARGUMENT;
  }
  if (status != HN_OK) return status;
  double *x = p->saved; // longer than the states
  hn_exchange_get(p->exchange, x);
  memset(result, 0, of->unknown_count * sizeof *result);
  const double step = probe_of(p, of, seed, x);
  for (int k = 0; k < POINTS && step > 0 && status == HN_OK; k++) {
    status = go_along(p, of, seed, x, offsets[k] * step);
    if (status == HN_OK) status = add_values(p, of, weights[k] / step, result);
  }
  const hn_status failure = part_failed(p, status);
  const hn_status back = go_along(p, of, seed, x, 0);
  return failure != HN_OK ? failure : part_failed(p, back);
}
