// Forces and roads that cannot be, each with its message.
#include "model/build.h"

static hn_machine with_force(hn_machine m, hn_force_def force) {
  force.name = "push";
  force.source = PLACE(44);
  check_ok(hn_model_add_force(m.model, &force, NULL));
  return m;
}

static hn_force_def spring(const hn_machine *m) {
  hn_force_def force = force_between(m, "push", HN_FORCE_SPRING_DAMPER, m->rod, vec3(1, 0, 0),
                                     m->slider, vec3(2, 0, 0));
  force.of_x = constant_law(5);
  return force;
}

static void spring_needs_two_bodies_two_points_and_a_law(void **state) {
  (void)state;
  hn_machine m = small_machine();
  accept(with_force(m, spring(&m)));

  m = small_machine();
  hn_force_def force = spring(&m);
  force.frame1.body = force.frame2.body = HN_GROUND;
  refuse(with_force(m, force), "force 'push'", "", 44);

  m = small_machine();
  force = spring(&m);
  force.frame2 = force.frame1;
  refuse(with_force(m, force), "force 'push'", "'rod'", 44);

  m = small_machine();
  force = spring(&m);
  force.frame2 = hn_model_frame(m.model, m.slider, vec3(1, 0, 0), vec3(0, 0, 1));
  warn(with_force(m, force), "force 'push'", "0", 44);

  m = small_machine();
  force = force_between(&m, "push", HN_FORCE_SPRING_DAMPER, m.rod, vec3(1, 0, 0), m.slider,
                        vec3(2, 0, 0));
  warn(with_force(m, force), "force 'push'", "", 44);
}

static hn_law *straight_law(double at_zero, double slope) {
  hn_law *law = NULL;
  check_ok(hn_law_polynomial((double[]){at_zero, slope}, 2, NULL, &law, NULL));
  return law;
}

static void negative_stiffness_and_damping_are_told(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_force_def force = spring(&m);
  hn_law_free(force.of_x);
  force.of_x = straight_law(5, -300);
  warn(with_force(m, force), "force 'push'", "-300 N/m", 44);

  m = small_machine();
  force = spring(&m);
  force.of_v = straight_law(0, -20);
  warn(with_force(m, force), "force 'push'", "-20 s/m", 44);

  m = small_machine(); // free at 1000 m, drawn 1 m long: mm were meant
  force = spring(&m);
  hn_law_free(force.of_x);
  force.of_x = straight_law(-1e9, 1e6);
  warn(with_force(m, force), "force 'push'", "1000 1", 44);

  m = small_machine();
  force = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  force.joint = m.pin;
  force.coordinate = HN_COORDINATE_ANGLE;
  force.of_x = straight_law(0, -7);
  warn(with_force(m, force), "force 'push'", "-7 m/rad", 44);

  m = small_machine(); // a curve may fall somewhere
  force = spring(&m);
  hn_law_free(force.of_x);
  check_ok(hn_law_polynomial((double[]){0, -1, 0, 4}, 4, NULL, &force.of_x, NULL));
  accept(with_force(m, force));
}

static void joint_forces_need_a_coordinate(void **state) {
  (void)state;
  const hn_force_type types[] = {HN_FORCE_JOINT_SPRING_DAMPER, HN_FORCE_JOINT_FRICTION,
                                 HN_FORCE_JOINT_STOP};
  for (int k = 0; k < 3; k++) {
    hn_machine m = small_machine();
    hn_force_def force = hn_default_force(types[k]);
    force.joint = m.rail; // coordinate: angle
    refuse(with_force(m, force), "force 'push'", "'angle' 'rail'", 44);
    m = small_machine();
    refuse(with_force(m, hn_default_force(types[k])), "force 'push'", "-1", 44);
  }
}

static void rotational_spring_turns_about_an_angle(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_force_def force = hn_default_force(HN_FORCE_ROTATIONAL_SPRING_DAMPER);
  force.joint = m.pin;
  force.of_v = straight_law(0, 0.1);
  accept(with_force(m, force));
  m = small_machine();
  force.of_v = straight_law(0, 0.1);
  force.joint = m.rail;
  force.coordinate = HN_COORDINATE_DISPLACEMENT;
  refuse(with_force(m, force), "force 'push'", "'displacement' 'rail'", 44);
  m = small_machine();
  force = hn_default_force(HN_FORCE_ROTATIONAL_SPRING_DAMPER);
  refuse(with_force(m, force), "force 'push'", "", 44);
}

static void friction_has_no_negative_transition_speed(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_force_def force = hn_default_force(HN_FORCE_JOINT_FRICTION);
  force.joint = m.pin;
  force.magnitude = 2;
  accept(with_force(m, force));
  m = small_machine();
  force.transition = 0; // it sticks
  accept(with_force(m, force));
  m = small_machine();
  force.transition = -1;
  refuse(with_force(m, force), "force 'push'", "-1", 44);
  m = small_machine();
  force.transition = 0.01;
  force.magnitude = -2;
  refuse(with_force(m, force), "force 'push'", "-2", 44);
}

static void stop_needs_an_interval_and_a_stiffness(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_force_def force = hn_default_force(HN_FORCE_JOINT_STOP);
  force.joint = m.pin;
  force.stiffness[0] = 1e4;
  force.upper = 0.5;
  accept(with_force(m, force));
  m = small_machine();
  force.lower = 0.75;
  refuse(with_force(m, force), "force 'push'", "0.75 0.5", 44);
  m = small_machine();
  force.lower = 0.5;
  refuse(with_force(m, force), "force 'push'", "0.5", 44);
  m = small_machine();
  force.lower = 0;
  force.stiffness[0] = 0;
  refuse(with_force(m, force), "force 'push'", "0 N/m", 44);
}

static hn_force_def tyre(const hn_machine *m, int road) {
  hn_force_def force = hn_default_force(HN_FORCE_TYRE);
  force.frame2 = hn_model_frame(m->model, m->rod, vec3(0, 0, 0.3), vec3(0, 1, 0));
  force.radius = 0.3;
  force.stiffness[0] = 2e5;
  force.road = road;
  return force;
}

static int add_road(const hn_machine *m, hn_road_def road) {
  int id = -1;
  road.name = "track";
  road.source = PLACE(50);
  check_ok(hn_model_add_road(m->model, &road, &id));
  return id;
}

static void tyre_needs_radius_stiffness_and_road(void **state) {
  (void)state;
  hn_machine m = small_machine();
  int road = add_road(&m, hn_default_road(HN_ROAD_FLAT));
  accept(with_force(m, tyre(&m, road)));
  m = small_machine();
  refuse(with_force(m, tyre(&m, 0)), "force 'push'", "0", 44);
  m = small_machine();
  hn_force_def force = tyre(&m, 0);
  force.radius = 0;
  refuse(with_force(m, force), "force 'push'", "0", 44);
  m = small_machine();
  force = tyre(&m, 0);
  force.stiffness[0] = -1;
  refuse(with_force(m, force), "force 'push'", "-1 N/m", 44);
  m = small_machine();
  force = tyre(&m, 0);
  force.frame2.body = HN_GROUND;
  refuse(with_force(m, force), "force 'push'", "", 44);
}

static void bushing_constants_are_not_negative(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_force_def force =
      force_between(&m, "push", HN_FORCE_BUSHING, m.rod, vec3(1, 0, 0), m.slider, vec3(1, 0, 0));
  force.damping[5] = -3;
  refuse(with_force(m, force), "force 'push'", "-3", 44);
}

static void loads_act_on_bodies_that_move(void **state) {
  (void)state;
  const hn_force_type types[] = {HN_FORCE_POINT_FORCE, HN_FORCE_TORQUE};
  for (int k = 0; k < 2; k++)
    refuse(with_force(small_machine(), hn_default_force(types[k])), "force 'push'", "", 44);
}

static hn_status no_force(void *context, double time, const hn_body_motion body[2],
                          hn_wrench wrench[2], double d_pose[12][12], double d_velocity[12][12],
                          double d_time[12]) {
  (void)context, (void)time, (void)body, (void)wrench, (void)d_pose, (void)d_velocity, (void)d_time;
  return HN_OK;
}

static void user_force_needs_a_function(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_force_def force =
      force_between(&m, "push", HN_FORCE_USER, HN_GROUND, vec3_zero(), m.rod, vec3_zero());
  refuse(with_force(m, force), "force 'push'", "", 44);
  m = small_machine();
  force.user.evaluate = no_force;
  accept(with_force(m, force));
}

static void unknown_force_is_refused(void **state) {
  (void)state;
  refuse(with_force(small_machine(), hn_default_force(HN_FORCE_TYPES)), "force 'push'", "15", 44);
}

static void roads_have_a_shape(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_road_def road = hn_default_road(HN_ROAD_COSINE_BUMP);
  add_road(&m, road);
  refuse(m, "road 'track'", "0", 50);
  m = small_machine();
  add_road(&m, hn_default_road(HN_ROAD_HALF_CYLINDER));
  refuse(m, "road 'track'", "0", 50);
  m = small_machine();
  road = hn_default_road(HN_ROAD_FLAT);
  road.speed = HUGE_VAL;
  add_road(&m, road);
  refuse(m, "road 'track'", "inf", 50);
}

static void profile_points_must_increase(void **state) {
  (void)state;
  hn_machine m = small_machine();
  double x[] = {0, 1, 1, 2};
  const double z[] = {0, 0, 0.1, 0.1};
  hn_road_def road = hn_default_road(HN_ROAD_POLYLINE);
  road.name = "stairs";
  road.source = PLACE(51);
  road.x = x;
  road.z = z;
  road.count = 4;
  check_status(hn_model_add_road(m.model, &road, NULL), HN_ERROR_MODEL);
  check_error(hn_model_error(m.model), "road 'stairs'", "1 2 3", 51);
  road.count = 1;
  check_status(hn_model_add_road(m.model, &road, NULL), HN_ERROR_MODEL);
  check_error(hn_model_error(m.model), "road 'stairs'", "1", 51);
  x[2] = HUGE_VAL;
  road.count = 4;
  check_status(hn_model_add_road(m.model, &road, NULL), HN_ERROR_MODEL);
  check_error(hn_model_error(m.model), "road 'stairs'", "inf 0.1", 51);
  x[2] = 1.001;
  int id = -1;
  check_ok(hn_model_add_road(m.model, &road, &id));
  assert_int_equal(id, 0);
  x[3] = 77; // the model has its own copy
  assert_true(m.model->roads.item[0].x[3] == 2);
  check_near(hn_law_evaluate(m.model->roads.law[0], -1, 1.0005).value, 0.05, 1e-12);
  assert_int_equal(hn_model_find_road(m.model, "stairs"), 0);
  accept(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spring_needs_two_bodies_two_points_and_a_law),
      cmocka_unit_test(negative_stiffness_and_damping_are_told),
      cmocka_unit_test(joint_forces_need_a_coordinate),
      cmocka_unit_test(rotational_spring_turns_about_an_angle),
      cmocka_unit_test(friction_has_no_negative_transition_speed),
      cmocka_unit_test(stop_needs_an_interval_and_a_stiffness),
      cmocka_unit_test(tyre_needs_radius_stiffness_and_road),
      cmocka_unit_test(bushing_constants_are_not_negative),
      cmocka_unit_test(loads_act_on_bodies_that_move),
      cmocka_unit_test(user_force_needs_a_function),
      cmocka_unit_test(unknown_force_is_refused),
      cmocka_unit_test(roads_have_a_shape),
      cmocka_unit_test(profile_points_must_increase),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
