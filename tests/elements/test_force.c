// Each force against values computed by hand; branches, energy bookkeeping, times.
#include "elements/force.h"

#include "elements/hand_model.h"
#include "elements/road.h"

static hand_model hand;
static hn_frame frames[HAND_BODIES];
static hn_wrench wrench[HAND_BODIES];

static int set_up(void **unused) {
  (void)unused;
  hand_begin(&hand);
  hand_rest(frames);
  return 0;
}
static int tear_down(void **unused) {
  (void)unused;
  hand_end(&hand);
  return 0;
}

static const hn_quat upright = {1, 0, 0, 0};

// Evaluates force f alone on the given branch.
static hn_force_value act_on(int f, double t, hn_branch branch) {
  hn_force_value value;
  memset(wrench, 0, sizeof wrench);
  check_ok(hn_force_in_speeds(hand.elements, f, frames, hand.turns, t, branch, wrench, &value));
  return value;
}
// ... on the branch that holds.
static hn_force_value act(int f, double t) {
  return act_on(f, t, hn_force_branch(hand.elements, f, frames, hand.turns, t));
}

static void check_vector(hn_vec3 actual, double x, double y, double z, double tolerance) {
  double a[3], e[3] = {x, y, z};
  vec3_store(a, actual);
  check_near_many(a, e, 3, tolerance);
}

static hn_frame_on_body at(int body, double x, double y, double z) {
  return (hn_frame_on_body){body, {x, y, z}, upright};
}

// ---- springs ------------------------------------------------------------------------------------

static void spring_pulls_its_points_together(void **unused) {
  (void)unused;
  hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
  spring.frame1 = at(1, 0, 0, 1);
  spring.frame2 = at(2, 0, 0, 1);
  spring.of_x = hand_polynomial(&hand, -200, 100, 0); // 100 N/m, free length 2 m
  spring.of_v = hand_polynomial(&hand, 0, 7, 0);
  spring.of_t = hand_polynomial(&hand, 0, 3, 0);
  hand_add_force(&hand, spring);
  hand_finish(&hand);
  frames[2] = hand_moving_frame(vec3(3, 4, 0), upright, vec3(2, 1, 9), vec3_zero());
  hn_force_value value = act(0, 2);
  double tension = 100 * (5 - 2) + 7 * 2 + 3 * 2; // rate (3 * 2 + 4 * 1)/5
  check_near(value.value, tension, 1e-12);
  check_near(value.deflection, 5, 1e-14);
  check_near(value.rate, 2, 1e-14);
  check_vector(wrench[1].force, 0.6 * tension, 0.8 * tension, 0, 1e-12);
  check_vector(wrench[2].force, -0.6 * tension, -0.8 * tension, 0, 1e-12);
  check_vector(wrench[1].torque, -0.8 * tension, 0.6 * tension, 0, 1e-12); // (0, 0, 1) x force
  check_vector(value.direction, -0.6 * tension, -0.8 * tension, 0, 1e-12);
  check_near(value.potential, 50 * (5 - 2) * (5 - 2), 1e-12); // 0 where the force is
  check_near(value.power, -(14 + 6) * 2, 1e-12);
  check_near(value.dissipated, 14 * 2, 1e-12);
}

// The Iltis leaf: L = h1 . (P1 - P2) - 0.1, along h1 through P2.
static void leaf_acts_along_the_first_axis_through_the_second_point(void **unused) {
  (void)unused;
  hn_force_def leaf = hn_default_force(HN_FORCE_LEAF_SPRING);
  leaf.frame1 = at(1, 0.2, 0, 0.5);
  leaf.frame2 = at(2, 0, 0, 0);
  leaf.offset = 0.1;
  leaf.of_x = hand_polynomial(&hand, -35900 * 0.152, 35900, 0);
  hand_add_force(&hand, leaf);
  hand_finish(&hand);
  frames[2] = hand_frame(vec3(0.3, 0.4, 0.28), upright);
  hn_force_value value = act(0, 0);
  double tension = 35900 * (0.5 - 0.28 - 0.1 - 0.152);
  check_near(value.deflection, 0.12, 1e-15);
  check_near(value.value, tension, 1e-10);
  check_vector(wrench[2].force, 0, 0, tension, 1e-10); // the leaf pulls the lower point up
  check_vector(wrench[1].force, 0, 0, -tension, 1e-10);
  check_vector(wrench[1].torque, -0.4 * tension, 0.3 * tension, 0, 1e-10); // through P2
  check_vector(wrench[2].torque, 0, 0, 0, 1e-12);
}

static int add_hinge(void) {
  hn_joint_def hinge = hn_default_joint(HN_JOINT_REVOLUTE);
  hinge.frame1 = at(1, 0, 0, 0);
  hinge.frame2 = at(2, 0, 0, 0);
  return hand_add_joint(&hand, hinge);
}

// Negrut's spring starts at a full turn: the angle counts turns.
static void joint_spring_counts_turns(void **unused) {
  (void)unused;
  hn_force_def spring = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  spring.joint = add_hinge();
  spring.coordinate = HN_COORDINATE_ANGLE;
  spring.of_x = hand_polynomial(&hand, 0, 10, 0);
  hand_add_force(&hand, spring);
  hand_finish(&hand);
  hand.turns[0] = 2 * HN_PI;
  frames[2] = hand_frame(vec3_zero(), quat_from_axis_angle(vec3(0, 0, 1), 0.3));
  hn_force_value value = act(0, 0);
  double torque = 10 * (2 * HN_PI + 0.3);
  check_near(value.value, torque, 1e-12);
  check_vector(wrench[2].torque, 0, 0, -torque, 1e-12);
  check_vector(wrench[1].torque, 0, 0, torque, 1e-12);
  check_vector(value.direction, 0, 0, 0, 0);
}

static void rotational_spring_needs_no_joint(void **unused) {
  (void)unused;
  hn_force_def spring = hn_default_force(HN_FORCE_ROTATIONAL_SPRING_DAMPER);
  spring.frame1 = at(1, 0, 0, 0);
  spring.frame2 = at(2, 0, 0, 0);
  spring.of_x = hand_polynomial(&hand, 0, 10, 0);
  spring.of_v = hand_polynomial(&hand, 0, 2, 0);
  hand_add_force(&hand, spring);
  hand_finish(&hand);
  hn_vec3 axis = vec3(0, 0, 1);
  frames[2] = hand_moving_frame(vec3(1, 2, 3), quat_from_axis_angle(axis, -0.4), vec3_zero(),
                                vec3(0, 0, 1.5));
  check_near(act(0, 0).value, -10 * 0.4 + 2 * 1.5, 1e-14);
  check_vector(wrench[2].torque, 0, 0, 1, 1e-14);
}

// For a small displacement and turn of frame 2 the wrench is minus stiffness times both.
static void bushing_is_linear_for_small_motions(void **unused) {
  (void)unused;
  hn_force_def bushing = hn_default_force(HN_FORCE_BUSHING);
  bushing.frame1 = at(1, 0, 0, 0);
  bushing.frame2 = at(2, 0, 0, 0);
  for (int k = 0; k < 6; k++) bushing.stiffness[k] = 100 * (k + 1);
  for (int k = 0; k < 6; k++) bushing.damping[k] = k + 1;
  hand_add_force(&hand, bushing);
  hand_finish(&hand);
  hn_vec3 turn = vec3(2e-6, -3e-6, 1e-6);
  hn_quat p = quat_from_axis_angle(turn, vec3_norm(turn));
  frames[2] = hand_moving_frame(vec3(1e-6, 2e-6, -4e-6), p, vec3(1e-6, 0, 0), vec3(0, 0, 2e-6));
  act(0, 0);
  check_vector(wrench[2].force, -1e-4 - 1e-6, -4e-4, 12e-4, 1e-8);
  check_vector(wrench[2].torque, -8e-4, 15e-4, -6e-4 - 12e-6, 1e-8);
}

// About one axis alone the torque is the derivative of k sin^2 / 2, and none appears about the
// others, however large the turn is.
static void bushing_torque_is_smooth_about_each_axis(void **unused) {
  (void)unused;
  hn_force_def bushing = hn_default_force(HN_FORCE_BUSHING);
  bushing.frame1 = at(1, 0, 0, 0);
  bushing.frame2 = at(2, 0, 0, 0);
  for (int k = 3; k < 6; k++) bushing.stiffness[k] = 1;
  hand_add_force(&hand, bushing);
  hand_finish(&hand);
  for (int k = 0; k < 3; k++) {
    double axis[3] = {0, 0, 0};
    axis[k] = 1;
    const double turns[] = {0.3, 1.5707963267948966, 2.1, 3.1415926535897932};
    for (int l = 0; l < 4; l++) {
      frames[2] = hand_frame(vec3_zero(), quat_from_axis_angle(vec3_load(axis), turns[l]));
      hn_force_value value = act(0, 0);
      hn_vec3 torque = vec3_scale(-sin(turns[l]) * cos(turns[l]), vec3_load(axis));
      check_vector(wrench[2].torque, torque.x, torque.y, torque.z, 1e-14);
      check_near(value.potential, 0.5 * sin(turns[l]) * sin(turns[l]), 1e-14);
    }
  }
}

// ---- friction, stop -----------------------------------------------------------------------------

static int add_slide(void) {
  hn_joint_def slide = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  slide.frame1 = at(0, 0, 0, 0);
  slide.frame2 = at(1, 0, 0, 0);
  return hand_add_joint(&hand, slide);
}
static void slide_to(double x, double v) {
  frames[1] = hand_moving_frame(vec3(0, 0, x), upright, vec3(0, 0, v), vec3_zero());
}

static void friction_opposes_motion_and_dissipates(void **unused) {
  (void)unused;
  hn_force_def friction = hn_default_force(HN_FORCE_JOINT_FRICTION);
  friction.joint = add_slide();
  friction.coordinate = HN_COORDINATE_DISPLACEMENT;
  friction.magnitude = 5;
  friction.transition = 0.01;
  friction.viscous = 2;
  hand_add_force(&hand, friction);
  hand_finish(&hand);
  slide_to(0, 3);
  hn_force_value value = act(0, 0);
  check_vector(wrench[1].force, 0, 0, -(5 + 6), 1e-12);
  check_near(value.power, -33, 1e-12);
  check_near(value.dissipated, 33, 1e-12);
  slide_to(0, -0.01);
  act(0, 0);
  check_vector(wrench[1].force, 0, 0, 5 * tanh(1) + 0.02, 1e-12);
}

static int add_stop(void) {
  hn_force_def stop = hn_default_force(HN_FORCE_JOINT_STOP);
  stop.joint = add_slide();
  stop.coordinate = HN_COORDINATE_DISPLACEMENT;
  stop.lower = -1;
  stop.upper = 2;
  stop.stiffness[0] = 1000;
  stop.damping[0] = 50;
  return hand_add_force(&hand, stop);
}

static void stop_pushes_back_and_never_pulls(void **unused) {
  (void)unused;
  add_stop();
  hand_finish(&hand);
  slide_to(1.9, 5);
  act(0, 0);
  check_vector(wrench[1].force, 0, 0, 0, 0);
  slide_to(2.1, 0.4);
  act(0, 0);
  check_vector(wrench[1].force, 0, 0, -(100 + 20), 1e-11);
  slide_to(-1.1, 0.4); // leaving the lower stop
  act(0, 0);
  check_vector(wrench[1].force, 0, 0, 100 - 20, 1e-11);
  slide_to(-1.1, 3); // faster than the stop follows
  act(0, 0);
  check_vector(wrench[1].force, 0, 0, 0, 0);
}

static void stop_left_behind_dissipates_what_it_held(void **unused) {
  (void)unused;
  add_stop();
  hand_finish(&hand);
  slide_to(-1.1, 3);
  hn_force_value value = act(0, 0);
  check_near(value.potential, 5, 1e-12);
  // d potential/dt = -1000 * 0.1 * 3, of which nothing reaches the body
  check_near(value.power, -300, 1e-10);
  check_near(value.dissipated, 300, 1e-10);
}

// Free, in contact and left behind are branches at each limit, so that each change is located.
static void stop_left_behind_is_a_branch_of_its_own(void **unused) {
  (void)unused;
  add_stop();
  hand_finish(&hand);
  const double at_limits[5][2] = {{0, 3}, {-1.1, 0}, {2.1, 0}, {-1.1, 3}, {2.1, -3}};
  int states[5];
  for (int k = 0; k < 5; k++) {
    slide_to(at_limits[k][0], at_limits[k][1]);
    states[k] = hn_force_branch(hand.elements, 0, frames, hand.turns, 0).state;
    for (int l = 0; l < k; l++) assert_int_not_equal(states[k], states[l]);
  }
}

static void frozen_stop_is_continued_beyond_its_region(void **unused) {
  (void)unused;
  add_stop();
  hand_finish(&hand);
  slide_to(2.1, 0);
  hn_branch contact = hn_force_branch(hand.elements, 0, frames, hand.turns, 0);
  slide_to(1.9, 0);
  act_on(0, 0, contact);
  check_vector(wrench[1].force, 0, 0, 100, 1e-11);
}

// ---- loads --------------------------------------------------------------------------------------

static hn_force_def load_of(hn_force_type type, int following) {
  hn_force_def load = hn_default_force(type);
  load.frame2 = at(1, 1, 0, 0);
  load.following = following;
  load.component_law[1] = hand_polynomial(&hand, 0, 4, 0);
  return load;
}

// Body turned by 90 degrees about z: its x axis is the global y, its y the global -x.
static void loads_are_global_or_follow_the_body(void **unused) {
  (void)unused;
  hand_add_force(&hand, load_of(HN_FORCE_POINT_FORCE, 0));
  hand_add_force(&hand, load_of(HN_FORCE_POINT_FORCE, 1));
  hand_add_force(&hand, load_of(HN_FORCE_TORQUE, 0));
  hand_add_force(&hand, load_of(HN_FORCE_TORQUE, 1));
  hand_finish(&hand);
  hn_quat p = quat_from_axis_angle(vec3(0, 0, 1), HN_PI / 2);
  frames[1] = hand_moving_frame(vec3(5, 5, 5), p, vec3(0, 2, 0), vec3(0, 3, 1));
  hn_force_value value = act(0, 2);
  check_vector(wrench[1].force, 0, 8, 0, 1e-14);
  check_vector(wrench[1].torque, 0, 0, 0, 1e-14);
  check_near(value.power, 16, 1e-13);
  value = act(1, 2);
  check_vector(wrench[1].force, -8, 0, 0, 1e-14);
  check_vector(wrench[1].torque, 0, 0, 8, 1e-14);
  check_near(value.power, 8, 1e-13); // the point moves along -x with 1 m/s
  value = act(2, 2);
  check_vector(wrench[1].torque, 0, 8, 0, 1e-14);
  check_near(value.power, 24, 1e-13);
  act(3, 2);
  check_vector(wrench[1].torque, -8, 0, 0, 1e-14);
}

static hn_status reluctant(void *context, double t, const hn_body_motion body[2], hn_wrench out[2],
                           double d_pose[12][12], double d_velocity[12][12], double d_time[12]) {
  (void)d_pose;
  (void)d_velocity;
  if (d_time) d_time[0] = 0; // never: it has no derivatives
  if (t > *(double *)context) return HN_RETRY;
  out[1].force = vec3_scale(-2, body[1].position);
  out[1].torque = vec3(0, 0, 1);
  return HN_OK;
}

static void user_force_is_called_and_may_refuse(void **unused) {
  (void)unused;
  static double last = 1;
  hn_force_def user = hn_default_force(HN_FORCE_USER);
  user.frame2.body = 1;
  user.user = (hn_user_force){reluctant, &last, 0, 0};
  hand_add_force(&hand, user);
  hand_finish(&hand);
  frames[1] = hand_moving_frame(vec3(1, 2, 3), upright, vec3(1, 0, 0), vec3(0, 0, 4));
  hn_force_value value = act(0, 0.5);
  check_vector(wrench[1].force, -2, -4, -6, 0);
  check_near(value.power, -2 + 4, 1e-15);
  check_status(hn_force_in_speeds(hand.elements, 0, frames, hand.turns, 2, (hn_branch){0, 0},
                                  wrench, &value),
               HN_RETRY);
}

// ---- tyre ---------------------------------------------------------------------------------------

static int add_tyre(hn_road_def road, hn_contact contact) {
  hn_force_def tyre = hn_default_force(HN_FORCE_TYRE);
  tyre.frame2 = at(1, 0, 0.7, 0);
  tyre.radius = 0.4;
  tyre.stiffness[0] = 1e5;
  tyre.damping[0] = 1e3;
  tyre.road = hand_add_road(&hand, road);
  tyre.contact = contact;
  return hand_add_force(&hand, tyre);
}
static void wheel_at(double x, double z, double vx, double vz) {
  frames[1] = hand_moving_frame(vec3(x, 0, z), upright, vec3(vx, 0, vz), vec3_zero());
}

static void tyre_on_a_flat_road_is_a_spring_and_damper(void **unused) {
  (void)unused;
  hn_road_def road = hn_default_road(HN_ROAD_FLAT);
  road.height = 0.1;
  add_tyre(road, HN_CONTACT_VERTICAL);
  add_tyre(road, HN_CONTACT_RADIAL);
  hand_finish(&hand);
  for (int f = 0; f < 2; f++) {
    wheel_at(3, 0.48, 5, -0.5);
    hn_force_value value = act(f, 0);
    check_near(value.value, 2000 + 500, 1e-9);
    check_vector(wrench[1].force, 0, 0, 2500, 1e-9);
    check_vector(wrench[1].torque, 0.7 * 2500, 0, 0, 1e-9); // off the center line
    check_near(value.potential, 0.5 * 1e5 * 0.02 * 0.02, 1e-11);
    check_near(value.dissipated, 250, 1e-9);
    wheel_at(3, 0.51, 5, -0.5);
    check_near(act(f, 0).value, 0, 0);
    assert_int_equal(hn_force_branch(hand.elements, f, frames, hand.turns, 0).state, 0);
    wheel_at(3, 0.48, 5, 3); // leaves faster than the tyre springs back
    value = act(f, 0);
    check_vector(wrench[1].force, 0, 0, 0, 0);
    check_near(value.dissipated, 1e5 * 0.02 * 3, 1e-8);
  }
}

// A road that rises by 0.2 a meter and moves towards the wheel.
static hn_road_def slope(double speed) {
  static const double x[] = {-10, 10}, z[] = {-2, 2};
  hn_road_def road = hn_default_road(HN_ROAD_POLYLINE);
  road.x = x;
  road.z = z;
  road.count = 2;
  road.speed = speed;
  return road;
}

static void vertical_contact_sees_slope_and_motion_of_the_road(void **unused) {
  (void)unused;
  add_tyre(slope(-4), HN_CONTACT_VERTICAL);
  hand_finish(&hand);
  // at t = 0.5 the road has come 2 m nearer: height 0.2 (1 + 2) under x = 1
  wheel_at(1, 0.6 + 0.39, 3, 0);
  hn_force_value value = act(0, 0.5);
  double rate = 0.2 * (3 + 4); // the road rises under the wheel
  check_near(value.deflection, 0.01, 1e-14);
  check_near(value.rate, rate, 1e-14);
  check_vector(wrench[1].force, 0, 0, 1000 + 1000 * rate, 1e-8);
}

static void radial_contact_is_normal_to_the_road(void **unused) {
  (void)unused;
  add_tyre(slope(0), HN_CONTACT_RADIAL);
  hand_finish(&hand);
  double length = sqrt(1.04), nx = -0.2 / length, nz = 1 / length;
  wheel_at(1 + 0.39 * nx, 0.2 + 0.39 * nz, 2 * nz, -2 * nx); // rolls along the road
  hn_force_value value = act(0, 0);
  check_near(value.value, 1000, 1e-8);
  check_vector(wrench[1].force, 1000 * nx, 0, 1000 * nz, 1e-8);
  check_near(value.power, 0, 1e-8);
}

static void radial_contact_meets_the_edge_of_a_step(void **unused) {
  (void)unused;
  static const double x[] = {2, 2.001}, z[] = {0, 0.3};
  hn_road_def road = hn_default_road(HN_ROAD_POLYLINE);
  road.x = x;
  road.z = z;
  road.count = 2;
  int tyre = add_tyre(road, HN_CONTACT_RADIAL);
  hand_finish(&hand);
  wheel_at(2.001 - 0.24, 0.3 + 0.307, 0, 0); // the edge is 0.3897 m away, the level 0.607
  double distance = hypot(0.24, 0.307), load = 1e5 * (0.4 - distance);
  check_near(act(tyre, 0).value, load, 1e-8);
  check_vector(wrench[1].force, -load * 0.24 / distance, 0, load * 0.307 / distance, 1e-8);
}

// ---- branches and times -------------------------------------------------------------------------

static void law_pieces_stay_frozen_until_classified_again(void **unused) {
  (void)unused;
  static const double breaks[] = {1}, rows[] = {0, 10, 5, 5}; // 10 x, then 5 + 5 x
  hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
  spring.frame2.body = 1;
  spring.of_x = hand_piecewise(&hand, breaks, rows, 2, 2);
  spring.of_v = hand_piecewise(&hand, breaks, rows, 2, 2);
  spring.of_t = hand_piecewise(&hand, breaks, rows, 2, 2);
  hand_add_force(&hand, spring);
  hand_finish(&hand);
  for (int k = 0; k < 8; k++) {
    double x = k & 1 ? 2 : 0.5, v = k & 2 ? 2 : 0.5, t = k & 4 ? 2 : 0.5;
    frames[1] = hand_moving_frame(vec3(x, 0, 0), upright, vec3(v, 0, 0), vec3_zero());
    hn_branch branch = hn_force_branch(hand.elements, 0, frames, hand.turns, t);
    assert_int_equal(branch.state, k & 3);
    assert_int_equal(branch.time, k >> 2);
    frames[1] = hand_moving_frame(vec3(3, 0, 0), upright, vec3(4, 0, 0), vec3_zero());
    double expected = (k & 1 ? 20 : 30) + (k & 2 ? 25 : 40) + (k & 4 ? 30 : 50);
    check_near(act_on(0, 5, branch).value, expected, 1e-12);
  }
}

static void expression_of_length_counts_as_power(void **unused) {
  (void)unused;
  static const char *const x[] = {"x"};
  hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
  spring.frame2.body = 1;
  spring.of_x = hand_expression(&hand, "10*x", x, 1);
  hand_add_force(&hand, spring);
  hand_finish(&hand);
  frames[1] = hand_moving_frame(vec3(2, 0, 0), upright, vec3(3, 0, 0), vec3_zero());
  hn_force_value value = act(0, 0);
  check_near(value.potential, 0, 0);
  check_near(value.power, -60, 1e-12);
  check_near(value.dissipated, 0, 0);
}

static void next_time_is_the_first_kink_strictly_later(void **unused) {
  (void)unused;
  static const double breaks[] = {1, 2}, later[] = {1.5};
  static const double rows[] = {0, 1, 2};
  hn_force_def load = load_of(HN_FORCE_POINT_FORCE, 0);
  load.component_law[2] = hand_piecewise(&hand, breaks, rows, 3, 1);
  hand_add_force(&hand, load);
  hn_force_def actuator = hn_default_force(HN_FORCE_SPRING_DAMPER);
  actuator.frame2 = at(2, 1, 0, 0);
  actuator.of_t = hand_piecewise(&hand, later, rows, 2, 1);
  hand_add_force(&hand, actuator);
  hn_driver_def driver = hn_default_driver(HN_DRIVER_JOINT);
  driver.joint = add_slide();
  driver.coordinate = HN_COORDINATE_DISPLACEMENT;
  driver.law = hand_piecewise(&hand, (double[]){2.5}, rows, 2, 1);
  hand_add_driver(&hand, driver);
  hand_finish(&hand);
  const hn_elements *elements = hand.elements;
  check_near(hn_elements_next_time(elements, 0), 1, 0);
  check_near(hn_elements_next_time(elements, 1), 1.5, 0);
  check_near(hn_elements_next_time(elements, 1.7), 2, 0);
  check_near(hn_elements_next_time(elements, 2), 2.5, 0);
  assert_true(hn_elements_next_time(elements, 2.5) == HUGE_VAL);
  assert_int_equal(hn_driver_time_branch(elements, 0, 2.4), 0);
  assert_int_equal(hn_driver_time_branch(elements, 0, 2.5), 1);
}

static void too_many_branches_are_noticed(void **unused) {
  (void)unused;
  enum { POINTS = 3000 };
  static double t[POINTS], y[POINTS];
  for (int k = 0; k < POINTS; k++) t[k] = k;
  hn_force_def load = hn_default_force(HN_FORCE_POINT_FORCE);
  hn_law *law = hand_table(&hand, t, y, POINTS, HN_TABLE_LINEAR);
  load.component_law[0] = load.component_law[1] = law;
  assert_true(hn_force_branches_fit(&load));
  load.component_law[2] = law;
  assert_false(hn_force_branches_fit(&load));
}

#define each(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      each(spring_pulls_its_points_together),
      each(leaf_acts_along_the_first_axis_through_the_second_point),
      each(joint_spring_counts_turns),
      each(rotational_spring_needs_no_joint),
      each(bushing_is_linear_for_small_motions),
      each(bushing_torque_is_smooth_about_each_axis),
      each(friction_opposes_motion_and_dissipates),
      each(stop_pushes_back_and_never_pulls),
      each(stop_left_behind_dissipates_what_it_held),
      each(stop_left_behind_is_a_branch_of_its_own),
      each(frozen_stop_is_continued_beyond_its_region),
      each(loads_are_global_or_follow_the_body),
      each(user_force_is_called_and_may_refuse),
      each(tyre_on_a_flat_road_is_a_spring_and_damper),
      each(vertical_contact_sees_slope_and_motion_of_the_road),
      each(radial_contact_is_normal_to_the_road),
      each(radial_contact_meets_the_edge_of_a_step),
      each(law_pieces_stay_frozen_until_classified_again),
      each(expression_of_length_counts_as_power),
      each(next_time_is_the_first_kink_strictly_later),
      each(too_many_branches_are_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
