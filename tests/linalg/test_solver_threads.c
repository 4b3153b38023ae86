// Branches of the elimination forest on several threads: which there are, and that bits do not depend on
// how many threads work.
#include "linalg/joint_machines.h"
#include "linalg/share.h"
#include "linalg/solver_system.h"
#include "linalg/topology.h"
#include "support/check.h"

enum { MOST_THREADS = 4 };

static void chain(joint_machine *m) { jm_chain(m, 600); }
static void bushy_tree(joint_machine *m) { jm_tree(m, 700, 700, 0); }
static void slender_tree(joint_machine *m) { jm_tree(m, 700, 3, 1); }
static void ladder(joint_machine *m) { jm_ladder(m, 200, 1, 0.1); }
static void light_ladder(joint_machine *m) { jm_ladder(m, 200, 1, 0); } // bodies without inertia
static void star(joint_machine *m) { jm_star(m, 60, 8); }
static void vehicle(joint_machine *m) { jm_vehicle(m, 80); }

static void (*const machines[])(joint_machine *) = {chain,        bushy_tree, slender_tree, ladder,
                                                    light_ladder, star,       vehicle};
enum { MACHINES = sizeof machines / sizeof machines[0] };

static uint64_t hash_of(const double *x, int count, uint64_t hash) {
  for (int i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

// Of everything a solver gives for two factorizations and solutions each.
static uint64_t solution_bits(joint_machine *m, hn_threads *threads) {
  hn_solver_problem problem = jm_problem(m);
  hn_solver *solver = NULL;
  hn_arena arena;
  hn_error error;
  uint64_t hash = 1469598103934665603u;
  hn_arena_init(&arena, NULL);
  problem.threads = threads;
  check_ok(hn_solver_create(&arena, &hn_solver_topology, &problem, &solver, &error));
  double *b = HN_TAKE(&arena, double, 6 * m->bodies), *c = HN_TAKE(&arena, double, m->rows);
  double *x = HN_TAKE(&arena, double, 6 * m->bodies), *y = HN_TAKE(&arena, double, m->rows);
  m->seed = 5;
  jm_right_sides(m, b, c);
  for (int round = 0; round < 4; round++) {
    if (round % 2 == 0) check_ok(hn_solver_factor(solver, m->mass, m->block));
    check_ok(hn_solver_solve(solver, b, c, x, y, NULL));
    hash = hash_of(x, 6 * m->bodies, hash_of(y, m->rows, hash));
    for (int r = 0; r < m->rows; r++) {
      double pivot = solver->type->pivot(solver, r);
      hash = hash_of(&pivot, 1, hash);
    }
  }
  hn_arena_release(&arena);
  return hash;
}

static void bits_do_not_depend_on_the_number_of_threads(void **state) {
  (void)state;
  for (int k = 0; k < MACHINES; k++) {
    joint_machine m;
    jm_begin(&m, 60 + (uint64_t)k);
    machines[k](&m);
    uint64_t alone = solution_bits(&m, NULL);
    for (int count = 2; count <= MOST_THREADS; count++) {
      hn_threads *threads = NULL;
      hn_status status = hn_threads_create(NULL, count, &threads);
      if (status == HN_ERROR_UNSUPPORTED) break; // this build has none
      check_ok(status);
      assert_true(solution_bits(&m, threads) == alone);
      hn_threads_free(threads);
    }
    jm_end(&m);
  }
}

static int limbs_of(void (*make)(joint_machine *), int links) {
  joint_machine m;
  hn_arena arena;
  hn_nodes *nodes;
  hn_topology t;
  jm_begin(&m, 70);
  if (make)
    make(&m);
  else
    jm_chain(&m, links);
  hn_solver_problem problem = jm_problem(&m);
  hn_arena_init(&arena, NULL);
  check_ok(hn_nodes_create(&arena, &problem, &nodes));
  check_ok(hn_topology_create(&arena, nodes, &t));
  // every node above the subtrees comes after them, and no node of a subtree is coupled to another
  // subtree
  for (int k = 0; k < t.nodes; k++) {
    assert_int_equal(t.limb[k] >= 0, k < t.top);
    for (int e = t.neighbor_start[k]; t.limb[k] >= 0 && e < t.neighbor_start[k + 1]; e++) {
      int other = t.limb[t.neighbor[e]];
      assert_true(other < 0 || other == t.limb[k]);
    }
  }
  int limbs = t.limbs;
  hn_arena_release(&arena);
  jm_end(&m);
  return limbs;
}

static void large_machines_have_limbs(void **state) {
  (void)state;
  assert_int_equal(limbs_of(chain, 0), 2); // from both ends
  assert_true(limbs_of(bushy_tree, 0) >= 4);
  assert_true(limbs_of(star, 0) >= 2);
}

static void small_machines_have_none(void **state) {
  (void)state;
  assert_int_equal(limbs_of(NULL, 50), 0);
}

typedef struct counts {
  int seen[1000];
} counts;

static void count_range(void *context, int from, int to) {
  counts *c = context;
  for (int i = from; i < to; i++) c->seen[i]++;
}

static void every_item_of_a_range_comes_once(void **state) {
  (void)state;
  hn_threads *threads = NULL;
  (void)hn_threads_create(NULL, 3, &threads); // null without threads: one call
  for (int count = 0; count <= 1000; count += 37) {
    static counts c;
    memset(&c, 0, sizeof c);
    hn_share(threads, count_range, &c, count, 16);
    for (int i = 0; i < 1000; i++) assert_int_equal(c.seen[i], i < count);
  }
  hn_threads_free(threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_do_not_depend_on_the_number_of_threads),
      cmocka_unit_test(large_machines_have_limbs),
      cmocka_unit_test(small_machines_have_none),
      cmocka_unit_test(every_item_of_a_range_comes_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
