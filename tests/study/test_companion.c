// The estimated error against known errors: exact solutions of an oscillator and a pendulum, a
// sensitive model, steps that resolve nothing, and runs that have no estimate.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/load.h"
#include "holon/run.h"
#include "support/check.h"
#include "support/machines.h"

static const hn_accuracy_signal *find(const hn_accuracy *a, const char *name) {
  for (int k = 0; k < a->signal_count; k++)
    if (strcmp(a->signals[k].name, name) == 0) return &a->signals[k];
  fail_msg("no accuracy of %s", name);
  return NULL;
}

// The largest error of an oscillator's position against z0 cos(w t), and what was estimated of it.
static void compare_oscillator(const hn_simulation_options *options, double w, double end,
                               double *error, double *estimate, hn_grade *grade) {
  hn_model *model = hn_make_oscillator(w * w, 0, 1);
  hn_simulation *simulation = NULL;
  check_ok(hn_simulation_create(model, options, &simulation, NULL));
  hn_run_plan plan = {.time = end, .accuracy = HN_ACCURACY_ON};
  hn_recording recording;
  hn_error why;
  check_ok(hn_recording_create(simulation, &plan, 0, &recording, &why));
  hn_run_sink sink = hn_recording_sink(&recording);
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, &sink, &outcome));
  const double *t = hn_results_time(recording.all);
  const double *z =
      hn_results_column(recording.all, hn_results_find(recording.all, "body.mass.position.z"));
  *error = 0;
  for (int k = 0; k < hn_results_row_count(recording.all); k++)
    *error = fmax(*error, fabs(z[k] - cos(w * t[k])));
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  assert_true(a->is_estimated);
  *estimate = find(a, "body.mass.position.z")->absolute;
  *grade = hn_simulation_verdict(simulation, NULL).grade;
  hn_recording_free(&recording);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void the_bar_covers_the_error_of_an_oscillator(void **state) {
  (void)state;
  static const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-11};
  static const char *const formulas[] = {"dopri5", "adams", "sdirk4-16"};
  for (size_t f = 0; f < 3; f++)
    for (size_t k = 0; k < 5; k++) {
      hn_simulation_options options = hn_default_simulation_options();
      options.coordinates = "cartesian";
      options.formula = formulas[f];
      options.tol = tolerances[k];
      double error, estimate;
      hn_grade grade;
      compare_oscillator(&options, 3, 5, &error, &estimate, &grade);
      check_at_most(error, estimate);
      check_at_most(estimate, 30 * error);
    }
}

static void the_bar_covers_the_error_of_fixed_steps(void **state) {
  (void)state;
  static const char *const formulas[] = {"dopri5", "trapezoidal", "newmark", "sdirk4-16"};
  for (size_t f = 0; f < 4; f++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    options.formula = formulas[f];
    options.step = 0.02;
    double error, estimate;
    hn_grade grade;
    compare_oscillator(&options, 3, 5, &error, &estimate, &grade);
    check_at_most(error, 1.01 * estimate);
    check_at_most(estimate, 30 * error);
  }
}

// The step is 1.6 periods; the trapezoidal rule keeps the energy to rounding all the same.
// A tenth of a millimeter at 10 Hz: a tolerance of 1e-4 m says nothing about it.
static void a_motion_below_its_error_is_not_sound(void **state) {
  (void)state;
  static const double tolerances[] = {1e-4, 1e-8};
  for (int k = 0; k < 2; k++) {
    hn_model *model = hn_make_oscillator(63 * 63, 0, 1e-4);
    hn_simulation *simulation = NULL;
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "relative", options.method = "state-space",
    options.formula = "trapezoidal";
    options.tol = tolerances[k];
    check_ok(hn_simulation_create(model, &options, &simulation, NULL));
    hn_run_plan plan = {.time = 5, .accuracy = HN_ACCURACY_ON};
    hn_run_outcome outcome;
    check_ok(hn_run(simulation, &plan, NULL, &outcome));
    const hn_accuracy *a = hn_simulation_accuracy(simulation);
    check_near(a->travel, 2e-4, 1e-4);
    assert_true(a->motion <= a->promise); // what is judged from 1 m on sees nothing
    if (k == 0) assert_true(hn_simulation_verdict(simulation, NULL).grade > HN_SENSITIVE);
    if (k == 1) assert_int_equal(hn_simulation_verdict(simulation, NULL).grade, HN_SOUND);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

static void a_step_beyond_the_period_is_unsound(void **state) {
  (void)state;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "augmented-lagrangian-3";
  options.formula = "trapezoidal";
  options.step = 0.1;
  double error, estimate;
  hn_grade grade;
  compare_oscillator(&options, 100, 10, &error, &estimate, &grade);
  assert_true(error > 1);
  assert_int_equal(grade, HN_UNSOUND);
}

// A free body near its unstable axis: a deviation grows by exp(0.577 w t).
static void an_unstable_motion_is_sensitive(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_body_def def = hn_default_body();
  def.name = "top";
  for (int k = 0; k < 3; k++) def.inertia[k] = 1 + k;
  def.angular_velocity = (hn_vec3){1e-9, 3, 1e-9};
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_add_body(model, &def, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = 1e-9;
  hn_simulation *simulation = NULL;
  check_ok(hn_simulation_create(model, &options, &simulation, NULL));
  hn_run_plan plan = {.time = 12, .accuracy = HN_ACCURACY_ON};
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, NULL, &outcome));
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  hn_verdict verdict = hn_simulation_verdict(simulation, NULL);
  assert_true(a->is_sensitive);
  assert_int_equal(verdict.grade, HN_SENSITIVE);
  // (I3 - I2)(I2 - I1) / (I1 I3) = 1/3
  check_relative(a->growth, 1 / (3 * sqrt(1.0 / 3)), 0.3);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// A pendulum that oscillates for long: the phase drifts, which a smaller tolerance cures.
static void a_drift_is_not_sensitive(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = 1e-5;
  hn_simulation *simulation = NULL;
  check_ok(hn_simulation_create(model, &options, &simulation, NULL));
  hn_run_plan plan = {.time = 100, .accuracy = HN_ACCURACY_ON};
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, NULL, &outcome));
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  assert_true(a->motion > a->promise);
  assert_false(a->is_sensitive);
  assert_true(hn_simulation_verdict(simulation, NULL).grade > HN_SENSITIVE);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// Steps that something else than the tolerance ends: both runs would take the same ones.
static void the_bar_covers_errors_of_limited_steps(void **state) {
  (void)state;
  static const double longest[] = {0.03, 0.01, 0.003};
  static const char *const formulas[] = {"dopri5", "sdirk4-16", "rosenbrock"};
  for (size_t f = 0; f < 3; f++)
    for (size_t k = 0; k < 3; k++) {
      hn_simulation_options options = hn_default_simulation_options();
      options.coordinates = "cartesian";
      options.formula = formulas[f];
      options.tol = 1e-3;
      options.max_step = longest[k];
      double error, estimate;
      hn_grade grade;
      compare_oscillator(&options, 10, 5, &error, &estimate, &grade);
      check_at_most(error, estimate);
      check_at_most(estimate, 5 * error);
    }
}

// A body that flies freely: no step has an error but that of rounding.
static void a_motion_without_errors_has_the_bar_of_rounding(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_body_def def = hn_default_body();
  def.name = "stone";
  def.velocity = (hn_vec3){2, 0, 1};
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_add_body(model, &def, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation *simulation = NULL;
  check_ok(hn_simulation_create(model, NULL, &simulation, NULL));
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &(hn_run_plan){.time = 1}, NULL, &outcome));
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  const hn_accuracy_signal *x = find(a, "body.stone.position.x");
  assert_true(x->absolute > 0 && x->absolute < 1e-13);
  double end;
  check_ok(hn_simulation_value(simulation, "body.stone.position.x", &end));
  check_near(end, 2, x->absolute);
  assert_int_equal(hn_simulation_verdict(simulation, NULL).grade, HN_SOUND);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void a_run_without_an_estimate_says_so(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = NULL;
  check_ok(hn_simulation_create(model, NULL, &simulation, NULL));
  hn_run_plan plan = {.time = 1, .accuracy = HN_ACCURACY_OFF};
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, NULL, &outcome));
  assert_false(hn_simulation_accuracy(simulation)->is_estimated);
  hn_verdict verdict = hn_simulation_verdict(simulation, NULL);
  int is_told = 0;
  for (int k = 0; k < verdict.count; k++)
    is_told += strcmp(verdict.checks[k].subject, "Accuracy") == 0 &&
               strcmp(verdict.checks[k].value, "not estimated") == 0;
  assert_int_equal(is_told, 1);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// A run that continues from another state is compared from there.
static void the_second_run_starts_where_the_first_is(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_simulation *simulation = NULL;
  check_ok(hn_simulation_create(model, NULL, &simulation, NULL));
  check_ok(hn_simulation_advance(simulation, 0.5));
  hn_run_plan plan = {.time = 1};
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, NULL, &outcome));
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  assert_true(a->is_estimated);
  check_near(a->reached, 1, 0);
  check_at_most(a->motion, 0.1);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// ---- what is graded -----------------------------------------------------------------------------

static hn_simulation *run_text(const char *text, double tol, hn_model **model) {
  hn_error error = {0};
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  if (hn_model_load_text(text, strlen(text), "graded.yaml", NULL, model, &error) != HN_OK)
    fail_msg("%s %s", error.element, error.message);
  check_ok(hn_simulation_create(*model, &options, &simulation, &error));
  hn_run_plan plan = {.accuracy = HN_ACCURACY_ON};
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, NULL, &outcome));
  return simulation;
}

// A symmetric top without torques, A = 1 and C = 2 kg m^2, w = (w1, 0, n) at first. With L along
// (A w1, 0, C n) it is turned by (|L| / A) t about L after (1 - C / A) n t about its own axis. A `free`
// joint, which only measures, must not keep its orientation from being graded.
static void the_orientation_of_a_free_body_is_graded(void **state) {
  (void)state;
  static const char text[] =
      "bodies:\n"
      "  top: {mass: 1, inertia: [1, 1, 2], initial: {angular_velocity: [1, 0, 2], fixed: true}}\n"
      "joints: {seen: {type: free, bodies: [ground, top]}}\n"
      "simulation: {time: 100, output_step: 0.5}\n";
  const double length = hypot(1, 4), t = 100;
  const double half[2] = {0.5 * length * t, 0.5 * (1 - 2) * 2 * t}; // angles about L, about z
  const double a[4] = {cos(half[0]), sin(half[0]) / length, 0, sin(half[0]) * 4 / length};
  const double b[4] = {cos(half[1]), 0, 0, sin(half[1])};
  const double exact[4] = {a[0] * b[0] - a[3] * b[3], a[1] * b[0] + a[2] * b[3],
                           a[2] * b[0] - a[1] * b[3], a[3] * b[0] + a[0] * b[3]};
  static const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-9};
  static const char *const names[] = {"w", "x", "y", "z"};
  for (int k = 0; k < 4; k++) {
    hn_model *model = NULL;
    hn_simulation *simulation = run_text(text, tolerances[k], &model);
    const hn_accuracy *accuracy = hn_simulation_accuracy(simulation);
    double p[4], bar[4], dot = 0;
    for (int i = 0; i < 4; i++) {
      char name[64];
      snprintf(name, sizeof name, "body.top.quaternion.%s", names[i]);
      check_ok(hn_simulation_value(simulation, name, &p[i]));
      bar[i] = find(accuracy, name)->absolute;
      dot += p[i] * exact[i];
    }
    for (int i = 0; i < 4; i++)
      check_at_most(fabs(p[i] - (dot < 0 ? -exact[i] : exact[i])), bar[i] + 1e-14);
    const double error = 2 * acos(fmin(fabs(dot), 1));
    if (error > 100 * tolerances[k] * (1 + 3.15))
      assert_true(hn_simulation_verdict(simulation, NULL).grade > HN_LOCKED);
    if (k == 0) assert_true(hn_simulation_verdict(simulation, NULL).grade > HN_LOCKED);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

// Lorenz' equations next to a model that has no errors: the output is unknown after a while.
static void a_chaotic_state_is_not_sound(void **state) {
  (void)state;
  static const char text[] =
      "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {g: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x,\n"
      "             initial: {displacement_rate: 1}}}\n"
      "states:\n"
      "  a: {rate: \"10*(b - a)\", initial: 1}\n"
      "  b: {rate: \"a*(28 - c) - b\", initial: 1}\n"
      "  c: {rate: \"a*b - 8/3*c\", initial: 1}\n"
      "outputs: {convection: state.a}\n"
      "simulation: {time: 40, output_step: 0.05}\n";
  hn_model *model = NULL;
  char reason[512];
  hn_simulation *simulation = run_text(text, 1e-8, &model);
  hn_verdict verdict = hn_simulation_verdict(simulation, NULL);
  assert_int_equal(verdict.grade, HN_SENSITIVE);
  assert_true(hn_verdict_reason(&verdict, 0, reason, sizeof reason));
  check_names(reason, "convection +-");
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// An output is a force that small errors of an angle change much: outputs are judged by themselves.
static void a_force_that_errors_change_is_named(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {rod: {mass: 2, center: [0.5, 0, 0], inertia: [0, 0.1, 0.1]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n"
      "outputs: {load: {value: 1e7*sin(joint.pin.angle), unit: N}}\n"
      "simulation: {time: 5}\n";
  hn_model *model = NULL;
  hn_simulation *simulation = run_text(text, 1e-4, &model);
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  const hn_accuracy_signal *load = find(a, "load");
  check_relative(a->motion, load->absolute / (2 * (1 + load->largest)), 1e-12);
  assert_string_equal(a->motion_signal, "load");
  assert_string_equal(a->motion_unit, "N");
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// 1 kg on a spring of 1 N/m, 3 kg next to it on a spring of 1e8 N/m, free at first: it has 0.375 N
// (cos(t/2) - cos(11547 t)). Implicit steps keep the first part alone, which its error estimate
// must cover.
static void bars_cover_an_oscillation_that_steps_filter(void **state) {
  (void)state;
  static const char text[] =
      "bodies: {one: {mass: 1}, two: {mass: 3, center: [1, 0, 0]}}\n"
      "joints:\n"
      "  g1: {type: translational, bodies: [ground, one], at: [0, 0, 0], axis: x,\n"
      "       initial: {displacement: 0.5}}\n"
      "  g2: {type: translational, bodies: [ground, two], at: [1, 0, 0], axis: x,\n"
      "       initial: {displacement: 0.5}}\n"
      "forces:\n"
      "  soft: {type: joint-spring-damper, joint: g1, stiffness: 1}\n"
      "  hard: {type: spring-damper, bodies: [one, two], points: [[0, 0, 0], [1, 0, 0]],\n"
      "         stiffness: 1e8, free_length: 1%s}\n"
      "outputs: {f: force.hard.value}\n"
      "simulation: {time: 20, output_step: 0.1}\n";
  static const char *const dampings[] = {"", ", damping: 5e3"};
  for (int k = 0; k < 2; k++) {
    char model_text[1200];
    snprintf(model_text, sizeof model_text, text, dampings[k]);
    hn_model *model = NULL;
    hn_simulation *simulation = run_text(model_text, 1e-4, &model);
    const hn_accuracy *a = hn_simulation_accuracy(simulation);
    const hn_accuracy_signal *f = find(a, "f");
    if (k == 0) {
      check_at_most(0.375, f->absolute);
      check_at_most(0.375, f->last);
      check_names(a->how, "'hard'");
    } else { // it has died down before the first row
      check_at_most(f->absolute, 0.05);
      assert_false(hn_has_names(a->how, "'hard'"));
    }
    check_at_most(f->absolute, 1.5);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

// A mode is orthogonal to others by masses: with 3 kg on the soft spring and 0.3 kg next to it, the
// oscillation has an amplitude of 0.0909 N about its middle, and the estimate is twice that.
static void bars_cover_a_mode_of_unequal_masses(void **state) {
  (void)state;
  static const char text[] =
      "bodies: {one: {mass: 3}, two: {mass: 0.3, center: [1, 0, 0]}}\n"
      "joints:\n"
      "  g1: {type: translational, bodies: [ground, one], at: [0, 0, 0], axis: x,\n"
      "       initial: {displacement: 1}}\n"
      "  g2: {type: translational, bodies: [ground, two], at: [1, 0, 0], axis: x,\n"
      "       initial: {displacement: 1}}\n"
      "forces:\n"
      "  soft: {type: joint-spring-damper, joint: g1, stiffness: 1}\n"
      "  hard: {type: spring-damper, bodies: [one, two], points: [[0, 0, 0], [1, 0, 0]],\n"
      "         stiffness: 1e8, free_length: 1}\n"
      "outputs: {f: force.hard.value}\n"
      "simulation: {time: 20, output_step: 0.1}\n";
  const double middle = 0.3 / 3.3; // N: fraction of the soft spring's 1 N that moves `two`
  hn_model *model = NULL;
  hn_simulation *simulation = run_text(text, 1e-4, &model);
  const hn_accuracy_signal *f = find(hn_simulation_accuracy(simulation), "f");
  check_at_most(1.8 * middle, f->absolute);
  check_at_most(f->absolute, 4 * middle);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// A controller with a state: the second run of one simulation starts with it.
static void a_second_run_has_the_bars_of_the_first(void **state) {
  (void)state;
  static const char text[] =
      "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {g: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x,\n"
      "             initial: {displacement: 1}}}\n"
      "states:\n"
      "  i: {rate: joint.g.displacement, initial: 2}\n"
      "  s: {value: joint.g.displacement, every: 0.05}\n"
      "  late: {delay: 0.1, of: joint.g.displacement}\n"
      "forces:\n"
      "  f: {type: point-force, body: m,\n"
      "      force: [\"-5*joint.g.displacement - 3*joint.g.displacement_rate\n"
      "               - state.i - 0.5*state.s - 0.2*state.late\", 0, 0]}\n"
      "simulation: {time: 2}\n";
  hn_model *model = NULL;
  hn_simulation *simulation = run_text(text, 1e-7, &model);
  const double first = hn_simulation_accuracy(simulation)->motion;
  hn_run_plan plan = {.time = 4, .accuracy = HN_ACCURACY_ON};
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, NULL, &outcome));
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  assert_true(a->is_estimated);
  check_at_most(a->motion, 10 * first);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void no_memory_for_a_second_run_is_no_failure(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  for (long extra = 1; extra < 40; extra++) {
    hn_counting_memory memory = {0};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    options.allocator = &allocator;
    hn_simulation *simulation = NULL;
    check_ok(hn_simulation_create(model, &options, &simulation, NULL));
    memory.fail_at = memory.calls + extra;
    hn_run_plan plan = {.time = 0.1};
    hn_run_outcome outcome;
    hn_status status = hn_run(simulation, &plan, NULL, &outcome);
    assert_true(status == HN_OK || status == HN_ERROR_MEMORY);
    hn_simulation_free(simulation);
    assert_int_equal(memory.living, 0);
  }
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_bar_covers_the_error_of_an_oscillator),
      cmocka_unit_test(the_bar_covers_the_error_of_fixed_steps),
      cmocka_unit_test(a_motion_below_its_error_is_not_sound),
      cmocka_unit_test(a_step_beyond_the_period_is_unsound),
      cmocka_unit_test(an_unstable_motion_is_sensitive),
      cmocka_unit_test(a_drift_is_not_sensitive),
      cmocka_unit_test(the_bar_covers_errors_of_limited_steps),
      cmocka_unit_test(a_motion_without_errors_has_the_bar_of_rounding),
      cmocka_unit_test(a_run_without_an_estimate_says_so),
      cmocka_unit_test(the_second_run_starts_where_the_first_is),
      cmocka_unit_test(the_orientation_of_a_free_body_is_graded),
      cmocka_unit_test(a_chaotic_state_is_not_sound),
      cmocka_unit_test(a_force_that_errors_change_is_named),
      cmocka_unit_test(bars_cover_an_oscillation_that_steps_filter),
      cmocka_unit_test(bars_cover_a_mode_of_unequal_masses),
      cmocka_unit_test(a_second_run_has_the_bars_of_the_first),
      cmocka_unit_test(no_memory_for_a_second_run_is_no_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
