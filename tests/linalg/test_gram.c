// Rows over groups of columns against dense matrices of known rank; the dense and the sparse kind.
#include "linalg/gram.h"

#include <math.h>
#include <string.h>

#include "linalg/rank.h"
#include "support/check.h"

enum { GROUPS = 40, SIZE = 6, COLUMNS = GROUPS * SIZE, MOST_ROWS = 140 };

// A chain of rows, each over two neighboring groups; some are copies or sums of others.
typedef struct sample {
  hn_arena arena;
  hn_gram *gram;
  int rows;
  int group_columns[GROUPS + 1], segment_start[MOST_ROWS + 1], segment_group[2 * MOST_ROWS];
  double w[MOST_ROWS][COLUMNS];
} sample;

static void make(sample *s, int rows, int spare, uint64_t seed) {
  hn_random random = hn_random_seed(seed);
  memset(s, 0, sizeof *s);
  hn_arena_init(&s->arena, NULL);
  s->rows = rows;
  for (int g = 0; g <= GROUPS; g++) s->group_columns[g] = SIZE * g;
  for (int r = 0; r < rows; r++) {
    int source = r >= rows - spare ? r - (rows - spare) : r; // the last ones repeat the first
    int group = source * (GROUPS - 1) / (rows + 1);
    s->segment_start[r] = 2 * r;
    s->segment_group[2 * r] = group;
    s->segment_group[2 * r + 1] = group + 1;
  }
  s->segment_start[rows] = 2 * rows;
  hn_gram_pattern pattern = {rows, GROUPS, s->group_columns, s->segment_start, s->segment_group};
  check_ok(hn_gram_create(&s->arena, &pattern, &s->gram));
  double *values = hn_gram_values(s->gram);
  for (int r = 0; r < rows; r++) {
    int source = r >= rows - spare ? r - (rows - spare) : r;
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < SIZE; i++) {
        int column = SIZE * s->segment_group[2 * r + k] + i;
        double value = hn_random_uniform(&random, -0.4, 0.4);
        s->w[r][column] = source == r ? value : 2 * s->w[source][column];
        values[hn_gram_segment(s->gram, 2 * r + k) + i] = s->w[r][column];
      }
  }
}

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < COLUMNS; k++) sum += a[k] * b[k];
  return sum;
}

static void solves_rows_of_any_rank(void **state) {
  (void)state;
  static const int cases[][2] = {{12, 0}, {30, 0}, {40, 9}, {41, 0}, {140, 0}, {120, 17}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    static sample s;
    int rows = cases[c][0], spare = cases[c][1];
    make(&s, rows, spare, 3 + c);
    unsigned char dependent[MOST_ROWS];
    assert_int_equal(hn_gram_factor(s.gram, NULL, 1e-7, 1, dependent), rows - spare);
    int told = 0;
    for (int r = 0; r < rows; r++) told += dependent[r];
    assert_int_equal(told, spare);
    // b = W W' y for some y: solve gives x with the same W' x
    hn_random random = hn_random_seed(99 + c);
    double y[MOST_ROWS], b[MOST_ROWS], x[MOST_ROWS], wanted[COLUMNS] = {0}, got[COLUMNS] = {0};
    hn_random_fill(&random, y, rows, -1, 1);
    hn_gram_add_transposed(s.gram, 1, y, wanted);
    for (int r = 0; r < rows; r++) b[r] = dot(s.w[r], wanted);
    memcpy(x, b, sizeof x);
    hn_gram_solve(s.gram, x);
    hn_gram_add_transposed(s.gram, 1, x, got);
    check_near_many(got, wanted, COLUMNS, 1e-10);
    memcpy(x, b, sizeof x);
    memset(got, 0, sizeof got);
    hn_gram_least(s.gram, x);
    hn_gram_add_transposed(s.gram, 1, x, got);
    check_near_many(got, wanted, COLUMNS, 1e-10);
    hn_arena_release(&s.arena);
  }
}

// Two rows that say 1 and 3 of the same thing: the nearest is their mean, weighted by least squares.
static void complete_decomposition_is_least_squares(void **state) {
  (void)state;
  const int columns[2] = {0, 3}, start[3] = {0, 1, 2}, group[2] = {0, 0};
  hn_gram_pattern pattern = {2, 1, columns, start, group};
  hn_arena arena;
  hn_gram *gram = NULL;
  hn_arena_init(&arena, NULL);
  check_ok(hn_gram_create(&arena, &pattern, &gram));
  double *w = hn_gram_values(gram), b[2] = {1, 3}, x[3] = {0};
  w[0] = w[3] = 0.6;
  w[1] = w[4] = 0.8;
  assert_int_equal(hn_gram_factor(gram, NULL, 1e-7, 1, NULL), 1);
  hn_gram_least(gram, b);
  hn_gram_add_transposed(gram, 1, b, x);
  check_near(x[0], 2 * 0.6, 1e-14);
  check_near(x[1], 2 * 0.8, 1e-14);
  check_near(x[2], 0, 0);
  hn_arena_release(&arena);
}

// Rows that contradict each other, few and many: the residual of W x = b is orthogonal to all
// columns, W' (W x - b) = 0, and x = W' t is in their span. That is the pseudo-inverse and nothing
// else is.
static void contradictions_are_shared_by_least_squares(void **state) {
  (void)state;
  static const int cases[][2] = {{40, 9}, {41, 5}, {120, 17}, {140, 40}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    static sample s;
    int rows = cases[c][0], spare = cases[c][1];
    make(&s, rows, spare, 31 + c);
    assert_int_equal(hn_gram_factor(s.gram, NULL, 1e-7, 1, NULL), rows - spare);
    assert_int_equal(hn_gram_is_dense(s.gram), rows <= HN_GRAM_DENSE_ROWS);
    hn_random random = hn_random_seed(77 + c);
    double b[MOST_ROWS], t[MOST_ROWS], x[COLUMNS] = {0}, upright[COLUMNS] = {0}, left = 0;
    hn_random_fill(&random, b, rows, -1, 1);
    memcpy(t, b, sizeof t);
    hn_gram_least(s.gram, t);
    hn_gram_add_transposed(s.gram, 1, t, x);
    for (int r = 0; r < rows; r++) {
      double rest = dot(s.w[r], x) - b[r];
      left = fmax(left, fabs(rest));
      for (int k = 0; k < COLUMNS; k++) upright[k] += s.w[r][k] * rest;
    }
    assert_true(left > 0.1); // they cannot all hold
    for (int k = 0; k < COLUMNS; k++) check_near(upright[k], 0, 1e-9);
    hn_arena_release(&s.arena);
  }
}

static void rows_that_take_no_part_are_zero(void **state) {
  (void)state;
  static sample s;
  make(&s, 60, 0, 17);
  unsigned char active[60];
  double b[60];
  for (int r = 0; r < 60; r++) {
    active[r] = r % 3 != 0;
    b[r] = 1 + r;
  }
  assert_int_equal(hn_gram_factor(s.gram, active, 1e-7, 0, NULL), 40);
  hn_gram_solve(s.gram, b);
  for (int r = 0; r < 60; r += 3) check_near(b[r], 0, 0);
  hn_arena_release(&s.arena);
}

static void root_of_a_semidefinite_matrix_has_its_rank(void **state) {
  (void)state;
  hn_random random = hn_random_seed(5);
  enum { N = 12, RANK = 5 };
  double f[N * RANK], a[N * N] = {0}, keep[N * N], floor[N], l[N * N], rest[N];
  int order[N];
  hn_random_fill(&random, f, N * RANK, -1, 1);
  for (int k = 0; k < RANK; k++) f[3 * RANK + k] = 0; // a direction that cannot move
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < RANK; k++) a[i * N + j] += f[i * RANK + k] * f[j * RANK + k];
  for (int i = 0; i < N; i++) floor[i] = 1e-12;
  memcpy(keep, a, sizeof a);
  assert_int_equal(hn_semidefinite_root(a, N, floor, l, N, order, rest), RANK);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += l[i * N + k] * l[j * N + k];
      check_near(sum, keep[i * N + j], 1e-13);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_rows_of_any_rank),
      cmocka_unit_test(complete_decomposition_is_least_squares),
      cmocka_unit_test(contradictions_are_shared_by_least_squares),
      cmocka_unit_test(rows_that_take_no_part_are_zero),
      cmocka_unit_test(root_of_a_semidefinite_matrix_has_its_rank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
