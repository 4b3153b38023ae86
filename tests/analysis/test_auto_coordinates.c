// Coordinates `auto`: relative ones for a tree, Cartesian ones for a model of loops unless the tree
// takes over most of its constraints; other options can force a choice. The certificate has the
// reason.
#include "machines/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/machines.h"

static hn_certificate run(const hn_model *model, hn_simulation_options options) {
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  if (hn_simulation_create(model, &options, &simulation, &error)) fail_msg("%s", error.message);
  check_ok(hn_simulation_advance(simulation, 0.05));
  hn_certificate certificate = hn_simulation_certificate(simulation);
  hn_simulation_free(simulation);
  return certificate;
}

static hn_simulation_options open_options(void) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "auto";
  return options;
}

static void a_tree_moves_in_relative_coordinates(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_certificate c = run(model, open_options());
  assert_string_equal(c.coordinates, "relative");
  hn_model_free(model);
}

// Without options the library chooses like the command.
static void without_a_word_all_is_chosen(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_certificate c = run(model, hn_default_simulation_options());
  assert_string_equal(c.coordinates, "relative");
  c = run(model, (hn_simulation_options){0});
  assert_string_equal(c.coordinates, "relative");
  hn_model_free(model);
}

// Links between two plates, each by two ball joints: more loops than bodies.
static hn_model *make_platform(void) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_body_def plate = hn_default_body();
  plate.name = "plate";
  check_ok(hn_model_add_body(model, &plate, NULL));
  for (int k = 0; k < 4; k++) {
    hn_joint_def rod = hn_default_joint(HN_JOINT_DISTANCE);
    char name[16];
    double x = cos(1.5 * k), y = sin(1.5 * k);
    snprintf(name, sizeof name, "rod%d", k);
    rod.name = name;
    rod.frame1 = hn_model_frame(model, HN_GROUND, (hn_vec3){2 * x, 2 * y, 1}, (hn_vec3){0, 0, 1});
    rod.frame2 = hn_model_frame(model, 1, (hn_vec3){x, y, 0}, (hn_vec3){0, 0, 1});
    rod.length = sqrt(2);
    check_ok(hn_model_add_joint(model, &rod, NULL));
  }
  check_ok(hn_model_finish(model));
  return model;
}

static void check_choice(const char *path, const char *coordinates, const char *reason) {
  machine made = machine_open(path, NULL, 0);
  hn_certificate c = run(made.model, open_options());
  assert_string_equal(c.coordinates, coordinates);
  check_names(c.choice, reason);
  machine_close(&made);
}

// One body whose two rows no tree takes over.
static void a_joint_outside_the_tree_takes_cartesian_coordinates(void **state) {
  (void)state;
  check_choice("examples/joint-parallel.yaml", "cartesian", "");
}

static void many_loops_take_cartesian_coordinates(void **state) {
  (void)state;
  hn_model *model = make_platform();
  hn_certificate c = run(model, open_options());
  assert_string_equal(c.coordinates, "cartesian");
  check_names(c.choice, "3 1");
  hn_model_free(model);
}

// The corners of a car: as many loops, but the tree takes most of their rows over.
static void loops_of_a_suspension_stay_in_relative_coordinates(void **state) {
  (void)state;
  check_choice("iltis/rest.yaml", "relative", "12 9");
}

static void a_method_that_needs_cartesian_ones_gets_them(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_simulation_options options = open_options();
  hn_certificate c = run(model, options);
  assert_string_equal(c.coordinates, "relative");
  options.method = "components";
  c = run(model, options);
  assert_string_equal(c.coordinates, "cartesian");
  options = open_options();
  options.linear_solver = "augmented";
  c = run(model, options);
  assert_string_equal(c.coordinates, "cartesian");
  hn_model_free(model);
}

static double sag(double x, double length) { return 0.5 * x * (x - length) / length; }

// Links from ball to ball, both ends on ground.
static hn_model *make_cable(int links) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_model_set_gravity(model, (hn_vec3){0, 0, -9.81});
  for (int k = 0; k <= links; k++) {
    char name[16];
    hn_body_def link = hn_default_body();
    snprintf(name, sizeof name, "link%d", k);
    link.name = name;
    link.position = (hn_vec3){k + 0.5, 0, sag(k + 0.5, links)};
    if (k < links) check_ok(hn_model_add_body(model, &link, NULL));
    hn_joint_def ball = hn_default_joint(HN_JOINT_SPHERICAL);
    const hn_vec3 at = {k, 0, sag(k, links)}, z = {0, 0, 1};
    snprintf(name, sizeof name, "ball%d", k);
    ball.name = name;
    ball.frame1 = hn_model_frame(model, k, at, z);
    ball.frame2 = hn_model_frame(model, k < links ? k + 1 : HN_GROUND, at, z);
    check_ok(hn_model_add_joint(model, &ball, NULL));
  }
  check_ok(hn_model_finish(model));
  return model;
}

static void a_long_loop_moves_in_cartesian_coordinates(void **state) {
  (void)state;
  hn_model *short_one = make_cable(5), *long_one = make_cable(40);
  hn_certificate c = run(short_one, open_options());
  assert_string_equal(c.coordinates, "relative");
  check_names(c.choice, "1 5");
  c = run(long_one, open_options());
  assert_string_equal(c.coordinates, "cartesian");
  check_names(c.choice, "1 40");
  hn_model_free(short_one);
  hn_model_free(long_one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tree_moves_in_relative_coordinates),
      cmocka_unit_test(a_long_loop_moves_in_cartesian_coordinates),
      cmocka_unit_test(without_a_word_all_is_chosen),
      cmocka_unit_test(a_joint_outside_the_tree_takes_cartesian_coordinates),
      cmocka_unit_test(many_loops_take_cartesian_coordinates),
      cmocka_unit_test(loops_of_a_suspension_stay_in_relative_coordinates),
      cmocka_unit_test(a_method_that_needs_cartesian_ones_gets_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
