// The tiled dense factorization against elimination in extended precision.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/tile.h"
#include "support/check.h"

enum { MOST = 70 };

// A = G G' + 1 with rows `stride` apart, the lower triangle spoiled, zeros behind.
static void make_matrix(hn_random *random, int n, int stride, double *a) {
  double *g = malloc((size_t)(n * n) * sizeof(double));
  assert_non_null(g);
  hn_random_fill(random, g, n * n, -1, 1);
  memset(a, 0, (size_t)(n * stride) * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j;
      for (int k = 0; k < n; k++) sum += g[i * n + k] * g[j * n + k];
      a[i * stride + j] = j >= i ? sum : 1e30;
    }
  free(g);
}

// Largest |A x - b| against the largest term, A from its upper triangle.
static double residual(int n, int stride, const double *a, const double *x, const double *b) {
  long double worst = 0, most = 0;
  for (int i = 0; i < n; i++) {
    long double sum = -b[i], terms = fabs(b[i]);
    for (int j = 0; j < n; j++) {
      long double term = (long double)a[i < j ? i * stride + j : j * stride + i] * x[j];
      sum += term;
      terms += fabsl(term);
    }
    worst = fmaxl(worst, fabsl(sum));
    most = fmaxl(most, terms);
  }
  return (double)(worst / most);
}

static void systems_of_every_size_are_solved(void **state) {
  (void)state;
  static double a[MOST * (MOST + 8)];
  hn_random random = hn_random_seed(1);
  for (int n = 1; n <= MOST; n++) {
    hn_arena arena;
    hn_tiles *tiles;
    double b[MOST], x[MOST];
    int stride = (n + 3) / 4 * 4 + 4 * (n % 2);
    hn_arena_init(&arena, NULL);
    check_ok(hn_tiles_create(&arena, n, &tiles));
    for (int round = 0; round < 2; round++) {
      make_matrix(&random, n, stride, a);
      hn_random_fill(&random, b, n, -1, 1);
      memcpy(x, b, sizeof x);
      hn_tiles_factor(tiles, a, stride, NULL);
      hn_tiles_solve(tiles, x);
      check_at_most(residual(n, stride, a, x, b), 1e-15 * (3 + n));
    }
    hn_arena_release(&arena);
  }
}

// The product of pivots is the determinant: here of a matrix known to have it.
static void pivots_multiply_to_the_determinant(void **state) {
  (void)state;
  double a[10 * 12] = {0}, product = 1;
  hn_arena arena;
  hn_tiles *tiles;
  for (int i = 0; i < 10; i++) // min(i, j): determinant 1, all pivots 1
    for (int j = 0; j < 10; j++) a[12 * i + j] = 1 + (i < j ? i : j);
  hn_arena_init(&arena, NULL);
  check_ok(hn_tiles_create(&arena, 10, &tiles));
  hn_tiles_factor(tiles, a, 12, NULL);
  for (int i = 0; i < 10; i++) {
    check_near(hn_tiles_pivot(tiles, i), 1, 1e-15);
    product *= hn_tiles_pivot(tiles, i);
  }
  check_near(product, 1, 1e-14);
  check_near(hn_tiles_operations(tiles), 12 * 13 * 14 / 6.0, 0);
  hn_arena_release(&arena);
}

static void small_pivots_are_lifted(void **state) {
  (void)state;
  double a[6 * 8] = {0}, least[6], b[6] = {1, 2, 3, 4, 5, 6};
  hn_arena arena;
  hn_tiles *tiles;
  for (int i = 0; i < 36; i++) a[i / 6 * 8 + i % 6] = 1; // rank one
  for (int i = 0; i < 6; i++) least[i] = 1e-3;
  hn_arena_init(&arena, NULL);
  check_ok(hn_tiles_create(&arena, 6, &tiles));
  hn_tiles_factor(tiles, a, 8, least);
  check_near(hn_tiles_pivot(tiles, 0), 1, 0);
  for (int i = 1; i < 6; i++) check_near(hn_tiles_pivot(tiles, i), 1e-3, 0);
  hn_tiles_solve(tiles, b);
  for (int i = 0; i < 6; i++) assert_true(isfinite(b[i]));
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(systems_of_every_size_are_solved),
      cmocka_unit_test(pivots_multiply_to_the_determinant),
      cmocka_unit_test(small_pivots_are_lifted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
