// Torsional and rolling friction of contact points: exact rates and distances of balls.
#include <stdio.h>

#include "contact/contact_machine.h"
#include "holon/load.h"

static const char *const sets[] = {"cartesian", "relative"};
#define MASS 2.0
#define RADIUS 0.1
#define INERTIA 0.008

static contact_machine load(const char *text, int set, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = sets[set];
  options.step = step;
  return machine_with_options(text, &options);
}

// A ball on a floor, with gravity inclined to x by the slope.
static contact_machine ball(const char *start, const char *keys, double slope, int set,
                            double step) {
  char text[1024];
  snprintf(text, sizeof text,
           "gravity: [%.17g, 0, %.17g]\n"
           "bodies:\n"
           "  ground: {shape: {plane: {}}}\n"
           "  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1],\n"
           "         shape: {sphere: 0.1}, initial: {%s}}\n"
           "contacts: {floor: {bodies: [ground, ball], %s}}\n",
           GRAVITY * sin(slope), -GRAVITY * cos(slope), start, keys);
  return load(text, set, step);
}

// I w' = -mu m g
static void a_spinning_ball_slows_at_the_exact_rate(void **state) {
  (void)state;
  static const char *const keys[] = {
      "friction: 0.5, torsional_friction: 0.004", "torsional_friction: 0.004",
      "friction: 0.5, torsional_friction: 0.004, rolling_friction: 0.001",
      "law: soft, compliance: 1e-6, damping: 1000, friction: 0.5, torsional_friction: 0.004"};
  const double rate = 0.004 * MASS * GRAVITY / INERTIA;
  for (int set = 0; set < 2; set++)
    for (int k = 0; k < 4; k++) {
      contact_machine m = ball("angular_velocity: [0, 0, 20]", keys[k], 0, set, 1e-3);
      advance(&m, 1);
      check_near(value_of(&m, "body.ball.angular_velocity.z"), 20 - rate, k == 3 ? 2e-2 : 1e-6);
      advance(&m, 3);
      check_near(value_of(&m, "body.ball.angular_velocity.z"), 0, 1e-9);
      check_near(value_of(&m, "body.ball.position.x"), 0, 1e-9);
      finish(&m);
    }
}

// (m + I/r^2) v' = -mu m g / r: it sticks and stops after v^2 / (2 |v'|).
static void a_rolling_ball_stops_at_the_exact_distance(void **state) {
  (void)state;
  const double slowing = 0.003 * MASS * GRAVITY / RADIUS / (MASS + INERTIA / (RADIUS * RADIUS));
  for (int set = 0; set < 2; set++) {
    contact_machine m = ball("velocity: [0.6, 0.8, 0], angular_velocity: [-8, 6, 0]",
                             "friction: 0.8, rolling_friction: 3 mm", 0, set, 1e-3);
    advance(&m, 8);
    const double x = value_of(&m, "body.ball.position.x"), y = value_of(&m, "body.ball.position.y");
    check_relative(sqrt(x * x + y * y), 1 / (2 * slowing), 1e-3);
    check_near(y / x, 4.0 / 3, 1e-6);
    check_near(value_of(&m, "body.ball.velocity.x"), 0, 1e-9);
    finish(&m);
  }
}

// It rests on a slope up to tan = mu / r, beyond it rolls.
static void rolling_friction_holds_on_a_slope(void **state) {
  (void)state;
  const double slope = 0.05;
  for (int set = 0; set < 2; set++) {
    contact_machine m =
        ball("velocity: [0, 0, 0]", "friction: 0.8, rolling_friction: 5.1 mm", slope, set, 1e-3);
    advance(&m, 2);
    check_near(value_of(&m, "body.ball.position.x"), 0, 1e-9);
    finish(&m);
    m = ball("velocity: [0, 0, 0]", "friction: 0.8, rolling_friction: 4 mm", slope, set, 1e-3);
    advance(&m, 2);
    const double force = MASS * GRAVITY * (sin(slope) - 0.004 / RADIUS * cos(slope));
    const double rate = force / (MASS + INERTIA / (RADIUS * RADIUS));
    check_relative(value_of(&m, "body.ball.velocity.x"), 2 * rate, 1e-6);
    finish(&m);
  }
}

// Two balls on a rod that turns about its middle: each is dragged by its own friction, and turns.
static void friction_of_bodies_with_joints_counts(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}}}\n"
      "  top: {mass: 1, inertia: [0.01, 0.01, 0.02], center: [0, 0, 0.1], shape: {sphere: 0.1}}\n"
      "joints:\n"
      "  up: {type: cylindrical, bodies: [ground, top], at: [0, 0, 0.1], axis: z,\n"
      "       initial: {angle_rate: 10}}\n"
      "contacts: {floor: {bodies: [ground, top], torsional_friction: 5 mm}}\n";
  for (int set = 0; set < 2; set++) {
    contact_machine m = load(text, set, 1e-3);
    advance(&m, 1);
    check_near(value_of(&m, "joint.up.angle_rate"), 10 - 0.005 * GRAVITY / 0.02, 1e-6);
    advance(&m, 6);
    check_near(value_of(&m, "joint.up.angle_rate"), 0, 1e-9);
    finish(&m);
  }
}

// More points than a dense problem takes: sparse rows.
static void many_balls_slow_down_alike(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}, group: floor}}\n"
      "  ball{i}: {repeat: {i: [1, 300]}, mass: 2, inertia: [0.008, 0.008, 0.008],\n"
      "            position: [0.25*i, 0, 0.1], shape: {sphere: 0.1, group: balls},\n"
      "            initial: {velocity: [0, 0.5, 0], angular_velocity: [-5, 0, 20]}}\n"
      "contacts: {floor: {groups: [floor, balls], friction: 0.8, torsional_friction: 4 mm,\n"
      "                   rolling_friction: 3 mm}}\n";
  const double slowing = 0.003 * MASS * GRAVITY / RADIUS / (MASS + INERTIA / (RADIUS * RADIUS));
  for (int set = 0; set < 2; set++) {
    contact_machine m = load(text, set, 2e-3);
    advance(&m, 1);
    static const char *const some[] = {"body.ball1", "body.ball150", "body.ball300"};
    for (int k = 0; k < 3; k++) {
      char name[64];
      snprintf(name, sizeof name, "%s.angular_velocity.z", some[k]);
      check_near(value_of(&m, name), 20 - 0.004 * MASS * GRAVITY / INERTIA, 1e-4);
      snprintf(name, sizeof name, "%s.velocity.y", some[k]);
      check_near(value_of(&m, name), 0.5 - slowing, 1e-4);
    }
    finish(&m);
  }
}

// The work of the friction is in the balance of energy.
static void energy_is_accounted_for(void **state) {
  (void)state;
  contact_machine m =
      ball("velocity: [1, 0, 0], angular_velocity: [0, 4, 30]",
           "friction: 0.3, torsional_friction: 4 mm, rolling_friction: 2 mm", 0, 1, 1e-3);
  advance(&m, 5);
  hn_certificate c = hn_simulation_certificate(m.simulation);
  check_at_most(c.energy_balance, 1e-9);
  finish(&m);
}

static void other_methods_name_the_contact(void **state) {
  (void)state;
  contact_machine m = ball("velocity: [0, 0, 0]", "rolling_friction: 1 mm", 0, 0, 0);
  finish(&m); // by time stepping, the default
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  static const char text[] =
      "bodies: {ground: {shape: {plane: {}}}, b: {mass: 1, inertia: [1, 1, 1], shape: {sphere: "
      "1}}}\n"
      "contacts: {floor: {bodies: [ground, b], torsional_friction: 1 mm}}\n";
  check_ok(hn_model_load_text(text, strlen(text), "text.yaml", NULL, &model, &error));
  hn_simulation_options options = hn_default_simulation_options();
  options.method = "descriptor";
  assert_int_equal(hn_simulation_create(model, &options, &simulation, &error),
                   HN_ERROR_UNSUPPORTED);
  check_error_names(&error, "floor");
  check_error_names(&error, "torsional");
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spinning_ball_slows_at_the_exact_rate),
      cmocka_unit_test(a_rolling_ball_stops_at_the_exact_distance),
      cmocka_unit_test(rolling_friction_holds_on_a_slope),
      cmocka_unit_test(friction_of_bodies_with_joints_counts),
      cmocka_unit_test(many_balls_slow_down_alike),
      cmocka_unit_test(energy_is_accounted_for),
      cmocka_unit_test(other_methods_name_the_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
