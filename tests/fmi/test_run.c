// FMUs that run alone in a process of their own: references of both kinds and versions, events, and
// programs that fail, hang or crash.
#include <math.h>

#include "fmi/program.h"
#include "holon/fmu.h"

#define PATH HOLON_TEST_OUTPUT_DIR "/run.fmu"

static hn_fmu_run_options make_options(int kind, double stop, double step) {
  hn_fmu_run_options options = hn_default_fmu_run_options();
  options.kind = kind;
  options.stop = stop;
  options.step = step;
  options.tolerance = 1e-11;
  options.time_limit = 10;
  options.host = HOLON_FMU_HOST;
  return options;
}

static hn_fmu_run *start_run(const char *model, int version, const hn_fmu_run_options *options) {
  hn_fmu_run *run = NULL;
  hn_error error = {0};
  write_program(PATH, model, version, 1);
  if (hn_fmu_run_create(PATH, options, &run, &error) != HN_OK) print_error("%s\n", error.message);
  assert_non_null(run);
  return run;
}

static void step_to_end(hn_fmu_run *run) {
  hn_error error = {0};
  for (int is_done = 0; !is_done;) {
    if (hn_fmu_run_step(run, &is_done, &error) != HN_OK) print_error("%s\n", error.message);
    assert_int_equal(error.status, HN_OK);
  }
}

// ---- references -----------------------------------------------------------------------------------

// Of an integration with 1e-11 (x0, x1 at 1, 2, 3 s).
static void van_der_pol_is_that_of_the_reference(void **state) {
  (void)state;
  static const double reference[][2] = {{1.50814423698, -0.78021807463},
                                        {0.323316667046, -1.83297456799},
                                        {-1.86607391106, -1.0210603402}};
  for (int version = 2; version <= 3; version++)
    for (int kind = HN_FMU_MODEL_EXCHANGE; kind <= HN_FMU_CO_SIMULATION; kind++) {
      const hn_fmu_run_options options = make_options(kind, 3, 1);
      hn_fmu_run *run = start_run("vdp", version, &options);
      hn_error error = {0};
      assert_string_equal(hn_fmu_run_column(run, 0), "x0");
      for (int k = 0, is_done = 0; k < 3; k++) {
        check_ok(hn_fmu_run_step(run, &is_done, &error));
        assert_int_equal(is_done, k == 2);
        check_near(hn_fmu_run_values(run)[0], reference[k][0], 1e-8);
        check_near(hn_fmu_run_values(run)[1], reference[k][1], 1e-8);
      }
      hn_fmu_run_free(run);
    }
}

// Times of impact are exact: v/g (1 + 2 e + 2 e^2 ...), until the speed is below 0.1 m/s.
static void ball_bounces_eleven_times_and_rests(void **state) {
  (void)state;
  for (int version = 2; version <= 3; version++) {
    const hn_fmu_run_options options = make_options(HN_FMU_MODEL_EXCHANGE, 3, 0.1);
    hn_fmu_run *run = start_run("ball", version, &options);
    step_to_end(run);
    check_near(hn_fmu_run_values(run)[0], 0, 1e-12);
    check_near(hn_fmu_run_values(run)[2], 11, 0);
    check_near(hn_fmu_run_values(run)[3], 2.49911331422, 1e-9);
    hn_fmu_run_free(run);
  }
}

// Reference of many codes (Hairer, Wanner, Solving ODEs II, problem ROBER) at 40 s; explicit steps would
// be below 1 ms.
static void stiff_states_take_long_steps(void **state) {
  (void)state;
  for (int version = 2; version <= 3; version++) {
    hn_fmu_run_options options = make_options(HN_FMU_MODEL_EXCHANGE, 40, 40);
    options.tolerance = 1e-9;
    hn_fmu_run *run = start_run("robertson", version, &options);
    step_to_end(run);
    check_near(hn_fmu_run_values(run)[0], 0.7158270687, 1e-7);
    check_near(hn_fmu_run_values(run)[1], 9.185534765e-6, 1e-9);
    assert_in_range(hn_fmu_run_steps(run), 10, 3000);
    hn_fmu_run_free(run);
  }
}

static void time_events_are_met_and_the_fmu_ends_the_run(void **state) {
  (void)state;
  for (int version = 2; version <= 3; version++) {
    const hn_fmu_run_options options = make_options(HN_FMU_MODEL_EXCHANGE, 3, 0.07);
    hn_fmu_run *run = start_run("clock", version, &options);
    step_to_end(run);
    check_near(hn_fmu_run_time(run), 1, 1e-9);
    check_near(hn_fmu_run_values(run)[0], 2, 1e-9); // 1 + t
    check_near(hn_fmu_run_values(run)[2], 10, 0);
    hn_fmu_run_free(run);
  }
}

static void start_values_are_set(void **state) {
  (void)state;
  const char *const good[] = {"stiffness=4", "x0=2", "force=0"};
  const char *const bad[] = {"nothing=1", "der(x0)=1", "e", "e=abc"};
  for (int version = 2; version <= 3; version++) {
    hn_fmu_run_options options = make_options(HN_FMU_MODEL_EXCHANGE, 1, 0.5);
    options.settings = good;
    options.setting_count = 3;
    hn_fmu_run *run = start_run("mass", version, &options);
    step_to_end(run);
    check_near(hn_fmu_run_values(run)[0], 2 * cos(2.0), 1e-8);
    hn_fmu_run_free(run);
    for (int k = 0; k < 4; k++) {
      hn_error error = {0};
      options.settings = &bad[k];
      options.setting_count = 1;
      assert_int_equal(hn_fmu_run_create(PATH, &options, &run, &error), HN_ERROR_ARGUMENT);
      assert_null(run);
    }
  }
}

// ---- trouble --------------------------------------------------------------------------------------

static void check_trouble(const char *model, int version, int kind, const char *reason) {
  hn_fmu_run_options options = make_options(kind, 1, 0.1);
  options.time_limit = 0.5;
  hn_fmu_run *run = start_run(model, version, &options);
  hn_error error = {0};
  hn_status status = HN_OK;
  for (int is_done = 0; status == HN_OK && !is_done;)
    status = hn_fmu_run_step(run, &is_done, &error);
  if (status == HN_OK || !strstr(error.message, reason))
    print_error("%s %d %d: %s\n", model, version, kind, error.message);
  assert_true(status < 0);
  assert_non_null(strstr(error.message, reason));
  assert_non_null(strstr(error.element, "run.fmu"));
  assert_true(hn_fmu_run_time(run) < 0.51);
  // asked again, it says so
  int is_done;
  assert_true(hn_fmu_run_step(run, &is_done, &error) < 0);
  hn_fmu_run_free(run);
}

static void trouble_is_reported_with_time_and_function(void **state) {
  (void)state;
  check_trouble("fails", 2, HN_FMU_CO_SIMULATION,
                "fails in fmi2DoStep at t = 0.4 s: the spring is");
  check_trouble("fails", 3, HN_FMU_CO_SIMULATION,
                "fails in fmi3DoStep at t = 0.4 s: the spring is");
  check_trouble("fails", 2, HN_FMU_MODEL_EXCHANGE, "fails in fmi2GetDerivatives");
  check_trouble("fails", 3, HN_FMU_MODEL_EXCHANGE, "fails in fmi3GetContinuousStateDerivatives");
  check_trouble("crashes", 2, HN_FMU_CO_SIMULATION, "crashed (signal 6, SIGABRT)");
  check_trouble("crashes", 3, HN_FMU_MODEL_EXCHANGE, "crashed (signal 6, SIGABRT)");
  check_trouble("hangs", 2, HN_FMU_CO_SIMULATION, "gave no answer within 0.5 s");
  check_trouble("hangs", 3, HN_FMU_MODEL_EXCHANGE, "gave no answer within 0.5 s");
  check_trouble("discards", 2, HN_FMU_CO_SIMULATION, "discards fmi2DoStep");
  check_trouble("discards", 3, HN_FMU_CO_SIMULATION, "discards fmi3DoStep");
  check_trouble("discards", 2, HN_FMU_MODEL_EXCHANGE, "discards fmi2GetDerivatives");
  check_trouble("stalls", 3, HN_FMU_CO_SIMULATION, "where it started");
}

static void fmus_that_cannot_start_say_why(void **state) {
  (void)state;
  hn_fmu_run_options options = make_options(0, 1, 0.1);
  hn_fmu_run *run = NULL;
  hn_error error = {0};
  write_program(PATH, "unknown", 3, 1); // the binary does not know this token
  assert_true(hn_fmu_run_create(PATH, &options, &run, &error) != HN_OK);
  assert_non_null(strstr(error.message, "fmi3InstantiateCoSimulation"));
  write_program(PATH, "vdp", 3, 1);
  options.host = HOLON_TEST_OUTPUT_DIR "/nothing";
  assert_true(hn_fmu_run_create(PATH, &options, &run, &error) != HN_OK);
  assert_non_null(strstr(error.message, "cannot be started"));
  options.host = "/bin/false"; // a program that does not answer
  assert_true(hn_fmu_run_create(PATH, &options, &run, &error) != HN_OK);
  assert_non_null(strstr(error.message, "ended (exit code 1)"));
  assert_null(run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(van_der_pol_is_that_of_the_reference),
      cmocka_unit_test(ball_bounces_eleven_times_and_rests),
      cmocka_unit_test(stiff_states_take_long_steps),
      cmocka_unit_test(time_events_are_met_and_the_fmu_ends_the_run),
      cmocka_unit_test(start_values_are_set),
      cmocka_unit_test(trouble_is_reported_with_time_and_function),
      cmocka_unit_test(fmus_that_cannot_start_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
