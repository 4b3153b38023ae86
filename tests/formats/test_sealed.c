// Sealed components: the same bits as open ones, nothing to be found in the file, refusals by name.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sealed.h"
#include "formats/sealed_text.h"
#include "formats/sealing.h"
#include "holon/holon.h"
#include "model/model.h"
#include "support/check.h"

// ---- sealed = open ------------------------------------------------------------------------------

static void compare(const char *open, const char *sealed, double end, const char *output) {
  hn_model *models[2];
  hn_simulation *s[2] = {start(open, &models[0]), start(sealed, &models[1])};
  for (int k = 0; k < 2; k++) check_ok(hn_simulation_advance(s[k], end));
  int n = hn_simulation_coordinate_count(s[0]);
  size_t size = (size_t)n * sizeof(double);
  assert_int_equal(n, hn_simulation_coordinate_count(s[1]));
  assert_memory_equal(hn_simulation_positions(s[0]), hn_simulation_positions(s[1]), size);
  assert_memory_equal(hn_simulation_velocities(s[0]), hn_simulation_velocities(s[1]), size);
  assert_memory_equal(hn_simulation_accelerations(s[0]), hn_simulation_accelerations(s[1]), size);
  assert_true(hn_simulation_state_hash(s[0]) == hn_simulation_state_hash(s[1]));
  double value[2] = {0, 1};
  for (int k = 0; k < 2; k++) check_ok(hn_simulation_value(s[k], output, &value[k]));
  check_near(value[0], value[1], 1e-12 * fabs(value[0]));
  hn_certificate c[2] = {hn_simulation_certificate(s[0]), hn_simulation_certificate(s[1])};
  assert_int_equal(c[0].steps_accepted, c[1].steps_accepted);
  check_at_most(c[1].constraint_position, 1e-10);
  check_at_most(c[1].constraint_velocity, 1e-10);
  check_relative(c[1].energy_balance, c[0].energy_balance, 1e-3);
  for (int k = 0; k < 2; k++) {
    hn_simulation_free(s[k]);
    hn_model_free(models[k]);
  }
}

static void sealed_engine_runs_with_the_bits_of_the_open_one(void **state) {
  (void)state;
  hn_error error;
  copy_model("components/cylinder.yaml", "cylinder.yaml", "", "");
  copy_model("components/engine.yaml", "engine.yaml", "", "");
  copy_model("components/powertrain.yaml", "powertrain.yaml", "", "");
  copy_model("components/powertrain.yaml", "powertrain-sealed.yaml", "engine.yaml}", "engine.hnc}");
  check_ok(seal("engine.yaml", "engine.hnc", &error));
  compare("powertrain.yaml", "powertrain-sealed.yaml", 0.03, "engine.crank_speed");
}

static void sealed_struts_run_with_the_bits_of_open_ones_mirrored_too(void **state) {
  (void)state;
  hn_error error;
  copy_model("vlasenko/wheel-unit.yaml", "wheel-unit.yaml", "", "");
  copy_model("vlasenko/strut.yaml", "strut.yaml", "", "");
  copy_model("vlasenko/car.yaml", "car.yaml", "", "");
  copy_model("vlasenko/car.yaml", "car-sealed.yaml", "strut.yaml", "strut.hnc");
  check_ok(seal("strut.yaml", "strut.hnc", &error));
  compare("car.yaml", "car-sealed.yaml", 0.2, "body.z");
}

static void sealed_cylinders_take_parameters_and_the_shaft(void **state) {
  (void)state;
  hn_error error;
  copy_model("vlasenko/cylinder.yaml", "steam-cylinder.yaml",
             "joints:", "outputs: {stroke: body.piston.position.z}\njoints:");
  copy_model("vlasenko/steam-machine.yaml", "steam.yaml", "cylinder.yaml", "steam-cylinder.yaml");
  copy_model("vlasenko/steam-machine.yaml", "steam-sealed.yaml", "cylinder.yaml",
             "steam-cylinder.hnc");
  // outputs of the inside are not there any more
  for (int k = 0; k < 2; k++) {
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, FOLDER "%s", k ? "steam-sealed.yaml" : "steam.yaml");
    char *text = read_bytes(path, &size);
    text[size] = '\0';
    char *from = strstr(text, "  left_piston.vz"), *to = strstr(text, "  shaft.speed");
    assert_non_null(from);
    memmove(from, to, strlen(to) + 1);
    write_bytes(path, text, strlen(text));
    free(text);
  }
  check_ok(seal("steam-cylinder.yaml", "steam-cylinder.hnc", &error));
  compare("steam.yaml", "steam-sealed.yaml", 0.5, "left.stroke");
}

// A tyre on bumps, a stop, a bent spring and a bent motion, twice; both land at the same moment.
static void kinks_inside_are_found_at_the_same_bits(void **state) {
  (void)state;
  hn_error error;
  write_text("hopper.yaml", HOPPER);
  write_text("hop.yaml", HOP("hopper.yaml"));
  write_text("hop-sealed.yaml", HOP("hopper.hnc"));
  check_ok(seal("hopper.yaml", "hopper.hnc", &error));
  compare("hop.yaml", "hop-sealed.yaml", 0.5, "left.load");
  hn_model *models[2];
  hn_simulation *s[2] = {start("hop.yaml", &models[0]), start("hop-sealed.yaml", &models[1])};
  hn_event events[2][128];
  int count[2];
  for (int k = 0; k < 2; k++) {
    check_ok(hn_simulation_advance(s[k], 0.5));
    count[k] = hn_simulation_events(s[k], events[k], 128);
  }
  assert_int_equal(count[0], count[1]);
  assert_in_range(count[0], 15, 128);
  int named = 0;
  for (int k = 0; k < count[0]; k++) {
    const char *open = hn_model_force_name(models[0], events[0][k].force);
    const char *sealed = hn_model_force_name(models[1], events[1][k].force);
    assert_memory_equal(&events[0][k].time, &events[1][k].time, sizeof(double));
    assert_int_equal(events[0][k].from, events[1][k].from);
    assert_int_equal(events[0][k].to, events[1][k].to);
    assert_int_equal(open == NULL, sealed == NULL);
    if (!open) continue;
    // the component is named, and nothing inside it
    assert_true(strncmp(open, sealed, strlen(sealed)) == 0 && open[strlen(sealed)] == '.');
    named++;
  }
  assert_true(named > 10);
  for (int k = 0; k < 2; k++) {
    hn_simulation_free(s[k]);
    hn_model_free(models[k]);
  }
}

// A state kept in the middle of contacts goes on to the same bits.
static void a_kept_state_remembers_branches_inside(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *whole = start("hop-sealed.yaml", &model);
  hn_simulation *first = NULL, *second = NULL;
  hn_error error;
  hn_simulation_options options = hn_default_simulation_options();
  options.method = "components";
  options.tol = 1e-7;
  check_ok(hn_simulation_create(model, &options, &first, &error));
  check_ok(hn_simulation_create(model, &options, &second, &error));
  size_t size = hn_simulation_save_size(first);
  char *kept = malloc(size), *again = malloc(size);
  assert_non_null(kept);
  assert_non_null(again);
  check_ok(hn_simulation_advance(first, 0.25));
  check_ok(hn_simulation_save(first, kept, size));
  check_ok(hn_simulation_advance(whole, 0.25));
  check_ok(hn_simulation_save(whole, again, size)); // saving drops what a method remembers
  check_ok(hn_simulation_advance(whole, 0.5));
  check_ok(hn_simulation_restore(second, kept, size));
  check_ok(hn_simulation_advance(second, 0.5));
  assert_true(hn_simulation_state_hash(whole) == hn_simulation_state_hash(second));
  assert_true(hn_simulation_certificate(whole).events == hn_simulation_certificate(second).events);
  free(kept);
  free(again);
  hn_simulation_free(whole);
  hn_simulation_free(first);
  hn_simulation_free(second);
  hn_model_free(model);
}

// ---- what the file does not tell ----------------------------------------------------------------

static int occurs(const char *data, size_t size, const void *what, size_t width) {
  for (size_t i = 0; i + width <= size; i++)
    if (memcmp(data + i, what, width) == 0) return 1;
  return 0;
}

static void names_and_masses_are_not_in_the_file(void **state) {
  (void)state;
  hn_error error;
  write_text("secret.yaml", "name: secret\nborder: [case]\nparameters: {hidden_mass: 1234.5678}\n"
                            "bodies:\n"
                            "  case: {mass: 2, inertia: [1, 1, 1]}\n"
                            "  flywheel_prototype: {mass: hidden_mass, inertia: [9, 9, 9]}\n"
                            "joints:\n"
                            "  spindle: {type: revolute, bodies: [case, flywheel_prototype],\n"
                            "            at: [0, 0, 0], axis: z}\n");
  check_ok(seal("secret.yaml", "secret.hnc", &error));
  size_t size;
  char *data = read_bytes(FOLDER "secret.hnc", &size);
  double mass = 1234.5678;
  float single = 1234.5678f;
  assert_true(occurs(data, size, "border case", 11)); // this one is shown
  assert_false(occurs(data, size, "flywheel_prototype", 18));
  assert_false(occurs(data, size, "spindle", 7));
  assert_false(occurs(data, size, "1234.5678", 9));
  assert_false(occurs(data, size, &mass, sizeof mass));
  assert_false(occurs(data, size, &single, sizeof single));
  free(data);
  // nor are they among the signals
  write_text("uses-secret.yaml", "components: {box: {use: secret.hnc}}\n"
                                 "joints: {pin: {type: revolute, bodies: [ground, box.case],\n"
                                 "  at: [0, 0, 0], axis: z}}\n");
  hn_model *model = NULL;
  hn_simulation *s = start("uses-secret.yaml", &model);
  const char *all = "*";
  hn_results *results = NULL;
  check_ok(hn_results_create(s, &all, 1, &results, &error));
  int shown = 0;
  for (int k = 0; k < hn_results_signal_count(results); k++) {
    const char *name = hn_results_signal_name(results, k);
    assert_null(strstr(name, "flywheel"));
    assert_null(strstr(name, "sealed_"));
    shown |= strcmp(name, "body.box.case.position.x") == 0;
  }
  assert_true(shown);
  hn_results_free(results);
  hn_simulation_free(s);
  hn_model_free(model);
}

// ---- refusals -----------------------------------------------------------------------------------

static void code_runs_only_when_allowed(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_error error;
  check_status(load("uses-secret.yaml", 0, &model, &error), HN_ERROR_UNSUPPORTED);
  check_message(&error, "component 'box'", "run only when you allow it");
  // its checksum in the list of trusted files does as well
  char *text = NULL, checksum[HN_COMPONENT_CHECKSUM];
  check_ok(hn_component_public(FOLDER "secret.hnc", &text, checksum, &error));
  hn_component_public_free(text);
  const char *trusted = checksum;
  hn_load_options options = hn_default_load_options();
  options.trusted = &trusted;
  options.trusted_count = 1;
  check_ok(hn_model_load(FOLDER "uses-secret.yaml", &options, &model, &error));
  hn_model_free(model);
}

static void other_methods_refuse_and_name_components(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_error error;
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  check_ok(load("uses-secret.yaml", 1, &model, &error));
  options.method = "first-order";
  check_status(hn_simulation_create(model, &options, &s, &error), HN_ERROR_UNSUPPORTED);
  check_message(&error, "component 'box'", "first-order");
  assert_non_null(strstr(error.hint, "--method components"));
  options.method = "auto";
  check_ok(hn_simulation_create(model, &options, &s, &error));
  check_status(hn_simulation_equilibrium(s, NULL, NULL), HN_ERROR_UNSUPPORTED);
  hn_mobility mobility;
  check_ok(hn_simulation_mobility(s, &mobility));
  assert_int_equal(mobility.degrees_of_freedom, 2);
  hn_mobility_free(&mobility);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void another_interface_a_broken_file_and_a_missing_symbol_are_told(void **state) {
  (void)state;
  size_t size;
  hn_model *model = NULL;
  hn_error error;
  char *data = read_bytes(FOLDER "secret.hnc", &size);
  data[size - 56] ^= 7; // the version, behind the mark of the trailer
  write_bytes(FOLDER "broken.hnc", data, size);
  write_text("uses-broken.yaml", "components: {box: {use: broken.hnc}}\n");
  check_status(load("uses-broken.yaml", 1, &model, &error), HN_ERROR_UNSUPPORTED);
  check_message(&error, "component 'box'", "version 5 of the component interface");
  data[size - 56] ^= 7;
  data[size / 2] ^= 1;
  write_bytes(FOLDER "broken.hnc", data, size);
  check_status(load("uses-broken.yaml", 1, &model, &error), HN_ERROR_FILE);
  assert_non_null(strstr(error.message, "damaged"));
  free(data);
  write_text("broken.hnc", "not a component at all, but long enough to have a trailer: "
                           "0123456789012345678901234567890123456789012345678901234567890");
  check_status(load("uses-broken.yaml", 1, &model, &error), HN_ERROR_FILE);
  assert_non_null(strstr(error.message, "not a sealed component"));
  check_ok(hn_sealed_file_write(FOLDER "broken.hnc", HOLON_LIBRARY, "holon 0\nborder case\n", "x",
                                1, &error));
  check_status(load("uses-broken.yaml", 1, &model, &error), HN_ERROR_FILE);
  check_message(&error, "component 'box'", "lacks the symbol hn_component_entry");
}

static void what_cannot_be_sealed_is_named(void **state) {
  (void)state;
  hn_error error;
  write_text("rate.yaml",
             "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {s: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z,\n"
             "             initial: {angle_rate: 3}}}\n");
  check_status(seal("rate.yaml", "rate.hnc", &error), HN_ERROR_UNSUPPORTED);
  check_message(&error, "joint 's'", "initial");
  write_text("asks.yaml", "inputs: {torque: 0}\n"
                          "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n");
  check_status(seal("asks.yaml", "asks.hnc", &error), HN_ERROR_UNSUPPORTED);
  check_message(&error, "input 'torque'", "cannot be given");
  write_text("nest.yaml", "components: {box: {use: secret.hnc}}\n");
  check_status(seal("nest.yaml", "nest.hnc", &error), HN_ERROR_UNSUPPORTED);
  check_message(&error, "component 'box'", "cannot contain another");
}

static void names_that_are_not_shown_are_refused(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_error error;
  const char *input = "hidden_mass";
  hn_seal_options options = {.runtime = HOLON_COMPONENT_RUNTIME, .inputs = &input};
  check_ok(hn_component_seal(FOLDER "secret.yaml", FOLDER "closed.hnc", &options, &error));
  write_text("uses-closed.yaml",
             "components: {box: {use: closed.hnc, parameters: {hidden_mass: 3}}}\n");
  check_status(load("uses-closed.yaml", 1, &model, &error), HN_ERROR_MODEL);
  check_message(&error, "component 'box'", "does not show");
  write_text("uses-closed.yaml", "components: {box: {use: closed.hnc}}\n"
                                 "joints: {pin: {type: revolute, bodies: [ground,\n"
                                 "  box.flywheel_prototype], at: [0, 0, 0], axis: z}}\n");
  check_status(load("uses-closed.yaml", 1, &model, &error), HN_ERROR_MODEL);
}

// ---- settings -----------------------------------------------------------------------------------

static hn_status load_set(const char *name, const char *const *settings, int count,
                          hn_model **model, hn_error *error) {
  char path[1024];
  hn_load_options options = hn_default_load_options();
  options.allow_compiled = 1;
  options.settings = settings;
  options.setting_count = count;
  snprintf(path, sizeof path, FOLDER "%s", name);
  *error = (hn_error){0};
  return hn_model_load(path, &options, model, error);
}

static void settings_reach_what_is_shown_and_nothing_else(void **state) {
  (void)state;
  hn_error error;
  unsigned long long hash[2] = {0, 0};
  const char *inputs[] = {"theta", "pitch"};
  hn_seal_options sealing = {
      .runtime = HOLON_COMPONENT_RUNTIME, .inputs = inputs, .input_count = 2};
  check_ok(hn_component_seal(FOLDER "engine.yaml", FOLDER "engine.hnc", &sealing, &error));
  const char *settings[] = {"engine.theta=0.1", "engine.theta=0.7"}; // the last one holds
  for (int k = 0; k < 2; k++) {
    hn_model *model = NULL;
    hn_simulation *s = NULL;
    hn_simulation_options options = hn_default_simulation_options();
    options.method = "components";
    check_ok(
        load_set(k ? "powertrain-sealed.yaml" : "powertrain.yaml", settings, 2, &model, &error));
    check_ok(hn_simulation_create(model, &options, &s, &error));
    check_ok(hn_simulation_advance(s, 0.002));
    hash[k] = hn_simulation_state_hash(s);
    hn_simulation_free(s);
    hn_model_free(model);
  }
  assert_true(hash[0] == hash[1]);
  hn_model *model = NULL;
  const char *hidden = "engine.bore=0.1";
  check_status(load_set("powertrain-sealed.yaml", &hidden, 1, &model, &error), HN_ERROR_ARGUMENT);
  check_message(&error, "component 'engine'", "is set 'bore', which its maker does not show");
  assert_non_null(strstr(error.hint, "theta"));
  assert_non_null(strstr(error.hint, "pitch"));
}

// ---- inputs without a value ---------------------------------------------------------------------

static void an_input_without_a_value_must_be_given(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_error error;
  char *text = NULL;
  write_text("weighed.yaml", "parameters: {weight: , k: 3}\n"
                             "bodies:\n"
                             "  base: {external: true}\n"
                             "  a: {mass: weight, inertia: [1, 1, 1], center: [1, 0, 0]}\n"
                             "joints: {j: {type: revolute, bodies: [base, a], at: [0, 0, 0],\n"
                             "             axis: y}}\n"
                             "outputs: {angle: joint.j.angle}\n");
  check_ok(seal("weighed.yaml", "weighed.hnc", &error));
  check_ok(hn_component_public(FOLDER "weighed.hnc", &text, NULL, &error));
  assert_non_null(strstr(text, "\nrequired weight\n"));
  assert_non_null(strstr(text, "\ninput k\n"));
  hn_component_public_free(text);
  write_text("uses-weighed.yaml", "components: {p: {use: weighed.hnc, bodies: {base: ground}}}\n");
  check_status(load("uses-weighed.yaml", 1, &model, &error), HN_ERROR_MODEL);
  check_message(&error, "component 'p'", "needs the parameter 'weight'");
  for (int k = 0; k < 2; k++) {
    char user[256];
    snprintf(
        user, sizeof user,
        "components: {p: {use: weighed.%s, bodies: {base: ground}, parameters: {weight: 7}}}\n",
        k ? "hnc" : "yaml");
    write_text(k ? "weighed-sealed.yaml" : "weighed-open.yaml", user);
  }
  compare("weighed-open.yaml", "weighed-sealed.yaml", 0.1, "p.angle");
  // the code of a file that does not tell what it needs refuses as well
  hn_component *component = NULL;
  const hn_placement here = hn_placement_none();
  hn_component_setup setup = hn_sealed_setup(&here);
  const hn_component_body base = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mirror = {1, 1, 1}};
  setup.path = FOLDER "weighed.hnc";
  setup.externals = &base;
  setup.external_count = 1;
  check_status(hn_sealed_create(&setup, &component, &error), HN_ERROR_MODEL);
  // nobody could give it
  static const char *const none[1] = {NULL};
  const hn_seal_options closed = {.runtime = HOLON_COMPONENT_RUNTIME, .inputs = none};
  error = (hn_error){0};
  check_status(hn_component_seal(FOLDER "weighed.yaml", FOLDER "never.hnc", &closed, &error),
               HN_ERROR_UNSUPPORTED);
  check_message(&error, "parameter 'weight'", "has no value");
  write_text("gives-none.yaml", "bodies: {base: {mass: 1, inertia: [1, 1, 1]}}\n"
                                "components: {w: {use: weighed.yaml, bodies: {base: base}}}\n");
  check_status(seal("gives-none.yaml", "never.hnc", &error), HN_ERROR_MODEL);
  check_message(&error, "parameter 'w.weight'", "has no value");
}

// ---- its files ----------------------------------------------------------------------------------

#define OUTER                                                                                      \
  "parameters: {with: 0}\n"                                                                        \
  "bodies:\n"                                                                                      \
  "  base: {external: true}\n"                                                                     \
  "  a: {mass: 1, inertia: [1, 1, 1], center: [1, 0, 0]}\n"                                        \
  "joints: {j: {type: revolute, bodies: [base, a], at: [0, 0, 0], axis: y}}\n"                     \
  "components: {i: {use: inner.yaml, if: with > 0, bodies: {base: a}}}\n"

static void files_behind_an_if_are_sealed_too(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_error error;
  write_text("outer.yaml", OUTER);
  remove(FOLDER "inner.yaml");
  check_status(seal("outer.yaml", "outer.hnc", &error), HN_ERROR_FILE);
  write_text("inner.yaml", "bodies:\n"
                           "  base: {external: true}\n"
                           "  w: {mass: 2, inertia: [1, 1, 1], center: [0, 1, 0]}\n"
                           "joints: {r: {type: revolute, bodies: [base, w], at: [0, 0, 0],\n"
                           "             axis: x}}\n");
  check_ok(seal("outer.yaml", "outer.hnc", &error));
  remove(FOLDER "inner.yaml");
  remove(FOLDER "outer.yaml");
  write_text("uses-outer.yaml",
             "components: {p: {use: outer.hnc, bodies: {base: ground}, parameters: {with: 1}}}\n");
  if (load("uses-outer.yaml", 1, &model, &error) != HN_OK) fail_msg("%s", error.message);
  assert_int_equal(hn_model_body_count(model), 2);
  hn_model_free(model);
}

// A sealed text without a file that it uses, while that file lies where it used to be.
static void nothing_is_read_from_the_disk_of_the_user(void **state) {
  (void)state;
  hn_error error;
  char sealed[2048], text[1024];
  write_text("inner.yaml", "bodies: {base: {external: true}}\n");
  write_text("corner.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                           "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  for (int k = 0; k < 3; k++) {
    snprintf(text, sizeof text, "%s",
             k == 0   ? "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
             : k == 1 ? "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                        "components: {i: {use: inner.yaml, bodies: {base: a}}}\n"
                      : "bodies: {a: {density: 1000, shape: {mesh: corner.obj}}}\n");
    snprintf(sealed, sizeof sealed, FOLDER "outer.yaml %zu\n%s", strlen(text), text);
    check_ok(hn_sealed_file_write(FOLDER "alone.hnc", HOLON_COMPONENT_RUNTIME,
                                  "holon 0\nborder a\n", sealed, strlen(sealed), &error));
    hn_component *component = NULL;
    const hn_placement here = hn_placement_none();
    hn_component_setup setup = hn_sealed_setup(&here);
    setup.path = FOLDER "alone.hnc";
    check_status(hn_sealed_create(&setup, &component, &error), k == 0 ? HN_OK : HN_ERROR_FILE);
    hn_sealed_destroy(component);
  }
}

// Another form of the file inside, the same masses.
static void meshes_are_taken_along_with_all_their_bits(void **state) {
  (void)state;
  hn_error error;
  write_text("corner.obj", "v 0.1 0 0\nv 1.3 0 0.123456789\nv 0 1.7 0\nv 0 0 1.9\n"
                           "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  char stl[1024] = "solid w\n";
  static const char *const facets[4][3] = {{"0 0 0", "0 .3 0", ".2 0 0"},
                                           {"0 0 0", ".2 0 0", "0 0 .7"},
                                           {".2 0 0", "0 .3 0", "0 0 .7"},
                                           {"0 0 0", "0 0 .7", "0 .3 0"}};
  for (int k = 0; k < 4; k++)
    snprintf(stl + strlen(stl), sizeof stl - strlen(stl),
             "facet normal 0 0 0\nouter loop\nvertex %s\nvertex %s\nvertex %s\nendloop\n"
             "endfacet\n",
             facets[k][0], facets[k][1], facets[k][2]);
  write_text("wedge.stl", strcat(stl, "endsolid w\n"));
  write_text("meshed.yaml",
             "border: [a]\n"
             "parameters: {size: 0.5}\n"
             "bodies:\n"
             "  a: {density: 1000, shape: {mesh: corner.obj, scale: size}}\n"
             "  b: {density: 2700, shape: {mesh: wedge.stl}, position: [1, 0, 0]}\n"
             "joints: {j: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: y}}\n"
             "outputs: {height: body.b.position.z}\n");
  static const char uses[] =
      "components: {p: {use: meshed.%s, mirror: y, parameters: {size: 0.7}}}\n"
      "joints: {g: {type: revolute, bodies: [ground, p.a], at: [0, 0, 0],\n"
      "  axis: y}}\n";
  char text[512];
  snprintf(text, sizeof text, uses, "yaml");
  write_text("uses-meshed.yaml", text);
  snprintf(text, sizeof text, uses, "hnc");
  write_text("uses-meshed-sealed.yaml", text);
  check_ok(seal("meshed.yaml", "meshed.hnc", &error));
  // what was a file of the maker is none of the user
  char *kept = NULL;
  size_t size = 0;
  kept = read_bytes(FOLDER "corner.obj", &size);
  compare("uses-meshed.yaml", "uses-meshed-sealed.yaml", 0.4, "p.height");
  remove(FOLDER "corner.obj");
  remove(FOLDER "wedge.stl");
  hn_model *model = NULL;
  check_ok(load("uses-meshed-sealed.yaml", 1, &model, &error));
  hn_model_free(model);
  size_t all = 0;
  char *data = read_bytes(FOLDER "meshed.hnc", &all);
  assert_false(occurs(data, all, "0.123456789", 11));
  write_bytes(FOLDER "corner.obj", kept, size);
  free(data);
  free(kept);
  // one that a condition of today leaves out must be there all the same
  write_text("meshed.yaml", "bodies:\n"
                            "  a: {mass: 1, inertia: [1, 1, 1]}\n"
                            "  b: {if: 0 > 1, mass: 1, inertia: [1, 1, 1],\n"
                            "      shapes: [{sphere: 1}, {mesh: none.obj}]}\n");
  check_status(seal("meshed.yaml", "meshed.hnc", &error), HN_ERROR_FILE);
  assert_non_null(strstr(error.file, "none.obj"));
}

// ---- trust --------------------------------------------------------------------------------------

static hn_status load_trusting(const char *checksum, const hn_allocator *allocator,
                               hn_error *error) {
  hn_model *model = NULL;
  hn_load_options options = hn_default_load_options();
  options.trusted = &checksum;
  options.trusted_count = 1;
  options.allocator = allocator;
  *error = (hn_error){0};
  hn_status status = hn_model_load(FOLDER "uses-exchanged.yaml", &options, &model, error);
  hn_model_free(model);
  return status;
}

// Exchanges the file when memory is asked for the so-manieth time.
typedef struct exchange {
  const char *data;
  size_t size;
  int left;
} exchange;

static void *exchanging_allocate(void *context, size_t size) {
  exchange *e = context;
  if (e->left-- == 0) {
    remove(FOLDER "exchanged.hnc");
    write_bytes(FOLDER "exchanged.hnc", e->data, e->size);
  }
  return malloc(size);
}

static void exchanging_release(void *context, void *block) {
  (void)context;
  free(block);
}

static void trust_is_in_every_byte_and_ends_when_the_file_is_exchanged(void **state) {
  (void)state;
  hn_error error;
  size_t size;
  char *text = NULL, checksum[HN_COMPONENT_CHECKSUM];
  char *data = read_bytes(FOLDER "secret.hnc", &size), *other = malloc(size);
  assert_non_null(other);
  memcpy(other, data, size);
  other[size - 52] ^= 1; // a byte of the trailer that nothing reads
  // bodies enough that memory is asked for between the check and the placing
  write_text("uses-exchanged.yaml", "bodies: {\"b{i}\": {repeat: {i: [1, 300]}, mass: 1,\n"
                                    "  inertia: [1, 1, 1]}}\n"
                                    "components: {box: {use: exchanged.hnc}}\n"
                                    "joints: {pin: {type: revolute, bodies: [ground, box.case],\n"
                                    "  at: [0, 0, 0], axis: z}}\n");
  write_bytes(FOLDER "exchanged.hnc", data, size);
  check_ok(hn_component_public(FOLDER "exchanged.hnc", &text, checksum, &error));
  hn_component_public_free(text);
  assert_int_equal(strlen(checksum), 64);
  check_ok(load_trusting(checksum, NULL, &error));
  write_bytes(FOLDER "exchanged.hnc", other, size);
  check_status(load_trusting(checksum, NULL, &error), HN_ERROR_UNSUPPORTED);
  int noticed = 0;
  for (int k = 0, done = 0; k < 1000 && !done; k++) {
    exchange e = {other, size, k};
    const hn_allocator allocator = {exchanging_allocate, exchanging_release, &e};
    remove(FOLDER "exchanged.hnc");
    write_bytes(FOLDER "exchanged.hnc", data, size);
    hn_status status = load_trusting(checksum, &allocator, &error);
    noticed += status == HN_ERROR_FILE && strstr(error.message, "has changed since");
    done = e.left >= 0;
  }
  assert_true(noticed > 0);
  free(data);
  free(other);
}

static void what_a_file_shows_cannot_steer_a_terminal(void **state) {
  (void)state;
  hn_error error;
  char *text = NULL;
  const char *shown = "holon 0\nborder \x1b[31mred\x7f\nname \xc2\x9b"
                      "31m\xc3\xa4\n";
  check_ok(
      hn_sealed_file_write(FOLDER "colour.hnc", HOLON_COMPONENT_RUNTIME, shown, "x", 1, &error));
  check_ok(hn_component_public(FOLDER "colour.hnc", &text, NULL, &error));
  assert_string_equal(text, "holon 0\nborder ?[31mred?\nname ??31m\xc3\xa4\n");
  hn_component_public_free(text);
  hn_sealed_file file;
  char value[8];
  size_t at = 0;
  check_ok(hn_sealed_file_open(FOLDER "colour.hnc", &file, &error));
  assert_true(hn_sealed_next(&file, "border", &at, value, sizeof value));
  assert_string_equal(value, "?[31mre"); // cut to the room
  hn_sealed_file_close(&file);
  // more than a list of names can be
  size_t size = (size_t)2 << 20;
  char *large = malloc(size + 1);
  assert_non_null(large);
  memset(large, 'n', size);
  large[size] = '\0';
  check_status(
      hn_sealed_file_write(FOLDER "large.hnc", HOLON_COMPONENT_RUNTIME, large, "x", 1, &error),
      HN_ERROR_LIMIT);
  free(large);
}

// ---- a component that goes wrong ----------------------------------------------------------------

static hn_status forward_nonsense(hn_component_run *run, int again, double *r) {
  (void)run;
  (void)again;
  r[0] = NAN;
  return HN_OK;
}

static void a_component_that_answers_nan_is_named(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_error error;
  hn_simulation *s = NULL;
  check_ok(load("uses-secret.yaml", 1, &model, &error));
  hn_component_api wrong = *model->parts[0].api;
  const hn_component_api *right = model->parts[0].api;
  wrong.forward = forward_nonsense;
  model->parts[0].api = &wrong;
  check_status(hn_simulation_create(model, NULL, &s, &error), HN_ERROR_NOT_FINITE);
  check_message(&error, "component 'box'", "");
  model->parts[0].api = right;
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sealed_engine_runs_with_the_bits_of_the_open_one),
      cmocka_unit_test(sealed_struts_run_with_the_bits_of_open_ones_mirrored_too),
      cmocka_unit_test(sealed_cylinders_take_parameters_and_the_shaft),
      cmocka_unit_test(kinks_inside_are_found_at_the_same_bits),
      cmocka_unit_test(a_kept_state_remembers_branches_inside),
      cmocka_unit_test(names_and_masses_are_not_in_the_file),
      cmocka_unit_test(code_runs_only_when_allowed),
      cmocka_unit_test(other_methods_refuse_and_name_components),
      cmocka_unit_test(another_interface_a_broken_file_and_a_missing_symbol_are_told),
      cmocka_unit_test(what_cannot_be_sealed_is_named),
      cmocka_unit_test(names_that_are_not_shown_are_refused),
      cmocka_unit_test(settings_reach_what_is_shown_and_nothing_else),
      cmocka_unit_test(an_input_without_a_value_must_be_given),
      cmocka_unit_test(files_behind_an_if_are_sealed_too),
      cmocka_unit_test(nothing_is_read_from_the_disk_of_the_user),
      cmocka_unit_test(meshes_are_taken_along_with_all_their_bits),
      cmocka_unit_test(trust_is_in_every_byte_and_ends_when_the_file_is_exchanged),
      cmocka_unit_test(what_a_file_shows_cannot_steer_a_terminal),
      cmocka_unit_test(a_component_that_answers_nan_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
