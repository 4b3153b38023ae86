// How rows are gathered into nodes, which bodies connect a model, and what follows from it for the
// elimination.
#include "linalg/block_nodes.h"
#include "linalg/joint_machines.h"
#include "linalg/topology.h"
#include "linalg/topology_cut.h"
#include "support/check.h"

typedef struct plan {
  joint_machine m;
  hn_arena arena;
  hn_nodes *nodes;
  hn_topology topology;
} plan;

static void begin(plan *p, uint64_t seed) {
  jm_begin(&p->m, seed);
  hn_arena_init(&p->arena, NULL);
}

static void finish(plan *p) {
  hn_solver_problem problem = jm_problem(&p->m);
  check_ok(hn_nodes_create(&p->arena, &problem, &p->nodes));
  check_ok(hn_topology_create(&p->arena, p->nodes, &p->topology));
}

static void end(plan *p) {
  hn_arena_release(&p->arena);
  jm_end(&p->m);
}

// ---- nodes --------------------------------------------------------------------------------------

static void rows_on_the_same_bodies_share_a_node(void **state) {
  (void)state;
  plan p;
  begin(&p, 1);
  int a = jm_body(&p.m, 1, vec3_zero(), jm_half(&p.m), 0);
  int b = jm_body(&p.m, 1, vec3(1, 0, 0), jm_half(&p.m), 0);
  jm_joint(&p.m, JM_REVOLUTE, 0, a, vec3_zero(), vec3(0, 0, 1)); // rows 0 - 4
  jm_rod(&p.m, a, b, vec3(0, 1, 0), vec3(1, 1, 0));              // 5
  jm_gear(&p.m, 0, a, 0, a, vec3(0, 0, 1), 1, 0);                // 6: as a driver of the revolute
  jm_rod(&p.m, b, a, vec3(1, 2, 0), vec3(0, 2, 1));              // 7: the same bodies turned round
  jm_joint(&p.m, JM_REVOLUTE, a, b, vec3(0.5, 0, 0), vec3(0, 1, 0)); // 8 - 12: beyond the limit
  finish(&p);
  assert_int_equal(p.nodes->count, 3);
  const int expected[3][6] = {{0, 1, 2, 3, 4, 6}, {5, 7}, {8, 9, 10, 11, 12}}, size[3] = {6, 2, 5};
  for (int k = 0; k < 3; k++) {
    assert_int_equal(hn_node_size(p.nodes, k), size[k]);
    for (int i = 0; i < size[k]; i++)
      assert_int_equal(p.nodes->row[p.nodes->row_start[k] + i], expected[k][i]);
    assert_int_equal(p.nodes->on_ground[k], k == 0);
    assert_int_equal(p.nodes->body_start[k + 1] - p.nodes->body_start[k], k == 0 ? 1 : 2);
  }
  end(&p);
}

static void a_group_with_many_rows_or_different_bodies_is_parted(void **state) {
  (void)state;
  const int row_start[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12};
  const int body[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2}, joint_row[] = {0, 11};
  hn_solver_problem problem = {.bodies = 2,
                               .rows = 11,
                               .row_start = row_start,
                               .body = body,
                               .joints = 1,
                               .joint_row = joint_row};
  hn_arena arena;
  hn_nodes *nodes;
  hn_arena_init(&arena, NULL);
  check_ok(hn_nodes_create(&arena, &problem, &nodes));
  assert_int_equal(nodes->count, 4); // 6 and 3 on body 1, one on both, one on body 2
  assert_int_equal(hn_node_size(nodes, 0), 6);
  assert_int_equal(hn_node_size(nodes, 1), 3);
  assert_int_equal(hn_node_size(nodes, 2), 1);
  assert_int_equal(hn_node_size(nodes, 3), 1);
  assert_int_equal(nodes->body[nodes->body_start[2] + 1], 1);
  assert_false(nodes->ground_is_known);
  hn_arena_release(&arena);
}

static void bodies_that_are_none_are_refused(void **state) {
  (void)state;
  const int row_start[] = {0, 2}, joint_row[] = {0, 1};
  const int wrong[3][2] = {{0, 1}, {1, 3}, {2, 2}};
  for (int k = 0; k < 3; k++) {
    hn_solver_problem problem = {.bodies = 2,
                                 .rows = 1,
                                 .row_start = row_start,
                                 .body = wrong[k],
                                 .joints = 1,
                                 .joint_row = joint_row};
    hn_arena arena;
    hn_nodes *nodes;
    hn_arena_init(&arena, NULL);
    check_status(hn_nodes_create(&arena, &problem, &nodes), HN_ERROR_ARGUMENT);
    hn_arena_release(&arena);
  }
}

// ---- cuts ---------------------------------------------------------------------------------------

// Ways from node `from` that do not lead through body `without`: 1 when one ends at `goal` (a body, or
// -1 for ground).
static int reaches(const hn_nodes *nodes, int from, int without, int goal) {
  unsigned char body_seen[64] = {0}, node_seen[64] = {0};
  int grown = 1;
  node_seen[from] = 1;
  while (grown) {
    grown = 0;
    for (int i = 0; i < nodes->count; i++)
      for (int e = nodes->body_start[i]; e < nodes->body_start[i + 1]; e++) {
        int b = nodes->body[e];
        if (b == without) continue;
        if (node_seen[i] && !body_seen[b]) grown = body_seen[b] = 1;
        if (body_seen[b] && !node_seen[i]) grown = node_seen[i] = 1;
      }
  }
  for (int i = 0; goal < 0 && i < nodes->count; i++)
    if (node_seen[i] && nodes->on_ground[i]) return 1;
  return goal >= 0 && body_seen[goal];
}

static void nodes_below_a_body_reach_ground_only_through_it(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    plan p;
    hn_cut cut;
    begin(&p, seed);
    jm_tree(&p.m, 20, seed % 2 ? 4 : 20, 0);
    for (int k = 0; k < (int)(seed % 4); k++) // some loops
      jm_rod(&p.m, 3 + 2 * k, 20 - k, vec3(k, 1, 0), vec3(0, k, 2));
    finish(&p);
    check_ok(hn_cut_create(&p.arena, p.nodes, &cut));
    for (int b = 0; b < p.m.bodies; b++) {
      int below = 0;
      for (int e = cut.body_start[b]; e < cut.body_start[b + 1]; e++) {
        assert_int_equal(cut.is_below[e], !reaches(p.nodes, cut.node[e], b, -1));
        below += cut.is_below[e];
      }
      assert_int_equal(cut.below[b], below);
    }
    end(&p);
  }
}

// Without ground the body with the most nodes takes its place.
static void a_floating_machine_hangs_on_its_busiest_body(void **state) {
  (void)state;
  plan p;
  hn_cut cut;
  begin(&p, 5);
  jm_vehicle(&p.m, 4);
  finish(&p);
  check_ok(hn_cut_create(&p.arena, p.nodes, &cut));
  assert_int_equal(cut.below[0], 8); // arm and carrier of every corner
  for (int b = 1; b < 9; b++) assert_int_equal(cut.below[b], 0);
  end(&p);
}

// ---- kept bodies --------------------------------------------------------------------------------

static void hubs_are_kept_and_their_other_joints_wait(void **state) {
  (void)state;
  plan p;
  begin(&p, 6);
  jm_star(&p.m, 12, 2);
  finish(&p);
  const hn_topology *t = &p.topology;
  assert_int_equal(t->kept, 1);
  int place = t->place_of_body[0], ground = -1;
  assert_true(place >= 0 && t->order[place] == -1);
  for (int k = 0; k < t->nodes; k++)
    if (t->order[k] >= 0 && p.nodes->on_ground[t->order[k]]) ground = k;
  assert_true(ground > place); // the joint between the hub and ground
  for (int k = 0; k < place; k++) assert_true(t->neighbor_start[k + 1] - t->neighbor_start[k] == 1);
  end(&p);
}

static void chains_and_loops_keep_no_body(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    plan p;
    begin(&p, 7);
    if (kind == 0)
      jm_chain(&p.m, 30);
    else if (kind == 1)
      jm_ladder(&p.m, 8, 1, 0.1);
    else
      jm_seven_body(&p.m);
    finish(&p);
    assert_int_equal(p.topology.kept, 0);
    end(&p);
  }
}

// If it is unknown whether the groups connect to ground, nothing can be said about what is below.
static void without_knowledge_of_ground_no_body_is_kept(void **state) {
  (void)state;
  plan p;
  begin(&p, 8);
  jm_star(&p.m, 12, 2);
  hn_solver_problem problem = jm_problem(&p.m);
  problem.on_ground = NULL;
  check_ok(hn_nodes_create(&p.arena, &problem, &p.nodes));
  check_ok(hn_topology_create(&p.arena, p.nodes, &p.topology));
  assert_int_equal(p.topology.kept, 0);
  end(&p);
}

static void groups_of_nodes_are_not_coupled(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    plan p;
    begin(&p, seed);
    if (seed % 2)
      jm_tree(&p.m, 40, 40, 0);
    else
      jm_ladder(&p.m, 9, 1, 0.1);
    finish(&p);
    const hn_topology *t = &p.topology;
    for (int k = 0; k < t->nodes; k++) {
      assert_in_range(t->group_end[k] - k, 1, 4);
      for (int e = t->neighbor_start[k]; e < t->neighbor_start[k + 1]; e++)
        assert_true(t->neighbor[e] >= t->group_end[k]);
    }
    end(&p);
  }
}

// Neighbors in the order wait for each other as late as they can: a node comes behind all that are
// lower in the elimination forest.
static void nodes_of_a_small_machine_go_by_height(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    plan p;
    int height[HN_FEW_NODES + 1] = {0};
    begin(&p, 9);
    if (kind == 0)
      jm_tree(&p.m, 40, 40, 0);
    else if (kind == 1)
      jm_ladder(&p.m, 9, 1, 0.1);
    else if (kind == 2)
      jm_star(&p.m, 12, 2);
    else
      jm_seven_body(&p.m);
    finish(&p);
    const hn_topology *t = &p.topology;
    assert_in_range(t->nodes, 2, HN_FEW_NODES);
    for (int k = 0; k < t->nodes; k++) {
      if (k > 0) assert_true(height[k] >= height[k - 1]);
      if (t->neighbor_start[k] == t->neighbor_start[k + 1]) continue;
      const int parent = t->neighbor[t->neighbor_start[k]];
      if (height[parent] <= height[k]) height[parent] = height[k] + 1;
    }
    end(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_on_the_same_bodies_share_a_node),
      cmocka_unit_test(a_group_with_many_rows_or_different_bodies_is_parted),
      cmocka_unit_test(bodies_that_are_none_are_refused),
      cmocka_unit_test(nodes_below_a_body_reach_ground_only_through_it),
      cmocka_unit_test(a_floating_machine_hangs_on_its_busiest_body),
      cmocka_unit_test(hubs_are_kept_and_their_other_joints_wait),
      cmocka_unit_test(chains_and_loops_keep_no_body),
      cmocka_unit_test(without_knowledge_of_ground_no_body_is_kept),
      cmocka_unit_test(groups_of_nodes_are_not_coupled),
      cmocka_unit_test(nodes_of_a_small_machine_go_by_height),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
