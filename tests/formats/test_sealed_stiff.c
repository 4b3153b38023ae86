// Stiff sealed components: implicit formulas over parts with hidden interior, with the bits of open
// ones; far fewer steps than explicit formulas; the motion that an open model in other coordinates
// has; steps in real time. HOLON_COMPONENT_RUNTIME is the library from which parts are made.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sealing.h"
#include "holon/holon.h"
#include "support/check.h"

// A block in two bushings of 1e7 N/m, with a weight that oscillates on it.
#define MOUNT                                                                                      \
  "name: mount\nborder: [frame]\nparameters: {k: 1e7, c: 1e5}\n"                                   \
  "bodies:\n"                                                                                      \
  "  frame: {mass: 20, center: [0, 0, 0], inertia: [0.6, 0.6, 0.6]}\n"                             \
  "  block: {mass: 5, center: [0.3, 0, 0], inertia: [0.02, 0.03, 0.03]}\n"                         \
  "  weight: {mass: 2, center: [0.6, 0, -0.2], inertia: [0.01, 0.01, 0.01]}\n"                     \
  "joints:\n"                                                                                      \
  "  hinge: {type: revolute, bodies: [block, weight], at: [0.6, 0, 0], axis: y}\n"                 \
  "forces:\n"                                                                                      \
  "  front: {type: bushing, bodies: [frame, block], at: [0.2, 0, 0],\n"                            \
  "          stiffness: [k, k, k, 1e4, 1e4, 1e4], damping: [c, c, c, 20, 20, 20]}\n"               \
  "  rear: {type: bushing, bodies: [frame, block], at: [0.4, 0, 0],\n"                             \
  "         stiffness: [k, k, k, 0, 0, 0], damping: [c, c, c, 0, 0, 0]}\n"
#define MACHINE(file)                                                                              \
  "name: machine\ngravity: [0, 0, -9.81]\n"                                                        \
  "components: {part: {use: " file ", position: [0.5, 0, 0]}}\n"                                   \
  "joints: {pivot: {type: revolute, bodies: [ground, part.frame], at: [0, 0, 0], axis: y}}\n"      \
  "simulation: {time: 1}\n"

static const char *const files[2] = {"stiff-open.yaml", "stiff-sealed.yaml"};

static int make_files(void **state) {
  hn_error error;
  (void)state;
  write_text("mount.yaml", MOUNT);
  write_text("stiff-open.yaml", MACHINE("mount.yaml"));
  write_text("stiff-sealed.yaml", MACHINE("mount.hnc"));
  return seal("mount.yaml", "mount.hnc", &error) == HN_OK ? 0 : -1;
}

static hn_simulation *open_with(const char *file, const char *coordinates, const char *method,
                                const char *formula, double tol, hn_model **model) {
  hn_error error;
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = method;
  options.formula = formula;
  options.tol = tol;
  if (load(file, 1, model, &error) != HN_OK ||
      hn_simulation_create(*model, &options, &simulation, &error) != HN_OK)
    fail_msg("%s: %s %s", file, error.element, error.message);
  return simulation;
}

typedef struct outcome {
  unsigned long long hash;
  long steps;
  double angle;
  char formula[32];
} outcome;

static outcome run(const char *file, const char *coordinates, const char *method,
                   const char *formula, double tol, double end) {
  outcome out = {0};
  hn_model *model;
  hn_simulation *s = open_with(file, coordinates, method, formula, tol, &model);
  if (hn_simulation_advance(s, end)) fail_msg("%s", hn_simulation_error(s)->message);
  hn_certificate c = hn_simulation_certificate(s);
  out.hash = hn_simulation_state_hash(s);
  out.steps = c.steps_accepted + c.steps_rejected;
  snprintf(out.formula, sizeof out.formula, "%s", c.formula);
  check_ok(hn_simulation_value(s, "joint.pivot.angle", &out.angle));
  hn_simulation_free(s);
  hn_model_free(model);
  return out;
}

static void implicit_formulas_have_the_bits_of_the_open_part(void **state) {
  (void)state;
  static const char *const formulas[] = {"sdirk4-16", "sdirk4-15", "sdirk2", "auto"};
  for (int k = 0; k < 4; k++) {
    outcome open = run(files[0], "auto", "components", formulas[k], 1e-4, 0.3);
    outcome sealed = run(files[1], "auto", "components", formulas[k], 1e-4, 0.3);
    print_message("%s: %ld steps\n", formulas[k], sealed.steps);
    assert_true(open.hash == sealed.hash);
    assert_int_equal(open.steps, sealed.steps);
    assert_string_not_equal(sealed.formula, "dopri5"); // auto has changed
  }
}

static void a_stiff_part_does_not_force_explicit_steps(void **state) {
  (void)state;
  outcome explicit = run(files[1], "auto", "components", "dopri5", 1e-4, 0.6);
  outcome implicit = run(files[1], "auto", "components", "sdirk4-16", 1e-4, 0.6);
  outcome chosen = run(files[1], "auto", "auto", "auto", 1e-4, 0.6);
  print_message("%ld explicit steps, %ld implicit ones, %ld by auto\n", explicit.steps,
                implicit.steps, chosen.steps);
  assert_true(explicit.steps >= 50 * implicit.steps);
  assert_true(explicit.steps >= 50 * chosen.steps);
}

// Relative coordinates of the open model know nothing of components.
static void the_motion_is_that_of_other_coordinates(void **state) {
  (void)state;
  outcome exact = run(files[0], "relative", "first-order", "sdirk4-16", 1e-9, 0.6);
  double error[2];
  for (int k = 0; k < 2; k++) {
    outcome sealed = run(files[1], "auto", "components", "sdirk4-16", k ? 1e-6 : 1e-4, 0.6);
    error[k] = fabs(sealed.angle - exact.angle);
    print_message("angle of the pivot: %.9f rad, off by %.1e\n", sealed.angle, error[k]);
  }
  check_at_most(error[0], 2e-3);
  check_at_most(error[1], 2e-5);
}

// Tyre, stop and bent laws inside, located on the implicit formula's dense output.
static void kinks_inside_are_found_at_the_same_bits(void **state) {
  (void)state;
  hn_error error;
  hn_event events[2][128];
  int count[2];
  write_text("hopper.yaml", HOPPER);
  write_text("hop.yaml", HOP("hopper.yaml"));
  write_text("hop-sealed.yaml", HOP("hopper.hnc"));
  check_ok(seal("hopper.yaml", "hopper.hnc", &error));
  unsigned long long hash[2];
  for (int k = 0; k < 2; k++) {
    hn_model *model;
    hn_simulation *s = open_with(k ? "hop-sealed.yaml" : "hop.yaml", "auto", "components",
                                 "sdirk4-16", 1e-6, &model);
    if (hn_simulation_advance(s, 0.5)) fail_msg("%s", hn_simulation_error(s)->message);
    hash[k] = hn_simulation_state_hash(s);
    count[k] = hn_simulation_events(s, events[k], 128);
    hn_simulation_free(s);
    hn_model_free(model);
  }
  assert_true(hash[0] == hash[1]);
  assert_int_equal(count[0], count[1]);
  assert_in_range(count[0], 15, 128);
  for (int k = 0; k < count[0]; k++)
    assert_memory_equal(&events[0][k].time, &events[1][k].time, sizeof(double));
}

static int names_a_component(const char *file) {
  hn_model *model;
  int found = 0;
  hn_simulation *s = open_with(file, "auto", "components", "sdirk4-16", 1e-4, &model);
  for (int k = 0; k < hn_simulation_warning_count(s); k++) {
    const hn_warning *w = hn_simulation_warning(s, k);
    found |= w->is_note && strstr(w->element, "component");
  }
  hn_simulation_free(s);
  hn_model_free(model);
  return found;
}

// Bushings hide nothing; a tyre and a stop may change twice within a step, which is then limited.
static void only_parts_that_may_hide_features_are_not_examined(void **state) {
  (void)state;
  assert_false(names_a_component("stiff-sealed.yaml"));
  assert_true(names_a_component("hop-sealed.yaml"));
}

// A loop with default options takes an implicit formula; an open model with the same options has
// its bits; a restored state continues with them.
static void a_stiff_part_runs_in_real_time(void **state) {
  (void)state;
  unsigned long long hash[3];
  for (int k = 0; k < 2; k++) {
    hn_error error;
    hn_model *model = NULL;
    hn_realtime *loop = NULL;
    hn_realtime_options options = hn_default_realtime_options();
    options.simulation.step = 1e-3;
    options.simulation.max_iterations = 6;
    if (k == 0) {
      options.simulation.method = "components";
      options.simulation.formula = "sdirk2";
    }
    if (load(files[k], 1, &model, &error) || hn_realtime_create(model, &options, &loop, &error))
      fail_msg("%s: %s %s", files[k], error.element, error.message);
    hn_simulation *s = hn_realtime_simulation(loop);
    for (int i = 0; i < 300; i++) check_ok(hn_realtime_step(loop, NULL));
    hn_certificate c = hn_simulation_certificate(s);
    assert_string_equal(c.method, "components");
    assert_string_equal(c.formula, "sdirk2");
    assert_int_equal(c.newton_unconverged_accepted, 0);
    check_ok(hn_realtime_save(loop, 0));
    for (int i = 0; i < 50; i++) check_ok(hn_realtime_step(loop, NULL));
    hash[k] = hn_simulation_state_hash(s);
    check_ok(hn_realtime_restore(loop, 0));
    for (int i = 0; i < 50; i++) check_ok(hn_realtime_step(loop, NULL));
    hash[2] = hn_simulation_state_hash(s);
    assert_true(hash[2] == hash[k]);
    hn_realtime_free(loop);
    hn_model_free(model);
  }
  assert_true(hash[0] == hash[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(implicit_formulas_have_the_bits_of_the_open_part),
      cmocka_unit_test(a_stiff_part_does_not_force_explicit_steps),
      cmocka_unit_test(the_motion_is_that_of_other_coordinates),
      cmocka_unit_test(kinks_inside_are_found_at_the_same_bits),
      cmocka_unit_test(only_parts_that_may_hide_features_are_not_examined),
      cmocka_unit_test(a_stiff_part_runs_in_real_time),
  };
  return cmocka_run_group_tests(tests, make_files, NULL);
}
