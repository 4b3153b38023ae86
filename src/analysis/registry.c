// The lists behind `holon list` and the choice behind "auto": one row for each combination built.
#include "analysis/registry.h"

#include <string.h>

#include "base/error.h"

static const char *const coordinate_names[] = {"cartesian", "relative"};
static const char *const method_names[] = {"first-order", "descriptor", "state-space"};
static const char *const formula_names[] = {"dopri5",    "adams",     "trapezoidal",
                                            "sdirk4-16", "sdirk4-15", "rosenbrock"};
static const char *const independent_names[] = {"none", "partition", "tangent-plane"};

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))
#define PICK(list, index) ((index) >= 0 && (index) < COUNT(list) ? (list)[index] : NULL)

const char *hn_list_coordinates(int index) { return PICK(coordinate_names, index); }
const char *hn_list_methods(int index) { return PICK(method_names, index); }
const char *hn_list_formulas(int index) { return PICK(formula_names, index); }
const char *hn_list_linear_solvers(int index) {
  const hn_solver_type *const *types = hn_solver_types();
  int count = 0;
  while (types[count]) count++;
  return index >= 0 && index < count ? types[index]->name : NULL;
}
const char *hn_list_independent(int index) { return PICK(independent_names, index); }

static const struct combination_row {
  const char *coordinates, *method, *formula, *independent;
  const hn_equations_type *equations;
  const hn_method_type *type;
} combinations[] = {
    {"cartesian", "first-order", "dopri5", "none", &hn_cartesian, &hn_first_order},
    {"cartesian", "first-order", "adams", "none", &hn_cartesian, &hn_adams},
    {"cartesian", "descriptor", "sdirk4-16", "none", &hn_cartesian, &hn_descriptor},
    {"cartesian", "descriptor", "sdirk4-15", "none", &hn_cartesian, &hn_descriptor},
    {"cartesian", "descriptor", "trapezoidal", "none", &hn_cartesian, &hn_descriptor},
    {"cartesian", "first-order", "sdirk4-16", "none", &hn_cartesian, &hn_first_order_implicit},
    {"cartesian", "first-order", "sdirk4-15", "none", &hn_cartesian, &hn_first_order_implicit},
    {"cartesian", "first-order", "rosenbrock", "none", &hn_cartesian, &hn_first_order_implicit},
    {"cartesian", "descriptor", "sdirk4-16", "partition", &hn_cartesian, &hn_descriptor},
    {"cartesian", "descriptor", "sdirk4-15", "partition", &hn_cartesian, &hn_descriptor},
    {"cartesian", "descriptor", "trapezoidal", "partition", &hn_cartesian, &hn_descriptor},
    {"cartesian", "descriptor", "sdirk4-16", "tangent-plane", &hn_cartesian, &hn_descriptor},
    {"cartesian", "descriptor", "sdirk4-15", "tangent-plane", &hn_cartesian, &hn_descriptor},
    {"cartesian", "descriptor", "trapezoidal", "tangent-plane", &hn_cartesian, &hn_descriptor},
    {"cartesian", "state-space", "sdirk4-16", "partition", &hn_cartesian, &hn_state_space},
    {"cartesian", "state-space", "sdirk4-15", "partition", &hn_cartesian, &hn_state_space},
    {"cartesian", "state-space", "trapezoidal", "partition", &hn_cartesian, &hn_state_space},
    {"cartesian", "state-space", "sdirk4-16", "tangent-plane", &hn_cartesian, &hn_state_space},
    {"cartesian", "state-space", "sdirk4-15", "tangent-plane", &hn_cartesian, &hn_state_space},
    {"cartesian", "state-space", "trapezoidal", "tangent-plane", &hn_cartesian, &hn_state_space},
    {"cartesian", "first-order", "sdirk4-16", "partition", &hn_cartesian, &hn_first_order_implicit},
    {"cartesian", "first-order", "sdirk4-15", "partition", &hn_cartesian, &hn_first_order_implicit},
    {"cartesian", "first-order", "rosenbrock", "partition", &hn_cartesian,
     &hn_first_order_implicit},
    {"cartesian", "first-order", "sdirk4-16", "tangent-plane", &hn_cartesian,
     &hn_first_order_implicit},
    {"cartesian", "first-order", "sdirk4-15", "tangent-plane", &hn_cartesian,
     &hn_first_order_implicit},
    {"cartesian", "first-order", "rosenbrock", "tangent-plane", &hn_cartesian,
     &hn_first_order_implicit},
    {"relative", "first-order", "dopri5", "none", &hn_relative, &hn_first_order},
};

// Combinations of the papers; an option given beside a preset overrides it.
static const struct preset_row {
  const char *name, *coordinates, *method, *formula;
} presets[] = {
    {"SspTrap", "cartesian", "state-space", "trapezoidal"},
    {"InflTrap", "cartesian", "descriptor", "trapezoidal"},
    {"InflSDIRK", "cartesian", "descriptor", "sdirk4-16"},
    {"ForSDIRK", "cartesian", "first-order", "sdirk4-15"},
    {"ForRosen", "cartesian", "first-order", "rosenbrock"},
};

static int agrees(const char *asked, const char *there) {
  return !asked || strcmp(asked, "auto") == 0 || strcmp(asked, there) == 0;
}

static const struct combination_row *find(const char *coordinates, const char *method,
                                          const char *formula, const char *independent) {
  for (int k = 0; k < COUNT(combinations); k++) {
    const struct combination_row *row = &combinations[k];
    if (agrees(coordinates, row->coordinates) && agrees(method, row->method) &&
        agrees(formula, row->formula) && agrees(independent, row->independent))
      return row;
  }
  return NULL;
}

int hn_combination_is_built(const char *coordinates, const char *method, const char *formula,
                            const char *independent, const char **reason) {
  int built = find(coordinates, method, formula, independent) != NULL;
  if (reason) *reason = built ? "" : "no combination with all four is built";
  return built;
}

static hn_status check_word(const char *what, const char *word, const char *const *list, int count,
                            hn_error *error) {
  if (!word || strcmp(word, "auto") == 0) return HN_OK;
  for (int k = 0; k < count; k++)
    if (strcmp(word, list[k]) == 0) return HN_OK;
  char hint[256] = "built are: auto";
  size_t used = strlen(hint);
  for (int k = 0; k < count; k++) {
    hn_text(hint + used, sizeof hint - used, ", %s", list[k]);
    used = strlen(hint);
  }
  return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, hint, "%s '%s' is not known", what, word);
}

const char *hn_list_presets(int index) {
  for (int k = 0; k < COUNT(presets); k++) {
    const struct preset_row *row = &presets[k];
    if (find(row->coordinates, row->method, row->formula, "auto") && index-- == 0) return row->name;
  }
  return NULL;
}

static const char *or_preset(const char *word, const char *of_preset) {
  return word && strcmp(word, "auto") != 0 ? word : of_preset;
}

hn_status hn_apply_preset(hn_simulation_options *o, hn_error *error) {
  if (!o->preset) return HN_OK;
  const char *names[COUNT(presets) + 1];
  int count = 0;
  while ((names[count] = hn_list_presets(count))) count++;
  for (int k = 0; k < COUNT(presets); k++) {
    const struct preset_row *row = &presets[k];
    if (strcmp(o->preset, row->name) != 0) continue;
    o->coordinates = or_preset(o->coordinates, row->coordinates);
    o->method = or_preset(o->method, row->method);
    o->formula = or_preset(o->formula, row->formula);
    return HN_OK;
  }
  return check_word("preset", o->preset, names, count, error);
}

static hn_status check_solver(const char *word, hn_error *error) {
  enum { MOST = 16 };
  const char *names[MOST];
  int count = 0;
  while (count < MOST && (names[count] = hn_list_linear_solvers(count)) != NULL) count++;
  return check_word("linear solver", word, names, count, error);
}

hn_status hn_choose_combination(const hn_simulation_options *o, hn_combination *combination,
                                hn_error *error) {
  hn_status status =
      check_word("coordinates", o->coordinates, coordinate_names, COUNT(coordinate_names), error);
  if (status == HN_OK)
    status = check_word("method", o->method, method_names, COUNT(method_names), error);
  if (status == HN_OK)
    status = check_word("formula", o->formula, formula_names, COUNT(formula_names), error);
  if (status == HN_OK)
    status = check_word("independent", o->independent, independent_names, COUNT(independent_names),
                        error);
  if (status == HN_OK) status = check_solver(o->linear_solver, error);
  if (status != HN_OK) return status;
  const struct combination_row *row = find(o->coordinates, o->method, o->formula, o->independent);
  if (!row)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "holon list shows what combines",
                   "coordinates '%s', method '%s', formula '%s' and independent '%s' do not work "
                   "together",
                   o->coordinates, o->method, o->formula, o->independent);
  *combination = (hn_combination){row->equations, row->type, row->formula, row->independent};
  return HN_OK;
}
