// Tyres as forces of a model: slips and forces at known states, derivatives audited on every road,
// energy.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/simulation.h"
#include "holon/holon.h"
#include "support/check.h"

static hn_simulation *start(const char *text, const char *coordinates, hn_model **model) {
  hn_error error = {0};
  char all[2600];
  if (hn_model_load_text(text, strlen(text), "models/test.yaml", NULL, model, &error)) {
    hn_error_format(&error, all, sizeof all);
    fail_msg("%s", all);
  }
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.tol = 1e-9;
  if (hn_simulation_create(*model, &options, &s, &error) != HN_OK) {
    hn_error_format(&error, all, sizeof all);
    fail_msg("%s", all);
  }
  return s;
}

static double signal_of(hn_simulation *s, const char *name) {
  int index = hn_simulation_find_signal(s, name);
  if (index < 0) fail_msg("no signal %s", name);
  return hn_simulation_signal(s, index);
}

// A wheel in the air or on the road, moving freely.
static const char *wheel(char *text, size_t size, const char *tyre, const char *road,
                         const char *start_state) {
  snprintf(text, size,
           "gravity: [0, 0, -9.81]\n"
           "roads: {road: %s}\n"
           "bodies:\n"
           "  wheel: {mass: 400, inertia: [1, 2, 1], %s}\n"
           "forces: {tyre: {type: tyre, body: wheel, model: tyres/%s, road: road}}\n",
           road, start_state, tyre);
  return text;
}

static const char *const tyres[] = {"car_205_60R15.tir", "car-fiala.tir", "car-brush.tir",
                                    "car-tmeasy.tir", "hmmwv-pac89.tir"};
static const char *const roads[] = {
    "{type: flat, height: 0.01}",
    "{type: flat, friction: 0.6, patches: [{x: [-1, 3], y: [-0.3, 0], friction: 0.3}]}",
    "{type: cosine-bump, start: -0.9, length: 2, height: 0.05}",
    "{type: table, points: [[-2, 0], [-0.5, 0.02], [0.3, 0.05], [1.5, 0.01], [3, 0]]}",
    "{type: polyline, points: [[-2, 0], [-0.5, 0.02], [0.4, 0.07], [1.5, 0.01]], speed: 2}",
    "{type: plane, slope: 0.1, bank: -0.05, height: 0.03}",
};

static void derivatives_are_exact_on_every_road(void **state) {
  (void)state;
  char text[1200];
  for (int k = 0; k < 5; k++)
    for (size_t r = 0; r < sizeof roads / sizeof roads[0]; r++) {
      hn_model *model;
      wheel(text, sizeof text, tyres[k], roads[r],
            k == 4
                ? "position: [0.2, 0, 0.46], initial: {velocity: [15, -0.6, -0.1], "
                  "angular_velocity: [0.2, 33, 0.3], orientation: {xyz: [-3 deg, 20 deg, 5 deg]}}"
                : "position: [0.2, 0, 0.31], initial: {velocity: [15, 0.9, -0.1], "
                  "angular_velocity: [0.2, 52, 0.3], orientation: {xyz: [4 deg, 20 deg, 2 deg]}}");
      hn_simulation *s = start(text, r % 2 ? "cartesian" : "natural", &model);
      assert_true(signal_of(s, "force.tyre.fz") > 100);
      assert_true(fabs(signal_of(s, "force.tyre.fy")) > 30);
      hn_audit_finding found[4];
      long checked = 0;
      int wrong = hn_simulation_audit(s, found, 4, &checked);
      if (wrong)
        fail_msg("%s on %s: %s %s %g, %g by differences", tyres[k], roads[r], found[0].element,
                 found[0].what, found[0].exact, found[0].difference);
      assert_true(checked > 100);
      hn_simulation_free(s);
      hn_model_free(model);
    }
}

// A wheel that stands, its mark turned away from the road by up to 70 degrees in one step.
static void derivatives_are_exact_where_the_mark_is_far(void **state) {
  (void)state;
  char text[1200];
  hn_model *model;
  wheel(text, sizeof text, tyres[0], roads[0], "position: [0.2, 0, 0.31]");
  hn_simulation *s = start(text, "cartesian", &model);
  double *anchor = &s->branches.turns[s->elements->force_anchor[0]];
  const double r = hypot(anchor[3], anchor[5]); // the mark, of the center
  static const double angles[] = {0, 20, 29, 31, 40, -40, 70};
  for (size_t k = 0; k < sizeof angles / sizeof angles[0]; k++) {
    const double phi = angles[k] * acos(-1) / 180;
    anchor[3] = r * sin(phi);
    anchor[5] = -r * cos(phi);
    anchor[0] = 0.2 + r * phi - 0.002; // the tread is rolled off
    anchor[1] = 0.001;
    anchor[2] = 0.31 + anchor[5];
    hn_audit_finding found[4];
    long checked = 0;
    if (hn_simulation_audit(s, found, 4, &checked))
      fail_msg("%g deg: %s %s %g, %g by differences", angles[k], found[0].element, found[0].what,
               found[0].exact, found[0].difference);
    assert_true(checked > 100);
  }
  hn_simulation_free(s);
  hn_model_free(model);
}

// A wheel that leans and slips: what the property file says at these slips, along axes worked out
// by hand.
static void signals_are_those_of_the_file(void **state) {
  (void)state;
  char text[1200];
  hn_model *model;
  double lean = 0.05, vx = 20, vy = 0.8, spin = 66, z = 0.29;
  wheel(text, sizeof text, "car_205_60R15.tir", "{type: flat}",
        "position: [0, 0, 0.29], initial: {velocity: [20, 0.8, 0], "
        "angular_velocity: [0, 65.91751717, 3.298624923], orientation: {axis: x, angle: 0.05}}");
  hn_simulation *s = start(text, "cartesian", &model);
  hn_error error;
  hn_tyre *tyre;
  check_ok(hn_tyre_load("models/tyres/car_205_60R15.tir", &tyre, &error));
  double loaded = z / cos(lean), load = 200000 * (0.313 - loaded);
  check_relative(signal_of(s, "force.tyre.fz"), load, 1e-9);
  check_near(signal_of(s, "force.tyre.camber"), lean, 1e-9);
  double re = hn_tyre_measure(tyre, 0, load).r_effective;
  hn_tyre_slip slip = {(spin * re - vx) / vx, atan(vy / vx), lean, load, vx, 1};
  hn_tyre_forces f;
  hn_tyre_evaluate(tyre, &slip, &f, NULL);
  check_relative(signal_of(s, "force.tyre.slip"), slip.kappa, 1e-6);
  check_relative(signal_of(s, "force.tyre.angle"), slip.alpha, 1e-6);
  check_relative(signal_of(s, "force.tyre.fx"), f.fx, 1e-5);
  check_relative(signal_of(s, "force.tyre.fy"), f.fy, 1e-6);
  check_relative(signal_of(s, "force.tyre.mz"), f.mz, 1e-5);
  check_near(signal_of(s, "force.tyre.contact.z"), 0, 1e-12);
  // the top leans to the right: the contact point lies left of the center
  check_near(signal_of(s, "force.tyre.contact.y"), z * tan(lean), 1e-12);
  hn_tyre_free(tyre);
  hn_simulation_free(s);
  hn_model_free(model);
}

// A wheel that was thrown comes to roll: work of the tyre is accounted for.
static void energy_is_accounted_for(void **state) {
  (void)state;
  char text[1200];
  for (int k = 0; k < 5; k++) {
    hn_model *model;
    wheel(text, sizeof text, tyres[k], "{type: flat}",
          k == 4 ? "position: [0, 0, 0.466], initial: {velocity: [10, 0.5, 0], fixed: true}"
                 : "position: [0, 0, 0.30], initial: {velocity: [10, 0.5, 0], fixed: true}");
    hn_simulation *s = start(text, "cartesian", &model);
    double before = signal_of(s, "energy.total");
    check_ok(hn_simulation_advance(s, 0.3));
    assert_true(fabs(signal_of(s, "body.wheel.angular_velocity.y")) > 5);
    assert_true(signal_of(s, "energy.total") < before - 50);
    check_near(signal_of(s, "energy.balance"), 0, 1e-3);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact_on_every_road),
      cmocka_unit_test(derivatives_are_exact_where_the_mark_is_far),
      cmocka_unit_test(signals_are_those_of_the_file),
      cmocka_unit_test(energy_is_accounted_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
