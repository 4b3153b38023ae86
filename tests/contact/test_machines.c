// Shipped models with contacts: impacts are counted, loops hold through them, energy is accounted
// for.
#include <stdio.h>

#include "contact/contact_machine.h"

static contact_machine run_in(const char *coordinates, const char *name,
                              const char *const settings[], int count, double tol, double time) {
  char path[512];
  contact_machine m = {0};
  hn_error error = {0};
  hn_load_options load = hn_default_load_options();
  load.settings = settings;
  load.setting_count = count;
  snprintf(path, sizeof path, HOLON_SOURCE_DIR "/models/contact/%s.yaml", name);
  if (hn_model_load(path, &load, &m.model, &error) != HN_OK) print_error("%s\n", error.message);
  assert_non_null(m.model);
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  options.coordinates = coordinates;
  if (hn_simulation_create(m.model, &options, &m.simulation, &error) != HN_OK)
    print_error("%s\n", error.message);
  assert_non_null(m.simulation);
  advance(&m, time);
  return m;
}

static contact_machine run_set(const char *name, const char *const settings[], int count,
                               double tol, double time) {
  return run_in("auto", name, settings, count, tol, time);
}

static contact_machine run(const char *name, const char *setting, double tol, double time) {
  return run_set(name, &setting, setting ? 1 : 0, tol, time);
}

// Two corners of a slider hit its guide 5.9e-9 s one after the other, at 0.0069871726 and
// 0.0069871784 s: that is not one impact. Angles at 0.007372060941794 s by an event-driven program of
// minimal coordinates.
static void impacts_that_follow_soon_are_two(void **state) {
  (void)state;
  const char *const settings[] = {"turning=5", "inertia=1.9e-4"};
  contact_machine m = run_set("clearance-slider", settings, 2, 1e-12, 0.007372060941794);
  check_near(value_of(&m, "th1"), 0.76351611135606, 1e-10);
  check_near(value_of(&m, "th2"), -0.34959109954479, 1e-10);
  check_near(value_of(&m, "th3"), 0.00029837238872287, 1e-10);
  finish(&m);
}

// G. Galperin (2003): digits of pi.
static void collisions_count_the_digits_of_pi(void **state) {
  (void)state;
  const struct {
    const char *ratio;
    int count;
  } rows[] = {{"ratio=1", 3}, {"ratio=100", 31}, {"ratio=10000", 314}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    contact_machine m = run("pi", rows[k].ratio, 1e-11, 10);
    assert_int_equal(hn_simulation_certificate(m.simulation).impacts, rows[k].count);
    finish(&m);
  }
}

// Velocities before and behind an impact that falls on a row say nothing of the accuracy.
static void impacts_in_rows_are_no_errors(void **state) {
  (void)state;
  const char *const ratios[] = {"ratio=1", "ratio=100", "ratio=10000"};
  for (int k = 0; k < 3; k++) {
    contact_machine m = run("pi", ratios[k], 1e-11, 0);
    hn_run_plan plan = {.time = 10, .output_step = 0.01};
    hn_run_outcome outcome;
    check_ok(hn_run(m.simulation, &plan, NULL, &outcome));
    const hn_accuracy *a = hn_simulation_accuracy(m.simulation);
    assert_true(a->is_estimated);
    check_at_most(a->motion, 1e-9); // speeds go up to 100 m/s, times are known to 1e-12 s
    assert_false(a->is_sensitive);
    assert_int_equal(a->events_compared, hn_simulation_certificate(m.simulation).impacts);
    check_at_most(a->event_time, 1e-10);
    finish(&m);
  }
}

static void balls_in_a_row_pass_the_impact_on(void **state) {
  (void)state;
  contact_machine m = run("cradle", NULL, 1e-10, 1);
  check_near(value_of(&m, "v5"), 0.81450625, 1e-12); // ((1 + e)/2)^4
  const double sum = value_of(&m, "v1") + value_of(&m, "v2") + value_of(&m, "v3") +
                     value_of(&m, "v4") + value_of(&m, "v5");
  check_near(sum, 1, 1e-12);
  finish(&m);
  m = run("cradle", "restitution=1", 1e-10, 1);
  check_near(value_of(&m, "v1"), 0, 1e-12);
  check_near(value_of(&m, "v5"), 1, 1e-12);
  finish(&m);
}

// A ball slides to and fro in a valley of many pieces of a spline: where they join there is no impact,
// whatever the restitution, and it comes to rest as high as it began.
static void joints_of_a_spline_are_no_impacts(void **state) {
  (void)state;
  enum { COUNT = 25 };
  double points[3 * COUNT] = {0};
  for (int k = 0; k < COUNT; k++) {
    const double x = 1.2 - 0.1 * k; // solid to the left of the way: below
    points[3 * k] = x;
    points[3 * k + 1] = 0.5 * x * x;
  }
  contact_machine m = machine_on_plane(vec3(0, -GRAVITY, 0));
  hn_shape_def valley = hn_default_shape(HN_SHAPE_EXTRUSION);
  static const double profile[] = {0, 0, 1, 0, 0, 1};
  int shape;
  valley.touch = HN_TOUCH_CURVE;
  valley.profile = profile;
  valley.profile_count = 3;
  valley.length = 0.1;
  valley.curve = points;
  valley.curve_count = COUNT;
  valley.curve_is_spline = 1;
  check_model(&m, hn_model_add_shape(m.model, &valley, &shape));
  // the ball stands off by its radius along the normal at x = 0.55
  const double slope = 0.55, norm = hypot(1, slope), radius = 0.05;
  hn_vec3 at = vec3(0.55 - radius * slope / norm, 0.5 * 0.55 * 0.55 + radius / norm + 1e-4, 0);
  int ball = add_ball(&m, "ball", radius, 1, at, vec3_zero(), vec3_zero());
  add_contact(&m, "way", shape, ball, 0, 0);
  start(&m, 1e-10);
  advance(&m, 0.1);
  const long before = hn_simulation_certificate(m.simulation).impacts;
  assert_true(before > 0); // the drop of 0.1 mm
  advance(&m, 5);
  assert_int_equal(hn_simulation_certificate(m.simulation).impacts, before);
  assert_true(motion_of(&m, 1).position.y < at.y);
  finish(&m);
}

// Two circles in contact: the lift is known.
static void outlines_stay_in_touch(void **state) {
  (void)state;
  contact_machine m = run("cam-outline", NULL, 1e-9, 0.5);
  const double e = 0.01, angle = 60 * 0.5, far = 0.052;
  const double lift = -e * cos(angle) + sqrt(far * far - pow(e * sin(angle), 2)) - (far - e);
  check_near(value_of(&m, "follower.lift"), lift, 1e-12);
  assert_int_equal(hn_simulation_certificate(m.simulation).impacts, 0);
  check_at_most(hn_simulation_certificate(m.simulation).penetration, 1e-12);
  finish(&m);
}

static void loops_hold_through_impacts(void **state) {
  (void)state;
  const char *const names[] = {"press", "bump-stop"};
  for (int k = 0; k < 2; k++) {
    contact_machine m = run(names[k], NULL, 1e-8, 1.2);
    const hn_certificate c = hn_simulation_certificate(m.simulation);
    assert_true(c.impacts > 3);
    assert_int_equal(c.contacts_unresolved, 0);
    assert_true(c.impact_loss > 0);
    check_at_most(c.energy_relative, 1e-5);
    check_at_most(c.constraint_position, 1e-9);
    finish(&m);
  }
}

static void geneva_wheel_turns_a_quarter_a_turn(void **state) {
  (void)state;
  contact_machine m = run("geneva", NULL, 1e-6, 2.9);
  check_near(fabs(value_of(&m, "wheel.angle")), 3 * HN_PI / 2, 5e-3);
  check_at_most(hn_simulation_certificate(m.simulation).energy_relative, 1e-3);
  finish(&m);
}

// At 2.5 s the pin is deepest in a slot, for 0.38 ms on its round end instead of the flank. Steps that
// pass over that moment must see the other face. The force is that of runs that end there.
static void geneva_pin_reaches_the_round_end_of_its_slot(void **state) {
  (void)state;
  static const char *const sets[] = {"cartesian", "relative", "natural"};
  for (int k = 0; k < 3; k++) {
    contact_machine m = run_in(sets[k], "geneva", NULL, 0, 1e-6, 2.4);
    while (hn_simulation_time(m.simulation) < 2.5) check_ok(hn_simulation_step(m.simulation, 3));
    check_ok(hn_simulation_look_at(m.simulation, 2.5));
    check_near(value_of(&m, "pin.force"), 0.3545669, 1e-6);
    finish(&m);
  }
}

// It tumbles over an edge whose two corners stick: the load they share must leave them at rest, or the
// error of steps never becomes small and thousands are taken.
static void a_box_tumbles_over_its_edges(void **state) {
  (void)state;
  contact_machine m = run("pile", NULL, 1e-5, 2);
  const hn_certificate c = hn_simulation_certificate(m.simulation);
  assert_in_range(c.steps_accepted, 50, 2000);
  assert_int_equal(c.contacts_unresolved, 0);
  check_near(c.energy_relative, 0, 1e-5);
  check_near(value_of(&m, "box.z"), 0.025, 1e-9); // flat on the floor
  finish(&m);
}

// Force along its axis of a follower that stays on its eccentric cam, of models/contact/cam.yaml and
// cam-roller.yaml; reach: of centers, 0: a flat face.
static double cam_force(double reach, double speed, double angle) {
  const double e = 0.01, mass = 0.5, stiffness = 2000, preload = 20;
  double lift = e * (1 - cos(angle)), bend = e * cos(angle);
  if (reach > 0) {
    const double across = e * sin(angle), root = sqrt(reach * reach - across * across);
    const double turn = e * e * sin(angle) * cos(angle);
    lift += root - reach;
    bend -= e * e * cos(2 * angle) / root + turn * turn / (root * root * root);
  }
  return mass * speed * speed * bend + stiffness * lift + preload + mass * GRAVITY;
}

// Just above the critical speed the force is below zero for some 1e-5 s only, around the dead
// center, while steps are a hundred times longer: followers part all the same, and below it they do
// not.
static void followers_part_just_above_the_critical_speed(void **state) {
  (void)state;
  const double above[] = {1e-5, 1e-6, 1e-8, -1e-8, -1e-6}, tol[] = {1e-4, 1e-9};
  for (int row = 0; row < 20; row++) {
    const double reach = row % 2 ? 0.05 : 0, excess = above[row / 2 % 5];
    const double e = 0.01, load = 2 * 2000 * e + 20 + 0.5 * GRAVITY;
    const double speed = sqrt(load / (0.5 * (e + (reach > 0 ? e * e / reach : 0)))) * (1 + excess);
    char setting[64];
    snprintf(setting, sizeof setting, "speed=%.17g", speed);
    contact_machine m = run(row % 2 ? "cam-roller" : "cam", setting, tol[row / 10], 0.05);
    double time = 0;
    const int parted = times_of(&m, 0, &time, 1);
    assert_int_equal(parted, excess > 0);
    double low = HN_PI - 0.1, high = HN_PI;
    for (int k = 0; k < 60; k++) {
      const double angle = 0.5 * (low + high);
      if (cam_force(reach, speed, angle) > 0)
        low = angle;
      else
        high = angle;
    }
    if (parted) check_near(time, low / speed, 1e-9);
    finish(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(followers_part_just_above_the_critical_speed),
      cmocka_unit_test(impacts_that_follow_soon_are_two),
      cmocka_unit_test(collisions_count_the_digits_of_pi),
      cmocka_unit_test(impacts_in_rows_are_no_errors),
      cmocka_unit_test(balls_in_a_row_pass_the_impact_on),
      cmocka_unit_test(joints_of_a_spline_are_no_impacts),
      cmocka_unit_test(outlines_stay_in_touch),
      cmocka_unit_test(loops_hold_through_impacts),
      cmocka_unit_test(geneva_wheel_turns_a_quarter_a_turn),
      cmocka_unit_test(geneva_pin_reaches_the_round_end_of_its_slot),
      cmocka_unit_test(a_box_tumbles_over_its_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
