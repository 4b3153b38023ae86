// Parameters of formulas and methods: see parameters.h.
#include "analysis/parameters.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "integrate/newton.h"

static int is_open(const char *word) { return !word || strcmp(word, "auto") == 0; }

static int agrees(const char *asked, const char *of_model) {
  return is_open(asked) || (of_model && strcmp(asked, of_model) == 0);
}

void hn_complete_parameters(hn_simulation_options *o, const hn_simulation_defaults *d) {
  if (agrees(o->formula, d->formula)) {
    if (isnan(o->xi) && d->has_xi) o->xi = d->xi;
    if (isnan(o->alpha) && d->has_alpha) o->alpha = d->alpha;
    if (isnan(o->rho) && d->has_rho) o->rho = d->rho;
  }
  if (agrees(o->method, d->method)) {
    if (o->penalty == 0) o->penalty = d->penalty;
    if (is_open(o->projection) && d->projection) o->projection = d->projection;
    if (o->energy_upper == 0) o->energy_upper = d->energy_upper;
    if (o->energy_lower == 0) o->energy_lower = d->energy_lower;
    if (o->switch_step == 0) o->switch_step = d->switch_step;
    if (o->max_iterations == 0) o->max_iterations = d->max_iterations;
  }
}

// ---- of formulas --------------------------------------------------------------------------------

// The formula that takes an option; null: none.
static const hn_formula *taker(const char *option) {
  const hn_formula *row;
  for (int k = 0; (row = hn_formula_at(k)); k++)
    if (row->parameter.option && strcmp(row->parameter.option, option) == 0) return row;
  return NULL;
}

static hn_status settle(const char *name, double *value, hn_combination *c, hn_error *error) {
  char hint[128];
  const hn_formula *row = taker(name);
  if (!row || strcmp(c->formula, row->name) != 0) {
    if (isnan(*value)) return HN_OK;
    const char *formula = row ? row->name : "none";
    hn_text(hint, sizeof hint, "formula %s takes it: --formula %s, or leave --%s out", formula,
            formula, name);
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "option %s is %g, but formula '%s' does not take it", name, *value, c->formula);
  }
  if (isnan(*value)) *value = row->parameter.usual;
  c->parameter = *value;
  if (*value >= row->parameter.least && *value <= row->parameter.most) return HN_OK;
  hn_text(hint, sizeof hint, "give a number from %.4g to %g", row->parameter.least,
          row->parameter.most);
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                 "option %s of formula '%s' is %g, out of its range", name, row->name, *value);
}

// ---- of methods ---------------------------------------------------------------------------------

static int takes_penalty(const char *method) {
  return strncmp(method, "augmented-lagrangian", 20) == 0 || strcmp(method, "multi-index") == 0;
}

static hn_status settle_penalty(const hn_simulation_options *o, const hn_combination *c,
                                hn_error *error) {
  if (!(o->penalty >= 0 && o->penalty < HUGE_VAL))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "give a positive finite number",
                   "option penalty is %g", o->penalty);
  if (o->penalty == 0 || takes_penalty(c->method->name)) return HN_OK;
  return hn_fail(
      error, HN_ERROR_ARGUMENT, NULL, NULL,
      "methods augmented-lagrangian-1, augmented-lagrangian-3 and multi-index take it; or "
      "leave --penalty out",
      "option penalty is %g, but method '%s' does not take it", o->penalty, c->method->name);
}

static const char *const projections[] = {"tangent", "mass-orthogonal", "none"};
enum { PROJECTIONS = sizeof projections / sizeof projections[0] };

hn_projection hn_projection_asked(const hn_simulation_options *o) {
  for (int k = 0; k < PROJECTIONS && !is_open(o->projection); k++)
    if (strcmp(o->projection, projections[k]) == 0) return (hn_projection)k;
  return HN_PROJECTION_TANGENT;
}

static int is_projection(const char *word) {
  for (int k = 0; k < PROJECTIONS; k++)
    if (strcmp(word, projections[k]) == 0) return 1;
  return 0;
}

static hn_status settle_projection(hn_simulation_options *o, const hn_combination *c,
                                   hn_error *error) {
  if (is_open(o->projection)) {
    o->projection = "auto";
    return HN_OK;
  }
  if (!is_projection(o->projection))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "give auto, tangent, mass-orthogonal or none",
                   "option projection is '%s', which is not known", o->projection);
  if (takes_penalty(c->method->name)) return HN_OK;
  return hn_fail(
      error, HN_ERROR_ARGUMENT, NULL, NULL,
      "methods augmented-lagrangian-1, augmented-lagrangian-3 and multi-index take it; or "
      "leave --projection out",
      "option projection is '%s', but method '%s' does not take it", o->projection,
      c->method->name);
}

// U, L and the switching step of multi-index.
static hn_status settle_energy(const hn_simulation_options *o, const hn_combination *c,
                               hn_error *error) {
  const struct {
    const char *name, *option;
    double value;
  } given[] = {{"energy_upper", "energy-upper", o->energy_upper},
               {"energy_lower", "energy-lower", o->energy_lower},
               {"switch_step", "switch-step", o->switch_step}};
  char hint[128];
  for (int k = 0; k < 3; k++)
    if (given[k].value > 0 && strcmp(c->method->name, "multi-index") != 0)
      return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                     hn_text(hint, sizeof hint,
                             "method multi-index takes it: --method multi-index, or leave --%s out",
                             given[k].option),
                     "option %s is %g, but method '%s' does not take it", given[k].name,
                     given[k].value, c->method->name);
  if (o->energy_upper > 0 && o->energy_lower >= o->energy_upper)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "steps grow below the lower bound and shrink above the upper one: give a lower "
                   "bound far below the upper one, as 1e-7 and 2.65e-5",
                   "option energy_lower is %g J, not below energy_upper, %g J", o->energy_lower,
                   o->energy_upper);
  return HN_OK;
}

static int iterates(const char *formula) {
  const hn_formula *row = hn_formula_find(formula);
  return row && hn_formula_iterates(row);
}

// In real time there is a bound in any case.
enum { REALTIME_ITERATIONS = 6 };

static hn_status settle_iterations(hn_simulation_options *o, const hn_combination *c,
                                   hn_error *error) {
  char hint[128];
  if (o->realtime && o->max_iterations == 0 && iterates(c->formula))
    o->max_iterations = REALTIME_ITERATIONS;
  if (o->max_iterations < 0 || o->max_iterations > HN_NEWTON_MOST)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   hn_text(hint, sizeof hint, "give a number from 1 to %d", (int)HN_NEWTON_MOST),
                   "option max_iterations is %d", o->max_iterations);
  if (o->max_iterations == 0 || iterates(c->formula)) return HN_OK;
  return hn_fail(
      error, HN_ERROR_ARGUMENT, NULL, NULL,
      "formulas trapezoidal, newmark, hht, generalized-alpha and sdirk iterate; or leave "
      "--max-iterations out",
      "option max_iterations is %d, but formula '%s' does not iterate", o->max_iterations,
      c->formula);
}

hn_status hn_settle_parameters(hn_simulation_options *o, hn_combination *c, hn_error *error) {
  c->parameter = NAN;
  hn_status status = settle("xi", &o->xi, c, error);
  if (status == HN_OK) status = settle("alpha", &o->alpha, c, error);
  if (status == HN_OK) status = settle("rho", &o->rho, c, error);
  if (status == HN_OK) status = settle_penalty(o, c, error);
  if (status == HN_OK) status = settle_projection(o, c, error);
  if (status == HN_OK) status = settle_energy(o, c, error);
  if (status == HN_OK) status = settle_iterations(o, c, error);
  return status;
}
