// Bounds of formulas, polynomials and laws: see bounds.h. Tables of two variables: bounds_table.c.
#include "math/bounds.h"

#include <math.h>
#include <string.h>

#include "math/bounds_table.h"
#include "math/expression_code.h"
#include "math/law_private.h"

static const hn_interval ALL = {-HUGE_VAL, HUGE_VAL};

static hn_bounds constant_bounds(double value) {
  return (hn_bounds){hn_interval_at(value), hn_interval_at(0)};
}

static hn_interval hull(hn_interval u, hn_interval v) {
  return (hn_interval){fmin(u.low, v.low), fmax(u.high, v.high)};
}

// ---- formulas -----------------------------------------------------------------------------------

// a if condition else b.
static hn_bounds select_bounds(const hn_bounds *at, int *switches) {
  const hn_interval condition = at[1].value;
  if (condition.low == 0 && condition.high == 0) return at[2];
  if (condition.low > 0 || condition.high < 0) return at[0];
  (*switches)++;
  return (hn_bounds){hull(at[0].value, at[2].value), ALL};
}

// The stack is split by depth, not by kind: top points to the last value.
static hn_bounds *bound_step(const hn_instruction *i, const hn_bounds *variables, hn_bounds *top,
                             hn_branching *b) {
  const int before = b->switches;
  switch ((hn_code)i->code) {
  case HN_CODE_CONSTANT: *++top = constant_bounds(i->constant); return top;
  case HN_CODE_VARIABLE: *++top = variables[i->variable]; return top;
  case HN_CODE_UNARY: *top = hn_bounds_unary(i->operation, *top, &b->switches); break;
  case HN_CODE_BINARY:
    top--;
    *top = hn_bounds_binary(i->operation, top[0], top[1], &b->switches);
    break;
  case HN_CODE_SELECT:
    top -= 2;
    *top = select_bounds(top, &b->switches);
    return top;
  case HN_CODE_LOOKUP:
    top--;
    *top = hn_lookup_bounds(i->table, top[0], top[1], b);
    return top;
  }
  if (i->variable > 0 && b->switches > before) b->marked++;
  return top;
}

hn_bounds hn_expression_bounds(const hn_expression *expression, const hn_bounds *variables,
                               hn_branching *branching) {
  hn_bounds stack[HN_EXPRESSION_STACK + 1], *top = stack;
  hn_branching b = {0, 0};
  for (int i = 0; i < expression->count; i++)
    top = bound_step(&expression->code[i], variables, top, &b);
  if (branching) *branching = b;
  return *top;
}

// Value within that at the center and the slopes.
static hn_bounds about(hn_bounds f, double center, double radius) {
  const double noise = 1e-14 * fabs(center);
  const double low = center - noise - radius * fmax(fabs(f.slope.low), fabs(f.slope.high));
  const double high = 2 * center - low;
  if (low > f.value.low && low <= f.value.high) f.value.low = low;
  if (high < f.value.high && high >= f.value.low) f.value.high = high;
  return f;
}

// One instruction on plain values.
static double *center_step(const hn_instruction *i, const double *variables, double *top) {
  switch ((hn_code)i->code) {
  case HN_CODE_CONSTANT: *++top = i->constant; break;
  case HN_CODE_VARIABLE: *++top = variables[i->variable]; break;
  case HN_CODE_UNARY: *top = hn_unary_value((hn_unary)i->operation, *top); break;
  case HN_CODE_BINARY:
    top--;
    *top = hn_binary_value((hn_binary)i->operation, top[0], top[1]);
    break;
  case HN_CODE_SELECT:
    top -= 2;
    *top = hn_choice(top[1]) < 0 ? NAN : hn_choice(top[1]) ? top[0] : top[2];
    break;
  case HN_CODE_LOOKUP:
    top--;
    *top = hn_lookup_value(i->table, top[0], top[1]);
    break;
  }
  return top;
}

hn_bounds hn_law_bounds_about(const hn_law *law, const hn_bounds *variables, const double *center,
                              double radius) {
  if (!law->expression) return hn_law_bounds(law, variables, NULL);
  const hn_expression *e = law->expression;
  hn_bounds stack[HN_EXPRESSION_STACK + 1], *top = stack;
  double centers[HN_EXPRESSION_STACK + 1], *at = centers;
  hn_branching b = {0, 0};
  for (int i = 0; i < e->count; i++) {
    top = bound_step(&e->code[i], variables, top, &b);
    at = center_step(&e->code[i], center, at);
    if (e->code[i].code != HN_CODE_CONSTANT && isfinite(*at)) *top = about(*top, *at, radius);
  }
  return *top;
}

// ---- polynomials --------------------------------------------------------------------------------

// Bounds of sum p[k] d^k for |d| <= r.
static hn_interval around_center(const double *p, int count, double r) {
  double low = 0, high = 0, power = 1;
  for (int k = 1; k < count; k++) {
    power *= r;
    const double size = fabs(p[k]) * power;
    if (k % 2 == 1 || p[k] > 0) high += size;
    if (k % 2 == 1 || p[k] < 0) low -= size;
  }
  const double noise = 1e-15 * (fabs(p[0]) + high - low);
  return (hn_interval){p[0] + low - noise, p[0] + high + noise};
}

hn_bounds hn_polynomial_bounds(const double *c, int count, hn_bounds u) {
  enum { CAPACITY = 16 };
  double p[CAPACITY], d[CAPACITY] = {0};
  if (count == 1) return constant_bounds(c[0]);
  const double r = 0.5 * hn_interval_width(u.value), center = u.value.low + r;
  if (count > CAPACITY || !isfinite(r)) return (hn_bounds){ALL, ALL};
  memcpy(p, c, (size_t)count * sizeof *c);
  for (int k = 0; k < count - 1; k++)
    for (int i = count - 2; i >= k; i--) p[i] += center * p[i + 1]; // Taylor shift by Horner
  for (int k = 1; k < count; k++) d[k - 1] = k * p[k];
  const hn_bounds f = {around_center(p, count, r), around_center(d, count - 1, r)};
  int unused = 0;
  const hn_bounds slope = {f.slope, hn_interval_at(0)}, along = {u.slope, hn_interval_at(0)};
  return (hn_bounds){f.value, hn_bounds_binary(HN_BINARY_MULTIPLY, slope, along, &unused).value};
}

// ---- laws of one variable -----------------------------------------------------------------------

static hn_bounds shifted(hn_bounds u, double by) {
  u.value.low -= by;
  u.value.high -= by;
  return u;
}

// All segments from low to high, where x is not folded any more.
static hn_bounds segment_bounds(const hn_law *law, hn_bounds u, int *first, int *last) {
  *first = hn_law_segment(law, u.value.low);
  *last = hn_law_segment(law, u.value.high);
  hn_bounds all = {{HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, -HUGE_VAL}};
  for (int k = *first; k <= *last; k++) {
    hn_bounds in = u;
    if (k > *first) in.value.low = law->breaks[k - 1];
    if (k < *last) in.value.high = law->breaks[k];
    const double *c = law->coefficients + (size_t)k * (size_t)law->count;
    const hn_bounds f = hn_polynomial_bounds(c, law->count, shifted(in, law->origins[k]));
    all = (hn_bounds){hull(all.value, f.value), hull(all.slope, f.slope)};
    if (k == *first || law->kind != HN_LAW_PIECEWISE) continue;
    const double b = law->breaks[k - 1]; // pieces may jump where they meet
    const double before = hn_law_evaluate_segment(law, k - 1, b).value,
                 after = hn_law_evaluate_segment(law, k, b).value;
    if (fabs(after - before) > 1e-9 * (fabs(after) + fabs(before))) all.slope = ALL;
  }
  return all;
}

hn_bounds hn_curve_bounds(const hn_law *law, hn_bounds u, hn_branching *branching) {
  int first = 0, last = 0, switches = 0;
  hn_bounds all;
  if (law->is_bounded) {
    u.value.low = fmin(fmax(u.value.low, law->low), law->high);
    u.value.high = fmin(fmax(u.value.high, law->low), law->high);
  }
  if (law->period > 0) {
    const double whole = floor((u.value.low - law->low) / law->period) * law->period;
    hn_bounds in = shifted(u, whole), rest = in;
    if (!(hn_interval_width(u.value) < law->period)) in.value = (hn_interval){law->low, law->high};
    const int is_split = in.value.high > law->high;
    if (is_split) in.value.high = law->high;
    all = segment_bounds(law, in, &first, &last);
    switches = is_split || last > first;
    if (is_split) {
      rest.value = (hn_interval){law->low, rest.value.high - law->period};
      const hn_bounds f = segment_bounds(law, rest, &first, &last);
      all = (hn_bounds){hull(all.value, f.value), hull(all.slope, f.slope)};
    }
  } else {
    all = segment_bounds(law, u, &first, &last);
    switches = last > first;
  }
  if (branching)
    *branching = (hn_branching){law->pieces > 1 && switches, law->pieces > 1 && switches};
  return all;
}

// ---- laws ---------------------------------------------------------------------------------------

hn_bounds hn_law_bounds(const hn_law *law, const hn_bounds *variables, hn_branching *branching) {
  if (law->expression) return hn_expression_bounds(law->expression, variables, branching);
  return hn_curve_bounds(law, variables[0], branching);
}

double hn_law_value_of(const hn_law *law, const double *variables) {
  if (law->expression) return hn_expression_evaluate(law->expression, variables);
  return hn_law_evaluate(law, -1, variables[0]).value;
}

int hn_law_variable_count(const hn_law *law) {
  return law->expression ? law->variables + law->input_count : 1;
}

int hn_law_reads(const hn_law *law, int variable) {
  if (!law->expression) return variable == 0;
  int count;
  const int *used = hn_expression_used(law->expression, &count);
  for (int k = 0; k < count; k++)
    if (used[k] == variable) return 1;
  return 0;
}

// ---- plain laws ---------------------------------------------------------------------------------

enum { PLAIN_DEGREE = 5, NOT_PLAIN = 1000 };

static int product_degree(const hn_instruction *i, const hn_instruction *before, int u, int v) {
  const hn_binary operation = (hn_binary)i->operation;
  if (u == 0 && v == 0) return 0;
  if (operation == HN_BINARY_ADD || operation == HN_BINARY_SUBTRACT) return u > v ? u : v;
  if (operation == HN_BINARY_MULTIPLY) return u + v;
  if (operation == HN_BINARY_DIVIDE) return v == 0 ? u : NOT_PLAIN;
  const double n = before->code == HN_CODE_CONSTANT ? before->constant : -1;
  const int is_whole = n == floor(n) && n >= 0 && n <= PLAIN_DEGREE;
  return operation == HN_BINARY_POWER && is_whole ? u * (int)n : NOT_PLAIN;
}

// With operations that switch taken on one branch each.
static int switched_degree(const hn_instruction *i, int u, int v) {
  if (i->code == HN_CODE_UNARY) return i->operation == HN_UNARY_ABS ? u : 0;
  const hn_binary operation = (hn_binary)i->operation;
  if (operation == HN_BINARY_MIN || operation == HN_BINARY_MAX) return u > v ? u : v;
  return operation == HN_BINARY_MOD ? (v == 0 ? u : NOT_PLAIN) : 0;
}

static int is_switching(const hn_instruction *i) {
  if (i->code == HN_CODE_UNARY) return hn_unary_switches((hn_unary)i->operation);
  return i->code == HN_CODE_BINARY && hn_binary_switches((hn_binary)i->operation);
}

// on_branches: operations that switch are taken on one branch each.
static int degree_of(const hn_expression *expression, int on_branches) {
  int stack[HN_EXPRESSION_STACK + 1], *top = stack, most = 0;
  for (int k = 0; k < expression->count; k++) {
    const hn_instruction *i = &expression->code[k];
    switch ((hn_code)i->code) {
    case HN_CODE_CONSTANT: *++top = 0; break;
    case HN_CODE_VARIABLE: *++top = 1; break;
    case HN_CODE_UNARY:
      if (on_branches && is_switching(i))
        *top = switched_degree(i, *top, 0);
      else if (*top > 0 && i->operation != HN_UNARY_NEGATE)
        *top = NOT_PLAIN;
      break;
    case HN_CODE_BINARY:
      top--;
      *top = on_branches && is_switching(i) ? switched_degree(i, top[0], top[1])
                                            : product_degree(i, i - 1, top[0], top[1]);
      break;
    case HN_CODE_SELECT:
      if (!on_branches) return NOT_PLAIN;
      top -= 2;
      *top = top[0] > top[2] ? top[0] : top[2];
      break;
    case HN_CODE_LOOKUP: return NOT_PLAIN;
    }
    if (*top > most) most = *top;
  }
  return most;
}

int hn_law_is_plain(const hn_law *law) {
  if (law->expression) return degree_of(law->expression, 0) <= PLAIN_DEGREE;
  return law->segments == 1 && law->count <= PLAIN_DEGREE + 1;
}

int hn_law_has_plain_pieces(const hn_law *law) {
  return !law->expression && law->period == 0 && law->pieces == law->segments &&
         law->count <= PLAIN_DEGREE + 1;
}

int hn_law_is_plain_on_branches(const hn_law *law) {
  return law->expression && degree_of(law->expression, 1) <= PLAIN_DEGREE;
}
