// Rigs laid over vehicles, figures, inputs that follow outputs and wheels that roll at the start,
// against closed forms.
#include <math.h>
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

static hn_model *load_over(const char *vehicle, const char *over) {
  const char *overlays[] = {over};
  hn_load_options options = hn_default_load_options();
  options.overlays = overlays;
  options.overlay_count = 1;
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

static run run_to_the_end(hn_model *model, double tol) {
  run r = {.model = model, .simulation = start(model, tol)};
  hn_run_plan plan = {.without_scene = 1};
  hn_run_outcome outcome;
  hn_error error = {0};
  check_ok(hn_recording_create(r.simulation, &plan, 0, &r.recording, &error));
  hn_run_sink sink = hn_recording_sink(&r.recording);
  check_ok(hn_run(r.simulation, &plan, &sink, &outcome));
  return r;
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

#define BODY "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"

// A first-order lag reaches 90 % after T ln 10; a swinging one overshoots by exp(-pi D/sqrt(1 - D^2)).
static void figures_are_those_of_known_curves(void **state) {
  (void)state;
  run r = run_to_the_end(
      load_text(BODY "states:\n"
                     "  lag: {rate: (1 - lag)/0.2}\n"
                     "  x: {rate: v}\n"
                     "  v: {rate: 100*(1 - x) - 6*v}\n"
                     "outputs: {lag: state.lag, x: state.x, line: 3*time + 1, slow: 0.5*time}\n"
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

// The wheel rate of a strut is its spring; the roll centre of a McPherson corner lies where the line
// from the contact point to the meeting of arm and normal of the strut passes the middle of the car.
static void kinematics_rig_measures_what_is_drawn(void **state) {
  (void)state;
  run r = run_to_the_end(load_over("models/vehicles/passenger.yaml", "models/rigs/kinematics.yaml"),
                         1e-6);
  check_relative(figure(&r, "front_wheel_rate"), 32, 1e-4);
  check_relative(figure(&r, "rear_wheel_rate"), 30, 1e-4);
  check_near(figure(&r, "front_toe_gradient"), 0, 1e-9);
  check_near(figure(&r, "front_camber_gradient"), 0, 1e-9);
  finish(&r);
  r = run_to_the_end(load_over("models/vehicles/car.yaml", "models/rigs/kinematics.yaml"), 1e-6);
  const double along = (0.21 - 0.84 - 0.02 * 0.22 / 0.35) / (0.075 + 0.02 * 0.5 / 0.35);
  const double y = -0.18 + 0.5 * along, z = 0.84 + 0.075 * along;
  double track = 0, load = 0;
  check_ok(hn_simulation_value(r.simulation, "front_track", &track));
  check_ok(hn_simulation_value(r.simulation, "body.front_left.wheel.position.z", &load));
  const double road = load - 0.3;
  check_relative(figure(&r, "roll_centre"), 0.5 * track * (z - road) / -y, 0.02);
  check_relative(figure(&r, "front_camber_gradient"), 180 / M_PI / (1000 * y), 0.03); // deg/mm
  finish(&r);
}

// The largest forces of the tyre are its friction times the load.
static void tyre_rig_finds_the_peak(void **state) {
  (void)state;
  run r =
      run_to_the_end(load_over("models/vehicles/passenger.yaml", "models/rigs/tyre.yaml"), 1e-6);
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
      cmocka_unit_test(kinematics_rig_measures_what_is_drawn),
      cmocka_unit_test(tyre_rig_finds_the_peak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
