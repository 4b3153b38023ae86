// Evaluation of formulas: values against C, derivatives against sixth-order differences, branches,
// domain errors.
#include "math/expression.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/differences.h"
#include "support/calculate.h"
#include "support/check.h"

#define TRIALS 20

static const char *const xyz_words[] = {"x", "y", "z"};

static int find_xyz(const void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && name[0] >= 'x' && name[0] <= 'z' ? name[0] - 'x' : -1;
}

static const hn_expression_names xyz = {.find = find_xyz, .words = xyz_words, .word_count = 3};

static const hn_expression *compile(const char *text, hn_arena *arena) {
  const hn_expression *expression;
  hn_error error;
  hn_status status = hn_expression_compile(text, strlen(text), &xyz, arena, &expression, &error);
  if (status != HN_OK) print_error("%s: %s\n", text, error.message);
  check_ok(status);
  return expression;
}

// ---- one variable -------------------------------------------------------------------------------

static double f_tangent(double x) { return tan(x); }
static double f_arcs(double x) { return asin(x) * acos(x) + atan(3 * x); }
static double f_hyperbolic(double x) { return sinh(x) / cosh(2 * x) + tanh(x) * tanh(x); }
static double f_bell(double x) { return exp(-x * x) * sin(5 * x); }
static double f_logarithm(double x) { return log(x) / sqrt(x) - sqrt(x * log(1 + x)); }
static double f_powers(double x) { return pow(x, 2.5) - 3 * pow(x, -2) + x * x * x + pow(2, x); }
static double f_self_power(double x) { return pow(x, sin(x)); }
static double f_angle(double x) { return atan2(sin(2 * x), 1.5 + x * x) + atan2(x, -2); }
static double f_distance(double x) { return hypot(1 + x, cos(x)) + hypot(3, x * x); }
static double f_wave(double x) { return fabs(sin(x)) + fmax(x, 2) + fmin(x * x, 4); }
static double f_remainder(double x) { return (x - 2 * floor(x / 2)) * x + (7 - x * floor(7 / x)); }
static double f_branch(double x) { return x < 0 ? x * x * x : sin(x) * x * x * x; }
static double f_rational(double x) { return (1 + x) / (2 + x * x) - 1 / (3 + x) * (-x * x) / 7; }

typedef struct sample {
  const char *text;
  double (*function)(double x);
  double low, high;
} sample;

static const sample samples[] = {
    {"tan(x)", f_tangent, -1.2, 1.2},
    {"asin(x)*acos(x) + atan(3*x)", f_arcs, -0.8, 0.8},
    {"sinh(x)/cosh(2*x) + tanh(x)^2", f_hyperbolic, -2, 2},
    {"exp(-x^2)*sin(5*x)", f_bell, -1.5, 1.5},
    {"log(x)/sqrt(x) - sqrt(x*log(1 + x))", f_logarithm, 1, 6},
    {"x^2.5 - 3*x^-2 + x^3 + 2^x", f_powers, 1, 3},
    {"x^sin(x)", f_self_power, 1, 5},
    {"atan2(sin(2*x), 1.5 + x^2) + atan2(x, -2)", f_angle, 0.2, 2},
    {"hypot(1 + x, cos(x)) + hypot(3, x^2)", f_distance, 0.5, 3},
    {"abs(sin(x)) + max(x, 2) + min(x^2, 4)", f_wave, 2.2, 3},
    {"abs(sin(x)) + max(x, 2) + min(x^2, 4)", f_wave, -1.8, -0.2},
    {"mod(x, 2)*x + mod(7, x)", f_remainder, 2.4, 3.4},
    {"x^3 if x < 0 else sin(x)*x^3", f_branch, -2, -0.2},
    {"x^3 if x < 0 else sin(x)*x^3", f_branch, 0.2, 2},
    {"(1 + x)/(2 + x^2) - 1/(3 + x)*-x^2/7", f_rational, -1, 2},
};

// Value and three derivatives where x, y and z move by these speeds.
static void along(const hn_expression *expression, const double values[3], const double speeds[3],
                  double taylor[4]) {
  double series[3][4] = {{0}};
  for (int i = 0; i < 3; i++) {
    series[i][0] = values[i];
    series[i][1] = speeds[i];
  }
  hn_expression_evaluate_series(expression, series, taylor);
}

static const double by_x[3] = {1, 0, 0};

typedef struct derivative {
  const hn_expression *expression;
  int order;
} derivative;

static double taylor_entry(const void *context, double x) {
  const derivative *d = context;
  double result[4], values[3] = {x, 0, 0};
  along(d->expression, values, by_x, result);
  return result[d->order];
}

static void values_agree_with_c(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_random random = hn_random_seed(21);
  for (size_t k = 0; k < sizeof samples / sizeof samples[0]; k++) {
    const hn_expression *expression = compile(samples[k].text, &arena);
    for (int trial = 0; trial < TRIALS; trial++) {
      double x = hn_random_uniform(&random, samples[k].low, samples[k].high);
      double values[3] = {x, 0, 0}, expected = samples[k].function(x);
      check_near(hn_expression_evaluate(expression, values), expected,
                 4e-15 * (1 + fabs(expected)));
      double taylor[4], gradient[1], value = hn_expression_evaluate(expression, values);
      along(expression, values, by_x, taylor);
      assert_true(taylor[0] == value);
      assert_true(hn_expression_evaluate_gradient(expression, NULL, values, gradient) == value);
    }
  }
  hn_arena_release(&arena);
}

static void three_derivatives_agree_with_differences(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_random random = hn_random_seed(22);
  for (size_t k = 0; k < sizeof samples / sizeof samples[0]; k++) {
    const hn_expression *expression = compile(samples[k].text, &arena);
    for (int trial = 0; trial < TRIALS; trial++) {
      double x = hn_random_uniform(&random, samples[k].low, samples[k].high);
      double exact[4], values[3] = {x, 0, 0}, gradient;
      along(expression, values, by_x, exact);
      for (int order = 0; order < 3; order++) {
        derivative d = {expression, order};
        double scale = 1 + fabs(exact[order]) + fabs(exact[order + 1]);
        check_near(exact[order + 1], difference(taylor_entry, &d, x, 2e-3), 3e-9 * scale);
      }
      hn_expression_evaluate_gradient(expression, NULL, values, &gradient);
      check_near(gradient, exact[1], 1e-13 * (1 + fabs(exact[1])));
    }
  }
  hn_arena_release(&arena);
}

// ---- several variables --------------------------------------------------------------------------

static const char *const fields[] = {
    "x*y + y*z + z*x - x*y*z",
    "sin(x*y)*exp(-z) + x/(y^2 + z^2)",
    "atan2(x - y, z + 2) * hypot(x, y*z)",
    "x^y + (y + z)^2.5 + z^-x",
    "sqrt(x^2 + y^2 + z^2) + log(x*y)/z",
    "max(x*y, z^3, x + y) + min(x, y*z, 10)",
    "mod(x*y + 20*z, 3 + y) * tanh(x - z)",
    "x*y^2 if y > z else z*x^2",
    "4e3*x + 20*y*abs(y) + tan(z/3)*sinh(x)",
    "asin(x/10)*acos(y/10)*atan(z) + cosh(x - y) + cos(x*z)",
};

typedef struct field {
  const hn_expression *expression;
  double values[3];
  int variable; // that is moved
  int entry;    // -1: value, else of the gradient
} field;

static double field_entry(const void *context, double x) {
  const field *f = context;
  double values[3], gradient[3];
  memcpy(values, f->values, sizeof values);
  values[f->variable] = x;
  double value = hn_expression_evaluate_gradient(f->expression, NULL, values, gradient);
  return f->entry < 0 ? value : gradient[f->entry];
}

static void gradients_and_second_derivatives_agree_with_differences(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_random random = hn_random_seed(23);
  for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
    field f = {.expression = compile(fields[k], &arena)};
    int count;
    const int *used = hn_expression_used(f.expression, &count);
    assert_int_equal(count, 3);
    for (int trial = 0; trial < TRIALS; trial++) {
      hn_random_fill(&random, f.values, 3, 1, 2);
      double gradient[3], hessian[9];
      double value = hn_expression_evaluate_gradient(f.expression, NULL, f.values, gradient);
      assert_true(value == hn_expression_evaluate(f.expression, f.values));
      for (int i = 0; i < 3; i++) {
        f.variable = used[i];
        f.entry = -1;
        double x = f.values[f.variable];
        check_near(gradient[i], difference(field_entry, &f, x, 1e-3), 1e-9 * (1 + fabs(value)));
        for (f.entry = 0; f.entry < 3; f.entry++)
          hessian[3 * f.entry + i] = difference(field_entry, &f, x, 1e-3);
      }
      // by one variable alone, the others fixed, and by two together
      for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
          double taylor[4], speeds[3] = {0}, first = gradient[i], second = hessian[4 * i];
          speeds[used[i]] = speeds[used[j]] = 1;
          if (j != i) {
            first += gradient[j];
            second += 2 * hessian[3 * i + j] + hessian[4 * j];
          }
          along(f.expression, f.values, speeds, taylor);
          check_near(taylor[1], first, 1e-12 * (1 + fabs(first)));
          check_near(taylor[2], second, 1e-9 * (40 + fabs(first) + fabs(second)));
        }
    }
  }
  hn_arena_release(&arena);
}

static int find_numbered(const void *context, const char *name, size_t length) {
  (void)context;
  int number = 0;
  for (size_t i = 1; i < length; i++) number = 10 * number + (name[i] - '0');
  return name[0] == 'q' ? number : -1;
}

// Outputs look up thousands of signals but use few: only those have derivatives.
static void derivatives_follow_the_order_of_use(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_expression_names names = {.find = find_numbered};
  const char *text = "q4000*q7^2 + q7*q4000";
  const hn_expression *expression;
  check_ok(hn_expression_compile(text, strlen(text), &names, &arena, &expression, NULL));
  static double values[5000];
  values[4000] = 3;
  values[7] = 2;
  int count;
  const int *used = hn_expression_used(expression, &count);
  assert_int_equal(count, 2);
  assert_int_equal(used[0], 4000);
  assert_int_equal(used[1], 7);
  double gradient[2];
  check_near(hn_expression_evaluate_gradient(expression, NULL, values, gradient), 18, 0);
  check_near_many(gradient, ((double[]){6, 15}), 2, 0);

  // too many for a gradient, not for a value
  text =
      "q0 + q1 + q2 + q3 + q4 + q5 + q6 + q7 + q8 + q9 + q10 + q11 + q12 + q13 + q14 + q15 + q16";
  check_ok(hn_expression_compile(text, strlen(text), &names, &arena, &expression, NULL));
  check_near(hn_expression_evaluate(expression, values), 2, 0);
  double many[17];
  assert_true(isnan(hn_expression_evaluate_gradient(expression, NULL, values, many)));
  assert_true(isnan(many[16]));
  hn_arena_release(&arena);
}

// ---- where functions are not smooth or not defined ----------------------------------------------

static double calculate(const char *text, double x) {
  double value, values[3] = {x, 0, 0};
  check_ok(hn_calculate_once(text, strlen(text), &xyz, values, &value, NULL));
  return value;
}

static void functions_have_their_conventional_values(void **state) {
  (void)state;
  check_near(calculate("step(x)", 0), 1, 0);
  check_near(calculate("step(x)", -DBL_MIN), 0, 0);
  check_near(calculate("sign(x)", 0), 0, 0);
  check_near(calculate("sign(x)", -3), -1, 0);
  check_near(calculate("mod(x, 3)", -1), 2, 0); // sign of the divisor
  check_near(calculate("mod(x, -3)", 1), -2, 0);
  check_near(calculate("mod(x, 3)", 6), 0, 0);
  check_near(calculate("floor(x)", -1.5), -2, 0);
  check_near(calculate("ceil(x)", -1.5), -1, 0);
  check_near(calculate("atan2(0, x)", -1), 3.14159265358979323846, 0);
  check_near(calculate("x^0", 0), 1, 0);
  check_near(calculate("e - exp(1)", 0), 0, 0);
  check_near(calculate("2*pi", 0), 6.28318530717958647693, 0);
}

static void check_taylor(const char *text, double x, const double expected[4]) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  double values[3] = {x, 0, 0}, taylor[4];
  along(compile(text, &arena), values, by_x, taylor);
  check_near_many(taylor, expected, 4, 0);
  hn_arena_release(&arena);
}

static void kinks_take_the_derivative_of_the_active_branch(void **state) {
  (void)state;
  check_taylor("abs(x)", 0, (double[]){0, 1, 0, 0});
  check_taylor("abs(x)", -2, (double[]){2, -1, 0, 0});
  check_taylor("x*abs(x)", -2, (double[]){-4, 4, -2, 0});
  check_taylor("min(x, 3*x)", 0, (double[]){0, 1, 0, 0});
  check_taylor("max(2*x, x^2)", 3, (double[]){9, 6, 2, 0});
  check_taylor("step(x)*x + floor(x) + ceil(x) + sign(x)", 2.5, (double[]){8.5, 1, 0, 0});
  check_taylor("(x > 1)*x^2", 2, (double[]){4, 4, 2, 0});
  check_taylor("x if not x == 2 else x^3", 2, (double[]){8, 12, 12, 6});
}

static void powers_have_derivatives_at_zero(void **state) {
  (void)state;
  check_taylor("x^2", 0, (double[]){0, 0, 2, 0});
  check_taylor("x^3", 0, (double[]){0, 0, 0, 6});
  check_taylor("x^1", 0, (double[]){0, 1, 0, 0});
  check_taylor("x^0", 0, (double[]){1, 0, 0, 0});
  check_taylor("x^y", 0, (double[]){1, 0, 0, 0}); // y = 0
  check_taylor("(x - 2)^5", 0, (double[]){-32, 80, -160, 240});
  check_taylor("hypot(x, y)", 0, (double[]){0, 0, 0, 0});

  // by the exponent, 0^y is 0 around y = 3
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  const hn_expression *power = compile("x^y", &arena);
  double values[3] = {0, 3, 0}, gradient[2], taylor[4];
  check_near(hn_expression_evaluate_gradient(power, NULL, values, gradient), 0, 0);
  check_near_many(gradient, ((double[]){0, 0}), 2, 0);
  along(power, values, (double[]){0, 1, 0}, taylor);
  check_near_many(taylor, ((double[]){0, 0, 0, 0}), 4, 0);
  hn_arena_release(&arena);
}

static void a_branch_not_taken_has_no_influence(void **state) {
  (void)state;
  check_taylor("sqrt(x) if x > 0 else 0", -1, (double[]){0, 0, 0, 0});
  check_taylor("1/x if x != 0 else x", 0, (double[]){0, 1, 0, 0});
  check_near(calculate("x > 0 and log(x) > 1", -1), 0, 0);
  check_near(calculate("x < 0 or log(x) > 1", -1), 1, 0);
}

// sqrt(x) has a vertical tangent at 0; what varies with z does not notice.
static void a_vertical_tangent_stays_with_its_variable(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  const hn_expression *sum = compile("sqrt(x) + z^2", &arena);
  double values[3] = {0, 0, 5}, gradient[2], taylor[4];
  hn_expression_evaluate_gradient(sum, NULL, values, gradient);
  assert_true(isinf(gradient[0]) && gradient[0] > 0);
  check_near(gradient[1], 10, 0);
  along(sum, values, (double[]){0, 0, 1}, taylor);
  check_near(taylor[2], 2, 0);
  hn_arena_release(&arena);
}

static void domain_errors_are_never_lost(void **state) {
  (void)state;
  const char *const texts[] = {
      "log(x)",        "sqrt(x)",          "asin(2*x)",          "acos(2*x)",
      "x^0.5",         "mod(1, x + 1)",    "min(log(x), 1)",     "max(1, sqrt(x))",
      "log(x)^0",      "1^log(x)",         "hypot(1/0, log(x))", "log(x) < 1",
      "not log(x)",    "step(log(x))",     "sign(log(x))",       "1 if log(x) else 2",
      "1 and log(x)",  "0 or log(x)",      "0*log(x)",           "abs(log(x))",
      "floor(log(x))", "atan2(log(x), 1)", "log(x) == log(x)",   "log(x) != 1",
  };
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const hn_expression *expression = compile(texts[i], &arena);
    double values[3] = {-1, 0, 0}, taylor[4], gradient[3];
    along(expression, values, by_x, taylor);
    if (!isnan(hn_expression_evaluate(expression, values))) fail_msg("%s is a number", texts[i]);
    assert_true(isnan(taylor[0]));
    assert_true(isnan(hn_expression_evaluate_gradient(expression, NULL, values, gradient)));
  }
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_agree_with_c),
      cmocka_unit_test(three_derivatives_agree_with_differences),
      cmocka_unit_test(gradients_and_second_derivatives_agree_with_differences),
      cmocka_unit_test(derivatives_follow_the_order_of_use),
      cmocka_unit_test(functions_have_their_conventional_values),
      cmocka_unit_test(kinks_take_the_derivative_of_the_active_branch),
      cmocka_unit_test(powers_have_derivatives_at_zero),
      cmocka_unit_test(a_branch_not_taken_has_no_influence),
      cmocka_unit_test(a_vertical_tangent_stays_with_its_variable),
      cmocka_unit_test(domain_errors_are_never_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
