// Bounds of single operations of formulas: see bounds.h.
#include <float.h>
#include <math.h>

#include "math/bounds.h"
#include "math/elementary.h"
#include "math/expression_code.h"
#include "math/vec.h"

static const hn_interval ALL = {-HUGE_VAL, HUGE_VAL};

// ---- intervals ----------------------------------------------------------------------------------

// Rounded outward; nan bounds become infinite.
static hn_interval outward(double low, double high) {
  const double grow = 8 * DBL_EPSILON;
  low -= grow * fabs(low);
  high += grow * fabs(high);
  return (hn_interval){isnan(low) ? -HUGE_VAL : low, isnan(high) ? HUGE_VAL : high};
}

// The same where infinite means overflow, so that the value is above the largest number.
static hn_interval overflowing(double low, double high) {
  return outward(low == HUGE_VAL ? DBL_MAX : low, high == -HUGE_VAL ? -DBL_MAX : high);
}

static hn_interval hull(hn_interval u, hn_interval v) {
  return (hn_interval){fmin(u.low, v.low), fmax(u.high, v.high)};
}

static int holds(hn_interval u, double x) { return u.low <= x && x <= u.high; }

static hn_interval negate(hn_interval u) { return (hn_interval){-u.high, -u.low}; }

static hn_interval add(hn_interval u, hn_interval v) {
  return outward(u.low + v.low, u.high + v.high);
}

static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static hn_interval multiply(hn_interval u, hn_interval v) {
  const double a = times(u.low, v.low), b = times(u.low, v.high), c = times(u.high, v.low),
               d = times(u.high, v.high);
  return overflowing(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

static hn_interval square(hn_interval u) {
  const double a = u.low * u.low, b = u.high * u.high;
  return overflowing(holds(u, 0) ? 0 : fmin(a, b), fmax(a, b));
}

static hn_interval invert(hn_interval u) {
  if (u.low > 0 || u.high < 0) return outward(1 / u.high, 1 / u.low);
  if (u.low == 0 && u.high > 0) return outward(1 / u.high, HUGE_VAL);
  if (u.high == 0 && u.low < 0) return outward(-HUGE_VAL, 1 / u.low);
  return ALL;
}

static hn_interval scale(double factor, hn_interval u) {
  return multiply(hn_interval_at(factor), u);
}

static int is_constant(const hn_bounds *u) { return u->slope.low == 0 && u->slope.high == 0; }

// f(u) with f'(u) = slope: the chain rule, in which what does not vary adds nothing.
static hn_bounds chain(hn_interval value, hn_interval slope, const hn_bounds *u) {
  if (is_constant(u)) return (hn_bounds){value, hn_interval_at(0)};
  return (hn_bounds){value, multiply(slope, u->slope)};
}

static hn_bounds jump(hn_interval value, int *switches) {
  (*switches)++;
  return (hn_bounds){value, ALL};
}

static hn_bounds level(double value) {
  return (hn_bounds){hn_interval_at(value), hn_interval_at(0)};
}

// ---- one argument -------------------------------------------------------------------------------

// cos: extrema at whole numbers of half turns.
static hn_interval cosine(hn_interval u) {
  if (!(hn_interval_width(u) < 2 * HN_PI) || fabs(u.low) > 1e15) return (hn_interval){-1, 1};
  const double noise = 4 * DBL_EPSILON * (1 + fabs(u.low)), a = hn_cos(u.low), b = hn_cos(u.high);
  hn_interval value = outward(fmin(a, b) - noise, fmax(a, b) + noise);
  const double first = ceil((u.low - noise) / HN_PI), last = floor((u.high + noise) / HN_PI);
  for (double k = first; k <= last && k <= first + 2; k++) {
    if (fmod(k, 2) == 0)
      value.high = 1;
    else
      value.low = -1;
  }
  return (hn_interval){fmax(value.low, -1), fmin(value.high, 1)};
}

static hn_interval sine(hn_interval u) {
  return cosine(outward(u.low - 0.5 * HN_PI, u.high - 0.5 * HN_PI));
}

static hn_bounds tangent(hn_bounds u) {
  const double first = ceil(u.value.low / HN_PI - 0.5), last = floor(u.value.high / HN_PI - 0.5);
  if (!(first > last)) return (hn_bounds){ALL, ALL};
  const hn_interval value = outward(hn_tan(u.value.low), hn_tan(u.value.high));
  return chain(value, add(hn_interval_at(1), square(value)), &u);
}

static hn_interval rising(double (*f)(double), hn_interval u) {
  return overflowing(f(u.low), f(u.high));
}

// asin (sign 1) and acos (-1) on the part that has a value.
static hn_bounds arc(hn_bounds u, int sign) {
  const hn_interval in = {fmax(-1, u.value.low), fmin(1, u.value.high)};
  if (in.low > in.high) return (hn_bounds){ALL, ALL};
  const hn_interval value = sign > 0 ? outward(hn_asin(in.low), hn_asin(in.high))
                                     : outward(hn_acos(in.high), hn_acos(in.low));
  const hn_interval sq = square(in), rest = {fmax(0, 1 - sq.high), fmax(0, 1 - sq.low)};
  return chain(value, scale(sign, invert(outward(sqrt(rest.low), sqrt(rest.high)))), &u);
}

// The largest |x| and the smallest.
static hn_interval magnitude(hn_interval u) {
  const double a = fabs(u.low), b = fabs(u.high);
  return (hn_interval){holds(u, 0) ? 0 : fmin(a, b), fmax(a, b)};
}

static hn_bounds absolute(hn_bounds u, int *switches) {
  if (u.value.low >= 0) return u;
  if (u.value.high < 0) return (hn_bounds){negate(u.value), negate(u.slope)};
  (*switches)++;
  const hn_bounds both = {magnitude(u.value), hull(u.slope, negate(u.slope))};
  return both;
}

// floor and ceil.
static hn_bounds whole(double (*round_to)(double), hn_bounds u, int *switches) {
  const double low = round_to(u.value.low), high = round_to(u.value.high);
  if (low == high) return level(low);
  return jump((hn_interval){low, high}, switches);
}

// A polynomial with extrema at 0 and 1, and its derivative with extrema at 0, 1/2 and 1.
static hn_bounds smooth_step(int operation, hn_bounds u) {
  double d[3];
  hn_interval value = {HUGE_VAL, -HUGE_VAL}, slope = value;
  const double at[] = {u.value.low, u.value.high, 0, 0.5, 1};
  for (int k = 0; k < 5; k++) {
    if (!holds(u.value, at[k])) continue;
    const double f = hn_unary_value((hn_unary)operation, at[k]);
    hn_unary_derivatives((hn_unary)operation, at[k], f, d);
    value = hull(value, hn_interval_at(f));
    slope = hull(slope, hn_interval_at(d[0]));
  }
  return chain(outward(value.low, value.high), outward(slope.low, slope.high), &u);
}

static hn_bounds root(hn_bounds u) {
  if (u.value.high < 0) return (hn_bounds){ALL, ALL};
  const hn_interval value = outward(sqrt(fmax(0, u.value.low)), sqrt(u.value.high));
  return chain(value, scale(0.5, invert(value)), &u);
}

static hn_bounds logarithm(hn_bounds u) {
  if (!(u.value.high > 0)) return (hn_bounds){ALL, ALL};
  const hn_interval in = {fmax(0, u.value.low), u.value.high};
  return chain(outward(in.low > 0 ? hn_log(in.low) : -HUGE_VAL, hn_log(in.high)), invert(in), &u);
}

static hn_bounds hyperbolic_cosine(hn_bounds u) {
  const hn_interval m = magnitude(u.value);
  return chain(overflowing(hn_cosh(m.low), hn_cosh(m.high)), rising(hn_sinh, u.value), &u);
}

// 1 / cosh^2, without the cancellation of 1 - tanh^2.
static hn_bounds hyperbolic_tangent(hn_bounds u) {
  const hn_interval m = magnitude(u.value);
  const double a = 1 / hn_cosh(m.high), b = 1 / hn_cosh(m.low);
  return chain(rising(hn_tanh, u.value), outward(a * a, b * b), &u);
}

static hn_bounds sign(hn_bounds u, int *switches) {
  if (u.value.low > 0) return level(1);
  if (u.value.high < 0) return level(-1);
  if (u.value.low == 0 && u.value.high == 0) return level(0);
  return jump((hn_interval){u.value.low < 0 ? -1 : 0, u.value.high > 0 ? 1 : 0}, switches);
}

static hn_bounds truth(int may_be_false, int may_be_true, int *switches) {
  if (may_be_false && may_be_true) return jump((hn_interval){0, 1}, switches);
  return level(may_be_true);
}

static int may_be_true(hn_interval u) { return u.low != 0 || u.high != 0; }

hn_bounds hn_bounds_unary(int operation, hn_bounds u, int *switches) {
  switch ((hn_unary)operation) {
  case HN_UNARY_NEGATE: return (hn_bounds){negate(u.value), negate(u.slope)};
  case HN_UNARY_NOT: return truth(may_be_true(u.value), holds(u.value, 0), switches);
  case HN_UNARY_SIN: return chain(sine(u.value), cosine(u.value), &u);
  case HN_UNARY_COS: return chain(cosine(u.value), negate(sine(u.value)), &u);
  case HN_UNARY_TAN: return tangent(u);
  case HN_UNARY_ASIN: return arc(u, 1);
  case HN_UNARY_ACOS: return arc(u, -1);
  case HN_UNARY_ATAN:
    return chain(rising(hn_atan, u.value), invert(add(hn_interval_at(1), square(u.value))), &u);
  case HN_UNARY_SINH: {
    const hn_interval m = magnitude(u.value);
    return chain(rising(hn_sinh, u.value), overflowing(hn_cosh(m.low), hn_cosh(m.high)), &u);
  }
  case HN_UNARY_COSH: return hyperbolic_cosine(u);
  case HN_UNARY_TANH: return hyperbolic_tangent(u);
  case HN_UNARY_EXP: return chain(rising(hn_exp, u.value), rising(hn_exp, u.value), &u);
  case HN_UNARY_LOG: return logarithm(u);
  case HN_UNARY_SQRT: return root(u);
  case HN_UNARY_ABS: return absolute(u, switches);
  case HN_UNARY_SIGN: return sign(u, switches);
  case HN_UNARY_FLOOR: return whole(floor, u, switches);
  case HN_UNARY_CEIL: return whole(ceil, u, switches);
  case HN_UNARY_STEP: return truth(u.value.low < 0, u.value.high >= 0, switches);
  case HN_UNARY_CUBIC:
  case HN_UNARY_QUINTIC: return smooth_step(operation, u);
  }
  return (hn_bounds){ALL, ALL};
}

// ---- two arguments ------------------------------------------------------------------------------

static hn_bounds product(const hn_bounds *u, const hn_bounds *v) {
  return (hn_bounds){multiply(u->value, v->value),
                     add(multiply(u->slope, v->value), multiply(u->value, v->slope))};
}

// A divisor that reaches 0 may be a zero of either sign.
static hn_interval invert_signed(hn_interval u) { return holds(u, 0) ? ALL : invert(u); }

static hn_bounds quotient(const hn_bounds *u, const hn_bounds *v) {
  const hn_interval w = invert_signed(v->value);
  const hn_bounds inverse = chain(w, negate(square(w)), v);
  return product(u, &inverse);
}

// x^n, n whole and positive.
static hn_interval whole_power(hn_interval u, double n) {
  const double a = hn_pow(u.low, n), b = hn_pow(u.high, n);
  if (fmod(n, 2) != 0) return overflowing(a, b);
  return overflowing(holds(u, 0) ? 0 : fmin(a, b), fmax(a, b));
}

// x^n, n given, for x >= 0 unless n is whole.
static hn_interval given_power(hn_interval u, double n) {
  if (n == 0) return hn_interval_at(1);
  if (n == floor(n) && n > 0) return whole_power(u, n);
  if (n == floor(n) && fmod(n, 2) != 0) return invert_signed(whole_power(u, -n));
  if (n == floor(n)) return invert(whole_power(u, -n));
  const hn_interval in = {fmax(0, u.low), fmax(0, u.high)};
  return n > 0 ? outward(hn_pow(in.low, n), hn_pow(in.high, n))
               : outward(hn_pow(in.high, n), hn_pow(in.low, n));
}

static hn_bounds power(hn_bounds u, hn_bounds v) {
  if (is_constant(&v) && v.value.low == v.value.high) {
    const double n = v.value.low;
    return chain(given_power(u.value, n), scale(n, given_power(u.value, n - 1)), &u);
  }
  int unused = 0;
  const hn_bounds l = hn_bounds_unary(HN_UNARY_LOG, u, &unused), exponent = product(&v, &l);
  return hn_bounds_unary(HN_UNARY_EXP, exponent, &unused);
}

static hn_bounds least(hn_bounds u, hn_bounds v, int *switches) {
  if (u.value.high < v.value.low) return u;
  if (v.value.high < u.value.low) return v;
  (*switches)++;
  return (hn_bounds){{fmin(u.value.low, v.value.low), fmin(u.value.high, v.value.high)},
                     hull(u.slope, v.slope)};
}

static hn_bounds opposite(hn_bounds u) { return (hn_bounds){negate(u.value), negate(u.slope)}; }

// x - y floor(x / y), of a sign and size below y.
static hn_bounds modulo(hn_bounds u, hn_bounds v, int *switches) {
  int own = 0;
  const hn_bounds turns = hn_bounds_unary(HN_UNARY_FLOOR, quotient(&u, &v), &own);
  if (own == 0) {
    const hn_bounds off = product(&v, &turns);
    return (hn_bounds){add(u.value, negate(off.value)), add(u.slope, negate(off.slope))};
  }
  return jump((hn_interval){fmin(0, v.value.low), fmax(0, v.value.high)}, switches);
}

static hn_bounds distance(hn_bounds u, hn_bounds v) {
  const hn_interval a = magnitude(u.value), b = magnitude(v.value);
  const hn_interval value = outward(hn_hypot(a.low, b.low), hn_hypot(a.high, b.high)),
                    inverse = invert(value);
  hn_interval x = multiply(u.value, inverse), y = multiply(v.value, inverse);
  x = (hn_interval){fmax(-1, x.low), fmin(1, x.high)};
  y = (hn_interval){fmax(-1, y.low), fmin(1, y.high)};
  return (hn_bounds){value, add(multiply(x, u.slope), multiply(y, v.slope))};
}

// atan2(u, v): by its corners where the origin and the cut, the half line v < 0, are outside.
static hn_bounds direction(hn_bounds u, hn_bounds v, int *switches) {
  if (holds(u.value, 0) && v.value.low <= 0) return jump((hn_interval){-HN_PI, HN_PI}, switches);
  const double at[4] = {hn_atan2(u.value.low, v.value.low), hn_atan2(u.value.low, v.value.high),
                        hn_atan2(u.value.high, v.value.low), hn_atan2(u.value.high, v.value.high)};
  const hn_interval value = outward(fmin(fmin(at[0], at[1]), fmin(at[2], at[3])),
                                    fmax(fmax(at[0], at[1]), fmax(at[2], at[3])));
  const hn_interval inverse = invert(add(square(u.value), square(v.value)));
  const hn_interval turning = add(multiply(v.value, u.slope), negate(multiply(u.value, v.slope)));
  return (hn_bounds){value, multiply(turning, inverse)};
}

// u < v (strict) or u <= v.
static hn_bounds is_below(const hn_bounds *u, const hn_bounds *v, int is_strict, int *switches) {
  const int may = is_strict ? u->value.low < v->value.high : u->value.low <= v->value.high;
  const int may_not = is_strict ? u->value.high >= v->value.low : u->value.high > v->value.low;
  return truth(may_not, may, switches);
}

static hn_bounds is_equal(const hn_bounds *u, const hn_bounds *v, int equal, int *switches) {
  const int may = u->value.low <= v->value.high && v->value.low <= u->value.high;
  const int must = u->value.low == u->value.high && v->value.low == v->value.high &&
                   u->value.low == v->value.low;
  return equal ? truth(!must, may, switches) : truth(may, !must, switches);
}

hn_bounds hn_bounds_binary(int operation, hn_bounds u, hn_bounds v, int *switches) {
  switch ((hn_binary)operation) {
  case HN_BINARY_ADD: return (hn_bounds){add(u.value, v.value), add(u.slope, v.slope)};
  case HN_BINARY_SUBTRACT:
    return (hn_bounds){add(u.value, negate(v.value)), add(u.slope, negate(v.slope))};
  case HN_BINARY_MULTIPLY: return product(&u, &v);
  case HN_BINARY_DIVIDE: return quotient(&u, &v);
  case HN_BINARY_POWER: return power(u, v);
  case HN_BINARY_LESS: return is_below(&u, &v, 1, switches);
  case HN_BINARY_LESS_EQUAL: return is_below(&u, &v, 0, switches);
  case HN_BINARY_GREATER: return is_below(&v, &u, 1, switches);
  case HN_BINARY_GREATER_EQUAL: return is_below(&v, &u, 0, switches);
  case HN_BINARY_EQUAL: return is_equal(&u, &v, 1, switches);
  case HN_BINARY_NOT_EQUAL: return is_equal(&u, &v, 0, switches);
  case HN_BINARY_AND:
    return truth(holds(u.value, 0) || holds(v.value, 0),
                 may_be_true(u.value) && may_be_true(v.value), switches);
  case HN_BINARY_OR:
    return truth(holds(u.value, 0) && holds(v.value, 0),
                 may_be_true(u.value) || may_be_true(v.value), switches);
  case HN_BINARY_ATAN2: return direction(u, v, switches);
  case HN_BINARY_HYPOT: return distance(u, v);
  case HN_BINARY_MOD: return modulo(u, v, switches);
  case HN_BINARY_MIN: return least(u, v, switches);
  case HN_BINARY_MAX: return opposite(least(opposite(u), opposite(v), switches));
  }
  return (hn_bounds){ALL, ALL};
}
