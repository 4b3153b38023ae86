// Runs with time-stepped contacts: those that amplify every difference are distinguished from those
// whose steps are too large. A ball among walls and a round post (Sinai's billiard) is the
// textbook's case of the first, a ball that bounces on a floor of the second.
#include "contact/contact_machine.h"
#include "holon/run.h"

static void run_with(contact_machine *m, double step, double end) {
  hn_error error = {0};
  check_model(m, hn_model_finish(m->model));
  hn_simulation_options options = hn_default_simulation_options();
  options.step = step;
  hn_status status = hn_simulation_create(m->model, &options, &m->simulation, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
  hn_run_plan plan = {.time = end, .output_step = 0.02, .accuracy = HN_ACCURACY_ON};
  hn_run_sink sink = {0};
  hn_run_outcome outcome;
  check_ok(hn_run(m->simulation, &plan, &sink, &outcome));
}

static int add_wall(contact_machine *m, hn_vec3 at, hn_vec3 axis, double angle) {
  int shape;
  hn_shape_def plane = hn_default_shape(HN_SHAPE_BOX);
  plane.touch = HN_TOUCH_PLANE;
  plane.size = vec3(10, 10, 0.1);
  plane.frame.orientation = quat_from_axis_angle(axis, angle);
  const hn_mat3 turned = quat_matrix(plane.frame.orientation);
  plane.frame.position = vec3_sub(at, mat3_apply(turned, vec3(0, 0, 0.05)));
  check_model(m, hn_model_add_shape(m->model, &plane, &shape));
  return shape;
}

static void a_billiard_with_a_post_is_sensitive(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3_zero());
  const double half = 1.5707963267948966;
  const int walls[] = {m.plane, add_wall(&m, vec3(0, 0, 1), vec3(1, 0, 0), 2 * half),
                       add_wall(&m, vec3(-0.5, 0, 0), vec3(0, 1, 0), half),
                       add_wall(&m, vec3(0.5, 0, 0), vec3(0, 1, 0), -half)};
  hn_shape_def post = hn_default_shape(HN_SHAPE_SPHERE);
  int round;
  post.radius = 0.2;
  post.frame.position = vec3(0, 0, 0.5);
  check_model(&m, hn_model_add_shape(m.model, &post, &round));
  const int ball = add_ball(&m, "ball", 0.05, 1, vec3(-0.3, 0, 0.2), vec3(1, 0, 0.63), vec3_zero());
  static const char *const names[] = {"floor", "roof", "left", "right"};
  for (int k = 0; k < 4; k++) add_contact(&m, names[k], ball, walls[k], 1, 0);
  add_contact(&m, "post", ball, round, 1, 0);
  run_with(&m, 1e-3, 20);
  const hn_accuracy *a = hn_simulation_accuracy(m.simulation);
  assert_true(a->is_estimated && a->motion > 0.1);
  assert_true(a->is_sensitive);
  check_at_most(a->until, 10);
  assert_int_equal(hn_simulation_verdict(m.simulation, NULL).grade, HN_SENSITIVE);
  finish(&m);
}

static void large_steps_of_a_bouncing_ball_are_not(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  const int ball = add_ball(&m, "ball", 0.05, 1, vec3(0, 0, 1), vec3_zero(), vec3_zero());
  add_contact(&m, "floor", ball, m.plane, 0.8, 0);
  run_with(&m, 0.05, 2);
  const hn_accuracy *a = hn_simulation_accuracy(m.simulation);
  assert_true(a->is_estimated && a->motion > a->promise);
  assert_false(a->is_sensitive);
  // a fixed step promises no accuracy: the time it is valid for is reported
  hn_verdict verdict = hn_simulation_verdict(m.simulation, NULL);
  char reason[512];
  assert_true(a->until < 1 && verdict.grade != HN_SENSITIVE);
  assert_true(hn_verdict_reason(&verdict, 0, reason, sizeof reason));
  check_has_number(reason, a->until, 1e-3);
  finish(&m);
}

static void what_rests_is_sound(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(1, 0, -GRAVITY));
  const int box =
      add_box(&m, "block", vec3(0.2, 0.2, 0.2), 1, vec3(0, 0, 0.1), quat_identity(), vec3_zero());
  add_contact(&m, "floor", box, m.plane, 0, 0.5);
  run_with(&m, 1e-2, 1);
  assert_int_equal(hn_simulation_verdict(m.simulation, NULL).grade, HN_SOUND);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_billiard_with_a_post_is_sensitive),
                                     cmocka_unit_test(large_steps_of_a_bouncing_ball_are_not),
                                     cmocka_unit_test(what_rests_is_sound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
