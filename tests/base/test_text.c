// Text that grows: formats as printf writes them, numbers that read back, escapes, and writing into
// a caller's buffer. The expected bytes of formats are printf's own in the C locale.
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "support/check.h"

static void formats_are_those_of_printf(void **state) {
  (void)state;
  char expected[512];
  hn_string s = {0};
  const size_t size = 12345678901u;
  snprintf(expected, sizeof expected,
           "%d|%5d|%-5d|%05d|%x|%04x|%c|%s|%.3s|%*s|%.*f|%g|%.17g|%8.3e|%%|%ld|%llu|%zu|", -3, 42,
           42, 42, 255u, 10u, 'z', "four-bar", "slider", 6, "ab", 2, 3.14159, 1e-300, 0.1, -2.5,
           123456789L, 18446744073709551615ull, size);
  hn_string_add(&s, "%d|%5d|%-5d|%05d|%x|%04x|%c|%s|%.3s|%*s|%.*f|%g|%.17g|%8.3e|%%|%ld|%llu|%zu|",
                -3, 42, 42, 42, 255u, 10u, 'z', "four-bar", "slider", 6, "ab", 2, 3.14159, 1e-300,
                0.1, -2.5, 123456789L, 18446744073709551615ull, size);
  assert_string_equal(s.data, expected);
  assert_int_equal(s.length, strlen(expected));
  hn_string_free(&s);
}

// Where a locale with a comma is installed; else the C locale is tried again.
static void numbers_have_a_point_in_every_locale(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C"};
  const char *found = NULL;
  for (int k = 0; k < 3 && found == NULL; k++) found = setlocale(LC_NUMERIC, names[k]);
  hn_string s = {0};
  hn_string_add(&s, "%.2f, %g", 1.25, -0.5);
  hn_string_text(&s, ", ");
  hn_string_number(&s, 0.1);
  setlocale(LC_NUMERIC, "C");
  assert_string_equal(s.data, "1.25, -0.5, 0.1");
  hn_string_free(&s);
}

static void numbers_read_back(void **state) {
  (void)state;
  const double numbers[] = {0,         -0.0, 1, 10, 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308,
                            -123456789};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    char text[HN_NUMBER_TEXT];
    hn_string s = {0};
    hn_string_number(&s, numbers[k]);
    const double back = strtod(s.data, NULL),
                 other = strtod(hn_number_text(text, numbers[k]), NULL);
    assert_memory_equal(&back, &numbers[k], sizeof back);
    assert_memory_equal(&other, &numbers[k], sizeof back);
    assert_non_null(strpbrk(s.data, ".e"));
    hn_string_free(&s);
  }
}

static void escapes(void **state) {
  (void)state;
  hn_string s = {0};
  hn_string_json(&s, "a\"\\\n\x01<\xc3\xa9\xff\xed\xa0\x80");
  assert_string_equal(s.data,
                      "\"a\\\"\\\\\\u000a\\u0001\\u003c\xc3\xa9\\ufffd\\ufffd\\ufffd\\ufffd\"");
  hn_string_free(&s);
  hn_string_json_part(&s, "one|two", 3);
  hn_string_xml(&s, "<a & \"b\">\x02");
  assert_string_equal(s.data, "\"one\"&lt;a &amp; &quot;b&quot;&gt;");
  hn_string_free(&s);
}

// RFC 4648, section 10.
static void base64(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="},
                                         {"foobar", "Zm9vYmFy"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hn_string s = {0};
    hn_string_base64(&s, cases[k][0], strlen(cases[k][0]));
    assert_string_equal(s.data, cases[k][1]);
    hn_string_free(&s);
  }
}

static void what_does_not_fit_is_counted(void **state) {
  (void)state;
  char text[8];
  size_t needed = 0;
  hn_string s = {0};
  memset(text, 'x', sizeof text);
  check_status(hn_string_give(&s, text, 6, &needed), HN_OK);
  assert_string_equal(text, "");
  for (int k = 0; k < 3; k++) hn_string_text(&s, "four");
  check_status(hn_string_give(&s, NULL, 0, &needed), HN_ERROR_LIMIT);
  assert_int_equal(needed, 13);
  check_status(hn_string_give(&s, text, 6, &needed), HN_ERROR_LIMIT);
  assert_string_equal(text, "fourf");
  assert_int_equal(text[6], 'x'); // after the buffer
  hn_string_free(&s);
}

static void objects_and_lists_have_commas(void **state) {
  (void)state;
  hn_json_writer json = {0};
  hn_string lines = {0};
  const double vector[2] = {1, NAN};
  hn_json_open(&json, NULL, '{');
  hn_json_integer(&json, "n", 3);
  hn_json_open(&json, "list", '[');
  hn_json_close(&json, ']');
  hn_json_vector(&json, "v", vector, 2);
  hn_json_open(&json, "o", '{');
  hn_json_boolean(&json, "yes", 1);
  hn_json_string(&json, "text", "a, {b}");
  hn_json_string(&json, "none", NULL);
  hn_json_close(&json, '}');
  hn_json_close(&json, '}');
  assert_string_equal(json.text.data,
                      "{\"n\": 3, \"list\": [], \"v\": [1.0, null], \"o\": {\"yes\": "
                      "true, \"text\": \"a, {b}\", \"none\": null}}");
  hn_string_indented(&lines, json.text.data);
  assert_string_equal(lines.data,
                      "{\n  \"n\": 3,\n  \"list\": [],\n  \"v\": [\n    1.0,\n    null\n  ],\n"
                      "  \"o\": {\n    \"yes\": true,\n    \"text\": \"a, {b}\",\n    "
                      "\"none\": null\n  }\n}");
  hn_string_free(&lines);
  hn_string_free(&json.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats_are_those_of_printf),
      cmocka_unit_test(numbers_have_a_point_in_every_locale),
      cmocka_unit_test(numbers_read_back),
      cmocka_unit_test(escapes),
      cmocka_unit_test(base64),
      cmocka_unit_test(what_does_not_fit_is_counted),
      cmocka_unit_test(objects_and_lists_have_commas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
