// Models that cannot be assembled: each message names the elements, the numbers and a remedy.
#include "analysis/assembly.h"

#include "analysis/parts.h"

static const hn_vec3 Z = {0, 0, 1};

static hn_status assemble(setting *s) {
  return hn_assemble(s->equations, NULL, 0, s->q, s->qd, &s->branches, NULL, &s->error);
}

// A square of three bars of 1 m over ground, the pin at C turned about x by `tilt`.
static hn_model *make_square(double tilt) {
  hn_model *model = begin_model(vec3(0, 0, 0));
  int left = add_body(model, "left", vec3(0, 0.5, 0));
  int top = add_body(model, "top", vec3(0.5, 1, 0));
  int right = add_body(model, "right", vec3(1, 0.5, 0));
  hn_vec3 axis = vec3(0, -sin(tilt), cos(tilt));
  add_joint(model, HN_JOINT_REVOLUTE, "A", HN_GROUND, left, vec3(0, 0, 0), Z);
  add_joint(model, HN_JOINT_REVOLUTE, "B", left, top, vec3(0, 1, 0), Z);
  add_joint(model, HN_JOINT_REVOLUTE, "C", top, right, vec3(1, 1, 0), axis);
  add_joint(model, HN_JOINT_REVOLUTE, "D", right, HN_GROUND, vec3(1, 0, 0), Z);
  return model;
}

static void motors_with_different_speeds_are_both_named(void **state) {
  (void)state;
  setting s;
  hn_model *model = make_square(0);
  add_driver(model, "slow", 0, HN_COORDINATE_ANGLE, "2*t");
  add_driver(model, "fast", 0, HN_COORDINATE_ANGLE, "5*t");
  set_up(&s, model);
  check_status(assemble(&s), HN_ERROR_INCONSISTENT);
  assert_string_equal(s.error.element, "drivers 'slow' and 'fast'");
  check_names(s.error.message, "0");
  check_names(s.error.message, "'slow' 'A' 2 rad/s 114.6 deg/s");
  check_names(s.error.message, "'fast' 'A' 5 rad/s");
  tear_down(&s);
}

static void motors_with_different_positions_are_both_named(void **state) {
  (void)state;
  setting s;
  hn_model *model = make_square(0);
  add_driver(model, "first", 0, HN_COORDINATE_ANGLE, "0.3 + t");
  add_driver(model, "second", 0, HN_COORDINATE_ANGLE, "pi/3 + t");
  set_up(&s, model);
  check_status(assemble(&s), HN_ERROR_ASSEMBLY);
  assert_string_equal(s.error.element, "drivers 'first' and 'second'");
  check_names(s.error.message, "'first' 'A' 0.3 17.19");
  check_names(s.error.message, "'second' 'A' 1.0472 60");
  tear_down(&s);
}

// In a parallelogram both cranks turn alike.
static void motors_that_the_joints_tie_together_are_both_named(void **state) {
  (void)state;
  setting s;
  hn_model *model = make_square(0);
  add_driver(model, "left", 0, HN_COORDINATE_ANGLE, "2*t");
  add_driver(model, "right", 3, HN_COORDINATE_ANGLE, "0.5*t");
  set_up(&s, model);
  check_status(assemble(&s), HN_ERROR_INCONSISTENT);
  assert_string_equal(s.error.element, "drivers 'left' and 'right'");
  check_names(s.error.message, "'left' 'A'");
  check_names(s.error.message, "'right' 'D' 0.5 rad/s");
  tear_down(&s);
}

static void a_motor_on_a_loop_with_a_tilted_axis_names_the_axis(void **state) {
  (void)state;
  setting s;
  hn_model *model = make_square(HN_PI / 180);
  add_driver(model, "motor", 0, HN_COORDINATE_ANGLE, "2*t");
  set_up(&s, model);
  check_status(assemble(&s), HN_ERROR_INCONSISTENT);
  assert_string_equal(s.error.element, "joint 'C'");
  check_names(s.error.message, "1 'A' 2");
  tear_down(&s);
}

// A beam on two hinges that are not in line.
static void a_motor_on_a_locked_machine_is_told_that_nothing_can_move(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int beam = add_body(model, "beam", vec3(0.5, 0, 0));
  int left =
      add_joint(model, HN_JOINT_REVOLUTE, "left", HN_GROUND, beam, vec3(0, 0, 0), vec3(0, 1, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "right", HN_GROUND, beam, vec3(1, 0, 0), vec3(0, 1, 0));
  add_driver(model, "motor", left, HN_COORDINATE_ANGLE, "3*t");
  set_up(&s, model);
  check_status(assemble(&s), HN_ERROR_INCONSISTENT);
  assert_string_equal(s.error.element, "driver 'motor'");
  check_names(s.error.message, "3 rad/s");
  check_names(s.error.hint, "`holon check`");
  tear_down(&s);
}

// Bars of 0.1, 0.3 and 0.2 m between pins 1 m apart, each drawn at the origin.
static void links_too_short_for_their_loop_are_listed_with_their_lengths(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int crank = add_body(model, "crank", vec3(0, 0, 0));
  int coupler = add_body(model, "coupler", vec3(0, 0, 0));
  int rocker = add_body(model, "rocker", vec3(0, 0, 0));
  hn_vec3 o = vec3(0, 0, 0);
  add_joint_def(model, joint_between(HN_JOINT_REVOLUTE, "A", HN_GROUND, o, crank, o));
  add_joint_def(model, joint_between(HN_JOINT_REVOLUTE, "B", crank, vec3(0.1, 0, 0), coupler, o));
  add_joint_def(model, joint_between(HN_JOINT_REVOLUTE, "C", coupler, vec3(0.3, 0, 0), rocker, o));
  add_joint_def(model, joint_between(HN_JOINT_REVOLUTE, "D", HN_GROUND, vec3(1, 0, 0), rocker,
                                     vec3(0.2, 0, 0)));
  set_up(&s, model);
  check_status(assemble(&s), HN_ERROR_ASSEMBLY);
  check_names(s.error.hint, "1");
  check_names(s.error.hint, "0.1");
  check_names(s.error.hint, "0.3");
  check_names(s.error.hint, "0.2");
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motors_with_different_speeds_are_both_named),
      cmocka_unit_test(motors_with_different_positions_are_both_named),
      cmocka_unit_test(motors_that_the_joints_tie_together_are_both_named),
      cmocka_unit_test(a_motor_on_a_loop_with_a_tilted_axis_names_the_axis),
      cmocka_unit_test(a_motor_on_a_locked_machine_is_told_that_nothing_can_move),
      cmocka_unit_test(links_too_short_for_their_loop_are_listed_with_their_lengths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
