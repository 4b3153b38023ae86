// holon check, statics, kinematics, list and schema.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

#define FOUR_BAR "models/four-bar.yaml"

static hn_command run_well(const char *words) {
  hn_command command = hn_run_holon("%s", words);
  if (command.code != 0) fail_msg("holon %s: %d\n%s", words, command.code, command.err);
  return command;
}

// A plane four-bar of revolute joints in space: 20 rows and a motor, 3 of them too many; the drive
// prescribes the one degree of freedom.
static void check_counts_the_four_bar(void **state) {
  (void)state;
  hn_command command = run_well("check " FOUR_BAR " --json");
  assert_null(hn_json_fault(command.out));
  const struct {
    const char *key;
    double value;
  } expected[] = {{"bodies", 3},     {"joints", 4},       {"rows", 21},   {"rank", 18},
                  {"equations", 24}, {"coordinates", 21}, {"speeds", 18}, {"degrees_of_freedom", 0},
                  {"loops", 1}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    double value = hn_json_number_in(command.out, expected[i].key);
    if (!(fabs(value - expected[i].value) < 0.5)) fail_msg("%s: %s", expected[i].key, command.out);
  }
  assert_int_equal(hn_json_count(command.out, ""), 16);
  assert_true(hn_json_count(command.out, "redundant") > 0);
  double rows = 0;
  for (int i = 0; i < hn_json_count(command.out, "redundant"); i++) {
    char path[64];
    snprintf(path, sizeof path, "redundant/%d/rows", i);
    rows += hn_json_number_in(command.out, path);
  }
  check_near(rows, 3, 0);
  assert_int_equal(hn_json_count(command.out, "reactions_not_unique"), 4);
  assert_int_equal(hn_json_count(command.out, "components_not_unique"), 4 * 3);
  assert_int_equal(hn_json_count(command.out, "warnings"), 0);
  hn_command_free(&command);
}

static void check_names_what_is_redundant_in_words(void **state) {
  (void)state;
  hn_command command = run_well("check " FOUR_BAR);
  check_names(command.out, "0 3 A B C D");
  hn_command_free(&command);
  command = run_well("check tests/cli/spring.yaml");
  check_names(command.out, "1");
  hn_command_free(&command);
}

static void a_machine_that_cannot_be_assembled_fails_the_check(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-gap");
  hn_command command = hn_run_shell(
      folder,
      "cat >m.yaml <<'end'\n"
      "name: gap\n"
      "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  left: {type: spherical, bodies: [ground, rod], points: [[0, 0, 0], [0, 0, 0]]}\n"
      "  right: {type: spherical, bodies: [ground, rod], points: [[1, 0, 0], [0.9, 0, 0]]}\n"
      "end\n"
      "\"$HOLON\" check m.yaml --json");
  assert_int_equal(command.code, 1);
  assert_null(hn_json_fault(command.out));
  char code[64];
  assert_true(hn_json_value(command.out, "error/code", code, sizeof code));
  assert_true(strcmp(code, "assembly") == 0 || strcmp(code, "inconsistent") == 0);
  hn_command_free(&command);
}

// m g / k = 5 * 9.81 / 2000 below the reference position; the spring carries the weight.
static void statics_hangs_a_weight(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-statics");
  hn_command command = hn_run_shell(
      folder,
      "cat >m.yaml <<'end'\n"
      "name: scale\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies: {plate: {mass: 5, inertia: [1, 1, 1]}}\n"
      "joints: {guide: {type: translational, bodies: [ground, plate], at: [0, 0, 0], axis: z}}\n"
      "forces:\n"
      "  spring: {type: spring-damper, bodies: [ground, plate], points: [[0, 0, 1], [0, 0, 0]],\n"
      "           stiffness: 2000, free_length: 1}\n"
      "end\n"
      "\"$HOLON\" statics m.yaml --json");
  assert_int_equal(command.code, 0);
  assert_null(hn_json_fault(command.out));
  check_near(hn_json_number_in(command.out, "bodies/plate/position/2"), -5 * 9.81 / 2000, 1e-9);
  check_near(hn_json_number_in(command.out, "forces/spring"), 5 * 9.81, 1e-6);
  check_near(hn_json_number_in(command.out, "reactions/guide/force/2"), 0, 1e-6);
  check_near(hn_json_number_in(command.out, "neutral_count"), 0, 0);
  hn_command_free(&command);
  command = hn_run_shell(folder, "\"$HOLON\" statics m.yaml");
  assert_int_equal(command.code, 0);
  check_names(command.out, "plate");
  hn_command_free(&command);
}

// More neutral directions than are checked in a large model: the summary says that some are
// unknown.
static void statics_does_not_call_stable_what_it_has_not_seen(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-statics-carts");
  hn_command command = hn_run_shell(
      folder, "cat >m.yaml <<'end'\n"
              "name: carts\n"
              "gravity: [0, 0, -9.81]\n"
              "bodies:\n"
              "  c{i}: {repeat: {i: [1, 120]}, mass: 1, center: [0, i, 0], inertia: [1, 1, 1]}\n"
              "joints:\n"
              "  r{i}: {repeat: {i: [1, 120]}, type: translational, bodies: [ground, \"c{i}\"],\n"
              "         at: [0, i, 0], axis: x}\n"
              "end\n"
              "\"$HOLON\" statics m.yaml && \"$HOLON\" statics m.yaml --json >&2");
  assert_int_equal(command.code, 0);
  assert_non_null(strstr(command.err, "\"stable_unknown\": true"));
  hn_command_free(&command);
}

// The coupler's end is known from the lengths: the rocker closes the triangle.
static void kinematics_closes_the_four_bar(void **state) {
  (void)state;
  hn_command command = run_well("kinematics " FOUR_BAR " --json --time 0.3");
  assert_null(hn_json_fault(command.out));
  const double base = 0.4, crank = 0.1, coupler = 0.35, rocker = 0.25;
  double turn = 2 * acos(-1) * 0.3;
  double bx = crank * cos(turn), by = crank * sin(turn);
  double across = hypot(base - bx, -by);
  double inner =
      acos((rocker * rocker + across * across - coupler * coupler) / (2 * rocker * across));
  double to_b = atan2(by, bx - base);
  check_near(hn_json_number_in(command.out, "final/rocker"),
             to_b - inner < 0 ? to_b - inner + 2 * acos(-1) : to_b - inner, 1e-8);
  hn_command_free(&command);
}

// A driver follows the natural spline through 0, 1, 0, -1 and 0: at the middle row its rate is -3/2 a
// row. That through 0, 1 and 0 is 3/2 x - x^3/2 on the first half.
static void kinematics_follows_a_table(void **state) {
  (void)state;
  static const struct {
    const char *rows;
    double time, angle, rate;
  } runs[] = {{"0,0\\n1,1\\n2,0\\n3,-1\\n4,0", 2, 0, -3},
              {"0,0\\n1,1\\n2,0", 0.5, 1.375, 2.25},
              {"0,0\\n1,1\\n2,0", 1, 2, 0}};
  const char *folder = hn_fresh_folder("cli-kinematics-table");
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    hn_command command =
        hn_run_shell(folder,
                     "printf 'time,u\\n%s\\n' >u.csv; cat >m.yaml <<'end'\n"
                     "name: turned\n"
                     "inputs: {u: 0}\n"
                     "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                     "joints:\n"
                     "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}\n"
                     "drivers: {turn: {joint: pin, motion: 2*u}}\n"
                     "outputs: {rate: joint.pin.angle_rate, angle: joint.pin.angle}\n"
                     "end\n"
                     "\"$HOLON\" kinematics m.yaml --input u.csv --time %g --json",
                     runs[k].rows, runs[k].time);
    assert_int_equal(command.code, 0);
    check_near(hn_json_number_in(command.out, "final/angle"), runs[k].angle, 1e-12);
    check_near(hn_json_number_in(command.out, "final/rate"), runs[k].rate, 1e-9);
    hn_command_free(&command);
  }
}

// Work is summed over steps, and kinematics takes none.
static void kinematics_has_no_work_and_no_certificate(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-kinematics");
  hn_command command = hn_run_shell(
      folder, "\"$HOLON\" kinematics '%s' -o out && \"$HOLON\" plot out --list && ls out",
      HOLON_SOURCE_DIR "/" FOUR_BAR);
  assert_int_equal(command.code, 0);
  assert_non_null(strstr(command.out, "energy.kinetic"));
  assert_null(strstr(command.out, "energy.work"));
  assert_null(strstr(command.out, "energy.balance"));
  assert_null(strstr(command.out, "certificate.json"));
  hn_command_free(&command);
}

// A motor holds a rod of 2 kg level, its center 0.5 m from the axis: 2 * 10 * 0.5 N m.
static void statics_tells_drives_and_outputs(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-held");
  hn_command command = hn_run_shell(
      folder,
      "cat >m.yaml <<'end'\n"
      "name: held\n"
      "gravity: [0, 0, -10]\n"
      "bodies: {rod: {mass: 2, center: [0.5, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n"
      "drivers: {motor: {joint: pin, motion: 0}}\n"
      "outputs: {load: joint.pin.reaction.force.z}\n"
      "end\n"
      "\"$HOLON\" statics m.yaml --json && \"$HOLON\" statics m.yaml >words && cat words >&2");
  assert_int_equal(command.code, 0);
  check_near(fabs(hn_json_number_in(command.out, "drivers/motor")), 10, 1e-9);
  check_near(hn_json_number_in(command.out, "final/load"), 20, 1e-9);
  hn_command_free(&command);
}

static void kinematics_refuses_what_is_free(void **state) {
  (void)state;
  hn_command command = hn_run_holon("kinematics tests/cli/spring.yaml --json");
  assert_int_equal(command.code, 1);
  assert_null(hn_json_fault(command.out));
  hn_command_free(&command);
}

// Conditional elements would silently be left in, or out.
static void conditions_are_refused(void **state) {
  (void)state;
  static const char *const words[] = {"linearize", "kinematics", "statics"};
  const char *folder = hn_fresh_folder("conditions");
  for (size_t k = 0; k < 3; k++) {
    hn_command c = hn_run_shell(
        folder,
        "printf '%%s\\n' 'bodies: {m: {mass: 1, inertia: [1, 1, 1]}}' "
        "'joints: {r: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: z}}' "
        "'forces: {k: {type: joint-spring-damper, joint: r, stiffness: 9, when: time > 1 s}}' "
        "'drivers: {d: {joint: r, motion: t}}' 'simulation: {time: 1}' >m.yaml; \"$HOLON\" %s "
        "m.yaml",
        words[k]);
    if (c.code == 0) fail_msg("%s: %d\n%s%s", words[k], c.code, c.out, c.err);
    check_names(c.err, "m.yaml:3");
    hn_command_free(&c);
  }
}

static void list_prints_what_combines(void **state) {
  (void)state;
  hn_command command = run_well("list");
  static const char *const words[] = {"cartesian", "first-order", "dopri5", "revolute", "tyre"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    assert_non_null(strstr(command.out, words[i]));
  }
  hn_command_free(&command);
  command = run_well("list --json");
  assert_null(hn_json_fault(command.out));
  assert_int_equal(hn_json_count(command.out, "joints"), 19);
  assert_true(hn_json_count(command.out, "combinations") > 0);
  assert_int_equal(hn_json_count(command.out, "presets"), 12);
  char word[32];
  assert_true(hn_json_value(command.out, "presets/0/name", word, sizeof word));
  assert_string_equal(word, "SspTrap");
  assert_true(hn_json_value(command.out, "presets/0/independent", word, sizeof word));
  assert_string_equal(word, "partition");
  hn_command_free(&command);
}

static void schema_is_json(void **state) {
  (void)state;
  hn_command command = run_well("schema");
  assert_null(hn_json_fault(command.out));
  assert_non_null(strstr(command.out, "draft-07"));
  hn_command_free(&command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(check_counts_the_four_bar),
      cmocka_unit_test(check_names_what_is_redundant_in_words),
      cmocka_unit_test(a_machine_that_cannot_be_assembled_fails_the_check),
      cmocka_unit_test(statics_hangs_a_weight),
      cmocka_unit_test(statics_does_not_call_stable_what_it_has_not_seen),
      cmocka_unit_test(kinematics_closes_the_four_bar),
      cmocka_unit_test(kinematics_follows_a_table),
      cmocka_unit_test(kinematics_has_no_work_and_no_certificate),
      cmocka_unit_test(statics_tells_drives_and_outputs),
      cmocka_unit_test(kinematics_refuses_what_is_free),
      cmocka_unit_test(conditions_are_refused),
      cmocka_unit_test(list_prints_what_combines),
      cmocka_unit_test(schema_is_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
