// Curves through points: monotone, Akima and periodic ones, and what they do beyond their ends.
#include <math.h>
#include <string.h>

#include "holon/law.h"
#include "math/differences.h"
#include "support/check.h"

static const double xs[] = {0, 1, 2, 3}, squares[] = {0, 1, 4, 9};

static hn_law *make(const double *x, const double *y, int count, hn_table_options options) {
  hn_law *law;
  check_ok(hn_law_curve(x, y, count, &options, NULL, &law, NULL));
  return law;
}

static double value_of(const void *law, double x) { return hn_law_evaluate(law, -1, x).value; }
static double slope_of(const void *law, double x) { return hn_law_evaluate(law, -1, x).d1; }
static double integral_of(const void *law, double x) {
  return hn_law_evaluate(law, -1, x).integral;
}

// Slopes by hand: harmonic means of the chords 1, 3, 5, and the parabola at the ends.
static void monotone_slopes_are_those_of_fritsch_and_butland(void **state) {
  (void)state;
  hn_law *law = make(xs, squares, 4, (hn_table_options){.kind = HN_TABLE_MONOTONE});
  const double slopes[] = {0, 1.5, 3.75, 6};
  for (int i = 0; i < 4; i++) {
    check_near(slope_of(law, xs[i]), slopes[i], 1e-14);
    check_near(value_of(law, xs[i]), squares[i], 1e-14);
  }
  assert_int_equal(hn_law_pieces(law), 1); // a force needs no breakpoint if its slope is continuous
  check_near(value_of(law, 5), 9 + 2 * 6, 1e-13);
  hn_law_free(law);
}

static void monotone_curves_do_not_overshoot(void **state) {
  (void)state;
  const double x[] = {0, 1, 1.1, 3, 4, 4.5}, y[] = {0, 0, 1, 1, 5, 5};
  hn_law *law = make(x, y, 6, (hn_table_options){.kind = HN_TABLE_MONOTONE});
  double before = -1e-15;
  for (int k = 0; k <= 900; k++) {
    double now = value_of(law, 0.005 * k);
    if (now < before - 1e-13) fail_msg("falls at %g: %.17g after %.17g", 0.005 * k, now, before);
    before = now;
  }
  check_near(before, 5, 1e-13);
  hn_law_free(law);
}

static void akima_keeps_straight_parts_straight(void **state) {
  (void)state;
  const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {0, 0, 0, 1, 2, 3, 4};
  hn_law *law = make(x, y, 7, (hn_table_options){.kind = HN_TABLE_AKIMA});
  check_near(value_of(law, 0.3), 0, 1e-15);
  check_near(value_of(law, 4.7), 2.7, 1e-14);
  check_near(slope_of(law, 2), 0.5, 1e-14); // both sides straight: the mean
  hn_law_free(law);
  // by hand: chords 0, 0, 1, 0, 0: no slope at either end of the step
  const double step[] = {0, 0, 0, 1, 1, 1};
  law = make(x, step, 6, (hn_table_options){.kind = HN_TABLE_AKIMA});
  check_near(slope_of(law, 2), 0, 1e-15);
  check_near(slope_of(law, 3), 0, 1e-15);
  check_near(value_of(law, 2.25), 0.15625, 1e-15); // u^2 (3 - 2 u)
  hn_law_free(law);
}

static void a_motion_has_kinks_where_its_acceleration_jumps(void **state) {
  (void)state;
  hn_table_options options = {.kind = HN_TABLE_AKIMA, .is_motion = 1};
  hn_law *law = make(xs, squares, 4, options);
  assert_int_equal(hn_law_pieces(law), 5);
  check_near(hn_law_kink(law, 1), 0, 0);
  check_near(hn_law_kink(law, 4), 3, 0);
  assert_int_equal(hn_law_piece(law, 1.5), 2);
  check_near(hn_law_evaluate(law, 2, 1 - 1e-9).d2, hn_law_evaluate(law, -1, 1).d2, 1e-6);
  hn_law_free(law);
  options.kind = HN_TABLE_SPLINE;
  options.outside = HN_TABLE_HOLD;
  law = make(xs, squares, 4, options);
  assert_int_equal(hn_law_pieces(law), 3); // at the ends alone
  check_near(hn_law_kink(law, 2), 3, 0);
  check_near(hn_law_evaluate(law, 1, 2.5).value, value_of(law, 2.5), 0);
  hn_law_free(law);
}

static void ends_hold_or_refuse(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    hn_table_options options = {.kind = (hn_table_kind)kind, .outside = HN_TABLE_HOLD};
    hn_law *law = make(xs, squares, 4, options);
    check_near(value_of(law, -7), 0, 0);
    check_near(value_of(law, 50), 9, 0);
    check_near(slope_of(law, 50), 0, 0);
    hn_law_free(law);
    options.outside = HN_TABLE_REFUSE;
    law = make(xs, squares, 4, options);
    assert_true(isnan(value_of(law, 3.01)) && isnan(value_of(law, -0.01)));
    check_near(value_of(law, 3), 9, 1e-14);
    hn_law_free(law);
  }
}

static void derivatives_and_integral_agree_with_differences(void **state) {
  (void)state;
  const double x[] = {-1, 0.2, 1, 2.5, 3}, y[] = {1, -2, 0.5, 3, 1};
  for (int kind = 0; kind < 4; kind++)
    for (int periodic = 0; periodic < 2; periodic++) {
      hn_table_options options = {.kind = (hn_table_kind)kind, .is_periodic = periodic};
      hn_law *law = make(x, y, 5, options);
      for (int k = 0; k < 40; k++) {
        double at = -1.03 + 0.317 * k;
        check_near(slope_of(law, at), difference(value_of, law, at, 1e-4), 1e-7);
        check_near(value_of(law, at), difference(integral_of, law, at, 1e-4), 1e-7);
      }
      hn_law_free(law);
    }
}

// sin through 24 points of a period: the error of a periodic cubic spline is h^4 / 384 at most, and
// it is twice continuously differentiable over the ends.
static void periodic_splines_repeat_themselves_smoothly(void **state) {
  (void)state;
  double x[25], y[25], pi = acos(-1.0);
  for (int i = 0; i < 25; i++) {
    x[i] = 2 * pi * i / 24;
    y[i] = i == 24 ? 0 : sin(x[i]);
  }
  hn_law *law = make(x, y, 25, (hn_table_options){.is_periodic = 1});
  assert_int_equal(hn_law_pieces(law), 1);
  double h = x[1];
  for (int k = -50; k < 50; k++)
    check_near(value_of(law, 0.37 * k), sin(0.37 * k), 1.05 * h * h * h * h / 384);
  for (int i = 0; i < 25; i++) {
    hn_law_value left = hn_law_evaluate(law, -1, x[i] - 1e-9);
    hn_law_value right = hn_law_evaluate(law, -1, x[i] + 1e-9);
    check_near(left.d1, right.d1, 1e-8);
    check_near(left.d2, right.d2, 1e-7);
  }
  check_near(integral_of(law, 4 * pi) - integral_of(law, 0), 0, 1e-12);
  hn_law_free(law);
}

static void periodic_lines_have_kinks_in_every_period(void **state) {
  (void)state;
  const double x[] = {0, 1, 2}, y[] = {0, 1, 0};
  hn_law *law = make(x, y, 3, (hn_table_options){.kind = HN_TABLE_LINEAR, .is_periodic = 1});
  for (int k = 1; k < hn_law_pieces(law); k++) {
    double at = hn_law_kink(law, k);
    check_near(at, round(at), 1e-12);
    assert_int_equal(hn_law_piece(law, at + 0.5), k);
    if (k + 1 < hn_law_pieces(law)) // the piece continues beyond its end
      check_near(hn_law_evaluate(law, k, at - 0.25).value,
                 value_of(law, at) - 0.25 * slope_of(law, at + 0.1), 1e-12);
  }
  assert_true(hn_law_kink(law, hn_law_pieces(law) - 1) > 1000);
  check_near(value_of(law, 1e5 + 0.25), 0.25, 1e-9);
  hn_law_free(law);
}

static void what_is_wrong_is_told(void **state) {
  (void)state;
  hn_law *law;
  hn_error error;
  hn_table_options options = {.is_periodic = 1};
  check_status(hn_law_curve(xs, squares, 4, &options, NULL, &law, &error), HN_ERROR_ARGUMENT);
  check_names(error.message, "0 9");
  options = (hn_table_options){.kind = (hn_table_kind)9};
  check_status(hn_law_curve(xs, squares, 4, &options, NULL, &law, &error), HN_ERROR_ARGUMENT);
  assert_null(law);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(monotone_slopes_are_those_of_fritsch_and_butland),
      cmocka_unit_test(monotone_curves_do_not_overshoot),
      cmocka_unit_test(akima_keeps_straight_parts_straight),
      cmocka_unit_test(a_motion_has_kinks_where_its_acceleration_jumps),
      cmocka_unit_test(ends_hold_or_refuse),
      cmocka_unit_test(derivatives_and_integral_agree_with_differences),
      cmocka_unit_test(periodic_splines_repeat_themselves_smoothly),
      cmocka_unit_test(periodic_lines_have_kinks_in_every_period),
      cmocka_unit_test(what_is_wrong_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
