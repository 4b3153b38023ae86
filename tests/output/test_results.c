// Results of real runs against exact solutions; choosing signals; refusals.
#include <math.h>

#include "holon/results.h"
#include "math/vec.h"
#include "output/table.h"
#include "support/machines.h"

static hn_simulation *start(const hn_model *model, double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = tol;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  if (hn_simulation_create(model, &options, &simulation, &error)) fail_msg("%s", error.message);
  return simulation;
}

// Rows at 0, dt, 2 dt, ... up to the end, also inside steps.
static void record_grid(hn_simulation *simulation, hn_results *results, double dt, int count) {
  check_ok(hn_results_record(results, simulation));
  for (int k = 1; k <= count; k++) {
    while (hn_simulation_time(simulation) < k * dt)
      check_ok(hn_simulation_step(simulation, count * dt));
    check_ok(hn_simulation_look_at(simulation, k * dt));
    check_ok(hn_results_record(results, simulation));
  }
}

static const double *column(const hn_results *results, const char *name) {
  int index = hn_results_find(results, name);
  if (index < 0) fail_msg("no column '%s'", name);
  return hn_results_column(results, index);
}

// IFToMM A01, exact by elliptic functions: every quantity of the point mass follows from x, y and
// the speed. With |r| = 1, m = 1 and v^2 = -2 g y the pin pulls with R = (g y - v^2) r = 3 g y r.
static void a_recorded_pendulum_follows_the_exact_solution(void **state) {
  (void)state;
  hn_results *exact = NULL, *results = NULL;
  check_ok(
      hn_results_read(HOLON_SOURCE_DIR "/tests/data/a01_pendulum_10s_exact.csv", &exact, NULL));
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model, 1e-10);
  check_ok(hn_results_create(simulation, NULL, 0, &results, NULL));
  assert_int_equal(hn_results_signal_count(results), hn_simulation_signal_count(simulation));
  record_grid(simulation, results, 0.01, 1000);
  assert_int_equal(hn_results_row_count(results), 1001);
  const double g = 9.81, *x = column(exact, "x"), *y = column(exact, "y");
  for (int k = 0; k <= 1000; k++) {
    check_near(hn_results_time(results)[k], 0.01 * k, 0);
    check_near(column(results, "body.bob.position.x")[k], x[k], 1e-6);
    check_near(column(results, "body.bob.velocity.y")[k], column(exact, "vy")[k], 5e-6);
    check_near(column(results, "joint.pin.reaction.force.x")[k], 3 * g * y[k] * x[k], 5e-5);
    check_near(column(results, "joint.pin.reaction.force.y")[k], 3 * g * y[k] * y[k], 5e-5);
    check_near(column(results, "joint.pin.reaction.torque.z")[k], 0, 1e-9);
    check_near(column(results, "body.bob.acceleration.y")[k], 3 * g * y[k] * y[k] - g, 5e-5);
    check_near(column(results, "joint.pin.angle_rate")[k], column(exact, "thetadot")[k], 5e-6);
    check_near(column(results, "joint.pin.angle_acceleration")[k], -g * x[k], 5e-6);
    check_near(column(results, "energy.kinetic")[k], -g * y[k], 2e-5);
    check_near(column(results, "energy.balance")[k], 0, 1e-7);
  }
  hn_results_free(results);
  hn_results_free(exact);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// An arm of 1 m and 2 kg, driven at w = 1.5 rad/s from level: the motor lifts it with the torque
// m g cos(w t) and has done the work m g sin(w t).
static void a_motor_shows_its_torque_and_its_work(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_results *results = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, vec3(0, -9.81, 0)));
  hn_body_def arm = hn_default_body();
  arm.name = "arm";
  arm.mass = 2;
  arm.position = vec3(1, 0, 0);
  arm.velocity = vec3(0, 1.5, 0);
  arm.angular_velocity = vec3(0, 0, 1.5);
  check_ok(hn_model_add_body(model, &arm, NULL));
  hn_joint_def pin = hn_default_joint(HN_JOINT_REVOLUTE);
  pin.name = "pin";
  pin.frame1 = hn_model_frame(model, HN_GROUND, vec3_zero(), vec3(0, 0, 1));
  pin.frame2 = hn_model_frame(model, 1, vec3_zero(), vec3(0, 0, 1));
  hn_driver_def motor = hn_default_driver(HN_DRIVER_JOINT);
  motor.name = "motor";
  check_ok(hn_model_add_joint(model, &pin, &motor.joint));
  check_ok(hn_law_polynomial((double[]){0, 1.5}, 2, NULL, &motor.law, NULL));
  check_ok(hn_model_add_driver(model, &motor, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation *simulation = start(model, 1e-9);
  const char *const names[] = {"driver.*", "energy.*", "joint.pin.angle"};
  check_ok(hn_results_create(simulation, names, 3, &results, NULL));
  record_grid(simulation, results, 0.05, 40);
  for (int k = 0; k <= 40; k++) {
    double t = 0.05 * k;
    check_near(column(results, "joint.pin.angle")[k], 1.5 * t, 1e-9);
    check_near(column(results, "driver.motor.force")[k], 2 * 9.81 * cos(1.5 * t), 1e-6);
    check_near(column(results, "energy.work")[k], 2 * 9.81 * sin(1.5 * t), 1e-6);
    check_near(column(results, "energy.balance")[k], 0, 1e-6);
  }
  hn_results_free(results);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void globs_choose_signals_in_their_order(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model, 1e-4);
  hn_results *results = NULL;
  const char *const names[] = {"energy.total", "body.*.position.?", "energy.*"};
  check_ok(hn_results_create(simulation, names, 3, &results, NULL));
  assert_int_equal(hn_results_signal_count(results), 8);
  assert_string_equal(hn_results_signal_name(results, 0), "body.bob.position.x");
  assert_string_equal(hn_results_signal_unit(results, 0), "m");
  assert_int_equal(hn_results_find(results, "energy.total"), 6);
  assert_null(hn_results_signal_name(results, 8));
  assert_null(hn_results_column(results, 0)); // no row yet
  check_ok(hn_results_record(results, simulation));
  assert_true(hn_results_column(results, 0)[0] == -1);
  hn_results_free(results);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void unknown_signals_are_refused_with_the_nearest(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model, 1e-4);
  hn_results *results = NULL;
  hn_error error;
  const char *const wrong[] = {"energy.totl"}, *const empty[] = {"wheel.*"};
  check_status(hn_results_create(simulation, wrong, 1, &results, &error), HN_ERROR_ARGUMENT);
  assert_null(results);
  check_names(error.message, "energy.totl");
  check_names(error.hint, "'energy.total'");
  check_status(hn_results_create(simulation, empty, 1, &results, &error), HN_ERROR_ARGUMENT);
  check_names(error.hint, "'body.*.position.*' 'energy.*'");
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void results_take_rows_of_their_own_machine_only(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum(), *other = hn_make_oscillator(10, 0, 1);
  hn_simulation *simulation = start(model, 1e-4), *foreign = start(other, 1e-4);
  hn_results *results = NULL, *read = hard_table(1);
  check_ok(hn_results_create(simulation, NULL, 0, &results, NULL));
  check_status(hn_results_record(results, foreign), HN_ERROR_ARGUMENT);
  check_status(hn_results_record(read, simulation), HN_ERROR_ARGUMENT);
  assert_int_equal(hn_results_row_count(results), 0);
  check_status(hn_results_write(results, OUTPUT("x"), (hn_results_format)9, 1, NULL),
               HN_ERROR_ARGUMENT);
  hn_results_free(results);
  hn_results_free(read);
  hn_results_free(NULL);
  hn_simulation_free(simulation);
  hn_simulation_free(foreign);
  hn_model_free(model);
  hn_model_free(other);
}

// Rows within the reserved capacity do not move: recording them allocates nothing.
static void reserved_rows_stay_where_they_are(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model, 1e-6);
  hn_results *results = NULL;
  check_ok(hn_results_create(simulation, NULL, 0, &results, NULL));
  check_ok(hn_results_record(results, simulation));
  check_ok(hn_results_reserve(results, 301));
  const double *time = hn_results_time(results), *x = column(results, "body.bob.position.x");
  for (int k = 1; k <= 300; k++) {
    check_ok(hn_simulation_step(simulation, 100));
    check_ok(hn_results_record(results, simulation));
  }
  assert_ptr_equal(hn_results_time(results), time);
  assert_ptr_equal(column(results, "body.bob.position.x"), x);
  assert_int_equal(hn_results_row_count(results), 301);
  check_near(x[0], -1, 0);
  check_ok(hn_results_reserve(results, 10)); // less than there is: nothing happens
  assert_int_equal(hn_results_row_count(results), 301);
  hn_results_free(results);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void arrays_become_results(void **state) {
  (void)state;
  const double time[] = {0, 1, 3}, x[] = {4, 5, 6}, y[] = {-1, NAN, 2};
  const double *const columns[] = {x, y};
  const char *const names[] = {"x", "y"}, *const units[] = {"m", NULL};
  hn_results *results = NULL;
  check_ok(hn_results_make(names, units, 2, time, columns, 3, &results, NULL));
  assert_int_equal(hn_results_row_count(results), 3);
  check_near(hn_results_time(results)[2], 3, 0);
  check_near(column(results, "x")[1], 5, 0);
  assert_true(isnan(column(results, "y")[1]));
  assert_string_equal(hn_results_signal_unit(results, 0), "m");
  assert_string_equal(hn_results_signal_unit(results, 1), "");
  hn_results_free(results);
  check_ok(hn_results_make(names, NULL, 0, NULL, NULL, 0, &results, NULL));
  assert_int_equal(hn_results_row_count(results), 0);
  hn_results_free(results);
  check_status(hn_results_make(names, NULL, -1, time, columns, 3, &results, NULL),
               HN_ERROR_ARGUMENT);
  assert_null(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recorded_pendulum_follows_the_exact_solution),
      cmocka_unit_test(a_motor_shows_its_torque_and_its_work),
      cmocka_unit_test(globs_choose_signals_in_their_order),
      cmocka_unit_test(unknown_signals_are_refused_with_the_nearest),
      cmocka_unit_test(results_take_rows_of_their_own_machine_only),
      cmocka_unit_test(reserved_rows_stay_where_they_are),
      cmocka_unit_test(arrays_become_results),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
