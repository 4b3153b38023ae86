// The SDIRK formulas satisfy what they claim: order 4, embedded order 3, stiffly accurate, dense output
// of order 3, starting values of first and second order.
#include <complex.h>
#include <math.h>

#include "integrate/formula.h"
#include "support/check.h"

static const hn_sdirk_formula *const both[] = {&hn_sdirk4_16, &hn_sdirk4_15};

static double weighted(const hn_sdirk_formula *f, const double *w, const double *x) {
  double sum = 0;
  for (int i = 0; i < f->stages; i++) sum += w[i] * x[i];
  return sum;
}

static void a_times(const hn_sdirk_formula *f, const double *x, double *y) {
  for (int i = 0; i < f->stages; i++) {
    y[i] = 0;
    for (int j = 0; j <= i; j++) y[i] += f->a[i][j] * x[j];
  }
}

// The eight conditions up to order 4 (four up to order 3) scaled to the end theta.
static void check_conditions(const hn_sdirk_formula *f, const double *w, int order, double theta,
                             double tolerance) {
  double one[HN_MAX_STAGES], c2[HN_MAX_STAGES] = {0}, c3[HN_MAX_STAGES], ac[HN_MAX_STAGES],
                             cac[HN_MAX_STAGES], ac2[HN_MAX_STAGES], aac[HN_MAX_STAGES];
  for (int i = 0; i < f->stages; i++) {
    one[i] = 1;
    c2[i] = f->c[i] * f->c[i];
    c3[i] = c2[i] * f->c[i];
  }
  a_times(f, f->c, ac);
  a_times(f, c2, ac2);
  a_times(f, ac, aac);
  for (int i = 0; i < f->stages; i++) cac[i] = f->c[i] * ac[i];
  check_near(weighted(f, w, one), theta, tolerance);
  check_near(weighted(f, w, f->c), pow(theta, 2) / 2, tolerance);
  if (order < 3) return;
  check_near(weighted(f, w, c2), pow(theta, 3) / 3, tolerance);
  check_near(weighted(f, w, ac), pow(theta, 3) / 6, tolerance);
  if (order < 4) return;
  check_near(weighted(f, w, c3), pow(theta, 4) / 4, tolerance);
  check_near(weighted(f, w, cac), pow(theta, 4) / 8, tolerance);
  check_near(weighted(f, w, ac2), pow(theta, 4) / 12, tolerance);
  check_near(weighted(f, w, aac), pow(theta, 4) / 24, tolerance);
}

static void rows_sum_to_the_nodes_with_one_gamma(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < both[k]->stages; i++) {
      double sum = 0;
      for (int j = 0; j <= i; j++) sum += both[k]->a[i][j];
      check_near(sum, both[k]->c[i], 2e-15);
      check_near(both[k]->a[i][i], both[k]->gamma, 1e-16);
    }
}

static void the_step_is_of_order_four(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) check_conditions(both[k], both[k]->a[4], 4, 1, 1e-14);
}

static void the_embedded_formula_is_of_order_three(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double bhat[HN_MAX_STAGES] = {0};
    for (int i = 0; i < 5; i++) bhat[i] = both[k]->a[4][i] - both[k]->e[i];
    check_near(bhat[4], 0, 1e-16); // it does not use the last stage
    check_conditions(both[k], bhat, 3, 1, 1e-14);
  }
}

static void sdirk2_is_of_order_three_and_its_estimate_of_order_two(void **state) {
  (void)state;
  const hn_sdirk_formula made = hn_make_sdirk2(NAN), *f = &made;
  for (int i = 0; i < 2; i++) {
    check_near(f->a[i][0] + f->a[i][1], f->c[i], 1e-15);
    check_near(f->a[i][i], (3 + sqrt(3)) / 6, 3e-16);
  }
  check_conditions(f, f->b, 3, 1, 1e-15);
  check_near(f->e0 + f->e[0] + f->e[1], 0, 1e-15);
  check_near(f->e[0] * f->c[0] + f->e[1] * f->c[1], 0, 1e-15);
  assert_true(fabs(f->e[0] * f->c[0] * f->c[0] + f->e[1] * f->c[1] * f->c[1]) > 0.1);
}

// R(z) = 1 + z b' (1 - z A)^-1 1 of two stages, at z = i y: at most 1 where the formula is A-stable.
static double amplification(const hn_sdirk_formula *f, double y) {
  const double complex z = I * y, d = 1 - z * f->gamma;
  const double complex k1 = 1 / d, k2 = (1 + z * f->a[1][0] * k1) / d;
  return cabs(1 + z * (f->b[0] * k1 + f->b[1] * k2));
}

// Dopico et al. (2004), table 1: order 2 for every gamma, 3 at the roots of gamma^2 - gamma + 1/6;
// A-stable from 1/4 on; what is infinitely stiff is gone after a step with 1 -+ sqrt(2)/2.
static void the_family_of_gamma_is_of_order_two(void **state) {
  (void)state;
  static const double gammas[] = {0.25, 0.2928932188134524755992, 0.4, 0.5, 0.7,
                                  1,    1.7071067811865475244};
  for (int k = 0; k < 7; k++) {
    const hn_sdirk_formula f = hn_make_sdirk2(gammas[k]);
    assert_int_equal(f.order, 2);
    check_conditions(&f, f.b, 2, 1, 1e-14);
    check_near(f.e0 + f.e[0] + f.e[1], 0, 1e-15);
    if (gammas[k] != 0.5) check_near(f.e[0] * f.c[0] + f.e[1] * f.c[1], 0, 1e-15);
    for (double y = 0.1; y < 1e4; y *= 1.7) assert_true(amplification(&f, y) <= 1 + 1e-12);
    if (k == 1 || k == 6) assert_true(amplification(&f, 1e9) < 1e-7);
  }
  assert_int_equal(hn_make_sdirk2((3 + sqrt(3)) / 6).order, 3);
}

static void the_dense_output_is_of_order_three_inside_and_four_at_the_end(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++)
    for (double theta = 0.2; theta < 1.01; theta += 0.2) {
      double w[HN_MAX_STAGES] = {0}, power = theta;
      for (int m = 0; m < 4; m++, power *= theta)
        for (int i = 0; i < 5; i++) w[i] += both[k]->dense[i][m] * power;
      check_conditions(both[k], w, theta > 0.99 ? 4 : 3, theta, 2e-13);
    }
}

// A smooth increment z_i = c_i h x + c_i^2 h^2 y ... is started right in first order (stage 2) and,
// through the stages' own second-order terms A c, in second order (stages 3 and 4).
static void starting_values_match_the_stages(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const hn_sdirk_formula *f = both[k];
    double ac[HN_MAX_STAGES];
    a_times(f, f->c, ac);
    for (int i = 1; i < 4; i++) {
      double first = 0, second = 0;
      for (int j = 0; j < i; j++) {
        first += f->start[i][j] * f->c[j];
        second += f->start[i][j] * ac[j];
      }
      check_near(first, f->c[i], 1e-14);
      if (i > 1) check_near(second, ac[i], 1e-14);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_sum_to_the_nodes_with_one_gamma),
      cmocka_unit_test(the_step_is_of_order_four),
      cmocka_unit_test(the_family_of_gamma_is_of_order_two),
      cmocka_unit_test(sdirk2_is_of_order_three_and_its_estimate_of_order_two),
      cmocka_unit_test(the_embedded_formula_is_of_order_three),
      cmocka_unit_test(the_dense_output_is_of_order_three_inside_and_four_at_the_end),
      cmocka_unit_test(starting_values_match_the_stages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
