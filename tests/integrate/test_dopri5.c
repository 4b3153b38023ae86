// The coefficients of dopri5 satisfy the order conditions they claim.
#include "integrate/formula.h"
#include "support/check.h"

static const hn_explicit_formula *const f = &hn_dopri5;

// Sum of w_i times the product of elementary weights.
static double quadrature(const double *w, int power) {
  double sum = 0;
  for (int i = 0; i < f->stages; i++) {
    double x = w[i];
    for (int k = 0; k < power; k++) x *= f->c[i];
    sum += x;
  }
  return sum;
}

static void a_times(const double *x, double *y) {
  for (int i = 0; i < f->stages; i++) {
    y[i] = 0;
    for (int j = 0; j < i; j++) y[i] += f->a[i][j] * x[j];
  }
}

static double weighted(const double *w, const double *x) {
  double sum = 0;
  for (int i = 0; i < f->stages; i++) sum += w[i] * x[i];
  return sum;
}

static void rows_sum_to_the_nodes(void **state) {
  (void)state;
  for (int i = 0; i < f->stages; i++) {
    double sum = 0;
    for (int j = 0; j < i; j++) sum += f->a[i][j];
    check_near(sum, f->c[i], 1e-15);
  }
}

// The tall-tree and bushy conditions of order 1 to `order`, and the mixed ones of order 4.
static void check_weights(const double *w, int order) {
  for (int p = 1; p <= order; p++) check_near(quadrature(w, p - 1), 1.0 / p, 1e-15);
  double c[HN_MAX_STAGES] = {0}, c2[HN_MAX_STAGES] = {0}, ac[HN_MAX_STAGES], ac2[HN_MAX_STAGES],
         aac[HN_MAX_STAGES], cac[HN_MAX_STAGES];
  for (int i = 0; i < f->stages; i++) {
    c[i] = f->c[i];
    c2[i] = c[i] * c[i];
  }
  a_times(c, ac);
  a_times(c2, ac2);
  a_times(ac, aac);
  for (int i = 0; i < f->stages; i++) cac[i] = c[i] * ac[i];
  check_near(weighted(w, ac), 1.0 / 6, 1e-15);
  if (order < 4) return;
  check_near(weighted(w, cac), 1.0 / 8, 1e-15);
  check_near(weighted(w, ac2), 1.0 / 12, 1e-15);
  check_near(weighted(w, aac), 1.0 / 24, 1e-15);
  if (order < 5) return;
  double x[HN_MAX_STAGES] = {0};
  for (int i = 0; i < f->stages; i++) x[i] = c2[i] * ac[i];
  check_near(weighted(w, x), 1.0 / 10, 1e-15);
  for (int i = 0; i < f->stages; i++) x[i] = ac[i] * ac[i];
  check_near(weighted(w, x), 1.0 / 20, 1e-15);
  for (int i = 0; i < f->stages; i++) x[i] = c[i] * ac2[i];
  check_near(weighted(w, x), 1.0 / 15, 1e-15);
  for (int i = 0; i < f->stages; i++) x[i] = c[i] * aac[i];
  check_near(weighted(w, x), 1.0 / 30, 1e-15);
  double y[HN_MAX_STAGES];
  a_times(aac, y);
  check_near(weighted(w, y), 1.0 / 120, 1e-15);
  a_times(ac2, y);
  check_near(weighted(w, y), 1.0 / 60, 1e-15);
  a_times(cac, y);
  check_near(weighted(w, y), 1.0 / 40, 1e-15);
  for (int i = 0; i < f->stages; i++) x[i] = c2[i] * c[i];
  a_times(x, y);
  check_near(weighted(w, y), 1.0 / 20, 1e-15);
}

static void the_step_is_of_order_five(void **state) {
  (void)state;
  check_weights(f->a[f->stages - 1], 5);
}

static void the_embedded_formula_is_of_order_four(void **state) {
  (void)state;
  double bhat[HN_MAX_STAGES];
  for (int i = 0; i < f->stages; i++) bhat[i] = f->a[f->stages - 1][i] - f->e[i];
  check_weights(bhat, 4);
}

// y(theta) as weights of the slopes: b_i(theta) = theta b_i + theta (1 - theta) [ (delta_1 - b_i) +
// theta ( 2 b_i - delta_1 - delta_s + (1 - theta) d_i ) ]; order 4 inside the step.
static void the_dense_output_is_of_order_four(void **state) {
  (void)state;
  for (double theta = 0.1; theta < 1; theta += 0.2) {
    double w[HN_MAX_STAGES], ac[HN_MAX_STAGES];
    for (int i = 0; i < f->stages; i++) {
      double b = f->a[f->stages - 1][i], first = i == 0, last = i == f->stages - 1;
      w[i] = theta * b + theta * (1 - theta) *
                             ((first - b) + theta * (2 * b - first - last + (1 - theta) * f->d[i]));
    }
    double power = theta;
    for (int p = 1; p <= 4; p++, power *= theta) check_near(quadrature(w, p - 1), power / p, 1e-12);
    a_times(f->c, ac);
    check_near(weighted(w, ac), theta * theta * theta / 6, 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_sum_to_the_nodes),
      cmocka_unit_test(the_step_is_of_order_five),
      cmocka_unit_test(the_embedded_formula_is_of_order_four),
      cmocka_unit_test(the_dense_output_is_of_order_four),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
