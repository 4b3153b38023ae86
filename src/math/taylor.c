// Arithmetic of Taylor models: see taylor.h. Rounding counts as error.
#include "math/taylor.h"

#include <math.h>

#include "math/elementary.h"
#include "math/expression_code.h"
#include "math/vec.h"

#define ROUNDING 1e-15

hn_taylor hn_law_taylor_constant(double value) {
  return (hn_taylor){.c = {value}, .is_constant = 1};
}

double hn_law_taylor_radius(const hn_taylor *u) {
  return u->is_constant ? u->error
                        : fabs(u->c[1]) + fabs(u->c[2]) + fabs(u->c[3]) + fabs(u->c[4]) + u->error;
}

void hn_law_taylor_range(const hn_taylor *u, double *low, double *high) {
  const double *c = u->c;
  double middle = c[0], r = hn_law_taylor_radius(u);
  if (fabs(c[1]) >= 2 * fabs(c[2]) + 3 * fabs(c[3]) + 4 * fabs(c[4])) {
    middle = c[0] + c[2] + c[4];
    r = fabs(c[1] + c[3]) + u->error;
  }
  *low = middle - r;
  *high = middle + r;
}

// The largest value, with the error.
static double size_of(const hn_taylor *u) { return fabs(u->c[0]) + hn_law_taylor_radius(u); }

static void scale(hn_taylor *u, double factor) {
  u->error += ROUNDING * size_of(u);
  for (int k = 0; k < HN_TAYLOR_COUNT; k++) u->c[k] *= factor;
  u->error *= fabs(factor);
}

// u + factor v
static void add(hn_taylor *u, double factor, const hn_taylor *v) {
  const double size = size_of(u) + fabs(factor) * size_of(v);
  for (int k = 0; k < HN_TAYLOR_COUNT; k++) u->c[k] += factor * v->c[k];
  u->error += fabs(factor) * v->error + ROUNDING * size;
  u->is_constant = u->is_constant && v->is_constant;
}

hn_taylor hn_law_taylor_multiply(const hn_taylor *u, const hn_taylor *v) {
  hn_taylor product;
  if (u->is_constant || v->is_constant) {
    const hn_taylor *factor = u->is_constant ? u : v;
    product = u->is_constant ? *v : *u;
    const double size = size_of(&product);
    scale(&product, factor->c[0]);
    product.error += factor->error * size;
    return product;
  }
  const double *a = u->c, *b = v->c;
  const double a4 = fabs(a[4]), a3 = fabs(a[3]), a2 = fabs(a[2]), a1 = fabs(a[1]);
  const double b4 = fabs(b[4]), b3 = b4 + fabs(b[3]), b2 = b3 + fabs(b[2]), b1 = b2 + fabs(b[1]);
  const double size_u = fabs(a[0]) + a1 + a2 + a3 + a4, size_v = fabs(b[0]) + b1;
  product.c[0] = a[0] * b[0];
  product.c[1] = a[0] * b[1] + a[1] * b[0];
  product.c[2] = a[0] * b[2] + a[1] * b[1] + a[2] * b[0];
  product.c[3] = a[0] * b[3] + a[1] * b[2] + a[2] * b[1] + a[3] * b[0];
  product.c[4] = a[0] * b[4] + a[1] * b[3] + a[2] * b[2] + a[3] * b[1] + a[4] * b[0];
  product.error = a4 * b1 + a3 * b2 + a2 * b3 + a1 * b4 + u->error * (size_v + v->error) +
                  v->error * size_u + ROUNDING * size_u * size_v;
  product.is_constant = 0;
  return product;
}

hn_taylor hn_law_taylor_polynomial(const double *p, int count, const hn_taylor *u) {
  hn_taylor f = hn_law_taylor_constant(p[count - 1]);
  for (int k = count - 2; k >= 0; k--) {
    f = hn_law_taylor_multiply(&f, u);
    f.c[0] += p[k];
    f.error += ROUNDING * fabs(p[k]);
  }
  return f;
}

// ---- series -------------------------------------------------------------------------------------

// Of a function about the middle of an interval: f(c + d) = sum a[k] d^k + bound |d|^5.
typedef struct series {
  double a[HN_TAYLOR_COUNT], bound;
} series;

// 0: it is not enclosed.
static int compose(hn_taylor *u, const series *f) {
  hn_taylor d = *u;
  const double r = hn_law_taylor_radius(u), rest = f->bound * r * r * r * r * r;
  d.c[0] = 0;
  *u = hn_law_taylor_polynomial(f->a, HN_TAYLOR_COUNT, &d);
  u->error += rest;
  return isfinite(u->error) && isfinite(u->c[0]);
}

// x^n about a middle near 1.
static void power_series(double n, double c, double r, series *f) {
  double binomial = 1, at = hn_pow(c, n);
  for (int k = 0; k < HN_TAYLOR_COUNT; k++) {
    f->a[k] = binomial * at;
    binomial *= (n - k) / (k + 1);
    at /= c;
  }
  const double rest = n - HN_TAYLOR_COUNT;
  f->bound = fabs(binomial) * hn_pow(rest < 0 ? c - r : c + r, rest);
}

static void logarithm_series(double c, double r, series *f) {
  const double w = 1 / c, low = c - r;
  *f = (series){{hn_log(c), w, -w * w / 2, w * w * w / 3, -w * w * w * w / 4},
                1 / (5 * low * low * low * low * low)};
}

// u / c with the middle c of u > 0: powers of c itself may overflow, or vanish.
static int divide_by_middle(hn_taylor *u, double *c) {
  *c = u->c[0];
  if (!(hn_law_taylor_radius(u) < *c)) return 0;
  scale(u, 1 / *c);
  return hn_law_taylor_radius(u) < u->c[0];
}

static int positive_power(hn_taylor *u, double n) {
  double c;
  series f;
  if (!divide_by_middle(u, &c)) return 0;
  power_series(n, u->c[0], hn_law_taylor_radius(u), &f);
  if (!compose(u, &f)) return 0;
  scale(u, n == 0.5 ? sqrt(c) : n == -1 ? 1 / c : hn_pow(c, n));
  return isfinite(u->error) && isfinite(u->c[0]);
}

static int logarithm(hn_taylor *u) {
  double c;
  series f;
  if (!divide_by_middle(u, &c)) return 0;
  logarithm_series(u->c[0], hn_law_taylor_radius(u), &f);
  if (!compose(u, &f)) return 0;
  u->c[0] += hn_log(c);
  u->error += ROUNDING * fabs(hn_log(c));
  return 1;
}

static int circular_series(double sine, double cosine, series *f) {
  *f = (series){{sine, cosine, -sine / 2, -cosine / 6, sine / 24}, 1. / 120};
  return 1;
}

static int exponential_series(double c, double r, series *f) {
  const double e = hn_exp(c);
  *f = (series){{e, e, e / 2, e / 6, e / 24}, hn_exp(c + r) / 120};
  return 1;
}

static int hyperbolic_series(double odd, double even, double largest, series *f) {
  *f = (series){{odd, even, odd / 2, even / 6, odd / 24}, hn_cosh(largest) / 120};
  return 1;
}

// The smallest |x| of the interval.
static double least_of(double c, double r) { return fmax(0, fabs(c) - r); }

// |f'''''| = 8 |1 - t^2| |2 - 15 t^2 + 15 t^4| <= 16 / cosh^2
static int tangent_series(double c, double r, series *f) {
  const double t = hn_tanh(c), inverse = 1 / hn_cosh(c), d = inverse * inverse;
  const double far = 1 / hn_cosh(least_of(c, r));
  *f = (series){{t, d, -t * d, d * (t * t - 1. / 3), t * d * (2. / 3 - t * t)},
                16 * far * far / 120};
  return 1;
}

// f^(n)/n! = (-1)^(n-1) Im (x - i)^-n / n
static int arc_tangent_series(double c, double r, series *f) {
  const double q = 1 / (1 + c * c), re = c * q, im = q, m = least_of(c, r), s = 1 + m * m;
  const double re2 = re * re - im * im, im2 = 2 * re * im;
  const double re3 = re2 * re - im2 * im, im3 = re2 * im + im2 * re;
  *f = (series){{hn_atan(c), im, -im2 / 2, im3 / 3, -(re3 * im + im3 * re) / 4},
                1 / (5 * s * s * sqrt(s))};
  return 1;
}

// asin (sign 1) and acos (-1): f' = g = (1 - x^2)^-1/2, f'' = x g^3, ...
static int arc_series(double c, double r, int sign, series *f) {
  const double most = fabs(c) + r;
  if (!(most < 1)) return 0;
  const double g = 1 / sqrt(1 - c * c), g2 = g * g, x = c * c;
  *f = (series){{sign > 0 ? hn_asin(c) : hn_acos(c), sign * g, sign * c * g * g2 / 2,
                 sign * (1 + 2 * x) * g * g2 * g2 / 6,
                 sign * c * (9 + 6 * x) * g * g2 * g2 * g2 / 24},
                0};
  const double y = most * most, h2 = 1 / (1 - y);
  f->bound = (9 + y * (72 + 24 * y)) * h2 * h2 * h2 * h2 * sqrt(h2) / 120;
  return 1;
}

// ---- one argument -------------------------------------------------------------------------------

static int set_constant(hn_taylor *u, double value) {
  *u = hn_law_taylor_constant(value);
  return 1;
}

// A function that is constant over an interval without changes.
static int staircase(hn_unary operation, hn_taylor *u) {
  double low, high;
  hn_law_taylor_range(u, &low, &high);
  const double value = hn_unary_value(operation, low);
  return value == hn_unary_value(operation, high) && set_constant(u, value);
}

static int absolute(hn_taylor *u) {
  double low, high;
  hn_law_taylor_range(u, &low, &high);
  if (low >= 0) return 1;
  if (!(high <= 0)) return 0;
  scale(u, -1);
  return 1;
}

// 1: true, 0: false, -1: not known.
static int truth_of(const hn_taylor *u) {
  double low, high;
  hn_law_taylor_range(u, &low, &high);
  if (low > 0 || high < 0) return 1;
  return low == 0 && high == 0 ? 0 : -1;
}

static int decided(hn_taylor *u, int truth) { return truth >= 0 && set_constant(u, truth); }

static int smooth_step(hn_unary operation, hn_taylor *u) {
  static const double cubic[] = {0, 0, 3, -2}, quintic[] = {0, 0, 0, 10, -15, 6};
  *u = operation == HN_UNARY_CUBIC ? hn_law_taylor_polynomial(cubic, 4, u)
                                   : hn_law_taylor_polynomial(quintic, 6, u);
  return 1;
}

static int tangent(hn_taylor *u) {
  hn_taylor cosine = *u;
  return hn_law_taylor_unary(HN_UNARY_SIN, u) && hn_law_taylor_unary(HN_UNARY_COS, &cosine) &&
         hn_law_taylor_binary(HN_BINARY_DIVIDE, u, &cosine);
}

static int inverted(int truth) { return truth < 0 ? -1 : !truth; }

int hn_law_taylor_unary(int operation, hn_taylor *u) {
  const double c = u->c[0], r = hn_law_taylor_radius(u);
  double sine, cosine;
  int exists = 0;
  series f;
  switch ((hn_unary)operation) {
  case HN_UNARY_NEGATE: scale(u, -1); return 1;
  case HN_UNARY_ABS: return absolute(u);
  case HN_UNARY_NOT: return decided(u, inverted(truth_of(u)));
  case HN_UNARY_SIGN:
  case HN_UNARY_FLOOR:
  case HN_UNARY_CEIL:
  case HN_UNARY_STEP: return staircase((hn_unary)operation, u);
  case HN_UNARY_CUBIC:
  case HN_UNARY_QUINTIC: return smooth_step((hn_unary)operation, u);
  case HN_UNARY_TAN: return tangent(u);
  case HN_UNARY_SIN:
    hn_sincos(c, &sine, &cosine);
    exists = circular_series(sine, cosine, &f);
    break;
  case HN_UNARY_COS:
    hn_sincos(c, &sine, &cosine);
    exists = circular_series(cosine, -sine, &f);
    break;
  case HN_UNARY_SINH: exists = hyperbolic_series(hn_sinh(c), hn_cosh(c), fabs(c) + r, &f); break;
  case HN_UNARY_COSH: exists = hyperbolic_series(hn_cosh(c), hn_sinh(c), fabs(c) + r, &f); break;
  case HN_UNARY_TANH: exists = tangent_series(c, r, &f); break;
  case HN_UNARY_EXP: exists = exponential_series(c, r, &f); break;
  case HN_UNARY_LOG: return logarithm(u);
  case HN_UNARY_SQRT: return positive_power(u, 0.5);
  case HN_UNARY_ATAN: exists = arc_tangent_series(c, r, &f); break;
  case HN_UNARY_ASIN: exists = arc_series(c, r, 1, &f); break;
  case HN_UNARY_ACOS: exists = arc_series(c, r, -1, &f); break;
  }
  return exists && compose(u, &f);
}

// ---- two arguments ------------------------------------------------------------------------------

// 1/u
static int invert(hn_taylor *u) {
  const int is_negative = u->c[0] < 0;
  if (is_negative) scale(u, -1);
  if (!positive_power(u, -1)) return 0;
  if (is_negative) scale(u, -1);
  return 1;
}

static int divide(hn_taylor *u, const hn_taylor *v) {
  hn_taylor inverse = *v;
  if (!invert(&inverse)) return 0;
  *u = hn_law_taylor_multiply(u, &inverse);
  return 1;
}

static int whole_power(hn_taylor *u, int n) {
  hn_taylor base = *u;
  *u = hn_law_taylor_constant(1);
  for (; n > 0; n >>= 1) {
    if (n & 1) *u = hn_law_taylor_multiply(u, &base);
    if (n > 1) base = hn_law_taylor_multiply(&base, &base);
  }
  return 1;
}

static int power(hn_taylor *u, const hn_taylor *v) {
  enum { MOST = 64 };
  if (v->is_constant && v->error == 0) {
    const double n = v->c[0];
    if (n == floor(n) && fabs(n) <= MOST)
      return whole_power(u, (int)fabs(n)) && (n >= 0 || invert(u));
    return positive_power(u, n);
  }
  if (!hn_law_taylor_unary(HN_UNARY_LOG, u)) return 0;
  *u = hn_law_taylor_multiply(u, v);
  return hn_law_taylor_unary(HN_UNARY_EXP, u);
}

// The smaller (sign 1) or the larger (-1).
static int choose(hn_taylor *u, const hn_taylor *v, int sign) {
  hn_taylor difference = *u;
  double low, high;
  add(&difference, -1, v);
  hn_law_taylor_range(&difference, &low, &high);
  if (sign > 0 ? low >= 0 : high <= 0) *u = *v;
  return low >= 0 || high <= 0;
}

// x - y floor(x / y)
static int modulo(hn_taylor *u, const hn_taylor *v) {
  hn_taylor turns = *u;
  if (!divide(&turns, v) || !staircase(HN_UNARY_FLOOR, &turns)) return 0;
  add(u, -turns.c[0], v);
  return 1;
}

static int distance(hn_taylor *u, const hn_taylor *v) {
  const hn_taylor square = hn_law_taylor_multiply(v, v);
  *u = hn_law_taylor_multiply(u, u);
  add(u, 1, &square);
  return hn_law_taylor_unary(HN_UNARY_SQRT, u);
}

// atan2(u, v), turned by the direction of the middle; within a quarter turn, and not over the cut.
static int direction(hn_taylor *u, const hn_taylor *v) {
  const double y = u->c[0], x = v->c[0], middle = hn_atan2(y, x);
  hn_taylor along = *v, across = *u;
  scale(&along, x);
  add(&along, y, u);
  scale(&across, x);
  add(&across, -y, v);
  if (!divide(&across, &along) || !hn_law_taylor_unary(HN_UNARY_ATAN, &across)) return 0;
  if (fabs(middle) + hn_law_taylor_radius(&across) + fabs(across.c[0]) >= HN_PI) return 0;
  *u = across;
  u->c[0] += middle;
  u->error += ROUNDING * HN_PI;
  return 1;
}

// u < v (strict) or u <= v: 1, 0, or -1 if not known.
static int is_below(const hn_taylor *u, const hn_taylor *v, int is_strict) {
  hn_taylor difference = *u;
  if (u->is_constant && v->is_constant && u->error == 0 && v->error == 0)
    return is_strict ? u->c[0] < v->c[0] : u->c[0] <= v->c[0];
  double low, high;
  add(&difference, -1, v);
  hn_law_taylor_range(&difference, &low, &high);
  return high < 0 ? 1 : low > 0 ? 0 : -1;
}

static int is_equal(const hn_taylor *u, const hn_taylor *v) {
  const int above = is_below(v, u, 1), below = is_below(u, v, 1);
  return above == 1 || below == 1 ? 0 : above == 0 && below == 0 ? 1 : -1;
}

static int both(int a, int b) { return a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : -1; }

int hn_law_taylor_with(int operation, hn_taylor *u, double value) {
  const int is_product = operation == HN_BINARY_MULTIPLY || operation == HN_BINARY_DIVIDE;
  if (is_product) {
    scale(u, operation == HN_BINARY_MULTIPLY ? value : 1 / value);
    return 1;
  }
  if (operation != HN_BINARY_ADD && operation != HN_BINARY_SUBTRACT) return 0;
  u->error += ROUNDING * (fabs(u->c[0]) + fabs(value));
  u->c[0] += operation == HN_BINARY_ADD ? value : -value;
  return 1;
}

int hn_law_taylor_binary(int operation, hn_taylor *u, const hn_taylor *v) {
  switch ((hn_binary)operation) {
  case HN_BINARY_ADD: add(u, 1, v); return 1;
  case HN_BINARY_SUBTRACT: add(u, -1, v); return 1;
  case HN_BINARY_MULTIPLY: *u = hn_law_taylor_multiply(u, v); return 1;
  case HN_BINARY_DIVIDE: return divide(u, v);
  case HN_BINARY_POWER: return power(u, v);
  case HN_BINARY_LESS: return decided(u, is_below(u, v, 1));
  case HN_BINARY_LESS_EQUAL: return decided(u, is_below(u, v, 0));
  case HN_BINARY_GREATER: return decided(u, is_below(v, u, 1));
  case HN_BINARY_GREATER_EQUAL: return decided(u, is_below(v, u, 0));
  case HN_BINARY_EQUAL: return decided(u, is_equal(u, v));
  case HN_BINARY_NOT_EQUAL: return decided(u, inverted(is_equal(u, v)));
  case HN_BINARY_AND: return decided(u, both(truth_of(u), truth_of(v)));
  case HN_BINARY_OR:
    return decided(u, inverted(both(inverted(truth_of(u)), inverted(truth_of(v)))));
  case HN_BINARY_ATAN2: return direction(u, v);
  case HN_BINARY_HYPOT: return distance(u, v);
  case HN_BINARY_MOD: return modulo(u, v);
  case HN_BINARY_MIN: return choose(u, v, 1);
  case HN_BINARY_MAX: return choose(u, v, -1);
  }
  return 0;
}
