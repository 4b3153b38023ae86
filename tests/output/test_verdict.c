// The quality grade on a run: sound results stay sound, untrustworthy ones are reported with a
// reason.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/load.h"
#include "holon/results.h"
#include "support/check.h"
#include "support/machines.h"

static hn_model *model;
static hn_simulation *simulation;

// A pendulum of 1 kg, 1 m, after a second.
static int make_run(void **state) {
  (void)state;
  model = hn_make_pendulum();
  check_ok(hn_simulation_create(model, NULL, &simulation, NULL));
  check_ok(hn_simulation_advance(simulation, 1));
  return 0;
}

static int free_run(void **state) {
  (void)state;
  hn_simulation_free(simulation);
  hn_model_free(model);
  return 0;
}

static hn_grade grade_of(hn_certificate c) { return hn_simulation_verdict(simulation, &c).grade; }

// No model is as large as this: its units are wrong.
static void a_body_far_off_is_unsound_and_named(void **state) {
  (void)state;
  static const char text[] = "bodies:\n"
                             "  near: {mass: 1, inertia: [1, 1, 1], position: [1e9, 0, 0]}\n"
                             "  gone: {mass: 1, inertia: [1, 1, 1], position: [1e9, 2e9, 2e9]}\n";
  hn_model *far = NULL;
  hn_simulation *s = NULL;
  hn_error error = {0};
  int is_told = 0;
  check_ok(hn_model_load_text(text, strlen(text), "far.yaml", NULL, &far, &error));
  check_ok(hn_simulation_create(far, NULL, &s, &error));
  check_ok(hn_simulation_advance(s, 0.1));
  const hn_verdict verdict = hn_simulation_verdict(s, NULL);
  for (int k = 0; k < verdict.count; k++) {
    if (!hn_has_names(verdict.checks[k].text, "'gone'")) continue;
    assert_int_equal(verdict.checks[k].grade, HN_UNSOUND);
    check_has_number(verdict.checks[k].value, 3e9, 0);
    is_told++;
  }
  assert_int_equal(is_told, 1);
  assert_int_equal(verdict.grade, HN_UNSOUND);
  hn_simulation_free(s);
  hn_model_free(far);
}

static void a_plain_run_is_sound_and_has_no_reasons(void **state) {
  (void)state;
  hn_verdict verdict = hn_simulation_verdict(simulation, NULL);
  char reason[512];
  assert_int_equal(verdict.grade, HN_SOUND);
  assert_true(verdict.count > 4 && verdict.count <= HN_VERDICT_CHECKS);
  assert_false(hn_verdict_reason(&verdict, 0, reason, sizeof reason));
}

static void lost_energy_is_doubtful_then_unsound(void **state) {
  (void)state;
  hn_certificate c = hn_simulation_certificate(simulation);
  c.energy_balance = 0.11, c.energy_relative = 1.1e-2; // of 10 J
  assert_int_equal(grade_of(c), HN_DOUBTFUL);
  c.energy_balance = 0.6, c.energy_relative = 0.06;
  assert_int_equal(grade_of(c), HN_UNSOUND);
  c.energy_balance = c.energy_relative = NAN;
  assert_int_equal(grade_of(c), HN_UNSOUND);
}

// 3e-8 J is the energy of 1 kg at 0.24 mm/s.
static void rounding_of_a_machine_at_rest_is_sound(void **state) {
  (void)state;
  hn_certificate c = hn_simulation_certificate(simulation);
  c.energy_balance = 3e-8, c.energy_relative = 1;
  assert_int_equal(grade_of(c), HN_SOUND);
}

static void open_joints_are_unsound(void **state) {
  (void)state;
  hn_certificate c = hn_simulation_certificate(simulation);
  c.constraint_position = 1e-5;
  assert_int_equal(grade_of(c), HN_DOUBTFUL);
  c.constraint_position = 1e-2;
  assert_int_equal(grade_of(c), HN_UNSOUND);
}

// In a model with 100 m/s^2 they are known to five digits.
static void accelerations_are_judged_by_the_largest(void **state) {
  (void)state;
  hn_certificate c = hn_simulation_certificate(simulation);
  c.constraint_acceleration = 2e-3, c.largest_acceleration = 10;
  assert_int_equal(grade_of(c), HN_DOUBTFUL);
  c.largest_acceleration = 100;
  assert_int_equal(grade_of(c), HN_SOUND);
  c.constraint_acceleration = 5e-4, c.largest_acceleration = 0;
  assert_int_equal(grade_of(c), HN_SOUND);
  c.constraint_acceleration = NAN;
  assert_int_equal(grade_of(c), HN_UNSOUND);
}

// An oscillator of 30 rad/s that is released at 1 m.
static void the_largest_acceleration_is_that_of_the_run(void **state) {
  (void)state;
  hn_model *oscillator = hn_make_oscillator(30.0 * 30, 0, 1);
  hn_simulation *s = NULL;
  check_ok(hn_simulation_create(oscillator, NULL, &s, NULL));
  check_ok(hn_simulation_advance(s, 1));
  check_relative(hn_simulation_certificate(s).largest_acceleration, 900, 1e-4);
  hn_simulation_free(s);
  hn_model_free(oscillator);
}

static void what_assembly_moved_is_no_fault(void **state) {
  (void)state;
  hn_certificate c = hn_simulation_certificate(simulation);
  c.initial_change.position = 0.5;
  assert_int_equal(grade_of(c), HN_SOUND);
}

static void the_worst_reason_comes_first(void **state) {
  (void)state;
  hn_certificate c = hn_simulation_certificate(simulation);
  c.constraint_position = 1e-5;
  c.energy_balance = 5, c.energy_relative = 0.5;
  hn_verdict verdict = hn_simulation_verdict(simulation, &c);
  char reason[512];
  assert_true(hn_verdict_reason(&verdict, 0, reason, sizeof reason));
  check_names(reason, "5 0.5");
  assert_true(hn_verdict_reason(&verdict, 1, reason, sizeof reason));
  check_names(reason, "1e-05");
  assert_false(hn_verdict_reason(&verdict, 2, reason, sizeof reason));
}

static void without_steps_energy_is_not_judged(void **state) {
  (void)state;
  hn_certificate c = hn_simulation_certificate(simulation);
  c.steps_accepted = 0;
  c.energy_balance = 5, c.energy_relative = 1;
  assert_int_equal(grade_of(c), HN_SOUND);
}

static hn_simulation *start_car(hn_model **car, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  options.step = step;
  check_ok(hn_model_load(HOLON_SOURCE_DIR "/models/iltis/iltis.yaml", NULL, car, NULL));
  check_ok(hn_simulation_create(*car, &options, &s, NULL));
  return s;
}

// The car at 5 m/s on wheels of 0.36 m: half a radius in 36 ms.
static void a_step_over_the_road_is_not_sound(void **state) {
  (void)state;
  hn_model *car;
  char reason[512];
  hn_simulation *s = start_car(&car, 8);
  check_ok(hn_simulation_advance(s, 8));
  hn_verdict verdict = hn_simulation_verdict(s, NULL);
  assert_int_equal(verdict.grade, HN_DOUBTFUL);
  assert_true(hn_verdict_reason(&verdict, 0, reason, sizeof reason));
  check_names(reason, "'tyre_fl'");
  check_names(reason, "0.036");
  assert_int_equal(hn_simulation_warning_count(s), 1);
  hn_simulation_free(s);
  hn_model_free(car);
  s = start_car(&car, 0.002);
  check_ok(hn_simulation_advance(s, 0.1));
  assert_int_equal(hn_simulation_warning_count(s), 0);
  hn_simulation_free(s);
  hn_model_free(car);
}

static void a_fixed_step_that_turns_too_far_is_told(void **state) {
  (void)state;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_model *body = hn_make_free_body((hn_vec3){0, 0, 40});
  options.step = 0.1; // 4 rad
  check_ok(hn_simulation_create(body, &options, &s, NULL));
  (void)hn_simulation_advance(s, 0.1); // it may not even converge
  assert_int_equal(hn_simulation_warning_count(s), 1);
  hn_simulation_free(s);
  hn_model_free(body);
}

// Stages of 50 ms on the ramp do not converge.
static void what_did_not_converge_is_told_to_iterate_longer(void **state) {
  (void)state;
  hn_model *car;
  hn_simulation *s = start_car(&car, 0.05);
  assert_int_equal(hn_simulation_advance(s, 8), HN_ERROR_CONVERGENCE);
  check_names(hn_simulation_error(s)->hint, "@max_iterations");
  hn_simulation_free(s);
  hn_model_free(car);
}

static void grades_have_names(void **state) {
  (void)state;
  assert_string_equal(hn_grade_name(HN_SOUND), "sound");
  assert_string_equal(hn_grade_name(HN_LOCKED), "locked");
  assert_string_equal(hn_grade_name(HN_DOUBTFUL), "doubtful");
  assert_string_equal(hn_grade_name(HN_UNSOUND), "unsound");
}

// ---- what is named, and what is no reason for doubt ---------------------------------------------

// The grade of a model after `time`, with its first reason.
static hn_grade judge_text(const char *yaml, double time, char reason[512]) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_model *machine = NULL;
  options.tol = 1e-8;
  check_ok(hn_model_load_text(yaml, strlen(yaml), "text.yaml", NULL, &machine, NULL));
  check_ok(hn_simulation_create(machine, &options, &s, NULL));
  check_ok(hn_simulation_advance(s, time));
  hn_verdict verdict = hn_simulation_verdict(s, NULL);
  reason[0] = '\0';
  hn_verdict_reason(&verdict, 0, reason, 512);
  hn_simulation_free(s);
  hn_model_free(machine);
  return verdict.grade;
}

static void a_locked_machine_is_named(void **state) {
  (void)state;
  char reason[512];
  hn_grade grade =
      judge_text("gravity: [0, 0, -9.81]\n"
                 "bodies: {a: {mass: 1, center: [0.5, 0, 0], inertia: [1, 1, 1]}}\n"
                 "joints:\n"
                 "  h: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}\n"
                 "  g: {type: revolute, bodies: [ground, a], at: [1, 0, 0], axis: y}\n",
                 0.1, reason);
  assert_int_equal(grade, HN_LOCKED);
  check_names(reason, "'g'");
}

// A massless body at the end of a chain, and one on a slide: their accelerations are 0/0.
static void massless_ends_are_named(void **state) {
  (void)state;
  static const char *const ends[] = {
      "type: revolute, bodies: [arm, end], at: [1, 0, 0], axis: y",
      "type: translational, bodies: [arm, end], at: [1, 0, 0], axis: x",
      "type: fixed, bodies: [arm, end], at: [1, 0, 0]"};
  for (int k = 0; k < 3; k++) {
    char text[600], reason[512];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  arm: {mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
             "  end: {mass: 0, center: [1.3, 0, 0], inertia: [0, 0, 0]}\n"
             "joints:\n"
             "  pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: y}\n"
             "  tip: {%s}\n",
             ends[k]);
    hn_model *machine = NULL;
    hn_simulation *s = NULL;
    check_ok(hn_model_load_text(text, strlen(text), "text.yaml", NULL, &machine, NULL));
    check_ok(hn_simulation_create(machine, NULL, &s, NULL));
    hn_verdict verdict = hn_simulation_verdict(s, NULL);
    assert_int_equal(verdict.grade, k < 2 ? HN_DOUBTFUL : HN_SOUND);
    assert_int_equal(hn_verdict_reason(&verdict, 0, reason, sizeof reason), k < 2);
    if (k < 2) check_names(reason, "'end'");
    hn_simulation_free(s);
    hn_model_free(machine);
  }
}

// Two machines that nothing connects, one of which weighs nothing and stands still.
static void a_part_without_energy_is_sound(void **state) {
  (void)state;
  char reason[512];
  const hn_grade grade =
      judge_text("gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  bob: {mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
                 "  plate: {mass: 0, inertia: [0, 0, 0]}\n"
                 "joints:\n"
                 "  pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: y}\n"
                 "  fix: {type: fixed, bodies: [ground, plate], at: [1, 0, 0]}\n",
                 0.1, reason);
  assert_string_equal(reason, "");
  assert_int_equal(grade, HN_SOUND);
}

static void forgotten_gravity_is_named(void **state) {
  (void)state;
  char reason[512];
  const char *model_text =
      "bodies: {a: {mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}\n"
      "joints: {p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y%s}}\n";
  char text[512];
  snprintf(text, sizeof text, model_text, "");
  assert_int_equal(judge_text(text, 0.1, reason), HN_DOUBTFUL);
  check_names(reason, "`gravity: [0, 0, -9.81]`");
  snprintf(text, sizeof text, model_text, ", initial: {angle_rate: 1}");
  assert_int_equal(judge_text(text, 0.1, reason), HN_SOUND); // a rotor needs none
}

// Bodies of a crank and a slider that only turn about z: their other moments do nothing.
static void planar_inertias_are_no_reason_for_doubt(void **state) {
  (void)state;
  char reason[512];
  hn_grade grade =
      judge_text("gravity: [0, -9.81, 0]\n"
                 "bodies:\n"
                 "  crank: {mass: 1, center: [0.5, 0, 0], inertia: [0, 0, 0.0833]}\n"
                 "  rod: {mass: 1, center: [2, 0, 0], inertia: [0, 0, 0.3333]}\n"
                 "  slider: {mass: 1, center: [3, 0, 0], inertia: [0, 0, 1]}\n"
                 "joints:\n"
                 "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: z}\n"
                 "  b: {type: spherical, bodies: [crank, rod], at: [1, 0, 0]}\n"
                 "  c: {type: revolute, bodies: [rod, slider], at: [3, 0, 0], axis: -z}\n"
                 "  d: {type: translational, bodies: [ground, slider], at: [3, 0, 0], axis: x}\n",
                 0.1, reason);
  assert_string_equal(reason, "");
  assert_int_equal(grade, HN_SOUND);
  grade =
      judge_text("gravity: [0, -9.81, 0]\n"
                 "bodies: {arm: {mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.01, 0.0833]}}\n"
                 "joints: {a: {type: spherical, bodies: [ground, arm], at: [0, 0, 0]}}\n",
                 0.1, reason);
  assert_int_equal(grade, HN_DOUBTFUL); // free to turn about the others
}

// A wheel that can turn freely on its axle keeps its reference angle in the equilibrium.
static void a_free_wheel_in_equilibrium_is_no_reason_for_doubt(void **state) {
  (void)state;
  char reason[512];
  hn_grade grade = judge_text(
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  car: {mass: 10, inertia: [1, 1, 1]}\n"
      "  wheel: {mass: 1, inertia: [0.01, 0.02, 0.01]}\n"
      "joints:\n"
      "  rail: {type: translational, bodies: [ground, car], at: [0, 0, 0], axis: z}\n"
      "  axle: {type: revolute, bodies: [car, wheel], at: [0, 0, 0], axis: y}\n"
      "forces: {k: {type: joint-spring-damper, joint: rail, stiffness: 1 kN/m, damping: 10}}\n"
      "initial: {from: equilibrium}\n",
      0.1, reason);
  assert_string_equal(reason, "");
  assert_int_equal(grade, HN_SOUND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_body_far_off_is_unsound_and_named),
      cmocka_unit_test(a_plain_run_is_sound_and_has_no_reasons),
      cmocka_unit_test(lost_energy_is_doubtful_then_unsound),
      cmocka_unit_test(rounding_of_a_machine_at_rest_is_sound),
      cmocka_unit_test(open_joints_are_unsound),
      cmocka_unit_test(accelerations_are_judged_by_the_largest),
      cmocka_unit_test(the_largest_acceleration_is_that_of_the_run),
      cmocka_unit_test(what_assembly_moved_is_no_fault),
      cmocka_unit_test(the_worst_reason_comes_first),
      cmocka_unit_test(without_steps_energy_is_not_judged),
      cmocka_unit_test(a_step_over_the_road_is_not_sound),
      cmocka_unit_test(a_fixed_step_that_turns_too_far_is_told),
      cmocka_unit_test(what_did_not_converge_is_told_to_iterate_longer),
      cmocka_unit_test(massless_ends_are_named),
      cmocka_unit_test(a_part_without_energy_is_sound),
      cmocka_unit_test(a_locked_machine_is_named),
      cmocka_unit_test(forgotten_gravity_is_named),
      cmocka_unit_test(planar_inertias_are_no_reason_for_doubt),
      cmocka_unit_test(a_free_wheel_in_equilibrium_is_no_reason_for_doubt),
      cmocka_unit_test(grades_have_names),
  };
  return cmocka_run_group_tests(tests, make_run, free_run);
}
