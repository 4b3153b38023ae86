// Estimated errors of runs by Adams formulas. Uneven steps make them less accurate, so the refined run
// of a smooth motion keeps its own: its difference is an error of the first run. Its steps are no longer
// than those of the first run.
#include <math.h>
#include <string.h>

#include "holon/load.h"
#include "holon/run.h"
#include "support/check.h"

// Three bodies in the plane with a spring of 1e6 N/m, which limits the steps.
static const char stiff[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  b1: {mass: 1.1193, center: [-0.159581197714783, 0, -0.482332959415573],\n"
    "       inertia: [0.0247132332299933, 0.0449331513272606, 0.0414428005296054],\n"
    "       initial: {angular_velocity: [0, 1, 0]}}\n"
    "  b2: {mass: 2.39387, center: [-0.181617080166156, 0, -0.0230260482944313],\n"
    "       inertia: [0.225100008954906, 0.123805004925198, 0.164734996839832]}\n"
    "  b3: {mass: 0.12372, center: [0.226893604677218, 0, -1.03326039870825],\n"
    "       inertia: [0.0144989400428709, 0.0263617091688563, 0.0144989400428709]}\n"
    "joints:\n"
    "  j2: {type: revolute, bodies: [b1, b2], at: [-0.170599138940469, 0, -0.252679503855002],\n"
    "       axis: y}\n"
    "  j3: {type: revolute, bodies: [b1, b3], at: [0.0336562034812177, 0, -0.757796679061913],\n"
    "       axis: y}\n"
    "  l0: {type: revolute, bodies: [ground, b3], at: [0.113446802338609, 0, -0.516630199354126],\n"
    "       axis: y}\n"
    "forces:\n"
    "  f0: {type: spring-damper, bodies: [b3, b1], stiffness: 144.873, damping: 0.79812,\n"
    "       points: [[0.226893604677218, 0, -1.03326039870825],\n"
    "                [-0.159581197714783, 0, -0.482332959415573]], free_length: 0.566543}\n"
    "  f1: {type: spring-damper, bodies: [b3, ground], stiffness: 829117, damping: 216.27,\n"
    "       points: [[0.226893604677218, 0, -1.03326039870825], [0, 0, 0]],\n"
    "       free_length: 1.05577}\n"
    "  f2: {type: spring-damper, bodies: [b2, ground], stiffness: 12.2069, damping: 0.0934679,\n"
    "       points: [[-0.181617080166156, 0, -0.0230260482944313], [0, 0, 0]],\n"
    "       free_length: 0.199007}\n"
    "outputs: {angle: joint.j3.angle, force: force.f1.value}\n"
    "simulation: {time: 1, output_step: 0.02}\n";

static const char *const outputs_of_stiff[] = {"angle", "force", NULL};

// A locked wheel that comes to rest: Adams steps grow up to the border of stability.
static const char standing[] = "models/vehicles/references/slope.yaml";
static const char *const outputs_of_standing[] = {"x", "v", "fx", NULL};

typedef struct result {
  hn_model *model;
  hn_simulation *simulation;
  hn_recording recording;
} result;

static hn_model *load_stiff(void) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load_text(stiff, strlen(stiff), "stiff.yaml", NULL, &model, &error) != HN_OK)
    fail_msg("%s %s", error.element, error.message);
  return model;
}

static hn_model *load_standing(void) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load(standing, NULL, &model, &error) != HN_OK)
    fail_msg("%s %s", error.element, error.message);
  return model;
}

// Takes the model.
static result run(hn_model *model, double tol, hn_accuracy_wish accuracy) {
  result r = {.model = model};
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  check_ok(hn_simulation_create(r.model, &options, &r.simulation, &error));
  const hn_run_plan plan = {.accuracy = accuracy};
  check_ok(hn_recording_create(r.simulation, &plan, 0, &r.recording, &error));
  const hn_run_sink sink = hn_recording_sink(&r.recording);
  hn_run_outcome outcome;
  check_ok(hn_run(r.simulation, &plan, &sink, &outcome));
  return r;
}

static void release(result *r) {
  hn_recording_free(&r->recording);
  hn_simulation_free(r->simulation);
  hn_model_free(r->model);
}

static double largest_error(const result *r, const result *exact, const char *name) {
  const double *a = hn_results_column(r->recording.all, hn_results_find(r->recording.all, name));
  const double *b =
      hn_results_column(exact->recording.all, hn_results_find(exact->recording.all, name));
  double error = 0;
  for (int k = 0; k < hn_results_row_count(r->recording.all); k++)
    error = fmax(error, fabs(a[k] - b[k]));
  return error;
}

static double bar_of(const result *r, const char *name) {
  const hn_accuracy *a = hn_simulation_accuracy(r->simulation);
  for (int k = 0; k < a->signal_count; k++)
    if (strcmp(a->signals[k].name, name) == 0) return a->signals[k].absolute;
  fail_msg("no accuracy of %s", name);
  return 0;
}

static void check_bars(const result *r, const result *exact, const char *const *outputs) {
  for (int k = 0; outputs[k]; k++) {
    const double error = largest_error(r, exact, outputs[k]);
    check_at_most(error, 1.2 * bar_of(r, outputs[k]));
    check_at_most(bar_of(r, outputs[k]), 5 * error);
  }
}

static void bars_of_adams_are_no_multiples_of_errors(void **state) {
  (void)state;
  result run_at_1e8 = run(load_stiff(), 1e-8, HN_ACCURACY_ON);
  result exact = run(load_stiff(), 1e-12, HN_ACCURACY_OFF);
  assert_string_equal(hn_simulation_certificate(run_at_1e8.simulation).formula, "adams");
  check_bars(&run_at_1e8, &exact, outputs_of_stiff);
  release(&run_at_1e8);
  release(&exact);
}

static void the_refined_run_takes_no_longer_steps(void **state) {
  (void)state;
  result run_at_1e10 = run(load_standing(), 1e-10, HN_ACCURACY_ON);
  result exact = run(load_standing(), 1e-13, HN_ACCURACY_OFF);
  check_bars(&run_at_1e10, &exact, outputs_of_standing);
  release(&run_at_1e10);
  release(&exact);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bars_of_adams_are_no_multiples_of_errors),
      cmocka_unit_test(the_refined_run_takes_no_longer_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
