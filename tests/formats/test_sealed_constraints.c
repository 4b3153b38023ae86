// Rigid stops, dry friction and knife edges inside sealed and remote components: the bits of the open
// component, and the default settings agree. Joints with angles beyond a turn, on two axes and on a
// screw; two mirrored corners with loops; together with conditions of the model that uses them.
#include "formats/sealing.h"

#define PAIR                                                                                       \
  "border: [a]\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"                                     \
  "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.1]}\n"                              \
  "joints:\n  j: {type: translational, bodies: [a, b], at: [0, 0, 0], axis: z}\n"
#define Z "outputs: {out: body.b.position.z}\n"
#define HELD                                                                                       \
  "gravity: [0, 0, -9.81]\njoints: {fix: {type: fixed, bodies: [ground, c.a], at: [0, 0, 0]}}\n"   \
  "outputs: {out: c.out}\n"

static const struct {
  const char *name, *part, *use, *placed;
  double end;
  int events; // at least
} cases[] = {
    {"stop",
     PAIR
     "forces: {f: {type: joint-stop, joint: j, lower: -0.1, upper: 0.1, restitution: 0.5}}\n" Z,
     HELD, "", 1, 5},
    {"dry", PAIR "forces: {f: {type: joint-friction, joint: j, force: 5}}\n" Z, HELD, "", 1, 0},
    {"sticks",
     PAIR "forces:\n  f: {type: joint-friction, joint: j, force: 8, static_force: 12, viscous: 2}\n"
          "  g: {type: joint-stop, joint: j, lower: -0.05}\n" Z,
     "gravity: [0, 0, -9.81]\n"
     "joints: {up: {type: translational, bodies: [ground, c.a], at: [0, 0, 0], axis: z}}\n"
     "drivers: {shake: {joint: up, motion: 0.04*sin(12*t)}}\noutputs: {out: c.out}\n",
     "", 1.5, 3},
    {"edge",
     "border: [a]\nbodies:\n  a: {mass: 5, inertia: [1, 1, 1]}\n"
     "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {velocity: [1, 0, 0], angular_velocity: "
     "[0, 0, 1]}}\n"
     "joints:\n  flat: {type: planar, bodies: [a, b], at: [0, 0, 0], axis: z}\n"
     "  k: {type: knife-edge, bodies: [a, b], at: [0, 0, 0], axis: y}\n"
     "outputs: {out: body.b.position.x}\n",
     HELD, "", 2, 0},
    {"turns",
     "border: [a]\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
     "  b: {mass: 1, center: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
     "joints: {j: {type: revolute, bodies: [a, b], at: [0, 0, 0], axis: y}}\n"
     "forces:\n  push: {type: joint-spring-damper, joint: j, damping: 0.1}\n"
     "  load: {type: torque, joint: j, torque: 8}\n"
     "  stop: {type: joint-stop, joint: j, lower: -20 deg, upper: 900 deg, restitution: 0.7}\n"
     "outputs: {out: joint.j.angle}\n",
     HELD, ", orientation: {axis: x, angle: 30 deg}", 3, 2},
    {"universal",
     "border: [a]\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
     "  b: {mass: 1, center: [0.3, 0.1, 0], inertia: [0.1, 0.12, 0.1]}\n"
     "  c: {mass: 0.5, center: [0.6, 0.1, 0], inertia: [0.05, 0.02, 0.1]}\n"
     "joints:\n  u: {type: universal, bodies: [a, b], at: [0, 0, 0], axes: [x, y]}\n"
     "  s: {type: screw, bodies: [b, c], at: [0.5, 0.1, 0], axis: x, pitch: 0.1}\n"
     "forces:\n"
     "  stop: {type: joint-stop, joint: u, coordinate: angle2, upper: 40 deg, lower: -40 deg, "
     "restitution: 0.5}\n"
     "  rub: {type: joint-friction, joint: u, coordinate: angle, torque: 0.3}\n"
     "  end: {type: joint-stop, joint: s, coordinate: displacement, lower: -0.05, upper: 0.05}\n"
     "outputs: {out: joint.u.angle2}\n",
     HELD, ", position: [0.3, 0.1, 1], orientation: {axis: z, angle: 30 deg}", 1, 3},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void write_case(int k, const char *part, const char *file) {
  char text[4096];
  snprintf(text, sizeof text, "components: {c: {use: %s%s}}\n%s", part, cases[k].placed,
           cases[k].use);
  write_text(file, text);
}

static void constraints_inside_have_the_bits_of_open_ones(void **state) {
  (void)state;
  for (int k = 0; k < CASES; k++) {
    hn_error error;
    hn_model *model;
    write_text("part.yaml", cases[k].part);
    if (seal("part.yaml", "part.hnc", &error))
      fail_msg("%s: %s %s", cases[k].name, error.element, error.message);
    write_case(k, "part.yaml", "open.yaml");
    write_case(k, "part.hnc", "sealed.yaml");
    check_same_bits("open.yaml", "sealed.yaml", cases[k].end, "out");
    hn_simulation *s = start("sealed.yaml", &model);
    check_ok(hn_simulation_advance(s, cases[k].end));
    const hn_certificate c = hn_simulation_certificate(s);
    if (c.events < cases[k].events) fail_msg("%s has %ld events", cases[k].name, (long)c.events);
    check_at_most(c.energy_relative, 1e-6);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

// Open with default settings, sealed with its own: 10 tolerances.
static void the_default_settings_agree(void **state) {
  (void)state;
  for (int k = 0; k < CASES; k++) {
    hn_error error;
    double value[2];
    hn_simulation_options options = hn_default_simulation_options();
    options.tol = 1e-9;
    write_text("part.yaml", cases[k].part);
    check_ok(seal("part.yaml", "part.hnc", &error));
    write_case(k, "part.yaml", "open.yaml");
    write_case(k, "part.hnc", "sealed.yaml");
    for (int i = 0; i < 2; i++) {
      hn_model *model;
      hn_simulation *s;
      check_ok(load(i ? "sealed.yaml" : "open.yaml", 1, &model, &error));
      check_ok(hn_simulation_create(model, &options, &s, &error));
      check_ok(hn_simulation_advance(s, 0.5 * cases[k].end));
      check_ok(hn_simulation_value(s, "out", &value[i]));
      hn_simulation_free(s);
      hn_model_free(model);
    }
    if (!(fabs(value[0] - value[1]) <= 1e-8 * (1 + fabs(value[0]))))
      fail_msg("%s: %.12g open, %.12g sealed", cases[k].name, value[0], value[1]);
  }
}

#define CORNER                                                                                     \
  "name: corner\nborder: [hub]\nbodies:\n  chassis: {external: true}\n"                            \
  "  lower: {mass: 4, center: [0.2, 0, 0.3], inertia: [0.1, 0.1, 0.1]}\n"                          \
  "  upper: {mass: 3, center: [0.2, 0, 0.6], inertia: [0.1, 0.1, 0.1]}\n"                          \
  "  hub: {mass: 30, center: [0.45, 0, 0.45], inertia: [1, 1, 1]}\n"                               \
  "joints:\n  low: {type: revolute, bodies: [chassis, lower], at: [0, 0, 0.3], axis: y}\n"         \
  "  high: {type: revolute, bodies: [chassis, upper], at: [0, 0, 0.6], axis: y}\n"                 \
  "  ball_low: {type: revolute, bodies: [lower, hub], at: [0.4, 0, 0.3], axis: y}\n"               \
  "  ball_high: {type: spherical, bodies: [upper, hub], at: [0.4, 0, 0.6]}\n"                      \
  "roads: {street: {type: flat, height: 0.1}}\nforces:\n"                                          \
  "  strut: {type: spring-damper, bodies: [chassis, lower], points: [[0.15, 0, 0.7], [0.25, 0, "   \
  "0.3]], stiffness: 3e4, damping: 800, preload: -4000}\n"                                         \
  "  tyre: {type: tyre, body: hub, at: [0.45, 0, 0.45], radius: 0.35, stiffness: 2e5, damping: "   \
  "300, road: street}\n"                                                                           \
  "  stop: {type: joint-stop, joint: low, lower: -9 deg, upper: 9 deg, restitution: 0.3}\n"        \
  "  rub: {type: joint-friction, joint: high, torque: 20, static_torque: 30, viscous: 3}\n"        \
  "outputs: {angle: joint.low.angle}\n"
#define CAR(part)                                                                                  \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies: {chassis: {mass: 500, center: [0, 0, 0.6], inertia: [40, 120, 60]}}\n"                  \
  "joints:\n  column: {type: cylindrical, bodies: [ground, chassis], at: [0, 0, 0.6], axis: z, "   \
  "initial: {displacement_rate: -3}}\n"                                                            \
  "components:\n  c: {use: " part ", bodies: {chassis: chassis}}\n"                                \
  "  d: {use: " part ", mirror: x, position: [0, 0.02, 0], bodies: {chassis: chassis}}\n"          \
  "forces:\n"                                                                                      \
  "  rail: {type: joint-stop, joint: column, coordinate: displacement, lower: -0.06, upper: "      \
  "0.06, restitution: 0.4}\n"                                                                      \
  "  twist: {type: joint-friction, joint: column, coordinate: angle, torque: 1}\n"                 \
  "outputs: {out: c.angle}\n"

static void stops_inside_and_outside_act_together(void **state) {
  (void)state;
  hn_error error;
  write_text("corner.yaml", CORNER);
  write_text("car.yaml", CAR("corner.yaml"));
  write_text("car-sealed.yaml", CAR("corner.hnc"));
  check_ok(seal("corner.yaml", "corner.hnc", &error));
  check_same_bits("car.yaml", "car-sealed.yaml", 0.6, "out");
}

// Joints inside are not counted, although stops and friction measure them.
static void joints_inside_are_not_counted(void **state) {
  (void)state;
  hn_model *model;
  hn_mobility mobility;
  hn_simulation *s = start("car-sealed.yaml", &model);
  check_ok(hn_simulation_mobility(s, &mobility));
  assert_int_equal(mobility.joints, 1);
  hn_mobility_free(&mobility);
  hn_simulation_free(s);
  hn_model_free(model);
}

// In real time modes change at ends of steps, with an explicit formula.
static void real_time_has_the_same_bits(void **state) {
  (void)state;
  unsigned long long hash[2];
  for (int k = 0; k < 2; k++) {
    hn_error error;
    hn_model *model;
    hn_realtime *loop;
    hn_realtime_options options = hn_default_realtime_options();
    options.simulation.step = 1e-3;
    if (k == 0) options.simulation.method = "components";
    check_ok(load(k ? "car-sealed.yaml" : "car.yaml", 1, &model, &error));
    check_ok(hn_realtime_create(model, &options, &loop, &error));
    for (int i = 0; i < 300; i++) check_ok(hn_realtime_step(loop, NULL));
    hash[k] = hn_simulation_state_hash(hn_realtime_simulation(loop));
    hn_realtime_free(loop);
    hn_model_free(model);
  }
  assert_true(hash[0] == hash[1]);
}

static hn_status ask(void *context, const void *request, size_t size, void *answer, size_t room,
                     size_t *answer_size) {
  const void *bytes;
  hn_status status = hn_component_server_answer(context, request, size, &bytes, answer_size);
  if (status != HN_OK || *answer_size > room) return HN_ERROR_FILE;
  memcpy(answer, bytes, *answer_size);
  return HN_OK;
}

static void remote_components_have_the_same_bits(void **state) {
  (void)state;
  unsigned long long hash[2];
  for (int k = 0; k < 2; k++) {
    hn_error error;
    hn_model *model;
    hn_component_server *server = NULL;
    hn_simulation *s;
    hn_load_options options = hn_default_load_options();
    check_ok(hn_component_server_open(FOLDER "corner.hnc", &server, &error));
    const hn_component_channel channel = {.name = "corner.hnc", .call = ask, .context = server};
    options.served = &channel;
    options.served_count = k;
    options.allow_compiled = 1;
    check_ok(hn_model_load(FOLDER "car-sealed.yaml", &options, &model, &error));
    check_ok(hn_simulation_create(model, NULL, &s, &error));
    check_ok(hn_simulation_advance(s, 0.3));
    hash[k] = hn_simulation_state_hash(s);
    hn_simulation_free(s);
    hn_model_free(model);
    hn_component_server_close(server);
  }
  assert_true(hash[0] == hash[1]);
}

static double steps_of(const char *part) {
  char text[1024];
  hn_error error;
  hn_model *model;
  hn_simulation *s;
  hn_load_options load = hn_default_load_options();
  hn_simulation_options options = hn_default_simulation_options();
  load.allow_compiled = 1;
  options.method = "components";
  snprintf(text, sizeof text, "components: {c: {use: %s}}\n" HELD, part);
  write_text("uses-bumper.yaml", text);
  check_ok(hn_model_load(FOLDER "uses-bumper.yaml", &load, &model, &error));
  check_ok(hn_simulation_create(model, &options, &s, &error));
  check_ok(hn_simulation_advance(s, 0.6));
  const double steps = (double)hn_simulation_certificate(s).steps_accepted;
  hn_simulation_free(s);
  hn_model_free(model);
  return steps;
}

// Nothing of a rigid stop is hidden: steps are not limited to the output step.
static void rigid_stops_do_not_limit_steps(void **state) {
  (void)state;
  hn_error error;
  write_text("bumper.yaml",
             PAIR "forces: {f: {type: joint-stop, joint: j, lower: -0.1, upper: 0.1, "
                  "restitution: 0.5}}\n" Z);
  check_ok(seal("bumper.yaml", "bumper.hnc", &error));
  check_near(steps_of("bumper.hnc"), steps_of("bumper.yaml"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constraints_inside_have_the_bits_of_open_ones),
      cmocka_unit_test(the_default_settings_agree),
      cmocka_unit_test(stops_inside_and_outside_act_together),
      cmocka_unit_test(joints_inside_are_not_counted),
      cmocka_unit_test(real_time_has_the_same_bits),
      cmocka_unit_test(rigid_stops_do_not_limit_steps),
      cmocka_unit_test(remote_components_have_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
