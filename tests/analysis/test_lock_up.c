// Models that cannot move end in a bounded number of steps, with the name of the locking element;
// redundant joints and dead centers that are passed are not reported.
#include "analysis/lock_up.h"

#include "analysis/simulation.h"
#include "machines/machine.h"
#include "support/machines.h"

// A bar on a ball joint at its middle of a rod that is stretched: 0, 0.5 and 1 are in line.
static const char rod[] = "gravity: [0, 0, -9.81]\n"
                          "bodies:\n"
                          "  bar: {mass: 1, center: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                          "joints:\n"
                          "  ball: {type: spherical, bodies: [ground, bar], at: [0.5, 0, 0]}\n"
                          "  rod: {type: distance, bodies: [ground, bar],\n"
                          "        points: [[0, 0, 0], [1, 0, 0]]}\n";

// A triangle without height: 1 m from A to B is 0.5 m and 0.5 m over C.
static const char triangle[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  long: {mass: 1, center: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "  short: {mass: 1, center: [0.75, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, long], at: [0, 0, 0], axis: y}\n"
    "  B: {type: revolute, bodies: [long, short], at: [1, 0, 0], axis: y}\n"
    "  C: {type: revolute, bodies: [ground, short], at: [0.5, 0, 0], axis: y}\n";

// The crank of a four-bar that is no crank: coupler and rocker are in line at 0.816 s.
static const char four_bar[] =
    "points: {A: [0, 0, 0], B: [0, 1, 0], D: [2, 0, 0], C: [1.5, 1.2, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, center: [0, 0.5, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "  coupler: {mass: 1, center: [0.75, 1.1, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "  rocker: {mass: 1, center: [1.75, 0.6, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, crank], at: points.A, axis: z,\n"
    "      offset: {angle: 90 deg}}\n"
    "  B: {type: revolute, bodies: [crank, coupler], at: points.B, axis: z}\n"
    "  C: {type: revolute, bodies: [coupler, rocker], at: points.C, axis: z}\n"
    "  D: {type: revolute, bodies: [ground, rocker], at: points.D, axis: z}\n"
    "drivers: {m: {joint: A, motion: pi/2 + t}}\n";

// Two drivers of one angle, which agree at the start only.
static const char quarrel[] =
    "bodies:\n"
    "  arm: {mass: 1, center: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: z}\n"
    "drivers:\n"
    "  one: {joint: pin, motion: t}\n"
    "  two: {joint: pin, motion: t + t^3}\n";

static machine open_text(const char *text, const hn_simulation_options *options) {
  hn_error error = {0};
  machine made = {0};
  if (hn_model_load_text(text, strlen(text), "machine.yaml", NULL, &made.model, &error) ||
      hn_simulation_create(made.model, options, &made.simulation, &error))
    machine_stop("machine", &error);
  return made;
}

static char last_hint[sizeof((hn_error *)0)->hint]; // of end_of

// Runs into an error; its text.
static const char *end_of(const char *text, const hn_simulation_options *options, long attempts,
                          char *told, size_t size) {
  machine made = open_text(text, options);
  hn_status status = hn_simulation_advance(made.simulation, 6);
  hn_certificate c = hn_simulation_certificate(made.simulation);
  hn_error_format(hn_simulation_error(made.simulation), told, size);
  snprintf(last_hint, sizeof last_hint, "%s", hn_simulation_error(made.simulation)->hint);
  print_message("%s: %ld steps, %ld refused: %s\n", options->coordinates, c.steps_accepted,
                c.steps_rejected, told);
  assert_true(status < 0);
  assert_true(c.steps_accepted + c.steps_rejected <= attempts);
  machine_close(&made);
  return told;
}

static void what_is_stretched_out_is_told_by_name(void **state) {
  (void)state;
  char told[2048];
  for (double tol = 1e-4; tol > 0.9e-8; tol /= 100) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "relative";
    options.tol = tol;
    end_of(rod, &options, 300, told, sizeof told);
    check_names(told, "'rod'");
    check_names(told, "spring-damper");
    end_of(triangle, &options, 300, told, sizeof told);
    check_names(told, "`spring-damper`");
    options.coordinates = "cartesian"; // which sees that accelerations contradict each other
    check_names(end_of(rod, &options, 300, told, sizeof told), "'rod'");
    options.coordinates = "natural"; // one of both
    end_of(rod, &options, 300, told, sizeof told);
    assert_true(hn_has_names(told, "'rod'") || hn_has_names(told, "'ball'"));
  }
}

// A run resumed from a saved state reports the same, at the same time; after some steps the model
// has moved a little, and is not checked from there.
static void a_restored_run_is_told_too(void **state) {
  (void)state;
  static const char *const texts[] = {rod, triangle};
  for (int k = 0; k < 2; k++) {
    char told[2][2048];
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "relative";
    machine whole = open_text(texts[k], &options), other = open_text(texts[k], &options);
    for (int step = 0; step < 20; step++) check_ok(hn_simulation_step(whole.simulation, 6));
    size_t size = hn_simulation_save_size(whole.simulation);
    void *saved = malloc(size);
    check_ok(hn_simulation_save(whole.simulation, saved, size));
    check_ok(hn_simulation_restore(other.simulation, saved, size));
    free(saved);
    assert_true(hn_simulation_advance(whole.simulation, 6) < 0);
    assert_true(hn_simulation_advance(other.simulation, 6) < 0);
    hn_error_format(hn_simulation_error(whole.simulation), told[0], sizeof told[0]);
    hn_error_format(hn_simulation_error(other.simulation), told[1], sizeof told[1]);
    assert_string_equal(told[0], told[1]);
    check_names(told[1], "`spring-damper`");
    machine_close(&whole);
    machine_close(&other);
  }
}

// Every formulation says that the reach ends, none that a joint is to be taken away, and none creeps.
static void the_end_of_a_reach_is_told_as_such(void **state) {
  (void)state;
  static const struct {
    const char *coordinates, *method;
    double step;
    long attempts;
  } rows[] = {{"relative", "auto", 0, 1200},
              {"cartesian", "auto", 0, 1200},
              {"natural", "auto", 0, 1200},
              {"natural", "state-space", 0, 1200},
              {"natural", "auto", 1e-3, 1200},
              {"cartesian", "augmented-lagrangian-3", 1e-3, 1200},
              {"cartesian", "augmented-lagrangian-1", 1e-3, 1200},
              {"relative", "multi-index", 0, 1200},
              {"natural", "multi-index", 0, 1200},
              {"cartesian", "multi-index", 0, 1200}};
  char told[2048], of_contradiction[sizeof last_hint];
  hn_simulation_options usual = hn_default_simulation_options();
  usual.tol = 1e-4;
  end_of(quarrel, &usual, 1000, told, sizeof told);
  strcpy(of_contradiction, last_hint);
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = rows[k].coordinates;
    options.method = rows[k].method;
    options.step = rows[k].step;
    options.tol = 1e-4;
    end_of(four_bar, &options, rows[k].attempts, told, sizeof told);
    check_has_number(told, 0.8165, 6e-4);
    assert_string_not_equal(last_hint, of_contradiction);
  }
}

static void drivers_that_quarrel_are_told_as_such(void **state) {
  (void)state;
  static const char *const coordinates[] = {"relative", "cartesian", "natural"};
  char told[2048];
  for (int k = 0; k < 3; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = coordinates[k];
    end_of(quarrel, &options, 1000, told, sizeof told);
    check_names(told, "'one'");
  }
}

// Neither doubled joints nor loops in a plane, nor a four-bar that starts flat and leaves.
static void machines_that_move_are_not_accused(void **state) {
  (void)state;
  hn_model *models[] = {hn_make_four_bars(3), hn_make_slider_crank()};
  for (int k = 0; k < 2; k++) {
    hn_simulation *s = NULL;
    check_ok(hn_simulation_create(models[k], NULL, &s, NULL));
    assert_true(s->equations->redundant_count > 0);
    assert_int_equal(hn_find_lock_up(s), -1);
    check_ok(hn_simulation_advance(s, 5));
    assert_int_equal(hn_find_lock_up(s), -1);
    hn_simulation_free(s);
    hn_model_free(models[k]);
  }
}

// A start whose coordinates are rounding errors and whose accelerations are large.
static void the_first_step_is_no_rounding_error(void **state) {
  (void)state;
  hn_model *model = hn_make_oscillator(1e9, 0, 1e-17);
  hn_simulation *s = NULL;
  check_ok(hn_simulation_create(model, NULL, &s, NULL));
  check_ok(hn_simulation_step(s, 1));
  assert_true(hn_simulation_last_step(s) > 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_stretched_out_is_told_by_name),
      cmocka_unit_test(a_restored_run_is_told_too),
      cmocka_unit_test(the_end_of_a_reach_is_told_as_such),
      cmocka_unit_test(drivers_that_quarrel_are_told_as_such),
      cmocka_unit_test(machines_that_move_are_not_accused),
      cmocka_unit_test(the_first_step_is_no_rounding_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
