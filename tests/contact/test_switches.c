// Conditional joints, drivers and forces against exact motions.
#include <stdio.h>

#include "contact/contact_machine.h"

typedef struct switched {
  hn_model *model;
  hn_simulation *simulation;
} switched;

static switched load_text(const char *text) {
  switched m = {0};
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "test.yaml", NULL, &m.model, &error) != HN_OK)
    print_error("%s: %s\n", error.element, error.message);
  assert_non_null(m.model);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = machine_coordinates;
  options.tol = 1e-11;
  if (hn_simulation_create(m.model, &options, &m.simulation, &error) != HN_OK)
    print_error("%s: %s\n", error.element, error.message);
  assert_non_null(m.simulation);
  return m;
}

static void advance_to(switched *m, double time) {
  hn_status status = hn_simulation_advance(m->simulation, time);
  if (status != HN_OK) print_error("%s\n", hn_simulation_error(m->simulation)->message);
  assert_int_equal(status, HN_OK);
}

static double switched_value(switched *m, const char *signal) {
  double value = NAN;
  check_ok(hn_simulation_value(m->simulation, signal, &value));
  return value;
}

static void finish_with(switched *m) {
  hn_simulation_free(m->simulation);
  hn_model_free(m->model);
}

// 1 kg at 1 m/s catches 3 kg at rest: both at 1/4 m/s, until released.
static void joint_that_closes_is_a_plastic_impact(void **state) {
  (void)state;
  switched m = load_text(
      "bodies:\n"
      "  a: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1], initial: {velocity: [1, 0, 0]}}\n"
      "  b: {mass: 3, center: [0.5, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n"
      "  ra: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: x}\n"
      "  rb: {type: translational, bodies: [ground, b], at: [0.5, 0, 0], axis: x}\n"
      "  hook: {type: fixed, bodies: [a, b], points: [[0, 0, 0], [0.5, 0, 0]],\n"
      "         starts: body.b.position.x - body.a.position.x <= 0, ends: time > 2}\n"
      "forces:\n"
      "  push: {type: point-force, body: b, at: [0.5, 0, 0], force: [3, 0, 0], when: time > 2}\n"
      "simulation: {time: 3}\n");
  advance_to(&m, 1.5);
  check_near(switched_value(&m, "joint.ra.displacement"), 0.75, 1e-9);
  check_near(switched_value(&m, "joint.ra.displacement_rate"), 0.25, 1e-11);
  check_near(switched_value(&m, "joint.rb.displacement_rate"), 0.25, 1e-11);
  check_near(hn_simulation_certificate(m.simulation).impact_loss, 0.375, 1e-10);
  advance_to(&m, 3);
  check_near(switched_value(&m, "joint.ra.displacement_rate"), 0.25, 1e-11);
  check_near(switched_value(&m, "joint.rb.displacement_rate"), 1.25, 1e-9);
  check_at_most(hn_simulation_certificate(m.simulation).energy_balance, 1e-9);
  hn_event events[8];
  assert_int_equal(hn_simulation_events(m.simulation, events, 8), 3);
  check_near(events[0].time, 0.5, 1e-10);
  check_near(events[1].time, 2, 1e-10);
  assert_int_equal(events[0].switched, 1);
  finish_with(&m);
}

// A stone on a string of length 1 released at a right angle: the string bears 3 m g cos(phi); it
// breaks at 2 m g, where cos(phi) = 2/3 and v^2 = 2 g 2/3.
static void string_that_breaks_lets_the_stone_fly(void **state) {
  (void)state;
  const double g = 9.81, c = 2.0 / 3, s = sqrt(1 - c * c), v = sqrt(2 * g * c);
  switched m = load_text("gravity: [0, 0, -9.81]\n"
                         "bodies:\n"
                         "  stone: {mass: 1, center: [1, 0, 0], inertia: [1e-3, 1e-3, 1e-3]}\n"
                         "joints:\n"
                         "  string: {type: distance, bodies: [ground, stone],\n"
                         "           points: [[0, 0, 0], [1, 0, 0]],\n"
                         "           ends: joint.string.reaction.force.x^2 +\n"
                         "                 joint.string.reaction.force.z^2 > (2*9.81)^2}\n"
                         "simulation: {time: 1}\n");
  advance_to(&m, 1);
  hn_event events[4];
  assert_int_equal(hn_simulation_events(m.simulation, events, 4), 1);
  const double flown = 1 - events[0].time;
  // it falls to the left: place (sin, -cos), velocity v (-cos, -sin)
  check_near(switched_value(&m, "body.stone.position.x"), s - v * c * flown, 1e-8);
  check_near(switched_value(&m, "body.stone.position.z"),
             -c - v * s * flown - g * flown * flown / 2, 1e-8);
  finish_with(&m);
}

#define BOB(inertia)                                                                               \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies: {bob: {mass: 1, position: [sin(1.4), 0, -cos(1.4)],\n"                                  \
  "               inertia: [" inertia ", " inertia ", " inertia "]}}\n"                            \
  "joints:\n"                                                                                      \
  "  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: -y,\n"                      \
  "        ends: 'hypot(joint.pin.reaction.force.x, joint.pin.reaction.force.z) > 22 N'}\n"        \
  "simulation: {time: 1}\n"

// A bob with little inertia I falls from phi0 = 1.4. With k = 2 g/(1 + I) its speed has the square
// k (cos(phi) - cos(phi0)), and the pin bears m g cos(phi) more; it breaks at 22 N. The bob then keeps
// its horizontal velocity and its energy. In natural coordinates I is the mass of unit vectors: steps
// are 2e-6 s for 1e-6 kg m^2 (docs/reference/limits.md), so that the bob has more there.
static void pin_of_a_light_bob_breaks(void **state) {
  (void)state;
  const int is_natural = strcmp(machine_coordinates, "natural") == 0;
  switched m = load_text(is_natural ? BOB("1e-5") : BOB("1e-9"));
  const double inertia = is_natural ? 1e-5 : 1e-9, g = 9.81, k = 2 * g / (1 + inertia);
  const double cosine = (22 + k * cos(1.4)) / (g + k), speed = sqrt(k * (cosine - cos(1.4)));
  for (int n = 1; n <= 20; n++) advance_to(&m, 0.05 * n); // rows inside steps too
  const double x = switched_value(&m, "body.bob.velocity.x"),
               z = switched_value(&m, "body.bob.velocity.z");
  check_near(x, -speed * cosine, 1e-7);
  check_near(0.5 * (x * x + z * z) + g * switched_value(&m, "body.bob.position.z"),
             0.5 * speed * speed - g * cosine, 1e-7);
  check_at_most(switched_value(&m, "constraint.acceleration"), 1e-9);
  finish_with(&m);
}

// Two disks at rest, a motor on one: the lock that joins them at 10 rad/s adds a constraint, which
// says nothing about the start. Joined they follow w' = (3 - 0.4 w)/0.7 from 10 * 0.2/0.7.
static void lock_after_the_start_is_no_singular_start(void **state) {
  (void)state;
  switched m = load_text(
      "bodies: {one: {mass: 1, inertia: [1, 1, 0.2]}, two: {mass: 1, position: [0, 0, 1], inertia: "
      "[1, 1, 0.5]}}\n"
      "joints:\n"
      "  a: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: z}\n"
      "  b: {type: revolute, bodies: [ground, two], at: [0, 0, 1], axis: z}\n"
      "  lock: {type: coupler, terms: [{joint: a, coefficient: 1}, {joint: b, coefficient: -1}],\n"
      "         starts: joint.a.angle_rate > 10, ends: time > 2}\n"
      "forces:\n"
      "  motor: {type: torque, joint: a, torque: 3}\n"
      "  drag: {type: rotational-spring-damper, joint: b, damping: 0.4}\n"
      "simulation: {time: 3}\n");
  advance_to(&m, 1.9);
  const double joined = 7.5 + (10 * 0.2 / 0.7 - 7.5) * exp(-0.4 / 0.7 * (1.9 - 2.0 / 3));
  check_near(switched_value(&m, "joint.a.angle_rate"), joined, 1e-9);
  advance_to(&m, 3);
  assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
  finish_with(&m);
}

// A wheel that is braked at once between 1 and 2 s, then turned by a spring that is there from 3 s on.
static void lock_and_force_act_while_their_condition_holds(void **state) {
  (void)state;
  switched m =
      load_text("bodies:\n"
                "  wheel: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 2],\n"
                "          initial: {angular_velocity: [0, 0, 1]}}\n"
                "joints:\n"
                "  hub: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0], axis: z}\n"
                "  lock: {type: coupler, terms: [{joint: hub, coefficient: 1}], when: time > 1 and "
                "time < 2}\n"
                "forces:\n"
                "  spring: {type: joint-spring-damper, joint: hub, stiffness: 2, when: time > 3}\n"
                "simulation: {time: 4}\n");
  advance_to(&m, 2.5);
  check_near(switched_value(&m, "joint.hub.angle"), 1, 1e-10);
  check_near(switched_value(&m, "joint.hub.angle_rate"), 0, 1e-11);
  advance_to(&m, 4);
  check_near(switched_value(&m, "joint.hub.angle"), cos(1), 1e-9); // k = I
  check_at_most(hn_simulation_certificate(m.simulation).energy_balance, 1e-9);
  finish_with(&m);
}

// A given step in a model without contact: rest until 0.503 s, then a spring with k = m.
static void given_step_runs_without_contacts(void **state) {
  (void)state;
  switched m =
      load_text("bodies: {cart: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                "joints:\n"
                "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
                "forces:\n"
                "  spring: {type: joint-spring-damper, joint: rail, stiffness: 1, preload: 1,\n"
                "           when: time > 0.503}\n"
                "simulation: {time: 1, step: 0.01}\n");
  advance_to(&m, 1);
  check_near(fabs(switched_value(&m, "joint.rail.displacement")), 1 - cos(0.497), 1e-10);
  finish_with(&m);
}

// A mass that hangs loads its string with 9.81 N from the start: a string that ends below 5 N stays,
// one that ends above 5 N is gone at once. The output stands between the condition and the signal.
static void forces_are_known_when_conditions_are_first_judged(void **state) {
  (void)state;
  const char *const ends[] = {"ends: load < 5", "ends: load > 5", "when: load > 5",
                              "ends: body.m.acceleration.z < -5"};
  const double z[] = {-1, -1 - 9.81 / 8, -1, -1};
  for (int k = 0; k < 4; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: {m: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, -1]}}\n"
             "joints:\n"
             "  s: {type: distance, bodies: [ground, m], points: [[0, 0, 0], [0, 0, -1]], %s}\n"
             "outputs: {load: abs(joint.s.reaction.force.z)}\n"
             "simulation: {time: 0.5}\n",
             ends[k]);
    switched m = load_text(text);
    advance_to(&m, 0.5);
    check_near(switched_value(&m, "body.m.position.z"), z[k], 1e-9);
    check_at_most(hn_simulation_certificate(m.simulation).energy_balance, 1e-9);
    finish_with(&m);
  }
}

static void driver_acts_from_where_it_finds_the_joint(void **state) {
  (void)state;
  switched m =
      load_text("bodies:\n"
                "  wheel: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}\n"
                "joints:\n"
                "  hub: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0], axis: z}\n"
                "drivers:\n"
                "  motor: {joint: hub, motion: 2*t, when: time > 1}\n"
                "simulation: {time: 2}\n");
  advance_to(&m, 1.5);
  check_near(switched_value(&m, "joint.hub.angle"), 1, 1e-10);
  check_near(switched_value(&m, "joint.hub.angle_rate"), 2, 1e-12);
  check_at_most(hn_simulation_certificate(m.simulation).energy_balance, 1e-10);
  finish_with(&m);
}

// The condition is false as soon as the force acts.
static void condition_that_undoes_itself_is_told(void **state) {
  (void)state;
  switched m =
      load_text("bodies:\n"
                "  mass: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}\n"
                "joints:\n"
                "  rail: {type: translational, bodies: [ground, mass], at: [0, 0, 0], axis: x}\n"
                "forces:\n"
                "  push: {type: point-force, body: mass, at: [0, 0, 0], force: [1, 0, 0],\n"
                "         when: body.mass.acceleration.x < 0.5 and time > 0.1}\n"
                "simulation: {time: 1}\n");
  assert_int_equal(hn_simulation_advance(m.simulation, 1), HN_ERROR_STEP_SIZE);
  finish_with(&m);
}

// At the start, and when the stop becomes active: 0.1 s of free fall are 0.049 m.
static void rigid_stop_does_not_begin_beyond_its_end(void **state) {
  (void)state;
  const char *const stops[] = {"lower: 0.5", "upper: -0.5", "lower: -0.01, starts: time > 0.1",
                               "lower: -0.1, starts: time > 0.1"};
  const char *const told[] = {"'rail' 0 0.5", "-0.5", "-0.04905", NULL};
  for (int k = 0; k < 4; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {rail: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: z}}\n"
             "forces: {stop: {type: joint-stop, joint: rail, %s}}\n"
             "simulation: {time: 1}\n",
             stops[k]);
    switched m = {0};
    hn_error error = {0};
    check_ok(hn_model_load_text(text, strlen(text), "test.yaml", NULL, &m.model, &error));
    hn_status status = hn_simulation_create(m.model, NULL, &m.simulation, &error);
    assert_int_equal(status, k < 2 ? HN_ERROR_MODEL : HN_OK);
    if (status == HN_OK) {
      status = hn_simulation_advance(m.simulation, 1);
      error = *hn_simulation_error(m.simulation);
    }
    assert_int_equal(status, told[k] ? HN_ERROR_MODEL : HN_OK);
    if (told[k]) check_names(error.message, told[k]);
    if (told[k]) assert_string_equal(error.element, "force 'stop'");
    finish_with(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joint_that_closes_is_a_plastic_impact),
      cmocka_unit_test(string_that_breaks_lets_the_stone_fly),
      cmocka_unit_test(pin_of_a_light_bob_breaks),
      cmocka_unit_test(lock_after_the_start_is_no_singular_start),
      cmocka_unit_test(lock_and_force_act_while_their_condition_holds),
      cmocka_unit_test(given_step_runs_without_contacts),
      cmocka_unit_test(forces_are_known_when_conditions_are_first_judged),
      cmocka_unit_test(driver_acts_from_where_it_finds_the_joint),
      cmocka_unit_test(rigid_stop_does_not_begin_beyond_its_end),
      cmocka_unit_test(condition_that_undoes_itself_is_told),
  };
  return run_in_sets(tests, sizeof tests / sizeof tests[0]);
}
