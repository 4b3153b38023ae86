// FMUs as parts of models: exchange of values at samples, compared with the exact solution of the
// whole; events; programs that fail or that may not run.
#include <math.h>
#include <stdarg.h>

#include "fmi/program.h"
#include "holon/holon.h"

#define FOLDER HOLON_TEST_OUTPUT_DIR "/"
#define MODEL FOLDER "model.yaml"
#define UNIT "unit.fmu"

static void write_model(const char *format, ...) HN_PRINTF(1, 2);
static void write_model(const char *format, ...) {
  FILE *file = fopen(MODEL, "w");
  va_list arguments;
  assert_non_null(file);
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fclose(file);
}

static hn_status load(hn_model **model, hn_error *error) {
  hn_load_options options = hn_default_load_options();
  options.allow_compiled = 1;
  return hn_model_load(MODEL, &options, model, error);
}

static hn_simulation *start(hn_model **model) {
  hn_error error = {0};
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-10;
  if (load(model, &error) != HN_OK) print_error("%s\n", error.message);
  assert_non_null(*model);
  check_ok(hn_simulation_create(*model, &options, &s, &error));
  return s;
}

static double signal_of(hn_simulation *s, const char *name) {
  const int index = hn_simulation_find_signal(s, name);
  assert_true(index >= 0);
  return hn_simulation_signal(s, index);
}

// ---- two masses -----------------------------------------------------------------------------------

#define CART                                                                                       \
  "bodies: {cart: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"                       \
  "joints: {rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}}\n"

// A mass of the FMU and a cart, 1 kg and a spring of 10 N/m each, are coupled by 20 N/m. They start at
// 1 m and 0: x = (cos(w1 t) + cos(w2 t))/2 with w1^2 = 10, w2^2 = 50. Returns the error at 2 s.
static double coupled_error(int version, const char *kind, double period) {
  hn_model *model = NULL;
  write_program(FOLDER UNIT, "mass", version, 0);
  write_model(CART
              "states:\n"
              "  mass:\n"
              "    every: %.9g\n"
              "    fmu:\n"
              "      file: " UNIT "\n"
              "      kind: %s\n"
              "      inputs: {force: 20*(joint.rail.displacement - state.mass_x)}\n"
              "      outputs: {x: x0}\n"
              "      start: {stiffness: 10}\n"
              "      tol: 1e-10\n"
              "forces:\n"
              "  own: {type: joint-spring-damper, joint: rail, stiffness: 10}\n"
              "  couple: {type: point-force, body: cart, at: [0, 0, 0], force: [20*(state.mass_x "
              "- joint.rail.displacement), 0, 0]}\n",
              period, kind);
  hn_simulation *s = start(&model);
  check_ok(hn_simulation_advance(s, 2));
  const double exact = 0.5 * (cos(sqrt(10.0) * 2) - cos(sqrt(50.0) * 2));
  const double error = fabs(signal_of(s, "joint.rail.displacement") - exact);
  hn_simulation_free(s);
  hn_model_free(model);
  return error;
}

static void exchanged_values_converge_to_the_whole(void **state) {
  (void)state;
  for (int version = 2; version <= 3; version++)
    for (int is_exchange = 0; is_exchange < 2; is_exchange++) {
      const char *kind = is_exchange ? "me" : "cs";
      const double coarse = coupled_error(version, kind, 2e-3);
      const double fine = coupled_error(version, kind, 1e-3);
      assert_true(fine < 0.02);
      assert_true(coarse / fine > 1.7 && coarse / fine < 2.3); // first order in the period
    }
}

// ---- events ---------------------------------------------------------------------------------------

static void events_inside_the_fmu_are_located(void **state) {
  (void)state;
  hn_model *model = NULL;
  write_program(FOLDER UNIT, "ball", 3, 0);
  write_model(CART "states:\n"
                   "  ball: {every: 50 ms, fmu: {file: " UNIT
                   ", kind: me, tol: 1e-11, outputs: {h: x0, count: count, rest: rest}}}\n"
                   "outputs: {count: state.ball_count, twice: 2*state.ball_rest}\n");
  hn_simulation *s = start(&model);
  check_ok(hn_simulation_advance(s, 3));
  check_near(signal_of(s, "count"), 11, 0);
  check_near(signal_of(s, "twice"), 2 * 2.49911331422, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

// The same again: instances are those of a simulation.
static void simulations_have_instances_of_their_own(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_simulation *other = NULL;
  hn_error error = {0};
  write_program(FOLDER UNIT, "vdp", 2, 0);
  write_model(CART "states: {v: {every: 10 ms, fmu: {file: " UNIT ", outputs: {x: x0}}}}\n"
                   "outputs: {x: state.v_x}\n");
  hn_simulation *s = start(&model);
  const hn_simulation_options options = hn_default_simulation_options();
  check_ok(hn_simulation_create(model, &options, &other, &error));
  check_ok(hn_simulation_advance(s, 1.005));
  check_ok(hn_simulation_advance(other, 1.005));
  const double one = signal_of(s, "x"), two = signal_of(other, "x");
  assert_memory_equal(&one, &two, sizeof one);
  check_near(one, 1.50814423698, 1e-8); // the reference at 1 s
  hn_simulation_free(other);
  hn_simulation_free(s);
  hn_model_free(model);
}

// ---- trouble --------------------------------------------------------------------------------------

static void check_run(const char *program, const char *reason) {
  hn_model *model = NULL;
  write_program(FOLDER UNIT, program, 3, 0);
  write_model(CART "states: {v: {every: 0.1, fmu: {file: " UNIT ", outputs: {x: x0}}}}\n"
                   "outputs: {x: state.v_x}\n");
  hn_simulation *s = start(&model);
  assert_true(hn_simulation_advance(s, 1) != HN_OK);
  const hn_error *error = hn_simulation_error(s);
  if (!strstr(error->message, reason)) print_error("%s\n", error->message);
  assert_non_null(strstr(error->message, reason));
  assert_string_equal(error->element, "FMU 'v'");
  hn_simulation_free(s);
  hn_model_free(model);
}

static void trouble_ends_the_run_with_the_reason(void **state) {
  (void)state;
  check_run("fails", "fails in fmi3DoStep at t = 0.4 s: the spring is 42");
  check_run("crashes", "crashed (signal 6, SIGABRT) at t = 0.4 s");
  check_run("discards", "discards fmi3DoStep at t = 0.4 s");
}

static void check_model(const char *fmu, const char *reason) {
  hn_model *model = NULL;
  hn_error error = {0};
  write_model(CART "states: {v: {%s}}\n", fmu);
  assert_true(load(&model, &error) != HN_OK);
  assert_null(model);
  if (!strstr(error.message, reason)) print_error("%s\n", error.message);
  assert_non_null(strstr(error.message, reason));
  assert_int_equal(error.line, 3);
}

static void models_that_cannot_use_their_fmu_say_why(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_error error = {0};
  write_program(FOLDER UNIT, "vdp", 3, 0);
  write_model(CART "states: {v: {every: 0.1, fmu: {file: " UNIT ", outputs: {x: x0}}}}\n");
  assert_true(hn_model_load(MODEL, NULL, &model, &error) != HN_OK);
  assert_non_null(strstr(error.message, "compiled code, which runs only if allowed"));
  check_model("fmu: {file: " UNIT ", outputs: {x: x0}}", "no time between two samples");
  check_model("every: 1, fmu: {file: none.fmu, outputs: {x: x0}}", "none.fmu");
  check_model("every: 1, fmu: {file: " UNIT ", outputs: {x: x7}}", "is not a variable");
  check_model("every: 1, fmu: {file: " UNIT ", outputs: {x: x0}, inputs: {e: t}}",
              "is not an input");
  check_model("every: 1, fmu: {file: " UNIT ", outputs: 4}", "expects a map");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exchanged_values_converge_to_the_whole),
      cmocka_unit_test(events_inside_the_fmu_are_located),
      cmocka_unit_test(simulations_have_instances_of_their_own),
      cmocka_unit_test(trouble_ends_the_run_with_the_reason),
      cmocka_unit_test(models_that_cannot_use_their_fmu_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
