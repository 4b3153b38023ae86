// Rank and redundancy against counts that can be done by hand.
#include "analysis/mobility.h"

#include <stdio.h>

#include "analysis/parts.h"
#include "model/model.h"

static const hn_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

static hn_mobility analyse(setting *s) {
  hn_mobility m;
  check_ok(hn_mobility_compute(s->equations, NULL, 0, s->q, &s->branches, &m, &s->error));
  return m;
}

static int redundant_rows(const hn_mobility *m) {
  int count = 0;
  for (int k = 0; k < m->redundant_count; k++) count += m->redundant[k].row_count;
  return count;
}

// A closed ring of `links` bars in the x-y plane, the last joint back on ground.
static hn_model *make_ring(int links) {
  hn_model *model = begin_model(vec3(0, 0, 0));
  char name[32];
  for (int k = 0; k < links; k++) {
    double a = 2 * HN_PI * (k + 0.5) / (links + 1), b = 2 * HN_PI * (k + 1.5) / (links + 1);
    snprintf(name, sizeof name, "link%d", k);
    add_body(model, name, vec3(0.5 * (cos(a) + cos(b)), 0.5 * (sin(a) + sin(b)), 0));
  }
  for (int k = 0; k <= links; k++) {
    double a = 2 * HN_PI * (k + 0.5) / (links + 1);
    snprintf(name, sizeof name, "pin%d", k);
    add_joint(model, HN_JOINT_REVOLUTE, name, k, k == links ? HN_GROUND : k + 1,
              vec3(cos(a), sin(a), 0), Z);
  }
  return model;
}

static void a_planar_four_bar_repeats_three_rows(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_ring(3));
  hn_mobility m = analyse(&s);
  assert_int_equal(m.rows, 20);
  assert_int_equal(m.rank, 17);
  assert_int_equal(m.degrees_of_freedom, 1);
  assert_int_equal(m.loops, 1);
  assert_int_equal(m.parts, 1);
  assert_int_equal(redundant_rows(&m), 3);
  assert_int_equal(m.not_unique_count, 4); // every pin shares the forces across the plane
  assert_int_equal(m.equations, 23);
  assert_int_equal(m.coordinates, 21);
  hn_mobility_free(&m);
  hn_mobility_free(&m); // again is fine
  tear_down(&s);
}

static void a_chain_has_a_part_for_each_joint_and_nothing_redundant(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  for (int k = 0; k < 4; k++) {
    char name[2] = {(char)('a' + k), 0};
    add_body(model, name, vec3(k + 0.5, 0, 0));
    name[0] = (char)('A' + k);
    add_joint(model, k == 2 ? HN_JOINT_SPHERICAL : HN_JOINT_REVOLUTE, name, k, k + 1, vec3(k, 0, 0),
              k % 2 ? Y : Z);
  }
  set_up(&s, model);
  hn_mobility m = analyse(&s);
  assert_int_equal(m.rank, 18);
  assert_int_equal(m.degrees_of_freedom, 6);
  assert_int_equal(m.loops, 0);
  assert_int_equal(m.parts, 4);
  assert_int_equal(m.redundant_count, 0);
  assert_int_equal(m.not_unique_count, 0);
  hn_mobility_free(&m);
  tear_down(&s);
}

// A door on two hinges in line: the second says nothing new, and it is the one that is named.
static void the_second_hinge_of_a_door_is_redundant(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int door = add_body(model, "door", vec3(0.5, 0, 1));
  add_joint(model, HN_JOINT_REVOLUTE, "lower", HN_GROUND, door, vec3(0, 0, 0), Z);
  int upper = add_joint(model, HN_JOINT_REVOLUTE, "upper", HN_GROUND, door, vec3(0, 0, 2), Z);
  set_up(&s, model);
  hn_mobility m = analyse(&s);
  assert_int_equal(m.rank, 5);
  assert_int_equal(m.degrees_of_freedom, 1);
  assert_int_equal(m.loops, 1);
  assert_int_equal(redundant_rows(&m), 5);
  int of_upper = 0;
  for (int k = 0; k < m.redundant_count; k++)
    if (m.redundant[k].id == upper) of_upper = m.redundant[k].row_count;
  assert_true(of_upper >= 3); // rows about the hinge line may come from either
  assert_int_equal(m.not_unique_count, 2);
  hn_mobility_free(&m);
  tear_down(&s);
}

// A model with a redundant loop and, hanging on it, a pendulum: only the loop is not unique.
static void what_hangs_on_a_redundant_loop_is_not_blamed(void **state) {
  (void)state;
  setting s;
  hn_model *model = make_ring(3);
  int bob = add_body(model, "bob", vec3(0, 0, -1));
  int hook = add_joint(model, HN_JOINT_SPHERICAL, "hook", 2, bob, vec3(0, 0, 0), Z);
  set_up(&s, model);
  hn_mobility m = analyse(&s);
  assert_int_equal(m.rank, 20);
  assert_int_equal(m.degrees_of_freedom, 4);
  assert_int_equal(m.parts, 2);
  for (int k = 0; k < m.not_unique_count; k++) assert_int_not_equal(m.not_unique[k].id, hook);
  assert_int_equal(m.not_unique_count, 4);
  hn_mobility_free(&m);
  tear_down(&s);
}

static void gears_and_drivers_are_rows_of_the_bodies_they_join(void **state) {
  (void)state;
  for (int drivers = 0; drivers <= 2; drivers++) {
    setting s;
    hn_model *model = begin_model(vec3(0, 0, 0));
    int a = add_body(model, "a", vec3(0, 0, 0)), b = add_body(model, "b", vec3(1, 0, 0));
    int pins[2] = {add_joint(model, HN_JOINT_REVOLUTE, "A", HN_GROUND, a, vec3(0, 0, 0), Z),
                   add_joint(model, HN_JOINT_REVOLUTE, "B", HN_GROUND, b, vec3(1, 0, 0), Z)};
    hn_joint_def gear = hn_default_joint(HN_JOINT_GEAR);
    gear.name = "gear";
    for (int k = 0; k < 2; k++) {
      gear.coupled[k] = pins[k];
      gear.coupled_coordinate[k] = HN_COORDINATE_ANGLE;
      gear.coefficient[k] = 1 + k;
    }
    gear.coupled_count = 2;
    add_joint_def(model, gear);
    if (drivers > 0) add_driver(model, "motor", pins[0], HN_COORDINATE_ANGLE, "2*t");
    if (drivers > 1) add_driver(model, "second", pins[1], HN_COORDINATE_ANGLE, "-t");
    set_up(&s, model);
    hn_mobility m = analyse(&s);
    assert_int_equal(m.rows, 11 + drivers);
    assert_int_equal(m.rank, drivers == 0 ? 11 : 12);
    assert_int_equal(m.degrees_of_freedom, drivers == 0 ? 1 : 0);
    assert_int_equal(m.loops, 0);
    assert_int_equal(m.redundant_count, drivers == 2);
    if (drivers == 2) {
      assert_int_equal(m.redundant[0].is_driver, 1);
      assert_int_equal(m.redundant[0].id, 1);
      assert_int_equal(m.redundant[0].row_count, 1);
    }
    hn_mobility_free(&m);
    tear_down(&s);
  }
}

// Sarrus: two hinge loops at right angles guide a plate in a straight line.
static void a_spatial_loop_of_parallel_and_crossed_hinges_keeps_its_freedom(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int a = add_body(model, "a", vec3(0.5, 0, 0.5)), b = add_body(model, "b", vec3(0.5, 0, 1.5));
  int c = add_body(model, "c", vec3(0, 0.5, 0.5)), d = add_body(model, "d", vec3(0, 0.5, 1.5));
  int plate = add_body(model, "plate", vec3(0, 0, 2));
  add_joint(model, HN_JOINT_REVOLUTE, "a0", HN_GROUND, a, vec3(0, 0, 0), Y);
  add_joint(model, HN_JOINT_REVOLUTE, "ab", a, b, vec3(1, 0, 1), Y);
  add_joint(model, HN_JOINT_REVOLUTE, "b1", b, plate, vec3(0, 0, 2), Y);
  add_joint(model, HN_JOINT_REVOLUTE, "c0", HN_GROUND, c, vec3(0, 0, 0), X);
  add_joint(model, HN_JOINT_REVOLUTE, "cd", c, d, vec3(0, 1, 1), X);
  add_joint(model, HN_JOINT_REVOLUTE, "d1", d, plate, vec3(0, 0, 2), X);
  set_up(&s, model);
  hn_mobility m = analyse(&s);
  assert_int_equal(m.rows, 30);
  assert_int_equal(m.rank, 29);
  assert_int_equal(m.degrees_of_freedom, 1);
  assert_int_equal(redundant_rows(&m), 1);
  hn_mobility_free(&m);
  tear_down(&s);
}

static void long_chains_are_counted(void **state) {
  (void)state;
  enum { LINKS = 10000 };
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  char name[32];
  for (int k = 0; k < LINKS; k++) {
    snprintf(name, sizeof name, "link%d", k);
    add_body(model, name, vec3(k + 0.5, 0, 0));
    snprintf(name, sizeof name, "pin%d", k);
    add_joint(model, HN_JOINT_REVOLUTE, name, k, k + 1, vec3(k, 0, 0), Z);
  }
  set_up(&s, model);
  hn_mobility m = analyse(&s);
  assert_int_equal(m.rank, 5 * LINKS);
  assert_int_equal(m.degrees_of_freedom, LINKS);
  assert_int_equal(m.parts, LINKS);
  hn_mobility_free(&m);
  tear_down(&s);
}

// Too many rows for a dense matrix: 701 pins, three of whose rows repeat others.
static void long_rings_are_counted(void **state) {
  (void)state;
  enum { LINKS = 700 };
  setting s;
  set_up(&s, make_ring(LINKS));
  hn_mobility m = analyse(&s);
  assert_int_equal(m.rows, 5 * (LINKS + 1));
  assert_int_equal(m.degrees_of_freedom, LINKS - 2);
  assert_int_equal(redundant_rows(&m), 3);
  assert_int_equal(m.not_unique_count, LINKS + 1);
  hn_mobility_free(&m);
  tear_down(&s);
}

// A ring of three bars with one pin turned by 1 degree about x.
static hn_model *make_tilted_ring(void) {
  hn_model *model = make_ring(3);
  hn_joint_def *pin = &model->joints[2];
  hn_quat tilt = quat_from_axis_angle(X, HN_PI / 180);
  pin->frame1.orientation = quat_multiply(tilt, pin->frame1.orientation);
  pin->frame2.orientation = quat_multiply(tilt, pin->frame2.orientation);
  return model;
}

static void a_machine_that_cannot_move_is_told_with_the_axis_that_locks_it(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_tilted_ring());
  hn_mobility m = analyse(&s);
  assert_int_equal(m.degrees_of_freedom, 0);
  check_names(m.note, "0");
  check_names(m.note, "'pin2' 1 'pin0' 2");
  hn_mobility_free(&m);
  tear_down(&s);
}

static void a_locked_loop_is_told_although_the_rest_moves(void **state) {
  (void)state;
  setting s;
  hn_model *model = make_tilted_ring();
  int bob = add_body(model, "bob", vec3(5, 0, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "hook", HN_GROUND, bob, vec3(4, 0, 0), Z);
  set_up(&s, model);
  hn_mobility m = analyse(&s);
  assert_int_equal(m.degrees_of_freedom, 1);
  check_names(m.note, "'pin2'");
  hn_mobility_free(&m);
  tear_down(&s);
}

static void a_beam_on_two_hinges_is_locked_by_the_second(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int beam = add_body(model, "beam", vec3(0.5, 0, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "left", HN_GROUND, beam, vec3(0, 0, 0), Y);
  add_joint(model, HN_JOINT_REVOLUTE, "right", HN_GROUND, beam, vec3(1, 0, 0), Y);
  set_up(&s, model);
  hn_mobility m = analyse(&s);
  check_names(m.note, "'right' 4");
  hn_mobility_free(&m);
  tear_down(&s);
}

static void what_moves_or_is_driven_is_not_called_locked(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_ring(3));
  hn_mobility m = analyse(&s);
  assert_string_equal(m.note, "");
  hn_mobility_free(&m);
  tear_down(&s);
  hn_model *model = make_ring(3);
  add_driver(model, "motor", 0, HN_COORDINATE_ANGLE, "0.1*t");
  set_up(&s, model);
  m = analyse(&s);
  assert_int_equal(m.degrees_of_freedom, 0);
  assert_string_equal(m.note, "");
  hn_mobility_free(&m);
  tear_down(&s);
}

static void rotations_that_nothing_sees_are_listed(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int bob = add_body_def(model, body_at("bob", 1, 0, vec3(1, 0, 0)));
  hn_body_def thin = body_at("rod", 1, 0, vec3(3, 0, 0));
  thin.inertia[1] = thin.inertia[2] = 0.1; // none about its own axis
  int rod = add_body_def(model, thin);
  int wheel = add_body_def(model, body_at("wheel", 1, 0, vec3(5, 0, 0)));
  hn_joint_def string = hn_default_joint(HN_JOINT_DISTANCE);
  string.name = "string";
  string.frame1 = hn_model_frame(model, HN_GROUND, vec3(0, 0, 0), Z);
  string.frame2 = hn_model_frame(model, bob, vec3(1, 0, 0), Z);
  add_joint_def(model, string);
  add_joint(model, HN_JOINT_SPHERICAL, "ball", HN_GROUND, rod, vec3(2.5, 0, 0), Z);
  add_joint(model, HN_JOINT_FIXED, "weld", HN_GROUND, wheel, vec3(5, 0, 0), Z); // holds all of it
  set_up(&s, model);
  hn_mobility m = analyse(&s);
  assert_int_equal(m.weightless_count, 2);
  assert_int_equal(m.weightless[0], bob);
  assert_int_equal(m.weightless[1], rod);
  hn_mobility_free(&m);
  tear_down(&s);
}

static void a_machine_without_joints_is_all_freedom(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  add_body(model, "a", vec3(0, 0, 0));
  set_up(&s, model);
  hn_mobility m = analyse(&s);
  assert_int_equal(m.rank, 0);
  assert_int_equal(m.degrees_of_freedom, 6);
  assert_int_equal(m.parts, 0);
  hn_mobility_free(&m);
  tear_down(&s);
}

static void failing_memory_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_ring(3));
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_mobility m;
    hn_status status =
        hn_mobility_compute(s.equations, &allocator, 0, s.q, &s.branches, &m, &s.error);
    hn_mobility_free(&m);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
  }
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_planar_four_bar_repeats_three_rows),
      cmocka_unit_test(a_chain_has_a_part_for_each_joint_and_nothing_redundant),
      cmocka_unit_test(the_second_hinge_of_a_door_is_redundant),
      cmocka_unit_test(what_hangs_on_a_redundant_loop_is_not_blamed),
      cmocka_unit_test(gears_and_drivers_are_rows_of_the_bodies_they_join),
      cmocka_unit_test(a_spatial_loop_of_parallel_and_crossed_hinges_keeps_its_freedom),
      cmocka_unit_test(long_chains_are_counted),
      cmocka_unit_test(long_rings_are_counted),
      cmocka_unit_test(a_machine_that_cannot_move_is_told_with_the_axis_that_locks_it),
      cmocka_unit_test(a_locked_loop_is_told_although_the_rest_moves),
      cmocka_unit_test(a_beam_on_two_hinges_is_locked_by_the_second),
      cmocka_unit_test(what_moves_or_is_driven_is_not_called_locked),
      cmocka_unit_test(rotations_that_nothing_sees_are_listed),
      cmocka_unit_test(a_machine_without_joints_is_all_freedom),
      cmocka_unit_test(failing_memory_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
