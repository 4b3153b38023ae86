// A model that is split into two FMUs, compared with a run of the whole.
#include <math.h>

#include "fmi/unit.h"

#define TRUCK FOLDER "truck.fmu"
#define TRAILER FOLDER "trailer.fmu"
enum { OUTPUTS = 6 };
#define DURATION 0.3

static const char *const outputs[OUTPUTS] = {"truck.x",   "truck.y",   "truck.yaw",
                                             "trailer.x", "trailer.y", "trailer.yaw"};

static void note_whole(double *values) {
  hn_error error = {0};
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-10;
  check_ok(hn_model_load("models/fmu/road-train.yaml", NULL, &model, &error));
  check_ok(hn_simulation_create(model, &options, &s, &error));
  check_ok(hn_simulation_advance(s, DURATION));
  for (int k = 0; k < OUTPUTS; k++) {
    const int index = hn_simulation_find_signal(s, outputs[k]);
    assert_true(index >= 0);
    values[k] = hn_simulation_signal(s, index);
  }
  hn_simulation_free(s);
  hn_model_free(model);
}

static void export_half(const char *model, const char *path, int version) {
  hn_error error = {0};
  const hn_fmu_options options = {.size = sizeof options,
                                  .version = version,
                                  .runtime = HOLON_FMU_RUNTIME,
                                  .kinds = HN_FMU_MODEL_EXCHANGE | HN_FMU_CO_SIMULATION};
  if (hn_fmu_export(model, path, NULL, &options, &error) != HN_OK)
    print_error("%s\n", error.message);
  assert_int_equal(error.status, HN_OK);
}

// The largest difference to the whole.
static double difference(int kind, double step, const double *whole) {
  static const char *const others[] = {TRAILER};
  static const char *const connections[] = {
      "truck.hitch_x=trailer.hitch_x",   "truck.hitch_y=trailer.hitch_y",
      "truck.hitch_vx=trailer.hitch_vx", "truck.hitch_vy=trailer.hitch_vy",
      "trailer.pull_x=truck.pull_x",     "trailer.pull_y=truck.pull_y"};
  hn_fmu_run *run = NULL;
  hn_error error = {0};
  hn_fmu_run_options options = hn_default_fmu_run_options();
  options.kind = kind;
  options.stop = DURATION;
  options.step = step;
  options.tolerance = 1e-9;
  options.host = HOLON_FMU_HOST;
  options.others = others;
  options.other_count = 1;
  options.connections = connections;
  options.connection_count = 6;
  check_ok(hn_fmu_run_create(TRUCK, &options, &run, &error));
  for (int is_done = 0; !is_done;)
    if (hn_fmu_run_step(run, &is_done, &error) != HN_OK) {
      print_error("%s\n", error.message);
      assert_true(0);
    }
  double most = 0;
  for (int k = 0; k < OUTPUTS; k++) {
    int column = 0;
    while (strcmp(hn_fmu_run_column(run, column), outputs[k]) != 0) column++;
    most = fmax(most, fabs(hn_fmu_run_values(run)[column] - whole[k]));
  }
  hn_fmu_run_free(run);
  return most;
}

static void halves_are_the_whole(void **state) {
  (void)state;
  double whole[OUTPUTS];
  note_whole(whole);
  for (int version = 2; version <= 3; version++) {
    export_half("models/fmu/truck.yaml", TRUCK, version);
    export_half("models/fmu/trailer.yaml", TRAILER, version);
    assert_true(difference(HN_FMU_MODEL_EXCHANGE, 0.1, whole) < 1e-7);
    const double coarse = difference(HN_FMU_CO_SIMULATION, 0.02, whole);
    const double fine = difference(HN_FMU_CO_SIMULATION, 0.01, whole);
    assert_true(fine < 1e-3);
    assert_true(coarse / fine > 2.5); // of second order
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(halves_are_the_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
