// Inputs of sealed and remote components are inputs of the model that uses them: given before and during
// a run, plain and filtered, with units, for forces, drivers and states. The bits of the open component.
#include "formats/sealing.h"

#define MOTOR                                                                                      \
  "name: motor\nborder: [rotor]\n"                                                                 \
  "inputs: {voltage: 3, load: 2 N m, angle: {value: 0.1 rad, filter: 50 ms}}\n"                    \
  "bodies:\n  housing: {external: true}\n"                                                         \
  "  rotor: {mass: 0.4, center: [0, 0, 0.03], inertia: [2e-2, 2e-2, 2e-2]}\n"                      \
  "  flap: {mass: 0.1, center: [0.1, 0, 0.03], inertia: [1e-3, 1e-3, 1e-3]}\n"                     \
  "joints:\n  shaft: {type: revolute, bodies: [housing, rotor], at: [0, 0, 0], axis: z}\n"         \
  "  hinge: {type: revolute, bodies: [rotor, flap], at: [0.1, 0, 0.03], axis: x}\n"                \
  "states: {current: {rate: \"(voltage - 0.8*current - 0.5*joint.shaft.angle_rate)/2e-2\"}}\n"     \
  "drivers: {tilt: {joint: hinge, motion: angle - 0.1 rad}}\n"                                     \
  "forces:\n  drive: {type: torque, joint: shaft, torque: \"0.5*current\"}\n"                      \
  "  brake: {type: torque, joint: shaft, torque: \"-0.1*load\"}\n"                                 \
  "outputs: {speed: joint.shaft.angle_rate}\n"

// The same without a driver and filters.
#define PLAIN_MOTOR                                                                                \
  "name: motor\nborder: [rotor]\ninputs: {voltage: 3, load: 2}\n"                                  \
  "bodies:\n  housing: {external: true}\n"                                                         \
  "  rotor: {mass: 0.4, center: [0, 0, 0.03], inertia: [2e-2, 2e-2, 2e-2]}\n"                      \
  "joints:\n  shaft: {type: revolute, bodies: [housing, rotor], at: [0, 0, 0], axis: z}\n"         \
  "states: {current: {rate: \"(voltage - 0.8*current - 0.5*joint.shaft.angle_rate)/2e-2\"}}\n"     \
  "forces:\n  drive: {type: torque, joint: shaft, torque: \"0.5*current\"}\n"                      \
  "  brake: {type: torque, joint: shaft, torque: \"-0.1*load\"}\n"                                 \
  "outputs: {speed: joint.shaft.angle_rate}\n"

#define USE(part)                                                                                  \
  "gravity: [0, 0, -9.81]\ninputs: {top: 1}\n"                                                     \
  "bodies: {stand: {mass: 5, inertia: [1, 1, 1]}}\n"                                               \
  "joints: {foot: {type: revolute, bodies: [ground, stand], at: [0, 0, 0], axis: x}}\n"            \
  "components:\n  m: {use: " part ", bodies: {housing: stand}}\n"                                  \
  "  n: {use: " part ", bodies: {housing: stand}, position: [0, 0.5, 0]}\n"                        \
  "forces: {hold: {type: joint-spring-damper, joint: foot, law: \"-100*top*x - 2*v\"}}\n"          \
  "outputs: {speed: m.speed}\n"

static void write_models(void) {
  hn_error error;
  write_text("motor.yaml", MOTOR);
  write_text("open.yaml", USE("motor.yaml"));
  write_text("sealed.yaml", USE("motor.hnc"));
  check_ok(seal("motor.yaml", "motor.hnc", &error));
}

static hn_status ask(void *context, const void *request, size_t size, void *answer, size_t room,
                     size_t *answer_size) {
  const void *bytes;
  hn_status status = hn_component_server_answer(context, request, size, &bytes, answer_size);
  if (status != HN_OK || *answer_size > room) return HN_ERROR_FILE;
  memcpy(answer, bytes, *answer_size);
  return HN_OK;
}

static void give(hn_simulation *s, const hn_model *model, const char *name, double value) {
  const int input = hn_model_find_input(model, name);
  assert_true(input >= 0);
  check_ok(hn_simulation_set_input(s, input, value));
}

static unsigned long long run(const char *file, hn_component_server *server) {
  char path[1024];
  hn_error error;
  hn_model *model;
  hn_simulation *s;
  const hn_component_channel channel = {.name = "motor.hnc", .call = ask, .context = server};
  hn_load_options load = hn_default_load_options();
  hn_simulation_options options = hn_default_simulation_options();
  load.allow_compiled = 1;
  load.served = &channel;
  load.served_count = server != NULL;
  options.method = "components";
  options.tol = 1e-7;
  snprintf(path, sizeof path, FOLDER "%s", file);
  check_ok(hn_model_load(path, &load, &model, &error));
  lengthen_output_step(model);
  if (hn_simulation_create(model, &options, &s, &error)) fail_msg("%s", error.message);
  const hn_input_def *load_of_n = hn_model_input(model, hn_model_find_input(model, "n.load"));
  check_near(load_of_n->value, 2, 0);
  assert_string_equal(load_of_n->unit, "N m");
  check_ok(hn_simulation_advance(s, 0.05));
  give(s, model, "m.voltage", 12);
  give(s, model, "n.load", -1);
  give(s, model, "n.angle", 0.4);
  check_ok(hn_simulation_advance(s, 0.1));
  give(s, model, "top", 3);
  give(s, model, "n.voltage", -5);
  check_ok(hn_simulation_advance(s, 0.2));
  double fast = 0, slow = 0;
  check_ok(hn_simulation_value(s, "speed", &fast));
  check_ok(hn_simulation_value(s, "n.speed", &slow));
  assert_true(fast - slow > 1); // each has its own inputs
  const unsigned long long hash = hn_simulation_state_hash(s);
  hn_simulation_free(s);
  hn_model_free(model);
  return hash;
}

static void inputs_reach_the_inside_with_the_bits_of_the_open_component(void **state) {
  (void)state;
  hn_error error;
  hn_component_server *server = NULL;
  write_models();
  const unsigned long long open = run("open.yaml", NULL);
  assert_true(run("sealed.yaml", NULL) == open);
  check_ok(hn_component_server_open(FOLDER "motor.hnc", &server, &error));
  assert_true(run("sealed.yaml", server) == open);
  hn_component_server_close(server);
}

// An input and a state inside that sample outputs inside: of positions, of forces, of reactions.
#define LOOP                                                                                       \
  "name: loop\nborder: [rotor]\n"                                                                  \
  "inputs:\n  seen: {follows: speed, every: 7 ms}\n  smooth: {follows: turned, filter: 20 ms}\n"   \
  "bodies:\n  housing: {external: true}\n"                                                         \
  "  rotor: {mass: 0.4, center: [0.05, 0, 0.03], inertia: [2e-2, 2e-2, 2e-2]}\n"                   \
  "joints: {shaft: {type: revolute, bodies: [housing, rotor], at: [0, 0, 0], axis: y}}\n"          \
  "states:\n  felt: {follows: hold, every: 5 ms}\n  sum: {rate: 4 - seen}\n"                       \
  "forces:\n  drive: {type: torque, joint: shaft, torque: \"2*(4 - seen) + 3*sum - "               \
  "0.1*smooth\"}\n"                                                                                \
  "  brake: {type: torque, joint: shaft, torque: \"-0.02*felt\"}\n"                                \
  "outputs:\n  speed: joint.shaft.angle_rate\n  turned: joint.shaft.angle\n"                       \
  "  hold: joint.shaft.reaction.force.z\n"

static void outputs_inside_are_followed_with_the_same_bits(void **state) {
  (void)state;
  hn_error error;
  hn_model *model;
  hn_simulation *s;
  write_text("loop.yaml", LOOP);
  if (seal("loop.yaml", "loop.hnc", &error)) fail_msg("%s %s", error.element, error.message);
  static const char use[] =
      "gravity: [0, 0, -9.81]\nbodies: {stand: {mass: 5, inertia: [1, 1, 1]}}\n"
      "joints: {foot: {type: revolute, bodies: [ground, stand], at: [0, 0, 0], axis: x}}\n"
      "components: {m: {use: loop.%s, bodies: {housing: stand}}}\n"
      "outputs: {speed: m.speed}\n";
  char text[400];
  snprintf(text, sizeof text, use, "yaml");
  write_text("open-loop.yaml", text);
  snprintf(text, sizeof text, use, "hnc");
  write_text("sealed-loop.yaml", text);
  check_same_bits("open-loop.yaml", "sealed-loop.yaml", 0.4, "speed");
  s = start("sealed-loop.yaml", &model);
  check_status(hn_simulation_set_input(s, hn_model_find_input(model, "m.seen"), 1),
               HN_ERROR_ARGUMENT);
  hn_simulation_free(s);
  hn_model_free(model);
}

// The list of a file says what can be given; formulas are rejected with what can be done.
static void what_can_be_given_is_named(void **state) {
  (void)state;
  char *text = NULL;
  hn_error error;
  hn_model *model;
  write_models();
  check_ok(hn_component_public(FOLDER "motor.hnc", &text, NULL, &error));
  assert_non_null(strstr(text, "given voltage\n"));
  assert_non_null(strstr(text, "given angle\n"));
  hn_component_public_free(text);
  static const struct {
    const char *input, *names;
    hn_status status;
  } cases[] = {{"angle: 3*time", "'angle' filter", HN_ERROR_UNSUPPORTED},
               {"speed: 3*time", "'speed'", HN_ERROR_MODEL},
               {"turn: 3*time", "'turn' driver", HN_ERROR_UNSUPPORTED},
               {"seen: 3*time", "'seen' follows", HN_ERROR_UNSUPPORTED}};
  write_text("fixed.yaml",
             "inputs: {angle: {value: 0, filter: 1}, turn: 0, seen: {follows: x}}\n"
             "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {j: {type: revolute, bodies: [a, b], at: [0, 0, 0], axis: z}}\n"
             "drivers: {d: {joint: j, motion: turn}}\noutputs: {x: body.a.position.x}\n");
  check_ok(seal("fixed.yaml", "fixed.hnc", &error));
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char use[256];
    snprintf(use, sizeof use, "components: {m: {use: fixed.hnc, inputs: {%s}}}\n", cases[k].input);
    write_text("formula.yaml", use);
    check_status(load("formula.yaml", 1, &model, &error), cases[k].status);
    check_message(&error, "'m", cases[k].names);
  }
}

// Formulas of the user's signals, states and time give inputs: a control loop around two motors, with
// a limit. Positions and speeds have the bits of the open component, where they are part of its laws.
#define WIRED(part)                                                                                \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies: {stand: {mass: 5, inertia: [1, 1, 1]}}\n"                                               \
  "joints: {foot: {type: revolute, bodies: [ground, stand], at: [0, 0, 0], axis: x}}\n"            \
  "states: {sum: {rate: 5 - body.m.rotor.angular_velocity.z}}\n"                                   \
  "components:\n"                                                                                  \
  "  m: {use: " part ", bodies: {housing: stand}, inputs: {voltage: \"limit(3*sum + 2*(5 - "       \
  "body.m.rotor.angular_velocity.z), -8, 8)\", load: 0.1*joint.foot.angle}}\n"                     \
  "  n: {use: " part ", bodies: {housing: stand}, position: [0, 0.5, 0], inputs: {voltage: "       \
  "\"2 + (time > 0.1)*time\"}}\n"                                                                  \
  "forces: {hold: {type: joint-spring-damper, joint: foot, stiffness: 100, damping: 2}}\n"         \
  "outputs: {speed: m.speed}\n"

static void formulas_give_inputs(void **state) {
  (void)state;
  hn_error error;
  hn_model *models[2];
  hn_simulation *s[2];
  double value[2];
  write_text("plain-motor.yaml", PLAIN_MOTOR);
  check_ok(seal("plain-motor.yaml", "plain-motor.hnc", &error));
  write_text("wired.yaml", WIRED("plain-motor.yaml"));
  write_text("wired-sealed.yaml", WIRED("plain-motor.hnc"));
  s[0] = start("wired.yaml", &models[0]);
  s[1] = start("wired-sealed.yaml", &models[1]);
  for (int k = 0; k < 2; k++) {
    check_ok(hn_simulation_advance(s[k], 0.3));
    check_ok(hn_simulation_value(s[k], "speed", &value[k]));
  }
  const size_t size = (size_t)hn_simulation_coordinate_count(s[0]) * sizeof(double);
  assert_memory_equal(hn_simulation_positions(s[0]), hn_simulation_positions(s[1]), size);
  assert_memory_equal(hn_simulation_velocities(s[0]), hn_simulation_velocities(s[1]), size);
  assert_true(fabs(value[0]) > 1 && hn_simulation_certificate(s[1]).events > 0);
  check_near(value[1], value[0], 1e-12);
  check_status(hn_simulation_set_input(s[1], hn_model_find_input(models[1], "m.voltage"), 1),
               HN_ERROR_ARGUMENT);
  for (int k = 0; k < 2; k++) {
    hn_simulation_free(s[k]);
    hn_model_free(models[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inputs_reach_the_inside_with_the_bits_of_the_open_component),
      cmocka_unit_test(outputs_inside_are_followed_with_the_same_bits),
      cmocka_unit_test(what_can_be_given_is_named), cmocka_unit_test(formulas_give_inputs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
