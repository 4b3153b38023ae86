// Results made by hand, for the tests of files, and limits on the size of files.
#ifndef HN_TESTS_OUTPUT_TABLE_H
#define HN_TESTS_OUTPUT_TABLE_H

#include <errno.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "output/store.h"
#include "support/check.h"

#define OUTPUT(name) HOLON_TEST_OUTPUT_DIR "/" name

// Columns of numbers that are hard to write: thirds, extremes, denormals, not finite.
static inline hn_results *hard_table(int rows) {
  static const char *const names[] = {"x", "body.rod.position.z", "force.s.value"};
  static const char *const units[] = {"", "m", "N m"};
  static const double hard[] = {0.1,      -1.0 / 3,  2.0 / 3e7, DBL_MAX, DBL_TRUE_MIN, -0.0,
                                HUGE_VAL, -HUGE_VAL, NAN,       1e-310,  123456789,    5e22};
  hn_results *r = hn_results_new(3);
  assert_non_null(r);
  for (int k = 0; k < 3; k++) {
    r->names[k] = names[k];
    r->units[k] = units[k];
  }
  hn_results_sort_names(r);
  for (int k = 0; k < rows; k++) {
    int row = hn_results_add_row(r);
    assert_int_equal(row, k);
    for (int c = 0; c < 4; c++)
      *hn_results_cell(r, c, row) = c == 0 ? 0.01 * k : hard[(k + 3 * c) % 12] / (k / 12 + 1);
  }
  return r;
}

static inline void check_same_bits(const double *a, const double *b, int count) {
  for (int k = 0; k < count; k++) {
    if (isnan(a[k]) && isnan(b[k])) continue;
    if (memcmp(&a[k], &b[k], sizeof *a) != 0) fail_msg("row %d: %.17g is not %.17g", k, a[k], b[k]);
  }
}

static inline void check_same(const hn_results *a, const hn_results *b, int with_units) {
  assert_int_equal(hn_results_signal_count(a), hn_results_signal_count(b));
  assert_int_equal(hn_results_row_count(a), hn_results_row_count(b));
  int rows = hn_results_row_count(a);
  if (rows > 0) check_same_bits(hn_results_time(a), hn_results_time(b), rows);
  for (int k = 0; k < hn_results_signal_count(a); k++) {
    assert_string_equal(hn_results_signal_name(a, k), hn_results_signal_name(b, k));
    assert_string_equal(with_units ? hn_results_signal_unit(a, k) : "",
                        hn_results_signal_unit(b, k));
    if (rows > 0) check_same_bits(hn_results_column(a, k), hn_results_column(b, k), rows);
  }
}

static inline int file_exists(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

// Writing fails, as on a full disk, beyond this many bytes a file; 0: no limit.
static inline void limit_file_size(unsigned long bytes) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes ? bytes : limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

// A folder that is not there, a name that is a folder, a disk that is full: each an error with the
// path, and neither the file nor its beginning is left.
static inline void check_failing_writes(hn_results_format format, const char *path,
                                        const char *part) {
  hn_error error;
  hn_results *r = hard_table(5000);
  check_status(hn_results_write(r, OUTPUT("no/such/folder.x"), format, 1, &error), HN_ERROR_FILE);
  check_names(error.file, "no/such/folder.x");
  assert_non_null(strstr(error.message, strerror(ENOENT)));
  assert_true(error.hint[0] != 0);
  check_status(hn_results_write(r, HOLON_TEST_OUTPUT_DIR, format, 1, &error), HN_ERROR_FILE);
  assert_false(file_exists(HOLON_TEST_OUTPUT_DIR ".part"));

  remove(path);
  limit_file_size(10000);
  check_status(hn_results_write(r, path, format, 1, &error), HN_ERROR_FILE);
  limit_file_size(0);
  assert_string_equal(error.file, path);
  assert_non_null(strstr(error.message, strerror(EFBIG)));
  assert_false(file_exists(path));
  assert_false(file_exists(part));

  check_ok(hn_results_write(r, path, format, 1, &error)); // and nothing is broken for the next
  assert_true(file_exists(path));
  assert_false(file_exists(part));
  hn_results_free(r);
}

#endif
