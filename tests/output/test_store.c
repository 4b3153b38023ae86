// The store of a run: what was written is read whatever ends the program, with all bits; what was
// cut off or changed is left out, and reported.
#include "output/table.h"

#include <stdlib.h>
#include <string.h>

#include "holon/store.h"
#include "output/row_store.h"

static char *load(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *data = malloc(1 << 20);
  assert_non_null(data);
  *size = fread(data, 1, 1 << 20, file);
  fclose(file);
  return data;
}

static void save(const char *path, const char *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
}

// Rows of the table from ... to.
static hn_results *part_of(int from, int to) {
  hn_results *all = hard_table(to), *part = hard_table(to);
  for (int c = 0; c <= hn_results_signal_count(all); c++) {
    double *column = part->data + (size_t)c * (size_t)part->room;
    memmove(column, column + from, (size_t)(to - from) * sizeof *column);
  }
  part->row_count = to - from;
  hn_results_free(all);
  return part;
}

// Blocks of 5 rows, and others between them; what the file ended with after each write goes to ends.
static void write_store(const char *path, int rows, unsigned long long *ends, int *count) {
  hn_store *store = NULL;
  hn_error error = {0};
  hn_results *names = hard_table(0);
  const float frame[6] = {0, 1, 2, 3, 4, 5};
  check_ok(hn_store_create(path, names, names, &store, &error));
  *count = 0;
  ends[(*count)++] = hn_store_size(store);
  for (int from = 0; from < rows; from += 5) {
    hn_results *part = part_of(from, from + 5 < rows ? from + 5 : rows);
    check_ok(hn_store_write(store, HN_STORE_ROWS, part, 0, part->row_count, &error));
    ends[(*count)++] = hn_store_size(store);
    check_ok(hn_store_write_frames(store, frame, 2, 3, &error));
    ends[(*count)++] = hn_store_size(store);
    hn_results_free(part);
  }
  check_ok(hn_store_sync(store, &error));
  check_ok(hn_store_write_end(store, &error));
  ends[(*count)++] = hn_store_size(store);
  check_ok(hn_store_close(store, &error));
  hn_results_free(names);
}

static void all_rows_come_back_with_all_bits(void **state) {
  (void)state;
  const char *path = OUTPUT("whole.store");
  unsigned long long ends[40];
  for (int rows = 0; rows <= 40; rows += 8) {
    int count;
    hn_results *expected = hard_table(rows), *back = NULL;
    hn_store_state how;
    hn_error error = {0};
    write_store(path, rows, ends, &count);
    check_ok(hn_store_read(path, HN_STORE_ROWS, &back, &how, &error));
    check_same(expected, back, 1);
    assert_int_equal(how.rows, rows);
    assert_int_equal(how.frames, 2 * ((rows + 4) / 5));
    assert_true(how.is_done && how.cut == 0);
    hn_results_free(back);
    check_ok(hn_results_read(path, &back, &error));
    check_same(expected, back, 1);
    hn_results_free(back);
    hn_results_free(expected);
  }
}

// A program that ends after any byte of any write leaves the blocks before it.
static void a_store_cut_anywhere_has_its_whole_blocks(void **state) {
  (void)state;
  enum { ROWS = 23 };
  unsigned long long ends[40];
  int count;
  size_t size;
  write_store(OUTPUT("cut.store"), ROWS, ends, &count);
  char *data = load(OUTPUT("cut.store"), &size);
  for (size_t cut = 0; cut <= size; cut++) {
    hn_results *back = NULL;
    hn_store_state how;
    hn_error error = {0};
    char *copy = malloc(cut + 1); // of this size: a reader that goes beyond is seen
    memcpy(copy, data, cut);
    hn_status status = hn_store_parse(copy, cut, "cut", HN_STORE_ROWS, &back, &how, &error);
    free(copy);
    unsigned long long end = 0;
    for (int k = 0; k < count; k++)
      if (ends[k] <= cut) end = ends[k];
    if (end == 0) { // names may be there already
      if (status == HN_OK) assert_int_equal(hn_results_row_count(back), 0);
      hn_results_free(back);
      continue;
    }
    check_ok(status);
    assert_true(how.size == end && how.cut == cut - end);
    assert_int_equal(how.is_done, end == ends[count - 1]);
    hn_results *expected = hard_table((int)how.rows);
    check_same(expected, back, 1);
    hn_results_free(expected);
    hn_results_free(back);
  }
  free(data);
}

static void a_changed_byte_ends_the_store_before_its_block(void **state) {
  (void)state;
  enum { ROWS = 11 };
  unsigned long long ends[40];
  int count;
  size_t size;
  write_store(OUTPUT("changed.store"), ROWS, ends, &count);
  char *data = load(OUTPUT("changed.store"), &size);
  for (size_t at = 0; at < size; at++) {
    hn_results *back = NULL;
    hn_store_state how;
    hn_error error = {0};
    data[at] ^= 0x20;
    hn_status status = hn_store_parse(data, size, "changed", HN_STORE_ROWS, &back, &how, &error);
    data[at] ^= 0x20;
    if (at < ends[0]) { // magic or names: rows cannot be separated
      hn_results_free(back);
      continue;
    }
    check_ok(status);
    assert_true(how.size <= at && how.cut == size - how.size);
    hn_results *expected = hard_table((int)how.rows);
    check_same(expected, back, 1);
    hn_results_free(expected);
    hn_results_free(back);
  }
  free(data);
}

// Lengths that cannot be, with a checksum that is right.
static void forged_heads_are_refused(void **state) {
  (void)state;
  unsigned long long ends[40];
  int count;
  size_t size;
  write_store(OUTPUT("forged.store"), 5, ends, &count);
  char *data = load(OUTPUT("forged.store"), &size);
  hn_random random = hn_random_seed(7);
  for (int trial = 0; trial < 2000; trial++) {
    hn_results *back = NULL;
    hn_error error = {0};
    char *copy = malloc(size);
    memcpy(copy, data, size);
    for (int k = 0; k < 4; k++)
      copy[hn_random_below(&random, (int)size)] = (char)hn_random_below(&random, 256);
    hn_store_parse(copy, size, "forged", HN_STORE_ROWS, &back, NULL, &error);
    hn_results_free(back);
    free(copy);
  }
  free(data);
}

static void a_store_goes_on_where_it_was_whole(void **state) {
  (void)state;
  enum { ROWS = 20 };
  const char *path = OUTPUT("goes-on.store");
  unsigned long long ends[40];
  int count;
  size_t size;
  write_store(path, 10, ends, &count);
  char *data = load(path, &size);
  for (int lost = 1; lost < 200; lost += 13) { // of the end, the middle of a block
    hn_results *back = NULL, *expected = hard_table(ROWS);
    hn_store_state how;
    hn_store *store = NULL;
    hn_error error = {0};
    save(path, data, size - (size_t)lost);
    check_ok(hn_store_read(path, HN_STORE_ROWS, &back, &how, &error));
    hn_results_free(back);
    check_ok(hn_store_open(path, how.size, &store, &error));
    hn_results *rest = hard_table(ROWS);
    check_ok(
        hn_store_write(store, HN_STORE_ROWS, rest, (int)how.rows, ROWS - (int)how.rows, &error));
    check_ok(hn_store_write_end(store, &error));
    check_ok(hn_store_close(store, &error));
    check_ok(hn_store_read(path, HN_STORE_ROWS, &back, &how, &error));
    assert_true(how.is_done && how.cut == 0);
    check_same(expected, back, 1);
    hn_results_free(back);
    hn_results_free(rest);
    hn_results_free(expected);
  }
  free(data);
}

static void check_same_files(const char *mine, const char *other) {
  size_t a, b;
  char *x = load(mine, &a), *y = load(other, &b);
  assert_int_equal(a, b);
  assert_memory_equal(x, y, a);
  free(x);
  free(y);
}

static void exports_are_the_files_results_write(void **state) {
  (void)state;
  enum { ROWS = 403 }; // in 81 blocks
  unsigned long long ends[200];
  int count;
  hn_error error = {0};
  write_store(OUTPUT("export.store"), ROWS, ends, &count);
  hn_results *all = hard_table(ROWS);
  static const struct {
    hn_results_format format;
    const char *mine, *other;
  } kinds[] = {{HN_RESULTS_CSV, OUTPUT("store.csv"), OUTPUT("table.csv")},
               {HN_RESULTS_NPZ, OUTPUT("store.npz"), OUTPUT("table.npz")},
               {HN_RESULTS_HDF5, OUTPUT("store.h5"), OUTPUT("table.h5")}};
  for (int k = 0; k < 3; k++) {
    if (!hn_results_format_is_built(kinds[k].format)) continue;
    hn_store_state how;
    check_ok(
        hn_store_export(OUTPUT("export.store"), kinds[k].mine, kinds[k].format, 1, &how, &error));
    check_ok(hn_results_write(all, kinds[k].other, kinds[k].format, 1, &error));
    check_same_files(kinds[k].mine, kinds[k].other);
    // buffer for two columns, and for less than one
    for (size_t room = 8000; k > 0 && room > 0; room /= 100) {
      check_ok(hn_store_export_columns(OUTPUT("export.store"), kinds[k].mine, kinds[k].format, 1,
                                       room, &how, &error));
      check_same_files(kinds[k].mine, kinds[k].other);
    }
    assert_int_equal(how.rows, ROWS);
  }
  hn_results_free(all);
}

static void other_files_are_no_stores(void **state) {
  (void)state;
  hn_results *back = NULL;
  hn_error error = {0};
  save(OUTPUT("text.store"), "time,x\n0,1\n", 11);
  check_status(hn_store_read(OUTPUT("text.store"), HN_STORE_ROWS, &back, NULL, &error),
               HN_ERROR_FILE);
  check_status(hn_store_read(OUTPUT("none.store"), HN_STORE_ROWS, &back, NULL, &error),
               HN_ERROR_FILE);
}

// Before its run has ended, or with bytes cut off, a store is exported with a note that says so.
static void an_export_tells_what_the_store_is_like(void **state) {
  (void)state;
  enum { ROWS = 37 };
  unsigned long long ends[40];
  int count;
  hn_error error = {0};
  hn_store_state how;
  write_store(OUTPUT("told.store"), ROWS, ends, &count);
  size_t size;
  char *data = load(OUTPUT("told.store"), &size);
  static const hn_results_format formats[] = {HN_RESULTS_CSV, HN_RESULTS_NPZ};
  for (int k = 0; k < 2; k++) {
    save(OUTPUT("told.store"), data, size);
    check_ok(
        hn_store_export(OUTPUT("told.store"), OUTPUT("told.txt"), formats[k], 1, &how, &error));
    assert_int_equal(how.rows, ROWS);
    assert_true(how.is_done && how.cut == 0);
    save(OUTPUT("told.store"), data, (size_t)ends[3] - 1);
    check_ok(
        hn_store_export(OUTPUT("told.store"), OUTPUT("told.txt"), formats[k], 1, &how, &error));
    assert_int_equal(how.rows, 5);
    assert_true(!how.is_done && how.cut == ends[3] - 1 - ends[2]);
    hn_results *five = hard_table(5);
    assert_true(how.last == hn_results_time(five)[4]);
    hn_results_free(five);
  }
  free(data);
}

// Whole blocks of other columns: rows would be lost if they were passed over.
static void rows_of_other_signals_are_refused(void **state) {
  (void)state;
  hn_error error = {0};
  hn_store *store = NULL;
  hn_results *back = NULL, *rows = hard_table(3), *other = hn_results_new(1);
  assert_non_null(other);
  other->names[0] = "another";
  other->units[0] = "m";
  check_ok(hn_store_create(OUTPUT("other.store"), other, NULL, &store, &error));
  check_ok(hn_store_write(store, HN_STORE_ROWS, rows, 0, 3, &error));
  const unsigned long long size = hn_store_size(store);
  check_ok(hn_store_close(store, &error));
  check_status(hn_store_read(OUTPUT("other.store"), HN_STORE_ROWS, &back, NULL, &error),
               HN_ERROR_FILE);
  check_status(
      hn_store_export(OUTPUT("other.store"), OUTPUT("x.csv"), HN_RESULTS_CSV, 1, NULL, &error),
      HN_ERROR_FILE);
  check_status(hn_store_load(OUTPUT("other.store"), size, other, NULL, NULL, &error),
               HN_ERROR_FILE);
  check_status(hn_store_load(OUTPUT("other.store"), size, rows, NULL, NULL, &error), HN_ERROR_FILE);
  hn_results_free(rows);
  hn_results_free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_rows_come_back_with_all_bits),
      cmocka_unit_test(a_store_cut_anywhere_has_its_whole_blocks),
      cmocka_unit_test(a_changed_byte_ends_the_store_before_its_block),
      cmocka_unit_test(forged_heads_are_refused),
      cmocka_unit_test(a_store_goes_on_where_it_was_whole),
      cmocka_unit_test(exports_are_the_files_results_write),
      cmocka_unit_test(other_files_are_no_stores),
      cmocka_unit_test(an_export_tells_what_the_store_is_like),
      cmocka_unit_test(rows_of_other_signals_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
