// Running a compiled formula: value; value, gradient and Hessian; value and three derivatives by
// one variable. Forward propagation: every place of the stack carries the derivatives of its value,
// and each operation applies the chain rule with its own partial derivatives
// (expression_operations.c):
//
//   f(u):     h_ij = f' u_ij + f'' u_i u_j
//   f(u, v):  h_ij = fu u_ij + fv v_ij + fuu u_i u_j + fuv (u_i v_j + v_i u_j) + fvv v_i v_j
//
// and likewise to the third order for one variable (Faa di Bruno), there also with branches frozen.
#include <math.h>

#include "math/expression_code.h"
#include "math/lookup.h"

double hn_expression_evaluate(const hn_expression *expression, const double *values) {
  return hn_program_value(expression->code, expression->count, values);
}

const double *hn_program_run(const hn_instruction *code, int count, const double *values,
                             double *stack) {
  double *top = stack;
  for (int i = 0; i < count; i++) {
    const hn_instruction *instruction = &code[i];
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
  }
  return top;
}

double hn_program_value(const hn_instruction *code, int count, const double *values) {
  double stack[HN_EXPRESSION_STACK + 1]; // one more, so that `top` above stays inside when empty
  return *hn_program_run(code, count, values, stack);
}

// A product in which 0 wins over infinity: what does not vary adds nothing, also where another part
// of the formula has a vertical tangent (sqrt(x) + v at x = 0).
static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

// ---- gradient and Hessian -----------------------------------------------------------------------

// One place of the stack: value, gradient (n), lower triangle of the Hessian by rows.
#define JET_SIZE                                                                                   \
  (1 + HN_EXPRESSION_DERIVATIVE_COUNT +                                                            \
   HN_EXPRESSION_DERIVATIVE_COUNT * (HN_EXPRESSION_DERIVATIVE_COUNT + 1) / 2)

// Of n variables; without second derivatives where nobody asks for them.
typedef struct jets {
  int n, size;
} jets;

static jets jets_of(int n, int has_hessian) {
  return (jets){n, 1 + n + (has_hessian ? n * (n + 1) / 2 : 0)};
}

static void jet_fill(double *jet, jets of, double value, double derivatives) {
  jet[0] = value;
  for (int i = 1; i < of.size; i++) jet[i] = derivatives;
}

static int jet_varies(const double *jet, jets of) {
  for (int i = 1; i < of.size; i++)
    if (jet[i] != 0) return 1;
  return 0;
}

static void jet_unary(hn_unary operation, double *u, jets of) {
  double value = hn_unary_value(operation, u[0]), f[3];
  if (jet_varies(u, of)) {
    hn_unary_derivatives(operation, u[0], value, f);
    double *gradient = u + 1, *hessian = u + 1 + of.n;
    for (int i = 0; hessian < u + of.size; i++)
      for (int j = 0; j <= i; j++, hessian++)
        *hessian = times(f[0], *hessian) + times(f[1], times(gradient[i], gradient[j]));
    for (int i = 0; i < of.n; i++) gradient[i] = times(f[0], gradient[i]);
  }
  u[0] = value;
}

static void jet_add(double *u, const double *v, double sign, jets of) {
  for (int i = 0; i < of.size; i++) u[i] += sign * v[i];
}

// u becomes f(u, v), of which value and partial derivatives are given.
static void jet_compose(double value, const hn_partials *f, double *u, const double *v, jets of) {
  double *ug = u + 1, *hessian = u + 1 + of.n;
  const double *vg = v + 1, *v_hessian = v + 1 + of.n;
  for (int i = 0; hessian < u + of.size; i++)
    for (int j = 0; j <= i; j++, hessian++, v_hessian++)
      *hessian = times(f->x, *hessian) + times(f->y, *v_hessian) +
                 times(f->xx, times(ug[i], ug[j])) +
                 times(f->xy, times(ug[i], vg[j]) + times(vg[i], ug[j])) +
                 times(f->yy, times(vg[i], vg[j]));
  for (int i = 0; i < of.n; i++) ug[i] = times(f->x, ug[i]) + times(f->y, vg[i]);
  u[0] = value;
}

static void jet_binary(hn_binary operation, double *u, const double *v, jets of) {
  if (operation == HN_BINARY_ADD || operation == HN_BINARY_SUBTRACT) {
    jet_add(u, v, operation == HN_BINARY_ADD ? 1 : -1, of);
    return;
  }
  double value = hn_binary_value(operation, u[0], v[0]);
  int u_varies = jet_varies(u, of), v_varies = jet_varies(v, of);
  if (u_varies || v_varies) {
    hn_partials f = hn_binary_derivatives(operation, u[0], v[0], value, v_varies);
    jet_compose(value, &f, u, v, of);
  }
  u[0] = value;
}

static void jet_lookup(const hn_lookup *table, double *u, const double *v, jets of) {
  hn_partials f;
  const double value = hn_lookup_partials(table, u[0], v[0], &f);
  jet_compose(value, &f, u, v, of);
}

// The first of three becomes the chosen one.
static void jet_select(double *a, jets of) {
  int choice = hn_choice(a[of.size]);
  const double *b = a + 2 * of.size;
  if (choice < 0) jet_fill(a, of, NAN, NAN);
  if (choice == 0)
    for (int i = 0; i < of.size; i++) a[i] = b[i];
}

static void write_hessian(const double *triangle, int n, double *hessian) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++, triangle++) hessian[i * n + j] = hessian[j * n + i] = *triangle;
}

// The branch that was decided, whatever the values are.
static void jet_decided_unary(const hn_instruction *i, unsigned decisions, double *u, jets of) {
  int is_set = decisions >> (i->variable - 1) & 1;
  if (i->operation != HN_UNARY_ABS)
    jet_fill(u, of, is_set ? 1 : i->operation == HN_UNARY_SIGN ? -1 : 0, 0);
  else if (is_set)
    for (int k = 0; k < of.size; k++) u[k] = -u[k];
}

static void jet_decided_binary(const hn_instruction *i, unsigned decisions, double *u,
                               const double *v, jets of) {
  int is_set = decisions >> (i->variable - 1) & 1;
  if (i->operation != HN_BINARY_MIN && i->operation != HN_BINARY_MAX)
    jet_fill(u, of, is_set, 0);
  else if (!is_set)
    for (int k = 0; k < of.size; k++) u[k] = v[k];
}

// decisions null: those of the values.
static const double *run_jets(const hn_expression *expression, const unsigned *decisions,
                              const double *values, jets of, double *stack) {
  double *top = stack;
  for (int i = 0; i < expression->count; i++) {
    const hn_instruction *instruction = &expression->code[i];
    int is_decided = decisions && instruction->variable > 0;
    switch ((hn_code)instruction->code) {
    case HN_CODE_CONSTANT: jet_fill(top += of.size, of, instruction->constant, 0); break;
    case HN_CODE_VARIABLE:
      jet_fill(top += of.size, of, values[instruction->variable], 0);
      top[1 + instruction->operation] = 1;
      break;
    case HN_CODE_UNARY:
      if (is_decided)
        jet_decided_unary(instruction, *decisions, top, of);
      else
        jet_unary((hn_unary)instruction->operation, top, of);
      break;
    case HN_CODE_BINARY:
      top -= of.size;
      if (is_decided)
        jet_decided_binary(instruction, *decisions, top, top + of.size, of);
      else
        jet_binary((hn_binary)instruction->operation, top, top + of.size, of);
      break;
    case HN_CODE_SELECT: jet_select(top -= 2 * of.size, of); break;
    case HN_CODE_LOOKUP:
      top -= of.size;
      jet_lookup(instruction->table, top, top + of.size, of);
      break;
    }
  }
  return top;
}

double hn_expression_evaluate_hessian(const hn_expression *expression, const double *values,
                                      double *gradient, double *hessian) {
  int n = expression->used_count;
  if (n > HN_EXPRESSION_DERIVATIVE_COUNT) {
    for (int i = 0; gradient && i < n; i++) gradient[i] = NAN;
    for (int i = 0; hessian && i < n * n; i++) hessian[i] = NAN;
    return NAN;
  }
  double stack[(HN_EXPRESSION_STACK + 1) * JET_SIZE];
  const double *top = run_jets(expression, NULL, values, jets_of(n, hessian != NULL), stack);
  for (int i = 0; gradient && i < n; i++) gradient[i] = top[1 + i];
  if (hessian) write_hessian(top + 1 + n, n, hessian);
  return top[0];
}

double hn_expression_evaluate_decided(const hn_expression *expression, unsigned decisions,
                                      const double *values, double *gradient) {
  double stack[(HN_EXPRESSION_STACK + 1) * JET_SIZE];
  const double *top =
      run_jets(expression, &decisions, values, jets_of(expression->used_count, 0), stack);
  for (int i = 0; i < expression->used_count; i++) gradient[i] = top[1 + i];
  return top[0];
}

// ---- one variable, to the third order -----------------------------------------------------------

// Value and three derivatives.
typedef struct taylor {
  double d[4];
} taylor;

static int taylor_varies(const taylor *u) { return u->d[1] != 0 || u->d[2] != 0 || u->d[3] != 0; }

static taylor taylor_unary(hn_unary operation, taylor u) {
  double value = hn_unary_value(operation, u.d[0]), f[3];
  if (!taylor_varies(&u)) return (taylor){{value, 0, 0, 0}};
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
  if (!taylor_varies(&u) && !v_varies) return (taylor){{value, 0, 0, 0}};
  hn_partials f = hn_binary_derivatives(operation, u.d[0], v.d[0], value, v_varies);
  return taylor_compose(value, &f, u, v);
}

static taylor taylor_select(taylor a, double condition, taylor b) {
  int choice = hn_choice(condition);
  return choice < 0 ? (taylor){{NAN, NAN, NAN, NAN}} : choice ? a : b;
}

// Variables by their series, or by values of which one varies.
static void run_taylor(const hn_expression *expression, const double *values, int variable,
                       double (*series)[4], double derivatives[4]) {
  taylor stack[HN_EXPRESSION_STACK + 1];
  taylor *top = stack;
  for (int i = 0; i < expression->count; i++) {
    const hn_instruction *instruction = &expression->code[i];
    int v = instruction->variable;
    switch ((hn_code)instruction->code) {
    case HN_CODE_CONSTANT: *++top = (taylor){{instruction->constant, 0, 0, 0}}; break;
    case HN_CODE_VARIABLE:
      *++top = series ? (taylor){{series[v][0], series[v][1], series[v][2], series[v][3]}}
                      : (taylor){{values[v], v == variable ? 1 : 0, 0, 0}};
      break;
    case HN_CODE_UNARY: *top = taylor_unary((hn_unary)instruction->operation, *top); break;
    case HN_CODE_BINARY:
      top--;
      *top = taylor_binary((hn_binary)instruction->operation, top[0], top[1]);
      break;
    case HN_CODE_SELECT:
      top -= 2;
      *top = taylor_select(top[0], top[1].d[0], top[2]);
      break;
    case HN_CODE_LOOKUP:
      top--;
      *top = taylor_lookup(instruction->table, top[0], top[1]);
      break;
    }
  }
  for (int i = 0; i < 4; i++) derivatives[i] = top->d[i];
}

void hn_expression_evaluate_taylor(const hn_expression *expression, const double *values,
                                   int variable, double derivatives[4]) {
  run_taylor(expression, values, variable, NULL, derivatives);
}

void hn_expression_evaluate_series(const hn_expression *expression, double (*series)[4],
                                   double derivatives[4]) {
  run_taylor(expression, NULL, -1, series, derivatives);
}

// ---- the same with frozen branches --------------------------------------------------------------

static taylor taylor_constant(double value) { return (taylor){{value, 0, 0, 0}}; }

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

void hn_program_freeze(const hn_instruction *code, int count, double x, double place,
                       double derivatives[4]) {
  taylor stack[HN_EXPRESSION_STACK + 1], *top = stack;
  double place_stack[HN_EXPRESSION_STACK + 1], *at = place_stack;
  for (int i = 0; i < count; i++) {
    int operation = code[i].operation;
    switch ((hn_code)code[i].code) {
    case HN_CODE_CONSTANT:
      *++top = taylor_constant(code[i].constant);
      *++at = code[i].constant;
      break;
    case HN_CODE_VARIABLE:
      *++top = (taylor){{x, 1, 0, 0}};
      *++at = place;
      break;
    case HN_CODE_UNARY:
      *top = frozen_unary((hn_unary)operation, *top, *at);
      *at = hn_unary_value((hn_unary)operation, *at);
      break;
    case HN_CODE_BINARY:
      top--;
      at--;
      *top = frozen_binary((hn_binary)operation, top[0], at[0], top[1], at[1]);
      *at = hn_binary_value((hn_binary)operation, at[0], at[1]);
      break;
    case HN_CODE_SELECT: {
      top -= 2;
      at -= 2;
      int choice = hn_choice(at[1]);
      *top = taylor_select(top[0], at[1], top[2]);
      *at = choice < 0 ? NAN : choice ? at[0] : at[2];
      break;
    }
    case HN_CODE_LOOKUP:
      top--;
      at--;
      *top = taylor_lookup(code[i].table, top[0], top[1]);
      *at = hn_lookup_value(code[i].table, at[0], at[1]);
      break;
    }
  }
  for (int i = 0; i < 4; i++) derivatives[i] = top->d[i];
}
