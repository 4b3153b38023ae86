// Remote components: the same bits as open ones without the file, errors that name the component,
// and invalid answers and requests. The other process is a function here; with mpirun it is a real
// one (tests/cli/test_processes.c).
#include <math.h>

#include "components/served.h"
#include "components/served_server.h"
#include "formats/sealing.h"

#define MAKER HOLON_TEST_OUTPUT_DIR "/maker-"

// Faults of one answer of the other process.
typedef enum fault { NONE, ENDED, CUT_OFF, NOT_A_NUMBER, OTHER_VERSION, OTHER_MARK, NOISE } fault;

typedef struct other_process {
  hn_component_server *server;
  fault fault;
  uint32_t operation; // whose answer it is
  long left;          // answers of this operation that are right
  long calls;
  hn_random random;
} other_process;

static hn_status call(void *context, const void *request, size_t size, void *answer, size_t room,
                      size_t *answer_size) {
  other_process *p = context;
  const void *out = NULL;
  uint32_t operation = 0;
  memcpy(&operation, (const char *)request + 4, sizeof operation);
  p->calls++;
  int is_wrong = p->fault != NONE && operation == p->operation && p->left-- <= 0;
  if (is_wrong && p->fault == ENDED) return HN_ERROR_INTERRUPTED;
  check_ok(hn_component_server_answer(p->server, request, size, &out, answer_size));
  assert_true(*answer_size <= room);
  memcpy(answer, out, *answer_size);
  if (!is_wrong) return HN_OK;
  double nan = NAN;
  uint32_t version = 99;
  if (p->fault == CUT_OFF) *answer_size -= 1;
  if (p->fault == NOT_A_NUMBER) memcpy((char *)answer + 8, &nan, sizeof nan);
  if (p->fault == OTHER_VERSION) memcpy((char *)answer + 8, &version, sizeof version);
  if (p->fault == OTHER_MARK) memcpy(answer, &version, sizeof version);
  for (size_t i = 0; i < 16 && p->fault == NOISE; i++)
    ((unsigned char *)answer)[hn_random_below(&p->random, (int)*answer_size)] =
        (unsigned char)hn_random_bits(&p->random);
  return HN_OK;
}

// Seals into a file that no model finds, and opens its server.
static other_process serve(const char *model, const char *sealed) {
  char path[1024], from[1024];
  hn_error error = {0};
  other_process p = {.fault = NONE, .random = hn_random_seed(3)};
  const hn_seal_options options = {.runtime = HOLON_COMPONENT_RUNTIME};
  snprintf(from, sizeof from, FOLDER "%s", model);
  snprintf(path, sizeof path, MAKER "%s", sealed);
  check_ok(hn_component_seal(from, path, &options, &error));
  check_ok(hn_component_server_open(path, &p.server, &error));
  return p;
}

static hn_status load_served(const char *name, const char *served, other_process *p,
                             hn_model **model, hn_error *error) {
  char path[1024];
  const hn_component_channel channel = {.name = served, .call = call, .context = p};
  hn_load_options options = hn_default_load_options(); // code is not allowed, and none is loaded
  options.served = &channel;
  options.served_count = 1;
  snprintf(path, sizeof path, FOLDER "%s", name);
  *error = (hn_error){0};
  hn_status status = hn_model_load(path, &options, model, error);
  if (status == HN_OK) lengthen_output_step(*model);
  return status;
}

static hn_status create(const hn_model *model, hn_simulation **simulation, hn_error *error) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "components";
  options.tol = 1e-7;
  return hn_simulation_create(model, &options, simulation, error);
}

// ---- the same bits ------------------------------------------------------------------------------

static void compare(const char *open, const char *used, const char *part, const char *served,
                    double end) {
  hn_model *models[2] = {NULL, NULL};
  hn_simulation *s[2] = {NULL, NULL};
  hn_error error;
  other_process p = serve(part, served);
  check_ok(load(open, 0, &models[0], &error));
  if (load_served(used, served, &p, &models[1], &error) != HN_OK) fail_msg("%s", error.message);
  for (int k = 0; k < 2; k++) {
    check_ok(create(models[k], &s[k], &error));
    check_ok(hn_simulation_advance(s[k], end));
  }
  assert_true(hn_simulation_state_hash(s[0]) == hn_simulation_state_hash(s[1]));
  hn_certificate c[2] = {hn_simulation_certificate(s[0]), hn_simulation_certificate(s[1])};
  assert_int_equal(c[0].steps_accepted, c[1].steps_accepted);
  assert_int_equal(c[0].events, c[1].events);
  assert_int_equal(c[0].redundant, c[1].redundant);
  check_relative(c[1].energy_balance, c[0].energy_balance, 1e-3);
  assert_true(p.calls > 500);
  for (int k = 0; k < 2; k++) {
    hn_simulation_free(s[k]);
    hn_model_free(models[k]);
  }
  hn_component_server_close(p.server);
}

static void a_served_engine_runs_with_the_bits_of_the_open_one(void **state) {
  (void)state;
  copy_model("components/cylinder.yaml", "cylinder.yaml", "", "");
  copy_model("components/engine.yaml", "engine.yaml", "", "");
  copy_model("components/powertrain.yaml", "drive.yaml", "", "");
  copy_model("components/powertrain.yaml", "drive-served.yaml", "engine.yaml}", "motor.hnc}");
  compare("drive.yaml", "drive-served.yaml", "engine.yaml", "motor.hnc", 0.01);
}

// One server, two places; events, turns and bodies of the user.
static void served_wheels_find_their_kinks_at_the_same_bits(void **state) {
  (void)state;
  write_text("wheel.yaml", HOPPER);
  write_text("wheels.yaml", HOP("wheel.yaml"));
  write_text("wheels-served.yaml", HOP("wheel.hnc"));
  compare("wheels.yaml", "wheels-served.yaml", "wheel.yaml", "wheel.hnc", 0.25);
}

// Impacts at a stop outside: velocities jump inside, too.
static void a_stop_outside_acts_on_a_served_part(void **state) {
  (void)state;
  static const char part[] =
      "name: swing\nborder: [base]\nbodies:\n  base: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
      "  bob: {mass: 0.5, center: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
      "joints: {hinge: {type: revolute, bodies: [base, bob], at: [0, 0, 0], axis: y}}\n";
  static const char use[] =
      "gravity: [0, 0, -9.81]\ncomponents: {c: {use: %s}}\n"
      "joints:\n  rail: {type: translational, bodies: [ground, c.base], at: [0, 0, 0], axis: z}\n"
      "forces: {stop: {type: joint-stop, joint: rail, lower: -0.2, restitution: 0.5}}\n";
  char text[1024];
  write_text("swing.yaml", part);
  snprintf(text, sizeof text, use, "swing.yaml");
  write_text("stop.yaml", text);
  snprintf(text, sizeof text, use, "swing.hnc");
  write_text("stop-served.yaml", text);
  compare("stop.yaml", "stop-served.yaml", "swing.yaml", "swing.hnc", 0.6);
}

static void a_kept_state_of_a_served_machine_goes_on(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  hn_model *model = NULL;
  hn_simulation *first = NULL, *second = NULL;
  hn_error error;
  check_ok(load_served("wheels-served.yaml", "wheel.hnc", &p, &model, &error));
  check_ok(create(model, &first, &error));
  check_ok(create(model, &second, &error));
  size_t size = hn_simulation_save_size(first);
  void *kept = malloc(size);
  assert_non_null(kept);
  check_ok(hn_simulation_advance(first, 0.2));
  check_ok(hn_simulation_save(first, kept, size));
  check_ok(hn_simulation_restore(second, kept, size));
  check_ok(hn_simulation_advance(first, 0.3));
  check_ok(hn_simulation_advance(second, 0.3));
  assert_true(hn_simulation_state_hash(first) == hn_simulation_state_hash(second));
  free(kept);
  hn_simulation_free(first);
  hn_simulation_free(second);
  hn_model_free(model);
  hn_component_server_close(p.server);
}

// ---- what goes wrong ----------------------------------------------------------------------------

static void a_process_that_ends_is_named_in_every_operation(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  for (uint32_t operation = HN_SERVED_HELLO; operation < HN_SERVED_RESTORE; operation++) {
    hn_model *model = NULL;
    hn_simulation *s = NULL;
    hn_error error;
    if (operation == HN_SERVED_DESTROY || operation == HN_SERVED_STOP) continue;
    if (operation == HN_SERVED_TURNS) continue; // the wheel has none
    // nor states and delays: test_sealed_states.c, test_sealed_delays.c
    if (operation >= HN_SERVED_STATES && operation <= HN_SERVED_DELAYED) continue;
    p.fault = ENDED;
    p.operation = operation;
    p.left = 1;
    hn_status status = load_served("wheels-served.yaml", "wheel.hnc", &p, &model, &error);
    if (status == HN_OK) status = create(model, &s, &error);
    if (status == HN_OK && operation == HN_SERVED_SAVE) p.left = 0;
    if (status == HN_OK && operation == HN_SERVED_SAVE) {
      size_t size = hn_simulation_save_size(s);
      void *kept = malloc(size);
      assert_non_null(kept);
      hn_simulation_save(s, kept, size);
      free(kept);
    }
    if (status == HN_OK) {
      status = hn_simulation_advance(s, 0.2);
      error = *hn_simulation_error(s);
    }
    if (status != HN_ERROR_INTERRUPTED) fail_msg("operation %u ends with %d", operation, status);
    check_names(error.element, "component");
    check_names(error.message, "wheel.hnc");
    p.fault = NONE;
    hn_simulation_free(s);
    hn_model_free(model);
  }
  hn_component_server_close(p.server);
}

static void looking_back_names_who_does_not_answer(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  hn_error error;
  check_ok(load_served("wheels-served.yaml", "wheel.hnc", &p, &model, &error));
  check_ok(create(model, &s, &error));
  for (int k = 0; k < 5; k++) check_ok(hn_simulation_step(s, 0.1));
  double middle = hn_simulation_time(s) - 0.5 * hn_simulation_last_step(s);
  check_ok(hn_simulation_look_at(s, middle));
  p.fault = ENDED;
  p.operation = HN_SERVED_GAPS;
  check_status(hn_simulation_look_at(s, middle), HN_ERROR_INTERRUPTED);
  check_names(hn_simulation_error(s)->element, "'left'");
  hn_simulation_free(s);
  hn_model_free(model);
  hn_component_server_close(p.server);
}

static void an_answer_that_is_cut_off_or_no_number_is_named(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  static const struct {
    fault fault;
    uint32_t operation;
    hn_status status;
  } cases[] = {{CUT_OFF, HN_SERVED_FORWARD, HN_ERROR_FILE},
               {CUT_OFF, HN_SERVED_FINISH, HN_ERROR_FILE},
               {CUT_OFF, HN_SERVED_FACTS, HN_ERROR_FILE},
               {OTHER_MARK, HN_SERVED_GAPS, HN_ERROR_FILE},
               {CUT_OFF, HN_SERVED_STABILIZE_BACKWARD, HN_ERROR_FILE},
               {ENDED, HN_SERVED_STABILIZE_FACTOR, HN_ERROR_INTERRUPTED},
               {ENDED, HN_SERVED_INCREMENTS, HN_ERROR_INTERRUPTED},
               {ENDED, HN_SERVED_BRANCHES, HN_ERROR_INTERRUPTED},
               {OTHER_MARK, HN_SERVED_HELLO, HN_ERROR_FILE},
               {NOT_A_NUMBER, HN_SERVED_FORWARD, HN_ERROR_NOT_FINITE},
               {NOT_A_NUMBER, HN_SERVED_BACKWARD, HN_ERROR_NOT_FINITE},
               {NOT_A_NUMBER, HN_SERVED_FINISH, HN_ERROR_NOT_FINITE},
               {NOT_A_NUMBER, HN_SERVED_FORCES, HN_ERROR_NOT_FINITE}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    hn_model *model = NULL;
    hn_simulation *s = NULL;
    hn_error error;
    p.fault = cases[c].fault;
    p.operation = cases[c].operation;
    p.left = cases[c].operation < HN_SERVED_START ? 0 : 60; // in the middle of the run
    hn_status status = load_served("wheels-served.yaml", "wheel.hnc", &p, &model, &error);
    if (status == HN_OK) status = create(model, &s, &error);
    if (status == HN_OK) {
      status = hn_simulation_advance(s, 0.4);
      error = *hn_simulation_error(s);
    }
    if (status != cases[c].status)
      fail_msg("operation %u: %d, %s", cases[c].operation, status, error.message);
    check_names(error.element, "component");
    p.fault = NONE;
    hn_simulation_free(s);
    hn_model_free(model);
  }
  hn_component_server_close(p.server);
}

static void another_version_is_told_with_both_numbers(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  hn_model *model = NULL;
  hn_error error;
  p.fault = OTHER_VERSION;
  p.operation = HN_SERVED_HELLO;
  check_status(load_served("wheels-served.yaml", "wheel.hnc", &p, &model, &error),
               HN_ERROR_UNSUPPORTED);
  check_message(&error, "'left'", "99");
  check_names(error.message, "9");
  hn_component_server_close(p.server);
}

// Whatever is in the first answers: an error or a model, but nothing read or written outside.
static void noise_in_the_set_up_does_no_harm(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  static const uint32_t operations[] = {HN_SERVED_FACTS, HN_SERVED_CREATE, HN_SERVED_HELLO};
  int refused = 0;
  for (int k = 0; k < 60; k++) {
    hn_model *model = NULL;
    hn_error error;
    p.fault = NOISE;
    p.operation = operations[k % 3];
    p.left = 0;
    refused += load_served("wheels-served.yaml", "wheel.hnc", &p, &model, &error) != HN_OK;
    p.fault = NONE;
    hn_model_free(model);
  }
  assert_true(refused > 20);
  hn_component_server_close(p.server);
}

static void requests_that_make_no_sense_are_refused(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  hn_random random = hn_random_seed(11);
  hn_model *model = NULL;
  hn_error error;
  check_ok(load_served("wheels-served.yaml", "wheel.hnc", &p, &model, &error));
  for (int k = 0; k < 3000; k++) {
    unsigned char request[512];
    size_t size = (size_t)hn_random_below(&random, (int)sizeof request), out_size = 0;
    const void *out = NULL;
    uint32_t head[4] = {HN_SERVED_MARK, (uint32_t)hn_random_below(&random, 30),
                        (uint32_t)hn_random_below(&random, 6), 0};
    for (size_t i = 0; i < sizeof request; i++)
      request[i] = (unsigned char)hn_random_below(&random, 4);
    memcpy(request, head, sizeof head);
    if (head[1] == HN_SERVED_DESTROY) continue; // may well be meant
    check_ok(hn_component_server_answer(p.server, request, size, &out, &out_size));
    assert_true(out_size >= 8);
  }
  hn_model_free(model);
  hn_component_server_close(p.server);
}

typedef struct wheel_run {
  const hn_component_api *api;
  hn_component *component;
  hn_component_run *run;
  const hn_component_facts *facts;
  double qd[7 * 8], external_q[7], external_qd[7];
  double out[36 * 64], border[6 * 8], blocks[6 * 64], numbers[4][64];
  hn_component_branch switches[8];
  int motions[8];
} wheel_run;

static hn_status wheel_forces(wheel_run *w) {
  const hn_component_state state = {.q = w->facts->initial_q,
                                    .qd = w->qd,
                                    .external_q = w->external_q,
                                    .external_qd = w->external_qd,
                                    .turns = w->numbers[0],
                                    .switches = w->switches,
                                    .motions = w->motions};
  const hn_component_rows rows = {w->blocks, w->numbers[0], w->numbers[1], w->numbers[2],
                                  w->numbers[3]};
  double external[6] = {0};
  hn_component_energy energy = {0};
  return w->api->forces(w->run, &state, w->border, external, &energy, &rows);
}

static void start_wheel(other_process *p, wheel_run *w) {
  static const hn_component_body base = {
      .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mirror = {1, 1, 1}, .center = {0, 0, 0.9}};
  const hn_component_channel channel = {.name = "wheel.hnc", .call = call, .context = p};
  const hn_component_setup setup = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                    .mirror = {1, 1, 1},
                                    .externals = &base,
                                    .external_count = 1};
  const double gravity[3] = {0, 0, -9.81};
  unsigned char connected[8] = {1};
  hn_error error = {0};
  *w = (wheel_run){.api = hn_served_api(), .external_q = {0, 0, 0.9, 1}};
  check_ok(hn_served_create(&channel, &setup, &w->component, &error));
  w->facts = w->api->facts(w->component);
  assert_int_equal(w->facts->body_count, 3);
  assert_true(w->facts->switch_count <= 8 && w->facts->motion_count <= 8);
  check_ok(w->api->start(w->component, connected, gravity, &w->run, &error));
}

static void stop_wheel(wheel_run *w) {
  w->api->stop(w->run);
  w->api->destroy(w->component);
}

// Passes out of order are rejected; in order the results are the same.
static void passes_out_of_order_are_refused(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  wheel_run w;
  start_wheel(&p, &w);
  int rank = 0;
  hn_component_energy energy = {0};
  hn_component_report report = {0};
  for (int pass = 0; pass < 2; pass++) {
    hn_status expected = pass ? HN_OK : HN_ERROR_ARGUMENT;
    if (pass) check_ok(wheel_forces(&w));
    check_status(w.api->loads(w.run, w.border, &energy), expected);
    check_status(w.api->factor(w.run, 0, w.out, 6, &rank), expected);
    check_status(w.api->forward(w.run, 0, w.border), expected);
    memset(w.border, 0, sizeof w.border);
    check_status(w.api->backward(w.run, 0, w.border, w.out), expected);
    check_status(w.api->residual(w.run, w.border), expected);
    check_status(w.api->finish(w.run, w.numbers[0], w.blocks, &energy, w.out, &report), expected);
    check_status(w.api->stabilize_factor(w.run, 1e-9, w.out), expected);
    check_status(w.api->stabilize_forward(w.run, w.out), expected);
    check_status(w.api->stabilize_backward(w.run, w.border, w.out), expected);
    check_status(w.api->increments(w.run, 0, w.out), expected);
  }
  stop_wheel(&w);
  hn_component_server_close(p.server);
}

static void branches_that_do_not_exist_do_no_harm(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  wheel_run w;
  start_wheel(&p, &w);
  for (int k = 0; k < w.facts->switch_count; k++) {
    w.switches[k].state = -2;
    check_status(wheel_forces(&w), HN_ERROR_ARGUMENT);
    w.switches[k] = (hn_component_branch){0, -2};
    check_status(wheel_forces(&w), HN_ERROR_ARGUMENT);
    for (int code = 0; code < 3; code++) {
      w.switches[k] = (hn_component_branch){2000000000 + code, 2000000000 + code};
      check_ok(wheel_forces(&w));
    }
    w.switches[k] = (hn_component_branch){0, 0};
  }
  for (int k = 0; k < w.facts->motion_count; k++) {
    w.motions[k] = -2;
    check_status(wheel_forces(&w), HN_ERROR_ARGUMENT);
    w.motions[k] = 2000000000;
    check_ok(wheel_forces(&w));
  }
  stop_wheel(&w);
  hn_component_server_close(p.server);
}

static void only_inputs_that_are_shown_can_be_set_from_afar(void **state) {
  (void)state;
  hn_error error;
  const char *path = MAKER "closed.hnc";
  const char *none = NULL;
  const hn_seal_options options = {.runtime = HOLON_COMPONENT_RUNTIME, .inputs = &none};
  write_text("weighed.yaml", "parameters: {weight: 2}\n"
                             "bodies: {a: {mass: weight, inertia: [1, 1, 1]}}\n");
  check_ok(hn_component_seal(FOLDER "weighed.yaml", path, &options, &error));
  other_process p = {.fault = NONE};
  check_ok(hn_component_server_open(path, &p.server, &error));
  const hn_component_channel channel = {.name = "closed.hnc", .call = call, .context = &p};
  const hn_component_input input = {.name = "weight", .value = 3};
  hn_component_setup setup = {
      .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mirror = {1, 1, 1}, .inputs = &input};
  hn_component *component = NULL;
  check_ok(hn_served_create(&channel, &setup, &component, &error));
  hn_served_api()->destroy(component);
  setup.input_count = 1;
  check_status(hn_served_create(&channel, &setup, &component, &error), HN_ERROR_ARGUMENT);
  hn_component_server_close(p.server);
}

static void a_file_that_cannot_be_served_is_told(void **state) {
  (void)state;
  hn_component_server *server = NULL;
  hn_error error;
  check_status(hn_component_server_open(MAKER "none.hnc", &server, &error), HN_ERROR_FILE);
  write_text("maker-text.hnc", "not a component at all, but long enough to have a trailer: "
                               "0123456789012345678901234567890123456789012345678901234567890");
  check_status(hn_component_server_open(MAKER "text.hnc", &server, &error), HN_ERROR_FILE);
  assert_null(server);
}

static void one_who_asks_cannot_take_everything(void **state) {
  (void)state;
  other_process p = serve("wheel.yaml", "wheel.hnc");
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error;
  p.server->part_count = HN_SERVER_PARTS;
  check_status(load_served("wheels-served.yaml", "wheel.hnc", &p, &model, &error), HN_ERROR_LIMIT);
  check_message(&error, "'left'", "4096");
  p.server->part_count = 0;
  check_ok(load_served("wheels-served.yaml", "wheel.hnc", &p, &model, &error));
  assert_int_equal(p.server->part_count, 2);
  p.server->run_count = HN_SERVER_RUNS - 1;
  check_status(create(model, &simulation, &error), HN_ERROR_LIMIT);
  check_names(error.message, "4096");
  assert_int_equal(p.server->run_count, HN_SERVER_RUNS - 1); // the first one was given back
  p.server->run_count = 0;
  check_ok(create(model, &simulation, &error));
  assert_int_equal(p.server->run_count, 2);
  hn_simulation_free(simulation);
  hn_model_free(model);
  assert_int_equal(p.server->run_count, 0);
  assert_int_equal(p.server->part_count, 0);
  hn_component_server_close(p.server);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_served_engine_runs_with_the_bits_of_the_open_one),
      cmocka_unit_test(served_wheels_find_their_kinks_at_the_same_bits),
      cmocka_unit_test(a_stop_outside_acts_on_a_served_part),
      cmocka_unit_test(a_kept_state_of_a_served_machine_goes_on),
      cmocka_unit_test(a_process_that_ends_is_named_in_every_operation),
      cmocka_unit_test(looking_back_names_who_does_not_answer),
      cmocka_unit_test(an_answer_that_is_cut_off_or_no_number_is_named),
      cmocka_unit_test(another_version_is_told_with_both_numbers),
      cmocka_unit_test(noise_in_the_set_up_does_no_harm),
      cmocka_unit_test(requests_that_make_no_sense_are_refused),
      cmocka_unit_test(passes_out_of_order_are_refused),
      cmocka_unit_test(branches_that_do_not_exist_do_no_harm),
      cmocka_unit_test(only_inputs_that_are_shown_can_be_set_from_afar),
      cmocka_unit_test(a_file_that_cannot_be_served_is_told),
      cmocka_unit_test(one_who_asks_cannot_take_everything),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
