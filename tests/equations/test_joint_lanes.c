// Four joints at once against one by one: the same bits.
#include <string.h>

#include "equations/joint_lanes.h"
#include "support/check.h"

enum { BODIES = 6, MOST = 6 };

static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1; // in [-1, 1)
}

static hn_vec3 random_vector(uint64_t *state) {
  return (hn_vec3){random_number(state), random_number(state), random_number(state)};
}

static hn_frame_on_body places[4][2];

static hn_quat random_orientation(uint64_t *seed) {
  hn_vec3 e = random_vector(seed);
  return quat_unit((hn_quat){random_number(seed), e.x, e.y, e.z});
}

static void fill(uint64_t *seed, hn_frame *frames, hn_joint_shape *four, int rows) {
  for (int b = 0; b < BODIES; b++) {
    hn_frame *f = &frames[b];
    f->r = random_vector(seed);
    f->v = random_vector(seed);
    f->w = random_vector(seed);
    f->p = random_orientation(seed);
    f->a = quat_matrix(f->p);
  }
  for (int l = 0; l < 4; l++) {
    four[l] = (hn_joint_shape){.rows = (signed char)rows, .body = {1 + l, 1 + (l + 1) % 5}};
    for (int k = 0; k < rows; k++) {
      four[l].axis1[k] = (signed char)((2 * k) % 3);
      four[l].axis2[k] = (signed char)(k < 3 ? -1 : (k + rows) % 3);
    }
    for (int k = 0; k < 2; k++) {
      places[l][k] = (hn_frame_on_body){.position = random_vector(seed),
                                        .orientation = random_orientation(seed)};
      four[l].frame[k] = &places[l][k];
    }
  }
}

static void four_joints_have_the_bits_of_one_by_one(void **state) {
  uint64_t seed = 7;
  (void)state;
  if (!hn_joints_in_lanes()) skip();
  for (int round = 0; round < 200; round++) {
    hn_frame frames[BODIES] = {0};
    hn_joint_shape four[4];
    const int rows = 1 + round % MOST;
    double numbers[4][12 * 4 * MOST] = {{0}}, expected[4][12 * 4 * MOST] = {{0}};
    fill(&seed, frames, four, rows);
    assert_true(hn_joints_alike(four));
    for (int l = 0; l < 4; l++)
      hn_joint_in_speeds(&four[l], frames, expected[0] + rows * l, expected[1] + rows * l,
                         expected[2] + rows * l, expected[3] + 12 * rows * l);
    hn_joints_in_speeds(four, frames, numbers[0], numbers[1], numbers[2], numbers[3]);
    assert_memory_equal(numbers, expected, sizeof numbers);
    assert_true(numbers[3][0] < 0 || numbers[3][0] > 0);
  }
}

static void joints_with_other_rows_or_on_ground_are_not_alike(void **state) {
  uint64_t seed = 11;
  hn_frame frames[BODIES];
  hn_joint_shape four[4];
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
      cmocka_unit_test(four_joints_have_the_bits_of_one_by_one),
      cmocka_unit_test(joints_with_other_rows_or_on_ground_are_not_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
