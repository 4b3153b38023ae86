// Energy by parts: a light pendulum that loses energy is detected next to a heavy one that does
// not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/load.h"
#include "holon/results.h"
#include "holon/simulation.h"
#include "support/check.h"

// The heavy one hangs nearly at rest, the light one falls from the horizontal.
static const char apart[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  heavy: {mass: 1e6, center: [10, 0, -100], initial: {velocity: [1, 0, 0]}}\n"
    "  light: {mass: 1e-3, center: [0.1, 5, 0], inertia: [1e-6, 1e-6, 1e-6]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, heavy], at: [10, 0, 0], axis: y}\n"
    "  B: {type: revolute, bodies: [ground, light], at: [0, 5, 0], axis: y}\n";

static const char joined[] =
    "  S: {type: spring-damper, bodies: [heavy, light], points: [[10, 0, -100], [0.1, 5, 0]],\n"
    "      stiffness: 1e-3, free_length: 100}\n";

static hn_certificate run(const char *text, double step, hn_grade *grade) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.formula = "dopri5";
  options.method = "first-order";
  options.step = step;
  check_ok(hn_model_load_text(text, strlen(text), "apart.yaml", NULL, &model, &error));
  check_ok(hn_simulation_create(model, &options, &simulation, &error));
  check_ok(hn_simulation_advance(simulation, 5));
  hn_certificate c = hn_simulation_certificate(simulation);
  hn_verdict verdict = hn_simulation_verdict(simulation, NULL);
  *grade = HN_SOUND;
  for (int k = 0; k < verdict.count; k++)
    if (strcmp(verdict.checks[k].subject, "Energy by parts") == 0) *grade = verdict.checks[k].grade;
  hn_simulation_free(simulation);
  hn_model_free(model);
  return c;
}

static void a_heavy_part_does_not_hide_a_light_one(void **state) {
  (void)state;
  hn_grade grade;
  hn_certificate c = run(apart, 0.15, &grade); // five steps a period of the light one
  check_at_most(c.energy_relative, 1e-6);      // of the whole model
  assert_true(c.energy_part.relative > 1e-3);
  assert_int_equal(c.energy_part.body, 2);
  assert_true(grade > HN_SOUND);
  c = run(apart, 0.002, &grade);
  check_at_most(c.energy_part.relative, 1e-6);
  assert_int_equal(grade, HN_SOUND);
}

// The energy at the start, and how fast the motion was, are those of the whole run.
static void a_restored_run_has_the_sums_of_the_whole(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_simulation *runs[2] = {NULL, NULL};
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.formula = "dopri5";
  options.method = "first-order";
  options.step = 0.15;
  check_ok(hn_model_load_text(apart, strlen(apart), "apart.yaml", NULL, &model, &error));
  for (int k = 0; k < 2; k++) check_ok(hn_simulation_create(model, &options, &runs[k], &error));
  for (int step = 0; step < 17; step++) check_ok(hn_simulation_step(runs[0], 5));
  size_t size = hn_simulation_save_size(runs[0]);
  void *saved = malloc(size);
  check_ok(hn_simulation_save(runs[0], saved, size));
  check_ok(hn_simulation_restore(runs[1], saved, size));
  free(saved);
  hn_certificate c[2];
  for (int k = 0; k < 2; k++) {
    check_ok(hn_simulation_advance(runs[k], 5));
    c[k] = hn_simulation_certificate(runs[k]);
    hn_simulation_free(runs[k]);
  }
  assert_true(c[0].energy_part.relative > 1e-3);
  assert_true(c[0].energy_part.relative == c[1].energy_part.relative);
  assert_int_equal(c[0].energy_part.body, c[1].energy_part.body);
  assert_true(c[0].fastest_motion > 0 && c[0].fastest_motion == c[1].fastest_motion);
  hn_model_free(model);
}

// A spring makes one part of them.
static void what_a_force_connects_is_one_part(void **state) {
  (void)state;
  char text[2048];
  snprintf(text, sizeof text, "%sforces:\n%s", apart, joined);
  hn_grade grade;
  assert_int_equal(run(text, 0.01, &grade).energy_part.body, 0);
}

// Losses in impacts are counted for the whole model.
static void impacts_of_a_part_are_no_errors(void **state) {
  (void)state;
  hn_grade grade;
  char text[2048];
  snprintf(text, sizeof text,
           "%sforces:\n  S: {type: joint-stop, joint: B, upper: 1, restitution: 0.5}\n", apart);
  hn_certificate c = run(text, 0, &grade);
  assert_true(c.impacts > 0 && c.impact_loss > 0);
  assert_int_equal(grade, HN_SOUND);
}

// A part with a damper is judged with the whole model, one with a spring by itself; a damper on the
// spring's joint belongs to its part.
static void dampers_do_work_and_springs_keep_energy(void **state) {
  (void)state;
  static const struct {
    const char *force;
    int is_judged;
  } runs[] = {
      {"rotational-spring-damper, joint: B, damping: 2e-6", 0},
      {"rotational-spring-damper, joint: B, stiffness: 1e-3", 1},
      {"rotational-spring-damper, joint: B, stiffness: 1e-3, damping: 2e-6", 0},
      {"spring-damper, bodies: [ground, light], points: [[0, 5, -1], [0.1, 5, 0]], damping: 1e-4",
       0},
      {"joint-friction, joint: B, torque: 1e-4, transition: 0.1", 0}};
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    char text[2048];
    hn_grade grade;
    snprintf(text, sizeof text, "%sforces:\n  S: {type: %s}\n", apart, runs[k].force);
    hn_certificate c = run(text, 0.002, &grade);
    check_at_most(c.energy_part.relative, 1e-6);
    if (!runs[k].is_judged) assert_int_equal(c.energy_part.body, 1);
    assert_int_equal(grade, HN_SOUND);
    c = run(text, 0.15, &grade); // five steps a period of the light one
    assert_int_equal(c.energy_part.body, runs[k].is_judged ? 2 : 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_heavy_part_does_not_hide_a_light_one),
      cmocka_unit_test(dampers_do_work_and_springs_keep_energy),
      cmocka_unit_test(impacts_of_a_part_are_no_errors),
      cmocka_unit_test(what_a_force_connects_is_one_part),
      cmocka_unit_test(a_restored_run_has_the_sums_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
