// Errors and exit codes of wrong calls.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

#define MODEL "models/four-bar.yaml"

static void check_code(const hn_command *command, int code) {
  if (command->code != code) print_error("stdout: %s\nstderr: %s\n", command->out, command->err);
  assert_int_equal(command->code, code);
}

// Runs, and checks the exit code and a piece of stderr.
static void check_refused(const char *words, const char *piece) {
  hn_command command = hn_run_holon("%s", words);
  check_code(&command, 2);
  check_names(command.err, piece);
  assert_string_equal(command.out, "");
  hn_command_free(&command);
}

static void every_level_has_help_with_an_example(void **state) {
  (void)state;
  static const char *const levels[] = {"",      "run ",  "check ",  "statics ", "kinematics ",
                                       "plot ", "list ", "schema ", "view ",    "export "};
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
    hn_command command = hn_run_holon("%s--help", levels[i]);
    check_code(&command, 0);
    assert_non_null(strstr(command.out, "usage: holon"));
    assert_non_null(strstr(command.out, "example:\n  holon "));
    assert_string_equal(command.err, "");
    hn_command_free(&command);
  }
}

static void version_is_that_of_the_library(void **state) {
  (void)state;
  hn_command command = hn_run_holon("--version");
  char expected[64];
  snprintf(expected, sizeof expected, "holon %s\n", hn_version());
  check_code(&command, 0);
  assert_string_equal(command.out, expected);
  hn_command_free(&command);
}

static void unknown_words_get_the_nearest_one(void **state) {
  (void)state;
  check_refused("chekc " MODEL, "'chekc' 'check'");
  check_refused("run " MODEL " --metod first-order", "'--method'");
  check_refused("run " MODEL " --formula dopri", "'dopri5'");
  check_refused("run " MODEL " --coordinates cartesain", "'cartesian'");
  check_refused("run " MODEL " --method=first-ordre", "'first-order'");
  check_refused("run " MODEL " --format hdf", "'hdf5'");
  check_refused("run " MODEL " --formula sdirk4", "'sdirk4-16'");
  check_refused("run " MODEL " --tolerance 1e-3", "'--tol'");
  // what the beginning of a name means would change with every option that is added
  check_refused("run " MODEL " --tim 1", "--time");
  check_refused("run " MODEL " --tim=1", "--time");
  check_refused("run " MODEL " --qui", "--quiet");
  check_refused("run " MODEL " -o ''", "--output");
  check_refused("run " MODEL " --output-stepp 1", "'--output-step'");
}

// Only what was asked for is named: coordinates are chosen here.
static void choices_that_do_not_go_together_are_named(void **state) {
  (void)state;
  check_refused("run " MODEL " --independent partition --formula dopri5", "'dopri5' 'partition'");
  check_refused("run " MODEL " --method components --coordinates relative",
                "'relative' 'components' cartesian");
}

static void commands_not_built_are_unknown(void **state) {
  (void)state;
  static const char *const words[] = {"optimize"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    char expected[64];
    snprintf(expected, sizeof expected, "'%s'", words[i]);
    check_refused(words[i], expected);
  }
}

static void calls_that_cannot_be_meant_are_refused(void **state) {
  (void)state;
  check_refused("run", "MODEL");
  check_refused("run " MODEL " other.yaml", "'other.yaml'");
  check_refused("run " MODEL " --time", "--time");
  check_refused("run " MODEL " --time '2 km'", "--time 0");
  check_refused("run " MODEL " --tol -1", "--tol 0 '-1'");
  check_refused("run " MODEL " --tol 1e-6x", "--tol 0");
  check_refused("run " MODEL " --threads 1.5", "--threads");
  check_refused("run " MODEL " --linear-solver topologie", "topology");
  check_refused("run " MODEL " --time 1e9 --output-step 1e-9", "--output-step --time");
  check_refused("run " MODEL " --time 1e300 --output-step 1e-300", "--output-step --time");
  check_refused("kinematics " MODEL " --time 1 --output-step 1e-9", "--output-step --time");
  check_refused("run " MODEL " --step 1e-3 --tol 1e-3", "--step --tol");
  check_refused("run " MODEL " --step 1e-3 --max-step 1e-2", "0.001");
  check_refused("run no-such-file.yaml", "no-such-file.yaml");
  check_refused("run " MODEL " --set no_such_parameter=1", "no_such_parameter");
  check_refused("--json", "'--json' `holon --help`");
  check_refused("plot no-such-folder x", "no-such-folder");
}

// Readers of JSON get the error there, too.
static void a_wrong_call_answers_in_json(void **state) {
  (void)state;
  static const struct {
    const char *words, *message, *hint;
  } calls[] = {
      {"run " MODEL " --json --metod x", "'--metod' '--method'", "--help"},
      {"run " MODEL " --formula dopri --json", "--formula 'dopri'", "`holon run --help`"},
      {"run --json", "MODEL", "--help"},
      {"chekc --json " MODEL, "'chekc'", "`holon --help`"},
      {"run " MODEL " --json --step 1e-3 --tol 1e-3", "--step --tol", "--help"},
  };
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    hn_command command = hn_run_holon("%s", calls[i].words);
    char value[1024];
    check_code(&command, 2);
    assert_null(hn_json_fault(command.out));
    assert_true(hn_json_value(command.out, "error/code", value, sizeof value));
    assert_string_equal(value, "argument");
    assert_true(hn_json_value(command.out, "error/message", value, sizeof value));
    check_names(value, calls[i].message);
    assert_true(hn_json_value(command.out, "error/hint", value, sizeof value));
    check_names(value, calls[i].hint);
    assert_string_equal(command.err, "");
    hn_command_free(&command);
  }
}

static void no_words_print_help_and_exit_2(void **state) {
  (void)state;
  hn_command command = hn_run_holon(" ");
  check_code(&command, 2);
  assert_non_null(strstr(command.out, "commands:"));
  hn_command_free(&command);
}

static void a_mistake_in_a_model_is_shown_with_its_place(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-mistake");
  hn_command made = hn_run_shell(
      folder,
      "printf 'name: wrong\\nbodies:\\n  rod: {mas: 1}\\nsimulation: {time: 1}\\n' >m.yaml");
  check_code(&made, 0);
  hn_command_free(&made);

  hn_command command = hn_run_shell(folder, "\"$HOLON\" run m.yaml");
  check_code(&command, 2);
  check_names(command.err, "m.yaml:3");
  check_names(command.err, "'mass'");                      // the nearest word
  assert_non_null(strstr(command.err, "  rod: {mas: 1}")); // the line, and a caret below
  assert_non_null(strstr(command.err, "^"));
  hn_command_free(&command);

  command = hn_run_shell(folder, "\"$HOLON\" run m.yaml --json");
  check_code(&command, 2);
  assert_null(hn_json_fault(command.out));
  char value[512];
  assert_true(hn_json_value(command.out, "status", value, sizeof value));
  assert_string_equal(value, "failed");
  assert_true(hn_json_value(command.out, "error/file", value, sizeof value));
  assert_string_equal(value, "m.yaml");
  check_near(hn_json_number_in(command.out, "error/line"), 3, 0);
  assert_int_equal(hn_json_count(command.out, "error"), 7);
  assert_false(hn_file_exists(HOLON_TEST_OUTPUT_DIR "/cli-mistake/out"));
  hn_command_free(&command);
}

// The part of a line that is shown has the column, wherever it is.
static void a_mistake_in_a_long_line_has_its_caret(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-long-line");
  hn_command command = hn_run_shell(
      folder,
      "printf 'bodies:\\n  rod: {mass: 1, %%400s mas: 1}\\n' '' >m.yaml; \"$HOLON\" check m.yaml");
  check_code(&command, 2);
  const char *line = strstr(command.err, "     2 | "), *caret = strstr(command.err, "       | ");
  assert_non_null(line);
  assert_non_null(caret);
  const size_t column = strcspn(caret, "^");
  assert_int_equal(strncmp(line + column, "mas: 1", 6), 0);
  assert_true(strcspn(line, "\n") < 180);
  hn_command_free(&command);
}

// Values that come with the call name the option, not a file and a line of it.
static void a_wrong_value_of_the_call_names_its_option(void **state) {
  (void)state;
  check_refused("check models/examples/pendulum.yaml --set muu=1", "--set: 'muu'");
  check_refused("sweep models/examples/pendulum.yaml --vary muu=1,2", "--vary: 'muu'");
}

static void a_run_without_an_end_is_refused(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-endless");
  hn_command command = hn_run_shell(
      folder,
      "printf 'name: endless\\nbodies:\\n  rod: {mass: 1}\\n' >m.yaml; \"$HOLON\" run m.yaml");
  check_code(&command, 2);
  check_names(command.err, "--time");
  hn_command_free(&command);
}

// ---- what documents the command knows every option ----------------------------------------------

static void check_documented(const char *help, const char *text, const char *file, int dashes) {
  for (const char *at = strstr(help, "--"); at != NULL; at = strstr(at + 2, "--")) {
    size_t length = strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
    char name[64] = "", word[128] = "";
    if (length == 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)length, at + 2);
    for (const char *c = name; *c != '\0'; c++) { // a manual page escapes its dashes
      size_t end = strlen(word);
      snprintf(word + end, sizeof word - end, *c == '-' && dashes ? "\\-" : "%c", *c);
    }
    if (strstr(text, word) == NULL) fail_msg("%s does not know --%s", file, name);
  }
}

static void manual_and_completion_know_every_option(void **state) {
  (void)state;
  static const char *const commands[] = {"run",  "check", "statics", "kinematics", "plot",
                                         "list", "view",  "export",  "linearize",  "inverse"};
  char *manual = hn_read_text(HOLON_SOURCE_DIR "/tools/holon/holon.1");
  char *completion = hn_read_text(HOLON_SOURCE_DIR "/tools/holon/holon-completion.bash");
  assert_non_null(manual);
  assert_non_null(completion);
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    hn_command command = hn_run_holon("%s --help", commands[i]);
    check_documented(command.out, manual, "holon.1", 1);
    check_documented(command.out, completion, "holon-completion.bash", 0);
    hn_command_free(&command);
  }
  free(manual);
  free(completion);
}

// `list` has what files may say, `--set` what it may set, and a constant damper is no coefficient.
static void what_may_be_written_is_listed(void **state) {
  (void)state;
  hn_command c = hn_run_holon("list");
  assert_non_null(strstr(c.out, "ball-spring-damper"));
  assert_null(strstr(c.out, "rolling-tyre"));
  hn_command_free(&c);
  c = hn_run_holon("check models/gyroscope.yaml --set top=28");
  assert_int_equal(c.code, 2);
  check_names(c.err, "'top'");
  check_names(c.err, "mass");
  check_names(c.err, "arm");
  check_names(c.err, "weight");
  hn_command_free(&c);
  const char *folder = hn_fresh_folder("cli-damper");
  c = hn_run_shell(folder, "printf 'bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\\n"
                           "joints: {j: {type: translational, bodies: [ground, b], at: [0, 0, 0], "
                           "axis: x}}\\n"
                           "forces: {s: {type: joint-spring-damper, joint: j, damper: %%s}}\\n' 5 "
                           ">a.yaml; sed 's/damper: 5/damper: 5*v/' a.yaml >b.yaml; "
                           "\"$HOLON\" check a.yaml");
  check_names(c.err, "'s'");
  check_has_number(c.err, 5, 0);
  hn_command_free(&c);
  c = hn_run_shell(folder, "\"$HOLON\" check b.yaml");
  assert_int_equal(c.code, 0);
  assert_false(hn_has_names(c.err, "'s'"));
  hn_command_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_may_be_written_is_listed),
      cmocka_unit_test(every_level_has_help_with_an_example),
      cmocka_unit_test(version_is_that_of_the_library),
      cmocka_unit_test(unknown_words_get_the_nearest_one),
      cmocka_unit_test(choices_that_do_not_go_together_are_named),
      cmocka_unit_test(commands_not_built_are_unknown),
      cmocka_unit_test(calls_that_cannot_be_meant_are_refused),
      cmocka_unit_test(a_wrong_call_answers_in_json),
      cmocka_unit_test(no_words_print_help_and_exit_2),
      cmocka_unit_test(a_mistake_in_a_model_is_shown_with_its_place),
      cmocka_unit_test(a_mistake_in_a_long_line_has_its_caret),
      cmocka_unit_test(a_wrong_value_of_the_call_names_its_option),
      cmocka_unit_test(a_run_without_an_end_is_refused),
      cmocka_unit_test(manual_and_completion_know_every_option),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
