// Four and eight joints at once against single ones: the same bits.
#define HN_WIDTH 8
#include <string.h>

#include "elements/joint_kernel.h"
#include "support/check.h"

enum { BODIES = 6, MOST = 6, JOINTS = HN_WIDTH };

static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1; // in [-1, 1)
}

static hn_vec3 random_vector(uint64_t *state) {
  return (hn_vec3){random_number(state), random_number(state), random_number(state)};
}

static hn_frame_on_body places[JOINTS][2];

static hn_quat random_orientation(uint64_t *seed) {
  hn_vec3 e = random_vector(seed);
  return quat_unit((hn_quat){random_number(seed), e.x, e.y, e.z});
}

static void fill(uint64_t *seed, hn_frame *frames, hn_joint_shape *all, int rows) {
  for (int b = 0; b < BODIES; b++) {
    hn_frame *f = &frames[b];
    f->r = random_vector(seed);
    f->v = random_vector(seed);
    f->w = random_vector(seed);
    f->p = random_orientation(seed);
    f->a = quat_matrix(f->p);
  }
  for (int l = 0; l < JOINTS; l++) {
    all[l] = (hn_joint_shape){.rows = (signed char)rows, .body = {1 + l % 5, 1 + (l + 1) % 5}};
    for (int k = 0; k < rows; k++) {
      all[l].axis1[k] = (signed char)((2 * k) % 3);
      all[l].axis2[k] = (signed char)(k < 3 ? -1 : (k + rows) % 3);
    }
    for (int k = 0; k < 2; k++) {
      places[l][k] = (hn_frame_on_body){.position = random_vector(seed),
                                        .orientation = random_orientation(seed)};
      all[l].frame[k] = &places[l][k];
    }
  }
}

static HN_WIDE void eight_in_speeds(const hn_joint_shape *all, const hn_frame *frames,
                                    double *value, double *rate, double *tau, double *block) {
  joint_in_speeds(all, frames, value, rate, tau, block);
}

static void joints_side_by_side_have_the_bits_of_one_by_one(void **state) {
  uint64_t seed = 7;
  (void)state;
  if (!hn_is_wide()) skip();
  for (int round = 0; round < 200; round++) {
    hn_frame frames[BODIES] = {0};
    hn_joint_shape all[JOINTS];
    const int rows = 1 + round % MOST;
    double numbers[4][12 * JOINTS * MOST] = {{0}}, expected[4][12 * JOINTS * MOST] = {{0}};
    fill(&seed, frames, all, rows);
    assert_true(hn_joints_alike(all) && hn_joints_alike(all + 4));
    for (int l = 0; l < JOINTS; l++)
      hn_joint_in_speeds(&all[l], frames, expected[0] + rows * l, expected[1] + rows * l,
                         expected[2] + rows * l, expected[3] + 12 * rows * l);
    for (int l = 0; l < JOINTS; l += 4)
      hn_joints_in_speeds(&all[l], frames, numbers[0] + rows * l, numbers[1] + rows * l,
                          numbers[2] + rows * l, numbers[3] + 12 * rows * l);
    assert_memory_equal(numbers, expected, sizeof numbers);
    memset(numbers, 0, sizeof numbers);
    eight_in_speeds(all, frames, numbers[0], numbers[1], numbers[2], numbers[3]);
    assert_memory_equal(numbers, expected, sizeof numbers);
    assert_true(numbers[3][0] < 0 || numbers[3][0] > 0);
  }
}

static void joints_with_other_rows_or_on_ground_are_not_alike(void **state) {
  uint64_t seed = 11;
  hn_frame frames[BODIES];
  hn_joint_shape four[JOINTS];
  (void)state;
  fill(&seed, frames, four, 5);
  assert_true(hn_joints_alike(four));
  four[2].axis2[4] = 0;
  four[2].axis2[3] = 0;
  assert_false(hn_joints_alike(four));
  fill(&seed, frames, four, 5);
  four[3].body[0] = HN_GROUND;
  assert_false(hn_joints_alike(four));
  fill(&seed, frames, four, 5);
  four[1].rows = 4;
  assert_false(hn_joints_alike(four));
  fill(&seed, frames, four, 0);
  assert_false(hn_joints_alike(four));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_side_by_side_have_the_bits_of_one_by_one),
      cmocka_unit_test(joints_with_other_rows_or_on_ground_are_not_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
