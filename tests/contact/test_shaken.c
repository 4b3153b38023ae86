// A box on a table that is shaken to and fro, so fast that the box always slides: its slip turns round
// again and again without ever sticking. Exact: pieces of constant acceleration mu g.
#include <stdio.h>

#include "contact/contact_machine.h"

#define STROKE 0.05
#define PULSE (2 * 3.14159265358979323846 * 3) // rad/s
#define DRAG (0.3 * GRAVITY)

static const char text[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  table: {mass: 10, inertia: [1, 1, 1], shape: {plane: {size: 2}}}\n"
    "  box: {mass: 2, center: [0, 0, 0.1], inertia: [0.02, 0.02, 0.02], shape: {box: [0.2, 0.2, "
    "0.2]}}\n"
    "joints: {way: {type: translational, bodies: [ground, table], at: [0, 0, 0],\n"
    "               axis: [cos(%d deg), sin(%d deg), 0]}}\n"
    "drivers: {shaker: {joint: way, motion: \"0.05*sin(6*pi*t)\"}}\n"
    "contacts: {feet: {bodies: [box, table], friction: 0.3, static_friction: 0.4}}\n"
    "simulation: {tol: 1e-7}\n";

// Slip of the table over the box that moves with v at t0 and is dragged with this sense.
static double slip_at(double t, double t0, double v, double sense) {
  return sense * (STROKE * PULSE * cos(PULSE * t) - v - sense * DRAG * (t - t0));
}

// The way of the box until `end`.
static double exact_way(double end) {
  double t = 0, x = 0, v = 0, sense = 1;
  while (t < end) {
    double low = t + 1e-3, high = low; // no piece is shorter
    while (high < end && slip_at(high, t, v, sense) > 0) {
      low = high;
      high = fmin(end, high + 1e-3);
    }
    const int turns = slip_at(high, t, v, sense) <= 0;
    for (int k = 0; k < 80; k++) {
      const double middle = 0.5 * (low + high);
      if (turns && slip_at(middle, t, v, sense) <= 0)
        high = middle;
      else
        low = middle;
    }
    const double d = high - t;
    x += v * d + 0.5 * sense * DRAG * d * d;
    v += sense * DRAG * d;
    t = high;
    sense = -sense;
  }
  return x;
}

static void check_shaken(int degrees) {
  char model[1024];
  snprintf(model, sizeof model, text, degrees, degrees);
  contact_machine m = machine_of_text(model, 0, 0);
  for (int k = 1; k <= 4; k++) {
    advance(&m, 0.5 * k);
    const hn_body_motion now = motion_of(&m, 2);
    const double angle = degrees * 3.14159265358979323846 / 180, way = exact_way(0.5 * k);
    check_near(now.position.x, way * cos(angle), 1e-9);
    check_near(now.position.y, way * sin(angle), 1e-9);
    check_at_most(vec3_norm(now.angular_velocity), 1e-9);
  }
  assert_int_equal(hn_simulation_certificate(m.simulation).steps_rejected, 0);
  finish(&m);
}

static void slips_turn_round_along_an_axis(void **state) {
  (void)state;
  check_shaken(0);
}

static void slips_turn_round_along_any_line(void **state) {
  (void)state;
  check_shaken(35);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slips_turn_round_along_an_axis),
      cmocka_unit_test(slips_turn_round_along_any_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
