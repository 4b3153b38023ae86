// Newton control: when to stop, when to give up.
#include <math.h>

#include "integrate/newton.h"
#include "support/check.h"

static void a_fast_iteration_stops_when_what_is_left_is_small(void **state) {
  (void)state;
  hn_newton n = hn_newton_begin(1e-2);
  hn_newton_begin_stage(&n);
  check_status(hn_newton_judge(&n, 1), HN_RETRY); // nothing known of the rate yet
  // rate 1e-3: the remaining error is about 1e-6
  check_status(hn_newton_judge(&n, 1e-3), HN_OK);
  // the rate is remembered: the next stage may stop after one iteration
  hn_newton_begin_stage(&n);
  check_status(hn_newton_judge(&n, 1), HN_OK);
}

static void a_growing_correction_gives_up(void **state) {
  (void)state;
  hn_newton n = hn_newton_begin(1e-2);
  hn_newton_begin_stage(&n);
  check_status(hn_newton_judge(&n, 1), HN_RETRY);
  check_status(hn_newton_judge(&n, 2), HN_RETRY); // once, for the multipliers
  check_status(hn_newton_judge(&n, 3), HN_RETRY_CONVERGENCE);
  hn_newton_begin_stage(&n);
  check_status(hn_newton_judge(&n, 1), HN_RETRY);
  check_status(hn_newton_judge(&n, 5), HN_RETRY_CONVERGENCE);
}

static void an_iteration_too_slow_for_the_iterations_left_gives_up_early(void **state) {
  (void)state;
  hn_newton n = hn_newton_begin(1e-6);
  hn_newton_begin_stage(&n);
  check_status(hn_newton_judge(&n, 1), HN_RETRY);
  check_status(hn_newton_judge(&n, 0.9), HN_RETRY);              // one rate is not judged yet
  check_status(hn_newton_judge(&n, 0.81), HN_RETRY_CONVERGENCE); // 0.9^7/0.1 is far above 1e-6
}

// Multipliers are unknowns but not in the norm: what is wrong with them shows every second time.
static void rates_that_take_turns_are_judged_over_two_iterations(void **state) {
  static const double norms[] = {3.4, 1.44, 1.97e-2, 9.1e-3, 1.2e-4};
  (void)state;
  hn_newton n = hn_newton_begin(1e-4);
  hn_newton_begin_stage(&n);
  for (int k = 0; k < 4; k++) check_status(hn_newton_judge(&n, norms[k]), HN_RETRY);
  check_status(hn_newton_judge(&n, norms[4]), HN_OK);
  // the first correction may be small while multipliers are wrong
  n = hn_newton_begin(1e-4);
  hn_newton_begin_stage(&n);
  check_status(hn_newton_judge(&n, 1.1e-2), HN_RETRY);
  check_status(hn_newton_judge(&n, 1.9e-2), HN_RETRY);
  check_status(hn_newton_judge(&n, 1.1e-2), HN_RETRY);
  check_status(hn_newton_judge(&n, 1e-4), HN_OK);
}

static void a_correction_that_is_no_number_gives_up(void **state) {
  (void)state;
  hn_newton n = hn_newton_begin(1e-2);
  hn_newton_begin_stage(&n);
  check_status(hn_newton_judge(&n, HUGE_VAL), HN_RETRY_CONVERGENCE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fast_iteration_stops_when_what_is_left_is_small),
      cmocka_unit_test(a_growing_correction_gives_up),
      cmocka_unit_test(an_iteration_too_slow_for_the_iterations_left_gives_up_early),
      cmocka_unit_test(rates_that_take_turns_are_judged_over_two_iterations),
      cmocka_unit_test(a_correction_that_is_no_number_gives_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
