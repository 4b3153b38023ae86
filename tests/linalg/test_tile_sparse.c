// The sparse tiled factorization against products in extended precision, on patterns of machines and on
// random ones.
#include <math.h>
#include <string.h>

#include "linalg/tile_sparse.h"
#include "support/check.h"

enum { MOST = 60 };

// Upper triangle by columns of a symmetric 0/1 matrix, and numbers that make it positive definite.
typedef struct sample {
  int n, start[MOST + 1], row[MOST * MOST];
  double value[MOST * MOST];
} sample;

static void list(sample *s, unsigned char has[MOST][MOST], hn_random *random) {
  double sum[MOST] = {0};
  int at = 0;
  for (int j = 0; j < s->n; j++) {
    s->start[j] = at;
    for (int i = 0; i <= j; i++) {
      if (i < j && !has[i][j] && !has[j][i]) continue;
      s->row[at] = i;
      hn_random_fill(random, &s->value[at], 1, -1, 1);
      if (i < j) {
        sum[i] += fabs(s->value[at]);
        sum[j] += fabs(s->value[at]);
      }
      at++;
    }
  }
  s->start[s->n] = at;
  for (int j = 0; j < s->n; j++) s->value[s->start[j + 1] - 1] = 1.01 * sum[j] + 0.1;
}

static int fill_and_factor(hn_sparse_tiles *tiles, const sample *s) {
  const int *places = hn_sparse_tiles_places(tiles);
  double *numbers = hn_sparse_tiles_begin(tiles);
  for (int e = 0; e < s->start[s->n]; e++) numbers[places[e]] += s->value[e];
  return hn_sparse_tiles_factor(tiles);
}

static double residual(const sample *s, const double *x, const double *b) {
  long double sum[MOST] = {0}, worst = 0;
  for (int j = 0; j < s->n; j++)
    for (int e = s->start[j]; e < s->start[j + 1]; e++) {
      int i = s->row[e];
      sum[i] += (long double)s->value[e] * x[j];
      if (i != j) sum[j] += (long double)s->value[e] * x[i];
    }
  for (int i = 0; i < s->n; i++) worst = fmaxl(worst, fabsl(sum[i] - b[i]));
  return (double)worst;
}

static void check_solves(const sample *s, hn_random *random, double most_operations) {
  hn_arena arena;
  hn_sparse_tiles *tiles;
  double b[MOST], x[MOST];
  hn_arena_init(&arena, NULL);
  check_ok(hn_sparse_tiles_create(&arena, s->n, s->start, s->row, &tiles));
  if (most_operations > 0) check_at_most(hn_sparse_tiles_operations(tiles), most_operations);
  for (int round = 0; round < 2; round++) {
    assert_true(fill_and_factor(tiles, s));
    hn_random_fill(random, b, s->n, -1, 1);
    memcpy(x, b, sizeof x);
    hn_sparse_tiles_solve(tiles, x);
    check_at_most(residual(s, x, b), 1e-13);
  }
  hn_arena_release(&arena);
}

static void random_patterns_are_solved(void **state) {
  (void)state;
  static sample s;
  static unsigned char has[MOST][MOST];
  hn_random random = hn_random_seed(5);
  for (int n = 1; n <= MOST; n++)
    for (int density = 0; density < 4; density++) {
      double chance = density == 3 ? 1 : 0.5 * density / n;
      s.n = n;
      memset(has, 0, sizeof has);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
          double x;
          hn_random_fill(&random, &x, 1, 0, 1);
          has[j][i] = x < chance;
        }
      list(&s, has, &random);
      check_solves(&s, &random, 0);
    }
}

// Four limbs of four unknowns on a base of six: no limb touches another, so elimination of the limbs
// costs six products of tiles each and leaves the base, three.
static void limbs_are_eliminated_before_what_they_hang_on(void **state) {
  (void)state;
  static sample s;
  static unsigned char has[MOST][MOST];
  hn_random random = hn_random_seed(6);
  s.n = 22;
  for (int i = 0; i < 22; i++)
    for (int j = 0; j < i; j++) has[j][i] = j < 6 || (i - 6) / 4 == (j - 6) / 4;
  list(&s, has, &random);
  check_solves(&s, &random, 64 * (4 * 6 + 3 + 1));
}

// What was infinite in one solution is gone in the next.
static void a_solution_leaves_nothing_behind(void **state) {
  (void)state;
  sample s = {.n = 3, .start = {0, 1, 3, 5}, .row = {0, 0, 1, 1, 2}, .value = {2, 1, 2, 1, 2}};
  hn_arena arena;
  hn_sparse_tiles *tiles;
  double x[3] = {HUGE_VAL, 0, 0}, y[3] = {3, 4, 3};
  hn_arena_init(&arena, NULL);
  check_ok(hn_sparse_tiles_create(&arena, 3, s.start, s.row, &tiles));
  assert_true(fill_and_factor(tiles, &s));
  hn_sparse_tiles_solve(tiles, x);
  hn_sparse_tiles_solve(tiles, y);
  for (int i = 0; i < 3; i++) check_near(y[i], 1, 1e-15);
  hn_arena_release(&arena);
}

static void indefinite_matrices_are_told(void **state) {
  (void)state;
  sample s = {.n = 2, .start = {0, 1, 3}, .row = {0, 0, 1}, .value = {1, 2, 1}};
  hn_arena arena;
  hn_sparse_tiles *tiles;
  hn_arena_init(&arena, NULL);
  check_ok(hn_sparse_tiles_create(&arena, 2, s.start, s.row, &tiles));
  assert_false(fill_and_factor(tiles, &s));
  s.value[2] = 5;
  assert_true(fill_and_factor(tiles, &s));
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_patterns_are_solved),
      cmocka_unit_test(limbs_are_eliminated_before_what_they_hang_on),
      cmocka_unit_test(a_solution_leaves_nothing_behind),
      cmocka_unit_test(indefinite_matrices_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
