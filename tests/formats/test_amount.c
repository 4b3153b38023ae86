// Arithmetic with dimensions.
#include "formats/amount.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/expression.h"
#include "support/calculate.h"
#include "support/check.h"

// A few names: lengths a = 2 m and b = 3 m, a plain number n = 5, a mass w = 4 kg, x a variable
// (m).
static hn_status find(void *context, const char *name, size_t length, const hn_source *place,
                      hn_named_amount *found, hn_error *error) {
  (void)context;
  if (length == 1 && name[0] == 'a')
    found->amount = (hn_amount){2, HN_AMOUNT_TYPED, {1, 0, 0, 0}, 0, 0};
  else if (length == 1 && name[0] == 'b')
    found->amount = (hn_amount){3, HN_AMOUNT_TYPED, {1, 0, 0, 0}, 0, 0};
  else if (length == 1 && name[0] == 'n')
    found->amount = (hn_amount){5, HN_AMOUNT_UNTYPED, {0, 0, 0, 0}, 0, 0};
  else if (length == 1 && name[0] == 'w')
    found->amount = (hn_amount){4, HN_AMOUNT_TYPED, {0, 1, 0, 0}, 0, 0};
  else if (length == 1 && name[0] == 'x') {
    found->amount = (hn_amount){0.5, HN_AMOUNT_VARIABLE, {1, 0, 0, 0}, 0, 0};
    found->spelling = "(-x)";
  } else
    return hn_fail(error, HN_ERROR_MODEL, place, NULL, NULL, "unknown");
  return HN_OK;
}

static hn_status calculate(const char *text, int loose, hn_amount *result, char *copy,
                           hn_error *error) {
  hn_calculation c = {.text = text,
                      .length = strlen(text),
                      .place = {"file", 7, 10},
                      .loose = loose,
                      .find = find,
                      .copy = copy,
                      .copy_size = copy ? 1024 : 0};
  return hn_calculate(&c, result, error);
}

static hn_amount value(const char *text) {
  hn_amount result;
  hn_error error = {0};
  if (calculate(text, 0, &result, NULL, &error)) fail_msg("'%s': %s", text, error.message);
  return result;
}

static void fails(const char *text, int loose, const char *part) {
  hn_amount result;
  hn_error error = {0};
  if (!calculate(text, loose, &result, NULL, &error)) fail_msg("'%s' was accepted", text);
  check_names(error.message, part);
  assert_int_equal(error.line, 7);
}

static void arithmetic_follows_the_usual_precedence(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } rows[] = {
      {"1 + 2*3", 7},
      {"-2^2", -4},
      {"2^3^2", 512},
      {"2^-1", 0.5},
      {"(1 + 2)*3", 9},
      {"7 - 4 - 2", 1},
      {"8/4/2", 1},
      {"--3", 3},
      {"1 if 2 > 1 else 5", 1},
      {"1 if 0 else 2 if 1 else 3", 2},
      {"not 0 and 1 or 0", 1},
      {"not not 5", 1},
      {"max(1, 2, 3) - min(4, 5)", -1},
      {"mod(-1, 3)", 2},
      {"hypot(3, 4)", 5},
      {"step(-1) + step(0)", 1},
      {"sign(-3)*abs(-2)", -2},
      {"sqrt(16) + floor(1.5) + ceil(1.5)", 7},
      {"atan2(1, 1)*4/pi", 1},
      {"log(e)", 1},
      {".5e1 + 1.", 6},
      {"1/0 if 0 else 3", 3},
      {"2 <= 2", 1},
      {"2 != 2", 0},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    check_near(value(rows[k].text).value, rows[k].value, 1e-15);
}

static void units_follow_a_number(void **state) {
  (void)state;
  check_near(value("30 deg").value, 0.52359877559829887, 1e-16);
  check_near(value("-5 mm").value, -0.005, 1e-18);
  check_near(value("12 kN/m*2 mm").value, 24, 1e-12);
  check_near(value("1 m/2").value, 0.5, 0);
  check_near(value("1 m / b").value, 1.0 / 3, 1e-16);
  check_near(value("a + 5 mm").value, 2.005, 1e-15);
  check_near(value("5mm").value, 0.005, 1e-18);
  check_near(value("2 kN + 3kN*2").value, 8000, 1e-9);
  fails("5x", 0, "");
  fails("5 furlongs", 0, "");
  fails("5 N/m s", 0, "");
  fails("2 a", 0, "");
}

static void dimensions_combine(void **state) {
  (void)state;
  static const struct {
    const char *text;
    hn_amount_kind kind;
    hn_dimension dimension;
  } rows[] = {
      {"2*a", HN_AMOUNT_TYPED, {1, 0, 0, 0}},
      {"a*b", HN_AMOUNT_TYPED, {2, 0, 0, 0}},
      {"a/b", HN_AMOUNT_TYPED, {0, 0, 0, 0}},
      {"w*a^2/12", HN_AMOUNT_TYPED, {2, 1, 0, 0}},
      {"sqrt(a^2 + b^2)", HN_AMOUNT_TYPED, {1, 0, 0, 0}},
      {"a + 1", HN_AMOUNT_TYPED, {1, 0, 0, 0}},
      {"n + a", HN_AMOUNT_TYPED, {1, 0, 0, 0}},
      {"n*a", HN_AMOUNT_UNTYPED, {0, 0, 0, 0}},
      {"n*n", HN_AMOUNT_UNTYPED, {0, 0, 0, 0}},
      {"2*pi", HN_AMOUNT_NUMBER, {0, 0, 0, 0}},
      {"sin(a/b)", HN_AMOUNT_NUMBER, {0, 0, 0, 0}},
      {"a < b", HN_AMOUNT_NUMBER, {0, 0, 0, 0}},
      {"max(a, b, 1)", HN_AMOUNT_TYPED, {1, 0, 0, 0}},
      {"a if 1 else 0", HN_AMOUNT_TYPED, {1, 0, 0, 0}},
      {"1/a", HN_AMOUNT_TYPED, {-1, 0, 0, 0}},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    hn_amount result = value(rows[k].text);
    if (result.kind != rows[k].kind) fail_msg("kind of %s", rows[k].text);
    if (result.kind == HN_AMOUNT_TYPED && !hn_dimension_equal(result.dimension, rows[k].dimension))
      fail_msg("dimension of %s", rows[k].text);
  }
}

static void different_dimensions_do_not_add(void **state) {
  (void)state;
  fails("a + w", 0, "");
  fails("a - 3 s", 0, "");
  fails("a < w", 0, "");
  fails("min(a, w)", 0, "");
  fails("a if 1 else w", 0, "");
  fails("2^a", 0, "");
  fails("sin(a)", 0, "");
  fails("exp(w)", 0, "");
  fails("x + w", 1, "");
}

// A gain with a unit determines the unit of a product with a variable; a plain gain fits
// everywhere.
static void gains_with_units_are_checked(void **state) {
  (void)state;
  const hn_amount product = value("w*x");
  assert_int_equal(product.kind, HN_AMOUNT_TYPED);
  check_near(product.dimension.mass, 1, 0);
  check_near(product.dimension.length, 1, 0);
  assert_int_equal(value("w/x").kind, HN_AMOUNT_TYPED);
  assert_int_equal(value("3*x").kind, HN_AMOUNT_UNTYPED);
  assert_int_equal(value("n*x").kind, HN_AMOUNT_UNTYPED);
  assert_int_equal(value("x*x").kind, HN_AMOUNT_UNTYPED);
  fails("w*x + x", 1, "kg m");
  assert_int_equal(value("3*x + w*x").kind, HN_AMOUNT_TYPED);
}

static void laws_take_plain_numbers_in_any_unit(void **state) {
  (void)state;
  hn_amount result;
  char copy[1024];
  hn_error error;
  check_ok(calculate("4530*(x - 0.1)", 1, &result, copy, &error));
  assert_int_equal(result.kind, HN_AMOUNT_UNTYPED);
  check_ok(calculate("2 kN/m*(x - a)", 1, &result, copy, &error));
  assert_int_equal(result.kind, HN_AMOUNT_TYPED);
  assert_true(hn_amount_fits(&result, HN_FORCE));
  assert_false(hn_amount_fits(&result, HN_LENGTH));
}

static void the_copy_means_the_same(void **state) {
  (void)state;
  hn_amount result;
  char copy[1024];
  hn_error error;
  check_ok(calculate("-(a + 3 cm)^2*sin(n)/max(b, 2, 1) if not 0 and 1 else 1e300", 0, &result,
                     copy, &error));
  double again;
  hn_expression_names none = {0};
  check_ok(hn_calculate_once(copy, strlen(copy), &none, NULL, &again, &error));
  assert_true(again == result.value);
  check_ok(calculate("2*x", 1, &result, copy, &error));
  assert_string_equal(copy, "(2) * (-x) ");
}

static void what_is_expected_decides(void **state) {
  (void)state;
  static const struct {
    const char *text;
    hn_meaning meaning;
    int fits;
  } rows[] = {
      {"5 mm", HN_LENGTH, 1},
      {"5 N", HN_LENGTH, 0},
      {"5", HN_LENGTH, 1},
      {"n", HN_MASS, 1},
      {"2*a", HN_MASS, 0},
      {"5 Hz", HN_ANGULAR_SPEED, 0},
      {"5 rpm", HN_ANGULAR_SPEED, 1},
      {"3 m/s/a", HN_ANGULAR_SPEED, 1},
      {"5 rad/s*a", HN_SPEED, 1},
      {"30 deg", HN_NUMBER, 0},
      {"30 deg", HN_ANGLE, 1},
      {"a/b", HN_ANGLE, 1},
      {"a/b", HN_LENGTH, 0},
      {"5 N m", HN_ANGULAR_STIFFNESS, 1},
      {"5 N m/deg", HN_ANGULAR_STIFFNESS, 1},
      {"5 N m/rad", HN_TORQUE, 0},
      {"5 N", HN_ANYTHING, 1},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    hn_amount result = value(rows[k].text);
    if (hn_amount_fits(&result, rows[k].meaning) != rows[k].fits) fail_msg("%s", rows[k].text);
  }
}

static void syntax_errors_name_the_column(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
    int column; // of the error, in the text
  } rows[] = {
      {"", "", 1},           {"1 +", "", 4},       {"(1", "", 3},
      {"1 2", "", 3},        {"sin", "", 1},       {"foo(1)", "'foo'", 1},
      {"sin(1, 2)", "1", 1}, {"atan2(1)", "2", 1}, {"1 if 2", "`else`", 7},
      {"2 ** 3", "'*'", 4},  {"1 $ 2", "", 3},     {"q", "", 1},
      {"max(1", "", 6},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    hn_amount result;
    hn_error error = {0};
    if (!calculate(rows[k].text, 0, &result, NULL, &error)) fail_msg("'%s'", rows[k].text);
    check_names(error.message, rows[k].part);
    if (error.column != 9 + rows[k].column) fail_msg("'%s': column %d", rows[k].text, error.column);
  }
}

static void nesting_is_bounded(void **state) {
  (void)state;
  char text[20001];
  memset(text, '(', 20000);
  text[20000] = '\0';
  fails(text, 0, "");
  for (int k = 0; k < 9999; k++) memcpy(text + 2 * k, "2^", 2);
  text[2 * 9999] = '\0';
  fails(text, 0, "");
  memset(text, '-', 19999);
  text[19999] = '1';
  check_near(value(text).value, -1, 0);
}

static void random_formulas_agree_with_the_compiler(void **state) {
  (void)state;
  static const char *const pieces[] = {
      "1", "2.5", "(",    ")",     "+",    "-",      "*",  "/", "^",     "sin(", "min(",
      ",", "<",   "not ", " and ", " if ", " else ", "pi", "e", "sqrt(", "==",   "0"};
  hn_random random = hn_random_seed(5);
  int agreed = 0;
  for (int n = 0; n < 200000; n++) {
    char text[128] = "";
    int count = 1 + hn_random_below(&random, 8);
    for (int k = 0; k < count; k++)
      strcat(text, pieces[hn_random_below(&random, (int)(sizeof pieces / sizeof *pieces))]);
    hn_amount result;
    hn_error error = {0};
    double other = 0;
    hn_expression_names none = {0};
    hn_status ours = calculate(text, 0, &result, NULL, &error);
    hn_status theirs = hn_calculate_once(text, strlen(text), &none, NULL, &other, &error);
    if ((ours == HN_OK) != (theirs == HN_OK)) fail_msg("'%s': %d %d", text, ours, theirs);
    if (ours) continue;
    agreed++;
    if (result.value != other && !(isnan(result.value) && isnan(other)))
      fail_msg("'%s': %.17g %.17g", text, result.value, other);
  }
  assert_true(agreed > 2000);
}

static void numbers_are_written_to_the_last_bit(void **state) {
  (void)state;
  hn_random random = hn_random_seed(11);
  for (int k = 0; k < 10000; k++) {
    double number = ldexp(hn_random_uniform(&random, 0, 1), hn_random_below(&random, 400) - 200);
    char text[48];
    size_t length = hn_number_write(number, text, sizeof text);
    double again;
    assert_int_equal(hn_number_read(text, length, &again), length);
    assert_true(again == number);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arithmetic_follows_the_usual_precedence),
      cmocka_unit_test(units_follow_a_number),
      cmocka_unit_test(dimensions_combine),
      cmocka_unit_test(different_dimensions_do_not_add),
      cmocka_unit_test(gains_with_units_are_checked),
      cmocka_unit_test(laws_take_plain_numbers_in_any_unit),
      cmocka_unit_test(the_copy_means_the_same),
      cmocka_unit_test(what_is_expected_decides),
      cmocka_unit_test(syntax_errors_name_the_column),
      cmocka_unit_test(nesting_is_bounded),
      cmocka_unit_test(random_formulas_agree_with_the_compiler),
      cmocka_unit_test(numbers_are_written_to_the_last_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
