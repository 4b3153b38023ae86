// Euler parameters: identities of A, B, K, E, G, also off |p| = 1, at random not-special values.
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

static hn_vec3 apply34(double m[3][4], hn_quat v) {
  double r[3];
  for (int i = 0; i < 3; i++) r[i] = m[i][0] * v.w + m[i][1] * v.x + m[i][2] * v.y + m[i][3] * v.z;
  return vec3_load(r);
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

// A quarter turn about z takes x to y, and A is E G'.
static void rotation_turns_the_right_way(void **state) {
  (void)state;
  hn_mat3 a = quat_matrix(quat_from_axis_angle(vec3(0, 0, 3), HN_PI / 2));
  check_vec(mat3_apply(a, vec3(1, 0, 0)), vec3(0, 1, 0), 1e-15);

  hn_random random = hn_random_seed(12);
  hn_quat p = random_quat(&random);
  double e[3][4], g[3][4];
  hn_euler_e(p, e);
  hn_euler_g(p, g);
  hn_mat3 product = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++) product.m[i][j] += e[i][k] * g[j][k];
  check_mat(product, quat_matrix(p), 1e-15);
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

typedef struct image {
  hn_quat p;
  hn_vec3 s, n;
  int component, variable;
} image;

static hn_quat with_component(hn_quat p, int variable, double value) {
  double v[4];
  quat_store(v, p);
  v[variable] = value;
  return quat_load(v);
}

static double image_component(const void *context, double x) {
  const image *c = context;
  hn_quat p = with_component(c->p, c->variable, x);
  return vec3_get(mat3_apply(quat_matrix(p), c->s), c->component);
}

static double transposed_component(const void *context, double x) {
  const image *c = context;
  double b[3][4];
  hn_euler_b(with_component(c->p, c->variable, x), c->s, b);
  return b[0][c->component] * c->n.x + b[1][c->component] * c->n.y + b[2][c->component] * c->n.z;
}

static double get4(hn_quat p, int i) {
  double v[4];
  quat_store(v, p);
  return v[i];
}

static void b_is_the_derivative_of_the_image(void **state) {
  (void)state;
  hn_random random = hn_random_seed(14);
  for (int trial = 0; trial < TRIALS; trial++) {
    image c = {random_quat(&random), random_vec(&random), vec3_zero(), 0, 0};
    double b[3][4];
    hn_euler_b(c.p, c.s, b);
    for (c.component = 0; c.component < 3; c.component++)
      for (c.variable = 0; c.variable < 4; c.variable++)
        check_near(b[c.component][c.variable],
                   difference(image_component, &c, get4(c.p, c.variable), 0.1), 1e-12);
    // A(p) s = B(p, s) p / 2
    check_vec(vec3_scale(0.5, apply34(b, c.p)), mat3_apply(quat_matrix(c.p), c.s), 1e-14);
  }
}

static void products_with_b_agree_with_the_matrix(void **state) {
  (void)state;
  hn_random random = hn_random_seed(15);
  for (int trial = 0; trial < TRIALS; trial++) {
    hn_quat p = random_quat(&random), v = random_quat(&random);
    hn_vec3 s = random_vec(&random);
    double b[3][4], b_of_v[3][4];
    hn_euler_b(p, s, b);
    hn_euler_b(v, s, b_of_v);
    check_vec(euler_b_apply(p, s, v), apply34(b, v), 1e-13);
    check_vec(apply34(b_of_v, p), apply34(b, v), 1e-13); // (B(p, s) v)_p = B(v, s)
  }
}

static void k_is_the_derivative_of_b_transposed_n(void **state) {
  (void)state;
  hn_random random = hn_random_seed(16);
  for (int trial = 0; trial < TRIALS; trial++) {
    image c = {random_quat(&random), random_vec(&random), random_vec(&random), 0, 0};
    double k[4][4];
    hn_euler_k(c.s, c.n, k);
    for (c.component = 0; c.component < 4; c.component++)
      for (c.variable = 0; c.variable < 4; c.variable++) {
        check_near(k[c.component][c.variable],
                   difference(transposed_component, &c, get4(c.p, c.variable), 0.1), 1e-12);
        check_near(k[c.component][c.variable], k[c.variable][c.component], 0);
      }
  }
}

// A_dot = w~ A with w = 2 E pd, and = A w'~ with w' = 2 G pd, at unit p and p.pd = 0.
static void angular_velocity_turns_the_axes(void **state) {
  (void)state;
  hn_random random = hn_random_seed(17);
  for (int trial = 0; trial < TRIALS; trial++) {
    hn_quat p = quat_unit(random_quat(&random)), pd = random_quat(&random);
    pd = quat_add(pd, quat_scale(-quat_dot(p, pd), p));
    double e[3][4], g[3][4];
    hn_euler_e(p, e);
    hn_euler_g(p, g);
    hn_vec3 w = vec3_scale(2, apply34(e, pd)), w_body = vec3_scale(2, apply34(g, pd));
    hn_mat3 a = quat_matrix(p), ad;
    ad = mat3_from_columns(euler_b_apply(p, vec3(1, 0, 0), pd), euler_b_apply(p, vec3(0, 1, 0), pd),
                           euler_b_apply(p, vec3(0, 0, 1), pd));
    check_mat(mat3_multiply(mat3_skew(w), a), ad, 1e-13);
    check_mat(mat3_multiply(a, mat3_skew(w_body)), ad, 1e-13);
    check_vec(mat3_apply(a, w_body), w, 1e-13);

    check_vec(vec3_scale(2, euler_e_apply(p, pd)), w, 1e-14);
    hn_quat back = quat_scale(0.5, euler_e_transposed(p, w)); // pd = E' w / 2
    for (int i = 0; i < 4; i++) check_near(get4(back, i), get4(pd, i), 1e-14);
  }
}

// E E' = G G' = I, E p = G p = 0 at unit p.
static void e_and_g_have_orthonormal_rows_perpendicular_to_p(void **state) {
  (void)state;
  hn_random random = hn_random_seed(18);
  for (int trial = 0; trial < TRIALS; trial++) {
    hn_quat p = quat_unit(random_quat(&random));
    double m[2][3][4];
    hn_euler_e(p, m[0]);
    hn_euler_g(p, m[1]);
    for (int which = 0; which < 2; which++) {
      check_vec(apply34(m[which], p), vec3_zero(), 1e-15);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          double sum = 0;
          for (int k = 0; k < 4; k++) sum += m[which][i][k] * m[which][j][k];
          check_near(sum, i == j ? 1 : 0, 1e-15);
        }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotation_is_orthogonal_and_right_handed_at_unit_p),
      cmocka_unit_test(rotation_turns_the_right_way),
      cmocka_unit_test(rotations_compose_like_matrices),
      cmocka_unit_test(b_is_the_derivative_of_the_image),
      cmocka_unit_test(products_with_b_agree_with_the_matrix),
      cmocka_unit_test(k_is_the_derivative_of_b_transposed_n),
      cmocka_unit_test(angular_velocity_turns_the_axes),
      cmocka_unit_test(e_and_g_have_orthonormal_rows_perpendicular_to_p),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
