// The shortest way around spheres and cylinders: lengths that are known, lengths found by trying, and
// derivatives against differences.
#include "elements/wrap.h"
#include "math/euler.h"
#include "support/check.h"

static hn_wrap_way way_of(const hn_wrap *wrap, hn_vec3 a, hn_vec3 b, int kind) {
  hn_wrap_way way = {0};
  assert_int_equal(hn_wrap_find(wrap, a, b, &way), kind);
  return way;
}

// Half a turn between two tangents of length 1: pi r + 2, and the pitch of a helix on a cylinder.
static void known_lengths(void **state) {
  (void)state;
  const hn_wrap ball = {.is_sphere = 1, .radius = 0.5}, post = {.radius = 0.5};
  hn_wrap upper = post;
  hn_wrap_way none;
  const double half = HN_PI * 0.5 + 2;
  // from (1, 0.5) over the far side to (1, -0.5)
  upper.has_side = 1;
  upper.side = vec3(-2, 0, 0);
  check_near(way_of(&upper, vec3(1, 0.5, 0), vec3(1, -0.5, 0), 1).length, half, 1e-15);
  check_near(way_of(&upper, vec3(1, 0.5, 0), vec3(1, -0.5, 3), 1).length, sqrt(half * half + 9),
             1e-15);
  // from (1, 0.5) along the top, a quarter down the left, to (-0.5, -1)
  const double quarter = 0.5 * HN_PI / 2 + 2;
  upper.side = vec3(-1, 1, 0);
  check_near(way_of(&upper, vec3(1, 0.5, 0), vec3(-0.5, -1, 0), 1).length, quarter, 1e-15);
  // half a turn around a sphere, in a plane that is turned: from (1, 0.5) to (-1, -0.5) the short way
  const hn_mat3 turn = quat_matrix(quat_from_axis_angle(vec3(0.6, 0, 0.8), 0.7));
  const hn_vec3 from = mat3_apply(turn, vec3(1, 0.5, 0)), to = mat3_apply(turn, vec3(-1, -0.4, 0));
  const double rho = sqrt(1.16), angle = HN_PI - atan(0.5) + atan(0.4);
  const double bow = 0.5 * (angle - atan(2) - acos(0.5 / rho)) + 1 + sqrt(1.16 - 0.25);
  check_near(way_of(&ball, from, to, 1).length, bow, 1e-15);
  assert_int_equal(hn_wrap_find(&post, vec3(1, 0.6, 0), vec3(-1, 0.6, 2), &none), 0);
  assert_int_equal(hn_wrap_find(&post, vec3(0.1, 0, 0), vec3(-1, 0.6, 2), &none), 0);
}

static void inside_touches_where_it_is_shortest(void **state) {
  (void)state;
  const hn_wrap ring = {.radius = 0.2, .has_side = 1, .side = {0.05, 0, 0}};
  const hn_vec3 a = {0.6, 0.1, 0}, b = {0.2, 0.7, 0};
  double least = 10;
  for (int k = 0; k < 20000; k++) {
    const double angle = 2 * HN_PI * k / 20000;
    const hn_vec3 p = vec3(0.2 * cos(angle), 0.2 * sin(angle), 0);
    const double length = vec3_norm(vec3_sub(a, p)) + vec3_norm(vec3_sub(b, p));
    if (length < least) least = length;
  }
  check_near(way_of(&ring, a, b, 3).length, least, 1e-7);
  assert_true(way_of(&ring, a, b, 3).length <= least + 1e-15);
}

static void move(hn_vec3 *at, int k, double h) {
  double *x[3] = {&at->x, &at->y, &at->z};
  *x[k] += h;
}

static void compare_differences(const hn_wrap *wrap, hn_vec3 a, hn_vec3 b, int *found) {
  hn_wrap_way way, low, high;
  const int kind = hn_wrap_find(wrap, a, b, &way);
  const double h = 1e-6;
  for (int k = 0; k < 6 && kind; k++) {
    hn_vec3 point[2][2] = {{a, b}, {a, b}};
    move(&point[0][k / 3], k % 3, -h);
    move(&point[1][k / 3], k % 3, h);
    if (hn_wrap_find(wrap, point[0][0], point[0][1], &low) != kind ||
        hn_wrap_find(wrap, point[1][0], point[1][1], &high) != kind)
      return; // it lifts off in between
    check_near((high.length - low.length) / (2 * h), way.gradient[k], 1e-8);
    for (int i = 0; i < 6; i++) {
      const double slope = (high.gradient[i] - low.gradient[i]) / (2 * h);
      check_near(slope, way.hessian[i][k], 1e-6 * (1 + fabs(way.hessian[i][k])));
      check_near(way.hessian[i][k], way.hessian[k][i], 1e-9 * (1 + fabs(way.hessian[i][k])));
    }
  }
  if (kind) found[kind]++;
}

static void derivatives_are_those_of_the_length(void **state) {
  (void)state;
  hn_random random = hn_random_seed(24);
  int found[4] = {0};
  for (int k = 0; k < 400; k++) {
    double x[10];
    hn_random_fill(&random, x, 10, -1, 1);
    const hn_wrap wrap = {.is_sphere = k % 2,
                          .radius = 0.2 + 0.2 * fabs(x[9]),
                          .has_side = k % 3 > 0,
                          .side = vec3_scale(k % 3 == 1 ? 1 : 0.1, vec3_load(x + 6))};
    compare_differences(&wrap, vec3_load(x), vec3_load(x + 3), found);
  }
  for (int kind = 1; kind < 4; kind++) assert_true(found[kind] > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_lengths),
      cmocka_unit_test(inside_touches_where_it_is_shortest),
      cmocka_unit_test(derivatives_are_those_of_the_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
