// Equilibria of models that a controller holds: its force acts on one body by where another is, so
// that the stiffness is not symmetric. A pole on a cart is upright over x = 0 in its only
// equilibrium near. Its stability depends on velocities, which stiffness ignores: with the sign of
// their gains reversed the sum of the eigenvalues is positive.
#include <math.h>
#include <string.h>

#include "formats/loading.h"
#include "holon/analysis.h"
#include "holon/simulation.h"

#define MACHINE(speeds)                                                                            \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies:\n  cart: {mass: 1, center: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                   \
  "  pole: {mass: 0.2, center: [0, 0, 0.4], inertia: [0.011, 0.011, 0.0001]}\n"                    \
  "joints:\n"                                                                                      \
  "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x, initial: "        \
  "{displacement: 0.2}}\n"                                                                         \
  "  pivot: {type: revolute, bodies: [cart, pole], at: [0, 0, 0], axis: y, initial: {angle: 8 "    \
  "deg}}\n"                                                                                        \
  "forces:\n  motor: {type: point-force, body: cart, at: [0, 0, 0], force: "                       \
  "['28*joint.pivot.angle + 3*joint.rail.displacement + " speeds "', 0, 0]}\n"

static hn_statics_report rest(const char *text) {
  hn_model *model = load_text(text);
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_statics_report report;
  double angle, x;
  if (hn_simulation_create(model, NULL, &s, &error)) fail_msg("%s", error.message);
  check_ok(hn_simulation_equilibrium(s, NULL, &report));
  check_ok(hn_simulation_value(s, "joint.pivot.angle", &angle));
  check_ok(hn_simulation_value(s, "joint.rail.displacement", &x));
  check_near(angle, 0, 1e-10);
  check_near(x, 0, 1e-10);
  hn_simulation_free(s);
  hn_model_free(model);
  return report;
}

static void a_controller_finds_its_equilibrium(void **state) {
  (void)state;
  const hn_statics_report report =
      rest(MACHINE("5.5*joint.pivot.angle_rate + 4*joint.rail.displacement_rate"));
  assert_true(report.stable);
}

static void speeds_decide_whether_it_is_stable(void **state) {
  (void)state;
  assert_false(
      rest(MACHINE("(-5.5)*joint.pivot.angle_rate - 4*joint.rail.displacement_rate")).stable);
}

// A slider on a spring of 100 N/m, pushed by a force of its displacement x and of states.
#define SLIDER(force, states)                                                                      \
  "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"                                                   \
  "joints: {s: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x}}\n"              \
  "forces:\n  k: {type: joint-spring-damper, joint: s, stiffness: 100, damping: 2}\n"              \
  "  u: {type: point-force, body: m, at: [0, 0, 0], force: ['" force "', 0, 0]}\n"                 \
  "states:\n" states "outputs: {x: joint.s.displacement}\n"
#define ERROR_OF(wanted) "of: '" wanted " - joint.s.displacement'}\n"

// Limits bound the force of a controller; conditions that hold in equilibrium set their states
// before.
static void limits_and_conditions_hold_in_the_rest(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double x;
  } cases[] = {
      {SLIDER("y", "  y: {pid: {kp: 50, ki: 20, low: -15, high: 15}, " ERROR_OF("0.1")), 0.1},
      {SLIDER("y", "  y: {pid: {kp: 50, ki: 20, low: -15, high: 15}, " ERROR_OF("0.5")), 0.15},
      {SLIDER("y",
              "  y: {pid: {kp: 50, ki: 20, kd: 3, filter: 10 ms, low: -5, high: 15}, " ERROR_OF(
                  "-0.5")),
       -0.05},
      {SLIDER("limit(z, -5, 5)",
              "  z: {rate: '20*(0.1 - joint.s.displacement) + 10*(limit(z, -5, 5) - z)'}\n"),
       0.05},
      {SLIDER("10 - 50*y", "  y: {delay: 0.05, of: joint.s.displacement}\n"), 10.0 / 150},
      // 0.2 m would be above the upper bound of the hysteresis: it is on
      {SLIDER("20 + 5*on", "  on: {hysteresis: [0.05, 0.08], of: joint.s.displacement}\n"), 0.25},
      {SLIDER("20 + 5*on", "  on: {when: [[joint.s.displacement > 0.1, 1]]}\n"), 0.25},
      // once: the condition continues to hold
      {SLIDER("8*g", "  g: {initial: 1, when: [[joint.s.displacement > 0.07 and state.g < 3, g + "
                     "1]]}\n"),
       0.16},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    hn_model *model = load_text(cases[k].text);
    hn_simulation *s = NULL;
    hn_error error = {0};
    hn_statics_report report;
    double x = NAN;
    if (hn_simulation_create(model, NULL, &s, &error)) fail_msg("%s", error.message);
    check_ok(hn_simulation_equilibrium(s, NULL, &report));
    check_ok(hn_simulation_value(s, "x", &x));
    check_near(x, cases[k].x, 1e-10);
    // a run from there stays: conditions that hold do not come true again
    check_ok(hn_simulation_advance(s, 0.5));
    check_ok(hn_simulation_value(s, "x", &x));
    check_near(x, cases[k].x, 1e-5);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

static void states_without_a_rest_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *element, *words;
  } cases[] = {
      {SLIDER("z", "  z: {rate: 1}\n"), "'z'", "1"},
      // on, the force is gone and it goes off; off, it continues
      {SLIDER("20*(1 - on)", "  on: {hysteresis: [0.05, 0.08], of: joint.s.displacement}\n"),
       "'on'", ""},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    hn_model *model = load_text(cases[k].text);
    hn_simulation *s = NULL;
    hn_error error = {0};
    hn_statics_report report;
    if (hn_simulation_create(model, NULL, &s, &error)) fail_msg("%s", error.message);
    check_status(hn_simulation_equilibrium(s, NULL, &report), HN_ERROR_CONVERGENCE);
    check_names(hn_simulation_error(s)->element, cases[k].element);
    check_names(hn_simulation_error(s)->message, cases[k].words);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_controller_finds_its_equilibrium),
      cmocka_unit_test(speeds_decide_whether_it_is_stable),
      cmocka_unit_test(limits_and_conditions_hold_in_the_rest),
      cmocka_unit_test(states_without_a_rest_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
