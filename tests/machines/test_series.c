// Models over their whole motion against the series of tests/data, at every instant of the series,
// through dense output. tests/data/README.md names the source of each series.
#include "machines/machine.h"

typedef struct column {
  const char *output, *name; // ours, and in the file
  double unit;               // ours = unit * file
  double tolerance;          // absolute, in our unit
} column;

typedef struct comparison {
  const char *claim, *model, *setting, *file;
  double end, tol;
  column columns[8];
} comparison;

#define DEGREE (3.14159265358979323846 / 180)

static const comparison comparisons[] = {
    {"a01 follows its exact motion",
     "iftomm/a01.yaml",
     NULL,
     "a01_pendulum_10s_exact.csv",
     10,
     1e-9,
     {{"x", "x", 1, 1e-6}, {"y", "y", 1, 1e-6}}},
    {"a02 follows its exact motion through every singular position",
     "iftomm/a02.yaml",
     NULL,
     "a02_nfourbar_N2_10s_exact.csv",
     10,
     1e-9,
     {{"B0.x", "B0x", 1, 1e-6}, {"B0.y", "B0y", 1, 1e-6}}},
    {"a03 follows its reference",
     "iftomm/a03.yaml",
     NULL,
     "a03_andrews_0.05s.csv",
     0.05,
     1e-9,
     {{"F.x", "Fx", 1, 1e-8}, {"F.y", "Fy", 1, 1e-8}, {"beta", "beta", 1, 1e-6}}},
    {"a04 follows its reference",
     "iftomm/a04.yaml",
     NULL,
     "a04_bricard_box_10s.csv",
     10,
     1e-9,
     {{"P.x", "P3x", 1, 1e-6}, {"P.y", "P3y", 1, 1e-6}, {"P.z", "P3z", 1, 1e-6}}},
    {"a05 follows its reference",
     "iftomm/a05.yaml",
     NULL,
     "a05_flyball_10s.csv",
     10,
     1e-7,
     {{"s", "s", 1, 1e-6}, {"alpha", "alpha", 1, 1e-6}, {"psi", "psi", 1, 1e-5}}},
    {"a05 follows its reference closely where a tight tolerance takes thousands of steps",
     "iftomm/a05.yaml",
     NULL,
     "a05_flyball_10s.csv",
     10,
     1e-8,
     {{"s", "s", 1, 2e-7}, {"alpha", "alpha", 1, 2e-7}, {"psi", "psi", 1, 1e-6}}},
    {"Andrews' mechanism follows its reference",
     "andrews-ivp.yaml",
     NULL,
     "andrews_ivp_0.03s.csv",
     0.03,
     1e-9,
     {{"beta", "beta", 1, 1e-6},
      {"Theta", "Theta", 1, 1e-6},
      {"gamma", "gamma", 1, 1e-6},
      {"Phi", "Phi", 1, 1e-6},
      {"delta", "delta", 1, 1e-6},
      {"Omega", "Omega", 1, 1e-6},
      {"epsilon", "epsilon", 1, 1e-6}}},
    {"the car axis follows its reference",
     "car-axis.yaml",
     NULL,
     "car_axis_3s.csv",
     3,
     1e-9,
     {{"xl", "xl", 1, 1e-7},
      {"yl", "yl", 1, 1e-7},
      {"xr", "xr", 1, 1e-7},
      {"yr", "yr", 1, 1e-7},
      {"vyr", "vyr", 1, 1e-5}}},
    {"the stiff double pendulum follows the values implied by the thesis",
     "negrut/double-pendulum.yaml",
     NULL,
     "double_pendulum_stiff.csv",
     2,
     1e-8,
     {{"theta1", "theta1", 1, 1e-6},
      {"theta2", "theta2", 1, 1e-6},
      {"omega1", "omega1", 1, 1e-5},
      {"omega2", "omega2", 1, 1e-5}}},
    {"the HMMWV rolls over the half cylinder as computed independently",
     "negrut/hmmwv14.yaml",
     NULL,
     "hmmwv14_bump.csv",
     5,
     1e-5,
     {{"chassis.x", "x", 1, 1e-4},
      {"chassis.z", "z", 1, 5e-5},
      {"chassis.pitch", "pitch_deg", DEGREE, 5e-5}}},
    {"the front suspension of the Iltis settles and takes the bump as computed independently",
     "iltis/front-suspension.yaml",
     "stretch=1000",
     "iltis_front_suspension.csv",
     6,
     1e-7,
     {{"wheel.z", "z_wheel", 1, 1e-5},
      {"shock.length", "x_shock", 1, 1e-5},
      {"tyre", "N_tyre", 1, 5},
      {"leaf.force", "F_leaf", 1, 1}}},
    {"the driven steam machine moves its piston by the slider-crank formula",
     "vlasenko/steam-machine.yaml",
     "driven=1",
     "steam_left_piston.csv",
     1,
     1e-9,
     {{"left_piston.vz", "vz", 1, 1e-9}}},
    {"the double wishbone lifts its wheel as three spheres intersect",
     "double-wishbone.yaml",
     NULL,
     "double_wishbone.csv",
     1,
     1e-9,
     {{"wheel.z", "z", 1, 1e-9},
      {"wheel.y", "y", 1, 1e-8},
      {"camber", "camber", 1, 1e-7},
      {"toe", "toe", 1, 1e-7}}},
};
enum { COMPARISONS = sizeof comparisons / sizeof comparisons[0] };

static void machine_follows_its_series(void **state) {
  const comparison *with = *state;
  machine made = machine_open(with->model, with->setting, with->tol);
  series expected = series_read(with->file);
  double worst[8] = {0}, when[8] = {0};
  for (int row = 0; row < expected.rows; row++) {
    double time = series_at(&expected, row, 0);
    machine_look(&made, time, with->end);
    for (int i = 0; i < 8 && with->columns[i].output; i++) {
      const column *c = &with->columns[i];
      double value = series_at(&expected, row, series_find(&expected, c->name));
      double error = fabs(machine_value(&made, c->output) - c->unit * value);
      if (!(error <= worst[i])) worst[i] = error, when[i] = time;
    }
  }
  for (int i = 0; i < 8 && with->columns[i].output; i++) {
    print_message("           %s: largest difference %.2e at %g s\n", with->columns[i].output,
                  worst[i], when[i]);
    hn_check_at_most(worst[i], with->columns[i].tolerance, with->columns[i].output, with->model, 0);
  }
  hn_certificate done = hn_simulation_certificate(made.simulation);
  check_at_most(done.constraint_position, 1e-9);
  series_free(&expected);
  machine_close(&made);
}

int main(void) {
  struct CMUnitTest tests[COMPARISONS];
  for (int i = 0; i < COMPARISONS; i++)
    tests[i] = (struct CMUnitTest){.name = comparisons[i].claim,
                                   .test_func = machine_follows_its_series,
                                   .initial_state = (void *)&comparisons[i]};
  return _cmocka_run_group_tests("series", tests, COMPARISONS, NULL, NULL);
}
