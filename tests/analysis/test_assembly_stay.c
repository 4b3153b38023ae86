// A body without `initial` keeps its reference configuration and rests if the joints allow it.
#include <math.h>
#include <string.h>

#include "holon/analysis.h"
#include "holon/load.h"
#include "holon/results.h"
#include "support/check.h"

static const char *const SETS[] = {"cartesian", "relative", "natural"};
enum { SET_COUNT = 3 };

static hn_model *model;
static hn_simulation *simulation;

static void start(const char *yaml, const char *coordinates) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  check_ok(hn_model_load_text(yaml, strlen(yaml), "text.yaml", NULL, &model, NULL));
  check_ok(hn_simulation_create(model, &options, &simulation, NULL));
}

static void end(void) {
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static double value(const char *signal) {
  double number = NAN;
  check_ok(hn_simulation_value(simulation, signal, &number));
  return number;
}

// The least change of both bodies would start the cart at -0.25 m with -0.87 m/s.
static void a_cart_stays_under_a_pendulum_that_is_given(void **state) {
  (void)state;
  for (int k = 0; k < SET_COUNT; k++) {
    start("gravity: [0, 0, -9.81]\n"
          "bodies: {cart: {mass: 1}, bob: {mass: 1, center: [0, 0, -1]}}\n"
          "joints:\n"
          "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
          "  pin: {type: revolute, bodies: [cart, bob], at: [0, 0, 0], axis: -y,\n"
          "        initial: {angle: 30 deg, angle_rate: 2}}\n",
          SETS[k]);
    check_near(value("joint.rail.displacement"), 0, 1e-12);
    check_near(value("joint.rail.displacement_rate"), 0, 1e-12);
    check_near(value("joint.pin.angle"), 3.14159265358979324 / 6, 1e-12);
    check_near(value("joint.pin.angle_rate"), 2, 1e-12);
    check_near(value("body.bob.position.x"), 0.5, 1e-12); // 1 m at 30 degrees
    assert_int_equal(hn_simulation_warning_count(simulation), 0);
    end();
  }
}

// A parallelogram on a cart: its three other joints must turn, the cart and what hangs in a ball joint
// need not.
static void only_the_loop_of_a_given_joint_moves(void **state) {
  (void)state;
  for (int k = 0; k < SET_COUNT; k++) {
    start("gravity: [0, 0, -9.81]\n"
          "bodies:\n"
          "  cart: {mass: 5, inertia: [1, 1, 1]}\n"
          "  a: {mass: 1, center: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01]}\n"
          "  b: {mass: 1, center: [1, 0, 1], inertia: [0.01, 0.1, 0.1]}\n"
          "  c: {mass: 1, center: [2, 0, 0.5], inertia: [0.1, 0.1, 0.01]}\n"
          "  bob: {mass: 1, center: [1, 0, 0.5], inertia: [0.1, 0.1, 0.01]}\n"
          "joints:\n"
          "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
          "  A: {type: revolute, bodies: [cart, a], at: [0, 0, 0], axis: y,\n"
          "      initial: {angle: 0.35, angle_rate: 3}}\n"
          "  B: {type: revolute, bodies: [a, b], at: [0, 0, 1], axis: y}\n"
          "  C: {type: revolute, bodies: [b, c], at: [2, 0, 1], axis: y}\n"
          "  D: {type: revolute, bodies: [cart, c], at: [2, 0, 0], axis: y}\n"
          "  S: {type: spherical, bodies: [b, bob], at: [1, 0, 1]}\n",
          SETS[k]);
    check_near(value("joint.rail.displacement"), 0, 1e-11);
    check_near(value("joint.rail.displacement_rate"), 0, 1e-11);
    check_near(value("joint.B.angle"), -0.35, 1e-11);
    check_near(value("joint.D.angle"), 0.35, 1e-11);
    check_near(value("joint.B.angle_rate"), -3, 1e-11);
    check_near(value("body.bob.pitch"), 0, 1e-11); // b does not turn, and bob goes with it
    check_near(value("body.bob.angular_velocity.y"), 0, 1e-11);
    check_near(value("body.bob.velocity.x"), 3 * cos(0.35), 1e-11);
    assert_int_equal(hn_simulation_warning_count(simulation), 2); // positions and rates
    const hn_warning *note = hn_simulation_warning(simulation, 0);
    assert_true(note->is_note);
    check_names(note->message, "0.35");
    check_names(note->message, "2");
    assert_int_equal(hn_simulation_verdict(simulation, NULL).grade, HN_SOUND);
    end();
  }
}

// Two cranks of a five-bar: where one is given, the other one stays.
static void the_second_crank_of_a_five_bar_stays(void **state) {
  (void)state;
  start("bodies:\n"
        "  a: {mass: 1, center: [-0.5, 0, 0.5], inertia: [0.1, 0.1, 0.1]}\n"
        "  b: {mass: 1, center: [0, 0, 1.5], inertia: [0.1, 0.1, 0.1]}\n"
        "  c: {mass: 1, center: [1, 0, 1.5], inertia: [0.1, 0.1, 0.1]}\n"
        "  d: {mass: 1, center: [1.5, 0, 0.5], inertia: [0.1, 0.1, 0.1]}\n"
        "joints:\n"
        "  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y,\n"
        "      initial: {angle: 0.1, angle_rate: 1}}\n"
        "  B: {type: revolute, bodies: [a, b], at: [-1, 0, 1], axis: y}\n"
        "  C: {type: revolute, bodies: [b, c], at: [0.5, 0, 2], axis: y}\n"
        "  D: {type: revolute, bodies: [c, d], at: [2, 0, 1], axis: y}\n"
        "  E: {type: revolute, bodies: [ground, d], at: [1, 0, 0], axis: y}\n",
        "auto");
  check_near(value("joint.A.angle"), 0.1, 1e-11);
  check_near(value("joint.E.angle"), 0, 1e-11);
  check_near(value("joint.E.angle_rate"), 0, 1e-11);
  assert_true(fabs(value("joint.C.angle")) > 1e-3);
  end();
}

// A ball joint keeps its pose when the slider it hangs on is placed elsewhere.
static void a_ball_joint_goes_along(void **state) {
  (void)state;
  for (int k = 0; k < SET_COUNT; k++) {
    start("gravity: [0, 0, -9.81]\n"
          "bodies: {cart: {mass: 1}, bob: {mass: 3, center: [0, 0, -1]}}\n"
          "joints:\n"
          "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x,\n"
          "         initial: {displacement: 0.3, displacement_rate: 1}}\n"
          "  ball: {type: spherical, bodies: [cart, bob], at: [0, 0, 0]}\n",
          SETS[k]);
    check_near(value("body.bob.position.x"), 0.3, 1e-12);
    check_near(value("body.bob.position.z"), -1, 1e-12);
    check_near(value("body.bob.velocity.x"), 1, 1e-12);
    check_near(value("body.bob.angular_velocity.y"), 0, 1e-12);
    end();
  }
}

// A motor in a model that no joint connects with ground turns the rotor, not the heavy housing.
static void the_heaviest_of_floating_bodies_stays(void **state) {
  (void)state;
  for (int k = 0; k < SET_COUNT; k++)
    for (int from = 0; from < 2; from++) {
      char yaml[1024] =
          "bodies:\n"
          "  rotor: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
          "  housing: {mass: 9, inertia: [0.2, 0.2, 0.2]}\n"
          "joints: {bearing: {type: revolute, bodies: [rotor, housing], at: [0, 0, 0], axis: y}}\n"
          "forces: {mount: {type: bushing, bodies: [ground, housing], at: [0, 0, 0],\n"
          "                 stiffness: [1e3, 1e3, 1e3, 10, 10, 10]}}\n"
          "drivers: {motor: {joint: bearing, motion: 0.2 + 10*t}}\n";
      if (from) strcat(yaml, "initial: {from: equilibrium}\n");
      start(yaml, SETS[k]);
      check_near(value("body.housing.pitch"), 0, 1e-11);
      check_near(value("body.housing.angular_velocity.y"), 0, 1e-11);
      check_near(value("body.rotor.pitch"), -0.2, 1e-11);
      check_near(value("body.rotor.angular_velocity.y"), -10, 1e-11);
      end();
    }
}

// The axes of the pin are given the wrong way around: the bob must follow, in every set of coordinates.
static void what_hangs_on_a_body_that_is_turned_over_follows(void **state) {
  (void)state;
  double speeding_up = 0;
  for (int k = 0; k < SET_COUNT; k++) {
    start("gravity: [0, 0, -9.81]\n"
          "bodies:\n"
          "  arm: {mass: 1, inertia: [0.1, 0.2, 0.3], orientation: {axis: y, angle: -70 deg},\n"
          "        initial: {orientation: {axis: y, angle: 100 deg}}}\n"
          "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
          "joints:\n"
          "  ball: {type: spherical, bodies: [ground, arm], at: [0, 0, 0]}\n"
          "  pin: {type: revolute, bodies: [arm, bob], at: [1, 0, 0], axis: [6, 1, -7]}\n",
          SETS[k]);
    double turn = 170 * 3.14159265358979324 / 180;
    check_near(value("body.bob.position.x"), cos(turn), 1e-9);
    check_near(value("body.bob.position.z"), -sin(turn), 1e-9);
    if (k == 0) speeding_up = value("joint.pin.angle_acceleration");
    check_near(value("joint.pin.angle_acceleration"), speeding_up, 1e-9);
    end();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cart_stays_under_a_pendulum_that_is_given),
      cmocka_unit_test(only_the_loop_of_a_given_joint_moves),
      cmocka_unit_test(the_second_crank_of_a_five_bar_stays),
      cmocka_unit_test(a_ball_joint_goes_along),
      cmocka_unit_test(the_heaviest_of_floating_bodies_stays),
      cmocka_unit_test(what_hangs_on_a_body_that_is_turned_over_follows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
