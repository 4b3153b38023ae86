// Sparse L D U against dense multiplication.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/lu.h"
#include "support/check.h"

enum { N = 40 };

// A random pattern with full diagonal, as columns of the upper triangle; values make the matrix
// quasi-definite with an unsymmetric part of half its size.
typedef struct system {
  double a[N][N];
  int start[N + 1], row[N * N];
  double upper[N * N], lower[N * N];
  signed char signs[N];
} sparse_system;

static void make(sparse_system *s, hn_random *random, double unsymmetric) {
  int at = 0;
  memset(s, 0, sizeof *s);
  for (int j = 0; j < N; j++) s->signs[j] = j < 28 ? 1 : -1;
  for (int j = 0; j < N; j++) {
    s->start[j] = at;
    for (int i = 0; i < j; i++) {
      if (hn_random_uniform(random, 0, 1) > 0.12) continue;
      double even = hn_random_uniform(random, -1, 1);
      double odd = unsymmetric * hn_random_uniform(random, -1, 1);
      s->a[i][j] = s->upper[at] = even + odd;
      s->a[j][i] = s->lower[at] = even - odd;
      s->row[at++] = i;
    }
    s->a[j][j] = s->upper[at] = s->lower[at] = s->signs[j] * hn_random_uniform(random, 3, 6);
    s->row[at++] = j;
  }
  s->start[N] = at;
}

static void solves(double unsymmetric) {
  hn_random random = hn_random_seed(7);
  for (int trial = 0; trial < 20; trial++) {
    sparse_system s;
    hn_arena arena;
    hn_lu *lu = NULL;
    double x[N], b[N];
    make(&s, &random, unsymmetric);
    hn_arena_init(&arena, NULL);
    check_ok(hn_lu_create(&arena, N, s.start, s.row, NULL, &lu));
    assert_int_equal(hn_lu_factor(lu, s.upper, s.lower, s.signs, 1e-12), 0);
    hn_random_fill(&random, x, N, -1, 1);
    for (int i = 0; i < N; i++) {
      b[i] = 0;
      for (int j = 0; j < N; j++) b[i] += s.a[i][j] * x[j];
    }
    hn_lu_solve(lu, b);
    check_near_many(b, x, N, 1e-11);
    hn_arena_release(&arena);
  }
}

static void a_symmetric_matrix_is_solved(void **state) {
  (void)state;
  solves(0);
}
static void an_unsymmetric_matrix_is_solved(void **state) {
  (void)state;
  solves(0.5);
}

static void an_empty_pivot_is_replaced_with_its_sign(void **state) {
  (void)state;
  hn_arena arena;
  hn_lu *lu = NULL;
  int start[] = {0, 1, 2}, row[] = {0, 1};
  double values[] = {2, 0}, x[] = {4, 1e-9};
  signed char signs[] = {1, -1};
  hn_arena_init(&arena, NULL);
  check_ok(hn_lu_create(&arena, 2, start, row, NULL, &lu));
  assert_int_equal(hn_lu_factor(lu, values, values, signs, 1e-9), 1);
  hn_lu_solve(lu, x);
  check_near(x[0], 2, 0);
  check_near(x[1], -1, 1e-15);
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_symmetric_matrix_is_solved),
      cmocka_unit_test(an_unsymmetric_matrix_is_solved),
      cmocka_unit_test(an_empty_pivot_is_replaced_with_its_sign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
