// Rolling and knife edges, rigid stops, friction of joints that sticks: against exact motions.
#include <stdio.h>

#include "contact/contact_machine.h"
#include "holon/analysis.h"

static hn_model *read_model(const char *name) {
  char path[512];
  hn_model *model = NULL;
  hn_error error = {0};
  snprintf(path, sizeof path, HOLON_SOURCE_DIR "/models/contact/%s.yaml", name);
  hn_status status = hn_model_load(path, NULL, &model, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
  return model;
}

static contact_machine run_model(const char *name, double tol, double time) {
  contact_machine m = {.model = read_model(name)};
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  hn_status status = hn_simulation_create(m.model, &options, &m.simulation, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
  if (time > 0) advance(&m, time);
  return m;
}

static void sleigh_turns_its_spin_into_speed(void **state) {
  (void)state;
  contact_machine m = run_model("sleigh", 1e-11, 1.5);
  const double k = sqrt((0.3 + 2 * 0.16) / 2), s = 0.4 * 3 / k;
  check_near(value_of(&m, "omega"), 3 / cosh(1.5 * s), 1e-9);
  check_near(value_of(&m, "speed"), k * 3 * tanh(1.5 * s), 1e-9);
  check_near(value_of(&m, "heading"), 2 * k / 0.4 * atan(tanh(0.75 * s)), 1e-9);
  check_at_most(hn_simulation_certificate(m.simulation).energy_balance, 1e-9);
  finish(&m);
}

static void knife_edge_drifts_across_the_slope(void **state) {
  (void)state;
  contact_machine m = run_model("knife", 1e-11, 2);
  const double c = GRAVITY * sin(20 * HN_PI / 180) / 8;
  check_near(value_of(&m, "x"), c * sin(4) * sin(4), 1e-9);
  check_near(value_of(&m, "y"), c * (4 - sin(8) / 2), 1e-9);
  finish(&m);
}

static void freedoms_of_position_and_of_speed_differ(void **state) {
  (void)state;
  const struct {
    const char *name;
    int position, speed;
  } rows[] = {{"disk", 5, 3}, {"sleigh", 3, 2}, {"ball", 6, 6}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    contact_machine m = run_model(rows[k].name, 1e-8, 0);
    hn_mobility mobility;
    check_ok(hn_simulation_mobility(m.simulation, &mobility));
    assert_int_equal(mobility.degrees_of_freedom, rows[k].position);
    assert_int_equal(mobility.degrees_of_freedom - mobility.nonholonomic, rows[k].speed);
    hn_mobility_free(&mobility);
    finish(&m);
  }
}

// Steady motion: the center stays, the force is the weight.
static void disk_spins_on_its_rim(void **state) {
  (void)state;
  contact_machine m = run_model("disk", 1e-11, 5 * 0.158593496230485);
  check_near(value_of(&m, "x"), -0.0433012701892219, 1e-9);
  check_near(value_of(&m, "y"), 0, 1e-9);
  check_near(value_of(&m, "z"), 0.025, 1e-9);
  check_near(value_of(&m, "force"), 0.4 * GRAVITY, 1e-8);
  finish(&m);
}

// A mass on a rail, with a force of its coordinate.
static contact_machine on_rail(double gravity, double speed, hn_force_def force) {
  contact_machine m = {0};
  check_ok(hn_model_create(NULL, &m.model));
  check_model(&m, hn_model_set_gravity(m.model, vec3(gravity, 0, 0)));
  hn_body_def body = hn_default_body();
  body.name = "mass";
  body.velocity = vec3(speed, 0, 0);
  int id;
  check_model(&m, hn_model_add_body(m.model, &body, &id));
  hn_joint_def rail = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  rail.name = "rail";
  rail.frame1 = hn_model_frame(m.model, HN_GROUND, vec3_zero(), vec3(1, 0, 0));
  rail.frame2 = hn_model_frame(m.model, id, vec3_zero(), vec3(1, 0, 0));
  check_model(&m, hn_model_add_joint(m.model, &rail, &force.joint));
  force.name = "limit";
  force.coordinate = HN_COORDINATE_DISPLACEMENT;
  check_model(&m, hn_model_add_force(m.model, &force, NULL));
  return m;
}

static hn_force_def rigid_stop(double upper, double restitution) {
  hn_force_def stop = hn_default_force(HN_FORCE_JOINT_STOP);
  stop.lower = -HUGE_VAL;
  stop.upper = upper;
  stop.stiffness[0] = HUGE_VAL;
  stop.number[0] = restitution;
  return stop;
}

static void rigid_stop_bounces_and_stays(void **state) {
  (void)state;
  const double g = 2, e = 0.5, t1 = sqrt(2 / g); // 1 m down the rail
  contact_machine m = on_rail(g, 0, rigid_stop(1, e));
  start(&m, 1e-10);
  advance(&m, 1.5 * t1); // between the first and the second impact
  const double t = 0.5 * t1;
  check_near(value_of(&m, "joint.rail.displacement"), 1 - e * g * t1 * t + g * t * t / 2, 1e-9);
  advance(&m, t1 * (1 + e) / (1 - e) + 0.1);
  check_near(value_of(&m, "joint.rail.displacement"), 1, 1e-12);
  check_near(value_of(&m, "joint.rail.displacement_rate"), 0, 1e-12);
  check_near(value_of(&m, "force.limit.value"), g, 1e-9);
  check_near(hn_simulation_certificate(m.simulation).impact_loss, g, 1e-8);
  finish(&m);
}

static void joint_with_friction_stops_and_sticks(void **state) {
  (void)state;
  hn_force_def friction = hn_default_force(HN_FORCE_JOINT_FRICTION);
  friction.magnitude = 3;
  friction.transition = 0;
  contact_machine m = on_rail(1, 2, friction); // 1 N pulls, 3 N hold
  start(&m, 1e-10);
  advance(&m, 100);
  check_near(value_of(&m, "joint.rail.displacement"), 1, 1e-10); // v^2/(2 (3 - 1))
  check_near(value_of(&m, "joint.rail.displacement_rate"), 0, 1e-14);
  check_near(value_of(&m, "force.limit.value"), 1, 1e-10);
  check_near(hn_simulation_certificate(m.simulation).friction_loss, 3, 1e-6);
  check_at_most(hn_simulation_certificate(m.simulation).energy_balance, 1e-8);
  finish(&m);
}

static void what_rolls_must_touch(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  const int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 0.2), vec3_zero(), vec3_zero());
  hn_contact_def contact = hn_default_contact();
  contact.name = "floor";
  contact.shapes1 = &ball;
  contact.shapes2 = &m.plane;
  contact.count1 = contact.count2 = 1;
  contact.law = HN_CONTACT_ROLLING;
  check_model(&m, hn_model_add_contact(m.model, &contact, NULL));
  check_model(&m, hn_model_finish(m.model));
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = machine_coordinates;
  assert_int_equal(hn_simulation_create(m.model, &options, &m.simulation, &error), HN_ERROR_MODEL);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sleigh_turns_its_spin_into_speed),
      cmocka_unit_test(knife_edge_drifts_across_the_slope),
      cmocka_unit_test(freedoms_of_position_and_of_speed_differ),
      cmocka_unit_test(disk_spins_on_its_rim),
      cmocka_unit_test(rigid_stop_bounces_and_stays),
      cmocka_unit_test(joint_with_friction_stops_and_sticks),
      cmocka_unit_test(what_rolls_must_touch),
  };
  return run_in_sets(tests, sizeof tests / sizeof tests[0]);
}
