// FMUs that run together, compared with the exact solution of the whole: two masses with a spring and
// damper between them, of which one FMU gives a position and the other a force.
#include <math.h>
#include <stdlib.h>

#include "fmi/program.h"
#include "holon/fmu.h"

#define FIRST HOLON_TEST_OUTPUT_DIR "/a.fmu"
#define SECOND HOLON_TEST_OUTPUT_DIR "/b.fmu"

// Of the matrix exponential: masses of 1 kg, 10 and 1000 N/m and 0.1 N s/m to ground, 100 N/m and 0.2
// N s/m between them; both start at 1 m.
static const double exact[][3] = {
    {0.1, 0.661995025558, -0.805527364398}, {0.2, -0.52385278642, 0.755556939499},
    {1, -0.771859925286, -0.317261112999},  {2, 0.388127688563, -0.472149217249},
    {10, 0.239116562504, 0.187316201855},
};
enum { TIMES = sizeof exact / sizeof exact[0] };

static hn_fmu_run_options connected(int kind, double stop, double step) {
  static const char *const others[] = {SECOND};
  static const char *const connections[] = {"a.x0=b.force", "a.x1=b.speed", "b.pull=a.force"};
  static const char *const settings[] = {"a.stiffness=10", "a.damping=0.1"};
  hn_fmu_run_options options = hn_default_fmu_run_options();
  options.kind = kind;
  options.stop = stop;
  options.step = step;
  options.tolerance = 1e-11;
  options.time_limit = 10;
  options.host = HOLON_FMU_HOST;
  options.others = others;
  options.other_count = 1;
  options.connections = connections;
  options.connection_count = 3;
  options.settings = settings;
  options.setting_count = 2;
  return options;
}

static double value_of(const hn_fmu_run *run, const char *name) {
  for (int k = 0; hn_fmu_run_column(run, k); k++)
    if (strcmp(hn_fmu_run_column(run, k), name) == 0) return hn_fmu_run_values(run)[k];
  print_error("no column %s\n", name);
  assert_true(0);
  return 0;
}

// The largest error of both positions.
static double largest_error(const hn_fmu_run_options *options, int version, int saves) {
  hn_fmu_run *run = NULL;
  hn_error error = {0};
  double most = 0;
  write_program(FIRST, "mass", version, saves);
  write_program(SECOND, "pulled", version, saves);
  if (hn_fmu_run_create(FIRST, options, &run, &error) != HN_OK) print_error("%s\n", error.message);
  assert_non_null(run);
  for (int is_done = 0, next = 0; !is_done;) {
    if (hn_fmu_run_step(run, &is_done, &error) != HN_OK) print_error("%s\n", error.message);
    assert_int_equal(error.status, HN_OK);
    if (next == TIMES || fabs(hn_fmu_run_time(run) - exact[next][0]) > 1e-9) continue;
    most = fmax(most, fabs(value_of(run, "a.x0") - exact[next][1]));
    most = fmax(most, fabs(value_of(run, "b.x0") - exact[next][2]));
    next++;
  }
  check_near(hn_fmu_run_time(run), options->stop, 1e-9);
  hn_fmu_run_free(run);
  return most;
}

static int is_long(void) { return getenv("HOLON_SWEEP") != NULL; }

static void model_exchange_is_exact(void **state) {
  (void)state;
  for (int version = 2; version <= 3; version++) {
    const hn_fmu_run_options options = connected(HN_FMU_MODEL_EXCHANGE, is_long() ? 10 : 0.2, 0.1);
    assert_true(largest_error(&options, version, 0) < 1e-8);
  }
}

static void co_simulation_goes_back_and_agrees(void **state) {
  (void)state;
  for (int version = 2; version <= 3; version++) {
    hn_fmu_run_options options = connected(HN_FMU_CO_SIMULATION, is_long() ? 2 : 0.2, 1e-3);
    const double fine = largest_error(&options, version, 1);
    assert_true(fine < 1e-4);
    options.step = 4e-3;
    assert_true(largest_error(&options, version, 1) > 4 * fine);
    options.step = 1e-3; // extrapolated only
    assert_true(largest_error(&options, version, 0) > fine);
  }
}

// ---- trouble ------------------------------------------------------------------------------------

static void check_rejected(hn_fmu_run_options options, const char *connection, const char *reason) {
  hn_fmu_run *run = NULL;
  hn_error error = {0};
  const char *const connections[] = {"a.x0=b.force", connection};
  options.connections = connections;
  options.connection_count = 2;
  assert_int_equal(hn_fmu_run_create(FIRST, &options, &run, &error), HN_ERROR_ARGUMENT);
  if (!strstr(error.message, reason)) print_error("%s\n", error.message);
  assert_non_null(strstr(error.message, reason));
  assert_null(run);
}

static void wrong_connections_are_named(void **state) {
  (void)state;
  hn_fmu_run_options options = connected(HN_FMU_MODEL_EXCHANGE, 1, 0.5);
  write_program(FIRST, "mass", 3, 0);
  write_program(SECOND, "pulled", 3, 0);
  check_rejected(options, "a.x1", "no such output");
  check_rejected(options, "c.x1=b.speed", "no such output");
  check_rejected(options, "a.x1=b.nothing", "no such input");
  check_rejected(options, "a.x1=b.x0", "no input");
  check_rejected(options, "a.x1=b.force", "connected already");
}

// Two outputs that follow inputs at once, with a gain of 0.2 against 100.
static void loops_that_do_not_converge_are_an_error(void **state) {
  (void)state;
  static const char *const connections[] = {"a.pull=b.force", "b.pull=a.force"};
  hn_fmu_run_options options = connected(HN_FMU_MODEL_EXCHANGE, 1, 0.5);
  hn_fmu_run *run = NULL;
  hn_error error = {0};
  options.connections = connections;
  options.connection_count = 2;
  options.setting_count = 0;
  write_program(FIRST, "pulled", 3, 0);
  write_program(SECOND, "pulled", 3, 0);
  assert_true(hn_fmu_run_create(FIRST, &options, &run, &error) != HN_OK);
  assert_non_null(strstr(error.message, "algebraic loop"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(model_exchange_is_exact),
      cmocka_unit_test(co_simulation_goes_back_and_agrees),
      cmocka_unit_test(wrong_connections_are_named),
      cmocka_unit_test(loops_that_do_not_converge_are_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
