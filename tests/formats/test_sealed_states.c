// Laws that read signals, and states of laws, inside sealed components: the motion of the open ones.
#include <stdint.h>

#include "components/served.h"
#include "formats/sealing.h"

// A sampled set point, a PID with limits, a filter behind a straight table, a hysteresis and a latch.
#define SERVO                                                                                      \
  "name: servo\n"                                                                                  \
  "parameters: {wanted: 0.6}\n"                                                                    \
  "border: [rod]\n"                                                                                \
  "bodies:\n"                                                                                      \
  "  base: {external: true}\n"                                                                     \
  "  arm: {mass: 2, inertia: [0.05, 0.2, 0.2], position: [0.4, 0, 0]}\n"                           \
  "  rod: {mass: 0.7, inertia: [0.01, 0.05, 0.05], position: [1, 0, 0]}\n"                         \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, bodies: [base, arm], at: [0, 0, 0], axis: y}\n"                    \
  "  elbow: {type: revolute, bodies: [arm, rod], at: [0.8, 0, 0], axis: y}\n"                      \
  "tables:\n"                                                                                      \
  "  shape: {table: [[-2, -1], [0, 0], [0.5, 0.4], [2, 1]], interpolation: linear}\n"              \
  "states:\n"                                                                                      \
  "  target: {value: wanted*(1 + 0.2*sin(3*t)), every: 20 ms}\n"                                   \
  "  torque: {pid: {kp: 30, ki: 40, kd: 4, filter: 5 ms, low: -25, high: 25},\n"                   \
  "           of: state.target - joint.shoulder.angle}\n"                                          \
  "  slow: {rate: (joint.elbow.angle - state.slow)/0.05, initial: 0.1}\n"                          \
  "  on: {hysteresis: [-0.3, 0.2], of: joint.elbow.angle_rate}\n"                                  \
  "  latch: {when: [[joint.shoulder.angle > 0.4, 1]]}\n"                                           \
  "forces:\n"                                                                                      \
  "  drive: {type: torque, joint: shoulder, torque: torque}\n"                                     \
  "  brake: {type: torque, joint: elbow, torque: -(0.05 + 0.4*state.on +\n"                        \
  "          0.2*state.latch)*joint.elbow.angle_rate - 3*shape(state.slow)}\n"                     \
  "outputs: {slow: state.slow, count: state.on + 2*state.latch}\n"

// Two of them on a cart that has a state of its own.
#define SERVOS(part)                                                                               \
  "name: servos\n"                                                                                 \
  "bodies:\n"                                                                                      \
  "  frame: {mass: 10, inertia: [1, 1, 1]}\n"                                                      \
  "  load: {mass: 0.5, inertia: [0.02, 0.02, 0.02], position: [1.2, 0.2, -0.1]}\n"                 \
  "components:\n"                                                                                  \
  "  left: {use: " part ", bodies: {base: frame}, position: [0, 0.2, 0]}\n"                        \
  "  right: {use: " part ", bodies: {base: frame}, parameters: {wanted: 0.3}}\n"                   \
  "joints:\n"                                                                                      \
  "  slide: {type: translational, bodies: [ground, frame], at: [0, 0, 0], axis: x}\n"              \
  "  hinge: {type: revolute, bodies: [left.rod, load], at: [1.2, 0.2, 0], axis: y}\n"              \
  "states: {own: {rate: body.frame.position.x - own}}\n"                                           \
  "forces:\n"                                                                                      \
  "  spring: {type: joint-spring-damper, joint: slide, stiffness: 300, damping: 5}\n"              \
  "  hold: {type: torque, joint: hinge, torque: -0.3*own - 0.1*joint.hinge.angle_rate}\n"          \
  "simulation: {time: 1}\n"

static void write_servos(void) {
  hn_error error;
  write_text("servo.yaml", SERVO);
  write_text("servos.yaml", SERVOS("servo.yaml"));
  write_text("servos-sealed.yaml", SERVOS("servo.hnc"));
  if (seal("servo.yaml", "servo.hnc", &error) != HN_OK)
    fail_msg("%s %s", error.element, error.message);
}

static hn_simulation *create(const hn_model *model, const char *formula) {
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "components";
  options.formula = formula;
  options.tol = 1e-7;
  if (hn_simulation_create(model, &options, &simulation, &error) != HN_OK)
    fail_msg("%s: %s %s", formula, error.element, error.message);
  return simulation;
}

static void controllers_inside_run_with_the_bits_of_open_ones(void **state) {
  (void)state;
  write_servos();
  check_same_bits("servos.yaml", "servos-sealed.yaml", 0.5, "left.slow");
}

// Where rates are looked for at frames, Euler parameters were made of unit length once more.
static void implicit_formulas_agree_to_rounding(void **state) {
  (void)state;
  static const char *const formulas[] = {"sdirk4-16"};
  static const char *const names[] = {"left.slow", "left.count", "right.slow", "right.torque"};
  hn_model *models[2];
  hn_error error;
  check_ok(load("servos.yaml", 1, &models[0], &error));
  check_ok(load("servos-sealed.yaml", 1, &models[1], &error));
  for (size_t f = 0; f < sizeof formulas / sizeof formulas[0]; f++) {
    hn_simulation *s[2];
    for (int k = 0; k < 2; k++) {
      s[k] = create(models[k], formulas[f]);
      check_ok(hn_simulation_advance(s[k], 0.3));
    }
    assert_int_equal(hn_simulation_certificate(s[0]).steps_accepted,
                     hn_simulation_certificate(s[1]).steps_accepted);
    assert_int_equal(hn_simulation_certificate(s[0]).events,
                     hn_simulation_certificate(s[1]).events);
    for (int k = 0; k < hn_simulation_coordinate_count(s[0]); k++)
      check_near(hn_simulation_positions(s[0])[k], hn_simulation_positions(s[1])[k], 1e-12);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
      double open = 0, sealed = 1;
      check_ok(hn_simulation_value(s[0], names[k], &open));
      check_ok(hn_simulation_value(s[1], names[k], &sealed));
      check_near(open, sealed, 1e-11 * (1 + fabs(open)));
    }
    for (int k = 0; k < 2; k++) hn_simulation_free(s[k]);
  }
  for (int k = 0; k < 2; k++) hn_model_free(models[k]);
}

// J w' = c i - b w, L i' = u - R i - c w from rest, against the two exponentials of the matrix.
static void a_sealed_motor_follows_its_exponentials(void **state) {
  (void)state;
  hn_error error;
  write_text("motor.yaml",
             "border: [rotor]\n"
             "bodies:\n"
             "  rotor: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
             "joints: {shaft: {type: revolute, bodies: [ground, rotor], at: [0, 0, 0], axis: z}}\n"
             "states: {current: {rate: (12 - 0.8*current - 0.1*joint.shaft.angle_rate)/0.05}}\n"
             "forces: {drive: {type: torque, joint: shaft,\n"
             "                 torque: 0.1*current - 0.002*joint.shaft.angle_rate}}\n"
             "outputs: {current: state.current, speed: joint.shaft.angle_rate}\n");
  write_text("uses-motor.yaml", "components: {motor: {use: motor.hnc}}\n");
  check_ok(seal("motor.yaml", "motor.hnc", &error));
  hn_model *model = NULL;
  check_ok(load("uses-motor.yaml", 1, &model, &error));
  // x' = A (x - x_end): roots of s^2 - trace s + determinant, here two real ones
  const double a[2][2] = {{-0.8 / 0.05, -0.1 / 0.05}, {0.1 / 0.01, -0.002 / 0.01}};
  const double trace = a[0][0] + a[1][1], determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
  const double root = sqrt(trace * trace / 4 - determinant), s1 = trace / 2 + root,
               s2 = trace / 2 - root;
  const double end[2] = {-a[1][1] * 240 / determinant, a[1][0] * 240 / determinant};
  static const char *const formulas[] = {"dopri5", "adams", "sdirk4-16"};
  for (int f = 0; f < 3; f++) {
    hn_simulation *s = create(model, formulas[f]);
    check_ok(hn_simulation_advance(s, 0.3));
    // exp(A t) = p + q A
    const double q = (exp(s1 * 0.3) - exp(s2 * 0.3)) / (s1 - s2), p = exp(s1 * 0.3) - q * s1;
    for (int k = 0; k < 2; k++) {
      const double along = a[k][0] * -end[0] + a[k][1] * -end[1];
      double found = 0;
      check_ok(hn_simulation_value(s, k ? "motor.speed" : "motor.current", &found));
      check_relative(found, end[k] - p * end[k] + q * along, 2e-6);
    }
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void a_kept_state_holds_those_inside(void **state) {
  (void)state;
  hn_model *model;
  hn_error error;
  write_servos();
  check_ok(load("servos-sealed.yaml", 1, &model, &error));
  hn_simulation *first = create(model, "dopri5"), *second = create(model, "dopri5");
  size_t size = hn_simulation_save_size(first);
  char *kept = malloc(size);
  assert_non_null(kept);
  check_ok(hn_simulation_advance(first, 0.25));
  check_ok(hn_simulation_save(first, kept, size));
  check_ok(hn_simulation_restore(second, kept, size));
  check_ok(hn_simulation_advance(first, 0.5));
  check_ok(hn_simulation_advance(second, 0.5));
  assert_true(hn_simulation_state_hash(first) == hn_simulation_state_hash(second));
  double slow[2] = {0, 1};
  check_ok(hn_simulation_value(first, "right.slow", &slow[0]));
  check_ok(hn_simulation_value(second, "right.slow", &slow[1]));
  assert_true(slow[0] == slow[1]);
  free(kept);
  hn_simulation_free(first);
  hn_simulation_free(second);
  hn_model_free(model);
}

#define BLOCK "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"

static void what_stays_outside_is_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *element, *words;
  } cases[] = {
      {BLOCK "joints: {j: {type: spherical, bodies: [a, b], at: [0, 0, 0], ends: time > 1}}\n",
       "'j'", ""},
      {BLOCK "states: {z: {rate: body.a.acceleration.x}}\n", "'z'",
       "'rate' 'body.c.a.acceleration.x'"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    hn_error error;
    write_text("outside.yaml", cases[k].text);
    assert_true(seal("outside.yaml", "outside.hnc", &error) != HN_OK);
    check_message(&error, cases[k].element, cases[k].words);
  }
}

// Formulas of x, v, t that switch, drawn on one side of where they do: a stop that is not reached yet, a
// damper that holds one way, a push that ends. Sealed, they switch at the same instants.
static void formulas_that_switch_do_so_inside(void **state) {
  (void)state;
  hn_error error;
  static const char *const parts[] = {"buffer.yaml", "buffer.hnc"}, *const uses[] = {
                                                                        "uses-open-buffer.yaml",
                                                                        "uses-buffer.yaml"};
  write_text("buffer.yaml",
             "border: [slider]\n"
             "bodies: {slider: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {rail: {type: translational, bodies: [ground, slider], at: [0, 0, 0],\n"
             "                axis: [0, 0, -1]}}\n"
             "forces:\n"
             "  stop: {type: joint-spring-damper, joint: rail, law: 'max(0, 1e4*(x - 0.05))'}\n"
             "  drag: {type: joint-spring-damper, joint: rail, law: 'max(0, -20*v)*(-1)'}\n"
             "  push: {type: joint-spring-damper, joint: rail, law: 'max(0, 0.2 - t)*(10 + x)'}\n"
             "outputs: {x: joint.rail.displacement}\n");
  check_ok(seal("buffer.yaml", "buffer.hnc", &error));
  for (int k = 0; k < 2; k++) {
    char text[256];
    snprintf(text, sizeof text, "gravity: [0, 0, -9.81]\ncomponents: {buffer: {use: %s}}\n",
             parts[k]);
    write_text(uses[k], text);
  }
  check_same_bits(uses[0], uses[1], 0.5, "buffer.x");
  hn_model *model;
  hn_simulation *s = start(uses[1], &model);
  double x = 1;
  check_ok(hn_simulation_advance(s, 0.5));
  check_ok(hn_simulation_value(s, "buffer.x", &x)); // free fall: 1.2 m
  check_at_most(x, 0.1);
  hn_simulation_free(s);
  hn_model_free(model);
}

// ---- remote -------------------------------------------------------------------------------------

typedef enum fault { NONE, ENDED, CUT_OFF, NOT_A_NUMBER } fault;

typedef struct other_process {
  hn_component_server *server;
  fault fault;
  uint32_t operation; // in which it goes wrong
  int asked[HN_SERVED_OPERATIONS];
} other_process;

static hn_status call(void *context, const void *request, size_t size, void *answer, size_t room,
                      size_t *answer_size) {
  other_process *p = context;
  const void *out = NULL;
  uint32_t operation = 0;
  memcpy(&operation, (const char *)request + 4, sizeof operation);
  p->asked[operation]++;
  const int is_wrong = p->fault != NONE && operation == p->operation;
  if (is_wrong && p->fault == ENDED) return HN_ERROR_INTERRUPTED;
  check_ok(hn_component_server_answer(p->server, request, size, &out, answer_size));
  assert_true(*answer_size <= room);
  memcpy(answer, out, *answer_size);
  const double nan = NAN;
  if (is_wrong && p->fault == CUT_OFF) *answer_size -= 1;
  if (is_wrong && p->fault == NOT_A_NUMBER && *answer_size >= 16)
    memcpy((char *)answer + 8, &nan, sizeof nan);
  return HN_OK;
}

static hn_model *load_served(other_process *p) {
  hn_model *model = NULL;
  hn_error error = {0};
  const hn_component_channel channel = {.name = "servo.hnc", .call = call, .context = p};
  hn_load_options options = hn_default_load_options();
  options.served = &channel;
  options.served_count = 1;
  check_ok(hn_component_server_open(FOLDER "servo.hnc", &p->server, &error));
  if (hn_model_load(FOLDER "servos-sealed.yaml", &options, &model, &error) != HN_OK)
    fail_msg("%s", error.message);
  return model;
}

static void served_controllers_run_with_the_same_bits(void **state) {
  (void)state;
  write_servos();
  static const char *const formulas[] = {"dopri5", "sdirk4-16"};
  for (int f = 0; f < 2; f++) {
    other_process p = {.fault = NONE};
    hn_error error;
    hn_model *models[2];
    check_ok(load("servos-sealed.yaml", 1, &models[0], &error));
    models[1] = load_served(&p);
    hn_simulation *s[2];
    for (int k = 0; k < 2; k++) {
      s[k] = create(models[k], formulas[f]);
      check_ok(hn_simulation_advance(s[k], 0.1));
    }
    assert_true(hn_simulation_state_hash(s[0]) == hn_simulation_state_hash(s[1]));
    for (int k = 0; k < 2; k++) hn_simulation_free(s[k]);
    for (int k = 0; k < 2; k++) hn_model_free(models[k]);
    static const int used[] = {HN_SERVED_STATES, HN_SERVED_CONDITIONS, HN_SERVED_SAMPLES,
                               HN_SERVED_RULES};
    for (size_t k = 0; k < sizeof used / sizeof used[0]; k++) assert_true(p.asked[used[k]] > 0);
    assert_true(f == 0 || p.asked[HN_SERVED_FILTER] > 0);
    hn_component_server_close(p.server);
  }
}

static void wrong_answers_are_named(void **state) {
  (void)state;
  write_servos();
  static const uint32_t operations[] = {HN_SERVED_STATES, HN_SERVED_FILTER, HN_SERVED_CONDITIONS,
                                        HN_SERVED_SAMPLES, HN_SERVED_RULES};
  for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++)
    for (int kind = ENDED; kind <= NOT_A_NUMBER; kind++) {
      const int is_code =
          operations[o] == HN_SERVED_CONDITIONS; // any number of these means something
      if (kind == NOT_A_NUMBER && (is_code || operations[o] == HN_SERVED_FILTER)) continue;
      other_process p = {.operation = operations[o]};
      hn_model *model = load_served(&p);
      hn_simulation *s = create(model, "sdirk4-16");
      p.fault = (fault)kind;
      assert_true(hn_simulation_advance(s, 0.05) < 0);
      check_names(hn_simulation_error(s)->element, "'left'");
      p.fault = NONE;
      hn_simulation_free(s);
      hn_model_free(model);
      hn_component_server_close(p.server);
    }
}

// Facts about a component's states, changed word by word: rejected, or harmless.
static void forged_facts_are_refused(void **state) {
  (void)state;
  const double initial[2] = {0.5, 1}, every[2] = {0, 0.1};
  const unsigned char is_rule[1] = {1};
  const int follows[2] = {-1, -1};
  const double q[7] = {0, 0, 0, 1, 0, 0, 0}, u[6] = {0};
  const int start[1] = {0};
  const hn_component_facts facts = {.body_count = 1,
                                    .initial_q = q,
                                    .initial_u = u,
                                    .border_row_start = start,
                                    .state_count = 2,
                                    .state_initial = initial,
                                    .state_every = every,
                                    .state_follows = follows,
                                    .condition_count = 1,
                                    .condition_is_rule = is_rule};
  hn_wire written = {0};
  hn_served_put_facts(&written, &facts);
  // preceded by bodies, border, markers, external bodies, three counts and four flags
  const size_t at = 4 + 13 * 8 + 2 * 4 + 8 * 4, after = at + 4 + 4 * 8 + 2 * 4;
  static const struct {
    size_t at; // 0: counts, 1: second `every`, 2: conditions, 3: rule, 4: flag
    int32_t count;
    double every;
    int is_fine;
  } cases[] = {{0, 2, 0, 1},    {0, 3, 0, 0},  {0, -1, 0, 0},       {0, 2000000000, 0, 0},
               {1, 0, -2, 0},   {1, 0, -1, 1}, {1, 0, NAN, 0},      {2, 2000000000, 0, 0},
               {2, -1, 0, 0},   {3, 2, 0, 0},  {1, 0, 1e-300, 0},   {1, 0, 0.99e-9, 0},
               {1, 0, 1e-9, 1}, {1, 0, 0, 1},  {1, 0, HUGE_VAL, 0}, {4, 0, 0, 1},
               {4, 1, 0, 1},    {4, 2, 0, 0},  {4, -1, 0, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    hn_wire copy = {0};
    hn_wire_bytes(&copy, written.data, written.size);
    if (cases[k].at == 0) memcpy(copy.data + at, &cases[k].count, 4);
    if (cases[k].at == 1) memcpy(copy.data + at + 4 + 3 * 8, &cases[k].every, 8);
    if (cases[k].at == 2) memcpy(copy.data + after, &cases[k].count, 4);
    if (cases[k].at == 3) copy.data[after + 4] = 2;
    if (cases[k].at == 4) memcpy(copy.data + at - 4, &cases[k].count, 4);
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_component_facts read = {0};
    hn_wire reading = hn_wire_of(copy.data, copy.size);
    const hn_status status = hn_served_get_facts(&reading, &arena, &read);
    if ((status == HN_OK) != cases[k].is_fine) fail_msg("case %zu: %d", k, (int)status);
    hn_arena_release(&arena);
    hn_wire_free(&copy);
  }
  hn_wire_free(&written);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(controllers_inside_run_with_the_bits_of_open_ones),
      cmocka_unit_test(implicit_formulas_agree_to_rounding),
      cmocka_unit_test(a_sealed_motor_follows_its_exponentials),
      cmocka_unit_test(a_kept_state_holds_those_inside),
      cmocka_unit_test(what_stays_outside_is_named),
      cmocka_unit_test(formulas_that_switch_do_so_inside),
      cmocka_unit_test(served_controllers_run_with_the_same_bits),
      cmocka_unit_test(wrong_answers_are_named),
      cmocka_unit_test(forged_facts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
