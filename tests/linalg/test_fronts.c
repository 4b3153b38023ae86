// L U in fronts against dense multiplication: arrows, loose random patterns, one dense matrix.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/fronts.h"
#include "support/check.h"

enum { N = 43 };

typedef struct system {
  double a[N][N];
  int start[N + 1], row[N * N], order[N];
  signed char signs[N];
} front_system;

// Which pairs are coupled.
typedef int couples(int i, int j, hn_random *random);

// Four corners of nine and a chassis of seven.
static int arrow(int i, int j, hn_random *random) {
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

static void make(front_system *s, hn_random *random, couples *are_coupled) {
  int at = 0;
  memset(s, 0, sizeof *s);
  for (int j = 0; j < N; j++) {
    s->start[j] = at;
    s->order[j] = j;
    s->signs[j] = j % 3 ? 1 : -1;
    for (int i = 0; i < j; i++) {
      if (!are_coupled(i, j, random)) continue;
      s->a[i][j] = hn_random_uniform(random, -1, 1);
      s->a[j][i] = hn_random_uniform(random, -1, 1);
      s->row[at++] = i;
    }
    s->a[j][j] = s->signs[j] * hn_random_uniform(random, 20, 30);
    s->row[at++] = j;
  }
  s->start[N] = at;
}

static void shuffle(int *order, hn_random *random) {
  for (int k = N - 1; k > 0; k--) {
    int other = (int)hn_random_uniform(random, 0, k + 0.999), swap = order[k];
    order[k] = order[other];
    order[other] = swap;
  }
}

static void put(const front_system *s, hn_fronts *fronts) {
  double *room = hn_fronts_begin(fronts);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      if (s->a[i][j] == 0) continue;
      int place = hn_fronts_place(fronts, i, j);
      assert_true(place >= 0);
      room[place] = s->a[i][j];
    }
}

static void check_solution(const front_system *s, hn_fronts *fronts, hn_random *random) {
  double x[N], b[N] = {0};
  hn_random_fill(random, x, N, -1, 1);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) b[i] += s->a[i][j] * x[j];
  double scaled[N], scale[N];
  for (int i = 0; i < N; i++) {
    scale[i] = i % 2 ? 2 : 0.5; // powers of two: x = S A^-1 S (S^-1 b) / s, exactly
    scaled[i] = b[i] / scale[i];
  }
  hn_fronts_solve(fronts, scale, scaled);
  hn_fronts_solve(fronts, NULL, b);
  check_near_many(b, x, N, 1e-12);
  for (int i = 0; i < N; i++) check_near(scaled[i] / scale[i], b[i], 0);
}

static int solves(couples *are_coupled, int is_shuffled) {
  hn_random random = hn_random_seed(7);
  int count = 0;
  for (int trial = 0; trial < 20; trial++) {
    front_system s;
    hn_arena arena;
    hn_fronts *fronts = NULL;
    make(&s, &random, are_coupled);
    if (is_shuffled) shuffle(s.order, &random);
    hn_arena_init(&arena, NULL);
    check_ok(hn_fronts_create(&arena, N, s.start, s.row, s.order, &fronts));
    assert_non_null(fronts);
    for (int again = 0; again < 2; again++) { // numbers of before are gone
      put(&s, fronts);
      assert_int_equal(hn_fronts_factor(fronts, s.signs, 1e-12, 0), 0);
      check_solution(&s, fronts, &random);
    }
    count = hn_fronts_count(fronts);
    hn_arena_release(&arena);
  }
  return count;
}

// The last one takes the chassis with it.
static void an_arrow_is_one_front_for_each_corner(void **state) {
  (void)state;
  assert_int_equal(solves(arrow, 0), 4);
}
static void loose_patterns_are_solved_in_any_order(void **state) {
  (void)state;
  solves(loose, 0);
  solves(loose, 1);
  solves(arrow, 1);
}
static void a_dense_matrix_is_one_front(void **state) {
  (void)state;
  assert_int_equal(solves(all, 1), 1);
}
static void a_chain_is_solved(void **state) {
  (void)state;
  solves(chain, 0);
  solves(chain, 1);
}

static void an_empty_pivot_is_replaced_with_its_sign(void **state) {
  (void)state;
  hn_arena arena;
  hn_fronts *fronts = NULL;
  int start[] = {0, 1, 2}, row[] = {0, 1}, order[] = {0, 1};
  double x[] = {4, 1e-9};
  signed char signs[] = {1, -1};
  hn_arena_init(&arena, NULL);
  check_ok(hn_fronts_create(&arena, 2, start, row, order, &fronts));
  hn_fronts_begin(fronts)[hn_fronts_place(fronts, 0, 0)] = 2;
  assert_int_equal(hn_fronts_factor(fronts, signs, 1e-9, 0), 1);
  hn_fronts_solve(fronts, NULL, x);
  check_near(x[0], 2, 0);
  check_near(x[1], -1, 1e-15);
  hn_arena_release(&arena);
}

// 1 and 1 + 1e-17 in a row: what is left of the second pivot is rounding.
static void a_pivot_of_rounding_noise_is_replaced(void **state) {
  (void)state;
  hn_arena arena;
  hn_fronts *fronts = NULL;
  int start[] = {0, 1, 3}, row[] = {0, 0, 1}, order[] = {0, 1};
  signed char signs[] = {1, 1};
  hn_arena_init(&arena, NULL);
  check_ok(hn_fronts_create(&arena, 2, start, row, order, &fronts));
  double *room = hn_fronts_begin(fronts);
  const double a[2][2] = {{3, 1e8}, {1e8, 1e16 / 3}};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) room[hn_fronts_place(fronts, i, j)] = a[i][j];
  assert_int_equal(hn_fronts_factor(fronts, signs, 1e-12, 0), 1);
  hn_arena_release(&arena);
}

// M x + J' y = b, J x - epsilon y = c with the same row twice: multipliers of 1 / epsilon times rounding
// may not show in x. Exact, with v = M^-1 b, w = M^-1 j: x = v - w (j v - c) / (j w + epsilon / 2).
static void equal_rows_leave_x_right(void **state) {
  (void)state;
  const double epsilon = 1e-12, j[2] = {1.0 / 3, 0.3}, c = 0.7, b[2] = {1.7, -2.3};
  const double a[4][4] = {{2, 0.1, j[0], j[0]},
                          {0.1, 3, j[1], j[1]},
                          {j[0], j[1], -epsilon, 0},
                          {j[0], j[1], 0, -epsilon}};
  const int start[5] = {0, 1, 3, 6, 10}, row[10] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3};
  const int order[4] = {0, 1, 2, 3};
  const signed char signs[4] = {1, 1, -1, -1};
  hn_arena arena;
  hn_fronts *fronts = NULL;
  hn_arena_init(&arena, NULL);
  check_ok(hn_fronts_create(&arena, 4, start, row, order, &fronts));
  double *room = hn_fronts_begin(fronts), x[4] = {b[0], b[1], c, c};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) room[hn_fronts_place(fronts, i, k)] = a[i][k];
  assert_int_equal(hn_fronts_factor(fronts, signs, 1e-20, 1), 0);
  hn_fronts_solve(fronts, NULL, x);
  const double d = 2 * 3 - 0.1 * 0.1;
  const double v[2] = {(3 * b[0] - 0.1 * b[1]) / d, (2 * b[1] - 0.1 * b[0]) / d};
  const double w[2] = {(3 * j[0] - 0.1 * j[1]) / d, (2 * j[1] - 0.1 * j[0]) / d};
  const double m = (j[0] * v[0] + j[1] * v[1] - c) / (j[0] * w[0] + j[1] * w[1] + epsilon / 2);
  check_near(x[0], v[0] - w[0] * m, 1e-13);
  check_near(x[1], v[1] - w[1] * m, 1e-13);
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arrow_is_one_front_for_each_corner),
      cmocka_unit_test(loose_patterns_are_solved_in_any_order),
      cmocka_unit_test(a_dense_matrix_is_one_front),
      cmocka_unit_test(a_chain_is_solved),
      cmocka_unit_test(an_empty_pivot_is_replaced_with_its_sign),
      cmocka_unit_test(a_pivot_of_rounding_noise_is_replaced),
      cmocka_unit_test(equal_rows_leave_x_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
