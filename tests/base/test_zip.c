// Zip archives: written and read back, read from another program, and damaged in every place.
#include "base/zip.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/crc32.h"
#include "base/unzip.h"
#include "support/check.h"

#define PATH HOLON_TEST_OUTPUT_DIR "/archive.zip"

// By zipfile of Python 3.11: a/text.txt, deflated, 50 times "holon "; b, stored.
static const unsigned char from_python[] = {
    0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0x53, 0x4e,
    0x82, 0xf7, 0x0c, 0x00, 0x00, 0x00, 0x2c, 0x01, 0x00, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x61, 0x2f,
    0x74, 0x65, 0x78, 0x74, 0x2e, 0x74, 0x78, 0x74, 0xcb, 0xc8, 0xcf, 0xc9, 0xcf, 0x53, 0xc8, 0x18,
    0x25, 0x89, 0x20, 0x01, 0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x21, 0x00, 0x0b, 0xf9, 0x43, 0x56, 0x06, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x01, 0x00,
    0x00, 0x00, 0x62, 0x73, 0x74, 0x6f, 0x72, 0x65, 0x64, 0x50, 0x4b, 0x01, 0x02, 0x14, 0x03, 0x14,
    0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0x53, 0x4e, 0x82, 0xf7, 0x0c, 0x00, 0x00,
    0x00, 0x2c, 0x01, 0x00, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x61, 0x2f, 0x74, 0x65, 0x78, 0x74, 0x2e, 0x74, 0x78,
    0x74, 0x50, 0x4b, 0x01, 0x02, 0x14, 0x03, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x21,
    0x00, 0x0b, 0xf9, 0x43, 0x56, 0x06, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x01, 0x34, 0x00, 0x00, 0x00, 0x62,
    0x50, 0x4b, 0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x02, 0x00, 0x67, 0x00, 0x00, 0x00,
    0x59, 0x00, 0x00, 0x00, 0x00, 0x00,
};

static void write_file(const void *bytes, size_t size) {
  FILE *file = fopen(PATH, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static void sum_of_known_bytes(void **state) {
  (void)state;
  assert_true(hn_crc32(0, "123456789", 9) == 0xCBF43926u); // the check value of the polynomial
  assert_true(hn_crc32(hn_crc32(0, "1234", 4), "56789", 5) == 0xCBF43926u);
}

static void members_read_back(void **state) {
  (void)state;
  hn_zip zip;
  hn_unzip back;
  hn_error error = {0};
  char *bytes, name[32];
  check_ok(hn_zip_create(&zip, PATH, &error));
  for (int k = 0; k < 100; k++) {
    const hn_zip_bytes pieces[2] = {{"head", 4}, {&k, sizeof k}};
    snprintf(name, sizeof name, "folder/%d", k);
    hn_zip_add(&zip, name, pieces, 2);
  }
  check_ok(hn_zip_finish(&zip, &error));
  check_ok(hn_zip_open(&back, PATH, &error));
  assert_int_equal(back.count, 100);
  for (int k = 0; k < 100; k++) {
    snprintf(name, sizeof name, "folder/%d", k);
    const hn_unzip_member *m = hn_zip_find(&back, name);
    assert_non_null(m);
    check_ok(hn_zip_read(&back, m, &bytes, &error));
    assert_int_equal(m->size, 4 + sizeof k);
    assert_memory_equal(bytes, "head", 4);
    assert_memory_equal(bytes + 4, &k, sizeof k);
    hn_release(NULL, bytes);
  }
  assert_null(hn_zip_find(&back, "folder/100"));
  hn_zip_close(&back);
}

static void deflated_members_of_another_program(void **state) {
  (void)state;
  hn_unzip zip;
  hn_error error = {0};
  char *bytes;
  write_file(from_python, sizeof from_python);
  check_ok(hn_zip_open(&zip, PATH, &error));
  assert_int_equal(zip.count, 2);
  const hn_unzip_member *m = hn_zip_find(&zip, "a/text.txt");
  assert_non_null(m);
  assert_int_equal(m->size, 300);
  check_ok(hn_zip_read(&zip, m, &bytes, &error));
  for (int k = 0; k < 50; k++) assert_memory_equal(bytes + 6 * k, "holon ", 6);
  hn_release(NULL, bytes);
  check_ok(hn_zip_read(&zip, hn_zip_find(&zip, "b"), &bytes, &error));
  assert_string_equal(bytes, "stored");
  hn_release(NULL, bytes);
  hn_zip_close(&zip);
}

// Opens and reads everything; the number of members whose bytes were returned.
static int read_all(void) {
  hn_unzip zip;
  hn_error error = {0};
  int good = 0;
  if (hn_zip_open(&zip, PATH, &error) != HN_OK) {
    assert_true(error.message[0] != '\0');
    return 0;
  }
  for (int k = 0; k < zip.count; k++) {
    char *bytes;
    if (hn_zip_read(&zip, &zip.members[k], &bytes, &error) == HN_OK) good++;
    hn_release(NULL, bytes);
  }
  hn_zip_close(&zip);
  return good;
}

// Whatever byte is wrong: an error, or the same bytes.
static void damage_is_found(void **state) {
  (void)state;
  unsigned char bytes[sizeof from_python];
  int whole = 0;
  for (size_t k = 0; k < sizeof bytes; k++) {
    memcpy(bytes, from_python, sizeof bytes);
    bytes[k] ^= 0x41;
    write_file(bytes, sizeof bytes);
    whole += read_all() == 2;
    write_file(from_python, k);
    assert_int_equal(read_all(), 0);
  }
  assert_true(whole <
              (int)sizeof bytes / 2); // the others: dates, versions, lengths that are repeated
}

// The archive with one number changed, of so many bytes at `at`.
static void refuses(size_t at, unsigned long value, int bytes, const char *names) {
  unsigned char copy[sizeof from_python];
  hn_unzip zip;
  hn_error error = {0};
  memcpy(copy, from_python, sizeof copy);
  for (int k = 0; k < bytes; k++) copy[at + (size_t)k] = (unsigned char)(value >> 8 * k & 255);
  write_file(copy, sizeof copy);
  assert_int_not_equal(hn_zip_open(&zip, PATH, &error), HN_OK);
  check_names(error.message, names);
}

static void hostile_archives_are_refused(void **state) {
  (void)state;
  size_t first = 0;
  while (memcmp(from_python + first, "PK\1\2", 4) != 0) first++;
  refuses(first + 8, 1, 2, "encrypted");
  refuses(first + 10, 12, 2, "deflated");
  refuses(first + 24, 1000000, 4, "sizes"); // a bomb
  refuses(first + 38, 0120777ul << 16, 4, "link");
  refuses(first + 42, 0x7fffffff, 4, "outside");
  refuses(first + 46, '.' | '.' << 8 | '/' << 16, 3, "leaves"); // ../ext.txt
  refuses(first + 46, '/', 1, "leaves");
  refuses(first + 46, 'C' | ':' << 8, 2, "leaves");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sum_of_known_bytes),
      cmocka_unit_test(members_read_back),
      cmocka_unit_test(deflated_members_of_another_program),
      cmocka_unit_test(damage_is_found),
      cmocka_unit_test(hostile_archives_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
