// Slope discontinuities: steps end where a law changes its branch, so the result is as exact as
// without.
#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "support/check.h"

// A mass of 1 kg on a vertical guide, gravity -10, dropped from z = 1.25.
static hn_model *dropped_mass(int *guide) {
  hn_model *model = NULL;
  hn_body_def body = hn_default_body();
  hn_joint_def joint = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, (hn_vec3){0, 0, -10}));
  body.name = "mass";
  body.position = (hn_vec3){0, 0, 1.25};
  check_ok(hn_model_add_body(model, &body, NULL));
  joint.name = "guide";
  joint.frame1 = hn_model_frame(model, HN_GROUND, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
  joint.frame2 = hn_model_frame(model, 1, (hn_vec3){0, 0, 1.25}, (hn_vec3){0, 0, 1});
  check_ok(hn_model_add_joint(model, &joint, guide));
  return model;
}

static hn_simulation *start(const hn_model *model, double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  options.tol = tol;
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  return s;
}

// Free fall takes 0.5 s and ends at -5 m/s. On the spring, z = -10/k + A cos(w t + p) with
// w = sqrt(k); it leaves after pi/w + 2 atan(10/(5 w))/w, with +5 m/s, and flies 1 s.
static void a_mass_bounces_on_a_stop_as_the_formula_says(void **state) {
  (void)state;
  int guide;
  hn_model *model = dropped_mass(&guide);
  hn_force_def stop = hn_default_force(HN_FORCE_JOINT_STOP);
  double k = 1e5, w = sqrt(k);
  stop.name = "stop";
  stop.joint = guide;
  stop.coordinate = HN_COORDINATE_DISPLACEMENT;
  stop.lower = 0;
  stop.upper = HUGE_VAL;
  stop.stiffness[0] = k;
  check_ok(hn_model_add_force(model, &stop, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation *s = start(model, 1e-9);
  double contact = HN_PI / w + 2 * atan(10 / (5 * w)) / w;
  check_ok(hn_simulation_advance(s, 3.2));
  hn_event events[8];
  int count = hn_simulation_events(s, events, 8);
  assert_int_equal(count, 6);
  for (int bounce = 0; bounce < 3; bounce++) {
    double lands = 0.5 + bounce * (1 + contact);
    check_near(events[2 * bounce].time, lands, 1e-7);
    check_near(events[2 * bounce + 1].time, lands + contact, 1e-7);
  }
  double since = 3.2 - (0.5 + 2 * (1 + contact) + contact);
  check_near(s->method->q[2], 5 * since - 5 * since * since, 1e-6);
  check_at_most(hn_simulation_certificate(s).energy_balance, 1e-6);
  hn_simulation_free(s);
  hn_model_free(model);
}

// A force that is a broken line over time: 10 N until 1 s, 30 N from 1.5 s, a ramp between.
static void times_where_a_law_bends_are_step_ends(void **state) {
  (void)state;
  int guide;
  hn_model *model = dropped_mass(&guide);
  hn_force_def push = hn_default_force(HN_FORCE_POINT_FORCE);
  double x[4] = {0, 1, 1.5, 2}, y[4] = {10, 10, 30, 30};
  push.name = "push";
  push.frame2 = hn_model_frame(model, 1, (hn_vec3){0, 0, 1.25}, (hn_vec3){0, 0, 1});
  check_ok(hn_law_table(x, y, 4, HN_TABLE_LINEAR, NULL, &push.component_law[2], NULL));
  check_ok(hn_model_add_force(model, &push, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation *s = start(model, 1e-6);
  int met = 0;
  while (hn_simulation_time(s) < 2) {
    check_ok(hn_simulation_step(s, 2));
    met += hn_simulation_time(s) == 1 || hn_simulation_time(s) == 1.5;
  }
  assert_int_equal(met, 2);
  // net force 0, then 40 (t - 1), then 20: v(1.5) = 5, z(1.5) = 40 * 0.125/6; every piece is a cubic,
  // which the formula integrates exactly
  double expected = 1.25 + 40 * 0.125 / 6 + 5 * 0.5 + 20 * 0.125;
  check_near(s->method->q[2], expected, 1e-12);
  check_near(s->method->work, 0.5 * 15 * 15 + 10 * (expected - 1.25), 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

// A driver that bends: 1 rad/s until 0.5 s, then 3 rad/s. The jump of the kinetic energy is its work.
static void a_driver_may_change_its_speed_at_once(void **state) {
  (void)state;
  int guide;
  hn_model *model = dropped_mass(&guide);
  hn_driver_def driver = hn_default_driver(HN_DRIVER_JOINT);
  double x[3] = {0, 0.5, 2}, y[3] = {1.25, 1.75, 6.25};
  driver.name = "motor";
  driver.joint = guide;
  driver.coordinate = HN_COORDINATE_DISPLACEMENT;
  check_ok(hn_law_table(x, y, 3, HN_TABLE_LINEAR, NULL, &driver.law, NULL));
  check_ok(hn_model_add_driver(model, &driver, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation *s = start(model, 1e-6);
  check_ok(hn_simulation_advance(s, 1));
  check_near(s->method->q[2], 3.25, 1e-9);
  check_near(s->method->qd[2], 3, 1e-9);
  // against gravity, and from 1 m/s to 3 m/s
  check_near(s->method->work, 10 * 2 + 0.5 * (9 - 1), 1e-8);
  hn_event event;
  assert_int_equal(hn_simulation_events(s, &event, 1), 1);
  assert_int_equal(event.force, -1);
  hn_simulation_free(s);
  hn_model_free(model);
}

// Dry friction by a jump: where the mass sticks its law would switch for ever.
static void a_law_that_switches_without_end_is_named(void **state) {
  (void)state;
  int guide;
  hn_model *model = dropped_mass(&guide);
  hn_force_def rub = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  double breakpoint = 0, pieces[2] = {-20, 20};
  rub.name = "rub";
  rub.joint = guide;
  rub.coordinate = HN_COORDINATE_DISPLACEMENT;
  check_ok(hn_law_piecewise(&breakpoint, pieces, 2, 1, NULL, &rub.of_v, NULL));
  check_ok(hn_model_add_force(model, &rub, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation *s = start(model, 1e-6);
  check_status(hn_simulation_advance(s, 1), HN_ERROR_STEP_SIZE);
  check_names(hn_simulation_error(s)->element, "'rub'");
  hn_simulation_free(s);
  hn_model_free(model);
}

// Output times next to a breakpoint that rounding puts before a step's start.
static void every_time_of_a_grid_can_be_looked_at(void **state) {
  (void)state;
  int guide;
  hn_model *model = dropped_mass(&guide);
  hn_force_def push = hn_default_force(HN_FORCE_POINT_FORCE);
  double x[3] = {0, 0.7, 2}, y[3] = {10, 10, 30};
  push.name = "push";
  push.frame2 = hn_model_frame(model, 1, (hn_vec3){0, 0, 1.25}, (hn_vec3){0, 0, 1});
  check_ok(hn_law_table(x, y, 3, HN_TABLE_LINEAR, NULL, &push.component_law[2], NULL));
  check_ok(hn_model_add_force(model, &push, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation *s = start(model, 1e-6);
  for (int k = 0; k <= 200; k++) {
    double t = 0.01 * k;
    while (hn_simulation_time(s) < t) check_ok(hn_simulation_step(s, 2));
    check_ok(hn_simulation_look_at(s, t));
  }
  hn_simulation_free(s);
  hn_model_free(model);
}

// Without a change there is no event, and the history keeps the newest.
static void a_smooth_machine_has_no_events(void **state) {
  (void)state;
  int guide;
  hn_model *model = dropped_mass(&guide);
  check_ok(hn_model_finish(model));
  hn_simulation *s = start(model, 1e-6);
  check_ok(hn_simulation_advance(s, 1));
  check_near(s->method->q[2], 1.25 - 5, 1e-10);
  assert_int_equal(hn_simulation_events(s, NULL, 0), 0);
  hn_simulation_free(s);
  hn_model_free(model);
}

// The same floor as a law of x, whose breakpoint is known beforehand, and as a formula of x, v and
// t.
static void a_floor_of_three_variables_is_met_like_one_of_x(void **state) {
  (void)state;
  static const char *const one[] = {"x"}, *const three[] = {"x", "v", "t"};
  double height[2], speed[2];
  long events[2];
  for (int k = 0; k < 2; k++) {
    int guide;
    hn_model *model = dropped_mass(&guide);
    hn_simulation *s = NULL;
    hn_error error = {0};
    hn_force_def spring = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
    spring.name = "floor";
    spring.joint = guide;
    spring.coordinate = HN_COORDINATE_DISPLACEMENT;
    if (k == 0)
      check_ok(hn_law_expression("4e4*min(0, x)", one, 1, NULL, &spring.of_x, &error));
    else
      check_ok(hn_law_expression("4e4*min(0, x) + 0*v*t", three, 3, NULL, &spring.of_xvt, &error));
    check_ok(hn_model_add_force(model, &spring, NULL));
    check_ok(hn_model_finish(model));
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    options.tol = 1e-8;
    check_ok(hn_simulation_create(model, &options, &s, &error));
    check_ok(hn_simulation_advance(s, 3));
    hn_body_motion motion;
    check_ok(hn_simulation_body_motion(s, 1, &motion));
    height[k] = motion.position.z;
    speed[k] = motion.velocity.z;
    events[k] = hn_simulation_certificate(s).events;
    hn_simulation_free(s);
    hn_model_free(model);
  }
  assert_true(events[0] >= 6);
  assert_int_equal(events[1], events[0]);
  check_near(height[1], height[0], 1e-12);
  check_near(speed[1], speed[0], 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mass_bounces_on_a_stop_as_the_formula_says),
      cmocka_unit_test(times_where_a_law_bends_are_step_ends),
      cmocka_unit_test(a_driver_may_change_its_speed_at_once),
      cmocka_unit_test(a_law_that_switches_without_end_is_named),
      cmocka_unit_test(every_time_of_a_grid_can_be_looked_at),
      cmocka_unit_test(a_smooth_machine_has_no_events),
      cmocka_unit_test(a_floor_of_three_variables_is_met_like_one_of_x),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
