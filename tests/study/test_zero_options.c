// Structs of options that are all zero leave everything to the library: in C, `{0}` is valid.
#include "holon/holon.h"

#include <string.h>

#include "support/check.h"

// A mass on a spring in gravity, at rest 9.81 * 2 / 8 m below where the spring is relaxed.
static const char hung[] =
    "{\"bodies\": {\"m\": {\"mass\": 2}}, \"gravity\": [0, 0, -9.81],"
    " \"joints\": {\"rail\": {\"type\": \"translational\", \"bodies\": [\"ground\", \"m\"],"
    "   \"at\": [0, 0, 0], \"axis\": \"z\"}},"
    " \"forces\": {\"s\": {\"type\": \"joint-spring-damper\", \"joint\": \"rail\", \"stiffness\": "
    "8}},"
    " \"outputs\": {\"z\": \"joint.rail.displacement\"},"
    " \"simulation\": {\"time\": 1}}";

static hn_model *load(void) {
  hn_model *model = NULL;
  hn_error error;
  hn_load_options options = {0};
  check_ok(hn_model_load_text(hung, strlen(hung), "hung.json", &options, &model, &error));
  return model;
}

static void statics_take_their_defaults(void **state) {
  (void)state;
  hn_model *model = load();
  hn_simulation *s = NULL;
  hn_simulation_options open = {0};
  hn_statics_options options = {0};
  hn_error error;
  check_ok(hn_simulation_create(model, &open, &s, &error));
  check_ok(hn_simulation_equilibrium(s, &options, NULL));
  const int z = hn_simulation_find_signal(s, "joint.rail.displacement");
  check_near(hn_simulation_signal(s, z), -9.81 * 2 / 8, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void a_loop_in_real_time_takes_its_defaults(void **state) {
  (void)state;
  hn_model *model = load();
  hn_realtime *loop = NULL;
  hn_realtime_options options = {.simulation = {.step = 1e-3}};
  hn_error error;
  check_ok(hn_realtime_create(model, &options, &loop, &error));
  const hn_realtime_options defaults = hn_default_realtime_options();
  assert_int_equal(hn_realtime_options_used(loop)->warm_up, defaults.warm_up);
  assert_int_equal(hn_realtime_options_used(loop)->saved_states, defaults.saved_states);
  check_ok(hn_realtime_step(loop, NULL));
  hn_realtime_free(loop);
  // what is said with the size is taken, zero too
  options = defaults;
  options.simulation.step = 1e-3;
  options.warm_up = 0;
  check_ok(hn_realtime_create(model, &options, &loop, &error));
  assert_int_equal(hn_realtime_options_used(loop)->warm_up, 0);
  hn_realtime_free(loop);
  hn_model_free(model);
}

static void verify_takes_its_defaults(void **state) {
  (void)state;
  hn_model *model = load();
  hn_verify *report = NULL;
  hn_verify_options options = {0};
  hn_error error;
  check_ok(hn_verify_model(model, &options, &report, &error));
  check_near(report->tol, hn_default_verify_options().tol, 0);
  assert_int_equal(report->rows, hn_default_verify_options().rows);
  hn_verify_free(report);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statics_take_their_defaults),
      cmocka_unit_test(a_loop_in_real_time_takes_its_defaults),
      cmocka_unit_test(verify_takes_its_defaults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
