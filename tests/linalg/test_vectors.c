// Sums over vectors in lanes: by hand, for lengths that are whole lanes and for others.
#include <string.h>

#include "linalg/block.h"
#include "linalg/vectors.h"
#include "support/check.h"

enum { LONGEST = 37, VECTORS = 5 };

static void combinations_are_added_up_in_order(void **state) {
  (void)state;
  hn_random random = hn_random_seed(5);
  double numbers[VECTORS][LONGEST], weight[VECTORS], *x[VECTORS];
  hn_random_fill(&random, weight, VECTORS, -2, 2);
  for (int k = 0; k < VECTORS; k++) {
    hn_random_fill(&random, numbers[k], LONGEST, -1, 1);
    x[k] = numbers[k];
  }
  for (int n = 0; n <= LONGEST; n++)
    for (int count = 0; count <= VECTORS; count++)
      for (int wide = 0; wide <= hn_is_wide(); wide++) {
        double out[LONGEST + 1];
        out[n] = 7;
        hn_combine(wide, n, count, weight, x, out);
        for (int i = 0; i < n; i++) {
          double sum = 0;
          for (int k = 0; k < count; k++) sum += weight[k] * x[k][i];
          check_near(out[i], sum, 0);
        }
        check_near(out[n], 7, 0);
      }
}

static void squares_are_weighed(void **state) {
  (void)state;
  hn_random random = hn_random_seed(6);
  double x[LONGEST], weight[LONGEST];
  hn_random_fill(&random, x, LONGEST, -1, 1);
  hn_random_fill(&random, weight, LONGEST, 0, 2);
  for (int n = 0; n <= LONGEST; n++) {
    double sum = 0, plain = hn_sum_of_squares(0, n, weight, x);
    for (int i = 0; i < n; i++) sum += weight[i] * x[i] * x[i];
    check_near(plain, sum, 1e-14);
    check_near(hn_sum_of_squares(hn_is_wide(), n, weight, x), plain, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(combinations_are_added_up_in_order),
      cmocka_unit_test(squares_are_weighed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
