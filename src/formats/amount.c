// Arithmetic on numbers that carry dimensions: recursive descent over (value, dimension).
//
// Tokens, functions and operators are those of the expression compiler, so that a formula means the
// same here and in a law. Out of scope: derivatives, and what names mean.
#include "formats/amount.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "math/expression_code.h"

typedef struct reader {
  const hn_calculation *c;
  hn_token token;
  hn_status status; // the first failure; everything after it is skipped
  hn_error *error;
  int own_depth, *depth;
  size_t copied; // bytes of the copy
} reader;

static const hn_amount nothing = {.kind = HN_AMOUNT_NUMBER};

static hn_amount number(double value) {
  hn_amount q = nothing;
  q.value = value;
  return q;
}

// ---- errors and the copy ------------------------------------------------------------------------

static hn_source place_of(const reader *r, size_t position) {
  hn_source place = r->c->place;
  if (r->c->shift >= 0 && place.line > 0)
    place.column += r->c->shift + hn_token_column(r->c->text, position) - 1;
  return place;
}

static hn_amount fail(reader *r, size_t position, const char *hint, const char *message) {
  if (r->status) return nothing;
  hn_source place = place_of(r, position);
  r->status = hn_fail(r->error, HN_ERROR_SYNTAX, &place, NULL, hint, "%s", message);
  return nothing;
}

static void write_copy(reader *r, const char *text, size_t length) {
  if (!r->c->copy || r->status) return;
  if (r->copied + length + 2 > r->c->copy_size) {
    char message[64];
    fail(r, 0, "Shorten it.",
         hn_text(message, sizeof message, "the formula is longer than %zu bytes", r->c->copy_size));
    return;
  }
  memcpy(r->c->copy + r->copied, text, length);
  r->copied += length;
  r->c->copy[r->copied++] = ' ';
  r->c->copy[r->copied] = '\0';
}

static void write_value(reader *r, double value) {
  char text[48];
  text[0] = '(';
  size_t length = hn_number_write(value, text + 1, sizeof text - 2) + 1;
  text[length++] = ')';
  write_copy(r, text, length);
}

size_t hn_number_write(double value, char *buffer, size_t size) {
  int length = snprintf(buffer, size, "%.17g", value);
  for (int k = 0; k < length; k++) // the decimal point of the locale
    if (!strchr("0123456789+-eEinfa", buffer[k])) buffer[k] = '.';
  return length > 0 ? (size_t)length : 0;
}

static void advance(reader *r) {
  r->token = hn_token_next(r->c->text, r->c->length, r->token.start + r->token.length);
}

// Takes the token into the copy unmodified and continues.
static void accept_unit(reader *r) {
  write_copy(r, r->c->text + r->token.start, r->token.length);
  advance(r);
}

// Counts how deep the recursion is, through parameters too; 0 when it is too deep.
static int descend(reader *r) {
  if (++*r->depth <= HN_CALCULATION_DEPTH) return 1;
  char message[96];
  fail(r, r->token.start, "Split it up: give parts of it a name under `parameters:`.",
       hn_text(message, sizeof message, "the formula is nested more than %d deep",
               HN_CALCULATION_DEPTH));
  return 0;
}

// ---- dimensions ---------------------------------------------------------------------------------

// Both sides of a sum, a comparison or a choice; *kind of the result is that of the better known.
static hn_amount unify(reader *r, hn_amount a, hn_amount b, size_t position, const char *what) {
  int both = a.kind >= HN_AMOUNT_VARIABLE && b.kind >= HN_AMOUNT_VARIABLE;
  if (both && !hn_dimension_equal_without_angles(a.dimension, b.dimension)) {
    char first[64], second[64], message[256];
    hn_dimension_text(a.dimension, first, sizeof first);
    hn_dimension_text(b.dimension, second, sizeof second);
    fail(r, position,
         a.kind == HN_AMOUNT_VARIABLE || b.kind == HN_AMOUNT_VARIABLE
             ? "Give one side a gain: 'x + 0.1*v', or one with a unit: 'x + (0.1 s)*v'."
             : "Both sides need the same dimension; check the units of the parameters.",
         hn_text(message, sizeof message,
                 "the two sides of %s have different dimensions: %s and %s", what, first, second));
  }
  hn_amount result = a.kind >= b.kind ? a : b;
  if (both && result.dimension.angle == 0)
    result.dimension.angle = a.dimension.angle + b.dimension.angle;
  result.direct = 0;
  if (result.kind == HN_AMOUNT_UNTYPED)
    result.apparent = a.apparent && b.apparent && hn_dimension_equal(a.dimension, b.dimension);
  return result;
}

static int has_apparent(const hn_amount *a) {
  return a->kind == HN_AMOUNT_TYPED || (a->kind == HN_AMOUNT_UNTYPED && a->apparent);
}

static hn_amount scale(hn_amount a, hn_amount b, double exponent, double value) {
  hn_amount result = number(value);
  // a gain with a unit says what it makes of x, v, t or a signal
  const int is_gain = (a.kind == HN_AMOUNT_TYPED && b.kind == HN_AMOUNT_VARIABLE) ||
                      (a.kind == HN_AMOUNT_VARIABLE && b.kind == HN_AMOUNT_TYPED);
  int loose = a.kind == HN_AMOUNT_UNTYPED || a.kind == HN_AMOUNT_VARIABLE ||
              b.kind == HN_AMOUNT_UNTYPED || b.kind == HN_AMOUNT_VARIABLE;
  if (is_gain) {
    result.kind = HN_AMOUNT_TYPED;
  } else if (loose) {
    result.kind = HN_AMOUNT_UNTYPED;
    result.apparent = has_apparent(&a) && has_apparent(&b);
  } else if (a.kind == HN_AMOUNT_TYPED || b.kind == HN_AMOUNT_TYPED) {
    result.kind = HN_AMOUNT_TYPED;
  }
  if (result.kind == HN_AMOUNT_TYPED || result.apparent)
    result.dimension =
        hn_dimension_multiply(a.dimension, hn_dimension_power(b.dimension, exponent));
  return result;
}

static hn_amount raise(reader *r, hn_amount base, hn_amount exponent, size_t position) {
  hn_amount result = number(hn_binary_value(HN_BINARY_POWER, base.value, exponent.value));
  if (exponent.kind == HN_AMOUNT_TYPED && !hn_dimension_is_number(exponent.dimension)) {
    char unit[64], message[128];
    return fail(r, position, "Use a plain number as exponent.",
                hn_text(message, sizeof message, "the exponent has the dimension %s",
                        hn_dimension_text(exponent.dimension, unit, sizeof unit)));
  }
  if (base.kind == HN_AMOUNT_NUMBER) return result;
  result.kind = HN_AMOUNT_UNTYPED;
  if (base.kind == HN_AMOUNT_TYPED && exponent.kind != HN_AMOUNT_VARIABLE) {
    result.kind = HN_AMOUNT_TYPED;
    result.dimension = hn_dimension_power(base.dimension, exponent.value);
  }
  return result;
}

// ---- functions ----------------------------------------------------------------------------------

typedef struct function {
  const char *name;
  int operation;
  int most; // arguments
} function;

static const function unary_functions[] = {
#define UNARY_ROW(operation, name) {name, operation, 1},
    HN_UNARY_FUNCTION_LIST(UNARY_ROW)
#undef UNARY_ROW
};
static const function binary_functions[] = {
#define BINARY_ROW(operation, name, more) {name, operation, (more) ? 1000 : 2},
    HN_BINARY_FUNCTION_LIST(BINARY_ROW)
#undef BINARY_ROW
};

static const function *find_function(const function *list, size_t count, const char *name,
                                     size_t length) {
  for (size_t k = 0; k < count; k++)
    if (strlen(list[k].name) == length && memcmp(list[k].name, name, length) == 0) return &list[k];
  return NULL;
}

// Of numbers or angles only, unless literals fit everywhere.
static void need_number(reader *r, const hn_amount *argument, const char *name, size_t position) {
  if (argument->kind != HN_AMOUNT_TYPED || r->c->loose ||
      hn_dimension_equal_without_angles(argument->dimension, (hn_dimension){0, 0, 0, 0}))
    return;
  char unit[64], message[128];
  fail(r, position, "Divide by a unit first, for instance x/1 m.",
       hn_text(message, sizeof message, "%s() takes a plain number or an angle, not %s", name,
               hn_dimension_text(argument->dimension, unit, sizeof unit)));
}

static hn_amount apply_unary(reader *r, const function *f, hn_amount x, size_t position) {
  hn_unary operation = (hn_unary)f->operation;
  hn_amount result = number(hn_unary_value(operation, x.value));
  switch (operation) {
  case HN_UNARY_NEGATE:
  case HN_UNARY_ABS:
  case HN_UNARY_FLOOR:
  case HN_UNARY_CEIL:
    result.kind = x.kind;
    result.dimension = x.dimension;
    break;
  case HN_UNARY_SQRT:
    result.kind = x.kind == HN_AMOUNT_VARIABLE ? HN_AMOUNT_UNTYPED : x.kind;
    result.dimension = hn_dimension_power(x.dimension, 0.5);
    break;
  case HN_UNARY_SIN:
  case HN_UNARY_COS:
  case HN_UNARY_TAN:
  case HN_UNARY_ASIN:
  case HN_UNARY_ACOS:
  case HN_UNARY_ATAN:
  case HN_UNARY_SINH:
  case HN_UNARY_COSH:
  case HN_UNARY_TANH:
  case HN_UNARY_EXP:
  case HN_UNARY_CUBIC:
  case HN_UNARY_QUINTIC:
  case HN_UNARY_LOG: need_number(r, &x, f->name, position); break;
  case HN_UNARY_NOT:
  case HN_UNARY_SIGN:
  case HN_UNARY_STEP: break;
  }
  if (r->c->loose && result.kind == HN_AMOUNT_NUMBER) result.kind = HN_AMOUNT_UNTYPED;
  return result;
}

static hn_amount apply_binary(reader *r, const function *f, hn_amount x, hn_amount y,
                              size_t position) {
  hn_amount result = unify(r, x, y, position, f->name);
  if (f->operation == HN_BINARY_ATAN2) result = number(0);
  result.value = hn_binary_value((hn_binary)f->operation, x.value, y.value);
  return result;
}

// ---- grammar, loosest last ----------------------------------------------------------------------

static hn_amount read_formula(reader *r);

// A number is followed by a name that is no unit.
static hn_amount report_unit(reader *r, double value) {
  char name[64], message[200], hint[320];
  size_t length = r->token.length < 63 ? r->token.length : 63;
  hn_text(name, sizeof name, "%.*s", (int)length, r->c->text + r->token.start);
  const char *nearest = hn_unit_nearest(name);
  if (nearest && strcmp(nearest, name) != 0) // the same: a variable that hides the unit
    hn_text(hint, sizeof hint, "Did you mean %.6g %s?", value, nearest);
  else
    hn_text(hint, sizeof hint,
            "Units are m mm cm km in ft, kg g t lb, s ms min h, rad deg rev, N kN lbf, Nm, Pa MPa "
            "bar, J W, Hz rpm, mph and products of them (N s/m); to multiply by a parameter write "
            "2*L.");
  hn_text(message, sizeof message, "%g is followed by '%s', which is not a unit", value, name);
  return fail(r, r->token.start, hint, message);
}

// 2, 3 ... 9, 1/2 and 1/4 as factors: not used to convert units.
static int converts_nothing(double value) {
  return (value == floor(value) && value >= 1 && value <= 9) || value == 0.5 || value == 0.25;
}

static hn_amount read_literal(reader *r) {
  hn_amount result = number(r->token.number);
  if (r->c->loose) result.kind = HN_AMOUNT_UNTYPED;
  result.apparent = r->c->loose && converts_nothing(result.value);
  advance(r);
  if (r->token.kind == HN_TOKEN_NAME) {
    double factor;
    const char *problem;
    size_t length = hn_unit_read(r->c->text + r->token.start, r->c->length - r->token.start,
                                 r->c->is_own, r->c->context, &factor, &result.dimension, &problem);
    if (problem)
      return fail(r, r->token.start, "See the table of units in docs/reference/model/units.md.",
                  problem);
    if (length == 0) return report_unit(r, result.value);
    result.value *= factor;
    result.kind = HN_AMOUNT_TYPED;
    result.direct = 1;
    r->token.length = length;
    advance(r);
  }
  write_value(r, result.value);
  return result;
}

static hn_amount not_closed(reader *r) {
  return fail(r, r->token.start,
              "Count the parentheses; within [ ] and { } a formula with a comma needs quotes.",
              "a parenthesis is not closed");
}

// A function made of others: every second argument from the first on is of the kind of x, the others
// of that of the result; frequencies of a chirp are not compared.
static hn_amount read_composed(reader *r, const char *name, size_t length, size_t position) {
  hn_amount a[HN_COMPOSED_ARGUMENTS];
  int count = 0;
  write_copy(r, name, length);
  accept_unit(r); // (
  for (;;) {
    hn_amount next = read_formula(r);
    if (r->status) return nothing;
    if (count < HN_COMPOSED_ARGUMENTS) a[count] = next;
    count++;
    if (r->token.kind != HN_TOKEN_COMMA) break;
    accept_unit(r);
  }
  if (r->token.kind != HN_TOKEN_CLOSE) return not_closed(r);
  const hn_composed *f = hn_composed_find(name, length, count);
  char message[160];
  if (!f)
    return fail(r, position, hn_composed_names(),
                hn_text(message, sizeof message, "%.*s() does not accept %d argument%s",
                        (int)length, name, count, count == 1 ? "" : "s"));
  accept_unit(r);
  double values[HN_COMPOSED_ARGUMENTS];
  hn_instruction code[HN_COMPOSED_CODE];
  for (int k = 0; k < count; k++) values[k] = a[k].value;
  hn_amount result = number(0);
  if (r->c->loose) result.kind = HN_AMOUNT_UNTYPED;
  for (int k = 0; f->kinds[k]; k++)
    for (int j = 0; j < k; j++)
      if (f->kinds[j] == f->kinds[k]) {
        hn_amount same = unify(r, a[j], a[k], position, f->name);
        if (f->kinds[k] == 'y') result = same;
      }
  result.direct = 0;
  result.value = hn_program_value(code, hn_composed_code(f, code), values);
  return r->status ? nothing : result;
}

// A table's value has no known dimension, and no constant value.
static hn_amount read_table(reader *r, const char *spelling, int arguments, size_t position) {
  int count = 0;
  char message[160];
  write_copy(r, spelling, strlen(spelling));
  do {
    accept_unit(r); // ( or ,
    read_formula(r);
    if (r->status) return nothing;
    count++;
  } while (r->token.kind == HN_TOKEN_COMMA);
  if (r->token.kind != HN_TOKEN_CLOSE) return not_closed(r);
  if (count != arguments)
    return fail(r, position, "Give one argument, or two if the table is over x and y.",
                hn_text(message, sizeof message, "the table %.80s takes %d argument%s, got %d",
                        spelling, arguments, arguments == 1 ? "" : "s", count));
  accept_unit(r);
  hn_amount result = number(0.5);
  result.kind = HN_AMOUNT_UNTYPED;
  return result;
}

static int is_composed(const reader *r, const char *name, size_t length);

static hn_amount read_call(reader *r, const char *name, size_t length, size_t position) {
  const char *spelling = NULL;
  int arguments = r->c->table ? r->c->table(r->c->context, name, length, &spelling) : 0;
  if (arguments > 0) return read_table(r, spelling, arguments, position);
  if (is_composed(r, name, length)) return read_composed(r, name, length, position);
  const function *unary = find_function(
      unary_functions, sizeof unary_functions / sizeof *unary_functions, name, length);
  const function *binary = find_function(
      binary_functions, sizeof binary_functions / sizeof *binary_functions, name, length);
  const function *f = unary ? unary : binary;
  char message[160];
  if (!f)
    return fail(
        r, position,
        "Use one of: sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max "
        "floor ceil hypot mod step limit ramp step5 haversine chirp, or a table (`tables:`).",
        hn_text(message, sizeof message, "unknown function '%.*s'",
                (int)(length < 63 ? length : 63), name));
  write_copy(r, name, length);
  accept_unit(r); // (
  hn_amount result = read_formula(r);
  int count = 1;
  if (unary) result = apply_unary(r, f, result, position);
  while (r->token.kind == HN_TOKEN_COMMA && !r->status && count < f->most) {
    accept_unit(r);
    hn_amount next = read_formula(r);
    if (!r->status) result = apply_binary(r, f, result, next, position);
    count++;
  }
  if (r->status) return nothing;
  if (r->token.kind != HN_TOKEN_CLOSE && r->token.kind != HN_TOKEN_COMMA) return not_closed(r);
  if (r->token.kind == HN_TOKEN_COMMA || (binary && count < 2))
    return fail(r, position, "See docs/reference/model/units.md for the functions.",
                hn_text(message, sizeof message, "%s() takes %s", f->name,
                        unary         ? "1 argument"
                        : f->most > 2 ? "2 or more arguments"
                                      : "2 arguments"));
  accept_unit(r);
  return result;
}

// `step` has one argument or five: a comma at this level of parentheses decides.
static int is_composed(const reader *r, const char *name, size_t length) {
  if (!hn_composed_known(name, length)) return 0;
  if (!find_function(unary_functions, sizeof unary_functions / sizeof *unary_functions, name,
                     length))
    return 1;
  int depth = 0;
  for (hn_token t = r->token; t.kind != HN_TOKEN_END;
       t = hn_token_next(r->c->text, r->c->length, t.start + t.length)) {
    depth += (t.kind == HN_TOKEN_OPEN) - (t.kind == HN_TOKEN_CLOSE);
    if (depth == 0) return 0;
    if (depth == 1 && t.kind == HN_TOKEN_COMMA) return 1;
  }
  return 0;
}

static hn_amount read_name(reader *r) {
  const char *name = r->c->text + r->token.start;
  size_t length = r->token.length, position = r->token.start;
  advance(r);
  if (r->token.kind == HN_TOKEN_OPEN) return read_call(r, name, length, position);
  int is_pi = length == 2 && memcmp(name, "pi", 2) == 0, is_e = length == 1 && name[0] == 'e';
  if (is_pi || is_e) {
    hn_amount constant = number(is_pi ? hn_acos(-1.0) : hn_exp(1.0));
    if (r->c->loose) constant.kind = HN_AMOUNT_UNTYPED;
    write_copy(r, name, length);
    return constant;
  }
  if (hn_expression_is_reserved(name, length))
    return fail(r, position, "Write the argument in parentheses: sin(x).",
                "a function without an argument");
  hn_named_amount found = {nothing, NULL};
  hn_source place = place_of(r, position);
  hn_status status = r->c->find(r->c->context, name, length, &place, &found, r->error);
  if (status) {
    r->status = status;
    return nothing;
  }
  if (found.spelling)
    write_copy(r, found.spelling, strlen(found.spelling));
  else
    write_value(r, found.amount.value);
  return found.amount;
}

static hn_amount read_primary(reader *r) {
  if (r->token.kind == HN_TOKEN_NUMBER) return read_literal(r);
  if (r->token.kind == HN_TOKEN_NAME) return read_name(r);
  if (r->token.kind == HN_TOKEN_OPEN) {
    accept_unit(r);
    hn_amount result = read_formula(r);
    if (r->status) return nothing;
    if (r->token.kind != HN_TOKEN_CLOSE) return not_closed(r);
    accept_unit(r);
    return result;
  }
  if (r->token.kind == HN_TOKEN_END)
    return fail(r, r->token.start, "Give a number, a name or a formula.",
                r->c->length == 0 ? "the formula has no number" : "the formula ends too early");
  char message[96];
  return fail(r, r->token.start, "Give a number, a name or a formula; powers are written x^2.",
              hn_text(message, sizeof message, "a number or a name is missing before '%.*s'",
                      (int)r->token.length, r->c->text + r->token.start));
}

static hn_amount read_sign(reader *r);

static hn_amount read_power(reader *r) {
  hn_amount base = read_primary(r);
  if (r->status || r->token.kind != HN_TOKEN_POWER) return base;
  size_t position = r->token.start;
  accept_unit(r);
  if (!descend(r)) return nothing;
  hn_amount exponent = read_sign(r);
  --*r->depth;
  return r->status ? nothing : raise(r, base, exponent, position);
}

static hn_amount read_sign(reader *r) {
  int negative = 0;
  while (r->token.kind == HN_TOKEN_PLUS || r->token.kind == HN_TOKEN_MINUS) {
    negative ^= r->token.kind == HN_TOKEN_MINUS;
    advance(r);
  }
  if (negative) write_copy(r, "-", 1);
  hn_amount result = read_power(r);
  if (negative) result.value = -result.value;
  return result;
}

static hn_amount read_product(reader *r) {
  hn_amount result = read_sign(r);
  while (!r->status && (r->token.kind == HN_TOKEN_TIMES || r->token.kind == HN_TOKEN_DIVIDE)) {
    int times = r->token.kind == HN_TOKEN_TIMES;
    accept_unit(r);
    hn_amount next = read_sign(r);
    result = scale(result, next, times ? 1 : -1,
                   times ? result.value * next.value : result.value / next.value);
  }
  return result;
}

static hn_amount read_sum(reader *r) {
  hn_amount result = read_product(r);
  while (!r->status && (r->token.kind == HN_TOKEN_PLUS || r->token.kind == HN_TOKEN_MINUS)) {
    int plus = r->token.kind == HN_TOKEN_PLUS;
    size_t position = r->token.start;
    accept_unit(r);
    hn_amount next = read_product(r);
    double value = plus ? result.value + next.value : result.value - next.value;
    if (!r->status) result = unify(r, result, next, position, plus ? "+" : "-");
    result.value = value;
  }
  return result;
}

static hn_amount read_comparison(reader *r) {
  hn_amount result = read_sum(r);
  hn_token_kind kind = r->token.kind;
  if (r->status || kind < HN_TOKEN_LESS || kind > HN_TOKEN_NOT_EQUAL) return result;
  size_t position = r->token.start;
  accept_unit(r);
  hn_amount next = read_sum(r);
  if (r->status) return nothing;
  unify(r, result, next, position, "the comparison");
  hn_binary operation = (hn_binary)((int)HN_BINARY_LESS + (int)(kind - HN_TOKEN_LESS));
  return number(hn_binary_value(operation, result.value, next.value));
}

static hn_amount read_not(reader *r) {
  int count = 0;
  while (r->token.kind == HN_TOKEN_NOT) {
    advance(r);
    count++;
  }
  for (int k = count & 1 ? 1 : count > 0 ? 2 : 0; k > 0; k--) write_copy(r, "not", 3);
  hn_amount result = read_comparison(r);
  if (count == 0) return result;
  double value = hn_unary_value(HN_UNARY_NOT, result.value);
  return number(count & 1 ? value : hn_unary_value(HN_UNARY_NOT, value));
}

static hn_amount read_and(reader *r) {
  hn_amount result = read_not(r);
  while (!r->status && r->token.kind == HN_TOKEN_AND) {
    accept_unit(r);
    hn_amount next = read_not(r);
    result = number(hn_binary_value(HN_BINARY_AND, result.value, next.value));
  }
  return result;
}

static hn_amount read_or(reader *r) {
  hn_amount result = read_and(r);
  while (!r->status && r->token.kind == HN_TOKEN_OR) {
    accept_unit(r);
    hn_amount next = read_and(r);
    result = number(hn_binary_value(HN_BINARY_OR, result.value, next.value));
  }
  return result;
}

static hn_amount read_formula(reader *r) {
  if (!descend(r)) return nothing;
  hn_amount result = read_or(r);
  if (!r->status && r->token.kind == HN_TOKEN_IF) {
    size_t position = r->token.start;
    accept_unit(r);
    hn_amount condition = read_or(r);
    if (!r->status && r->token.kind != HN_TOKEN_ELSE)
      fail(r, r->token.start, "Write `a if condition else b`.", "`else` is missing");
    if (!r->status) {
      accept_unit(r);
      hn_amount other = read_formula(r);
      int choice = hn_choice(condition.value);
      double value = choice < 0 ? NAN : choice ? result.value : other.value;
      if (!r->status) result = unify(r, result, other, position, "the choice");
      result.value = value;
    }
  }
  --*r->depth;
  return result;
}

hn_status hn_calculate(const hn_calculation *calculation, hn_amount *result, hn_error *error) {
  reader r = {.c = calculation, .error = error};
  r.depth = calculation->depth ? calculation->depth : &r.own_depth;
  int depth = *r.depth;
  if (calculation->copy) calculation->copy[0] = '\0';
  advance(&r);
  *result = read_formula(&r);
  if (!r.status && r.token.kind != HN_TOKEN_END) {
    char message[96];
    size_t length = r.token.length < 40 ? r.token.length : 40;
    fail(&r, r.token.start, "Write an operator (+ - * / ^) between two numbers or names.",
         hn_text(message, sizeof message, "unexpected '%.*s' after the end of the formula",
                 (int)length, calculation->text + r.token.start));
  }
  *r.depth = depth;
  if (r.status) *result = nothing;
  return r.status;
}

// ---- what fits ----------------------------------------------------------------------------------

int hn_amount_fits(const hn_amount *amount, hn_meaning meaning) {
  if (amount->kind != HN_AMOUNT_TYPED || meaning >= HN_MEANINGS) return 1;
  hn_dimension wanted = hn_meaning_dimension(meaning), got = amount->dimension;
  if (!hn_dimension_equal_without_angles(got, wanted)) return 0;
  if (!amount->direct || hn_dimension_equal(got, wanted)) return 1;
  // Written out: N m serves for N m/rad, but Hz are not rad/s and degrees not a plain number.
  return got.angle == 0 && (wanted.length != 0 || wanted.mass != 0);
}

const char *hn_amount_text(const hn_amount *amount, const char *written, char *buffer,
                           size_t size) {
  char unit[64];
  int is_literal = amount->direct && strchr("+-.0123456789", written[0]) != NULL;
  if (is_literal && strlen(written) < 32) return hn_text(buffer, size, "%s", written);
  hn_dimension_text(amount->dimension, unit, sizeof unit);
  return hn_text(buffer, size, "%.6g %s from '%.60s'", amount->value, unit, written);
}
