// The sparse factorization against multiplication by the matrix it came from: symmetric and not, in
// any order, on patterns of models and on random ones.
#include <math.h>
#include <string.h>

#include "linalg/factors.h"
#include "support/check.h"

enum { N = 43, UPPER = N * (N + 1) / 2 };

// Numbers in the order of the pattern: A(i, j) and A(j, i).
typedef struct sample {
  int n, start[N + 1], row[UPPER], order[N];
  double upper[UPPER], lower[UPPER];
  signed char signs[N];
} sample;

// Which pairs i < j are coupled.
typedef int couples(int i, int j, hn_random *random);

static int arrow(int i, int j, hn_random *random) { // four corners of nine and a chassis of seven
  (void)random;
  return j >= 36 || i / 9 == j / 9;
}
static int loose(int i, int j, hn_random *random) {
  (void)i, (void)j;
  return hn_random_uniform(random, 0, 1) < 0.06;
}
static int all(int i, int j, hn_random *random) {
  (void)i, (void)j, (void)random;
  return 1;
}
static int chain(int i, int j, hn_random *random) {
  (void)random;
  return j - i == 1;
}

static void make(sample *s, int n, hn_random *random, couples *are_coupled, double unsymmetric) {
  int at = 0;
  s->n = n;
  for (int j = 0; j < n; j++) {
    s->start[j] = at;
    s->order[j] = j;
    s->signs[j] = j % 3 ? 1 : -1;
    for (int i = 0; i < j; i++) {
      if (!are_coupled(i, j, random)) continue;
      double even = hn_random_uniform(random, -1, 1);
      double odd = unsymmetric * hn_random_uniform(random, -1, 1);
      s->upper[at] = even + odd;
      s->lower[at] = even - odd;
      s->row[at++] = i;
    }
    s->upper[at] = s->signs[j] * hn_random_uniform(random, 20, 30);
    s->lower[at] = NAN; // not read
    s->row[at++] = j;
  }
  s->start[n] = at;
}

static void shuffle(sample *s, hn_random *random) {
  for (int k = s->n - 1; k > 0; k--) {
    int other = (int)hn_random_uniform(random, 0, k + 0.999), swap = s->order[k];
    s->order[k] = s->order[other];
    s->order[other] = swap;
  }
}

static void multiply(const sample *s, const double *x, double *y) {
  long double sum[N] = {0};
  for (int j = 0; j < s->n; j++)
    for (int e = s->start[j]; e < s->start[j + 1]; e++) {
      sum[s->row[e]] += (long double)s->upper[e] * x[j];
      if (s->row[e] != j) sum[j] += (long double)s->lower[e] * x[s->row[e]];
    }
  for (int i = 0; i < s->n; i++) y[i] = (double)sum[i];
}

static void check_solution(const sample *s, hn_factors *factors, hn_random *random) {
  double x[N], b[N], scaled[N], scale[N];
  hn_random_fill(random, x, s->n, -1, 1);
  multiply(s, x, b);
  for (int i = 0; i < s->n; i++) {
    scale[i] = i % 2 ? 2 : 0.5; // powers of two: x = S A^-1 S (S^-1 b) / s, exactly
    scaled[i] = b[i] / scale[i];
  }
  hn_factors_solve(factors, scale, scaled);
  hn_factors_solve(factors, NULL, b);
  check_near_many(b, x, s->n, 1e-12);
  for (int i = 0; i < s->n; i++) check_near(scaled[i] / scale[i], b[i], 0);
}

// Numbers put place by place, and all at once.
static void check_both_ways(const sample *s, hn_factors *factors, int is_symmetric,
                            hn_random *random) {
  const hn_pivot_rule rule = {.signs = s->signs, .tiny = 1e-12, .is_definite = is_symmetric};
  double *room = hn_factors_begin(factors);
  for (int j = 0; j < s->n; j++)
    for (int e = s->start[j]; e < s->start[j + 1]; e++) {
      if (s->row[e] != j) room[hn_factors_place(factors, j, s->row[e])] = s->lower[e];
      room[hn_factors_place(factors, s->row[e], j)] = s->upper[e];
    }
  assert_int_equal(hn_factors_factor(factors, &rule), 0);
  check_solution(s, factors, random);
  assert_int_equal(hn_factors_of(factors, s->upper, s->lower, &rule), 0);
  check_solution(s, factors, random);
}

static void check_pattern(couples *are_coupled, int n) {
  hn_random random = hn_random_seed(7);
  for (int trial = 0; trial < 12; trial++) {
    static sample s;
    const int is_symmetric = trial % 2, has_order = trial % 3;
    hn_arena arena;
    hn_factors *factors = NULL;
    make(&s, n, &random, are_coupled, is_symmetric ? 0 : 1);
    if (has_order == 2) shuffle(&s, &random);
    hn_arena_init(&arena, NULL);
    check_ok(hn_factors_create(&arena, n, s.start, s.row, has_order ? s.order : NULL, is_symmetric,
                               &factors));
    check_both_ways(&s, factors, is_symmetric, &random);
    hn_arena_release(&arena);
  }
}

static void patterns_of_all_kinds_are_solved(void **state) {
  (void)state;
  check_pattern(arrow, N);
  check_pattern(loose, N);
  check_pattern(chain, N);
}

static void matrices_of_all_sizes_are_solved(void **state) {
  (void)state;
  for (int n = 0; n <= 12; n++) check_pattern(all, n);
  check_pattern(all, N);
}

static void a_given_order_is_followed(void **state) {
  (void)state;
  hn_random random = hn_random_seed(12);
  static sample s;
  hn_arena arena;
  hn_factors *factors;
  make(&s, N, &random, all, 0);
  for (int k = 0; k < N; k++) s.order[k] = (7 * k + 3) % N;
  hn_arena_init(&arena, NULL);
  check_ok(hn_factors_create(&arena, N, s.start, s.row, s.order, 1, &factors));
  const hn_pivot_rule rule = {.signs = s.signs, .is_definite = 1};
  hn_factors_of(factors, s.upper, NULL, &rule);
  check_near(hn_factors_operations(factors), hn_factors_count(&arena, N, s.start, s.row, s.order),
             0);
  // the first pivot is the diagonal entry as it was
  check_near(hn_factors_pivot(factors, s.order[0]), s.upper[s.start[s.order[0] + 1] - 1], 0);
  hn_arena_release(&arena);
}

static void a_chain_of_100000_has_no_fill(void **state) {
  (void)state;
  enum { LONG = 100000 };
  static int start[LONG + 1], row[2 * LONG];
  static double value[2 * LONG], x[LONG];
  int at = 0;
  for (int j = 0; j < LONG; j++) {
    start[j] = at;
    if (j > 0) value[at] = -1, row[at++] = j - 1;
    value[at] = 2.5, row[at++] = j;
    x[j] = j == 0 || j == LONG - 1 ? 1.5 : 0.5; // of all ones
  }
  start[LONG] = at;
  hn_arena arena;
  hn_factors *factors;
  const hn_pivot_rule rule = {.is_definite = 1};
  hn_arena_init(&arena, NULL);
  check_ok(hn_factors_create(&arena, LONG, start, row, NULL, 1, &factors));
  assert_int_equal(hn_factors_fill(factors), LONG - 1);
  assert_int_equal(hn_factors_of(factors, value, NULL, &rule), 0);
  hn_factors_solve(factors, NULL, x);
  for (int j = 0; j < LONG; j += 999) check_near(x[j], 1, 1e-14);
  hn_arena_release(&arena);
}

// ---- pivots -------------------------------------------------------------------------------------

static void pivots_of_the_wrong_sign_are_replaced_and_counted(void **state) {
  (void)state;
  // [1 1; 1 1] has pivots 1 and 0, [1 2; 2 1] has 1 and -3
  int start[3] = {0, 1, 3}, row[3] = {0, 0, 1}, order[2] = {0, 1};
  double singular[3] = {1, 1, 1}, indefinite[3] = {1, 2, 1};
  signed char signs[2] = {1, 1};
  const double least[2] = {0, 0.25};
  hn_pivot_rule rule = {.signs = signs, .tiny = 1e-9, .is_definite = 1};
  hn_arena arena;
  hn_factors *factors;
  hn_arena_init(&arena, NULL);
  check_ok(hn_factors_create(&arena, 2, start, row, order, 1, &factors));
  assert_int_equal(hn_factors_of(factors, singular, NULL, &rule), 1);
  check_near(hn_factors_pivot(factors, 1), 1e-9, 0);
  assert_int_equal(hn_factors_of(factors, indefinite, NULL, &rule), 1);
  rule.least = least;
  assert_int_equal(hn_factors_of(factors, singular, NULL, &rule), 1);
  check_near(hn_factors_pivot(factors, 1), 0.25, 0);
  rule.least = NULL;
  signs[1] = -1;
  assert_int_equal(hn_factors_of(factors, indefinite, NULL, &rule), 0);
  check_near(hn_factors_pivot(factors, 1), -3, 0);
  signs[1] = 1;
  rule.is_definite = 0; // any sign will do
  assert_int_equal(hn_factors_of(factors, indefinite, NULL, &rule), 0);
  hn_arena_release(&arena);
}

// 1e16/3 - 1e8 1e8 / 3: the second pivot is only rounding.
static void a_pivot_of_rounding_noise_is_replaced(void **state) {
  (void)state;
  hn_arena arena;
  hn_factors *factors;
  int start[] = {0, 1, 3}, row[] = {0, 0, 1}, order[] = {0, 1};
  const double value[] = {3, 1e8, 1e16 / 3};
  const hn_pivot_rule rule = {.tiny = 1e-12};
  hn_arena_init(&arena, NULL);
  check_ok(hn_factors_create(&arena, 2, start, row, order, 0, &factors));
  assert_int_equal(hn_factors_of(factors, value, value, &rule), 1);
  hn_arena_release(&arena);
}

// M x + J' y = b, J x - epsilon y = c with the same row twice: multipliers of 1 / epsilon times rounding
// may not show in x. Exact, with v = M^-1 b, w = M^-1 j: x = v - w (j v - c) / (j w + epsilon / 2).
static void equal_rows_leave_x_right(void **state) {
  (void)state;
  const double epsilon = 1e-12, j[2] = {1.0 / 3, 0.3}, c = 0.7, b[2] = {1.7, -2.3};
  const double value[10] = {2, 0.1, 3, j[0], j[1], -epsilon, j[0], j[1], 0, -epsilon};
  const int start[5] = {0, 1, 3, 6, 10}, row[10] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3};
  const int order[4] = {0, 1, 2, 3};
  const signed char signs[4] = {1, 1, -1, -1};
  const hn_pivot_rule rule = {.signs = signs, .tiny = 1e-20, .is_definite = 1};
  const double d = 2 * 3 - 0.1 * 0.1;
  const double v[2] = {(3 * b[0] - 0.1 * b[1]) / d, (2 * b[1] - 0.1 * b[0]) / d};
  const double w[2] = {(3 * j[0] - 0.1 * j[1]) / d, (2 * j[1] - 0.1 * j[0]) / d};
  const double m = (j[0] * v[0] + j[1] * v[1] - c) / (j[0] * w[0] + j[1] * w[1] + epsilon / 2);
  for (int is_symmetric = 0; is_symmetric < 2; is_symmetric++) {
    hn_arena arena;
    hn_factors *factors;
    double x[4] = {b[0], b[1], c, c};
    hn_arena_init(&arena, NULL);
    check_ok(hn_factors_create(&arena, 4, start, row, order, is_symmetric, &factors));
    assert_int_equal(hn_factors_of(factors, value, value, &rule), 0);
    hn_factors_solve(factors, NULL, x);
    check_near(x[0], v[0] - w[0] * m, 1e-13);
    check_near(x[1], v[1] - w[1] * m, 1e-13);
    hn_arena_release(&arena);
  }
}

// Infinity in one solution does not affect the next.
static void a_solution_leaves_nothing_behind(void **state) {
  (void)state;
  const int start[] = {0, 1, 3, 5}, row[] = {0, 0, 1, 1, 2};
  const double value[] = {2, 1, 2, 1, 2};
  const hn_pivot_rule rule = {.is_definite = 1};
  hn_arena arena;
  hn_factors *factors;
  double x[3] = {HUGE_VAL, 0, 0}, y[3] = {3, 4, 3};
  hn_arena_init(&arena, NULL);
  check_ok(hn_factors_create(&arena, 3, start, row, NULL, 1, &factors));
  hn_factors_of(factors, value, NULL, &rule);
  hn_factors_solve(factors, NULL, x);
  hn_factors_solve(factors, NULL, y);
  for (int i = 0; i < 3; i++) check_near(y[i], 1, 1e-15);
  hn_arena_release(&arena);
}

// ---- memory -------------------------------------------------------------------------------------

static void numbers_need_no_memory(void **state) {
  (void)state;
  hn_random random = hn_random_seed(13);
  static sample s;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena arena;
  hn_factors *factors;
  make(&s, N, &random, loose, 1);
  hn_arena_init(&arena, &allocator);
  check_ok(hn_factors_create(&arena, N, s.start, s.row, NULL, 0, &factors));
  long calls = memory.calls;
  for (int k = 0; k < 100; k++) check_both_ways(&s, factors, 0, &random);
  assert_int_equal(memory.calls, calls);
  hn_arena_release(&arena);
  assert_int_equal(memory.living, 0);
}

static void failing_memory_is_reported_at_every_place(void **state) {
  (void)state;
  hn_random random = hn_random_seed(14);
  static sample s;
  make(&s, N, &random, arrow, 1);
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_arena arena;
    hn_factors *factors;
    hn_arena_init(&arena, &allocator);
    hn_status status = hn_factors_create(&arena, N, s.start, s.row, NULL, 0, &factors);
    hn_arena_release(&arena);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
    assert_null(factors);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns_of_all_kinds_are_solved),
      cmocka_unit_test(matrices_of_all_sizes_are_solved),
      cmocka_unit_test(a_given_order_is_followed),
      cmocka_unit_test(a_chain_of_100000_has_no_fill),
      cmocka_unit_test(pivots_of_the_wrong_sign_are_replaced_and_counted),
      cmocka_unit_test(a_pivot_of_rounding_noise_is_replaced),
      cmocka_unit_test(equal_rows_leave_x_right),
      cmocka_unit_test(a_solution_leaves_nothing_behind),
      cmocka_unit_test(numbers_need_no_memory),
      cmocka_unit_test(failing_memory_is_reported_at_every_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
