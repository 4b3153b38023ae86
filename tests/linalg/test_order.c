// Orderings: permutations that keep chains, stars and grids sparse, and respect constraints.
#include <stdlib.h>
#include <string.h>

#include "linalg/factors.h"
#include "linalg/order.h"
#include "support/check.h"

static void assert_is_permutation(const int *order, int n) {
  unsigned char *seen = calloc((size_t)n, 1);
  for (int k = 0; k < n; k++) {
    assert_in_range(order[k], 0, n - 1);
    assert_int_equal(seen[order[k]], 0);
    seen[order[k]] = 1;
  }
  free(seen);
}

// A graph from edges, both directions.
typedef struct graph_data {
  int start[202], neighbor[4000];
} graph_data;

static hn_graph make_graph(graph_data *data, int n, int edges, int ends[][2]) {
  memset(data, 0, sizeof *data);
  int at = 0;
  for (int i = 0; i < n; i++) {
    data->start[i] = at;
    for (int e = 0; e < edges; e++)
      for (int k = 0; k < 2; k++)
        if (ends[e][k] == i) data->neighbor[at++] = ends[e][1 - k];
  }
  data->start[n] = at;
  return (hn_graph){n, data->start, data->neighbor, NULL};
}

static void a_star_is_eliminated_from_its_leaves(void **state) {
  (void)state;
  enum { LEAVES = 40 };
  static graph_data data;
  int ends[LEAVES][2], order[LEAVES + 1];
  for (int e = 0; e < LEAVES; e++) ends[e][0] = 0, ends[e][1] = e + 1;
  hn_graph graph = make_graph(&data, LEAVES + 1, LEAVES, ends);
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  check_ok(hn_order_minimum_degree(&arena, &graph, NULL, order));
  assert_is_permutation(order, LEAVES + 1);
  // the hub is last or, when one leaf is left, last but one
  assert_true(order[LEAVES] == 0 || order[LEAVES - 1] == 0);
  hn_arena_release(&arena);
}

static void a_node_that_waits_comes_after_those_that_release_it(void **state) {
  (void)state;
  enum { N = 30 };
  static graph_data data;
  int ends[N - 1][2], order[N], place[N];
  for (int e = 0; e < N - 1; e++) ends[e][0] = e, ends[e][1] = e + 1;
  hn_graph graph = make_graph(&data, N, N - 1, ends);
  // node 0, an end of the chain, waits for nodes 10, 11, 12
  int count[N] = {0}, start[N + 1] = {0}, list[3] = {0, 0, 0};
  count[0] = 3;
  for (int i = 0; i <= N; i++) start[i] = i <= 10 ? 0 : i >= 13 ? 3 : i - 10;
  hn_order_waits waits = {count, start, list};
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  check_ok(hn_order_minimum_degree(&arena, &graph, &waits, order));
  assert_is_permutation(order, N);
  for (int k = 0; k < N; k++) place[order[k]] = k;
  for (int i = 10; i <= 12; i++) assert_true(place[0] > place[i]);
  hn_arena_release(&arena);
}

static void waits_that_nothing_releases_are_an_error(void **state) {
  (void)state;
  static graph_data data;
  int ends[1][2] = {{0, 1}}, order[2], count[2] = {1, 0}, start[3] = {0, 0, 0}, list[1] = {0};
  hn_graph graph = make_graph(&data, 2, 1, ends);
  hn_order_waits waits = {count, start, list};
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  check_status(hn_order_minimum_degree(&arena, &graph, &waits, order), HN_ERROR_ARGUMENT);
  hn_arena_release(&arena);
}

// The five-point grid k x k: any reasonable order fills far less than the natural band order,
// whose factor has k^3 entries.
static void a_grid_fills_less_than_its_band(void **state) {
  (void)state;
  enum { K = 40, N = K * K };
  static int start[N + 1], row[3 * N], order[N], natural[N];
  int at = 0;
  for (int j = 0; j < N; j++) {
    start[j] = at;
    if (j >= K) row[at++] = j - K;
    if (j % K) row[at++] = j - 1;
    row[at++] = j;
    natural[j] = j;
  }
  start[N] = at;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  check_ok(hn_order_matrix(&arena, N, start, row, order));
  assert_is_permutation(order, N);
  double best = hn_factors_count(&arena, N, start, row, order);
  double band = hn_factors_count(&arena, N, start, row, natural);
  assert_true(band >= 0.4 * K * K * (double)N);
  assert_true(best < 0.4 * band);
  hn_arena_release(&arena);
}

// Coordinates in a row, each two neighbors tied by a constraint, which come after both of them: the
// work grows with their number.
static double work_in_a_row(int n) {
  static int start[1001], row[2000], order[1000], place[1000];
  int at = 0, late = n / 2;
  for (int j = 0; j < n; j++) {
    start[j] = at;
    if (j >= late) {
      row[at++] = j - late;
      if (j - late + 1 < late) row[at++] = j - late + 1;
    }
    row[at++] = j;
  }
  start[n] = at;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  check_ok(hn_order_matrix_late(&arena, n, start, row, late, order));
  assert_is_permutation(order, n);
  for (int k = 0; k < n; k++) place[order[k]] = k;
  for (int j = late; j < n; j++)
    for (int k = start[j]; k < start[j + 1] - 1; k++) assert_true(place[row[k]] < place[j]);
  double work = hn_factors_count(&arena, n, start, row, order);
  hn_arena_release(&arena);
  return work;
}

static void constraints_in_a_row_come_late_and_fill_little(void **state) {
  (void)state;
  double some = work_in_a_row(100);
  assert_true(some > 0);
  assert_true(work_in_a_row(600) <= 6.5 * some);
}

static void failing_memory_is_reported(void **state) {
  (void)state;
  static graph_data data;
  int ends[3][2] = {{0, 1}, {1, 2}, {2, 3}}, order[4];
  hn_graph graph = make_graph(&data, 4, 3, ends);
  hn_counting_memory memory = {.fail_at = 1};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena arena;
  hn_arena_init(&arena, &allocator);
  check_status(hn_order_minimum_degree(&arena, &graph, NULL, order), HN_ERROR_MEMORY);
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_star_is_eliminated_from_its_leaves),
      cmocka_unit_test(a_node_that_waits_comes_after_those_that_release_it),
      cmocka_unit_test(waits_that_nothing_releases_are_an_error),
      cmocka_unit_test(a_grid_fills_less_than_its_band),
      cmocka_unit_test(constraints_in_a_row_come_late_and_fill_little),
      cmocka_unit_test(failing_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
