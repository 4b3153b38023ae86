// Sparse matrices by rows against dense ones.
#include <string.h>

#include "linalg/sparse.h"
#include "support/check.h"

enum { ROWS = 9, COLUMNS = 13 };

typedef struct example {
  hn_arena arena;
  hn_sparse a;
  double dense[ROWS][COLUMNS];
} example;

// About every third entry, some rows empty.
static void begin(example *e, uint64_t seed) {
  hn_random random = hn_random_seed(seed);
  int start[ROWS + 1], index[ROWS * COLUMNS], at = 0;
  memset(e, 0, sizeof *e);
  hn_arena_init(&e->arena, NULL);
  for (int i = 0; i < ROWS; i++) {
    start[i] = at;
    for (int j = 0; i % 4 != 2 && j < COLUMNS; j++)
      if (hn_random_below(&random, 3) == 0) index[at++] = j;
  }
  start[ROWS] = at;
  check_ok(hn_sparse_create(&e->arena, ROWS, COLUMNS, start, index, &e->a));
  for (int i = 0; i < ROWS; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      e->dense[i][index[k]] = e->a.value[k] = hn_random_uniform(&random, -1, 1);
}

static void end(example *e) { hn_arena_release(&e->arena); }

static void products_equal_those_of_the_dense_matrix(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 6; seed++) {
    example e;
    begin(&e, seed);
    hn_random random = hn_random_seed(100 + seed);
    double x[COLUMNS], y[ROWS], by_rows[ROWS], by_columns[COLUMNS];
    double expected_rows[ROWS], expected_columns[COLUMNS];
    hn_random_fill(&random, x, COLUMNS, -1, 1);
    hn_random_fill(&random, y, ROWS, -1, 1);
    for (int i = 0; i < ROWS; i++) {
      expected_rows[i] = by_rows[i] = y[i];
      for (int j = 0; j < COLUMNS; j++) expected_rows[i] += 0.7 * e.dense[i][j] * x[j];
    }
    for (int j = 0; j < COLUMNS; j++) {
      expected_columns[j] = by_columns[j] = x[j];
      for (int i = 0; i < ROWS; i++) expected_columns[j] -= 1.3 * e.dense[i][j] * y[i];
    }
    hn_sparse_add_product(&e.a, 0.7, x, by_rows);
    hn_sparse_add_transposed_product(&e.a, -1.3, y, by_columns);
    check_near_many(by_rows, expected_rows, ROWS, 1e-14);
    check_near_many(by_columns, expected_columns, COLUMNS, 1e-14);
    end(&e);
  }
}

static void every_entry_is_found_and_no_other(void **state) {
  (void)state;
  example e;
  begin(&e, 7);
  for (int i = 0; i < ROWS; i++)
    for (int j = -1; j <= COLUMNS; j++) {
      int at = hn_sparse_find(&e.a, i, j);
      double expected = j >= 0 && j < COLUMNS ? e.dense[i][j] : 0;
      assert_true(at < 0 ? expected == 0 : e.a.value[at] == expected && expected != 0);
    }
  assert_int_equal(hn_sparse_find(&e.a, -1, 0), -1);
  assert_int_equal(hn_sparse_find(&e.a, ROWS, 0), -1);
  end(&e);
}

// Rows 0 and 1 have columns 0 1 2 5 6, row 2 has 1 2 5 6, row 3 has 2 5 6.
static void blocks_are_found_where_rows_have_one_pattern(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  const int start[] = {0, 5, 10, 14, 17};
  const int index[] = {0, 1, 2, 5, 6, 0, 1, 2, 5, 6, 1, 2, 5, 6, 2, 5, 6};
  hn_sparse a;
  check_ok(hn_sparse_create(&arena, 4, 7, start, index, &a));
  hn_sparse_place place = hn_sparse_find_block(&a, 0, 1, 2, 2);
  assert_int_equal(place.at, 1);
  assert_int_equal(place.stride, 5);
  assert_int_equal(hn_sparse_find_block(&a, 3, 5, 1, 2).at, 15); // one row
  assert_int_equal(hn_sparse_find_block(&a, 0, 2, 2, 2).at, -1); // a gap in the columns
  assert_int_equal(hn_sparse_find_block(&a, 0, 1, 4, 1).at, -1); // not in row 3
  assert_int_equal(hn_sparse_find_block(&a, 0, 5, 3, 2).at, -1); // 3, 8, 12: uneven
  assert_int_equal(hn_sparse_find_block(&a, 3, 5, 2, 2).at, -1); // beyond the last row
  a.value[1] = a.value[16] = 1;
  hn_sparse_zero(&a);
  for (int k = 0; k < 17; k++) assert_true(a.value[k] == 0);
  hn_arena_release(&arena);
}

static void a_pattern_is_found_inside_a_larger_one(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_sparse inner, outer;
  check_ok(hn_sparse_create(&arena, 2, 3, (int[]){0, 1, 3}, (int[]){1, 0, 2}, &inner));
  check_ok(hn_sparse_create(&arena, 2, 3, (int[]){0, 2, 5}, (int[]){0, 1, 0, 1, 2}, &outer));
  int map[5];
  check_ok(hn_sparse_embed(&inner, &outer, map));
  assert_true(map[0] == 1 && map[1] == 2 && map[2] == 4);
  check_status(hn_sparse_embed(&outer, &inner, map), HN_ERROR_ARGUMENT);
  hn_sparse alike;
  check_ok(hn_sparse_create_alike(&arena, &outer, &alike));
  assert_true(alike.index == outer.index && alike.value != outer.value);
  hn_arena_release(&arena);
}

static void a_broken_pattern_is_refused(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_sparse a;
  const int start[] = {0, 1, 3};
  check_status(hn_sparse_create(&arena, 2, 3, start, (int[]){0, 2, 2}, &a), HN_ERROR_ARGUMENT);
  check_status(hn_sparse_create(&arena, 2, 3, start, (int[]){0, 2, 1}, &a), HN_ERROR_ARGUMENT);
  check_status(hn_sparse_create(&arena, 2, 3, start, (int[]){0, 1, 3}, &a), HN_ERROR_ARGUMENT);
  check_status(hn_sparse_create(&arena, 2, 3, start, (int[]){-1, 1, 2}, &a), HN_ERROR_ARGUMENT);
  check_status(hn_sparse_create(&arena, 2, 3, (int[]){0, 2, 1}, (int[]){0, 1, 2}, &a),
               HN_ERROR_ARGUMENT);
  check_status(hn_sparse_create(&arena, 2, 3, (int[]){1, 2, 3}, (int[]){0, 1, 2}, &a),
               HN_ERROR_ARGUMENT);
  hn_arena_release(&arena);
}

static void out_of_memory_is_reported(void **state) {
  (void)state;
  hn_counting_memory memory = {.fail_at = 1};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena arena;
  hn_arena_init(&arena, &allocator);
  hn_sparse a;
  check_status(hn_sparse_create(&arena, 1, 1, (int[]){0, 1}, (int[]){0}, &a), HN_ERROR_MEMORY);
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_equal_those_of_the_dense_matrix),
      cmocka_unit_test(every_entry_is_found_and_no_other),
      cmocka_unit_test(blocks_are_found_where_rows_have_one_pattern),
      cmocka_unit_test(a_pattern_is_found_inside_a_larger_one),
      cmocka_unit_test(a_broken_pattern_is_refused),
      cmocka_unit_test(out_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
