// Every operation of a formula: its value and its partial derivatives up to the third.
//
// The chain rule that composes them is in expression_evaluate.c; here are only the outer
// derivatives, once for all evaluations.
#include <math.h>

#include "math/elementary.h"
#include "math/expression_code.h"

// ---- one argument -------------------------------------------------------------------------------

// NaN stays NaN: a comparison alone would make a number of it.
static double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x; }

double hn_unary_value(hn_unary operation, double x) {
  switch (operation) {
  case HN_UNARY_NEGATE: return -x;
  case HN_UNARY_NOT: return isnan(x) ? x : x == 0;
  case HN_UNARY_SIN: return hn_sin(x);
  case HN_UNARY_COS: return hn_cos(x);
  case HN_UNARY_TAN: return hn_tan(x);
  case HN_UNARY_ASIN: return hn_asin(x);
  case HN_UNARY_ACOS: return hn_acos(x);
  case HN_UNARY_ATAN: return hn_atan(x);
  case HN_UNARY_SINH: return hn_sinh(x);
  case HN_UNARY_COSH: return hn_cosh(x);
  case HN_UNARY_TANH: return hn_tanh(x);
  case HN_UNARY_EXP: return hn_exp(x);
  case HN_UNARY_LOG: return hn_log(x);
  case HN_UNARY_SQRT: return sqrt(x);
  case HN_UNARY_ABS: return fabs(x);
  case HN_UNARY_SIGN: return sign_of(x);
  case HN_UNARY_FLOOR: return floor(x);
  case HN_UNARY_CEIL: return ceil(x);
  case HN_UNARY_STEP: return isnan(x) ? x : x >= 0;
  case HN_UNARY_CUBIC: return x * x * (3 - 2 * x);
  case HN_UNARY_QUINTIC: return x * x * x * (10 + x * (6 * x - 15));
  }
  return NAN;
}

static void set(double derivatives[3], double first, double second, double third) {
  derivatives[0] = first;
  derivatives[1] = second;
  derivatives[2] = third;
}

// asin (sign 1) and acos (sign -1), by w = 1 - x^2: f' = w^-1/2, f'' = x w^-3/2,
// f''' = (1 + 2 x^2) w^-5/2
static void arc_sine_derivatives(double x, double sign, double derivatives[3]) {
  double w = (1 - x) * (1 + x), first = sign / sqrt(w);
  set(derivatives, first, first * x / w, first * (1 + 2 * x * x) / (w * w));
}

void hn_unary_derivatives(hn_unary operation, double x, double value, double derivatives[3]) {
  double w;
  switch (operation) {
  case HN_UNARY_NEGATE: set(derivatives, -1, 0, 0); return;
  case HN_UNARY_SIN:
    w = hn_cos(x);
    set(derivatives, w, -value, -w);
    return;
  case HN_UNARY_COS:
    w = hn_sin(x);
    set(derivatives, -w, -value, w);
    return;
  case HN_UNARY_TAN: // f' = 1 + f^2
    w = 1 + value * value;
    set(derivatives, w, 2 * value * w, 2 * w * (w + 2 * value * value));
    return;
  case HN_UNARY_ASIN: arc_sine_derivatives(x, 1, derivatives); return;
  case HN_UNARY_ACOS: arc_sine_derivatives(x, -1, derivatives); return;
  case HN_UNARY_ATAN: // f' = 1 / (1 + x^2)
    w = 1 / (1 + x * x);
    set(derivatives, w, -2 * x * w * w, (6 * x * x - 2) * w * w * w);
    return;
  case HN_UNARY_SINH:
    w = hn_cosh(x);
    set(derivatives, w, value, w);
    return;
  case HN_UNARY_COSH:
    w = hn_sinh(x);
    set(derivatives, w, value, w);
    return;
  case HN_UNARY_TANH: // f' = 1 - f^2 = 1 / cosh^2, the second form without cancellation
    w = 1 / hn_cosh(x);
    w *= w;
    set(derivatives, w, -2 * value * w, 2 * w * (2 * value * value - w));
    return;
  case HN_UNARY_EXP: set(derivatives, value, value, value); return;
  case HN_UNARY_LOG: // the real function ends at 0, and so do its derivatives
    w = x < 0 ? NAN : 1 / x;
    set(derivatives, w, -w * w, 2 * w * w * w);
    return;
  case HN_UNARY_SQRT:
    w = 0.5 / value;
    set(derivatives, w, -0.5 * w / x, 0.75 * w / x / x);
    return;
  case HN_UNARY_ABS: set(derivatives, x >= 0 ? 1 : -1, 0, 0); return;
  case HN_UNARY_CUBIC: set(derivatives, 6 * x * (1 - x), 6 - 12 * x, -12); return;
  case HN_UNARY_QUINTIC:
    w = x * (1 - x);
    set(derivatives, 30 * w * w, 60 * w * (1 - 2 * x), 60 - 360 * w);
    return;
  case HN_UNARY_NOT:
  case HN_UNARY_SIGN:
  case HN_UNARY_FLOOR:
  case HN_UNARY_CEIL:
  case HN_UNARY_STEP: set(derivatives, 0, 0, 0); return;
  }
}

// ---- two arguments ------------------------------------------------------------------------------

// The remainder with the sign of y: x - y floor(x / y).
static double modulo(double x, double y) {
  double r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

// The everyday powers without the library's general one.
static double power(double x, double y) {
  if (y == 2) return x * x;
  if (y == 3) return x * x * x;
  if (y == 1) return x;
  return hn_pow(x, y);
}

// false and NaN is false, true or NaN is true: `x > 0 and log(x) > 1` is decided everywhere.
static double conjunction(double x, double y) {
  if (x == 0 || y == 0) return 0;
  return isnan(x) || isnan(y) ? NAN : 1;
}

static double disjunction(double x, double y) {
  if ((x != 0 && !isnan(x)) || (y != 0 && !isnan(y))) return 1;
  return isnan(x) || isnan(y) ? NAN : 0;
}

double hn_binary_value(hn_binary operation, double x, double y) {
  if ((isnan(x) || isnan(y)) && operation != HN_BINARY_AND && operation != HN_BINARY_OR) return NAN;
  switch (operation) {
  case HN_BINARY_ADD: return x + y;
  case HN_BINARY_SUBTRACT: return x - y;
  case HN_BINARY_MULTIPLY: return x * y;
  case HN_BINARY_DIVIDE: return x / y;
  case HN_BINARY_POWER: return power(x, y);
  case HN_BINARY_LESS: return x < y;
  case HN_BINARY_LESS_EQUAL: return x <= y;
  case HN_BINARY_GREATER: return x > y;
  case HN_BINARY_GREATER_EQUAL: return x >= y;
  case HN_BINARY_EQUAL: return x == y;
  case HN_BINARY_NOT_EQUAL: return x != y;
  case HN_BINARY_AND: return conjunction(x, y);
  case HN_BINARY_OR: return disjunction(x, y);
  case HN_BINARY_ATAN2: return hn_atan2(x, y);
  case HN_BINARY_HYPOT: return hn_hypot(x, y);
  case HN_BINARY_MOD: return modulo(x, y);
  case HN_BINARY_MIN: return x <= y ? x : y;
  case HN_BINARY_MAX: return x >= y ? x : y;
  }
  return NAN;
}

// factor x^exponent, where a zero factor wins over an infinite power: (x^2)''' = 0 at x = 0 too.
static double term(double factor, double x, double exponent) {
  return factor == 0 ? 0 : factor * power(x, exponent);
}

// x^exponent log(x)^count, with its limit at x = 0.
static double power_log(double x, double exponent, int count) {
  if (x == 0 && exponent > 0) return 0;
  double result = power(x, exponent), logarithm = hn_log(x);
  for (int i = 0; i < count; i++) result *= logarithm;
  return result;
}

static hn_partials power_derivatives(double x, double y, int y_varies) {
  hn_partials p = {0};
  p.x = term(y, x, y - 1);
  p.xx = term(y * (y - 1), x, y - 2);
  p.xxx = term(y * (y - 1) * (y - 2), x, y - 3);
  if (!y_varies) return p;
  p.y = power_log(x, y, 1);
  p.yy = power_log(x, y, 2);
  p.yyy = power_log(x, y, 3);
  p.xy = power_log(x, y - 1, 0) + y * power_log(x, y - 1, 1);
  p.xyy = 2 * power_log(x, y - 1, 1) + y * power_log(x, y - 1, 2);
  p.xxy = (2 * y - 1) * power_log(x, y - 2, 0) + y * (y - 1) * power_log(x, y - 2, 1);
  return p;
}

static hn_partials divide_derivatives(double y, double quotient) {
  double w = 1 / y;
  return (hn_partials){.x = w,
                       .y = -quotient * w,
                       .xy = -w * w,
                       .yy = 2 * quotient * w * w,
                       .xyy = 2 * w * w * w,
                       .yyy = -6 * quotient * w * w * w};
}

// atan2(x, y) is the imaginary part of log(z), z = y + i x, so every derivative is a real or
// imaginary part of 1/z, -1/z^2, 2/z^3.
static hn_partials atan2_derivatives(double x, double y) {
  double r = hn_hypot(x, y), real = y / r / r, imaginary = -x / r / r; // 1/z
  double real2 = real * real - imaginary * imaginary, imaginary2 = 2 * real * imaginary;
  double real3 = real2 * real - imaginary2 * imaginary;
  double imaginary3 = real2 * imaginary + imaginary2 * real;
  return (hn_partials){.x = real,
                       .y = imaginary,
                       .xx = imaginary2,
                       .xy = -real2,
                       .yy = -imaginary2,
                       .xxx = -2 * real3,
                       .xxy = -2 * imaginary3,
                       .xyy = 2 * real3,
                       .yyy = 2 * imaginary3};
}

// The tip of the cone has no tangent; 0 is the mean of all directions, and lets a law of speed
// start from rest.
static hn_partials hypot_derivatives(double x, double y, double r) {
  if (r == 0) return (hn_partials){0};
  double c = x / r, s = y / r, w = 1 / r;
  return (hn_partials){.x = c,
                       .y = s,
                       .xx = s * s * w,
                       .xy = -c * s * w,
                       .yy = c * c * w,
                       .xxx = -3 * c * s * s * w * w,
                       .xxy = s * (2 - 3 * s * s) * w * w,
                       .xyy = c * (2 - 3 * c * c) * w * w,
                       .yyy = -3 * s * c * c * w * w};
}

hn_partials hn_binary_derivatives(hn_binary operation, double x, double y, double value,
                                  int y_varies) {
  switch (operation) {
  case HN_BINARY_ADD: return (hn_partials){.x = 1, .y = 1};
  case HN_BINARY_SUBTRACT: return (hn_partials){.x = 1, .y = -1};
  case HN_BINARY_MULTIPLY: return (hn_partials){.x = y, .y = x, .xy = 1};
  case HN_BINARY_DIVIDE: return divide_derivatives(y, value);
  case HN_BINARY_POWER: return power_derivatives(x, y, y_varies);
  case HN_BINARY_ATAN2: return atan2_derivatives(x, y);
  case HN_BINARY_HYPOT: return hypot_derivatives(x, y, value);
  case HN_BINARY_MOD: return (hn_partials){.x = 1, .y = -round((x - value) / y)};
  case HN_BINARY_MIN: return (hn_partials){.x = x <= y, .y = !(x <= y)};
  case HN_BINARY_MAX: return (hn_partials){.x = x >= y, .y = !(x >= y)};
  case HN_BINARY_LESS:
  case HN_BINARY_LESS_EQUAL:
  case HN_BINARY_GREATER:
  case HN_BINARY_GREATER_EQUAL:
  case HN_BINARY_EQUAL:
  case HN_BINARY_NOT_EQUAL:
  case HN_BINARY_AND:
  case HN_BINARY_OR: return (hn_partials){0};
  }
  return (hn_partials){0};
}

int hn_choice(double condition) { return isnan(condition) ? -1 : condition != 0; }

// ---- branches -----------------------------------------------------------------------------------

int hn_unary_switches(hn_unary operation) {
  return operation == HN_UNARY_NOT || operation == HN_UNARY_ABS || operation == HN_UNARY_SIGN ||
         operation == HN_UNARY_FLOOR || operation == HN_UNARY_CEIL || operation == HN_UNARY_STEP;
}

int hn_binary_switches(hn_binary operation) {
  return (operation >= HN_BINARY_LESS && operation <= HN_BINARY_OR) || operation == HN_BINARY_MOD ||
         operation == HN_BINARY_MIN || operation == HN_BINARY_MAX;
}
