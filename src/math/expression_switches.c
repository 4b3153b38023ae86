// Switching surfaces of a formula of several variables: its operations that choose between two
// branches, one bit each.
//
//   abs, sign, step     by the sign of the argument
//   min, max, < and so on   by which of the two is larger
//
// `a if c else b`, and, or, not follow from these where comparisons decide them. floor, ceil, mod
// and == have no two branches and are left to themselves. An operation that jumps (all but abs, min
// and max) gets no bit where it is decided by a speed: a model that comes to rest stays at the
// jump, where neither branch holds.
//
// Out of scope: formulas of one variable, whose breakpoints are found beforehand (law_kinks.c).
#include <math.h>

#include "math/expression_code.h"
#include "math/lookup.h"

static int is_continuous(const hn_instruction *i) {
  if (i->code == HN_CODE_UNARY) return i->operation == HN_UNARY_ABS;
  return i->operation == HN_BINARY_MIN || i->operation == HN_BINARY_MAX;
}

static int has_two_branches(const hn_instruction *i) {
  if (i->code == HN_CODE_UNARY)
    return i->operation == HN_UNARY_ABS || i->operation == HN_UNARY_SIGN ||
           i->operation == HN_UNARY_STEP;
  return i->operation == HN_BINARY_MIN || i->operation == HN_BINARY_MAX ||
         i->operation == HN_BINARY_LESS || i->operation == HN_BINARY_LESS_EQUAL ||
         i->operation == HN_BINARY_GREATER || i->operation == HN_BINARY_GREATER_EQUAL;
}

int hn_program_mark_switches(hn_program *program, int speed) {
  int by_speed[HN_EXPRESSION_STACK + 1], *top = by_speed, bits = 0;
  for (int k = 0; k < program->count; k++) {
    hn_instruction *i = &program->code[k];
    switch ((hn_code)i->code) {
    case HN_CODE_CONSTANT: *++top = 0; continue;
    case HN_CODE_VARIABLE: *++top = i->variable == speed; continue;
    case HN_CODE_SELECT:
      top -= 2;
      *top = top[0] || top[1] || top[2];
      continue;
    case HN_CODE_UNARY: break;
    case HN_CODE_BINARY:
    case HN_CODE_LOOKUP:
      top--;
      *top = top[0] || top[1];
      break;
    }
    int has_bit = has_two_branches(i) && bits < HN_EXPRESSION_BITS && (is_continuous(i) || !*top);
    i->variable = has_bit ? ++bits : 0;
  }
  return bits;
}

// One place of the stack: its value, and the bits it depends on.
typedef struct place {
  double value;
  unsigned live;
} place;

static int decides_unary(hn_unary operation, double u) {
  return operation == HN_UNARY_ABS ? u < 0 : u >= 0;
}

static int decides_binary(hn_binary operation, double u, double v) {
  if (operation == HN_BINARY_MIN) return u <= v;
  if (operation == HN_BINARY_MAX) return u >= v;
  return hn_binary_value(operation, u, v) > 0;
}

static place choose(const place *a) {
  int choice = hn_choice(a[1].value);
  place chosen = choice < 0 ? (place){NAN, 0} : choice ? a[0] : a[2];
  chosen.live |= a[1].live;
  return chosen;
}

int hn_program_bends(const hn_program *program) {
  int bends = 0;
  for (int k = 0; k < program->count; k++)
    if (program->code[k].code == HN_CODE_LOOKUP) bends += hn_lookup_bends(program->code[k].table);
  return bends;
}

// Alternatives that are not chosen have no influence: their bits are 0.
static unsigned decide(const hn_expression *expression, const double *values, unsigned *pieces) {
  place stack[HN_EXPRESSION_STACK + 1], *top = stack;
  unsigned decisions = 0;
  for (int k = 0; k < expression->count; k++) {
    const hn_instruction *i = &expression->code[k];
    unsigned bit = i->variable > 0 ? 1u << (i->variable - 1) : 0;
    int is_set = 0;
    switch ((hn_code)i->code) {
    case HN_CODE_CONSTANT: *++top = (place){i->constant, 0}; continue;
    case HN_CODE_VARIABLE: *++top = (place){values[i->variable], 0}; continue;
    case HN_CODE_SELECT:
      top -= 2;
      *top = choose(top);
      continue;
    case HN_CODE_LOOKUP:
      top--;
      *pieces = 31 * *pieces + (unsigned)hn_lookup_piece(i->table, top[0].value, top[1].value);
      *top =
          (place){hn_lookup_value(i->table, top[0].value, top[1].value), top[0].live | top[1].live};
      continue;
    case HN_CODE_UNARY:
      is_set = bit && decides_unary((hn_unary)i->operation, top->value);
      *top = (place){hn_unary_value((hn_unary)i->operation, top->value), top->live | bit};
      break;
    case HN_CODE_BINARY: {
      top--;
      double u = top[0].value, v = top[1].value;
      is_set = bit && decides_binary((hn_binary)i->operation, u, v);
      int takes_one = bit && is_continuous(i);
      unsigned live = takes_one ? top[is_set ? 0 : 1].live : top[0].live | top[1].live;
      *top = (place){hn_binary_value((hn_binary)i->operation, u, v), live | bit};
      break;
    }
    }
    if (is_set) decisions |= bit;
  }
  return decisions & top->live;
}

unsigned hn_expression_decide(const hn_expression *expression, const double *values) {
  unsigned pieces = 0;
  return decide(expression, values, &pieces);
}

unsigned hn_expression_guard(const hn_expression *expression, const double *values, int with_bits) {
  unsigned pieces = 0, bits = decide(expression, values, &pieces);
  return (pieces << HN_EXPRESSION_BITS) | (with_bits ? bits : 0);
}
