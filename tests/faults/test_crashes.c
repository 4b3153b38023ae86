// The process is killed, or the power is cut, just before the k-th write, sync, rename, removal or
// new file of a command. The remaining files are opened: files under their names are whole; rows
// are those of the whole run, as far as they go; `--resume` or the same call again ends with the
// whole result. What was not synced before a power cut is lost (shim.c).
//
// `make test` takes a sample; HOLON_FAULT_STRIDE=1 (make test-long) takes every k,
// HOLON_FAULT_ONLY=plot one command. Runs HOLON_COMMAND.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/faulty.h"

enum { SAMPLE = 4 }; // of each command, when no stride is given

static const char *folder;
static long tried, resumed, again, harm;

#define MODEL HOLON_SOURCE_DIR "/models/examples/force-joint-stop.yaml"
#define RUN "run " MODEL " --time 0.05 --output-step 0.005 --checkpoint 1e-9 -o new --quiet"

// With the report and its picture, which take long, only once.
static const struct {
  const char *name, *call;
} calls[] = {
    {"run --format store", RUN " --format store"},
    {"run --format csv --save-state", RUN " --no-scene --format csv --save-state new/state"},
    {"run --format npz", RUN " --no-scene --format npz"},
    {"run --resume", "run --resume new --quiet"},
    {"sweep", "sweep " HOLON_SOURCE_DIR "/models/four-bar.yaml --vary crank=0.1:0.12:2 --time "
              "0.005 -j 1 -o new --quiet"},
    {"export --results, of a store", "export made --results new/all.csv"},
    {"export --gltf", "export made --gltf new/scene.glb"},
    {"plot", "plot made angle -o new/plot.svg"},
    {"view --html", "view made --html new/page.html"},
    {"linearize --npz --mat",
     "linearize " MODEL " --npz new/linear.npz --mat new/linear.mat --json"},
    {"import -o",
     "import " HOLON_SOURCE_DIR "/tests/data/import/features.xml -o new/model.yaml --quiet"},
};

// Initial files of a call: none, or a run that was killed in its middle.
static const char *beginning(const char *call) {
  return strstr(call, "--resume") ? "rm -rf new; cp -r half new" : "rm -rf new; mkdir new";
}

// Of a certificate all but times; of a state all but its times and sum.
#define PROOF(folder)                                                                              \
  "sed -e '/\"accuracy\": {/,/^  }/d' -e /cpu/d -e /realtime_factor/d " folder "/certificate.json"

// Exit codes: 8: a file under its name is not whole; 9: rows that do not belong to the run.
static const char whole_files[] =
    "for f in results.csv results.npz motion.bin scene.json plot.svg page.html scene.glb all.csv "
    "model.yaml table.csv linear.npz linear.mat; do [ ! -f new/$f ] || "
    "cmp whole/$f new/$f || exit 8; done; "
    "if [ -f new/state ]; then [ $(cmp -l whole/state new/state | wc -l) -le 16 ] || exit 8; fi; "
    "if [ -f new/certificate.json ]; then " PROOF(
        "new") " >proof; cmp proof whole.proof || exit 8; fi; ";

static const char rows_left[] =
    "if [ -f new/results.store ] && \"$HOLON\" export new --results left.csv >/dev/null "
    "2>left.txt; "
    "then n=$(($(wc -l <left.csv) - 1)); head -n $n left.csv >a.csv; head -n $n whole.csv >b.csv; "
    "cmp a.csv b.csv || exit 9; "
    "else [ ! -f new/results.store ] || [ -s left.txt ] || exit 9; fi; ";

static long count_faults(const char *call) {
  hn_command c = hn_run_shell(
      folder,
      "%s; env LD_PRELOAD=" HOLON_FAULT_SHIM
      " FAULT=kill FAULT_COUNT=count \"$HOLON\" %s >/dev/null || exit 1; rm -rf whole; "
      "[ ! -f new/results.store ] || \"$HOLON\" export new --results whole.csv >/dev/null || exit "
      "1; "
      "[ ! -f new/results.csv ] || cp new/results.csv whole.csv; mv new whole; "
      "if [ -f whole/certificate.json ]; then " PROOF("whole") " >whole.proof; fi; cat count",
      beginning(call), call);
  if (c.code != 0) fail_msg("%s: %s", call, c.err);
  long count = strtol(c.out, NULL, 10);
  hn_command_free(&c);
  return count;
}

static void blame(const char *kind, const char *call, long k, const hn_command *c) {
  fprintf(stderr, "%s before operation %ld of %s: %d\n%s%s\n", kind, k, call, c->code, c->out,
          c->err);
  harm++;
}

// Checks the remaining files; then the run continues, or the call is made again.
static void finish(const char *kind, const char *call, long k) {
  const long before = harm;
  const int is_run = strncmp(call, "run", 3) == 0;
  hn_command c = hn_run_shell(folder, "%s[ -s new/run.call ]", whole_files);
  const int can_resume = is_run && c.code == 0;
  if (c.code == 8) blame(kind, call, k, &c);
  hn_command_free(&c);
  if (is_run) {
    c = hn_run_shell(folder, "%sexit 0", rows_left);
    if (c.code != 0) blame(kind, call, k, &c);
    hn_command_free(&c);
  }
  const int has_ended = is_run && !can_resume && strstr(call, "--resume");
  // a run to be continued had a call; without it the run has ended
  c = hn_run_shell(folder, "\"$HOLON\" %s >/dev/null && { %s exit 0; }",
                   can_resume  ? "run --resume new --quiet"
                   : has_ended ? "--version"
                               : call,
                   whole_files);
  if (c.code != 0) blame(kind, call, k, &c);
  hn_command_free(&c);
  resumed += can_resume && harm == before;
  again += !can_resume && harm == before;
}

static long sweep(const char *kind, const char *call) {
  const char *given = getenv("HOLON_FAULT_STRIDE");
  const long count = count_faults(call), chosen = given ? atol(given) : count / SAMPLE + 1;
  const long stride = chosen < 1 ? 1 : chosen;
  for (long k = 1 + (long)(strlen(call) % (size_t)stride); k <= count; k += stride) {
    hn_command c = run_faulty(folder, kind, k, call);
    // a process of its own may have ended: that is reported
    const int is_told = c.code == 1 && strstr(c.err, "holon: ");
    if (c.code != 137 && c.code != 0 && !is_told) blame(kind, call, k, &c);
    hn_command_free(&c);
    finish(kind, call, k);
    tried++;
  }
  return stride;
}

static int set_up(void **state) {
  (void)state;
  folder = hn_fresh_folder("crashes");
  hn_command c = hn_run_shell(
      folder,
      "\"$HOLON\" " RUN " --format store && mv new made && { env LD_PRELOAD=" HOLON_FAULT_SHIM
      " FAULT=kill FAULT_AT=150 \"$HOLON\" " RUN " --no-scene --format csv; mv new half; "
      "[ -f half/checkpoint.state ] && [ -f half/results.store ]; }");
  const int code = c.code;
  hn_command_free(&c);
  return code;
}

static void what_is_left_is_whole_or_goes_on(void **state) {
  (void)state;
  const char *only = getenv("HOLON_FAULT_ONLY");
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
    if (only && !strstr(calls[k].name, only)) continue;
    tried = resumed = again = 0;
    const long stride = sweep("kill", calls[k].call);
    sweep("power", calls[k].call);
    // scripts/make-reliability looks for it
    print_message("crashes: %ld %ld %ld %ld %s\n", tried, resumed, again, stride, calls[k].name);
  }
  assert_int_equal(harm, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_left_is_whole_or_goes_on)};
  return cmocka_run_group_tests(tests, set_up, NULL);
}
