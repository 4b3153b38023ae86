// Tables: natural splines against a dense solve of their defining equations, straight lines,
// continuation, integrals, errors.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "holon/law.h"
#include "math/differences.h"
#include "support/check.h"

typedef struct entry {
  const hn_law *law;
  int order; // -1: the integral
} entry;

static double law_entry(const void *context, double x) {
  const entry *e = context;
  hn_law_value v = hn_law_evaluate(e->law, -1, x);
  const double entries[] = {v.integral, v.value, v.d1, v.d2, v.d3};
  return entries[e->order + 1];
}

static hn_law *make(const double *x, const double *y, int count, hn_table_kind kind) {
  hn_law *law;
  check_ok(hn_law_table(x, y, count, kind, NULL, &law, NULL));
  assert_int_equal(hn_law_get_kind(law), HN_LAW_TABLE);
  return law;
}

static void random_points(hn_random *random, double *x, double *y, int count) {
  double at = hn_random_uniform(random, -3, 3);
  for (int i = 0; i < count; i++) {
    x[i] = at;
    y[i] = hn_random_uniform(random, -5, 5);
    at += hn_random_uniform(random, 0.05, 2);
  }
}

// ---- the spline by its definition ---------------------------------------------------------------

#define POINTS 9
#define UNKNOWNS (4 * (POINTS - 1)) // a cubic in x - x_i for each interval

// Gaussian elimination with row pivoting.
static void solve_dense(double a[UNKNOWNS][UNKNOWNS + 1], double *solution) {
  for (int k = 0; k < UNKNOWNS; k++) {
    int pivot = k;
    for (int i = k + 1; i < UNKNOWNS; i++)
      if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
    for (int j = 0; j <= UNKNOWNS; j++) {
      double t = a[k][j];
      a[k][j] = a[pivot][j];
      a[pivot][j] = t;
    }
    for (int i = k + 1; i < UNKNOWNS; i++) {
      double factor = a[i][k] / a[k][k];
      for (int j = k; j <= UNKNOWNS; j++) a[i][j] -= factor * a[k][j];
    }
  }
  for (int k = UNKNOWNS - 1; k >= 0; k--) {
    double sum = a[k][UNKNOWNS];
    for (int j = k + 1; j < UNKNOWNS; j++) sum -= a[k][j] * solution[j];
    solution[k] = sum / a[k][k];
  }
}

// The derivative of order m of 1, s, s^2, s^3 into four places of a row.
static void basis(double *row, double s, int m, double sign) {
  const double rows[3][4] = {{1, s, s * s, s * s * s}, {0, 1, 2 * s, 3 * s * s}, {0, 0, 2, 6 * s}};
  for (int i = 0; i < 4; i++) row[i] += sign * rows[m][i];
}

// Interpolation at both ends of every interval, equal first and second derivatives at inner points,
// second derivative 0 at both ends.
static void spline_by_definition(const double *x, const double *y, double *c) {
  static double a[UNKNOWNS][UNKNOWNS + 1];
  memset(a, 0, sizeof a);
  int row = 0;
  for (int i = 0; i < POINTS - 1; i++) {
    double h = x[i + 1] - x[i];
    basis(&a[row][4 * i], 0, 0, 1);
    a[row++][UNKNOWNS] = y[i];
    basis(&a[row][4 * i], h, 0, 1);
    a[row++][UNKNOWNS] = y[i + 1];
    if (i + 1 == POINTS - 1) continue;
    for (int m = 1; m <= 2; m++, row++) {
      basis(&a[row][4 * i], h, m, 1);
      basis(&a[row][4 * i + 4], 0, m, -1);
    }
  }
  basis(&a[row++][0], 0, 2, 1);
  basis(&a[row++][UNKNOWNS - 4], x[POINTS - 1] - x[POINTS - 2], 2, 1);
  assert_int_equal(row, UNKNOWNS);
  solve_dense(a, c);
}

static void spline_agrees_with_a_dense_solve_of_its_definition(void **state) {
  (void)state;
  hn_random random = hn_random_seed(51);
  for (int trial = 0; trial < 20; trial++) {
    double x[POINTS], y[POINTS], c[UNKNOWNS];
    random_points(&random, x, y, POINTS);
    hn_law *law = make(x, y, POINTS, HN_TABLE_SPLINE);
    spline_by_definition(x, y, c);
    for (int i = 0; i < POINTS - 1; i++) {
      const double *d = c + 4 * i;
      double s = hn_random_uniform(&random, 0, x[i + 1] - x[i]);
      hn_law_value v = hn_law_evaluate(law, -1, x[i] + s);
      double scale = 1 + fabs(d[1]) + fabs(d[2]) + fabs(d[3]);
      check_near(v.value, d[0] + s * (d[1] + s * (d[2] + s * d[3])), 1e-13 * scale);
      check_near(v.d1, d[1] + s * (2 * d[2] + s * 3 * d[3]), 1e-12 * scale);
      check_near(v.d2, 2 * d[2] + s * 6 * d[3], 1e-11 * scale);
      check_near(v.d3, 6 * d[3], 1e-11 * scale);
    }
    hn_law_free(law);
  }
}

// Through (0, 0), (1, 1), (2, 0): 3/2 x - 1/2 x^3 on the left, its mirror image on the right.
static void spline_through_three_points_is_known(void **state) {
  (void)state;
  hn_law *law = make((double[]){0, 1, 2}, (double[]){0, 1, 0}, 3, HN_TABLE_SPLINE);
  for (double x = 0; x <= 1; x += 0.125) {
    hn_law_value v = hn_law_evaluate(law, -1, x), mirror = hn_law_evaluate(law, -1, 2 - x);
    check_near(v.value, 1.5 * x - 0.5 * x * x * x, 1e-15);
    check_near(v.d1, 1.5 - 1.5 * x * x, 1e-15);
    check_near(v.d2, -3 * x, 1e-15);
    check_near(mirror.value, v.value, 1e-15);
    check_near(mirror.d1, -v.d1, 1e-15);
  }
  check_near(hn_law_evaluate(law, -1, 2).integral - hn_law_evaluate(law, -1, 0).integral, 1.25,
             1e-15);
  hn_law_free(law);
}

static void spline_is_twice_continuously_differentiable_everywhere(void **state) {
  (void)state;
  hn_random random = hn_random_seed(52);
  for (int trial = 0; trial < 20; trial++) {
    double x[POINTS], y[POINTS];
    random_points(&random, x, y, POINTS);
    hn_law *law = make(x, y, POINTS, HN_TABLE_SPLINE);
    assert_int_equal(hn_law_pieces(law), 1);
    assert_int_equal(hn_law_piece(law, x[4]), 0);
    for (int i = 0; i < POINTS; i++) { // the ends too: the continuation is straight
      hn_law_value left = hn_law_evaluate(law, -1, nextafter(x[i], -INFINITY));
      hn_law_value right = hn_law_evaluate(law, -1, x[i]);
      double scale = 1 + fabs(right.d1) + fabs(right.d2) + fabs(right.d3) + fabs(left.d3);
      check_near(right.value, y[i], 0);
      check_near(left.integral, right.integral, 1e-13 * scale);
      check_near(left.value, right.value, 1e-13 * scale);
      check_near(left.d1, right.d1, 1e-12 * scale);
      check_near(left.d2, right.d2, 1e-12 * scale);
    }
    hn_law_free(law);
  }
}

static void derivatives_agree_with_differences_and_integral_with_quadrature(void **state) {
  (void)state;
  hn_random random = hn_random_seed(53);
  for (int kind = 0; kind < 2; kind++) {
    double x[POINTS], y[POINTS];
    random_points(&random, x, y, POINTS);
    hn_law *law = make(x, y, POINTS, kind == 0 ? HN_TABLE_SPLINE : HN_TABLE_LINEAR);
    double before = hn_law_evaluate(law, -1, x[0] - 1).integral, sum = 0;
    entry value = {law, 0};
    for (int i = -1; i < POINTS; i++) { // intervals with the continuations
      double low = i < 0 ? x[0] - 1 : x[i], high = i + 1 < POINTS ? x[i + 1] : x[POINTS - 1] + 1;
      double middle = low + (high - low) * hn_random_uniform(&random, 0.3, 0.7);
      for (int order = -1; order < 3; order++) {
        entry lower = {law, order}, upper = {law, order + 1};
        double exact = law_entry(&upper, middle);
        check_near(exact, difference(law_entry, &lower, middle, (high - low) / 20),
                   1e-10 * (100 + fabs(exact)));
      }
      sum += gauss(law_entry, &value, low, high);
      check_near(hn_law_evaluate(law, -1, high).integral - before, sum, 1e-12);
    }
    hn_law_free(law);
  }
}

static void tables_go_on_by_their_end_tangents(void **state) {
  (void)state;
  const double x[] = {-1, 0, 2, 3}, y[] = {1, 4, 2, 5};
  for (int kind = 0; kind < 2; kind++) {
    hn_law *law = make(x, y, 4, kind == 0 ? HN_TABLE_SPLINE : HN_TABLE_LINEAR);
    hn_law_value first = hn_law_evaluate(law, -1, -1), last = hn_law_evaluate(law, -1, 3);
    for (double s = 0.5; s < 1e6; s *= 10) {
      hn_law_value v = hn_law_evaluate(law, -1, -1 - s);
      check_near(v.value, 1 - s * first.d1, 1e-12 * s);
      check_near(v.d1, first.d1, 0);
      check_near(fabs(v.d2) + fabs(v.d3), 0, 0);
      v = hn_law_evaluate(law, -1, 3 + s);
      check_near(v.value, 5 + s * last.d1, 1e-12 * s);
      check_near(v.d1, last.d1, 0);
      check_near(v.integral - last.integral, 5 * s + last.d1 * s * s / 2, 1e-12 * s * s);
    }
    hn_law_free(law);
  }
}

static void lines_have_a_kink_at_every_inner_point(void **state) {
  (void)state;
  const double x[] = {-1, 0, 2, 3}, y[] = {1, 4, 2, 5};
  hn_law *law = make(x, y, 4, HN_TABLE_LINEAR);
  assert_int_equal(hn_law_pieces(law), 3);
  check_near(hn_law_kink(law, 1), 0, 0);
  check_near(hn_law_kink(law, 2), 2, 0);
  assert_int_equal(hn_law_piece(law, -5), 0);
  assert_int_equal(hn_law_piece(law, 0), 1);
  assert_int_equal(hn_law_piece(law, 1.99), 1);
  assert_int_equal(hn_law_piece(law, 2), 2);
  assert_int_equal(hn_law_piece(law, 9), 2);
  check_near(hn_law_evaluate(law, -1, 1).value, 3, 0);
  check_near(hn_law_evaluate(law, -1, 1).d1, -1, 0);
  check_near(hn_law_evaluate(law, 0, 1).value, 7, 0); // frozen: 1 + 3 (x + 1)
  check_near(hn_law_evaluate(law, 2, 1).value, -1, 0);
  hn_law_free(law);
}

static void two_points_make_a_straight_line(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    hn_law *law =
        make((double[]){1, 3}, (double[]){2, 8}, 2, kind == 0 ? HN_TABLE_SPLINE : HN_TABLE_LINEAR);
    assert_int_equal(hn_law_pieces(law), 1);
    for (double x = -2; x < 6; x += 0.75) {
      hn_law_value v = hn_law_evaluate(law, -1, x);
      check_near(v.value, 2 + 3 * (x - 1), 1e-14);
      check_near(v.d1, 3, 1e-15);
      check_near(v.d2, 0, 1e-15);
    }
    hn_law_free(law);
  }
}

// A spline of sin converges with the fourth order away from its ends; 200001 points are no trouble.
static void large_tables_keep_their_digits(void **state) {
  (void)state;
  int count = 200001;
  double *x = malloc((size_t)count * sizeof *x), *y = malloc((size_t)count * sizeof *y);
  assert_true(x && y);
  for (int i = 0; i < count; i++) {
    x[i] = 1e4 + 1e-3 * i;
    y[i] = sin(x[i]);
  }
  hn_law *law = make(x, y, count, HN_TABLE_SPLINE);
  hn_random random = hn_random_seed(54);
  double first = hn_law_evaluate(law, -1, 1e4).integral;
  for (int trial = 0; trial < 1000; trial++) {
    double at = hn_random_uniform(&random, 1e4 + 1, 1e4 + 199);
    hn_law_value v = hn_law_evaluate(law, -1, at);
    check_near(v.value, sin(at), 1e-12);
    check_near(v.d1, cos(at), 1e-9);
    check_near(v.d2, -sin(at), 2e-6);
    check_near(v.integral - first, cos(1e4) - cos(at), 1e-10);
  }
  hn_law_free(law);
  free(x);
  free(y);
}

// ---- errors -------------------------------------------------------------------------------------

static void check_refused(const double *x, const double *y, int count, hn_status expected,
                          const char *message) {
  hn_law *law;
  hn_error error;
  for (int kind = 0; kind < 2; kind++) {
    hn_table_kind table = kind == 0 ? HN_TABLE_SPLINE : HN_TABLE_LINEAR;
    check_status(hn_law_table(x, y, count, table, NULL, &law, &error), expected);
    assert_null(law);
    assert_true(error.hint[0]);
    check_names(error.message, message);
  }
}

static void bad_tables_name_the_point(void **state) {
  (void)state;
  const double x[] = {0, 1, 2, 3}, y[] = {0, 1, 4, 9};
  check_refused(x, y, 1, HN_ERROR_ARGUMENT, "1");
  check_refused(x, NULL, 4, HN_ERROR_ARGUMENT, "");
  check_refused((double[]){0, 1, 1, 2}, y, 4, HN_ERROR_ARGUMENT, "3 1 2");
  check_refused((double[]){0, 1, 0.5, 2}, y, 4, HN_ERROR_ARGUMENT, "3");
  check_refused((double[]){0, 1, 2, INFINITY}, y, 4, HN_ERROR_NOT_FINITE, "4 inf 9");
  check_refused(x, (double[]){0, NAN, 2, 3}, 4, HN_ERROR_NOT_FINITE, "2");
  check_refused(x, (double[]){0, -1e308, 1e308, 0}, 4, HN_ERROR_NOT_FINITE, "");
  check_refused((double[]){0, 5e-324, 1, 2}, y, 4, HN_ERROR_NOT_FINITE, "");
  hn_law *law;
  check_status(hn_law_table(x, y, 4, (hn_table_kind)7, NULL, &law, NULL), HN_ERROR_ARGUMENT);
}

static void failing_memory_is_told_and_nothing_leaks(void **state) {
  (void)state;
  const double x[] = {0, 1, 2, 3}, y[] = {0, 1, 4, 9};
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_law *law;
  check_ok(hn_law_table(x, y, 4, HN_TABLE_SPLINE, &allocator, &law, NULL));
  hn_law_evaluate(law, -1, 1.5);
  assert_int_equal(memory.calls, 1);
  hn_law_free(law);
  assert_int_equal(memory.living, 0);
  memory = (hn_counting_memory){.fail_at = 1};
  check_status(hn_law_table(x, y, 4, HN_TABLE_LINEAR, &allocator, &law, NULL), HN_ERROR_MEMORY);
  assert_null(law);
  assert_int_equal(memory.living, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spline_agrees_with_a_dense_solve_of_its_definition),
      cmocka_unit_test(spline_through_three_points_is_known),
      cmocka_unit_test(spline_is_twice_continuously_differentiable_everywhere),
      cmocka_unit_test(derivatives_agree_with_differences_and_integral_with_quadrature),
      cmocka_unit_test(tables_go_on_by_their_end_tangents),
      cmocka_unit_test(lines_have_a_kink_at_every_inner_point),
      cmocka_unit_test(two_points_make_a_straight_line),
      cmocka_unit_test(large_tables_keep_their_digits),
      cmocka_unit_test(bad_tables_name_the_point),
      cmocka_unit_test(failing_memory_is_told_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
