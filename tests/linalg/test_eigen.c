// Symmetric eigenvalues: closed forms, and A V = V diag(values) with V'V = 1.
#include <math.h>
#include <string.h>

#include "linalg/rank.h"
#include "support/check.h"

enum { MOST = 40 };

static void check_decomposition(const double *a, const double *v, const double *values, int n,
                                double tolerance) {
  for (int j = 0; j < n; j++) {
    if (j > 0) assert_true(values[j - 1] <= values[j]);
    for (int i = 0; i < n; i++) {
      double product = 0, inner = 0;
      for (int k = 0; k < n; k++) {
        product += a[i + n * k] * v[k + n * j];
        inner += v[k + n * i] * v[k + n * j];
      }
      check_near(product, values[j] * v[i + n * j], tolerance);
      check_near(inner, i == j, tolerance);
    }
  }
}

static void random_matrices_are_decomposed(void **state) {
  (void)state;
  hn_random random = hn_random_seed(31);
  for (int n = 1; n <= MOST; n++) {
    double a[MOST * MOST], v[MOST * MOST], values[MOST], work[MOST];
    for (int j = 0; j < n; j++)
      for (int i = 0; i <= j; i++) a[i + n * j] = a[j + n * i] = hn_random_uniform(&random, -1, 1);
    memcpy(v, a, sizeof(double) * (size_t)(n * n));
    assert_int_equal(hn_eigen_symmetric(v, n, values, work), 0);
    check_decomposition(a, v, values, n, 1e-13 * n);
  }
}

// The second difference matrix has eigenvalues 2 - 2 cos(k pi / (n + 1)).
static void second_differences_have_their_known_values(void **state) {
  (void)state;
  enum { N = 25 };
  double a[N * N] = {0}, v[N * N], values[N], work[N];
  for (int i = 0; i < N; i++) {
    a[i + N * i] = 2;
    if (i > 0) a[i + N * (i - 1)] = a[i - 1 + N * i] = -1;
  }
  memcpy(v, a, sizeof v);
  assert_int_equal(hn_eigen_symmetric(v, N, values, work), 0);
  for (int k = 1; k <= N; k++)
    check_near(values[k - 1], 2 - 2 * cos(k * 3.14159265358979323846 / (N + 1)), 1e-14);
  check_decomposition(a, v, values, N, 1e-13);
}

static void repeated_zero_and_graded_values_are_found(void **state) {
  (void)state;
  // u u' has one value |u|^2 and zeros; blocks of very different size stay apart
  enum { N = 6 };
  double a[N * N], v[N * N], values[N], work[N], u[N] = {1, 2, -1, 0, 3, 1};
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) a[i + N * j] = u[i] * u[j];
  memcpy(v, a, sizeof v);
  assert_int_equal(hn_eigen_symmetric(v, N, values, work), 0);
  for (int k = 0; k < N - 1; k++) check_near(values[k], 0, 1e-14);
  check_near(values[N - 1], 16, 1e-13);
  check_decomposition(a, v, values, N, 1e-13);

  double graded[4] = {1e-9, 0, 0, 1e9}, small[2], spare[2];
  assert_int_equal(hn_eigen_symmetric(graded, 2, small, spare), 0);
  check_relative(small[0], 1e-9, 1e-14);
  check_relative(small[1], 1e9, 1e-14);
}

static void nothing_is_done_for_an_empty_matrix(void **state) {
  (void)state;
  assert_int_equal(hn_eigen_symmetric(NULL, 0, NULL, NULL), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_matrices_are_decomposed),
      cmocka_unit_test(second_differences_have_their_known_values),
      cmocka_unit_test(repeated_zero_and_graded_values_are_found),
      cmocka_unit_test(nothing_is_done_for_an_empty_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
