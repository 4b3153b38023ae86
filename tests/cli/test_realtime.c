// holon run --realtime and --input: what they print and write. Times are printed, never judged.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

#define SPRING HOLON_SOURCE_DIR "/tests/cli/spring.yaml"
#define INPUTS HOLON_SOURCE_DIR "/models/examples/inputs.yaml"
#define ILTIS HOLON_SOURCE_DIR "/models/iltis/iltis.yaml"

static void check_code(const hn_command *command, int code) {
  if (command->code != code) print_error("stdout: %s\nstderr: %s\n", command->out, command->err);
  assert_int_equal(command->code, code);
}

static void check_word(const char *json, const char *path, const char *expected) {
  char value[128];
  if (!hn_json_value(json, path, value, sizeof value)) fail_msg("no %s in %s", path, json);
  assert_string_equal(value, expected);
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

// The spring of the test oscillates as x = 0.1 cos(10 t): the trapezoidal rule turns it by 2 atan(w
// h / 2) a step.
static void a_loop_takes_one_step_a_period(void **state) {
  (void)state;
  hn_command command =
      hn_run_holon("run '%s' --realtime --preset TPL+TR --step 5ms --json", SPRING);
  check_code(&command, 0);
  assert_null(hn_json_fault(command.out));
  check_word(command.out, "status", "ok");
  check_near(hn_json_number_in(command.out, "final/x"), 0.1 * cos(200 * 2 * atan(0.025)), 1e-8);
  check_near(hn_json_number_in(command.out, "certificate/steps/accepted"), 200, 0);
  check_near(hn_json_number_in(command.out, "certificate/realtime/timed_steps"), 200, 0);
  check_near(hn_json_number_in(command.out, "certificate/realtime/step"), 5e-3, 0);
  check_near(hn_json_number_in(command.out, "certificate/realtime/max_iterations"), 6, 0);
  check_word(command.out, "certificate/realtime/at_bound", "accept");
  check_word(command.out, "pacing/pace", "clock");
  // limited by the clock: a period less than the last step's start
  assert_true(hn_json_number_in(command.out, "pacing/wall_seconds") >= 0.995 - 1e-6);
  long steps = 0;
  int bins = hn_json_count(command.out, "certificate/realtime/histogram");
  for (int k = 0; k < bins; k++) {
    char path[80];
    snprintf(path, sizeof path, "certificate/realtime/histogram/%d/steps", k);
    steps += (long)hn_json_number_in(command.out, path);
  }
  assert_int_equal(steps, 200);
  hn_command_free(&command);
}

static void a_bound_that_is_reached_is_certified(void **state) {
  (void)state;
  hn_command command =
      hn_run_holon("run '%s' --realtime --pace none --preset TPL+TR --step 10ms --max-iterations 2 "
                   "--time 4 --json",
                   ILTIS);
  check_code(&command, 0);
  check_word(command.out, "status", "ok-bounded");
  check_word(command.out, "pacing/pace", "none");
  assert_true(hn_json_number_in(command.out, "certificate/newton/unconverged_accepted") > 10);
  assert_true(hn_json_number_in(command.out, "certificate/newton/unconverged_residual") > 0);
  hn_command_free(&command);
}

static void the_summary_and_the_report_have_the_histogram(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-realtime");
  hn_command command = hn_run_shell(
      folder, "\"$HOLON\" run '%s' --realtime --pace none --step 2ms --time 1 -o out", SPRING);
  check_code(&command, 0);
  check_names(command.out, "500 Hz 99.99 ####");
  char path[1024];
  snprintf(path, sizeof path, "%s/out/report.html", folder);
  char *page = hn_read_text(path);
  assert_non_null(page);
  assert_non_null(strstr(page, "\"realtime\": {\"loop\": "));
  assert_non_null(strstr(page, "\"histogram\": [["));
  free(page);
  snprintf(path, sizeof path, "%s/out/results.h5", folder);
  assert_true(hn_file_exists(path));
  hn_command_free(&command);
}

// The sledge of 1020 kg with drag 40 N s/m under a constant thrust of 1500 N from rest.
static void an_input_has_the_value_it_is_given(void **state) {
  (void)state;
  hn_command command = hn_run_holon(
      "run '%s' --input pedal=0.5 --input 'brake=0 N' --time 3 --tol 1e-8 --json", INPUTS);
  check_code(&command, 0);
  double exact = 1500.0 / 40 * (1 - exp(-3 * 40.0 / 1020));
  check_near(hn_json_number_in(command.out, "final/speed"), exact, 1e-5);
  check_near(hn_json_number_in(command.out, "final/pedal"), 0.5, 0);
  hn_command_free(&command);
}

// Linear from 0 to 1 in a second, then constant: v solves m v' + c v = F min(t, 1).
static void a_table_is_straight_between_its_rows(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-inputs");
  char path[1024];
  snprintf(path, sizeof path, "%s/drive.csv", folder);
  write_text(path, "time,pedal\n0,0\n1,1\n");
  double c = 40, a = c / 1020, v1 = 3000 / c * (1 - (1 - exp(-a)) / a);
  double exact = 3000 / c + (v1 - 3000 / c) * exp(-a);
  static const char *const ways[] = {"--tol 1e-8", "--realtime --pace none --preset TPL+TR"};
  for (int k = 0; k < 2; k++) {
    hn_command command =
        hn_run_holon("run '%s' --input '%s' --time 2 %s --json", INPUTS, path, ways[k]);
    check_code(&command, 0);
    check_near(hn_json_number_in(command.out, "final/speed"), exact, 1e-5);
    hn_command_free(&command);
  }
}

// Mass 1, f = u(t) along the rail with u = t/2: x = t^3 / 12. A law of x, one of v, one of all three.
static void laws_of_place_and_speed_follow_inputs_in_time(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-inputs-laws");
  char model[1024], table[1024];
  snprintf(model, sizeof model, "%s/cart.yaml", folder);
  snprintf(table, sizeof table, "%s/u.csv", folder);
  write_text(table, "time,u\n0,0\n2,1\n");
  static const char *const laws[] = {"force: \"-u + 0*x\"", "damper: \"-u + 0*v\"", "law: \"-u\""};
  for (int k = 0; k < 3; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "inputs: {u: 0}\nbodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
             "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
             "forces:\n  push: {type: joint-spring-damper, joint: rail, %s}\n"
             "outputs: {x: joint.rail.displacement}\n",
             laws[k]);
    write_text(model, text);
    hn_command command =
        hn_run_holon("run '%s' --input '%s' --time 2 --tol 1e-6 --json", model, table);
    check_code(&command, 0);
    check_near(hn_json_number_in(command.out, "final/x"), 8.0 / 12, 1e-5);
    hn_command_free(&command);
  }
}

static double final_of(const char *folder, const char *name, const char *call) {
  hn_command command = hn_run_shell(folder, "\"$HOLON\" run '%s' --json %s", INPUTS, call);
  check_code(&command, 0);
  char path[64];
  snprintf(path, sizeof path, "final/%s", name);
  double value = hn_json_number_in(command.out, path);
  hn_command_free(&command);
  return value;
}

// A filter in transition, a continued line, values that are given again or no more. Steering is the
// angle of a driver and has no error of integration; the pedal has the value that laws use.
static void inputs_go_on_after_a_kept_state(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-inputs-resume");
  char path[1024];
  snprintf(path, sizeof path, "%s/drive.csv", folder);
  write_text(path, "time,pedal,steering\n0,0,0.1\n0.5,0.5,0.4\n1,0.8,0.2\n");
  double whole = final_of(folder, "steering", "--input drive.csv --time 0.6");
  final_of(folder, "pedal", "--input drive.csv --time 0.55 --save-state at");
  check_near(final_of(folder, "steering", "--input drive.csv --time 0.6 --from at"), whole, 1e-14);
  check_near(final_of(folder, "steering", "--time 0.6 --from at"), whole, 1e-14);
  check_near(final_of(folder, "pedal", "--input drive.csv --time 0.75 --from at"), 0.65, 1e-14);
  check_near(final_of(folder, "pedal", "--time 0.75 --from at"), 0.53, 1e-14);
  check_near(final_of(folder, "pedal", "--input pedal=0.1 --time 0.75 --from at"), 0.1, 0);
  snprintf(path, sizeof path, "%s/other.csv", folder);
  write_text(path, "time,pedal\n0,1\n10,0\n");
  check_near(final_of(folder, "pedal", "--input other.csv --time 0.75 --from at"), 0.925, 1e-14);
}

static void tables_that_say_nothing_are_refused(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-inputs-tables");
  static const struct {
    const char *text, *more, *part;
  } cases[] = {
      {"time,pedal\n0,0\n1,nan\n", "", "2 'pedal'"},
      {"time,pedal\n0,0\n1,\n", "", "2 'pedal'"},
      {"time,pedal\ns,\n0,inf\n", "", "1 'pedal'"},
      {"time,pedal\n0,0\nnan,1\n", "", "2 'time'"},
      {"pedal,brake\n0,0\n1,1\n", "", "'t.csv'"},
      {"time\n0\n1\n", "", "'t.csv'"},
      {"time,pedal\n", "", "'t.csv'"},
      {"time,pedal,gear\n0,1,2\n", "", "'gear'"},
      {"time;pedal\n0;0,5\n", "", "0,5"},
      {"time,pedal\n0,1\n", "--input pedal=1", "'pedal'"},
      {"time,pedal\n0,1\n", "--input t.csv", "'pedal'"},
  };
  char path[1024];
  snprintf(path, sizeof path, "%s/t.csv", folder);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    write_text(path, cases[k].text);
    hn_command command =
        hn_run_shell(folder, "\"$HOLON\" run '%s' --input t.csv %s", INPUTS, cases[k].more);
    check_names(command.err, cases[k].part);
    check_code(&command, 2);
    hn_command_free(&command);
  }
  // other separators are fine
  write_text(path, "# driven\ntime;pedal\n0;0.25\n");
  check_near(final_of(folder, "pedal", "--input t.csv --time 0.1"), 0.25, 0);
}

static void check_tells_the_inputs(void **state) {
  (void)state;
  hn_command command = hn_run_holon("check '%s' --json", INPUTS);
  check_code(&command, 0);
  assert_null(hn_json_fault(command.out));
  assert_int_equal(hn_json_count(command.out, "inputs"), 3);
  check_word(command.out, "inputs/2/name", "steering");
  check_near(hn_json_number_in(command.out, "inputs/2/filter"), 0.05, 1e-12);
  hn_command_free(&command);
  command = hn_run_holon("check '%s'", INPUTS);
  check_names(command.out, "brake 0 steering 0.05");
  hn_command_free(&command);
}

static void a_driver_of_an_input_without_filter_is_told(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-inputs-driver");
  char path[1024];
  snprintf(path, sizeof path, "%s/driven.yaml", folder);
  write_text(path,
             "inputs: {free: 0, u: 0}\nbodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
             "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
             "drivers: {rack: {joint: rail, motion: u}}\n");
  static const char *const calls[] = {"check", "run --time 1 --input u=0.5"};
  for (int k = 0; k < 2; k++) {
    hn_command command = hn_run_shell(folder, "\"$HOLON\" %s driven.yaml 2>&1", calls[k]);
    check_code(&command, k == 0 ? 0 : 1);
    check_names(command.out, "'rack' `filter:`");
    hn_command_free(&command);
  }
  hn_command command = hn_run_holon("check '%s' --json", path);
  assert_null(hn_json_fault(command.out));
  check_word(command.out, "inputs/1/driver_without_filter", "rack");
  hn_command_free(&command);
}

// Steps are never cut.
static void a_loop_says_where_it_ends(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-realtime-end");
  hn_command command = hn_run_shell(
      folder, "\"$HOLON\" run '%s' --realtime --pace none --time 0.1 --step 30ms", SPRING);
  check_code(&command, 0);
  check_names(command.out, "0.09 0.03 0.1");
  assert_non_null(strstr(command.out, "whole steps"));
  hn_command_free(&command);
  command = hn_run_shell(
      folder, "\"$HOLON\" run '%s' --realtime --pace none --time 0.1 --step 20ms", SPRING);
  check_code(&command, 0);
  assert_null(strstr(command.out, "whole steps")); // a time of the summary may have any digits
  hn_command_free(&command);
}

// A formula that no augmented Lagrangian supports selects another method, which is reported.
static void another_method_than_usual_is_told(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-realtime-method");
  const char *call = "\"$HOLON\" run '%s' --realtime --pace none --time 0.1 --step 1ms %s";
  hn_command command = hn_run_shell(folder, call, SPRING, "--formula dopri5");
  check_code(&command, 0);
  check_names(command.out, "dopri5");
  hn_command_free(&command);
  command = hn_run_shell(folder, call, SPRING, "--formula newmark");
  check_code(&command, 0);
  check_names(command.out, "augmented-lagrangian-3");
  check_names(command.out, "newmark");
  assert_false(hn_has_names(command.out, "dopri5"));
  hn_command_free(&command);
}

// An unconverged step is not called converged, and the message names a remedy.
static void a_run_stopped_at_the_bound_says_so(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-realtime-stop");
  hn_command command =
      hn_run_shell(folder,
                   "\"$HOLON\" run '%s' --realtime --pace none --step 30ms --max-iterations 2 "
                   "--at-bound stop --time 3",
                   ILTIS);
  check_code(&command, 1);
  check_names(command.err, "--at-bound");
  hn_command_free(&command);
}

// Stopped at 1.5 s and gone on is the same as not stopped.
static void a_restart_on_the_grid_has_the_same_bits(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-realtime-restart");
  const char *parts[] = {"--time 3", "--time 1.5 --save-state at", "--time 3 --from at"};
  double z[3];
  for (int k = 0; k < 3; k++) {
    hn_command command = hn_run_shell(
        folder, "\"$HOLON\" run '%s' --realtime --pace none --step 5ms --json %s", ILTIS, parts[k]);
    check_code(&command, 0);
    z[k] = hn_json_number_in(command.out, "final/chassis.z");
    hn_command_free(&command);
  }
  assert_true(z[0] == z[2] && z[0] != z[1]);
}

static void mistakes_in_the_call_are_told(void **state) {
  (void)state;
  static const struct {
    const char *call, *part;
    int code;
  } cases[] = {
      {"run '" INPUTS "' --input pedall=1", "'pedal'", 2},
      {"run '" INPUTS "' --input pedal=fast", "'pedal=fast'", 2},
      {"run '" INPUTS "' --input brake=2kN", "SI", 2},
      {"run '" INPUTS "' --input pedal=2kN", "'pedal=2kN'", 2},
      {"run '" SPRING "' --input pedal=1", "`inputs:`", 2},
      {"run '" INPUTS "' --input nowhere.csv", "nowhere.csv", 2},
      {"run '" SPRING "' --pace none", "--realtime", 2},
      {"run '" SPRING "' --realtime --time 1 --step 2", "--step --time", 2},
      {"run '" SPRING "' --realtime --pace sometimes", "'sometimes' `holon run --help`", 2},
      {"run '" SPRING "' --realtime --formula adams --step 1ms", "'adams'", 2},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    hn_command command = hn_run_holon("%s", cases[k].call);
    check_names(command.err, cases[k].part);
    check_code(&command, cases[k].code);
    hn_command_free(&command);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loop_takes_one_step_a_period),
      cmocka_unit_test(a_bound_that_is_reached_is_certified),
      cmocka_unit_test(the_summary_and_the_report_have_the_histogram),
      cmocka_unit_test(an_input_has_the_value_it_is_given),
      cmocka_unit_test(a_table_is_straight_between_its_rows),
      cmocka_unit_test(laws_of_place_and_speed_follow_inputs_in_time),
      cmocka_unit_test(inputs_go_on_after_a_kept_state),
      cmocka_unit_test(tables_that_say_nothing_are_refused),
      cmocka_unit_test(check_tells_the_inputs),
      cmocka_unit_test(a_driver_of_an_input_without_filter_is_told),
      cmocka_unit_test(a_loop_says_where_it_ends),
      cmocka_unit_test(another_method_than_usual_is_told),
      cmocka_unit_test(a_run_stopped_at_the_bound_says_so),
      cmocka_unit_test(a_restart_on_the_grid_has_the_same_bits),
      cmocka_unit_test(mistakes_in_the_call_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
