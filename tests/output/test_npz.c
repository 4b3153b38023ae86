// NPZ: the archive taken apart by hand, record by record.
#include "output/table.h"

static unsigned char bytes[64 << 20];

static size_t load(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return size;
}

static unsigned long long number(const unsigned char *at, int count) {
  unsigned long long value = 0;
  for (int k = count - 1; k >= 0; k--) value = value << 8 | at[k];
  return value;
}

// Bit by bit, without a table.
static unsigned crc32_of(const unsigned char *data, size_t size) {
  unsigned crc = 0xFFFFFFFFu;
  for (size_t k = 0; k < size; k++) {
    crc ^= data[k];
    for (int b = 0; b < 8; b++) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return crc ^ 0xFFFFFFFFu;
}

// Checks the array whose directory entry is at `central`; the place of the next entry.
static const unsigned char *check_entry(const unsigned char *central, const char *name,
                                        const double *values, int rows) {
  char file[64];
  snprintf(file, sizeof file, "%s.npy", name);
  assert_int_equal(number(central, 4), 0x02014b50);
  assert_int_equal(number(central + 10, 2), 0); // stored
  unsigned long long crc = number(central + 16, 4), size = number(central + 20, 4);
  assert_int_equal(size, number(central + 24, 4));
  assert_int_equal(number(central + 28, 2), strlen(file));
  assert_memory_equal(central + 46, file, strlen(file));
  const unsigned char *local = bytes + number(central + 42, 4);
  assert_int_equal(number(local, 4), 0x04034b50);
  assert_int_equal(number(local + 14, 4), crc);
  assert_int_equal(number(local + 18, 4), size);
  assert_memory_equal(local + 30, file, strlen(file));
  const unsigned char *npy = local + 30 + strlen(file);
  assert_int_equal(crc32_of(npy, (size_t)size), crc);
  assert_memory_equal(npy, "\x93NUMPY\x01\x00", 8);
  unsigned long long header = number(npy + 8, 2);
  assert_int_equal((10 + header) % 64, 0);
  char shape[64];
  snprintf(shape, sizeof shape, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", rows);
  assert_memory_equal(npy + 10, shape, strlen(shape));
  assert_int_equal(npy[10 + header - 1], '\n');
  assert_int_equal(size, 10 + header + 8 * (unsigned long long)rows);
  for (int k = 0; k < rows; k++) {
    unsigned long long bits = number(npy + 10 + header + 8 * k, 8), expected;
    memcpy(&expected, &values[k], 8);
    assert_true(bits == expected);
  }
  return central + 46 + strlen(file) + number(central + 30, 2);
}

static void the_archive_holds_every_column(void **state) {
  (void)state;
  const int rows[] = {0, 1, 1234};
  for (int k = 0; k < 3; k++) {
    hn_results *r = hard_table(rows[k]);
    check_ok(hn_results_write(r, OUTPUT("a.npz"), HN_RESULTS_NPZ, 1, NULL));
    size_t size = load(OUTPUT("a.npz"));
    const unsigned char *end = bytes + size - 22;
    assert_int_equal(number(end, 4), 0x06054b50);
    assert_int_equal(number(end + 8, 2), 4);
    assert_int_equal(number(end + 12, 4) + number(end + 16, 4) + 22, size);
    const unsigned char *at = bytes + number(end + 16, 4);
    at = check_entry(at, "time", hn_results_time(r), rows[k]);
    for (int c = 0; c < 3; c++)
      at = check_entry(at, hn_results_signal_name(r, c), hn_results_column(r, c), rows[k]);
    assert_ptr_equal(at, end);
    hn_results_free(r);
  }
}

// 70,000 arrays do not fit the old end record: the 64-bit one is used.
static void many_arrays_take_the_wide_records(void **state) {
  (void)state;
  enum { MANY = 70000 };
  static char names[MANY][16];
  hn_results *r = hn_results_new(MANY);
  for (int k = 0; k < MANY; k++) {
    snprintf(names[k], sizeof names[k], "s%d", k);
    r->names[k] = names[k];
    r->units[k] = "";
  }
  hn_results_sort_names(r);
  int row = hn_results_add_row(r);
  for (int c = 0; c <= MANY; c++) *hn_results_cell(r, c, row) = c;
  assert_int_equal(hn_results_find(r, "s69999"), 69999);
  check_ok(hn_results_write(r, OUTPUT("many.npz"), HN_RESULTS_NPZ, 1, NULL));
  size_t size = load(OUTPUT("many.npz"));
  assert_true(size < sizeof bytes);
  const unsigned char *end = bytes + size - 22, *locator = end - 20;
  assert_int_equal(number(end + 8, 2), 0xFFFF);
  assert_int_equal(number(locator, 4), 0x07064b50);
  const unsigned char *wide = bytes + number(locator + 8, 8);
  assert_int_equal(number(wide, 4), 0x06064b50);
  assert_int_equal(number(wide + 24, 8), MANY + 1);
  assert_int_equal(number(wide + 32, 8), MANY + 1);
  const unsigned char *at = bytes + number(wide + 48, 8);
  at = check_entry(at, "time", (double[]){0}, 1);
  for (int c = 0; c < MANY; c++) at = check_entry(at, names[c], (double[]){c + 1}, 1);
  assert_ptr_equal(at, wide);
  hn_results_free(r);
  remove(OUTPUT("many.npz"));
}

static void failing_disks_leave_nothing_behind(void **state) {
  (void)state;
  check_failing_writes(HN_RESULTS_NPZ, OUTPUT("full.npz"), OUTPUT("full.npz.part"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_archive_holds_every_column),
      cmocka_unit_test(many_arrays_take_the_wide_records),
      cmocka_unit_test(failing_disks_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
