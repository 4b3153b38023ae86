// The lists behind `holon list` and the choice behind "auto": one row for each combination built.
#include "analysis/registry.h"

#include <string.h>

#include "base/error.h"

static const char *const coordinate_names[] = {"cartesian", "relative"};
static const char *const method_names[] = {"first-order", "descriptor"};
static const char *const formula_names[] = {"dopri5",    "adams",     "trapezoidal",
                                            "sdirk4-16", "sdirk4-15", "rosenbrock"};
static const char *const independent_names[] = {"none"};

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
    {"relative", "first-order", "dopri5", "none", &hn_relative, &hn_first_order},
    {"relative", "first-order", "adams", "none", &hn_relative, &hn_adams},
    {"relative", "descriptor", "sdirk4-16", "none", &hn_relative, &hn_descriptor},
    {"relative", "descriptor", "sdirk4-15", "none", &hn_relative, &hn_descriptor},
    {"relative", "descriptor", "trapezoidal", "none", &hn_relative, &hn_descriptor},
    {"relative", "first-order", "sdirk4-16", "none", &hn_relative, &hn_first_order_implicit},
    {"relative", "first-order", "sdirk4-15", "none", &hn_relative, &hn_first_order_implicit},
    {"relative", "first-order", "rosenbrock", "none", &hn_relative, &hn_first_order_implicit},
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
