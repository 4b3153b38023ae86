// Files of a stopped run, and --resume: no row is lost or made twice; a folder that cannot be
// continued is rejected and left unchanged.
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sealing.h"
#include "holon/holon.h"
#include "support/command.h"

#define MODEL HOLON_SOURCE_DIR "/tests/cli/spring.yaml"

static void check_code(const hn_command *command, int code) {
  if (command->code != code) print_error("stdout: %s\nstderr: %s\n", command->out, command->err);
  assert_int_equal(command->code, code);
}

// A line of the shell that has to end with this code; what it says is looked for in its messages.
static void expect(const char *folder, int code, const char *says, const char *line) {
  hn_command command = hn_run_shell(folder, "%s", line);
  check_code(&command, code);
  if (says != NULL) check_names(command.err, says);
  hn_command_free(&command);
}

// A folder with `out`, a run that was stopped with its state and its store, and a copy of both.
static const char *stopped_run(const char *name) {
  const char *folder = hn_fresh_folder(name);
  expect(folder, 0, NULL,
         "for wait in 0.3 1 3 9; do "
         "timeout --preserve-status -s INT $wait \"$HOLON\" run " MODEL " --time 1e6 "
         "--max-steps 1e12 "
         "--max-step 1e-3 --output-step 0.01 --format store --quiet -o out 2>/dev/null; "
         "[ -f out/checkpoint.state ] && break; done; cp -r out kept");
  return folder;
}

static void what_is_fixed_by_the_rows_is_refused_beside_resume(void **state) {
  (void)state;
  const char *folder = stopped_run("resume-signals");
  expect(folder, 2, "--signals --resume", "\"$HOLON\" run --resume out --signals x --time 1");
  expect(folder, 2, "--output-step --resume",
         "\"$HOLON\" run --resume out --output-step=0.3 --time 1");
  expect(folder, 2, "--set --resume", "\"$HOLON\" run --set a=1 --resume=out");
  expect(folder, 0, NULL,
         "cmp out/results.store kept/results.store && "
         "cmp out/checkpoint.state kept/checkpoint.state");
}

static void a_damaged_state_is_told_and_the_store_stays(void **state) {
  (void)state;
  const char *folder = stopped_run("resume-damaged");
  expect(folder, 1, "checkpoint.state",
         "echo nonsense > out/checkpoint.state; \"$HOLON\" run --resume out --time 1");
  expect(
      folder, 1, "checkpoint.state",
      "rm out/checkpoint.state; mkdir out/checkpoint.state; \"$HOLON\" run --resume out --time 1");
  expect(folder, 0, NULL, "cmp out/results.store kept/results.store");
  // without one the run starts again
  expect(folder, 0, NULL,
         "rmdir out/checkpoint.state; \"$HOLON\" run --resume out --time 0.1 && "
         "[ ! -f out/run.call ]");
}

static void an_export_of_a_cut_store_says_so(void **state) {
  (void)state;
  const char *folder = stopped_run("resume-cut");
  expect(folder, 0, "out/results.store", "\"$HOLON\" export out --results a.csv");
  expect(folder, 0, "out/results.store 3",
         "printf cut >> out/results.store; \"$HOLON\" export out --results a.csv");
  expect(folder, 0, "out/results.store 3", "\"$HOLON\" export out --results a.npz");
  expect(folder, 2, "'out'", "rm -f out/scene.json; \"$HOLON\" view out --html a.html");
}

static void a_run_in_real_time_writes_a_store(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("resume-realtime");
  expect(folder, 0, NULL,
         "\"$HOLON\" run " MODEL " --realtime --pace none --step 1e-3 --time 0.1 --quiet "
         "--format store -o out && \"$HOLON\" run " MODEL " --realtime --pace none "
         "--step 1e-3 --time 0.1 --quiet --format csv -o out && "
         "mv out/results.csv all.csv && \"$HOLON\" export out --results a.csv 2>said && "
         "cmp a.csv all.csv && [ ! -s said ]");
}

// Limit of 200 kB a file: not enough for all rows.
static void a_full_disk_leaves_the_store_and_the_state(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("resume-disk");
  expect(folder, 1, "",
         "(ulimit -f 400; \"$HOLON\" run " MODEL " --output-step 1e-4 --format store "
         "--save-state last -o out)");
  expect(folder, 0, "out/results.store", "\"$HOLON\" export out --results a.csv");
  expect(folder, 0, NULL, "[ -s last ] && \"$HOLON\" run " MODEL " --time 2 --from last --json");
}

static void write_in(const char *folder, const char *name, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  write_bytes(path, text, strlen(text));
}

#define SERVE                                                                                      \
  "--served \"wheel.hnc=echo \\$\\$ > pid; exec $HOLON component serve wheel.hnc --stdio\" "
#define RUN                                                                                        \
  "\"$HOLON\" run car.yaml --time 0.5 --output-step 0.001 --format store --quiet --no-scene "

// The last row of such a run is off the grid: it is shown, but the run does not continue after it.
static void a_run_whose_component_fell_silent_goes_on(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("resume-silent");
  write_in(folder, "wheel.yaml", HOPPER);
  write_in(folder, "car.yaml", HOP("wheel.hnc"));
  expect(folder, 0, NULL,
         "\"$HOLON\" component build wheel.yaml -o wheel.hnc && " RUN SERVE "-o whole && "
         "\"$HOLON\" export whole --results whole.csv");
  expect(folder, 0, NULL,
         RUN "--checkpoint 0.01 --patience 8 " SERVE "-o out 2>said & all=$!; "
             "i=0; until [ -f out/checkpoint.state ] || [ $i -gt 400 ]; do sleep 0.05; "
             "i=$((i+1)); done; sleep 0.2; kill -STOP $(cat pid); wait $all; code=$?; "
             "[ $code -eq 0 ] || \"$HOLON\" run --resume out --quiet --patience 60 " SERVE
             "|| exit 9; "
             "\"$HOLON\" export out --results out.csv && cmp out.csv whole.csv");
}

// A folder may be untrusted: it starts no program and replaces no file but a state.
static void a_folder_brings_nothing_about_by_itself(void **state) {
  (void)state;
  const char *folder = stopped_run("resume-foreign");
  expect(folder, 2, "wheel=touch",
         "printf '%s\\n' --served 'wheel=touch started' >>out/run.call; "
         "\"$HOLON\" run --resume out --time 1");
  expect(folder, 2, "--allow-compiled",
         "cp kept/run.call out; echo --allow-compiled >>out/run.call; "
         "\"$HOLON\" run --resume out --time 1");
  expect(folder, 2, "'out'",
         "cp kept/run.call out; printf '%s\\n' --save-state letter >>out/run.call; "
         "echo dear >letter; \"$HOLON\" run --resume out --time 1");
  expect(folder, 2, "wheel=touch", // shortened
         "cp kept/run.call out; printf '%s\\n' --serve 'wheel=touch started' >>out/run.call; "
         "\"$HOLON\" run --resume out --time 1");
  expect(folder, 2, "--allow-c",
         "cp kept/run.call out; echo --allow-c >>out/run.call; "
         "\"$HOLON\" run --resume out --time 1");
  expect(
      folder, 2, "--served=wheel=touch", // behind what seems an option
      "cp kept/run.call out; printf '%s\\n' --signals --save-state '--served=wheel=touch started' "
      ">>out/run.call; \"$HOLON\" run --resume out --time 1");
  expect(folder, 2, "'out'",
         "cp kept/run.call out; echo --save-s=letter >>out/run.call; "
         "\"$HOLON\" run --resume out --time 1");
  expect(folder, 2, "10000",
         "cp kept/run.call out; yes -- --quiet | head -n 300000 >>out/run.call; "
         "timeout 20 \"$HOLON\" run --resume out --time 1");
  expect(folder, 0, NULL, "[ ! -e started ] && [ \"$(cat letter)\" = dear ]");
  expect(folder, 0, NULL, // links lead nowhere
         "for f in run.lock results.store; do for state in checkpoint.state none; do rm -rf out; "
         "cp -r kept out; rm -f out/$f; ln -s ../letter out/$f; "
         "[ $state = checkpoint.state ] || rm out/checkpoint.state; "
         "\"$HOLON\" run --resume out --time 1 --quiet 2>said; code=$?; [ $code -eq 1 ] || [ $code "
         "-eq 2 ] || exit 3; "
         "[ \"$(cat letter)\" = dear ] && [ -s said ] || exit 4; done; done; "
         "rm -rf out; cp -r kept out; printf '%s\\n' --save-state letter >>out/run.call");
  expect(folder, 0, NULL, // at its end already, and the state is written
         "rm letter; \"$HOLON\" run --resume out --time 0.1 --quiet; [ -s letter ]");
}

// Nor does it make a command wait.
static void pipes_in_a_folder_are_refused(void **state) {
  (void)state;
  const char *folder = stopped_run("resume-pipes");
  expect(
      folder, 0, NULL,
      "for f in run.call checkpoint.state results.store; do rm -rf out; cp -r kept out; rm out/$f; "
      "mkfifo out/$f; timeout 20 \"$HOLON\" run --resume out --time 1; "
      "code=$?; [ $code -eq 1 ] || [ $code -eq 2 ] || exit $code; done");
  expect(folder, 0, NULL,
         "\"$HOLON\" run " MODEL
         " --time 0.1 -o made --quiet; for f in scene.json motion.bin results.h5; do "
         "rm -rf out; cp -r made out; rm out/$f; mkfifo out/$f; "
         "timeout 20 \"$HOLON\" view out --html page.html; "
         "code=$?; [ $code -le 2 ] || exit $code; done");
}

// Sparse files are long but take no disk space: they are not read to the end.
static void files_with_holes_are_refused(void **state) {
  (void)state;
  const char *folder = stopped_run("resume-holes");
  expect(
      folder, 0, NULL,
      "for f in run.call checkpoint.state; do rm -rf out; cp -r kept out; truncate -s 200G out/$f; "
      "timeout 20 \"$HOLON\" run --resume out --time 1; "
      "code=$?; [ $code -eq 1 ] || [ $code -eq 2 ] || exit $code; done");
  expect(folder, 0, NULL,
         "rm -rf out; cp -r kept out; truncate -s 200G out/results.store; "
         "timeout 20 \"$HOLON\" export out --results rows.csv; [ $? -le 2 ]");
  expect(folder, 0, NULL,
         "\"$HOLON\" run " MODEL
         " --time 0.1 -o made --quiet; for f in scene.json motion.bin certificate.json; do "
         "rm -rf out; cp -r made out; truncate -s 200G out/$f; "
         "timeout 20 \"$HOLON\" view out --html page.html; code=$?; [ $code -le 2 ] || exit $code; "
         "done");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_fixed_by_the_rows_is_refused_beside_resume),
      cmocka_unit_test(a_folder_brings_nothing_about_by_itself),
      cmocka_unit_test(pipes_in_a_folder_are_refused),
      cmocka_unit_test(files_with_holes_are_refused),
      cmocka_unit_test(a_damaged_state_is_told_and_the_store_stays),
      cmocka_unit_test(an_export_of_a_cut_store_says_so),
      cmocka_unit_test(a_run_in_real_time_writes_a_store),
      cmocka_unit_test(a_full_disk_leaves_the_store_and_the_state),
      cmocka_unit_test(a_run_whose_component_fell_silent_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
