// Equilibria with closed forms, neutral directions, instability and failure.
#include "analysis/statics.h"

#include <math.h>
#include <stdio.h>

#include "analysis/parts.h"
#include "holon/analysis.h"
#include "holon/load.h"
#include "support/machines.h"

static const hn_vec3 Z = {0, 0, 1};

static hn_status find_equilibrium(setting *s, hn_statics_report *report) {
  hn_status status =
      hn_statics_solve(s->equations, NULL, 0, s->q, &s->branches, NULL, report, &s->error);
  memset(s->qd, 0, sizeof(double) * (size_t)s->equations->nq);
  update_frames(s);
  return status;
}

static void a_mass_hangs_on_its_spring(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  int block = add_body_def(model, body_at("block", 2, 0.1, vec3(0, 0, -1)));
  add_joint(model, HN_JOINT_TRANSLATIONAL, "guide", HN_GROUND, block, vec3(0, 0, 0), Z);
  add_spring(model, "spring", HN_GROUND, vec3(0, 0, 0), block, vec3(0, 0, -1), 400, 0.8);
  set_up(&s, model);
  check_ok(find_equilibrium(&s, &report));
  check_near(s.frames[block].r.z, -(0.8 + 2 * 9.81 / 400), 1e-14);
  assert_int_equal(report.stable, 1);
  assert_int_equal(report.neutral_count, 0);
  assert_in_range(report.iterations, 1, 3);
  tear_down(&s);
}

// 1000 N/m to the origin along every axis; fails when the context says so.
static hn_status pull_to_origin(void *context, double t, const hn_body_motion body[2],
                                hn_wrench wrench[2], double d_pose[12][12],
                                double d_velocity[12][12], double d_time[12]) {
  (void)t, (void)d_pose, (void)d_velocity, (void)d_time;
  wrench[1].force = vec3_scale(-1000, body[1].position);
  return context ? HN_ERROR_LIMIT : HN_OK;
}

static int add_user_pull(hn_model *model, void *context) {
  int block = add_body_def(model, body_at("block", 1, 0.1, vec3(0.1, 0, 0)));
  hn_force_def pull = hn_default_force(HN_FORCE_USER);
  pull.name = "pull";
  pull.frame2.body = block;
  pull.user.evaluate = pull_to_origin;
  pull.user.context = context;
  check_ok(hn_model_add_force(model, &pull, NULL));
  return block;
}

// Linear in the position, so that Newton's method converges in one step; only rotations are free.
static void a_user_force_without_derivatives_counts_by_differences(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  int block = add_user_pull(model, NULL);
  set_up(&s, model);
  check_ok(find_equilibrium(&s, &report));
  check_near(s.frames[block].r.x, 0, 1e-12);
  check_near(s.frames[block].r.z, -9.81 / 1000, 1e-12);
  assert_int_equal(report.stable, 1);
  assert_int_equal(report.neutral_count, 3);
  assert_in_range(report.iterations, 1, 4);
  tear_down(&s);
}

static void a_user_force_that_fails_is_named(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  int fails = 1;
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  add_user_pull(model, &fails);
  set_up(&s, model);
  assert_int_equal(find_equilibrium(&s, &report), HN_ERROR_LIMIT);
  check_names(s.error.element, "'pull'");
  tear_down(&s);
}

static void a_pendulum_hangs_down(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  set_up(&s, hn_make_pendulum());
  check_ok(find_equilibrium(&s, &report));
  check_near(s.frames[1].r.x, 0, 1e-12);
  check_near(s.frames[1].r.y, -1, 1e-12);
  check_near(largest_gap(&s, 0, NULL), 0, 5e-14);
  assert_int_equal(report.stable, 1);
  tear_down(&s);
}

// Exactly upright the forces are balanced: an equilibrium, and not a stable one.
static void an_upright_pendulum_is_balanced_but_not_stable(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  hn_model *model = begin_model(vec3(0, -9.81, 0));
  int bar = add_body(model, "bar", vec3(0, 0.5, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "pin", HN_GROUND, bar, vec3(0, 0, 0), Z);
  set_up(&s, model);
  check_ok(find_equilibrium(&s, &report));
  check_near(s.frames[bar].r.y, 0.5, 1e-14);
  assert_int_equal(report.stable, 0);
  tear_down(&s);
}

// A load on two springs of length l0 to the walls at +-a: 2 k (1 - l0 / l) y = m g, l^2 = a^2 +
// y^2.
static void a_load_between_two_springs_sags_as_far_as_it_must(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  int load = add_body_def(model, body_at("load", 3, 0.1, vec3(0, 0, 0)));
  add_spring(model, "left", HN_GROUND, vec3(-1, 0, 0), load, vec3(0, 0, 0), 100, 0.9);
  add_spring(model, "right", HN_GROUND, vec3(1, 0, 0), load, vec3(0, 0, 0), 100, 0.9);
  add_joint(model, HN_JOINT_TRANSLATIONAL, "guide", HN_GROUND, load, vec3(0, 0, 0), Z);
  set_up(&s, model);
  check_ok(find_equilibrium(&s, NULL));
  double low = 0, high = 10;
  for (int k = 0; k < 200; k++) {
    double y = 0.5 * (low + high);
    if (2 * 100 * (1 - 0.9 / hypot(1, y)) * y < 3 * 9.81)
      low = y;
    else
      high = y;
  }
  check_near(s.frames[load].r.z, -low, 1e-12);
  tear_down(&s);
}

// Equilibrium angle of a lever on a torsion spring: k (phi - phi0) = m g l cos phi (from the
// horizontal).
static void a_lever_on_a_torsion_spring_finds_its_angle(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, -9.81, 0));
  int bar = add_body(model, "bar", vec3(0.5, 0, 0));
  int pin = add_joint(model, HN_JOINT_REVOLUTE, "pin", HN_GROUND, bar, vec3(0, 0, 0), Z);
  hn_force_def spring = hn_default_force(HN_FORCE_ROTATIONAL_SPRING_DAMPER);
  spring.name = "torsion";
  spring.joint = pin;
  spring.coordinate = HN_COORDINATE_ANGLE;
  spring.of_x = linear_law(3, 0.4);
  check_ok(hn_model_add_force(model, &spring, NULL));
  set_up(&s, model);
  check_ok(find_equilibrium(&s, NULL));
  double angle = coordinate_of(&s, pin, HN_COORDINATE_ANGLE).value;
  check_near(3 * (angle - 0.4) + 9.81 * 0.5 * cos(angle), 0, 1e-11);
  tear_down(&s);
}

static void directions_without_restoring_force_stay_and_are_named(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  int table = add_body_def(model, body_at("table", 50, 5, vec3(0.3, 0.2, 1)));
  for (int k = 0; k < 3; k++) { // three legs: springs to a plane are tyres
    static const char *const names[3] = {"leg1", "leg2", "leg3"};
    hn_force_def leg = hn_default_force(HN_FORCE_TYRE);
    if (k == 0) {
      hn_road_def road = hn_default_road(HN_ROAD_FLAT);
      road.name = "floor";
      check_ok(hn_model_add_road(model, &road, NULL));
    }
    leg.name = names[k];
    leg.frame2 = hn_model_frame(model, table, vec3(0.3 + cos(2.1 * k), 0.2 + sin(2.1 * k), 0.5),
                                vec3(0, 1, 0));
    leg.radius = 0.6;
    leg.stiffness[0] = 1e4;
    leg.road = 0;
    leg.contact = HN_CONTACT_VERTICAL;
    check_ok(hn_model_add_force(model, &leg, NULL));
  }
  set_up(&s, model);
  check_ok(find_equilibrium(&s, &report));
  assert_int_equal(report.neutral_count, 3);
  assert_string_equal(report.neutral, "table x, table y, table yaw");
  assert_int_equal(report.unheld, 0); // level ground: no surprise
  assert_string_equal(report.warning.message, "");
  assert_int_equal(report.stable, 1);
  check_near(s.frames[table].r.x, 0.3, 1e-12);
  check_near(s.frames[table].r.y, 0.2, 1e-12);
  tear_down(&s);
}

static void a_body_that_falls_past_everything_has_no_equilibrium(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  add_body(model, "stone", vec3(0, 0, 1));
  set_up(&s, model);
  double before[7];
  memcpy(before, s.q, sizeof before);
  check_status(find_equilibrium(&s, NULL), HN_ERROR_CONVERGENCE);
  check_near_many(s.q, before, 7, 0);
  assert_string_equal(s.error.element, "body 'stone'");
  check_names(s.error.message, "9.81");
  tear_down(&s);
}

static void without_forces_every_position_is_an_equilibrium(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  set_up(&s, hn_make_free_body(vec3(1, 2, 3)));
  double before[7];
  memcpy(before, s.q, sizeof before);
  check_ok(find_equilibrium(&s, &report));
  assert_int_equal(report.neutral_count, 6);
  check_near_many(s.q, before, 7, 1e-15);
  tear_down(&s);
}

// 1 kg on a spring of 10 N/m and 0.5 m, drawn over its foot where a guide should hold it: it falls
// over and hangs 0.5 + 9.81 / 10 m below.
static hn_model *make_mass_without_guide(int from_equilibrium) {
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  int foot = add_body(model, "foot", vec3(1, 0, 0)),
      mass = add_body(model, "mass", vec3(0, 0, 0.5));
  add_joint(model, HN_JOINT_FIXED, "base", HN_GROUND, foot, vec3(0, 0, 0), vec3(0, 0, 1));
  add_spring(model, "spring", foot, vec3(0, 0, 0), mass, vec3(1e-3, 0, 0.5), 10, 0.5);
  check_ok(hn_model_set_defaults(model,
                                 &(hn_simulation_defaults){.from_equilibrium = from_equilibrium}));
  return model;
}

static void a_body_that_goes_far_to_its_equilibrium_is_told(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  set_up(&s, make_mass_without_guide(0));
  check_ok(find_equilibrium(&s, &report));
  assert_string_equal(report.warning.element, "body 'mass'");
  check_names(report.warning.message, "1.98"); // 0.5 + 1.481
  assert_true(report.unheld > 0);
  tear_down(&s);
}

static void a_run_from_equilibrium_tells_what_nothing_holds(void **state) {
  (void)state;
  hn_model *model = make_mass_without_guide(1);
  hn_simulation *simulation = NULL;
  hn_error error;
  finish_model(model);
  check_ok(hn_simulation_create(model, NULL, &simulation, &error));
  assert_int_equal(hn_simulation_warning_count(simulation), 2);
  const hn_warning *far = hn_simulation_warning(simulation, 0);
  const hn_warning *unheld = hn_simulation_warning(simulation, 1);
  assert_string_equal(far->element, "body 'mass'");
  assert_string_equal(unheld->element, "equilibrium");
  assert_true(unheld->is_note && !far->is_note);
  check_names(unheld->message, "yaw");
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void a_pendulum_may_swing_through_its_own_length(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  int bob = add_body(model, "bob", vec3(0.6, 0, 0.8));
  add_joint(model, HN_JOINT_REVOLUTE, "pin", HN_GROUND, bob, vec3(0, 0, 0), vec3(0, 1, 0));
  set_up(&s, model);
  check_ok(find_equilibrium(&s, &report));
  check_near(s.frames[bob].r.z, -1, 1e-9);
  assert_string_equal(report.warning.message, "");
  tear_down(&s);
}

// A model from text in one set of coordinates.
static hn_simulation *make_simulation(const char *yaml, const char *coordinates, hn_model **model) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  options.coordinates = coordinates;
  check_ok(hn_model_load_text(yaml, strlen(yaml), "text.yaml", NULL, model, NULL));
  check_ok(hn_simulation_create(*model, &options, &simulation, NULL));
  return simulation;
}

static double value_of(hn_simulation *simulation, const char *signal) {
  double value = NAN;
  check_ok(hn_simulation_value(simulation, signal, &value));
  return value;
}

static const char *const SETS[] = {"cartesian", "relative", "natural"};

// A driver x = 3 t + 5 t^2 accelerates by 10 m/s2 and pulls a damper at 3 m/s; frozen, it does
// neither.
static void drivers_are_held_and_dampers_carry_nothing(void **state) {
  (void)state;
  const char *yaml = "gravity: [0, 0, -9.81]\n"
                     "bodies: {a: {mass: 1, inertia: [0.01, 0.01, 0.01]}, b: {mass: 2, inertia: "
                     "[0.01, 0.01, 0.01]}}\n"
                     "joints:\n"
                     "  p: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: z}\n"
                     "  q: {type: translational, bodies: [a, b], at: [0, 0, 0], axis: z}\n"
                     "forces:\n"
                     "  c: {type: joint-spring-damper, joint: p, damping: 40}\n"
                     "  k: {type: joint-spring-damper, joint: q, stiffness: 100, damping: 7}\n"
                     "drivers: {m: {joint: p, motion: 3*t + 5*t^2}}\n";
  for (size_t k = 0; k < sizeof SETS / sizeof SETS[0]; k++) {
    hn_model *model;
    hn_simulation *simulation = make_simulation(yaml, SETS[k], &model);
    check_ok(hn_simulation_equilibrium(simulation, NULL, NULL));
    check_near(value_of(simulation, "driver.m.force"), 3 * 9.81, 1e-11);
    check_near(value_of(simulation, "force.c.value"), 0, 1e-13);
    check_near(value_of(simulation, "body.a.velocity.z"), 0, 1e-13);
    check_near(value_of(simulation, "body.a.acceleration.z"), 0, 1e-11);
    check_near(value_of(simulation, "joint.q.displacement"), -2 * 9.81 / 100, 1e-12);
    check_ok(hn_simulation_advance(simulation, 0.1)); // and then it moves as driven
    check_near(value_of(simulation, "body.a.velocity.z"), 3 + 10 * 0.1, 1e-9);
    check_near(value_of(simulation, "body.a.acceleration.z"), 10, 1e-9);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

// On a slope of 0.05 that moves at 2 m/s the damper would carry 80 N.
static void a_moving_road_stands_still(void **state) {
  (void)state;
  const char *yaml =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {wheel: {mass: 30, center: [0, 0, 0.36], inertia: [0.6, 1.2, 0.6]}}\n"
      "joints: {guide: {type: translational, bodies: [ground, wheel], at: [0, 0, 0.3], axis: z}}\n"
      "roads: {ramp: {type: polyline, points: [[-1, 0], [1, 0.1]], speed: -2 m/s}}\n"
      "forces: {tyre: {type: tyre, body: wheel, radius: 0.3, stiffness: 200 kN/m, damping: 800,\n"
      "                road: ramp}}\n%s";
  char from[1024], text[1024];
  snprintf(text, sizeof text, yaml, "");
  snprintf(from, sizeof from, yaml, "initial: {from: equilibrium}\n");
  hn_model *model;
  hn_simulation *simulation = make_simulation(text, "auto", &model);
  check_ok(hn_simulation_equilibrium(simulation, NULL, NULL));
  check_near(value_of(simulation, "force.tyre.deflection"), 30 * 9.81 / 200e3, 1e-12);
  check_near(value_of(simulation, "force.tyre.value"), 30 * 9.81, 1e-7);
  hn_simulation_free(simulation);
  hn_model_free(model);
  simulation = make_simulation(from, "auto", &model);
  check_near(value_of(simulation, "force.tyre.deflection"), 30 * 9.81 / 200e3, 1e-12);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void failing_memory_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  setting s;
  set_up(&s, hn_make_slider_crank());
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_status status =
        hn_statics_solve(s.equations, &allocator, 0, s.q, &s.branches, NULL, NULL, &s.error);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
    assert_int_equal(s.error.status, HN_ERROR_MEMORY);
  }
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mass_hangs_on_its_spring),
      cmocka_unit_test(drivers_are_held_and_dampers_carry_nothing),
      cmocka_unit_test(a_moving_road_stands_still),
      cmocka_unit_test(a_user_force_without_derivatives_counts_by_differences),
      cmocka_unit_test(a_user_force_that_fails_is_named),
      cmocka_unit_test(a_pendulum_hangs_down),
      cmocka_unit_test(an_upright_pendulum_is_balanced_but_not_stable),
      cmocka_unit_test(a_load_between_two_springs_sags_as_far_as_it_must),
      cmocka_unit_test(a_lever_on_a_torsion_spring_finds_its_angle),
      cmocka_unit_test(directions_without_restoring_force_stay_and_are_named),
      cmocka_unit_test(a_body_that_falls_past_everything_has_no_equilibrium),
      cmocka_unit_test(without_forces_every_position_is_an_equilibrium),
      cmocka_unit_test(a_body_that_goes_far_to_its_equilibrium_is_told),
      cmocka_unit_test(a_run_from_equilibrium_tells_what_nothing_holds),
      cmocka_unit_test(a_pendulum_may_swing_through_its_own_length),
      cmocka_unit_test(failing_memory_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
