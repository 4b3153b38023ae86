// Exported FMUs of Model Exchange: integrated by our own importer they give what a run of the library
// gives; states, derivatives, events and saved states as the standard wants them.
#include <math.h>

#include "fmi/unit.h"

#define PATH FOLDER "exchange.fmu"

static char last_message[4000];

static void listen(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                   fmi3String message) {
  (void)environment, (void)status, (void)category;
  snprintf(last_message, sizeof last_message, "%s", message);
}

static const char *write_file(const char *text) {
  const char *path = FOLDER "exchange.yaml";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return path;
}

static hn_status export_kinds(const char *model, int version, int kinds, hn_error *error) {
  const hn_fmu_options options = {
      .size = sizeof options, .version = version, .runtime = HOLON_FMU_RUNTIME, .kinds = kinds};
  return hn_fmu_export(model, PATH, NULL, &options, error);
}

static hn_simulation *simulate(const char *path, double tol, hn_model **model) {
  hn_error error = {0};
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  check_ok(hn_model_load(path, NULL, model, &error));
  check_ok(hn_simulation_create(*model, &options, &s, &error));
  return s;
}

// ---- the same motion ----------------------------------------------------------------------------

enum { POINTS = 20, MOST = 400 };
#define USUAL 1e-6

typedef struct record {
  int count;
  double value[MOST][POINTS];
} record;

// Outputs of the model at times that are no samples of it.
static void note_run(const char *path, double duration, double tol, const hn_fmu_run *run,
                     record *out) {
  hn_model *model = NULL;
  hn_simulation *s = simulate(path, tol, &model);
  const char *name;
  for (int p = 0; p < POINTS; p++) {
    check_ok(hn_simulation_advance(s, duration * (p + 1) / POINTS));
    for (out->count = 0; (name = hn_fmu_run_column(run, out->count)); out->count++) {
      assert_true(out->count < MOST);
      const int index = hn_simulation_find_signal(s, name);
      assert_true(index >= 0);
      out->value[out->count][p] = hn_simulation_signal(s, index);
    }
  }
  hn_simulation_free(s);
  hn_model_free(model);
}

static void note_exchange(hn_fmu_run *run, record *out) {
  hn_error error = {0};
  for (int p = 0, is_done = 0; p < POINTS; p++) {
    if (hn_fmu_run_step(run, &is_done, &error) != HN_OK) print_error("%s\n", error.message);
    assert_int_equal(error.status, HN_OK);
    for (out->count = 0; hn_fmu_run_column(run, out->count); out->count++)
      out->value[out->count][p] = hn_fmu_run_values(run)[out->count];
  }
}

// The largest difference in tolerances, of outputs at their largest values.
static void check_same(const char *path, double duration, double tol, int version) {
  static record one, two;
  hn_fmu_run *run = NULL;
  hn_error error = {0};
  hn_fmu_run_options options = hn_default_fmu_run_options();
  options.kind = HN_FMU_MODEL_EXCHANGE;
  options.stop = duration;
  options.step = duration / POINTS;
  options.tolerance = tol;
  options.host = HOLON_FMU_HOST;
  if (export_kinds(path, version, HN_FMU_MODEL_EXCHANGE, &error) != HN_OK)
    print_error("%s: %s\n", path, error.message);
  assert_int_equal(error.status, HN_OK);
  check_ok(hn_fmu_run_create(PATH, &options, &run, &error));
  note_run(path, duration, tol, run, &one);
  note_exchange(run, &two);
  for (int k = 0; k < one.count; k++) {
    double size = 1, most = 0;
    for (int p = 0; p < POINTS; p++) {
      size = fmax(size, fabs(one.value[k][p]));
      most = fmax(most, fabs(one.value[k][p] - two.value[k][p]));
    }
    if (!(most <= 10 * tol * size))
      print_error("%s: %s differs by %g\n", path, hn_fmu_run_column(run, k), most);
    assert_true(most <= 10 * tol * size);
  }
  hn_fmu_run_free(run);
}

// Trees, loops, free bodies, drivers; states of functions, samples; stops, tyres, events of functions;
// rigid contacts with impacts, sticking and rolling.
static void motion_is_that_of_a_run(void **state) {
  (void)state;
  static const struct {
    const char *path;
    double duration;
  } all[] = {
      {"models/four-bar.yaml", 0.487},          {"models/contact/ball.yaml", 0.487},
      {"models/vehicles/car.yaml", 0.487},      {"models/iltis/iltis.yaml", 0.487},
      {"models/control/attitude.yaml", 0.487},  {"models/contact/latch.yaml", 0.287},
      {"models/gyroscope.yaml", 0.487},         {"models/double-wishbone.yaml", 0.487},
      {"models/negrut/seven-body.yaml", 0.02},  {"models/iltis/front-suspension.yaml", 0.487},
      {"models/vlasenko/car.yaml", 0.487},      {"models/vlasenko/steam-machine.yaml", 0.487},
      {"models/negrut/hmmwv14.yaml", 0.287},    {"models/iftomm/a02.yaml", 0.487},
      {"models/iftomm/a04.yaml", 0.487},        {"models/robots/arm.yaml", 0.487},
      {"models/control/cart-pole.yaml", 0.487}, {"models/contact/geneva.yaml", 0.487},
      {"models/contact/billiard.yaml", 0.487},  {"models/contact/woodpecker.yaml", 0.487},
      {"models/contact/rocking.yaml", 0.487},   {"models/contact/stick-slip.yaml", 0.487},
      {"models/contact/roll.yaml", 0.487},      {"models/contact/cam-outline.yaml", 0.487}};
  const int count = getenv("HOLON_SWEEP") ? (int)(sizeof all / sizeof all[0]) : 7;
  for (int k = 0; k < count; k++)
    for (int version = 2; version <= 3; version++)
      check_same(all[k].path, all[k].duration, USUAL, version);
}

// Slip that turns round in a circle: friction opposes it all the time.
static void friction_follows_the_slip(void **state) {
  (void)state;
  const char *path = write_file(
      "name: turning\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}}}\n"
      "  puck: {mass: 1, center: [0, 0, 0.05], inertia: [0.01, 0.01, 0.01], shape: {sphere: 0.05, "
      "at: "
      "[0, 0, 0.05]}, initial: {velocity: [1, 0, 0]}}\n"
      "joints: {up: {type: parallel, bodies: [ground, puck], at: [0, 0, 0.05], axis: z}}\n"
      "forces: {push: {type: point-force, body: puck, force: [8*cos(3*t), 8*sin(3*t), 0]}}\n"
      "contacts: {floor: {bodies: [ground, puck], friction: 0.3}}\n"
      "outputs: {x: body.puck.position.x, vx: body.puck.velocity.x, vy: body.puck.velocity.y}\n");
  check_same(path, 2, 1e-8, 3);
}

// ---- direct calls -------------------------------------------------------------------------------

// A pendulum on a cart and a body that flies, both pushed by an input.
#define FLIGHT                                                                                     \
  "name: flight\n"                                                                                 \
  "parameters: {weight: 2 kg}\n"                                                                   \
  "inputs: {push: 0 N}\n"                                                                          \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies:\n"                                                                                      \
  "  cart: {mass: weight, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                          \
  "  arm: {mass: 0.5, center: [0, 0, 0.4], inertia: [0.03, 0.03, 0.001]}\n"                        \
  "  stone: {mass: 1, center: [1, 1, 1], inertia: [0.2, 0.3, 0.4], initial: {angular_velocity: "   \
  "[20, 0.1, 3]}}\n"                                                                               \
  "joints:\n"                                                                                      \
  "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"                \
  "  pivot: {type: revolute, bodies: [cart, arm], at: [0, 0, 0], axis: y, initial: {angle: "       \
  "0.4}}\n"                                                                                        \
  "states: {heat: {initial: 0, rate: joint.rail.displacement_rate^2}}\n"                           \
  "forces:\n"                                                                                      \
  "  spring: {type: joint-spring-damper, joint: rail, stiffness: 90, damping: 1}\n"                \
  "  motor: {type: point-force, body: cart, at: [0, 0, 0], force: [push, 0, 0]}\n"                 \
  "outputs: {x: joint.rail.displacement, heat: state.heat, turn: body.stone.position.x}\n"

// A loop of four bars, of steel and a spring.
#define LOOP                                                                                       \
  "name: loop\n"                                                                                   \
  "inputs: {torque: 0.5 N m}\n"                                                                    \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies:\n"                                                                                      \
  "  crank: {mass: 1, center: [0, 0, 0.1], inertia: [0.01, 0.01, 0.01]}\n"                         \
  "  coupler: {mass: 2, center: [0.3, 0, 0.3], inertia: [0.05, 0.05, 0.05]}\n"                     \
  "  rocker: {mass: 1.5, center: [0.6, 0, 0.2], inertia: [0.02, 0.02, 0.02]}\n"                    \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"                       \
  "  b: {type: revolute, bodies: [crank, coupler], at: [0, 0, 0.2], axis: y}\n"                    \
  "  c: {type: spherical, bodies: [coupler, rocker], at: [0.6, 0, 0.4]}\n"                         \
  "  d: {type: revolute, bodies: [ground, rocker], at: [0.6, 0, 0], axis: y}\n"                    \
  "forces: {motor: {type: torque, joint: a, torque: torque}}\n"                                    \
  "outputs: {angle: joint.d.angle}\n"

static unit make_exchange(const char *path, int version, int kinds) {
  return make_unit_of(path, "direct", version, kinds, NULL);
}

static fmi3Instance start_exchange(const unit *u) {
  bool more, end, nominals, values, has_next;
  double next;
  fmi3Instance i = CALL(u, fmi3InstantiateModelExchange)("one", u->token, u->resources, false, true,
                                                         NULL, listen);
  if (!i) print_error("%s\n", last_message);
  assert_non_null(i);
  assert_int_equal(CALL(u, fmi3EnterInitializationMode)(i, false, 0, 0, false, 0), fmi3OK);
  assert_int_equal(CALL(u, fmi3ExitInitializationMode)(i), fmi3OK);
  assert_int_equal(
      CALL(u, fmi3UpdateDiscreteStates)(i, &more, &end, &nominals, &values, &has_next, &next),
      fmi3OK);
  assert_false(more || end);
  assert_int_equal(CALL(u, fmi3EnterContinuousTimeMode)(i), fmi3OK);
  return i;
}

static int state_count(const unit *u, fmi3Instance i) {
  size_t count = 0;
  assert_int_equal(CALL(u, fmi3GetNumberOfContinuousStates)(i, &count), fmi3OK);
  return (int)count;
}

static void check_count(const char *path, int count) {
  unit u = make_exchange(path, 3, HN_FMU_MODEL_EXCHANGE);
  fmi3Instance i = start_exchange(&u);
  assert_int_equal(state_count(&u, i), count);
  CALL(&u, fmi3FreeInstance)(i);
  drop_unit(&u);
}

// Independent coordinates and their rates; seven and six numbers of a body that flies.
static void states_are_independent(void **state) {
  (void)state;
  check_count(write_file(FLIGHT), 2 * 2 + 13 + 1);
  check_count(write_file(LOOP), 2);
  check_count("models/double-wishbone.yaml", 0); // it is driven
}

static void rates_at(const unit *u, fmi3Instance i, double t, const double *x, int n,
                     double *rates) {
  assert_int_equal(CALL(u, fmi3SetTime)(i, t), fmi3OK);
  assert_int_equal(CALL(u, fmi3SetContinuousStates)(i, x, (size_t)n), fmi3OK);
  assert_int_equal(CALL(u, fmi3GetContinuousStateDerivatives)(i, rates, (size_t)n), fmi3OK);
}

// Trial points go to and fro; a state that was saved, written and read gives the same bits.
static void saved_states_have_the_same_bits(void **state) {
  (void)state;
  unit u = make_exchange(write_file(FLIGHT), 3, HN_FMU_MODEL_EXCHANGE);
  fmi3Instance i = start_exchange(&u);
  double x[32], rates[32], again[32], there[32];
  const int n = state_count(&u, i);
  const uint32_t push = reference_of(&u, "push"), out = reference_of(&u, "x");
  const double force = 3;
  bool event, end;
  assert_int_equal(CALL(&u, fmi3GetContinuousStates)(i, x, (size_t)n), fmi3OK);
  rates_at(&u, i, 0, x, n, rates);
  for (int k = 0; k < n; k++) there[k] = x[k] + 0.1 * rates[k];
  assert_int_equal(CALL(&u, fmi3SetFloat64)(i, &push, 1, &force, 1), fmi3OK);
  rates_at(&u, i, 0.1, there, n, again);
  assert_true(memcmp(again, rates, sizeof(double) * (size_t)n) != 0);
  assert_int_equal(CALL(&u, fmi3CompletedIntegratorStep)(i, false, &event, &end), fmi3OK);
  rates_at(&u, i, 0.15, x, n, rates);
  fmi3FMUState kept = NULL, other = NULL;
  size_t size = 0;
  assert_int_equal(CALL(&u, fmi3GetFMUState)(i, &kept), fmi3OK);
  assert_int_equal(CALL(&u, fmi3SerializedFMUStateSize)(i, kept, &size), fmi3OK);
  fmi3Byte *bytes = malloc(size);
  assert_int_equal(CALL(&u, fmi3SerializeFMUState)(i, kept, bytes, size), fmi3OK);
  for (int k = 0; k < n; k++) there[k] = x[k] - 0.2 * rates[k];
  rates_at(&u, i, 0.3, there, n, again);
  assert_int_equal(CALL(&u, fmi3CompletedIntegratorStep)(i, false, &event, &end), fmi3OK);
  assert_int_equal(CALL(&u, fmi3SetFMUState)(i, kept), fmi3OK);
  assert_int_equal(CALL(&u, fmi3GetContinuousStateDerivatives)(i, again, (size_t)n), fmi3OK);
  assert_memory_equal(again, rates, sizeof(double) * (size_t)n);
  fmi3Instance j = start_exchange(&u);
  assert_int_equal(CALL(&u, fmi3DeserializeFMUState)(j, bytes, size, &other), fmi3OK);
  assert_int_equal(CALL(&u, fmi3SetFMUState)(j, other), fmi3OK);
  assert_int_equal(CALL(&u, fmi3GetContinuousStateDerivatives)(j, again, (size_t)n), fmi3OK);
  assert_memory_equal(again, rates, sizeof(double) * (size_t)n);
  double one, two;
  assert_int_equal(CALL(&u, fmi3GetFloat64)(i, &out, 1, &one, 1), fmi3OK);
  assert_int_equal(CALL(&u, fmi3GetFloat64)(j, &out, 1, &two, 1), fmi3OK);
  assert_memory_equal(&one, &two, sizeof one);
  bytes[size - 1] ^= 1; // the last state
  bytes[40] ^= 1;       // the token
  CALL(&u, fmi3FreeFMUState)(j, &other);
  assert_int_equal(CALL(&u, fmi3DeserializeFMUState)(j, bytes, size, &other), fmi3OK);
  assert_int_equal(CALL(&u, fmi3SetFMUState)(j, other), fmi3Error);
  CALL(&u, fmi3FreeFMUState)(j, &other);
  CALL(&u, fmi3FreeFMUState)(i, &kept);
  free(bytes);
  CALL(&u, fmi3FreeInstance)(j);
  CALL(&u, fmi3FreeInstance)(i);
  drop_unit(&u);
}

// Against differences with another step, and of the adjoint by its definition.
static void check_derivatives(const char *path, const char *input, const char *output) {
  enum { WIDEST = 64 };
  unit u = make_exchange(path, 3, HN_FMU_MODEL_EXCHANGE);
  fmi3Instance i = start_exchange(&u);
  char text[32];
  const int n = state_count(&u, i);
  uint32_t knowns[WIDEST], unknowns[WIDEST];
  double x[WIDEST], there[WIDEST], low[2][WIDEST], high[2][WIDEST], seed[WIDEST], weight[WIDEST],
      result[WIDEST], adjoint[WIDEST];
  assert_in_range(n, 1, WIDEST - 2);
  const char *first = strstr(u.description, " derivative=\"");
  assert_non_null(first);
  const uint32_t state_reference =
      (uint32_t)strtoul(attribute(first, "derivative", text, sizeof text), NULL, 10);
  for (int k = 0; k < n; k++) {
    knowns[k] = state_reference + (uint32_t)k;
    unknowns[k] = state_reference + (uint32_t)(n + k);
    seed[k] = 0.3 + 0.7 * ((k * 5) % 7);
  }
  const uint32_t in = knowns[n] = reference_of(&u, input);
  const uint32_t out = unknowns[n] = reference_of(&u, output);
  seed[n] = 1.5;
  assert_int_equal(CALL(&u, fmi3GetContinuousStates)(i, x, (size_t)n), fmi3OK);
  double value = 0;
  assert_int_equal(CALL(&u, fmi3GetFloat64)(i, &in, 1, &value, 1), fmi3OK);
  const double step = 1e-4;
  for (int side = -2; side <= 2; side++) {
    if (side == 0) continue;
    double *y = side < 0 ? low[side + 2] : high[2 - side];
    const double given = value + side * step * seed[n];
    for (int k = 0; k < n; k++) there[k] = x[k] + side * step * seed[k];
    assert_int_equal(CALL(&u, fmi3SetFloat64)(i, &in, 1, &given, 1), fmi3OK);
    rates_at(&u, i, 0.01, there, n, y);
    assert_int_equal(CALL(&u, fmi3GetFloat64)(i, &out, 1, &y[n], 1), fmi3OK);
  }
  assert_int_equal(CALL(&u, fmi3SetFloat64)(i, &in, 1, &value, 1), fmi3OK);
  rates_at(&u, i, 0.01, x, n, there);
  const size_t all = (size_t)n + 1;
  assert_int_equal(
      CALL(&u, fmi3GetDirectionalDerivative)(i, unknowns, all, knowns, all, seed, all, result, all),
      fmi3OK);
  double forward = 0, backward = 0;
  for (int k = 0; k <= n; k++) {
    // fourth order
    const double expected = (8 * (high[1][k] - low[1][k]) - (high[0][k] - low[0][k])) / (12 * step);
    check_near(result[k], expected, 1e-8 * fmax(1, fabs(expected)));
    weight[k] = 1.0 / (1 + k);
    forward += weight[k] * result[k];
  }
  assert_int_equal(
      CALL(&u, fmi3GetAdjointDerivative)(i, unknowns, all, knowns, all, weight, all, adjoint, all),
      fmi3OK);
  for (int k = 0; k <= n; k++) backward += adjoint[k] * seed[k];
  check_near(forward, backward, 1e-8 * fmax(1, fabs(forward)));
  rates_at(&u, i, 0.01, x, n, result); // the trial has stayed
  assert_memory_equal(result, there, sizeof(double) * (size_t)n);
  CALL(&u, fmi3FreeInstance)(i);
  drop_unit(&u);
}

// Trees with a body that flies, loops, closed contacts with friction.
static void derivatives_are_those_of_differences(void **state) {
  (void)state;
  check_derivatives(write_file(FLIGHT), "push", "x");
  check_derivatives(write_file(LOOP), "torque", "angle");
}

// FMUs of both kinds: variables of Model Exchange have the same values in Co-Simulation.
static void co_simulation_shows_the_states(void **state) {
  (void)state;
  unit u = make_exchange(write_file(FLIGHT), 3, HN_FMU_MODEL_EXCHANGE | HN_FMU_CO_SIMULATION);
  fmi3Instance i = start_exchange(&u);
  fmi3Instance j = CALL(&u, fmi3InstantiateCoSimulation)("two", u.token, u.resources, false, true,
                                                         false, false, NULL, 0, NULL, listen, NULL);
  bool event, end, early;
  double time, one[8], two[8], x[32], rates[32];
  assert_non_null(j);
  assert_int_equal(CALL(&u, fmi3EnterInitializationMode)(j, false, 0, 0, true, 1), fmi3OK);
  assert_int_equal(CALL(&u, fmi3ExitInitializationMode)(j), fmi3OK);
  assert_int_equal(CALL(&u, fmi3DoStep)(j, 0, 0.25, false, &event, &end, &early, &time), fmi3OK);
  const int n = state_count(&u, i);
  const uint32_t first = reference_of(&u, "q.rail"), rate = reference_of(&u, "der(q.rail)");
  for (int k = 0; k < n; k++) {
    const uint32_t reference = first + (uint32_t)k;
    assert_int_equal(CALL(&u, fmi3GetFloat64)(j, &reference, 1, &x[k], 1), fmi3OK);
  }
  rates_at(&u, i, 0.25, x, n, rates);
  for (int k = 0; k < 8; k++) {
    const uint32_t reference = rate + (uint32_t)k;
    assert_int_equal(CALL(&u, fmi3GetFloat64)(i, &reference, 1, &one[k], 1), fmi3OK);
    assert_int_equal(CALL(&u, fmi3GetFloat64)(j, &reference, 1, &two[k], 1), fmi3OK);
    check_near(one[k], two[k], 1e-9);
    check_near(one[k], rates[k], 0);
  }
  CALL(&u, fmi3FreeInstance)(j);
  CALL(&u, fmi3FreeInstance)(i);
  drop_unit(&u);
}

// ---- models without rates -----------------------------------------------------------------------

static void check_refused(const char *path, const char *reason) {
  hn_error error = {0};
  assert_int_equal(export_kinds(path, 3, HN_FMU_MODEL_EXCHANGE, &error), HN_ERROR_UNSUPPORTED);
  if (!strstr(error.message, reason)) print_error("%s\n", error.message);
  assert_non_null(strstr(error.message, reason));
  check_ok(export_kinds(path, 3, HN_FMU_CO_SIMULATION, &error));
}

static void what_has_no_rates_is_refused(void **state) {
  (void)state;
  check_refused("models/contact/spheres.yaml", "time-stepped");
  check_refused(write_file("bodies: {a: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                           "joints: {rail: {type: translational, bodies: [ground, a], at: [0, 0, "
                           "0], axis: x, ends: t > 1}}\n"),
                "conditional");
  check_refused(write_file("bodies: {a: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                           "joints: {rail: {type: translational, bodies: [ground, a], at: [0, 0, "
                           "0], axis: x}}\n"
                           "states: {late: {delay: 0.1, of: joint.rail.displacement}}\n"),
                "delayed");
}

static void wrong_calls_are_named(void **state) {
  (void)state;
  unit u = make_exchange(write_file(FLIGHT), 3, HN_FMU_MODEL_EXCHANGE);
  fmi3Instance i = start_exchange(&u);
  double x[32] = {0};
  bool more, end, nominals, values, has_next;
  assert_int_equal(CALL(&u, fmi3GetContinuousStates)(i, x, 3), fmi3Error);
  assert_non_null(strstr(last_message, "number of states"));
  assert_int_equal(
      CALL(&u, fmi3UpdateDiscreteStates)(i, &more, &end, &nominals, &values, &has_next, x),
      fmi3Error);
  const int n = state_count(&u, i);
  for (int k = 0; k < n; k++) x[k] = NAN;
  assert_int_equal(CALL(&u, fmi3SetContinuousStates)(i, x, (size_t)n), fmi3OK);
  assert_int_equal(CALL(&u, fmi3GetContinuousStateDerivatives)(i, x, (size_t)n), fmi3Discard);
  CALL(&u, fmi3FreeInstance)(i);
  drop_unit(&u);
}

// ---- rules of the standard ----------------------------------------------------------------------

// By xmllint and the XSDs of the standard, where HOLON_FMI_SCHEMA names their folder (with fmi2, fmi3).
static void descriptions_are_valid(void **state) {
  (void)state;
  const char *schema = getenv("HOLON_FMI_SCHEMA");
  const char *const paths[] = {write_file(FLIGHT), "models/contact/ball.yaml",
                               "models/vehicles/car.yaml"};
  for (int k = 0; k < 3; k++)
    for (int version = 2; version <= 3; version++)
      for (int kinds = 1; kinds <= 3; kinds++) {
        hn_error error = {0};
        hn_fmu_file *fmu = NULL;
        check_ok(export_kinds(paths[k], version, kinds, &error));
        check_ok(hn_fmu_open(PATH, &fmu, &error));
        const hn_fmu_finding *first = hn_fmu_finding_of(fmu, 0);
        if (first) print_error("%s\n", first->message);
        assert_null(first);
        assert_int_equal(hn_fmu_facts_of(fmu)->kinds, kinds);
        hn_fmu_file_free(fmu);
        if (!schema) continue;
        char command[3000];
        snprintf(command, sizeof command,
                 "unzip -p '" PATH "' modelDescription.xml > '" FOLDER "exchange.xml' && xmllint "
                 "--nonet --noout --schema '%s/fmi%d/fmi%dModelDescription.xsd' '" FOLDER
                 "exchange.xml' 2> '" FOLDER "exchange.log'",
                 schema, version, version);
        assert_int_equal(system(command), 0);
      }
  if (!schema) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motion_is_that_of_a_run),
      cmocka_unit_test(friction_follows_the_slip),
      cmocka_unit_test(states_are_independent),
      cmocka_unit_test(saved_states_have_the_same_bits),
      cmocka_unit_test(derivatives_are_those_of_differences),
      cmocka_unit_test(co_simulation_shows_the_states),
      cmocka_unit_test(what_has_no_rates_is_refused),
      cmocka_unit_test(wrong_calls_are_named),
      cmocka_unit_test(descriptions_are_valid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
