// Rows are sums of an orthonormal basis, rows that depend on others are not in it, and a matrix with a
// negative eigenvalue is found.
#include <math.h>
#include <string.h>

#include "linalg/row_basis.h"
#include "support/check.h"

enum { ROWS = 4, N = 6 };

// Row 2 is the sum of twice row 0 and row 1.
static const double given[ROWS][N] = {
    {1, 2, 0, -1, 3, 0.5}, {0, 1, 4, 1, -2, 1}, {2, 5, 4, -1, 4, 2}, {-1, 0, 1, 7, 0, 3}};

static void fill(hn_arena *arena, hn_row_basis *basis) {
  check_ok(hn_row_basis_create(arena, ROWS, N, basis));
  for (int r = 0; r < ROWS; r++) {
    memcpy(hn_row_basis_vector(basis, r), given[r], sizeof given[r]);
    hn_row_basis_add(basis, r, 1);
  }
}

static void rows_are_sums_of_an_orthonormal_basis(void **state) {
  (void)state;
  hn_arena arena;
  hn_row_basis basis;
  hn_arena_init(&arena, NULL);
  fill(&arena, &basis);
  for (int i = 0; i < ROWS; i++) {
    assert_int_equal(basis.is_kept[i], i != 2);
    for (int k = 0; k < ROWS && i != 2; k++)
      if (k != 2)
        check_near(hn_row_basis_dot(&basis, i, hn_row_basis_vector(&basis, k)), i == k, 1e-15);
    double sum[N] = {0};
    for (int k = 0; k <= i; k++)
      if (basis.is_kept[k]) hn_row_basis_add_scaled(&basis, k, basis.triangle[i * ROWS + k], sum);
    for (int j = 0; j < N; j++) check_near(sum[j], given[i][j], 1e-14);
  }
  hn_arena_release(&arena);
}

// T y = b component by component, and its transpose, without the dependent row.
static void triangle_is_solved_both_ways(void **state) {
  (void)state;
  hn_arena arena;
  hn_row_basis basis;
  hn_arena_init(&arena, NULL);
  fill(&arena, &basis);
  const double b[ROWS] = {1, -2, 5, 3};
  double y[ROWS] = {0}, x[ROWS];
  for (int r = 0; r < ROWS; r++)
    if (basis.is_kept[r]) y[r] = hn_row_basis_component(&basis, r, b[r], y);
  memcpy(x, b, sizeof x);
  hn_row_basis_solve_transposed(&basis, x);
  check_near(x[2], 0, 0);
  for (int r = 0; r < ROWS; r++) {
    double forward = 0, transposed = 0;
    for (int k = 0; k < ROWS; k++) {
      if (!basis.is_kept[k] || !basis.is_kept[r]) continue;
      forward += basis.triangle[r * ROWS + k] * y[k];
      transposed += basis.triangle[k * ROWS + r] * x[k];
    }
    if (r == 2) continue;
    check_near(forward, b[r], 1e-14);
    check_near(transposed, b[r], 1e-14);
  }
  hn_arena_release(&arena);
}

static void negative_eigenvalue_is_found(void **state) {
  (void)state;
  double positive[4] = {2, 1, 1, 2}, singular[4] = {1, 1, 1, 1}, indefinite[4] = {1, 2, 2, 1};
  double hidden[4] = {0, 1, 1, 0};
  assert_int_equal(hn_is_semidefinite(2, positive, 2), 1);
  assert_int_equal(hn_is_semidefinite(2, singular, 2), 1);
  assert_int_equal(hn_is_semidefinite(2, indefinite, 2), 0);
  assert_int_equal(hn_is_semidefinite(2, hidden, 2), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_sums_of_an_orthonormal_basis),
                                     cmocka_unit_test(triangle_is_solved_both_ways),
                                     cmocka_unit_test(negative_eigenvalue_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
