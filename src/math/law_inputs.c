// Laws that use inputs: formulas whose last variables are given from outside (math/input.h). In a law
// of time an input is a function of it, and derivatives follow it by the chain rule,
//
//   df/dt = f_t + sum f_u u'
//
// So it is in a law of x or v, once the time is set: forces do that.
// Out of scope: who gives inputs their values.
#include <string.h>

#include "base/error.h"
#include "math/bounds.h"
#include "math/law.h"
#include "math/law_private.h"

// ---- making -------------------------------------------------------------------------------------

// Names: variables first, then the inputs used so far, in the order they are met.
typedef struct name_list {
  const char *const *variables;
  const char *const *inputs;
  int count, input_count;
  int used[HN_LAW_VARIABLES];
  int used_count; // may go beyond what fits
} name_list;

static int is_word(const char *word, const char *name, size_t length) {
  return strlen(word) == length && memcmp(word, name, length) == 0;
}

static int place_of_input(name_list *list, int input) {
  for (int k = 0; k < list->used_count && k < HN_LAW_VARIABLES; k++)
    if (list->used[k] == input) return list->count + k;
  if (list->count + list->used_count < HN_LAW_VARIABLES) list->used[list->used_count] = input;
  return list->count + list->used_count++;
}

static int find_name(const void *context, const char *name, size_t length) {
  name_list *list = (name_list *)context; // counts what it finds
  for (int i = 0; i < list->count; i++)
    if (is_word(list->variables[i], name, length)) return i;
  for (int i = 0; i < list->input_count; i++)
    if (is_word(list->inputs[i], name, length)) return place_of_input(list, i);
  return -1;
}

static int time_of(const char *const *variables, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(variables[i], "t") == 0) return i;
  return -1;
}

// One block: the law, the inputs' values, the formula, their places.
static hn_status store(const hn_program *program, int guards, const name_list *list,
                       const double *values, const hn_allocator *allocator, hn_law **law,
                       hn_error *error) {
  size_t states = (size_t)list->used_count * sizeof(hn_input_state);
  size_t places = (size_t)list->used_count * sizeof(int), size = hn_program_size(program);
  hn_status status =
      hn_law_allocate(states + size + places, HN_LAW_EXPRESSION, allocator, law, error);
  if (status != HN_OK) return status;
  hn_law *made = *law;
  hn_input_state *state = (hn_input_state *)(void *)(made + 1);
  hn_expression *expression = (hn_expression *)(void *)(state + list->used_count);
  int *input = (int *)(void *)((char *)expression + size);
  hn_program_store(program, expression);
  for (int k = 0; k < list->used_count; k++) {
    input[k] = list->used[k];
    state[k] = (hn_input_state){.value = values[input[k]]};
  }
  made->segments = made->pieces = 1;
  made->breaks = (double *)(void *)state;
  made->expression = expression;
  made->variables = list->count;
  made->input_count = list->used_count;
  made->time = time_of(list->variables, list->count);
  made->input = input;
  made->guards = guards;
  made->states = state;
  return HN_OK;
}

hn_status hn_law_expression_of_inputs(const char *text, const char *const *variables, int count,
                                      const char *const *inputs, const double *values,
                                      int input_count, const hn_allocator *allocator, hn_law **law,
                                      hn_error *error) {
  const hn_formula_names names = {.inputs = inputs, .values = values, .input_count = input_count};
  return hn_law_formula(text, variables, count, &names, allocator, law, error);
}

hn_status hn_law_formula(const char *text, const char *const *variables, int count,
                         const hn_formula_names *beside, const hn_allocator *allocator,
                         hn_law **law, hn_error *error) {
  *law = NULL;
  const double *values = beside->values;
  if (beside->input_count == 0)
    return hn_law_formula_of_variables(text, variables, count, beside, allocator, law, error);
  hn_status status = hn_law_check_variables(variables, count, error);
  if (status != HN_OK) return status;
  name_list list = {.variables = variables,
                    .inputs = beside->inputs,
                    .count = count,
                    .input_count = beside->inputs && values ? beside->input_count : 0};
  hn_expression_names names = {find_name, &list,          variables,
                               count,     beside->tables, beside->table_count};
  hn_program program;
  status = hn_program_compile(text ? text : "", text ? strlen(text) : 0, &names, &program, error);
  if (status == HN_OK) status = hn_law_check_program(&program, text, error);
  if (status != HN_OK) return status;
  if (list.used_count == 0)
    return hn_law_formula_of_variables(text, variables, count, beside, allocator, law, error);
  if (count + list.used_count > HN_LAW_VARIABLES)
    return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL, "split the function, or use fewer inputs",
                   "the function has %d variables and %d inputs; the limit is %d in total", count,
                   list.used_count, HN_LAW_VARIABLES);
  const int guards = hn_program_mark_switches(&program, -1) + hn_program_bends(&program);
  return store(&program, guards, &list, values, allocator, law, error);
}

int hn_law_input_place(const hn_law *law, int input) {
  for (int k = 0; k < law->input_count; k++)
    if (law->input[k] == input) return k;
  return -1;
}

int hn_law_input(const hn_law *law, int k) { return law->input[k]; }

int hn_law_uses_input(const hn_law *law, int input) { return hn_law_input_place(law, input) >= 0; }

int hn_law_reads_inputs_only(const hn_law *law, int inputs) {
  const int count = hn_law_input_count(law);
  for (int k = 0; k < count; k++)
    if (law->input[k] >= inputs) return 0;
  for (int k = 0; k < hn_law_variable_count(law) - count; k++) // its own come first
    if (hn_law_reads(law, k)) return 0;
  return count > 0;
}

hn_law *hn_law_bind(hn_arena *arena, const hn_law *law, const hn_input_state *states) {
  hn_law *bound = HN_TAKE(arena, hn_law, 1);
  if (!bound) return NULL;
  *bound = *law;
  bound->bound = states;
  return bound;
}

// ---- use ----------------------------------------------------------------------------------------

static const hn_input_state *state_of(const hn_law *law, int k) {
  return law->bound ? &law->bound[law->input[k]] : &law->states[k];
}

// Input k of the law with its derivatives: at the law's own time, or as it was given.
static void input_of(const hn_law *law, int k, double t, double d[4]) {
  const hn_input_state *state = state_of(law, k);
  d[1] = d[2] = d[3] = 0;
  if (law->time < 0)
    d[0] = state->value;
  else
    hn_input_at(state, t, d);
}

hn_law_value hn_law_evaluate_with_inputs(const hn_law *law, double x) {
  double series[HN_LAW_VARIABLES][4] = {{x, 1, 0, 0}}, d[4];
  for (int k = 0; k < law->input_count; k++) input_of(law, k, x, series[law->variables + k]);
  hn_expression_evaluate_series(law->expression, series, d);
  return (hn_law_value){0, d[0], d[1], d[2], d[3]};
}

int hn_law_inputs_at(const hn_law *law, double t, double *values) {
  for (int k = 0; k < law->input_count; k++) {
    double d[4];
    input_of(law, k, t, d);
    values[k] = d[0];
  }
  return law->input_count;
}

// Variables, then inputs at time t.
static void fill_values(const hn_law *law, const double *variables, double t, double *values) {
  for (int i = 0; i < law->variables; i++) values[i] = variables[i];
  for (int k = 0; k < law->input_count; k++) {
    double d[4];
    hn_input_at(state_of(law, k), t, d);
    values[law->variables + k] = d[0];
  }
}

double hn_law_evaluate_at_time(const hn_law *law, double x, double t, double gradient[2]) {
  double values[HN_LAW_VARIABLES] = {x}, rate[HN_LAW_VARIABLES] = {0}, g[HN_LAW_VARIABLES];
  for (int k = 0; k < law->input_count; k++) {
    double d[4];
    hn_input_at(state_of(law, k), t, d);
    values[law->variables + k] = d[0];
    rate[law->variables + k] = d[1];
  }
  double value = hn_law_gradient(law, NULL, values, g);
  gradient[0] = g[0];
  gradient[1] = 0;
  for (int k = law->variables; k < law->variables + law->input_count; k++)
    gradient[1] += g[k] * rate[k];
  return value;
}

int hn_law_guards(const hn_law *law) { return law->guards; }

int hn_law_guard(const hn_law *law, const double *variables, double t) {
  double values[HN_LAW_VARIABLES];
  if (law->guards == 0) return 0;
  fill_values(law, variables, t, values);
  return (int)hn_expression_guard(law->expression, values, law->input_count > 0);
}

double hn_law_input_gradient(const hn_law *law, const double *variables, double t,
                             double *gradient) {
  double values[HN_LAW_VARIABLES], g[HN_LAW_VARIABLES];
  fill_values(law, variables, t, values);
  double value = hn_law_gradient(law, NULL, values, g);
  for (int k = 0; k < law->input_count; k++) gradient[k] = g[law->variables + k];
  return value;
}

double hn_law_evaluate_many_with_inputs(const hn_law *law, const double *variables,
                                        double *gradient) {
  double values[HN_LAW_VARIABLES], u[HN_LAW_VARIABLES][4], g[HN_LAW_VARIABLES];
  int n = law->variables;
  for (int i = 0; i < n; i++) values[i] = variables[i];
  for (int k = 0; k < law->input_count; k++) {
    input_of(law, k, law->time < 0 ? 0 : variables[law->time], u[k]);
    values[n + k] = u[k][0];
  }
  if (!gradient) return hn_expression_evaluate(law->expression, values);
  double value = hn_law_gradient(law, NULL, values, g);
  for (int k = 0; law->time >= 0 && k < law->input_count; k++) g[law->time] += g[n + k] * u[k][1];
  for (int i = 0; i < n; i++) gradient[i] = g[i];
  return value;
}
