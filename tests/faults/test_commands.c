// The k-th allocation fails, or the k-th write, sync, rename or new file, or the k-th read, in the
// commands people run: each ends with a whole result, the one of a run without faults, or with a message
// and an exit code above 0. None crashes, hangs, is silent, or leaves half a file under the name of a
// whole one; none loses the rows of a run; none keeps more blocks of memory to its end than without a
// fault.
//
// `make test` takes a sample; HOLON_FAULT_STRIDE=1 (make test-long) takes every k,
// HOLON_FAULT_ONLY=plot one command. Runs HOLON_COMMAND.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/faulty.h"

enum { SAMPLE = 8 }; // of each command, when no stride is given

static const char *folder;
static long tried, told, whole, harm;
static long kept; // blocks of memory that the command keeps to its end

// One fault that does harm does not hide the next ones.
__attribute__((format(printf, 1, 2))) static void blame(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  harm++;
}

// Text of JSON or XML, or nothing at all: never half of it.
static void check_file(const char *name, const char *(*fault)(const char *), const char *call,
                       long k) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *text = hn_read_text(path);
  const char *cut = text ? fault(text) : NULL;
  if (cut) blame("%s, fault %ld: %s is not whole: %s", call, k, name, cut);
  free(text);
}

// Initial files of a call: none, or a run to be continued.
static const char *beginning(const char *call) {
  return strstr(call, "--resume") ? "rm -rf new; cp -r half new" : "rm -rf new; mkdir new";
}

// Numbers of a run, without its CPU time, and without its estimated errors and its grade, which is
// doubtful where these are missing: the certificate says why then. A state has that time too, and
// the sum of all its bytes.
#define COLLECT(folder)                                                                            \
  "for f in h5 store; do [ ! -f " folder "/results.$f ] || \"$HOLON\" export " folder              \
  " --results " folder "/rows.csv >/dev/null 2>&1 || exit 7; done; "                               \
  "[ ! -f " folder "/certificate.json ] || sed -e '/\"accuracy\": {/,/^  }/d' "                    \
  "-e '/\"verdict\": {/,/^  }/d' -e /cpu/d "                                                       \
  "-e /realtime_factor/d " folder "/certificate.json >" folder "/proof; "

static void keep_whole(void) {
  hn_command c = hn_run_shell(folder, COLLECT("new") "rm -rf whole; mv new whole");
  if (c.code != 0) fail_msg("%d %s", c.code, c.err);
  hn_command_free(&c);
}

static void compare_with_whole(const char *kind, const char *call, long k) {
  hn_command c = hn_run_shell(
      folder,
      COLLECT("new") "for f in proof rows.csv results.csv results.npz motion.bin scene.json "
                     "plot.svg page.html scene.glb all.csv model.yaml forces.csv "
                     "table.csv linear.npz linear.mat; do [ ! -f whole/$f ] || "
                     "cmp whole/$f new/$f || exit 8; done; [ ! -f whole/state ] || "
                     "[ $(cmp -l whole/state new/state | wc -l) -le 16 ]");
  if (c.code != 0)
    blame("%s %s, fault %ld: exit code 0, but not the whole result (%d): %s%s", kind, call, k,
          c.code, c.out, c.err);
  hn_command_free(&c);
}

// A run that was made and has no results has its store.
static void check_rows(const char *kind, const char *call, long k) {
  static const char *const names[] = {"results.store", "results.h5", "results.csv", "results.npz"};
  char path[1024];
  int is_there = 0;
  snprintf(path, sizeof path, "%s/new/certificate.json", folder);
  if (!hn_file_exists(path)) return;
  for (int j = 0; j < 4; j++) {
    snprintf(path, sizeof path, "%s/new/%s", folder, names[j]);
    is_there |= hn_file_exists(path);
  }
  if (!is_there) blame("%s %s, fault %ld: no results and no store", kind, call, k);
}

static char *clean; // what the command prints without a fault

// Times differ from run to run: their digits become blanks.
static void blank_times(char *text) {
  static const char *const times[] = {"cpu_seconds\": ", "realtime_factor\": "};
  for (size_t k = 0; k < 2; k++)
    for (char *at = text; (at = strstr(at, times[k])) != NULL;) {
      at += strlen(times[k]);
      // numbers have different lengths: the end is moved up
      memmove(at, at + strcspn(at, ",}"), strlen(at + strcspn(at, ",}")) + 1);
    }
}

// An answer in JSON with exit code 0 is the one without faults, or says what memory was missing for.
static void compare_with_clean(const char *kind, const char *call, long k, hn_command *c) {
  if (!c->out[0]) {
    blame("%s %s, fault %ld: exit code 0 and nothing printed", kind, call, k);
    return;
  }
  blank_times(c->out);
  if (strcmp(c->out, clean) == 0) return;
  if (strstr(c->out, "memory") || strstr(c->err, "memory")) return;
  blame("%s %s, fault %ld: exit code 0, but another answer, and no word why:\n%s", kind, call, k,
        c->out);
}

static long count_faults(const char *kind, const char *call) {
  hn_command command =
      hn_run_shell(folder,
                   "%s; env LD_PRELOAD=" HOLON_FAULT_SHIM
                   " FAULT=%s FAULT_COUNT=count \"$HOLON\" %s >answer; rc=$?; cat count; exit $rc",
                   beginning(call), kind, call);
  if (command.code != 0) fail_msg("%s: %s", call, command.err);
  long count = 0;
  assert_int_equal(sscanf(command.out, "%ld %ld", &count, &kept), 2);
  hn_command_free(&command);
  char path[1024];
  snprintf(path, sizeof path, "%s/answer", folder);
  free(clean);
  clean = hn_read_text(path);
  assert_non_null(clean);
  blank_times(clean);
  keep_whole();
  return count;
}

// A command that gives up at once, "holon: out of memory", leaves what it has to the system. One that
// was killed has written no count: that is blamed elsewhere.
static void check_kept(const char *kind, const char *call, long k) {
  char path[1024];
  long count = 0, left = 0;
  snprintf(path, sizeof path, "%s/count", folder);
  char *text = hn_read_text(path);
  if (text && sscanf(text, "%ld %ld", &count, &left) == 2 && left > kept)
    blame("%s %s, fault %ld: %ld blocks of memory are left, %ld without it", kind, call, k, left,
          kept);
  free(text);
}

static void try_fault(const char *kind, const char *call, long k) {
  const long before = harm;
  hn_command c = run_faulty(folder, kind, k, call);
  // above 128: a signal ended it, or it ran without end
  if (c.code < 0 || c.code > 2)
    blame("%s %s, fault %ld: exit code %d\n%s", kind, call, k, c.code, c.err);
  if (c.code > 0 && !strstr(c.err, "holon:") && !strstr(c.err, ": ") &&
      !strstr(c.out, "\"error\"") && !strstr(c.out, "\"failed\": "))
    blame("%s %s, fault %ld: exit code %d and no word\n%s", kind, call, k, c.code, c.err);
  if (strstr(call, "--json") && c.out[0] && hn_json_fault(c.out))
    blame("%s %s, fault %ld: exit code %d, JSON is not whole: %s\n%s", kind, call, k, c.code,
          hn_json_fault(c.out), c.out);
  if (strstr(call, "--json") && c.code == 0) compare_with_clean(kind, call, k, &c);
  check_file("new/certificate.json", hn_json_fault, call, k);
  check_file("new/scene.json", hn_json_fault, call, k);
  check_file("new/plot.svg", hn_xml_fault, call, k);
  // a page without plots or quality grade says so
  if (c.code == 0 && strstr(call, "new") && !strstr(c.err, "warning: there "))
    compare_with_whole(kind, call, k);
  if (strncmp(call, "run", 3) == 0) check_rows(kind, call, k);
  if (!strstr(c.err, "holon: out of memory\n")) check_kept(kind, call, k);
  tried++;
  told += c.code > 0 && harm == before;
  whole += c.code == 0 && harm == before;
  hn_command_free(&c);
}

static long sweep(const char *kind, const char *call) {
  const char *given = getenv("HOLON_FAULT_STRIDE");
  long count = count_faults(kind, call);
  long stride = given ? atol(given) : count / SAMPLE + 1;
  if (stride < 1) stride = 1;
  // samples of different commands fall on different places
  for (long k = 1 + (long)(strlen(call) % (size_t)stride); k <= count; k += stride)
    try_fault(kind, call, k);
  return stride;
}

#define MODEL HOLON_SOURCE_DIR "/models/examples/force-joint-stop.yaml"
#define DRIVEN HOLON_SOURCE_DIR "/models/examples/driver-joint.yaml --time 0.02 --output-step 0.01"
// few rows: cells of a table are written singly
#define RUN "run " MODEL " --time 0.05 --output-step 0.005"

// With the report, its plots and its picture, the first only: to draw them takes ten times as long as
// the run.
static const struct {
  const char *name, *call;
} calls[] = {
    {"run --save-state", RUN " -o new --save-state new/state --quiet"},
    {"run --format csv --json", RUN " --format csv -o new --no-scene --json"},
    {"run --format npz", RUN " --format npz -o new --no-scene --quiet"},
    {"run --format store", RUN " --format store -o new --no-scene --quiet"},
    {"run --resume", "run --resume new --quiet"},
    {"export --results, of HDF5", "export made --results new/all.csv"},
    {"export --results, of a store", "export store --results new/all.csv"},
    {"check --json", "check " MODEL " --json"},
    {"statics --json", "statics " MODEL " --json"},
    {"verify --among two formulations",
     "verify " MODEL
     " --time 0.005 --among cartesian/first-order,relative/first-order --fixed 0 --json"},
    {"plot", "plot made angle -o new/plot.svg"},
    {"view --html", "view made --html new/page.html"},
    {"export --gltf", "export made --gltf new/scene.glb"},
    {"kinematics --format csv", "kinematics " DRIVEN " --format csv -o new --quiet"},
    {"inverse -o", "inverse " DRIVEN " -o new/forces.csv --json"},
    {"linearize --npz --mat --plot", "linearize " MODEL " --npz new/linear.npz --mat "
                                     "new/linear.mat --plot new/plot.svg --json"},
    {"import -o",
     "import " HOLON_SOURCE_DIR "/tests/data/import/features.xml -o new/model.yaml --json"},
    {"tyre --plot", "tyre " HOLON_SOURCE_DIR "/models/tyres/car_205_60R15.tir --plot new/plot.svg"},
    {"sweep", "sweep " HOLON_SOURCE_DIR "/models/four-bar.yaml --vary crank=0.1:0.12:2 --time "
              "0.005 -j 1 -o new --json"},
    {"compare --among one formulation",
     "compare " HOLON_SOURCE_DIR "/models/examples/pendulum.yaml --time 0.005 --tol 1e-3 --among "
     "relative/first-order -o new --quiet"},
};

static int set_up(void **state) {
  (void)state;
  folder = hn_fresh_folder("faults");
  // half: its disk was full in the middle, and a state is kept of every step before
  hn_command command = hn_run_shell(
      folder, "\"$HOLON\" " RUN " -o made --quiet && \"$HOLON\" " RUN
              " -o store --format store --quiet && { env LD_PRELOAD=" HOLON_FAULT_SHIM
              " FAULT=files FAULT_AT=200 \"$HOLON\" " RUN " --checkpoint 1e-9 "
              "--format csv --no-scene -o half --quiet 2>/dev/null; rm -f half/results.csv; "
              "[ -f half/checkpoint.state ] && [ -f half/results.store ]; }");
  int code = command.code;
  hn_command_free(&command);
  return code;
}

// Reads are those of commands that read what they or others have written.
static void sweep_call(const char *name, const char *call) {
  tried = told = whole = 0;
  long stride = sweep("memory", call);
  sweep("files", call);
  if (strncmp(call, "run", 3) == 0 || strncmp(call, "export", 6) == 0) sweep("reads", call);
  // scripts/make-reliability looks for it
  print_message("faults: %ld %ld %ld %ld %s\n", tried, told, whole, stride, name);
}

static void faults_are_told(void **state) {
  (void)state;
  const char *only = getenv("HOLON_FAULT_ONLY");
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
    if (!only || strstr(calls[k].name, only)) sweep_call(calls[k].name, calls[k].call);
  assert_int_equal(harm, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(faults_are_told)};
  return cmocka_run_group_tests(tests, set_up, NULL);
}
