// Wheels that stand: a parked car does not creep, a brake locks its wheel and holds it, a locked
// wheel on a slope gives way by the inverse of its curve.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/holon.h"
#include "support/check.h"

static hn_simulation *start(const char *path, hn_load_options *load, double tol, hn_model **model) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = tol;
  if (hn_model_load(path, load, model, &error)) fail_msg("%s %s", error.message, error.hint);
  if (hn_simulation_create(*model, &options, &s, &error) != HN_OK) fail_msg("%s", error.message);
  return s;
}

static double signal_of(hn_simulation *s, const char *name) {
  int index = hn_simulation_find_signal(s, name);
  if (index < 0) fail_msg("no signal %s", name);
  return hn_simulation_signal(s, index);
}

// Lays the tyre over all wheels of the passenger car, in a file of its own.
static const char *const wheels[] = {"front_left", "front_right", "rear_left", "rear_right"};

static void write_tyres(const char *path, const char *tyre) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "forces:\n");
  for (int k = 0; k < 4; k++)
    fprintf(file, "  %s_tyre: {model: models/tyres/%s.tir}\n", wheels[k], tyre);
  fclose(file);
}

static double of_wheel(hn_simulation *s, const char *pattern, const char *wheel) {
  char name[96];
  snprintf(name, sizeof name, pattern, wheel);
  return signal_of(s, name);
}

// Forces of a tyre are along its own axes, which toe and camber turn: spin axis a, forwards a x z.
static double pull_along_x(hn_simulation *s, const char *wheel) {
  const double w = of_wheel(s, "body.%s.wheel.quaternion.w", wheel),
               x = of_wheel(s, "body.%s.wheel.quaternion.x", wheel),
               y = of_wheel(s, "body.%s.wheel.quaternion.y", wheel),
               z = of_wheel(s, "body.%s.wheel.quaternion.z", wheel);
  const double ax = 2 * (x * y - w * z), ay = 1 - 2 * (x * x + z * z), length = hypot(ax, ay);
  return (of_wheel(s, "force.%s_tyre.fx", wheel) * ay +
          of_wheel(s, "force.%s_tyre.fy", wheel) * ax) /
         length;
}

// On a slope of 20 % with locked brakes: below 1e-9 m in 100 s, with each model of tyres.
static void parked_car_stays(void **state) {
  (void)state;
  static const char *const tyres[] = {"car_205_60R15", "car-fiala", "car-brush", "car-tmeasy",
                                      "hmmwv-pac89"};
  const char *over = "test_standing_tyres.yaml";
  const char *overlays[] = {"models/manoeuvres/parked.yaml", over};
  for (int k = 0; k < 5; k++) {
    hn_load_options load = hn_default_load_options();
    load.overlays = overlays;
    load.overlay_count = 2;
    write_tyres(over, tyres[k]);
    hn_model *model;
    hn_simulation *s = start("models/vehicles/passenger.yaml", &load, 1e-8, &model);
    check_ok(hn_simulation_advance(s, 30));
    double x = signal_of(s, "x"), y = signal_of(s, "y"),
           z = signal_of(s, "body.chassis.position.z");
    check_ok(hn_simulation_advance(s, 130));
    check_near(signal_of(s, "x"), x, 1e-9);
    check_near(signal_of(s, "y"), y, 1e-9);
    check_near(signal_of(s, "body.chassis.position.z"), z, 1e-9);
    double pull = 0, weight = 1450 * 9.81 * 0.2 / sqrt(1.04);
    for (int w = 0; w < 4; w++) pull += pull_along_x(s, wheels[w]);
    check_relative(pull, weight, 1e-6);
    hn_simulation_free(s);
    hn_model_free(model);
  }
  remove(over);
}

typedef struct history {
  double way[40], aside[40], speed[40];
} history;

static history follow(const char *vehicle, const char *overlay, const char *setting,
                      double tolerance) {
  history h;
  hn_load_options load = hn_default_load_options();
  load.overlays = &overlay;
  load.overlay_count = 1;
  load.settings = &setting;
  load.setting_count = setting != NULL;
  hn_model *model;
  hn_simulation *s = start(vehicle, &load, tolerance, &model);
  for (int i = 0; i < 40; i++) {
    check_ok(hn_simulation_advance(s, 0.05 * (i + 1)));
    h.way[i] = signal_of(s, "x");
    h.aside[i] = signal_of(s, "y");
    h.speed[i] = signal_of(s, "speed");
  }
  hn_simulation_free(s);
  hn_model_free(model);
  return h;
}

static void check_same(const history *a, const history *b, double way, double speed) {
  for (int i = 0; i < 40; i++) {
    check_near(a->way[i], b->way[i], way);
    check_near(a->aside[i], b->aside[i], way);
    check_near(a->speed[i], b->speed[i], speed);
  }
}

// While it gives way its wheels turn by some millimeters, with brakes that are springs and with the
// chassis that pitches. Marks of the tyres stay the same meanwhile: the motion is that of tighter steps.
static void settling_does_not_depend_on_steps(void **state) {
  (void)state;
  static const char *const vehicles[] = {"models/vehicles/passenger.yaml",
                                         "models/vehicles/iltis.yaml"};
  static const char *const slopes[] = {"slope=-0.3", "slope=-0.4"};
  for (int k = 0; k < 2; k++) {
    history loose = follow(vehicles[k], "models/manoeuvres/parked.yaml", slopes[k], 1e-8);
    history tight = follow(vehicles[k], "models/manoeuvres/parked.yaml", slopes[k], 1e-10);
    check_same(&loose, &tight, 1e-7, 1e-6);
  }
}

// Rolling at 0.2 m/s across a slope of 10 %, its wheels get new marks every 4 cm. What they have rolled
// off is forgotten on the way, not there: side forces are continuous.
static void creeping_tyres_have_no_jumps(void **state) {
  (void)state;
  const char *over = "test_standing_creep.yaml";
  FILE *file = fopen(over, "w");
  assert_non_null(file);
  fprintf(file, "gravity: [0, -0.98, -9.76]\ninitial: {speed: 0.2}\n");
  fclose(file);
  hn_load_options load = hn_default_load_options();
  load.overlays = &over;
  load.overlay_count = 1;
  hn_model *model;
  hn_simulation *s = start("models/vehicles/passenger.yaml", &load, 1e-7, &model);
  remove(over);
  check_ok(hn_simulation_advance(s, 0.6));
  double before = signal_of(s, "force.rear_left_tyre.fy"), begin = signal_of(s, "x");
  assert_true(fabs(before) > 200);
  for (int i = 1; i <= 1000; i++) {
    check_ok(hn_simulation_advance(s, 0.6 + 1e-3 * i));
    double now = signal_of(s, "force.rear_left_tyre.fy");
    check_near(now, before, 0.003 * fabs(before));
    before = now;
  }
  assert_true(signal_of(s, "x") - begin > 0.15);
  hn_simulation_free(s);
  hn_model_free(model);
}

// The wheel locks at t = 0.478334154, then the brake holds it: DOP853 at 1e-13.
static void brake_locks_the_wheel(void **state) {
  (void)state;
  static const char *const settings[] = {"torque=1500"};
  hn_load_options load = hn_default_load_options();
  load.settings = settings;
  load.setting_count = 1;
  hn_model *model;
  hn_simulation *s = start("models/vehicles/references/quarter-car.yaml", &load, 1e-10, &model);
  check_ok(hn_simulation_advance(s, 0.4783341544354573));
  check_near(signal_of(s, "omega"), 0, 1e-5);
  check_near(signal_of(s, "v"), 26.349779049006802, 1e-8);
  check_ok(hn_simulation_advance(s, 1));
  double after = 1 - 0.4783341544354573, a = 7.061249968657767;
  check_near(signal_of(s, "omega"), 0, 1e-6);
  check_near(signal_of(s, "v"), 26.349779049006802 - a * after,
             2e-6); // the brake gives way a little
  check_near(signal_of(s, "x"),
             13.556079808585679 + 26.349779049006802 * after - 0.5 * a * after * after, 1e-6);
  hn_simulation_free(s);
  hn_model_free(model);
}

// With a relaxation length of 0.3 m: u' = w R - v - v u/sigma, by Runge and Kutta in 80000 steps.
static void slips_relax(void **state) {
  (void)state;
  static const char *const methods[] = {NULL, "descriptor"};
  for (int k = 0; k < 2; k++) {
    const char *over = "test_standing_relaxes.yaml";
    FILE *file = fopen(over, "w");
    assert_non_null(file);
    fprintf(file, "forces: {tyre: {relaxation: true}}\n");
    fprintf(file, methods[k] ? "simulation: {method: %s}\n" : "%s", methods[k] ? methods[k] : "");
    fclose(file);
    hn_load_options load = hn_default_load_options();
    load.overlays = &over;
    load.overlay_count = 1;
    hn_model *model;
    hn_simulation *s = start("models/vehicles/references/quarter-car.yaml", &load, 1e-9, &model);
    check_ok(hn_simulation_advance(s, 2));
    check_near(signal_of(s, "v"), 15.169173733229908, 1e-7);
    check_near(signal_of(s, "x"), 45.92277864982626, 1e-7);
    check_relative(signal_of(s, "force.tyre.slip"), -0.018228528258276172 / 0.3, 1e-5);
    hn_simulation_free(s);
    hn_model_free(model);
    remove(over);
  }
}

// m g sin a = Fx(u/sigma): 2.026371970109169 mm, by bisection of the formula.
static void locked_wheel_gives_way_by_its_curve(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s = start("models/vehicles/references/slope.yaml", NULL, 1e-10, &model);
  check_ok(hn_simulation_advance(s, 10));
  double x = signal_of(s, "x");
  check_relative(x, -0.002026371970109169, 1e-6);
  check_ok(hn_simulation_advance(s, 60));
  check_near(signal_of(s, "x"), x, 1e-12);
  hn_simulation_free(s);
  hn_model_free(model);
}

static hn_simulation *start_text(const char *text, const char *setting, hn_model **model) {
  hn_load_options load = hn_default_load_options();
  load.settings = &setting;
  load.setting_count = 1;
  hn_simulation *s = NULL;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "disc.yaml", &load, model, &error))
    fail_msg("%s %s", error.message, error.hint);
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-9;
  check_ok(hn_simulation_create(*model, &options, &s, &error));
  return s;
}

// Friction of 3 N m against a torque of 2 N m holds a disc, against 4 N m it slips with 1 N m.
static double turned_by(double torque) {
  static const char text[] =
      "parameters: {torque: 2}\n"
      "bodies: {disc: {mass: 1, inertia: [0.5, 0.5, 0.5]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, disc], at: [0, 0, 0], axis: z}}\n"
      "forces:\n"
      "  brake: {type: joint-friction, joint: pin, torque: 3 + 0*t, stiffness: 1e5, damping: 200}\n"
      "  motor: {type: torque, joint: pin, torque: torque}\n";
  char setting[40];
  hn_model *model = NULL;
  snprintf(setting, sizeof setting, "torque=%.17g", torque);
  hn_simulation *s = start_text(text, setting, &model);
  check_ok(hn_simulation_advance(s, 2));
  double angle = signal_of(s, "joint.pin.angle");
  hn_simulation_free(s);
  hn_model_free(model);
  return angle;
}

static void friction_holds_and_slips(void **state) {
  (void)state;
  check_near(turned_by(2), 2e-5, 1e-10);
  check_near(turned_by(-2), -2e-5, 1e-10);
  check_relative(turned_by(4), 0.5 * (1 / 0.5) * 4, 0.005); // but for the wind-up
}

// A disc of I = 0.5 kg m^2 that a brake of T = 3 N m stops from w = 2 rad/s after I w/T = 1/3 s and
// I w^2/(2 T) = 1/3 rad. Then its spring of K = 1000 N m/rad has its largest deflection, T/K,
// and the disc oscillates about the position without load.
static void a_braked_disc_oscillates_after_it_stops(void **state) {
  (void)state;
  static const char text[] =
      "parameters: {speed: 2}\n"
      "bodies: {disc: {mass: 1, inertia: [0.5, 0.5, 0.5], initial: {angular_velocity: [0, 0, "
      "speed]}}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, disc], at: [0, 0, 0], axis: z}}\n"
      "forces: {brake: {type: joint-friction, joint: pin, torque: 3, stiffness: 1000, damping: "
      "10}}\n";
  const double stretch = 3.0 / 1000, decay = 10 / (2 * 0.5);
  const double swing = sqrt(1000 / 0.5 - decay * decay);
  for (int sign = -1; sign <= 1; sign += 2) {
    hn_model *model = NULL;
    hn_simulation *s = start_text(text, sign > 0 ? "speed=2" : "speed=-2", &model);
    for (double since = 0; since < 3; since += since < 0.2 ? 0.04 : 1) {
      const double left =
          stretch * exp(-decay * since) * (cos(swing * since) + decay / swing * sin(swing * since));
      check_ok(hn_simulation_advance(s, 1.0 / 3 + since));
      check_near(signal_of(s, "joint.pin.angle"), sign * (1.0 / 3 - stretch + left), 1e-7);
    }
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parked_car_stays),
      cmocka_unit_test(settling_does_not_depend_on_steps),
      cmocka_unit_test(creeping_tyres_have_no_jumps),
      cmocka_unit_test(brake_locks_the_wheel),
      cmocka_unit_test(slips_relax),
      cmocka_unit_test(locked_wheel_gives_way_by_its_curve),
      cmocka_unit_test(friction_holds_and_slips),
      cmocka_unit_test(a_braked_disc_oscillates_after_it_stops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
