// Numbers and names of formulas.
#include "math/expression.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "support/check.h"

static size_t read_number(const char *text, double *value) {
  return hn_number_read(text, strlen(text), value);
}

static void check_number(const char *text, double expected, size_t bytes) {
  double value;
  assert_int_equal(read_number(text, &value), bytes);
  check_near(value, expected, 0);
}

static void numbers_are_read_to_the_last_bit(void **state) {
  (void)state;
  check_number("0.1", 0.1, 3);
  check_number("12", 12, 2);
  check_number("12.", 12, 3);
  check_number(".5e-3", 0.0005, 5);
  check_number("1E+3", 1000, 4);
  check_number("1.7976931348623157e308", DBL_MAX, 22);
  check_number("2.2250738585072014e-308", DBL_MIN, 23);
  check_number("9007199254740993", 9007199254740992.0, 16); // to even
  check_number("1e-400", 0, 6);
}

static void numbers_end_where_they_end(void **state) {
  (void)state;
  check_number("30 deg", 30, 2);
  check_number("2e", 2, 1);
  check_number("2e+", 2, 1);
  check_number("1.5.2", 1.5, 3);
  check_number("0x10", 0, 1);
  check_number("3/4", 3, 1);
}

static void words_and_signs_are_no_numbers(void **state) {
  (void)state;
  const char *const texts[] = {"", ".", "-1", "+1", "e3", "inf", "nan", ".e3", " 1"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    double value;
    assert_int_equal(read_number(texts[i], &value), 0);
  }
}

static void numbers_too_large_are_infinite(void **state) {
  (void)state;
  double value;
  assert_int_equal(read_number("1e999", &value), 5);
  assert_true(isinf(value));
  char digits[400];
  memset(digits, '1', sizeof digits);
  assert_int_equal(hn_number_read(digits, sizeof digits, &value), sizeof digits);
  assert_true(isinf(value));
  assert_int_equal(hn_number_read(digits, HN_NUMBER_LENGTH, &value), HN_NUMBER_LENGTH);
  check_relative(value, 1e254 / 9 * 10, 1e-14);
}

static void numbers_do_not_depend_on_the_locale(void **state) {
  (void)state;
  const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                 "pt_BR.UTF-8"};
  const char *found = NULL;
  for (size_t i = 0; i < sizeof locales / sizeof locales[0] && !found; i++)
    found = setlocale(LC_NUMERIC, locales[i]);
  if (!found) skip(); // no locale with a decimal comma on this machine
  check_number("0.25", 0.25, 4);
  check_number("0,25", 0, 1);
  setlocale(LC_NUMERIC, "C");
}

static int is_name(const char *text) { return hn_expression_is_name(text, strlen(text)); }

static void names_have_letters_digits_underscores_and_inner_dots(void **state) {
  (void)state;
  assert_true(is_name("x"));
  assert_true(is_name("body.chassis.position.z"));
  assert_true(is_name("link_10.2.angle"));
  assert_true(is_name("_private"));
  assert_true(is_name("gr\xC3\xB6\xC3\x9F"
                      "e"));
  const char *const wrong[] = {"",    "1x",   ".x", "x.",  "x..y", "x-y",
                               "x y", "x[0]", "if", "and", "or",   "not"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) assert_false(is_name(wrong[i]));
}

static void words_of_the_language_are_reserved(void **state) {
  (void)state;
  const char *const taken[] = {"pi", "e", "sin", "min", "hypot", "if", "else", "and", "or", "not"};
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
    assert_true(hn_expression_is_reserved(taken[i], strlen(taken[i])));
  assert_false(hn_expression_is_reserved("E", 1));
  assert_false(hn_expression_is_reserved("sine", 4));
  assert_false(hn_expression_is_reserved("step.size", 9));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_read_to_the_last_bit),
      cmocka_unit_test(numbers_end_where_they_end),
      cmocka_unit_test(words_and_signs_are_no_numbers),
      cmocka_unit_test(numbers_too_large_are_infinite),
      cmocka_unit_test(numbers_do_not_depend_on_the_locale),
      cmocka_unit_test(names_have_letters_digits_underscores_and_inner_dots),
      cmocka_unit_test(words_of_the_language_are_reserved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
