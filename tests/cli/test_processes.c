// Several processes by mpirun: the same bits as one, a component that stays with its supplier, and
// the remaining files when one of them is killed. Without mpirun, or when this holon does not know
// it, the tests are skipped.
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sealing.h"
#include "support/command.h"

// One machine plays several; no test may hang.
#define MPIRUN                                                                                     \
  "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; "                             \
  "timeout 100 mpirun --oversubscribe "
// Until a row of results is on the disk.
#define WAIT_FOR_ROWS(folder)                                                                      \
  "i=0; until grep -a -q ROWS " folder "/results.store 2>/dev/null || [ $i -gt 400 ]; "            \
  "do sleep 0.1; i=$((i+1)); done; "

static void skip_without_mpi(void) {
  static int known = -1;
  if (known < 0) {
    hn_command command =
        hn_run_shell(HOLON_TEST_OUTPUT_DIR, MPIRUN "-n 2 \"$HOLON\" run nothing.yaml");
    known = strstr(command.err, "nothing.yaml") != NULL && command.code != 127;
    hn_command_free(&command);
  }
  if (known) return;
  print_message("mpirun is not there, or holon is built without it\n");
  skip();
}

static void check_code(const hn_command *command, int code) {
  if (command->code != code) print_error("stdout: %s\nstderr: %s\n", command->out, command->err);
  assert_int_equal(command->code, code);
}

static char *read_certificate(const char *folder) {
  char path[1200];
  snprintf(path, sizeof path, "%s/certificate.json", folder);
  char *text = hn_read_text(path);
  if (text == NULL) fail_msg("%s is not there", path);
  return text;
}

// The same state, estimated errors and grade, as text.
static void check_alike(const char *folder, const char *name, const char *expected) {
  static const char *const entries[] = {
      "state_hash",      "verdict/grade",  "accuracy/worst", "accuracy/worst_signal",
      "accuracy/motion", "accuracy/until", "steps/accepted", "constraint/position",
      "choice",          "evaluations"};
  char path[2][1100], value[2][128];
  snprintf(path[0], sizeof path[0], "%s/%s", folder, name);
  snprintf(path[1], sizeof path[1], "%s/%s", folder, expected);
  char *text[2] = {read_certificate(path[0]), read_certificate(path[1])};
  assert_true(hn_json_number_in(text[1], "accuracy/worst") > 0);
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++) {
    for (int i = 0; i < 2; i++)
      if (!hn_json_value(text[i], entries[k], value[i], sizeof value[i]))
        fail_msg("%s: no %s", path[i], entries[k]);
    assert_string_equal(value[0], value[1]);
  }
  free(text[0]);
  free(text[1]);
}

static void write_in(const char *folder, const char *name, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  write_bytes(path, text, strlen(text));
}

// user/: the model. maker/: the sealed file. open/: both as open files.
static const char *make_folders(const char *name) {
  const char *folder = hn_fresh_folder(name);
  hn_command command = hn_run_shell(folder, "mkdir user maker open");
  check_code(&command, 0);
  hn_command_free(&command);
  write_in(folder, "open/wheel.yaml", HOPPER);
  write_in(folder, "open/car.yaml", HOP("wheel.yaml"));
  write_in(folder, "user/car.yaml", HOP("wheel.hnc"));
  command = hn_run_shell(folder, "\"$HOLON\" component build open/wheel.yaml -o maker/wheel.hnc");
  check_code(&command, 0);
  hn_command_free(&command);
  return folder;
}

// With the sealed file, without servers; and with open files, whose state is the same.
static void run_alone(const char *folder) {
  char path[2][1024], hash[2][64];
  hn_command command = hn_run_shell(
      folder, "cp user/car.yaml maker/ && \"$HOLON\" run maker/car.yaml --allow-compiled --quiet "
              "--time 0.3 --output-step 0.3 -o alone && \"$HOLON\" run open/car.yaml --quiet "
              "--method components --time 0.3 --output-step 0.3 -o opened");
  check_code(&command, 0);
  hn_command_free(&command);
  for (int k = 0; k < 2; k++) {
    snprintf(path[k], sizeof path[k], "%s/%s", folder, k == 0 ? "alone" : "opened");
    char *text = read_certificate(path[k]);
    assert_true(hn_json_value(text, "state_hash", hash[k], sizeof hash[k]));
    free(text);
  }
  assert_string_equal(hash[0], hash[1]);
}

static void a_part_is_used_where_its_file_is_not(void **state) {
  (void)state;
  skip_without_mpi();
  const char *folder = make_folders("processes-served");
  char path[1024];
  run_alone(folder);
  for (int users = 1; users <= 2; users++) {
    hn_command command =
        hn_run_shell(folder,
                     MPIRUN "-n %d -wdir \"$PWD/user\" \"$HOLON\" run car.yaml --quiet "
                            "--time 0.3 --output-step 0.3 "
                            "-o ../served-%d : -n 1 -wdir \"$PWD/maker\" "
                            "\"$HOLON\" component serve wheel.hnc",
                     users, users);
    check_code(&command, 0);
    hn_command_free(&command);
  }
  check_alike(folder, "served-1", "alone");
  check_alike(folder, "served-2", "alone");
  for (int users = 1; users <= 2; users++) { // only while it runs
    snprintf(path, sizeof path, "%s/served-%d/results.store", folder, users);
    assert_false(hn_file_exists(path));
  }
}

static void what_cannot_be_served_ends_all(void **state) {
  (void)state;
  skip_without_mpi();
  const char *folder = make_folders("processes-wrong");
  hn_command command = hn_run_shell(folder, "\"$HOLON\" component serve maker/wheel.hnc");
  check_code(&command, 2);
  check_names(command.err, "mpirun");
  hn_command_free(&command);
  // not a component file
  command = hn_run_shell(folder, MPIRUN "-n 1 \"$HOLON\" run user/car.yaml : -n 1 "
                                        "\"$HOLON\" component serve open/wheel.yaml");
  assert_true(command.code != 0 && command.code != 124);
  check_names(command.err, "wheel.yaml");
  hn_command_free(&command);
  // a name that the model does not use
  command = hn_run_shell(folder, MPIRUN "-n 1 \"$HOLON\" run user/car.yaml : -n 1 "
                                        "\"$HOLON\" component serve maker/wheel.hnc --as tyre.hnc");
  assert_true(command.code != 0 && command.code != 124);
  check_names(command.err, "wheel.hnc");
  hn_command_free(&command);
  // two of one name
  command = hn_run_shell(folder, MPIRUN "-n 1 \"$HOLON\" run user/car.yaml : -n 2 "
                                        "\"$HOLON\" component serve maker/wheel.hnc");
  assert_true(command.code != 0 && command.code != 124);
  check_names(command.err, "'wheel.hnc'");
  hn_command_free(&command);
}

#define SERVE                                                                                      \
  "--served \"wheel.hnc=echo \\$\\$ > pid; exec $HOLON component serve maker/wheel.hnc --stdio\" "

static void a_command_serves_a_part_without_mpirun(void **state) {
  (void)state;
  const char *folder = make_folders("processes-piped");
  run_alone(folder);
  hn_command command = hn_run_shell(
      folder, "\"$HOLON\" run user/car.yaml --quiet --time 0.3 --output-step 0.3 " SERVE
              "-o piped && \"$HOLON\" check user/car.yaml " SERVE);
  check_code(&command, 0);
  assert_non_null(strstr(command.out, "sealed"));
  hn_command_free(&command);
  check_alike(folder, "piped", "alone");
}

static void a_command_that_ends_is_named(void **state) {
  (void)state;
  const char *folder = make_folders("processes-ends");
  char path[1024];
  hn_command command = hn_run_shell(
      folder, "timeout 60 \"$HOLON\" run user/car.yaml --served wheel.hnc=false -o none");
  check_code(&command, 2);
  check_names(command.err, "'left'");
  hn_command_free(&command);
  command =
      hn_run_shell(folder, "timeout 60 \"$HOLON\" run user/car.yaml --served wheel.hnc -o none");
  check_code(&command, 2);
  check_names(command.err, "NAME.hnc=COMMAND");
  hn_command_free(&command);
  command = hn_run_shell(folder, "timeout 60 \"$HOLON\" run user/car.yaml --time 1000 "
                                 "--output-step 0.01 " SERVE "-o out & all=$!; "
                                 "i=0; until [ -d out ] || [ $i -gt 400 ]; do sleep 0.1; "
                                 "i=$((i+1)); done; sleep 0.5; kill -9 $(cat pid); wait $all");
  check_code(&command, 1);
  check_names(command.err, "wheel.hnc");
  hn_command_free(&command);
  snprintf(path, sizeof path, "%s/out/results.h5", folder);
  assert_true(hn_file_exists(path));
}

static void expect_silence(const char *folder, const char *server) {
  hn_command command = hn_run_shell(
      folder, "timeout 60 \"$HOLON\" check user/car.yaml --patience 1 --served 'wheel.hnc=%s'",
      server);
  check_code(&command, 2);
  check_names(command.err, "'left'");
  check_names(command.err, "1 wheel.hnc");
  check_names(command.err, "--patience");
  hn_command_free(&command);
}

// Stopped, not ended: pipes stay open and silent.
static void a_command_that_hangs_is_named_after_a_while(void **state) {
  (void)state;
  const char *folder = make_folders("processes-hangs");
  char path[1024];
  expect_silence(folder, "sleep 100");
  expect_silence(folder, "while printf x; do sleep 0.3; done"); // a byte now and then
  hn_command command =
      hn_run_shell(folder, "timeout 60 \"$HOLON\" run user/car.yaml --time 1000 --patience 4 "
                           "--output-step 0.01 " SERVE "-o out & all=$!; "
                           "i=0; until [ -d out ] || [ $i -gt 400 ]; do sleep 0.1; "
                           "i=$((i+1)); done; sleep 0.5; kill -STOP $(cat pid); wait $all; "
                           "code=$?; ! kill -0 $(cat pid) && exit $code");
  check_code(&command, 1);
  check_names(command.err, "4 wheel.hnc");
  hn_command_free(&command);
  snprintf(path, sizeof path, "%s/out/results.h5", folder);
  assert_true(hn_file_exists(path));
}

static int rows_of(const char *path) {
  hn_results *results = NULL;
  hn_error error = {0};
  if (hn_results_read(path, &results, &error) != HN_OK) fail_msg("%s: %s", path, error.message);
  int rows = hn_results_row_count(results);
  assert_true(rows > 0);
  for (int k = 1; k < rows; k++)
    assert_true(hn_results_time(results)[k] > hn_results_time(results)[k - 1]);
  hn_results_free(results);
  return rows;
}

static void a_served_part_that_is_killed_is_named_and_results_are_there(void **state) {
  (void)state;
  skip_without_mpi();
  const char *folder = make_folders("processes-killed");
  char path[1024];
  hn_command command = hn_run_shell(
      folder, MPIRUN "-n 1 \"$HOLON\" run user/car.yaml --time 1000 --output-step 0.01 -o out "
                     ": -n 1 sh -c 'echo $$ > pid; exec \"$0\" component serve maker/wheel.hnc' "
                     "\"$HOLON\" & all=$!; " WAIT_FOR_ROWS("out") "kill -9 $(cat pid); wait $all");
  assert_true(command.code != 0 && command.code != 124);
  check_names(command.err, "wheel.hnc");
  hn_command_free(&command);
  snprintf(path, sizeof path, "%s/out/certificate.json", folder);
  assert_true(hn_file_exists(path));
  snprintf(path, sizeof path, "%s/out/results.h5", folder);
  if (!hn_file_exists(path)) snprintf(path, sizeof path, "%s/out/results.store", folder);
  assert_true(rows_of(path) > 0);
}

// More signals than can be written in the second that mpirun leaves to the others.
static void a_large_machine_whose_other_process_is_killed_leaves_its_rows(void **state) {
  (void)state;
  skip_without_mpi();
  const char *folder = hn_fresh_folder("processes-large");
  char path[1024];
  hn_command command = hn_run_shell(
      folder,
      MPIRUN "-n 2 sh -c '[ \"$OMPI_COMM_WORLD_RANK\" = 1 ] && echo $$ > pid; "
             "exec \"$0\" run " HOLON_SOURCE_DIR "/models/components/tree.yaml "
             "--method components --set beams=4 --set chains=10 --time 1000 "
             "--output-step 0.001 --max-steps 1e12 -o out' \"$HOLON\" & all=$!; " WAIT_FOR_ROWS(
                 "out") "kill -9 $(cat pid); wait $all");
  assert_true(command.code != 0 && command.code != 124);
  check_names(command.err, "process");
  hn_command_free(&command);
  snprintf(path, sizeof path, "%s/out/certificate.json", folder);
  char *certificate = hn_read_text(path);
  assert_non_null(certificate);
  assert_null(hn_json_fault(certificate));
  free(certificate);
  snprintf(path, sizeof path, "%s/out/results.store", folder);
  assert_true(rows_of(path) > 0);
  command = hn_run_shell(folder, "\"$HOLON\" plot out --list");
  check_code(&command, 0);
  assert_non_null(strstr(command.out, "girder.tilt"));
  assert_non_null(strstr(command.out, "rad"));
  hn_command_free(&command);
}

static void two_processes_end_with_the_bits_and_the_grade_of_one(void **state) {
  (void)state;
  skip_without_mpi();
  const char *folder = hn_fresh_folder("processes-two");
  for (int k = 0; k < 2; k++) {
    hn_command command =
        hn_run_shell(folder,
                     "%s\"$HOLON\" run " HOLON_SOURCE_DIR "/models/vlasenko/car.yaml --quiet "
                     "--method components --time 0.05 -o out-%d",
                     k == 0 ? "" : MPIRUN "-n 2 ", k);
    check_code(&command, 0);
    hn_command_free(&command);
  }
  check_alike(folder, "out-1", "out-0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_command_serves_a_part_without_mpirun),
      cmocka_unit_test(a_command_that_ends_is_named),
      cmocka_unit_test(a_command_that_hangs_is_named_after_a_while),
      cmocka_unit_test(two_processes_end_with_the_bits_and_the_grade_of_one),
      cmocka_unit_test(a_part_is_used_where_its_file_is_not),
      cmocka_unit_test(what_cannot_be_served_ends_all),
      cmocka_unit_test(a_served_part_that_is_killed_is_named_and_results_are_there),
      cmocka_unit_test(a_large_machine_whose_other_process_is_killed_leaves_its_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
