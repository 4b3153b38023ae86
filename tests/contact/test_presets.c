// The papers' methods with conditional constraints: a rigid stop that is hit again and again, dry
// friction that sticks, balls that slide, turn and roll. Runs with fixed steps, cut at located
// events, have the order of their formula against an explicit run at a tight tolerance. Runs in
// real time, where modes change at ends of steps, have the first.
#include <stdio.h>

#include "contact/contact_machine.h"
#include "holon/load.h"
#include "holon/realtime.h"

#define STEP 1e-3
#define ENOUGH 1e-3 // at STEP
#define EXACT 1e-12 // tolerance of the reference
// Tolerance of iterations: at the default of fixed steps they end at errors above those of the steps.
#define ITERATED 1e-10
#define LEFT (0.1 * ITERATED)      // what iterations leave of results
enum { HALVINGS = 2, PHASES = 4 }; // of steps, down to STEP

// Orders of the formulas (docs/explanation/methods): 2 of the trapezoidal rule, 3 of sdirk2.
static const struct {
  const char *preset;
  int order;
} orders[] = {{"SspTrap", 2},   {"InflTrap", 2},  {"InflSDIRK", 4}, {"ForSDIRK", 4},
              {"ForRosen", 4},  {"GLB+TR", 2},    {"HYB+TR", 2},    {"TPL+TR", 2},
              {"GLB+SDIRK", 3}, {"HYB+SDIRK", 3}, {"TPL+SDIRK", 3}};
enum { ORDERS = sizeof orders / sizeof *orders };

static const struct {
  const char *title, *text, *output;
  double end;
} models[] = {
    {"stop",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {arm: {mass: 2, center: [0.5, 0, 0], inertia: [0.02, 0.05, 0.05]}}\n"
     "joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: -y}}\n"
     "forces: {stop: {type: joint-stop, joint: pin, lower: -0.5, restitution: 0.6}}\n"
     "outputs: {x: joint.pin.angle}\n",
     "x", 0.8},
    {"friction",
     "bodies: {cart: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
     "joints: {rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}}\n"
     "forces:\n"
     "  push: {type: point-force, body: cart, at: [0, 0, 0], force: ['4*sin(6*time)', 0, 0]}\n"
     "  rub: {type: joint-friction, joint: rail, force: 1.5, static_force: 2}\n"
     "outputs: {x: joint.rail.displacement}\n",
     "x", 2},
    {"ball",
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  ground: {shape: {plane: {}}}\n"
     "  ball: {mass: 1, position: [0, 0, 0.1], inertia: [4e-3, 4e-3, 4e-3], shape: {sphere: 0.1},\n"
     "         initial: {velocity: [2, 0.3, 0]}}\n"
     "contacts: {floor: {bodies: [ground, ball], friction: 0.2}}\n"
     "outputs: {x: body.ball.position.x}\n",
     "x", 0.6},
    // friction depends on the position by the spring's pressure, and turns with the slip
    {"turning ball",
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  ground: {shape: {plane: {}}}\n"
     "  ball: {mass: 1, position: [0, 0, 0.1], inertia: [4e-3, 4e-3, 4e-3], shape: {sphere: 0.1},\n"
     "         initial: {velocity: [2, 0.3, 0], angular_velocity: [20, 5, 3]}}\n"
     "forces: {spring: {type: spring-damper, bodies: [ball, ground],\n"
     "                  points: [[0, 0.02, 0.13], [0.5, 0.3, -1]], stiffness: 20}}\n"
     "contacts: {floor: {bodies: [ground, ball], friction: 0.2}}\n"
     "outputs: {x: body.ball.position.x}\n",
     "x", 0.2},
    {"rolling ball",
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  ground: {shape: {plane: {}}}\n"
     "  ball: {mass: 1, position: [0, 0, 0.1], inertia: [4e-2, 4e-2, 4e-2], shape: {sphere: 0.1}}\n"
     "  bob: {mass: 1, position: [0.5, 0, 0.4], inertia: [4e-3, 4e-3, 4e-3]}\n"
     "joints: {pin: {type: revolute, bodies: [ball, bob], at: [0, 0, 0.1], axis: y}}\n"
     "forces: {spring: {type: spring-damper, bodies: [bob, ground],\n"
     "                  points: [[0.5, 0, 0.4], [0.2, 0, 0.9]], stiffness: 30}}\n"
     "contacts: {floor: {bodies: [ground, ball], law: rolling}}\n"
     "outputs: {x: body.ball.position.x}\n",
     "x", 0.5},
};
enum { MODELS = sizeof models / sizeof *models };

static hn_model *model_of(int k) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load_text(models[k].text, strlen(models[k].text), "test.yaml", NULL, &model, &error))
    fail_msg("%s: %s", models[k].title, error.message);
  return model;
}

// Output at the end; nan if the run was rejected.
static double run(int k, const hn_simulation_options *options, const char *what) {
  hn_model *model = model_of(k);
  hn_simulation *s = NULL;
  hn_error error = {0};
  double x = NAN;
  if (hn_simulation_create(model, options, &s, &error))
    fail_msg("%s %s: %s", what, models[k].title, error.message);
  if (hn_simulation_advance(s, models[k].end))
    fail_msg("%s %s: %s", what, models[k].title, hn_simulation_error(s)->message);
  check_ok(hn_simulation_value(s, models[k].output, &x));
  hn_simulation_free(s);
  hn_model_free(model);
  return x;
}

static double run_in_real_time(int k, const char *preset, double step) {
  hn_model *model = model_of(k);
  hn_realtime *r = NULL;
  hn_error error = {0};
  hn_realtime_options options = hn_default_realtime_options();
  options.simulation.preset = preset;
  options.simulation.step = step;
  options.simulation.tol = ITERATED;
  double x = NAN;
  if (hn_realtime_create(model, &options, &r, &error))
    fail_msg("%s %s in real time: %s", preset, models[k].title, error.message);
  while (hn_realtime_time(r) < models[k].end - 0.5 * step)
    if (hn_realtime_step(r, NULL))
      fail_msg("%s %s in real time: %s", preset, models[k].title, hn_realtime_error(r)->message);
  check_ok(hn_simulation_value(hn_realtime_simulation(r), models[k].output, &x));
  hn_realtime_free(r);
  hn_model_free(model);
  return x;
}

static double reference(int k) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "first-order";
  options.tol = EXACT;
  return run(k, &options, "reference");
}

static void fixed_steps_have_the_order_of_the_formula(void **state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    const double exact = reference(k);
    for (int p = 0; p < ORDERS; p++) {
      hn_simulation_options options = hn_default_simulation_options();
      options.preset = orders[p].preset;
      options.tol = ITERATED;
      double before = HUGE_VAL;
      for (int n = HALVINGS; n >= 0; n--) {
        options.step = ldexp(STEP, n);
        const double error = fabs(run(k, &options, orders[p].preset) - exact);
        const double least = exp2(orders[p].order - 0.5);
        if (!(error <= fmax(before / least, LEFT)))
          fail_msg("%s %s: error %.3g, then %.3g at %g s, of order %d", orders[p].preset,
                   models[k].title, before, error, options.step, orders[p].order);
        before = error;
      }
      check_at_most(before, ENOUGH);
    }
  }
}

// With the default tolerance, as users run them; multi-index has no fixed step.
static void every_preset_is_near_at_one_millisecond(void **state) {
  (void)state;
  const char *preset;
  for (int k = 0; k < MODELS; k++) {
    const double exact = reference(k);
    for (int p = 0; (preset = hn_list_presets(p)); p++) {
      hn_simulation_options options = hn_default_simulation_options();
      options.preset = preset;
      if (strcmp(preset, "multi-index") != 0) options.step = STEP;
      check_near(run(k, &options, preset), exact, ENOUGH);
    }
  }
}

// The mean over some periods near this one, which divide the time: where events lie within a period
// changes errors of first order.
static double mean_error(int k, const char *preset, double period, double exact) {
  const double end = models[k].end;
  const int steps = (int)(end / period + 0.5);
  double sum = 0;
  for (int n = 0; n < PHASES; n++)
    sum += fabs(run_in_real_time(k, preset, end / (steps + n)) - exact);
  return sum / PHASES;
}

static void real_time_is_of_first_order(void **state) {
  (void)state;
  const char *preset;
  for (int k = 0; k < MODELS; k++) {
    const double exact = reference(k);
    for (int p = 0; (preset = hn_list_presets(p)); p++) {
      if (strcmp(preset, "multi-index") == 0) continue;
      const double fine = mean_error(k, preset, STEP, exact);
      const double coarse = mean_error(k, preset, 8 * STEP, exact);
      if (!(fine <= fmax(coarse / 4, LEFT) && fine <= ENOUGH)) // 8: proportional to the period
        fail_msg("%s %s in real time: error %.3g at %g s, then %.3g", preset, models[k].title,
                 coarse, 8 * STEP, fine);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fixed_steps_have_the_order_of_the_formula),
                                     cmocka_unit_test(every_preset_is_near_at_one_millisecond),
                                     cmocka_unit_test(real_time_is_of_first_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
