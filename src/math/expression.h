// Formulas: text is compiled once into a short postfix program, which is then evaluated without
// allocation and with exact derivatives. Used by laws, by the arithmetic of model files and by
// outputs, whose variables are dotted names of signals ("body.chassis.position.z").
//
// The language, loosest first:
//   a if c else b     or     and     not     < <= > >= == !=     + -     * /     - (sign)     ^
// ^ groups to the right, so that -x^2 is -(x^2) and 2^-x is allowed; comparisons do not chain.
// Conditions are numbers: 0 is false, anything else true; comparisons give 0 or 1.
// Functions: sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log sqrt abs sign floor ceil
// hypot(x, y) mod(x, y) (sign of y) step(x) (0 below 0, 1 from 0), min and max of two or more.
// Constants: pi, e. A name is letters, digits and underscores, with single dots inside; bytes above
// 127 count as letters.
//
// Where a function is not smooth, its derivative is that of the active branch: abs at 0 as for
// x > 0, min and max of equal values as for the first. A domain error (log of -1) gives NaN, which
// is never lost on the way: min, max, comparisons and choices by it are NaN too. A branch that is
// not chosen has no influence: `sqrt(x) if x > 0 else 0` is 0 at -1, also its derivatives.
//
// Text is untrusted: its length, nesting and size of program are bounded. Units are not known here.
#ifndef HN_MATH_EXPRESSION_H
#define HN_MATH_EXPRESSION_H

#include "base/arena.h"
#include "holon/base.h"

#define HN_EXPRESSION_LENGTH 16384      // bytes of text
#define HN_EXPRESSION_NESTING 64        // parentheses, signs, powers and choices within each other
#define HN_EXPRESSION_INSTRUCTIONS 1024 // numbers, variables and operations
#define HN_EXPRESSION_USED 512          // different variables
#define HN_EXPRESSION_DERIVATIVE_COUNT 16 // different variables for a gradient

// A compiled formula: one block of memory without pointers into itself, so it may be copied.
typedef struct hn_expression hn_expression;

// How names of variables are found. A zeroed struct knows none.
typedef struct hn_expression_names {
  // The index of a variable (>= 0), or -1, which ends the compilation. The name is not terminated.
  // After success it is asked for the constants that were used: they must not be variables as well.
  int (*find)(const void *context, const char *name, size_t length);
  const void *context;
  const char *const *words; // what find knows, to suggest the nearest; may be null
  int word_count;
  const struct hn_lookup *const *tables; // that are called by their names (math/lookup.h)
  int table_count;
} hn_expression_names;

// Compiles length bytes of text. On failure *expression is null, and *error (may be null) has the
// status HN_ERROR_SYNTAX, HN_ERROR_LIMIT or HN_ERROR_MEMORY, the column in the text (from 1,
// counted in characters), what was expected, and for an unknown name the nearest word.
hn_status hn_expression_compile(const char *text, size_t length, const hn_expression_names *names,
                                hn_arena *arena, const hn_expression **expression, hn_error *error);
// The indices of the variables it uses, each once, in order of first appearance.
const int *hn_expression_used(const hn_expression *expression, int *count);

// values[i] is the variable of index i.
double hn_expression_evaluate(const hn_expression *expression, const double *values);
// The branches of a formula whose switches are marked, a bit each.
#define HN_EXPRESSION_BITS 8
unsigned hn_expression_decide(const hn_expression *expression, const double *values);
// A number that changes where tables of the formula bend (math/lookup.h) and, with bits, decisions do.
unsigned hn_expression_guard(const hn_expression *expression, const double *values, int with_bits);
// With the gradient by the n used variables, in the order of hn_expression_used, on these branches also
// where others hold (null: on those that hold). NaN when n is above HN_EXPRESSION_DERIVATIVE_COUNT.
double hn_expression_evaluate_gradient(const hn_expression *expression, const unsigned *decisions,
                                       const double *values, double *gradient);
// Value and first three derivatives where each variable is a function of one parameter: series[i] holds
// its value and three derivatives.
void hn_expression_evaluate_series(const hn_expression *expression, double (*series)[4],
                                   double derivatives[4]);

// Whether text is a well-formed name (keywords are not).
int hn_expression_is_name(const char *text, size_t length);
// Whether a name is taken by the language (function, constant, keyword), so that a variable of this
// name would be misread.
int hn_expression_is_reserved(const char *name, size_t length);

// Reads an unsigned decimal number ("12", "0.5", ".5e-3") at the start of text, whatever the
// locale: the bytes it takes, 0 if there is no number. Infinite when too large to represent or
// written with more than HN_NUMBER_LENGTH bytes.
#define HN_NUMBER_LENGTH 255
size_t hn_number_read(const char *text, size_t length, double *value);

#endif
