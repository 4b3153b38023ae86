// Lengths of tendons over pulleys: each piece counts by the divisor of the last pulley before it.
#include "elements/tendon.h"
#include "support/check.h"

static hn_way point(double x) {
  return (hn_way){.kind = HN_WAY_POINT, .frame = {HN_GROUND, {x, 0, 0}, {1, 0, 0, 0}}};
}
static hn_way pulley(double divisor) { return (hn_way){.kind = HN_WAY_PULLEY, .divisor = divisor}; }

static void divisors_of_several_pulleys_do_not_multiply(void **state) {
  (void)state;
  // 1 m, then 2 m over 2, then 3 m over 4
  const hn_way way[] = {point(0), point(1),  pulley(2), point(0),
                        point(2), pulley(4), point(0),  point(3)};
  const hn_force_def force = {.type = HN_FORCE_TENDON, .way = way, .way_count = 8};
  const hn_frame ground = {.p = {1, 0, 0, 0}, .a = quat_matrix((hn_quat){1, 0, 0, 0})};
  double length, rate;
  hn_tendon_measure(&force, &ground, &length, &rate);
  check_near(length, 1 + 2.0 / 2 + 3.0 / 4, 1e-15);
  check_near(rate, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(divisors_of_several_pulleys_do_not_multiply)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
