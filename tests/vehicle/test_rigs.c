// Rigs laid over vehicles, key figures, inputs that follow outputs and wheels that roll at the
// start, against closed forms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/holon.h"
#include "support/check.h"

static hn_model *load_text(const char *text) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "models/examples/test.yaml", NULL, &model, &error))
    fail_msg("%s %s", error.message, error.hint);
  return model;
}

static hn_model *load_over(const char *vehicle, const char *over, const char *setting) {
  const char *overlays[] = {over};
  hn_load_options options = hn_default_load_options();
  options.overlays = overlays;
  options.overlay_count = 1;
  options.settings = &setting;
  options.setting_count = setting ? 1 : 0;
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load(vehicle, &options, &model, &error)) fail_msg("%s", error.message);
  return model;
}

static hn_simulation *start(hn_model *model, double tol) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  if (hn_simulation_create(model, &options, &s, &error) != HN_OK) fail_msg("%s", error.message);
  return s;
}

typedef struct run {
  hn_model *model;
  hn_simulation *simulation;
  hn_recording recording;
} run;

static run run_plan(hn_model *model, double tol, hn_run_plan plan) {
  run r = {.model = model, .simulation = start(model, tol)};
  hn_run_outcome outcome;
  hn_error error = {0};
  check_ok(hn_recording_create(r.simulation, &plan, 0, &r.recording, &error));
  hn_run_sink sink = hn_recording_sink(&r.recording);
  check_ok(hn_run(r.simulation, &plan, &sink, &outcome));
  return r;
}

static run run_to_the_end(hn_model *model, double tol) {
  return run_plan(model, tol, (hn_run_plan){.without_scene = 1});
}

static double figure(const run *r, const char *name) {
  for (int k = 0; k < hn_model_figure_count(r->model); k++)
    if (strcmp(hn_model_figure(r->model, k)->name, name) == 0)
      return hn_results_figure(r->recording.shown, r->model, k);
  fail_msg("no figure %s", name);
  return NAN;
}

static void finish(run *r) {
  hn_recording_free(&r->recording);
  hn_simulation_free(r->simulation);
  hn_model_free(r->model);
}

static const char *remark(const run *r, const char *name) {
  static char text[128];
  for (int k = 0; k < hn_model_figure_count(r->model); k++)
    if (strcmp(hn_model_figure(r->model, k)->name, name) == 0)
      return hn_results_figure_remark(r->recording.shown, r->model, k, text, sizeof text);
  fail_msg("no figure %s", name);
  return "";
}

static void check_remark(const run *r, const char *name, const char *expected) {
  assert_string_equal(remark(r, name), expected);
}

#define BODY "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"

// A first-order lag reaches 90 % after T ln 10; a swinging one overshoots by exp(-pi D/sqrt(1 - D^2)).
static void figures_are_those_of_known_curves(void **state) {
  (void)state;
  run r = run_to_the_end(
      load_text(BODY "states:\n"
                     "  lag: {rate: (1 - lag)/0.2}\n"
                     "  x: {rate: v}\n"
                     "  v: {rate: 100*(1 - x) - 6*v}\n"
                     "outputs: {lag: state.lag, x: state.x, line: 3*time + 1, slow: 0.5*time, "
                     "square: time^2, flat: 7}\n"
                     "figures:\n"
                     "  rise: {take: rise-time, of: lag}\n"
                     "  half: {take: rise-time, of: lag, level: 0.5}\n"
                     "  over: {take: overshoot, of: x}\n"
                     "  peak: {take: peak-time, of: x}\n"
                     "  slope: {take: slope, of: line, over: slow, from: 1 s}\n"
                     "  mean: {take: mean, of: line, from: 1 s, to: 3 s}\n"
                     "  least: {take: least, of: line, from: 1 s}\n"
                     "  last: {take: last, of: line}\n"
                     "  met: {take: reached, of: line, over: x, level: 1}\n"
                     "  unmet: {take: reached, of: line, over: lag, level: 2}\n"
                     "  part: {take: slope, of: square, over: slow, over_from: 1, over_to: 2}\n"
                     "  beyond: {take: slope, of: line, over: slow, over_from: 1, over_to: 9}\n"
                     "  level: {take: slope, of: flat, over: slow}\n"
                     "  rest: {take: slope, of: square, over: slow, over_from: 3}\n"
                     "  start: {take: slope, of: square, over: slow, over_to: 1}\n"
                     "  late: {take: last, of: line, from: 9 s}\n"
                     "  still: {take: slope, of: line, over: flat}\n"
                     "simulation: {time: 8, output_step: 2 ms}\n"),
      1e-9);
  const double damping = 0.3, root = sqrt(1 - damping * damping);
  check_near(figure(&r, "rise"), 0.2 * log(10), 1e-4);
  check_near(figure(&r, "half"), 0.2 * log(2), 1e-4);
  check_near(figure(&r, "over"), exp(-M_PI * damping / root), 1e-4);
  check_near(figure(&r, "peak"), M_PI / (10 * root), 2e-3);
  check_near(figure(&r, "slope"), 6, 1e-9);
  check_near(figure(&r, "mean"), 7, 1e-9);
  check_near(figure(&r, "least"), 4, 1e-9);
  check_near(figure(&r, "last"), 25, 1e-9);
  // x = 1 for the first time where cos(w t) + D/sqrt(1 - D^2) sin(w t) = 0
  check_near(figure(&r, "met"), 3 * (M_PI - atan(root / damping)) / (10 * root) + 1, 1e-4);
  assert_true(isnan(figure(&r, "unmet")));
  check_near(figure(&r, "part"), 4 * 3, 1e-2);       // d(t^2)/d(t/2) = 4 t about t = 3
  check_near(figure(&r, "rest"), 2 * (6 + 8), 1e-2); // of t^2: 2 (a + b) between a and b
  check_near(figure(&r, "start"), 2 * (0 + 2), 1e-2);
  assert_true(isnan(figure(&r, "beyond")));
  assert_true(isnan(figure(&r, "late")));
  assert_true(isnan(figure(&r, "still")));
  check_has_number(remark(&r, "late"), 9, 0);
  check_names(remark(&r, "still"), "flat");
  check_remark(&r, "beyond", "not available: slow covers only 0 to 4");
  check_remark(&r, "level", "flat is constant");
  check_remark(&r, "part", "");
  finish(&r);
}

// Units follow from those of the outputs.
static void figures_have_units(void **state) {
  (void)state;
  static const char *const units[][2] = {
      {"end", "m"}, {"when", "s"}, {"share", ""}, {"slope", "m/(m/s)"}, {"rate", "m/s"}};
  run r = run_to_the_end(
      load_text(BODY "outputs: {way: {value: 2*time, unit: m}, pace: {value: 3*time, unit: m/s}}\n"
                     "figures:\n"
                     "  end: {take: last, of: way}\n"
                     "  when: {take: peak-time, of: way}\n"
                     "  share: {take: overshoot, of: way}\n"
                     "  slope: {take: slope, of: way, over: pace}\n"
                     "  rate: {take: slope, of: way}\n"
                     "simulation: {time: 1}\n"),
      1e-6);
  for (int k = 0; k < 5; k++) {
    char unit[32], small[2];
    assert_string_equal(hn_model_figure(r.model, k)->name, units[k][0]);
    assert_string_equal(hn_results_figure_unit(r.recording.shown, r.model, k, unit, sizeof unit),
                        units[k][1]);
    hn_results_figure_unit(r.recording.shown, r.model, k, small, sizeof small);
    assert_int_equal(small[1], 0);
  }
  finish(&r);
}

// Every 0.1 s the input has the value of the output, also of one that laws cannot read (acceleration).
static void inputs_follow_outputs(void **state) {
  (void)state;
  hn_model *model =
      load_text(BODY "inputs: {push: {follows: wanted, every: 0.1 s}}\n"
                     "forces: {pull: {type: point-force, body: b, force: [push, 0, 0]}}\n"
                     "states: {seen: {follows: felt, every: 0.05 s}}\n"
                     "outputs: {wanted: 2*time, felt: 'max(state.seen, body.b.acceleration.x)'}\n");
  hn_simulation *s = start(model, 1e-9);
  assert_int_equal(hn_simulation_set_input(s, 0, 1), HN_ERROR_ARGUMENT);
  check_ok(hn_simulation_advance(s, 0.25));
  check_near(hn_simulation_input(s, 0), 0.4, 1e-12);
  check_near(hn_simulation_state(s, 0), 0.2,
             1e-9); // sampled at 0.2 s, before the push of that time
  double x = 0;
  check_ok(hn_simulation_value(s, "body.b.velocity.x", &x));
  check_near(x, 0.1 * 0.2 + 0.05 * 0.4, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

// The wheel rolls without slip, and a shaft that is geared to it has its share, though it is heavy.
static void wheels_and_what_is_geared_to_them_roll_at_the_start(void **state) {
  (void)state;
  static const char text[] =
      "roads: {road: {type: flat}}\n"
      "initial: {speed: 12}\n"
      "bodies:\n"
      "  car: {mass: 380, inertia: [1, 1, 1], position: [0, 0, 0.295]}\n"
      "  wheel: {mass: 20, inertia: [1, 1.2, 1], position: [0, 0, 0.295]}\n"
      "  shaft: {mass: 5, inertia: [1, 3, 1], position: [0, 0, 0.6]}\n"
      "joints:\n"
      "  guide: {type: translational, bodies: [ground, car], at: [0, 0, 0.295], axis: x}\n"
      "  axle: {type: revolute, bodies: [car, wheel], at: [0, 0, 0.295], axis: y}\n"
      "  bearing: {type: revolute, bodies: [car, shaft], at: [0, 0, 0.6], axis: y}\n"
      "  pair: {type: gear, joints: [axle, bearing], ratio: -0.25}\n"
      "forces:\n"
      "  tyre: {type: tyre, body: wheel, model: ../tyres/car_205_60R15.tir, road: road}\n";
  static const char *const sets[] = {"cartesian", "natural", "relative"};
  for (int k = 0; k < 3; k++) {
    hn_model *model = load_text(text);
    hn_simulation_options options = hn_default_simulation_options();
    hn_simulation *s = NULL;
    hn_error error = {0};
    options.coordinates = sets[k];
    if (hn_simulation_create(model, &options, &s, &error)) fail_msg("%s", error.message);
    double slip, wheel, shaft, speed;
    check_ok(hn_simulation_value(s, "force.tyre.slip", &slip));
    check_ok(hn_simulation_value(s, "joint.axle.angle_rate", &wheel));
    check_ok(hn_simulation_value(s, "joint.bearing.angle_rate", &shaft));
    check_ok(hn_simulation_value(s, "body.car.velocity.x", &speed));
    check_near(slip, 0, 1e-9);
    check_near(speed, 12, 1e-9);
    check_relative(shaft, 4 * wheel, 1e-9);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

#define RIG "models/rigs/kinematics.yaml"

// A swing arm of length L whose axis rises by toe_gain L: camber 1/L, toe toe_gain, and the given
// roll center, whatever the radius of the wheel.
static void swing_arms_have_the_kinematics_asked_for(void **state) {
  (void)state;
  static const struct {
    const char *path;
    double arm, toe[2], roll_center, rate;
  } vehicles[] = {{"models/vehicles/passenger.yaml", 2.2, {-0.04, 0.02}, 60, 32},
                  {"models/vehicles/hmmwv.yaml", 1.6, {-0.03, 0.015}, 90, 60},
                  {"models/vehicles/iltis.yaml", 1.3, {-0.05, 0.02}, 110, 35.9},
                  {"models/vehicles/truck.yaml", 1.8, {-0.03, 0.01}, 100, 70}};
  for (int k = 0; k < 4; k++) {
    run r = run_to_the_end(load_over(vehicles[k].path, RIG, "compliance=0"), 1e-7);
    const double degrees = 180 / M_PI / 1000; // rad/m in deg/mm
    check_relative(figure(&r, "front_camber_gradient"), -degrees / vehicles[k].arm, 2e-3);
    check_relative(figure(&r, "front_toe_gradient"), degrees * vehicles[k].toe[0], 2e-3);
    check_relative(figure(&r, "rear_toe_gradient"), degrees * vehicles[k].toe[1], 2e-3);
    check_relative(figure(&r, "roll_centre"), vehicles[k].roll_center, 1e-5);
    check_relative(figure(&r, "front_wheel_rate"), vehicles[k].rate, 0.01);
    check_near(figure(&r, "side_steer"), 0, 1e-9);
    finish(&r);
  }
}

// Side forces steer and camber wheels that hang in bushings: f of 1 kN, b behind the center, turns the
// carrier by f b / bush_yaw, less what its own rise takes from it.
static void bushings_give_compliance_on_every_vehicle(void **state) {
  (void)state;
  static const char *const vehicles[] = {"car", "hmmwv", "iltis", "passenger", "sport", "truck"};
  static const char *const names[] = {"front_toe_gradient", "front_camber_gradient",
                                      "rear_toe_gradient",  "rear_camber_gradient",
                                      "roll_centre",        "side_steer",
                                      "side_camber"};
  for (int v = 0; v < 6; v++) {
    // its drive and brakes take a hundred times the steps of the others: make test-long
    if (strcmp(vehicles[v], "sport") == 0 && !getenv("HOLON_SWEEP")) continue;
    char path[80], remark[128];
    snprintf(path, sizeof path, "models/vehicles/%s.yaml", vehicles[v]);
    run r = run_to_the_end(load_over(path, RIG, NULL), 1e-6);
    for (int k = 0; k < 7; k++)
      if (!(fabs(figure(&r, names[k])) > 1e-6)) fail_msg("%s: %s", vehicles[v], names[k]);
    for (int k = 0; k < hn_model_figure_count(r.model); k++)
      assert_string_equal(
          hn_results_figure_remark(r.recording.shown, r.model, k, remark, sizeof remark), "");
    if (v == 3) check_relative(figure(&r, "side_steer"), -0.4 / 0.8e6 * 1000 * 180 / M_PI, 0.05);
    finish(&r);
  }
}

// The roll center of a McPherson corner lies where the line from the contact point to the meeting of arm
// and normal of the strut passes the middle of the car.
static void a_strut_has_the_roll_center_of_its_drawing(void **state) {
  (void)state;
  run r = run_to_the_end(load_over("models/vehicles/car.yaml", RIG, "compliance=0"), 1e-6);
  const double along = (0.21 - 0.84 - 0.02 * 0.22 / 0.35) / (0.075 + 0.02 * 0.5 / 0.35);
  const double y = -0.18 + 0.5 * along, z = 0.84 + 0.075 * along;
  check_relative(figure(&r, "roll_centre"), 1000 * 0.74 * z / -y, 2e-3);
  check_relative(figure(&r, "front_camber_gradient"), 180 / M_PI / (1000 * y), 0.03); // deg/mm
  finish(&r);
}

static const double *column(const run *r, const char *name) {
  const int k = hn_results_find(r->recording.shown, name);
  if (k < 0) fail_msg("no output %s", name);
  return hn_results_column(r->recording.shown, k);
}

// While the wheels go down, from 10 to 30 s.
static double at_travel(const run *r, const char *name, double travel) {
  const double *t = hn_results_time(r->recording.shown), *x = column(r, "travel"),
               *y = column(r, name);
  for (int k = 1; k < hn_results_row_count(r->recording.shown); k++)
    if (t[k] > 10.1 && x[k] <= travel && x[k - 1] > travel)
      return y[k - 1] + (travel - x[k - 1]) / (x[k] - x[k - 1]) * (y[k] - y[k - 1]);
  fail_msg("travel %g is not reached", travel);
  return NAN;
}

// Toe, camber and roll center over travel against kinematics that know nothing of Holon; the rack is a
// body on a column that gives a little.
static void a_double_wishbone_agrees_with_its_own_kinematics(void **state) {
  (void)state;
  const hn_run_plan plan = {.time = 30, .without_scene = 1, .accuracy = HN_ACCURACY_OFF};
  run r = run_plan(load_over("models/vehicles/sport.yaml", RIG, "compliance=0"), 1e-6, plan);
  FILE *file = fopen("tests/data/wishbone_kinematics.csv", "r");
  assert_non_null(file);
  char line[256];
  int rows = 0;
  assert_non_null(fgets(line, sizeof line, file));
  while (fgets(line, sizeof line, file)) {
    double travel, toe, camber, side, roll_center;
    assert_int_equal(
        sscanf(line, "%lf,%lf,%lf,%lf,%lf", &travel, &toe, &camber, &side, &roll_center), 5);
    if (fabs(travel) > 45) continue; // where the rig turns back
    check_near(at_travel(&r, "front_left_toe", travel), toe, 5e-4);
    check_near(at_travel(&r, "front_left_camber", travel), camber, 5e-4);
    check_near(at_travel(&r, "front_roll_centre", travel), roll_center, 0.5);
    rows++;
  }
  fclose(file);
  assert_int_equal(rows, 9);
  finish(&r);
}

// Over a stated range of lateral acceleration the gradient does not depend on how the speed rises; one
// slope over the whole curve does.
static void understeer_does_not_depend_on_the_sweep(void **state) {
  (void)state;
  const hn_run_plan plan = {.without_scene = 1, .accuracy = HN_ACCURACY_OFF};
  double gradient[2], whole[2];
  for (int k = 0; k < 2; k++) {
    run r = run_plan(load_over("models/vehicles/passenger.yaml", "models/manoeuvres/iso4138.yaml",
                               k == 0 ? "rise=0.25" : "rise=0.35"),
                     1e-5, plan);
    gradient[k] = figure(&r, "understeer_gradient");
    whole[k] = figure(&r, "understeer");
    finish(&r);
  }
  check_relative(gradient[1], gradient[0], 0.05); // more throttle, less side force in front
  assert_true(fabs(whole[1] - whole[0]) > 0.1 * whole[0]);
}

// The largest forces of the tyre are its friction times the load.
static void tyre_rig_finds_the_peak(void **state) {
  (void)state;
  run r = run_to_the_end(load_over("models/vehicles/passenger.yaml", "models/rigs/tyre.yaml", NULL),
                         1e-6);
  check_relative(figure(&r, "largest_Fx"), 1.21 * 4000, 2e-3);
  check_relative(figure(&r, "least_Fx"), -1.21 * 4000, 2e-3);
  finish(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_are_those_of_known_curves),
      cmocka_unit_test(figures_have_units),
      cmocka_unit_test(inputs_follow_outputs),
      cmocka_unit_test(wheels_and_what_is_geared_to_them_roll_at_the_start),
      cmocka_unit_test(swing_arms_have_the_kinematics_asked_for),
      cmocka_unit_test(bushings_give_compliance_on_every_vehicle),
      cmocka_unit_test(a_strut_has_the_roll_center_of_its_drawing),
      cmocka_unit_test(a_double_wishbone_agrees_with_its_own_kinematics),
      cmocka_unit_test(understeer_does_not_depend_on_the_sweep),
      cmocka_unit_test(tyre_rig_finds_the_peak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
