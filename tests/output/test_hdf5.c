// HDF5: exact round trip, the documented layout, broken files, failing disks.
#include "output/table.h"

#if HOLON_WITH_HDF5
#include <dirent.h>
#include <hdf5.h>

static void every_bit_survives_a_round_trip(void **state) {
  (void)state;
  const int rows[] = {0, 1, 501, 3000}; // with and without compression
  for (int k = 0; k < 4; k++) {
    hn_results *written = hard_table(rows[k]), *read = NULL;
    check_ok(hn_results_write(written, OUTPUT("trip.h5"), HN_RESULTS_HDF5, k != 1, NULL));
    check_ok(hn_results_read(OUTPUT("trip.h5"), &read, NULL));
    check_same(written, read, k != 1);
    hn_results_free(read);
    hn_results_free(written);
  }
}

// Through the plain HDF5 interface, as any other program would read it.
static void the_layout_is_as_documented(void **state) {
  (void)state;
  hn_results *written = hard_table(7);
  check_ok(hn_results_write(written, OUTPUT("layout.h5"), HN_RESULTS_HDF5, 1, NULL));
  hid_t file = H5Fopen(OUTPUT("layout.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  hid_t column = H5Dopen2(file, "/signals/body.rod.position.z", H5P_DEFAULT);
  assert_true(column >= 0);
  double values[7];
  assert_true(H5Dread(column, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  check_same_bits(values, hn_results_column(written, 1), 7);
  hid_t attribute = H5Aopen(column, "unit", H5P_DEFAULT), type = H5Aget_type(attribute);
  char unit[16] = "";
  assert_int_equal(H5Tget_size(type), 1);
  assert_true(H5Aread(attribute, type, unit) >= 0);
  assert_string_equal(unit, "m");
  H5Tclose(type);
  H5Aclose(attribute);
  H5Dclose(column);
  hid_t time = H5Dopen2(file, "/time", H5P_DEFAULT);
  assert_true(H5Dread(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  check_same_bits(values, hn_results_time(written), 7);
  H5Dclose(time);
  H5Fclose(file);
  hn_results_free(written);
}

static size_t contents(const char *path, char *bytes, size_t size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t count = fread(bytes, 1, size, file);
  fclose(file);
  return count;
}

static void same_results_are_the_same_bytes(void **state) {
  (void)state;
  static char first[1 << 20], second[1 << 20];
  hn_results *r = hard_table(2000);
  check_ok(hn_results_write(r, OUTPUT("same.h5"), HN_RESULTS_HDF5, 1, NULL));
  size_t size = contents(OUTPUT("same.h5"), first, sizeof first);
  check_ok(hn_results_write(r, OUTPUT("same.h5"), HN_RESULTS_HDF5, 1, NULL));
  assert_int_equal(contents(OUTPUT("same.h5"), second, sizeof second), size);
  assert_memory_equal(first, second, size);
  hn_results_free(r);
}

static void broken_files_are_errors(void **state) {
  (void)state;
  static char bytes[1 << 20];
  hn_results *r = hard_table(20), *read = NULL;
  hn_error error;
  check_ok(hn_results_write(r, OUTPUT("whole.h5"), HN_RESULTS_HDF5, 1, NULL));
  size_t size = contents(OUTPUT("whole.h5"), bytes, sizeof bytes);
  const size_t cuts[] = {0, 8, 100, 1000, 2 * size / 3};
  for (int k = 0; k < 5; k++) {
    FILE *file = fopen(OUTPUT("cut.h5"), "wb");
    fwrite(bytes, 1, cuts[k], file);
    fclose(file);
    hn_status status = hn_results_read(OUTPUT("cut.h5"), &read, &error);
    assert_true(status == HN_ERROR_FILE || status == HN_ERROR_SYNTAX);
    assert_null(read);
    assert_string_equal(error.file, OUTPUT("cut.h5"));
  }
  check_status(hn_results_read(OUTPUT("not-there.h5"), &read, &error), HN_ERROR_FILE);
  hn_results_free(r);
}

// An HDF5 file of another program.
static void other_layouts_are_named(void **state) {
  (void)state;
  hn_results *read = NULL;
  hn_error error;
  hid_t file = H5Fcreate(OUTPUT("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(H5Gcreate2(file, "signals", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  check_status(hn_results_read(OUTPUT("other.h5"), &read, &error), HN_ERROR_SYNTAX);
  check_names(error.message, "/time");
  file = H5Fopen(OUTPUT("other.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
  hsize_t sizes[2] = {5, 2};
  hid_t line = H5Screate_simple(1, sizes, NULL), square = H5Screate_simple(2, sizes, NULL);
  H5Dclose(H5Dcreate2(file, "time", H5T_NATIVE_INT, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Dclose(H5Dcreate2(file, "signals/x", H5T_NATIVE_DOUBLE, square, H5P_DEFAULT, H5P_DEFAULT,
                      H5P_DEFAULT));
  H5Sclose(line);
  H5Sclose(square);
  H5Fclose(file);
  check_status(hn_results_read(OUTPUT("other.h5"), &read, &error), HN_ERROR_SYNTAX);
  check_names(error.message, "/signals/x 5");
  assert_null(read);
}

// Files found by fuzzing: most of them crash libhdf5. Here they end in an error.
static void files_that_crash_hdf5_are_errors(void **state) {
  (void)state;
  const char *place = HOLON_SOURCE_DIR "/tests/output/hostile";
  DIR *folder = opendir(place);
  int count = 0;
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (!strstr(entry->d_name, ".h5")) continue;
    char path[1024];
    hn_results *r = NULL;
    hn_error error = {0};
    snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
    assert_true(hn_results_read(path, &r, &error) != HN_OK);
    assert_null(r);
    assert_string_equal(error.file, path);
    assert_true(error.message[0] != 0 && error.hint[0] != 0);
    count++;
  }
  closedir(folder);
  assert_int_equal(count, 12);
}

// A dataset may refer to numbers in another file, and a link to a dataset there.
static void other_files_are_not_read(void **state) {
  (void)state;
  double secret[3] = {1, 2, 3};
  FILE *raw = fopen(OUTPUT("secret.raw"), "wb");
  assert_int_equal(fwrite(secret, sizeof *secret, 3, raw), 3);
  fclose(raw);
  hsize_t size = 3;
  hid_t file = H5Fcreate(OUTPUT("elsewhere.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t group = H5Gcreate2(file, "signals", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(1, &size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  hid_t time =
      H5Dcreate2(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, secret) >= 0);
  assert_true(H5Pset_external(list, OUTPUT("secret.raw"), 0, sizeof secret) >= 0);
  hid_t x = H5Dcreate2(group, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  assert_true(x >= 0);
  H5Dclose(x);
  H5Dclose(time);
  H5Pclose(list);
  H5Sclose(space);
  H5Gclose(group);
  H5Fclose(file);
  hn_results *r = NULL;
  hn_error error = {0};
  check_status(hn_results_read(OUTPUT("elsewhere.h5"), &r, &error), HN_ERROR_SYNTAX);
  check_names(error.message, "/signals/x");
}

static void failing_disks_leave_nothing_behind(void **state) {
  (void)state;
  check_failing_writes(HN_RESULTS_HDF5, OUTPUT("full.h5"), OUTPUT("full.h5.part"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bit_survives_a_round_trip),
      cmocka_unit_test(the_layout_is_as_documented),
      cmocka_unit_test(same_results_are_the_same_bytes),
      cmocka_unit_test(broken_files_are_errors),
      cmocka_unit_test(other_layouts_are_named),
      cmocka_unit_test(files_that_crash_hdf5_are_errors),
      cmocka_unit_test(other_files_are_not_read),
      cmocka_unit_test(failing_disks_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void a_build_without_hdf5_says_so(void **state) {
  (void)state;
  hn_results *r = hard_table(3), *read = NULL;
  hn_error error;
  check_status(hn_results_write(r, OUTPUT("a.h5"), HN_RESULTS_HDF5, 1, &error),
               HN_ERROR_UNSUPPORTED);
  assert_true(error.hint[0] != 0);
  check_status(hn_results_read(OUTPUT("a.h5"), &read, &error), HN_ERROR_UNSUPPORTED);
  hn_results_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_build_without_hdf5_says_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
