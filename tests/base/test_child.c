// Work in a child process: what it sends comes back whole; crashes, endless loops and floods end in an
// error and leave no process behind.
#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "support/check.h"

static const hn_child_limits limits = {.memory = (size_t)1 << 28, .output = 1 << 20, .seconds = 2};

static hn_status run(hn_child_work work, char **data, size_t *size, const char **reason) {
  static char text[64];
  hn_status status = hn_child_run(&limits, work, NULL, data, size, text, reason);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child is left
  assert_int_equal(errno, ECHILD);
  return status;
}

static void say_much(void *context, hn_child_pipe *pipe) {
  (void)context;
  for (int k = 0; k < 100000; k++) assert_true(hn_child_send(pipe, &k, sizeof k));
}

static void crash(void *context, hn_child_pipe *pipe) {
  (void)context;
  hn_child_send(pipe, "half", 4);
  raise(SIGSEGV);
}

static void never_end(void *context, hn_child_pipe *pipe) {
  (void)context, (void)pipe;
  for (volatile unsigned k = 0;; k++) {
  }
}

static void flood(void *context, hn_child_pipe *pipe) {
  (void)context;
  static const char block[65536];
  while (hn_child_send(pipe, block, sizeof block)) {
  }
}

static void write_a_file(void *context, hn_child_pipe *pipe) {
  (void)context;
  signal(SIGXFSZ, SIG_IGN);
  FILE *file = fopen(HOLON_TEST_OUTPUT_DIR "/written-by-child", "wb");
  char ok = file && fputs("x", file) >= 0 && fclose(file) == 0;
  hn_child_send(pipe, &ok, 1);
}

static void what_a_child_sends_comes_back(void **state) {
  (void)state;
  char *data;
  size_t size;
  const char *reason;
  check_ok(run(say_much, &data, &size, &reason));
  assert_int_equal(size, 400000);
  for (int k = 0, got; k < 100000; k++) {
    memcpy(&got, data + 4 * (size_t)k, 4);
    assert_int_equal(got, k);
  }
  hn_release(NULL, data);
}

static void what_goes_wrong_in_a_child_is_told(void **state) {
  (void)state;
  const hn_child_work works[] = {crash, never_end, flood};
  char *reasons[3];
  for (int k = 0; k < 3; k++) {
    char *data = NULL;
    size_t size = 1;
    const char *reason = "";
    check_status(run(works[k], &data, &size, &reason), HN_ERROR_FILE);
    assert_null(data);
    assert_int_equal(size, 0);
    reasons[k] = strdup(reason);
  }
  // each has a reason of its own
  for (int k = 0; k < 3; k++) assert_string_not_equal(reasons[k], reasons[(k + 1) % 3]);
  for (int k = 0; k < 3; k++) free(reasons[k]);
}

static void a_child_writes_no_files(void **state) {
  (void)state;
  char *data;
  size_t size;
  const char *reason;
  check_ok(run(write_a_file, &data, &size, &reason));
  assert_int_equal(size, 1);
  assert_int_equal(data[0], 0);
  hn_release(NULL, data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_child_sends_comes_back),
      cmocka_unit_test(what_goes_wrong_in_a_child_is_told),
      cmocka_unit_test(a_child_writes_no_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
