// The elementary functions: errors at hard arguments against values of 400 digits
// (scripts/make-elementary), and at random ones against long double if that is wider; special values of
// Annex F of the C standard; one hash of millions of results for every compiler.
#include <float.h>
#include <math.h>

#include "math/elementary_hash.h"
#include "math/elementary/sine_lanes.h"
#include "math/elementary_values.h"

#include "support/check.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

// Units in the last place of a double next to a value.
static double last_place(double value) {
  int exponent;
  if (value == 0) return 0x1p-1074;
  frexp(value, &exponent);
  return exponent < -1021 ? 0x1p-1074 : ldexp(1, exponent - 53);
}

// ---- exact values -------------------------------------------------------------------------------

static void check_error(double got, long double distance, double value, double limit,
                        const char *name, double x, double y) {
  const double error = (double)(fabsl(distance) / last_place(value));
  if (!(error < limit))
    fail_msg("%s(%.17g, %.17g) = %.17g: %.3f units in the last place", name, x, y, got, error);
}

static void check_value(double got, const double value[2], double limit, const char *name, double x,
                        double y) {
  check_error(got, (got - value[0]) - value[1], value[0], limit, name, x, y);
}

#define CHECK_ONE(name, limit)                                                                     \
  for (int k = 0; k < COUNT(name##_values); k++) {                                                 \
    const double *row = name##_values[k];                                                          \
    check_value(hn_##name(row[0]), row + 1, limit, #name, row[0], 0);                              \
  }
#define CHECK_TWO(name, limit)                                                                     \
  for (int k = 0; k < COUNT(name##_values); k++) {                                                 \
    const double *row = name##_values[k];                                                          \
    check_value(hn_##name(row[0], row[1]), row + 2, limit, #name, row[0], row[1]);                 \
  }

static void hard_arguments_give_the_exact_value(void **state) {
  (void)state;
  CHECK_ONE(sin, 1)
  CHECK_ONE(cos, 1)
  CHECK_ONE(tan, 1.5)
  CHECK_ONE(asin, 1.5)
  CHECK_ONE(acos, 1.5)
  CHECK_ONE(atan, 1)
  CHECK_ONE(exp, 1)
  CHECK_ONE(exp2, 1)
  CHECK_ONE(sinh, 1.5)
  CHECK_ONE(cosh, 1.5)
  CHECK_ONE(tanh, 1.5)
  CHECK_ONE(log, 1)
  CHECK_ONE(log2, 1)
  CHECK_ONE(log10, 1)
  CHECK_ONE(cbrt, 1)
  CHECK_TWO(atan2, 1)
  CHECK_TWO(hypot, 1.5)
  CHECK_TWO(pow, 1)
}

// ---- random arguments ---------------------------------------------------------------------------

typedef struct one_case {
  const char *name;
  double (*function)(double);
  long double (*reference)(long double);
  double low, high, limit;
} one_case;

static double sine_of_both(double x) {
  double s, c;
  hn_sincos(x, &s, &c);
  return s;
}
static double cosine_of_both(double x) {
  double s, c;
  hn_sincos(x, &s, &c);
  return c;
}

static const one_case one_cases[] = {
    {"sin", hn_sin, sinl, -0.8, 0.8, 1},       {"sin", hn_sin, sinl, -20, 20, 1},
    {"sin", hn_sin, sinl, -1e6, 1e6, 1},       {"sin", hn_sin, sinl, -1e300, 1e300, 1},
    {"cos", hn_cos, cosl, -0.8, 0.8, 1},       {"cos", hn_cos, cosl, -20, 20, 1},
    {"cos", hn_cos, cosl, -1e6, 1e6, 1},       {"cos", hn_cos, cosl, -1e300, 1e300, 1},
    {"sincos", sine_of_both, sinl, -9, 9, 1},  {"sincos", cosine_of_both, cosl, -9, 9, 1},
    {"tan", hn_tan, tanl, -0.8, 0.8, 1.5},     {"tan", hn_tan, tanl, -20, 20, 1.5},
    {"tan", hn_tan, tanl, -1e6, 1e6, 1.5},     {"asin", hn_asin, asinl, -1, 1, 1.5},
    {"asin", hn_asin, asinl, -0.1, 0.1, 1.5},  {"acos", hn_acos, acosl, -1, 1, 1.5},
    {"acos", hn_acos, acosl, 0.999, 1, 1.5},   {"atan", hn_atan, atanl, -0.1, 0.1, 1},
    {"atan", hn_atan, atanl, -1, 1, 1},        {"atan", hn_atan, atanl, -40, 40, 1},
    {"exp", hn_exp, expl, -1, 1, 1},           {"exp", hn_exp, expl, -745, 709, 1},
    {"exp", hn_exp, expl, -746, -707, 1},      {"exp2", hn_exp2, exp2l, -1075, 1024, 1},
    {"sinh", hn_sinh, sinhl, -1, 1, 1.5},      {"sinh", hn_sinh, sinhl, -710, 710, 1.5},
    {"cosh", hn_cosh, coshl, -1, 1, 1.5},      {"cosh", hn_cosh, coshl, -710, 710, 1.5},
    {"tanh", hn_tanh, tanhl, -1, 1, 1.5},      {"tanh", hn_tanh, tanhl, -25, 25, 1.5},
    {"log", hn_log, logl, 0.5, 2, 1},          {"log", hn_log, logl, 0.99, 1.01, 1},
    {"log", hn_log, logl, 0, 1e300, 1},        {"log2", hn_log2, log2l, 0.5, 2, 1},
    {"log10", hn_log10, log10l, 0.1, 1000, 1}, {"cbrt", hn_cbrt, cbrtl, -1000, 1000, 1},
};

static void random_arguments_give_the_value_in_long_double(void **state) {
  (void)state;
  if (LDBL_MANT_DIG < 64) skip();
  hn_random random = hn_random_seed(7);
  for (int k = 0; k < COUNT(one_cases); k++) {
    const one_case *c = &one_cases[k];
    for (int i = 0; i < (IS_WATCHED ? 2000 : 20000); i++) {
      const double x = hn_random_uniform(&random, c->low, c->high);
      const long double value = c->reference(x);
      const double got = c->function(x);
      check_error(got, got - value, (double)value, c->limit, c->name, x, 0);
    }
  }
}

static void random_pairs_give_the_value_in_long_double(void **state) {
  (void)state;
  if (LDBL_MANT_DIG < 64) skip();
  hn_random random = hn_random_seed(8);
  for (int i = 0; i < (IS_WATCHED ? 5000 : 100000); i++) {
    const double x = hn_random_uniform(&random, -3, 3), y = hn_random_uniform(&random, -3, 3);
    const double n = hn_random_uniform(&random, -300, 300);
    const long double values[] = {atan2l(x, y), hypotl(x, y), powl(fabsl(x), n)};
    const double got[] = {hn_atan2(x, y), hn_hypot(x, y), hn_pow(fabs(x), n)},
                 limit[] = {1, 1.5, 1};
    const char *const names[] = {"atan2", "hypot", "pow"};
    for (int k = 0; k < 3; k++) {
      const double value = (double)values[k];
      if (fabs(value) >= DBL_MIN && isfinite(value))
        check_error(got[k], got[k] - values[k], value, limit[k], names[k], x, k == 2 ? n : y);
    }
  }
}

// ---- special values -----------------------------------------------------------------------------

#define INF HUGE_VAL
#define PI 3.14159265358979323846

static void check_same(double got, double expected, const char *name, double x, double y) {
  const int is_same =
      isnan(expected) ? isnan(got) : got == expected && !signbit(got) == !signbit(expected);
  if (!is_same) fail_msg("%s(%g, %g) = %.17g, not %.17g", name, x, y, got, expected);
}

static const struct {
  const char *name;
  double (*function)(double);
  double x, y;
} special_ones[] = {
    {"sin", hn_sin, 0.0, 0.0},
    {"sin", hn_sin, -0.0, -0.0},
    {"sin", hn_sin, INF, NAN},
    {"sin", hn_sin, 5e-324, 5e-324},
    {"cos", hn_cos, -0.0, 1},
    {"cos", hn_cos, -INF, NAN},
    {"tan", hn_tan, -0.0, -0.0},
    {"tan", hn_tan, INF, NAN},
    {"tan", hn_tan, -1e-310, -1e-310},
    {"asin", hn_asin, -0.0, -0.0},
    {"asin", hn_asin, 1, PI / 2},
    {"asin", hn_asin, -1, -PI / 2},
    {"asin", hn_asin, 1.0000001, NAN},
    {"asin", hn_asin, -INF, NAN},
    {"asin", hn_asin, 1e-310, 1e-310},
    {"acos", hn_acos, 1, 0.0},
    {"acos", hn_acos, -1, PI},
    {"acos", hn_acos, 0, PI / 2},
    {"acos", hn_acos, 1.0000001, NAN},
    {"acos", hn_acos, INF, NAN},
    {"acos", hn_acos, 5e-324, PI / 2},
    {"atan", hn_atan, -0.0, -0.0},
    {"atan", hn_atan, INF, PI / 2},
    {"atan", hn_atan, -INF, -PI / 2},
    {"atan", hn_atan, 1, PI / 4},
    {"atan", hn_atan, 5e-324, 5e-324},
    {"exp", hn_exp, -0.0, 1},
    {"exp", hn_exp, INF, INF},
    {"exp", hn_exp, -INF, 0.0},
    {"exp", hn_exp, 710, INF},
    {"exp", hn_exp, -746, 0.0},
    {"exp", hn_exp, 1e-310, 1},
    {"exp", hn_exp, -1e300, 0.0},
    {"exp2", hn_exp2, 0, 1},
    {"exp2", hn_exp2, 10, 1024},
    {"exp2", hn_exp2, -1074, 5e-324},
    {"exp2", hn_exp2, 1024, INF},
    {"exp2", hn_exp2, -INF, 0.0},
    {"exp2", hn_exp2, 1023, 0x1p1023},
    {"sinh", hn_sinh, -0.0, -0.0},
    {"sinh", hn_sinh, -INF, -INF},
    {"sinh", hn_sinh, 711, INF},
    {"cosh", hn_cosh, -0.0, 1},
    {"cosh", hn_cosh, -INF, INF},
    {"cosh", hn_cosh, 711, INF},
    {"tanh", hn_tanh, -0.0, -0.0},
    {"tanh", hn_tanh, INF, 1},
    {"tanh", hn_tanh, -INF, -1},
    {"tanh", hn_tanh, 1e-310, 1e-310},
    {"tanh", hn_tanh, -50, -1},
    {"sinh", hn_sinh, 5e-324, 5e-324},
    {"log", hn_log, 1, 0.0},
    {"log", hn_log, 0.0, -INF},
    {"log", hn_log, -0.0, -INF},
    {"log", hn_log, -1, NAN},
    {"log", hn_log, INF, INF},
    {"log", hn_log, -INF, NAN},
    {"log2", hn_log2, 0x1p-1074, -1074},
    {"log2", hn_log2, 0x1p1023, 1023},
    {"log2", hn_log2, 1, 0.0},
    {"log2", hn_log2, -0.0, -INF},
    {"log10", hn_log10, 1e22, 22},
    {"log10", hn_log10, 1000, 3},
    {"log10", hn_log10, -2, NAN},
    {"log10", hn_log10, INF, INF},
    {"cbrt", hn_cbrt, -0.0, -0.0},
    {"cbrt", hn_cbrt, -INF, -INF},
    {"cbrt", hn_cbrt, 27, 3},
    {"cbrt", hn_cbrt, -0x1p-1074, -0x1p-358},
};

static const struct {
  double (*function)(double, double);
  const char *name;
  double x, y, value;
} special_twos[] = {
    {hn_atan2, "atan2", 0.0, 0.0, 0.0},
    {hn_atan2, "atan2", -0.0, 0.0, -0.0},
    {hn_atan2, "atan2", 0.0, -0.0, PI},
    {hn_atan2, "atan2", -0.0, -0.0, -PI},
    {hn_atan2, "atan2", -0.0, -1, -PI},
    {hn_atan2, "atan2", -0.0, 1, -0.0},
    {hn_atan2, "atan2", 1, 0.0, PI / 2},
    {hn_atan2, "atan2", -1, -0.0, -PI / 2},
    {hn_atan2, "atan2", 1, -INF, PI},
    {hn_atan2, "atan2", -1, INF, -0.0},
    {hn_atan2, "atan2", INF, 3, PI / 2},
    {hn_atan2, "atan2", -INF, -3, -PI / 2},
    {hn_atan2, "atan2", INF, INF, PI / 4},
    {hn_atan2, "atan2", -INF, -INF, -3 * PI / 4},
    {hn_atan2, "atan2", INF, -INF, 3 * PI / 4},
    {hn_atan2, "atan2", NAN, 1, NAN},
    {hn_atan2, "atan2", 5e-324, 5e-324, PI / 4},
    {hn_atan2, "atan2", -1e308, 1e308, -PI / 4},
    {hn_atan2, "atan2", 1e-310, 1e300, 0.0},
    {hn_atan2, "atan2", 1, NAN, NAN},
    {hn_atan2, "atan2", 0.0, NAN, NAN},
    {hn_hypot, "hypot", -3, 4, 5},
    {hn_hypot, "hypot", -0.0, 0.0, 0.0},
    {hn_hypot, "hypot", INF, NAN, INF},
    {hn_hypot, "hypot", NAN, -INF, INF},
    {hn_hypot, "hypot", NAN, 1, NAN},
    {hn_hypot, "hypot", 3e300, 4e300, 5e300},
    {hn_hypot, "hypot", 1e308, 1.7e308, INF},
    {hn_hypot, "hypot", 5e-324, 0, 5e-324},
    {hn_pow, "pow", NAN, 0, 1},
    {hn_pow, "pow", NAN, -0.0, 1},
    {hn_pow, "pow", 1, NAN, 1},
    {hn_pow, "pow", 2, NAN, NAN},
    {hn_pow, "pow", NAN, 2, NAN},
    {hn_pow, "pow", -1, INF, 1},
    {hn_pow, "pow", -1, -INF, 1},
    {hn_pow, "pow", 0.0, -3, INF},
    {hn_pow, "pow", -0.0, -3, -INF},
    {hn_pow, "pow", -0.0, -2, INF},
    {hn_pow, "pow", -0.0, -0.5, INF},
    {hn_pow, "pow", -0.0, 3, -0.0},
    {hn_pow, "pow", -0.0, 0.5, 0.0},
    {hn_pow, "pow", -0.0, -INF, INF},
    {hn_pow, "pow", -0.0, INF, 0.0},
    {hn_pow, "pow", 0.5, -INF, INF},
    {hn_pow, "pow", -1.5, -INF, 0.0},
    {hn_pow, "pow", 0.5, INF, 0.0},
    {hn_pow, "pow", -1.5, INF, INF},
    {hn_pow, "pow", -INF, -3, -0.0},
    {hn_pow, "pow", -INF, -2.5, 0.0},
    {hn_pow, "pow", -INF, 3, -INF},
    {hn_pow, "pow", -INF, 2, INF},
    {hn_pow, "pow", INF, -0.1, 0.0},
    {hn_pow, "pow", INF, 0.1, INF},
    {hn_pow, "pow", -2, 3, -8},
    {hn_pow, "pow", -2, 4, 16},
    {hn_pow, "pow", -2, 0.5, NAN},
    {hn_pow, "pow", -2, 1e300, INF},
    {hn_pow, "pow", -2, -1e300, 0.0},
    {hn_pow, "pow", 2, 1e308, INF},
    {hn_pow, "pow", 10, 22, 1e22},
    {hn_pow, "pow", 10, 2, 100},
    {hn_pow, "pow", 7, 18, 1628413597910449},
    {hn_pow, "pow", -2, -1075, -0.0},
    {hn_pow, "pow", 0x1p-1074, 1, 0x1p-1074},
    {hn_pow, "pow", 4, 0.5, 2},
};

static void special_values_are_those_of_the_standard(void **state) {
  (void)state;
  for (int k = 0; k < COUNT(special_ones); k++) {
    check_same(special_ones[k].function(special_ones[k].x), special_ones[k].y, special_ones[k].name,
               special_ones[k].x, 0);
    assert_true(isnan(special_ones[k].function(NAN)));
  }
  for (int k = 0; k < COUNT(special_twos); k++) {
    const double x = special_twos[k].x, y = special_twos[k].y;
    check_same(special_twos[k].function(x, y), special_twos[k].value, special_twos[k].name, x, y);
  }
}

static void odd_and_even_functions_are_so_in_every_bit(void **state) {
  (void)state;
  hn_random random = hn_random_seed(9);
  for (int k = 0; k < 10000; k++) {
    const double x = hn_random_uniform(&random, -30, 30), y = hn_random_uniform(&random, -30, 30);
    double s, c;
    hn_sincos(x, &s, &c);
    assert_true(s == hn_sin(x) && c == hn_cos(x));
    assert_true(hn_sin(-x) == -hn_sin(x) && hn_cos(-x) == hn_cos(x) && hn_tan(-x) == -hn_tan(x));
    assert_true(hn_atan(-x) == -hn_atan(x) && hn_asin(-x / 30) == -hn_asin(x / 30) &&
                hn_atan2(-x, y) == -hn_atan2(x, y));
    assert_true(hn_sinh(-x) == -hn_sinh(x) && hn_cosh(-x) == hn_cosh(x) &&
                hn_tanh(-x) == -hn_tanh(x));
    assert_true(hn_hypot(x, y) == hn_hypot(-y, x) && hn_cbrt(-x) == -hn_cbrt(x));
  }
}

// ---- the same bits ------------------------------------------------------------------------------

static void millions_of_results_have_the_same_bits_everywhere(void **state) {
  (void)state;
  const uint64_t hash = elementary_hash(HN_ELEMENTARY_ARGUMENTS);
  if (hash != HN_ELEMENTARY_HASH) fail_msg("the hash is 0x%016llx", (unsigned long long)hash);
}

// Angles of all sizes next to each other: small ones, multiples of pi/2, huge ones, none.
static void four_angles_have_the_bits_of_one(void **state) {
  (void)state;
  const double kinds[] = {1e-9, 0.1, 0.8, 3, 50, 1e4, 1e7, 1e300};
  hn_random random = hn_random_seed(5);
  for (int trial = 0; trial < 200000; trial++) {
    double x[4], s[4], c[4];
    for (int l = 0; l < 4; l++) {
      const int kind = (trial + 3 * l) % 11;
      x[l] = kind < COUNT(kinds) ? kinds[kind] * hn_random_uniform(&random, -1, 1)
             : kind == 8         ? 1.57079632679489661923 * (double)(trial % 9 - 4)
             : kind == 9         ? -0.0
                                 : 0.78539816339744830962 * (1 + 0x1p-52 * (double)(trial % 5 - 2));
    }
    hn_sincos_four(x, s, c);
    for (int l = 0; l < 4; l++) {
      double sine, cosine;
      hn_sincos(x[l], &sine, &cosine);
      assert_memory_equal(&s[l], &sine, sizeof sine);
      assert_memory_equal(&c[l], &cosine, sizeof cosine);
    }
  }
  const double odd[4] = {NAN, INFINITY, 1, -INFINITY};
  double s[4], c[4];
  hn_sincos_four(odd, s, c);
  assert_true(isnan(s[0]) && isnan(c[1]) && s[2] == hn_sin(1) && isnan(s[3]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hard_arguments_give_the_exact_value),
      cmocka_unit_test(random_arguments_give_the_value_in_long_double),
      cmocka_unit_test(random_pairs_give_the_value_in_long_double),
      cmocka_unit_test(special_values_are_those_of_the_standard),
      cmocka_unit_test(odd_and_even_functions_are_so_in_every_bit),
      cmocka_unit_test(four_angles_have_the_bits_of_one),
      cmocka_unit_test(millions_of_results_have_the_same_bits_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
