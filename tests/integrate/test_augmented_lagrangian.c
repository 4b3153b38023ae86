// Augmented Lagrangians: published results, other methods, singular models, limits of a step.
// Orders are in test_orders.c, redundant models in test_augmented_redundant.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simulation.h"
#include "integrate/augmented.h"
#include "machines/machine.h"
#include "support/check.h"

static machine open_step(const char *path, const char *setting, const char *coordinates,
                         const char *method, const char *formula, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = method;
  options.formula = formula;
  options.step = step;
  return machine_open_by(path, setting, &options);
}

static const char *const sets[] = {"cartesian", "natural", "relative"};
static const char *const methods[] = {"augmented-lagrangian-3", "augmented-lagrangian-1"};

// ---- published results --------------------------------------------------------------------------

// Cardenal 1997, tables of the double pendulum: largest error of the energy in 10 s.
static void double_pendulum_keeps_its_energy_as_published(void **state) {
  static const struct {
    int method;
    double step, published;
  } rows[] = {{0, 1e-3, 4.854e-3}, {1, 1e-3, 4.680e-3}, {0, 1e-4, 4.399e-5}};
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    machine made = open_step("cardenal/double-pendulum.yaml", NULL, "natural",
                             methods[rows[k].method], "trapezoidal", rows[k].step);
    machine_advance(&made, 10);
    double balance = hn_simulation_certificate(made.simulation).energy_balance;
    print_message("%s, step %g: %.3e (published %.3e)\n", methods[rows[k].method], rows[k].step,
                  balance, rows[k].published);
    assert_in_range((int)(1000 * balance / rows[k].published), 667, 1500);
    machine_close(&made);
  }
}

// Where rounding ends the iteration, the residual must not be the same in every step.
static void short_steps_keep_their_order(void **state) {
  static const double steps[] = {4e-5, 2e-5};
  double balance[2];
  (void)state;
  for (int k = 0; k < 2; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "natural";
    options.method = methods[0];
    options.formula = "trapezoidal";
    options.projection = "mass-orthogonal";
    options.step = steps[k];
    machine made = machine_open_by("cardenal/double-pendulum.yaml", NULL, &options);
    machine_advance(&made, 0.8);
    balance[k] = hn_simulation_certificate(made.simulation).energy_balance;
    machine_close(&made);
  }
  print_message("energy: %.2e %.2e J\n", balance[0], balance[1]);
  assert_true(log2(balance[0] / balance[1]) > 1.7);
}

// Largest distance of B0 to the exact solution.
static double four_bars_error(const char *setting, const char *series_name, const char *coordinates,
                              int method, double step, double end) {
  machine made = open_step("iftomm/a02.yaml", setting, coordinates, methods[method],
                           method ? "sdirk2" : "trapezoidal", step);
  series exact = series_read(series_name);
  int t = series_find(&exact, "t"), x = series_find(&exact, "B0x"), y = series_find(&exact, "B0y");
  double most = 0;
  for (int k = 0; k < exact.rows && series_at(&exact, k, t) <= end; k++) {
    machine_look(&made, series_at(&exact, k, t), end);
    most = fmax(most, hypot(machine_value(&made, "B0.x") - series_at(&exact, k, x),
                            machine_value(&made, "B0.y") - series_at(&exact, k, y)));
  }
  print_message("%s %s %s step %g: %.2e m\n", setting, coordinates, methods[method], step, most);
  series_free(&exact);
  machine_close(&made);
  return most;
}

// The mechanism is singular twice a turn; the wrong branch is 2 m away.
static void singular_positions_are_passed_on_the_right_branch(void **state) {
  (void)state;
  for (int c = 0; c < 3; c++)
    for (int m = 0; m < 2; m++)
      check_at_most(four_bars_error("N=2", "a02_nfourbar_N2_10s_exact.csv", sets[c], m, 2e-3, 10),
                    1e-2);
}

static void forty_four_bars_stay_near_the_exact_motion(void **state) {
  (void)state;
  check_at_most(four_bars_error("N=40", "a02_nfourbar_N40_20s_exact.csv", "relative", 0, 0.02, 20),
                1e-1);
  check_at_most(four_bars_error("N=40", "a02_nfourbar_N40_20s_exact.csv", "relative", 0, 5e-3, 20),
                1e-3);
  // every evaluation at a singular configuration within a step is projected onto the constraints,
  // or nearly
  check_at_most(four_bars_error("N=40", "a02_nfourbar_N40_20s_exact.csv", "natural", 0, 0.005, 20),
                1e-1);
}

// ---- other methods ------------------------------------------------------------------------------

static void machines_move_as_by_another_method(void **state) {
  static const struct {
    const char *path, *name;
    double end, step, tolerance;
  } rows[] = {{"four-bar.yaml", "rocker", 1, 2e-3, 1e-5},
              {"double-wishbone.yaml", "wheel.z", 1, 2e-3, 2e-4},
              {"slider-crank.yaml", "piston", 0.1, 5e-4, 2e-3},
              {"car-axis.yaml", "yr", 1, 1e-3, 3e-4}};
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    machine other = machine_open(rows[k].path, NULL, 1e-9);
    machine_advance(&other, rows[k].end);
    for (int c = 0; c < 3; c++)
      for (int m = 0; m < 2; m++) {
        machine made = open_step(rows[k].path, NULL, sets[c], methods[m],
                                 m ? "sdirk2" : "trapezoidal", rows[k].step);
        machine_advance(&made, rows[k].end);
        check_near(machine_value(&made, rows[k].name), machine_value(&other, rows[k].name),
                   rows[k].tolerance);
        machine_close(&made);
      }
    machine_close(&other);
  }
}

// The multipliers of the motor come from accelerations that satisfy the equations.
static void work_of_a_motor_balances_to_second_order(void **state) {
  (void)state;
  for (int c = 0; c < 3; c++) {
    double balance[2];
    for (int k = 0; k < 2; k++) {
      machine made =
          open_step("four-bar.yaml", NULL, sets[c], methods[0], "trapezoidal", k ? 2e-3 : 4e-3);
      machine_advance(&made, 1);
      balance[k] = hn_simulation_certificate(made.simulation).energy_balance;
      machine_close(&made);
    }
    print_message("%s: %.2e %.2e J\n", sets[c], balance[0], balance[1]);
    assert_true(log2(balance[0] / balance[1]) > 1.8);
  }
}

static void iltis_takes_ramp_and_stairs_in_large_steps(void **state) {
  static const struct {
    const char *coordinates, *method, *formula;
    double step, share; // of the range of heights
  } rows[] = {{"relative", "augmented-lagrangian-3", "trapezoidal", 0.01, 0.1},
              {"natural", "augmented-lagrangian-3", "trapezoidal", 0.01, 0.1},
              {"relative", "augmented-lagrangian-3", "trapezoidal", 0.025, 0.2},
              {"relative", "first-order", "sdirk2", 0.01, 0.1}}; // TPL+SDIRK
  (void)state;
  enum { LOOKS = 161 };
  double height[LOOKS], low = HUGE_VAL, high = 0;
  machine other = machine_open("iltis/iltis.yaml", NULL, 1e-6);
  for (int k = 0; k < LOOKS; k++) {
    machine_look(&other, 0.05 * k, 8);
    height[k] = machine_value(&other, "chassis.z");
    low = fmin(low, height[k]);
    high = fmax(high, height[k]);
  }
  machine_close(&other);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    machine made = open_step("iltis/iltis.yaml", NULL, rows[i].coordinates, rows[i].method,
                             rows[i].formula, rows[i].step);
    double most = 0;
    for (int k = 0; k < LOOKS; k++) {
      machine_look(&made, 0.05 * k, 8);
      most = fmax(most, fabs(machine_value(&made, "chassis.z") - height[k]));
    }
    print_message("%s, %g s: %.3f of the range\n", rows[i].coordinates, rows[i].step,
                  most / (high - low));
    check_at_most(most, rows[i].share * (high - low));
    assert_int_equal(hn_simulation_certificate(made.simulation).newton_unconverged_accepted, 0);
    machine_close(&made);
  }
}

// ---- manners ------------------------------------------------------------------------------------

static void a_step_allocates_nothing(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    hn_counting_memory memory = {0};
    hn_allocator allocator = hn_counting_allocator(&memory);
    machine made = machine_open("iltis/iltis.yaml", NULL, 0);
    hn_simulation *s = NULL;
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "relative";
    options.method = methods[m];
    options.step = 5e-3;
    options.allocator = &allocator;
    check_ok(hn_simulation_create(made.model, &options, &s, NULL));
    long before = memory.calls;
    check_ok(hn_simulation_advance(s, 1.2)); // onto the ramp
    assert_int_equal(memory.calls, before);
    hn_simulation_free(s);
    machine_close(&made);
  }
}

// In the first coordinate, so that rows after the first have numbers again.
static void velocities_that_are_no_numbers_refuse_the_step(void **state) {
  (void)state;
  for (int c = 0; c < 3; c++) {
    machine made = open_step("four-bar.yaml", NULL, sets[c], methods[0], "auto", 1e-3);
    machine_advance(&made, 0.01);
    hn_augmented *method = (hn_augmented *)made.simulation->method;
    const double *phi_t = method->tangent->phi_t;
    double *v = method->base.next_qd;
    memcpy(v, method->base.qd, (size_t)method->base.equations->nq * sizeof(double));
    check_ok(hn_augmented_project_velocities(method, v, 1e-9));
    assert_true(hn_augmented_defect(method, -1, phi_t, v) <= 1e-9);
    v[0] = NAN;
    assert_true(isnan(hn_augmented_defect(method, -1, phi_t, v)));
    check_status(hn_augmented_project_velocities(method, v, 1e-9), HN_RETRY_CONVERGENCE);
    machine_close(&made);
  }
}

static void without_a_step_another_method_is_named(void **state) {
  (void)state;
  machine made = machine_open("four-bar.yaml", NULL, 0);
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  for (int m = 0; m < 2; m++) {
    options.method = methods[m];
    options.tol = 1e-4;
    check_status(hn_simulation_create(made.model, &options, &s, &error), HN_ERROR_UNSUPPORTED);
    check_names(error.hint, "multi-index");
  }
  machine_close(&made);
}

static void a_restored_run_goes_on_with_the_same_bits(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    machine a = open_step("iltis/iltis.yaml", NULL, "relative", methods[m], "auto", 0.01);
    machine b = open_step("iltis/iltis.yaml", NULL, "relative", methods[m], "auto", 0.01);
    machine_advance(&a, 1.1);
    size_t size = hn_simulation_save_size(a.simulation);
    void *saved = malloc(size);
    check_ok(hn_simulation_save(a.simulation, saved, size));
    check_ok(hn_simulation_restore(b.simulation, saved, size));
    free(saved);
    machine_advance(&a, 2);
    machine_advance(&b, 2);
    assert_true(machine_value(&a, "chassis.z") == machine_value(&b, "chassis.z"));
    assert_true(machine_value(&a, "chassis.pitch") == machine_value(&b, "chassis.pitch"));
    machine_close(&a);
    machine_close(&b);
  }
}

// Saving drops nothing that later steps depend on: neither the saved run nor a resumed one differs
// from one that was not observed.
static void a_checkpoint_changes_nothing(void **state) {
  static const struct {
    const char *path, *coordinates, *method, *formula;
    double step, at, end;
  } rows[] = {
      {"iltis/iltis.yaml", "relative", "augmented-lagrangian-3", "trapezoidal", 0.01, 4.2, 6},
      {"iltis/iltis.yaml", "natural", "augmented-lagrangian-3", "trapezoidal", 0.01, 4.2, 6},
      {"iltis/iltis.yaml", "cartesian", "augmented-lagrangian-3", "newmark", 0.01, 4.2, 6},
      {"iltis/iltis.yaml", "relative", "augmented-lagrangian-1", "sdirk2", 0.01, 4.2, 6},
      {"iftomm/a02.yaml", "relative", "augmented-lagrangian-3", "hht", 0.01, 1, 4},
      {"iftomm/a02.yaml", "natural", "augmented-lagrangian-1", "trapezoidal", 0.01, 1, 4},
      {"four-bar.yaml", "cartesian", "augmented-lagrangian-3", "trapezoidal", 0.01, 0.5, 1},
  };
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    machine made[3]; // undisturbed, saved, restored
    for (int i = 0; i < 3; i++)
      made[i] = open_step(rows[k].path, NULL, rows[k].coordinates, rows[k].method, rows[k].formula,
                          rows[k].step);
    for (int i = 0; i < 2; i++) machine_advance(&made[i], rows[k].at);
    size_t size = hn_simulation_save_size(made[1].simulation);
    void *saved = malloc(size);
    check_ok(hn_simulation_save(made[1].simulation, saved, size));
    check_ok(hn_simulation_restore(made[2].simulation, saved, size));
    free(saved);
    unsigned long long hash[3];
    for (int i = 0; i < 3; i++) {
      machine_advance(&made[i], rows[k].end);
      hash[i] = hn_simulation_state_hash(made[i].simulation);
    }
    print_message("%s %s %s %s: %016llx %016llx %016llx\n", rows[k].path, rows[k].coordinates,
                  rows[k].method, rows[k].formula, hash[0], hash[1], hash[2]);
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    for (int i = 0; i < 3; i++) machine_close(&made[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_pendulum_keeps_its_energy_as_published),
      cmocka_unit_test(short_steps_keep_their_order),
      cmocka_unit_test(singular_positions_are_passed_on_the_right_branch),
      cmocka_unit_test(forty_four_bars_stay_near_the_exact_motion),
      cmocka_unit_test(machines_move_as_by_another_method),
      cmocka_unit_test(work_of_a_motor_balances_to_second_order),
      cmocka_unit_test(iltis_takes_ramp_and_stairs_in_large_steps),
      cmocka_unit_test(a_step_allocates_nothing),
      cmocka_unit_test(velocities_that_are_no_numbers_refuse_the_step),
      cmocka_unit_test(without_a_step_another_method_is_named),
      cmocka_unit_test(a_restored_run_goes_on_with_the_same_bits),
      cmocka_unit_test(a_checkpoint_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
