// Models of rigid contacts against their exact motion.
#include "contact/contact_machine.h"

static void ball_bounces_and_comes_to_rest(void **state) {
  (void)state;
  for (int run = 0; run < 2; run++) {
    const double e = run ? 0.8 : 0.5, t1 = sqrt(2 / GRAVITY);
    contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
    const int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 1.1), vec3_zero(), vec3_zero());
    add_contact(&m, "floor", ball, m.plane, e, 0.3);
    start(&m, 1e-10);
    const double rest = t1 * (1 + e) / (1 - e);
    advance(&m, rest + 0.5);
    double times[64], expected = t1, share = e;
    const int count = times_of(&m, HN_EVENT_IMPACT, times, 64);
    assert_true(count >= 12);
    for (int n = 0; n < 12; n++) {
      check_near(times[n], expected, 1e-10);
      expected += 2 * t1 * share;
      share *= e;
    }
    const hn_body_motion at = motion_of(&m, 1);
    check_near(at.position.z, 0.1, 1e-13);
    check_near(vec3_norm(at.velocity), 0, 1e-13);
    const hn_certificate c = hn_simulation_certificate(m.simulation);
    check_near(c.impact_loss, GRAVITY, 1e-9); // all of m g h
    check_at_most(c.energy_balance, 1e-9);
    double closed = 0;
    assert_int_equal(times_of(&m, 1, &closed, 1), 1);
    check_near(closed, rest, 1e-6);
    finish(&m);
  }
}

// Between its impacts the ball flies, which takes one long step: it does not jump over a thin plate.
static void thin_plates_are_not_jumped_over(void **state) {
  (void)state;
  for (int run = 0; run < 3; run++) {
    const double e = 0.3 + 0.3 * run, thick = run == 2 ? 0.002 : 0.02, t1 = sqrt(2 * 0.5 / GRAVITY);
    contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
    const int ball = add_ball(&m, "ball", 0.02, 0.1, vec3(0.02, 0, 0.52), vec3_zero(), vec3_zero());
    hn_shape_def plate = hn_default_shape(HN_SHAPE_BOX);
    int shape;
    plate.size = vec3(0.5, 0.5, thick);
    plate.frame.position = vec3(0, 0, -0.5 * thick);
    check_model(&m, hn_model_add_shape(m.model, &plate, &shape));
    add_contact(&m, "plate", ball, shape, e, 0.3);
    start(&m, 1e-4);
    advance(&m, 10);
    double times[16], expected = t1, share = e;
    assert_true(times_of(&m, HN_EVENT_IMPACT, times, 16) >= 6);
    for (int n = 0; n < 6; n++) {
      check_near(times[n], expected, 1e-6);
      expected += 2 * t1 * share;
      share *= e;
    }
    check_near(motion_of(&m, 1).position.z, 0.02, 1e-9);
    finish(&m);
  }
}

// x down the slope.
static contact_machine block_on_slope(double angle, double speed) {
  contact_machine m = machine_on_plane(vec3(GRAVITY * sin(angle), 0, -GRAVITY * cos(angle)));
  const int block = add_box(&m, "block", vec3(0.2, 0.2, 0.1), 2, vec3(0, 0, 0.05), quat_identity(),
                            vec3(speed, 0, 0));
  add_contact(&m, "floor", block, m.plane, 0, 0.5);
  start(&m, 1e-10);
  return m;
}

static void block_below_the_friction_angle_stays(void **state) {
  (void)state;
  contact_machine m = block_on_slope(20 * HN_PI / 180, 0);
  advance(&m, 100);
  const hn_body_motion at = motion_of(&m, 1);
  check_near(at.position.x, 0, 3e-12); // rounding of 100 s
  check_near(at.position.z, 0.05, 1e-14);
  finish(&m);
}

static void block_slides_by_coulomb(void **state) {
  (void)state;
  const double a = 30 * HN_PI / 180, down = GRAVITY * (sin(a) - 0.5 * cos(a));
  contact_machine m = block_on_slope(a, 0);
  advance(&m, 2);
  check_near(motion_of(&m, 1).position.x, 2 * down, 1e-9);
  finish(&m);
  m = block_on_slope(20 * HN_PI / 180, -2); // up, stops and stays
  advance(&m, 3);
  check_near(motion_of(&m, 1).position.x, -0.251117160261027, 1e-10);
  double stop = 0;
  assert_int_equal(times_of(&m, 1, &stop, 1), 1);
  check_near(stop, 0.251117160261027, 1e-10);
  finish(&m);
  m = block_on_slope(a, -2); // up, stops and slides back
  advance(&m, 0.218511064164014 + 1);
  check_near(motion_of(&m, 1).position.x, -0.218511064164014 + 0.5 * down, 1e-9);
  check_at_most(hn_simulation_certificate(m.simulation).energy_balance, 1e-9);
  finish(&m);
}

static void sliding_ball_begins_to_roll(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  const int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 0.1), vec3(2, 0, 0), vec3_zero());
  add_contact(&m, "floor", ball, m.plane, 0, 0.2);
  start(&m, 1e-10);
  advance(&m, 1);
  double roll = 0;
  assert_int_equal(times_of(&m, 1, &roll, 1), 1);
  check_near(roll, 2 * 2 / (7 * 0.2 * GRAVITY), 1e-10);
  const hn_body_motion at = motion_of(&m, 1);
  check_near(at.velocity.x, 10.0 / 7, 1e-10);
  check_near(at.angular_velocity.y, 100.0 / 7, 1e-9);
  check_near(at.position.x, 0.499282281720027 + 10.0 / 7 * (1 - roll), 1e-9);
  finish(&m);
}

static void billiard_ball_curves(void **state) {
  (void)state;
  const double r = 0.028575;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  const int ball =
      add_ball(&m, "ball", r, 0.17, vec3(0, 0, r), vec3(1.5, 0, 0), vec3(-30, -40, 25));
  add_contact(&m, "floor", ball, m.plane, 0, 0.2);
  start(&m, 1e-11);
  advance(&m, 0.404623207146685);
  check_near(motion_of(&m, 1).position.x, 0.4541606483645, 1e-9);
  check_near(motion_of(&m, 1).position.y, 0.0495518920466422, 1e-9);
  advance(&m, 0.5);
  double roll = 0;
  assert_int_equal(times_of(&m, 1, &roll, 1), 1);
  check_near(roll, 0.404623207146685, 1e-9);
  check_near(motion_of(&m, 1).velocity.x, 0.744857142857143, 1e-9);
  check_near(motion_of(&m, 1).velocity.y, 0.244928571428571, 1e-9);
  check_near(motion_of(&m, 1).angular_velocity.z, 25, 1e-9);
  finish(&m);
}

static void ball_on_incline_rolls_or_slides(void **state) {
  (void)state;
  const double a = HN_PI / 6, edge = 2.0 / 7 * tan(a);
  const double friction[] = {0.1, edge * (1 - 1e-6), edge * (1 + 1e-6), 0.3};
  for (int k = 0; k < 4; k++) {
    contact_machine m = machine_on_plane(vec3(GRAVITY * sin(a), 0, -GRAVITY * cos(a)));
    const int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 0.1), vec3_zero(), vec3_zero());
    add_contact(&m, "floor", ball, m.plane, 0, friction[k]);
    start(&m, 1e-10);
    advance(&m, 1);
    const double mu = fmin(friction[k], edge);
    check_near(motion_of(&m, 1).velocity.x, GRAVITY * (sin(a) - mu * cos(a)), 1e-9);
    check_near(motion_of(&m, 1).angular_velocity.y, 25 * mu * GRAVITY * cos(a), 1e-8);
    finish(&m);
  }
}

// Balls on the x axis, without gravity.
static void cradle_hands_its_momentum_on(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3_zero());
  int ball[5];
  const char *names[] = {"a", "b", "c", "d", "e"};
  for (int i = 0; i < 5; i++)
    ball[i] =
        add_ball(&m, names[i], 0.05, 1, vec3(0.101 * i, 0, 1), vec3(i == 0, 0, 0), vec3_zero());
  for (int i = 0; i < 4; i++) add_contact(&m, names[i], ball[i], ball[i + 1], 0.9, 0);
  start(&m, 1e-10);
  advance(&m, 0.0045);
  check_near(motion_of(&m, 5).velocity.x, pow(0.95, 4), 1e-12);
  double sum = 0;
  for (int i = 1; i <= 5; i++) sum += motion_of(&m, i).velocity.x;
  check_near(sum, 1, 1e-13);
  finish(&m);
}

static void collisions_count_pi(void **state) {
  (void)state;
  const double ratios[] = {1, 100, 1e4};
  const int counts[] = {3, 31, 314};
  for (int k = 0; k < 3; k++) {
    contact_machine m = machine_on_plane(vec3_zero());
    const int small = add_ball(&m, "small", 0.1, 1, vec3(0, 0, 1.1), vec3_zero(), vec3_zero());
    const int big =
        add_ball(&m, "big", 0.1, ratios[k], vec3(0, 0, 2.3), vec3(0, 0, -1), vec3_zero());
    add_contact(&m, "wall", small, m.plane, 1, 0);
    add_contact(&m, "balls", small, big, 1, 0);
    start(&m, 1e-10);
    advance(&m, 40);
    const hn_certificate c = hn_simulation_certificate(m.simulation);
    assert_int_equal(c.impacts, counts[k]);
    check_at_most(c.energy_balance, 1e-9 * ratios[k]);
    finish(&m);
  }
}

static void block_rocks_as_housner_says(void **state) {
  (void)state;
  const double alpha = atan(0.25), theta = alpha / 2;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  // rotation about y: the center is left of the fixed corner
  const int block =
      add_box(&m, "block", vec3(0.2, 0.3, 0.8), 10, vec3(0.0496225498099915, 0, 0.409221349042732),
              quat_from_axis_angle(vec3(0, 1, 0), theta), vec3_zero());
  add_contact(&m, "floor", block, m.plane, 0, 2);
  start(&m, 1e-11);
  advance(&m, 0.9);
  double times[16];
  const int count = times_of(&m, HN_EVENT_IMPACT, times, 16);
  assert_true(count >= 1);
  check_near(times[0], 0.3123085751126223, 1e-9);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_bounces_and_comes_to_rest),
      cmocka_unit_test(thin_plates_are_not_jumped_over),
      cmocka_unit_test(block_below_the_friction_angle_stays),
      cmocka_unit_test(block_slides_by_coulomb),
      cmocka_unit_test(sliding_ball_begins_to_roll),
      cmocka_unit_test(billiard_ball_curves),
      cmocka_unit_test(ball_on_incline_rolls_or_slides),
      cmocka_unit_test(cradle_hands_its_momentum_on),
      cmocka_unit_test(collisions_count_pi),
      cmocka_unit_test(block_rocks_as_housner_says),
  };
  return run_in_sets(tests, sizeof tests / sizeof tests[0]);
}
