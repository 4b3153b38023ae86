// Contacts that give way within a time step: against exact solutions of the oscillators that they are,
// of friction, and of rigid contact, at small and at large steps.
#include <stdio.h>

#include "contact/contact_machine.h"
#include "holon/load.h"

static const char *const sets[] = {"cartesian", "relative"};

static contact_machine load(const char *text, int set, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = sets[set];
  options.step = step;
  return machine_with_options(text, &options);
}

// A ball of 2 kg and a floor; the keys of the contact.
static const char ball[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}}}\n"
    "  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, %g],\n"
    "         shape: {sphere: 0.1}, initial: {velocity: [%g, 0, %g]}}\n"
    "contacts: {floor: {bodies: [ground, ball], law: soft, %s}}\n";

static contact_machine drop(const char *keys, double x_rate, double z, double z_rate, int set,
                            double step) {
  char text[1024];
  snprintf(text, sizeof text, ball, z, x_rate, z_rate, keys);
  return load(text, set, step);
}

static void weight_sinks_by_the_compliance(void **state) {
  (void)state;
  const double steps[] = {1e-2, 1e-3};
  for (int set = 0; set < 2; set++)
    for (int k = 0; k < 2; k++) {
      contact_machine m =
          drop("compliance: 1e-4, damping: 150, friction: 0.5", 0, 0.1, 0, set, steps[k]);
      advance(&m, 5);
      const double sunk = 0.1 - value_of(&m, "body.ball.position.z");
      check_relative(sunk, 2 * GRAVITY * 1e-4, 1e-9);
      finish(&m);
    }
}

// m y'' + D y' + y / C = -m g below the surface, from the contact at the velocity -v.
static double depth_at(double t, double v) {
  const double m = 2, c = 1e-4, d = 20, decay = d / (2 * m), w = sqrt(1 / (m * c) - decay * decay);
  const double rest = -m * GRAVITY * c, a = -rest, b = (decay * a - v) / w;
  return rest + exp(-decay * t) * (a * cos(w * t) + b * sin(w * t));
}

static void light_bounce_is_of_second_order(void **state) {
  (void)state;
  const double time = 0.02, exact = depth_at(time, 1); // before it leaves the floor
  for (int set = 0; set < 2; set++) {
    double off[2];
    for (int k = 0; k < 2; k++) {
      contact_machine m =
          drop("compliance: 1e-4, damping: 20", 0, 0.1, -1, set, k == 0 ? 1e-3 : 2.5e-4);
      advance(&m, time);
      off[k] = fabs(value_of(&m, "body.ball.position.z") - 0.1 - exact);
      finish(&m);
    }
    check_at_most(off[0], 5e-5);
    check_at_most(off[1], 0.08 * off[0]);
  }
}

// With the event-driven force law of the same numbers, after it has left the floor.
static void bounces_converge_to_those_of_the_force_law(void **state) {
  (void)state;
  static const char exact_text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}}}\n"
      "  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.2], shape: {sphere: "
      "0.1}}\n"
      "contacts: {floor: {bodies: [ground, ball], law: linear, stiffness: 1e4, damping: 20}}\n";
  contact_machine m = machine_of_text(exact_text, 0, 1e-10);
  advance(&m, 0.4);
  const double exact = value_of(&m, "body.ball.position.z");
  finish(&m);
  double off[2];
  for (int k = 0; k < 2; k++) {
    m = drop("compliance: 1e-4, damping: 20", 0, 0.2, 0, 0, k == 0 ? 1e-3 : 1e-4);
    advance(&m, 0.4);
    off[k] = fabs(value_of(&m, "body.ball.position.z") - exact);
    finish(&m);
  }
  check_at_most(off[0], 2e-3);
  check_at_most(off[1], 0.2 * off[0]);
}

// y'' = -(1 - d) g - d (b y' + k y): the same for every mass, and for every step at rest; critically
// damped.
static void time_constant_is_relative_to_the_inertia(void **state) {
  (void)state;
  const double d = 0.8, constant = 0.05;
  const double b = 2 / (d * constant), k = 1 / (d * constant * constant);
  const double rest = -(1 - d) * GRAVITY / (d * k);
  for (int set = 0; set < 2; set++) {
    contact_machine m = drop("time_constant: 0.05, impedance: [0.8, 0.8]", 0, 0.1, 0, set, 5e-3);
    advance(&m, 4);
    check_relative(value_of(&m, "body.ball.position.z") - 0.1, rest, 1e-9);
    finish(&m);
    m = drop("time_constant: 0.05, impedance: [0.8, 0.8]", 0, 0.1, -0.5, set, 1e-4);
    advance(&m, 0.03);
    const double decay = d * b / 2, t = 0.03, x = -rest; // d k = decay^2: critically damped
    const double exact = rest + exp(-decay * t) * (x + (decay * x - 0.5) * t);
    check_near(value_of(&m, "body.ball.position.z") - 0.1, exact, 1e-5);
    finish(&m);
  }
}

// A ball falls, bounces and rests, and a box falls on an edge, in MuJoCo 2.2.2 (cone elliptic), as its
// step goes to zero; default solref and solimp of the floor and box; the ball has solref 0.05 0.7, of
// which half counts.
static void motion_is_that_of_mujoco(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}}}\n"
      "  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.2], shape: {sphere: "
      "0.1}}\n"
      "  box: {mass: 3, inertia: [0.0425, 0.0125, 0.05], position: [1, 0, 0.3],\n"
      "        orientation: {axis: [0.16773, 0.25489, 0.04494], angle: 35.96 deg},\n"
      "        shape: {box: [0.2, 0.4, 0.1]}}\n"
      "contacts:\n"
      "  ball: {bodies: [ground, ball], law: soft, time_constant: 0.035, damping_ratio: 0.85,\n"
      "         friction: 0.5}\n"
      "  box: {bodies: [ground, box], law: soft, time_constant: 0.02, friction: 1}\n";
  static const double expected[][2] = {{0.15, 0.091782}, {0.2, 0.086629}};
  for (int set = 0; set < 2; set++) {
    contact_machine m = load(text, set, 1e-4);
    for (int k = 0; k < 2; k++) {
      advance(&m, expected[k][0]);
      check_near(value_of(&m, "body.ball.position.z"), expected[k][1], 8e-5);
    }
    advance(&m, 1);
    check_near(value_of(&m, "body.ball.position.z"), 0.0994039, 1e-7);
    check_near(value_of(&m, "body.box.position.z"), 0.0498922, 1e-7); // at rest
    finish(&m);
  }
}

static void stiff_floors_are_stable_at_large_steps(void **state) {
  (void)state;
  static const char *const keys[] = {"compliance: 1e-12", "compliance: 1e-9, damping: 1e6",
                                     "time_constant: 1e-5",
                                     "time_constant: 1e-3, damping_ratio: 0.01"};
  for (int set = 0; set < 2; set++)
    for (int k = 0; k < 4; k++) {
      contact_machine m = drop(keys[k], 0, 0.5, 0, set, 0.02);
      double highest = 0;
      advance(&m, 0.4);
      for (double t = 0.42; t < 3; t += 0.02) {
        advance(&m, t);
        highest = fmax(highest, value_of(&m, "body.ball.position.z"));
      }
      check_at_most(highest, 0.5);
      advance(&m, 20);
      check_near(value_of(&m, "body.ball.position.z"), 0.1, 1e-4);
      finish(&m);
    }
}

// A box slides and stops after v / (mu g); its four corners carry a quarter of the weight each.
static void friction_is_of_the_cone(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}}}\n"
      "  box: {mass: 3, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.049264],\n"
      "        shape: {box: [0.4, 0.4, 0.1]}, initial: {velocity: [1, 0, 0]}}\n"
      "contacts: {floor: {bodies: [ground, box], law: soft, compliance: 1e-4, damping: 100,\n"
      "                   friction: 0.4}}\n";
  for (int set = 0; set < 2; set++) {
    contact_machine m = load(text, set, 1e-3);
    advance(&m, 3);
    check_near(value_of(&m, "body.box.position.z"), 0.05 - 0.25 * 3 * GRAVITY * 1e-4, 1e-9);
    check_near(value_of(&m, "body.box.position.x"), 1 / (2 * 0.4 * GRAVITY), 2e-3);
    check_near(value_of(&m, "body.box.velocity.x"), 0, 1e-9);
    finish(&m);
  }
}

// Ten balls on one another: each sinks by the weight above it. Free bodies have a solver of their own.
static void a_column_carries_its_weight(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}, group: floor}}\n"
      "  ball{i}: {repeat: {i: [1, 10]}, mass: 1, inertia: [0.004, 0.004, 0.004],\n"
      "            position: [0, 0, \"0.2*i - 0.1\"], shape: {sphere: 0.1, group: balls}}\n"
      "contacts:\n"
      "  floor: {groups: [floor, balls], law: soft, compliance: 1e-5, damping: 300}\n"
      "  balls: {groups: [balls], law: soft, compliance: 1e-5, damping: 300}\n";
  for (int set = 0; set < 2; set++) {
    contact_machine m = load(text, set, 2e-3);
    advance(&m, 10);
    double sunk = 0;
    for (int i = 1; i <= 10; i++) {
      char name[64];
      snprintf(name, sizeof name, "body.ball%d.position.z", i);
      sunk += (11 - i) * GRAVITY * 1e-5;
      check_near(value_of(&m, name), 0.2 * i - 0.1 - sunk, 1e-8);
    }
    finish(&m);
  }
}

// A slider falls on a stop below it: the same law as that of a point, for every mass.
static void stops_give_way(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {slider: {mass: 3, inertia: [1, 1, 1]}}\n"
      "joints: {rail: {type: translational, bodies: [ground, slider], at: [0, 0, 0], axis: z,\n"
      "                initial: {displacement_rate: -0.5}}}\n"
      "forces: {end: {type: joint-stop, joint: rail, lower: 0, upper: 2, time_constant: 0.05,\n"
      "               impedance: [0.8, 0.8]}}\n";
  const double d = 0.8, rest = -(1 - d) * GRAVITY * 0.05 * 0.05, decay = 20, t = 0.03;
  const double exact = rest + exp(-decay * t) * (-rest + (decay * -rest - 0.5) * t);
  for (int set = 0; set < 2; set++) {
    contact_machine m = load(text, set, 1e-4);
    advance(&m, t);
    check_near(value_of(&m, "joint.rail.displacement"), exact, 1e-5);
    finish(&m);
    m = load(text, set, 5e-3);
    advance(&m, 4);
    check_relative(value_of(&m, "joint.rail.displacement"), rest, 1e-9);
    check_relative(fabs(value_of(&m, "force.end.value")), 3 * GRAVITY, 1e-6);
    const hn_certificate c = hn_simulation_certificate(m.simulation);
    check_at_most(c.energy_balance, 1e-9);
    finish(&m);
  }
  hn_model *model = NULL;
  hn_error error = {0};
  hn_simulation *simulation = NULL;
  check_ok(hn_model_load_text(text, strlen(text), "text.yaml", NULL, &model, &error));
  hn_simulation_options options = hn_default_simulation_options();
  options.method = "descriptor";
  assert_int_equal(hn_simulation_create(model, &options, &simulation, &error),
                   HN_ERROR_UNSUPPORTED);
  check_error_names(&error, "end");
  hn_model_free(model);
}

static void no_compliance_is_rigid(void **state) {
  (void)state;
  contact_machine m = drop("compliance: 0, friction: 0.2", 0.5, 0.15, 0, 0, 1e-3);
  assert_int_equal(hn_model_contact(m.model, 0)->law, HN_CONTACT_RIGID);
  finish(&m);
}

static void other_methods_name_the_contact(void **state) {
  (void)state;
  char text[1024];
  hn_model *model = NULL;
  hn_error error = {0};
  hn_simulation *simulation = NULL;
  snprintf(text, sizeof text, ball, 0.1, 0.0, 0.0, "compliance: 1e-4");
  check_ok(hn_model_load_text(text, strlen(text), "text.yaml", NULL, &model, &error));
  hn_simulation_options options = hn_default_simulation_options();
  options.method = "descriptor";
  assert_int_equal(hn_simulation_create(model, &options, &simulation, &error),
                   HN_ERROR_UNSUPPORTED);
  check_error_names(&error, "floor");
  check_error_names(&error, "time-stepping");
  options.method = "auto";
  check_ok(hn_simulation_create(model, &options, &simulation, &error));
  check_ok(hn_simulation_advance(simulation, 0.1));
  hn_simulation_free(simulation);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weight_sinks_by_the_compliance),
      cmocka_unit_test(light_bounce_is_of_second_order),
      cmocka_unit_test(bounces_converge_to_those_of_the_force_law),
      cmocka_unit_test(time_constant_is_relative_to_the_inertia),
      cmocka_unit_test(motion_is_that_of_mujoco),
      cmocka_unit_test(stiff_floors_are_stable_at_large_steps),
      cmocka_unit_test(friction_is_of_the_cone),
      cmocka_unit_test(a_column_carries_its_weight),
      cmocka_unit_test(stops_give_way),
      cmocka_unit_test(no_compliance_is_rigid),
      cmocka_unit_test(other_methods_name_the_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
