// The lists behind `holon list` and the choice behind "auto". What combines is said twice only: which
// formulas and independent coordinates a method takes, and what it asks of the coordinates.
#include "analysis/registry.h"

#include <string.h>

#include "base/error.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))
#define PICK(list, index) ((index) >= 0 && (index) < COUNT(list) ? (list)[index] : NULL)

// The first row that fits what is asked is what "auto" means.
static const struct coordinates_row {
  const char *name;
  const hn_equations_type *type;
} coordinates_table[] = {
    {"cartesian", &hn_cartesian},
    {"natural", &hn_natural},
    {"relative", &hn_relative},
};

enum { NONE = 1, PARTITION = 2, TANGENT_PLANE = 4, REDUCED = PARTITION | TANGENT_PLANE };
static const char *const independent_names[] = {"none", "partition", "tangent-plane"};

static const struct method_row {
  const char *method, *formula;
  unsigned independent; // bits in the order of the names
  int needs_tangent;    // exact derivatives of the equations
  const hn_method_type *type;
  const hn_equations_type *equations; // its own form of the Cartesian ones; null: the set's
} methods_table[] = {
    {"first-order", "dopri5", NONE, 0, &hn_first_order, NULL},
    {"first-order", "adams", NONE, 0, &hn_adams, NULL},
    {"descriptor", "sdirk4-16", NONE | REDUCED, 1, &hn_descriptor, NULL},
    {"descriptor", "sdirk4-15", NONE | REDUCED, 1, &hn_descriptor, NULL},
    {"descriptor", "trapezoidal", NONE | REDUCED, 1, &hn_descriptor, NULL},
    {"first-order", "sdirk4-15", NONE | REDUCED, 1, &hn_first_order_implicit, NULL},
    {"first-order", "sdirk4-16", NONE | REDUCED, 1, &hn_first_order_implicit, NULL},
    {"first-order", "rosenbrock", NONE | REDUCED, 1, &hn_first_order_implicit, NULL},
    {"state-space", "sdirk4-16", REDUCED, 1, &hn_state_space, NULL},
    {"state-space", "sdirk4-15", REDUCED, 1, &hn_state_space, NULL},
    {"state-space", "trapezoidal", REDUCED, 1, &hn_state_space, NULL},
    {"first-order", "sdirk2", NONE | REDUCED, 1, &hn_first_order_implicit, NULL},
    {"descriptor", "sdirk2", NONE | REDUCED, 1, &hn_descriptor, NULL},
    {"state-space", "sdirk2", REDUCED, 1, &hn_state_space, NULL},
    {"descriptor", "newmark", NONE | REDUCED, 1, &hn_descriptor, NULL},
    {"descriptor", "hht", NONE | REDUCED, 1, &hn_descriptor, NULL},
    {"descriptor", "generalized-alpha", NONE | REDUCED, 1, &hn_descriptor, NULL},
    {"state-space", "newmark", REDUCED, 1, &hn_state_space, NULL},
    {"state-space", "hht", REDUCED, 1, &hn_state_space, NULL},
    {"state-space", "generalized-alpha", REDUCED, 1, &hn_state_space, NULL},
    {"augmented-lagrangian-3", "trapezoidal", NONE, 1, &hn_augmented_lagrangian_3, NULL},
    {"augmented-lagrangian-3", "newmark", NONE, 1, &hn_augmented_lagrangian_3, NULL},
    {"augmented-lagrangian-3", "hht", NONE, 1, &hn_augmented_lagrangian_3, NULL},
    {"augmented-lagrangian-3", "generalized-alpha", NONE, 1, &hn_augmented_lagrangian_3, NULL},
    {"augmented-lagrangian-1", "sdirk2", NONE, 1, &hn_augmented_lagrangian_1, NULL},
    {"augmented-lagrangian-1", "trapezoidal", NONE, 1, &hn_augmented_lagrangian_1, NULL},
    {"augmented-lagrangian-1", "newmark", NONE, 1, &hn_augmented_lagrangian_1, NULL},
    {"augmented-lagrangian-1", "hht", NONE, 1, &hn_augmented_lagrangian_1, NULL},
    {"augmented-lagrangian-1", "generalized-alpha", NONE, 1, &hn_augmented_lagrangian_1, NULL},
    {"multi-index", "trapezoidal", NONE, 1, &hn_multi_index, NULL},
    {"descriptor-form", "trapezoidal", PARTITION, 1, &hn_descriptor_form, &hn_cartesian},
    {"descriptor-form", "sdirk4-16", PARTITION, 1, &hn_descriptor_form, &hn_cartesian},
    {"components", "dopri5", NONE, 0, &hn_components, &hn_nested},
    {"components", "adams", NONE, 0, &hn_components, &hn_nested},
    {"components", "sdirk4-16", NONE, 0, &hn_components, &hn_nested},
    {"components", "sdirk4-15", NONE, 0, &hn_components, &hn_nested},
    {"components", "sdirk2", NONE, 0, &hn_components, &hn_nested},
};

static const char *const coordinate_names[] = {"cartesian", "natural", "relative"};
static const char *const method_names[] = {"first-order",
                                           "descriptor",
                                           "descriptor-form",
                                           "state-space",
                                           "augmented-lagrangian-3",
                                           "augmented-lagrangian-1",
                                           "multi-index",
                                           "components"};
static const char *const formula_names[] = {
    "dopri5", "adams",     "trapezoidal", "newmark",   "hht", "generalized-alpha",
    "sdirk2", "sdirk4-16", "sdirk4-15",   "rosenbrock"};

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

// The papers' methods, whole; an option given beside a preset overrides it. What we do better than a
// paper is no preset: it goes by its words.
#define INDEX_3 "augmented-lagrangian-3"
#define INDEX_1 "augmented-lagrangian-1"
#define BY_MASS "mass-orthogonal"
static const hn_preset presets[] = {
    {"SspTrap", "cartesian", "state-space", "trapezoidal", "partition", NULL, "Negrut 1998"},
    {"InflTrap", "cartesian", "descriptor-form", "trapezoidal", "partition", NULL, "Negrut 1998"},
    {"InflSDIRK", "cartesian", "descriptor-form", "sdirk4-16", "partition", NULL, "Negrut 1998"},
    {"ForSDIRK", "cartesian", "first-order", "sdirk4-15", "partition", NULL, "Negrut 1998"},
    {"ForRosen", "cartesian", "first-order", "rosenbrock", "partition", NULL, "Negrut 1998"},
    {"GLB+TR", "natural", INDEX_3, "trapezoidal", "none", "tangent", "Dopico 2004"},
    {"HYB+TR", "relative", INDEX_3, "trapezoidal", "none", "tangent", "Dopico 2004"},
    {"TPL+TR", "relative", "state-space", "trapezoidal", "partition", NULL, "Dopico 2004"},
    {"GLB+SDIRK", "natural", INDEX_1, "sdirk2", "none", BY_MASS, "Dopico 2004"},
    {"HYB+SDIRK", "relative", INDEX_1, "sdirk2", "none", BY_MASS, "Dopico 2004"},
    {"TPL+SDIRK", "relative", "first-order", "sdirk2", "partition", NULL, "Dopico 2004"},
    {"multi-index", "natural", "multi-index", "trapezoidal", "none", BY_MASS, "Cardenal 1997"},
};

static int agrees(const char *asked, const char *there) {
  return !asked || strcmp(asked, "auto") == 0 || strcmp(asked, there) == 0;
}

static const char *find_independent(unsigned possible, const char *asked) {
  for (int k = 0; k < COUNT(independent_names); k++)
    if ((possible & 1u << k) && agrees(asked, independent_names[k])) return independent_names[k];
  return NULL;
}

// 1 and the combination, or 0.
static int find(const char *coordinates, const char *method, const char *formula,
                const char *independent, hn_combination *found) {
  for (int c = 0; c < COUNT(coordinates_table); c++) {
    const struct coordinates_row *set = &coordinates_table[c];
    if (!agrees(coordinates, set->name)) continue;
    for (int m = 0; m < COUNT(methods_table); m++) {
      const struct method_row *row = &methods_table[m];
      const char *chosen = find_independent(row->independent, independent);
      if (!chosen || !agrees(method, row->method) || !agrees(formula, row->formula) ||
          (row->needs_tangent && !set->type->tangent_create) ||
          (row->equations && set->type != &hn_cartesian))
        continue;
      const hn_equations_type *type = row->equations ? row->equations : set->type;
      if (found) *found = (hn_combination){type, row->type, row->formula, chosen};
      return 1;
    }
  }
  return 0;
}

static void add_word(char *text, size_t size, const char *word) {
  size_t used = strlen(text);
  if (strstr(text, word)) return;
  hn_text(text + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

// What to change so that the rest works: the first of formula, independent coordinates and coordinates
// that has no match among those before it.
static void explain(const hn_simulation_options *o, char *hint, size_t size) {
  char words[200] = "";
  for (int m = 0; m < COUNT(methods_table); m++)
    if (agrees(o->method, methods_table[m].method)) {
      if (agrees(o->formula, methods_table[m].formula)) words[0] = '\0';
      if (agrees(o->formula, methods_table[m].formula)) break;
      add_word(words, sizeof words, methods_table[m].formula);
    }
  if (words[0]) {
    hn_text(hint, size, "method '%s' takes the formulas %s", o->method, words);
    return;
  }
  for (int m = 0; m < COUNT(methods_table); m++) {
    const struct method_row *row = &methods_table[m];
    if (!agrees(o->method, row->method) || !agrees(o->formula, row->formula)) continue;
    if (find_independent(row->independent, o->independent)) {
      hn_text(hint, size,
              row->equations ? "method '%s' runs on cartesian coordinates"
                             : "method '%s' needs derivatives of the equations: take cartesian, "
                               "natural or relative coordinates",
              row->method);
      return;
    }
    for (int k = 0; k < COUNT(independent_names); k++)
      if (row->independent & 1u << k) add_word(words, sizeof words, independent_names[k]);
  }
  char formulas[200] = "";
  for (int m = 0; m < COUNT(methods_table); m++)
    if (agrees(o->method, methods_table[m].method) &&
        find_independent(methods_table[m].independent, o->independent))
      add_word(formulas, sizeof formulas, methods_table[m].formula);
  int by_formula = !agrees(o->formula, "auto");
  hn_text(hint, size, "%s '%s' takes independent %s%s%s%s%s", by_formula ? "formula" : "method",
          by_formula ? o->formula : o->method, words, formulas[0] ? "; " : "",
          formulas[0] ? o->independent : "", formulas[0] ? " goes with the formulas " : "",
          formulas);
}

// "formula 'a' and independent 'b'": what was asked for, coordinates only where others would do.
static void name_choices(const hn_simulation_options *o, char *text, size_t size) {
  int others_work = find("auto", o->method, o->formula, o->independent, NULL);
  const char *const choices[][2] = {{"coordinates", others_work ? o->coordinates : NULL},
                                    {"method", o->method},
                                    {"formula", o->formula},
                                    {"independent", o->independent}};
  int last = -1, count = 0;
  for (int k = 0; k < COUNT(choices); k++)
    if (!agrees(choices[k][1], "auto")) last = k;
  text[0] = '\0';
  for (int k = 0; k <= last; k++) {
    if (agrees(choices[k][1], "auto")) continue;
    size_t used = strlen(text);
    hn_text(text + used, size - used, "%s%s '%s'",
            count == 0  ? ""
            : k == last ? " and "
                        : ", ",
            choices[k][0], choices[k][1]);
    count++;
  }
}

int hn_combination_is_built(const char *coordinates, const char *method, const char *formula,
                            const char *independent, const char **reason) {
  int built = find(coordinates, method, formula, independent, NULL);
  if (reason) *reason = built ? "" : "no combination with all four is built";
  return built;
}

int hn_combination_keeps_step(const char *coordinates, const char *method, const char *formula,
                              const char *independent) {
  hn_combination found;
  return find(coordinates, method, formula, independent, &found) && found.method->keeps_step;
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

static int is_built(const hn_preset *p) {
  return find(p->coordinates, p->method, p->formula, p->independent, NULL);
}

const char *hn_list_presets(int index) {
  for (int k = 0; k < COUNT(presets); k++)
    if (is_built(&presets[k]) && index-- == 0) return presets[k].name;
  return NULL;
}

int hn_find_preset(const char *name, hn_preset *preset) {
  for (int k = 0; k < COUNT(presets); k++) {
    if (strcmp(presets[k].name, name) != 0) continue;
    *preset = presets[k];
    return is_built(preset);
  }
  return 0;
}

const char *hn_preset_of(const hn_preset *run) {
  for (int k = 0; k < COUNT(presets); k++) {
    const hn_preset *p = &presets[k];
    const char *asked = run->projection, *there = p->projection;
    // left open it is by Newton's factors
    if (!asked || strcmp(asked, "auto") == 0) asked = "tangent";
    if (strcmp(run->coordinates, p->coordinates) == 0 && strcmp(run->method, p->method) == 0 &&
        strcmp(run->formula, p->formula) == 0 && strcmp(run->independent, p->independent) == 0 &&
        (!there || strcmp(asked, there) == 0))
      return p->name;
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
    const hn_preset *row = &presets[k];
    if (strcmp(o->preset, row->name) != 0) continue;
    const char *method = or_preset(o->method, row->method);
    const char *formula = or_preset(o->formula, row->formula);
    // beside another method or formula the others hold where they can
    int fits = find(or_preset(o->coordinates, row->coordinates), method, formula,
                    or_preset(o->independent, row->independent), NULL);
    if (fits) o->independent = or_preset(o->independent, row->independent);
    if (row->projection && strcmp(method, row->method) == 0)
      o->projection = or_preset(o->projection, row->projection);
    o->coordinates = or_preset(o->coordinates, row->coordinates);
    o->method = method;
    o->formula = formula;
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
  char hint[400], choices[200];
  if (!find(o->coordinates, o->method, o->formula, o->independent, combination)) {
    explain(o, hint, sizeof hint);
    name_choices(o, choices, sizeof choices);
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, hint, "%s do not work together",
                   choices);
  }
  return HN_OK;
}
