// A slider-crank with dry friction at its slider turns through its dead centers, where the slider stops
// and no force at it moves the crank. References: SciPy DOP853 in the crank's angle (rtol 1e-11), split
// at the dead centers and where the crank turns back.
#include <stdio.h>

#include "analysis/simulation.h"
#include "holon/load.h"
#include "support/check.h"
#include "support/machines.h"

typedef struct reference {
  double gravity[2], friction, speed; // m/s^2, N, rad/s of the crank, clockwise
  double angle[3];                    // rad, at 2, 4 and 6 s
} reference;

static const reference CASES[] = {
    {{0, -9.81}, 0.5, 3, {-7.747142826, -14.41027902, -18.5760801}},
    {{3, -9.81}, 2, 8, {-16.03662455, -26.72199889, -27.03698324}},
    {{0, 0}, 5, 20, {-36.40544452, -61.84359641, -76.25547223}},
};

static hn_simulation *open_crank(const reference *r, double tol, hn_model **model) {
  static const char text[] =
      "gravity: [%g, %g, 0]\n"
      "bodies:\n"
      "  crank: {mass: 1, center: [0, 0.05, 0], inertia: [0.1, 0.1, 0.1],\n"
      "          initial: {angular_velocity: [0, 0, %g]}}\n"
      "  rod: {mass: 0.5, center: [0.2, 0.05, 0], inertia: [0.01, 0.01, 0.01]}\n"
      "  slider: {mass: 2, center: [0.4, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
      "joints:\n"
      "  c: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: z}\n"
      "  k: {type: revolute, bodies: [crank, rod], at: [0, 0.1, 0], axis: z}\n"
      "  w: {type: revolute, bodies: [rod, slider], at: [0.4, 0, 0], axis: z}\n"
      "  s: {type: translational, bodies: [ground, slider], at: [0.4, 0, 0], axis: x}\n"
      "forces: {rub: {type: joint-friction, joint: s, force: %g}}\n"
      "outputs: {a: joint.c.angle}\n";
  char filled[2048];
  hn_error error = {0};
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  snprintf(filled, sizeof filled, text, r->gravity[0], r->gravity[1], -r->speed, r->friction);
  check_ok(hn_model_load_text(filled, strlen(filled), "crank.yaml", NULL, model, &error));
  check_ok(hn_simulation_create(*model, &options, &s, &error));
  return s;
}

static void a_slider_crank_passes_its_dead_centers(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++)
    for (double tol = 1e-4; tol > 0.9e-8; tol /= 10) {
      hn_model *model = NULL;
      hn_simulation *s = open_crank(&CASES[k], tol, &model);
      for (int i = 0; i < 3; i++) {
        double angle;
        check_ok(hn_simulation_advance(s, 2 * (i + 1)));
        check_ok(hn_simulation_value(s, "a", &angle));
        check_near(angle, CASES[k].angle[i], 100 * tol);
      }
      const hn_certificate c = hn_simulation_certificate(s);
      assert_true(c.steps_accepted < 20000);
      hn_simulation_free(s);
      hn_model_free(model);
    }
}

// Motions that have died down to denormal numbers, which have few digits, contradict nothing.
static void accelerations_near_zero_contradict_nothing(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, -%g, 0]\n"
      "bodies:\n"
      "  crank: {mass: 1, center: [0, 0.5, 0], inertia: [0.01, 0.01, 0.01]}\n"
      "  coupler: {mass: 1, center: [1.1, 1.15, 0], inertia: [0.01, 0.13, 0.17]}\n"
      "  rocker: {mass: 1, center: [2.1, 0.65, 0], inertia: [0.01, 0.01, 0.01]}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: z}\n"
      "  B: {type: revolute, bodies: [crank, coupler], at: [0, 1, 0], axis: z}\n"
      "  C: {type: revolute, bodies: [coupler, rocker], at: [2.2, 1.3, 0], axis: z}\n"
      "  D: {type: revolute, bodies: [ground, rocker], at: [2, 0, 0], axis: z}\n";
  const double gravity[] = {1e-317, 3e-320, 1.7e-321, 5e-322};
  for (int k = 0; k < 4; k++) {
    char filled[2048];
    hn_model *model = NULL;
    hn_simulation *s = NULL;
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    snprintf(filled, sizeof filled, text, gravity[k]);
    check_ok(hn_model_load_text(filled, strlen(filled), "four-bar.yaml", NULL, &model, NULL));
    check_ok(hn_simulation_create(model, &options, &s, NULL));
    check_ok(hn_simulation_advance(s, 1));
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

// Two parallel joints whose rows nothing loads: their accelerations are rounding before and after an
// impact, with gravity along the joints and without, and with velocities that are perturbed.
static void unloaded_redundant_rows_contradict_nothing(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, 0, %g]\n"
      "bodies:\n"
      "  b: {mass: 2, inertia: [1, 1, 1]}\n"
      "joints:\n"
      "  p: {type: translational, bodies: [ground, b], at: [-0.2, 0, 0],\n"
      "      axis: z, initial: {displacement_rate: -1}}\n"
      "  q: {type: translational, bodies: [ground, b], at: [0.2, 0, 0],\n"
      "      axis: z}\n"
      "forces: {s: {type: joint-stop, joint: p, lower: -1, restitution: 0.5}}\n";
  for (int k = 0; k < 4; k++) {
    char filled[1024];
    hn_model *model = NULL;
    hn_simulation *s = NULL;
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    if (k == 2) options.formula = "sdirk4-16";
    if (k == 3) {
      options.method = "time-stepping";
      options.step = 1e-3;
    }
    snprintf(filled, sizeof filled, text, k == 0 ? 0 : -9.81);
    check_ok(hn_model_load_text(filled, strlen(filled), "guides.yaml", NULL, &model, NULL));
    check_ok(hn_simulation_create(model, &options, &s, NULL));
    check_ok(hn_simulation_advance(s, 1.5));
    double speed = 0;
    check_ok(hn_simulation_value(s, "body.b.velocity.z", &speed));
    if (k == 0) assert_true(fabs(speed - 0.5) < 1e-9); // 0.5 of the speed of 1
    assert_true(isfinite(speed));
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unloaded_redundant_rows_contradict_nothing),
      cmocka_unit_test(a_slider_crank_passes_its_dead_centers),
      cmocka_unit_test(accelerations_near_zero_contradict_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
