// Our own sine and cosine against those of the C library, over many turns and at the awkward places.
#include "math/sincos.h"

#include "support/check.h"

static void agrees_with_libm(double x) {
  double s, c;
  hn_sincos(x, &s, &c);
  check_near(s, sin(x), 2.3e-16);
  check_near(c, cos(x), 2.3e-16);
}

static void angles_of_many_turns_agree_with_libm(void **state) {
  (void)state;
  hn_random random = hn_random_seed(3);
  for (int k = 0; k < 200000; k++) agrees_with_libm(hn_random_uniform(&random, -20, 20));
  for (int k = 0; k < 200000; k++) agrees_with_libm(hn_random_uniform(&random, -9.9e4, 9.9e4));
}

static void quarters_and_small_angles_agree_with_libm(void **state) {
  (void)state;
  for (int k = -1000; k <= 1000; k++) {
    agrees_with_libm(k * 0.78539816339744830962);
    agrees_with_libm(k * 1.57079632679489661923);
    agrees_with_libm(k * 1e-9);
  }
}

static void large_and_odd_arguments_are_those_of_libm(void **state) {
  (void)state;
  double s, c;
  agrees_with_libm(1e5);
  agrees_with_libm(-3e15);
  hn_sincos(NAN, &s, &c);
  assert_true(isnan(s) && isnan(c));
  hn_sincos(HUGE_VAL, &s, &c);
  assert_true(isnan(s) && isnan(c));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(angles_of_many_turns_agree_with_libm),
      cmocka_unit_test(quarters_and_small_angles_agree_with_libm),
      cmocka_unit_test(large_and_odd_arguments_are_those_of_libm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
