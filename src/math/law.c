// Laws: constants, polynomials, piecewise polynomials, tables, formulas, each with antiderivative
// and three derivatives.
//
// All but formulas are one thing: segments of polynomials c0 + c1 s + c2 s^2 + ... in s = x -
// origin, with breaks between them. The antiderivative is in law_integral.c. For polynomials given in
// x itself the origin is 0; for tables it is the point at the left, so that no digits are lost far
// from 0. A spline is smooth over its breaks, so it is a single piece to the outside; in all other laws
// pieces are segments.
//
// A formula of one variable has pieces as well (law_kinks.c). In the inside of a piece it chooses
// its branches by itself; at the ends and beyond them as just inside.
//
// A law is one block of memory. Making the segments of a table: law_table.c; formulas:
// expression.h.
#include "holon/law.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "math/law_private.h"

// ---- memory -------------------------------------------------------------------------------------

static hn_status fail_memory(hn_error *error, size_t size) {
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "free memory",
                 "out of memory for a function of %zu bytes", size);
}

// A zeroed law with `extra` bytes behind it.
hn_status hn_law_allocate(size_t extra, hn_law_kind kind, const hn_allocator *allocator,
                          hn_law **law, hn_error *error) {
  size_t size = sizeof(hn_law) + extra;
  if (size < extra) return fail_memory(error, extra);
  hn_law *made = hn_allocate(allocator, size);
  if (!made) return fail_memory(error, size);
  memset(made, 0, size);
  if (allocator) made->allocator = *allocator;
  made->kind = kind;
  made->pieces = 1;
  *law = made;
  return HN_OK;
}

hn_status hn_law_allocate_segments(int segments, int count, hn_law_kind kind,
                                   const hn_allocator *allocator, hn_law **law, hn_error *error) {
  // breaks, origins, anchors, constants and pieces in addition to the coefficients and those of the
  // integral
  size_t row = (2 * (size_t)count + 5) * sizeof(double);
  if ((size_t)segments > SIZE_MAX / 2 / row) return fail_memory(error, SIZE_MAX);
  hn_status status = hn_law_allocate((size_t)segments * row, kind, allocator, law, error);
  if (status != HN_OK) return status;
  (*law)->segments = segments;
  (*law)->count = count;
  (*law)->breaks = (double *)(void *)(*law + 1);
  (*law)->origins = (*law)->breaks + segments;
  (*law)->constants = (*law)->origins + segments;
  (*law)->anchors = (*law)->constants + segments;
  (*law)->coefficients = (*law)->anchors + segments;
  (*law)->integrals = (*law)->coefficients + (size_t)segments * (size_t)count;
  return HN_OK;
}

void hn_law_free(hn_law *law) {
  if (!law) return;
  hn_allocator allocator = law->allocator; // stands inside the block that is given back
  hn_release(&allocator, law);
}

// ---- segments -----------------------------------------------------------------------------------

// The segment that holds x: the number of breaks at or below it.
int hn_law_segment(const hn_law *law, double x) {
  int low = 0, high = law->segments - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (x >= law->breaks[middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Horner's scheme for the value and the Taylor coefficients up to the third.
hn_law_value hn_law_evaluate_segment(const hn_law *law, int segment, double x) {
  const double *c = law->coefficients + (size_t)segment * (size_t)law->count;
  double s = x - law->origins[segment];
  double integral = hn_law_integral(law, segment, x);
  if (law->count == 2) // most springs and dampers
    return (hn_law_value){integral, c[1] * s + c[0], c[1], 0, 0};
  double value = 0, t1 = 0, t2 = 0, t3 = 0;
  for (int i = law->count - 1; i >= 0; i--) {
    t3 = t3 * s + t2;
    t2 = t2 * s + t1;
    t1 = t1 * s + value;
    value = value * s + c[i];
  }
  return (hn_law_value){integral, value, t1, 2 * t2, 6 * t3};
}

// ---- making -------------------------------------------------------------------------------------

hn_status hn_law_constant(double value, const hn_allocator *allocator, hn_law **law,
                          hn_error *error) {
  *law = NULL;
  if (!isfinite(value))
    return hn_fail(error, HN_ERROR_NOT_FINITE, NULL, NULL, "give a finite number",
                   "a constant function has the value %g", value);
  hn_status status = hn_law_allocate_segments(1, 1, HN_LAW_CONSTANT, allocator, law, error);
  if (status != HN_OK) return status;
  (*law)->coefficients[0] = value;
  return hn_law_connect_segments(*law, error); // cannot fail
}

hn_status hn_law_polynomial(const double *coefficients, int count, const hn_allocator *allocator,
                            hn_law **law, hn_error *error) {
  hn_status status = hn_law_piecewise(NULL, coefficients, 1, count, allocator, law, error);
  if (status == HN_OK) (*law)->kind = HN_LAW_POLYNOMIAL;
  return status;
}

static hn_status check_coefficients(const double *coefficients, int pieces, int count,
                                    hn_error *error) {
  for (int k = 0; k < pieces; k++)
    for (int i = 0; i < count; i++) {
      double c = coefficients[(size_t)k * (size_t)count + (size_t)i];
      if (!isfinite(c))
        return hn_fail(error, HN_ERROR_NOT_FINITE, NULL, NULL, "give finite coefficients",
                       "coefficient %d of polynomial %d is %g", i, k + 1, c);
    }
  return HN_OK;
}

static hn_status check_breakpoints(const double *breakpoints, int count, hn_error *error) {
  for (int k = 0; k < count; k++) {
    if (!isfinite(breakpoints[k]))
      return hn_fail(error, HN_ERROR_NOT_FINITE, NULL, NULL,
                     "give finite breakpoints; the outer pieces extend to infinity",
                     "breakpoint %d of a piecewise function is %g", k + 1, breakpoints[k]);
    if (k > 0 && !(breakpoints[k] > breakpoints[k - 1]))
      return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "order the pieces from left to right",
                     "breakpoint %d of a piecewise function, %g, is not above breakpoint %d, %g",
                     k + 1, breakpoints[k], k, breakpoints[k - 1]);
  }
  return HN_OK;
}

hn_status hn_law_piecewise(const double *breakpoints, const double *coefficients, int pieces,
                           int count, const hn_allocator *allocator, hn_law **law,
                           hn_error *error) {
  *law = NULL;
  if (pieces < 1 || count < 1 || !coefficients || (pieces > 1 && !breakpoints))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "give at least one coefficient",
                   "a polynomial function has %d pieces of %d coefficients", pieces, count);
  hn_status status = check_coefficients(coefficients, pieces, count, error);
  if (status == HN_OK) status = check_breakpoints(breakpoints, pieces - 1, error);
  hn_law *made = NULL;
  if (status == HN_OK)
    status = hn_law_allocate_segments(pieces, count, HN_LAW_PIECEWISE, allocator, &made, error);
  if (status != HN_OK) return status;

  made->pieces = pieces;
  if (pieces > 1) memcpy(made->breaks, breakpoints, (size_t)(pieces - 1) * sizeof(double));
  memcpy(made->coefficients, coefficients, (size_t)pieces * (size_t)count * sizeof(double));
  status = hn_law_connect_segments(made, error);
  if (status != HN_OK) {
    hn_law_free(made);
    return status;
  }
  *law = made;
  return HN_OK;
}

// ---- formulas -----------------------------------------------------------------------------------

typedef struct variable_list {
  const char *const *names;
  int count;
} variable_list;

static int find_variable(const void *context, const char *name, size_t length) {
  const variable_list *list = context;
  for (int i = 0; i < list->count; i++)
    if (strlen(list->names[i]) == length && memcmp(list->names[i], name, length) == 0) return i;
  return -1;
}

hn_status hn_law_check_variables(const char *const *variables, int count, hn_error *error) {
  if (count < 0 || count > HN_LAW_VARIABLES || (count > 0 && !variables))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, NULL,
                   "the function has %d variables; the limit is %d. Use fewer variables", count,
                   HN_LAW_VARIABLES);
  for (int i = 0; i < count; i++) {
    const char *name = variables[i] ? variables[i] : "";
    size_t length = strlen(name);
    if (!hn_expression_is_name(name, length) || hn_expression_is_reserved(name, length))
      return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                     "use a name such as x, not that of a function or constant",
                     "a function cannot have a variable named '%s'", name);
    variable_list before = {variables, i};
    if (find_variable(&before, name, length) >= 0)
      return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "give each variable its own name",
                     "two variables of a function are named '%s'", name);
  }
  return HN_OK;
}

// A formula may be undefined for some values of its variables, but not for all because of a part
// that has none.
hn_status hn_law_check_program(const hn_program *program, const char *text, hn_error *error) {
  for (int i = 0; i < program->count; i++)
    if (program->code[i].code == HN_CODE_CONSTANT && !isfinite(program->code[i].constant))
      return hn_fail(error, HN_ERROR_NOT_FINITE, NULL, NULL,
                     "check for a division by 0, or a logarithm or root of a negative number",
                     "a constant part of '%.200s' is %g", text, program->code[i].constant);
  return HN_OK;
}

hn_status hn_law_expression(const char *text, const char *const *variables, int count,
                            const hn_allocator *allocator, hn_law **law, hn_error *error) {
  const hn_formula_names none = {0};
  return hn_law_formula(text, variables, count, &none, allocator, law, error);
}

hn_status hn_law_formula_of_variables(const char *text, const char *const *variables, int count,
                                      const hn_formula_names *beside, const hn_allocator *allocator,
                                      hn_law **law, hn_error *error) {
  *law = NULL;
  hn_status status = hn_law_check_variables(variables, count, error);
  if (status != HN_OK) return status;
  if (!text)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "give a formula such as \"4e3*x\"",
                   "the function has no formula");
  variable_list list = {variables, count};
  hn_expression_names names = {find_variable, &list,          variables,
                               count,         beside->tables, beside->table_count};
  hn_program program;
  status = hn_program_compile(text, strlen(text), &names, &program, error);
  if (status == HN_OK) status = hn_law_check_program(&program, text, error);
  if (status != HN_OK) return status;
  int speed = count - 1;
  while (speed >= 0 && strcmp(variables[speed], "v") != 0) speed--;
  int switches = count > 1 ? hn_program_mark_switches(&program, speed) : 0;
  double kinks[HN_LAW_KINKS];
  // A model that comes to rest under F sign(v) stays at the jump, where neither piece holds: a
  // formula of v decides there by itself, with sign(0) = 0.
  int is_of_speed = count == 1 && strcmp(variables[0], "v") == 0;
  int kink_count = count == 1 ? hn_law_find_kinks(&program, is_of_speed, kinks) : 0;
  size_t kink_size = (size_t)kink_count * sizeof(double);
  status = hn_law_allocate(kink_size + hn_program_size(&program), HN_LAW_EXPRESSION, allocator, law,
                           error);
  if (status != HN_OK) return status;
  (*law)->breaks = (double *)(void *)(*law + 1);
  if (kink_count > 0) memcpy((*law)->breaks, kinks, kink_size);
  (*law)->segments = (*law)->pieces = kink_count + 1;
  hn_expression *expression = (hn_expression *)(void *)((*law)->breaks + kink_count);
  hn_program_store(&program, expression);
  (*law)->expression = expression;
  (*law)->variables = count;
  (*law)->switches = switches;
  (*law)->guards = hn_program_bends(&program);
  return HN_OK;
}

// ---- use ----------------------------------------------------------------------------------------

hn_law_kind hn_law_get_kind(const hn_law *law) { return law->kind; }

int hn_law_pieces(const hn_law *law) { return law->pieces; }

int hn_law_input_count(const hn_law *law) { return law->input_count; }

int hn_law_piece(const hn_law *law, double x) {
  if (law->first) return hn_curve_piece(law, x);
  return law->pieces > 1 ? hn_law_segment(law, x) : 0;
}

double hn_law_kink(const hn_law *law, int k) {
  if (k < 1 || k >= law->pieces) return NAN;
  return law->first ? hn_curve_kink(law, k) : law->breaks[k - 1];
}

static hn_law_value evaluate_formula(const hn_law *law, int piece, double x) {
  double d[4] = {NAN, NAN, NAN, NAN}, inside = x;
  const hn_expression *formula = law->expression;
  if (law->pieces > 1) {
    if (piece < 0) piece = hn_law_segment(law, x);
    if (piece >= law->pieces) piece = law->pieces - 1;
    double low = piece > 0 ? law->breaks[piece - 1] : -HUGE_VAL;
    double high = piece + 1 < law->pieces ? law->breaks[piece] : HUGE_VAL;
    inside = hn_law_inside(low, high, x);
  }
  if (law->variables > 1) return (hn_law_value){0, d[0], d[1], d[2], d[3]};
  if (law->input_count > 0) return hn_law_evaluate_with_inputs(law, x);
  if (inside == x)
    hn_expression_evaluate_series(formula, (double[1][4]){{x, 1, 0, 0}}, d);
  else
    hn_program_freeze(formula->code, formula->count, x, inside, d);
  return (hn_law_value){0, d[0], d[1], d[2], d[3]};
}

int hn_law_is_straight(const hn_law *law, double c[2]) {
  if (law->expression || law->segments != 1 || law->count > 2 || law->origins[0] != 0) return 0;
  c[0] = law->coefficients[0];
  c[1] = law->count > 1 ? law->coefficients[1] : 0;
  return 1;
}

// One piece of many segments is a spline, whose segments are not frozen.
static int frozen_segment(const hn_law *law, int piece, double x) {
  if (piece < 0 || law->pieces == 1) return hn_law_segment(law, x);
  return piece < law->pieces ? piece : law->pieces - 1;
}

hn_law_value hn_law_evaluate(const hn_law *law, int piece, double x) {
  if (law->expression) return evaluate_formula(law, piece, x);
  if (law->first) return hn_curve_evaluate(law, piece, x);
  return hn_law_evaluate_segment(law, frozen_segment(law, piece, x), x);
}

double hn_law_value_at(const hn_law *law, int piece, double x) {
  if (law->expression || law->first) return hn_law_evaluate(law, piece, x).value;
  const int segment = frozen_segment(law, piece, x);
  const double *c = law->coefficients + (size_t)segment * (size_t)law->count;
  double s = x - law->origins[segment], value = 0;
  for (int i = law->count - 1; i >= 0; i--) value = value * s + c[i];
  return value;
}

double hn_law_gradient(const hn_law *law, const unsigned *decisions, const double *values,
                       double *gradient) {
  double used_gradient[HN_LAW_VARIABLES];
  int used_count;
  const int *used = hn_expression_used(law->expression, &used_count);
  double value = hn_expression_evaluate_gradient(law->expression, decisions, values, used_gradient);
  for (int i = 0; i < law->variables + law->input_count; i++) gradient[i] = 0;
  for (int i = 0; i < used_count; i++) gradient[used[i]] = used_gradient[i];
  return value;
}

double hn_law_evaluate_many(const hn_law *law, const double *variables, double *gradient) {
  if (!law->expression) {
    hn_law_value v = hn_law_evaluate(law, -1, variables[0]);
    if (gradient) gradient[0] = v.d1;
    return v.value;
  }
  if (law->input_count > 0) return hn_law_evaluate_many_with_inputs(law, variables, gradient);
  if (!gradient) return hn_expression_evaluate(law->expression, variables);
  return hn_law_gradient(law, NULL, variables, gradient);
}

int hn_law_switches(const hn_law *law) { return law->switches; }

int hn_law_decide(const hn_law *law, const double *variables) {
  return law->switches > 0 ? (int)hn_expression_decide(law->expression, variables) : 0;
}

double hn_law_evaluate_decided(const hn_law *law, int decisions, const double *variables,
                               double *gradient) {
  if (law->switches == 0 || decisions < 0) return hn_law_evaluate_many(law, variables, gradient);
  double unused[HN_LAW_VARIABLES];
  return hn_law_gradient(law, &(unsigned){(unsigned)decisions}, variables,
                         gradient ? gradient : unused);
}

_Static_assert(HN_LAW_VARIABLES <= HN_EXPRESSION_DERIVATIVE_COUNT,
               "every function has a gradient with respect to all its variables");
