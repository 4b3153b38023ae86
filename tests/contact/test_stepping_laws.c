// Laws of time-stepped contacts and stops: Poisson's impacts, stops on rotors, steps in real time. The
// values expected are those by hand, of event-driven contact, or of the same steps elsewhere.
#include <stdio.h>
#include <stdlib.h>

#include "analysis/auto_stepping.h"
#include "contact/contact_machine.h"
#include "equations/conditions.h"
#include "holon/load.h"
#include "holon/realtime.h"

static contact_machine stepped(const char *text, const char *coordinates, double step) {
  contact_machine m = {0};
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  check_ok(hn_model_load_text(text, strlen(text), "text.yaml", NULL, &m.model, &error));
  options.step = step;
  options.method = "time-stepping";
  options.coordinates = coordinates;
  hn_status status = hn_simulation_create(m.model, &options, &m.simulation, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
  return m;
}

// Contacts that stopped sliding stay stopped while the normal impulse returns.
static void impulses_return_by_poisson(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}, contact: true}}\n"
      "  ball: {mass: 1, position: [0, 0, 0.101], inertia: [0.004, 0.004, 0.004],\n"
      "         initial: {velocity: [1, 0, -2], angular_velocity: [0, -20, 0]},\n"
      "         shape: {sphere: 0.1, contact: true}}\n"
      "contacts: {all: {friction: 2, restitution: 0.9, impact: poisson}}\n";
  static const char *const sets[] = {"cartesian", "relative"};
  const double radius = 0.1, spin = -20, p = -(1 - radius * spin) / 3.5;
  for (int k = 0; k < 2; k++) {
    contact_machine m = stepped(text, sets[k], 1e-3);
    advance(&m, 0.01);
    const hn_body_motion after = motion_of(&m, 1);
    check_near(after.velocity.z, 2 * 0.9, 1e-6);
    check_near(after.velocity.x, 1 + p, 1e-6);
    check_near(after.angular_velocity.y, (1 + p) / radius, 1e-5);
    assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
    finish(&m);
  }
}

// A link with a rotor of ten times its speed on ground, whose angle ends at a stop: the link ends at a
// tenth.
static void a_stop_of_a_rotor_stops_what_drives_it(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  link: {mass: 1, center: [0.5, 0, 0], inertia: [0.001, 0.02, 0.02]}\n"
      "  rotor: {mass: 0, center: [0, 0, 0], inertia: [1e-4, 1e-4, 1e-4]}\n"
      "joints:\n"
      "  pin: {type: revolute, bodies: [ground, link], at: [0, 0, 0], axis: y}\n"
      "  shaft: {type: revolute, bodies: [ground, rotor], at: [0, 0, 0], axis: y}\n"
      "  gear: {type: gear, joints: [pin, shaft], ratio: 0.1}\n"
      "forces:\n"
      "  end: {type: joint-stop, joint: shaft, lower: -5}\n";
  contact_machine m = stepped(text, "relative", 1e-3);
  advance(&m, 2);
  const double ratio = value_of(&m, "joint.shaft.angle") / value_of(&m, "joint.pin.angle");
  check_near(fabs(ratio), 10, 1e-3);
  check_near(value_of(&m, "joint.shaft.angle"), -5, 1e-2);
  check_at_most(fabs(value_of(&m, "joint.pin.angle_rate")), 1e-6);
  finish(&m);
}

// A pendulum rests on a stop; a new input, which does nothing, does not change the force of the stop.
static void forces_of_stops_stay_after_inputs(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "inputs: {torque: {value: 0}}\n"
      "bodies:\n"
      "  link: {mass: 1, center: [0.5, 0, 0], inertia: [0.001, 0.02, 0.02]}\n"
      "joints:\n"
      "  pin: {type: revolute, bodies: [ground, link], at: [0, 0, 0], axis: y}\n"
      "forces:\n"
      "  motor: {type: joint-spring-damper, joint: pin, force: 0.01*torque}\n"
      "  end: {type: joint-stop, joint: pin, upper: 0.2}\n";
  contact_machine m = stepped(text, "relative", 1e-3);
  advance(&m, 1);
  const double before = value_of(&m, "force.end.value"), torque = 9.81 * 0.5 * cos(0.2);
  check_near(fabs(before), torque, 1e-2);
  check_ok(hn_simulation_set_input(m.simulation, 0, 1));
  check_ok(hn_simulation_take_inputs(m.simulation));
  check_near(value_of(&m, "force.end.value"), before, 1e-12);
  check_near(fabs(value_of(&m, "force.motor.value")), 0.01, 1e-12);
  finish(&m);
}

// The loop takes the steps of the run.
static void steps_are_the_same_in_real_time(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}, contact: true}}\n"
      "  cart: {mass: 2, position: [0, 0, 0.3], inertia: [0.02, 0.02, 0.02],\n"
      "         initial: {velocity: [1, 0, 0]}, shape: {box: [0.2, 0.2, 0.1], contact: true}}\n"
      "  arm: {mass: 0.5, center: [0.1, 0, 0.4], inertia: [0.002, 0.002, 0.002],\n"
      "        shape: {sphere: 0.03, contact: true}}\n"
      "joints:\n"
      "  hinge: {type: revolute, bodies: [cart, arm], at: [0, 0, 0.36], axis: y}\n"
      "forces:\n"
      "  ends: {type: joint-stop, joint: hinge, lower: -1, upper: 1}\n"
      "contacts: {all: {friction: 0.4}}\n";
  contact_machine m = stepped(text, "relative", 1e-3);
  hn_realtime_options options = hn_default_realtime_options();
  hn_realtime *loop = NULL;
  hn_error error = {0};
  options.simulation.method = "time-stepping";
  options.simulation.coordinates = "relative";
  options.simulation.step = 1e-3;
  hn_status status = hn_realtime_create(m.model, &options, &loop, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
  for (int k = 0; k < 1000; k++) check_ok(hn_realtime_step(loop, NULL));
  advance(&m, 1);
  hn_body_motion in_loop;
  for (int b = 1; b <= 2; b++) {
    check_ok(hn_simulation_body_motion(hn_realtime_simulation(loop), b, &in_loop));
    check_at_most(vec3_norm(vec3_sub(in_loop.position, motion_of(&m, b).position)), 1e-9);
  }
  const hn_certificate c = hn_simulation_certificate(hn_realtime_simulation(loop));
  assert_string_equal(c.method, "time-stepping");
  check_at_most(c.penetration, 1e-3);
  hn_realtime_free(loop);
  finish(&m);
}

// A ball that falls again and again, 200,000 steps in all: what remains to its end is judged by steps
// since its state was set.
static void steps_before_a_new_state_do_not_count(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}, contact: true}}\n"
      "  ball: {mass: 1, position: [0, 0, 0.3], inertia: [0.004, 0.004, 0.004],\n"
      "         shape: {sphere: 0.1, contact: true}}\n"
      "contacts: {all: {friction: 0.4}}\n";
  contact_machine m = stepped(text, "cartesian", 1e-3);
  double q[7], qd[7];
  memcpy(q, hn_simulation_positions(m.simulation), sizeof q);
  memcpy(qd, hn_simulation_velocities(m.simulation), sizeof qd);
  for (int fall = 0; fall < 200; fall++) {
    check_ok(hn_simulation_set_state(m.simulation, 0, q, qd));
    for (int k = 0; k < 1000; k++) check_ok(hn_simulation_step(m.simulation, 4));
    check_at_most(hn_simulation_certificate(m.simulation).penetration, 1e-3);
  }
  finish(&m);
}

// A trunk on a leg.
static const char walker[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}, contact: true}}\n"
    "  trunk: {mass: 3, position: [0, 0, 0.6], inertia: [0.02, 0.02, 0.02],\n"
    "          shape: {box: [0.2, 0.2, 0.2], contact: true}, initial: {velocity: [0.2, 0.1, 0]}}\n"
    "  leg: {mass: 1, position: [0, 0, 0.3], inertia: [0.01, 0.01, 0.002],\n"
    "        shape: {capsule: {radius: 0.05, length: 0.3}, contact: true}}\n"
    "joints: {hip: {type: revolute, bodies: [trunk, leg], at: [0, 0, 0.48], axis: y}}\n"
    "forces: {range: {type: joint-stop, joint: hip, lower: -0.5, upper: 0.5}}\n"
    "contacts: {all: {friction: 0.6}}\n";

// A leg that comes to rest on its foot and a stop: a new state starts without the impulses of the last.
static void runs_from_one_state_are_the_same(void **state) {
  (void)state;
  contact_machine m = stepped(walker, "relative", 2e-3);
  const size_t size = (size_t)hn_simulation_coordinate_count(m.simulation) * sizeof(double);
  double q[16], qd[16], end[2][16];
  assert_true(size <= sizeof q);
  memcpy(q, hn_simulation_positions(m.simulation), size);
  memcpy(qd, hn_simulation_velocities(m.simulation), size);
  for (int run = 0; run < 2; run++) {
    check_ok(hn_simulation_set_state(m.simulation, 0, q, qd));
    for (int k = 0; k < 700; k++) check_ok(hn_simulation_step(m.simulation, 4));
    // from the ground: impulses of the last step would be a start
    if (run == 0) memcpy(q, hn_simulation_positions(m.simulation), size);
    check_ok(hn_simulation_set_state(m.simulation, 0, q, qd));
    check_ok(hn_simulation_step(m.simulation, 4));
    memcpy(end[run], hn_simulation_velocities(m.simulation), size);
  }
  assert_memory_equal(end[0], end[1], size);
  finish(&m);
}

// A turning box whose corner hits the floor in a first step that a table makes short: the impact is no
// acceleration that the next step may expect. Cartesian coordinates expect none.
static void impacts_in_short_steps_are_not_expected_again(void **state) {
  (void)state;
  static const char *const sets[] = {"cartesian", "relative"};
  static const char *const ends[] = {"1e-4", "1e-5", "1e-6"};
  for (int k = 0; k < 3; k++) {
    char text[1024];
    double w[2];
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  ground: {shape: {plane: {}, contact: true}}\n"
        "  box: {mass: 1, inertia: [0.01, 0.02, 0.03], position: [0, 0, 0.05],\n"
        "        shape: {box: [0.4, 0.2, 0.1], contact: true},\n"
        "        initial: {velocity: [0, 0, -1], angular_velocity: [1, 2, 3]}}\n"
        "contacts: {all: {friction: 0.3, restitution: 0.5}}\n"
        "forces:\n"
        "  f: {type: point-force, body: box, force: [0, {table: [[0, 0], [%s, 0], [1, 1e-9]],\n"
        "      interpolation: linear}, 0]}\n",
        ends[k]);
    for (int set = 0; set < 2; set++) {
      contact_machine m = stepped(text, sets[set], 1e-3);
      advance(&m, 0.001);
      w[set] = value_of(&m, "body.box.angular_velocity.x");
      finish(&m);
    }
    check_near(w[1], w[0], 0.02);
  }
}

// More points than sweeps are tried for alone: those that open have no residual without friction.
static void many_points_without_friction_are_solved(void **state) {
  (void)state;
  static const char *const laws[] = {"law: soft, compliance: 1e-4", "restitution: 0"};
  for (int k = 0; k < 2; k++) {
    char text[8192];
    int at = snprintf(text, sizeof text,
                      "gravity: [0, 0, -9.81]\nbodies:\n"
                      "  ground: {shape: {plane: {}, group: walls}}\n");
    for (int b = 0; b < 36; b++)
      at += snprintf(text + at, sizeof text - (size_t)at,
                     "  b%d: {mass: 1, solid: {sphere: 0.05}, position: [%g, 0, 0.06],\n"
                     "    shape: {sphere: 0.05, group: things}}\n",
                     b, 0.2 * b);
    snprintf(text + at, sizeof text - (size_t)at,
             "contacts: {walls: {groups: [walls, things], friction: 0, %s}}\n", laws[k]);
    contact_machine m = stepped(text, "cartesian", 1e-3);
    advance(&m, 0.15);
    const hn_certificate c = hn_simulation_certificate(m.simulation);
    assert_int_equal(c.contacts_unresolved, 0);
    check_at_most(c.contact_residual, 1e-6);
    finish(&m);
  }
}

// T + V of the trunk and the leg of `walker`, from their motions.
static double energy_of(const contact_machine *m) {
  static const double mass[] = {3, 1}, inertia[2][3] = {{0.02, 0.02, 0.02}, {0.01, 0.01, 0.002}};
  double sum = 0;
  for (int b = 0; b < 2; b++) {
    hn_body_motion on;
    check_ok(hn_simulation_body_motion(m->simulation, b + 1, &on));
    const hn_vec3 w = mat3_apply_transposed(on.rotation, on.angular_velocity);
    sum +=
        mass[b] * (GRAVITY * on.position.z + 0.5 * vec3_dot(on.velocity, on.velocity)) +
        0.5 * (inertia[b][0] * w.x * w.x + inertia[b][1] * w.y * w.y + inertia[b][2] * w.z * w.z);
  }
  return sum;
}

// Impacts and sliding account for the energy that is gone, but for an error of first order: impulses
// act on the speeds of the middle of a step, inertia forces on those before them.
static void losses_account_for_the_energy_of_a_fall(void **state) {
  (void)state;
  static const double steps[] = {4e-3, 1e-3, 2.5e-4};
  double off[3];
  for (int k = 0; k < 3; k++) {
    contact_machine m = stepped(walker, "relative", steps[k]);
    const double before = energy_of(&m);
    advance(&m, 1);
    const hn_certificate c = hn_simulation_certificate(m.simulation);
    const double gone = before - energy_of(&m);
    assert_true(gone > 5);
    off[k] = fabs(gone - c.impact_loss - c.friction_loss);
    check_at_most(off[k], 10 * steps[k]);
    finish(&m);
  }
}

// Balls in a row on a plane that is turned by this angle about an oblique axis, at this height.
static void write_balls(char *text, size_t size, int count, double slope, double height,
                        const char *start, const char *contact) {
  const hn_quat turn = quat_from_axis_angle(vec3(1, 0.5, 0.3), slope);
  int at = snprintf(text, size,
                    "gravity: [0, 0, -10]\nbodies:\n"
                    "  ground: {shape: {plane: {size: 100}, group: walls,\n"
                    "    orientation: {axis: [1, 0.5, 0.3], angle: %.17g}}}\n",
                    slope);
  for (int b = 0; b < count; b++) {
    const hn_vec3 r = mat3_apply(quat_matrix(turn), vec3(0, 0.2 * b, height));
    at += snprintf(text + at, size - (size_t)at,
                   "  b%d: {mass: 1, solid: {sphere: 0.05}, position: [%.17g, %.17g, %.17g],\n"
                   "    shape: {sphere: 0.05, group: things}, initial: {%s}}\n",
                   b, r.x, r.y, r.z, start);
  }
  snprintf(text + at, size - (size_t)at, "contacts: {w: {groups: [walls, things], %s}}\n", contact);
}

static char long_text[65536];

// More than a dense problem takes: half of the impulses returns without friction, too.
static void many_impulses_return_without_friction(void **state) {
  (void)state;
  enum { BALLS = 150 };
  static const char *const sets[] = {"cartesian", "relative"};
  write_balls(long_text, sizeof long_text, BALLS, 0, 0.0505, "velocity: [0.1, 0, -1]",
              "restitution: 0.5, impact: poisson");
  for (int set = 0; set < 2; set++) {
    contact_machine m = stepped(long_text, sets[set], 1e-3);
    check_ok(hn_simulation_step(m.simulation, 1));
    for (int b = 1; b <= BALLS; b++) {
      check_near(motion_of(&m, b).velocity.z, 0.5 * (1 + 10 * 1e-3), 1e-9);
      check_near(motion_of(&m, b).velocity.x, 0.1, 1e-12);
    }
    assert_int_equal(hn_simulation_certificate(m.simulation).contacts_unresolved, 0);
    finish(&m);
  }
}

// A run that is read starts without memory for its many conditions; the step that takes it starts from
// the same impulses. The axes are oblique, so that turning impulses into them twice rounds.
static void runs_that_take_memory_go_on_bit_for_bit(void **state) {
  (void)state;
  write_balls(long_text, sizeof long_text, 70, 0.2, 0.052, "velocity: [0.2, 0.3, -0.1]",
              "friction: 0.4, rolling_friction: 0.001, torsional_friction: 0.001");
  contact_machine m = stepped(long_text, "relative", 1.0 / 512);
  for (int k = 0; k < 20; k++) check_ok(hn_simulation_step(m.simulation, 1));
  const size_t size = hn_simulation_save_size(m.simulation);
  unsigned char *saved = malloc(size);
  check_ok(hn_simulation_save(m.simulation, saved, size));
  for (int k = 0; k < 10; k++) check_ok(hn_simulation_step(m.simulation, 1));
  const unsigned long long hash = hn_simulation_state_hash(m.simulation);
  finish(&m);
  m = stepped(long_text, "relative", 1.0 / 512);
  check_ok(hn_simulation_restore(m.simulation, saved, size));
  free(saved);
  for (int k = 0; k < 10; k++) check_ok(hn_simulation_step(m.simulation, 1));
  assert_true(hn_simulation_state_hash(m.simulation) == hash);
  finish(&m);
}

static unsigned long long hash_after_takeover(hn_simulation *s, int steps) {
  while (s->branches.grips->closed == 0) check_ok(hn_simulation_step(s, 10));
  s->error.status = HN_ERROR_STEP_SIZE;
  assert_true(hn_stepping_takes_over(s));
  for (int k = 0; k < steps; k++) check_ok(hn_simulation_step(s, 10));
  return hn_simulation_state_hash(s);
}

// Time stepping takes over a second time, after the start was restored: it starts as in a new run.
static void takeovers_start_without_the_last_one(void **state) {
  (void)state;
  static const char text[] = "gravity: [0, 0, -9.81]\n"
                             "bodies:\n"
                             "  ground: {shape: {plane: {size: 2}, contact: true}}\n"
                             "  block: {mass: 10, solid: {box: [0.2, 0.3, 0.8]},\n"
                             "    shape: {box: [0.2, 0.3, 0.8], contact: true},\n"
                             "    position: [0, 0, 0.41], orientation: {axis: y, angle: 0.12}}\n"
                             "contacts: {all: {friction: 2}}\n";
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s[2];
  hn_model *model = NULL;
  hn_error error = {0};
  check_ok(hn_model_load_text(text, strlen(text), "text.yaml", NULL, &model, &error));
  options.coordinates = "relative";
  for (int k = 0; k < 2; k++) check_ok(hn_simulation_create(model, &options, &s[k], &error));
  const size_t size = hn_simulation_save_size(s[0]);
  unsigned char *saved = malloc(size);
  check_ok(hn_simulation_save(s[0], saved, size));
  hash_after_takeover(s[0], 7);
  for (int k = 0; k < 2; k++) check_ok(hn_simulation_restore(s[k], saved, size));
  free(saved);
  assert_true(hash_after_takeover(s[0], 40) == hash_after_takeover(s[1], 40));
  for (int k = 0; k < 2; k++) hn_simulation_free(s[k]);
  hn_model_free(model);
}

// Inverse masses of soft contacts are those of the state that a run starts from.
static void soft_contacts_feel_the_inertia_of_a_new_state(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}, group: walls}}\n"
      "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.25, 0, 0.5]}\n"
      "  b: {mass: 0.2, inertia: [0.002, 0.002, 0.002], position: [0.75, 0, 0.5],\n"
      "    shape: {sphere: 0.05, group: things}}\n"
      "joints:\n"
      "  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0.5], axis: y}\n"
      "  r: {type: revolute, bodies: [a, b], at: [0.5, 0, 0.5], axis: y}\n"
      "contacts: {w: {groups: [things, walls], law: soft, time_constant: 0.02, friction: 0.5}}\n";
  const double q[2] = {0.5, 0.6}, qd[2] = {0, 0};
  double z[2];
  for (int k = 0; k < 2; k++) {
    contact_machine m = stepped(text, "relative", 2e-3);
    if (k == 0) check_ok(hn_simulation_step(m.simulation, 1));
    check_ok(hn_simulation_set_state(m.simulation, 0, q, qd));
    advance(&m, 0.5);
    z[k] = value_of(&m, "body.b.position.z");
    finish(&m);
  }
  check_near(z[0], z[1], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impulses_return_by_poisson),
      cmocka_unit_test(a_stop_of_a_rotor_stops_what_drives_it),
      cmocka_unit_test(forces_of_stops_stay_after_inputs),
      cmocka_unit_test(steps_are_the_same_in_real_time),
      cmocka_unit_test(runs_from_one_state_are_the_same),
      cmocka_unit_test(losses_account_for_the_energy_of_a_fall),
      cmocka_unit_test(steps_before_a_new_state_do_not_count),
      cmocka_unit_test(impacts_in_short_steps_are_not_expected_again),
      cmocka_unit_test(many_points_without_friction_are_solved),
      cmocka_unit_test(many_impulses_return_without_friction),
      cmocka_unit_test(runs_that_take_memory_go_on_bit_for_bit),
      cmocka_unit_test(takeovers_start_without_the_last_one),
      cmocka_unit_test(soft_contacts_feel_the_inertia_of_a_new_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
