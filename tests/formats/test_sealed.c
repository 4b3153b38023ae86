// Sealed components: the same bits as open ones, refusals by name, settings and inputs. What their files
// hold: test_sealed_file.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sealed/sealed.h"
#include "formats/sealed/text.h"
#include "formats/sealing.h"
#include "holon/holon.h"
#include "model/model.h"
#include "support/check.h"

// ---- sealed = open ------------------------------------------------------------------------------

static void sealed_engine_runs_with_the_bits_of_the_open_one(void **state) {
  (void)state;
  hn_error error;
  copy_model("components/cylinder.yaml", "cylinder.yaml", "", "");
  copy_model("components/engine.yaml", "engine.yaml", "", "");
  copy_model("components/powertrain.yaml", "powertrain.yaml", "", "");
  copy_model("components/powertrain.yaml", "powertrain-sealed.yaml", "engine.yaml}", "engine.hnc}");
  check_ok(seal("engine.yaml", "engine.hnc", &error));
  check_same_bits("powertrain.yaml", "powertrain-sealed.yaml", 0.03, "engine.crank_speed");
}

static void sealed_struts_run_with_the_bits_of_open_ones_mirrored_too(void **state) {
  (void)state;
  hn_error error;
  copy_model("vlasenko/wheel-unit.yaml", "wheel-unit.yaml", "", "");
  copy_model("vlasenko/strut.yaml", "strut.yaml", "", "");
  copy_model("vlasenko/car.yaml", "car.yaml", "", "");
  copy_model("vlasenko/car.yaml", "car-sealed.yaml", "strut.yaml", "strut.hnc");
  check_ok(seal("strut.yaml", "strut.hnc", &error));
  check_same_bits("car.yaml", "car-sealed.yaml", 0.2, "body.z");
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
  check_same_bits("steam.yaml", "steam-sealed.yaml", 0.5, "left.stroke");
}

// Outputs of the model read those of a sealed component as they read those of an open one; functions of
// forces cannot, and say so.
static void outputs_read_those_of_sealed_parts(void **state) {
  (void)state;
  hn_error error;
  hn_model *model = NULL;
  hn_load_options options = hn_default_load_options();
  char text[8192];
  options.allow_compiled = 1;
  write_text("reads.yaml", HOPPER);
  check_ok(seal("reads.yaml", "reads.hnc", &error));
  for (int k = 0; k < 2; k++) {
    const char *base = k == 0 ? HOP("reads.yaml") : HOP("reads.hnc");
    const size_t length = strlen(base) - strlen("}\n");
    snprintf(text, sizeof text,
             "%.*s, twice: {value: \"2*left.load + 1 kN\", unit: kN}, apart: left.travel - "
             "right.travel, "
             "again: apart + 0.5 m}\n",
             (int)length, base);
    write_text(k == 0 ? "reads-open.yaml" : "reads-sealed.yaml", text);
  }
  check_same_bits("reads-open.yaml", "reads-sealed.yaml", 0.3, "twice");
  check_same_bits("reads-open.yaml", "reads-sealed.yaml", 0.3, "again");
  const char *base = HOP("reads.hnc");
  const char *at = strstr(base, "forces:\n");
  snprintf(
      text, sizeof text,
      "%.*sforces:\n  f: {type: point-force, body: frame, force: [0, 0, \"-100*left.travel\"]}\n%s",
      (int)(at - base), base, at + strlen("forces:\n"));
  assert_int_equal(
      hn_model_load_text(text, strlen(text), FOLDER "t.yaml", &options, &model, &error),
      HN_ERROR_UNSUPPORTED);
  check_names(error.message, "left.travel");
  assert_non_null(strstr(error.hint, "interface bodies"));
}

// A tyre on bumps, a stop, a bent spring and a bent motion, twice; both land at the same moment.
static void kinks_inside_are_found_at_the_same_bits(void **state) {
  (void)state;
  hn_error error;
  write_text("hopper.yaml", HOPPER);
  write_text("hop.yaml", HOP("hopper.yaml"));
  write_text("hop-sealed.yaml", HOP("hopper.hnc"));
  check_ok(seal("hopper.yaml", "hopper.hnc", &error));
  check_same_bits("hop.yaml", "hop-sealed.yaml", 0.5, "left.load");
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

// A state kept in the middle of contacts continues to the same bits.
static void a_kept_state_remembers_branches_inside(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *whole = start("hop-sealed.yaml", &model);
  hn_simulation *first = NULL, *second = NULL;
  hn_error error;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
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

// ---- refusals -----------------------------------------------------------------------------------

static void code_runs_only_when_allowed(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_error error;
  check_status(load("uses-secret.yaml", 0, &model, &error), HN_ERROR_UNSUPPORTED);
  check_names(error.element, "'box'");
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
  options.coordinates = "cartesian";
  check_ok(load("uses-secret.yaml", 1, &model, &error));
  options.method = "first-order";
  check_status(hn_simulation_create(model, &options, &s, &error), HN_ERROR_UNSUPPORTED);
  check_message(&error, "'box'", "first-order");
  check_names(error.hint, "@method");
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
  check_message(&error, "'box'", "9");
  data[size - 56] ^= 7;
  data[size / 2] ^= 1;
  write_bytes(FOLDER "broken.hnc", data, size);
  check_status(load("uses-broken.yaml", 1, &model, &error), HN_ERROR_FILE);
  free(data);
  write_text("broken.hnc", "not a component at all, but long enough to have a trailer: "
                           "0123456789012345678901234567890123456789012345678901234567890");
  check_status(load("uses-broken.yaml", 1, &model, &error), HN_ERROR_FILE);
  check_ok(hn_sealed_file_write(FOLDER "broken.hnc", HOLON_LIBRARY, "holon 0\nborder case\n", "x",
                                1, &error));
  check_status(load("uses-broken.yaml", 1, &model, &error), HN_ERROR_FILE);
  check_message(&error, "'box'", "hn_component_entry");
}

static void what_cannot_be_sealed_is_named(void **state) {
  (void)state;
  hn_error error;
  write_text("rate.yaml",
             "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {s: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z,\n"
             "             initial: {angle_rate: 3}}}\n");
  check_status(seal("rate.yaml", "rate.hnc", &error), HN_ERROR_UNSUPPORTED);
  check_message(&error, "'s'", "`initial:`");
  write_text("nest.yaml", "components: {box: {use: secret.hnc}}\n");
  check_status(seal("nest.yaml", "nest.hnc", &error), HN_ERROR_UNSUPPORTED);
  check_names(error.element, "'box'");
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
  check_message(&error, "'box'", "'hidden_mass'");
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
    options.coordinates = "cartesian";
    options.method = "components";
    check_ok(
        load_set(k ? "powertrain-sealed.yaml" : "powertrain.yaml", settings, 2, &model, &error));
    lengthen_output_step(model);
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
  check_message(&error, "'engine'", "'bore'");
  check_names(error.hint, "theta");
  check_names(error.hint, "pitch");
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
  check_message(&error, "'p'", "'weight'");
  for (int k = 0; k < 2; k++) {
    char user[256];
    snprintf(
        user, sizeof user,
        "components: {p: {use: weighed.%s, bodies: {base: ground}, parameters: {weight: 7}}}\n",
        k ? "hnc" : "yaml");
    write_text(k ? "weighed-sealed.yaml" : "weighed-open.yaml", user);
  }
  check_same_bits("weighed-open.yaml", "weighed-sealed.yaml", 0.1, "p.angle");
  // the code of a file that does not report its requirements rejects as well
  hn_component *component = NULL;
  const hn_placement here = hn_placement_none();
  hn_component_setup setup = hn_sealed_setup(&here);
  const hn_component_body base = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mirror = {1, 1, 1}};
  setup.path = FOLDER "weighed.hnc";
  setup.externals = &base;
  setup.external_count = 1;
  check_status(hn_sealed_create(&setup, &component, &error), HN_ERROR_MODEL);
  // no user could provide it
  static const char *const none[1] = {NULL};
  const hn_seal_options closed = {.runtime = HOLON_COMPONENT_RUNTIME, .inputs = none};
  error = (hn_error){0};
  check_status(hn_component_seal(FOLDER "weighed.yaml", FOLDER "never.hnc", &closed, &error),
               HN_ERROR_UNSUPPORTED);
  check_names(error.element, "'weight'");
  write_text("gives-none.yaml", "bodies: {base: {mass: 1, inertia: [1, 1, 1]}}\n"
                                "components: {w: {use: weighed.yaml, bodies: {base: base}}}\n");
  check_status(seal("gives-none.yaml", "never.hnc", &error), HN_ERROR_MODEL);
  check_names(error.element, "'w.weight'");
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
  check_names(error.element, "'box'");
  model->parts[0].api = right;
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sealed_engine_runs_with_the_bits_of_the_open_one),
      cmocka_unit_test(sealed_struts_run_with_the_bits_of_open_ones_mirrored_too),
      cmocka_unit_test(sealed_cylinders_take_parameters_and_the_shaft),
      cmocka_unit_test(outputs_read_those_of_sealed_parts),
      cmocka_unit_test(kinks_inside_are_found_at_the_same_bits),
      cmocka_unit_test(a_kept_state_remembers_branches_inside),
      cmocka_unit_test(code_runs_only_when_allowed),
      cmocka_unit_test(other_methods_refuse_and_name_components),
      cmocka_unit_test(another_interface_a_broken_file_and_a_missing_symbol_are_told),
      cmocka_unit_test(what_cannot_be_sealed_is_named),
      cmocka_unit_test(names_that_are_not_shown_are_refused),
      cmocka_unit_test(settings_reach_what_is_shown_and_nothing_else),
      cmocka_unit_test(an_input_without_a_value_must_be_given),
      cmocka_unit_test(a_component_that_answers_nan_is_named),
  };
  return cmocka_run_group_tests(tests, make_secret, NULL);
}
