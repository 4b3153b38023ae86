// Who takes which option, and in what range: see parameters.h. Everything here follows from the rows of
// holon/options.h, the methods and the formulas.
#include "analysis/parameters.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/options.h"

static int is_open(const char *word) { return !word || strcmp(word, "auto") == 0; }

static int agrees(const char *asked, const char *of_model) {
  return is_open(asked) || (of_model && strcmp(asked, of_model) == 0);
}

// Tolerances and the step exclude each other: hn_simulation_create knows how.
static int is_accuracy(const hn_option *o) {
  return o->offset == offsetof(hn_simulation_options, tol) ||
         o->offset == offsetof(hn_simulation_options, atol) ||
         o->offset == offsetof(hn_simulation_options, rtol) ||
         o->offset == offsetof(hn_simulation_options, step);
}

void hn_complete_parameters(hn_simulation_options *o, const hn_simulation_defaults *d) {
  const int same_formula = agrees(o->formula, d->formula);
  const int same_method = agrees(o->method, d->method);
  const hn_option_row *row;
  for (int k = 0; (row = hn_option_row_at(k)); k++) {
    if (is_accuracy(&row->option)) continue;
    const int is_of_formula = (row->whose & HN_OF_FORMULA) != 0;
    if (row->whose == HN_OF_ANY || (is_of_formula ? same_formula : same_method))
      hn_option_complete(row, o, d);
  }
}

// ---- ranges -------------------------------------------------------------------------------------

// "s" -> " s"
static const char *unit_of(const hn_option *option, char *text, size_t size) {
  return hn_text(text, size, "%s%s", option->unit[0] ? " " : "", option->unit);
}

static hn_status fail_range(const hn_option *o, double value, hn_error *error) {
  char hint[160], unit[16];
  unit_of(o, unit, sizeof unit);
  if (o->most < 1e18)
    hn_text(hint, sizeof hint, "give a number from %.4g to %g", o->least, o->most);
  else if (o->least > 0)
    hn_text(hint, sizeof hint, "give at least %g%s", o->least, unit);
  else
    hn_text(hint, sizeof hint, "give a positive finite number");
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "option %s is %g%s, out of its range",
                 o->name, value, unit);
}

hn_status hn_check_options(const hn_simulation_options *o, hn_error *error) {
  const hn_option_row *row;
  for (int k = 0; (row = hn_option_row_at(k)); k++) {
    // formulas have ranges of their own
    if (row->option.kind == HN_OPTION_WORD || row->whose == HN_OF_FORMULA) continue;
    if (!hn_option_is_said(row, o)) continue;
    const double value = hn_option_number(row, o);
    if (!(value >= row->option.least && value <= row->option.most))
      return fail_range(&row->option, value, error);
  }
  return HN_OK;
}

// ---- of formulas --------------------------------------------------------------------------------

// The formula that takes an option; null: none.
static const hn_formula *taker(const char *option) {
  const hn_formula *row;
  for (int k = 0; (row = hn_formula_at(k)); k++)
    if (row->parameter.option && strcmp(row->parameter.option, option) == 0) return row;
  return NULL;
}

static hn_status settle_formula(const hn_option_row *option, hn_simulation_options *o,
                                hn_combination *c, hn_error *error) {
  char hint[128];
  const char *name = option->option.name;
  double *value = (double *)((char *)o + option->option.offset);
  const hn_formula *row = taker(name);
  if (row != c->formula) {
    if (isnan(*value)) return HN_OK;
    const char *formula = row ? row->name : "none";
    hn_text(hint, sizeof hint, "use a formula that has it (%s): @formula %s; or remove @%s",
            formula, formula, name);
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "option %s is %g, but formula '%s' does not have it", name, *value,
                   c->formula->name);
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

static int is_taken(unsigned whose, const hn_combination *c) {
  if (whose & HN_OF_ITERATION) return hn_formula_iterates(c->formula);
  return (c->method->options & whose) != 0;
}

static void add_name(char *text, size_t size, const char *name) {
  const size_t used = strlen(text);
  hn_text(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

// "method '...' does not take it", and who does.
static hn_status fail_taker(const hn_option_row *row, const char *value, const hn_combination *c,
                            hn_error *error) {
  const int by_formula = (row->whose & HN_OF_ITERATION) != 0;
  char names[320] = "", hint[420];
  const hn_formula *formula;
  for (int k = 0; by_formula && (formula = hn_formula_at(k)); k++)
    if (hn_formula_iterates(formula)) add_name(names, sizeof names, formula->name);
  for (int k = 0; !by_formula && hn_method_at(k); k++)
    if (hn_method_at(k)->options & row->whose) add_name(names, sizeof names, hn_method_at(k)->name);
  hn_text(hint, sizeof hint, "use %s %s, or remove @%s", by_formula ? "formulas" : "methods", names,
          row->option.name);
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                 "option %s is %s, but %s '%s' does not have it", row->option.name, value,
                 by_formula ? "formula" : "method",
                 by_formula ? c->formula->name : c->method->name);
}

static hn_status check_word(const hn_option_row *row, const char *word, hn_error *error) {
  char hint[256] = "";
  for (int k = 0; hn_option_word(&row->option, k); k++) {
    if (strcmp(hn_option_word(&row->option, k), word) == 0) return HN_OK;
    add_name(hint, sizeof hint, hn_option_word(&row->option, k));
  }
  char list[280];
  hn_text(list, sizeof list, "give one of %s", hint);
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, list,
                 "option %s is '%s', which is not a known value", row->option.name, word);
}

static hn_status settle_method(const hn_option_row *row, hn_simulation_options *o,
                               const hn_combination *c, hn_error *error) {
  char text[64];
  if (row->option.kind == HN_OPTION_WORD) {
    const char **word = (const char **)((char *)o + row->option.offset);
    if (is_open(*word)) {
      *word = "auto";
      return HN_OK;
    }
    hn_status status = check_word(row, *word, error);
    if (status != HN_OK) return status;
    hn_text(text, sizeof text, "'%s'", *word);
  } else {
    hn_text(text, sizeof text, "%g", hn_option_number(row, o));
  }
  if (!hn_option_is_said(row, o) || is_taken(row->whose, c)) return HN_OK;
  return fail_taker(row, text, c, error);
}

// ---- what depends on others ---------------------------------------------------------------------

static const char *const projections[] = {"tangent", "mass-orthogonal", "none"};
enum { PROJECTIONS = sizeof projections / sizeof projections[0] };

hn_projection hn_projection_asked(const hn_simulation_options *o) {
  for (int k = 0; k < PROJECTIONS && !is_open(o->projection); k++)
    if (strcmp(o->projection, projections[k]) == 0) return (hn_projection)k;
  return HN_PROJECTION_TANGENT;
}

// In real time there is a bound in any case.
enum { REALTIME_ITERATIONS = 6 };

hn_status hn_settle_parameters(hn_simulation_options *o, hn_combination *c, hn_error *error) {
  const hn_option_row *row;
  hn_status status = HN_OK;
  c->parameter = NAN;
  if (o->realtime && o->max_iterations == 0 && hn_formula_iterates(c->formula))
    o->max_iterations = REALTIME_ITERATIONS;
  for (int k = 0; status == HN_OK && (row = hn_option_row_at(k)); k++) {
    if (row->whose == HN_OF_FORMULA)
      status = settle_formula(row, o, c, error);
    else if (row->whose != HN_OF_ANY)
      status = settle_method(row, o, c, error);
  }
  if (status == HN_OK) status = hn_check_options(o, error); // what the model suggests, too
  if (status == HN_OK && o->energy_upper > 0 && o->energy_lower >= o->energy_upper)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "give a lower bound far below the upper one, for instance 1e-7 and 2.65e-5",
                   "option energy_lower is %g J, not below energy_upper, %g J", o->energy_lower,
                   o->energy_upper);
  return status;
}
