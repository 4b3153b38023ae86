// Rigid contacts whose faces change during contact: a ball rolls over the edge of a box and falls.
#include "contact/contact_machine.h"

static void a_ball_rolls_over_an_edge_and_falls(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  hn_shape_def table = hn_default_shape(HN_SHAPE_BOX);
  int top;
  table.size = vec3(1, 1, 0.2);
  table.frame.position = vec3(0, 0, 0.9);
  check_model(&m, hn_model_add_shape(m.model, &table, &top));
  double v = 0.2, r = 0.1; // slow enough to turn about the edge before it leaves
  int ball = add_ball(&m, "ball", r, 1, vec3(0.4, 0, 1 + r), vec3(v, 0, 0), vec3(0, v / r, 0));
  add_contact(&m, "table", ball, top, 0, 2);
  start(&m, 1e-9);
  advance(&m, 0.4); // on the table
  check_near(motion_of(&m, 1).position.z, 1 + r, 1e-9);
  check_near(motion_of(&m, 1).velocity.x, v, 1e-9);
  advance(&m, 0.5 + 0.05); // about the edge
  hn_body_motion now = motion_of(&m, 1);
  double dx = now.position.x - 0.5, dz = now.position.z - 1;
  check_near(sqrt(dx * dx + dz * dz), r, 1e-8);
  // 7/10 m v^2 + m g z is kept where nothing slides
  double speed2 = vec3_dot(now.velocity, now.velocity);
  check_near(0.7 * speed2 + GRAVITY * dz, 0.7 * v * v + GRAVITY * r, 1e-7);
  advance(&m, 1);
  assert_true(motion_of(&m, 1).position.z < 0.9);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_rolls_over_an_edge_and_falls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
