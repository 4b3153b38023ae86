// Small motions of models with rolling, knife edges or rigid contacts: against closed forms and a
// published benchmark.
#include <math.h>
#include <string.h>

#include "holon/linear.h"
#include "machines/machine.h"

static const char *coordinates; // of the runs

typedef struct small {
  machine made;
  hn_linear *linear;
} small;

static hn_status try_text(const char *text, const char *setting, small *s, hn_error *error) {
  hn_load_options load = hn_default_load_options();
  load.settings = &setting;
  load.setting_count = setting ? 1 : 0;
  *s = (small){.linear = NULL};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  if (hn_model_load_text(text, strlen(text), "test.yaml", &load, &s->made.model, error) ||
      hn_simulation_create(s->made.model, &options, &s->made.simulation, error))
    machine_stop("test.yaml", error);
  return hn_simulation_linearize(s->made.simulation, NULL, &s->linear, error);
}

static small linearize(const char *text, const char *setting) {
  hn_error error = {0};
  small s;
  if (try_text(text, setting, &s, &error)) machine_stop("test.yaml", &error);
  return s;
}

static void done(small *s) {
  hn_linear_free(s->linear);
  machine_close(&s->made);
}

// How many eigenvalues are this one.
static int count_of(const hn_linear *l, double real, double imaginary, double near) {
  int count = 0;
  for (int k = 0; k < l->eigenvalue_count; k++)
    count += hypot(l->eigenvalues[k].real - real, l->eigenvalues[k].imaginary - imaginary) <= near;
  return count;
}

// A thin disk rolls upright: with A = m R^2/4 and C = m R^2/2 its lean has
// (A + m R^2) w'' + (C (C + m R^2) spin^2/A - m g R) w = 0: stable above v^2 = g R/3.
static void a_rolling_disk_stands_above_a_speed(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "parameters: {R: 0.3, m: 2, speed: 0}\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}}}\n"
      "  disk: {mass: m, position: [0, 0, R], inertia: [m*R^2/4, m*R^2/4, m*R^2/2],\n"
      "    orientation: {z: [0, 1, 0], x: [1, 0, 0]}, shape: {cylinder: {radius: R, length: 0}},\n"
      "    initial: {velocity: [speed, 0, 0], angular_velocity: [0, speed/R, 0]}}\n"
      "contacts: {floor: {bodies: [ground, disk], law: rolling}}\n"
      "outputs: {height: body.disk.position.z, lean: body.disk.angular_velocity.x}\n";
  static const double speeds[] = {0, 0.5, 0.98, 1.1, 4};
  const double r = 0.3, m = 2, a = m * r * r / 4, c = m * r * r / 2;
  for (int k = 0; k < 5; k++) {
    char setting[32];
    snprintf(setting, sizeof setting, "speed=%g", speeds[k]);
    small s = linearize(text, setting);
    const double spin = speeds[k] / r;
    const double square = (c * (c + m * r * r) * spin * spin / a - m * 9.81 * r) / (a + m * r * r);
    const double w = sqrt(fabs(square));
    assert_int_equal(s.linear->state_count, 8); // five positions, three speeds
    assert_int_equal(count_of(s.linear, square > 0 ? 0 : w, square > 0 ? w : 0, 1e-9), 1);
    assert_int_equal(count_of(s.linear, square > 0 ? 0 : -w, square > 0 ? -w : 0, 1e-9), 1);
    assert_int_equal(count_of(s.linear, 0, 0, 0), 6);
    for (int i = 0; i < 8; i++) check_near(s.linear->c[i], 0, 1e-8); // its height: to second order
    done(&s);
  }
}

// The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007), Table 2: z up here.
static void the_benchmark_bicycle_has_its_eigenvalues(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "parameters: {w: 1.02, trail: 0.08, tilt: pi/10, speed: 0, rR: 0.3, rF: 0.35}\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}}}\n"
      "  rear: {mass: 2, position: [0, 0, rR], inertia: [0.0603, 0.0603, 0.12], orientation: {z: "
      "[0, 1, 0], x: [1, 0, 0]}, shape: {cylinder: {radius: rR, length: 0}}, initial: {velocity: "
      "[speed, 0, 0], angular_velocity: [0, speed/rR, 0]}}\n"
      "  frame: {mass: 85, position: [0.3, 0, 0.9], inertia: [9.2, 11, 2.8, 0, -2.4, 0], initial: "
      "{velocity: [speed, 0, 0]}}\n"
      "  fork: {mass: 4, position: [0.9, 0, 0.7], inertia: [0.05892, 0.06, 0.00708, 0, 0.00756, "
      "0], initial: {velocity: [speed, 0, 0]}}\n"
      "  front: {mass: 3, position: [w, 0, rF], inertia: [0.1405, 0.1405, 0.28], orientation: {z: "
      "[0, 1, 0], x: [1, 0, 0]}, shape: {cylinder: {radius: rF, length: 0}}, initial: {velocity: "
      "[speed, 0, 0], angular_velocity: [0, speed/rF, 0]}}\n"
      "joints:\n"
      "  hub_r: {type: revolute, bodies: [frame, rear], at: [0, 0, rR], axis: y}\n"
      "  head: {type: revolute, bodies: [frame, fork], at: [w + trail, 0, 0], axis: [-sin(tilt), "
      "0, cos(tilt)]}\n"
      "  hub_f: {type: revolute, bodies: [fork, front], at: [w, 0, rF], axis: y}\n"
      "contacts:\n"
      "  back: {bodies: [ground, rear], law: rolling}\n"
      "  fore: {bodies: [ground, front], law: rolling}\n";
  small s = linearize(text, NULL);
  assert_int_equal(s.linear->state_count, 10); // seven positions, three speeds
  assert_int_equal(count_of(s.linear, 3.131643248, 0, 1e-8), 1);
  assert_int_equal(count_of(s.linear, -3.131643248, 0, 1e-8), 1);
  assert_int_equal(count_of(s.linear, 5.530943718, 0, 1e-8), 1);
  assert_int_equal(count_of(s.linear, -5.530943718, 0, 1e-8), 1);
  done(&s);
  s = linearize(text, "speed=5");
  assert_int_equal(count_of(s.linear, -0.775341882, 4.464867714, 1e-8), 1);
  assert_int_equal(count_of(s.linear, -0.775341882, -4.464867714, 1e-8), 1);
  assert_int_equal(count_of(s.linear, -0.322866429, 0, 1e-8), 1);
  assert_int_equal(count_of(s.linear, -14.07838969, 0, 1e-7), 1);
  assert_int_equal(count_of(s.linear, 0, 0, 0), 6);
  done(&s);
}

// A skate with its mass by a ahead of the knife edge turns as w' = -m a u w/(I + m a^2); behind an
// input that turns it stands 1/(I + m a^2).
static void a_skate_straightens_itself(void **state) {
  (void)state;
  small s = linearize(
      "inputs: {push: 0}\n"
      "bodies:\n"
      "  skate: {mass: 2, center: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1], initial: {velocity: [3, "
      "0, 0]}}\n"
      "joints:\n"
      "  ice: {type: planar, bodies: [ground, skate], at: [0, 0, 0], axis: z, reference: x}\n"
      "  blade: {type: knife-edge, bodies: [ground, skate], at: [0, 0, 0], axis: y}\n"
      "states: {late: {filter: 0.5, of: push}}\n"
      "forces: {turn: {type: torque, body: skate, torque: [0, 0, state.late]}}\n"
      "outputs: {turning: joint.ice.angle_rate}\n",
      NULL);
  const double inertia = 0.1 + 2 * 0.04;
  assert_int_equal(s.linear->state_count, 6); // three positions, two speeds, the filter
  assert_int_equal(count_of(s.linear, -2 * 0.2 * 3 / inertia, 0, 1e-9), 1);
  assert_int_equal(count_of(s.linear, -2, 0, 1e-9), 1);
  assert_int_equal(count_of(s.linear, 0, 0, 0), 4);
  double y[2];
  check_ok(hn_linear_response(s.linear, 0, 1e-9, y)); // slow: torque over m a u
  check_near(y[0], 1 / (2 * 0.2 * 3), 1e-8);
  done(&s);
}

// Sticking contacts are fixed: a pendulum on a block on the floor oscillates as if the block were
// fixed; sliding is rejected.
static void contacts_that_stick_hold(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "parameters: {push: 0}\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}}}\n"
      "  block: {mass: 5, position: [0, 0, 0.5], inertia: [0.4, 0.4, 0.4], shape: {box: [1, 1, "
      "1]}, initial: {velocity: [push, 0, 0]}}\n"
      "  rod: {mass: 0.1, position: [0, 0, 0.6], inertia: [0.003, 0.003, 0.001], initial: "
      "{velocity: [push, 0, 0]}}\n"
      "joints: {pin: {type: revolute, bodies: [block, rod], at: [0, 0, 0.9], axis: y}}\n"
      "contacts: {floor: {bodies: [ground, block], friction: 0.8}}\n";
  small s = linearize(text, NULL);
  const double w = sqrt(0.1 * 9.81 * 0.3 / (0.003 + 0.1 * 0.09));
  assert_int_equal(s.linear->state_count, 5); // and where the block stands: x, y and heading
  assert_int_equal(count_of(s.linear, 0, w, 1e-9), 1);
  assert_int_equal(count_of(s.linear, 0, 0, 0), 3);
  done(&s);
  hn_error error = {0};
  assert_int_equal(try_text(text, "push=1", &s, &error), HN_ERROR_UNSUPPORTED);
  done(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rolling_disk_stands_above_a_speed),
      cmocka_unit_test(the_benchmark_bicycle_has_its_eigenvalues),
      cmocka_unit_test(a_skate_straightens_itself),
      cmocka_unit_test(contacts_that_stick_hold),
  };
  static const char *const sets[] = {"cartesian", "relative", "natural"};
  int failed = 0;
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
    coordinates = sets[k];
    failed += cmocka_run_group_tests_name(sets[k], tests, NULL, NULL);
  }
  return failed;
}
