// Text files: what counts as text, and paths.
#include "formats/text_file.h"

#include <stdio.h>
#include <string.h>

#include "formats/tree.h"
#include "support/check.h"

static void check_place(const char *text, size_t size, int line, int column, const char *part) {
  hn_error error = {0};
  check_status(hn_text_check(text, size, "f", &error), HN_ERROR_SYNTAX);
  check_names(error.message, part);
  assert_int_equal(error.line, line);
  assert_int_equal(error.column, column);
}

static void utf8_is_text(void **state) {
  (void)state;
  hn_error error;
  const char *texts[] = {"", "a: 1\n", "\xEF\xBB\xBF: 1", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
                         "a\tb\r\n"};
  for (size_t k = 0; k < 5; k++) check_ok(hn_text_check(texts[k], strlen(texts[k]), "f", &error));
}

static void other_bytes_are_refused_with_their_place(void **state) {
  (void)state;
  check_place("a: 1\nb: \xE9t\xE9\n", 12, 2, 4, "0xE9");
  check_place("a\0b", 3, 1, 2, "0");
  check_place("a: \x07", 4, 1, 4, "0x07");
  check_place("\xFF\xFE"
              "a",
              3, 1, 1, "UTF-16");
  check_place("\xC0\x80", 2, 1, 1, "UTF-8");         // overlong
  check_place("\xED\xA0\x80", 3, 1, 1, "UTF-8");     // surrogate
  check_place("\xF4\x90\x80\x80", 4, 1, 1, "UTF-8"); // above 10FFFF
  check_place("\xC3\xA9\xE2\x82", 4, 1, 2, "UTF-8"); // cut off; columns are characters
}

static void paths_are_joined_and_simplified(void **state) {
  (void)state;
  static const struct {
    const char *base, *name, *path;
  } rows[] = {
      {"models/car.yaml", "corner.yaml", "models/corner.yaml"},
      {"models/iltis/car.yaml", "../parts/a.yaml", "models/parts/a.yaml"},
      {"car.yaml", "parts/a.yaml", "parts/a.yaml"},
      {"car.yaml", "../a.yaml", "../a.yaml"},
      {"../x/car.yaml", "../../a.yaml", "../../a.yaml"},
      {"/tmp/car.yaml", "../../a.yaml", "/../a.yaml"},
      {"a/b/car.yaml", "./../b/./c.yaml", "a/b/c.yaml"},
      {"a\\car.yaml", "c.yaml", "a\\c.yaml"},
  };
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    assert_string_equal(hn_path_join(&arena, rows[k].base, rows[k].name), rows[k].path);
  hn_arena_release(&arena);
}

static void absolute_paths_are_known_on_every_system(void **state) {
  (void)state;
  assert_true(hn_path_is_absolute("/a"));
  assert_true(hn_path_is_absolute("C:\\a"));
  assert_true(hn_path_is_absolute("\\\\server\\a"));
  assert_false(hn_path_is_absolute("a/b"));
  assert_false(hn_path_is_absolute("../b"));
}

static void missing_files_and_folders_are_reported(void **state) {
  (void)state;
  hn_arena arena;
  char *text;
  size_t size;
  hn_error error;
  hn_arena_init(&arena, NULL);
  check_status(hn_text_file_read(&arena, "no/such/file", NULL, &text, &size, &error),
               HN_ERROR_FILE);
  assert_string_equal(error.file, "no/such/file");
  check_status(hn_text_file_read(&arena, ".", NULL, &text, &size, &error), HN_ERROR_FILE);
  hn_arena_release(&arena);
}

static void a_file_that_is_too_large_is_not_read_to_its_end(void **state) {
  (void)state;
  hn_arena arena;
  char *text;
  size_t size;
  hn_error error;
  hn_arena_init(&arena, NULL);
  check_status(hn_text_file_read(&arena, "/dev/zero", NULL, &text, &size, &error), HN_ERROR_LIMIT);
  check_names(error.message, "64 MB");
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(utf8_is_text),
      cmocka_unit_test(other_bytes_are_refused_with_their_place),
      cmocka_unit_test(paths_are_joined_and_simplified),
      cmocka_unit_test(absolute_paths_are_known_on_every_system),
      cmocka_unit_test(missing_files_and_folders_are_reported),
      cmocka_unit_test(a_file_that_is_too_large_is_not_read_to_its_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
