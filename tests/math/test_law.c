// Laws: constants, polynomials, piecewise polynomials and formulas. Tables: test_law_table.c.
#include "holon/law.h"

#include <math.h>
#include <string.h>

#include "math/differences.h"
#include "support/check.h"

typedef struct entry {
  const hn_law *law;
  int piece, order; // order -1: the integral
} entry;

static double law_entry(const void *context, double x) {
  const entry *e = context;
  hn_law_value v = hn_law_evaluate(e->law, e->piece, x);
  const double entries[] = {v.integral, v.value, v.d1, v.d2, v.d3};
  return entries[e->order + 1];
}

// Every entry is the derivative of the one before, by the formula of one piece.
static void check_derivatives(const hn_law *law, int piece, double x, double h, int has_integral) {
  for (int order = has_integral ? -1 : 0; order < 3; order++) {
    entry lower = {law, piece, order}, upper = {law, piece, order + 1};
    double exact = law_entry(&upper, x), base = law_entry(&lower, x);
    check_near(exact, difference(law_entry, &lower, x, h), 1e-9 * (1 + fabs(exact) + fabs(base)));
  }
}

static void constant_has_a_linear_integral(void **state) {
  (void)state;
  hn_law *law;
  check_ok(hn_law_constant(-2.5, NULL, &law, NULL));
  assert_int_equal(hn_law_get_kind(law), HN_LAW_CONSTANT);
  assert_int_equal(hn_law_pieces(law), 1);
  hn_law_value v = hn_law_evaluate(law, -1, 4);
  check_near(v.value, -2.5, 0);
  check_near(v.integral, -10, 0);
  check_near(fabs(v.d1) + fabs(v.d2) + fabs(v.d3), 0, 0);
  hn_law_free(law);
}

static void polynomial_has_exact_derivatives_and_integral(void **state) {
  (void)state;
  const double c[] = {1, -2, 3, -4, 5}; // by hand at x = 2
  hn_law *law;
  check_ok(hn_law_polynomial(c, 5, NULL, &law, NULL));
  assert_int_equal(hn_law_get_kind(law), HN_LAW_POLYNOMIAL);
  hn_law_value v = hn_law_evaluate(law, -1, 2);
  check_near(v.value, 57, 0);
  check_near(v.d1, 122, 0);
  check_near(v.d2, 198, 0);
  check_near(v.d3, 216, 0);
  check_near(v.integral, 22, 1e-13); // 2 - 4 + 8 - 16 + 32
  hn_random random = hn_random_seed(41);
  for (int trial = 0; trial < 20; trial++)
    check_derivatives(law, -1, hn_random_uniform(&random, -2, 2), 0.01, 1);
  hn_law_free(law);

  check_ok(hn_law_polynomial(c, 1, NULL, &law, NULL));
  check_near(hn_law_evaluate(law, -1, 9).value, 1, 0);
  check_near(hn_law_evaluate(law, -1, 9).d1, 0, 0);
  hn_law_free(law);
}

// A bump stop: soft, hard, harder; values jump in the last.
static const double breakpoints[] = {-0.5, 1.25};
static const double pieces[] = {2, 5, 1, -0.25, /**/ -1, 0.5, 0, 2, /**/ 10, -3, 0.75, 0.125};

static hn_law *make_piecewise(void) {
  hn_law *law;
  check_ok(hn_law_piecewise(breakpoints, pieces, 3, 4, NULL, &law, NULL));
  return law;
}

static double polynomial(const double *c, double x) {
  return c[0] + x * (c[1] + x * (c[2] + x * c[3]));
}

static void piecewise_takes_the_piece_that_holds_x(void **state) {
  (void)state;
  hn_law *law = make_piecewise();
  assert_int_equal(hn_law_get_kind(law), HN_LAW_PIECEWISE);
  assert_int_equal(hn_law_pieces(law), 3);
  check_near(hn_law_kink(law, 1), -0.5, 0);
  check_near(hn_law_kink(law, 2), 1.25, 0);
  assert_true(isnan(hn_law_kink(law, 0)) && isnan(hn_law_kink(law, 3)));
  const double x[] = {-1e9, -0.6, -0.5, 0, 1.2499, 1.25, 1e9};
  const int expected[] = {0, 0, 1, 1, 1, 2, 2};
  for (int i = 0; i < 7; i++) {
    assert_int_equal(hn_law_piece(law, x[i]), expected[i]);
    double value = polynomial(pieces + 4 * expected[i], x[i]);
    check_near(hn_law_evaluate(law, -1, x[i]).value, value, 1e-15 * fabs(value));
  }
  assert_int_equal(hn_law_piece(law, NAN), 0);
  hn_law_free(law);
}

static void a_frozen_piece_goes_on_beyond_its_ends(void **state) {
  (void)state;
  hn_law *law = make_piecewise();
  hn_random random = hn_random_seed(42);
  for (int trial = 0; trial < 30; trial++) {
    int piece = trial % 3;
    double x = hn_random_uniform(&random, -3, 3);
    check_near(hn_law_evaluate(law, piece, x).value, polynomial(pieces + 4 * piece, x), 1e-13);
    check_derivatives(law, piece, x, 0.01, 1);
  }
  hn_law_free(law);
}

static void the_integral_is_continuous_and_agrees_with_quadrature(void **state) {
  (void)state;
  hn_law *law = make_piecewise();
  for (int k = 1; k < 3; k++) {
    double x = hn_law_kink(law, k);
    check_near(hn_law_evaluate(law, k - 1, x).integral, hn_law_evaluate(law, k, x).integral, 1e-14);
  }
  entry value = {law, -1, 0};
  double expected = gauss(law_entry, &value, -2, -0.5) + gauss(law_entry, &value, -0.5, 1.25) +
                    gauss(law_entry, &value, 1.25, 3);
  check_near(hn_law_evaluate(law, -1, 3).integral - hn_law_evaluate(law, -1, -2).integral, expected,
             1e-12);
  hn_law_free(law);
}

// 1e12 N/m and a free length of 1 m: 0.5 k L^2 would hide 0.5e-6 J.
static void the_integral_is_zero_where_the_law_is(void **state) {
  (void)state;
  hn_law *law;
  const double stiff[] = {-1e12, 1e12};
  check_ok(hn_law_polynomial(stiff, 2, NULL, &law, NULL));
  check_near(hn_law_evaluate(law, -1, 1).integral, 0, 0);
  check_near(hn_law_evaluate(law, -1, 1 + 0x1p-30).integral, 0.5e12 * 0x1p-60, 1e-20);
  hn_law_free(law);

  // (x - 3) (x - 1) (x + 2), an antiderivative of which has wells at -2 and 3, the deeper at -2
  const double wells[] = {6, -5, -2, 1};
  check_ok(hn_law_polynomial(wells, 4, NULL, &law, NULL));
  check_near(hn_law_evaluate(law, -1, -2).integral, 0, 1e-14);
  // at 3: [6 x - 5/2 x^2 - 2/3 x^3 + 1/4 x^4] from -2 to 3 = 125 / 12
  check_near(hn_law_evaluate(law, -1, 3).integral, 125.0 / 12, 1e-13);
  hn_law_free(law);

  // free between 0.2 and 0.3, 100 N/m and 400 N/m beyond
  const double breaks[] = {0.2, 0.3}, gap[] = {-20, 100, 0, 0, -120, 400};
  check_ok(hn_law_piecewise(breaks, gap, 3, 2, NULL, &law, NULL));
  check_near(hn_law_evaluate(law, -1, 0.25).integral, 0, 0);
  check_near(hn_law_evaluate(law, -1, 0.1).integral, 0.5, 1e-14);
  check_near(hn_law_evaluate(law, -1, 0.4).integral, 2, 1e-14);
  hn_law_free(law);

  // a jump from -3 to 5 N at 1 m holds as well
  const double at[] = {1}, jump[] = {-3, 5};
  check_ok(hn_law_piecewise(at, jump, 2, 1, NULL, &law, NULL));
  check_near(hn_law_evaluate(law, -1, 1).integral, 0, 0);
  check_near(hn_law_evaluate(law, -1, 0).integral, 3, 1e-15);
  check_near(hn_law_evaluate(law, -1, 2).integral, 5, 1e-15);
  hn_law_free(law);

  // double zero at 2: (x - 2)^2
  const double touching[] = {4, -4, 1};
  check_ok(hn_law_polynomial(touching, 3, NULL, &law, NULL));
  check_near(hn_law_evaluate(law, -1, 5).integral, 9, 1e-13);
  hn_law_free(law);

  // of a spline the zero is inside a segment: sin(pi x) sampled about 1
  double x[21], y[21];
  for (int k = 0; k < 21; k++) x[k] = 0.55 + 0.045 * k, y[k] = -sin(3.14159265358979 * x[k]);
  check_ok(hn_law_table(x, y, 21, HN_TABLE_SPLINE, NULL, &law, NULL));
  check_near(hn_law_evaluate(law, -1, 1).integral, 0, 1e-6);
  check_near(hn_law_evaluate(law, -1, 1.3).integral,
             (1 - cos(0.3 * 3.14159265358979)) / 3.14159265358979, 1e-5);
  hn_law_free(law);
}

// Ten thousand pieces: floor(x) written out.
static void many_pieces_are_found(void **state) {
  (void)state;
  enum { count = 10000 };
  static double breaks[count - 1], c[count];
  for (int k = 0; k < count; k++) {
    c[k] = k;
    if (k > 0) breaks[k - 1] = k;
  }
  hn_law *law;
  check_ok(hn_law_piecewise(breaks, c, count, 1, NULL, &law, NULL));
  hn_random random = hn_random_seed(43);
  for (int trial = 0; trial < 1000; trial++) {
    double x = hn_random_uniform(&random, 0, count);
    check_near(hn_law_evaluate(law, -1, x).value, floor(x), 0);
    double whole = floor(x), area = whole * (whole - 1) / 2 + whole * (x - whole);
    check_near(hn_law_evaluate(law, -1, x).integral, area, 1e-13 * (1 + area));
  }
  hn_law_free(law);
}

// ---- formulas -----------------------------------------------------------------------------------

static const char *const xvt[] = {"x", "v", "t"};

static void formula_of_one_variable_has_three_derivatives(void **state) {
  (void)state;
  hn_law *law;
  check_ok(hn_law_expression("33*t^2*exp(-t) + sin(2*pi*t)", xvt + 2, 1, NULL, &law, NULL));
  assert_int_equal(hn_law_get_kind(law), HN_LAW_EXPRESSION);
  assert_int_equal(hn_law_pieces(law), 1);
  hn_random random = hn_random_seed(44);
  for (int trial = 0; trial < 20; trial++) {
    double t = hn_random_uniform(&random, -1, 2);
    hn_law_value v = hn_law_evaluate(law, -1, t);
    check_near(v.value, 33 * t * t * exp(-t) + sin(6.28318530717958647693 * t), 1e-13);
    check_near(v.integral, 0, 0);
    double h = 1e-3;
    for (int order = 0; order < 3; order++) {
      entry lower = {law, -1, order}, upper = {law, -1, order + 1};
      check_near(law_entry(&upper, t), difference(law_entry, &lower, t, h), 1e-7);
    }
  }
  hn_law_free(law);
}

static void formula_of_several_variables_has_a_gradient(void **state) {
  (void)state;
  hn_law *law;
  check_ok(hn_law_expression("v^2*t + 4*t*v", xvt, 3, NULL, &law, NULL)); // x is not used
  double variables[] = {9, 3, 2}, gradient[3];
  check_near(hn_law_evaluate_many(law, variables, gradient), 42, 0);
  check_near_many(gradient, ((double[]){0, 20, 21}), 3, 0);
  check_near(hn_law_evaluate_many(law, variables, NULL), 42, 0);
  assert_true(isnan(hn_law_evaluate(law, -1, 1).value)); // of which variable?
  hn_law_free(law);
}

static void the_largest_number_of_variables_works(void **state) {
  (void)state;
  const char *const names[HN_LAW_VARIABLES] = {"a", "b", "c", "d", "f", "g", "h", "i",
                                               "j", "k", "l", "m", "n", "o", "p", "q"};
  hn_law *law;
  check_ok(hn_law_expression("a*b*c*d*f*g*h*i*j*k*l*m*n*o*p*q", names, HN_LAW_VARIABLES, NULL, &law,
                             NULL));
  double variables[HN_LAW_VARIABLES], gradient[HN_LAW_VARIABLES], product = 1;
  for (int i = 0; i < HN_LAW_VARIABLES; i++) product *= variables[i] = 1 + 0.1 * i;
  check_near(hn_law_evaluate_many(law, variables, gradient), product, 0);
  for (int i = 0; i < HN_LAW_VARIABLES; i++)
    check_relative(gradient[i], product / variables[i], 1e-14);
  hn_law_free(law);
}

static void other_laws_evaluate_as_functions_of_one_variable(void **state) {
  (void)state;
  hn_law *law;
  check_ok(hn_law_polynomial((double[]){0, 0, 3}, 3, NULL, &law, NULL));
  double x = 2, gradient;
  check_near(hn_law_evaluate_many(law, &x, &gradient), 12, 0);
  check_near(gradient, 12, 0);
  hn_law_free(law);
  // a formula without variables is a constant
  check_ok(hn_law_expression("2*pi", NULL, 0, NULL, &law, NULL));
  check_near(hn_law_evaluate(law, -1, 5).value, 6.28318530717958647693, 0);
  check_near(hn_law_evaluate(law, -1, 5).d1, 0, 0);
  hn_law_free(law);
}

// ---- errors -------------------------------------------------------------------------------------

static void check_refused(hn_status actual, hn_status expected, hn_law *const *law,
                          const hn_error *error, const char *message) {
  check_status(actual, expected);
  assert_null(*law);
  assert_int_equal(error->status, expected);
  check_names(error->message, message);
}

static void values_that_are_not_finite_are_refused(void **state) {
  (void)state;
  hn_law *law;
  hn_error error;
  check_refused(hn_law_constant(NAN, NULL, &law, &error), HN_ERROR_NOT_FINITE, &law, &error, "nan");
  assert_true(error.hint[0]);
  check_refused(hn_law_polynomial((double[]){1, INFINITY}, 2, NULL, &law, &error),
                HN_ERROR_NOT_FINITE, &law, &error, "1 inf");
  assert_true(error.hint[0]);
  check_refused(hn_law_piecewise((double[]){INFINITY}, (double[]){1, 2}, 2, 1, NULL, &law, &error),
                HN_ERROR_NOT_FINITE, &law, &error, "1 inf");
  assert_true(error.hint[0]);
  check_refused(
      hn_law_piecewise((double[]){1e200}, (double[]){0, 0, 1, 0, 0, 2}, 2, 3, NULL, &law, &error),
      HN_ERROR_NOT_FINITE, &law, &error, "");
  check_refused(hn_law_expression("x + 1/0", xvt, 1, NULL, &law, &error), HN_ERROR_NOT_FINITE, &law,
                &error, "inf");
  assert_true(error.hint[0]);
}

static void arguments_without_meaning_are_refused(void **state) {
  (void)state;
  hn_law *law;
  hn_error error;
  const double c[] = {1, 2, 3}, same[] = {1, 1}, falling[] = {2, 1};
  check_refused(hn_law_polynomial(c, 0, NULL, &law, &error), HN_ERROR_ARGUMENT, &law, &error, "0");
  check_refused(hn_law_polynomial(NULL, 1, NULL, &law, &error), HN_ERROR_ARGUMENT, &law, &error,
                "");
  check_refused(hn_law_piecewise(NULL, c, 3, 1, NULL, &law, &error), HN_ERROR_ARGUMENT, &law,
                &error, "");
  check_refused(hn_law_piecewise(same, c, 3, 1, NULL, &law, &error), HN_ERROR_ARGUMENT, &law,
                &error, "2 1");
  check_refused(hn_law_piecewise(falling, c, 3, 1, NULL, &law, &error), HN_ERROR_ARGUMENT, &law,
                &error, "");
  check_refused(hn_law_expression(NULL, xvt, 1, NULL, &law, &error), HN_ERROR_ARGUMENT, &law,
                &error, "");
  check_refused(hn_law_expression("1", xvt, HN_LAW_VARIABLES + 1, NULL, &law, &error),
                HN_ERROR_ARGUMENT, &law, &error, "16");
  const char *const wrong[] = {"e", "pi", "sin", "2x", "", "a b", "if", NULL};
  for (int i = 0; i < 8; i++)
    check_refused(hn_law_expression("1", wrong + i, 1, NULL, &law, &error), HN_ERROR_ARGUMENT, &law,
                  &error, "");
  const char *const twice[] = {"x", "x"};
  check_refused(hn_law_expression("1", twice, 2, NULL, &law, &error), HN_ERROR_ARGUMENT, &law,
                &error, "'x'");
}

static void syntax_errors_have_their_column(void **state) {
  (void)state;
  hn_law *law;
  hn_error error;
  check_refused(hn_law_expression("4e3*x + 20*w", xvt, 3, NULL, &law, &error), HN_ERROR_SYNTAX,
                &law, &error, "'w'");
  assert_int_equal(error.column, 12);
  check_refused(hn_law_expression("4e3*(x", xvt, 3, NULL, &law, &error), HN_ERROR_SYNTAX, &law,
                &error, "')'");
  assert_int_equal(error.column, 7);
  check_status(hn_law_expression("x +", xvt, 3, NULL, &law, NULL), HN_ERROR_SYNTAX);
}

// ---- memory -------------------------------------------------------------------------------------

static hn_status make(int which, const hn_allocator *allocator, hn_law **law, hn_error *error) {
  if (which == 0) return hn_law_constant(1, allocator, law, error);
  if (which == 1) return hn_law_polynomial(pieces, 4, allocator, law, error);
  if (which == 2) return hn_law_piecewise(breakpoints, pieces, 3, 4, allocator, law, error);
  return hn_law_expression("x*sin(v) + t", xvt, 3, allocator, law, error);
}

static void a_law_is_one_block_and_evaluation_takes_none(void **state) {
  (void)state;
  for (int which = 0; which < 4; which++) {
    hn_counting_memory memory = {0};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_law *law;
    hn_error error;
    check_ok(make(which, &allocator, &law, &error));
    assert_int_equal(memory.calls, 1);
    double variables[3] = {1, 2, 3}, gradient[3];
    hn_law_evaluate(law, -1, 0.3);
    hn_law_evaluate_many(law, variables, gradient);
    assert_int_equal(memory.calls, 1);
    hn_law_free(law);
    assert_int_equal(memory.living, 0);

    memory = (hn_counting_memory){.fail_at = 1};
    check_refused(make(which, &allocator, &law, &error), HN_ERROR_MEMORY, &law, &error, "");
    assert_int_equal(memory.living, 0);
  }
  hn_law_free(NULL);
}

// A rejected definition frees the block it was given.
static void refused_laws_leak_nothing(void **state) {
  (void)state;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_law *law;
  check_status(hn_law_piecewise((double[]){1e200}, (double[]){0, 0, 1, 0, 0, 2}, 2, 3, &allocator,
                                &law, NULL),
               HN_ERROR_NOT_FINITE);
  check_status(hn_law_expression("x +", xvt, 3, &allocator, &law, NULL), HN_ERROR_SYNTAX);
  check_status(hn_law_table((double[]){0, 1}, (double[]){-1e308, 1e308}, 2, HN_TABLE_SPLINE,
                            &allocator, &law, NULL),
               HN_ERROR_NOT_FINITE);
  assert_int_equal(memory.living, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constant_has_a_linear_integral),
      cmocka_unit_test(polynomial_has_exact_derivatives_and_integral),
      cmocka_unit_test(piecewise_takes_the_piece_that_holds_x),
      cmocka_unit_test(a_frozen_piece_goes_on_beyond_its_ends),
      cmocka_unit_test(the_integral_is_continuous_and_agrees_with_quadrature),
      cmocka_unit_test(the_integral_is_zero_where_the_law_is),
      cmocka_unit_test(many_pieces_are_found),
      cmocka_unit_test(formula_of_one_variable_has_three_derivatives),
      cmocka_unit_test(formula_of_several_variables_has_a_gradient),
      cmocka_unit_test(the_largest_number_of_variables_works),
      cmocka_unit_test(other_laws_evaluate_as_functions_of_one_variable),
      cmocka_unit_test(values_that_are_not_finite_are_refused),
      cmocka_unit_test(arguments_without_meaning_are_refused),
      cmocka_unit_test(syntax_errors_have_their_column),
      cmocka_unit_test(a_law_is_one_block_and_evaluation_takes_none),
      cmocka_unit_test(refused_laws_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
