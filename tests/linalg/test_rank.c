// Rank-revealing QR, null spaces and LU on matrices whose rank and solutions are known.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/rank.h"
#include "support/check.h"

// rows x columns of exact rank: a product of random factors.
static void make_rank(hn_random *random, int rows, int columns, int rank, double *a) {
  double *left = malloc(sizeof(double) * (size_t)(rows * rank + 1));
  double *right = malloc(sizeof(double) * (size_t)(rank * columns + 1));
  hn_random_fill(random, left, rows * rank, -1, 1);
  hn_random_fill(random, right, rank * columns, -1, 1);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) {
      double sum = 0;
      for (int k = 0; k < rank; k++) sum += left[i + rows * k] * right[k + rank * j];
      a[i + rows * j] = sum;
    }
  free(left);
  free(right);
}

static void rank_and_null_space_of_products(void **state) {
  (void)state;
  hn_random random = hn_random_seed(21);
  for (int k = 0; k < 60; k++) {
    int rows = 1 + hn_random_below(&random, 30), columns = 1 + hn_random_below(&random, 30);
    int most = rows < columns ? rows : columns, rank = hn_random_below(&random, most + 1);
    double a[900], keep[900], null_space[900], work[200];
    int order[30];
    make_rank(&random, rows, columns, rank, a);
    memcpy(keep, a, sizeof a);
    assert_int_equal(hn_rank_qr(a, rows, columns, 1e-9, NULL, order, work), rank);
    hn_rank_null_space(a, rows, columns, rank, order, null_space);
    for (int c = 0; c < columns - rank; c++) {
      const double *x = &null_space[c * columns];
      check_near(x[order[rank + c]], 1, 0);
      double largest = 1;
      for (int j = 0; j < columns; j++) largest = fmax(largest, fabs(x[j]));
      for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < columns; j++) sum += keep[i + rows * j] * x[j];
        check_near(sum, 0, 1e-10 * largest);
      }
    }
  }
}

static void graded_singular_values_are_counted_by_the_tolerance(void **state) {
  (void)state;
  // diag(1, 1e-2, ..., 1e-14)
  double a[64] = {0}, work[40];
  int order[8];
  for (int i = 0; i < 8; i++) a[9 * i] = pow(10, -2 * i);
  assert_int_equal(hn_rank_qr(a, 8, 8, 1e-7, NULL, order, work), 4);
}

static void preferred_columns_become_pivots(void **state) {
  (void)state;
  // four equal columns: the most preferred is taken, the others are left out
  double a[12], work[20];
  int order[4], preference[4] = {1, 5, 9, 2};
  for (int i = 0; i < 12; i++) a[i] = 1 + i % 3;
  a[1] *= 1.2; // a little different in length, and in direction
  assert_int_equal(hn_rank_qr(a, 3, 4, 1e-9, preference, order, work), 2);
  assert_int_equal(order[0], 2);
  assert_int_equal(order[1], 0);
}

static void empty_and_zero_matrices_have_rank_0(void **state) {
  (void)state;
  double a[6] = {0}, work[20], null_space[9];
  int order[3];
  assert_int_equal(hn_rank_qr(a, 0, 3, 1e-9, NULL, order, work), 0);
  assert_int_equal(hn_rank_qr(a, 2, 3, 1e-9, NULL, order, work), 0);
  hn_rank_null_space(a, 2, 3, 0, order, null_space);
  for (int i = 0; i < 9; i++) check_near(null_space[i], i % 4 == 0, 0);
}

// Nearest: the residual is normal to all columns. Shortest: x is normal to the null space.
static void least_norm_is_nearest_and_shortest(void **state) {
  (void)state;
  hn_random random = hn_random_seed(22);
  for (int k = 0; k < 60; k++) {
    int rows = 1 + hn_random_below(&random, 20), columns = 1 + hn_random_below(&random, 20);
    int most = rows < columns ? rows : columns, rank = hn_random_below(&random, most + 1);
    double a[400], keep[400], null_space[400], work[100], b[20], right[20], x[20], rest, sum = 0;
    int order[20];
    make_rank(&random, rows, columns, rank, a);
    hn_random_fill(&random, b, rows, -1, 1);
    memcpy(keep, a, sizeof a);
    memcpy(right, b, sizeof b);
    assert_int_equal(hn_least_norm(a, rows, columns, 1e-9, b, x, order, work, &rest), rank);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) right[i] -= keep[i + rows * j] * x[j];
      sum += right[i] * right[i];
    }
    check_near(rest, sqrt(sum), 1e-8);
    for (int j = 0; j < columns; j++) {
      double along = 0;
      for (int i = 0; i < rows; i++) along += keep[i + rows * j] * right[i];
      check_near(along, 0, 1e-8);
    }
    hn_rank_qr(keep, rows, columns, 1e-9, NULL, order, work);
    hn_rank_null_space(keep, rows, columns, rank, order, null_space);
    hn_orthonormalize(null_space, columns, columns - rank);
    for (int c = 0; c < columns - rank; c++) {
      double along = 0, size = 1;
      for (int j = 0; j < columns; j++) along += null_space[c * columns + j] * x[j];
      for (int j = 0; j < columns; j++) size = fmax(size, fabs(x[j]));
      check_near(along, 0, 1e-9 * size);
    }
  }
}

static void full_pivots_are_the_largest_left(void **state) {
  (void)state;
  double a[6] = {1, 2, 3, 8, 1, 5}; // columns (1, 2), (3, 8), (1, 5)
  int names[3] = {10, 20, 30};
  assert_int_equal(hn_full_pivots(a, 2, 3, names), 2);
  assert_int_equal(names[0], 20);
  assert_int_equal(names[1], 30); // |1 - 5 * 3 / 8| = 0.875 against |1 - 2 * 3 / 8| = 0.25
  assert_int_equal(names[2], 10);
  check_near(a[0], 8, 0);
  check_near(a[3], -0.875, 1e-15);
  double dependent[6] = {1, 2, 2, 4, -3, -6};
  assert_int_equal(hn_full_pivots(dependent, 2, 3, names), 1);
}

static void columns_are_made_orthonormal(void **state) {
  (void)state;
  hn_random random = hn_random_seed(22);
  double a[200];
  hn_random_fill(&random, a, 200, -1, 1);
  for (int i = 0; i < 20; i++) a[20 + i] = a[i] + 1e-7 * a[20 + i]; // nearly parallel
  hn_orthonormalize(a, 20, 10);
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++) {
      double sum = 0;
      for (int k = 0; k < 20; k++) sum += a[20 * i + k] * a[20 * j + k];
      check_near(sum, i == j, 1e-13);
    }
}

static void lu_solves_random_systems(void **state) {
  (void)state;
  hn_random random = hn_random_seed(23);
  for (int n = 1; n <= 30; n++) {
    double a[900], keep[900], x[30], b[30] = {0};
    int pivots[30];
    hn_random_fill(&random, a, n * n, -1, 1);
    a[0] = 0; // pivoting is needed
    if (n == 1) a[0] = 2;
    memcpy(keep, a, sizeof a);
    hn_random_fill(&random, x, n, -1, 1);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) b[i] += keep[i + n * j] * x[j];
    assert_int_equal(hn_dense_lu(a, n, pivots), 0);
    hn_dense_lu_solve(a, n, pivots, b);
    check_near_many(b, x, n, 1e-11);
  }
}

static void lu_names_the_column_of_a_zero_pivot(void **state) {
  (void)state;
  double a[9] = {1, 2, 3, 2, 4, 6, 0, 1, 1};
  int pivots[3];
  assert_int_equal(hn_dense_lu(a, 3, pivots), 2);
}

// One pivot after the other, column by column: what the panels must give to the last bit.
static void eliminate_plainly(double *a, int n, int *pivots) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[k * n + i]) > fabs(a[k * n + best])) best = i;
    pivots[k] = best;
    for (int j = 0; j < n; j++) {
      double keep = a[j * n + k];
      a[j * n + k] = a[j * n + best];
      a[j * n + best] = keep;
    }
    for (int i = k + 1; i < n; i++) a[k * n + i] /= a[k * n + k];
    for (int j = k + 1; j < n; j++)
      for (int i = k + 1; i < n; i++) a[j * n + i] -= a[j * n + k] * a[k * n + i];
  }
}

static void factors_have_the_same_bits_on_any_number_of_threads(void **state) {
  (void)state;
  static const int sizes[] = {1, 7, 32, 33, 100, 161, 250};
  hn_random random = hn_random_seed(41);
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    int n = sizes[s];
    size_t size = sizeof(double) * (size_t)(n * n);
    double *given = malloc(size), *plain = malloc(size), *shared = malloc(size);
    int *pivots = malloc(2 * sizeof(int) * (size_t)n);
    hn_random_fill(&random, given, n * n, -1, 1);
    memcpy(plain, given, size);
    eliminate_plainly(plain, n, pivots);
    for (int count = 1; count <= 3; count++) {
      hn_threads *threads = NULL;
      if (hn_threads_create(NULL, count, &threads) == HN_ERROR_UNSUPPORTED) break;
      memcpy(shared, given, size);
      assert_int_equal(hn_dense_lu_shared(shared, n, pivots + n, threads), 0);
      assert_memory_equal(shared, plain, size);
      assert_memory_equal(pivots, pivots + n, sizeof(int) * (size_t)n);
      hn_threads_free(threads);
    }
    free(given);
    free(plain);
    free(shared);
    free(pivots);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rank_and_null_space_of_products),
      cmocka_unit_test(graded_singular_values_are_counted_by_the_tolerance),
      cmocka_unit_test(preferred_columns_become_pivots),
      cmocka_unit_test(empty_and_zero_matrices_have_rank_0),
      cmocka_unit_test(least_norm_is_nearest_and_shortest),
      cmocka_unit_test(full_pivots_are_the_largest_left),
      cmocka_unit_test(columns_are_made_orthonormal),
      cmocka_unit_test(lu_solves_random_systems),
      cmocka_unit_test(lu_names_the_column_of_a_zero_pivot),
      cmocka_unit_test(factors_have_the_same_bits_on_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
