// holon run: what it prints and writes, and how it ends when it is stopped.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/holon.h"
#include "support/command.h"

#define MODEL HOLON_SOURCE_DIR "/tests/cli/spring.yaml"

static void check_code(const hn_command *command, int code) {
  if (command->code != code) print_error("stdout: %s\nstderr: %s\n", command->out, command->err);
  assert_int_equal(command->code, code);
}

static int line_count(const char *text) {
  int count = 0;
  for (; *text != '\0'; text++) count += *text == '\n';
  return count;
}

// A path in the folder; the text lives until the next call but one.
static const char *in(const char *folder, const char *name) {
  static char path[2][1024];
  static int turn = 0;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

static hn_results *read_results(const char *path) {
  hn_results *results = NULL;
  hn_error error = {0};
  hn_status status = hn_results_read(path, &results, &error);
  if (status != HN_OK) fail_msg("%s: %s", path, error.message);
  return results;
}

static void json_has_the_final_values_and_the_certificate(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-json");
  hn_command command = hn_run_shell(folder, "\"$HOLON\" run '%s' --json", MODEL);
  check_code(&command, 0);
  assert_string_equal(command.err, "");
  assert_int_equal(line_count(command.out), 1);
  assert_null(hn_json_fault(command.out));
  assert_int_equal(hn_json_count(command.out, ""), 4);
  char value[64];
  assert_true(hn_json_value(command.out, "status", value, sizeof value));
  assert_string_equal(value, "ok");
  check_near(hn_json_number_in(command.out, "time"), 1, 0);
  assert_int_equal(hn_json_count(command.out, "final"), 2);
  check_near(hn_json_number_in(command.out, "final/x"), 0.1 * cos(10), 1e-7);
  check_near(hn_json_number_in(command.out, "final/v"), -sin(10), 1e-6);
  static const char *const keys[] = {"model",
                                     "holon",
                                     "coordinates",
                                     "method",
                                     "formula",
                                     "independent",
                                     "linear_solver",
                                     "choice",
                                     "steps/accepted",
                                     "steps/rejected",
                                     "steps/substituted",
                                     "steps/coasted",
                                     "energy/balance",
                                     "energy/relative",
                                     "newton/failures",
                                     "newton/unconverged_accepted",
                                     "evaluations",
                                     "factorizations",
                                     "selections",
                                     "events",
                                     "ignored",
                                     "redundant",
                                     "warnings",
                                     "cpu_seconds",
                                     "realtime_factor",
                                     "state_hash",
                                     "constraint/position",
                                     "constraint/velocity",
                                     "constraint/acceleration"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    char path[80], text[4096];
    snprintf(path, sizeof path, "certificate/%s", keys[i]);
    if (!hn_json_value(command.out, path, text, sizeof text)) fail_msg("no %s", path);
  }
  check_near(hn_json_number_in(command.out, "certificate/ignored"), 0, 0);
  assert_true(hn_json_value(command.out, "certificate/verdict/grade", value, sizeof value));
  assert_string_equal(value, "sound");
  assert_int_equal(hn_json_count(command.out, "certificate/verdict/reasons"), 0);
  check_near(hn_json_number_in(command.out, "certificate/time"), 1, 0);
  check_near(hn_json_number_in(command.out, "certificate/options/atol"), 1e-9, 0);
  assert_false(hn_file_exists(in(folder, "out"))); // nothing is written without -o
  hn_command_free(&command);
}

static void a_run_writes_three_files_and_eleven_lines(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-files");
  hn_command command = hn_run_shell(folder, "\"$HOLON\" run '%s'", MODEL);
  check_code(&command, 0);
  assert_int_equal(line_count(command.out), 11);
  assert_non_null(strstr(command.out, "\n  grade        sound\n"));
  const char *end = "out/spring/report.html\n";
  assert_string_equal(command.out + strlen(command.out) - strlen(end), end);
  assert_string_equal(command.err, "");
  hn_command_free(&command);

  hn_results *results = read_results(in(folder, "out/spring/results.h5"));
  assert_int_equal(hn_results_row_count(results), 501);
  const double *time = hn_results_time(results);
  const double *x = hn_results_column(results, hn_results_find(results, "x"));
  for (int i = 0; i <= 500; i++) {
    check_near(time[i], i / 500.0, 1e-14);
    check_near(x[i], 0.1 * cos(10 * time[i]), 1e-7);
  }
  assert_string_equal(hn_results_signal_name(results, 0), "x"); // outputs first
  hn_results_free(results);
  char *certificate = hn_read_text(in(folder, "out/spring/certificate.json"));
  assert_non_null(certificate);
  assert_null(hn_json_fault(certificate));
  free(certificate);
  char *report = hn_read_text(in(folder, "out/spring/report.html"));
  assert_non_null(report);
  free(report);
}

static void csv_has_names_then_units(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-csv");
  hn_command command =
      hn_run_shell(folder, "\"$HOLON\" run '%s' --quiet --format csv -o a --signals 'energy.*'",
                   MODEL); // outputs are kept in any case
  check_code(&command, 0);
  assert_string_equal(command.out, "");
  hn_command_free(&command);
  char *text = hn_read_text(in(folder, "a/results.csv"));
  assert_non_null(text);
  assert_int_equal(strncmp(text, "time,x,v,energy.kinetic,", 24), 0);
  assert_int_equal(line_count(text), 503);
  char *second = strchr(text, '\n') + 1;
  assert_int_equal(strncmp(second, "s,m,m/s,J,", 10), 0);
  free(text);
  command = hn_run_shell(
      folder, "\"$HOLON\" run '%s' --quiet --format csv -o b --no-units --output-step 0.3", MODEL);
  check_code(&command, 0);
  hn_command_free(&command);
  text = hn_read_text(in(folder, "b/results.csv"));
  assert_non_null(text);
  assert_int_equal(line_count(text), 1 + 5); // 0, 0.3, 0.6, 0.9 and the end
  free(text);
}

static void same_call_gives_the_same_hash(void **state) {
  (void)state;
  char first[64], second[64];
  hn_command command = hn_run_holon("run '%s' --json", MODEL);
  assert_true(hn_json_value(command.out, "certificate/state_hash", first, sizeof first));
  hn_command_free(&command);
  // recording looks into steps, and must not change them
  const char *folder = hn_fresh_folder("cli-hash");
  command = hn_run_holon("run '%s' --json -o '%s' --output-step 0.001", MODEL, folder);
  assert_true(hn_json_value(command.out, "certificate/state_hash", second, sizeof second));
  hn_command_free(&command);
  assert_string_equal(first, second);
}

static void model_parameters_and_tolerance_can_be_overridden(void **state) {
  (void)state;
  hn_command loose = hn_run_holon("run '%s' --json --tol 1e-3", MODEL);
  hn_command tight = hn_run_holon("run '%s' --json --tol 1e-10", MODEL);
  double few = hn_json_number_in(loose.out, "certificate/steps/accepted");
  double many = hn_json_number_in(tight.out, "certificate/steps/accepted");
  assert_true(few > 0 && many > 2 * few);
  hn_command_free(&loose);
  hn_command_free(&tight);
  hn_command fixed = hn_run_holon("run '%s' --json --step 0.01", MODEL);
  check_near(hn_json_number_in(fixed.out, "certificate/steps/accepted"), 100, 1);
  hn_command_free(&fixed);
}

// ---- going on -----------------------------------------------------------------------------------

static unsigned long long hash_of_two_advances(double first, double second) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  check_ok(hn_model_load(MODEL, NULL, &model, &error));
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "auto"; // as the command does
  check_ok(hn_simulation_create(model, &options, &simulation, &error));
  check_ok(hn_simulation_advance(simulation, first));
  check_ok(hn_simulation_advance(simulation, second));
  unsigned long long hash = hn_simulation_state_hash(simulation);
  hn_simulation_free(simulation);
  hn_model_free(model);
  return hash;
}

static void going_on_from_a_kept_state_changes_no_bit(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-from");
  hn_command command =
      hn_run_shell(folder,
                   "\"$HOLON\" run '%s' --json --time 0.7 --save-state kept >first.json && "
                   "\"$HOLON\" run '%s' --json --time 1.5 --from kept -o out",
                   MODEL, MODEL);
  check_code(&command, 0);
  char hash[64], expected[64];
  assert_true(hn_json_value(command.out, "certificate/state_hash", hash, sizeof hash));
  snprintf(expected, sizeof expected, "%016llx", hash_of_two_advances(0.7, 1.5));
  assert_string_equal(hash, expected);
  hn_command_free(&command);
  hn_results *results = read_results(in(folder, "out/results.h5"));
  check_near(hn_results_time(results)[0], 0.702, 1e-12); // on the grid of 0 .. 1.5
  hn_results_free(results);
}

static void a_state_of_another_model_is_refused(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-other-state");
  hn_command command =
      hn_run_shell(folder,
                   "\"$HOLON\" run '%s' --json --save-state kept >first.json && "
                   "\"$HOLON\" run '%s/models/four-bar.yaml' --json --time 5 --from kept",
                   MODEL, HOLON_SOURCE_DIR);
  check_code(&command, 2);
  assert_null(hn_json_fault(command.out));
  hn_command_free(&command);
  command = hn_run_shell(folder, "echo nonsense >kept; \"$HOLON\" run '%s' --from kept", MODEL);
  check_code(&command, 2);
  hn_command_free(&command);
  command = hn_run_shell(folder, "\"$HOLON\" run '%s' --from nowhere", MODEL);
  check_code(&command, 2);
  hn_command_free(&command);
}

// In all coordinates: which force, and what its law was asked for.
static void a_force_without_a_value_is_named_with_its_argument(void **state) {
  (void)state;
  static const char *const coordinates[] = {"cartesian", "relative", "natural"};
  const char *folder = hn_fresh_folder("cli-no-value");
  for (int k = 0; k < 3; k++) {
    hn_command command = hn_run_shell(
        folder,
        "printf '%%s\\n' 'bodies: {a: {mass: 1, center: [1, 0, 0]}}' "
        "'joints: {p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}}' "
        "'forces: {puller: {type: joint-spring-damper, joint: p, law: \"sqrt(x - 5)\"}}' "
        "'simulation: {time: 1}' >m.yaml; \"$HOLON\" run m.yaml --coordinates %s",
        coordinates[k]);
    assert_true(command.code != 0);
    check_names(command.err, "'puller'");
    check_names(command.err, "0");
    hn_command_free(&command);
  }
}

// ---- stopped early ------------------------------------------------------------------------------

// A run without end, ended by Ctrl-C after a while, which may have to be longer on a slow computer.
static hn_command interrupted_run(const char *folder, const char *options) {
  hn_command command = {0};
  for (double wait = 0.3; wait < 20; wait *= 3) {
    hn_command_free(&command);
    command = hn_run_shell(folder,
                           "timeout --preserve-status -s INT %g \"$HOLON\" run '%s' --time 1e6 "
                           "--max-steps 1e12 "
                           "--max-step 1e-3 %s",
                           wait, MODEL, options);
    if (command.code < 128) break; // the signal came before the run
  }
  return command;
}

static void a_driver_that_jumps_is_named(void **state) {
  (void)state;
  static const char *const motions[] = {"0 if t < 0.5 else 1", "step(t - 0.5)"};
  const char *folder = hn_fresh_folder("cli-jump");
  for (size_t k = 0; k < sizeof motions / sizeof motions[0]; k++) {
    hn_command command = hn_run_shell(
        folder,
        "printf '%%s\\n' 'bodies: {a: {mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}' "
        "'joints: {p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}}' "
        "'drivers: {lift: {joint: p, motion: %s}}' 'gravity: [0, 0, -9.81]' > jump.yaml; "
        "\"$HOLON\" run jump.yaml --time 1 --quiet -o out",
        motions[k]);
    check_code(&command, 1);
    check_names(command.err, "jump.yaml:3");
    check_names(command.err, "'lift' 1 0.5");
    hn_command_free(&command);
  }
}

static void ctrl_c_leaves_readable_results(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-interrupt");
  hn_command command =
      interrupted_run(folder, "-o out --output-step 0.01 --signals x --save-state kept");
  check_code(&command, 1);
  check_names(command.err, "--from");
  assert_true(hn_file_exists(in(folder, "kept")));
  hn_command_free(&command);
  hn_results *results = read_results(in(folder, "out/results.h5"));
  int rows = hn_results_row_count(results);
  assert_true(rows > 2);
  const double *time = hn_results_time(results);
  const double *x = hn_results_column(results, 0);
  for (int i = 0; i < rows; i++) {
    check_near(x[i], 0.1 * cos(10 * time[i]), 1e-9 * (1000 + 100 * time[i]));
  }
  hn_results_free(results);
  assert_true(hn_file_exists(in(folder, "out/report.html")));
  char *certificate = hn_read_text(in(folder, "out/certificate.json"));
  assert_non_null(certificate);
  assert_null(hn_json_fault(certificate));
  free(certificate);
}

// The grid of 1e6 s has its second row at 2000 s.
static void a_run_stopped_within_the_first_row_has_two(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-early");
  hn_command command = interrupted_run(folder, "-o out");
  check_code(&command, 1);
  hn_command_free(&command);
  hn_results *results = read_results(in(folder, "out/results.h5"));
  int rows = hn_results_row_count(results);
  assert_true(rows >= 2);
  assert_true(hn_results_time(results)[rows - 1] > 0);
  hn_results_free(results);
}

static void an_interrupted_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-resume");
  hn_command command = interrupted_run(folder, "--json --save-state kept");
  check_code(&command, 1);
  assert_null(hn_json_fault(command.out));
  char code[64];
  assert_true(hn_json_value(command.out, "error/code", code, sizeof code));
  assert_string_equal(code, "interrupted");
  double end = hn_json_number_in(command.out, "time") + 1;
  hn_command_free(&command);

  char whole[64], resumed[64];
  command =
      hn_run_shell(folder, "\"$HOLON\" run '%s' --json --max-step 1e-3 --time %.17g", MODEL, end);
  check_code(&command, 0);
  assert_true(hn_json_value(command.out, "certificate/state_hash", whole, sizeof whole));
  hn_command_free(&command);
  command = hn_run_shell(
      folder, "\"$HOLON\" run '%s' --json --max-step 1e-3 --time %.17g --from kept", MODEL, end);
  check_code(&command, 0);
  assert_true(hn_json_value(command.out, "certificate/state_hash", resumed, sizeof resumed));
  hn_command_free(&command);
  assert_string_equal(whole, resumed);
}

static void a_full_disk_is_a_failure_that_breaks_no_file(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-disk");
  hn_command command = hn_run_shell(folder, "\"$HOLON\" run '%s' --quiet -o out", MODEL);
  check_code(&command, 0);
  hn_command_free(&command);
  // no file may grow beyond 8 blocks of 512 bytes
  command = hn_run_shell(folder, "(ulimit -f 8; \"$HOLON\" run '%s' --time 2 -o out)", MODEL);
  check_code(&command, 1);
  hn_command_free(&command);
  hn_results *results = read_results(in(folder, "out/results.h5")); // those of the first run
  check_near(hn_results_time(results)[hn_results_row_count(results) - 1], 1, 0);
  hn_results_free(results);
  command =
      hn_run_shell(folder, "ls out | grep -v -x -e results.h5 -e report.html -e certificate.json"
                           " -e scene.json -e motion.bin -e model.json -e results.store -e run.call");
  assert_string_equal(command.out, ""); // nothing half-written lies about, but what --resume needs
  hn_command_free(&command);
}

static void a_nearly_full_disk_gets_the_outputs(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-small-disk");
  // limit of 64 kB a file: a third of all signals
  hn_command command = hn_run_shell(folder, "(ulimit -f 128; \"$HOLON\" run '%s' -o out)", MODEL);
  check_code(&command, 1);
  hn_command_free(&command);
  hn_results *results = read_results(in(folder, "out/results.h5"));
  assert_int_equal(hn_results_row_count(results), 501);
  const double *x = hn_results_column(results, hn_results_find(results, "x"));
  check_near(x[500], 0.1 * cos(10), 1e-7);
  hn_results_free(results);
  char *certificate = hn_read_text(in(folder, "out/certificate.json"));
  assert_non_null(certificate);
  assert_null(hn_json_fault(certificate));
  free(certificate);
}

static void a_folder_that_cannot_be_made_is_told(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-folder");
  static const char *const folders[] = {"taken", "taken/out"};
  for (int k = 0; k < 2; k++) {
    hn_command command =
        hn_run_shell(folder, "touch taken; \"$HOLON\" run '%s' -o %s", MODEL, folders[k]);
    check_code(&command, 2);
    check_names(command.err, "taken");
    assert_string_equal(command.out, ""); // reported before the run
    hn_command_free(&command);
  }
}

static void files_that_cannot_be_written_are_told_before_the_run(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-unwritable");
  static const char *const options[] = {"run --json --save-state no/such/folder/x.state",
                                        "run --save-state taken", "run -o full", "verify -o file",
                                        "compare -o file --json"};
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    hn_command command = hn_run_shell(folder,
                                      "mkdir -p taken full/results.h5; touch file; "
                                      "\"$HOLON\" %s '%s' --time 1e9",
                                      options[k], MODEL);
    check_code(&command, 2);
    assert_true((strstr(options[k], "json") ? command.out : command.err)[0] != '\0');
    hn_command_free(&command);
  }
  assert_false(hn_file_exists(HOLON_TEST_OUTPUT_DIR "/cli-unwritable/full/report.html"));
}

// Reported before the folder is made, which ends these calls: nothing is simulated.
static void results_above_a_gigabyte_are_told_before_the_run(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-large");
  static const char *const options[] = {"", "--signals x --signals v", "--quiet", "--json"};
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    hn_command command = hn_run_shell(
        folder, "touch file; \"$HOLON\" run '%s' --time 10 --output-step 1e-6 %s -o file/x", MODEL,
        options[k]);
    check_code(&command, 2);
    const char *told = strstr(command.err, "warning: ");
    if (k > 0) assert_null(told); // 1e7 rows of the time and two signals are 0.24 GB
    if (k == 0) {
      assert_non_null(told);
      // 8 bytes of each signal and of the time, 10,000,001 rows
      double size = strtod(told + strcspn(told, "0123456789"), NULL);
      const char *rows = strstr(told, "10000001 ");
      assert_non_null(rows);
      rows += strlen("10000001 ");
      check_near(size, 0.08 * (1 + strtod(rows + strcspn(rows, "0123456789"), NULL)), 0.051);
      check_names(told, "--output-step");
      check_names(told, "--signals");
    }
    hn_command_free(&command);
  }
}

// Notes are printed by a run as by a check, and are not warnings.
static void a_run_tells_of_two_drivers_of_one_joint(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-two-drivers");
  const char *model = "bodies:\\n  disc: {mass: 1, inertia: [1, 1, 1]}\\n"
                      "joints:\\n  hub: {type: revolute, bodies: [ground, disc], at: [0, 0, 0], "
                      "axis: z}\\n"
                      "drivers:\\n  one: {joint: hub, motion: 2*t}\\n"
                      "  two: {joint: hub, motion: 2*t}\\n"
                      "simulation: {time: 1}\\n";
  hn_command command = hn_run_shell(
      folder, "printf '%s' >m.yaml; \"$HOLON\" run m.yaml --strict -o out 2>&1", model);
  check_code(&command, 0);
  check_names(command.out, "m.yaml:7:3: note: 'two' 'hub' 'one'");
  hn_command_free(&command);
}

// The angle of the crank passes 1.5 rad on the way: from there on the root has no value.
static void an_output_that_is_no_number_is_named_in_the_certificate(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-not-a-number");
  const char *model = "name: wheel\\n"
                      "bodies:\\n  disc: {mass: 1, inertia: [1, 1, 1]}\\n"
                      "joints:\\n  hub: {type: revolute, bodies: [ground, disc], at: [0, 0, 0], "
                      "axis: z, initial: {angle_rate: 1}}\\n"
                      "outputs:\\n  left: sqrt(1.5 - joint.hub.angle)\\n"
                      "  gone: 1 / (joint.hub.angle_rate - joint.hub.angle_rate)\\n"
                      "simulation: {time: 2}\\n";
  hn_command command =
      hn_run_shell(folder, "printf '%s' >m.yaml; \"$HOLON\" run m.yaml --json -o out", model);
  check_code(&command, 0);
  char value[512];
  assert_true(hn_json_value(command.out, "final/left", value, sizeof value));
  assert_string_equal(value, "null");
  assert_int_equal(hn_json_count(command.out, "certificate/warnings"), 2);
  check_names(command.out, "'gone' 'left'");
  assert_non_null(strstr(command.out, "t = 0 s"));
  assert_non_null(strstr(command.out, "t = 1.5"));
  hn_command_free(&command);
  command = hn_run_shell(folder, "\"$HOLON\" run m.yaml --json --strict");
  check_code(&command, 1);
  hn_command_free(&command);
  command = hn_run_shell(folder, "\"$HOLON\" run m.yaml -o out");
  check_code(&command, 0);
  assert_non_null(strstr(command.out, "left = not a number,"));
  hn_command_free(&command);
}

// An oscillation 1000 cos(t) by a loose tolerance, near its zero: the estimated error is far above the
// value, and the value is shown with two digits.
static void a_value_below_its_estimated_error_is_shown(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-below-error");
  hn_command command = hn_run_shell(
      folder, "printf 'bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\\n"
              "joints: {hub: {type: revolute, bodies: [ground, m], at: [0, 0, 0], axis: z, "
              "initial: {angle: 1}}}\\n"
              "forces: {k: {type: torque, joint: hub, torque: \"-1 N m/rad*joint.hub.angle\"}}\\n"
              "outputs: {x: 1000*joint.hub.angle}\\nsimulation: {time: 14.112}\\n' >m.yaml; "
              "\"$HOLON\" run m.yaml --tol 1e-2 -o out");
  check_code(&command, 0);
  const char *text = strstr(command.out, "x = ");
  assert_non_null(text);
  char *end = NULL;
  const double value = strtod(text + 4, &end);
  assert_int_equal(strncmp(end, " +- ", 4), 0);
  assert_true(strtod(end + 4, NULL) > 2 * fabs(value));
  hn_command_free(&command);
  command = hn_run_shell(folder, "\"$HOLON\" run m.yaml --tol 1e-2 --json");
  const double exact = hn_json_number_in(command.out, "final/x");
  assert_true(fabs(exact) > 1);
  check_near(value, exact, 0.05 * fabs(exact));
  hn_command_free(&command);
}

static void times_may_have_units(void **state) {
  (void)state;
  hn_command command = hn_run_holon("run '%s' --json --time '0.01 min' --max-step 5ms", MODEL);
  check_code(&command, 0);
  check_near(hn_json_number_in(command.out, "time"), 0.6, 1e-15);
  check_near(hn_json_number_in(command.out, "certificate/options/max_step"), 0.005, 1e-15);
  hn_command_free(&command);
}

// Steps of 0.25 s for a period of 0.63 s gain energy without end.
static void an_unsound_run_fails_only_when_strict(void **state) {
  (void)state;
  hn_command command =
      hn_run_holon("run '%s' --json --step 0.25 --time 60 --formula dopri5", MODEL);
  check_code(&command, 0);
  char grade[64];
  assert_true(hn_json_value(command.out, "certificate/verdict/grade", grade, sizeof grade));
  assert_string_equal(grade, "unsound");
  assert_true(hn_json_count(command.out, "certificate/verdict/reasons") > 0);
  hn_command_free(&command);
  command = hn_run_holon("run '%s' --json --step 0.25 --time 60 --formula dopri5 --strict", MODEL);
  check_code(&command, 1);
  assert_null(hn_json_fault(command.out));
  assert_true(hn_json_value(command.out, "status", grade, sizeof grade));
  assert_string_equal(grade, "failed");
  hn_command_free(&command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_has_the_final_values_and_the_certificate),
      cmocka_unit_test(a_run_writes_three_files_and_eleven_lines),
      cmocka_unit_test(csv_has_names_then_units),
      cmocka_unit_test(same_call_gives_the_same_hash),
      cmocka_unit_test(model_parameters_and_tolerance_can_be_overridden),
      cmocka_unit_test(going_on_from_a_kept_state_changes_no_bit),
      cmocka_unit_test(a_state_of_another_model_is_refused),
      cmocka_unit_test(a_force_without_a_value_is_named_with_its_argument),
      cmocka_unit_test(a_driver_that_jumps_is_named),
      cmocka_unit_test(ctrl_c_leaves_readable_results),
      cmocka_unit_test(a_run_stopped_within_the_first_row_has_two),
      cmocka_unit_test(an_interrupted_run_goes_on_bit_for_bit),
      cmocka_unit_test(a_full_disk_is_a_failure_that_breaks_no_file),
      cmocka_unit_test(a_nearly_full_disk_gets_the_outputs),
      cmocka_unit_test(a_folder_that_cannot_be_made_is_told),
      cmocka_unit_test(files_that_cannot_be_written_are_told_before_the_run),
      cmocka_unit_test(results_above_a_gigabyte_are_told_before_the_run),
      cmocka_unit_test(a_run_tells_of_two_drivers_of_one_joint),
      cmocka_unit_test(an_output_that_is_no_number_is_named_in_the_certificate),
      cmocka_unit_test(a_value_below_its_estimated_error_is_shown),
      cmocka_unit_test(times_may_have_units),
      cmocka_unit_test(an_unsound_run_fails_only_when_strict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
