// Numbers as text, and whole files.
#define _DEFAULT_SOURCE
#include "base/file.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "output/table.h"

static void numbers_read_back_to_the_same_bits(void **state) {
  (void)state;
  hn_random random = hn_random_seed(5);
  char text[HN_NUMBER_TEXT];
  for (int k = 0; k < 20000; k++) {
    uint64_t bits = hn_random_bits(&random);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    double back = strtod(hn_number_text(text, value), NULL);
    assert_memory_equal(&back, &value, sizeof value);
  }
  assert_string_equal(hn_number_text(text, 0.1), "0.10000000000000001");
  assert_string_equal(hn_number_text(text, -NAN), "nan");
  assert_string_equal(hn_number_text(text, -HUGE_VAL), "-inf");
  assert_string_equal(hn_number_text(text, -0.0), "-0");
}

static void a_file_appears_when_it_is_finished(void **state) {
  (void)state;
  hn_file file;
  remove(OUTPUT("new.txt"));
  check_ok(hn_file_create(&file, OUTPUT("new.txt"), NULL));
  hn_file_text(&file, "half");
  assert_false(file_exists(OUTPUT("new.txt")));
  hn_file_text(&file, " whole");
  check_ok(hn_file_finish(&file, NULL));
  assert_int_equal(file.written, 10);
  assert_false(file_exists(OUTPUT("new.txt.part")));
  char *data;
  size_t size;
  check_ok(hn_file_read(OUTPUT("new.txt"), &data, &size, NULL));
  assert_int_equal(size, 10);
  assert_string_equal(data, "half whole");
  hn_release(NULL, data);
}

static void an_abandoned_file_leaves_the_old_one(void **state) {
  (void)state;
  hn_file file;
  check_ok(hn_file_create(&file, OUTPUT("old.txt"), NULL));
  hn_file_text(&file, "old");
  check_ok(hn_file_finish(&file, NULL));
  check_ok(hn_file_create(&file, OUTPUT("old.txt"), NULL));
  hn_file_text(&file, "new");
  hn_file_abandon(&file);
  char *data;
  size_t size;
  check_ok(hn_file_read(OUTPUT("old.txt"), &data, &size, NULL));
  assert_string_equal(data, "old");
  hn_release(NULL, data);
  assert_false(file_exists(OUTPUT("old.txt.part")));
}

static void large_files_are_read_whole(void **state) {
  (void)state;
  enum { LINES = 100000 };
  hn_file file;
  check_ok(hn_file_create(&file, OUTPUT("large.txt"), NULL));
  char line[16];
  for (int k = 0; k < LINES; k++) {
    snprintf(line, sizeof line, "%09d\n", k);
    hn_file_text(&file, line);
  }
  check_ok(hn_file_finish(&file, NULL));
  char *data;
  size_t size;
  check_ok(hn_file_read(OUTPUT("large.txt"), &data, &size, NULL));
  assert_int_equal(size, 10 * LINES);
  assert_memory_equal(data + size - 10, "000099999\n", 11); // with the end mark
  hn_release(NULL, data);
  remove(OUTPUT("large.txt"));
  hn_error error;
  check_status(hn_file_read(HOLON_TEST_OUTPUT_DIR, &data, &size, &error), HN_ERROR_FILE);
  assert_null(data);
}

// A link under the temporary name leads nowhere.
static void links_are_not_written_through(void **state) {
  (void)state;
  char part[600], *data;
  size_t size;
  FILE *stream = fopen(OUTPUT("letter.txt"), "wb");
  assert_non_null(stream);
  fputs("dear", stream);
  fclose(stream);
  snprintf(part, sizeof part, "%s.%ld.part", OUTPUT("linked.txt"), (long)getpid());
  remove(part);
  assert_int_equal(symlink(OUTPUT("letter.txt"), part), 0);
  check_ok(hn_file_write_bytes(OUTPUT("linked.txt"), "new", 3, NULL));
  check_ok(hn_file_read(OUTPUT("letter.txt"), &data, &size, NULL));
  assert_string_equal(data, "dear");
  hn_release(NULL, data);
  check_ok(hn_file_read(OUTPUT("linked.txt"), &data, &size, NULL));
  assert_string_equal(data, "new");
  hn_release(NULL, data);
}

// Files with holes are long and take no place on the disk.
static void files_without_end_are_refused(void **state) {
  (void)state;
  char *data;
  size_t size;
  hn_error error;
  FILE *stream = fopen(OUTPUT("holes.bin"), "wb");
  assert_non_null(stream);
  assert_int_equal(fseek(stream, 200000000000, SEEK_SET), 0);
  assert_int_equal(fputc('x', stream), 'x');
  assert_int_equal(fclose(stream), 0);
  check_status(hn_file_read(OUTPUT("holes.bin"), &data, &size, &error), HN_ERROR_FILE);
  assert_null(data);
  check_names(error.message, "1 GB");
  check_status(hn_file_read_text(OUTPUT("holes.bin"), &data, &size, &error), HN_ERROR_SYNTAX);
  assert_null(data);
  remove(OUTPUT("holes.bin"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_read_back_to_the_same_bits),
      cmocka_unit_test(a_file_appears_when_it_is_finished),
      cmocka_unit_test(an_abandoned_file_leaves_the_old_one),
      cmocka_unit_test(large_files_are_read_whole),
      cmocka_unit_test(links_are_not_written_through),
      cmocka_unit_test(files_without_end_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
