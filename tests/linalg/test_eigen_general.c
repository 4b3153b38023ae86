// Eigenvalues without symmetry against known ones, and every pair against A x = lambda x.
#include "linalg/eigen_general.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { MOST = 60 };

typedef struct solved {
  int n, zeros;
  double real[MOST], imaginary[MOST];
  double *vectors;
} solved;

static solved solve(const double *a, int n) {
  solved s = {.n = n, .vectors = calloc(2 * (size_t)n * (size_t)n, sizeof(double))};
  assert_non_null(s.vectors);
  check_ok(hn_eigen_general(NULL, a, n, s.real, s.imaginary, s.vectors, &s.zeros));
  return s;
}

// The largest |A x - lambda x| of values that are not zero, against the largest entry.
static double residual(const double *a, const solved *s) {
  double worst = 0, size = 0;
  const int n = s->n;
  for (int i = 0; i < n * n; i++) size = fmax(size, fabs(a[i]));
  for (int k = 0; k < n - s->zeros; k++) {
    const double complex value = s->real[k] + I * s->imaginary[k];
    const double *x = &s->vectors[2 * n * k];
    for (int i = 0; i < n; i++) {
      double complex sum = -value * (x[i] + I * x[n + i]);
      for (int j = 0; j < n; j++) sum += a[j * n + i] * (x[j] + I * x[n + j]);
      worst = fmax(worst, cabs(sum) / size);
    }
  }
  return worst;
}

static void vectors_belong_to_their_values(void **state) {
  (void)state;
  hn_random random = hn_random_seed(3);
  double a[MOST * MOST];
  for (int n = 1; n <= MOST; n += 7) {
    hn_random_fill(&random, a, n * n, -1, 1);
    solved s = solve(a, n);
    double trace = 0, sum = 0;
    for (int i = 0; i < n; i++) {
      trace += a[i * n + i];
      sum += s.real[i];
    }
    assert_int_equal(s.zeros, 0);
    check_near(sum, trace, 1e-11);
    check_at_most(residual(a, &s), 1e-10);
    free(s.vectors);
  }
}

// [0 1; -K 0] of a chain: pairs +-i w, also where two are alike and the diagonal has nothing.
static void undamped_machines_have_no_diagonal(void **state) {
  (void)state;
  const double alike[16] = {0, 0, -7, 0, 0, 0, 0, -7, 1, 0, 0, 0, 0, 1, 0, 0};
  solved s = solve(alike, 4);
  for (int k = 0; k < 4; k++) {
    check_near(s.real[k], 0, 1e-14);
    check_near(fabs(s.imaginary[k]), sqrt(7), 1e-14);
  }
  free(s.vectors);
  enum { N = 12, S = 2 * N };
  double a[S * S] = {0};
  for (int i = 0; i < N; i++) {
    a[(N + i) * S + i] = 1;
    a[i * S + N + i] = -2;
    if (i > 0) a[(i - 1) * S + N + i] = a[i * S + N + i - 1] = 1;
  }
  s = solve(a, S);
  for (int k = 0; k < N; k++) {
    const double w = 2 * sin((k + 1) * 3.14159265358979323846 / (2 * (N + 1)));
    double nearest = HUGE_VAL;
    for (int i = 0; i < S; i++) nearest = fmin(nearest, hypot(s.real[i], s.imaginary[i] - w));
    check_at_most(nearest, 1e-13);
  }
  free(s.vectors);
}

// A body that drifts next to an oscillator: a double zero that is defective, exactly.
static void double_zeros_are_zeros(void **state) {
  (void)state;
  double a[16] = {0};
  a[2 * 4] = a[3 * 4 + 1] = 1; // x1' = v1, x2' = v2
  for (int i = 0; i < 2; i++)  // two masses and a spring between them, stiffness 1e4
    for (int j = 0; j < 2; j++) a[j * 4 + 2 + i] = i == j ? -1e4 : 1e4;
  solved s = solve(a, 4);
  assert_int_equal(s.zeros, 2);
  check_near(s.real[2], 0, 0);
  check_near(s.imaginary[3], 0, 0);
  check_near(s.imaginary[0], sqrt(2e4), 1e-10);
  free(s.vectors);
}

static void numbers_that_are_none_are_refused(void **state) {
  (void)state;
  const double a[1] = {NAN};
  double real, imaginary;
  check_status(hn_eigen_general(NULL, a, 1, &real, &imaginary, NULL, NULL), HN_ERROR_NOT_FINITE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_belong_to_their_values),
      cmocka_unit_test(undamped_machines_have_no_diagonal),
      cmocka_unit_test(double_zeros_are_zeros),
      cmocka_unit_test(numbers_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
