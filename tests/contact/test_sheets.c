// Meshes without thickness: a body that falls freely from far away, in few long steps, meets them
// at the exact moment; one that starts behind a mesh is reported.
#include "contact/contact_machine.h"

#define RADIUS 0.01
enum { BALL = 1 };

// A square sheet of 1 m, 0.3 m up: its triangles face up or down.
static contact_machine over_sheet(int faces_down, hn_vec3 position, hn_vec3 velocity) {
  static const double vertices[] = {-0.5, -0.5, 0.3, 0.5, -0.5, 0.3, 0.5, 0.5, 0.3, -0.5, 0.5, 0.3};
  static const int up[] = {0, 1, 2, 0, 2, 3}, down[] = {0, 2, 1, 0, 3, 2};
  static const hn_mesh meshes[] = {{"sheet", 4, 2, vertices, up}, {"sheet", 4, 2, vertices, down}};
  contact_machine m = {0};
  check_ok(hn_model_create(NULL, &m.model));
  check_model(&m, hn_model_set_gravity(m.model, vec3(0, 0, -GRAVITY)));
  hn_shape_def sheet = hn_default_shape(HN_SHAPE_MESH);
  sheet.mesh = &meshes[faces_down];
  check_model(&m, hn_model_add_shape(m.model, &sheet, &m.plane));
  const int ball = add_ball(&m, "ball", RADIUS, 0.02, position, velocity, vec3_zero());
  add_contact(&m, "sheet", m.plane, ball, 0.5, 0);
  start(&m, 1e-6);
  return m;
}

static void check_bounce(double height, double fall) {
  contact_machine m = over_sheet(0, vec3(0.1, 0.07, height), vec3(0, 0, -fall));
  const double way = height - 0.3 - RADIUS, speed = sqrt(fall * fall + 2 * GRAVITY * way);
  const double exact = (speed - fall) / GRAVITY;
  double time = 0;
  assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
  advance(&m, exact + 0.5 * speed / GRAVITY); // at the top after the bounce
  assert_int_equal(times_of(&m, HN_EVENT_IMPACT, &time, 1), 1);
  check_near(time, exact, 1e-11);
  check_near(motion_of(&m, BALL).position.z,
             0.3 + RADIUS + 0.25 * way + fall * fall / (8 * GRAVITY), 1e-9);
  finish(&m);
}

static void falls_from_far_meet_a_thin_mesh(void **state) {
  (void)state;
  check_bounce(0.5, 0);
  check_bounce(5, 0);
  check_bounce(80, 20);
}

static void what_begins_behind_a_mesh_is_told(void **state) {
  (void)state;
  contact_machine m = over_sheet(1, vec3(0.1, 0.07, 0.6), vec3_zero());
  assert_int_equal(hn_simulation_warning_count(m.simulation), 1);
  finish(&m);
  m = over_sheet(0, vec3(1.5, 0.07, 0.1), vec3_zero()); // lower, but next to it
  assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
  finish(&m);
  m = over_sheet(0, vec3(1.5, 1.6, 0.1), vec3_zero());
  assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
  finish(&m);
  m = over_sheet(1, vec3(0.1, 0.07, -0.6), vec3_zero());
  assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(falls_from_far_meet_a_thin_mesh),
      cmocka_unit_test(what_begins_behind_a_mesh_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
