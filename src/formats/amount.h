// Arithmetic on numbers that carry dimensions: for texts like "2*pi*r" and "k*(x - free)".
//
// The language is that of math/expression.h (same words, same operators), with two additions: a
// number may be followed by a blank and a unit, and names are found by the caller. The value is
// computed while reading; on request the text is written again with every name replaced by its
// value, for laws and outputs that are compiled with derivatives.
//
// How dimensions combine:
//   number    made of literals; in sums it takes the dimension of the other side, in products it is
//             a pure number, as a result it is taken in SI of what is expected
//   untyped   a plain number under a name; the same, but a product with it fits everywhere
//   typed     has a dimension: sums need equal ones, products and powers combine them
//   variable  x, v, t of a law, signals: checked in sums; in products with plain numbers and with each
//             other free, with what is typed they give what is typed: a gain with a unit is checked
#ifndef HN_FORMATS_AMOUNT_H
#define HN_FORMATS_AMOUNT_H

#include "formats/unit.h"

typedef enum hn_amount_kind {
  HN_AMOUNT_NUMBER,
  HN_AMOUNT_UNTYPED,
  HN_AMOUNT_VARIABLE,
  HN_AMOUNT_TYPED
} hn_amount_kind;

typedef struct hn_amount {
  double value; // SI
  hn_amount_kind kind;
  hn_dimension dimension; // variable, typed, apparent
  int direct;             // a literal with its unit, not a result of arithmetic
  int apparent; // untyped: made of dimensions and of numbers that convert no unit (2, 1/2)
} hn_amount;

// The value of a name. spelling: its text in the copy; null writes the value.
typedef struct hn_named_amount {
  hn_amount amount;
  const char *spelling;
} hn_named_amount;

#define HN_CALCULATION_DEPTH 100 // parentheses, powers and parameters within each other

typedef struct hn_calculation {
  const char *text;
  size_t length;
  hn_source place; // of the text
  int shift;       // columns from there to the first character; -1: not known (folded text)
  int loose;       // literals fit everywhere: laws and outputs
  // Fills *found, or says why not in *error.
  hn_status (*find)(void *context, const char *name, size_t length, const hn_source *place,
                    hn_named_amount *found, hn_error *error);
  // How many arguments a table of this name takes (0: no such table), and how it is written in the
  // copy; may be null.
  int (*table)(void *context, const char *name, size_t length, const char **spelling);
  hn_own_name is_own; // a name that may not be read as a further part of a unit; may be null
  void *context;
  int *depth; // counts through parameters that lead to parameters; may be null
  char *copy; // the text with names replaced (copy_size bytes), or null
  size_t copy_size;
} hn_calculation;

hn_status hn_calculate(const hn_calculation *calculation, hn_amount *result, hn_error *error);

// Whether a value may stand where `meaning` is expected.
int hn_amount_fits(const hn_amount *amount, hn_meaning meaning);
// "5 N" for messages: as written when that is short and has a unit, else value and unit.
const char *hn_amount_text(const hn_amount *amount, const char *written, char *buffer, size_t size);
// A number so that reading it gives the same bits, whatever the locale. Returns its length.
size_t hn_number_write(double value, char *buffer, size_t size);

#endif
