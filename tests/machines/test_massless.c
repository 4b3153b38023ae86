// Bodies without mass inside a chain: the same accelerations as the joint that does without them.
#include "formats/loading.h"
#include "holon/simulation.h"

#define ARM "inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0.03]"
#define REST                                                                                       \
  "  foot: {mass: 1, center: [1.5, 0.1, 0.2], " ARM "}\n"                                          \
  "  torso: {mass: 2, center: [0.5, 0.1, 0.2], " ARM "}\n"
#define KNEE                                                                                       \
  "  knee: {type: revolute, bodies: [torso, foot], at: [1, 0, 0], axis: [1, 1, 0.3],\n"            \
  "         initial: {angle: 0.3, angle_rate: 2}}\n"

static const char *const chain =
    "gravity: [0.5, 0, -9.81]\n"
    "bodies:\n" REST "  a: {mass: 0}\n  b: {mass: 0, center: [0.1, 0, 0]}\n"
    "joints:\n" KNEE "  x: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: x,\n"
    "      initial: {displacement: 0.2, displacement_rate: 0.5}}\n"
    "  z: {type: translational, bodies: [a, b], at: [0, 0, 0], axis: z,\n"
    "      initial: {displacement: -0.1, displacement_rate: 0.7}}\n"
    "  y: {type: revolute, bodies: [b, torso], at: [0, 0, 0], axis: y,\n"
    "      initial: {angle: 0.3, angle_rate: 2}}\n";
static const char *const whole =
    "gravity: [0.5, 0, -9.81]\n"
    "bodies:\n" REST "joints:\n" KNEE "  base: {type: planar, bodies: [ground, torso], at: [0, 0, "
    "0], axis: y, reference: z,\n"
    "         initial: {x: -0.1, x_rate: 0.7, y: 0.2, y_rate: 0.5, angle: 0.3, angle_rate: 2}}\n";

static void values_of(const char *text, const char *coordinates, double time,
                      const char *const *names, int count, double *values) {
  hn_model *model = load_text(text);
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  hn_error error;
  options.coordinates = coordinates;
  options.tol = 1e-10;
  if (hn_simulation_create(model, &options, &simulation, &error)) fail_msg("%s", error.message);
  check_ok(hn_simulation_advance(simulation, time));
  for (int k = 0; k < count; k++) check_ok(hn_simulation_value(simulation, names[k], &values[k]));
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void slides_without_mass_move_as_a_planar_joint(void **state) {
  (void)state;
  const char *const sets[] = {"cartesian", "natural", "relative"};
  const char *const ours[] = {"joint.x.displacement_acceleration",
                              "joint.z.displacement_acceleration", "joint.y.angle_acceleration",
                              "joint.knee.angle_acceleration"};
  const char *const theirs[] = {"joint.base.y_acceleration", "joint.base.x_acceleration",
                                "joint.base.angle_acceleration", "joint.knee.angle_acceleration"};
  for (int run = 0; run < 2; run++) {
    double want[4], got[4];
    values_of(whole, "relative", run, theirs, 4, want);
    for (int k = 0; k < 3; k++) {
      values_of(chain, sets[k], run, ours, 4, got);
      check_near_many(got, want, 4, run ? 1e-6 : 1e-12);
    }
  }
}

static void one_that_nothing_carries_is_refused(void **state) {
  (void)state;
  refuse_text("bodies:\n  a: {mass: 0}\n", 2, "no joint says how it moves");
  refuse_text("bodies:\n  a: {mass: -1e-9}\n", 2, "zero or more");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slides_without_mass_move_as_a_planar_joint),
      cmocka_unit_test(one_that_nothing_carries_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
