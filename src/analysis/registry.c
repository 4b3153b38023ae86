// The lists behind `holon list` and the choice behind "auto". What combines is said twice only: which
// formulas and independent coordinates a method takes, and what it asks of the coordinates.
#include "analysis/registry.h"

#include <string.h>

#include "base/error.h"
#include "integrate/time_stepping.h"
#include "model/options.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

enum { INDEPENDENT_KINDS = 3 };

#define ADDRESS(type) &type,
static const hn_equations_type *const sets[] = {HN_COORDINATE_SETS(ADDRESS)};
static const hn_method_type *const methods[] = {HN_METHODS(ADDRESS)};
#undef ADDRESS

// Time stepping of rigid contact: a first-order method with a formula of its own, which no other takes.
// It is chosen by name, or if contacts need it (simulation.c).
static const hn_formula moreau_jean = {.name = "moreau-jean"};

static int is_stepping(const char *method) {
  return method && strcmp(method, hn_time_stepping.name) == 0;
}

// Several methods have one name: each takes its own formulas.
static int is_first_of_name(int m) {
  for (int k = 0; k < m; k++)
    if (strcmp(methods[k]->name, methods[m]->name) == 0) return 0;
  return 1;
}

const char *hn_list_coordinates(int index) {
  return index >= 0 && index < COUNT(sets) ? sets[index]->name : NULL;
}
const char *hn_list_methods(int index) {
  for (int m = 0; m < COUNT(methods); m++)
    if (is_first_of_name(m) && index-- == 0) return methods[m]->name;
  return index == 0 ? hn_time_stepping.name : NULL; // the last
}
const char *hn_list_formulas(int index) {
  const hn_formula *formula = index >= 0 ? hn_formula_at(index) : NULL;
  return formula ? formula->name : NULL;
}
const char *hn_list_linear_solvers(int index) {
  const hn_solver_type *const *types = hn_solver_types();
  int count = 0;
  while (types[count]) count++;
  return index >= 0 && index < count ? types[index]->name : NULL;
}
const char *hn_list_independent(int index) {
  return index >= 0 && index < INDEPENDENT_KINDS ? hn_independent_name(1u << index) : NULL;
}

const hn_method_type *hn_method_at(int index) {
  for (int m = 0; m < COUNT(methods); m++)
    if (is_first_of_name(m) && index-- == 0) return methods[m];
  return index == 0 ? &hn_time_stepping : NULL;
}

const hn_method_type *hn_method_named(const char *name) {
  for (int m = 0; m < COUNT(methods); m++)
    if (strcmp(methods[m]->name, name) == 0) return methods[m];
  return is_stepping(name) ? &hn_time_stepping : NULL;
}

int hn_method_steps_by_energy(const char *name) {
  const hn_method_type *type = hn_method_named(name);
  return type && type->steps_by_energy;
}

// "auto" is the first of every list but the presets, whether the list itself has it or not.
const char *hn_option_word(const hn_option *option, int index) {
  static const struct {
    const char *words;
    const char *(*list)(int index);
  } lists[] = {{"@coordinates", hn_list_coordinates},
               {"@methods", hn_list_methods},
               {"@formulas", hn_list_formulas},
               {"@independent", hn_list_independent},
               {"@linear_solvers", hn_list_linear_solvers},
               {"@presets", hn_list_presets}};
  const char *word = ((const hn_option_row *)option)->words;
  for (int k = 0; k < COUNT(lists); k++) {
    if (strcmp(word, lists[k].words) != 0) continue;
    if (lists[k].list == hn_list_presets) return lists[k].list(index);
    return index == 0 ? "auto" : lists[k].list(index - 1);
  }
  for (; *word && index > 0; index--) word += strlen(word) + 1;
  return *word && index == 0 ? word : NULL;
}

// The papers' methods, whole; an option given in addition to a preset overrides it. Improvements on
// a paper are not presets: they are chosen by their options.
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

// The first kind possible of those asked for; 0: none.
static unsigned find_independent(unsigned possible, const char *asked) {
  for (int k = 0; k < INDEPENDENT_KINDS; k++)
    if ((possible & 1u << k) && agrees(asked, hn_independent_name(1u << k))) return 1u << k;
  return 0;
}

static int takes(const hn_method_type *method, const hn_formula *formula) {
  return (method->takes & (unsigned)formula->kind) != 0;
}

// The formula that a method takes of those asked for: its own first choice, else the first in lists.
static const hn_formula *find_formula(const hn_method_type *method, const char *asked) {
  if (method->first && agrees(asked, method->first)) return hn_formula_find(method->first);
  const int is_any = !asked || strcmp(asked, "auto") == 0;
  const hn_formula *row = is_any ? hn_formula_at(0) : hn_formula_find(asked);
  for (int k = 1; is_any && row && !takes(method, row); k++) row = hn_formula_at(k);
  return row && takes(method, row) ? row : NULL;
}

// A method with equations of its own uses those instead of the Cartesian set, under the same name.
static const hn_equations_type *equations_for(const hn_method_type *method,
                                              const hn_equations_type *set) {
  if (!method->equations) return method->is_direct || set->tangent_create ? set : NULL;
  return strcmp(method->equations->name, set->name) == 0 ? method->equations : NULL;
}

static int find_method(const hn_equations_type *set, const char *method, const char *formula,
                       const char *independent, hn_combination *found) {
  for (int m = 0; m < COUNT(methods); m++) {
    const hn_method_type *type = methods[m];
    if (!agrees(method, type->name)) continue;
    const unsigned chosen = find_independent(type->independent, independent);
    const hn_formula *row = find_formula(type, formula);
    const hn_equations_type *equations = equations_for(type, set);
    if (!chosen || !row || !equations) continue;
    if (found) *found = (hn_combination){equations, type, row, chosen, 0};
    return 1;
  }
  return 0;
}

static int find_stepping(const char *coordinates, const char *formula, const char *independent,
                         hn_combination *found) {
  const unsigned chosen = find_independent(HN_INDEPENDENT_NONE, independent);
  for (int c = 0; c < COUNT(sets); c++) {
    if (!agrees(coordinates, sets[c]->name) || !sets[c]->stepping) continue;
    if (!chosen || !agrees(formula, moreau_jean.name)) continue;
    if (found) *found = (hn_combination){sets[c], &hn_time_stepping, &moreau_jean, chosen, 0};
    return 1;
  }
  return 0;
}

// 1 and the combination, or 0.
static int find(const char *coordinates, const char *method, const char *formula,
                const char *independent, hn_combination *found) {
  const hn_formula *asked = formula ? hn_formula_find(formula) : NULL;
  if (is_stepping(method)) return find_stepping(coordinates, formula, independent, found);
  for (int c = 0; c < COUNT(sets); c++) {
    if (!agrees(coordinates, sets[c]->name)) continue;
    // a formula may have a method that it goes with
    if (asked && asked->method && agrees(method, asked->method) &&
        find_method(sets[c], asked->method, formula, independent, found))
      return 1;
    if (find_method(sets[c], method, formula, independent, found)) return 1;
  }
  return 0;
}

static void add_word(char *text, size_t size, const char *word) {
  size_t used = strlen(text);
  if (strstr(text, word)) return;
  hn_text(text + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

// Writes the option to change so that the rest works: the first of formula, independent coordinates
// and coordinates that has no match among those before it.
static void explain(const hn_simulation_options *o, char *hint, size_t size) {
  char words[200] = "", formulas[200] = "";
  int is_taken = 0;
  const hn_formula *row;
  for (int m = 0; m < COUNT(methods); m++)
    for (int k = 0; agrees(o->method, methods[m]->name) && (row = hn_formula_at(k)); k++) {
      if (!takes(methods[m], row)) continue;
      is_taken |= agrees(o->formula, row->name);
      add_word(words, sizeof words, row->name);
      if (find_independent(methods[m]->independent, o->independent))
        add_word(formulas, sizeof formulas, row->name);
    }
  if (!is_taken) {
    hn_text(hint, size, "method '%s' takes the formulas %s", o->method, words);
    return;
  }
  words[0] = '\0';
  for (int m = 0; m < COUNT(methods); m++) {
    const hn_method_type *type = methods[m];
    if (!agrees(o->method, type->name) || !find_formula(type, o->formula)) continue;
    if (find_independent(type->independent, o->independent)) {
      hn_text(hint, size,
              type->equations ? "method '%s' runs on cartesian coordinates"
                              : "use cartesian, natural or relative coordinates: method '%s' needs "
                                "derivatives of the equations",
              type->name);
      return;
    }
    for (int k = 0; k < INDEPENDENT_KINDS; k++)
      if (type->independent & 1u << k) add_word(words, sizeof words, hn_independent_name(1u << k));
  }
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

static hn_status check_word(const char *what, const char *word, const char *(*list)(int),
                            hn_error *error) {
  if (!word || strcmp(word, "auto") == 0) return HN_OK;
  for (int k = 0; list(k); k++)
    if (strcmp(word, list(k)) == 0) return HN_OK;
  char hint[256] = "built are: auto";
  size_t used = strlen(hint);
  for (int k = 0; list(k); k++) {
    hn_text(hint + used, sizeof hint - used, ", %s", list(k));
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
  for (int k = 0; k < COUNT(presets); k++) {
    const hn_preset *row = &presets[k];
    if (strcmp(o->preset, row->name) != 0) continue;
    const char *method = or_preset(o->method, row->method);
    const char *formula = or_preset(o->formula, row->formula);
    // with another method or formula the other options remain if they are compatible
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
  return check_word("preset", o->preset, hn_list_presets, error);
}

hn_status hn_choose_combination(const hn_simulation_options *o, hn_combination *combination,
                                hn_error *error) {
  hn_status status = check_word("coordinates", o->coordinates, hn_list_coordinates, error);
  if (status == HN_OK) status = check_word("method", o->method, hn_list_methods, error);
  if (status == HN_OK) status = check_word("formula", o->formula, hn_list_formulas, error);
  if (status == HN_OK)
    status = check_word("independent", o->independent, hn_list_independent, error);
  if (status == HN_OK)
    status = check_word("linear solver", o->linear_solver, hn_list_linear_solvers, error);
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
