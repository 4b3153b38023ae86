// Inside a law: segments of polynomials, or a formula. For the files law*.c.
#ifndef HN_MATH_LAW_PRIVATE_H
#define HN_MATH_LAW_PRIVATE_H

#include "holon/law.h"
#include "math/expression_code.h"
#include "math/input.h"
#include "math/law.h"

struct hn_law {
  hn_allocator allocator; // zeroed: malloc and free
  hn_law_kind kind;
  int pieces; // between breakpoints

  // segments; `breaks` has one place more than breaks
  int segments, count;  // count coefficients each
  double *breaks;       // segment k holds x from breaks[k - 1] (included) to breaks[k]
  double *origins;      // segments: the law is a polynomial in x - origin
  double *constants;    // segments: of integration
  double *anchors;      // segments: the antiderivative is a polynomial in x - anchor
  double *coefficients; // segments x count
  double *integrals;    // segments x count: Taylor coefficients at the anchor, over i + 1

  // curves (law_curve.c)
  int *first;       // the first segment of each piece; null: one piece, or each segment is one
  double low, high; // is_bounded: no value beyond these
  int is_bounded;
  double period, rise; // period 0: none; rise: of the antiderivative over a period
  int periods, before; // that have pieces, and how many of them start below x = low

  // formula; null for the others. Its segments are its pieces, of which it has only the breaks.
  const hn_expression *expression;
  int variables;
  int switches; // of a formula of several variables: operations with bits
  int guards;   // the same of one that uses inputs, and calls of tables that bend

  // inputs: the variables of the formula behind its own
  int input_count;
  int time;                     // which variable is time; -1: none
  const int *input;             // places among those of the model (input_count)
  const hn_input_state *states; // as given at creation (input_count)
  const hn_input_state *bound;  // those of a simulation, by place; null: not bound
};

// A zeroed law of segments of count coefficients. The caller fills it and connects it.
hn_status hn_law_allocate_segments(int segments, int count, hn_law_kind kind,
                                   const hn_allocator *allocator, hn_law **law, hn_error *error);
// law_integral.c: chooses anchors and constants, so that the antiderivative is continuous at the breaks
// and 0 where the law is 0, or at x = 0 where it nowhere is.
hn_status hn_law_connect_segments(hn_law *law, hn_error *error);
static inline double hn_law_integral(const hn_law *law, int segment, double x) {
  const double *d = law->integrals + (size_t)segment * (size_t)law->count;
  double u = x - law->anchors[segment], integral = 0;
  if (law->count == 2) return (d[1] * u + d[0]) * u + law->constants[segment];
  for (int i = law->count - 1; i >= 0; i--) integral = integral * u + d[i];
  return integral * u + law->constants[segment];
}

// law.c: a formula with its gradient by variables and inputs, of which it may use some only, on given
// branches (null: those that hold).
double hn_law_gradient(const hn_law *law, const unsigned *decisions, const double *values,
                       double *gradient);
// law.c: the segment that holds x, and its polynomial at any x.
int hn_law_segment(const hn_law *law, double x);
hn_law_value hn_law_evaluate_segment(const hn_law *law, int segment, double x);
// law_table.c: checks of points, segments of a natural spline, failure of a table that is too steep.
hn_status hn_table_check(const double *x, const double *y, int count, hn_error *error);
hn_status hn_table_finish(hn_law *made, const double *x, const double *y, hn_law **law,
                          hn_error *error);
void hn_table_fill_spline(hn_law *law, const double *x, const double *y, int count);
// law_curve.c: a law with `first`.
int hn_curve_piece(const hn_law *law, double x);
double hn_curve_kink(const hn_law *law, int k);
hn_law_value hn_curve_evaluate(const hn_law *law, int piece, double x);

// law_inputs.c: a law that uses inputs at x, and at its variables (holon/law.h).
hn_law_value hn_law_evaluate_with_inputs(const hn_law *law, double x);
double hn_law_evaluate_many_with_inputs(const hn_law *law, const double *variables,
                                        double *gradient);

// law.c, for law_inputs.c: checks of a formula and its names, a zeroed law with `extra` bytes.
hn_status hn_law_check_variables(const char *const *variables, int count, hn_error *error);
hn_status hn_law_formula_of_variables(const char *text, const char *const *variables, int count,
                                      const hn_formula_names *beside, const hn_allocator *allocator,
                                      hn_law **law,
                                      hn_error *error); // without inputs
hn_status hn_law_check_program(const hn_program *program, const char *text, hn_error *error);
hn_status hn_law_allocate(size_t extra, hn_law_kind kind, const hn_allocator *allocator,
                          hn_law **law, hn_error *error);

// The most breakpoints a formula has: three laws of one force can be frozen together in one int.
#define HN_LAW_KINKS 1280
// Finds the breakpoints of a formula of one variable, in increasing order; gives their number. With
// no_jumps those where the value jumps are left out.
int hn_law_find_kinks(const hn_program *program, int no_jumps, double kinks[HN_LAW_KINKS]);
// Where branches are chosen for x by the piece from low to high (either may be infinite): x itself,
// or the nearest place well inside.
double hn_law_inside(double low, double high, double x);

#endif
