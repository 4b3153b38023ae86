// Models with controllers in the model: the same motion by every set of coordinates and explicit
// formula, and the controllers meet their goals.
#include "machines/machine.h"

typedef struct controlled {
  const char *path;
  double end, tolerance; // of the outputs, of 1 + their size
} controlled;

static const controlled machines[] = {{"control/cart-pole.yaml", 1, 1e-5},
                                      {"control/sampled-motor.yaml", 0.1, 1e-5},
                                      {"control/servo-excavator.yaml", 0.4, 1e-5}};

enum { OUTPUTS = 4 };

static void run(const controlled *c, const char *coordinates, const char *formula, double tol,
                double out[OUTPUTS]) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = "first-order";
  options.formula = formula;
  options.tol = tol;
  machine m = machine_open_by(c->path, NULL, &options);
  check_ok(hn_simulation_advance(m.simulation, c->end));
  for (int k = 0; k < OUTPUTS; k++)
    out[k] = k < hn_model_output_count(m.model) ? hn_simulation_signal(m.simulation, k) : 0;
  machine_close(&m);
}

static void formulations_agree(void **state) {
  (void)state;
  static const char *const sets[] = {"cartesian", "natural", "relative"};
  for (int k = 0; k < 3; k++) {
    double expected[OUTPUTS], got[OUTPUTS];
    run(&machines[k], "relative", "dopri5", 1e-10, expected);
    for (int c = 0; c < 3; c++)
      for (int f = 0; f < 2; f++) {
        run(&machines[k], sets[c], f ? "adams" : "dopri5", 1e-8, got);
        for (int i = 0; i < OUTPUTS; i++)
          if (!(fabs(got[i] - expected[i]) <= machines[k].tolerance * (1 + fabs(expected[i]))))
            fail_msg("%s, %s, %s: output %d is %.12g, not %.12g", machines[k].path, sets[c],
                     f ? "adams" : "dopri5", i, got[i], expected[i]);
      }
  }
}

static void the_pole_is_upright(void **state) {
  (void)state;
  machine m = machine_open("control/cart-pole.yaml", NULL, 0);
  double most = 0;
  for (double t = 0.1; t < 8.05; t += 0.1) {
    check_ok(hn_simulation_advance(m.simulation, t));
    most = fmax(most, fabs(hn_simulation_signal(m.simulation, 1)));
  }
  assert_true(most < 15);
  check_near(hn_simulation_signal(m.simulation, 1), 0, 0.2); // deg
  machine_close(&m);
}

static void the_motor_keeps_its_speed(void **state) {
  (void)state;
  machine m = machine_open("control/sampled-motor.yaml", NULL, 0);
  check_ok(hn_simulation_advance(m.simulation, 0.8));
  for (double t = 0.82; t < 1; t += 0.02) {
    check_ok(hn_simulation_advance(m.simulation, t));
    check_near(hn_simulation_signal(m.simulation, 0), 60, 3);
    assert_true(fabs(hn_simulation_signal(m.simulation, 2)) <= 24);
  }
  machine_close(&m);
}

static void the_boom_follows_its_file(void **state) {
  (void)state;
  machine m = machine_open("control/servo-excavator.yaml", NULL, 1e-5);
  check_ok(hn_simulation_advance(m.simulation, 4.4)); // constant at 18 deg since 3 s
  check_near(hn_simulation_signal(m.simulation, 0), 18, 1);
  machine_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulations_agree),
      cmocka_unit_test(the_pole_is_upright),
      cmocka_unit_test(the_motor_keeps_its_speed),
      cmocka_unit_test(the_boom_follows_its_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
