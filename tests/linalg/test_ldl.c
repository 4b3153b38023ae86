// Sparse L D L' against multiplication by the matrix it came from.
#include <math.h>
#include <string.h>

#include "linalg/ldl.h"
#include "support/check.h"

enum { N = 60, UPPER = N * (N + 1) / 2 };

// Random sparse symmetric quasi-definite: positive diagonal for the first rows, negative after.
typedef struct sparse {
  int start[N + 1], row[UPPER];
  double values[UPPER];
  signed char signs[N];
} sparse;

static void make(sparse *s, hn_random *random, double density, int positive) {
  int at = 0;
  for (int j = 0; j < N; j++) {
    s->start[j] = at;
    s->signs[j] = j < positive ? 1 : -1;
    for (int i = 0; i < j; i++) {
      if (hn_random_uniform(random, 0, 1) > density) continue;
      // blocks of equal sign are kept dominant, the coupling between them is free
      double size = (i < positive) == (j < positive) ? 0.3 / (density * N) : 1;
      s->row[at] = i;
      s->values[at++] = size * hn_random_uniform(random, -1, 1);
    }
    s->row[at] = j;
    s->values[at++] = s->signs[j] * hn_random_uniform(random, 0.5, 2);
  }
  s->start[N] = at;
}

static void multiply(const sparse *s, const double *x, double *y) {
  memset(y, 0, N * sizeof(double));
  for (int j = 0; j < N; j++)
    for (int k = s->start[j]; k < s->start[j + 1]; k++) {
      y[s->row[k]] += s->values[k] * x[j];
      if (s->row[k] != j) y[j] += s->values[k] * x[s->row[k]];
    }
}

static void random_systems_are_solved(void **state) {
  (void)state;
  hn_random random = hn_random_seed(11);
  static sparse s;
  double x[N], b[N];
  for (int k = 0; k < 40; k++) {
    make(&s, &random, 0.02 + 0.01 * k, k % 2 ? N : 38);
    hn_arena arena;
    hn_ldl *ldl;
    hn_arena_init(&arena, NULL);
    check_ok(hn_ldl_create(&arena, N, s.start, s.row, &ldl));
    assert_int_equal(hn_ldl_factor(ldl, s.values, s.signs, 1e-12), 0);
    hn_random_fill(&random, x, N, -1, 1);
    multiply(&s, x, b);
    hn_ldl_solve(ldl, b);
    check_near_many(b, x, N, 1e-11);
    hn_arena_release(&arena);
  }
}

static void a_given_order_is_followed(void **state) {
  (void)state;
  hn_random random = hn_random_seed(12);
  static sparse s;
  double x[N], b[N];
  int order[N];
  make(&s, &random, 0.1, N);
  for (int k = 0; k < N; k++) order[k] = (7 * k + 3) % N;
  hn_arena arena;
  hn_ldl *ldl;
  hn_arena_init(&arena, NULL);
  check_ok(hn_ldl_create_ordered(&arena, N, s.start, s.row, order, &ldl));
  hn_ldl_factor(ldl, s.values, s.signs, 1e-12);
  check_near(hn_ldl_operations(ldl), hn_ldl_count(&arena, N, s.start, s.row, order), 0);
  // the first pivot is the diagonal entry as it was
  check_near(hn_ldl_pivot(ldl, order[0]), s.values[s.start[order[0] + 1] - 1], 0);
  hn_random_fill(&random, x, N, -1, 1);
  multiply(&s, x, b);
  hn_ldl_solve(ldl, b);
  check_near_many(b, x, N, 1e-12);
  hn_arena_release(&arena);
}

static void a_chain_of_100000_has_no_fill(void **state) {
  (void)state;
  enum { LONG = 100000 };
  static int start[LONG + 1], row[2 * LONG];
  int at = 0;
  for (int j = 0; j < LONG; j++) {
    start[j] = at;
    if (j > 0) row[at++] = j - 1;
    row[at++] = j;
  }
  start[LONG] = at;
  hn_arena arena;
  hn_ldl *ldl;
  hn_arena_init(&arena, NULL);
  check_ok(hn_ldl_create(&arena, LONG, start, row, &ldl));
  assert_int_equal(hn_ldl_fill(ldl), LONG - 1);
  hn_arena_release(&arena);
}

static void pivots_of_the_wrong_sign_are_replaced_and_counted(void **state) {
  (void)state;
  // [1 1; 1 1] has pivots 1 and 0, [1 2; 2 1] has 1 and -3
  int start[3] = {0, 1, 3}, row[3] = {0, 0, 1}, order[2] = {0, 1};
  double singular[3] = {1, 1, 1}, indefinite[3] = {1, 2, 1};
  signed char signs[2] = {1, 1};
  hn_arena arena;
  hn_ldl *ldl;
  hn_arena_init(&arena, NULL);
  check_ok(hn_ldl_create_ordered(&arena, 2, start, row, order, &ldl));
  assert_int_equal(hn_ldl_factor(ldl, singular, signs, 1e-9), 1);
  check_near(hn_ldl_pivot(ldl, 1), 1e-9, 0);
  assert_int_equal(hn_ldl_factor(ldl, indefinite, signs, 1e-9), 1);
  signs[1] = -1;
  assert_int_equal(hn_ldl_factor(ldl, indefinite, signs, 1e-9), 0);
  check_near(hn_ldl_pivot(ldl, 1), -3, 0);
  hn_arena_release(&arena);
}

static void numbers_need_no_memory(void **state) {
  (void)state;
  hn_random random = hn_random_seed(13);
  static sparse s;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  double x[N];
  make(&s, &random, 0.2, 40);
  hn_arena arena;
  hn_ldl *ldl;
  hn_arena_init(&arena, &allocator);
  check_ok(hn_ldl_create(&arena, N, s.start, s.row, &ldl));
  long calls = memory.calls;
  for (int k = 0; k < 1000; k++) {
    hn_ldl_factor(ldl, s.values, s.signs, 1e-12);
    hn_random_fill(&random, x, N, -1, 1);
    hn_ldl_solve(ldl, x);
  }
  assert_int_equal(memory.calls, calls);
  hn_arena_release(&arena);
  assert_int_equal(memory.living, 0);
}

static void failing_memory_is_reported_at_every_place(void **state) {
  (void)state;
  hn_random random = hn_random_seed(14);
  static sparse s;
  make(&s, &random, 0.2, 40);
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_arena arena;
    hn_ldl *ldl;
    hn_arena_init(&arena, &allocator);
    hn_status status = hn_ldl_create(&arena, N, s.start, s.row, &ldl);
    hn_arena_release(&arena);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
    assert_null(ldl);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_systems_are_solved),
      cmocka_unit_test(a_given_order_is_followed),
      cmocka_unit_test(a_chain_of_100000_has_no_fill),
      cmocka_unit_test(pivots_of_the_wrong_sign_are_replaced_and_counted),
      cmocka_unit_test(numbers_need_no_memory),
      cmocka_unit_test(failing_memory_is_reported_at_every_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
