// Cost of solvers: counted work, memory, allocations; repeatability; and the choice of a solver.
#define _GNU_SOURCE
#include <stdio.h>

#include "linalg/block_reduce.h"
#include "linalg/joint_machines.h"
#include "linalg/solver.h"
#include "linalg/topology.h"
#include "support/check.h"

static hn_solver *make(hn_arena *arena, const hn_solver_type *type, const joint_machine *m) {
  hn_solver_problem problem = jm_problem(m);
  hn_solver *solver = NULL;
  hn_error error;
  check_ok(hn_solver_create(arena, type, &problem, &solver, &error));
  return solver;
}

static double operations(void (*build)(joint_machine *, int), int n) {
  joint_machine m;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  jm_begin(&m, 31);
  build(&m, n);
  double count = make(&arena, &hn_solver_topology, &m)->operations;
  hn_arena_release(&arena);
  jm_end(&m);
  return count;
}

static void chain(joint_machine *m, int n) { jm_chain(m, n); }
static void bushy_tree(joint_machine *m, int n) { jm_tree(m, n, n, 0); }
static void slender_tree(joint_machine *m, int n) { jm_tree(m, n, 3, 1); }
static void ladder(joint_machine *m, int n) { jm_ladder(m, n, 1, 0.1); }
static void star(joint_machine *m, int n) { jm_star(m, n, 2); }
static void vehicle(joint_machine *m, int n) { jm_vehicle(m, n); }

// Chain joints in the order first, last, second, last but one, ... (Negrut 1998, figure 5 b).
static void badly_numbered_chain(joint_machine *m, int n) {
  for (int i = 0; i < n; i++) jm_body(m, 1, vec3(i, 0.1 * (i % 3), 0), jm_half(m), 1);
  for (int i = 0; i < n; i++) {
    int k = i % 2 ? n - 1 - i / 2 : i / 2;
    jm_joint(m, JM_REVOLUTE, k, k + 1, vec3(k - 0.5, 0.05, 0), vec3(0, 0.3, 1));
  }
}

static void work_grows_linearly(void **state) {
  (void)state;
  void (*const builds[])(joint_machine *, int) = {
      chain, badly_numbered_chain, bushy_tree, slender_tree, ladder, star, vehicle};
  for (size_t k = 0; k < sizeof builds / sizeof builds[0]; k++) {
    double at_200 = operations(builds[k], 200) / 200, at_1600 = operations(builds[k], 1600) / 1600;
    check_at_most(at_1600, 1.15 * at_200);
    check_at_most(at_1600, 3000); // multiply-adds a link, arm, corner or loop
  }
}

static void the_numbering_of_joints_does_not_matter(void **state) {
  (void)state;
  check_relative(operations(badly_numbered_chain, 300), operations(chain, 300), 1e-3);
}

// All joints of a platform on its legs are neighbors of each other: no order helps.
static void one_clique_costs_the_cube(void **state) {
  (void)state;
  joint_machine m;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  jm_begin(&m, 32);
  int platform = jm_body(&m, 9, vec3(0, 0, 1), vec3(3, 3, 0.1), 0);
  for (int k = 0; k < 40; k++) {
    hn_vec3 foot = vec3(cos(k), sin(k), 0), head = vec3(2 * cos(k + 0.2), 2 * sin(k), 1);
    int leg = jm_body(&m, 1, vec3_scale(0.5, vec3_add(foot, head)), jm_half(&m), 1);
    jm_joint(&m, JM_UNIVERSAL, 0, leg, foot, vec3(0, 1, 0));
    jm_joint(&m, JM_SPHERICAL, leg, platform, head, vec3(0, 0, 1));
  }
  jm_soften_all(&m);
  double work = make(&arena, &hn_solver_topology, &m)->operations;
  assert_true(work > 120.0 * 120 * 120 / 6 && work < 120.0 * 120 * 120);
  hn_solver_problem problem = jm_problem(&m);
  const hn_solver_type *type;
  hn_error error;
  check_ok(hn_solver_choose(&arena, &problem, "auto", &type, &error));
  assert_non_null(type);
  hn_arena_release(&arena);
  jm_end(&m);
}

// An allocator that knows how many bytes are in use.
static void *measured_allocate(void *context, size_t size) {
  size_t *in_use = context, *block = malloc(size + 64);
  if (!block) return NULL;
  *in_use += size;
  *block = size;
  return (char *)block + 64;
}

static void measured_release(void *context, void *block) {
  size_t *in_use = context, *begin = (size_t *)(void *)((char *)block - 64);
  *in_use -= *begin;
  free(begin);
}

static void a_link_takes_less_than_two_kilobytes(void **state) {
  (void)state;
  joint_machine m;
  hn_arena arena;
  size_t in_use = 0;
  hn_allocator allocator = {measured_allocate, measured_release, &in_use};
  jm_begin(&m, 33);
  jm_chain(&m, 40000);
  hn_arena_init(&arena, &allocator);
  make(&arena, &hn_solver_topology, &m);
  check_at_most((double)in_use / 40000, 2000); // what the arena has not handed out yet included
  hn_arena_release(&arena);
  assert_int_equal(in_use, 0);
  jm_end(&m);
}

// ---- allocations --------------------------------------------------------------------------------

static void nothing_is_allocated_after_the_first_factorization(void **state) {
  (void)state;
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
    joint_machine m;
    hn_arena arena;
    double b[80], c[120], x[80], y[120];
    hn_arena_init(&arena, NULL);
    jm_begin(&m, 34);
    jm_ladder(&m, 4, 1, 0.1);
    hn_solver *solver = make(&arena, *type, &m);
    jm_right_sides(&m, b, c);
    check_ok(hn_solver_factor(solver, m.mass, m.block));
    long calls = arena.allocator_calls;
    for (int k = 0; k < 1000; k++) {
      m.block[k % 60] *= 1 + 1e-9;
      check_ok(hn_solver_factor(solver, m.mass, m.block));
      check_ok(hn_solver_solve(solver, b, c, x, y, NULL));
    }
    assert_int_equal(arena.allocator_calls, calls);
    assert_int_equal(solver->factorizations, 1001);
    hn_arena_release(&arena);
    jm_end(&m);
  }
}

static void an_allocation_that_fails_is_told(void **state) {
  (void)state;
  joint_machine m;
  jm_begin(&m, 35);
  jm_star(&m, 12, 4);
  hn_solver_problem problem = jm_problem(&m);
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++)
    for (long fail_at = 1;; fail_at++) {
      hn_counting_memory memory = {.fail_at = fail_at};
      hn_allocator allocator = hn_counting_allocator(&memory);
      hn_arena arena;
      hn_solver *solver = NULL;
      hn_error error;
      hn_arena_init(&arena, &allocator);
      hn_status status = hn_solver_create(&arena, *type, &problem, &solver, &error);
      if (status == HN_OK) status = hn_solver_factor(solver, m.mass, m.block);
      if (memory.calls >= fail_at) assert_int_equal(status, HN_ERROR_MEMORY);
      hn_arena_release(&arena);
      assert_int_equal(memory.living, 0);
      if (memory.calls < fail_at) {
        check_ok(status);
        break;
      }
    }
  jm_end(&m);
}

// ---- determinism --------------------------------------------------------------------------------

static uint64_t hash_of(const double *x, int count, uint64_t hash) {
  for (int i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

static void two_solvers_of_one_kind_give_the_same_bits(void **state) {
  (void)state;
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
    uint64_t hash[2];
    for (int round = 0; round < 2; round++) {
      joint_machine m;
      hn_arena arena;
      double b[200], c[200], x[200], y[200];
      hn_arena_init(&arena, NULL);
      jm_begin(&m, 36);
      jm_tree(&m, 25, 4, 0);
      jm_right_sides(&m, b, c);
      hn_solver *solver = make(&arena, *type, &m);
      hash[round] = 1469598103934665603u;
      for (int k = 0; k < 3; k++) {
        check_ok(hn_solver_factor(solver, m.mass, m.block));
        check_ok(hn_solver_solve(solver, b, c, x, y, NULL));
        hash[round] = hash_of(x, 6 * m.bodies, hash[round]);
        hash[round] = hash_of(y, m.rows, hash[round]);
      }
      hn_arena_release(&arena);
      jm_end(&m);
    }
    assert_true(hash[0] == hash[1]);
  }
}

// Lanes of one width or the other.
static void both_variants_of_the_kernels_give_the_same_bits(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    joint_machine m;
    hn_arena arena;
    uint64_t hash[2] = {1, 1};
    double b[200], c[200], x[200], y[200];
    hn_arena_init(&arena, NULL);
    jm_begin(&m, seed);
    if (seed % 3 == 0)
      jm_star(&m, 7, 3);
    else if (seed % 3 == 1)
      jm_tree(&m, 25, 25, 0);
    else
      jm_vehicle(&m, 6);
    jm_right_sides(&m, b, c);
    hn_solver *solver = make(&arena, &hn_solver_topology, &m);
    hn_system *system = solver->system;
    const int best = system->wide;
    for (int wide = 0; wide <= best; wide++) {
      system->wide = wide;
      check_ok(hn_solver_factor(solver, m.mass, m.block));
      check_ok(hn_solver_solve(solver, b, c, x, y, NULL));
      hash[wide] = hash_of(x, 6 * m.bodies, hash_of(y, m.rows, 1469598103934665603u));
    }
    if (best) assert_true(hash[0] == hash[1]);
    hn_arena_release(&arena);
    jm_end(&m);
  }
}

// ---- choosing -----------------------------------------------------------------------------------

static const hn_solver_type *chosen(joint_machine *m, const char *name, hn_status expected,
                                    hn_error *error) {
  hn_arena scratch;
  const hn_solver_type *type;
  hn_solver_problem problem = jm_problem(m);
  hn_arena_init(&scratch, NULL);
  check_status(hn_solver_choose(&scratch, &problem, name, &type, error), expected);
  hn_arena_release(&scratch);
  return type;
}

static void the_topology_is_chosen_where_there_is_one(void **state) {
  (void)state;
  joint_machine m;
  hn_error error;
  jm_begin(&m, 41);
  jm_chain(&m, 100);
  assert_ptr_equal(chosen(&m, "auto", HN_OK, &error), &hn_solver_topology);
  assert_ptr_equal(chosen(&m, NULL, HN_OK, &error), &hn_solver_topology);
  assert_ptr_equal(chosen(&m, "augmented", HN_OK, &error), &hn_solver_augmented);
  jm_end(&m);
}

static void a_wrong_name_is_answered_with_the_right_ones(void **state) {
  (void)state;
  joint_machine m;
  hn_error error;
  jm_begin(&m, 42);
  jm_chain(&m, 3);
  assert_null(chosen(&m, "topologie", HN_ERROR_ARGUMENT, &error));
  check_names(error.message, "augmented");
  check_names(error.hint, "topology");
  jm_end(&m);
}

static void light_bodies_are_found_in_any_position(void **state) {
  (void)state;
  for (int k = 0; k < 20; k++) {
    joint_machine m;
    jm_begin(&m, 50 + (uint64_t)k);
    jm_body(&m, 1, vec3_zero(), vec3(0.5, 0.4, 0.3), 1);
    jm_body(&m, 1, vec3_zero(), vec3(0.5, k % 2 ? 1e-3 : 0, k % 2 ? 1e-3 : 0), 1);
    hn_solver_problem problem = jm_problem(&m);
    assert_int_equal(hn_solver_light_body(&problem), k % 2 ? 0 : 2);
    jm_end(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_grows_linearly),
      cmocka_unit_test(the_numbering_of_joints_does_not_matter),
      cmocka_unit_test(one_clique_costs_the_cube),
      cmocka_unit_test(a_link_takes_less_than_two_kilobytes),
      cmocka_unit_test(nothing_is_allocated_after_the_first_factorization),
      cmocka_unit_test(an_allocation_that_fails_is_told),
      cmocka_unit_test(two_solvers_of_one_kind_give_the_same_bits),
      cmocka_unit_test(both_variants_of_the_kernels_give_the_same_bits),
      cmocka_unit_test(the_topology_is_chosen_where_there_is_one),
      cmocka_unit_test(a_wrong_name_is_answered_with_the_right_ones),
      cmocka_unit_test(light_bodies_are_found_in_any_position),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
