// Orders of elimination on joint graphs and the structure they leave.
#include <stdlib.h>
#include <string.h>

#include "linalg/joint_order.h"
#include "support/check.h"

enum { MOST = 60 };

typedef struct small_graph {
  int n;
  unsigned char edge[MOST][MOST];
  int start[MOST + 1], neighbor[MOST * MOST], weight[MOST];
  hn_graph graph;
} small_graph;

static void add(small_graph *g, int a, int b) {
  if (a != b) g->edge[a][b] = g->edge[b][a] = 1;
}

static void finish(small_graph *g) {
  int at = 0;
  for (int i = 0; i < g->n; i++) {
    for (int j = 0; j < g->n; j++)
      if (g->edge[i][j]) g->neighbor[at++] = j;
    g->start[i + 1] = at;
    g->weight[i] = 1 + (i * 7) % 6;
  }
  g->graph = (hn_graph){g->n, g->start, g->neighbor, g->weight};
}

// A chain whose nodes are numbered at random; place[k] is node k along it.
static void make_chain(small_graph *g, hn_random *random, int n, int *place) {
  memset(g, 0, sizeof *g);
  g->n = n;
  for (int k = 0; k < n; k++) place[k] = k;
  for (int k = n - 1; k > 0; k--) {
    int other = hn_random_below(random, k + 1), keep = place[k];
    place[k] = place[other];
    place[other] = keep;
  }
  for (int k = 1; k < n; k++) add(g, place[k - 1], place[k]);
  finish(g);
}

// Cliques of a few nodes, as bodies make them; may fall into parts.
static void make_cliques(small_graph *g, hn_random *random, int n, int cliques) {
  memset(g, 0, sizeof *g);
  g->n = n;
  for (int c = 0; c < cliques; c++) {
    int member[4];
    for (int k = 0; k < 4; k++) member[k] = hn_random_below(random, n);
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < k; l++) add(g, member[k], member[l]);
  }
  finish(g);
}

static void check_permutation(const int *order, int n) {
  unsigned char seen[MOST] = {0};
  for (int k = 0; k < n; k++) {
    assert_in_range(order[k], 0, n - 1);
    assert_int_equal(seen[order[k]]++, 0);
  }
}

static void it_takes_every_node_once(void **state) {
  (void)state;
  hn_random random = hn_random_seed(1);
  for (int round = 0; round < 30; round++) {
    small_graph g;
    int order[MOST];
    make_cliques(&g, &random, 1 + hn_random_below(&random, MOST), round);
    hn_arena scratch;
    hn_arena_init(&scratch, NULL);
    check_ok(hn_joint_order(&scratch, &g.graph, NULL, order));
    check_permutation(order, g.n);
    hn_arena_release(&scratch);
  }
}

static void it_does_not_fill_a_chain_however_it_is_numbered(void **state) {
  (void)state;
  hn_random random = hn_random_seed(2);
  for (int n = 1; n <= MOST; n += 7) {
    small_graph g;
    hn_structure structure;
    hn_arena scratch;
    int order[MOST], place[MOST];
    make_chain(&g, &random, n, place);
    for (int i = 0; i < n; i++) g.weight[i] = 5;
    hn_arena_init(&scratch, NULL);
    check_ok(hn_joint_order(&scratch, &g.graph, NULL, order));
    check_ok(hn_structure_create(&scratch, &g.graph, order, 1000, &structure));
    assert_int_equal(structure.entries, n - 1);
    hn_arena_release(&scratch);
  }
}

// So that a processor can work on two nodes at once.
static void minimum_degree_takes_both_ends_of_a_chain_in_turn(void **state) {
  (void)state;
  hn_random random = hn_random_seed(3);
  small_graph g;
  hn_arena scratch;
  int order[MOST], place[MOST];
  make_chain(&g, &random, 41, place);
  for (int i = 0; i < g.n; i++) g.weight[i] = 5;
  hn_arena_init(&scratch, NULL);
  check_ok(hn_joint_order(&scratch, &g.graph, NULL, order));
  for (int k = 0; k < 19; k++) {
    assert_false(g.edge[order[2 * k]][order[2 * k + 1]]);
    assert_true(g.edge[order[2 * k]][order[2 * k + 2]] || g.edge[order[2 * k]][order[2 * k + 3]]);
  }
  hn_arena_release(&scratch);
}

// The neighbors of a node after elimination of all before it, edge by edge.
static void the_structure_is_what_elimination_leaves(void **state) {
  (void)state;
  hn_random random = hn_random_seed(4);
  for (int round = 0; round < 40; round++) {
    small_graph g;
    hn_structure structure;
    hn_arena scratch;
    int order[MOST], place[MOST];
    make_cliques(&g, &random, 2 + hn_random_below(&random, 40), 3 + round / 2);
    hn_arena_init(&scratch, NULL);
    check_ok(hn_joint_order(&scratch, &g.graph, NULL, order));
    check_ok(hn_structure_create(&scratch, &g.graph, order, 100000, &structure));
    for (int k = 0; k < g.n; k++) place[order[k]] = k;
    double work = 0;
    for (int k = 0; k < g.n; k++) {
      int count = 0, later[MOST], *found = structure.neighbor[k];
      for (int j = 0; j < g.n; j++)
        if (g.edge[order[k]][j] && place[j] > k) later[count++] = j;
      assert_int_equal(structure.neighbors[k], count);
      assert_int_equal(structure.size[k], g.weight[order[k]]);
      double b = g.weight[order[k]], width = 0;
      for (int i = 0; i < count; i++) {
        assert_true(g.edge[order[k]][order[found[i]]] && found[i] > k);
        if (i > 0) assert_true(found[i - 1] < found[i]);
        width += g.weight[later[i]];
        for (int j = 0; j < i; j++) add(&g, later[i], later[j]);
      }
      // L D L' of the block, two triangular solutions, and half of the products
      work += b * (b + 1) * (b + 2) / 6 + b * b * width;
      for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++)
          work += b * g.weight[order[found[i]]] * g.weight[order[found[j]]];
    }
    check_relative(structure.work, work, 1e-12);
    hn_arena_release(&scratch);
  }
}

static void minimum_degree_keeps_the_fill_small(void **state) {
  (void)state;
  enum { SIDE = 7 };
  small_graph g;
  memset(&g, 0, sizeof g);
  g.n = SIDE * SIDE;
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      if (i > 0) add(&g, SIDE * i + j, SIDE * (i - 1) + j);
      if (j > 0) add(&g, SIDE * i + j, SIDE * i + j - 1);
    }
  finish(&g);
  for (int i = 0; i < g.n; i++) g.weight[i] = 1;
  hn_structure structure;
  hn_arena scratch;
  int order[MOST];
  hn_arena_init(&scratch, NULL);
  check_ok(hn_joint_order(&scratch, &g.graph, NULL, order));
  check_ok(hn_structure_create(&scratch, &g.graph, order, 100000, &structure));
  assert_true(structure.entries < SIDE * SIDE * (SIDE - 1)); // row by row it fills the band
  hn_arena_release(&scratch);
}

static void who_has_to_wait_waits(void **state) {
  (void)state;
  hn_random random = hn_random_seed(5);
  small_graph g;
  int along[MOST], order[MOST], count[MOST] = {0}, start[MOST + 1] = {0}, list[MOST], at = 0;
  hn_arena scratch;
  make_chain(&g, &random, 20, along);
  for (int i = 0; i < g.n; i++) { // the ends of the chain wait for its middle
    if (i == along[10]) {
      list[at++] = along[0];
      list[at++] = along[19];
    }
    start[i + 1] = at;
  }
  count[along[0]] = count[along[19]] = 1;
  hn_order_waits waits = {count, start, list};
  hn_arena_init(&scratch, NULL);
  check_ok(hn_joint_order(&scratch, &g.graph, &waits, order));
  check_permutation(order, g.n);
  int place[MOST];
  for (int k = 0; k < g.n; k++) place[order[k]] = k;
  assert_true(place[along[0]] > place[along[10]] && place[along[19]] > place[along[10]]);
  hn_arena_release(&scratch);
}

static void too_much_fill_is_told(void **state) {
  (void)state;
  small_graph g;
  hn_structure structure;
  hn_arena scratch;
  int order[MOST];
  memset(&g, 0, sizeof g);
  g.n = 30;
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < i; j++) add(&g, i, j);
  finish(&g);
  for (int k = 0; k < 30; k++) order[k] = k;
  hn_arena_init(&scratch, NULL);
  check_status(hn_structure_create(&scratch, &g.graph, order, 434, &structure), HN_ERROR_LIMIT);
  check_ok(hn_structure_create(&scratch, &g.graph, order, 435, &structure));
  hn_arena_release(&scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_takes_every_node_once),
      cmocka_unit_test(it_does_not_fill_a_chain_however_it_is_numbered),
      cmocka_unit_test(minimum_degree_takes_both_ends_of_a_chain_in_turn),
      cmocka_unit_test(the_structure_is_what_elimination_leaves),
      cmocka_unit_test(minimum_degree_keeps_the_fill_small),
      cmocka_unit_test(who_has_to_wait_waits),
      cmocka_unit_test(too_much_fill_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
