// Exported FMUs, driven as importing programs do: the same bits as a run of the library, inputs
// that change between and within steps, states that are restored, derivatives, errors.
#include <math.h>

#include "fmi/unit.h"

// A cart between a spring and a soft stop, pushed by an input, with friction whose law has a corner.
#define PRESS                                                                                      \
  "name: press\n"                                                                                  \
  "parameters: {stiffness: 90 N/m, weight: 2 kg, ratio: 0.5}\n"                                    \
  "inputs: {push: 0 N, offset: {value: 0, filter: 0.1 s}}\n"                                       \
  "bodies:\n"                                                                                      \
  "  cart: {mass: weight, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                          \
  "  arm: {mass: 0.5, center: [0, 0, 0.4], inertia: [0.03, 0.03, 0.001]}\n"                        \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "joints:\n"                                                                                      \
  "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"                \
  "  pivot: {type: revolute, bodies: [cart, arm], at: [0, 0, 0], axis: y, initial: {angle: "       \
  "0.4}}\n"                                                                                        \
  "states: {heat: {initial: 0, rate: abs(joint.rail.displacement_rate)*ratio}}\n"                  \
  "forces:\n"                                                                                      \
  "  spring: {type: joint-spring-damper, joint: rail, stiffness: stiffness, damping: 1}\n"         \
  "  stop: {type: joint-stop, joint: rail, lower: -0.05, upper: 0.05, stiffness: 2e4, damping: "   \
  "20}\n"                                                                                          \
  "  motor: {type: point-force, body: cart, at: [0, 0, 0], force: [push + offset*10, 0, 0]}\n"     \
  "outputs:\n"                                                                                     \
  "  x: joint.rail.displacement\n"                                                                 \
  "  angle: {value: joint.pivot.angle, unit: deg}\n"                                               \
  "  acceleration: body.cart.acceleration.x\n"                                                     \
  "  ratio: state.heat/10\n"                                                                       \
  "simulation: {time: 2, output_step: 0.01}\n"

static const char *press_file(void) {
  const char *path = FOLDER "press.yaml";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(PRESS, file);
  fclose(file);
  return path;
}

static char last_message[4000];
static int message_count;

static void listen(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                   fmi3String message) {
  (void)environment, (void)status, (void)category;
  snprintf(last_message, sizeof last_message, "%s", message);
  message_count++;
}

static fmi3Instance start3(const unit *u, double stop, int has_events) {
  fmi3Instance i =
      CALL(u, fmi3InstantiateCoSimulation)("one", u->token, u->resources, false, true, has_events,
                                           has_events, NULL, 0, NULL, listen, NULL);
  assert_non_null(i);
  assert_int_equal(CALL(u, fmi3EnterInitializationMode)(i, false, 0, 0, true, stop), fmi3OK);
  return i;
}

static fmi3Instance run3(const unit *u, double stop) {
  fmi3Instance i = start3(u, stop, 0);
  assert_int_equal(CALL(u, fmi3ExitInitializationMode)(i), fmi3OK);
  return i;
}

static void step3(const unit *u, fmi3Instance i, double at, double size) {
  bool event, end, early;
  double time;
  assert_int_equal(CALL(u, fmi3DoStep)(i, at, size, false, &event, &end, &early, &time), fmi3OK);
  check_near(time, at + size, 1e-12);
}

static double get3(const unit *u, fmi3Instance i, const char *name) {
  const uint32_t reference = reference_of(u, name);
  double value = NAN;
  assert_int_equal(CALL(u, fmi3GetFloat64)(i, &reference, 1, &value, 1), fmi3OK);
  return value;
}

static void set3(const unit *u, fmi3Instance i, const char *name, double value) {
  const uint32_t reference = reference_of(u, name);
  assert_int_equal(CALL(u, fmi3SetFloat64)(i, &reference, 1, &value, 1), fmi3OK);
}

static void end3(unit *u, fmi3Instance i) {
  assert_int_equal(CALL(u, fmi3Terminate)(i), fmi3OK);
  CALL(u, fmi3FreeInstance)(i);
  drop_unit(u);
}

// ---- the same run ---------------------------------------------------------------------------------

// Without inputs that change, values are those of dense output of a run to the same end, bit for
// bit.
static void compare_with_run(const char *path, double stop, double step, const char *output) {
  hn_error error = {0};
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  check_ok(hn_model_load(path, NULL, &model, &error));
  const hn_simulation_options options = hn_default_simulation_options();
  check_ok(hn_simulation_create(model, &options, &s, &error));
  unit u = make_unit(path, "same", 3, NULL), v = make_unit(path, "same", 2, NULL);
  fmi3Instance i = run3(&u, stop);
  fmi2CallbackFunctions functions = {.logger = NULL};
  char uri[1300] = "file://";
  for (const char *c = v.resources; *c; c++) strncat(uri, *c == ' ' ? "%20" : (char[]){*c, 0}, 3);
  fmi2Component j =
      CALL(&v, fmi2Instantiate)("two", fmi2CoSimulation, v.token, uri, &functions, 0, 0);
  assert_non_null(j);
  assert_int_equal(CALL(&v, fmi2SetupExperiment)(j, 0, 0, 0, 1, stop), fmi2OK);
  assert_int_equal(CALL(&v, fmi2EnterInitializationMode)(j), fmi2OK);
  assert_int_equal(CALL(&v, fmi2ExitInitializationMode)(j), fmi2OK);
  const uint32_t reference = reference_of(&v, output);
  const int signal = hn_simulation_find_signal(s, output);
  int count = 0;
  for (double t = 0; t < stop - step / 2; t += step, count++) {
    double two;
    step3(&u, i, t, step);
    assert_int_equal(CALL(&v, fmi2DoStep)(j, t, step, 0), fmi2OK);
    assert_int_equal(CALL(&v, fmi2GetReal)(j, &reference, 1, &two), fmi2OK);
    while (hn_simulation_time(s) < t + step) check_ok(hn_simulation_step(s, stop));
    check_ok(hn_simulation_look_at(s, t + step));
    const double one = get3(&u, i, output), run = hn_simulation_signal(s, signal);
    assert_memory_equal(&one, &run, sizeof run);
    assert_memory_equal(&two, &run, sizeof run);
  }
  assert_true(count > 10);
  CALL(&v, fmi2FreeInstance)(j);
  drop_unit(&v);
  end3(&u, i);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void steps_are_those_of_a_run(void **state) {
  (void)state;
  compare_with_run(press_file(), 1, 0.0078125, "x");
  compare_with_run("models/contact/ball.yaml", 1, 0.03125, "ball.z");
  compare_with_run("models/vehicles/car.yaml", 0.5, 0.015625, "body.chassis.position.z");
  compare_with_run("models/components/powertrain.yaml", 0.25, 0.015625, "engine.crank_speed");
}

// ---- inputs and parameters ------------------------------------------------------------------------

// The push in step k; constant for a while, then changing at every point.
static double push_of(int k) { return k < 40 ? 0 : k < 60 ? 5 : 5 * sin(0.2 * k); }

static void inputs_hold_from_the_point_on(void **state) {
  (void)state;
  const char *path = press_file();
  const double step = 0.0125;
  hn_error error = {0};
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  check_ok(hn_model_load(path, NULL, &model, &error));
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-9;
  check_ok(hn_simulation_create(model, &options, &s, &error));
  unit u = make_unit(path, "inputs", 3, NULL);
  fmi3Instance i = run3(&u, 2);
  const int x = hn_simulation_find_signal(s, "x");
  double least = 1, most = -1;
  for (int k = 0; k < 150; k++) {
    const double push = push_of(k);
    set3(&u, i, "push", push);
    step3(&u, i, k * step, step);
    if (k == 0 || push != push_of(k - 1))
      check_ok(hn_simulation_set_input(s, hn_model_find_input(model, "push"), push));
    check_ok(hn_simulation_advance(s, (k + 1) * step));
    const double expected = hn_simulation_signal(s, x);
    check_near(get3(&u, i, "x"), expected, 1e-5); // ten times the default tolerance
    least = fmin(least, expected);
    most = fmax(most, expected);
  }
  assert_true(least < -0.04 && most > 0.04); // it has moved
  end3(&u, i);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void parameters_are_those_of_set(void **state) {
  (void)state;
  const char *path = press_file(), *settings[] = {"stiffness=140 N/m", "ratio=0.25"};
  const hn_load_options load = {.size = sizeof load, .settings = settings, .setting_count = 2};
  unit u = make_unit(path, "numbers", 3, NULL), v = make_unit(path, "fixed", 3, &load);
  fmi3Instance i = start3(&u, 1, 0), j = run3(&v, 1);
  check_near(get3(&u, i, "stiffness"), 90, 0);
  check_near(get3(&v, j, "stiffness"), 140, 0);
  const double before = get3(&u, i, "acceleration");
  set3(&u, i, "stiffness", 140);
  set3(&u, i, "parameter.ratio", 0.25); // the output has the name
  set3(&u, i, "weight", 2);
  assert_int_equal(CALL(&u, fmi3ExitInitializationMode)(i), fmi3OK);
  step3(&u, i, 0, 0.8);
  step3(&v, j, 0, 0.8);
  const double one = get3(&u, i, "ratio"), two = get3(&v, j, "ratio");
  assert_memory_equal(&one, &two, sizeof one);
  assert_true(one > 0);
  // set in the run: an error, and nothing changes
  const uint32_t reference = reference_of(&u, "stiffness");
  const double value = 1;
  message_count = 0;
  assert_int_equal(CALL(&u, fmi3SetFloat64)(i, &reference, 1, &value, 1), fmi3Error);
  assert_int_equal(message_count, 1);
  check_names(last_message, "stiffness");
  check_near(get3(&u, i, "stiffness"), 140, 0);
  // as if nothing had been set
  assert_int_equal(CALL(&u, fmi3Reset)(i), fmi3OK);
  assert_int_equal(CALL(&u, fmi3EnterInitializationMode)(i, false, 0, 0, true, 1), fmi3OK);
  check_near(get3(&u, i, "stiffness"), 90, 0);
  check_near(get3(&u, i, "acceleration"), before, 0);
  end3(&v, j);
  end3(&u, i);
}

// A component outside of the folder of the model is found inside of the FMU as on the disk.
static void files_keep_their_places(void **state) {
  (void)state;
  char folder[] = FOLDER "car/", other[] = FOLDER "parts/";
  make_folders(folder);
  make_folders(other);
  FILE *file = fopen(FOLDER "car/car.yaml", "w");
  assert_non_null(file);
  fputs("name: car\nparameters: {pull: 3 N}\ncomponents: {wheel: {use: ../parts/wheel.yaml, "
        "parameters: {m: 2 kg, f: pull}}}\n",
        file);
  fclose(file);
  file = fopen(FOLDER "parts/wheel.yaml", "w");
  assert_non_null(file);
  fputs("parameters: {m: 1 kg, f: 1 N}\nbodies: {rim: {mass: m, inertia: [1, 1, 1]}}\n"
        "forces: {tow: {type: point-force, body: rim, at: [0, 0, 0], force: [f, 0, 0]}}\n"
        "outputs: {x: body.rim.position.x}\n",
        file);
  fclose(file);
  unit u = make_unit(FOLDER "car/car.yaml", "places", 3, NULL);
  fmi3Instance i = start3(&u, 2, 0);
  set3(&u, i, "pull", 4);
  assert_int_equal(CALL(&u, fmi3ExitInitializationMode)(i), fmi3OK);
  step3(&u, i, 0, 1);
  check_near(get3(&u, i, "wheel.x"), 1, 1e-6); // 4 N on 2 kg for 1 s
  end3(&u, i);
}

// ---- states ---------------------------------------------------------------------------------------

static void continue_both(const unit *u, fmi3Instance i, double values[40]) {
  for (int k = 0; k < 20; k++) {
    if (k == 12) set3(u, i, "push", 3);
    step3(u, i, 0.5 + k * 0.013, 0.013);
    values[2 * k] = get3(u, i, "x");
    values[2 * k + 1] = get3(u, i, "acceleration");
  }
}

// Restored, and in another instance: the same bits, also where the engine was ahead of the point.
static void states_continue_bit_for_bit(void **state) {
  (void)state;
  unit u = make_unit(press_file(), "states", 3, NULL);
  for (int is_pushed = 0; is_pushed < 2; is_pushed++) {
    fmi3Instance i = run3(&u, 2), j = start3(&u, 2, 0);
    fmi3FMUState kept = NULL, other = NULL;
    double first[40], again[40], elsewhere[40];
    step3(&u, i, 0, 0.3);
    if (is_pushed) set3(&u, i, "push", -4);
    step3(&u, i, 0.3, 0.2);
    assert_int_equal(CALL(&u, fmi3GetFMUState)(i, &kept), fmi3OK);
    size_t size = 0;
    assert_int_equal(CALL(&u, fmi3SerializedFMUStateSize)(i, kept, &size), fmi3OK);
    assert_true(size > 100);
    unsigned char *bytes = malloc(size);
    assert_int_equal(CALL(&u, fmi3SerializeFMUState)(i, kept, bytes, size), fmi3OK);
    continue_both(&u, i, first);
    assert_int_equal(CALL(&u, fmi3SetFMUState)(i, kept), fmi3OK);
    continue_both(&u, i, again);
    assert_int_equal(CALL(&u, fmi3DeserializeFMUState)(j, bytes, size, &other), fmi3OK);
    assert_int_equal(CALL(&u, fmi3SetFMUState)(j, other), fmi3OK);
    check_near(get3(&u, j, "push"), is_pushed ? -4 : 0, 0);
    continue_both(&u, j, elsewhere);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_equal(first, elsewhere, sizeof first);
    // a damaged one is an error
    bytes[size / 2] ^= 1, bytes[3] ^= 1;
    assert_int_equal(CALL(&u, fmi3FreeFMUState)(j, &other), fmi3OK);
    assert_int_equal(CALL(&u, fmi3DeserializeFMUState)(j, bytes, size, &other), fmi3OK);
    assert_int_equal(CALL(&u, fmi3SetFMUState)(j, other), fmi3Error);
    CALL(&u, fmi3FreeFMUState)(j, &other);
    CALL(&u, fmi3FreeFMUState)(i, &kept);
    assert_null(kept);
    CALL(&u, fmi3FreeInstance)(i);
    CALL(&u, fmi3FreeInstance)(j);
    free(bytes);
  }
  drop_unit(&u);
}

// ---- derivatives ----------------------------------------------------------------------------------

// M x'' = push: against finite differences of values at the same point; and the adjoint against it.
static void derivatives_are_exact(void **state) {
  (void)state;
  unit u = make_unit(press_file(), "derivatives", 3, NULL);
  fmi3Instance i = run3(&u, 2);
  step3(&u, i, 0, 0.37);
  const uint32_t unknowns[2] = {reference_of(&u, "acceleration"), reference_of(&u, "x")};
  const uint32_t known = reference_of(&u, "push");
  const double seed = 1, seeds[2] = {2, 5};
  double slope[2], adjoint;
  assert_int_equal(
      CALL(&u, fmi3GetDirectionalDerivative)(i, unknowns, 2, &known, 1, &seed, 1, slope, 2),
      fmi3OK);
  assert_int_equal(
      CALL(&u, fmi3GetAdjointDerivative)(i, unknowns, 2, &known, 1, seeds, 2, &adjoint, 1), fmi3OK);
  set3(&u, i, "push", 1);
  const double pushed = get3(&u, i, "acceleration");
  set3(&u, i, "push", 2);
  check_near(slope[0], get3(&u, i, "acceleration") - pushed, 1e-8); // it is linear in the push
  assert_true(slope[0] > 0.3);
  check_near(slope[1], 0, 0);
  check_near(adjoint, 2 * slope[0], 1e-12);
  end3(&u, i);
}

// ---- early return ---------------------------------------------------------------------------------

static void events_end_steps(void **state) {
  (void)state;
  unit u = make_unit("models/contact/ball.yaml", "events", 3, NULL);
  fmi3Instance i = start3(&u, 3, 1);
  assert_int_equal(CALL(&u, fmi3ExitInitializationMode)(i), fmi3OK);
  const double first = sqrt(2 / 9.81); // s, the first impact
  bool event, end, early, again, other[3];
  double time, none;
  assert_int_equal(CALL(&u, fmi3DoStep)(i, 0, 1, false, &event, &end, &early, &time), fmi3Error);
  check_names(last_message, "mode");
  assert_int_equal(CALL(&u, fmi3EnterStepMode)(i), fmi3OK);
  assert_int_equal(CALL(&u, fmi3DoStep)(i, 0, 1, false, &event, &end, &early, &time), fmi3OK);
  assert_true(event && early && !end);
  check_near(time, first, 1e-6);
  check_near(get3(&u, i, "ball.z"), 0, 1e-6);
  assert_int_equal(CALL(&u, fmi3EnterEventMode)(i), fmi3OK);
  assert_int_equal(
      CALL(&u, fmi3UpdateDiscreteStates)(i, &again, &end, &other[0], &other[1], &other[2], &none),
      fmi3OK);
  assert_false(again || end);
  assert_int_equal(CALL(&u, fmi3EnterStepMode)(i), fmi3OK);
  assert_int_equal(CALL(&u, fmi3DoStep)(i, time, 0.1, false, &event, &end, &early, &time), fmi3OK);
  check_near(time, first + 0.1, 1e-6);
  end3(&u, i);
}

static int updates;
static double latest;

static void stop_at_three(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set,
                          fmi3Boolean get, fmi3Boolean finished, fmi3Boolean may_return,
                          fmi3Boolean *returns, fmi3Float64 *when) {
  (void)environment, (void)set, (void)get, (void)finished, (void)may_return;
  assert_true(time > latest);
  latest = time;
  *returns = ++updates == 3;
  *when = time;
}

static void updates_may_end_a_step(void **state) {
  (void)state;
  unit u = make_unit(press_file(), "updates", 3, NULL);
  fmi3Instance i = CALL(&u, fmi3InstantiateCoSimulation)(
      "one", u.token, u.resources, false, true, false, true, NULL, 0, NULL, listen, stop_at_three);
  bool event, end, early;
  double time;
  assert_int_equal(CALL(&u, fmi3EnterInitializationMode)(i, true, 1e-8, 0, false, 0), fmi3OK);
  assert_int_equal(CALL(&u, fmi3ExitInitializationMode)(i), fmi3OK);
  assert_int_equal(CALL(&u, fmi3DoStep)(i, 0, 1, false, &event, &end, &early, &time), fmi3OK);
  assert_true(early && !event && !end);
  assert_int_equal(updates, 3);
  check_near(time, latest, 0);
  assert_true(time > 0 && time < 1);
  assert_int_equal(CALL(&u, fmi3DoStep)(i, time, 1, false, &event, &end, &early, &time), fmi3OK);
  assert_false(early);
  assert_true(updates > 4);
  end3(&u, i);
}

// ---- errors ---------------------------------------------------------------------------------------

static void wrong_calls_are_named(void **state) {
  (void)state;
  unit u = make_unit(press_file(), "wrong", 3, NULL);
  message_count = 0;
  assert_null(CALL(&u, fmi3InstantiateCoSimulation)("one", "another", u.resources, 0, 1, 0, 0, NULL,
                                                    0, NULL, listen, NULL));
  check_names(last_message, "token");
  assert_null(CALL(&u, fmi3InstantiateCoSimulation)("one", u.token, FOLDER "nowhere", 0, 1, 0, 0,
                                                    NULL, 0, NULL, listen, NULL));
  check_names(last_message, "nowhere");
  assert_null(CALL(&u, fmi3InstantiateCoSimulation)("one", u.token, NULL, 0, 1, 0, 0, NULL, 0, NULL,
                                                    listen, NULL));
  assert_int_equal(message_count, 3);
  fmi3Instance i = run3(&u, 2);
  const uint32_t output = reference_of(&u, "x"), nothing = 100000;
  const double value = 1, infinite = INFINITY;
  double got;
  bool event, end, early;
  assert_int_equal(CALL(&u, fmi3SetFloat64)(i, &output, 1, &value, 1), fmi3Error);
  check_names(last_message, "x");
  assert_int_equal(CALL(&u, fmi3GetFloat64)(i, &nothing, 1, &got, 1), fmi3Error);
  check_names(last_message, "100000");
  const uint32_t push = reference_of(&u, "push");
  assert_int_equal(CALL(&u, fmi3SetFloat64)(i, &push, 1, &infinite, 1), fmi3Error);
  check_names(last_message, "push");
  assert_int_equal(CALL(&u, fmi3DoStep)(i, 5, 1, false, &event, &end, &early, &got), fmi3Error);
  check_has_number(last_message, 5, 0);
  assert_int_equal(CALL(&u, fmi3DoStep)(i, 0, -1, false, &event, &end, &early, &got), fmi3Error);
  step3(&u, i, 0, 0.1); // and it still works
  end3(&u, i);
}

// A pendulum that must not leave its range: the run ends with the element and the time.
static void failures_say_where_and_when(void **state) {
  (void)state;
  const char *path = FOLDER "break.yaml";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(
      "name: break\n"
      "bodies: {bob: {mass: 1, center: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: y}}\n"
      "forces: {odd: {type: point-force, body: bob, at: [1, 0, 0], force: [log(0.5 - t), 0, 0]}}\n"
      "outputs: {angle: joint.pin.angle}\n",
      file);
  fclose(file);
  unit u = make_unit(path, "break", 3, NULL), v = make_unit(path, "break", 2, NULL);
  fmi3Instance i = run3(&u, 2);
  bool event, end, early;
  double time;
  step3(&u, i, 0, 0.25);
  message_count = 0;
  assert_int_equal(CALL(&u, fmi3DoStep)(i, 0.25, 1, false, &event, &end, &early, &time), fmi3Error);
  assert_true(end && message_count == 1);
  check_near(time, 0.5, 1e-3);
  check_names(last_message, "odd");
  assert_int_equal(CALL(&u, fmi3DoStep)(i, time, 1, false, &event, &end, &early, &time), fmi3Error);
  fmi2CallbackFunctions functions = {.logger = NULL};
  fmi2Component j =
      CALL(&v, fmi2Instantiate)("two", fmi2CoSimulation, v.token, v.resources, &functions, 0, 0);
  CALL(&v, fmi2SetupExperiment)(j, 0, 0, 0, 0, 0);
  assert_int_equal(CALL(&v, fmi2EnterInitializationMode)(j), fmi2OK);
  assert_int_equal(CALL(&v, fmi2ExitInitializationMode)(j), fmi2OK);
  assert_int_equal(CALL(&v, fmi2DoStep)(j, 0, 1, 0), fmi2Discard);
  fmi2Boolean is_over = 0;
  assert_int_equal(CALL(&v, fmi2GetRealStatus)(j, fmi2LastSuccessfulTime, &time), fmi2OK);
  assert_int_equal(CALL(&v, fmi2GetBooleanStatus)(j, fmi2Terminated, &is_over), fmi2OK);
  check_near(time, 0.5, 1e-3);
  assert_true(is_over);
  CALL(&v, fmi2FreeInstance)(j);
  drop_unit(&v);
  end3(&u, i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_those_of_a_run),
      cmocka_unit_test(inputs_hold_from_the_point_on),
      cmocka_unit_test(parameters_are_those_of_set),
      cmocka_unit_test(files_keep_their_places),
      cmocka_unit_test(states_continue_bit_for_bit),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(events_end_steps),
      cmocka_unit_test(updates_may_end_a_step),
      cmocka_unit_test(wrong_calls_are_named),
      cmocka_unit_test(failures_say_where_and_when),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
