// Untrusted input of the command: pipes in `use:`, names that are paths, control characters, steps
// of nothing, tables with quotes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/command.h"

// Runs HOLON_COMMAND, which seals with HOLON_COMPONENT_RUNTIME.
static const char *folder;

#define PENDULUM                                                                                   \
  "bodies: {rod: {mass: 1, center: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"                      \
  "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: z}}\n"               \
  "simulation: {time: 0.1}\n"

static void put(const char *name, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

// The command ends with this code, and says these words.
static void expect(const char *line, int code, const char *words) {
  hn_command command = hn_run_shell(folder, "%s", line);
  if (command.code != code)
    fail_msg("%s\nended with %d\n%s%s", line, command.code, command.out, command.err);
  check_names(command.err[0] ? command.err : command.out, words);
  for (const char *text = command.out; text; text = text == command.out ? command.err : NULL)
    for (const char *c = text; *c; c++)
      if ((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t')
        fail_msg("%s\nprints the control character 0x%02x", line, (unsigned char)*c);
  hn_command_free(&command);
}

static int set_up(void **state) {
  (void)state;
  folder = hn_fresh_folder("hostile");
  return 0;
}

static void pipes_and_devices_in_use_are_refused(void **state) {
  (void)state;
  put("fifo.yaml", "components: {a: {use: fifo}}\n");
  put("device.yaml", "components: {a: {use: zero}}\n");
  put("mesh.yaml", "bodies: {a: {mass: 1, inertia: [1, 1, 1], shapes: [{mesh: pipe.stl}]}}\n");
  put("sealed.yaml", "components: {a: {use: pipe.hnc}}\n");
  expect("mkfifo fifo pipe.stl pipe.hnc; timeout 20 \"$HOLON\" check fifo.yaml", 2, "fifo");
  expect("ln -s /dev/zero zero; timeout 20 \"$HOLON\" check device.yaml", 2, "zero");
  expect("timeout 20 \"$HOLON\" check mesh.yaml", 2, "pipe.stl");
  expect("timeout 20 \"$HOLON\" check sealed.yaml --allow-compiled", 2, "pipe.hnc");
  put("tyre.yaml", "bodies: {w: {mass: 9, inertia: [1, 1, 1]}}\nroads: {r: {type: flat}}\n"
                   "forces: {t: {type: tyre, body: w, model: fifo, road: r}}\n");
  put("mesh.urdf", "<robot name='a'><link name='b'><visual><geometry><mesh filename='pipe.stl'/>"
                   "</geometry></visual><inertial><mass value='1'/></inertial></link></robot>\n");
  put("include.sdf", "<sdf version='1.6'><model name='m'><include><uri>fifo.sdf</uri></include>"
                     "<link name='l'/></model></sdf>\n");
  expect("timeout 20 \"$HOLON\" check tyre.yaml", 2, "fifo");
  expect("timeout 20 \"$HOLON\" import mesh.urdf", 0, "pipe.stl");
  expect("mkfifo fifo.sdf; timeout 20 \"$HOLON\" import include.sdf", 0, "fifo.sdf");
  expect("timeout 20 \"$HOLON\" plot zero x", 2, "zero");
}

static void samples_without_end_are_refused(void **state) {
  (void)state;
  put("samples.yaml", "states: {d: {value: 1, every: 1e-300}}\n" PENDULUM);
  expect("timeout 20 \"$HOLON\" check samples.yaml", 2, "1e-300");
}

// Signals that are found by name but not listed have no entry in tables over the listed ones.
static void outputs_of_signals_that_are_not_listed_are_compared(void **state) {
  (void)state;
  put("unlisted.yaml",
      PENDULUM "forces: {s: {type: point-force, body: rod, force: [1, 2, 0]}}\n"
               "outputs: {f: force.s.force.x, w: body.rod.local_angular_velocity.z,\n"
               "  a: body.rod.local_angular_acceleration.z,\n"
               "  r: 2*joint.pin.reaction.local_force.x}\n");
  expect("\"$HOLON\" run unlisted.yaml -o unlisted", 0, "unlisted");
}

static void a_name_is_no_path(void **state) {
  (void)state;
  put("up.yaml", "name: ..\n" PENDULUM);
  put("far.yaml", "name: ../../far\n" PENDULUM);
  put("dot.yaml", "name: .\n" PENDULUM);
  expect("mkdir -p in && cd in && \"$HOLON\" run ../up.yaml --quiet && ls -a . out", 0, "_..");
  expect("cd in && \"$HOLON\" run ../far.yaml --quiet && ls out", 0, "_..-..-far");
  expect("cd in && \"$HOLON\" run ../dot.yaml --quiet && ls out", 0, "_.");
  expect("cd in && \"$HOLON\" verify ../up.yaml > said; ls -d out/_..-verify", 0, "_..-verify");
  expect("ls", 0, "in");
  hn_command command = hn_run_shell(folder, "ls; ls in");
  assert_null(strstr(command.out, "certificate.json"));
  hn_command_free(&command);
}

static void nothing_a_terminal_obeys_is_printed(void **state) {
  (void)state;
  put("escape.yaml", "name: \"a\\e[2J\"\n" PENDULUM);
  put("escape.csv", "time,a\x1b[31m,b\xc2\x9b\n0,1,2\n");
  put("turned.csv", "time,a\xe2\x80\xae"
                    "z,b\xe2\x81\xa6\xe2\x80\xa6\n0,1,2\n"); // not dots
  put("number.csv", "time,x\n0,\x1b]0;title\x07\n");
  expect("\"$HOLON\" run escape.yaml", 2, "escape.yaml:1");
  expect("\"$HOLON\" plot escape.csv --list", 0, "a?[31m");
  expect("\"$HOLON\" plot turned.csv --list", 0, "a???z");
  expect("\"$HOLON\" plot turned.csv --list", 0, "b???…");
  expect("\"$HOLON\" plot number.csv x", 2, "0;title");
}

static void steps_of_nothing_are_refused(void **state) {
  (void)state;
  put("pendulum.yaml", PENDULUM);
  expect("timeout 20 \"$HOLON\" run pendulum.yaml --step 1e-300 -o out", 2, "1e-300");
  expect("timeout 20 \"$HOLON\" run pendulum.yaml --step 5e-17 -o out", 2, "1e+15");
  expect("timeout 20 \"$HOLON\" run pendulum.yaml --max-step 1e-300 -o out", 2, "max_step");
}

static void quotes_in_tables_are_cells(void **state) {
  (void)state;
  put("quotes.csv", "time,a\"b,\"c,d,e\"\n0,1,2\n");
  expect("\"$HOLON\" plot quotes.csv --list", 0, "c,d,e");
  expect("\"$HOLON\" plot quotes.csv 'a\"b' -o quotes.svg", 0, "quotes.svg");
}

static void results_that_cannot_be_read_are_told(void **state) {
  (void)state;
  put("pendulum.yaml", PENDULUM);
  expect("\"$HOLON\" run pendulum.yaml -o seen --quiet --format csv && echo x > seen/results.csv; "
         "\"$HOLON\" view seen --html seen.html",
         0, "seen.html");
  expect("echo 'time,\"x' > seen/results.csv; \"$HOLON\" view seen --html seen.html", 0,
         "seen/results.csv:1:6");
  expect("rm seen/results.csv; cp '" HOLON_SOURCE_DIR
         "/tests/output/hostile/case-01.h5' seen/results.h5; "
         "\"$HOLON\" view seen --html seen.html",
         0, "seen/results.h5");
}

static void a_server_does_not_wait_for_ever(void **state) {
  (void)state;
  put("part.yaml", "name: part\nborder: [hub]\nbodies: {hub: {mass: 1, inertia: [1, 1, 1]}}\n");
  expect("\"$HOLON\" component build part.yaml -o part.hnc", 0, "");
  expect("sleep 10 | timeout 20 \"$HOLON\" component serve part.hnc --stdio --idle 0.2", 1,
         "--idle");
  // bytes that arrive singly have no more time
  expect(
      "(for k in 1 2 3 4; do printf x; sleep 0.6; done; sleep 5) | timeout 20 \"$HOLON\" component "
      "serve part.hnc --stdio --idle 1",
      1, "--idle");
  expect("printf 'xxxxxxxxxxxxxxxx' | timeout 20 \"$HOLON\" component serve part.hnc --stdio", 1,
         "");
  expect("printf '\\0\\0\\0\\1\\0\\0\\0\\0half' | timeout 20 \"$HOLON\" component serve part.hnc "
         "--stdio",
         1, "");
  expect("timeout 20 \"$HOLON\" component serve part.hnc --stdio </dev/null", 0, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pipes_and_devices_in_use_are_refused),
      cmocka_unit_test(samples_without_end_are_refused),
      cmocka_unit_test(outputs_of_signals_that_are_not_listed_are_compared),
      cmocka_unit_test(a_name_is_no_path),
      cmocka_unit_test(nothing_a_terminal_obeys_is_printed),
      cmocka_unit_test(steps_of_nothing_are_refused),
      cmocka_unit_test(quotes_in_tables_are_cells),
      cmocka_unit_test(results_that_cannot_be_read_are_told),
      cmocka_unit_test(a_server_does_not_wait_for_ever),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
