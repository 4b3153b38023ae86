// Models against independently derived equations: a pendulum equation for the N-four-bar, absolute
// angles for chains, energy for the slider-crank, closed forms for the four-bar and the top.
// Nothing of the engine takes part in the expected values.
#include "machines/machine.h"

#define PI 3.14159265358979323846
#define GRAVITY 9.81

// ---- a small integrator: the classical Runge-Kutta method with a fixed, very small step ---------

enum { STATES = 32 };
typedef void (*right_side)(const double *y, const double *parameter, double *yd);

static void runge_kutta(right_side f, const double *parameter, int count, double *y, double time,
                        int steps) {
  double h = time / steps, k[4][STATES], at[STATES];
  static const double part[4] = {0, 0.5, 0.5, 1};
  for (int n = 0; n < steps; n++) {
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < count; i++) at[i] = y[i] + (s ? part[s] * h * k[s - 1][i] : 0);
      f(at, parameter, k[s]);
    }
    for (int i = 0; i < count; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

// ---- A02: all cranks turn as one: phi'' = G sin(phi), phi from the upward vertical --------------

static void parallelogram(const double *y, const double *parameter, double *yd) {
  yd[0] = y[1];
  yd[1] = parameter[0] * sin(y[0]);
}

static void check_four_bars(const char *setting, int n, double tol, double tolerance) {
  machine made = machine_open("iftomm/a02.yaml", setting, tol);
  double g = GRAVITY * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n), y[2] = {0, 1};
  for (int second = 1; second <= 10; second++) {
    runge_kutta(parallelogram, &g, 2, y, 1, 20000);
    machine_advance(&made, second);
    check_near(machine_value(&made, "B0.x"), sin(y[0]), tolerance);
    check_near(machine_value(&made, "B0.y"), cos(y[0]), tolerance);
  }
  check_at_most(hn_simulation_certificate(made.simulation).constraint_position, 1e-9);
  machine_close(&made);
}

static void ten_four_bars_stay_on_the_parallelogram_branch(void **state) {
  (void)state;
  check_four_bars("N=10", 10, 1e-9, 1e-5);
}

static void forty_four_bars_stay_on_the_parallelogram_branch(void **state) {
  (void)state;
  check_four_bars("N=40", 40, 1e-9, 1e-5);
}

// ---- chains of uniform bars, 1 m and 1 kg: sum_j c_ij (cos(a_i - a_j) a_j'' + sin(a_i - a_j)
// a_j'^2)
//      = -g (n - i + 1/2) cos(a_i), a_i from the x axis, gravity along -y

static double chain_inertia(int n, int i, int j) { // i, j from 1
  int outer = i > j ? i : j;
  return i == j ? 1.0 / 3 + (n - i) : 0.5 + (n - outer);
}

static void chain(const double *y, const double *parameter, double *yd) {
  int n = (int)parameter[0];
  double m[STATES / 2][STATES / 2], b[STATES / 2];
  for (int i = 0; i < n; i++) {
    b[i] = -GRAVITY * (n - i - 0.5) * cos(y[i]);
    for (int j = 0; j < n; j++) {
      double c = chain_inertia(n, i + 1, j + 1);
      m[i][j] = c * cos(y[i] - y[j]);
      b[i] -= c * sin(y[i] - y[j]) * y[n + j] * y[n + j];
    }
  }
  for (int k = 0; k < n; k++) // elimination; m is positive definite
    for (int i = k + 1; i < n; i++) {
      double factor = m[i][k] / m[k][k];
      for (int j = k; j < n; j++) m[i][j] -= factor * m[k][j];
      b[i] -= factor * b[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= m[i][j] * yd[n + j];
    yd[n + i] = b[i] / m[i][i];
    yd[i] = y[n + i];
  }
}

static void check_tip(machine *made, int n, const double *y, double tolerance) {
  double tip_x = 0, tip_y = 0;
  for (int i = 0; i < n; i++) tip_x += cos(y[i]), tip_y += sin(y[i]);
  check_near(machine_value(made, "tip.x"), tip_x, tolerance);
  check_near(machine_value(made, "tip.y"), tip_y, tolerance);
}

static void chain_of_ten_moves_as_its_absolute_angles(void **state) {
  (void)state;
  machine made = machine_open("negrut/chain.yaml", "N=10", 1e-9);
  double n = 10, y[STATES] = {0};
  for (int k = 0; k < 4; k++) {
    runge_kutta(chain, &n, 20, y, 0.25, 5000);
    machine_advance(&made, 0.25 * (k + 1));
    check_tip(&made, 10, y, 1e-6);
  }
  machine_close(&made);
}

// Its motion magnifies errors about a hundred thousand times in 10 s, hence the tight tolerance.
static void double_pendulum_moves_as_its_absolute_angles(void **state) {
  (void)state;
  machine made = machine_open("cardenal/double-pendulum.yaml", NULL, 1e-12);
  double n = 2, y[STATES] = {0};
  for (int second = 1; second <= 10; second++) {
    runge_kutta(chain, &n, 4, y, 1, 20000);
    machine_advance(&made, second);
    check_tip(&made, 2, y, 1e-6);
    check_near(machine_value(&made, "energy"), 0, 1e-9);
  }
  // to which the index-1 method of the paper converges
  check_near(machine_value(&made, "tip.x"), -1.6558677, 2e-6);
  check_near(machine_value(&made, "tip.y"), -0.5284463, 2e-6);
  machine_close(&made);
}

// ---- slider-crank: T = J(angle) angle'^2 / 2 stays ----------------------------------------------

static double slider_crank_inertia(double angle) {
  double r = 0.1, l = 0.3, sine = r * sin(angle) / l, cosine = sqrt(1 - sine * sine);
  double swing = -r * cos(angle) / (l * cosine);      // rod angle', for angle' = 1
  double piston = -r * sin(angle) + l * sine * swing; // its speed, along x
  double middle_x = 0.5 * (-r * sin(angle) + piston), middle_y = 0.5 * r * cos(angle);
  return 0.008 + 0.5 * (middle_x * middle_x + middle_y * middle_y) +
         0.5 * l * l / 12 * swing * swing + 0.8 * piston * piston;
}

static void free_crank(const double *y, const double *parameter, double *yd) {
  yd[0] = parameter[0] * sqrt(slider_crank_inertia(0) / slider_crank_inertia(y[0]));
}

static void slider_crank_keeps_its_energy_and_its_angle(void **state) {
  (void)state;
  machine made = machine_open("slider-crank.yaml", NULL, 1e-9);
  double speed = 60, angle = 0;
  for (int k = 1; k <= 10; k++) {
    runge_kutta(free_crank, &speed, 1, &angle, 0.05, 5000);
    machine_advance(&made, 0.05 * k);
    double sine = 0.1 * sin(angle) / 0.3;
    check_near(machine_value(&made, "angle"), angle, 1e-6);
    check_near(machine_value(&made, "piston"), 0.1 * cos(angle) + 0.3 * sqrt(1 - sine * sine),
               1e-7);
  }
  machine_close(&made);
}

// ---- four-bar: C is where two circles meet ------------------------------------------------------

static void four_bar_is_where_two_circles_meet(void **state) {
  (void)state;
  machine made = machine_open("four-bar.yaml", NULL, 1e-9);
  for (int k = 1; k <= 40; k++) {
    double time = 0.05 * k, turn = 2 * PI * time;
    double bx = 0.1 * cos(turn), by = 0.1 * sin(turn), dx = 0.4 - bx, dy = -by;
    double far = sqrt(dx * dx + dy * dy);
    double along = (0.35 * 0.35 - 0.25 * 0.25 + far * far) / (2 * far);
    double above = sqrt(0.35 * 0.35 - along * along);
    double ex = (along * dx - above * dy) / (far * 0.35),
           ey = (along * dy + above * dx) / (far * 0.35);
    machine_look(&made, time, 2);
    check_near(machine_value(&made, "P.x"), bx + 0.175 * ex - 0.12 * ey, 1e-9);
    check_near(machine_value(&made, "P.y"), by + 0.175 * ey + 0.12 * ex, 1e-9);
    check_near(machine_value(&made, "rocker"), atan2(by + 0.35 * ey, bx + 0.35 * ex - 0.4), 1e-8);
  }
  machine_close(&made);
}

// ---- top: steady precession ---------------------------------------------------------------------

static void top_precesses_steadily(void **state) {
  (void)state;
  machine made = machine_open("gyroscope.yaml", NULL, 1e-9);
  double tilt = PI / 6, about = 0.002 + 0.1 * 0.1, momentum = 0.003 * 150;
  double root = sqrt(momentum * momentum - 4 * about * cos(tilt) * GRAVITY * 0.1);
  double precession = (momentum - root) / (2 * about * cos(tilt));
  for (int k = 1; k <= 20; k++) {
    double time = 0.1 * k;
    machine_look(&made, time, 2);
    check_near(machine_value(&made, "tip.x"), 0.2 * sin(tilt) * cos(precession * time), 1e-7);
    check_near(machine_value(&made, "tip.y"), 0.2 * sin(tilt) * sin(precession * time), 1e-7);
    check_near(machine_value(&made, "tip.z"), 0.2 * cos(tilt), 1e-7);
  }
  machine_close(&made);
}

// ---- steam machine ------------------------------------------------------------------------------

static void free_steam_machine_keeps_its_speed_range(void **state) {
  (void)state;
  machine made = machine_open("vlasenko/steam-machine.yaml", NULL, 1e-9);
  double low = 1.96, high = 1.96;
  for (int k = 0; k <= 200; k++) {
    machine_look(&made, 0.005 * k, 1);
    double speed = machine_value(&made, "shaft.speed");
    low = fmin(low, speed);
    high = fmax(high, speed);
  }
  check_near(low, 1.9564, 5e-5); // four digits are published with the data
  check_near(high, 1.9635, 5e-5);
  check_at_most(hn_simulation_certificate(made.simulation).energy_balance, 1e-7);
  machine_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_four_bars_stay_on_the_parallelogram_branch),
      cmocka_unit_test(forty_four_bars_stay_on_the_parallelogram_branch),
      cmocka_unit_test(chain_of_ten_moves_as_its_absolute_angles),
      cmocka_unit_test(double_pendulum_moves_as_its_absolute_angles),
      cmocka_unit_test(slider_crank_keeps_its_energy_and_its_angle),
      cmocka_unit_test(four_bar_is_where_two_circles_meet),
      cmocka_unit_test(top_precesses_steadily),
      cmocka_unit_test(free_steam_machine_keeps_its_speed_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
