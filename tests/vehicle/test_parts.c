// Parts of vehicles (models/vehicles/parts), each alone with given inputs, against what its formulas
// give by hand.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/holon.h"
#include "support/check.h"

typedef struct bench {
  hn_model *model;
  hn_simulation *simulation;
} bench;

// `parts`: entries of components:, each with `use: P/...` written short.
static bench mount(const char *parts) {
  const char *path = "test_parts_bench.yaml";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "gravity: [0, 0, 0]\n"
                "bodies: {chassis: {mass: 1000, inertia: [1, 1, 1]}}\n"
                "joints: {held: {type: fixed, bodies: [ground, chassis], at: [0, 0, 0]}}\n"
                "components:\n");
  for (const char *line = parts; *line;) {
    size_t length = strcspn(line, "\n");
    const char *use = strstr(line, "P/");
    assert_true(use && use < line + length);
    fprintf(file, "  %.*smodels/vehicles/parts/%.*s\n", (int)(use - line), line,
            (int)(line + length - use - 2), use + 2);
    line += length + (line[length] == '\n');
  }
  fclose(file);
  bench b;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-9;
  if (hn_model_load(path, NULL, &b.model, &error)) fail_msg("%s %s", error.message, error.hint);
  if (hn_simulation_create(b.model, &options, &b.simulation, &error) != HN_OK)
    fail_msg("%s %s", error.message, error.hint);
  remove(path);
  return b;
}

static void put_away(bench *b) {
  hn_simulation_free(b->simulation);
  hn_model_free(b->model);
}

static double value(const bench *b, const char *name) {
  double x = NAN;
  check_ok(hn_simulation_value(b->simulation, name, &x));
  return x;
}

// Open: halves. Limited slip: the slower wheel gets more, by preload, fraction of the torque and
// viscous.
static void differentials_divide_the_torque(void **state) {
  (void)state;
  bench b = mount(
      "open: {use: P/differential.yaml, inputs: {torque: 100, left_speed: 10, right_speed: 30}}\n"
      "slip: {use: P/differential.yaml, parameters: {preload: 40, bias: 0.3, viscous: 2}, inputs: "
      "{torque: 100, left_speed: 10, right_speed: 30}}\n"
      "full: {use: P/differential.yaml, parameters: {preload: 40, bias: 0.3, most: 100}, inputs: "
      "{torque: 100, left_speed: 30, right_speed: 10}}\n");
  check_near(value(&b, "open.in_speed"), 3.9 * 20, 1e-12);
  check_near(value(&b, "open.left_torque"), 195, 1e-12);
  check_near(value(&b, "open.right_torque"), 195, 1e-12);
  double lock = 40 + 0.3 * 390 + 2 * 20;
  check_near(value(&b, "slip.left_torque"), 195 + lock / 2, 1e-9);
  check_near(value(&b, "slip.right_torque"), 195 - lock / 2, 1e-9);
  check_near(value(&b, "full.left_torque"), 195 - 50, 1e-9);
  check_near(value(&b, "full.right_torque"), 195 + 50, 1e-9);
  put_away(&b);
}

static void converter_multiplies_at_rest_and_couples(void **state) {
  (void)state;
  bench b =
      mount("stall: {use: P/converter.yaml, inputs: {pump_speed: 200, turbine_speed: 0}}\n"
            "half: {use: P/converter.yaml, inputs: {pump_speed: 200, turbine_speed: 87}}\n"
            "coupled: {use: P/converter.yaml, inputs: {pump_speed: 200, turbine_speed: 180}}\n"
            "overrun: {use: P/converter.yaml, inputs: {pump_speed: 200, turbine_speed: 220}}\n");
  check_near(value(&b, "stall.pump_torque"), 0.0035 * 200 * 200, 1e-9);
  check_near(value(&b, "stall.turbine_torque"), 2 * 0.0035 * 200 * 200, 1e-9);
  check_near(value(&b, "half.turbine_torque"), 1.5 * 0.0035 * 200 * 113, 1e-9);
  check_near(value(&b, "coupled.turbine_torque"), value(&b, "coupled.pump_torque"), 1e-12);
  check_near(value(&b, "overrun.turbine_torque"), -0.0035 * 200 * 20, 1e-9);
  put_away(&b);
}

// Its output shaft runs up by 100 rad/s a second: 3.6 w = 480 at 1.333 s, 2.1 w = 480 at 2.286 s.
static void gearbox_shifts_where_its_input_is_fast(void **state) {
  (void)state;
  static const double at[] = {1, 1.32, 1.35, 2.27, 2.3, 3.4},
                      ratio[] = {3.6, 3.6, 2.1, 2.1, 1.4, 1.4};
  bench b = mount("box: {use: P/gearbox.yaml, inputs: {torque: 50, out_speed: 100*time}}\n");
  for (int k = 0; k < 6; k++) {
    check_ok(hn_simulation_advance(b.simulation, at[k]));
    check_near(value(&b, "box.in_speed"), ratio[k] * 100 * at[k], 1e-6);
    check_near(value(&b, "box.out_torque"), 0.97 * 50 * ratio[k], 1e-6);
  }
  put_away(&b);
}

static void brakes_follow_with_a_lag_and_spare_the_rear(void **state) {
  (void)state;
  bench b = mount("brakes: {use: P/brakes.yaml, inputs: {pedal: 0.5}}\n");
  const double front = 2 * 0.4 * 2e-3 * 0.13, rear = 2 * 0.4 * 0.9e-3 * 0.125;
  check_ok(hn_simulation_advance(b.simulation, 0.05));
  check_relative(value(&b, "brakes.front"), front * 5e6 * (1 - exp(-1)), 1e-6);
  check_relative(value(&b, "brakes.rear"), rear * 5e6 * (1 - exp(-1)), 1e-6);
  check_ok(hn_simulation_advance(b.simulation, 2));
  check_relative(value(&b, "brakes.front"), front * 5e6, 1e-6);
  check_relative(value(&b, "brakes.rear"), rear * (4e6 + 0.3 * 1e6), 1e-6); // behind the knee
  put_away(&b);
}

// A locked wheel: 0.12 less at each of the samples at 0, 5, ... 20 ms; then it rolls: 0.03 more each.
static void abs_lets_go_and_builds_up(void **state) {
  (void)state;
  bench b =
      mount("abs: {use: P/abs.yaml, inputs: {wheel_speed: '0 if time < 0.0225 else 20/0.304', "
            "vehicle_speed: 20}}\n"
            "slow: {use: P/abs.yaml, inputs: {wheel_speed: 0, vehicle_speed: 2}}\n"
            "held: {use: P/abs.yaml, inputs: {wheel_speed: '0 if time < 0.0125 else "
            "0.88*20/0.304', vehicle_speed: 20}}\n");
  check_ok(hn_simulation_advance(b.simulation, 0.022));
  check_near(value(&b, "abs.share"), 1 - 5 * 0.12, 1e-9);
  check_near(value(&b, "held.share"), 1 - 3 * 0.12, 1e-9);
  check_ok(hn_simulation_advance(b.simulation, 0.0475));
  check_near(value(&b, "abs.share"), 1 - 5 * 0.12 + 5 * 0.03, 1e-9);
  check_near(value(&b, "held.share"), 1 - 3 * 0.12, 1e-9);
  check_near(value(&b, "slow.share"), 1, 0);
  put_away(&b);
}

// Between w1 and w2 of the map.
static double idle_torque(double w) {
  double full = 120 + (w - 80) / 100 * 70, pedal = 0.04 * (85 - w);
  return pedal * full - (1 - pedal) * (12 + 0.05 * w);
}

static void engine_follows_its_map(void **state) {
  (void)state;
  bench b = mount(
      "held: {use: P/engine-map.yaml, parameters: {start: 415}, inputs: {throttle: 1, load: 210}}\n"
      "drag: {use: P/engine-map.yaml, parameters: {start: 500}, inputs: {throttle: 0, load: 0}}\n"
      "idle: {use: P/engine-map.yaml, parameters: {start: 85}, inputs: {throttle: 0, load: 0}}\n");
  check_ok(hn_simulation_advance(b.simulation, 1));
  check_near(value(&b, "held.speed"), 415, 1e-6); // full load there is 210 N m
  check_relative(value(&b, "drag.speed"), 740 * exp(-0.05 / 0.18) - 240, 1e-6);
  check_ok(hn_simulation_advance(b.simulation, 10));
  double low = 80, high = 85;
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (low + high);
    if (idle_torque(middle) > 0)
      low = middle;
    else
      high = middle;
  }
  check_relative(value(&b, "idle.speed"), low, 1e-6);
  put_away(&b);
}

// Slipping it has its capacity, either way; open next to nothing; at equal speeds it stays wound.
static void clutch_carries_its_capacity(void **state) {
  (void)state;
  bench b =
      mount("slips: {use: P/clutch.yaml, inputs: {first_speed: 100, second_speed: 90}}\n"
            "back: {use: P/clutch.yaml, inputs: {first_speed: 90, second_speed: 100}}\n"
            "open: {use: P/clutch.yaml, inputs: {first_speed: 100, second_speed: 90, open: 1}}\n"
            "stays: {use: P/clutch.yaml, inputs: {first_speed: '100 if time < 0.02 else 90', "
            "second_speed: 90}}\n");
  check_ok(hn_simulation_advance(b.simulation, 1));
  check_relative(value(&b, "slips.torque"), 350, 1e-6);
  check_relative(value(&b, "back.torque"), -350, 1e-6);
  check_relative(value(&b, "open.torque"), 3.5, 1e-6);
  double wound = value(&b, "stays.torque");
  assert_true(wound > 50 && wound < 350);
  check_ok(hn_simulation_advance(b.simulation, 5));
  check_near(value(&b, "stays.torque"), wound, 1e-9);
  put_away(&b);
}

// The rack comes to rest where the column is not wound: pinion times ratio times angle.
static void steering_moves_its_rack(void **state) {
  (void)state;
  bench b =
      mount("steering: {use: P/steering.yaml, bodies: {chassis: chassis}, inputs: {angle: 0.1}}\n");
  check_near(value(&b, "steering.hand_torque"), 80 * 16 * 0.1, 1e-6);
  check_ok(hn_simulation_advance(b.simulation, 5));
  check_near(value(&b, "steering.rack_travel"), 0.008 * 16 * 0.1, 1e-8);
  check_near(value(&b, "steering.hand_torque"), 0, 1e-3);
  put_away(&b);
}

static void anti_roll_bar_resists_the_difference_alone(void **state) {
  (void)state;
  bench b = mount("bar: {use: P/anti-roll-bar.yaml, inputs: {left: 0.02, right: -0.01}}\n"
                  "heave: {use: P/anti-roll-bar.yaml, inputs: {left: 0.02, right: 0.02}}\n");
  check_near(value(&b, "bar.left_force"), 600, 1e-9);
  check_near(value(&b, "bar.right_force"), -600, 1e-9);
  check_near(value(&b, "heave.left_force"), 0, 1e-12);
  put_away(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differentials_divide_the_torque),
      cmocka_unit_test(converter_multiplies_at_rest_and_couples),
      cmocka_unit_test(gearbox_shifts_where_its_input_is_fast),
      cmocka_unit_test(brakes_follow_with_a_lag_and_spare_the_rear),
      cmocka_unit_test(abs_lets_go_and_builds_up),
      cmocka_unit_test(engine_follows_its_map),
      cmocka_unit_test(clutch_carries_its_capacity),
      cmocka_unit_test(steering_moves_its_rack),
      cmocka_unit_test(anti_roll_bar_resists_the_difference_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
