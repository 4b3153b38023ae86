// Massless bodies inside a chain: the same accelerations as the joint that does without them.
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

// Three hinges at one point, almost in gimbal lock, next to a four-bar with redundant rows or
// alone.
#define HINGES                                                                                     \
  "gravity: [0, 0, -9.81]\nbodies:\n"                                                              \
  "  top: {mass: 2, center: [0.3, 0.1, 0.2],\n"                                                    \
  "        inertia: [8.6666666666666667e-2, 6.6666666666666667e-2, 3.3333333333333333e-2]}\n"      \
  "  a: {mass: 0}\n  b: {mass: 0}\n%s"                                                             \
  "joints:\n"                                                                                      \
  "  z: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z,\n"                           \
  "      initial: {angle: 0.2, angle_rate: 0.1}}\n"                                                \
  "  y: {type: revolute, bodies: [a, b], at: [0, 0, 0], axis: y,\n"                                \
  "      initial: {angle: %.9g, angle_rate: 0.2}}\n"                                               \
  "  x: {type: revolute, bodies: [b, top], at: [0, 0, 0], axis: x,\n"                              \
  "      initial: {angle: 0.3, angle_rate: 0.3}}\n%s"
#define BAR "inertia: [0.01, 0.02, 0.02]"
static const char *const loop_bodies = "  crank: {mass: 1, center: [5, 0.5, 0], " BAR "}\n"
                                       "  rod: {mass: 1, center: [5.5, 1, 0], " BAR "}\n"
                                       "  rocker: {mass: 1, center: [6, 0.4, 0], " BAR "}\n";
static const char *const loop_joints =
    "  l1: {type: revolute, bodies: [ground, crank], at: [5, 0, 0], axis: z}\n"
    "  l2: {type: revolute, bodies: [crank, rod], at: [5, 1, 0], axis: z}\n"
    "  l3: {type: revolute, bodies: [rod, rocker], at: [6, 1.1, 0], axis: z}\n"
    "  l4: {type: revolute, bodies: [rocker, ground], at: [6, 0, 0], axis: z}\n";

static const char *const hinge_values[] = {
    "joint.z.angle_acceleration", "joint.y.angle_acceleration", "joint.x.angle_acceleration"};

// Expected: Euler's equations of the one body and the derivative of its angular velocity along the three
// axes, in decimals of 50 digits.
static void hinges_near_gimbal_lock_have_exact_accelerations(void **state) {
  (void)state;
  const struct {
    double angle, want[3], tolerance;
  } cases[] = {
      {1.2, {-9.85517452094196, 17.8639952408548, -11.0261480451452}, 1e-10},
      {1.5, {-49.4210593648613, 13.715736006466, -50.4655759551916}, 1e-9},
      {1.57, {-4309.97493991291, 12.5550519055724, -4310.9672480892}, 1e-7},
      {1.5707, {-35622.7386802459, 12.5431241996236, -35623.7304167081}, 1e-6},
  };
  const char *const sets[] = {"cartesian", "natural", "relative"};
  char text[2000];
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
    for (int k = 0; k < 6; k++) {
      double got[3];
      const int has_loop = k >= 3;
      snprintf(text, sizeof text, HINGES, has_loop ? loop_bodies : "", cases[c].angle,
               has_loop ? loop_joints : "");
      values_of(text, sets[k % 3], 0, hinge_values, 3, got);
      for (int i = 0; i < 3; i++) check_near(got[i] / cases[c].want[i], 1, cases[c].tolerance);
    }
}

static void hinges_in_gimbal_lock_are_told(void **state) {
  (void)state;
  const char *const sets[] = {"cartesian", "natural", "relative"};
  char text[2000];
  for (int k = 0; k < 9; k++) {
    const int has_loop = k >= 3 && k < 6;
    const double angle = k < 6 ? 1.570796 : 1.5;
    snprintf(text, sizeof text, HINGES, has_loop ? loop_bodies : "", angle,
             has_loop ? loop_joints : "");
    hn_model *model = load_text(text);
    hn_simulation_options options = hn_default_simulation_options();
    hn_simulation *simulation = NULL;
    options.coordinates = sets[k % 3];
    check_ok(hn_simulation_create(model, &options, &simulation, NULL));
    check_ok(hn_simulation_advance(simulation, 0));
    int told = 0;
    for (int i = 0; i < hn_simulation_warning_count(simulation); i++)
      told += !hn_simulation_warning(simulation, i)->is_note;
    assert_int_equal(told, k < 6);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

// The whole matrix, which is solved there, is made with the simulation.
static void steps_near_gimbal_lock_take_no_memory(void **state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text, HINGES, "", 1.570796, "");
  hn_model *model = load_text(text);
  hn_counting_memory memory = {0};
  const hn_allocator allocator = hn_counting_allocator(&memory);
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  options.allocator = &allocator;
  options.coordinates = "cartesian";
  options.method = "first-order";
  options.formula = "dopri5";
  check_ok(hn_simulation_create(model, &options, &simulation, NULL));
  const long calls = memory.calls;
  check_ok(hn_simulation_step(simulation, 1e-3));
  assert_int_equal(memory.calls, calls);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void one_that_nothing_carries_is_refused(void **state) {
  (void)state;
  refuse_text("bodies:\n  a: {mass: 0}\n", 2, "'a'");
  refuse_text("bodies:\n  a: {mass: -1e-9}\n", 2, "'a'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slides_without_mass_move_as_a_planar_joint),
      cmocka_unit_test(hinges_near_gimbal_lock_have_exact_accelerations),
      cmocka_unit_test(hinges_in_gimbal_lock_are_told),
      cmocka_unit_test(steps_near_gimbal_lock_take_no_memory),
      cmocka_unit_test(one_that_nothing_carries_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
