// Vectors of forces, and signals in local axes: found by name, recorded on request.
#include <math.h>

#include "formats/loading.h"
#include "holon/results.h"
#include "holon/simulation.h"

static hn_simulation *start(const char *text, hn_model **model) {
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_error error;
  *model = load_text(text);
  options.skip_assembly = 1; // exactly the reference configuration
  if (hn_simulation_create(*model, &options, &simulation, &error)) fail_msg("%s", error.message);
  return simulation;
}

#define check_vector(simulation, name, a, b, c, tolerance)                                         \
  do {                                                                                             \
    hn_vec3 read = vector(simulation, name);                                                       \
    check_vec3(read, a, b, c, tolerance);                                                          \
  } while (0)

static hn_vec3 vector(hn_simulation *simulation, const char *name) {
  double v[3];
  for (int k = 0; k < 3; k++) {
    char full[128];
    snprintf(full, sizeof full, "%s.%c", name, "xyz"[k]);
    assert_int_equal(hn_simulation_value(simulation, full, &v[k]), HN_OK);
  }
  return (hn_vec3){v[0], v[1], v[2]};
}

// 2 m long and 0.5 m too long, from the origin to (0, 1.2, 1.6): it pulls back along (0, -0.6, -0.8).
static void a_spring_pulls_along_its_line(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s =
      start("bodies: {a: {mass: 1, position: [0, 1.2, 1.6],\n"
            "             orientation: {axis: x, angle: 90 deg}}}\n"
            "forces: {k: {type: spring-damper, bodies: [ground, a],\n"
            "             points: [[0, 0, 0], [0, 1.2, 1.6]], free_length: 1.5, stiffness: 100}}\n",
            &model);
  check_vector(s, "force.k.force", 0, -30, -40, 1e-12);
  check_vector(s, "force.k.torque", 0, 0, 0, 1e-12);
  hn_simulation_free(s);
  hn_model_free(model);
}

// A bushing that is pushed by (1, 2, 3) mm and not turned answers with -k u; its axes are those of the
// body, which is drawn turned by 90 deg about z: x of the bushing is y of the world.
static void a_bushing_answers_in_its_own_axes(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s = start(
      "bodies: {a: {mass: 1, inertia: [1, 1, 1], orientation: {axis: z, angle: 90 deg},\n"
      "             initial: {position: [1 mm, 2 mm, 3 mm]}}}\n"
      "forces: {b: {type: bushing, bodies: [ground, a], at: [0, 0, 0], axis: z, reference: y,\n"
      "             stiffness: [1e3 N/m, 2e3 N/m, 3e3 N/m, 1 N m/rad, 1 N m/rad, 1 N m/rad]}}\n",
      &model);
  // along y of the world 1e3 (its own x), against x of the world 2e3 (its own y)
  check_vector(s, "force.b.force", -2, -2, -9, 1e-9);
  check_vector(s, "force.b.local_force", -2, 2, -9, 1e-9);
  check_vector(s, "force.b.local_torque", 0, 0, 0, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

// The same, 1 m off the origin of the body and without stiffness against turning: a force through
// its point has no moment about it.
static void moments_are_about_the_point_of_the_force(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s = start(
      "bodies: {a: {mass: 1, inertia: [1, 1, 1], initial: {position: [0, 0, 3 mm]}}}\n"
      "forces: {b: {type: bushing, bodies: [ground, a], at: [1, 0, 0], axis: z, reference: x,\n"
      "             stiffness: [3e3 N/m, 3e3 N/m, 3e3 N/m, 0 N m/rad, 0 N m/rad, 0 N m/rad]}}\n",
      &model);
  check_vector(s, "force.b.force", 0, 0, -9, 1e-9);
  check_vector(s, "force.b.torque", 0, 0, 0, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

// A weight of 2 kg, 0.5 m along x from a weld to ground, which is turned by 90 deg about y.
static void reactions_are_told_in_the_axes_of_the_joint(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s =
      start("gravity: [0, 0, -10]\n"
            "bodies: {a: {mass: 2, center: [0.5, 0, 0], inertia: [1, 1, 1]}}\n"
            "joints: {w: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: x}}\n",
            &model);
  hn_vec3 force = vector(s, "joint.w.reaction.force"),
          own = vector(s, "joint.w.reaction.local_force");
  hn_vec3 torque = vector(s, "joint.w.reaction.torque"),
          own_torque = vector(s, "joint.w.reaction.local_torque");
  check_vec3(force, 0, 0, 20, 1e-9);
  check_vec3(torque, 0, -10, 0, 1e-9);
  check_near(own.z, force.x, 1e-9); // z of the joint is its axis
  check_near(hypot(own.x, own.y), 20, 1e-9);
  check_near(hypot(own_torque.x, own_torque.y), 10, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

// About its own y axis, which is -x of the world.
static void angular_velocity_is_given_and_told_in_body_axes(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s = start("bodies: {a: {mass: 1, inertia: [1, 2, 3],\n"
                           "             initial: {orientation: {axis: z, angle: 90 deg},\n"
                           "                       local_angular_velocity: [0, 3 rad/s, 0]}}}\n",
                           &model);
  check_vector(s, "body.a.angular_velocity", -3, 0, 0, 1e-12);
  check_vector(s, "body.a.local_angular_velocity", 0, 3, 0, 1e-12);
  hn_simulation_free(s);
  hn_model_free(model);
  refuse_text("bodies: {a: {mass: 1, initial: {angular_velocity: [1, 0, 0],\n"
              "                                local_angular_velocity: [1, 0, 0]}}}\n",
              2, "'a'");
}

static void they_are_recorded_only_when_asked_for(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s =
      start("bodies: {a: {mass: 1}}\n"
            "forces: {k: {type: spring-damper, bodies: [ground, a], points: [[0, 0, 0],\n"
            "             [0, 0, 1]], stiffness: 1}}\n",
            &model);
  hn_results *all = NULL, *some = NULL;
  hn_error error;
  const char *glob[] = {"force.k.force.*"};
  assert_int_equal(hn_results_create(s, NULL, 0, &all, &error), HN_OK);
  assert_int_equal(hn_results_create(s, glob, 1, &some, &error), HN_OK);
  assert_int_equal(hn_results_find(all, "force.k.force.x"), -1);
  assert_int_equal(hn_results_signal_count(some), 3);
  assert_string_equal(hn_results_signal_unit(some, 0), "N");
  assert_int_equal(hn_results_record(some, s), HN_OK);
  hn_results_free(all);
  hn_results_free(some);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void forces_of_drivers_have_units(void **state) {
  (void)state;
  static const char text[] =
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: x},\n"
      "         way: {type: translational, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
      "drivers: {turn: {joint: pin, motion: t}, push: {joint: way, motion: t}}\n"
      "outputs: {f: {value: driver.push.force, unit: kN}, m: {value: driver.turn.force, unit: "
      "%s}}\n";
  char good[800], wrong[800];
  snprintf(good, sizeof good, text, "N m");
  snprintf(wrong, sizeof wrong, text, "kN");
  hn_model_free(load_text(good));
  refuse_text(wrong, 5, "'m' 'kN'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_pulls_along_its_line),
      cmocka_unit_test(a_bushing_answers_in_its_own_axes),
      cmocka_unit_test(moments_are_about_the_point_of_the_force),
      cmocka_unit_test(reactions_are_told_in_the_axes_of_the_joint),
      cmocka_unit_test(angular_velocity_is_given_and_told_in_body_axes),
      cmocka_unit_test(they_are_recorded_only_when_asked_for),
      cmocka_unit_test(forces_of_drivers_have_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
