// Euler parameters: identities of A and E at random not-special values.
#include "math/euler.h"

#include "math/differences.h"
#include "support/check.h"

#define TRIALS 50

static hn_quat random_quat(hn_random *random) {
  double p[4];
  hn_random_fill(random, p, 4, -1, 1);
  return quat_load(p);
}

static hn_vec3 random_vec(hn_random *random) {
  double v[3];
  hn_random_fill(random, v, 3, -2, 2);
  return vec3_load(v);
}

static void check_vec(hn_vec3 actual, hn_vec3 expected, double tolerance) {
  double a[3], e[3];
  vec3_store(a, actual);
  vec3_store(e, expected);
  check_near_many(a, e, 3, tolerance);
}

static void check_mat(hn_mat3 actual, hn_mat3 expected, double tolerance) {
  check_near_many(&actual.m[0][0], &expected.m[0][0], 9, tolerance);
}

static void rotation_is_orthogonal_and_right_handed_at_unit_p(void **state) {
  (void)state;
  hn_random random = hn_random_seed(11);
  for (int trial = 0; trial < TRIALS; trial++) {
    hn_mat3 a = quat_matrix(quat_unit(random_quat(&random)));
    check_mat(mat3_multiply(a, mat3_transpose(a)), mat3_identity(), 1e-15);
    hn_vec3 z = vec3_cross(mat3_column(a, 0), mat3_column(a, 1));
    check_vec(z, mat3_column(a, 2), 1e-15);
  }
}

// A quarter turn about z takes x to y.
static void rotation_turns_the_right_way(void **state) {
  (void)state;
  hn_mat3 a = quat_matrix(quat_from_axis_angle(vec3(0, 0, 3), HN_PI / 2));
  check_vec(mat3_apply(a, vec3(1, 0, 0)), vec3(0, 1, 0), 1e-15);
}

static void rotations_compose_like_matrices(void **state) {
  (void)state;
  hn_random random = hn_random_seed(13);
  for (int trial = 0; trial < TRIALS; trial++) {
    hn_quat a = random_quat(&random), b = random_quat(&random);
    check_mat(quat_matrix(quat_multiply(a, b)), mat3_multiply(quat_matrix(a), quat_matrix(b)),
              1e-14);
    hn_quat u = quat_unit(a), back = quat_from_matrix(quat_matrix(u));
    check_near(fabs(quat_dot(u, back)), 1, 1e-15);
  }
}

static double get4(hn_quat p, int i) {
  double v[4];
  quat_store(v, p);
  return v[i];
}

typedef struct turning {
  hn_quat p, pd;
  int row, column;
} turning;

static double entry_at(const void *context, double h) {
  const turning *c = context;
  return quat_matrix(quat_add(c->p, quat_scale(h, c->pd))).m[c->row][c->column];
}

// A_dot = w~ A with w = 2 E pd at unit p and p.pd = 0, and pd = E' w / 2.
static void angular_velocity_turns_the_axes(void **state) {
  (void)state;
  hn_random random = hn_random_seed(17);
  for (int trial = 0; trial < TRIALS; trial++) {
    hn_quat p = quat_unit(random_quat(&random)), pd = random_quat(&random);
    pd = quat_add(pd, quat_scale(-quat_dot(p, pd), p));
    hn_vec3 w = vec3_scale(2, euler_e_apply(p, pd));
    hn_mat3 ad;
    turning c = {p, pd, 0, 0};
    for (c.row = 0; c.row < 3; c.row++)
      for (c.column = 0; c.column < 3; c.column++)
        ad.m[c.row][c.column] = difference(entry_at, &c, 0, 0.1);
    check_mat(mat3_multiply(mat3_skew(w), quat_matrix(p)), ad, 1e-12);
    hn_quat back = quat_scale(0.5, euler_e_transposed(p, w));
    for (int i = 0; i < 4; i++) check_near(get4(back, i), get4(pd, i), 1e-14);
  }
}

// E E' = I, E p = 0 at unit p.
static void e_has_orthonormal_rows_perpendicular_to_p(void **state) {
  (void)state;
  hn_random random = hn_random_seed(18);
  for (int trial = 0; trial < TRIALS; trial++) {
    hn_quat p = quat_unit(random_quat(&random));
    hn_vec3 w = random_vec(&random);
    check_vec(euler_e_apply(p, p), vec3_zero(), 1e-15);
    check_vec(euler_e_apply(p, euler_e_transposed(p, w)), w, 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotation_is_orthogonal_and_right_handed_at_unit_p),
      cmocka_unit_test(rotation_turns_the_right_way),
      cmocka_unit_test(rotations_compose_like_matrices),
      cmocka_unit_test(angular_velocity_turns_the_axes),
      cmocka_unit_test(e_has_orthonormal_rows_perpendicular_to_p),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
