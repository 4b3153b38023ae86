// The k-th allocation fails, or the k-th write, sync, rename or new file, in the commands people run:
// each ends with a whole result, or with a message and an exit code above 0. None crashes, hangs, is
// silent, or leaves half a file under the name of a whole one.
//
// `make test` takes a sample; HOLON_FAULT_STRIDE=1 (make test-long) takes every k,
// HOLON_FAULT_ONLY=plot one command. Runs HOLON_COMMAND.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/command.h"

enum { SAMPLE = 12 };       // of each command, when no stride is given
enum { MOST_FILES = 3000 }; // cells of a table are written one by one, all alike

static const char *folder;
static long tried, told, whole;

// Text of JSON or XML, or nothing at all: never half of it.
static void check_file(const char *name, const char *(*fault)(const char *), const char *call,
                       long k) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *text = hn_read_text(path);
  const char *wrong = text ? fault(text) : NULL;
  if (wrong) fail_msg("%s, fault %ld: %s is not whole: %s", call, k, name, wrong);
  free(text);
}

static long count_faults(const char *kind, const char *call) {
  hn_command command = hn_run_shell(
      folder,
      "rm -rf new; mkdir new; env LD_PRELOAD=" HOLON_FAULT_SHIM
      " FAULT=%s FAULT_COUNT=count \"$HOLON\" %s >/dev/null; rc=$?; cat count; exit $rc",
      kind, call);
  if (command.code != 0) fail_msg("%s: %s", call, command.err);
  long count = strtol(command.out, NULL, 10);
  hn_command_free(&command);
  return count;
}

static void try_fault(const char *kind, const char *call, long k) {
  hn_command c = hn_run_shell(folder,
                              "rm -rf new; mkdir new; timeout 60 env LD_PRELOAD=" HOLON_FAULT_SHIM
                              " FAULT=%s FAULT_AT=%ld \"$HOLON\" %s",
                              kind, k, call);
  // 124: it hangs; above: a signal ended it
  if (c.code < 0 || c.code > 2)
    fail_msg("%s %s, fault %ld: exit code %d\n%s", kind, call, k, c.code, c.err);
  if (c.code > 0 && !strstr(c.err, "holon:") && !strstr(c.err, ": ") && !strstr(c.out, "\"error\""))
    fail_msg("%s %s, fault %ld: exit code %d and no word\n%s", kind, call, k, c.code, c.err);
  if (strstr(call, "--json") && c.out[0] && hn_json_fault(c.out))
    fail_msg("%s %s, fault %ld: exit code %d, JSON is not whole: %s\n%s", kind, call, k, c.code,
             hn_json_fault(c.out), c.out);
  if (strstr(call, "--json") && c.code == 0 && !c.out[0])
    fail_msg("%s %s, fault %ld: exit code 0 and nothing printed", kind, call, k);
  check_file("new/certificate.json", hn_json_fault, call, k);
  check_file("new/scene.json", hn_json_fault, call, k);
  check_file("new/plot.svg", hn_xml_fault, call, k);
  tried++;
  told += c.code > 0;
  whole += c.code == 0;
  hn_command_free(&c);
}

static void sweep(const char *kind, const char *call) {
  const char *only = getenv("HOLON_FAULT_ONLY");
  if (only && !strstr(call, only)) return;
  const char *given = getenv("HOLON_FAULT_STRIDE");
  long count = count_faults(kind, call);
  long stride = given ? atol(given) : count / SAMPLE + 1;
  if (stride < 1) stride = 1;
  if (strcmp(kind, "files") == 0 && count / stride > MOST_FILES) stride = count / MOST_FILES + 1;
  // samples of different commands fall on different places
  for (long k = 1 + (long)(strlen(call) % (size_t)stride); k <= count; k += stride)
    try_fault(kind, call, k);
}

#define MODEL HOLON_SOURCE_DIR "/models/examples/force-joint-stop.yaml"

static const char *const calls[] = {
    "run " MODEL " --time 0.05 --format csv -o new --json",
    "run " MODEL " --time 0.05 -o new --save-state new/state --quiet",
    "check " MODEL " --json",
    "statics " MODEL " --json",
    "verify " MODEL " --time 0.02 --json",
    "plot made angle -o new/plot.svg",
    "view made --html new/page.html",
    "export made --gltf new/scene.glb",
};

static int set_up(void **state) {
  (void)state;
  folder = hn_fresh_folder("faults");
  hn_command command = hn_run_shell(folder, "\"$HOLON\" run " MODEL " --time 0.05 -o made --quiet");
  int code = command.code;
  hn_command_free(&command);
  return code;
}

static void failing_memory_is_told(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) sweep("memory", calls[k]);
}

static void failing_files_are_told(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) sweep("files", calls[k]);
  print_message("%ld faults: %ld told, %ld without harm\n", tried, told, whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failing_memory_is_told),
      cmocka_unit_test(failing_files_are_told),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
