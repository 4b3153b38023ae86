// Magnitude and quotient of complex numbers: exact cases, both branches, arguments whose squares
// overflow, and products that give back the numerator.
#include "math/complex_number.h"

#include "support/check.h"

static void check_number(double complex z, double real, double imaginary) {
  check_relative(creal(z), real, 4e-16);
  check_relative(cimag(z), imaginary, 4e-16);
}

static void quotients_are_exact_to_rounding(void **state) {
  (void)state;
  check_number(complex_quotient(1 + 2 * I, 3 + 4 * I), 0.44, 0.08);
  check_number(complex_quotient(1 + 2 * I, 4 + 3 * I), 0.4, 0.2);
  check_number(complex_quotient(1, 2 * I), 0, -0.5);
  check_number(complex_quotient(-6 + 3 * I, -3), 2, -1);
}

static void large_and_small_numbers_do_not_overflow(void **state) {
  (void)state;
  check_number(complex_quotient(2e300 + 1e300 * I, 1e300 - 2e300 * I), 0, 1);
  check_number(complex_quotient(1e-300, 1e-300 + 1e-300 * I), 0.5, -0.5);
  check_relative(complex_magnitude(3e300 - 4e300 * I), 5e300, 3e-16);
  check_relative(complex_magnitude(-5e-310), 5e-310, 0);
}

static void a_quotient_times_the_denominator_is_the_numerator(void **state) {
  (void)state;
  hn_random random = hn_random_seed(5);
  for (int k = 0; k < 10000; k++) {
    double x[4];
    hn_random_fill(&random, x, 4, -1, 1);
    const double complex y = x[2] + x[3] * I, product = complex_quotient(x[0] + x[1] * I, y) * y;
    const double size = fabs(x[0]) + fabs(x[1]);
    check_near(creal(product), x[0], 2e-15 * size);
    check_near(cimag(product), x[1], 2e-15 * size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quotients_are_exact_to_rounding),
      cmocka_unit_test(large_and_small_numbers_do_not_overflow),
      cmocka_unit_test(a_quotient_times_the_denominator_is_the_numerator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
