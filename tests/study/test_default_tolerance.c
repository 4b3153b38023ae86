// The default tolerance: simple models are sound, within errors that exact or independent solutions
// confirm, and the promise is HN_ACCURACY_PROMISE_DEFAULT.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/load.h"
#include "holon/run.h"
#include "support/check.h"

#define G 9.80665

static hn_simulation *run_text(const char *text, double tol, hn_model **model) {
  hn_error error = {0};
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  if (hn_model_load_text(text, strlen(text), "default.yaml", NULL, model, &error) != HN_OK)
    fail_msg("%s %s", error.element, error.message);
  check_ok(hn_simulation_create(*model, &options, &simulation, &error));
  hn_run_plan plan = {.accuracy = HN_ACCURACY_ON};
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, NULL, &outcome));
  return simulation;
}

static double value_of(hn_simulation *s, const char *name) {
  double value = NAN;
  check_ok(hn_simulation_value(s, name, &value));
  return value;
}

static double bar_of(hn_simulation *s, const char *name) {
  const hn_accuracy *a = hn_simulation_accuracy(s);
  for (int k = 0; k < a->signal_count; k++)
    if (strcmp(a->signals[k].name, name) == 0) return a->signals[k].absolute;
  fail_msg("no accuracy of %s", name);
  return NAN;
}

// ---- a chain of ten rods --------------------------------------------------------------------------

enum { RODS = 10 };
#define LENGTH 0.2
#define MASS 0.5
#define INERTIA (MASS * LENGTH * LENGTH / 12)
#define TILT 0.8
#define CHAIN_TIME 2.0

// Rods after rod k, and what of rod k itself counts.
static double rods_after(int k, double itself) { return RODS - 1 - k + itself; }

// Angles a from the vertical, in absolute coordinates: sum_j M_ij a_j'' = -sum_j S_ij a_j'^2 - g_i,
// M_ij = C_ij cos(a_i - a_j), S_ij = C_ij sin(a_i - a_j); solved by elimination.
static void chain_rates(const double *y, double *rate) {
  double m[RODS][RODS], b[RODS];
  for (int i = 0; i < RODS; i++) {
    b[i] = -MASS * G * LENGTH * rods_after(i, 0.5) * sin(y[i]);
    for (int j = 0; j < RODS; j++) {
      const double c = MASS * LENGTH * LENGTH * rods_after(i > j ? i : j, i == j ? 0.25 : 0.5);
      m[i][j] = c * cos(y[i] - y[j]) + (i == j ? INERTIA : 0);
      b[i] -= c * sin(y[i] - y[j]) * y[RODS + j] * y[RODS + j];
    }
  }
  for (int k = 0; k < RODS; k++) // positive definite: no pivoting
    for (int i = k + 1; i < RODS; i++) {
      const double f = m[i][k] / m[k][k];
      for (int j = k; j < RODS; j++) m[i][j] -= f * m[k][j];
      b[i] -= f * b[k];
    }
  for (int k = RODS - 1; k >= 0; k--) {
    for (int j = k + 1; j < RODS; j++) b[k] -= m[k][j] * rate[RODS + j];
    rate[RODS + k] = b[k] / m[k][k];
    rate[k] = y[RODS + k];
  }
}

// Classical Runge-Kutta steps.
static void integrate_chain(double *y, double time, int steps) {
  const double h = time / steps;
  double k[4][2 * RODS], z[2 * RODS];
  for (int s = 0; s < steps; s++) {
    for (int stage = 0; stage < 4; stage++) {
      const double ahead = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h;
      for (int i = 0; i < 2 * RODS; i++) z[i] = y[i] + (stage ? ahead * k[stage - 1][i] : 0);
      chain_rates(z, k[stage]);
    }
    for (int i = 0; i < 2 * RODS; i++)
      y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static void write_chain(char *text, size_t size) {
  size_t at = (size_t)snprintf(text, size, "bodies:\n");
  for (int k = 0; k < RODS; k++)
    at += (size_t)snprintf(
        text + at, size - at,
        "  rod%d: {mass: %.17g, center: [0, 0, %.17g], inertia: [%.17g, %.17g, 1e-5]}\n", k, MASS,
        -(k + 0.5) * LENGTH, INERTIA, INERTIA);
  at += (size_t)snprintf(text + at, size - at, "joints:\n");
  for (int k = 0; k < RODS; k++) {
    char before[16] = "ground";
    if (k > 0) snprintf(before, sizeof before, "rod%d", k - 1);
    at += (size_t)snprintf(
        text + at, size - at,
        "  pin%d: {type: revolute, bodies: [%s, rod%d], at: [0, 0, %.17g], axis: y", k, before, k,
        -k * LENGTH);
    at +=
        (size_t)snprintf(text + at, size - at, k == 0 ? ", initial: {angle: %g}}\n" : "}\n", TILT);
  }
  snprintf(text + at, size - at,
           "gravity: [0, 0, %.17g]\nsimulation: {time: %g, output_step: 0.02}\n", -G, CHAIN_TIME);
}

// The chain falls from a straight line. A rod's angle from the vertical is the sum of joint angles.
static void a_hanging_chain_is_sound(void **state) {
  (void)state;
  char text[4000];
  write_chain(text, sizeof text);
  double y[2 * RODS] = {0}, coarse[2 * RODS] = {0};
  for (int k = 0; k < RODS; k++) y[k] = coarse[k] = TILT;
  integrate_chain(y, CHAIN_TIME, 20000);
  integrate_chain(coarse, CHAIN_TIME, 10000);
  hn_model *model = NULL;
  hn_simulation *s = run_text(text, 0, &model);
  double x = 0, z = 0, gap = 0;
  for (int k = 0; k < RODS; k++) {
    char name[64];
    check_at_most(fabs(y[k] - coarse[k]), 1e-8);
    snprintf(name, sizeof name, "body.rod%d.position.x", k);
    gap = fabs(value_of(s, name) - (x - 0.5 * LENGTH * sin(y[k])));
    check_at_most(gap, bar_of(s, name) + 1e-8);
    check_at_most(gap, HN_ACCURACY_PROMISE_DEFAULT);
    snprintf(name, sizeof name, "body.rod%d.position.z", k);
    gap = fabs(value_of(s, name) - (z - 0.5 * LENGTH * cos(y[k])));
    check_at_most(gap, bar_of(s, name) + 1e-8);
    check_at_most(gap, HN_ACCURACY_PROMISE_DEFAULT);
    x -= LENGTH * sin(y[k]), z -= LENGTH * cos(y[k]);
  }
  assert_int_equal(hn_simulation_verdict(s, NULL).grade, HN_SOUND);
  hn_simulation_free(s);
  hn_model_free(model);
}

// ---- a swinging arm -------------------------------------------------------------------------------

// The arithmetic-geometric mean of 1 and cos(amplitude / 2) divides the period of small
// oscillations.
static double pendulum_period(double length, double amplitude) {
  double a = 1, b = cos(0.5 * amplitude);
  for (int k = 0; k < 8; k++) {
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 2 * 3.14159265358979323846 * sqrt(length / G) / a;
}

// A slender arm released at 1.5 rad: after ten periods it is where it began. The reduced length of a
// rod that turns about its end is 2/3 of it.
static void a_swinging_arm_is_sound(void **state) {
  (void)state;
  const double amplitude = 1.5, period = pendulum_period(2. / 3, amplitude);
  char text[1000];
  snprintf(text, sizeof text,
           "bodies: {arm: {mass: 3, center: [0, 0, -0.5], inertia: [0.25, 0.25, 0.001]}}\n"
           "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: y, initial: "
           "{angle: %g}}}\n"
           "gravity: [0, 0, %.17g]\noutputs: {angle: joint.pin.angle}\n"
           "simulation: {time: %.17g, output_step: 0.05}\n",
           amplitude, -G, 10 * period);
  hn_model *model = NULL;
  hn_simulation *s = run_text(text, 0, &model);
  const hn_accuracy *a = hn_simulation_accuracy(s);
  const double error = fabs(value_of(s, "angle") - amplitude);
  check_at_most(error, bar_of(s, "angle"));
  check_at_most(error, HN_ACCURACY_PROMISE_DEFAULT);
  check_near(a->promise, HN_ACCURACY_PROMISE_DEFAULT, 0);
  assert_int_equal(hn_simulation_verdict(s, NULL).grade, HN_SOUND);
  hn_simulation_free(s);
  hn_model_free(model);
}

// ---- who gives a tolerance ------------------------------------------------------------------------

static void check_promise(const char *simulation, double tol, double used, double promise) {
  char text[1000];
  snprintf(text, sizeof text,
           "bodies: {arm: {mass: 3, center: [0, 0, -0.5], inertia: [0.25, 0.25, 0.001]}}\n"
           "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: x}}\n"
           "simulation: {time: 0.1%s}\n",
           simulation);
  hn_model *model = NULL;
  hn_simulation *s = run_text(text, tol, &model);
  check_near(hn_simulation_options_used(s)->atol, used, 0);
  check_near(hn_simulation_accuracy(s)->promise, promise, 0);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void a_tolerance_that_is_given_sets_the_promise(void **state) {
  (void)state;
  check_promise("", 0, 1e-6, HN_ACCURACY_PROMISE_DEFAULT);
  check_promise("", 1e-6, 1e-6, HN_ACCURACY_PROMISE * 1e-6);
  check_promise(", tol: 1e-5", 0, 1e-5, HN_ACCURACY_PROMISE * 1e-5);
  check_promise(", rtol: 1e-5", 0, 1e-5, HN_ACCURACY_PROMISE * 1e-5);
  check_promise(", step: 0.01", 0, 1e-4, HN_ACCURACY_PROMISE_STEP);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hanging_chain_is_sound),
      cmocka_unit_test(a_swinging_arm_is_sound),
      cmocka_unit_test(a_tolerance_that_is_given_sets_the_promise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
