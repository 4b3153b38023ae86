// Compliant contacts that are entered and left within one step, against closed forms: a ball thrown up
// grazes a soft ceiling, m x'' = -m g - k (x - x1) above x1, and falls back.
#include <math.h>
#include <stdio.h>

#include "holon/load.h"
#include "holon/simulation.h"
#include "support/check.h"

#define G 9.81
#define RADIUS 0.1

static const char text[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}, at: [0, 0, %.17g], orientation: {axis: x, angle: pi}}}\n"
    "  m: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 0.1}, initial: {velocity: [0.5, 0, "
    "%.17g]}}\n"
    "contacts: {c: {bodies: [m, ground], law: linear, stiffness: %.17g, damping: 0}}\n"
    "simulation: {time: 1}\n";

// Height and speed of the ball at t, long after it left the ceiling x1 again.
static void solve(double v0, double x1, double k, double t, double *x, double *v) {
  const double square = v0 * v0 - 2 * G * x1, w = sqrt(k);
  if (square <= 0) {
    *x = v0 * t - 0.5 * G * t * t;
    *v = v0 - G * t;
    return;
  }
  const double in = sqrt(square);
  const double rest = t - (v0 - in) / G - 2 * atan(in * w / G) / w;
  *x = x1 - in * rest - 0.5 * G * rest * rest;
  *v = -in - G * rest;
}

static void check_flight(double v0, double depth, double k, double tol) {
  const double apex = 0.5 * v0 * v0 / G, x1 = apex - depth, end = 1.8 * v0 / G;
  char yaml[1024];
  const int size = snprintf(yaml, sizeof yaml, text, x1 + RADIUS, v0, k);
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_load_options load = hn_default_load_options();
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  check_ok(hn_model_load_text(yaml, (size_t)size, "graze.yaml", &load, &model, &error));
  check_ok(hn_simulation_create(model, &options, &s, &error));
  check_ok(hn_simulation_advance(s, end));
  double x, v, at, speed;
  solve(v0, x1, k, end, &x, &v);
  check_ok(hn_simulation_value(s, "body.m.position.z", &at));
  check_ok(hn_simulation_value(s, "body.m.velocity.z", &speed));
  check_near(at, x, 10 * tol);
  check_near(speed, v, 50 * tol);
  if (depth < 0) assert_int_equal(hn_simulation_certificate(s).events, 0);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void soft_ceilings_are_grazed(void **state) {
  (void)state;
  const double tols[] = {1e-4, 1e-6, 1e-8};
  for (int k = 0; k < 3; k++) {
    check_flight(6.48757667, 7e-5, 1.0e4, tols[k]);
    check_flight(3, 1e-3, 1e6, tols[k]);
    check_flight(8, 1e-7, 1e5, tols[k]);
    check_flight(5, -1e-6, 1e6, tols[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(soft_ceilings_are_grazed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
