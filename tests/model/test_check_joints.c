// Joints and drivers that cannot be, each with its message.
#include "model/build.h"

static hn_machine with_joint(hn_machine m, hn_joint_def joint) {
  joint.name = "knee";
  joint.source = PLACE(31);
  check_ok(hn_model_add_joint(m.model, &joint, NULL));
  return m;
}

static hn_machine with_driver(hn_machine m, hn_driver_def driver) {
  driver.name = "motor";
  driver.source = PLACE(36);
  check_ok(hn_model_add_driver(m.model, &driver, NULL));
  return m;
}

static void bodies_must_exist_and_differ(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_joint_def joint =
      joint_between(&m, "knee", HN_JOINT_SPHERICAL, m.rod, 17, vec3_zero(), vec3(0, 0, 1));
  refuse(with_joint(m, joint), "joint 'knee'", "17 0 2", 31);
  m = small_machine();
  joint = joint_between(&m, "knee", HN_JOINT_SPHERICAL, -1, m.rod, vec3_zero(), vec3(0, 0, 1));
  refuse(with_joint(m, joint), "joint 'knee'", "-1", 31);
  m = small_machine();
  joint = joint_between(&m, "knee", HN_JOINT_FIXED, m.rod, m.rod, vec3_zero(), vec3(0, 0, 1));
  refuse(with_joint(m, joint), "joint 'knee'", "'rod'", 31);
  m = small_machine();
  joint = joint_between(&m, "knee", HN_JOINT_FIXED, 0, 0, vec3_zero(), vec3(0, 0, 1));
  refuse(with_joint(m, joint), "joint 'knee'", "", 31);
}

static void axis_must_have_a_direction(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_joint_def joint =
      joint_between(&m, "knee", HN_JOINT_REVOLUTE, m.rod, m.slider, vec3_zero(), vec3_zero());
  refuse(with_joint(m, joint), "joint 'knee'", "'rod'", 31);
  m = small_machine();
  joint = joint_between(&m, "knee", HN_JOINT_REVOLUTE, m.rod, m.slider, vec3(HUGE_VAL, 0, 0),
                        vec3(0, 0, 1));
  refuse(with_joint(m, joint), "joint 'knee'", "", 31);
}

static hn_machine with_universal(double degrees, double gap) {
  hn_machine m = small_machine();
  double angle = degrees * HN_PI / 180;
  hn_joint_def joint = hn_default_joint(HN_JOINT_UNIVERSAL);
  joint.frame1 = hn_model_frame(m.model, m.rod, vec3(1, 0, 0), vec3(1, 0, 0));
  joint.frame2 =
      hn_model_frame(m.model, m.slider, vec3(1, gap, 0), vec3(cos(angle), sin(angle), 0));
  return with_joint(m, joint);
}

static void universal_axes_are_perpendicular_as_drawn(void **state) {
  (void)state;
  accept(with_universal(90, 0));
  accept(with_universal(90 + 5e-5, 0)); // 0.9e-6 rad
  refuse(with_universal(87.5, 0), "joint 'knee'", "87.5", 31);
  refuse(with_universal(90.0001, 0), "joint 'knee'", "90.0001", 31);
  accept(with_universal(40, 0.2)); // drawn apart: assembly turns the axes
}

static hn_machine with_distance(double length, double gap) {
  hn_machine m = small_machine();
  hn_joint_def joint = hn_default_joint(HN_JOINT_DISTANCE);
  joint.frame1 = hn_model_frame(m.model, m.rod, vec3(1, 0, 0), vec3(0, 0, 1));
  joint.frame2 = hn_model_frame(m.model, m.slider, vec3(1, gap, 0), vec3(0, 0, 1));
  joint.length = length;
  return with_joint(m, joint);
}

static void distance_must_have_a_length(void **state) {
  (void)state;
  accept(with_distance(0, 0.5));
  accept(with_distance(0.5, 0.6));
  refuse(with_distance(0, 0), "joint 'knee'", "", 31);
  refuse(with_distance(-0.2, 1), "joint 'knee'", "-0.2", 31);
  warn(with_distance(0.3, 0), "joint 'knee'", "0.3", 31);
}

static void screw_must_have_a_pitch(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_joint_def joint =
      joint_between(&m, "knee", HN_JOINT_SCREW, m.rod, m.slider, vec3(1, 0, 0), vec3(1, 0, 0));
  refuse(with_joint(m, joint), "joint 'knee'", "0", 31);
  m = small_machine();
  joint.pitch = -0.005; // left-handed
  accept(with_joint(m, joint));
}

static hn_joint_def coupled(const hn_machine *m, hn_joint_type type, hn_coordinate first,
                            hn_coordinate second) {
  hn_joint_def joint = hn_default_joint(type);
  joint.coupled_count = 2;
  joint.coupled[0] = m->pin;
  joint.coupled_coordinate[0] = first;
  joint.coupled[1] = m->rail;
  joint.coupled_coordinate[1] = second;
  return joint;
}

static void coupled_joints_have_the_coordinate(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_joint_def rack =
      coupled(&m, HN_JOINT_RACK_PINION, HN_COORDINATE_ANGLE, HN_COORDINATE_DISPLACEMENT);
  accept(with_joint(m, rack));
  m = small_machine();
  refuse(with_joint(m, coupled(&m, HN_JOINT_GEAR, HN_COORDINATE_ANGLE, HN_COORDINATE_ANGLE)),
         "joint 'knee'", "'angle' 'rail'", 31);
  m = small_machine();
  refuse(with_joint(m, coupled(&m, HN_JOINT_GEAR, HN_COORDINATE_ANGLE, HN_COORDINATE_DISPLACEMENT)),
         "joint 'knee'", "'displacement' 'rail'", 31);
  m = small_machine();
  rack.coupled[1] = 9;
  refuse(with_joint(m, rack), "joint 'knee'", "9 3", 31);
  m = small_machine();
  rack.coupled[1] = 2; // itself
  refuse(with_joint(m, rack), "joint 'knee'", "'displacement' 'knee'", 31);
}

static void coupled_joints_have_sensible_factors(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_joint_def joint =
      coupled(&m, HN_JOINT_COUPLER, HN_COORDINATE_ANGLE, HN_COORDINATE_DISPLACEMENT);
  accept(with_joint(m, joint));
  m = small_machine();
  joint.coefficient[1] = 0;
  refuse(with_joint(m, joint), "joint 'knee'", "0 'rail'", 31);
  m = small_machine();
  joint.coefficient[1] = 1;
  joint.coupled_count = 5;
  refuse(with_joint(m, joint), "joint 'knee'", "5", 31);
  m = small_machine();
  joint.coupled_count = 2;
  joint.constant = HUGE_VAL;
  refuse(with_joint(m, joint), "joint 'knee'", "inf", 31);
  m = small_machine();
  joint.constant = NAN; // of the reference configuration
  accept(with_joint(m, joint));
  m = small_machine();
  joint.constant = 0;
  joint.coupled[1] = m.pin;
  joint.coupled_coordinate[1] = HN_COORDINATE_ANGLE;
  refuse(with_joint(m, joint), "joint 'knee'", "'angle' 'pin'", 31);
  m = small_machine();
  joint.type = HN_JOINT_GEAR;
  joint.coupled_count = 1;
  refuse(with_joint(m, joint), "joint 'knee'", "1 2", 31);
}

static void rack_needs_an_angle_and_a_displacement(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_joint_def second =
      joint_between(&m, "pin2", HN_JOINT_REVOLUTE, m.rod, m.slider, vec3(1, 0, 0), vec3(0, 0, 1));
  int pin2;
  check_ok(hn_model_add_joint(m.model, &second, &pin2));
  hn_joint_def joint = coupled(&m, HN_JOINT_RACK_PINION, HN_COORDINATE_ANGLE, HN_COORDINATE_ANGLE);
  joint.coupled[1] = pin2;
  refuse(with_joint(m, joint), "joint 'knee'", "'angle' 'pin' 'pin2'", 31);
}

static void initial_values_name_coordinates_the_joint_has(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_joint_def joint =
      joint_between(&m, "knee", HN_JOINT_REVOLUTE, m.rod, m.slider, vec3_zero(), vec3(0, 0, 1));
  joint.initial[HN_COORDINATE_LENGTH].has_rate = 1;
  refuse(with_joint(m, joint), "joint 'knee'", "'length' 'knee'", 31);
  m = small_machine();
  joint.initial[HN_COORDINATE_LENGTH].has_rate = 0;
  joint.initial[HN_COORDINATE_ANGLE].has_value = 1;
  joint.initial[HN_COORDINATE_ANGLE].value = HUGE_VAL;
  refuse(with_joint(m, joint), "joint 'knee'", "inf", 31);
}

static void unknown_type_is_refused(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_joint_def joint = hn_default_joint(HN_JOINT_TYPES);
  refuse(with_joint(m, joint), "joint 'knee'", "19", 31);
}

static void driver_needs_a_law_and_a_coordinate(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_driver_def driver = hn_default_driver(HN_DRIVER_JOINT);
  driver.joint = m.pin;
  refuse(with_driver(m, driver), "driver 'motor'", "", 36);
  m = small_machine();
  driver.law = constant_law(1);
  accept(with_driver(m, driver));
  m = small_machine();
  driver.law = constant_law(1);
  driver.coordinate = HN_COORDINATE_Z;
  refuse(with_driver(m, driver), "driver 'motor'", "'z' 'pin'", 36);
  m = small_machine();
  driver.law = constant_law(1);
  driver.joint = -1;
  refuse(with_driver(m, driver), "driver 'motor'", "-1", 36);
}

static void driven_points_have_a_direction_and_two_bodies(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_driver_def driver = hn_default_driver(HN_DRIVER_POINT);
  driver.law = constant_law(1);
  driver.frame2 = hn_model_frame(m.model, m.rod, vec3(1, 0, 0), vec3(0, 0, 1));
  accept(with_driver(m, driver));
  m = small_machine();
  driver.law = constant_law(1);
  driver.coordinate = HN_COORDINATE_ANGLE;
  refuse(with_driver(m, driver), "driver 'motor'", "'angle'", 36);
  m = small_machine();
  driver.law = constant_law(1);
  driver.coordinate = HN_COORDINATE_X;
  driver.frame2.body = HN_GROUND;
  refuse(with_driver(m, driver), "driver 'motor'", "", 36);
  m = small_machine();
  driver = hn_default_driver(HN_DRIVER_DISTANCE);
  driver.law = constant_law(1);
  driver.frame1 = hn_model_frame(m.model, HN_GROUND, vec3(1, 0, 0), vec3(0, 0, 1));
  driver.frame2 = hn_model_frame(m.model, m.rod, vec3(1, 0, 0), vec3(0, 0, 1));
  warn(with_driver(m, driver), "driver 'motor'", "", 36);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_must_exist_and_differ),
      cmocka_unit_test(axis_must_have_a_direction),
      cmocka_unit_test(universal_axes_are_perpendicular_as_drawn),
      cmocka_unit_test(distance_must_have_a_length),
      cmocka_unit_test(screw_must_have_a_pitch),
      cmocka_unit_test(coupled_joints_have_the_coordinate),
      cmocka_unit_test(coupled_joints_have_sensible_factors),
      cmocka_unit_test(rack_needs_an_angle_and_a_displacement),
      cmocka_unit_test(initial_values_name_coordinates_the_joint_has),
      cmocka_unit_test(unknown_type_is_refused),
      cmocka_unit_test(driver_needs_a_law_and_a_coordinate),
      cmocka_unit_test(driven_points_have_a_direction_and_two_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
