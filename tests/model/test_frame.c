// Frames on bodies: position and orientation in the reference configuration.
#include "math/euler.h"
#include "model/storage.h"
#include "support/check.h"

static hn_model *model_with_turned_body(int *body) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_body_def def = hn_default_body();
  def.name = "rod";
  def.position = vec3(0.3, -2, 1.1);
  def.orientation = (hn_quat){0.4, 0.2, -0.8, 1.7}; // not of unit length
  check_ok(hn_model_add_body(model, &def, body));
  return model;
}

static void check_vector(hn_vec3 actual, hn_vec3 expected) {
  check_near(actual.x, expected.x, 1e-14);
  check_near(actual.y, expected.y, 1e-14);
  check_near(actual.z, expected.z, 1e-14);
}

static void a_frame_is_drawn_where_it_was_asked_for(void **state) {
  (void)state;
  int rod;
  hn_model *model = model_with_turned_body(&rod);
  hn_random random = hn_random_seed(7);
  for (int k = 0; k < 200; k++) {
    double r[6];
    hn_random_fill(&random, r, 6, -1, 1);
    hn_vec3 point = vec3(r[0], r[1], r[2]), axis = vec3(r[3], r[4], r[5]);
    hn_frame_on_body frame = hn_model_frame(model, rod, point, axis);
    check_vector(hn_model_drawn_point(model, &frame), point);
    hn_mat3 axes = hn_model_drawn_axes(model, &frame);
    check_vector(mat3_column(axes, 2), vec3_unit(axis));
    hn_mat3 square = mat3_multiply(mat3_transpose(axes), axes), one = mat3_identity();
    check_near_many(&square.m[0][0], &one.m[0][0], 9, 1e-14);
  }
  hn_model_free(model);
}

static void two_bodies_get_parallel_frames_from_one_axis(void **state) {
  (void)state;
  int rod;
  hn_model *model = model_with_turned_body(&rod);
  const hn_vec3 axes[] = {{0, 0, 1},      {0, 1, 0},         {1, 0, 0},
                          {0, 0, -1},     {1, 1, 1},         {-3, 0.1, 0},
                          {1e-200, 0, 0}, {1e200, 1e200, 0}, {0.9, 0.3, -0.2}};
  for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
    hn_frame_on_body on_ground = hn_model_frame(model, HN_GROUND, vec3(1, 2, 3), axes[k]);
    hn_frame_on_body on_rod = hn_model_frame(model, rod, vec3(1, 2, 3), axes[k]);
    hn_frame_on_body doubled =
        hn_model_frame(model, HN_GROUND, vec3(1, 2, 3), vec3_scale(2, axes[k]));
    hn_mat3 a = hn_model_drawn_axes(model, &on_ground), b = hn_model_drawn_axes(model, &on_rod);
    hn_mat3 c = hn_model_drawn_axes(model, &doubled);
    check_near_many(&a.m[0][0], &b.m[0][0], 9, 1e-14);
    check_near_many(&a.m[0][0], &c.m[0][0], 9, 1e-15);
  }
  hn_model_free(model);
}

static void rounding_in_an_axis_does_not_turn_the_frame(void **state) {
  (void)state;
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_frame_on_body exact = hn_model_frame(model, HN_GROUND, vec3_zero(), vec3(0, 0, 1));
  hn_frame_on_body near = hn_model_frame(model, HN_GROUND, vec3_zero(), vec3(1e-16, -3e-17, 1));
  hn_mat3 a = hn_model_drawn_axes(model, &exact), b = hn_model_drawn_axes(model, &near);
  check_near_many(&a.m[0][0], &b.m[0][0], 9, 1e-15);
  hn_mat3 one = mat3_identity();
  check_near_many(&a.m[0][0], &one.m[0][0], 9, 0); // z: the global axes themselves
  hn_model_free(model);
}

static void reference_gives_the_x_axis(void **state) {
  (void)state;
  int rod;
  hn_model *model = model_with_turned_body(&rod);
  hn_frame_on_body frame =
      hn_model_frame2(model, rod, vec3(0, 0, 0), vec3(0, 2, 0), vec3(3, 5, -4));
  hn_mat3 axes = hn_model_drawn_axes(model, &frame);
  check_vector(mat3_column(axes, 0), vec3(0.6, 0, -0.8));
  check_vector(mat3_column(axes, 1), vec3(-0.8, 0, -0.6)); // z cross x
  check_vector(mat3_column(axes, 2), vec3(0, 1, 0));
  hn_model_free(model);
}

static void a_missing_direction_gives_a_null_quaternion(void **state) {
  (void)state;
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_frame_on_body frames[] = {
      hn_model_frame(model, HN_GROUND, vec3_zero(), vec3_zero()),
      hn_model_frame(model, HN_GROUND, vec3_zero(), vec3(NAN, 0, 1)),
      hn_model_frame2(model, HN_GROUND, vec3_zero(), vec3(0, 0, 1), vec3(0, 0, -2)),
      hn_model_frame2(model, HN_GROUND, vec3_zero(), vec3(0, 0, 1), vec3(0, 0, 0)),
  };
  for (size_t k = 0; k < sizeof frames / sizeof *frames; k++)
    assert_false(quat_dot(frames[k].orientation, frames[k].orientation) > 0);
  assert_int_equal(hn_model_frame(model, 12, vec3_zero(), vec3(0, 0, 1)).body, 12);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_frame_is_drawn_where_it_was_asked_for),
      cmocka_unit_test(two_bodies_get_parallel_frames_from_one_axis),
      cmocka_unit_test(rounding_in_an_axis_does_not_turn_the_frame),
      cmocka_unit_test(reference_gives_the_x_axis),
      cmocka_unit_test(a_missing_direction_gives_a_null_quaternion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
