// Stiff springs that hardly damp and that nothing excites: how fast they are is seen at the start, and a
// run left to itself does not excite them. References in closed form.
#include "analysis/fast_modes.h"

#include "analysis/simulation.h"
#include "machines/machine.h"
#include "support/machines.h"

// 1 kg and 3 kg with a spring K between them, on a spring of 1 N/m under a gravity of 1 m/s^2. From
// equilibrium with 0.25 m/s they go as one, x = -4 + 0.5 sin(t/2), with 3 (1 - sin(t/2)/8) N in the hard
// spring; what that stretches adds (1/K).
static const char pair[] =
    "name: pair\n"
    "parameters: {big: 1e9}\n"
    "gravity: [-1, 0, 0]\n"
    "bodies:\n"
    "  one: {mass: 1, center: [0, 0, 0]}\n"
    "  two: {mass: 3, center: [1, 0, 0]}\n"
    "joints:\n"
    "  g1: {type: translational, bodies: [ground, one], at: [0, 0, 0], axis: x}\n"
    "  g2: {type: translational, bodies: [ground, two], at: [1, 0, 0], axis: x}\n"
    "forces:\n"
    "  soft: {type: joint-spring-damper, joint: g1, stiffness: 1}\n"
    "  hard: {type: spring-damper, bodies: [one, two], points: [[0, 0, 0], [1, 0, 0]],\n"
    "         stiffness: big, free_length: 1}\n"
    "initial: {from: equilibrium, then: {velocity: [0.25, 0, 0]}}\n"
    "outputs: {x: joint.g1.displacement, f: force.hard.value}\n"
    "simulation: {time: 20}\n";

static machine open_text(const char *text, const char *setting, const char *coordinates, double tol,
                         double step) {
  hn_error error = {0};
  machine made = {0};
  hn_load_options load = hn_default_load_options();
  hn_simulation_options options = hn_default_simulation_options();
  load.settings = &setting;
  load.setting_count = setting ? 1 : 0;
  options.coordinates = coordinates;
  options.tol = tol;
  options.step = step;
  if (hn_model_load_text(text, strlen(text), "pair.yaml", &load, &made.model, &error))
    machine_stop("pair", &error);
  if (hn_simulation_create(made.model, &options, &made.simulation, &error))
    machine_stop("pair", &error);
  return made;
}

static void check_pair(const char *setting, const char *coordinates, double tol, double step) {
  machine made = open_text(pair, setting, coordinates, tol, step);
  double worst = 0, far = 0;
  for (int k = 1; k <= 100; k++) {
    const double t = 0.2 * k;
    machine_look(&made, t, 20);
    worst = fmax(worst, fabs(fabs(machine_value(&made, "f")) - 3 * (1 - sin(t / 2) / 8)));
    far = fmax(far, fabs(machine_value(&made, "x") + 4 - 0.5 * sin(t / 2)));
  }
  hn_certificate c = hn_simulation_certificate(made.simulation);
  print_message("%s %s tol %g: %ld steps, force within %.2g N, place within %.2g m; %s\n", setting,
                coordinates, tol, c.steps_accepted, worst, far, c.choice);
  assert_string_equal(c.formula, "sdirk4-16");
  // 4 m are known to 4e-16 m, which a spring of 1e12 N/m multiplies
  check_at_most(worst, strcmp(setting, "big=1e12") == 0 ? 0.05 : 0.01);
  check_at_most(far, 2e-3);
  // of order four: a tolerance a hundredth as large takes 3.2 times the steps
  const double most = step > 0 ? 20 / step + 1 : 50 * pow(1e-4 / tol, 0.25);
  assert_true((double)c.steps_accepted <= most);
  machine_close(&made);
}

static void a_stiff_pair_moves_as_one(void **state) {
  (void)state;
  static const char *const stiffness[] = {"big=1e6", "big=1e9", "big=1e10", "big=1e12"};
  for (int k = 0; k < 4; k++) {
    check_pair(stiffness[k], "auto", 1e-4, 0);
    check_pair(stiffness[k], "auto", 1e-6, 0);
    check_pair(stiffness[k], "cartesian", 1e-4, 0);
  }
}

// The common velocity sets the hard spring swinging by 3/16/K m/s: at most twice these tolerances.
static void no_tolerance_excites_it(void **state) {
  (void)state;
  static const char *const stiffness[] = {"big=1e8", "big=1e10", "big=1e12"};
  static const double tolerances[] = {1e-5, 1e-7, 1e-8, 1e-9};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) check_pair(stiffness[k], "auto", tolerances[i], 0);
  check_pair("big=1e10", "cartesian", 1e-7, 0);
}

static void a_fixed_step_does_not_excite_it_either(void **state) {
  (void)state;
  check_pair("big=1e9", "auto", 0, 0.1);
  check_pair("big=1e9", "cartesian", 0, 0.1);
}

// Unstretched and without gravity, the stiff spring starts to oscillate about 0.375 cos(t/2) N by
// 0.375 N, never beyond 0.75 N: at 1e10 N/m by 4e-11 m. Returns the steps.
static long check_swing(const char *setting, double tol) {
  char other[2048];
  snprintf(other, sizeof other, "name: pair\nparameters: {big: 1e10}\n%s", strstr(pair, "bodies:"));
  char *initial = strstr(other, "initial: {from");
  assert_non_null(initial);
  memset(initial, ' ', (size_t)(strchr(initial, '\n') - initial));
  initial[0] = '#';
  machine made = open_text(other, setting, "auto", tol, 0);
  double q[2] = {0.5, 0.5}, qd[2] = {0, 0}, most = 0;
  assert_int_equal(made.simulation->equations->nq, 2);
  check_ok(hn_simulation_set_state(made.simulation, 0, q, qd));
  for (int k = 1; k <= 100; k++) {
    machine_look(&made, 0.2 * k, 20);
    most = fmax(most, fabs(machine_value(&made, "f")));
  }
  hn_certificate c = hn_simulation_certificate(made.simulation);
  print_message("%s tol %g: %ld steps, at most %.4g N; %s\n", setting, tol, c.steps_accepted, most,
                c.choice);
  check_at_most(most, 0.75 * (1 + 1e-3));
  check_near(machine_value(&made, "x"), 0.5 * cos(10), fmax(1e-5, 3 * tol));
  machine_close(&made);
  return c.steps_accepted;
}

static void a_swing_below_the_tolerance_stays_one(void **state) {
  (void)state;
  static const double tolerances[] = {1e-4, 1e-6, 5e-7, 2.5e-7, 1e-7};
  for (int k = 0; k < 5; k++) {
    const double most = 60 * pow(1e-4 / tolerances[k], 0.25);
    assert_true((double)check_swing("big=1e10", tolerances[k]) <= most);
    assert_true((double)check_swing("big=1e12", tolerances[k]) <= most);
  }
}

// A softer spring oscillates by more than the tolerance: steps resolve it, and it does not grow.
static void a_swing_above_the_tolerance_does_not_grow(void **state) {
  (void)state;
  check_swing("big=1e6", 1e-6);
  check_swing("big=1e6", 1e-7);
  check_swing("big=1e8", 1e-6);
}

// From h w = 1 on, dopri5 lets an undamped oscillation grow.
static void the_stable_step_is_that_of_the_fastest_mode(void **state) {
  (void)state;
  for (double k = 1; k < 1e13; k *= 1e4) {
    hn_model *model = hn_make_oscillator(k, 0, 0.1);
    hn_simulation *s = NULL;
    check_ok(hn_simulation_create(model, NULL, &s, NULL));
    const double radius = hn_stable_step(s) * sqrt(k);
    assert_true(radius > 0.85 && radius < 1.01);
    hn_simulation_free(s);
    hn_model_free(model);
  }
  machine made = open_text(pair, "big=1e9", "cartesian", 1e-4, 0);
  const double radius = hn_stable_step(made.simulation) * sqrt(1e9 * (1 + 1 / 3.0));
  assert_true(radius > 0.85 && radius < 1.01);
  machine_close(&made);
}

// Damping of 0.03 of the critical one lets steps of h w = 2.2 through; at 0.3 there is no bound.
static void damping_widens_the_stable_step(void **state) {
  (void)state;
  const double shares[] = {0.03, 0.3};
  for (int k = 0; k < 2; k++) {
    hn_model *model = hn_make_oscillator(1e8, 2 * shares[k] * 1e4, 0.1);
    hn_simulation *s = NULL;
    check_ok(hn_simulation_create(model, NULL, &s, NULL));
    const double radius = hn_stable_step(s) * 1e4;
    if (k == 0)
      assert_true(radius > 2 && radius < 2.23);
    else
      assert_true(radius == HUGE_VAL);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

// Dense output before a step changes neither the step nor saved states.
static void check_saved(const char *setting, double tol, int before, int after) {
  machine made = open_text(pair, setting, "auto", tol, 0);
  hn_simulation *a = made.simulation, *b = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "auto";
  options.tol = tol;
  for (int k = 0; k < before; k++) check_ok(hn_simulation_step(a, 20));
  size_t size = hn_simulation_save_size(a);
  void *saved = malloc(size);
  check_ok(hn_simulation_save(a, saved, size));
  check_ok(hn_simulation_create(made.model, &options, &b, NULL));
  check_ok(hn_simulation_restore(b, saved, size));
  for (int k = 0; k < after; k++) {
    check_ok(hn_simulation_step(a, 20));
    check_ok(hn_simulation_step(b, 20));
    assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
  }
  free(saved);
  hn_simulation_free(b);
  machine_close(&made);
}

static void a_run_saved_among_looks_goes_on_bit_for_bit(void **state) {
  (void)state;
  check_saved("big=1e9", 1e-4, 2, 20);
  check_saved("big=1e6", 1e-8, 2, 1000); // the implicit step is rejected
}

// A run that stops before each step makes the same steps: nothing is counted twice.
static void a_run_stopped_before_each_step_is_the_same(void **state) {
  (void)state;
  machine whole = open_text(pair, "big=1e4", "auto", 1e-4, 0);
  machine other = open_text(pair, "big=1e4", "auto", 1e-4, 0);
  while (hn_simulation_time(whole.simulation) < 20) {
    check_ok(hn_simulation_step(whole.simulation, 20));
    hn_simulation_interrupt(other.simulation);
    check_status(hn_simulation_step(other.simulation, 20), HN_ERROR_INTERRUPTED);
    check_ok(hn_simulation_step(other.simulation, 20));
    assert_true(hn_simulation_state_hash(whole.simulation) ==
                hn_simulation_state_hash(other.simulation));
  }
  machine_close(&whole);
  machine_close(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stiff_pair_moves_as_one),
      cmocka_unit_test(no_tolerance_excites_it),
      cmocka_unit_test(a_fixed_step_does_not_excite_it_either),
      cmocka_unit_test(a_swing_below_the_tolerance_stays_one),
      cmocka_unit_test(a_swing_above_the_tolerance_does_not_grow),
      cmocka_unit_test(the_stable_step_is_that_of_the_fastest_mode),
      cmocka_unit_test(damping_widens_the_stable_step),
      cmocka_unit_test(a_run_saved_among_looks_goes_on_bit_for_bit),
      cmocka_unit_test(a_run_stopped_before_each_step_is_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
