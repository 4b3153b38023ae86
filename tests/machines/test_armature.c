// Rotors on joint coordinates: the equations M qdd + I qdd = Q by hand, in every set of coordinates.
#include <math.h>

#include "formats/loading.h"
#include "holon/simulation.h"

static double value_of(const char *text, const char *coordinates, double time, const char *name) {
  hn_model *model = load_text(text);
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  hn_error error;
  double value;
  options.coordinates = coordinates;
  options.tol = 1e-10;
  if (hn_simulation_create(model, &options, &simulation, &error)) fail_msg("%s", error.message);
  check_ok(hn_simulation_advance(simulation, time));
  check_ok(hn_simulation_value(simulation, name, &value));
  hn_simulation_free(simulation);
  hn_model_free(model);
  return value;
}

static const char *const sets[] = {"cartesian", "natural", "relative"};

// A point mass on a rod, 2 kg at 0.5 m, with a rotor of 0.3 kg m^2; far round, in the third turn.
static void a_pendulum_with_a_rotor_is_slower(void **state) {
  (void)state;
  const char *text = "gravity: [0, 0, -9.81]\n"
                     "bodies: {bob: {mass: 2, center: [0.5, 0, 0]}}\n"
                     "joints:\n  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], "
                     "axis: y, offset: {angle: 0.2},\n"
                     "        initial: {angle: 13, angle_rate: 2}, armature: {angle: 0.3}}\n";
  double want = 2 * 9.81 * 0.5 * cos(12.8) / (2 * 0.25 + 0.3);
  for (int k = 0; k < 3; k++) {
    check_near(value_of(text, sets[k], 0, "joint.pin.angle_acceleration"), want, 1e-12);
    check_near(value_of(text, sets[k], 0, "joint.pin.angle"), 13, 1e-12);
    check_near(value_of(text, sets[k], 0, "energy.kinetic"), 0.5 * 0.8 * 4, 1e-12);
  }
}

// Two arms: M by hand from the well-known double pendulum with point masses.
static void only_its_own_coordinate_feels_a_rotor(void **state) {
  (void)state;
  const char *text =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {a: {mass: 1, center: [1, 0, 0]}, b: {mass: 1, center: [2, 0, 0]}}\n"
      "joints:\n  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}\n"
      "  q: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: y, armature: {angle: 0.5}}\n";
  // drawn straight along x, at rest: M = [[5, 2], [2, 1]], weights 3 g and 1 g
  double m11 = 5, m12 = 2, m22 = 1 + 0.5, g = 9.81, det = m11 * m22 - m12 * m12;
  double p = (m22 * 3 * g - m12 * g) / det, q = (m11 * g - m12 * 3 * g) / det;
  for (int k = 0; k < 3; k++) {
    check_near(value_of(text, sets[k], 0, "joint.p.angle_acceleration"), p, 1e-11);
    check_near(value_of(text, sets[k], 0, "joint.q.angle_acceleration"), q, 1e-11);
  }
  double first = value_of(text, "relative", 1, "joint.q.angle");
  check_near(value_of(text, "cartesian", 1, "joint.q.angle"), first, 1e-6);
  check_near(value_of(text, "natural", 1, "joint.q.angle"), first, 1e-6);
}

static void slides_have_rotors_in_kilograms(void **state) {
  (void)state;
  const char *text =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {block: {mass: 2}}\n"
      "joints:\n  rail: {type: translational, bodies: [ground, block], at: [0, 0, 0], "
      "axis: z,\n         initial: {displacement: 20}, armature: {displacement: 3 kg}}\n";
  for (int k = 0; k < 3; k++)
    check_near(value_of(text, sets[k], 0, "joint.rail.displacement_acceleration"), -9.81 * 2 / 5,
               1e-12);
  refuse_text("bodies: {b: {mass: 1}}\njoints:\n  j: {type: revolute, bodies: [ground, b], at: [0, "
              "0, 0], axis: z, armature: {angle: -1}}\n",
              3, "'j'");
  refuse_text("bodies: {b: {mass: 1}}\njoints:\n  j: {type: revolute, bodies: [ground, b], at: [0, "
              "0, 0], axis: z, armature: {angle: 1 kg}}\n",
              3, "'j' 'angle'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_with_a_rotor_is_slower),
      cmocka_unit_test(only_its_own_coordinate_feels_a_rotor),
      cmocka_unit_test(slides_have_rotors_in_kilograms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
