// Threads: every index is run once, whatever the number of threads, again and again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/threads.h"

enum { TASKS = 37, ROUNDS = 500 };

static void count(void *context, int index) {
  int *counts = context;
  counts[index]++;
}

static void run_all(int threads_wanted) {
  hn_threads *threads = NULL;
  hn_status status = hn_threads_create(NULL, threads_wanted, &threads);
  if (status == HN_ERROR_UNSUPPORTED) skip();
  assert_int_equal(status, HN_OK);
  assert_int_equal(hn_threads_count(threads), threads_wanted);
  int counts[TASKS] = {0};
  for (int k = 0; k < ROUNDS; k++) hn_threads_run(threads, count, counts, TASKS);
  for (int k = 0; k < TASKS; k++) assert_int_equal(counts[k], ROUNDS);
  hn_threads_free(threads);
}

static void one_thread_runs_every_index(void **state) {
  (void)state;
  run_all(1);
}

static void two_threads_run_every_index_once(void **state) {
  (void)state;
  run_all(2);
}

static void more_threads_than_cores_run_every_index_once(void **state) {
  (void)state;
  run_all(5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_thread_runs_every_index),
      cmocka_unit_test(two_threads_run_every_index_once),
      cmocka_unit_test(more_threads_than_cores_run_every_index_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
