// Long chains in Cartesian coordinates: what a link costs in memory, and states in which the reduced
// matrix of joints has lost all its digits.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "equations/equations.h"
#include "holon/holon.h"
#include "support/check.h"

// Links of 1 kg upon each other, axes along the chain and across it in turn: about the third direction
// the chain is one rigid beam.
static hn_model *make_straight_chain(int n) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_model_set_gravity(model, (hn_vec3){0, 0, -9.81});
  for (int i = 0; i < n; i++) {
    char name[32];
    hn_body_def body = hn_default_body();
    hn_joint_def joint = hn_default_joint(HN_JOINT_REVOLUTE);
    hn_vec3 at = {0, 0, 0.25 * i}, axis = {0, i % 2, (i + 1) % 2};
    int id = 0;
    snprintf(name, sizeof name, "link%d", i);
    body.name = name;
    body.position = (hn_vec3){0.01, 0.005, 0.25 * i + 0.125};
    body.inertia[0] = 6.2e-3;
    body.inertia[1] = 6.5e-3;
    body.inertia[2] = 2.4e-3;
    check_ok(hn_model_add_body(model, &body, &id));
    joint.name = name;
    joint.frame1 = hn_model_frame(model, id - 1, at, axis);
    joint.frame2 = hn_model_frame(model, id, at, axis);
    check_ok(hn_model_add_joint(model, &joint, NULL));
  }
  check_ok(hn_model_finish(model));
  return model;
}

// Accelerations in the reference configuration, at rest, in one set of coordinates.
static hn_snapshot *evaluate(hn_arena *arena, const hn_model *model, const hn_equations_type *type,
                             const char *solver) {
  hn_equations_options options = {.linear_solver = solver};
  hn_error error = {0};
  hn_elements *elements;
  hn_equations *e;
  hn_snapshot *s;
  hn_branches branches;
  check_ok(hn_elements_create(arena, model, &elements, &error));
  check_ok(type->create(arena, elements, solver ? &options : NULL, &e, &error));
  check_ok(hn_snapshot_create(arena, e, &s));
  check_ok(hn_branches_create(arena, elements, &branches));
  double *q = HN_TAKE(arena, double, e->nq), *qd = HN_TAKE(arena, double, e->nq);
  hn_frame *room = HN_TAKE(arena, hn_frame, model->body_count);
  assert_non_null(room);
  hn_equations_initial(e, room, q, qd);
  check_ok(e->type->evaluate(e, 0, q, qd, &branches, s, &error));
  return s;
}

// The condition of the reduced matrix grows with the fourth power of the length: at 20,000 links it is
// beyond 1e16, that of the whole matrix about 1e9. Articulated bodies know nothing of either.
static void a_straight_chain_of_20000_links_falls_as_articulated_bodies_do(void **state) {
  (void)state;
  enum { LINKS = 20000 };
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_model *model = make_straight_chain(LINKS);
  hn_snapshot *got = evaluate(&arena, model, &hn_cartesian, "topology");
  hn_snapshot *expected = evaluate(&arena, model, &hn_relative, NULL);
  double most = 0, apart = 0;
  for (int b = 1; b <= LINKS; b++) {
    most = fmax(most, vec3_norm(expected->angular_acceleration[b]));
    apart =
        fmax(apart,
             vec3_norm(vec3_sub(got->angular_acceleration[b], expected->angular_acceleration[b])));
    check_at_most(vec3_norm(got->acceleration[b]), 100);
  }
  check_at_most(apart, 1e-2); // rounding of 20,000 rows adds up along the beam
  for (int r = 0; r < 5 * LINKS; r++) check_near(got->phi_acceleration[r], 0, 1e-8);
  assert_true(most > 0.1); // they do fall
  hn_model_free(model);
  hn_arena_release(&arena);
}

// ---- thin rods -----------------------------------------------------------------------------------

// Hinges along y, rods along x without inertia about themselves but for `axial`, each turned a little
// against the one before.
static hn_model *make_thin_chain(int n, double axial) {
  hn_model *model = NULL;
  hn_vec3 at = {0, 0, 0}, axis = {0, 1, 0};
  check_ok(hn_model_create(NULL, &model));
  hn_model_set_gravity(model, (hn_vec3){0, 0, -9.81});
  for (int i = 0; i < n; i++) {
    char name[32];
    hn_body_def body = hn_default_body();
    hn_joint_def joint = hn_default_joint(HN_JOINT_REVOLUTE);
    double turn = 0.3 * sin(0.05 * i);
    hn_vec3 half = {0.005 * cos(turn), 0, -0.005 * sin(turn)};
    int id = 0;
    snprintf(name, sizeof name, "rod%d", i);
    body.name = name;
    body.mass = 0.01;
    body.position = vec3_add(at, half);
    body.orientation = (hn_quat){cos(turn / 2), 0, sin(turn / 2), 0};
    body.inertia[0] = axial;
    body.inertia[1] = body.inertia[2] = 0.01 * 0.01 * 0.01 / 12;
    check_ok(hn_model_add_body(model, &body, &id));
    joint.name = name;
    joint.frame1 = hn_model_frame(model, id - 1, at, axis);
    joint.frame2 = hn_model_frame(model, id, at, axis);
    check_ok(hn_model_add_joint(model, &joint, NULL));
    at = vec3_add(at, vec3_scale(2, half));
  }
  check_ok(hn_model_finish(model));
  return model;
}

// About themselves rods in a plane do not turn: with inertia there they move as without.
static void a_chain_of_400_thin_rods_falls_as_thick_ones_do(void **state) {
  (void)state;
  enum { RODS = 400 };
  hn_model *thin = make_thin_chain(RODS, 0), *thick = make_thin_chain(RODS, 1e-7);
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  const hn_snapshot *expected = evaluate(&arena, thick, &hn_relative, NULL);
  const hn_snapshot *got[] = {evaluate(&arena, thin, &hn_cartesian, "topology"),
                              evaluate(&arena, thin, &hn_cartesian, "augmented"),
                              evaluate(&arena, thin, &hn_relative, NULL)};
  double most = 0;
  for (int b = 1; b <= RODS; b++) {
    most = fmax(most, vec3_norm(expected->acceleration[b]));
    for (int k = 0; k < 3; k++)
      check_near(vec3_norm(vec3_sub(got[k]->acceleration[b], expected->acceleration[b])), 0, 1e-5);
  }
  assert_true(most > 1); // they do fall
  hn_arena_release(&arena);
  hn_model_free(thin);
  hn_model_free(thick);
}

// Only the inertia matrix of the tree would need memory by the square of the length.
static void thin_rods_in_joint_angles_take_memory_by_their_number(void **state) {
  (void)state;
  enum { RODS = 4000 };
  hn_model *model = make_thin_chain(RODS, 0);
  hn_arena arena;
  hn_elements *elements;
  hn_equations *e;
  hn_error error = {0};
  hn_arena_init(&arena, NULL);
  check_ok(hn_elements_create(&arena, model, &elements, &error));
  check_ok(hn_relative.create(&arena, elements, NULL, &e, &error));
  assert_null(e->saddle);
  hn_arena_release(&arena);
  hn_model_free(model);
}

// ---- memory -------------------------------------------------------------------------------------

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

// Solver, rows, right side, masses: what the arena has not handed out yet included.
static void equations_and_solver_take_less_than_two_kilobytes_a_link(void **state) {
  (void)state;
  enum { LINKS = 100000 };
  size_t in_use = 0, of_elements = 0;
  hn_allocator allocator = {measured_allocate, measured_release, &in_use};
  hn_allocator other = {measured_allocate, measured_release, &of_elements};
  hn_arena arena, elements_arena;
  hn_error error = {0};
  hn_elements *elements;
  hn_equations *e;
  hn_model *model = make_straight_chain(LINKS);
  hn_arena_init(&arena, &allocator);
  hn_arena_init(&elements_arena, &other);
  check_ok(hn_elements_create(&elements_arena, model, &elements, &error));
  check_ok(hn_cartesian.create(&arena, elements, NULL, &e, &error));
  check_at_most((double)in_use / LINKS, 2000);
  hn_arena_release(&arena);
  hn_arena_release(&elements_arena);
  assert_int_equal(in_use, 0);
  hn_model_free(model);
}

// By default: nothing of what only implicit methods need. The chain lies down here, a state in which the
// reduced matrix is good.
static void a_simulation_takes_less_than_nine_kilobytes_a_link(void **state) {
  (void)state;
  enum { LINKS = 8000 };
  size_t in_use = 0;
  hn_allocator allocator = {measured_allocate, measured_release, &in_use};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_model *model = make_straight_chain(LINKS);
  options.allocator = &allocator;
  check_ok(hn_simulation_create(model, &options, &s, &error));
  check_at_most((double)in_use / LINKS, 9000);
  check_ok(hn_simulation_step(s, 1e-6));
  hn_simulation_free(s);
  assert_int_equal(in_use, 0);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_straight_chain_of_20000_links_falls_as_articulated_bodies_do),
      cmocka_unit_test(a_chain_of_400_thin_rods_falls_as_thick_ones_do),
      cmocka_unit_test(thin_rods_in_joint_angles_take_memory_by_their_number),
      cmocka_unit_test(equations_and_solver_take_less_than_two_kilobytes_a_link),
      cmocka_unit_test(a_simulation_takes_less_than_nine_kilobytes_a_link),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
