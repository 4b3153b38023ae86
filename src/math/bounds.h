// Bounds of functions over intervals (interval arithmetic): formulas, laws and tables, with bounds of
// the derivative along one parameter. Nothing is sampled: the function stays inside for every value of
// its variables.
//
// Each operation encloses its value by monotone pieces and extrema, and its derivative by the chain
// rule. Results are rounded outward by a few units in the last place. Bounds widen where a variable
// appears several times; they shrink to the function as the interval does. At a jump the derivative is
// unbounded. Where a function is undefined, only its defined part is enclosed.
//
// Moore, Kearfott, Cloud: Introduction to Interval Analysis, SIAM 2009.
#ifndef HN_MATH_BOUNDS_H
#define HN_MATH_BOUNDS_H

#include "math/expression.h"
#include "math/law.h"

typedef struct hn_interval {
  double low, high;
} hn_interval;

// Bounds of a value and of its derivative along the parameter.
typedef struct hn_bounds {
  hn_interval value, slope;
} hn_bounds;

static inline hn_interval hn_interval_at(double x) { return (hn_interval){x, x}; }
static inline double hn_interval_width(hn_interval u) { return u.high - u.low; }

// Operations with the numbers of hn_unary and hn_binary (expression_code.h). *switches (in/out) counts
// those that may take another branch inside.
hn_bounds hn_bounds_unary(int operation, hn_bounds u, int *switches);
hn_bounds hn_bounds_binary(int operation, hn_bounds u, hn_bounds v, int *switches);

typedef struct hn_branching {
  int switches; // operations that may take another branch inside
  int marked;   // ... of these, those with a bit (hn_law_guard) and tables that bend
} hn_branching;

// A compiled formula. variables: by their indices. branching: filled, may be null.
hn_bounds hn_expression_bounds(const hn_expression *expression, const hn_bounds *variables,
                               hn_branching *branching);
// The same in mean value form: `center` has the variables at the middle of the parameter interval,
// `radius` is half its width. Every value lies within its value there and its slopes, which keeps
// differences of variables that move together narrow.
hn_bounds hn_law_bounds_about(const hn_law *law, const hn_bounds *variables, const double *center,
                              double radius);
// A polynomial c[0] + c[1] s + ... (count) at s = u.
hn_bounds hn_polynomial_bounds(const double *c, int count, hn_bounds u);
// A law of one variable without formula (a polynomial, pieces, a table) at x = u.
hn_bounds hn_curve_bounds(const hn_law *law, hn_bounds u, hn_branching *branching);
// Any law: of its variables and then the inputs it uses, in their order.
hn_bounds hn_law_bounds(const hn_law *law, const hn_bounds *variables, hn_branching *branching);
// The value of any law at its variables and inputs.
double hn_law_value_of(const hn_law *law, const double *variables);
// How many variables and inputs a law has.
int hn_law_variable_count(const hn_law *law);
int hn_law_reads(const hn_law *law, int variable); // 1: it depends on this one
// 1: a polynomial of low degree in all of them: it has no feature that is narrower than their range.
int hn_law_is_plain(const hn_law *law);
int hn_law_is_plain_on_branches(const hn_law *law); // ... as long as no operation switches
int hn_law_has_plain_pieces(const hn_law *law);     // ... of each piece, and there are no others

#endif
