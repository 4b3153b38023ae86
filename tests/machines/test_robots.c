// The robots of models/robots stand, trot and carry for as long as they run.
#include <math.h>

#include "holon/load.h"
#include "holon/simulation.h"
#include "support/check.h"

#define FOLDER HOLON_SOURCE_DIR "/models/robots/"

typedef struct robot {
  hn_model *model;
  hn_simulation *simulation;
} robot;

static robot start(const char *path, const char *setting) {
  robot r;
  hn_load_options options = hn_default_load_options();
  hn_error error = {0};
  options.settings = &setting;
  options.setting_count = setting != NULL;
  if (hn_model_load(path, &options, &r.model, &error)) fail_msg("%s", error.message);
  if (hn_simulation_create(r.model, NULL, &r.simulation, &error)) fail_msg("%s", error.message);
  return r;
}

static double value(const robot *r, const char *name) {
  double x;
  check_ok(hn_simulation_value(r->simulation, name, &x));
  return x;
}

static void stop(robot *r) {
  hn_simulation_free(r->simulation);
  hn_model_free(r->model);
}

static void quadruped_trots_where_it_is_told(void **state) {
  (void)state;
  const double strides[] = {0.2, -0.2};
  for (int k = 0; k < 2; k++) {
    robot r = start(FOLDER "quadruped.yaml", NULL);
    check_ok(hn_simulation_set_input(r.simulation, 0, strides[k]));
    for (int second = 1; second <= 4; second++) {
      check_ok(hn_simulation_advance(r.simulation, second));
      assert_true(value(&r, "height") > 0.3 && fabs(value(&r, "pitch")) < 0.1);
    }
    assert_true(value(&r, "x") * strides[k] > 0.15); // more than 0.75 m in that direction
    assert_true(fabs(value(&r, "y")) < 0.1);
    stop(&r);
  }
  robot r = start(FOLDER "quadruped.yaml", "trot=0");
  check_ok(hn_simulation_advance(r.simulation, 4));
  assert_true(fabs(value(&r, "x")) < 0.02 && value(&r, "height") > 0.33);
  stop(&r);
}

// Its own motion does not topple it; a push on the chest that its feet cannot bear does.
static void humanoid_stands_until_it_is_pushed(void **state) {
  (void)state;
  for (int is_pushed = 0; is_pushed < 2; is_pushed++) {
    robot r = start(FOLDER "humanoid.yaml", NULL);
    check_ok(hn_simulation_set_input(r.simulation, 0, is_pushed ? 60 : 0));
    check_ok(hn_simulation_advance(r.simulation, 5));
    if (is_pushed)
      assert_true(value(&r, "height") < 0.5);
    else
      assert_true(value(&r, "height") > 1.17 && fabs(value(&r, "pitch")) < 0.02);
    stop(&r);
  }
}

// The parallelogram: thigh and rod stay parallel, crank and lever of the shank, too. The trunk, 0.12 m
// above the hips, is as high as both links of 0.34 m reach from the ankle at 0.06 m; they start at
// 0.35 rad.
static void biped_squats_with_closed_loops(void **state) {
  (void)state;
  robot r = start(FOLDER "biped.yaml", NULL);
  const double high = value(&r, "height");
  double low = high;
  for (int k = 1; k <= 20; k++) {
    check_ok(hn_simulation_advance(r.simulation, 0.1 * k));
    low = fmin(low, value(&r, "height"));
    check_near(value(&r, "body.left_thigh.pitch"), value(&r, "body.left_rod.pitch"), 1e-9);
    const double knee = value(&r, "joint.left_knee.angle"), hip = value(&r, "joint.left_hip.angle");
    check_near(hip + knee, value(&r, "joint.left_crank.angle"), 1e-9);
    const double thigh = 0.35 - value(&r, "body.left_thigh.pitch");
    const double shank = 0.35 + value(&r, "body.left_shank.pitch");
    const double reach = 0.34 * (cos(thigh) + cos(shank)) + 0.12 * cos(value(&r, "pitch"));
    check_near(value(&r, "height"), 0.06 + reach, 2e-3);
  }
  assert_true(high - low > 0.15);
  stop(&r);
}

// The cube goes from (0.42, 0) to where a turn of 1.2 rad takes it, through the air.
static void arm_carries_the_cube(void **state) {
  (void)state;
  robot r = start(FOLDER "arm.yaml", NULL);
  check_ok(hn_simulation_advance(r.simulation, 4));
  assert_true(value(&r, "cube.z") > 0.2);
  check_ok(hn_simulation_advance(r.simulation, 9));
  check_near(value(&r, "cube.x"), 0.42 * cos(1.2), 0.01);
  check_near(value(&r, "cube.y"), 0.42 * sin(1.2), 0.01);
  check_near(value(&r, "cube.z"), 0.025, 1e-4);
  stop(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadruped_trots_where_it_is_told),
      cmocka_unit_test(humanoid_stands_until_it_is_pushed),
      cmocka_unit_test(biped_squats_with_closed_loops),
      cmocka_unit_test(arm_carries_the_cube),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
