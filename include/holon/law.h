// Holon: laws of one variable (spring force over deflection, drive over time) and of (x, v, t).
//
// A law is made once, checked, and then never written. Its derivatives are exact.
#ifndef HOLON_LAW_H
#define HOLON_LAW_H

#include "holon/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_law hn_law;

typedef enum hn_law_kind {
  HN_LAW_CONSTANT,   // f = c0
  HN_LAW_POLYNOMIAL, // f = c0 + c1 x + c2 x^2 + ... (linear is the case of two coefficients)
  HN_LAW_PIECEWISE,  // polynomials between breakpoints; the outer pieces reach to infinity
  HN_LAW_TABLE,      // cubic spline through points; beyond the ends continued by the end tangent
  HN_LAW_EXPRESSION, // any formula in its variables
} hn_law_kind;

// A value with everything methods ask for. `integral` is the antiderivative, continuous across pieces,
// that is 0 where the law is 0: of several such places at the one where it is least; of a law that is
// nowhere 0 at x = 0. It is not available (0) for expressions.
typedef struct hn_law_value {
  double integral, value, d1, d2, d3;
} hn_law_value;

// Every constructor: on failure *law is null and *error (may be null) says why.
HN_API hn_status hn_law_constant(double value, const hn_allocator *allocator, hn_law **law,
                                 hn_error *error);
HN_API hn_status hn_law_polynomial(const double *coefficients, int count,
                                   const hn_allocator *allocator, hn_law **law, hn_error *error);
// pieces polynomials of count coefficients each (row by row, in x itself, not in x minus the
// breakpoint), pieces - 1 increasing breakpoints.
HN_API hn_status hn_law_piecewise(const double *breakpoints, const double *coefficients, int pieces,
                                  int count, const hn_allocator *allocator, hn_law **law,
                                  hn_error *error);
typedef enum hn_table_kind {
  HN_TABLE_SPLINE,   // natural cubic spline, twice continuously differentiable
  HN_TABLE_LINEAR,   // linear between points: slope discontinuities at every point
  HN_TABLE_MONOTONE, // cubics that rise and fall with the points (PCHIP), once differentiable
  HN_TABLE_AKIMA,    // Akima's cubics: local, little overshoot, once differentiable
} hn_table_kind;
HN_API hn_status hn_law_table(const double *x, const double *y, int count, hn_table_kind kind,
                              const hn_allocator *allocator, hn_law **law, hn_error *error);
typedef enum hn_table_outside {
  HN_TABLE_TANGENT, // continues along the tangent at its end
  HN_TABLE_HOLD,    // keeps the value of its end
  HN_TABLE_REFUSE,  // has no value (NaN), which ends a run with a message
} hn_table_outside;
// The same with more said. Zeroed: hn_law_table of a spline.
typedef struct hn_table_options {
  size_t size; // of this struct; 0: the first version
  hn_table_kind kind;
  hn_table_outside outside;
  int is_periodic; // repeats itself: the last value is the first one, and outside means nothing
  int is_motion;   // its second derivative is used too (a driver): breakpoints where that jumps
} hn_table_options;
HN_API hn_status hn_law_curve(const double *x, const double *y, int count,
                              const hn_table_options *options, const hn_allocator *allocator,
                              hn_law **law, hn_error *error);
// A table that formulas of a model call by its name (hn_model_add_table): f(x), or f(x, y) over a grid.
typedef struct hn_table_def {
  const char *name;
  hn_source source;
  const double *x, *y;      // increasing; y null: of one variable
  int columns, rows;        // of x, of y
  const double *values;     // columns times rows, x running fastest
  hn_table_options options; // of two variables: not periodic, and not HN_TABLE_REFUSE
} hn_table_def;
// A formula in the named variables (at most HN_LAW_VARIABLES), for instance "4e3*x + 20*v*abs(v)".
// Constants: pi, e. Functions: docs/reference/model/units.md. Errors give error->column.
#define HN_LAW_VARIABLES 16
HN_API hn_status hn_law_expression(const char *text, const char *const *variables, int count,
                                   const hn_allocator *allocator, hn_law **law, hn_error *error);
// The same with inputs of a model in addition to the variables (holon/model.h): names and initial
// values, in the model's order. Such a law has no pieces: its breakpoints are not known beforehand.
// A variable called t is time. Forces follow inputs in time in all their laws. Variables and the
// inputs it uses are at most HN_LAW_VARIABLES together.
HN_API hn_status hn_law_expression_of_inputs(const char *text, const char *const *variables,
                                             int count, const char *const *inputs,
                                             const double *values, int input_count,
                                             const hn_allocator *allocator, hn_law **law,
                                             hn_error *error);
HN_API void hn_law_free(hn_law *law); // null is fine

HN_API hn_law_kind hn_law_get_kind(const hn_law *law);
HN_API int hn_law_input_count(const hn_law *law); // that it uses

// Laws of one variable (every kind; expressions with one variable). The number of smooth pieces,
// and the index of the piece that contains x. An expression has breakpoints where a condition, abs,
// sign, step, min, max, floor, ceil or mod switches: exact if the argument is linear, else searched
// for; at most 1280, of infinite sequences (floor, mod, sin(t) > 0) those nearest to 0. In a
// formula of v, jumps of the value (dry friction) do not count.
HN_API int hn_law_pieces(const hn_law *law);
HN_API int hn_law_piece(const hn_law *law, double x);
// The lower end of piece k (k from 1 to pieces - 1): there the law is not smooth.
HN_API double hn_law_kink(const hn_law *law, int k);
// The law at x, by the formula of the given piece even when x lies beyond its ends; piece -1
// means the piece that holds x.
HN_API hn_law_value hn_law_evaluate(const hn_law *law, int piece, double x);

// Expressions of several variables have no pieces of this kind; forces follow the branches of abs, min,
// max, sign, step and comparisons in them by themselves. Value and gradient (count; may be null).
HN_API double hn_law_evaluate_many(const hn_law *law, const double *variables, double *gradient);

#ifdef __cplusplus
}
#endif

#endif
