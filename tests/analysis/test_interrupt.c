// A run that another thread, or a signal, ends: it stops at a step, says so once, and continues
// when asked. Under the thread sanitizer (make test-long) this is also a proof of the absence of
// races.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "holon/load.h"
#include "holon/simulation.h"
#include "support/check.h"

static hn_model *model;
static hn_simulation *simulation;
static atomic_int is_over;

static hn_simulation *create(int threads) {
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.threads = threads;
  if (!model) check_ok(hn_model_load("models/iftomm/a03.yaml", NULL, &model, &error));
  hn_simulation *s = NULL;
  if (hn_simulation_create(model, &options, &s, &error)) fail_msg("%s", error.message);
  return s;
}

static void *interrupt_again_and_again(void *context) {
  (void)context;
  while (!atomic_load(&is_over)) {
    hn_simulation_interrupt(simulation);
    nanosleep(&(struct timespec){0, 200000}, NULL);
  }
  return NULL;
}

static void another_thread_ends_a_run(void **state) {
  (void)state;
  for (int threads = 1; threads <= 2; threads++) {
    pthread_t other;
    simulation = create(threads);
    hn_simulation *alone = create(1);
    const double end = 0.01;
    int stops = 0;
    atomic_store(&is_over, 0);
    assert_int_equal(pthread_create(&other, NULL, interrupt_again_and_again, NULL), 0);
    for (double t = 0; hn_simulation_time(simulation) < end;) {
      hn_status status = hn_simulation_advance(simulation, end);
      if (status != HN_OK) {
        check_status(status, HN_ERROR_INTERRUPTED);
        stops++;
      }
      assert_true(hn_simulation_time(simulation) >= t);
      t = hn_simulation_time(simulation);
      if (stops > 20) atomic_store(&is_over, 1);
    }
    atomic_store(&is_over, 1);
    pthread_join(other, NULL);
    check_ok(hn_simulation_advance(alone, end));
    assert_true(hn_simulation_state_hash(alone) == hn_simulation_state_hash(simulation));
    hn_simulation_free(alone);
    hn_simulation_free(simulation);
  }
}

static void on_signal(int number) {
  (void)number;
  hn_simulation_interrupt(simulation);
}

static void a_signal_ends_a_run(void **state) {
  (void)state;
  struct sigaction action = {.sa_handler = on_signal}, before;
  simulation = create(1);
  sigaction(SIGUSR1, &action, &before);
  raise(SIGUSR1);
  check_status(hn_simulation_advance(simulation, 0.01), HN_ERROR_INTERRUPTED);
  assert_true(hn_simulation_time(simulation) == 0);
  check_ok(hn_simulation_advance(simulation, 0.001)); // reported once
  sigaction(SIGUSR1, &before, NULL);
  hn_simulation_free(simulation);
}

static int tear_down(void **state) {
  (void)state;
  hn_model_free(model);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_thread_ends_a_run),
      cmocka_unit_test(a_signal_ends_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, tear_down);
}
