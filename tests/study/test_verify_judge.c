// The grade of verify from trials that end at different times: how far two of them covered the motion.
#include "study/verify_work.h"
#include "support/check.h"

enum { ROWS = 11, TRIALS = 3 };

// Until when a report of these trials, which agree as far as they ran, vouches for the motion.
static double until_of(const int *rows, int count, hn_verify_verdict *verdict) {
  double grid[ROWS];
  hn_trial trials[TRIALS] = {0};
  for (int k = 0; k < ROWS; k++) grid[k] = 0.1 * k;
  for (int k = 0; k < count; k++) {
    trials[k].formulation = (hn_formulation){"cartesian", "first-order", "dopri5", "none"};
    trials[k].status = rows[k] < ROWS ? HN_ERROR_LIMIT : HN_OK;
    trials[k].rows = rows[k];
    trials[k].reached = grid[rows[k] - 1];
  }
  hn_verify report = {
      .time = 1, .rows = ROWS, .grid = grid, .trial_count = count, .trials = trials};
  hn_verify_work work = {.report = &report};
  hn_verify_judge(&work);
  *verdict = report.verdict;
  return report.until;
}

static void two_formulations_have_to_cover_a_motion(void **state) {
  (void)state;
  static const int orders[6][TRIALS] = {{4, 8, 11}, {4, 11, 8}, {8, 4, 11},
                                        {8, 11, 4}, {11, 4, 8}, {11, 8, 4}};
  hn_verify_verdict verdict;
  for (int k = 0; k < 6; k++) {
    check_near(until_of(orders[k], TRIALS, &verdict), 0.7, 1e-15);
    assert_int_equal(verdict, HN_VERIFY_AGREE_UNTIL);
  }
  static const int pairs[2][2] = {{6, 11}, {11, 6}};
  for (int k = 0; k < 2; k++) {
    check_near(until_of(pairs[k], 2, &verdict), 0.5, 1e-15);
    assert_int_equal(verdict, HN_VERIFY_AGREE_UNTIL);
  }
  static const int all[] = {5, ROWS, ROWS};
  check_near(until_of(all, TRIALS, &verdict), 1, 1e-15);
  assert_int_equal(verdict, HN_VERIFY_AGREE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_formulations_have_to_cover_a_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
