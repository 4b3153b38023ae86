// Rows of sweeps: grids, Latin hypercubes, tables; what is measured; mistakes.
#include "holon/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

// A mass on a spring, released at 1 m: x = cos(w t) with w^2 = k / 2 kg.
static const char spring[] =
    "{\"parameters\": {\"k\": \"8 N/m\", \"mass\": 2},"
    " \"bodies\": {\"m\": {\"mass\": \"mass\"}},"
    " \"joints\": {\"rail\": {\"type\": \"translational\", \"bodies\": [\"ground\", \"m\"],"
    "   \"at\": [0, 0, 0], \"axis\": \"x\", \"initial\": {\"displacement\": 1}}},"
    " \"forces\": {\"s\": {\"type\": \"joint-spring-damper\", \"joint\": \"rail\","
    "   \"stiffness\": \"k\"}}, \"outputs\": {\"x\": \"joint.rail.displacement\"},"
    " \"simulation\": {\"time\": 3.141592653589793}}";

static hn_sweep_job spring_job(void) {
  hn_sweep_job job = hn_default_sweep_job();
  job.path = "spring.json";
  job.text = spring;
  job.text_size = strlen(spring);
  job.simulation.tol = 1e-9;
  return job;
}

static hn_sweep *make(const char *const *vary, int count, const char *sample,
                      const hn_sweep_job *job) {
  hn_sweep_plan plan = {.vary = vary, .vary_count = count, .sample = sample, .seed = 3};
  hn_sweep *sweep = NULL;
  hn_error error = {0};
  if (hn_sweep_create(&plan, job, &sweep, &error)) fail_msg("%s", error.message);
  return sweep;
}

static void grids_are_every_combination(void **state) {
  (void)state;
  const char *vary[] = {"k=1:100:3:log"};
  hn_sweep_job job = spring_job();
  hn_sweep *sweep = make(vary, 1, NULL, &job);
  assert_int_equal(hn_sweep_rows(sweep), 3);
  check_relative(hn_sweep_value(sweep, 1, 0), 10, 1e-15);
  check_near(hn_sweep_value(sweep, 2, 0), 100, 0);
  assert_int_equal(hn_sweep_column_count(sweep), 3);
  assert_string_equal(hn_sweep_column(sweep, 2), "x:max");
  hn_sweep_free(sweep);
}

static void runs_measure_what_is_exact(void **state) {
  (void)state;
  const char *vary[] = {"k=8,32 N/m"};
  const char *outputs[] = {"x", "x:min", "x:mean", "x:rms", "joint.rail.displacement_rate:max"};
  hn_sweep_job job = spring_job();
  job.outputs = outputs;
  job.output_count = 5;
  hn_sweep *sweep = make(vary, 1, NULL, &job);
  for (long row = 0; row < 2; row++) {
    hn_sweep_result result;
    double w = row == 0 ? 2 : 4; // whole periods until pi
    check_ok(hn_sweep_run(sweep, row, &result));
    check_ok(result.status);
    check_near(result.values[0], 1, 1e-6);
    check_near(result.values[1], -1, 1e-6);
    check_near(result.values[2], 0, 1e-4);
    check_near(result.values[3], sqrt(0.5), 1e-3);
    check_near(result.values[4], w, 1e-3);
    assert_non_null(strstr(result.certificate, "state_hash"));
    char line[400];
    size_t length = hn_sweep_line(sweep, row, &result, line, sizeof line);
    assert_int_equal(length, strlen(line));
    assert_true(strncmp(line, row == 0 ? "0,8,ok,sound," : "1,32,ok,sound,", 13) == 0);
    hn_sweep_result_free(&result);
  }
  char header[200];
  hn_sweep_header(sweep, header, sizeof header);
  assert_string_equal(header, "row,k,status,verdict,x:end,x:min,x:mean,x:rms,"
                              "joint.rail.displacement_rate:max,state_hash\n");
  hn_sweep_free(sweep);
}

// Every parameter has one value in each of N equal stretches, and another seed gives another order.
static void hypercubes_fill_every_stretch_once(void **state) {
  (void)state;
  const char *vary[] = {"k=0:50"};
  hn_sweep_job job = spring_job();
  hn_sweep *sweep = make(vary, 1, "lhs:50", &job), *same = make(vary, 1, "lhs:50", &job);
  int count[50] = {0}, ordered = 0;
  for (long row = 0; row < 50; row++) {
    double value = hn_sweep_value(sweep, row, 0);
    check_near(hn_sweep_value(same, row, 0), value, 0);
    count[(int)value]++;
    ordered += (int)value == row;
  }
  for (int k = 0; k < 50; k++) assert_int_equal(count[k], 1);
  assert_true(ordered < 10);
  assert_true(hn_sweep_hash(sweep) == hn_sweep_hash(same));
  hn_sweep_free(sweep);
  hn_sweep_free(same);
}

static void mistakes_are_told(void **state) {
  (void)state;
  static const char *const wrong[] = {"k",       "k=",        "=1:2:3",      "k=1:2",
                                      "k=1:2:0", "k=1:2:2.5", "k=1:2:3:lin", "k=0:2:3:log",
                                      "k=1,,2",  "k=1e999",   "q=1,2"};
  hn_sweep_job job = spring_job();
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    hn_sweep_plan plan = {.vary = &wrong[k], .vary_count = 1};
    hn_sweep *sweep = (hn_sweep *)1;
    hn_error error = {0};
    check_status(hn_sweep_create(&plan, &job, &sweep, &error), HN_ERROR_ARGUMENT);
    assert_null(sweep);
    assert_true(error.message[0] != '\0');
  }
  const char *vary[] = {"k=1:1e6:1000000", "k=1,2"};
  hn_sweep_plan plan = {.vary = vary, .vary_count = 2};
  hn_sweep *sweep;
  check_status(hn_sweep_create(&plan, &job, &sweep, NULL), HN_ERROR_ARGUMENT);
}

static void what_would_fail_in_every_row_is_told_at_once(void **state) {
  (void)state;
  static const char *const outputs[] = {"nothing:max", "x:most", "*:max"};
  static const char *const said[] = {"'nothing'", "'most' 'x'", "'*'"};
  const char *vary[] = {"k=1,2"};
  hn_sweep_plan plan = {.vary = vary, .vary_count = 1};
  hn_sweep *sweep = NULL;
  for (int k = 0; k < 3; k++) {
    hn_sweep_job job = spring_job();
    hn_error error = {0};
    job.outputs = &outputs[k];
    job.output_count = 1;
    check_status(hn_sweep_create(&plan, &job, &sweep, &error), HN_ERROR_ARGUMENT);
    check_names(error.message, said[k]);
  }
  hn_sweep_job job = spring_job();
  job.simulation.method = "no such";
  check_status(hn_sweep_create(&plan, &job, &sweep, NULL), HN_ERROR_UNSUPPORTED);
}

static void a_row_without_a_machine_is_a_result(void **state) {
  (void)state;
  const double table[] = {-1, 8}; // kg
  const char *names[] = {"mass"};
  hn_sweep_plan plan = {
      .vary = names, .vary_count = 1, .sample = "table", .table = table, .table_rows = 2};
  hn_sweep_job job = spring_job();
  hn_sweep *sweep = NULL;
  hn_sweep_result result;
  check_ok(hn_sweep_create(&plan, &job, &sweep, NULL));
  check_ok(hn_sweep_run(sweep, 0, &result));
  check_status(result.status, HN_ERROR_MODEL);
  assert_true(isnan(result.values[0]));
  hn_sweep_result_free(&result);
  check_status(hn_sweep_run(sweep, 2, &result), HN_ERROR_ARGUMENT);
  hn_sweep_free(sweep);
}

// Rows run on one copy of the files; options of the call decide which sweep it is.
static void a_changed_file_changes_nothing(void **state) {
  (void)state;
  const char *vary[] = {"k=8,32 N/m"};
  hn_sweep_job job = spring_job();
  char *text = malloc(sizeof spring);
  assert_non_null(text);
  memcpy(text, spring, sizeof spring);
  job.text = text;
  hn_sweep *sweep = make(vary, 1, NULL, &job);
  memset(text, '?', sizeof spring - 1);
  hn_sweep_result result;
  check_ok(hn_sweep_run(sweep, 1, &result));
  check_ok(result.status);
  check_near(result.values[0], 1, 1e-6);
  hn_sweep_result_free(&result);
  hn_sweep_free(sweep);
  free(text);
}

static void other_options_are_another_sweep(void **state) {
  (void)state;
  const char *vary[] = {"k=8,32 N/m"};
  hn_sweep_job job = spring_job();
  hn_sweep *sweep = make(vary, 1, NULL, &job);
  const unsigned long long hash = hn_sweep_hash(sweep);
  hn_sweep_free(sweep);
  for (int k = 0; k < 4; k++) {
    job = spring_job();
    if (k == 0) job.simulation.min_step = 1e-9;
    if (k == 1) job.simulation.max_step = 0.01;
    if (k == 2) job.simulation.first_step = 1e-4;
    if (k == 3) job.simulation.formula = "dopri5";
    sweep = make(vary, 1, NULL, &job);
    assert_true(hn_sweep_hash(sweep) != hash);
    hn_sweep_free(sweep);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids_are_every_combination),
      cmocka_unit_test(runs_measure_what_is_exact),
      cmocka_unit_test(hypercubes_fill_every_stretch_once),
      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(what_would_fail_in_every_row_is_told_at_once),
      cmocka_unit_test(a_row_without_a_machine_is_a_result),
      cmocka_unit_test(a_changed_file_changes_nothing),
      cmocka_unit_test(other_options_are_another_sweep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
