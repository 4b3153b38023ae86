// Constraints that close loops: bridges of the joint graph are distinguished from loops.
#include "elements/loops.h"
#include "support/check.h"
#include "support/machines.h"

static void check_rows(hn_model *model, int expected) {
  hn_arena arena;
  hn_elements *elements = NULL;
  unsigned char in_loop[512];
  hn_arena_init(&arena, NULL);
  check_ok(hn_elements_create(&arena, model, &elements, NULL));
  check_ok(hn_find_loop_rows(NULL, elements, in_loop));
  int count = 0;
  for (int r = 0; r < elements->row_count; r++) count += in_loop[r];
  assert_int_equal(count, expected);
  hn_arena_release(&arena);
  hn_model_free(model);
}

static void a_pendulum_has_no_loop(void **state) {
  (void)state;
  check_rows(hn_make_pendulum(), 0);
}

static void every_row_of_four_bars_is_in_a_loop(void **state) {
  (void)state;
  check_rows(hn_make_four_bars(4), 13 * 5);
}

static void a_slider_crank_is_one_loop_through_ground(void **state) {
  (void)state;
  check_rows(hn_make_slider_crank(), 20);
}

// ground - a - b with a second joint between a and b: the pin to ground stays a bridge.
static void two_joints_between_two_bodies_make_a_loop(void **state) {
  (void)state;
  hn_model *model = NULL;
  int a, b;
  hn_body_def body = hn_default_body();
  check_ok(hn_model_create(NULL, &model));
  body.name = "a";
  check_ok(hn_model_add_body(model, &body, &a));
  body.name = "b";
  check_ok(hn_model_add_body(model, &body, &b));
  const char *names[] = {"ground", "first", "second"};
  int ends[3][2] = {{HN_GROUND, a}, {a, b}, {b, a}};
  for (int k = 0; k < 3; k++) {
    hn_joint_def joint = hn_default_joint(HN_JOINT_SPHERICAL);
    joint.name = names[k];
    hn_vec3 at = {k, 0.5, 0}, axis = {0, 0, 1};
    joint.frame1 = hn_model_frame(model, ends[k][0], at, axis);
    joint.frame2 = hn_model_frame(model, ends[k][1], at, axis);
    check_ok(hn_model_add_joint(model, &joint, NULL));
  }
  check_ok(hn_model_finish(model));
  check_rows(model, 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_has_no_loop),
      cmocka_unit_test(every_row_of_four_bars_is_in_a_loop),
      cmocka_unit_test(a_slider_crank_is_one_loop_through_ground),
      cmocka_unit_test(two_joints_between_two_bodies_make_a_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
