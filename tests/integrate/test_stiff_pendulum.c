// The stiff double pendulum of Negrut's thesis (5.1) at twelve times, against a reference computed apart
// from this project to about 5e-10: angle and rate of the first bar stay within ten times the tolerance.
#include "machines/machine.h"

enum { TIMES = 12 };

static const double times[TIMES] = {0.01, 0.05, 0.10, 0.20, 0.30, 0.40,
                                    0.42, 0.50, 0.75, 1.00, 1.50, 2.00};
static const double theta[TIMES] = {6.27554599755, 6.16703255593, 5.87933291702, 5.00263372662,
                                    4.14487616579, 3.71172961455, 3.69300064668, 3.83337450886,
                                    5.19241249278, 5.05527611760, 4.69102693282, 4.60188053208};
static const double omega[TIMES] = {-1.1700178911, -4.1806112891, -7.1571534977, -9.5098999035,
                                    -6.9339411697, -1.5131809070, -0.3637503253, 3.6682807656,
                                    3.8675981478,  -3.9384591226, 2.7619046213,  -1.3951565174};

// Compares by dense output, so that steps follow from the tolerance; except with a tangent plane,
// where inside a step stiff forces let the order fall.
static void check_run(const hn_model *model, const char *preset, const char *method,
                      const char *independent, double tol, double until) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  machine made = {0};
  options.preset = preset;
  options.method = method;
  options.independent = independent;
  options.tol = tol;
  check_ok(hn_simulation_create(model, &options, &made.simulation, NULL));
  double worst = 0;
  for (int k = 0; k < TIMES && times[k] <= until; k++) {
    double limit = strcmp(independent, "tangent-plane") == 0 ? times[k] : 2;
    while (hn_simulation_time(made.simulation) < times[k])
      check_ok(hn_simulation_step(made.simulation, limit));
    check_ok(hn_simulation_look_at(made.simulation, times[k]));
    double angle = machine_value(&made, "theta1"), rate = machine_value(&made, "omega1");
    worst = fmax(worst, fabs(angle - theta[k]) / (tol * (1 + fabs(theta[k]))));
    worst = fmax(worst, fabs(rate - omega[k]) / (tol * (1 + fabs(omega[k]))));
  }
  hn_certificate c = hn_simulation_certificate(made.simulation);
  print_message("%s %s %s %.0e: %.2f of the tolerance, %ld steps\n", preset, c.method,
                c.independent, tol, worst, c.steps_accepted);
  check_at_most(worst, 10);
  hn_simulation_free(made.simulation);
}

static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
enum { TOLERANCES = sizeof tolerances / sizeof tolerances[0] };

// Its method and independent coordinates where none are given.
static void check_preset(const char *preset, const char *method, const char *independent) {
  machine made = machine_open("negrut/double-pendulum.yaml", NULL, 0);
  // the tightest take a hundred thousand steps: to the end by HOLON_SWEEP (make test-long)
  const int is_short = strstr(preset, "Trap") != NULL && !getenv("HOLON_SWEEP");
  for (int k = 0; k < TOLERANCES; k++)
    check_run(made.model, preset, method, independent, tolerances[k], is_short && k > 4 ? 0.1 : 2);
  machine_close(&made);
}

static void the_trapezoidal_rule_keeps_the_tolerance(void **state) {
  (void)state;
  check_preset("SspTrap", "auto", "auto");
  check_preset("InflTrap", "auto", "auto");
  check_preset("InflTrap", "descriptor", "none");
}

static void sdirk_keeps_the_tolerance(void **state) {
  (void)state;
  check_preset("InflSDIRK", "auto", "auto");
  check_preset("InflSDIRK", "descriptor", "none");
  check_preset("InflSDIRK", "descriptor", "partition");
  check_preset("InflSDIRK", "descriptor", "tangent-plane");
}

static void first_order_forms_keep_the_tolerance(void **state) {
  (void)state;
  check_preset("ForSDIRK", "auto", "auto");
  check_preset("ForSDIRK", "auto", "none");
  check_preset("ForRosen", "auto", "auto");
  check_preset("ForRosen", "auto", "none");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_trapezoidal_rule_keeps_the_tolerance),
      cmocka_unit_test(sdirk_keeps_the_tolerance),
      cmocka_unit_test(first_order_forms_keep_the_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
