// Texts of others for a terminal: control characters, lines of files.
#include "base/excerpt.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

static void what_a_terminal_obeys_becomes_question_marks(void **state) {
  (void)state;
  char text[] = "a\033[31mb\x7f\tc\n\xc2\x9b"
                "d\xe2\x80\xae"
                "e\xc3\xa4";
  assert_string_equal(hn_tame(text), "a?[31mb?\tc\n??d???e\xc3\xa4");
}

static void a_line_of_a_file_is_found_behind_long_ones(void **state) {
  (void)state;
  const char *path = HOLON_TEST_OUTPUT_DIR "/lines.txt";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int k = 0; k < 3000; k++) fputc('x', file);
  fputs("\nsecond\r\nthird", file);
  fclose(file);
  char line[64];
  assert_true(hn_file_line(path, 2, line, sizeof line));
  assert_string_equal(line, "second");
  assert_true(hn_file_line(path, 3, line, sizeof line));
  assert_string_equal(line, "third");
  assert_true(hn_file_line(path, 1, line, sizeof line));
  assert_int_equal(strlen(line), sizeof line - 1);
  assert_false(hn_file_line(path, 4, line, sizeof line));
  assert_false(hn_file_line(HOLON_TEST_OUTPUT_DIR "/none.txt", 1, line, sizeof line));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_terminal_obeys_becomes_question_marks),
      cmocka_unit_test(a_line_of_a_file_is_found_behind_long_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
