// Adams formulas alone, on functions of time and small ODEs: exact for polynomials of their degree on
// any grid, of their order, true to the published coefficients on an even grid.
#include <math.h>
#include <stdlib.h>

#include "integrate/formulas/adams.h"
#include "support/check.h"

enum { MOST = HN_ADAMS_ORDER };

// Two histories that take turns, as in a step.
typedef struct pair {
  hn_arena arena;
  hn_adams_history room[2];
  int present;
} pair;

static pair make_pair(int n) {
  pair made = {.present = 0};
  hn_arena_init(&made.arena, NULL);
  for (int k = 0; k < 2; k++) check_ok(hn_adams_history_create(&made.arena, n, &made.room[k]));
  return made;
}

static hn_adams_history *present(pair *p) { return &p->room[p->present]; }

// A polynomial in t, and its integral from 0.
static double polynomial(const double *c, int degree, double t) {
  double sum = 0;
  for (int k = degree; k >= 0; k--) sum = sum * t + c[k];
  return sum;
}

static double integral(const double *c, int degree, double t) {
  double sum = 0;
  for (int k = degree; k >= 0; k--) sum = (sum + c[k] / (k + 1)) * t;
  return sum;
}

// Takes the history over `count` uneven points of the polynomial, the order rising as it may to
// `order`; the times go to `times`, the newest last.
static void walk(pair *p, hn_random *random, const double *c, int degree, int order, int count,
                 double *times) {
  double f = polynomial(c, degree, -1), y = 0, predicted;
  times[0] = -1;
  hn_adams_begin(present(p), &f);
  for (int k = 1; k < count; k++) {
    double h = hn_random_uniform(random, 0.04, 0.12);
    hn_adams_history *from = present(p), *to = &p->room[1 - p->present];
    hn_adams_step step = hn_adams_plan(from, k < order ? k : order, h);
    times[k] = times[k - 1] + h;
    f = polynomial(c, degree, times[k]);
    hn_adams_predict(from, &step, &y, &predicted, to);
    hn_adams_update(from, &step, &f, to);
    p->present = 1 - p->present;
  }
}

static void every_order_is_exact_for_its_polynomials_on_uneven_grids(void **state) {
  (void)state;
  hn_random random = hn_random_seed(12);
  pair p = make_pair(1);
  for (int order = 1; order <= MOST; order++) {
    for (int more = 0; more < 2; more++) { // the corrector, then the predictor alone
      int degree = order - more, count = order + 3;
      double c[MOST + 1], times[MOST + 4];
      hn_random_fill(&random, c, degree + 1, -1, 1);
      walk(&p, &random, c, degree, order, count, times);
      double t = times[count - 1], h = 0.09, y = integral(c, degree, t), predicted, d;
      hn_adams_history *to = &p.room[1 - p.present];
      hn_adams_step step = hn_adams_plan(present(&p), order, h);
      double f = polynomial(c, degree, t + h), expected = integral(c, degree, t + h);
      hn_adams_predict(present(&p), &step, &y, &predicted, to);
      hn_adams_defect(to, &f, &d);
      if (more) {
        check_near(predicted, expected, 1e-13);
        check_near(d, 0, 1e-11);
      } else {
        check_near(predicted + h * step.g[order] * d, expected, 1e-13);
        assert_true(order > 6 || fabs(predicted - expected) > 1e-13);
      }
    }
  }
  hn_arena_release(&p.arena);
}

// phi_{i+1} = psi_1 ... psi_i f[x_0, ..., x_i], the divided differences by their definition.
static void differences_are_the_divided_differences_of_the_grid(void **state) {
  (void)state;
  hn_random random = hn_random_seed(5);
  pair p = make_pair(1);
  double c[9], times[16], table[16];
  hn_random_fill(&random, c, 9, -1, 1);
  walk(&p, &random, c, 8, 6, 12, times);
  assert_int_equal(present(&p)->known, 8);
  for (int k = 0; k < 12; k++) table[k] = polynomial(c, 8, times[11 - k]);
  double product = 1;
  for (int i = 0; i < 8; i++) {
    check_near(present(&p)->phi[i][0], product * table[0], 1e-12);
    for (int k = 0; k + 1 < 12 - i; k++)
      table[k] = (table[k] - table[k + 1]) / (times[11 - k] - times[10 - k - i]);
    product *= times[11] - times[10 - i];
    check_near(present(&p)->psi[i], times[11] - times[10 - i], 1e-14);
  }
  hn_arena_release(&p.arena);
}

static void the_weights_integrate_the_interpolant_exactly(void **state) {
  (void)state;
  hn_random random = hn_random_seed(8);
  pair p = make_pair(1);
  for (int order = 1; order <= MOST; order++) {
    double c[MOST + 1], times[MOST + 4], weight[HN_ADAMS_DIFFERENCES];
    hn_random_fill(&random, c, order + 1, -1, 1);
    walk(&p, &random, c, order, order, order + 3, times);
    double t = times[order + 2], span = t - times[order + 1];
    for (int k = 0; k <= 4; k++) {
      double s = -span * k / 4, sum = 0;
      hn_adams_weights(present(&p), order + 1, s, weight);
      for (int i = 0; i <= order; i++) sum += weight[i] * present(&p)->phi[i][0];
      check_near(sum, integral(c, order, t + s) - integral(c, order, t), 1e-13);
    }
  }
  hn_arena_release(&p.arena);
}

// The coefficients of Adams-Bashforth and Adams-Moulton in every textbook (Hairer, Norsett, Wanner,
// tables III.1.1 and III.1.2).
static void an_even_grid_has_the_published_coefficients(void **state) {
  (void)state;
  double bashforth[] = {1, 1.0 / 2, 5.0 / 12, 3.0 / 8, 251.0 / 720, 95.0 / 288, 19087.0 / 60480};
  double moulton[] = {1,          1.0 / 2,   1.0 / 12,      1.0 / 24,
                      19.0 / 720, 3.0 / 160, 863.0 / 60480, 275.0 / 24192};
  hn_adams_history history = {.n = 0, .known = 8};
  for (int i = 0; i < HN_ADAMS_DIFFERENCES; i++) history.psi[i] = 0.1 * (i + 1);
  hn_adams_step step = hn_adams_plan(&history, 6, 0.1);
  for (int i = 0; i < 7; i++) {
    check_near(step.g[i], bashforth[i], 1e-14);
    check_near(step.beta[i], 1, 1e-14);
    check_near(step.sigma[i], 1, 1e-14);
  }
  for (int k = 0; k < 8; k++) check_near(hn_adams_constant(k), moulton[k], 1e-14);
  for (int k = 1; k < 7; k++) check_near(step.g[k - 1] - step.g[k], hn_adams_constant(k), 1e-14);
}

// y'' = -y by order k with steps h from exact values; the error at t = 4.
static double oscillator_error(pair *p, int order, int steps) {
  double h = 4.0 / steps, y[2] = {0, 1}, f[2], predicted[2], d[2];
  double before = -h * order;
  f[0] = cos(before), f[1] = -sin(before);
  hn_adams_begin(present(p), f);
  for (int k = 1 - order; k <= steps; k++) {
    hn_adams_history *from = present(p), *to = &p->room[1 - p->present];
    int rising = k + order;
    hn_adams_step step = hn_adams_plan(from, rising < order ? rising : order, h);
    hn_adams_predict(from, &step, y, predicted, to);
    if (k <= 0) { // still exact
      f[0] = cos(k * h), f[1] = -sin(k * h);
    } else {
      f[0] = predicted[1], f[1] = -predicted[0];
      hn_adams_defect(to, f, d);
      for (int m = 0; m < 2; m++) y[m] = predicted[m] + h * step.g[order] * d[m];
      f[0] = y[1], f[1] = -y[0];
    }
    hn_adams_update(from, &step, f, to);
    p->present = 1 - p->present;
  }
  return hypot(y[0] - sin(4), y[1] - cos(4));
}

// Beyond order 8 the errors are those of rounding.
static void halving_the_step_gains_one_order_more_than_the_predictor_has(void **state) {
  (void)state;
  pair p = make_pair(2);
  for (int order = 1; order <= 8; order++) {
    double coarse = oscillator_error(&p, order, 64), fine = oscillator_error(&p, order, 128);
    check_near(log2(coarse / fine), order + 1, 0.5);
  }
  hn_arena_release(&p.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order_is_exact_for_its_polynomials_on_uneven_grids),
      cmocka_unit_test(differences_are_the_divided_differences_of_the_grid),
      cmocka_unit_test(the_weights_integrate_the_interpolant_exactly),
      cmocka_unit_test(an_even_grid_has_the_published_coefficients),
      cmocka_unit_test(halving_the_step_gains_one_order_more_than_the_predictor_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
