// Equilibria on rigid contacts, against closed forms: what falls lies, what friction holds stays.
#include <stdio.h>

#include "contact/contact_machine.h"
#include "holon/analysis.h"

static const char *const sets[] = {"cartesian", "relative", "natural"};

static hn_statics_report rest(contact_machine *m) {
  hn_statics_report report = {0};
  hn_status status = hn_simulation_equilibrium(m->simulation, NULL, &report);
  if (status) fail_msg("%s", hn_simulation_error(m->simulation)->message);
  assert_true(report.came_to_rest);
  return report;
}

static contact_machine load_with(const char *name, const char *setting,
                                 const hn_simulation_options *how) {
  char path[512];
  contact_machine m = {0};
  hn_error error = {0};
  hn_load_options options = hn_default_load_options();
  options.settings = &setting;
  options.setting_count = setting ? 1 : 0;
  snprintf(path, sizeof path, HOLON_SOURCE_DIR "/models/contact/%s.yaml", name);
  if (hn_model_load(path, &options, &m.model, &error)) fail_msg("%s", error.message);
  if (hn_simulation_create(m.model, how, &m.simulation, &error)) fail_msg("%s", error.message);
  return m;
}

static contact_machine load(const char *name, const char *setting) {
  return load_with(name, setting, NULL);
}

static contact_machine load_in(const char *name, const char *setting, const char *coordinates) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  return load_with(name, setting, &options);
}

static void a_box_falls_onto_the_floor(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, -9.81));
  hn_quat tilted = quat_from_axis_angle(vec3(0.3, 1, 0), 0.2);
  int box = add_box(&m, "box", vec3(0.2, 0.3, 0.1), 2, vec3(0, 0, 0.4), tilted, vec3(0, 0, 0));
  add_contact(&m, "floor", box, m.plane, 0.4, 0.5);
  start(&m, 1e-6);
  hn_statics_report report = rest(&m);
  check_near(value_of(&m, "body.box.position.z"), 0.05, 1e-9);
  check_near(value_of(&m, "contact.floor.force"), 2 * 9.81, 1e-7);
  check_at_most(report.residual, 1e-7);
  finish(&m);
}

// Below the angle of friction it stays where it is drawn; above, nothing holds it.
static void a_slope_holds_up_to_the_angle_of_friction(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double slope = k ? 0.37 : 0.39; // tan: 0.3878, 0.4108
    contact_machine m = machine_on_plane(vec3(9.81 * sin(slope), 0, -9.81 * cos(slope)));
    int box = add_box(&m, "box", vec3(0.2, 0.2, 0.1), 2, vec3(0, 0, 0.05), (hn_quat){1, 0, 0, 0},
                      vec3(0, 0, 0));
    add_contact(&m, "floor", box, m.plane, 0, 0.4);
    start(&m, 1e-6);
    if (k) {
      rest(&m);
      check_near(value_of(&m, "body.box.position.x"), 0, 1e-12);
      check_near(value_of(&m, "contact.floor.friction"), 2 * 9.81 * sin(slope), 1e-9);
    } else {
      hn_status status = hn_simulation_equilibrium(m.simulation, NULL, NULL);
      assert_int_equal(status, HN_ERROR_CONVERGENCE);
      check_near(value_of(&m, "body.box.position.x"), 0, 0); // as before
    }
    finish(&m);
  }
}

static void a_ladder_stands_or_slides_down(void **state) {
  (void)state;
  const double a = acos(-1) / 3, weight = 98.1;
  const double wall = weight * cos(a) / (2 * sin(a) + 0.01); // needs friction 0.28702
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
    contact_machine m = load_in("ladder", "mu=0.2875", sets[k]);
    rest(&m);
    check_near(value_of(&m, "wall"), wall, 1e-8);
    check_near(value_of(&m, "floor"), weight, 1e-8);
    check_near(value_of(&m, "x"), cos(a) + 0.01, 1e-12);
    finish(&m);
    m = load_in("ladder", "mu=0.2865", sets[k]);
    rest(&m);
    check_near(value_of(&m, "z"), 0.01, 1e-8);
    check_near(value_of(&m, "floor"), weight, 1e-6);
    finish(&m);
  }
}

// The loop of wishbones, its strut and the tyre, which carries the weight.
static void a_suspension_rests_within_its_stops(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
    contact_machine m = load_in("bump-stop", NULL, sets[k]);
    hn_statics_report report = rest(&m);
    check_near(value_of(&m, "force.tyre.value"), 287 * 9.81, 1e-3);
    check_near(value_of(&m, "stop"), 0, 0);
    check_at_most(report.residual, 1e-5);
    finish(&m);
  }
}

// Methods of fixed steps, which locate no impact, have the same equilibrium. Their options are not those
// of the method that finds it.
static void it_rests_with_every_method(void **state) {
  (void)state;
  static const char *const presets[] = {"HYB+TR", "GLB+TR", "TPL+TR", "InflSDIRK"};
  for (int k = 0; k < 8; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.preset = presets[k / 2];
    options.step = 1e-3;
    options.realtime = k % 2;
    if (k == 7) {
      options.preset = NULL;
      options.formula = "sdirk2";
      options.gamma = 0.5;
    }
    if (k == 7) options.max_iterations = 5;
    contact_machine m = load_with("bump-stop", NULL, &options);
    rest(&m);
    check_near(value_of(&m, "force.tyre.value"), 287 * 9.81, 1e-3);
    finish(&m);
  }
}

static void what_moves_by_itself_is_refused(void **state) {
  (void)state;
  contact_machine m = load("cam", NULL);
  assert_int_equal(hn_simulation_equilibrium(m.simulation, NULL, NULL), HN_ERROR_UNSUPPORTED);
  check_names(hn_simulation_error(m.simulation)->element, "'motor'");
  finish(&m);
  m = load("disk", NULL);
  assert_int_equal(hn_simulation_equilibrium(m.simulation, NULL, NULL), HN_ERROR_UNSUPPORTED);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_falls_onto_the_floor),
      cmocka_unit_test(a_slope_holds_up_to_the_angle_of_friction),
      cmocka_unit_test(a_ladder_stands_or_slides_down),
      cmocka_unit_test(a_suspension_rests_within_its_stops),
      cmocka_unit_test(it_rests_with_every_method),
      cmocka_unit_test(what_moves_by_itself_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
