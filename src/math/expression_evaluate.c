// Running a compiled formula: value; value and gradient; value and three derivatives along one
// parameter. Forward propagation: every place of the stack carries the derivatives of its value, and
// each operation applies the chain rule with its own partial derivatives (expression_operations.c), to
// the first order for gradients and to the third along a parameter (Faa di Bruno), there also with
// branches frozen.
#include <math.h>
#include <string.h>

#include "math/expression_code.h"
#include "math/lookup.h"

double hn_expression_evaluate(const hn_expression *expression, const double *values) {
  return hn_program_value(expression->code, expression->count, values);
}

// One instruction on plain values.
static double *step(const hn_instruction *instruction, const double *values, double *top) {
  switch ((hn_code)instruction->code) {
  case HN_CODE_CONSTANT: *++top = instruction->constant; break;
  case HN_CODE_VARIABLE: *++top = values[instruction->variable]; break;
  case HN_CODE_UNARY: *top = hn_unary_value((hn_unary)instruction->operation, *top); break;
  case HN_CODE_BINARY:
    top--;
    *top = hn_binary_value((hn_binary)instruction->operation, top[0], top[1]);
    break;
  case HN_CODE_SELECT: {
    top -= 2;
    int choice = hn_choice(top[1]);
    *top = choice < 0 ? NAN : choice ? top[0] : top[2];
    break;
  }
  case HN_CODE_LOOKUP:
    top--;
    *top = hn_lookup_value(instruction->table, top[0], top[1]);
    break;
  }
  return top;
}

const double *hn_program_run(const hn_instruction *code, int count, const double *values,
                             double *stack) {
  double *top = stack;
  for (int i = 0; i < count; i++) top = step(&code[i], values, top);
  return top;
}

double hn_program_value(const hn_instruction *code, int count, const double *values) {
  double stack[HN_EXPRESSION_STACK + 1]; // one more, so that `top` above stays inside when empty
  return *hn_program_run(code, count, values, stack);
}

// A product in which 0 wins over infinity: what does not vary adds nothing, also where another part
// of the formula has a vertical tangent (sqrt(x) + v at x = 0).
static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

// ---- gradient -----------------------------------------------------------------------------------

// One place of the stack: value, gradient (n).
#define JET_SIZE (1 + HN_EXPRESSION_DERIVATIVE_COUNT)

static void jet_fill(double *jet, int n, double value, double derivatives) {
  jet[0] = value;
  for (int i = 1; i <= n; i++) jet[i] = derivatives;
}

static int jet_varies(const double *jet, int n) {
  for (int i = 1; i <= n; i++)
    if (jet[i] != 0) return 1;
  return 0;
}

static void jet_unary(hn_unary operation, double *u, int n) {
  double value = hn_unary_value(operation, u[0]), f[3];
  if (jet_varies(u, n)) {
    hn_unary_derivatives(operation, u[0], value, f);
    for (int i = 1; i <= n; i++) u[i] = times(f[0], u[i]);
  }
  u[0] = value;
}

// u becomes f(u, v), of which value and partial derivatives are given.
static void jet_compose(double value, const hn_partials *f, double *u, const double *v, int n) {
  for (int i = 1; i <= n; i++) u[i] = times(f->x, u[i]) + times(f->y, v[i]);
  u[0] = value;
}

static void jet_binary(hn_binary operation, double *u, const double *v, int n) {
  if (operation == HN_BINARY_ADD || operation == HN_BINARY_SUBTRACT) {
    for (int i = 0; i <= n; i++) u[i] += operation == HN_BINARY_ADD ? v[i] : -v[i];
    return;
  }
  double value = hn_binary_value(operation, u[0], v[0]);
  int v_varies = jet_varies(v, n);
  if (jet_varies(u, n) || v_varies) {
    hn_partials f = hn_binary_derivatives(operation, u[0], v[0], value, v_varies);
    jet_compose(value, &f, u, v, n);
  }
  u[0] = value;
}

static void jet_lookup(const hn_lookup *table, double *u, const double *v, int n) {
  hn_partials f;
  const double value = hn_lookup_partials(table, u[0], v[0], &f);
  jet_compose(value, &f, u, v, n);
}

// The first of three becomes the chosen one.
static void jet_select(double *a, int n) {
  int choice = hn_choice(a[n + 1]);
  const double *b = a + 2 * (n + 1);
  if (choice < 0) jet_fill(a, n, NAN, NAN);
  if (choice == 0)
    for (int i = 0; i <= n; i++) a[i] = b[i];
}

// The branch that was decided, whatever the values are.
static void jet_decided_unary(const hn_instruction *i, unsigned decisions, double *u, int n) {
  int is_set = decisions >> (i->variable - 1) & 1;
  if (i->operation != HN_UNARY_ABS)
    jet_fill(u, n, is_set ? 1 : i->operation == HN_UNARY_SIGN ? -1 : 0, 0);
  else if (is_set)
    for (int k = 0; k <= n; k++) u[k] = -u[k];
}

static void jet_decided_binary(const hn_instruction *i, unsigned decisions, double *u,
                               const double *v, int n) {
  int is_set = decisions >> (i->variable - 1) & 1;
  if (i->operation != HN_BINARY_MIN && i->operation != HN_BINARY_MAX)
    jet_fill(u, n, is_set, 0);
  else if (!is_set)
    for (int k = 0; k <= n; k++) u[k] = v[k];
}

// decisions null: those of the values.
static const double *run_jets(const hn_expression *expression, const unsigned *decisions,
                              const double *values, double *stack) {
  const int n = expression->used_count, size = n + 1;
  double *top = stack;
  for (int i = 0; i < expression->count; i++) {
    const hn_instruction *instruction = &expression->code[i];
    int is_decided = decisions && instruction->variable > 0;
    switch ((hn_code)instruction->code) {
    case HN_CODE_CONSTANT: jet_fill(top += size, n, instruction->constant, 0); break;
    case HN_CODE_VARIABLE:
      jet_fill(top += size, n, values[instruction->variable], 0);
      top[1 + instruction->operation] = 1;
      break;
    case HN_CODE_UNARY:
      if (is_decided)
        jet_decided_unary(instruction, *decisions, top, n);
      else
        jet_unary((hn_unary)instruction->operation, top, n);
      break;
    case HN_CODE_BINARY:
      top -= size;
      if (is_decided)
        jet_decided_binary(instruction, *decisions, top, top + size, n);
      else
        jet_binary((hn_binary)instruction->operation, top, top + size, n);
      break;
    case HN_CODE_SELECT: jet_select(top -= 2 * size, n); break;
    case HN_CODE_LOOKUP:
      top -= size;
      jet_lookup(instruction->table, top, top + size, n);
      break;
    }
  }
  return top;
}

double hn_expression_evaluate_gradient(const hn_expression *expression, const unsigned *decisions,
                                       const double *values, double *gradient) {
  const int n = expression->used_count, has_room = n <= HN_EXPRESSION_DERIVATIVE_COUNT;
  double stack[(HN_EXPRESSION_STACK + 1) * JET_SIZE];
  const double *top = has_room ? run_jets(expression, decisions, values, stack) : NULL;
  for (int i = 0; i < n; i++) gradient[i] = top ? top[1 + i] : NAN;
  return top ? top[0] : NAN;
}

// ---- along a parameter, to the third order ------------------------------------------------------

// Value and three derivatives.
typedef struct taylor {
  double d[4];
} taylor;

static taylor taylor_constant(double value) { return (taylor){{value, 0, 0, 0}}; }

static int taylor_varies(const taylor *u) { return u->d[1] != 0 || u->d[2] != 0 || u->d[3] != 0; }

static taylor taylor_unary(hn_unary operation, taylor u) {
  double value = hn_unary_value(operation, u.d[0]), f[3];
  if (!taylor_varies(&u)) return taylor_constant(value);
  hn_unary_derivatives(operation, u.d[0], value, f);
  double square = times(u.d[1], u.d[1]);
  return (taylor){{value, times(f[0], u.d[1]), times(f[0], u.d[2]) + times(f[1], square),
                   times(f[0], u.d[3]) + 3 * times(f[1], times(u.d[1], u.d[2])) +
                       times(f[2], times(square, u.d[1]))}};
}

static taylor taylor_add(taylor u, taylor v, double sign) {
  for (int i = 0; i < 4; i++) u.d[i] += sign * v.d[i];
  return u;
}

static taylor taylor_compose(double value, const hn_partials *of, taylor u, taylor v) {
  const hn_partials f = *of;
  double uu = times(u.d[1], u.d[1]), uv = times(u.d[1], v.d[1]), vv = times(v.d[1], v.d[1]);
  double first = times(f.x, u.d[1]) + times(f.y, v.d[1]);
  double second = times(f.x, u.d[2]) + times(f.y, v.d[2]) + times(f.xx, uu) + 2 * times(f.xy, uv) +
                  times(f.yy, vv);
  double mixed = times(f.xx, times(u.d[1], u.d[2])) +
                 times(f.xy, times(u.d[1], v.d[2]) + times(u.d[2], v.d[1])) +
                 times(f.yy, times(v.d[1], v.d[2]));
  double cubic = times(f.xxx, times(uu, u.d[1])) + 3 * times(f.xxy, times(uu, v.d[1])) +
                 3 * times(f.xyy, times(vv, u.d[1])) + times(f.yyy, times(vv, v.d[1]));
  double third = times(f.x, u.d[3]) + times(f.y, v.d[3]) + 3 * mixed + cubic;
  return (taylor){{value, first, second, third}};
}

static taylor taylor_lookup(const hn_lookup *table, taylor u, taylor v) {
  hn_partials f;
  const double value = hn_lookup_partials(table, u.d[0], v.d[0], &f);
  return taylor_compose(value, &f, u, v);
}

static taylor taylor_binary(hn_binary operation, taylor u, taylor v) {
  if (operation == HN_BINARY_ADD) return taylor_add(u, v, 1);
  if (operation == HN_BINARY_SUBTRACT) return taylor_add(u, v, -1);
  double value = hn_binary_value(operation, u.d[0], v.d[0]);
  int v_varies = taylor_varies(&v);
  if (!taylor_varies(&u) && !v_varies) return taylor_constant(value);
  hn_partials f = hn_binary_derivatives(operation, u.d[0], v.d[0], value, v_varies);
  return taylor_compose(value, &f, u, v);
}

static taylor taylor_select(taylor a, double condition, taylor b) {
  int choice = hn_choice(condition);
  return choice < 0 ? (taylor){{NAN, NAN, NAN, NAN}} : choice ? a : b;
}

// `at` is the value of u at the place where branches are chosen; likewise below.
static taylor frozen_unary(hn_unary operation, taylor u, double at) {
  if (!hn_unary_switches(operation)) return taylor_unary(operation, u);
  if (operation != HN_UNARY_ABS || isnan(at)) return taylor_constant(hn_unary_value(operation, at));
  return at < 0 ? taylor_add(taylor_constant(0), u, -1) : u;
}

static taylor frozen_binary(hn_binary operation, taylor u, double u_at, taylor v, double v_at) {
  if (!hn_binary_switches(operation)) return taylor_binary(operation, u, v);
  double at = hn_binary_value(operation, u_at, v_at);
  if (isnan(at)) return taylor_constant(at);
  if (operation == HN_BINARY_MIN) return u_at <= v_at ? u : v;
  if (operation == HN_BINARY_MAX) return u_at >= v_at ? u : v;
  if (operation == HN_BINARY_MOD) return taylor_add(u, v, -round((u_at - at) / v_at));
  return taylor_constant(at);
}

// Variables by their series. Branches are those at which variables have the values `place`; null:
// by the series themselves.
static void run_taylor(const hn_instruction *code, int count, double (*series)[4],
                       const double *place, double derivatives[4]) {
  taylor stack[HN_EXPRESSION_STACK + 1], *top = stack;
  double place_stack[HN_EXPRESSION_STACK + 1], *at = place_stack;
  for (int i = 0; i < count; i++) {
    const hn_instruction *instruction = &code[i];
    const int operation = instruction->operation;
    switch ((hn_code)instruction->code) {
    case HN_CODE_CONSTANT: *++top = taylor_constant(instruction->constant); break;
    case HN_CODE_VARIABLE: memcpy(++top, series[instruction->variable], sizeof *top); break;
    case HN_CODE_UNARY:
      *top = place ? frozen_unary((hn_unary)operation, *top, *at)
                   : taylor_unary((hn_unary)operation, *top);
      break;
    case HN_CODE_BINARY:
      top--;
      *top = place ? frozen_binary((hn_binary)operation, top[0], at[-1], top[1], at[0])
                   : taylor_binary((hn_binary)operation, top[0], top[1]);
      break;
    case HN_CODE_SELECT:
      top -= 2;
      *top = taylor_select(top[0], place ? at[-1] : top[1].d[0], top[2]);
      break;
    case HN_CODE_LOOKUP:
      top--;
      *top = taylor_lookup(instruction->table, top[0], top[1]);
      break;
    }
    if (place) at = step(instruction, place, at);
  }
  for (int i = 0; i < 4; i++) derivatives[i] = top->d[i];
}

void hn_expression_evaluate_series(const hn_expression *expression, double (*series)[4],
                                   double derivatives[4]) {
  run_taylor(expression->code, expression->count, series, NULL, derivatives);
}

void hn_program_freeze(const hn_instruction *code, int count, double x, double place,
                       double derivatives[4]) {
  double series[1][4] = {{x, 1, 0, 0}};
  run_taylor(code, count, series, &place, derivatives);
}
