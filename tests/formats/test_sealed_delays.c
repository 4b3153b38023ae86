// Delays inside sealed and remote components: the run has their past, so the bits are those of the
// open component; also with delays, contacts and samples of the model that uses it.
#include "formats/sealing.h"

#include "components/served.h"

// A slider that a spring holds back late; a chain of two delays and one of an input that is given.
#define PART                                                                                       \
  "name: echo\nborder: [cart]\ninputs: {push: 1}\n"                                                \
  "bodies:\n"                                                                                      \
  "  base: {external: true}\n"                                                                     \
  "  cart: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"                                                  \
  "  weight: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.2]}\n"                         \
  "joints:\n"                                                                                      \
  "  rail: {type: translational, bodies: [base, cart], at: [0, 0, 0], axis: x}\n"                  \
  "  hold: {type: translational, bodies: [cart, weight], at: [0, 0, 0.2], axis: x}\n"              \
  "states:\n"                                                                                      \
  "  seen: {delay: 60 ms, of: joint.rail.displacement}\n"                                          \
  "  felt: {delay: 25 ms, of: seen + joint.hold.displacement_rate}\n"                              \
  "  asked: {delay: 40 ms, of: push}\n"                                                            \
  "  sum: {rate: seen - 0.3*sum}\n"                                                                \
  "forces:\n"                                                                                      \
  "  back: {type: point-force, body: cart, at: [0, 0, 0], force: [\"4*asked - 30*seen - 9*sum\", " \
  "0, 0]}\n"                                                                                       \
  "  link: {type: joint-spring-damper, joint: hold, stiffness: 60, damping: 1}\n"                  \
  "  pull: {type: point-force, body: weight, at: [0, 0, 0.2], force: [\"max(-5, -8*felt)\", 0, "   \
  "0]}\n"                                                                                          \
  "outputs: {x: joint.rail.displacement, seen: state.seen}\n"
#define USE(part)                                                                                  \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies: {sled: {mass: 5, inertia: [1, 1, 1]}}\n"                                                \
  "joints: {slide: {type: translational, bodies: [ground, sled], at: [0, 0, 0], axis: x}}\n"       \
  "states: {own: {delay: 30 ms, of: body.sled.position.x}}\n"                                      \
  "forces: {s: {type: point-force, body: sled, at: [0, 0, 0], force: [\"-40*own\", 0, 0]}}\n"      \
  "components:\n  c: {use: " part ", bodies: {base: sled}}\n"                                      \
  "  d: {use: " part ", bodies: {base: sled}, position: [0, 1, 0]}\n"                              \
  "outputs: {out: d.x}\n"

static hn_status ask(void *context, const void *request, size_t size, void *answer, size_t room,
                     size_t *answer_size) {
  const void *bytes;
  hn_status status = hn_component_server_answer(context, request, size, &bytes, answer_size);
  if (status != HN_OK || *answer_size > room) return HN_ERROR_FILE;
  memcpy(answer, bytes, *answer_size);
  return HN_OK;
}

static int make(void **state) {
  (void)state;
  hn_error error;
  write_text("echo.yaml", PART);
  write_text("open.yaml", USE("echo.yaml"));
  write_text("sealed.yaml", USE("echo.hnc"));
  if (seal("echo.yaml", "echo.hnc", &error) == HN_OK) return 0;
  fprintf(stderr, "%s %s\n", error.element, error.message);
  return -1;
}

static void delays_inside_have_the_bits_of_open_ones(void **state) {
  (void)state;
  check_same_bits("open.yaml", "sealed.yaml", 1, "out");
}

static hn_simulation *start_from(const char *file, hn_component_server *server, hn_model **model) {
  char path[1024];
  hn_error error;
  hn_simulation *s;
  const hn_component_channel channel = {.name = "echo.hnc", .call = ask, .context = server};
  hn_load_options load = hn_default_load_options();
  hn_simulation_options options = hn_default_simulation_options();
  load.allow_compiled = 1;
  load.served = &channel;
  load.served_count = server != NULL;
  options.method = "components";
  snprintf(path, sizeof path, FOLDER "%s", file);
  if (hn_model_load(path, &load, model, &error)) fail_msg("%s %s", error.element, error.message);
  lengthen_output_step(*model);
  check_ok(hn_simulation_create(*model, &options, &s, &error));
  return s;
}

// An input that is given jumps later inside. A restored run continues with its history.
static unsigned long long run(const char *file, hn_component_server *server, int is_restored) {
  hn_model *model;
  hn_simulation *s = start_from(file, server, &model);
  check_ok(hn_simulation_advance(s, 0.1));
  check_ok(hn_simulation_set_input(s, hn_model_find_input(model, "c.push"), 3));
  check_ok(hn_simulation_advance(s, 0.12));
  const size_t size = hn_simulation_save_size(s);
  void *saved = malloc(size);
  check_ok(hn_simulation_save(s, saved, size));
  if (is_restored) {
    check_ok(hn_simulation_advance(s, 0.3));
    check_ok(hn_simulation_restore(s, saved, size));
  }
  free(saved);
  check_ok(hn_simulation_advance(s, 0.4));
  const unsigned long long hash = hn_simulation_state_hash(s);
  hn_simulation_free(s);
  hn_model_free(model);
  return hash;
}

static void remote_and_restored_runs_have_the_same_bits(void **state) {
  (void)state;
  hn_error error;
  hn_component_server *server = NULL;
  const unsigned long long open = run("open.yaml", NULL, 0);
  assert_true(run("sealed.yaml", NULL, 0) == open);
  assert_true(run("sealed.yaml", NULL, 1) == open);
  check_ok(hn_component_server_open(FOLDER "echo.hnc", &server, &error));
  assert_true(run("sealed.yaml", server, 0) == open);
  hn_component_server_close(server);
}

typedef struct ending {
  hn_component_server *server;
  int left; // answers about delayed signals that it still gives
} ending;

static hn_status answer_some(void *context, const void *request, size_t size, void *answer,
                             size_t room, size_t *answer_size) {
  ending *e = context;
  uint32_t operation;
  memcpy(&operation, (const char *)request + 4, sizeof operation);
  if (operation == HN_SERVED_DELAYED && e->left-- <= 0) return HN_ERROR_INTERRUPTED;
  return ask(e->server, request, size, answer, room, answer_size);
}

static void a_server_that_ends_is_named(void **state) {
  (void)state;
  hn_error error;
  hn_model *model;
  hn_simulation *s;
  ending e = {.left = 20};
  check_ok(hn_component_server_open(FOLDER "echo.hnc", &e.server, &error));
  const hn_component_channel channel = {.name = "echo.hnc", .call = answer_some, .context = &e};
  hn_load_options load = hn_default_load_options();
  load.served = &channel;
  load.served_count = 1;
  check_ok(hn_model_load(FOLDER "sealed.yaml", &load, &model, &error));
  check_ok(hn_simulation_create(model, NULL, &s, &error));
  check_status(hn_simulation_advance(s, 1), HN_ERROR_INTERRUPTED);
  check_names(hn_simulation_error(s)->element, "component");
  hn_simulation_free(s);
  hn_model_free(model);
  hn_component_server_close(e.server);
}

// x'' = -k x(t - T) with the past x(0): until T the force is constant.
static void a_late_spring_pushes_with_the_past(void **state) {
  (void)state;
  hn_error error;
  hn_model *model;
  double x = 0;
  write_text(
      "late.yaml",
      "bodies: {a: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
      "states: {past: {delay: 0.2, of: body.a.position.x, initial: 1}}\n"
      "forces: {f: {type: point-force, body: a, at: [0, 0, 0], force: [\"-6*past\", 0, 0]}}\n"
      "outputs: {x: body.a.position.x}\n");
  check_ok(seal("late.yaml", "late.hnc", &error));
  write_text("uses-late.yaml", "components: {c: {use: late.hnc}}\noutputs: {x: c.x}\n");
  hn_simulation *s = start("uses-late.yaml", &model);
  check_ok(hn_simulation_advance(s, 0.2));
  check_ok(hn_simulation_value(s, "x", &x));
  check_near(x, 1 - 3 * 0.02, 1e-7);
  check_ok(hn_simulation_advance(s, 0.4));
  check_ok(hn_simulation_value(s, "x", &x));
  // from T on x'' = -3 + 4.5 s^2 with s = t - T: x = x1 + v1 s - 3/2 s^2 + 3/8 s^4
  check_near(x, 0.94 - 0.6 * 0.2 - 1.5 * 0.04 + 0.375 * 0.0016, 1e-6);
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(delays_inside_have_the_bits_of_open_ones),
      cmocka_unit_test(remote_and_restored_runs_have_the_same_bits),
      cmocka_unit_test(a_server_that_ends_is_named),
      cmocka_unit_test(a_late_spring_pushes_with_the_past),
  };
  return cmocka_run_group_tests(tests, make, NULL);
}
