// Inverses of small matrices against the matrices themselves.
#include <math.h>
#include <string.h>

#include "linalg/block.h"
#include "linalg/small.h"
#include "support/check.h"

typedef struct small_system {
  int n;
  double a[HN_SMALL][HN_SMALL]; // by columns
  double packed[HN_SMALL * HN_SMALL], inverse[HN_SMALL * HN_SMALL];
  double transposed[HN_SMALL * HN_SMALL];
} small_system;

static void pack(small_system *s) {
  int stride = hn_small_stride(s->n);
  memset(s->packed, 0, sizeof s->packed);
  for (int j = 0; j < s->n; j++)
    for (int i = 0; i < s->n; i++) s->packed[stride * j + i] = s->a[j][i];
}

// share: how many entries are not zero.
static void make(small_system *s, int n, double share, hn_random *random) {
  memset(s, 0, sizeof *s);
  s->n = n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      if (hn_random_uniform(random, 0, 1) < share) s->a[j][i] = hn_random_uniform(random, -1, 1);
  for (int j = 0; j < n; j++) s->a[j][(j + n / 2) % n] += 8; // pivots are not on the diagonal
  pack(s);
}

static void check_products(small_system *s, int wide, hn_random *random) {
  double x[HN_SMALL], b[HN_SMALL] = {0}, c[HN_SMALL] = {0};
  hn_random_fill(random, x, s->n, -1, 1);
  for (int j = 0; j < s->n; j++)
    for (int i = 0; i < s->n; i++) {
      b[i] += s->a[j][i] * x[j];
      c[j] += s->a[j][i] * x[i];
    }
  hn_small_multiply(wide, s->n, s->inverse, b);
  hn_small_multiply(wide, s->n, s->transposed, c);
  check_near_many(b, x, s->n, 1e-12);
  check_near_many(c, x, s->n, 1e-12);
}

static void inverses_undo_matrices_of_all_sizes(void **state) {
  (void)state;
  hn_random random = hn_random_seed(11);
  for (int n = 1; n <= HN_SMALL; n++)
    for (int trial = 0; trial < 10; trial++) {
      small_system s;
      make(&s, n, trial % 2 ? 1 : 0.3, &random);
      assert_int_equal(hn_small_invert(hn_is_wide(), n, s.packed, s.inverse, s.transposed), 0);
      check_products(&s, hn_is_wide(), &random);
    }
}

static void lanes_do_not_change_bits(void **state) {
  (void)state;
  hn_random random = hn_random_seed(12);
  for (int n = 1; n <= HN_SMALL; n++) {
    small_system s, t;
    make(&s, n, 1, &random);
    t = s;
    assert_int_equal(hn_small_invert(0, n, s.packed, s.inverse, s.transposed), 0);
    assert_int_equal(hn_small_invert(hn_is_wide(), n, t.packed, t.inverse, t.transposed), 0);
    assert_memory_equal(s.inverse, t.inverse, sizeof s.inverse);
    assert_memory_equal(s.transposed, t.transposed, sizeof s.transposed);
  }
}

static void a_zero_pivot_is_told(void **state) {
  (void)state;
  small_system s = {.n = 3, .a = {{1, 2, 3}, {2, 4, 6}, {0, 0, 1}}};
  pack(&s);
  assert_int_equal(hn_small_invert(0, 3, s.packed, s.inverse, NULL), 2);
}

static void nothing_is_inverted_of_no_unknowns(void **state) {
  (void)state;
  double x = 7;
  assert_int_equal(hn_small_invert(0, 0, &x, &x, NULL), 0);
  hn_small_multiply(0, 0, &x, &x);
  check_near(x, 7, 0);
}

// A = B B' + 1, against the product with a known x.
static void six_unknowns_of_a_definite_matrix_are_solved(void **state) {
  (void)state;
  hn_random random = hn_random_seed(5);
  double b[36], a[6][6], x[6], right[6] = {0};
  hn_random_fill(&random, b, 36, -1, 1);
  hn_random_fill(&random, x, 6, -1, 1);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      a[i][j] = i == j;
      for (int k = 0; k < 6; k++) a[i][j] += b[6 * i + k] * b[6 * j + k];
      right[i] += a[i][j] * x[j];
    }
  assert_true(hn_solve_six(a, right));
  for (int i = 0; i < 6; i++) check_near(right[i], x[i], 1e-12);
  double none[6][6] = {{1}, {0, 1}, {0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};
  assert_false(hn_solve_six(none, right));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverses_undo_matrices_of_all_sizes),
      cmocka_unit_test(lanes_do_not_change_bits),
      cmocka_unit_test(a_zero_pivot_is_told),
      cmocka_unit_test(nothing_is_inverted_of_no_unknowns),
      cmocka_unit_test(six_unknowns_of_a_definite_matrix_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
