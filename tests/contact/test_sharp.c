// One contact by Newton's method on its sharp laws: a block on a plane, whose impulses are known
// where it lifts off, sticks and slides.
#include <math.h>
#include <string.h>

#include "contact/sharp.h"
#include "support/check.h"

#define MASS 2.0
#define GIVE 1e-9

// From no impulse at all: (1 + S / m) d p = push, u = before + p / m. Returns the steps taken.
static int solve(double mu, const double before[3], double p[3]) {
  int steps = 0;
  memset(p, 0, 3 * sizeof *p);
  for (; steps < 30; steps++) {
    double u[3], a[3][4];
    hn_smooth_cone cone;
    for (int i = 0; i < 3; i++) u[i] = before[i] + p[i] / MASS;
    if (sqrt(hn_sharp_rest(mu, MASS, p, u)) < 1e-12) break;
    hn_sharp_cone_of(mu, MASS, GIVE, p, u, &cone);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) a[i][j] = (i == j) + cone.s[i][j] / MASS;
      a[i][3] = cone.push[i];
    }
    for (int k = 0; k < 3; k++) // rows are never exchanged: the diagonal is 1 or more
      for (int i = 0; i < 3; i++)
        for (int j = 3; i != k && j >= k; j--) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    for (int i = 0; i < 3; i++) p[i] += a[i][3] / a[i][i];
  }
  return steps;
}

static void check_block(double mu, double normal, double x, double y, const double expected[3]) {
  const double before[3] = {normal, x, y};
  double p[3];
  assert_true(solve(mu, before, p) < 30);
  check_near_many(p, expected, 3, 1e-8);
}

static void a_block_that_lifts_off_has_no_impulse(void **state) {
  (void)state;
  const double none[3] = {0, 0, 0};
  check_block(0.5, 0.3, 1, -2, none);
}

static void a_block_that_sticks_is_stopped(void **state) {
  (void)state;
  const double all[3] = {MASS * 1.0, -MASS * 0.3, MASS * 0.2};
  check_block(0.5, -1, 0.3, -0.2, all);
}

static void a_block_that_slides_is_held_by_its_cone(void **state) {
  (void)state;
  const double mu = 0.5, size = hypot(3, 4);
  const double edge[3] = {MASS, -mu * MASS * 3 / size, -mu * MASS * 4 / size};
  check_block(mu, -1, 3, 4, edge);
}

static void without_friction_nothing_is_held_along_the_plane(void **state) {
  (void)state;
  const double normal[3] = {MASS, 0, 0};
  check_block(0, -1, 0, 0, normal);
  check_block(0, -1, 2, 1, normal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_that_lifts_off_has_no_impulse),
      cmocka_unit_test(a_block_that_sticks_is_stopped),
      cmocka_unit_test(a_block_that_slides_is_held_by_its_cone),
      cmocka_unit_test(without_friction_nothing_is_held_along_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
