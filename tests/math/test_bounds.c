// Bounds of formulas, laws and tables: every value and every slope found inside an interval lies within
// them, for formulas put together at random, and they shrink to the function as the interval does. The
// same of Taylor models, where there is one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/bounds.h"
#include "math/bounds_table.h"
#include "math/expression_code.h"
#include "math/lookup.h"
#include "math/resolve.h"
#include "math/taylor_table.h"
#include "support/check.h"

enum { SAMPLES = 40 };

static const hn_interval ONE = {1, 1};

static void check_inside(hn_interval in, double value, const char *what, double x) {
  const double noise = 1e-12 * (1 + fabs(value));
  if (isnan(value) || (value >= in.low - noise && value <= in.high + noise)) return;
  fail_msg("%s at %.17g is %.17g, outside of [%.17g, %.17g]", what, x, value, in.low, in.high);
}

static hn_law *law_of(const char *text) {
  hn_law *law = NULL;
  const char *x = "x";
  hn_error error = {0};
  if (hn_law_expression(text, &x, 1, NULL, &law, &error) != HN_OK)
    fail_msg("%s: %s", text, error.message);
  return law;
}

// ---- Taylor models ------------------------------------------------------------------------------

static int models; // found so far

static hn_taylor line_over(double low, double high) {
  return (hn_taylor){.c = {0.5 * (low + high), 0.5 * (high - low)}, .error = 1e-15};
}

static void check_model_at(const hn_taylor *f, double s, double value, const char *what) {
  const double at = f->c[0] + s * (f->c[1] + s * (f->c[2] + s * (f->c[3] + s * f->c[4])));
  const double error = f->error + 1e-12 * (1 + fabs(value));
  check_inside((hn_interval){at - error, at + error}, value, what, s);
}

// ---- laws ---------------------------------------------------------------------------------------

// Values, and slopes by differences where nothing switches in between.
static void check_law(const hn_law *law, const char *what, double low, double high) {
  const hn_bounds u = {{low, high}, ONE};
  const hn_bounds f = hn_law_bounds(law, &u, NULL);
  const hn_taylor line = line_over(low, high);
  hn_taylor model;
  const int has_model = hn_law_taylor(law, &line, &model);
  models += has_model;
  for (int k = 0; k <= SAMPLES; k++) {
    const double x = k == SAMPLES ? high : low + k * (high - low) / SAMPLES;
    const hn_law_value v = hn_law_evaluate(law, -1, x);
    check_inside(f.value, v.value, what, x);
    if (has_model) check_model_at(&model, 2 * (x - low) / (high - low) - 1, v.value, what);
    // where the function is not defined it has no slope
    if (!isnan(v.value) && isfinite(v.d1)) check_inside(f.slope, v.d1, what, x);
  }
}

static void random_interval(hn_random *random, double *low, double *high) {
  *low = hn_random_uniform(random, -4, 4);
  *high = *low + exp(hn_random_uniform(random, -16, 2));
}

// ---- formulas -----------------------------------------------------------------------------------

// A formula of x, put together at random, of at most `depth` levels.
static void write_random(hn_random *random, char *text, size_t size, int depth) {
  static const char *const unary[] = {"sin(%s)",  "cos(%s)",  "tan(%s)",  "asin(%s)", "acos(%s)",
                                      "atan(%s)", "sinh(%s)", "cosh(%s)", "tanh(%s)", "exp(%s)",
                                      "log(%s)",  "sqrt(%s)", "abs(%s)",  "sign(%s)", "floor(%s)",
                                      "ceil(%s)", "step(%s)", "-(%s)",    "not (%s)", "(%s)^2",
                                      "(%s)^3",   "(%s)^-1",  "(%s)^0.5", "(%s)^-2"};
  static const char *const binary[] = {"(%s) + (%s)",
                                       "(%s) - (%s)",
                                       "(%s)*(%s)",
                                       "(%s)/(%s)",
                                       "(%s) < (%s)",
                                       "(%s) >= (%s)",
                                       "min(%s, %s)",
                                       "max(%s, %s)",
                                       "hypot(%s, %s)",
                                       "atan2(%s, %s)",
                                       "mod(%s, %s)",
                                       "(%s) and (%s)",
                                       "(%s) or (%s)",
                                       "exp(%s)^(%s)",
                                       "step(%s, 0, 0, %s, 1)",
                                       "step5(%s, -1, 0, 1, %s)"};
  char a[600], b[600];
  const double pick = hn_random_uniform(random, 0, 1);
  if (depth == 0 || pick < 0.1) {
    if (pick < 0.07)
      snprintf(text, size, "%.3g", hn_random_uniform(random, -3, 3));
    else
      snprintf(text, size, "x");
    return;
  }
  write_random(random, a, sizeof a, depth - 1);
  write_random(random, b, sizeof b, depth - 1);
  if (pick < 0.5)
    snprintf(text, size, unary[(int)hn_random_uniform(random, 0, 23.99)], a);
  else if (pick < 0.94)
    snprintf(text, size, binary[(int)hn_random_uniform(random, 0, 15.99)], a, b);
  else
    snprintf(text, size, "(%s) if x > 0.5 else (%s)", a, b);
}

static void random_formulas_stay_within_their_bounds(void **state) {
  (void)state;
  hn_random random = hn_random_seed(7);
  models = 0;
  const char *x = "x";
  const int count = getenv("HOLON_SWEEP") ? 20000 : 1000;
  for (int k = 0; k < count; k++) {
    char text[1400];
    double low, high;
    write_random(&random, text, sizeof text, 1 + k % 4);
    hn_law *law = NULL;
    if (hn_law_expression(text, &x, 1, NULL, &law, NULL) != HN_OK) continue; // log(-1) and so on
    for (int i = 0; i < 4; i++) {
      random_interval(&random, &low, &high);
      check_law(law, text, low, high);
    }
    hn_law_free(law);
  }
  assert_true(models > count);
}

// A law keeps to branches between its breakpoints. Whatever it takes for breakpoints, its value is
// that of the formula, except near a switch, where branches are those just inside a piece.
static int is_unclear(const hn_expression *formula, double x, double value) {
  const double room = 2e-6 * (1 + fabs(x));
  for (int k = -4; k <= 4; k++) {
    const double here = hn_expression_evaluate(formula, (double[]){x + 0.25 * k * room});
    if (!(fabs(here - value) <= 1e-3 * (1 + fabs(value)))) return 1;
  }
  return 0;
}

static int find_x(const void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && *name == 'x' ? 0 : -1;
}

static int check_values(const hn_law *law, const char *text, double size, hn_random *random) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  const hn_expression_names names = {.find = find_x};
  const hn_expression *formula = NULL;
  int clear = 0;
  check_ok(hn_expression_compile(text, strlen(text), &names, &arena, &formula, NULL));
  for (int k = 0; k < SAMPLES; k++) {
    const double x = hn_random_uniform(random, -size, size);
    const double value = hn_expression_evaluate(formula, &x);
    if (!isfinite(value) || is_unclear(formula, x, value)) continue;
    const double of_law = hn_law_evaluate(law, -1, x).value;
    if (!(fabs(of_law - value) <= 1e-9 * (1 + fabs(value))))
      fail_msg("%s at %.17g is %.17g, not %.17g", text, x, of_law, value);
    clear++;
  }
  hn_arena_release(&arena);
  return clear;
}

static void laws_have_the_values_of_their_formulas(void **state) {
  (void)state;
  hn_random random = hn_random_seed(19);
  const char *x = "x";
  const int count = getenv("HOLON_SWEEP") ? 20000 : 1000;
  int clear = 0;
  for (int k = 0; k < count; k++) {
    char text[1400];
    write_random(&random, text, sizeof text, 1 + k % 4);
    hn_law *law = NULL;
    if (hn_law_expression(text, &x, 1, NULL, &law, NULL) != HN_OK) continue;
    for (double size = 1; size < 1e4; size *= 10) clear += check_values(law, text, size, &random);
    hn_law_free(law);
  }
  assert_true(clear > 60 * count);
}

static void bounds_shrink_to_smooth_functions(void **state) {
  (void)state;
  static const char *const texts[] = {
      "sin(3*x)*exp(-x^2)", "tanh(50*(x - 0.3))", "x^3 - 2*x + 1/x",      "hypot(x, 2)*atan2(x, 3)",
      "sqrt(x)*log(x)",     "x^1.7 + 2^x",        "step5(x, 0, 0, 5, 1)", "max(x, 2*x) + abs(x)"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    hn_law *law = law_of(texts[k]);
    for (double x = 0.21; x < 2; x += 0.37) {
      const hn_law_value f = hn_law_evaluate(law, -1, x);
      for (double w = 1e-3; w > 1e-7; w *= 0.1) {
        const hn_bounds u = {{x, x + w}, ONE}, b = hn_law_bounds(law, &u, NULL);
        const double size = fabs(f.value) + fabs(f.d1) + fabs(f.d2) + 10;
        assert_true(hn_interval_width(b.value) < 10 * w * size);
        assert_true(hn_interval_width(b.slope) < 1000 * w * size);
      }
    }
    hn_law_free(law);
  }
}

// A zero at the end of the interval of a divisor may have either sign: min(x, 0) is +0 of x > 0.
static void divisors_that_reach_zero_have_no_bound(void **state) {
  (void)state;
  static const char *const texts[] = {"1/min(x, 0)", "min(x, 0)^-1", "min(x, 0)^-3",
                                      "max(1/min(x, 0), -5)", "step(1, 0, 0, min(x, 0), 1)"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    hn_law *law = law_of(texts[k]);
    for (double low = -3; low < 0; low += 0.25) check_law(law, texts[k], low, 0);
    for (double low = -3; low < 0; low += 0.25) check_law(law, texts[k], low, 1);
    hn_law_free(law);
  }
}

static void models_shrink_by_their_order(void **state) {
  (void)state;
  static const char *const texts[] = {"sin(3*x)*cos(x)",
                                      "tan(x/2)",
                                      "asin(x/4) - acos(x/3)",
                                      "atan(3*x)",
                                      "sinh(x)*cosh(x)",
                                      "tanh(2*x)",
                                      "exp(-x^2)",
                                      "log(1 + x)",
                                      "sqrt(x)/x",
                                      "x^2.5 + x^-3",
                                      "hypot(x, 2)",
                                      "atan2(x - 3, -x)",
                                      "mod(x, 7)*2^x",
                                      "abs(-x)^x",
                                      "min(x, x - 1)",
                                      "step5(x, 0, 0, 5, 1)",
                                      "step(x, 0, 0, 5, 1)",
                                      "x if x > -1 else 0"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    hn_law *law = law_of(texts[k]);
    double before = 0;
    for (double w = 0.1; w > 0.01; w *= 0.5) {
      hn_taylor f, line = line_over(1.3 - w, 1.3 + w);
      if (!hn_law_taylor(law, &line, &f)) fail_msg("%s has no model", texts[k]);
      check_at_most(f.error, 1000 * pow(w, 5));
      if (before > 1e-12 && f.error > before / 24)
        fail_msg("%s: %g, %g", texts[k], before, f.error);
      before = f.error;
    }
    hn_law_free(law);
  }
}

static void models_end_where_operations_switch(void **state) {
  (void)state;
  static const char *const texts[] = {"abs(x - 1)",  "floor(x)",          "max(x, 1)",
                                      "sign(x - 1)", "1 if x < 1 else 0", "mod(x, 1)",
                                      "sqrt(x - 1)", "1/(x - 1)",         "atan2(x - 1, -1)"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    hn_law *law = law_of(texts[k]);
    hn_taylor f;
    const hn_taylor over = line_over(0.95, 1.1), beside = line_over(1.05, 1.1);
    assert_int_equal(hn_law_taylor(law, &over, &f), 0);
    assert_int_equal(hn_law_taylor(law, &beside, &f), 1);
    hn_law_free(law);
  }
}

// A power of the middle overflows or vanishes long before the function does.
static void models_of_large_and_small_numbers_hold(void **state) {
  (void)state;
  static const char *const texts[] = {"log(%s*(1 + x))",      "sqrt(%s*(1 + x))",
                                      "(%s*(1 + x))^1.1",     "1/(%s*(1 + x))",
                                      "(%s*(1 + x))^(1 - x)", "hypot(%s*(1 + x), 0)"};
  static const char *const sizes[] = {"1e130", "1e70", "1e-70", "1e-130", "1e280"};
  const double wide = 0.05;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      char text[80];
      snprintf(text, sizeof text, texts[k], sizes[i]);
      hn_law *law = law_of(text);
      hn_taylor f, line = line_over(-wide, wide);
      const int has_model = hn_law_taylor(law, &line, &f);
      assert_true(has_model || i >= 3);
      for (int j = -10; has_model && j <= 10; j++)
        check_model_at(&f, 0.1 * j, hn_law_evaluate(law, -1, 0.1 * j * wide).value, text);
      hn_law_free(law);
    }
}

static void narrow_bell_is_enclosed_from_afar(void **state) {
  (void)state;
  hn_law *law = law_of("1000*exp(-((x - 3.3)/1e-6)^2)");
  const hn_bounds wide = {{0, 10}, ONE}, beside = {{0, 3.2999}, ONE};
  const hn_bounds all = hn_law_bounds(law, &wide, NULL), none = hn_law_bounds(law, &beside, NULL);
  assert_true(all.value.high >= 1000 && all.value.high < 1000 + 1e-9);
  assert_true(none.value.high == 0 && none.slope.low == 0 && none.slope.high == 0);
  hn_law_free(law);
}

// cosh of a thousand overflows: what is divided by it is zero, not unknown.
static void overflow_keeps_its_side(void **state) {
  (void)state;
  static const char *const texts[] = {"1000/cosh((x - 8)/1e-3)^2", "1/(exp(x*1e4) + exp(-x*1e4))",
                                      "3/(1 + exp(-1e4*(1 - x)))", "-1/sinh(1e3*x - 8e3)^3"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    hn_law *law = law_of(texts[k]);
    const hn_bounds u = {{2, 7}, ONE}, b = hn_law_bounds(law, &u, NULL);
    assert_true(b.value.low >= -1e-300 && b.value.high <= 1e-300);
    hn_law_free(law);
  }
}

// (x - 3.3)^2 written out: by plain interval arithmetic its exponent is never narrow.
static void a_bell_written_out_is_found(void **state) {
  (void)state;
  hn_law *law = law_of("1000*exp(-((x*x - 6.6*x + 10.89)/1e-6))");
  const hn_path path = hn_path_line(0, 10);
  hn_resolve r = {.law = law, .path = &path, .duration = 10, .threshold = 1e-6};
  assert_int_equal(hn_resolve_step(&r), 0);
  assert_true(10 * r.theta < 3.3 && 10 * (r.theta + r.width) > 3.299);
  hn_law_free(law);
}

static void operations_that_may_switch_are_counted(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double low, high;
    int switches;
  } cases[] = {{"abs(x)", 0.1, 1, 0},
               {"abs(x)", -0.1, 1, 1},
               {"min(x, 2)", 0, 1, 0},
               {"min(x, 2)", 0, 3, 1},
               {"floor(x)", 0.1, 0.9, 0},
               {"floor(x)", 0.1, 1.1, 1},
               {"mod(x, 3)", 0.1, 2.9, 0},
               {"mod(x, 3)", 0.1, 3.1, 1},
               {"1 if x > 1 and x < 1.001 else 0", 0, 0.9, 0},
               {"sign(x - 5)", 4.9, 5.1, 1},
               {"x if x > 1 else 2*x", 2, 3, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hn_law *law = law_of(cases[k].text);
    hn_branching b;
    const hn_bounds u = {{cases[k].low, cases[k].high}, ONE};
    hn_law_bounds(law, &u, &b);
    assert_int_equal(b.switches > 0, cases[k].switches);
    hn_law_free(law);
  }
}

// ---- tables -------------------------------------------------------------------------------------

static void tables_stay_within_their_bounds(void **state) {
  (void)state;
  hn_random random = hn_random_seed(11);
  models = 0;
  for (int k = 0; k < 400; k++) {
    double x[12], y[12], at = hn_random_uniform(&random, -3, 0);
    const int count = 3 + k % 10;
    for (int i = 0; i < count; i++) {
      x[i] = at;
      y[i] = hn_random_uniform(&random, -5, 5);
      at += hn_random_uniform(&random, 0.05, 1);
    }
    const hn_table_options options = {.size = sizeof options,
                                      .kind = (hn_table_kind)(k % 4),
                                      .outside = (hn_table_outside)(k / 4 % 2),
                                      .is_periodic = k % 3 == 0};
    if (options.is_periodic) y[count - 1] = y[0];
    hn_law *law = NULL;
    check_ok(hn_law_curve(x, y, count, &options, NULL, &law, NULL));
    for (int i = 0; i < 10; i++) {
      double low, high;
      random_interval(&random, &low, &high);
      check_law(law, "table", low, high);
    }
    hn_law_free(law);
  }
  assert_true(models > 1000);
}

static void maps_stay_within_their_bounds(void **state) {
  (void)state;
  hn_random random = hn_random_seed(13);
  models = 0;
  for (int k = 0; k < 200; k++) {
    double x[4] = {-2, -0.5, 0.4, 2}, y[3] = {-1, 0.3, 2}, f[12];
    for (int i = 0; i < 12; i++) f[i] = hn_random_uniform(&random, -5, 5);
    const hn_table_def def = {.name = "map",
                              .x = x,
                              .y = y,
                              .columns = 4,
                              .rows = 3,
                              .values = f,
                              .options = {.size = sizeof def.options,
                                          .kind = (hn_table_kind)(k % 4),
                                          .outside = (hn_table_outside)(k / 4 % 2)}};
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_lookup *map = NULL;
    check_ok(hn_lookup_create(&arena, &def, &map, NULL));
    for (int i = 0; i < 20; i++) {
      double x0, x1, y0, y1;
      random_interval(&random, &x0, &x1);
      random_interval(&random, &y0, &y1);
      hn_branching b = {0, 0};
      const hn_bounds u = {{x0, x1}, {x1 - x0, x1 - x0}}, v = {{y0, y1}, {y1 - y0, y1 - y0}};
      const hn_bounds bounds = hn_lookup_bounds(map, u, v, &b);
      hn_taylor model = line_over(x0, x1);
      const hn_taylor other = line_over(y0, y1);
      const int has_model = hn_lookup_taylor(map, &model, &other);
      models += has_model;
      for (int j = 0; j <= SAMPLES; j++) {
        const double s = (double)j / SAMPLES, at = x0 + s * (x1 - x0), by = y0 + s * (y1 - y0);
        hn_partials p;
        check_inside(bounds.value, hn_lookup_partials(map, at, by, &p), "map", at);
        if (has_model) check_model_at(&model, 2 * s - 1, hn_lookup_value(map, at, by), "map");
        check_inside(bounds.slope, p.x * (x1 - x0) + p.y * (y1 - y0), "slope of a map", at);
      }
    }
    hn_arena_release(&arena);
  }
  assert_true(models > 1000);
}

static void pieces_and_polynomials_stay_within_their_bounds(void **state) {
  (void)state;
  hn_random random = hn_random_seed(17);
  models = 0;
  for (int k = 0; k < 300; k++) {
    double breaks[4], c[5 * 5];
    const int pieces = 1 + k % 5, count = 1 + k / 5 % 5;
    for (int i = 0; i < 4; i++) breaks[i] = i - 1.5 + hn_random_uniform(&random, 0, 0.9);
    for (int i = 0; i < 25; i++) c[i] = hn_random_uniform(&random, -2, 2);
    hn_law *law = NULL;
    check_ok(hn_law_piecewise(pieces > 1 ? breaks : NULL, c, pieces, count, NULL, &law, NULL));
    for (int i = 0; i < 10; i++) {
      double low, high;
      random_interval(&random, &low, &high);
      check_law(law, "pieces", low, high);
    }
    hn_law_free(law);
  }
  assert_true(models > 1000);
}

static void polynomials_are_plain_and_bells_are_not(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int is_plain;
  } cases[] = {{"3", 1},         {"4e3*x + 20*x^3", 1}, {"(x - 1)*(x + 2)/7", 1},
               {"x^6", 0},       {"sin(x)", 0},         {"sin(2)*x", 1},
               {"exp(-x^2)", 0}, {"abs(x)", 0},         {"1/x", 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hn_law *law = law_of(cases[k].text);
    assert_int_equal(hn_law_is_plain(law), cases[k].is_plain);
    hn_law_free(law);
  }
}

static void limited_gains_are_plain_on_their_branches(void **state) {
  (void)state;
  hn_law *limited = law_of("min(max(3*x, -1), 1)"), *bell = law_of("min(exp(-x^2), 1)");
  assert_int_equal(hn_law_is_plain(limited), 0);
  assert_int_equal(hn_law_is_plain_on_branches(limited), 1);
  assert_int_equal(hn_law_is_plain_on_branches(bell), 0);
  hn_law_free(limited);
  hn_law_free(bell);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_formulas_stay_within_their_bounds),
      cmocka_unit_test(laws_have_the_values_of_their_formulas),
      cmocka_unit_test(bounds_shrink_to_smooth_functions),
      cmocka_unit_test(divisors_that_reach_zero_have_no_bound),
      cmocka_unit_test(models_shrink_by_their_order),
      cmocka_unit_test(models_end_where_operations_switch),
      cmocka_unit_test(models_of_large_and_small_numbers_hold),
      cmocka_unit_test(narrow_bell_is_enclosed_from_afar),
      cmocka_unit_test(overflow_keeps_its_side),
      cmocka_unit_test(a_bell_written_out_is_found),
      cmocka_unit_test(operations_that_may_switch_are_counted),
      cmocka_unit_test(tables_stay_within_their_bounds),
      cmocka_unit_test(maps_stay_within_their_bounds),
      cmocka_unit_test(pieces_and_polynomials_stay_within_their_bounds),
      cmocka_unit_test(polynomials_are_plain_and_bells_are_not),
      cmocka_unit_test(limited_gains_are_plain_on_their_branches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
