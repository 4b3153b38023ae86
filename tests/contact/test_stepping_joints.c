// Time stepping of models with joints, in relative and in Cartesian coordinates: against exact
// motions, event-driven runs, and each other as the step goes to zero.
#include <stdio.h>

#include "contact/contact_machine.h"

static const char *const sets[] = {"cartesian", "relative"};
enum { CARTESIAN, RELATIVE };

// set: of `sets`; -1: event-driven.
static contact_machine load(const char *text, int set, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-9;
  if (set >= 0) {
    options.coordinates = sets[set];
    options.step = step;
  }
  return machine_with_options(text, &options);
}

static double value_after(const char *text, int set, double step, double time, const char *signal) {
  contact_machine m = load(text, set, step);
  advance(&m, time);
  const double value = value_of(&m, signal);
  finish(&m);
  return value;
}

// A walker of a trunk, two legs with knees, a motor and a spring each, falls on its feet.
static const char walker[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}}}\n"
    "  trunk: {mass: 4, position: [0, 0, 1.02], inertia: [0.05, 0.05, 0.03],\n"
    "          initial: {velocity: [0.3, 0.1, 0], angular_velocity: [0.2, 0.1, 0]}}\n"
    "  thigh{i}: {repeat: {i: [1, 2]}, mass: 1, position: [0, 0.2*i - 0.3, 0.8],\n"
    "             inertia: [0.01, 0.01, 0.002]}\n"
    "  shin{i}: {repeat: {i: [1, 2]}, mass: 0.5, position: [0.02, 0.2*i - 0.3, 0.4],\n"
    "            inertia: [0.01, 0.01, 0.001], shape: {sphere: 0.06, at: [0.05, 0.2*i - 0.3, "
    "0.2]}}\n"
    "joints:\n"
    "  hip{i}: {repeat: {i: [1, 2]}, type: spherical, bodies: [trunk, \"thigh{i}\"],\n"
    "           at: [0, 0.2*i - 0.3, 1]}\n"
    "  knee{i}: {repeat: {i: [1, 2]}, type: revolute, bodies: [\"thigh{i}\", \"shin{i}\"],\n"
    "            at: [0, 0.2*i - 0.3, 0.6], axis: y, armature: {angle: 0.02}}\n"
    "forces:\n"
    "  knee{i}: {repeat: {i: [1, 2]}, type: joint-spring-damper, joint: \"knee{i}\",\n"
    "            stiffness: 30, damping: 1}\n"
    "contacts:\n"
    "  foot{i}: {repeat: {i: [1, 2]}, bodies: [ground, \"shin{i}\"], friction: 0.6}\n";

static void sets_agree_as_the_step_goes_to_zero(void **state) {
  (void)state;
  double off[2];
  for (int k = 0; k < 2; k++) {
    const double step = k == 0 ? 1e-3 : 1.25e-4;
    double z[2], x[2];
    for (int set = 0; set < 2; set++) {
      z[set] = value_after(walker, set, step, 0.6, "body.trunk.position.z");
      x[set] = value_after(walker, set, step, 0.6, "body.shin1.position.x");
    }
    off[k] = fmax(fabs(z[0] - z[1]), fabs(x[0] - x[1]));
  }
  check_at_most(off[0], 5e-3);
  check_at_most(off[1], 0.25 * off[0]);
}

// A rod that falls from the horizontal onto a stop below: before and after by energy.
static const char stopped[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  rod: {mass: 1, center: [0.5, 0, 0], inertia: [1e-3, 1/12, 1/12]}\n"
    "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n"
    "forces:\n"
    "  end: {type: joint-stop, joint: pin, upper: 0.5, lower: -3, restitution: %s}\n";

static void rigid_stops_hold_and_return(void **state) {
  (void)state;
  char text[1024];
  for (int set = 0; set < 2; set++) {
    snprintf(text, sizeof text, stopped, "0");
    contact_machine m = load(text, set, 1e-3);
    advance(&m, 1);
    check_near(value_of(&m, "joint.pin.angle"), 0.5, 1e-6);
    check_near(value_of(&m, "joint.pin.angle_rate"), 0, 1e-9);
    // the stop bears the moment of the weight
    check_near(fabs(value_of(&m, "force.end.value")), GRAVITY * 0.5 * cos(0.5), 1e-4);
    finish(&m);
    snprintf(text, sizeof text, stopped, "0.5");
    const double exact = value_after(text, -1, 0, 0.7, "joint.pin.angle");
    const double coarse = value_after(text, set, 1e-3, 0.7, "joint.pin.angle");
    const double fine = value_after(text, set, 1e-4, 0.7, "joint.pin.angle");
    check_near(coarse, exact, 1e-2);
    check_near(fine, exact, 2e-3);
  }
}

// A slider at 2 m/s with dry friction of 5 N and 1 kg: at rest after 0.4 s and 0.4 m, for ever.
static const char sliding[] =
    "bodies: {slider: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints: {rail: {type: translational, bodies: [ground, slider], at: [0, 0, 0], axis: x,\n"
    "                initial: {displacement_rate: 2}}}\n"
    "forces:\n"
    "  rub: {type: joint-friction, joint: rail, force: 5, static_force: 6, transition: 0}\n"
    "  pull: {type: point-force, body: slider, at: [0, 0, 0],\n"
    "         force: [\"5.5*step(t, 1, 0, 1.01, 1) + 2*step(t, 2, 0, 2.01, 1)\", 0, 0]}\n";

static void dry_friction_stops_and_holds(void **state) {
  (void)state;
  for (int set = 0; set < 2; set++) {
    contact_machine m = load(sliding, set, 1e-3);
    advance(&m, 0.9);
    check_near(value_of(&m, "joint.rail.displacement"), 0.4, 2e-3);
    const double there = value_of(&m, "joint.rail.displacement");
    advance(&m, 2); // below what sticking holds
    check_near(value_of(&m, "joint.rail.displacement"), there, 1e-12);
    advance(&m, 3); // 6 N break it loose at 0.3264 of the ramp; then 5 N act, 2.5 m/s^2 at the end
    check_near(value_of(&m, "joint.rail.displacement_rate"), 2.48779, 2e-3);
    finish(&m);
  }
}

// A four-bar in a plane, with redundant constraints in space; its coupler lands on the ground.
static const char loop[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}, at: [0, 0, -0.55]}}\n"
    "  left: {mass: 1, center: [-0.2, 0, 0.2], inertia: [0.02, 0.02, 0.01]}\n"
    "  middle: {mass: 1, center: [0, 0, 0.4], inertia: [0.02, 0.02, 0.01],\n"
    "           shape: {sphere: 0.05, at: [0, 0, 0.4]}}\n"
    "  right: {mass: 1, center: [0.6, 0, 0.2], inertia: [0.02, 0.02, 0.01]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, left], at: [0, 0, 0], axis: y,\n"
    "      initial: {angle_rate: 1}}\n"
    "  b: {type: revolute, bodies: [left, middle], at: [-0.4, 0, 0.4], axis: y}\n"
    "  c: {type: revolute, bodies: [middle, right], at: [0.4, 0, 0.4], axis: y}\n"
    "  d: {type: revolute, bodies: [ground, right], at: [0.8, 0, 0], axis: y}\n"
    "contacts: {floor: {bodies: [ground, middle], friction: 0.2}}\n";

static void loops_stay_closed_under_contact(void **state) {
  (void)state;
  double angle[2];
  for (int set = 0; set < 2; set++) {
    contact_machine m = load(loop, set, 2.5e-4);
    advance(&m, 1.5);
    angle[set] = value_of(&m, "joint.a.angle");
    const hn_certificate c = hn_simulation_certificate(m.simulation);
    check_at_most(c.constraint_position, 1e-9);
    check_at_most(c.penetration, 1e-3);
    finish(&m);
  }
  check_near(angle[RELATIVE], angle[CARTESIAN], 5e-3);
}

// A servo of stiffness 1e6 and a damper of 1e4 N m s on light links with a step of 5 ms.
static const char stiff[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}, at: [0, 0, -3]}}\n"
    "  upper: {mass: 0.1, center: [0.1, 0, 0], inertia: [1e-4, 1e-4, 1e-4]}\n"
    "  lower: {mass: 0.1, center: [0.3, 0, 0], inertia: [1e-4, 1e-4, 1e-4], shape: {sphere: "
    "0.01}}\n"
    "joints:\n"
    "  shoulder: {type: revolute, bodies: [ground, upper], at: [0, 0, 0], axis: y,\n"
    "             initial: {angle: 0.3}}\n"
    "  elbow: {type: revolute, bodies: [upper, lower], at: [0.2, 0, 0], axis: y,\n"
    "          initial: {angle: -0.2}}\n"
    "forces:\n"
    "  shoulder: {type: joint-spring-damper, joint: shoulder, law: 1e6*x + 1e3*v}\n"
    "  elbow: {type: joint-spring-damper, joint: elbow, stiffness: 1e6, damping: 1e4}\n"
    "contacts: {floor: {bodies: [ground, lower]}}\n";

static void stiff_servos_are_stable_at_long_steps(void **state) {
  (void)state;
  contact_machine m = load(stiff, RELATIVE, 5e-3);
  advance(&m, 2);
  check_near(value_of(&m, "joint.shoulder.angle"), 0, 1e-5);
  check_near(value_of(&m, "joint.elbow.angle"), 0, 1e-5);
  check_near(value_of(&m, "joint.elbow.angle_rate"), 0, 1e-6);
  finish(&m);
}

// A thin rod between two ball joints closes a loop: it turns about itself almost without inertia,
// and the damping there is 50 times what an explicit step bears. The rocker has a contact far below.
static const char rod[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}, at: [0, 0, -3]}}\n"
    "  crank: {mass: 1, center: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "  rocker: {mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.01, 0.01],\n"
    "           shape: {sphere: 0.02, at: [0.7, 0, 0]}}\n"
    "  rod: {mass: 0.05, center: [0.25, 0.05, 0.2], inertia: [4e-7, 4e-4, 4e-4],\n"
    "        orientation: {x: [0.3, 0.1, 0.1], z: [-0.1, 0, 0.3]}}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y,\n"
    "      initial: {angle_rate: 3}}\n"
    "  b: {type: revolute, bodies: [ground, rocker], at: [0.3, 0, 0], axis: [0.1, 1, 0]}\n"
    "  c: {type: spherical, bodies: [crank, rod], at: [0.1, 0, 0.15]}\n"
    "  d: {type: spherical, bodies: [rocker, rod], at: [0.4, 0.1, 0.25]}\n"
    "forces:\n"
    "  c: {type: ball-spring-damper, bodies: [crank, rod], damping: 0.01}\n"
    "contacts: {floor: {bodies: [ground, rocker]}}\n";

static void damping_of_a_thin_rod_in_a_loop_is_implicit(void **state) {
  (void)state;
  const double exact = value_after(rod, -1, 0, 0.5, "joint.a.angle");
  double off[2];
  for (int k = 0; k < 2; k++) {
    contact_machine m = load(rod, RELATIVE, k == 0 ? 5e-3 : 1e-3);
    advance(&m, 0.5);
    off[k] = fabs(value_of(&m, "joint.a.angle") - exact);
    check_at_most(hn_simulation_certificate(m.simulation).constraint_position, 1e-9);
    finish(&m);
  }
  check_at_most(off[0], 0.02);
  check_at_most(off[1], 0.3 * off[0]);
}

// An arm at rest 1 mm in front of a wall is hit by another at 10 m/s: within one step it may not
// pass the wall, though nothing moved it there when the contacts were listed.
static const char pushed[] =
    "bodies:\n"
    "  ground: {shape: {plane: {}, at: [0.101, 0, 0], orientation: {z: -x, x: z}}}\n"
    "  arm: {mass: 1, center: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1],\n"
    "        shape: {sphere: 0.1, at: [0, 0, -1]}}\n"
    "  hammer: {mass: 5, center: [-0.5, 0, -0.5], inertia: [0.5, 0.5, 0.5],\n"
    "           shape: {sphere: 0.1, at: [-0.5, 0, -1]}}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: y}\n"
    "  b: {type: revolute, bodies: [ground, hammer], at: [-0.5, 0, 0], axis: y,\n"
    "      initial: {angle_rate: -10}}\n"
    "contacts:\n"
    "  wall: {bodies: [ground, arm]}\n"
    "  hit: {bodies: [arm, hammer]}\n";

static void what_is_pushed_within_a_step_stops_at_the_wall(void **state) {
  (void)state;
  contact_machine m = load(pushed, RELATIVE, 5e-3);
  advance(&m, 0.1);
  check_at_most(hn_simulation_certificate(m.simulation).penetration, 2e-4);
  finish(&m);
}

// A motor with a time constant of 0.1 s pushes 2 kg with 6 N from rest, and a sampled controller counts.
// With a stop far away the run is time-stepped.
static const char driven[] =
    "bodies: {slider: {mass: 2, inertia: [1, 1, 1]}}\n"
    "joints: {rail: {type: translational, bodies: [ground, slider], at: [0, 0, 0], axis: x}}\n"
    "states:\n"
    "  force: {rate: (6 - state.force)/0.1}\n"
    "  ticks: {every: 0.1, value: state.ticks + 1}\n"
    "forces:\n"
    "  push: {type: joint-spring-damper, joint: rail, law: -state.force}\n"
    "  end: {type: joint-stop, joint: rail, upper: 100, restitution: 0}\n";

static void states_of_controllers_move_on(void **state) {
  (void)state;
  const double lag = 1 - 0.1 * (1 - exp(-10.0)); // integral of 1 - exp(-t/0.1) over 1 s
  for (int set = 0; set < 2; set++) {
    double off[2];
    for (int k = 0; k < 2; k++) {
      contact_machine m = load(driven, set, k == 0 ? 1e-2 : 2.5e-3);
      advance(&m, 1);
      off[k] = fabs(value_of(&m, "joint.rail.displacement_rate") - 3 * lag);
      check_near(value_of(&m, "state.ticks"), 11, 1.001); // at 0 and at 1, or not
      finish(&m);
    }
    check_at_most(off[0], 1e-2);
    check_at_most(off[1], 0.3 * off[0]);
  }
}

// A block of 1 kg is pulled with 3.5 N, less than 0.4 g, then with 4.2 N, more: it sticks, then slides
// against 0.3 g.
static const char pulled[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}}}\n"
    "  block: {mass: 1, position: [0, 0, 0.1], inertia: [0.01, 0.01, 0.01],\n"
    "          shape: {box: [0.4, 0.4, 0.2]}}\n"
    "forces:\n"
    "  pull: {type: point-force, body: block, at: [0, 0, 0],\n"
    "         force: [\"3.5 + 0.7*step(t, 1, 0, 1.01, 1)\", 0, 0]}\n"
    "contacts: {floor: {bodies: [ground, block], friction: 0.3, static_friction: 0.4}}\n";

static void static_friction_holds_until_it_breaks(void **state) {
  (void)state;
  for (int set = 0; set < 2; set++) {
    contact_machine m = load(pulled, set, 1e-3);
    advance(&m, 1);
    check_near(motion_of(&m, 1).velocity.x, 0, 1e-6);
    advance(&m, 2);
    check_near(motion_of(&m, 1).velocity.x, (4.2 - 0.3 * GRAVITY) * 0.993, 2e-2);
    finish(&m);
  }
}

// Two discs, and a wheel without inertia that turns by the sum of their angles: s'' = (1 + 1/2) torque.
static const char tendon[] =
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1]}\n"
    "  b: {mass: 1, inertia: [1, 1, 2]}\n"
    "  wheel: {mass: 0, inertia: [0.001, 0.001, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z, initial: {angle_rate: 1}}\n"
    "  b: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: z, initial: {angle_rate: 0}}\n"
    "  wheel: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0], axis: z}\n"
    "%s"
    "forces:\n"
    "  stop: {type: joint-stop, joint: a, upper: 50, lower: -50}\n"
    "  pull: {type: joint-spring-damper, joint: %s}\n";
static const char sum[] =
    "  sum: {type: coupler, terms: [{joint: wheel, coefficient: 1}, {joint: a, coefficient: -1},\n"
    "        {joint: b, coefficient: -1}]}\n";

static void wheels_without_inertia_carry_tendons(void **state) {
  (void)state;
  char text[2048];
  for (int set = 0; set < 2; set++) {
    snprintf(text, sizeof text, tendon, sum, "wheel, law: \"-1.5\"");
    check_near(value_after(text, set, 1e-3, 0.5, "joint.wheel.angle"), 0.78125, 1e-6);
    snprintf(text, sizeof text, tendon, sum, "wheel, stiffness: 100");
    const double rate = sqrt(150);
    check_near(value_after(text, set, 1e-3, 0.5, "joint.wheel.angle"), sin(0.5 * rate) / rate,
               set == RELATIVE ? 1e-5 : 1e-3);
  }
}

static void a_wheel_without_inertia_is_named(void **state) {
  (void)state;
  char text[2048];
  snprintf(text, sizeof text, tendon, "", "a, stiffness: 100");
  contact_machine m = load(text, RELATIVE, 1e-3);
  assert_int_equal(hn_simulation_advance(m.simulation, 0.1), HN_ERROR_SINGULAR);
  assert_string_equal(hn_simulation_error(m.simulation)->element, "body 'wheel'");
  finish(&m);
}

// Accelerations are those of the step, even if they were not read at its end.
static void accelerations_inside_a_step_are_those_of_the_step(void **state) {
  (void)state;
  contact_machine m = {0};
  hn_error error = {0};
  const char *text =
      "bodies: {cart: {mass: 2, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}}\n"
      "forces: {push: {type: point-force, body: cart, at: [0, 0, 0], force: ['6*time', 0, 0]}}\n";
  check_ok(hn_model_load_text(text, strlen(text), "test.yaml", NULL, &m.model, &error));
  hn_simulation_options options = hn_default_simulation_options();
  options.method = "time-stepping";
  options.coordinates = "relative";
  options.step = 0.01;
  check_ok(hn_simulation_create(m.model, &options, &m.simulation, &error));
  double inside = 0;
  for (int k = 0; k < 5; k++) check_ok(hn_simulation_step(m.simulation, 1));
  check_ok(hn_simulation_look_at(m.simulation, hn_simulation_time(m.simulation) - 0.005));
  check_ok(hn_simulation_value(m.simulation, "body.cart.acceleration.x", &inside));
  check_near(inside, 3 * (hn_simulation_time(m.simulation) - 0.005), 3 * 0.005 + 1e-12);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_agree_as_the_step_goes_to_zero),
      cmocka_unit_test(rigid_stops_hold_and_return),
      cmocka_unit_test(dry_friction_stops_and_holds),
      cmocka_unit_test(loops_stay_closed_under_contact),
      cmocka_unit_test(stiff_servos_are_stable_at_long_steps),
      cmocka_unit_test(damping_of_a_thin_rod_in_a_loop_is_implicit),
      cmocka_unit_test(states_of_controllers_move_on),
      cmocka_unit_test(static_friction_holds_until_it_breaks),
      cmocka_unit_test(wheels_without_inertia_carry_tendons),
      cmocka_unit_test(a_wheel_without_inertia_is_named),
      cmocka_unit_test(what_is_pushed_within_a_step_stops_at_the_wall),
      cmocka_unit_test(accelerations_inside_a_step_are_those_of_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
