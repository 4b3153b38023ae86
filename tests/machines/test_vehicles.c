// Vehicles: static equilibrium against independent solvers (Robotran's for the Iltis), and the runs
// that the papers show, against an independent integration.
#include "machines/machine.h"

#define DEGREE (3.14159265358979323846 / 180)
#define G 9.81

static void settle(machine *made) {
  hn_statics_options options = hn_default_statics_options();
  hn_statics_report report;
  if (hn_simulation_equilibrium(made->simulation, &options, &report))
    machine_stop(hn_model_name(made->model), hn_simulation_error(made->simulation));
  assert_int_equal(report.stable, 1);
}

static void iltis_stands_as_in_the_benchmark(void **state) {
  (void)state;
  machine made = machine_open("iltis/rest.yaml", NULL, 0);
  settle(&made);
  check_near(machine_value(&made, "tyre.fl"), 3831.31, 0.5);
  check_near(machine_value(&made, "tyre.fr"), 3831.31, 0.5);
  check_near(machine_value(&made, "tyre.rl"), 3591.91, 0.5);
  check_near(machine_value(&made, "tyre.rr"), 3591.91, 0.5);
  check_near(machine_value(&made, "chassis.z"), 0.562906122908, 1e-8);
  check_near(machine_value(&made, "chassis.pitch"), 0.14658045099968 * DEGREE, 1e-8);
  check_near(machine_value(&made, "force.front_left.shock.value"), -335.29, 0.5);
  check_near(machine_value(&made, "force.rear_right.shock.value"), -241.64, 0.5);
  machine_close(&made);
}

static void iltis_suspension_stands_as_computed_independently(void **state) {
  (void)state;
  machine made = machine_open("iltis/front-suspension.yaml", NULL, 0);
  check_near(machine_value(&made, "wheel.z"), 0.364325, 1e-10); // just in contact initially
  check_near(machine_value(&made, "tyre"), 0, 1e-4);
  settle(&made);
  check_near(machine_value(&made, "wheel.z"), 0.3569019917623, 1e-9);
  check_near(machine_value(&made, "tyre"), 3414.58378932, 1e-3);
  check_near(machine_value(&made, "shock.length"), 0.4400227475954, 1e-9);
  check_near(machine_value(&made, "shock.force"), -154.060115005, 1e-3);
  check_near(machine_value(&made, "leaf.force"), -2760.439897493, 1e-3);
  machine_close(&made);
}

static void hmmwv_stands_as_computed_independently(void **state) {
  (void)state;
  machine made = machine_open("negrut/hmmwv14.yaml", NULL, 0); // starts from equilibrium
  check_near(machine_value(&made, "chassis.z"), 0.710012063447, 1e-8);
  check_near(machine_value(&made, "chassis.pitch"), -0.003423010607853 * DEGREE, 1e-8);
  check_near(machine_value(&made, "tyre.fl"), 6518.522241197, 1e-2);
  check_near(machine_value(&made, "tyre.rl"), 6121.289978803, 1e-2);
  machine_close(&made);
}

static void stiff_hmmwv_stands_as_computed_independently(void **state) {
  (void)state;
  machine made = machine_open("negrut/hmmwv14-stiff.yaml", NULL, 0);
  check_near(machine_value(&made, "chassis.z"), 0.709817655102, 1e-7);
  check_near(machine_value(&made, "chassis.pitch"), -0.005817226178493 * DEGREE, 1e-7);
  check_near(machine_value(&made, "tyre.fl"), 6518.834114021, 1e-2);
  check_near(machine_value(&made, "tyre.rl"), 6120.978105979, 1e-2);
  machine_close(&made);
}

static void stiff_hmmwv_rolls_on_the_flat_as_it_stands(void **state) {
  (void)state;
  machine made = machine_open("negrut/hmmwv14-stiff.yaml", NULL, 1e-6);
  double x = machine_value(&made, "chassis.x"), z = machine_value(&made, "chassis.z");
  machine_advance(&made, 0.02);
  check_near(machine_value(&made, "chassis.x"), x + 0.02 * 4.4704, 1e-9);
  check_near(machine_value(&made, "chassis.z"), z, 1e-9);
  machine_close(&made);
}

static void car_takes_its_passenger(void **state) {
  (void)state;
  machine made = machine_open("vlasenko/car.yaml", NULL, 1e-7);
  settle(&made);
  check_near(machine_value(&made, "body.z"), 0.5499596726151, 1e-8);
  machine_close(&made);
  made = machine_open("vlasenko/car.yaml", NULL, 1e-7);
  machine_advance(&made, 2.5);
  check_near(machine_value(&made, "body.z"), 0.54996, 1e-5);
  machine_advance(&made, 6);
  check_near(machine_value(&made, "body.z"), 0.538095, 2e-5);
  check_near(machine_value(&made, "body.roll"), 0.4545 * DEGREE, 2e-5);
  check_at_most(hn_simulation_certificate(made.simulation).constraint_position, 1e-9);
  machine_close(&made);
}

static void iltis_climbs_and_falls_as_computed_independently(void **state) {
  (void)state;
  machine made = machine_open("iltis/iltis.yaml", NULL, 1e-6);
  double high = 0, low = 0, up = 0, down = 0, load = 0, slow = 5, speed = 5;
  static const char *const tyres[4] = {"tyre.fl", "tyre.fr", "tyre.rl", "tyre.rr"};
  for (int k = 0; k <= 8000; k++) {
    machine_look(&made, 0.001 * k, 8);
    double az = machine_value(&made, "chassis.az"), pitch = machine_value(&made, "chassis.pitch");
    speed = machine_value(&made, "body.chassis.velocity.x");
    high = fmax(high, az);
    low = fmin(low, az);
    down = fmax(down, pitch);
    up = fmin(up, pitch);
    slow = fmin(slow, speed);
    for (int i = 0; i < 4; i++) load = fmax(load, machine_value(&made, tyres[i]));
  }
  // the reference is given with three digits
  check_near(high / G, 4.84, 0.02);
  check_near(low / G, -1.77, 0.02);
  check_near(up / DEGREE, -10.2, 0.06);
  check_near(down / DEGREE, 22.2, 0.06);
  check_near(load, 29391, 30);
  check_near(slow, 2.67, 0.006);
  check_near(speed, 3.29, 0.006);
  check_near(machine_value(&made, "chassis.x"), 28.36, 0.01);
  check_at_most(hn_simulation_certificate(made.simulation).constraint_position, 1e-9);
  machine_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iltis_stands_as_in_the_benchmark),
      cmocka_unit_test(iltis_suspension_stands_as_computed_independently),
      cmocka_unit_test(hmmwv_stands_as_computed_independently),
      cmocka_unit_test(stiff_hmmwv_stands_as_computed_independently),
      cmocka_unit_test(stiff_hmmwv_rolls_on_the_flat_as_it_stands),
      cmocka_unit_test(car_takes_its_passenger),
      cmocka_unit_test(iltis_climbs_and_falls_as_computed_independently),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
