// All constraint equations of a joint at once against each of them.
#include "elements/every_element.h"
#include "elements/joint_speeds.h"

static void random_frames(hn_random *random, hn_frame frames[HAND_BODIES]) {
  frames[0] = hand_frame(vec3_zero(), quat_identity());
  for (int b = 1; b < HAND_BODIES; b++) {
    hn_vec3 r = random_vector(random, 1), v = random_vector(random, 2);
    hn_vec3 w = random_vector(random, 3);
    frames[b] = hand_moving_frame(r, random_rotation(random), v, w);
  }
}

// Returns how many rows were compared.
static int compare(const hand_model *h, int joint, const hn_frame *frames) {
  const hn_elements *e = h->elements;
  hn_joint_shape shape = hn_joint_shape_of(e, joint);
  double value[6], rate[6], tau[6], blocks[72], *block = blocks;
  if (shape.rows == 0) return 0;
  assert_int_equal(shape.rows, e->joint_row[joint + 1] - e->joint_row[joint]);
  hn_joint_in_speeds(&shape, frames, value, rate, tau, blocks);
  for (int k = 0; k < shape.rows; k++) {
    const hn_row *row = &e->rows[e->joint_row[joint] + k];
    hn_row_speeds s;
    hn_row_in_speeds(e, row, frames, h->turns, 0, 0, &s);
    check_near(value[k], s.value, 1e-14);
    check_near(rate[k], s.rate, 1e-13);
    check_near(tau[k], s.tau, 1e-12);
    for (int b = 0; b < row->body_count; b++, block += 6) {
      double expected[6];
      vec3_store(expected, s.n[b]);
      vec3_store(expected + 3, s.m[b]);
      check_near_many(block, expected, 6, 1e-14);
    }
  }
  return shape.rows;
}

static void rows_together_are_rows_one_by_one(void **state) {
  (void)state;
  static hand_model h;
  hn_frame frames[HAND_BODIES];
  hn_random random = hn_random_seed(17);
  int rows = 0;
  hand_begin(&h);
  add_every_joint(&h, &random);
  add_random_joint(&h, &random, HN_JOINT_FIXED, 3, 0); // ground last
  hand_finish(&h);
  for (int round = 0; round < 5; round++) {
    random_frames(&random, frames);
    for (int j = 0; j < h.model.joint_count; j++) rows += compare(&h, j, frames);
  }
  assert_true(rows > 5 * 50);
  hand_end(&h);
}

// Joints that couple other joints, or measure a length or an angle, have their own equations.
static void other_joints_are_left_out(void **state) {
  (void)state;
  static hand_model h;
  hn_random random = hn_random_seed(18);
  hand_begin(&h);
  add_every_joint(&h, &random);
  hand_finish(&h);
  for (int j = 0; j < h.model.joint_count; j++) {
    hn_joint_type type = h.joints[j].type;
    int is_other = type == HN_JOINT_SCREW || type == HN_JOINT_GEAR ||
                   type == HN_JOINT_RACK_PINION || type == HN_JOINT_COUPLER ||
                   type == HN_JOINT_CONSTANT_VELOCITY || type == HN_JOINT_FREE ||
                   type == HN_JOINT_KNIFE_EDGE;
    assert_int_equal(hn_joint_shape_of(h.elements, j).rows == 0, is_other);
  }
  hand_end(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_together_are_rows_one_by_one),
      cmocka_unit_test(other_joints_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
