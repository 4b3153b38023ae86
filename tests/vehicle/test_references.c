// Models with tyres against closed forms and integrated references: a braked quarter car, a car
// that rolls out, the yaw gain of the single-track model, braking with ideal shares.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/holon.h"
#include "support/check.h"

static hn_simulation *start(hn_model *model, double tol) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = tol;
  if (hn_simulation_create(model, &options, &s, &error) != HN_OK) fail_msg("%s", error.message);
  return s;
}

static double signal_of(hn_simulation *s, const char *name) {
  int index = hn_simulation_find_signal(s, name);
  if (index < 0) fail_msg("no signal %s", name);
  return hn_simulation_signal(s, index);
}

static hn_model *load(const char *path, const hn_load_options *options) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load(path, options, &model, &error)) fail_msg("%s", error.message);
  return model;
}

// m v' = Fx, J w' = -R Fx - T (1 - exp(-t/tau)): integrated by two other programs, which differ by
// 1e-10. The wheel is fixed at a height at which the load is m g.
static void quarter_car_brakes_like_the_reference(void **state) {
  (void)state;
  static const char text[] =
      "roads: {road: {type: flat}}\n"
      "bodies:\n"
      "  car: {mass: 380, inertia: [1, 1, 1], position: [0, 0, 0.31], initial: {velocity: [30, 0, "
      "0]}}\n"
      "  wheel: {mass: 20, inertia: [1, 1.2, 1], position: [0, 0, 0.31]}\n"
      "joints:\n"
      "  guide: {type: translational, bodies: [ground, car], at: [0, 0, 0.31], axis: x}\n"
      "  axle: {type: revolute, bodies: [car, wheel], at: [0, 0, 0.31], axis: y,\n"
      "         initial: {angle_rate: 30/0.31}}\n"
      "forces:\n"
      "  tyre: {type: tyre, body: wheel, model: tyres/rig.tir, road: road, radius: 0.31 + "
      "400*9.81/1e11}\n"
      "  brake: {type: torque, joint: axle, torque: -1000*(1 - exp(-t/0.1))}\n";
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "tests/data/rig.yaml", NULL, &model, &error))
    fail_msg("%s %s", error.message, error.hint);
  hn_simulation *s = start(model, 1e-10);
  check_relative(signal_of(s, "force.tyre.fz"), 3924, 1e-6);
  check_ok(hn_simulation_advance(s, 3.680857510408605));
  check_relative(signal_of(s, "body.car.velocity.x"), 2, 1e-5);
  check_relative(signal_of(s, "body.car.position.x"), 60.35168397264117, 1e-6);
  hn_simulation_free(s);
  hn_model_free(model);
}

#define PASSENGER "models/vehicles/passenger.yaml"

static hn_simulation *drive(double speed, const char *const *more, int count, hn_model **model) {
  const char *settings[8];
  char text[40];
  snprintf(text, sizeof text, "start=%.17g", speed);
  settings[0] = text;
  for (int k = 0; k < count; k++) settings[1 + k] = more[k];
  hn_load_options options = hn_default_load_options();
  options.settings = settings;
  options.setting_count = 1 + count;
  *model = load(PASSENGER, &options);
  return start(*model, 1e-7);
}

// Without pedals a car loses speed by rolling resistance alone: f m g R0/Rl/(m + sum J/Re^2), f =
// 0.01.
static void car_rolls_out(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s = drive(20, NULL, 0, &model);
  check_ok(hn_simulation_advance(s, 1));
  double v1 = signal_of(s, "speed");
  check_ok(hn_simulation_advance(s, 5));
  double v2 = signal_of(s, "speed");
  double turning = 2 * 1.1 / (0.30377 * 0.30377) + 2 * 1.1 / (0.30423 * 0.30423);
  double expected = 0.01 * 1450 * 9.81 * 0.313 / 0.2952 / (1450 + turning);
  check_relative((v1 - v2) / 4, expected, 0.03);
  check_near(signal_of(s, "y"), 0, 1e-9); // left and right tyres are mirror images
  hn_simulation_free(s);
  hn_model_free(model);
}

static double yaw_rate_at(double steer) {
  const char *more[] = {"spring_front=500000", "spring_rear=500000", "damper=20000"};
  hn_model *model;
  hn_simulation *s = drive(20, more, 3, &model);
  check_ok(hn_simulation_set_input(s, 0, steer)); // steering is the first input
  check_ok(hn_simulation_advance(s, 2.5));
  double r = signal_of(s, "yaw_rate") / signal_of(s, "speed");
  hn_simulation_free(s);
  hn_model_free(model);
  return r;
}

// Cornering stiffness of an axle, two tyres at their static load, one mirrored; and their trail.
static double stiffness_of(double load, double *trail) {
  hn_tyre *tyre;
  hn_error error;
  check_ok(hn_tyre_load("models/tyres/car_205_60R15.tir", &tyre, &error));
  double sum = 0, moment = 0, d[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS];
  for (int side = 1; side <= 2; side++) {
    hn_tyre_slip slip = {0, 0, 0, load, 20, 1};
    hn_tyre_forces f;
    hn_tyre_mount(tyre, (hn_tyre_side)side);
    hn_tyre_evaluate(tyre, &slip, &f, d);
    sum -= d[1][1];
    moment += d[4][1];
  }
  hn_tyre_free(tyre);
  *trail = moment / sum;
  return sum;
}

// r/(V delta) = 1/(l + K V^2), K = m (b' C2 - a' C1)/(l' C1 C2) with the side forces a trail
// behind the axles; a stiff suspension, small angles.
static void yaw_gain_is_that_of_the_single_track_model(void **state) {
  (void)state;
  double a = 1.15, b = 1.45, l = a + b, m = 1450, t1, t2;
  double c1 = stiffness_of(m * 9.81 * b / l / 2, &t1), c2 = stiffness_of(m * 9.81 * a / l / 2, &t2);
  double front = a - t1, rear = b + t2, steer = 0.004,
         v = 19.75; // about, after 2.5 s of rolling out
  double k = m * (rear * c2 - front * c1) / ((front + rear) * c1 * c2);
  double gain = (yaw_rate_at(steer) - yaw_rate_at(-steer)) / (2 * steer);
  check_relative(gain, 1 / (l + k * v * v), 0.01);
}

// All wheels locked: the car slides straight on and loses what its tyres pull.
static void locked_wheels_stop_by_friction(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s = drive(20, NULL, 0, &model);
  check_ok(hn_simulation_set_input(s, hn_model_find_input(model, "brake"), 4));
  check_ok(hn_simulation_advance(s, 1.2));
  double v1 = signal_of(s, "speed"), pull = 0;
  check_near(signal_of(s, "force.front_left_tyre.slip"), -1, 0.01);
  static const char *const wheels[] = {"front_left", "front_right", "rear_left", "rear_right"};
  for (int n = 0; n < 100; n++) { // the car nods: the mean of half a second
    check_ok(hn_simulation_advance(s, 1.2025 + 0.005 * n));
    for (int k = 0; k < 4; k++) {
      char name[60];
      snprintf(name, sizeof name, "force.%s_tyre.fx", wheels[k]);
      pull -= signal_of(s, name) / 100;
    }
  }
  check_ok(hn_simulation_advance(s, 1.7));
  check_relative((v1 - signal_of(s, "speed")) / 0.5, pull / 1450, 0.01);
  check_near(signal_of(s, "y"), 0, 1e-6);
  hn_simulation_free(s);
  hn_model_free(model);
}

// Maneuvers use what every vehicle offers.
static void every_vehicle_makes_every_manoeuvre(void **state) {
  (void)state;
  static const char *const vehicles[] = {"passenger", "hmmwv", "iltis", "car", "truck"};
  static const char *const manoeuvres[] = {"step-steer",  "circle",  "braking", "split-mu",
                                           "lane-change", "iso3888", "iso4138"};
  for (int v = 0; v < 5; v++)
    for (int m = 0; m < 7; m++) {
      char path[100], over[100];
      snprintf(path, sizeof path, "models/vehicles/%s.yaml", vehicles[v]);
      snprintf(over, sizeof over, "models/manoeuvres/%s.yaml", manoeuvres[m]);
      const char *overlays[] = {over};
      hn_load_options options = hn_default_load_options();
      options.overlays = overlays;
      options.overlay_count = 1;
      hn_model *model = load(path, &options);
      assert_int_equal(hn_model_warning_count(model), 0);
      hn_simulation *s = start(model, 1e-4);
      double speed = signal_of(s, "speed");
      check_near(signal_of(s, "force.rear_left_tyre.slip"), 0, 0.01); // the wheels spin already
      check_ok(hn_simulation_advance(s, 1.5));
      double after = signal_of(s, "speed"), turning = fabs(signal_of(s, "yaw_rate"));
      assert_true(m == 2 || m == 3 ? after < speed - 0.5 : after > speed - 0.5);
      assert_true(m == 2 ? turning < 1e-9 : turning > (m == 5 ? 1e-5 : 1e-3));
      hn_simulation_free(s);
      hn_model_free(model);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quarter_car_brakes_like_the_reference),
      cmocka_unit_test(car_rolls_out),
      cmocka_unit_test(yaw_gain_is_that_of_the_single_track_model),
      cmocka_unit_test(locked_wheels_stop_by_friction),
      cmocka_unit_test(every_vehicle_makes_every_manoeuvre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
