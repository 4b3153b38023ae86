// Step control: growth and reduction stay within limits, a rejection forbids growth once.
#include <math.h>

#include "integrate/step_control.h"
#include "support/check.h"

static void small_errors_grow_the_step_at_most_fivefold(void **state) {
  (void)state;
  hn_step_control c = hn_step_control_begin(4);
  check_near(hn_step_control_accepted(&c, 0), 5, 0);
  check_at_most(hn_step_control_accepted(&c, 1e-9), 5);
}

static void a_rejection_shrinks_and_then_forbids_growth(void **state) {
  (void)state;
  hn_step_control c = hn_step_control_begin(4);
  double factor = hn_step_control_rejected(&c, 32);
  check_near(factor, 0.9 * 0.5, 1e-15); // 32^(-1/5) = 1/2
  check_at_most(hn_step_control_accepted(&c, 1e-6), 1);
  assert_true(hn_step_control_accepted(&c, 1e-6) > 1);
}

static void an_infinite_error_takes_the_largest_reduction(void **state) {
  (void)state;
  hn_step_control c = hn_step_control_begin(4);
  check_near(hn_step_control_rejected(&c, HUGE_VAL), 0.2, 0);
}

static void the_norm_weighs_each_component_by_its_size(void **state) {
  (void)state;
  double e[2] = {3e-3, 4e-2}, y0[2] = {0, -9}, y1[2] = {2, 1};
  // scales 1e-3 + 1e-3 * 2 = 3e-3 and 1e-3 + 1e-3 * 9 = 1e-2: sqrt((1 + 16) / 2)
  check_near(hn_error_norm(e, y0, y1, 2, 1e-3, 1e-3), sqrt(8.5), 1e-14);
}

static void a_norm_that_is_no_number_counts_as_infinite(void **state) {
  (void)state;
  double e[1] = {(double)NAN}, y[1] = {0};
  assert_true(hn_error_norm(e, y, y, 1, 1e-3, 1e-3) == HUGE_VAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_errors_grow_the_step_at_most_fivefold),
      cmocka_unit_test(a_rejection_shrinks_and_then_forbids_growth),
      cmocka_unit_test(an_infinite_error_takes_the_largest_reduction),
      cmocka_unit_test(the_norm_weighs_each_component_by_its_size),
      cmocka_unit_test(a_norm_that_is_no_number_counts_as_infinite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
