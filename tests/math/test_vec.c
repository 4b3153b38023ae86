// Vectors and what is asked of lists of numbers.
#include <float.h>

#include "math/vec.h"
#include "support/check.h"

// Wherever it stands, and whatever comes after it: a gap that is no number must not look closed.
static void the_largest_number_is_not_finite_when_one_is_not(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++)
    for (int at = 0; at < 4; at++) {
      double x[4] = {1, -3, 2, 0};
      x[at] = bad[k];
      assert_true(!(hn_largest(x, 4) <= DBL_MAX));
    }
}

static void the_largest_number_is_a_size(void **state) {
  (void)state;
  const double x[] = {1, -3, 2};
  check_near(hn_largest(x, 3), 3, 0);
  check_near(hn_largest(x, 0), 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_number_is_not_finite_when_one_is_not),
      cmocka_unit_test(the_largest_number_is_a_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
